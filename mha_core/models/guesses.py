"""Which words a model expects: at a masked place for an encoder, after each token for a decoder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import torch
from torch import Tensor

from mha_core.errors import N_, ModelError
from mha_core.models.foreign_run import ForeignRun
from mha_core.models.forward import activated, linear, normed
from mha_core.models.model import Model
from mha_core.models.runs import AnyModel, AnyRun
from mha_core.models.tokenizer import Tokens

T = TypeVar("T")

MOST = 100
"""Most guesses at one place."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A piece of the vocabulary, and its probability."""

    text: str
    id: int
    probability: float


def can_guess(model: AnyModel) -> bool:
    """Whether the model turns vectors into words; sentence encoders do not."""
    return model.can_guess


def guesses(model: AnyModel, run: AnyRun, place: int, most: int = 10) -> tuple[Guess, ...]:
    """The likeliest pieces at a place, counted from 0, the likeliest first: an encoder guesses the piece at the place,
    a decoder the next one.

    Raises ``ModelError`` where the model cannot guess or the text has no such place.
    """
    probabilities = _probabilities(model, run, place)
    likeliest = probabilities.topk(min(most, MOST, len(probabilities)))
    return tuple(
        Guess(model.reader.text(number), number, chance)
        for number, chance in zip(likeliest.indices.tolist(), likeliest.values.tolist(), strict=True)
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """The probability of one piece of the vocabulary, and 1 + how many pieces are likelier."""

    probability: float
    rank: int


def standing(model: AnyModel, run: AnyRun, place: int, number: int) -> Standing:
    """The rank of the piece with this id among all pieces at a place.

    Raises ``ModelError`` as ``guesses`` does.
    """
    probabilities = _probabilities(model, run, place)
    return Standing(probabilities[number].item(), 1 + int((probabilities > probabilities[number]).sum()))


def _probabilities(model: AnyModel, run: AnyRun, place: int) -> Tensor:
    """The probability of each piece of the vocabulary at a place."""
    n = run.ids.shape[-1]
    if not 0 <= place < n:
        raise ModelError(N_("the text has {n} {n:token|tokens}; there is no position {at}"), n=n, at=place)
    if isinstance(run, ForeignRun):
        if run.logits is None:
            raise _no_guesses()
        return run.logits[place].softmax(-1)
    assert isinstance(model, Model)  # noqa: S101  # the run is one of this model
    return logits(model, run.hidden[-1][..., place, :]).softmax(-1)


def _no_guesses() -> ModelError:
    return ModelError(N_("this model's files contain nothing that turns vectors into words"))


@torch.no_grad()
def logits(model: Model, hidden: Tensor) -> Tensor:
    """A number for each piece of the vocabulary; their softmax is the probabilities. hidden: … × d_model."""
    guesser, size = model.parts.guesser, model.architecture
    if guesser is None:
        raise _no_guesses()
    if guesser.dense is not None and guesser.norm is not None:
        hidden = normed(activated(linear(hidden, guesser.dense), size), guesser.norm, size.eps)
    return linear(hidden, guesser.words)


def hidden(model: AnyModel, tokens: Tokens, place: int) -> Tokens:
    """The tokens with one replaced by the mask. Raises ``ModelError`` where there is no such word, or no mask."""
    mask = model.reader.mask
    if mask is None:
        raise ModelError(N_("this model's tokenizer has no mask token"))
    if not 0 <= place < len(tokens) or tokens.special[place]:
        raise ModelError(N_("the text has no word at position {at}"), at=place)

    def put(row: tuple[T, ...], item: T) -> tuple[T, ...]:
        return (*row[:place], item, *row[place + 1 :])

    return replace(
        tokens,
        ids=put(tokens.ids, mask),
        texts=put(tokens.texts, model.reader.text(mask)),
        unknown=put(tokens.unknown, None),
    )
