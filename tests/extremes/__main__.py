"""Extreme but legal examples through every route: ``python -m tests.extremes 10000 [--processes 2]``.

``--minutes 20`` ends the run then, with as many of them as it has come to.

Prints what the examples were, the typed errors that they met, whatever else went wrong with the seed that repeats it
(``python -m tests.extremes --seed 7 --route check``), and the slowest ways. Each is timed by the CPU
that it takes, since the machine may have other work.
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

MOST_TOLD = 12
"""Seeds and slow ways that are told of one kind."""
MOST_SECONDS = 2.0
"""What a way may take of the CPU, of whatever legal size the example is."""
_BATCH = 10


@dataclass
class Found:
    """What came of some examples."""

    examples: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    combinations: set[tuple[str, ...]] = field(default_factory=set)
    walked: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    slow: Counter[str] = field(default_factory=Counter)
    typed: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    slowest: list[tuple[float, str, int]] = field(default_factory=list)

    def add(self, other: Found) -> None:
        """Count another batch in."""
        self.examples += other.examples
        self.combinations |= other.combinations
        for name in ("kinds", "walked", "slow", "typed"):
            getattr(self, name).update(getattr(other, name))
        for route, taken in other.seconds.items():
            self.seconds[route] = self.seconds.get(route, 0.0) + taken
        for fault, seeds in other.faults.items():
            self.faults.setdefault(fault, []).extend(seeds)
        self.slowest = sorted([*self.slowest, *other.slowest], reverse=True)[:MOST_TOLD]


def run(seeds: range, routes: tuple[str, ...] = tuple(ROUTES)) -> Found:
    """The examples of these seeds through these routes."""
    found = Found()
    for seed in seeds:
        example = drawn(Random(seed))
        found.examples += 1
        found.kinds.update(kinds_of(example))
        found.combinations.add(combination_of(example))
        for route in routes:
            begin = process_time()
            for fault in _walked(route, seed, found):
                found.faults.setdefault((route, fault), []).append(seed)
            taken = process_time() - begin
            found.walked[route] += 1
            found.slow[route] += taken > MOST_SECONDS
            found.seconds[route] = found.seconds.get(route, 0.0) + taken
            found.slowest = sorted([*found.slowest, (taken, route, seed)], reverse=True)[:MOST_TOLD]
    return found


def _walked(route: str, seed: int, found: Found) -> Iterator[str]:
    """What went wrong on one way; a typed error is counted and is no fault."""
    random = Random(f"{seed} {route}")
    try:
        shown = ROUTES[route](drawn(Random(seed)), random)
    except MhaError as error:
        found.typed[route, f"{type(error).__name__}: {error.template}"] += 1
    except Exception as error:  # noqa: BLE001  # whatever it is, it is told with its seed
        frame = traceback.extract_tb(error.__traceback__)[-1]
        yield f"{type(error).__name__}: {str(error)[:100]} ({Path(frame.filename).name}:{frame.lineno})"
    else:
        yield from (f"NaN or ∞ at {_digits(place)}" for place in list(unsound(shown))[:1])


def _digits(place: str) -> str:
    """A place without its indices, so that equal faults are counted together."""
    return "".join("#" if character.isdigit() else character for character in place)[:160]


def _alone(seeds: range, until: float) -> Found:
    torch.set_num_threads(1)  # as the app does
    return run(seeds) if time() < until else Found()


def told(found: Found, seconds: float) -> str:
    """The report as Markdown."""
    missing = ", ".join(sorted(KINDS - set(found.kinds))) or "none"
    lines = [
        f"{found.examples:,} examples in {seconds:,.0f} s, {len(found.combinations):,} combinations of scoring, "
        "positions, mask, starts, context and groups",
        f"kinds drawn: {len(found.kinds)} of {len(KINDS)}, missing: {missing}",
        f"routes walked: {sum(found.walked.values()):,}",
        f"\n| route | examples | CPU ms each | over {MOST_SECONDS:g} s | typed errors |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for route, count in found.walked.items():
        typed = sum(n for (of, _), n in found.typed.items() if of == route)
        each = 1000 * found.seconds[route] / count
        lines.append(f"| {route} | {count:,} | {each:.1f} | {found.slow[route]:,} | {typed:,} |")
    lines.append("\nTyped errors:\n")
    for (route, sentence), count in sorted(found.typed.items(), key=lambda one: (one[0][0], -one[1])):
        lines.append(f"- {route}: {count:,} × {sentence}")
    lines.append(f"\nFaults: {sum(map(len, found.faults.values())):,}\n")
    for (route, fault), seeds in sorted(found.faults.items(), key=lambda one: -len(one[1])):
        listed = ", ".join(map(str, sorted(seeds)[:MOST_TOLD]))
        lines.append(f"- {route}: {len(seeds):,} × {fault}; seeds {listed}")
    lines.append("\nSlowest:\n")
    lines += [f"- {1000 * taken:,.0f} ms: {route}, seed {seed}" for taken, route, seed in found.slowest]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """The command; 1 where something went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.extremes")
    parser.add_argument("count", nargs="?", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=inf, help="start no further examples after these")
    parser.add_argument("--seed", type=int, help="one example alone")
    parser.add_argument("--route", choices=ROUTES, help="one route alone, with its traceback")
    asked = parser.parse_args(arguments)
    if asked.seed is not None and asked.route:
        print(
            list(
                unsound(ROUTES[asked.route](drawn(Random(asked.seed)), Random(f"{asked.seed} {asked.route}")))
            )
        )
        return 0
    first = asked.first if asked.seed is None else asked.seed
    count = asked.count if asked.seed is None else 1
    batches = [range(at, min(at + _BATCH, first + count)) for at in range(first, first + count, _BATCH)]
    begin, found = perf_counter(), Found()
    walked = partial(_alone, until=time() + 60 * asked.minutes)
    with ProcessPoolExecutor(asked.processes) as pool:
        for done, batch in enumerate(pool.map(walked, batches), start=1):
            found.add(batch)
            if done % 25 == 0:
                print(f"{found.examples:,} examples, {len(found.faults)} kinds of fault", file=sys.stderr)
    print(told(found, perf_counter() - begin))
    return int(bool(found.faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
