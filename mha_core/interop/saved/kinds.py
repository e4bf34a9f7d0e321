"""How the known kinds of model compute their scores: those that transformers 5 computes in a single way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from mha_core.example.model import BASE, Pairs

Gains: TypeAlias = Literal["w", "1 + w"]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a kind of model does, whether or not its config says so.

    ``decoder``: a query sees no later key; None: if the layer's name says that it is a decoder's. ``divisor``:
    "sqrt_dk", "none", or the name of the setting. ``window``: which layers have one. ``softcap``: the name of the
    setting; ``sinks``: the name of the tensor with one number per head. ``gains``: whether queries and keys are divided
    by their root mean squares and multiplied by gains: "w", the tensor's numbers, or "1 + w"; None without. ``pairs``:
    the columns that rotary positions rotate together, None without rotary positions; ``base``, ``part`` (of the
    columns) and ``columns`` (their number): their defaults. ``alibi``: how it has ALiBi: "always", "attn_config" or
    "alibi" by this setting.
    """

    decoder: bool | None = False
    divisor: str = "sqrt_dk"
    window: str = ""
    softcap: str = ""
    sinks: str = ""
    gains: Gains | None = None
    pairs: Pairs | None = None
    base: float = BASE
    part: float = 1.0
    columns: int | None = None
    alibi: str = ""


def _all(names: str, kind: Kind) -> dict[str, Kind]:
    return dict.fromkeys(names.split(), kind)


KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("bert", "roberta", "xlm-roberta", "electra", "distilbert"), Kind()),
    **dict.fromkeys(("albert", "vit"), Kind()),
    **dict.fromkeys(("deberta", "deberta-v2"), Kind(divisor="pos_att_type")),
    "modernbert": Kind(window="local_attention", pairs="half", base=160000.0),
    **dict.fromkeys(("bart", "whisper"), Kind(decoder=None)),
    **dict.fromkeys(("t5", "mt5"), Kind(decoder=None, divisor="none")),
    "opt": Kind(decoder=True),
    "gpt2": Kind(decoder=True, divisor="scale_attn_weights"),
    "gpt_neo": Kind(decoder=True, divisor="none", window="attention_types"),
    "gpt_bigcode": Kind(decoder=True, divisor="scale_attn_weights"),
    "gptj": Kind(decoder=True, pairs="interleaved", columns=64),
    "gpt_neox": Kind(decoder=True, pairs="half", part=0.25),
    "bloom": Kind(decoder=True, alibi="always"),
    "falcon": Kind(decoder=True, pairs="half", alibi="alibi"),
    "mpt": Kind(decoder=True, divisor="softmax_scale", alibi="attn_config"),
    **dict.fromkeys(("llama", "gemma", "olmo", "olmo2"), Kind(decoder=True, pairs="half")),
    "granite": Kind(decoder=True, divisor="attention_multiplier", pairs="half"),
    "phi": Kind(decoder=True, pairs="half", part=0.5),
    **dict.fromkeys(("mistral", "starcoder2", "phi3"), Kind(decoder=True, window="all", pairs="half")),
    "mixtral": Kind(decoder=True, window="all", pairs="half", base=1e6),
    "qwen2": Kind(decoder=True, window="last", pairs="half"),
    "qwen3": Kind(decoder=True, window="last", gains="w", pairs="half"),
    "gemma2": Kind(
        decoder=True,
        divisor="query_pre_attn_scalar",
        window="every other",
        softcap="attn_logit_softcapping",
        pairs="half",
    ),
    "gemma3_text": Kind(
        decoder=True,
        divisor="query_pre_attn_scalar",
        window="five of six",
        gains="1 + w",
        pairs="half",
        base=1e6,
    ),
    "gpt_oss": Kind(decoder=True, window="every other", sinks="sinks", pairs="half", base=150000.0),
    **_all(
        "camembert ernie data2vec-text bert-generation roberta-prelayernorm roc_bert xmod layoutlm tapas",
        Kind(),
    ),
    **_all("splinter visual_bert markuplm dpr", Kind()),
    **_all(
        "deit dinov2 dinov2_with_registers ijepa vit_msn vit_mae vivit dpt yolos beit data2vec-vision", Kind()
    ),
    **_all("clip_vision_model chinese_clip_vision_model siglip_vision_model aimv2_vision_model", Kind()),
    **_all(
        "wav2vec2 hubert sew unispeech unispeech-sat data2vec-audio audio-spectrogram-transformer", Kind()
    ),
    "eurobert": Kind(pairs="half"),
    **_all("mbart mvp plbart m2m_100 nllb-moe speech_to_text pegasus marian", Kind(decoder=None)),
    **_all("blenderbot blenderbot-small", Kind(decoder=None)),
    **_all("biogpt openai-gpt clip_text_model jamba nemotron_h", Kind(decoder=True)),
    "imagegpt": Kind(decoder=True, divisor="scale_attn_weights"),
    **_all("arcee aria_text internlm3 iquestcoder jais2 seed_oss", Kind(decoder=True, pairs="half")),
    "solar_open": Kind(decoder=True, pairs="half", base=1e6),
    **_all("bamba nemotron glm4_moe", Kind(decoder=True, pairs="half", part=0.5)),
    "stablelm": Kind(decoder=True, pairs="half", part=0.25),
    **_all("glm glm4", Kind(decoder=True, pairs="interleaved", part=0.5)),
    **_all("cohere ernie4_5 ernie4_5_moe", Kind(decoder=True, pairs="interleaved", base=500000.0)),
    "helium": Kind(decoder=True, pairs="interleaved", base=100000.0),
    **_all(
        "granitemoe granitemoeshared",
        Kind(decoder=True, divisor="attention_multiplier", pairs="half"),
    ),
    "qwen2_moe": Kind(decoder=True, window="last", pairs="half"),
}
"""By ``model_type``."""
OWN_FILES: Final = Kind(decoder=True, window="all", pairs="interleaved")
"""Llama and Mistral in their own files, with a params.json."""
