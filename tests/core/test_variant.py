"""Variants: what they change, their text in a link, and how two traces differ."""

from dataclasses import replace
from math import inf, isinf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import (
    AddMask,
    AllowMask,
    CellError,
    Example,
    ExampleError,
    Head,
    MhaError,
    built_in,
    library,
    trace,
)
from mha_core.compare.diff import change_of, compare, orders
from mha_core.compare.variant import AS_IT_IS, POSITIONS, Variant, read, varied, written
from mha_core.compute.derive import Cell
from mha_core.compute.head_terms import head_terms
from mha_core.example.model import NEG_INF, Positions, keys_are_queries
from mha_core.vocabulary import AXES, SCORING_CHOICES, SYMBOLS
from tests.apply import apply
from tests.core.strategies import examples
from tests.sizes import tries

TOY = Example(
    title="toy",
    tokens=("a", "b", "c"),
    x=((1, 0), (0, 1), (1, 1)),
    heads=(
        Head(w_q=((1, 0), (0, 1)), w_k=((1, 0), (0, 2)), w_v=((1, 2), (3, 4))),
        Head(w_q=((0, 1), (1, 0)), w_k=((1, 1), (0, 1)), w_v=((2, 0), (0, 1))),
    ),
    w_o=((1, 0), (0, 1), (1, 1), (2, 0)),
    b_o=(0.5, -0.5),
)

variants = st.builds(
    Variant,
    scoring=st.none() | st.sampled_from([*SCORING_CHOICES]),
    positions=st.none() | st.sampled_from(POSITIONS),
    mask=st.none() | st.sampled_from(["none", "causal"]),
    kv_heads=st.none() | st.integers(1, 4),
    temperature=st.none() | st.sampled_from([0.25, 1.0, 3.5]),
    order=st.just(()) | st.permutations(range(3)).map(tuple),
    muted=st.just(()) | st.sets(st.integers(0, 3), min_size=1).map(tuple),
)


def rows_close(one, other, most=1e-12):
    assert [len(row) for row in one] == [len(row) for row in other]
    assert all(abs(a - b) <= most for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True))


# --- variants ------------------------------------------------------------------------------------------------------


def test_an_empty_variant_only_drops_the_claims():
    for example in library().values():
        assert varied(example, AS_IT_IS) == replace(example, claimed=None)


@given(variants)
def test_a_variant_survives_its_link(variant):
    assert read(written(variant)) == variant


def test_the_text_of_no_variant_is_empty():
    assert written(AS_IT_IS) == ""
    assert written(Variant(scoring="cosine", muted=(0, 2))) == "scoring-cosine~muted-0_2"


@pytest.mark.parametrize(
    "text",
    [
        "nonsense", "scoring-quadratic", "order-0_0_1", "order-a", "order--1", "muted-99", "temperature-nan",
        "temperature-inf", "temperature-0", "temperature-1e9", "kv_heads-0", "kv_heads-x", "__class__-1", "-", "~~~",
        "temperature-" + "9" * 5000, "order-٠_١",
    ],
)  # fmt: skip
def test_parts_of_a_link_changed_by_hand_are_ignored(text):
    assert read(text) == AS_IT_IS
    assert read(f"{text}~mask-causal") in (Variant(mask="causal"), AS_IT_IS)


@given(examples(), variants)
@tries(15)
def test_every_variant_is_a_valid_example_or_refused_with_its_sentence(example, variant):
    try:
        changed = varied(example, variant)
    except MhaError:
        return  # each of its sentences has a test of its own
    assert trace(changed).values


def test_a_temperature_multiplies_the_divisor():
    hot = trace(varied(TOY, Variant(temperature=2.0)))
    assert hot.example.scale == 2 * 2**0.5
    unscaled = varied(replace(TOY, scale="none"), Variant(temperature=0.5))
    assert unscaled.scale == 0.5


def test_a_muted_head_adds_nothing_and_the_others_are_as_they_were():
    before, after = trace(TOY), trace(varied(TOY, Variant(muted=(0,))))
    assert after.values["head_outputs"][0] == [[0.0, 0.0]] * 3
    assert after.values["head_outputs"][1] == before.values["head_outputs"][1]
    terms = head_terms(before).head_terms
    for i, row in enumerate(after.values["output"]):
        assert row == pytest.approx([before.values["output"][i][j] - terms[0][i][j] for j in range(2)])


def test_muting_the_head_with_shared_keys_leaves_the_others_their_keys():
    shared = apply(TOY, {"op": "kv_heads", "count": 1})
    before, after = trace(shared), trace(varied(shared, Variant(muted=(0,))))
    assert after.values["weights"][1] == before.values["weights"][1]
    assert after.values["head_outputs"][0] == [[0.0, 0.0]] * 3


def test_a_head_that_is_not_there_cannot_be_muted():
    with pytest.raises(ExampleError, match=r"heads\[2\]"):
        varied(TOY, Variant(muted=(2,)))


# --- order of tokens -----------------------------------------------------------------------------------------------


@given(examples(), st.randoms())
@tries(10)
def test_without_positions_attention_does_not_know_the_order(example, random):
    """Attention is equivariant: outputs move with their tokens, whatever mask is painted on pairs of tokens."""
    if example.positions is not None or example.mask == "causal":
        return
    order = list(range(len(example.tokens)))
    random.shuffle(order)
    before, after = trace(example), trace(varied(example, Variant(order=tuple(order))))
    assert [d.name for d in compare(before, after, order)] == []
    for name in ("concat", "output"):
        if name in before.values:
            rows_close(after.values[name], [before.values[name][i] for i in order], 1e-9)


@pytest.mark.parametrize("kind", ["sinusoidal", "rotary", "alibi"])
def test_with_positions_attention_knows_the_order(kind):
    example = apply(TOY, {"op": "positions", "kind": kind})
    order = (2, 0, 1)
    found = compare(trace(example), trace(varied(example, Variant(order=order))), order)
    assert "output" in {difference.name for difference in found}


def test_the_columns_of_rotary_positions_may_be_paired_in_either_way():
    wide = apply(TOY, {"op": "resize", "axis": "d_k", "size": 4})
    halves, neighbours = (varied(wide, Variant(positions=name)) for name in ("rotary_half", "rotary"))
    assert halves.positions == Positions("rotary", pairs="half")
    assert varied(halves, Variant(positions="rotary")) == neighbours
    assert next(d.name for d in compare(trace(neighbours), trace(halves))) == "q_rotated"
    assert read("positions-rotary_half") == Variant(positions="rotary_half")


def test_a_causal_mask_knows_the_order_too():
    causal = replace(TOY, mask="causal")
    found = compare(trace(causal), trace(varied(causal, Variant(order=(2, 1, 0)))), (2, 1, 0))
    assert next(d.name for d in found) == "mask"
    assert "output" in {d.name for d in found}


def test_a_painted_mask_moves_with_its_tokens_and_positions_stay():
    masked = replace(
        TOY,
        mask=AllowMask(((True, False, True), (True, True, True), (False, True, True))),
        positions=Positions("rotary", ids=(5.0, 7.0, 9.0)),
    )
    moved = varied(masked, Variant(order=(1, 2, 0)))
    assert moved.tokens == ("b", "c", "a")
    assert isinstance(moved.mask, AllowMask)
    assert moved.mask.allow == ((True, True, True), (True, True, False), (False, True, True))
    assert moved.positions.ids == (5.0, 7.0, 9.0)


@pytest.mark.parametrize(
    "order", [[0, 1], [0, 1, 1], [0, 1, 3], [0, 1, -2], ["a"], None, [True, 0, 2], [nan, 0, 1]]
)
def test_an_invalid_order_is_refused(order):
    with pytest.raises(ExampleError):
        apply(TOY, {"op": "permute", "order": order})


def test_keys_of_a_context_keep_their_order():
    cross = replace(TOY, context=((1, 2), (3, 4)), context_tokens=("u", "v"))
    assert not keys_are_queries(cross)
    after = trace(varied(cross, Variant(order=(2, 1, 0))))
    assert orders(after, (2, 1, 0))["n_k"] == [0, 1]
    assert compare(trace(cross), after, (2, 1, 0)) == ()


# --- comparing -----------------------------------------------------------------------------------------------------


@given(examples())
@tries(5)
def test_a_trace_does_not_differ_from_itself(example):
    assert compare(trace(example), trace(example)) == ()


def test_differences_are_those_of_the_numbers_in_the_order_of_the_computation():
    changed = apply(TOY, {"op": "set", "matrix": "w_v", "head": 1, "row": 0, "col": 1, "values": [[5.0]]})
    before, after = trace(TOY), trace(changed)
    found = compare(before, after)
    assert [(d.name, d.head) for d in found] == [
        ("w_v", 1), ("v", 1), ("head_outputs", 1), ("concat", None), ("output", None)
    ]  # fmt: skip
    weight = found[0]
    assert (weight.change.by, weight.at, weight.most) == ([[0, 5], [0, 0]], Cell("w_v", 1, 0, 1), 5)
    assert (weight.change.changed, weight.change.compared, weight.computed) == (1, 4, False)
    for difference in found:
        one, other = (t.matrix(difference.name, difference.head) for t in (before, after))
        expected = [[b - a for a, b in zip(x, y, strict=True)] for x, y in zip(one, other, strict=True)]
        rows_close(difference.change.by, expected)
        assert abs(difference.most) == max(abs(v) for row in expected for v in row)
        assert difference.change.changed == sum(abs(v) > 1e-12 for row in expected for v in row)


def test_a_matrix_that_only_one_trace_has_is_new_or_gone():
    causal = replace(TOY, mask="causal")
    assert {(d.name, d.kind) for d in compare(trace(TOY), trace(causal)) if d.kind != "changed"} == {
        ("mask", "new"), ("masked_scores", "new")
    }  # fmt: skip
    assert {(d.name, d.kind) for d in compare(trace(causal), trace(TOY)) if d.kind != "changed"} == {
        ("mask", "gone"), ("masked_scores", "gone")
    }  # fmt: skip


def test_matrices_of_different_shapes_are_compared_where_both_have_cells():
    wider = apply(TOY, {"op": "resize", "axis": "d_k", "size": 3})
    found = {(d.name, d.head): d for d in compare(trace(TOY), trace(wider))}
    assert found["q", 0].kind == "reshaped"
    assert found["q", 0].change.by == [[0, 0, None]] * 3
    assert (found["q", 0].at, found["q", 0].most) == (None, 0.0)


def test_a_pair_that_is_hidden_in_one_trace_differs_by_infinity():
    causal = replace(TOY, mask="causal")
    painted = replace(TOY, mask=AllowMask(((True,) * 3,) * 3))
    by = {(d.name, d.head): d for d in compare(trace(painted), trace(causal))}["masked_scores", 0]
    assert by.change.by[0][1] == NEG_INF
    assert isinf(by.most)
    back = {(d.name, d.head): d for d in compare(trace(causal), trace(painted))}["masked_scores", 0]
    assert back.change.by[0][1] == inf
    assert back.change.by[0][0] == 0


def test_heads_that_share_keys_are_compared_by_the_keys_they_use():
    shared = apply(TOY, {"op": "kv_heads", "count": 1})
    found = {(d.name, d.head): d.kind for d in compare(trace(TOY), trace(shared))}
    assert (found["w_k", 1], found["k", 1]) == ("changed", "changed")
    assert ("k", 0) not in found


def test_a_difference_next_to_far_larger_numbers_is_not_rounding():
    """Exponentials that are not normalised reach e^60. A change of the smallest ones is still a difference."""
    change = change_of([[34.3, 1e26], [1.0, 1.0]], [[1.2e-5, 1.0], [1.0, 1.0]])
    assert change.changed == 2
    assert change_of([[1.0, 1e-17], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.5 + 1e-16]]).changed == 0
    assert change_of([[1e26 * (1 + 1e-15)]], [[1e26]]).changed == 0


def test_masks_that_cannot_be_subtracted_have_another_shape():
    allows, adds = (
        trace(replace(TOY, mask=mask)) for mask in (AllowMask(((True,) * 3,) * 3), AddMask(((0.0,) * 3,) * 3))
    )
    assert [(d.name, d.kind) for d in compare(allows, adds)] == [("mask", "reshaped")]


# --- terms of the heads --------------------------------------------------------------------------------------------


@given(examples())
@tries(6)
def test_the_terms_of_the_heads_add_up_to_the_output(example):
    computed = trace(example)
    if example.w_o is None:
        with pytest.raises(CellError):
            head_terms(computed)
        return
    terms, d_v = head_terms(computed), example.dims.d_v
    size = 1 + max(abs(v) for row in computed.values["output"] for v in row)
    for i, row in enumerate(computed.values["output"]):
        for j, number in enumerate(row):
            total = sum(term[i][j] for term in terms.head_terms) + (example.b_o[j] if example.b_o else 0.0)
            assert abs(total - number) <= 1e-9 * size
    for g, block in enumerate(terms.w_o_block):
        assert block == [list(map(float, row)) for row in example.w_o[g * d_v : (g + 1) * d_v]]
        one = computed.values["head_outputs"][g][0]
        first = sum(value * row[0] for value, row in zip(one, block, strict=True))
        assert abs(terms.head_terms[g][0][0] - first) <= 1e-9 * size


def test_every_matrix_has_a_letter():

    assert SYMBOLS.keys() == AXES.keys()


def test_built_in_examples_can_be_compared_with_any_scoring():
    for name in library():
        example = built_in(name)
        for scoring in SCORING_CHOICES:
            try:
                after = trace(varied(example, Variant(scoring=scoring)))
            except ExampleError:
                continue
            assert isinstance(compare(trace(example), after), tuple)
