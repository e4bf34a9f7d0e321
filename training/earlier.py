"""Sentences in which a hidden word is decided by one earlier word and by nothing else.

Each is in English and 中文, where both have it. "*" is before the word that is decided, "^" before the word that
decides it. Another word in the place of the deciding one would have decided otherwise: that alone is the way to guess.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from random import Random

from training import chinese, english
from training.clause import Clause, Phrase, likely, pick, pick_noun
from training.copies import EN_PAIRS, ZH_PAIRS
from training.model import Place
from training.names import common_characters
from training.passages import MARK, Passage, closed, written
from training.sentences import plain
from training.words import FEMALE, MALE, NAMES, Lexicon, Noun, Verb, lexicon

DECIDES = "^"
"""Stands before the word that decides another one; it is no part of the text."""

_ANIMALS = ("pet", "farm", "wild")
_WHO = {
    "he": tuple(sorted(MALE)), "she": tuple(sorted(FEMALE)), "it": _ANIMALS,
    "they": ("human", "worker", *_ANIMALS),
}  # fmt: skip
_THINGS = ("food", "fruit", "toy", "thing", "clothing", "device", "vehicle", "drink", "reading", "room",
           "building", "outdoors", "furniture", "container")  # fmt: skip
_ZH_PRONOUN = {"he": "他", "she": "她", "it": "它", "they": "他们"}
_WENT_ON = (
    ("because {} had no time", "因为{}没有时间"),
    ("and then {} went home", "然后{}回家了"),
    ("so {} left", "所以{}离开了"),
    ("but {} did not like it", "但是{}不喜欢"),
    ("when {} came home", "{}回家以后"),
    ("before {} left", "在{}离开之前"),
    ("because {} wanted to sleep", "因为{}想睡觉"),
    ("and {} fell down", "而且{}摔倒了"),
    (". then {} slept", "。然后{}睡觉了"),
    (". now {} can rest", "。现在{}可以休息"),
    ("because {} liked it", "因为{}喜欢"),
    (". {} will come tomorrow", "。{}明天会来"),
    ("and {} came back in the evening", "{}晚上才回来"),
    (". of course {} knew the way", "。{}当然认识路"),
)
_NEAR = ("near", "behind", "next to", "under", "with", "of")
_TIMES = (
    ("now", False),
    ("today", False),
    ("at the moment", False),
    ("yesterday", True),
    ("last year", True),
)
_AFTER = (
    ("everyone likes {}", "大家都喜欢{}"),
    ("now {} is asleep", "现在{}睡觉了"),
    ("good morning , {}", "早上好，{}"),
    ("we saw {} in the park", "我们在公园里看见{}"),
    ("where is {} today ?", "{}今天在哪里？"),
    ("then {} came in", "然后{}进来了"),
    ("i know {} very well", "我很认识{}"),
    ("he is looking for {}", "他在找{}"),
    ("{} is my best friend", "{}是我最好的朋友"),
    ("come here , {} !", "过来，{}！"),
    ("she gave {} an apple", "她给了{}一个苹果"),
)
_CALLED = (
    ("my {} is called {}", "我的{}叫{}"),
    ("the name of the {} is {}", "{}的名字是{}"),
    ("this {} is {}", "这个{}是{}"),
    ("they call the {} {}", "他们叫这个{}{}"),
    ("i have a {} called {}", "我有一个{}叫{}"),
)
_COUNTS = "两三四五六几"  # 一 and a measure word are often one token
_MEASURED = (
    "{who}喜欢{what}，昨天买了{n}{m}",
    "{who}没有{what}，想买{n}{m}",
    "{what}很好，{who}要{n}{m}",
    "这里有很多{what}，给{who}{n}{m}",
    "{what}呢？{who}有{n}{m}",
    "{who}看见了{what}，一共{n}{m}",
    "{what}，{who}只有{n}{m}",
    "{who}想要{what}，可是只有{n}{m}",
    "说到{what}，{who}昨天看见了{n}{m}",
    "{who}问有没有{what}，我说有{n}{m}",
)

Both = tuple[str, str]
Draw = Callable[[Random, Lexicon], Both]


def pronoun(random: Random, _: Lexicon) -> Both:
    """A pronoun, by the gender and number of the one being that was spoken of; the rest are things."""
    said = pick(random, tuple(_WHO))
    who = pick_noun(random, _doers(said))
    who_is = Phrase(who, "" if who.kind in NAMES else "the", said == "they")
    verb = pick(random, _done_to_things(who))
    what = pick_noun(random, _things(verb.objects))
    clause = Clause(who_is, verb, Phrase(what, "the"), None, "past", False, None)
    ends, zh_ends = pick(random, _WENT_ON)
    zh_said = "它们" if said == "they" and who.kind in _ANIMALS else _ZH_PRONOUN[said]
    en = english.said(random, clause)
    noun = who.plural if said == "they" else who.en
    zh_first = chinese.said(clause)
    return (
        en.replace(noun, DECIDES + noun, 1) + " " + ends.format("*" + said),
        zh_first.replace(who.zh, DECIDES + who.zh, 1)
        + "，" * (zh_ends[0] != "。")
        + zh_ends.format("*" + zh_said),
    )


@cache
def _doers(said: str) -> tuple[Noun, ...]:
    """Who is spoken of with a pronoun and does something to things."""
    nouns = (noun for kind in _WHO[said] for noun in lexicon().kinds[kind])
    return tuple(noun for noun in nouns if _done_to_things(noun))


@cache
def _done_to_things(noun: Noun) -> tuple[Verb, ...]:
    return tuple(one for one in lexicon().doings[noun] if not one.state and _things(one.objects))


@cache
def _countable() -> tuple[Noun, ...]:
    """Nouns whose plural is another word, and that can be described."""
    return tuple(
        noun
        for noun, fitting in lexicon().described.items()
        if fitting and noun.kind not in NAMES and noun.plural not in ("", noun.en)
    )


def _things(nouns: tuple[Noun, ...]) -> list[Noun]:
    return [noun for noun in nouns if noun.kind in _THINGS]


def agreement(random: Random, words: Lexicon) -> Both:
    """A verb, by the number of its subject, over another noun of any number. 中文 has none, and takes another kind."""
    noun = pick_noun(random, _countable())
    adjective = pick(random, words.described[noun])
    other = pick_noun(random, words.kinds["visible"])
    many, others = likely(random, 0.5), likely(random, 0.5) and bool(other.plural)
    time, past = pick(random, _TIMES)
    be = (("is", "are"), ("was", "were"))[past][many]
    subject = DECIDES + (noun.plural if many else noun.en)
    between = f"{pick(random, _NEAR)} the {other.plural if others else other.en}"
    if likely(random, 0.3):
        third = pick_noun(random, words.kinds["place"])
        between += f" in the {third.plural if third.plural and likely(random, 0.5) else third.en}"
    said = f"the {subject} {between} *{be} {adjective.en}"
    return f"{time} {said}" if likely(random, 0.5) else f"{said} {time}", measure(random, words)[1]


def closing(random: Random, words: Lexicon) -> Both:
    """A closing bracket or quotation mark, by the one that opened it."""
    return _closing(random, words, 0), _closing(random, words, 1)


def _closing(random: Random, words: Lexicon, zh: int) -> str:
    opening, closes = pick(random, (EN_PAIRS, ZH_PAIRS)[zh])
    inside = plain(random, words)[zh] if likely(random, 0.6) else _some(random, words, zh)
    before, after = (_some(random, words, zh) if likely(random, 0.8) else "" for _ in "12")
    return f"{before} {DECIDES}{opening} {inside} *{closes} {after}".strip()


def _some(random: Random, words: Lexicon, zh: int) -> str:
    nouns = [pick_noun(random, words.kinds["visible"]) for _ in range(pick(random, (1, 1, 2, 3, 4)))]
    return " ".join(one.zh if zh else one.en for one in nouns)


def measure(random: Random, words: Lexicon) -> Both:
    """A measure word, by the noun that was named before; English has none, and takes another kind."""
    what = pick(random, pick(random, tuple(_by_measure().values())))
    who = pick(random, [*words.kinds["people"], None, None, None])
    told = pick(random, _MEASURED).format(
        who=who.zh if who else pick(random, ("我", "他", "她", "我们")),
        what=DECIDES + what.zh,
        n=pick(random, _COUNTS),
        m="*" + what.measure,
    )
    return copied(random, words)[0], told


@cache
def _by_measure() -> dict[str, tuple[Noun, ...]]:
    """Nouns by measure word, those that are no beings by name, and measure words that are one character."""
    found: dict[str, list[Noun]] = defaultdict(list)
    for noun in lexicon().kinds["visible"] + lexicon().kinds["edible"]:
        if len(noun.measure) == 1 and noun.kind not in NAMES:
            found[noun.measure].append(noun)
    return {one: tuple(nouns) for one, nouns in found.items() if len(nouns) >= 3}


def copied(random: Random, words: Lexicon) -> Both:
    """A name that anybody could have: any word at all, which can only be copied."""
    whose = pick(random, words.kinds["beast"])
    noun = pick_noun(random, list(words.described))
    name, zh_name = noun.en, noun.zh if likely(random, 0.7) else pick(random, common_characters())
    called, zh_called = pick(random, _CALLED)
    after, zh_after = pick(random, _AFTER)
    return (
        f"{called.format(whose.en, DECIDES + name)} . {after.format('*' + name)}",
        f"{zh_called.format(whose.zh, DECIDES + zh_name)}。{zh_after.format('*' + zh_name)}",
    )


KINDS: dict[str, tuple[Draw, bool, bool]] = {
    "pronoun": (pronoun, True, True), "agreement": (agreement, True, False), "closing": (closing, True, True),
    "measure": (measure, False, True), "copied": (copied, True, True),
}  # fmt: skip
"""How each is drawn, and whether it is in English and in 中文."""

GUIDES: dict[str, Place] = {
    "pronoun": (3, 1), "agreement": (2, 3), "closing": (3, 2), "measure": (2, 2), "copied": (2, 0),
}  # fmt: skip
"""The head that is shown where to look, for each kind: layer and head, counted from 0."""


def decided(seed: int, count: int) -> Iterator[Passage]:
    """So many passages, of every kind as many."""
    random, words = Random(seed), lexicon()
    for _ in range(count):
        kind = pick(random, tuple(KINDS))
        draw, *tongues = KINDS[kind]
        zh = pick(random, [one for one in (False, True) if tongues[one]])
        text = draw(random, words)[zh]
        around = random.random()
        if around < 0.25:
            other = closed(plain(random, words)[zh], zh)
            text = f"{other} {text}" if around < 0.15 else f"{closed(text, zh)} {other}"
        text = written(closed(text, zh) if likely(random, 0.7) else text, zh)
        start = text.replace(MARK, "").index(DECIDES)
        yield Passage(kind, text.replace(DECIDES, ""), decided_by=start)
