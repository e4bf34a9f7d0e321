"""What a check finds: each step's wrong cells, what explains them, and the cell to look at first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from mha_core.check.place import Way
from mha_core.check.search import Rounding
from mha_core.compute.derive import Cell
from mha_core.compute.trace import Trace

Kind: TypeAlias = Literal["wrong", "doubtful", "coarse", "nearly", "float32", "constant"]
"""What is found of a cell: the fields of ``Checked``."""


class WrongCell(NamedTuple):
    """A claimed cell and its right number. ``own``: it does not just follow from earlier wrong numbers."""

    cell: Cell
    claimed: float
    correct: float
    own: bool


@dataclass(frozen=True, slots=True)
class Cause:
    """What explains own errors of a step: one mistake, or two together.

    ``heads``: the heads that it was made in, None for all that are given. ``rows``: its rows, None for all. ``cell``: a
    cell that it explains. ``ways``: the ways of a slip (``slips.SLIPS``) that give the same numbers; ``written``: the
    arithmetic of the first. ``besides``: it is a slip in a matrix whose other errors have another cause. ``rounded``:
    what may have been rounded on the way, if that is the cause.
    """

    ids: tuple[str, ...]
    cell: Cell
    heads: tuple[int, ...] | None = None
    rows: tuple[int, ...] | None = None
    ways: tuple[Way, ...] = ()
    written: str = ""
    besides: bool = False
    rounded: tuple[Rounding, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of one step.

    ``doubtful``: cells within the rule, but with a whole number that no rounding at this or an earlier step gives.
    ``coarse``: right cells with a whole number so coarse that it proves little. ``nearly``: right cells whose last
    digit is given neither by rounding nor by truncation. ``float32``: right cells that are off by more than a unit, as
    float32 arithmetic gives them. ``constant``: right cells with a constant in place of −∞. ``unexplained``: there are
    own errors that no known mistake explains; ``undecided``: some of these have too many explanations to name one.
    """

    given: int
    wrong: tuple[WrongCell, ...]
    doubtful: tuple[WrongCell, ...]
    causes: tuple[Cause, ...]
    unexplained: bool
    undecided: bool = False
    coarse: tuple[WrongCell, ...] = ()
    nearly: tuple[WrongCell, ...] = ()
    float32: tuple[WrongCell, ...] = ()
    constant: tuple[WrongCell, ...] = ()

    @property
    def status(self) -> str:
        """missing, wrong or ok."""
        return "missing" if not self.given else "wrong" if self.wrong else "ok"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Each step's outcome in order, and the cell to look at first.

    ``in_columns``: every W is transposed in all that was given of Q, K and V, which is one cause.
    """

    trace: Trace
    steps: dict[str, Checked]
    in_columns: bool = False

    @property
    def ok(self) -> bool:
        """Whether nothing that was given is wrong."""
        return not any(step.wrong for step in self.steps.values())

    def cells(self, kind: Kind) -> list[WrongCell]:
        """The cells of one kind of all steps, in order."""
        return [cell for step in self.steps.values() for cell in getattr(step, kind)]

    @property
    def first_wrong(self) -> Cell | None:
        """The first own error; else the first doubtful cell, if any cell is wrong; else the first wrong cell."""
        wrong = self.cells("wrong")
        doubtful = self.cells("doubtful") if wrong else []
        for cells in ([cell for cell in wrong if cell.own], doubtful, wrong):
            if cells:
                return cells[0].cell
        return None
