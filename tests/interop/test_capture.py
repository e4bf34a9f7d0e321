"""The captured attention is what the module computed: torch's own layers, and anybody's attention in several calls."""

import json
import threading
from math import log
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812  # its usual name

from mha_core import AddMask, AllowMask, ExampleError, InteropError, dump, from_token, parse, to_token, trace
from mha_core.example.band import BandMask
from mha_core.example.model import text_in
from mha_core.interop import Captured, capture
from mha_view.notebook import page

WITHIN = {torch.float32: 1e-6, torch.float64: 1e-12}
DTYPES = pytest.mark.parametrize("dtype", WITHIN, ids=["float32", "float64"])


def apart(captured, wanted):
    return (captured.double() - wanted.double()).abs().max().item()


def assert_same(captured: Captured, weights, outputs=None):
    """The weights and head outputs of a call, as captured and as its example computes them."""
    within = WITHIN[captured.v.dtype]
    assert apart(captured.weights, weights) <= within
    computed = trace(captured.example())
    assert apart(computed["weights"].cpu(), weights) <= within
    assert apart(computed["head_outputs"].cpu(), captured.outputs) <= within
    if outputs is not None:
        assert apart(captured.outputs, outputs) <= within


def randn(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def seeded(module, dtype=torch.float64):
    random = torch.Generator().manual_seed(1)
    module = module.to(dtype).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=random, dtype=torch.float64) / 2)
    return module


# --- nn.MultiheadAttention ---------------------------------------------------------------------------------------

CAUSAL = torch.ones(5, 5, dtype=torch.bool).triu(1)
MASKS: dict[str, dict[str, Any]] = {
    "none": {},
    "causal": {"attn_mask": CAUSAL},
    "causal, so called": {"attn_mask": CAUSAL, "is_causal": True},
    "hidden pairs": {"attn_mask": CAUSAL.roll(2, 1)},
    "numbers": {"attn_mask": randn(5, 5, seed=7)},
    "padding": {"key_padding_mask": torch.tensor([[False] * 5, [False, False, False, True, True]])},
    "both": {
        "attn_mask": CAUSAL,
        "key_padding_mask": torch.tensor([[False] * 5, [False, False, True, True, True]]),
    },
}


@DTYPES
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("bias", [True, False])
def test_torch_layer(dtype, mask, batch_first, bias):
    layer = seeded(nn.MultiheadAttention(12, 3, bias=bias, batch_first=batch_first), dtype)
    x = randn(2, 5, 12, dtype=dtype)
    rows = x if batch_first else x.transpose(0, 1)
    given = {
        name: value.to(dtype) if isinstance(value, torch.Tensor) and value.is_floating_point() else value
        for name, value in MASKS[mask].items()
    }
    with torch.no_grad():
        output, weights = layer(rows, rows, rows, **given, average_attn_weights=False)
    output = output if batch_first else output.transpose(0, 1)
    for sample in range(2):
        (captured,) = capture(layer, (rows, rows, rows), list("abcde"), keywords=given, sample=sample)
        assert_same(captured, weights[sample])
        assert (captured.tokens, captured.context_tokens, captured.scale) == (tuple("abcde"), None, "sqrt_dk")
        concat = captured.outputs.transpose(0, 1).flatten(1)
        assert (
            apart(F.linear(concat, layer.out_proj.weight, layer.out_proj.bias), output[sample])
            <= WITHIN[dtype] * 10
        )
        assert captured.causal is (mask.startswith("causal") or (mask == "both" and sample == 0))


@DTYPES
@pytest.mark.parametrize("need_weights", [True, False])
def test_torch_layer_with_a_context_of_other_widths(dtype, need_weights):
    layer = seeded(nn.MultiheadAttention(12, 2, kdim=7, vdim=9, batch_first=True), dtype)
    q, k, v = randn(1, 3, 12, dtype=dtype), randn(1, 4, 7, dtype=dtype), randn(1, 4, 9, dtype=dtype)
    with torch.no_grad():
        _, weights = layer(q, k, v, average_attn_weights=False)
    (captured,) = capture(
        layer, (q, k, v), list("abc"), context_tokens=list("wxyz"), keywords={"need_weights": need_weights}
    )
    assert_same(captured, weights[0])
    assert captured.example().context_tokens == tuple("wxyz")
    assert captured.q.shape == (2, 3, 6)
    assert captured.v.shape == (2, 4, 6)


def test_torch_layer_that_adds_a_bias_key_and_a_zero_key():
    layer = seeded(nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True))
    x = randn(3, 8)  # one sentence, no axis of samples
    with torch.no_grad():
        _, weights = layer(x, x, x, average_attn_weights=False)
    (captured,) = capture(layer, (x, x, x))
    assert weights.shape == (2, 3, 5)
    assert_same(captured, weights)
    assert captured.context_tokens == ("1", "2", "3", "bias", "zero")


def test_a_query_that_may_attend_to_nothing_has_weights_0():
    layer = seeded(nn.MultiheadAttention(8, 2, batch_first=True))
    x, hidden = randn(1, 3, 8), torch.tensor([[False] * 3, [True] * 3, [False] * 3])
    (captured,) = capture(layer, (x, x, x), keywords={"attn_mask": hidden})
    assert captured.weights[:, 1].eq(0).all()
    example = captured.example()
    assert isinstance(example.mask, AllowMask)
    assert trace(example)["weights"][:, 1].eq(0).all()


# --- layers of layers --------------------------------------------------------------------------------------------


@DTYPES
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
def test_an_encoder_does_not_use_its_fused_kernel_meanwhile(dtype):
    """In eval without gradients torch would compute a layer in one fused kernel, in which nothing can be seen."""
    layer = nn.TransformerEncoderLayer(12, 4, 16, batch_first=True)
    encoder = seeded(nn.TransformerEncoder(layer, 2, enable_nested_tensor=True), dtype)
    x = randn(2, 5, 12, dtype=dtype)
    padding = torch.tensor([[False] * 5, [False, False, False, True, True]])
    before = torch.backends.mha.get_fastpath_enabled()
    with torch.no_grad():
        fused = encoder(x, src_key_padding_mask=padding)
        captured = capture(encoder, x, keywords={"src_key_padding_mask": padding}, sample=1)
        again = encoder(x, src_key_padding_mask=padding)
    assert torch.equal(fused, again)
    assert torch.backends.mha.get_fastpath_enabled() is before
    assert [one.name for one in captured] == ["layers.0.self_attn", "layers.1.self_attn"]
    rows = x
    for one, block in zip(captured, encoder.layers, strict=True):
        with torch.no_grad():
            _, weights = block.self_attn(rows, rows, rows, padding, average_attn_weights=False)
            rows = block(rows, src_key_padding_mask=padding)
        assert_same(one, weights[1])
    live = ~padding
    assert apart(rows[live], fused[live]) <= WITHIN[dtype] * 10


def test_a_decoder_names_what_it_attends_with():
    layer = seeded(nn.TransformerDecoderLayer(8, 2, 16, batch_first=True))
    target, memory = randn(1, 3, 8), randn(1, 4, 8, seed=2)
    causal = nn.Transformer.generate_square_subsequent_mask(3, dtype=torch.float64)
    captured = capture(layer, (target, memory), list("abc"), keywords={"tgt_mask": causal})
    assert [(one.name, one.causal) for one in captured] == [("self_attn", True), ("multihead_attn", False)]
    assert [one.context_tokens for one in captured] == [None, ("1", "2", "3", "4")]


# --- scaled_dot_product_attention --------------------------------------------------------------------------------


class Fused(nn.Module):
    def __init__(self, **how):
        super().__init__()
        self.how = how

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, **self.how)


def written_out(q, k, v, *, attn_mask=None, is_causal=False, scale=None, enable_gqa=False):
    """The function as torch's documentation defines it."""
    if enable_gqa:
        k, v = (part.repeat_interleave(q.shape[-3] // part.shape[-3], -3) for part in (k, v))
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -torch.inf)
    if attn_mask is not None:
        hides = attn_mask.dtype == torch.bool
        scores = scores.masked_fill(~attn_mask, -torch.inf) if hides else scores + attn_mask
    return scores.softmax(-1)


ALLOW = ~torch.tensor([[0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0]]).bool()
HOW: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"is_causal": True},
    "another scale": {"scale": 0.3},
    "no scale": {"scale": 1.0},
    "truth values": {"attn_mask": ALLOW},
    "numbers": {"attn_mask": randn(3, 4, seed=5)},
    "a mask of each sample": {"attn_mask": torch.stack([ALLOW, ALLOW.roll(1, 1)])[:, None]},
    "all allowed": {"attn_mask": torch.ones(3, 4, dtype=torch.bool)},
    "shared keys": {"enable_gqa": True},
}


@DTYPES
@pytest.mark.parametrize("how", HOW)
def test_the_function(dtype, how):
    given = {
        name: value.to(dtype) if isinstance(value, torch.Tensor) and value.is_floating_point() else value
        for name, value in HOW[how].items()
    }
    groups = 3 if "enable_gqa" in given else 1
    q = randn(2, 6, 3, 4, dtype=dtype)
    k, v = (randn(2, 6 // groups, 4, width, seed=width, dtype=dtype) for width in (4, 5))
    module = Fused(**given)
    weights, outputs = written_out(q.double(), k.double(), v.double(), **given), module(q, k, v)
    for sample in range(2):
        (captured,) = capture(module, (q, k, v), sample=sample)
        assert_same(captured, weights[sample], outputs[sample])
        assert torch.equal(captured.q, q[sample])
        assert torch.equal(captured.k, k[sample])
        assert torch.equal(captured.outputs, outputs[sample])
        assert captured.example().kv_heads == (2 if groups > 1 else None)
    assert captured.causal is (how == "causal")
    assert (captured.mask is None) is (how not in ("truth values", "a mask of each sample"))
    assert (captured.bias is None) is (how != "numbers")
    scale = {"another scale": 1 / 0.3, "no scale": "none"}.get(how, "sqrt_dk")
    assert captured.scale == (scale if isinstance(scale, str) else pytest.approx(scale))


@pytest.mark.parametrize("axes", [2, 3, 5])
def test_axes_before_tokens_and_columns(axes):
    """Two axes: one head. Three: samples of one head. More: with ``batch``, all before the last three are samples."""
    shape = (2, 3, 2, 4, 6)[5 - axes :]
    q, k, v = (randn(*shape, seed=seed) for seed in range(3))
    weights = written_out(q, k, v).reshape(-1, 2 if axes == 5 else 1, 4, 4)
    for sample, wanted in enumerate(weights):
        (captured,) = capture(Fused(), (q, k, v), sample=sample, batch=6 if axes == 5 else None)
        assert_same(captured, wanted)
    with pytest.raises(InteropError) as error:
        capture(Fused(), (q, k, v), sample=len(weights), batch=6 if axes == 5 else None)
    assert str(error.value) == f"sample: expected samples from 0 to {len(weights) - 1}, got {len(weights)}"


def test_a_mask_of_each_head_becomes_its_own():
    q, k, v = (randn(1, 3, 4, 6, seed=seed) for seed in range(3))
    mask = randn(3, 4, 4, seed=9)
    (captured,) = capture(Fused(attn_mask=mask), (q, k, v))
    assert captured.bias.shape == (3, 4, 4)
    assert_same(captured, written_out(q, k, v, attn_mask=mask)[0])
    example = captured.example()
    assert [isinstance(head.mask, AddMask) for head in example.heads] == [True, True, True]
    assert apart(trace(example)["weights"].cpu(), captured.weights) <= 1e-12
    alone = captured.example(heads=[2])
    assert alone.heads[0].q is not None
    assert isinstance(alone.mask, AddMask)
    assert apart(trace(alone)["weights"].cpu()[0], captured.weights[2]) <= 1e-12


# --- attention in several calls ----------------------------------------------------------------------------------


class ByHand(nn.Module):
    """``way(q, k, v)`` in a part of a module, so that it has a name."""

    def __init__(self, way):
        super().__init__()
        self.inner = Way(way)

    def forward(self, q, k, v):
        return self.inner(q, k, v) * 1.0


class Way(nn.Module):
    def __init__(self, way):
        super().__init__()
        self.way = way

    def forward(self, q, k, v):
        return self.way(q, k, v)


TRIL = torch.ones(4, 4, dtype=torch.bool).tril()
NUMBERS = randn(4, 4, seed=11)


def in_place(q, k, v):
    scores = torch.matmul(q, k.transpose(-2, -1))
    scores *= 0.5
    scores += NUMBERS
    scores.masked_fill_(~TRIL, float("-inf"))
    return torch.matmul(scores.softmax(dim=-1), v)


def merged(q, k, v):
    """Samples and heads in one axis, as ``bmm`` requires."""
    added = NUMBERS.expand(6, 4, 4)
    scores = torch.baddbmm(added, q.flatten(0, 1), k.flatten(0, 1).mT, alpha=0.25, beta=2)
    return torch.bmm(F.softmax(scores, -1), v.flatten(0, 1))


def merged_and_apart(q, k, v):
    """Merged for the products, separate for the mask, as in older models. With beta = 0 the added tensor may be NaN."""
    scores = torch.baddbmm(
        torch.full((6, 4, 4), torch.nan, dtype=q.dtype),
        q.flatten(0, 1),
        k.flatten(0, 1).mT,
        beta=0,
        alpha=0.5,
    )
    scores = scores.view(2, 3, 4, 4) + torch.stack([NUMBERS, 2 * NUMBERS])[:, None]
    weights = scores.view(6, 4, 4).softmax(-1).reshape(2, 3, 4, 4)
    return weights @ v


SINKS = torch.tensor([1.0, 0.0, 2.5], dtype=torch.float64)
KNOWN = {
    "a temperature of each head": lambda q, k, v: (q @ k.mT * torch.rand(3, 1, 1)).softmax(-1) @ v,
    "samples and heads merged and apart": merged_and_apart,
    "operators": lambda q, k, v: (q @ k.mT / 6**0.5).softmax(-1) @ v,
    "in place": in_place,
    "bmm": merged,
    "the factor before the product": lambda q, k, v: F.softmax(torch.matmul(q * 0.3, k.mT), -1) @ v,
    "masked_fill": lambda q, k, v: (q @ k.mT * 0.5).masked_fill(~TRIL, -1e9).softmax(-1) @ v,
    "where": lambda q, k, v: (
        torch.where(TRIL, q @ k.mT, torch.tensor(torch.finfo(q.dtype).min)).softmax(-1) @ v
    ),
    "a mask that is subtracted": lambda q, k, v: (q @ k.mT - 2 * NUMBERS).softmax(-1) @ v,
    "a softcap": lambda q, k, v: (5 * torch.tanh(q @ k.mT / 5)).softmax(-1) @ v,
    "a softcap below 0, and a mask": lambda q, k, v: (
        (torch.tanh(q @ k.mT * 0.3 / -2) * -2 + NUMBERS).softmax(-1) @ v
    ),
    "a softcap of 1": lambda q, k, v: torch.tanh(q @ k.mT).softmax(-1) @ v,
    "a sink that is cut off again": lambda q, k, v: (
        torch.cat([q @ k.mT, torch.ones(2, 3, 4, 1, dtype=q.dtype)], -1).softmax(-1)[..., :-1] @ v
    ),
    "sinks less the largest, as in gpt-oss": lambda q, k, v: sunk(q @ k.mT * 0.3 + NUMBERS) @ v,
    "a sink in one head, axes merged": lambda q, k, v: (
        torch.cat([q @ k.mT, SINKS.log()[:, None, None].expand(2, 3, 4, 1)], -1)
        .view(6, 4, 5)
        .softmax(-1)[:, :, :4]
        .view(2, 3, 4, 4)
        @ v
    ),
    "a constant for all pairs": lambda q, k, v: (q @ k.mT + 3).softmax(-1) @ v,
    "dropout at rest": lambda q, k, v: F.dropout((q @ k.mT).softmax(-1), 0.5, training=False) @ v,
    "a divisor that is learned": lambda q, k, v: (q @ k.mT / torch.tensor(3.5)).softmax(-1) @ v,
    "whole numbers that are added": lambda q, k, v: (q @ k.mT + torch.arange(4)).softmax(-1) @ v,
    "einsum for both products": lambda q, k, v: torch.einsum(
        "bhqk,bhkd->bhqd", (torch.einsum("bhqd,bhkd->bhqk", q * 0.3, k) * 2).softmax(-1), v
    ),
    "einsum with dots, V first": lambda q, k, v: torch.einsum(
        "...kd,...qk->...qd", v, torch.einsum("...qd,...kd->...qk", q, k).softmax(-1)
    ),
    "einsum for the values alone": lambda q, k, v: torch.einsum("bhij,bhjd->bhid", (q @ k.mT).softmax(-1), v),
}
UNKNOWN = {
    "a curve over the scores": lambda q, k, v: (5 * torch.atan(q @ k.mT / 5)).softmax(-1) @ v,
    "two softcaps": lambda q, k, v: torch.tanh(2 * torch.tanh(q @ k.mT)).softmax(-1) @ v,
    "a softcap after a mask": lambda q, k, v: torch.tanh(q @ k.mT + NUMBERS).softmax(-1) @ v,
    "a factor of each key": lambda q, k, v: (q @ k.mT * torch.rand(4)).softmax(-1) @ v,
    "weights that are changed": lambda q, k, v: ((q @ k.mT).softmax(-1) * TRIL) @ v,
    "scores from elsewhere": lambda q, k, v: NUMBERS.expand(2, 3, 4, 4).softmax(-1) @ v,
    "scores written over": lambda q, k, v: overwritten(q @ k.mT).softmax(-1) @ v,
    "a sink of each query": lambda q, k, v: torch.cat([q @ k.mT, q[..., :1]], -1).softmax(-1)[..., :-1] @ v,
    "a sink that is cut off at the wrong end": lambda q, k, v: (
        torch.cat([q @ k.mT, torch.ones(2, 3, 4, 1, dtype=q.dtype)], -1).softmax(-1)[..., 1:] @ v
    ),
    "two sinks": lambda q, k, v: (
        torch.cat([q @ k.mT, torch.ones(2, 3, 4, 2, dtype=q.dtype)], -1).softmax(-1)[..., :-2] @ v
    ),
    "a sink that is split off": lambda q, k, v: (
        torch.cat([torch.ones(2, 3, 4, 1, dtype=q.dtype), q @ k.mT], -1).softmax(-1).split([1, 4], -1)[1] @ v
    ),
    "queries in two parts": lambda q, k, v: (
        torch.cat([(part @ k.mT).softmax(-1) for part in q.chunk(2, -2)], -2) @ v
    ),
    "a key of zeros after softmax": lambda q, k, v: (
        torch.cat([(q @ k[..., 1:, :].mT).softmax(-1), torch.zeros(2, 3, 4, 1)], -1) @ v
    ),
    "einsum in an order of its own": lambda q, k, v: torch.einsum(
        "bqhk,bhkd->bhqd", torch.einsum("bhqd,bhkd->bqhk", q, k).softmax(-1), v
    ),
}


def sunk(scores):
    """Each head's sink in one more column, which is cut off again; the largest score is subtracted, as in gpt-oss."""
    longer = torch.cat([scores, SINKS.reshape(1, -1, 1, 1).expand(2, -1, 4, -1)], -1)
    return F.softmax(longer - longer.max(-1, keepdim=True).values, -1)[..., :-1]


def overwritten(scores):
    scores[..., 0] = 7.0
    return scores


def run_by_hand(way):
    """The captured attention, the module's outputs, and V."""
    q, k, v = (randn(2, 3, 4, 6, seed=seed) for seed in range(3))
    taken = []

    def kept(*parts):
        taken.append(way(*parts))
        return taken[-1]

    return capture(ByHand(kept), (q, k, v), sample=1), taken[0], v


@pytest.mark.parametrize("way", KNOWN)
def test_attention_in_several_calls(way):
    (captured,), outputs, _ = run_by_hand(KNOWN[way])
    assert captured.name == "inner"
    samples = outputs if outputs.dim() == 4 else outputs.unflatten(0, (2, 3))
    assert captured.q is not None
    assert torch.equal(captured.outputs, samples[1])
    assert apart(captured.weights @ captured.v, captured.outputs) <= 1e-12
    assert_same(captured, captured.weights)
    assert "Q and K" not in captured.example().note["en"]


@pytest.mark.parametrize("way", UNKNOWN)
def test_scores_that_no_example_can_compute_leave_the_weights_to_start_from(way):
    (captured,), outputs, v = run_by_hand(UNKNOWN[way])
    assert captured.q is captured.k is captured.mask is None
    assert torch.equal(captured.v, v[1])
    assert apart(captured.weights @ v[1], outputs[1]) <= 1e-12
    example = captured.example()
    assert all(head.q is None and head.weights is not None for head in example.heads)
    assert apart(trace(example)["head_outputs"].cpu(), outputs[1]) <= 1e-12
    assert "An example cannot compute these scores" in example.note["en"]


def test_what_is_not_attention_is_ignored():
    class Other(nn.Module):
        def forward(self, x):
            gate = x.softmax(-1)  # over columns, and multiplied with nothing
            routed = (x @ x.mT).softmax(1) @ x  # along the queries
            return F.scaled_dot_product_attention(x, x, gate + routed.mean())

    assert len(capture(Other(), randn(1, 3, 4))) == 1


def test_a_sink_that_has_a_value_is_a_key_without_a_score():
    (captured,), _, _ = run_by_hand(
        lambda q, k, v: (
            torch.cat([q @ k.mT, torch.ones(2, 3, 4, 1, dtype=q.dtype)], -1).softmax(-1)
            @ torch.cat([v, v[..., :1, :]], -2)
        )
    )
    assert captured.q is captured.sinks is None
    assert captured.weights.shape == (3, 4, 5)


def test_heads_have_the_sinks_of_the_run_and_none_where_there_is_none():
    (captured,), _, _ = run_by_hand(KNOWN["sinks less the largest, as in gpt-oss"])
    assert [head.sink for head in captured.example().heads] == [(1.0,), (0.0,), (2.5,)]
    assert [head.sink for head in captured.example([2, 0]).heads] == [(2.5,), (1.0,)]
    (captured,), _, _ = run_by_hand(KNOWN["a sink in one head, axes merged"])
    assert [head.sink for head in captured.example().heads] == [(0.0,), None, (pytest.approx(log(2.5)),)]


def test_the_sink_of_gpt_oss():
    """The expected numbers were computed with NumPy."""
    q = torch.tensor([[1.0, 0], [0, 2], [1, 1]])[None, None]
    k = torch.tensor([[1.0, 1], [0, 1], [2, 0]])[None, None]
    added = torch.full((3, 3), -torch.inf).triu(1)

    def sink(q, k, v):
        scores = torch.cat([q @ k.mT * 0.5**0.5 + added, torch.ones(1, 1, 3, 1)], -1)
        return (scores - scores.max(-1, keepdim=True).values).softmax(-1)[..., :-1] @ v

    (captured,) = capture(ByHand(sink), (q, k, k))
    wanted = [[0.427296, 0, 0], [0.375818, 0.375818, 0], [0.317065, 0.156335, 0.317065]]
    assert apart(captured.weights[0], torch.tensor(wanted)) <= 1e-6
    example = captured.example()
    assert (example.mask, example.heads[0].sink) == ("causal", (1.0,))
    assert apart(trace(example)["weights"].cpu(), captured.weights) <= 1e-7


def test_weights_that_sum_to_less_than_1_stay_so_and_the_note_says_so():
    """Each query has a number of its own in the sum."""
    long = torch.ones(1, 1, 70, 2)
    own = torch.arange(70.0)[:, None].expand(1, 1, 70, 1) / 35

    def short(q, k, v):
        return torch.cat([q @ k.mT, own], -1).softmax(-1)[..., :-1] @ v

    (captured,) = capture(ByHand(short), (long,) * 3)
    example = captured.example(cut=True)
    assert "Some rows of weights add up to less than 1" in text_in(example.note, "en")
    cut = trace(example)["weights"].cpu().sum(-1)
    assert apart(cut, captured.weights.sum(-1)[:, :64]) <= 1e-6


def test_transposed_weights_are_not_attention():
    """They are as square as before, but their rows do not belong to queries."""
    q = randn(2, 3, 4, 6)
    assert "went into mT" in refused(ByHand(lambda q, k, v: (q @ k.mT).softmax(-1).mT @ v), (q, q, q))


GATE = seeded(nn.Linear(6, 4, bias=False))  # a parameter of 4 × 6
ENDS = {
    "inner: no attention was found in this run: the result of softmax was multiplied by a parameter of the module": (
        lambda q, k, v: (q @ k.mT).softmax(-1) @ GATE.weight
    ),
    "inner: no attention was found in this run: the result of softmax went into transpose and cannot": (
        lambda q, k, v: (q @ k.mT).softmax(-1).transpose(1, 2) @ v[:, :1]
    ),
    "inner: no attention was found in this run: the result of softmax went into linear and cannot": (
        lambda q, k, v: F.linear((q @ k.mT).softmax(-1), GATE.weight.mT)
    ),
    "inner: no attention was found in this run: the result of softmax went into einsum and cannot": (
        lambda q, k, v: torch.einsum(
            "bhqk,bhqd->bhkd", (q @ k.mT).softmax(-1), v
        )  # no query has values of its own
    ),
    "inner: no attention was found in this run: the result of softmax went into diagonal and cannot": (
        lambda q, k, v: (q @ k.mT).softmax(-1).diagonal(dim1=-2, dim2=-1) @ v[0, 0, :, 0]
    ),
    "inner: no attention was found in this run: the result of softmax went into topk and cannot": (
        lambda q, k, v: (q @ k.mT).softmax(-1).topk(2)
    ),
    "inner: no attention was found in this run: the result of softmax was indexed, as in w[0] or w[:, None], and": (
        lambda q, k, v: ((q @ k.mT).softmax(-1)[..., None] * v[..., None, :, :]).sum(-2)
    ),
    "inner: no attention was found in this run: the scores went into log_softmax, and only softmax is followed": (
        lambda q, k, v: (q @ k.mT).log_softmax(-1).exp() @ v
    ),
    "inner: no attention was found in this run: the result of softmax was never multiplied": (
        lambda q, k, v: (q @ k.mT).softmax(-1)
    ),
    "inner: no attention was found in this run: softmax(dim=1) is not along the last axis": (
        lambda q, k, v: (q @ k.mT).softmax(1) @ v
    ),
    "no attention was found in this run: neither nn.MultiheadAttention, nor scaled_dot_product": (
        lambda q, k, v: (q @ k.mT).exp() @ v
    ),
}


@pytest.mark.parametrize("said", ENDS)
def test_the_operation_after_which_softmax_was_lost_is_named(said):
    class Gated(Way):
        gate = GATE

        def forward(self, q, k, v):
            way = self.way(q, k, v)
            return way[0] if isinstance(way, tuple) else way

    module = ByHand(len)
    module.inner = Gated(ENDS[said])
    module.inner.gate = GATE
    assert refused(module, tuple(randn(2, 3, 4, 6, seed=seed) for seed in range(3))).startswith(said)


# --- samples and heads -------------------------------------------------------------------------------------------

SAMPLES, HEADS, TOKENS, WIDTH = 2, 3, 5, 4


def attended(q, k, v):
    return (torch.bmm(q, k.transpose(1, 2)) * WIDTH**-0.5).softmax(-1) @ v


def split(x):
    """samples × tokens × (heads · width) → samples × heads × tokens × width."""
    return x.unflatten(-1, (HEADS, WIDTH)).transpose(1, 2)


class Folded(nn.Module):
    """Attention over one axis of samples and heads, folded in some way after a projection."""

    def __init__(self, fold, attend=attended):
        super().__init__()
        self.project = seeded(nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH))
        self.fold, self.attend = fold, attend

    def forward(self, x):
        return self.attend(*(self.fold(part) for part in self.project(x).chunk(3, -1)))


def wanted_of(x):
    """The expected weights, samples × heads × queries × keys."""
    project = Folded(None).project
    q, k, _ = (split(part) for part in project(x).chunk(3, -1))
    return written_out(q, k, None)


ROWS = randn(SAMPLES, TOKENS, HEADS * WIDTH)
FOLDS = {
    "reshape, as BLOOM": lambda x: split(x).reshape(SAMPLES * HEADS, TOKENS, WIDTH),
    "contiguous and view, as DeBERTa": lambda x: split(x).contiguous().view(-1, TOKENS, WIDTH),
    "flatten": lambda x: split(x).flatten(0, 1),
}


@pytest.mark.parametrize("fold", FOLDS)
def test_heads_that_are_folded_into_the_batch_are_heads(fold):
    module = Folded(FOLDS[fold])
    wanted, outputs = wanted_of(ROWS), module(ROWS).unflatten(0, (SAMPLES, HEADS))
    for sample in range(SAMPLES):
        (captured,) = capture(module, ROWS, sample=sample)
        assert_same(captured, wanted[sample], outputs[sample])
        assert f"heads=[0, 1, 2] of {HEADS}" in text_in(captured.example().note, "en")
    assert refused(module, ROWS, sample=7) == "sample: expected samples from 0 to 1, got 7"


def test_heads_are_folded_where_tokens_come_first():
    """As in fairseq's layers: tokens × samples × (heads · width) → tokens × (samples · heads) × width."""
    module = Folded(lambda x: x.contiguous().view(TOKENS, SAMPLES * HEADS, WIDTH).transpose(0, 1))
    for sample in range(SAMPLES):
        (captured,) = capture(module, ROWS.transpose(0, 1), sample=sample)
        assert_same(captured, wanted_of(ROWS)[sample])


def test_one_sample_without_an_axis_for_it_has_heads():
    module = Folded(lambda x: x.view(TOKENS, HEADS, WIDTH).transpose(0, 1))
    (captured,) = capture(module, ROWS[1])
    assert_same(captured, wanted_of(ROWS)[1])
    assert refused(module, ROWS[1], sample=1) == "sample: expected samples from 0 to 0, got 1"


@pytest.mark.parametrize("heads", [2, 3])
def test_heads_of_one_sample_after_another_are_not_taken_for_samples(heads):
    """Each sample of a batch of two goes through attention separately, with as many heads as samples or not."""

    def way(x, *_):
        parts = [y.view(5, heads, 4).transpose(0, 1) for y in x]
        return torch.stack([F.scaled_dot_product_attention(part, part, part) for part in parts])

    x = randn(2, 5, heads * 4)
    assert f"cannot be told apart in {heads} matrices" in refused(ByHand(way), (x, x, x))
    captured = capture(ByHand(way), (x, x, x), batch=1)
    for one, y in zip(captured, x, strict=True):
        part = y.view(5, heads, 4).transpose(0, 1)
        assert_same(one, written_out(part, part, part))


def test_an_attention_without_keys_is_captured():
    q = randn(1, 2, 3, 4)
    (captured,) = capture(Fused(), (q, q[:, :, :0], q[:, :, :0]))
    assert captured.weights.shape == (2, 3, 0)


HEADS_FIRST = {
    "folded by a view": lambda x: split(x).transpose(0, 1).reshape(HEADS * SAMPLES, TOKENS, WIDTH),
    "as axes of their own": lambda x: split(x).transpose(0, 1),
}


@pytest.mark.parametrize("batch", [None, SAMPLES])
@pytest.mark.parametrize("fold", HEADS_FIRST)
def test_heads_before_samples_are_known_by_a_second_run(fold, batch):
    module = Folded(HEADS_FIRST[fold], Fused() if fold == "as axes of their own" else attended)
    for sample in range(SAMPLES):
        (captured,) = capture(module, ROWS, sample=sample, batch=batch)
        assert_same(captured, wanted_of(ROWS)[sample])


def test_an_axis_that_was_folded_twice_needs_the_number_of_samples():
    """As in TimeSformer: (samples · heads · frames) × tokens. All but the samples are then counted as heads."""
    q = randn(SAMPLES, HEADS, 4, TOKENS, WIDTH)
    module = ByHand(lambda q, k, v: attended(*(part.flatten(0, 1).flatten(0, 1) for part in (q, k, v))))
    assert "cannot be told apart in 24 matrices" in refused(module, (q, q, q))
    (captured,) = capture(module, (q, q, q), sample=1, batch=SAMPLES)
    assert_same(captured, written_out(q, q, q)[1].flatten(0, 1))


def test_heads_that_are_folded_unseen_are_known_by_a_second_run():
    """A concatenation puts heads first, and no view shows it."""
    module = Folded(lambda x: torch.cat(x.chunk(HEADS, -1), 0))
    (captured,) = capture(module, ROWS, sample=1)
    assert_same(captured, wanted_of(ROWS)[1])
    assert "6 matrices cannot be 4 samples, as batch= says" in refused(module, ROWS, batch=4)


def test_more_axes_than_samples_and_heads_need_the_number_of_samples():
    q = randn(2, 3, 2, 4, 6)
    assert "cannot be told apart in 2 × 3 × 2 matrices" in refused(Fused(), (q, q, q))
    (captured,) = capture(Fused(), (q, q, q), sample=1, batch=2)
    assert_same(captured, written_out(q, q, q)[1].flatten(0, 1))


class Grouped(nn.Module):
    """Heads in groups that share keys, as an axis of their own: samples × groups × heads × tokens × columns."""

    def __init__(self, groups, heads):
        super().__init__()
        self.groups, self.heads = groups, heads

    def forward(self, x):
        q = x.unflatten(-1, (self.groups, self.heads, -1))
        k = q.sum(3) / 4
        self.weights = torch.einsum("bqgrd,bkgd->bgrqk", q, k).softmax(-1)
        return torch.einsum("bgrqk,bkgd->bqgrd", self.weights, k).flatten(2)


@pytest.mark.parametrize(("groups", "heads", "samples", "tokens"), [(3, 1, 3, 5), (3, 2, 3, 5), (2, 3, 3, 6)])
def test_of_five_axes_those_after_the_samples_are_heads_if_the_queries_are_all_tokens(
    groups, heads, samples, tokens
):
    module = Grouped(groups, heads)
    (captured,) = capture(module, randn(samples, tokens, 12), sample=2)
    assert torch.allclose(captured.weights, module.weights[2].flatten(0, 1), atol=1e-6)


def test_of_five_axes_as_many_groups_as_tokens_need_the_number_of_samples():
    """The second axis could be rows of tokens, as in an attention over pairs."""
    module, x = Grouped(3, 1), randn(3, 3, 12)
    assert refused(module, x).endswith("give the number of samples with batch=")
    (captured,) = capture(module, x, sample=1, batch=3)
    assert torch.allclose(captured.weights, module.weights[1].flatten(0, 1), atol=1e-6)


@pytest.mark.parametrize("batch", [None, 2])
def test_windows_of_a_sample_are_samples_though_there_are_as_many_heads_as_samples(batch):
    """As in Swin: samples · windows × heads × tokens × columns."""

    def way(x, *_):
        rows = x.view(2, 3, 4, 12).permute(0, 2, 1, 3).contiguous().view(-1, 3, 12)  # every fourth token
        heads = rows.view(8, 3, 2, 6).transpose(1, 2)
        return F.scaled_dot_product_attention(heads, heads, heads)

    x = randn(2, 12, 12)
    (captured,) = capture(ByHand(way), (x, x, x), sample=5, batch=batch)
    heads = x[1, 1::4].unflatten(-1, (2, 6)).transpose(0, 1)
    assert_same(captured, written_out(heads, heads, heads))


class Tied(nn.Module):
    """Four heads of two columns, in some order of axes and with some kind of attention."""

    def __init__(self, way, tokens_first=False):
        super().__init__()
        self.project, self.table = seeded(nn.Linear(8, 24)), seeded(nn.Embedding(9, 8))
        self.way, self.tokens_first = way, tokens_first

    def forward(self, x, **_):
        rows = x if x.is_floating_point() else self.table(x)
        rows = rows.transpose(0, 1) if self.tokens_first else rows
        q, k, v = (part.unflatten(-1, (4, 2)) for part in self.project(rows).chunk(3, -1))
        return self.way(q, k, v)

    def wanted(self, x):
        """The expected weights, samples × heads × queries × keys."""
        rows = x if x.is_floating_point() else self.table(x)
        q, k, _ = (part.unflatten(-1, (4, 2)).transpose(1, 2) for part in self.project(rows).chunk(3, -1))
        return written_out(q, k, None)


def laid_out(order, attend, folded=False):
    """samples × tokens × heads × columns in another order, with the first two axes folded or not."""

    def way(*parts):
        laid = [part.permute(order) for part in parts]
        return attend(*(part.reshape(-1, *part.shape[2:]) if folded else part for part in laid))

    return way


def by_product(q, k, v):
    return (q @ k.mT / 2**0.5).softmax(-1) @ v


def by_letters(q, k, v):
    weights = (torch.einsum("bqhd,bkhd->hbqk", q, k) / 2**0.5).softmax(-1)
    return torch.einsum("hbqk,bkhd->bqhd", weights, v)


def by_bmm(q, k, v):
    return torch.bmm((torch.bmm(q, k.mT) / 2**0.5).softmax(-1), v)


SAMPLES_FIRST, HEADS_AT_FIRST = (0, 2, 1, 3), (2, 0, 1, 3)
SDPA = F.scaled_dot_product_attention
LAYOUTS = {
    "b h n d, @": laid_out(SAMPLES_FIRST, by_product),
    "b h n d, sdpa": laid_out(SAMPLES_FIRST, SDPA),
    "b h n d, sdpa, masked": laid_out(
        SAMPLES_FIRST, lambda q, k, v: SDPA(q, k, v, torch.ones(1, 1, 5, 5).bool())
    ),
    "(b h) n d, bmm": laid_out(SAMPLES_FIRST, by_bmm, folded=True),
    "(b h) n d, sdpa": laid_out(SAMPLES_FIRST, SDPA, folded=True),
    "h b n d, @": laid_out(HEADS_AT_FIRST, by_product),
    "h b n d, sdpa": laid_out(HEADS_AT_FIRST, SDPA),
    "h b n d, sdpa, masked": laid_out(
        HEADS_AT_FIRST, lambda q, k, v: SDPA(q, k, v, torch.ones(1, 1, 5, 5).bool())
    ),
    "(h b) n d, bmm": laid_out(HEADS_AT_FIRST, by_bmm, folded=True),
    "(h b) n d, sdpa": laid_out(HEADS_AT_FIRST, SDPA, folded=True),
    "h b n d, einsum": by_letters,
}


@pytest.mark.parametrize("said", [False, True], ids=["unsaid", "batch="])
@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_samples_are_not_taken_for_heads_though_there_are_as_many(layout, samples, said):
    module, x = Tied(LAYOUTS[layout]), randn(samples, 5, 8)
    for sample in range(samples):
        (captured,) = capture(module, x, sample=sample, batch=samples if said else None)
        assert_same(captured, module.wanted(x)[sample])


IDS = torch.arange(20).view(4, 5) * 5 % 9
TOKENS_FIRST, SQUARE, ALIKE = randn(5, 4, 8), randn(4, 4, 8), randn(5, 8).expand(4, 5, 8)
ONES = torch.ones(4, 5, 8, dtype=torch.float64)
TIED_INPUTS: dict[str, tuple[Any, Any, bool]] = {
    "token ids": (IDS, IDS, False),
    "tokens first": (TOKENS_FIRST, TOKENS_FIRST.transpose(0, 1), True),
    "as many tokens": (SQUARE, SQUARE, False),
    "as many tokens, first": (SQUARE, SQUARE.transpose(0, 1), True),
    "a mapping with masks": (
        {
            "x": IDS,
            "mask": torch.ones(4, 5, dtype=torch.long),
            "other": {"bias": None},
            "heads": torch.ones(4),
        },
        IDS,
        False,
    ),
    "samples that are alike": (ALIKE, ALIKE, False),
    "numbers that are alike": (ONES, ONES, False),
}


@pytest.mark.parametrize("order", [SAMPLES_FIRST, HEADS_AT_FIRST], ids=["b h n d", "h b n d"])
@pytest.mark.parametrize("given", TIED_INPUTS)
def test_a_second_run_separates_samples_from_heads_whatever_the_inputs(given, order):
    inputs, x, tokens_first = TIED_INPUTS[given]
    module = Tied(laid_out(order, by_product), tokens_first)
    for sample in range(4):
        (captured,) = capture(module, inputs, sample=sample)
        assert_same(captured, module.wanted(x)[sample])


def test_as_many_heads_as_samples_are_refused_where_a_second_run_shows_no_order():
    """The module mixes its samples, or does not accept another input."""
    said = "a second run with one changed sample did not settle it"
    mixing = Tied(laid_out(HEADS_AT_FIRST, by_product))
    mixing.register_forward_pre_hook(lambda _, given: (given[0] + given[0].mean(0),))
    assert refused(mixing, randn(4, 5, 8)).endswith(said)
    only, x = Tied(laid_out(HEADS_AT_FIRST, by_product)), randn(4, 5, 8)

    def refuse_others(_, given):
        if not torch.equal(given[0], x):
            raise ValueError

    only.register_forward_pre_hook(refuse_others)
    assert refused(only, x, batch=4).endswith(said)


def test_shared_keys_show_the_axis_of_heads_though_there_are_as_many_samples():
    q, k = randn(4, 4, 5, 2), randn(4, 2, 5, 2, seed=1)
    for sample in range(4):
        (captured,) = capture(Fused(enable_gqa=True), (q, k, k), sample=sample)
        assert_same(captured, written_out(q, k, k, enable_gqa=True)[sample])


def test_heads_that_are_folded_unseen_are_separated_from_samples_by_a_second_run():
    module = Folded(lambda x: torch.cat(x.chunk(HEADS, -1), 0))
    for sample in range(SAMPLES):
        (captured,) = capture(module, ROWS, sample=sample, batch=SAMPLES)
        assert_same(captured, wanted_of(ROWS)[sample])


def test_sizes_that_differ_need_no_second_run():
    runs = []
    module = Tied(laid_out(SAMPLES_FIRST, by_product))
    module.register_forward_pre_hook(lambda *_: runs.append(1))
    assert capture(module, randn(3, 5, 8))
    assert len(runs) == 1


def test_one_token_of_each_sample_is_not_taken_for_heads():
    q = randn(1, 4, 8)
    module = ByHand(lambda x, *_: by_product(*[x.transpose(0, 1)[:, None]] * 3))
    assert "cannot be told apart in 4 × 1 matrices" in refused(module, (q, q, q))


@pytest.mark.parametrize("batch", [0, -1])
def test_a_batch_of_no_samples_is_refused(batch):
    q = randn(1, 1, 3, 4)
    assert (
        refused(Fused(), (q, q, q), batch=batch) == f"batch: expected a whole number, 1 or more, got {batch}"
    )


@pytest.mark.parametrize("equation", ["bhqq,bhqd->bhqd", "bhqk,bhkd,bhkd->bhqd", "bhqk,bhkd"])
def test_einsum_that_is_no_product_of_weights_and_values_is_named(equation):
    def way(q, k, v):
        return torch.einsum(equation, (q @ k.mT).softmax(-1), *[v] * equation.count(","))

    q = randn(2, 3, 4, 6)
    assert "went into einsum" in refused(ByHand(way), (q, q, q))


def test_heads_of_einsum_in_the_order_of_its_letters():
    x = randn(SAMPLES, TOKENS, HEADS, WIDTH)

    def way(x, *_):
        weights = (x.transpose(1, 2) @ x.permute(0, 2, 3, 1)).softmax(-1)
        return torch.einsum("bhqk,bkhd->bqhd", weights, x)

    heads = x.transpose(1, 2)
    for sample in range(SAMPLES):
        (captured,) = capture(ByHand(way), (x, x, x), sample=sample)
        assert_same(
            captured, written_out(heads, heads, heads, scale=1.0)[sample], way(x).transpose(1, 2)[sample]
        )
        assert captured.q is not None


def test_keys_that_all_heads_share_in_einsum():
    q, k = randn(SAMPLES, HEADS, TOKENS, WIDTH), randn(SAMPLES, TOKENS, WIDTH, seed=1)

    def way(q, k, v):
        return torch.einsum("bhqk,bkd->bqhd", torch.einsum("bhqd,bkd->bhqk", q, k).softmax(-1), v)

    (captured,) = capture(ByHand(way), (q, k, k), sample=1)
    assert_same(captured, written_out(q, k[:, None], k, scale=1.0)[1], way(q, k, k).transpose(1, 2)[1])


# --- verification ------------------------------------------------------------------------------------------------


class Foreign(torch.Tensor):
    """A mask that changes the function's outputs for one head of one sample, against its numbers."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is F.scaled_dot_product_attention:
            outputs = func(*args)
            outputs[1, 2] += 0.25
            return outputs
        return super().__torch_function__(func, types, args, kwargs or {})


@pytest.mark.parametrize("sample", [0, 1])
def test_weights_that_do_not_give_the_outputs_are_refused_whatever_the_sample(sample):
    q = randn(2, 3, 4, 6)
    mask = torch.zeros(4, 4).as_subclass(Foreign)
    assert refused(Fused(attn_mask=mask), (q, q, q), sample=sample) == (
        "Fused: weights · V differs by up to 0.25 from the captured output (sample=1, heads=[2]), "
        "so these cannot be the weights that were used"
    )


def test_large_scores_in_float32_are_no_reason_to_refuse():
    """Scores in the thousands are off by their rounding, and so are the weights."""
    q, k, v = (randn(1, 2, 6, 64, seed=seed, dtype=torch.float32) for seed in range(3))
    assert capture(Fused(), (q * 60, k * 60, v))


@pytest.mark.parametrize("corner", [0, 3])
def test_torch_causal_bias_becomes_the_mask_that_it_means(corner):
    from torch.nn.attention.bias import causal_lower_right, causal_upper_left  # imports torch's compiler

    make = causal_lower_right if corner else causal_upper_left
    q, k = torch.tensor([[1.0, 0], [0, 1]]), torch.tensor([[1.0, 0], [0, 1], [1, 1], [2, 0], [0, 2]])
    q, k, v = q[None, None], k[None, None], torch.arange(10.0).view(1, 1, 5, 2)
    (captured,) = capture(Fused(attn_mask=make(2, 5)), (q, k, v))
    allow = torch.ones(2, 5, dtype=torch.bool).tril(corner)
    assert_same(captured, written_out(q, k, v, attn_mask=allow)[0])
    assert captured.causal is (corner == 0)
    first = [1, 0, 0, 0, 0] if corner == 0 else [0.221181, 0.109057, 0.221181, 0.448581, 0]  # by NumPy
    assert apart(captured.weights[0, 0], torch.tensor(first)) <= 1e-6
    lower_right = BandMask(causal=True, corner="bottom_right")
    assert captured.example().mask == ("causal" if corner == 0 else lower_right)


def test_a_window_of_each_head_becomes_its_own():
    q, k, v = (randn(1, 3, 4, 6, seed=seed) for seed in range(3))
    allow = torch.ones(3, 4, 4, dtype=torch.bool).tril()
    allow[1] = allow[1].triu(-1)
    allow[2] = True
    example = capture(Fused(attn_mask=allow), (q, k, v))[0].example()
    assert [head.mask for head in example.heads] == ["causal", BandMask(2, causal=True), "none"]
    assert apart(trace(example)["weights"].cpu(), written_out(q, k, v, attn_mask=allow)[0]) <= 1e-12


@DTYPES
def test_a_scale_of_0_gives_every_key_the_same_weight(dtype):
    q = randn(1, 2, 3, 4, dtype=dtype)
    (captured,) = capture(Fused(scale=0.0), (q, q, q))
    assert captured.q is None
    assert_same(captured, torch.full((2, 3, 3), 1 / 3, dtype=torch.float64))
    allow = torch.ones(3, 3, dtype=torch.bool).tril()
    (captured,) = capture(Fused(scale=0.0, attn_mask=allow), (q, q, q))
    assert_same(captured, allow.double().div(torch.arange(1, 4)[:, None]).expand(2, 3, 3))
    with pytest.raises(InteropError, match="weights · V differs"):  # torch's own outputs are NaN
        capture(Fused(scale=0.0, is_causal=True), (q, q, q))


def test_a_mask_of_0_and_1_is_added_and_the_note_says_so():
    q, mask = randn(1, 2, 3, 4), torch.ones(3, 3, dtype=torch.float64).tril()
    (captured,) = capture(Fused(attn_mask=mask), (q, q, q))
    assert_same(captured, written_out(q, q, q, attn_mask=mask)[0])
    assert "The mask contains only the numbers 0 and 1. The model adds them" in text_in(
        captured.example().note, "en"
    )


def test_one_query_in_a_batch_of_many_gets_a_remark():
    layer, x = (
        nn.MultiheadAttention(8, 2).eval(),
        torch.randn(1, 4, 8, generator=torch.Generator().manual_seed(0)),
    )
    (captured,) = capture(layer, (x, x, x))
    said = "Each of the 4 samples has only one query. Is batch_first right?"
    assert repr(captured) == f"MultiheadAttention: 2 heads, 1 query, 1 key ({said})"
    assert said in text_in(captured.example().note, "en")
    assert refused(layer, (x, x, x), list("abcd")) == (
        "tokens: 4 were given, but no attention in this run has that many queries: 1, in a "
        "batch of 4. Is batch_first right?"
    )
    assert capture(layer, (x[0],) * 3)[0].remark == ""


def test_the_keys_that_torch_adds_have_their_own_names():
    x = randn(1, 3, 8)
    for bias in (False, True):
        for zero in (False, True):
            layer = seeded(
                nn.MultiheadAttention(8, 2, add_bias_kv=bias, add_zero_attn=zero, batch_first=True)
            )
            (captured,) = capture(layer, (x, x, x), list("abc"))
            extra = ("bias",) * bias + ("zero",) * zero
            assert captured.context_tokens == (("a", "b", "c", *extra) if extra else None)


# --- examples from it --------------------------------------------------------------------------------------------


def large(h=2, n=5, d=4, d_v=4):
    q, k = (randn(1, h, n, d, seed=seed) for seed in range(2))
    (captured,) = capture(Fused(), (q, k, randn(1, h, n, d_v, seed=2)))
    return captured


def test_heads_are_chosen():
    captured = large(h=20)
    with pytest.raises(InteropError) as error:
        captured.example()
    assert str(error.value).startswith(
        "Fused: 20 heads of 5 × 5 tokens and 4 columns are more than an example can hold (16 heads,"
    )
    example = captured.example(heads=[19, 3])
    assert apart(trace(example)["weights"].cpu(), captured.weights[[19, 3]]) <= 1e-12
    assert example.note["en"] == "Captured from Fused: heads=[19, 3] of 20, counted from 0."
    assert example.title["en"] == "Fused, heads 19, 3 counted from 0 (Heads 1 to 2 here)"
    assert captured.example(heads=[5]).title["en"] == "Fused, head 5 counted from 0 (Head 1 here)"
    assert large(h=2).example().title == "Fused"
    first = captured.example(cut=True)
    assert len(first.heads) == 16
    assert "The other heads are left out." in first.note["en"]
    for heads, sentence in (
        ([20], "heads: expected heads from 0 to 19, got 20"),
        ([], "heads: expected 1 to 20, got 0"),
    ):
        with pytest.raises(InteropError) as error:
            captured.example(heads=heads)
        assert str(error.value) == sentence


def test_what_is_too_large_is_cut_on_request_alone_and_says_so():
    captured = large(n=70, d_v=80)
    with pytest.raises(InteropError, match="use cut=True to take the first of everything"):
        captured.example()
    example = captured.example(cut=True)
    dims = example.dims
    assert (dims.n_q, dims.n_k, dims.d_k, dims.d_v) == (64, 64, 4, 64)
    computed = trace(example)["weights"].cpu()
    wanted = captured.weights[:, :64, :64]
    assert apart(computed, wanted / wanted.sum(-1, keepdim=True)) <= 1e-12
    assert "Only the first 64 of 70 queries and 70 keys are here" in example.note["en"]
    assert "Only the first 64 of 80 columns of V are here." in example.note["en"]
    assert "70" in example.note["zh"]


def test_wide_queries_and_keys_start_from_their_weights_which_are_exact():
    captured = large(d=100)
    with pytest.raises(InteropError):
        captured.example()
    example = captured.example(cut=True)
    assert "Q and K have 100 columns, more than an example can hold" in example.note["en"]
    assert example.heads[0].q is None
    assert apart(trace(example)["weights"].cpu(), captured.weights) <= 1e-12


def test_it_is_saved_sent_as_a_link_and_shown():
    example = large().example()
    assert parse(dump(example)) == example
    assert from_token(to_token(example)) == example
    assert json.loads(dump(example))["heads"][0].keys() == {"q", "k", "v"}
    assert page(example).startswith("<iframe")
    assert repr(large()) == "Fused: 2 heads, 5 queries, 5 keys"


# --- what is refused ---------------------------------------------------------------------------------------------


def refused(module, inputs, *rest, **more):
    with pytest.raises(InteropError) as error:
        capture(module, inputs, *rest, **more)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_no_attention():
    assert refused(len, [1]) == "expected a torch.nn.Module, got builtin_function_or_method"
    assert refused(nn.Linear(3, 3), torch.ones(2, 3)).startswith(
        "no attention was found in this run: neither"
    )


def test_active_dropout():
    x = randn(1, 3, 8, dtype=torch.float32)
    said = "dropout is active on the weights (p = 0.25); call module.eval() first"
    layer = nn.MultiheadAttention(8, 2, dropout=0.25, batch_first=True)
    assert refused(layer.train(), (x, x, x)) == said
    assert capture(layer.eval(), (x, x, x))
    assert refused(Fused(dropout_p=0.25), (x, x, x)) == said
    drop = nn.Dropout(0.25)
    assert refused(ByHand(lambda q, k, v: drop((q @ k.mT).softmax(-1)) @ v), (x, x, x)) == said
    assert capture(nn.MultiheadAttention(8, 2, batch_first=True).train(), (x, x, x))  # p = 0


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
def test_nested_tensors():
    parts = torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)])
    assert refused(Fused(), (parts, parts, parts)).startswith(
        "nested tensors cannot be captured; give one padded tensor"
    )


def test_tokens_that_fit_no_attention():
    said = refused(Fused(), (randn(1, 1, 3, 4),) * 3, ["a", "b"])
    assert said == "tokens: 2 were given, but no attention in this run has that many queries: 3"


def test_nan_is_refused_by_the_example():
    q = randn(1, 1, 3, 4)
    broken = q.clone()
    broken[0, 0, 1, 2] = torch.nan
    (captured,) = capture(Fused(), (q, q, broken))
    with pytest.raises(ExampleError, match=r"heads\[0\]\.v\[1\]\[2\]"):
        captured.example()


# --- at the same time --------------------------------------------------------------------------------------------


def test_other_threads_run_the_same_module_meanwhile():
    """Other threads are neither watched nor changed, and may capture too."""
    layer = seeded(nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 3))
    x = [randn(1, 4, 8, seed=seed) for seed in range(4)]
    with torch.no_grad():
        wanted = [layer(rows) for rows in x]
    hooks = [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in layer.modules()]
    failures: list = []
    start = threading.Barrier(4)

    def run(at):
        start.wait()
        for _ in range(20):
            with torch.no_grad():
                if at % 2:
                    captured = capture(layer, x[at])
                    failures.extend(
                        [] if len(captured) == 3 and torch.equal(captured[0].q, alone[at][0].q) else [at]
                    )
                elif not torch.equal(layer(x[at]), wanted[at]):
                    failures.append(at)

    alone = [capture(layer, rows) for rows in x]
    threads = [threading.Thread(target=run, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in layer.modules()] == hooks
