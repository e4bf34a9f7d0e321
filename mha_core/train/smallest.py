"""An exercise for a class: find the smallest model that can do a task. Smaller is what has fewer numbers to learn.

A model is handed in as a file of its training (``saved``), so that anybody can judge it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final

from mha_core.errors import N_, TrainError
from mha_core.train.ask import accuracy
from mha_core.train.decoder import Decoder
from mha_core.train.lines import Batch, batch_of
from mha_core.train.tasks import Task, task_of

JUDGED: Final = 1000
"""Lines on which every model is judged, the same for all."""


@dataclass(frozen=True, slots=True)
class Goal:
    """``answers``: the share of whole answers that must be right."""

    task: str = "sort"
    answers: float = 0.99


@dataclass(frozen=True, slots=True)
class Judged:
    """``parameters``: how many numbers the model learns. ``answers``: the share of whole answers that are right."""

    parameters: int
    answers: float
    reached: bool


def judged(task: Task, model: Decoder, goal: Goal) -> Judged:
    """A task's model on lines that no seed draws. Raises ``TrainError`` for a model of another task."""
    if task.key != goal.task:
        raise TrainError(
            N_("expected a training of the task {wanted}, got one of {got}"), wanted=goal.task, got=task.key
        )
    _, answers = accuracy(model, _lines(task.key))
    return Judged(parameters(model), answers, answers >= goal.answers)


@cache
def _lines(key: str) -> Batch:
    task = task_of(key)
    return batch_of([task.draw(Random(f"judged {at}")) for at in range(JUDGED)], task.number)


def parameters(model: Decoder) -> int:
    """How many numbers the model learns."""
    return sum(parameter.numel() for parameter in model.parameters())
