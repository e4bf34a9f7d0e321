"""The arguments and options of each command, with their help in the shell's language. Nothing here needs torch."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction
from collections.abc import Sequence
from typing import Any, Final

from mha_core.bank import FORMATS
from mha_core.compute.device import DEVICES, DTYPES
from mha_core.errors import N_
from mha_core.export import TARGETS
from mha_core.marks.scheme import SHARES
from mha_core.messages import LANGUAGES, say
from mha_core.vocabulary import STEPS

EXAMPLE_FILE = N_("a *.mha.json file, a built-in example's name, - for standard input")
_WEIGHT_FILE = N_(
    "a .pt or .safetensors file, a saved model's folder or the index of its files, - for standard input"
)


def add_example(sub: ArgumentParser) -> None:
    """The example that a command reads."""
    sub.add_argument("file", metavar="FILE", help=say(EXAMPLE_FILE))


def add_backend(sub: ArgumentParser) -> None:
    """Where torch computes, and how exactly."""
    device = say(N_("the device torch runs on; a GPU if there is one if omitted"))
    sub.add_argument("--device", choices=DEVICES, default="auto", help=device)
    dtype = say(N_("float64 if omitted; only float32 on mps"))
    sub.add_argument("--dtype", choices=DTYPES, help=dtype)


def add_cell(sub: ArgumentParser) -> None:
    """One cell of an example."""
    steps = say(N_("an input, such as w_q, or a step: {steps}")).format(steps=", ".join(STEPS))
    sub.add_argument("--step", required=True, help=steps)
    sub.add_argument(
        "--head", type=int, help=say(N_("counted from 0; omit it for matrices that the whole layer shares"))
    )
    from_0 = say(N_("counted from 0"))
    sub.add_argument("--row", type=int, required=True, help=from_0)
    sub.add_argument("--col", type=int, required=True, help=from_0)


def add_check(sub: ArgumentParser) -> None:
    """The files to check, and how to report on them."""
    claimed = N_("a *.mha.json file with claimed numbers, a built-in example's name, - for standard input")
    sub.add_argument("file", metavar="FILE", nargs="+", help=say(claimed))
    sub.add_argument(
        "--markdown", action="store_true", help=say(N_("print a readable report instead of JSON"))
    )
    table = say(N_("print one row per file as CSV: the first wrong number and its cause"))
    sub.add_argument("--table", action="store_true", help=table)


def add_marks(sub: ArgumentParser) -> None:
    """The files to mark, the scheme, and a gradebook to fill in."""

    def add(name: str, text: str, **options: Any) -> None:
        sub.add_argument(name, help=say(text), **options)

    add("file", N_("the *.mha.json files that students handed in"), metavar="FILE", nargs="+")
    points = N_(
        "the points of a whole step, such as scores=4; may be repeated; one for each number if omitted"
    )
    add("--points", points, metavar="STEP=POINTS", action="append", default=[])
    follows = N_("what a number counts that is right from the student's own earlier numbers; full if omitted")
    add("--follow-through", follows, choices=SHARES, default="full")
    shown = N_("what a right number counts whose answer the page has shown; none if omitted")
    add("--answers-shown", shown, choices=SHARES, default="none")
    add("--out-of", N_("the best mark, to which all are scaled"), type=float, metavar="POINTS")
    book = N_("a gradebook of Moodle or Canvas as CSV: it is printed with the marks in one column")
    add("--gradebook", book, metavar="FILE")
    add("--column", N_("the column to fill in; it is added if the gradebook does not have it"))


def add_bank(sub: ArgumentParser) -> None:
    """The example to vary, what to ask, and the format."""

    def add(name: str, text: str, **options: Any) -> None:
        sub.add_argument(name, help=say(text), **options)

    asked = N_(
        "the steps to ask for, such as weights,head_outputs; those of the file, or its last two, if omitted"
    )
    add("--ask", asked, metavar="STEPS")
    add("--variants", N_("how many, each with numbers of its own; 10 if omitted"), type=int, default=10)
    add(
        "--seed",
        N_("the seed of the first variant; the others count on from it; 1 if omitted"),
        type=int,
        default=1,
    )
    add("--to", N_("the format; moodle if omitted"), choices=FORMATS, default="moodle")
    add("--lang", N_("the language of the questions; the shell's if omitted"), choices=LANGUAGES)


def add_read(sub: ArgumentParser) -> None:
    """The text to read, and what to write."""
    file = N_("a .md, .tex, .html, .ipynb, .txt, .py or .pdf file, - for standard input")
    sub.add_argument("file", metavar="FILE", help=say(file))
    sub.add_argument("--json", action="store_true", help=say(N_("print data instead of a readable report")))
    correct = N_("write a copy of the text with every wrong number replaced by the right one")
    sub.add_argument("--correct", metavar="OUT", help=say(correct))


def add_export(sub: ArgumentParser) -> None:
    """What to export to."""
    sub.add_argument("--to", required=True, choices=list(TARGETS))
    decimals = say(N_("decimals of the numbers; the target's default if omitted"))
    sub.add_argument("--decimals", type=int, help=decimals)


def add_weights(sub: ArgumentParser) -> None:
    """The saved model that a command reads."""
    sub.add_argument("file", metavar="FILE", help=say(_WEIGHT_FILE))


def add_import(sub: ArgumentParser) -> None:
    """Which part of a saved model becomes an example."""

    def add(name: str, text: str, **options: Any) -> None:
        sub.add_argument(name, help=say(text), **options)

    add(
        "--layer",
        N_(
            "the layer's name, as printed by layers, or its number there, counted from 0; the first layer if omitted"
        ),
    )
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
    add("--whole", N_("all columns of all heads, or of those of --heads"), action="store_true")
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


def add_models(sub: ArgumentParser) -> None:
    """A model, a text, and what to print of them."""

    def add(name: str, text: str, **options: Any) -> None:
        sub.add_argument(name, help=say(text), **options)

    add(
        "model", N_("the model's name, or its folder; prints the list if omitted"), metavar="MODEL", nargs="?"
    )
    add("text", N_("the text for the model to read"), metavar="TEXT", nargs="?")
    add_model_options(sub, ("encoder", "decoder", "cross"))
    add("--source", N_("the text that the encoder reads beside a decoder; the same text if omitted"))
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


def add_train(sub: ArgumentParser) -> None:
    """A task, the settings that differ from its own, and what to do with the training."""

    def add(name: str, text: str, **options: Any) -> None:
        sub.add_argument(name, help=say(text), **options)

    add("task", N_("the task to learn; prints the list if omitted"), metavar="TASK", nargs="?")
    add("--steps", N_("how many steps; the task's own number if omitted"), type=int)
    for name, (kind, text) in TRAIN_SETTINGS.items():
        option: dict[str, Any] = {"action": BooleanOptionalAction} if kind is bool else {"type": kind}
        if isinstance(kind, tuple):
            option = {"choices": kind}
        add(f"--{name.replace('_', '-')}", text, **option)
    add(
        "--lines",
        N_("a text file with lines of your own to learn: a source, a tab or →, and a target"),
        metavar="FILE",
    )
    add("--go-on", N_("a saved training to go on with, instead of a task"), metavar="FILE")
    add("--save", N_("where to save the training, a .safetensors file"), metavar="FILE")


TRAIN_SETTINGS: Final[dict[str, tuple[Any, str]]] = {
    "architecture": (
        ("decoder", "encoder-decoder"),
        N_("a decoder that reads source and target as one text, or an encoder for the source before it"),
    ),
    "layers": (int, N_("layers, 1 or 2")),
    "heads": (int, N_("heads of each layer, 1 to 4")),
    "d_model": (int, N_("columns of X, 16 to 64, a multiple of the heads")),
    "feed_forward": (bool, N_("whether each layer has a feed-forward part")),
    "positions": (
        ("relative", "absolute", "both"),
        N_(
            "what the model learns for the order: a number for each distance, a vector for each position, or both"
        ),
    ),
    "optimizer": (("adam", "sgd"), N_("how a step uses the gradient")),
    "rate": (float, N_("the learning rate")),
    "weight_decay": (float, N_("by which part of themselves, times the rate, weights shrink in each step")),
    "dropout": (float, N_("the share of numbers that are set to 0 in each step, drawn with the seed")),
    "batch": (int, N_("lines in a step")),
    "seed": (int, N_("the seed of everything that is drawn")),
}
"""The settings of a training: the type of each, or its choices, and what it is."""


def add_model_options(sub: ArgumentParser, parts: Sequence[str] = ("encoder", "decoder")) -> None:
    """Which heads of a model are switched off, and which part of it is shown."""
    off = N_(
        "a head that is switched off, such as 0.3 for head 3 of layer 0, counted from 0 as in Python (the page counts "
        "layers and heads from 1); may be repeated"
    )
    sub.add_argument(
        "--without", metavar="LAYER.HEAD", type=_head, action="append", default=[], help=say(off)
    )
    part = N_("of a folder with an encoder and a decoder, what to show; the encoder if omitted")
    sub.add_argument("--part", choices=parts, default="encoder", help=say(part))


def _head(text: str) -> tuple[int, int]:
    layer, _, head = text.partition(".")
    try:
        return int(layer), int(head)
    except ValueError:
        raise ArgumentTypeError(say(N_("expected a layer and a head such as 0.3"))) from None


def _indices(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ArgumentTypeError(say(N_("expected whole numbers such as 0,3"))) from None
