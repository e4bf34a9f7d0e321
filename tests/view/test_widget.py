"""The widget without a front end: edits that a page sends, and examples that Python sets."""

import json
import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import ExampleError, ExportError, built_in, from_arrays, library
from mha_core.example.model import MAX_NUMBER
from mha_view.notebook import Widget
from tests.apply import apply


def set_to(value, row=0, col=0):
    return {"op": "set", "matrix": "x", "head": None, "row": row, "col": col, "values": [[value]]}


def edited(widget, *edits, version=None):
    """The page sends what has been edited in it, as JSON."""
    shown = widget._shown["version"] if version is None else version
    widget.set_state(json.loads(json.dumps({"_edited": {"version": shown, "edits": edits}})))


def shown(widget):
    """The file of the example that the page is sent."""
    return json.loads(widget._shown["data"])["file"]


@pytest.mark.parametrize("name", library())
def test_it_starts_with_its_example_and_shows_that(name):
    widget = Widget(built_in(name))
    assert widget.example == built_in(name)
    assert shown(widget)["heads"]
    assert widget._shown["version"] == 1


@given(st.floats(-MAX_NUMBER, MAX_NUMBER))
def test_after_an_edit_the_example_has_exactly_that_number(value):
    widget = Widget(built_in("first"))
    edited(widget, set_to(value))
    assert struct.pack("d", widget.example.x[0][0]) == struct.pack("d", value)


def test_edits_are_those_since_the_example_was_shown():
    widget = Widget(built_in("first"))
    edited(widget, set_to(7.0))
    edited(widget, set_to(8.0, row=1), {"op": "scale", "value": 2.0})
    assert widget.example == apply(
        apply(built_in("first"), set_to(8.0, row=1)), {"op": "scale", "value": 2.0}
    )
    edited(widget)
    assert widget.example == built_in("first")
    assert widget._shown["version"] == 1


def whole_tables(widget):
    """An edit of each table of the page, as the page sends it: the whole table, with another number in its corner."""
    data = json.loads(widget._shown["data"])
    for name, matrix in data["languages"]["en"]["explore"]["matrices"].items():
        owners = matrix.get("owners", range(len(matrix["values"])))
        tables = enumerate(matrix["values"]) if matrix["perHead"] else [(None, matrix["values"])]
        for head, rows in tables:
            if not matrix["edit"] or rows is None or (head is not None and owners[head] != head):
                continue
            corner = not rows[0][0] if isinstance(rows[0][0], bool) else 0.75
            changed = [[corner, *rows[0][1:]], *rows[1:]]
            yield {"op": "set", "matrix": name, "head": head, "row": 0, "col": 0, "values": changed}


@pytest.mark.parametrize("name", library())
def test_a_whole_table_that_is_sent_changes_the_one_number_that_was_edited(name):
    widget = Widget(built_in(name))
    for edit in whole_tables(widget):
        edited(widget, edit)
        assert widget.example == apply(built_in(name), edit | {"values": [[edit["values"][0][0]]]})


def test_whoever_observes_the_example_is_told_of_an_edit_and_of_one_that_is_set():
    widget, seen = Widget(built_in("first")), []
    widget.observe(lambda change: seen.append(change["new"]), "example")
    edited(widget, set_to(7.0))
    widget.example = built_in("causal")
    assert seen == [apply(built_in("first"), set_to(7.0)), built_in("causal")]


def test_an_example_that_is_set_is_shown_and_edits_of_the_one_before_are_ignored():
    widget = Widget(built_in("first"))
    widget.example = built_in("causal")
    assert widget._shown["version"] == 2
    assert shown(widget)["title"] == built_in("causal").title
    edited(widget, set_to(7.0), version=1)
    assert widget.example == built_in("causal")


@pytest.mark.parametrize(("value", "got"), [(None, "NoneType"), ("first", "str"), ({"x": [[1]]}, "dict")])
def test_what_is_no_example_is_refused_in_one_sentence_and_the_widget_keeps_its_own(value, got):
    widget = Widget(built_in("first"))
    with pytest.raises(ExampleError) as caught:
        widget.example = value
    assert str(caught.value) == f"example: expected an Example, got {got}"
    assert widget.example == built_in("first")
    with pytest.raises(ExampleError):
        Widget(value)


def test_an_example_that_is_too_large_is_refused_and_the_widget_keeps_its_own():
    row = (1.0,) * 64
    heads = [{"w_q": [row] * 64, "w_k": [row] * 64, "w_v": [row] * 64}] * 16
    widget = Widget(built_in("first"))
    with pytest.raises(ExportError, match="computed numbers"):
        widget.example = from_arrays(x=[row] * 64, heads=heads)
    assert widget.example == built_in("first")
    assert widget._shown["version"] == 1


def test_an_edit_that_does_not_fit_is_refused_and_the_widget_keeps_its_example():
    widget = Widget(built_in("first"))
    with pytest.raises(ExampleError, match="x: this block"):
        edited(widget, set_to(1.0, row=3))
    assert widget.example == built_in("first")


def test_an_exercise_starts_without_answers_and_gets_those_of_the_page():
    answers = {"op": "claim", "matrix": "weights", "head": 0, "row": 0, "col": 0, "values": [["0.50"]]}
    exercise = replace(built_in("first"), asked=("weights",))
    widget = Widget(apply(exercise, answers))
    assert widget.example == exercise
    edited(widget, answers | {"values": [["0.250"]]})
    assert widget.example.claimed["weights"][0][0][0] == "0.250"
    assert shown(widget)["asked"] == ["weights"]


def test_it_is_in_the_language_of_the_shell(monkeypatch):
    monkeypatch.setenv("LANGUAGE", "zh")
    widget = Widget(built_in("first"))
    assert [*json.loads(widget._shown["data"])["languages"]] == ["zh"]
    assert "zh-CN" in widget._frame
