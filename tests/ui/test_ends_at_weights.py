"""Every page with an example whose heads have no V: it ends at its weights, and so does every page."""

import json
from dataclasses import replace

import pytest

from mha_core import Cell, to_token, trace
from mha_core.compute.gradients import gradients
from mha_ui.bench.model import payload
from mha_ui.experiments import EXPERIMENTS
from mha_ui.lessons import LESSONS
from mha_ui.state import Work, receive
from mha_ui.state.history import begun
from mha_view.figures import FIGURES
from mha_view.language import LANGUAGES, words_in
from tests.apply import apply
from tests.core.edits import ENDS_AT_WEIGHTS
from tests.ui.pages import html, opened, work

ENDS = "This example stops at the attention weights"


@pytest.fixture
def read():
    def read(page, **query):
        return opened(page, {"s": to_token(ENDS_AT_WEIGHTS), **query})

    return read


def sent(app, key):
    return json.loads(app.get_by_key(key).proto.json)[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", ["bench.py", "check.py", "walkthrough.py", "conventions.py"])
def test_every_page_opens(read, page, language):
    app = read(page, lang=language)
    assert work(app).example == ENDS_AT_WEIGHTS


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment(read, name):
    app = read("experiments.py", experiment=name)
    assert (ENDS in html(app)) is (name == "heads")
    assert "outputs" not in html(app).replace("token's output", "")


@pytest.mark.parametrize("topic", LESSONS)
def test_every_lesson(read, topic):
    """The lesson about outputs shows its own example, and says why the current one cannot be shown."""
    app = read("lessons.py", lesson=topic)
    assert ENDS not in html(app)
    if topic == "weighted-mean":
        app.segmented_control(key=f"lessons.shown.{topic}").set_value("current").run()
        assert ENDS in html(app)


def test_the_bench_shows_no_step_after_the_weights():
    data = payload(Work(begun(ENDS_AT_WEIGHTS, None), "en"))
    assert list(data["steps"])[-1] == "weights"
    assert not {"w_v", "v", "head_outputs", "concat"} & set(data["matrices"])
    assert data["controls"]["values"] is data["controls"]["w_o"] is False
    assert data["dims"]["d_v"] == 0
    titles = {stage["title"] for stage in data["stages"]}
    assert "Queries and keys" in titles
    assert "Queries, keys, values" not in titles
    assert data["own_words"]["dead_row"] == (
        "this token is not allowed to attend to anything, so its weights are 0"
    )


def test_values_are_switched_on_the_bench_and_undone():
    current = Work(begun(ENDS_AT_WEIGHTS, None), "en")
    edits = [
        {"seq": 1, "op": "values", "on": True},
        {"seq": 2, "op": "undo"},
        {"seq": 3, "op": "redo"},
        {"seq": 4, "op": "values", "on": False},
    ]
    has_values = []
    for edit in edits:
        current = receive(current, {"session": current.browser.session, "edits": [edit]})
        has_values.append(payload(current)["controls"]["values"])
    assert has_values == [True, False, True, False]
    assert current.example == ENDS_AT_WEIGHTS


def test_the_gradient_is_of_the_first_computed_weight():
    given_first = replace(ENDS_AT_WEIGHTS, heads=ENDS_AT_WEIGHTS.heads[::-1])
    data = payload(Work(begun(given_first, None), "en"), lens="gradient")
    assert data["lens"]["target"] == {"name": "weights", "head": 1, "row": 0, "col": 0}
    assert data["matrices"]["k"]["lens"] == gradients(trace(given_first), Cell("weights", 1, 0, 0))["k"]


def test_packed_weights_and_an_empty_row(read):
    app = read("conventions.py")
    packed, dead = sent(app, "conventions.packed"), sent(app, "conventions.dead")
    assert packed["letters"] == "qk"
    assert all(
        "stops at the attention weights" in reason or "starts at a later step" in reason
        for reason in packed["refusals"].values()
    )
    assert all(outcome["output"] == [] for outcome in dead["outcomes"])


def test_pictures_of_outputs_are_not_offered():
    offered = [name for name, picture in FIGURES.items() if picture.available(trace(ENDS_AT_WEIGHTS))]
    assert offered == ["weights", "bars", "scores", "saturation"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_saturation_is_about_the_weights(language):
    words = words_in(language)
    sentences = [
        FIGURES["saturation"].build(trace(example), theme="light", words=words, query=0).alt
        for example in (ENDS_AT_WEIGHTS, apply(ENDS_AT_WEIGHTS, {"op": "values", "on": True}))
    ]
    weights = words(
        "The size of the weights' gradient with respect to each matrix, with the divisor T times as large."
    )
    output = words(
        "The size of the output's gradient with respect to each matrix, with the divisor T times as large."
    )
    assert sentences[0].startswith(weights)
    assert sentences[1].startswith(output)
