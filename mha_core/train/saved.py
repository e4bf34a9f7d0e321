"""A training as a file, ``*.safetensors``: the model, the optimizer, every record and recording.

The settings, the task and one's own lines are in the file's metadata. What was saved goes on where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn.utils import parameters_to_vector

from mha_core.errors import N_, Reason, TrainError, needs
from mha_core.models.checkpoint import open_file
from mha_core.train.lines import ARROW, Line, parse_lines
from mha_core.train.settings import MOST_STEPS, settings_of
from mha_core.train.tasks import OWN_LINES, Task, own_lines, task_of
from mha_core.train.training import MOST_RECORDINGS, RECORDED_EVERY, Record, Training

FORMAT: Final = "mha-training/1"
_MODEL: Final = "model."
_OPTIMIZER: Final = "optimizer."
_RECORDS: Final = "records"
_RECORDED_STEPS: Final = "recorded_steps"
_RECORDED: Final = "recorded"


def save(training: Training, path: Path, *, is_light: bool = False) -> None:
    """Write a training. A file that was there is replaced once the new one is complete. ``is_light``: the model as it
    is now, without its recordings.

    Raises ``TrainError`` where it cannot be written, such as on a full disk.
    """
    with needs("safetensors", "models", TrainError):
        from safetensors.torch import save as serialized  # noqa: PLC0415  # optional

    content = serialized(
        _tensors(training, is_light=is_light),
        {"format": FORMAT, "training": json.dumps(_description(training))},
    )
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        _remove(part)
        raise TrainError(N_("cannot be written: {reason}"), place=str(path), reason=Reason(error)) from None


def open_training(path: Path) -> Training:
    """A training that was saved. Raises ``TrainError`` or ``ModelError`` for a file that is none."""
    file = open_file(path)
    description = _read_description(file.metadata() or {})
    task = _task(description)
    training = Training(task, **settings_of(description.get("settings")).as_json())
    _fill(training, _Tensors(file))
    return training


def _tensors(training: Training, *, is_light: bool) -> dict[str, Tensor]:
    recordings = training.recordings
    if is_light:
        recordings = {training.step: parameters_to_vector(training.model.parameters()).detach()}
    tensors = {_MODEL + name: tensor for name, tensor in training.model.state_dict().items()}
    for at, state in training.optimizer.state_dict()["state"].items():
        tensors |= {
            f"{_OPTIMIZER}{at}.{name}": tensor for name, tensor in state.items() if tensor is not None
        }
    tensors[_RECORDS] = torch.tensor(
        [astuple(record)[1:] for record in training.records], dtype=torch.float64
    ).view(-1, 4)
    tensors[_RECORDED_STEPS] = torch.tensor(list(recordings))
    tensors[_RECORDED] = torch.stack(list(recordings.values()))
    return {name: tensor.contiguous() for name, tensor in tensors.items()}


def _description(training: Training) -> dict[str, Any]:
    return {
        "task": training.task.key,
        "settings": training.settings.as_json(),
        "lines": [_written(line) for line in training.task.lines],
    }


def _written(line: Line) -> str:
    return " ".join((*line.source, ARROW, *line.answer[:-1]))


def _read_description(metadata: Mapping[str, str]) -> dict[str, Any]:
    try:
        description = json.loads(metadata["training"]) if metadata.get("format") == FORMAT else None
    except (KeyError, ValueError, RecursionError):
        description = None
    if not isinstance(description, dict):
        raise TrainError(N_("this is not a file of a training, {format}"), format=FORMAT)
    return description


def _task(description: Mapping[str, Any]) -> Task:
    key, lines = str(description.get("task")), description.get("lines")
    if key != OWN_LINES:
        return task_of(key)
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise TrainError(N_("expected lines of text"), place="lines")
    return own_lines(parse_lines("\n".join(lines)))


class _Tensors:
    """The tensors of an open file; each is read once its shape is as expected."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.names = frozenset(file.keys())

    def shape(self, name: str) -> list[int]:
        self.require(name)
        return list(self.file.get_slice(name).get_shape())

    def require(self, name: str) -> None:
        if name not in self.names:
            raise TrainError(N_("is missing from the file"), place=name)

    def read(self, name: str, *shape: int) -> Tensor:
        got = self.shape(name)
        if got != list(shape):
            raise TrainError(
                N_("expected {expected}, got {got}"),
                place=name,
                expected=" × ".join(map(str, shape)) or "1",
                got=" × ".join(map(str, got)) or "1",
            )
        # The file is mapped into memory: once it is replaced by a shorter one, a look at its numbers ends the process.
        tensor: Tensor = self.file.get_tensor(name).clone()
        if not torch.isfinite(tensor).all():
            raise TrainError(N_("a number in the file is not finite"), place=name)
        return tensor


def _fill(training: Training, file: _Tensors) -> None:
    """Read everything into a training that has just begun."""
    state = training.model.state_dict()
    training.model.load_state_dict(
        {name: file.read(_MODEL + name, *tensor.shape) for name, tensor in state.items()}
    )
    training.records = _records(file)
    _fill_optimizer(training, file)
    training.recordings = _recordings(training, file)
    steps = sorted(training.recordings)
    gaps = [later - earlier for earlier, later in pairwise(steps)]
    training.every = max(min(gaps, default=RECORDED_EVERY), RECORDED_EVERY)


def _records(file: _Tensors) -> list[Record]:
    count = file.shape(_RECORDS)[0]
    if count > MOST_STEPS:
        raise TrainError(N_("a training has at most {most} steps"), place=_RECORDS, most=MOST_STEPS)
    return [Record(step, *row) for step, row in enumerate(file.read(_RECORDS, count, 4).tolist(), 1)]


def _fill_optimizer(training: Training, file: _Tensors) -> None:
    if not training.records:
        return
    names = ("exp_avg", "exp_avg_sq") if training.settings.optimizer == "adam" else ("momentum_buffer",)
    state: dict[int, dict[str, Tensor]] = {}
    for at, parameter in enumerate(training.model.parameters()):
        state[at] = {name: file.read(f"{_OPTIMIZER}{at}.{name}", *parameter.shape) for name in names}
        if training.settings.optimizer == "adam":
            state[at]["step"] = file.read(f"{_OPTIMIZER}{at}.step")
    groups = training.optimizer.state_dict()["param_groups"]
    training.optimizer.load_state_dict({"state": state, "param_groups": groups})


def _recordings(training: Training, file: _Tensors) -> dict[int, Tensor]:
    numbers = sum(parameter.numel() for parameter in training.model.parameters())
    count = file.shape(_RECORDED)[0]
    if count > MOST_RECORDINGS:
        raise TrainError(
            N_("a training has at most {most} recordings"), place=_RECORDED, most=MOST_RECORDINGS
        )
    steps = file.read(_RECORDED_STEPS, count).tolist()
    return dict(zip(steps, file.read(_RECORDED, count, numbers), strict=True))


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return
