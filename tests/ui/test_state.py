"""One visitor's work without a browser: edits that come twice or merged, undo, messages, addresses."""

import json
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import (
    OPENS_FIRST,
    Backend,
    Cell,
    CellError,
    LinkError,
    built_in,
    dump,
    library,
    opens_first,
    pretty,
    to_token,
    trace,
)
from mha_core.example.model import text_in
from mha_core.vocabulary import AXES
from mha_ui import state
from mha_ui.bench.model import payload
from mha_ui.notes import rich
from mha_ui.state import UNDO_STEPS, WalkPlace, Work, address, open_built_in, receive
from mha_ui.state import work as state_work
from mha_ui.state.history import begun, history_of
from mha_ui.state.url import is_plain, say_whether_too_large, work_at
from mha_view.about import is_ours
from mha_view.language import LANGUAGES
from tests.apply import apply
from tests.core.edits import BUILT_IN, FURTHER_ON, cases, json_values
from tests.core.malformed import ODD_VALUES
from tests.core.strategies import examples
from tests.sizes import each, tries

FIRST = built_in("first")
START = built_in(OPENS_FIRST)


def opened(query=None, locale=None):
    """The work in an address, by default that of the first example, read by the code that reads URLs."""
    return work_at({"example": "first"} if query is None else query, locale)


def cell(number, row=0, col=0):
    return {"op": "set", "matrix": "x", "head": None, "row": row, "col": col, "values": [[number]]}


def claim(text):
    return {"op": "claim", "matrix": "weights", "head": 0, "row": 0, "col": 0, "values": [[text]]}


def with_x(number):
    """The first example with this number in its first cell."""
    return apply(FIRST, cell(number))


def numbered(*edits, start=1):
    return [{**edit, "seq": start + index} for index, edit in enumerate(edits)]


def send(work, *edits):
    """Send edits as the bench does, after those that the work has applied."""
    return receive(
        work, {"session": work.browser.session, "edits": numbered(*edits, start=work.browser.applied + 1)}
    )


def message_of(work):
    """The message on the bench: its kind and its text."""
    return work.message and (work.message.kind, work.message.text)


def undone(work):
    """The examples that undo leads back through."""
    examples = []
    while work.history.past:
        work = send(work, {"op": "undo"})
        examples.append(work.example)
    return examples


# --- edits arrive ------------------------------------------------------------------------------------------------


def test_an_address_is_plain_where_it_asks_for_nothing_but_a_language():
    assert is_plain({})
    assert is_plain({"lang": "zh", "utm": "other"})
    assert not is_plain({"example": "water"})
    assert not is_plain({"cell": "weights.0.0.0"})


def test_work_starts_with_the_example_that_opens_first():
    work = opened({})
    assert (work.example, work.history.name, work.language, work.looking.decimals) == (
        START,
        OPENS_FIRST,
        "en",
        4,
    )
    assert (
        work.looking.pinned,
        work.message,
        work.history.past,
        work.history.future,
        work.browser.applied,
    ) == (None, None, (), (), 0)
    assert address(work) == {"example": OPENS_FIRST}
    assert opened().browser.session != work.browser.session


def test_an_edit_is_computed():
    work = opened()
    work = send(work, cell(7))
    assert work.example == with_x(7)
    assert work.trace.values == trace(with_x(7)).values
    assert work.browser.applied == 1


def test_an_edit_sent_twice_is_applied_once():
    work = opened()
    more = {"op": "add_head"}
    edits = numbered(more, more, more)
    for sent in (edits[:1], edits[:2], edits[:2], edits[1:3], edits):
        work = receive(work, {"session": work.browser.session, "edits": sent})
    assert work.example.dims.h == 2 + 3
    assert work.browser.applied == 3
    assert len(work.history.past) == 3


def test_merged_edits_are_applied_in_order():
    edits = [cell(7), {"op": "add_head"}, {"op": "remove_head", "head": 0}, {"op": "undo"}, cell(8)]
    merged, one_by_one = opened(), opened()
    merged = send(merged, *edits)
    for edit in edits:
        one_by_one = send(one_by_one, edit)
    assert merged.example == one_by_one.example == apply(apply(with_x(7), {"op": "add_head"}), cell(8))
    assert merged.browser.applied == one_by_one.browser.applied == 5
    assert undone(merged) == undone(one_by_one)


def test_numbers_may_leave_gaps_and_one_number_counts_once():
    work = opened()
    edits = [{"seq": 4, **cell(1)}, {"seq": 4, **cell(2)}, {"seq": 3, **cell(3)}, {"seq": 9, **cell(4, 1)}]
    work = receive(work, {"session": work.browser.session, "edits": edits})
    assert work.browser.applied == 9
    assert work.example == apply(with_x(1), cell(4, 1))


@pytest.mark.parametrize("session", ["another", "", None, 0, ["x"], {}], ids=str)
def test_edits_of_another_session_are_ignored(session):
    work = opened()
    work = receive(work, {"session": session, "edits": numbered(cell(7))})
    work = receive(work, {"edits": numbered(cell(7))})
    assert (work.example, work.browser.applied) == (FIRST, 0)


@pytest.mark.parametrize("message", [None, 0, "x", [], {}, [{}], True], ids=str)
def test_a_malformed_message_changes_nothing(message):
    work = opened()
    work = receive(work, message)
    assert (work.example, work.browser.applied) == (FIRST, 0)


@pytest.mark.parametrize("edits", [None, 5, "abc", {}, {"seq": 1}, True, 0.5], ids=str)
def test_edits_that_are_not_a_list_change_nothing(edits):
    work = opened()
    work = receive(work, {"session": work.browser.session, "edits": edits})
    assert (work.example, work.browser.applied) == (FIRST, 0)


@each("edit", [None, 5, "undo", [], {}, ["seq"], {"op": "add_head"}])
@each("number", [None, "2", 1.5, True, [2], {}, float("nan"), float("inf"), 0, -1])
def test_edits_without_a_number_are_ignored_and_the_others_are_not(edit, number):
    work = opened()
    odd = {**edit, "seq": number} if isinstance(edit, dict) else edit
    work = receive(work, {"session": work.browser.session, "edits": [odd, {"seq": 1, **cell(7)}, odd]})
    assert (work.example, work.browser.applied) == (with_x(7), 1)


# --- undo --------------------------------------------------------------------------------------------------------


def test_undo_redo_and_reset():
    work = opened()
    work = send(work, cell(1), cell(7), cell(8))
    assert len(work.history.past) == 2  # x[0][0] is 1 already
    work = send(work, {"op": "undo"})
    assert work.example == with_x(7)
    work = send(work, {"op": "undo"}, {"op": "undo"})
    assert work.example == FIRST
    work = send(work, {"op": "redo"})
    assert work.example == with_x(7)
    assert work.trace.values == trace(with_x(7)).values
    work = send(work, {"op": "redo"}, {"op": "redo"})
    assert work.example == with_x(8)
    work = send(work, {"op": "reset"})
    assert (work.example, work.history.future) == (FIRST, ())
    work = send(work, {"op": "undo"})
    assert work.example == with_x(8)


def test_an_edit_after_undo_replaces_what_was_undone():
    work = opened()
    work = send(work, cell(7), cell(8), {"op": "undo"}, cell(9), {"op": "redo"})
    assert work.example == with_x(9)
    work = send(work, {"op": "undo"})
    assert work.example == with_x(7)


def test_the_last_removed_head_comes_back_with_its_numbers():
    work = opened({"example": "output-projection"})
    start, h = work.example, work.example.dims.h
    work = send(work, {"op": "remove_head"}, cell(7), {"op": "add_head"})
    assert work.example == apply(start, cell(7))
    assert (work.message.kind, work.message.text) == (
        "info",
        "The head you removed last is back, with its numbers.",
    )
    work = send(work, {"op": "add_head"})
    assert (work.message.kind, work.message.text) == (
        "info",
        f"Head {h + 1} has new numbers, made up by the app.",
    )
    work = send(work, {"op": "remove_head"}, {"op": "remove_head", "head": 0}, {"op": "add_head"})
    assert work.example.heads == (*start.heads[1:], start.heads[0])
    assert work.example.w_o[-start.dims.d_v :] == start.w_o[: start.dims.d_v]
    narrow = {"op": "resize", "axis": "d_k", "by": 1}
    work = send(work, {"op": "remove_head"}, narrow, {"op": "add_head"})
    assert work.example.dims.h == h
    assert work.message.text == f"Head {h} has new numbers, made up by the app."
    work = send(work, {"op": "remove_head"}, {"op": "add_head", "copy": 0})
    assert work.message is None
    assert work.example.heads[-1] == work.example.heads[0]


@pytest.mark.parametrize("name", ["first", "causal", "padding", "translation", "additive"])
def test_the_last_removed_token_comes_back_with_its_row_and_its_part_of_the_mask(name):
    work = opened({"example": name})
    start = work.example
    last = {"op": "remove_token", "which": "tokens", "index": len(start.tokens) - 1}
    work = send(work, last, cell(7), {"op": "add_token", "which": "tokens"})
    assert work.example == apply(start, cell(7))
    assert work.message.text == "The token you removed last is back, with its numbers."
    work = send(
        work, {"op": "remove_token", "which": "tokens", "index": 0}, {"op": "add_token", "which": "tokens"}
    )
    assert work.example.tokens == (*start.tokens[1:], start.tokens[0])
    assert work.example.x[-1] == apply(start, cell(7)).x[0]


SENTENCE = {"op": "sentence", "which": "tokens", "tokens": ["these", "are", "mine"]}
GONE = [
    ("en", {0: 1}, SENTENCE, "The goal was about “{1}” in head 1, so it was removed."),
    ("zh", {0: 1}, SENTENCE, "目标针对的是头 1 中的“{1}”，所以目标已删除。"),
    ("en", {0: 1, 2: 1}, SENTENCE, "The 2 rows that the goal was about are gone, so the goal was removed."),
    (
        "en",
        {1: 1},
        {"op": "remove_token", "which": "tokens", "index": 1},
        "The goal was about “{1}” in head 1, so it was removed.",
    ),
    (
        "en",
        {1: 1},
        {"op": "remove_head", "head": 0},
        "The goal was about “{1}” in head 1, so it was removed.",
    ),
]


@pytest.mark.parametrize(("language", "rows", "edit", "text"), GONE)
def test_a_goal_that_an_edit_leaves_nothing_of_is_named_in_the_message(language, rows, edit, text):
    work = opened({"example": "first"}, language)
    count, heads = len(work.example.tokens), len(work.example.heads)
    targets = [[rows.get(row) for row in range(count)], *[None] * (heads - 1)]
    work = send(work, {"op": "learning", "learning": {"step": "weights", "targets": targets}})
    row = min(rows)
    expected = text.replace("{1}", work.example.tokens[row])
    work = send(work, edit)
    assert work.example.learning is None
    assert message_of(work) == ("info", expected)


def test_a_goal_about_the_output_goes_with_it():
    work = opened({"example": "output-projection"})
    shape = trace(work.example).matrix("output", None)
    goal = {"step": "output", "targets": [[0] * len(row) for row in shape]}
    work = send(work, {"op": "learning", "learning": goal}, {"op": "w_o", "on": False})
    assert work.example.learning is None
    assert message_of(work) == (
        "info",
        "The goal was about O, which this example no longer has, so the goal was removed.",
    )


def test_a_hundred_steps_can_be_undone():
    work = opened()
    work = send(work, *(cell(number) for number in range(1000, 1000 + UNDO_STEPS + 5)))
    assert UNDO_STEPS == len(work.history.past) == 100
    work = send(work, *[{"op": "undo"}] * (UNDO_STEPS + 5))
    assert work.example == with_x(1004)
    assert work.history.past == ()
    work = send(work, *[{"op": "redo"}] * (UNDO_STEPS + 5))
    assert work.example == with_x(1104)
    assert len(work.history.past) == UNDO_STEPS


def test_an_action_that_changes_no_number_is_no_step():
    work = opened()
    pin = {"op": "pin", "cell": {"name": "q", "head": 0, "row": 0, "col": 0}}
    work = send(work, cell(7), {"op": "undo"})
    work = send(
        work, pin, {"op": "decimals", "value": 2}, cell(1), {"op": "reset"}, {"op": "nonsense"}, cell("x")
    )
    assert (len(work.history.past), len(work.history.future)) == (0, 1)
    work = send(work, {"op": "redo"})
    assert work.example == with_x(7)


# --- messages ----------------------------------------------------------------------------------------------------

REFUSED = {"op": "resize", "axis": "d_k", "size": 65}


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("en", "d_k: expected 1 to 64, got 65"), ("zh", "d_k：应为 1 到 64，实际是 65")],
)
def test_a_refused_edit_keeps_the_work_and_says_why(language, sentence):
    work = opened({"example": "first", "lang": language})
    work = send(work, cell(7), cell(8), {"op": "undo"})
    work = send(work, REFUSED)
    assert message_of(work) == ("error", sentence)
    assert (work.example, len(work.history.past), len(work.history.future)) == (with_x(7), 1, 1)
    assert work.browser.applied == 4
    work = send(work, {"op": "redo"})
    assert message_of(work) is None
    assert work.example == with_x(8)


def test_a_refusal_is_shown_even_if_another_edit_came_with_it():
    work = opened()
    work = send(work, cell(6), REFUSED, cell(7), {"op": "pin", "cell": None})
    assert message_of(work)[1] == "d_k: expected 1 to 64, got 65"
    assert work.example == with_x(7)
    work = receive(work, {"session": work.browser.session, "edits": numbered(cell(6), REFUSED)})  # sent again
    assert message_of(work)[1] == "d_k: expected 1 to 64, got 65"
    work = send(work, cell(8))
    assert message_of(work) is None


def test_numbers_too_large_for_float32_are_refused_and_the_place_stays():
    work = opened()
    computed = trace(FIRST, Backend("cpu", "float32"))
    work = replace(work, history=replace(work.history, trace=computed))
    large = {"op": "set", "head": 0, "row": 0, "col": 0, "values": [[1e12]]}
    work = send(work, cell(1e12), {**large, "matrix": "w_q"})
    before = work.example
    work = send(work, {**large, "matrix": "w_k"})
    assert message_of(work)[1] == "S: a number exceeded the range of float32"
    assert work.example == before
    assert work.backend == Backend("cpu", "float32")


# --- the view ----------------------------------------------------------------------------------------------------


def pin(name, head, row, col):
    return {"op": "pin", "cell": {"name": name, "head": head, "row": row, "col": col}}


def test_a_cell_is_pinned_and_unpinned():
    work = opened()
    work = send(work, pin("weights", 1, 0, 2))
    assert work.looking.pinned == Cell("weights", 1, 0, 2)
    work = send(work, {"op": "pin", "cell": None})
    assert work.looking.pinned is None


@pytest.mark.parametrize(
    "place",
    [
        ("weights", 2, 0, 0),
        ("weights", -1, 0, 0),
        ("weights", None, 0, 0),
        ("weights", 0, 3, 0),
        ("weights", 0, 0, -1),
        ("weights", 0, "0", 0),
        ("weights", True, 0, 0),
        ("weights", 0, 0.0, 0),
        ("weights", 0, False, 0),
        ("weights", [0], 0, 0),
        ("weights", 0, None, None),
        ("concat", 0, 0, 0),
        ("output", None, 0, 0),
        ("masked_scores", 0, 0, 0),
        ("context", None, 0, 0),
        ("nonsense", None, 0, 0),
        ([], None, 0, 0),
        (None, None, 0, 0),
    ],
    ids=str,
)
def test_a_missing_cell_cannot_be_pinned(place):
    work = opened()
    work = send(work, pin("q", 0, 0, 0), pin(*place))
    assert work.looking.pinned is None


def test_a_pinned_cell_stays_as_long_as_its_matrix_has_it():
    work = opened()
    work = send(work, {"op": "w_o", "on": True}, pin("output", None, 2, 3), cell(7), {"op": "add_head"})
    assert work.looking.pinned == Cell("output", None, 2, 3)
    work = send(work, {"op": "remove_token", "which": "tokens", "index": 0})
    assert work.looking.pinned is None
    work = send(work, {"op": "undo"}, pin("weights", 2, 0, 0), {"op": "undo"})
    assert work.example.dims.h == 2
    assert work.looking.pinned is None
    work = send(work, pin("output", None, 0, 0), {"op": "reset"})
    assert work.looking.pinned is None


def test_the_chosen_query_stays_among_the_tokens():
    work = opened()
    work = state.choose_query(work, 2)
    work = send(work, {"op": "remove_token", "which": "tokens", "index": 0})
    assert work.looking.query == 1
    work = state.open_built_in(work, "causal")
    assert work.looking.query == 1


@pytest.mark.parametrize(
    ("value", "decimals"),
    [(0, 0), (2, 2), (10, 10), (11, 10), (-1, 0), (10**30, 10), ("2", 4), (2.5, 4), ([], 4)],
    ids=str,
)
def test_decimals_are_a_whole_number_from_0_to_10(value, decimals):
    work = opened()
    work = send(work, {"op": "decimals", "value": value})
    assert work.looking.decimals == decimals
    assert (work.message is None) == isinstance(value, int)


# --- examples, files, language -----------------------------------------------------------------------------------


def test_another_example_can_be_undone_and_is_what_reset_returns_to():
    work = opened()
    work = send(work, cell(7))
    work = state.open_built_in(work, "water")
    assert (work.history.name, work.history.origin, work.example) == (
        "water",
        built_in("water"),
        built_in("water"),
    )
    assert address(work) == {"example": "water"}
    work = send(work, cell(6), {"op": "reset"})
    assert work.example == built_in("water")
    work = send(work, *[{"op": "undo"}] * 3)
    assert (work.history.name, work.example) == ("first", with_x(7))
    assert address(work) == {"s": to_token(with_x(7))}
    work = send(work, {"op": "reset"})
    assert work.example == FIRST
    work = send(work, {"op": "undo"}, {"op": "redo"})
    assert (work.history.name, work.example) == ("first", FIRST)


def test_an_example_undone_past_its_opening_is_redone_with_its_name():
    work = opened()
    work = state.open_built_in(work, "water")
    work = send(work, {"op": "undo"})
    assert address(work) == {"example": "first"}
    work = send(work, {"op": "redo"})
    assert (address(work), work.history.origin) == ({"example": "water"}, built_in("water"))


def test_a_file_is_opened_and_is_what_reset_returns_to():
    work = opened()
    work = send(work, cell(7))
    work = state.open_file(work, pretty(built_in("padding")).encode())
    assert (work.example, work.history.name, work.message) == (built_in("padding"), None, None)
    assert address(work) == {"s": to_token(built_in("padding"))}
    work = send(work, {"op": "add_head"}, {"op": "reset"})
    assert work.example == built_in("padding")
    work = send(work, *[{"op": "undo"}] * 4)
    assert (work.example, work.history.name) == (FIRST, "first")


WRONG_FILES = {"empty": b"", "brace": b"{", "bytes": b"\xff", "object": b"{}", "list": b"[1]"}
WRONG_FILES["cut"] = pretty(FIRST).encode()[:-9]


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_malformed_file_changes_nothing_and_says_why(name):
    work = opened({"example": "first", "lang": "zh"})
    work = send(work, cell(7))
    work = state.open_file(work, WRONG_FILES[name])
    assert (work.example, work.history.name, work.history.origin) == (with_x(7), "first", FIRST)
    kind, text = message_of(work)
    assert kind == "error"
    assert any("\u4e00" <= character <= "\u9fff" for character in text)
    work = send(work, {"op": "undo"})
    assert work.example == FIRST


def test_a_chosen_language_is_in_the_address():
    work = opened(locale="zh-CN")
    assert (work.language, work.language_chosen, address(work)) == ("zh", False, {"example": "first"})
    work = state.choose_language(work, "fr")
    assert (work.language, work.language_chosen) == ("zh", False)
    work = state.choose_language(work, "en")
    assert address(work) == {"example": "first", "lang": "en"}
    assert opened(address(work), "zh-CN").words("input") == "input"
    work = state.choose_language(work, "zh")
    assert work.words("input") == "输入"


def test_the_example_that_opens_first_follows_the_language_until_it_is_requested_or_edited():
    work = opened({}, "zh-CN")
    work = replace(work, browser=replace(work.browser, plain=True))
    work = replace(work, walk=WalkPlace("scores", "2"))
    assert work.example.tokens == ("我", "喜欢", "编程")
    work = state.choose_language(work, "en")
    assert (work.example, work.walk, work.history.past) == (START, WalkPlace("scores", "2"), ())
    work = send(work, cell(7))
    touched = work.example
    work = state.choose_language(work, "zh")
    assert work.example == touched
    requested = opened({"example": OPENS_FIRST})
    requested = state.choose_language(requested, "zh")
    assert (requested.example, requested.words("input")) == (START, "输入")


def follow(work, example, way=""):
    """The work after another window of a pair has gone to this example."""
    return send(work, {"op": "follow", "address": {"s": to_token(example)}, "way": way})


def test_undo_in_another_window_is_an_undo_here_and_no_new_edit():
    work = opened()
    for number in (7, 8):
        work = follow(work, with_x(number))
    work = follow(work, with_x(7), "back")
    assert (work.example, len(work.history.past), len(work.history.future)) == (with_x(7), 1, 1)
    work = send(work, {"op": "undo"})
    assert work.example == FIRST
    work = follow(work, with_x(7), "forward")
    work = follow(work, with_x(8), "forward")
    assert (work.example, len(work.history.past), work.history.future) == (with_x(8), 2, ())
    work = follow(work, with_x(7))  # typed, not undone
    assert (work.example, len(work.history.past)) == (with_x(7), 3)


@pytest.mark.parametrize("way", ["back", "forward", ["back"], None])
def test_a_window_that_opened_later_goes_back_further_than_its_own_history(way):
    work = opened()
    work = follow(work, with_x(7), way)
    assert work.example == with_x(7)
    work = send(work, {"op": "undo"})
    assert work.example == (with_x(7) if way == "back" else FIRST)
    work = send(work, {"op": "redo"})
    assert work.example == (FIRST if way == "back" else with_x(7))


def test_the_note_and_the_source_of_untouched_numbers_come_back_with_them():
    """By undo, by reset, and by typing the previous number again."""
    work = opened()
    for back in ({"op": "undo"}, {"op": "reset"}, cell(1)):
        work = send(work, cell(7))
        assert (work.example.note, work.example.source, work.untouched) == (None, None, False)
        assert b"note" not in pretty(work.example).encode()
        work = send(work, back)
        assert work.example.source == FIRST.source
        assert (work.example.note, work.untouched, address(work)) == (FIRST.note, True, {"example": "first"})
    work = send(work, claim("0.5"))
    assert (work.example.note, work.untouched) == (FIRST.note, True)


def test_only_a_built_in_note_has_symbols():
    """In a visitor's own note my_file is plain text, not a symbol with a subscript."""
    visitors = replace(FIRST, note="W_Q and <b>my_file</b>")
    assert (is_ours(FIRST), is_ours(visitors), is_ours(replace(FIRST, note=None))) == (True, False, False)
    assert payload(opened({"example": "first"}))["about_ours"]
    assert rich("X·W_K < 1") == "X·W<sub>K</sub> &lt; 1"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bench_describes_the_current_numbers(language):
    work = opened({"example": "first", "lang": language})
    assert payload(work)["about"] == text_in(FIRST.note, language)
    work = send(work, {**cell(9), "values": [[9, 9]]})
    looks = {
        "en": ["always looks most at “思考” (1.00)"] * 2,
        "zh": ["总是最关注“思考”（1.00）"] * 2,
    }[language]
    plainly = {
        "en": "All lines and captions follow the numbers below. Change any boxed number and watch them update.",
        "zh": "连线和说明都随下面的数变化。改动任意一个带框的数，看它们怎么变。",
    }
    assert (
        payload(work)["about"] == plainly[language]
    )  # and not a second time what the overview says of the heads
    assert payload(work)["looks"] == looks
    again = opened({**address(work), "lang": language})
    assert (payload(again)["about"], payload(again)["looks"]) == (payload(work)["about"], looks)
    work = send(work, {"op": "undo"})
    assert payload(work)["about"] == text_in(FIRST.note, language)


# --- addresses ---------------------------------------------------------------------------------------------------


def assert_restores(work):
    """The address alone restores what the visitor sees."""
    query = address(work)
    again = opened(json.loads(json.dumps(query)), "en")
    assert again.example == work.example
    assert again.trace.values == work.trace.values
    assert (again.looking.decimals, again.looking.pinned, again.message) == (
        work.looking.decimals,
        work.looking.pinned,
        None,
    )
    if work.language_chosen:
        assert (again.language, again.language_chosen) == (work.language, True)
    assert address(again) == query


def cells(computed):
    """A cell of every matrix, the last one."""
    for name, head in ((name, head) for name in AXES for head in (None, 0, len(computed.example.heads) - 1)):
        try:
            rows = computed.matrix(name, head)
        except CellError:
            continue
        yield name, head, len(rows) - 1, len(rows[0]) - 1


@each("language", LANGUAGES)
@each("name", library())
def test_an_address_restores_an_example_with_every_cell(name, language):
    work = opened({"example": name})
    work = state.choose_language(work, language)
    work = send(work, {"op": "decimals", "value": 7})
    assert_restores(work)
    assert address(work) == {"example": name, "lang": language, "decimals": "7"}
    for place in cells(work.trace):
        work = send(work, pin(*place))
        assert work.looking.pinned == place
        assert_restores(work)
    work = send(work, {"op": "add_head", "copy": 0})
    assert address(work)["s"] == to_token(work.example)
    assert_restores(work)
    work = send(work, {"op": "remove_head", "head": work.example.dims.h - 1})
    example = built_in(name)
    if (
        example.claimed is None and example.kv_heads is None
    ):  # claims and groups are dropped when the number of heads changes
        assert address(work)["example"] == name


@pytest.mark.parametrize("decimals", range(11))
def test_an_address_restores_the_decimals(decimals):
    work = opened()
    work = send(work, {"op": "decimals", "value": decimals})
    assert address(work)["decimals"] == str(decimals)
    assert work.looking.decimals_chosen  # so that tables keep them where columns are narrow
    work = send(work, {"op": "decimals", "value": None})
    assert (work.looking.decimals, work.looking.decimals_chosen) == (4, False)
    assert "decimals" not in address(work)
    assert_restores(work)


@tries(10)
@given(examples(), st.data())
def test_an_address_restores_any_example(example, data):
    work = Work(begun(example, None), "en")
    work = send(work, pin(*data.draw(st.sampled_from(list(cells(work.trace))))))
    assert_restores(work)


def too_large_for_a_link(work):
    """The work with many random numbers."""
    work = send(work, *({"op": "resize", "axis": axis, "size": 64} for axis in ("d_model", "d_k")))
    places = [(name, head) for name in ("w_q", "w_k") for head in (0, 1)]
    fill = {"op": "fill", "with": "random"}
    return send(work, *({**fill, "matrix": m, "head": g, "seed": seed} for seed, (m, g) in enumerate(places)))


def test_work_that_no_link_holds_is_opened_again_from_what_the_browser_stored():
    large = too_large_for_a_link(opened())
    back = send(opened(), {"op": "resume", "text": payload(large)["whole"]})
    assert back.example == large.example
    assert send(back, {"op": "undo"}).example == opened().example


@pytest.mark.parametrize("text", ["", "1", "9abc", "1!!", 7, None])
def test_stored_work_that_was_altered_is_refused_and_nothing_is_lost(text):
    work = send(opened(), {"op": "resume", "text": text})
    assert work.example == opened().example
    assert message_of(work)[0] == "error"


def test_an_example_too_large_for_a_link_has_no_token_and_says_so():
    work = too_large_for_a_link(opened())
    with pytest.raises(LinkError):
        to_token(work.example)
    work = send(work, {"op": "decimals", "value": 2}, pin("q", 0, 0, 0))
    assert message_of(work) is None
    assert address(work) == {"decimals": "2", "cell": "q.0.0.0"}
    work = say_whether_too_large(work)
    assert message_of(work) == (
        "info",
        "This example is too large for a link. Save it as a file from the ⋯ menu.",
    )
    work = say_whether_too_large(send(work, REFUSED))
    assert message_of(work) == ("error", "d_k: expected 1 to 64, got 65")
    work = say_whether_too_large(send(work, {"op": "reset"}))
    assert address(work)["example"] == "first"
    assert message_of(work) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bad_link_opens_the_example_that_opens_first_and_names_it(language):
    work = opened({"s": "2abc", "lang": language, "decimals": "2", "cell": "q.0.0.0"})
    assert (work.example, work.history.name) == (built_in(opens_first(language)), opens_first(language))
    assert (work.language, work.looking.decimals, work.looking.pinned) == (language, 2, Cell("q", 0, 0, 0))
    assert (
        work.message.text
        == {
            "en": (
                "the link was made by a different version of this program. Showing “I love programming: "
                "three heads” instead."
            ),
            "zh": "这个链接由本应用的其他版本生成。改为显示“我 喜欢 编程：三个头”。",
        }[language]
    )


def test_the_history_that_a_tab_sends_back_leaves_the_message_about_a_bad_link():
    work = opened({"puzzle": "nosuch"})
    said = work.message
    edits = [{"op": "recall", "history": None, "seq": 1}]
    work = receive(work, {"session": work.browser.session, "edits": edits})
    assert said is not None
    assert work.message == said
    work = receive(work, {"session": work.browser.session, "edits": [{"op": "undo", "seq": 2}]})
    assert work.message is None


def test_a_token_has_precedence_over_a_name():
    assert opened({"example": "water", "s": to_token(FURTHER_ON)}).example == FURTHER_ON


BAD = [
    "",
    " ",
    "0",
    "-1",
    "1.5",
    "1e3",
    "٣",
    "²",
    "0001000",
    "0" * 5000,
    "9" * 5000,
    "None",
    "\ud800",
    "\0",
    "%00",
]
BAD += [
    "思考",
    "[]",
    "{}",
    "{0}",
    "q.0.0",
    "q.0.0.0.0",
    "q..0.0",
    "...",
    "q.0.0.x",
    "q.0.0." + "9" * 5000,
    "zh-CN",
]
BAD += ["../../etc/passwd", "First", "<img onerror=x>", "1" * 40_000, "weights.٠.0.0", "x..0.0", ".0.0.0"]


@pytest.mark.parametrize("key", ["s", "example", "lang", "decimals", "cell"])
def test_a_bad_query_value_opens_the_example_that_opens_first(key):
    for text in BAD:
        assert_opens({key: text}, exactly=START)


@tries(30)
@given(
    st.dictionaries(
        st.sampled_from(["s", "example", "lang", "decimals", "cell", "x"]),
        st.text(max_size=20)
        | st.sampled_from([*BAD, *library(), *LANGUAGES, to_token(FURTHER_ON)])
        | st.from_regex(r"\A(q|weights|x|concat|output)\.-?\d?\.-?\d\.-?\d\Z"),
    ),
    st.none() | st.text(max_size=6),
)
def test_no_query_raises(query, locale):
    assert_opens(query, locale)


def assert_opens(query, locale=None, exactly=None):
    work = opened(query, locale)
    assert work.example == (exactly or work.example)
    assert work.language in LANGUAGES
    assert work.looking.decimals in range(11)
    if work.looking.pinned:
        name, head, row, col = work.looking.pinned
        assert isinstance(work.trace.matrix(name, head)[row][col], float)
    if work.message:
        assert work.example == START
        work.message.text.encode()
        work = replace(work, message=None)
    assert_restores(work)


# --- a server that was restarted ---------------------------------------------------------------------------------


def test_the_page_gives_a_new_server_its_address_and_its_unconfirmed_edits():
    old = opened({"example": "causal", "lang": "zh"})
    old = send(old, cell(7), {"op": "decimals", "value": 2}, pin("weights", 0, 1, 1))
    new = opened({"example": "causal"})
    session = new.browser.session
    new = send(new, {"op": "restore", "address": address(old)}, cell(8, 1), {"op": "undo"}, cell(9, 2))
    assert new.browser.session == session != old.browser.session
    assert new.browser.applied == 4
    assert new.example == apply(old.example, cell(9, 2))
    assert (new.looking.decimals, new.language, new.looking.pinned) == (2, "zh", Cell("weights", 0, 1, 1))
    assert message_of(new) is None
    new = send(new, {"op": "undo"}, {"op": "undo"})
    assert new.example == old.example


def restored_with(old, stored, *edits):
    """A new server's work, given an old one's address and its history, and then these edits."""
    sent = {
        "op": "restore",
        "address": address(old),
        "history": history_of(stored.history, 0) | texts(stored),
    }
    return send(opened({"example": "causal"}), sent, *edits)


def texts(work):
    """All texts of a history, the shown example's too, as the browser stores them."""
    shown, texts = work.history, history_of(work.history, 0)["texts"]
    return {"texts": [*texts, (shown.numbers[id(shown.example)][0], shown.token)]}


def test_a_new_server_has_the_history_before_it_applies_an_unconfirmed_undo():
    old = send(opened({"example": "causal"}), cell(7), cell(8))
    new = restored_with(old, old, {"op": "undo"})
    assert new.example == apply(built_in("causal"), cell(7))
    assert send(new, {"op": "redo"}).example == old.example
    assert send(new, {"op": "undo"}).example == built_in("causal")
    assert send(new, {"op": "reset"}).example == built_in("causal")


def test_where_the_address_is_a_step_further_than_the_history_undo_leads_back_into_that():
    before = send(opened({"example": "causal"}), cell(7))
    new = restored_with(send(before, cell(8)), before, {"op": "undo"})
    assert new.example == before.example
    assert send(new, {"op": "redo"}).example == apply(built_in("causal"), cell(8))
    assert send(new, {"op": "undo"}).example == built_in("causal")


def test_an_example_that_was_opened_after_the_stored_history_is_reset_to_itself():
    before = send(opened({"example": "causal"}), cell(7))
    new = restored_with(open_built_in(before, "water"), before, cell(8), {"op": "reset"})
    assert new.example == built_in("water")


def test_a_restored_example_is_reset_to_itself():
    work = opened()
    work = send(
        work, {"op": "restore", "address": {"s": to_token(FURTHER_ON)}}, {"op": "add_head"}, {"op": "reset"}
    )
    assert (work.example, work.history.name) == (FURTHER_ON, None)


def test_a_message_says_that_an_address_cannot_be_read():
    work = opened(locale="zh")
    work = send(work, {"op": "restore", "address": {"s": "1abc"}})
    assert work.example == built_in(opens_first("zh"))
    assert message_of(work) == message_of(opened({"s": "1abc"}, "zh"))
    assert message_of(work)


@pytest.mark.parametrize("odd", [None, 5, "s=1", [], [["s", "x"]], True], ids=str)
def test_a_malformed_address_leaves_the_work(odd):
    work = opened({"example": "water"})
    work = send(work, cell(7), {"op": "restore", "address": odd}, {"op": "restore"})
    assert work.example == apply(built_in("water"), cell(7))
    assert message_of(work)[1] == "this is not an edit"


@pytest.mark.parametrize("key", ["s", "example", "lang", "decimals", "cell"])
def test_values_of_an_address_that_are_not_text_are_ignored(key):
    for odd in ODD_VALUES:
        if not isinstance(odd, str):
            work = opened()
            work = send(work, {"op": "restore", "address": {"example": "water", key: odd}})
            assert work.example == (START if key == "example" else built_in("water"))
            assert message_of(work) is None


# --- anything at all ---------------------------------------------------------------------------------------------

actions = st.one_of(
    st.sampled_from([{"op": "undo"}, {"op": "redo"}, {"op": "reset"}, {"op": "pin"}, {"op": "restore"}]),
    st.fixed_dictionaries({"op": st.just("pin"), "cell": json_values}),
    st.builds(
        pin,
        st.sampled_from(["q", "weights", "x", "output", "nonsense"]) | json_values,
        st.none() | st.integers(-1, 2) | json_values,
        st.integers(-1, 3) | json_values,
        st.integers(-1, 3) | json_values,
    ),
    st.fixed_dictionaries({"op": st.just("decimals"), "value": json_values}),
    st.fixed_dictionaries({"op": st.just("restore"), "address": json_values}),
    st.fixed_dictionaries(
        {
            "op": st.just("restore"),
            "address": st.dictionaries(
                st.sampled_from(["s", "example", "lang", "decimals", "cell"]),
                json_values | st.sampled_from(["water", "zh", "2", "q.0.0.0"]),
            ),
        }
    ),
)
numbers = st.integers(-1, 6) | json_values


@st.composite
def messages(draw):
    """An example, and a message with some parts that a bench would send."""
    example, edits = draw(cases(BUILT_IN, odd=st.booleans(), most=2))
    mixed = draw(st.permutations([*edits, *draw(st.lists(actions, max_size=3)), draw(json_values)]))
    sent = [{**edit, "seq": draw(numbers)} if isinstance(edit, dict) else edit for edit in mixed]
    return example, sent


@contextmanager
def nothing_caught():
    """No edit raised an unexpected error, which ``attempt`` would only log."""
    with patch.object(state_work.LOG, "exception") as caught:
        yield
    assert not caught.mock_calls


def assert_sound(work):
    """The work can be shown, undone and restored, whatever was sent."""
    assert work.trace.values == trace(work.example).values
    assert isinstance(work.browser.applied, int)
    assert work.looking.decimals in range(11)
    if work.looking.pinned:
        name, head, row, col = work.looking.pinned
        assert isinstance(work.trace.matrix(name, head)[row][col], float)
    dump(work.example)
    work = replace(work, message=None)
    assert_restores(work)


@tries(100)
@given(messages())
def test_no_edits_from_the_browser_raise(case):
    example, edits = case
    work = Work(begun(example, None), "zh")
    with nothing_caught():
        work = receive(work, {"session": work.browser.session, "edits": edits})
    assert_sound(work)


@tries(20)
@given(json_values, json_values)
def test_no_message_from_the_browser_raises(message, edits):
    work = opened()
    with nothing_caught():
        work = receive(work, message)
        assert (work.example, work.browser.applied) == (FIRST, 0)
        work = receive(work, {"session": work.browser.session, "edits": edits})
        work = receive(work, {"session": edits, "edits": message})
    assert_sound(work)


@tries(10)
@given(st.lists(cases([FIRST], odd=st.just(False), most=1), max_size=8), st.data())
def test_however_a_network_repeats_and_merges_edits_the_work_is_the_same(drawn, data):
    """Every message repeats all unconfirmed edits, as the browser does."""
    edits = numbered(*(edit for _, (edit,) in drawn))
    plain, work = opened(), opened()
    for edit in edits:
        plain = receive(plain, {"session": plain.browser.session, "edits": [edit]})
    while work.browser.applied < len(edits):
        confirmed = data.draw(st.integers(0, work.browser.applied))
        upto = data.draw(st.integers(work.browser.applied, len(edits)))
        work = receive(work, {"session": work.browser.session, "edits": edits[confirmed:upto]})
    assert work.example == plain.example
    assert undone(work) == undone(plain)
