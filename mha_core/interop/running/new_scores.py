"""Other queries, keys and values of heads: written where a run computes them, so that all that reads them follows.

The module goes on with the new numbers by itself. Its scores follow, and so does whatever else it computes from them: a
bias, a mask, a divisor, a gate, another attention. A run finds the places first:

    numbers of their own          where they are computed (``origins.py``)
    q, k or v the same numbers    what their product is called with, if nothing else in the scores can follow from them
    several heads share a key     a run for this head alone, whose weights the head then gets
    several heads share values    this head's product alone, in which they are replaced
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, get_args

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.running.call import Call, another_path
from mha_core.interop.running.edits import Edit, Part
from mha_core.interop.running.found import Site
from mha_core.interop.running.one_sample import with_heads_axis
from mha_core.interop.running.origins import Locate, Writes
from mha_core.interop.running.samples import four_axes
from mha_core.interop.running.scores import Place
from mha_core.interop.running.second_run import tensors_in
from mha_core.interop.running.subject import Subject
from mha_core.interop.running.watch import Watch

OF_SCORES: Final[tuple[Part, ...]] = ("q", "k")
"""Parts of a head whose change gives other scores."""
WRITTEN: Final[tuple[Part, ...]] = (*OF_SCORES, "v")
"""Parts of a head that are written where the module computes them."""


class _Located(NamedTuple):
    """Where a run computes the queries or the keys of an attention.

    ``at``: the position of each number at the place, samples × heads × tokens × columns. ``mixed``: whether something
    beside the product may come from the same numbers. ``factor``: of what is captured and is not at the place.
    """

    place: Place
    at: Tensor
    mixed: bool
    factor: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Rewritten:
    """Numbers to be written in a run: by place their positions and values; and by attention the edits they are for."""

    numbers: dict[Place, list[tuple[Tensor, Tensor]]] = field(default_factory=dict)
    expected: dict[int, list[tuple[Part, int, Any, Tensor]]] = field(default_factory=dict)

    def copy(self) -> Rewritten:
        """Another one with the same numbers, to which more may be added."""
        numbers = {place: [*own] for place, own in self.numbers.items()}
        return Rewritten(numbers, {index: [*own] for index, own in self.expected.items()})

    def add(self, index: int, edit: Edit, located: _Located, of: int, sample: int | None = None) -> None:
        """Write the rows of an edit, of all samples or of one; ``of``: how many heads of queries there are."""
        assert edit.head is not None  # noqa: S101  # a patch of q or k has both
        assert edit.values is not None  # noqa: S101
        head = _own(edit.head, located.at, of)
        rows = slice(None) if edit.rows is None else list(edit.rows)
        at = located.at[:, head, rows]
        values = edit.values.to("cpu", torch.float64).expand(len(at), *at.shape[1:])
        chosen = slice(None) if sample is None else slice(sample, sample + 1)
        new = values[chosen] / located.factor
        self.numbers.setdefault(located.place, []).append((at[chosen].long(), new))
        if sample is None:
            self.expected.setdefault(index, []).append((edit.part, head, rows, values))

    @property
    def writes(self) -> Writes:
        """What a run takes."""
        return Writes(self.numbers)

    def require(self, index: int, call: Call) -> None:
        """Raise ``InteropError`` unless an attention, with four axes, was computed from what was written."""
        for part, head, rows, values in self.expected.get(index, ()):
            computed: Tensor | None = getattr(call if part == "v" else call.scores, part, None)
            if computed is None:
                continue
            seen = _four(computed, len(values))[:, head, rows].detach().to("cpu", torch.float64)
            if not torch.allclose(seen, values, rtol=1e-2, atol=1e-2 * values.abs().max().item()):
                raise InteropError(
                    N_(
                        "the module changes {part} after it has computed it, in a way that cannot be followed, so it "
                        "cannot be replaced here; replace “weights”"
                    ),
                    place=call.name,
                    part=part,
                )


def shared(edits: Sequence[Edit], located: Mapping[Part, _Located], of: int) -> tuple[bool, bool]:
    """Whether other heads see what these edits of a head would change, and whether other samples do."""
    heads = samples = False
    for edit in edits:
        at = located[edit.part].at
        assert edit.head is not None  # noqa: S101  # a patch of q or k has both
        assert edit.values is not None  # noqa: S101
        own = at[:, _own(edit.head, at, of)]
        others = [at[:, _own(other, at, of)] for other in range(of) if other != edit.head]
        heads |= any(_meet(own, other) for other in others)
        samples |= len(edit.values) > 1 and _meet(own[:1], own[1:])
    return heads, samples


def located_in(
    subject: Subject, sites: Sequence[Site], wanted: Sequence[int], *, operands: bool = False
) -> dict[int, dict[Part, _Located]]:
    """Where the queries and keys of these attentions are computed, from a run."""
    found: dict[int, dict[Part, _Located]] = {}
    tied: list[int] = []
    count = itertools.count()

    def keep(call: Call) -> None:
        index = next(count)
        if index >= len(sites):
            raise another_path(call.name)
        if index in wanted:
            found[index] = _located(call, sites[index])
            if not operands and _are_tied(found[index]):
                tied.append(index)

    where: Locate = "operands" if operands else "origins"
    subject.run(lambda inputs: Watch(subject.module, keep, dict.fromkeys(tensors_in(inputs)), locate=where))
    for index in wanted:
        if index not in found:
            raise another_path(sites[index].name if index < len(sites) else "")
    if tied:
        found |= located_in(subject, sites, tied, operands=True)
    return found


def _located(call: Call, site: Site) -> dict[Part, _Located]:
    """Of q and k only where the scores are known."""
    assert call.v_at is not None  # noqa: S101  # the run locates
    samples = site.matrices[0]
    of_v, at, factor = call.v_at
    own = with_heads_axis(four_axes(replace(call, v=at), site.split))
    located: dict[Part, _Located] = {"v": _Located(of_v, _four(own.v, samples), mixed=False, factor=factor)}
    if (scores := own.scores) is not None:
        (of_q, of_k), (mixed_q, mixed_k) = scores.places, call.mixed
        located["q"] = _Located(of_q, _four(scores.q, samples), mixed_q)
        located["k"] = _Located(of_k, _four(scores.k, samples), mixed_k)
    return located


def require_known(edits: Sequence[Edit], located: Mapping[Part, _Located], site: Site) -> None:
    """Raise ``InteropError`` where it cannot be known whether the scores follow from what would be written."""
    for edit in edits:
        own = located[edit.part]
        if own.place.is_operand and own.mixed:
            raise InteropError(
                N_(
                    "{part} has no numbers of its own here: the module uses the same ones elsewhere, writes into them "
                    "later, or gets them as an input. Its mask, bias or divisor may be computed from these, so {part} "
                    "cannot be replaced alone; replace “weights”"
                ),
                place=site.name,
                part=edit.part,
            )


def _are_tied(located: Mapping[Part, _Located]) -> bool:
    """Whether two of q, k and v are the same numbers."""
    return any(
        one.place == other.place and _meet(one.at, other.at)
        for one, other in itertools.combinations(located.values(), 2)
    )


def also_written(
    new: Rewritten, located: Mapping[int, Mapping[Part, _Located]]
) -> dict[int, tuple[Part, ...]]:
    """By attention, the parts that are read where numbers are written for another attention."""
    seen: dict[int, tuple[Part, ...]] = {}
    for index, parts in located.items():
        own = {part for part, *_ in new.expected.get(index, ())}
        read = tuple(
            part
            for part in get_args(Part)
            if part in parts and part not in own and _is_written(new, parts[part])
        )
        seen |= {index: read} if read else {}
    return seen


def _is_written(new: Rewritten, located: _Located) -> bool:
    return any(_meet(at, located.at) for at, _ in new.numbers.get(located.place, ()))


def _meet(one: Tensor, other: Tensor) -> bool:
    """Whether some numbers are in both."""
    return bool(torch.isin(one.flatten(), other.flatten()).any())


def _four(part: Tensor, samples: int) -> Tensor:
    """With axes of samples and heads."""
    part = part.reshape(*(1,) * max(0, 4 - part.dim()), *part.shape)
    part = part.flatten(0, -4)
    return part.expand(samples, *part.shape[1:])


def _own(head: int, part: Tensor, of: int) -> int:
    """The head of a part that a head of queries uses."""
    return head // (of // part.shape[1])
