"""A sweep by means and by patches from another run is what ``capture`` gives with the same numbers as a patch."""

import io
import itertools
from typing import Any

import pytest
import torch
from torch import Tensor

from mha_core import InteropError
from mha_core.interop import capture, sweep
from mha_core.interop.running.progress import counted_out
from tests.interop.test_capture import randn
from tests.interop.test_intervene import HEADS, SAMPLES, TOKENS, WAYS, WIDTH, X, apart, hand

OTHER = randn(SAMPLES, TOKENS, HEADS * WIDTH, seed=9)
PLACES = [(index, head) for index in range(2) for head in range(HEADS)]
every_way = pytest.mark.parametrize("way", WAYS)


def logit(out: Tensor) -> Tensor:
    return out[1, -1, 3]


def parts(module, x, part="outputs") -> list[Tensor]:
    """By attention: samples × heads × queries × columns, from a run for each sample."""
    runs = [capture(module, x, sample=sample, batch=len(x)) for sample in range(len(x))]
    return [torch.stack([getattr(one, part) for one in of_samples]) for of_samples in zip(*runs, strict=True)]


def by_patches(module, x, values, part="outputs") -> Tensor:
    """The change of the logit, by a call of ``capture`` for each head."""
    changes = torch.zeros(2, HEADS, dtype=torch.float64)
    for index, head in PLACES:
        own = values[index][:, head].expand(SAMPLES, TOKENS, WIDTH if part == "outputs" else TOKENS)
        changed = capture(module, x, patch={(index, head, part): own}, batch=len(x))
        changes[index, head] = logit(changed.difference)
    return changes


@every_way
def test_by_mean_a_head_has_the_mean_over_the_tokens_of_its_sample(way):
    module = hand(way)
    means = [outputs.mean(2, keepdim=True) for outputs in parts(module, X)]
    swept = sweep(module, X, logit, by="mean", batch=SAMPLES)
    assert apart(swept.values, by_patches(module, X, means)) <= 1e-12
    assert swept.values.abs().min() > 0


def test_by_mean_of_a_reference_a_head_has_the_mean_over_its_samples():
    module, reference = hand(), randn(7, TOKENS, HEADS * WIDTH, seed=8)
    means = [outputs.mean(0, keepdim=True) for outputs in parts(module, reference)]
    swept = sweep(module, X, logit, by="mean", reference=reference)
    assert apart(swept.values, by_patches(module, X, means)) <= 1e-12


@every_way
@pytest.mark.parametrize("part", ["outputs", "weights"])
def test_a_patch_has_a_heads_part_of_the_other_run(way, part):
    module = hand(way)
    swept = sweep(module, X, logit, patch_from=OTHER, part=part, batch=SAMPLES)
    assert apart(swept.values, by_patches(module, X, parts(module, OTHER, part), part)) <= 1e-12


@every_way
@pytest.mark.parametrize("part", ["outputs", "weights"])
def test_a_patch_from_the_same_inputs_changes_nothing(way, part):
    assert sweep(hand(way), X, patch_from=X.clone(), part=part, batch=SAMPLES).values.max() <= 1e-12


def test_normalized_values_are_0_for_the_corrupt_run_and_1_for_the_clean_one():
    module = hand()
    clean, corrupt = (logit(module(x)).item() for x in (X, OTHER))
    noised = sweep(module, X, logit, patch_from=OTHER)
    assert (
        apart(
            sweep(module, X, logit, patch_from=OTHER, clean="inputs").values,
            (noised.values + clean - corrupt) / (clean - corrupt),
        )
        <= 1e-12
    )
    restored = sweep(module, OTHER, logit, patch_from=X)
    assert (
        apart(
            sweep(module, OTHER, logit, patch_from=X, clean="patch_from").values,
            restored.values / (clean - corrupt),
        )
        <= 1e-12
    )


def test_a_head_that_carries_everything_restores_everything():
    """One head whose outputs are all that reaches the measure: 1 in one direction, 0 in the other."""

    class OneHead(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None])[:, 0]

    assert sweep(OneHead(), OTHER, logit, patch_from=X, clean="patch_from").values.item() == pytest.approx(1)
    assert sweep(OneHead(), X, logit, patch_from=OTHER, clean="inputs").values.item() == pytest.approx(0)


SHORT = randn(SAMPLES, TOKENS - 1, HEADS * WIDTH)
WRONG = {
    "patch_from: expected outputs of 2 × 3 × 5 × 4 (samples × heads × tokens × columns) in 0, got 2 × 3 × 4 × 4; "
    "give inputs with as many tokens and samples": {"patch_from": SHORT},
    "patch_from: expected outputs of 2 × 3 × 5 × 4 (samples × heads × tokens × columns) in 0, got 1 × 3 × 5 × 4; "
    "give inputs with as many tokens and samples": {"patch_from": OTHER[:1]},
    "patch_from: expected weights of 2 × 3 × 5 × 5 (samples × heads × tokens × columns) in 0, got 2 × 3 × 4 × 4; "
    "give inputs with as many tokens and samples": {"patch_from": SHORT, "part": "weights"},
    "reference: expected outputs of 1 × 3 × 5 × 4 (samples × heads × tokens × columns) in 0, got 1 × 3 × 4 × 4; "
    "give inputs with as many tokens and samples": {"reference": SHORT, "by": "mean"},
    "by: expected one of zero, mean, got 'median'": {"by": "median"},
    "part: expected one of outputs, weights, got 'values'": {"part": "values"},
    "patch_from: give either a mean or another run to patch from, not both": {"patch_from": X, "by": "mean"},
    'reference: goes with by="mean"': {"reference": X},
    "clean: goes with patch_from=": {"clean": "inputs"},
    "part: goes with patch_from=": {"part": "weights"},
    "clean: normalized values need a measure": {"clean": "inputs", "patch_from": X, "measure": None},
    "clean: the measure is 2 in both runs, so values cannot be normalized": {
        "clean": "inputs",
        "patch_from": OTHER,
        "measure": lambda _: 2,
    },
}


@pytest.mark.parametrize("said", WRONG)
def test_what_does_not_go_together_is_refused(said):
    with pytest.raises(InteropError) as error:
        sweep(hand(), X, **{"measure": logit, **WRONG[said]})
    assert str(error.value) == said


class Measure:
    def __call__(self, out):
        return out[0, -1, 0]


# fmt: off
MEASURED: dict[str, Any] = {
    "": None,
    "logit": logit,
    "Measure": Measure(),
    "out[0, -1, 1]": lambda out: out[0, -1, 1],
    "out[0, -1, 0]": [lambda out: out[0, -1, 0], lambda out: out[0, 1, 0]][0],  # two on one line
    "out[0, 1, 1]": [lambda out: out[0, 0, 1], lambda out: out[0, 1, 1]][1],
    "out[0, 0, 0] - out[0, 0, 1]": (
        lambda out: out[0, 0, 0]
        - out[0, 0, 1]
    ),
}
# fmt: on


@pytest.mark.parametrize("name", MEASURED)
def test_a_sweep_keeps_the_name_of_what_was_measured(name):
    assert sweep(hand(), X, MEASURED[name]).measure == name


def test_a_lambda_without_a_file_has_no_expression():
    assert sweep(hand(), X, eval("lambda out: out[0, 0, 0]")).measure == "<lambda>"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "lines"), [(Terminal, 10), (io.StringIO, 0)])
def test_at_a_terminal_a_line_counts_the_heads_and_goes_again(monkeypatch, stream, lines):
    said = stream()
    monkeypatch.setattr("sys.stderr", said)
    seconds = itertools.count()
    monkeypatch.setattr("mha_core.interop.running.progress.monotonic", lambda: next(seconds))
    assert [*counted_out(range(8), "sweep")] == [*range(8)]
    expected = [*(f"sweep: {done} / 8" for done in range(8)), " " * 12, ""]
    assert said.getvalue().split("\r")[1:] == expected[:lines]


def test_what_is_done_at_once_is_not_counted(monkeypatch):
    monkeypatch.setattr("sys.stderr", said := Terminal())
    assert len([*counted_out(range(1000), "sweep")]) == 1000
    assert said.getvalue() == ""
