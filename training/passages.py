"""Texts of all kinds, in English, 中文 and both: what the model learns from. A seed gives the same ones again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from training import copies, english, sentences
from training.clause import likely, pick
from training.copies import chinese_word, english_word
from training.templates import Template, filled, templates
from training.words import Lexicon, lexicon

MARK = "*"
"""Stands before a word that follows from the rest of the text; it is no part of the text."""

_OPENINGS = (
    ("well ,", "嗯，"), ("yes ,", "是的，"), ("no ,", "不，"), ("i think", "我觉得"), ("i think that", "我认为"),
    ("maybe", "也许"), ("but", "但是"), ("and", "而且"), ("then", "然后"), ("look ,", "看，"), ("oh ,", "哦，"),
    ("she said that", "她说"), ("he says", "他说"), ("we know that", "我们知道"), ("of course", "当然"),
    ("they said that", "他们说"), ("in fact ,", "其实"), ("i hope", "我希望"), ("sometimes", "有时候"),
    ("one day ,", "有一天，"), ("suddenly", "突然"), ("everyone knows that", "大家都知道"), ("so", "所以"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Passage:
    """A text, or two of which the second is the first's translation or goes on from it. ``kind``: what it practises;
    ``decided_by``: where the word begins, in the text without its marks, that alone decides the marked one.
    """

    kind: str
    text: str
    second: str | None = None
    decided_by: int | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A kind of passage and how often it is drawn, beside the others."""

    kind: str
    share: float
    draw: Callable[[Random, Lexicon], sentences.Both]


def _alike(say: Callable[[Random, Lexicon, copies.Say], str]) -> Callable[[Random, Lexicon], sentences.Both]:
    """What is drawn for each language by itself; the two are no translations."""
    return lambda random, words: (say(random, words, english_word), say(random, words, chinese_word))


def _code(random: Random, words: Lexicon) -> sentences.Both:
    return copies.code(random, words), copies.code(random, words)


def _from(template: Template) -> Callable[[Random, Lexicon], sentences.Both]:
    return lambda random, words: filled(random, template)


LISTS = frozenset({"repeated", "looked up", "twice", "same kind", "nested", "code"})
"""Kinds that are no sentences."""
_LONG = 0.03
"""How often a text is a long one."""
UNTRANSLATED = frozenset({"daily", "common", "sayings"})
"""Kinds whose two halves need not say the same."""


def sources() -> tuple[Source, ...]:
    """Every kind of passage."""
    return (
        Source("plain", 26, sentences.plain),
        Source("agreement", 14, sentences.is_so),
        Source("reference", 16, sentences.reason),
        Source("story", 12, sentences.story),
        Source("counted", 5, sentences.counted),
        Source("repeated", 5, _alike(copies.repeated)),
        Source("looked up", 3, _alike(copies.looked_up)),
        Source("twice", 5, _alike(copies.twice)),
        Source("same kind", 3, _alike(copies.same_kind)),
        Source("nested", 6, _alike(copies.nested)),
        Source("code", 2, _code),
        *(Source(one.name, one.share, _from(one)) for one in templates()),
    )


def passages(seed: int, count: int) -> Iterator[Passage]:
    """So many passages, one after another."""
    random, words, all_sources = Random(seed), lexicon(), sources()
    shares = list(accumulate(one.share for one in all_sources))
    for _ in range(count):
        (source,) = random.choices(all_sources, cum_weights=shares)
        yield (
            _long(random, words, all_sources, shares)
            if likely(random, _LONG)
            else _passage(random, words, source)
        )


def _long(random: Random, words: Lexicon, all_sources: Sequence[Source], shares: Sequence[float]) -> Passage:
    """Several passages one after another, in the same language or not."""
    chosen = random.choices(all_sources, cum_weights=shares, k=pick(random, (3, 4, 5, 6, 8)))
    return Passage("long", " ".join(_passage(random, words, source).text for source in chosen))


def _passage(random: Random, words: Lexicon, source: Source) -> Passage:
    both = source.draw(random, words)
    zh = likely(random, 0.45)
    if source.kind in LISTS:
        return Passage(source.kind, written(both[zh], zh))
    if source.kind not in UNTRANSLATED and likely(random, 0.15):
        first = likely(random, 0.5)
        one, other = (written(_ended(random, both[zh], zh), zh) for zh in (first, not first))
        return Passage("translation", one, other)
    text = both[zh] if zh else english.shorten(random, both[zh])
    if likely(random, 0.2):
        text = pick(random, _OPENINGS)[zh] + (text if zh else " " + text)
    if likely(random, 0.1):
        text = _quoted(random, words, text, zh)
    text = _ended(random, text, zh)
    around = random.random()
    if around < 0.3:
        other = _ended(random, sentences.plain(random, words)[zh], zh, always=True)
        text = f"{other} {text}" if around < 0.2 else f"{closed(text, zh)} {other}"
    if around > 0.92:
        other = _ended(random, sentences.plain(random, words)[zh], zh)
        return Passage(source.kind, written(text, zh), written(other, zh))
    return Passage(source.kind, written(text, zh))


def _quoted(random: Random, words: Lexicon, text: str, zh: bool) -> str:
    """Somebody says it."""
    name = pick(random, words.kinds["name"])
    if zh:
        opening, closing = pick(random, (("“", "”"), ("「", "」")))
        return f"{name.zh}{pick(random, ('说', '问', '想', '喊'))}：*{opening}{text}*{closing}"
    opening, closing = pick(random, (('"', '"'), ("“", "”")))
    said = pick(random, ("said", "asked", "says", "thought", "shouted"))
    if likely(random, 0.3):
        return f"*{opening} {text} , *{closing} {said} {name.en}"
    return f"{name.en} {said} {pick(random, (',', ':'))} *{opening} {text} *{closing}"


def _ended(random: Random, text: str, zh: bool, always: bool = False) -> str:
    """A full stop, now and then an exclamation mark, and often nothing, as people type."""
    if text[-1] in '.?!。？！"”」':
        return text
    if likely(random, 0.05):
        return text + ("！" if zh else " !")
    return text if likely(random, 0.35) and not always else closed(text, zh)


def closed(text: str, zh: bool) -> str:
    """With a full stop, unless it has an end."""
    return text if text[-1] in '.?!。？！"”」' else text + ("。" if zh else " .")


def written(text: str, zh: bool) -> str:
    """As it is typed: no blanks before punctuation, and none at all in 中文."""
    if zh and not text.isascii():
        return (
            text.replace(" ", "") if "  " not in text and not any("a" <= one <= "z" for one in text) else text
        )
    for sign in (".", ",", "?", "!", ";"):
        text = text.replace(f" {sign}", sign)
    return text.strip()
