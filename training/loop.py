"""Learning: masked words are guessed, and the guesses' error is lowered step by step."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import islice

import torch
from torch import Tensor
from torch.nn import functional

from training.corpus import Batch, Corpus, Texts, batches, masked
from training.model import Bert

BATCH = 2500
"""Tokens that are learned from at once."""
WARM_UP = 100
"""Steps in which the rates rise."""
CLIP = 1.0
DECAY = 0.01
REPORTED = 100
"""How many steps are told in one line."""


def train(model: Bert, corpus: Corpus, steps: int, seed: int, report: Callable[[str], None]) -> None:
    """So many steps; the rates rise at first, and then fall as a cosine. The model is changed in place."""
    random = torch.Generator().manual_seed(seed)
    optimizers = _optimizers(model)
    peaks = [one.param_groups[0]["lr"] for one in optimizers]
    model.train()
    began, total = time.process_time(), 0.0
    for step, (texts, rows) in enumerate(islice(_endless(corpus, random), steps)):
        for optimizer, peak in zip(optimizers, peaks, strict=True):
            optimizer.param_groups[0]["lr"] = peak * _rate(step, steps)
            optimizer.zero_grad()
        batch = masked(texts, rows, model.shape.vocabulary, model.shape.places, random)
        loss = _loss(model, batch)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        for optimizer in optimizers:
            optimizer.step()
        total += loss.item()
        if step % REPORTED == REPORTED - 1:
            report(
                f"step {step + 1}: loss {total / REPORTED:.3f}, {time.process_time() - began:.0f} s of one core"
            )
            total = 0.0
    model.eval()


def _endless(corpus: Corpus, random: torch.Generator) -> Iterator[tuple[Texts, Tensor]]:
    """All texts, again and again, each time in another order."""
    while True:
        yield from batches(corpus, BATCH, random)


def _loss(model: Bert, batch: Batch) -> Tensor:
    """Mean −ln p of the words that are hidden."""
    states = model(batch.ids, batch.segments, batch.places)
    return functional.cross_entropy(model.guess(states[batch.hidden]), batch.targets[batch.hidden])


def _optimizers(model: Bert) -> list[torch.optim.Optimizer]:
    """Muon (Jordan et al., 2024) for the matrices between states, AdamW for embeddings, biases and norms."""
    matrices = [
        one for name, one in model.named_parameters() if one.dim() == 2 and not name.endswith(_EMBEDDED)
    ]
    chosen = {id(one) for one in matrices}
    rest = [one for one in model.parameters() if id(one) not in chosen]
    return [
        torch.optim.Muon(matrices, lr=6e-3, weight_decay=DECAY, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(rest, lr=4e-3, betas=(0.9, 0.98), weight_decay=DECAY),
    ]


_EMBEDDED = ("_embeddings.weight", "decoder.weight")


def _rate(step: int, steps: int) -> float:
    return min((step + 1) / WARM_UP, 0.5 + 0.5 * math.cos(math.pi * step / steps))
