"""A lens and what it looks with: from the work at hand, or from what a browser asks the live channel for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, TypeGuard

from mha_core import Cell, Trace, trace
from mha_core.errors import N_, ExampleError
from mha_core.example.share_link import unpacked
from mha_core.vocabulary import STEPS

MOST_DECIMALS: Final = 10


class Baseline(NamedTuple):
    """A pinned example, against which every step shows its change; ``token``: its own, however long."""

    trace: Trace
    token: str


@dataclass
class Exercise:
    """Steps to be worked out: ``asked``, by name. ``checked``: the learner wants to know which numbers are right.

    ``hinted``: the cell that was asked about, and how many hints have been given for it. ``like``: where everybody
    draws numbers of his own, the address of the example like which they are drawn.
    """

    asked: tuple[str, ...]
    checked: bool = False
    hinted: tuple[Cell | None, int] = (None, 0)
    like: Mapping[str, str] | None = None


class Lens(NamedTuple):
    """What is looked for in the numbers: ``name``, one of ``lenses.LENSES``, and what that one needs."""

    name: str
    decimals: int
    pinned: Cell | None = None
    baseline: Baseline | None = None
    exercise: Exercise | None = None


def sent(lens: Lens) -> dict[str, Any]:
    """A lens as the browser hands it to the live channel, where ``read`` makes the same lens of it."""
    data: dict[str, Any] = {"name": lens.name, "decimals": lens.decimals}
    if lens.pinned:
        data["pinned"] = lens.pinned._asdict()
    if lens.baseline:
        data["base"] = lens.baseline.token
    if lens.exercise:
        cell, hints = lens.exercise.hinted
        data["exercise"] = {"asked": lens.exercise.asked, "checked": lens.exercise.checked, "hints": hints}
        if cell:
            data["exercise"]["hinted"] = cell._asdict()
    return data


def read(data: Mapping[str, Any]) -> Lens:
    """The lens that was sent.

    Raises ``ExampleError`` where it is none, and ``MhaError`` as ``unpacked`` and ``trace`` do.
    """
    name, decimals, base, exercise = (data.get(part) for part in ("name", "decimals", "base", "exercise"))
    if not isinstance(name, str) or not _is_count(decimals) or decimals > MOST_DECIMALS:
        raise ExampleError(
            N_("expected a name, and how many decimals, 0 to {most}"), place="lens", most=MOST_DECIMALS
        )
    if not isinstance(base, str | None):
        raise ExampleError(N_("expected the token of an example"), place="lens.base")
    return Lens(
        name,
        decimals,
        _cell(data.get("pinned"), "lens.pinned"),
        None if base is None else baseline(base),
        None if exercise is None else _exercise(exercise),
    )


def baseline(token: str) -> Baseline:
    """The baseline in a token: what is claimed of it is left out. Raises ``MhaError`` as ``unpacked`` does."""
    return Baseline(trace(replace(unpacked(token), claimed=None)), token)


def _exercise(data: object) -> Exercise:
    asked, hints = (
        (data.get(part) for part in ("asked", "hints")) if isinstance(data, Mapping) else (None, None)
    )
    if not isinstance(data, Mapping) or not isinstance(asked, list) or not _is_count(hints):
        raise ExampleError(N_("expected the steps asked for, and a count of hints"), place="lens.exercise")
    cell = _cell(data.get("hinted"), "lens.exercise.hinted")
    return Exercise(
        tuple(name for name in STEPS if name in asked),
        data.get("checked") is True,
        (cell, hints if cell else 0),
    )


def _cell(data: object, place: str) -> Cell | None:
    """A cell, which an example may have or not."""
    if data is None:
        return None
    name, head, row, col = (
        (data.get(part) for part in Cell._fields) if isinstance(data, Mapping) else [None] * 4
    )
    if not (
        isinstance(name, str) and (head is None or _is_count(head)) and _is_count(row) and _is_count(col)
    ):
        raise ExampleError(N_("expected a cell: name, head, row and col"), place=place)
    return Cell(name, head, row, col)


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
