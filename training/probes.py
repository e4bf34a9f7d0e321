"""Sentences of which it is known which word belongs to which: what is asked of every head.

They are written for this alone and are no part of what the model learns from.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class Probe:
    """A text, or two. ``asking`` is a word of it, ``answering`` the word that it belongs to, ``other`` one that it
    could be mistaken for, if there is one.
    """

    text: str
    asking: str
    answering: str
    other: str = ""
    second: str | None = None


def reference() -> list[Probe]:
    """Which noun "it" means; the last word says it."""
    english = (
        ("the {who} didn't cross the {what} because it was too {how}", ("animal", "dog", "horse", "cat"),
         ("street", "road", "bridge", "river"), ("tired", "lazy", "weak"), ("wide", "long")),
        ("the {who} didn't carry the {what} because it was too {how}", ("robot", "donkey"),
         ("box", "table", "suitcase", "stone"), ("small", "tired", "weak"), ("heavy",)),
    )  # fmt: skip
    chinese = (
        ("{who}没有过{what}，因为它太{how}了", ("动物", "狗", "马", "猫"), ("街道", "路", "桥", "河"),
         ("累", "懒", "虚弱"), ("宽", "长")),
        ("{who}没有搬{what}，因为它太{how}了", ("机器人", "驴"), ("盒子", "桌子", "行李箱", "石头"),
         ("累", "虚弱"), ("重",)),
    )  # fmt: skip
    return [
        Probe(text.format(who=who, what=what, how=how), how, meant, other)
        for text, whos, whats, of_who, of_what in (*english, *chinese)
        for who, what in product(whos, whats)
        for how, meant, other in (
            *((how, who, what) for how in of_who),
            *((how, what, who) for how in of_what),
        )
    ]


def agreement() -> list[Probe]:
    """The subject of a verb, with another noun between."""
    nouns = (("key", "keys"), ("book", "books"), ("dog", "dogs"), ("flower", "flowers"))
    between = ("on the table", "in the box", "near the chairs", "in the boxes")
    ends = (("is", "are", "new"), ("was", "were", "small"))
    return [
        Probe(f"the {noun[many]} {where} {end[many]} {end[2]}", end[many], noun[many], where.split()[-1])
        for noun, where, end, many in product(nouns, between, ends, (0, 1))
    ]


def translation() -> list[Probe]:
    """A word and what it is in the other language."""
    who = (("cat", "猫"), ("dog", "狗"), ("teacher", "老师"), ("girl", "女孩"))
    what = (("apple", "苹果"), ("bread", "面包"), ("fish", "鱼"), ("cake", "蛋糕"))
    pairs = [
        (f"the {one[0]} ate the {other[0]}.", f"{one[1]}吃了{other[1]}。", one, other)
        for one, other in product(who, what)
    ]
    return [
        Probe(english, word[0], word[1], wrong[1], chinese)
        for english, chinese, one, other in pairs
        for word, wrong in ((one, other), (other, one))
    ]


PROBES = {"reference": reference, "agreement": agreement, "translation": translation}
