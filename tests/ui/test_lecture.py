"""A lecture in a visitor's work: one edit on the walkthrough sets it, and nobody else gets it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mha_core import built_in, from_token, to_token
from mha_core.example.lecture import Lecture, LectureStep
from mha_ui import state
from mha_ui.state.url import address, without_claims, work_at
from mha_ui.state.work import Work, pin_baseline, reset, undo
from mha_ui.walkthrough.model import payload
from mha_view.follow import walk
from mha_view.payloads import WalkStage
from tests.apply import apply

NOTED = {"minutes": 25, "steps": [{"step": "scores", "note": "mine"}, {"step": "q", "hidden": True}]}
TAUGHT = Lecture(25.0, (LectureStep("scores", note="mine"), LectureStep("q", hidden=True)))


def send(work: Work, *edits: dict[str, object]) -> Work:
    numbered = [{**edit, "seq": work.browser.applied + at} for at, edit in enumerate(edits, 1)]
    return state.receive(work, {"session": work.browser.session, "edits": numbered})


def taught() -> Work:
    work = work_at({"example": "first"}, "en")
    return send(work, {"op": "lecture", "lecture": NOTED})


def ids(stages: Sequence[WalkStage]) -> list[str]:
    return [stage["id"] for stage in stages]


def test_the_walk_has_the_lectures_order_and_the_lecturer_sees_all_of_it():
    work = taught()
    assert work.example.lecture == TAUGHT
    data = payload(work)
    assert ids(data["stages"])[:3] == ["tokens", "inputs", "scores"]
    assert "q" not in ids(data["stages"])
    assert data["lecture"]["own"] == NOTED
    assert [entry["step"] for entry in data["lecture"]["order"] if not entry["title"]] == []
    assert set(data["lecture"]["teaching"]) == set(data["lecture"]["usual"])
    by_step = {entry["step"]: entry["needs"] for entry in data["lecture"]["order"]}
    assert by_step["scores"] == "Queries, Keys"


def test_undo_removes_the_lecture_and_reset_keeps_it():
    work = taught()
    work = send(work, {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[9]]})
    work = reset(work)
    assert work.example.x == built_in("first").x
    assert work.example.lecture == TAUGHT
    assert work.untouched
    for _ in range(3):
        work = undo(work)
    assert work.example == built_in("first")


def test_on_the_projector_undo_restores_numbers_and_not_the_lecture():
    work = taught()
    work = send(work, {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[9]]})
    edited = work.example.x
    later = {"minutes": 10}
    work = send(work, {"op": "lecture", "lecture": later})
    work = send(work, {"op": "undo_numbers"})
    assert (work.example.x, work.example.lecture) == (built_in("first").x, Lecture(10.0))
    work = send(work, {"op": "undo_numbers"})  # there are no others before
    assert work.example.lecture == Lecture(10.0)
    work = send(work, {"op": "redo"})
    assert (work.example.x, work.example.lecture) == (edited, Lecture(10.0))


def test_a_link_contains_the_lecture_and_a_link_for_students_does_not():
    work = taught()
    assert from_token(address(work)["s"]).lecture == TAUGHT
    assert without_claims(work).example.lecture is None
    work = pin_baseline(work)
    assert work.baseline.lecture is None


def test_a_malformed_lecture_is_refused_with_a_sentence_and_nothing_is_lost():
    work = taught()
    work = send(work, {"op": "lecture", "lecture": {"steps": [{"step": "skores"}]}})
    assert work.message is not None
    assert "skores" in work.message.text
    assert work.example.lecture == TAUGHT


def test_those_who_follow_see_the_order_and_no_note():
    token = to_token(apply(built_in("first"), {"op": "lecture", "lecture": NOTED}))
    data: Any = walk({"s": token}, "zh", 4)
    assert "mine" not in str(data)
    assert "lecture" not in data
    assert from_token(data["address"]["s"]) == built_in("first")
    assert "q" not in ids(data["stages"])
