"""``/api/models``: answers about a trained model's heads, against the model itself, and refusals."""

import json
import math
import struct
import threading

import numpy as np
import pytest
import torch

from mha_api import model_answers, model_runs, models
from mha_api.model_runs import Runs, run_size
from mha_core.messages import LANGUAGES
from mha_core.models import (
    MEASURES,
    cards,
    guesses,
    label,
    load,
    measured,
    run,
    shuffled_means,
    tokenize,
    unsure,
)
from mha_core.models.guesses import MOST, hidden
from mha_view.language import words_in
from tests.api.openapi import statuses
from tests.models.made import BERT, GPT2, folder_of

TEXT = "the cat sat on the mat , and the dog liked the cat ."
OTHER = "the cat sat on the rug , and the dog liked the cat ."
JSON = {"content-type": "application/json"}
DTYPES = {"float32": np.float32, "uint8": np.uint8, "uint16": np.uint16}


pytestmark = pytest.mark.usefixtures("offered")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    bare = {**BERT, "max_position_embeddings": 400}
    return {
        "encoder": folder_of(root / "encoder"),
        "decoder": folder_of(root / "decoder", GPT2, specials=False),
        "long": folder_of(root / "long", bare),
    }


def model_of(key):
    return load(next(card for card in cards() if card.key == key))


def post(client, path, **fields):
    answer = client.post(f"/api/models/{path}", content=json.dumps(fields), headers=JSON)
    assert answer.status_code in statuses("POST", f"/models/{path}")
    return answer


def opened(answer):
    """A binary message's header and arrays."""
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/octet-stream")
    data = answer.content
    (length,) = struct.unpack_from("<I", data)
    header = json.loads(data[4 : 4 + length])
    assert (4 + length) % 8 == 0
    arrays, at = {}, 4 + length
    for name, kind, shape in header["arrays"]:
        count = math.prod(shape)
        arrays[name] = np.frombuffer(data, DTYPES[kind], count, at).reshape(shape)
        at += math.ceil(arrays[name].nbytes / 8) * 8
    assert at == len(data)
    return header, arrays


def refused(answer, status=422):
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    content = answer.json()
    assert [name for name in content if name != "fits"] == ["error", "place"]
    assert content["error"].isprintable()
    assert len(content["error"]) < 300
    return content["error"]


# --- the models on offer -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_models_are_listed_by_key_and_no_folder_leaves_the_server(client, folders, language):
    answer = client.get(f"/api/models?lang={language}")
    listed = answer.json()["models"]
    assert [list(model) for model in listed] == [["key", "title", "about", "languages"]] * len(listed)
    assert {"encoder", "decoder"} <= {model["key"] for model in listed}
    assert all(model["title"] and model["about"] for model in listed)
    assert all(str(folder) not in answer.text for folder in folders.values())


# --- all heads -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["encoder", "decoder"])
def test_every_head_s_map_is_the_model_s_own(client, key):
    header, arrays = opened(post(client, "run", model=key, texts=[TEXT]))
    model = model_of(key)
    tokens = tokenize(model, TEXT)
    weights = torch.stack([layer.weights for layer in run(model, tokens).layers]).numpy()
    assert (header["layers"], header["heads"], header["d_head"]) == (3, 4, 6)
    assert header["causal"] == (key == "decoder")
    assert header["guesses"] is True
    assert header["limit"] == 64
    (sentence,) = header["sentences"]
    assert tuple(sentence["texts"]) == tokens.texts
    assert tuple(sentence["words"]) == tokens.words
    assert tuple(sentence["special"]) == tokens.special
    assert (sentence["side"], sentence["block"]) == (len(tokens), 1)
    assert np.array_equal(arrays["0.maps"], np.rint(255 * np.sqrt(weights)).astype(np.uint8))
    assert np.array_equal(arrays["0.tops"], weights.max(-1))
    largest = np.take_along_axis(weights, arrays["0.keys"][..., None].astype(int), -1)[..., 0]
    assert np.array_equal(largest, weights.max(-1))
    assert "differences" not in arrays
    assert header["aligned"] == []
    assert header["masks"] == [[]]


@pytest.mark.parametrize("key", ["encoder", "decoder"])
def test_every_measure_and_its_expectation_by_chance_are_the_core_s(client, key):
    header, arrays = opened(post(client, "run", model=key, texts=[TEXT]))
    model = model_of(key)
    tokens = tokenize(model, TEXT)
    records = [head for layer in measured(tokens, run(model, tokens)) for head in layer]
    assert header["measures"] == [name for name in MEASURES if name in records[0].measures]
    assert header["sentences"][0]["labels"] == [label(record) or "none" for record in records]
    assert header["sentences"][0]["unsure"] == [unsure(record) or "" for record in records]
    for record, values, chance in zip(records, arrays["0.measured"], arrays["0.chance"], strict=True):
        for name, value, null in zip(header["measures"], values, chance, strict=True):
            assert value == np.float32(record.measures[name].value)
            assert null == np.float32(record.measures[name].null)


def test_a_measure_without_a_place_in_one_of_two_sentences_is_nan(client):
    header, arrays = opened(
        post(client, "run", model="encoder", texts=["the cat sat", "the ( cat ) sat on the mat"])
    )
    at = header["measures"].index("pair")
    assert np.isnan(arrays["0.measured"][:, at]).all()
    assert not np.isnan(arrays["1.measured"][:, at]).any()


def test_in_a_long_text_a_pixel_is_the_largest_weight_of_its_pairs(client):
    text = " ".join(["the cat sat on the mat and"] * 43)
    header, arrays = opened(post(client, "run", model="long", texts=[text]))
    model = model_of("long")
    tokens = tokenize(model, text)
    n, (sentence,) = len(tokens), header["sentences"]
    assert n == 303
    assert (sentence["block"], sentence["side"]) == (3, 101)
    weights = run(model, tokens).layers[1].weights[2].numpy()
    pooled = [[weights[3 * i : 3 * i + 3, 3 * j : 3 * j + 3].max() for j in range(101)] for i in range(101)]
    assert np.array_equal(arrays["0.maps"][1, 2], np.rint(255 * np.sqrt(pooled)).astype(np.uint8))
    assert arrays["0.tops"].shape == (3, 4, n)


def test_two_sentences_are_compared_head_by_head(client):
    header, arrays = opened(post(client, "run", model="encoder", texts=[TEXT, OTHER]))
    n = len(header["sentences"][0]["texts"])
    assert header["aligned"] == [[at, at] for at in range(n)]
    first, second = (
        torch.stack(
            [layer.weights for layer in run(model_of("encoder"), tokenize(model_of("encoder"), text)).layers]
        )
        for text in (TEXT, OTHER)
    )
    expected = (first - second).abs().sum(-1).mean(-1) / 2
    assert np.allclose(arrays["differences"], expected.numpy(), atol=1e-6)
    changes = (second - first).numpy()
    most = np.take_along_axis(changes, arrays["shift_keys"][..., None].astype(int), -1)[..., 0]
    assert np.array_equal(arrays["shifts"], most)
    assert np.array_equal(np.abs(most), np.abs(changes).max(-1))
    assert arrays["1.maps"].shape == arrays["0.maps"].shape


def test_the_same_sentence_twice_differs_nowhere(client):
    _, arrays = opened(post(client, "run", model="encoder", texts=[TEXT, TEXT]))
    assert not arrays["differences"].any()


def test_heads_that_are_switched_off_change_the_layers_above(client):
    _, whole = opened(post(client, "run", model="encoder", texts=[TEXT]))
    _, without = opened(post(client, "run", model="encoder", texts=[TEXT], without=[[0, 1], [1, 3]]))
    model = model_of("encoder")
    off = run(model, tokenize(model, TEXT), without={(0, 1), (1, 3)})
    assert np.array_equal(without["0.maps"][0], whole["0.maps"][0])
    assert not np.array_equal(without["0.maps"][1:], whole["0.maps"][1:])
    assert np.array_equal(without["0.tops"][2], off.layers[2].weights.amax(-1).numpy())


# --- one head ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["encoder", "decoder"])
def test_one_head_s_numbers_are_exact_and_its_scores_are_the_products(client, key):
    header, arrays = opened(post(client, "head", model=key, text=TEXT, layer=1, head=2))
    model = model_of(key)
    layer = run(model, tokenize(model, TEXT)).layers[1]
    n, d = header["n"], header["d"]
    assert np.array_equal(arrays["weights"], layer.weights_of(2).numpy())
    assert np.array_equal(arrays["q"], layer.q[2].numpy())
    assert np.array_equal(arrays["k"], layer.k[2].numpy())
    later = np.triu(np.ones((n, n), bool), 1) if key == "decoder" else np.zeros((n, n), bool)
    assert (arrays["scores"][later] == -np.inf).all()
    for query in range(n):
        for key_at in range(n):
            if not later[query, key_at]:
                products = [float(arrays["q"][query, i]) * float(arrays["k"][key_at, i]) for i in range(d)]
                assert math.isclose(
                    sum(products), arrays["scores"][query, key_at], rel_tol=1e-5, abs_tol=1e-5
                )
    powers = np.exp(arrays["scores"].astype(float) / header["divisor"])
    assert np.allclose(powers / powers.sum(-1, keepdims=True), arrays["weights"], atol=1e-6)


# --- the model's own answer ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["encoder", "decoder"])
def test_guesses_are_the_model_s_with_all_heads_and_without_some(client, key):
    answer = post(client, "guesses", model=key, text=TEXT, place=3, without=[[1, 0], [2, 2]]).json()
    model = model_of(key)
    tokens = tokenize(model, TEXT)
    shown = hidden(model, tokens, 3) if key == "encoder" else tokens
    at = 3 if key == "encoder" else 4
    for name, off in (("before", set()), ("after", {(1, 0), (2, 2)})):
        expected = guesses(model, run(model, shown, without=off), 3, model_answers.MOST_GUESSES)
        assert answer[name] == [{"text": guess.text, "probability": guess.probability} for guess in expected]
        every = guesses(model, run(model, shown, without=off), 3, MOST)
        rank = next(rank for rank, guess in enumerate(every, 1) if guess.id == tokens.ids[at])
        assert answer["word"][name] == {"probability": every[rank - 1].probability, "rank": rank}
    assert (answer["word"]["text"], answer["word"]["at"]) == (model.reader.text(tokens.ids[at]), at)
    assert answer["before"] != answer["after"]
    if key == "encoder":
        assert shown.texts[3] == "[MASK]"
        answer = post(client, "guesses", model=key, text="the [MASK] sat", place=2).json()
        assert answer["word"] is None
        assert len(answer["before"]) == model_answers.MOST_GUESSES
    text, place = ("the zebra sat", 2) if key == "encoder" else (TEXT, len(tokens) - 1)
    assert post(client, "guesses", model=key, text=text, place=place).json()["word"] is None


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "fields", "sentence"),
    [
        ("run", {"model": "none", "texts": ["a"]}, "there is no model 'none' here"),
        ("run", {"model": ["encoder"], "texts": ["a"]}, "there is no model"),
        ("run", {"model": "/etc", "texts": ["a"]}, "there is no model '/etc' here"),
        ("run", {"model": "encoder"}, "texts: missing"),
        ("run", {"model": "encoder", "texts": []}, "expected one or two texts"),
        ("run", {"model": "encoder", "texts": ["a", "b", "c"]}, "expected one or two texts"),
        ("run", {"model": "encoder", "texts": [7]}, "expected text"),
        ("run", {"model": "encoder", "texts": [""]}, "the text is empty"),
        ("run", {"model": "encoder", "texts": ["\u0000\u0007"]}, "the text is empty"),
        ("run", {"model": "encoder", "texts": ["cat " * 63]}, "65 tokens long; this model takes at most 64"),
        ("run", {"model": "encoder", "texts": ["x" * 100_001]}, "at most 100000 are allowed"),
        ("run", {"model": "encoder", "texts": ["a"], "without": [[3, 0]]}, "there is no head 0 in layer 3"),
        ("run", {"model": "encoder", "texts": ["a"], "without": [[-1, 0]]}, "expected pairs"),
        ("run", {"model": "encoder", "texts": ["a"], "without": [[0]] * 9}, "expected pairs"),
        ("run", {"model": "encoder", "texts": ["a"], "without": "all"}, "expected pairs"),
        ("run", {"model": "encoder", "texts": ["a"], "folder": "/etc"}, "the fields here are"),
        ("head", {"model": "encoder", "text": "a", "layer": 9, "head": 0}, "3 layers of 4 heads"),
        ("head", {"model": "encoder", "text": "a", "layer": True, "head": 0}, "expected pairs"),
        ("guesses", {"model": "encoder", "text": "cat", "place": 9}, "from 0 to 2"),
        ("guesses", {"model": "encoder", "text": "cat", "place": 0}, "no word at position 0"),
        ("guesses", {"model": "encoder", "text": "cat", "place": "1"}, "from 0 to 2"),
    ],
)
def test_a_wrong_request_is_refused_in_one_sentence(client, path, fields, sentence):
    assert sentence in refused(post(client, path, **fields))


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("encoder", "the cat sat on the mat. " * 6000),
        ("encoder", "cat" * 400 + " sat" * 9000),
        ("own", "小猫坐着。" * 600),
    ],
)
def test_the_refusal_of_a_text_that_is_too_long_says_how_much_of_it_fits(client, key, text):
    text, model = text.strip(), model_of(key)
    answer = post(client, "run", model=key, texts=["the cat", text])
    refused(answer)
    fits = answer.json()["fits"]
    start = text[:fits]
    opened(post(client, "run", model=key, texts=["the cat", start]))
    assert len(tokenize(model, start)) > 0.9 * model.most_tokens
    assert text[fits] == " " or " " not in start


def test_other_refusals_do_not_say_how_much_fits(client):
    answer = post(client, "run", model="encoder", texts=["  "])
    refused(answer)
    assert "fits" not in answer.json()


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"run"', b"[" * 40_000, b"\xff\xfe"])
def test_a_body_that_is_not_an_object_is_refused(client, body):
    answer = client.post("/api/models/run", content=body, headers=JSON)
    assert "expected a JSON object" in refused(answer)


def test_a_refusal_is_in_the_language_of_the_request(client):
    answer = client.post("/api/models/run?lang=zh", content=json.dumps({"model": "encoder"}), headers=JSON)
    assert words_in("zh")("missing") in refused(answer)


def test_a_page_of_another_host_is_refused(client):
    answer = client.post(
        "/api/models/run", content=b"{}", headers={**JSON, "origin": "https://elsewhere.example"}
    )
    refused(answer, 403)


def test_a_text_is_never_markup_or_a_path(client):
    text = "<img src=x onerror=alert(1)> ../../etc/passwd"
    header, _ = opened(post(client, "run", model="encoder", texts=[text]))
    assert "[UNK] img" in header["sentences"][0]["texts"]


def test_an_unknown_token_is_sent_with_the_text_s_own_characters(client):
    header, _ = opened(post(client, "run", model="encoder", texts=["the zebra sat"]))
    (sentence,) = header["sentences"]
    assert sentence["texts"] == ["[CLS]", "the", "[UNK] zebra", "sat", "[SEP]"]
    assert sentence["unknown"] == [False, False, True, False, False]


def test_each_measure_says_at_how_many_places_it_is_taken(client):
    header, _ = opened(post(client, "run", model="encoder", texts=[TEXT]))
    model = model_of("encoder")
    tokens = tokenize(model, TEXT)
    record = measured(tokens, run(model, tokens))[0][0]
    places = dict(zip(header["measures"], header["sentences"][0]["places"], strict=True))
    assert places == {name: measure.places for name, measure in record.measures.items()}


@pytest.mark.parametrize(("tokens", "weights"), [(100, 10**9), (1024, 12 * 100**2)])
def test_a_text_with_too_many_weights_is_refused(client, monkeypatch, tokens, weights):
    monkeypatch.setattr(model_answers, "MOST_TOKENS", tokens)
    monkeypatch.setattr(model_answers, "MOST_WEIGHTS", weights)
    fits, long = "cat " * 98, "cat " * 99
    header, _ = opened(post(client, "run", model="long", texts=[fits]))
    assert header["limit"] == 100
    for path, fields in (
        ("run", {"texts": [long]}),
        ("head", {"text": long, "layer": 0, "head": 0}),
        ("shuffled", {"text": long}),
    ):
        assert "has 101 tokens" in refused(post(client, path, model="long", **fields))


def test_measures_of_shuffled_words_are_the_core_s(client):
    header, arrays = opened(post(client, "shuffled", model="encoder", text=TEXT, without=[[0, 1]]))
    model = model_of("encoder")
    expected = shuffled_means(model, tokenize(model, TEXT), without={(0, 1)})
    for head, row in enumerate(arrays["shuffled"]):
        means = expected[head // 4][head % 4]
        for name, number in zip(header["measures"], row, strict=True):
            assert number == np.float32(means[name])


# --- many at once --------------------------------------------------------------------------------------------------


def test_a_few_are_computed_at_once_and_all_are_answered(client, monkeypatch):
    model_of("encoder")  # so that it is loaded
    computing, running = set(), []
    at_once = int(models.COMPUTING.total_tokens)
    all_running = threading.Barrier(at_once, timeout=20)
    real = model_answers.ANSWERS["run"]

    def watched(body, language):
        computing.add(threading.get_ident())
        running.append(len(computing))
        if len(running) <= at_once:
            all_running.wait()
        answer = real(body, language)
        computing.discard(threading.get_ident())
        return answer

    monkeypatch.setattr(model_answers, "ANSWERS", {**model_answers.ANSWERS, "run": watched})
    answers = []
    send = lambda: answers.append(post(client, "run", model="encoder", texts=[TEXT]))  # noqa: E731
    threads = [threading.Thread(target=send) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [200] * 20
    assert len({answer.content for answer in answers}) == 1
    assert max(running) == at_once


def test_a_run_that_several_want_at_once_is_computed_once(monkeypatch):
    model, computed = model_of("encoder"), []
    begun, all_want = threading.Event(), threading.Event()

    def watched(*arguments, **options):
        computed.append(arguments)
        begun.set()
        assert all_want.wait(20)
        return run(*arguments, **options)

    monkeypatch.setattr(model_runs, "run", watched)
    runs, tokens, found = Runs(), tokenize(model, TEXT), []
    threads = [
        threading.Thread(target=lambda: found.append(runs.run(model, tokens, frozenset()))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
        assert begun.wait(20)
    all_want.set()
    for thread in threads:
        thread.join()
    assert len(computed) == 1
    assert found[0] is found[1] is found[2]


def test_a_run_is_stored_and_the_oldest_is_removed_when_they_take_too_much():
    model = model_of("encoder")
    texts = [tokenize(model, text) for text in (TEXT, OTHER, "the cat")]
    runs = Runs(most=run_size(model, len(texts[0])) + run_size(model, len(texts[1])))
    first = runs.run(model, texts[0], frozenset())
    assert runs.run(model, texts[0], frozenset()) is first
    assert runs.run(model, texts[0], frozenset({(0, 0)})) is not first
    for tokens in texts[1:]:
        runs.run(model, tokens, frozenset())
    assert runs.run(model, texts[0], frozenset()) is not first
    small = Runs(most=1)
    again = small.run(model, texts[0], frozenset())
    assert small.run(model, texts[0], frozenset()) is again


def test_while_a_model_is_downloaded_other_models_answer_however_many_requests_wait(
    client, folders, monkeypatch
):
    import huggingface_hub

    monkeypatch.setenv("MHA_MODELS", f"far=some/where;near={folders['encoder']}")
    downloads, begun, arrived = [], threading.Event(), threading.Event()

    def fetch(repository, **_):
        downloads.append(repository)
        begun.set()
        assert arrived.wait(20)
        return str(folders["encoder"])

    def send(model):
        answers[model].append(post(client, "guesses", model=model, text=TEXT, place=2).status_code)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    answers: dict[str, list[int]] = {"far": [], "near": []}
    waiting = [threading.Thread(target=send, args=("far",)) for _ in range(4)]
    for thread in waiting:
        thread.start()
    assert begun.wait(20)
    near = threading.Thread(target=send, args=("near",))
    near.start()
    near.join(10)
    was_answered = answers["near"] == [200]
    arrived.set()
    for thread in (*waiting, near):
        thread.join()
    assert was_answered
    assert answers["far"] == [200] * 4
    assert downloads == ["some/where"]
