"""Heads of a model as an example: weights, head outputs and output are the run's."""

import pytest
import torch

from mha_core import ModelError, backend, dump, parse, trace
from mha_core.example.model import text_in
from mha_core.models import open_model, run, to_example, tokenize
from tests.models.folders import MINILM
from tests.models.made import BERT, GPT2, LLAMA, folder_of

HERE = backend("cpu", "float64")
TEXT = "the cat sat on the mat , and the dog liked the rug ."
WIDE = {"hidden_size": 96}
KINDS = {
    "bert": BERT,
    "gpt2": GPT2,
    "llama": LLAMA,
    "windowed llama": {**LLAMA, "model_type": "mistral", "sliding_window": 4},
    "yarn llama": {
        **LLAMA,
        "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16},
    },
    "wide bert": {**BERT, **WIDE},
    "wide gpt2": {**GPT2, "n_embd": 96},
    "wide llama": {**LLAMA, **WIDE},
}
MOST = {torch.float32: 1e-6, torch.float64: 1e-12}


@pytest.mark.parametrize("heads", [(0, 1, 2, 3), (3,), (2, 0)], ids=str)
@pytest.mark.parametrize("dtype", MOST, ids=["float32", "float64"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_example_reproduces_the_model(kind, dtype, heads, tmp_path):
    model = open_model(folder_of(tmp_path, KINDS[kind]), dtype=dtype)
    tokens = tokenize(model, TEXT)
    found = run(model, tokens)
    for layer, inside in enumerate(found.layers):
        example = parse(dump(to_example(model, found, tokens, layer, heads)))
        computed = trace(example, HERE)
        agree(computed["weights"], inside.weights[list(heads)], MOST[dtype])
        agree(computed["head_outputs"], inside.head_outputs[list(heads)], MOST[dtype])
        if len(heads) == 4 and not kind.startswith("wide"):
            agree(computed["output"], inside.output, MOST[dtype])
        assert example.tokens == tokens.texts
        assert (example.x is None) == kind.startswith("wide")
        assert (example.kv_heads == 2) == (kind.endswith("llama") and len(heads) == 4)


def agree(found, wanted, most):
    torch.testing.assert_close(
        found, wanted.double(), atol=10 * most * max(1, float(wanted.abs().max())), rtol=0
    )


def test_minilm_as_an_example():
    model = open_model(MINILM, "all-MiniLM-L6-v2")
    tokens = tokenize(model, "The animal didn't cross the street because it was too tired.")
    found = run(model, tokens)
    for layer, inside in enumerate(found.layers):
        example = to_example(model, found, tokens, layer, range(12))
        computed = trace(example, HERE)
        assert (computed["weights"] - inside.weights).abs().max() <= 1e-6
        assert (computed["head_outputs"] - inside.head_outputs).abs().max() <= 1e-6
    assert (
        text_in(example.title, "en")
        == "all-MiniLM-L6-v2, layer 6, heads 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"
    )
    assert "384" in text_in(example.note, "zh")
    assert "on this page" not in text_in(example.note, "en")


def test_the_note_says_which_head_of_the_model_each_head_is(tmp_path):
    model = open_model(folder_of(tmp_path))
    tokens = tokenize(model, TEXT)
    note = to_example(model, run(model, tokens), tokens, 1, [3, 1, 2]).note
    assert text_in(note, "en").endswith(" Head 1 on this page is the model's head 4 of layer 2.")
    assert text_in(note, "zh").endswith("。这一页的头 1 是模型第 2 层的头 4。")


def test_heads_that_were_switched_off_are_named_where_they_matter(tmp_path):
    model = open_model(folder_of(tmp_path))
    tokens = tokenize(model, TEXT)
    off = [(2, 0), (1, 2), (1, 0), *((0, head) for head in range(4)), (1, 0)]
    whole, without = (run(model, tokens, without=one) for one in ((), off))
    first = to_example(model, without, tokens, 0, [1])
    assert first.heads == to_example(model, whole, tokens, 0, [1]).heads  # as if switched on
    assert "but shown here as if they were not: layer 1, all heads." in text_in(first.note, "en")
    made = parse(dump(to_example(model, without, tokens, 1, [0, 1])))
    assert text_in(made.title, "en").endswith(", layer 2, heads 1, 2 (muted heads: 6)")
    assert text_in(made.title, "zh").endswith("（关闭的头：6 个）")
    note = text_in(made.note, "en")
    assert "ran with muted heads (their outputs were 0): layer 1, all heads. " in note
    assert note.endswith("Muted in the model, but shown here as if they were not: layer 2, heads 1, 3.")
    assert "第 1 层所有的头" in text_in(made.note, "zh")
    deep = open_model(folder_of(tmp_path / "deep", {**BERT, "num_hidden_layers": 12}))
    every = run(deep, tokens, without=[(layer, head) for layer in range(11) for head in (0, 1, 3)])
    assert " 33 heads of layers 1 to 11." in text_in(to_example(deep, every, tokens, 11, [0]).note, "en")
    last = to_example(model, whole, tokens, 2, [0])
    assert "muted" not in f"{text_in(last.note, 'en')}{text_in(last.title, 'en')}".lower()


@pytest.mark.parametrize(
    ("layer", "heads"), [(3, [0]), (-1, [0]), (0, [4]), (0, [-1]), (0, []), (0, [1, 1])], ids=str
)
def test_a_head_that_does_not_exist_is_refused(layer, heads, tmp_path):
    model = open_model(folder_of(tmp_path))
    tokens = tokenize(model, TEXT)
    with pytest.raises(ModelError, match="the model has 3 layers of 4 heads"):
        to_example(model, run(model, tokens), tokens, layer, heads)


def test_too_large_an_example_is_refused(tmp_path):
    wide = {**BERT, "hidden_size": 66 * 4}
    many = {**BERT, "hidden_size": 68, "num_attention_heads": 17, "max_position_embeddings": 128}
    for name, config, heads, text, sentence in (
        ("wide", wide, [0], TEXT, "66 columns per head are too many"),
        ("many", many, range(17), TEXT, "17 heads are too many"),
        ("long", many, [0], "cat " * 70, "72 tokens are too many"),
    ):
        model = open_model(folder_of(tmp_path / name, config))
        tokens = tokenize(model, text)
        with pytest.raises(ModelError, match=sentence):
            to_example(model, run(model, tokens), tokens, 0, heads)
