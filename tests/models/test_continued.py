"""A decoder's text continued token by token: what the cache gives is what a run of the whole text gives."""

import pytest
import torch

from mha_core import ModelError
from mha_core.models import guesses, open_model, run, tokenize
from mha_core.models.forward import continued
from tests.models.made import BERT, GPT2, LLAMA, folder_of

MISTRAL = LLAMA | {"model_type": "mistral", "sliding_window": 4}
TEXT = "the cat sat on the mat , and the"
MORE = (6, 12, 7, 3, 9, 9, 6)
DECODERS = pytest.mark.parametrize("config", [GPT2, LLAMA, MISTRAL], ids=["gpt2", "llama", "mistral"])


def opened(folder, config):
    return open_model(folder_of(folder, config, specials=False))


@DECODERS
@pytest.mark.parametrize("without", [(), ((0, 1), (2, 3))], ids=["whole", "without heads"])
def test_every_row_and_every_guess_is_that_of_the_whole_text(config, without, tmp_path):
    model = opened(tmp_path, config)
    step = run(model, tokenize(model, TEXT), without=without)
    for token in MORE:
        step = continued(model, step, token)
        whole = run(model, step.ids, without=without)
        for ours, theirs in zip(step.layers, whole.layers, strict=True):
            assert (ours.weights - theirs.weights).abs().max() <= 1e-6
            assert (ours.output - theirs.output).abs().max() <= 1e-5
        place = len(step.ids) - 1
        found, wanted = guesses(model, step, place, 100), guesses(model, whole, place, 100)
        assert [guess.id for guess in found] == [guess.id for guess in wanted]
        assert step.without == without


@DECODERS
def test_rows_keys_and_values_before_the_new_token_are_not_computed_again(config, tmp_path):
    model = opened(tmp_path, config)
    past = run(model, tokenize(model, TEXT))
    for layer, before in zip(continued(model, past, 6).layers, past.layers, strict=True):
        for name in ("x", "q", "k", "v", "head_outputs"):
            assert torch.equal(getattr(layer, name)[..., : len(past.ids), :], getattr(before, name))


def test_an_encoder_and_an_unknown_id_are_refused(tmp_path):
    encoder = open_model(folder_of(tmp_path / "encoder", BERT))
    with pytest.raises(ModelError, match="does not continue it"):
        continued(encoder, run(encoder, tokenize(encoder, TEXT)), 6)
    decoder = opened(tmp_path / "decoder", GPT2)
    with pytest.raises(ModelError, match="gives the id 99"):
        continued(decoder, run(decoder, tokenize(decoder, TEXT)), 99)
    full = run(decoder, torch.full((64,), 6))
    with pytest.raises(ModelError, match="65 tokens long"):
        continued(decoder, full, 6)
