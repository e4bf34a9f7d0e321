"""Extreme but legal examples through every route: ``python -m tests.extremes 10000 [--processes 2]``.

``--minutes 20`` starts no further examples after that time.

Prints the kinds of examples, the typed errors, any other fault with the seed that repeats it
(``python -m tests.extremes --seed 7 --route check``), and the slowest routes. Times are CPU times, since the machine
may have other work.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from random import Random
from time import perf_counter, process_time, time

import torch

from mha_core.errors import MhaError
from tests.extremes.draw import KINDS, combination_of, drawn, kinds_of
from tests.extremes.routes import ROUTES, unsound

MOST_LISTED = 12
"""How many seeds of a fault, and how many slow routes, are listed."""
MOST_SECONDS = 2.0
"""How much CPU time a route may take, whatever the size of the example."""
_BATCH = 10


@dataclass
class Results:
    """The results of some examples."""

    examples: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    combinations: set[tuple[str, ...]] = field(default_factory=set)
    walked: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    slow: Counter[str] = field(default_factory=Counter)
    typed: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    slowest: list[tuple[float, str, int]] = field(default_factory=list)

    def add(self, other: Results) -> None:
        """Add the results of another batch."""
        self.examples += other.examples
        self.combinations |= other.combinations
        for name in ("kinds", "walked", "slow", "typed"):
            getattr(self, name).update(getattr(other, name))
        for route, taken in other.seconds.items():
            self.seconds[route] = self.seconds.get(route, 0.0) + taken
        for fault, seeds in other.faults.items():
            self.faults.setdefault(fault, []).extend(seeds)
        self.slowest = sorted([*self.slowest, *other.slowest], reverse=True)[:MOST_LISTED]


def run(seeds: range, routes: tuple[str, ...] = tuple(ROUTES)) -> Results:
    """Send the examples of these seeds through these routes."""
    results = Results()
    for seed in seeds:
        example = drawn(Random(seed))
        results.examples += 1
        results.kinds.update(kinds_of(example))
        results.combinations.add(combination_of(example))
        for route in routes:
            begin = process_time()
            for fault in _faults_of(route, seed, results):
                results.faults.setdefault((route, fault), []).append(seed)
            taken = process_time() - begin
            results.walked[route] += 1
            results.slow[route] += taken > MOST_SECONDS
            results.seconds[route] = results.seconds.get(route, 0.0) + taken
            results.slowest = sorted([*results.slowest, (taken, route, seed)], reverse=True)[:MOST_LISTED]
    return results


def _faults_of(route: str, seed: int, results: Results) -> Iterator[str]:
    """The faults of one route; a typed error is counted and is not a fault."""
    random = Random(f"{seed} {route}")
    try:
        shown = ROUTES[route](drawn(Random(seed)), random)
    except MhaError as error:
        results.typed[route, f"{type(error).__name__}: {error.template}"] += 1
    except Exception as error:  # noqa: BLE001  # whatever it is, it is reported with its seed
        frame = traceback.extract_tb(error.__traceback__)[-1]
        yield f"{type(error).__name__}: {str(error)[:100]} ({Path(frame.filename).name}:{frame.lineno})"
    else:
        yield from (f"NaN or ∞ at {_digits(place)}" for place in list(unsound(shown))[:1])


def _digits(place: str) -> str:
    """A place without its indices, so that equal faults are counted together."""
    return "".join("#" if character.isdigit() else character for character in place)[:160]


def _run_batch(seeds: range, until: float) -> Results:
    torch.set_num_threads(1)  # as the app does
    return run(seeds) if time() < until else Results()


def report(results: Results, seconds: float) -> str:
    """The report as Markdown."""
    missing = ", ".join(sorted(KINDS - set(results.kinds))) or "none"
    lines = [
        f"{results.examples:,} examples in {seconds:,.0f} s, {len(results.combinations):,} combinations of scoring, "
        "positions, mask, starts, context and groups",
        f"kinds drawn: {len(results.kinds)} of {len(KINDS)}, missing: {missing}",
        f"routes walked: {sum(results.walked.values()):,}",
        f"\n| route | examples | CPU ms each | over {MOST_SECONDS:g} s | typed errors |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for route, count in results.walked.items():
        typed = sum(n for (of, _), n in results.typed.items() if of == route)
        each = 1000 * results.seconds[route] / count
        lines.append(f"| {route} | {count:,} | {each:.1f} | {results.slow[route]:,} | {typed:,} |")
    lines.append("\nTyped errors:\n")
    for (route, sentence), count in sorted(results.typed.items(), key=lambda one: (one[0][0], -one[1])):
        lines.append(f"- {route}: {count:,} × {sentence}")
    lines.append(f"\nFaults: {sum(map(len, results.faults.values())):,}\n")
    for (route, fault), seeds in sorted(results.faults.items(), key=lambda one: -len(one[1])):
        listed = ", ".join(map(str, sorted(seeds)[:MOST_LISTED]))
        lines.append(f"- {route}: {len(seeds):,} × {fault}; seeds {listed}")
    lines.append("\nSlowest:\n")
    lines += [f"- {1000 * taken:,.0f} ms: {route}, seed {seed}" for taken, route, seed in results.slowest]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """The command; returns 1 if there were faults."""
    parser = argparse.ArgumentParser(prog="python -m tests.extremes")
    parser.add_argument("count", nargs="?", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=inf, help="start no further examples after these")
    parser.add_argument("--seed", type=int, help="one example alone")
    parser.add_argument("--route", choices=ROUTES, help="one route alone, with its traceback")
    options = parser.parse_args(arguments)
    if options.seed is not None and options.route:
        print(
            list(
                unsound(
                    ROUTES[options.route](
                        drawn(Random(options.seed)), Random(f"{options.seed} {options.route}")
                    )
                )
            )
        )
        return 0
    first = options.first if options.seed is None else options.seed
    count = options.count if options.seed is None else 1
    batches = [range(at, min(at + _BATCH, first + count)) for at in range(first, first + count, _BATCH)]
    begin, results = perf_counter(), Results()
    run_batch = partial(_run_batch, until=time() + 60 * options.minutes)
    with ProcessPoolExecutor(options.processes) as pool:
        for done, batch in enumerate(pool.map(run_batch, batches), start=1):
            results.add(batch)
            if done % 25 == 0:
                print(f"{results.examples:,} examples, {len(results.faults)} kinds of fault", file=sys.stderr)
    print(report(results, perf_counter() - begin))
    return int(bool(results.faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
