"""Why √d_k: the experiment against plain loops, against autograd, and against what the theory says."""

from functools import cache
from math import exp, log, sqrt
from statistics import fmean, pstdev

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mha_core import Head, built_in, library, trace
from mha_core.compute.metrics import (
    agreement,
    entropy,
    gradient_size,
    keys_in_view,
    overlap,
    softmax_jacobian,
)
from mha_core.compute.scaling import SCORES, SIZES, compare, draw, experiment
from mha_core.example.model import Example
from tests.sizes import each

SEEDS = range(5)
measured = cache(experiment)


def loop_softmax(scores):
    top = max(scores)
    powers = [exp(score - top) for score in scores]
    return [power / sum(powers) for power in powers]


def loop_entropy(weights):
    return -sum(p * log(p) for p in weights if p > 0)


def loop_gradient(weights):
    total = 0.0
    for i, p in enumerate(weights):
        for j, r in enumerate(weights):
            total += ((p if i == j else 0.0) - p * r) ** 2
    return sqrt(total)


def distributions(most=7):
    numbers = st.lists(st.floats(-30, 30), min_size=1, max_size=most)
    return numbers.map(lambda scores: torch.softmax(torch.tensor(scores, dtype=torch.float64), -1))


# --- the experiment against a plain loop -----------------------------------------------------------------------


@pytest.mark.parametrize(("n_k", "sigma", "d_k"), [(3, 1.0, 1), (5, 0.5, 16), (11, 2.0, 128), (1, 1.0, 4)])
def test_every_number_is_that_of_a_plain_loop(n_k, sigma, d_k):
    drawn = draw(7, n_k, sigma)
    q, k = drawn.q.tolist(), drawn.k.tolist()
    scores = [
        [sum(query[0][c] * key[c] for c in range(d_k)) for key in keys]
        for query, keys in zip(q, k, strict=True)
    ]
    found = compare(drawn, d_k)
    assert found.d_k == d_k
    for got, divisor in ((found.plain, 1.0), (found.scaled, sqrt(d_k))):
        divided = [[score / divisor for score in row] for row in scores]
        weights = [loop_softmax(row) for row in divided]
        assert got.divisor == divisor
        assert got.spread == pytest.approx(pstdev([score for row in divided for score in row]), rel=1e-9)
        assert got.entropy == pytest.approx(fmean(map(loop_entropy, weights)), rel=1e-9, abs=1e-12)
        assert got.gradient == pytest.approx(fmean(map(loop_gradient, weights)), rel=1e-7, abs=1e-9)
        assert got.largest == pytest.approx(fmean(map(max, weights)), rel=1e-9)
        assert got.first == pytest.approx(sorted(weights[0], reverse=True), rel=1e-9)


def test_the_same_seed_draws_the_same_numbers_and_another_seed_others():
    assert experiment(3, 8) == experiment(3, 8)
    assert experiment(3, 8) != experiment(4, 8)
    assert tuple(row.d_k for row in experiment(3, 8)) == SIZES == tuple(2**i for i in range(10))


def test_nothing_but_the_seed_is_random():
    torch.manual_seed(1)
    before = draw(0, 4).q
    torch.manual_seed(2)
    assert torch.equal(draw(0, 4).q, before)


@pytest.mark.parametrize("n_k", [1, 2, 7, 64])
def test_shapes_and_types(n_k):
    drawn = draw(0, n_k)
    assert drawn.q.shape == (SCORES // n_k, 1, 512)
    assert drawn.k.shape == (SCORES // n_k, n_k, 512)
    assert drawn.scores(3).shape == (SCORES // n_k, n_k)
    assert drawn.scores(3).dtype == torch.float64


# --- the theory ------------------------------------------------------------------------------------------------


@each("sigma", [0.5, 1.0, 2.0])
@each("at", range(len(SIZES)))
def test_the_variance_of_a_score_is_d_k_times_sigma_to_the_fourth(at, sigma):
    """And after dividing by √d_k it is σ⁴, whatever d_k."""
    rows = [measured(seed, 2, sigma)[at] for seed in SEEDS]
    variance = fmean(row.plain.spread**2 for row in rows)
    assert variance == pytest.approx(SIZES[at] * sigma**4, rel=0.05)
    assert fmean(row.scaled.spread**2 for row in rows) == pytest.approx(sigma**4, rel=0.05)


@pytest.mark.parametrize("n_k", [2, 5, 64])
def test_scaling_keeps_entropy_and_gradient_and_its_lack_loses_both(n_k):
    rows = experiment(0, n_k)
    narrow, wide = rows[0], rows[-1]
    assert narrow.plain == narrow.scaled  # √1 = 1
    assert wide.scaled.entropy > 0.8 * narrow.scaled.entropy
    assert wide.scaled.gradient > 0.8 * narrow.scaled.gradient
    assert wide.plain.entropy < 0.15 * log(n_k)
    assert wide.plain.gradient < 0.6 * wide.scaled.gradient
    assert wide.plain.largest > 0.9
    assert wide.scaled.largest < wide.plain.largest


@pytest.mark.parametrize("n_k", [2, 9, 64])
def test_bounds_hold_in_every_row(n_k):
    for row in experiment(1, n_k):
        for found in (row.plain, row.scaled):
            assert 0 <= found.entropy <= log(n_k)
            assert 0 <= found.gradient <= 0.5
            assert 1 / n_k <= found.largest <= 1
            assert sum(found.first) == pytest.approx(1)


# --- the measures ----------------------------------------------------------------------------------------------


@given(distributions())
def test_entropy_lies_between_0_and_ln_n(weights):
    found = float(entropy(weights))
    assert -1e-12 <= found <= log(len(weights)) + 1e-12
    assert found == pytest.approx(loop_entropy(weights.tolist()), abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 64])
def test_entropy_reaches_its_bounds(n):
    assert float(entropy(torch.full((n,), 1 / n, dtype=torch.float64))) == pytest.approx(log(n), abs=1e-12)
    assert float(entropy(torch.eye(n, dtype=torch.float64)[0])) == 0


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=6))
def test_the_jacobian_is_the_one_of_autograd(scores):
    given_scores = torch.tensor(scores, dtype=torch.float64)
    expected = torch.autograd.functional.jacobian(lambda x: torch.softmax(x, -1), given_scores)
    found = softmax_jacobian(torch.softmax(given_scores, -1))
    assert torch.allclose(found, expected, rtol=1e-9, atol=1e-15)
    assert torch.allclose(found.sum(-1), torch.zeros(len(scores), dtype=torch.float64), atol=1e-15)


@given(distributions())
def test_the_gradient_is_at_most_one_half(weights):
    found = float(gradient_size(weights))
    assert 0 <= found <= 0.5 + 1e-12
    assert found == pytest.approx(loop_gradient(weights.tolist()), abs=1e-8)


@pytest.mark.parametrize("n", [1, 2, 3, 64])
def test_the_gradient_of_equal_and_of_single_weights(n):
    assert float(gradient_size(torch.full((n,), 1 / n, dtype=torch.float64))) == pytest.approx(
        sqrt(n - 1) / n, abs=1e-12
    )
    assert float(gradient_size(torch.eye(n, dtype=torch.float64)[0])) == 0


def test_a_gradient_next_to_nothing_keeps_its_digits():
    """p = (1 − ε, ε): J = ε(1 − ε)·[[1, −1], [−1, 1]], whose norm is 2ε(1 − ε)."""
    tiny = 1e-18
    assert float(gradient_size(torch.tensor([1.0, tiny], dtype=torch.float64))) == pytest.approx(
        2 * tiny, rel=1e-9, abs=0
    )


def test_keys_in_view_counts_the_keys_of_an_even_row():
    assert keys_in_view([0.5, 0.5, 0]) == pytest.approx(2)
    assert keys_in_view([0, 1, 0]) == 1
    assert keys_in_view([0.2] * 5) == pytest.approx(5)


def test_overlap_by_hand():
    assert overlap([0.5, 0.5, 0], [0, 0.5, 0.5]) == 0.5
    assert overlap([1, 0], [0, 1]) == 0
    assert overlap([0.25, 0.75], [0.25, 0.75]) == 1


@given(distributions(4), distributions(4))
def test_overlap_is_what_both_give_to_the_same_keys(a, b):
    size = min(len(a), len(b))
    first, second = (torch.softmax(x[:size], -1).tolist() for x in (a, b))
    shared = sum(min(x, y) for x, y in zip(first, second, strict=True))
    assert overlap(first, second) == pytest.approx(shared, abs=1e-12) == overlap(second, first)


@each("name", library())
def test_agreement_is_the_mean_of_its_queries(name):
    computed = trace(built_in(name))
    heads, alive = len(computed.example.heads), [not dead for dead in computed.fully_masked[0]]
    found = agreement(computed)
    each = [agreement(computed, query) for query, lives in enumerate(alive) if lives]
    for a in range(heads):
        assert found[a][a] == 1
        for b in range(heads):
            assert found[a][b] == found[b][a] == pytest.approx(fmean(rows[a][b] for rows in each))
            assert 0 <= found[a][b] <= 1


def test_heads_of_the_same_matrices_agree_and_dead_queries_do_not_count():
    computed = trace(built_in("padding"))
    assert agreement(computed, 2) == [[0.0] * len(computed.example.heads)] * len(computed.example.heads)
    head = Head(weights=((1.0, 0.0), (0.0, 1.0)), v=((1.0,), (2.0,)))
    other = Head(weights=((1.0, 0.0), (1.0, 0.0)), v=((1.0,), (2.0,)))
    example = Example(title="", tokens=("a", "b"), heads=(head, other), scale="none")
    assert agreement(trace(example)) == [[1, 0.5], [0.5, 1]]
