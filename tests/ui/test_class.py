"""An exercise that is handed in, and the class's marks, as the pages have them; the bank's dialog."""

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs

import pytest

from mha_core import MhaError, dump, parse
from mha_core.check.check import check
from mha_core.example.attempt import Attempt
from mha_core.marks.marks import paper
from mha_core.marks.scheme import Scheme
from mha_ui import state
from mha_ui.check import file_name, solutions
from mha_ui.state import OWN_SEED, address
from mha_ui.state.exercise import another_exercise
from mha_ui.state.url import work_at
from mha_view.lenses.lens import Exercise
from tests.core.test_marks import handed_in, wrong_weight
from tests.ui.pages import opened, sound, work

EXERCISE = {"example": "first", "ask": "weights.head_outputs", "seed": "17", "lang": "en"}


# --- what a student hands in -------------------------------------------------------------------------------------


def test_the_file_holds_what_was_asked_the_seed_and_how_it_went():
    begun = work_at(EXERCISE, "en")
    begun = replace(begun, exercise=replace(begun.exercise, missed=frozenset({4, 2}), hints={4: 2}))
    named = state.name_student(begun, "  Ada \n Lovelace ")
    saved = parse(dump(state.as_file(named)))
    assert saved.asked == ("weights", "head_outputs")
    assert saved.attempt == Attempt("Ada Lovelace", 17, (2, 4), {4: 2})


@pytest.mark.parametrize("seed", ["17", OWN_SEED])
def test_the_seed_is_kept_when_the_page_is_opened_again(seed):
    begun = work_at(EXERCISE | {"seed": seed}, "en")
    again = work_at(address(begun), "en")
    assert again.example == begun.example
    assert state.as_file(again).attempt.seed == begun.exercise.seed is not None


def test_numbers_that_were_not_drawn_have_no_seed():
    begun = work_at({"example": "first", "ask": "weights"}, "en")
    assert state.as_file(begun).attempt == Attempt()
    assert "seeded" not in address(begun)


def test_no_address_has_the_students_name():
    named = state.name_student(work_at(EXERCISE, "en"), "Lovelace")
    opened_again = state.open_file(named, dump(state.as_file(named)).encode())
    for one in (named, opened_again, state.without_claims(named)):
        assert "Lovelace" not in str(work_at(address(one), "en").example.attempt)
        assert "Lovelace" not in str(address(one))


def test_the_link_for_a_class_gives_new_numbers_and_no_seed_of_one_student():
    link = parse_qs(state.link_for_class(work_at(EXERCISE, "en"), ("weights",)))
    assert (link["seed"], "seeded" in link) == ([OWN_SEED], False)


def test_the_student_stays_for_the_next_exercise():
    named = state.name_student(work_at(EXERCISE, "en"), "1001")
    assert another_exercise(named).exercise.student == "1001"


def test_a_long_name_is_cut_so_that_the_file_opens():
    named = state.name_student(work_at(EXERCISE, "en"), "x" * 999)
    assert parse(dump(state.as_file(named))).attempt.student == "x" * 200


# --- the class ---------------------------------------------------------------------------------------------------


def papers():
    examples = [handed_in("Ada"), handed_in("Bob", **wrong_weight())]
    readable = [paper(f"{at}.mha.json", check(example)) for at, example in enumerate(examples)]
    return [*readable, paper("broken.mha.json", MhaError("no JSON"))]


def test_the_table_by_student_has_the_mark_and_what_it_is_out_of():
    payload: Any = solutions.solutions_payload(work_at({}, "en"), papers(), Scheme(follows=0.5))
    columns = [
        payload["columns"].index(name) for name in ("student", "mark", "out of", "follows", "wrong", "result")
    ]
    rows = [[row[column] for column in columns] for row in payload["rows"]]
    assert [row[:5] for row in rows] == [
        ["Ada", 30, 30, 0, 0],
        ["Bob", 26, 30, 2, 3],
        ["", None, None, None, None],
    ]
    assert rows[2][5] == "no JSON"


def test_the_table_by_question_says_where_the_class_went_wrong_first():
    columns, rows = solutions._by_question(work_at({}, "en"), papers())
    table = {row[0]: dict(zip(columns, row, strict=True)) for row in rows}
    assert list(table) == [
        f"{step}, head {head}" for step in ("Attention weights", "Head outputs") for head in (1, 2)
    ]
    found = table["Attention weights, head 1"]
    assert (found["right, %"], found["wrong"], found["went wrong here first"]) == ("83", "3", "1")
    assert table["Head outputs, head 1"]["follows"] == "2"


def test_the_table_by_mistake_says_whose_it_is():
    _, rows = solutions._by_mistake(work_at({}, "en"), papers())
    assert [(times, who) for _, times, who in rows] == [("1", "Bob")]


# --- the bank ----------------------------------------------------------------------------------------------------


def test_the_bank_asks_for_what_the_exercise_asks_for():
    app = opened("check.py", EXERCISE)
    sound(app.button(key="check.bank").click().run())
    assert app.session_state["check.bank.asked"] == ["weights", "head_outputs"]
    assert work(app).exercise == Exercise(("weights", "head_outputs"), seed=17)


def test_an_example_of_which_no_variants_can_be_drawn_says_so():
    app = opened("check.py", {"example": "saturated", "lang": "en"})
    sound(app.button(key="check.bank").click().run())
    assert any("Variants can be drawn" in caption.value for caption in app.caption)
    assert "check.bank.format" not in app.session_state


@pytest.mark.parametrize(
    ("language", "student", "name"),
    [
        ("en", "Ada Łove/1", "Water-is-toxic-two-heads-two-questions-Ada-Łove-1.mha.json"),
        ("en", "../..", "Water-is-toxic-two-heads-two-questions.mha.json"),
        ("en", "x" * 999, f"Water-is-toxic-two-heads-two-questions-{'x' * 40}.mha.json"),
        ("zh", "张三", "Water-is-toxic-两个头-各看各的-张三.mha.json"),
    ],
)
def test_the_file_to_hand_in_is_named_after_the_exercise_and_the_student(language, student, name):
    work = work_at({"example": "water", "ask": "weights", "seed": "3"}, language)
    assert file_name(state.name_student(work, student)) == name
