"""The backward pass of an example with a goal, as the browser's evaluator and tables read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from mha_core.compute.trace import Trace, input_matrix
from mha_core.example.model import kv_head_of
from mha_core.export.documents import noun
from mha_core.vocabulary import BACKWARD_SETTINGS, ENTRY, PER_HEAD, TARGETS
from mha_view import payloads
from mha_view.language import words_in
from mha_view.tables import caption, constants, numbers, step_data

_Rows: TypeAlias = payloads.Rows | Sequence[payloads.Rows | None] | None
"""The numbers of a matrix: the layer's, or those of each head."""


def with_backward(computed: Trace, language: str, decimals: int) -> payloads.TablesModel:
    """The computation with the target, the loss and the derivative by every matrix; alone where there is no goal.

    Raises as ``run_backward`` does.
    """
    model, words = numbers(computed, language, decimals), words_in(language)
    for step in computed.declared_backward.by_name().values():
        model["steps"][step.name] = step_data(step)
    model["constants"] = {**model["constants"], **constants(computed.example, BACKWARD_SETTINGS)}
    for name, values in _values(computed).items():
        model["matrices"][name] = _matrix(computed, name, values, words)
    return model


def _values(computed: Trace) -> dict[str, _Rows]:
    example = computed.example
    if example.learning is None:
        return {}
    target = TARGETS[example.learning.step]
    given: dict[str, _Rows] = {"given_rows": input_matrix(example, "given_rows")}
    given[target] = (
        [input_matrix(example, target, head) for head in range(len(example.heads))]
        if target in PER_HEAD
        else input_matrix(example, target)
    )
    return {name: rows for name, rows in given.items() if rows} | computed.backward


def _matrix(computed: Trace, name: str, values: _Rows, words: Callable[[str], str]) -> payloads.Matrix:
    example, entry = computed.example, ENTRY[name]
    described: payloads.MatrixBase = {
        "symbol": caption(name, example),
        "formula": "",
        "word": noun(name, words),
        "hue": entry.role,
        "scale": entry.colours,
        "axes": entry.axes,
    }
    if name not in PER_HEAD:
        return payloads.SharedMatrix(
            **described, perHead=False, edit=False, values=cast("payloads.Rows", values)
        )
    matrix = payloads.HeadMatrix(
        **described, perHead=True, edit=False, values=cast("Sequence[payloads.Rows | None]", values)
    )
    if name == "d_head_mask" or (entry.shared and example.kv_heads is not None):
        matrix["owners"] = [kv_head_of(example, name, head) for head in range(len(example.heads))]
    return matrix
