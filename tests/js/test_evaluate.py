"""The browser's evaluator in Node, against torch: every step by itself, and all of them from the inputs alone."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given

from mha_core import Cell, Example, arithmetic, built_in, derive, feeds, from_arrays, library, trace
from mha_core.compute.derive import backward_cells
from mha_core.compute.operations import OPERATIONS
from mha_view.tables import numbers
from mha_view.tables.backward import with_backward
from tests.apply import apply
from tests.core.goals import with_goals
from tests.core.new_step import output_of, with_the_step
from tests.core.strategies import examples
from tests.extremes.draw import drawn
from tests.sizes import lengthened, tries

MOST_ULP = 4.0
"""How far a step may be from torch's, in ulp of the sum of its terms' absolute values, or of its own."""
MOST_OFF = 1e-9
"""How far the whole chain may be, as a share of the largest number in a table and in those that it is computed from."""

Evaluated = dict[str, Any]
SCRIPT = Path(__file__).with_name("evaluator.mjs")
NEW_STEP = """
import json
from mha_core import built_in, trace
from mha_view.tables import numbers
print(json.dumps(numbers(trace(built_in("first")), "en", 4)))
"""


class Evaluator:
    """Node with ``evaluator.mjs``: a model a line."""

    def __init__(self, script: Path = SCRIPT) -> None:
        node = shutil.which("node")
        if node is None:
            pytest.fail("Node runs the tests of the JavaScript, and there is none: install Node 20 or newer.")
        self.process = subprocess.Popen(
            [node, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.known: list[str] = self._line()

    def _line(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def evaluated(self, model: Mapping[str, Any]) -> Evaluated:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(model) + "\n")
        self.process.stdin.flush()
        found: Evaluated = self._line()
        return found

    def __call__(self, example: Example) -> Evaluated:
        return self.evaluated(numbers(trace(example), "en", 4))

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Evaluator]:
    evaluator = Evaluator()
    yield evaluator
    evaluator.stop()


def assert_steps(found: Evaluated) -> None:
    for operation, worst in found["steps"].items():
        assert float(worst["off"]) <= MOST_ULP, (operation, worst)


def assert_chain(example: Example, found: Evaluated) -> None:
    assert found["chain"]["any"] or float(found["chain"]["worst"]) <= MOST_OFF, found["chain"]
    if example.mask is not None:
        assert found["chain"]["dead"] == [list(head) for head in trace(example).fully_masked]


def assert_shifts(example: Example, found: Evaluated) -> None:
    """Softmax takes from the scores what the lines of arithmetic say that it takes."""
    for mine, right in zip(found["chain"]["shifts"], trace(example).shifts, strict=True):
        assert mine == pytest.approx(right, rel=1e-9, abs=1e-12)


def test_the_browser_has_every_operation(evaluate):
    assert sorted(evaluate.known) == sorted(OPERATIONS)


@pytest.mark.parametrize("name", library())
def test_built_in_examples_are_what_torch_computes(evaluate, name):
    found = evaluate(built_in(name))
    assert_steps(found)
    assert_chain(built_in(name), found)
    assert_shifts(built_in(name), found)


@pytest.mark.parametrize("score", [-2.5, -2.0, 9.0, 9.5])
def test_the_largest_score_is_subtracted_where_powers_are_hard_to_read(evaluate, score):
    scored = from_arrays(
        x=[[1.0], [1.0]], heads=[{"w_q": [[score]], "w_k": [[1.0]], "w_v": [[1.0]]}], scale="none"
    )
    assert_shifts(scored, evaluate(scored))


@tries(60)
@given(example=examples(claims=False, variants=True))
def test_any_example_is_what_torch_computes(evaluate, example):
    found = evaluate(example)
    assert_steps(found)
    assert_chain(example, found)


def test_extreme_numbers_are_what_torch_computes_step_by_step(evaluate):
    for seed in range(lengthened(60)):
        for operation, worst in evaluate(drawn(Random(seed)))["steps"].items():
            assert float(worst["off"]) <= MOST_ULP, (seed, operation, worst)


def test_a_new_operation_is_one_function_here(tmp_path):
    folder = with_the_step(tmp_path)
    script = folder / "tests" / "js" / SCRIPT.name
    script.parent.mkdir(parents=True)
    script.write_bytes(SCRIPT.read_bytes())
    evaluator = Evaluator(script)
    found = evaluator.evaluated(output_of(folder, NEW_STEP))
    evaluator.stop()
    assert "soften" in evaluator.known
    assert_steps(found)
    assert_chain(built_in("first"), found)


def test_an_unknown_operation_leaves_all_numbers_to_the_server(evaluate):
    assert evaluate(built_in("first"))["refuses"]


# --- the backward pass ---


@tries(30)
@given(example=with_goals())
def test_the_backward_pass_is_what_torch_computes(evaluate, example):
    """All steps from the inputs alone, those of the loss and of its derivatives among them."""
    computed = trace(example)
    found = evaluate.evaluated(with_backward(computed, "en", 4))
    assert found["chain"]["any"] or float(found["chain"]["worst"]) <= MOST_OFF, found["chain"]


@tries(5)
@given(example=with_goals())
def test_the_browser_reads_the_terms_of_backward_cells_as_derive_does(evaluate, example):
    computed = trace(example)
    model = with_backward(computed, "en", 4)
    found = evaluate.evaluated(model | {"ask": [list(cell) for cell in backward_cells(computed)]})["asked"]
    for cell, (terms, fed, line) in zip(backward_cells(computed), found, strict=True):
        assert [[Cell(*one) for one in term] for term in terms] == [
            list(term.cells) for term in derive(computed, cell).terms
        ], cell
        assert {Cell(*one) for one in fed} == set(feeds(computed, cell)), cell
        if line:
            assert _plain(line) == _plain(arithmetic(derive(computed, cell))), (
                cell,
                line,
                arithmetic(derive(computed, cell)),
            )


def _plain(line):
    """Without parentheses and ^: the page sets powers higher, and has no parentheses around a result."""
    return line.translate(str.maketrans("", "", "()^"))


def test_a_line_has_a_setting_wherever_it_names_it(evaluate):
    computed = trace(apply(built_in("scaled"), {"op": "softcap", "value": 2}))
    cell = Cell("capped_scores", 0, 0, 0)
    ((_, _, line),) = evaluate.evaluated(numbers(computed, "en", 4) | {"ask": [list(cell)]})["asked"]
    assert _plain(line) == _plain(arithmetic(derive(computed, cell)))
    assert line.count("2") >= 2
