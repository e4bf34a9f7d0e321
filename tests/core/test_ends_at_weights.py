"""Examples whose heads have no V: they end at their weights. Numbers by hand, and what follows from the format."""

import json
from dataclasses import replace
from math import e

import pytest

from mha_core import Cell, Example, ExampleError, Head, arithmetic, check, derive, dump, feeds, graph, parse, trace
from mha_core.graph import last_step

NEG_INF = float("-inf")

PUBLISHED = {
    "format": "mha-example/1",
    "title": "A table of weights",
    "tokens": ["a", "b", "c"],
    "x": [[1, 0], [0, 1], [1, 1]],
    "heads": [{"w_q": [[1, 0], [0, 2]], "w_k": [[1, 0], [0, 1]]}],
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
    assert [(one.cell.row, one.cell.col) for one in found.wrong] == [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]
    assert [cause.ids for cause in found.causes] == [("softmax_columns",)]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"claimed": {"concat": [[1, 0], [0, 1], [1, 1]]}}, "claimed.concat: this example has no such step"),
        ({"claimed": {"v": [None]}}, "claimed.v: this example has no such step"),
        ({"claimed": {"head_outputs": [None]}}, "claimed.head_outputs: this example has no such step"),
        ({"w_o": [[1], [0]]}, "w_o: there is nothing that it could be multiplied with"),
        ({"b_o": [1]}, "b_o: there is nothing that it could be added to"),
        (
            {"heads": [*PUBLISHED["heads"], PUBLISHED["heads"][0] | {"w_v": [[1], [0]]}]},
            "heads[0]: w_v is missing, and heads[1] has values: give them in all heads or in none",
        ),
        (
            {"heads": [PUBLISHED["heads"][0] | {"w_v": [[1], [0]]}, *PUBLISHED["heads"]]},
            "heads[1]: w_v is missing, and heads[0] has values: give them in all heads or in none",
        ),
        (
            {"heads": [PUBLISHED["heads"][0] | {"b_v": [1]}]},
            "heads[0].b_v: there is nothing that it could be added to",
        ),
        (
            {"heads": [{"weights": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}]},
            "heads: every head starts from its weights and none has w_v or v: nothing is left to compute",
        ),
        (
            {
                "heads": [PUBLISHED["heads"][0] | {"w_v": [[1], [0]]}, PUBLISHED["heads"][0]] * 2,
                "kv_heads": 4,
            },
            "heads[1]: w_v is missing, and heads[0] has values: give them in all heads or in none",
        ),
    ],
)
def test_what_is_refused(changes, sentence):
    with pytest.raises(ExampleError) as error:
        published(**changes)
    assert str(error.value) == sentence


def test_heads_share_keys_without_values():
    first, other = PUBLISHED["heads"][0], {"w_q": [[0, 1], [1, 0]]}
    example = published(heads=[first, other], kv_heads=1)
    steps = trace(example).values
    assert steps["k"] == [[[1, 0], [0, 1], [1, 1]], None]
    # Head 2 swaps the numbers of X, so its query 2 is (1,0): with (1,0), (0,1) that is 1 and 0.
    assert steps["weights"][1][1] == pytest.approx([e / (1 + e), 1 / (1 + e), 0])
