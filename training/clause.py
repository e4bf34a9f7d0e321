"""Who does what, where and when: drawn from the lexicon, and told by ``english`` and ``chinese`` alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Literal, TypeVar

from training.words import NAMES, Adjective, Lexicon, Noun, Verb

Determiner = Literal[
    "the", "a", "this", "that", "my", "your", "his", "her", "our", "their", "no", "count", ""
]
Tense = Literal["past", "present", "now", "done", "future", "can", "must", "should", "want", "may"]
Pronoun = Literal["i", "you", "he", "she", "it", "we", "they"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun with what stands before it, or a pronoun in its place. ``count``: how many, where that is said."""

    noun: Noun | None
    determiner: Determiner = "the"
    many: bool = False
    count: int = 0
    adjective: Adjective | None = None
    pronoun: Pronoun | None = None

    @property
    def is_name(self) -> bool:
        """Whether it is somebody's name, which takes no article."""
        return self.noun is not None and self.noun.kind in NAMES


@dataclass(frozen=True, slots=True)
class Clause:
    """One verb and what belongs to it. ``time``: its English and 中文. ``asks``: whether it is a question."""

    subject: Phrase
    verb: Verb
    object: Phrase | None
    place: Phrase | None
    tense: Tense
    negative: bool
    time: tuple[str, str] | None
    asks: bool = False


_ARTICLES: Sequence[Determiner] = ("the", "the", "the", "a", "a", "this", "that")
_OWNERS: Sequence[Determiner] = ("my", "my", "your", "his", "her", "our", "their")
_UNOWNED = frozenset(
    "wild flyer crawler swimmer worker sky weather waters way station outdoors ground building plant stuff".split()
)
"""Kinds of which one seldom says whose they are."""
_TENSES: Sequence[Tense] = (
    "past", "past", "past", "past", "present", "present", "now", "now", "done", "future",
    "can", "must", "should", "want", "may",
)  # fmt: skip
_TIMES = {"past": "past", "future": "future", "now": "now", "present": "habit"}


def likely(random: Random, share: float) -> bool:
    """True with this probability."""
    return random.random() < share


def pick(random: Random, choices: Sequence[T]) -> T:
    """One of them."""
    return choices[int(random.random() * len(choices))]


def pick_noun(random: Random, nouns: Sequence[Noun]) -> Noun:
    """A noun, its kind first: a kind of many words is no more frequent than one of few."""
    return pick(random, pick(random, _by_kind(tuple(nouns))))


@cache
def _by_kind(nouns: tuple[Noun, ...]) -> tuple[tuple[Noun, ...], ...]:
    kinds = dict.fromkeys(noun.kind for noun in nouns)
    return tuple(tuple(noun for noun in nouns if noun.kind == kind) for kind in kinds)


def phrase(random: Random, words: Lexicon, noun: Noun, describe: float = 0.25) -> Phrase:
    """The noun with a determiner, a number, and now and then an adjective."""
    if noun.kind in NAMES:
        return Phrase(noun, "")
    fitting = words.described[noun]
    adjective = pick(random, fitting) if fitting and likely(random, describe) else None
    owned = noun.kind not in _UNOWNED and likely(random, 0.3)
    determiner = pick(random, _OWNERS if owned else _ARTICLES)
    if not noun.plural:
        determiner = "" if determiner in ("a", "count") or likely(random, 0.4) else determiner
        return Phrase(noun, determiner, adjective=adjective)
    many = noun.plural == noun.en or likely(random, 0.3)
    if many and determiner == "a":
        count = int(random.random() * 4)
        return Phrase(noun, "count" if count else "", True, count + 1, adjective)
    return Phrase(noun, determiner, many, 0, adjective)


def pronoun_for(random: Random, noun: Noun) -> Pronoun:
    """Which pronoun may stand for a being as the subject of a sentence."""
    if noun.kind in ("male", "boyname"):
        return "he"
    if noun.kind in ("female", "girlname"):
        return "she"
    return pick(random, ("i", "you", "he", "she", "we", "they")) if noun.kind in ("human", "worker") else "it"


def draw_subject(random: Random, words: Lexicon, verb: Verb) -> Phrase:
    """Who does it: a noun, or a pronoun in its place."""
    noun = pick_noun(random, verb.subjects)
    if likely(random, 0.35):
        pronoun = pronoun_for(random, noun)
        return Phrase(None, "", pronoun in ("we", "they"), pronoun=pronoun)
    return phrase(random, words, noun)


def draw_clause(
    random: Random, words: Lexicon, verb: Verb | None = None, subject: Phrase | None = None
) -> Clause:
    """A clause that makes sense: the verb's subjects and objects are those that the lexicon allows."""
    verb = verb or pick(random, words.verbs)
    tense = pick(random, _TENSES)
    if verb.state and tense in ("now", "want", "may", "done"):
        tense = "present"
    times = words.times.get(_TIMES.get(tense, ""), ())
    time = pick(random, times) if times and not verb.state and likely(random, 0.35) else None
    return Clause(
        subject or draw_subject(random, words, verb),
        verb,
        phrase(random, words, pick_noun(random, verb.objects)) if verb.objects else None,
        phrase(random, words, pick_noun(random, verb.places), 0.1) if verb.places else None,
        tense,
        tense != "now" and likely(random, 0.15),
        time,
    )


def asked(clause: Clause) -> Clause:
    """The clause as a question."""
    return replace(clause, asks=True, negative=False)
