"""``python -m mha_core``: trace, explain, check and export examples, and open layers of weight files, from a shell.

Exit status: 0; 1 where ``check`` found wrong numbers, and for nothing else; 2 for bad input, of ``check`` also a file
that claims nothing; 3 where the answer cannot be written, or something happened that nobody expected; 130 where it
was interrupted. Whatever is not 0 or 1 is told in one line on standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from pathlib import Path
from traceback import extract_tb
from typing import Any, NamedTuple, NoReturn

import torch

from mha_core.check.check import check
from mha_core.check.report import as_json, as_markdown
from mha_core.compute.derive import Cell, arithmetic, derive, feeds, number, step_of
from mha_core.compute.device import DEVICES, DTYPES, place
from mha_core.compute.graph import formula
from mha_core.compute.printed import claimed
from mha_core.compute.trace import Trace, trace
from mha_core.errors import N_, CellError, ExampleError, InteropError, MhaError
from mha_core.example.files import MAX_BYTES, parse, pretty
from mha_core.example.library import library
from mha_core.example.model import NEG_INF, Example, text_in
from mha_core.export import TARGETS, export
from mha_core.interop import KIND_NAMES, Layer, Slice, Weights, layers, open_layer, read_weights
from mha_core.interop.weights import MAX_BYTES as MAX_WEIGHTS
from mha_core.messages import catalogue, in_words, shell_language, speak_for_the_library
from mha_core.vocabulary import PER_HEAD_INPUTS, PER_HEAD_STEPS

WRONG_NUMBERS = 1
BAD_INPUT = 2
FAILED = 3
INTERRUPTED = 130

ARGPARSE = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("the following arguments are required: %s"),
    N_("unrecognized arguments: %s"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("expected one argument"),
    N_("ignored explicit argument %r"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("invalid %(type)s value: %(value)r"),
    N_("ambiguous option: %(option)s could match %(matches)s"),
)
"""What argparse says of itself, to be translated with the rest."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    # For matrices this small, threads that wait for each other take longer than one that computes, and many times
    # longer where other programs run beside.
    torch.set_num_threads(1)
    try:
        options = _parser().parse_args(arguments)
        command: Callable[[argparse.Namespace], object] = options.command
        answer = command(options)
        _print(answer)
    except _UnwritableError as error:
        _complain(in_words(error, shell_language()))
        return FAILED
    except MhaError as error:
        _complain(in_words(error, shell_language()))
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  # whatever it is, it must not look like wrong numbers
        _complain(_unexpected(error))
        return FAILED
    return WRONG_NUMBERS if isinstance(answer, _Report) and not answer.ok else 0


class _Report(NamedTuple):
    """What ``check`` prints, and whether nothing was wrong."""

    ok: bool
    content: object


class _UnwritableError(MhaError):
    """Standard output takes no answer."""


def _print(answer: object) -> None:
    content = answer.content if isinstance(answer, _Report) else answer
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, allow_nan=False)
    _write(text if text.endswith("\n") else text + "\n")


def _write(text: str) -> None:
    """Text in UTF-8 whatever the shell's encoding; no complaint where the reader, such as ``head``, left."""
    if sys.stdout is None:
        raise _unwritable(_say(_CLOSED))
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        if not isinstance(error, BrokenPipeError):
            raise _unwritable(error.strerror or str(error)) from None


def _unwritable(reason: str) -> _UnwritableError:
    return _UnwritableError(N_("standard output: cannot be written: {reason}"), reason=reason)


_CLOSED = N_("it is closed")


def _say(text: str) -> str:
    """A text of ours in the shell's language."""
    return catalogue(shell_language()).gettext(text)


def _complain(line: str) -> None:
    """One line on standard error, where there is one."""
    try:
        if sys.stderr is not None:
            print(line, file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _unexpected(error: Exception) -> str:
    """What to put into a report of the fault: what it was and where."""
    at = extract_tb(error.__traceback__)[-1]
    line = _say(N_("unexpected {error} in {file}, line {line}")).format(
        error=type(error).__name__, file=Path(at.filename).name, line=at.lineno
    )
    told = " ".join(str(error).split())
    return f"{line}: {told}" if told else line


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as for every other bad input."""
        _complain(f"{self.prog}: {message}")
        raise SystemExit(BAD_INPUT)

    def print_help(self, file: Any = None) -> None:
        """Help is an answer as any other."""
        if file is None:
            _write(self.format_help())
        else:
            super().print_help(file)


def _parser() -> argparse.ArgumentParser:
    speak_for_the_library()
    parser = _Parser(
        prog="python -m mha_core", description=_say(N_("Multi-head attention, every number of it."))
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Callable[[argparse.Namespace], object], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=_say(text), description=_say(text))
        sub.set_defaults(command=command)
        return sub

    example = _say(N_("a *.mha.json file, - for standard input"))
    from_0 = _say(N_("counted from 0"))
    for name, command, text in (
        ("trace", _trace, N_("Print every step of an example.")),
        ("explain", _explain, N_("Print what one cell is computed from, and what it feeds.")),
    ):
        sub = add(name, command, text)
        sub.add_argument("file", metavar="FILE", help=example)
        sub.add_argument("--device", choices=DEVICES, default="auto")
        sub.add_argument(
            "--dtype", choices=list(DTYPES), help=_say(N_("float64 if omitted; on mps float32 alone"))
        )
    sub.add_argument("--step", required=True, help=_say(N_("a step or input, such as weights or w_q")))
    sub.add_argument(
        "--head", type=int, help=_say(N_("counted from 0; omit for what the whole layer shares"))
    )
    sub.add_argument("--row", type=int, required=True, help=from_0)
    sub.add_argument("--col", type=int, required=True, help=from_0)
    sub = add("check", _check, N_("Check the claimed numbers of an example: which are wrong, and why."))
    sub.add_argument(
        "file", metavar="FILE", help=_say(N_("a *.mha.json file with claimed numbers, - for standard input"))
    )
    sub.add_argument(
        "--markdown", action="store_true", help=_say(N_("print a report to read instead of JSON"))
    )
    add("examples", _examples, N_("List the built-in examples."))
    sub = add(
        "export", _export, N_("Print code that asserts an example's numbers, or a document of every step.")
    )
    sub.add_argument("file", metavar="FILE", help=example)
    sub.add_argument("--to", required=True, choices=list(TARGETS))
    sub.add_argument(
        "--decimals",
        type=int,
        help=_say(N_("of the numbers that are told; what suits the target if omitted")),
    )
    sub = add("layers", _layers, N_("List the attention layers in a .pt or .safetensors file."))
    sub.add_argument("file", metavar="FILE", help=_say(_WEIGHT_FILE))
    _add_import(add("import", _import, N_("Print a slice of a layer in a weight file as an example.")))
    return parser


_WEIGHT_FILE = N_("a .pt file of a state dict, or a .safetensors file, - for standard input")


def _add_import(sub: argparse.ArgumentParser) -> None:
    def add(name: str, text: str, **options: Any) -> None:
        sub.add_argument(name, help=_say(text), **options)

    add("file", _WEIGHT_FILE, metavar="FILE")
    add("--layer", N_("its name, as layers prints it; the first if omitted"))
    add("--num-heads", N_("how many the layer has, where the file does not say it"), type=int)
    add("--heads", N_("which, in the order wanted, counted from 0, such as 0,3"), type=_indices, default=(0,))
    add("--d-model", N_("how many columns of X; at most 8 if omitted"), type=int)
    add("--d-head", N_("how many columns of each head; at most 4 if omitted"), type=int)
    add("--tokens", N_("how many rows of X to draw at random; 4 if omitted"), type=int)
    add("--seed", N_("of the random rows; 0 if omitted"), type=int)
    add("--inputs", N_("a matrix in the file whose rows are tokens, such as an embedding"))
    add("--rows", N_("which rows of it, counted from 0, such as 5,2,9"), type=_indices, default=())


def _indices(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(_say(N_("expected whole numbers such as 0,3"))) from None


def _bytes(file: str, most: int) -> bytes:
    """What a file, or standard input for ``-``, holds: no more than one byte beyond the limit is read."""
    try:
        if file != "-":
            with Path(file).open("rb") as stream:
                return stream.read(most + 1)
        if sys.stdin is not None:
            return sys.stdin.buffer.read(most + 1)
        reason = _say(_CLOSED)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
    raise ExampleError(N_("cannot be read: {reason}"), place=file, reason=reason)


def _read(file: str) -> Example:
    return parse(_bytes(file, MAX_BYTES))


def _weights(file: str) -> Weights:
    return read_weights(_bytes(file, MAX_WEIGHTS), "" if file == "-" else file)


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
    example, language = _read(options.file), shell_language()
    if not claimed(example):
        raise ExampleError(N_("there are no numbers to check"), place="claimed")
    verdict = check(example)
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
        for layer in layers(_weights(options.file))
    ]


def _import(options: argparse.Namespace) -> str:
    weights = _weights(options.file)
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
    return pretty(open_layer(weights, layer, part, options.num_heads))


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


if __name__ == "__main__":
    sys.exit(main())
