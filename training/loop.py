"""Learning: masked words are guessed, and the guesses' error is lowered step by step."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

import torch
from torch import Tensor
from torch.nn import functional

from training.corpus import Batch, Corpus, Texts, batches, masked
from training.model import Bert, Place

BATCH = 2500
"""Tokens that are learned from at once."""
WARM_UP = 100
"""Steps in which the rates rise."""
CLIP = 1.0
DECAY = 0.01
GUIDED = 0.5
"""How much the guidance counts beside the guesses."""
LEAST = 1e-6
"""The least weight whose logarithm is taken."""
REPORTED = 100
"""How many steps are told in one line."""


@dataclass(frozen=True, slots=True)
class Course:
    """``steps``: how many; ``peak``: the highest rates, as a share of the usual ones; ``guides``: by kind of text, the
    head that is shown which word decides the hidden one.
    """

    steps: int
    peak: float = 1.0
    guides: Mapping[str, Place] = field(default_factory=dict)


def train(model: Bert, corpus: Corpus, course: Course, seed: int, report: Callable[[str], None]) -> None:
    """Learn; the rates rise at first, and then fall as a cosine. The model is changed in place."""
    random = torch.Generator().manual_seed(seed)
    optimizers, steps = _optimizers(model), course.steps
    peaks = [one.param_groups[0]["lr"] * course.peak for one in optimizers]
    model.train()
    began, total = time.process_time(), 0.0
    for step, (texts, rows) in enumerate(islice(_endless(corpus, random), steps)):
        for optimizer, peak in zip(optimizers, peaks, strict=True):
            optimizer.param_groups[0]["lr"] = peak * _rate(step, steps)
            optimizer.zero_grad()
        batch = masked(texts, rows, model.shape.vocabulary, model.shape.places, random)
        loss, led = _losses(model, batch, texts, rows, course.guides)
        (loss + GUIDED * led).backward()  # type: ignore[no-untyped-call]
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


@torch.no_grad()
def average(model: Bert, before: Mapping[str, Tensor], share: float) -> None:
    """Put the model between its parameters of ``before`` and now: it keeps more of what it knew. ``share``: of now.

    Wortsman et al., "Robust fine-tuning of zero-shot models", 2022.
    """
    for name, tensor in model.named_parameters():  # each once, the embeddings too that the guesser shares
        tensor.copy_(torch.lerp(before[name], tensor, share))


def _endless(corpus: Corpus, random: torch.Generator) -> Iterator[tuple[Texts, Tensor]]:
    """All texts, again and again, each time in another order."""
    while True:
        yield from batches(corpus, BATCH, random)


def _losses(
    model: Bert, batch: Batch, texts: Texts, rows: Tensor, guides: Mapping[str, Place]
) -> tuple[Tensor, Tensor]:
    """Mean −ln p of the words that are hidden; and −ln of the weight that the guided head gives the deciding word, with
    −ln of the weight that each other head leaves to other words: one head is to find it, and it alone.
    """
    layers = range(model.shape.layers) if guides else ()
    states, weights = model.watched(batch.ids, batch.segments, batch.places, layers)
    loss = functional.cross_entropy(model.guess(states[batch.hidden]), batch.targets[batch.hidden])
    led = loss.new_zeros(())
    row, place = (batch.hidden & (texts.decided[rows] > 0)).nonzero(as_tuple=True)
    if guides and len(row):
        deciding = texts.decided[rows][row, place]
        given = torch.stack(
            [weights[layer][row, :, place, deciding] for layer in layers], 1
        )  # words × layers × heads
        its_own = torch.zeros_like(given, dtype=torch.bool)
        for at, one in enumerate(row.tolist()):
            its_own[at][guides[texts.kinds[rows[one]]]] = True
        led = -torch.where(its_own, given, 1 - given).clamp(min=LEAST).log().sum() / batch.hidden.sum()
    return loss, led


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
