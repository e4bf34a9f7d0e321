"""A batch of an encoder–decoder whose source and target are equally long: which text each side is of."""

from typing import Any

import pytest
import torch
from torch import nn

from mha_core import InteropError
from mha_core.interop import At, attribute, capture, sweep
from mha_core.interop.running.captured import Captured

SOURCE = torch.tensor([[5, 6, 7, 8, 9], [11, 12, 13, 14, 0], [15, 16, 0, 0, 0]])
TARGET = torch.tensor([[1, 20, 21, 22, 23], [1, 24, 25, 26, 0], [1, 27, 28, 0, 0]])
SOURCE_NAMES = ["a b c d e".split(), "f g h i".split(), "j k".split()]
TARGET_NAMES = ["<s> un deux trois quatre".split(), "<s> cinq six sept".split(), "<s> huit neuf".split()]
PADS = ("[PAD]",) * 3


class Translator(nn.Module):
    def __init__(self, *, norm_first=False):
        super().__init__()
        torch.manual_seed(0)
        self.words = nn.Embedding(40, 8)
        self.body = nn.Transformer(8, 2, 2, 2, 16, batch_first=True, norm_first=norm_first)
        self.say = nn.Linear(8, 40)

    def forward(self, source, target, masked=True):
        hides = {"src_key_padding_mask": source == 0, "tgt_key_padding_mask": target == 0}
        hides = {**hides, "memory_key_padding_mask": source == 0} if masked else {}
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1]).isinf()
        return self.say(self.body(self.words(source), self.words(target), tgt_mask=causal, **hides))


class OneInput(nn.Module):
    """Both texts come in one tensor, so that no input tells them apart."""

    def __init__(self):
        super().__init__()
        self.inner = Translator()

    def forward(self, both):
        return self.inner(both[0].clone(), both[1].clone())


MODEL: Any = Translator().eval()
NAMES: Any = {"tokens": TARGET_NAMES, "context_tokens": SOURCE_NAMES}


def by_side(found) -> dict[str, list[Captured]]:
    sides: dict[str, list[Captured]] = {"encoder": [], "self": [], "cross": []}
    for one in found:
        kind = "encoder" if "encoder" in one.name else "cross" if "multihead" in one.name else "self"
        sides[kind].append(one)
    return sides


def test_each_side_has_its_own_words():
    found = by_side(capture(MODEL, (SOURCE, TARGET), sample=2, **NAMES))
    source, target = ("j", "k", *PADS), ("<s>", "huit", "neuf", *PADS[:2])
    assert {(one.tokens, one.context_tokens) for one in found["encoder"]} == {(source, None)}
    assert {(one.tokens, one.context_tokens) for one in found["self"]} == {(target, None)}
    assert {(one.tokens, one.context_tokens) for one in found["cross"]} == {(target, source)}


def test_real_is_of_the_target_and_context_real_of_the_source():
    real, context = TARGET != 0, SOURCE != 0
    inputs = SOURCE, TARGET, False
    for context_real, expected in ((None, torch.tensor(True)), (context, context)):
        found = by_side(capture(MODEL, inputs, real=real, context_real=context_real))
        assert all(torch.equal(one.real, real) for one in found["self"])
        assert all(bool((one.real == expected).all()) for one in found["encoder"] + found["cross"])


def test_a_mask_of_the_encoder_is_not_overridden():
    found = by_side(capture(MODEL, (SOURCE, TARGET), real=TARGET != 0))
    assert all(torch.equal(one.real, SOURCE != 0) for one in found["encoder"] + found["cross"])


def test_the_mean_of_an_encoders_head_is_over_the_source():
    for place in ((0, 1), At("body.encoder.layers.0.linear2")):
        changes = [
            capture(MODEL, (SOURCE, TARGET), without=[place], by="mean", real=real, context_real=context_real)
            for real, context_real in ((None, None), (TARGET != 0, None), (None, SOURCE != 0))
        ]
        assert all(torch.equal(one.after, changes[0].after) for one in changes)
    swapped = TARGET != 0
    other = capture(MODEL, (SOURCE, TARGET), without=[(0, 1)], by="mean", context_real=swapped)
    right = capture(MODEL, (SOURCE, TARGET), without=[(0, 1)], by="mean")
    assert not torch.equal(other.after, right.after)


def test_a_sweep_of_means_takes_the_real_tokens_of_each_text():
    inputs: Any = (SOURCE, TARGET, False)  # no mask of padding
    truths: Any = {"real": TARGET != 0, "context_real": SOURCE != 0}
    swept = sweep(MODEL, inputs, by="mean", **truths)
    for index, head in ((0, 1), (2, 0), (3, 1)):
        alone = capture(MODEL, inputs, without=[(index, head)], by="mean", **truths)
        assert swept.values[index, head].item() == pytest.approx(alone.largest, abs=1e-6)
    without = sweep(MODEL, inputs, by="mean", real=TARGET != 0)
    assert not torch.allclose(swept.values[0], without.values[0], atol=1e-6)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_an_attribution_is_at_the_last_real_token_of_the_target():
    model, inputs = Translator(norm_first=True).eval(), (SOURCE, TARGET.roll(1, 0), False)
    truths: Any = {"real": inputs[1] != 0, "context_real": SOURCE != 0}
    logits = model(*inputs)[2, 3]
    direct = attribute(model, inputs, 7, sample=2, **truths)
    assert direct.total == pytest.approx(logits[7].item(), abs=1e-5)
    assert direct.values[:2].isnan().all()  # the encoder's heads add to another stream


def test_the_last_position_is_the_targets():
    changed = capture(MODEL, (SOURCE, TARGET), without=[(0, 1)], **NAMES)
    assert [changed.last(sample) for sample in range(3)] == [(0, 4), (1, 3), (2, 2)]
    assert [one.tokens[:2] for one in changed.found.samples[2]][:3] == [("j", "k")] * 2 + [("<s>", "huit")]


def test_in_one_input_masks_decide_or_a_remark_says_that_nothing_does():
    both = torch.stack([SOURCE, TARGET])
    found = by_side(capture(OneInput().eval(), both, sample=2, batch=3, real=TARGET != 0, **NAMES))
    for one in found["encoder"] + found["cross"]:  # a mask shows the keys alone
        assert (one.tokens, one.context_tokens) == (tuple("12345"), ("j", "k", *PADS))
        assert "it is not known which of them name its queries" in repr(one)
    assert {one.tokens for one in found["self"]} == {("<s>", "huit", "neuf", *PADS[:2])}
    same = torch.stack([TARGET + (TARGET > 0), TARGET])
    unsure = capture(OneInput().eval(), same, batch=3, tokens=TARGET_NAMES, context_tokens=SAME)
    assert unsure[0].tokens == tuple("12345")
    assert "Both tokens and context_tokens fit it" in repr(unsure[0])


SAME = ["A B C D E".split(), "F G H I".split(), "J K L".split()]


def test_context_real_that_fits_nothing_is_refused():
    with pytest.raises(InteropError, match=r"context_real: expected 3 × 5 \(samples × tokens\), got 3 × 4"):
        capture(MODEL, (SOURCE, TARGET), context_real=SOURCE[:, :4] != 0)
