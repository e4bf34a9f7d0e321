"""The search for the fewest changes: what it finds, what it cannot find, and that its numbers are the trace's."""

from dataclasses import replace
from math import inf, isclose

import torch
from hypothesis import given
from hypothesis import strategies as st

from mha_core import AddMask, AllowMask, Example, Head, built_in, trace
from mha_core.example.puzzle import Goal, Puzzle
from mha_core.puzzle import changes, fewest, number_of, solved
from mha_core.puzzle.variants import Variants
from tests.apply import apply
from tests.core.strategies import examples
from tests.sizes import each, tries

I2 = ((1.0, 0.0), (0.0, 1.0))
BASE = Example("base", ("a", "b"), (Head(w_q=I2, w_k=I2),), x=((1.0, 0.0), (0.0, 2.0)), scale="none")
"""Scores: 1, 0 / 0, 4."""


def puzzle(*goals, change, of=BASE):
    return replace(of, puzzle=Puzzle(tuple(goals), change=change))


def found(start):
    """The edits that are found, and what the example is after them."""
    edits = fewest(start)
    end = start
    for edit in edits:
        end = apply(end, edit)
    assert solved(trace(end))
    return edits, end


def cell(matrix, head, row, col, value):
    place = {"matrix": matrix, "row": row, "col": col}
    return {"op": "set", **place, **({} if head is None else {"head": head}), "values": [[value]]}


@each(
    "start, edits",
    [
        (puzzle(Goal("scores", 0, 0, 0, "equals", 3), change=("w_q",)), [cell("w_q", 0, 0, 0, 3)]),
        (puzzle(Goal("scores", 0, 1, 0, "at_least", 2), change=("x",)), [cell("x", None, 0, 1, 1)]),
        (
            puzzle(Goal("weights", 0, 0, 1, "at_most", 0), change=("mask",)),
            [
                cell("mask", None, 0, 1, False),
            ],
        ),
        (
            puzzle(Goal("scaled_scores", 0, 1, 1, "equals", 2), change=("scale",)),
            [{"op": "scale", "value": 2}],
        ),
        (puzzle(Goal("scores", 0, 0, 0, "at_least", 1), change=()), []),
    ],
)
def test_the_nearest_plain_number_is_found_by_hand(start, edits):
    assert list(found(start)[0]) == edits


def test_a_narrow_range_between_two_values_of_the_grid_is_found():
    """Only 0.61803 to 0.61804 solves it: x² = 1 − x."""
    golden = (5**0.5 - 1) / 2
    goals = Goal("x", None, 0, 0, "equals", golden, 1e-5), Goal("scores", 0, 0, 0, "equals", 1 - golden, 1e-5)
    (edit,), _ = found(puzzle(*goals, change=("x",)))
    assert edit["values"] == [[0.61803]]


def test_an_exact_number_is_found_too():
    (edit,), _ = found(puzzle(Goal("scores", 0, 0, 0, "equals", 1.2345678, 0), change=("w_q",)))
    assert isclose(edit["values"][0][0], 1.2345678, abs_tol=1e-8)


def test_two_numbers_are_found_where_one_is_not_enough():
    start = puzzle(
        Goal("scores", 0, 0, 0, "equals", 2), Goal("scores", 0, 1, 1, "equals", 8), change=("w_q",)
    )
    edits, end = found(start)
    assert list(edits) == [cell("w_q", 0, 0, 0, 2), cell("w_q", 0, 1, 1, 2)]
    assert changes(start, end) == 2


def test_more_than_two_pairs_of_a_mask_are_found():
    x = tuple((float(i == 0),) for i in range(4))
    base = Example("mask", tuple("abcd"), (Head(w_q=((1.0,),), w_k=((1.0,),)),), x=x, mask="causal")
    goals = [Goal("weights", 0, 3, 3, "equals", 1), Goal("weights", 0, 1, 1, "equals", 1)]
    _, end = found(puzzle(*goals, change=("mask",), of=base))
    assert changes(base, end) == 4
    assert end.mask == AllowMask(
        (
            (True, False, False, False),
            (False, True, False, False),
            (True, True, True, False),
            (False,) * 3 + (True,),
        )
    )


def test_an_added_mask_has_numbers():
    base = replace(BASE, mask=AddMask(((0.0, 0.0), (0.0, 0.0))))
    (edit,), _ = found(puzzle(Goal("weights", 0, 0, 1, "equals", 0.5), change=("mask",), of=base))
    assert edit == cell("mask", None, 0, 0, -1)
    _, end = found(puzzle(Goal("weights", 0, 0, 1, "equals", 0, 0), change=("mask",), of=base))
    assert end.mask == AddMask(((0.0, -inf), (0.0, 0.0)))


def test_a_divisor_is_never_0_and_a_temperature_is_above_it():
    goal = Goal("scaled_scores", 0, 1, 1, "at_most", -1)
    assert found(puzzle(goal, change=("scale",)))[0] == ({"op": "scale", "value": -1.0},)
    assert fewest(puzzle(goal, change=("scale",), of=replace(BASE, scoring="cosine", scale=1.0))) is None


def test_where_nothing_is_found_there_is_none():
    assert fewest(puzzle(Goal("weights", 0, 0, 0, "at_least", 2), change=("x",))) is None
    assert fewest(puzzle(Goal("scores", 0, 0, 0, "equals", 50), change=("w_q",))) is None  # beyond 12
    assert fewest(BASE) == ()


def test_an_example_that_is_too_large_for_the_search_has_none():
    size = tuple((1.0,) * 32 for _ in range(32))
    large = Example("large", ("t",) * 32, (Head(w_q=size, w_k=size),) * 8, x=size)
    assert fewest(puzzle(Goal("x", None, 0, 0, "equals", 2), change=("w_q", "x"), of=large)) is None


def test_shared_keys_and_positions_can_be_changed():
    shared = puzzle(Goal("weights", 1, 0, 1, "at_least", 0.9), change=("w_k",), of=built_in("grouped-query"))
    assert found(shared)[0]
    rotary = puzzle(Goal("angles", None, 1, 0, "equals", 3), change=("frequencies",), of=built_in("rotary"))
    assert found(rotary)[0] == (cell("frequencies", None, 0, 0, 3),)


@tries(15)
@given(st.data())
def test_the_numbers_of_a_variant_are_those_of_its_trace(data):
    """Any example, with any of its cells changed."""
    example = data.draw(examples(variants=True, claims=False))
    goal = Goal("weights", data.draw(st.integers(0, example.dims.h - 1)), 0, 0, "at_least", 0)
    variants = Variants.of(example, (goal,))
    knobs = [knob for knob in variants.knobs() if knob.name not in ("scale", "softcap", "mask")]
    if not knobs:
        return
    knob, value = data.draw(st.sampled_from(knobs)), data.draw(st.floats(-2, 2))
    edited = apply(example, cell(knob.name, knob.head, knob.row, knob.col, value))
    (number,) = variants.numbers(torch.tensor([[knob.at]]), torch.tensor([[value]], dtype=torch.float64))[0]
    expected = number_of(goal, trace(edited))
    assert expected is not None
    assert isclose(float(number), expected, rel_tol=1e-9, abs_tol=1e-12)


@tries(15)
@given(
    st.sampled_from([("w_q", 0), ("w_k", 0), ("x", None)]),
    st.integers(0, 1),
    st.integers(0, 1),
    st.floats(-12, 12).map(lambda value: round(value, 3)),
    st.integers(0, 1),
)
def test_what_one_number_has_done_one_number_is_found_to_do(place, row, col, value, query):
    """The goals are two scores as one changed number left them, so there is a solution with one change."""
    name, head = place
    now = trace(apply(BASE, cell(name, head, row, col, value)))
    goals = [Goal("scores", 0, query, key, "equals", now.matrix("scores", 0)[query][key]) for key in (0, 1)]
    start = puzzle(*goals, change=(name,))
    assert changes(start, found(start)[1]) <= 1
