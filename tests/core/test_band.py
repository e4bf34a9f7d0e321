"""Masks by positions: sliding windows, and a causal mask of either corner."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from mha_core import ExampleError, built_in, dump, parse, trace, validate
from mha_core.check.check import check
from mha_core.example.band import BandMask
from mha_core.example.model import AllowMask, mask_sentences
from mha_core.interop.parameters.masks import by_position
from tests.apply import apply
from tests.core.reference import largest_difference, reference
from tests.core.strategies import bands
from tests.sizes import tries

FIVE, APART = built_in("causal"), built_in("translation")
"""Five tokens that attend to themselves; four queries and three keys."""


def masked(mask, example=APART):
    return validate(replace(example, mask=mask, claimed=None))


def allow_of(mask, n_q, n_k):
    return (BandMask(causal=True) if mask == "causal" else mask).allow(n_q, n_k)


def allowed(mask, n_q, n_k):
    """Which keys each query may attend to, as a picture: one row per query."""
    return ["".join(".#"[cell] for cell in row) for row in mask.allow(n_q, n_k)]


def test_windows_by_hand():
    assert allowed(BandMask(2, causal=True), 4, 4) == ["#...", "##..", ".##.", "..##"]
    assert allowed(BandMask(1), 4, 4) == ["##..", "###.", ".###", "..##"]
    assert allowed(BandMask(0), 3, 3) == ["#..", ".#.", "..#"]


def test_corners_by_hand():
    assert allowed(BandMask(causal=True), 2, 4) == ["#...", "##.."]
    assert allowed(BandMask(causal=True, corner="bottom_right"), 2, 4) == ["###.", "####"]
    assert allowed(BandMask(2, causal=True, corner="bottom_right"), 2, 4) == [".##.", "..##"]
    assert allowed(BandMask(1, corner="bottom_right"), 4, 2) == ["..", "#.", "##", "##"]


@pytest.mark.parametrize(("theirs", "corner"), [("upper_left", "top_left"), ("lower_right", "bottom_right")])
@pytest.mark.parametrize(("n_q", "n_k"), [(2, 5), (1, 4), (3, 3)])
def test_corners_are_those_of_torch(theirs, corner, n_q, n_k):
    """With values of one key each, its attention gives its weights: 0 where a key is hidden."""
    from torch.nn.attention import bias  # imports torch's compiler

    q, k, v = torch.ones(1, n_q, 8), torch.ones(1, n_k, 8), torch.eye(n_k)[None]
    mask = getattr(bias, f"causal_{theirs}")(n_q, n_k)
    weights = scaled_dot_product_attention(q, k, v, attn_mask=mask).nan_to_num(0.0)
    allow = torch.tensor(BandMask(causal=True, corner=corner).allow(n_q, n_k))
    assert torch.equal(weights[0] > 0, allow)


@tries(60)
@given(mask=bands(), example=st.sampled_from([FIVE, APART]))
def test_every_number_is_that_of_plain_loops(mask, example):
    example = masked(mask, example)
    assert largest_difference(trace(example).values, reference(example)) <= 1e-12


@tries(60)
@given(mask=bands(), n_q=st.integers(1, 5), n_k=st.integers(1, 5))
def test_a_mask_of_pairs_is_recognized_by_what_it_hides(mask, n_q, n_k):
    allow = mask.allow(n_q, n_k)
    found = by_position(torch.tensor(allow))
    if found is not None:
        assert allow_of(found, n_q, n_k) == allow
    elif mask.causal and not all(map(all, allow)):
        assert not any(map(any, allow))


@tries(60)
@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=3, max_size=3))
def test_other_pairs_are_not_taken_for_a_window(rows):
    found = by_position(torch.tensor(rows))
    if found is not None:
        assert [list(row) for row in allow_of(found, 3, 3)] == rows


@tries(30)
@given(mask=bands(), n=st.integers(1, 5))
def test_the_corner_makes_no_difference_to_as_many_queries_as_keys(mask, n):
    assert mask.allow(n, n) == replace(mask, corner="top_left").allow(n, n)


@tries(30)
@given(n=st.integers(1, 6), beyond=st.integers(0, 3))
def test_a_window_of_all_keys_hides_nothing_more(n, beyond):
    assert BandMask(n + beyond, causal=True).allow(n, n) == BandMask(causal=True).allow(n, n)
    assert all(map(all, BandMask(n - 1 + beyond).allow(n, n)))


@tries(60)
@given(mask=bands())
def test_a_file_keeps_it(mask):
    example = masked(mask)
    assert parse(dump(example)) == example


@pytest.mark.parametrize(
    ("mask", "text"),
    [
        (BandMask(3, causal=True), '"mask":{"window":3,"causal":true}'),
        (BandMask(2), '"mask":{"window":2}'),
        (BandMask(causal=True, corner="bottom_right"), '"mask":{"causal":true,"corner":"bottom_right"}'),
        ("causal", '"mask":"causal"'),
    ],
)
def test_a_file_says_no_more_than_it_must(mask, text):
    assert text in dump(masked(mask))


def test_a_file_may_say_causal_in_full():
    text = dump(masked("causal")).replace('"causal"', '{"causal":true,"corner":"top_left"}')
    assert parse(text).mask == "causal"


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ('{"window":0,"causal":true}', "mask.window: expected a whole number from 1 to 1000000, got 0"),
        ('{"window":-1}', "mask.window: expected a whole number from 0 to 1000000, got -1"),
        ('{"window":2.5}', "mask.window: expected a whole number, got 2.5"),
        ('{"window":true}', "mask.window: expected a whole number, got true"),
        ('{"window":10000000}', "mask.window: expected a whole number from 0 to 1000000, got 10000000"),
        ('{"causal":false}', "mask: expected a window, or causal with true"),
        ('{"causal":1}', "mask.causal: expected true or false, got 1"),
        (
            '{"causal":true,"corner":"top"}',
            'mask.corner: expected "top_left" or "bottom_right", got "top"',
        ),
        ('{"window":2,"fill":-9}', "mask.fill: is not used with window or causal"),
        ('{"window":2,"allow":[[true]]}', "mask.allow: is not used with window or causal"),
        ("{}", "mask: expected either allow (optionally with fill), add, or window and causal"),
        (
            '"window"',
            'mask: expected null, "causal", or an object with "window", "causal", "allow" or "add", got "window"',
        ),
    ],
)
def test_an_impossible_mask_is_refused(value, sentence):
    with pytest.raises(ExampleError) as error:
        parse(dump(masked("causal")).replace('"causal"', value))
    assert str(error.value) == sentence


def test_causal_has_one_form():
    with pytest.raises(ExampleError, match='mask: write "causal" for this mask'):
        masked(BandMask(causal=True))


def test_edits_set_the_kind_the_window_and_the_corner():
    example = apply(APART, {"op": "mask", "kind": "causal_window"})
    assert example.mask == BandMask(2, causal=True)
    example = apply(example, {"op": "mask", "kind": "causal_window", "window": 3})
    assert example.mask == BandMask(3, causal=True)
    example = apply(example, {"op": "mask", "kind": "causal_window", "corner": "bottom_right"})
    assert example.mask == BandMask(3, causal=True, corner="bottom_right")
    assert apply(example, {"op": "mask", "kind": "window"}).mask == BandMask(3, corner="bottom_right")
    example = apply(example, {"op": "mask", "kind": "causal"})
    assert example.mask == BandMask(causal=True, corner="bottom_right")
    assert apply(example, {"op": "mask", "kind": "causal", "corner": "top_left"}).mask == "causal"
    assert apply(example, {"op": "mask", "kind": "none"}).mask is None


def test_a_window_of_no_keys_is_refused_and_one_on_both_sides_grows_when_it_becomes_causal():
    both = apply(FIVE, {"op": "mask", "kind": "window", "window": 0})
    assert both.mask == BandMask(0)
    assert apply(both, {"op": "mask", "kind": "causal_window"}).mask == BandMask(1, causal=True)
    with pytest.raises(ExampleError, match=r"mask\.window: expected a whole number from 1"):
        apply(FIVE, {"op": "mask", "kind": "causal_window", "window": 0})


def test_a_pair_that_is_set_makes_it_a_mask_of_pairs():
    example = masked(BandMask(2, causal=True), FIVE)
    cell = {"op": "set", "matrix": "mask", "head": None, "row": 4, "col": 0, "values": [[True]]}
    painted = apply(example, cell).mask
    assert isinstance(painted, AllowMask)
    assert painted.allow[4] == (True, False, False, True, True)
    assert painted.allow[:4] == BandMask(2, causal=True).allow(4, 5)


def test_it_fits_more_tokens():
    example = apply(masked(BandMask(2, causal=True), FIVE), {"op": "add_token", "which": "tokens"})
    assert trace(example).hidden[0][5] == (True, True, True, True, False, False)


@pytest.mark.parametrize(
    ("mask", "example", "said"),
    [
        (
            BandMask(3, causal=True),
            FIVE,
            [
                "With a causal window of 3, each query may attend to at most 3 keys: the one at its own position and "
                "those just before it. All other scores become −∞."
            ],
        ),
        (
            BandMask(1, corner="bottom_right"),
            APART,
            [
                "With a window of 1, each query may attend to the key at its own position and to at most 1 key on each "
                "side. All other scores become −∞.",
                "The mask ends at the bottom right corner, as in decoding with a cache: the last query is at the "
                "position of the last key. There are 4 queries and 3 keys.",
            ],
        ),
        (BandMask(causal=True, corner="bottom_right"), FIVE, []),
    ],
)
def test_what_is_said_of_it(mask, example, said):
    sentences = mask_sentences(masked(mask, example))
    assert [template.format(**values) for template, values in sentences] == said


@pytest.mark.parametrize(
    ("mask", "mistaken", "example", "cause"),
    [
        (BandMask(3, causal=True), BandMask(2, causal=True), FIVE, "window_off_by_one"),
        (BandMask(2, causal=True), BandMask(3, causal=True), FIVE, "window_off_by_one"),
        (BandMask(1), BandMask(2), FIVE, "window_off_by_one"),
        (BandMask(2, causal=True), "causal", FIVE, "window_forgotten"),
        (BandMask(causal=True, corner="bottom_right"), "causal", APART, "mask_other_corner"),
        ("causal", BandMask(causal=True, corner="bottom_right"), APART, "mask_other_corner"),
        (BandMask(1), BandMask(1, corner="bottom_right"), APART, "mask_other_corner"),
    ],
)
def test_a_typical_mistake_is_named(mask, mistaken, example, cause):
    weights = trace(masked(mistaken, example)).values["weights"]
    claimed = {
        "weights": tuple(tuple(tuple(f"{cell:.4f}" for cell in row) for row in head) for head in weights)
    }
    verdict = check(validate(replace(masked(mask, example), claimed=claimed)))
    assert {found.ids for found in verdict.steps["weights"].causes} == {(cause,)}
