"""Why the tables of a backward pass follow, in words: for every built-in example and each kind of goal."""

from dataclasses import replace

import pytest

from mha_core import library, trace
from mha_core.example.learning import GoalStep, Learning
from mha_core.example.model import has_values
from mha_view.tables.backward import with_backward
from tests.sizes import EVERY_STAGE, shortened

SOFTMAX = {"en": "so it sends back A ∘ (dA − r), where", "zh": "softmax 传回的梯度是 A ∘ (dA − r)，"}


def goals(example):
    """A goal about the last step that the example has, and one about the weights of its first head."""
    computed = trace(example)
    if has_values(example):
        step: GoalStep = "output" if example.w_o is not None else "concat"
        yield Learning(step, tuple((0.0,) * len(row) for row in computed.values[step]), 0.1)
    if example.heads[0].weights is None:
        rows = (row.index(max(row)) for row in computed.values["weights"][0])
        yield Learning("weights", (tuple(rows), *(None,) * (len(example.heads) - 1)), 0.1)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", shortened(library(), EVERY_STAGE))
def test_every_stage_says_why_and_the_softmax_is_explained_once(name, language):
    example = library()[name]
    for goal in goals(example):
        learning = with_backward(trace(replace(example, learning=goal)), language, 4)["learning"]
        if learning["refused"]:  # the largest weight of a query that may attend to nothing is 0
            continue
        hints = [stage["hint"] for stage in learning["stages"]]
        assert all(hints)
        assert sum(SOFTMAX[language] in hint for hint in hints) == 1


def test_a_goal_about_weights_names_what_it_leaves_out_and_what_a_step_leaves():
    example = library()["output-projection"]
    *_, goal = goals(example)
    learning = with_backward(trace(replace(example, learning=goal)), "en", 4)["learning"]
    assert learning["remarks"] == [
        "No target, so no backward tables: head 2.",
        "The goal does not depend on W_V, b_V, W_O, b_O. A step leaves these numbers as they are.",
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_two_stages_have_the_same_title_and_q_comes_before_k_before_v(language):
    example = library()["output-projection"]
    for goal in goals(example):
        stages = with_backward(trace(replace(example, learning=goal)), language, 4)["learning"]["stages"]
        titles = [stage["title"] for stage in stages]
        assert len(set(titles)) == len(titles)
        for stage in stages:
            sides = [
                name for name in stage["matrices"] if name in ("d_q", "d_k", "d_v", "d_w_q", "d_w_k", "d_w_v")
            ]
            assert [name[-1] for name in sides] == [
                side for side in "qkv" if any(n[-1] == side for n in sides)
            ]
