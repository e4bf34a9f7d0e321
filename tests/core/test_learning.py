"""A goal in a file, steps of gradient descent, and what is said of a rate."""

import json
from dataclasses import replace

import pytest
from hypothesis import given

from mha_core import ExampleError, built_in, dump, from_token, parse, pretty, to_token, trace
from mha_core.example.learning import Learning
from mha_core.export.documents import latex_document, markdown_document
from mha_core.export.programs import numpy_program, scratch_program
from mha_core.learn.descent import LEARNED, descend, largest_falling_rate, loss, remark, stepped
from tests.apply import apply
from tests.core.goals import with_goals
from tests.sizes import tries

SKETCH = parse(
    json.dumps(
        {
            "format": "mha-example/1",
            "tokens": ["I", "love", "programming"],
            "x": [[2, 0, 0], [0, 2, 0], [0, 1, 2]],
            "heads": [
                {"w_q": [[1], [1], [0]], "w_k": [[1], [0], [0]], "w_v": [[1], [0], [0]]},
                {"w_q": [[0], [0], [1]], "w_k": [[0], [1], [0]], "w_v": [[0], [1], [1]]},
            ],
            "w_o": [[1, 0, 0], [0, 1, 0]],
            "learning": {"step": "output", "targets": [[2, 0, 0], [2, 0, 0], [0, 2, 0]], "rate": 0.05},
        }
    )
)
"""Each output should be the token before it."""


# --- the file ---


@tries(15)
@given(with_goals())
def test_a_goal_survives_files_and_links(example):
    assert parse(dump(example)) == example
    assert parse(pretty(example)) == example
    assert from_token(to_token(example)) == example


def test_a_file_without_a_goal_has_no_word_of_it():
    assert "learning" not in json.loads(dump(built_in("first")))


def refused(learning, **fields):
    data = json.loads(dump(SKETCH)) | fields
    with pytest.raises(ExampleError) as error:
        parse(json.dumps(data | {"learning": learning}))
    return str(error.value)


ROWS = [[2, 0, 0], [2, 0, 0], [0, 2, 0]]


@pytest.mark.parametrize(
    ("learning", "sentence"),
    [
        ({"targets": ROWS}, "learning.step: missing"),
        ({"step": "output"}, "learning.targets: missing"),
        ({"step": "q", "targets": ROWS}, 'learning.step: expected "output", "concat" or "weights", got "q"'),
        ({"step": "output", "targets": ROWS, "rates": 1}, 'learning: unknown key "rates"'),
        (
            {"step": "output", "targets": ROWS, "rate": 0},
            "learning.rate: expected a number above 0, at most 1e+06, got 0.0",
        ),
        (
            {"step": "output", "targets": ROWS[:2]},
            "learning.targets: expected 3 rows, null without a target, got 2",
        ),
        ({"step": "output", "targets": [*ROWS[:2], [1]]}, "learning.targets[2]: expected 3 numbers, got 1"),
        (
            {"step": "output", "targets": [None] * 3},
            "learning.targets: expected a target for at least one row",
        ),
        (
            {"step": "weights", "targets": [[0, 1, 2]]},
            "learning.targets: expected 2 heads, null without a target, got 1",
        ),
        (
            {"step": "weights", "targets": [[0, 3, None], None]},
            "learning.targets[0][1]: expected a whole number from 0 to 2, got 3",
        ),
        (
            {"step": "weights", "targets": [[[0.5, 0.25, 0], None, None], None]},
            "learning.targets[0][0]: expected shares of at least 0 that add up to 1, got a sum of 0.75",
        ),
        (
            {"step": "weights", "targets": [None, [None] * 3]},
            "learning.targets: expected a target for at least one row",
        ),
    ],
)
def test_a_goal_that_does_not_fit_is_one_sentence(learning, sentence):
    assert refused(learning) == sentence


def test_a_goal_about_an_output_needs_one():
    assert (
        refused({"step": "output", "targets": ROWS}, w_o=None)
        == "learning.step: this example has no such step"
    )


# --- edits ---


def test_a_goal_is_set_and_removed():
    goal = {"step": "concat", "targets": [[1, 1], None, None]}
    changed = apply(SKETCH, {"op": "learning", "learning": goal})
    assert changed.learning == Learning("concat", ((1.0, 1.0), None, None), 0.1)
    assert apply(changed, {"op": "learning"}).learning is None


@pytest.mark.parametrize(
    ("edit", "targets"),
    [
        ({"op": "add_token", "which": "tokens"}, ((2, 0, 0), (2, 0, 0), (0, 2, 0), None)),
        ({"op": "remove_token", "which": "tokens", "index": 1}, ((2, 0, 0), (0, 2, 0))),
        ({"op": "permute", "order": [2, 0, 1]}, ((0, 2, 0), (2, 0, 0), (2, 0, 0))),
        ({"op": "resize", "axis": "d_out", "size": 2}, ((2, 0), (2, 0), (0, 2))),
        ({"op": "resize", "axis": "d_out", "size": 4}, ((2, 0, 0, 0), (2, 0, 0, 0), (0, 2, 0, 0))),
        ({"op": "add_head"}, ((2, 0, 0), (2, 0, 0), (0, 2, 0))),
    ],
)
def test_a_goal_follows_the_rows_and_columns_that_it_is_about(edit, targets):
    assert apply(SKETCH, edit).learning.targets == targets


AIMED = replace(SKETCH, learning=Learning("weights", ((2, (0.5, 0.5, 0.0), None), None)))


@pytest.mark.parametrize(
    ("edit", "targets"),
    [
        ({"op": "add_token", "which": "tokens"}, ((2, (0.5, 0.5, 0.0, 0.0), None, None), None)),
        ({"op": "permute", "order": [2, 0, 1]}, ((None, 0, (0.0, 0.5, 0.5)), None)),
        ({"op": "add_head"}, ((2, (0.5, 0.5, 0.0), None), None, None)),
        ({"op": "remove_head", "head": 1}, ((2, (0.5, 0.5, 0.0), None),)),
    ],
)
def test_targets_of_weights_follow_their_keys_and_heads(edit, targets):
    assert apply(AIMED, edit).learning.targets == targets


@pytest.mark.parametrize(
    "edit",
    [
        {"op": "remove_token", "which": "tokens", "index": 0},
        {"op": "sentence", "which": "tokens", "tokens": ["one", "two"]},
        {"op": "remove_head", "head": 0},
    ],
    ids=lambda edit: edit["op"],
)
def test_a_goal_that_nothing_is_left_of_goes_with_its_rows(edit):
    changed = apply(AIMED, edit)
    assert changed.learning is None
    assert changed == replace(apply(replace(AIMED, learning=None), edit), learning=None)


def test_a_goal_goes_with_its_step():
    assert apply(SKETCH, {"op": "w_o", "on": False}).learning is None


def test_a_goal_without_a_target_is_still_refused():
    goal = {"step": "concat", "targets": [None, None, None]}
    with pytest.raises(ExampleError, match="at least one row"):
        apply(SKETCH, {"op": "learning", "learning": goal})


# --- steps ---


def test_a_step_takes_every_learned_number_down_its_slope():
    computed = trace(SKETCH)
    after = stepped(SKETCH)
    for name in ("w_q", "w_k", "w_v"):
        for head in (0, 1):
            slopes = computed.matrix(f"d_{name}", head)
            before, now = (getattr(example.heads[head], name) for example in (SKETCH, after))
            assert now == tuple(
                tuple(number - 0.05 * slope for number, slope in zip(*rows, strict=True))
                for rows in zip(before, slopes, strict=True)
            )
    assert (after.x, after.learning) == (SKETCH.x, SKETCH.learning)
    assert loss(after) < loss(SKETCH)


def test_one_edit_is_one_step_and_many_are_many():
    once = apply(SKETCH, {"op": "learn"})
    assert once.heads == stepped(SKETCH).heads
    assert apply(once, {"op": "learn"}) == apply(SKETCH, {"op": "learn", "steps": 2})


def test_a_step_without_a_goal_is_one_sentence():
    with pytest.raises(ExampleError) as error:
        apply(built_in("first"), {"op": "learn"})
    assert str(error.value) == "learning: this example has no goal to learn"


@tries(10)
@given(with_goals())
def test_a_small_enough_step_lowers_the_loss(example):
    """If any derivative by a learned number is not nearly 0, halving η finds a step that lowers the loss."""
    computed = trace(example)
    names = [name for name in computed.backward if name in {f"d_{one}" for one in LEARNED}]
    slopes = [abs(slope) for name in names for slope in _numbers(computed.backward[name])]
    if max(slopes, default=0) > 1e-3:
        rate = largest_falling_rate(example, 1.0)
        assert rate is not None
        assert loss(stepped(example, rate)) < loss(example)


def _numbers(value):
    if isinstance(value, list):
        return [number for item in value for number in _numbers(item)]
    return [] if value is None else [value]


def test_losses_fall_and_the_sentence_has_their_numbers():
    descent = descend(SKETCH, 12)
    assert len(descent.losses) == 13
    assert descent.losses[0] == loss(SKETCH)
    template, values = remark(SKETCH, descent)
    assert template.format(**values) == (
        f"With η = 0.05, the loss fell from {descent.losses[0]:.4g} to {descent.losses[-1]:.4g}."
    )


def test_too_large_a_rate_is_said_with_one_that_is_small_enough():
    descent = descend(SKETCH, 3, rate=2.0)
    template, values = remark(SKETCH, descent)
    sentence = template.format(**values)
    assert sentence.startswith("η = 2 is too large: ")
    smaller = largest_falling_rate(SKETCH, 2.0)
    assert len(f"{smaller:.15g}".replace("0", "").replace(".", "")) == 1  # a rate that one would type
    assert f"With η = {smaller:g}, the first step lowers" in sentence
    assert f"{loss(stepped(SKETCH, smaller)):.4g}." in sentence


def test_steps_that_leave_the_range_of_numbers_break_off():
    descent = descend(SKETCH, 50, rate=1e5)
    assert descent.broke_off
    assert "the numbers grow without bound" in remark(SKETCH, descent)[0]
    with pytest.raises(ExampleError, match=r"is too large: the numbers grow without bound"):
        apply(replace(SKETCH, learning=replace(SKETCH.learning, rate=1e5)), {"op": "learn", "steps": 50})


# --- documents ---


def test_documents_have_the_backward_pass_with_its_symbols():
    latex, markdown = latex_document(trace(SKETCH)), markdown_document(trace(SKETCH))
    assert r"\[ \frac{\partial L}{\partial W_{Q}} = X^{\top} \cdot \frac{\partial L}{\partial Q} \]" in latex
    assert (
        r"\frac{\partial L}{\partial K} = \left(\frac{\partial L}{\partial S}\right)^{\top} \cdot Q" in latex
    )
    assert (
        r"\frac{\partial L}{\partial S} = \frac{\partial L}{\partial S/\sqrt{d_k}}  \div  \sqrt{d_k}" in latex
    )
    assert "## Gradient of the query weights\n\n`dW_Q = Xᵀ·dQ`" in markdown
    assert "`dX = dX_1 + dX_2`" in markdown
    assert "## 查询投影矩阵的梯度" in markdown_document(trace(SKETCH), language="zh")


def test_documents_without_a_goal_have_no_word_of_it():
    assert "radient" not in markdown_document(trace(built_in("first")))


# --- programs ---


@tries(6)
@given(with_goals())
def test_a_program_from_scratch_asserts_every_derivative(example):
    exec(scratch_program(trace(example), None, "en"), {"print": lambda *_: None})


@tries(12)
@given(with_goals())
def test_a_numpy_program_asserts_every_number_of_the_backward_pass(example):
    computed = trace(example)
    program = numpy_program(computed, None, "en")
    exec(program, {"print": lambda *_: None})
    for step, head in computed.declared_backward.places():
        name = step.name if head is None else f"{step.name}_{head + 1}"
        assert f"\n{name} = " in program
        assert f"\nnp.testing.assert_allclose({name}, " in program


def test_a_numpy_program_writes_a_step_as_its_formula():
    program = numpy_program(trace(SKETCH), None, "en")
    assert "\nd_scaled_scores_1 = weights[0] * (d_weights_1 - softmax_sums_1)\n" in program
    with pytest.raises(AssertionError, match="Not equal"):
        exec(program.replace("(d_weights_1 - softmax_sums_1)", "d_weights_1"), {})


def test_a_program_fails_where_a_derivative_is_another():
    program = scratch_program(trace(SKETCH), None, "en")
    line = next(line for line in program.splitlines() if line.startswith("loss = "))
    with pytest.raises(AssertionError, match="not close"):
        exec(program.replace(line, f"{line} * 1.001"), {})
