"""The sequence of attentions that ``capture`` returns, and the samples that it keeps beside the one asked for."""

import pytest
import torch
from torch import nn

from mha_core.interop import capture
from mha_core.interop.running import one_sample

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
    assert list(found.samples) == [0, 1, 2]
    assert found.samples[1] == found
    for number, attentions in found.samples.items():
        for ours, theirs in zip(attentions, capture(MODEL, ROWS, sample=number), strict=True):
            assert ours.sample == theirs.sample == number
            for name in ("q", "k", "v", "weights", "outputs"):
                assert torch.equal(getattr(ours, name), getattr(theirs, name))


def test_names_of_tokens_are_those_of_the_sample_that_was_asked_for(found):
    assert found.samples[1][0].tokens == tuple("abcd")
    assert found.samples[0][0].tokens == tuple("1234")


def test_samples_are_kept_only_while_they_are_small(monkeypatch):
    one = 2 * 4 * (4 + 4 + 4)
    monkeypatch.setattr(one_sample, "MOST_KEPT", one)
    assert list(capture(MODEL, ROWS, sample=2).samples) == [0, 2]
    monkeypatch.setattr(one_sample, "MOST_KEPT", one - 1)
    assert list(capture(MODEL, ROWS, sample=2).samples) == [2]


def test_each_sample_has_its_own_replaced_weights():
    weights = torch.rand(3, 4, 4, generator=torch.Generator().manual_seed(1))
    changed = capture(MODEL, ROWS, patch={(1, 0): weights}, without=[(2, 1)])
    for number, attentions in changed.found.samples.items():
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
