"""Laws that are true for every example, whatever its numbers."""

from dataclasses import replace
from itertools import product
from math import fsum, isclose

import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from mha_core import AddMask, AllowMask, Example, Head, trace
from mha_core.compute.graph import last_step
from mha_core.example.band import BandMask
from mha_core.example.model import allow_matrix
from tests.core.strategies import NEG_INF, examples
from tests.sizes import tries

STEPS = ("weights", "head_outputs", "concat", "output")


def same(found, expected):
    """Two nested lists of one shape, equal within 1e-12."""
    one, other = torch.tensor(found, dtype=torch.float64), torch.tensor(expected, dtype=torch.float64)
    return one.shape == other.shape and torch.allclose(one, other, rtol=0, atol=1e-12)


@tries(20)
@given(examples(claims=False))
def test_rows_of_weights_sum_to_one_or_are_dead(example):
    computed = trace(example)
    weights, outputs = computed.values["weights"], computed.values.get("head_outputs")
    for g, i in product(range(len(example.heads)), range(len(example.tokens))):
        if computed.fully_masked[g][i]:
            assert not any(weights[g][i])
            assert outputs is None or not any(outputs[g][i])
        elif example.heads[g].weights is None:
            assert isclose(fsum(weights[g][i]), 1, abs_tol=1e-12)
            assert all(0 <= weight <= 1 for weight in weights[g][i])


@tries(10)
@given(examples(plain=True, claims=False))
def test_exactly_the_rows_that_may_attend_nothing_are_dead(example):
    mask = example.mask
    if isinstance(mask, AddMask):
        closed = [all(number == NEG_INF for number in row) for row in mask.add]
    elif isinstance(mask, AllowMask) and mask.fill == NEG_INF:
        closed = [not any(row) for row in mask.allow]
    elif isinstance(mask, BandMask):
        closed = [not any(row) for row in mask.allow(example.dims.n_q, example.dims.n_k)]
    else:
        closed = [False] * len(example.tokens)
    assert trace(example).fully_masked == (tuple(closed),) * len(example.heads)


@tries(10)
@given(examples(plain=True, claims=False), st.randoms(use_true_random=False))
def test_hidden_keys_have_weight_zero(example, random):
    dims = example.dims
    allow = tuple(tuple(random.random() < 0.5 for _ in range(dims.n_k)) for _ in range(dims.n_q))
    weights = trace(replace(example, mask=AllowMask(allow))).values["weights"]
    for head, i, j in product(weights, range(dims.n_q), range(dims.n_k)):
        assert (head[i][j] > 0) == allow[i][j]


@tries(10)
@given(examples(plain=True, masks=False, context=False, claims=False), st.data())
def test_permuting_tokens_permutes_outputs(example, data):
    order = data.draw(st.permutations(range(len(example.tokens))))
    moved = replace(
        example,
        tokens=tuple(example.tokens[i] for i in order),
        x=tuple(example.x[i] for i in order),
    )
    before, after = trace(example).values, trace(moved).values
    for step in {"concat", "output"} & set(before):
        assert same(after[step], [before[step][i] for i in order])
    for one, other in zip(after["weights"], before["weights"], strict=True):
        assert same(one, [[other[i][j] for j in order] for i in order])


@tries(10)
@given(examples(plain=True, masks=False, context=True, claims=False, values=True), st.data())
def test_permuting_the_context_changes_no_output(example, data):
    order = data.draw(st.permutations(range(len(example.context))))
    moved = replace(example, context=tuple(example.context[i] for i in order), context_tokens=None)
    assert same(trace(moved).values["concat"], trace(example).values["concat"])


@tries(10)
@given(examples(masks=False, claims=False))
def test_an_all_true_mask_equals_none(example):
    dims = example.dims
    everything = AllowMask(((True,) * dims.n_k,) * dims.n_q)
    nothing_added = AddMask(((0.0,) * dims.n_k,) * dims.n_q)
    free = trace(example).values
    for mask in (everything, nothing_added):
        masked = trace(replace(example, mask=mask)).values
        for step in set(STEPS) & set(free):
            assert masked[step] == free[step]


@tries(10)
@given(examples(plain=True, context=True, claims=False), st.data())
def test_hiding_a_key_equals_removing_it(example, data):
    dims = example.dims
    assume(dims.n_k > 1 and not isinstance(example.mask, AddMask))
    gone = data.draw(st.integers(0, dims.n_k - 1))
    allow = allow_matrix(example) or ((True,) * dims.n_k,) * dims.n_q
    hidden = tuple(tuple(may and j != gone for j, may in enumerate(row)) for row in allow)
    smaller = tuple(row[:gone] + row[gone + 1 :] for row in allow)
    kept = replace(example, mask=AllowMask(hidden))
    removed = replace(
        example,
        mask=AllowMask(smaller),
        context=example.context[:gone] + example.context[gone + 1 :],
        context_tokens=None,
    )
    with_it, without = trace(kept), trace(removed)
    assert with_it.fully_masked == without.fully_masked
    for step in set(STEPS) & set(without.values) - {"weights"}:
        assert same(with_it.values[step], without.values[step])
    for wide, narrow in zip(with_it.values["weights"], without.values["weights"], strict=True):
        assert same([row[:gone] + row[gone + 1 :] for row in wide], narrow)


@tries(10)
@given(examples(plain=True, claims=False))
def test_causal_equals_the_mask_that_it_stands_for(example):
    causal = replace(example, mask="causal")
    painted = replace(example, mask=AllowMask(allow_matrix(causal)))
    added = replace(
        example,
        mask=AddMask(tuple(tuple(0.0 if may else NEG_INF for may in row) for row in allow_matrix(causal))),
    )
    assert trace(causal).values == trace(painted).values
    assert trace(causal).values["weights"] == trace(added).values["weights"]


@tries(10)
@given(examples(claims=False))
def test_every_head_is_computed_as_if_it_were_alone(example):
    together = trace(example).values
    for index, head in enumerate(example.heads):
        if head.weights is not None and "v" not in together:
            continue  # there would be nothing left to compute
        alone = trace(_with_heads(example, head)).values
        for step in {"weights", "head_outputs"} & set(together):
            assert same(alone[step][0], together[step][index])


@tries(10)
@given(examples(plain=True, context=False, claims=False))
def test_a_context_that_equals_x_is_self_attention(example):
    assert trace(replace(example, context=example.x)).values == trace(example).values


@tries(10)
@given(examples(plain=True, claims=False))
def test_scale_names_equal_their_numbers(example):
    for name, number in (("none", 1.0), ("sqrt_dk", example.dims.sqrt_dk)):
        named, numbered = replace(example, scale=name), replace(example, scale=number)
        last = last_step(example)
        assert trace(named).values[last] == trace(numbered).values[last]


@tries(10)
@given(examples(plain=True, claims=False), st.floats(-3, 3))
def test_a_bias_on_the_keys_changes_no_weight(example, shift):
    """q·(k + b) = q·k + q·b, and q·b is the same for all scores of a row. A finite fill would not move along."""
    assume(not isinstance(example.mask, AllowMask) or example.mask.fill == NEG_INF)
    heads = tuple(
        replace(head, b_k=tuple(b + shift for b in head.b_k or (0.0,) * example.dims.d_k))
        for head in example.heads
    )
    shifted = trace(replace(example, heads=heads)).values
    assert same(shifted["weights"], trace(example).values["weights"])


def _with_heads(example: Example, *heads: Head) -> Example:
    """The example with these heads only, and no W_O."""
    scale = example.scale
    if scale == "sqrt_dk" and example.dims.d_k:
        scale = example.dims.sqrt_dk
    return replace(example, heads=heads, w_o=None, b_o=None, scale=scale, claimed=None)
