"""Names that nobody has: what can only be copied, never guessed."""

from __future__ import annotations

from functools import cache
from random import Random

from training.clause import likely, pick

_BEGINNINGS = ("b", "br", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "l", "m", "n", "p", "qu",
               "r", "s", "sh", "st", "t", "th", "tr", "v", "w", "x", "y", "z")  # fmt: skip
_MIDDLES = ("a", "e", "i", "o", "u", "ai", "ea", "ee", "oo", "ou", "ia")
_ENDS = ("", "", "", "n", "m", "r", "l", "k", "t", "s", "x", "ng", "ck", "nd", "sh", "th", "rt")
_FAMILIES = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"


@cache
def common_characters() -> str:
    """The 3,755 most common Chinese characters: level 1 of the standard GB 2312, in its order."""
    places = (bytes((row, column)) for row in range(0xB0, 0xD8) for column in range(0xA1, 0xFF))
    return "".join(place.decode("gb2312", "ignore") for place in places)


def made_up_word(random: Random) -> str:
    """One to three syllables, such as "zorbea"."""
    count = pick(random, (1, 2, 2, 2, 3))
    return "".join(
        pick(random, _BEGINNINGS) + pick(random, _MIDDLES) + pick(random, _ENDS) for _ in range(count)
    )


def made_up_characters(random: Random) -> str:
    """One to three characters, drawn at random."""
    return "".join(pick(random, common_characters()) for _ in range(pick(random, (1, 2, 2, 3))))


def made_up_name(random: Random) -> tuple[str, str]:
    """A name in English and one in 中文; they need not be the same one."""
    given = made_up_characters(random)[:2]
    return made_up_word(random), (pick(random, _FAMILIES) + given if likely(random, 0.7) else given)
