"""Scores that are known while a module runs: q · kᵀ · factor + mask, followed through what is done to them.

q · kᵀ → Scores(q, k);  scores · 2 → factor 2;  scores + mask → that mask;  30·tanh(scores ÷ 30) → softcap 30;
exp(scores) → not known any more
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from mha_core.example.model import NEG_INF

TIMES: Final = ("mul", "rmul", "imul", "multiply")
OVER: Final = ("div", "truediv", "itruediv", "divide", "true_divide")
PLUS: Final = ("add", "radd", "iadd")
MINUS: Final = ("sub", "isub")
SAME: Final = (
    "to",
    "type",
    "type_as",
    "float",
    "double",
    "half",
    "bfloat16",
    "contiguous",
    "clone",
    "detach",
)
VIEWS: Final = ("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze")
JOINS: Final = ("cat", "concat", "concatenate")
PER_CELL: Final = ("dropout", "masked_fill", "where", "nan_to_num", "clamp", "clip")
"""Functions of torch by name, without the underscores of operators and of in-place operations."""

HIDES: Final = -1000.0
"""A fill of this or less hides a pair: its exponential is 0."""


class Place(NamedTuple):
    """Where a run computes the numbers of a tensor.

    ``number``: the function, as ``Call.number``; ``part``: which of its results if there are several. ``is_operand``:
    the place is what the function is called with, its tensor ``part``, in which the numbers are times ``factor``.
    """

    number: tuple[int, ...]
    part: int | None
    shape: torch.Size
    is_operand: bool = False
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Scores:
    """Known scores: q·kᵀ·``factor`` + ``mask``; or ``mask`` is truth values, True = may attend.

    ``softcap``: a number c; instead of a score s = q·kᵀ·``factor`` it is c·tanh(s/c). ``sink``: one more column at the
    end, in softmax only; ``cut``: that column is cut off again. ``rows``: one more factor for each head or query.
    ``places``: where q and k were computed, without the plain factors, which ``factor`` has; ``operands``: what was
    multiplied. ``product``: the number of
    the product; ``beside``: tensors that are not computed from it, but are in the mask or in ``rows``. ``shows``: that
    part of the mask that does not depend on what the tokens are, so that it may show padding.
    """

    q: Tensor
    k: Tensor
    factor: float = 1.0
    mask: Tensor | None = None
    causal: bool = False
    softcap: float | None = None
    sink: Tensor | None = None
    cut: bool = False
    rows: Tensor | None = None
    places: tuple[Place, ...] = ()
    operands: tuple[Tensor, ...] = ()
    product: int = 0
    beside: tuple[Tensor, ...] = ()
    shows: Tensor | None = None

    @property
    def complete(self) -> bool:
        """Whether there is a column for each key and none besides."""
        return self.sink is None or self.cut


def scores_after(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any], scored: Tensor | None, scores: Scores
) -> Scores | None:
    """The scores after an operation; None if they are not known any more."""
    others = [part for part in (*args, *kwargs.values()) if part is not scored]
    other = others[0] if others else None
    first = bool(args) and args[0] is scored
    if name in SAME:
        return scores
    if name in JOINS:
        return _joined(scores, args, kwargs, scored)
    if name == "tanh" and first and scores.mask is None and scores.softcap is None and scores.sink is None:
        return replace(scores, softcap=1.0)
    if name in (*TIMES, *OVER) and (first or name in TIMES):
        over = name in OVER
        factor = plain_number(other)
        return _times_rows(scores, other, over=over) if factor is None else _times(scores, factor, over=over)
    if name in (*PLUS, *MINUS) and (first or name in PLUS) and "alpha" not in kwargs:
        return _plus(scores, other, minus=name in MINUS)
    if name == "masked_fill" and first and len(others) > 1:
        return _masked_fill(scores, others[0], plain_number(others[1]))
    if name == "where" and len(others) > 1:  # torch.where(allow, scores, fill)
        return (
            _masked_fill(scores, ~others[0], plain_number(others[1]))
            if others[0].dtype == torch.bool
            else None
        )
    return None


def _joined(
    scores: Scores, args: Sequence[Any], kwargs: Mapping[str, Any], scored: Tensor | None
) -> Scores | None:
    """The scores with a sink: one column that is joined to their last one."""
    parts, dim = args[0], kwargs.get("dim", args[1] if len(args) > 1 else 0)
    if scores.sink is not None or scored is None or len(parts) != 2 or parts[0] is not scored:
        return None
    is_column = dim in (-1, scored.dim() - 1) and parts[1].shape == (*scored.shape[:-1], 1)
    return replace(scores, sink=parts[1]) if is_column else None


def without_sink(scores: Scores, index: Any, weighted: Tensor, result: Tensor) -> Scores | None:
    """The scores of weights after a slice that leaves those of all keys, without the sink's; None after any other."""
    if scores.complete or result.shape != (*weighted.shape[:-1], weighted.shape[-1] - 1):
        return None
    last = index[-1] if isinstance(index, tuple) else None
    keeps_first = isinstance(last, slice) and last.start in (None, 0) and last.step in (None, 1)
    return replace(scores, cut=True) if keeps_first else None


def same_matrices(matrices: Tensor, result: Tensor) -> bool:
    """Whether the result has the same matrices, with the same rows and columns, under any leading axes."""
    return result.shape[-2:] == matrices.shape[-2:] and result.numel() == matrices.numel()


def with_axes_of(scores: Scores, scored: Tensor, result: Tensor) -> Scores:
    """The scores with the result's leading axes: samples and heads in one axis or in two."""
    if result.shape == scored.shape:
        return scores

    def reshaped(part: Tensor, *last: int) -> Tensor:
        return part.expand(*scored.shape[:-2], *last).reshape(*result.shape[:-2], *last)

    n_q, n_k = scores.q.shape[-2], scores.k.shape[-2]
    return replace(
        scores,
        sink=None if scores.sink is None else reshaped(scores.sink, n_q, 1),
        rows=None if scores.rows is None else reshaped(scores.rows, n_q, 1),
        q=reshaped(scores.q, *scores.q.shape[-2:]),
        k=reshaped(scores.k, *scores.k.shape[-2:]),
        mask=None if scores.mask is None else reshaped(scores.mask, n_q, n_k),
        shows=None if scores.shows is None else reshaped(scores.shows, n_q, n_k),
    )


def turned(scores: Scores, order: Sequence[int]) -> Scores | None:
    """The scores with their axes in this order; with queries and keys exchanged if the last two are.

    None unless the last two axes stay the last two.
    """
    axes = len(order)
    lead, last = tuple(order[:-2]), tuple(order[-2:])
    is_swapped = last == (axes - 1, axes - 2)
    if not is_swapped and last != (axes - 2, axes - 1):
        return None
    if is_swapped and not (scores.sink is None is scores.rows):
        return None

    def moved(part: Tensor) -> Tensor:
        if lead == tuple(range(axes - 2)):
            return part
        return part.reshape(*(1,) * (axes - part.dim()), *part.shape).permute(*lead, axes - 2, axes - 1)

    q, k = moved(scores.q), moved(scores.k)
    mask, shows = (
        part if part is None else moved(torch.atleast_2d(part))  # type: ignore[no-untyped-call]
        for part in (scores.mask, scores.shows)
    )
    if is_swapped:
        return replace(
            scores,
            q=k,
            k=q,
            mask=None if mask is None else mask.mT,
            shows=None if shows is None else shows.mT,
            places=scores.places[::-1],
            operands=scores.operands[::-1],
        )
    sink, rows = (part if part is None else moved(part) for part in (scores.sink, scores.rows))
    return replace(scores, q=q, k=k, mask=mask, shows=shows, sink=sink, rows=rows)


def _times_rows(scores: Scores, factors: Any, *, over: bool) -> Scores | None:
    """Scores with a factor for each head or each query, such as a temperature."""
    is_of_rows = isinstance(factors, Tensor) and factors.dim() > 1 and factors.shape[-1] == 1
    if (
        not is_of_rows
        or not factors.is_floating_point()
        or scores.softcap is not None
        or scores.sink is not None
    ):
        return None
    factors = 1 / factors if over else factors
    rows = factors if scores.rows is None else scores.rows * factors
    return replace(scores, rows=rows, mask=None if scores.mask is None else scores.mask * factors)


def _times(scores: Scores, factor: float, *, over: bool) -> Scores:
    factor = 1 / factor if over else factor
    return replace(
        scores,
        factor=scores.factor * factor,
        mask=None if scores.mask is None else scores.mask * factor,
        softcap=None if scores.softcap is None else scores.softcap * abs(factor),
        sink=None if scores.sink is None else scores.sink * factor,
    )


def _plus(scores: Scores, added: Any, *, minus: bool) -> Scores | None:
    if isinstance(added, Real) or not isinstance(added, Tensor):
        return scores if isinstance(added, Real) else None  # the same number for all pairs changes no weight
    if (
        scores.sink is not None
    ):  # the same number for a whole row, the sink among it, changes no weight either
        return scores if added.shape[-1:] == (1,) else None
    added = added if added.is_floating_point() else added.to(scores.q.dtype)  # integers are added too
    added = -added if minus else added
    return replace(scores, mask=added if scores.mask is None else scores.mask + added)


def _masked_fill(scores: Scores, hidden: Tensor, fill: float | None) -> Scores | None:
    if fill is None or fill > HIDES:
        return None
    added = torch.zeros_like(hidden, dtype=scores.q.dtype).masked_fill(hidden.bool(), NEG_INF)
    return _plus(scores, added, minus=False)


def plain_number(value: Any) -> float | None:
    """A plain number, or a tensor of one; None for anything else, 0 and NaN."""
    if isinstance(value, Tensor) and value.numel() != 1:
        return None
    if isinstance(value, bool) or not isinstance(value, Real | Tensor):
        return None
    number = float(value)
    return number if number and number == number else None  # NaN alone differs from itself
