"""The catalogue of classical mistakes: each is a change to one declared step.

``CATALOGUE`` lists them, simplest first. To add one, write a function that computes the wrong numbers, and an entry:
the search, the messages, the report and the confusion table read the entries. The function takes a ``Site``, the step
with its operands; ``Site.run`` computes the step, with whatever is changed. Numbers come in batches,
B × rows × columns, because the search tries many at a time. ``EVERY_MISTAKE`` has those of the backward pass as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import permutations
from math import sqrt
from typing import Final

import torch
from torch import Tensor

from mha_core.check.backward_mistakes import BACKWARD_CATALOGUE
from mha_core.check.constant import far_below
from mha_core.check.mistake import Mistake, Site, Wrong
from mha_core.check.slips import SLIPS
from mha_core.check.transcription import EXCHANGED
from mha_core.compute.backward import declared_step
from mha_core.compute.graph import symbol
from mha_core.compute.operation import Operand
from mha_core.compute.trace import operate
from mha_core.errors import N_
from mha_core.example.band import CORNERS, BandMask
from mha_core.example.model import NEG_INF, Dims, Example, band_of, divisor, mask_fill, mask_of
from mha_core.vocabulary import HIDES, SCORE_STEPS


def _same_shape(one: Tensor, other: Tensor) -> bool:
    return one.shape[-2:] == other.shape[-2:]


# --- projections -------------------------------------------------------------------------------------------------


def _weight_transposed(site: Site) -> Iterator[Tensor]:
    rows, weight, *bias = site.step.operands
    if site.tensors[weight.name].shape[-1] == site.tensors[weight.name].shape[-2]:
        yield site.run(rows, Operand(weight.name, "jk"), *bias)


def _from_weight(name: str) -> Wrong:
    """The projection with another of this head's weight matrices, and that one's bias."""

    def wrong(site: Site) -> Iterator[Tensor]:
        yield from _projection_with(site, site.other(f"w_{name}"), site.other(f"b_{name}"))

    return wrong


def _projection_with(site: Site, weight: Tensor | None, bias: Tensor | None) -> Iterator[Tensor]:
    rows, own, *own_bias = site.step.operands
    if weight is None or not _same_shape(weight, site.tensors[own.name]):
        return
    numbers = {own.name: _batched(weight, site.operand(0))}
    if not own_bias:
        yield site.run(rows, own, numbers=numbers)
    elif bias is not None:
        yield site.run(numbers=numbers | {own_bias[0].name: _batched(bias, site.operand(0))})


def _batched(matrix: Tensor, batch: Tensor) -> Tensor:
    """The same matrix for each of a batch."""
    return matrix.expand(batch.shape[0], *matrix.shape[1:])


def _other_head(site: Site) -> Iterator[Tensor]:
    name = site.step.name
    for head in range(site.dims.h):
        if head != site.head:
            yield from _projection_with(site, site.look(f"w_{name}", head), site.look(f"b_{name}", head))


def _bias_forgotten(site: Site) -> Iterator[Tensor]:
    rows, weight, *bias = site.step.operands
    if bias:
        yield site.run(rows, weight)


def _from_x(site: Site) -> Iterator[Tensor]:
    x = site.look("x", None)
    rows = site.step.operands[0]
    if rows.name == "context" and x is not None and _same_shape(x, site.operand(0)):
        yield site.run(numbers={"context": _batched(x, site.operand(0))})


# --- positions ---------------------------------------------------------------------------------------------------


def _paired(pairs: str) -> Wrong:
    """Rotated with other columns as pairs. Two columns make only one pair."""
    letters = {"interleaved": ("i(mk)", "i(mr)"), "half": ("i(km)", "i(rm)")}[pairs]

    def wrong(site: Site) -> Iterator[Tensor]:
        rows, angles = site.step.operands
        if site.step.index != letters[1] and site.dims.d_freq > 1:
            step = replace(site.step, operands=(Operand(rows.name, letters[0]), angles), index=letters[1])
            yield operate(step, site.tensors, site.example)

    return wrong


# --- scores ------------------------------------------------------------------------------------------------------


def _k_not_transposed(site: Site) -> Iterator[Tensor]:
    first, last = site.step.operands[0], site.step.operands[-1]
    if last.index == "jk" and site.dims.n_k == site.dims.d_k:
        yield site.run(first, Operand(last.name, "kj"))


def _scores_times_v(site: Site) -> Iterator[Tensor]:
    """n_q × d_v: the shape of the scores only if V has as many columns as there are keys."""
    values = site.other("v")
    if values is not None and site.step.operands[-1].index == "jk":
        yield site.run() @ values


def _scores_transposed(site: Site) -> Iterator[Tensor]:
    if site.dims.n_q == site.dims.n_k:
        yield site.run().mT


def _divided_by(number: Callable[[Site], float]) -> Wrong:
    def wrong(site: Site) -> Iterator[Tensor]:
        changed, right = number(site), divisor(site.example) or 1.0
        if changed and abs(changed - right) > 1e-12:
            yield site.with_setting("divisor", changed)

    return wrong


def _divided_by_root(size: Callable[[Dims], int], named: Callable[[Dims], set[int]]) -> Wrong:
    """Divided by the root of a size, unless another mistake already names the same number."""
    divide = _divided_by(lambda site: sqrt(size(site.dims)))

    def wrong(site: Site) -> Iterable[Tensor]:
        return () if size(site.dims) in named(site.dims) else divide(site)

    return wrong


def _named_sizes(dims: Dims) -> set[int]:
    """The sizes whose roots the other mistakes divide by: √(d_k²) is d_k, √1 is no division."""
    return {1, dims.d_k, dims.d_k**2, dims.d_model, dims.n_k}


def _scaled_anyway(site: Site) -> Iterator[Tensor]:
    if divisor(site.example) is None and site.dims.d_k > 1:
        name = site.step.operands[0].name
        yield site.run(numbers={name: site.operand(0) / sqrt(site.dims.d_k)})


# --- the mask ----------------------------------------------------------------------------------------------------


def _mask_forgotten(site: Site) -> Iterator[Tensor]:
    yield site.operand(0)


def _mask_changed(change: Callable[[Tensor], Iterable[Tensor]]) -> Wrong:
    def wrong(site: Site) -> Iterator[Tensor]:
        if site.step.op == "masked_fill":
            for allow in change(site.operand(1) != 0):
                yield site.run(numbers={site.step.operands[1].name: allow.to(site.operand(0).dtype)})

    return wrong


def _inverted(allow: Tensor) -> Iterator[Tensor]:
    yield ~allow


def _shifted(allow: Tensor) -> Iterator[Tensor]:
    """One key later or earlier; the edge is filled as in a causal mask."""
    yield torch.cat([allow[..., :1], allow[..., :-1]], -1)
    yield torch.cat([allow[..., 1:], torch.zeros_like(allow[..., :1])], -1)


def _other_band(change: Callable[[BandMask], Iterable[BandMask]]) -> Wrong:
    """The mask with another window, or at another corner."""

    def wrong(site: Site) -> Iterator[Tensor]:
        band, allowed = band_of(mask_of(site.example, site.head or 0)), site.operand(1)
        for other in change(band) if band else ():
            allow = other.allow(site.dims.n_q, site.dims.n_k)
            yield site.run(numbers={site.step.operands[1].name: allowed.new_tensor(allow).expand_as(allowed)})

    return wrong


def _other_corner(band: BandMask) -> Iterator[BandMask]:
    yield from (replace(band, corner=corner) for corner in CORNERS if corner != band.corner)


def _other_size(band: BandMask) -> Iterator[BandMask]:
    """One key more or less; a causal window of 0 would hide everything."""
    if band.window is not None:
        sizes = (band.window + 1, band.window - 1)
        yield from (replace(band, window=size) for size in sizes if size >= band.causal)


def _without_window(band: BandMask) -> Iterator[BandMask]:
    if band.window is not None and band.causal:
        yield replace(band, window=None)


def _mask_filled_with_0(site: Site) -> Iterator[Tensor]:
    if site.step.op == "masked_fill" and mask_fill(site.example) != 0:
        yield site.with_setting("fill", 0.0)


_CONSTANTS: Final = (-100.0, -1e3, -1e4, -65504.0, -1e5, -1e6, -1e9)
"""Constants that are assigned or added to hidden scores in place of −∞; −65504 is the smallest float16."""


def _mask_too_weak(site: Site) -> Iterator[Tensor]:
    """With a constant that is not far enough below the other scores of some row; where it is, it counts as −∞."""
    scores, mask = site.operand(0), site.operand(1)
    hides_all = site.step.op == "masked_fill" and mask_fill(site.example) == NEG_INF
    for constant in _CONSTANTS if hides_all else ():
        for filled in (site.with_setting("fill", constant), scores + constant * (mask == 0)):
            hidden = far_below(filled, scores, mask, site.example)
            if (~hidden & (mask == 0)).any():
                yield filled
                yield filled.masked_fill(hidden, NEG_INF)


def _mask_after_softmax(site: Site) -> Iterator[Tensor]:
    before = (site.other(name) for name in reversed(SCORE_STEPS) if name not in HIDES)
    scores, allow = next((matrix for matrix in before if matrix is not None), None), site.mask
    if site.step.operands[0].name != "masked_scores" or scores is None or allow is None:
        return
    if mask_fill(site.example) == NEG_INF:
        yield site.run(numbers={"masked_scores": scores}) * (allow != 0)


# --- softmax -----------------------------------------------------------------------------------------------------


def _softmax_of(site: Site, scores: Tensor) -> Tensor:
    """The step with these scores."""
    return site.run(numbers={site.step.operands[0].name: scores}).nan_to_num(0.0)


def _softmax_columns(site: Site) -> Iterator[Tensor]:
    yield _softmax_of(site, site.operand(0).mT).mT


def _softmax_everything(site: Site) -> Iterator[Tensor]:
    yield _softmax_of(site, site.operand(0).flatten(-2).unsqueeze(-2)).view_as(site.operand(0))


def _softmax_unscaled(site: Site) -> Iterator[Tensor]:
    scores, allow = site.other("scores"), site.mask
    if divisor(site.example) is None or scores is None:
        return
    if site.step.operands[0].name == "masked_scores" and allow is not None:
        scores = scores.masked_fill(site.operand(0)[:1] == NEG_INF, NEG_INF)
    biases = site.other("linear_biases")
    if biases is not None:
        scores = scores + biases
    yield _softmax_of(site, scores)


def _sink_forgotten(site: Site) -> Iterator[Tensor]:
    scores, *sink = site.step.operands
    if sink:
        yield site.run(scores)


def _softmax_twice(site: Site) -> Iterator[Tensor]:
    """The second softmax gives hidden pairs some weight, unless they are hidden again."""
    weights = site.run()
    yield torch.softmax(weights, -1)
    yield torch.softmax(weights.masked_fill(site.operand(0) == NEG_INF, NEG_INF), -1).nan_to_num(0.0)


def _not_normalised(site: Site) -> Iterator[Tensor]:
    yield site.operand(0).exp()
    yield (site.operand(0) - site.operand(0).amax(-1, keepdim=True)).exp().nan_to_num(0.0)


def _softmax_forgotten(site: Site) -> Iterator[Tensor]:
    yield site.operand(0)


def _without_exp(site: Site) -> Iterator[Tensor]:
    scores = site.operand(0).masked_fill(site.operand(0) == NEG_INF, 0.0)
    yield (scores / scores.sum(-1, keepdim=True)).nan_to_num(0.0, 0.0, 0.0)


def _scaled_after_softmax(site: Site) -> Iterator[Tensor]:
    scores, number = site.other("scores"), divisor(site.example)
    if number is not None and scores is not None and site.step.operands[0].name == "scaled_scores":
        yield _softmax_of(site, scores) / number


def _zero_row(site: Site) -> Iterator[Tensor]:
    zero = (site.operand(0) == 0).all(-1, keepdim=True)
    yield site.run().masked_fill(zero, 0.0)


# --- head outputs, heads, output ---------------------------------------------------------------------------------


def _weights_transposed(site: Site) -> Iterator[Tensor]:
    if site.dims.n_q == site.dims.n_k:
        yield site.run(numbers={"weights": site.tensors["weights"].mT})


def _other_values(name: str) -> Wrong:
    def wrong(site: Site) -> Iterator[Tensor]:
        values = site.look(name, None if name == "x" else site.head)
        if values is not None and _same_shape(values, site.tensors["v"]):
            yield site.run(numbers={"v": _batched(values, site.operand(0))})

    return wrong


def _other_heads_values(site: Site) -> Iterator[Tensor]:
    for head in range(site.dims.h):
        values = site.look("v", head)
        if head != site.head and values is not None:
            yield site.run(numbers={"v": _batched(values, site.operand(0))})


def _interleaved(site: Site) -> Iterator[Tensor]:
    heads = site.tensors["head_outputs"]
    batch, _, rows, _ = heads.shape
    yield heads.reshape(batch, rows, -1)
    yield heads.permute(0, 2, 3, 1).reshape(batch, rows, -1)


def _reordered(site: Site) -> Iterator[Tensor]:
    heads = site.tensors["head_outputs"]
    h = heads.shape[1]
    orders = permutations(range(h)) if h <= 3 else [tuple(reversed(range(h)))]
    for order in orders:
        if order != tuple(range(h)):
            yield site.run(numbers={"head_outputs": heads[:, list(order)]})


def _w_o_left_out(site: Site) -> Iterator[Tensor]:
    yield site.operand(0)


def _averaged(site: Site) -> Iterator[Tensor]:
    if site.dims.h > 1:
        yield site.run(numbers={"concat": site.operand(0) / site.dims.h})


PROJECTIONS: Final = ("q", "k", "v")

# fmt: off
CATALOGUE: Final = (
    Mistake("not_scaled", ("scaled_scores",), N_("The scores are not divided by {divisor}."), "S",
        _divided_by(lambda site: 1.0), by_row=True),
    Mistake("divided_by_dk", ("scaled_scores",), N_("The scores are divided by d_k, not by {divisor}."), "S ÷ d_k",
        _divided_by(lambda site: site.dims.d_k), by_row=True),
    Mistake("divided_by_sqrt_dk", ("scaled_scores",), N_("The scores are divided by √d_k, not by {divisor}."),
        "S ÷ √d_k", _divided_by(lambda site: sqrt(site.dims.d_k)), by_row=True),
    Mistake("divided_by_sqrt_d_model", ("scaled_scores",),
        N_("The scores are divided by √d_model, not by {divisor}."), "S ÷ √d_model",
        _divided_by(lambda site: sqrt(site.dims.d_model)), by_row=True),
    Mistake("divided_by_sqrt_n", ("scaled_scores",),
        N_("The scores are divided by √n, the square root of the number of tokens, not by {divisor}."), "S ÷ √n",
        _divided_by(lambda site: sqrt(site.dims.n_k)), by_row=True),
    Mistake("divided_by_sqrt_dv", ("scaled_scores",),
        N_("The scores are divided by √d_v, the square root of the value dimension, not by {divisor}."), "S ÷ √d_v",
        _divided_by_root(lambda dims: dims.d_v, _named_sizes), by_row=True),
    Mistake("divided_by_sqrt_all_heads", ("scaled_scores",),
        N_("The scores are divided by √(h·d_k), the square root of the dimension of all heads "
            "together, not by {divisor}."), "S ÷ √(h·d_k)",
        _divided_by_root(lambda dims: dims.h * dims.d_k, lambda dims: _named_sizes(dims) | {dims.d_v}), by_row=True),
    Mistake("multiplied_by_divisor", ("scaled_scores",),
        N_("The scores are multiplied by {divisor} instead of being divided by it."), "S · √d_k",
        _divided_by(lambda site: 1 / (divisor(site.example) or 1.0)), by_row=True),
    Mistake("paired_as_neighbours", ("q_rotated", "k_rotated"),
        N_("Neighboring columns are rotated together instead of column m with column m + d_k/2."),
        "rotate({of}), (2m − 1, 2m)", _paired("interleaved")),
    Mistake("paired_as_halves", ("q_rotated", "k_rotated"),
        N_("Column m is rotated together with column m + d_k/2 instead of with its neighbor."),
        "rotate({of}), (m, m + d_k/2)", _paired("half")),
    Mistake("k_not_transposed", ("scores",), N_("K is not transposed: the scores are Q·K instead of Q·Kᵀ."), "Q·K",
        _k_not_transposed),
    Mistake("scores_times_v", ("scores",),
        N_("The scores are already multiplied by V: they are Q·Kᵀ·V instead of Q·Kᵀ."), "Q·Kᵀ·V", _scores_times_v),
    Mistake("q_k_swapped", ("scores",), N_("Q and K are swapped."), "K·Qᵀ", _scores_transposed),
    Mistake("q_k_swapped", ("q",), N_("Q and K are swapped."), "X·W_K", _from_weight("k")),
    Mistake("q_k_swapped", ("k",), N_("Q and K are swapped."), "X·W_Q", _from_weight("q")),
    Mistake("v_from_k", ("v",), N_("K is used in place of V."), "X·W_K", _from_weight("k")),
    Mistake("v_from_k", ("head_outputs",), N_("K is used in place of V."), "A·K", _other_values("k")),
    Mistake("weight_transposed", PROJECTIONS, N_("The weight matrix is transposed."), "X·Wᵀ", _weight_transposed),
    Mistake("other_head", PROJECTIONS, N_("Another head's weight matrix is used."), N_("X·W (of another head)"),
        _other_head),
    Mistake("other_head", ("head_outputs",), N_("Another head's V is used."), N_("A·V (of another head)"),
        _other_heads_values),
    Mistake("bias_forgotten", (*PROJECTIONS, "output"), N_("The bias is not added."), "X·W", _bias_forgotten),
    Mistake("x_for_context", ("k", "v"), N_("Keys and values come from X, not from the context."), "X·W", _from_x),
    Mistake("mask_forgotten", ("masked_scores",), N_("The mask was not applied."), "{of}", _mask_forgotten,
        by_row=True),
    Mistake("mask_inverted", ("masked_scores",), N_("The mask is inverted: masked and unmasked pairs are swapped."),
        N_("mask({of}, not M)"), _mask_changed(_inverted), by_row=True),
    Mistake("mask_off_by_one", ("masked_scores",), N_("The mask is off by one: it is shifted by one key."),
        N_("mask({of}, M shifted)"), _mask_changed(_shifted), by_row=True),
    Mistake("mask_other_corner", ("masked_scores",),
        N_("The mask is aligned to the other corner: n_q and n_k differ, so the corner matters."),
        N_("mask({of}, M of the other corner)"), _other_band(_other_corner), by_row=True),
    Mistake("window_forgotten", ("masked_scores",),
        N_("The window was not applied: only later keys are masked, not those before the window."),
        N_("mask({of}, causal M)"), _other_band(_without_window), by_row=True),
    Mistake("window_off_by_one", ("masked_scores",),
        N_("The window is off by one: it has one key too many or too few."), N_("mask({of}, M with another window)"),
        _other_band(_other_size), by_row=True),
    Mistake("mask_filled_with_0", ("masked_scores",),
        N_("Masked scores are set to 0 instead of −∞. Since e⁰ is 1, they still get weight."), "{of} · M",
        _mask_filled_with_0, by_row=True),
    Mistake("mask_too_weak", ("masked_scores",),
        N_("The mask's constant is not low enough: it is not far enough below the row's other scores."),
        N_("mask({of}, M) with a constant"), _mask_too_weak, by_row=True),
    Mistake("mask_after_softmax", ("weights",),
        N_("The mask is applied after the softmax without renormalizing, so rows do not sum to 1."), "softmax(S) · M",
        _mask_after_softmax, by_row=True),
    Mistake("softmax_unscaled", ("weights",), N_("The softmax is applied to the unscaled scores."), "softmax(S)",
        _softmax_unscaled, by_row=True),
    Mistake("sink_forgotten", ("weights",), N_("The sink is left out of the sum, so each row sums to 1."),
        "softmax({of})", _sink_forgotten, by_row=True),
    Mistake("softmax_columns", ("weights",),
        N_("The softmax runs over the columns (queries) instead of the rows (keys)."), N_("softmax over columns"),
        _softmax_columns),
    Mistake("softmax_everything", ("weights",), N_("The softmax runs over the whole matrix instead of row by row."),
        N_("softmax over everything"), _softmax_everything),
    Mistake("softmax_twice", ("weights",),
        N_("The softmax is applied twice: to the scores, and again to the weights."), "softmax(softmax({of}))",
        _softmax_twice, by_row=True),
    Mistake("not_normalised", ("weights",), N_("The exponentials are not divided by their sum."), "e^({of})",
        _not_normalised, by_row=True),
    Mistake("softmax_forgotten", ("weights",), N_("The softmax is missing: these are the scores, not the weights."),
        "{of}", _softmax_forgotten, by_row=True),
    Mistake("without_exp", ("weights",), N_("The scores are divided by their sum without taking exponentials."),
        "{of} ÷ Σ {of}", _without_exp, by_row=True),
    Mistake("scaled_after_softmax", ("weights",),
        N_("The division by {divisor} comes after the softmax instead of before it."), "softmax(S) ÷ √d_k",
        _scaled_after_softmax, by_row=True),
    Mistake("scaled_anyway", ("weights",),
        N_("The scores are divided by √d_k, but this example does not scale them."), "softmax(S ÷ √d_k)",
        _scaled_anyway, by_row=True),
    Mistake("zero_row", ("weights",), N_("A row of zero scores is given weights of 0, but its softmax is uniform."),
        "0", _zero_row, by_row=True),
    Mistake("weights_transposed", ("head_outputs",),
        N_("The weights are transposed before they are multiplied by V."), "Aᵀ·V", _weights_transposed),
    Mistake("v_not_projected", ("head_outputs",), N_("The weights are multiplied by X instead of V."), "A·X",
        _other_values("x")),
    Mistake("heads_interleaved", ("concat",),
        N_("The heads are interleaved instead of side by side: they were reshaped without a transpose."),
        N_("reshape without transpose"), _interleaved),
    Mistake("heads_reordered", ("concat",), N_("The heads are in the wrong order."),
        N_("the heads side by side, in a different order"), _reordered),
    Mistake("heads_averaged", ("output",), N_("The heads are averaged instead of concatenated."),
        N_("mean over heads"), _averaged),
    Mistake("w_o_left_out", ("output",), N_("W_O is left out."), "Concat", _w_o_left_out),
    Mistake("w_o_transposed", ("output",), N_("W_O is transposed."), "Concat·W_Oᵀ", _weight_transposed),
)
# fmt: on
"""Every known mistake of a step forward, simplest first. One id may occur at several steps."""
EVERY_MISTAKE: Final = (*CATALOGUE, *BACKWARD_CATALOGUE)
"""The same with those of the backward pass (``backward_mistakes``)."""

ROUNDED_EARLY: Final = "rounded_early"
W_IN_COLUMNS: Final = "w_in_columns"
MESSAGES: Final[Mapping[str, str]] = {
    ROUNDED_EARLY: N_("Rounded too early: an earlier step was rounded, which changed this number."),
    W_IN_COLUMNS: N_(
        "Every W is transposed, in Q, K and V alike: this is X·Wᵀ. Texts that write W·X, "
        "with tokens in columns, have their W this way."
    ),
    EXCHANGED: N_("Two cells are swapped."),
    **{slip.id: slip.message for slip in SLIPS},
    **{mistake.id: mistake.message for mistake in reversed(EVERY_MISTAKE)},
}
"""The sentence of each mistake, by id."""


def at_step(name: str) -> Iterator[Mistake]:
    """The mistakes that can be made at a step."""
    return (mistake for mistake in EVERY_MISTAKE if name in mistake.steps)


def message_of(label: str, step: str) -> str:
    """The sentence of a mistake as it is made at this step, or its general sentence."""
    return next((m.message for m in EVERY_MISTAKE if m.id == label and step in m.steps), MESSAGES[label])


def formula_of(label: str, step: str, example: Example, say: Callable[[str], str] = str) -> str:
    """What a mistake computes at a step, in symbols, or in words that ``say`` translates; "" if it has no formula.

    ``{of}`` in it is the step's first operand in this example, such as the scaled scores.
    """
    mistaken = next((m.formula for m in EVERY_MISTAKE if m.id == label and step in m.steps), "")
    declared = declared_step(example, step)
    operand_symbol = symbol(declared.operands[0].name, example) if declared else "S"
    return say(mistaken).format(of=operand_symbol) if mistaken else ""
