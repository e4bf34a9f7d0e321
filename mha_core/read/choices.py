"""What a reader of the text says that its matrices are, in place of what was guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from mha_core.errors import N_, ReadError
from mha_core.example.model import MAX_HEADS, Scale
from mha_core.read.assemble import FORMS, Form
from mha_core.read.place import MAX_GRIDS, Guess
from mha_core.vocabulary import PER_HEAD

CHOSEN: Final = (
    *("x", "context", "w_q", "b_q", "w_k", "b_k", "w_v", "b_v", "q", "k", "v", "scores", "scaled_scores"),
    *("mask", "masked_scores", "weights", "head_outputs", "concat", "w_o", "b_o", "output"),
)
"""What a matrix of a text may be, in the order of the computation."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the matrix ``at`` this place of the list is; ``name``: "" where it is not to be used.

    ``head`` counts from 0; None for all heads side by side. ``turned``: it is printed transposed.
    """

    at: int
    name: str
    head: int | None = None
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Choices:
    """All that was chosen in a text; what is None is read from it."""

    matrices: tuple[Choice, ...] = ()
    form: Form | None = None
    scale: Scale | None = None
    mask: Literal["none", "causal"] | None = None

    def with_matrix(self, choice: Choice) -> Choices:
        """The choices with this one, in place of an earlier one for the same matrix."""
        others = [one for one in self.matrices if one.at != choice.at]
        return replace(self, matrices=(*others, choice))


AS_READ: Final = Choices()


def chosen(found: Sequence[Guess], choices: Choices) -> list[Guess]:
    """The guesses, those that were chosen as they were chosen."""
    result = list(found)
    for one in choices.matrices:
        if one.at < len(result):
            head = one.head + 1 if one.head is not None and one.name in PER_HEAD else None
            result[one.at] = replace(
                result[one.at], name=one.name, head=head, turned=one.turned, reason="chosen", candidates=(),
                sure=True, chosen=True, equals=(),
            )  # fmt: skip
    return result


def choices_in(data: object) -> Choices:
    """The choices in JSON data of the fields of ``Choices``. Raises ``ReadError`` where they are none."""
    if not isinstance(data, dict) or data.keys() - {"matrices", "form", "scale", "mask"}:
        raise _refused()
    matrices, form, scale, mask = (data.get(name) for name in ("matrices", "form", "scale", "mask"))
    if not isinstance(matrices or [], list) or len(matrices or []) > MAX_GRIDS:
        raise _refused()
    if form not in (None, *FORMS) or mask not in (None, "none", "causal"):
        raise _refused()
    if scale not in (None, "none", "sqrt_dk") and not (type(scale) in (float, int) and 0 < scale < 1e6):
        raise _refused()
    return Choices(tuple(_choice(one) for one in matrices or []), form, scale, mask)


def _choice(data: object) -> Choice:
    if not isinstance(data, dict) or data.keys() != {"at", "name", "head", "turned"}:
        raise _refused()
    at, name, head, turned = (data[field] for field in ("at", "name", "head", "turned"))
    is_head = head is None or (type(head) is int and 0 <= head < MAX_HEADS)
    if type(at) is not int or not 0 <= at < MAX_GRIDS or name not in ("", *CHOSEN) or not is_head:
        raise _refused()
    return Choice(at, name, head, turned is True)


def _refused() -> ReadError:
    return ReadError(N_("what was chosen for the matrices of this text cannot be read"))
