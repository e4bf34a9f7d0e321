"""Plant every known mistake many times and count how the check names it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from random import Random
from statistics import median, quantiles
from time import perf_counter

import torch

from mha_core import Example, trace
from mha_core.check.catalogue import ROUNDED_EARLY, W_IN_COLUMNS
from mha_core.check.check import check
from mha_core.check.outcome import Verdict
from mha_core.check.slips import SLIP
from mha_core.check.transcription import EXCHANGED
from mha_core.vocabulary import STEPS, WHOLE_LAYER_STEPS
from tools.mistakes import GIVEN_STEPS, IDS, Planted, computed, drawn, many, planted, printed


def named(verdict: Verdict) -> list[tuple[str, ...]]:
    """Every cause that was named; W in columns is one mistake made in Q, K and V."""
    ids = [cause.ids for step in verdict.steps.values() for cause in step.causes]
    return [("weight_transposed",) if cause_ids == (W_IN_COLUMNS,) else cause_ids for cause_ids in ids]


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


def report(count: int) -> Iterator[str]:
    """The outcomes by mistake as Markdown, with so many of each, and how long a check took."""
    torch.set_num_threads(1)  # as the app does
    times = []
    for given in GIVEN_STEPS:
        yield f"\n{given}\n\n| mistake | n | alone | listed | unknown | wrong | named instead |"
        yield "| --- | ---: | ---: | ---: | ---: | ---: | --- |"
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
            yield _row(label, found)
            total += found
        yield _row("all", total)
    times.sort()
    yield f"\nms per check: median {median(times):.1f}, p95 {quantiles(times, n=20)[-1]:.1f}, n {len(times)}"
    yield f"\na mistake and a slip in one matrix: {dict(two_at_once())}"
    yield f"\nright numbers: {dict(rounded())}"


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


def rounded(count: int = 5000, seed: int = 1) -> Counter[str]:
    """Right numbers, printed at 0 to 4 decimals, carried in full or rounded at every step."""
    random, found = Random(seed), Counter[str]()
    for n in range(count):
        example, decimals = drawn(random), random.choice(range(5))
        steps = computed(example, decimals=decimals if n % 2 else None) or {}
        kept = {step.name: [steps[k] for k in steps if k[0] == step.name] for step in trace(example).steps}
        if n % 4 > 1:
            kept = {name: kept[name] for name in ("weights", "output", "concat") if name in kept}
        claims = printed(kept, decimals)
        verdict = check(replace(example, claimed=claims))
        is_named = (ROUNDED_EARLY,) in named(verdict) and not any(
            step.unexplained for step in verdict.steps.values()
        )
        doubtful = any(step.doubtful for step in verdict.steps.values())
        wrong_outcome = "CALLED WRONG" if doubtful or not is_named else "rounding said"
        found["right" if verdict.ok and not doubtful else wrong_outcome] += 1
    return found


def two_at_once(count: int = 1000, seed: int = 2) -> Counter[str]:
    """A mistake in a whole matrix of three rows or more, with a wrong sign in one of its numbers."""
    random, found = Random(seed), Counter[str]()
    labels = [label for label in IDS if label not in (*SLIP, ROUNDED_EARLY, EXCHANGED)]
    while found.total() < count:
        mistake = planted(random.choice(labels), random)
        with_slip = mistake and _with_sign(mistake, random)
        if mistake and with_slip:
            verdict = check(with_slip)
            causes = {label for ids in named(verdict) for label in ids}
            planned = {mistake.id, "sign_slipped"}
            alone = "both alone" if causes == planned else "both, listed"
            otherwise = "one, the rest said to be unexplained" if causes & planned else "unknown"
            others = causes - planned and not causes & planned
            found[alone if planned <= causes else "wrong" if others else otherwise] += 1
    return found


def _with_sign(mistake: Planted, random: Random) -> Example | None:
    """The first matrix that a mistake made wrong, with the sign of one number changed, and no later steps.

    None if the mistake is not the only cause that is named, or the matrix is too small.
    """
    verdict, claimed = check(mistake.example), mistake.example.claimed or {}
    name = next((name for name, step in verdict.steps.items() if step.wrong), None)
    if name is None or set(named(verdict)) != {(mistake.id,)} or name in WHOLE_LAYER_STEPS:
        return None
    heads = [[list(row) for row in rows] for rows in claimed[name]]
    row = random.choice(random.choice(heads))
    col = random.randrange(len(row))
    if len(heads[0]) < 3 or row[col] is None or not float(row[col]) or abs(float(row[col])) == inf:
        return None
    row[col] = f"-{row[col]}".replace("--", "")
    before = {step: rows for step, rows in claimed.items() if STEPS.index(step) < STEPS.index(name)}
    changed = tuple(tuple(map(tuple, rows)) for rows in heads)
    return replace(mistake.example, claimed={**before, name: changed})
