"""``python -m mha_core``: trace, explain, check and export examples, and open layers of weight files, from a shell."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from mha_core.check import check
from mha_core.derive import Cell, arithmetic, derive, feeds, number, step_of
from mha_core.device import DEVICES, DTYPES, place
from mha_core.errors import N_, CellError, ExampleError, InteropError, MhaError
from mha_core.example import NEG_INF, Example, text_in
from mha_core.export import TARGETS, export
from mha_core.files import MAX_BYTES, parse, pretty
from mha_core.graph import PER_HEAD_INPUTS, formula
from mha_core.interop import KIND_NAMES, Slice, layers, open_layer, read_weights_file
from mha_core.library import library
from mha_core.messages import in_words, shell_language
from mha_core.report import as_json, as_markdown
from mha_core.trace import Trace, trace
from mha_core.validate import PER_HEAD_STEPS

WRONG_NUMBERS = 1
BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], object] = options.command
    try:
        answer = command(options)
    except MhaError as error:
        print(in_words(error, shell_language()), file=sys.stderr)
        return BAD_INPUT
    _print(answer)
    return WRONG_NUMBERS if isinstance(answer, _Report) and not answer.ok else 0


class _Report(NamedTuple):
    """What ``check`` prints, and whether nothing was wrong."""

    ok: bool
    content: object


def _print(answer: object) -> None:
    """JSON (or text) in UTF-8 whatever the shell's encoding; no complaint where the reader, such as ``head``, left."""
    content = answer.content if isinstance(answer, _Report) else answer
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, allow_nan=False)
    text += "" if text.endswith("\n") else "\n"
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as for every other bad input."""
        print(f"{self.prog}: {message}", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m mha_core", description="Multi-head attention, every number of it.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Callable[[argparse.Namespace], object], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(command=command)
        return sub

    for name, command, text in (
        ("trace", _trace, "Print every step of an example."),
        ("explain", _explain, "Print what one cell is computed from, and what it feeds."),
    ):
        sub = add(name, command, text)
        sub.add_argument("file", metavar="FILE", help="a *.mha.json file, - for standard input")
        sub.add_argument("--device", choices=[d for d in DEVICES if d != "mps"], default="auto")
        sub.add_argument("--dtype", choices=list(DTYPES))
    sub.add_argument("--step", required=True, help="a step or input, such as weights or w_q")
    sub.add_argument("--head", type=int, help="counted from 0; omit for what the whole layer shares")
    sub.add_argument("--row", type=int, required=True, help="counted from 0")
    sub.add_argument("--col", type=int, required=True, help="counted from 0")
    sub = add("check", _check, "Check the claimed numbers of an example: which are wrong, and why.")
    sub.add_argument(
        "file", metavar="FILE", help="a *.mha.json file with claimed numbers, - for standard input"
    )
    sub.add_argument("--markdown", action="store_true", help="print a report to read instead of JSON")
    add("examples", _examples, "List the built-in examples.")
    sub = add("export", _export, "Print code that asserts an example's numbers, or a document of every step.")
    sub.add_argument("file", metavar="FILE", help="a *.mha.json file, - for standard input")
    sub.add_argument("--to", required=True, choices=list(TARGETS))
    sub.add_argument(
        "--decimals", type=int, help="of the numbers that are told; what suits the target if omitted"
    )
    sub = add("layers", _layers, "List the attention layers in a .pt or .safetensors file.")
    sub.add_argument("file", metavar="FILE", help="a .pt file of a state dict, or a .safetensors file")
    _add_import(add("import", _import, "Print a slice of a layer in a weight file as an example."))
    return parser


def _add_import(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("file", metavar="FILE", help="a .pt file of a state dict, or a .safetensors file")
    sub.add_argument("--layer", help="its name, as layers prints it; the first if omitted")
    sub.add_argument("--num-heads", type=int, help="how many the layer has, where the file does not say it")
    sub.add_argument("--heads", type=_indices, default=(0,), help="which, counted from 0, such as 0,3")
    sub.add_argument("--d-model", type=int, default=8, help="how many columns of X")
    sub.add_argument("--d-head", type=int, default=4, help="how many columns of each head")
    sub.add_argument("--tokens", type=int, default=4, help="how many rows of X to draw at random")
    sub.add_argument("--seed", type=int, default=0, help="of the random rows")
    sub.add_argument("--inputs", help="a matrix in the file whose rows are tokens, such as an embedding")
    sub.add_argument(
        "--rows", type=_indices, default=(), help="which rows of it, counted from 0, such as 5,2,9"
    )


def _indices(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError("expected whole numbers such as 0,3") from None


def _read(file: str) -> Example:
    """An example from a file, or from standard input for ``-``; no more than the format allows is read."""
    try:
        if file == "-":
            return parse(sys.stdin.buffer.read(MAX_BYTES + 1))
        with Path(file).open("rb") as stream:
            return parse(stream.read(MAX_BYTES + 1))
    except (OSError, ValueError) as error:
        if isinstance(error, MhaError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise ExampleError(N_("cannot be read: {reason}"), place=file, reason=reason) from None


def _traced(options: argparse.Namespace) -> Trace:
    return trace(_read(options.file), place(options.device, options.dtype))


def _trace(options: argparse.Namespace) -> object:
    computed = _traced(options)
    return {
        "format": "mha-trace/1",
        "device": computed.place.device,
        "dtype": computed.place.dtype,
        "steps": {name: _plain(rows) for name, rows in computed.values.items()},
    }


def _explain(options: argparse.Namespace) -> object:
    computed = _traced(options)
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
        return answer
    return answer | {
        "op": found.op,
        "formula": formula(step, computed.example),
        "terms": [
            {"cells": [_cell(c) for c in term.cells], "numbers": _plain(list(term.numbers))}
            for term in found.terms
        ],
        "constant": _plain(found.constant),
        "arithmetic": arithmetic(found),
    }


def _check(options: argparse.Namespace) -> object:
    verdict, language = check(_read(options.file)), shell_language()
    write = as_markdown if options.markdown else as_json
    return _Report(verdict.ok, write(verdict, language))


def _examples(_: argparse.Namespace) -> object:
    return [
        {
            "name": name,
            "title": {language: text_in(example.title, language) for language in ("en", "zh")},
            "note": {language: text_in(example.note, language) for language in ("en", "zh")},
        }
        for name, example in library().items()
    ]


def _export(options: argparse.Namespace) -> str:
    return export(_read(options.file), options.to, options.decimals, shell_language())


def _layers(options: argparse.Namespace) -> object:
    return [
        {
            "layer": layer.name,
            "kind": KIND_NAMES[layer.kind],
            "d_query": layer.d_query,
            "d_key": layer.d_key,
            "d_value": layer.d_value,
            "width": layer.width,
            "heads": layer.heads,
        }
        for layer in layers(read_weights_file(options.file))
    ]


def _import(options: argparse.Namespace) -> str:
    weights = read_weights_file(options.file)
    listed = {layer.name: layer for layer in layers(weights)}
    name = next(iter(listed)) if options.layer is None else options.layer
    if name not in listed:
        raise InteropError(N_("there is no layer named {name}"), name=repr(name[:100]))
    part = Slice(
        heads=options.heads,
        d_model=options.d_model,
        d_head=options.d_head,
        tokens=options.tokens,
        seed=options.seed,
        inputs=options.inputs,
        rows=options.rows,
    )
    return pretty(open_layer(weights, listed[name], part, options.num_heads))


def _cell(cell: Cell) -> dict[str, object]:
    return {"step": cell.name, "head": cell.head, "row": cell.row, "col": cell.col}


def _plain(value: Any) -> Any:
    """Numbers as JSON can hold them: −∞ as "-inf"."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return "-inf" if value == NEG_INF else value


if __name__ == "__main__":
    sys.exit(main())
