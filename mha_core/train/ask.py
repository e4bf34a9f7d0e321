"""What can be asked of a model that learns: where its heads look, what each is good for, and what it says.

A “layer” is here one of the model's attentions, counted as in ``Decoder.parts``: an encoder–decoder has three for each
of its layers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch

from mha_core.errors import N_, TrainError
from mha_core.models.measures import behind_copies
from mha_core.quoted import quoted
from mha_core.train.decoder import Attended, Decoder, Head, Sides
from mha_core.train.lines import END, Batch, Line
from mha_core.train.tasks import Task
from mha_core.train.training import right

Maps: TypeAlias = list[list[list[list[float]]]]
"""Layers × heads × n_q × n_k."""


@torch.no_grad()
def attended(model: Decoder, task: Task, tokens: Sequence[str]) -> list[Attended]:
    """What every layer's attention computes of one line. Raises ``TrainError`` for tokens that the task has not, and
    for a line without a source where the model has an encoder.
    """
    layers: list[Attended] = []
    model(_ids(model, task, tokens), attended=layers)
    return layers


def maps(model: Decoder, task: Task, tokens: Sequence[str]) -> Maps:
    """The weights of every head on a line."""
    return [layer.weights[0].tolist() for layer in attended(model, task, tokens)]


def sides(model: Decoder, tokens: Sequence[str]) -> list[Sides]:
    """The tokens of the rows and of the columns of every layer's weights on a line."""
    of_kind = model.sides(tokens)
    return [of_kind[part.kind] for part in model.parts]


@torch.no_grad()
def induction_scores(model: Decoder, batch: Batch) -> list[list[float]] | None:
    """For each head of each layer: the mean weight behind all earlier copies of a token, summed (Olsson et al. 2022),
    over the tokens that have one. None where no token has, and with an encoder, whose tokens are another text.
    """
    if {part.kind for part in model.parts} != {"decoder"}:
        return None
    related = behind_copies(batch.ids) & _in_line(batch)[:, :, None]
    queries = related.any(-1)
    if not queries.any():
        return None
    layers: list[Attended] = []
    model(batch.ids, attended=layers)
    return [
        (layer.weights * related[:, None]).sum(-1).transpose(0, 1)[:, queries].mean(-1).tolist()
        for layer in layers
    ]


@torch.no_grad()
def alignment(model: Decoder, task: Task, batch: Batch) -> list[list[float] | None] | None:
    """For each head of each layer: how often its largest weight is on the token of the source that the next token comes
    from (``Task.aligned``). None for a layer that does not look from the target at the source, and for a task that does
    not say what comes from where.
    """
    if task.aligned is None:
        return None
    has_encoder = len({part.kind for part in model.parts}) > 1
    layers: list[Attended] = []
    model(batch.ids, attended=layers)
    pairs = torch.tensor(list(_aligned(task, batch, from_arrow=has_encoder)))
    lines, rows, columns = pairs.unbind(-1)
    return [
        None
        if has_encoder and part.kind != "cross"
        else (layer.weights.argmax(-1)[lines, :, rows] == columns[:, None]).float().mean(0).tolist()
        for layer, part in zip(layers, model.parts, strict=True)
    ]


def _aligned(task: Task, batch: Batch, *, from_arrow: bool) -> Iterator[tuple[int, int, int]]:
    """Line, row that says a token of the answer, column of where it comes from; rows count from the arrow or the line's
    beginning.
    """
    assert task.aligned is not None  # noqa: S101  # as the caller has seen
    for at, (ids, asked) in enumerate(zip(batch.ids.tolist(), batch.asked.tolist(), strict=True)):
        first, count = asked.index(True), sum(asked)
        tokens = tuple(task.vocabulary[number] for number in ids[: first + count])
        for place, source in enumerate(task.aligned(Line(tokens[:first], tokens[first:]))):
            if source is not None:
                yield at, place + (0 if from_arrow else first - 1), source


@torch.no_grad()
def accuracy(model: Decoder, batch: Batch, without: Collection[Head] = ()) -> tuple[float, float]:
    """The share of right tokens and of right answers, with some heads' outputs set to 0 (Michel et al. 2019)."""
    for layer, head in without:
        require_head(model, layer, head)
    return right(model(batch.ids, without=without), batch)


@dataclass(frozen=True, slots=True)
class Said:
    """A token of an answer, its probability, and where the last token before it looked: layers × heads × n."""

    token: str
    probability: float
    looked: list[list[list[float]]]


@torch.no_grad()
def said(model: Decoder, task: Task, prompt: Sequence[str], without: Collection[Head] = ()) -> Iterator[Said]:
    """The most likely token after the prompt, then after that one, up to the end or the longest line.

    Raises ``TrainError`` for a prompt that is empty or too long, and for tokens that the task has not.
    """
    tokens = list(prompt)
    if not 1 <= len(tokens) < task.longest:
        raise TrainError(
            N_("expected 1 to {most} tokens, got {count}"),
            place="prompt",
            most=task.longest - 1,
            count=len(tokens),
        )
    while len(tokens) < task.longest:
        layers: list[Attended] = []
        logits = model(_ids(model, task, tokens), without=without, attended=layers)
        probability, number = logits[0, -1].softmax(-1).max(-1)
        tokens.append(task.vocabulary[int(number)])
        yield Said(tokens[-1], float(probability), [layer.weights[0, :, -1].tolist() for layer in layers])
        if tokens[-1] == END:
            return


def _ids(model: Decoder, task: Task, tokens: Sequence[str]) -> torch.Tensor:
    """The tokens' ids, 1 × n. Raises ``TrainError`` for those that the task has not, for too many, and for what the
    model cannot read.
    """
    for token in tokens:
        if token not in task.number:
            raise TrainError(
                N_("the token {token} does not occur in this task; its tokens are {known}"),
                token=quoted(token),
                known=" ".join(task.vocabulary),
            )
    if not 1 <= len(tokens) <= task.longest:
        raise TrainError(N_("expected 1 to {most} tokens, got {count}"), most=task.longest, count=len(tokens))
    model.sides(tokens)
    return torch.tensor([[task.number[token] for token in tokens]])


def _in_line(batch: Batch) -> torch.Tensor:
    """True up to the last token that is asked for; behind it a line is filled up."""
    return batch.asked.flip(-1).cumsum(-1).flip(-1) > 0


def require_head(model: Decoder, layer: int, head: int) -> None:
    """Raises ``TrainError`` where the model has no such head."""
    attentions = model.attentions
    if not (0 <= layer < len(attentions) and 0 <= head < attentions[0].heads):
        raise TrainError(
            N_("there is no head {head} in layer {layer}, counted from 0"), head=head, layer=layer
        )
