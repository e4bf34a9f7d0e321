"""Which tokens of a sample are real. The others are padding: no query may attend to them, but perhaps they themselves.

Many masks let a token of padding see itself, so that no row of weights is empty. A key that only its own query sees is
padding if it belongs to a block of such keys at either end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import shown_shape
from mha_core.interop.running.call import Call
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.scores import HIDES, Scores

MAY_BE_PADDING: Final = N_(
    "The last token of samples {whole} may be padding that sees itself; give real= if it is."
)
CONTENT_HIDES: Final = N_(
    "A mask that is computed from the tokens, or that differs from head to head, hides whole tokens. They count as "
    "real; give real= if they are padding."
)
_AXES: Final = 4
"""Samples, heads, queries and keys."""


def allowed(mask: Tensor) -> Tensor:
    """True where a query may attend to a key, from truth values or from numbers that are added to the scores."""
    return mask > HIDES if mask.is_floating_point() else mask.bool()


def real_keys(call: Call) -> Tensor | None:
    """Samples × n_k, False for the keys that are padding; True for all of them in a sample that would have no others.

    If the scores of the call, which has four axes, are not known, padding is a block at either end without any weight.
    None if the weights are not known either.
    """
    if call.scores is None and not call.after:
        return (
            None if call.weights is None else _keys_with_weight(call.weights, call.outputs.shape[:-3].numel())
        )
    may = None if call.scores is None else _pairs(call, call.scores, call.scores.shows)
    if may is None:
        return torch.ones(call.outputs.shape[:-3].numel(), call.v.shape[-2], dtype=torch.bool)
    return _keys_of(may)


def _keys_of(may: Tensor) -> Tensor:
    """Samples × n_k, by which query may attend to which key."""
    real = may.any(-2)
    if may.shape[-2] == may.shape[-1]:
        real = real & ~_seen_by_themselves_alone(may)
    return (real | ~real.any(-1, keepdim=True)).cpu()


def _keys_with_weight(weights: Tensor, samples: int) -> Tensor:
    """Samples × n_k, False in a block at either end whose keys have a weight of exactly 0 everywhere."""
    seen = (weights.detach() != 0).reshape(samples, -1, weights.shape[-1]).any(1).cpu()
    inner = seen.cumsum(-1).bool() & seen.flip(-1).cumsum(-1).flip(-1).bool()
    return inner | ~seen.any(-1, keepdim=True)


def is_unsure(call: Call, real: Tensor | None) -> bool:
    """Whether the last token of samples without padding may be some: in another sample padding sees itself, and no
    query sees a later key.
    """
    may = None if call.scores is None or real is None else _pairs(call, call.scores, call.scores.shows)
    if may is None or real is None or may.shape[-2] != may.shape[-1] or bool(may.triu(1).any()):
        return False
    sees_itself = bool((may.any(-2).cpu() & ~real)[:, -1].any())
    return sees_itself and bool(real.all(-1).any())


def hides_by_content(call: Call, real: Tensor | None) -> bool:
    """Whether tokens that count as real would be padding if the whole mask showed it: a mask that depends on what the
    tokens are, such as the largest scores of each query, or that differs from head to head, does not.
    """
    may = None if call.scores is None else _pairs(call, call.scores, call.scores.mask, of_any_head=True)
    return real is not None and may is not None and not torch.equal(_keys_of(may), real)


def _pairs(call: Call, scores: Scores, mask: Tensor | None, *, of_any_head: bool = False) -> Tensor | None:
    """Samples × n_q × n_k, True where a mask lets all heads attend, or any head; None without a mask, or if its heads
    differ.
    """
    *lead, n_q, _ = call.outputs.shape
    samples, n_k = call.outputs.shape[:-3].numel(), call.v.shape[-2]
    if mask is None:
        return None
    may = allowed(mask.detach())
    may = may.reshape((1,) * (_AXES - may.dim()) + may.shape)
    if not of_any_head and not bool((may == may[..., :1, :, :]).all()):
        return None
    may = may.any(-3)
    may = may.expand(*(lead[:-1] or (1,)), n_q, n_k).reshape(samples, n_q, n_k)
    return may.tril() if scores.causal else may


def _seen_by_themselves_alone(may: Tensor) -> Tensor:
    """Samples × tokens, True in a block at either end whose keys are seen by no other query"""
    others = may & ~torch.eye(may.shape[-1], dtype=torch.bool, device=may.device)
    return _block_at_the_end(others) | _block_at_the_end(others.flip(-2, -1)).flip(-1)


def _block_at_the_end(others: Tensor) -> Tensor:
    """Samples × tokens, True from the first token of padding to the last token, by which query sees which other key.

    Under a causal mask, no other query sees the last real token either, unless the queries of padding do. The first key
    of the block is thus real if all queries after it see no other key: so is a block of one key.
    """
    block = (~others.any(-2)).flip(-1).cumprod(-1).flip(-1).bool()
    block = block & ~block.all(-1, keepdim=True)
    if others.triu(1).any():
        return block
    later = block & (block.cumsum(-1) > 1)
    see_others = (later & others.any(-1)).any(-1, keepdim=True)
    return block & (later | see_others)


def truth_of(real: Any, place: str = "real") -> Tensor:
    """Samples × tokens as a caller gives them, as truth values. Raises ``InteropError`` for anything else."""
    try:
        given = torch.as_tensor(real).detach().cpu()
    except (TypeError, ValueError, RuntimeError):
        given = torch.empty(0)
    if given.dim() != 2 or not bool(((given == 0) | (given == 1)).all()):
        raise InteropError(
            N_("expected samples × tokens, True or 1 for real tokens and False or 0 for padding"),
            place=place,
        )
    truth = given.bool()
    if not bool(truth.any(-1).all()):
        sample = int(truth.any(-1).int().argmin())
        raise InteropError(N_("sample {sample} has no real token"), place=place, sample=sample)
    return truth


def with_real(
    attentions: Sequence[Captured], real: Tensor, *, of_context: bool, is_sure: bool = True
) -> list[Captured]:
    """The attentions, with these real tokens where as many samples have as many keys of this text, the context or not.

    If it is not ``is_sure`` of which text an attention is, its own mask comes first: one that hides what ``real`` has
    is of another. Raises ``InteropError`` if there is no attention of that size.
    """
    sizes = [(one.samples, one.weights.shape[-1 if of_context else 1]) for one in attentions]
    fits = [
        size == real.shape and (one.context_tokens is None or (of_context and one.of_context is False))
        for one, size in zip(attentions, sizes, strict=True)
    ]
    own = [
        fit and (one.of_context or one.context_tokens is not None) == of_context
        for one, fit in zip(attentions, fits, strict=True)
    ]
    fits = own if any(own) else fits
    if not any(fits):
        raise InteropError(
            N_("expected {expected} (samples × tokens), got {got}"),
            place="context_real" if of_context else "real",
            expected=" / ".join(dict.fromkeys(f"{samples} × {n_q}" for samples, n_q in sizes)),
            got=shown_shape(real),
        )

    def with_own(one: Captured) -> Captured:
        batch = {sample: replace(other, real=real) for sample, other in one.batch.items()}
        remark = "" if one.remark in (MAY_BE_PADDING, CONTENT_HIDES) else one.remark
        return replace(one, batch=batch, real=real, remark=remark)

    def hides(one: Captured) -> bool:
        return not is_sure and one.real is not None and bool((real & ~one.real).any())

    return [
        with_own(one) if fit and not hides(one) else one for one, fit in zip(attentions, fits, strict=True)
    ]


def real_tokens(
    attentions: Iterable[Captured], samples: int, count: int, *, of_context: bool = False
) -> Tensor | None:
    """Samples × tokens, True for the tokens of a text, the context or not, with so many tokens that are not padding.

    Attentions with as many queries as keys show it: padding is hidden in all of them. None if all tokens are real, or
    if no such attention has a mask that is known.
    """
    own = [
        one.real
        for one in attentions
        if one.real is not None
        and one.context_tokens is None
        and one.of_context == of_context
        and one.real.shape == (samples, count)
    ]
    real = torch.stack(own).any(0) if own else None
    return None if real is None or bool(real.all()) else real


def real_queries(one: Captured, attentions: Iterable[Captured]) -> Tensor | None:
    """``real_tokens`` of an attention's queries: as its own mask shows, or else that of others with as many tokens."""
    n_q = one.weights.shape[1]
    shows = one.real is not None and one.context_tokens is None
    return real_tokens([one] if shows else attentions, one.samples, n_q, of_context=one.of_context)


def mean_of_tokens(matrices: Tensor, real: Tensor | None) -> Tensor:
    """The mean over tokens of … × tokens × columns, as one row; of the real ones if ``real``, … × tokens, is given."""
    if real is None:
        return matrices.mean(-2, keepdim=True)
    kept = real[..., None].to(matrices.device)
    return matrices.where(kept, 0).sum(-2, keepdim=True) / kept.sum(-2, keepdim=True)
