"""Several examples in one text: where a new one begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mha_core.read.place import Guess

_EXAMPLE: Final = re.compile(
    r"\b(?:example|exercise|case|problem|question|task)\s+(\d+|[A-Z]\b|one|two|three)"
    r"|\b(first|second|third) (?:worked )?(?:example|exercise|case|problem|question|task)"
    r"|(?:例题?|例子|示例|案例|练习|习题|题目?)\s*([\d一二三四五]+)|第\s*([\d一二三四五]+)\s*(?:个?例|道?题|个?练习)",
    re.IGNORECASE,
)
_STARTS: Final = ("x", "q", "w_q")


def parts(found: Sequence[Guess]) -> list[list[Guess]]:
    """The guesses of each example. A new one begins where an input comes again with other numbers."""
    groups: list[list[Guess]] = [[]]
    for at, guess in enumerate(found):
        if groups[-1] and (_begins(guess, groups[-1]) or _comes_again(found, at, groups[-1])):
            groups.append([])
        groups[-1].append(guess)
    return groups


def _begins(guess: Guess, group: Sequence[Guess]) -> bool:
    if not guess.sure or guess.chosen or guess.name not in _STARTS:
        return False
    same = [
        one
        for one in group
        if one.sure and not one.chosen and one.name == guess.name and one.head == guess.head
    ]
    if not same or any(one.grid.values() == guess.grid.values() for one in same):
        return False
    if guess.name == "x":
        return True
    named = [_numbered(one) for one in (guess, same[-1])]
    done = any(one.name in ("weights", "head_outputs", "output") and one.head == guess.head for one in group)
    return (named[0] != named[1] and None not in named) or (guess.head is not None and done)


def _comes_again(found: Sequence[Guess], at: int, group: Sequence[Guess]) -> bool:
    """Whether Q, K and V are printed again and other weights follow: the same example, computed in another way."""
    again = [(one.name, one.grid.values()) for one in found[at : at + 3] if one.sure and one.head is None]
    if [name for name, _ in again] != ["q", "k", "v"]:
        return False
    before = {(one.name, one.grid.values()) for one in group if one.sure}
    later = [one.grid.values() for one in found[at + 3 : at + 9] if one.name == "weights" and one.sure]
    done = [values for name, values in before if name == "weights"]
    return set(again) <= before and bool(later and done) and later[0] not in done


def _numbered(guess: Guess) -> str | None:
    for text in (guess.label.sentence, guess.label.paragraph, *guess.label.headings):
        match = _EXAMPLE.search(text)
        if match:
            return next(number for number in match.groups() if number)
    return None
