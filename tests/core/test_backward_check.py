"""Checking one's own numbers of a backward pass, and an exercise on it: by the declaration and the check of the forward
pass.
"""

from dataclasses import replace

import pytest
from hypothesis import given

from mha_core import built_in, trace
from mha_core.check.backward_mistakes import BACKWARD_CATALOGUE
from mha_core.check.check import check
from mha_core.check.report import as_json, as_markdown
from mha_core.check.search import Search
from mha_core.compute.derive import Cell
from mha_core.errors import ExampleError
from mha_core.example.files import dump, parse
from mha_core.example.learning import Learning
from mha_core.exercise.exercise import askable, exercise
from mha_core.exercise.hints import exercise_cells, hints
from mha_core.exercise.judged import judged
from mha_core.vocabulary import BACKWARD_STEPS, PER_HEAD
from tests.apply import apply
from tests.core.goals import with_goals
from tests.core.test_backward import BY_HAND
from tests.sizes import each, tries
from tools.examples import narrow

ROWS = ((1.0, -2.0), (0.5, 3.0), (-1.0, 1.5))
OUTPUT = replace(built_in("output-projection"), learning=Learning("output", ROWS, 0.3), claimed=None)
"""Two heads, three tokens, biases and W_O; d_model = d_k = 4."""
ATTENTION = replace(OUTPUT, learning=Learning("weights", ((2, 0, 1), (None, 2, 0)), 0.3))
SQUARE = replace(narrow(3, 3, 2, 2), learning=Learning("weights", ((2, 0, 1), (None, 2, 0)), 0.3))
"""As many tokens as d_model: a wrong transpose of X has the right shape."""
ALSO = {
    "rows_averaged": {
        ("mean_of_loss",)
    },  # a third of a sum of three rows, and of a loss that is a mean of three rows
    "gradient_transposed": {("cells_exchanged",)},  # of a 2 × 2 matrix
}
"""Other causes that explain the same numbers as well."""


def written(rows, name, head=None):
    """A matrix as somebody writes it down: four decimals; alone, or as one head's."""
    matrix = tuple(tuple(f"{number:.4f}" for number in row) for row in rows)
    if name not in PER_HEAD:
        return matrix
    return tuple(matrix if at == head else None for at in range(2))


def planted(example):
    """Every way of every mistake that changes numbers: the mistake, its step and head, and the wrong numbers."""
    search = Search(trace(example))
    for key in search.steps:
        for mistake in BACKWARD_CATALOGUE:
            for wrong in mistake.wrong(search.at(key)) if key[0] in mistake.steps else ():
                right = search.exact(key)
                if wrong.shape[-2:] == right.shape and ((wrong[0] - right).abs() > 0.01).sum() > 1:
                    yield mistake.id, key, wrong[0].tolist()


PLANTED = {
    label: (example, name, head, rows)
    for example in (SQUARE, ATTENTION, OUTPUT)
    for label, (name, head), rows in planted(example)
}


@each("label", PLANTED)
def test_each_mistake_is_named(label):
    example, name, head, rows = PLANTED[label]
    verdict = check(replace(example, claimed={name: written(rows, name, head)}))
    named = {cause.ids for cause in verdict.steps[name].causes}
    assert (label,) in named
    assert named <= {(label,), *ALSO.get(label, ())}


def test_every_mistake_is_planted():
    assert PLANTED.keys() == {mistake.id for mistake in BACKWARD_CATALOGUE}


def test_a_mistake_in_a_step_that_is_not_written_down_is_named():
    """Only dW_Q is written, and r was forgotten three steps before it."""
    computed = trace(OUTPUT)
    weights, d_weights, k, x = (computed[name] for name in ("weights", "d_weights", "k", "x"))
    wrong = x.mT @ (weights * d_weights / computed.example.dims.sqrt_dk @ k)
    verdict = check(replace(OUTPUT, claimed={"d_w_q": written(wrong[0].tolist(), "d_w_q", 0)}))
    assert [cause.ids for cause in verdict.steps["d_w_q"].causes] == [("row_sum_forgotten",)]


@pytest.mark.parametrize(("table", "given"), [("d_w_k", "d_scores"), ("d_w_v", "weights")])
def test_a_factor_that_was_not_transposed_is_named_in_a_table_that_is_not_written_down(table, given):
    """dK = dS·Q, or dV = A·dhead, and only dW_K, or dW_V, is written."""
    computed = trace(OUTPUT)
    other = computed["q"] if table == "d_w_k" else computed["d_head_outputs"]
    wrong = computed["x"].mT @ (computed[given] @ other)
    verdict = check(replace(OUTPUT, claimed={table: written(wrong[0].tolist(), table, 0)}))
    assert ("keys_not_transposed",) in [cause.ids for cause in verdict.steps[table].causes]


def test_a_wrong_transpose_in_d_q_is_named_in_d_w_q_alone():
    computed = trace(OUTPUT)
    wrong = computed["x"].mT @ (computed["d_scores"].mT @ computed["k"])
    verdict = check(replace(OUTPUT, claimed={"d_w_q": written(wrong[0].tolist(), "d_w_q", 0)}))
    assert [cause.ids for cause in verdict.steps["d_w_q"].causes] == [("scores_transposed",)]


def test_a_transposed_d_a_is_named_in_d_q_alone():
    computed = trace(OUTPUT)
    d_a, a, k = computed["d_weights"].mT, computed["weights"], computed["k"]
    d_s = a * (d_a - (a * d_a).sum(-1, keepdim=True)) / computed.example.dims.sqrt_dk
    verdict = check(replace(OUTPUT, claimed={"d_q": written((d_s @ k)[0].tolist(), "d_q", 0)}))
    assert [cause.ids for cause in verdict.steps["d_q"].causes] == [("weights_transposed",)]


@pytest.mark.parametrize("table", ["d_scores", "d_q", "d_k", "d_w_q"])
def test_a_forgotten_divisor_is_named_in_every_table_after_it(table):
    computed = trace(OUTPUT)
    d_s, q, k, x = (computed[name] for name in ("d_scaled_scores", "q", "k", "x"))
    wrong = {"d_scores": d_s, "d_q": d_s @ k, "d_k": d_s.mT @ q, "d_w_q": x.mT @ (d_s @ k)}[table]
    verdict = check(replace(OUTPUT, claimed={table: written(wrong[0].tolist(), table, 0)}))
    assert ("gradient_not_divided",) in [cause.ids for cause in verdict.steps[table].causes]


def test_what_only_follows_is_not_the_students_own_error():
    """dS wrong by a sign in one cell; dK and dQ are right from there."""
    computed = trace(OUTPUT)
    d_s, q, k = computed["d_scores"][0].clone(), computed["q"][0], computed["k"][0]
    d_s[0, 1] *= -1
    rows = {"d_scores": d_s, "d_k": d_s.mT @ q, "d_q": d_s @ k}
    verdict = check(
        replace(OUTPUT, claimed={name: written(of.tolist(), name, 0) for name, of in rows.items()})
    )
    assert verdict.first_wrong == Cell("d_scores", 0, 0, 1)
    assert [cause.ids for cause in verdict.steps["d_scores"].causes] == [("sign_slipped",)]
    assert not any(wrong.own for name in ("d_k", "d_q") for wrong in verdict.steps[name].wrong)
    assert verdict.steps["d_k"].wrong


def test_a_wrong_number_has_its_right_calculation_and_the_name_of_its_matrix():
    verdict = check(replace(BY_HAND, claimed={"d_scores": (None, (("6.0", "0.0"), ("-2.0", "0.0")))}))
    (cause,) = as_json(verdict)["steps"]["d_scores"]["causes"]
    assert cause["message"] == (
        "The row sum r is not subtracted: through the softmax, dA becomes A ∘ (dA − r)."
    )
    assert cause["right"] == "dS = A ∘ (dA − r);  dS[1, 1] = 0.75·(8 − 6) = 1.5"
    assert cause["yours"] == "dS = A ∘ dA;  dS[1, 1] = 6"
    assert "gradient of the scores, head 2, row 1, column 1" in as_markdown(verdict)
    assert "分数的梯度" in as_markdown(verdict, "zh")


@tries(8)
@given(with_goals())
def test_all_right_numbers_are_right(example):
    """Of every scoring, mask, position, shared head, sink and norm."""
    claims = {}
    for name, rows in trace(example).backward.items():
        matrices = rows if name in PER_HEAD else [rows]
        printed = tuple(matrix and tuple(tuple(map(repr, row)) for row in matrix) for matrix in matrices)
        claims[name] = printed if name in PER_HEAD else printed[0]
    verdict = check(replace(example, claimed=claims))
    assert verdict.ok
    assert sum(step.given for step in verdict.steps.values()) > 0


# --- claims in files and edits ---


def test_numbers_of_a_backward_table_are_stored_with_their_digits():
    claimed = replace(OUTPUT, claimed={"d_output": (("0.50", None), None, None)})
    assert parse(dump(claimed)) == claimed


def test_a_block_is_pasted_into_a_backward_table():
    text = "1 2\n3 4\n5 6"
    pasted = apply(OUTPUT, {"op": "claim_text", "matrix": "d_output", "head": None, "text": text})
    assert pasted.claimed == {"d_output": (("1", "2"), ("3", "4"), ("5", "6"))}


@pytest.mark.parametrize(
    ("matrix", "head"), [("d_output", None), ("d_w_o", None), ("d_w_q", 2), ("d_x_head", None)]
)
def test_a_table_that_the_goal_does_not_lead_to_has_no_numbers(matrix, head):
    """The goal is about the weights, so nothing comes back to the output; and there are two heads."""
    with pytest.raises(ExampleError, match="this example has no such step"):
        apply(ATTENTION, {"op": "claim_text", "matrix": matrix, "head": head, "text": "1"})


def test_another_goal_keeps_the_numbers_of_tables_that_it_has_too():
    rows = (("1", "2", "3"),) * 3
    both = replace(OUTPUT, claimed={"d_weights": (rows, None), "d_output": (("1", "2"),) * 3})
    goal = {"step": "weights", "targets": [[2, 0, 1], None], "rate": 0.3}
    assert apply(both, {"op": "learning", "learning": goal}).claimed == {"d_weights": (rows, None)}
    assert apply(both, {"op": "learning", "learning": None}).claimed is None


def test_a_file_without_a_goal_claims_no_gradient():
    without = replace(OUTPUT, learning=None, claimed={"d_output": (("1", "2"),) * 3})
    with pytest.raises(ExampleError, match=r"claimed\.d_output: this example has no such step"):
        parse(dump(without))


# --- an exercise ---


def test_an_exercise_can_ask_for_every_backward_table():
    computed = trace(OUTPUT)
    assert [name for name in askable(OUTPUT) if name in BACKWARD_STEPS] == list(computed.backward)


@pytest.mark.parametrize("example", [OUTPUT, ATTENTION], ids=["output", "attention"])
def test_new_numbers_have_a_new_goal_about_the_same_step(example):
    drawn = exercise(example, 7)
    assert drawn.learning.step == example.learning.step
    assert drawn.learning != example.learning
    assert trace(drawn).backward["loss"][0][0] > 0
    assert exercise(example, 7) == drawn


@pytest.mark.parametrize("example", [OUTPUT, ATTENTION], ids=["output", "attention"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_cell_has_hints_up_to_its_answer(example, language):
    verdict = judged(example)
    for cell in exercise_cells(example, tuple(trace(example).backward)):
        rungs = [hint.rung for hint in hints(verdict, cell, language)]
        assert rungs[0] == "idea"
        assert rungs[-1] == "answer"


def test_the_hints_of_a_score_name_the_row_sum():
    texts = [hint.text for hint in hints(judged(BY_HAND), Cell("d_scores", 1, 0, 1), "en")]
    assert texts == [
        "A score changes every weight of its row: subtract the row's r from dA, then multiply by A.",
        "dS[1, 2] = A[1, 2]·(dA[1, 2] − r[1, 1])",
        "dS[1, 2] = 0.25·(0 − 6) = ?",
        "dS[1, 2] = 0.25·(0 − 6) = (−1.5)",
    ]


def test_the_heads_in_a_sum_have_their_numbers():
    texts = [hint.text for hint in hints(judged(BY_HAND), Cell("d_x", None, 0, 1), "en")]
    assert texts[1] == "dX[1, 2] = dX_1[1, 2] + dX_2[1, 2]"
