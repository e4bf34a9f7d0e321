"""The whole walk as one HTML page to take away: complete in itself, it opens anywhere and can be printed.

``handout.html.jinja`` is the page; here its parts are collected as plain data. Its numbers stand in it once, its
sentences in every language; ``handout.js`` switches between them, and without it the page is in the language that it
was made in. What a visitor wrote (title, note, tokens) is text in it, never markup.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from unicodedata import east_asian_width

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from mha_core import Trace
from mha_core.compute.derive import Cell, Derivation
from mha_core.compute.graph import formula
from mha_core.compute.operations import Step
from mha_core.example.model import key_tokens
from mha_core.messages import LANGUAGE, LANGUAGES
from mha_core.numbers import fixed
from mha_core.walk.handout import EXPONENTIAL, Handout
from mha_core.walk.stages import Stage, exponentials_of, layout_of, looked_at, operands_of, result_of
from mha_core.walk.text import Sentence
from mha_view.bundle import WEB, style

_HERE: Final = Path(__file__).resolve().parent
LABEL: Final = 14
"""Digits of the widest label that stands in one line."""


def as_html(trace: Trace, language: str = "en", decimals: int = 4) -> str:
    """The walk as one HTML page in every language, ``language`` shown first: nothing fetched, made to be printed too.

    Every number of the trace stands in a cell whose ``data-cell`` names it: ``weights|0|1|2``. Raises
    ``ExportError`` for a walk of more numbers than ``handout.MOST_NUMBERS``.
    """
    handout = _InEveryLanguage(trace, language, decimals)
    script = (WEB / "handout/handout.js").read_text("utf-8")
    stages = [_stage(handout, number, stage) for number, stage in enumerate(handout.stages, 1)]
    return _template().render(
        lang=LANGUAGE[language].tag,
        languages=[LANGUAGE[code] for code in LANGUAGES],
        style=Markup(style("handout/handout.css")),  # noqa: S704  # a file of ours
        script=Markup(script),  # noqa: S704  # a file of ours
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        name=handout.title,
        title=handout.each(lambda one: one.title),
        note=handout.each(lambda one: one.note),
        source=handout.each(lambda one: one.say("source", source=one.example.source))
        if handout.example.source
        else "",
        say=handout.both,
        stages=stages,
        brief=handout.worked > MOST_ON_PAPER,
    )


MOST_ON_PAPER: Final = 300
"""Numbers of which paper still has the arithmetic of each, and every operand beside its result."""


class _InEveryLanguage(Handout):
    """A walk in one language, with what it says in the others beside it.

    ``worked`` counts the numbers whose arithmetic has been written so far, ``drawn`` has the matrices that stand there.
    """

    def __init__(self, trace: Trace, language: str, decimals: int) -> None:
        super().__init__(trace, language, decimals)
        self.worked = 0
        self.drawn: set[tuple[str, int | None]] = set()
        self._by_tag = {
            LANGUAGE[code].tag: self if code == language else Handout(trace, code, decimals)
            for code in LANGUAGES
        }

    def each(self, text_of: Callable[[Handout], str], markup: Callable[[str], Markup] = escape) -> Markup:
        """What is told in every language, of which the page shows one; once where all say the same."""
        texts = {tag: markup(text_of(one)) for tag, one in self._by_tag.items()}
        if len(set(texts.values())) == 1:
            return next(iter(texts.values()))
        spans = (Markup('<span lang="{}">{}</span>').format(tag, text) for tag, text in texts.items())
        return Markup("").join(spans)

    def both(self, name: str, **values: object) -> Markup:
        """One of the handout's own sentences in every language."""
        return self.each(lambda one: one.say(name, **values))

    def sentence(self, sentence: Sentence, markup: Callable[[str], Markup] = escape) -> Markup:
        """A sentence of the walk in every language."""
        return self.each(lambda one: one.text(sentence), markup)

    def head_in_each(self, index: int) -> Markup:
        """``head 1`` in every language."""
        return self.each(lambda one: one.head(index))


@cache
def _template() -> Template:
    page = Environment(
        autoescape=True, keep_trailing_newline=True, loader=FileSystemLoader(_HERE), undefined=StrictUndefined
    )
    page.filters |= {"symbol": _symbol, "arithmetic": _arithmetic}
    return page.get_template("handout.html.jinja")


def _stage(handout: _InEveryLanguage, number: int, stage: Stage) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": stage.id,
        "heading": handout.each(lambda one: one.heading(number, stage)),
        "title": handout.each(lambda one: one.heading(number, stage).partition(". ")[2]),
        "what": handout.sentence(stage.words.what, _rich),
        "why": handout.sentence(stage.words.why, _rich),
        "tokens": [],
        "matrices": [],
        "steps": [],
        "looks": [],
    }
    match stage.kind:
        case "tokens":
            data["tokens"] = [handout.example.tokens]
            if handout.example.context is not None:
                data["tokens"].append(key_tokens(handout.example))
        case "inputs" | "given":
            names = dict.fromkeys((part.matrix, part.head) for part in stage.parts)
            data["matrices"] = [_matrix(handout, *name) for name in names]
        case "step":
            data["steps"] = [_step(handout, stage.steps[0], stage.head, Markup())]
        case "head":
            titled = zip(stage.steps, stage.step_words, strict=True)
            data["steps"] = [
                _step(handout, step, stage.head, handout.sentence(words.title)) for step, words in titled
            ]
        case "closing":
            data |= _closing(handout)
    return data


def _step(handout: _InEveryLanguage, step: Step, head: int | None, title: Markup) -> dict[str, Any]:
    softmax, operands = step.op == "softmax", list(operands_of(handout.trace, step, head))
    if softmax:
        drawn = [_matrix(handout, step.operands[0].name, head)]  # it reads its own head's scores
    else:
        drawn = [_matrix(handout, one.name, owner, transposed=one.index == "jk") for one, owner in operands]
    sums = [_sum(*one) for one in handout.sums(step, head, _PART.format)]
    handout.worked += len(sums)
    return {
        "title": title,
        "symbol": handout.symbol(step.name, head),
        "formula": formula(step, handout.example),
        "operands": drawn,
        "result": _matrix(handout, step.name, head, bars=softmax),
        "exponentials": _exponentials(handout, step, head or 0) if softmax else None,
        "room": _room(handout, step, head) if layout_of(step) == "product" else "",
        "remarks": [handout.both(name) for name in handout.remarks(step, head)],
        "sums": sums,
        "left_out": handout.left_out(step, head),
    }


_PART: Final = "⟦{}⟧"
"""What stands around each part of a line until it is marked up."""


def _sum(of: Derivation, line: str) -> dict[str, Any]:
    """A cell's line, with the cells of each of its terms, which the page lights up one after another."""
    return {
        "row": of.cell.row + 1,
        "col": of.cell.col + 1,
        "key": key_of(of.cell),
        "terms": " ".join(",".join(map(key_of, term.cells)) for term in of.terms),
        "line": line,
    }


def _room(handout: Handout, step: Step, head: int | None) -> str:
    """Widths that the factor above and the result share, so that column j stands above its column."""
    cells, labels = [], []
    operands = ((operand.name, of) for operand, of in operands_of(handout.trace, step, head))
    for name, owner in (*operands, (step.name, head)):
        rows = handout.trace.matrix(name, owner)
        show = handout.show(rows, given=handout.given(name, owner))
        cells += [show(number) for row in rows for number in row]
        labels += [*handout.labels(name, 0, len(rows)), *handout.labels(name, 1, len(rows[0]))]
    cell, label = (max(map(_width, texts)) for texts in (cells + labels, labels))
    return f"--cell:{min(cell, LABEL):.1f}ch;--label:{min(label, LABEL):.1f}ch"


SHEET: Final = 84
"""Digits that stand side by side on a sheet of A4, and how many a cell's edges take of them."""
EDGES: Final = 2.6


def _wide(down: list[str], across: list[str], cells: Iterable[str]) -> str:
    """How wide a cell is of a table that is wider than a sheet, and whose rows go on in a new line there; else ""."""
    cell = max(_width(text) for text in (*cells, *(label[:LABEL] for label in across)))
    label = max(_width(text[:LABEL]) for text in down)
    wide = label + EDGES + len(across) * (cell + EDGES) > SHEET
    return f"--cell:{max(cell, label):.1f}ch" if wide else ""


def _width(text: str) -> float:
    """About how many digits wide a text stands: a Chinese character takes nearly two."""
    return sum(1.8 if east_asian_width(sign) in "WF" else 1.0 for sign in text)


def _exponentials(handout: Handout, step: Step, head: int) -> dict[str, Any]:
    """A softmax's exponentials, with the sum of each row."""
    rows = exponentials_of(handout.trace, step, head)
    exponentials = [list(row.exponentials) for row in rows]
    show = handout.show(exponentials, given=False)
    queries, keys = (
        handout.labels(step.name, axis, len(exponentials[0]) if axis else len(exponentials))
        for axis in (0, 1)
    )
    return {
        "shifted": any(row.shift for row in rows),
        "wide": _wide(queries, [*keys, ""], (show(number) for line in exponentials for number in line)),
        "across": keys,
        "rows": [
            {"label": label, "exponentials": list(map(show, row.exponentials)), "total": show(row.total)}
            for label, row in zip(queries, rows, strict=True)
        ],
    }


def _matrix(
    handout: _InEveryLanguage, name: str, head: int | None, *, transposed: bool = False, bars: bool = False
) -> dict[str, Any]:
    rows = handout.trace.matrix(name, head)
    again = (name, head) in handout.drawn
    handout.drawn.add((name, head))
    show = handout.show(rows, given=handout.given(name, head))
    down, across = (handout.labels(name, axis, len(rows[0]) if axis else len(rows)) for axis in (0, 1))
    cells = [
        [
            {
                "key": key_of(Cell(name, head, i, j)),
                "text": show(number),
                "bar": f"{number:.4f}" if bars else "",
            }
            for j, number in enumerate(row)
        ]
        for i, row in enumerate(rows)
    ]
    if transposed:
        down, across = across, down
        cells = [list(column) for column in zip(*cells, strict=True)]
    return {
        "again": again,
        "symbol": handout.symbol(name, head) + ("ᵀ" if transposed else ""),
        "wide": _wide(down, across, (cell["text"] for line in cells for cell in line)),
        "across": across,
        "rows": [{"label": label, "cells": line} for label, line in zip(down, cells, strict=True)],
    }


def key_of(cell: Cell) -> str:
    """A cell's name on the page: ``weights|0|1|2``."""
    return f"{cell.name}|{'' if cell.head is None else cell.head}|{cell.row}|{cell.col}"


def _closing(handout: _InEveryLanguage) -> dict[str, Any]:
    """The result, and the key that each query looks most at, head by head."""
    keys, heads = key_tokens(handout.example), looked_at(handout.trace)
    end = result_of(handout.example)

    def cells(query: int) -> Iterator[tuple[str, str]]:
        for head in heads:
            looked = head[query]
            names = [keys[key] for key in looked.keys] if looked else []
            yield (handout.tied(names), fixed(looked.weight, handout.decimals)) if looked else ("", "")

    return {
        "result": None if end is None else _matrix(handout, end, None),
        "heads": [handout.head_in_each(head) for head in range(len(heads))],
        "looks": [
            {"label": token, "cells": list(cells(query))}
            for query, token in enumerate(handout.example.tokens)
        ],
    }


def _symbol(text: str) -> Markup:
    """``W_Q`` with its subscript, ``Kᵀ`` with its superscript."""
    marked = re.sub(r"_(\w+?)(?=\b|ᵀ)", r"<sub>\1</sub>", str(escape(text)))
    return Markup(f'<span class="symbol">{marked}</span>')  # noqa: S704  # escaped above


def _rich(text: str) -> Markup:
    """A sentence of ours, its W_Q with a subscript and its e^−∞ with a superscript."""
    marked = re.sub(r"(?<=\b[A-Za-z])_([A-Za-z]\w*)", r"<sub>\1</sub>", str(escape(text)), flags=re.ASCII)
    return Markup(re.sub(r"\^([−\d∞]+)", r"<sup>\1</sup>", marked))  # noqa: S704  # escaped above


def _arithmetic(line: str) -> Markup:
    """A line of arithmetic: its parts marked, what stands above e as a superscript, what follows _ as a subscript."""
    marked = EXPONENTIAL.sub(lambda power: f"e<sup>{power[1] or power[2]}</sup>", str(escape(line)))
    marked = re.sub(r"_([^\W_]+)", r"<sub>\1</sub>", marked)
    return Markup(re.sub("⟦(.*?)⟧", r"<span>\1</span>", marked))  # noqa: S704  # escaped above
