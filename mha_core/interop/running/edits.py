"""What is changed in a run: which heads of which attentions are switched off or have a part replaced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Final, Literal, TypeAlias, get_args

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import not_floating, wrong_shape
from mha_core.interop.running.captured import Captured

Part: TypeAlias = Literal["weights", "outputs"]
Name: TypeAlias = str | int
Without: TypeAlias = Iterable[tuple[Name, int]]
"""Heads to switch off: the attention's name or index, and the head, counted from 0."""
Patch: TypeAlias = Mapping[Any, Tensor]
"""By (attention, head) or (attention, head, part), what replaces a head's weights (by default) or outputs.

n_q × n_k or n_q × d_v, or with an axis of samples before. The keys of a mapping are invariant, hence ``Any``.
"""

_MOST_NAMES: Final = 12
"""How many attentions an error lists."""


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """What replaces a part of a head: 1 or samples × n_q × n_k, 1 or samples × n_q × d_v, or a 0 for all outputs."""

    head: int
    part: Part
    values: Tensor


OFF: Final = torch.zeros(1, 1, 1)
"""The outputs of a head that is switched off."""


def edits_of(found: Sequence[Captured], without: Without, patch: Patch) -> dict[int, list[Edit]]:
    """The changes to each attention, by its index.

    Raises ``InteropError`` for names, heads and shapes that do not fit, and for a head that is changed twice.
    """
    edits: dict[int, list[Edit]] = {}
    for key in without:
        index, head, _ = _key(found, key, "without", 2)
        edits.setdefault(index, []).append(Edit(head, "outputs", OFF))
    for patch_key, values in patch.items():
        index, head, part = _key(found, patch_key, "patch", 3)
        own_values = _values(found[index], part, values, f"patch[{patch_key}]")
        edits.setdefault(index, []).append(Edit(head, part, own_values))
    for index, own in edits.items():
        heads = [edit.head for edit in own]
        twice = next((head for head in heads if heads.count(head) > 1), None)
        if twice is not None:
            raise InteropError(
                N_("head {head} is changed twice; give one change per head"),
                place=found[index].name,
                head=twice,
            )
    return edits


def _key(found: Sequence[Captured], key: Any, place: str, most: int) -> tuple[int, int, Part]:
    """The index of the attention, the head and the part that a key of 2 to ``most`` entries names."""
    whole = isinstance(key, tuple | list) and 2 <= len(key) <= most
    name, head, part = (*key, "weights")[:3] if whole else (None, None, None)
    if not isinstance(name, str | Integral) or not isinstance(head, Integral) or part not in get_args(Part):
        sentence = N_("expected an attention and a head, such as (“{name}”, 0), got {got}")
        if place == "patch":
            sentence = N_(
                "expected an attention, a head and “weights” or “outputs”, such as (“{name}”, 0, “weights”), got {got}"
            )
        raise InteropError(sentence, place=place, name=found[0].name, got=repr(key))
    index, head = index_of(found, name if isinstance(name, str) else int(name), place), int(head)
    if not 0 <= head < len(found[index].weights):
        raise InteropError(
            N_("expected heads from 0 to {last}, got {got}"),
            place=found[index].name,
            last=len(found[index].weights) - 1,
            got=head,
        )
    return index, head, part


def index_of(found: Sequence[Captured], name: Name, place: str) -> int:
    """The index of an attention by its name, by whole parts of its name that no other has, or by the index itself.

    "layer.1" is part of "encoder.layer.1.attention", but not of "encoder.layer.11.attention". Raises ``InteropError``
    for a name that fits none or several, and lists those that there are.
    """
    if not isinstance(name, str):
        if not 0 <= name < len(found):
            raise InteropError(
                N_("expected attentions from 0 to {last}, got {got}"),
                place=place,
                last=len(found) - 1,
                got=name,
            )
        return name
    names = [one.name for one in found]
    fitting = [index for index, own in enumerate(names) if own == name]
    fitting = fitting or [index for index, own in enumerate(names) if f".{name}." in f".{own}."]
    if len(fitting) == 1:
        return fitting[0]
    sentence = N_(
        "no attention called “{name}” was seen in this run; compiled or scripted modules and custom "
        "kernels can hide theirs. Seen: {candidates}"
    )
    if fitting:
        sentence = N_("“{name}” fits {count} attentions; use more of the name, or its number: {candidates}")
    listed = ", ".join(f"{index}: {names[index]}" for index in (fitting or range(len(names)))[:_MOST_NAMES])
    more = len(fitting or names) > _MOST_NAMES
    raise InteropError(
        sentence, place=place, name=name, count=len(fitting), candidates=listed + (", …" if more else "")
    )


def _values(one: Captured, part: Part, given: Any, place: str) -> Tensor:
    """What replaces a part of a head, with an axis of samples. Rows of weights need not sum to 1.

    Raises ``InteropError`` for other shapes, and for numbers that are not finite.
    """
    values: Tensor = torch.as_tensor(given).detach()
    if values.is_complex():
        raise not_floating(values, place)
    rows, columns = (one.weights if part == "weights" else one.outputs).shape[1:]
    if not values.isfinite().all():
        raise InteropError(N_("contains NaN or an infinite number"), place=place)
    if tuple(values.shape) not in ((rows, columns), (one.samples, rows, columns)):
        raise wrong_shape(place, f"{rows} × {columns} or {one.samples} × {rows} × {columns}", values)
    return values.reshape(-1, rows, columns)
