"""``/api/models`` for models that transformers computes, and for texts that a decoder continues."""

import numpy as np
import pytest

from mha_core.models import ForeignLayer, cards, generate, load, measured, run, tokenize
from tests.api.test_models import model_of, opened, post, refused
from tests.models.foreign import saved, text_of
from tests.models.made import GPT2, LLAMA, folder_of

pytestmark = pytest.mark.usefixtures("offered")
TEXT = text_of(9)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    made = {"gemma": "Gemma 2", "bloom": "BLOOM", "oss": "gpt-oss", "albert": "ALBERT", "t5": "T5"}
    for key, name in made.items():
        saved(name, root / key)
    small = {"decoder": folder_of(root / "decoder", GPT2, specials=False, seed=1)}
    windowed = LLAMA | {"model_type": "mistral", "sliding_window": 4}
    return (
        {key: root / key for key in made}
        | small
        | {"mistral": folder_of(root / "mistral", windowed, specials=False)}
    )


@pytest.mark.parametrize("key", ["gemma", "albert", "t5", "t5.decoder", "mistral"])
def test_every_head_s_map_and_measures_are_those_of_the_run(client, key):
    header, arrays = opened(post(client, "run", model=key, texts=[TEXT]))
    model = model_of(key)
    tokens = tokenize(model, TEXT)
    found = run(model, tokens)
    weights = np.stack([layer.weights.numpy() for layer in found.layers])
    assert np.array_equal(arrays["0.maps"], np.rint(255 * np.sqrt(weights)).astype(np.uint8))
    assert tuple(header["sentences"][0]["texts"]) == tokens.texts
    records = [record for layer in measured(tokens, found) for record in layer]
    at = header["measures"].index("previous")
    nulls = [np.float32(record.measures["previous"].null) for record in records]
    assert np.array_equal(arrays["0.chance"][:, at], nulls)
    assert header["starts_from_x"] == (key == "mistral")
    assert header["continues"] == (key in ("gemma", "mistral"))
    assert header["guesses"] == (key != "t5")


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@pytest.mark.parametrize("key", ["gemma", "bloom", "oss", "albert", "t5", "mistral"])
def test_the_arithmetic_of_a_head_gives_its_weights(client, key):
    header, arrays = opened(post(client, "head", model=key, text=TEXT, layer=0, head=1))
    q, k, scores = (arrays[name].astype(float) for name in ("q", "k", "scores"))
    hidden = np.isneginf(scores)
    assert np.allclose((q @ k.T)[~hidden], scores[~hidden], atol=1e-4)
    scaled = scores / header["divisor"]
    if header["softcap"] is not None:
        scaled = np.where(hidden, scaled, header["softcap"] * np.tanh(scaled / header["softcap"]))
    scaled = scaled + arrays.get("added", 0)
    if header["sink"] is not None:
        scaled = np.concatenate([scaled, np.full((len(q), 1), header["sink"])], -1)
    assert np.allclose(softmax(scaled)[:, : len(q)], arrays["weights"], atol=1e-5)
    assert (header["sink"] is not None) == (key == "oss")
    assert header["root"] == (key not in ("gemma", "t5"))
    assert ("added" in arrays) == (key in ("bloom", "t5"))
    assert (header["softcap"] is not None) == (key == "gemma")
    assert header["unexplained"] == ""


@pytest.mark.parametrize(("lang", "said"), [("en", "is not known here"), ("zh", "不知道")])
def test_where_the_scores_are_not_known_only_the_weights_are_sent(client, lang, said, monkeypatch):
    monkeypatch.setattr(ForeignLayer, "scoring", lambda layer, head: None)
    header, arrays = opened(post(client, f"head?lang={lang}", model="gemma", text=TEXT, layer=0, head=1))
    assert list(arrays) == ["weights"]
    assert said in header["unexplained"]


def test_a_part_of_a_map_is_that_of_the_weights(client):
    request = {
        "text": TEXT,
        "layer": 1,
        "head": 2,
        "queries": [2, 8],
        "keys": None,
        "size": [512, 512],
        "by": "max",
    }
    for key in ("gemma", "mistral"):
        _, arrays = opened(post(client, "pooled", model=key, **request))
        model = model_of(key)
        weights = run(model, tokenize(model, TEXT)).layers[1].weights_of(2).numpy()
        assert np.allclose(arrays["weights"], weights[2:8], atol=1e-6)


# --- continued -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["decoder", "mistral", "gemma", "oss"])
def test_a_text_with_added_tokens_is_the_generated_one(client, key):
    model = model_of(key)
    steps = generate(model, TEXT, 3).steps
    header, arrays = opened(post(client, "run", model=key, texts=[TEXT], steps=3))
    assert tuple(header["sentences"][0]["texts"]) == steps[-1].tokens.texts
    last = steps[-1].cost
    assert header["step"] == {
        "count": len(steps),
        "stopped": "steps",
        "read": last.read,
        "computed": last.computed,
        "products": last.products,
        "products_whole": last.products_whole,
    }
    tops = np.stack([row.max(-1).values.numpy() for row in steps[-1].rows])
    assert np.allclose(arrays["0.tops"][..., -1], tops, atol=1e-6)
    _, whole = opened(post(client, "run", model=key, texts=[TEXT]))
    n = whole["0.tops"].shape[-1]
    assert np.allclose(arrays["0.tops"][..., :n], whole["0.tops"], atol=1e-6)
    _, head = opened(post(client, "head", model=key, text=TEXT, layer=1, head=3, steps=3))
    assert np.allclose(head["weights"][-1], steps[-1].rows[1][3].numpy(), atol=1e-6)
    place = len(steps[-2].tokens) - 1
    guessed = post(client, "guesses", model=key, text=TEXT, place=place, steps=3).json()
    assert [one["text"] for one in guessed["before"]] == [one.text for one in steps[-1].guesses[:8]]
    assert guessed["word"]["before"]["rank"] == 1


def test_without_steps_nothing_is_said_of_them(client):
    header, _ = opened(post(client, "run", model="decoder", texts=[TEXT]))
    assert (header["continues"], header["step"]) == (True, None)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"model": "albert", "steps": 1}, "does not continue a text"),
        ({"model": "t5.decoder", "steps": 1}, "this model has an encoder and a decoder; here only"),
        ({"model": "decoder", "steps": 257}, "steps: expected a whole number from 0 to 256"),
        ({"model": "decoder", "steps": -1}, "steps: expected a whole number"),
        ({"model": "decoder", "steps": True}, "steps: expected a whole number"),
        ({"model": "decoder", "steps": "1"}, "steps: expected a whole number"),
    ],
    ids=str,
)
def test_steps_that_cannot_be_are_refused(client, fields, said):
    assert said in refused(post(client, "run", texts=[TEXT], **fields))


def test_an_encoder_with_a_decoder_is_offered_as_two_models(client, folders):
    keys = [model["key"] for model in client.get("/api/models").json()["models"]]
    assert keys[keys.index("t5") :][:2] == ["t5", "t5.decoder"]
    both = [load(card) for card in cards() if card.key.startswith("t5")]
    assert [model.architecture.causal for model in both] == [False, True]
