"""Folders of small random models, made without any library of models: every tensor that the reader requests."""

import json
from dataclasses import dataclass, field
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from mha_core.models.config import architecture
from mha_core.models.parts import parts_of

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] the cat sat on mat dog rug liked and ( ) , .".split()
BERT: dict[str, Any] = {
    "model_type": "bert",
    "hidden_size": 24,
    "num_attention_heads": 4,
    "num_hidden_layers": 3,
    "intermediate_size": 40,
    "vocab_size": len(WORDS),
    "max_position_embeddings": 64,
}
GPT2: dict[str, Any] = {
    "model_type": "gpt2",
    "n_embd": 24,
    "n_head": 4,
    "n_layer": 3,
    "vocab_size": len(WORDS),
    "n_positions": 64,
}
LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 24,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 3,
    "intermediate_size": 40,
    "vocab_size": len(WORDS),
    "max_position_embeddings": 64,
    "rope_theta": 100.0,
}


@dataclass
class _Drawn:
    """Draws every requested tensor, and stores it."""

    tensors: dict[str, torch.Tensor] = field(default_factory=dict)

    def __contains__(self, name):
        return not name.endswith(("gamma", "decoder.weight", "lm_head.weight"))

    def tensor(self, name, *shape):
        self.tensors[name] = torch.randn(shape) * 0.4
        return self.tensors[name]


def tensors_of(config, seed=0):
    torch.manual_seed(seed)
    drawn = _Drawn()
    parts_of(drawn, architecture({"tie_word_embeddings": True, **config}))
    return drawn.tensors


def folder_of(folder, config=BERT, *, specials=True, seed=0):
    """A model's folder; ``specials``: whether its tokenizer puts [CLS] before a text and [SEP] after it."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"tie_word_embeddings": True, **config}), "utf-8")
    save_file(tensors_of(config, seed), folder / "model.safetensors")
    tokenizer(specials=specials).save(str(folder / "tokenizer.json"))
    return folder


def tokenizer(words=WORDS, *, specials=True):
    found = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="[UNK]"))
    found.pre_tokenizer = pre_tokenizers.Whitespace()
    found.add_special_tokens(list(words[:5]))
    if specials:
        found.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", words.index("[CLS]")), ("[SEP]", words.index("[SEP]"))],
        )
    return found
