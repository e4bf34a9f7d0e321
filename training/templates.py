"""Sentences with gaps, from ``words/templates.txt``: the gaps are filled once, for both languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from training import inflect
from training.clause import likely, pick
from training.names import made_up_name
from training.words import FEMALE, MALE, Lexicon, Noun, lexicon, sections

_GAP = re.compile(r"\{(?:([a-z]+):)?([a-z]+)(\d?)\}")
_CHOICE = re.compile(r"<([^<>]*)>")
_PRONOUNS = {
    "male": {"he": "he 他", "him": "him 他", "his": "his 他的", "himself": "himself 他自己"},
    "female": {"he": "she 她", "him": "her 她", "his": "her 她的", "himself": "herself 她自己"},
}
_INVENTED = 0.06
"""How often a name is one that nobody has: it can only be copied, never guessed."""


@dataclass(frozen=True, slots=True)
class Template:
    """``name``: of its section. ``share``: how often it is drawn, beside the others."""

    name: str
    share: float
    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Filled:
    """What fills a gap: a word in both languages, and the noun that it is, if it is one."""

    en: str
    zh: str
    noun: Noun | None = None


@cache
def templates() -> tuple[Template, ...]:
    """All of them; those of a section share what the section is given."""
    return tuple(
        Template(name, float(share) / len(lines), *(half.strip() for half in line.split("||")))
        for (name, share), lines in sections("templates.txt")
        for line in lines
    )


def filled(random: Random, template: Template) -> tuple[str, str]:
    """The template in English and 中文, with every gap filled and every choice made."""
    words = lexicon()
    gaps: dict[tuple[str, str], Filled] = {}
    for _, name, label in _GAP.findall(template.en + template.zh):
        if (name, label) not in gaps:
            _fill(random, words, name, label, gaps)
    choices = [random.random() for _ in range(8)]
    return _told(template.en, _english, gaps, choices), _told(template.zh, _chinese, gaps, choices).replace(
        " ", ""
    )


def _fill(random: Random, words: Lexicon, name: str, label: str, gaps: dict[tuple[str, str], Filled]) -> None:
    """Fill a gap, and with it the others of its row where it comes from a table. No two gaps are the same word."""
    taken = {one.en for one in gaps.values()}
    if name in ("adjective", "opposite"):
        one = pick(random, [one for one in words.adjectives if one.opposite and one.en not in taken])
        gaps["adjective", label] = Filled(one.en, one.zh)
        gaps["opposite", label] = Filled(one.opposite, words.chinese_of[one.opposite])
    elif name in words.kinds:
        gaps[name, label] = _noun(
            random, pick(random, [one for one in words.kinds[name] if one.en not in taken])
        )
    else:
        rows = next(rows for rows in words.tables if name in rows[0])
        row = pick(random, [row for row in rows if row[name][0] not in taken])
        gaps.update({(column, label): Filled(*cell) for column, cell in row.items()})


def _noun(random: Random, noun: Noun) -> Filled:
    if noun.kind in ("boyname", "girlname") and likely(random, _INVENTED):
        return Filled(*made_up_name(random), noun)
    return Filled(noun.en, noun.zh, noun)


def _told(
    text: str,
    say: Callable[[str, Filled], str],
    gaps: Mapping[tuple[str, str], Filled],
    choices: Sequence[float],
) -> str:
    """Choices first, since one may have a gap. The same numbers choose in both languages."""
    ahead = iter(choices)
    chosen = _CHOICE.sub(lambda found: _chosen(found[1].split("/"), next(ahead)), text)
    return " ".join(_GAP.sub(lambda found: say(found[1] or "", gaps[found[2], found[3]]), chosen).split())


def _chosen(options: Sequence[str], number: float) -> str:
    return options[int(number * len(options))].replace("_", " ")


def _english(form: str, one: Filled) -> str:
    match form:
        case "a":
            return one.en if one.noun is not None and not one.noun.plural else inflect.article(one.en)
        case "an":
            return inflect.article(one.en).replace(" ", " *", 1)
        case "the":
            return f"the {one.en}"
        case "s":
            return inflect.plural(one.en) if one.noun is None else one.noun.plural or one.en
        case "zh":
            return one.zh
        case "" | "en":
            return one.en
        case pronoun:
            return _pronoun(pronoun, one)[0]


def _chinese(form: str, one: Filled) -> str:
    match form:
        case "a":
            return f"一{one.noun.measure if one.noun else '个'}{one.zh}"
        case "en":
            return one.en
        case "" | "the" | "s" | "zh":
            return one.zh
        case pronoun:
            return _pronoun(pronoun, one)[1]


def _pronoun(form: str, one: Filled) -> tuple[str, str]:
    kind = "" if one.noun is None else one.noun.kind
    gender = "male" if kind in MALE else "female" if kind in FEMALE else ""
    english, zh = _PRONOUNS[gender][form].split()
    return english, zh
