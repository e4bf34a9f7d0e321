"""The sequence of attentions that ``capture`` returns, and the samples that it keeps beside the one asked for."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from mha_core import InteropError, trace
from mha_core.example.model import AddMask
from mha_core.interop import capture
from mha_core.interop.running import one_sample
from tests.interop.test_capture import randn

MODEL = nn.TransformerEncoder(
    nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 3, enable_nested_tensor=False
).eval()
ROWS = torch.randn(3, 4, 8, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def found():
    return capture(MODEL, ROWS, list("abcd"), sample=1)


def test_it_is_used_as_a_list(found):
    first, *_, last = found
    assert (found[0], found[-1], len(found), last in found) == (first, last, 3, True)
    assert found == list(found) == [*found[:1], *found[1:]] != found[1:]
    assert hash(found) == hash(found[:])
    assert repr(found) == repr(list(found))
    assert found != 3


def test_other_samples_are_those_that_a_call_for_them_gives(found):
    assert found.samples.numbers == (0, 1, 2)
    assert found.samples[1] == found
    for number, attentions in enumerate(found.samples):
        for ours, theirs in zip(attentions, capture(MODEL, ROWS, sample=number), strict=True):
            assert ours.sample == theirs.sample == number
            for name in ("q", "k", "v", "weights", "outputs"):
                assert torch.equal(getattr(ours, name), getattr(theirs, name))


def test_an_attention_is_found_by_name_as_a_patch_finds_it(found):
    assert found["layers.1"] is found["layers.1.self_attn"] is found[1]
    with pytest.raises(InteropError, match="found: “layers” fits 3 attentions; use more of the name"):
        found["layers"]
    with pytest.raises(InteropError, match=r"found: no attention called “layers\.3” was seen"):
        found["layers.3"]


@pytest.mark.parametrize("number", [3, -4, "9", 1.5])
def test_an_attention_that_is_not_there_is_refused_in_words(found, number):
    with pytest.raises(
        InteropError, match=r"found: (expected attentions from 0 to 2, got|no attention called)"
    ):
        found[number]


def test_a_number_beyond_the_last_is_an_index_error_for_python_too(found):
    with pytest.raises(IndexError):
        found[3]
    with pytest.raises(IndexError):
        found.samples[3]


def test_samples_are_passed_through_one_after_the_other(found):
    outputs = [one[1].outputs[1] for one in found.samples]
    assert len(outputs) == len(found.samples) == 3
    assert torch.equal(torch.stack(outputs), found[1].stacked("outputs")[:, 1])
    assert repr(found.samples) == "samples 0, 1, 2 of 3"


@pytest.mark.parametrize(("number", "said"), [(3, "got 3"), (-4, "got -4"), ("a", "got 'a'")])
def test_a_sample_beyond_the_batch_is_refused(found, number, said):
    with pytest.raises(InteropError) as error:
        found.samples[number]
    assert str(error.value) == f"samples: expected samples from 0 to 2, {said}"


def test_a_sample_that_was_not_kept_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(one_sample, "MOST_KEPT", 1)
    large = capture(MODEL, ROWS, sample=-1)
    assert large.samples[-1] == large
    with pytest.raises(InteropError, match=r"sample 0 was not kept, .* capture it with sample=0"):
        large.samples[0]
    with pytest.raises(InteropError, match="self_attn: only 1 of 3 samples of this attention were kept"):
        large[0].stacked("weights")


@pytest.mark.parametrize("part", ["weights", "outputs", "q", "k", "v"])
def test_a_part_of_all_samples_has_them_in_order(found, part):
    stacked = found[2].stacked(part)
    for number in range(3):
        assert torch.equal(stacked[number], getattr(capture(MODEL, ROWS, sample=number)[2], part))
    with pytest.raises(InteropError, match="part: expected one of weights, outputs, q, k, v, got 'keys'"):
        found[2].stacked("keys")


def test_a_head_of_another_batch_is_patched_sample_by_sample(found):
    others = capture(MODEL, ROWS.flip(0))
    changed = capture(MODEL, ROWS, patch={(1, 0, "outputs"): others[1].stacked("outputs")[:, 0]})
    assert torch.equal(changed.found[1].stacked("outputs")[:, 0], found[1].stacked("outputs").flip(0)[:, 0])


def test_names_of_tokens_are_those_of_the_sample_that_was_asked_for(found):
    assert found.samples[1][0].tokens == tuple("abcd")
    assert found.samples[0][0].tokens == tuple("1234")


def test_samples_are_kept_only_while_they_are_small(monkeypatch):
    one = 2 * 4 * (4 + 4 + 4)
    monkeypatch.setattr(one_sample, "MOST_KEPT", one)
    assert capture(MODEL, ROWS, sample=2).samples.numbers == (0, 2)
    monkeypatch.setattr(one_sample, "MOST_KEPT", one - 1)
    assert capture(MODEL, ROWS, sample=2).samples.numbers == (2,)


def test_each_sample_has_its_own_replaced_weights():
    weights = torch.rand(3, 4, 4, generator=torch.Generator().manual_seed(1))
    changed = capture(MODEL, ROWS, patch={(1, 0): weights}, without=[(2, 1)])
    for number, attentions in enumerate(changed.found.samples):
        assert torch.equal(attentions[1].weights[0], weights[number])
        assert (attentions[1].new_weights, attentions[2].new_outputs) == ((0,), (1,))
        assert not attentions[2].outputs[1].any()


def test_without_a_package_that_shows_it_a_notebook_has_the_text(found, monkeypatch):
    class Missing:
        def load(self):
            raise ModuleNotFoundError("rjsmin")

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for installed in ([], [Missing()]):
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group, installed=installed: installed)
        assert found._repr_html_() is None


def test_a_notebook_shows_what_the_installed_package_makes_of_it(found, monkeypatch):
    class Package:
        def load(self):
            return lambda shown: f"<p>{type(shown).__name__}</p>"

    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [Package()] * (group == "mha_core.heads")
    )
    assert found._repr_html_() == "<p>Attentions</p>"
    assert found[0]._repr_html_() == "<p>Captured</p>"
    assert capture(MODEL, ROWS, without=[(0, 0)])._repr_html_() == "<p>Changed</p>"


class Heads(nn.Module):
    """Four heads of queries with as many as ``shared`` of keys and values, and numbers that are added to the scores."""

    def __init__(self, added: torch.Tensor, shared: int = 4):
        super().__init__()
        self.added = added
        self.shared = shared

    def forward(self, x):
        q = x.view(*x.shape[:2], 4, 2).transpose(1, 2)
        kv = q[:, : self.shared]
        return nn.functional.scaled_dot_product_attention(q, kv, kv, self.added, enable_gqa=True)


LATER = torch.ones(4, 4).triu(1)


@pytest.mark.parametrize("fill", [-1e3, -1e4, -1e9, -torch.inf])
def test_a_mask_that_leaves_later_keys_no_weight_is_causal_whatever_its_numbers(fill):
    (one,) = capture(Heads(torch.zeros(4, 4).masked_fill(LATER.bool(), fill)), ROWS)
    assert (one.causal, one.mask) == (True, None)
    assert not one.weights.triu(1).any()
    assert repr(one) == "Heads: 4 heads, 4 queries, 4 keys, causal"
    assert one.example().mask == "causal"


def test_numbers_that_leave_some_weight_are_added_to_the_scores():
    """With scores of 600, a key is not hidden by −1,000."""
    for added, rows in ((-5.0, ROWS), (-1e3, ROWS * 20)):
        (one,) = capture(Heads(LATER * added), rows)
        assert not one.causal
        assert one.mask is None
        assert torch.equal(one.bias, LATER * added)
        assert repr(one).endswith("4 keys, numbers added to its scores")


@pytest.mark.parametrize("fill", [-1e4, torch.finfo(torch.float32).min, -torch.inf])
def test_a_mask_that_was_added_to_a_bias_is_known_apart_from_it(fill):
    """As T5 does, whose mask and relative positions are one tensor."""
    bias, padding = randn(4, 4, seed=3).float(), torch.tensor([False, False, False, True])
    later = LATER.bool()
    cases = (("causal", later, None), ("masked", padding.expand(4, 4), ~padding.expand(4, 4)))
    for said, hidden, mask in cases:
        (one,) = capture(Heads(bias.masked_fill(hidden, fill)), ROWS)
        assert repr(one) == f"Heads: 4 heads, 4 queries, 4 keys, {said}, numbers added to its scores"
        assert one.causal is (mask is None)
        assert mask is None or torch.equal(one.mask, mask)
        assert torch.equal(one.bias, bias.masked_fill(hidden, 0))
        assert torch.equal(one.added, bias.masked_fill(hidden, -torch.inf))
        example = one.example()
        assert isinstance(example.mask, AddMask)
        assert torch.equal(torch.tensor(example.mask.add) == -torch.inf, hidden)
        assert (trace(example)["weights"].cpu() - one.weights).abs().max() < 1e-6


def test_a_row_that_adds_the_same_to_every_key_hides_nothing():
    (one,) = capture(Heads(torch.zeros(4, 4).index_fill(0, torch.tensor([1]), -1e4)), ROWS)
    assert one.weights.sum(-1).min() > 0.99


def test_the_text_form_says_which_heads_share_keys_and_what_is_masked():
    allow = torch.tensor([True, False, True, True]).expand(4, 4)
    (one,) = capture(Heads(allow, shared=2), ROWS)
    assert repr(one) == "Heads: 4 heads (2 of keys and values), 4 queries, 4 keys, masked"
    assert one.stacked("k").shape == (3, 2, 4, 2)


def test_samples_whose_scores_are_not_known_are_named():
    one = capture(nn.MultiheadAttention(4, 2, batch_first=True).eval(), (torch.randn(3, 5, 4),) * 3)[0]
    some = replace(one, batch={1: replace(one.batch[1], q=None, k=None), 2: one.batch[2]})
    with pytest.raises(InteropError, match="in sample 1, so there is no q of all"):
        some.stacked("q")
