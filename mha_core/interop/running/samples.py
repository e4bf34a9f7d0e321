"""Which of the axes before tokens and columns are samples, and which are heads.

four axes     samples × heads, unless only the second axis is as long as the batch
three axes    samples · heads, folded by a view that was watched; or samples of one head, or heads of one sample
more          the first axes whose product is the batch are samples; the rest is heads where no other axis is left, as
              each query is a token of the input

The number of samples comes from the caller, or from the first input. If there are as many heads as samples, it does
not show their order; a run on changed inputs does. What cannot be decided is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Final, NamedTuple

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.running.call import Call
from mha_core.interop.running.folds import Fold

_UNDECIDED: Final = N_(
    "samples and heads cannot be told apart in {lead} matrices; give the number of samples with batch="
)
_UNFIT: Final = N_("{lead} matrices cannot be {samples} samples, as batch= says")
_UNDECIDED_AFTER_RUNS: Final = N_(
    "samples and heads cannot be told apart in {lead} matrices; their counts leave the "
    "order open, and a second run with one changed sample did not settle it"
)


class Split(NamedTuple):
    """How many samples and heads there are, and which come first; ``sure``: whether sizes and views prove it."""

    samples: int
    heads: int
    heads_first: bool
    sure: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """What is known about the number of samples: ``given`` by the caller, or the ``shape`` of the first input.

    ``floating``: whether the input is floating-point; with two axes it may then be rows of one sample, or a row of
    each.
    """

    given: int | None
    shape: Sequence[int]
    floating: bool

    @property
    def inferred(self) -> int | None:
        """The number of samples, from the first input alone; None if it does not show it."""
        if not self.shape or (self.floating and len(self.shape) == 2):
            return None
        return 1 if len(self.shape) == 1 else self.shape[0]

    def split(self, call: Call) -> Split:
        """Samples and heads in the axes before tokens and columns.

        Raises ``InteropError`` if they cannot be distinguished.
        """
        lead = call.outputs.shape[:-2]
        if call.layer and len(lead) == 2:
            return Split(*lead, heads_first=False, sure=True)
        grouped = _is_grouped(call) or self._has_all_tokens(call)
        sizes = self._sizes(lead, call.folds, grouped=grouped)
        if sizes is None and (sizes := self._by_second_run(call)):
            return Split(*sizes, sure=False)
        if sizes is None or (not self.given and self._is_one_token(call, *sizes)):
            raise _refusal(_UNFIT if self.given else _UNDECIDED, call.name, lead, self.given)
        return Split(*sizes, sure=1 in sizes[:2] or self._order_is_known(lead, call.folds, *sizes[:2]))

    def _by_second_run(self, call: Call) -> tuple[int, int, bool] | None:
        """Samples, heads and whether heads come first, as a second run may confirm: where only the second axis is as
        long as the batch, or one axis is a multiple of it and each query is a token of the input.
        """
        lead, samples = call.outputs.shape[:-2], self.inferred or 0
        if self.given or samples < 2:
            return None
        if len(lead) == 2 and lead[1] == samples:
            return samples, lead[0], True
        is_whole = len(lead) == 1 and lead[0] % samples == 0 and lead[0] > samples
        is_text = len(self.shape) == 2 + self.floating and call.outputs.shape[-2] == self.shape[1]
        return (samples, lead[0] // samples, False) if is_whole and is_text else None

    def _is_one_token(self, call: Call, samples: int, heads: int, heads_first: bool) -> bool:
        """Whether the axis may be samples of one token each, with tokens first, rather than heads of one sample."""
        return samples == 1 and heads_first and call.outputs.shape[-2] == 1 and heads in self.shape[1:2]

    def _has_all_tokens(self, call: Call) -> bool:
        """Whether, of more than two axes, none has windows or rows of tokens, as the queries are the whole input."""
        lead, n_q = call.outputs.shape[:-2], call.outputs.shape[-2]
        is_text = len(self.shape) == 2 + self.floating and len(lead) > 2
        return is_text and n_q == self.shape[1] and n_q not in lead[1:]

    def _order_is_known(self, lead: Sequence[int], folds: Sequence[Fold], samples: int, heads: int) -> bool:
        """Whether the order of these samples and heads, more than one each, follows from sizes and views.

        It does not if there are as many of both, if another axis is as long as the batch too, or if one axis has a
        fold that was not watched. The windows of a single sample follow from the view that made them.
        """
        if len(lead) > 2:
            return (self.given or self.inferred) not in lead[1:]
        if len(lead) == 2 and (self.given or self.inferred) == 1 and self._has_windows(lead, folds):
            return True
        return samples != heads and (len(lead) == 2 or any(prod(fold[:2]) == lead[0] for fold in folds))

    def _has_windows(self, lead: Sequence[int], folds: Sequence[Fold]) -> bool:
        """Whether the first axis is made of samples and their windows, by a view of the first axis, not of columns."""
        known = [self._unfolded(*fold) for fold in folds if prod(fold[:2]) == lead[0] and not fold[2]]
        return any(unfolded and not unfolded[2] for unfolded in known)

    def _sizes(
        self, lead: Sequence[int], folds: Sequence[Fold], *, grouped: bool = False
    ) -> tuple[int, int, bool] | None:
        """Samples, heads and whether heads come first; None if that is undecided.

        ``grouped``: all axes but the first are heads, since those along the last one share keys and values, or since
        the queries are all tokens of the input.
        """
        if len(lead) == 2:
            if self._has_windows(lead, folds):  # windows, one sample after the other, count as samples
                return lead[0], lead[1], False
            return self._two_axes(*lead)
        if grouped and not self.given and self.inferred == lead[0]:
            return lead[0], prod(lead[1:]), False
        known = [self._unfolded(*fold) for fold in folds if lead and prod(fold[:2]) == lead[0]]
        if len(lead) == 1 and known:
            return known[0]
        return self._one_axis(prod(lead)) if len(lead) < 2 else self._many_axes(lead)

    def _many_axes(self, lead: Sequence[int]) -> tuple[int, int, bool] | None:
        """More than two axes: the first whose product is the batch are samples; by default, all but the last."""
        known = self.given or self.inferred
        sizes = [prod(lead[:count]) for count in range(len(lead) + 1)]
        whole = known in sizes if self.given else known == sizes[-2]
        return (known, sizes[-1] // known, False) if known and whole else None

    def _two_axes(self, first: int, second: int) -> tuple[int, int, bool] | None:
        """Samples × heads, unless only the second axis is as long as the batch: heads × samples, or one sample."""
        known = self.given or self.inferred
        lone = self.inferred is None and bool(self.shape) and first != self.shape[0]  # rows of one sample
        if second == 1 and not self.given and (known == 1 or lone):
            return 1, first, True
        if first == known or (second != known and (not self.given or first % self.given == 0)):
            return first, second, False
        return (second, first, True) if second == self.given else None

    def _unfolded(self, first: int, second: int, axis: int) -> tuple[int, int, bool] | None:
        """The samples and heads that a view folded into one axis, if one of the two is as long as the batch."""
        if self.given and second == self.given != first:
            return second, first, True
        if first == 1 and not self.given:  # heads, and no axis of samples: not where there are several
            return (1, second, False) if self.inferred in (1, None) else None
        known = self.given or (*self.shape, *(0,) * 4)[axis]
        if first == known:
            return first, second, False
        return (
            (self.given, first * second // self.given, False)
            if self.given and first % self.given == 0
            else None
        )

    def _one_axis(self, size: int) -> tuple[int, int, bool] | None:
        """One axis without a known fold: samples of one head, or heads of one sample."""
        known = self.given or self.inferred
        if self.given and size % self.given == 0:
            return self.given, size // self.given, False
        if size == 1 or (size == known and not self.given):
            return size, 1, False
        alone = known == 1 or (known is None and bool(self.shape) and size != self.shape[0])
        return (1, size, False) if alone and not self.given else None


def _is_grouped(call: Call) -> bool:
    """Whether V has one matrix for all heads along the last axis before tokens and columns."""
    lead = call.outputs.shape[:-2]
    return len(lead) > 2 and call.v.dim() == len(lead) + 2 and call.v.shape[-3] == 1 < lead[-1]


def undecided(name: str, lead: Sequence[int]) -> InteropError:
    """The error where a second run has not shown the order either."""
    return _refusal(_UNDECIDED_AFTER_RUNS, name, lead)


def _refusal(sentence: str, name: str, lead: Sequence[int], samples: int | None = None) -> InteropError:
    return InteropError(sentence, place=name, lead=" × ".join(map(str, lead)), samples=samples)


def orders(call: Call, split: Split) -> tuple[bool, ...]:
    """Whether heads may come first: not if shared keys show the axis of heads, nor with more than two axes. Two axes of
    different lengths have one order alone.
    """
    lead, parts = call.outputs.shape[:-2], [call.v, *((call.scores.q, call.scores.k) if call.scores else ())]
    shared = any(part.dim() > 2 and part.shape[-3] not in (1, lead[-1]) for part in parts)
    if shared or len(lead) > 2:
        return (False,)
    return (split.heads_first,) if len(lead) == 2 and split.samples != split.heads else (False, True)


def four_axes(call: Call, split: Split) -> Call:
    """The same call with tensors of samples × heads × tokens × columns."""
    lead = call.outputs.shape[:-2]
    samples, heads, heads_first, _ = split
    if len(lead) == 2 and not heads_first:
        return call

    def separated(part: Tensor, *, of_scores: bool = False) -> Tensor:
        """``of_scores``: it has every head, or the same for all; keys and values may be shared by the last axis."""
        part = part.reshape(*(1,) * (len(lead) + 2 - part.dim()), *part.shape)
        is_whole = of_scores or heads_first or len(lead) < 2
        own_lead = lead if is_whole else (*lead[:-1], part.shape[-3])
        part = part.expand(*own_lead, *part.shape[-2:])
        if heads_first:
            return part.reshape(heads, samples, *part.shape[-2:]).transpose(0, 1)
        return part.reshape(samples, -1, *part.shape[-2:])

    scores = call.scores
    if scores is not None:
        mask, shows, sink, rows = (
            part if part is None else separated(part, of_scores=True)
            for part in (scores.mask, scores.shows, scores.sink, scores.rows)
        )
        q, k = separated(scores.q), separated(scores.k)
        scores = replace(scores, q=q, k=k, mask=mask, shows=shows, sink=sink, rows=rows)
    weights = None if call.weights is None else separated(call.weights)
    return replace(call, scores=scores, v=separated(call.v), outputs=separated(call.outputs), weights=weights)
