"""Every kind of model that transformers builds without a network, made small by one rule: ``SIZES``.

Six heads of eight numbers, three of keys where a model shares them, two layers, as in ``families``. ``MORE`` has what a
kind needs besides, such as sizes that depend on each other.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any, Final

import torch
import transformers
from torch import Tensor
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, MODEL_MAPPING_NAMES

SIZES: Final[dict[str, Any]] = {
    setting: size
    for size, settings in (
        (48, "hidden_size d_model n_embd dim embed_dim emb_dim word_embed_proj_dim embedding_size model_dim"),
        (48, "width projection_dim output_hidden_size"),
        (6, "num_attention_heads n_head n_heads num_heads attention_heads encoder_attention_heads"),
        (6, "decoder_attention_heads num_encoder_attention_heads num_decoder_attention_heads"),
        (3, "num_key_value_heads num_kv_heads swa_num_key_value_heads"),
        (2, "num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers"),
        (2, "num_encoder_layers num_decoder_layers num_conv_pos_embedding_groups num_feat_extract_layers"),
        (32, "intermediate_size ffn_dim d_ff encoder_ffn_dim decoder_ffn_dim n_inner hidden_dim d_inner"),
        (32, "ffn_hidden_size inner_dim dense_intermediate_size"),
        (16, "moe_intermediate_size shared_expert_intermediate_size expert_ffn_dim expert_intermediate_size"),
        (16, "moe_shared_expert_intermediate_size shared_intermediate_size"),
        (50, "vocab_size src_vocab_size tgt_vocab_size n_words"),
        (
            32,
            "max_position_embeddings n_positions n_ctx max_seq_len max_sequence_length max_target_positions",
        ),
        (8, "head_dim d_kv attention_head_dim attention_head_size kv_channels swa_head_dim global_head_dim"),
        (8, "qk_nope_head_dim v_head_dim index_head_dim"),
        (4, "num_local_experts num_experts n_routed_experts moe_num_experts n_experts qk_rope_head_dim"),
        (4, "sliding_window local_attention num_conv_pos_embeddings"),
        (2, "num_experts_per_tok top_k moe_k moe_top_k moe_topk num_experts_per_token patch_size"),
        (1, "n_group topk_group n_shared_experts num_shared_experts moe_num_shared_experts bos_token_id"),
        (12, "q_lora_rank kv_lora_rank"),
        (6, "image_size num_mel_bins"),
        (0, "pad_token_id"),
        (2, "eos_token_id decoder_start_token_id"),
        ((16, 16), "conv_dim"),
        ((5, 2), "conv_stride"),
        ((10, 3), "conv_kernel"),
    )
    for setting in settings.split()
}
_ALSO_IF_NONE: Final = ("num_key_value_heads", "head_dim", "pad_token_id", "bos_token_id", "eos_token_id")
_KEYS_PER_HEAD: Final = {"num_key_value_heads": 6}
_HYBRID: Final = {
    "layer_types": ["linear_attention", "full_attention"],
    "linear_num_value_heads": 2,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
}
_STATE_SPACE: Final = {
    "mamba_n_heads": 6,
    "mamba_d_head": 16,
    "mamba_n_groups": 1,
    "mamba_d_state": 8,
    "mamba_expand": 2,
    "mamba_chunk_size": 8,
}
_STAGES: Final[dict[str, Any]] = {
    "num_encoder_blocks": 2,
    "depths": [1, 1],
    "sr_ratios": [2, 1],
    "hidden_sizes": [24, 48],
    "patch_sizes": [3, 3],
    "strides": [2, 2],
    "num_attention_heads": [3, 6],
    "mlp_ratios": [2, 2],
    "image_size": 16,
}
_WINDOWS: Final[dict[str, Any]] = {
    "embed_dim": 24,
    "depths": [1, 1],
    "num_heads": [3, 6],
    "image_size": 16,
    "window_size": 4,
}


def _for(kinds: str, more: Any) -> dict[str, Any]:
    return dict.fromkeys(kinds.split(), more)


MORE: Final[dict[str, dict[str, Any]]] = {
    "sam3_vit_model": {"window_size": 2, "pretrain_image_size": 6},
    **_for("internvl_vision qianfan_ocr_vision", {"image_size": [6, 6], "patch_size": [2, 2]}),
    **_for(
        "axk2 deepseek_v32 dots3_note_text esmc glm4_moe_lite glm_moe_dsa minicpm3 mistral4", _KEYS_PER_HEAD
    ),
    "mistral_large4_text": _KEYS_PER_HEAD,
    **_for("qwen3_5_moe_text qwen3_5_text qwen3_next", _HYBRID),
    **_for("segformer glpn pvt_v2", _STAGES),
    **_for("swin swinv2 donut-swin", _WINDOWS),
    "axk1": {"num_key_value_heads": 6, "head_dim": 4},
    "deepseek_v2": {
        "num_key_value_heads": 6,
        "num_experts_per_tok": 2,
        "topk_method": "greedy",
        "head_dim": 4,
        "topk_group": 1,
        "n_group": 1,
    },
    "deepseek_v3": {"num_key_value_heads": 6, "head_dim": 4},
    "youtu": {"num_key_value_heads": 6, "head_dim": 4},
    "moonshine": {
        "encoder_num_key_value_heads": 6,
        "decoder_num_key_value_heads": 6,
        "encoder_num_hidden_layers": 2,
        "decoder_num_hidden_layers": 2,
        "encoder_num_attention_heads": 6,
        "decoder_num_attention_heads": 6,
    },
    "codegen": {"n_embd": 64, "n_head": 8, "rotary_dim": 4},
    "bamba": {**_STATE_SPACE, "attn_layer_indices": [1]},
    "granitemoehybrid": {**_STATE_SPACE, "layer_types": ["mamba", "attention"]},
    "mamba2": {"num_heads": 6, "head_dim": 16, "state_size": 8, "n_groups": 1, "chunk_size": 8},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "mamba_d_state": 4},
    "zamba2": {
        "num_hidden_layers": 2,
        "layers_block_type": ["mamba", "hybrid"],
        "mamba_ngroups": 1,
        "n_mamba_heads": 6,
        "mamba_headdim": 16,
        "mamba_d_state": 8,
        "chunk_size": 8,
        "num_mem_blocks": 1,
        "num_key_value_heads": 6,
        "hybrid_layer_ids": [1],
    },
    "bailing_hybrid": {**_HYBRID, "num_key_value_heads": 6},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"]},
    "lfm3": {"layer_types": ["conv", "full_attention"]},
    "recurrent_gemma": {
        "block_types": ["recurrent", "attention"],
        "lru_width": 48,
        "attention_window_size": 4,
    },
    "reformer": {
        "axial_pos_embds": False,
        "attn_layers": ["local", "lsh"],
        "attention_head_size": 8,
        "local_attn_chunk_length": 4,
        "lsh_attn_chunk_length": 4,
        "feed_forward_size": 32,
        "num_buckets": 2,
    },
    "led": {
        "max_encoder_position_embeddings": 32,
        "max_decoder_position_embeddings": 32,
        "attention_window": 4,
    },
    "xmod": {"languages": ["en_XX"], "default_language": "en_XX"},
    "roc_bert": {
        "pronunciation_vocab_size": 50,
        "shape_vocab_size": 50,
        "pronunciation_embed_dim": 16,
        "shape_embed_dim": 16,
    },
    "luke": {"entity_vocab_size": 20, "entity_emb_size": 48},
    "esm": {"vocab_size": 50, "mask_token_id": 3, "position_embedding_type": "rotary"},
    "mobilebert": {
        "true_hidden_size": 48,
        "intra_bottleneck_size": 48,
        "embedding_size": 48,
        "num_feedforward_networks": 1,
    },
    "speech_to_text": {
        "input_feat_per_channel": 6,
        "conv_channels": 16,
        "max_source_positions": 32,
        "num_conv_layers": 2,
        "conv_kernel_sizes": [3, 3],
    },
    "audio-spectrogram-transformer": {
        "max_length": 8,
        "num_mel_bins": 8,
        "patch_size": 4,
        "frequency_stride": 2,
        "time_stride": 2,
    },
    "wav2vec2-bert": {"feature_projection_input_dim": 6, "position_embeddings_type": "relative_key"},
    "hiera": {
        "embed_dim": 24,
        "image_size": [32, 32],
        "depths": [1, 1],
        "num_heads": [3, 6],
        "query_stride": [2, 2],
        "num_query_pool": 1,
        "masked_unit_size": [4, 4],
        "mlp_ratio": 2.0,
    },
    "zaya": {"num_experts_per_tok": 1},
    "diffllama": {"num_key_value_heads": 2},
    "videomae": {"num_frames": 2, "tubelet_size": 2},
    "vivit": {"num_frames": 2, "tubelet_size": [2, 2, 2]},
    "timesformer": {"num_frames": 2},
    "vit_mae": {
        "decoder_num_attention_heads": 6,
        "decoder_hidden_size": 48,
        "decoder_num_hidden_layers": 1,
        "decoder_intermediate_size": 16,
        "mask_ratio": 0.0,
    },
    "longt5": {"local_radius": 3, "global_block_size": 4},
    "big_bird": {"attention_type": "original_full"},
    "layoutlmv3": {"input_size": 6, "visual_embed": False, "coordinate_size": 8, "shape_size": 8},
    "qwen2_vl_text": {
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 1, 1]}
    },
    "qwen2_5_vl_text": {
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 1, 1]}
    },
    "glm4v_text": {
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 1, 1]}
    },
    "yolos": {"image_size": [6, 6], "num_detection_tokens": 4},
    "gemma4_text": {"vocab_size_per_layer_input": 50, "hidden_size_per_layer_input": 8, "global_head_dim": 8},
    "gemma4_unified_text": {"global_head_dim": 8},
    "longcat_flash": {
        "num_attention_heads": 6,
        "num_key_value_heads": 6,
        "ffn_hidden_size": 32,
        "zero_expert_num": 2,
        "moe_topk": 2,
        "expert_ffn_hidden_size": 16,
        "head_dim": 4,
    },
    "git": {
        "vision_config": {
            "hidden_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 6,
            "intermediate_size": 32,
            "image_size": 6,
            "patch_size": 2,
        }
    },
    "neomme": {"head_dim": 16},
    "t5gemma": {
        "encoder": {
            "hidden_size": 48,
            "num_attention_heads": 6,
            "num_key_value_heads": 3,
            "head_dim": 8,
            "num_hidden_layers": 2,
            "intermediate_size": 32,
            "vocab_size": 50,
            "sliding_window": 4,
        },
        "decoder": {
            "hidden_size": 48,
            "num_attention_heads": 6,
            "num_key_value_heads": 3,
            "head_dim": 8,
            "num_hidden_layers": 2,
            "intermediate_size": 32,
            "vocab_size": 50,
            "sliding_window": 4,
        },
        "vocab_size": 50,
    },
    "prophetnet": {"num_encoder_attention_heads": 6},
}
NAMES: Final = (
    "afmoe apertus arcee aria_text axk1 axk2 bailing_hybrid bamba beam bert-generation big_bird "
    "bigbird_pegasus biogpt bitnet blenderbot blenderbot-small camembert codegen cohere cohere2 "
    "cohere2_moe ctrl cwm data2vec-text deepseek_v2 deepseek_v3 deepseek_v32 deepseek_v4 diffllama doge "
    "dots3_note_text electra ernie ernie4_5 ernie4_5_moe exaone4 exaone_moe falcon_h1 falcon_mamba "
    "flex_olmo flint gemma4_text gemma4_unified_text git glm glm4 glm4_moe glm4_moe_lite glm_moe_dsa "
    "gpt-sw3 gpt_neox_japanese granite granite_swa granitemoe granitemoe_swa granitemoehybrid "
    "granitemoeshared helium hrm_text hunyuan_v1_dense hunyuan_v1_moe hy_v3 hy_v4 hyperclovax "
    "inkling2_text internlm3 iquestcoder jais2 jamba jetmoe kolibri1 laguna lfm2 lfm2_moe lfm3 "
    "llama4_text longcat_flash mamba mamba2 marian mbart megatron-bert mellum mimo_v2_flash minicpm3 "
    "minimax minimax_m2 minimax_m3_vl_text ministral ministral3 mixtral modernbert-decoder moshi mvp "
    "nanochat nemotron nemotron_h olmo olmo3 olmo_hybrid olmoe openai-gpt pegasus persimmon phimoe plbart "
    "prophetnet qwen2_moe qwen3_5_moe_text qwen3_5_text qwen3_moe qwen3_next recurrent_gemma reformer "
    "rembert roberta-prelayernorm roc_bert roformer rwkv seed_oss smollm3 solar_open stablelm starcoder2 "
    "trocr vaultgemma xglm xlm xlm-roberta xlm-roberta-xl xlnet xmod youtu zamba2 zaya convbert esm esmc "
    "eurobert flaubert fnet funnel gte ibert jina_embeddings_v3 layoutlm longformer luke mobilebert mpnet "
    "mra neomme nomic_bert nystromformer squeezebert tapas ultrabert yoso fsmt led longt5 m2m_100 mt5 "
    "nllb-moe pegasus_x switch_transformers t5gemma umt5 beit data2vec-vision deit dinov2 "
    "dinov2_with_registers donut-swin hiera ijepa imagegpt pvt_v2 segformer swin swinv2 vit_msn "
    "audio-spectrogram-transformer data2vec-audio hubert sew sew-d unispeech unispeech-sat wav2vec2 "
    "wav2vec2-bert wav2vec2-conformer wavlm moonshine speech_to_text aimv2_vision_model "
    "chinese_clip_vision_model clip_text_model clip_vision_model dinov3_vit dpr dpt embedding_gemma2_text "
    "glm4v_text glmasr_encoder glpn granite_docling_text higgs_audio_v2 internvl_vision layoutlmv3 lilt "
    "markuplm mistral4 mistral_large4_text mlcd mlcd_vision_model molmo2_text muse_glimmer_text "
    "muse_spark_text openai_privacy_filter pixio pixtral qianfan_ocr_vision qwen2_5_vl_text qwen2_vl_text "
    "qwen3_vl_moe_text qwen3_vl_text sam3_vit_model sam_hq_vision_model sam_vision_model sapiens2 "
    "siglip_vision_model splinter timesformer tipsv2_text_model tipsv2_vision_model videomae visual_bert "
    "vit_mae vitdet vivit voxtral_realtime_encoder yolos "
).split()


@dataclass(frozen=True)
class ModelType:
    """A kind of model by its ``model_type``, with ``more`` settings than those of ``SIZES``."""

    kind: str
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def build(self) -> Any:
        names = MODEL_MAPPING_NAMES.get(self.kind) or MODEL_FOR_CAUSAL_LM_MAPPING_NAMES[self.kind]
        return getattr(transformers, names if isinstance(names, str) else names[0])

    def config(self) -> Any:
        """A config with those of ``SIZES`` that it has, where their values are of the same type."""
        build = CONFIG_MAPPING[self.kind]
        usual = build().to_dict()
        sizes = {
            name: size for name, size in SIZES.items() if name in usual and _fits(name, size, usual[name])
        }
        return build(**{**sizes, **self.more})

    def inputs(self, dtype: torch.dtype, seed: int = 5) -> dict[str, Tensor]:
        """A batch of two, without padding."""
        config, build = self.config(), self.build
        random = torch.Generator().manual_seed(seed)
        main = build.main_input_name
        if main in _SHAPES.get(self.kind, {}) or main in _SHAPES[""]:
            shape = _SHAPES.get(self.kind, _SHAPES[""])[main]
            if main == "pixel_values" and self.kind not in _SHAPES:
                size = config.image_size if isinstance(config.image_size, int) else config.image_size[0]
                shape = (getattr(config, "num_channels", 3), size, size)
            given = {main: torch.randn(2, *shape, generator=random).to(dtype)}
        else:
            given = {"input_ids": torch.randint(5, 40, (2, 7), generator=random)}
        names = inspect.signature(build.forward).parameters
        if "decoder_input_ids" in names:
            given["decoder_input_ids"] = torch.randint(5, 40, (2, 5), generator=random)
        if self.kind == "vit_mae":
            given["noise"] = torch.rand(2, 9, generator=random).to(dtype)
        return given


def _fits(name: str, size: Any, usual: Any) -> bool:
    if usual is None:
        return name in _ALSO_IF_NONE
    if isinstance(size, tuple):
        return isinstance(usual, list | tuple)
    return isinstance(usual, int | float) and not isinstance(usual, bool)


_SHAPES: Final[dict[str, dict[str, tuple[int, ...]]]] = {
    "": {"pixel_values": (3, 6, 6), "input_values": (100,), "input_features": (6, 14)},
    **_for("speech_to_text wav2vec2-bert", {"input_features": (14, 6)}),
    **_for("videomae vivit timesformer", {"pixel_values": (2, 3, 6, 6)}),
    **_for("sew sew-d", {"input_values": (600,)}),
    "audio-spectrogram-transformer": {"input_values": (8, 8)},
    "moonshine": {"input_values": (1600,)},
}
"""The shape of one sample, by kind."""
TYPES: Final = {kind: ModelType(kind, MORE.get(kind, {})) for kind in NAMES}
