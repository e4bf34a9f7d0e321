"""A puzzle: an example, and goals that are to be met by changing its numbers.

The title and the story of a puzzle are its example's ``title`` and ``note``. ``mha_core.puzzle`` says whether a goal is
met, how far it has come, and how few changes are enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from mha_core.example.lecture import Text
from mha_core.vocabulary import LAYER_INPUTS, PER_HEAD_INPUTS, STARTS, STEPS

Relation: TypeAlias = Literal["at_least", "at_most", "equals"]
RELATIONS: Final[tuple[Relation, ...]] = get_args(Relation)
Stage: TypeAlias = Literal["aim", "scores", "scaling", "masks", "values", "heads", "positions"]
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
"""The stages of the built-in puzzles, in the order that teaches."""
WITHIN: Final = 0.005
"""How far a number may be from the one that it should equal: both read the same with two decimals."""
MAX_GOALS: Final = 12
MAX_HINTS: Final = 6
MAX_EDITS: Final = 24
"""Longest solution, in edits."""
MAX_KEY: Final = 40
"""Longest name of a built-in puzzle, in characters."""
GOAL_MATRICES: Final = frozenset((*STEPS, *LAYER_INPUTS, *PER_HEAD_INPUTS))
"""What a goal can be about: a step, or an input."""
CHANGEABLE: Final = frozenset((*LAYER_INPUTS, *PER_HEAD_INPUTS, *STARTS, "scale", "softcap"))
"""What a puzzle can allow to change: an input matrix, also the mask and what a head starts from, the divisor, softcap.
"""


@dataclass(frozen=True, slots=True)
class Goal:
    """One number of the trace, and what it should be: ``weights[0][4][3]`` at least 0.8.

    ``step``: a step, or an input matrix; ``head``: None for a matrix that all heads share. ``within``: how far the
    number may be from the one that it should equal.
    """

    step: str
    head: int | None
    row: int
    col: int
    relation: Relation
    number: float
    within: float = WITHIN


@dataclass(frozen=True, slots=True)
class Puzzle:
    """All ``goals`` are to hold at once.

    ``change``: the inputs that may be changed, all where it is empty: names of matrices, "scale", "mask", "softcap".
    ``hints``: from a first nudge to nearly the answer. ``solution``: edits as plain data (``mha_core.edit``), which
    meet the goals from the start. ``stage`` and ``key``: of a built-in puzzle. ``tokens``: the example's tokens in
    other languages.
    """

    goals: tuple[Goal, ...]
    change: tuple[str, ...] = ()
    hints: tuple[Text, ...] = ()
    solution: tuple[Mapping[str, Any], ...] = ()
    stage: Stage | Literal[""] = ""
    key: str = ""
    tokens: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
