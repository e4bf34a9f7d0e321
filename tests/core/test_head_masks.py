"""Heads with masks of their own, where everything that reads the declared steps has them."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mha_core import (
    AddMask,
    AllowMask,
    Cell,
    ExampleError,
    ExportError,
    built_in,
    derive,
    dump,
    parse,
    trace,
    validate,
)
from mha_core.check.check import check
from mha_core.compute.derive import feeds
from mha_core.compute.gradients import gradients
from mha_core.example.band import BandMask
from mha_core.example.model import mask_sentences
from mha_core.export import export
from tests.apply import apply
from tests.core.reference import largest_difference, reference
from tests.core.strategies import bands
from tests.sizes import tries

FIRST = built_in("first")
"""Three tokens and two heads."""
FIVE = built_in("causal")
"""Five tokens and two heads."""
NEG_INF = float("-inf")
ADDED = AddMask(((0.0, -1.0, 2.0),) * 3)


def own(mask, whole="causal", example=FIRST):
    """The second head has its own mask."""
    heads = (example.heads[0], replace(example.heads[1], mask=mask))
    return validate(replace(example, mask=whole, heads=heads, claimed=None, note=None))


def hidden(example):
    """Which pairs each head hides, as a picture."""
    return [["".join("#."[cell] for cell in row) for row in head] for head in trace(example).hidden]


def test_by_hand():
    assert hidden(own(BandMask(1, causal=True))) == [["#..", "##.", "###"], ["#..", ".#.", "..#"]]
    assert hidden(own("none")) == [["#..", "##.", "###"], ["###", "###", "###"]]
    assert hidden(own("causal", None)) == [["###", "###", "###"], ["#..", "##.", "###"]]


def test_weights_are_those_of_torch():
    example = own(BandMask(1))
    computed = trace(example)
    q, k, v = (computed[name] for name in "qkv")
    allow = torch.stack([torch.ones(3, 3).tril(), torch.ones(3, 3).tril(1).triu(-1)]).bool()
    theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allow)
    torch.testing.assert_close(computed["head_outputs"], theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "mask", ["none", "causal", BandMask(1), AllowMask(((True, False, True),) * 3), ADDED]
)
@pytest.mark.parametrize("whole", [None, "causal", ADDED])
def test_every_number_is_that_of_plain_loops_and_a_file_keeps_it(mask, whole):
    example = own(mask, whole)
    assert parse(dump(example)) == example
    assert largest_difference(trace(example).values, reference(example)) <= 1e-12


@tries(30)
@given(mask=bands(), whole=st.sampled_from([None, "causal"]))
def test_a_head_computes_what_it_would_if_all_had_its_mask(mask, whole):
    alone = validate(replace(FIRST, mask=mask, claimed=None, note=None))
    assert trace(own(mask, whole)).values["weights"][1] == trace(alone).values["weights"][1]


def test_a_mask_that_no_head_takes_hides_nothing():
    example = own("none")
    example = validate(replace(example, heads=tuple(replace(head, mask="none") for head in example.heads)))
    assert trace(example).values["weights"] == trace(replace(FIRST, mask=None)).values["weights"]
    assert largest_difference(trace(example).values, reference(example)) <= 1e-12


def test_files_without_it_stay_as_they_are():
    assert '"mask"' not in dump(FIRST)
    assert dump(own("none")).count('"mask":"none"') == 1


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (
            '"all"',
            'heads[1].mask: expected null, "causal", or an object with "window", "causal", "allow" or "add", got "all"',
        ),
        (
            '{"window":0,"causal":true}',
            "heads[1].mask.window: expected a whole number from 1 to 1000000, got 0",
        ),
        ('{"allow":[[true]]}', "heads[1].mask.allow: expected 3 × 3, got 1 × 1"),
        (
            '{"allow":[[true,true,true],[true,true,true],[true,true,true]],"fill":-9}',
            "heads[1].mask.fill: is not used where a head has its own mask: hidden scores become −∞",
        ),
    ],
)
def test_an_impossible_mask_is_refused_with_its_place(value, sentence):
    with pytest.raises(ExampleError) as error:
        parse(dump(own("none")).replace('"mask":"none"', f'"mask":{value}'))
    assert str(error.value) == sentence


def test_a_head_that_starts_from_its_weights_has_no_mask():
    given_weights = replace(FIRST.heads[1], weights=((1.0, 0.0, 0.0),) * 3, mask="causal")
    with pytest.raises(ExampleError, match="is not used, since the head starts from its weights"):
        validate(replace(FIRST, heads=(FIRST.heads[0], given_weights), claimed=None))


def test_edits_give_a_head_its_own_mask_change_it_and_take_it_back():
    example = apply(replace(FIRST, note=None), {"op": "mask", "kind": "causal"})
    given_own = apply(example, {"op": "head_mask", "head": 1, "on": True})
    assert given_own.heads[1].mask == "causal"
    assert apply(given_own, {"op": "mask", "kind": "window", "head": 1, "window": 1}).heads[
        1
    ].mask == BandMask(1)
    assert apply(given_own, {"op": "mask", "kind": "none", "head": 1}).heads[1].mask == "none"
    cell = {"op": "set", "matrix": "head_mask", "row": 0, "col": 2, "values": [[True]]}
    painted = apply(given_own, {**cell, "head": 1})
    assert painted.mask == "causal"
    assert hidden(painted) == [["#..", "##.", "###"], ["#.#", "##.", "###"]]
    assert hidden(apply(given_own, {**cell, "head": 0})) == [["#.#", "##.", "###"], ["#..", "##.", "###"]]
    assert apply(painted, {"op": "head_mask", "head": 1, "on": False}) == example


def test_without_a_mask_a_head_s_own_starts_with_all_pairs():
    given_own = apply(replace(FIRST, note=None), {"op": "head_mask", "head": 0, "on": True})
    assert given_own.heads[0].mask == AllowMask(((True,) * 3,) * 3)


def test_it_fits_more_tokens_and_heads():
    example = apply(own(AllowMask(((True, False, True),) * 3)), {"op": "add_token", "which": "tokens"})
    assert hidden(example)[1][0] == "#.##"
    example = apply(example, {"op": "add_head", "copy": 1})
    assert hidden(example)[2][0] == "#.##"
    assert hidden(apply(example, {"op": "remove_head", "head": 1}))[1][0] == "#.##"


def test_a_cell_comes_from_its_own_head_s_mask():
    computed = trace(own(BandMask(1, causal=True)))
    terms = derive(computed, Cell("masked_scores", 1, 2, 0)).terms
    assert Cell("head_mask", 1, 2, 0) in terms[0].cells
    assert feeds(computed, Cell("head_mask", 0, 0, 0)) == (Cell("masked_scores", 0, 0, 0),)


def test_a_gradient_reaches_the_numbers_that_are_added():
    slope = gradients(trace(own(ADDED)), Cell("masked_scores", 1, 0, 1))["head_mask"]
    assert slope[1] == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert "head_mask" not in gradients(trace(own("none")), Cell("masked_scores", 1, 0, 1))


def test_a_gradient_of_a_mask_that_heads_share_is_summed_at_the_first():
    """Also where these heads have other steps: the last has a sink."""
    first, second = own(ADDED).heads

    def with_number(number):
        mask = AddMask(((0.5, 0.0, -0.5), (0.5, number, -0.5), (0.5, 0.0, -0.5)))
        heads = (second, first, replace(first, sink=(1.0,)))
        return trace(validate(replace(own(ADDED, mask), heads=heads, w_o=((1.0, -1.0),) * 6, scale=20.0)))

    mine, shared, nothing = gradients(with_number(0.0), Cell("output", None, 1, 1))["head_mask"]
    ahead, behind = (with_number(by).values["output"][1][1] for by in (1e-6, -1e-6))
    assert shared[1][1] == pytest.approx((ahead - behind) / 2e-6, abs=1e-7)
    assert abs(shared[1][1]) > 0.01
    assert nothing is None
    assert any(map(any, mine))


def test_the_mistake_of_a_head_with_its_own_mask_is_named():
    example = own(BandMask(2, causal=True), example=FIVE)
    weights = trace(FIVE).values["weights"]
    claimed = {
        "weights": tuple(tuple(tuple(f"{cell:.4f}" for cell in row) for row in head) for head in weights)
    }
    verdict = check(validate(replace(example, claimed=claimed)))
    assert {found.ids for found in verdict.steps["weights"].causes} == {("window_forgotten",)}


def test_what_is_said_of_it():
    (sentence,) = mask_sentences(own("none"))
    assert sentence[0].format(**sentence[1]) == (
        "Head 2 has its own mask. The other heads have the mask of the example."
    )
    three = own("none")
    three = validate(replace(three, heads=(*three.heads, three.heads[1])))
    ((template, values),) = mask_sentences(three)
    assert template.format(**values) == (
        "Heads 2, 3 have their own masks. The other heads have the mask of the example."
    )


@pytest.mark.parametrize("mask", ["none", BandMask(1), ADDED])
@pytest.mark.parametrize("target", ["numpy", "torch", "torch-scratch"])
def test_exports_run_and_give_the_same_numbers(mask, target, capsys):
    exec(compile(export(own(mask), target, None, "en"), target, "exec"), {})  # it asserts its numbers
    assert "All numbers agree." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("target", "mask", "said"),
    [
        ("keras", ADDED, "Keras's layer adds no numbers"),
        ("torch", AllowMask(((False,) * 3, (True,) * 3, (True,) * 3)), "PyTorch gives NaN to a query"),
    ],
)
def test_a_layer_that_cannot_compute_it_is_refused(target, mask, said):
    with pytest.raises(ExportError, match=said):
        export(own(mask), target, None, "en")
