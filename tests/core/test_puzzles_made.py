"""A puzzle from what somebody has done: the start is what was opened, the goal what a number has become."""

from dataclasses import replace

import pytest

from mha_core import AddMask, Cell, ExampleError, built_in, dump, parse, trace
from mha_core.puzzle import after_solution, changes, puzzle_from, solved
from tests.apply import apply

START = built_in("programming")
CELL = Cell("weights", 0, 1, 0)


def changed(*edits):
    example = START
    for edit in edits:
        example = apply(example, edit)
    return example


def put(matrix, head, row, col, value):
    return {"op": "set", "matrix": matrix, "head": head, "row": row, "col": col, "values": [[value]]}


NOW = changed(put("w_q", 0, 1, 0, -2))
BEFORE_AND_AFTER = [trace(example).matrix("weights", 0)[1][0] for example in (START, NOW)]


def test_the_goal_is_the_new_number_rounded_towards_the_start():
    (goal,) = puzzle_from(START, NOW, CELL).puzzle.goals
    before, after = BEFORE_AND_AFTER
    assert goal.relation == ("at_least" if after > before else "at_most")
    assert abs(goal.number - after) <= 0.01
    assert min(before, after) < goal.number <= max(before, after)


def test_a_number_that_has_become_smaller_is_to_be_at_most_so_large():
    (goal,) = puzzle_from(NOW, START, CELL).puzzle.goals
    before, after = reversed(BEFORE_AND_AFTER)
    assert goal.relation == ("at_least" if after > before else "at_most")


def test_a_change_too_small_for_two_decimals_has_more():
    now = changed(put("w_q", 0, 1, 0, START.heads[0].w_q[1][0] + 1e-3))
    made = puzzle_from(START, now, CELL)
    assert not solved(trace(made))
    assert solved(trace(after_solution(made)))


@pytest.mark.parametrize(
    "edits",
    [
        [put("w_q", 0, 1, 0, -2)],
        [put("x", None, 1, 1, -2), put("w_q", 0, 1, 0, 4)],
        [{"op": "scale", "value": 0.5}],
        [{"op": "mask", "kind": "causal"}],
        [put("mask", None, 1, 0, False)],
    ],
    ids=str,
)
def test_it_begins_unsolved_and_the_solution_solves_it_with_no_more_changes(edits):
    now = changed(*edits)
    made = puzzle_from(START, now, CELL)
    assert not solved(trace(made))
    end = after_solution(made)
    assert solved(trace(end))
    assert changes(made, end) <= changes(START, now)


def test_only_what_was_changed_may_be_changed():
    assert puzzle_from(START, NOW, CELL).puzzle.change == ("w_q",)


def test_it_can_be_saved_and_opened():
    made = puzzle_from(START, NOW, CELL)
    assert dump(parse(dump(made))) == dump(made)


@pytest.mark.parametrize(
    ("now", "cell", "sentence"),
    [
        (START, CELL, "change a number first"),
        (NOW, Cell("weights", 1, 0, 0), "this number is the same"),
        (NOW, Cell("weights", 0, 9, 0), "this number is the same"),
        (changed({"op": "scoring", "kind": "cosine"}), CELL, "and nothing else"),
        (changed({"op": "resize", "axis": "d_k", "by": 1}), CELL, "and nothing else"),
        (replace(START, mask=AddMask(((0.0, -1.0, 0.0),) * 3)), CELL, "a mask that adds numbers"),
    ],
    ids=["nothing changed", "same number", "no such cell", "scoring", "size", "mask that adds"],
)
def test_what_can_be_no_puzzle_is_refused(now, cell, sentence):
    with pytest.raises(ExampleError, match=sentence):
        puzzle_from(START, now, cell)
