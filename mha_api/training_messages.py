"""What the page Train is sent of a training: what it is, its steps, and its maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

import torch

import mha_core.train
from mha_core.train import Record, Task, Training, induction_scores, maps, open_training
from mha_core.train.lines import ARROW
from mha_core.train.messages import Recorded
from mha_core.train.tasks import task_of
from mha_view.language import words_in
from mha_view.message import packed

RECORDINGS: Final = Path(mha_core.train.__file__).parent / "recordings"
ONE: Final = 65_535
"""A weight of 1, as the browser is sent it."""


@cache
def ready_made(task: str) -> tuple[Training, bytes]:
    """A task's recording that comes with the package, and what the browser is sent of it."""
    training = open_training(RECORDINGS / f"{task_of(task).key}.safetensors")
    return training, whole_message(training)


def described(training: Training, language: str, steps: int | None = None) -> Mapping[str, object]:
    """What a training is, in words of a language; ``steps``: how many it will take."""
    task, words = training.task, words_in(language)
    tokens = task.shown.tokens
    return {
        "task": task.key,
        "title": words(task.title),
        "rule": words(task.rule),
        "settings": training.settings.as_json(),
        "steps": training.step if steps is None else steps,
        "prompt": task.shown.prompt,
        "answer": task.shown.answer,
        "longest": task.longest,
        "parameters": sum(parameter.numel() for parameter in training.model.parameters()),
        "parts": [
            {"kind": "decoder", "layer": layer, "queries": tokens, "keys": tokens}
            for layer in range(training.settings.layers)
        ],
    }


def whole_message(training: Training) -> bytes:
    """All steps and maps of a training."""
    tested, shown, steps = training.tested(), training.task.shown.tokens, tuple(training.recordings)
    models = {step: training.at(step) for step in steps}
    frames = [
        Recorded(step, maps(model, training.task, shown), induction_scores(model, tested), steps)
        for step, model in models.items()
    ]
    return steps_message(training.records, frames)


def steps_message(records: Sequence[Record], frames: Sequence[Recorded]) -> bytes:
    """Steps and maps: a row for each step with loss, accuracy, exact answers and seconds; the weights of each map, part
    after part, head after head, row after row.
    """
    weights = [_numbers(frame.maps) for frame in frames]
    header = {
        "first": records[0].step if records else 0,
        "frames": [{"step": frame.step, "scores": frame.scores} for frame in frames],
        "recorded": frames[-1].steps if frames else None,
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
