"""Following scores from a product to a softmax, and from there as weights to the product with V.

Through factors, masks, other orders of axes and changes of dtype the scores stay known; after anything else only the
weights and V are known. A product is matmul, bmm or einsum. After softmax a slice or a concatenation is followed too,
and with other orders of axes the axis along which softmax ran: it must be that of the keys. If another operation takes
the result of softmax, its name is reported, so that an error can say why no attention was seen. Weights that multiply a
parameter of the module are a gate, not attention, and those of columns are not attention between tokens
(``columns.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from mha_core.interop.running.call import refuse_dropout
from mha_core.interop.running.columns import Columns
from mha_core.interop.running.einsum import arranged, letters_of, queries_at, values_order
from mha_core.interop.running.functions import (
    TURNS,
    Operation,
    given,
    is_like_weights,
    keeps_rows,
    order_of,
    tensors_among,
)
from mha_core.interop.running.origins import Origins
from mha_core.interop.running.scores import (
    JOINS,
    MINUS,
    OVER,
    PER_CELL,
    PLUS,
    SAME,
    TIMES,
    VIEWS,
    Scores,
    same_matrices,
    scores_after,
    turned,
    with_axes_of,
    without_sink,
)
from mha_core.interop.running.sides import Sources
from mha_core.interop.running.uses import Roots

Value = TypeVar("Value")

_PRODUCTS: Final = ("matmul", "bmm", "baddbmm")
_PARTS: Final = ("split", "split_with_sizes", "tensor_split", "chunk")
_PROJECTIONS: Final = ("linear", "addmm", "conv1d", "conv2d", "conv3d")
_SOFTMAX_LIKE: Final = ("log_softmax", "softmin")
"""Functions of scores whose result is not followed."""
_CELL_WISE: Final = (*SAME, *VIEWS, *TIMES, *OVER, *PLUS, *MINUS, *PER_CELL)
"""Functions of torch by name, without the underscores of operators and of in-place operations."""

_Known: TypeAlias = MutableMapping[Tensor, Value]
"""What is known about tensors, as long as they live."""


def _known() -> Any:
    return WeakTensorKeyDictionary()


class _Weights(NamedTuple):
    """The result of a softmax: its scores if they are known, and its axes of queries and keys, counted from the end.

    ``roots``: the softmaxes that it comes from, by their number. ``scored``: whether it began as a product of two
    tensors, as attention does. ``turn``: why that axis may not be the last: the softmax itself, or the function that
    put its axes into another order. ``of_tokens``: that product had no columns, so that nothing added to it has.
    ``product``: its number. ``after``: the first function after softmax that may have changed weights.
    """

    scores: Scores | None
    queries: int
    keys: int
    scored: bool
    turn: str = ""
    of_tokens: bool = False
    product: int = 0
    after: str = ""
    roots: Roots = frozenset()


class Values(NamedTuple):
    """V as a product is called with it: the tensor, which one of the function's tensors it is, and how its axes become
    … × tokens × columns.
    """

    tensor: Tensor
    operand: int
    arranged: Callable[[Tensor], Tensor] = lambda tensor: tensor


class Report(Protocol):
    """What is called with an attention; ``of``: the tensors whose folds tell samples from heads.

    ``after``: the function after softmax because of which the scores are not known.
    """

    def __call__(
        self,
        scores: Scores | None,
        values: Values,
        outputs: Tensor,
        weights: Tensor | None,
        *,
        of: Sequence[Tensor],
        result: Tensor,
        after: str = "",
        roots: Roots = frozenset(),
    ) -> None:
        """Report an attention."""


class Lose(Protocol):
    """What is called with the operation after which a softmax is not followed, why, and whether it was of scores."""

    def __call__(self, operation: str, why: str = "other", *, scored: bool = False) -> None:
        """Record what was lost."""


class Following:
    """What is known of the tensors of a run about scores and weights. It reports attentions, and softmaxes it loses."""

    def __init__(
        self, columns: Columns, origins: Origins, sources: Sources, report: Report, lose: Lose
    ) -> None:
        self._columns = columns
        self._origins = origins
        self._sources = sources
        self._report = report
        self._lose = lose
        self._scores: _Known[Scores] = _known()
        self._scored: _Known[bool] = (
            _known()
        )  # whatever was done to scores cell by cell: whether they are of tokens
        self._weights: _Known[_Weights] = _known()
        self._softmaxes = 0

    def roots(self, tensor: Tensor) -> Roots:
        """The softmaxes that a tensor is the weights of; none if it is no weights."""
        known = self._weights.get(tensor)
        return known.roots if known else frozenset()

    def follow(self, operation: Operation, result: Tensor) -> None:
        """Follow a function that returned a tensor."""
        _, name, args, kwargs = operation
        tensors = list(tensors_among(args, kwargs))
        weighted = next((tensor for tensor in tensors if tensor in self._weights), None)
        if name in _PRODUCTS:
            self._product(name, tensors, kwargs, result, weighted)
        elif name == "einsum":
            self._einsum(args[0], tensors, result, weighted)
        elif name == "softmax":
            self._softmax(given(args, kwargs, 1, "dim"), tensors[0], result)
        elif name in _SOFTMAX_LIKE and tensors[0] in self._scores:
            self._lose(name, "scores", scored=True)
        elif weighted is not None:
            self._after_softmax(operation, weighted, result)
        else:
            self._follow_scores(operation, result)

    def _softmax(self, dim: int | None, of: Tensor, result: Tensor) -> None:
        """The product with V shows whether the softmax ran along the axis of the keys."""
        keys = -1 if dim is None else dim if dim < 0 else dim - result.dim()
        turn = "" if keys == -1 else f"softmax(dim={dim})"
        scores = self._scores.get(of)
        self._softmaxes += 1
        self._weights[result] = _Weights(
            scores,
            -1 if keys == -2 else -2,
            keys,
            of in self._scored,
            turn,
            self._scored.get(of, False),
            self._origins.latest(of) if scores is None else scores.product,
            roots=frozenset({self._softmaxes}),
        )
        self._lose("", "")

    def _after_softmax(self, operation: Operation, weighted: Tensor, result: Tensor) -> None:
        """Scores stay known if each weight keeps its row, its column and its number, whatever the scores are; after a
        slice or a join only weights are known.
        """
        _, name, args, kwargs = operation
        roots = frozenset().union(*map(self.roots, tensors_among(args, kwargs)))
        known = self._weights[weighted]._replace(roots=roots)
        scores = known.scores
        if name == "dropout":
            refuse_dropout(args, kwargs)
        if name in TURNS:
            order = order_of(operation, weighted.dim())
            queries, keys = (order.index(axis + len(order)) - len(order) for axis in known[1:3])
            after = scores and turned(scores, order)
            self._weights[result] = known._replace(scores=after, queries=queries, keys=keys, turn=name)
        elif name in _CELL_WISE and not self._keeps_weights(operation, weighted, result, known.product):
            self._weights[result] = known._replace(scores=None, after=known.after or name)
        elif name in _CELL_WISE and same_matrices(weighted, result) and known.keys >= -2:
            self._weights[result] = known._replace(scores=scores and with_axes_of(scores, weighted, result))
        elif name in _CELL_WISE and result.shape == weighted.shape:
            self._weights[result] = known
        elif name == "getitem" and keeps_rows(args[1], weighted.dim()):
            is_last = known.keys == -1
            cut = scores and without_sink(scores, args[1], weighted, result) if is_last else None
            self._weights[result] = known._replace(scores=cut)
        elif name in (*JOINS, "narrow") or (name == "linear" and -1 not in known[1:3]):
            self._weights[result] = known._replace(scores=None, after=known.after or name)
        else:
            self._lose(name, scored=scores is not None)

    def _keeps_weights(self, operation: Operation, weighted: Tensor, result: Tensor, product: int) -> bool:
        """Whether weights stay as they are, whatever the scores are: by what the function does, not by these numbers.

        A mask that does not depend on the scores is one of this run, as before softmax: there the numbers decide.
        """
        _, name, args, kwargs = operation
        if name in (*SAME, *VIEWS, "dropout", "nan_to_num"):
            return True
        others = [part for part in tensors_among(args, kwargs) if part is not weighted]
        if name in ("clamp", "clip"):
            least, most = given(args, kwargs, 1, "min"), given(args, kwargs, 2, "max")
            is_wide = (least is None or least <= 0) and (most is None or most >= 1)
            return not others and bool(is_wide)
        is_apart = all(self._origins.latest(part) < product for part in others)
        return is_apart and torch.equal(result.nan_to_num(), weighted.nan_to_num().reshape(result.shape))

    def split(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], results: Sequence[Any]
    ) -> None:
        """Follow the result of a softmax that is split into parts."""
        weighted = next((part for part in tensors_among(args, kwargs) if part in self._weights), None)
        if weighted is not None:
            if name in _PARTS:
                known = self._weights[weighted]
                known = known._replace(scores=None, after=known.after or name)
                self._weights.update((part, known) for part in results)
            else:
                self._lose(name)

    def _follow_scores(self, operation: Operation, result: Tensor) -> None:
        """Follow scores from a product to softmax."""
        _, name, args, _ = operation
        among = list(tensors_among(args, {}))
        scored_parts = [part for part in among if part in self._scored and part.numel() == result.numel()]
        if name not in _PROJECTIONS and scored_parts:
            self._scored[result] = any(self._scored[part] for part in scored_parts)
        scored = next((part for part in among if part in self._scores), None)
        if scored is not None:
            after = self._scores_after(operation, scored, result)
            self._scores.pop(result, None)  # an in-place operation returns its argument
            if after is not None:
                self._scores[result] = after

    def _scores_after(self, operation: Operation, scored: Tensor, result: Tensor) -> Scores | None:
        """The scores after a function; what is added to them shows padding unless it depends on what the tokens are."""
        _, name, args, kwargs = operation
        known = self._scores[scored]
        if name in TURNS:
            return turned(known, order_of(operation, scored.dim()))
        if name in VIEWS and same_matrices(scored, result):
            return with_axes_of(known, scored, result)
        after = scores_after(name, args, kwargs, scored, known)
        others = [part for part in tensors_among(args, kwargs) if part is not scored]
        beside = [part for part in others if self._origins.latest(part) < known.product]
        shown: Scores | None = known
        if len(beside) == len(others) and not any(map(self._sources.is_content, others)):
            shown = scores_after(name, args, kwargs, scored, replace(known, mask=known.shows))
            shown = shown and replace(shown, shows=shown.mask)
        if after is None or shown is None:
            return None
        return replace(after, beside=(*after.beside, *beside), shows=shown.shows)

    def _product(
        self,
        name: str,
        tensors: Sequence[Tensor],
        kwargs: Mapping[str, Any],
        result: Tensor,
        weighted: Tensor | None,
    ) -> None:
        """Weights times values complete an attention; any other product may start one."""
        if weighted is not None:
            self._weighted_product(name, tensors, result, weighted)
            return
        added, factor, count = None, 1.0, len(tensors)
        if name == "baddbmm":
            added, *tensors = tensors
            beta, factor = kwargs.get("beta", 1), float(kwargs.get("alpha", 1))
            added = added * beta if beta else None  # with beta = 0 it may hold anything
        left, right = tensors[:2]
        if min(left.dim(), right.dim()) > 1:
            self._hint(name, left, right)
            q, of_q, at_q = self._origins.of(left, count - 2)
            k, of_k, at_k = self._origins.of(right, count - 1)
            scores = Scores(q, k.mT, of_q * of_k * factor, added, places=(at_q, at_k), operands=(left, right))
            self._start(result, scores, (left, right), () if added is None else (added,))

    def _hint(self, name: str, left: Tensor, right: Tensor) -> None:
        """Lose a product whose left factor has rows like weights that no softmax gave; its first row comes first."""
        if (
            any(self._columns.is_parameter(part) for part in (left, right))
            or left.dim() < 3
            or not left.numel()
        ):
            return
        if is_like_weights(left[(0,) * (left.dim() - 1)]) and is_like_weights(left):
            self._lose(name, "rows", scored=True)

    def _start(
        self, result: Tensor, scores: Scores, of: tuple[Tensor, Tensor], beside: tuple[Tensor, ...] = ()
    ) -> None:
        """A product may be scores; that of a tensor and a parameter is a projection as well."""
        shows = None if scores.mask is None or any(map(self._sources.is_content, beside)) else scores.mask
        product = self._origins.product(result)
        self._scores[result] = replace(scores, product=product, beside=beside, shows=shows)
        if not any(self._columns.is_parameter(part) for part in of):
            self._scored[result] = self._is_of_tokens(result)

    def _is_of_tokens(self, product: Tensor) -> bool:
        return self._columns.of(product).isdisjoint((-1, -2))

    def _weighted_product(
        self, name: str, tensors: Sequence[Tensor], result: Tensor, weighted: Tensor
    ) -> None:
        """weights · V, or Vᵀ · weightsᵀ. The softmax must have run along the axis that the product sums over."""
        known = self._weights[weighted]
        left, right = tensors[:2]
        if name == "baddbmm" or min(left.dim(), right.dim()) < 2 or (left is not weighted is not right):
            self._lose(name)
        elif known[1:3] != ((-2, -1) if weighted is left else (-1, -2)):
            self._lose(known.turn or name, scored=known.scored)
        elif self._is_attention(right if weighted is left else left, weighted, *known[1:3]):
            if weighted is left:
                self._report(
                    known.scores,
                    Values(right, 1),
                    result,
                    weighted,
                    of=(right, weighted),
                    result=result,
                    after=known.after,
                    roots=known.roots,
                )
                return
            swapped = (*range(weighted.dim() - 2), weighted.dim() - 1, weighted.dim() - 2)
            scores = known.scores and turned(known.scores, swapped)
            self._report(
                scores,
                Values(left, 0, lambda tensor: tensor.mT),
                result.mT,
                weighted.mT,
                of=(left, weighted),
                result=result,
                after=known.after,
                roots=known.roots,
            )

    def _einsum(
        self, equation: Any, tensors: Sequence[Tensor], result: Tensor, weighted: Tensor | None
    ) -> None:
        """The same two products, recognised by their letters."""
        letters = letters_of(equation, tensors) if len(tensors) == 2 else None
        if weighted is None and letters:
            self._hint("einsum", *tensors)
        if weighted is not None:
            self._weighted_einsum(letters, tensors, result, weighted)
        elif letters and (position := queries_at(letters)) is not None:
            *lead, query, key = letters[2]
            (column,) = set(letters[0]) - set(letters[2])
            left, right = tensors[position], tensors[1 - position]
            q, of_q, at_q = self._origins.of(left, position)
            k, of_k, at_k = self._origins.of(right, 1 - position)
            scores = Scores(
                arranged(q, letters[position], (*lead, query, column)),
                arranged(k, letters[1 - position], (*lead, key, column)),
                of_q * of_k,
                places=(at_q, at_k),
                operands=(left, right),
            )
            self._start(result, scores, (left, right))
        elif letters and not any(self._columns.is_parameter(part) for part in tensors):
            self._scored[result] = self._is_of_tokens(result)
            self._origins.product(result)

    def _weighted_einsum(
        self, letters: Any, tensors: Sequence[Tensor], result: Tensor, weighted: Tensor
    ) -> None:
        known = self._weights[weighted]
        first = 0 if weighted is tensors[0] else 1
        if not letters:
            self._lose("einsum")
            return
        own, other, out = letters[first], letters[1 - first], letters[2]
        values, key = tensors[1 - first], own[known.keys]
        order = values_order(own, other, out, key)
        if order:
            *lead, query, _, column = order
            if not self._is_attention(values, weighted, known.keys, own.index(query) - len(own)):
                return
            matrices = (*lead, query, key)
            self._report(
                known.scores and turned(known.scores, [own.index(letter) for letter in matrices]),
                Values(values, 1 - first, lambda tensor: arranged(tensor, other, (*lead, key, column))),
                arranged(result, out, (*lead, query, column)),
                arranged(weighted, own, matrices),
                of=(weighted, values),
                result=result,
                after=known.after,
                roots=known.roots,
            )
        elif {key, own[known.queries]} <= {*out} - {*other}:  # heads are mixed, as in talking heads
            self._weights[result] = known._replace(
                scores=None, queries=out.index(own[known.queries]) - len(out), keys=out.index(key) - len(out)
            )
        else:
            self._lose("einsum")

    def _is_attention(self, values: Tensor, weighted: Tensor, *axes: int) -> bool:
        """Whether values come from tokens, and neither axis of the weights is the columns of a projection."""
        if self._columns.is_parameter(values):
            self._lose("matmul", "gate")
        elif self._columns.of(weighted).intersection(axes) and not self._weights[weighted].of_tokens:
            self._lose("softmax", "columns", scored=True)
        elif values in self._weights:
            self._lose("matmul", scored=self._weights[weighted].scored)
        else:
            return True
        return False
