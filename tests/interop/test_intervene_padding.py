"""Padding in a batch: means and the largest change are over real tokens, against hooks that share no code with this."""

from contextlib import contextmanager
from functools import cache

import pytest
import torch
from transformers import (
    BertConfig,
    BertModel,
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

from mha_core.interop import At, capture, sweep

SIZE = {"vocab_size": 30, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
REAL = {
    "left": torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]),
    "right": torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]),
}
IDS = torch.tensor([[4, 9, 5, 6, 7], [3, 4, 5, 6, 7]])
CASES = [(name, side) for name in ("BERT", "Llama") for side in REAL]
everywhere = pytest.mark.parametrize(("name", "side"), CASES)
HEAD = slice(8, 16)
"""Columns of head 1."""


@cache
def model_of(name):
    torch.manual_seed(0)
    if name == "BERT":
        return BertModel(BertConfig(**SIZE, intermediate_size=40, initializer_range=0.3)).double().eval()
    return LlamaForCausalLM(LlamaConfig(**SIZE, intermediate_size=48, initializer_range=0.3)).double().eval()


def inputs_of(side):
    return {"input_ids": IDS, "attention_mask": REAL[side]}


def reads_heads(name):
    """What reads the outputs of all heads of layer 0, side by side."""
    model = model_of(name)
    return (
        model.encoder.layer[0].attention.output.dense
        if name == "BERT"
        else model.model.layers[0].self_attn.o_proj
    )


def mlp(name):
    model = model_of(name)
    return (
        ("encoder.layer.0.output.dense", model.encoder.layer[0].output.dense)
        if name == "BERT"
        else ("model.layers.0.mlp", model.model.layers[0].mlp)
    )


def mean_by_hand(rows, side):
    """In plain loops, the mean of each sample's real rows in place of all of them."""
    new = rows.clone()
    for sample, real in enumerate(REAL[side].tolist()):
        kept = [rows[sample, at] for at, is_real in enumerate(real) if is_real]
        for at in range(len(real)):
            new[sample, at] = sum(kept) / len(kept)
    return new


@contextmanager
def hooked(hook):
    yield
    hook.remove()


def output_of(name, side):
    with torch.no_grad():
        return model_of(name)(**inputs_of(side))[0]


def with_mean_of_head(name, side):
    def before(_, given):
        rows = given[0].clone()
        rows[..., HEAD] = mean_by_hand(rows[..., HEAD], side)
        return (rows,)

    with hooked(reads_heads(name).register_forward_pre_hook(before)):
        return output_of(name, side)


def apart(one, other):
    return (one - other).abs().max().item()


@everywhere
def test_a_heads_mean_is_over_the_real_tokens(name, side):
    changed = capture(model_of(name), inputs_of(side), without=[(0, 1)], by="mean")
    assert apart(changed.before, changed.after) > 1e-3
    assert apart(changed.after, with_mean_of_head(name, side)) <= 1e-6


@everywhere
def test_a_sweep_by_means_is_over_the_real_tokens(name, side):
    def number(out):
        return out[0][0, REAL[side][0].nonzero()[-1, 0], 3]

    swept = sweep(model_of(name), inputs_of(side), number, by="mean")
    by_hand = number((with_mean_of_head(name, side),)) - number((output_of(name, side),))
    assert swept.values[0, 1].item() == pytest.approx(by_hand.item(), abs=1e-6)


@everywhere
def test_the_mean_of_a_part_is_over_the_real_tokens(name, side):
    part, module = mlp(name)
    with hooked(module.register_forward_hook(lambda _, __, out: mean_by_hand(out, side))):
        expected = output_of(name, side)
    changed = capture(model_of(name), inputs_of(side), without=[At(part)], by="mean")
    assert apart(changed.before, changed.after) > 1e-3
    assert apart(changed.after, expected) <= 1e-6


def test_cross_attention_takes_the_mean_over_the_decoders_tokens():
    torch.manual_seed(0)
    config = T5Config(vocab_size=30, d_model=32, d_kv=8, d_ff=40, num_layers=1, num_heads=4)
    model = T5ForConditionalGeneration(config).double().eval()
    inputs = {**inputs_of("right"), "decoder_input_ids": IDS[:, :3]}
    inputs["decoder_attention_mask"] = torch.tensor([[1, 1, 0], [1, 1, 1]])

    def before(_, given):
        rows = given[0].clone()
        rows[0, :, HEAD] = rows[0, :2, HEAD].mean(0)
        rows[1, :, HEAD] = rows[1, :, HEAD].mean(0)
        return (rows,)

    read = model.decoder.block[0].layer[1].EncDecAttention.o
    with hooked(read.register_forward_pre_hook(before)), torch.no_grad():
        expected = model(**inputs).logits
    changed = capture(model, inputs, without=[(2, 1)], by="mean")
    assert apart(changed.before, changed.after) > 1e-5
    assert apart(changed.after, expected) <= 1e-6


LAST = {"left": 4, "right": 2}
"""The last real position of sample 0."""


@everywhere
def test_the_largest_change_is_at_a_real_position(name, side):
    changed = capture(model_of(name), inputs_of(side), without=[(0, 1)])
    real = REAL[side].bool()
    by_hand = (changed.after - changed.before).abs()[real]
    assert changed.largest == by_hand.max().item()
    assert real[changed.where[:2]]
    assert changed.difference[changed.where].abs().item() == changed.largest
    swept = sweep(model_of(name), inputs_of(side))
    assert swept.values[0, 1].item() == pytest.approx(changed.largest, abs=1e-12)


@everywhere
def test_tokens_are_those_of_the_last_real_position(name, side):
    changed = capture(model_of(name), inputs_of(side), without=[(0, 1)])
    assert (changed.last(), changed.last(1)) == ((0, LAST[side]), (1, 4))
    assert changed.tokens(logits=True) == changed.tokens((0, LAST[side]), logits=True)


def test_a_change_at_padding_alone_is_said_to_be_one():
    changed = capture(model_of("BERT"), inputs_of("right"), without=[At(1, 1, rows=3)])
    assert changed.difference[0, 3].abs().max() > 1e-6
    assert changed.where[0] == 1  # the row of the other sample is real
    first = {"input_ids": IDS[:1], "attention_mask": REAL["right"][:1]}
    alone = capture(model_of("BERT"), first, without=[At(1, 1, rows=3)])
    assert repr(alone) == f"{alone.edits[0]}: no change of the output (1 × 5 × 32), except at padding"
