"""Other queries and keys of a head: the module goes on with them, so its bias, mask and divisor follow.

The references are hooks on the projections, written apart: they know nothing of what they check.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # its usual name

from mha_core import InteropError, trace
from mha_core.example.model import text_in
from mha_core.interop import At, capture
from tests.interop.families import inputs, made

TOKENS, HEADS, WIDTH, SAMPLES = 6, 4, 4, 2
WITHIN = 1e-6
MANY = HEADS * WIDTH


def drawn(*shape: int, seed: int = 7) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


X = drawn(SAMPLES, TOKENS, MANY, seed=1)


def split(x: Tensor) -> Tensor:
    return x.unflatten(-1, (-1, WIDTH)).transpose(1, 2)


class Layer(nn.Module):
    """q, k and v by projections of their own, ``kv`` heads of keys, and attention as ``attend`` has it."""

    def __init__(self, attend: Callable[..., Tensor], kv: int = HEADS) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.q, self.out = nn.Linear(MANY, MANY), nn.Linear(MANY, MANY)
        self.k, self.v = nn.Linear(MANY, kv * WIDTH), nn.Linear(MANY, kv * WIDTH)
        self.near = nn.Embedding(2 * TOKENS - 1, WIDTH)
        self.values = nn.Embedding(2 * TOKENS - 1, WIDTH)
        self.pairs = nn.Parameter(torch.randn(TOKENS, TOKENS, WIDTH))
        self.temperature = nn.Parameter(torch.rand(HEADS, 1, 1) + 0.5)
        self.attend, self.least = attend, 0.0
        self.double().eval()

    @property
    def relative(self) -> Tensor:
        """The distance of each pair, from 0 on."""
        return torch.arange(TOKENS)[None] - torch.arange(TOKENS)[:, None] + TOKENS - 1

    def forward(self, x: Tensor) -> Tensor:
        mixed = self.attend(self, split(self.q(x)), split(self.k(x)), split(self.v(x)))
        return self.out(mixed.transpose(1, 2).flatten(2))


def plain(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT / 2).softmax(-1) @ v


def top_two(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A mask that is computed from the scores."""
    scores = q @ k.mT / 2
    return scores.masked_fill(scores < scores.topk(2).values[..., -1:], -torch.inf).softmax(-1) @ v


def by_norm(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A divisor for each head, from its keys."""
    return (q @ k.mT / k.norm(dim=-1).mean(-1)[..., None, None]).softmax(-1) @ v


def by_length(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A divisor for each query, from that query."""
    return (q @ k.mT / (1 + q.norm(dim=-1, keepdim=True))).softmax(-1) @ v


def by_norm_of_all(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A divisor for all heads: new keys of one change the weights of the others."""
    return (q @ k.mT / k.norm(dim=-1).max()).softmax(-1) @ v


def shaw(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Relative positions of Shaw et al. (2018), of keys and of values, by einsum."""
    to_keys = torch.einsum("bhqd,qkd->bhqk", q, own.near(own.relative))
    weights = ((q @ k.mT + to_keys) / 2).softmax(-1)
    return weights @ v + torch.einsum("bhqk,qkd->bhqd", weights, own.values(own.relative))


def shaw_in_one_einsum(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k)
    scores = scores + torch.einsum("bhqd,qkd->bhqk", q, own.near(own.relative))
    return torch.einsum("bhqk,bhkd->bhqd", (scores / 2).softmax(-1), v)


def shaw_by_matmul(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """As in Tensor2Tensor: one product for each query, over samples and heads."""
    rows = q.permute(2, 0, 1, 3).reshape(TOKENS, -1, WIDTH)
    to_keys = torch.matmul(rows, own.near(own.relative).transpose(1, 2))
    to_keys = to_keys.view(TOKENS, len(q), HEADS, TOKENS).permute(1, 2, 0, 3)
    return ((q @ k.mT + to_keys) / 2).softmax(-1) @ v


def shaw_before(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The relative term comes first in the sum."""
    to_keys = torch.einsum("bhqd,qkd->bhqk", q, own.near.weight[own.relative])
    return ((to_keys + q @ k.mT) / 2).softmax(-1) @ v


def shaw_of_a_parameter(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The table is a parameter with a row for each pair."""
    to_keys = torch.einsum("bhqd,qkd->bhqk", q, own.pairs)
    return ((q @ k.mT + to_keys) / 2).softmax(-1) @ v


def scaled_before(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """As DeBERTa does: the keys are divided before the product, and the bias is of the keys as they were."""
    scores = q @ (k.transpose(-1, -2) / 2) + (q.roll(1, 2) @ k.mT) / 3
    return scores.softmax(-1) @ v


def tempered(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT * own.temperature).softmax(-1) @ v


def fused(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The mask is computed from q and k."""
    return F.scaled_dot_product_attention(q, k, v, attn_mask=torch.tanh(q.flip(2) @ k.mT))


SHAW = [shaw, shaw_in_one_einsum, shaw_by_matmul, shaw_before, shaw_of_a_parameter]
WAYS = [plain, top_two, by_norm_of_all, *SHAW, scaled_before, fused]


def with_hook(layer: nn.Module, name: str, head: int, new: Tensor) -> Tensor:
    """What the layer returns if a projection gives other numbers for a head."""

    def write(_: nn.Module, __: Any, out: Tensor) -> Tensor:
        out = out.clone()
        out[..., head * WIDTH : (head + 1) * WIDTH] = new
        return out

    hook = layer.get_submodule(name).register_forward_hook(write)
    with torch.no_grad():
        result = layer(X)
    hook.remove()
    return result


def apart(one: Tensor, other: Tensor) -> float:
    return (one - other).abs().max().item()


@pytest.mark.parametrize("part", ["q", "k"])
@pytest.mark.parametrize("attend", WAYS)
def test_the_bias_the_mask_and_the_divisor_follow(attend, part):
    layer, new = Layer(attend), drawn(SAMPLES, TOKENS, WIDTH)
    changed = capture(layer, X, patch={(0, 1, part): new})
    assert changed.largest > 1e-2
    assert apart(changed.after, with_hook(layer, part, 1, new)) <= WITHIN


@pytest.mark.parametrize("attend", [top_two, shaw, scaled_before])
def test_only_some_rows(attend):
    layer, new = Layer(attend), drawn(1, WIDTH)
    changed = capture(layer, X, patch={At(0, 2, "k", rows=[-1]): new})
    whole = split(layer.k(X))[:, 2].detach()
    whole[:, -1] = new
    assert apart(changed.after, with_hook(layer, "k", 2, whole)) <= WITHIN


@pytest.mark.parametrize("attend", [plain, shaw])
def test_what_is_captured_after_new_queries_is_of_them(attend):
    new = drawn(TOKENS, WIDTH)
    (one,) = capture(Layer(attend), X, patch={(0, 1, "q"): new}).found
    assert apart(one.q[1], new) == 0
    assert (one.new_weights, one.new_inputs) == ((), (1,))
    example = one.example()
    assert apart(trace(example)["weights"].cpu(), one.weights) <= WITHIN
    assert "The queries, keys or values of heads=[1] were replaced while the model ran." in text_in(
        example.note, "en"
    )


@pytest.mark.parametrize("part", ["q", "k"])
@pytest.mark.parametrize("attend", [by_norm, by_length, tempered])
def test_divisors_and_temperatures_are_not_in_q_and_follow(attend, part):
    """The queries asked for are those that result, whatever divides the scores."""
    layer, new = Layer(attend), drawn(SAMPLES, TOKENS, WIDTH)
    own = capture(layer, X)[0]
    if attend is not tempered:
        assert apart(own.q, split(layer.q(X))[0]) <= 1e-12
    else:
        new = F.normalize(new, dim=-1)
    changed = capture(layer, X, patch={(0, 1, part): new})
    assert apart(getattr(changed.found[0], part)[1], new[0]) <= 1e-12
    assert apart(changed.after, with_hook(layer, part, 1, new)) <= WITHIN
    assert apart(trace(changed.found[0].example())["weights"].cpu(), changed.found[0].weights) <= WITHIN


@pytest.mark.parametrize("attend", [by_norm, by_length, tempered])
def test_factors_are_what_the_scores_have_besides(attend):
    (one,) = capture(Layer(attend), X)
    divisor = 1.0 if one.scale == "none" else WIDTH**0.5
    assert one.factors is not None
    assert apart((one.q @ one.k.mT * one.factors / divisor).softmax(-1), one.weights) <= 1e-12


@pytest.mark.parametrize("attend", [by_norm, by_length, tempered])
def test_a_remark_says_that_scores_have_factors(attend):
    changed = capture(Layer(attend), X, patch={(0, 1, "q"): torch.ones(TOKENS, WIDTH)})
    assert "The scores also have factors by head or by query" in repr(changed.unchanged[0])
    assert "The scores also have factors by head or by query" in repr(changed)


@pytest.mark.parametrize("attend", SHAW)
def test_relative_positions_are_a_bias(attend):
    layer = Layer(attend)
    (one,) = capture(layer, X, sample=1)
    q, table = split(layer.q(X)), layer.pairs if attend is shaw_of_a_parameter else layer.near(layer.relative)
    for query in range(TOKENS):
        for key in range(TOKENS):
            wanted = (q[1, :, query] * table[query, key]).sum(-1) / 2
            assert apart(one.bias[:, query, key], wanted) <= WITHIN
    assert apart(trace(one.example())["weights"].cpu(), one.weights) <= WITHIN


def test_plain_factors_before_the_product_are_in_the_divisor():
    layer = Layer(scaled_before)
    (one,) = capture(layer, X)
    assert apart(one.k, split(layer.k(X))[0]) <= 1e-12
    assert one.scale == "sqrt_dk"


# --- DeBERTa, against hooks on its projections -----------------------------------------------------------------------


@pytest.mark.parametrize("part", ["query_proj", "key_proj"])
def test_debertas_relative_attention_follows(part):
    model, given = made("DeBERTa-v2", "eager", torch.float32), inputs("DeBERTa-v2", torch.float32)
    columns, new = slice(16, 24), drawn(2, 7, 8).float()

    def write(_: nn.Module, args: Any, out: Tensor) -> Tensor | None:
        if len(args[0]) == 1:  # positions, which have no axis of samples
            return None
        out = out.clone()
        out[..., columns] = new
        return out

    hook = model.get_submodule(f"encoder.layer.0.attention.self.{part}").register_forward_hook(write)
    with torch.no_grad():
        wanted = model(**given).last_hidden_state
    hook.remove()
    changed = capture(model, given, patch={(0, 2, part[0]): new})
    assert changed.largest > 1e-3
    assert apart(changed.after, wanted) <= WITHIN


# --- numbers that are not a head's own -------------------------------------------------------------------------------


def repeated(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    k, v = (part.repeat_interleave(2, 1) for part in (k, v))
    scores = q @ k.mT / 2
    return scores.masked_fill(scores < scores.topk(2).values[..., -1:], -torch.inf).softmax(-1) @ v


def grouped(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)


@pytest.mark.parametrize("attend", [repeated, grouped])
def test_new_keys_of_heads_that_share_them_are_seen_by_one_alone(attend):
    """The other heads of the group stay; with the same keys for the whole group, it is the hook on the projection."""
    layer, new = Layer(attend, kv=2), drawn(SAMPLES, TOKENS, WIDTH)
    own = capture(layer, X)[0]
    alone = capture(layer, X, patch={(0, 2, "k"): new}).found[0]
    both = capture(layer, X, patch={(0, 2, "k"): new, (0, 3, "k"): new})
    assert torch.equal(alone.weights[[0, 1, 3]], own.weights[[0, 1, 3]])
    assert apart(alone.weights[2], both.found[0].weights[2]) <= 1e-12
    assert apart(both.after, with_hook(layer, "k", 1, new)) <= WITHIN


def multi_query(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT / 2).softmax(-1) @ v


def shared_grouped(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return multi_query(_, q, *(part.repeat_interleave(2, 1) for part in (k, v)))


@pytest.mark.parametrize("part", ["q", "k", "v"])
@pytest.mark.parametrize(
    ("attend", "kv"), [(plain, HEADS), (shared_grouped, 2), (grouped, 2), (multi_query, 1), (repeated, 2)]
)
def test_what_is_captured_has_what_was_put_in(attend, kv, part):
    """Heads that shared it have each their own then, and an example computes what the head did."""
    new = drawn(SAMPLES, TOKENS, WIDTH)
    changed = capture(Layer(attend, kv), X, patch={(0, 2, part): new})
    for sample in range(SAMPLES):
        (one,), (own,) = changed.found.samples[sample], changed.unchanged.samples[sample]
        before, after = (
            getattr(each, part).repeat_interleave(HEADS // len(getattr(each, part)), 0) for each in (own, one)
        )
        assert torch.equal(after[2], new[sample])
        assert torch.equal(after[[0, 1, 3]], before[[0, 1, 3]])
        v = one.v.repeat_interleave(HEADS // len(one.v), 0)
        assert apart(one.weights @ v, one.outputs) <= 1e-12
        computed = trace(one.example())
        assert apart(computed["weights"].cpu(), one.weights) <= WITHIN
        assert apart(computed["head_outputs"].cpu(), one.outputs) <= WITHIN
        assert one.new_inputs == (2,)
        if attend is not repeated:
            assert one.new_weights == ()


def test_some_rows_of_v_that_heads_share():
    new = drawn(1, WIDTH)
    (one,) = capture(Layer(grouped, 2), X, patch={At(0, 2, "v", rows=-1): new}).found
    own = capture(Layer(grouped, 2), X)[0].v
    assert apart(one.v[2, -1], new[0]) == 0
    assert apart(one.v[2, :-1], own[1, :-1]) == 0


class Inputs(nn.Module):
    """Attention to what it is given; ``bias``: whether a bias is computed from the queries."""

    def __init__(self, *, bias: bool = False) -> None:
        super().__init__()
        self.bias = bias

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        scores = (q / 2) @ k.mT
        scores = scores + q.sum(-1, keepdim=True) * torch.arange(TOKENS) if self.bias else scores
        return scores.softmax(-1) @ k


@pytest.mark.parametrize("part", ["q", "k"])
def test_what_is_an_input_or_also_the_values_is_replaced_in_the_product(part):
    q, k, new = drawn(2, 1, TOKENS, 4), drawn(2, 1, TOKENS, 4, seed=8), drawn(TOKENS, 4, seed=9)
    changed = capture(Inputs(), (q, k), patch={(0, 0, part): new})
    given = {"q": q, "k": k} | {part: new.expand(2, 1, TOKENS, 4)}
    assert apart(changed.after, (given["q"] @ given["k"].mT / 2).softmax(-1) @ k) <= 1e-12


def test_an_input_is_not_replaced_where_a_bias_may_follow_from_it():
    q, k = drawn(2, 1, TOKENS, 4), drawn(2, 1, TOKENS, 4, seed=8)
    with pytest.raises(InteropError, match="Its mask, bias or divisor may be computed from these"):
        capture(Inputs(bias=True), (q, k), patch={(0, 0, "q"): torch.zeros(TOKENS, 4)})
    changed = capture(Inputs(bias=True), (q, k), patch={(0, 0, "k"): k[0, 0]})
    assert changed.largest > 1e-3


class Tied(nn.Module):
    """Queries and keys are the same numbers, as in the Reformer."""

    def __init__(self, attend: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        torch.manual_seed(4)
        self.both, self.attend = nn.Linear(MANY, MANY), attend
        self.double()

    def forward(self, x: Tensor) -> Tensor:
        q = split(self.both(x))
        return self.attend(q) @ q


def test_of_queries_that_are_the_keys_too_only_the_queries_change():
    module, new = Tied(lambda q: (q @ q.mT).softmax(-1)), drawn(TOKENS, WIDTH)
    changed = capture(module, X, patch={(0, 1, "q"): new})
    k = split(module.both(X))[:, 1].detach()
    assert apart(changed.after[:, 1], (new @ k.mT).softmax(-1) @ k) <= 1e-12


def test_queries_that_are_changed_in_place_are_replaced_as_they_are_in_the_product():
    def turned(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        q[..., :2] = q[..., :2] * 2
        return plain(_, q, k, v)

    layer, new = Layer(turned), drawn(SAMPLES, TOKENS, WIDTH)
    changed = capture(layer, X, patch={(0, 1, "q"): new})
    assert apart(changed.after, with_hook(layer, "q", 1, new * torch.tensor([0.5, 0.5, 1, 1]))) <= 1e-12


# --- whether the scores are known: by the operations, not by their numbers -------------------------------------------


def thresholded(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = (q @ k.mT / 2).softmax(-1)
    return (weights * (weights > own.least)) @ v


def filled(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = (q @ k.mT / 2).softmax(-1)
    return weights.masked_fill(weights < own.least, 0) @ v


def raised(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT / 2).softmax(-1).clamp(min=own.least) @ v


@pytest.mark.parametrize("least", [0.1, 1e-30])
@pytest.mark.parametrize("attend", [thresholded, filled, raised])
def test_weights_that_a_threshold_may_change_have_no_scores_even_if_none_is_below_it(attend, least):
    layer = Layer(attend)
    layer.least = least
    (one,) = capture(layer, X)
    assert one.q is None
    assert "scores unknown (after softmax, " in repr(one)
    with pytest.raises(InteropError, match="may change weights after softmax"):
        capture(layer, X, patch={(0, 1, "q"): torch.zeros(TOKENS, WIDTH)})


def test_a_mask_that_is_applied_twice_leaves_scores_known():
    """As in DeBERTa's softmax: what the mask hides is set to 0 afterwards as well."""

    def masked(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        hidden = torch.ones(TOKENS, TOKENS).triu(1).bool()
        weights = (q @ k.mT / 2).masked_fill(hidden, -torch.inf).softmax(-1)
        return weights.masked_fill(hidden, 0).clamp(0, 1) @ v

    (one,) = capture(Layer(masked), X)
    assert one.q is not None
    assert one.causal


@pytest.mark.parametrize("part", ["q", "k"])
@pytest.mark.parametrize("first", [True, False])
def test_torchs_own_layer(first, part):
    layer = nn.MultiheadAttention(MANY, HEADS, batch_first=first).double().eval()
    x, new = X if first else X.transpose(0, 1), drawn(SAMPLES, TOKENS, WIDTH)
    changed = capture(layer, (x, x, x), patch={(0, 1, part): new})
    projected = F.linear(X, layer.in_proj_weight, layer.in_proj_bias).detach().chunk(3, -1)
    q, k, v = (split(matrix).clone() for matrix in projected)
    {"q": q, "k": k}[part][:, 1] = new
    wanted = layer.out_proj(((q @ k.mT / 2).softmax(-1) @ v).transpose(1, 2).flatten(2))
    assert apart(changed.after, wanted if first else wanted.transpose(0, 1)) <= 1e-12


def test_later_layers_go_on_with_new_keys():
    stack = nn.Sequential(Layer(top_two), Layer(by_norm)).eval()
    new, other = drawn(TOKENS, WIDTH), drawn(TOKENS, WIDTH, seed=9)
    changed = capture(stack, X, patch={(0, 1, "k"): new, (1, 2, "k"): other})

    def writes(head: int, numbers: Tensor) -> Callable[..., Tensor]:
        def write(_: nn.Module, __: Any, out: Tensor) -> Tensor:
            out = out.clone()
            out[..., head * WIDTH : (head + 1) * WIDTH] = numbers
            return out

        return write

    stack.get_submodule("0.k").register_forward_hook(writes(1, new))
    stack.get_submodule("1.k").register_forward_hook(writes(2, other))
    with torch.no_grad():
        assert apart(changed.after, stack(X)) <= WITHIN


def shaw_of_values_by_matmul(own: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = (q @ k.mT / 2).softmax(-1)
    rows = weights.permute(2, 0, 1, 3).reshape(TOKENS, -1, TOKENS) @ own.values(own.relative)
    return rows.view(TOKENS, -1, HEADS, WIDTH).permute(1, 2, 0, 3) + weights @ v


@pytest.mark.parametrize(("attend", "product"), [(shaw, "einsum"), (shaw_of_values_by_matmul, "matmul")])
def test_a_remark_says_that_weights_are_read_by_another_product(attend, product):
    said = f"The weights also go into {product}, besides their product with V."
    changed = capture(Layer(attend), X, without=[(0, 1)])
    assert said in repr(changed.unchanged[0])
    assert said in repr(changed.found[0])


@pytest.mark.parametrize("attend", [plain, shaw_before, fused])
def test_weights_that_only_values_read_have_no_remark(attend):
    assert capture(Layer(attend), X)[0].remark == ""


# --- values, and what else reads what was put in ---------------------------------------------------------------------


def over_norm_of_values(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The values are read by a divisor of the outputs as well."""
    return (q @ k.mT / 2).softmax(-1) @ v / (1 + v.norm(dim=-1, keepdim=True))


def halved(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A plain factor of the values is in what is captured."""
    return (q @ k.mT / 2).softmax(-1) @ (v / 2)


def fused_plain(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v)


def by_einsum(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.einsum("bhqk,bhkd->bhqd", (q @ k.mT / 2).softmax(-1), v)


def turned_round(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (v.mT @ (q @ k.mT / 2).softmax(-1).mT).mT


def twice(_: Layer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Two attentions read the same keys and values."""
    return plain(_, q, k, v) + plain(_, q + 0.5, k, v)


@pytest.mark.parametrize("attend", [plain, over_norm_of_values, fused_plain, by_einsum, turned_round, twice])
def test_new_values_are_written_where_the_module_computes_them(attend):
    layer, new = Layer(attend), drawn(SAMPLES, TOKENS, WIDTH)
    changed = capture(layer, X, patch={(0, 1, "v"): new})
    assert apart(changed.after, with_hook(layer, "v", 1, new)) <= WITHIN
    assert apart(changed.found[0].v[1], new[0]) <= 1e-12


def test_new_values_are_in_the_units_of_the_captured_ones():
    layer, new = Layer(halved), drawn(SAMPLES, TOKENS, WIDTH)
    changed = capture(layer, X, patch={(0, 1, "v"): new})
    assert apart(changed.after, with_hook(layer, "v", 1, new * 2)) <= WITHIN


@pytest.mark.parametrize("part", ["k", "v"])
def test_the_text_names_another_attention_that_reads_the_same_numbers(part):
    layer, new = Layer(twice), drawn(TOKENS, WIDTH)
    changed = capture(layer, X, patch={(0, 1, part): new})
    assert changed.also == (f"Layer#1 ({part})",)
    assert f"Layer#0 head 1 {part} replaced, also in Layer#1 ({part}): largest change" in repr(changed)
    assert apart(changed.after, with_hook(layer, part, 1, new)) <= WITHIN
    for one in changed.found:
        assert apart(getattr(one, part)[1], new) == 0


def test_queries_that_no_other_attention_reads_have_no_such_words():
    changed = capture(Layer(twice), X, patch={(1, 1, "q"): drawn(TOKENS, WIDTH)})
    assert changed.also == ()
    assert "also in" not in repr(changed)


def test_values_of_unknown_scores_are_written_too():
    layer, new = Layer(thresholded), drawn(TOKENS, WIDTH)
    layer.least = 0.1
    changed = capture(layer, X, patch={(0, 1, "v"): new})
    assert apart(changed.after, with_hook(layer, "v", 1, new)) <= WITHIN


def test_values_that_heads_share_are_replaced_in_the_product_of_one():
    layer, new = Layer(grouped, kv=2), drawn(TOKENS, WIDTH)
    own, changed = capture(layer, X)[0], capture(layer, X, patch={(0, 2, "v"): new})
    assert apart(changed.found[0].outputs[2], own.weights[2] @ new) <= 1e-12
    assert apart(changed.found[0].outputs[3], own.outputs[3]) == 0


def test_the_text_names_queries_and_keys_that_follow_from_new_values():
    """Values that have no projection of their own: the module projects them to queries and keys."""

    class Unprojected(Layer):
        def forward(self, x: Tensor) -> Tensor:
            v = x * gain
            return plain(self, split(self.q(v)), split(self.k(v)), split(v))

    gain = torch.linspace(0.5, 1, MANY).double()
    layer = Unprojected(plain)
    changed = capture(layer, X, patch={(0, 1, "v"): drawn(TOKENS, WIDTH)})
    assert changed.also == ("Unprojected (q, k)",)
    assert capture(layer, X, patch={(0, 1, "q"): drawn(TOKENS, WIDTH)}).also == ()
