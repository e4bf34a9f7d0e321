"""Numbers that a library printed in float32 are right as far as float32 arithmetic allows, and no further."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import torch

from mha_core import Example, Head, validate
from mha_core.check.check import check
from mha_core.check.float32 import Float32Error
from mha_core.check.invariants import invariants
from mha_core.check.report import as_json
from mha_core.check.search import Search
from mha_core.check.summary import summary
from mha_core.compute.printed import claimed
from mha_core.compute.trace import trace
from tests.core.answers import with_cell
from tests.sizes import lengthened

_NUMBER = re.compile(r"-?inf|[-+]?\d[\d.]*(?:e[-+]?\d+)?")


@pytest.mark.parametrize("library", ["numpy", "torch", "sdpa"])
def test_no_number_that_a_float32_library_printed_is_called_wrong(library):
    for seed in range(lengthened(6)):
        example = table(library, seed)
        verdict = check(example)
        assert verdict.ok, seed
        assert not any(step.doubtful or step.causes or step.unexplained for step in verdict.steps.values())
        assert not invariants(verdict.trace), seed


def test_a_digit_that_float32_does_not_explain_is_wrong():
    """A weight printed with 8 digits, 3·10⁻⁶ too large: float32 is off by less than a tenth of that."""
    example = table("torch", 5, decimals=8)
    weight = (example.claimed or {})["weights"][0][0][0]
    wrong = with_cell(example, "weights", 0, 0, 0, f"{float(weight) + 3e-6:.8f}")
    assert [tuple(error.cell) for error in check(wrong).steps["weights"].wrong] == [("weights", 0, 0, 0)]


def test_the_bound_is_close_to_the_errors_of_float32():
    """A bound a thousand times as large would accept numbers that no library prints."""
    largest = 0.0
    for seed in range(10):
        example = table("torch", seed, decimals=8)
        search = Search(trace(example))
        errors = Float32Error(search)
        for key, claim in claimed(example).items():
            exact = search.exact(key)
            off = (claim.numbers - exact).abs() / (errors.of(key) + claim.unit / 2)
            largest = max(largest, float(off[exact.isfinite()].max()))
    assert 0.05 < largest <= 1


def test_an_integer_computation_at_two_decimals_is_judged_as_before():
    head = Head(w_q=((1.0, 2.0),) * 2, w_k=((3.0, 1.0),) * 2, w_v=((1.0, 1.0),) * 2)
    example = Example(
        "", ("a", "b"), (head,), x=((1.0, 2.0), (3.0, 4.0)), claimed={"q": ((("3.02", "6"), ("7", "14")),)}
    )
    assert not check(validate(example)).ok


def test_float32_is_named_in_the_sentence_and_in_the_report():
    verdict = check(table("torch", 1, decimals=8))
    assert "of them, the last digits are those of float32 arithmetic." in summary(verdict, "en")
    assert "float32" in summary(verdict, "zh")
    report = as_json(verdict)
    assert any("float32" in step for step in report["steps"].values())
    assert report["ok"]


# --- random tables -----------------------------------------------------------------------------------------------


def table(library: str, seed: int, decimals: int | None = None) -> Example:
    """A random layer whose steps this library has computed in float32 and printed with 4 to 8 digits."""
    random, rng = Random(seed), np.random.default_rng(seed)
    n, d, h = random.randint(2, 7), random.choice([2, 3, 5, 16]), random.choice([1, 1, 2, 3])
    d_k, d_v, spread = random.choice([2, 3, 4, 8]), random.choice([2, 3, 4]), random.choice([0.3, 1, 1, 3])
    causal, biased, last = (random.random() < 0.4 for _ in range(3))

    def matrix(*shape: int) -> np.ndarray:
        return (rng.normal(size=shape) * spread).astype(np.float32)

    x, w_o = matrix(n, d), matrix(h * d_v, d) if last else None
    heads = [
        {f"w_{name}": matrix(d, size) for name, size in (("q", d_k), ("k", d_k), ("v", d_v))}
        for _ in range(h)
    ]
    for head in heads if biased else ():
        head |= {f"b_{name}": matrix(head[f"w_{name}"].shape[1]) for name in "qkv"}
    with torch.inference_mode():
        steps = (_in_numpy if library == "numpy" else _in_torch)(x, heads, w_o, causal, library)
    example = Example(
        title="",
        tokens=tuple(f"t{i}" for i in range(n)),
        heads=tuple(Head(**{name: _plain(array) for name, array in head.items()}) for head in heads),
        x=_plain(x),
        w_o=None if w_o is None else _plain(w_o),
        mask="causal" if causal else None,
    )
    kept = [name for name in steps if decimals or random.random() < 0.8] or list(steps)
    digits = decimals or random.randint(4, 8)
    shown = {name: _shown(steps[name], library, digits) for name in kept}
    return validate(replace(example, claimed=shown))


def _in_numpy(x, heads, w_o, causal, library):
    scale = np.float32(np.sqrt(heads[0]["w_q"].shape[1]))
    steps: dict[str, list] = {}
    for head in heads:
        q, k, v = (x @ head[f"w_{name}"] + head.get(f"b_{name}", np.float32(0)) for name in "qkv")
        scores = q @ k.T
        scaled = scores / scale
        masked = np.where(np.tri(len(x), dtype=bool), scaled, np.float32(-np.inf)) if causal else scaled
        powers = np.exp(masked - masked.max(-1, keepdims=True))
        weights = powers / powers.sum(-1, keepdims=True)
        _note(steps, q, k, v, scores, scaled, masked, weights, weights @ v)
    return _layer(steps, np.stack, lambda rows: np.concatenate(rows, -1), w_o, causal)


def _in_torch(x, heads, w_o, causal, library):
    x, w_o = torch.from_numpy(x), None if w_o is None else torch.from_numpy(w_o)
    steps: dict[str, list] = {}
    for head in ({name: torch.from_numpy(array) for name, array in head.items()} for head in heads):
        q, k, v = (
            torch.nn.functional.linear(x, head[f"w_{name}"].T.contiguous(), head.get(f"b_{name}"))
            for name in "qkv"
        )
        scores = q @ k.T
        scaled = scores / q.shape[-1] ** 0.5
        hidden = ~torch.ones(len(x), len(x), dtype=torch.bool).tril()
        masked = scaled.masked_fill(hidden, float("-inf")) if causal else scaled
        weights = masked.softmax(-1)
        outputs = weights @ v
        if library == "sdpa":
            fused = torch.nn.functional.scaled_dot_product_attention
            outputs = fused(q[None, None], k[None, None], v[None, None], is_causal=causal)[0, 0]
        _note(steps, q, k, v, scores, scaled, masked, weights, outputs)
    return _layer(steps, torch.stack, lambda rows: torch.cat(rows, -1), w_o, causal)


_NAMES = ("q", "k", "v", "scores", "scaled_scores", "masked_scores", "weights", "head_outputs")


def _note(steps, *matrices):
    for name, array in zip(_NAMES, matrices, strict=True):
        steps.setdefault(name, []).append(array)


def _layer(steps, stack, beside, w_o, causal):
    concat = beside(steps["head_outputs"])
    output = {} if w_o is None else {"output": concat @ w_o}
    names = [name for name in steps if causal or name != "masked_scores"]
    return {name: stack(steps[name]) for name in names} | {"concat": concat} | output


def _plain(array):
    """Numbers as the library prints them, so that the example has no more digits than float32."""
    rows = [[float(str(number)) for number in row] for row in np.atleast_2d(array)]
    return tuple(rows[0]) if array.ndim == 1 else tuple(map(tuple, rows))


def _shown(numbers, library, digits):
    """The numbers in the library's printed text."""
    if library == "numpy":
        with np.printoptions(precision=digits, threshold=10**6):
            text = str(numbers)
    else:
        torch.set_printoptions(precision=digits, threshold=10**6)
        text = str(numbers).partition("(")[2]
        torch.set_printoptions(profile="default")
    cells = iter(_NUMBER.findall(text))

    def rows(shape):
        return next(cells) if not shape else tuple(rows(shape[1:]) for _ in range(shape[0]))

    return rows(numbers.shape)
