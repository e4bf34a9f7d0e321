"""The whole walk as one HTML page to take away: complete in itself, it opens anywhere and can be printed.

``handout.html.jinja`` is the page; here its parts are collected as plain data. What a visitor wrote (title, note,
tokens) is text in it, never markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final
from unicodedata import east_asian_width

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from mha_core import Trace
from mha_core.compute.graph import formula
from mha_core.compute.operations import Step
from mha_core.example.model import key_tokens
from mha_core.messages import LANGUAGE
from mha_core.numbers import fixed
from mha_core.walk.handout import EXPONENTIAL, Handout
from mha_core.walk.stages import Stage, exponentials_of, layout_of, looked_at, operands_of, result_of

_HERE: Final = Path(__file__).resolve().parent


def as_html(trace: Trace, language: str = "en", decimals: int = 4) -> str:
    """The walk as one HTML page: no script, nothing fetched, made to be printed too.

    Every number of the trace stands in a cell whose ``data-cell`` names it: ``weights|0|1|2``. Raises
    ``ExportError`` for a walk of more numbers than ``handout.MOST_NUMBERS``.
    """
    told = Handout(trace, language, decimals)
    return _template().render(
        lang=LANGUAGE[language].tag,
        style=Markup((_HERE / "handout.css").read_text("utf-8")),  # noqa: S704  # a file of ours
        title=told.title,
        note=told.note,
        source=told.example.source,
        say=told.say,
        stages=[_stage(told, number, stage) for number, stage in enumerate(told.stages, 1)],
    )


@cache
def _template() -> Template:
    page = Environment(
        autoescape=True, keep_trailing_newline=True, loader=FileSystemLoader(_HERE), undefined=StrictUndefined
    )
    page.filters |= {"symbol": _symbol, "rich": _rich, "arithmetic": _arithmetic}
    return page.get_template("handout.html.jinja")


def _stage(told: Handout, number: int, stage: Stage) -> dict[str, Any]:
    heading = told.heading(number, stage)
    found: dict[str, Any] = {
        "id": stage.id,
        "heading": heading,
        "title": heading.partition(". ")[2],
        "what": told.text(stage.words.what),
        "why": told.text(stage.words.why),
        "tokens": [],
        "matrices": [],
        "steps": [],
        "looks": [],
    }
    match stage.kind:
        case "tokens":
            found["tokens"] = [told.example.tokens]
            if told.example.context is not None:
                found["tokens"].append(key_tokens(told.example))
        case "inputs" | "given":
            names = dict.fromkeys((part.matrix, part.head) for part in stage.parts)
            found["matrices"] = [_matrix(told, *name) for name in names]
        case "step":
            found["steps"] = [_step(told, stage.steps[0], stage.head, "")]
        case "head":
            titled = zip(stage.steps, stage.step_words, strict=True)
            found["steps"] = [_step(told, step, stage.head, told.text(words.title)) for step, words in titled]
        case "closing":
            found |= _closing(told)
    return found


def _step(told: Handout, step: Step, head: int | None, title: str) -> dict[str, Any]:
    softmax, operands = step.op == "softmax", list(operands_of(told.trace, step, head))
    if softmax:
        drawn = [_matrix(told, step.operands[0].name, head)]  # it reads its own head's scores
    else:
        drawn = [_matrix(told, one.name, owner, transposed=one.index == "jk") for one, owner in operands]
    return {
        "title": title,
        "symbol": told.symbol(step.name, head),
        "formula": formula(step, told.example),
        "operands": drawn,
        "result": _matrix(told, step.name, head, bars=softmax),
        "exponentials": _exponentials(told, step, head or 0) if softmax else None,
        "room": _room(told, step, head) if layout_of(step) == "product" else "",
        "remarks": list(told.remarks(step, head)),
        "sums": list(told.sums(step, head)),
        "left_out": told.left_out(step, head),
    }


def _room(told: Handout, step: Step, head: int | None) -> str:
    """Widths that the factor above and the result share, so that column j stands above its column."""
    cells, labels = [], []
    operands = ((operand.name, of) for operand, of in operands_of(told.trace, step, head))
    for name, owner in (*operands, (step.name, head)):
        rows = told.trace.matrix(name, owner)
        show = told.show(rows, given=told.given(name, owner))
        cells += [show(number) for row in rows for number in row]
        labels += [*told.labels(name, 0, len(rows)), *told.labels(name, 1, len(rows[0]))]
    cell, label = (max(map(_width, texts)) for texts in (cells + labels, labels))
    return f"--cell:{min(cell, 14):.1f}ch;--label:{min(label, 14):.1f}ch"


def _width(text: str) -> float:
    """About how many digits wide a text stands: a Chinese character takes nearly two."""
    return sum(1.8 if east_asian_width(sign) in "WF" else 1.0 for sign in text)


def _exponentials(told: Handout, step: Step, head: int) -> dict[str, Any]:
    """A softmax's exponentials, with the sum of each row."""
    rows = exponentials_of(told.trace, step, head)
    exponentials = [list(row.exponentials) for row in rows]
    show = told.show(exponentials, given=False)
    queries, keys = (
        told.labels(step.name, axis, len(exponentials[0]) if axis else len(exponentials)) for axis in (0, 1)
    )
    return {
        "shifted": any(row.shift for row in rows),
        "across": keys,
        "rows": [
            {"label": label, "exponentials": list(map(show, row.exponentials)), "total": show(row.total)}
            for label, row in zip(queries, rows, strict=True)
        ],
    }


def _matrix(
    told: Handout, name: str, head: int | None, *, transposed: bool = False, bars: bool = False
) -> dict[str, Any]:
    rows = told.trace.matrix(name, head)
    show = told.show(rows, given=told.given(name, head))
    down, across = (told.labels(name, axis, len(rows[0]) if axis else len(rows)) for axis in (0, 1))
    cells = [
        [
            {
                "key": f"{name}|{'' if head is None else head}|{i}|{j}",
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
        "symbol": told.symbol(name, head) + ("ᵀ" if transposed else ""),
        "across": across,
        "rows": [{"label": label, "cells": line} for label, line in zip(down, cells, strict=True)],
    }


def _closing(told: Handout) -> dict[str, Any]:
    """The result, and the key that each query looks most at, head by head."""
    keys, heads = key_tokens(told.example), looked_at(told.trace)
    end = result_of(told.example)

    def cells(query: int) -> Iterator[tuple[str, str]]:
        for head in heads:
            found = head[query]
            yield ("", "") if found is None else (keys[found[0]], fixed(found[1], told.decimals))

    return {
        "result": None if end is None else _matrix(told, end, None),
        "heads": [told.head(head) for head in range(len(heads))],
        "looks": [
            {"label": token, "cells": list(cells(query))} for query, token in enumerate(told.example.tokens)
        ],
    }


def _symbol(text: str) -> Markup:
    """``W_Q`` with its subscript, ``Kᵀ`` with its superscript."""
    marked = re.sub(r"_(\w+?)(?=\b|ᵀ)", r"<sub>\1</sub>", str(escape(text)))
    return Markup(f'<span class="symbol">{marked}</span>')  # noqa: S704  # escaped above


def _rich(text: str) -> Markup:
    """A sentence of ours, its W_Q with a subscript and its e^−∞ with a superscript."""
    marked = re.sub(r"(?<=[A-Za-z])_([A-Za-z]\w*)", r"<sub>\1</sub>", str(escape(text)), flags=re.ASCII)
    return Markup(re.sub(r"\^([−\d∞]+)", r"<sup>\1</sup>", marked))  # noqa: S704  # escaped above


def _arithmetic(line: str) -> Markup:
    """A line of arithmetic: what stands above e as a superscript, what follows _ as a subscript."""
    marked = EXPONENTIAL.sub(lambda power: f"e<sup>{power[1] or power[2]}</sup>", str(escape(line)))
    return Markup(re.sub(r"_([^\W_]+)", r"<sub>\1</sub>", marked))  # noqa: S704  # escaped above
