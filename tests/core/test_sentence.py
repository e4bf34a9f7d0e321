"""A sentence as input: its words become the tokens."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import Example, ExampleError, Head, built_in, trace
from mha_core.edit.sentence import vectors
from mha_core.example.model import AllowMask, Positions
from tests.apply import apply
from tests.core.edits import BUILT_IN
from tests.sizes import tries

FIRST = built_in("first")
WORDS = st.lists(
    st.text(min_size=1, max_size=6) | st.sampled_from(["The", "the", "水", "cat"]), max_size=24, min_size=1
)


def sentence(example, *words, which="tokens"):
    return apply(example, {"op": "sentence", "which": which, "tokens": list(words)})


def test_a_word_always_has_the_same_vector():
    typed = sentence(FIRST, "The", "cat", "sat", "on", "the", "mat")
    assert typed.tokens == ("The", "cat", "sat", "on", "the", "mat")
    assert typed.x[0] == typed.x[4]
    assert len(set(typed.x)) == 5
    assert sentence(FIRST, "cat").x == typed.x[1:2]
    assert typed.heads == FIRST.heads


def test_a_known_word_keeps_its_row_wherever_it_moves():
    """思考 计算机 程序 → 程序 茶 思考"""
    typed = sentence(FIRST, "程序", "茶", "思考")
    assert (typed.x[0], typed.x[2]) == (FIRST.x[2], FIRST.x[0])
    assert typed.x[1] not in FIRST.x
    assert sentence(FIRST, *FIRST.tokens) == FIRST
    assert (FIRST.title != "", typed.title) == (True, "")  # it named the earlier words


def test_a_new_sentence_has_no_source():
    typed = sentence(FIRST, "小猫", "追", "小", "狗")
    assert (bool(FIRST.source), bool(FIRST.note)) == (True, True)
    assert (typed.title, typed.source, typed.note) == ("", None, None)


def test_a_words_part_of_a_painted_mask_moves_with_it():
    hidden = replace(FIRST, mask=AllowMask(((True, False, True), (True, True, True), (True, True, False))))
    assert sentence(hidden, "程序", "茶", "思考").mask.allow == (
        (False, True, True),
        (True, True, True),
        (True, True, True),
    )


def test_positions_count_from_0_again():
    placed = replace(FIRST, positions=Positions("sinusoidal", ids=(5.0, 6.0, 9.0)))
    assert sentence(placed, "程序", "思考").positions == Positions("sinusoidal")


def test_a_context_has_a_sentence_of_its_own():
    example = built_in("translation")
    typed = sentence(example, "水", "有", "毒", which="context_tokens")
    assert (typed.context_tokens, typed.tokens, typed.x) == (("水", "有", "毒"), example.tokens, example.x)
    assert typed.dims.n_k == 3


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"which": "tokens", "tokens": []}, "n_q: expected 1 to 64, got 0"),
        ({"which": "tokens", "tokens": ["a"] * 65}, "n_q: expected 1 to 64, got 65"),
        ({"which": "tokens", "tokens": ["a", 7]}, "tokens[1]: expected text, got 7"),
        ({"which": "tokens", "tokens": "a b"}, "tokens: expected a list in brackets, got 'a b'"),
        (
            {"which": "tokens", "tokens": ["x" * 1001]},
            "tokens[0]: expected at most 1000 characters, got 1001",
        ),
        ({"which": "context_tokens", "tokens": ["a"]}, "this example has no context_tokens"),
    ],
    ids=str,
)
def test_an_invalid_sentence_is_refused(edit, said):
    with pytest.raises(ExampleError) as refused:
        apply(FIRST, {"op": "sentence", **edit})
    assert str(refused.value) == said


def test_heads_that_start_from_their_queries_have_no_words():
    given = Head(q=((1.0,),), k=((2.0,),), v=((3.0,),))
    with pytest.raises(ExampleError, match="this example has no X"):
        sentence(Example("", ("a",), (given,)), "b")


@tries(20)
@given(st.sampled_from([one for one in BUILT_IN if one.x is not None]), WORDS)
def test_any_words_can_be_traced_and_equal_words_have_equal_rows(example, words):
    typed = sentence(example, *words)
    assert typed.tokens == tuple(words)
    rows = dict(zip(map(str.casefold, words), typed.x, strict=True))
    assert [rows[word.casefold()] for word in words] == list(typed.x)
    trace(typed)


@tries(20)
@given(WORDS, st.integers(4, 8))
def test_distinct_words_have_distinct_rows_and_none_is_zero(words, d):
    rows = vectors(words, d, {})
    assert len(set(rows)) == len(set(map(str.casefold, words)))
    assert all(map(any, rows))
