"""A lecturer's own walk through an example: which steps are shown, in which order, with which notes and questions.

A *step* is a stage of the walk (``mha_core.walk``) by its name: ``tokens``, ``inputs``, ``given``, ``head-2`` and so
on, ``closing``, or a step of the computation. Steps that an example does not have, such as those of a mask that was
switched off, stay in the lecture and are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mha_core.vocabulary import STEPS

Said: TypeAlias = str | Mapping[str, str]
"""One text for all languages, or one for each."""

MAX_MINUTES = 600
"""Longest lecture, and longest step of it."""
MAX_QUESTION = 200
"""Longest question of a lecturer, in characters: what can be asked in a room."""
MAX_CHOICES = 4
"""Choices that a question of a lecturer offers at most: A to D."""
MAX_CHOICE = 40
"""Longest text of one of them, in characters."""

_PLACES = ("tokens", "inputs", "given", "closing", *STEPS)
_FURTHER_HEAD = re.compile(r"head-([2-9]|1[0-6])")


@dataclass(frozen=True, slots=True)
class LectureStep:
    """One step: the lecturer's own note and question, how long it may take, and whether it is left out.

    ``choices``: what A, B and so on stand for where the question offers them; an empty text is the letter alone.
    """

    step: str
    note: Said | None = None
    question: Said | None = None
    choices: tuple[Said, ...] = ()
    minutes: float | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Lecture:
    """The order of ``steps`` is that of the walk; ``minutes``: how long all of it may take.

    A step that is not among them stands behind the one before it in the computation.
    """

    minutes: float | None = None
    steps: tuple[LectureStep, ...] = ()


def is_step(name: str) -> bool:
    """Whether a walk may have a step of this name."""
    return name in _PLACES or _FURTHER_HEAD.fullmatch(name) is not None
