"""Padding changes nothing about what a head does: a text has the same measures with it and without it."""

from functools import cache

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel, LlamaConfig, LlamaForCausalLM

from mha_core.interop import capture
from tests.view.test_heads import drawn, read

TOKENS = ["[CLS]", "the", "cat", "saw", "the", "cat", "[SEP]"]
SIDES = ("left", "right")
SMALL = {"vocab_size": 30, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}


@cache
def encoder(_: str):
    torch.manual_seed(3)
    layer = nn.TransformerEncoderLayer(8, 4, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()


@cache
def decoder(attention):
    torch.manual_seed(3)
    config = LlamaConfig(**SMALL, intermediate_size=48, initializer_range=0.4, attn_implementation=attention)
    return LlamaForCausalLM(config).eval()


def padded(one, other, side):
    """A batch of the two, the first padded with zeros, and the mask of what is not padding."""
    extra = len(other) - len(one)
    zeros, real = torch.zeros_like(other[:extra]), torch.ones(2, len(other), dtype=torch.long)
    real[0, slice(extra) if side == "left" else slice(-extra, None)] = 0
    return torch.stack([torch.cat((zeros, one) if side == "left" else (one, zeros)), other]), real


def of_encoder(attention, side, names):
    one, other = drawn(7, 8), drawn(11, 8, seed=1)
    batch, real = padded(one, other, side)
    run = capture(encoder(attention), batch, names, keywords={"src_key_padding_mask": real == 0})
    return run, capture(encoder(attention), one[None], names and TOKENS)


def of_decoder(attention, side, names):
    one, other = torch.tensor([1, 5, 6, 7, 5, 6, 2]), torch.arange(3, 14)
    batch, real = padded(one, other, side)
    run = capture(decoder(attention), {"input_ids": batch, "attention_mask": real}, names)
    return run, capture(decoder(attention), one[None], names and TOKENS)


RUNS = [(of_encoder, "torch"), (of_decoder, "sdpa"), (of_decoder, "eager")]


@pytest.mark.parametrize(("run", "attention"), RUNS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("named", [False, True])
def test_padded_and_unpadded_a_text_has_the_same_measures(run, attention, side, named):
    pads = ["[PAD]"] * 4
    own = (pads + TOKENS) if side == "left" else (TOKENS + pads)
    with_padding, alone = run(attention, side, [own, list("abcdefghijk")] if named else None)
    (header, arrays), (expected, exact) = read(with_padding), read(alone)
    got, wanted = (one["heads"]["views"][0]["run"] for one in (header, expected))
    assert got["measures"] == wanted["measures"]
    for part in ("labels", "unsure", "places"):
        assert got["sentences"][0][part] == wanted["sentences"][0][part]
    for part in ("measured", "chance"):
        assert torch.allclose(arrays[f"0/0.{part}"], exact[f"0/0.{part}"], atol=1e-5, equal_nan=True)


@pytest.mark.parametrize(("run", "attention"), RUNS)
@pytest.mark.parametrize("side", SIDES)
def test_without_padding_a_text_is_shown_as_if_it_had_none(run, attention, side):
    with_padding, alone = run(attention, side, None)
    (header, arrays), (expected, exact) = read(with_padding), read(alone)
    view, wanted = (one["heads"]["views"][0] for one in (header, expected))
    real = view["real"]
    first = 4 if side == "left" else 0
    assert real["rows"] == real["keys"] == [*range(first, first + 7)]
    assert (len(view["run"]["sentences"][0]["texts"]), wanted["real"]) == (11, None)
    assert real["run"]["sentences"][0] == wanted["run"]["sentences"][0] | {
        "texts": view["run"]["sentences"][0]["texts"][first : first + 7]
    }
    off = arrays["0/real/0.maps"].int() - exact["0/0.maps"].int()
    assert off.abs().max() <= 1
    assert torch.allclose(arrays["0/real/0.tops"], exact["0/0.tops"], atol=1e-5)
    assert [one["real"] for one in header["heads"]["views"][1:]] == [None]


def test_three_tokens_of_forty_are_compared_with_chance_among_three():
    torch.manual_seed(0)
    model = BertModel(BertConfig(**SMALL, intermediate_size=40)).eval()
    ids, real = torch.zeros(2, 40, dtype=torch.long), torch.ones(2, 40, dtype=torch.long)
    ids[0, :3], ids[1], real[0, 3:] = torch.tensor([1, 5, 6]), torch.arange(40) % 29 + 1, 0
    header, arrays = read(capture(model, {"input_ids": ids, "attention_mask": real}))
    run = header["heads"]["views"][0]["run"]
    (sentence,), at = run["sentences"], run["measures"].index("first_token")
    assert sentence["labels"] == ["none"] * 8
    assert (sentence["places"][at], len(sentence["texts"])) == (3, 40)
    assert torch.allclose(arrays["0/0.chance"][:, at], torch.tensor(1 / 3))
    assert arrays["0/0.measured"][:, run["measures"].index("entropy")].min() > 0.99


def test_a_window_leaves_only_its_keys_to_chance():
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    x, near = drawn(1, 9, 8), torch.ones(9, 9, dtype=torch.bool).tril().triu(-2)
    header, arrays = read(capture(layer, (x, x, x), keywords={"attn_mask": ~near}))
    at = header["heads"]["views"][0]["run"]["measures"].index("itself")
    assert torch.allclose(arrays["0/0.chance"][:, at], torch.tensor(1 / 3), atol=0.05)


def test_what_a_change_did_is_listed_at_the_last_real_token_and_weights_of_padding_do_not_count():
    one, other = torch.tensor([1, 5, 6, 7, 5, 6, 2]), torch.arange(3, 14)
    batch, real = padded(one, other, "right")
    names = [[*TOKENS[:-1], "end", *["[PAD]"] * 4], list("abcdefghijk")]
    changed = capture(decoder("eager"), {"input_ids": batch, "attention_mask": real}, names, without=[(0, 1)])
    header, arrays = read(changed)
    row = header["change"]["rows"][0]
    before, after = row["entries"][0]["probabilities"]
    assert row["place"] == "end"
    by_hand = (changed.after.softmax(-1) - changed.before.softmax(-1))[0, 6].abs()
    assert abs(after - before) == pytest.approx(by_hand.max().item())
    moved = [
        new.weights[:, :7] - old.weights[:, :7]
        for old, new in zip(changed.unchanged, changed.found, strict=True)
    ]
    expected = torch.stack([layer.abs().amax((-2, -1)) for layer in moved]).float()
    assert torch.allclose(arrays["0/differences"], expected)
