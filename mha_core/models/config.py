"""What a model is, read from its folder's ``config.json``: sizes, kind, positions. Nothing is guessed from the weights.

A setting that the file omits has the default that the format documents, as GPT-2's ``"n_inner": null`` means 4·d_model;
sizes have no default and are required. Settings that would change the computation and are not supported here are
refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from mha_core.errors import N_
from mha_core.example.model import BASE
from mha_core.interop.saved.rope import Rope, rope_of
from mha_core.interop.saved.settings import (
    FILE,
    MAX_FILE,
    Activation,
    Settings,
    UnsupportedError,
    read_json,
)
from mha_core.quoted import quoted

Family: TypeAlias = Literal["bert", "gpt2", "llama"]

MAX_COUNT = 1024
"""Most layers, and most heads of a layer."""
MAX_WIDTH = 1_000_000
"""Most columns of anything."""
MAX_ROWS = 100_000_000
"""Most pieces of a vocabulary, and most positions."""


class Sizes(Protocol):
    """The sizes that every model has, whoever computes it; the words are those of ``Architecture``."""

    @property
    def layers(self) -> int:
        """How many layers of heads there are."""
        ...

    @property
    def heads(self) -> int:
        """How many heads each layer has."""
        ...

    @property
    def vocabulary(self) -> int:
        """How many pieces the vocabulary has."""
        ...

    @property
    def segments(self) -> int:
        """How many kinds of segment there are; 0 for none."""
        ...


@dataclass(frozen=True, slots=True)
class Architecture:
    """The sizes and the kind of a model.

    ``kind``: the ``model_type`` of its config.json, such as "roberta"; ``family``: its computation: "bert", an encoder
    whose LayerNorm follows each residual sum; "gpt2", a decoder whose LayerNorm comes first; "llama", a decoder with
    RMSNorm, gated feed-forward and rotary positions. ``kv_heads``: heads with keys and values of their own.
    ``segments``: how many kinds of segment there are, 0 where the model has none. ``padding``: the id of the padding
    token where, as in RoBERTa, the table of positions has rows for it and all ids below. ``qkv_bias``, ``output_bias``,
    ``inner_bias``: whether the projections to Q, K, V, W_O and the feed-forward have biases. ``tied``: whether input
    and output words share one table. ``window``: how many tokens, itself included, a token sees; None for all.
    """

    kind: str
    family: Family
    layers: int
    heads: int
    kv_heads: int
    d_model: int
    d_head: int
    d_inner: int
    vocabulary: int
    max_tokens: int
    eps: float
    activation: Activation
    segments: int = 0
    padding: int | None = None
    rope: Rope | None = None
    qkv_bias: bool = True
    output_bias: bool = True
    inner_bias: bool = True
    tied: bool = True
    window: int | None = None

    @property
    def places(self) -> int:
        """Rows of the table of positions."""
        return self.max_tokens + (0 if self.padding is None else self.padding + 1)

    @property
    def causal(self) -> bool:
        """Whether a token sees only itself and earlier ones."""
        return self.family != "bert"


def read_architecture(folder: Path) -> Architecture:
    """The architecture from a folder's config.json. Raises ``ModelError``, which names the setting."""
    return architecture(read_json(folder / FILE, MAX_FILE))


def architecture(config: Mapping[str, Any]) -> Architecture:
    """The architecture from the settings of a config.json."""
    kind = config.get("model_type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise UnsupportedError(
            N_("models of type {kind} are not supported; the supported types are: {kinds}"),
            place=f"{FILE}: model_type",
            kind=quoted(kind),
            kinds=", ".join(_READERS),
        )
    return reader(Settings(config))


def _divided(settings: Settings, name: str, width: int) -> tuple[int, int]:
    """How many heads this setting gives, and the columns of each."""
    heads = settings.whole(name, MAX_COUNT)
    if width % heads:
        raise settings.wrong(name, N_("{width} columns are not divisible by {got} heads"), heads, width=width)
    return heads, width // heads


# --- encoders ----------------------------------------------------------------------------------------------------


def _bert(settings: Settings) -> Architecture:
    settings.only("position_embedding_type", "absolute", None)
    settings.only("is_decoder", False, None)
    settings.only("add_cross_attention", False, None)
    d_model = settings.whole("hidden_size", MAX_WIDTH)
    heads, d_head = _divided(settings, "num_attention_heads", d_model)
    return Architecture(
        kind=settings.kind,
        family="bert",
        layers=settings.whole("num_hidden_layers", MAX_COUNT),
        heads=heads,
        kv_heads=heads,
        d_model=d_model,
        d_head=d_head,
        d_inner=settings.whole("intermediate_size", MAX_WIDTH),
        vocabulary=settings.whole("vocab_size", MAX_ROWS),
        max_tokens=settings.whole("max_position_embeddings", MAX_ROWS),
        eps=settings.number("layer_norm_eps", 1e-12),
        activation=settings.activation("hidden_act", "gelu"),
        segments=settings.whole("type_vocab_size", MAX_COUNT, 2),
        tied=settings.flag("tie_word_embeddings", absent=True),
    )


def _roberta(settings: Settings) -> Architecture:
    """As BERT, except that positions count from the row after that of the padding token."""
    settings.only("hidden_act", "gelu")
    padding = settings.whole("pad_token_id", MAX_ROWS, 1)
    whole = _bert(settings)
    if padding >= whole.max_tokens - 1:
        raise settings.wrong(
            "pad_token_id", N_("expected a number below that of the positions, got {got}"), padding
        )
    return replace(whole, padding=padding, max_tokens=whole.max_tokens - padding - 1)


def _distilbert(settings: Settings) -> Architecture:
    d_model = settings.whole("dim", MAX_WIDTH)
    heads, d_head = _divided(settings, "n_heads", d_model)
    return Architecture(
        kind=settings.kind,
        family="bert",
        layers=settings.whole("n_layers", MAX_COUNT),
        heads=heads,
        kv_heads=heads,
        d_model=d_model,
        d_head=d_head,
        d_inner=settings.whole("hidden_dim", MAX_WIDTH),
        vocabulary=settings.whole("vocab_size", MAX_ROWS),
        max_tokens=settings.whole("max_position_embeddings", MAX_ROWS),
        eps=1e-12,
        activation=settings.activation("activation", "gelu"),
        tied=settings.flag("tie_word_embeddings", absent=True),
    )


# --- decoders ----------------------------------------------------------------------------------------------------


def _gpt2(settings: Settings) -> Architecture:
    settings.only("scale_attn_weights", True)
    settings.only("scale_attn_by_inverse_layer_idx", False)
    settings.only("add_cross_attention", False)
    d_model = settings.whole("n_embd", MAX_WIDTH)
    heads, d_head = _divided(settings, "n_head", d_model)
    return Architecture(
        kind=settings.kind,
        family="gpt2",
        layers=settings.whole("n_layer", MAX_COUNT),
        heads=heads,
        kv_heads=heads,
        d_model=d_model,
        d_head=d_head,
        d_inner=settings.whole("n_inner", MAX_WIDTH, 4 * d_model),
        vocabulary=settings.whole("vocab_size", MAX_ROWS),
        max_tokens=settings.whole("n_positions", MAX_ROWS),
        eps=settings.number("layer_norm_epsilon", 1e-5),
        activation=settings.activation("activation_function", "gelu_new"),
        tied=settings.flag("tie_word_embeddings", absent=True),
    )


def _llama(settings: Settings) -> Architecture:
    has_bias = settings.flag("attention_bias", absent=False)
    inner_bias = settings.flag("mlp_bias", absent=False)
    return replace(_grouped(settings), qkv_bias=has_bias, output_bias=has_bias, inner_bias=inner_bias)


def _mistral(settings: Settings) -> Architecture:
    """A token sees only a window of earlier ones."""
    whole = _grouped(settings)
    window = settings.whole("sliding_window", MAX_ROWS, whole.max_tokens)
    return replace(whole, window=window if window < whole.max_tokens else None)


def _qwen2(settings: Settings) -> Architecture:
    settings.only("use_sliding_window", False)
    return replace(_grouped(settings), qkv_bias=True)


def _grouped(settings: Settings) -> Architecture:
    """What Llama and similar models have in common; no biases."""
    d_model = settings.whole("hidden_size", MAX_WIDTH)
    heads = settings.whole("num_attention_heads", MAX_COUNT)
    kv_heads = settings.whole("num_key_value_heads", MAX_COUNT, heads)
    if heads % kv_heads:
        raise settings.wrong(
            "num_key_value_heads",
            N_("{heads} heads are not divisible into {got} groups"),
            kv_heads,
            heads=heads,
        )
    if settings.given.get("head_dim") is None:
        heads, d_head = _divided(settings, "num_attention_heads", d_model)
    else:
        d_head = settings.whole("head_dim", MAX_WIDTH)
    if d_head % 2:
        raise settings.wrong(
            "head_dim", N_("rotary positions rotate columns in pairs, but {got} is odd"), d_head
        )
    most = settings.whole("max_position_embeddings", MAX_ROWS)
    return Architecture(
        kind=settings.kind,
        family="llama",
        layers=settings.whole("num_hidden_layers", MAX_COUNT),
        heads=heads,
        kv_heads=kv_heads,
        d_model=d_model,
        d_head=d_head,
        d_inner=settings.whole("intermediate_size", MAX_WIDTH),
        vocabulary=settings.whole("vocab_size", MAX_ROWS),
        max_tokens=most,
        eps=settings.number("rms_norm_eps", 1e-6),
        activation=settings.activation("hidden_act", "silu"),
        rope=_rope(settings, d_head, most),
        qkv_bias=False,
        output_bias=False,
        inner_bias=False,
        tied=settings.flag("tie_word_embeddings", absent=False),
    )


def _rope(settings: Settings, d_head: int, most: int) -> Rope:
    """The rotary positions of texts of at most ``most`` tokens, from ``rope_parameters``, or in files from before 2025
    from ``rope_theta`` and ``rope_scaling``.
    """
    settings.only("partial_rotary_factor", 1.0, None)
    given = settings.part("rope_parameters") or settings.part("rope_scaling") or Settings({})
    given.only("partial_rotary_factor", 1.0, None)
    theta = (given if "rope_theta" in given.given else settings).number("rope_theta", BASE)
    rope = rope_of(settings, given, theta, d_head, most)
    if rope is None:
        kind = given.given.get("rope_type", given.given.get("type"))
        raise given.unsupported(
            "rope_type",
            N_("{got} is not supported here; the supported ones are: {known}"),
            kind,
            known=_ROPES,
        )
    return rope


_ROPES = "default, linear, dynamic, llama3, yarn"
_READERS: dict[str, Callable[[Settings], Architecture]] = {
    "bert": _bert,
    "roberta": _roberta,
    "xlm-roberta": _roberta,
    "distilbert": _distilbert,
    "gpt2": _gpt2,
    "llama": _llama,
    "mistral": _mistral,
    "qwen2": _qwen2,
}
"""The kinds of model by their ``model_type``."""
