"""What a training's process sends to its owner, and what the owner sends to it: plain data that can be pickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from mha_core.errors import N_, MhaError, TrainError
from mha_core.train.ask import Maps, alignment, induction_scores, maps
from mha_core.train.decoder import Decoder
from mha_core.train.heads import Change, Compared
from mha_core.train.lines import Batch, Line
from mha_core.train.saved import open_training
from mha_core.train.tasks import Task, own_lines, task_of
from mha_core.train.training import Record, Training


@dataclass(frozen=True, slots=True)
class Order:
    """What to train. ``lines``: one's own, for the task of that name; ``changes``: of the task's default settings;
    ``saved``: a file to go on from, instead of all these. ``steps``: it ends after this step; ``kept``: where it is
    saved when it ends.
    """

    task: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    saved: Path | None = None
    steps: int | None = None
    kept: Path | None = None

    def require_known(self) -> None:
        """Raises ``TrainError`` for a task or a setting that there is not. A file is only looked at in the process."""
        if self.saved is None:
            self._task().settings(**self.changes)

    def training(self) -> Training:
        """The training, at its beginning or where it was saved. Raises ``TrainError`` or ``ModelError``."""
        if self.saved is not None:
            return open_training(self.saved)
        return Training(self._task(), **self.changes)

    def _task(self) -> Task:
        return own_lines(self.lines) if self.lines else task_of(self.task)


@dataclass(frozen=True, slots=True)
class Budget:
    """What a training may use at most: steps, seconds from its start on, pauses included, and MB of memory."""

    steps: int = 5000
    seconds: float = 900.0
    megabytes: int = 1500


@dataclass(frozen=True, slots=True)
class Command:
    """``step``: one more step while paused. ``save``: write a file, now. ``try``: say what a change of heads would do;
    the model stays as it is. ``stop``: end it.
    """

    name: Literal["pause", "resume", "step", "save", "try", "stop"]
    path: Path | None = None
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Stepped:
    """A step was taken."""

    record: Record


@dataclass(frozen=True, slots=True)
class Recorded:
    """Every head's weights on the task's fixed line after a step, its induction scores where there are any, and how
    often it looks at the token that is translated (``ask.alignment``). ``steps``: those at which the model can be
    looked at now.
    """

    step: int
    maps: Maps
    scores: list[list[float]] | None
    aligned: list[list[float] | None] | None = None
    steps: tuple[int, ...] = ()

    @classmethod
    def of(cls, step: int, model: Decoder, task: Task, tested: Batch) -> Recorded:
        """What a model does after a step."""
        return cls(
            step,
            maps(model, task, task.shown.tokens),
            induction_scores(model, tested),
            alignment(model, task, tested),
        )


@dataclass(frozen=True, slots=True)
class Saved:
    """A file was written."""

    path: Path


@dataclass(frozen=True, slots=True)
class Tried:
    """What a change of heads would do after a step."""

    step: int
    change: Change
    compared: Compared


@dataclass(frozen=True, slots=True)
class Failed:
    """Something could not be done, in a sentence; the training goes on. ``Ended`` has it where it does not."""

    template: str
    values: Mapping[str, Any]
    place: str = ""

    @classmethod
    def of(cls, error: MhaError) -> Failed:
        """The sentence of an error. What it is made of is written out in English if it cannot be sent as it is."""
        values = {
            name: value if isinstance(value, str | int | float) else str(value)
            for name, value in error.values.items()
        }
        return cls(str(error.template), values, error.place)

    def error(self) -> TrainError:
        """The error, to be raised or said in a language."""
        return TrainError(N_(self.template), place=self.place, **self.values)


@dataclass(frozen=True, slots=True)
class Ended:
    """The last message. ``why``: None where it was stopped, else what ended it."""

    why: Failed | None = None


Message: TypeAlias = Stepped | Recorded | Saved | Tried | Failed | Ended
