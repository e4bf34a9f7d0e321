"""One sample of an attention that was seen in a run, verified: weights · V must equal the outputs of all samples."""

from __future__ import annotations

from dataclasses import replace
from math import isclose, isfinite, sqrt
from typing import Final

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.example.model import NEG_INF, Scale
from mha_core.interop.parameters.packed import EXACT
from mha_core.interop.running.call import Call
from mha_core.interop.running.captured import ROUNDED, Captured
from mha_core.interop.running.lookup import SAMPLES, counted
from mha_core.interop.running.names import numbers
from mha_core.interop.running.padding import (
    CONTENT_HIDES,
    MAY_BE_PADDING,
    hides_by_content,
    is_unsure,
    real_keys,
)
from mha_core.interop.running.scores import Scores

LOWEST: Final = -1e30
"""No score is as low as this; numbers that are added to hide a pair are."""
_UNDERFLOW: Final = 750.0
"""The exponential of minus this is 0, also in float64."""
MOST_KEPT: Final = 2**19
"""Most weights, values and outputs of an attention that are kept of samples that were not asked for."""
_ONE_QUERY: Final = N_("Each of the {samples} samples has only one query. Is batch_first right?")

_ROWS: Final = N_(
    "The scores also have factors by head or by query, such as a temperature. They are not in q but in factors; "
    "an example has them in Q."
)


def verified(call: Call, sample: int) -> Captured:
    """One sample of a call with four axes, and those beside it that are kept. Its tokens have no names yet.

    Raises ``InteropError`` unless all samples can be verified.
    """
    call = with_heads_axis(call)
    samples = call.outputs.shape[:-3].numel()
    sample = counted(sample, samples, SAMPLES, "sample")
    captured = one_sample(call, sample, samples)
    _verify(captured, sample)
    # Weights of the module are verified by themselves, without the scores.
    others = call if call.weights is None else replace(call, scores=None)
    most = MOST_KEPT // max(1, sum(part.numel() for part in (captured.weights, captured.v, captured.outputs)))
    batch = dict[int, Captured]()
    for index in (*range(sample), *range(sample + 1, samples)):
        is_kept = len(batch) < most
        other = one_sample(call if is_kept else others, index, samples)
        _verify(other, index)
        if is_kept:
            batch[index] = other
    is_known = captured.q is not None
    real = real_keys(call if is_known else replace(call, scores=None))
    batch = {index: replace(other, real=real) for index, other in batch.items()}
    remark = captured.remark
    if not remark and is_known:
        unsure = MAY_BE_PADDING if is_unsure(call, real) else ""
        remark = unsure or (CONTENT_HIDES if hides_by_content(call, real) else "")
    return replace(captured, batch=batch, real=real, remark=remark)


def weights_of(call: Call) -> Tensor:
    """The weights of all samples of a call with four axes, samples × heads × n_q × n_k."""
    samples = call.outputs.shape[:-3].numel()
    return torch.stack([one_sample(call, sample, samples).weights for sample in range(samples)])


def one_sample(call: Call, sample: int, samples: int) -> Captured:
    """One sample of a call with four axes, which has not been verified. Its tokens are counted."""
    lead, n_q, n_k = call.outputs.shape[:-2], call.outputs.shape[-2], call.v.shape[-2]
    weights = None if call.weights is None else of_sample(call.weights, sample)
    mask = None
    if call.scores is not None and call.scores.mask is not None:
        mask = of_sample(call.scores.mask.expand(*lead, n_q, n_k), sample)
    sinks = None
    if call.scores is not None and call.scores.sink is not None:
        sinks = of_sample(call.scores.sink.expand(*lead, n_q, 1), sample)
    is_square = n_q == n_k and not call.extra
    captured = Captured(
        name=call.name,
        q=None,
        k=None,
        v=of_sample(call.v, sample),
        weights=torch.empty(0) if weights is None else weights,
        outputs=of_sample(call.outputs, sample),
        mask=None,
        causal=False,
        scale="none",
        tokens=numbers(n_q),
        context_tokens=None if is_square else (*numbers(n_k - len(call.extra)), *call.extra),
        sample=sample,
        samples=samples,
        after_softmax=call.after,
        remark=_ONE_QUERY if call.layer and n_q == 1 and samples > 1 else "",
    )
    return (
        captured
        if call.scores is None
        else _scored(captured, call.scores, call.groups, mask, sinks, weights, sample)
    )


def _verify(captured: Captured, sample: int) -> None:
    """Raise ``InteropError`` unless weights · V gives the outputs that were seen, in every head.

    Rows where weights · V is NaN or infinite are not compared, nor are rows that may attend to nothing.
    """
    if not captured.outputs.numel() or not captured.v.numel():
        return
    v = captured.v.to(EXACT)
    computed = captured.weights.to(EXACT) @ v.repeat_interleave(len(captured.weights) // len(v), 0)
    silent = ~computed.isfinite() | ((captured.weights == 0).all(-1, keepdim=True) & captured.outputs.isnan())
    difference = (computed - captured.outputs).abs().nan_to_num(torch.inf).masked_fill(silent, 0.0)
    head_difference = difference.flatten(1).max(-1).values
    tolerance = ROUNDED.get(captured.v.dtype, 1e-4) + _rounding(captured)
    if (head_difference > tolerance * v.abs().nan_to_num(0.0).max()).any():
        raise InteropError(
            N_(
                "weights · V differs by up to {apart:.2g} from the captured output (sample={sample}, "
                "heads=[{head}]), so these cannot be the weights that were used"
            ),
            place=captured.name,
            apart=head_difference.max().item(),
            head=int(head_difference.argmax()),
            sample=sample,
        )


def _rounding(captured: Captured) -> float:
    """How far a score computed in the dtype of Q and K may be off: a few units in the last place of the largest."""
    q, k = captured.scaled_q, captured.k
    if q is None or k is None or not q.numel() or not k.numel():
        return 0.0
    longest = q.to(EXACT).norm(dim=-1).max().item() * k.to(EXACT).norm(dim=-1).max().item()
    return float(min(0.1, 4 * torch.finfo(q.dtype).eps * longest / abs(_divisor(captured, q))))


def _divisor(captured: Captured, q: Tensor) -> float:
    scale = captured.scale
    return scale if isinstance(scale, float) else sqrt(q.shape[-1]) if scale == "sqrt_dk" else 1.0


def heads_by_scores(captured: Captured) -> set[int]:
    """The heads whose weights are those that Q, K and what is known of their scores give."""
    q, k = captured.scaled_q, captured.k
    if q is None or k is None:
        return set()
    weights = attention_weights(
        q,
        k,
        1 / _divisor(captured, q),
        captured.mask,
        captured.bias,
        causal=captured.causal,
        softcap=captured.softcap,
        sinks=captured.sinks,
    )
    apart = (weights - captured.weights.to(EXACT)).nan_to_num(0.0).abs().amax((-2, -1))
    return {*(apart <= ROUNDED.get(captured.weights.dtype, 1e-4)).nonzero().flatten().tolist()}


def _scored(
    captured: Captured,
    scores: Scores,
    groups: int,
    mask: Tensor | None,
    sinks: Tensor | None,
    module_weights: Tensor | None,
    sample: int,
) -> Captured:
    """The attention with Q, K, mask, sinks and divisor, unless these give other weights than the module's.

    With a factor of 0 there are only the weights, since no divisor has the same effect.
    """
    own_q, k, factors = of_sample(scores.q, sample), of_sample(scores.k, sample), None
    if scores.rows is not None:
        own_q = of_sample(scores.q * torch.ones_like(scores.rows), sample)
        factors = of_sample(scores.rows * torch.ones_like(scores.q[..., :1]), sample)
    q = own_q if factors is None else own_q * factors
    k, v = _one_per_group(k, captured.v, groups)
    allowed, bias, causal = mask_and_bias(mask, causal=scores.causal, hides=_hides(q, k, scores.factor))
    if sinks is not None and not _is_one_per_head(sinks):
        return captured
    per_head = None if sinks is None else sinks[:, 0, 0]
    weights = attention_weights(
        q, k, scores.factor, allowed, bias, causal=causal, softcap=scores.softcap, sinks=per_head
    )
    if not scores.factor:
        return replace(captured, weights=weights if module_weights is None else module_weights)
    if module_weights is not None:
        difference = (weights - module_weights.to(EXACT)).nan_to_num(0.0).abs().max().item()
        if difference > ROUNDED.get(module_weights.dtype, 1e-4):
            return captured
    return replace(
        captured,
        q=own_q,
        k=k,
        v=v,
        weights=weights if module_weights is None else module_weights,
        mask=allowed,
        bias=bias,
        causal=causal,
        scale=_scale(scores.factor, q.shape[-1]),
        softcap=scores.softcap,
        sinks=per_head,
        factors=factors,
        remark=captured.remark or ("" if factors is None else _ROWS),
    )


def _is_one_per_head(sinks: Tensor) -> bool:
    """Whether every query of a head has the same sink, a number or −∞."""
    return bool((sinks == sinks[:, :1]).all() & (sinks < torch.inf).all())


def attention_weights(
    q: Tensor,
    k: Tensor,
    factor: float,
    mask: Tensor | None,
    bias: Tensor | None = None,
    *,
    causal: bool = False,
    softcap: float | None = None,
    sinks: Tensor | None = None,
) -> Tensor:
    """softmax(s + bias) in float64 over the keys that the mask allows, h × n_q × n_k.

    s = q·kᵀ·factor, or c·tanh(q·kᵀ·factor ÷ c) with a softcap c; a row that may attend to nothing has weights 0.
    ``sinks``: h more scores, one in every row of a head, without a key.
    """
    scores = q.to(EXACT) @ k.to(EXACT).repeat_interleave(len(q) // len(k), 0).mT * factor
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    if causal:
        scores = scores.masked_fill(~_triangle(scores), NEG_INF)
    if bias is not None:
        scores = scores + bias.to(EXACT)
    if mask is not None:
        scores = scores.masked_fill(~mask, NEG_INF)
    nothing = (scores == NEG_INF).all(-1, keepdim=True)
    if sinks is not None:
        extra = sinks.to(EXACT)[:, None, None].expand(*scores.shape[:-1], 1)
        scores = torch.cat((scores, extra), -1)
    return scores.softmax(-1)[..., : k.shape[-2]].masked_fill(nothing, 0.0)


def _triangle(scores: Tensor) -> Tensor:
    return torch.ones(scores.shape[-2:], dtype=torch.bool).tril()


def of_sample(tensor: Tensor, sample: int) -> Tensor:
    """One sample as heads × tokens × columns, a copy on the CPU. Axes before the last four are samples too."""
    tensor = tensor.detach()
    if tensor.dim() < 4:  # no axis of heads
        tensor = tensor.unsqueeze(-3)
    samples = tensor.flatten(0, -4) if tensor.dim() > 3 else tensor[None]
    return samples[sample if len(samples) > 1 else 0].to("cpu", copy=True)


def with_heads_axis(call: Call) -> Call:
    """With a single query, Hugging Face makes rows of the heads that share a key; this makes them heads again."""
    scores = call.scores
    if scores is None or call.groups == 1 or scores.q.shape[-2] != call.groups or scores.q.dim() < 4:
        return call
    if scores.q.shape[-3] != scores.k.shape[-3] or _are_repeated(scores.k, call.groups):
        return call

    def heads(rows: Tensor) -> Tensor:
        return rows.flatten(-3, -2).unsqueeze(-2)

    mask, shows = (
        part if part is None else heads(part.expand(*scores.q.shape[:-1], part.shape[-1]))
        for part in (scores.mask, scores.shows)
    )
    k, v = (part.repeat_interleave(call.groups, -3) for part in (scores.k, call.v))
    sink, rows = (
        part if part is None else heads(part.expand(*scores.q.shape[:-1], 1))
        for part in (scores.sink, scores.rows)
    )
    scores = replace(scores, q=heads(scores.q), k=k, mask=mask, shows=shows, sink=sink, rows=rows)
    return replace(call, scores=scores, v=v, outputs=heads(call.outputs))


def _are_repeated(heads: Tensor, groups: int) -> bool:
    """Whether each ``groups`` consecutive heads are equal."""
    if heads.shape[-3] % groups:
        return False
    return torch.equal(heads[..., ::groups, :, :].repeat_interleave(groups, -3), heads)


def _one_per_group(k: Tensor, v: Tensor, groups: int) -> tuple[Tensor, Tensor]:
    """Keys and values, each only once if heads share them."""
    if groups > 1 and len(k) == len(v) and _are_repeated(k, groups) and _are_repeated(v, groups):
        return k[::groups], v[::groups]
    most = max(len(k), len(v))
    return k.repeat_interleave(most // len(k), 0), v.repeat_interleave(most // len(v), 0)


def _hides(q: Tensor, k: Tensor, factor: float) -> float:
    """A number that, added to a score, leaves it a weight of exactly 0 beside any score of these queries and keys."""
    if not q.numel() or not k.numel():
        return LOWEST
    most = q.to(EXACT).norm(dim=-1).max().item() * k.to(EXACT).norm(dim=-1).max().item() * abs(factor)
    return max(LOWEST, -2 * most - _UNDERFLOW) if isfinite(most) else LOWEST


def mask_and_bias(
    added: Tensor | None, *, causal: bool = False, hides: float = NEG_INF
) -> tuple[Tensor | None, Tensor | None, bool]:
    """A mask of truth values, numbers to add to the scores, and whether the mask is causal beside that.

    ``added``: h × n_q × n_k, truth values, or numbers, of which those up to ``hides`` hide a pair. What is the same for
    all heads has no axis of heads; what hides or adds nothing is None.
    """
    if added is None:
        return None, None, causal
    mask, bias = added, None
    if added.is_floating_point():
        hidden = added <= hides
        # A finite number that is added to a whole row hides nothing.
        mask = ~hidden | (hidden.all(-1, keepdim=True) & (added > NEG_INF).any(-1, keepdim=True))
        bias = _once(added.masked_fill(~mask, 0.0))
    mask = _once(mask)
    bias = bias if bias is not None and bool(bias.any()) else None
    if not causal and mask.dim() == 2 and torch.equal(mask, _triangle(mask)) and not bool(mask.all()):
        return None, bias, True
    return (None if bool(mask.all()) else mask), bias, causal


def _once(matrices: Tensor) -> Tensor:
    """h × n_q × n_k, or n_q × n_k if it is the same for all heads."""
    return matrices[0] if bool((matrices == matrices[:1]).all()) else matrices


def _scale(factor: float, d_k: int) -> Scale:
    """The divisor with the same effect as the factor."""
    if factor == 1:
        return "none"
    return "sqrt_dk" if isclose(factor * sqrt(d_k), 1, rel_tol=1e-12) else 1 / factor
