"""Any attention of a model that learns, as an example with all its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import torch

from mha_core.errors import N_
from mha_core.example.arrays import from_arrays
from mha_core.example.learning import Learning
from mha_core.example.model import NEG_INF, Example
from mha_core.messages import LANGUAGES, catalogue
from mha_core.models.measures import behind_copies
from mha_core.train.ask import attended, maps, require_head, sides
from mha_core.train.decoder import Attention, Decoder, Head, Kind, Part
from mha_core.train.tasks import Task


def example_of(model: Decoder, task: Task, tokens: Sequence[str], layer: int, step: int) -> Example:
    """A layer's attention on a line, after so many steps, as an example that computes the same numbers.

    X is the attention's input after the norm; where a decoder looks at an encoder's memory, that is the context.
    Relative positions are each head's own mask, added to its scores. Raises ``TrainError`` for a layer that the model
    has not and for tokens that the task has not.
    """
    require_head(model, layer, 0)
    attention, part = model.attentions[layer], model.parts[layer]
    found, (queries, keys) = attended(model, task, tokens)[layer], sides(model, tokens)[layer]
    context = {} if found.memory is None else {"context_tokens": keys, "context": found.memory[0]}
    mask = {"mask": "causal"} if part.kind == "decoder" and attention.bias is None else {}
    added = _added(attention, len(queries), causal=part.kind == "decoder")
    return from_arrays(
        title=_title(part, task, step),
        tokens=queries,
        x=found.x[0],
        heads=[_head(attention, head) | added[head] for head in range(attention.heads)],
        w_o=attention.output.weight.detach().T,
        b_o=attention.output.bias.detach(),
        **context,
        **mask,
    )


def with_goal(example: Example, model: Decoder, task: Task, head: Head) -> Example:
    """The attention of a head on the task's fixed line, with the goal that the head does there what the task needs.

    Its last token that a source token belongs to is to look at that one. Where nothing belongs together, the last token
    is to look even more at what it looks at most. Raises ``TrainError`` for a head that the model has not.
    """
    require_head(model, *head)
    row, key = [_most(model, task, head), *_belonging(model, task, model.parts[head[0]].kind)][-1]
    rows = tuple(key if at == row else None for at in range(len(example.tokens)))
    targets = tuple(rows if at == head[1] else None for at in range(len(example.heads)))
    return replace(example, learning=Learning("weights", targets))


def _most(model: Decoder, task: Task, head: Head) -> tuple[int, int]:
    """The last token of the line, and the one that it looks at most."""
    rows = maps(model, task, task.shown.tokens)[head[0]][head[1]]
    return len(rows) - 1, rows[-1].index(max(rows[-1]))


def _belonging(model: Decoder, task: Task, kind: Kind) -> Iterator[tuple[int, int]]:
    """Rows and columns of the tokens that should look at others: of an answer at its source, or where the task has no
    answers, behind an earlier copy.
    """
    is_decoder = {part.kind for part in model.parts} == {"decoder"}
    line = task.shown
    if task.aligned is not None and (is_decoder or kind == "cross"):
        first = len(line.prompt) - 1 if is_decoder else 0
        for place, source in enumerate(task.aligned(line)):
            if source is not None:
                yield first + place, source
    elif is_decoder and not task.has_source:
        ids = torch.tensor([[task.number[token] for token in line.tokens]])
        yield from behind_copies(ids)[0].nonzero().tolist()


def _head(attention: Attention, head: int) -> dict[str, Any]:
    """One head's rows of the matrix that computes Q, K and V."""
    width = attention.qkv.in_features
    weights = attention.qkv.weight.detach().view(3, attention.heads, -1, width)[:, head]
    biases = attention.qkv.bias.detach().view(3, attention.heads, -1)[:, head]
    given = {f"w_{name}": weights[at].T for at, name in enumerate("qkv")}
    return given | {f"b_{name}": biases[at] for at, name in enumerate("qkv")}


def _added(attention: Attention, n: int, *, causal: bool) -> list[dict[str, Any]]:
    """What each head adds to its scores, as its own mask; nothing without relative positions."""
    added = attention.added(n)
    if added is None:
        return [{}] * attention.heads
    future = torch.ones(n, n, dtype=torch.bool).triu(1) if causal else torch.zeros(n, n, dtype=torch.bool)
    rows = added.detach().masked_fill(future, NEG_INF).tolist()
    return [
        {"mask": {"add": [["-inf" if cell == NEG_INF else cell for cell in row] for row in head]}}
        for head in rows
    ]


_TITLES: Final[Mapping[Kind, str]] = {
    "encoder": N_("{task}, encoder, layer {layer}, after {step} {step:step|steps}"),
    "decoder": N_("{task}, layer {layer}, after {step} {step:step|steps}"),
    "cross": N_("{task}, cross-attention, layer {layer}, after {step} {step:step|steps}"),
}


def _title(part: Part, task: Task, step: int) -> dict[str, str]:
    return {
        language: say(_TITLES[part.kind]).format(task=say(task.title), layer=part.layer + 1, step=step)
        for language in LANGUAGES
        for say in [catalogue(language).gettext]
    }
