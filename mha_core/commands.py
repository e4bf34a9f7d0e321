"""What the commands of the command line compute. ``__main__`` imports this, and torch with it, when one is run.

A command takes what was read for it and the options, and answers with an exit status and what is to be printed.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from heapq import nlargest
from typing import Any, Final, TypeAlias

import torch

from mha_core.check.check import check
from mha_core.check.report import as_json, as_markdown
from mha_core.compute.derive import Cell, arithmetic, derive, feeds, number, step_of
from mha_core.compute.device import backend
from mha_core.compute.graph import formula
from mha_core.compute.printed import claimed
from mha_core.compute.trace import Trace, trace
from mha_core.errors import N_, CellError, ExampleError, InteropError
from mha_core.example.files import pretty
from mha_core.example.model import NEG_INF, Example
from mha_core.export import export
from mha_core.interop import KIND_NAMES, Layer, Slice, Weights, layers, open_layer, read_weights
from mha_core.interop.weights import MAX_BYTES
from mha_core.messages import shell_language
from mha_core.vocabulary import PER_HEAD_INPUTS, PER_HEAD_STEPS

WRONG_NUMBERS: Final = 1

Answer: TypeAlias = tuple[int, object]
"""The exit status, and what is printed: text as it stands, anything else as JSON."""
ReadBytes: TypeAlias = Callable[[int], bytes]
"""Reads a file, of at most so many bytes and one more."""


def run(name: str, given: Any, options: Namespace) -> Answer:
    """One command by its name, on the example, or the reader of a weight file, that it was given."""
    # For matrices this small, threads that wait for each other take longer than one that computes, and many times
    # longer where other programs run beside.
    torch.set_num_threads(1)
    return _COMMANDS[name](given, options)


def _traced(example: Example, options: Namespace) -> Trace:
    return trace(example, backend(options.device, options.dtype))


def _trace(example: Example, options: Namespace) -> Answer:
    computed = _traced(example, options)
    return 0, {
        "format": "mha-trace/1",
        "device": computed.backend.device,
        "dtype": computed.backend.dtype,
        "steps": {name: _plain(rows) for name, rows in computed.values.items()},
    }


def _explain(example: Example, options: Namespace) -> Answer:
    computed = _traced(example, options)
    cell = Cell(options.step, options.head, options.row, options.col)
    if (
        cell.head is None
        and len(computed.example.heads) == 1
        and cell.name in PER_HEAD_STEPS + PER_HEAD_INPUTS
    ):
        cell = cell._replace(head=0)
    fed = [_cell(found) for found in feeds(computed, cell)]
    answer = {
        "format": "mha-explain/1",
        "cell": _cell(cell),
        "feeds": fed,
        "value": _plain(number(computed, cell)),
    }
    try:
        step, found = step_of(computed, cell), derive(computed, cell)
    except CellError:  # the cell is there, since it has a number: it is given, not computed
        return 0, answer
    return 0, answer | {
        "op": found.op,
        "formula": formula(step, computed.example),
        "terms": [
            {"cells": [_cell(c) for c in term.cells], "numbers": _plain(list(term.numbers))}
            for term in found.terms
        ],
        "constant": _plain(found.constant),
        "arithmetic": arithmetic(found),
    }


def _check(example: Example, options: Namespace) -> Answer:
    if not claimed(example):
        raise ExampleError(N_("there are no numbers to check"), place="claimed")
    verdict = check(example)
    write = as_markdown if options.markdown else as_json
    return 0 if verdict.ok else WRONG_NUMBERS, write(verdict, shell_language())


def _export(example: Example, options: Namespace) -> Answer:
    return 0, export(example, options.to, options.decimals, shell_language())


def _layers(read: ReadBytes, options: Namespace) -> Answer:
    return 0, [
        {
            "layer": layer.name,
            "kind": KIND_NAMES[layer.kind],
            "d_query": layer.d_query,
            "d_key": layer.d_key,
            "d_value": layer.d_value,
            "width": layer.width,
            "heads": layer.heads,
        }
        for layer in layers(_weights(read, options))
    ]


def _import(read: ReadBytes, options: Namespace) -> Answer:
    weights = _weights(read, options)
    layer = _named(layers(weights), options.layer)
    drawn = {name: given for name in ("tokens", "seed") if (given := getattr(options, name)) is not None}
    if drawn and options.inputs is not None and layer.attends_to_itself:
        raise InteropError(
            N_("the rows of inputs are the tokens; none are drawn at random"), place=next(iter(drawn))
        )
    part = Slice(
        heads=options.heads,
        d_model=options.d_model,
        d_head=options.d_head,
        inputs=options.inputs,
        rows=options.rows,
        **drawn,
    )
    return 0, pretty(open_layer(weights, layer, part, options.num_heads))


def _weights(read: ReadBytes, options: Namespace) -> Weights:
    """The weights in a file, whose name may tell its kind; standard input has no name."""
    return read_weights(read(MAX_BYTES), "" if options.file == "-" else options.file)


def _named(found: Iterable[Layer], name: str | None) -> Layer:
    """The layer of this name, its last dot or slash left out or not; the first where no name is given."""
    listed = {layer.name: layer for layer in found}
    if name is None:
        return next(iter(listed.values()))
    if name in listed:
        return listed[name]
    alike = [layer for known, layer in listed.items() if known.rstrip("./") == name.rstrip("./")]
    if len(alike) == 1:
        return alike[0]
    near = nlargest(3, listed, key=lambda known: SequenceMatcher(None, known[:100], name[:100]).ratio())
    raise InteropError(
        N_("there is no layer named {name}; the nearest names are {near}"),
        name=repr(name[:100]),
        near=", ".join(map(repr, near)),
    )


def _cell(cell: Cell) -> dict[str, object]:
    return {"step": cell.name, "head": cell.head, "row": cell.row, "col": cell.col}


def _plain(value: Any) -> Any:
    """Numbers as JSON can hold them: −∞ as "-inf"."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return "-inf" if value == NEG_INF else value


_COMMANDS: Final[dict[str, Callable[[Any, Namespace], Answer]]] = {
    "trace": _trace,
    "explain": _explain,
    "check": _check,
    "export": _export,
    "layers": _layers,
    "import": _import,
}
