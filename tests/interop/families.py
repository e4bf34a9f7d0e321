"""Small random models of the families that transformers has, for what is captured and what is imported of them.

Six heads of eight numbers, and three of keys where a family shares them: no power of two, so that a wrong slope, a
swapped axis or a head taken for another shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
import transformers
from torch import Tensor, nn

from tests.interop.model_types import TYPES

D_MODEL, HEADS, KV_HEADS, LAYERS, VOCABULARY, POSITIONS = 48, 6, 3, 2, 50, 32
IDS = torch.tensor([[5, 6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17, 18]])
SPECIAL: dict[str, Any] = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
ENCODER: dict[str, Any] = {
    "hidden_size": D_MODEL,
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "intermediate_size": 32,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": POSITIONS,
}
DECODER: dict[str, Any] = {**ENCODER, **SPECIAL}
SHARED: dict[str, Any] = {**DECODER, "num_key_value_heads": KV_HEADS}
WIDE: dict[str, Any] = {**SHARED, "head_dim": 8}
OLDER: dict[str, Any] = {
    "n_embd": D_MODEL,
    "n_head": HEADS,
    "n_layer": LAYERS,
    "n_positions": POSITIONS,
    "vocab_size": VOCABULARY,
    **SPECIAL,
}
PAIR: dict[str, Any] = {
    "d_model": D_MODEL,
    "encoder_layers": LAYERS,
    "decoder_layers": LAYERS,
    "encoder_attention_heads": HEADS,
    "decoder_attention_heads": HEADS,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "vocab_size": VOCABULARY,
    "decoder_start_token_id": 2,
    **SPECIAL,
}


@dataclass(frozen=True)
class Family:
    """How transformers names a family's model and config, the settings that make it small, and its inputs.

    ``output`` ends the name of the module that reads the heads' outputs, concatenated: the output projection.
    """

    name: str
    settings: dict[str, Any]
    output: str
    inputs: str = "text"
    model: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def build(self) -> type[nn.Module]:
        return getattr(transformers, self.model or f"{self.name}Model")

    def config(self) -> Any:
        return getattr(transformers, f"{self.name}Config")(**self.settings, **self.extra)


FAMILIES: dict[str, Family] = {
    "BERT": Family("Bert", ENCODER, "attention.output.dense"),
    "RoBERTa": Family("Roberta", {**ENCODER, **SPECIAL}, "attention.output.dense"),
    "DistilBERT": Family(
        "DistilBert",
        {
            "dim": D_MODEL,
            "n_heads": HEADS,
            "n_layers": LAYERS,
            "hidden_dim": 32,
            "vocab_size": VOCABULARY,
            "max_position_embeddings": POSITIONS,
        },
        "attention.out_lin",
    ),
    "ALBERT": Family("Albert", {**ENCODER, "embedding_size": 16}, "attention.dense"),
    "DeBERTa-v2": Family(
        "DebertaV2",
        ENCODER,
        "attention.output.dense",
        extra={
            "relative_attention": True,
            "position_buckets": 8,
            "pos_att_type": ["p2c", "c2p"],
            "share_att_key": True,
            "norm_rel_ebd": "layer_norm",
        },
    ),
    "DeBERTa": Family(
        "Deberta",
        ENCODER,
        "attention.output.dense",
        extra={"relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    ),
    "ModernBERT": Family(
        "ModernBert",
        {**DECODER, "cls_token_id": 1, "sep_token_id": 2},
        "attn.Wo",
        extra={"local_attention": 4},
    ),
    "GPT-2": Family("GPT2", OLDER, "attn.c_proj"),
    "GPT-Neo": Family(
        "GPTNeo",
        {
            "hidden_size": D_MODEL,
            "num_heads": HEADS,
            "num_layers": LAYERS,
            "vocab_size": VOCABULARY,
            "max_position_embeddings": POSITIONS,
            "attention_types": [[["global", "local"], 1]],
            "window_size": 4,
            **SPECIAL,
        },
        "attention.out_proj",
    ),
    "GPT-J": Family("GPTJ", {**OLDER, "rotary_dim": 4}, "attn.out_proj"),
    "BigCode": Family("GPTBigCode", OLDER, "attn.c_proj"),
    "NeoX": Family("GPTNeoX", {**DECODER, "rotary_pct": 0.5}, "attention.dense"),
    "BLOOM": Family(
        "Bloom",
        {"hidden_size": D_MODEL, "n_head": HEADS, "n_layer": LAYERS, "vocab_size": VOCABULARY, **SPECIAL},
        "self_attention.dense",
    ),
    "Falcon": Family(
        "Falcon",
        DECODER,
        "self_attention.dense",
        extra={"multi_query": True, "new_decoder_architecture": False},
    ),
    "MPT": Family(
        "Mpt",
        {
            "d_model": D_MODEL,
            "n_heads": HEADS,
            "n_layers": LAYERS,
            "max_seq_len": POSITIONS,
            "vocab_size": VOCABULARY,
            "expansion_ratio": 1,
            **SPECIAL,
        },
        "attn.out_proj",
    ),
    "OPT": Family(
        "OPT",
        {**DECODER, "ffn_dim": 32, "word_embed_proj_dim": D_MODEL},
        "self_attn.out_proj",
    ),
    "Llama": Family("Llama", SHARED, "self_attn.o_proj"),
    "Mistral": Family("Mistral", SHARED, "self_attn.o_proj", extra={"sliding_window": 4}),
    "Qwen2": Family("Qwen2", SHARED, "self_attn.o_proj"),
    "Qwen3": Family("Qwen3", WIDE, "self_attn.o_proj"),
    "Gemma": Family("Gemma", WIDE, "self_attn.o_proj"),
    "Gemma 2": Family(
        "Gemma2", WIDE, "self_attn.o_proj", extra={"query_pre_attn_scalar": 16, "sliding_window": 4}
    ),
    "Gemma 3": Family(
        "Gemma3Text",
        WIDE,
        "self_attn.o_proj",
        extra={"query_pre_attn_scalar": 16, "sliding_window": 4, "sliding_window_pattern": 2},
    ),
    "Phi": Family("Phi", {**SHARED, "partial_rotary_factor": 0.5}, "self_attn.dense"),
    "Phi-3": Family("Phi3", SHARED, "self_attn.o_proj"),
    "OLMo2": Family("Olmo2", SHARED, "self_attn.o_proj"),
    "gpt-oss": Family(
        "GptOss",
        WIDE,
        "self_attn.o_proj",
        extra={
            "num_local_experts": 2,
            "num_experts_per_tok": 1,
            "sliding_window": 4,
        },
    ),
    "T5": Family(
        "T5",
        {
            "d_model": D_MODEL,
            "d_kv": 8,
            "num_heads": HEADS,
            "num_layers": LAYERS,
            "d_ff": 32,
            "vocab_size": VOCABULARY,
            "decoder_start_token_id": 0,
            "eos_token_id": 2,
            "pad_token_id": 0,
        },
        "Attention.o",
        inputs="pair",
    ),
    "BART": Family("Bart", {**PAIR, "max_position_embeddings": POSITIONS}, "attn.out_proj", inputs="pair"),
    "Whisper": Family(
        "Whisper",
        {
            **PAIR,
            "num_mel_bins": 6,
            "max_source_positions": 7,
            "max_target_positions": POSITIONS,
            "suppress_tokens": None,
            "begin_suppress_tokens": None,
        },
        "attn.out_proj",
        inputs="sound",
    ),
    "ViT": Family(
        "ViT",
        {
            "hidden_size": D_MODEL,
            "num_attention_heads": HEADS,
            "num_hidden_layers": LAYERS,
            "intermediate_size": 32,
            "image_size": 6,
            "patch_size": 2,
        },
        "attention.o_proj",
        inputs="picture",
    ),
}
"""Families whose numbers were once silently wrong, as transformers 5.23 builds them without a network."""


def made(name: str, attention: str = "eager", dtype: torch.dtype = torch.float32) -> nn.Module:
    """A model of the family, or of a ``model_type``, with matrices so large that attention weights differ clearly."""
    family = FAMILIES[name] if name in FAMILIES else TYPES[name]
    config = family.config()
    config._attn_implementation = attention
    torch.manual_seed(3)
    model = family.build(config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                nn.init.normal_(weight, std=0.2)  # some of gpt-oss's are left uninitialised
            else:  # gains, biases and sinks that say something
                weight.add_(torch.randn_like(weight) / 8)
    return model.to(dtype)


@cache
def _drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(5))


def inputs(name: str, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    """A batch of two by the names of the model's arguments, without padding."""
    match FAMILIES[name].inputs:
        case "text":
            return {"input_ids": IDS}
        case "pair":
            return {"input_ids": IDS, "decoder_input_ids": IDS[:, :5]}
        case "sound":
            return {"input_features": _drawn(2, 6, 14).to(dtype), "decoder_input_ids": IDS[:, :5]}
        case _:
            return {"pixel_values": _drawn(2, 3, 6, 6).to(dtype)}
