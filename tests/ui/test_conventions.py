"""The page Notation without a browser: each section's data, in both languages, for every kind of example."""

import json
from dataclasses import replace
from itertools import product
from typing import Literal

import numpy as np
import pytest
import torch

from mha_core import OPENS_FIRST, AddMask, AllowMask, built_in, library, to_token, trace
from mha_core.example.model import NEG_INF, Mask
from mha_core.notation import mask_forms, pairings, with_mask
from mha_core.notation.rotary import STAND_IN
from mha_ui import shell, state
from mha_ui.conventions.model import python_code, ui_words
from mha_view.language import LANGUAGES, words_in
from tests.apply import apply
from tests.core.edits import FURTHER_ON
from tests.sizes import in_turn
from tests.ui.pages import change, html, opened, sound, work

PAGE = "conventions.py"
PARTS = ("rows", "packed", "masks", "dead", "pairs")


@pytest.fixture
def read():
    """Open the page at a query in a fresh session."""

    def read(locale=None, **query):
        return opened(PAGE, query, locale=locale)

    return read


def payload(app, part):
    element = app.get_by_key(f"conventions.{part}")
    if not element:
        return element
    return json.loads(element.proto.json, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))[0]


def address(app):
    return json.loads(app.get_by_key("address.keep").proto.json)[0]["address"]


def test_learn_is_the_second_page_and_this_one_the_last():
    pages = list(shell.PAGES)
    assert (pages[1], pages[-1]) == (shell.LESSONS, PAGE)
    assert words_in("zh")(shell.PAGES[PAGE]) == "记号约定"


@pytest.mark.parametrize(("name", "language"), in_turn(library(), LANGUAGES))
def test_every_example_is_shown_in_every_language(read, name, language):
    app = read(example=name, lang=language)
    example = built_in(name)
    words = ui_words(language)
    for part in PARTS:
        assert f"<h2>{words[f'section_{part}']}</h2>" in html(app)
        assert payload(app, part)["words"]["hint_rows"] == words["hint_rows"]
    assert len(payload(app, "rows")["entries"]) == len(example.heads)
    assert ("a causal mask is shown instead" in html(app) or "示范" in html(app)) is (example.mask is None)
    assert address(app) == {"example": name, "lang": language}


def test_each_head_s_own_mask_is_shown(read):
    example = built_in("programming")
    hides = AllowMask(((True, True, False),) * 3)
    masks: tuple[Mask | Literal["none"], ...] = ("causal", hides, "none")
    heads = tuple(replace(head, mask=mask) for head, mask in zip(example.heads, masks, strict=True))
    app = read(s=to_token(replace(example, heads=heads)))
    assert "Choose a head to see its mask" in html(app)

    def shown():
        return next(form["rows"] for form in payload(app, "masks")["forms"] if form["name"] == "allow")

    assert shown()[0] == ["True", "False", "False"]
    sound(app.selectbox(key="conventions.masked_head").set_value(1).run())
    assert shown() == [["True", "True", "False"]] * 3
    sound(app.selectbox(key="conventions.masked_head").set_value(2).run())
    assert "This head has no mask, so a causal mask is shown instead." in html(app)


def four_columns(pairs):
    """Two heads of four columns, whose rows 2 and on are turned."""
    wide = apply(built_in("programming"), {"op": "resize", "axis": "d_k", "size": 4})
    fill = {"op": "fill", "with": "integers", "seed": 3}
    for head, name in product(range(3), ("w_q", "w_k")):
        wide = apply(wide, {**fill, "matrix": name, "head": head})
    return apply(wide, {"op": "positions", "kind": "rotary", "pairs": pairs})


@pytest.mark.parametrize("pairs", ["interleaved", "half"])
def test_one_row_rotated_in_both_ways(read, pairs):
    example = four_columns(pairs)
    app = read(s=to_token(example))
    part = payload(app, "pairs")
    shown = pairings(example)
    assert part["token"] == example.tokens[shown.query]
    assert tuple(part["row"]) == shown.row == tuple(trace(example).matrix("q", shown.head)[shown.query])
    by_name = {pairing["name"]: pairing for pairing in part["pairings"]}
    row = trace(example).matrix("q_rotated", shown.head)[shown.query]
    assert by_name[pairs]["rotated"] == row
    assert by_name["interleaved"]["partners"] == [[0, 1], [2, 3]]
    assert by_name["half"]["partners"] == [[0, 2], [1, 3]]
    assert by_name["half"]["code"] == by_name["interleaved"]["code"] == "W[:, [0, 2, 1, 3]]"
    assert f"weights here are off by up to {shown.error:.3g} (head {shown.head + 1}, " in html(app)
    assert "so a small example with two pairs is shown instead" not in html(app)


def test_where_only_one_pair_is_rotated_another_layer_shows_the_difference(read):
    app = read(example="rotary")
    assert "so a small example with two pairs is shown instead" in html(app)
    assert payload(app, "pairs")["row"] == list(STAND_IN.heads[0].q[pairings(STAND_IN).query])


@pytest.mark.parametrize("example", [FURTHER_ON], ids=["further on"])
def test_heads_with_given_steps(read, example):
    app = read(s=to_token(example))
    packed = payload(app, "packed")
    assert packed["missing"].keys() == {"q", "k", "v"}
    assert "no weights to pack" in packed["missing"]["q"]
    given = [at for at, head in enumerate(example.heads) if head.weights is not None]
    assert not {str(head + 1) for head in given} & set(app.selectbox(key="conventions.head").options)


def test_weights_alone_have_nothing_to_mask(read):
    heads = tuple(
        replace(head, w_q=None, w_k=None, weights=((1.0, 0.0, 0.0),) * 3) for head in built_in("water").heads
    )
    app = read(s=to_token(replace(built_in("water"), heads=heads, scale="none")))
    assert "so a mask has no effect" in html(app)
    with pytest.raises(KeyError):
        payload(app, "dead")
    assert payload(app, "masks")


def test_all_keys_are_hidden_from_the_chosen_query(read):
    app = read(example="padding")
    assert app.selectbox(key="conventions.query").value == 2  # the one that attends to no key anyway
    assert "own mask masks all keys" in html(app)
    sound(app.selectbox(key="conventions.query").set_value(0).run())
    assert payload(app, "dead")["query"] == 0
    assert "In this table only" in html(app)
    sound(app.selectbox(key="conventions.head").set_value(1).run())
    computed = trace(built_in("padding"))
    assert payload(app, "dead")["values"] == computed.matrix("v", 1)
    assert payload(app, "dead")["scores"] == computed.matrix("scaled_scores", 1)[0]
    assert work(app).example == built_in("padding")


def test_the_rules_are_listed_together(read):
    rows = {outcome["rule"]: outcome for outcome in payload(read(example="padding"), "dead")["outcomes"]}
    assert rows["ours"]["weights"] == [0, 0, 0]
    assert rows["torch_weights"]["weights"] == ["nan"] * 3
    assert rows["torch_weights"]["output"] == ["nan"] * 2
    assert rows["bert_eager"]["weights"] == pytest.approx([1 / 3] * 3)
    assert rows["keras_output"]["total"] == pytest.approx(1)


def test_a_smaller_example_forgets_the_head_and_query_of_a_larger_one(read):
    app = read(example="causal")
    sound(app.selectbox(key="conventions.query").set_value(4).run())
    sound(app.selectbox(key="conventions.head").set_value(1).run())
    change(app, state.open_built_in, "bilinear")
    sound(app.run())
    assert payload(app, "dead")["query"] == 0
    assert payload(app, "dead")["scores"]
    change(app, state.open_built_in, "padding")
    sound(app.run())
    assert payload(app, "dead")["query"] == 2  # the one that attends to nothing


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_library_refuses_is_a_sentence_in_the_pages_language(read, language):
    packed = payload(read(example="grouped-query", lang=language), "packed")
    assert "kv_heads" in packed["refusals"]["torch"]
    filled = replace(built_in("water"), mask=AllowMask(((True, False, True),) * 3, -5.0))
    forms = {
        form["name"]: form for form in payload(read(s=to_token(filled), lang=language), "masks")["forms"]
    }
    assert ("a different number" in forms["keras"]["error"]) is (language == "en")
    assert forms["keras"]["rows"] == []


MASKS = [
    "causal",
    AllowMask(((True, False, True), (False, False, False), (True, True, True))),
    AllowMask(((True, True, False),) * 3),
    AddMask(((0.5, NEG_INF, 0.0), (0.0, -2.0, 1.0), (0.0, 0.25, 0.0))),
]


@pytest.mark.parametrize("mask", MASKS, ids=["causal", "allow", "padding", "numbers"])
def test_the_python_that_is_copied_makes_the_mask(mask):
    for form in mask_forms(with_mask(replace(built_in("water"), mask=mask))):
        if form.error is None:
            name, _, text = python_code(form).partition(" = ")
            value = eval(text, {"torch": torch, "np": np, "float": float})
            assert name.isidentifier()
            rows = torch.as_tensor(value).reshape(len(form.rows), -1)
            assert rows.tolist() == torch.tensor(form.rows).tolist()
            wanted = {"keras": (1, 3, 3), "bert_added": (1, 1, 3, 3)}.get(form.name, tuple(rows.shape))
            assert tuple(value.shape) == wanted


def test_an_edit_on_the_bench_changes_this_page(read):
    example = apply(built_in("water"), {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[3.5]]})
    app = read(s=to_token(example))
    assert payload(app, "rows")["matrices"]["x"]["values"][0][0] == 3.5
    assert address(app) == {"s": to_token(example)}


def test_texts_of_an_example_are_shown_as_text(read):
    nasty = "<img src=x onerror=alert(1)> $x$ **b**"
    example = replace(built_in("water"), title=nasty, note=nasty, tokens=(nasty, "is", "toxic"))
    assert "<img" not in html(read(s=to_token(example)))


def test_this_page_shows_a_message_about_a_bad_link_too(read):
    app = read(s="2abc")
    assert "the link was made by a different version of this program" in html(app)
    assert address(app) == {"example": OPENS_FIRST}


def test_the_largest_example_is_shown(read):
    app = read()
    example = built_in("first")
    for axis in ("d_model", "d_k", "d_v"):
        example = apply(example, {"op": "resize", "axis": axis, "size": 64})
    for _ in range(14):
        example = apply(example, {"op": "add_head"})
    change(app, state.open_example, example)
    sound(app.run())
    assert work(app).browser.too_large
    assert len(payload(app, "rows")["entries"]) == 16
