"""The decoder against a model that is written apart, on torch's own attention, and its laws."""

import pytest
import torch
from torch import nn

from mha_core.train.decoder import Decoder, Pass, loss_of
from mha_core.train.settings import Settings
from tools.torch_decoder import TorchDecoder

VOCABULARY, LONGEST = 11, 13
KINDS = {
    "relative": Settings(positions="relative", layers=2, heads=3, d_model=21),
    "absolute": Settings(positions="absolute", layers=1, heads=2, d_model=22, feed_forward=True),
    "both": Settings(positions="both", layers=2, heads=4, d_model=20, feed_forward=True),
}


def made(settings):
    model = Decoder(settings, VOCABULARY, LONGEST).double()
    random = torch.Generator().manual_seed(5)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3, generator=random)
    return model


def ids(*shape):
    return torch.randint(VOCABULARY, shape, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("kind", KINDS)
def test_logits_and_gradients_are_those_of_torchs_own_attention(kind):
    model = made(KINDS[kind])
    peer = TorchDecoder(model, KINDS[kind])
    tokens, asked = ids(5, 7), torch.ones(5, 7, dtype=torch.bool)
    found, expected = model(tokens), peer(tokens)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    loss_of(found, tokens, asked).backward()
    loss_of(expected, tokens, asked).backward()
    ours, theirs = peer.paired(model)
    for name in ours:
        largest = theirs[name].abs().max()
        assert largest > 0, name
        assert (ours[name] - theirs[name]).abs().max() <= 1e-10 * largest, name


@pytest.mark.parametrize("kind", KINDS)
def test_a_later_token_changes_no_earlier_logit(kind):
    model, tokens = made(KINDS[kind]), ids(4, 9)
    for place in range(1, 9):
        changed = tokens.clone()
        changed[:, place] = (changed[:, place] + 1) % VOCABULARY
        before, after = model(tokens), model(changed)
        assert torch.equal(before[:, :place], after[:, :place])
        assert not torch.equal(before[:, place], after[:, place])


def test_rows_of_weights_add_up_to_one_and_show_nothing_of_the_future():
    layers: list = []
    made(KINDS["both"])(ids(2, 6), attended=layers)
    for layer in layers:
        assert layer.weights.shape == (2, 4, 6, 6)
        torch.testing.assert_close(layer.weights.sum(-1), torch.ones(2, 4, 6).double())
        assert not layer.weights.triu(1).any()


def test_a_head_that_is_switched_off_adds_nothing():
    """The same logits as where its columns of W_O are 0."""
    model = made(KINDS["relative"])
    found = model(ids(2, 6), without=[(1, 2)])
    with torch.no_grad():
        model.blocks[1].attention.output.weight[:, 14:21] = 0
    torch.testing.assert_close(found, model(ids(2, 6)))
    assert not torch.equal(found, made(KINDS["relative"])(ids(2, 6)))


def test_dropout_is_drawn_from_its_generator_alone():
    model = Decoder(Settings(dropout=0.5, d_model=16, heads=2), VOCABULARY, LONGEST)
    drawn = [model(ids(2, 6), random=torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)]
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])
    assert torch.equal(model(ids(2, 6)), model(ids(2, 6)))


def test_dropout_keeps_the_mean():
    run = Pass((), torch.Generator().manual_seed(1), 0.25, [])
    dropped = run.dropped(torch.ones(200, 200))
    assert dropped.unique().tolist() == pytest.approx([0, 4 / 3])
    assert dropped.mean().item() == pytest.approx(1, abs=0.02)


def test_only_asked_tokens_count_in_the_loss():
    """Two tokens to choose from; ln 2 where both are alike, and the row that is not asked for has no part."""
    logits = torch.tensor([[[0.0, 0.0], [50.0, 0.0], [0.0, 0.0]]])
    tokens, asked = torch.tensor([[0, 1, 1]]), torch.tensor([[False, True, False]])
    assert loss_of(logits, tokens, asked).item() == pytest.approx(0.693147, abs=1e-6)


def test_making_a_model_leaves_torchs_random_numbers_alone():
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    Decoder(Settings(), VOCABULARY, LONGEST)
    assert torch.equal(torch.rand(3), expected)
