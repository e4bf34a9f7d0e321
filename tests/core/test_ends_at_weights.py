"""Examples whose heads have no V: they end at their weights. Numbers by hand, and what follows from the format."""

import json
from dataclasses import replace
from math import e

import pytest

from mha_core import Cell, Example, ExampleError, Head, arithmetic, derive, dump, feeds, graph, parse, trace
from mha_core.check.check import check
from mha_core.compute.derive import first_result
from mha_core.compute.gradients import outputs, sensitivity
from mha_core.compute.graph import last_step
from mha_core.errors import ExportError
from mha_core.exercise.exercise import askable, exercise
from mha_core.export import TARGETS, export
from mha_core.walk.stages import result_of, walk
from tests.apply import apply

NEG_INF = float("-inf")

HEAD = {"w_q": [[1, 0], [0, 2]], "w_k": [[1, 0], [0, 1]]}
VALUED = {**HEAD, "w_v": [[1], [0]]}
PUBLISHED = {
    "format": "mha-example/1",
    "title": "A table of weights",
    "tokens": ["a", "b", "c"],
    "x": [[1, 0], [0, 1], [1, 1]],
    "heads": [HEAD],
    "scale": "none",
    "mask": "causal",
}
"""X = [1 0; 0 1; 1 1], W_Q doubles the second number, W_K is the identity. Nothing is said of values."""


def published(**changes):
    return parse(json.dumps(PUBLISHED | changes))


def test_weights_by_hand():
    steps = trace(published()).values
    # Q = X·W_Q: (1,0), (0,2), (1,2). K = X. Row 2 of the scores: (0,2) with (1,0), (0,1), (1,1) is 0, 2, 2.
    assert steps["q"][0] == [[1, 0], [0, 2], [1, 2]]
    assert steps["scores"][0] == [[1, 0, 1], [0, 2, 2], [1, 2, 3]]
    assert steps["masked_scores"][0] == [[1, NEG_INF, NEG_INF], [0, 2, NEG_INF], [1, 2, 3]]
    # e^0 = 1 and e² = 7.38905610 sum to 8.38905610; 1 ÷ 8.38905610 = 0.11920292.
    # e, e², e³ are e·(1, e, e²): 1 + 2.71828183 + 7.38905610 = 11.10733793, and 1 ÷ that is 0.09003057.
    assert steps["weights"][0] == [
        [1, 0, 0],
        pytest.approx([0.11920292, 0.88079708, 0], abs=1e-8),
        pytest.approx([0.09003057, 0.24472847, 0.66524096], abs=1e-8),
    ]
    assert list(steps) == ["q", "k", "scores", "masked_scores", "weights"]


def test_two_heads_one_of_which_starts_from_its_weights():
    """The other starts from q and k: (1,1)·(1,0) = 1 and (1,1)·(0,2) = 2, ÷ √2, so 1/√2 apart."""
    given = ((0.25, 0.75),)
    example = Example(
        title="",
        tokens=("a",),
        context_tokens=("b", "c"),
        heads=(Head(weights=given), Head(q=((1.0, 1.0),), k=((1.0, 0.0), (0.0, 2.0)))),
    )
    assert parse(dump(example)) == example
    weights = trace(example).values["weights"]
    assert weights[0] == [[0.25, 0.75]]
    second = 1 / (1 + e ** -(0.5**0.5))
    assert weights[1] == [pytest.approx([1 - second, second])]


def test_the_last_step_is_declared():
    example = published()
    assert [step.name for step in graph(example)] == ["q", "k", "scores", "masked_scores", "weights"]
    assert last_step(example) == "weights"
    valued = replace(example, heads=(replace(example.heads[0], w_v=example.heads[0].w_k),))
    assert last_step(valued) == "concat"
    assert last_step(replace(valued, w_o=((1.0,), (0.0,)))) == "output"


def test_a_weight_leads_to_its_terms_and_feeds_nothing():
    computed = trace(published())
    assert arithmetic(derive(computed, Cell("weights", 0, 1, 1)), 4) == "e^2 ÷ (e^0 + e^2 + e^(−∞)) ≈ 0.8808"
    assert feeds(computed, Cell("weights", 0, 1, 1)) == ()


def test_claimed_weights_are_checked():
    right = [[[1, 0, 0], ["0.12", "0.88", 0], ["0.09", "0.24", "0.67"]]]
    assert check(published(claimed={"weights": right})).ok
    # Down the columns instead: e, 1 and e of 6.43656366 are 0.4223, 0.1554 and 0.4223; e² twice; e³ alone.
    down = [[["0.42", 0, 0], ["0.16", "0.50", 0], ["0.42", "0.50", 1]]]
    found = check(published(claimed={"weights": down})).steps["weights"]
    assert [(one.cell.row, one.cell.col) for one in found.wrong] == [
        (0, 0),
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 1),
        (2, 2),
    ]
    assert [cause.ids for cause in found.causes] == [("softmax_columns",)]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"claimed": {"concat": [[1, 0], [0, 1], [1, 1]]}}, "claimed.concat: this example has no such step"),
        ({"claimed": {"v": [None]}}, "claimed.v: this example has no such step"),
        ({"claimed": {"head_outputs": [None]}}, "claimed.head_outputs: this example has no such step"),
        ({"w_o": [[1], [0]]}, "w_o: the matrix to multiply it by is missing"),
        ({"b_o": [1]}, "b_o: there is nothing to add it to"),
        ({"heads": [{**HEAD, "b_v": [1]}]}, "heads[0].b_v: there is nothing to add it to"),
        (
            {"heads": [HEAD, VALUED]},
            "heads[0]: w_v is missing, but heads[1] has values; give values in all heads or in none",
        ),
        (
            {"heads": [VALUED, HEAD, VALUED]},
            "heads[1]: w_v is missing, but heads[0] has values; give values in all heads or in none",
        ),
        (
            {"heads": [VALUED, {"w_q": HEAD["w_q"]}, HEAD, {"w_q": HEAD["w_q"]}], "kv_heads": 2},
            "heads[2]: w_v is missing, but heads[0] has values; give values in all heads or in none",
        ),
        (
            {"heads": [{"weights": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}]},
            "heads: every head starts from its weights, and none has w_v or v, so there is nothing to compute",
        ),
    ],
)
def test_what_is_refused(changes, sentence):
    with pytest.raises(ExampleError) as error:
        published(**changes)
    assert str(error.value) == sentence


def test_heads_share_keys_without_values():
    example = published(heads=[HEAD, {"w_q": [[0, 1], [1, 0]]}], kv_heads=1)
    steps = trace(example).values
    assert steps["k"] == [[[1, 0], [0, 1], [1, 1]], None]
    # Head 2 swaps the numbers of X, so its query 2 is (1,0): with (1,0), (0,1) that is 1 and 0.
    assert steps["weights"][1][1] == pytest.approx([e / (1 + e), 1 / (1 + e), 0])


# --- edits -------------------------------------------------------------------------------------------------------


def test_values_are_switched_on_and_off():
    example = published(claimed={"weights": [[[1, None, None], None, None]]})
    valued = apply(example, {"op": "values", "on": True})
    rows = valued.heads[0].w_v
    assert [len(row) for row in rows] == [2, 2]  # d_model × d_k, small integers
    assert all(number in range(-2, 4) for row in rows for number in row)
    assert valued.claimed == example.claimed
    # Row 1 attends to itself alone, so its output is its value: (1,0)·W_V is the first row of W_V.
    assert tuple(trace(valued).values["concat"][0]) == rows[0]
    assert apply(valued, {"op": "values", "on": True}) is valued
    assert apply(apply(valued, {"op": "w_o", "on": True}), {"op": "values", "on": False}) == example


def test_values_bring_a_bias_where_there_are_biases():
    biased = apply(published(), {"op": "biases", "on": True})
    assert biased.heads[0].b_v is None
    assert apply(biased, {"op": "values", "on": True}).heads[0].b_v == (0, 0)


def test_values_where_nothing_can_be_multiplied_with_w_v():
    """q and k are given and X is not, so V itself is: n_k × d_k; heads that share take the first one's."""
    head = {"q": [[1, 0]], "k": [[1, 0], [0, 1]]}
    example = published(tokens=["a"], x=None, mask=None, heads=[head, {"q": [[0, 1]]}], kv_heads=1)
    valued = apply(example, {"op": "values", "on": True})
    assert valued.heads[0].w_v is None
    assert [len(row) for row in valued.heads[0].v] == [2, 2]
    assert valued.heads[1] == example.heads[1]


def test_values_go_with_what_was_claimed_of_them():
    valued = apply(published(), {"op": "values", "on": True})
    claimed = replace(valued, claimed={"q": (((1.0, 0.0),) * 3,), "concat": ((1.0, 0.0),) * 3})
    assert apply(claimed, {"op": "values", "on": False}).claimed == {"q": claimed.claimed["q"]}


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        ({"op": "w_o", "on": True}, "this example has no V"),
        ({"op": "resize", "axis": "d_v", "by": 1}, "this example has no d_v"),
        (
            {"op": "claim", "matrix": "concat", "values": [["1"]]},
            "claimed.concat: this example has no such step",
        ),
    ],
)
def test_what_needs_values_is_refused(edit, sentence):
    with pytest.raises(ExampleError) as error:
        apply(published(), {"row": 0, "col": 0, **edit})
    assert str(error.value) == sentence


def test_a_head_and_a_token_more():
    grown = apply(apply(published(), {"op": "add_head"}), {"op": "add_token", "which": "tokens", "text": "d"})
    assert [(head.w_v, len(head.w_q)) for head in grown.heads] == [(None, 2), (None, 2)]
    assert last_step(grown) == "weights"
    assert [len(rows) for rows in trace(grown).values["weights"]] == [4, 4]


# --- what reads the end of the computation -----------------------------------------------------------------------


def test_the_first_result_is_of_a_head_that_computes_it():
    given = {"weights": [[1, 0, 0], [1, 0, 0], [0, 1, 0]]}
    assert first_result(published(heads=[given, HEAD])) == Cell("weights", 1, 0, 0)
    assert first_result(published(heads=[VALUED])) == Cell("concat", None, 0, 0)
    assert first_result(published(heads=[VALUED], w_o=[[2]])) == Cell("output", None, 0, 0)


def test_sensitivity_is_that_of_the_weights():
    """One query, two keys: a = 1 ÷ (1 + e^(s_2 − s_1)) moves by ±a·(1 − a) with each score, and so does 1 − a.

    q = (2), k = (1), (0): the scores are 2 and 0, so a = 0.88079708 and a·(1 − a) = 0.10499359. ∂s_1/∂q = 1 and
    ∂s_2/∂q = 0, so ‖∂A/∂q‖ = √2·0.10499359. ∂s/∂k = 2, and both weights move with both keys: √(4·2²)·0.10499359.
    """
    example = published(tokens=["a"], x=None, mask=None, heads=[{"q": [[2]], "k": [[1], [0]]}])
    found = sensitivity(example)
    assert outputs(example) == 2
    assert found.q[0] == pytest.approx(2**0.5 * 0.10499359, abs=1e-7)
    assert found.k[0] == pytest.approx(4 * 0.10499359, abs=1e-7)
    assert found.w_v == found.v == (None,)


def test_the_walk_ends_at_the_weights():
    given = {"weights": [[1, 0, 0], [1, 0, 0], [0, 1, 0]]}
    computed = trace(published(heads=[HEAD, given, HEAD]))
    ids = [stage.id for stage in walk(computed)]
    assert ids == "tokens inputs q k scores masked_scores weights head-2 head-3 closing".split()
    assert walk(computed)[7].kind == "given"
    assert result_of(computed.example) is None
    assert (
        walk(computed)[-1]
        .words.what.translated("en")
        .startswith("This example stops at the attention weights.")
    )


def test_an_exercise_ends_at_the_weights():
    set_one = exercise(published(), 1)
    assert askable(set_one)[-1] == "weights"
    assert set_one.heads[0].w_v is None


@pytest.mark.parametrize("target", TARGETS)
def test_programs_assert_the_weights(target):
    if target == "keras":
        with pytest.raises(ExportError) as error:
            export(published(), target)
        assert str(error.value) == (
            "a Keras layer needs a W_V, but this example stops at the attention weights; use "
            "NumPy or PyTorch from scratch"
        )
        return
    text = export(published(), target)
    assert "0.6652" in text
    assert "concat" not in text.lower()
    assert "W_O" not in text
