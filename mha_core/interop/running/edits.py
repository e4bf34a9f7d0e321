"""What is changed in a run: which rows of which heads, or of the output of which part, are switched off or replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import torch
from torch import Tensor, nn

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import not_floating, wrong_shape
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.lookup import HEADS, counted, index_of, whole
from mha_core.interop.running.padding import mean_of_tokens, real_queries

Part: TypeAlias = Literal["weights", "outputs", "q", "k", "v"]
By: TypeAlias = Literal["zero", "mean"]
How: TypeAlias = Literal["off", "mean", "replaced"]
Name: TypeAlias = str | int


@dataclass(frozen=True)
class At:
    """A place of a run that is changed.

        At("layer.3", 5)                     head 5 of an attention, as ("layer.3", 5)
        At("layer.3", 5, rows=-1)            only the outputs of the last query
        At("layer.3", 5, "k", rows=[2, 3])   the keys of tokens 2 and 3, as this head sees them
        At("layer.3.mlp", rows=0)            the output of a part of the module, at the first token

    ``name``: an attention by its name, by whole parts of its name, or by its index; without a ``head``, a part of the
    module. ``part``: "weights", "outputs", "q", "k" or "v". ``rows``: positions; None: all of them. They are
    queries, and keys for "k" and "v"; padding counts, so −1 is the last row of the tensor. Indices, heads and rows are
    counted from 0, or from the end if below 0.
    """

    name: Name
    head: int | None = None
    part: Part | None = None
    rows: int | Sequence[int] | None = None

    def __post_init__(self) -> None:
        """Make the rows a tuple, so that it may be the key of a dictionary."""
        if isinstance(self.rows, Iterable) and whole(self.rows) is None:
            object.__setattr__(self, "rows", tuple(self.rows))


Without: TypeAlias = Iterable[At | Name | tuple[Name, int | Sequence[int]]]
"""What to switch off: an attention's name or index with a head or several, or alone for all its heads; or an ``At``."""
Patch: TypeAlias = Mapping[Any, Tensor]
"""By (attention, head), (attention, head, part) or ``At``, what replaces a part of a head, by default its weights.

Rows × columns, or with an axis of samples before. The keys of a mapping are invariant, hence ``Any``.
"""

_MOST_NAMES: Final = 12
"""How many parts of a module an error lists."""


OFF: Final = torch.zeros(1, 1, 1)
"""The outputs of a head that is switched off."""


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """What replaces rows of a part of a head, or of a module's output if ``head`` is None.

    ``values``: 1 or samples × rows × columns, or a 0 for all of them; None: the mean over the tokens of the sample.
    ``rows``: None for all. ``real``: samples × tokens, those that a mean is over; None: all of them.
    """

    head: int | None
    part: Part
    values: Tensor | None
    rows: tuple[int, ...] | None = None
    real: Tensor | None = None

    @property
    def how(self) -> How:
        """What happens to the rows."""
        return "off" if self.values is OFF else "mean" if self.values is None else "replaced"

    def written(self, matrices: Tensor) -> Tensor:
        """Copies of these matrices, samples × tokens × columns, with the values in place of the rows."""
        new = matrices.clone()
        values = mean_of_tokens(matrices, self.real) if self.values is None else self.values.to(matrices)
        new[:, slice(None) if self.rows is None else list(self.rows)] = values
        return new


class Done(NamedTuple):
    """What was done to some heads of an attention, or to the output of a part of the module.

    ``heads``: none for a part of the module. ``of``: how many heads the attention has. ``rows``: None for all.
    """

    name: str
    heads: tuple[int, ...]
    of: int
    part: Part
    how: How
    rows: tuple[int, ...] | None

    def __str__(self) -> str:
        """A short text, such as "layers.1 heads 2, 5 off" or "mlp off at row 3"."""
        which = f"head{'s' * (len(self.heads) > 1)} {', '.join(map(str, self.heads))}"
        if len(self.heads) == self.of > 1:
            which = f"all {self.of} heads"
        what = {"off": "off", "mean": "at its mean", "replaced": f"{self.part} replaced"}[self.how]
        rows = self.rows or ()
        at = f"at row{'s' * (len(rows) > 1)} {', '.join(map(str, rows))}" if rows else ""
        return " ".join(filter(None, (self.name, which if self.heads else "", what, at)))


@dataclass(frozen=True, slots=True, eq=False)
class Edits:
    """The changes of a run: of heads, by the index of their attention, and of the outputs of parts of the module."""

    heads: Mapping[int, Sequence[Edit]]
    parts: Mapping[str, Sequence[Edit]]

    def done(self, found: Sequence[Captured]) -> tuple[Done, ...]:
        """What was done, with the heads of an attention together where the same was done to them."""
        all_done = []
        for index, edits in sorted(self.heads.items()):
            by_kind: dict[Any, list[int]] = {}
            for edit in edits:
                if edit.head is not None:
                    by_kind.setdefault((edit.part, edit.how, edit.rows), []).append(edit.head)
            name, count = found[index].name, len(found[index].weights)
            all_done += [Done(name, tuple(heads), count, *kind) for kind, heads in by_kind.items()]
        of_parts = ((name, edit) for name, edits in self.parts.items() for edit in edits)
        return (*all_done, *(Done(name, (), 0, edit.part, edit.how, edit.rows) for name, edit in of_parts))


def edits_of(
    module: nn.Module, found: Sequence[Captured], without: Without, patch: Patch, by: By = "zero"
) -> Edits:
    """The changes to each attention and to each part of the module.

    Raises ``InteropError`` for names, heads, rows and shapes that do not fit, and for rows that are changed twice.
    """
    heads: dict[int, list[Edit]] = {}
    parts: dict[str, list[Edit]] = {}
    single = (one for key in without for one in _single(found, key))
    given: list[tuple[Any, Any, str, str]] = [(key, None, "without", "without") for key in single]
    given += [(key, values, "patch", f"patch[{key}]") for key, values in patch.items()]
    for key, values, place, entry in given:
        at = _at(found, key, place)
        if at.head is None:
            name = part_of(module, at.name, place)
            rows = None if at.rows is None else whole_rows(at.rows, place)
            new = _off(by) if place == "without" else _numbers(values, entry)
            parts.setdefault(name, []).append(Edit(None, "outputs", new, rows))
            continue
        index = index_of(found, at.name, place)
        one, part = found[index], at.part or ("outputs" if place == "without" else "weights")
        new = _off(by) if place == "without" else _numbers(values, entry)
        edit = _edit(one, at, part, entry, new, is_off=place == "without")
        real = real_queries(one, found) if new is None else None
        heads.setdefault(index, []).append(replace(edit, real=real))
    for index, own in heads.items():
        _require_once(found[index].name, own)
    for name, own in parts.items():
        _require_once(name, own)
    return Edits(heads, parts)


def _single(found: Sequence[Captured], key: Any) -> Iterator[Any]:
    """One entry per head: of an attention alone all its heads, of one with several heads each of these."""
    alone = _is_name(key)
    pair = isinstance(key, tuple | list) and len(key) == 2
    name, heads = (key, None) if alone else tuple(key) if pair else (None, 0)
    if heads is None:
        heads = range(len(found[index_of(found, name, "without")].weights))
    if isinstance(heads, Iterable) and not isinstance(heads, str) and whole(heads) is None:
        yield from ((name, head) for head in heads)
    else:
        yield key


def _off(by: By) -> Tensor | None:
    return OFF if by == "zero" else None


def _edit(one: Captured, at: At, part: Part, place: str, values: Tensor | None, *, is_off: bool) -> Edit:
    head = counted(at.head, len(one.weights), HEADS, one.name)
    matrix = {"weights": one.weights, "outputs": one.outputs, "q": one.q, "k": one.k, "v": one.v}[part]
    if matrix is None:
        sentence = N_(
            "it is not known how the weights follow from Q and K here, so only weights, outputs and v can be replaced"
        )
        if one.after_softmax:
            sentence = N_(
                "{operation} may change weights after softmax, so it is not known how they follow from Q and K, and "
                "only weights, outputs and v can be replaced"
            )
        raise InteropError(sentence, place=one.name, operation=one.after_softmax)
    count, columns = matrix.shape[1:]
    rows = None if at.rows is None else _rows(whole_rows(at.rows, place), count, one.name)
    if values is None or is_off:
        return Edit(head, part, values, rows)
    return Edit(head, part, _values(one, count if rows is None else len(rows), columns, values, place), rows)


def rows_of(rows: int | Sequence[int] | None, one: Captured) -> tuple[int, ...] | None:
    """Rows of an attention's queries, counted from 0. Raises ``InteropError`` for those that it does not have."""
    if rows is None:
        return None
    return _rows(whole_rows(rows, "rows"), one.weights.shape[1], one.name)


def whole_rows(rows: Any, place: str) -> tuple[int, ...]:
    """Positions as whole numbers."""
    numbers = tuple(rows) if isinstance(rows, Iterable) and whole(rows) is None else (rows,)
    if not numbers or any(whole(row) is None for row in numbers):
        raise InteropError(N_("expected rows as whole numbers, got {got}"), place=place, got=repr(rows))
    return tuple(map(int, numbers))


def _rows(rows: Sequence[int], count: int, place: str) -> tuple[int, ...]:
    """Positions counted from 0. Raises ``InteropError`` for those that do not exist, or are named twice."""
    for row in rows:
        if not -count <= row < count:
            raise InteropError(
                N_("expected rows from 0 to {last}, got {got}"), place=place, last=count - 1, got=row
            )
    counted = tuple(row % count for row in rows)
    if len({*counted}) < len(counted):
        raise InteropError(N_("row {row} is changed twice"), place=place, row=_first_twice(counted))
    return counted


def _first_twice(rows: Sequence[int]) -> int:
    return next(row for row in rows if rows.count(row) > 1)


def _require_once(place: str, edits: Sequence[Edit]) -> None:
    """Raise ``InteropError`` if the same rows are changed twice."""
    for edit, other in combinations(edits, 2):
        same = edit.part == other.part and (
            edit.rows is None or other.rows is None or {*edit.rows} & {*other.rows}
        )
        whole = any(
            one.part == "outputs" and one.rows is None for one in (edit, other)
        )  # nothing else matters then
        if edit.head == other.head and (same or whole):
            sentence = N_("the same rows are changed twice")
            if edit.head is not None:
                sentence = N_("head {head} is changed twice; give one change per head")
            raise InteropError(sentence, place=place, head=edit.head)


def _at(found: Sequence[Captured], key: Any, place: str) -> At:
    """The place that a key names. Of a tuple, 2 or 3 entries: an attention, a head, and in a patch a part."""
    at: Any = key
    if isinstance(key, tuple | list) and 2 <= len(key) <= (2 if place == "without" else 3):
        at = At(*key) if whole(key[1]) is not None else None
    if not isinstance(at, At) or not _is_place(at, ("outputs",) if place == "without" else get_args(Part)):
        sentence = N_("expected an attention and a head, such as (“{name}”, 0), got {got}")
        if place == "patch":
            sentence = N_(
                "expected an attention, a head and “weights”, “outputs”, “q”, “k” or “v”, such as "
                "(“{name}”, 0, “weights”), got {got}"
            )
        raise InteropError(sentence, place=place, name=found[0].name, got=repr(key))
    return at


def _is_place(at: At, parts: Sequence[str]) -> bool:
    """Whether the entries have the right kinds; without a head there is no part of it."""
    name: Any = at.name
    head: Any = at.head
    part = at.part
    is_named = _is_name(name)
    is_head = whole(head) is not None or (head is None and part is None)
    return is_named and is_head and (part is None or part in parts)


def _is_name(name: Any) -> bool:
    """Whether it can be an attention's name, or its index."""
    return isinstance(name, str) or whole(name) is not None


def part_of(module: nn.Module, name: Name, place: str) -> str:
    """The full name of a part of the module, given by whole parts of its name that no other has."""
    names: list[str] = [own for own, _ in module.named_modules() if own]
    fitting = [own for own in names if own == name]
    fitting = fitting or [own for own in names if f".{own}".endswith(f".{name}")]
    if len(fitting) == 1:
        return fitting[0]
    sentence = N_(
        "the module has no part called “{name}”; give a head, or the name of a part such as {candidates}"
    )
    if fitting:
        sentence = N_("“{name}” fits {count} parts of the module; use more of the name: {candidates}")
    listed = ", ".join((fitting or names)[:_MOST_NAMES])
    raise InteropError(
        sentence,
        place=place,
        name=name,
        count=len(fitting),
        candidates=listed + (", …" if len(fitting or names) > _MOST_NAMES else ""),
    )


def _values(one: Captured, rows: int, columns: int, values: Tensor, place: str) -> Tensor:
    """What replaces rows of a part of a head, with an axis of samples. Rows of weights need not sum to 1."""
    if tuple(values.shape) not in ((rows, columns), (one.samples, rows, columns)):
        raise wrong_shape(place, f"{rows} × {columns} or {one.samples} × {rows} × {columns}", values)
    return values.reshape(-1, rows, columns)


def _numbers(given: Any, place: str) -> Tensor:
    """A tensor of finite numbers."""
    try:
        values: Tensor = torch.as_tensor(given).detach()
    except (TypeError, ValueError, RuntimeError):
        raise InteropError(
            N_("expected a tensor, got {got}"), place=place, got=type(given).__name__
        ) from None
    if values.is_complex():
        raise not_floating(values, place)
    if not values.isfinite().all():
        raise InteropError(N_("contains NaN or an infinite number"), place=place)
    return values
