"""The inputs of a captured module: never changed, the same in each run, and numbers as tensors or plain."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from mha_core import InteropError, trace
from mha_core.interop import At, attribute, capture, sweep

IDS = torch.tensor([[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 0, 0], [13, 14, 15, 0, 0, 0, 0]])


class Cache:
    """Keys that a module adds to, as transformers' caches do."""

    def __init__(self):
        self.keys: list[Tensor] = []


class Cached(nn.Module):
    """A layer of causal attention that adds its keys to a cache."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.words, self.say = nn.Embedding(20, 12), nn.Linear(12, 20)
        self.parts = nn.Linear(12, 36)

    def forward(self, ids, cache=None):
        q, k, v = (
            part.unflatten(-1, (3, 4)).transpose(1, 2) for part in self.parts(self.words(ids)).chunk(3, -1)
        )
        if cache is not None:
            cache.keys.append(torch.cat((k, v), -1))
            k, v = torch.cat(cache.keys, 2).chunk(2, -1)
        hidden = torch.ones(q.shape[2], k.shape[2]).triu(1 + k.shape[2] - q.shape[2]).bool()
        weights = (q @ k.mT / 2).masked_fill(hidden, -torch.inf).softmax(-1)
        return self.say((weights @ v).transpose(1, 2).flatten(2))


def writer():
    """A small decoder whose heads add to one stream."""
    torch.manual_seed(1)
    layer = nn.TransformerEncoderLayer(12, 3, 16, norm_first=True, batch_first=True)
    body = nn.TransformerEncoder(layer, 1, nn.LayerNorm(12), enable_nested_tensor=False)
    return nn.Sequential(nn.Embedding(20, 12), body, nn.Linear(12, 20)).eval()


def filled(model, *, with_graph):
    cache = Cache()
    with torch.set_grad_enabled(with_graph):
        model(IDS[:1, :5], cache)
    return cache


@pytest.mark.parametrize("with_graph", [True, False])
def test_every_run_has_its_own_copy_of_a_cache_also_of_one_with_a_graph_of_gradients(with_graph):
    model = Cached().eval()
    cache = filled(model, with_graph=with_graph)
    inputs = {"ids": IDS[:1, 5:], "cache": cache}
    assert [capture(model, inputs)[0].weights.shape[-1] for _ in range(2)] == [7, 7]
    changed = capture(model, inputs, without=[])
    assert (changed.found[0].weights.shape[-1], changed.largest) == (7, 0)
    before, after = (capture(model, inputs, without=[(0, 1)]).largest for _ in range(2))
    assert before == after == pytest.approx(sweep(model, inputs).values[0, 1].item(), abs=1e-7)
    assert len(cache.keys) == 1


def test_a_tensor_that_the_module_writes_into_stays_as_it_was():
    class Doubles(Cached):
        def forward(self, ids, cache=None):
            assert cache is None
            q = self.parts(ids.mul_(2)).unflatten(-1, (3, 12)).transpose(1, 2)
            return functional.scaled_dot_product_attention(q, q, q)

    x = torch.randn(2, 5, 12)
    before = x.clone()
    capture(Doubles().eval(), x)
    assert torch.equal(x, before)


def test_inputs_that_cannot_be_copied_are_refused():
    inputs = {"ids": IDS, "cache": (number for number in range(3))}
    with pytest.raises(
        InteropError, match="inputs: they cannot be copied for another run of the module: TypeError"
    ):
        capture(Cached().eval(), inputs)


def test_a_module_that_keeps_its_own_cache_cannot_run_twice():
    class Keeps(Cached):
        def forward(self, ids, cache=None):
            assert cache is None
            return super().forward(ids, self.own)

    model = Keeps().eval()
    object.__setattr__(model, "own", Cache())
    with pytest.raises(InteropError, match="did not compute the same attentions when it ran again"):
        capture(model, IDS[:1], without=[(0, 1)])


# --- numbers -----------------------------------------------------------------------------------------------------


def test_numbers_may_be_tensors_with_one():
    model = Cached().eval()
    two: Any = torch.tensor(2)
    plain = capture(model, IDS, without=[(0, 2)], sample=2)
    for without in ([(0, two)], [At(0, two)], [(0, [two])]):
        assert capture(model, IDS, without=without, sample=two).edits == plain.edits
    rows = capture(model, IDS, without=[At(0, 2, rows=two)])
    assert rows.edits == capture(model, IDS, without=[At(0, 2, rows=2)]).edits
    assert attribute(writer(), IDS, torch.tensor(3)).total == attribute(writer(), IDS, 3).total


@pytest.mark.parametrize("token", [-1, -100, 20, torch.tensor([1, 2]), True])
def test_ids_do_not_count_from_the_end(token):
    with pytest.raises(InteropError, match="token: expected ids from 0 to 19, got "):
        attribute(writer(), IDS, token)


def test_names_in_a_tensor_are_refused():
    names: Any = IDS[0]
    with pytest.raises(InteropError, match="tokens: expected a list of names, one per token, got Tensor"):
        capture(Cached().eval(), IDS, tokens=names)


def test_names_of_keys_that_fit_no_attention_are_refused():
    both = nn.Transformer(8, 2, 1, 1, 16, batch_first=True).eval()
    rows = torch.randn(1, 5, 8), torch.randn(1, 3, 8)
    with pytest.raises(
        InteropError, match=r"context_tokens: 4 were given, but no attention .* that many keys: 5, 3"
    ):
        capture(both, rows, tokens=list("abc"), context_tokens=list("wxyz"))


def test_a_measure_that_is_nan_from_the_start_is_refused():
    with pytest.raises(InteropError, match="measure: it is NaN before anything is changed"):
        sweep(Cached().eval(), IDS, lambda out: out.sum() * torch.nan)
    with pytest.raises(InteropError, match="most: expected 0 or more, got -1"):
        sweep(Cached().eval(), IDS[:1]).most(-1)


# --- padding and samples -------------------------------------------------------------------------------------------


class Tempered(Cached):
    """Scores with a factor for each key, so that how the weights follow from Q and K is not known."""

    def forward(self, ids, attention_mask=None):
        q, k, v = (
            part.unflatten(-1, (3, 4)).transpose(1, 2) for part in self.parts(self.words(ids)).chunk(3, -1)
        )
        scores = q @ k.mT * torch.linspace(0.3, 0.9, ids.shape[1])
        weights = scores.masked_fill(attention_mask[:, None, None] == 0, -torch.inf).softmax(-1)
        return self.say((weights @ v).transpose(1, 2).flatten(2))


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("shape", [(3, 1, 1), (1, 3, 5, 1), (5, 1)])
def test_a_temperature_of_each_head_or_query_is_a_factor_of_its_queries(shape, over):
    factors = torch.rand(shape) + 0.5

    class Tuned(nn.Module):
        def forward(self, x):
            q = x.unflatten(-1, (3, 4)).transpose(1, 2)
            scores = (q @ q.mT) / factors if over else factors * (q @ q.mT)
            self.weights = (scores / 2 + torch.full((5, 5), -torch.inf).triu(1)).softmax(-1)
            return self.weights @ q

    model = Tuned()
    (one,) = capture(model, torch.randn(2, 5, 12), sample=1)
    assert (one.causal, one.scale) == (True, "sqrt_dk")
    assert torch.allclose(one.weights, model.weights[1])
    computed = trace(one.example())["weights"].cpu()
    assert torch.allclose(computed, one.weights.double(), atol=1e-6)


def test_new_weights_on_keys_that_the_mask_hides_have_a_remark():
    model, even = Cached().eval(), torch.full((5, 5), 0.2)
    over = capture(model, IDS[:1, :5], patch={(0, 1): even})
    assert "reach keys that the mask hides" in repr(over.found[0])
    within = capture(model, IDS[:1, :5], patch={(0, 1): even.tril()})
    assert within.found[0].remark == ""


def test_new_queries_under_a_causal_mask_have_no_remark():
    new = capture(Cached().eval(), IDS[:1, :5], patch={(0, 1, "q"): torch.randn(5, 4)})
    assert new.found[0].remark == ""


@pytest.mark.parametrize("flips", [(), (1,)])
def test_padding_is_known_by_weights_of_0_if_the_scores_are_not_known(flips):
    ids = IDS.flip(flips) if flips else IDS
    real, model = (ids != 0).long(), Tempered().eval()
    inputs = {"ids": ids, "attention_mask": real}
    (one,) = capture(model, inputs)
    assert (one.q, one.real.tolist()) == (None, real.bool().tolist())
    changed, given = (
        capture(model, inputs, without=[(0, 1)], by="mean", real=given) for given in (None, real)
    )
    assert torch.equal(changed.after, given.after)
    assert changed.last(2) == (2, int(real[2].nonzero()[-1]))


class Folds(nn.Module):
    """Samples and heads as the axes say: "fold" in one axis, or as two."""

    def __init__(self, *, folds):
        super().__init__()
        self.folds = folds

    def forward(self, x):
        q = x.unflatten(-1, (3, 4)).transpose(1, 2)
        q = q.flatten(0, 1) if self.folds else q
        return functional.scaled_dot_product_attention(q, q, q)


@pytest.mark.parametrize(("folds", "batch"), [(False, 3), (True, 2), (True, 1), (True, 6)])
def test_a_number_of_samples_that_is_not_that_of_the_inputs_is_refused(folds, batch):
    x = torch.randn(4, 5, 12)
    with pytest.raises(
        InteropError, match=f"batch: {batch} is not the number of samples|cannot be {batch} samples"
    ):
        capture(Folds(folds=folds), x, batch=batch)
    (one,) = capture(Folds(folds=folds), x, batch=4)
    assert one.weights.shape == (3, 5, 5)


def test_a_number_of_samples_that_fits_nothing_is_refused_by_its_number():
    with pytest.raises(InteropError, match="12 matrices cannot be 5 samples, as batch= says"):
        capture(Folds(folds=True), torch.randn(4, 5, 12), batch=5)


def test_ids_that_an_embedding_does_not_have_are_answered_with_those_that_it_has():
    model = nn.Sequential(nn.Embedding(9, 4), nn.TransformerEncoderLayer(4, 2, batch_first=True)).eval()
    with pytest.raises(InteropError, match="it takes ids from 0 to 8, and one is 12"):
        capture(model, torch.tensor([[1, 12, 3]]))
