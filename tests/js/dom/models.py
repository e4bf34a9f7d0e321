"""The page Models, and what the server answers to the requests of its tests."""

from __future__ import annotations

import json
import tempfile
from base64 import b64encode
from pathlib import Path
from typing import Any
from unittest.mock import patch

from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from mha_api.model_answers import ANSWERS
from mha_api.requests import refusal
from mha_core import MhaError
from mha_core.models import library, load
from mha_ui.models import payload
from mha_ui.models.words import EXAMPLES
from tests.js.dom.works import work
from tests.models.made import BERT, GPT2, WORDS, folder_of, tensors_of

(ENGLISH,), (CHINESE,), (TIRED, WIDE) = (example["texts"] for example in EXAMPLES[2:5])
TEXTS = {
    "english": ENGLISH,
    "chinese": CHINESE,
    "tired": TIRED,
    "wide": WIDE,
    "wide street": TIRED.replace("street", "wide street"),
    "short": "The cat sat on the mat.",
    "masked": "The cat sat on the [MASK].",
    "markup": '<b>cat</b> & "mat" 👩‍💻',
    "long": " ".join([ENGLISH] * 6),  # more than 64 tokens
    "too long": ("cat " * 30_000).strip(),
    "cut": ("cat " * 126)[:503],  # as much of it as is read
    "pieces": "the catlike cat sat on the rug",
    "decoder": "the cat sat on the mat , and the dog liked the cat .",
}


def payloads() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        decoder = folder_of(Path(folder) / "decoder", GPT2, specials=False)
        pieces = _in_pieces(Path(folder) / "pieces")
        with patch.dict("os.environ", {library.SETTING: f"decoder={decoder};pieces={pieces}"}):
            for card in library.cards():
                if card.key != "minilm":
                    load(card)
            answers = _Server().answers
    return {
        "models": _opened_without_a_head("en"),
        "models in Chinese": _opened_without_a_head("zh"),
        "answers": answers,
        "texts": TEXTS,
    }


def _opened_without_a_head(language: str) -> dict[str, Any]:
    """What the page is sent; it opens with a sentence that chooses no head."""
    data: dict[str, Any] = {**payload(work("first", language))}
    return {**data, "examples": [offered for offered in data["examples"] if "head" not in offered]}


def _in_pieces(folder: Path) -> Path:
    """A model that guesses nothing, whose tokenizer has one word in pieces."""
    vocabulary = {piece: number for number, piece in enumerate([*WORDS, "##like"])}
    config = BERT | {"vocab_size": len(vocabulary)}
    folder_of(folder, config)
    tensors = {name: tensor for name, tensor in tensors_of(config).items() if not name.startswith("cls.")}
    save_file(tensors, folder / "model.safetensors")
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(WORDS[:5])
    ends = [(sign, vocabulary[sign]) for sign in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


class _Server:
    """Answers by path and body: the status, and what comes back in base64."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, str]] = {}
        self._answer("cards")
        self._answer("run", model="../../etc", texts=[CHINESE], without=[])
        self._answer("run", model="own", texts=[TEXTS["too long"]], without=[])
        for name in ("english", "chinese", "short", "masked", "markup", "tired", "long", "cut"):
            header = self._read("own", [TEXTS[name]])
        for second in ("wide", "wide street"):
            self._read("own", [TIRED, TEXTS[second]])
        for steps in range(3):
            self._read("decoder", [TEXTS["decoder"]], steps=steps)
        self._read("decoder", [TEXTS["decoder"]], [[0, 1]], steps=1)
        self._read("pieces", [TEXTS["pieces"]])
        self._read("pieces", [ENGLISH])
        first, last = (
            [[layer, head] for head in range(header["heads"])] for layer in (0, header["layers"] - 1)
        )
        for off in ([[0, 0]], [[0, 1]], [[0, 0], [1, 1]], last, [*last, *first]):
            self._read("own", [ENGLISH], off)
        self._answer("run", model="own", texts=[ENGLISH], without=[[1, 8], [0, 0]])
        self._answer("shuffled", model="own", text=ENGLISH, without=[])

    def _answer(self, path: str, **body: Any) -> bytes:
        written = json.dumps(body, ensure_ascii=False, separators=(",", ":")) if body else ""
        try:
            status, content = 200, ANSWERS[path](written.encode(), "en")
        except MhaError as error:
            refused = refusal(error, "en")
            status, content = refused.status_code, bytes(refused.body)
        self.answers[f"{path} {written}"] = status, b64encode(content).decode()
        return content

    def _read(
        self, model: str, texts: list[str], without: list[list[int]] | None = None, steps: int = 0
    ) -> dict[str, Any]:
        """All that can be requested of texts that a model has read, of long ones a little; the header of its run."""
        off = without or []
        is_long = texts[0] in (TEXTS["long"], TEXTS["cut"])
        more = {"without": off, **({"steps": steps} if steps else {})}
        message = self._answer("run", model=model, texts=texts, **more)
        header = json.loads(message[4 : 4 + int.from_bytes(message[:4], "little")])
        for text, sentence in zip(texts, header["sentences"], strict=True):
            for layer in range(1 if is_long else header["layers"]):
                for head in range(1 if is_long else header["heads"]):
                    self._answer("head", model=model, text=text, layer=layer, head=head, **more)
            words = [place for place, special in enumerate(sentence["special"]) if not special]
            for place in words[-2:] if is_long else words:
                if header["guesses"]:
                    self._answer("guesses", model=model, text=text, place=place, **more)
        return header
