"""A model that transformers computes, followed by ``capture``: behind the names of our own models.

A short run when the model is opened shows which of its attentions are self-attention over the text, how many heads they
have, and whether a token sees later ones; nothing of this is guessed from names.

An encoder–decoder has three parts, and one of them is shown. The encoder reads the text alone. The decoder reads it
after its start token, as in training (each token is to be predicted from those before it), while the encoder reads the
same text, or another one, the source. "cross" is the attention of the decoder's tokens to those of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any, Final, Literal, TypeAlias, TypeVar

import torch
from torch import Tensor, nn

from mha_core.errors import N_, InteropError, ModelError, Sentence
from mha_core.example.model import Text
from mha_core.interop.running.call import ModuleFailedError
from mha_core.interop.running.capture import capture
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.changed import output_of
from mha_core.interop.running.found import Asked, Found, found_in
from mha_core.models.foreign_run import ForeignLayer, ForeignRun, with_row
from mha_core.models.forward import heads_off, require_known
from mha_core.models.tokenizer import Reader, Tokens
from mha_core.quoted import isolated, quoted

Part: TypeAlias = Literal["encoder", "decoder", "cross"]
"""Which attention of an encoder–decoder is shown: of a half to itself, or of the decoder to the encoder."""
Value = TypeVar("Value")

MOST_WEIGHTS: Final = 200_000_000
"""Most weights of a run; all of them are in memory: 0.8 GB of float32."""
MOST_LOGITS: Final = 2**28
"""Most logits of a run: 1 GiB of float32."""
NO_LIMIT: Final = 2**30
MOST_REASON: Final = 160
"""Most characters of what another library says."""
_NEAR: Final = 1e-4
"""How far weights computed with the cache may be from those of the whole text."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a model, as ``Architecture`` has them. ``d_head``: of the first layer's keys, or values."""

    kind: str
    d_model: int
    vocabulary: int
    max_tokens: int
    segments: int = 0
    layers: int = 1
    heads: int = 1
    d_head: int = 1
    causal: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ForeignModel:
    """``sites``: the attentions that are shown, by their index in a run of ``module``. ``end``: the ids that end the
    text that the encoder reads, if there is one beside the decoder that is shown, else None; ``crosses``: whether its
    attention to the encoder is shown; ``is_half``: whether an encoder or a decoder of a model with both is shown.
    ``ends``: the ids that end a text which is continued. ``can_guess``: whether the module returns logits; ``caches``:
    whether a text can be continued with transformers' key–value cache. ``kept``: numbers of keys and values of one
    token, in all layers; ``kept_width``: d_k + d_v, the sum over all layers.
    """

    title: Text
    architecture: Shape
    reader: Reader
    module: nn.Module
    device: torch.device
    dtype: torch.dtype
    can_guess: bool
    end: tuple[int, ...] | None = None
    crosses: bool = False
    is_half: bool = False
    ends: frozenset[int] = frozenset()
    sites: tuple[int, ...] = ()
    caches: bool = False
    kept: int = 0
    kept_width: int = 0

    @property
    def most_tokens(self) -> int:
        """The longest text: the model's own limit, or that of what a run stores."""
        size = self.architecture
        stored = isqrt(MOST_WEIGHTS // (size.layers * size.heads))
        if self.can_guess:
            stored = min(stored, MOST_LOGITS // size.vocabulary)
        return max(1, min(size.max_tokens, stored))

    def run_numbers(self, n: int) -> int:
        """About how many numbers a run of n tokens stores: the weights of all heads, and the logits."""
        size = self.architecture
        return size.layers * size.heads * n * n + n * (size.vocabulary if self.can_guess else 0)

    @property
    def can_continue(self) -> bool:
        """Whether it writes a text on token by token."""
        return self.can_guess and self.architecture.causal and self.end is None

    def run(
        self, tokens: Tokens | Tensor, without: Collection[tuple[int, int]] = (), source: Tokens | None = None
    ) -> ForeignRun:
        """Run a text. ``source``: what the encoder reads beside a decoder, the same text if omitted.

        Raises ``ModelError`` as our own ``run`` does, for a source where there is no such encoder, and where
        ``capture`` cannot follow.
        """
        if source is not None and self.end is None:
            raise ModelError(N_("no encoder reads another text beside this one"), place="source")
        segments = None
        if isinstance(tokens, Tokens):
            segments = torch.tensor(tokens.segments)
            tokens = torch.tensor(tokens.ids)
        require_known(self.architecture, tokens, segments, self.most_tokens)
        off = heads_off(self.architecture, without)
        read = self._read_by_encoder(tokens, source)
        named = self._inputs(tokens, segments, read)
        if off:
            pairs = [(self.sites[layer], head) for layer, heads in off.items() for head in heads]
            changed = self._followed(lambda: capture(self.module, named, without=pairs))
            run = self._as_run(tokens, changed.found, changed.after, tuple(sorted(set(without))), None)
        else:
            cache = _empty_cache() if self.caches else None
            found = self.found(named, cache)
            run = self._as_run(tokens, found.attentions, found.output, (), cache)
        return replace(run, keys=tuple(map(self.reader.text, read))) if self.crosses else run

    def _read_by_encoder(self, ids: Tensor, source: Tokens | None) -> tuple[int, ...]:
        """The ids that the encoder reads beside a decoder: those of the source, or of the same text and its end."""
        if source is not None:
            require_known(self.architecture, torch.tensor(source.ids), None, self.most_tokens)
            return source.ids
        return () if self.end is None else (*ids[1:].tolist(), *self.end)

    def continued(self, past: ForeignRun, token: int) -> ForeignRun:
        """The run with one more token, an id. With transformers' cache only the new token is computed; where the run
        has none, the whole text is.
        """
        if not self.can_continue:
            raise ModelError(N_("this model reads a text as a whole; it does not continue it"))
        ids = torch.cat([past.ids, past.ids.new_tensor([token])])
        if past.cache is None:
            return self.run(ids, past.without)
        require_known(self.architecture, ids, None, self.most_tokens)
        cache = deepcopy(past.cache)  # whoever has the run may continue it in another way
        found = self.found({"input_ids": ids[None, -1:].to(self.device)}, cache)
        row = self._as_run(ids, found.attentions, found.output, (), cache)
        layers = tuple(with_row(*pair) for pair in zip(past.layers, row.layers, strict=True))
        logits = None if past.logits is None or row.logits is None else torch.cat([past.logits, row.logits])
        return replace(row, layers=layers, logits=logits, from_cache=True)

    def found(self, named: Mapping[str, Any], cache: Any = None) -> Found:
        """Everything that ``capture`` finds in a run with these inputs; with a ``cache``, which is extended."""
        cached = {} if cache is None else {"past_key_values": cache, "use_cache": True}
        return self._followed(lambda: found_in(self.module, (), {**named, **cached}, Asked()))

    def _inputs(self, ids: Tensor, segments: Tensor | None, read: tuple[int, ...]) -> dict[str, Tensor]:
        rows = ids[None].to(self.device)
        if self.end is not None:
            return {"input_ids": rows.new_tensor([read]), "decoder_input_ids": rows}
        if not self.architecture.segments:
            return {"input_ids": rows}
        own = torch.zeros_like(rows) if segments is None else segments[None].to(self.device)
        return {"input_ids": rows, "token_type_ids": own}

    def _followed(self, act: Callable[[], Value]) -> Value:
        """The result of a run, with every error as a ``ModelError``."""
        kind = quoted(self.architecture.kind)
        try:
            return act()
        except ModuleFailedError as error:
            template = N_("this model of type {kind} fails on this text: {reason}")
            raise ModelError(template, kind=kind, reason=first_line(error.__cause__ or error)) from None
        except InteropError as error:
            template = N_("the heads of this model of type {kind} cannot be followed: {reason}")
            raise ModelError(template, kind=kind, reason=Sentence(error)) from None

    def _as_run(
        self,
        ids: Tensor,
        attentions: Sequence[Captured],
        output: Any,
        without: tuple[tuple[int, int], ...],
        cache: Any,
    ) -> ForeignRun:
        layers = tuple(ForeignLayer(attentions[site], self.architecture.causal) for site in self.sites)
        logits = output_of(output)[0].to(self.dtype) if self.can_guess else None
        return ForeignRun(ids.cpu(), layers, logits, without, cache)


def first_line(error: BaseException, folder: str = "") -> str:
    """What an error of another library says, in one line, without the folder's path."""
    text = str(error).replace(folder, "…") if folder else str(error)
    line = next((line.strip() for line in text.splitlines() if line.strip()), type(error).__name__)
    return isolated("".join(sign for sign in line if sign.isprintable()))[:MOST_REASON]


def _empty_cache() -> Any:
    """Keys and values of no tokens. It keeps those of all tokens, also in layers with a window."""
    from transformers import DynamicCache  # noqa: PLC0415  # optional, and slow to import

    return DynamicCache()


# --- what a short run shows ----------------------------------------------------------------------------------------


def probed(model: ForeignModel) -> ForeignModel:
    """The model with its sites, layers, heads and direction, from a short run of it.

    Raises ``ModelError`` where ``capture`` cannot follow it, where nothing in it attends to the text, and where its
    layers have different numbers of heads.
    """
    ids = _plain_ids(model)
    rows = ids[None].to(model.device)
    named = {"input_ids": rows}
    if model.end is not None:
        ids = ids[:-2]  # as many tokens as only the decoder's own attention has on both sides
        named["decoder_input_ids"] = rows[:, :-2]
    found = model.found(named).attentions
    size = (len(ids), rows.shape[1] if model.crosses else len(ids))
    sites = tuple(index for index, one in enumerate(found) if one.weights.shape[1:] == size)
    if not sites:
        raise ModelError(
            N_("this model of type {kind} has no self-attention over the tokens of a text"),
            kind=quoted(model.architecture.kind),
        )
    counts = sorted({len(found[site].weights) for site in sites})
    if len(counts) > 1:
        raise ModelError(
            N_(
                "the layers of this model have different numbers of heads ({counts}); they cannot be shown side by side"
            ),
            counts=", ".join(map(str, counts)),
        )
    first = found[sites[0]]
    shape = replace(
        model.architecture,
        layers=len(sites),
        heads=counts[0],
        d_head=(first.v if first.q is None else first.q).shape[-1],
        causal=not model.crosses and not any(found[site].weights.triu(1).any() for site in sites),
    )
    sizes = [
        ((one.v if one.k is None else one.k).shape, one.v.shape) for one in map(found.__getitem__, sites)
    ]
    model = replace(
        model,
        architecture=shape,
        sites=sites,
        kept=sum(k[0] * k[-1] + v[0] * v[-1] for k, v in sizes),
        kept_width=sum(k[-1] + v[-1] for k, v in sizes),
    )
    return _with_cache(model, ids) if model.can_continue else model


def _plain_ids(model: ForeignModel) -> Tensor:
    """Six ids, none of them special if there are others."""
    known = range(min(model.architecture.vocabulary, 1000))
    plain = [number for number in known if number not in model.reader.special][-6:] or [0]
    return torch.tensor((plain * 6)[:6])


def _with_cache(model: ForeignModel, ids: Tensor) -> ForeignModel:
    """The model with ``caches`` if transformers' cache, followed by ``capture``, gives the whole text's weights."""
    cached = replace(model, caches=True)
    try:
        past = cached.run(ids[:-1])
        layers = cached.continued(past, int(ids[-1])).layers
        kept = sum(layer.keys[0, :, 0].numel() + layer.values[0, :, 0].numel() for layer in past.cache.layers)
    except Exception:  # noqa: BLE001  # a cache of another kind, or none: then the whole text is run again
        return model
    is_near = all(
        bool((one.weights - other.weights).abs().max() <= _NEAR)
        for one, other in zip(layers, model.run(ids).layers, strict=True)
    )
    return replace(cached, kept=kept) if is_near else model
