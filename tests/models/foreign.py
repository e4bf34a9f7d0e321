"""Folders of small random models of kinds that our own forward does not know, as transformers saves them."""

from functools import cache
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import nn

from tests.interop.families import DECODER, FAMILIES, SHARED

WORDS = "[PAD] <s> </s> [UNK] [MASK] the cat sat on mat dog rug liked and ( ) , .".split()
CLASSES: dict[str, str] = {
    "Qwen3": "ForCausalLM",
    "Gemma 2": "ForCausalLM",
    "Gemma 3": "ForCausalLM",
    "Phi": "ForCausalLM",
    "Phi-3": "ForCausalLM",
    "NeoX": "ForCausalLM",
    "GPT-Neo": "ForCausalLM",
    "OPT": "ForCausalLM",
    "Falcon": "ForCausalLM",
    "BLOOM": "ForCausalLM",
    "MPT": "ForCausalLM",
    "Mistral": "ForCausalLM",
    "gpt-oss": "ForCausalLM",
    "Mixtral": "ForCausalLM",
    "ModernBERT": "ForMaskedLM",
    "ALBERT": "ForMaskedLM",
    "ELECTRA": "ForMaskedLM",
    "DeBERTa-v2": "ForMaskedLM",
    "T5": "ForConditionalGeneration",
    "BART": "ForConditionalGeneration",
    "GPT-2": "LMHeadModel",
    "BERT": "ForMaskedLM",
    "Llama": "ForCausalLM",
}
"""What the class of each family ends with that guesses tokens."""
DECODERS = list(CLASSES)[:14]
ENCODERS = ["ModernBERT", "ALBERT", "ELECTRA", "DeBERTa-v2"]
"""Families that our own forward does not compute; Mistral's window it does, and is compared too."""


def _config(name: str) -> Any:
    if name == "Mixtral":
        more = {"num_local_experts": 2, "num_experts_per_tok": 1, "sliding_window": None}
        return transformers.MixtralConfig(**SHARED, **more)
    if name == "gpt-oss":  # in float32, so the scores that YaRN enlarges would round too far apart
        rope = {"rope_type": "default", "rope_theta": 150000.0}
        return transformers.GptOssConfig(
            **FAMILIES[name].settings, **{**FAMILIES[name].extra, "rope_parameters": rope}
        )
    if name == "ELECTRA":
        return transformers.ElectraConfig(**{**DECODER, "embedding_size": 16, "type_vocab_size": 2})
    return FAMILIES[name].config()


def built(name: str) -> Any:
    """A random model of the family that guesses tokens, its heads far from alike."""
    family = {"Mixtral": "Mixtral", "ELECTRA": "Electra", "Gemma 3": "Gemma3"}.get(name) or FAMILIES[
        name
    ].name
    config = _config(name)
    config._attn_implementation = "eager"
    torch.manual_seed(3)
    model = getattr(transformers, f"{family}{CLASSES[name]}")(config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                nn.init.normal_(weight, std=0.2)
            else:
                weight.add_(torch.randn_like(weight) / 8)
    return model


def tokenizer(*, ends: bool) -> Any:
    """Words separated by blanks; with ``ends``, <s> before a text and </s> after it."""
    made = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    if ends:
        made.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>",
            pair="<s> $A </s> $B:1 </s>:1",
            special_tokens=[("<s>", 1), ("</s>", 2)],
        )
    names = {
        "pad_token": "[PAD]",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "[UNK]",
        "mask_token": "[MASK]",
    }
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names)


def saved(name: str, folder: Any) -> Any:
    """The model of a family, saved in a folder with its tokenizer."""
    model = built(name)
    model.save_pretrained(folder)
    ends = CLASSES[name] in ("ForMaskedLM", "ForConditionalGeneration")
    tokenizer(ends=ends).save_pretrained(folder)
    return model


@cache
def text_of(count: int) -> str:
    """A text of so many words, none of them special."""
    words = WORDS[5:]
    return " ".join(words[(at * 7 + at // 5) % len(words)] for at in range(count))
