"""Examples with one known mistake in their claimed numbers, for measuring what the check finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

import torch
from torch import Tensor

from mha_core import AllowMask, Backend, Example, Head, Positions, trace
from mha_core.check.catalogue import CATALOGUE, ROUNDED_EARLY
from mha_core.check.mistake import Mistake, Site
from mha_core.check.search import Family, Search
from mha_core.check.slip_search import place_at
from mha_core.check.slips import SLIP, SLIPS, Slip
from mha_core.check.transcription import EXCHANGED
from mha_core.compute.graph import early_steps, head_graph, late_steps
from mha_core.compute.operations import Step
from mha_core.compute.printed import Key
from mha_core.compute.trace import Trace, input_matrix, operate
from mha_core.example.band import CORNERS, BandMask, simplest
from mha_core.example.model import Mask
from mha_core.example.validate import validate
from mha_core.vocabulary import HIDES, STEPS, WHOLE_LAYER_STEPS

ALONE = tuple(slip.id for slip in SLIPS if slip.alone)
"""Slips that can be made in one cell or one row."""

IDS = tuple(dict.fromkeys([ROUNDED_EARLY, *(mistake.id for mistake in CATALOGUE), EXCHANGED, *ALONE]))
"""Every mistake that can be planted."""

PAIRED = {
    "paired_as_neighbours": Positions("rotary", pairs="half"),
    "paired_as_halves": Positions("rotary"),
}
"""The positions that a mistake needs."""

GIVEN_STEPS = {"all": None, "weights and output": ("weights", "output", "concat")}
"""Which steps have claims: all, or the weights and the last one."""


@dataclass(frozen=True)
class Planted:
    """An example whose claims contain one mistake; ``step`` and ``cell`` say where, for a slip of the pen."""

    example: Example
    id: str
    step: str = ""
    cell: tuple[int | None, int, int] | None = None


def planted(label: str, random: Random, given: str = "all", example: Example | None = None) -> Planted | None:
    """A random small-integer example (or this one) with this mistake; None where it cannot be made in it."""
    example = example or drawn(random, label)
    decimals = random.choice([2, 3, 4])
    if label in SLIP or label == EXCHANGED:
        return slipped(trace(example, Backend("cpu", "float64")), SLIP.get(label), random, decimals, given)
    steps = None
    if label == ROUNDED_EARLY:
        steps = computed(example, decimals=decimals)
    else:
        entry = random.choice([mistake for mistake in CATALOGUE if mistake.id == label])
        if random.random() < 0.5 and label != "q_k_swapped":  # at one step instead of wherever it can be made
            entry = replace(entry, steps=(random.choice(entry.steps),))
        steps = computed(example, entry, random)
    if steps is None:
        return None
    return Planted(replace(example, claimed=printed(_claimed_steps(example, steps, given), decimals)), label)


def drawn(
    random: Random,
    label: str = "",
    number: Callable[[Random], float] = lambda random: float(random.randint(-3, 3)),
) -> Example:
    """A random example, by default in small integers, in which the mistake can probably be made."""
    h, n, d_model = random.choice([1, 2, 2, 3]), random.randint(2, 4), random.randint(2, 4)
    d_k = random.choice([2, 3, 4, d_model])
    d_v = d_k if label in ("v_from_k",) else random.choice([2, 3, d_model])
    if label == "k_not_transposed":
        d_k = n
    if label in PAIRED:
        d_k = 4
    if label == "scores_times_v":
        d_v = n
    if label in ("weight_transposed", "v_not_projected"):
        d_k = d_v = d_model
    if label in ("heads_interleaved", "heads_reordered", "other_head", "heads_averaged"):
        h = random.choice([2, 3])
    n = max(n, 3) if label.startswith("window") else n
    crossed = label in ("x_for_context", "mask_other_corner") or random.random() < 0.15
    others = [size for size in (2, 3, 4) if size != n or label != "mask_other_corner"]
    n_k = n if not crossed or label == "x_for_context" else random.choice(others)
    masked = label.startswith(("mask", "window")) or random.random() < 0.2
    d_out = {"w_o_left_out": h * d_v, "w_o_transposed": h * d_v}.get(label, random.randint(2, 4))
    projected = label in ("w_o_left_out", "w_o_transposed", "heads_averaged") or (
        label not in ("heads_interleaved", "heads_reordered") and random.random() < 0.5
    )
    biases = label == "bias_forgotten" or random.random() < 0.15
    scale = "none" if label == "scaled_anyway" else 2.5 if label == "divided_by_sqrt_dk" else "sqrt_dk"

    def matrix(rows: int, cols: int) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(number(random) for _ in range(cols)) for _ in range(rows))

    def bias(size: int) -> tuple[float, ...] | None:
        return matrix(1, size)[0] if biases else None

    heads = []
    for _ in range(h):
        w_q, w_k = matrix(d_model, d_k), matrix(d_model, d_k)
        if label == "zero_row":
            w_q = tuple(tuple(0.0 for _ in row) for row in w_q)
        b_q, b_k, b_v = (None if label == "zero_row" else bias(size) for size in (d_k, d_k, d_v))
        sink = (number(random),) if label == "sink_forgotten" else None
        heads.append(Head(w_q, w_k, matrix(d_model, d_v), b_q, b_k, b_v, sink=sink))
    return validate(
        Example(
            title=label,
            tokens=tuple(f"t{i}" for i in range(n)),
            heads=tuple(heads),
            x=matrix(n, d_model),
            context=matrix(n_k, d_model) if crossed else None,
            w_o=matrix(h * d_v, d_out) if projected else None,
            b_o=bias(d_out) if projected else None,
            scale=scale,  # type: ignore[arg-type]  # one of the three kinds
            mask=_mask(random, n, n_k, label) if masked else None,
            positions=PAIRED.get(label),
        )
    )


def _mask(random: Random, n_q: int, n_k: int, label: str) -> Mask:
    by_position = {
        "mask_other_corner": BandMask(random.choice([None, 2]), True, random.choice(CORNERS)),
        "window_forgotten": BandMask(random.randint(1, 2), True),
        "window_off_by_one": BandMask(random.randint(1, 2), random.random() < 0.7),
    }
    if label in by_position:
        return simplest(by_position[label])
    if random.random() < 0.6:
        return "causal"
    rows = [[random.random() < 0.7 for _ in range(n_k)] for _ in range(n_q)]
    for row in rows:
        row[random.randrange(n_k)] = True
    return AllowMask(tuple(tuple(row) for row in rows))


Claims: TypeAlias = "dict[str, tuple[object, ...]]"
"""Claims by step, as ``Example.claimed`` has them."""
Steps: TypeAlias = dict[tuple[str, "int | None"], Tensor]


def computed(
    example: Example, entry: Mistake | None = None, random: Random | None = None, decimals: int | None = None
) -> Steps | None:
    """Every step, in full precision or rounded at each step, with a mistake in every head where it can be made.

    None where it can be made in no head.
    """
    run = _Run(example, entry, random or Random(0), decimals)
    for step in early_steps(example):
        run.step(step, None)
    for g, head in enumerate(
        example.heads
    ):  # projections of every head first: mistakes reach for other heads'
        for step in head_graph(example, head):
            if step.name in ("q", "k", "v"):
                run.step(step, g)
    for g, head in enumerate(example.heads):
        for step in head_graph(example, head):
            if step.name not in ("q", "k", "v"):
                run.step(step, g)
    for step in late_steps(example):
        run.step(step, None)
    return run.steps if run.has_mistake or entry is None else None


class _Run:
    """One pass through the declared steps, with a mistake wherever it can be made."""

    def __init__(
        self, example: Example, entry: Mistake | None, random: Random, decimals: int | None = None
    ) -> None:
        self.example, self.entry, self.random, self.decimals = example, entry, random, decimals
        self.steps: Steps = {}
        self.has_mistake = False

    def numbers(self, name: str, head: int | None) -> Tensor | None:
        """A step's numbers so far, or an input, 1 × rows × columns."""
        for key in ((name, head), (name, None)):
            if key in self.steps:
                return self.steps[key][None]
        rows = input_matrix(self.example, name, head) or input_matrix(self.example, name)
        return None if rows is None else torch.tensor([rows], dtype=torch.float64)

    def tensors(self, step: Step, head: int | None) -> dict[str, Tensor]:
        """A step's operands."""
        if step.gathers:
            heads = [self.steps[step.gathers, g] for g in range(len(self.example.heads))]
            return {step.gathers: torch.stack(heads)[None]}
        return {
            name: numbers for name in step.operand_names if (numbers := self.numbers(name, head)) is not None
        }

    def step(self, step: Step, head: int | None) -> None:
        """Run one step, correctly or with the mistake."""
        tensors = self.tensors(step, head)
        result = operate(step, tensors, self.example)
        if self.entry is not None and step.name in self.entry.steps:
            at = Site(step, head, tensors, self.example, self.example.dims, self.numbers)
            ways = [way for way in self.entry.wrong(at) if way.shape[-2:] == result.shape[-2:]]
            if ways:
                result, self.has_mistake = self.random.choice(ways), True
        rounded = result[0] if self.decimals is None else torch.round(result[0], decimals=self.decimals)
        self.steps[step.name, head] = rounded


def _claimed_steps(example: Example, steps: Steps, given: str) -> dict[str, list[Tensor]]:
    """The steps that have claims, by name, in order."""
    names = GIVEN_STEPS[given]
    claimed: dict[str, list[Tensor]] = {}
    for step in trace(example).steps:
        last = "output" if example.w_o else "concat"
        if names is None or (step.name in names and step.name in ("weights", last)):
            claimed[step.name] = [steps[key] for key in steps if key[0] == step.name]
    return claimed


def printed(steps: dict[str, list[Tensor]], decimals: int) -> Claims:
    """Claims as a person writes them."""

    def cell(number: float) -> str:
        return "-inf" if number == float("-inf") else f"{number:.{decimals}f}"

    def matrix(tensor: Tensor) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(cell(number) for number in row) for row in tensor.tolist())

    return {
        name: matrix(tensors[0]) if name in WHOLE_LAYER_STEPS else tuple(map(matrix, tensors))
        for name, tensors in steps.items()
    }


def slipped(
    computed: Trace,
    slip: Slip | None,
    random: Random,
    decimals: int,
    given: str = "all",
    *,
    hidden: bool = False,
    search: Search | None = None,
) -> Planted | None:
    """A slip (None: two cells exchanged) at one place of a claimed step, with every later step computed from it.

    Later steps are computed from the rounded claims or in full precision. None where the slip would change no claim.
    ``hidden``: make it in a step without claims. ``search``: an unused search of the same trace.
    """
    search = search or Search(computed)
    exact = {key: values for key in search.steps if (values := search.exact(key)) is not None}
    claimed = sorted(
        _claimed_keys(computed.example, exact, given), key=lambda key: (STEPS.index(key[0]), key[1] or 0)
    )
    candidates = [
        key for key in (exact if hidden else claimed) if key[0] not in HIDES and (key in claimed) != hidden
    ]
    key = random.choice(candidates)
    rounded = random.random() < 0.5
    before = torch.round(exact[key], decimals=decimals) if rounded else exact[key]
    numbers = before.clone()
    i, j = (random.randrange(size) for size in numbers.shape)
    if slip is None:
        k, m = (random.randrange(size) for size in numbers.shape)
        numbers[i, j], numbers[k, m] = before[k, m], before[i, j]
    else:
        j = 0 if slip.whole == "row" else j
        ways = list(slip.ways(place_at(search, key, i, j, decimals)))
        if not ways:
            return None
        cols = slice(None) if slip.whole == "row" else slice(j, j + 1)
        numbers[i, cols] = torch.tensor(random.choice(ways).numbers, dtype=torch.float64)
    if rounded:
        numbers = torch.round(numbers, decimals=decimals)
    moved = ((numbers - before).abs() > 1.6 * 10.0**-decimals).nonzero().tolist()
    if not moved or not bool(numbers.isfinite().all()):
        return None
    for other, values in exact.items() if rounded else ():
        if other[0] == key[0]:
            search.carry({other: Family([()], torch.round(values, decimals=decimals)[None])})
    search.carry({key: Family([()], numbers[None])})
    results = {other: numbers if other == key else search.family(other, 0).values[0] for other in claimed}
    if hidden and not any(
        ((results[other] - exact[other]).abs() > 2 * 10.0**-decimals).any() for other in claimed
    ):
        return None
    claims = _claims(computed.example, results, decimals)
    return Planted(
        replace(computed.example, claimed=claims), slip.id if slip else EXCHANGED, key[0], (key[1], *moved[0])
    )


def _claimed_keys(example: Example, keys: Iterable[Key], given: str) -> list[Key]:
    """The matrices that have claims: all, or the weights and the last ones."""
    names = GIVEN_STEPS[given]
    last = "output" if example.w_o else "concat"
    return [key for key in keys if names is None or (key[0] in names and key[0] in ("weights", last))]


def _claims(example: Example, results: Mapping[Key, Tensor], decimals: int) -> Claims:
    """Claims as a person writes them; None for a head without such a step."""
    heads = range(len(example.heads))
    claims: Claims = {}
    for name in dict.fromkeys(name for name, _ in results):
        if name in WHOLE_LAYER_STEPS:
            claims |= printed({name: [results[name, None]]}, decimals)
        else:
            parts = [
                printed({name: [results[name, g]]}, decimals)[name][0] if (name, g) in results else None
                for g in heads
            ]
            claims[name] = tuple(parts)
    return claims


def many(label: str, count: int, given: str, seed: int = 0) -> Iterator[Planted]:
    """``count`` examples with this mistake."""
    random, missing = Random(f"{label} {given} {seed}"), count
    for _ in range(count * 200):
        if not missing:
            return
        example = planted(label, random, given)
        if example is not None:
            missing -= 1
            yield example
