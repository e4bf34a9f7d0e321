"""What a config.json says about a layer's attention: divisor, mask, positions, and settings that are not supported.

The known kinds of model are those that transformers 5 computes in a single way. For any other kind nothing is assumed,
and the settings of its config about attention are listed. A setting that no example can compute with is refused for
every kind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import torch

from mha_core.errors import N_
from mha_core.example.model import BASE, MAX_SIZE, Pairs, Row, Scale
from mha_core.interop.rope import Rope, frequencies, scaled_rope
from mha_core.interop.settings import Settings

_MOST = 1_000_000
"""The largest whole number that a setting of attention may have."""


@dataclass(frozen=True, slots=True)
class Rotary:
    """Rotary positions. ``frequencies``: one for each pair of rotated columns; ``columns``: how many columns of a head
    are rotated; ``pairs``: which of them rotate together, neighbours or columns half of ``columns`` apart.
    """

    frequencies: Row
    columns: int
    pairs: Pairs


@dataclass(frozen=True, slots=True)
class Attention:
    """How the scores of a layer are computed, according to its model's config.json.

    ``window``: how many keys a query sees, the last of them its own; None: all. ``taken``: the settings that were used;
    ``ignored``: settings that may change scores and were not used because the kind of model is not known; ``refused``:
    settings that no example can compute with. ``fits``: False if the config is for layers of another width, so that
    nothing of it is used.
    """

    scale: Scale = "sqrt_dk"
    causal: bool = False
    window: int | None = None
    rotary: Rotary | None = None
    alibi: bool = False
    taken: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    fits: bool = True


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a kind of model does, whether or not its config says so.

    ``decoder``: a query sees no later key; None: if the layer's name says that it is a decoder's. ``divisor``:
    "sqrt_dk", "none", or the name of the setting. ``window``: which layers have one. ``pairs``: the columns that rotary
    positions rotate together, None without rotary positions; ``base`` and ``part``: their defaults.
    """

    decoder: bool | None = False
    divisor: str = "sqrt_dk"
    window: str = ""
    pairs: Pairs | None = None
    base: float = BASE
    part: float = 1.0


_KINDS: Final[dict[str, _Kind]] = {
    **dict.fromkeys(("bert", "roberta", "xlm-roberta", "electra", "distilbert"), _Kind()),
    **dict.fromkeys(("albert", "deberta-v2", "vit"), _Kind()),
    **dict.fromkeys(("bart", "whisper"), _Kind(decoder=None)),
    "t5": _Kind(decoder=None, divisor="none"),
    "opt": _Kind(decoder=True),
    "gpt2": _Kind(decoder=True, divisor="scale_attn_weights"),
    "gpt_neo": _Kind(decoder=True, divisor="none", window="attention_types"),
    "gptj": _Kind(decoder=True, pairs="interleaved"),
    **dict.fromkeys(("llama", "gemma", "olmo", "olmo2"), _Kind(decoder=True, pairs="half")),
    "granite": _Kind(decoder=True, divisor="attention_multiplier", pairs="half"),
    "phi": _Kind(decoder=True, pairs="half", part=0.5),
    **dict.fromkeys(("mistral", "starcoder2"), _Kind(decoder=True, window="all", pairs="half")),
    "mixtral": _Kind(decoder=True, window="all", pairs="half", base=1e6),
    **dict.fromkeys(("qwen2", "qwen3"), _Kind(decoder=True, window="last", pairs="half")),
    "gemma2": _Kind(decoder=True, divisor="query_pre_attn_scalar", window="every other", pairs="half"),
    "gemma3_text": _Kind(
        decoder=True, divisor="query_pre_attn_scalar", window="five of six", pairs="half", base=1e6
    ),
    "gpt_oss": _Kind(decoder=True, window="every other", pairs="half", base=150000.0),
}
"""By ``model_type``: kinds with separate matrices for Q, K and V, and GPT-2."""

_CROSS_ATTENTION = re.compile(r"encoder_attn|encdecattention|cross_?att", re.IGNORECASE)
_OFF: Final[tuple[object, ...]] = (None, False, 0, "absolute", "none", "full", [], {})
_UNSUPPORTED: Final = (
    "attn_logit_softcapping",
    "attn_logit_softcap",
    "clip_qkv",
    "qk_layernorm",
    "use_qk_norm",
    "qk_norm",
    "relative_attention",
    "relative_attention_num_buckets",
    "use_bidirectional_attention",
    "attn_temperature_tuning",
)
"""Settings that compute scores as no example can, if they are on."""
_MAY_CHANGE_SCORES: Final = (
    "scale_attn_weights",
    "scale_attn_by_inverse_layer_idx",
    "query_pre_attn_scalar",
    "attention_multiplier",
    "softmax_scale",
    "is_decoder",
    "sliding_window",
    "window_size",
    "attention_chunk_size",
    "layer_types",
    "rope_theta",
    "rope_parameters",
    "rope_scaling",
    "rotary_dim",
    "rotary_pct",
    "rotary_emb_base",
    "partial_rotary_factor",
    "no_rope_layers",
    "position_embedding_type",
    "text_config",
    "vision_config",
)
"""Settings that change scores in the kinds of model that have them; listed if the kind is not known."""


def attends_elsewhere(name: str) -> bool:
    """Whether the layer's name says that its keys and values come from elsewhere, such as an encoder."""
    return _CROSS_ATTENTION.search(name) is not None


def attention_of(config: Mapping[str, Any], name: str, d_k: int) -> Attention:
    """What the config says about the layer of this name, whose heads have d_k columns.

    Raises ``ModelError`` naming the setting if one has an impossible value.
    """
    settings, kind = Settings(config), config.get("model_type")
    elsewhere = attends_elsewhere(name)
    refused = tuple(
        setting
        for setting in _UNSUPPORTED
        if not _is_off(config.get(setting)) and not (elsewhere and setting.startswith("relative_attention"))
    )
    if str(config.get("position_embedding_type", "")).startswith("relative"):
        refused = (*refused, "position_embedding_type")
    alibi = not elsewhere and (
        config.get("alibi") is True or config.get("position_embedding_type") == "alibi"
    )
    alibi_from = ("alibi" if config.get("alibi") is True else "position_embedding_type",) if alibi else ()
    known = _KINDS.get(kind) if isinstance(kind, str) else None
    if known is None:
        handled = (*refused, *alibi_from)
        on = (setting for setting in _MAY_CHANGE_SCORES if not _is_off(config.get(setting)))
        ignored = tuple(setting for setting in on if setting not in handled)
        return Attention(alibi=alibi, taken=alibi_from, ignored=ignored, refused=refused)
    scale, scaled_by = _scale(settings, known, _index(name), d_k)
    if elsewhere:
        return Attention(scale, taken=("model_type", *scaled_by), refused=refused)
    causal = "decoder" in name if known.decoder is None else known.decoder
    window, window_by = _window(settings, known, _index(name))
    rotary, rotary_by, unsupported = _rotary(settings, known, d_k, slides=window is not None)
    return Attention(
        scale,
        causal or settings.flag("is_decoder", absent=False),
        window,
        rotary,
        alibi,
        taken=("model_type", *scaled_by, *window_by, *rotary_by, *alibi_from),
        refused=(*refused, *unsupported),
    )


def _is_off(value: object) -> bool:
    return any(type(value) is type(off) and value == off for off in _OFF)


def _index(name: str) -> int:
    """The layer's index in its model, from 0: the first part of its name that is a number."""
    number = re.search(r"(?:\A|\.)(\d{1,5})\.", name)
    return int(number[1]) if number else 0


def _scale(settings: Settings, kind: _Kind, index: int, d_k: int) -> tuple[Scale, tuple[str, ...]]:
    """The divisor, and the settings that it comes from."""
    match kind.divisor:
        case "query_pre_attn_scalar" as name:
            return sqrt(settings.number(name, 256.0)), (name,)
        case "attention_multiplier" as name:
            return 1 / settings.number(name, 1.0), (name,)
        case "scale_attn_weights" as name:
            divides = settings.flag(name, absent=True)
            by_layer = settings.flag("scale_attn_by_inverse_layer_idx", absent=False)
            scaled_by = (name, "scale_attn_by_inverse_layer_idx") if by_layer else () if divides else (name,)
            if by_layer:
                return (sqrt(d_k) if divides else 1.0) * (index + 1), scaled_by
            return "sqrt_dk" if divides else "none", scaled_by
        case divisor:
            return "none" if divisor == "none" else "sqrt_dk", ()


def _window(settings: Settings, kind: _Kind, index: int) -> tuple[int | None, tuple[str, ...]]:
    """How many keys a query of this layer sees, and the settings that this comes from."""
    if kind.window == "attention_types":
        is_local = _types_of_gpt_neo(settings, index) == "local"
        return (
            (settings.whole("window_size", _MOST, 256), ("attention_types", "window_size"))
            if is_local
            else (None, ())
        )
    uses = kind.window != "last" or settings.flag("use_sliding_window", absent=False)
    if not kind.window or not uses or settings.given.get("sliding_window") is None:
        return None, ()
    types = settings.given.get("layer_types")
    is_listed = kind.window != "all" and isinstance(types, list) and index < len(types)
    slides = types[index] == "sliding_attention" if is_listed else _slides(settings, kind, index)  # type: ignore[index]
    taken = ("layer_types", "sliding_window") if is_listed else ("sliding_window",)
    return (settings.whole("sliding_window", _MOST), taken) if slides else (None, ())


def _slides(settings: Settings, kind: _Kind, index: int) -> bool:
    """Whether this layer has the window if the config does not list the layers."""
    match kind.window:
        case "last":
            return index >= settings.whole("max_window_layers", _MOST, 28)
        case "five of six":
            return (index + 1) % settings.whole("sliding_window_pattern", _MOST, 6) != 0
        case which:
            return which == "all" or index % 2 == 0


def _types_of_gpt_neo(settings: Settings, index: int) -> str:
    """The layer's entry in ``attention_types``: [[["global", "local"], 12]] means these two, twelve times."""
    given = settings.given.get("attention_types") or [[["global", "local"], 12]]
    try:
        return str([kind for kinds, times in given for kind in list(kinds) * int(times)][index])
    except (TypeError, ValueError, IndexError):
        raise settings.wrong(
            "attention_types",
            N_("expected the type of layer {index}, global or local, got {got}"),
            given,
            index=index,
        ) from None


# --- rotary positions ------------------------------------------------------------------------------------------


def _rotary(
    settings: Settings, kind: _Kind, d_k: int, *, slides: bool
) -> tuple[Rotary | None, tuple[str, ...], tuple[str, ...]]:
    """The rotary positions, the settings that they come from, and the setting that no example can compute with."""
    if kind.pairs is None:
        return None, (), ()
    name = "rope_parameters" if settings.given.get("rope_parameters") else "rope_scaling"
    given = settings.part(name) or Settings({})
    given = given.part("sliding_attention" if slides else "full_attention") or given  # Gemma 3 has two
    columns, part_by = _rotated_columns(settings, given, kind, d_k)
    source = given if "rope_theta" in given.given else settings
    base, base_by = source.number("rope_theta", kind.base), "rope_theta" if source is settings else name
    if slides and "rope_local_base_freq" in settings.given:
        base, base_by = settings.number("rope_local_base_freq"), "rope_local_base_freq"
    rope = _rope(settings, given, base)
    if rope is None:
        return None, (), (f"{name}.rope_type",)
    taken = tuple(dict.fromkeys((base_by, *part_by, *((name,) if given.given else ()))))
    return Rotary(tuple(frequencies(rope, columns, torch.float64).tolist()), columns, kind.pairs), taken, ()


def _rotated_columns(
    settings: Settings, given: Settings, kind: _Kind, d_k: int
) -> tuple[int, tuple[str, ...]]:
    """How many columns of a head are rotated, and the setting that this comes from."""
    if kind.pairs == "interleaved":
        name, columns = "rotary_dim", settings.whole("rotary_dim", _MOST, 64)
    else:
        name = "partial_rotary_factor"
        source = given if name in given.given else settings
        columns = int(d_k * source.number(name, kind.part))
    if columns % 2 or not 0 < columns <= d_k:
        raise settings.wrong(
            name, N_("expected an even number of rotated columns, at most {d_k}, got {got}"), columns, d_k=d_k
        )
    return columns, () if columns == d_k else (name,)


def _rope(settings: Settings, given: Settings, base: float) -> Rope | None:
    """The rotation of the columns; None for a kind that scales the scores as well, or is not known."""
    if given.given.get("rope_type", given.given.get("type")) != "dynamic":
        return scaled_rope(given, base)
    is_short = settings.whole("max_position_embeddings", 10**9) >= MAX_SIZE
    return Rope(base) if is_short else None  # only texts beyond the model's maximum turn more slowly
