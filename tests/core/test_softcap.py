"""Scores that are capped: c·tanh(s ÷ c), where everything that reads the declared steps has it."""

from dataclasses import replace
from math import sqrt, tanh

import pytest
import torch

from mha_core import (
    Cell,
    ExampleError,
    arithmetic,
    built_in,
    derive,
    dump,
    formula,
    parse,
    trace,
    validate,
)
from mha_core.check.check import check
from mha_core.compute.gradients import gradients
from mha_core.example.model import Head
from tests.apply import apply

CAPPED = validate(replace(built_in("programming"), softcap=2.0))
"""Scores of 0 and 2.8284, capped at 2."""


def weights_of(example):
    return torch.tensor(trace(example).values["weights"], dtype=torch.float64)


def test_by_hand():
    """The score 4 of love and I: 4 ÷ √2 = 2.8284; 2·tanh(2.8284 ÷ 2) = 2·0.8884 = 1.7768."""
    assert trace(CAPPED).values["capped_scores"][0][1] == pytest.approx([2 * tanh(sqrt(2)), 0, 0], abs=1e-12)


def test_its_formula_and_the_arithmetic_of_a_cell():
    computed = trace(CAPPED)
    step = next(step for step in computed.steps if step.name == "capped_scores")
    assert formula(step, CAPPED) == "2·tanh(S/√d_k ÷ 2)"
    derived = derive(computed, Cell("capped_scores", 0, 1, 0))
    assert arithmetic(derived) == "2·tanh(2.8284 ÷ 2) ≈ 1.7768"


def test_weights_are_those_of_torch():
    q, k = (torch.tensor(trace(CAPPED).values[name], dtype=torch.float64) for name in "qk")
    scores = q @ k.mT / sqrt(2)
    weights = torch.softmax(2 * torch.tanh(scores / 2), -1)
    torch.testing.assert_close(weights_of(CAPPED), weights, rtol=1e-14, atol=0)


def test_a_large_cap_changes_next_to_nothing_and_a_small_one_makes_the_weights_even():
    plain = weights_of(built_in("programming"))
    far, near = (weights_of(replace(CAPPED, softcap=cap)) for cap in (1e6, 1e-6))
    torch.testing.assert_close(far, plain, rtol=1e-9, atol=0)
    torch.testing.assert_close(near, torch.full((3, 3, 3), 1 / 3, dtype=torch.float64), atol=1e-6, rtol=0)


def test_a_gradient_passes_through_it():
    """d(c·tanh(s/c))/ds = 1 − tanh²(s/c)."""
    cell = Cell("capped_scores", 0, 1, 0)
    slope = gradients(trace(CAPPED), cell)["scaled_scores"][0][1][0]
    assert slope == pytest.approx(1 - tanh(sqrt(2)) ** 2)


def test_the_file_keeps_it_and_files_without_it_stay_as_they_are():
    assert '"softcap":2' in dump(CAPPED)
    assert parse(dump(CAPPED)) == CAPPED
    assert "softcap" not in dump(built_in("programming"))


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (0, "softcap: expected a number from 1e-12 to 1e+12, got 0"),
        (-3, "softcap: expected a number from 1e-12 to 1e+12, got -3"),
        ("30", 'softcap: expected a number, got "30"'),
        (True, "softcap: expected a number, got true"),
    ],
)
def test_an_impossible_cap_is_refused(value, sentence):
    text = dump(CAPPED).replace(
        '"softcap":2', f'"softcap":{value!r}'.replace("'", '"').replace("True", "true")
    )
    with pytest.raises(ExampleError) as error:
        parse(text)
    assert str(error.value) == sentence


def test_a_cap_that_no_head_uses_is_refused():
    given = Head(weights=((0.5, 0.5), (1.0, 0.0)), v=((1.0,), (2.0,)))
    example = replace(CAPPED, tokens=("a", "b"), x=None, heads=(given,), w_o=None, note=None, scale="none")
    with pytest.raises(ExampleError, match="softcap: is not used, since every head starts from its weights"):
        validate(example)


def test_an_edit_sets_it_and_removes_it_with_what_was_claimed_of_it():
    capped = apply(built_in("programming"), {"op": "softcap", "value": 3})
    assert capped.softcap == 3.0
    claiming = apply(
        capped, {"op": "claim", "matrix": "capped_scores", "head": 0, "row": 0, "col": 0, "values": [["1.5"]]}
    )
    plain = apply(claiming, {"op": "softcap", "value": None})
    assert (plain.softcap, plain.claimed) == (None, None)


def test_a_wrong_number_of_it_is_found():
    claim = {"op": "claim", "matrix": "capped_scores", "head": 0, "row": 1, "col": 0}
    right, wrong = (apply(CAPPED, {**claim, "values": [[text]]}) for text in ("1.7768", "1.9"))
    assert check(right).ok
    assert not check(wrong).ok
