"""The conventions page says what the libraries really compute: torch, Keras and BERT.

Every layer here has the numbers of an example, one of whose queries may attend to nothing.
"""

from dataclasses import replace

import pytest
import torch
from torch import nn

from mha_core import AllowMask, built_in, trace
from mha_core.interop import from_bert, keras_layer, to_bert, torch_layer, unpack
from mha_core.notation import demonstrate, mask_forms
from tests.interop.bert_reference import BertSelfAttention

DEAD = 1
ALLOW = AllowMask(((True, False, True), (False, False, False), (True, True, True)))
EYE = tuple(tuple(float(i == j) for j in range(4)) for i in range(4))


@pytest.fixture(scope="module")
def example():
    """d_model = h·d_k = 4, a mask that hides all from query 1, W_O the identity: the output is Concat."""
    return replace(built_in("water"), mask=ALLOW, w_o=EYE)


def outcomes(example, head):
    return {outcome.rule: outcome for outcome in demonstrate(example, head, DEAD).outcomes}


def tensor_of(example, name):
    form = next(form for form in mask_forms(example) if form.name == name)
    return torch.tensor(form.rows)


def same(found, wanted, within=1e-12):
    expected = torch.tensor(wanted, dtype=torch.float64)
    return torch.allclose(found, expected, rtol=0, atol=within, equal_nan=True)


def rows_of(example):
    return torch.tensor(example.x, dtype=torch.float64)[None]


def concat_of(example, rule):
    """The heads' outputs of the emptied query, side by side."""
    return [number for head in range(2) for number in outcomes(example, head)[rule].output]


@pytest.mark.parametrize("rule", ["torch_weights", "torch_output", "torch_fast"])
def test_torch_layer(example, rule):
    layer, x = torch_layer(replace(example, b_o=(0.0,) * 4)), rows_of(example)
    assert isinstance(layer, nn.MultiheadAttention)
    mask = tensor_of(example, "torch_bool")
    keys = x if rule == "torch_fast" else x.clone()
    with torch.set_grad_enabled(rule != "torch_fast"):
        output, weights = layer(
            x, keys, keys, attn_mask=mask, need_weights=rule == "torch_weights", average_attn_weights=False
        )
    assert same(output[0, DEAD].detach(), concat_of(example, rule))
    if rule == "torch_weights":
        for head in range(2):
            assert same(weights[0, head, DEAD].detach(), outcomes(example, head)[rule].weights)
    else:
        assert weights is None
    alive = [0, 2]
    assert same(output[0, alive].detach(), [trace(example).values["output"][i] for i in alive])


@pytest.mark.parametrize("scores", [True, False], ids=["with scores", "output alone"])
def test_keras_layer(example, scores):
    layer, x = keras_layer(example), rows_of(example)
    mask = tensor_of(example, "keras")[None]
    given = layer(x, x, attention_mask=mask, return_attention_scores=scores)
    output, weights = given if scores else (given, None)
    rule = "keras_scores" if scores else "keras_output"
    within = 1e-12 if scores else 1e-6  # its other path computes in float32, whatever the layer's dtype
    assert same(output[0, DEAD].detach(), concat_of(example, rule), within)
    if scores:
        for head in range(2):
            assert same(weights[0, head, DEAD].detach(), outcomes(example, head)[rule].weights)
    alive = [0, 2]
    assert same(output[0, alive].detach(), [trace(example).values["output"][i] for i in alive], within)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_bert_eager_attention(example, dtype):
    """With the mask of transformers: the lowest number of the dtype where a pair is hidden."""
    state = to_bert(example, "")
    layer = BertSelfAttention(4, 2, dtype=dtype)
    layer.load_state_dict(
        {name.removeprefix("self."): t for name, t in state.items() if name.startswith("self.")}
    )
    allow = tensor_of(example, "allow")
    lowest = torch.finfo(dtype).min
    added = torch.zeros(1, 1, 3, 3, dtype=dtype).masked_fill(~allow, lowest)
    if dtype == torch.float32:
        assert torch.equal(added[0, 0], tensor_of(example, "bert_added"))
    output, weights = layer(rows_of(example).to(dtype), added)
    within = 1e-12 if dtype == torch.float64 else 1e-6
    for head in range(2):
        wanted = torch.tensor(outcomes(example, head)["bert_eager"].weights, dtype=dtype)
        assert torch.allclose(weights[0, head, DEAD], wanted, rtol=0, atol=within)
    wanted = torch.tensor(concat_of(example, "bert_eager"), dtype=dtype)
    assert torch.allclose(output[0, DEAD], wanted, rtol=0, atol=within)
    assert torch.equal(unpack_again(state), torch.tensor(example.heads[0].w_q, dtype=torch.float64))


def unpack_again(state):
    """W_Q of the first head, read from the layer."""
    layer = unpack(from_bert(state, 2), torch.ones(2, 4, dtype=torch.float64))
    return torch.tensor(layer.heads[0].w_q, dtype=torch.float64)
