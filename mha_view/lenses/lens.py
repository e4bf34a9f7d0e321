"""A lens and its parameters: from the page's current work, or from a request to the live channel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeGuard

from mha_core import Cell, Trace, trace
from mha_core.errors import N_, ExampleError
from mha_core.example.share_link import unpacked
from mha_core.vocabulary import COMPUTED

MOST_DECIMALS: Final = 10
_TALLY: Final = re.compile(r"([0-9]{1,4}(-[0-9]{1,4})*)?~([0-9]{1,4}\.[0-9](-[0-9]{1,4}\.[0-9])*)?")


class Baseline(NamedTuple):
    """A pinned example, from which every step shows its change; ``token``: the token of its link, however long."""

    trace: Trace
    token: str


@dataclass(frozen=True)
class Exercise:
    """Steps to be worked out: ``asked``, by name.

    Cells are numbered through all of these steps (``exercise.hints.exercise_cells``). ``missed``: cells whose first
    number was wrong. ``hints``: how many hints were given for a cell. ``hinted``: the cell whose hint is shown.
    ``like``: if each learner gets different numbers, the address of the example that they resemble. ``begun``: the
    revision of the session's history with which the exercise began, 0 for one from a link. ``instead``: the exercise
    that this one replaced, if any. ``seed``: of which its numbers were drawn. ``student``: who works it out, for the
    file alone.
    """

    asked: tuple[str, ...]
    missed: frozenset[int] = frozenset()
    hints: Mapping[int, int] = field(default_factory=dict)
    hinted: int | None = None
    like: Mapping[str, str] | None = None
    begun: int = 0
    instead: Exercise | None = None
    seed: int | None = None
    student: str = ""

    @property
    def tally(self) -> str:
        """The missed cells and the hints given, as a short text: ``3-7~2.1-5.4``; "" if there are none."""
        missed = "-".join(map(str, sorted(self.missed)))
        hints = "-".join(f"{at}.{count}" for at, count in sorted(self.hints.items()))
        return f"{missed}~{hints}" if missed or hints else ""


def with_tally(asked: tuple[str, ...], tally: str) -> Exercise:
    """An exercise with the missed cells and hints of a tally; an invalid tally counts as empty."""
    if not _TALLY.fullmatch(tally):
        return Exercise(asked)
    missed, hints = ([part for part in half.split("-") if part] for half in tally.split("~"))
    pairs = (part.split(".") for part in hints)
    return Exercise(asked, frozenset(map(int, missed)), {int(at): int(count) for at, count in pairs})


class Lens(NamedTuple):
    """What the tables show besides numbers: ``name``, one of ``lenses.LENSES``, and the parameters of that one."""

    name: str
    decimals: int
    pinned: Cell | None = None
    baseline: Baseline | None = None
    exercise: Exercise | None = None


def sent(lens: Lens) -> dict[str, object]:
    """A lens as the browser sends it to the live channel; ``read`` restores it."""
    data: dict[str, object] = {"name": lens.name, "decimals": lens.decimals}
    if lens.pinned:
        data["pinned"] = lens.pinned._asdict()
    if lens.baseline:
        data["base"] = lens.baseline.token
    if lens.exercise:
        exercise = lens.exercise
        data["exercise"] = {"asked": exercise.asked, "tally": exercise.tally, "hinted": exercise.hinted}
    return data


def read(data: Mapping[str, object]) -> Lens:
    """The lens that was sent.

    Raises ``ExampleError`` if it is invalid, and ``MhaError`` as ``unpacked`` and ``trace`` do.
    """
    name, decimals, base, exercise = (data.get(part) for part in ("name", "decimals", "base", "exercise"))
    if not isinstance(name, str) or not _is_count(decimals) or decimals > MOST_DECIMALS:
        raise ExampleError(
            N_("expected a name, and how many decimals, 0 to {most}"), place="lens", most=MOST_DECIMALS
        )
    if not isinstance(base, str | None):
        raise ExampleError(N_("expected the link token of an example"), place="lens.base")
    return Lens(
        name,
        decimals,
        _cell(data.get("pinned"), "lens.pinned"),
        None if base is None else baseline(base),
        None if exercise is None else _exercise(exercise),
    )


def baseline(token: str) -> Baseline:
    """The baseline in a token, without claimed numbers. Raises ``MhaError`` as ``unpacked`` does."""
    return Baseline(trace(replace(unpacked(token), claimed=None)), token)


def _exercise(data: object) -> Exercise:
    asked, tally, hinted = (
        (data.get(part) for part in ("asked", "tally", "hinted")) if isinstance(data, Mapping) else [None] * 3
    )
    if not isinstance(asked, list) or not isinstance(tally, str) or not (hinted is None or _is_count(hinted)):
        raise ExampleError(
            N_("expected the requested steps, a tally, and the index of a cell or null"),
            place="lens.exercise",
        )
    return replace(with_tally(tuple(name for name in COMPUTED if name in asked), tally), hinted=hinted)


def _cell(data: object, place: str) -> Cell | None:
    """A cell; the example may not have it."""
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
