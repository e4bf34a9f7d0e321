"""A module's output before and after heads were changed, and how far the two are apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import EXACT, shown_shape
from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.edits import Done
from mha_core.interop.running.lookup import SAMPLES, counted, whole
from mha_core.interop.running.padding import real_tokens
from mha_core.interop.running.texts import Vocabulary, require_vocabulary, text_of
from mha_core.notebook import HeadsPage


class TokenChange(NamedTuple):
    """A token's id, and its probability before and after."""

    token: int
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class Changed(HeadsPage):
    """What a run with changed heads computed, and the module's output before and after, on the CPU, in its dtype.

    found      every attention of the changed run, for one sample. The outputs of a head that was switched off are 0;
               its weights and V are those that the run computed. Weights that were replaced are the new ones
    before     the output without changes: the logits, if the module returns any, or else the first tensor that it
               returns
    after      the output with changes, of the same shape
    names      of the ids of tokens, those that the inputs have, if ``tokens`` were given
    unchanged  the same attentions in the run without changes, in the same order
    logits     whether the output is known to be logits: the module returns it as ``logits``, its last axis is as long
               as the module's vocabulary, or ``named`` says so
    vocabulary what ``named`` was given
    done       what was changed: each with a name, heads, part, how and rows
    also       attentions with parts that changed because they are the same numbers, or computed from these
    """

    found: Attentions
    before: Tensor
    after: Tensor
    names: Mapping[int, str] = field(default_factory=dict)
    unchanged: Attentions = field(default_factory=Attentions)
    logits: bool = False
    vocabulary: Vocabulary | None = None
    done: tuple[Done, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def edits(self) -> tuple[str, ...]:
        """What was changed, in words: ("layers.1 heads 2, 5 off",)."""
        return tuple(map(str, self.done))

    @cached_property
    def difference(self) -> Tensor:
        """after − before, in float64. 0 where both are the same infinite number or NaN."""
        return difference(self.before, self.after)

    @property
    def largest(self) -> float:
        """The largest absolute difference: max |after − before|, at real positions. NaN if it is NaN somewhere."""
        return largest(self._at_real_positions)

    @property
    def where(self) -> tuple[int, ...]:
        """The index of ``largest``, such as (sample, position, token) for logits."""
        if not self.difference.numel():
            return ()
        most = self._at_real_positions.abs().argmax()  # NaN counts as larger than any number
        return tuple(int(at) for at in torch.unravel_index(most, self.difference.shape))

    @property
    def _at_real_positions(self) -> Tensor:
        return without_padding(self.difference, self.unchanged)

    def last(self, sample: int = 0) -> tuple[int, ...]:
        """The index of the output's row at the last real position of a sample; an output without an axis of samples has
        only its own last row.

            changed.last(2)  # (2, 17) if the output is samples × positions × logits
            changed.tokens(changed.last(2))

        Raises ``InteropError`` for a sample beyond the batch.
        """
        if self.unchanged:
            sample = counted(sample, self.unchanged[0].samples, SAMPLES, "sample")
        rows = self.before.shape[:-1]
        if not rows or not self.before.numel():
            return ()
        real = real_positions(self.before, self.unchanged)
        if real is not None:
            return sample, int(real[sample].nonzero()[-1])
        has_samples = bool(self.unchanged) and rows[0] == self.unchanged[0].samples
        return (sample if has_samples else rows[0] - 1, *(n - 1 for n in rows[1:]))

    def tokens(
        self, at: Sequence[int] | None = None, most: int = 5, *, logits: bool = False
    ) -> tuple[TokenChange, ...]:
        """The tokens whose probability, softmax(logits), changed most at one position; the largest change first.

        ``at``: the index of a row of the output, such as (sample, position); None: ``last()``, the first sample's last
        real position. ``logits``: the output is logits, which is not known of every module.

            changed.tokens()[0]  # TokenChange(token=318, before=0.41, after=0.07)

        Raises ``InteropError`` if the output has no such row, and if it may not be logits but, for example,
        hidden states, of which a softmax is no probability.
        """
        if not (logits or self.logits):
            raise InteropError(
                N_(
                    "the output ({shape}) may not be logits: the module does not return it as logits, and its last "
                    "axis is not as long as the vocabulary. If it is logits, call tokens(logits=True)"
                ),
                place="tokens",
                shape=shown_shape(self.before),
            )
        rows = self.before.shape[:-1]
        given: Any = self.last() if at is None else at
        index = tuple(given) if isinstance(given, Iterable) else (None,)
        fits = len(index) == len(rows) and all(whole(i) is not None for i in index)
        fits = fits and all(-n <= i < n for i, n in zip(index, rows, strict=True))
        if not fits or not self.before.dim():
            raise InteropError(
                N_(
                    "expected the index of a row of the output, whose shape is {shape}, as last() gives it, got {got}"
                ),
                place="at",
                shape=shown_shape(self.before),
                got=repr(given)[:80],
            )
        before, after = (logits[index].to(EXACT).softmax(-1) for logits in (self.before, self.after))
        order = (after - before).abs().argsort(descending=True, stable=True)[:most].tolist()
        return tuple(TokenChange(token, before[token].item(), after[token].item()) for token in order)

    def named(self, vocabulary: Vocabulary) -> Changed:
        """The same change of logits over a vocabulary, whose ids a notebook shows by their texts.

        ``vocabulary``: the texts in a list or a mapping, or a function that returns the text of one id. An id that a
        list or a mapping does not have keeps its number.

            changed.named(tokenizer.decode)

        Raises ``InteropError`` for anything else, and where the function fails or returns no text.
        """
        require_vocabulary(vocabulary)
        named = replace(self, logits=True, vocabulary=vocabulary)
        if self.before.dim() and self.before.shape[-1]:
            named.name(0)
        return named

    def name(self, token: int) -> str | None:
        """The text of an id; None for one without. Raises ``InteropError`` as ``named`` does."""
        return text_of(token, self.names if self.vocabulary is None else self.vocabulary)

    def __repr__(self) -> str:
        what = "; ".join(self.edits) or "nothing changed"
        what += f", also in {', '.join(self.also)}" if self.also else ""
        names = {done.name for done in self.done}
        said = "".join(f" ({one.name}: {one.said})" for one in self.found if one.said and one.name in names)
        return f"{what}: {self._change_in_words()}{said}"

    def _change_in_words(self) -> str:
        if self.largest == 0:
            where = ", except at padding" if self.difference.any() else ""
            return f"no change of the output ({shown_shape(self.before)}){where}"
        at = ", ".join(map(str, self.where))
        return f"largest change of the output ({shown_shape(self.before)}): {self.largest:.3g} at [{at}]"


def logits_of(output: Any) -> Tensor | None:
    """The logits that a module returned by that name, if any."""
    logits = output.get("logits") if isinstance(output, Mapping) else getattr(output, "logits", None)
    return logits if isinstance(logits, Tensor) else None


def are_logits(module: nn.Module, output: Any) -> bool:
    """Whether a module's output is known to be logits: by its name, or because its last axis is as long as the module's
    vocabulary, its largest embedding.

    With as many columns as rows in that embedding, hidden states have the same length, so that this shows nothing.
    """
    if logits_of(output) is not None:
        return True
    embeddings = [part for part in module.modules() if isinstance(part, nn.Embedding)]
    tensor, of_tokens = output_of(output), max(embeddings, key=lambda part: part.num_embeddings, default=None)
    if of_tokens is None or not tensor.dim():
        return False
    return tensor.shape[-1] == of_tokens.num_embeddings != of_tokens.embedding_dim


def output_of(output: Any) -> Tensor:
    """A copy of ``tensor_of`` on the CPU."""
    return tensor_of(output).detach().to("cpu", copy=True)


def tensor_of(output: Any) -> Tensor:
    """``found_tensor``. Raises ``InteropError`` if there is none."""
    tensor = found_tensor(output)
    if tensor is None:
        raise InteropError(
            N_("the module returned {kind}, in which there is no floating-point tensor to compare"),
            kind=type(output).__name__,
        )
    return tensor


def found_tensor(output: Any) -> Tensor | None:
    """The logits that a module returned, or else the first tensor of floating-point numbers, if there is one."""
    logits = logits_of(output)
    return next(_floating(output), None) if logits is None else logits


def _floating(part: Any) -> Iterator[Tensor]:
    if isinstance(part, Tensor):
        yield from [part] if part.is_floating_point() else []
        return
    if is_dataclass(part) and not isinstance(part, Mapping | type):
        part = [getattr(part, field.name) for field in fields(part)]
    if isinstance(part, tuple | list | Mapping):
        for inner in part.values() if isinstance(part, Mapping) else part:
            yield from _floating(inner)


def difference(before: Tensor, after: Tensor) -> Tensor:
    """after − before in float64; 0 where both are the same, infinite numbers and NaN included.

    Raises ``InteropError`` if their shapes differ.
    """
    if before.shape != after.shape:
        raise InteropError(
            N_(
                "the output's shape was {before} before the change and {after} after it; they cannot be compared"
            ),
            before=shown_shape(before),
            after=shown_shape(after),
        )
    first, second = before.to(EXACT), after.to(EXACT)
    same = (first == second) | (first.isnan() & second.isnan())
    return (second - first).masked_fill(same, 0.0)


def real_positions(output: Tensor, attentions: Attentions) -> Tensor | None:
    """Samples × positions of an output of samples × positions × columns, True for those that are not padding; None if
    all of them are real, or if that is not known.
    """
    return real_tokens(attentions, *output.shape[:2]) if output.dim() == 3 else None


def without_padding(difference: Tensor, attentions: Attentions) -> Tensor:
    """The difference of two outputs, 0 at padding."""
    real = real_positions(difference, attentions)
    return difference if real is None else difference.masked_fill(~real[..., None], 0.0)


def largest(difference: Tensor) -> float:
    """The largest absolute number; NaN if one is NaN."""
    return difference.abs().max().item() if difference.numel() else 0.0
