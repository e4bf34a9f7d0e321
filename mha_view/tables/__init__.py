"""What tables of the computation are told: numbers, labels and the declared operations, as plain JSON data."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import lru_cache
from typing import Final, cast

from mha_core.compute.graph import early_steps, formula, graph, head_graph, symbol
from mha_core.compute.operations import OPERATIONS, Step
from mha_core.compute.trace import Trace, input_matrix
from mha_core.errors import N_
from mha_core.example.model import (
    NEG_INF,
    Example,
    adds_numbers,
    has_values,
    key_tokens,
    kv_head_of,
    mask_sentences,
    masks_of,
    setting,
)
from mha_core.messages import LANGUAGE
from mha_core.quoted import isolated
from mha_core.vocabulary import (
    AXES,
    BACKWARD_SETTINGS,
    ENTRY,
    HIDES,
    LAYER_INPUTS,
    NAMES,
    PER_HEAD,
    PER_HEAD_INPUTS,
    PER_HEAD_STEPS,
    SETTINGS,
    SHARED,
    STAGES,
    STAGES_WITHOUT_VALUES,
    Stage,
)
from mha_view import payloads
from mha_view.glossary import terms_of
from mha_view.language import words_in

_WHY: Final = {
    "masked_fill": ("visible", "hidden"),
    "softmax": ("", "dead_row"),
    "normalize": ("", "no_direction"),
}
"""By operation what is said beside a cell's arithmetic, and beside that of an exception: names of ``WORDS``."""

_SETTINGS: Final = tuple(name for name in SETTINGS if name not in BACKWARD_SETTINGS)
_DEAD_WEIGHTS: Final = N_("this token is not allowed to attend to anything, so its weights are 0")
"""What is said of such a query where there is no output."""


def numbers(trace: Trace, language: str, decimals: int) -> payloads.TablesModel:
    """What is shown of a trace, whoever works on it: every number, and the declared operations."""
    example = trace.example
    shown = matrices(trace, language)
    return {
        "lang": language,
        "own_words": {} if has_values(example) else {"dead_row": words_in(language)(_DEAD_WEIGHTS)},
        "decimals": decimals,
        "dims": {name: getattr(example.dims, name) for name in example.dims.__slots__},
        "labels": _labels(example),
        "stages": _stages(example, shown, language),
        "matrices": shown,
        "steps": {name: step_data(step) for name, step in steps(example)},
        "constants": constants(example),
        "dead": trace.fully_masked if masks_of(example) else None,
        "shifts": trace.shifts,
    }


def step_data(step: Step) -> payloads.Step:
    """A declared step, as the browser reads it: its tables with their letters, and how its operation is told.

    What an operation does not have is left out: this travels to every page.
    """
    operation = OPERATIONS[step.op]
    unusual = operation.exception
    data = {
        "op": step.op,
        "index": step.index,
        "operands": [(operand.name, operand.index, operand.head) for operand in step.tables],
        "ownHead": step.own_head,
        "constant": next((name for name in step.operand_names if name in SETTINGS), ""),
        "adds": operation.adds,
        "copies": operation.copies,
        "shifts": operation.shifts,
        "term": operation.term,
        "lines": operation.lines,
        "exception": unusual and unusual._asdict() | {"number": _json(unusual.number)},
        "why": _WHY.get(step.op),
    }
    return cast("payloads.Step", {name: value for name, value in data.items() if value or name == "index"})


@lru_cache(maxsize=8)
def stages(declared: tuple[Stage, ...], language: str) -> list[payloads.Stage]:
    """Stages of a page, with their words in one language."""
    words = words_in(language)
    return [
        {"title": words(title), "hint": words(hint), "matrices": names, "terms": terms_of(names)}
        for title, hint, names in declared
    ]


def _stages(example: Example, shown: Container[str], language: str) -> list[payloads.Stage]:
    """The stages of the computation, with the terms of the matrices that are shown; beside the mask what has to be
    said of it.
    """
    declared: list[payloads.Stage] = [
        {**stage, "terms": terms_of(name for name in stage["matrices"] if name in shown)}
        for stage in stages(STAGES if has_values(example) else STAGES_WITHOUT_VALUES, language)
    ]
    words = words_in(language)
    said = [words(template).format(**values) for template, values in mask_sentences(example)]
    if not said:
        return declared
    hint = LANGUAGE[language].between.join(said)
    return [
        {**stage, "hint": hint, "remark": True} if "mask" in stage["matrices"] else stage
        for stage in declared
    ]


def _labels(example: Example) -> dict[str, Sequence[str]]:
    """Names of queries and keys, and of their pairs where a matrix has a row for each."""
    keys = key_tokens(example)
    if example.scoring != "additive":
        return {"n_q": example.tokens, "n_k": keys}
    pairs = [f"{isolated(query)} → {isolated(key)}" for query in example.tokens for key in keys]
    return {"n_q": example.tokens, "n_k": keys, "n_q·n_k": pairs}


def matrices(trace: Trace, language: str) -> dict[str, payloads.Matrix]:
    """Every matrix of the example by name, in the order of the computation."""
    example, words = trace.example, words_in(language)
    above = captions(example)
    found: dict[str, payloads.Matrix] = {}
    for name in AXES:
        values, edit = _values(trace, name)
        if values is None:
            continue
        described: payloads.MatrixBase = {
            **above.get(name, {"symbol": caption(name, example), "formula": ""}),
            "word": words(NAMES[name]),
            "hue": ENTRY[name].role,
            "scale": ENTRY[name].colours,
            "axes": AXES[name],
        }
        matrix: payloads.Matrix
        if name in PER_HEAD:
            of_heads = cast("Sequence[payloads.Rows | None]", values)
            matrix = payloads.HeadMatrix(**described, perHead=True, edit=edit, values=of_heads)
        else:
            rows = cast("payloads.Rows", values)
            matrix = payloads.SharedMatrix(**described, perHead=False, edit=bool(edit), values=rows)
        if ENTRY[name].empty_rows:
            matrix["emptyRows"] = True
        if name == "head_mask" or (name in SHARED and example.kv_heads is not None):
            matrix["owners"] = [kv_head_of(example, name, head) for head in range(len(example.heads))]
        found[name] = matrix
    return found


def _values(
    trace: Trace, name: str
) -> tuple[payloads.Rows | Sequence[payloads.Rows | None] | None, bool | list[bool]]:
    """A matrix's numbers (a list over heads for what each head has its own of) and whether they may be edited."""
    example = trace.example
    if name == "mask":
        return _mask(example, None), True
    if name == "head_mask":
        heads = range(len(example.heads))
        masks = [_mask(example, head) if kv_head_of(example, name, head) == head else None for head in heads]
        return (masks if any(masks) else None), True
    if name in LAYER_INPUTS:
        return input_matrix(example, name), True
    if name in PER_HEAD_INPUTS:
        rows = [input_matrix(example, name, head) for head in range(len(example.heads))]
        return (rows if any(rows) else None), True
    values = trace.values.get(name)
    if name in HIDES and values is not None:
        values = [rows and [[_json(number) for number in row] for row in rows] for rows in values]
    if name not in PER_HEAD_STEPS:
        return values, False
    given = [getattr(head, name, None) is not None for head in example.heads]
    return values, (given if any(given) else False)


def _mask(example: Example, head: int | None) -> payloads.Rows | None:
    """A mask as its table shows it: true may attend, or the numbers that are added."""
    rows, adds = input_matrix(example, "mask" if head is None else "head_mask", head), adds_numbers(example)
    return rows and [[_json(cell) if adds else bool(cell) for cell in row] for row in rows]


def _json(number: float) -> float | str:
    return "-inf" if number == NEG_INF else number


def steps(example: Example) -> list[tuple[str, Step]]:
    """Each step once; of heads that differ in biases, the fuller form: the bench skips what a head lacks."""
    by_name: dict[str, Step] = {step.name: step for step in early_steps(example)}
    for head in example.heads:
        for step in head_graph(example, head):
            if step.name not in by_name or len(step.operands) > len(by_name[step.name].operands):
                by_name[step.name] = step
    layer = (step for step in graph(example) if not step.per_head)
    return [*by_name.items(), *((step.name, step) for step in layer if step.name not in by_name)]


def captions(example: Example) -> dict[str, payloads.Caption]:
    """By step, what stands above its table: its ``symbol`` ({h} in it is the number of a head), and its ``formula``.

    A step that only turns a sign needs no formula: its symbol says it.
    """
    return {
        name: {
            "symbol": caption(name, example),
            "formula": "" if OPERATIONS[step.op].is_sign else formula(step, example),
        }
        for name, step in steps(example)
    }


def caption(name: str, example: Example) -> str:
    """A matrix's symbol; {h} in it is the number of a head."""
    return symbol(name, example).replace("head_i", "head_{h}")


def constants(example: Example, names: Sequence[str] = _SETTINGS) -> dict[str, float | str | None]:
    """The layer's settings, as the arithmetic shows them: "-inf" for −∞, None for what there is not."""
    settings = {name: setting(example, name) for name in names}
    return {name: "-inf" if number == NEG_INF else number for name, number in settings.items()}
