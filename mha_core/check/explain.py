"""What explains the own errors of a step: known mistakes, rounding on the way, single rows, and slips of the pen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import torch
from torch import Tensor

from mha_core.check.catalogue import EVERY_MISTAKE, ROUNDED_EARLY
from mha_core.check.digits import gives_all, not_rounded, rounds_to
from mha_core.check.outcome import Cause
from mha_core.check.search import Family, Rounding, Search
from mha_core.check.slip_search import SlipMatch, made_alike, slips_besides, slips_in
from mha_core.check.transcription import EXCHANGED, exchanged
from mha_core.compute.derive import Cell
from mha_core.compute.printed import Key, Printed
from mha_core.vocabulary import COMPUTED, STEPS

_MOST_CELLS: Final = 600
"""The largest matrix, in cells, for which pairs of mistakes, rounding on the way and the same slip in several rows are
tried; larger ones are searched for single mistakes only.
"""
_LEAST_EVIDENCE: Final = 3
"""How many wrong cells are needed to blame two mistakes at once."""
_MOST_SLIPS: Final = 2
"""How many rows of a matrix may each have a different slip; with more of them, slips explain too much."""
_MOST_NAMED: Final = 3
"""How many causes of a row are named; if more of them fit, nobody can say which it was."""
_MADE_IN_ROWS: Final = frozenset(mistake.id for mistake in EVERY_MISTAKE if mistake.by_row)


class Explanations:
    """The causes that were found so far, step by step."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.causes: dict[str, list[Cause]] = {name: [] for name in COMPUTED}
        self.unexplained: set[str] = set()
        self.undecided: set[str] = set()
        """Steps with errors that have too many explanations."""

    def of(self, name: str, heads: list[int | None]) -> tuple[Cause, ...]:
        """The causes of a step, merged; ``heads``: those of which it was given."""
        return _merged(self.causes[name], heads)

    def explain(self, key: Key, claim: Printed, own: Tensor, best: Tensor) -> Tensor:
        """Blame what explains the own errors of one matrix; returns the author's numbers under that explanation."""
        rounded = self._explain_by_rounding(key, claim, own)
        if rounded is not None and (int(own.any(-1).sum()) > 1 or self._rounded_as_printed(key, claim)):
            return rounded
        slipped: dict[int, list[SlipMatch]] = {}
        if own.any(-1).sum() <= _MOST_SLIPS and not (not_rounded(claim, best) & ~own).any():
            slipped = slips_in(self.search, key, claim, own, best)
        swapped = exchanged(claim, best, own)
        if swapped:
            self.blame(key, (EXCHANGED,), own)
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
                slips = self.causes[key[0]]
                # one wrong number is little evidence about a whole matrix: slips first
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
        self.blame(key, (ROUNDED_EARLY,), own, rounded=tuple(rounding for rounding, _ in least))
        return least[0][1][0]

    def rounds_on_the_way(self, key: Key, claim: Printed) -> Tensor:
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
            self.blame(key, tuple(label for label, _ in family.blames[n]), own, heads=heads or None)
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
            self.blame(key, tuple(label for label, _ in family.blames[n]), own & ~left[n][:, None])
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
            self.blame(key, (label,), own, rows=rows)

    def blame(
        self,
        key: Key,
        ids: tuple[str, ...],
        own: Tensor,
        heads: tuple[int, ...] | None = None,
        rows: tuple[int, ...] | None = None,
        rounded: tuple[Rounding, ...] = (),
    ) -> None:
        """Name what explains the errors in ``own``."""
        name, head = key
        i, j = (own if rows is None else own & _row_mask(rows, own)).nonzero()[0].tolist()
        blamed_heads = heads if head is None else (head,)
        self.causes[name].append(Cause(ids, Cell(name, head, i, j), blamed_heads, rows, rounded=rounded))


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
