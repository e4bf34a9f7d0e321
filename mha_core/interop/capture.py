"""The attention of any model: run a module of torch, and make an example of each attention in it.

found = capture(model, ids, tokens=["I", "am", "here"])
found[0]                             # encoder.layers.0.self_attn: 12 heads, 3 queries, 3 keys
found[0].example(heads=[0, 3])       # to open, save or show in a notebook
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose, sqrt
from typing import Any, Final

import torch
from torch import Tensor, nn

from mha_core.errors import N_, InteropError
from mha_core.example.arrays import from_arrays
from mha_core.example.model import MAX_HEADS, MAX_SIZE, NEG_INF, Example, Scale
from mha_core.interop.masks import zeros_and_ones
from mha_core.interop.packed import EXACT
from mha_core.interop.qkv import from_qkv
from mha_core.interop.samples import Batch, Split, four_axes, orders, undecided
from mha_core.interop.second_run import heads_come_first, outputs_of, variants
from mha_core.interop.watch import Call, Scores, Watch, nested
from mha_core.messages import LANGUAGE, LANGUAGES, catalogue

_FROM: Final = N_("Captured from {name}: head {heads} of {h}.")
_NO_SCORES: Final = N_(
    "An example cannot compute these scores from Q and K, so the heads start from their weights."
)
_WIDE: Final = N_(
    "Q and K have {d} columns, more than an example can hold, so the heads start from their weights."
)
_HEAD_MASKS: Final = N_(
    "The mask differs between heads, but an example has one mask for all heads, so the "
    "heads start from their weights."
)
_CORNER: Final = N_(
    "The causal mask is aligned to the top left: query i may attend to the first i of {n_k} keys."
)
_SHORT_ROWS: Final = N_(
    "Some rows of weights add up to less than 1: the model dropped a part after softmax, "
    "for example an attention sink."
)
_ZEROS_AND_ONES: Final = N_(
    "The mask contains only the numbers 0 and 1. The model adds them to the scores, so they mask nothing."
)
_ONE_QUERY: Final = N_("Each of the {samples} samples has only one query. Is batch_first right?")
_CUT_HEADS: Final = N_("The other heads are left out.")
_CUT_TOKENS: Final = N_(
    "Only the first {most} of {n_q} queries and {n_k} keys are here. The weight of the "
    "other keys is redistributed among these."
)
_CUT_COLUMNS: Final = N_("Only the first {most} of {d} columns of V are here.")


@dataclass(frozen=True, eq=False)
class Captured:
    """One attention of a run, for one sample: the module's own tensors, on the CPU, in its dtype.

    h heads of queries, g heads of keys and values; n_q queries, n_k keys:

    name             the part of the module that computed it
    q, k, v          h × n_q × d_k, g × n_k × d_k, g × n_k × d_v; q and k are None if an example cannot compute the
                     weights from them
    weights          h × n_q × n_k, computed in float64 if the module did not compute them
    outputs          h × n_q × d_v, before they are concatenated
    mask             n_q × n_k or h × n_q × n_k: truth values, True = may attend, or numbers that are added; or None
    causal           query i may attend to keys 0 … i
    scale            the divisor of the scores, as in an example
    tokens           names of the queries; context_tokens: names of the keys if they differ. The keys that torch's layer
                     adds are called "bias" and "zero"
    samples          how many the batch has
    remark           what looks like a mistake in the call, as a template of a sentence; or ""
    """

    name: str
    q: Tensor | None
    k: Tensor | None
    v: Tensor
    weights: Tensor
    outputs: Tensor
    mask: Tensor | None
    causal: bool
    scale: Scale
    tokens: tuple[str, ...]
    context_tokens: tuple[str, ...] | None
    samples: int = 1
    remark: str = ""

    def __repr__(self) -> str:
        h, n_q, n_k = self.weights.shape
        remark = self.remark and f" ({self.remark.format(samples=self.samples)})"
        return f"{self.name or '·'}: {h} heads, {n_q} queries, {n_k} keys{remark}"

    def example(self, heads: Sequence[int] | None = None, *, cut: bool = False) -> Example:
        """These heads, counted from 0 (None: all), as an example whose weights and head outputs are the module's.

        They start from Q, K and V, or from their weights and V if ``q`` is None or the mask differs from head to head.
        The note says which it is, what a mask of 0 and 1 does, and which corner a causal mask is aligned to.
        An example has at most 16 heads, 64 tokens and 64 columns; anything larger is refused with ``InteropError``.
        With ``cut`` the first heads, tokens and columns of V are used, and heads start from their weights if Q and K
        are wider. The note says what was left out.
        """
        h, n_q, n_k = self.weights.shape
        chosen = _chosen(heads, h)
        d_k, d_v = 0 if self.q is None else self.q.shape[-1], self.v.shape[-1]
        if not cut and (len(chosen) > MAX_HEADS or max(n_q, n_k, d_k, d_v) > MAX_SIZE):
            raise InteropError(
                N_(
                    "{h} heads of {n_q} × {n_k} tokens and {d} columns are more than an example can hold "
                    "({heads} heads, {most} tokens, {most} columns); choose heads, or use cut=True to "
                    "take the first of everything"
                ),
                place=self.name,
                h=len(chosen),
                n_q=n_q,
                n_k=n_k,
                d=max(d_k, d_v),
                heads=MAX_HEADS,
                most=MAX_SIZE,
            )
        taken = chosen[:MAX_HEADS]
        mask = self._mask_for(taken)
        reason: tuple[str, Mapping[str, Any]] | None = None
        if self.q is None:
            reason = _NO_SCORES, {}
        elif mask is not None and mask.dim() > 2:
            reason = _HEAD_MASKS, {}
        elif d_k > MAX_SIZE:
            reason = _WIDE, {"d": d_k}
        corner = self.causal and reason is None and n_q != n_k
        description: dict[str, Any] = {
            "tokens": self.tokens[:MAX_SIZE],
            "context_tokens": self.context_tokens and self.context_tokens[:MAX_SIZE],
            "title": self.name[:200],
            "note": _notes(
                (_FROM, {"name": self.name or "·", "heads": ", ".join(str(g + 1) for g in taken), "h": h}),
                (self.remark, {"samples": self.samples}) if self.remark else None,
                reason,
                (_CORNER, {"n_k": n_k}) if corner else None,
                (_ZEROS_AND_ONES, {}) if mask is not None and zeros_and_ones(mask) else None,
                (_SHORT_ROWS, {}) if reason and _has_short_rows(self.weights[taken]) else None,
                (_CUT_HEADS, {}) if len(chosen) > MAX_HEADS else None,
                (_CUT_TOKENS, {"n_q": n_q, "n_k": n_k, "most": MAX_SIZE})
                if max(n_q, n_k) > MAX_SIZE
                else None,
                (_CUT_COLUMNS, {"d": d_v, "most": MAX_SIZE}) if d_v > MAX_SIZE else None,
            ),
        }
        if reason:
            return self._from_weights(taken, description)
        q, k, v = (self._matrices(part, taken) for part in (self.q, self.k, self.v))
        small_mask: Any = "causal" if self.causal else None
        if mask is not None:
            small_mask = {"add" if mask.is_floating_point() else "allow": mask[:MAX_SIZE, :MAX_SIZE]}
        return from_qkv(q, k, v, mask=small_mask, scale=self.scale, **description)

    def _matrices(self, part: Tensor | None, heads: Sequence[int]) -> Tensor:
        """These heads' matrices; if all heads are chosen, one for each group that shares it."""
        assert part is not None  # noqa: S101  # the caller has checked
        h = len(self.weights)
        if list(heads) != list(range(h)):
            part = part[[g // (h // len(part)) for g in heads]]
        return part[:, :MAX_SIZE, :MAX_SIZE]

    def _mask_for(self, heads: Sequence[int]) -> Tensor | None:
        """The mask of these heads: n_q × n_k if it is the same for all of them."""
        if self.mask is None or self.mask.dim() == 2:
            return self.mask
        own = self.mask[list(heads)]
        return own[0] if bool((own == own[:1]).all()) else own

    def _from_weights(self, heads: Sequence[int], description: Mapping[str, Any]) -> Example:
        rows = self.weights[list(heads), :MAX_SIZE].to(EXACT).nan_to_num(0.0)
        weights = rows[..., :MAX_SIZE]
        if rows.shape[-1] > MAX_SIZE:
            total = weights.sum(-1, keepdim=True)
            weights = weights * rows.sum(-1, keepdim=True) / total.where(total > 0, torch.ones_like(total))
        v = self.v[[g // (len(self.weights) // len(self.v)) for g in heads], :MAX_SIZE, :MAX_SIZE]
        starts = [{"weights": weights[n], "v": v[n]} for n in range(len(heads))]
        return from_arrays(heads=starts, scale="none", **description)


def capture(
    module: nn.Module,
    inputs: Any,
    tokens: Sequence[str] | None = None,
    *,
    keywords: Mapping[str, Any] | None = None,
    context_tokens: Sequence[str] | None = None,
    sample: int = 0,
    batch: int | None = None,
) -> list[Captured]:
    """Run ``module`` and return every attention in it, in the order in which they were computed.

    ``inputs``: a tensor, a tuple of arguments or a mapping of keywords, as from a tokenizer; ``keywords``: further
    keywords. ``tokens``: names of the rows of attentions with as many queries; keys of another number are named by
    ``context_tokens`` or ``tokens``, whichever are as many. ``sample``: which one of the batch, counted from 0.

    ``nn.MultiheadAttention``, ``scaled_dot_product_attention`` and products around a softmax, as in Hugging Face's
    eager attention, are recognised. The module is not changed; other threads may use it meanwhile. No autograd graph
    is recorded.

    Tensors of four axes are samples × heads × tokens × columns. With one axis before tokens and columns, samples and
    heads are distinguished by the view that folded them and by the first axis of the first input, or by ``batch``, the
    number of samples. More than two such axes need ``batch``, unless only the last one is heads. If sizes leave the
    order open, for example because there are as many heads as samples, ``module`` runs again with one sample of an
    input changed: the axis along which only that sample's outputs change is the axis of samples. For all heads and
    samples, weights · V must equal the outputs that the module computed. If ``scale`` is 0, all scores are 0: the
    weights are returned without Q and K, since no divisor gives that.

    Raises ``InteropError`` if no attention was seen (the sentence says what happened to the result of softmax), if
    samples and heads cannot be distinguished, if weights · V differs from the outputs, for dropout of weights, for
    nested tensors, for a ``sample`` beyond the batch, and for ``tokens`` that fit no attention.
    """
    if not isinstance(module, nn.Module):
        raise InteropError(N_("expected a torch.nn.Module, got {kind}"), kind=type(module).__name__)
    args, named = _arguments(inputs)
    named |= keywords or {}
    given = [part for part in (*args, *named.values()) if isinstance(part, Tensor)]
    if any(part.is_nested for part in given):
        raise nested()
    if batch is not None and batch < 1:
        raise InteropError(N_("expected a whole number, 1 or more, got {got}"), place="batch", got=batch)
    module = getattr(module, "_orig_mod", module)  # the module inside that of torch.compile
    calls: list[Captured | _Undecided] = []
    labels = _Labels(tuple(map(str, tokens or ())), tuple(map(str, context_tokens or ())))
    size = Batch(batch, given[0].shape if given else (), bool(given) and given[0].is_floating_point())
    watch = Watch(module, lambda call: calls.append(_captured(call, sample, size, labels)))
    with torch.no_grad(), watch:
        module(*args, **named)
    if not calls:
        raise _no_attention(watch.ends)
    captured = _decide(calls, module, args, named, batch)
    if tokens is not None and all(attention.weights.shape[1] != len(tokens) for attention in captured):
        counts = ", ".join(map(str, dict.fromkeys(attention.weights.shape[1] for attention in captured)))
        sentence = N_("{got} were given, but no attention in this run has that many queries: {counts}")
        if any(attention.remark for attention in captured):
            sentence = N_(
                "{got} were given, but no attention in this run has that many queries: {counts}, in "
                "a batch of {samples}. Is batch_first right?"
            )
        raise InteropError(
            sentence, place="tokens", got=len(tokens), counts=counts, samples=captured[0].samples
        )
    return captured


def _no_attention(ends: Mapping[str, tuple[str, str]]) -> InteropError:
    """The error where no attention was seen: it says which operation took the result of a softmax, if any did."""
    if not ends:
        return InteropError(
            N_(
                "no attention was found in this run: neither nn.MultiheadAttention, nor "
                "scaled_dot_product_attention, nor softmax was called. Compiled or scripted modules, "
                "custom kernels, and exp with a sum in place of softmax cannot be captured"
            )
        )
    name, (operation, why) = next((end for end in ends.items() if end[1][0]), next(iter(ends.items())))
    sentence = N_("no attention was found in this run: the result of softmax was never multiplied by values")
    if operation.startswith("softmax("):
        sentence = N_(
            "no attention was found in this run: {operation} is not along the last axis, where keys are expected"
        )
    elif why == "gate":
        sentence = N_(
            "no attention was found in this run: the result of softmax was multiplied by a "
            "parameter of the module. That is a gate: its values do not come from tokens"
        )
    elif operation:
        sentence = N_(
            "no attention was found in this run: the result of softmax went into {operation} and "
            "cannot be followed from there to a product with V"
        )
    return InteropError(sentence, place=name, operation=operation)


def _arguments(inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(inputs, Mapping):
        return (), dict(inputs)
    return (tuple(inputs), {}) if isinstance(inputs, tuple | list) else ((inputs,), {})


@dataclass(frozen=True, slots=True)
class _Labels:
    """The names of tokens."""

    queries: tuple[str, ...]
    keys: tuple[str, ...]

    def of(self, count: int, *given: tuple[str, ...]) -> tuple[str, ...]:
        """The first of these that has ``count`` names, or else numbers."""
        return next(
            (texts for texts in given if len(texts) == count), tuple(str(i + 1) for i in range(count))
        )

    def both(
        self, n_q: int, n_k: int, extra: tuple[str, ...]
    ) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
        """The names of the queries, and of the keys if they differ in number; the last keys are called ``extra``."""
        own = n_k - len(extra)
        keys = self.of(own, *((self.queries,) if n_q == own else ()), self.keys, self.queries)
        return self.of(n_q, self.queries), None if n_q == n_k and not extra else (*keys, *extra)


# --- one sample of a call ----------------------------------------------------------------------------------------

LOWEST: Final = -1e30
"""No score is as low as this; numbers that are added to hide a pair are."""
_ROUNDED: Final = {torch.float16: 0.01, torch.bfloat16: 0.05}
"""How far rounding to these dtypes may move a weight; with other dtypes it is 0.0001."""


@dataclass(frozen=True, slots=True)
class _Undecided:
    """A call whose order of samples and heads is not known. ``either``: by whether heads come first, the attention."""

    name: str
    split: Split
    outputs: Tensor
    either: Mapping[bool, Captured]


def _captured(call: Call, sample: int, batch: Batch, labels: _Labels) -> Captured | _Undecided:
    """One sample of a call; all its samples have been verified."""
    split = batch.split(call)
    if split.sure:
        return _verified(four_axes(call, split), sample, labels)
    either = {
        heads_first: _verified(four_axes(call, split._replace(heads_first=heads_first)), sample, labels)
        for heads_first in orders(call)
    }
    return _Undecided(call.name, split, call.outputs.detach().clone(), either)


def _decide(
    calls: Sequence[Captured | _Undecided],
    module: nn.Module,
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    batch: int | None,
) -> list[Captured]:
    """The attentions of all calls; runs on changed inputs decide the order of samples and heads where it is open.

    The first input decides. If a change of it shows nothing, the others do, if they agree: an input with an axis of
    heads, such as a mask for each head, would show that axis.
    """
    left = {index: call for index, call in enumerate(calls) if isinstance(call, _Undecided)}
    orders_shown: dict[int, set[bool]] = {index: set() for index in left}
    decided: set[int] = set()
    for which, size, (changed_args, changed_named) in variants((args, named), batch) if left else ():
        if len(decided) == len(left):
            break
        outputs = outputs_of(module, changed_args, changed_named, left)
        for index in outputs.keys() - decided:
            heads_first = heads_come_first(left[index].split, left[index].outputs, outputs[index], size)
            if heads_first in left[index].either and heads_first is not None:
                orders_shown[index].add(heads_first)
                decided |= {index} if which == 0 else set()
    captured = []
    for index, call in enumerate(calls):
        if isinstance(call, _Undecided):
            if len(orders_shown[index]) != 1:
                raise undecided(call.name, call.outputs.shape[:-2])
            call = call.either[orders_shown[index].pop()]  # noqa: PLW2901
        captured.append(call)
    return captured


def _verified(call: Call, sample: int, labels: _Labels) -> Captured:
    """One sample of a call with four axes; raises ``InteropError`` unless all its samples can be verified."""
    call = _with_heads_axis(call)
    samples = call.outputs.shape[:-3].numel()
    if not 0 <= sample < samples:
        raise InteropError(
            N_("expected samples from 0 to {last}, got {got}"), place="sample", last=samples - 1, got=sample
        )
    captured = _one_sample(call, sample, samples, labels)
    _verify(captured, sample)
    # Weights of the module are verified by themselves, without the scores.
    others = call if call.weights is None else replace(call, scores=None)
    for index in (*range(sample), *range(sample + 1, samples)):
        _verify(_one_sample(others, index, samples, labels), index)
    return captured


def _one_sample(call: Call, sample: int, samples: int, labels: _Labels) -> Captured:
    lead, n_q, n_k = call.outputs.shape[:-2], call.outputs.shape[-2], call.v.shape[-2]
    weights = None if call.weights is None else _of_sample(call.weights, sample)
    mask = None
    if call.scores is not None and call.scores.mask is not None:
        mask = _of_sample(call.scores.mask.expand(*lead, n_q, n_k), sample)
    tokens, context_tokens = labels.both(n_q, n_k, call.extra)
    captured = Captured(
        name=call.name,
        q=None,
        k=None,
        v=_of_sample(call.v, sample),
        weights=torch.empty(0) if weights is None else weights,
        outputs=_of_sample(call.outputs, sample),
        mask=None,
        causal=False,
        scale="none",
        tokens=tokens,
        context_tokens=context_tokens,
        samples=samples,
        remark=_ONE_QUERY if call.layer and n_q == 1 and samples > 1 else "",
    )
    return (
        captured
        if call.scores is None
        else _scored(captured, call.scores, call.groups, mask, weights, sample)
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
    tolerance = _ROUNDED.get(captured.v.dtype, 1e-4) + _rounding(captured)
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
    q, k = captured.q, captured.k
    if q is None or k is None or not q.numel() or not k.numel():
        return 0.0
    scale = captured.scale
    divisor = scale if isinstance(scale, float) else sqrt(q.shape[-1]) if scale == "sqrt_dk" else 1.0
    longest = q.to(EXACT).norm(dim=-1).max().item() * k.to(EXACT).norm(dim=-1).max().item()
    return float(min(0.1, 4 * torch.finfo(q.dtype).eps * longest / abs(divisor)))


def _scored(
    captured: Captured,
    scores: Scores,
    groups: int,
    mask: Tensor | None,
    module_weights: Tensor | None,
    sample: int,
) -> Captured:
    """The attention with Q, K, mask and divisor, unless these give other weights than the module's.

    With a factor of 0 there are only the weights, since no divisor has the same effect.
    """
    q, k = _of_sample(scores.q, sample), _of_sample(scores.k, sample)
    k, v = _one_per_group(k, captured.v, groups)
    allowed, causal = _simplified_mask(mask, causal=scores.causal)
    weights = attention_weights(q, k, scores.factor, allowed, causal=causal)
    if not scores.factor:
        return replace(captured, weights=weights if module_weights is None else module_weights)
    if module_weights is not None:
        difference = (weights - module_weights.to(EXACT)).nan_to_num(0.0).abs().max().item()
        if difference > _ROUNDED.get(module_weights.dtype, 1e-4):
            return captured
    return replace(
        captured,
        q=q,
        k=k,
        v=v,
        weights=weights if module_weights is None else module_weights,
        mask=allowed,
        causal=causal,
        scale=_scale(scores.factor, q.shape[-1]),
    )


def attention_weights(
    q: Tensor, k: Tensor, factor: float, mask: Tensor | None, *, causal: bool = False
) -> Tensor:
    """softmax(q·kᵀ·factor + mask) in float64, h × n_q × n_k; a row that may attend to nothing has weights 0."""
    scores = q.to(EXACT) @ k.to(EXACT).repeat_interleave(len(q) // len(k), 0).mT * factor
    if causal:
        scores = scores.masked_fill(~_triangle(scores), NEG_INF)
    if mask is not None:
        scores = scores + mask.to(EXACT) if mask.is_floating_point() else scores.masked_fill(~mask, NEG_INF)
    return scores.softmax(-1).masked_fill((scores == NEG_INF).all(-1, keepdim=True), 0.0)


def _triangle(scores: Tensor) -> Tensor:
    return torch.ones(scores.shape[-2:], dtype=torch.bool).tril()


def _of_sample(tensor: Tensor, sample: int) -> Tensor:
    """One sample as heads × tokens × columns, a copy on the CPU. Axes before the last four are samples too."""
    tensor = tensor.detach()
    if tensor.dim() < 4:  # no axis of heads
        tensor = tensor.unsqueeze(-3)
    samples = tensor.flatten(0, -4) if tensor.dim() > 3 else tensor[None]
    return samples[sample if len(samples) > 1 else 0].to("cpu", copy=True)


def _with_heads_axis(call: Call) -> Call:
    """With a single query, Hugging Face makes rows of the heads that share a key; this makes them heads again."""
    scores = call.scores
    if scores is None or call.groups == 1 or scores.q.shape[-2] != call.groups or scores.q.dim() < 4:
        return call
    if scores.q.shape[-3] != scores.k.shape[-3] or _are_repeated(scores.k, call.groups):
        return call

    def heads(rows: Tensor) -> Tensor:
        return rows.flatten(-3, -2).unsqueeze(-2)

    mask = scores.mask
    if mask is not None:
        mask = heads(mask.expand(*scores.q.shape[:-1], mask.shape[-1]))
    k, v = (part.repeat_interleave(call.groups, -3) for part in (scores.k, call.v))
    return replace(
        call, scores=replace(scores, q=heads(scores.q), k=k, mask=mask), v=v, outputs=heads(call.outputs)
    )


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


def _simplified_mask(mask: Tensor | None, *, causal: bool) -> tuple[Tensor | None, bool]:
    """The mask in an example's form, and whether it is causal.

    It has no axis of heads if all heads have the same, and is truth values if it only adds 0 or hides.
    """
    if mask is None:
        return None, causal
    if len(mask) == 1 or bool((mask == mask[:1]).all()):
        mask = mask[0]
    if mask.is_floating_point():
        hidden = mask <= LOWEST
        # A finite number that is added to a whole row hides nothing.
        alive = ~hidden.all(-1) | (mask == NEG_INF).all(-1)
        if bool(((mask == 0) | hidden).all()) and bool(alive.all()):
            mask = ~hidden
    if mask.dtype == torch.bool and not causal:
        if bool(mask.all()):
            return None, False
        if mask.dim() == 2 and torch.equal(mask, _triangle(mask)):
            return None, True
    return mask, causal


def _scale(factor: float, d_k: int) -> Scale:
    """The divisor with the same effect as the factor."""
    if factor == 1:
        return "none"
    return "sqrt_dk" if isclose(factor * sqrt(d_k), 1, rel_tol=1e-12) else 1 / factor


def _has_short_rows(weights: Tensor) -> bool:
    """Whether some rows, apart from those without any weight, add up to clearly less than 1."""
    total = weights.to(EXACT).sum(-1)
    return bool(((total > 0) & (total < 1 - _ROUNDED.get(weights.dtype, 1e-4))).any())


def _chosen(heads: Sequence[int] | None, h: int) -> list[int]:
    chosen = list(range(h)) if heads is None else list(heads)
    if not chosen:
        raise InteropError(N_("expected 1 to {most}, got {got}"), place="heads", most=h, got=0)
    for head in chosen:
        if not 0 <= head < h:
            raise InteropError(
                N_("expected heads from 0 to {last}, got {got}"), place="heads", last=h - 1, got=head
            )
    return chosen


def _notes(*sentences: tuple[str, Mapping[str, Any]] | None) -> dict[str, str]:
    """These sentences joined, in every language."""
    notes = {}
    for language in LANGUAGES:
        say = catalogue(language).gettext
        texts = [say(template).format(**values) for template, values in filter(None, sentences)]
        notes[language] = LANGUAGE[language].between.join(texts)[:1000]
    return notes
