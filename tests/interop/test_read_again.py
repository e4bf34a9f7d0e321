"""Weights that reach the output by more than their product with V: a remark says so, whatever the function is."""

import pytest
import torch
from torch import nn

from mha_core.interop import capture

TOKENS, HEADS, WIDTH = 6, 2, 3
X = torch.randn(2, TOKENS, HEADS * WIDTH, generator=torch.Generator().manual_seed(1)).double()


class Layer(nn.Module):
    """``mix``: the heads' outputs, and perhaps something else to return, from the weights and the values."""

    def __init__(self, mix):
        super().__init__()
        torch.manual_seed(0)
        self.qkv, self.out = nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH), nn.Linear(HEADS * WIDTH, 4)
        self.mix = mix
        self.double().eval()

    def forward(self, x):
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4)
        mixed, *more = self.mix((q @ k.mT).softmax(-1), v)
        return self.out(mixed.transpose(1, 2).flatten(2)), *more


def in_place(w, v):
    mixed = w @ v
    mixed[:, 0] += w[:, 0].roll(1, -1) @ v[:, 0]
    return (mixed,)


AGAIN = {
    "cumsum": lambda w, v: (w @ v + w.cumsum(-1) @ v,),
    "roll": lambda w, v: (w @ v + w.roll(1, 2) @ v,),
    "matmul": lambda w, v: (w @ v + (w @ w) @ v,),
    "diagonal": lambda w, v: (w @ v + w.diagonal(dim1=-2, dim2=-1)[..., None] * v,),
    "sum": lambda w, v: (w @ v * (w * w.log()).sum(-1, keepdim=True),),
    "pad": lambda w, v: (w @ v + nn.functional.pad(w, (0, 1)).flatten(2)[..., :TOKENS, None] * v,),
}
ALONE = {
    "nothing else": lambda w, v: (w @ v,),
    "returned": lambda w, v: (w @ v, w, w.mean(1)),
    "only its size": lambda w, v: (w @ v + torch.zeros_like(w) @ v,),
    "normalized": lambda w, v: ((w / w.sum(-1, keepdim=True)) @ v,),
    "in other axes": lambda w, v: ((w.flatten(0, 1) @ v.flatten(0, 1)).view(v.shape),),
}


def effect_left(mix):
    """How far a head that is switched off by ``capture`` is from one whose weights are 0 everywhere."""

    def without_weights(w, v):
        keep = torch.tensor([0.0, 1.0]).double()[:, None, None]
        return mix(w * keep, v)

    off = capture(Layer(mix), X, without=[(0, 0)]).after
    return (off - Layer(without_weights)(X)[0]).abs().max().item()


@pytest.mark.parametrize("name", AGAIN)
def test_a_remark_names_the_function(name):
    (one,) = capture(Layer(AGAIN[name]), X)
    assert one.read_again == name
    assert f"The weights also go into {name}, besides their product with V." in repr(one)


@pytest.mark.parametrize("name", ["cumsum", "roll", "diagonal"])
def test_it_is_true_that_a_head_that_is_off_keeps_that_part(name):
    assert effect_left(AGAIN[name]) > 1e-2


def test_parts_that_are_written_in_place_are_followed():
    (one,) = capture(Layer(in_place), X)[:1]
    assert one.read_again == "roll"


@pytest.mark.parametrize("name", ALONE)
def test_weights_of_which_nothing_else_reaches_the_output_have_no_remark(name):
    (one,) = capture(Layer(ALONE[name]), X)
    assert one.remark == ""
    assert effect_left(ALONE[name]) < 1e-9 or name == "normalized"


def test_a_later_layer_is_not_blamed_for_an_earlier_one():
    first, second = Layer(AGAIN["cumsum"]), Layer(ALONE["nothing else"])
    first.out = nn.Linear(HEADS * WIDTH, HEADS * WIDTH).double()

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = first, second

        def forward(self, x):
            return self.second(self.first(x)[0])

    assert [one.read_again for one in capture(Both(), X)] == ["cumsum", ""]


@pytest.mark.parametrize("again", [True, False])
def test_weights_that_torchs_layer_returns(again):
    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(HEADS * WIDTH, HEADS, batch_first=True).double()

        def forward(self, x):
            mixed, weights = self.attention(x, x, x)
            return mixed + weights.cumsum(-1) @ x if again else mixed

    assert [one.read_again for one in capture(Own().eval(), X)] == ["cumsum" if again else ""]


def test_relative_values_of_vits():
    transformers = pytest.importorskip("transformers")
    from transformers.models.vits.modeling_vits import VitsEncoder

    config = transformers.VitsConfig(
        hidden_size=8, num_hidden_layers=2, num_attention_heads=2, ffn_dim=8, window_size=2
    )
    found = capture(
        VitsEncoder(config).eval(), torch.randn(1, 5, 8), keywords={"padding_mask": torch.ones(1, 5, 1)}
    )
    assert [one.read_again for one in found] == ["pad", "pad"]
