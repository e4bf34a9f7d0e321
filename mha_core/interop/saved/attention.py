"""What a config.json says about a layer's attention: divisor, mask, positions, and settings that are not supported.

For a kind of model that is not known (``kinds``), nothing is assumed, and the settings of its config about attention
are listed. A setting that no example can compute with is refused for every kind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import torch

from mha_core.errors import N_
from mha_core.example.model import BASE, EPS, MAX_SIZE, Pairs, Row, Scale
from mha_core.interop.saved.kinds import KINDS, OWN_FILES, Gains, Kind
from mha_core.interop.saved.rope import frequencies, rope_of
from mha_core.interop.saved.settings import FILE, Settings

_MOST = 1_000_000
"""The largest whole number that a setting of attention may have."""


@dataclass(frozen=True, slots=True)
class Rotary:
    """Rotary positions. ``frequencies``: one for each pair of rotated columns; ``columns``: how many columns of a head
    are rotated; ``pairs``: which of them rotate together, neighbours or columns half of ``columns`` apart; ``factor``:
    what rotated queries and keys are multiplied by.
    """

    frequencies: Row
    columns: int
    pairs: Pairs
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Attention:
    """How the scores of a layer are computed, according to its model's config.json, or another ``file``.

    ``window``: of the mask, as in an example (``BandMask``); None: all keys.
    ``softcap``: as in an example. ``sinks``: the name of the layer's tensor with each head's sink. ``gains``: of the
    norm of queries and keys, as ``kinds`` has them, with its ``eps``. ``alibi``: what the slopes of ALiBi are
    multiplied by; None without ALiBi.
    ``taken``: the settings that were used; ``ignored``: settings that may change scores and were not used because the
    kind of model is not ``known``; ``refused``: settings that no example can compute with. ``fits``: False if the
    config is for layers of another width, so that nothing of it is used.
    """

    scale: Scale = "sqrt_dk"
    causal: bool = False
    window: int | None = None
    rotary: Rotary | None = None
    softcap: float | None = None
    sinks: str = ""
    gains: Gains | None = None
    eps: float = EPS
    alibi: float | None = None
    taken: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    fits: bool = True
    known: bool = True
    file: str = FILE


_EXACT_HEADS: Final = 8
_EPS: Final = "rms_norm_eps"
_BASES: Final = ("rope_theta", "rotary_emb_base", "global_rope_theta")
"""The settings with the base of rotary positions, in the kinds of model that have them."""
_LOCAL_BASES: Final = ("rope_local_base_freq", "local_rope_theta")
"""The same in layers with a window."""
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
    "use_scaled_rope",
    "use_shared_relative_position_bias",
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
    "attn_config",
    "text_config",
    "vision_config",
)
"""Settings that change scores in the kinds of model that have them; listed if the kind is not known."""


def attends_elsewhere(name: str) -> bool:
    """Whether the layer's name says that its keys and values come from elsewhere, such as an encoder."""
    return _CROSS_ATTENTION.search(name) is not None


def attention_of(settings: Settings, name: str, d_k: int, heads: int) -> Attention:
    """What the config says about the layer of this name, with this many heads of d_k columns.

    Raises ``ModelError`` naming the setting if one has an impossible value.
    """
    config, kind = settings.given, settings.given.get("model_type")
    elsewhere = attends_elsewhere(name)
    known = KINDS.get(kind) if isinstance(kind, str) else None
    refused = tuple(
        setting
        for setting in _UNSUPPORTED
        if not _is_off(config.get(setting))
        and not (elsewhere and setting.startswith("relative_attention"))
        and not (known and setting == known.softcap)
    )
    if str(config.get("position_embedding_type", "")).startswith("relative"):
        refused = (*refused, "position_embedding_type")
    kind_from = "model_type"
    if known is None and settings.file != FILE:
        known, kind_from = OWN_FILES, "n_heads"
    if known is None:
        return _of_unknown(config, refused, elsewhere=elsewhere)
    scale, scaled_by = _scale(settings, known, _index(name), d_k)
    if elsewhere:
        return Attention(scale, taken=(kind_from, *scaled_by), refused=refused, file=settings.file)
    causal = "decoder" in name if known.decoder is None else known.decoder
    window, window_by = _window(settings, known, _index(name))
    alibi, alibi_by, no_alibi = _alibi(settings, known, d_k, heads)
    has_rotary = not (alibi_by or no_alibi)
    rotary, rotary_by, no_rotary = (
        _rotary(settings, known, d_k, slides=window is not None) if has_rotary else (None, (), ())
    )
    capped = bool(known.softcap) and not _is_off(config.get(known.softcap))
    return Attention(
        scale,
        causal or settings.flag("is_decoder", absent=False),
        window,
        rotary,
        settings.number(known.softcap) if capped else None,
        known.sinks,
        known.gains,
        settings.number(_EPS, EPS) if known.gains else EPS,
        alibi,
        taken=(
            kind_from,
            *scaled_by,
            *window_by,
            *rotary_by,
            *alibi_by,
            *((known.softcap,) if capped else ()),
            *((_EPS,) if known.gains else ()),
        ),
        refused=(*refused, *no_rotary, *no_alibi),
        file=settings.file,
    )


def _of_unknown(config: Mapping[str, Any], refused: tuple[str, ...], *, elsewhere: bool) -> Attention:
    """What is said about a layer of an unknown kind of model; ``elsewhere``: its keys are not those of the queries."""
    alibi_by = _alibi_setting(config, elsewhere=elsewhere)
    on = (setting for setting in _MAY_CHANGE_SCORES if not _is_off(config.get(setting)))
    ignored = tuple(setting for setting in on if setting not in (*refused, *alibi_by))
    alibi = 1.0 if alibi_by else None
    return Attention(alibi=alibi, taken=alibi_by, ignored=ignored, refused=refused, known=False)


def _is_off(value: object) -> bool:
    return any(type(value) is type(off) and value == off for off in _OFF)


def _index(name: str) -> int:
    """The layer's index in its model, from 0: the first part of its name that is a number."""
    number = re.search(r"(?:\A|\.)(\d{1,5})\.", name)
    return int(number[1]) if number else 0


def _alibi_setting(config: Mapping[str, Any], *, elsewhere: bool) -> tuple[str, ...]:
    """The setting that turns ALiBi on, if one does."""
    on = {"alibi": config.get("alibi") is True, "position_embedding_type": _is_alibi(config)}
    return tuple(name for name, is_on in on.items() if is_on and not elsewhere)[:1]


def _is_alibi(config: Mapping[str, Any]) -> bool:
    return bool(config.get("position_embedding_type") == "alibi")


def _alibi(
    settings: Settings, kind: Kind, d_k: int, heads: int
) -> tuple[float | None, tuple[str, ...], tuple[str, ...]]:
    """What the slopes are multiplied by, the settings that this comes from, and those that no example computes with."""
    match kind.alibi:
        case "always":
            return 1.0, (), ()
        case "attn_config":
            return 1.0, (), _wrong_in_mpt(settings.part("attn_config") or Settings({}))
        case "alibi" if settings.flag("alibi", absent=False):
            # The slopes are added before the division, as 16-bit numbers: exact up to 8 heads, which are powers of 2.
            return (1 / sqrt(d_k), ("alibi",), ()) if heads <= _EXACT_HEADS else (None, (), ("alibi",))
        case _:
            by = _alibi_setting(settings.given, elsewhere=False)
            return (1.0 if by else None), by, ()


def _wrong_in_mpt(inside: Settings) -> tuple[str, ...]:
    """The settings of MPT's attention that no example, or not transformers, computes with."""
    on = [name for name in ("clip_qkv", "qk_ln", "prefix_lm") if not _is_off(inside.given.get(name))]
    usual = {"attn_type": "multihead_attention", "alibi": True, "alibi_bias_max": 8}
    other = [name for name, value in usual.items() if inside.given.get(name, value) != value]
    return tuple(f"attn_config.{name}" for name in (*on, *other))


def _scale(settings: Settings, kind: Kind, index: int, d_k: int) -> tuple[Scale, tuple[str, ...]]:
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
        case "softmax_scale" as name:
            inside = settings.part("attn_config") or Settings({})
            is_given = inside.given.get(name) is not None
            return (1 / inside.number(name), (f"attn_config.{name}",)) if is_given else ("sqrt_dk", ())
        case "pos_att_type" as name:
            parts = sum(part in (settings.given.get(name) or ()) for part in ("c2p", "p2c"))
            return (sqrt(d_k * (1 + parts)), (name,)) if parts else ("sqrt_dk", ())
        case divisor:
            return "none" if divisor == "none" else "sqrt_dk", ()


def _window(settings: Settings, kind: Kind, index: int) -> tuple[int | None, tuple[str, ...]]:
    """The window of this layer's mask, and the settings that this comes from."""
    if kind.window == "attention_types":
        is_local = _types_of_gpt_neo(settings, index) == "local"
        return (
            (settings.whole("window_size", _MOST, 256), ("attention_types", "window_size"))
            if is_local
            else (None, ())
        )
    if kind.window == "local_attention":
        return _local(settings, index)
    uses = kind.window != "last" or settings.flag("use_sliding_window", absent=False)
    if not kind.window or not uses or settings.given.get("sliding_window") is None:
        return None, ()
    types = settings.given.get("layer_types")
    is_listed = kind.window != "all" and isinstance(types, list) and index < len(types)
    slides = types[index] == "sliding_attention" if is_listed else _slides(settings, kind, index)  # type: ignore[index]
    taken = ("layer_types", "sliding_window") if is_listed else ("sliding_window",)
    return (settings.whole("sliding_window", _MOST), taken) if slides else (None, ())


def _local(settings: Settings, index: int) -> tuple[int | None, tuple[str, ...]]:
    """ModernBERT's windows, ``local_attention`` wide in both directions together, in all but every third layer."""
    types = settings.given.get("layer_types")
    if isinstance(types, list) and index < len(types):
        by, slides = "layer_types", types[index] == "sliding_attention"
    else:
        by = "global_attn_every_n_layers"
        slides = index % settings.whole(by, _MOST, 3) != 0
    if not slides:
        return None, (by,)
    return settings.whole("local_attention", _MOST, 128) // 2, (by, "local_attention")


def _slides(settings: Settings, kind: Kind, index: int) -> bool:
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
    settings: Settings, kind: Kind, d_k: int, *, slides: bool
) -> tuple[Rotary | None, tuple[str, ...], tuple[str, ...]]:
    """The rotary positions, the settings that they come from, and the setting that no example can compute with."""
    if kind.pairs is None:
        return None, (), ()
    name = "rope_parameters" if settings.given.get("rope_parameters") else "rope_scaling"
    given = settings.part(name) or Settings({})
    given = given.part("sliding_attention" if slides else "full_attention") or given  # Gemma 3 has two
    columns, part_by = _rotated_columns(settings, given, kind, d_k)
    base, base_by = _base(settings, given, kind, name, slides=slides)
    rope = rope_of(settings, given, base, columns, MAX_SIZE)
    if rope is None or (rope.factor != 1 and columns < d_k):  # a divisor is one for all columns
        return None, (), (f"{name}.rope_type",)
    taken = tuple(dict.fromkeys((base_by, *part_by, *((name,) if given.given else ()))))
    rates = tuple(frequencies(rope, columns, torch.float64).tolist())
    return Rotary(rates, columns, kind.pairs, rope.factor), taken, ()


def _base(settings: Settings, given: Settings, kind: Kind, name: str, *, slides: bool) -> tuple[float, str]:
    """The base of the frequencies, and the setting that it comes from; ``name``: where ``given`` is in the config."""
    if slides and (local := _given(settings, _LOCAL_BASES)):
        return settings.number(local), local
    if "rope_theta" in given.given:
        return given.number("rope_theta"), name
    default = BASE if slides and kind.window == "local_attention" else kind.base
    setting = _given(settings, _BASES) or "rope_theta"
    return settings.number(setting, default), setting


def _given(settings: Settings, names: tuple[str, ...]) -> str:
    """The first of these settings that is given; "" if none is."""
    return next((name for name in names if name in settings.given), "")


def _rotated_columns(
    settings: Settings, given: Settings, kind: Kind, d_k: int
) -> tuple[int, tuple[str, ...]]:
    """How many columns of a head are rotated, and the setting that this comes from."""
    if kind.columns is not None:
        name, columns = "rotary_dim", settings.whole("rotary_dim", _MOST, kind.columns)
    else:
        source = given if "partial_rotary_factor" in given.given else settings
        name = _given(source, ("partial_rotary_factor", "rotary_pct")) or "partial_rotary_factor"
        columns = int(d_k * source.number(name, kind.part))
    if columns % 2 or not 0 < columns <= d_k:
        raise settings.wrong(
            name, N_("expected an even number of rotated columns, at most {d_k}, got {got}"), columns, d_k=d_k
        )
    return columns, () if columns == d_k else (name,)
