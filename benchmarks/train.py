"""Training: a step beside the same model on torch's own attention; how well each task is learned, and how soon.

One thread, as a training's process has, and the processor's time: what else the machine does meanwhile does not count.
"""

from __future__ import annotations

from time import process_time
from typing import Any

import torch
from torch.nn.utils import clip_grad_norm_

from benchmarks.table import Line, show
from mha_core.train import TASKS, Training, accuracy, alignment, induction_scores, task_of
from mha_core.train.decoder import loss_of
from tools.torch_decoder import TorchDecoder

SEEDS = (0, 1, 2)
EVERY = 50
"""Steps between two looks at what a model can do."""
MOST = 4000
STEPS = 100
LEARNED = 0.99
FORMED = 0.8


MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    **{key: (key, {}) for key in TASKS},
    "translation, one head": ("translation", {"architecture": "encoder-decoder", "layers": 1, "heads": 1}),
    **{
        f"{key}, encoder–decoder": (key, {"architecture": "encoder-decoder"})
        for key in ("reverse", "sort", "dates", "translation")
    },
}
"""A name, the task, and what is changed in its defaults."""
HEAD = (
    "| task | seed | 99 % after | steps | time | tokens | answers | aligned |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def measure() -> str:
    """What a step costs; then every task for three seeds, as it is after its own number of steps."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    rows = [_learned(name, *MODELS[name], seed) for name in MODELS for seed in SEEDS]
    lines = show([*_steps(), *_induction()])
    torch.set_num_threads(threads)
    return "\n".join([lines, "", HEAD, *rows])


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


def _learned(name: str, key: str, changes: dict[str, Any], seed: int) -> str:
    """A row: a task's own number of steps from a seed."""
    training, began, first = Training(task_of(key), seed=seed, **changes), process_time(), "–"
    batch = training.tested()
    for record in training.steps(training.task.steps):
        looks = record.step % EVERY == 0 and first == "–"
        if looks and accuracy(training.model, batch)[1] >= LEARNED:
            first = f"{record.step}: {process_time() - began:.0f} s"
    seconds, (tokens, answers) = process_time() - began, accuracy(training.model, batch)
    aligned = [max(layer) for layer in alignment(training.model, training.task, batch) or [] if layer]
    cells = [
        name,
        str(seed),
        first,
        str(training.step),
        f"{seconds:.0f} s",
        f"{100 * tokens:.1f} %",
        f"{100 * answers:.1f} %",
        f"{100 * max(aligned):.0f} %" if aligned else "",
    ]
    return "| " + " | ".join(cells) + " |"
