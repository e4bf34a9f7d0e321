"""A lecturer's own walk through an example: which steps are shown, in which order, with which notes and questions.

A *step* is a stage of the walk (``mha_core.walk``) by its name: ``tokens``, ``inputs``, ``given``, ``head-2`` and so
on, ``closing``, or a step of the computation. Steps that an example does not have, such as those of a mask that was
switched off, stay in the lecture and are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mha_core.vocabulary import STEPS

Text: TypeAlias = str | Mapping[str, str]
"""One text for all languages, or one for each."""

MAX_MINUTES = 600
"""Longest lecture, and longest step of it."""
MAX_QUESTION = 200
"""Longest question of a lecturer, in characters: the limit of questions in a room."""
MAX_CHOICES = 4
"""Most choices of a lecturer's question: A to D."""
MAX_CHOICE = 40
"""Longest text of a choice, in characters."""

_PLACES = ("tokens", "inputs", "given", "closing", *STEPS)
_FURTHER_HEAD = re.compile(r"head-([2-9]|1[0-6])")


@dataclass(frozen=True, slots=True)
class LectureStep:
    """One step: the lecturer's own note and question, how long it may take, and whether it is hidden.

    ``choices``: the texts of A, B and so on where the question offers them; an empty text shows only the letter.
    """

    step: str
    note: Text | None = None
    question: Text | None = None
    choices: tuple[Text, ...] = ()
    minutes: float | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Lecture:
    """The order of ``steps`` is that of the walk; ``minutes``: how long all of it may take.

    A step that is not among them follows its predecessor in the computation.
    """

    minutes: float | None = None
    steps: tuple[LectureStep, ...] = ()


def is_step(name: str) -> bool:
    """Whether a walk may have a step of this name."""
    return name in _PLACES or _FURTHER_HEAD.fullmatch(name) is not None
