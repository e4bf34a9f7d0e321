"""Training: a step beside the same model on torch's own attention; how long each task and an induction head take.

One thread, as a training's process has, and the processor's time: what else the machine does meanwhile does not count.
"""

from __future__ import annotations

from time import process_time

import torch
from torch.nn.utils import clip_grad_norm_

from benchmarks.table import Line
from mha_core.train import TASKS, Training, accuracy, induction_scores, task_of
from mha_core.train.decoder import loss_of
from tools.torch_decoder import TorchDecoder

SEEDS = (0, 1, 2)
EVERY = 50
"""Steps between two looks at what a model can do."""
MOST = 4000
STEPS = 100
LEARNED = 0.99
FORMED = 0.8


def measure() -> list[Line]:
    """Every line about training."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    lines = [*_steps(), *_induction()]
    for key in TASKS:
        lines += _task(key)
    torch.set_num_threads(threads)
    return lines


def _steps() -> list[Line]:
    """The same forward, backward and update in turn, so that what else the machine does slows both alike."""
    training = Training(task_of("induction"))
    peer = TorchDecoder(training.model, training.settings)
    optimizer = torch.optim.AdamW(peer.parameters(), lr=training.settings.rate, betas=(0.9, 0.98), fused=True)
    own = torch.optim.AdamW(
        training.model.parameters(), lr=training.settings.rate, betas=(0.9, 0.98), fused=True
    )
    batch = training.tested()
    ids, asked = batch.ids[: training.settings.batch], batch.asked[: training.settings.batch]

    def taken(model: torch.nn.Module, by: torch.optim.Optimizer) -> float:
        began = process_time()
        by.zero_grad()
        loss_of(model(ids), ids, asked).backward()
        clip_grad_norm_(model.parameters(), 1.0)
        by.step()
        return 1000 * (process_time() - began)

    pairs = [(taken(training.model, own), taken(peer, optimizer)) for _ in range(STEPS + 10)][10:]
    steps = [_whole(training) for _ in range(STEPS)]
    torchs = "the same on nn.MultiheadAttention"
    return [
        Line("induction: a whole step, with drawing its lines", steps, goal=(30, "")),
        Line(torchs, [their for _, their in pairs]),
        Line("forward, backward, update", [our for our, _ in pairs], goal=(1 / 0.9, torchs)),
    ]


def _whole(training: Training) -> float:
    began = process_time()
    training.take_step()
    return 1000 * (process_time() - began)


def _induction() -> list[Line]:
    formed = []
    for seed in SEEDS:
        training = Training(task_of("induction"), seed=seed)
        batch = training.tested()
        for record in training.steps(MOST):
            if record.step % 10 == 0:
                scores = induction_scores(training.model, batch) or [[0.0]]
                if max(map(max, scores)) > FORMED:
                    break
        formed.append(float(training.step))
    return [Line("induction: a head's score passes 0.8", formed, "steps", goal=(800, ""), by="p95")]


def _task(key: str) -> list[Line]:
    steps, seconds = [], []
    for seed in SEEDS:
        training, began = Training(task_of(key), seed=seed), process_time()
        batch = training.tested()
        for record in training.steps(MOST):
            if record.step % EVERY == 0 and accuracy(training.model, batch)[1] >= LEARNED:
                break
        steps.append(float(training.step))
        seconds.append(process_time() - began)
    return [
        Line(f"{key}: 99 % of the answers right", seconds, "s", goal=(90, ""), by="p95"),
        Line(f"{key}: steps", steps, "steps"),
    ]
