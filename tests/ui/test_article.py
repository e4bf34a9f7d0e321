"""“Read an article” without a browser: texts in, what was chosen in them, the address, and the page in Streamlit."""

from __future__ import annotations

import sys
from base64 import b64encode

import pytest

from mha_core import built_in
from mha_core.read.choices import AS_READ, choices_in
from mha_ui.check.article import Desk, changed, desk_at, payload, token_of, with_text
from mha_ui.state import Work
from mha_ui.state.history import begun
from tests.reading.test_read import FIRST, pdf_of
from tests.ui.pages import opened

OPEN = Desk(is_open=True)
TIMES = "\nTimings: [[3.25, 4.5], [7.25, 8.5]]\n"


def shown(desk, language="en"):
    return payload(Work(begun(built_in("first"), "first"), language), desk)


def choose(desk, *choices, **settings):
    given = [dict(zip(("at", "name", "head", "turned"), one, strict=True)) for one in choices]
    return changed(desk, {"op": "choose", "choices": {"matrices": given, **settings}})


def matrix(data, at):
    return next(one for one in data["article"]["matrices"] if one["at"] == at)


# --- a text in --------------------------------------------------------------------------------------------------


def test_a_pasted_text_is_read_with_its_wrong_number():
    data = shown(changed(OPEN, {"op": "read", "name": "", "text": FIRST}))
    (mark,) = data["article"]["marks"]
    assert (mark["right"], mark["cell"]["name"]) == ("1", "scores")
    assert "".join(text for text, _, _ in data["article"]["pieces"]) == FIRST


def test_a_file_is_read_and_a_path_is_no_part_of_its_name():
    sent = {"op": "read", "name": "..\\notes/first.md", "bytes": b64encode(FIRST.encode()).decode()}
    assert changed(OPEN, sent) == Desk(is_open=True, text=FIRST, name="first.md")


def test_a_text_that_is_refused_leaves_the_one_before():
    before = with_text(OPEN, FIRST, "first.md")
    after = with_text(before, b"\xff\xfe\x00", "a.txt")
    assert (after.text, after.name) == (before.text, before.name)
    assert "UTF-8" in shown(after)["refused"]


def test_of_a_pdf_file_the_text_stays():
    desk = with_text(OPEN, pdf_of(["Q = [[1, 2], [3, 4]]"]), "a.pdf")
    assert desk.name == "a.txt"
    assert "[[1, 2], [3, 4]]" in desk.text


def test_without_the_extra_the_page_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "markdown_it", None)
    text = shown(with_text(OPEN, FIRST + "\nNot read before.", "first.md"), "zh")["refused"]
    assert "markdown-it-py" in text
    assert "pip install" in text


def test_a_text_without_an_example_says_what_is_missing():
    data = shown(with_text(OPEN, "Q = [[1, 2], [3, 4]]", "a.md"))
    assert "Q, K and V" in data["article"]["nothing"]
    assert data["article"]["examples"] == []


# --- what is chosen ---------------------------------------------------------------------------------------------


def test_a_matrix_is_set_aside_and_nothing_is_wrong_any_more():
    data = shown(choose(with_text(OPEN, FIRST, "a.md"), (4, "", None, False)))
    assert data["article"]["marks"] == []
    assert matrix(data, 4)["example"] is None
    assert matrix(data, 4)["why"] == "set aside by you"


def test_a_name_that_is_taken_goes_to_the_matrix_that_it_is_chosen_for():
    desk = with_text(OPEN, FIRST + TIMES, "a.md")
    data = shown(choose(desk, (6, "v", 0, False)))
    assert (matrix(data, 6)["name"], matrix(data, 6)["example"]) == ("v", 0)
    data = shown(choose(desk, (6, "weights", 0, False)))
    assert matrix(data, 6)["name"] == "weights"
    assert matrix(data, 5)["name"] != "weights"


def test_what_was_chosen_is_judged_even_where_all_of_it_is_wrong():
    data = shown(choose(with_text(OPEN, FIRST + TIMES, "a.md"), (6, "head_outputs", 0, False)))
    assert sum(mark["cell"]["name"] == "head_outputs" for mark in data["article"]["marks"]) == 4


def test_a_matrix_that_is_printed_transposed_is_read_in_rows():
    text = FIRST.replace("1 & 2 \\\\ 0 & 1", "1 & 0 \\\\ 2 & 1")
    desk = choose(with_text(OPEN, text, "a.md"), (1, "w_q", 0, True))
    assert matrix(shown(desk), 1)["rows"][0][1][0] == "2"
    assert [mark["right"] for mark in shown(desk)["article"]["marks"]] == ["1"]


def test_the_divisor_is_chosen():
    data = shown(choose(with_text(OPEN, FIRST, "a.md"), scale="none"))
    assert data["article"]["examples"][0]["scale"] == "none"
    assert {mark["cell"]["name"] for mark in data["article"]["marks"]} == {"scores", "weights"}


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"x": 1},
        {"matrices": [{}]},
        {"matrices": 3},
        {"form": "diagonal"},
        {"scale": 0},
        {"scale": "<b>"},
        {"scale": True},
        {"matrices": [{"at": -1, "name": "x", "head": None, "turned": False}]},
        {"matrices": [{"at": 0, "name": "__class__", "head": None, "turned": False}]},
        {"matrices": [{"at": 0, "name": "q", "head": 99, "turned": False}]},
    ],
)
def test_choices_that_the_page_cannot_send_are_refused(data):
    before = with_text(OPEN, FIRST, "a.md")
    after = changed(before, {"op": "choose", "choices": data})
    assert after.choices == AS_READ
    assert after.text == FIRST


def test_nothing_else_that_is_sent_changes_anything():
    for sent in ({}, {"op": "read"}, {"op": "read", "name": "a", "bytes": "%"}, {"op": "fly"}):
        assert changed(OPEN, sent) == OPEN


# --- the address ------------------------------------------------------------------------------------------------


def test_a_link_has_the_text_and_what_was_chosen():
    desk = choose(with_text(OPEN, FIRST, "first.md"), (4, "", None, False), (1, "w_q", 0, True), scale=2.5)
    assert desk_at(token_of(desk)) == desk
    assert desk_at("") == Desk()
    assert desk_at(token_of(OPEN)) == OPEN


@pytest.mark.parametrize("token", ["1", "1abc", "9x", "1eNq", "<script>", "1" + "A" * 40_000])
def test_a_damaged_link_opens_the_page_with_a_sentence(token):
    desk = desk_at(token)
    assert desk.is_open
    assert desk.text == ""
    assert "link" in shown(desk)["refused"]


def test_a_text_that_no_link_can_contain_is_said_to_be_too_large():
    noise = " ".join(str(hash(n)) for n in range(0, 10**17, 10**13 + 12_345))
    assert shown(with_text(OPEN, FIRST, "a.md"))["token"]
    assert not shown(with_text(OPEN, FIRST + noise, "a.md"))["token"]


# --- the page ---------------------------------------------------------------------------------------------------


def test_the_page_opens_a_link_and_offers_the_corrected_copy():
    token = token_of(with_text(OPEN, FIRST, "first.md"))
    app = opened("check.py", {"article": token, "lang": "en"})
    keys = [element.key for element in app.get("bidi_component")]
    assert "check.article" in keys
    assert "bench.matrices" not in keys
    (button,) = [one for one in app.get("download_button") if "corrected" in one.proto.label]
    assert not button.proto.disabled


def test_in_an_exercise_there_are_only_the_tables():
    token = token_of(with_text(OPEN, FIRST, "first.md"))
    app = opened("check.py", {"article": token, "example": "first", "ask": "weights"})
    assert "bench.matrices" in [element.key for element in app.get("bidi_component")]


def test_choices_are_read_from_json():
    assert choices_in({"mask": "causal"}).mask == "causal"
