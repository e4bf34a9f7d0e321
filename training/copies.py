"""Texts in which something comes again, or must be closed: lists, pairs, brackets and quotation marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from training.clause import likely, pick, pick_noun
from training.names import made_up_characters, made_up_word
from training.words import Lexicon

EN_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ('"', '"'), ("“", "”"), ("<", ">"), ("‘", "’"))
ZH_PAIRS = (
    ("（", "）"),
    ("“", "”"),
    ("《", "》"),
    ("「", "」"),
    ("【", "】"),
    ("(", ")"),
    ("[", "]"),
    ('"', '"'),
)
_DIGITS = "0123456789"

Say = Callable[[Random, Lexicon], str]


def english_word(random: Random, words: Lexicon) -> str:
    """A noun, a color, a number or a word that nobody knows."""
    chance = random.random()
    if chance < 0.06:
        return made_up_word(random)
    if chance < 0.2:
        return "".join(pick(random, _DIGITS) for _ in range(pick(random, (1, 1, 2, 3))))
    if chance < 0.3:
        return pick(random, words.adjectives).en
    return pick_noun(random, list(words.described)).en


def chinese_word(random: Random, words: Lexicon) -> str:
    """The same in 中文."""
    chance = random.random()
    if chance < 0.15:
        return made_up_characters(random)
    if chance < 0.25:
        return pick(random, _DIGITS)
    if chance < 0.35:
        return pick(random, words.adjectives).zh
    return pick_noun(random, list(words.described)).zh


def _distinct(random: Random, words: Lexicon, say: Say, count: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        found[say(random, words)] = None
    return list(found)


def repeated(random: Random, words: Lexicon, say: Say) -> str:
    """A list, and the same list again, whole or from somewhere within."""
    items = _distinct(random, words, say, pick(random, (2, 3, 3, 4, 5, 6, 8)))
    start = int(random.random() * len(items)) if likely(random, 0.4) else 0
    comma, colon = _marks(random, say)
    again = [items[start], *(f"*{one}" for one in items[start + 1 :])]
    return comma.join(items) + colon + comma.join(again)


def looked_up(random: Random, words: Lexicon, say: Say) -> str:
    """Pairs of words; then one of a pair, and the other is to be told."""
    items = _distinct(random, words, say, 2 * pick(random, (2, 3, 3, 4)))
    pairs = list(zip(items[::2], items[1::2], strict=True))
    comma, colon = _marks(random, say)
    link = pick(random, (" ", " = ", " : "))
    asked = pick(random, pairs)
    return comma.join(f"{key}{link}{value}" for key, value in pairs) + colon + f"{asked[0]}{link}*{asked[1]}"


def twice(random: Random, words: Lexicon, say: Say) -> str:
    """A list in which one word may come twice; the end says which, or that there is none."""
    items = _distinct(random, words, say, pick(random, (2, 3, 4, 5, 6)))
    english = say is english_word
    comma, _ = _marks(random, say)
    if likely(random, 0.3):
        return comma.join(items) + (" . no word comes *twice" if english else "。没有*重复的词")
    double = pick(random, items)
    items.insert(1 + int(random.random() * len(items)), double)
    before = " . the word that comes twice is *" if english else "。重复的词是*"
    return comma.join(items) + before + double


def same_kind(random: Random, words: Lexicon, say: Say) -> str:
    """A list of things of one kind."""
    kind = pick(random, [nouns for nouns in words.kinds.values() if len(nouns) > 3])
    english = say is english_word
    nouns = random.sample([noun.en if english else noun.zh for noun in kind], pick(random, (3, 4)))
    joined = (" , " if english else "、").join(nouns[:-1])
    return f"{joined}{' and ' if english else '和'}*{nouns[-1]}"


def nested(random: Random, words: Lexicon, say: Say) -> str:
    """Words with brackets and quotation marks around some of them, one within the other, all of them closed."""
    return _nest(random, words, say, EN_PAIRS if say is english_word else ZH_PAIRS, 3)


def _nest(random: Random, words: Lexicon, say: Say, pairs: Sequence[tuple[str, str]], depth: int) -> str:
    parts = []
    for _ in range(pick(random, (1, 2, 2, 3))):
        if depth and likely(random, 0.4):
            opening, closing = pick(random, pairs)
            parts.append(f"*{opening} {_nest(random, words, say, pairs, depth - 1)} *{closing}")
        else:
            parts.append(say(random, words))
    return (" , " if likely(random, 0.3) else " ").join(parts)


def code(random: Random, words: Lexicon) -> str:
    """A line as a programmer writes it."""
    name, other = (
        pick(random, ("x", "y", "a", "b", "print", "f", "list", english_word(random, words))) for _ in "12"
    )
    value = pick(
        random, (f'*" {english_word(random, words)} *"', pick(random, _DIGITS), f"*[ {other} , 1 *]", other)
    )
    shape = pick(random, ("{n} *( {v} *)", "{n} = {v}", "{n} *[ {v} *]", "print *( {n} *( {v} *) *)", "if {n} == {v} :",
                          "{n} *( *[ {v} , {o} *] *)", "*{ {n} : {v} *}"))  # fmt: skip
    return shape.replace("{n}", name).replace("{v}", value).replace("{o}", other)


def _marks(random: Random, say: Say) -> tuple[str, str]:
    """What stands between the items of a list, and what before it comes again."""
    if say is chinese_word:
        return pick(random, (("、", "："), ("，", "。"), (" ", " ； ")))
    return pick(random, ((" , ", " : "), (" ", " . "), (" , ", " . again , "), (" ", " | ")))
