"""The page Check as Streamlit runs it, and what the bench is told there."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from mha_core import built_in, from_token, library, to_token, trace
from mha_core.exercise.exercise import exercise
from mha_core.vocabulary import PER_HEAD_STEPS
from mha_ui import state
from mha_ui.check.model import check_payload
from mha_ui.state import OWN_SEED, Work, address, receive, set_exercise
from mha_ui.state.session import KEY

APP = Path(__file__).resolve().parents[2] / "pages" / "navigation.py"


def send(work, *edits):
    """What the bench would send."""
    numbered = [{**edit, "seq": work.applied + 1 + n} for n, edit in enumerate(edits)]
    receive(work, {"session": work.session, "edits": numbered})
    return check_payload(work)


def printed(example, decimals=3):
    """Claims of every step as a careful person prints them."""
    edits = []
    for name, rows in trace(example).values.items():
        for head, matrix in enumerate(rows) if name in PER_HEAD_STEPS else [(None, rows)]:
            if matrix is None or (head is not None and getattr(example.heads[head], name, None) is not None):
                continue
            texts = [["-inf" if n == float("-inf") else f"{n:.{decimals}f}" for n in row] for row in matrix]
            edits.append({"op": "claim", "matrix": name, "head": head, "row": 0, "col": 0, "values": texts})
    return edits


@pytest.mark.parametrize("name", list(library()))
def test_right_numbers_are_right_in_every_example(name):
    work = Work(built_in(name), name, "en")
    send(work, {"op": "clear_claims"})
    told = send(work, *printed(work.example))
    assert told["check"]["state"] == "ok"
    assert set(told["marks"].values()) == {"right"}
    assert told["check"]["causes"] == told["check"]["findings"] == []


@pytest.mark.parametrize("name", list(library()))
def test_inputs_are_read_only_and_steps_are_blank(name):
    work = Work(built_in(name), name, "en")
    told = send(work, {"op": "clear_claims"})
    for step, matrix in told["matrices"].items():
        if step not in trace(work.example).values:
            assert matrix["edit"] is False
            assert "claim" not in matrix
    assert told["marks"] == {}
    assert told["check"]["state"] == "empty"


def test_numbers_of_the_answer_do_not_reach_the_browser():
    work = Work(built_in("water"), "water", "en")
    for told in (check_payload(work), _asked(work, "weights")):
        values = told["matrices"]["weights"]["values"]
        assert all(cell == "" for head in values for row in head for cell in row)
        assert told["notes"] == {}


@pytest.mark.parametrize("text", ["1e-310", "5e-324", "1e-400"])
def test_a_number_as_small_as_float64_holds_is_checked_as_any_other(text):
    work = Work(built_in("first"), "first", "en")
    told = send(work, {"op": "claim", "matrix": "q", "head": 0, "row": 0, "col": 0, "values": [[text]]})
    assert (told["check"]["state"], told["marks"]) == ("wrong", {"q|0|0|0": "own"})
    assert told["matrices"]["q"]["values"][0][0][0] == text


def _asked(work, *steps):
    set_exercise(work, steps, None)
    return check_payload(work)


def test_a_wrong_number_says_where_why_and_what_is_right():
    work = Work(built_in("first"), "first", "zh")
    wrong = {"op": "claim", "matrix": "v", "head": 0, "row": 1, "col": 0, "values": [["-4.00"]]}
    told = send(work, wrong)
    assert told["marks"] == {"v|0|1|0": "own"}
    assert told["notes"] == {"v|0|1|0": "V[2, 1] = 3·0 + 4·1 = 4"}
    assert [cause["text"] for cause in told["check"]["causes"]] == ["正负号写错了。"]
    assert told["check"]["first"] == {"name": "v", "head": 0, "row": 1, "col": 0}


def test_claims_are_in_the_address_and_can_be_undone():
    work = Work(built_in("first"), "first", "en")
    send(work, {"op": "claim", "matrix": "concat", "row": 0, "col": 3, "values": [["1.50"]]})
    assert from_token(address(work)["s"]).claimed["concat"][0][3] == "1.50"
    send(work, {"op": "undo"})
    assert address(work) == {"example": "first"}


def test_an_exercise_tells_more_only_when_it_is_asked():
    work = Work(built_in("first"), "first", "en")
    told = _asked(work, "k", "scores")
    assert told["marks"] == {}
    assert [name for name, matrix in told["matrices"].items() if matrix.get("claim")] == ["k", "scores"]
    wrong = {"op": "claim", "matrix": "k", "head": 0, "row": 0, "col": 0, "values": [["9.00"]]}
    assert send(work, wrong)["marks"] == {}
    assert send(work, {"op": "check"})["marks"] == {"k|0|0|0": "own"}
    told = [send(work, {"op": "hint"})["check"]["hint"] for _ in range(4)]
    assert told == [
        "A digit has slipped.",
        "K[1, 1] = 1·1 + 2·1 = ?",
        "K[1, 1] = 1·1 + 2·1 = 3",
        "K[1, 1] = 1·1 + 2·1 = 3",
    ]
    right = {"op": "claim", "matrix": "k", "head": 0, "row": 0, "col": 0, "values": [["3"]]}
    assert send(work, right)["check"]["hint"] == ""


def test_another_example_ends_the_exercise():
    work = Work(built_in("first"), "first", "en")
    _asked(work, "weights")
    state.open_built_in(work, "water")
    assert work.exercise is None
    assert "ask" not in address(work)


def test_an_example_too_large_to_work_out_is_refused_with_a_sentence():
    work = Work(built_in("saturated"), "saturated", "zh")
    set_exercise(work, ("weights",), 1)
    assert work.exercise is None
    assert work.message is not None
    assert "W_Q" in work.message.text


@pytest.fixture
def visit():
    def opened(**query):
        st.cache_resource.clear()
        app = AppTest.from_file(APP, default_timeout=60).switch_page("check.py")
        app.query_params.update(query)
        app.run()
        assert not app.exception
        return app.session_state[KEY]

    yield opened
    st.cache_resource.clear()


def test_a_link_restores_the_exercise(visit):
    made = exercise(built_in("first"), 3)
    work = visit(s=to_token(made), ask="weights.head_outputs.nonsense", lang="zh")
    assert work.exercise.asked == ("weights", "head_outputs")
    assert work.example == made


def test_a_link_can_give_everybody_numbers_of_his_own(visit):
    drawn = [visit(example="first", ask="weights", seed=OWN_SEED).example for _ in range(2)]
    assert drawn[0] != drawn[1]
    assert all(example.dims.d_k != example.dims.n_k for example in drawn)


def test_a_link_can_name_its_seed(visit):
    assert visit(example="first", ask="weights", seed="17").example == exercise(built_in("first"), 17)
    for nonsense in ("-1", "1.5", "1" * 9, "x"):
        assert visit(example="first", ask="weights", seed=nonsense).name == "first"


def test_numbers_of_ones_own_are_in_the_address_and_stay(visit):
    first = visit(example="first", ask="weights", seed=OWN_SEED)
    send(first, {"op": "claim", "matrix": "weights", "head": 0, "row": 0, "col": 0, "values": [["0.25"]]})
    assert "seed" not in address(first)
    again = visit(**address(first))
    assert again.example == first.example
    assert again.example.claimed["weights"][0][0][0] == "0.25"


def test_the_link_that_gives_each_student_new_numbers_stays_what_it_is():
    work = Work(built_in("first"), "first", "en")
    before = state.like_of(work)
    for _ in range(2):
        set_exercise(work, ("weights",), OWN_SEED)
        assert work.example != built_in("first")
        assert state.like_of(work) == before == {"example": "first"}
    set_exercise(work, ("weights",), 3)
    assert state.like_of(work) != before


def test_an_exercise_counts_what_is_still_to_do():
    work = Work(built_in("first"), "first", "en")
    _asked(work, "k")
    send(work, {"op": "claim", "matrix": "k", "head": 0, "row": 0, "col": 0, "values": [["3"]]})
    assert send(work, {"op": "check"})["check"]["summary"] == (
        "1 of 12 filled in so far, and it is right; 11 to go."
    )
