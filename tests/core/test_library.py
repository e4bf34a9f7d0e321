"""The built-in examples: all are there, and their numbers show what their notes say."""

from dataclasses import replace
from math import isclose

import pytest

from mha_core import (
    OPENS_FIRST,
    AllowMask,
    Cell,
    CellError,
    Trace,
    built_in,
    derive,
    feeds,
    library,
    opens_first,
    trace,
)
from mha_core.compute.metrics import agreement
from mha_core.example.library import FOLDER, GROUPS, grouped, other_words
from mha_core.example.model import text_in
from tests.apply import apply
from tests.sizes import each

NAMES = [
    "first",
    "water",
    "programming",
    "programming-zh",
    "output-projection",
    "causal",
    "translation",
    "padding",
    "saturated",
    "scaled",
    "published",
    "additive",
    "bilinear",
    "cosine",
    "sinusoidal",
    "rotary",
    "alibi",
    "grouped-query",
    "three-values",
]


def test_every_example_is_in_one_group():
    listed = [name for names in GROUPS.values() for name in names]
    assert sorted(listed) == sorted(NAMES)


@pytest.mark.parametrize(
    ("language", "first"),
    [
        ("en", ["programming", "water", "output-projection", "translation"]),
        ("zh", ["programming-zh", "first", "causal", "padding"]),
    ],
)
def test_a_menu_begins_with_words_of_the_readers_language(language, first):
    listed = list(grouped(language))
    assert listed[:4] == first
    assert first[0] == opens_first(language)
    assert sorted(listed) == sorted(NAMES)


@pytest.mark.parametrize(("language", "heading"), [("en", "Chinese tokens"), ("zh", "English tokens")])
def test_examples_in_another_language_come_last_in_a_menu_and_are_named_so(language, heading):
    headings = [other_words(name, language) for name in grouped(language)]
    own = headings.count("")
    assert headings == [""] * own + [heading] * (len(headings) - own)
    assert 0 < own < len(headings)


def looks_at(computed: Trace, head: int) -> list[int]:
    """For each query, the key with the largest weight."""
    return [max(range(len(row)), key=row.__getitem__) for row in computed.values["weights"][head]]


def test_the_example_that_opens_first_has_heads_that_differ_at_a_glance():
    """Any two heads share at most half of their attention. From every query, two of them attend most to other keys."""
    computed = trace(built_in(OPENS_FIRST))
    shared = agreement(computed)
    assert max(shared[a][b] for a in range(len(shared)) for b in range(a)) <= 0.51
    assert all(one != other for one, other in zip(looks_at(computed, 0), looks_at(computed, 1), strict=True))
    for head in (0, 1):
        assert min(max(row) for row in computed.values["weights"][head]) > 2 / 3
    assert next(iter(library())) == "first"  # the library has another order, that of study


def test_in_chinese_the_same_numbers_open_first_under_chinese_words():
    opening = built_in(OPENS_FIRST)
    assert (opens_first("en"), opens_first("zh"), opens_first("?")) == (
        OPENS_FIRST,
        "programming-zh",
        OPENS_FIRST,
    )
    chinese = built_in(opens_first("zh"))
    assert chinese.tokens == ("我", "喜欢", "编程")
    said = {name: getattr(opening, name) for name in ("tokens", "title", "note", "source")}
    assert replace(chinese, **said) == opening


def test_their_order_and_that_no_file_is_left_out():
    assert list(library()) == NAMES
    assert len(list(FOLDER.iterdir())) == len(NAMES)


@each("name", NAMES)
def test_each_says_what_to_look_at_in_both_languages(name):
    example = built_in(name)
    for text in (example.title, example.note):
        assert set(text) == {"en", "zh"}
        assert any("\u4e00" <= character <= "\u9fff" for character in text_in(text, "zh"))
        assert text_in(text, "en") != text_in(text, "zh")
    assert name.isascii()
    assert name == name.lower()
    assert (example.claimed is not None) == (name == "published")


@each("name", NAMES)
def test_numbers_are_small_enough_for_a_hand(name):
    example = built_in(name)
    matrices = [example.x, example.context, example.w_o, example.b_o and (example.b_o,)]
    matrices += [
        getattr(head, field)
        for head in example.heads
        for field in ("w_q", "w_k", "w_v", "w_a", "u_a", "q", "k", "v")
    ]
    matrices += [head.v_a and (head.v_a,) for head in example.heads]
    numbers = {number for matrix in matrices for row in matrix or () for number in row}
    assert all(abs(number) <= 6 and isclose(number * 10, round(number * 10)) for number in numbers)


def test_an_unknown_name_is_refused():
    with pytest.raises(CellError) as error:
        built_in("nonsense")
    assert str(error.value) == "there is no example named 'nonsense'"


def test_first_is_the_articles_and_saturated():
    computed = trace(built_in("first"))
    assert computed.example.tokens == ("思考", "计算机", "程序")
    assert computed.example.w_o is None
    assert computed.example.dims.sqrt_dk == 2**0.5
    assert all(row[2] > 0.99 for head in computed.values["weights"] for row in head)


def test_water_has_a_head_for_the_token_before_and_one_for_toxic():
    computed = trace(built_in("water"))
    assert looks_at(computed, 0) == [0, 0, 1]
    assert looks_at(computed, 1) == [2, 2, 2]
    assert all(max(row) > 0.75 for head in computed.values["weights"] for row in head)


def test_programming_has_three_heads_that_differ():
    computed = trace(built_in("programming"))
    assert looks_at(computed, 0) == [0, 0, 1]
    assert looks_at(computed, 1) == [2, 2, 0]
    assert all(0.25 < weight < 0.4 for row in computed.values["weights"][2] for weight in row)


def test_output_projection_has_every_bias_and_a_w_o_of_x_s_width():
    example = built_in("output-projection")
    assert all(head.b_q and head.b_k and head.b_v for head in example.heads)
    assert example.b_o
    assert example.dims.d_out == example.dims.d_model


def test_causal_hides_the_highest_score_of_every_row_but_the_last():
    computed = trace(built_in("causal"))
    assert computed.example.mask == "causal"
    for i, row in enumerate(computed.values["scores"][0]):
        assert max(row) == row[4]
        assert row.count(row[4]) == 1
        assert (computed.values["weights"][0][i][4] > 0) == (i == 4)
    assert computed.values["weights"][0][0] == [1, 0, 0, 0, 0]


def test_translation_looks_at_the_word_to_come_and_at_the_word_before():
    computed = trace(built_in("translation"))
    dims = computed.example.dims
    assert (dims.n_q, dims.n_k) == (4, 3)
    assert len({dims.d_model, dims.d_context, dims.d_k}) == 3
    assert looks_at(computed, 0)[:3] == [0, 1, 2]
    assert looks_at(computed, 1)[1:] == [0, 1, 2]
    assert computed.values["weights"][0][3] == pytest.approx([1 / 3] * 3)
    assert computed.values["weights"][1][0] == pytest.approx([1 / 3] * 3)


def test_padding_has_a_painted_mask_with_one_dead_row():
    computed = trace(built_in("padding"))
    assert isinstance(computed.example.mask, AllowMask)
    assert computed.fully_masked == ((False, False, True),) * 2


def test_scaled_is_saturated_with_a_divisor():
    saturated, scaled = built_in("saturated"), built_in("scaled")
    assert saturated.heads == scaled.heads
    assert (saturated.scale, scaled.scale) == ("none", "sqrt_dk")
    assert scaled.dims.d_k == 16
    assert all(max(row) > 0.999 for row in trace(saturated).values["weights"][0])
    assert all(0.8 < max(row) < 0.9 for row in trace(scaled).values["weights"][0])


def test_additive_asks_what_is_smaller_and_what_is_larger():
    computed = trace(built_in("additive"))
    assert looks_at(computed, 0) == [0, 0, 0]
    assert looks_at(computed, 1) == [2, 2, 2]
    assert computed.values["pair_sums"][0] == [
        [q - k for q, k in zip(query, key, strict=True)]
        for query in computed.example.x
        for key in computed.example.x
    ]
    assert [round(weight, 2) for weight in computed.values["weights"][0][2][:2]] == [0.45, 0.37]


def test_bilinear_looks_at_the_opposite_and_with_the_identity_at_itself():
    example = built_in("bilinear")
    assert looks_at(trace(example), 0)[:2] == [1, 0]
    plain = apply(example, {"op": "fill", "matrix": "w_a", "head": 0, "with": "identity"})
    assert looks_at(trace(plain), 0)[:2] == [0, 1]
    dot = apply(example, {"op": "scoring", "kind": "dot"})
    assert trace(dot).values["weights"] == trace(plain).values["weights"]


def test_cosine_cannot_tell_two_lengths_of_one_direction_apart():
    example = built_in("cosine")
    scores = trace(example).values["scores"][0]
    assert scores[0] == pytest.approx(scores[1])
    assert [row[0] for row in scores] == pytest.approx([row[1] for row in scores])
    assert trace(example).values["q_norms"][0] == [[5], [2.5], [5]]
    dot = trace(apply(example, {"op": "scoring", "kind": "dot", "scale": "none"}))
    assert looks_at(dot, 0)[:2] == [0, 0]
    for temperature, most in ((0.1, 0.49), (5.0, 0.4)):
        row = trace(replace(example, scale=temperature)).values["weights"][0][0]
        assert (row[0] > most) == (temperature < 1)


def test_sinusoidal_and_rotary_tell_orders_apart_that_no_positions_do_not():
    for name in ("sinusoidal", "rotary"):
        example = built_in(name)
        bare = apply(example, {"op": "positions", "kind": "none"})
        for one, same in ((bare, True), (example, False)):
            there = trace(one).values["concat"]
            back = trace(replace(one, tokens=one.tokens[::-1], x=one.x[::-1])).values["concat"][::-1]
            difference = max(
                abs(a - b) for x, y in zip(there, back, strict=True) for a, b in zip(x, y, strict=True)
            )
            assert (difference < 1e-12) == same, name
    rotary = built_in("rotary")
    assert rotary.x[0] == rotary.x[2]
    outputs = trace(rotary).values["concat"]
    assert outputs[0] != outputs[2]
    further = replace(rotary, positions=replace(rotary.positions, ids=(5.0, 6.0, 7.0)))
    for one, other in zip(trace(rotary).values["scores"], trace(further).values["scores"], strict=True):
        assert one == [pytest.approx(row) for row in other]


def test_alibi_has_equal_scores_and_a_short_sighted_head():
    computed = trace(built_in("alibi"))
    assert {number for rows in computed.values["scores"] for row in rows for number in row} == {1}
    near, far = (rows[4][4] for rows in computed.values["weights"])
    assert near > far
    assert computed.values["head_outputs"][0][4][0] > computed.values["head_outputs"][1][4][0]


def test_grouped_query_shares_keys_and_values_in_pairs():
    computed = trace(built_in("grouped-query"))
    assert [rows is None for rows in computed.values["k"]] == [False, True, False, True]
    fed = feeds(computed, Cell("w_k", 0, 0, 0))
    assert {cell.head for cell in fed} == {0}
    assert {cell.head for cell in feeds(computed, Cell("k", 0, 0, 0))} == {0, 1}
    assert derive(computed, Cell("scores", 3, 1, 2)).terms[0].cells == (
        Cell("q", 3, 1, 0),
        Cell("k", 2, 2, 0),
    )


def test_three_values_has_a_v_as_wide_as_there_are_keys_and_scores_that_do_not_look_at_it():
    computed = trace(built_in("three-values"))
    assert computed.example.dims.shape("v") == computed.example.dims.shape("scores") == (3, 3)
    assert looks_at(computed, 0)[0] == 2
    other = {"op": "set", "matrix": "w_v", "head": 0, "row": 0, "col": 0, "values": [[5]]}
    edited = trace(apply(computed.example, other))
    assert edited.values["weights"] == computed.values["weights"]
    assert edited.values["head_outputs"] != computed.values["head_outputs"]
    early = [[2, 5, 4], [6, 6, 3], [8, 2, -2]]  # Q·Kᵀ·V
    assert max(range(3), key=early[0].__getitem__) == 1


def test_titles_have_no_subscripts_since_lists_cannot_set_them():
    titles = [text_in(example.title, code) for example in library().values() for code in ("en", "zh")]
    assert [title for title in titles if "_" in title] == []
