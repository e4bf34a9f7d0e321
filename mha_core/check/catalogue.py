"""The catalogue of classical mistakes: each is a change to one declared step.

``CATALOGUE`` lists them, simplest first. To add one, write what it computes instead of the step and add an entry;
the search, the messages, the report and the confusion table find it there. What it computes takes an ``At``: the
step with its operands, from which ``At.run`` computes the step as it ought to be, with whatever is changed.
Numbers come in batches, B × rows × columns, because the search tries many at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from math import sqrt
from typing import Final, TypeAlias

import torch
from torch import Tensor

from mha_core.check.constant import far_below
from mha_core.check.slips import SLIPS
from mha_core.check.transcription import EXCHANGED
from mha_core.compute.graph import graph, symbol
from mha_core.compute.operations import Operand, Step
from mha_core.compute.trace import operate
from mha_core.errors import N_
from mha_core.example.model import NEG_INF, Dims, Example, divisor, mask_fill
from mha_core.vocabulary import HIDES, SCORE_STEPS

Look: TypeAlias = Callable[[str, "int | None"], "Tensor | None"]
"""A matrix of the example or a step's numbers by name and head, 1 × rows × columns; None where there is none."""


@dataclass(frozen=True, slots=True)
class At:
    """One declared step of one head (``head`` None: of the layer), and what a mistake may reach for instead.

    ``tensors``: the operands by name, each B × rows × columns (concat: head_outputs as B × h × rows × columns).
    ``look`` finds any other matrix.
    """

    step: Step
    head: int | None
    tensors: Mapping[str, Tensor]
    example: Example
    dims: Dims
    look: Look

    def run(
        self,
        *operands: Operand,
        numbers: Mapping[str, Tensor] | None = None,
    ) -> Tensor:
        """The step, with other operands or numbers where given."""
        step = replace(self.step, operands=operands) if operands else self.step
        return operate(step, {**self.tensors, **(numbers or {})}, self.example)

    def operand(self, position: int) -> Tensor:
        """The numbers of one operand."""
        return self.tensors[self.step.operands[position].name]

    def with_setting(self, name: str, number: float) -> Tensor:
        """The step with another divisor or fill."""
        return self.run(numbers={name: torch.full_like(self.tensors[name], number)})

    def other(self, name: str, head: int | None = None) -> Tensor | None:
        """Another matrix: this head's, unless a head is named."""
        return self.look(name, self.head if head is None else head)


Wrong: TypeAlias = Callable[[At], Iterable[Tensor]]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A change to one declared step.

    ``steps``: the steps at which it can be made. ``wrong``: what comes out instead, none or several ways; a matrix of
    another shape is skipped. ``formula``: what was computed, in symbols. ``by_row``: it may be made in single rows.
    """

    id: str
    steps: tuple[str, ...]
    message: str
    formula: str
    wrong: Wrong
    by_row: bool = False


def _same_shape(one: Tensor, other: Tensor) -> bool:
    return one.shape[-2:] == other.shape[-2:]


# --- projections -------------------------------------------------------------------------------------------------


def _weight_transposed(at: At) -> Iterator[Tensor]:
    rows, weight, *bias = at.step.operands
    if at.tensors[weight.name].shape[-1] == at.tensors[weight.name].shape[-2]:
        yield at.run(rows, Operand(weight.name, "jk"), *bias)


def _from_weight(name: str) -> Wrong:
    """The projection with another of this head's weight matrices, and that one's bias."""

    def wrong(at: At) -> Iterator[Tensor]:
        yield from _projected(at, at.other(f"w_{name}"), at.other(f"b_{name}"))

    return wrong


def _projected(at: At, weight: Tensor | None, bias: Tensor | None) -> Iterator[Tensor]:
    rows, own, *own_bias = at.step.operands
    if weight is None or not _same_shape(weight, at.tensors[own.name]):
        return
    numbers = {own.name: _like(weight, at.operand(0))}
    if not own_bias:
        yield at.run(rows, own, numbers=numbers)
    elif bias is not None:
        yield at.run(numbers=numbers | {own_bias[0].name: _like(bias, at.operand(0))})


def _like(matrix: Tensor, batch: Tensor) -> Tensor:
    """One matrix for each of a batch."""
    return matrix.expand(batch.shape[0], *matrix.shape[1:])


def _other_head(at: At) -> Iterator[Tensor]:
    name = at.step.name
    for head in range(at.dims.h):
        if head != at.head:
            yield from _projected(at, at.look(f"w_{name}", head), at.look(f"b_{name}", head))


def _bias_forgotten(at: At) -> Iterator[Tensor]:
    rows, weight, *bias = at.step.operands
    if bias:
        yield at.run(rows, weight)


def _from_x(at: At) -> Iterator[Tensor]:
    x = at.look("x", None)
    rows = at.step.operands[0]
    if rows.name == "context" and x is not None and _same_shape(x, at.operand(0)):
        yield at.run(numbers={"context": _like(x, at.operand(0))})


# --- positions ---------------------------------------------------------------------------------------------------


def _paired(pairs: str) -> Wrong:
    """Turned with the other columns as pairs. Of two columns there is one pair alone."""
    letters = {"interleaved": ("i(mk)", "i(mr)"), "half": ("i(km)", "i(rm)")}[pairs]

    def wrong(at: At) -> Iterator[Tensor]:
        rows, angles = at.step.operands
        if at.step.index != letters[1] and at.dims.d_freq > 1:
            step = replace(at.step, operands=(Operand(rows.name, letters[0]), angles), index=letters[1])
            yield operate(step, at.tensors, at.example)

    return wrong


# --- scores ------------------------------------------------------------------------------------------------------


def _k_not_transposed(at: At) -> Iterator[Tensor]:
    first, last = at.step.operands[0], at.step.operands[-1]
    if last.index == "jk" and at.dims.n_k == at.dims.d_k:
        yield at.run(first, Operand(last.name, "kj"))


def _scores_times_v(at: At) -> Iterator[Tensor]:
    """n_q × d_v, so only where there are as many columns of V as keys is it no other shape."""
    values = at.other("v")
    if values is not None and at.step.operands[-1].index == "jk":
        yield at.run() @ values


def _scores_transposed(at: At) -> Iterator[Tensor]:
    if at.dims.n_q == at.dims.n_k:
        yield at.run().mT


def _divided_by(number: Callable[[At], float]) -> Wrong:
    def wrong(at: At) -> Iterator[Tensor]:
        by, right = number(at), divisor(at.example) or 1.0
        if by and abs(by - right) > 1e-12:
            yield at.with_setting("divisor", by)

    return wrong


def _divided_by_root(size: Callable[[Dims], int], named: Callable[[Dims], set[int]]) -> Wrong:
    """÷ the root of a size, unless that is a number that has a simpler name."""
    divide = _divided_by(lambda at: sqrt(size(at.dims)))

    def wrong(at: At) -> Iterable[Tensor]:
        return () if size(at.dims) in named(at.dims) else divide(at)

    return wrong


def _named_sizes(dims: Dims) -> set[int]:
    """What stands under the root in the other mistakes: √(d_k²) is d_k, √1 no division."""
    return {1, dims.d_k, dims.d_k**2, dims.d_model, dims.n_k}


def _scaled_anyway(at: At) -> Iterator[Tensor]:
    if divisor(at.example) is None and at.dims.d_k > 1:
        name = at.step.operands[0].name
        yield at.run(numbers={name: at.operand(0) / sqrt(at.dims.d_k)})


# --- the mask ----------------------------------------------------------------------------------------------------


def _mask_forgotten(at: At) -> Iterator[Tensor]:
    yield at.operand(0)


def _mask_changed(change: Callable[[Tensor], Iterable[Tensor]]) -> Wrong:
    def wrong(at: At) -> Iterator[Tensor]:
        if at.step.op == "masked_fill":
            for allow in change(at.operand(1) != 0):
                yield at.run(numbers={"mask": allow.to(at.operand(0).dtype)})

    return wrong


def _inverted(allow: Tensor) -> Iterator[Tensor]:
    yield ~allow


def _shifted(allow: Tensor) -> Iterator[Tensor]:
    """One key later or earlier; what comes in at the edge is what a causal mask has there."""
    yield torch.cat([allow[..., :1], allow[..., :-1]], -1)
    yield torch.cat([allow[..., 1:], torch.zeros_like(allow[..., :1])], -1)


def _mask_filled_with_0(at: At) -> Iterator[Tensor]:
    if at.step.op == "masked_fill" and mask_fill(at.example) != 0:
        yield at.with_setting("fill", 0.0)


_CONSTANTS: Final = (-100.0, -1e3, -1e4, -65504.0, -1e5, -1e6, -1e9)
"""What hidden scores are set to, or get added, in place of −∞; −65504 is the least number of float16."""


def _mask_too_weak(at: At) -> Iterator[Tensor]:
    """With a constant that does not lie far enough below the other scores of some row; where it does, it is −∞."""
    scores, mask = at.operand(0), at.operand(1)
    hides_all = at.step.op == "masked_fill" and mask_fill(at.example) == NEG_INF
    for constant in _CONSTANTS if hides_all else ():
        for filled in (at.with_setting("fill", constant), scores + constant * (mask == 0)):
            hidden = far_below(filled, scores, mask, at.example)
            if (~hidden & (mask == 0)).any():
                yield filled
                yield filled.masked_fill(hidden, NEG_INF)


def _mask_after_softmax(at: At) -> Iterator[Tensor]:
    before = (at.other(name) for name in reversed(SCORE_STEPS) if name not in HIDES)
    scores, allow = next((matrix for matrix in before if matrix is not None), None), at.look("mask", None)
    if at.step.operands[0].name != "masked_scores" or scores is None or allow is None:
        return
    if mask_fill(at.example) == NEG_INF:
        yield torch.softmax(scores, -1) * (allow != 0)


# --- softmax -----------------------------------------------------------------------------------------------------


def _softmax_columns(at: At) -> Iterator[Tensor]:
    yield torch.softmax(at.operand(0), -2).nan_to_num(0.0)


def _softmax_everything(at: At) -> Iterator[Tensor]:
    yield torch.softmax(at.operand(0).flatten(-2), -1).nan_to_num(0.0).view_as(at.operand(0))


def _softmax_unscaled(at: At) -> Iterator[Tensor]:
    scores, allow = at.other("scores"), at.look("mask", None)
    if divisor(at.example) is None or scores is None:
        return
    if at.step.operands[0].name == "masked_scores" and allow is not None:
        scores = scores.masked_fill(at.operand(0)[:1] == NEG_INF, NEG_INF)
    biases = at.other("linear_biases")
    if biases is not None:
        scores = scores + biases
    yield at.run(numbers={at.step.operands[0].name: scores})


def _softmax_twice(at: At) -> Iterator[Tensor]:
    """Hidden pairs get weight from the second softmax, unless they are hidden once more."""
    weights = at.run()
    yield torch.softmax(weights, -1)
    yield torch.softmax(weights.masked_fill(at.operand(0) == NEG_INF, NEG_INF), -1).nan_to_num(0.0)


def _not_normalised(at: At) -> Iterator[Tensor]:
    yield at.operand(0).exp()
    yield (at.operand(0) - at.operand(0).amax(-1, keepdim=True)).exp().nan_to_num(0.0)


def _softmax_forgotten(at: At) -> Iterator[Tensor]:
    yield at.operand(0)


def _without_exp(at: At) -> Iterator[Tensor]:
    scores = at.operand(0).masked_fill(at.operand(0) == NEG_INF, 0.0)
    yield (scores / scores.sum(-1, keepdim=True)).nan_to_num(0.0, 0.0, 0.0)


def _scaled_after_softmax(at: At) -> Iterator[Tensor]:
    scores, by = at.other("scores"), divisor(at.example)
    if by is not None and scores is not None and at.step.operands[0].name == "scaled_scores":
        yield torch.softmax(scores, -1) / by


def _zero_row(at: At) -> Iterator[Tensor]:
    zero = (at.operand(0) == 0).all(-1, keepdim=True)
    yield at.run().masked_fill(zero, 0.0)


# --- head outputs, heads, output ---------------------------------------------------------------------------------


def _weights_transposed(at: At) -> Iterator[Tensor]:
    if at.dims.n_q == at.dims.n_k:
        yield at.run(numbers={"weights": at.tensors["weights"].mT})


def _other_values(name: str) -> Wrong:
    def wrong(at: At) -> Iterator[Tensor]:
        values = at.look(name, None if name == "x" else at.head)
        if values is not None and _same_shape(values, at.tensors["v"]):
            yield at.run(numbers={"v": _like(values, at.operand(0))})

    return wrong


def _other_heads_values(at: At) -> Iterator[Tensor]:
    for head in range(at.dims.h):
        values = at.look("v", head)
        if head != at.head and values is not None:
            yield at.run(numbers={"v": _like(values, at.operand(0))})


def _interleaved(at: At) -> Iterator[Tensor]:
    heads = at.tensors["head_outputs"]
    batch, _, rows, _ = heads.shape
    yield heads.reshape(batch, rows, -1)
    yield heads.permute(0, 2, 3, 1).reshape(batch, rows, -1)


def _reordered(at: At) -> Iterator[Tensor]:
    heads = at.tensors["head_outputs"]
    h = heads.shape[1]
    orders = permutations(range(h)) if h <= 3 else [tuple(reversed(range(h)))]
    for order in orders:
        if order != tuple(range(h)):
            yield at.run(numbers={"head_outputs": heads[:, list(order)]})


def _w_o_left_out(at: At) -> Iterator[Tensor]:
    yield at.operand(0)


def _averaged(at: At) -> Iterator[Tensor]:
    if at.dims.h > 1:
        yield at.run(numbers={"concat": at.operand(0) / at.dims.h})


PROJECTIONS: Final = ("q", "k", "v")

CATALOGUE: Final = (
    Mistake(
        "not_scaled",
        ("scaled_scores",),
        N_("The scores are not divided by {divisor}."),
        "S",
        _divided_by(lambda at: 1.0),
        by_row=True,
    ),
    Mistake(
        "divided_by_dk",
        ("scaled_scores",),
        N_("The scores are divided by d_k, not by {divisor}."),
        "S ÷ d_k",
        _divided_by(lambda at: at.dims.d_k),
        by_row=True,
    ),
    Mistake(
        "divided_by_sqrt_dk",
        ("scaled_scores",),
        N_("The scores are divided by √d_k, not by {divisor}."),
        "S ÷ √d_k",
        _divided_by(lambda at: sqrt(at.dims.d_k)),
        by_row=True,
    ),
    Mistake(
        "divided_by_sqrt_d_model",
        ("scaled_scores",),
        N_("The scores are divided by √d_model, not by {divisor}."),
        "S ÷ √d_model",
        _divided_by(lambda at: sqrt(at.dims.d_model)),
        by_row=True,
    ),
    Mistake(
        "divided_by_sqrt_n",
        ("scaled_scores",),
        N_("The scores are divided by √n, the root of the number of tokens, not by {divisor}."),
        "S ÷ √n",
        _divided_by(lambda at: sqrt(at.dims.n_k)),
        by_row=True,
    ),
    Mistake(
        "divided_by_sqrt_dv",
        ("scaled_scores",),
        N_("The scores are divided by √d_v, the root of the values' size, not by {divisor}."),
        "S ÷ √d_v",
        _divided_by_root(lambda dims: dims.d_v, _named_sizes),
        by_row=True,
    ),
    Mistake(
        "divided_by_sqrt_all_heads",
        ("scaled_scores",),
        N_("The scores are divided by √(h·d_k), the root of all heads' size together, not by {divisor}."),
        "S ÷ √(h·d_k)",
        _divided_by_root(lambda dims: dims.h * dims.d_k, lambda dims: _named_sizes(dims) | {dims.d_v}),
        by_row=True,
    ),
    Mistake(
        "multiplied_by_divisor",
        ("scaled_scores",),
        N_("The scores are multiplied by {divisor} instead of divided by it."),
        "S · √d_k",
        _divided_by(lambda at: 1 / (divisor(at.example) or 1.0)),
        by_row=True,
    ),
    Mistake(
        "paired_as_neighbours",
        ("q_rotated", "k_rotated"),
        N_("Neighbouring columns are turned together, not column m with column m + d_k/2."),
        "rotate({of}), (2m − 1, 2m)",
        _paired("interleaved"),
    ),
    Mistake(
        "paired_as_halves",
        ("q_rotated", "k_rotated"),
        N_("Column m is turned together with column m + d_k/2, not with its neighbour."),
        "rotate({of}), (m, m + d_k/2)",
        _paired("half"),
    ),
    Mistake(
        "k_not_transposed",
        ("scores",),
        N_("K is not transposed: the scores are Q·K, not Q·Kᵀ."),
        "Q·K",
        _k_not_transposed,
    ),
    Mistake(
        "scores_times_v",
        ("scores",),
        N_("The scores are multiplied by V already: they are Q·Kᵀ·V, not Q·Kᵀ."),
        "Q·Kᵀ·V",
        _scores_times_v,
    ),
    Mistake(
        "q_k_swapped",
        ("scores",),
        N_("Q and K are swapped: queries and keys have changed places."),
        "K·Qᵀ",
        _scores_transposed,
    ),
    Mistake(
        "q_k_swapped",
        ("q",),
        N_("Q and K are swapped: queries and keys have changed places."),
        "X·W_K",
        _from_weight("k"),
    ),
    Mistake(
        "q_k_swapped",
        ("k",),
        N_("Q and K are swapped: queries and keys have changed places."),
        "X·W_Q",
        _from_weight("q"),
    ),
    Mistake("v_from_k", ("v",), N_("V is taken from K."), "X·W_K", _from_weight("k")),
    Mistake("v_from_k", ("head_outputs",), N_("V is taken from K."), "A·K", _other_values("k")),
    Mistake(
        "weight_transposed",
        PROJECTIONS,
        N_("The weight matrix is transposed."),
        "X·Wᵀ",
        _weight_transposed,
    ),
    Mistake(
        "other_head",
        PROJECTIONS,
        N_("Another head's weight matrix is used."),
        N_("X·W (of another head)"),
        _other_head,
    ),
    Mistake(
        "other_head",
        ("head_outputs",),
        N_("Another head's V is used."),
        N_("A·V (of another head)"),
        _other_heads_values,
    ),
    Mistake("bias_forgotten", (*PROJECTIONS, "output"), N_("The bias is not added."), "X·W", _bias_forgotten),
    Mistake(
        "x_for_context",
        ("k", "v"),
        N_("Keys and values come from X, not from the context."),
        "X·W",
        _from_x,
    ),
    Mistake(
        "mask_forgotten",
        ("masked_scores",),
        N_("The mask is forgotten."),
        "{of}",
        _mask_forgotten,
        by_row=True,
    ),
    Mistake(
        "mask_inverted",
        ("masked_scores",),
        N_("The mask is inverted: what should be hidden is seen, and the other way round."),
        N_("mask({of}, not M)"),
        _mask_changed(_inverted),
        by_row=True,
    ),
    Mistake(
        "mask_off_by_one",
        ("masked_scores",),
        N_("The mask is off by one: it is shifted by one key."),
        N_("mask({of}, M shifted)"),
        _mask_changed(_shifted),
        by_row=True,
    ),
    Mistake(
        "mask_filled_with_0",
        ("masked_scores",),
        N_("Hidden scores are set to 0 instead of −∞; e⁰ is 1, so they still get weight."),
        "{of} · M",
        _mask_filled_with_0,
        by_row=True,
    ),
    Mistake(
        "mask_too_weak",
        ("masked_scores",),
        N_("The mask's constant is too small: it does not lie far enough below the row's other scores."),
        N_("mask({of}, M) with a constant"),
        _mask_too_weak,
        by_row=True,
    ),
    Mistake(
        "mask_after_softmax",
        ("weights",),
        N_("The mask is applied after the softmax without renormalising, so rows do not sum to 1."),
        "softmax(S) · M",
        _mask_after_softmax,
        by_row=True,
    ),
    Mistake(
        "softmax_unscaled",
        ("weights",),
        N_("The softmax is taken of the unscaled scores."),
        "softmax(S)",
        _softmax_unscaled,
        by_row=True,
    ),
    Mistake(
        "softmax_columns",
        ("weights",),
        N_("The softmax runs over the columns (queries) instead of the rows (keys)."),
        N_("softmax over columns"),
        _softmax_columns,
    ),
    Mistake(
        "softmax_everything",
        ("weights",),
        N_("The softmax runs over the whole matrix instead of row by row."),
        N_("softmax over everything"),
        _softmax_everything,
    ),
    Mistake(
        "softmax_twice",
        ("weights",),
        N_("The softmax is taken twice: once more of the weights."),
        "softmax(softmax({of}))",
        _softmax_twice,
        by_row=True,
    ),
    Mistake(
        "not_normalised",
        ("weights",),
        N_("The exponentials are never divided by their sum."),
        "e^({of})",
        _not_normalised,
        by_row=True,
    ),
    Mistake(
        "softmax_forgotten",
        ("weights",),
        N_("The softmax is left out: the scores stand where the weights should."),
        "{of}",
        _softmax_forgotten,
        by_row=True,
    ),
    Mistake(
        "without_exp",
        ("weights",),
        N_("The scores are divided by their sum, without exponentials."),
        "{of} ÷ Σ {of}",
        _without_exp,
        by_row=True,
    ),
    Mistake(
        "scaled_after_softmax",
        ("weights",),
        N_("The division by {divisor} comes after the softmax instead of before it."),
        "softmax(S) ÷ √d_k",
        _scaled_after_softmax,
        by_row=True,
    ),
    Mistake(
        "scaled_anyway",
        ("weights",),
        N_("The scores are divided by √d_k, but this example does not scale them."),
        "softmax(S ÷ √d_k)",
        _scaled_anyway,
        by_row=True,
    ),
    Mistake(
        "zero_row",
        ("weights",),
        N_("A row of zero scores is given no weight; its softmax is uniform, not 0."),
        "0",
        _zero_row,
        by_row=True,
    ),
    Mistake(
        "weights_transposed",
        ("head_outputs",),
        N_("The weights are transposed before they meet V."),
        "Aᵀ·V",
        _weights_transposed,
    ),
    Mistake(
        "v_not_projected",
        ("head_outputs",),
        N_("The weights are multiplied with X itself instead of V."),
        "A·X",
        _other_values("x"),
    ),
    Mistake(
        "heads_interleaved",
        ("concat",),
        N_("The heads are interleaved: reshaped without the transpose, instead of set side by side."),
        N_("reshape without transpose"),
        _interleaved,
    ),
    Mistake(
        "heads_reordered",
        ("concat",),
        N_("The heads stand in another order."),
        N_("the heads side by side, in another order"),
        _reordered,
    ),
    Mistake(
        "heads_averaged",
        ("output",),
        N_("The heads are averaged instead of concatenated."),
        N_("mean over heads"),
        _averaged,
    ),
    Mistake("w_o_left_out", ("output",), N_("W_O is left out."), "Concat", _w_o_left_out),
    Mistake("w_o_transposed", ("output",), N_("W_O is transposed."), "Concat·W_Oᵀ", _weight_transposed),
)
"""Every known mistake of a step, simplest first. One id may stand at several steps."""

ROUNDED_EARLY: Final = "rounded_early"
W_IN_COLUMNS: Final = "w_in_columns"
MESSAGES: Final[Mapping[str, str]] = {
    ROUNDED_EARLY: N_("Rounded too early: the numbers before it were rounded, and that moved this one."),
    W_IN_COLUMNS: N_(
        "Every W is transposed, in Q, K and V alike: X·Wᵀ, as W·X has it with the tokens in columns."
    ),
    EXCHANGED: N_("Two cells are exchanged."),
    **{slip.id: slip.message for slip in SLIPS},
    **{mistake.id: mistake.message for mistake in reversed(CATALOGUE)},
}
"""What each mistake is, in a sentence, by id."""


def at_step(name: str) -> Iterator[Mistake]:
    """The mistakes that can be made at a step."""
    return (mistake for mistake in CATALOGUE if name in mistake.steps)


def message_of(label: str, step: str) -> str:
    """What a mistake is, in a sentence, as it is made at a step where it can be made there."""
    return next((m.message for m in CATALOGUE if m.id == label and step in m.steps), MESSAGES[label])


def formula_of(label: str, step: str, example: Example, say: Callable[[str], str] = str) -> str:
    """What a mistake computes at a step, in symbols, or in words that ``say`` translates; "" where it is no formula.

    ``{of}`` in it is what the step is made of in this example, such as the scaled scores.
    """
    changed = next((m.formula for m in CATALOGUE if m.id == label and step in m.steps), "")
    declared = next((one for one in graph(example) if one.name == step), None)
    of = symbol(declared.operands[0].name, example) if declared else "S"
    return say(changed).format(of=of) if changed else ""
