"""From text to the pieces that a model reads, and which word of the text each piece belongs to."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from mha_core.errors import N_, ModelError, Reason, needs
from mha_core.interop.saved.settings import read_json
from mha_core.quoted import quoted

MAX_CHARACTERS = 100_000
"""Longest text that is tokenized; a model has its own limit of tokens."""
MAX_TOKENS = 1_000_000
"""Most tokens of a text, whatever the model."""
MAX_FILE = 100_000_000
"""Longest tokenizer.json or vocab.txt, in bytes."""
MAX_SETTINGS = 20_000_000
"""Longest tokenizer_config.json, in bytes: some list thousands of added tokens."""

_WORD = re.compile(
    r"[\u2e80-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]|[^\W_]+(?:['’][^\W_]+)*|\S"
)
"""A word: one Chinese character, kana or hangul syllable; a run of letters and digits; any other sign."""
BLANKS = {" ": "␣", "\n": "⏎", "\t": "⇥"}
Place: TypeAlias = tuple[int | None, tuple[int, int]]
"""Which of the texts a piece is from, and where in it; None for a piece that the tokenizer added."""
_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that would change the writing direction of the text around them."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text as the model reads it; each field has one entry for each token.

    ``ids``: numbers of the pieces in the vocabulary. ``texts``: the pieces for people to read: "play", "##ing"; a piece
    that is part of a character is that character and the number of the part. ``words``: which word of the text it
    belongs to, counted from 0 through both sentences; None for special tokens. ``special``: not part of the text, such
    as [CLS], [SEP] or the beginning of a text; [MASK] represents a word and is not special. ``segments``: 0, or 1 in
    the second sentence. ``unknown``: the text that the vocabulary has no piece for; None for all other tokens.
    """

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    words: tuple[int | None, ...]
    special: tuple[bool, ...]
    segments: tuple[int, ...]
    unknown: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Reader:
    """The tokenizer of a model's folder. ``mask``: the id of the token for a word to be guessed, if any; ``unknown``:
    the id for text that the vocabulary lacks, if any; ``special``: ids of the other special tokens.
    """

    tokenizer: Any
    mask: int | None
    unknown: int | None
    special: frozenset[int]

    def read(self, text: str, pair: str | None = None, most: int = MAX_TOKENS) -> Tokens:
        """The tokens of a text, or of a pair of texts; no more than ``most``.

        Raises ``ModelError`` for a text that is empty, and for one that is too long.
        """
        texts = [_clean(part) for part in (text, pair) if part is not None]
        encoded = self.tokenizer.encode(*texts)
        ids = tuple(encoded.ids)
        if len(ids) > most:
            raise too_long(len(ids), most)
        special = tuple(
            bool(added) or number in self.special
            for added, number in zip(encoded.special_tokens_mask, ids, strict=True)
        )
        if all(special):
            raise ModelError(N_("the text contains nothing that this model can read"))
        places = list(zip(encoded.sequence_ids, encoded.offsets, strict=True))
        return Tokens(
            ids=ids,
            texts=self._texts(ids, places, texts),
            words=_words(special, places, texts),
            special=special,
            segments=tuple(encoded.type_ids),
            unknown=tuple(
                _source(place, texts) if number == self.unknown else None
                for number, place in zip(ids, places, strict=True)
            ),
        )

    def source(self, text: str, most: int = MAX_TOKENS) -> Tokens:
        """The tokens of a text as an encoder reads it, also beside a decoder that reads another one."""
        return Reader.read(self, text, None, most)

    def text(self, number: int) -> str:
        """The piece with this number, for people to read: blanks are made visible; a piece without text is its name."""
        plain = self._decoded(number)
        if not plain or _PART in plain:
            return str(self.tokenizer.id_to_token(number) or f"[{number}]")
        return plain.strip() or "".join(BLANKS.get(sign, "␣") for sign in plain)

    def continues_word(self, before: int, number: int) -> bool:
        """Whether a piece is part of the same word as the piece before it: "play" and "ing"."""
        start = self._decoded(before).strip()
        both = str(self.tokenizer.decode([before, number], skip_special_tokens=False)).strip()
        if not start or not both.startswith(start):
            return False
        return any(match.start() < len(start) < match.end() for match in _WORD.finditer(both))

    def _decoded(self, number: int) -> str:
        return str(self.tokenizer.decode([number], skip_special_tokens=False))

    def _texts(self, ids: Sequence[int], places: Sequence[Place], texts: Sequence[str]) -> tuple[str, ...]:
        """The pieces; a part of a character is that character and the number of the part."""
        known = {number: self.text(number) for number in set(ids)}
        broken = {number for number in known if _PART in self._decoded(number)}
        pieces: list[str] = []
        part, before = 0, None
        for number, place in zip(ids, places, strict=True):
            source = _source(place, texts) if number in broken else ""
            part, before = (part + 1 if place == before else 1), place
            pieces.append(f"{source}·{part}" if source else known[number])
        return tuple(pieces)


_PART: Final = "\ufffd"
"""What decoding gives for bytes that are not a whole character."""


def _source(place: Place, texts: Sequence[str]) -> str:
    """The text at this place."""
    sequence, (start, end) = place
    return "" if sequence is None else texts[sequence][start:end].strip()


def too_long(count: int, most: int) -> ModelError:
    """The error for a text of so many tokens."""
    return ModelError(
        N_("the text is {count} tokens long; this model takes at most {most}"), count=count, most=most
    )


def _clean(text: str) -> str:
    """The text without control characters. Raises ``ModelError`` where nothing is left or it is too long."""
    if len(text) > MAX_CHARACTERS:
        raise ModelError(
            N_("the text has {count} characters; at most {most} are allowed"),
            count=len(text),
            most=MAX_CHARACTERS,
        )
    cleaned = "".join(sign for sign in text if sign in BLANKS or _is_text(sign))
    if not cleaned.strip():
        raise ModelError(N_("the text is empty"))
    return cleaned


def _is_text(sign: str) -> bool:
    return unicodedata.category(sign) not in ("Cc", "Cs", "Cn") and sign not in _DIRECTIONS


def _words(special: Sequence[bool], places: Sequence[Place], texts: Sequence[str]) -> tuple[int | None, ...]:
    """For each piece the number of the word with the piece's first non-blank character."""
    words_at: list[dict[int, int]] = []
    count = 0
    for text in texts:
        at: dict[int, int] = {}
        for match in _WORD.finditer(text):
            at.update(dict.fromkeys(range(*match.span()), count))
            count += 1
        words_at.append(at)

    def word(is_special: bool, place: Place) -> int | None:
        sequence, (start, end) = place
        if is_special or sequence is None:
            return None
        at = words_at[sequence]
        return next((at[index] for index in range(start, end) if index in at), None)

    return tuple(map(word, special, places))


# --- files -------------------------------------------------------------------------------------------------------


def read_tokenizer(folder: Path) -> Reader:
    """The tokenizer of a model's folder: tokenizer.json, or BERT's WordPiece from vocab.txt.

    Raises ``ModelError`` where there is neither, or one that cannot be read.
    """
    settings = _settings(folder)
    path = folder / "tokenizer.json"
    if path.exists():
        tokenizer = _from_json(path)
    elif (folder / "vocab.txt").exists():
        tokenizer = _word_piece(folder / "vocab.txt", settings)
    else:
        raise ModelError(N_("the model's folder has no tokenizer.json and no vocab.txt"))
    return _reader(whole(tokenizer), settings)


def whole(tokenizer: Any) -> Any:
    """The tokenizer, which now neither cuts nor fills up texts."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _settings(folder: Path) -> Mapping[str, Any]:
    path = folder / "tokenizer_config.json"
    return read_json(path, MAX_SETTINGS) if path.exists() else {}


def _from_json(path: Path) -> Any:
    with needs("tokenizers", "models", ModelError):
        from tokenizers import Tokenizer  # noqa: PLC0415  # optional

    text = _text(path)
    try:
        json.loads(text)
        return Tokenizer.from_str(text)
    except Exception:  # noqa: BLE001  # the library raises a bare Exception
        raise ModelError(N_("this tokenizer cannot be read"), place=path.name) from None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE + 1)
        text = data.decode() if len(data) <= MAX_FILE else None
    except OSError as error:
        raise ModelError(N_("cannot be read: {reason}"), place=path.name, reason=Reason(error)) from None
    except UnicodeDecodeError:
        text = None
    if text is None:
        raise ModelError(N_("expected text in UTF-8 of at most {most} bytes"), place=path.name, most=MAX_FILE)
    return text


def _word_piece(path: Path, settings: Mapping[str, Any]) -> Any:
    """BERT's original tokenizer; lower case unless the settings say otherwise, which is the documented default."""
    with needs("tokenizers", "models", ModelError):
        from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors  # noqa: PLC0415

    pieces = _text(path).splitlines()
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    named = {part: str(settings.get(f"{part}_token") or f"[{part.upper()}]") for part in _SPECIAL}
    missing = [
        name for part, name in named.items() if part in ("unk", "cls", "sep") and name not in vocabulary
    ]
    if missing:
        raise ModelError(N_("the token {name} is missing"), place=path.name, name=quoted(missing[0]))
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=named["unk"], max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(
        lowercase=settings.get("do_lower_case", True) is not False,
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True) is not False,
        strip_accents=settings.get("strip_accents"),
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens([name for name in named.values() if name in vocabulary])
    cls, sep = named["cls"], named["sep"]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{cls}:0 $A:0 {sep}:0",
        pair=f"{cls}:0 $A:0 {sep}:0 $B:1 {sep}:1",
        special_tokens=[(cls, vocabulary[cls]), (sep, vocabulary[sep])],
    )
    return tokenizer


_SPECIAL = ("pad", "unk", "cls", "sep", "mask")


def _reader(tokenizer: Any, settings: Mapping[str, Any]) -> Reader:
    """The tokenizer with its special tokens. Mask and unknown are separate, since they represent words of the text."""
    added = {
        number: str(token.content)
        for number, token in tokenizer.get_added_tokens_decoder().items()
        if token.special
    }
    mask = _named(settings, "mask", ("[MASK]", "<mask>"))
    unknown = _named(settings, "unk", ("[UNK]", "<unk>"))
    return Reader(
        tokenizer=tokenizer,
        mask=next((number for number, name in added.items() if name in mask), None),
        unknown=next((number for number, name in added.items() if name in unknown), None),
        special=frozenset(number for number, name in added.items() if name not in mask | unknown),
    )


def _named(settings: Mapping[str, Any], part: str, usual: Sequence[str]) -> frozenset[str]:
    """The names that a special token can have: the one in the settings, else the usual ones."""
    given = settings.get(f"{part}_token")
    content = given.get("content") if isinstance(given, dict) else given
    return frozenset([content] if isinstance(content, str) else usual)
