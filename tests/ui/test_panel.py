"""A fault planted in every part of every page: one sentence, the details in the log, a way back, and no work lost."""

from __future__ import annotations

import json
from collections import Counter
from html import escape

import pytest

import mha_ui.check
import mha_ui.check.asked
import mha_ui.conventions
import mha_ui.exchange
import mha_ui.experiments.experiment
import mha_ui.experiments.lenses
import mha_ui.lessons.heads
import mha_ui.models
import mha_ui.pictures
import mha_ui.puzzles
import mha_ui.train
import mha_ui.walkthrough
from mha_core import built_in, from_token, opens_first, to_token
from mha_core.edit import edits
from mha_core.edit.edit import SetTitle
from mha_ui import bench, frame, shell, state
from mha_ui.panel import _BACK, _FIRST
from mha_ui.shell import FAILED
from mha_ui.state import history as state_history
from mha_ui.state import opening_title, url
from mha_ui.state.url import NOT_OPENED
from mha_ui.state.work import NOT_CHANGED
from mha_view.language import LANGUAGES, words_in
from tests.apply import apply
from tests.sizes import in_turn
from tests.ui.pages import change, html, menu_opened, opened, sound, work


def cell(number):
    return {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[number]]}


WATER = built_in("water")
GOOD = apply(WATER, cell(5))
BAD = apply(GOOD, cell(13))
"""The example with which the planted faults occur."""
QUERY = {"lesson": "many-heads", "lang": "en"}
LESSONS, PUZZLES, WALK, MODELS, TRAIN, CHECK, EXPERIMENTS, CONVENTIONS = list(shell.PAGES)[1:]
BENCH = "bench.matrices"
FAULTS = {
    "bench": (shell.BENCH, bench, "payload"),
    "pictures": (shell.BENCH, mha_ui.pictures, "draw"),
    "frame": (shell.BENCH, frame, "share_button"),
    "walkthrough": (WALK, mha_ui.walkthrough, "payload"),
    "walkthrough.place": (WALK, mha_ui.walkthrough, "partial"),
    "walkthrough.takeaway": (WALK, mha_ui.walkthrough, "N_"),
    "check": (CHECK, mha_ui.check, "check_payload"),
    "check.tools": (CHECK, mha_ui.check.asked, "askable"),
    "experiments": (EXPERIMENTS, mha_ui.experiments.experiment, "compare"),
    "experiments.gradient": (EXPERIMENTS, mha_ui.experiments.lenses, "payload"),
    "experiments.saturation": (EXPERIMENTS, mha_ui.experiments.lenses, "saturation_sentences"),
    "experiments.change": (EXPERIMENTS, mha_ui.experiments.lenses, "payload"),
    "conventions": (CONVENTIONS, mha_ui.conventions, "packed_payload"),
    "models": (MODELS, mha_ui.models, "ui_words"),
    "train": (TRAIN, mha_ui.train, "task_list"),
    "puzzles": (PUZZLES, mha_ui.puzzles, "puzzle_stages"),
    "lessons": (LESSONS, mha_ui.lessons.heads, "agreement"),
}
"""By part of a page: its page, and a function that it calls."""
TABLES = ("bench", "check", "experiments.gradient", "experiments.change")
EXPERIMENT = {"experiments.gradient": "gradients", "experiments.saturation": "gradients"} | {
    "experiments.change": "baseline"
}


@pytest.fixture
def plant(monkeypatch):
    """Make a function fail where the work, or one of its arguments, has the bad numbers."""

    def planted(module, name):
        real = getattr(module, name)

        def faulty(*arguments, **more):
            shown_work = (
                next((value for value in arguments if isinstance(value, state.Work)), None) or state.current()
            )
            if shown_work.example == BAD:
                raise RuntimeError("planted")
            return real(*arguments, **more)

        monkeypatch.setattr(module, name, faulty)

    return planted


def visit(part, example, language="en"):
    more = {"experiment": EXPERIMENT[part]} if part in EXPERIMENT else {}
    return opened(FAULTS[part][0], {**QUERY, "lang": language, "s": to_token(example), **more})


def send(app, *edits):
    """Edits that the bench sends, and the page's answer."""
    start = work(app).browser.applied + 1
    numbered = [{**edit, "seq": start + index} for index, edit in enumerate(edits)]
    change(app, state.receive, {"session": work(app).browser.session, "edits": numbered})
    return sound(app.run())


def failed(app, language="en"):
    """How many parts of the page say that they failed."""
    return html(app).count(escape(words_in(language)(FAILED)))


def button(app, part):
    return app.button(key=f"panel.back.{part}")


@pytest.mark.parametrize("part", FAULTS)
def test_a_part_that_fails_says_so_and_leads_back(plant, caplog, part):
    app = visit(part, WATER)
    send(app, cell(5))
    assert failed(app) == 0
    plant(*FAULTS[part][1:])
    send(app, cell(13))
    assert failed(app) == 1
    assert button(app, part).label == _BACK
    records = [record for record in caplog.records if record.exc_info and record.name.startswith("mha_ui")]
    assert Counter(str(record.exc_info[1]) for record in records) == {"planted": 1}
    assert part in records[0].getMessage()
    assert "planted" not in html(app)
    assert work(app).example == BAD
    assert [version.example for version in work(app).history.past] == [WATER, GOOD]
    sound(button(app, part).click().run())
    assert failed(app) == 0
    assert work(app).example == GOOD
    send(app, {"op": "undo"}, {"op": "redo"}, {"op": "redo"})
    assert work(app).example == BAD
    assert failed(app) == 1
    send(app, {"op": "undo"})
    assert failed(app) == 0


@pytest.mark.parametrize(("part", "language"), in_turn(FAULTS, LANGUAGES))
def test_a_page_that_never_worked_leads_to_the_example_that_opens_first(plant, part, language):
    """As when a page whose example makes a part fail is loaded again."""
    plant(*FAULTS[part][1:])
    app = visit(part, BAD, language)
    assert failed(app, language) == 1
    assert button(app, part).label == words_in(language)(_FIRST).format(title=opening_title(language))
    sound(button(app, part).click().run())
    assert failed(app, language) == 0
    assert work(app).example == built_in(opens_first(language))
    send(app, {"op": "undo"})
    assert work(app).example == BAD


@pytest.mark.parametrize("part", TABLES)
def test_tables_go_on_showing_the_last_numbers_that_worked(plant, part):
    app = visit(part, WATER)
    send(app, cell(5))
    plant(*FAULTS[part][1:])
    send(app, cell(13))
    sentence = json.loads(app.get_by_key(BENCH).proto.json)[0]
    assert sentence["matrices"]["x"]["values"][0][0] == 5
    assert from_token(sentence["address"]["s"]) == GOOD  # so a page that is loaded again shows these
    assert sentence["ack"] == work(app).browser.applied
    send(app, cell(6))  # in the tables that are shown
    assert failed(app) == 0
    assert work(app).example == apply(GOOD, cell(6))
    assert [version.example for version in work(app).history.past] == [WATER, GOOD]


@pytest.mark.parametrize("part", ["experiments", "conventions", "lessons"])
def test_an_address_that_fails_is_not_written_to_the_address_bar(plant, part):
    app = visit(part, GOOD)
    plant(*FAULTS[part][1:])
    send(app, cell(13))
    query = json.loads(app.get_by_key("address.keep").proto.json)[0]["address"]
    assert from_token(query["s"]) == GOOD


def test_pictures_that_fail_leave_the_tables(plant):
    app = visit("pictures", WATER)
    plant(mha_ui.pictures, "draw")
    send(app, cell(5), cell(13))
    assert failed(app) == 1
    assert json.loads(app.get_by_key(BENCH).proto.json)[0]["matrices"]["x"]["values"][0][0] == 13


def test_tables_that_are_shown_on_another_page_are_edited_there(plant):
    app = visit("check", WATER)
    plant(mha_ui.check, "check_payload")
    send(app, cell(13))
    app.switch_page("bench.py")
    sound(app.run())
    send(app, {**cell(7), "row": 1})
    assert work(app).example == apply(apply(WATER, cell(13)), {**cell(7), "row": 1})


def test_dialogs_that_fail_say_so(plant):
    app = visit("bench", BAD)
    plant(mha_ui.exchange, "catalogue")
    plant(mha_ui.exchange, "read_weights")
    sound(menu_opened(app).button(key="export.open").click().run())
    assert failed(app) == 1
    sound(menu_opened(app).button(key="import.open").click().run())
    assert failed(app) == 0
    app.file_uploader(key="import.file").set_value(("layer.pt", b"?", "application/octet-stream"))
    sound(app.button(key="import.open").click().run())
    assert failed(app) == 1
    assert work(app).example == BAD


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_edit_that_fails_changes_nothing(monkeypatch, caplog, language):
    app = visit("bench", GOOD, language)
    monkeypatch.setitem(edits._CHANGES, SetTitle, lambda *_: {"a": 1}["planted"])
    send(app, {"op": "title", "text": "new"})
    assert work(app).example == GOOD
    assert work(app).message.text == words_in(language)(NOT_CHANGED)
    assert work(app).history.past == ()
    assert any(record.exc_info and isinstance(record.exc_info[1], KeyError) for record in caplog.records)


@pytest.mark.parametrize("op", ["undo", "redo"])
def test_a_step_of_the_history_that_fails_loses_nothing(monkeypatch, op):
    app = visit("bench", WATER)
    send(app, cell(5), cell(13), {"op": "undo"})
    history = work(app).history.versions
    monkeypatch.setattr(state_history, "trace", lambda *_: 1 / 0)
    send(app, {"op": op})
    assert work(app).example == GOOD
    assert work(app).history.versions == history


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_that_fails_opens_the_example_that_opens_first(monkeypatch, caplog, language):
    monkeypatch.setattr(url, "from_token", lambda *_: 1 / 0)
    app = visit("bench", BAD, language)
    assert work(app).example == built_in(opens_first(language))
    assert work(app).language == language
    sentence = words_in(language)(NOT_OPENED).format(title=opening_title(language))
    assert work(app).message.text == sentence
    assert any(record.exc_info for record in caplog.records)
