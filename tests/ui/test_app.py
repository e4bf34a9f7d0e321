"""The page as Streamlit runs it, without a browser: its frame, its bench and its pictures."""

import json
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from mha_core import OPENS_FIRST, built_in, dump, library, pretty, to_token
from mha_core.example.model import text_in
from mha_ui import frame, state
from mha_ui.bench.model import payload
from mha_ui.state.history import begun
from mha_ui.state.session import KEY, Holder
from mha_view.figures import FIGURES
from mha_view.language import LANGUAGES, words_in
from tests.apply import apply
from tests.core.edits import FURTHER_ON
from tests.sizes import in_turn
from tests.ui.pages import menu_opened

APP = Path(__file__).resolve().parents[2] / "pages" / "navigation.py"
BENCH = "bench.matrices"
PICTURES = "pictures.open"


@pytest.fixture
def visit():
    """Open the app at a query in a fresh session."""

    def opened(locale=None, theme="light", **query):
        st.cache_resource.clear()  # components are registered once a server, and each visit is a new server
        app = AppTest.from_file(APP, default_timeout=60)
        app.query_params.update(query)
        app.context.update(locale=locale, theme=theme)
        return sound(app.run())

    return opened


def sound(app):
    """The app, if nothing went wrong and the bench has the data of the work."""
    assert not app.exception
    sent_data = json.loads(app.get_by_key(BENCH).proto.json)[0]
    assert sent_data.pop("answer")
    assert sent_data == json.loads(json.dumps(payload(work(app))))
    return app


def work(app):
    return app.session_state[KEY].work


def menu(app):
    """The menu of the examples, in the page's head."""
    return app.selectbox[0]


def send(app, *edits, **more):
    """Run the app with edits from the bench, and what else its message has."""
    start = work(app).browser.applied + 1
    sent = [{**edit, "seq": start + index} for index, edit in enumerate(edits)]
    app.session_state[BENCH] = {"edits": {"session": work(app).browser.session, "edits": sent, **more}}
    return sound(app.run())


def html(app):
    return "".join(element.proto.body for element in app.html)


@pytest.mark.parametrize(("name", "language"), in_turn(library(), LANGUAGES))
def test_every_example_opens_with_every_picture(visit, name, language):
    app = visit(example=name, lang=language)
    assert work(app).example == built_in(name)
    assert work(app).language == language
    assert words_in(language)("Multi-head attention") in html(app)
    assert json.loads(app.get_by_key(BENCH).proto.json)[0]["about"] == text_in(built_in(name).note, language)
    assert menu(app).value == name
    for theme in ("light", "dark"):
        app.context["theme"] = theme
        app.pills(key=PICTURES).set_value(shown(app))
        sound(app.run())
        for picture in shown(app):
            assert picture_sent(app, picture)["figure"]["data"]


def shown(app):
    """The pictures that this example has, all of them."""
    return [name for name, picture in FIGURES.items() if picture.available(work(app).trace)]


def test_a_bare_address_shows_the_example_that_opens_first_and_one_picture(visit):
    app = visit()
    assert work(app).example == built_in(OPENS_FIRST)
    assert app.pills(key=PICTURES).value == ["weights"]


@pytest.mark.parametrize(
    ("locale", "language"), [("zh-CN", "zh"), ("zh", "zh"), ("de-DE", "en"), (None, "en")]
)
def test_the_browsers_locale_chooses_the_language(visit, locale, language):
    app = visit(locale)
    assert work(app).language == language
    assert app.segmented_control(key="frame.language").value == language


def test_the_language_can_be_switched(visit):
    app = visit("zh-CN")
    sound(app.segmented_control(key="frame.language").set_value("en").run())
    assert work(app).language == "en"
    assert "Multi-head attention" in html(app)
    sound(app.segmented_control(key="frame.language").set_value("zh").run())
    assert "多头注意力" in html(app)
    sound(app.segmented_control(key="frame.language").set_value(None).run())  # pressed again
    assert work(app).language == "zh"


def test_another_example_is_chosen(visit):
    app = visit(example="water")
    sound(menu(app).set_value("translation").run())
    assert work(app).example == built_in("translation")
    send(app, {"op": "undo"})
    assert work(app).example == built_in("water")


@pytest.mark.parametrize(
    ("language", "title"),
    [("en", "I love programming: three heads (edited)"), ("zh", "I love programming：三个头（已修改）")],
)
def test_the_menu_distinguishes_an_edited_example_from_the_untouched_one(visit, language, title):
    app = visit(example="programming", lang=language)
    send(app, {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[5]]})
    assert (menu(app).value, menu(app).proto.placeholder) == (None, title)
    link = menu(visit(lang=language, s=to_token(work(app).example)))
    assert (link.value, link.proto.placeholder) == (None, title)
    send(app, {"op": "undo"})
    assert menu(app).value == "programming"
    send(app, {"op": "sentence", "which": "tokens", "tokens": ["cats", "{sleep}"]})
    sentence = "“cats {sleep}”"
    assert (menu(app).value, menu(app).proto.placeholder) == (None, sentence)
    own = replace(built_in("programming"), title="Mine", note=None)
    assert menu(visit(s=to_token(own))).proto.placeholder == "Mine"


def test_edits_from_the_bench_reach_the_page(visit):
    app = visit(example="causal")
    edit = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[5]]}
    send(app, edit, {"op": "add_head"})
    example = apply(apply(built_in("causal"), edit), {"op": "add_head"})
    assert work(app).example == example
    sound(app.run())  # the same message is still there
    assert work(app).example == example
    send(app, {"op": "resize", "axis": "d_k", "size": 0})
    assert work(app).message.text == "d_k: expected 1 to 64, got 0"


def test_what_is_said_of_an_edit_does_not_follow_to_another_page(visit):
    app = visit(example="causal")
    send(app, {"op": "resize", "axis": "d_k", "size": 0})
    refused = work(app).message.text
    sound(app.run())
    assert work(app).message.text == refused  # it stays on its own page
    assert not app.switch_page("lessons.py").run().exception
    assert work(app).message is None
    assert refused not in html(app)


def test_what_is_said_of_what_a_page_opens_on_another_is_shown_there(visit):
    app = visit(example="causal")
    app.session_state[KEY].change(state.open_file, b"{")
    assert not app.switch_page("lessons.py").run().exception
    assert escape(work(app).message.text) in html(app)


def test_of_a_picture_out_of_view_only_the_texts_are_sent_unless_its_size_is_new(visit):
    app = visit(example="water")
    whole = picture_sent(app, "weights")
    edit = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[5]]}
    send(app, edit, unseen=["weights", 3])
    texts = picture_sent(app, "weights")
    assert texts["figure"] is None
    assert texts["title"] == whole["title"]
    assert texts["alt"] != whole["alt"]
    send(app, {"op": "add_token", "which": "tokens"}, unseen=["weights"])
    assert picture_sent(app, "weights")["figure"]["data"]
    send(app, edit, unseen=[])
    assert picture_sent(app, "weights")["figure"]["data"]


def picture_sent(app, name):
    return json.loads(app.get_by_key(f"pictures.{name}").proto.json)[0]["drawn"]


def test_a_picture_that_the_example_no_longer_has_is_closed(visit):
    """The picture of outputs among V's rows exists only where d_v is 2."""
    app = visit(example="first")
    app.pills(key=PICTURES).set_value(shown(app))
    sound(app.run())
    before = shown(app)
    send(app, {"op": "resize", "axis": "d_v", "size": 5})
    assert app.pills(key=PICTURES).value == shown(app) != before
    query = app.selectbox(key="pictures.query")
    sound(query.set_value(2).run())
    assert work(app).looking.query == 2
    send(app, {"op": "remove_token", "which": "tokens", "index": 0})
    assert app.selectbox(key="pictures.query").value == 1
    app.pills(key=PICTURES).set_value([])
    sound(app.run())


@pytest.mark.parametrize("token", ["2abc", "1ab", "", "1" * 40_000], ids=len)
def test_a_bad_link_opens_the_example_that_opens_first(visit, token):
    app = visit(s=token)
    assert work(app).example == built_in(OPENS_FIRST)
    assert work(app).message


def test_a_link_opens_what_it_contains(visit):
    app = visit(s=to_token(FURTHER_ON), decimals="7", cell="weights.3.0.1", lang="zh")
    assert work(app).example == FURTHER_ON
    assert work(app).looking.decimals == 7
    assert work(app).looking.pinned == ("weights", 3, 0, 1)
    assert menu(app).value is None


def test_a_file_is_opened_and_a_malformed_one_changes_nothing(visit):
    app = menu_opened(visit(example="water"))
    upload = app.file_uploader(key="frame.file")
    sound(upload.set_value(("mine.mha.json", pretty(FURTHER_ON).encode(), "application/json")).run())
    assert work(app).example == FURTHER_ON
    upload = app.file_uploader(key="frame.file")
    sound(upload.set_value(("mine.mha.json", dump(FURTHER_ON)[:-1].encode(), "application/json")).run())
    assert work(app).example == FURTHER_ON
    assert "this is not valid JSON" in work(app).message.text


def test_texts_are_shown_as_text(visit):
    nasty = "<img src=x onerror=alert(1)> $x$ **b** {{}} {0}"
    example = apply(built_in("first"), {"op": "title", "text": nasty})
    token = to_token(apply(example, {"op": "rename_token", "which": "tokens", "index": 0, "text": nasty}))
    app = visit(s=token)
    app.pills(key=PICTURES).set_value(shown(app))
    sound(app.run())
    assert "<img" not in html(app)


def test_the_menus_previous_value_after_an_edit_is_no_new_choice(monkeypatch):
    """A rerun right after an edit carries the menu's previous value, which must not open the untouched example."""
    current = state.Work(begun(built_in("first"), "first"), "en")
    edit = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[9]], "seq": 1}
    current = state.receive(current, {"session": current.browser.session, "edits": [edit]})
    edited = current.example
    monkeypatch.setattr(st, "session_state", {KEY: Holder(current)})
    monkeypatch.setattr(state, "widget_value", lambda key: "first")
    frame._example_chosen("frame.example", "first")
    assert state.current().example == edited
    frame._example_chosen("frame.example.1", None)  # chosen in the menu of an edited example
    assert state.current().example == built_in("first")


def test_the_menu_is_a_new_widget_whenever_it_shows_an_example_not_chosen_in_it(visit):
    """A browser that has not received it yet still sends the previous menu's value."""
    app = visit(example="water")
    keys = [menu(app).key]
    own = to_token(apply(built_in("first"), {"op": "title", "text": "Mine"}))
    for edit in (
        {"op": "restore", "address": {"s": own}},
        {"op": "restore", "address": {"example": "water"}},
        {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[9]]},
        {"op": "undo"},
    ):
        send(app, edit)
        keys.append(menu(app).key)
    assert len(set(keys)) == len(keys)
    sound(menu(app).set_value("causal").run())
    sound(menu(app).set_value("water").run())
    assert menu(app).key == keys[-1]  # chosen there, it keeps the focus
