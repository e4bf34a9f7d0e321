"""Tokens of padding that see themselves, and no mask without padding that is taken for one that has some."""

import re

import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from mha_core.errors import InteropError
from mha_core.interop import At, capture, sweep

N = 5
RIGHT = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]).bool()
LEFT = RIGHT.flip(-1)
ALL = torch.ones(2, N, dtype=torch.bool)
EYE = torch.eye(N, dtype=torch.bool)
CAUSAL = torch.ones(N, N, dtype=torch.bool).tril()
FULL = torch.ones(N, N, dtype=torch.bool)


class Layer(nn.Module):
    """Two heads of two columns, a mask that is given, and an output of nine columns."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(4, 12), nn.Linear(4, 9)

    def forward(self, rows, allow):
        q, k, v = self.qkv(rows).view(*rows.shape[:2], 3, 2, 2).permute(2, 0, 3, 1, 4)
        heads = scaled_dot_product_attention(q, k, v, attn_mask=allow)
        return self.out(heads.transpose(1, 2).flatten(2))


def made():
    torch.manual_seed(0)
    return Layer().double().eval(), torch.randn(2, N, 4).double()


def masked(base, pad):
    """Padding is hidden as a key; each token sees itself."""
    return base & pad[:, None, None, :] | EYE


def isolated(base, pad):
    """Padding is hidden as a key and sees nothing but itself."""
    return base & pad[:, None, None, :] & pad[:, None, :, None] | EYE


def real(allow):
    layer, rows = made()
    return capture(layer, (rows, allow))[0].real


@pytest.mark.parametrize("pad", [LEFT, RIGHT], ids=["left", "right"])
@pytest.mark.parametrize("base", [CAUSAL, FULL], ids=["causal", "full"])
@pytest.mark.parametrize("mask", [masked, isolated])
def test_padding_that_sees_itself_is_padding(mask, base, pad):
    assert torch.equal(real(mask(base, pad)), pad)


@pytest.mark.parametrize("pad", [LEFT, RIGHT], ids=["left", "right"])
def test_a_mask_of_numbers_shows_it_too(pad):
    allow = masked(CAUSAL, pad)
    added = torch.zeros(allow.shape).double().masked_fill(~allow, torch.finfo(torch.float64).min)
    assert torch.equal(real(added), pad)


@pytest.mark.parametrize(
    "allow",
    [
        CAUSAL,
        CAUSAL.T,
        EYE,
        CAUSAL & ~CAUSAL.tril(-2),
        ~CAUSAL.tril(-2) & ~CAUSAL.tril(-2).T,
        FULL,
    ],
    ids=["causal", "anticausal", "window 1", "window 2", "window both ways", "full"],
)
def test_masks_without_padding_have_none(allow):
    assert real(allow.expand(2, 1, N, N)).all()


def test_one_token_at_the_right_of_a_causal_mask_stays_real():
    pad = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]).bool()
    assert real(masked(CAUSAL, pad)).all()


def test_one_token_at_the_right_is_padding_if_real_tokens_see_later_ones():
    pad = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]).bool()
    assert torch.equal(real(masked(FULL, pad)), pad)


@pytest.mark.parametrize("mask", [lambda base, pad: base & pad[:, None, None, :], isolated])
def test_the_last_real_token_before_padding_stays_real(mask):
    assert torch.equal(real(mask(CAUSAL, RIGHT)), RIGHT)


def by_hand(layer, rows, allow, pad):
    """The output with head 1 at each sample's mean of its real tokens, in loops."""
    q, k, v = layer.qkv(rows).view(2, N, 3, 2, 2).unbind(2)
    outputs = torch.empty(2, N, 2, 2).double()
    for sample in range(2):
        for head in range(2):
            for query in range(N):
                seen = [at for at in range(N) if allow[sample, 0, query, at]]
                scores = torch.stack([q[sample, query, head] @ k[sample, at, head] for at in seen]) / 2**0.5
                outputs[sample, query, head] = scores.softmax(0) @ v[sample, seen, head]
        kept = [outputs[sample, at, 1].clone() for at in range(N) if pad[sample, at]]
        outputs[sample, :, 1] = sum(kept) / len(kept)
    return layer.out(outputs.flatten(2))


@pytest.mark.parametrize("pad", [LEFT, RIGHT], ids=["left", "right"])
def test_means_and_the_largest_change_leave_it_out(pad):
    layer, rows = made()
    allow = masked(CAUSAL, pad)
    changed = capture(layer, (rows, allow), without=[(0, 1)], by="mean")
    with torch.no_grad():
        expected = by_hand(layer, rows, allow, pad)
        largest = (expected - layer(rows, allow)).abs()[pad].max().item()
    assert torch.allclose(changed.after, expected, atol=1e-12)
    assert changed.largest == pytest.approx(largest, abs=1e-12)
    assert pad[changed.where[:2]]
    swept = sweep(layer, (rows, allow), by="mean")
    assert swept.values[0, 1].item() == pytest.approx(largest, abs=1e-12)


def test_the_last_token_is_the_last_real_one():
    layer, rows = made()
    changed = capture(layer, (rows, masked(CAUSAL, RIGHT)), without=[At(0, 1)])
    assert (changed.last(0), changed.last(1)) == ((0, 2), (1, 4))


ONE = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]])


@pytest.mark.parametrize("given", [ONE, ONE.bool(), ONE.tolist()], ids=["ids", "truth", "lists"])
def test_real_tokens_can_be_given(given):
    layer, rows = made()
    allow = masked(CAUSAL, ONE.bool())
    changed = capture(layer, (rows, allow), without=[(0, 1)], by="mean", real=given)
    with torch.no_grad():
        expected = by_hand(layer, rows, allow, ONE.bool())
    assert torch.allclose(changed.after, expected, atol=1e-12)
    assert changed.last(0) == (0, 3)
    swept = sweep(layer, (rows, allow), by="mean", real=given)
    assert swept.values[0, 1].item() == pytest.approx(changed.largest, abs=1e-12)


def test_names_of_real_tokens_that_are_given():
    layer, rows = made()
    allow = masked(CAUSAL, ONE.bool())
    found = capture(layer, (rows, allow), tokens=[list("abcd"), list("vwxyz")], real=ONE)
    assert found[0].tokens == ("a", "b", "c", "d", "[PAD]")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (ONE[0], "real: expected samples × tokens, True or 1 for real tokens and False or 0 for padding"),
        (ONE * 2, "real: expected samples × tokens, True or 1 for real tokens and False or 0 for padding"),
        ("all", "real: expected samples × tokens, True or 1 for real tokens and False or 0 for padding"),
        (ONE[:, :4], "real: expected 2 × 5 (samples × tokens), got 2 × 4"),
        ([[1] * 5, [0] * 5], "real: sample 1 has no real token"),
    ],
)
@pytest.mark.parametrize("run", [capture, sweep])
def test_other_real_tokens_are_refused(run, given, says):
    layer, rows = made()
    with pytest.raises(InteropError, match=re.escape(says)):
        run(layer, (rows, masked(CAUSAL, ONE.bool())), real=given)


def test_a_remark_says_where_one_token_of_padding_may_be_taken_for_a_real_one():
    layer, rows = made()
    remark = "The last token of samples 1 may be padding that sees itself"
    assert remark in repr(capture(layer, (rows, masked(CAUSAL, RIGHT))))
    assert remark not in repr(capture(layer, (rows, masked(CAUSAL, RIGHT)), real=RIGHT))
    for certain in (
        masked(FULL, RIGHT),
        masked(CAUSAL, LEFT),
        masked(CAUSAL, ALL),
        CAUSAL & RIGHT[:, None, None, :],
    ):
        assert "may be padding" not in repr(capture(layer, (rows, certain)))
