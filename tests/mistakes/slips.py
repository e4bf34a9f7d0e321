"""Plant every slip of the pen on the built-in and on drawn examples, and count how the check names it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from time import perf_counter

from mha_core import Backend, Example, library, trace
from mha_core.check.catalogue import ROUNDED_EARLY
from mha_core.check.check import check
from mha_core.check.outcome import Cause, Verdict
from mha_core.check.search import Search
from mha_core.check.slips import SLIP, SLIPS
from tools.mistakes import GIVEN_STEPS, Planted, drawn, slipped

OUTCOMES = ("alone", "listed", "unknown", "wrong")


def examples(count: int, seed: int = 5) -> Iterator[Example]:
    """The built-in examples and ``count`` drawn ones, with small integers and numbers with one decimal in turn."""
    yield from (replace(example, claimed=None) for example in library().values())
    random = Random(seed)
    yield from (drawn(random, number=_decimal) if n % 2 else drawn(random) for n in range(count))


def _decimal(random: Random) -> float:
    return random.randint(-15, 15) / 10


def planted(count: int, given: str, skip: int = 0) -> Iterator[Planted]:
    """Every slip once in each example, if it changes something."""
    for n, example in enumerate(examples(count)):
        if n < skip:
            continue
        computed = trace(example, Backend("cpu", "float64"))
        search = Search(computed)
        for slip in (slip for slip in SLIPS if slip.alone and not slip.weak):
            random, one = Random(f"{n} {slip.id} {given}"), None
            for _ in range(20):
                decimals = random.choice([2, 3, 4])
                one = slipped(computed, slip, random, decimals, given, search=search)
                search = Search(computed) if search.carried else search
                if one is not None:
                    break
            if one is not None:
                yield one


def named(verdict: Verdict, one: Planted) -> str:
    """alone; listed (among at most three); unknown; wrong (others are named, or a cause elsewhere); unchanged.

    It is also unchanged if rounding on the way explains everything: then it is not a slip.
    """
    causes = [cause for step in verdict.steps.values() for cause in step.causes]
    if any(cause.ids == (ROUNDED_EARLY,) for cause in causes):
        return "unchanged"
    if not causes:
        return "unchanged" if verdict.ok else "unknown"
    here = [cause for cause in causes if _at(cause, one)]
    if one.id not in {label for cause in here for label in cause.ids} or len(here) < len(causes):
        return "wrong"
    return "alone" if len(causes) == 1 else "listed" if len(causes) <= 3 else "unknown"


def _at(cause: Cause, one: Planted) -> bool:
    """Whether a cause names the place of the slip: its row, and for a slip of one cell its column too."""
    head, row, col = one.cell or (None, 0, 0)
    cell = cause.cell
    same = (cell.name, cell.head) == (one.step, head) and row in (cause.rows or (cell.row,))
    whole = one.id in SLIP and SLIP[one.id].whole == "row"
    return same and (whole or not cause.ways or cell.col == col or SLIP[cause.ids[0]].whole == "row")


def report(count: int) -> Iterator[str]:
    """The outcomes by slip as Markdown, for all steps given and for weights and output alone."""
    times = []
    for given in GIVEN_STEPS:
        found: dict[str, Counter[str]] = {}
        for one in planted(count, given):
            start = perf_counter()
            verdict = check(one.example)
            times.append(perf_counter() - start)
            outcome = named(verdict, one)
            for label in (one.id, "all"):
                found.setdefault(label, Counter())[outcome] += outcome != "unchanged"
        yield from (f"\n{given}\n", f"| slip | n | {' | '.join(OUTCOMES)} |", "| --- |" + " ---: |" * 5)
        yield from (_row(label, found[label]) for label in (*SLIP, "all") if label in found)
    yield f"\nms per check: {1000 * sum(times) / len(times):.1f} on average, n {len(times)}"


def _row(label: str, outcomes: Counter[str]) -> str:
    n = outcomes.total()
    return f"| {label} | {n} | " + " | ".join(f"{outcomes[one] / max(n, 1):.1%}" for one in OUTCOMES) + " |"
