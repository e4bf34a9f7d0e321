"""A goal on Explore: what the page is sent of it, what a step says, and what can be undone."""

import json
from dataclasses import replace

import pytest
from hypothesis import given

from mha_core import Cell, built_in, trace
from mha_core.errors import NumberRangeError
from mha_core.learn.descent import loss, stepped
from mha_core.learn.undefined import undefined_rows
from mha_ui.bench.model import payload
from mha_ui.check.model import check_payload
from mha_ui.state import Work, come_to
from mha_ui.state.history import begun
from mha_ui.state.url import work_at
from mha_ui.state.work import Message
from mha_view.lenses.lens import Exercise
from mha_view.tables.backward import with_backward
from tests.apply import apply
from tests.core.goals import with_goals
from tests.js.dom.learning import HIDDEN, OUTPUT, TOO_FAR
from tests.js.dom.works import after, opened
from tests.sizes import tries

PINNED = {"op": "pin", "cell": {"name": "d_w_q", "head": 1, "row": 0, "col": 1}}


@pytest.fixture
def aimed():
    return after(opened(example="output-projection"), OUTPUT)


def test_nothing_is_said_of_a_step_that_is_undone(aimed):
    stepped = after(aimed, {"op": "learn", "steps": 1})
    assert stepped.message
    assert after(stepped, {"op": "undo"}).message is None


def test_without_a_goal_a_page_is_sent_nothing_of_the_backward_pass():
    sent = payload(opened(example="output-projection"))
    assert sent["learning"] is None
    assert not [name for name in (*sent["matrices"], *sent["steps"]) if name.startswith("d_")]


@tries(30)
@given(with_goals())
def test_every_matrix_of_the_backward_pass_is_in_one_stage(example):
    computed = trace(example)
    sent = with_backward(computed, "en", 4)
    assert sent["learning"]
    names = [name for stage in sent["learning"]["stages"] for name in stage["matrices"]]
    assert len(names) == len(set(names))
    try:
        shown = computed.backward
    except NumberRangeError:
        assert sent["learning"]["refused"]
        assert names == []
        return
    assert set(shown) <= set(names) <= set(sent["matrices"])
    assert all(f"d_{name}" in shown for name in sent["learning"]["learned"])
    json.dumps(sent, allow_nan=False)


def test_a_step_says_the_loss_before_and_after(aimed):
    now, then = loss(aimed.trace), loss(stepped(aimed.trace))
    learned = after(aimed, {"op": "learn"})
    assert learned.message.text == f"With η = 0.05, the loss fell from {now:.4g} to {then:.4g}."
    assert learned.message.kind == "info"


def test_one_undo_takes_back_a_run(aimed):
    run = after(aimed, {"op": "learn", "steps": 40})
    assert run.example != aimed.example
    assert after(run, {"op": "undo"}).example == aimed.example


def test_too_large_a_rate_is_said_with_one_that_works():
    work = after(opened(example="output-projection"), TOO_FAR, {"op": "learn"})
    assert work.message.text.startswith("η = 1 is too large: ")
    assert "the first step lowers it to" in work.message.text


def test_a_run_that_leaves_the_range_of_numbers_changes_nothing_and_says_why(aimed):
    goal = {**OUTPUT["learning"], "rate": 1e5}
    wild = after(aimed, {"op": "learning", "learning": goal})
    refused = after(wild, {"op": "learn", "steps": 50})
    assert refused.example == wild.example
    assert refused.message.kind == "error"
    assert refused.message.text.startswith("η = 100000 is too large: the numbers grow without bound.")


def test_a_target_on_a_masked_key_names_the_goal():
    sent = payload(after(opened(example="causal"), HIDDEN))
    assert sent["learning"]["refused"].startswith("goal: the target has a share on a key whose weight is 0")
    assert sent["learning"]["stages"] == []


def test_a_pinned_derivative_is_part_of_the_address(aimed):
    pinned = after(aimed, PINNED)
    address = payload(pinned)["address"]
    assert work_at(address, "en").looking.pinned == Cell("d_w_q", 1, 0, 1)


def test_without_its_goal_a_derivative_is_no_longer_pinned(aimed):
    gone = after(after(aimed, PINNED), {"op": "learning", "learning": None})
    assert gone.looking.pinned is None
    assert gone.example.learning is None


def test_the_gradient_lens_needs_no_pinned_derivative(aimed):
    assert (
        payload(after(aimed, PINNED, {"op": "lens", "value": "gradient"}))["lens"]["target"]["name"]
        == "output"
    )


def test_targets_are_written_in_their_table(aimed):
    def written(row, *numbers):
        edit = {"op": "set", "matrix": "output_target", "row": row, "col": 0, "values": [list(numbers)]}
        return apply(aimed.example, edit).learning.targets

    assert written(0, 7) == ((7, 0), None, None)
    assert written(2, 1, -1) == ((2, 0), None, (1, -1))
    assert written(1, 0, 0) == ((2, 0), None, None)


def test_where_a_length_is_0_its_derivative_is_not_defined():
    zeros = {"op": "set", "matrix": "x", "row": 1, "col": 0, "values": [[0, 0]]}
    goal = {"op": "learning", "learning": {"step": "weights", "targets": [[2, None, None]]}}
    cosine = apply(apply(built_in("cosine"), zeros), goal)
    assert set(undefined_rows(trace(cosine))) == {Cell("q_norms", 0, 1, 0), Cell("k_norms", 0, 1, 0)}
    assert undefined_rows(trace(apply(built_in("cosine"), goal))) == []


# --- on the page Check ---


def test_the_tables_of_the_backward_pass_are_stages_to_be_filled_in(aimed):
    sent = check_payload(Work(begun(aimed.example, None), "en"))
    assert sent["learning"] is None  # nothing learns here
    assert [stage["title"] for stage in sent["stages"] if "d_scores" in stage["matrices"]] == [
        "Scores, backward"
    ]
    table = sent["matrices"]["d_scores"]
    assert table["claim"]
    assert table["values"] == [[[""] * 3] * 3] * 2
    assert not sent["matrices"]["output_target"]["edit"]


def test_a_wrong_gradient_is_marked_and_explained(aimed):
    right = aimed.trace.matrix("d_output")
    wrong = tuple(tuple(f"{-number:.2f}" for number in row) for row in right)
    sent = check_payload(Work(begun(replace(aimed.example, claimed={"d_output": wrong}), None), "en"))
    assert sent["marks"]["d_output||0|0"] == "own"
    assert [cause["text"] for cause in sent["check"]["causes"]] == [
        "Possibly the sign is flipped: it is the result minus the target, not the other way round."
    ]


def test_an_exercise_sends_no_number_that_it_asks_for_and_none_after(aimed):
    work = replace(Work(begun(aimed.example, None), "en"), exercise=Exercise(("softmax_sums",)))
    sent = check_payload(work)
    assert sent["matrices"]["softmax_sums"]["values"] == [[[""]] * 3] * 2
    assert sent["matrices"]["d_weights"]["values"] == aimed.trace.backward["d_weights"]
    assert "d_scaled_scores" not in sent["matrices"].keys() | sent["steps"].keys()
    assert [table["label"] for table in sent["check"]["practice"]["tables"]] == [
        "Row sums of the softmax step r, head 1",
        "Row sums of the softmax step r, head 2",
    ]


def test_what_a_step_says_stays_on_its_page_even_if_it_comes_with_the_next_pages_request(aimed):
    there = come_to(aimed, "pages/bench.py")
    learned = after(there, {"op": "learn"})
    assert come_to(learned, "pages/bench.py").message == learned.message
    assert come_to(learned, "pages/check.py").message is None


def test_an_error_that_no_page_has_shown_is_said_on_the_next_page(aimed):
    there = replace(come_to(aimed, "pages/bench.py"), message=Message("This cannot be opened."))
    assert come_to(there, "pages/check.py").message == there.message
