"""What the walk says must be true of its example, above all its conditional sentences."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from hypothesis import given

from mha_core import AllowMask, Trace, built_in, library, trace
from mha_core.compute.metrics import overlap
from mha_core.example.model import key_tokens, kv_head_of, text_in
from mha_core.messages import LANGUAGES
from mha_core.walk.markdown import as_markdown
from mha_core.walk.stages import walk
from mha_core.walk.summary import findings, where_heads_look
from mha_core.walk.text import given_in
from tests.core.strategies import examples
from tests.sizes import each, tries

NUMBER = re.compile(r"\d+(?:\.\d+)?")
FURTHER = "each token look at every token"
EACH_ROW = "each row sums to 1: each query"
BUT_SOME = "except that a query that is not allowed to attend to any key"
TO_SINK = "each row sums to less than 1: the sink takes the rest"
GONE = (
    "become positive",
    "points the way that a query does",
    "Taken off each score",
    "stands before me",
    "minds distance",
)


def narration(computed: Trace, language: str = "en") -> str:
    """Every sentence of the walk, and the note of the example."""
    sentences = [text_in(computed.example.note, language)]
    for stage in walk(computed):
        for words in (stage.words, *stage.step_words):
            sentences += [sentence.translated(language) for sentence in words]
    return "\n".join(sentences)


def assert_true_sentences(computed: Trace) -> None:
    """Each conditional sentence is included exactly where its condition is true."""
    example, text = computed.example, narration(computed)
    assert not [gone for gone in GONE if gone in text]
    assert (FURTHER in text) <= (example.mask is None)
    sinks = {head.sink is not None for head in example.heads if head.weights is None}
    dead = any(map(any, computed.fully_masked))
    assert (TO_SINK in text) == (True in sinks)
    assert ((BUT_SOME in text), (EACH_ROW in text)) == (
        (dead, not dead) if False in sinks else (False, False)
    )
    h = len(example.heads)
    tables = computed.values["weights"]
    alike = h > 1 and all(min(map(overlap, tables[0], table)) >= 0.99 for table in tables)
    assert ("look at the same tokens in nearly the same way" in text) == alike
    for head in range(1, h):
        own = not given_in(example.heads[head]) and kv_head_of(example, "k", head) == head
        assert (f"Head {head + 1} takes exactly the same steps with its own matrices." in text) == own


@each("name", library())
def test_the_walk_of_a_built_in_example_is_true(name):
    assert_true_sentences(trace(built_in(name)))


@tries(12)
@given(examples(variants=True, claims=False))
def test_the_walk_of_any_example_is_true(example):
    assert_true_sentences(trace(replace(example, note=None)))


@tries(100)
@given(examples(variants=True, claims=False))
def test_both_languages_say_the_same_numbers_of_any_example(example):
    computed, said = trace(replace(example, note=None)), {}
    for language in LANGUAGES:
        looks = findings(where_heads_look(computed), example.tokens, key_tokens(example), language)
        said[language] = [*narration(computed, language).split("\n"), *looks]
    for english, chinese in zip(said["en"], said["zh"], strict=True):
        assert Counter(NUMBER.findall(english)) == Counter(NUMBER.findall(chinese)), (english, chinese)


def test_under_a_causal_mask_a_token_looks_back():
    assert "each token look at itself and the tokens before it" in narration(trace(built_in("causal")))
    assert "the tokens the mask allows" in narration(trace(built_in("padding")))


def test_equal_heads_are_not_said_to_look_in_several_ways():
    water = built_in("water")
    equal = replace(water, heads=(water.heads[0],) * 2)
    assert "look in 2 different ways" in narration(trace(water))
    assert "different ways" not in narration(trace(equal))
    assert "Here the 2 heads look at the same tokens in nearly the same way" in narration(trace(equal))
    third = replace(water, heads=(*water.heads, water.heads[1]))
    assert "These 3 heads look in 2 different ways" in narration(trace(third))


def test_over_a_dead_row_not_every_row_sums_to_1():
    assert BUT_SOME in narration(trace(built_in("padding")))
    filled = replace(built_in("padding"), mask=AllowMask(((True, True, False),) * 2 + ((False,) * 3,), -9.0))
    assert EACH_ROW in narration(trace(filled))


def test_the_divisor_is_explained_by_what_it_prevents():
    assert "keeps softmax from favoring a single key just because d_k is large" in narration(
        trace(built_in("programming"))
    )


def test_a_dot_product_is_explained_by_lengths_and_angle():
    assert "A score is the product of the two rows' lengths and the cosine" in narration(
        trace(built_in("first"))
    )
    cosine = narration(trace(built_in("cosine")))
    assert "A score is the product" not in cosine
    assert "the score is the cosine of the angle" in cosine
    bilinear = narration(trace(built_in("bilinear")))
    assert "is the dot product of row i of Q_a and row j of K." in bilinear


def test_heads_that_share_keys_are_said_to():
    text = narration(trace(built_in("grouped-query")))
    assert "Head 2 has its own queries and shares the keys and values of head 1." in text
    assert "Head 4 has its own queries and shares the keys and values of head 3." in text


def test_the_note_of_water_goes_by_words_for_x_has_no_positions():
    note = text_in(built_in("water").note, "en")
    assert "X has no positions" in note
    weights = trace(built_in("water")).values["weights"]
    tops = [row.index(max(row)) for row in weights[0]]
    tokens = key_tokens(built_in("water"))
    found = dict(zip(built_in("water").tokens, (tokens[j] for j in tops), strict=True))
    assert found == {"is": "Water", "toxic": "is", "Water": "Water"}
    assert all(row.index(max(row)) == 2 for row in weights[1])


def test_the_third_head_of_programming_looks_where_its_note_says():
    weights = trace(built_in("programming")).values["weights"][2]
    assert all(0.25 < weight < 0.40 for row in weights for weight in row)
    for language in ("en", "zh"):
        note = text_in(built_in("programming").note, language)
        assert "0.25" in note
        assert "0.40" in note


def test_chinese_text_has_no_colon_of_another_script():
    text = as_markdown(trace(built_in("first")), "zh")
    assert "最关注：" in text
    assert "最关注:" not in text
    assert "分数次方" not in text
    cosine = narration(trace(built_in("cosine")), "zh")
    assert "除掉" not in cosine + text
    tokens = next(stage for stage in walk(trace(built_in("first"))) if stage.id == "tokens")
    assert tokens.words.title.translated("zh") == "词元"
