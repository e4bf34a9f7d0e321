"""``mha view``: the page's address for a model and a text; whatever is wrong is said before the app starts."""

import json
import os
import socket
import sys
from urllib.parse import parse_qs, urlsplit

import pytest
import torch
from streamlit.web import cli

import mha_core.models.library as library_module
from mha_core.__main__ import main
from mha_core.models import cards, generate, open_model, run, tokenize
from mha_core.models.report import heads_as_json
from mha_ui.command import OWN_ADDRESS, USUAL_PORT, _add
from tests.models.foreign import saved, text_of
from tests.models.made import GPT2, folder_of

TEXT = "the cat sat on the mat"


@pytest.fixture
def view(capfd, monkeypatch):
    """Run ``view`` in a process where Streamlit would end at once: status, output, errors, and what Streamlit got."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("MHA_MODELS", "")
    monkeypatch.setattr(library_module, "_LOADED", {})
    started: list[list[str]] = []

    def start(arguments, **_):
        started.append(arguments)
        sys.exit(0)

    monkeypatch.setattr(cli, "main", start)

    def command(*arguments):
        try:
            status: object = main(("view", "--no-browser", *arguments), prog="mha", add_commands=_add)
        except SystemExit as end:
            status = end.code
        out, err = capfd.readouterr()
        return status, out, err, started

    return command


def test_a_folder_is_offered_to_the_app_and_the_address_opens_it(view, tmp_path):
    folder = folder_of(tmp_path / "my model=1")
    status, out, err, (started,) = view(str(folder), TEXT, "--without", "0.3", "--without", "2.0")
    address = urlsplit(out.strip())
    assert (status, err, address.path) == (0, "", "/models")
    assert parse_qs(address.query) == {
        "model": ["my-model-1"],
        "text": [TEXT],
        "head": ["1.4"],
        "off": ["1.4_3.1"],
    }
    (card,) = (card for card in cards() if card.key == "my-model-1")
    assert card.folder == folder
    assert library_module.is_loaded(card)
    assert f"--server.port={address.port}" in started
    assert "--server.headless=True" in started


def test_the_address_has_the_tokens_that_a_decoder_adds(view, tmp_path):
    folder = folder_of(tmp_path / "decoder", GPT2, specials=False)
    status, out, _, _ = view(str(folder), TEXT, "--generate", "2")
    assert status == 0
    assert parse_qs(urlsplit(out.strip()).query)["next"] == ["2"]
    _, out, _, _ = view(str(folder), TEXT, "--generate", "2", "--json")
    assert json.loads(out)["tokens"] == list(generate(open_model(folder), TEXT, 2).tokens.texts)
    status, _, err, started = view(str(folder), TEXT, "--generate", "-1")
    assert (status, err) == (2, "expected 0 to 256 steps, got -1\n")
    assert len(started) == 1


def test_a_model_on_offer_is_named_by_its_key(view):
    status, out, _, _ = view("own", "The cat sat.")
    assert status == 0
    assert parse_qs(urlsplit(out.strip()).query) == {"model": ["own"], "text": ["The cat sat."]}
    assert os.environ["MHA_MODELS"] == ""


def test_the_decoder_of_a_folder_is_opened_by_its_own_key(view, tmp_path):
    saved("T5", tmp_path / "t5")
    status, out, _, _ = view(str(tmp_path / "t5"), TEXT, "--part", "decoder")
    assert status == 0
    assert parse_qs(urlsplit(out.strip()).query)["model"] == ["t5.decoder"]
    assert [card.key for card in cards()][-2:] == ["t5", "t5.decoder"]


def test_another_port_is_used_if_the_usual_one_is_in_use(view):
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            other.bind((OWN_ADDRESS, USUAL_PORT))
            other.listen()
        except OSError:
            pass  # somebody else uses it
        _, out, _, _ = view("own", "The cat sat.")
    assert urlsplit(out.strip()).port != USUAL_PORT


def test_as_json_it_prints_the_same_numbers_as_models(view, tmp_path, capfd):
    folder = str(folder_of(tmp_path / "decoder", GPT2, specials=False))
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        _, viewed, _, _ = view(folder, TEXT, "--json")
        torch.set_num_threads(2)
        main(("models", folder, TEXT), prog="mha")
    finally:
        torch.set_num_threads(threads)
    assert viewed == capfd.readouterr().out


def test_heads_of_a_model_that_guesses_nothing_cannot_be_muted_on_the_page(view, tmp_path):
    saved("T5", tmp_path / "t5")
    status, _, err, started = view(str(tmp_path / "t5"), TEXT, "--without", "0.1")
    assert (status, started) == (2, [])
    assert "--json shows what the others do then" in err


def test_as_json_it_prints_what_every_head_does_and_starts_nothing(view, tmp_path):
    saved("Qwen3", tmp_path)
    text = text_of(9)
    status, out, _, started = view(str(tmp_path), text, "--json", "--without", "0.1")
    (model,) = library_module._LOADED.values()
    tokens = tokenize(model, text)
    wanted = heads_as_json(tokens, run(model, tokens, without=[(0, 1)]), None, ())
    assert (status, started) == (0, [])
    assert json.loads(out) == json.loads(json.dumps(wanted))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["/no/such/folder", "a"], "there is no model named '/no/such/folder', and no such folder"),
        (["own", ""], "the text is empty"),
        (["own", "a", "--without", "9.0"], "there is no head 0 in layer 9"),
        (["own", "a", "--without", "x"], "expected a layer and a head such as 0.3"),
        (["/", "a", "--part", "decoder"], "this model has no decoder beside an encoder"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_in_one_line_before_anything_starts(view, arguments, sentence):
    status, out, err, started = view(*arguments)
    assert (status, out, started) == (2, "", [])
    assert sentence in err
    assert err.count("\n") == 1
