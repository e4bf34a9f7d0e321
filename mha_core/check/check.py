"""Checking somebody's own numbers: which are wrong, which of those only follow, and which mistake explains them.

``check(example)`` compares ``example.claimed`` with the computation, step by step in its order:

1. A cell is *wrong* where it differs from the exact value by more than one unit of its last printed digit, and
   float32 arithmetic of the same steps (``float32``) does not explain that.
2. It is the author's *own* error unless the step gives it from the author's earlier numbers, as they are printed or as
   they were before rounding.
3. For the own errors of a step, the known mistakes (``catalogue.CATALOGUE``) are tried at this step and at unwritten
   steps before it: none, one, then two at a time. A mistake *explains* the errors if it gives every claimed cell. If
   none does, single rows are tried, then slips of the pen.

Everything is computed by the steps that ``graph`` declares; a mistake is a change to one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Final, Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor

from mha_core.check.catalogue import EVERY_MISTAKE, PROJECTIONS, ROUNDED_EARLY, W_IN_COLUMNS
from mha_core.check.constant import as_constants, counts_as_hidden
from mha_core.check.digits import gives_all, is_coarse, is_nearly, needs_float32, not_rounded, rounds_to
from mha_core.check.float32 import Float32Error
from mha_core.check.place import Way
from mha_core.check.search import Family, Rounding, Search
from mha_core.check.slip_search import SlipMatch, made_alike, slips_besides, slips_in
from mha_core.check.transcription import EXCHANGED, exchanged
from mha_core.compute.derive import Cell
from mha_core.compute.device import Backend
from mha_core.compute.operations import Step
from mha_core.compute.printed import Key, Printed, claimed
from mha_core.compute.trace import Trace, trace
from mha_core.example.model import Example, mask_matrix
from mha_core.vocabulary import COMPUTED, HIDES, PER_HEAD, STEPS

_CPU: Final = Backend("cpu", "float64")
_MOST_CELLS: Final = 600
"""The largest matrix, in cells, for which pairs of mistakes, rounding on the way and the same slip in several rows are
tried; larger ones are searched for single mistakes only.
"""
_LEAST_EVIDENCE: Final = 3
"""How many wrong cells are needed to blame two mistakes at once."""
_MOST_ALTERNATIVES: Final = 6
_MOST_SLIPS: Final = 2
"""How many rows of a matrix may each have a different slip; with more of them, slips explain too much."""
_MOST_NAMED: Final = 3
"""How many causes of a row are named; if more of them fit, nobody can say which it was."""
_MADE_IN_ROWS: Final = frozenset(mistake.id for mistake in EVERY_MISTAKE if mistake.by_row)


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


def check(example: Example) -> Verdict:
    """Check ``example.claimed`` against the computation, in float64.

    The rule for wrong cells: a printed number may be off by one unit of its last digit, which allows for rounding and
    for truncation; where neither gives it, it is nearly right. It may be off by more if float32 arithmetic of the same
    steps is, plus half a unit. A whole number that is not the rounded value is doubtful. One that is, is coarse where
    rounding has moved it, or another number of its row, by more than a tenth of its matrix's largest number.
    """
    return _Check(trace(example, _CPU)).verdict()


class _Check:
    """One check and its findings so far."""

    def __init__(self, computed: Trace) -> None:
        self.trace = computed
        self.claims = claimed(computed.example)
        self.search = Search(computed)
        for key in self.claims:
            self.search.declare_copy(key)
        self.unsure: dict[Key, Tensor] = {}
        """How far a carried number may be from the author's unrounded one: half a unit of a wrong number."""
        self.throughout: dict[str, dict[Key, Tensor]] = {}
        """Single mistakes that give every claim if all later steps are right, with the numbers under each."""
        self.wrong: dict[str, list[WrongCell]] = {name: [] for name in COMPUTED}
        self.doubtful: dict[str, list[WrongCell]] = {name: [] for name in COMPUTED}
        self.coarse: dict[str, list[WrongCell]] = {name: [] for name in COMPUTED}
        self.nearly: dict[str, list[WrongCell]] = {name: [] for name in COMPUTED}
        self.float32: dict[str, list[WrongCell]] = {name: [] for name in COMPUTED}
        self.constant: dict[str, list[WrongCell]] = {name: [] for name in COMPUTED}
        self.causes: dict[str, list[Cause]] = {name: [] for name in COMPUTED}
        self.unexplained: set[str] = set()
        self.undecided: set[str] = set()
        """Steps with errors that have too many explanations."""

    def verdict(self) -> Verdict:
        """Check the claims in the order of the computation."""
        with torch.inference_mode():
            exact = {key: values for key in self.claims if (values := self.search.exact(key)) is not None}
            for key in exact.keys() & {key for key in self.claims if key[0] in HIDES}:
                self._accept_constants(key, exact[key])
            if not all(self._is_rounded(key, values) for key, values in exact.items()):
                errors = Float32Error(self.search)
                self.claims |= {key: self.claims[key]._replace(float32_error=errors.of(key)) for key in exact}
            if not all(self._is_right(key, values) for key, values in exact.items()):
                self.throughout = self.search.throughout({key: self.claims[key] for key in exact})
                for key, values in exact.items():
                    self._judge(key, values)
                self._name_throughout()
            for key, values in exact.items():
                self._record_right(key, values)
        names = [
            name for name in COMPUTED if name in self.trace.values or any(name == key[0] for key in exact)
        ]
        steps = {name: self._checked(name) for name in names}
        in_columns = _in_columns(steps)
        return Verdict(self.trace, steps | in_columns, in_columns=bool(in_columns))

    def _accept_constants(self, key: Key, exact: Tensor) -> None:
        """Replace large negative numbers that hide a pair by the right ones, and record them."""
        mask = self.search.input(mask_matrix(self.trace.example), key[1])
        scores = self.search.exact(self.search.sources(key)[0]) if key in self.search.steps else None
        if mask is None or scores is None:
            return
        claim = as_constants(self.claims[key], mask[0])
        hides = counts_as_hidden(claim, exact, scores, mask[0], self.trace.example)
        finite = hides & claim.numbers.isfinite()
        self.constant[key[0]] += self._cells(key, exact, finite, torch.zeros_like(hides))
        self.claims[key] = claim._replace(numbers=torch.where(hides, exact, claim.numbers))

    def _is_rounded(self, key: Key, exact: Tensor) -> bool:
        """Whether every given cell is the rounded or truncated result of exact arithmetic."""
        claim = self.claims[key]
        return bool(claim.all_fit(exact)) and not is_nearly(claim, exact).any()

    def _is_right(self, key: Key, exact: Tensor) -> bool:
        """Whether every given cell is right and none is doubtful."""
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
            float32=tuple(self.float32[name]),
            constant=tuple(self.constant[name]),
        )

    def _name_throughout(self) -> None:
        """Blame the mistakes that reproduce everything, at the first wrong step."""
        name = next((name for name, cells in self.wrong.items() if cells), None)
        if name is None or name in self.undecided:
            return
        named = {cause.ids for causes in self.causes.values() for cause in causes}
        new = [label for label in self.throughout if (label,) not in named]
        first_of_head = {wrong.cell.head: wrong.cell for wrong in reversed(self.wrong[name])}
        for cell in first_of_head.values():
            heads = None if cell.head is None else (cell.head,)
            self.causes[name] += [Cause((label,), cell, heads) for label in new]
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
            own &= ~self._lost_digits_explain(key, claim, plain)
        doubtful = not_rounded(claim, exact) & ~wrong & ~rounds_to(plain.values, claim).any(0)
        if doubtful.any():  # where the exact number is whole, rounding at unwritten steps is no excuse
            doubtful &= ((exact - exact.round()).abs() < 1e-9) | ~self._rounds_on_the_way(key, claim)
        if doubtful.sum() > 1 and self._mistake_gives_all(key, claim):  # one number is too little evidence
            wrong, own, doubtful = wrong | doubtful, own | doubtful, torch.zeros_like(doubtful)
        best = plain.values[int(fits.flatten(1).sum(1).argmax())]
        if own.any():
            best = self._explain(key, claim, own, best)
        elif wrong.any() and self._nothing_wrong_before(key):
            self._blame(key, (ROUNDED_EARLY,), wrong)
        self.wrong[key[0]] += self._cells(key, exact, wrong, own)
        self.doubtful[key[0]] += self._cells(key, exact, doubtful, doubtful)
        self._carry(key, claim, exact, best, plain)

    def _mistake_gives_all(self, key: Key, claim: Printed) -> bool:
        """Whether a known mistake gives every number of a matrix as it is printed, as 4/2 gives 2 in place of 4/√2."""
        if key not in self.search.steps:
            return False
        family = self.search.family(key, 1, claim.decimals)
        gives = (rounds_to(family.values, claim) | ~claim.given).flatten(1).all(1)
        return any(blame and gives[n] for n, blame in enumerate(family.blames))

    def _nothing_wrong_before(self, key: Key) -> bool:
        return not any(self.wrong[name] or self.doubtful[name] for name in COMPUTED[: COMPUTED.index(key[0])])

    def _record_right(self, key: Key, exact: Tensor) -> None:
        """Record the right cells that are rounded too coarsely, and those whose last digits are off."""
        claim = self.claims[key]
        marks = [(self.coarse, is_coarse(claim, exact))]
        if isinstance(claim.float32_error, Tensor):  # else every number is the rounded one
            marks += [(self.nearly, is_nearly(claim, exact)), (self.float32, needs_float32(claim, exact))]
        for cells_by_step, mask in marks:
            if mask.any():
                known = {cell.cell for cell in self.wrong[key[0]] + self.doubtful[key[0]]}
                cells = self._cells(key, exact, mask, torch.zeros_like(mask))
                cells_by_step[key[0]] += [cell for cell in cells if cell.cell not in known]

    def _cells(self, key: Key, exact: Tensor, mask: Tensor, own: Tensor) -> Iterable[WrongCell]:
        columns = (self.claims[key].numbers[mask], exact[mask], own[mask])
        places = (axis.tolist() for axis in mask.nonzero(as_tuple=True))
        cells = map(Cell, repeat(key[0]), repeat(key[1]), *places)
        return map(WrongCell, cells, *(column.tolist() for column in columns))

    def _carry(self, key: Key, claim: Printed, exact: Tensor, best: Tensor, plain: Family) -> None:
        """Carry the author's numbers forward: as printed and, where these are known, as before rounding.

        If earlier steps may have been rounded, their results that fit are carried too.
        """
        fits, right = claim.fits(best), claim.fits(exact)
        as_printed = torch.where(claim.given, claim.numbers, best)
        in_full = torch.where(claim.given & ~fits, torch.where(right, exact, claim.numbers), best)
        values = [in_full]
        rounded_before = plain.values[claim.all_fit(plain.values)]
        throughout = (numbers[key] for numbers in self.throughout.values())
        for alternative in (as_printed, *throughout, *rounded_before):
            if len(values) < _MOST_ALTERNATIVES and not any(
                torch.equal(alternative, known) for known in values
            ):
                values.append(alternative)
        self.search.carry({key: Family([()] * len(values), torch.stack(values))})
        lost = ~fits
        if not self.unexplained:  # a known whole number has no digits to lose
            lost |= best != best.round()
        self.unsure[key] = torch.where(claim.given & ~right & lost, claim.unit / 2, 0.0)

    # --- errors that follow from lost digits -----------------------------------------------------------------------

    def _lost_digits_explain(self, key: Key, claim: Printed, plain: Family) -> Tensor:
        """Where the difference may come from the digits that an earlier unexplained number lost in printing."""
        radius = self._step_radius(key) if key in self.search.steps else None
        if radius is None:
            return torch.zeros_like(claim.given)
        return ((plain.values - claim.numbers).abs() <= claim.unit + radius).any(0)

    def _step_radius(self, key: Key) -> Tensor | None:
        """How far the unknown digits of the operands can move each cell of a step; None if all digits are known."""
        step, tensors = self.search.operands(key)
        radius = None
        for name in step.operand_names:
            unsure = self._unsure(name, key)
            if unsure is not None and unsure.any():
                movement = self._movement(key, tensors, name, unsure)
                radius = movement if radius is None else radius + movement
        return radius

    def _unsure(self, name: str, key: Key) -> Tensor | None:
        if self.search.steps[key].gathers != name:
            return self._radius((name, key[1] if name in PER_HEAD else None))
        heads = [self._radius((name, g)) for g in self.search.heads_of(key)]
        shape = next((radius for radius in heads if radius is not None), None)
        if shape is None:
            return None
        return torch.stack([torch.zeros_like(shape) if radius is None else radius for radius in heads])

    def _radius(self, key: Key) -> Tensor | None:
        """How far a carried matrix may be from the author's own.

        The radius of an unwritten step comes from the steps before it. If errors are unexplained it has none: half a
        unit of a guess would excuse too much two steps later.
        """
        hidden = key in self.search.steps and key not in self.search.carried and not self.unexplained
        return self._step_radius(key) if hidden else self.unsure.get(key)

    def _movement(self, key: Key, tensors: dict[str, Tensor], name: str, unsure: Tensor) -> Tensor:
        """How far the step moves when one cell of an operand moves, added up over all its cells."""
        cells = unsure.nonzero(as_tuple=True)
        is_mixed = _mixed_axes(self.search.steps[key], name, unsure.dim())
        mixed = [indices for indices, one_by_one in zip(cells, is_mixed, strict=True) if one_by_one]
        batches = torch.unique(torch.stack(mixed), dim=1, return_inverse=True)[1] if mixed else cells[0] * 0
        movements = torch.zeros(int(batches.max()) + 1, *unsure.shape, dtype=torch.float64)
        movements[batches, *cells] = unsure[cells]
        batch = {other: tensor.expand(len(movements), *tensor.shape[1:]) for other, tensor in tensors.items()}
        unmoved = self.search.run(key, tensors)
        results = [self.search.run(key, batch | {name: batch[name] + sign * movements}) for sign in (1, -1)]
        return torch.maximum(*((result - unmoved).abs() for result in results)).nan_to_num(0.0).sum(0)

    # --- explaining own errors -------------------------------------------------------------------------------------

    def _explain(self, key: Key, claim: Printed, own: Tensor, best: Tensor) -> Tensor:
        """Blame what explains the own errors of one matrix; returns the author's numbers under that explanation."""
        rounded = self._explain_by_rounding(key, claim, own)
        if rounded is not None and (int(own.any(-1).sum()) > 1 or self._rounded_as_printed(key, claim)):
            return rounded
        slipped: dict[int, list[SlipMatch]] = {}
        if own.any(-1).sum() <= _MOST_SLIPS and not (not_rounded(claim, best) & ~own).any():
            slipped = slips_in(self.search, key, claim, own, best)
        swapped = exchanged(claim, best, own)
        if swapped:
            self._blame(key, (EXCHANGED,), own)
        family, by_row = Family([()], best[None]), dict[int, dict[str, int]]()
        explained = None
        if key in self.search.steps:
            family = self.search.family(key, 1, claim.decimals)
            explained = self._explain_all(key, claim, own, family)
            by_row = self._row_mistakes(claim, own, family) if explained is None else {}
        if rounded is not None or explained is not None or swapped:
            if len(slipped) == 1 == int(own.any(-1).sum()):  # in a single row it may also be a slip
                causes, self.causes[key[0]] = self.causes[key[0]], []
                self._blame_slips(key, slipped)
                slips = self.causes[
                    key[0]
                ]  # one wrong number is little evidence about a whole matrix: slips first
                self.causes[key[0]] = [*slips, *causes] if own.sum() == 1 else [*causes, *slips]
            return rounded if rounded is not None else best if explained is None else explained
        explained = self._made_alike(key, claim, own, best)
        if explained is None and slipped.keys() | by_row.keys() != set(
            own.any(-1).nonzero().flatten().tolist()
        ):
            explained = self._two_mistakes(key, claim, own)
        if explained is None and not slipped:
            explained = self._mistake_and_slips(key, claim, own, family)
        return self._explain_rows(key, own, family, best, by_row, slipped) if explained is None else explained

    def _explain_by_rounding(self, key: Key, claim: Printed, own: Tensor) -> Tensor | None:
        """Blame rounding on the way, to the most digits and at the fewest steps; None if it does not explain all."""
        bounded = key in self.search.steps and own.numel() <= _MOST_CELLS
        tried = list(self.search.roundings(key, claim.decimals)) if bounded else []
        if not tried:
            return None
        fits = claim.all_fit(torch.stack([values[0] for _, values in tried])).tolist()
        fitting = [candidate for candidate, fits_all in zip(tried, fits, strict=True) if fits_all]
        if not fitting:
            return None
        least = [candidate for candidate in fitting if candidate[0].decimals == fitting[0][0].decimals]
        steps = min(len(rounding.names) for rounding, _ in least)
        least = [candidate for candidate in least if len(candidate[0].names) == steps]
        self._blame(key, (ROUNDED_EARLY,), own, rounded=tuple(rounding for rounding, _ in least))
        return least[0][1][0]

    def _rounds_on_the_way(self, key: Key, claim: Printed) -> Tensor:
        """Where a number is what rounding at unwritten earlier steps gives, rounded."""
        bounded = key in self.search.steps and claim.given.numel() <= _MOST_CELLS
        tried = [values[0] for _, values in self.search.roundings(key, claim.decimals)] if bounded else []
        return rounds_to(torch.stack(tried), claim).any(0) if tried else torch.zeros_like(claim.given)

    def _rounded_as_printed(self, key: Key, claim: Printed) -> bool:
        """Whether the rounding just blamed is to at least as many digits as are printed: that is no slip."""
        return self.causes[key[0]][-1].rounded[0].decimals >= claim.decimals

    def _explain_all(self, key: Key, claim: Printed, own: Tensor, family: Family) -> Tensor | None:
        """Blame all mistakes that give every claimed cell; None if there are none."""
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

    def _two_mistakes(self, key: Key, claim: Printed, own: Tensor) -> Tensor | None:
        """Blame two mistakes at once. Few errors are only enough evidence for a pair that another head has shown."""
        shown = {frozenset(cause.ids) for cause in self.causes[key[0]] if len(cause.ids) > 1}
        enough = own.sum() >= _LEAST_EVIDENCE
        if (
            key not in self.search.steps
            or own.numel() > _MOST_CELLS
            or not (enough or shown)
            or key[0] not in STEPS
        ):
            return None
        family = self.search.family(key, 2, claim.decimals)
        if not enough:
            ids = [frozenset(label for label, _ in blame) for blame in family.blames]
            family = family.chosen([n for n, pair in enumerate(ids) if pair in shown])
        return self._explain_all(key, claim, own, family)

    def _mistake_and_slips(self, key: Key, claim: Printed, own: Tensor, family: Family) -> Tensor | None:
        """Blame one mistake that explains most rows with errors, and a slip in each of the others."""
        missed = claim.given & ~claim.fits(family.values)
        left = missed.any(-1)  # rows that the mistake does not explain
        explained, remaining = (own.any(-1) & ~left).sum(-1), left.sum(-1)
        likely = (remaining <= _MOST_SLIPS) & (remaining < explained) & ~(missed & ~own).flatten(1).any(1)
        for n in sorted(likely.nonzero().flatten().tolist(), key=lambda n: int(remaining[n])):
            if not family.blames[n]:
                continue
            slipped = slips_besides(self.search, key, claim, missed[n], family.values[n])
            if set(slipped) != set(left[n].nonzero().flatten().tolist()) or not slipped:
                continue
            if any(len(slips) > _MOST_NAMED for slips in slipped.values()):
                continue
            self._blame(key, tuple(label for label, _ in family.blames[n]), own & ~left[n][:, None])
            self._blame_slips(key, slipped, besides=True)
            best = family.values[n].clone()
            for i, (first, *_) in slipped.items():
                best[i] = best.new_tensor(first.numbers)
            return best
        return None

    def _row_mistakes(self, claim: Printed, own: Tensor, family: Family) -> dict[int, dict[str, int]]:
        """The mistakes that explain each row with errors, with their index in the family."""
        fits = ((claim.fits(family.values) & ~not_rounded(claim, family.values)) | ~claim.given).all(-1)
        rows: dict[int, dict[str, int]] = {}
        for i in own.any(-1).nonzero().flatten().tolist():
            for n in fits[:, i].nonzero().flatten().tolist() if claim.given[i].sum() > 1 else ():
                blame = family.blames[n]
                if blame and blame[0][0] in _MADE_IN_ROWS:
                    rows.setdefault(i, {}).setdefault(blame[0][0], n)
        return rows

    def _explain_rows(
        self,
        key: Key,
        own: Tensor,
        family: Family,
        best: Tensor,
        by_row: dict[int, dict[str, int]],
        slipped: dict[int, list[SlipMatch]],
    ) -> Tensor:
        """Blame what explains single rows: mistakes made in them alone, and slips. Other rows stay unexplained."""
        best = best.clone()
        one_for_all = _one_for_all(by_row, own)
        for i in own.any(-1).nonzero().flatten().tolist():
            named, slips = by_row.get(i, {}), [] if one_for_all else slipped.get(i, [])
            if (not named and not slips) or (slips and len(named) + len(slips) > _MOST_NAMED):
                self.unexplained.add(key[0])
                self.undecided |= {key[0]} if slips else set()
                continue
            numbers = (
                family.values[next(iter(named.values())), i] if named else torch.tensor(slips[0].numbers)
            )
            best[i] = numbers.to(best.dtype)
            self._blame_each(key, named, own, rows=(i,))
            self._blame_slips(key, {i: slips})
        return best

    def _made_alike(self, key: Key, claim: Printed, own: Tensor, best: Tensor) -> Tensor | None:
        """Blame slips that were made in several rows in the same way; None if there are none."""
        several = own.any(-1).sum() > 1 and own.numel() <= _MOST_CELLS
        alike = made_alike(self.search, key, claim, own, best) if several else []
        i, j = own.nonzero()[0].tolist()
        for matches in alike:
            rows = (
                None
                if len(matches) == int(claim.given.any(-1).sum())
                else tuple(match.cell.row for match in matches)
            )
            heads = None if key[1] is None else (key[1],)
            cause = Cause((matches[0].slip.id,), Cell(*key, i, j), heads, rows, matches[0].ways[:1])
            self.causes[key[0]].append(cause)
        best = best.clone()
        for match in alike[0] if alike else ():
            best[match.cell.row] = best.new_tensor(match.numbers)
        return best if alike else None

    def _blame_slips(self, key: Key, slipped: dict[int, list[SlipMatch]], *, besides: bool = False) -> None:
        for match in (match for slips in slipped.values() for match in slips):
            heads = None if key[1] is None else (key[1],)
            written = "" if besides else match.written
            cause = Cause(
                (match.slip.id,), match.cell, heads, (match.cell.row,), match.ways, written, besides
            )
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
        i, j = (own if rows is None else own & _row_mask(rows, own)).nonzero()[0].tolist()
        blamed_heads = heads if head is None else (head,)
        self.causes[name].append(Cause(ids, Cell(name, head, i, j), blamed_heads, rows, rounded=rounded))


def _in_columns(steps: dict[str, Checked]) -> dict[str, Checked]:
    """The given projections if every W is transposed in all of them, and there are at least two; otherwise {}.

    The first has the cause; the errors of the others follow from it.
    """
    given: list[str] = [name for name in PROJECTIONS if name in steps and steps[name].given]
    causes = [_transposed(steps[name]) for name in given]
    if len(given) < 2 or not all(causes):
        return {}
    first = replace(steps[given[0]], causes=tuple(replace(cause, ids=(W_IN_COLUMNS,)) for cause in causes[0]))
    others = {
        name: replace(
            steps[name], causes=(), wrong=tuple(cell._replace(own=False) for cell in steps[name].wrong)
        )
        for name in given[1:]
    }
    return {given[0]: first} | others


def _transposed(step: Checked) -> tuple[Cause, ...]:
    """The cause "W is transposed" if it is the only one and explains everything; otherwise ()."""
    everywhere = [
        cause.ids == ("weight_transposed",) and cause.heads is cause.rows is None for cause in step.causes
    ]
    return step.causes if everywhere == [True] and not step.unexplained else ()


def _one_for_all(by_row: dict[int, dict[str, int]], own: Tensor) -> bool:
    """Whether one mistake explains every row with errors."""
    labels = [set(named) for named in by_row.values()]
    return 1 < len(labels) == int(own.any(-1).sum()) and bool(set.intersection(*labels))


def _row_mask(rows: tuple[int, ...], like: Tensor) -> Tensor:
    mask = torch.zeros_like(like)
    mask[list(rows)] = True
    return mask


def _merged(causes: list[Cause], claimed: list[int | None]) -> tuple[Cause, ...]:
    """Merge the causes of the same mistake in several heads and rows, those that explain most heads first.

    If a mistake explains every head with an error, those that explain only some heads are dropped.
    """
    groups: dict[object, list[Cause]] = {}
    located = {cause.cell.head for cause in causes if cause.rounded}
    for cause in causes:
        if cause.ids == (ROUNDED_EARLY,) and cause.cell.head in located and not cause.rounded:
            continue  # another cause names the step and the digits
        place = (
            cause.cell if cause.ways and cause.rows else ([way.named for way in cause.ways], cause.rounded)
        )
        groups.setdefault((tuple(sorted(cause.ids)), cause.rows is None, str(place)), []).append(cause)
    per_head = {cause.cell.head for cause in causes}
    merged = [(len({item.cell.head for item in group}), _merge(group, claimed)) for group in groups.values()]
    most_heads = max((count for count, _ in merged), default=0)
    if most_heads == len(per_head):  # a cause explains all heads: the rest fit some of them by chance
        merged = [item for item in merged if item[0] == most_heads or item[1].besides]
    return tuple(cause for _, cause in sorted(merged, key=lambda item: (-item[0], len(item[1].ids))))


def _merge(group: list[Cause], claimed: list[int | None]) -> Cause:
    heads = tuple(sorted({head for cause in group for head in cause.heads or ()}))
    rows = tuple(sorted({row for cause in group for row in cause.rows or ()}))
    everywhere = None not in claimed and len(heads) == len(claimed)
    return replace(group[0], heads=None if everywhere or not heads else heads, rows=rows or None)


def _mixed_axes(step: Step, name: str, axes: int) -> list[bool]:
    """For each axis of an operand, whether cells that differ in it may feed the same cell of the result.

    Cells that differ in an index letter of the result feed different cells, so they can be moved at once.
    """
    indices = [operand.index for operand in step.operands if operand.name == name]
    if len(indices) == 1 and len(indices[0]) == axes:
        return [letter not in step.index for letter in indices[0]]
    return [True] * axes
