"""Weights without the other steps: the numbers of the trace and of torch's own layer, in the memory of one table."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from mha_core import ExampleError, backend, from_arrays, trace
from mha_core.compute.graph import weight_graph
from mha_core.compute.weights import attention_weights, only
from tests.sizes import tries

DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA")),
]


def drawn(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


class Tables(TorchDispatchMode):
    """The memory of each tensor of at least so many numbers that is created meanwhile."""

    def __init__(self, numbers):
        super().__init__()
        self.numbers, self.found = numbers, {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result.is_floating_point() and result.numel() >= self.numbers:
            storage = result.untyped_storage()
            self.found[storage.data_ptr()] = storage
        return result


def test_by_hand():
    """Scores (2 ln 3, 0) and (0, 0), divided by 2: weights 3/4 and 1/4, then halves; causal, the first sees itself."""
    log3 = torch.tensor(3.0, dtype=torch.float64).log()
    q, k = (
        torch.tensor([[[2.0, 0.0], [0.0, 1.0]]], dtype=torch.float64),
        torch.zeros(1, 2, 2, dtype=torch.float64),
    )
    k[0, 0, 0] = log3
    torch.testing.assert_close(
        attention_weights(q=q, k=k, divisor=2.0),
        torch.tensor([[[0.75, 0.25], [0.5, 0.5]]], dtype=torch.float64),
    )
    torch.testing.assert_close(
        attention_weights(q=q, k=k, divisor=2.0, mask="causal"),
        torch.tensor([[[1.0, 0.0], [0.5, 0.5]]], dtype=torch.float64),
    )


@tries(10)
@given(st.data())
def test_they_are_the_weights_of_the_trace(data):
    """Whatever heads start from and whatever the mask, they are equal bit for bit."""
    n_q, n_k, d, d_context, d_k, heads = (data.draw(st.sampled_from([1, 2, 3, 5, 7])) for _ in range(6))
    crossed = data.draw(st.booleans())
    n_k, d_context = (n_k, d_context) if crossed else (n_q, d)
    given = {"x": drawn(n_q, d, seed=1)} | ({"context": drawn(n_k, d_context, seed=2)} if crossed else {})
    of_heads = {
        side: {side: drawn(heads, n, d_k, seed=seed)}
        if data.draw(st.booleans())
        else {f"w_{side}": drawn(heads, width, d_k, seed=seed)}
        | ({f"b_{side}": drawn(heads, 1, d_k, seed=seed + 1)} if data.draw(st.booleans()) else {})
        for side, n, width, seed in (("q", n_q, d, 3), ("k", n_k, d_context, 5))
    }
    matrices = of_heads["q"] | of_heads["k"]
    allow = drawn(n_q, n_k, seed=7) > 0.3
    mask = data.draw(
        st.sampled_from([None, "causal", allow, drawn(n_q, n_k, seed=8).masked_fill(~allow, -torch.inf)])
    )
    divisor = data.draw(st.sampled_from([None, 0.7]))
    example = from_arrays(
        **given,
        heads=[
            {name: tensor[head, 0] if name[0] == "b" else tensor[head] for name, tensor in matrices.items()}
            for head in range(heads)
        ],
        mask=mask,
        scale="sqrt_dk" if divisor is None else divisor,
    )
    found = attention_weights(**given, **matrices, mask=mask, divisor=divisor)
    assert torch.equal(found, trace(example, backend("cpu"))["weights"])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("dtype", "most"), [(torch.float32, 1e-6), (torch.float64, 1e-14)])
def test_torchs_own_layer(device, dtype, most):
    layer = torch.nn.MultiheadAttention(22, 2, batch_first=True, dtype=dtype, device=device).eval()
    x = drawn(1, 37, 22, dtype=dtype).to(device)
    allow = (drawn(37, 37, seed=1) > 0.2).to(device)
    allow[5] = True
    with torch.no_grad():
        layer.in_proj_bias.normal_(generator=torch.Generator(device).manual_seed(0))
        _, expected = layer(x, x, x, attn_mask=~allow, average_attn_weights=False)
        (w_q, w_k), (b_q, b_k) = (
            [part.unflatten(0, (2, 11)) for part in packed.chunk(3)[:2]]
            for packed in (layer.in_proj_weight, layer.in_proj_bias)
        )
    found = attention_weights(x[0], w_q.mT, w_k.mT, b_q[:, None], b_k[:, None], mask=allow)
    assert (found - expected[0]).abs().max() <= most


@pytest.mark.parametrize("mask", [None, "causal", torch.zeros(64, 64)])
def test_one_table_of_all_is_made(mask):
    x, w = drawn(64, 6, dtype=torch.float32), drawn(3, 6, 2, dtype=torch.float32)
    with Tables(3 * 64 * 64) as tables:
        found = attention_weights(x, w, w, mask=mask)
    assert list(tables.found) == [found.untyped_storage().data_ptr()]


def test_given_and_wanted_tensors_are_not_overwritten():
    q, k = drawn(2, 5, 3, seed=1), drawn(2, 7, 3, seed=2)
    before = q.clone(), k.clone()
    given = {"q": q, "k": k, "divisor": 2.0}
    steps = weight_graph(given, None)
    found = only(("scores", "weights"), steps, given, None)
    assert list(found) == ["scores", "weights"]
    assert all(map(torch.equal, (q, k, found["scores"]), (*before, q @ k.mT)))
    assert torch.equal(found["weights"], (q @ k.mT / 2.0).softmax(-1))
    assert torch.equal(
        only(("scaled_scores",), steps, given | {"scores": q @ k.mT}, None)["scaled_scores"], q @ k.mT / 2
    )


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        ({}, "x: missing"),
        ({"x": (5, 7), "w_q": (2, 7, 3)}, "w_k: missing"),
        ({"x": (5, 7), "w_q": (2, 7, 3), "w_k": (1, 7, 3)}, "w_k: expected 2 × 7 × 3, got 1 × 7 × 3"),
        ({"x": (7,), "w_q": (2, 7, 3), "w_k": (2, 7, 3)}, "x: expected 1 × 7, got 7"),
        ({"x": (5, 7), "w_q": (2, 6, 3), "w_k": (2, 7, 3)}, "w_q: expected 2 × 7 × 3, got 2 × 6 × 3"),
        ({"q": (2, 5, 3), "k": (2, 6, 4)}, "k: expected 2 × 6 × 3, got 2 × 6 × 4"),
        ({"q": (2, 5, 3), "k": (2, 6, 3), "mask": (6, 5)}, "mask: expected 2 × 5 × 6, got 6 × 5"),
    ],
)
def test_an_error_names_what_does_not_fit(shapes, sentence):
    given: Any = {name: torch.zeros(shape) for name, shape in shapes.items()}
    with pytest.raises(ExampleError) as raised:
        attention_weights(**given)
    assert str(raised.value) == sentence
