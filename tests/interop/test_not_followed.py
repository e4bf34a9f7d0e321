"""What looks like attention in a run and could not be followed is said, also where other attentions were found."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812  # its usual name

from mha_core import InteropError
from mha_core.interop import capture

ROWS = torch.randn(3, 5, 16, generator=torch.Generator().manual_seed(0))


class Layer(nn.Module):
    """Four heads whose attention is a function of Q, K and V."""

    def __init__(self, attention):
        super().__init__()
        self.attention = attention
        self.q, self.k, self.v = (nn.Linear(16, 16) for _ in range(3))

    def forward(self, x):
        q, k, v = (part(x).view(*x.shape[:2], 4, 4).transpose(1, 2) for part in (self.q, self.k, self.v))
        return self.attention(q, k, v).transpose(1, 2).reshape(x.shape)


def plain(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


WAYS = {
    "log_softmax": lambda q, k, v: (q @ k.mT).log_softmax(-1).exp() @ v,
    "softmax(dim=-2)": lambda q, k, v: (q @ k.mT).softmax(-2) @ v,
    "tril": lambda q, k, v: (q @ k.mT).softmax(-1).tril() @ v,
}


@pytest.mark.parametrize("operation", WAYS)
def test_a_layer_that_cannot_be_followed_is_named_beside_those_that_were_found(operation):
    found = capture(nn.Sequential(Layer(plain), Layer(WAYS[operation])), ROWS)
    assert [one.name for one in found] == ["0"]
    (error,) = found.skipped
    assert (error.place, error.values["operation"]) == ("1", operation)
    assert f"not followed: 1: {'' if 'dim' in operation else 'the scores'}" in repr(found)


def test_what_was_found_in_whole_has_nothing_skipped():
    gate = nn.Sequential(Layer(plain), nn.Linear(16, 4), nn.Softmax(-1))
    assert capture(gate, ROWS).skipped == ()


def test_a_part_of_what_was_found_knows_it_too():
    found = capture(nn.Sequential(Layer(plain), Layer(plain), Layer(WAYS["tril"])), ROWS)
    assert found[:1].skipped == found.skipped


def test_a_changed_run_says_it_too():
    changed = capture(nn.Sequential(Layer(plain), Layer(WAYS["tril"])), ROWS, without=[("0", 1)])
    assert [error.place for error in changed.found.skipped] == ["1"]


def test_a_module_that_is_compiled_while_it_runs_is_refused_in_one_sentence():
    class UnsupportedError(Exception):
        """As torch's compiler raises it where it meets the watch."""

    UnsupportedError.__module__ = "torch._dynamo.exc"

    def compiled(q, k, v):
        raise UnsupportedError

    with pytest.raises(InteropError, match="compiled while it runs"):
        capture(Layer(compiled), ROWS)


class Grouped(nn.Module):
    """Two heads of keys and values with three heads of queries each, on samples × 2 × 3 × tokens × columns."""

    def __init__(self, mask):
        super().__init__()
        self.mask = mask
        self.q, self.k, self.v = nn.Linear(16, 24), nn.Linear(16, 8), nn.Linear(16, 8)

    def forward(self, x):
        samples, tokens, _ = x.shape
        q = self.q(x).view(samples, tokens, 2, 3, 4).permute(0, 2, 3, 1, 4)
        k, v = (part(x).view(samples, tokens, 2, 1, 4).permute(0, 2, 3, 1, 4) for part in (self.k, self.v))
        scores = q @ k.mT / 2
        if self.mask == "hidden":
            scores = scores.masked_fill(torch.ones(tokens, tokens, dtype=torch.bool).triu(1), -torch.inf)
        elif self.mask == "added":
            scores = scores + torch.ones(tokens, tokens).triu(1) * -1e9
        self.weights = scores.softmax(-1)
        return (self.weights @ v).permute(0, 3, 1, 2, 4).reshape(samples, tokens, 24)


@pytest.mark.parametrize("batch", [None, 3])
@pytest.mark.parametrize("mask", ["none", "hidden", "added"])
def test_grouped_queries_on_five_axes_have_each_head_its_weights(mask, batch):
    module = Grouped(mask)
    found = capture(module, ROWS, sample=1, batch=batch)
    assert torch.equal(found[0].weights, module.weights[1].reshape(6, 5, 5))
    assert len(found[0].k) == 2


def test_grouped_queries_of_one_sample():
    module = Grouped("hidden")
    found = capture(module, ROWS[:1])
    assert torch.equal(found[0].weights, module.weights[0].reshape(6, 5, 5))


class ByHand(nn.Module):
    """Weights from exp and a sum, beside a layer that can be followed."""

    def __init__(self, how):
        super().__init__()
        self.layer, self.how = nn.MultiheadAttention(4, 2, batch_first=True), how

    def forward(self, rows):
        rows = self.layer(rows, rows, rows)[0]
        weights = (rows @ rows.mT).exp()
        weights = weights / weights.sum(-1, keepdim=True)
        return weights @ rows if self.how == "@" else torch.einsum("bqk,bkd->bqd", weights, rows)


@pytest.mark.parametrize("how", ["@", "einsum"])
def test_weights_that_no_softmax_gave_are_listed(how):
    found = capture(ByHand(how).eval(), torch.randn(1, 3, 4))
    assert len(found) == 1
    assert "rows that are ≥ 0 and sum to 1" in str(found.skipped[0])
