"""What can be learned: each task has its rule in words and draws lines that obey it.

To add a task, write the function that draws a line and an entry of ``TASKS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property, partial
from random import Random
from typing import Any, Final

from mha_core.errors import N_, TrainError
from mha_core.quoted import quoted
from mha_core.train.lines import ARROW, END, Line, answered
from mha_core.train.settings import Settings
from mha_core.train.translation import WORDS, aligned, translation

LETTERS: Final = tuple("abcdefghijklmnopqrst")
DIGITS: Final = tuple("0123456789")
OWN_LINES: Final = "own"


@dataclass(frozen=True)
class Task:
    """``title``, ``rule``: templates of sentences. ``symbols``: every token but the arrow and the end, in order.
    ``draw``: a line. ``longest``: the most tokens of a line. ``defaults``: the settings with which it is learned.
    ``steps``: about how many these take. ``lines``: of one's own, all that there are. ``has_source``: whether each line
    has a source, an arrow and a target, as an encoder–decoder needs. ``aligned``: for each token of an answer the place
    in the source of the one that it comes from, None where there is none or more than one.
    """

    key: str
    title: str
    rule: str
    symbols: tuple[str, ...]
    draw: Callable[[Random], Line]
    longest: int
    steps: int
    defaults: Mapping[str, Any] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    has_source: bool = True
    aligned: Callable[[Line], list[int | None]] | None = None

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Every token; its place is its id."""
        return (END, ARROW, *self.symbols)

    @cached_property
    def number(self) -> dict[str, int]:
        """The id of each token."""
        return {token: at for at, token in enumerate(self.vocabulary)}

    @cached_property
    def shown(self) -> Line:
        """The fixed line on which every head is recorded."""
        return self.draw(Random(f"shown {self.key}"))

    def settings(self, **changes: Any) -> Settings:
        """The task's default settings, with these changes. Raises ``TrainError`` as ``Settings`` does, and for an
        encoder where there is nothing for it to read.
        """
        settings = Settings(**{**self.defaults, **changes})
        if settings.architecture == "encoder-decoder" and not self.has_source:
            raise TrainError(
                N_("the lines of this task have no source that an encoder could read"), place="architecture"
            )
        return settings


def _copy(random: Random) -> Line:
    row = random.choices(LETTERS[:10], k=random.randint(3, 8))
    return answered(row, row)


def _induction(random: Random) -> Line:
    """32 letters; where the row starts again cannot be known, so that answers begin one letter later."""
    row = random.sample(LETTERS, random.randint(8, 14))
    tokens = (row * 4)[:32]
    return Line(tuple(tokens[: len(row) + 1]), tuple(tokens[len(row) + 1 :]))


def _reverse(random: Random) -> Line:
    row = random.choices(LETTERS[:10], k=random.randint(3, 8))
    return answered(row, row[::-1])


def _sort(random: Random) -> Line:
    row = random.choices(DIGITS, k=random.randint(3, 8))
    return answered(row, sorted(row))


MONTHS: Final = tuple(
    "January February March April May June July August September October November December".split()
)
_FIRST_DAY: Final = date(1950, 1, 1)
_DAYS: Final = 36524
_WAYS: Final[tuple[Callable[[date], Sequence[str]], ...]] = (
    lambda day: [*str(day.day), MONTHS[day.month - 1], *str(day.year)],
    lambda day: [MONTHS[day.month - 1], *str(day.day), ",", *str(day.year)],
    lambda day: [*f"{day.year}年{day.month}月{day.day}日"],
    lambda day: [*f"{day.day}/{day.month}/{day.year}"],
)


def _dates(random: Random) -> Line:
    day = _FIRST_DAY + timedelta(random.randrange(_DAYS))
    return answered(random.choice(_WAYS)(day), [*day.isoformat()])


_CLOSING: Final = dict(zip("([{", ")]}", strict=True))
_MOST_BRACKETS: Final = 10
_MOST_OPEN: Final = 4


def _brackets(random: Random) -> Line:
    """A walk up and down: brackets open and close, and at least one is left open."""
    row: list[str] = []
    opened: list[str] = []
    for _ in range(random.randint(2, _MOST_BRACKETS)):
        if opened and (len(opened) == _MOST_OPEN or random.random() < 0.4):
            row.append(_CLOSING[opened.pop()])
        else:
            opened.append(random.choice("([{"))
            row.append(opened[-1])
    if not opened:
        opened.append(random.choice("([{"))
        row.append(opened[-1])
    return answered(row, [_CLOSING[one] for one in reversed(opened)])


def own_lines(lines: Sequence[Line]) -> Task:
    """One's own lines as a task (``lines.parse_lines``)."""
    symbols = dict.fromkeys(token for line in lines for token in line.tokens)
    del symbols[ARROW], symbols[END]
    return Task(
        OWN_LINES,
        N_("Your own lines"),
        N_("The target of each of your lines follows its source."),
        tuple(symbols),
        partial(_one_of, tuple(lines)),
        max(len(line.tokens) for line in lines),
        1000,
        {"positions": "both", "feed_forward": True},
        tuple(lines),
    )


def _one_of(lines: tuple[Line, ...], random: Random) -> Line:
    return random.choice(lines)


_BOTH: Final = {"positions": "both", "feed_forward": True, "batch": 64}
_TASKS: Final = (
    Task(
        "copy",
        N_("Copy"),
        N_("3 to 8 letters; after the arrow the same letters come again, in the same order."),
        LETTERS[:10],
        _copy,
        18,
        1000,
        _BOTH,
        aligned=lambda line: [*range(len(line.source)), None],
    ),
    Task(
        "induction",
        N_("Induction"),
        N_(
            "A sequence of 8 to 14 letters repeats. To predict the next letter, look back to what followed the "
            "current letter last time."
        ),
        LETTERS,
        _induction,
        32,
        1000,
        has_source=False,
    ),
    Task(
        "reverse",
        N_("Reverse"),
        N_("3 to 8 letters; after the arrow they come again from the last to the first."),
        LETTERS[:10],
        _reverse,
        18,
        800,
        _BOTH,
        aligned=lambda line: [*reversed(range(len(line.source))), None],
    ),
    Task(
        "sort",
        N_("Sort"),
        N_("3 to 8 digits; after the arrow they come again from the smallest to the largest."),
        DIGITS,
        _sort,
        18,
        2000,
        _BOTH,
    ),
    Task(
        "dates",
        N_("Dates"),
        N_(
            "A day from 1950 to 2049, written in one of four ways; after the arrow year, month and day as in ISO 8601. "
            "In dates with slashes, the day comes first."
        ),
        (*DIGITS, "-", "/", ",", "年", "月", "日", *MONTHS),
        _dates,
        23,
        800,
        _BOTH,
    ),
    Task(
        "brackets",
        N_("Brackets"),
        N_("Brackets of three kinds, up to four open at once; after the arrow every open one is closed."),
        tuple("([{)]}"),
        _brackets,
        17,
        1500,
        _BOTH,
    ),
    Task(
        "translation",
        N_("Translation"),
        N_(
            "A short sentence in English or Chinese; after the arrow the same in the other language. Where and when "
            "something happens come before the verb in Chinese and at the end in English."
        ),
        WORDS,
        translation,
        28,
        1000,
        _BOTH,
        aligned=aligned,
    ),
)
TASKS: Final[Mapping[str, Task]] = {task.key: task for task in _TASKS}
"""The built-in tasks by key."""


def task_of(key: str) -> Task:
    """A built-in task. Raises ``TrainError`` where there is none of this key."""
    if key not in TASKS:
        known = ", ".join(TASKS)
        raise TrainError(N_("there is no task {name}; the tasks are {known}"), name=quoted(key), known=known)
    return TASKS[key]
