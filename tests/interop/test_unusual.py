"""Attention as people write it themselves: each is followed exactly, or refused with the reason.

Every layer keeps its own weights, samples × heads × queries × keys, and these are what must be found. What has a
softmax and is not attention between tokens, such as linear attention, is never shown as if it were.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # its usual name

from mha_core import InteropError, MhaError
from mha_core.interop import capture, sweep

SAMPLES, TOKENS, HEADS, WIDTH = 2, 5, 3, 4
D = HEADS * WIDTH
X = torch.randn(SAMPLES, TOKENS, D, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def heads(x: Tensor) -> Tensor:
    """samples × tokens × (heads · width) → samples × heads × tokens × width."""
    return x.unflatten(-1, (-1, WIDTH)).transpose(1, 2)


def joined(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


class Layer(nn.Module):
    """Attention as a function of the layer and of its projections of X. It writes its weights into the layer."""

    weights: Tensor

    def __init__(self, attend: Callable[..., Tensor]) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.attend = attend
        self.q, self.k, self.v, self.o, self.gate = (nn.Linear(D, D).double() for _ in range(5))
        self.mix = nn.Linear(HEADS, HEADS, bias=False).double()
        self.pairs = nn.Linear(WIDTH, 1).double()
        self.latents = nn.Parameter(torch.randn(3, D).double())
        self.conv = nn.Conv1d(D, 3 * D, 1).double()

    def forward(self, x: Tensor) -> Tensor:
        return self.attend(self, x, self.q(x), self.k(x), self.v(x))


# --- what is followed ----------------------------------------------------------------------------------------------


def keys_first(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Scores are keys × queries, the softmax runs over the keys, and the weights are transposed."""
    scores = heads(k) @ heads(q).transpose(-1, -2) / 2
    own.weights = scores.softmax(dim=-2).mT
    return own.o(joined(own.weights @ heads(v)))


def keys_first_with_a_mask(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = (heads(k) * 0.5) @ heads(q).mT
    hidden = torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril(-1)  # keys after the query
    own.weights = scores.masked_fill(hidden, -torch.inf).softmax(2).transpose(2, 3)
    return own.o(joined(own.weights @ heads(v)))


def values_on_the_left(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Columns for tokens: outputsᵀ = Vᵀ · weightsᵀ."""
    of_keys = (heads(k) @ heads(q).mT).softmax(-2)
    own.weights = of_keys.mT
    return own.o(joined((heads(v).mT @ of_keys).mT))


def transposed_before_softmax(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    own.weights = (heads(k) @ heads(q).mT).mT.softmax(-1)
    return own.o(joined(own.weights @ heads(v)))


def heads_moved(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Heads come first until the weights are made."""
    q, k = heads(q).transpose(0, 1), heads(k).transpose(0, 1)
    own.weights = (q @ k.mT / 2).softmax(-1).permute(1, 0, 2, 3)
    return own.o(joined(own.weights @ heads(v)))


def einsum_with_keys_first(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = (part.unflatten(-1, (HEADS, WIDTH)) for part in (q, k, v))
    of_keys = torch.einsum("nqhc,nkhc->nhkq", q, k).softmax(2)
    own.weights = of_keys.mT
    return own.o(torch.einsum("nhkq,nkhc->nqhc", of_keys, v).flatten(2))


def einsum_with_heads_last(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = (part.unflatten(-1, (HEADS, WIDTH)) for part in (q, k, v))
    of_keys = torch.einsum("nqhc,nkhc->nkqh", q, k).softmax(1)
    own.weights = of_keys.permute(0, 3, 2, 1)
    return own.o(torch.einsum("nkqh,nkhc->nqhc", of_keys, v).flatten(2))


def talking(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Heads are mixed before and after the softmax (Shazeer et al. 2020)."""
    scores = own.mix((heads(q) @ heads(k).mT).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
    own.weights = own.mix(scores.softmax(-1).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
    return own.o(joined(own.weights @ heads(v)))


def talking_by_einsum(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.einsum("nhqk,hg->ngqk", heads(q) @ heads(k).mT, own.mix.weight)
    own.weights = torch.einsum("nhqk,hg->ngqk", scores.softmax(-1), own.mix.weight)
    return own.o(joined(own.weights @ heads(v)))


def one_head_of_keys(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Multi-query attention (Shazeer 2019)."""
    k, v = k[:, None, :, :WIDTH], v[:, None, :, :WIDTH]
    own.weights = (heads(q) @ k.mT).softmax(-1)
    return own.o(joined(own.weights @ v))


def of_two_softmaxes(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Differential attention (Ye et al. 2024): one softmax less another."""
    left, right = (heads(part)[..., :2] for part in (q, k)), (heads(part)[..., 2:] for part in (q, k))
    (q1, k1), (q2, k2) = left, right
    own.weights = (q1 @ k1.mT).softmax(-1) - 0.3 * (q2 @ k2.mT).softmax(-1)
    return own.o(joined(own.weights @ heads(v)))


def cosine(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    own.weights = (F.normalize(heads(q), dim=-1) @ F.normalize(heads(k), dim=-1).mT * 10).softmax(-1)
    return own.o(joined(own.weights @ heads(v)))


def added(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Additive attention (Bahdanau et al. 2015): a projection of each pair, not of a token."""
    pairs = torch.tanh(heads(q)[:, :, :, None] + heads(k)[:, :, None])
    own.weights = own.pairs(pairs).squeeze(-1).softmax(-1)
    return own.o(joined(own.weights @ heads(v)))


def by_distance(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    own.weights = (-torch.cdist(heads(q), heads(k))).softmax(-1)
    return own.o(joined(own.weights @ heads(v)))


def by_sums(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    own.weights = (heads(q)[:, :, :, None] * heads(k)[:, :, None]).sum(-1).softmax(-1)
    return own.o(joined(own.weights @ heads(v)))


def gated(own: Layer, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The outputs are multiplied by a gate, after the attention."""
    own.weights = (heads(q) @ heads(k).mT).softmax(-1)
    return own.o(joined(own.weights @ heads(v)) * own.gate(x).sigmoid())


def from_latents(own: Layer, _: Tensor, __: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Learned rows ask the tokens, as in Perceiver and the Set Transformer."""
    q = own.q(own.latents).expand(SAMPLES, -1, -1)
    own.weights = (heads(q) @ heads(k).mT).softmax(-1)
    return own.o(joined(own.weights @ heads(v)))


def with_memory(own: Layer, x: Tensor, q: Tensor, _: Tensor, __: Tensor) -> Tensor:
    """Learned rows are keys beside the tokens."""
    rows = torch.cat((own.latents.expand(SAMPLES, -1, -1), x), 1)
    own.weights = (heads(q) @ heads(own.k(rows)).mT).softmax(-1)
    return own.o(joined(own.weights @ heads(own.v(rows))))


def of_mixed_tokens(own: Layer, x: Tensor, q: Tensor, _: Tensor, __: Tensor) -> Tensor:
    """Keys and values are mixtures of tokens, by a projection of the axis of tokens (Linformer, Wang et al. 2020)."""
    shorter = nn.Linear(TOKENS, 4).double()
    rows = shorter(own.gate(x).mT).mT
    own.weights = (heads(q) @ heads(own.k(rows)).mT).softmax(-1)
    return own.o(joined(own.weights @ heads(own.v(rows))))


FOLLOWED = (
    keys_first,
    keys_first_with_a_mask,
    values_on_the_left,
    transposed_before_softmax,
    heads_moved,
    einsum_with_keys_first,
    einsum_with_heads_last,
    talking,
    talking_by_einsum,
    one_head_of_keys,
    of_two_softmaxes,
    cosine,
    added,
    by_distance,
    by_sums,
    gated,
    from_latents,
    with_memory,
    of_mixed_tokens,
)
KNOWN = (
    keys_first,
    keys_first_with_a_mask,
    values_on_the_left,
    transposed_before_softmax,
    heads_moved,
    cosine,
)
"""Those whose weights an example computes from Q and K."""


@pytest.mark.parametrize("attend", FOLLOWED)
def test_the_weights_are_the_layers_own(attend):
    layer = Layer(attend)
    for sample in range(SAMPLES):
        (one,) = capture(layer, X, sample=sample)
        assert torch.equal(one.weights, layer.weights[sample])
        assert (one.samples, one.sample) == (SAMPLES, sample)


@pytest.mark.parametrize("attend", [*KNOWN, einsum_with_keys_first])
def test_queries_and_keys_are_known_in_any_order_of_axes(attend):
    (one,) = capture(Layer(attend), X)
    assert one.q is not None
    assert one.k is not None
    example = one.example()
    assert all(head.weights is None for head in example.heads)


def test_keys_that_come_first_leave_the_mask_causal():
    (one,) = capture(Layer(keys_first_with_a_mask), X)
    assert one.causal
    assert one.mask is None


@pytest.mark.parametrize("attend", FOLLOWED)
def test_a_head_is_switched_off_where_it_is_computed(attend):
    """The output is what the projection gives without the head's columns."""
    layer = Layer(attend)
    changed = capture(layer, X, without=[(0, 1)])
    without = Layer(attend)
    with torch.no_grad():
        without.o.weight[:, WIDTH : 2 * WIDTH] = 0
        expected = without(X)
    assert changed.largest > 1e-3
    assert torch.allclose(changed.after, expected, rtol=0, atol=1e-12)


# --- what is refused -----------------------------------------------------------------------------------------------


def efficient(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """softmax(Q) · (softmax(K)ᵀ · V): Shen et al. 2021."""
    context = heads(k).softmax(dim=-2).mT @ heads(v)
    return own.o(joined(heads(q).softmax(dim=-1) @ context))


def efficient_by_einsum(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    context = torch.einsum("nhkc,nhkd->nhcd", heads(k).softmax(-2), heads(v))
    return own.o(joined(torch.einsum("nhqc,nhcd->nhqd", heads(q).softmax(-1), context)))


def efficient_on_channels_first(own: Layer, x: Tensor, _: Tensor, __: Tensor, ___: Tensor) -> Tensor:
    """As its authors wrote it, by convolutions, head by head."""
    q, k, v = own.conv(x.mT).chunk(3, 1)
    parts = []
    for head in range(HEADS):
        own_q, own_k, own_v = (part[:, head * WIDTH : (head + 1) * WIDTH] for part in (q, k, v))
        context = own_k.softmax(2) @ own_v.transpose(1, 2)
        parts.append(context.transpose(1, 2) @ own_q.softmax(1))
    return own.o(torch.cat(parts, 1).mT)


def only_queries(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    context = heads(k).relu().mT @ heads(v)
    return own.o(joined(heads(q / 2).softmax(-1) @ context))


def between_channels(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Cross-covariance attention (El-Nouby et al. 2021): columns × columns."""
    q, k, v = heads(q).mT, heads(k).mT, heads(v).mT
    weights = (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT).softmax(-1)
    return own.o(joined((weights @ v).mT))


def between_channels_in_one_function(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    outputs = F.scaled_dot_product_attention(heads(q).mT, heads(k).mT, heads(v).mT)
    return own.o(joined(outputs.mT))


def without_keys(own: Layer, x: Tensor, _: Tensor, __: Tensor, v: Tensor) -> Tensor:
    """A synthesizer: the scores are a projection of each query alone (Tay et al. 2021)."""
    return own.o(joined(heads(own.gate(x))[..., :TOKENS].softmax(-1) @ heads(v)[..., :4, :]))


COLUMNS = (
    efficient,
    efficient_by_einsum,
    efficient_on_channels_first,
    only_queries,
    between_channels,
    between_channels_in_one_function,
    without_keys,
)


@pytest.mark.parametrize("attend", COLUMNS)
def test_a_softmax_over_columns_is_never_shown_as_attention(attend):
    with pytest.raises(
        InteropError, match="over the columns of a projection is not attention between tokens"
    ):
        capture(Layer(attend), X)


@pytest.mark.parametrize("attend", COLUMNS)
def test_a_softmax_over_columns_is_named_beside_what_was_found(attend):
    found = capture(nn.Sequential(Layer(keys_first), nn.LayerNorm(D).double(), Layer(attend)), X)
    assert [one.name for one in found] == ["0"]
    (error,) = found.skipped
    assert (error.place, "columns of a projection" in str(error)) == ("2", True)


def over_queries(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The softmax runs over the queries, as in slot attention."""
    return own.o(joined((heads(q) @ heads(k).mT).softmax(-2) @ heads(v)))


def turned_away(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return own.o(joined((heads(q) @ heads(k).mT).softmax(-1).mT @ heads(v)))


def of_each_other(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Weights times weights is not weights times values."""
    weights = (heads(q) @ heads(k).mT).softmax(-1)
    return own.o(joined((weights @ weights).sum(-1, keepdim=True) * heads(v)))


def one_more(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """exp(s) ÷ (1 + Σ exp(s)), without a softmax."""
    scores = (heads(q) @ heads(k).mT).exp()
    return own.o(joined(scores / (1 + scores.sum(-1, keepdim=True)) @ heads(v)))


def sigmoid(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return own.o(joined((heads(q) @ heads(k).mT).sigmoid() @ heads(v)))


def elu(own: Layer, _: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Linear attention (Katharopoulos et al. 2020)."""
    q, k = (F.elu(heads(part)) + 1 for part in (q, k))
    return own.o(joined(q @ (k.mT @ heads(v)) / (q @ k.sum(-2, keepdim=True).mT)))


REFUSED = {
    over_queries: "softmax(dim=-2) is not along the last axis",
    turned_away: "the result of softmax went into mT",
    of_each_other: "the result of softmax went into matmul",
    one_more: "nor softmax was called",
    sigmoid: "nor softmax was called",
    elu: "nor softmax was called",
}


@pytest.mark.parametrize("attend", REFUSED)
def test_what_is_not_followed_says_why(attend):
    with pytest.raises(InteropError) as error:
        capture(Layer(attend), X)
    assert REFUSED[attend] in str(error.value)


# --- heads in a loop, and axes of an image ---------------------------------------------------------------------------


class Looped(nn.Module):
    """One head after the other, in Python."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.ModuleList(nn.Linear(D, WIDTH) for _ in range(HEADS)) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        parts = zip(self.q, self.k, self.v, strict=True)
        return torch.cat([(q(x) @ k(x).mT).softmax(-1) @ v(x) for q, k, v in parts], -1)


def test_heads_in_a_loop_have_names_that_differ_and_their_number_is_in_the_singular():
    found = capture(nn.Sequential(Looped(), Layer(keys_first).float()), X.float())
    assert [one.name for one in found] == ["0#0", "0#1", "0#2", "1"]
    assert repr(found[0]) == "0#0: 1 head, 5 queries, 5 keys"
    assert found[0].batch[1].name == "0#0"


def test_a_head_in_a_loop_is_found_by_its_name():
    changed = capture(Looped(), X.float(), without=[("Looped#1", 0)])
    assert [one.name for one in changed.found] == ["Looped#0", "Looped#1", "Looped#2"]
    assert changed.after[..., WIDTH : 2 * WIDTH].abs().max() == 0
    with pytest.raises(InteropError, match=r"fits 3 attentions.*0: Looped#0, 1: Looped#1, 2: Looped#2"):
        capture(Looped(), X.float(), without=[("Looped", 0)])


class Axial(nn.Module):
    """Attention along the rows of an image, and along its columns."""

    def __init__(self, count: int):
        super().__init__()
        self.count = count
        self.project = nn.Linear(12, 36)

    def along(self, x: Tensor) -> Tensor:
        q, k, v = (
            heads.unflatten(-1, (self.count, -1)).transpose(1, 2) for heads in self.project(x).chunk(3, -1)
        )
        return ((q @ k.mT).softmax(-1) @ v).transpose(1, 2).flatten(2)

    def forward(self, x: Tensor) -> Tensor:
        samples, rows, columns, width = x.shape
        x = self.along(x.reshape(samples * rows, columns, width)).view(x.shape).transpose(1, 2)
        return self.along(x.reshape(samples * columns, rows, width)).view(samples, columns, rows, width)


@pytest.mark.parametrize("batch", [None, 2])
@pytest.mark.parametrize("count", [2, 3])
def test_each_row_and_each_column_of_an_image_is_a_sample_whatever_the_number_of_heads(count, batch):
    """Also where there are as many heads as images."""
    x = torch.randn(2, 3, 5, 12, generator=torch.Generator().manual_seed(2))
    rows, columns = capture(Axial(count), x, batch=batch)
    assert (rows.samples, tuple(rows.weights.shape)) == (6, (count, 5, 5))
    assert (columns.samples, tuple(columns.weights.shape)) == (10, (count, 3, 3))


# --- names for each sample -------------------------------------------------------------------------------------------


def test_each_sample_of_a_batch_has_its_own_names():
    names = [list("abcde"), list("fghij")]
    found = capture(Layer(keys_first), X, tokens=names)
    assert ["".join(own[0].tokens) for own in found.samples] == ["abcde", "fghij"]
    assert "".join(capture(Layer(keys_first), X, tokens=names, sample=1)[0].tokens) == "fghij"


def test_the_names_of_one_sample_are_those_of_the_sample_that_was_asked_for():
    found = capture(Layer(keys_first), X, tokens=list("abcde"), sample=1)
    assert ["".join(own[0].tokens) for own in found.samples] == ["12345", "abcde"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([list("abcde")], "tokens: expected 2 × 5 names (samples × queries), got 1 × 5"),
        (
            [list("abcde"), list("ab")],
            "tokens: expected 2 × 5 names (samples × queries), got 2 × 5 / 2; no mask shows that sample 1 "
            "has 2 tokens and padding, so give real=, or pad the list of its names",
        ),
    ],
)
def test_names_for_other_samples_or_tokens_are_refused(names, said):
    with pytest.raises(InteropError) as error:
        capture(Layer(keys_first), X, tokens=names)
    assert str(error.value) == said


# --- arguments of another kind ---------------------------------------------------------------------------------------

anything: Any = capture
swept: Any = sweep
ARGUMENTS: dict[str, Callable[[Layer], Any]] = {
    "measure: expected a function of the module's output, got 'logit'": lambda m: swept(m, X, "logit"),
    "rows: expected rows as whole numbers, got 'a'": lambda m: swept(m, X, rows="a"),
    "inputs: expected a tensor, a tuple of arguments or a mapping of keywords, got NoneType": (
        lambda m: anything(m, None)
    ),
    "inputs: the module does not take a text; give the numbers that it takes, such as a tensor of token ids": (
        lambda m: anything(m, "a text")
    ),
    "inputs: the module failed on ndarray: TypeError: linear(): argument 'input' (position 1) must be Tensor, "
    "not numpy.ndarray": lambda m: anything(m, X.numpy()),
    "inputs: the module failed on list: TypeError: linear(): argument 'input' (position 1) must be Tensor, "
    "not list": lambda m: anything(m, ([[1, 2]],)),
    "inputs: a list is taken as the arguments of the module; make a tensor of its numbers, torch.tensor(…)": (
        lambda m: anything(m, [[1, 2], [3, 4]])
    ),
    "inputs: expected a tensor, a tuple of arguments or a mapping of keywords, got 3": (
        lambda m: swept(m, X, patch_from=3)
    ),
    "tokens: expected a list of names, one per token, got 'I am'": lambda m: anything(m, X, "I am"),
    "sample: expected a whole number, got 'a'": lambda m: anything(m, X, sample="a"),
    "batch: expected a whole number, 1 or more, got '2'": lambda m: anything(m, X, batch="2"),
    "keywords: expected a mapping of keywords, got 3": lambda m: anything(m, X, keywords=3),
    "without: expected a list of heads, such as [(“layers.1”, 0)], got 5": lambda m: anything(
        m, X, without=5
    ),
    "without: expected a list of heads, such as [(“layers.1”, 0)], got (0, 1)": (
        lambda m: anything(m, X, without=(0, 1))
    ),
    "patch: expected a mapping of places to tensors, got list": lambda m: anything(m, X, patch=[(0, 1)]),
    "patch[(0, 1)]: expected a tensor, got NoneType": lambda m: anything(m, X, patch={(0, 1): None}),
    "by: expected one of zero, mean, got 'median'": lambda m: anything(m, X, without=[(0, 1)], by="median"),
    "heads: expected a list of heads, got 3": lambda m: anything(m, X)[0].example(heads=3),
}


@pytest.mark.parametrize("said", ARGUMENTS)
def test_an_argument_of_another_kind_is_named(said):
    with pytest.raises(MhaError) as error:
        ARGUMENTS[said](Layer(keys_first))
    assert str(error.value) == said


def test_the_error_of_a_module_itself_is_the_cause():
    with pytest.raises(
        MhaError, match="inputs: the module failed on float32 2 × 5 × 3: RuntimeError: "
    ) as error:
        capture(Layer(keys_first), torch.ones(2, 5, 3))
    assert isinstance(error.value.__cause__, RuntimeError)
