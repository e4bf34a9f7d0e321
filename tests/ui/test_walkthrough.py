"""The walkthrough as Streamlit runs it, without a browser: what the component is sent, and what it sends."""

import json
import sys

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from mha_core import OPENS_FIRST, built_in, library, to_token, trace
from mha_core.walk.stages import walk
from mha_ui import state
from mha_ui.lessons import LESSONS
from mha_ui.state.session import KEY
from mha_ui.walkthrough.model import payload
from mha_view.language import LANGUAGES, words_in
from mha_view.walk import stages
from tests.apply import apply
from tests.core.edits import FURTHER_ON
from tests.sizes import in_turn
from tests.ui.pages import change
from tests.ui.test_app import APP, menu

WALK = "walk.stages"
PLACE = "walk.place"
TAKE_AWAY = (
    "Download as a web page (printable)",
    "Download as Markdown with LaTeX",
    "Download as slides (PPTX)",
)


@pytest.fixture
def visit():
    """Open the walkthrough at a query in a fresh session."""

    def opened(locale=None, **query):
        st.cache_resource.clear()  # components are registered once a server, and each visit is a new server
        app = AppTest.from_file(APP, default_timeout=60).switch_page("walkthrough.py")
        app.query_params.update(query)
        app.context.update(locale=locale, theme="light")
        return sound(app.run())

    return opened


def sound(app):
    """The app, if nothing went wrong and the walk has the data of the work."""
    assert not app.exception
    assert walk_data(app) == json.loads(json.dumps(payload(work(app))))
    return app


def walk_data(app):
    return json.loads(app.get_by_key(WALK).proto.json)[0]


def work(app):
    return app.session_state[KEY].work


def send(app, **place):
    """Run the app with a place that the walk has sent."""
    edit = {"op": "place", "seq": work(app).browser.applied + 1, **place}
    app.session_state[PLACE] = {"edits": {"session": work(app).browser.session, "edits": [edit]}}
    return app.run()


@pytest.mark.parametrize(("name", "language"), in_turn(library(), LANGUAGES))
def test_every_example_has_its_walk(visit, name, language):
    app = visit(example=name, lang=language)
    assert [stage["id"] for stage in walk_data(app)["stages"]] == [
        stage.id for stage in walk(trace(built_in(name)))
    ]
    json.dumps(walk_data(app), allow_nan=False)
    labels = [button.label for button in app.get("download_button")]
    assert labels == [words_in(language)(text) for text in TAKE_AWAY]


def test_the_stages_have_words_parts_and_formulas():
    (scores,) = [s for s in stages(trace(built_in("first")), "en") if s["id"] == "scores"]
    assert scores["title"] == "Scores"
    assert scores["lesson"] == "library"
    assert scores["parts"][4] == ("scores", 0, 1, 2, 1, 2, 2)
    (step,) = scores["steps"]
    assert (step["symbol"], step["formula"], step["layout"]) == ("S", "Q·Kᵀ", "product")
    (weights,) = [s for s in stages(trace(built_in("first")), "zh") if s["id"] == "weights"]
    assert [set(row) for row in weights["powers"]] == [{"powers", "total", "shift"}] * 3
    assert weights["title"] == "softmax 归一化"


@pytest.mark.parametrize("name", library())
def test_every_lesson_that_a_stage_names_is_there(name):
    named = {s["id"]: s["lesson"] for s in stages(trace(built_in(name)), "en")}
    assert set(named.values()) - {None} <= LESSONS.keys()
    assert named.get("masked_scores", "masks") == "masks"
    assert named.get("q_rotated", "order") == "order"


def test_a_link_opens_the_very_place(visit):
    app = visit(example="causal", step="masked_scores", sub="3.2", view="projector", predict="1")
    place = {"step": "masked_scores", "sub": "3.2", "view": "projector", "predict": True}
    assert walk_data(app)["place"] == place
    assert state.address(work(app)) == {"example": "causal"} | place | {"predict": "1"}


@pytest.mark.parametrize(
    "query",
    [
        {"step": "../etc", "sub": "0", "view": "admin", "predict": "yes"},
        {"step": "<b>", "sub": "1.2.3", "view": "", "predict": "0"},
        {"step": "q" * 41, "sub": "99999"},
        {"sub": "-1"},
        {"sub": "1e3"},
    ],
)
def test_a_malformed_place_is_the_start(visit, query):
    assert walk_data(visit(**query))["place"] == {"step": "", "sub": "", "view": "", "predict": False}


def test_a_bad_link_is_walked_as_the_example_that_opens_first_and_says_so(visit):
    app = visit(s="2abc", step="scores")
    assert walk_data(app)["place"]["step"] == "scores"
    assert work(app).example == built_in(OPENS_FIRST)
    assert any("a different version" in element.proto.body for element in app.html)


def test_the_walks_place_is_stored_for_the_bench_and_back(visit):
    app = visit(example="first")
    send(app, step="scores", sub="4", view="", predict=True)
    assert work(app).walk == ("scores", "4", "", True)
    assert "sub" in state.address(work(app))
    app.switch_page("bench.py").run()
    edit = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[5]]}
    change(
        app,
        state.receive,
        {"session": work(app).browser.session, "edits": [{**edit, "seq": work(app).browser.applied + 1}]},
    )
    app.switch_page("walkthrough.py").run()
    sound(app)
    assert walk_data(app)["place"] == {"step": "scores", "sub": "4", "view": "", "predict": True}
    assert walk_data(app)["matrices"]["x"]["values"][0][0] == 5


def test_another_example_is_walked_from_its_start(visit):
    app = visit(example="first", step="scores", sub="4", predict="1")
    menu(app).set_value("water").run()
    sound(app)
    assert walk_data(app)["place"] == {"step": "", "sub": "", "view": "", "predict": True}


@pytest.mark.parametrize("place", [{"step": 3}, {"sub": ["1"]}, {"view": None}, {"predict": "maybe"}, {}])
def test_a_message_that_no_walk_would_send_changes_nothing(visit, place):
    app = visit(example="first")
    assert not send(app, **place).exception
    assert work(app).walk == state.NOWHERE


def test_a_new_server_is_given_the_pages_address(visit):
    app = visit(example="first")
    restore = {"op": "restore", "seq": 1, "address": {"example": "water", "step": "k", "sub": "2"}}
    app.session_state[PLACE] = {"edits": {"session": work(app).browser.session, "edits": [restore]}}
    sound(app.run())
    assert work(app).example == built_in("water")
    assert walk_data(app)["place"]["step"] == "k"


def test_another_windows_numbers_are_taken_over_at_the_same_place(visit):
    """They become a step of the history. An address without an example is refused with a message."""
    app = visit(example="first", step="scores", sub="4", lang="zh")
    other = apply(
        built_in("first"), {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[5]]}
    )
    for seq, query, wanted in (
        (1, {"s": to_token(other)}, other),
        (2, {"example": "water"}, built_in("water")),
        (3, {"s": "nonsense"}, built_in("water")),
    ):
        follow = {"op": "follow", "seq": seq, "address": query}
        app.session_state[PLACE] = {"edits": {"session": work(app).browser.session, "edits": [follow]}}
        sound(app.run())
        assert work(app).example == wanted
        assert bool(work(app).message) == (seq > 2)
        assert walk_data(app)["place"]["step"] == "scores"
        assert work(app).history.name == (
            "first" if wanted == other else "water"
        )  # what the example's menu shows
    assert work(app).language == "zh"
    assert state.address(work(app))["example"] == "water"
    assert [version.example for version in work(app).history.past] == [built_in("first"), other]


def test_the_menus_previous_value_is_no_choice_after_another_window_opened_an_example(visit):
    app = visit(example="first")
    key = menu(app).key
    follow = {"op": "follow", "seq": 1, "address": {"example": "water"}}
    app.session_state[PLACE] = {"edits": {"session": work(app).browser.session, "edits": [follow]}}
    sound(app.run())
    assert menu(app).value == "water"
    assert menu(app).key != key


def test_texts_of_an_example_reach_the_walk_as_data(visit):
    nasty = "<img src=x onerror=alert(1)> $x$"
    example = apply(FURTHER_ON, {"op": "rename_token", "which": "tokens", "index": 0, "text": nasty})
    app = visit(s=to_token(example))
    assert walk_data(app)["labels"]["n_q"][0] == nasty
    assert [stage["kind"] for stage in walk_data(app)["stages"]].count("head") == 3


def test_without_the_package_for_slides_the_button_is_disabled_and_says_how_to_install_it(visit, monkeypatch):
    monkeypatch.setitem(sys.modules, "pptx", None)
    app = visit(example="first", lang="zh")
    label = words_in("zh")("Download as slides (PPTX)")
    (button,) = [element for element in app.get("download_button") if element.label == label]
    assert button.disabled
    assert button.help == "这里需要 python-pptx 这个包：pip install -r requirements-slides.txt"
