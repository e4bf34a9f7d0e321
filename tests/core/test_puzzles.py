"""A puzzle: read and written in the file format, its goals, its changes, and what edits do with it."""

from dataclasses import replace
from math import inf, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import (
    AddMask,
    AllowMask,
    ExampleError,
    built_in,
    dump,
    from_token,
    parse,
    pretty,
    to_token,
    trace,
)
from mha_core.example.files import from_json, to_json
from mha_core.example.model import same_numbers
from mha_core.example.puzzle import RELATIONS, Goal, Puzzle
from mha_core.example.puzzle_file import puzzle_json
from mha_core.exercise.exercise import exercise
from mha_core.messages import in_words
from mha_core.puzzle import (
    after_solution,
    changes,
    differing,
    in_language,
    met,
    number_of,
    progress,
    solved,
)
from tests.apply import apply
from tests.core.strategies import examples, puzzles
from tests.sizes import each, tries

GOAL = {"step": "weights", "head": 0, "row": 0, "col": 1, "at_least": 0.8}
SET = {"op": "set", "matrix": "w_q", "head": 0, "row": 0, "col": 0, "values": [[3]]}


def with_puzzle(**puzzle):
    return from_json(to_json(built_in("programming")) | {"puzzle": {"goals": [GOAL]} | puzzle})


# --- the file --------------------------------------------------------------------------------------------------


def test_a_puzzle_is_read_as_it_is_written():
    example = with_puzzle(
        goals=[GOAL, {"step": "x", "row": 2, "col": 0, "equals": -1, "within": 0.5}],
        change=["w_q", "scale", "mask"],
        hints=["Look at W_Q.", {"en": "Row 1.", "zh": "第 1 行。"}],
        solution=[SET],
        stage="aim",
        key="own",
        tokens={"zh": ["我", "爱", "编程"]},
    )
    assert example.puzzle == Puzzle(
        goals=(Goal("weights", 0, 0, 1, "at_least", 0.8), Goal("x", None, 2, 0, "equals", -1.0, 0.5)),
        change=("w_q", "scale", "mask"),
        hints=("Look at W_Q.", {"en": "Row 1.", "zh": "第 1 行。"}),
        solution=(SET | {"values": ((3,),)},),
        stage="aim",
        key="own",
        tokens={"zh": ("我", "爱", "编程")},
    )
    assert from_token(to_token(example)) == parse(pretty(example)) == example
    assert '"puzzle"' not in dump(built_in("programming"))


@tries(6)
@given(st.data())
def test_every_puzzle_comes_back_from_a_file_and_from_a_link(data):
    example = data.draw(examples(variants=True))
    example = replace(example, puzzle=data.draw(puzzles(example)))
    assert parse(dump(example)) == parse(pretty(example)) == from_token(to_token(example)) == example


REFUSED = {
    "puzzle.goals: expected 1 to 12 goals, got 0": {"goals": []},
    "puzzle.goals: expected 1 to 12 goals, got 13": {"goals": [GOAL] * 13},
    'puzzle: unknown key "goal"': {"goal": []},
    'puzzle.goals: expected a list in brackets, got {"step": "weights"}': {"goals": {"step": "weights"}},
    'puzzle.goals[0]: unknown key "at-least"': {"goals": [{**GOAL, "at-least": 1}]},
    "puzzle.goals[0].step: missing": {"goals": [{"row": 0, "col": 0, "at_most": 1}]},
    "puzzle.goals[0].row: missing": {"goals": [{"step": "x", "col": 0, "at_most": 1}]},
    "puzzle.goals[0].step: there is no step 'weight'": {"goals": [{**GOAL, "step": "weight"}]},
    "puzzle.goals[0].step: this example has no such step": {
        "goals": [{**GOAL, "step": "output", "head": None}]
    },
    "puzzle.goals[1].row: expected a whole number from 0 to 2, got 3": {"goals": [GOAL, {**GOAL, "row": 3}]},
    "puzzle.goals[0].col: expected a whole number from 0 to 2, got -1": {"goals": [{**GOAL, "col": -1}]},
    "puzzle.goals[0].col: expected a whole number, got 1.5": {"goals": [{**GOAL, "col": 1.5}]},
    "puzzle.goals[0].head: weights has one matrix per head; give a head, 0 to 2": {
        "goals": [{**GOAL, "head": None}]
    },
    "puzzle.goals[0].head: expected a head from 0 to 2, got 3": {"goals": [{**GOAL, "head": 3}]},
    "puzzle.goals[0].head: concat belongs to the whole layer; do not give a head": {
        "goals": [{**GOAL, "step": "concat"}]
    },
    "puzzle.goals[0]: expected one of at_least, at_most and equals": {"goals": [{**GOAL, "at_most": 1}]},
    'puzzle.goals[0].within: is not used without "equals"': {"goals": [{**GOAL, "within": 1}]},
    "puzzle.goals[0].within: expected a number from 0 to 1e+12, got -1.0": {
        "goals": [{"step": "x", "row": 0, "col": 0, "equals": 1, "within": -1}]
    },
    "puzzle.goals[0].at_least: expected a number from -1e+12 to 1e+12, got 2000000000000.0": {
        "goals": [{**GOAL, "at_least": 2e12}]
    },
    'puzzle.goals[0].at_least: expected a number, got "0.8"': {"goals": [{**GOAL, "at_least": "0.8"}]},
    "puzzle.change[1]: there is no input 'weights_q'": {"change": ["w_q", "weights_q"]},
    "puzzle.change[1]: the input 'w_q' appears here twice": {"change": ["w_q", "w_q"]},
    "puzzle.hints: expected at most 6 entries, got 7": {"hints": [""] * 7},
    "puzzle.hints[0].zh: expected at most 1000 characters, got 1001": {"hints": [{"zh": "长" * 1001}]},
    "puzzle.solution: expected at most 24 entries, got 25": {"solution": [SET] * 25},
    "puzzle.solution[0]: expected a JSON object, got []": {"solution": [[]]},
    "puzzle.solution[0].op: expected text, got null": {"solution": [{"matrix": "x"}]},
    'puzzle.stage: expected "aim", "scores", "scaling", "masks", "values", "heads" or "positions", got "end"': {
        "stage": "end"
    },
    "puzzle.key: expected at most 40 characters, got 41": {"key": "k" * 41},
    "puzzle.tokens.zh: expected 3 tokens, got 2": {"tokens": {"zh": ["我", "爱"]}},
    'puzzle.tokens: unknown key "fr"': {"tokens": {"fr": ["je"]}},
}


@each("sentence, puzzle", REFUSED.items())
def test_what_breaks_the_format_is_refused_with_its_place_in_both_languages(sentence, puzzle):
    with pytest.raises(ExampleError) as refused:
        with_puzzle(**puzzle)
    assert str(refused.value) == sentence
    chinese = in_words(refused.value, "zh")
    assert chinese.startswith(refused.value.place)
    assert any("一" <= character <= "鿿" for character in chinese)


@each(
    "edit, sentence",
    [
        ({"op": "sett"}, "puzzle.solution[1]: this is not an edit"),
        (SET | {"row": -1}, "puzzle.solution[1], row: expected a whole number, 0 or more, got -1"),
        (SET | {"head": 7}, "puzzle.solution[1], heads[7]: this no longer exists"),
    ],
)
def test_what_cannot_be_done_in_a_solution_is_refused_with_its_place(edit, sentence):
    with pytest.raises(ExampleError) as refused:
        after_solution(with_puzzle(solution=[SET, edit]))
    assert str(refused.value) == sentence


def test_a_solution_is_a_list_of_edits():
    assert after_solution(with_puzzle(solution=[SET])) == apply(with_puzzle(solution=[SET]), SET)
    assert after_solution(built_in("first")) == built_in("first")


# --- edits -----------------------------------------------------------------------------------------------------


def test_a_puzzle_is_set_by_one_edit_and_removed_by_another():
    first = built_in("first")
    puzzle = {"goals": [GOAL], "hints": ["Look."]}
    set_ = apply(first, {"op": "puzzle", "puzzle": puzzle})
    assert puzzle_json(set_.puzzle) == puzzle
    assert same_numbers(set_, first)
    free = apply(set_, {"op": "puzzle", "puzzle": None})
    assert first.note
    assert free == replace(first, note=None)  # the note of a puzzle is its task
    assert apply(first, {"op": "puzzle", "puzzle": None}) == first


def test_an_edit_of_numbers_keeps_the_puzzle_and_its_story():
    example = with_puzzle(tokens={"zh": ["我", "爱", "编程"]})
    edited = apply(example, SET)
    assert (edited.puzzle, edited.note) == (example.puzzle, example.note)
    assert example.note


def test_an_edit_that_would_remove_the_cell_of_a_goal_is_refused():
    example = with_puzzle(goals=[{**GOAL, "row": 2}])
    with pytest.raises(
        ExampleError, match=r"^puzzle\.goals\[0\]\.row: expected a whole number from 0 to 1, got 2"
    ):
        apply(example, {"op": "remove_token", "which": "tokens", "index": 0})


def test_tokens_in_other_languages_go_with_the_tokens_that_they_translate():
    example = with_puzzle(tokens={"zh": ["我", "爱", "编程"]})
    assert apply(example, {"op": "add_token", "which": "tokens"}).puzzle.tokens == {}
    assert (
        apply(example, {"op": "rename_token", "which": "tokens", "index": 0, "text": "You"}).puzzle.tokens
        == {}
    )


def test_the_tokens_change_with_the_language_and_back():
    example = with_puzzle(tokens={"zh": ["我", "爱", "编程"]})
    chinese = in_language(example, "zh")
    assert chinese.tokens == ("我", "爱", "编程")
    assert in_language(chinese, "zh") == chinese
    assert in_language(chinese, "en").tokens == example.tokens
    assert in_language(example, "en") == example
    assert in_language(built_in("first"), "zh") == built_in("first")


def test_an_exercise_is_no_puzzle():
    assert exercise(with_puzzle(), 1).puzzle is None


# --- goals -----------------------------------------------------------------------------------------------------


@each(
    "relation, number, holds",
    [
        ("at_least", 0.3, True),
        ("at_least", 0.31, False),
        ("at_most", 0.3, True),
        ("at_most", 0.29, False),
        ("equals", 0.304, True),
        ("equals", 0.306, False),
    ],
)
def test_a_goal_compares_a_number_of_the_trace(relation, number, holds):
    example = apply(
        built_in("programming"), {"op": "set", "matrix": "x", "row": 0, "col": 1, "values": [[0.1 + 0.2]]}
    )
    goal = Goal("x", None, 0, 1, relation, number)
    assert met(goal, trace(example)) is holds
    assert solved(trace(replace(example, puzzle=Puzzle((goal,))))) is holds


def test_all_goals_are_to_hold_at_once():
    goals = Goal("x", None, 0, 0, "equals", 2), Goal("x", None, 0, 1, "at_least", 1)
    example = built_in("programming")
    assert [met(goal, trace(example)) for goal in goals] == [True, False]
    assert not solved(trace(replace(example, puzzle=Puzzle(goals))))
    assert not solved(trace(example))


def test_a_goal_about_a_step_that_is_not_there_is_not_met_until_it_is():
    goal = Goal("masked_scores", 0, 0, 1, "at_most", -100)
    example = with_puzzle(goals=[{"step": "masked_scores", "head": 0, "row": 0, "col": 1, "at_most": -100}])
    assert number_of(goal, trace(example)) is None
    assert not met(goal, trace(example))
    assert number_of(goal, trace(apply(example, {"op": "mask", "kind": "causal"}))) == -inf
    assert solved(trace(apply(example, {"op": "mask", "kind": "causal"})))


def test_heads_that_share_keys_have_the_numbers_of_the_first():
    shared = trace(built_in("grouped-query"))
    owner, borrower = (Goal("k", head, 0, 0, "at_least", 0) for head in (0, 1))
    assert number_of(borrower, shared) == number_of(owner, shared)


def test_progress_is_the_share_of_the_way():
    at_least, at_most, equals = (Goal("x", None, 0, 0, relation, 0.8) for relation in RELATIONS)
    assert isclose(progress(at_least, 0.2, 0.5), 0.5)
    assert isclose(progress(at_most, 1.2, 1.1), 0.25)
    assert isclose(progress(equals, 0, 0.6), 0.75)
    assert isclose(progress(equals, 0, 1.4), 0.25)
    assert progress(at_least, 0.2, 0.1) == 0
    assert progress(at_least, 0.2, 0.9) == 1
    assert progress(equals, 0, 0.805) == 1
    assert progress(at_most, -inf, 1) == 0
    assert progress(at_most, 1, -inf) == 1
    assert progress(at_least, 0.9, 0.7) == 0


_numbers = st.floats(-100, 100)
_goals = st.builds(
    Goal,
    st.just("x"),
    st.none(),
    st.just(0),
    st.just(0),
    st.sampled_from(RELATIONS),
    _numbers,
    st.floats(0, 1),
)


@given(_goals, _numbers, _numbers)
def test_progress_is_full_exactly_where_the_goal_holds(goal, start, now):
    example = apply(
        built_in("programming"), {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[now]]}
    )
    assert 0 <= progress(goal, start, now) <= 1
    assert (progress(goal, start, now) == 1) == met(goal, trace(example))


@given(_goals, _numbers, _numbers, _numbers)
def test_progress_never_falls_on_the_way_to_the_goal(goal, start, one, other):
    nearer, further = sorted((one, other), key=lambda now: abs(now - goal.number))
    if (nearer - goal.number) * (further - goal.number) >= 0:
        assert progress(goal, start, nearer) >= progress(goal, start, further)


# --- changes ---------------------------------------------------------------------------------------------------


@each(
    "edit, count",
    [
        ({"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[9, 9, 0]]}, {"x": 2}),
        ({"op": "set", "matrix": "w_k", "head": 1, "row": 0, "col": 0, "values": [[7]]}, {"w_k": 1}),
        ({"op": "mask", "kind": "causal"}, {"mask": 3}),
        ({"op": "mask", "kind": "painted"}, {}),
        ({"op": "scale", "value": 2}, {"scale": 1}),
        ({"op": "scale", "value": 2**0.5}, {}),
        ({"op": "scale", "value": "none"}, {"scale": 1}),
        ({"op": "softcap", "value": 5}, {"softcap": 1}),
        ({"op": "scoring", "kind": "cosine", "scale": 1}, {"scoring": 1, "scale": 1}),
        ({"op": "biases", "on": True}, {"b_q": 6, "b_k": 6, "b_v": 6}),
        ({"op": "add_token", "which": "tokens"}, {"x": 3}),
        ({"op": "remove_head", "head": 2}, {"w_q": 6, "w_k": 6, "w_v": 6}),
        ({"op": "rename_token", "which": "tokens", "index": 0, "text": "You"}, {}),
        ({"op": "title", "text": "Other"}, {}),
    ],
)
def test_changes_are_the_input_numbers_that_differ(edit, count):
    start = built_in("programming")
    now = apply(start, edit)
    assert differing(start, now) == count
    assert changes(now, start) == changes(start, now) == sum(count.values())


def test_a_mask_counts_the_pairs_whose_permission_differs():
    causal = (True, False, False), (True, True, False), (True, True, True)
    start = replace(built_in("first"), mask=AllowMask(causal))
    assert changes(start, replace(start, mask=None)) == 3
    assert changes(start, replace(start, mask="causal")) == 0
    assert changes(start, replace(start, mask=AddMask(((0, -inf, -inf), (0, 0, -inf), (0, 0, 2))))) == 1
    assert changes(start, replace(start, mask=AllowMask((causal[1], *causal[1:])))) == 1
    assert changes(start, replace(start, mask=AllowMask(causal, fill=-9.0))) == 1


@tries(6)
@given(examples(variants=True), examples(variants=True))
def test_nothing_differs_from_itself_and_both_ways_differ_alike(one, other):
    assert changes(one, one) == 0
    assert changes(one, other) == changes(other, one)
