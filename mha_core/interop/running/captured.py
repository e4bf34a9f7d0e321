"""One attention of a run, and the example that shows its heads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError, Template
from mha_core.example.arrays import as_mask, from_arrays
from mha_core.example.band import BandMask, band_sentences
from mha_core.example.model import MAX_HEADS, MAX_SIZE, NEG_INF, Example, Scale
from mha_core.example.validate import validate
from mha_core.interop.parameters.masks import by_position, zeros_and_ones
from mha_core.interop.parameters.packed import EXACT
from mha_core.interop.running.lookup import HEADS as OF_HEADS
from mha_core.interop.running.lookup import counted, whole
from mha_core.interop.running.qkv import from_qkv
from mha_core.messages import LANGUAGE, LANGUAGES, catalogue
from mha_core.notebook import HeadsPage

ROUNDED: Final = {torch.float16: 0.01, torch.bfloat16: 0.05}
"""How far rounding to these dtypes may move a weight; with other dtypes it is 0.0001."""

_PARTS: Final = ("weights", "outputs", "q", "k", "v")
_SIZES: Final = Template("{h} {h:head|heads}{shared}, {n_q} {n_q:query|queries}, {n_k} {n_k:key|keys}")
_ONE_HEAD: Final = N_("{name}, head {heads} counted from 0 (Head 1 here)")
_SOME_HEADS: Final = N_("{name}, heads {heads} counted from 0 (Heads 1 to {n} here)")
_FROM: Final = N_("Captured from {name}: heads=[{heads}] of {h}, counted from 0.")
_NO_SCORES: Final = N_(
    "An example cannot compute these scores from Q and K, so the heads start from their weights."
)
_WIDE: Final = N_(
    "Q and K have {d} columns, more than an example can hold, so the heads start from their weights."
)
_SHORT_ROWS: Final = N_(
    "Some rows of weights add up to less than 1: the model dropped a part after softmax, "
    "for example an attention sink."
)
_ZEROS_AND_ONES: Final = N_(
    "The mask contains only the numbers 0 and 1. The model adds them to the scores, so they mask nothing."
)
_NEW_WEIGHTS: Final = N_(
    "The weights of heads=[{heads}] were replaced while the model ran, so the heads start from their weights."
)
_NEW_SCORES: Final = N_("The queries, keys or values of heads=[{heads}] were replaced while the model ran.")
_NEW_OUTPUTS: Final = N_(
    "The outputs of heads=[{heads}] were replaced while the model ran. The example shows what the weights and V give."
)
_CUT_HEADS: Final = N_("The other heads are left out.")
_CUT_TOKENS: Final = N_(
    "Only the first {most} of {n_q} queries and {n_k} keys are here. The weight of the "
    "other keys is redistributed among these."
)
_CUT_COLUMNS: Final = N_("Only the first {most} of {d} columns of V are here.")


@dataclass(frozen=True, eq=False)
class Captured(HeadsPage):
    """One attention of a run, for one sample: the module's own tensors, on the CPU, in its dtype.

    h heads of queries, g heads of keys and values; n_q queries, n_k keys:

    name             the part of the module that computed it, or the module's class if it is the module itself
    q, k, v          h × n_q × d_k, g × n_k × d_k, g × n_k × d_v, as the module computed them; plain factors of q and k
                     are in ``scale``. q and k are None if an example cannot compute the weights from them.
                     ``k.repeat_interleave(h // g, 0)`` has the keys of each head of queries
    weights          h × n_q × n_k, computed in float64 if the module did not compute them
    outputs          h × n_q × d_v: weights · V, before heads are concatenated and multiplied by W_O (an example's
                     ``head_outputs``; z in TransformerLens)
    mask             n_q × n_k or h × n_q × n_k: truth values, True = may attend; or None
    causal           query i may attend to keys 0 … i; ``mask`` is then None, or hides more
    bias             n_q × n_k or h × n_q × n_k: numbers that are added to the divided scores, such as those of T5's
                     positions, 0 where the pair is hidden; or None. Numbers that leave a key a weight of exactly 0 are
                     a mask, even if the model adds both in one tensor
    scale, softcap   the divisor of the scores, and the number that none exceeds, as in an example
    factors          h × n_q × 1: what the scores of a head or of a query are multiplied by besides, such as a
                     temperature or 1 ÷ the length of q; or None. ``scaled_q`` is q with these factors, as in an example
    sinks            h numbers, each a score without a key in a head, −∞ for a head without; or None
    tokens           names of the queries; context_tokens: names of the keys if they differ. The keys that torch's layer
                     adds are called "bias" and "zero"
    sample, samples  which sample of the batch this is, counted from 0, and how many there are
    index            its number among the attentions of its run, counted from 0; None if it is not from a run
    real             samples × n_k of all samples: False for padding, which the mask hides from every query, or from
                     every other query; None if the mask is not known
    batch            other samples of the same attention, by their number, as many as ``MOST_KEPT`` numbers hold
    after_softmax    the function after softmax that may have changed weights, whatever it did to these, so that q and k
                     are None; or ""
    read_again       a product besides that with V that reads the weights; or ""
    of_context       whether its queries are tokens of the context, as in an encoder that a decoder attends to
    remark           what looks like a mistake in the call, or is to be known of q, as a template of a sentence; or ""
    new_weights      heads whose weights were replaced in this run: Q and K do not give them
    new_inputs       heads whose queries, keys or values were replaced: their weights follow from Q and K, unless they
                     are among ``new_weights``, as where a mask followed from keys that heads share
    new_outputs      heads that were switched off, or whose outputs were replaced: weights · V does not give them
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
    new_weights: tuple[int, ...] = ()
    new_outputs: tuple[int, ...] = ()
    new_inputs: tuple[int, ...] = ()
    softcap: float | None = None
    sinks: Tensor | None = None
    sample: int = 0
    index: int | None = None
    real: Tensor | None = None
    batch: Mapping[int, Captured] = field(default_factory=dict)
    bias: Tensor | None = None
    of_context: bool = False
    after_softmax: str = ""
    read_again: str = ""
    factors: Tensor | None = None

    @property
    def scaled_q(self) -> Tensor | None:
        """The queries with the factors that the scores have by head or by query."""
        return self.q if self.q is None or self.factors is None else self.q * self.factors

    @property
    def added(self) -> Tensor:
        """What is added to the divided scores, n_q × n_k or h × n_q × n_k: the bias, or 0, and −∞ for hidden pairs."""
        n_q, n_k = self.weights.shape[1:]
        added = torch.zeros(n_q, n_k) if self.bias is None else self.bias
        if self.mask is not None:
            added = added.masked_fill(~self.mask, NEG_INF)
        return added.masked_fill(torch.ones(n_q, n_k).triu(1).bool(), NEG_INF) if self.causal else added

    def __repr__(self) -> str:
        h, n_q, n_k = self.weights.shape
        remark = self.said and f" ({self.said})"
        shared = f" ({len(self.v)} of keys and values)" if len(self.v) < h else ""
        counts = _SIZES.format(h=h, shared=shared, n_q=n_q, n_k=n_k)
        return f"{self.name}: {counts}{self._mask_in_words()}{remark}"

    @property
    def said(self) -> str:
        """The remark as a sentence, or ""."""
        return self.remark.format(**self._in_remark)

    @property
    def _in_remark(self) -> dict[str, Any]:
        """The numbers in a remark: how many samples there are, and which have no padding that is known."""
        whole = [] if self.real is None else self.real.all(-1).nonzero().flatten().tolist()
        return {"samples": self.samples, "whole": _counted(whole), "operation": self.read_again}

    def _mask_in_words(self) -> str:
        """What is known of the mask, for the text form."""
        if self.q is None:
            after = f" (after softmax, {self.after_softmax} may change weights)" if self.after_softmax else ""
            return f", scores unknown{after}"
        kinds = {
            ", causal": self.causal,
            ", masked": self.mask is not None,
            ", numbers added to its scores": self.bias is not None,
        }
        return "".join(kind for kind, is_there in kinds.items() if is_there)

    def stacked(self, part: str) -> Tensor:
        """A part of all samples of the batch: samples × heads × tokens × columns.

        ``part``: "weights", "outputs", "q", "k" or "v"; k and v have the heads of keys and values. ``patch`` takes
        one head of it, from a run on another batch:

            capture(model, ids, patch={("layer.3", 5, "outputs"): other[3].stacked("outputs")[:, 5]})

        Raises ``InteropError`` for another part, one that is not known, and if not all samples were kept.
        """
        if part not in _PARTS:
            raise InteropError(
                N_("expected one of {names}, got {got}"),
                place="part",
                names=", ".join(_PARTS),
                got=repr(part),
            )
        if len(self.batch) + 1 < self.samples:
            raise InteropError(
                N_(
                    "only {kept} of {samples} samples of this attention were kept, since they are large; "
                    "capture the others one by one with sample="
                ),
                place=self.name,
                kept=len(self.batch) + 1,
                samples=self.samples,
            )
        by_sample = {**self.batch, self.sample: self}
        tensors = [getattr(by_sample[number], part) for number in sorted(by_sample)]
        unknown = [number for number, tensor in enumerate(tensors) if tensor is None]
        if unknown:
            raise InteropError(
                N_(
                    "it is not known how the weights follow from Q and K in {count:sample|samples} {numbers}, so there "
                    "is no {part} of all"
                ),
                place=self.name,
                part=part,
                count=len(unknown),
                numbers=_counted(unknown),
            )
        return torch.stack(tensors)

    def example(self, heads: Sequence[int] | None = None, *, cut: bool = False) -> Example:
        """These heads (None: all) as an example whose weights and head outputs are the module's.

        Heads are counted from 0, or from the end if below 0. They start from Q, K and V, or from their weights and V
        if ``q`` is None or their weights were replaced. If the mask differs from head to head, each head has its own.
        The note says which it is, what a mask of 0 and 1 does, and what a window means.
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
                    "{h} {h:head|heads} of {n_q} × {n_k} tokens and {d} columns are more than an example can hold "
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
        small_mask = self._kind_of(mask)
        reason: tuple[str, Mapping[str, Any]] | None = None
        new_weights = [head for head in taken if head in self.new_weights]
        new_outputs = [head for head in taken if head in self.new_outputs]
        new_inputs = [head for head in taken if head in self.new_inputs and head not in new_weights]
        if new_weights:
            reason = _NEW_WEIGHTS, {"heads": _counted(new_weights)}
        elif self.q is None:
            reason = _NO_SCORES, {}
        elif d_k > MAX_SIZE:
            reason = _WIDE, {"d": d_k}
        windows = (
            band_sentences(small_mask, 1, 1) if isinstance(small_mask, BandMask) and reason is None else ()
        )
        description: dict[str, Any] = {
            "tokens": self.tokens[:MAX_SIZE],
            "context_tokens": self.context_tokens and self.context_tokens[:MAX_SIZE],
            "title": _title(self.name, taken, h),
            "note": _notes(
                (_FROM, {"name": self.name, "heads": _counted(taken), "h": h}),
                (_NEW_SCORES, {"heads": _counted(new_inputs)}) if new_inputs else None,
                (_NEW_OUTPUTS, {"heads": _counted(new_outputs)}) if new_outputs else None,
                (self.remark, self._in_remark) if self.remark else None,
                reason,
                *((sentence, {"window": small_mask.window}) for sentence in windows),
                (_ZEROS_AND_ONES, {}) if mask is not None and zeros_and_ones(mask) else None,
                (_SHORT_ROWS, {})
                if reason and not new_weights and _has_short_rows(self.weights[taken])
                else None,
                (_CUT_HEADS, {}) if len(chosen) > MAX_HEADS else None,
                (_CUT_TOKENS, {"n_q": n_q, "n_k": n_k, "most": MAX_SIZE})
                if max(n_q, n_k) > MAX_SIZE
                else None,
                (_CUT_COLUMNS, {"d": d_v, "most": MAX_SIZE}) if d_v > MAX_SIZE else None,
            ),
        }
        if reason:
            return self._from_weights(taken, description)
        q, k, v = (self._matrices(part, taken) for part in (self.scaled_q, self.k, self.v))
        sinks = None if self.sinks is None else self.sinks[list(taken)]
        own = mask if mask is not None and mask.dim() > 2 else None
        example = from_qkv(
            q,
            k,
            v,
            mask=small_mask if own is None else None,
            scale=self.scale,
            softcap=self.softcap,
            sinks=sinks,
            **description,
        )
        if own is None:
            return example
        masks = zip(example.heads, [as_mask(self._kind_of(one)) for one in own], strict=True)
        given = tuple(replace(head, mask="none" if one is None else one) for head, one in masks)
        return validate(replace(example, heads=given))

    def _matrices(self, part: Tensor | None, heads: Sequence[int]) -> Tensor:
        """These heads' matrices; if all heads are chosen, one for each group that shares it."""
        assert part is not None  # noqa: S101  # the caller has checked
        h = len(self.weights)
        if list(heads) != list(range(h)):
            part = part[[g // (h // len(part)) for g in heads]]
        return part[:, :MAX_SIZE, :MAX_SIZE]

    def _mask_for(self, heads: Sequence[int]) -> Tensor | None:
        """The mask of these heads: n_q × n_k if it is the same for all of them."""
        mask = self.mask if self.bias is None else self.added
        if mask is None or mask.dim() == 2:
            return mask
        own = mask[list(heads)]
        return own[0] if bool((own == own[:1]).all()) else own

    def _kind_of(self, mask: Tensor | None) -> Any:
        """The example's mask: one by positions if that hides the same pairs, or else these cells."""
        if mask is None:
            return "causal" if self.causal else None
        if not mask.is_floating_point() and bool(mask.all()):
            return None
        cells = mask[..., :MAX_SIZE, :MAX_SIZE]
        if mask.is_floating_point():
            return {"add": cells}
        return (by_position(cells) if mask.dim() == 2 else None) or {"allow": cells}

    def _from_weights(self, heads: Sequence[int], description: Mapping[str, Any]) -> Example:
        rows = self.weights[list(heads), :MAX_SIZE].to(EXACT).nan_to_num(0.0)
        weights = rows[..., :MAX_SIZE]
        if rows.shape[-1] > MAX_SIZE:
            total = weights.sum(-1, keepdim=True)
            weights = weights * rows.sum(-1, keepdim=True) / total.where(total > 0, torch.ones_like(total))
        v = self.v[[g // (len(self.weights) // len(self.v)) for g in heads], :MAX_SIZE, :MAX_SIZE]
        starts = [{"weights": weights[n], "v": v[n]} for n in range(len(heads))]
        return from_arrays(heads=starts, scale="none", **description)


def _has_short_rows(weights: Tensor) -> bool:
    """Whether some rows, apart from those without any weight, add up to clearly less than 1."""
    total = weights.to(EXACT).sum(-1)
    return bool(((total > 0) & (total < 1 - ROUNDED.get(weights.dtype, 1e-4))).any())


def _counted(heads: Sequence[int]) -> str:
    """These heads, counted from 0."""
    return ", ".join(map(str, heads))


def _title(name: str, heads: Sequence[int], h: int) -> str | dict[str, str]:
    """The attention's name, and which of its heads these are, since an example counts its own from 1."""
    if list(heads) == list(range(h)):
        return name[:200]
    template = _ONE_HEAD if len(heads) == 1 else _SOME_HEADS
    return _notes((template, {"name": name[:180], "heads": _counted(heads), "n": len(heads)}))


def _chosen(heads: Sequence[int] | None, h: int) -> list[int]:
    given: Any = range(h) if heads is None else heads
    if not isinstance(given, Iterable) or not all(whole(head) is not None for head in given):
        raise InteropError(N_("expected a list of heads, got {got}"), place="heads", got=repr(heads))
    chosen = list(map(int, given))
    if not chosen:
        raise InteropError(N_("expected 1 to {most}, got {got}"), place="heads", most=h, got=0)
    return [counted(head, h, OF_HEADS, "heads") for head in chosen]


def _notes(*sentences: tuple[str, Mapping[str, Any]] | None) -> dict[str, str]:
    """These sentences joined, in every language."""
    notes = {}
    for language in LANGUAGES:
        say = catalogue(language).gettext
        texts = [say(template).format(**values) for template, values in filter(None, sentences)]
        notes[language] = LANGUAGE[language].between.join(texts)[:1000]
    return notes
