"""One guess for every grid: which matrix of which head it is, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from mha_core.read.brackets import bracket_grids
from mha_core.read.document import Document, Region
from mha_core.read.grids import Grid
from mha_core.read.labels import Label, labels, plain
from mha_core.read.latex import latex_grids
from mha_core.read.names import (
    by_formula,
    head_in,
    head_said,
    mentioned,
    named,
    projected_letters,
    symbol_in,
)
from mha_core.read.programs import comments_of, printed_by, program_grids
from mha_core.read.tables import table_grids
from mha_core.read.vectors import together
from mha_core.vocabulary import PER_HEAD

MAX_GRIDS: Final = 400
Reason: TypeAlias = Literal["name", "formula", "sentence", "heading", "operand", "shape", "chosen", ""]
_FAMILIES: Final = (("w_q", "w_k", "w_v"), ("x", "q", "k", "v"))
_HEAD_ALONE: Final = re.compile(
    r"\W*(?:\w+ )?(?:attention )?heads?[\W\d]*\w?\W*|第?\W*\w\W*个?头\W*\d*\W*", re.IGNORECASE
)
_LIMIT_OF_MENTIONS: Final = 5
_PRINTED: Final = re.compile(
    r"(?:the |its )?(?:outputs?|prints?|printed|results?)|(?:运行|打印)?(?:输出|结果)(?:如下|为)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Guess:
    """A grid with what it is taken for. ``name``: "" where nothing says it; ``head``: as the text counts, from 1.

    ``candidates``: what else it may be, likeliest first. ``sure``: a name or a formula says it at its place.
    ``equals``: other matrices that the text sets equal to it: ``W_Q = W_K = …``. ``at``: its place in the list of all.
    ``chosen``: a reader of the text has said it.
    """

    grid: Grid
    label: Label
    name: str = ""
    head: int | None = None
    turned: bool = False
    reason: Reason = ""
    candidates: tuple[str, ...] = ()
    sure: bool = False
    equals: tuple[str, ...] = ()
    at: int = 0
    chosen: bool = False


def grids_in(document: Document) -> list[Grid]:
    """Every table of numbers in a document, in its order; at most ``MAX_GRIDS``."""
    text, found = document.text, list[Grid]()
    for region in document.regions:
        part = text[region.start : region.end]
        inside = _grids(part, region.kind, document.format)
        found += [_moved(grid, region.start) for grid in inside]
    return sorted(found, key=lambda grid: grid.start)[:MAX_GRIDS]


def _grids(text: str, kind: str, format_name: str) -> list[Grid]:
    if kind == "code":
        literal = program_grids(text, 0)
        if literal is not None:
            return [*literal, *bracket_grids(comments_of(text), [])]
    found = list(latex_grids(text)) if "\\begin" in text else []
    taken = [(grid.start, grid.end) for grid in found]
    found += [grid for grid in bracket_grids(text, taken) if grid.shape[0] > 1]
    taken = [(grid.start, grid.end) for grid in found]
    found += table_grids(text, taken, spaced=kind != "prose" or format_name in ("txt", "pdf", "html"))
    taken = [(grid.start, grid.end) for grid in found]
    return [*found, *bracket_grids(text, taken)]


def _moved(grid: Grid, by: int) -> Grid:
    if not by:
        return grid
    rows = tuple(
        tuple(cell._replace(start=cell.start + by, end=cell.end + by) for cell in row) for row in grid.rows
    )
    return replace(grid, rows=rows, start=grid.start + by, end=grid.end + by)


def guesses(document: Document) -> list[Guess]:
    """A guess for every grid, in the order of the text."""
    grids = grids_in(document)
    merged, their_labels = together(grids, labels(document, grids))
    found = [_guess(grid, label) for grid, label in zip(merged, their_labels, strict=True)]
    counted = _counted_from_one(_as_projected(document, _by_program(document, found)))
    return [replace(guess, at=at) for at, guess in enumerate(counted)]


def _guess(grid: Grid, label: Label) -> Guess:
    if label.operand:
        return _operand(grid, label)
    left = named(label.left) if label.left else None
    formula = by_formula(label.formula) if label.formula else None
    if left is None and not label.spoken:  # “the first task: Q = …”, “the tokens become A V = …”
        words = label.left.split()
        ends = [" ".join(words[at:]) for at in range(1, len(words))]
        left = next((one for end in ends if (one := named(end)) is not None), None)
    if left is None and label.left and formula is None:
        formula = by_formula(label.left)
    head = _head(grid, label, left.head if left else None)
    if left is not None:
        name, others = _refined(left.name, formula)
        if name == "output" and left.head is not None:
            name = "head_outputs"
        turned = left.turned != grid.turned
        return Guess(
            grid, label, name, head, turned, "name", others, sure=True, equals=_equal(name, label.formula)
        )
    if formula is not None:
        return Guess(grid, label, formula, head, grid.turned, "formula", sure=True)
    return Guess(grid, label, head=head) if grid.found == "program" else _by_words(grid, label, head)


def _refined(name: str, formula: str | None) -> tuple[str, tuple[str, ...]]:
    """A name with what the formula beside it says: scores that are divided, an output that is only a concatenation."""
    if formula is None or formula == name:
        return name, ()
    if name in ("scores", "weights", "scaled_scores") and formula in ("scores", "scaled_scores"):
        return formula, ()
    if name in ("output", "concat", "head_outputs") and formula in ("concat", "head_outputs", "output"):
        return formula, (name,)
    if name in ("scores", "scaled_scores") and formula == "weights":
        return "weights", ()
    return name, (formula,)


def _equal(name: str, formula: str) -> tuple[str, ...]:
    """The other names in a chain such as ``W_Q = W_K = W_V``."""
    found = [one.name for part in formula.split("=") if len(part) < 20 and (one := named(part)) is not None]
    family = next((names for names in _FAMILIES if name in names), ())
    return tuple(dict.fromkeys(other for other in found if other in family and other != name))


def _operand(grid: Grid, label: Label) -> Guess:
    """A grid inside a product: usually printed elsewhere too."""
    name = ""
    if label.operand == "/" or (
        label.operand == "·" and "/" in label.formula and "softmax" not in label.formula
    ):
        name = "scores"
    elif label.operand == "(" and "softmax" in label.formula.lower():
        plain = "K" in label.formula and not re.search(r"/|√|sqrt", label.formula)
        name = "scores" if plain else "scaled_scores"
    elif label.operand == "W":
        name = "concat"
    head = _head(grid, label, head_in(label.left))
    return Guess(grid, label, "", head, grid.turned, "operand", (name,) if name else ())


def _head(grid: Grid, label: Label, said: int | None) -> int | None:
    if grid.part is not None:
        return grid.part[0] + 1
    if said is not None:
        return said
    for text in (label.left, label.sentence, label.paragraph, *label.headings):
        head = head_said(text, last=text is label.paragraph)
        if head is not None:
            return head
    return None


def _by_words(grid: Grid, label: Label, head: int | None) -> Guess:
    """The matrix that the sentence or a heading before speaks of."""
    texts: list[tuple[Reason, str]] = [("sentence", label.left), ("sentence", label.sentence)]
    texts += [("heading", heading) for heading in label.headings[:2]]
    for reason, text in texts:
        direct = named(text) if len(text) < 60 else None
        if direct is not None and direct.name == "head_outputs" and re.fullmatch(_HEAD_ALONE, text):
            direct = None
        names = [direct.name] if direct else mentioned(text)
        if names:
            name, *others = _likeliest(names, label.turn)
            at_hand = reason == "sentence" or (
                label.near > 0 and text == label.headings[0] and name != "weights"
            )
            sure = direct is not None and label.turn == 0 and at_hand
            return Guess(
                grid, label, name, head, grid.turned, reason, tuple(others)[:_LIMIT_OF_MENTIONS], sure
            )
    return Guess(grid, label, head=head, turned=grid.turned)


_COMPUTED: Final = ("scores", "scaled_scores", "masked_scores", "weights", "head_outputs", "concat", "output")


def _likeliest(names: list[str], turn: int) -> list[str]:
    """Names in the order in which a sentence makes them likely: a step's result before what it is computed from."""
    if turn and len(names) > turn:
        return [names[turn], *names]
    computed = sorted({name for name in names if name in _COMPUTED}, key=_COMPUTED.index, reverse=True)
    given = list(dict.fromkeys(name for name in reversed(names) if name not in _COMPUTED))
    if len(names) > 2 and {*names[-3:]} in ({"w_q", "w_k", "w_v"}, {"q", "k", "v"}):
        given = list(dict.fromkeys([names[-3], *given]))
    if "mask" in given and "masked_scores" not in computed:
        given = ["mask", *(name for name in given if name != "mask")]
        return [*computed, *given] if computed else [*given, "masked_scores"]
    factors = [f"w_{name}" for name in given if name in ("q", "k", "v") and not computed]
    return [*computed, *given, *factors]


def _as_projected(document: Document, found: list[Guess]) -> list[Guess]:
    """What the text multiplies by W_Q is X, whatever its letter; the context is multiplied by W_K and W_V alone."""
    letters = projected_letters(plain(document.text))
    return [
        replace(
            guess, name=name, head=None, turned=guess.grid.turned, reason="formula", candidates=(), sure=True
        )
        if not guess.label.formula and (name := letters.get(symbol_in(guess.label.left))) is not None
        else guess
        for guess in found
    ]


def _by_program(document: Document, found: list[Guess]) -> list[Guess]:
    """What a program printed is named by what it prints; “Output:” above it names nothing."""
    shown: dict[int, list[str]] = {}
    result = []
    for guess in found:
        region = _region_before(document, guess.grid.start)
        if region is None or guess.reason == "operand":
            result.append(guess)
            continue
        texts = shown.setdefault(
            region, printed_by(document.text[document.regions[region].start : document.regions[region].end])
        )
        first = guess.grid.part is None or guess.grid.part[0] == guess.grid.part[1] - 1
        text = (texts.pop(0) if first else texts[0]) if texts else ""
        label = replace(guess.label, left=text)
        is_open = not guess.sure or (guess.label.spoken and _PRINTED.fullmatch(guess.label.left))
        result.append(_guess(guess.grid, label) if text and named(text) and is_open else guess)
    return result


def _is_between(region: Region) -> bool:
    """Whether only a few words part a program and what it printed."""
    return region.kind == "prose" and region.end - region.start < 40


def _region_before(document: Document, at: int) -> int | None:
    """The program whose output the place is in."""
    index = next((n for n, region in enumerate(document.regions) if region.start <= at < region.end), None)
    if index is None or document.regions[index].kind != "output":
        return None
    while index >= 0 and (document.regions[index].kind == "output" or _is_between(document.regions[index])):
        index -= 1
    return index if index >= 0 and document.regions[index].kind == "code" else None


def _counted_from_one(found: list[Guess]) -> list[Guess]:
    """Heads counted from 1, where a text counts from 0. Its names may do so (Q_0) under headings that do not."""
    for is_named in (True, False):
        counted = [
            at
            for at, guess in enumerate(found)
            if guess.head is not None and guess.grid.part is None and _is_named(guess) == is_named
        ]
        heads = [found[at].head for at in counted if found[at].name in PER_HEAD]
        if 0 in heads:
            found = [
                replace(one, head=(one.head or 0) + 1) if at in counted else one
                for at, one in enumerate(found)
            ]
    return found


def _is_named(guess: Guess) -> bool:
    """Whether its own name has the number of its head, not only the words around it."""
    return head_in(guess.label.left) is not None
