"""The model as a folder that Hugging Face's ``BertForMaskedLM`` and ``AutoTokenizer`` load."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from mha_core.models.jobs import JOBS_FILE, Job, jobs_json
from training.corpus import PAD
from training.model import EPS, Bert, Shape
from training.tokenizer import SPECIAL

_DECODER = "cls.predictions.decoder."
"""Its weight is the word embeddings', and its bias has a name of its own: neither is stored twice."""


def config(model: Bert) -> dict[str, object]:
    """What ``transformers.BertConfig`` reads."""
    shape = model.shape
    return {
        "architectures": ["BertForMaskedLM"],
        "model_type": "bert",
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.inner,
        "hidden_act": "gelu",
        "max_position_embeddings": shape.places,
        "type_vocab_size": 2,
        "layer_norm_eps": EPS,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "pad_token_id": PAD,
        "tie_word_embeddings": True,
        "position_embedding_type": "absolute",
    }


def save_jobs(jobs: Iterable[Job], folder: Path) -> None:
    """Write what the heads do, for the page."""
    _write(folder / JOBS_FILE, dict(jobs_json([*jobs])))


def save(model: Bert, tokenizer: Tokenizer, folder: Path) -> None:
    """Write config.json, model.safetensors, tokenizer.json and tokenizer_config.json."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {
        name: tensor.contiguous()
        for name, tensor in model.state_dict().items()
        if not name.startswith(_DECODER)
    }
    state["cls.predictions.bias"] = model.state_dict()[_DECODER + "bias"]
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    _write(folder / "config.json", config(model))
    names = dict(zip(("pad", "unk", "cls", "sep", "mask"), SPECIAL, strict=True))
    settings = {f"{name}_token": token for name, token in names.items()}
    _write(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": model.shape.places,
            "model_input_names": ["input_ids", "token_type_ids", "attention_mask"],
            **settings,
        },
    )


def opened(folder: Path) -> Bert:
    """The model of a folder that ``save`` has written."""
    size = json.loads((folder / "config.json").read_text("utf-8"))
    names = (
        "vocab_size", "num_hidden_layers", "num_attention_heads", "hidden_size", "intermediate_size",
        "max_position_embeddings",
    )  # fmt: skip
    model = Bert(Shape(*(size[name] for name in names)))
    state = load_file(folder / "model.safetensors")
    state[_DECODER + "bias"] = state.pop("cls.predictions.bias")
    state[_DECODER + "weight"] = state["bert.embeddings.word_embeddings.weight"]
    model.load_state_dict(state)
    return model.eval()


def _write(path: Path, content: dict[str, object]) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
