"""Direct contributions however a model writes W_O, its residual stream and its end, against a muted head's own part.

No layer follows the heads that are looked at, so what a head adds to the stream is the difference that muting it makes
there. The norm with its scale held fixed, and the unembedding, are written apart.
"""

import copy
from typing import Any

import pytest
import torch
import transformers
from torch import nn
from torch.nn import functional

from mha_core import InteropError
from mha_core.interop import attribute, capture
from tests.interop.families import IDS

WIDTH, HEADS, D_HEAD, WORDS = 15, 3, 5, 11
TEXTS = torch.tensor([[1, 2, 3, 4, 5, 6, 7], [3, 4, 1, 9, 0, 2, 2]])


class Attention(nn.Module):
    """Attention whose head ``muted`` is 0."""

    def __init__(self, form):
        super().__init__()
        self.form, self.muted = form, None
        self.qkv, self.out, self.gate = (nn.Linear(WIDTH, count) for count in (3 * WIDTH, WIDTH, HEADS))

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, HEADS, D_HEAD)).permute(2, 0, 3, 1, 4)
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        self.weights = (q @ k.mT / D_HEAD**0.5).masked_fill(later, -torch.inf).softmax(-1)
        z = self.weights @ v
        if self.muted is not None:
            z = z * (torch.arange(HEADS) != self.muted)[:, None, None]
        if self.form == "gate of each head":
            z = z * self.gate(x).sigmoid().mT[..., None]
        if self.form == "einsum":
            return torch.einsum("bhne,hed->bnd", z, self.out.weight.T.unflatten(0, (HEADS, D_HEAD)))
        if self.form == "columns in turn":
            return self.out(z.permute(0, 2, 3, 1).flatten(2))
        rows = z.transpose(1, 2).flatten(2)
        if self.form == "tanh":
            rows = rows.tanh()
        if self.form == "linear":
            return functional.linear(rows, self.out.weight)
        if self.form == "halves":
            return rows[..., :7] @ self.out.weight.T[:7] + rows[..., 7:] @ self.out.weight.T[7:]
        return rows @ self.out.weight.T if self.form == "matmul" else self.out(rows)


SUMS: dict[str, Any] = {
    "constants": lambda x, y, _: x * 0.9 + y * 0.4,
    "layer scale": lambda x, y, gains: x + gains * y,
    "addcmul": torch.addcmul,
    "lerp": lambda x, y, _: torch.lerp(x, y, 0.3),
    "stack": lambda x, y, _: torch.stack([x, y]).sum(0),
    "double": lambda x, y, _: (x.double() + y.double()).float(),
    "in place": lambda x, y, _: x.clone().add_(y),
    "gate": lambda x, y, _: x + y * torch.sigmoid(x),
    "written": lambda x, y, _: _written(x, y),
    "clamp": lambda x, y, _: (x + y).clamp(-0.5, 0.5),
    "choice": lambda x, y, _: torch.where(x + y > 0, x + y, 0.1 * (x + y)),
}


def _written(x, y):
    room = torch.zeros_like(x)
    room[:, :] = x
    room[:, 2:] += y[:, 2:]
    return room


ENDS: dict[str, Any] = {
    "standard deviation": lambda x, gains: (
        (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-5) * gains
    ),
    "mean of squares": lambda x, gains: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * gains,
    "length": lambda x, gains: functional.normalize(x, dim=-1) * gains,
    "functional": lambda x, gains: functional.layer_norm(x, (WIDTH,), gains),
    "nothing": lambda x, gains: x,
    "relu": lambda x, gains: torch.relu(x),
}
LOGITS: dict[str, Any] = {
    "constant": lambda y, unembed: unembed(y) * 0.25,
    "softcap": lambda y, unembed: torch.tanh(unembed(y) / 0.7) * 0.7,
    "log_softmax": lambda y, unembed: unembed(y).log_softmax(-1),
    "last row": lambda y, unembed: unembed(y[:, -1]),
    "mean": lambda y, unembed: unembed(y.mean(1)),
    "rows": lambda y, unembed: unembed(y.flatten(0, 1)),
    "second axis": lambda y, unembed: unembed(y).transpose(0, 1),
}


class Model(nn.Module):
    """Two attentions and an MLP between them, with one of the forms."""

    def __init__(self, form=""):
        super().__init__()
        torch.manual_seed(5)
        self.form = form
        self.words, self.unembed = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)
        self.first, self.last = Attention(form), Attention(form)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 20), nn.ReLU(), nn.Linear(20, WIDTH))
        self.gains = nn.Parameter(torch.rand(WIDTH) + 0.5)
        self.before = nn.LayerNorm(WIDTH)
        for part in (self.words, self.first.qkv, self.last.qkv):
            nn.init.normal_(part.weight, 0.0, 0.6)

    def forward(self, ids):
        add = SUMS.get(self.form, lambda x, y, _: x + y)
        x = self.words(ids)
        x = add(x, self.first(self.before(x)), self.gains)
        x = x + self.mlp(self.before(x))
        self.stream = x = add(x, self.last(self.before(x)), self.gains)
        y = ENDS.get(self.form, ENDS["mean of squares"])(x, self.gains)
        return LOGITS.get(self.form, lambda y, unembed: unembed(y))(y, self.unembed)

    def direct(self, sample, row, column, other):
        """The last heads' contributions by hand: by what a head adds to the stream."""
        with torch.no_grad():
            self(TEXTS)
            x, values = self.stream, []
            for head in range(HEADS):
                self.last.muted = head
                self(TEXTS)
                values.append(x - self.stream)
            self.last.muted = None
            rows = [self.scaled(part, x)[sample] for part in values]
            rows = [part.mean(0) if self.form == "mean" else part[row] for part in rows]
            across = self.unembed.weight[column] - self.unembed.weight[other]
            return torch.stack([part @ across for part in rows]) * (0.25 if self.form == "constant" else 1)

    def scaled(self, part, x):
        """The norm of a part of x, with the scale of x."""
        centered = x - x.mean(-1, keepdim=True)
        if self.form == "standard deviation":
            return (part - part.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-5) * self.gains
        if self.form == "functional":
            scale = (centered.square().mean(-1, keepdim=True) + 1e-5).sqrt()
            return (part - part.mean(-1, keepdim=True)) / scale * self.gains
        if self.form == "length":
            return part / x.norm(dim=-1, keepdim=True) * self.gains
        if self.form == "nothing":
            return part
        return part / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt() * self.gains


NONLINEAR = {
    "tanh": "tanh in last, tanh in first",
    "clamp": "clamp in Model",
    "choice": "where in Model",
    "relu": "relu in Model",
}
FORMS = [
    "einsum",
    "columns in turn",
    "linear",
    "halves",
    "matmul",
    "gate of each head",
    *SUMS,
    *ENDS,
    *LOGITS,
]


@pytest.mark.parametrize("form", [form for form in FORMS if form not in NONLINEAR])
def test_however_it_is_written(form):
    model: Any = Model(form).eval()
    row = 6 if form in ("last row", "mean") else 3
    for sample in (0, 1):
        direct = attribute(
            model, TEXTS, 4, 7, sample=sample, row=None if form in ("last row", "mean") else row
        )
        assert (direct.values[1] - model.direct(sample, row, 4, 7)).abs().max() < 1e-6
        assert direct.values.sum().item() + sum(direct.others.values()) == pytest.approx(
            direct.total, abs=1e-5
        )
    assert direct.measure == "direct: logit 4 − logit 7" + {
        "softcap": " before tanh",
        "log_softmax": " before log_softmax",
    }.get(form, "")


@pytest.mark.parametrize("form", NONLINEAR)
def test_what_is_not_linear_is_named(form):
    with pytest.raises(InteropError, match=f"on the way from the heads is {NONLINEAR[form]}"):
        attribute(Model(form).eval(), TEXTS, 4)


def test_the_module_keeps_no_gradients():
    model = Model().eval()
    attribute(model, TEXTS, 4)
    assert not model.last.weights.requires_grad
    assert copy.deepcopy(model).last.weights.shape == (2, 3, 7, 7)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_a_caller_without_gradients():
    model = Model().eval()
    expected = attribute(model, TEXTS, 4).values
    with torch.inference_mode():
        assert torch.equal(attribute(model, TEXTS.clone(), 4).values, expected)
    with torch.no_grad():
        assert torch.equal(attribute(model, TEXTS, 4).values, expected)


def test_every_sample_of_a_batch_in_one_run():
    model = Model().eval()
    several = attribute(model, TEXTS, 4, sample=[1, 0], row=2)
    for sample, own in zip((1, 0), several, strict=True):
        assert torch.equal(own.values, attribute(model, TEXTS, 4, sample=sample, row=2).values)


def test_a_direction_is_a_sum_of_logits():
    model = Model().eval()
    direction = torch.zeros(WORDS)
    direction[4], direction[7], direction[1] = 1.0, -1.0, 0.5
    direct = attribute(model, TEXTS, direction)
    expected = attribute(model, TEXTS, 4, 7).values + 0.5 * attribute(model, TEXTS, 1).values
    assert (direct.values - expected).abs().max() < 1e-6
    assert direct.measure == "direct: output · direction"


def test_a_direction_in_the_output_of_a_part():
    model, direction = Model().eval(), torch.randn(WIDTH)
    direct = attribute(model, TEXTS, direction, row=2, part="last")
    with torch.no_grad():
        model(TEXTS)
        z = torch.stack([one.outputs for one in capture(model, TEXTS)])[1][:, 2]
    expected = (z * (model.last.out.weight.T @ direction).view(HEADS, D_HEAD)).sum(-1)
    assert (direct.values[1] - expected).abs().max() < 1e-6
    assert direct.values[0].isnan().all()
    assert direct.measure == "direct: last · direction"


def test_a_heads_contribution_is_a_sum_over_the_tokens_that_it_comes_from():
    model = Model("nothing").eval()
    one, direct = capture(model, TEXTS)[1], attribute(model, TEXTS, 4, row=3)
    across = (model.last.out.weight.T @ model.unembed.weight[4]).view(HEADS, D_HEAD)
    expected = one.weights[:, 3] * (one.v * across[:, None]).sum(-1)
    sources: Any = direct.sources[1]
    assert (sources - expected).abs().max() < 1e-6
    assert (sources.sum(1) - direct.values[1]).abs().max() < 1e-6


SMALL: dict[str, Any] = {
    "vocab_size": 50,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "hidden_size": 32,
}
GROUPED = {**SMALL, "intermediate_size": 48, "num_key_value_heads": 2}
OTHERS: dict[str, Any] = {
    "Gemma2ForCausalLM": transformers.Gemma2Config(**GROUPED, head_dim=8),
    "Olmo2ForCausalLM": transformers.Olmo2Config(**GROUPED),
    "MixtralForCausalLM": transformers.MixtralConfig(**GROUPED, num_local_experts=4),
    "LlamaForSequenceClassification": transformers.LlamaConfig(**GROUPED, num_labels=9, pad_token_id=0),
    "BertModel": transformers.BertConfig(**SMALL, intermediate_size=48),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_models_add_up_and_say_what_was_held_fixed(name):
    torch.manual_seed(0)
    model: Any = getattr(transformers, name)(OTHERS[name]).eval()
    direct = attribute(model, IDS, 5)
    assert direct.values.isfinite().all()
    assert direct.values.sum().item() + sum(direct.others.values()) == pytest.approx(direct.total, abs=1e-5)
    assert any("norm" in part.lower() for part in direct.fixed)


def test_a_decoder_beside_an_encoder():
    torch.manual_seed(0)
    config = transformers.T5Config(d_model=32, d_kv=8, num_heads=4, num_layers=1, d_ff=48, vocab_size=50)
    model: Any = transformers.T5ForConditionalGeneration(config).eval()
    direct = attribute(model, {"input_ids": IDS, "decoder_input_ids": IDS[:, :3]}, 5)
    assert [bool(row.isnan().all()) for row in direct.values] == [True, False, False]


def test_half_the_digits_give_nearly_the_same():
    torch.manual_seed(0)
    model: Any = transformers.LlamaForCausalLM(transformers.LlamaConfig(**GROUPED)).eval()
    expected = attribute(model, IDS, 5, 6)
    direct = attribute(model.bfloat16(), IDS, 5, 6)
    assert (direct.values - expected.values).abs().max() < 0.02 * expected.values.abs().max()
