"""Draw exercises of each size and measure whether they keep the laws.

Each known mistake that is possible in a drawn exercise is made at its step, alone; all steps are written down at 2
decimals and checked. The same check of normally distributed numbers shows the most that each mistake can do, as in
``mha_core.exercise.laws``: mistakes that it does not distinguish, no drawn numbers can distinguish.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from math import ceil
from statistics import median, quantiles
from time import perf_counter
from typing import Any, NamedTuple

import torch

from mha_core import Example, MhaError, Trace, built_in, trace
from mha_core.check.check import check
from mha_core.compare.replay import possible, replay
from mha_core.edit.matrices import filled
from mha_core.example.model import Head
from mha_core.example.validate import validate
from mha_core.exercise.exercise import askable, exercise, nothing_special
from mha_core.vocabulary import WHOLE_LAYER_STEPS
from tools.mistakes import printed

DECIMALS = 2


def plain(n: int, heads: int = 2) -> Example:
    """n tokens, d_model 3, d_k = d_v = 2, with W_O."""
    numbers = partial(filled, kind="integers")
    every = tuple(Head(numbers(3, 2), numbers(3, 2), numbers(3, 2)) for _ in range(heads))
    tokens = tuple(f"t{i + 1}" for i in range(n))
    return validate(Example("plain", tokens, every, x=numbers(n, 3), w_o=numbers(2 * heads, 3)))


def kinds() -> dict[str, Example]:
    """The sources of exercises: each number of tokens, and one example of each kind."""
    names = ("first", "causal", "padding", "translation", "additive", "bilinear", "cosine", "sinusoidal")
    built = {name: built_in(name) for name in (*names, "rotary", "alibi", "grouped-query")}
    return {f"{n} tokens": plain(n) for n in range(1, 7)} | {"4 heads": plain(4, 4)} | built


class Outcome(NamedTuple):
    """A mistake in an exercise: how many cells of its step are wrong, of how many, and what the check names."""

    changed: int
    cells: int
    names: frozenset[tuple[str, ...]]


def outcomes(example: Example, decimals: int) -> dict[tuple[str, str], Outcome]:
    """The outcome of every known mistake, each made alone."""
    computed, found = trace(example), {}
    for step, label in possible(computed):
        try:
            wrong = replay(computed, label, step)
        except MhaError:  # it leaves nothing to continue with
            continue
        verdict = check(replace(example, claimed=_written(wrong, decimals)))
        names = frozenset(cause.ids for one in verdict.steps.values() for cause in one.causes)
        rows, cols = example.dims.shape(step)
        cells = rows * cols * (1 if step in WHOLE_LAYER_STEPS else sum(map(bool, computed.values[step])))
        found[step, label] = Outcome(sum(one.own for one in verdict.steps[step].wrong), cells, names)
    return found


def _written(computed: Trace, decimals: int) -> dict[str, Any]:
    """Every step, printed as claims."""
    steps = {}
    for name, rows in computed.values.items():
        matrices = [rows] if name in WHOLE_LAYER_STEPS else rows
        steps[name] = [m and torch.tensor(m, dtype=torch.float64) for m in matrices]
    whole = {name: [m for m in matrices if m is not None] for name, matrices in steps.items()}
    claims = printed(whole, decimals)
    for name, matrices in steps.items():  # None stays where a head has no such step
        if name not in WHOLE_LAYER_STEPS:
            left = iter(claims[name])
            claims[name] = tuple(None if m is None else next(left) for m in matrices)
    return claims


@cache
def most(name: str) -> dict[tuple[str, str], Outcome]:
    """The outcomes with normally distributed numbers: the most that each mistake can show."""
    return outcomes(nothing_special(kinds()[name]), 9)


class Measured(NamedTuple):
    """One exercise: rows that are zero, that repeat another, answers that differ of all, the mistakes that apply,
    those of them that change too little, those that are not named as they should be, and the milliseconds it took.
    """

    zero: int
    repeated: int
    distinct: float
    mistakes: int
    small: int
    misnamed: int
    ms: float


def measured(name: str, seed: int) -> Measured:
    """Draw one exercise and measure it."""
    torch.set_num_threads(1)  # as the app does
    source = kinds()[name]
    start = perf_counter()
    example = exercise(source, seed)
    ms = (perf_counter() - start) * 1000
    computed = trace(example)
    blocks = [example.x, example.context or ()]
    blocks += [m for step in ("q", "k", "v", "scores") for m in computed.values[step] if m is not None]
    answers = [
        (step, round(cell, DECIMALS) + 0.0)
        for step in askable(example)[-2:]
        for m in ([computed.values[step]] if step in WHOLE_LAYER_STEPS else computed.values[step])
        for row in m
        for cell in row
    ]
    able, found = most(name), outcomes(example, DECIMALS)
    shown = {made: found.get(made, Outcome(0, one.cells, frozenset())) for made, one in able.items()}
    return Measured(
        zero=sum(not any(row) for block in blocks for row in block),
        repeated=sum(len(block) - len(set(map(tuple, block))) for block in blocks),
        distinct=len(set(answers)) / len(answers),
        mistakes=len(able),
        small=sum(one.changed < min(ceil(one.cells / 3), able[made].changed) for made, one in shown.items()),
        misnamed=sum(not one.names or not one.names <= able[made].names for made, one in shown.items()),
        ms=ms,
    )


def report(seeds: int) -> Iterator[str]:
    """The outcomes by example as Markdown."""
    yield (
        "| | seeds | zero rows | repeated rows | answers that differ, least | median | mistakes "
        "| change < 1/3 | misnamed | ms median | p95 |"
    )
    yield "| --- |" + " ---: |" * 10
    with ProcessPoolExecutor() as pool:
        for name in kinds():
            yield _row(name, list(pool.map(partial(measured, name), range(seeds))))


def _row(name: str, found: list[Measured]) -> str:
    total = Measured(*map(sum, zip(*found, strict=True)))
    ms, distinct = [one.ms for one in found], [one.distinct for one in found]
    cells = [name, len(found), total.zero, total.repeated, f"{min(distinct):.0%}", f"{median(distinct):.0%}"]
    cells += [
        total.mistakes,
        total.small,
        total.misnamed,
        f"{median(ms):.0f}",
        f"{quantiles(ms, n=20)[-1]:.0f}",
    ]
    return f"| {' | '.join(map(str, cells))} |"
