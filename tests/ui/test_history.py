"""Undo, redo and history over a reload: what the browser is sent, what it sends back, and what is ignored."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import OPENS_FIRST, built_in
from mha_ui import state
from mha_ui.state import UNDO_STEPS, Work, address, receive
from mha_ui.state.history import MOST_STORED, history_of
from mha_ui.state.url import work_at
from tests.core.edits import json_values
from tests.sizes import tries


class Tab:
    """The history in a browser's tab, as it stores the answers that reach it."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.texts: dict[int, str] = {}
        self.answered()

    def answered(self) -> None:
        sent = json.loads(json.dumps(history_of(self.work.history, self.work.browser.stored)))
        self.texts |= dict(sent["texts"])
        query = address(self.work)
        self.texts[sent["examples"][sent["at"]]] = query.get("s") or query["example"]
        self.stored = {**sent, "texts": list(self.texts.items()), "query": query}

    def send(self, *edits: dict) -> None:
        last = max(self.texts)
        numbered = [{**edit, "seq": self.work.browser.applied + count} for count, edit in enumerate(edits, 1)]
        self.work = receive(
            self.work, {"session": self.work.browser.session, "edits": numbered, "held": last}
        )

    def reloaded(self) -> Work:
        """The tab's next session, which has been sent the stored history."""
        work = work_at(self.stored["query"], None)
        return recalled(work, self.stored)


def recalled(work: Work, stored: object) -> Work:
    edit = {"op": "recall", "history": stored, "seq": work.browser.applied + 1}
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
def test_after_a_reload_undo_and_redo_lead_to_the_same_examples(steps):
    tab = Tab(work_at({"example": "water"}, None))
    for edits, arrives in steps:
        tab.send(*edits)
        if arrives:
            tab.answered()
    state.open_built_in(tab.work, "causal")
    tab.send({"op": "undo"})
    tab.answered()
    assert as_seen(tab.reloaded()) == as_seen(tab.work)


def test_edits_made_meanwhile_stay_and_reset_returns_to_the_first_example():
    tab = Tab(work_at({"example": "water"}, None))
    tab.send(cell(5), cell(6))
    tab.answered()
    work = work_at(tab.stored["query"], None)
    work = receive(work, {"session": work.browser.session, "edits": [{**cell(7), "seq": 1}]})
    work = recalled(work, tab.stored)
    assert [version.example.x[0][0] for version in work.history.versions] == [1, 5, 6, 7]
    work = receive(work, {"session": work.browser.session, "edits": [{"op": "reset", "seq": 9}]})
    assert work.example == built_in("water")
    assert work.untouched


def test_an_answers_size_does_not_grow_with_the_history():
    tab = Tab(work_at({"example": "water"}, None))
    for number in range(2, UNDO_STEPS + 20):
        tab.send(cell(number))
        tab.answered()
        assert len(history_of(tab.work.history, tab.work.browser.stored)["texts"]) <= 1
    assert len(json.dumps(history_of(tab.work.history, tab.work.browser.stored))) < 1500
    assert len(tab.work.history.numbers) == UNDO_STEPS + 2  # with the current example and the origin
    tab.send()
    assert history_of(tab.work.history, tab.work.browser.stored)["texts"] == []


def broken(**changes: object) -> dict:
    tab = Tab(work_at({"example": "water"}, None))
    tab.send(cell(5), cell(6))
    tab.answered()
    return {**tab.stored, **changes}


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        {},
        broken(at=7),
        broken(at=-1),
        broken(at=True),
        broken(at=0),
        broken(examples=[1, 2, 99]),
        broken(examples=list(range(300))),
        broken(starts=[]),
        broken(starts=[[0, 1, "no such example"]]),
        broken(starts=[[0, [], "water"]]),
        broken(texts=[[1, "water"], [2, "1broken"], [3, "1broken"]]),
        broken(texts=[[1, "water"], [2, "x" * MOST_STORED], [3, "y"]]),
    ],
)
def test_a_malformed_history_is_ignored_and_nothing_is_lost(stored):
    work = work_at(broken()["query"], None)
    before = as_seen(work)
    work = recalled(work, stored)
    assert as_seen(work) == before
    assert work.message is None


@given(json_values)
@tries(20)
def test_whatever_is_sent_back_breaks_nothing(stored):
    work = work_at({"example": OPENS_FIRST}, None)
    before = as_seen(work)
    work = recalled(work, {**broken(), "texts": stored})
    work = recalled(work, stored)
    assert as_seen(work) == before
    assert work.message is None
