"""Recordings that come with the package: a training of each task, to be looked through at once.

for card in recordings():
    card.key, card.steps, card.answers
found = recording("induction")
found.records, found.recorded      # a number for each step; every head's weights after some of them
found.models                       # before, halfway and after, by step, for all of ``mha_core.train.ask``

A file is gzipped JSON. To keep it small, weights of heads are rounded to 255ths, and the model's numbers to 8 bits, by
the largest in each row; the loss and the accuracy in the file are those of the rounded model. ``python -m
tools.recordings`` makes all files again.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import torch
from torch import Tensor

from mha_core.errors import N_, TrainError
from mha_core.quoted import quoted
from mha_core.train.ask import Maps, accuracy, sides
from mha_core.train.decoder import Decoder, loss_of
from mha_core.train.encoder_decoder import model_of
from mha_core.train.heads import Right
from mha_core.train.messages import Recorded
from mha_core.train.settings import Settings, settings_of
from mha_core.train.tasks import Task, task_of
from mha_core.train.training import Record, Training, tested_lines

FORMAT: Final = "mha-recording/2"
FOLDER: Final = files("mha_core.train") / "recorded"
READY: Final = ("copy", "induction", "reverse", "sort", "dates", "brackets", "translation", "alignment")
"""The keys: tasks with their defaults, and the translation by an encoder–decoder with one head."""
_MOST: Final = 25
"""Recorded steps in a file."""
_ENDING: Final = ".json.gz"


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """``models``: by their steps, from the first, which has learned nothing, to the last. ``loss`` and ``right``: of
    the last one as it is here, on lines drawn apart from those of its steps.
    """

    key: str
    task: Task
    settings: Settings
    records: tuple[Record, ...]
    recorded: tuple[Recorded, ...]
    models: Mapping[int, Decoder]
    loss: float
    right: Right

    @property
    def model(self) -> Decoder:
        """The last one, which has learned the task."""
        return self.models[len(self.records)]


def recordings() -> tuple[Recording, ...]:
    """All that come with the package."""
    return tuple(map(recording, READY))


@cache
def recording(key: str) -> Recording:
    """A recording by its key. Raises ``TrainError`` where there is none."""
    if key not in READY:
        raise TrainError(
            N_("there is no recording {name}; the recordings are {known}"),
            name=quoted(key),
            known=", ".join(READY),
        )
    return _read(key, json.loads(gzip.decompress((FOLDER / (key + _ENDING)).read_bytes())))


def written(training: Training) -> bytes:
    """A training as the content of such a file."""
    model, task, tested = training.model, training.task, training.tested()
    steps = _thinned(training)
    recorded = [Recorded.of(step, training.at(step), task, tested) for step in steps]
    recorded.append(Recorded.of(training.step, model, task, tested))
    halfway = min(steps, key=lambda step: abs(training.records[step].exact - 0.5))
    models = {step: _numbers(training.at(step)) for step in [halfway] if step} | {
        training.step: _numbers(model)
    }
    rounded = deepcopy(model)
    _restore(rounded, models[training.step])
    loss, right = measured(rounded, task, training.settings.seed)
    content = {
        "format": FORMAT,
        "task": task.key,
        "settings": training.settings.as_json(),
        "records": [
            [_short(one.loss), _short(one.accuracy), _short(one.exact), round(one.seconds, 2)]
            for one in training.records
        ],
        "recorded": [
            {
                "step": one.step,
                "maps": _bytes(one.maps),
                "scores": _short(one.scores),
                "aligned": _short(one.aligned),
            }
            for one in recorded
        ],
        "models": [[step, numbers] for step, numbers in models.items()],
        "loss": loss,
        "right": [right.tokens, right.answers],
    }
    return gzip.compress(json.dumps(content, separators=(",", ":")).encode(), mtime=0)


@torch.no_grad()
def measured(model: Decoder, task: Task, seed: int) -> tuple[float, Right]:
    """The loss and the accuracy on lines drawn apart from those of the steps."""
    tested = tested_lines(task, seed)
    return loss_of(model(tested.ids), tested.ids, tested.asked).item(), Right(*accuracy(model, tested))


def _read(key: str, content: dict[str, Any]) -> Recording:
    task, settings = task_of(content["task"]), settings_of(content["settings"])
    model = model_of(settings, len(task.vocabulary), task.longest)
    models = {0: model} | {step: _restored(model, numbers) for step, numbers in content["models"]}
    shapes = [(settings.heads, len(one.queries), len(one.keys)) for one in sides(model, task.shown.tokens)]
    return Recording(
        key,
        task,
        settings,
        tuple(Record(step, *row) for step, row in enumerate(content["records"], 1)),
        tuple(
            Recorded(one["step"], _maps(one["maps"], shapes), one["scores"], one["aligned"])
            for one in content["recorded"]
        ),
        {step: one.requires_grad_(requires_grad=False) for step, one in models.items()},
        content["loss"],
        Right(*content["right"]),
    )


def _thinned(training: Training) -> list[int]:
    """Recorded steps from the first on, as far apart as each other, without the last that was taken."""
    steps = [step for step in training.recordings if step < training.step]
    return steps[:: -(-len(steps) // (_MOST - 1))]


def _short(value: Any) -> Any:
    """Numbers with four decimals, which is more than a curve shows."""
    if isinstance(value, list):
        return [_short(item) for item in value]
    return round(value, 4) if isinstance(value, float) else value


def _bytes(maps: Maps) -> str:
    """Weights in 255ths."""
    flat = (weight for layer in maps for head in layer for row in head for weight in row)
    return b64encode(bytes(round(255 * weight) for weight in flat)).decode()


def _maps(text: str, shapes: Sequence[tuple[int, int, int]]) -> Maps:
    flat = torch.frombuffer(bytearray(b64decode(text)), dtype=torch.uint8) / 255
    sizes = [heads * queries * keys for heads, queries, keys in shapes]
    return [part.view(shape).tolist() for part, shape in zip(torch.split(flat, sizes), shapes, strict=True)]


def _numbers(model: Decoder) -> list[list[str]]:
    return [_packed(parameter.detach()) for parameter in model.parameters()]


def _packed(tensor: Tensor) -> list[str]:
    """8 bits for each number, and the largest of each row in 32."""
    rows = tensor.reshape(-1, tensor.shape[-1])
    largest = rows.abs().amax(-1, keepdim=True).clamp(min=1e-30)
    return [_encoded((rows / largest * 127).round().to(torch.int8)), _encoded(largest)]


def _restored(model: Decoder, numbers: list[list[str]]) -> Decoder:
    """A model of the same shape with other numbers."""
    other = deepcopy(model)
    _restore(other, numbers)
    return other


@torch.no_grad()
def _restore(model: Decoder, numbers: list[list[str]]) -> None:
    """Give a model the numbers of ``_packed``."""
    for parameter, (digits, largest) in zip(model.parameters(), numbers, strict=True):
        rows = _decoded(digits, torch.int8).view(-1, parameter.shape[-1]) / 127
        parameter.copy_((rows * _decoded(largest, torch.float32)[:, None]).view_as(parameter))


def _encoded(tensor: Tensor) -> str:
    return b64encode(bytes(tensor.contiguous().view(torch.uint8).flatten().tolist())).decode()


def _decoded(text: str, dtype: torch.dtype) -> Tensor:
    return torch.frombuffer(bytearray(b64decode(text)), dtype=dtype)
