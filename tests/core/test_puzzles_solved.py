"""The built-in puzzles: each begins unsolved, and its solution is the smallest that the solver finds."""

from mha_core import trace
from mha_core.edit.edit import read_edit
from mha_core.edit.edits import apply
from mha_core.puzzle import built_in_puzzles, changes, differing, fewest, solution_edits, solved
from tests.sizes import each

PUZZLES = built_in_puzzles()


def after(example, edits):
    for edit in edits:
        example = apply(example, edit)
    return example


@each("key, start", PUZZLES.items())
def test_a_puzzle_begins_unsolved_and_its_solution_solves_it(key, start):
    assert start.puzzle.key == key
    assert not solved(trace(start))
    end = after(start, solution_edits(start))
    assert solved(trace(end))
    assert differing(start, end).keys() <= set(start.puzzle.change)


@each("start", PUZZLES.values())
def test_no_solution_with_fewer_changes_is_found(start):
    end = after(start, map(read_edit, fewest(start)))
    assert solved(trace(end))
    assert changes(start, after(start, solution_edits(start))) == changes(start, end)
