"""The page Check with different numbers filled in, the solutions of a class, and the link to hand out."""

from collections.abc import Mapping
from typing import Any

from mha_core import MhaError
from mha_core.check.check import check
from mha_core.check.outcome import Verdict
from mha_core.marks.marks import paper
from mha_core.marks.scheme import Scheme
from mha_ui import state
from mha_ui.check.model import check_payload
from mha_ui.check.solutions import solutions_payload
from tests.js.dom.works import after, claim, opened, work, written


def payloads() -> dict[str, Any]:
    blank = opened(example="first")
    scores = claim("scores", 0, written(blank, "scores", 0))
    divided = claim("scaled_scores", 0, written(blank, "scaled_scores", 0))
    wrong = after(blank, claim("v", 0, [["-12.3456"]]))
    one = after(blank, claim("q", 0, [["1.00"]]))
    text = {"op": "claim_text", "matrix": "q", "head": 0, "row": 0, "col": 0, "whole": True}
    works = {
        "blank": blank,
        "not divided": after(blank, scores, scores | {"matrix": "scaled_scores"}),
        "all right": after(blank, scores, divided),
        "one wrong": wrong,
        "one number": one,
        "refused": after(one, text | {"text": "1 2\n3 x"}),
        "follows": _follows(),
        "published": opened(example="published"),
    }
    return {name: check_payload(work) for name, work in works.items()} | {"solutions": _solutions(works)}


def _follows() -> state.Work:
    """A weight that is wrong by itself, and outputs that are right for the wrong weights. In Chinese."""
    begun = work("water", "zh")
    weights = begun.trace.matrix("weights", 0)
    wrong = [[weights[0][0] + 0.2, *weights[0][1:]], *weights[1:]]
    columns = [*zip(*begun.trace.matrix("v", 0), strict=True)]
    outputs = [[sum(a * v for a, v in zip(row, column, strict=True)) for column in columns] for row in wrong]
    texts = [[[f"{number:.3f}" for number in row] for row in rows] for rows in (wrong, outputs)]
    return after(begun, claim("weights", 0, texts[0]), claim("head_outputs", 0, texts[1]))


def _solutions(works: dict[str, state.Work]) -> Mapping[str, object]:
    verdicts: list[tuple[str, Verdict | MhaError]] = [
        ("<b>broken.mha.json", MhaError("no JSON")),
        ("wrong 10.mha.json", check(works["not divided"].example)),
        ("right.mha.json", check(works["all right"].example)),
        ("wrong 9.mha.json", check(works["one wrong"].example)),
    ]
    return solutions_payload(
        works["blank"], [paper(name, verdict, "en") for name, verdict in verdicts], Scheme()
    )
