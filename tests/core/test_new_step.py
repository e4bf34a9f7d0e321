"""A step and an operation that are added in six files are traced, derived, checked, exported and walked."""

from math import exp, isclose

import pytest

from mha_core import built_in, graph
from mha_core.example.model import POSITIONS, absent_steps
from mha_core.vocabulary import ENTRY, SCORINGS, STEPS
from tests.apply import apply
from tests.core.new_step import ROOT, output_of, with_the_step
from tests.sizes import each

SCRIPT = """
import json
from dataclasses import replace
from mha_core import Cell, arithmetic, built_in, derive, dump, feeds, formula, parse, trace
from mha_core.check.check import check
from mha_core.check.report import as_markdown
from mha_core.compute.derive import cells
from mha_core.compute.gradients import gradients
from mha_core.export import export
from mha_core.export.documents import latex_document, markdown_document
from mha_core.notation.columns import entries
from mha_core.walk.stages import walk

NAME = "softened_scores"


def ran(target):
    # a program asserts the example's numbers itself
    program = export(example, target)
    exec(program, {"print": lambda *_: None})
    return program


example = built_in("first")
computed = trace(example)
made = [cell for cell in cells(computed) if cell.name == NAME]
derived = [derive(computed, cell) for cell in made]
right = tuple(tuple(map(tuple, rows)) for rows in computed.values[NAME])
wrong = (((round(right[0][0][0] + 0.5, 4), *right[0][0][1:]), *right[0][1:]), *right[1:])
verdict = check(replace(example, claimed={NAME: wrong}))
stage = next(stage for stage in walk(computed) if stage.id == NAME)
step = next(step for step in computed.steps if step.name == NAME)
slope = gradients(computed, Cell(NAME, 0, 0, 0))["scaled_scores"][0][0][0]
print(json.dumps({
    "order": [one.name for one in computed.steps],
    "scaled": computed.values["scaled_scores"],
    "values": computed.values[NAME],
    "weights": computed.values["weights"],
    "formula": formula(step, example),
    "arithmetic": arithmetic(derived[0]),
    "terms": [[tuple(cell) for cell in term.cells] for term in derived[0].terms],
    "recombined": [one.recombined() for one in derived],
    "derived": [one.value for one in derived],
    "fed": [tuple(cell) for cell in feeds(computed, Cell("scaled_scores", 0, 0, 0))],
    "slope": slope,
    "right": check(parse(dump(replace(example, claimed={NAME: right})))).ok,
    "wrong": [(name, len(step.wrong)) for name, step in verdict.steps.items() if step.wrong],
    "report": as_markdown(verdict, "en"),
    "title": stage.step_words[0].title.translated("zh"),
    "what": stage.step_words[0].what.translated("en"),
    "parts": len(stage.parts),
    "latex": latex_document(computed),
    "markdown": markdown_document(computed),
    "numpy": ran("numpy"),
    "scratch": ran("torch-scratch"),
    "columns": [entry.column.formula for entry in entries(example, 0) if entry.name == NAME],
}))
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return output_of(with_the_step(tmp_path_factory.mktemp("new-step")), SCRIPT)


def test_it_is_traced_where_it_is_declared(results):
    order = results["order"]
    assert order.index("scaled_scores") + 1 == order.index("softened_scores") == order.index("weights") - 1
    soft = [[[number / (1 + abs(number)) for number in row] for row in rows] for rows in results["scaled"]]
    assert results["values"] == soft
    row = results["values"][0][0]
    assert isclose(results["weights"][0][0][0], exp(row[0]) / sum(map(exp, row)))


def test_it_is_derived_to_its_terms_and_differentiated(results):
    assert results["formula"] == "soften(S/√d_k)"
    assert results["terms"] == [[["scaled_scores", 0, 0, 0]]]
    assert results["fed"] == [["softened_scores", 0, 0, 0]]
    assert results["recombined"] == pytest.approx(results["derived"], rel=1e-12)
    before = results["scaled"][0][0][0]
    assert results["arithmetic"].startswith(f"{before:.4f}".rstrip("0").rstrip(".") + " ÷ (1 + |")
    assert isclose(results["slope"], 1 / (1 + abs(before)) ** 2)


def test_numbers_for_it_are_checked(results):
    assert results["right"]
    assert results["wrong"] == [["softened_scores", 1]]
    assert "softened scores, head 1, row 1, column 1" in results["report"]


def test_it_has_sentences_and_is_written(results):
    assert results["title"] == "Softening"  # nobody has translated it yet
    assert "S_W" in results["what"]
    assert results["parts"] == len(results["values"][0])
    assert r"\section*{Softened scores}" in results["latex"]
    assert "## Softened scores" in results["markdown"]
    assert results["columns"] == ["soften(S′/√d_k)"]


def test_programs_compute_it_and_find_its_numbers(results):
    assert "scores = scores / (1 + np.abs(scores))" in results["numpy"]
    assert "scores = scores / (1 + scores.abs())" in results["scratch"]


def test_few_files_name_a_step():
    """The vocabulary, the declaration, the programs' templates and the walk's words."""
    files = [
        path
        for folder in ("mha_core", "mha_view", "mha_ui", "pages")
        for path in (ROOT / folder).rglob("*.*")
    ]
    code = [path for path in files if path.suffix in (".py", ".js", ".css", ".html")]
    naming = [path.name for path in code if "biased_scores" in path.read_text("utf-8")]
    assert sorted(naming) == ["graph.py", "templates.py", "vocabulary.py", "wording.py"]


@each("kind", ["none", *POSITIONS])
@each("scoring", SCORINGS)
@each("name", ["first", "output-projection", "translation"])
def test_what_the_vocabulary_calls_absent_is_not_declared(name, scoring, kind):
    example = built_in(name)
    for edit in ({"op": "scoring", "kind": scoring}, {"op": "positions", "kind": kind}):
        example = apply(example, edit)
    declared = {step.name for step in graph(example)}
    assert {step for step in STEPS if ENTRY[step].only and step not in declared} == {*absent_steps(example)}
