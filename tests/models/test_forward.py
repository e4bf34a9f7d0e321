"""Laws of a run, without any library of models: tiles, batches, padding, ablation, guesses."""

import pytest
import torch

import mha_core.models.forward as forward
import mha_core.models.heads as heads_module
from mha_core import ModelError
from mha_core.models import can_guess, guesses, measured, open_model, run, tokenize
from tests.models.folders import MINILM
from tests.models.made import BERT, GPT2, LLAMA, folder_of

TEXT = "the cat sat on the mat , and the dog liked the rug ."
CONFIGS = pytest.mark.parametrize("config", [BERT, GPT2, LLAMA], ids=["bert", "gpt2", "llama"])


def opened(folder, config):
    return open_model(folder_of(folder, config, specials=config is BERT), dtype=torch.float64)


def same(one, other):
    torch.testing.assert_close(one, other, atol=1e-11, rtol=0)


@CONFIGS
def test_a_run_by_plain_loops(config, tmp_path):
    """Every weight and every head output from Q, K and V, number by number; W_O over the heads side by side."""
    model = opened(tmp_path, config)
    tokens = tokenize(model, "the cat sat on the mat")
    for block, layer in zip(model.parts.blocks, run(model, tokens).layers, strict=True):
        h, n, d = layer.q.shape
        for head in range(h):
            for i in range(n):
                seen = [j for j in range(n) if j <= i or config is BERT]
                scores = [
                    sum(float(layer.q[head, i, m] * layer.k[head, j, m]) for m in range(d)) / d**0.5
                    for j in seen
                ]
                weights = torch.tensor(scores, dtype=torch.float64).softmax(0)
                same(layer.weights[head, i, : len(seen)], weights)
                assert not layer.weights[head, i, len(seen) :].any()
                same(
                    layer.head_outputs[head, i],
                    sum(w * layer.v[head, j] for w, j in zip(weights, seen, strict=True)),
                )
        output = torch.cat(list(layer.head_outputs), -1) @ block.output.weight.T
        same(layer.output, output if block.output.bias is None else output + block.output.bias)


@CONFIGS
def test_few_weights_at_a_time_are_the_same(config, tmp_path, monkeypatch):
    model = opened(tmp_path, config)
    tokens = tokenize(model, TEXT)
    whole = run(model, tokens)
    records = measured(tokens, whole)
    monkeypatch.setattr(forward, "MAX_TILE", 100)
    monkeypatch.setattr(heads_module, "MAX_TILE", 100)
    parts = run(model, tokens)
    same(parts.hidden[-1], whole.hidden[-1])
    for head in range(4):
        same(parts.layers[1].weights_of(head), whole.layers[1].weights[head])
    for one, other in zip(measured(tokens, parts), records, strict=True):
        assert [record.measures["previous"].value for record in one] == pytest.approx(
            [record.measures["previous"].value for record in other]
        )


@CONFIGS
def test_a_row_that_may_see_nothing_has_weights_0(config, tmp_path):
    """Padding before a text, in a decoder: its first rows see no token."""
    model = opened(tmp_path, config)
    ids = torch.tensor([[0, 0, 5, 6, 7], [5, 6, 7, 8, 9]])
    found = run(model, ids, ids != 0)
    for layer in found.layers:
        assert not layer.weights.isnan().any()
        assert not layer.weights[0, :, :, :2].any()
        assert not layer.head_outputs.isnan().any()
        if config is not BERT:
            assert not layer.weights[0, :, :2].any()


@CONFIGS
def test_without_all_heads_of_a_layer_its_attention_gives_the_bias_alone(config, tmp_path):
    model = opened(tmp_path, config)
    found = run(model, tokenize(model, TEXT), without={(1, head) for head in range(4)})
    bias = model.parts.blocks[1].output.bias
    wanted = torch.zeros(24, dtype=torch.float64) if bias is None else bias
    same(found.layers[1].output, wanted.expand_as(found.layers[1].output))


@CONFIGS
def test_what_decoders_have_read_does_not_depend_on_what_follows(config, tmp_path):
    model = opened(tmp_path, config)
    one, other = (
        run(model, tokenize(model, f"the cat sat {rest}")) for rest in ("on the mat", "and liked the dog")
    )
    equal = torch.allclose(one.hidden[-1][:3], other.hidden[-1][:3], atol=1e-11)
    assert equal == (config is not BERT)


def test_rotary_positions_depend_only_on_distances(tmp_path):
    """The same words further on: weights among them are as before, since both turn alike."""
    model = opened(tmp_path, {**LLAMA, "num_hidden_layers": 1})
    words = torch.tensor([5, 6, 7, 8])
    here = run(model, words).layers[0]
    there = run(model, torch.cat([torch.tensor([9, 10, 11]), words])).layers[0]
    for head in range(4):
        block = there.weights[head, 3:, 3:]
        same(block / block.sum(-1, keepdim=True), here.weights[head])
    assert not torch.allclose(here.q, here.q_before)
    same(here.q.norm(dim=-1), here.q_before.norm(dim=-1))


@CONFIGS
def test_guesses_are_probable_in_order_and_can_be_read(config, tmp_path):
    model = opened(tmp_path, config)
    found = run(model, tokenize(model, TEXT))
    likeliest = guesses(model, found, 4, 100)
    assert can_guess(model)
    assert len(likeliest) == 18
    assert sum(guess.probability for guess in likeliest) == pytest.approx(1)
    assert [guess.probability for guess in likeliest] == sorted(
        (guess.probability for guess in likeliest), reverse=True
    )
    assert {guess.text for guess in likeliest} >= {"the", "cat", "[MASK]"}
    assert guesses(model, found, 4, 3) == likeliest[:3]
    for place in (-1, 99):
        with pytest.raises(ModelError, match=f"there is no position {place}"):
            guesses(model, found, place)


def test_a_model_that_cannot_guess_says_so():
    model = open_model(MINILM)
    assert not can_guess(model)
    with pytest.raises(ModelError, match="nothing that turns vectors into words"):
        guesses(model, run(model, tokenize(model, "a cat")), 1)


def test_a_long_text_stores_no_table_of_all_its_pairs(tmp_path):
    """3,000 tokens, 4 heads, 2 layers: 288 MB of weights in float32, of which at most a tile is in memory at once."""
    config = {**LLAMA, "max_position_embeddings": 3000, "num_hidden_layers": 2}
    model = open_model(folder_of(tmp_path, config, specials=False))
    layers = run(model, torch.arange(3000) % 18).layers
    kept = [part for layer in layers for part in vars(layer).values() if isinstance(part, torch.Tensor)]
    assert sum(part.untyped_storage().nbytes() for part in kept) < 20_000_000
    assert layers[0].weights_of(2).sum(-1).sub(1).abs().max() < 1e-5
