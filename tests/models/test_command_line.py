"""``python -m mha_core models``."""

import json
from functools import partial

import pytest
import torch

import mha_core.models.library as library_module
from mha_core import backend, parse, trace
from mha_core.models import generate, label, load, measured, open_foreign, open_model, run, tokenize
from mha_core.models.library import cards
from tests.models.foreign import saved, text_of
from tests.models.made import GPT2, folder_of

TEXT = "the cat sat on the mat , and the dog sat on the rug ."


@pytest.fixture(autouse=True)
def offered(monkeypatch, tmp_path):
    monkeypatch.setenv("MHA_MODELS", f"small={folder_of(tmp_path / 'model')}")
    monkeypatch.setattr(library_module, "_LOADED", {})


@pytest.fixture
def command(mha):
    return partial(mha, "models")


def small():
    model = load(next(card for card in cards() if card.key == "small"))
    tokens = tokenize(model, TEXT)
    return model, tokens, run(model, tokens)


def test_the_list_names_every_model_and_no_folder(command, tmp_path):
    status, out, err = command()
    assert (status, err) == (0, "")
    assert "small" in [entry["model"] for entry in json.loads(out)]
    assert str(tmp_path) not in out


def test_a_text_gives_what_every_head_does(command):
    _, tokens, found = small()
    status, out, _ = command("small", TEXT)
    report = json.loads(out)
    assert status == 0
    assert report["tokens"] == list(tokens.texts)
    for layer, records in zip(report["layers"], measured(tokens, found), strict=True):
        for head, record in zip(layer, records, strict=True):
            assert head["label"] == label(record)
            assert head["measures"]["previous"]["value"] == record.measures["previous"].value


def test_heads_of_a_layer_come_with_their_weights_in_the_requested_order(command):
    _, _, found = small()
    _, out, _ = command("small", TEXT, "--layer", "1", "--heads", "2,0")
    heads = json.loads(out)["heads"]
    assert [head["head"] for head in heads] == [2, 0]
    torch.testing.assert_close(
        torch.tensor([head["weights"] for head in heads]), found.layers[1].weights[[2, 0]].cpu()
    )


def test_heads_of_a_layer_become_an_example(command):
    _, _, found = small()
    _, out, _ = command("small", TEXT, "--layer", "2", "--to", "example")
    computed = trace(parse(out), backend("cpu", "float64"))
    assert (computed["weights"] - found.layers[2].weights.cpu()).abs().max() <= 1e-6
    assert (computed["output"] - found.layers[2].output.cpu()).abs().max() <= 1e-5


def test_a_second_sentence_is_read_as_one(command):
    _, out, _ = command("small", "the cat sat", "--pair", "the dog")
    assert json.loads(out)["tokens"] == ["[CLS]", "the", "cat", "sat", "[SEP]", "the", "dog", "[SEP]"]


def test_a_decoder_reads_no_second_sentence(command, tmp_path):
    status, out, err = command(str(folder_of(tmp_path / "decoder", GPT2)), "the cat", "--pair", "the dog")
    assert (status, out) == (2, "")
    assert "--pair: this model reads one text, not two" in err


def test_a_folder_is_named_in_place_of_a_model_and_its_decoder_continues_a_text(command, tmp_path):
    folder = folder_of(tmp_path / "decoder", GPT2, specials=False)
    status, out, _ = command(str(folder), "the cat sat", "--generate", "2")
    report = json.loads(out)
    assert (status, report["format"]) == (0, "mha-generated/1")
    wanted = generate(open_model(folder), "the cat sat", 2).steps
    assert report["tokens"] == list(wanted[-1].tokens.texts)
    assert [step["keys_and_values"]["read"] for step in report["steps"]] == [
        step.cost.read for step in wanted
    ]


def test_a_decoder_s_attention_to_what_the_encoder_reads(command, tmp_path):
    saved("BART", tmp_path / "bart")
    folder, text, source = str(tmp_path / "bart"), text_of(5), text_of(9)
    status, out, _ = command(
        folder, text, "--part", "cross", "--source", source, "--layer", "1", "--heads", "2"
    )
    report = json.loads(out)
    model = open_foreign(tmp_path / "bart", part="cross")
    found = model.run(tokenize(model, text), (), model.reader.source(source))
    assert (status, report["keys"]) == (0, list(found.keys))
    (head,) = report["heads"]
    torch.testing.assert_close(torch.tensor(head["weights"]), found.layers[1].weights_of(2))
    _, out, _ = command(folder, text, "--part", "cross")
    assert json.loads(out)["layers"] == [[{}] * 6] * 2


def test_heads_are_switched_off(command):
    model, tokens, _ = small()
    _, out, _ = command("small", TEXT, "--without", "0.1", "--without", "1.3", "--layer", "2", "--heads", "0")
    off = run(model, tokens, without=[(0, 1), (1, 3)])
    (head,) = json.loads(out)["heads"]
    torch.testing.assert_close(torch.tensor(head["weights"]), off.layers[2].weights_of(0).cpu())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none", "a"], "there is no model named 'none', and no such folder; the models are: own"),
        (["small", "a", "--without", "0"], "expected a layer and a head such as 0.3"),
        (["small", "a", "--without", "0.4"], "there is no head 4 in layer 0"),
        (["small", "a", "--generate", "1"], "this model does not continue a text"),
        (["small", "a", "--heads", "0"], "--heads: heads are those of one layer; give the layer"),
        (["small", "a", "--generate", "1", "--without", "0.1"], "--without: cannot be given with --generate"),
        (["small", "a", "--generate", "1", "--to", "example"], "--to: cannot be given with --generate"),
        (["small", "a", "--part", "decoder"], "small: this model has no decoder beside an encoder"),
        (["small", "a", "--source", "b"], "--source: no encoder reads another text beside this one"),
        (["small", "a", "--part", "cross"], "small: this model has no decoder beside an encoder"),
        (["small"], "TEXT: give a text for the model to read"),
        (["small", ""], "the text is empty"),
        (["small", "cat " * 99], "the text is 101 tokens long; this model takes at most 64"),
        (["small", "a", "--layer", "3"], "there is no layer 3; the model has 3"),
        (["small", "a", "--layer", "0", "--heads", "4"], "there is no head 4; a layer has 4"),
        (["small", "a", "--to", "example"], "--layer: an example holds one layer"),
        (["small", "a", "--to", "example", "--layer", "7"], "the model has 3 layers of 4 heads"),
    ],
    ids=str,
)
def test_an_impossible_request_is_refused_in_one_line(arguments, sentence, command):
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
