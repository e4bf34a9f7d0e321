"""Samples and heads told apart, in the axes that come before tokens and columns.

four axes     samples × heads, unless the batch is as long as the second of them alone
three axes    samples · heads, folded by a view that was seen; or samples of one head, or heads of one sample
more          as many of the first as make the batch are samples

How many samples there are is said by the caller, or by the first input. Where there are as many heads as samples, that
says nothing of their order: it is found by a run on changed inputs. What stays open is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Final, NamedTuple

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.watch import Call, Fold

_UNSAID: Final = N_(
    "samples and heads cannot be told apart in {lead} matrices: say how many samples there are with batch="
)
_UNTOLD: Final = N_(
    "samples and heads cannot be told apart in {lead} matrices: their numbers leave the order open, and a second run "
    "with one sample changed did not show it"
)


class Split(NamedTuple):
    """How many samples and heads there are, and which come first; ``sure``: whether sizes and views say so."""

    samples: int
    heads: int
    heads_first: bool
    sure: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """What is known of the number of samples: ``given`` by the caller, or the ``shape`` of the first input.

    ``floating``: whether that holds numbers; of two axes it may then be rows of one sample, or a row of each.
    """

    given: int | None
    shape: Sequence[int]
    floating: bool

    @property
    def seen(self) -> int | None:
        """The number of samples, by the first input alone; None where that does not say it."""
        if not self.shape or (self.floating and len(self.shape) == 2):
            return None
        return 1 if len(self.shape) == 1 else self.shape[0]

    def split(self, call: Call) -> Split:
        """Samples and heads in the axes before tokens and columns.

        Raises ``InteropError`` where they cannot be told apart.
        """
        lead = call.outputs.shape[:-2]
        if call.layer and len(lead) == 2:
            return Split(*lead, heads_first=False, sure=True)
        found = self._sizes(lead, call.folds)
        if found is None or (not self.given and self._one_token(call, *found)):
            raise _refusal(_UNSAID, call.name, lead)
        return Split(*found, sure=1 in found[:2] or self._says(lead, call.folds, *found[:2]))

    def _one_token(self, call: Call, samples: int, heads: int, heads_first: bool) -> bool:
        """Whether what looks like heads of one sample may be one token of each sample, where tokens come first."""
        return samples == 1 and heads_first and call.outputs.shape[-2] == 1 and heads in self.shape[1:2]

    def _says(self, lead: Sequence[int], folds: Sequence[Fold], samples: int, heads: int) -> bool:
        """Whether the order of so many samples and heads, more than one each, follows from what is known.

        It does not where there are as many of both. Neither does it where another axis too is as long as the batch,
        nor for one axis whose fold was not seen. The windows of a single sample follow from the view that made them.
        """
        if len(lead) > 2:
            return (self.given or self.seen) not in lead[1:]
        if len(lead) == 2 and (self.given or self.seen) == 1 and self._windows(lead, folds):
            return True
        return samples != heads and (len(lead) == 2 or any(prod(fold[:2]) == lead[0] for fold in folds))

    def _windows(self, lead: Sequence[int], folds: Sequence[Fold]) -> bool:
        """Whether the first axis was made of samples and their windows: by a view of a first axis, not of columns."""
        known = [self._unfolded(*fold) for fold in folds if prod(fold[:2]) == lead[0] and not fold[2]]
        return any(one and not one[2] for one in known)

    def _sizes(self, lead: Sequence[int], folds: Sequence[Fold]) -> tuple[int, int, bool] | None:
        """Samples, heads and whether heads come first; None where that is not decided."""
        if len(lead) == 2:
            if self._windows(lead, folds):  # one sample's after another's, they are samples too
                return lead[0], lead[1], False
            return self._order(*lead)
        known = [self._unfolded(*fold) for fold in folds if lead and prod(fold[:2]) == lead[0]]
        if len(lead) == 1 and known:
            return known[0]
        return self._alone(prod(lead)) if len(lead) < 2 else self._several(lead)

    def _several(self, lead: Sequence[int]) -> tuple[int, int, bool] | None:
        """More than two axes: as many of the first are samples as make the batch; unsaid, all but the last."""
        known = self.given or self.seen
        sizes = [prod(lead[:at]) for at in range(len(lead) + 1)]
        whole = known in sizes if self.given else known == sizes[-2]
        return (known, sizes[-1] // known, False) if known and whole else None

    def _order(self, first: int, second: int) -> tuple[int, int, bool] | None:
        """Samples × heads, unless only the second axis is as long as the batch: then said, or one sample."""
        known = self.given or self.seen
        lone = self.seen is None and bool(self.shape) and first != self.shape[0]  # rows of one sample
        if second == 1 and not self.given and (known == 1 or lone):
            return 1, first, True
        if first == known or (second != known and (not self.given or first % self.given == 0)):
            return first, second, False
        return (second, first, True) if second == self.given else None

    def _unfolded(self, first: int, second: int, axis: int) -> tuple[int, int, bool] | None:
        """What a view made one axis of, where one of the two is as long as the batch."""
        if self.given and second == self.given != first:
            return second, first, True
        if first == 1 and not self.given:  # heads, and no axis of samples: not where there are several
            return (1, second, False) if self.seen in (1, None) else None
        known = self.given or (*self.shape, *(0,) * 4)[axis]
        if first == known:
            return first, second, False
        return (
            (self.given, first * second // self.given, False)
            if self.given and first % self.given == 0
            else None
        )

    def _alone(self, size: int) -> tuple[int, int, bool] | None:
        """One axis, of which nothing is known: samples of one head, or heads of one sample."""
        known = self.given or self.seen
        if self.given and size % self.given == 0:
            return self.given, size // self.given, False
        if size == 1 or (size == known and not self.given):
            return size, 1, False
        alone = known == 1 or (known is None and bool(self.shape) and size != self.shape[0])
        return (1, size, False) if alone and not self.given else None


def untold(name: str, lead: Sequence[int]) -> InteropError:
    """That not even a second run has shown the order."""
    return _refusal(_UNTOLD, name, lead)


def _refusal(sentence: str, name: str, lead: Sequence[int]) -> InteropError:
    return InteropError(sentence, place=name, lead=" × ".join(map(str, lead)))


def orders(call: Call) -> tuple[bool, ...]:
    """Whether heads may come first: not where a key of several heads says which axis is theirs, nor in many axes."""
    lead, parts = call.outputs.shape[:-2], [call.v, *((call.scores.q, call.scores.k) if call.scores else ())]
    shared = any(part.dim() > 2 and part.shape[-3] not in (1, lead[-1]) for part in parts)
    return (False,) if shared or len(lead) > 2 else (False, True)


def four_axes(call: Call, split: Split) -> Call:
    """The same call with tensors of samples × heads × tokens × columns."""
    lead = call.outputs.shape[:-2]
    samples, heads, turned, _ = split
    if len(lead) == 2 and not turned:
        return call

    def apart(part: Tensor) -> Tensor:
        part = part.reshape(*(1,) * (len(lead) + 2 - part.dim()), *part.shape)
        own = lead if turned or len(lead) < 2 else (*lead[:-1], part.shape[-3])
        part = part.expand(*own, *part.shape[-2:])
        if turned:
            return part.reshape(heads, samples, *part.shape[-2:]).transpose(0, 1)
        return part.reshape(samples, -1, *part.shape[-2:])

    scores = call.scores
    if scores is not None:
        mask = None if scores.mask is None else apart(scores.mask)
        scores = replace(scores, q=apart(scores.q), k=apart(scores.k), mask=mask)
    weights = None if call.weights is None else apart(call.weights)
    return replace(call, scores=scores, v=apart(call.v), outputs=apart(call.outputs), weights=weights)
