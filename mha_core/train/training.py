"""A training: step after step from a seed, with every head recorded on the way.

    training = Training(task_of("induction"), seed=0)
    for record in training.steps(600):
        print(record.step, record.loss, record.accuracy)

Whoever stops asking for steps has paused it; whoever asks again goes on. The lines of a step are drawn from the seed
and the step's number, so that a training that was saved and opened again goes on as if it had never stopped. The same
settings give the same numbers, to the last bit, on one machine with one number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_, parameters_to_vector, vector_to_parameters

from mha_core.errors import N_, TrainError
from mha_core.train.decoder import Decoder, loss_of
from mha_core.train.encoder_decoder import model_of
from mha_core.train.lines import Batch, batch_of
from mha_core.train.settings import MOST_STEPS
from mha_core.train.tasks import Task

RECORDED_EVERY: Final = 10
MOST_RECORDINGS: Final = 64
"""With more, every second one is dropped, and from then on recordings are twice as far apart."""
_WARM_UP: Final = 50
"""Steps in which the rate rises."""
_FULL: Final = 500
"""From this step on the rate falls as 1 ÷ step. As 1 ÷ √step it stays so large that what is right one time is wrong
again a hundred steps later.
"""
_CLIP: Final = 1.0
"""The gradient is shortened to this length where it is longer (Pascanu et al. 2013)."""
_TESTED: Final = 256
"""New lines that measures are taken on."""


@dataclass(frozen=True, slots=True)
class Record:
    """One step. ``loss``: mean −ln p of the tokens of the answers; ``accuracy``: how many of these tokens, and
    ``exact``: how many whole answers were the most likely ones; all before the step changed the model, on lines drawn
    for it. ``seconds``: of computing, from the first step on.
    """

    step: int
    loss: float
    accuracy: float
    exact: float
    seconds: float


class Training:
    """A model that learns a task.

    ``records``: one for each step; ``recordings``: the parameters, as one row of numbers, after the recorded steps.
    ``clock``: what the seconds of the records are read from.
    """

    def __init__(self, task: Task, **changes: Any) -> None:
        """``changes``: of the task's default settings. Raises ``TrainError`` as ``Settings`` does."""
        self.task = task
        self.settings = task.settings(**changes)
        self.model = self._new_model()
        self.optimizer = _optimizer(self.model, self.settings.optimizer, self.settings.weight_decay)
        self.records: list[Record] = []
        self.clock = perf_counter
        self.every = RECORDED_EVERY
        self.recordings: dict[int, Tensor] = {}
        self._record_heads()

    @property
    def step(self) -> int:
        """How many steps were taken."""
        return len(self.records)

    def steps(self, count: int) -> Iterator[Record]:
        """So many more steps, one at a time."""
        for _ in range(count):
            yield self.take_step()

    def take_step(self) -> Record:
        """One more step. Raises ``TrainError`` where the loss is no longer a finite number, and after the last step
        that a training may have; the model is then as it was before.
        """
        if self.step >= MOST_STEPS:
            raise TrainError(N_("a training has at most {most} steps"), place="steps", most=MOST_STEPS)
        began, step = self.clock(), self.step + 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.rate * _rate(step)
        ids, asked = self._drawn(step)
        logits = self.model(
            ids, random=torch.Generator().manual_seed(_dropout_seed(self.settings.seed, step))
        )
        loss = loss_of(logits, ids, asked)
        if not torch.isfinite(loss):
            raise TrainError(
                N_("the loss is no longer finite in step {step}; take a smaller rate"),
                place="rate",
                step=step,
            )
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        clip_grad_norm_(self.model.parameters(), _CLIP)
        self.optimizer.step()
        accuracy, exact = right(logits.detach(), Batch(ids, asked))
        seconds = self.clock() - began + (self.records[-1].seconds if self.records else 0.0)
        record = Record(step, loss.item(), accuracy, exact, seconds)
        self.records.append(record)
        if step % self.every == 0:
            self._record_heads()
        return record

    def at(self, step: int) -> Decoder:
        """The model as it was after a recorded step. Raises ``TrainError`` for a step that was not recorded."""
        if step not in self.recordings:
            recorded = ", ".join(map(str, self.recordings))
            raise TrainError(
                N_("step {step} was not recorded; recorded steps: {recorded}"), step=step, recorded=recorded
            )
        model = self._new_model()
        vector_to_parameters(self.recordings[step].clone(), model.parameters())
        return model.requires_grad_(requires_grad=False)

    def tested(self) -> Batch:
        """Lines that measures are taken on."""
        return tested_lines(self.task, self.settings.seed)

    def _new_model(self) -> Decoder:
        return model_of(self.settings, len(self.task.vocabulary), self.task.longest)

    def _drawn(self, step: int) -> Batch:
        random = Random(f"{self.settings.seed} {step}")
        lines = [self.task.draw(random) for _ in range(self.settings.batch)]
        return batch_of(lines, self.task.number)

    def _record_heads(self) -> None:
        self.recordings[self.step] = parameters_to_vector(self.model.parameters()).detach().clone()
        if len(self.recordings) > MOST_RECORDINGS:
            self.every *= 2
            self.recordings = {
                step: numbers for step, numbers in self.recordings.items() if step % self.every == 0
            }


def tested_lines(task: Task, seed: int) -> Batch:
    """Lines drawn apart from those of any step; one's own lines are all that there are."""
    drawn = (task.draw(Random(f"{seed} tested {at}")) for at in range(_TESTED))
    return batch_of(task.lines or list(drawn), task.number)


def right(logits: Tensor, batch: Batch) -> tuple[float, float]:
    """The share of the asked tokens, and of the lines, whose most likely tokens are the right ones."""
    asked = batch.asked[:, 1:]
    hits = logits[:, :-1].argmax(-1) == batch.ids[:, 1:]
    return hits[asked].float().mean().item(), (hits | ~asked).all(-1).float().mean().item()


def _rate(step: int) -> float:
    """The part of the rate that a step takes; it does not depend on how many steps there will be."""
    return min(1.0, step / _WARM_UP, _FULL / step)


def _dropout_seed(seed: int, step: int) -> int:
    return seed * (MOST_STEPS + 1) + step


def _optimizer(model: Decoder, name: str, weight_decay: float) -> torch.optim.Optimizer:
    """Adam (Kingma & Ba 2015) with decoupled weight decay, or gradient descent with momentum 0.9."""
    if name == "sgd":
        return torch.optim.SGD(model.parameters(), momentum=0.9, weight_decay=weight_decay, fused=True)
    return torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=weight_decay, fused=True)
