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

from mha_core import __version__, arguments
from mha_core.errors import N_, ExampleError, MhaError, Reason, placed
from mha_core.example.files import MAX_BYTES, parse, pretty
from mha_core.example.library import library
from mha_core.example.model import Example, text_in
from mha_core.example.puzzle_library import built_in_puzzle, built_in_puzzles
from mha_core.messages import LANGUAGES, complain, in_words, say, shell_language, translate_argparse

BAD_INPUT = 2
MAX_LINES = 1_000_000
"""Largest file of lines to learn, in bytes."""
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
        raise _unwritable(say(_CLOSED))
    if isinstance(content, bytes) and sys.stdout.isatty():
        raise _unwritable(say(_NO_TEXT))
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


def _unexpected(error: Exception) -> str:
    """A line for a bug report: the error and where it was raised."""
    at = extract_tb(error.__traceback__)[-1]
    line = say(N_("unexpected {error} in {file}, line {line}")).format(
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
        description=say(N_("Multi-head attention, down to the last number.")),
        epilog=_for_instance(prog, "trace first"),
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help=say(N_("show the version of this program and exit"))
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Command, text: str, instance: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(
            name, help=text, description=text, epilog=_for_instance(prog, f"{name} {instance}".rstrip())
        )
        sub.set_defaults(command=command)
        return sub

    _add_on_examples(add)
    add("examples", _examples, say(N_("List the built-in examples.")), "")
    sub = add(
        "puzzles", _puzzles, say(N_("List the built-in puzzles, or print one as an example file.")), "book"
    )
    name = say(N_("the puzzle's name; prints the list if omitted"))
    sub.add_argument("puzzle", metavar="PUZZLE", nargs="?", help=name)
    _add_on_weights(add)
    _add_on_models(add)
    text = N_(
        "List the tasks, or train a small model on one and print what it has learned. "
        "Settings that are omitted are the task's own."
    )
    arguments.add_train(add("train", _train, say(text), "induction --steps 600 --save run.safetensors"))
    if add_commands:
        add_commands(add)
    return parser


def _for_instance(prog: str, rest: str) -> str:
    return say(N_("For example: {command}")).format(command=f"{prog} {rest}")


def _add_on_examples(add: AddCommand) -> None:
    """The commands that read an example."""

    def on_example(name: str, text: str, instance: str) -> argparse.ArgumentParser:
        sub = add(name, partial(_compute, name, read_example), say(text), instance)
        arguments.add_example(sub)
        return sub

    arguments.add_backend(on_example("trace", N_("Print every step of an example."), "first"))
    sub = on_example(
        "explain",
        N_("Print what a number is computed from, and where it is used."),
        "first --step weights --head 1 --row 0 --col 2",
    )
    arguments.add_backend(sub)
    arguments.add_cell(sub)
    text = N_("Check the claimed numbers of an example: which are wrong, and why.")
    arguments.add_check(
        add("check", partial(_compute, "check", _read_each), say(text), "published --markdown")
    )
    text = N_("Print the marks of many files as CSV, or a course's gradebook with the marks filled in.")
    instance = "*.mha.json --follow-through half --gradebook grades.csv --column Attention"
    arguments.add_marks(add("marks", partial(_compute, "marks", _read_each), say(text), instance))
    text = N_("Print one exercise in many variants: as a question bank for a course, or on paper with a key.")
    arguments.add_bank(on_example("bank", text, "first --ask weights --variants 5 --to moodle"))
    text = N_("Read an article, a notebook or a page: its example, and every wrong number in it.")
    arguments.add_read(add("read", _read_text, say(text), "article.md --correct corrected.md"))
    text = N_("Print code that asserts an example's numbers, or a document of every step.")
    arguments.add_export(on_example("export", text, "first --to numpy"))


def _add_on_weights(add: AddCommand) -> None:
    """The commands that read a weight file."""

    def on_weights(name: str, text: str, instance: str) -> argparse.ArgumentParser:
        sub = add(name, partial(_compute, name, _reader), say(text), instance)
        arguments.add_weights(sub)
        return sub

    on_weights("layers", N_("List the attention layers of a saved model."), "model.safetensors")
    arguments.add_import(
        on_weights(
            "import",
            N_("Print part of a layer of a saved model as an example."),
            "model.safetensors --layer encoder.attn --num-heads 12 --heads 0,3",
        )
    )


def _add_on_models(add: AddCommand) -> None:
    """The command that sends a text through a model."""
    text = N_("List the trained models, or print what the heads of a model do with a text.")
    instance = 'own "The cat sat on the mat." --layer 0 --heads 1 --to example'
    arguments.add_models(add("models", _on_model, say(text), instance))


def _on_model(options: argparse.Namespace) -> Answer:
    from mha_core import commands

    return commands.run("models", None, options)


def _train(options: argparse.Namespace) -> Answer:
    lines = None if options.lines is None else _bytes(options.lines, MAX_LINES)
    from mha_core import commands

    return commands.run("train", lines, options)


def _bytes(file: str, most: int) -> bytes:
    """The content of a file, or of standard input for ``-``. At most one byte beyond the limit is read."""
    try:
        if file != "-":
            with Path(file).open("rb") as stream:
                return stream.read(most + 1)
        if sys.stdin is not None:
            return sys.stdin.buffer.read(most + 1)
        reason: str | Reason = say(_CLOSED)
    except (OSError, ValueError) as error:
        reason = Reason(error)
    raise ExampleError(N_("cannot be read: {reason}"), place=file, reason=reason)


def read_example(file: str) -> Example:
    """The example in a file, or the built-in one of that name where there is no such file."""
    if file != "-" and not Path(file).exists():
        if file in library():
            return library()[file]
        if file.endswith((".json", ".mha")) or Path(file).name != file:
            raise ExampleError(N_("there is no such file"), place=file)
        raise ExampleError(
            N_("there is no such file, and no such built-in example; the examples are: {known}"),
            place=file,
            known=", ".join(library()),
        )
    with placed("" if file == "-" else file):
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


def _read_text(options: argparse.Namespace) -> Answer:
    """Read a text. The file is read before torch is imported, so that one that is missing is refused at once."""
    from mha_core.read.formats import MAX_BYTES as MOST

    content = _bytes(options.file, MOST)
    from mha_core import commands

    return commands.run("read", content, options)


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
