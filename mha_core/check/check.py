"""Checking somebody's own numbers: which are wrong, which of those only follow, and which mistake explains them.

``check(example)`` compares ``example.claimed`` with the computation, step by step in its order:

1. A cell is *wrong* where it differs from the exact value by more than one unit of its last printed digit, and
   float32 arithmetic of the same steps (``single``) does not explain that.
2. It is the author's *own* error unless the step, computed from the author's own numbers before it, gives it:
   from the numbers as printed, or as they were before they were rounded.
3. For the own errors of a step, the known mistakes (``catalogue.CATALOGUE``) are tried at this step and at those
   before it that were not written down: none, one, then two at a time. A mistake *explains* the errors where every
   given cell comes out. Where none does, single rows are tried, then slips of the pen.

So everything is computed by the steps that ``graph`` declares; a mistake is a change to one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Final, NamedTuple

import torch
from torch import Tensor

from mha_core.check.catalogue import CATALOGUE, PROJECTIONS, ROUNDED_EARLY, W_IN_COLUMNS
from mha_core.check.constant import as_constants, stands_for_hidden, with_right
from mha_core.check.digits import gives_all, is_coarse, is_nearly, is_single, not_rounded, rounds_to
from mha_core.check.float32 import Strays
from mha_core.check.local import SlipMatch, made_alike, slips_besides, slips_in
from mha_core.check.place import Way
from mha_core.check.search import Family, Rounding, Search
from mha_core.check.transcription import EXCHANGED, exchanged
from mha_core.compute.derive import Cell
from mha_core.compute.device import Backend
from mha_core.compute.operations import Step
from mha_core.compute.printed import Key, Printed, claimed
from mha_core.compute.trace import Trace, trace
from mha_core.example.model import Example
from mha_core.vocabulary import HIDES, STEPS

_CPU: Final = Backend("cpu", "float64")
_MOST_CELLS: Final = 600
"""Cells of a matrix up to which pairs of mistakes, rounding on the way and what was done alike in several rows are
tried; larger ones are searched for single mistakes.
"""
_LEAST_EVIDENCE: Final = 3
"""Wrong cells that it takes to blame two mistakes at once."""
_MOST_ALTERNATIVES: Final = 6
_MOST_SLIPS: Final = 2
"""Rows of a matrix up to which each may have a slip of its own; where more are wrong, slips explain too much."""
_MOST_NAMED: Final = 3
"""Causes of a row up to which they are named; where more of them would do, nobody can say which."""
_BY_ROW: Final = frozenset(mistake.id for mistake in CATALOGUE if mistake.by_row)


class WrongCell(NamedTuple):
    """A claimed cell and what it should be. ``own``: it does not just follow from the numbers before it."""

    cell: Cell
    claimed: float
    correct: float
    own: bool


@dataclass(frozen=True, slots=True)
class Cause:
    """What explains own errors of a step: one mistake, or two together.

    ``heads``: the heads it was made in, None for all that are given. ``rows``: the rows, None for all.
    ``cell``: a cell that it explains. ``ways``: of a slip (``slips.SLIPS``), those that give the same numbers;
    ``written``: the arithmetic of the first. ``besides``: the slip was made in a matrix of which all else has another
    cause. ``rounded``: what may have been rounded on the way, if that is the cause.
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
    """A step's outcome. ``doubtful``: cells within the rule, but with a whole number that no rounding makes, of
    this step or of those before it. ``coarse``: right ones, with a whole number in which too little is left of the
    value to tell. ``nearly``: right ones whose last digit neither rounding nor cutting off gives. ``single``: right
    ones further off than that, as float32 arithmetic gives them. ``unexplained``: there are own errors that no known
    mistake explains; ``undecided``: among them some that too many would explain to name one.
    """

    given: int
    wrong: tuple[WrongCell, ...]
    doubtful: tuple[WrongCell, ...]
    causes: tuple[Cause, ...]
    unexplained: bool
    undecided: bool = False
    coarse: tuple[WrongCell, ...] = ()
    nearly: tuple[WrongCell, ...] = ()
    single: tuple[WrongCell, ...] = ()
    constant: tuple[WrongCell, ...] = ()

    @property
    def status(self) -> str:
        """missing, wrong or ok."""
        return "missing" if not self.given else "wrong" if self.wrong else "ok"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found: each step's outcome in order, and the cell where to look first. ``in_columns``: every W is
    transposed in what was given of Q, K and V, which is one cause.
    """

    trace: Trace
    steps: dict[str, Checked]
    in_columns: bool = False

    @property
    def ok(self) -> bool:
        """Nothing that was given is wrong."""
        return not any(step.wrong for step in self.steps.values())

    @property
    def first_wrong(self) -> Cell | None:
        """The first own error; else the first doubtful cell before what is wrong; else what is wrong first."""
        wrong = [cell for step in self.steps.values() for cell in step.wrong]
        doubtful = [cell for step in self.steps.values() for cell in step.doubtful] if wrong else []
        for cells in ([cell for cell in wrong if cell.own], doubtful, wrong):
            if cells:
                return cells[0].cell
        return None


def check(example: Example) -> Verdict:
    """Check ``example.claimed`` against the computation, in float64.

    Source of the rule for wrong cells: a printed number may be off by one unit of its last digit, as rounding and
    truncating leave it, and is nearly right where neither gives it; it may be off by more as far as float32 arithmetic
    of the same steps is, and half a unit; a whole number that rounding does not give is
    doubtful, and one that it gives is coarse where rounding has moved it by more than a tenth of its matrix's largest
    number, or another one of its row.
    """
    return _Check(trace(example, _CPU)).verdict()


class _Check:
    """One check: what has been found so far."""

    def __init__(self, computed: Trace) -> None:
        self.trace = computed
        self.claims = claimed(computed.example)
        self.search = Search(computed)
        for key in self.claims:
            self.search.declare_copy(key)
        self.unsure: dict[Key, Tensor] = {}
        """How far a carried cell may be from what its author had: half a unit of a wrong number."""
        self.others: list[Tensor] = []
        """Of the matrix at hand, what the author had if another of several slips was made."""
        self.throughout: dict[str, dict[Key, Tensor]] = {}
        """Mistakes under which every claim comes out, made once and carried on in full, with the numbers then."""
        self.wrong: dict[str, list[WrongCell]] = {name: [] for name in STEPS}
        self.doubtful: dict[str, list[WrongCell]] = {name: [] for name in STEPS}
        self.coarse: dict[str, list[WrongCell]] = {name: [] for name in STEPS}
        self.nearly: dict[str, list[WrongCell]] = {name: [] for name in STEPS}
        self.single: dict[str, list[WrongCell]] = {name: [] for name in STEPS}
        self.constant: dict[str, list[WrongCell]] = {name: [] for name in STEPS}
        self.causes: dict[str, list[Cause]] = {name: [] for name in STEPS}
        self.unexplained: set[str] = set()
        self.undecided: set[str] = set()
        """Steps with errors for which there are too many explanations."""

    def verdict(self) -> Verdict:
        """Go through the claims in the order of the computation."""
        with torch.inference_mode():
            exact = {key: values for key in self.claims if (values := self.search.exact(key)) is not None}
            for key in exact.keys() & {key for key in self.claims if key[0] in HIDES}:
                self._take_constants(key, exact[key])
            if not all(self._is_rounded(key, values) for key, values in exact.items()):
                strays = Strays(self.search)
                self.claims |= {key: self.claims[key]._replace(strays=strays.of(key)) for key in exact}
            if not all(self._is_right(key, values) for key, values in exact.items()):
                self.throughout = self.search.throughout({key: self.claims[key] for key in exact})
                for key, values in exact.items():
                    self._judge(key, values)
                self._name_throughout()
            for key, values in exact.items():
                self._note_right(key, values)
        names = [name for name in STEPS if name in self.trace.values or any(name == key[0] for key in exact)]
        steps = {name: self._checked(name) for name in names}
        together = _in_columns(steps)
        return Verdict(self.trace, steps | together, in_columns=bool(together))

    def _take_constants(self, key: Key, exact: Tensor) -> None:
        """Go on with what is right where a large negative number hides a pair as the mask does."""
        mask = self.search.input("mask", None)
        scores = self.search.exact(self.search.sources(key)[0]) if key in self.search.steps else None
        if mask is None or scores is None:
            return
        claim = as_constants(self.claims[key], mask[0])
        where = stands_for_hidden(claim, exact, scores, mask[0], self.trace.example)
        finite = where & claim.numbers.isfinite()
        self.constant[key[0]] += self._cells(key, exact, finite, torch.zeros_like(where))
        self.claims[key] = with_right(claim, exact, where)

    def _is_rounded(self, key: Key, exact: Tensor) -> bool:
        """Whether every given cell is the rounded number or the number cut off, as exact arithmetic gives it."""
        claim = self.claims[key]
        return bool(claim.all_fit(exact)) and not is_nearly(claim, exact).any()

    def _is_right(self, key: Key, exact: Tensor) -> bool:
        """Whether every given cell is right and none of them doubtful."""
        claim = self.claims[key]
        return bool(claim.all_fit(exact)) and not not_rounded(claim, exact).any()

    def _checked(self, name: str) -> Checked:
        claims = {key: claim for key, claim in self.claims.items() if key[0] == name}
        return Checked(
            given=sum(int(claim.given.sum()) for claim in claims.values()),
            wrong=tuple(self.wrong[name]),
            doubtful=tuple(self.doubtful[name]),
            causes=_merged(self.causes[name], [head for _, head in claims]),
            unexplained=name in self.unexplained,
            undecided=name in self.undecided,
            coarse=tuple(self.coarse[name]),
            nearly=tuple(self.nearly[name]),
            single=tuple(self.single[name]),
            constant=tuple(self.constant[name]),
        )

    def _name_throughout(self) -> None:
        """Blame what reproduces everything at the first step where something is wrong."""
        name = next((name for name, cells in self.wrong.items() if cells), None)
        if name is None or name in self.undecided:
            return
        named = {cause.ids for causes in self.causes.values() for cause in causes}
        new = [label for label in self.throughout if (label,) not in named]
        first_of_head = {one.cell.head: one.cell for one in reversed(self.wrong[name])}
        for cell in first_of_head.values():
            mine = None if cell.head is None else (cell.head,)
            self.causes[name] += [Cause((label,), cell, mine) for label in new]
        if new:
            self.unexplained.discard(name)

    # --- one matrix ------------------------------------------------------------------------------------------------

    def _judge(self, key: Key, exact: Tensor) -> None:
        claim = self.claims[key]
        right = claim.fits(exact)
        wrong = claim.given & ~right
        plain = self.search.family(key, most=0)
        fits = claim.fits(plain.values)
        own = wrong & ~fits.any(0)
        if own.any():
            own &= ~self._excused(key, claim, plain)
        doubtful = not_rounded(claim, exact) & ~wrong & ~rounds_to(plain.values, claim).any(0)
        if doubtful.any():  # of a whole number no unseen step is taken to have been rounded
            doubtful &= ((exact - exact.round()).abs() < 1e-9) | ~self._rounds_on_the_way(key, claim)
        if doubtful.sum() > 1 and self._comes_of_a_mistake(key, claim):  # of one number that says little
            wrong, own, doubtful = wrong | doubtful, own | doubtful, torch.zeros_like(doubtful)
        best = plain.values[int(fits.flatten(1).sum(1).argmax())]
        self.others = []
        if own.any():
            best = self._explain(key, claim, own, best)
        elif wrong.any() and self._nothing_wrong_before(key):
            self._blame(key, (ROUNDED_EARLY,), wrong)
        self._note(key, exact, wrong=wrong, own=own, doubtful=doubtful)
        self._carry(key, claim, exact, best, plain)

    def _comes_of_a_mistake(self, key: Key, claim: Printed) -> bool:
        """Whether a known mistake gives every number of a matrix as it is printed: 2 everywhere for 4/√2 is 4/2."""
        if key not in self.search.steps:
            return False
        family = self.search.family(key, 1, claim.decimals)
        gives = (rounds_to(family.values, claim) | ~claim.given).flatten(1).all(1)
        return any(blame and gives[n] for n, blame in enumerate(family.blames))

    def _nothing_wrong_before(self, key: Key) -> bool:
        return not any(self.wrong[name] or self.doubtful[name] for name in STEPS[: STEPS.index(key[0])])

    def _note(self, key: Key, exact: Tensor, *, wrong: Tensor, own: Tensor, doubtful: Tensor) -> None:
        self.wrong[key[0]] += self._cells(key, exact, wrong, own)
        self.doubtful[key[0]] += self._cells(key, exact, doubtful, doubtful)

    def _note_right(self, key: Key, exact: Tensor) -> None:
        """The right cells in which rounding has left too little, and those whose last digit is off by one."""
        claim = self.claims[key]
        marks = [(self.coarse, is_coarse(claim, exact))]
        if isinstance(claim.strays, Tensor):  # else every number is the rounded one
            marks += [(self.nearly, is_nearly(claim, exact)), (self.single, is_single(claim, exact))]
        for cells_by_step, mask in marks:
            if mask.any():
                known = {one.cell for one in self.wrong[key[0]] + self.doubtful[key[0]]}
                cells = self._cells(key, exact, mask, torch.zeros_like(mask))
                cells_by_step[key[0]] += [one for one in cells if one.cell not in known]

    def _cells(self, key: Key, exact: Tensor, mask: Tensor, own: Tensor) -> Iterable[WrongCell]:
        columns = (self.claims[key].numbers[mask], exact[mask], own[mask])
        places = (at.tolist() for at in mask.nonzero(as_tuple=True))
        cells = map(Cell, repeat(key[0]), repeat(key[1]), *places)
        return map(WrongCell, cells, *(column.tolist() for column in columns))

    def _carry(self, key: Key, claim: Printed, exact: Tensor, best: Tensor, plain: Family) -> None:
        """What the author had from here on: the printed numbers, or those before rounding where they are known, also
        where an earlier step was rounded.
        """
        fits, right = claim.fits(best), claim.fits(exact)
        as_printed = torch.where(claim.given, claim.numbers, best)
        in_full = torch.where(claim.given & ~fits, torch.where(right, exact, claim.numbers), best)
        values = [in_full]
        rounded_before = plain.values[claim.all_fit(plain.values)]
        throughout = (numbers[key] for numbers in self.throughout.values())
        for other in (as_printed, *self.others, *throughout, *rounded_before):
            if len(values) < _MOST_ALTERNATIVES and not any(torch.equal(other, one) for one in values):
                values.append(other)
        self.search.carry({key: Family([()] * len(values), torch.stack(values))})
        lost = ~fits
        if not self.unexplained:  # a whole number that is known has no digits to lose
            lost |= best != best.round()
        self.unsure[key] = torch.where(claim.given & ~right & lost, claim.unit / 2, 0.0)

    # --- following from numbers whose digits are lost --------------------------------------------------------------

    def _excused(self, key: Key, claim: Printed, plain: Family) -> Tensor:
        """Where the digits that an unexplained number before this lost in printing may account for the difference."""
        radius = self._spread(key) if key in self.search.steps else None
        if radius is None:
            return torch.zeros_like(claim.given)
        return ((plain.values - claim.numbers).abs() <= claim.unit + radius).any(0)

    def _spread(self, key: Key) -> Tensor | None:
        """How far the unsure digits of the operands can move each cell of a step; None where there are none."""
        step, tensors = self.search.operands(key)
        moved = None
        for name in step.operand_names:
            unsure = self._unsure(name, key[1])
            if unsure is not None and unsure.any():
                more = self._moved(key, tensors, name, unsure)
                moved = more if moved is None else moved + more
        return moved

    def _unsure(self, name: str, head: int | None) -> Tensor | None:
        if head is not None or (name, None) in self.search.steps:
            return self._radius((name, head))
        heads = [self._radius((name, g)) for g in range(self.search.dims.h)]
        known = next((one for one in heads if one is not None), None)
        if known is None:
            return None
        return torch.stack([torch.zeros_like(known) if one is None else one for one in heads])

    def _radius(self, key: Key) -> Tensor | None:
        """How far a matrix may be from what its author had; one that was not written by the numbers before it, unless
        some of these are unexplained: half a unit of a guess would excuse too much two steps on.
        """
        hidden = key in self.search.steps and key not in self.search.carried and not self.unexplained
        return self._spread(key) if hidden else self.unsure.get(key)

    def _moved(self, key: Key, tensors: dict[str, Tensor], name: str, unsure: Tensor) -> Tensor:
        """Σ over an operand's cells of how far the step moves when this cell alone moves."""
        where = unsure.nonzero(as_tuple=True)
        mixed = _mixed(self.search.steps[key], name, unsure.dim())
        alone = [at for at, is_mixed in zip(where, mixed, strict=True) if is_mixed]
        batches = torch.unique(torch.stack(alone), dim=1, return_inverse=True)[1] if alone else where[0] * 0
        moves = torch.zeros(int(batches.max()) + 1, *unsure.shape, dtype=torch.float64)
        moves[batches, *where] = unsure[where]
        batch = {other: one.expand(len(moves), *one.shape[1:]) for other, one in tensors.items()}
        still = self.search.run(key, tensors)
        ways = [self.search.run(key, batch | {name: batch[name] + sign * moves}) for sign in (1, -1)]
        return torch.maximum(*((way - still).abs() for way in ways)).nan_to_num(0.0).sum(0)

    # --- explaining own errors -------------------------------------------------------------------------------------

    def _explain(self, key: Key, claim: Printed, own: Tensor, best: Tensor) -> Tensor:
        """Find what explains the own errors of one matrix; returns its numbers as the author must have had them."""
        rounded = self._rounded(key, claim, own)
        if rounded is not None and (int(own.any(-1).sum()) > 1 or self._rounded_as_printed(key, claim)):
            return rounded
        slipped: dict[int, list[SlipMatch]] = {}
        if own.any(-1).sum() <= _MOST_SLIPS and not (not_rounded(claim, best) & ~own).any():
            slipped = slips_in(self.search, key, claim, own, best)
        swapped = exchanged(claim, best, own)
        if swapped:
            self._blame(key, (EXCHANGED,), own)
        single, by_row = Family([()], best[None]), dict[int, dict[str, int]]()
        numbers = None
        if key in self.search.steps:
            single = self.search.family(key, 1, claim.decimals)
            numbers = self._all_cells(key, claim, own, single)
            by_row = self._by_row(claim, own, single) if numbers is None else {}
        if rounded is not None or numbers is not None or swapped:
            if len(slipped) == 1 == int(own.any(-1).sum()):  # of one row it may also be a slip
                causes, self.causes[key[0]] = self.causes[key[0]], []
                self._blame_slips(key, slipped)
                slips = self.causes[key[0]]  # one number says little of a whole matrix
                self.causes[key[0]] = [*slips, *causes] if own.sum() == 1 else [*causes, *slips]
            return rounded if rounded is not None else best if numbers is None else numbers
        numbers = self._alike(key, claim, own, best)
        if numbers is None and slipped.keys() | by_row.keys() != set(
            own.any(-1).nonzero().flatten().tolist()
        ):
            numbers = self._pairs(key, claim, own)
        if numbers is None and not slipped:
            numbers = self._besides(key, claim, own, single)
        return self._rows(key, own, single, best, by_row, slipped) if numbers is None else numbers

    def _rounded(self, key: Key, claim: Printed, own: Tensor) -> Tensor | None:
        """Blame rounding on the way, to most digits at fewest steps; None where that does not explain every cell."""
        bounded = key in self.search.steps and own.numel() <= _MOST_CELLS
        tried = list(self.search.roundings(key, claim.decimals)) if bounded else []
        if not tried:
            return None
        fits = claim.all_fit(torch.stack([values[0] for _, values in tried])).tolist()
        fitting = [one for one, fit in zip(tried, fits, strict=True) if fit]
        if not fitting:
            return None
        least = [one for one in fitting if one[0].decimals == fitting[0][0].decimals]
        steps = min(len(rounding.names) for rounding, _ in least)
        least = [one for one in least if len(one[0].names) == steps]
        self._blame(key, (ROUNDED_EARLY,), own, rounded=tuple(rounding for rounding, _ in least))
        return least[0][1][0]

    def _rounds_on_the_way(self, key: Key, claim: Printed) -> Tensor:
        """Where a number is the rounded one of what rounding at earlier steps, which were not given, makes of it."""
        bounded = key in self.search.steps and claim.given.numel() <= _MOST_CELLS
        tried = [values[0] for _, values in self.search.roundings(key, claim.decimals)] if bounded else []
        return rounds_to(torch.stack(tried), claim).any(0) if tried else torch.zeros_like(claim.given)

    def _rounded_as_printed(self, key: Key, claim: Printed) -> bool:
        """Whether the rounding just blamed is to no fewer digits than are printed: that is no slip."""
        return self.causes[key[0]][-1].rounded[0].decimals >= claim.decimals

    def _all_cells(self, key: Key, claim: Printed, own: Tensor, family: Family) -> Tensor | None:
        """The mistakes under which every given cell comes out, all blamed; None where there are none."""
        fits = gives_all(family.values, claim).nonzero().flatten().tolist()
        explaining = [n for n in fits if family.blames[n]]
        if not explaining:
            return None
        fewest = min(len(family.blames[n]) for n in explaining)
        explaining = [n for n in explaining if len(family.blames[n]) == fewest]
        everywhere = [n for n in explaining if all(head is None for _, head in family.blames[n])]
        for n in everywhere or explaining:
            heads = tuple(head for _, head in family.blames[n] if head is not None)
            self._blame(key, tuple(label for label, _ in family.blames[n]), own, heads=heads or None)
        return family.values[(everywhere or explaining)[0]]

    def _pairs(self, key: Key, claim: Printed, own: Tensor) -> Tensor | None:
        """Two mistakes at once; few errors are evidence for no more than a pair that another head has shown."""
        shown = {frozenset(cause.ids) for cause in self.causes[key[0]] if len(cause.ids) > 1}
        enough = own.sum() >= _LEAST_EVIDENCE
        if key not in self.search.steps or own.numel() > _MOST_CELLS or not (enough or shown):
            return None
        family = self.search.family(key, 2, claim.decimals)
        if not enough:
            ids = [frozenset(label for label, _ in blame) for blame in family.blames]
            family = family.chosen([n for n, of in enumerate(ids) if of in shown])
        return self._all_cells(key, claim, own, family)

    def _besides(self, key: Key, claim: Printed, own: Tensor, single: Family) -> Tensor | None:
        """One mistake that explains most rows with errors, and a slip in each of the others."""
        missed = claim.given & ~claim.fits(single.values)
        left = missed.any(-1)
        explained = (own.any(-1) & ~left).sum(-1)
        likely = (
            (left.sum(-1) <= _MOST_SLIPS) & (left.sum(-1) < explained) & ~(missed & ~own).flatten(1).any(1)
        )
        for n in sorted(likely.nonzero().flatten().tolist(), key=lambda n: int(left[n].sum())):
            slipped = (
                slips_besides(self.search, key, claim, missed[n], single.values[n])
                if single.blames[n]
                else {}
            )
            if set(slipped) != set(left[n].nonzero().flatten().tolist()) or not slipped:
                continue
            if any(len(slips) > _MOST_NAMED for slips in slipped.values()):
                continue
            self._blame(key, tuple(label for label, _ in single.blames[n]), own & ~left[n][:, None])
            self._blame_slips(key, slipped, besides=True)
            best = single.values[n].clone()
            for i, (first, *_) in slipped.items():
                best[i] = best.new_tensor(first.numbers)
            return best
        return None

    def _by_row(self, claim: Printed, own: Tensor, single: Family) -> dict[int, dict[str, int]]:
        """For each row with errors that mistakes explain: these, and where in the family."""
        fits = ((claim.fits(single.values) & ~not_rounded(claim, single.values)) | ~claim.given).all(-1)
        rows: dict[int, dict[str, int]] = {}
        for i in own.any(-1).nonzero().flatten().tolist():
            for n in fits[:, i].nonzero().flatten().tolist() if claim.given[i].sum() > 1 else ():
                blame = single.blames[n]
                if blame and blame[0][0] in _BY_ROW:
                    rows.setdefault(i, {}).setdefault(blame[0][0], n)
        return rows

    def _rows(
        self,
        key: Key,
        own: Tensor,
        single: Family,
        best: Tensor,
        by_row: dict[int, dict[str, int]],
        slipped: dict[int, list[SlipMatch]],
    ) -> Tensor:
        """Blame what explains single rows, though others stay unexplained: mistakes made there alone, and slips."""
        best = best.clone()
        one_for_all = _one_for_all(by_row, own)
        for i in own.any(-1).nonzero().flatten().tolist():
            named, slips = by_row.get(i, {}), [] if one_for_all else slipped.get(i, [])
            if (not named and not slips) or (slips and len(named) + len(slips) > _MOST_NAMED):
                self.unexplained.add(key[0])
                self.undecided |= {key[0]} if slips else set()
                continue
            numbers = (
                single.values[next(iter(named.values())), i] if named else torch.tensor(slips[0].numbers)
            )
            best[i] = numbers.to(best.dtype)
            self._blame_each(key, named, own, rows=(i,))
            self._blame_slips(key, {i: slips})
        return best

    def _alike(self, key: Key, claim: Printed, own: Tensor, best: Tensor) -> Tensor | None:
        """Blame what was done in several rows in one way; None where that explains nothing."""
        several = own.any(-1).sum() > 1 and own.numel() <= _MOST_CELLS
        alike = made_alike(self.search, key, claim, own, best) if several else []
        i, j = own.nonzero()[0].tolist()
        for matches in alike:
            rows = (
                None if len(matches) == int(claim.given.any(-1).sum()) else tuple(f.cell.row for f in matches)
            )
            heads = None if key[1] is None else (key[1],)
            cause = Cause((matches[0].slip.id,), Cell(*key, i, j), heads, rows, matches[0].ways[:1])
            self.causes[key[0]].append(cause)
        best = best.clone()
        for one in alike[0] if alike else ():
            best[one.cell.row] = best.new_tensor(one.numbers)
        return best if alike else None

    def _blame_slips(self, key: Key, slipped: dict[int, list[SlipMatch]], *, besides: bool = False) -> None:
        for one in (one for slips in slipped.values() for one in slips):
            heads = None if key[1] is None else (key[1],)
            written = "" if besides else one.written
            cause = Cause((one.slip.id,), one.cell, heads, (one.cell.row,), one.ways, written, besides)
            self.causes[key[0]].append(cause)

    def _blame_each(
        self, key: Key, labels: Iterable[str], own: Tensor, rows: tuple[int, ...] | None = None
    ) -> None:
        for label in labels:
            self._blame(key, (label,), own, rows=rows)

    def _blame(
        self,
        key: Key,
        ids: tuple[str, ...],
        own: Tensor,
        heads: tuple[int, ...] | None = None,
        rows: tuple[int, ...] | None = None,
        rounded: tuple[Rounding, ...] = (),
    ) -> None:
        name, head = key
        i, j = (own if rows is None else own & _only(rows, own)).nonzero()[0].tolist()
        mine = heads if head is None else (head,)
        self.causes[name].append(Cause(ids, Cell(name, head, i, j), mine, rows, rounded=rounded))


def _in_columns(steps: dict[str, Checked]) -> dict[str, Checked]:
    """The projections that were given, where in all of them (and in two at least) every W is transposed: the first has
    the cause, and the others only share it. None else.
    """
    given: list[str] = [name for name in PROJECTIONS if name in steps and steps[name].given]
    causes = [_transposed(steps[name]) for name in given]
    if len(given) < 2 or not all(causes):
        return {}
    first = replace(steps[given[0]], causes=tuple(replace(one, ids=(W_IN_COLUMNS,)) for one in causes[0]))
    others = {
        name: replace(
            steps[name], causes=(), wrong=tuple(one._replace(own=False) for one in steps[name].wrong)
        )
        for name in given[1:]
    }
    return {given[0]: first} | others


def _transposed(step: Checked) -> tuple[Cause, ...]:
    """The one cause that everything is made of W transposed; () where there is another or it is not everywhere."""
    everywhere = [one.ids == ("weight_transposed",) and one.heads is one.rows is None for one in step.causes]
    return step.causes if everywhere == [True] and not step.unexplained else ()


def _one_for_all(by_row: dict[int, dict[str, int]], own: Tensor) -> bool:
    """Whether one mistake explains every row with errors."""
    labels = [set(named) for named in by_row.values()]
    return 1 < len(labels) == int(own.any(-1).sum()) and bool(set.intersection(*labels))


def _only(rows: tuple[int, ...], like: Tensor) -> Tensor:
    mask = torch.zeros_like(like)
    mask[list(rows)] = True
    return mask


def _merged(causes: list[Cause], claimed: list[int | None]) -> tuple[Cause, ...]:
    """One cause for one mistake, whichever heads and rows it stands in, those that explain most first.

    Mistakes that explain every head with an error come before those that explain only some of them.
    """
    alike: dict[object, list[Cause]] = {}
    located = {cause.cell.head for cause in causes if cause.rounded}
    for cause in causes:
        if cause.ids == (ROUNDED_EARLY,) and cause.cell.head in located and not cause.rounded:
            continue  # another cause names the step and the digits
        place = (
            cause.cell if cause.ways and cause.rows else ([way.named for way in cause.ways], cause.rounded)
        )
        alike.setdefault((tuple(sorted(cause.ids)), cause.rows is None, str(place)), []).append(cause)
    per_head = {cause.cell.head for cause in causes}
    merged = [(len({one.cell.head for one in same}), _merge(same, claimed)) for same in alike.values()]
    most = max((count for count, _ in merged), default=0)
    if most == len(per_head):  # something explains all of them: the rest only happens to fit some
        merged = [one for one in merged if one[0] == most or one[1].besides]
    return tuple(cause for _, cause in sorted(merged, key=lambda one: (-one[0], len(one[1].ids))))


def _merge(same: list[Cause], claimed: list[int | None]) -> Cause:
    heads = tuple(sorted({head for cause in same for head in cause.heads or ()}))
    rows = tuple(sorted({row for cause in same for row in cause.rows or ()}))
    everywhere = None not in claimed and len(heads) == len(claimed)
    return replace(same[0], heads=None if everywhere or not heads else heads, rows=rows or None)


def _mixed(step: Step, name: str, axes: int) -> list[bool]:
    """Of each axis of an operand, whether cells that differ in it may feed the same cell of the result.

    Those that differ in a letter of the result feed cells of their own, and can be moved at once.
    """
    indices = [operand.index for operand in step.operands if operand.name == name]
    if len(indices) == 1 and len(indices[0]) == axes:
        return [letter not in step.index for letter in indices[0]]
    return [True] * axes
