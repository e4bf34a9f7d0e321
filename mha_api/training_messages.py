"""What the page Train is sent of a training: what it is, its steps, and its maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Final

import torch

from mha_core.messages import catalogue
from mha_core.train import Decoder, Record, Settings, Task, Training, parameters, sides
from mha_core.train.lines import ARROW, Batch
from mha_core.train.messages import Recorded
from mha_core.train.ready import recording
from mha_core.train.training import tested_lines
from mha_view.message import packed

ONE: Final = 65_535
"""A weight of 1, as the browser is sent it."""


@dataclass(frozen=True, slots=True, eq=False)
class Models:
    """The models that can be asked, by step, and what they have learned from. ``key``: of a recording."""

    task: Task
    settings: Settings
    steps: frozenset[int]
    at: Callable[[int], Decoder]
    key: str = ""

    @classmethod
    def of(cls, training: Training) -> Models:
        """Those of a training."""
        return cls(
            training.task,
            training.settings,
            frozenset([*training.recordings, training.step]),
            lambda step: training.model if step == training.step else training.at(step),
        )

    def tested(self) -> Batch:
        """Lines that measures are taken on."""
        return tested_lines(self.task, self.settings.seed)

    def described(self, language: str, steps: int) -> Mapping[str, object]:
        """What a training of so many steps is, in words of a language."""
        task, model, words = self.task, self.at(max(self.steps)), catalogue(language).gettext
        return {
            "key": self.key or task.key,
            "task": task.key,
            "title": words(task.title),
            "rule": words(task.rule),
            "settings": self.settings.as_json(),
            "steps": steps,
            "asks": sorted(self.steps) if self.key else None,
            "lines": "\n".join(" ".join((*line.source, ARROW, *line.answer[:-1])) for line in task.lines),
            "prompt": task.shown.prompt,
            "answer": task.shown.answer,
            "parameters": parameters(model),
            "vocabulary": len(task.vocabulary),
            "longest": task.longest,
            "parts": [
                {"kind": part.kind, "layer": part.layer, "queries": queries, "keys": keys}
                for part, (queries, keys) in zip(model.parts, sides(model, task.shown.tokens), strict=True)
            ],
        }


@cache
def ready_made(key: str) -> tuple[Models, bytes]:
    """A recording that comes with the package, and what the browser is sent of it. Raises ``TrainError``."""
    found = recording(key)
    models = Models(found.task, found.settings, frozenset(found.models), found.models.__getitem__, key)
    return models, steps_message(found.records, found.recorded)


def whole_message(training: Training) -> bytes:
    """All steps and maps of a training."""
    task, tested, steps = training.task, training.tested(), tuple(training.recordings)
    frames = [replace(Recorded.of(step, training.at(step), task, tested), steps=steps) for step in steps]
    return steps_message(training.records, frames)


def steps_message(records: Sequence[Record], frames: Sequence[Recorded]) -> bytes:
    """Steps and maps: a row for each step with loss, accuracy, exact answers and seconds; the weights of each map, part
    after part, head after head, row after row.
    """
    weights = [_numbers(frame.maps) for frame in frames]
    header = {
        "first": records[0].step if records else 0,
        "frames": [{"step": frame.step, "scores": frame.aligned or frame.scores} for frame in frames],
        "measure": "aligned" if frames and frames[-1].aligned else "prefix",
        "recorded": (frames[-1].steps or None) if frames else None,
    }
    rows = [[one.loss, one.accuracy, one.exact, one.seconds] for one in records]
    return packed(
        header,
        {
            "records": torch.tensor(rows, dtype=torch.float32).view(-1, 4),
            "maps": torch.cat(weights) if weights else torch.zeros(0, dtype=torch.uint16),
        },
    )


def prompt_of(task: Task, text: str) -> list[str]:
    """The tokens of a text, which needs no spaces between tokens of one character, and no arrow at its end."""
    words = text.split()
    known = [
        [word] if word in task.number or not all(one in task.number for one in word) else [*word]
        for word in words
    ]
    tokens = [*chain.from_iterable(known)]
    return [*tokens, ARROW] if ARROW in task.shown.prompt and ARROW not in tokens else tokens


def _numbers(maps_of_frame: Sequence[object]) -> torch.Tensor:
    parts = [torch.tensor(part).flatten() for part in maps_of_frame]
    return (torch.cat(parts) * ONE).round().to(torch.int32).to(torch.uint16)
