"""Tables of a lesson as plain data: every number with the arithmetic that gives it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypedDict

from mha_core.compute.derive import Cell, arithmetic, derive
from mha_core.compute.graph import symbol
from mha_core.compute.trace import Rows, Trace
from mha_core.example.model import key_tokens, kv_head_of
from mha_core.numbers import fixed, rounded
from mha_core.vocabulary import AXES, ENTRY, NAMES, PER_HEAD, STEPS
from mha_view.figures.labels import labels
from mha_view.language import Words

DECIMALS = 2


class SceneCell(TypedDict):
    """A number as text. ``share``: how strong its color is, −1 to 1. ``why``: its arithmetic; "" where it is given."""

    text: str
    share: float
    why: str


class SceneTable(TypedDict):
    """A matrix: its letter, what it is in words, its labels and its numbers. ``marked``: the row that the lesson
    follows. ``hue``: the role of its color, "weight" for shares.
    """

    symbol: str
    word: str
    rows: Sequence[str]
    cols: Sequence[str]
    cells: Sequence[Sequence[SceneCell]]
    marked: int | None
    hue: str


class SceneLines(TypedDict):
    """Attention as lines from queries to keys, as thick as the weights. ``marked``: the query that is followed."""

    queries: Sequence[str]
    keys: Sequence[str]
    weights: Sequence[Sequence[float]]
    marked: int | None
    about: str


class SceneGroup(TypedDict):
    """Tables that belong together. ``area``: its place in the layout; ``card``: neighbors of the same card are framed
    together; ``head``: the head whose color it has.
    """

    area: str
    card: str
    title: str
    note: str
    head: int | None
    lines: SceneLines | None
    tables: Sequence[SceneTable]


def group(
    tables: Sequence[SceneTable],
    title: str = "",
    note: str = "",
    *,
    area: str = "",
    card: str = "",
    head: int | None = None,
    lines: SceneLines | None = None,
) -> SceneGroup:
    """A group of tables."""
    return {
        "area": area,
        "card": card,
        "title": title,
        "note": note,
        "head": head,
        "lines": lines,
        "tables": tables,
    }


def table(
    sign: str,
    word: str,
    numbers: Rows,
    *,
    rows: Sequence[str] = (),
    cols: Sequence[str] = (),
    why: Callable[[int, int], str] = lambda row, col: "",
    hue: str = "",
    marked: int | None = None,
) -> SceneTable:
    """A table of these numbers; ``why(row, col)`` is a cell's arithmetic."""
    top = (
        1.0 if hue == "weight" else max((abs(number) for row in numbers for number in row), default=0) or 1.0
    )
    show = fixed if hue == "weight" else rounded
    cells: list[list[SceneCell]] = [
        [
            {"text": _typeset(show(number, DECIMALS)), "share": number / top, "why": why(i, j)}
            for j, number in enumerate(row)
        ]
        for i, row in enumerate(numbers)
    ]
    return {
        "symbol": sign,
        "word": word,
        "rows": rows,
        "cols": cols,
        "cells": cells,
        "marked": marked,
        "hue": hue,
    }


def _typeset(text: str) -> str:
    return text.replace("-", "−")


def traced(
    trace: Trace,
    name: str,
    words: Words,
    head: int | None = None,
    *,
    only: Sequence[int] | None = None,
    marked: int | None = None,
) -> SceneTable:
    """A matrix of a trace, with the derivation of each of its numbers; ``only``: the rows that are shown."""
    example = trace.example
    owner = kv_head_of(example, name, head or 0) if name in PER_HEAD else None
    numbers = trace.matrix(name, owner)
    shown = range(len(numbers)) if only is None else only
    tokens = {"n_q": labels(example.tokens).names, "n_k": labels(key_tokens(example)).names}
    down, across = AXES[name]
    is_computed = name in STEPS and name in trace.values and not _is_given(trace, name, owner)

    def why(row: int, col: int) -> str:
        if not is_computed:
            return ""
        return arithmetic(derive(trace, Cell(name, owner, shown[row], col)), DECIMALS)

    letter = symbol(name, example).replace("head_i", f"head_{(head or 0) + 1}")
    return table(
        letter,
        words(NAMES[name]),
        [numbers[row] for row in shown],
        rows=[tokens[down][row] for row in shown] if down in tokens else (),
        cols=tokens.get(across, ()),
        why=why,
        hue="weight" if name == "weights" else ENTRY[name].role,
        marked=marked,
    )


def _is_given(trace: Trace, name: str, head: int | None) -> bool:
    return head is not None and getattr(trace.example.heads[head], name, None) is not None


def lines(trace: Trace, head: int, about: str, marked: int | None = None) -> SceneLines:
    """A head's attention as lines; ``about`` says it in words."""
    example = trace.example
    return {
        "queries": labels(example.tokens).names,
        "keys": labels(key_tokens(example)).names,
        "weights": trace.values["weights"][head],
        "marked": marked,
        "about": about,
    }
