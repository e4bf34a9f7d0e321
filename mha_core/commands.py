"""The commands of the command line. ``__main__`` imports this module, and torch with it, when a command is run.

A command takes its input and the options, and returns an exit status and the output.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import torch

from mha_core.answers import checked, explained, traced
from mha_core.arguments import TRAIN_SETTINGS
from mha_core.bank.variants import variants
from mha_core.bank.write import written
from mha_core.check.check import check
from mha_core.check.outcome import Verdict
from mha_core.check.report import as_json, as_markdown
from mha_core.check.table import as_csv, solution
from mha_core.compute.derive import Cell
from mha_core.compute.device import Backend, backend
from mha_core.errors import (
    N_,
    ExampleError,
    InteropError,
    MhaError,
    ModelError,
    ReadError,
    Reason,
    TrainError,
    placed,
)
from mha_core.example.files import pretty
from mha_core.example.model import Example
from mha_core.exercise.exercise import usually_asked
from mha_core.export import export
from mha_core.interop import (
    KIND_NAMES,
    Layer,
    Slice,
    Weights,
    config_beside,
    layers,
    merge_adapter,
    open_layer,
    read_adapter,
    read_model,
    read_rows,
    read_weights,
)
from mha_core.interop.running.lookup import counted
from mha_core.interop.saved.weights import MAX_BYTES
from mha_core.marks.gradebook import fill, read_gradebook
from mha_core.marks.marks import paper
from mha_core.marks.scheme import SHARES, Scheme, points_of
from mha_core.marks.table import as_csv as marks_as_csv
from mha_core.messages import catalogue, complain, in_words, say, shell_language
from mha_core.models import AnyRun, ForeignModel, cards, load, to_example, tokenize
from mha_core.models import run as run_model
from mha_core.models.generation import as_json as generated_as_json
from mha_core.models.library import card_of
from mha_core.models.report import heads_as_json
from mha_core.quoted import quoted, similar
from mha_core.read.report import NOTHING_TO_CHECK, Article, as_text, read_article
from mha_core.read.report import as_json as article_as_json
from mha_core.train import Training, open_training, own_lines, task_of
from mha_core.train import save as save_training
from mha_core.train.lines import decoded_lines
from mha_core.train.report import as_json as training_as_json
from mha_core.train.report import progress, task_list
from mha_core.train.settings import MOST_STEPS
from mha_core.train.tasks import OWN_LINES

WRONG_NUMBERS: Final = 1
BAD_INPUT: Final = 2

Answer: TypeAlias = tuple[int, object]
"""The exit status and the output: text is printed unchanged, anything else as JSON."""
ReadBytes: TypeAlias = Callable[[int], bytes]
"""Reads a file: at most one byte more than the given number."""


def run(name: str, given: Any, options: Namespace) -> Answer:
    """Run a command by its name; ``given`` is an example, or the reader of a weight file."""
    # With matrices this small, threads spend more time waiting for each other than computing, and many times more
    # while other programs run.
    torch.set_num_threads(1)
    return _COMMANDS[name](given, options)


def _trace(example: Example, options: Namespace) -> Answer:
    return 0, traced(example, _backend(options))


def _explain(example: Example, options: Namespace) -> Answer:
    cell = Cell(options.step, options.head, options.row, options.col)
    return 0, explained(example, cell, _backend(options))


def _check(given: Sequence[tuple[str, Example | MhaError]], options: Namespace) -> Answer:
    """Check one file or many: 1 where any has wrong numbers, 2 where any cannot be checked.

    Of several files, those that cannot be checked are named on standard error, and the others are still reported.
    """
    outcomes = [(file, _verdict(example)) for file, example in given]
    status = max(_status(outcome) for _, outcome in outcomes)
    if options.table:
        language = shell_language()
        return status, as_csv([solution(file, verdict, language) for file, verdict in outcomes], language)
    verdicts = []
    for file, outcome in outcomes:
        if isinstance(outcome, Verdict):
            verdicts.append(outcome)
        elif len(given) == 1:
            raise outcome
        else:
            message = in_words(outcome, shell_language())
            complain(message if outcome.place == file else f"{file}: {message}")
    write = as_markdown if options.markdown else as_json
    reports: list[Any] = [write(verdict, shell_language()) for verdict in verdicts]
    if options.markdown or not reports:
        return status, "\n".join(reports) if reports else None
    return status, reports[0] if len(given) == 1 else reports


def _marks(given: Sequence[tuple[str, Example | MhaError]], options: Namespace) -> Answer:
    """Mark files: 2 where any cannot be checked. Files that fill no row of a gradebook are named on standard error."""
    scheme = Scheme(
        dict(map(points_of, options.points)),
        SHARES[options.follow_through],
        SHARES[options.answers_shown],
        options.out_of,
    )
    papers = [paper(file, _checked(example), shell_language()) for file, example in given]
    bad = [one for one in papers if one.row.counts is None]
    for one in bad:
        complain(f"{one.file}: {one.row.outcome}")
    status = BAD_INPUT if bad else 0
    if options.gradebook is None:
        return status, marks_as_csv(papers, scheme)
    if options.column is None:
        raise ExampleError(N_("name the column to fill in"), place="--column")
    with placed(options.gradebook):
        try:
            book = read_gradebook(Path(options.gradebook).read_bytes())
        except OSError as error:
            raise ReadError(N_("cannot be read: {reason}"), reason=Reason(error)) from None
    filled = fill(book, options.column, papers, scheme)
    for sentence in filled.sentences(shell_language()):
        complain(sentence)
    return status, filled.text.encode()


def _checked(example: Example | MhaError) -> Verdict | MhaError:
    """The check of a file, of which nothing may be filled in yet."""
    try:
        return example if isinstance(example, MhaError) else check(example)
    except MhaError as error:
        return error


def _bank(example: Example, options: Namespace) -> Answer:
    asked = usually_asked(example) if options.ask is None else tuple(options.ask.split(","))
    drawn = variants(example, asked, options.variants, options.seed)
    return 0, written(drawn, options.to, options.lang or shell_language())


def _read(content: bytes, options: Namespace) -> Answer:
    """Read a text: 1 where it prints wrong numbers, 2 where it prints none that could be checked."""
    with placed("" if options.file == "-" else options.file):
        article = read_article(content, options.file)
        if options.correct is not None:
            _write_corrected(article, options.correct)
    language = shell_language()
    answer = article_as_json(article, language) if options.json else as_text(article, language)
    if article.ok is None:
        complain(say(NOTHING_TO_CHECK))
        return BAD_INPUT, answer
    return 0 if article.ok else WRONG_NUMBERS, answer


def _write_corrected(article: Article, file: str) -> None:
    if not article.document.writable:
        raise ReadError(N_("a PDF file cannot be corrected; read its source instead"))
    try:
        Path(file).write_text(article.corrected, "utf-8", newline="")
    except OSError as error:
        raise ReadError(N_("cannot be written: {reason}"), place=file, reason=Reason(error)) from None


def _verdict(example: Example | MhaError) -> Verdict | MhaError:
    try:
        return example if isinstance(example, MhaError) else checked(example)
    except MhaError as error:
        return error


def _status(verdict: Verdict | MhaError) -> int:
    if isinstance(verdict, MhaError):
        return BAD_INPUT
    return 0 if verdict.ok else WRONG_NUMBERS


def _backend(options: Namespace) -> Backend:
    return backend(options.device, options.dtype)


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
            "key_value_heads": layer.shared_heads,
        }
        for layer in _layers_in(_weights(read, options), options)
    ]


def _import(read: ReadBytes, options: Namespace) -> Answer:
    weights = _weights(read, options)
    if options.adapter is not None:
        weights = merge_adapter(weights, *read_adapter(options.adapter))
    layer = _named(_layers_in(weights, options), options.layer)
    random_rows = {
        name: given for name in ("tokens", "seed") if (given := getattr(options, name)) is not None
    }
    has_rows = options.x is not None or (options.inputs is not None and layer.attends_to_itself)
    if random_rows and has_rows:
        raise InteropError(
            N_("the rows that are given are the tokens, so no random rows are drawn"),
            place=next(iter(random_rows)),
        )
    part = Slice(**_extent(layer, options), inputs=options.inputs, rows=options.rows, **random_rows)
    x, context = (None, None) if options.x is None else read_rows(options.x)
    example = open_layer(
        weights, layer, part, options.num_heads, leave_out=options.leave_out, x=x, context=context
    )
    if layer.heads is None and options.num_heads is None:
        h = layer.likely_heads
        complain(catalogue(shell_language()).gettext(_ASSUMED).format(h=h, d_k=layer.width // h))
    _say_what_was_chosen(layer, example, options)
    return 0, pretty(example)


def _say_what_was_chosen(layer: Layer, example: Example, options: Namespace) -> None:
    """Say on standard error which columns and rows the example has, for whoever did not choose them."""
    say = catalogue(shell_language()).gettext
    wide = layer.d_query, layer.width // (options.num_heads or layer.likely_heads)
    here = len((example.x or ((),))[0]), len((example.heads[0].w_v or ((),))[0])
    has_default_columns = options.d_model is None and options.d_head is None and not options.whole
    if has_default_columns and options.x is None and here != wide:
        values = {"d_model": here[0], "most": wide[0], "d_head": here[1], "width": wide[1]}
        complain(say(_COLUMNS).format(**values))
    if options.x is options.inputs is options.tokens is options.seed is None:
        complain(say(_RANDOM))


def _extent(layer: Layer, options: Namespace) -> dict[str, Any]:
    """Which heads and columns: those that were chosen, or all. Of chosen heads, ``--whole`` takes all columns."""
    given = {name: getattr(options, name) for name in ("heads", "d_model", "d_head")}
    chosen = {name: value for name, value in given.items() if value is not None}
    if not options.whole:
        return chosen
    h = options.num_heads or layer.likely_heads
    heads = chosen.pop("heads", tuple(range(h)))
    if chosen:
        raise InteropError(
            N_("--whole takes all columns, so none can be chosen"),
            place=f"--{next(iter(chosen)).replace('_', '-')}",
        )
    if options.x is not None:
        return {"heads": heads}
    d_model = max(layer.d_query, layer.d_key, layer.d_value)
    return {"heads": heads, "d_model": d_model, "d_head": layer.width // h}


_COLUMNS: Final = N_(
    "the example has {d_model} of the {most} columns of X, and {d_head} of the {width} of a head; choose with "
    "--d-model and --d-head, or take all with --whole"
)
_RANDOM: Final = N_("the rows of X are random; give real ones with --x or --inputs")
_ASSUMED: Final = N_(
    "the number of heads of this layer is not given, so {h} {h:head|heads} of {d_k} {d_k:column|columns} each "
    "{h:is|are} assumed; give it with --num-heads, or put the config.json beside the file"
)


_LAYERS: Final = N_("expected the name of a layer, or its number from 0 to {last}, got {got}")


def _layers_in(weights: Weights, options: Namespace) -> tuple[Layer, ...]:
    """The layers, with what a config.json in the folder or next to the file says about them."""
    return layers(weights, None if options.file == "-" else config_beside(options.file))


def _weights(read: ReadBytes, options: Namespace) -> Weights:
    """The weights of a saved model, or of a file on standard input."""
    with placed("" if options.file == "-" else options.file):
        return read_weights(read(MAX_BYTES)) if options.file == "-" else read_model(options.file)


def _named(layers_in_file: Iterable[Layer], name: str | None) -> Layer:
    """The layer of this name, of whole parts of it, or of this number; the first if no name is given.

    A name may lack its last dot or slash.
    """
    listed = {layer.name: layer for layer in layers_in_file}
    if name is None:
        return next(iter(listed.values()))
    part = f".{name.strip('./')}.".replace("/", ".")
    names = {own: f".{own.strip('./')}.".replace("/", ".") for own in listed}
    for fits in (str.__eq__, str.__contains__):
        alike = [listed[own] for own, dotted in names.items() if fits(dotted, part)]
        if len(alike) == 1:
            return alike[0]
        if not alike and fits is str.__eq__ and re.fullmatch(r"-?\d+", name):
            return [*listed.values()][counted(int(name), len(listed), _LAYERS, "--layer")]
    raise InteropError(
        N_("there is no layer named {name}; similar names are {near}"),
        name=quoted(name),
        near=similar(name, listed),
    )


def _models(_: None, options: Namespace) -> Answer:
    """List the models; or report what a model's heads do with a text, as JSON or an example; or continue the text."""
    if options.model is None:
        return 0, [{"model": card.key, "title": card.title, "about": card.about} for card in cards()]
    card = card_of(options.model, options.part)
    _require_fitting(options)
    model = load(card)
    if options.generate is not None:
        return 0, generated_as_json(model, options.text, options.generate, shell_language())
    if options.pair is not None and model.architecture.causal:
        raise ModelError(N_("this model reads one text, not two"), place="--pair")
    tokens = tokenize(model, options.text, options.pair)
    model_run: AnyRun
    if options.source is None:
        model_run = run_model(model, tokens, without=options.without)
    elif isinstance(model, ForeignModel):
        source = model.reader.source(options.source, model.most_tokens)
        model_run = model.run(tokens, options.without, source)
    else:
        raise ModelError(N_("no encoder reads another text beside this one"), place="--source")
    heads = range(model.architecture.heads) if options.heads is None else options.heads
    if options.to == "example":
        return 0, pretty(to_example(model, model_run, tokens, options.layer, heads))
    return 0, heads_as_json(tokens, model_run, options.layer, heads)


def _require_fitting(options: Namespace) -> None:
    """Raise ``ModelError`` if the text is missing, or options exclude each other."""
    if options.text is None:
        raise ModelError(N_("give a text for the model to read"), place="TEXT")
    if options.generate is not None:
        others = {name: getattr(options, name) for name in ("pair", "layer", "heads", "without", "source")}
        given = [name for name, value in others.items() if value not in (None, [])]
        if given or options.to != "json":
            template = N_(
                "cannot be given with --generate, which prints all heads of a text with the new tokens"
            )
            raise ModelError(template, place=f"--{(*given, 'to')[0]}")
    if options.to == "example" and options.layer is None:
        raise ModelError(N_("an example holds one layer; give the layer"), place="--layer")
    if options.heads is not None and options.layer is None:
        raise ModelError(N_("heads are those of one layer; give the layer with --layer"), place="--heads")


def _train(lines: bytes | None, options: Namespace) -> Answer:
    """List the tasks; or take the steps of a training, with a line on standard error now and then, and report on it."""
    if options.task is None and options.go_on is None and lines is None:
        return 0, task_list(shell_language())
    training = open_training(Path(options.go_on)) if options.go_on else _new_training(lines, options)
    if options.go_on and (options.task is not None or lines is not None or _changes(options)):
        raise TrainError(N_("a saved training has its task and its settings already"), place="--go-on")
    steps = training.task.steps if options.steps is None else options.steps
    if not 0 <= steps <= MOST_STEPS:
        raise TrainError(
            N_("expected 0 to {most} steps, got {count}"), place="--steps", most=MOST_STEPS, count=steps
        )
    most = training.step + steps
    for record in training.steps(steps):
        if record.step % _TOLD_EVERY == 0 or record.step == most:
            complain(progress(record, most, shell_language()))
    if options.save is not None:
        save_training(training, Path(options.save))
    return 0, training_as_json(training)


_TOLD_EVERY: Final = 50
"""Steps between two lines about a training."""


def _new_training(lines: bytes | None, options: Namespace) -> Training:
    if lines is None:
        return Training(task_of(options.task), **_changes(options))
    if options.task not in (None, OWN_LINES):
        raise TrainError(N_("a built-in task has lines of its own"), place="--lines")
    with placed(options.lines):
        return Training(own_lines(decoded_lines(lines)), **_changes(options))


def _changes(options: Namespace) -> dict[str, Any]:
    return {name: value for name in TRAIN_SETTINGS if (value := getattr(options, name)) is not None}


_COMMANDS: Final[dict[str, Callable[[Any, Namespace], Answer]]] = {
    "trace": _trace,
    "explain": _explain,
    "check": _check,
    "marks": _marks,
    "bank": _bank,
    "read": _read,
    "export": _export,
    "layers": _layers,
    "import": _import,
    "models": _models,
    "train": _train,
}
