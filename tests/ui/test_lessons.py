"""The lessons as Streamlit runs them, without a browser."""

import json
from dataclasses import replace

import pytest

from mha_core import OPENS_FIRST, Head, built_in, library, to_token, trace
from mha_core.compute.scaling import experiment
from mha_core.example.model import Example, text_in
from mha_core.puzzle import built_in_puzzle, in_language
from mha_ui import state
from mha_ui.lessons import LESSONS
from mha_ui.lessons.heads import agreement_sentence
from mha_ui.lessons.outputs import SHARPNESS, sharpened
from mha_view.language import LANGUAGES, words_in
from mha_view.lessons.lesson import Choice, Live, Slider
from tests.apply import apply
from tests.core.edits import FURTHER_ON
from tests.sizes import in_turn
from tests.ui.pages import change, drawn, html, opened, pictures, sound, work

PAGE = "lessons.py"


@pytest.fixture
def read():
    """Open a lesson at a query in a fresh session."""

    def read(lesson=None, locale=None, theme="light", **query):
        query |= {"lesson": lesson} if lesson else {}
        return opened(PAGE, query, locale=locale, theme=theme)

    return read


def figure(app, name):
    return drawn(app, name)["figure"]


def address(app):
    return json.loads(app.get_by_key("address.keep").proto.json)[0]["address"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("topic", LESSONS)
def test_a_link_opens_its_lesson_in_its_language(read, topic, language, theme):
    app = read(topic, lang=language, example="water", theme=theme)
    words, lesson = words_in(language), LESSONS[topic]
    assert f"<h2>{words(lesson.title)}</h2>" in html(app)
    shown = [element.value for element in app.markdown]
    for paragraph in (*lesson.text, lesson.experiment, lesson.question.text):
        assert words(paragraph) in shown
        assert (words(paragraph) != paragraph) == (language == "zh")
    assert lesson.question.answer(words) in shown
    assert app.expander[0].label == words("Show the answer")
    assert not app.expander[0].proto.expanded
    assert address(app) == {"example": "water", "lang": language, "lesson": topic}


@pytest.mark.parametrize("named", [None, "nowhere", "", "<b>"])
def test_an_address_without_a_lesson_opens_the_first(read, named):
    assert address(read(named))["lesson"] == "library"


@pytest.mark.parametrize(("name", "topic"), in_turn(library(), list(LESSONS)))
def test_every_lesson_works_with_every_example(read, name, topic):
    app = read(topic, example=name)
    assert work(app).example == built_in(name)


NO_QUERIES = Example(
    title="given weights",
    tokens=("a", "b"),
    heads=(Head(weights=((2.0, -1.0), (0.5, 0.5)), v=((0.0, 1.0, 2.0), (1.0, 1.0, 5.0))),),
    scale="none",
)


@pytest.mark.parametrize("example", [FURTHER_ON, NO_QUERIES], ids=["further on", "given weights"])
@pytest.mark.parametrize("topic", LESSONS)
def test_every_lesson_works_with_heads_with_given_steps(read, topic, example):
    app = read(topic, s=to_token(example))
    assert work(app).example == example


def test_the_lesson_says_so_if_weights_are_no_shares(read):
    app = read("weighted-mean", s=to_token(NO_QUERIES))
    assert "1 of 2 head outputs lie within" in html(app)


def test_the_glossary_sets_subscripts(read):
    glossary = html(read("library")).split('class="mha-glossary"')[1].split("</dl>")[0]
    assert "W<sub>Q</sub>" in glossary
    assert "W_Q" not in glossary


def test_the_readers_interests_move_the_picture(read):
    app = read("library")
    before = figure(app, "library")
    sound(app.slider(key="lessons.interest.2").set_value(4.0).run())
    after = figure(app, "library")
    assert before != after
    assert "You read Nursing most closely" in html(app)
    for subject in range(3):
        app.slider(key=f"lessons.interest.{subject}").set_value(0.0)
    sound(app.run())
    assert "You read all books equally" in html(app)
    assert "code 32.5, proofs 35, case notes 20" in html(app)


def test_swapped_contents_leave_the_weights(read):
    app = read("library")
    before = figure(app, "library")
    sound(app.toggle(key="lessons.swap").set_value(True).run())
    after = figure(app, "library")
    assert before["data"][:4] == after["data"][:4]
    assert before["data"][4:] != after["data"][4:]


def test_the_experiment_shows_what_the_core_computes(read):
    app = read("sqrt-dk")
    app.slider(key="lessons.keys").set_value(5)
    app.slider(key="lessons.sigma").set_value(1.5)
    app.number_input(key="lessons.seed").set_value(7)
    app.select_slider(key="lessons.d_k").set_value(256)
    sound(app.run())
    rows = experiment(7, 5, 1.5)
    lines = figure(app, "scaling")["data"]
    assert lines[2]["y"] == [row.plain.spread for row in rows]
    assert figure(app, "one-query")["data"][0]["y"] == list(rows[8].plain.first)
    for row in rows:
        assert f'<th scope="row" dir="auto">{row.d_k}</th><td>{row.plain.spread:.2f}</td>' in html(app)


def test_drawing_again_takes_the_next_seed(read):
    app = read("sqrt-dk")
    before = figure(app, "scaling")
    sound(app.button(key="lessons.again").click().run())
    assert app.number_input(key="lessons.seed").value == 1
    assert figure(app, "scaling") != before
    sound(app.number_input(key="lessons.seed").set_value(999_999).run())
    sound(app.button(key="lessons.again").click().run())
    assert app.number_input(key="lessons.seed").value == 0
    assert figure(app, "scaling") == before


def test_the_chosen_query_is_that_of_the_bench(read):
    app = read("many-heads", example="programming")
    sound(app.selectbox(key="lessons.query").set_value(2).run())
    assert work(app).looking.query == 2
    assert "programming" in figure(app, "readers")["layout"]["title"]["text"]
    weights = trace(built_in("programming")).values["weights"]
    assert [line["y"] for line in figure(app, "readers")["data"][: len(weights)]] == [
        rows[2] for rows in weights
    ]
    before = figure(app, "agreement")
    sound(app.toggle(key="lessons.alone").set_value(True).run())
    assert figure(app, "agreement") != before
    assert "programming" in figure(app, "agreement")["layout"]["title"]["text"]


@pytest.mark.parametrize("topic", LESSONS)
def test_an_answer_is_checked_at_once(read, topic):
    question = LESSONS[topic].question
    app = read(topic)
    for at in range(len(question.options)):
        sound(app.radio(key=f"lessons.guess.{topic}").set_value(at).run())
        assert ("✓ Right" in html(app)) == (at == question.right())
        assert ("✗ Not quite" in html(app)) == (at != question.right())


def test_a_right_answer_has_its_reason_and_can_be_cleared(read):
    topic = next(iter(LESSONS))
    question = LESSONS[topic].question
    app = read(topic)
    sound(app.radio(key=f"lessons.guess.{topic}").set_value(question.right()).run())
    assert question.answer(work(app).words) in [text.value for text in app.markdown]
    sound(app.button(key=f"lessons.clear.{topic}").click().run())
    assert app.radio(key=f"lessons.guess.{topic}").value is None
    assert "✓ Right" not in html(app)


@pytest.mark.parametrize("topic", LESSONS)
def test_the_puzzle_opens_in_explore_with_a_way_back(read, topic):
    app = read(topic, example="causal", lang="zh")
    key = LESSONS[topic].puzzle
    sound(app.button(key=f"lessons.open.puzzle.{key}").click().run())
    assert work(app).example == in_language(built_in_puzzle(key), "zh")
    assert app.get_by_key("bench.matrices")
    assert app.get_by_key("frame-lesson")
    assert work(app).looking.lesson == topic


DECLARED = {topic: lesson.live for topic, lesson in LESSONS.items() if isinstance(lesson.live, Live)}
"""The lessons whose live part is declared."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("topic", DECLARED)
def test_the_lesson_s_example_opens_in_explore_as_the_reader_left_it(read, topic, language):
    live, words = DECLARED[topic], words_in(language)
    app = read(topic, example="causal", lang=language)
    values = dict(live.start)
    for control in live.controls:
        values[control.name] = other_value(control)
        set_control(app, topic, control, values[control.name])
    sound(app.run())
    sound(app.button(key=f"lessons.explore.{topic}").click().run())
    assert work(app).example == live.example(values, words)
    assert work(app).history.past[-1].example == built_in("causal")
    assert app.get_by_key("frame-lesson")


def other_value(control):
    if isinstance(control, Slider):
        return control.low if control.low != control.start else control.high
    if isinstance(control, Choice):
        return next(value for value in reversed(control.options) if value != control.start)
    return not control.start


def set_control(app, topic, control, value):
    kind = {Slider: app.slider, Choice: app.segmented_control}.get(type(control), app.toggle)
    kind(key=f"lessons.{topic}.{control.name}").set_value(value)


OWN = {"many-heads": ("programming", "readers"), "weighted-mean": ("scaled", "among")}
"""The lessons about an example: each one's own example, and its picture."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("topic", OWN)
def test_the_lesson_shows_its_own_example_where_the_current_one_does_not_make_the_point(
    read, topic, language
):
    name, picture = OWN[topic]
    wanted = figure(read(topic, example=name, lang=language), picture)
    app = read(topic, example="first", lang=language)
    assert figure(app, picture) == wanted
    title = text_in(built_in(name).title, language)
    assert title in html(app)
    assert work(app).example == built_in("first")
    assert (address(app)["example"], work(app).history.past) == ("first", ())
    sound(app.segmented_control(key=f"lessons.shown.{topic}").set_value("current").run())
    assert figure(app, picture) != wanted
    assert "程序" in str(figure(app, picture))


@pytest.mark.parametrize("topic", OWN)
@pytest.mark.parametrize("name", library())
def test_a_lesson_is_about_the_current_example_where_that_makes_the_point(read, name, topic):
    """As the tables beside the pictures show: heads that attend to different keys, outputs that are no row of V."""
    app = read(topic, example=name)
    has_choice = "lessons.shown." + topic in {element.key for element in app.segmented_control}
    hidden = {"many-heads": {"first", "published"}, "weighted-mean": {"first", "published", "saturated"}}[
        topic
    ]
    alone = len(built_in(name).heads) == 1 and topic == "many-heads"
    assert has_choice == (alone or name in hidden)


def test_all_heads_that_agree_equally_in_print_are_named(read):
    assert "Most similar (0.50): Head 1 and Head 3; Head 2 and Head 3." in html(read("many-heads"))
    chinese = html(read("many-heads", lang="zh"))
    assert "最相似（0.50）：头 1 与头 3；头 2 与头 3。" in chinese
    alike = [[0.5] * 4 for _ in range(4)]
    alike[1][0] = 0.1
    sentence = agreement_sentence(alike, words_in("en"))
    assert sentence == (
        "Least similar (0.10): Head 1 and Head 2. Most similar (0.50): Head 1 and Head 3; "
        "Head 1 and Head 4; Head 2 and Head 3; and 2 more."
    )


def test_one_head_has_no_other_to_agree_with(read):
    app = read("many-heads", example="scaled")
    sound(app.segmented_control(key="lessons.shown.many-heads").set_value("current").run())
    assert "This example has one head" in html(app)
    assert pictures(app) == ["readers"]


@pytest.mark.parametrize("name", library())
def test_sharpness_divides_the_divisor(name):
    current = trace(built_in(name))
    assert sharpened(current, 1.0) is current
    plain = current.values["weights"]
    for factor in SHARPNESS:
        for rows, before in zip(sharpened(current, factor).values["weights"], plain, strict=True):
            for row, old in zip(rows, before, strict=True):
                assert (max(row) >= max(old) - 1e-12) if factor >= 1 else (max(row) <= max(old) + 1e-12)


@pytest.mark.parametrize("scale", [1e-12, -1e12, -2.0, "none", "sqrt_dk"])
def test_sharpness_of_any_divisor(scale):
    current = trace(replace(built_in("water"), scale=scale))
    for factor in SHARPNESS:
        assert sharpened(current, factor).values["weights"]


def test_the_slider_moves_the_outputs(read):
    app = read("weighted-mean", example="water")
    before = figure(app, "among")
    sound(app.select_slider(key="lessons.sharpness").set_value(100.0).run())
    assert figure(app, "among") != before
    assert work(app).example == built_in("water")  # only the picture is sharpened


def test_the_sharpest_weights_send_every_output_to_a_row_of_v(read):
    app = read("weighted-mean", example="scaled")
    sound(app.select_slider(key="lessons.sharpness").set_value(SHARPNESS[-1]).run())
    v = trace(built_in("scaled")).values["v"][0]
    assert figure(app, "among")["data"][2]["x"] == pytest.approx([row[0] for row in v], abs=1e-9)


def test_another_d_v_is_shown_column_by_column(read):
    example = apply(built_in("water"), {"op": "resize", "axis": "d_v", "size": 3})
    app = read("weighted-mean", s=to_token(example))
    assert pictures(app) == ["ranges"]
    assert "All 6 head outputs lie between" in html(app)


@pytest.mark.parametrize(("topic", "name"), [(t, n) for t, each in LESSONS.items() for n in each.examples])
def test_examples_to_try_open_on_the_bench(read, topic, name):
    app = read(topic, example="causal", lang="zh")
    sound(app.button(key=f"lessons.open.{name}").click().run())
    assert work(app).example == built_in(f"{name}-zh" if f"{name}-zh" in library() else name)
    assert app.get_by_key("bench.matrices")
    assert work(app).history.past[-1].example == built_in("causal")


def test_the_library_is_taken_to_the_bench(read):
    app = read("library", lang="zh")
    sound(app.button(key="lessons.library.open").click().run())
    assert work(app).example.context_tokens == ("《程序设计》", "《算法》", "《概率论》", "《护理学》")
    assert app.get_by_key("bench.matrices")


def test_an_example_too_large_for_a_link_is_shown_with_a_message(read):
    app = read("many-heads")
    size = {"op": "resize", "size": 64}
    example = built_in("first")
    for axis in ("d_model", "d_k", "d_v"):
        example = apply(example, {**size, "axis": axis})
    for index in range(14):
        example = apply(example, {"op": "add_head"})
        example = apply(
            example, {"op": "fill", "matrix": "w_q", "head": index, "with": "random", "seed": index}
        )
    change(app, state.open_example, example)
    sound(app.run())
    assert work(app).browser.too_large
    assert address(app) == {"lesson": "many-heads"}


def test_this_page_shows_a_message_about_a_bad_link_too(read):
    app = read("sqrt-dk", s="2abc")
    assert "the link was made by a different version of this program" in html(app)
    assert address(app) == {"example": OPENS_FIRST, "lesson": "sqrt-dk"}


def test_texts_of_an_example_are_shown_as_text(read):
    nasty = "<img src=x onerror=alert(1)> $x$ **b**"
    example = replace(built_in("water"), title=nasty, note=nasty, tokens=(nasty, "is", "toxic"))
    for topic in LESSONS:
        app = read(topic, s=to_token(example))
        assert "<img" not in html(app)
        assert not any(nasty in element.value for element in app.markdown)


@pytest.mark.parametrize(
    ("topic", "settings", "key", "value"),
    [
        ("block", "attention:0.5~mlp:0", "lessons.block.attention", 0.5),
        ("block", "attention:0.5~mlp:0", "lessons.block.mlp", False),
        ("order", "positions:2", "lessons.order.positions", None),
        ("library", "interest.2:4~swap:1", "lessons.interest.2", 4.0),
        ("sqrt-dk", "keys:5~d_k:0~seed:7", "lessons.seed", 7),
        ("weighted-mean", "sharpness:0", "lessons.sharpness", SHARPNESS[0]),
        ("many-heads", "alone:1", "lessons.alone", True),
    ],
)
def test_the_address_has_what_the_controls_are_set_to(read, topic, settings, key, value):
    app = read(topic, set=settings)
    assert address(app)["set"] == settings
    if value is not None:
        assert app.session_state[key] == value


@pytest.mark.parametrize(
    "settings", ["attention:3", "attention:nan~mlp:2", "x", "mlp:-1", "~:~", "attention:<b>"]
)
def test_malformed_settings_leave_the_controls_as_they_are(read, settings):
    assert "set" not in address(read("block", set=settings))
