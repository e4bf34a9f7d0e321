"""Traces against torch's own attention, in float64, on random shapes whose sizes are distinct primes."""

from random import Random

import pytest
import torch
from torch import Tensor
from torch.nn import MultiheadAttention
from torch.nn import functional as F  # noqa: N812  # its usual name

from mha_core import AddMask, AllowMask, Example, Head, backend, trace, validate

NEG_INF = float("-inf")
HERE = backend("cpu", "float64")

SHAPES = [  # n_q, n_k, h, d_model, d_context, d_k, d_v, d_out
    (7, 11, 3, 13, 17, 5, 2, 19),
    (2, 3, 5, 7, 11, 13, 17, 23),
    (13, 5, 2, 3, 7, 11, 19, 17),
    (3, 2, 7, 5, 13, 2, 11, 29),
]
MASKS = ["none", "allow", "add", "causal"]


@pytest.mark.parametrize("biased", [False, True], ids=["no biases", "biases"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_scaled_dot_product_attention(shape, mask, biased):
    """Cross-attention with d_v ≠ d_k, and W_O; causal with n_k ≠ n_q counts both from the start."""
    example = _example(Random(f"sdpa {shape} {mask} {biased}"), shape, mask=mask, biased=biased)
    found = trace(example, HERE).values
    x, context = _tensor(example.x), _tensor(example.context)
    heads = []
    for head in example.heads:
        q = F.linear(x, _tensor(head.w_q).T, _tensor(head.b_q))
        k = F.linear(context, _tensor(head.w_k).T, _tensor(head.b_k))
        v = F.linear(context, _tensor(head.w_v).T, _tensor(head.b_v))
        heads.append(
            F.scaled_dot_product_attention(
                q[None], k[None], v[None], attn_mask=_attn_mask(example), is_causal=mask == "causal"
            )[0]
        )
    concat = torch.cat(heads, 1)
    _agree(found["head_outputs"], torch.stack(heads))
    _agree(found["concat"], concat)
    _agree(found["output"], F.linear(concat, _tensor(example.w_o).T, _tensor(example.b_o)))


@pytest.mark.parametrize("scale", ["none", 0.7, -2.0])
def test_scaled_dot_product_attention_with_another_divisor(scale):
    example = _example(Random(3), SHAPES[0], mask="none", biased=False, scale=scale)
    heads = [
        F.scaled_dot_product_attention(
            _tensor(example.x) @ _tensor(head.w_q),
            _tensor(example.context) @ _tensor(head.w_k),
            _tensor(example.context) @ _tensor(head.w_v),
            scale=1.0 if scale == "none" else 1 / scale,
        )
        for head in example.heads
    ]
    _agree(trace(example, HERE).values["head_outputs"], torch.stack(heads))


@pytest.mark.parametrize("biased", [False, True], ids=["no biases", "biases"])
@pytest.mark.parametrize("mask", ["none", "allow", "add"])
@pytest.mark.parametrize(("n_q", "n_k", "h", "d_k", "d_context"), [(7, 11, 3, 5, 13), (2, 3, 5, 7, 11)])
def test_multihead_attention_over_a_context(n_q, n_k, h, d_k, d_context, mask, biased):
    """torch's layer requires d_model = d_out = h·d_k and d_v = d_k; its context may have another width."""
    width = h * d_k
    shape = (n_q, n_k, h, width, d_context, d_k, d_k, width)
    example = _example(Random(f"cross {shape} {mask} {biased}"), shape, mask=mask, biased=biased)
    _layer_agrees(example)


@pytest.mark.parametrize("biased", [False, True], ids=["no biases", "biases"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize(("n", "h", "d_k"), [(7, 3, 5), (11, 2, 13), (2, 5, 3)])
def test_multihead_attention_to_itself(n, h, d_k, mask, biased):
    width = h * d_k
    shape = (n, n, h, width, None, d_k, d_k, width)
    example = _example(Random(f"self {shape} {mask} {biased}"), shape, mask=mask, biased=biased)
    _layer_agrees(example)


# --- the same numbers for both ---------------------------------------------------------------------------------


def _example(random: Random, shape, *, mask: str, biased: bool, scale="sqrt_dk") -> Example:
    n_q, n_k, h, d_model, d_context, d_k, d_v, d_out = shape

    def matrix(rows, cols):
        return tuple(tuple(random.gauss(0, 0.5) for _ in range(cols)) for _ in range(rows))

    def bias(size):
        return matrix(1, size)[0] if biased else None

    def head():
        source = d_context or d_model
        weights = {"w_q": matrix(d_model, d_k), "w_k": matrix(source, d_k), "w_v": matrix(source, d_v)}
        return Head(**weights, b_q=bias(d_k), b_k=bias(d_k), b_v=bias(d_v))

    return validate(
        Example(
            title="",
            tokens=tuple(map(str, range(n_q))),
            x=matrix(n_q, d_model),
            context=matrix(n_k, d_context) if d_context else None,
            heads=tuple(head() for _ in range(h)),
            w_o=matrix(h * d_v, d_out),
            b_o=bias(d_out),
            scale=scale,
            mask=_mask(random, mask, n_q, n_k),
        )
    )


def _mask(random: Random, kind: str, n_q: int, n_k: int):
    """A mask that leaves every query some key. Where a query sees none, torch and this program differ on purpose."""
    hidden = [[random.random() < 0.4 for _ in range(n_k)] for _ in range(n_q)]
    for row in hidden:
        row[random.randrange(n_k)] = False
    if kind == "allow":
        return AllowMask(tuple(tuple(not cell for cell in row) for row in hidden))
    if kind == "add":
        return AddMask(
            tuple(tuple(NEG_INF if cell else random.gauss(0, 1) for cell in row) for row in hidden)
        )
    return "causal" if kind == "causal" else None


def _attn_mask(example: Example) -> Tensor | None:
    """The mask for F.scaled_dot_product_attention: True may attend; or numbers to add."""
    if isinstance(example.mask, AllowMask):
        return torch.tensor(example.mask.allow)
    return torch.tensor(example.mask.add, dtype=torch.float64) if isinstance(example.mask, AddMask) else None


def _layer_agrees(example: Example) -> None:
    dims = example.dims
    layer = MultiheadAttention(
        dims.d_model,
        dims.h,
        kdim=dims.d_context,
        vdim=dims.d_context,
        bias=example.b_o is not None,
        dtype=torch.float64,
    )
    weights = {
        name: torch.cat([_tensor(getattr(head, name)) for head in example.heads], 1) for name in _WEIGHTS
    }
    with torch.no_grad():
        if example.context is None:
            layer.in_proj_weight.copy_(torch.cat(list(weights.values()), 1).T)
        else:
            for name, weight in weights.items():
                getattr(layer, name.removeprefix("w_") + "_proj_weight").copy_(weight.T)
        layer.out_proj.weight.copy_(_tensor(example.w_o).T)
        if example.b_o is not None:
            biases = [_tensor(getattr(head, name)) for name in _BIASES for head in example.heads]
            layer.in_proj_bias.copy_(torch.cat(biases))
            layer.out_proj.bias.copy_(_tensor(example.b_o))
    x, source = _tensor(example.x), _tensor(example.source_rows)
    mask = _attn_mask(example)
    if example.mask == "causal":
        mask = torch.ones(dims.n_q, dims.n_k, dtype=torch.bool).tril()
    if mask is not None and mask.dtype == torch.bool:
        mask = ~mask  # in this layer True hides
    output, attention = layer(x, source, source, attn_mask=mask, average_attn_weights=False)
    found = trace(example, HERE).values
    _agree(found["weights"], attention)
    _agree(found["output"], output)


_WEIGHTS = ("w_q", "w_k", "w_v")
_BIASES = ("b_q", "b_k", "b_v")


def _tensor(rows) -> Tensor:
    return None if rows is None else torch.tensor(rows, dtype=torch.float64)


def _agree(found, expected: Tensor) -> None:
    here = torch.tensor(found, dtype=torch.float64)
    assert here.shape == expected.shape
    assert (here - expected).abs().max().item() <= 1e-12
