"""What can be asked of a model that learns: where its heads look, what each is good for, what it says, and any of its
attentions as an example with all its numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

from mha_core.errors import N_, TrainError
from mha_core.example.arrays import from_arrays
from mha_core.example.model import NEG_INF, Example
from mha_core.messages import LANGUAGES, catalogue
from mha_core.models.measures import behind_copies
from mha_core.quoted import quoted
from mha_core.train.decoder import Attended, Attention, Decoder, Head
from mha_core.train.lines import END, Batch
from mha_core.train.tasks import Task
from mha_core.train.training import right

Maps: TypeAlias = list[list[list[list[float]]]]
"""Layers × heads × n × n."""


@torch.no_grad()
def attended(model: Decoder, task: Task, tokens: Sequence[str]) -> list[Attended]:
    """What every layer's attention computes of one line. Raises ``TrainError`` for tokens that the task has not."""
    layers: list[Attended] = []
    model(torch.tensor([_ids(task, tokens)]), attended=layers)
    return layers


def maps(model: Decoder, task: Task, tokens: Sequence[str]) -> Maps:
    """The weights of every head on a line."""
    return [layer.weights[0].tolist() for layer in attended(model, task, tokens)]


@torch.no_grad()
def induction_scores(model: Decoder, batch: Batch) -> list[list[float]] | None:
    """For each head of each layer: the mean weight behind all earlier copies of a token, summed (Olsson et al. 2022),
    over the tokens that have one. None where no token has.
    """
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
def accuracy(model: Decoder, batch: Batch, without: Collection[Head] = ()) -> tuple[float, float]:
    """The share of right tokens and of right answers, with some heads' outputs set to 0 (Michel et al. 2019)."""
    for layer, head in without:
        _require_head(model, layer, head)
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
        logits = model(torch.tensor([_ids(task, tokens)]), without=without, attended=layers)
        probability, number = logits[0, -1].softmax(-1).max(-1)
        tokens.append(task.vocabulary[int(number)])
        yield Said(tokens[-1], float(probability), [layer.weights[0, :, -1].tolist() for layer in layers])
        if tokens[-1] == END:
            return


def example_of(model: Decoder, task: Task, tokens: Sequence[str], layer: int, step: int) -> Example:
    """A layer's attention on a line, after so many steps, as an example that computes the same numbers.

    X is the attention's input after the norm; relative positions are each head's own mask, added to its scores. Raises
    ``TrainError`` for a layer that the model has not and for tokens that the task has not.
    """
    _require_head(model, layer, 0)
    attention = model.blocks[layer].attention
    x = attended(model, task, tokens)[layer].x[0]
    return from_arrays(
        title=_title(task, layer, step),
        tokens=tokens,
        x=x,
        heads=[_head(attention, head, len(tokens)) for head in range(attention.heads)],
        w_o=attention.output.weight.detach().T,
        b_o=attention.output.bias.detach(),
        **({"mask": "causal"} if attention.bias is None else {}),
    )


def _head(attention: Attention, head: int, n: int) -> dict[str, Any]:
    """One head's rows of the matrix that computes Q, K and V, and what it adds to its scores."""
    width = attention.qkv.in_features
    weights = attention.qkv.weight.detach().view(3, attention.heads, -1, width)[:, head]
    biases = attention.qkv.bias.detach().view(3, attention.heads, -1)[:, head]
    given = {f"w_{name}": weights[at].T for at, name in enumerate("qkv")}
    given |= {f"b_{name}": biases[at] for at, name in enumerate("qkv")}
    added = attention.added(n)
    if added is None:
        return given
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    rows = added[head].detach().masked_fill(future, NEG_INF).tolist()
    return given | {"mask": {"add": [["-inf" if cell == NEG_INF else cell for cell in row] for row in rows]}}


def _title(task: Task, layer: int, step: int) -> dict[str, str]:
    template = N_("{task}, layer {layer}, after {step} {step:step|steps}")
    return {
        language: say(template).format(task=say(task.title), layer=layer + 1, step=step)
        for language in LANGUAGES
        for say in [catalogue(language).gettext]
    }


def _ids(task: Task, tokens: Sequence[str]) -> list[int]:
    """The tokens' ids. Raises ``TrainError`` for those that the task has not, and for too many."""
    for token in tokens:
        if token not in task.number:
            raise TrainError(
                N_("the token {token} does not occur in this task; its tokens are {known}"),
                token=quoted(token),
                known=" ".join(task.vocabulary),
            )
    if not 1 <= len(tokens) <= task.longest:
        raise TrainError(N_("expected 1 to {most} tokens, got {count}"), most=task.longest, count=len(tokens))
    return [task.number[token] for token in tokens]


def _in_line(batch: Batch) -> torch.Tensor:
    """True up to the last token that is asked for; behind it a line is filled up."""
    return batch.asked.flip(-1).cumsum(-1).flip(-1) > 0


def _require_head(model: Decoder, layer: int, head: int) -> None:
    blocks = model.blocks
    if not (0 <= layer < len(blocks) and 0 <= head < blocks[0].attention.heads):
        raise TrainError(
            N_("there is no head {head} in layer {layer}, counted from 0"), head=head, layer=layer
        )
