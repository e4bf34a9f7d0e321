"""A toy language pair: sentences of one small grammar in English and in Chinese, whose word order differs.

the small cat on the box sees the red book in the car today
盒子 上 的 小 猫 今天 在 车 里 看见 红 书

Every word occurs with every other of its phrase. If only boxes had something on them, “on” and “box” would say the same
to a model, and no one could know which of them it translates.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Final

from mha_core.train.lines import Line, answered

_OF_ANIMALS: Final = {"small": "小", "big": "大", "white": "白", "old": "老"}
_OF_THINGS: Final = {"small": "小", "big": "大", "red": "红", "new": "新"}
_ANIMALS: Final = {"cat": "猫", "dog": "狗", "bird": "鸟", "horse": "马"}
_THINGS: Final = {"book": "书", "letter": "信", "picture": "画", "apple": "苹果"}
_VERBS: Final = {"sees": "看见", "finds": "找到", "wants": "要", "takes": "拿"}
_SIDES: Final = {"in": "里", "on": "上", "under": "下"}
_PLACES: Final = {"box": "盒子", "car": "车", "boat": "船"}
_TIMES: Final = {"today": "今天", "now": "现在", "often": "常常"}


_TABLES: Final = (_OF_ANIMALS, _OF_THINGS, _ANIMALS, _THINGS, _VERBS, _SIDES, _PLACES, _TIMES)

WORDS: Final = tuple(
    dict.fromkeys(
        [
            "the",
            *(word for table in _TABLES for word in table),
            *(word for table in _TABLES for word in table.values()),
            "的",
            "在",
        ]
    )
)
"""Every word of both languages, each once."""


_OTHER: Final = {
    word: other for table in _TABLES for pair in table.items() for word, other in (pair, pair[::-1])
}
"""The word of the other language that means the same."""


def aligned(line: Line) -> list[int | None]:
    """For each token of the answer the place of the word in the source that it translates.

    What occurs twice is in the same order in both languages. “the”, 的 and 在 translate nothing.
    """
    source, seen = line.source, Counter[str]()
    places: list[int | None] = []
    for token in line.answer:
        found = [at for at, word in enumerate(source) if word == _OTHER.get(token)]
        places.append(found[seen[token]] if found else None)
        seen[token] += 1
    return places


def translation(random: Random) -> Line:
    """A sentence in one of the languages, and then in the other."""
    english, chinese = _sentence(random)
    return answered(english, chinese) if random.random() < 0.5 else answered(chinese, english)


def _sentence(random: Random) -> tuple[list[str], list[str]]:
    """Subject, verb and object, with or without a place and a time.

    Only the subject can have a place of its own: one behind the object would be read in two ways in English.
    """
    subject, where = _noun(random, _ANIMALS, _OF_ANIMALS), _place(random, 0.25)
    if where:
        subject = [*subject[0], *where[0]], [*where[1], "的", *subject[1]]
    object_ = _noun(random, _THINGS, _OF_THINGS)
    verb = random.choice(list(_VERBS))
    place = _place(random, 0.5) or ([], [])
    if place[1]:
        place[1].insert(0, "在")
    times = [random.choice(list(_TIMES))] if random.random() < 0.5 else []
    english = [*subject[0], verb, *object_[0], *place[0], *times]
    chinese = [*subject[1], *(_TIMES[time] for time in times), *place[1], _VERBS[verb], *object_[1]]
    return english, chinese


def _noun(random: Random, nouns: dict[str, str], adjectives: dict[str, str]) -> tuple[list[str], list[str]]:
    """A noun with or without an adjective."""
    words = [random.choice(list(nouns))]
    chinese = [nouns[words[0]]]
    if random.random() < 0.5:
        adjective = random.choice(list(adjectives))
        words.insert(0, adjective)
        chinese.insert(0, adjectives[adjective])
    return ["the", *words], chinese


def _place(random: Random, share: float) -> tuple[list[str], list[str]] | None:
    """Where something is, in a share of all sentences."""
    if random.random() >= share:
        return None
    side, place = random.choice(list(_SIDES)), random.choice(list(_PLACES))
    return [side, "the", place], [_PLACES[place], _SIDES[side]]
