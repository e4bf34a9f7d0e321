"""A small encoder–decoder of the same attention (Vaswani et al. 2017, with the norms before each part).

    m = E[source] (+ P[position]);  in each encoder layer, in which every token sees every other,
    m = m + attention(norm(m));  m = m + feed_forward(norm(m));  at the end memory = norm(m)
    x = E[target] (+ P[position]);  in each decoder layer
    x = x + attention(norm(x));  x = x + attention(norm(x), memory);  x = x + feed_forward(norm(x))
    logits = norm(x)·W + b

A line is its source, an arrow and its target. The encoder reads the source. The decoder reads from the arrow on, so
that the arrow is what it starts with. With relative positions no number is added where the decoder looks at the memory:
a distance between two texts means little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from mha_core.errors import N_, TrainError
from mha_core.train.decoder import Attention, Decoder, Kind, Layer, Part, Pass, Sides, causal
from mha_core.train.lines import ARROW, ARROW_ID
from mha_core.train.settings import Settings


class EncoderDecoder(Decoder):
    """Logits before the arrow mean nothing: nothing is learned there."""

    def add_layers(self, settings: Settings, longest: int) -> None:
        """The encoder's layers, then the decoder's."""
        self.encoder = nn.ModuleList(Layer(settings, longest, causal=False) for _ in range(settings.layers))
        for (
            layer
        ) in self.encoder_blocks:  # each token is itself at first, so that words are found where they are
            nn.init.zeros_(layer.attention.output.weight)
        self.memory_norm = nn.LayerNorm(settings.d_model)
        self.layers = nn.ModuleList(CrossLayer(settings, longest) for _ in range(settings.layers))

    def computed(self, ids: Tensor, run: Pass) -> Tensor:
        """The logits of ``forward``."""
        split = _split(ids)
        seen = split.is_source[:, None, None]
        memory = run.dropped(self.embedded(split.source))
        for layer in self.encoder_blocks:
            memory = run.feed(layer, run.attend(layer.attention, layer.attention_norm, memory, seen))
        memory = self.memory_norm(memory)
        x, visible = run.dropped(self.embedded(split.target)), causal(split.target)
        for block in self.cross_blocks:
            x = run.attend(block.attention, block.attention_norm, x, visible)
            x = run.feed(block, run.attend(block.cross, block.cross_norm, x, seen, memory))
        logits: Tensor = self.logits(self.norm(x))
        return logits.gather(1, split.back[..., None].expand(-1, -1, logits.shape[-1]))

    @property
    def encoder_blocks(self) -> list[Layer]:
        """The encoder's layers in order."""
        return [layer for layer in self.encoder if isinstance(layer, Layer)]

    @property
    def cross_blocks(self) -> list[CrossLayer]:
        """The decoder's layers in order."""
        return [layer for layer in self.layers if isinstance(layer, CrossLayer)]

    @property
    def attentions(self) -> list[Attention]:
        """In the order in which they are computed."""
        encoder = [layer.attention for layer in self.encoder_blocks]
        return [*encoder, *(one for layer in self.cross_blocks for one in (layer.attention, layer.cross))]

    @property
    def parts(self) -> list[Part]:
        """What each attention is."""
        layers = range(len(self.layers))
        decoder = [part for at in layers for part in (Part("decoder", at), Part("cross", at))]
        return [*(Part("encoder", at) for at in layers), *decoder]

    def sides(self, tokens: Sequence[str]) -> Mapping[Kind, Sides]:
        """Which of a line's tokens are queries and which are keys, in each kind of part. Raises ``TrainError`` for a
        line without a source or an arrow.
        """
        arrow = tokens.index(ARROW) if ARROW in tokens else 0
        if not arrow:
            raise TrainError(N_("expected a source and then {arrow}"), place="prompt", arrow=ARROW)
        source, target = tokens[:arrow], tokens[arrow:]
        return {
            "encoder": Sides(source, source),
            "decoder": Sides(target, target),
            "cross": Sides(target, source),
        }


class CrossLayer(Layer):
    """A decoder's layer that also looks at the memory."""

    def __init__(self, settings: Settings, longest: int) -> None:
        super().__init__(settings, longest)
        self.cross_norm = nn.LayerNorm(settings.d_model)
        self.cross = Attention(settings, None)


class _Split(NamedTuple):
    """source: b × s; is_source: b × s, False where a shorter one is filled up; target: b × t, from the arrow on; back:
    b × n, for each token of a line its place in the target.
    """

    source: Tensor
    is_source: Tensor
    target: Tensor
    back: Tensor


def _split(ids: Tensor) -> _Split:
    """Lines at their arrows; each has one, and a source."""
    n = ids.shape[-1]
    arrows = (ids == ARROW_ID).int().argmax(-1, keepdim=True)
    places = torch.arange(n, device=ids.device)
    sources, targets = int(arrows.max()), n - int(arrows.min())
    return _Split(
        ids[:, :sources],
        places[:sources] < arrows,
        ids.gather(1, (arrows + places[:targets]).clamp(max=n - 1)),
        (places - arrows).clamp(min=0),
    )


def model_of(settings: Settings, vocabulary: int, longest: int) -> Decoder:
    """A model of the architecture that the settings name."""
    kind = EncoderDecoder if settings.architecture == "encoder-decoder" else Decoder
    return kind(settings, vocabulary, longest)
