"""Other queries and keys of a head: the module goes on with them, so its bias, mask and divisor follow.

The references are hooks on the projections, written apart: they know nothing of what they check.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # its usual name

from mha_core import InteropError, trace
from mha_core.interop import At, capture
from tests.interop.families import inputs, made

TOKENS, HEADS, WIDTH, SAMPLES = 6, 4, 4, 2
WITHIN = 1e-6
MANY = HEADS * WIDTH


def drawn(*shape: int, seed: int = 7) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


X = drawn(SAMPLES, TOKENS, MANY, seed=1)


def split(x: Tensor) -> Tensor:
    return x.unflatten(-1, (-1, WIDTH)).transpose(1, 2)


class Layer(nn.Module):
    """q, k and v by projections of their own, ``kv`` heads of keys, and attention as ``attend`` has it."""

    def __init__(self, attend: Callable[..., Tensor], kv: int = HEADS) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.q, self.out = nn.Linear(MANY, MANY), nn.Linear(MANY, MANY)
        self.k, self.v = nn.Linear(MANY, kv * WIDTH), nn.Linear(MANY, kv * WIDTH)
        self.near = nn.Embedding(2 * TOKENS - 1, WIDTH)
        self.values = nn.Embedding(2 * TOKENS - 1, WIDTH)
        self.temperature = nn.Parameter(torch.rand(HEADS, 1, 1) + 0.5)
        self.attend = attend
        self.double().eval()

    @property
    def relative(self) -> Tensor:
        """The distance of each pair, from 0 on."""
        return torch.arange(TOKENS)[None] - torch.arange(TOKENS)[:, None] + TOKENS - 1

    def forward(self, x: Tensor) -> Tensor:
        mixed = self.attend(self, split(self.q(x)), split(self.k(x)), split(self.v(x)))
        return self.out(mixed.transpose(1, 2).flatten(2))


def plain(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT / 2).softmax(-1) @ v


def top_two(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A mask that is computed from the scores."""
    scores = q @ k.mT / 2
    return scores.masked_fill(scores < scores.topk(2).values[..., -1:], -torch.inf).softmax(-1) @ v


def by_norm(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A divisor for each head, from its keys."""
    return (q @ k.mT / k.norm(dim=-1).mean(-1)[..., None, None]).softmax(-1) @ v


def by_norm_of_all(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A divisor for all heads: new keys of one change the weights of the others."""
    return (q @ k.mT / k.norm(dim=-1).max()).softmax(-1) @ v


def shaw(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Relative positions of Shaw et al. (2018), of keys and of values, by einsum."""
    to_keys = torch.einsum("bhqd,qkd->bhqk", q, own.near(own.relative))
    weights = ((q @ k.mT + to_keys) / 2).softmax(-1)
    return weights @ v + torch.einsum("bhqk,qkd->bhqd", weights, own.values(own.relative))


def shaw_in_one_einsum(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k)
    scores = scores + torch.einsum("bhqd,qkd->bhqk", q, own.near(own.relative))
    return torch.einsum("bhqk,bhkd->bhqd", (scores / 2).softmax(-1), v)


def shaw_by_matmul(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """As in Tensor2Tensor: one product for each query, over samples and heads."""
    rows = q.permute(2, 0, 1, 3).reshape(TOKENS, -1, WIDTH)
    to_keys = torch.matmul(rows, own.near(own.relative).transpose(1, 2))
    to_keys = to_keys.view(TOKENS, len(q), HEADS, TOKENS).permute(1, 2, 0, 3)
    return ((q @ k.mT + to_keys) / 2).softmax(-1) @ v


def shaw_before(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The relative term comes first in the sum."""
    to_keys = torch.einsum("bhqd,qkd->bhqk", q, own.near.weight[own.relative])
    return ((to_keys + q @ k.mT) / 2).softmax(-1) @ v


def rotated(x: Tensor) -> Tensor:
    angles = torch.arange(TOKENS)[:, None] * torch.tensor([1.0, 0.1, 1.0, 0.1]).double()
    return x * angles.cos() + torch.cat([-x[..., WIDTH // 2 :], x[..., : WIDTH // 2]], -1) * angles.sin()


def scaled_before(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """As DeBERTa does: the keys are divided before the product, and the bias is of the keys as they were."""
    scores = q @ (k.transpose(-1, -2) / 2) + (q.roll(1, 2) @ k.mT) / 3
    return scores.softmax(-1) @ v


def tempered(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT * own.temperature).softmax(-1) @ v


def fused(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The mask is computed from q and k."""
    return F.scaled_dot_product_attention(q, k, v, attn_mask=torch.tanh(q.flip(2) @ k.mT))


WAYS = [plain, top_two, by_norm, by_norm_of_all, shaw, shaw_in_one_einsum, shaw_by_matmul, shaw_before, scaled_before]
every_way = pytest.mark.parametrize("attend", [*WAYS, fused])
"""Here q and k are those of the projections."""


def with_hook(layer: nn.Module, name: str, head: int, new: Tensor) -> Tensor:
    """What the layer returns if a projection gives other numbers for a head."""

    def write(_: nn.Module, __: Any, out: Tensor) -> Tensor:
        out = out.clone()
        out[..., head * WIDTH : (head + 1) * WIDTH] = new
        return out

    hook = layer.get_submodule(name).register_forward_hook(write)
    with torch.no_grad():
        result = layer(X)
    hook.remove()
    return result


def apart(one: Tensor, other: Tensor) -> float:
    return (one - other).abs().max().item()


@pytest.mark.parametrize("part", ["q", "k"])
@every_way
def test_the_bias_the_mask_and_the_divisor_follow(attend, part):
    layer, new = Layer(attend), drawn(SAMPLES, TOKENS, WIDTH)
    changed = capture(layer, X, patch={(0, 1, part): new})
    assert changed.largest > 1e-2
    assert apart(changed.after, with_hook(layer, part, 1, new)) <= WITHIN


@pytest.mark.parametrize("attend", [top_two, shaw, scaled_before])
def test_only_some_rows(attend):
    layer, new = Layer(attend), drawn(1, WIDTH)
    changed = capture(layer, X, patch={At(0, 2, "k", rows=[-1]): new})
    whole = split(layer.k(X))[:, 2].detach()
    whole[:, -1] = new
    assert apart(changed.after, with_hook(layer, "k", 2, whole)) <= WITHIN


@pytest.mark.parametrize("attend", [plain, shaw])
def test_what_is_captured_after_new_queries_is_of_them(attend):
    new = drawn(TOKENS, WIDTH)
    (one,) = capture(Layer(attend), X, patch={(0, 1, "q"): new}).found
    assert apart(one.q[1], new) == 0
    assert one.new_weights == ()
    assert apart(trace(one.example())["weights"].cpu(), one.weights) <= WITHIN
