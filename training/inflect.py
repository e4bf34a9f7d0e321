"""Forms of English words: plurals, the third person, -ing, the past, comparison, and "a" or "an"."""

from __future__ import annotations

_VOWELS = "aeiou"
_DOUBLED_THOUGH_LONG = frozenset({"begin", "forget", "program"})
_COMPARED = {"good": ("better", "best"), "bad": ("worse", "worst"), "far": ("farther", "farthest")}
_HISSING = ("s", "x", "z", "ch", "sh")


def plural(noun: str) -> str:
    """``plural("box") == "boxes"``."""
    return third(noun) if not noun.endswith("o") else noun + "s"


def third(verb: str) -> str:
    """``third("carry") == "carries"``."""
    if verb == "have":
        return "has"
    if _consonant_y(verb):
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith((*_HISSING, "o")) else "s")


def past(verb: str) -> str:
    """The past of a regular verb: ``past("stop") == "stopped"``."""
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if _consonant_y(verb) else _doubled(verb) + "ed"


def ing(verb: str) -> str:
    """``ing("sit") == "sitting"``."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return _doubled(verb) + "ing"


def compared(adjective: str) -> tuple[str, str]:
    """Comparative and superlative: ``compared("big") == ("bigger", "biggest")``."""
    if adjective in _COMPARED:
        return _COMPARED[adjective]
    if _consonant_y(adjective):
        return adjective[:-1] + "ier", adjective[:-1] + "iest"
    if _syllables(adjective) > 1:
        return f"more {adjective}", f"most {adjective}"
    stem = adjective[:-1] if adjective.endswith("e") else _doubled(adjective)
    return stem + "er", stem + "est"


def article(word: str) -> str:
    """The word with its article: ``article("egg") == "an egg"``."""
    silent = word.startswith(("hour", "honest"))
    sounded = word.startswith(("uni", "use", "one"))
    return ("an " if silent or (word[0] in _VOWELS and not sounded) else "a ") + word


def _consonant_y(word: str) -> bool:
    return word.endswith("y") and word[-2:-1] not in _VOWELS


def _syllables(word: str) -> int:
    groups = sum(
        one in _VOWELS and (not at or word[at - 1] not in _VOWELS) for at, one in enumerate(word.rstrip("e"))
    )
    return max(1, groups)


def _doubled(word: str) -> str:
    """A short vowel before one last consonant doubles it."""
    ends = (
        len(word) > 2 and word[-1] not in _VOWELS + "wxy" and word[-2] in _VOWELS and word[-3] not in _VOWELS
    )
    return word + word[-1] if ends and (_syllables(word) == 1 or word in _DOUBLED_THOUGH_LONG) else word
