"""A text continued: each token is the likeliest of a run of the whole text before it, and the counts are by hand."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from mha_core import ModelError
from mha_core.models import generate, guesses, open_foreign, open_model, run, tokenize
from mha_core.models.generation import as_json, cost, extended
from tests.models.foreign import saved, text_of
from tests.models.made import BERT, GPT2, LLAMA, folder_of

TEXT = "the cat sat on the mat"


@pytest.mark.parametrize("config", [GPT2, LLAMA], ids=["gpt2", "llama"])
def test_each_token_is_the_likeliest_after_the_whole_text_before_it(config, tmp_path):
    model = open_model(folder_of(tmp_path, config, specials=False))
    ids = tokenize(model, TEXT).ids
    steps = generate(model, TEXT, 5)
    assert steps
    for step in steps:
        whole = run(model, torch.tensor(ids))
        expected = guesses(model, whole, len(ids) - 1)
        assert [guess.id for guess in step.guesses] == [guess.id for guess in expected]
        ids = (*ids, expected[0].id)
        assert step.tokens.ids == ids
        assert step.tokens.texts[-1] == expected[0].text
        for rows, layer in zip(step.rows, run(model, torch.tensor(ids)).layers, strict=True):
            assert (rows - layer.weights[:, -1]).abs().max() <= 1e-6


def test_what_a_step_reads_and_computes_by_hand(tmp_path):
    """Llama: 3 layers, 4 heads of 6 columns, 2 of them with keys and values; 6 tokens and a seventh."""
    model = open_model(folder_of(tmp_path, LLAMA, specials=False))
    found = generate(model, TEXT, 1)[0].cost
    a_token = 3 * 2 * 2 * 6  # layers · keys and values · heads · columns
    assert (found.read, found.computed) == (6 * a_token, a_token)
    assert found.products == 3 * 4 * 7 * (6 + 6)
    assert found.products_whole == 7 * found.products


@pytest.mark.parametrize("name", ["Gemma 2", "gpt-oss"])
def test_a_model_of_transformers_reads_what_its_cache_has(name, tmp_path):
    saved(name, tmp_path)
    model = open_foreign(tmp_path)
    text = text_of(6)
    step = generate(model, text, 1)[0]
    cache = run(model, tokenize(model, text)).cache
    assert step.cost.read == sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers)
    assert step.cost.computed * 6 == step.cost.read
    assert step.cost.products_whole == 7 * step.cost.products
    whole = cost(model, model.continued(run(model, tokenize(model, text), without=[(0, 0)]), 6))
    assert (whole.read, whole.computed) == (0, 7 * step.cost.computed)
    assert whole.products == whole.products_whole == step.cost.products_whole


def test_the_text_ends_where_the_model_ends_it(tmp_path):
    """The token that comes first is made one that ends texts."""
    model = open_model(folder_of(tmp_path, GPT2, specials=False))
    first = generate(model, TEXT, 1)[0].tokens
    ending = replace(model, reader=replace(model.reader, special=frozenset(first.ids[-1:])))
    assert [step.tokens.ids for step in generate(ending, TEXT, 4)] == [first.ids]


def test_a_piece_continues_the_word_before_it_or_begins_another(tmp_path):
    model = open_model(folder_of(tmp_path, GPT2, specials=False))
    tokens = tokenize(model, "the cat")
    longer = extended(model, extended(model, tokens, 7), 0)
    assert longer.texts == ("the", "cat", "sat", "[PAD]")
    assert longer.words == (0, 1, 2, None)
    assert longer.special == (False, False, False, True)


def test_the_report_has_rows_guesses_and_counts(tmp_path):
    model = open_model(folder_of(tmp_path, GPT2, specials=False))
    report: Any = as_json(model, TEXT, 2)
    assert len(report["tokens"]) == 6 + len(report["steps"])
    first = report["steps"][0]
    assert first["token"] == first["guesses"][0]["text"]
    assert torch.tensor(first["weights"]).shape == (3, 4, 7)
    assert first["keys_and_values"]["read"] == 6 * first["keys_and_values"]["computed"]
    assert as_json(model, TEXT, 0)["tokens"] == ("the", "cat", "sat", "on", "the", "mat")


def test_an_encoder_and_too_many_steps_are_refused(tmp_path):
    encoder = open_model(folder_of(tmp_path / "encoder", BERT))
    with pytest.raises(ModelError, match="does not continue a text"):
        generate(encoder, TEXT, 1)
    decoder = open_model(folder_of(tmp_path / "decoder", GPT2, specials=False))
    with pytest.raises(ModelError, match="expected 0 to 256 steps, got 257"):
        generate(decoder, TEXT, 257)
