"""Examples from queries, keys and values: arrays, tensors and lists."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F  # noqa: N812  # its usual name

from mha_core import AllowMask, ExampleError, InteropError, parse, pretty, trace
from mha_core.interop import from_qkv
from tests.core.reference import largest_difference, reference

RANDOM = np.random.default_rng(0)


def cube(*shape):
    return RANDOM.normal(size=shape)


@pytest.mark.parametrize(
    "as_given", [np.asarray, torch.tensor, np.ndarray.tolist], ids=["numpy", "torch", "lists"]
)
def test_heads_of_queries_keys_and_values(as_given):
    q, k, v = cube(3, 5, 4), cube(3, 6, 4), cube(3, 6, 2)
    example = from_qkv(as_given(q), as_given(k), as_given(v))
    assert (example.tokens, example.dims.n_k, example.kv_heads) == (("1", "2", "3", "4", "5"), 6, None)
    rows = [torch.tensor(part) for part in (q, k, v)]
    wanted = F.scaled_dot_product_attention(rows[0], rows[1], rows[2])
    assert (trace(example)["head_outputs"].cpu() - wanted).abs().max() <= 1e-12
    assert largest_difference(trace(example).values, reference(example)) <= 1e-12
    assert parse(pretty(example)) == example


def test_each_head_may_have_a_sink():
    q, k = cube(3, 5, 4), cube(3, 6, 4)
    example = from_qkv(q, k, sinks=np.array([0.5, -np.inf, 2.0]))
    assert [head.sink for head in example.heads] == [(0.5,), None, (2.0,)]
    scores = torch.tensor(q @ k.mT / 2)
    extra = torch.tensor([0.5, -torch.inf, 2.0])[:, None, None].expand(3, 5, 1)
    wanted = torch.cat((scores, extra), -1).softmax(-1)[..., :-1]
    assert (trace(example)["weights"].cpu() - wanted).abs().max() <= 1e-12
    with pytest.raises(InteropError, match="sinks: expected as many numbers as q has heads, 3, got 2"):
        from_qkv(q, k, sinks=[1, 2])


def test_one_head_without_an_axis_for_it():
    q, k = cube(3, 4), cube(3, 4)
    example = from_qkv(q, k, tokens=["I", "am", "here"], mask="causal", scale="none", title="one")
    assert (len(example.heads), example.title, example.mask, example.scale) == (1, "one", "causal", "none")
    assert example.heads[0].v is None  # it ends at the weights
    scores = torch.tensor(q @ k.T).masked_fill(torch.ones(3, 3).triu(1) == 1, -torch.inf)
    assert (trace(example)["weights"].cpu()[0] - scores.softmax(-1)).abs().max() <= 1e-12


def test_fewer_keys_and_values_serve_equally_many_heads():
    q, k, v = cube(4, 3, 2), cube(2, 3, 2), cube(2, 3, 5)
    example = from_qkv(q, k, v)
    assert example.kv_heads == 2
    rows = [torch.tensor(part[None]) for part in (q, k, v)]
    wanted = F.scaled_dot_product_attention(rows[0], rows[1], rows[2], enable_gqa=True)[0]
    assert (trace(example)["head_outputs"].cpu() - wanted).abs().max() <= 1e-12


def test_masks_and_names_of_keys():
    allow = np.array([[True, False, True], [True, True, True]])
    q, k, v = cube(1, 2, 2), cube(1, 3, 2), cube(1, 3, 2)
    example = from_qkv(q, k, v, ["a", "b"], context_tokens=["x", "y", "z"], mask=allow, scale=2.0)
    assert example.mask == AllowMask(((True, False, True), (True, True, True)))
    assert (example.context_tokens, example.scale) == (("x", "y", "z"), 2.0)
    added = np.array([[0.0, -np.inf, 1.5], [0.0, 0.0, 0.0]])
    weights = trace(from_qkv(q, k, v, mask=added))["weights"].cpu()[0]
    scores = torch.tensor(q[0] @ k[0].T / 2**0.5 + added)
    assert (weights - scores.softmax(-1)).abs().max() <= 1e-12


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_numbers_are_taken_exactly(dtype):
    q = torch.tensor(cube(1, 3, 2)).to(dtype)
    example = from_qkv(q, q, q)
    assert torch.equal(torch.tensor(example.heads[0].q, dtype=torch.float64), q[0].double())


AXES = "expected heads × tokens × columns, or tokens × columns of one head, got {} axes"
LARGEST = "expected at most 16 heads of 64 tokens and 64 columns, got {}"
DIVIDES = "k: expected a number of heads that divides those of q, {}, got {}"


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        (((3,), (3, 2)), f"q: {AXES.format(1)}"),
        (((3, 2), (1, 1, 3, 2)), f"k: {AXES.format(4)}"),
        (((), (3, 2)), f"q: {AXES.format(0)}"),
        (((17, 3, 2), (17, 3, 2)), f"q: {LARGEST.format('17 × 3 × 2')}"),
        (((3, 2), (65, 2)), f"k: {LARGEST.format('65 × 2')}"),
        (((12, 4096, 64), (3, 2)), f"q: {LARGEST.format('12 × 4096 × 64')}"),
        (((3, 4, 2), (2, 4, 2)), DIVIDES.format(3, 2)),
        (((2, 4, 2), (4, 4, 2)), DIVIDES.format(2, 4)),
        (((4, 4, 2), (2, 4, 2), (4, 4, 2)), "v: expected as many heads as the keys have, 2, got 4"),
    ],
)
def test_shapes_that_cannot_be_queries_keys_and_values_are_refused(shapes, sentence):
    with pytest.raises(InteropError) as error:
        from_qkv(*map(np.ones, shapes))
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("q", "k", "sentence"),
    [
        (np.ones((1, 3, 2)), np.ones((1, 3, 4)), "heads[0].k: expected 3 × 2, got 3 × 4"),
        ([[1, 2], [3]], np.ones((2, 2)), "heads[0].q[1]: expected 2 numbers, got 1"),
        ([[1, "2"]], np.ones((1, 2)), 'heads[0].q[0][1]: expected a number, got "2"'),
        (np.full((1, 2), np.nan), np.ones((1, 2)), "heads[0].q[0][0]: expected a number from -1e+12 to 1e+12, got nan"),
        ([[]], [[]], "heads[0].q: expected at least one number, got none"),
    ],
)  # fmt: skip
def test_an_error_of_the_example_names_its_place(q, k, sentence):
    with pytest.raises(ExampleError) as error:
        from_qkv(q, k)
    assert str(error.value) == sentence
