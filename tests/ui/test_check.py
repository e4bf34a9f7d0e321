"""The page Check as Streamlit runs it, and the bench's data there."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from mha_core import built_in, from_token, library, to_token, trace
from mha_core.example.model import text_in
from mha_core.exercise.exercise import exercise, varies
from mha_core.vocabulary import PER_HEAD_STEPS
from mha_ui import state
from mha_ui.check.model import check_payload
from mha_ui.state import OWN_SEED, Work, address, receive, set_exercise
from mha_ui.state.history import begun
from mha_ui.state.session import KEY
from mha_ui.state.url import work_at
from mha_view.about import looks
from tests.sizes import each
from tests.ui.pages import change, html

APP = Path(__file__).resolve().parents[2] / "pages" / "navigation.py"


def send(work, *edits):
    """The work after edits, sent as the bench sends them."""
    numbered = [{**edit, "seq": work.browser.applied + 1 + n} for n, edit in enumerate(edits)]
    return receive(work, {"session": work.browser.session, "edits": numbered})


def printed(example, decimals=3):
    """Claims of every step, rounded as a careful person writes them."""
    edits = []
    for name, rows in trace(example).values.items():
        for head, matrix in enumerate(rows) if name in PER_HEAD_STEPS else [(None, rows)]:
            if matrix is None or (head is not None and getattr(example.heads[head], name, None) is not None):
                continue
            texts = [["-inf" if n == float("-inf") else f"{n:.{decimals}f}" for n in row] for row in matrix]
            edits.append({"op": "claim", "matrix": name, "head": head, "row": 0, "col": 0, "values": texts})
    return edits


@each("name", list(library()))
def test_right_numbers_are_right_in_every_example(name):
    work = Work(begun(built_in(name), name), "en")
    work = send(work, {"op": "clear_claims"})
    work = send(work, *printed(work.example))
    data = check_payload(work)
    assert data["check"]["state"] == "ok"
    assert set(data["marks"].values()) == {"right"}
    assert data["check"]["causes"] == data["check"]["findings"] == []


@each("name", list(library()))
def test_inputs_are_read_only_and_steps_are_blank(name):
    work = Work(begun(built_in(name), name), "en")
    work = send(work, {"op": "clear_claims"})
    data: Any = check_payload(work)
    for step, matrix in data["matrices"].items():
        if step not in trace(work.example).values:
            assert matrix["edit"] is False
            assert "claim" not in matrix
    assert data["marks"] == {}
    assert data["check"]["state"] == "empty"


def test_numbers_of_the_answer_do_not_reach_the_browser():
    work = Work(begun(built_in("water"), "water"), "en")
    answers: list[Any] = [check_payload(work), check_payload(_with_exercise(work, "weights"))]
    for data in answers:
        values = data["matrices"]["weights"]["values"]
        assert all(cell == "" for head in values for row in head for cell in row)
        assert data["notes"] == data["kinds"] == {}


@pytest.mark.parametrize("text", ["1e-310", "5e-324", "1e-400"])
def test_the_smallest_float64_numbers_are_checked_as_any_other(text):
    work = Work(begun(built_in("first"), "first"), "en")
    work = send(work, {"op": "claim", "matrix": "q", "head": 0, "row": 0, "col": 0, "values": [[text]]})
    data: Any = check_payload(work)
    assert (data["check"]["state"], data["marks"]) == ("wrong", {"q|0|0|0": "own"})
    assert data["matrices"]["q"]["values"][0][0][0] == text


def _with_exercise(work, *steps):
    return set_exercise(work, steps, None)


def test_a_wrong_number_says_where_why_and_what_is_right():
    work = Work(begun(built_in("first"), "first"), "zh")
    wrong = {"op": "claim", "matrix": "v", "head": 0, "row": 1, "col": 0, "values": [["-4.00"]]}
    work = send(work, wrong)
    data = check_payload(work)
    assert data["marks"] == {"v|0|1|0": "own"}
    assert data["kinds"] == {"v|0|1|0": "也许正负号写错了。"}
    assert data["notes"] == {"v|0|1|0": "V[2, 1] = 3·0 + 4·1 = 4"}
    assert [cause["text"] for cause in data["check"]["causes"]] == ["第 2 行，第 1 列：也许正负号写错了。"]
    assert data["check"]["first"] == {"name": "v", "head": 0, "row": 1, "col": 0}


def test_a_number_rounded_too_coarsely_is_neither_wrong_nor_done():
    work = Work(begun(built_in("grouped-query"), "grouped-query"), "en")
    work = send(work, filled("weights", 0, 2, 0, "0"), filled("weights", 0, 2, 1, "0.16"))
    data: Any = check_payload(work)
    assert data["marks"] == {"weights|0|2|0": "coarse", "weights|0|2|1": "right"}
    assert (data["check"]["state"], data["check"]["causes"], data["notes"]) == ("coarse", [], {})
    assert "two significant digits" in data["check"]["summary"]
    work = set_exercise(work, ("weights",), None)
    work = send(work, filled("weights", 0, 2, 0, "0"), filled("weights", 0, 2, 1, "0.16"))
    data = check_payload(work)["check"]
    table = data["practice"]["tables"][0]
    assert (table["right"], table["wrong"], work.exercise.missed) == (1, 0, frozenset())
    work = send(work, {"op": "hint", "cell": {"name": "weights", "head": 0, "row": 2, "col": 0}})
    hint = check_payload(work)
    assert hint["check"]["practice"]["hint"]["cell"]["col"] == 0


def test_a_wrong_number_without_an_explanation_gets_a_general_remark_and_leads_to_its_step():
    work = Work(begun(built_in("first"), "first"), "en")
    work = send(work, filled("scores", 0, 0, 0, "7.7"))
    data: Any = check_payload(work)
    sentence = "The sign and the order of magnitude are right. Check the terms of S = Q·Kᵀ again."
    assert data["kinds"] == {"scores|0|0|0": sentence}
    (cause,) = data["check"]["causes"]
    assert cause["text"].endswith(sentence)
    assert cause["walk"] == "scores"
    work = set_exercise(work, ("weights",), None)
    work = send(work, filled("weights", 0, 1, 2, "1.51"), filled("weights", 0, 1, 1, "1.7"))
    data = check_payload(work)["check"]
    assert [explanation["text"] for explanation in data["practice"]["explanations"]] == [
        "row 2, column 2: A weight is always between 0 and 1."
    ]


def test_claims_are_in_the_address_and_can_be_undone():
    work = Work(begun(built_in("first"), "first"), "en")
    work = send(work, {"op": "claim", "matrix": "concat", "row": 0, "col": 3, "values": [["1.50"]]})
    assert from_token(address(work)["s"]).claimed["concat"][0][3] == "1.50"
    work = send(work, {"op": "undo"})
    assert address(work) == {"example": "first"}


def filled(name, head, row, col, text):
    return {"op": "claim", "matrix": name, "head": head, "row": row, "col": col, "values": [[text]]}


def test_an_exercise_marks_each_number_and_names_a_known_mistake_at_it():
    work = Work(begun(built_in("first"), "first"), "en")
    work = _with_exercise(work, "k", "scores")
    data = check_payload(work)
    assert data["marks"] == {}
    assert [name for name, matrix in data["matrices"].items() if matrix.get("claim")] == ["k", "scores"]
    work = send(work, filled("k", 0, 0, 0, "-3"), filled("k", 0, 0, 1, "1"))
    data = check_payload(work)
    assert data["marks"] == {"k|0|0|0": "own", "k|0|0|1": "right"}
    assert data["notes"] == {}
    practice = data["check"]["practice"]
    assert practice["explanations"] == [
        {
            "cell": {"name": "k", "head": 0, "row": 0, "col": 0},
            "text": "row 1, column 1: Possibly the sign is flipped.",
        }
    ]
    assert practice["tables"][0] == {
        "name": "k",
        "head": 0,
        "label": "Keys K, head 1",
        "cells": 6,
        "right": 1,
        "wrong": 1,
    }
    assert [(table["name"], table["head"]) for table in practice["tables"]] == [
        ("k", 0),
        ("k", 1),
        ("scores", 0),
        ("scores", 1),
    ]


def test_hints_for_a_cell_become_more_detailed_and_the_answer_comes_last():
    work = Work(begun(built_in("first"), "first"), "en")
    work = _with_exercise(work, "k", "scores")
    cell = {"name": "k", "head": 0, "row": 0, "col": 0}
    given = []
    for _ in range(5):
        work = send(work, {"op": "hint", "cell": cell})
        given.append(check_payload(work)["check"]["practice"]["hint"])
    assert [hint["rung"] for hint in given] == [
        "Idea",
        "Formula",
        "With numbers",
        "Answer",
        "Answer",
    ]
    assert given[0]["text"] == "Each row of X times W_K gives that token's key: 2 numbers."
    assert [hint["text"] for hint in given[2:4]] == ["K[1, 1] = 1·1 + 2·1 = ?", "K[1, 1] = 1·1 + 2·1 = 3"]
    assert [hint["more"] for hint in given] == [
        "Hint: formula",
        "Hint: formula with numbers",
        "Show the answer",
        "",
        "",
    ]
    assert work.exercise.hints == {0: 4}
    work = send(work, {"op": "hint", "cell": {**cell, "col": 1}})
    other = check_payload(work)["check"]["practice"]["hint"]
    assert (other["cell"]["col"], other["rung"]) == (1, "Idea")
    work = send(work, {"op": "hint", "cell": cell})
    again = check_payload(work)["check"]["practice"]["hint"]
    assert again == given[3]
    assert work.exercise.hints == {0: 4, 1: 1}
    work = send(work, filled("k", 0, 0, 0, "3"))
    assert check_payload(work)["check"]["practice"]["hint"] is None
    work = send(work, {"op": "hint", "cell": cell})
    hint = check_payload(work)["check"]["practice"]["hint"]
    assert hint["cell"] == {**cell, "col": 1}


def test_a_hint_is_about_the_wrong_number_and_not_the_next_blank_one():
    work = Work(begun(built_in("first"), "first"), "en")
    work = _with_exercise(work, "k", "scores")
    blank = {"op": "hint", "cell": {"name": "k", "head": 0, "row": 1, "col": 0}}
    work = send(work, filled("k", 0, 0, 0, "99"))
    given = []
    for _ in range(4):
        work = send(work, blank)
        given.append(check_payload(work)["check"]["practice"]["hint"])
    assert {(hint["cell"]["row"], hint["cell"]["col"]) for hint in given} == {(0, 0)}
    assert given[3]["rung"] == "Answer"
    work = send(work, blank)
    hint = check_payload(work)["check"]["practice"]["hint"]
    assert hint["cell"] == blank["cell"]  # there is no further hint for the wrong number


def test_the_file_of_an_exercise_names_the_steps_to_work_out():
    work = Work(begun(built_in("first"), "first"), "en")
    assert state.as_file(work) == work.example
    work = _with_exercise(work, "k", "scores")
    work = send(work, filled("k", 0, 0, 0, "3"))
    assert state.as_file(work).asked == ("k", "scores")


@pytest.mark.parametrize(
    "odd", [None, 3, {}, {"name": "q", "head": 9}, {"name": ["k"], "head": {}, "row": 0}]
)
def test_a_hint_for_a_missing_cell_is_for_the_first_open_one(odd):
    work = Work(begun(built_in("first"), "first"), "en")
    work = _with_exercise(work, "scores")
    work = send(work, {"op": "hint", "cell": odd})
    hint = check_payload(work)["check"]["practice"]["hint"]
    assert hint["cell"] == {"name": "scores", "head": 0, "row": 0, "col": 0}


def solved(work, *steps):
    """The work with correct claims for all cells of these steps."""
    return [edit for edit in printed(replace(work.example, claimed=None)) if edit["matrix"] in steps]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_end_counts_mistakes_and_hints_and_shows_the_weights(language):
    work = Work(begun(built_in("first"), "first"), language)
    work = _with_exercise(work, "weights")
    work = send(work, filled("weights", 0, 0, 1, "0.7"))
    assert work.exercise.missed == {1}
    cell = {"name": "weights", "head": 1, "row": 0, "col": 0}
    work = send(work, *[{"op": "hint", "cell": cell}] * 4, {"op": "hint", "cell": {**cell, "row": 1}})
    work = send(work, *solved(work, "weights"))
    data: Any = check_payload(work)["check"]
    assert data["state"] == "ok"
    end = data["practice"]["end"]
    results = {
        "en": "16 of 18 right on the first try. 4 hints. 1 answer shown.",
        "zh": "18 个数中有 16 个一次答对。用了 4 次提示。看了 1 个答案。",
    }
    assert end["result"] == results[language]
    assert end["weights"] == work.trace.values["weights"]
    assert end["looks"] == looks(work.trace, language)
    work = send(work, {"op": "undo"})
    assert check_payload(work)["check"]["practice"]["end"] is None


def test_mistakes_and_hints_survive_a_reload_and_are_not_given_to_students():
    work = Work(begun(built_in("first"), "first"), "en")
    work = _with_exercise(work, "weights")
    work = send(work, filled("weights", 0, 0, 1, "0.7"), *[{"op": "hint"}] * 2)
    assert address(work)["tally"] == "1~1.2"
    again = work_at(address(work), "en")
    assert again.exercise.tally == "1~1.2"
    assert again.example.claimed == work.example.claimed
    assert "tally" not in address(state.without_claims(work))


@pytest.mark.parametrize("tally", ["x", "1", "~~", "1-~", "1~2", "-1~", "1~2.10", "9" * 9 + "~", "~" * 9999])
def test_a_malformed_tally_is_empty(tally):
    opened = work_at({"example": "first", "ask": "weights", "tally": tally}, "en")
    assert opened.exercise.tally == ""


def test_setting_an_exercise_can_be_undone_and_done_again():
    work = Work(begun(built_in("first"), "first"), "en")
    work = send(work, filled("q", 0, 0, 1, "0.7"))
    mine = work.example
    work = _with_exercise(work, "weights")
    data = check_payload(work)
    assert (work.example.claimed, data["controls"]["undo"]) == (None, True)
    work = send(work, filled("weights", 0, 0, 1, "0.7"), {"op": "another_exercise"})
    work = send(work, {"op": "undo"}, {"op": "undo"})
    assert (work.exercise.asked, work.example.claimed) == (("weights",), None)
    work = send(work, {"op": "undo"})
    data = check_payload(work)
    assert (work.exercise, work.example, data["controls"]["redo"]) == (None, mine, True)
    work = send(work, {"op": "redo"}, {"op": "redo"})
    assert (work.exercise.missed, work.example.x) == (frozenset({1}), mine.x)
    work = send(work, {"op": "redo"})
    assert work.exercise.asked == ("weights",)
    assert work.example.x != mine.x
    assert not work.exercise.missed


def test_undo_stays_within_an_exercise_from_a_link():
    work = work_at({"example": "first", "ask": "weights"}, "en")
    work = send(work, filled("weights", 0, 0, 1, "0.7"), *[{"op": "undo"}] * 3)
    data = check_payload(work)
    assert (work.exercise.asked, data["controls"]["undo"], data["controls"]["redo"]) == (
        ("weights",),
        False,
        True,
    )


def test_another_exercise_has_other_numbers_and_a_new_count():
    work = Work(begun(built_in("first"), "first"), "en")
    work = _with_exercise(work, "weights")
    work = send(work, {"op": "hint"}, *solved(work, "weights"))
    before = work.example.x
    work = send(work, {"op": "another_exercise"})
    data: Any = check_payload(work)
    assert work.example.x != before
    assert (work.exercise.asked, work.exercise.tally) == (("weights",), "")
    assert all(text == "" for head in data["matrices"]["weights"]["values"] for row in head for text in row)


@each("name", list(library()))
def test_no_step_after_the_last_one_to_work_out_is_shown(name):
    work = Work(begun(built_in(name), name), "en")
    work = _with_exercise(work, "scores", "weights")
    data = check_payload(work)
    after = {"head_outputs", "concat", "output", "w_o", "b_o"}
    assert {"scores", "weights"} <= data["matrices"].keys()
    assert not after & (data["matrices"].keys() | data["steps"].keys())
    assert {name for step in data["steps"].values() for name, *_ in step["operands"]} <= data[
        "matrices"
    ].keys()


@each("name", list(library()))
def test_there_is_a_link_for_the_class_where_numbers_can_be_drawn(name):
    work = Work(begun(built_in(name), name), "en")
    work = _with_exercise(work, "weights")
    link = check_payload(work)["class_link"]
    assert bool(link) is varies(work.example)
    if link:
        query = dict(parse_qsl(link))
        assert work_at(query, "en").exercise.asked == ("weights",)
        assert work_at(query, "en").example.x != work_at(query, "en").example.x


@pytest.mark.parametrize("page", ["bench", "walkthrough", "experiments", "conventions", "lessons"])
def test_no_other_page_shows_the_answers_without_confirmation(page):
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params.update(example="first", ask="weights")
    if page != "bench":
        app.switch_page(f"{page}.py")
    app.run()
    assert not app.exception
    buttons = [button for button in app.button if button.label == "End the exercise and show the numbers"]
    assert len(buttons) == 1
    mounted = [element.key for element in app.main if element.type == "bidi_component"]
    assert all(key.startswith(("frame.", "address.")) for key in mounted)
    buttons[0].click().run()
    assert app.session_state[KEY].work.exercise is None
    assert not [button for button in app.button if "exercise" in button.label]


def test_an_example_s_note_is_hidden_during_an_exercise_since_it_describes_the_numbers():
    app = AppTest.from_file(APP, default_timeout=60).switch_page("check.py")
    app.query_params.update(example="programming", ask="weights", lang="en")
    sentence = "every weight is between"
    assert sentence in text_in(built_in("programming").note, "en")
    assert sentence not in html(app.run())
    change(app, state.end_exercise)
    assert sentence in html(app.run())


def test_another_example_ends_the_exercise():
    work = Work(begun(built_in("first"), "first"), "en")
    work = _with_exercise(work, "weights")
    work = state.open_built_in(work, "water")
    assert work.exercise is None
    assert "ask" not in address(work)


def test_an_example_too_large_to_work_out_is_refused_with_a_sentence():
    work = Work(begun(built_in("saturated"), "saturated"), "zh")
    work = set_exercise(work, ("weights",), 1)
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
        return app.session_state[KEY].work

    return opened


def test_a_link_restores_the_exercise(visit):
    drawn = exercise(built_in("first"), 3)
    work = visit(s=to_token(drawn), ask="weights.head_outputs.nonsense", lang="zh")
    assert work.exercise.asked == ("weights", "head_outputs")
    assert work.example == drawn


def test_a_link_can_give_each_student_other_numbers(visit):
    drawn = [visit(example="first", ask="weights", seed=OWN_SEED).example for _ in range(2)]
    assert drawn[0] != drawn[1]
    assert all(example.dims.d_k != example.dims.n_k for example in drawn)


def test_a_link_can_name_its_seed(visit):
    assert visit(example="first", ask="weights", seed="17").example == exercise(built_in("first"), 17)
    for nonsense in ("-1", "1.5", "1" * 9, "x"):
        assert visit(example="first", ask="weights", seed=nonsense).history.name == "first"


def test_a_students_numbers_are_in_the_address_and_stay(visit):
    first = visit(example="first", ask="weights", seed=OWN_SEED)
    first = send(
        first, {"op": "claim", "matrix": "weights", "head": 0, "row": 0, "col": 0, "values": [["0.25"]]}
    )
    assert "seed" not in address(first)
    again = visit(**address(first))
    assert again.example == first.example
    assert again.example.claimed["weights"][0][0][0] == "0.25"


def test_the_address_bar_gives_each_student_new_numbers_until_something_is_filled_in():
    work = Work(begun(built_in("first"), "first"), "en")
    work = set_exercise(work, ("weights",), OWN_SEED)
    assert check_payload(work)["bar"] == {"example": "first", "ask": "weights", "seed": "own"}
    assert work_at(check_payload(work)["address"], "en").example == work.example  # as a new server reads it
    work = send(
        work, {"op": "claim", "matrix": "weights", "head": 0, "row": 0, "col": 0, "values": [["0.25"]]}
    )
    data = check_payload(work)
    assert data["bar"] is None
    assert data["address"] == address(work)
    work = set_exercise(work, ("weights",), 3)
    assert check_payload(work)["bar"] is None


def test_the_link_that_gives_each_student_new_numbers_does_not_change():
    work = Work(begun(built_in("first"), "first"), "en")
    before = state.like_of(work)
    for _ in range(2):
        work = set_exercise(work, ("weights",), OWN_SEED)
        assert work.example != built_in("first")
        assert state.like_of(work) == before == {"example": "first"}
    work = set_exercise(work, ("weights",), 3)
    assert state.like_of(work) != before


def test_an_exercise_counts_what_is_still_to_do():
    work = Work(begun(built_in("first"), "first"), "en")
    work = _with_exercise(work, "k")
    work = send(work, {"op": "claim", "matrix": "k", "head": 0, "row": 0, "col": 0, "values": [["3"]]})
    data = check_payload(work)
    assert data["check"]["summary"] == "1 of 12 filled in so far, and it is right. 11 left."
