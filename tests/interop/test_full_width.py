"""A layer of any width from its real input: Q, K and V are computed in full, and the example starts from them."""

from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn
from transformers import BertConfig, BertModel, GPT2Config, GPT2Model, LlamaConfig, LlamaModel

from mha_core import ExampleError, InteropError, parse, trace
from mha_core.__main__ import main
from mha_core.example.model import text_in
from mha_core.interop import Slice, config_beside, layers, open_layer, read_model, read_rows

SPECIAL: dict[str, Any] = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
MODELS = {
    "BERT base": (
        BertModel,
        BertConfig(num_hidden_layers=1, vocab_size=50),
        "encoder.layer.0.attention.self.query",
        "encoder.layer.0.attention.output.dense",
    ),
    "GPT-2": (
        GPT2Model,
        GPT2Config(n_layer=1, vocab_size=50, **SPECIAL),
        "h.0.attn.c_attn",
        "h.0.attn.c_proj",
    ),
    "Llama": (
        LlamaModel,
        LlamaConfig(
            hidden_size=768,
            num_attention_heads=12,
            num_key_value_heads=4,
            num_hidden_layers=1,
            intermediate_size=32,
            vocab_size=50,
            **SPECIAL,
        ),
        "layers.0.self_attn.q_proj",
        "layers.0.self_attn.o_proj",
    ),
}
IDS = torch.tensor([[5, 6, 7, 8, 9, 10, 11]])


@pytest.fixture(scope="module", params=MODELS)
def saved(request, tmp_path_factory):
    """The folder of a random model of this size, a layer's input, its weights and its concatenation."""
    build, config, reads, ends = MODELS[request.param]
    torch.manual_seed(3)
    config._attn_implementation = "eager"
    model = build(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "embed" not in name and "wte" not in name and "wpe" not in name:
                weight.add_(torch.randn_like(weight) / 30)
    folder = tmp_path_factory.mktemp("model")
    model.save_pretrained(folder)
    model.double()
    inputs: list[torch.Tensor] = []
    for name in (reads, ends):
        model.get_submodule(name).register_forward_pre_hook(
            lambda _, given: inputs.append(given[0][0].clone())
        )
    with torch.no_grad():
        weights = model(IDS, output_attentions=True).attentions[0][0]
    return folder, inputs[0], weights, inputs[1]


def apart(one, other):
    return (one.double().cpu() - other.double()).abs().max().item()


def test_weights_and_outputs_are_the_module_s(saved):
    folder, x, weights, concat = saved
    layer, *_ = layers(read_model(folder), config_beside(folder))
    example = open_layer(read_model(folder), layer, Slice(heads=tuple(range(12))), x=x)
    computed = trace(example)
    assert weights.std() > 0.01
    assert apart(computed["weights"], weights) <= 1e-6  # Llama's rotation and softmax are in float32
    assert apart(computed["head_outputs"].transpose(0, 1).flatten(1), concat) <= 1e-6
    assert "Q, K and V were computed from the given rows" in text_in(example.note, "en")


def test_chosen_heads_are_the_same_as_among_all(saved):
    folder, x, weights, _ = saved
    layer, *_ = layers(read_model(folder), config_beside(folder))
    example = open_layer(read_model(folder), layer, Slice(heads=(7, 2)), x=x)
    assert apart(trace(example)["weights"], weights[[7, 2]]) <= 1e-6
    assert (example.dims.d_k, len(example.heads)) == (64, 2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_numpy_are_read_exactly(dtype, order, tmp_path):
    rows = np.asarray(np.random.default_rng(0).normal(size=(3, 5)), dtype=dtype, order=order)
    np.save(tmp_path / "rows.npy", rows)
    x, context = read_rows(str(tmp_path / "rows.npy"))
    assert np.array_equal(x.numpy(), rows)
    assert context is None


@pytest.mark.parametrize("ending", ["npy", "safetensors"])
def test_the_command_takes_the_input_from_a_file(saved, ending, tmp_path, capsys):
    folder, x, weights, _ = saved
    file = tmp_path / f"rows.{ending}"
    if ending == "npy":
        np.save(file, x.numpy())
    else:
        save_file({"x": x.contiguous(), "other": torch.zeros(1)}, file)
    assert main(["import", str(folder), "--x", str(file), "--whole"]) == 0
    example = parse(capsys.readouterr().out)
    assert apart(trace(example)["weights"], weights) <= 1e-6


STATE = {
    f"a.{part}_proj.weight": torch.randn(12, 12, generator=torch.Generator().manual_seed(i))
    for i, part in enumerate("qkvo")
}
X = torch.randn(5, 12, generator=torch.Generator().manual_seed(9))


def opened(state=STATE, part=None, num_heads=3, **given):
    (layer,) = layers(state)
    return open_layer(state, layer, part or Slice(heads=(0, 2)), num_heads, **given)


def test_arrays_and_lists_are_taken_too():
    assert opened(x=X.numpy()) == opened(x=X.double().tolist()) == opened(x=X)


def test_keys_and_values_may_come_from_other_rows():
    context = X.flip(0)[:3] * 2
    state = {name.replace("a.", "encoder_attn."): tensor for name, tensor in STATE.items()}
    example = opened(state, x=X, context=context)
    layer = nn.MultiheadAttention(12, 3, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([STATE[f"a.{part}_proj.weight"] for part in "qkv"]))
        _, weights = layer(X, context, context, average_attn_weights=False)
    assert apart(trace(example)["weights"], weights[[0, 2]]) <= 1e-6
    with pytest.raises(InteropError, match="context: keys and values of this layer come from other rows"):
        opened(state, x=X)


WRONG: dict[str, Any] = {
    "x: expected n × 12, got 5 × 11": {"x": X[:, 1:]},
    "x: expected n × 12, got 1 × 5 × 12": {"x": X[None]},
    "x: expected 1 to 64 rows, got 65": {"x": torch.zeros(65, 12)},
    "x: expected 1 to 64 rows, got 0": {"x": torch.zeros(0, 12)},
    "x: contains NaN or an infinite number": {"x": X.masked_fill(X > 1, torch.nan)},
    "x: expected rows of numbers, all of the same length": {"x": [[1.0], [2.0, 3.0]]},
    "context: expected n × 12, got 5 × 11": {"x": X, "context": X[:, 1:]},
    "d_model: with x, all columns are computed from its rows; leave this out": {
        "x": X,
        "part": Slice(d_model=8),
    },
    "inputs: with x, all columns are computed from its rows; leave this out": {
        "x": X,
        "part": Slice(inputs="m"),
    },
}


@pytest.mark.parametrize("said", WRONG)
def test_what_does_not_fit_is_refused(said):
    with pytest.raises((InteropError, ExampleError)) as error:
        opened(**WRONG[said])
    assert str(error.value) == said


def test_heads_too_wide_for_an_example_are_refused():
    state = {f"a.{part}_proj.weight": torch.zeros(130, 130) for part in "qkvo"}
    with pytest.raises(InteropError, match="d_head: expected 1 to 64, got 65"):
        opened(state, Slice(), 2, x=torch.zeros(2, 130))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("rows.npy", b"no array", "rows.npy: this is not a readable .npy file"),
        ("rows.npy", b"", "rows.npy: this is not a readable .npy file"),
        ("rows.npy", b"\x93NUMPY\x01\x00\x05\x00(1,2)", "rows.npy: this is not a readable .npy file"),
        ("rows.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "rows.npy: this is not a readable .npy file"),
        ("none.npy", None, "none.npy: cannot be read: "),
        ("none.safetensors", None, "none.safetensors: cannot be read: "),
    ],
)
def test_a_file_that_is_no_input_is_refused(name, content, said, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_file(STATE, "model.safetensors")
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert main(["import", "model.safetensors", "--num-heads", "3", "--x", name]) == 2
    assert said in capsys.readouterr().err


def test_an_array_of_objects_is_not_unpickled(tmp_path, capsys):
    np.save(tmp_path / "rows.npy", np.array([{}, []], dtype=object), allow_pickle=True)
    save_file(STATE, tmp_path / "model.safetensors")
    arguments = [
        "import",
        str(tmp_path / "model.safetensors"),
        "--num-heads",
        "3",
        "--x",
        str(tmp_path / "rows.npy"),
    ]
    assert main(arguments) == 2
    assert "this is not a readable" in capsys.readouterr().err
