"""Heads changed while a module runs: torch's layers, attention written by hand, what is refused, what stays."""

import math
from copy import deepcopy
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # its usual name

from mha_core import InteropError, trace
from mha_core.example.model import text_in
from mha_core.interop import At, capture, sweep
from tests.interop.families import IDS, OLDER, made
from tests.interop.test_capture import LAYOUTS, Tied, randn, seeded

HEADS, WIDTH, TOKENS, SAMPLES = 3, 4, 5, 2
X = randn(SAMPLES, TOKENS, HEADS * WIDTH)


def apart(one: Tensor, other: Tensor) -> float:
    return (one.double() - other.double()).abs().max().item()


def with_zero_columns(module: nn.Module, projection: str, head: int, width: int = WIDTH) -> nn.Module:
    """A copy whose output projection ignores a head: that is what the model is without it."""
    copy = deepcopy(module)
    weight = copy.get_parameter(f"{projection}.weight")
    with torch.no_grad():
        weight[:, head * width : (head + 1) * width] = 0
    return copy


def output(module: nn.Module, *inputs: Any, **more: Any) -> Tensor:
    with torch.no_grad():
        out = module(*inputs, **more)
    return out[0] if isinstance(out, tuple) else out


# --- attention written by hand -----------------------------------------------------------------------------------


def apart_of(x: Tensor) -> Tensor:
    """samples × tokens × (heads · width) → samples × heads × tokens × width."""
    return x.unflatten(-1, (HEADS, WIDTH)).transpose(1, 2)


def by_matmul(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = map(apart_of, (q, k, v))
    return ((q @ k.mT / 2).softmax(-1) @ v).transpose(1, 2).flatten(2)


def by_einsum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = (part.unflatten(-1, (HEADS, WIDTH)) for part in (q, k, v))
    weights = torch.einsum("bqhd,bkhd->bhqk", q, k).softmax(-1)
    return torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)


def by_einsum_of_values_first(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = map(apart_of, (q, k, v))
    weights = torch.einsum("...qd,...kd->...qk", q, k).softmax(-1)
    return torch.einsum("...kd,...qk->...qd", v, weights).transpose(1, 2).flatten(2)


def by_bmm(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = (apart_of(part).reshape(-1, TOKENS, WIDTH) for part in (q, k, v))
    outputs = torch.bmm(torch.bmm(q, k.mT).softmax(-1), v)
    return outputs.view(SAMPLES, HEADS, TOKENS, WIDTH).transpose(1, 2).flatten(2)


def by_bmm_of_heads_first(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = (apart_of(part).transpose(0, 1).reshape(-1, TOKENS, WIDTH) for part in (q, k, v))
    outputs = torch.bmm(torch.bmm(q, k.mT).softmax(-1), v)
    return outputs.view(HEADS, SAMPLES, TOKENS, WIDTH).permute(1, 2, 0, 3).flatten(2)


def by_fused(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = map(apart_of, (q, k, v))
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)


def by_fused_with_shared_keys(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = apart_of(q), apart_of(k)[:, :1], apart_of(v)[:, :1]
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=True).transpose(1, 2).flatten(2)


def by_fused_with_a_sink(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = map(apart_of, (q, k, v))
    scores = torch.cat([q @ k.mT, q.new_ones(SAMPLES, HEADS, TOKENS, 1)], -1)
    return (scores.softmax(-1)[..., :-1] @ v).transpose(1, 2).flatten(2)


WAYS = {
    "matmul": by_matmul,
    "einsum": by_einsum,
    "einsum, V first": by_einsum_of_values_first,
    "bmm": by_bmm,
    "bmm, heads first": by_bmm_of_heads_first,
    "sdpa": by_fused,
    "sdpa, shared keys": by_fused_with_shared_keys,
    "a sink": by_fused_with_a_sink,
}


class Attention(nn.Module):
    project: nn.Linear
    out: nn.Linear

    def __init__(self, way):
        super().__init__()
        self.project = nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH)
        self.out = nn.Linear(HEADS * WIDTH, HEADS * WIDTH)
        self.way = way

    def forward(self, x):
        return x + self.out(self.way(*self.project(x).chunk(3, -1)))


def values_of(module: nn.Sequential) -> Tensor:
    """What the first attention computes from X as values, samples × tokens × (heads · width)."""
    return module.get_submodule("0.project")(X).chunk(3, -1)[2].detach()


def hand(way: str = "matmul", layers: int = 2) -> nn.Sequential:
    return seeded(nn.Sequential(*[Attention(WAYS[way]) for _ in range(layers)]))


@pytest.mark.parametrize("way", WAYS)
def test_a_head_of_an_attention_written_by_hand(way):
    module = hand(way)
    changed = capture(module, X, without=[("0", 1)], batch=SAMPLES)
    assert changed.largest > 0.01
    assert apart(changed.after, output(with_zero_columns(module, "0.out", 1), X)) <= 1e-12


@pytest.mark.parametrize("way", WAYS)
def test_weights_of_an_attention_written_by_hand(way):
    """In plain loops: outputs[sample, query] = Σ over keys of weights[query, key] · V[sample, key]."""
    module, weights = hand(way, 1), randn(TOKENS, TOKENS, seed=4).softmax(-1)
    values = values_of(module)
    v = values[..., :WIDTH] if "shared" in way else values[..., WIDTH : 2 * WIDTH]
    changed = capture(module, X, patch={(0, 1): weights}, batch=SAMPLES, sample=1)
    for query in range(TOKENS):
        wanted = sum(weights[query, key] * v[1, key] for key in range(TOKENS))
        assert apart(changed.found[0].outputs[1, query], wanted) <= 1e-12
    assert torch.equal(changed.found[0].weights[1].double(), weights)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_head_is_not_taken_for_a_sample_though_there_are_as_many(layout):
    """Without a head is what the module computes if the head's values are 0."""
    module, x = Tied(LAYOUTS[layout]), randn(4, 5, 8)
    changed = capture(module, x, without=[(0, 1)])
    with torch.no_grad():
        module.project.weight[18:20] = module.project.bias[18:20] = 0
    assert changed.largest > 0.01
    assert torch.equal(changed.after, output(module, x))


def test_each_sample_gets_its_own_weights():
    module, weights = hand("bmm", 1), randn(SAMPLES, TOKENS, TOKENS, seed=4).softmax(-1)
    for sample in range(SAMPLES):
        changed = capture(module, X, patch={(0, 2, "weights"): weights}, sample=sample)
        v = values_of(module)[sample, :, 2 * WIDTH :]
        assert apart(changed.found[0].outputs[2], weights[sample] @ v) <= 1e-12
        assert torch.equal(changed.found[0].weights[2], weights[sample])


def test_a_later_attention_sees_the_change():
    module = hand()
    changed = capture(module, X, without=[("0", 1)])
    alone = capture(with_zero_columns(module, "0.out", 1), X)
    assert apart(changed.found[1].weights, alone[1].weights) <= 1e-12


def test_changes_in_several_attentions_add_up_to_one_run():
    module = hand()
    changed = capture(module, X, without=[("0", 1), ("1", 0)], patch={("1", 2, "outputs"): torch.zeros(5, 4)})
    wanted: nn.Module = module
    for projection, head in (("0.out", 1), ("1.out", 0), ("1.out", 2)):
        wanted = with_zero_columns(wanted, projection, head)
    assert apart(changed.after, output(wanted, X)) <= 1e-12


def test_rows_of_weights_need_not_sum_to_1():
    module = hand(layers=1)
    doubled = capture(module, X)[0].weights[1] * 2
    changed = capture(module, X[:1], patch={(0, 1): doubled})
    assert apart(changed.found[0].outputs[1], capture(module, X)[0].outputs[1] * 2) <= 1e-12


# --- torch's layers ----------------------------------------------------------------------------------------------

LAYERS: dict[str, dict[str, Any]] = {
    "samples first": {"batch_first": True},
    "tokens first": {},
    "a bias key and a zero key": {"add_bias_kv": True, "add_zero_attn": True, "batch_first": True},
    "no bias": {"bias": False, "batch_first": True},
}


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("settings", LAYERS)
def test_a_head_of_torchs_layer(settings, need_weights):
    layer = seeded(nn.MultiheadAttention(HEADS * WIDTH, HEADS, **LAYERS[settings]))
    more = {"need_weights": need_weights}
    changed = capture(layer, (X, X, X), keywords=more, without=[(0, 2)])
    wanted = output(with_zero_columns(layer, "out_proj", 2), X, X, X, **more)
    assert changed.largest > 0.01
    assert apart(changed.after, wanted) <= 1e-12


def test_weights_of_torchs_layer():
    layer = seeded(nn.MultiheadAttention(HEADS * WIDTH, HEADS, batch_first=True))
    weights = randn(TOKENS, TOKENS, seed=4).softmax(-1)
    changed = capture(layer, (X, X, X), patch={("MultiheadAttention", 1): weights}, sample=1)
    v = F.linear(X, layer.in_proj_weight, layer.in_proj_bias).chunk(3, -1)[2][1]
    assert apart(changed.found[0].outputs[1], weights @ v[:, WIDTH : 2 * WIDTH]) <= 1e-12
    concat = changed.found[0].outputs.transpose(0, 1).flatten(1)
    assert apart(changed.after[1], layer.out_proj(concat)) <= 1e-12


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
@pytest.mark.parametrize("padding", [None, torch.tensor([[False] * 5, [False] * 3 + [True] * 2])])
def test_a_head_of_an_encoder_that_would_use_its_fused_kernel(padding):
    """The copy without the head's columns runs in the fused kernel."""
    layer = nn.TransformerEncoderLayer(HEADS * WIDTH, HEADS + 1, 16, batch_first=True)
    encoder = seeded(nn.TransformerEncoder(layer, 2))
    more = {"src_key_padding_mask": padding}
    changed = capture(encoder, X, keywords=more, without=[("layers.1", 3)])
    wanted = output(with_zero_columns(encoder, "layers.1.self_attn.out_proj", 3, 3), X, **more)
    live = slice(None) if padding is None else ~padding
    assert changed.largest > 0.01
    assert apart(changed.after[live], wanted[live]) <= 1e-12


def test_a_head_of_cross_attention_in_torchs_decoder():
    decoder = seeded(nn.TransformerDecoderLayer(HEADS * WIDTH, HEADS, 16, batch_first=True))
    memory = randn(SAMPLES, 7, HEADS * WIDTH, seed=6)
    changed = capture(decoder, (X, memory), without=[("multihead_attn", 0)])
    wanted = output(with_zero_columns(decoder, "multihead_attn.out_proj", 0), X, memory)
    assert changed.largest > 0.01
    assert apart(changed.after, wanted) <= 1e-12


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("family", ["Llama", "Mistral"])
def test_a_head_of_one_query_after_kept_keys(family, attention):
    """With a mask and one query, as in Mistral, sdpa gets heads that share a key as rows. The cache stays as it is."""
    model = made(family, attention, torch.float64)
    with torch.no_grad():
        cache = model(IDS[:, :6], use_cache=True).past_key_values
    changed = capture(model, {"input_ids": IDS[:, 6:], "past_key_values": cache}, without=[("layers.1", 3)])
    assert cache.get_seq_length() == 6
    wanted = output_of_last(with_zero_columns(model, "layers.1.self_attn.o_proj", 3, 8), cache)
    assert changed.largest > 0.01
    assert apart(changed.after, wanted) <= 1e-12


def output_of_last(model: nn.Module, cache: Any) -> Tensor:
    with torch.no_grad():
        return model(IDS[:, 6:], past_key_values=deepcopy(cache)).last_hidden_state


# --- laws --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_heads_own_outputs_in_their_place_change_nothing(way):
    own = torch.stack([capture(hand(way), X, sample=s, batch=SAMPLES)[1].outputs[2] for s in range(SAMPLES)])
    assert capture(hand(way), X, patch={(1, 2, "outputs"): own}, batch=SAMPLES).largest == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_heads_own_weights_in_their_place_change_nothing_beyond_rounding(way):
    own = torch.stack([capture(hand(way), X, sample=s, batch=SAMPLES)[1].weights[2] for s in range(SAMPLES)])
    assert capture(hand(way), X, patch={(1, 2): own}, batch=SAMPLES).largest <= 1e-12


@pytest.mark.parametrize("way", WAYS)
def test_with_no_changes_nothing_changes(way):
    module = hand(way)
    changed = capture(module, X, without=[], batch=SAMPLES)
    assert torch.equal(changed.before, changed.after)
    assert torch.equal(changed.before, output(module, X))
    assert repr(changed) == "nothing changed: no change of the output (2 × 5 × 12)"


# --- the result --------------------------------------------------------------------------------------------------


def test_the_largest_change_is_that_of_the_two_outputs():
    changed = capture(hand(), X, without=[("1", 0)])
    by_hand = (changed.after - changed.before).abs()
    assert changed.largest == by_hand.max()
    assert by_hand[changed.where] == by_hand.max()
    assert repr(changed).startswith("1 head 0 off: largest change of the output (2 × 5 × 12): ")


def test_numbers_that_are_infinite_before_and_after_are_no_change():
    module = hand(layers=1)
    module.register_forward_hook(lambda _, args, out: out.masked_fill(torch.eye(12)[:5].bool(), -torch.inf))
    changed = capture(module, X, without=[(0, 0)])
    assert 0 < changed.largest < torch.inf
    assert changed.difference[0, 0, 0] == 0


def test_a_change_to_nan_is_nan():
    """Not an infinite one: nothing says how far NaN is from a number."""
    module = hand(layers=1)
    before = output(module, X)
    module.register_forward_hook(lambda _, args, out: out.masked_fill(out != before, torch.nan))
    changed = capture(module, X, without=[(0, 0)])
    assert math.isnan(changed.largest)
    assert changed.difference[changed.where].isnan()
    assert repr(changed).startswith("0 head 0 off: largest change of the output (2 × 5 × 12): nan at [")


def test_the_text_form_says_what_was_changed():
    changed = capture(
        hand(),
        X,
        without=[("0", [2, -3]), At("1", 1, rows=[0, -1])],
        patch={("0", 1, "k"): torch.ones(5, 4), ("1", 0): torch.eye(5)},
    )
    assert changed.edits == (
        "0 heads 2, 0 off",
        "0 head 1 k replaced",
        "1 head 1 off at rows 0, 4",
        "1 head 0 weights replaced",
    )
    assert repr(changed).startswith(f"{'; '.join(changed.edits)}: largest change")
    assert capture(hand(), X, without=[At("1", 1)], by="mean").edits == ("1 head 1 at its mean",)


def test_an_attention_alone_is_switched_off_with_all_its_heads():
    changed = capture(hand(), X, without=["1", (0, [0, 2])])
    one_by_one = capture(hand(), X, without=[(1, 0), (1, 1), (1, 2), (0, 0), (0, 2)])
    assert torch.equal(changed.after, one_by_one.after)
    assert changed.edits == ("0 heads 0, 2 off", "1 all 3 heads off")
    assert torch.equal(changed.after, capture(hand(), X, without=[1, (0, [0, 2])]).after)


@pytest.fixture(scope="module")
def language_model() -> nn.Module:
    torch.manual_seed(0)
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**OLDER)).eval()


def test_the_tokens_whose_probability_changed_most(language_model):
    changed = capture(language_model, IDS, without=[("h.0", 1), ("h.1", 4)])
    with torch.no_grad():
        assert torch.equal(changed.before, language_model(IDS).logits)
    assert changed.tokens([1, 3]) == changed.tokens((1, 3)) != changed.tokens(changed.last(1))
    before, after = (logits[1, 3].double().softmax(-1) for logits in (changed.before, changed.after))
    token, was, became = changed.tokens((1, 3))[0]
    assert token == (after - before).abs().argmax()
    assert (was, became) == pytest.approx((before[token].item(), after[token].item()), abs=1e-12)


def test_tokens_are_those_of_the_first_samples_last_position_if_no_other_is_given(language_model):
    changed = capture(language_model, IDS, without=[("h.0", 1)])
    assert changed.tokens(most=3) == changed.tokens((0, 6), most=3)
    with pytest.raises(
        InteropError, match=r"at: expected the index of a row of the output, whose shape is 2 × 7 × 50"
    ):
        changed.tokens((0, 7))


@pytest.mark.parametrize("at", [(1, (1, 6)), 3, "ab", (True, None)])
def test_a_place_of_another_kind_is_refused(language_model, at):
    changed: Any = capture(language_model, IDS, without=[("h.0", 1)])
    with pytest.raises(InteropError) as error:
        changed.tokens(at)
    assert str(error.value) == (
        f"at: expected the index of a row of the output, whose shape is 2 × 7 × 50, as last() gives it, got {at!r}"
    )


def test_the_last_place_of_a_sample_beyond_the_batch_is_refused(language_model):
    changed: Any = capture(language_model, IDS, without=[("h.0", 1)])
    assert changed.last(-1) == changed.last(1) == (1, 6)
    for sample in (2, -3, (0, 1), "a"):
        with pytest.raises(InteropError) as error:
            changed.last(sample)
        assert str(error.value) == f"sample: expected samples from 0 to 1, got {sample!r}"


def test_a_change_is_of_logits_if_the_module_returns_them_by_that_name(language_model):
    assert capture(language_model, IDS, without=[("h.0", 1)]).logits
    assert not capture(hand(), X, without=[("0", 1)]).logits


NAMED: dict[str, Any] = {
    "list": ["no", "yes"],
    "mapping": {0: "no", 1: "yes"},
    "function": lambda token: ["no", "yes", "2"][token],
}


@pytest.mark.parametrize("kind", NAMED)
def test_ids_have_the_names_of_a_vocabulary(language_model, kind):
    changed = capture(language_model, IDS, without=[("h.0", 1)])
    named = changed.named(NAMED[kind])
    assert (named.name(1), named.name(2)) == ("yes", "2" if kind == "function" else None)
    assert torch.equal(named.after, changed.after)
    assert (changed.name(1), changed.vocabulary) == (None, None)


KINDS = (
    "vocabulary: expected a list of texts, a mapping of ids to texts, or a function such as tokenizer.decode, "
    "got "
)
NOT_NAMES: dict[str, Any] = {
    KINDS + "str": "abc",
    KINDS + "int": 3,
    KINDS + "dict": {"no": 0},
    "vocabulary: expected the text of id 0, got 0": lambda token: token,
    "vocabulary: expected the text of id 0, got IndexError: list index out of range": lambda token: [][token],
    "vocabulary: expected the text of id 0, got None": [None],
}


@pytest.mark.parametrize("said", NOT_NAMES)
def test_what_gives_no_names_is_refused(said):
    changed = capture(hand(), X, without=[("0", 1)])
    with pytest.raises(InteropError) as error:
        changed.named(NOT_NAMES[said])
    assert str(error.value) == said


def test_a_single_number_has_no_tokens():
    class Mean(Attention):
        def forward(self, x):
            return super().forward(x).mean()

    changed = capture(seeded(Mean(by_matmul)), X, without=[(0, 0)])
    with pytest.raises(
        InteropError, match="at: expected the index of a row of the output, whose shape is 1, as"
    ):
        changed.tokens(logits=True)


class Words(nn.Module):
    """Embeddings and attention; with ``unembed``, logits over its words, else hidden states."""

    def __init__(self, words=7, width=8, *, unembed=True):
        super().__init__()
        self.embed, self.places = nn.Embedding(words, width), nn.Embedding(6, width)
        self.layer = nn.TransformerEncoderLayer(width, 2, 16, batch_first=True)
        self.unembed = nn.Linear(width, words) if unembed else nn.Identity()

    def forward(self, ids):
        return self.unembed(self.layer(self.embed(ids) + self.places(torch.arange(ids.shape[1]))))


@pytest.mark.parametrize(
    ("module", "known"),
    [
        (Words(), True),
        (Words(unembed=False), False),
        (Words(8, 8), False),  # the same length, whatever it is
        (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), False),
    ],
)
def test_probabilities_are_given_only_of_logits(module, known):
    inputs = torch.tensor([[1, 2, 3]]) if isinstance(module, Words) else torch.ones(1, 3, 8)
    changed = capture(module.eval(), inputs, without=[(0, 1)])
    assert changed.logits is known
    if not known:
        with pytest.raises(InteropError, match=r"tokens: the output \(1 × 3 × 8\) may not be logits"):
            changed.tokens()
    assert len(changed.tokens(logits=True)) == 5


def test_what_a_head_would_have_put_out_is_not_shown_without_saying_so():
    one = capture(hand(), X, without=[("0", 1)]).found[0]
    assert one.new_outputs == (1,)
    assert one.outputs[1].eq(0).all()
    assert "The outputs of heads=[1] were replaced" in text_in(one.example().note, "en")
    assert "were replaced" not in text_in(one.example(heads=[0, 2]).note, "en")


def test_an_example_of_new_weights_starts_from_them():
    weights = randn(TOKENS, TOKENS, seed=4).softmax(-1)
    one = capture(hand(), X, patch={("0", 1): weights / 2}).found[0]
    weights = weights / 2
    note = text_in(one.example().note, "en")
    assert "The weights of heads=[1] were replaced while the model ran" in note
    assert "add up to less than 1" not in note
    computed = trace(one.example())
    assert apart(computed["weights"][1].cpu(), weights) <= 1e-12
    assert apart(computed["head_outputs"].cpu(), one.outputs) <= 1e-12


def test_the_other_heads_of_new_weights_still_start_from_q_and_k():
    one = capture(hand(), X, patch={("0", 1): torch.ones(TOKENS, TOKENS)}).found[0]
    example = one.example(heads=[0, 2])
    assert all(head.q is not None for head in example.heads)
    assert apart(trace(example)["weights"].cpu(), one.weights[[0, 2]]) <= 1e-12


def test_an_output_that_the_module_writes_over_in_its_next_run_is_kept():
    class Reuses(Attention):
        held = torch.zeros(0)

        def forward(self, x):
            self.held.resize_as_(x).copy_(super().forward(x))
            return self.held

    assert capture(seeded(Reuses(by_matmul)).float(), X.float(), without=[(0, 0)]).largest > 0.01


def test_an_output_without_numbers_is_refused():
    class Silent(Attention):
        def forward(self, x):
            super().forward(x)
            return "done"

    with pytest.raises(
        InteropError, match="the module returned str, in which there is no floating-point tensor"
    ):
        capture(Silent(by_matmul), X.float(), without=[(0, 0)])


# --- names, heads, shapes ----------------------------------------------------------------------------------------


def refused(module: nn.Module = None, inputs: Any = X, **more: Any) -> str:
    with pytest.raises(InteropError) as error:
        capture(module or hand(), inputs, **more)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_an_unknown_name_lists_what_was_seen():
    assert refused(without=[("layer.7", 0)]) == (
        "without: no attention called “layer.7” was seen in this run; scripted modules, flex_attention "
        "and custom kernels can hide theirs. Seen: 0: 0, 1: 1"
    )


@pytest.mark.filterwarnings("ignore")
def test_a_part_whose_inside_is_not_seen_is_named():
    module = hand()
    module[1] = torch.jit.trace(module[1], X)
    assert refused(module, without=[("1", 0)]).startswith(
        "without: no attention called “1” was seen in this run;"
    )


def test_an_ambiguous_name_lists_what_it_fits():
    assert refused(nn.Sequential(hand(), hand()).eval(), without=[("1", 0)]) == (
        "without: “1” fits 3 attentions; use more of the name, or its number: 1: 0.1, 2: 1.0, 3: 1.1"
    )


def test_part_of_a_number_is_no_part_of_a_name():
    """ "1" is part of the name "1.0", but not of "11.0"."""
    module = seeded(nn.Sequential(*[nn.Sequential(Attention(by_matmul)) for _ in range(12)]))
    changed = capture(module, X, without=[("1", 0)])
    assert [one.name for one in changed.found if one.new_outputs] == ["1.0"]


def test_an_attention_that_runs_twice_is_chosen_by_its_index():
    shared = hand(layers=1)
    module = nn.Sequential(shared, shared)
    assert "fits 2 attentions" in refused(module, without=[("0.0", 1)])
    changed = capture(module, X, without=[(1, 1)])
    assert apart(changed.after, output(with_zero_columns(shared, "0.out", 1), output(shared, X))) <= 1e-12


WRONG: dict[str, dict[str, Any]] = {
    "0: expected heads from 0 to 2, got 3": {"without": [("0", 3)]},
    "0: expected heads from 0 to 2, got -4": {"without": [("0", -4)]},
    "without: expected attentions from 0 to 1, got 2": {"without": [(2, 0)]},
    "without: expected a list of heads, such as [(“layers.1”, 0)], got (0, 1)": {"without": (0, 1)},
    "patch[('0', 1)]: expected 5 × 5 or 2 × 5 × 5, got 5 × 4": {"patch": {("0", 1): torch.ones(5, 4)}},
    "patch[('0', 1, 'outputs')]: expected 5 × 4 or 2 × 5 × 4, got 5 × 5": {
        "patch": {("0", 1, "outputs"): torch.ones(5, 5)}
    },
    "patch[('0', 1)]: expected 5 × 5 or 2 × 5 × 5, got 3 × 5 × 5": {"patch": {("0", 1): torch.ones(3, 5, 5)}},
    "patch: expected an attention, a head and “weights”, “outputs”, “q”, “k” or “v”, such as (“0”, 0, “weights”), "
    "got ('0', 1, 'keys')": {"patch": {("0", 1, "keys"): torch.ones(5, 4)}},
    "patch[('0', 1)]: contains NaN or an infinite number": {
        "patch": {("0", 1): torch.full((5, 5), torch.nan)}
    },
    "0: head 1 is changed twice; give one change per head": {
        "without": [("0", 1)],
        "patch": {(0, 1): torch.ones(5, 5)},
    },
}


@pytest.mark.parametrize("said", WRONG)
def test_what_fits_no_head_is_refused(said):
    assert refused(**WRONG[said]) == said


def test_attentions_and_heads_are_counted_from_the_end_below_0():
    """As Python counts: attention −1 is the last, and so is head −1."""
    changed, expected = (capture(hand(), X, without=[at]) for at in ((-1, -1), (1, 2)))
    assert torch.equal(changed.after, expected.after)
    assert len(changed.found[-1].example(heads=[-1]).heads) == 1
    assert refused(without=[(-1, -1)], patch={(1, 2): torch.ones(5, 5)}) == (
        "1: head 2 is changed twice; give one change per head"
    )


def test_a_module_that_takes_another_path_the_second_time_is_refused():
    class Once(nn.Sequential):
        runs = 0

        def forward(self, x):
            self.runs += 1
            return super().forward(x) if self.runs == 1 else self[0](x)

    assert refused(Once(*hand()).eval(), without=[("0", 1)]) == (
        "1: the module did not compute the same attentions when it ran again, so heads cannot be "
        "switched off or replaced in it"
    )


# --- what stays as it was ----------------------------------------------------------------------------------------


class Restless(nn.Module):
    """A module in training that draws random numbers, counts its runs in a buffer and writes into its input."""

    def __init__(self):
        super().__init__()
        self.attention = hand()
        self.norm = nn.BatchNorm1d(TOKENS, dtype=torch.float64)
        self.run, self.fails_in = 0, 0

    def forward(self, x):
        x += 1
        self.run += 1
        outputs = F.dropout(self.norm(self.attention(x)), 0.5)
        if self.run == self.fails_in:
            raise ZeroDivisionError
        return outputs


def state_of(module: nn.Module) -> list[Any]:
    hooks = [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in module.modules()]
    training = [part.training for part in module.modules()]
    tensors = [tensor.tolist() for tensor in module.state_dict().values()]
    return [hooks, training, tensors, torch.get_rng_state().tolist()]


def test_the_module_and_the_random_state_are_as_before():
    module, x = Restless().train(), X.clone()
    before = state_of(module)
    capture(module, x, without=[(0, 1)])
    assert state_of(module) == before
    assert torch.equal(x, X)


@pytest.mark.parametrize("fails_in", [1, 2])
def test_the_module_and_the_random_state_are_as_before_after_an_exception(fails_in):
    module = Restless().train()
    module.fails_in = fails_in
    before = state_of(module)
    with pytest.raises(
        InteropError, match="inputs: the module failed on float64 2 × 5 × 12: ZeroDivisionError"
    ):
        capture(module, X.clone(), without=[(0, 1)])
    assert state_of(module) == before


def test_both_runs_draw_the_same_random_numbers():
    assert capture(Restless().train(), X.clone(), without=[]).largest == 0


# --- sweep -------------------------------------------------------------------------------------------------------


def test_a_sweep_has_the_largest_change_without_each_head():
    module = hand()
    swept = sweep(module, X)
    assert swept.names == ("0", "1")
    for index in range(2):
        for head in range(HEADS):
            assert swept.values[index, head] == capture(module, X, without=[(index, head)]).largest


def test_a_sweep_of_a_measure_has_its_change(language_model):
    swept = sweep(language_model, IDS, lambda out: out.logits[1, -1, 42])
    changed = capture(language_model, IDS, without=[(1, 4)])
    assert swept.values.shape == (2, 6)
    assert swept.values[1, 4] == pytest.approx(changed.difference[1, -1, 42].item(), abs=1e-6)


def test_a_sweep_finds_the_attentions_once_and_then_runs_once_per_head():
    module, runs = hand(), []
    module.register_forward_pre_hook(lambda *_: runs.append(1))
    sweep(module, X)
    assert len(runs) == 1 + 2 * HEADS


def test_the_heads_that_matter_most_come_first():
    swept = sweep(hand(), X)
    most = swept.most(2 * HEADS)
    assert [abs(one.change) for one in most] == sorted(swept.values.flatten().tolist(), reverse=True)
    assert all(swept.values[one.attention, one.head] == one.change for one in most)


def test_attentions_with_fewer_heads_have_nan_for_those_they_lack():
    encoder = nn.TransformerEncoderLayer(12, 2, 16, batch_first=True)
    swept = sweep(seeded(nn.Sequential(*hand(layers=1), encoder)), X)
    assert swept.values.isnan().tolist() == [[False] * 3, [False, False, True]]
    assert len(swept.most(9)) == 5


def test_a_measure_that_is_not_one_number_is_refused():
    with pytest.raises(InteropError, match="measure: expected one number, got 2 × 5 × 12"):
        sweep(hand(), X, lambda out: out)


def test_an_error_of_the_measure_names_it():
    with pytest.raises(InteropError) as error:
        sweep(hand(), X, lambda out: out[0, 0, 99])
    assert str(error.value).startswith("measure: the function failed: IndexError: index 99 is out of bounds")


@pytest.mark.parametrize("without", [None, []])
def test_a_mean_of_nothing_is_refused(without):
    with pytest.raises(InteropError, match="by: there is nothing to switch off"):
        capture(hand(), X, without=without, by="mean")


def test_one_head_needs_no_list():
    model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    rows = torch.randn(1, 3, 8)
    alone, listed = (capture(model, rows, without=own) for own in (("self_attn", 1), [("self_attn", 1)]))
    assert torch.equal(alone.after, listed.after)
    assert not torch.equal(alone.after, alone.before)
