"""``python -m mha_core``: trace, explain, check and export examples, and open layers of weight files, from a shell.

Exit status: 0 for success; 1 where ``check`` found wrong numbers, and for nothing else; 2 for bad input, including a
file without claims (``check``) and a port in use (``serve``); 3 where the output cannot be written, and for unexpected
errors; 130 after an interrupt. Every status except 0 and 1 comes with one line on standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from traceback import extract_tb
from typing import Any, NoReturn, TypeAlias

from mha_core import __version__
from mha_core.compute.device import DEVICES, DTYPES
from mha_core.errors import N_, ExampleError, MhaError, Reason
from mha_core.example.files import MAX_BYTES, parse, pretty
from mha_core.example.library import library
from mha_core.example.model import Example, text_in
from mha_core.example.puzzle_library import built_in_puzzle, built_in_puzzles
from mha_core.export import TARGETS
from mha_core.messages import LANGUAGES, catalogue, complain, in_words, shell_language, translate_argparse
from mha_core.vocabulary import STEPS

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
"""The messages of argparse itself, marked here so that they are translated with ours."""


Answer: TypeAlias = tuple[int, object]
"""The exit status and the output: text and bytes are written unchanged, None is nothing, anything else is JSON."""
Command: TypeAlias = Callable[[argparse.Namespace], Answer]
AddCommand: TypeAlias = Callable[[str, Command, str, str], argparse.ArgumentParser]
"""Adds a command: its name, its function, a sentence about it, and example arguments."""


def main(
    arguments: Sequence[str] | None = None,
    *,
    prog: str = "python -m mha_core",
    add_commands: Callable[[AddCommand], None] | None = None,
) -> int:
    """Run one command; returns the exit status. ``add_commands`` adds commands from outside the core."""
    warnings.filterwarnings("ignore", "Failed to initialize NumPy")  # torch's; no command needs NumPy
    try:
        options = _parser(prog, add_commands).parse_args(arguments)
        status, content = options.command(options)
        if content is not None:
            _print(content)
    except _UnwritableError as error:
        complain(in_words(error, shell_language()))
        return FAILED
    except MhaError as error:
        complain(in_words(error, shell_language()))
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  # whatever it is, it must not look like wrong numbers
        complain(_unexpected(error))
        return FAILED
    return int(status)


class _UnwritableError(MhaError):
    """Standard output cannot be written."""


def _print(content: object) -> None:
    if isinstance(content, bytes):
        _write(content)
        return
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, allow_nan=False)
    _write(text if text.endswith("\n") else text + "\n")


def _write(content: str | bytes) -> None:
    """Write text as UTF-8, whatever the shell's encoding, or bytes unchanged.

    Bytes are not written to a terminal. It is no error if the reader, such as ``head``, has quit.
    """
    if sys.stdout is None:
        raise _unwritable(_say(_CLOSED))
    if isinstance(content, bytes) and sys.stdout.isatty():
        raise _unwritable(_say(_NO_TEXT))
    try:
        sys.stdout.buffer.write(content.encode() if isinstance(content, str) else content)
        sys.stdout.buffer.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        if not isinstance(error, BrokenPipeError):
            raise _unwritable(Reason(error)) from None


def _unwritable(reason: str | Reason) -> _UnwritableError:
    return _UnwritableError(N_("standard output: cannot write: {reason}"), reason=reason)


_CLOSED = N_("it is closed")
_NO_TEXT = N_("it is a terminal, and the output is not text; write it to a file with > FILE")


def _say(text: str) -> str:
    """A text of ours in the shell's language."""
    return catalogue(shell_language()).gettext(text)


def _unexpected(error: Exception) -> str:
    """A line for a bug report: the error and where it was raised."""
    at = extract_tb(error.__traceback__)[-1]
    line = _say(N_("unexpected {error} in {file}, line {line}")).format(
        error=type(error).__name__, file=Path(at.filename).name, line=at.lineno
    )
    message = " ".join(str(error).split())
    return f"{line}: {message}" if message else line


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as for every other bad input."""
        complain(f"{self.prog}: {message}")
        raise SystemExit(BAD_INPUT)

    def print_help(self, file: Any = None) -> None:
        """Write help the way every other output is written."""
        if file is None:
            _write(self.format_help())
        else:
            super().print_help(file)


class _Version(argparse.Action):
    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Write the version the way every other output is written."""
        _write(f"mha {__version__}\n")
        raise SystemExit(0)


def _parser(prog: str, add_commands: Callable[[AddCommand], None] | None) -> argparse.ArgumentParser:
    translate_argparse()
    parser = _Parser(
        prog=prog,
        description=_say(N_("Multi-head attention, down to the last number.")),
        epilog=_for_instance(prog, "trace first"),
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help=_say(N_("show the version of this program and exit"))
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Command, text: str, instance: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(
            name, help=text, description=text, epilog=_for_instance(prog, f"{name} {instance}".rstrip())
        )
        sub.set_defaults(command=command)
        return sub

    _add_on_examples(add)
    add("examples", _examples, _say(N_("List the built-in examples.")), "")
    sub = add(
        "puzzles", _puzzles, _say(N_("List the built-in puzzles, or print one as an example file.")), "book"
    )
    name = _say(N_("the puzzle's name; prints the list if omitted"))
    sub.add_argument("puzzle", metavar="PUZZLE", nargs="?", help=name)
    _add_on_weights(add)
    _add_on_models(add)
    if add_commands:
        add_commands(add)
    return parser


def _for_instance(prog: str, rest: str) -> str:
    return _say(N_("For example: {command}")).format(command=f"{prog} {rest}")


def _add_on_examples(add: AddCommand) -> None:
    """The commands that read an example."""

    def on_example(name: str, text: str, instance: str, file: str = EXAMPLE_FILE) -> argparse.ArgumentParser:
        sub = add(name, partial(_compute, name, read_example), _say(text), instance)
        sub.add_argument("file", metavar="FILE", help=_say(file))
        return sub

    def on_device(sub: argparse.ArgumentParser) -> None:
        device = _say(N_("the device torch runs on; a GPU if there is one if omitted"))
        sub.add_argument("--device", choices=DEVICES, default="auto", help=device)
        dtype = _say(N_("float64 if omitted; only float32 on mps"))
        sub.add_argument("--dtype", choices=DTYPES, help=dtype)

    on_device(on_example("trace", N_("Print every step of an example."), "first"))
    sub = on_example(
        "explain",
        N_("Print what a number is computed from, and where it is used."),
        "first --step weights --head 1 --row 0 --col 2",
    )
    on_device(sub)
    steps = _say(N_("an input, such as w_q, or a step: {steps}")).format(steps=", ".join(STEPS))
    sub.add_argument("--step", required=True, help=steps)
    sub.add_argument(
        "--head", type=int, help=_say(N_("counted from 0; omit it for matrices that the whole layer shares"))
    )
    from_0 = _say(N_("counted from 0"))
    sub.add_argument("--row", type=int, required=True, help=from_0)
    sub.add_argument("--col", type=int, required=True, help=from_0)
    text = _say(N_("Check the claimed numbers of an example: which are wrong, and why."))
    sub = add("check", partial(_compute, "check", _read_each), text, "published --markdown")
    claimed = N_("a *.mha.json file with claimed numbers, a built-in example's name, - for standard input")
    sub.add_argument("file", metavar="FILE", nargs="+", help=_say(claimed))
    sub.add_argument(
        "--markdown", action="store_true", help=_say(N_("print a readable report instead of JSON"))
    )
    table = _say(N_("print one row per file as CSV: the first wrong number and its cause"))
    sub.add_argument("--table", action="store_true", help=table)
    sub = on_example(
        "export",
        N_("Print code that asserts an example's numbers, or a document of every step."),
        "first --to numpy",
    )
    sub.add_argument("--to", required=True, choices=list(TARGETS))
    sub.add_argument(
        "--decimals",
        type=int,
        help=_say(N_("decimals of the numbers; the target's default if omitted")),
    )


EXAMPLE_FILE = N_("a *.mha.json file, a built-in example's name, - for standard input")
_WEIGHT_FILE = N_(
    "a .pt or .safetensors file, a saved model's folder or the index of its files, - for standard input"
)


def _add_on_weights(add_command: AddCommand) -> None:
    """The commands that read a weight file."""

    def on_weights(name: str, text: str, instance: str) -> argparse.ArgumentParser:
        sub = add_command(name, partial(_compute, name, _reader), _say(text), instance)
        sub.add_argument("file", metavar="FILE", help=_say(_WEIGHT_FILE))
        return sub

    on_weights(
        "layers",
        N_("List the attention layers of a saved model."),
        "model.safetensors",
    )
    sub = on_weights(
        "import",
        N_("Print part of a layer of a saved model as an example."),
        "model.safetensors --layer encoder.attn --num-heads 12 --heads 0,3",
    )

    def add(name: str, text: str, **options: Any) -> None:
        sub.add_argument(name, help=_say(text), **options)

    add("--layer", N_("the layer's name, as printed by layers; the first layer if omitted"))
    add(
        "--num-heads",
        N_("the number of heads in the layer, if neither the file nor its config.json says it"),
        type=int,
    )
    add(
        "--heads",
        N_("which heads, in the desired order, counted from 0, such as 0,3; head 0 if omitted"),
        type=_indices,
    )
    add("--whole", N_("the whole layer: all heads with all their columns"), action="store_true")
    add("--adapter", N_("a LoRA adapter of the model, saved by PEFT: its folder or file"))
    add("--d-model", N_("how many columns of X; at most 8 if omitted"), type=int)
    add("--d-head", N_("how many columns of each head; at most 4 if omitted"), type=int)
    add("--tokens", N_("how many rows of X to draw at random; 4 if omitted"), type=int)
    add("--seed", N_("seed of the random rows; 0 if omitted"), type=int)
    add("--inputs", N_("a matrix in the file whose rows are tokens, such as an embedding"))
    add(
        "--x",
        N_(
            "a .safetensors, .pt or .npy file with the layer's real input, of any width: the example starts "
            "from Q, K and V, computed with all columns"
        ),
        metavar="FILE",
    )
    add("--rows", N_("which of its rows, counted from 0, such as 5,2,9"), type=_indices, default=())
    add(
        "--leave-out",
        N_(
            "open the layer without the tensors and settings that an example cannot represent; "
            "the note names them"
        ),
        action="store_true",
    )


def _add_on_models(add_command: AddCommand) -> None:
    """The command that sends a text through a model."""
    sub = add_command(
        "models",
        _on_model,
        _say(N_("List the trained models, or print what the heads of a model do with a text.")),
        'own "The cat sat on the mat." --layer 0 --heads 1 --to example',
    )

    def add(name: str, text: str, **options: Any) -> None:
        sub.add_argument(name, help=_say(text), **options)

    add(
        "model", N_("the model's name, or its folder; prints the list if omitted"), metavar="MODEL", nargs="?"
    )
    add("text", N_("the text for the model to read"), metavar="TEXT", nargs="?")
    add_model_options(sub)
    add("--pair", N_("a second sentence, for models that read two"))
    add("--generate", N_("continue the text by so many tokens, and print what each step did"), type=int)
    add("--layer", N_("the layer whose weights to print, counted from 0; none if omitted"), type=int)
    add(
        "--heads",
        N_("which heads of the layer, in the desired order, counted from 0, such as 0,3; all if omitted"),
        type=_indices,
    )
    add(
        "--to",
        N_("JSON if omitted, or an example file with heads of one layer"),
        choices=("json", "example"),
        default="json",
    )


def add_model_options(sub: argparse.ArgumentParser) -> None:
    """Which heads of a model are switched off, and which part of it is shown."""
    off = N_(
        "a head that is switched off, such as 0.3 for head 3 of layer 0, counted from 0; may be repeated"
    )
    sub.add_argument(
        "--without", metavar="LAYER.HEAD", type=_head, action="append", default=[], help=_say(off)
    )
    part = N_("of a folder with an encoder and a decoder, the one to show; the encoder if omitted")
    sub.add_argument("--part", choices=("encoder", "decoder"), default="encoder", help=_say(part))


def _head(text: str) -> tuple[int, int]:
    layer, _, head = text.partition(".")
    try:
        return int(layer), int(head)
    except ValueError:
        raise argparse.ArgumentTypeError(_say(N_("expected a layer and a head such as 0.3"))) from None


def _on_model(options: argparse.Namespace) -> Answer:
    from mha_core import commands

    return commands.run("models", None, options)


def _indices(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(_say(N_("expected whole numbers such as 0,3"))) from None


def _bytes(file: str, most: int) -> bytes:
    """The content of a file, or of standard input for ``-``. At most one byte beyond the limit is read."""
    try:
        if file != "-":
            with Path(file).open("rb") as stream:
                return stream.read(most + 1)
        if sys.stdin is not None:
            return sys.stdin.buffer.read(most + 1)
        reason: str | Reason = _say(_CLOSED)
    except (OSError, ValueError) as error:
        reason = Reason(error)
    raise ExampleError(N_("cannot be read: {reason}"), place=file, reason=reason)


def read_example(file: str) -> Example:
    """The example in a file, or the built-in one of that name where there is no such file."""
    if file in library() and not Path(file).exists():
        return library()[file]
    return parse(_bytes(file, MAX_BYTES))


def _read_each(files: Sequence[str]) -> list[tuple[str, Example | MhaError]]:
    """Each file's name with its example, or with the error where the file has none."""
    examples: list[tuple[str, Example | MhaError]] = []
    for file in files:
        try:
            examples.append((file, read_example(file)))
        except MhaError as error:
            examples.append((file, error))
    return examples


def _reader(file: str) -> Callable[[int], bytes]:
    """Reads the weight file later, by the code that knows the size limit."""
    return partial(_bytes, file)


def _compute(name: str, read: Callable[[Any], object], options: argparse.Namespace) -> Answer:
    """Run a command that needs torch. The import comes after reading, so that bad input is refused at once."""
    given = read(options.file)
    from mha_core import commands

    return commands.run(name, given, options)


def _examples(_: argparse.Namespace) -> Answer:
    return 0, [{"name": name, **_texts(example)} for name, example in library().items()]


def _puzzles(options: argparse.Namespace) -> Answer:
    if options.puzzle is not None:
        return 0, pretty(built_in_puzzle(options.puzzle))
    return 0, [
        {"name": key, "stage": example.puzzle and example.puzzle.stage, **_texts(example)}
        for key, example in built_in_puzzles().items()
    ]


def _texts(example: Example) -> dict[str, dict[str, str]]:
    """The title and the note in each language."""
    texts = {"title": example.title, "note": example.note}
    return {
        name: {language: text_in(text, language) for language in LANGUAGES} for name, text in texts.items()
    }


if __name__ == "__main__":
    sys.exit(main())
