"""A text continued: each token is the likeliest of a run of the whole text before it, and the counts are by hand."""

import json
from dataclasses import replace
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from mha_core import ModelError
from mha_core.models import generate, guesses, open_folder, open_foreign, open_model, run, tokenize
from mha_core.models.ends import read_ends
from mha_core.models.generation import as_json, cost, extended
from tests.models.foreign import saved, text_of
from tests.models.made import BERT, GPT2, LLAMA, folder_of

TEXT = "the cat sat on the mat"


@pytest.mark.parametrize("config", [GPT2, LLAMA], ids=["gpt2", "llama"])
def test_each_token_is_the_likeliest_after_the_whole_text_before_it(config, tmp_path):
    model = open_model(folder_of(tmp_path, config, specials=False))
    ids = tokenize(model, TEXT).ids
    steps = generate(model, TEXT, 5).steps
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
    found = generate(model, TEXT, 1).steps[0].cost
    a_token = 3 * 2 * 2 * 6  # layers · keys and values · heads · columns
    assert (found.read, found.computed) == (6 * a_token, a_token)
    assert found.products == 3 * 4 * 7 * (6 + 6)
    assert found.products_whole == 7 * found.products


@pytest.mark.parametrize("name", ["Gemma 2", "gpt-oss"])
def test_a_model_of_transformers_reads_what_its_cache_has(name, tmp_path):
    saved(name, tmp_path)
    model = open_foreign(tmp_path)
    text = text_of(6)
    step = generate(model, text, 1).steps[0]
    cache = run(model, tokenize(model, text)).cache
    assert step.cost.read == sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers)
    assert step.cost.computed * 6 == step.cost.read
    assert step.cost.products_whole == 7 * step.cost.products
    whole = cost(model, model.continued(run(model, tokenize(model, text), without=[(0, 0)]), 6))
    assert (whole.read, whole.computed) == (0, 7 * step.cost.computed)
    assert whole.products == whole.products_whole == step.cost.products_whole


@pytest.mark.parametrize("name", ["Llama", "Gemma 2"])
@pytest.mark.parametrize("file", ["generation_config.json", "config.json"])
@pytest.mark.parametrize("as_list", [False, True], ids=["one", "list"])
def test_a_text_ends_where_it_ends_for_transformers(name, file, as_list, tmp_path):
    """By our own forward, and by transformers. The second new token is made the one that ends texts."""
    saved(name, tmp_path)
    text, ends = text_of(6), settings_of(tmp_path)
    (tmp_path / "generation_config.json").unlink(missing_ok=True)
    free = generate(replace(open_folder(tmp_path), ends=frozenset()), text, 6)
    end = free.tokens.ids[7]
    settings = ends if file == "config.json" else {}
    settings["eos_token_id"] = [997, end] if as_list else end
    (tmp_path / file).write_text(json.dumps(settings), "utf-8")
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path)
    ids = torch.tensor([free.tokens.ids[:6]])
    wanted = theirs.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=6)
    done = generate(open_folder(tmp_path), text, 6)
    assert list(done.tokens.ids) == wanted[0].tolist()
    assert done.stopped == "eos"
    assert len(done.tokens) < len(free.tokens)


def settings_of(folder):
    return json.loads((folder / "config.json").read_text("utf-8"))


def test_a_special_token_that_does_not_end_texts_is_one_of_the_text(tmp_path):
    """The token that comes first is made special."""
    model = open_model(folder_of(tmp_path, GPT2, specials=False))
    first = generate(model, TEXT, 1).tokens
    special = replace(model, reader=replace(model.reader, special=frozenset(first.ids[-1:])))
    done = generate(special, TEXT, 3)
    assert (len(done.steps), done.stopped) == (3, "steps")
    assert done.steps[0].tokens.special[-1]


def test_a_token_that_ends_texts_counts_only_if_the_model_added_it(tmp_path):
    model = open_model(folder_of(tmp_path, GPT2, specials=False))
    ids = tokenize(model, TEXT).ids
    added = {step.tokens.ids[-1] for step in generate(model, TEXT, 2).steps}
    ending = replace(model, ends=frozenset(ids) - added)
    assert generate(ending, TEXT, 2).stopped == "steps"
    assert generate(replace(model, ends=frozenset(ids[-1:])), TEXT, 0).stopped == "steps"


def test_a_text_stops_at_the_longest_that_the_model_takes(tmp_path):
    model = open_model(folder_of(tmp_path, {**GPT2, "n_positions": 8}, specials=False))
    done = generate(model, TEXT, 5)
    assert (len(done.tokens), done.stopped) == (8, "length")
    assert as_json(model, TEXT, 5, "en")["stopped"] == {
        "reason": "length",
        "message": "The text has 8 tokens, and this model takes no longer one.",
    }


@pytest.mark.parametrize("value", ["2", True, [1, None], -1, [[2]]])
def test_ends_that_are_no_ids_are_refused_with_their_place(value, tmp_path):
    folder = folder_of(tmp_path, GPT2)
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": value}), "utf-8")
    with pytest.raises(
        ModelError, match=r"^generation_config.json: eos_token_id: expected the id of a token"
    ):
        open_model(folder)


def test_ends_are_those_of_the_text_in_a_model_of_several_parts(tmp_path):
    (tmp_path / "config.json").write_text('{"text_config": {"eos_token_id": 7}}', "utf-8")
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": null}', "utf-8")
    assert read_ends(tmp_path) == {7}
    (tmp_path / "config.json").write_text("{}", "utf-8")
    assert read_ends(tmp_path) == frozenset()


def test_a_piece_continues_the_word_before_it_or_begins_another(tmp_path):
    model = open_model(folder_of(tmp_path, GPT2, specials=False))
    tokens = tokenize(model, "the cat")
    longer = extended(model, extended(model, tokens, 7), 0)
    assert longer.texts == ("the", "cat", "sat", "[PAD]")
    assert longer.words == (0, 1, 2, None)
    assert longer.special == (False, False, False, True)


def test_the_report_has_rows_guesses_and_counts(tmp_path):
    model = open_model(folder_of(tmp_path, GPT2, specials=False))
    report: Any = as_json(model, TEXT, 2, "en")
    assert len(report["tokens"]) == 6 + len(report["steps"])
    first = report["steps"][0]
    assert first["token"] == first["guesses"][0]["text"]
    assert torch.tensor(first["weights"]).shape == (3, 4, 7)
    assert first["keys_and_values"]["read"] == 6 * first["keys_and_values"]["computed"]
    assert report["stopped"]["message"] == "As many tokens were added as were asked for: 2."
    assert as_json(model, TEXT, 0, "en")["tokens"] == ("the", "cat", "sat", "on", "the", "mat")


def test_an_encoder_and_too_many_steps_are_refused(tmp_path):
    encoder = open_model(folder_of(tmp_path / "encoder", BERT))
    with pytest.raises(ModelError, match="does not continue a text"):
        generate(encoder, TEXT, 1)
    decoder = open_model(folder_of(tmp_path / "decoder", GPT2, specials=False))
    with pytest.raises(ModelError, match="expected 0 to 256 steps, got 257"):
        generate(decoder, TEXT, 257)
