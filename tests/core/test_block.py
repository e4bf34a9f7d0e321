"""A transformer block: equal to torch's own layer, and every cell explained by its own numbers."""

from dataclasses import replace

import pytest
import torch

from mha_core import CellError, Example, ExampleError, Head, built_in
from mha_core.compute.block import BLOCK_STEPS, Block, block_arithmetic, layer_norm, trace_block


def drawn(*shape, seed):
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randn(shape, generator=generator, dtype=torch.float64)
    return tuple(map(tuple, rows.tolist()))


def block(n=5, d_model=6, heads=3, d_hidden=7, mask=None):
    d = d_model // heads
    layer = Example(
        title="block",
        tokens=tuple(map(str, range(n))),
        x=drawn(n, d_model, seed=1),
        heads=tuple(
            Head(
                **{name: drawn(d_model, d, seed=10 * g + at) for at, name in enumerate(("w_q", "w_k", "w_v"))}
            )
            for g in range(heads)
        ),
        w_o=drawn(d_model, d_model, seed=2),
        mask=mask,
    )
    return Block(layer, drawn(d_model, d_hidden, seed=3), drawn(d_hidden, d_model, seed=4))


def tensor(rows):
    return torch.tensor(rows, dtype=torch.float64)


@pytest.mark.parametrize("mask", [None, "causal"])
def test_a_block_is_torch_s_own_layer_with_the_norms_first(mask):
    given = block(mask=mask)
    d_model, d_hidden = len(given.w_1), len(given.w_2)
    layer = torch.nn.TransformerEncoderLayer(
        d_model, 3, d_hidden, dropout=0.0, norm_first=True, batch_first=True, bias=False, dtype=torch.float64
    )
    packed = [
        torch.cat([tensor(getattr(h, name)) for h in given.layer.heads], 1).T
        for name in ("w_q", "w_k", "w_v")
    ]
    with torch.no_grad():
        layer.self_attn.in_proj_weight.copy_(torch.cat(packed))
        layer.self_attn.out_proj.weight.copy_(tensor(given.layer.w_o).T)
        layer.linear1.weight.copy_(tensor(given.w_1).T)
        layer.linear2.weight.copy_(tensor(given.w_2).T)
        hidden = torch.triu(torch.ones(5, 5, dtype=torch.bool), 1) if mask else None
        expected = layer(tensor(given.layer.x).unsqueeze(0), src_mask=hidden)[0]
    torch.testing.assert_close(tensor(trace_block(given).values["y"]), expected, rtol=1e-12, atol=1e-12)


def test_a_norm_by_hand():
    """The mean of 2, 0, 0 is ⅔, their variance 8/9; the variance of 1, 3 is 1."""
    assert layer_norm(tensor([[2, 0, 0]])).tolist()[0] == pytest.approx(
        [2**0.5, -(0.5**0.5), -(0.5**0.5)], abs=1e-4
    )
    assert layer_norm(tensor([[1, 3]])).tolist()[0] == pytest.approx([-1, 1], abs=1e-4)


def test_a_row_of_equal_numbers_becomes_zeros():
    assert layer_norm(tensor([[3, 3, 3]])).tolist() == [[0, 0, 0]]


def test_without_what_the_two_parts_add_the_block_returns_its_input():
    given = block()
    off = replace(given.layer, w_o=tuple(tuple(0.0 for _ in row) for row in given.layer.w_o))
    zeros = tuple(tuple(0.0 for _ in row) for row in given.w_2)
    assert trace_block(Block(off, given.w_1, zeros)).values["y"] == [list(row) for row in given.layer.x]


@pytest.mark.parametrize("step", [step.name for step in BLOCK_STEPS])
def test_the_arithmetic_of_every_cell_gives_its_number(step):
    traced = trace_block(block())
    for i, row in enumerate(traced.values[step]):
        for j, value in enumerate(row):
            line = block_arithmetic(traced, step, i, j, decimals=9)
            left, _, right = line.replace("≈", "=").rpartition(" = ")
            signs = {"−": "-", "·": "*", "÷": "/"}
            for sign, python in signs.items():
                left, right = left.replace(sign, python), right.replace(sign, python)
            assert eval(left) == pytest.approx(value, abs=1e-6), line
            assert eval(right) == pytest.approx(value, abs=1e-6), line


def test_there_is_no_other_step():
    with pytest.raises(CellError, match=r"^softmax is not a step of a block$"):
        block_arithmetic(trace_block(block()), "softmax", 0, 0)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            lambda b: replace(b, layer=replace(b.layer, w_o=None)),
            "layer: a block needs a layer with X and W_O",
        ),
        (lambda b: replace(b, layer=built_in("translation")), "layer: a block needs a layer with X and W_O"),
        (
            lambda b: replace(b, layer=replace(b.layer, w_o=drawn(6, 4, seed=1))),
            "layer.w_o: the layer's output has 4 columns, but X has 6; they are added",
        ),
        (lambda b: replace(b, w_1=drawn(5, 7, seed=1)), "w_1: expected 6 × 7, got 5 × 7"),
        (lambda b: replace(b, w_2=drawn(6, 6, seed=1)), "w_2: expected 7 × 6, got 6 × 6"),
    ],
    ids=["no W_O", "a context", "W_O too narrow", "W_1", "W_2"],
)
def test_sizes_that_do_not_fit_are_refused(changed, sentence):
    with pytest.raises(ExampleError) as refused:
        trace_block(changed(block()))
    assert str(refused.value).startswith(sentence)
