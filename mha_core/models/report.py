"""What heads do with a text, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mha_core.errors import N_, ModelError
from mha_core.models.foreign_run import ForeignRun
from mha_core.models.heads import measured
from mha_core.models.measures import Record, label
from mha_core.models.runs import AnyRun
from mha_core.models.tokenizer import Tokens

FORMAT = "mha-heads/1"


def heads_as_json(tokens: Tokens, run: AnyRun, layer: int | None, heads: Sequence[int]) -> dict[str, Any]:
    """The tokens, and for each head of each layer the behaviour that stands out, the share of weight that words give to
    words, and its measures. With a ``layer``: only these ``heads`` of it, with their weights. All count from 0.

    Heads that attend to other tokens, the ``keys``, are not measured: every measure compares positions in one text.

    Raises ``ModelError`` for a layer or a head that does not exist.
    """
    keys = run.keys if isinstance(run, ForeignRun) else None
    header = {"format": FORMAT, "tokens": tokens.texts, "words": tokens.words, "special": tokens.special}
    if keys is not None:
        header["keys"] = keys
    records = measured(tokens, run) if keys is None else [[None] * one.heads for one in run.layers]
    if layer is None:
        return {
            **header,
            "layers": [[_record(record) for record in heads_of_layer] for heads_of_layer in records],
        }
    _require_index(layer, len(records), N_("there is no layer {at}; the model has {count}, counted from 0"))
    for head in heads:
        _require_index(
            head, len(records[layer]), N_("there is no head {at}; a layer has {count}, counted from 0")
        )
    weights = {head: run.layers[layer].weights_of(head).tolist() for head in heads}
    return {
        **header,
        "layer": layer,
        "heads": [
            {"head": head, **_record(records[layer][head]), "weights": weights[head]} for head in heads
        ],
    }


def _require_index(at: int, count: int, template: str) -> None:
    if not 0 <= at < count:
        raise ModelError(template, at=at, count=count)


def _record(record: Record | None) -> dict[str, Any]:
    if record is None:
        return {}
    return {
        "label": label(record),
        "left": record.left,
        "measures": {
            name: {
                "value": measure.value,
                "null": measure.null,
                "chance": measure.chance,
                "places": measure.places,
            }
            for name, measure in record.measures.items()
        },
    }
