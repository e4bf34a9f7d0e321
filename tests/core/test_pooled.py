"""Pooled maps of attention weights against the dense map, block by block."""

from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from mha_core import CellError, ExampleError
from mha_core.compute import pooled
from mha_core.compute.pooled import pooled_weights
from tests.sizes import tries

DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA")),
]
PRIMES = st.sampled_from([1, 2, 3, 5, 7, 11, 13, 23, 31])


def drawn(*shape, seed=0, dtype=torch.float64, device="cpu"):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(device, dtype)


def dense(q, k, allow=None, added=0.0, divisor=None):
    """Every weight: … × h × n_q × n_k."""
    k = k.repeat_interleave(q.shape[-3] // k.shape[-3], -3) if q.dim() > 2 else k
    scores = q @ k.mT / (divisor or q.shape[-1] ** 0.5) + added
    if allow is not None:
        scores = scores.masked_fill(~allow, float("-inf"))
    empty = (scores == float("-inf")).all(-1, keepdim=True)
    return scores.softmax(-1).masked_fill(empty, 0.0)


def blocks(weights, by, rows, columns):
    """The expected pooled map, cell by cell in plain loops."""
    cells = weights.new_empty(*weights.shape[:-2], len(rows), len(columns))
    for (r, i), (c, j) in product(enumerate(rows), enumerate(columns)):
        block = weights[..., i : min(i + rows.step, rows.stop), j : min(j + columns.step, columns.stop)]
        cells[..., r, c] = block.amax((-2, -1)) if by == "max" else block.mean((-2, -1))
    return cells


class Largest(TorchDispatchMode):
    """The size of the largest tensor that is created meanwhile."""

    numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, tuple | list) else [result]:
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                self.numbers = max(self.numbers, storage.nbytes() // tensor.element_size())
        return result


def test_by_hand():
    """Scores ln 1, ln 3 | ln 1, ln 1 and so on: rows (1/4, 3/4, 0), (1/3, 1/3, 1/3), (0, 1/4, 3/4) of three keys."""
    log3 = torch.tensor(3.0).log().item()
    q = torch.eye(3)
    k = torch.tensor([[0.0, 0.0, -1e9], [log3, 0.0, 0.0], [-1e9, 0.0, log3]])
    weights = torch.tensor([[0.25, 0.75, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.0, 0.25, 0.75]])
    exact = pooled_weights(q, k, divisor=1.0)
    assert exact.queries == exact.keys == range(3)
    torch.testing.assert_close(exact.values, weights)
    largest = pooled_weights(q, k, (2, 2), divisor=1.0)
    assert largest.queries == largest.keys == range(0, 3, 2)
    torch.testing.assert_close(largest.values, torch.tensor([[0.75, 1 / 3], [0.25, 0.75]]))
    mean = pooled_weights(q, k, (2, 2), by="mean", divisor=1.0)
    first, right, below = (1 / 4 + 3 / 4 + 2 / 3) / 4, (0 + 1 / 3) / 2, (0 + 1 / 4) / 2
    torch.testing.assert_close(mean.values, torch.tensor([[first, right], [below, 0.75]]))


MASKS = {
    "none": lambda allow, added: (None, {}),
    "causal": lambda allow, added: ("causal", {"allow": torch.ones(allow.shape[-2:]).tril().bool()}),
    "booleans": lambda allow, added: (allow[0], {"allow": allow[0]}),
    "booleans of heads": lambda allow, added: (allow, {"allow": allow}),
    "numbers": lambda allow, added: (added, {"added": added}),
    "a function": lambda allow, added: (
        lambda queries, keys: (queries - keys) % 3 == 0,
        {"allow": (torch.arange(allow.shape[-2])[:, None] - torch.arange(allow.shape[-1])) % 3 == 0},
    ),
    "a function of numbers": lambda allow, added: (
        lambda queries, keys: -0.5 * (queries - keys).abs().double(),
        {"added": -0.5 * (torch.arange(allow.shape[-2])[:, None] - torch.arange(allow.shape[-1])).abs()},
    ),
}


@st.composite
def parts(draw, n):
    """Some tokens in a row."""
    start = draw(st.integers(0, n - 1))
    return draw(st.none() | st.builds(range, st.just(start), st.integers(start + 1, n)))


@tries(30)
@given(st.data())
def test_every_map_is_the_dense_one_in_blocks(data):
    """Ragged blocks, parts of the map, shared keys, any mask; tiles of one query, of a few, and of all."""
    n_q, n_k = data.draw(PRIMES), data.draw(PRIMES)
    heads, kv_heads = data.draw(st.sampled_from([(1, 1), (3, 3), (4, 2), (3, 1)]))
    q, k = drawn(heads, n_q, 5, seed=1), drawn(kv_heads, n_k, 5, seed=2)
    allow = drawn(heads, n_q, n_k, seed=3) > 0.3
    added = drawn(n_q, n_k, seed=4).masked_fill(~allow[0], float("-inf"))
    mask, dense_mask = MASKS[data.draw(st.sampled_from(sorted(MASKS)))](allow, added)
    divisor = data.draw(st.sampled_from([None, 0.5, -2.0]))
    size = data.draw(st.tuples(st.integers(1, 12), st.integers(1, 12)))
    queries, keys = data.draw(parts(n_q)), data.draw(parts(n_k))
    by = data.draw(st.sampled_from(["max", "mean"]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooled, "TILE", data.draw(st.sampled_from([1, 20, 2**20])))
        patch.setattr(pooled, "FEW", data.draw(st.sampled_from([1, 3])))
        found = pooled_weights(q, k, size, by=by, queries=queries, keys=keys, mask=mask, divisor=divisor)
    for blocked, part, n, most in ((found.queries, queries, n_q, size[0]), (found.keys, keys, n_k, size[1])):
        assert (blocked.start, blocked.stop) == ((0, n) if part is None else (part.start, part.stop))
        assert len(blocked) <= most
        assert blocked.step == 1 or len(range(blocked.start, blocked.stop, blocked.step - 1)) > most
    weights = dense(q, k, **dense_mask, divisor=divisor)
    expected = blocks(weights, by, found.queries, found.keys)
    torch.testing.assert_close(found.values, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("by", ["max", "mean"])
@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize(("dtype", "most"), [(torch.float32, 1e-6), (torch.float64, 1e-14)])
def test_at_1024_tokens(device, by, mask, dtype, most):
    q, k = (drawn(2, 1024, 64, seed=seed, dtype=dtype, device=device) for seed in (1, 2))
    allow = torch.ones(1024, 1024, dtype=torch.bool, device=device).tril() if mask else None
    weights = dense(q, k, allow)
    found = pooled_weights(q, k, (300, 256), by=by, mask=mask)
    assert found.values.shape == (2, 256, 256)
    in_blocks = weights.view(2, 256, 4, 256, 4)
    expected = in_blocks.amax((2, 4)) if by == "max" else in_blocks.mean((2, 4))
    assert (found.values - expected).abs().max() <= most
    part = pooled_weights(q, k, queries=range(700, 761), keys=range(650, 711), by=by, mask=mask)
    assert (part.values - weights[:, 700:761, 650:711]).abs().max() <= most


def test_axes_before_the_heads_and_no_heads():
    """A batch with padding, and a single head without an axis for heads."""
    q, k = drawn(2, 4, 7, 3, seed=1), drawn(2, 2, 7, 3, seed=2)
    keys = torch.tensor([[True] * 5 + [False] * 2, [True] * 7])[:, None, None, :]
    found = pooled_weights(q, k, (3, 2), mask=keys)
    assert found.values.shape == (2, 4, 3, 2)
    for at, head in product(range(2), range(4)):
        alone = pooled_weights(q[at, head], k[at, head // 2], (3, 2), mask=keys[at, 0])
        torch.testing.assert_close(found.values[at, head], alone.values, rtol=0, atol=1e-15)
    torch.testing.assert_close(
        found.values, blocks(dense(q, k, keys), "max", found.queries, found.keys), rtol=0, atol=1e-14
    )


@pytest.mark.parametrize("mask", [None, "causal", lambda queries, keys: keys <= queries])
def test_never_all_weights_at_once(mask):
    """700 × 700 weights are 490,000 numbers, of which at most 20 rows exist at a time."""
    q = k = drawn(700, 4)
    with pytest.MonkeyPatch.context() as patch, Largest() as largest:
        patch.setattr(pooled, "TILE", 20 * 700)
        patch.setattr(pooled, "FEW", 1)
        pooled_weights(q, k, (35, 50), mask=mask)
    assert largest.numbers == 20 * 700


def test_what_is_beyond_the_diagonal_is_not_computed():
    """Of 64 queries in tiles of 8, the first 8 see 8 keys, the next 16, and so on; a part above sees none."""
    computed = []
    product_of = torch.mm

    def counted(a, b, **out):
        computed.append(len(a) * b.shape[1])
        return product_of(a, b, **out)

    q = k = drawn(64, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooled, "TILE", 8 * 64)
        patch.setattr(pooled, "FEW", 1)
        patch.setattr(torch, "mm", counted)
        pooled_weights(q, k, (8, 8), mask="causal")
        assert computed == [8 * seen for seen in range(8, 65, 8)]
        computed.clear()
        above = pooled_weights(q, k, (8, 8), queries=range(32), keys=range(32, 64), mask="causal")
        assert not computed
        assert not above.values.any()


def test_inputs_are_left_as_they_are():
    q, k, added = drawn(2, 5, 3, seed=1), drawn(2, 7, 3, seed=2), drawn(5, 7, seed=3)
    before = [tensor.clone() for tensor in (q, k, added)]
    pooled_weights(q.requires_grad_(), k, (2, 2), mask=added)
    assert all(map(torch.equal, (q, k, added), before))


@pytest.mark.parametrize(
    ("shapes", "options", "error", "sentence"),
    [
        (((2, 5, 3), (2, 7, 4)), {}, ExampleError, "k: expected 2 × n_k × 3, got 2 × 7 × 4"),
        (((4, 5, 3), (3, 7, 3)), {}, ExampleError, "k: expected 4 × n_k × 3, got 3 × 7 × 3"),
        (((5, 3), (1, 7, 3)), {}, ExampleError, "k: expected n_k × 3, got 1 × 7 × 3"),
        (((5, 3), (0, 3)), {}, ExampleError, "k: expected n_k × 3, got 0 × 3"),
        (((5, 3), (7, 3)), {"mask": torch.ones(7, 5)}, ExampleError, "mask: expected 5 × 7, got 7 × 5"),
        (((5, 3), (7, 3)), {"size": (0, 5)}, CellError, "size: expected 1 to 5, got 0"),
        (
            ((5, 3), (7, 3)),
            {"queries": range(2, 6)},
            CellError,
            "queries: expected a range within 0 to 5, got 2 to 6",
        ),
        (
            ((5, 3), (7, 3)),
            {"keys": range(3, 3)},
            CellError,
            "keys: expected a range within 0 to 7, got 3 to 3",
        ),
        (
            ((5, 3), (7, 3)),
            {"keys": range(-1, 3)},
            CellError,
            "keys: expected a range within 0 to 7, got -1 to 3",
        ),
    ],
)
def test_an_error_names_what_does_not_fit(shapes, options, error, sentence):
    q, k = map(torch.zeros, shapes)
    with pytest.raises(error) as raised:
        pooled_weights(q, k, **options)
    assert str(raised.value) == sentence
