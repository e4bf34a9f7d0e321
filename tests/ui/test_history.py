"""Undo, redo and history over a reload: what the browser is told, what it sends back, and what is passed over."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import OPENS_FIRST, built_in
from mha_ui import state
from mha_ui.state import UNDO_STEPS, Work, address, receive
from mha_ui.state.history import MOST_KEPT, history_of
from mha_ui.state.url import work_at
from tests.core.edits import json_values
from tests.sizes import tries


class Tab:
    """What the browser does with the answers that reach it."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.texts: dict[int, str] = {}
        self.answered()

    def answered(self) -> None:
        told = json.loads(json.dumps(history_of(self.work.history, self.work.browser.stored)))
        self.texts |= dict(told["texts"])
        query = address(self.work)
        self.texts[told["examples"][told["at"]]] = query.get("s") or query["example"]
        self.kept = {**told, "texts": list(self.texts.items()), "query": query}

    def send(self, *edits: dict) -> None:
        held = max(self.texts)
        numbered = [{**edit, "seq": self.work.browser.applied + count} for count, edit in enumerate(edits, 1)]
        self.work = receive(
            self.work, {"session": self.work.browser.session, "edits": numbered, "held": held}
        )

    def reloaded(self) -> Work:
        """The tab's next session, which has been sent what the last one left."""
        work = work_at(self.kept["query"], None)
        return recalled(work, self.kept)


def recalled(work: Work, kept: object) -> Work:
    edit = {"op": "recall", "history": kept, "seq": work.browser.applied + 1}
    return receive(work, {"session": work.browser.session, "edits": [edit]})


def cell(number):
    return {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[number]]}


def as_seen(work: Work) -> tuple:
    return work.history.versions, len(work.history.past), work.history.origin, work.history.name


EDITS = st.one_of(
    st.integers(-9, 9).map(cell),
    st.sampled_from(
        [
            {"op": "undo"},
            {"op": "redo"},
            {"op": "reset"},
            {"op": "add_head"},
            {"op": "add_token", "which": "tokens"},
        ]
    ),
)
STEPS = st.lists(st.tuples(st.lists(EDITS, min_size=1, max_size=3), st.booleans()), max_size=12)


@given(STEPS)
@tries(20)
def test_after_a_reload_undo_and_redo_lead_where_they_led(steps):
    tab = Tab(work_at({"example": "water"}, None))
    for edits, arrives in steps:
        tab.send(*edits)
        if arrives:
            tab.answered()
    state.open_built_in(tab.work, "causal")
    tab.send({"op": "undo"})
    tab.answered()
    assert as_seen(tab.reloaded()) == as_seen(tab.work)


def test_what_was_done_meanwhile_stays_and_reset_returns_to_where_it_all_began():
    tab = Tab(work_at({"example": "water"}, None))
    tab.send(cell(5), cell(6))
    tab.answered()
    work = work_at(tab.kept["query"], None)
    work = receive(work, {"session": work.browser.session, "edits": [{**cell(7), "seq": 1}]})
    work = recalled(work, tab.kept)
    assert [version.example.x[0][0] for version in work.history.versions] == [1, 5, 6, 7]
    work = receive(work, {"session": work.browser.session, "edits": [{"op": "reset", "seq": 9}]})
    assert work.example == built_in("water")
    assert work.untouched


def test_what_an_answer_brings_does_not_grow_with_the_history():
    tab = Tab(work_at({"example": "water"}, None))
    for number in range(2, UNDO_STEPS + 20):
        tab.send(cell(number))
        tab.answered()
        assert len(history_of(tab.work.history, tab.work.browser.stored)["texts"]) <= 1
    assert len(json.dumps(history_of(tab.work.history, tab.work.browser.stored))) < 1500
    assert len(tab.work.history.numbers) == UNDO_STEPS + 2  # with the one shown, and where it all began
    tab.send()
    assert history_of(tab.work.history, tab.work.browser.stored)["texts"] == []


def spoilt(**changes: object) -> dict:
    tab = Tab(work_at({"example": "water"}, None))
    tab.send(cell(5), cell(6))
    tab.answered()
    return {**tab.kept, **changes}


@pytest.mark.parametrize(
    "kept",
    [
        None,
        [],
        {},
        spoilt(at=7),
        spoilt(at=-1),
        spoilt(at=True),
        spoilt(at=0),
        spoilt(examples=[1, 2, 99]),
        spoilt(examples=list(range(300))),
        spoilt(starts=[]),
        spoilt(starts=[[0, 1, "no such example"]]),
        spoilt(starts=[[0, [], "water"]]),
        spoilt(texts=[[1, "water"], [2, "1broken"], [3, "1broken"]]),
        spoilt(texts=[[1, "water"], [2, "x" * MOST_KEPT], [3, "y"]]),
    ],
)
def test_what_is_no_such_history_is_passed_over_and_nothing_is_lost(kept):
    work = work_at(spoilt()["query"], None)
    before = as_seen(work)
    work = recalled(work, kept)
    assert as_seen(work) == before
    assert work.message is None


@given(json_values)
@tries(20)
def test_whatever_is_sent_back_breaks_nothing(kept):
    work = work_at({"example": OPENS_FIRST}, None)
    before = as_seen(work)
    work = recalled(work, {**spoilt(), "texts": kept})
    work = recalled(work, kept)
    assert as_seen(work) == before
    assert work.message is None
