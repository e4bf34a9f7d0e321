"""Masks that are computed from the tokens themselves, such as the largest scores of each query, show no padding."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from mha_core.interop import attribute, capture, sweep

TOKENS, HEADS, WIDTH, WORDS = 8, 2, 3, 11
SAID = "hides whole tokens. They count as real"
HIDDEN = ~torch.ones(TOKENS, TOKENS).tril().bool()


class Model(nn.Module):
    """One attention beside the residual stream; ``attend``: of q, k and v; ids of 0 are padding."""

    def __init__(self, attend, seed=0):
        super().__init__()
        torch.manual_seed(seed)
        self.embed, self.qkv = nn.Embedding(WORDS, HEADS * WIDTH), nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH)
        self.write = nn.Linear(HEADS * WIDTH, WORDS)
        self.attend = attend
        self.double().eval()

    def forward(self, ids):
        x = self.embed(ids)
        q, k, v = self.qkv(x).view(*ids.shape, 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4)
        hidden = HIDDEN | (ids == 0)[:, None, None]
        mixed = self.attend(q, k, v, hidden).transpose(1, 2).flatten(2)
        return self.write(x + mixed)


def largest(scores: Tensor, most: int = 2) -> Tensor:
    return scores < scores.topk(most).values[..., -1:]


def top_two(q, k, v, hidden):
    scores = (q @ k.mT).masked_fill(hidden, -torch.inf)
    return scores.masked_fill(largest(scores), -torch.inf).softmax(-1) @ v


def top_two_by_where(q, k, v, hidden):
    scores = (q @ k.mT).masked_fill(hidden, -torch.inf)
    return torch.where(~largest(scores), scores, -torch.inf).softmax(-1) @ v


def top_two_added(q, k, v, hidden):
    scores = (q @ k.mT).masked_fill(hidden, -torch.inf)
    return (scores + torch.zeros_like(scores).masked_fill(largest(scores), -torch.inf)).softmax(-1) @ v


def top_two_fused(q, k, v, hidden):
    scores = (q @ k.mT).masked_fill(hidden, -torch.inf)
    return scaled_dot_product_attention(q, k, v, attn_mask=~(largest(scores) | hidden))


def short_keys(q, k, v, hidden):
    """No product, but the keys alone."""
    norms = k.norm(dim=-1)[:, :, None]
    short = (norms < norms.median(-1, keepdim=True).values) & HIDDEN.mT
    return (q @ k.mT).masked_fill(hidden, -torch.inf).masked_fill(short, -torch.inf).softmax(-1) @ v


def of_each_head(q, k, v, hidden):
    """The second head may not see the last two tokens, nor the first one itself."""
    own = torch.zeros(HEADS, TOKENS, TOKENS).bool()
    own[0, :, -2:] = own[1, :, -2:] = True
    own[1, 3, 2] = True
    return (q @ k.mT).masked_fill(hidden | own, -torch.inf).softmax(-1) @ v


CONTENT = [top_two, top_two_by_where, top_two_added, top_two_fused, short_keys, of_each_head]
SEEDS = range(12)


@pytest.mark.parametrize("attend", CONTENT)
def test_all_tokens_are_real(attend):
    ids = torch.randint(1, WORDS, (2, TOKENS), generator=torch.Generator().manual_seed(1))
    captured = [capture(Model(attend, seed), ids)[0] for seed in SEEDS]
    assert all(one.real.all() for one in captured)
    assert any(SAID in repr(one) for one in captured)


@pytest.mark.parametrize("attend", [top_two, top_two_by_where, short_keys])
def test_padding_that_another_mask_hides_is_padding(attend):
    ids = torch.tensor([[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 0, 0, 0]])
    assert all(torch.equal(capture(Model(attend, seed), ids)[0].real, ids > 0) for seed in SEEDS)


def test_sweep_and_attribution_are_of_the_last_token():
    ids = torch.arange(1, TOKENS + 1)[None]
    for seed in SEEDS:
        model = Model(top_two, seed)
        direct = attribute(model, ids, 3)
        assert direct.row == TOKENS - 1
        assert direct.total == pytest.approx(model(ids)[0, -1, 3].item(), abs=1e-12)
        assert bool((sweep(model, ids, rows=-1).values > 0).all())


def test_a_mean_is_over_all_tokens():
    ids = torch.arange(1, TOKENS + 1)[None]
    for seed in SEEDS:
        model = Model(top_two, seed)
        own = capture(model, ids)[0].outputs[1]
        mean = capture(model, ids, without=[(0, 1)], by="mean").found[0].outputs[1]
        assert torch.allclose(mean, own.mean(0).expand_as(own))


def test_a_plain_mask_has_no_remark():
    def plain(q, k, v, hidden):
        return (q @ k.mT).masked_fill(hidden, -torch.inf).softmax(-1) @ v

    assert capture(Model(plain), torch.tensor([[1, 2, 3, 4, 5, 6, 0, 0]]))[0].remark == ""
