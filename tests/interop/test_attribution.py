"""What each head contributes to a logit directly, against TransformerLens' definition written apart."""

from typing import Any

import pytest
import torch
import transformers
from torch import nn

from mha_core import InteropError
from mha_core.interop import attribute, capture
from tests.interop.families import IDS

WIDTH, HEADS, WORDS, LAYERS = 24, 3, 11, 2
D_HEAD = WIDTH // HEADS
WORDS_OF_TEXT = torch.tensor([[1, 2, 3, 4, 5], [3, 4, 1, 9, 0]])


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 40), nn.GELU(), nn.Linear(40, WIDTH), nn.Dropout(0.1))

    def forward(self, x):
        q, k, v = self.qkv(self.first(x)).unflatten(-1, (3, HEADS, D_HEAD)).permute(2, 0, 3, 1, 4)
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        weights = (q @ k.mT / D_HEAD**0.5).masked_fill(later, -torch.inf).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).flatten(2))
        return x + self.mlp(self.second(x))


class Model(nn.Module):
    """A decoder with norms before its layers, or with ``after`` on the stream itself."""

    def __init__(self, norm=nn.LayerNorm, *, after=False, tied=False, in_place=False):
        super().__init__()
        torch.manual_seed(2)
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(9, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = norm(WIDTH)
        self.unembed = None if tied else nn.Linear(WIDTH, WORDS)
        self.after, self.in_place = after, in_place
        for part in self.modules():  # no bias of 0, and no gain of 1
            for parameter in part.parameters(recurse=False):
                nn.init.normal_(parameter, 1.0 if "Norm" in type(part).__name__ else 0.0, 0.5)

    def forward(self, ids):
        x = self.words(ids)
        if self.in_place:
            x += self.places(torch.arange(ids.shape[1]))
        else:
            x = x + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = self.norm(block(x)) if self.after else block(x)
        x = self.norm(x)
        return self.unembed(x) if self.unembed else x @ self.words.weight.T


def by_hand(found: Any, w_out, x, gains, unembed, position, *, centered=True, eps=1e-5):
    """W_U[t] · (γ ∘ (z_h·W_O − mean) / s), s from the final stream x: TransformerLens' ``apply_ln_to_stack``."""
    x = x - x.mean() if centered else x
    scale = (x.square().mean() + eps).sqrt()
    values = []
    for one, matrix in zip(found, w_out, strict=True):
        for head, outputs in enumerate(one.outputs):
            d_v = outputs.shape[-1]
            part = outputs[position] @ matrix[head * d_v : (head + 1) * d_v]
            part = part - part.mean() if centered else part
            values.append((part / scale * gains) @ unembed)
    return torch.stack(values).view(len(found), -1)


def stream_before(norm, model, inputs):
    rows = []
    handle = norm.register_forward_hook(lambda _, args, out: rows.append(args[0].detach()))
    with torch.no_grad():
        logits = model(inputs)
    handle.remove()
    return rows[-1], getattr(logits, "logits", logits)


@pytest.mark.parametrize("norm", [nn.LayerNorm, nn.RMSNorm])
@pytest.mark.parametrize("options", [{}, {"tied": True}, {"in_place": True}])
def test_direct_contributions_are_those_of_the_definition(norm, options):
    model: Any = Model(norm, **options).double().eval()
    outs = [block.out.weight.T for block in model.blocks]
    rows, logits = stream_before(model.norm, model, WORDS_OF_TEXT)
    unembed = model.words.weight if model.unembed is None else model.unembed.weight
    for sample, row in ((0, -1), (1, 2)):
        direct = attribute(model, WORDS_OF_TEXT, 4, 7, sample=sample, row=row)
        found = capture(model, WORDS_OF_TEXT, sample=sample)
        expected = by_hand(
            found,
            outs,
            rows[sample, row],
            model.norm.weight,
            unembed[4] - unembed[7],
            row,
            centered=norm is nn.LayerNorm,
            eps=1e-5 if norm is nn.LayerNorm else torch.finfo(torch.float64).eps,
        )
        assert (direct.values - expected).abs().max() < 1e-6
        assert direct.total == pytest.approx((logits[sample, row, 4] - logits[sample, row, 7]).item())
        assert direct.values.sum().item() + sum(direct.others.values()) == pytest.approx(
            direct.total, abs=1e-6
        )
        assert {
            "words",
            "places",
            "blocks.0.mlp",
            "blocks.1.mlp",
            "blocks.0.out bias",
        } <= direct.others.keys()


SMALL = {"vocab_size": 50, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32}
MODELS = {
    "GPT2LMHeadModel": transformers.GPT2Config(vocab_size=50, n_layer=2, n_head=4, n_embd=32),
    "LlamaForCausalLM": transformers.LlamaConfig(**SMALL, intermediate_size=48, num_key_value_heads=2),
    "GPTNeoXForCausalLM": transformers.GPTNeoXConfig(**SMALL, intermediate_size=48),
    "OPTForCausalLM": transformers.OPTConfig(**SMALL, ffn_dim=48, word_embed_proj_dim=32),
    "GraniteForCausalLM": transformers.GraniteConfig(
        **SMALL, intermediate_size=48, num_key_value_heads=2, logits_scaling=4.0, residual_multiplier=0.3
    ),
    "CohereForCausalLM": transformers.CohereConfig(**SMALL, intermediate_size=48, num_key_value_heads=2),
}
FACTORS = {"GraniteForCausalLM": 0.3 / 4.0, "CohereForCausalLM": 0.0625}
"""What a model multiplies each branch and its logits by."""
FINAL_NORMS = (
    "transformer.ln_f",
    "model.norm",
    "gpt_neox.final_layer_norm",
    "model.decoder.final_layer_norm",
)


@pytest.mark.parametrize("name", MODELS)
def test_models_of_transformers(name):
    torch.manual_seed(0)
    model: Any = getattr(transformers, name)(MODELS[name]).double().eval()
    norm = next(part for own, part in model.named_modules() if own in FINAL_NORMS)
    is_centered = not name.startswith(("Llama", "Granite"))
    outs = [
        (own.weight if "GPT2" in name else own.weight.T)
        for part, own in model.named_modules()
        if part.endswith(("attn.c_proj", "o_proj", "attention.dense", "attn.out_proj"))
    ]
    rows, logits = stream_before(norm, model, IDS)
    direct, found = attribute(model, IDS, 5), capture(model, IDS)
    expected = by_hand(
        found,
        outs,
        rows[0, -1],
        norm.weight,
        model.get_output_embeddings().weight[5],
        -1,
        centered=is_centered,
        eps=1e-5 if is_centered else 1e-6,
    )
    assert (direct.values - expected * FACTORS.get(name, 1.0)).abs().max() < 1e-6
    assert direct.total == pytest.approx(logits[0, -1, 5].item())


class Cast(nn.RMSNorm):
    """A norm as Llama's: in float32 already, `.to` returns the very same tensor."""

    def forward(self, x):
        x = nn.functional.dropout(x.to(torch.float32).contiguous(), 0.0)
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)).float()


def test_a_function_that_returns_its_own_argument_changes_nothing():
    model: Any = Model(Cast).eval()
    assert attribute(model, WORDS_OF_TEXT, 4).values.isfinite().all()


@pytest.mark.parametrize("kind", ["Llama", "Qwen2"])
def test_float32_has_the_contributions_of_float64(kind):
    config = getattr(transformers, f"{kind}Config")(**SMALL, intermediate_size=48, num_key_value_heads=2)
    torch.manual_seed(0)
    model: Any = getattr(transformers, f"{kind}ForCausalLM")(config).eval()
    single = attribute(model, IDS, 5, 6)
    double = attribute(model.double(), IDS, 5, 6)
    assert (single.values - double.values).abs().max() < 1e-5
    assert single.others.keys() == double.others.keys()


def test_torchs_own_layers_with_norms_first():
    torch.manual_seed(1)
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 40, batch_first=True, norm_first=True)
    model: Any = nn.Sequential(
        nn.Embedding(WORDS, WIDTH),
        nn.TransformerEncoder(layer, 2, nn.LayerNorm(WIDTH), enable_nested_tensor=False),
        nn.Linear(WIDTH, WORDS),
    ).double()
    model.eval()
    encoder: Any = model[1]
    rows, _ = stream_before(encoder.norm, model, WORDS_OF_TEXT)
    expected = by_hand(
        capture(model, WORDS_OF_TEXT),
        [one.self_attn.out_proj.weight.T for one in encoder.layers],
        rows[0, -1],
        encoder.norm.weight,
        model[2].weight[4],
        -1,
    )
    assert (attribute(model, WORDS_OF_TEXT, 4).values - expected).abs().max() < 1e-6


TEXTS = ["a", "cat", " cat", " cats", "dog", "x", "y", "dup", "dup", "the", "z"]


@pytest.mark.parametrize("vocabulary", [TEXTS, dict(enumerate(TEXTS)), TEXTS.__getitem__])
def test_a_token_may_be_given_by_its_text(vocabulary):
    model = Model().eval()
    by_text = attribute(model, WORDS_OF_TEXT, " cat", "dog", vocabulary=vocabulary)
    by_id = attribute(model, WORDS_OF_TEXT, 2, 4)
    assert torch.equal(by_text.values, by_id.values)
    assert by_text.measure == by_id.measure


@pytest.mark.parametrize(
    ("text", "vocabulary", "said"),
    [
        (
            " Cat",
            TEXTS,
            "token: ' Cat' is not one token of the vocabulary; near it are 'cat' (1), ' cat' (2), ' cats' (3)",
        ),
        ("dup", TEXTS, "token: 'dup' is the text of several ids: 7, 8; give one of these"),
        ("\u4e00", TEXTS, "token: '\u4e00' is not one token of the vocabulary, and none is like it"),
        (
            " cat",
            None,
            "token: to give a text, give vocabulary= too, such as vocabulary=tokenizer.decode; or give the id of "
            "' cat'",
        ),
        (" cat", 3, "vocabulary: expected a list of texts, a mapping of ids to texts, or a function"),
    ],
)
def test_a_text_that_is_no_single_token_is_refused_with_those_like_it(text, vocabulary, said):
    with pytest.raises(InteropError) as error:
        attribute(Model().eval(), WORDS_OF_TEXT, text, vocabulary=vocabulary)
    assert str(error.value).startswith(said)


def test_a_place_outside_the_output_is_refused():
    with pytest.raises(InteropError, match="token: expected ids from 0 to 10, got 11"):
        attribute(Model().eval(), WORDS_OF_TEXT, 11)
    with pytest.raises(InteropError, match="against: expected ids from 0 to 10, got -1"):
        attribute(Model().eval(), WORDS_OF_TEXT, 1, -1)
    with pytest.raises(InteropError, match="row: expected rows from 0 to 4, got 5"):
        attribute(Model().eval(), WORDS_OF_TEXT, 1, row=5)
    with pytest.raises(InteropError, match="token: expected a vector of 11 finite numbers"):
        attribute(Model().eval(), WORDS_OF_TEXT, torch.rand(3))


def test_the_text_form_says_what_the_heads_are_part_of():
    direct = attribute(Model().eval(), WORDS_OF_TEXT, 4, 7)
    heads = direct.values.sum().item()
    assert repr(direct).startswith(
        f"direct: logit 4 − logit 7 at row 4 = {direct.total:.4g}, of which heads {heads:.4g}; 2 × 3 heads; largest: b"
    )


def test_an_attribution_has_the_row_that_it_explains():
    assert attribute(Model().eval(), WORDS_OF_TEXT, 4).row == len(WORDS_OF_TEXT[0]) - 1
    assert attribute(Model().eval(), WORDS_OF_TEXT, 4, row=-3).row == len(WORDS_OF_TEXT[0]) - 3
