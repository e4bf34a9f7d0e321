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
from dataclasses import replace
from itertools import repeat
from typing import Final, get_args

import torch
from torch import Tensor

from mha_core.check.catalogue import PROJECTIONS, ROUNDED_EARLY, W_IN_COLUMNS
from mha_core.check.constant import as_constants, counts_as_hidden
from mha_core.check.digits import is_coarse, is_nearly, needs_float32, not_rounded, rounds_to
from mha_core.check.explain import Explanations
from mha_core.check.float32 import Float32Error
from mha_core.check.lost_digits import LostDigits
from mha_core.check.outcome import Cause, Checked, Kind, Verdict, WrongCell
from mha_core.check.search import Family, Search
from mha_core.compute.derive import Cell
from mha_core.compute.device import Backend
from mha_core.compute.printed import Key, Printed, claimed
from mha_core.compute.trace import Trace, trace
from mha_core.example.model import Example, mask_matrix
from mha_core.vocabulary import COMPUTED, HIDES

_CPU: Final = Backend("cpu", "float64")
_MOST_ALTERNATIVES: Final = 6


def check(example: Example) -> Verdict:
    """Check ``example.claimed`` against the computation, in float64.

    The rule for wrong cells: a printed number may be off by one unit of its last digit, which allows for rounding and
    for truncation; where neither gives it, it is nearly right. It may be off by more if float32 arithmetic of the same
    steps is, plus half a unit. A whole number that is not the rounded value is doubtful, and wrong if the value is
    whole too. One that is the rounded value is coarse where rounding has moved it, or another number of its row, by
    more than a tenth of its matrix's largest number.
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
        self.explanations = Explanations(self.search)
        self.lost_digits = LostDigits(self.search, self.explanations.unexplained)
        self.throughout: dict[str, dict[Key, Tensor]] = {}
        """Single mistakes that give every claim if all later steps are right, with the numbers under each."""
        self.found: dict[Kind, dict[str, list[WrongCell]]] = {
            kind: {name: [] for name in COMPUTED} for kind in get_args(Kind)
        }

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
        self.found["constant"][key[0]] += self._cells(key, exact, finite, torch.zeros_like(hides))
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
            causes=self.explanations.of(name, [head for _, head in claims]),
            unexplained=name in self.explanations.unexplained,
            undecided=name in self.explanations.undecided,
            **{kind: tuple(cells[name]) for kind, cells in self.found.items()},
        )

    def _name_throughout(self) -> None:
        """Blame the mistakes that reproduce everything, at the first wrong step."""
        name = next((name for name, cells in self.found["wrong"].items() if cells), None)
        if name is None or name in self.explanations.undecided:
            return
        named = {cause.ids for causes in self.explanations.causes.values() for cause in causes}
        new = [label for label in self.throughout if (label,) not in named]
        first_of_head = {wrong.cell.head: wrong.cell for wrong in reversed(self.found["wrong"][name])}
        for cell in first_of_head.values():
            heads = None if cell.head is None else (cell.head,)
            self.explanations.causes[name] += [Cause((label,), cell, heads) for label in new]
        if new:
            self.explanations.unexplained.discard(name)

    # --- one matrix ------------------------------------------------------------------------------------------------

    def _judge(self, key: Key, exact: Tensor) -> None:
        claim = self.claims[key]
        right = claim.fits(exact)
        wrong = claim.given & ~right
        plain = self.search.family(key, most=0)
        fits = claim.fits(plain.values)
        own = wrong & ~fits.any(0)
        if own.any():
            own &= ~self.lost_digits.explain(key, claim, plain)
        doubtful = not_rounded(claim, exact) & ~wrong & ~rounds_to(plain.values, claim).any(0)
        if doubtful.any():
            slipped = (
                doubtful & (claim.unit == 1) & ((exact - exact.round()).abs() < 1e-9)
            )  # nothing to round
            wrong, own = wrong | slipped, own | slipped
            doubtful &= ~slipped & ~self.explanations.rounds_on_the_way(key, claim)
        if doubtful.sum() > 1 and self._mistake_gives_all(key, claim):  # one number is too little evidence
            wrong, own, doubtful = wrong | doubtful, own | doubtful, torch.zeros_like(doubtful)
        best = plain.values[int(fits.flatten(1).sum(1).argmax())]
        if own.any():
            best = self.explanations.explain(key, claim, own, best)
        elif wrong.any() and self._nothing_wrong_before(key):
            self.explanations.blame(key, (ROUNDED_EARLY,), wrong)
        self.found["wrong"][key[0]] += self._cells(key, exact, wrong, own)
        self.found["doubtful"][key[0]] += self._cells(key, exact, doubtful, doubtful)
        self._carry(key, claim, exact, best, plain)

    def _mistake_gives_all(self, key: Key, claim: Printed) -> bool:
        """Whether a known mistake gives every number of a matrix as it is printed, as 4/2 gives 2 in place of 4/√2."""
        if key not in self.search.steps:
            return False
        family = self.search.family(key, 1, claim.decimals)
        gives = (rounds_to(family.values, claim) | ~claim.given).flatten(1).all(1)
        return any(blame and gives[n] for n, blame in enumerate(family.blames))

    def _nothing_wrong_before(self, key: Key) -> bool:
        before = COMPUTED[: COMPUTED.index(key[0])]
        return not any(self.found["wrong"][name] or self.found["doubtful"][name] for name in before)

    def _record_right(self, key: Key, exact: Tensor) -> None:
        """Record the right cells that are rounded too coarsely, and those whose last digits are off."""
        claim = self.claims[key]
        marks: list[tuple[Kind, Tensor]] = [("coarse", is_coarse(claim, exact))]
        if isinstance(claim.float32_error, Tensor):  # else every number is the rounded one
            marks += [("nearly", is_nearly(claim, exact)), ("float32", needs_float32(claim, exact))]
        for kind, mask in marks:
            if mask.any():
                known = {cell.cell for cell in self.found["wrong"][key[0]] + self.found["doubtful"][key[0]]}
                cells = self._cells(key, exact, mask, torch.zeros_like(mask))
                self.found[kind][key[0]] += [cell for cell in cells if cell.cell not in known]

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
        self.lost_digits.carried(key, claim, exact, best)


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
