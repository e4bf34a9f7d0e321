"""Texts with what is to be found in them, ``NAME/text.md`` beside ``NAME/expected.json``: reading and comparing.

``expected.json`` has

    {"language": "en",
     "matrices": [{"name": "w_q", "head": 1, "line": 12}, …],      head from 1, null for the whole layer's
     "example": {"x": …, "heads": […]}, a list of several of these, or null,
     "wrong": [{"name": "weights", "head": 1, "row": 0, "col": 2, "printed": "0.3", "right": "0.2"}, …]}
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from mha_core.errors import MhaError
from mha_core.read.report import Article, as_json, read_all

NEAR = 2
"""A matrix may begin so many lines from where it is expected: at its left side or at its first row."""


@dataclass
class Case:
    """What came of one text."""

    name: str
    seconds: float = 0.0
    matrices: int = 0
    placed: int = 0
    example: bool | None = None
    certain_but_wrong: list[str] = field(default_factory=list)
    found: int = 0
    missed: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)
    error: str = ""


def cases(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The texts of a folder with what is expected of each."""
    for expected in sorted(folder.glob("*/expected.json")):
        text = next(path for path in sorted(expected.parent.iterdir()) if path.stem == "text")
        yield text, json.loads(expected.read_text("utf-8"))


def measured(text: Path, expected: dict[str, Any]) -> Case:
    """Read one text and compare."""
    case = Case(text.parent.name)
    begin = perf_counter()
    try:
        article: Article | None = read_all(text.read_bytes(), text.name)
    except MhaError as error:
        article, case.error = None, str(error)
    case.seconds = perf_counter() - begin
    report = as_json(article) if article else {"examples": [], "unused": []}
    if article is not None and text.suffix == ".ipynb":
        _count_lines_of_cells(article, report)
    _compare_matrices(case, report, expected)
    if expected.get("example") is not None:
        several = isinstance(expected["example"], list)
        wanted = expected["example"] if several else [expected["example"]]
        found = [one["example"] for one in report["examples"]]
        case.example = all(any(_same_example(got, one) for got in found) for one in wanted)
    elif report["examples"] and expected.get("example", 0) is None and not expected["matrices"]:
        case.certain_but_wrong.append("an example where there is none")
    _compare_wrong(case, report, expected)
    return case


def _count_lines_of_cells(article: Article, report: dict[str, Any]) -> None:
    """Lines of a notebook as ``expected.json`` counts them: those of the cells' sources and outputs."""
    edges, lines, at, line = list[int](), list[int](), 0, 1
    sources = _parts_of(article.document.source)
    for part in sources:
        edges.append(at)
        lines.append(line)
        at += len(part) + len("\n\n")
        line += part.removesuffix("\n").count("\n") + 1
    found = [*report["unused"], *(one for example in report["examples"] for one in example["matrices"])]
    for one in found:
        place = article.document.origin.index(one["start"])
        n = bisect_right(edges, place) - 1
        one["line"] = lines[n] + sources[n][: place - edges[n]].count("\n")


def _parts_of(notebook: str) -> list[str]:
    parts = []
    for cell in json.loads(notebook)["cells"]:
        outputs = [
            one.get("text", one.get("data", {}).get("text/plain", "")) for one in cell.get("outputs", [])
        ]
        parts += ["".join(part) for part in (cell["source"], *outputs)]
    return parts


def _compare_matrices(case: Case, report: dict[str, Any], expected: dict[str, Any]) -> None:
    found = [one for example in report["examples"] for one in example["matrices"]] + report["unused"]
    heads = {one["head"] for one in expected["matrices"]}
    case.matrices = len(expected["matrices"])
    unplaced = []
    for wanted in expected["matrices"]:
        near = [one for one in found if abs(one["line"] - wanted["line"]) <= NEAR]
        same = [one for one in near if one["name"] == wanted["name"] and _head(one) in _heads(wanted, heads)]
        if same:
            case.placed += 1
            found.remove(min(same, key=lambda one: abs(one["line"] - wanted["line"])))
        else:
            unplaced.append(wanted)
    for wanted in unplaced:  # what is left of several matrices in one line
        near = [one for one in found if abs(one["line"] - wanted["line"]) <= NEAR]
        got = min(near, key=lambda one: abs(one["line"] - wanted["line"]), default=None)
        shown = f"{wanted['name']} {wanted['head']} {wanted['line']} {str(wanted.get('printed'))[:60]}"
        case.unplaced.append(f"{shown} got {got and (got['name'], _head(got), got['line'])}")
        if got and got["certain"] and got["name"] is not None and got["line"] == wanted["line"]:
            case.certain_but_wrong.append(
                f"{wanted['name']} of head {wanted['head']} as {got['name']} of {_head(got)}"
            )


def _head(one: dict[str, Any]) -> int | None:
    return None if one["head"] is None else one["head"] + 1


def _heads(wanted: dict[str, Any], heads: set[int | None]) -> set[int | None]:
    """The only head of a layer may be numbered or not."""
    return {wanted["head"], 1, None} if heads <= {None, 1} else {wanted["head"]}


def _same_example(got: dict[str, Any], wanted: dict[str, Any]) -> bool:
    def numbers(value: Any) -> Any:
        return [numbers(item) for item in value] if isinstance(value, list) else round(float(value), 6)

    def heads(example: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {name: numbers(rows) for name, rows in head.items() if rows is not None and name != "mask"}
            for head in example["heads"]
        ]

    x_given, x_wanted = got.get("x"), wanted.get("x")
    if heads(got) != heads(wanted):
        return False
    return x_given is None or x_wanted is None or numbers(x_given) == numbers(x_wanted)


def _compare_wrong(case: Case, report: dict[str, Any], expected: dict[str, Any]) -> None:
    got = {
        (one["name"], _head(one), one["row"], one["col"], _plain(one["printed"]))
        for example in report["examples"]
        for one in example["wrong"]
    }
    best: tuple[set[Any], set[Any]] = (set(), set())
    for base in (0, 1):  # rows and columns counted from 0 or from 1
        wanted = {
            (one["name"], one["head"], one["row"] - base, one["col"] - base, _plain(one["printed"]))
            for one in expected.get("wrong", [])
        }
        single = {one[1] for one in wanted} <= {None, 1}
        mine = {_without_head(one) for one in got} if single else got
        wanted = {_without_head(one) for one in wanted} if single else wanted
        if base == 0 or len(wanted & mine) > len(best[0] & best[1]):
            best = wanted, mine
    wanted, mine = best
    case.found = len(wanted & mine)
    case.missed = [str(one) for one in sorted(wanted - mine, key=str)]
    case.invented = [str(one) for one in sorted(mine - wanted, key=str)]


def _without_head(one: tuple[Any, ...]) -> tuple[Any, ...]:
    return (one[0], *one[2:])


def _plain(printed: str) -> str:
    return str(printed).replace("−", "-").replace(" ", "").rstrip("%")
