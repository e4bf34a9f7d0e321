"""The tokenizer: whole words where they are known, else pieces, else the bytes of a character. Nothing is unknown.

A text is cut at blanks and signs; 中文 at the words of the lexicon, the longest first, else character by character.
A word that the vocabulary lacks is cut into as few pieces as possible.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from training.names import common_characters
from training.passages import MARK, Passage
from training.words import FOLDER, lexicon

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
SIGNS = ".,!?:;'\"()[]{}<>-+=*/\\&%#@$^_|~`“”‘’。，！？：；、（）《》「」【】…—·"
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
_COUNT_OF_WORDS = 25
"""How often a word must come in the sample to be a token of its own."""
_COUNT_OF_PIECES = 700


def make_tokenizer(sample: Iterable[Passage]) -> Tokenizer:
    """The tokenizer whose words are those that the sample has often enough."""
    chinese = chinese_words()
    counts = Counter(_words_of(sample, _cutter(chinese)))
    words = [word for word, count in counts.most_common() if count >= _COUNT_OF_WORDS]
    known = [word for word in chinese if counts[word] >= _COUNT_OF_WORDS]
    scores = dict.fromkeys(SPECIAL, 0.0)
    scores |= dict.fromkeys((f"<0x{byte:02X}>" for byte in range(256)), -30.0)
    scores |= dict.fromkeys((*SIGNS, *_LETTERS, *common_characters()), -10.0)
    scores |= {piece: -10.0 + 0.02 * len(piece) ** 2 for piece in _pieces(words)}
    scores |= dict.fromkeys(words, -5.0)
    made = Tokenizer(models.Unigram(list(scores.items()), unk_id=1, byte_fallback=True))
    made.normalizer = normalizers.Sequence(
        [
            normalizers.NFD(),
            normalizers.StripAccents(),
            normalizers.NFC(),
            normalizers.Lowercase(),
            normalizers.Replace(Regex("(?<=[a-z])’(?=[a-z])"), "'"),
        ]
    )
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Split(Regex(_pattern(known)), "isolated"),
        ]
    )
    made.decoder = decoders.ByteFallback()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    made.add_special_tokens([AddedToken(one, special=True, normalized=False) for one in SPECIAL])
    return made


def chinese_words() -> list[str]:
    """Every 中文 word of the lexicon that has more than one character, the longest first."""
    words = lexicon()
    found = {
        *(noun.zh for noun in words.described),
        *(verb.zh for verb in words.verbs),
        *(part for one in words.reasons for part in one.verb.zh.split("~")),
        *(one.zh for one in words.adjectives),
        *words.chinese_of.values(),
        *(zh for rows in words.tables for row in rows for _, zh in row.values() if len(zh) < 5),
        *(zh for times in words.times.values() for _, zh in times),
        *(
            one
            for line in (FOLDER / "chinese.txt").read_text("utf-8").splitlines()[1:]
            for one in line.split()
        ),
    }
    return sorted((word for word in found if len(word) > 1), key=lambda word: (-len(word), word))


def _pattern(chinese: Iterable[str]) -> str:
    """A 中文 word or character, an English word, digits, or a sign."""
    return "|".join((*chinese, "[\u3400-\u9fff\uf900-\ufaff]", "[a-z]+(?:'[a-z]+)*", "[0-9]+", r"[^\s\w]"))


def _cutter(chinese: Iterable[str]) -> re.Pattern[str]:
    return re.compile(_pattern(chinese))


def _words_of(sample: Iterable[Passage], cutter: re.Pattern[str]) -> Iterator[str]:
    for passage in sample:
        for text in (passage.text, passage.second or ""):
            yield from cutter.findall(text.replace(MARK, " ").lower())


def _pieces(words: Iterable[str]) -> list[str]:
    """What English words often begin or end with, or have in them: two to five letters."""
    counts: Counter[str] = Counter()
    for word in words:
        if _WORD.fullmatch(word) and "'" not in word:
            starts = (word[at : at + size] for size in range(2, 6) for at in range(len(word) - size + 1))
            counts.update(starts)
    worth = {piece: count * (len(piece) - 1) for piece, count in counts.items()}
    chosen = sorted(worth, key=lambda piece: (-worth[piece], piece))[:_COUNT_OF_PIECES]
    return [*chosen, "'s", "n't", "'m", "'re", "'ll", "'ve", "'d"]
