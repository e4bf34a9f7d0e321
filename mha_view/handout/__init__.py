"""The whole walk as one HTML page to take away: it is self-contained, opens anywhere and can be printed.

``handout.html.jinja`` is the template; this module collects its values as plain data. The page has its numbers once and
its sentences in every language. ``handout.js`` switches the language; without it the page is in the language in which
it was made. What a visitor wrote (title, note, tokens) is inserted as text, never as markup.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, TypedDict
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
from mha_view.palette import css_variables

_HERE: Final = Path(__file__).resolve().parent
LABEL: Final = 14
"""Width of the widest label that is not wrapped, in digits."""


def as_html(trace: Trace, language: str = "en", decimals: int = 4) -> str:
    """The walk as one HTML page in every language, ``language`` first. It fetches nothing and can be printed.

    Every number of the trace is in a cell whose ``data-cell`` names it: ``weights|0|1|2``. Raises
    ``ExportError`` for a walk of more numbers than ``handout.MOST_NUMBERS``.
    """
    handout = _InEveryLanguage(trace, language, decimals)
    script = (WEB / "handout/handout.js").read_text("utf-8")
    stages = [_stage(handout, number, stage) for number, stage in enumerate(handout.stages, 1)]
    return _template().render(
        lang=LANGUAGE[language].tag,
        languages=[LANGUAGE[code] for code in LANGUAGES],
        style=Markup(css_variables() + style("handout/handout.css")),  # noqa: S704  # a file of ours
        script=Markup(script),  # noqa: S704  # a file of ours
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        name=handout.title,
        title=handout.each(lambda handout: handout.title),
        note=handout.each(lambda handout: handout.note),
        source=handout.each(lambda handout: handout.source),
        rounded=handout.each(lambda handout: handout.rounded),
        say=handout.both,
        stages=stages,
        brief=handout.worked > MOST_ON_PAPER,
    )


MOST_ON_PAPER: Final = 300
"""Most computed numbers for which a printed page has the arithmetic of each, and operands beside results."""


class _InEveryLanguage(Handout):
    """A walk in one language, with its sentences in the others.

    ``worked`` counts the numbers whose arithmetic has been written so far; ``shown`` has the matrices written so far.
    """

    def __init__(self, trace: Trace, language: str, decimals: int) -> None:
        super().__init__(trace, language, decimals)
        self.worked = 0
        self.shown: set[tuple[str, int | None]] = set()
        self._by_tag = {
            LANGUAGE[code].tag: self if code == language else Handout(trace, code, decimals)
            for code in LANGUAGES
        }

    def each(self, text_of: Callable[[Handout], str], markup: Callable[[str], Markup] = escape) -> Markup:
        """A text in every language, of which the page shows one; only once if all are equal."""
        texts = {tag: markup(text_of(handout)) for tag, handout in self._by_tag.items()}
        if len(set(texts.values())) == 1:
            return next(iter(texts.values()))
        spans = (Markup('<span lang="{}">{}</span>').format(tag, text) for tag, text in texts.items())
        return Markup("").join(spans)

    def both(self, name: str, **values: object) -> Markup:
        """One of the handout's own sentences in every language."""
        return self.each(lambda handout: handout.say(name, **values))

    def sentence(self, sentence: Sentence, markup: Callable[[str], Markup] = escape) -> Markup:
        """A sentence of the walk in every language."""
        return self.each(lambda handout: handout.text(sentence), markup)

    def head_in_each(self, index: int) -> Markup:
        """``head 1`` in every language."""
        return self.each(lambda handout: handout.head(index))


@cache
def _template() -> Template:
    page = Environment(
        autoescape=True, keep_trailing_newline=True, loader=FileSystemLoader(_HERE), undefined=StrictUndefined
    )
    page.filters |= {"symbol": _symbol, "arithmetic": _arithmetic}
    return page.get_template("handout.html.jinja")


def _stage(handout: _InEveryLanguage, number: int, stage: Stage) -> dict[str, object]:
    tokens: list[tuple[str, ...]] = []
    data: dict[str, object] = {
        "id": stage.id,
        "heading": handout.each(lambda each: each.heading(number, stage)),
        "title": handout.each(lambda each: each.heading(number, stage).partition(". ")[2]),
        "what": handout.sentence(stage.words.what, _rich),
        "why": handout.sentence(stage.words.why, _rich),
        "tokens": tokens,
        "matrices": [],
        "steps": [],
        "looks": [],
    }
    match stage.kind:
        case "tokens":
            tokens.append(handout.example.tokens)
            if handout.example.context is not None:
                tokens.append(key_tokens(handout.example))
        case "inputs" | "given":
            names = dict.fromkeys((part.matrix, part.head) for part in stage.parts)
            data["matrices"] = [_matrix(handout, *name) for name in names]
        case "step":
            data["steps"] = [_step(handout, stage.steps[0], stage.head, Markup())]
        case "head":
            titled_steps = zip(stage.steps, stage.step_words, strict=True)
            data["steps"] = [
                _step(handout, step, stage.head, handout.sentence(words.title))
                for step, words in titled_steps
            ]
        case "closing":
            data |= _closing(handout)
    return data


def _step(handout: _InEveryLanguage, step: Step, head: int | None, title: Markup) -> dict[str, object]:
    softmax, operands = step.op == "softmax", list(operands_of(handout.trace, step, head))
    if softmax:
        matrices = [_matrix(handout, step.operands[0].name, head)]  # it reads its own head's scores
    else:
        matrices = [
            _matrix(handout, operand.name, owner, transposed=operand.index == "jk")
            for operand, owner in operands
        ]
    sums = [_sum(derivation, line) for derivation, line in handout.sums(step, head, _PART.format)]
    handout.worked += len(sums)
    return {
        "title": title,
        "symbol": handout.symbol(step.name, head),
        "formula": formula(step, handout.example),
        "operands": matrices,
        "result": _matrix(handout, step.name, head, bars=softmax),
        "exponentials": _exponentials(handout, step, head or 0) if softmax else None,
        "room": _widths(handout, step, head) if layout_of(step) == "product" else "",
        "remarks": [handout.both(name) for name in handout.remarks(step, head)],
        "sums": sums,
        "left_out": handout.left_out(step, head),
    }


_PART: Final = "⟦{}⟧"
"""Marks each part of a line until it is turned into markup."""


def _sum(derivation: Derivation, line: str) -> dict[str, object]:
    """A cell's line, with the cells of each of its terms, which the page highlights one after another."""
    return {
        "row": derivation.cell.row + 1,
        "col": derivation.cell.col + 1,
        "key": key_of(derivation.cell),
        "terms": " ".join(",".join(map(key_of, term.cells)) for term in derivation.terms),
        "line": line,
    }


def _widths(handout: Handout, step: Step, head: int | None) -> str:
    """Widths shared by the upper factor and the result, so that their columns are aligned."""
    cells, labels = [], []
    operands = ((operand.name, owner) for operand, owner in operands_of(handout.trace, step, head))
    for name, owner in (*operands, (step.name, head)):
        rows = handout.trace.matrix(name, owner)
        show = handout.show(rows, given=handout.given(name, owner))
        cells += [show(number) for row in rows for number in row]
        labels += [*handout.labels(name, 0, len(rows)), *handout.labels(name, 1, len(rows[0]))]
    cell, label = (max(map(_width, texts)) for texts in (cells + labels, labels))
    return f"--cell:{min(cell, LABEL):.1f}ch;--label:{min(label, LABEL):.1f}ch"


SHEET: Final = 84
"""Width of a sheet of A4, in digits."""
EDGES: Final = 2.6
"""Width of a cell's padding and border, in digits."""


def _wrapped_width(down: list[str], across: list[str], cells: Iterable[str]) -> str:
    """The width of a cell if the table is wider than a sheet, so that its rows wrap there; else ""."""
    cell = max(_width(text) for text in (*cells, *(label[:LABEL] for label in across)))
    label = max(_width(text[:LABEL]) for text in down)
    wide = label + EDGES + len(across) * (cell + EDGES) > SHEET
    return f"--cell:{max(cell, label):.1f}ch" if wide else ""


def _width(text: str) -> float:
    """The approximate width of a text in digits; a Chinese character takes nearly two."""
    return sum(1.8 if east_asian_width(sign) in "WF" else 1.0 for sign in text)


def _exponentials(handout: Handout, step: Step, head: int) -> dict[str, object]:
    """A softmax's exponentials, with the sum of each row."""
    rows = exponentials_of(handout.trace, step, head)
    exponentials = [list(row.exponentials) for row in rows]
    show = handout.show(exponentials, given=False)
    sink = [handout.symbol(operand.name, head).replace("_0", "₀") for operand in step.operands[1:]]
    queries = handout.labels(step.name, 0, len(exponentials))
    keys = [*handout.labels(step.name, 1, len(exponentials[0]) - len(sink)), *sink]
    return {
        "shifted": any(row.shift for row in rows),
        "wide": _wrapped_width(
            queries, [*keys, ""], (show(number) for line in exponentials for number in line)
        ),
        "across": keys,
        "rows": [
            {"label": label, "exponentials": list(map(show, row.exponentials)), "total": show(row.total)}
            for label, row in zip(queries, rows, strict=True)
        ],
    }


class _Cell(TypedDict):
    """A cell of a table: ``bar`` is its share, from 0 to 1, where it has one."""

    key: str
    text: str
    bar: str


def _matrix(
    handout: _InEveryLanguage, name: str, head: int | None, *, transposed: bool = False, bars: bool = False
) -> dict[str, object]:
    rows = handout.trace.matrix(name, head)
    is_repeated = (name, head) in handout.shown
    handout.shown.add((name, head))
    show = handout.show(rows, given=handout.given(name, head))
    down, across = (handout.labels(name, axis, len(rows[0]) if axis else len(rows)) for axis in (0, 1))
    cells: list[list[_Cell]] = [
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
        "again": is_repeated,
        "symbol": handout.symbol(name, head) + ("ᵀ" if transposed else ""),
        "wide": _wrapped_width(down, across, (cell["text"] for line in cells for cell in line)),
        "across": across,
        "rows": [{"label": label, "cells": line} for label, line in zip(down, cells, strict=True)],
    }


def key_of(cell: Cell) -> str:
    """A cell's name on the page: ``weights|0|1|2``."""
    return f"{cell.name}|{'' if cell.head is None else cell.head}|{cell.row}|{cell.col}"


def _closing(handout: _InEveryLanguage) -> dict[str, object]:
    """The result, and the key with the largest weight of each query, head by head."""
    keys, heads = key_tokens(handout.example), looked_at(handout.trace)
    result = result_of(handout.example)

    def cells(query: int) -> Iterator[tuple[str, str]]:
        for head in heads:
            looked = head[query]
            names = [keys[key] for key in looked.keys] if looked else []
            yield (handout.tied(names), fixed(looked.weight, handout.decimals)) if looked else ("", "")

    return {
        "result": None if result is None else _matrix(handout, result, None),
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
    """One of our own sentences, with W_Q as a subscript and e^−∞ as a superscript."""
    marked = re.sub(r"(?<=\b[A-Za-z])_([A-Za-z]\w*)", r"<sub>\1</sub>", str(escape(text)), flags=re.ASCII)
    return Markup(re.sub(r"\^([−\d∞]+)", r"<sup>\1</sup>", marked))  # noqa: S704  # escaped above


def _arithmetic(line: str) -> Markup:
    """A line of arithmetic: its parts marked, exponents of e as superscripts, what follows _ as a subscript."""
    marked = EXPONENTIAL.sub(lambda power: f"e<sup>{power[1] or power[2]}</sup>", str(escape(line)))
    marked = re.sub(r"_([^\W_]+)", r"<sub>\1</sub>", marked)
    return Markup(re.sub("⟦(.*?)⟧", r"<span>\1</span>", marked))  # noqa: S704  # escaped above
