"""Plant every known mistake many times and see what the check finds: ``python -m benchmarks.mistakes [count]``."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from random import Random
from statistics import median, quantiles
from time import perf_counter

import torch

from benchmarks import slips
from benchmarks.planted import IDS, KEPT, computed, drawn, many, printed
from mha_core import trace
from mha_core.check.catalogue import ROUNDED_EARLY
from mha_core.check.check import Verdict, check
from mha_core.check.slips import SLIP

COUNT = 200


def named(verdict: Verdict) -> list[tuple[str, ...]]:
    """Every cause that was named."""
    return [cause.ids for step in verdict.steps.values() for cause in step.causes]


def outcome(verdict: Verdict, label: str) -> str:
    """unchanged, alone, listed, unknown, or the causes named without the right one."""
    if verdict.ok:
        return "unchanged"
    causes = set(named(verdict))
    if not causes:
        return "unknown"
    if not any(label in ids for ids in causes):
        return " ".join(sorted("+".join(ids) for ids in causes))
    return "alone" if causes == {(label,)} else "listed"


def main(count: int = COUNT) -> str:
    """The confusion tables as Markdown, and how long a check took."""
    torch.set_num_threads(1)  # as the app does
    lines, times = [], []
    for given in KEPT:
        lines += [f"\n{given}\n", "| mistake | n | alone | listed | unknown | wrong | named instead |"]
        lines.append("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
        total: Counter[str] = Counter()
        for label in (label for label in IDS if label not in SLIP):
            found: Counter[str] = Counter()
            for one in many(label, 20 * count, given):
                start = perf_counter()
                verdict = check(one.example)
                times.append((perf_counter() - start) * 1000)
                found[outcome(verdict, label)] += 1
                if sum(found.values()) - found["unchanged"] >= count:
                    break
            lines.append(_row(label, found))
            total += found
        lines.append(_row("all", total))
    times.sort()
    lines.append(
        f"\nms per check: median {median(times):.1f}, p95 {quantiles(times, n=20)[-1]:.1f}, n {len(times)}"
    )
    return "\n".join(lines)


def _row(label: str, found: Counter[str]) -> str:
    known = ("alone", "listed", "unknown")
    wrong = {name: n for name, n in found.items() if name not in (*known, "unchanged")}
    n = sum(found.values()) - found["unchanged"]
    cells = [f"{found[name] / max(n, 1):.1%}" for name in known]
    cells.append(f"{sum(wrong.values()) / max(n, 1):.1%}")
    instead = (
        ", ".join(f"{name} {count}" for name, count in Counter(wrong).most_common(3))
        if label != "all"
        else ""
    )
    return f"| {label} | {n} | {' | '.join(cells)} | {instead} |"


def rounded(count: int = 2000, seed: int = 1) -> Counter[str]:
    """Right numbers, printed at 2 to 4 decimals, carried in full or rounded at every step."""
    random, found = Random(seed), Counter[str]()
    for n in range(count):
        example, decimals = drawn(random), random.choice([2, 3, 4])
        steps = computed(example, decimals=decimals if n % 2 else None) or {}
        kept = {step.name: [steps[k] for k in steps if k[0] == step.name] for step in trace(example).steps}
        if n % 4 > 1:
            kept = {name: kept[name] for name in ("weights", "output", "concat") if name in kept}
        claims = printed(kept, decimals)
        verdict = check(replace(example, claimed=claims))
        said = (ROUNDED_EARLY,) in named(verdict) and not any(
            step.unexplained for step in verdict.steps.values()
        )
        found["right" if verdict.ok else "rounding said" if said else "CALLED WRONG"] += 1
    return found


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT))
    print("\nslips, on the built-in examples and 300 drawn ones:", slips.table(300), sep="\n")
    print("\nright numbers:", dict(rounded()))
