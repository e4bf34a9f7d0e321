"""The page Models without a browser: its component's data, and how heads come to the bench."""

import json
from string import Formatter
from typing import Any

import pytest
import streamlit as st
import torch

import mha_core.models.library as library_module
from mha_core import MhaError, built_in, trace
from mha_core.example.model import MAX_HEADS, MAX_SIZE
from mha_core.models import MEASURES, OWN, example_of, load, run, tokenize
from mha_core.models.guesses import hidden, standing
from mha_core.models.library import cards
from mha_core.models.measures import LEAST_EXCESS, MOST_CHANCE
from mha_ui import shell, state
from mha_ui.models import as_example, open_heads
from mha_ui.models.words import EXAMPLES, ui_words
from mha_ui.state.history import begun
from mha_ui.state.work import Work
from mha_view.language import LANGUAGES, words_in
from tests.models.made import folder_of
from tests.ui.pages import opened, work

PAGE = "models.py"
TEXT = "the cat sat on the mat"


@pytest.fixture
def read():
    return lambda **query: opened(PAGE, query)


@pytest.fixture
def offered(tmp_path, monkeypatch):
    monkeypatch.setattr(library_module, "_LOADED", {})
    monkeypatch.setenv("MHA_MODELS", f"tiny={folder_of(tmp_path / 'tiny')}")
    return load(next(card for card in cards() if card.key == "tiny"))


def component_data(app):
    return json.loads(app.get_by_key("models.page").proto.json)[0]


def request_for(**more):
    return {
        "model": "tiny",
        "text": TEXT,
        "layer": 1,
        "heads": [0, 2],
        "start": "x",
        "without": [],
        "steps": 0,
    } | more


def test_the_page_is_between_the_walkthrough_and_training():
    pages = list(shell.PAGES)
    assert pages.index("walkthrough.py") == pages.index(PAGE) - 1 == pages.index("train.py") - 2
    assert words_in("zh")(shell.PAGES[PAGE]) == "真实模型"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_component_gets_its_words_and_the_address_of_the_work(read, language):
    data = component_data(read(example="causal", lang=language))
    assert data["lang"] == language
    assert data["words"] == ui_words(language)
    assert data["address"] == {"lang": language}
    assert data["work"] == {"example": "causal", "lang": language}
    assert sorted(one["texts"] for one in data["examples"]) == sorted(one["texts"] for one in EXAMPLES)
    assert data["examples"][0]["language"] == language
    assert data["limits"] == {
        "heads": MAX_HEADS,
        "tokens": MAX_SIZE,
        "excess": LEAST_EXCESS,
        "chance": MOST_CHANCE,
    }
    assert data["refused"] == ""


def test_the_example_s_numbers_are_not_on_the_page_so_an_exercise_may_go_on(read):
    app = read(example="first", ask="weights")
    assert state.has_open_exercise(work(app))
    assert component_data(app)["words"]["run"] == "Run"


def test_the_language_of_an_address_is_used_with_the_work_that_the_tab_had_before(read, monkeypatch):
    app = read(lang="zh")
    monkeypatch.setattr(st, "session_state", app.session_state)
    state.reopen({"example": "causal", "lang": "en", "decimals": "2"})
    assert (work(app).history.name, work(app).looking.decimals, work(app).language) == ("causal", 2, "zh")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_measure_has_its_words(language):
    words = ui_words(language)
    for name in MEASURES:
        assert words[f"kind_{name}"]
        assert words[f"by_{name}"]
        assert words[f"about_{name}"].endswith((".", "。"))
        if name not in ("entropy", "distance"):
            fields = {field for _, field, _, _ in Formatter().parse(words[f"told_{name}"])}
            assert {"number", "chance"} <= fields


def test_heads_become_an_example_with_the_model_s_numbers(offered):
    example = as_example(request_for())
    weights = run(offered, tokenize(offered, TEXT)).layers[1].weights
    computed = trace(example)
    for at, head in enumerate((0, 2)):
        ours = torch.tensor(computed.matrix("weights", at))
        assert (ours - weights[head]).abs().max() < 1e-6


def test_an_example_starts_from_x_or_from_q(offered):
    from_x, from_q = as_example(request_for()), as_example(request_for(start="q"))
    assert from_x.x is not None
    assert from_q.x is None
    one, other = (torch.tensor(trace(example).matrix("weights", 1)) for example in (from_x, from_q))
    assert (one - other).abs().max() < 1e-6


def test_heads_switched_off_in_lower_layers_change_the_numbers(offered):
    assert as_example(request_for()) != as_example(request_for(without=[[0, 1]]))


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"model": "gone"}, "no longer available"),
        ({"heads": [9]}, "expected heads of one layer"),
        ({"heads": []}, "expected heads of one layer"),
        ({"layer": 9}, "expected heads of one layer"),
        ({"text": ""}, "the text is empty"),
        ({"text": "cat " * 100}, "102 tokens long"),
        ({"without": [[7, 7]]}, "there is no head 7 in layer 7, counted from 0"),
    ],
)
def test_a_message_says_what_cannot_be_opened_and_the_work_stays(offered, more, sentence):
    current = Work(begun(built_in("causal"), "causal"), "en")
    before = current.example
    current = open_heads(current, request_for(**more))
    assert sentence in current.message.text
    assert current.example is before
    assert not current.history.past


def test_the_previous_example_comes_back_by_undo(offered):
    current = Work(begun(built_in("causal"), "causal"), "en")
    current = open_heads(current, request_for())
    assert current.history.opened == 1
    assert len(current.example.heads) == 2
    current = state.work.undo(current)
    assert current.example == built_in("causal")


@pytest.mark.parametrize(
    "sent",
    [None, [], {}, {"model": "tiny"}, request_for(layer="1"), request_for(heads=0), request_for(without=[1])],
)
def test_a_malformed_request_fails_like_any_unexpected_error(offered, sent):
    current = Work(begun(built_in("causal"), "causal"), "en")
    current = open_heads(current, sent)
    assert current.message
    assert current.example == built_in("causal")


def test_every_offered_sentence_fits_our_own_model():
    model = load(next(card for card in cards({}) if card.key == "own"))
    for one in EXAMPLES:
        for text in one["texts"]:
            tokens = tokenize(model, text)
            assert "[UNK]" not in tokens.texts, text


@pytest.mark.parametrize(("example", "deciding"), [*zip(EXAMPLES, ("boys", "星星"), strict=False)])
def test_the_page_opens_with_a_guess_that_needs_its_head(example, deciding):
    model = load(next(card for card in cards({}) if card.key == "own"))
    (text,), place = example["texts"], example["guess"]
    tokens = tokenize(model, text)
    asked = hidden(model, tokens, place)
    whole, muted = (
        standing(model, run(model, asked, without=off), place, tokens.ids[place])
        for off in ([], [example["head"]])
    )
    assert (whole.rank, whole.probability > 0.9) == (1, True)
    assert muted.rank > 1
    assert muted.probability < 0.1
    layer, head = example["head"]
    weights = run(model, asked).layers[layer].weights_of(head)[place]
    assert int(weights.argmax()) == tokens.texts.index(deciding) < place


def test_every_refusal_is_a_sentence_of_ours():
    with pytest.raises(MhaError):
        as_example(request_for(model="gone"))


def test_a_sentence_on_the_bench_may_take_the_vectors_of_our_own_model():
    current = Work(begun(built_in("causal"), "causal"), "en")
    sent = {"session": current.browser.session, "edits": [{"op": "learned_sentence", "text": TEXT, "seq": 1}]}
    current = state.receive(current, sent)
    model = load(OWN)
    tokens = tokenize(model, TEXT)
    assert current.example == example_of(model, TEXT)
    assert current.example.tokens == tokens.texts
    computed: Any = run(model, tokens)
    layer = next(
        layer
        for layer in computed.layers
        if torch.allclose(torch.tensor(current.example.x, dtype=torch.float32), layer.x)
    )
    weights = torch.tensor(current.trace.matrix("weights", 0))
    assert min((weights - head).abs().max() for head in layer.weights) < 1e-6
    current = state.work.undo(current)
    assert current.example == built_in("causal")


@pytest.mark.parametrize("text", ["", "   ", "cat " * 200])
def test_a_sentence_that_the_model_cannot_read_changes_nothing_and_gives_a_message(text):
    current = Work(begun(built_in("causal"), "causal"), "en")
    sent = {"session": current.browser.session, "edits": [{"op": "learned_sentence", "text": text, "seq": 1}]}
    current = state.receive(current, sent)
    assert current.message.text
    assert current.example == built_in("causal")
