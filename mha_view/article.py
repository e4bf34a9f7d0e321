"""An article that has been read, for its page: the text with every matrix framed, and the examples that are in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from mha_core.compute.graph import symbol
from mha_core.errors import N_
from mha_core.example.model import Example, key_tokens
from mha_core.numbers import trimmed, typeset
from mha_core.read.choices import CHOSEN
from mha_core.read.grids import Cell
from mha_core.read.reading import Found, Read
from mha_core.read.report import (
    NOTHING_TO_CHECK,
    REASONS,
    Article,
    mark_cause,
    mark_line,
    nothing_in,
    other_readings,
)
from mha_core.read.verdict import Judged, Mark
from mha_core.vocabulary import AXES, ENTRY, PER_HEAD, SYMBOLS, noun
from mha_view import payloads
from mha_view.language import Words, words_in
from mha_view.lenses.check import check_in_words
from mha_view.payloads import cell_data

MOST_LIKELY: Final = 3
"""How many other names a guess is offered beside its own."""


_APART: Final = N_("the matrices of its example are not complete")
_NEEDED: Final = ("x", "w_q", "w_k", "w_v", "q", "k", "v")
"""What an example begins with."""


class _Part(NamedTuple):
    """A matrix of the text, the reading that it is in, and the number of its example; None where it is not used."""

    found: Found
    read: Read
    example: int | None


def article_payload(article: Article, language: str) -> payloads.Article:
    """The article as its page shows it."""
    words = words_in(language)
    parts = sorted(_parts(article), key=lambda part: part.found.guess.at)
    marks = [(number, one, mark) for number, one in enumerate(article.examples) for mark in one.marks]
    numbers = {mark.at: number for number, (_, _, mark) in enumerate(marks)}
    return {
        "pieces": list(_pieces(article.document.text, parts, numbers)),
        "matrices": [_matrix(article, part, numbers, words) for part in parts],
        "marks": [_mark(*mark, language) for mark in marks],
        "examples": [_example(one, language) for one in article.examples],
        "nothing": "" if article.examples else words(nothing_in(article.incomplete)),
    }


def offered(language: str) -> list[tuple[str, str]]:
    """What a matrix may be: its name, and how a menu shows it."""
    words = words_in(language)
    return [(name, f"{noun(name, words)} {SYMBOLS[name].format(divisor='√d_k')}") for name in CHOSEN]


def _parts(article: Article) -> Iterator[_Part]:
    for number, one in enumerate(article.examples):
        for found in one.read.found:
            yield _Part(found, one.read, number if found.key is not None else None)
    for read in article.incomplete:
        for found in read.found:
            yield _Part(found, read, None)


# --- the text ---------------------------------------------------------------------------------------------------


class _Run(NamedTuple):
    """Numbers of one matrix that stand together in the text: a frame."""

    start: int
    end: int
    matrix: int
    cells: list[Cell]


def _pieces(text: str, parts: Sequence[_Part], marks: Mapping[int, int]) -> Iterator[payloads.ArticlePiece]:
    """The text in order: each piece with the matrix whose frame it is in, and the mark that it is."""
    at = 0
    for start, end, matrix, cells in _framed(text, parts):
        if start > at:
            yield text[at:start], None, None
        at = start
        for cell in cells:
            if cell.start in marks:
                if cell.start > at:
                    yield text[at : cell.start], matrix, None
                yield text[cell.start : cell.end], matrix, marks[cell.start]
                at = cell.end
        if end > at:
            yield text[at:end], matrix, None
        at = end
    if text[at:]:
        yield text[at:], None, None


def _framed(text: str, parts: Sequence[_Part]) -> list[_Run]:
    """The frames in order. Those of the matrices' first and last numbers have the brackets around them too."""
    runs = _runs(text, parts)
    grids = [part.found.guess.grid for part in parts]
    first = {run.matrix: at for at, run in reversed([*enumerate(runs)])}
    last = {run.matrix: at for at, run in enumerate(runs)}
    framed: list[_Run] = []
    for at, run in enumerate(runs):
        before = framed[-1].end if framed else 0
        behind = runs[at + 1].start if at + 1 < len(runs) else len(text)
        grid = grids[run.matrix]
        start = max(before, min(run.start, grid.start)) if first[run.matrix] == at else run.start
        end = min(behind, max(run.end, grid.end)) if last[run.matrix] == at else run.end
        framed.append(run._replace(start=start, end=end))
    return framed


def _runs(text: str, parts: Sequence[_Part]) -> list[_Run]:
    cells = sorted(
        (cell.start, cell.end, number, cell)
        for number, part in enumerate(parts)
        for row in part.found.guess.grid.rows
        for cell in row
    )
    runs: list[_Run] = []
    for start, end, number, cell in cells:
        last = runs[-1] if runs else None
        if last and last.matrix == number and "\n\n" not in text[last.end : start]:
            last.cells.append(cell)
            runs[-1] = last._replace(end=max(end, last.end))
        elif last is None or start >= last.end:
            runs.append(_Run(start, end, number, [cell]))
    return runs


# --- matrices ---------------------------------------------------------------------------------------------------


def _matrix(article: Article, part: _Part, marks: Mapping[int, int], words: Words) -> payloads.ArticleMatrix:
    found, assembled = part.found, part.read.assembled
    example = None if assembled is None else assembled.example
    is_apart = part.example is None and bool(article.examples)  # its matrices make no example
    name, head = (None if is_apart else found.key) or ("", None)
    rows = _rows(part)
    return {
        "at": found.guess.at,
        "example": part.example,
        "name": name,
        "head": head if name in PER_HEAD else None,
        "turned": found.guess.turned,
        "symbol": _letter(name, head, example) if name else "",
        "hue": (ENTRY[name].role or ENTRY[name].colours) if name else "",
        "sure": found.sure and found.why != "doubted",
        "chosen": found.guess.chosen,
        "again": found.again,
        "why": words(_APART if is_apart and found.key else REASONS[found.why]),
        "line": article.document.line(found.guess.grid.start),
        "rows": [[(_shown(cell), marks.get(cell.start)) for cell in row] for row in rows],
        "labels": _labels(name, example, len(rows)),
        "likely": [] if found.sure or found.again else _likely(part, rows),
    }


def _letter(name: str, head: int | None, example: Example | None) -> str:
    """The letter of a matrix, with the number of its head where there are several."""
    letter = symbol(name, example) if example else SYMBOLS[name].format(divisor="√d_k")
    if head is None or name not in PER_HEAD:
        return letter
    if letter == "head_i":
        return f"head_{head + 1}"
    return f"{letter} {head + 1}" if example is None or len(example.heads) > 1 else letter


def _rows(part: _Part) -> Sequence[Sequence[Cell]]:
    """A matrix with tokens as rows, as far as it is used."""
    found, assembled = part.found, part.read.assembled
    grid = found.guess.grid
    if assembled is None or found.key is None or found.again:
        return grid.rows
    return assembled.cells.get(found.key, grid.rows)


def _shown(cell: Cell) -> str:
    if cell.text is None:
        return "…" if cell.left_out else ""
    return trimmed(float(cell.text), 4) if cell.exact else typeset(cell.text)


def _labels(name: str, example: Example | None, count: int) -> Sequence[str]:
    """The tokens of a matrix's rows, where there is one for each."""
    if example is None or name not in AXES:
        return []
    tokens = {"n_q": example.tokens, "n_k": key_tokens(example)}.get(AXES[name][0], ())
    return tokens if len(tokens) == count else []


def _likely(part: _Part, rows: Sequence[Sequence[Cell]]) -> Sequence[tuple[str, int | None]]:
    """What else a matrix may be: what the text hints at, then what has its shape; nothing that is read elsewhere."""
    found, assembled = part.found, part.read.assembled
    if assembled is None:
        read = {one.key[0] for one in part.read.found if one.key is not None}
        return [(name, None) for name in _NEEDED if name not in read][:MOST_LIKELY]
    shape, dims = (len(rows), len(rows[0])), assembled.example.dims
    hinted = (found.guess.name, *found.guess.candidates)
    likely = dict.fromkeys([*hinted, *(name for name in CHOSEN if name != "context")])
    fitting = [
        name for name in likely if name in CHOSEN and shape in (dims.shape(name), dims.shape(name)[::-1])
    ]
    keys = [(name, head) for name in fitting for head in (range(dims.h) if name in PER_HEAD else [None])]
    return [key for key in keys if key not in assembled.cells][:MOST_LIKELY]


# --- examples ---------------------------------------------------------------------------------------------------


def _mark(example: int, one: Judged, mark: Mark, language: str) -> payloads.ArticleMark:
    return {
        "example": example,
        "cell": cell_data(mark.place),
        "right": mark.right,
        "own": mark.own,
        "line": mark_line(one, mark, language),
        "cause": mark_cause(one, mark, language),
    }


def _example(one: Judged, language: str) -> payloads.ArticleExample:
    words = words_in(language)
    reading = one.read.reading
    printed_mask = any(name == "mask" for name, _ in reading.grids)
    check = None if one.verdict is None else check_in_words(one.verdict, language)
    return {
        "title": str(one.example.title),
        "heads": len(one.example.heads),
        "form": reading.form,
        "scale": reading.scale,
        "mask": "printed" if printed_mask else "causal" if reading.mask else "none",
        "also": other_readings(one, language),
        "check": check,
        "said": words(NOTHING_TO_CHECK) if check is None else check["summary"],
    }
