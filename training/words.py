"""The lexicon: nouns, verbs and adjectives in both languages, what goes with what, and tables of facts.

The files in ``words/`` say their own form in their first lines. A ``_`` in them is a blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from training import inflect

FOLDER = Path(__file__).parent / "words"
MALE = frozenset({"male", "boyname"})
FEMALE = frozenset({"female", "girlname"})
NAMES = frozenset({"boyname", "girlname"})


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A thing or being; the lexicon has each once. ``plural`` is empty where it cannot be counted; ``at`` and ``zh_at``
    are the words of place.
    """

    en: str
    plural: str
    zh: str
    measure: str
    kind: str
    at: str
    zh_at: str


@dataclass(frozen=True, slots=True)
class Verb:
    """``forms``: base, third person, past, participle, -ing. It has no ``objects`` or no ``places`` where none fit."""

    forms: tuple[str, str, str, str, str]
    particle: str
    zh: str
    state: bool
    subjects: tuple[Noun, ...]
    objects: tuple[Noun, ...]
    places: tuple[Noun, ...]


@dataclass(frozen=True, slots=True)
class Adjective:
    """``nouns``: what can be so; ``opposite``: the English of its opposite, or empty."""

    en: str
    zh: str
    nouns: tuple[Noun, ...]
    opposite: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why somebody did not do a thing: ``of_who`` and ``of_what`` are adjectives, in both languages, that say it of
    either noun.
    """

    verb: Verb
    of_who: tuple[tuple[str, str], ...]
    of_what: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All words. ``kinds``: nouns by kind or union of kinds; ``doings``, ``described``: what a noun can do and be;
    ``tables``: rows of column → (English, 中文).
    """

    kinds: Mapping[str, tuple[Noun, ...]]
    verbs: tuple[Verb, ...]
    adjectives: tuple[Adjective, ...]
    doings: Mapping[Noun, tuple[Verb, ...]]
    described: Mapping[Noun, tuple[Adjective, ...]]
    reasons: tuple[Reason, ...]
    tables: tuple[tuple[Mapping[str, tuple[str, str]], ...], ...]
    times: Mapping[str, tuple[tuple[str, str], ...]]
    chinese_of: Mapping[str, str]


@cache
def lexicon() -> Lexicon:
    """Everything that the files say. Raises ``KeyError`` for a word that is spoken of and nowhere defined."""
    kinds = _kinds()
    verbs = tuple(_verb(line, kinds) for line in _lines("verbs.txt") if not line.startswith("="))
    adjectives = tuple(_adjective(line, kinds) for line in _lines("adjectives.txt"))
    nouns = dict.fromkeys(noun for group in kinds.values() for noun in group)
    doings = {noun: tuple(one for one in verbs if noun in one.subjects) for noun in nouns}
    described = {noun: tuple(one for one in adjectives if noun in one.nouns) for noun in nouns}
    extra = [line.split() for line in _lines("extra.txt")]
    chinese_of = {one.en: one.zh for one in reversed(adjectives)} | {one[0]: one[1] for one in extra}
    of_things = chinese_of | {one[0]: one[-1] for one in extra}
    reasons = tuple(_reason(line, kinds, chinese_of, of_things) for line in _lines("reasons.txt"))
    tables, times = tuple(_tables()), dict(_times())
    return Lexicon(kinds, verbs, adjectives, doings, described, reasons, tables, times, chinese_of)


def _lines(name: str) -> list[str]:
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def sections(name: str) -> Iterator[tuple[list[str], list[str]]]:
    """Of a file with ``[headings]``: the words of each heading, and its lines."""
    heading: list[str] = []
    lines: list[str] = []
    for line in _lines(name):
        if line.startswith("["):
            if lines:
                yield heading, lines
            heading, lines = line.strip("[] ").split(), []
        else:
            lines.append(line)
    yield heading, lines


def _kinds() -> dict[str, tuple[Noun, ...]]:
    kinds: dict[str, tuple[Noun, ...]] = {}
    for (kind, at, zh_at), lines in sections("nouns.txt"):
        kinds[kind] = tuple(_noun(line, kind, at, zh_at.strip("~")) for line in lines)
    for line in _lines("verbs.txt"):
        if line.startswith("="):
            name, *parts = line[1:].split()
            kinds[name] = tuple(noun for part in parts for noun in kinds[part])
    return kinds


def _noun(line: str, kind: str, at: str, zh_at: str) -> Noun:
    english, zh, measure = line.split()
    one, _, many = english.replace("_", " ").partition("/")
    return Noun(one, "" if many == "-" else many or inflect.plural(one), zh, measure, kind, at, zh_at)


def _named(names: str, kinds: Mapping[str, Sequence[Noun]]) -> tuple[Noun, ...]:
    """The nouns of ``"pet ball"``: all of a kind, or the one of that name. A kind goes before a noun."""
    nouns = {noun.en: noun for group in kinds.values() for noun in group}
    found = [noun for name in names.split() for noun in kinds.get(name) or [nouns[name.replace("_", " ")]]]
    return tuple(dict.fromkeys(found))


def _forms(english: str) -> tuple[tuple[str, str, str, str, str], str]:
    verb, _, particle = english.partition("_")
    base, *irregular = verb.split("/")
    before, participle = irregular or [inflect.past(base)] * 2
    return (base, inflect.third(base), before, participle, inflect.ing(base)), particle.replace("_", " ")


def _verb(line: str, kinds: Mapping[str, Sequence[Noun]]) -> Verb:
    head, who, what = (part.strip() for part in line.split(" : "))
    english, zh = head.split()
    forms, particle = _forms(english)
    entries = [] if what == "." else what.split()
    objects = _named(" ".join(one for one in entries if one[0] != "@"), kinds)
    places = _named(" ".join(one[1:] for one in entries if one[0] == "@"), kinds)
    return Verb(forms, particle, zh.rstrip("~"), zh.endswith("~"), _named(who, kinds), objects, places)


def _adjective(line: str, kinds: Mapping[str, Sequence[Noun]]) -> Adjective:
    head, nouns, opposite = (part.strip() for part in line.split(" : "))
    english, zh = head.split()
    return Adjective(english, zh, _named(nouns, kinds), opposite.strip("."))


def _reason(
    line: str, kinds: Mapping[str, Sequence[Noun]], of_beings: Mapping[str, str], of_things: Mapping[str, str]
) -> Reason:
    head, who, what, of_who, of_what = (part.strip() for part in line.split(" : "))
    english, zh = head.split()
    forms, particle = _forms(english)
    verb = Verb(forms, particle, zh, False, _named(who, kinds), _named(what, kinds), ())
    both = (of_who.split(), of_beings), (of_what.split(), of_things)
    return Reason(verb, *(tuple((one, chinese[one]) for one in english) for english, chinese in both))


def _tables() -> Iterator[tuple[Mapping[str, tuple[str, str]], ...]]:
    for columns, lines in sections("tables.txt"):
        yield tuple(
            {column: _both(cell) for column, cell in zip(columns, line.split(), strict=True)}
            for line in lines
        )


def _times() -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    for (tense,), lines in sections("times.txt"):
        yield tense, tuple(_both(re.sub(r"\s+", "/", line)) for line in lines)


def _both(cell: str) -> tuple[str, str]:
    english, zh = cell.split("/")
    return english.replace("_", " "), zh
