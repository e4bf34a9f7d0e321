"""Every route that an example can take through the program, and what none of them may show.

``ROUTES[name](example, random)`` returns all that would be shown; ``unsound`` returns the places of NaN or ∞ in it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from math import isfinite, prod
from random import Random
from typing import Any

import torch

from mha_core import Example, derive, feeds, parse, trace
from mha_core.check.check import check
from mha_core.check.report import as_json, as_markdown
from mha_core.compare.diff import Change, changes, compare, orders
from mha_core.compare.replay import possible, replay
from mha_core.compare.variant import MASKS, POSITIONS, Variant, varied
from mha_core.compute.derive import Cell, Derivation, arithmetic, cells
from mha_core.compute.gradients import gradients, sensitivity
from mha_core.compute.head_terms import head_terms
from mha_core.compute.metrics import agreement
from mha_core.edit.fields import FILLS
from mha_core.errors import MhaError
from mha_core.example.files import dump, pretty
from mha_core.example.model import NEG_INF, has_values, kv_head_of
from mha_core.example.share_link import from_token, to_token
from mha_core.exercise.exercise import askable, exercise
from mha_core.exercise.hints import hints, open_cells
from mha_core.export import TARGETS, export
from mha_core.interop import pack, to_bert, to_torch, unpack
from mha_core.notation import column_matrix, demonstrate, entries, is_masked, pairings
from mha_core.vocabulary import LAYER_INPUTS, POSITION_CHOICES, SCORING_CHOICES, SCORINGS, WHOLE_LAYER_STEPS
from mha_core.walk.markdown import as_markdown as walk_as_markdown
from mha_core.walk.stages import walk
from mha_ui import state
from mha_ui.bench.model import payload as bench_payload
from mha_ui.check.model import check_payload
from mha_ui.conventions import model as conventions
from mha_ui.experiments import EXPERIMENTS
from mha_ui.lessons.outputs import SHARPNESS, sharpened
from mha_ui.walkthrough.model import payload as walk_payload
from mha_view.figures import FIGURES
from mha_view.figures.agreement import agreement_figure
from mha_view.figures.ranges import ranges_figure
from mha_view.handout import as_html
from mha_view.language import words_in
from tests.apply import apply
from tests.extremes.pages import shown_by

Route = Callable[[Example, Random], Any]

CELLS = 3
"""How many cells of one step are derived."""
EDITS = 12
"""How many of about 60 edits are applied to one example."""


# --- what must not be shown --------------------------------------------------------------------------------------

_NO_NUMBER = re.compile(r"(?<![\w.])(nan|inf|infinity)(?!\w)", re.IGNORECASE)


def unsound(shown: Any, place: str = "") -> Iterator[str]:
    """The places of NaN or ∞; −∞ as the format writes it ("-inf", and in Python ``float("-inf")``) is allowed."""
    if isinstance(shown, float):
        if not isfinite(shown) and shown != NEG_INF:
            yield f"{place}: {shown}"
    elif isinstance(shown, str):
        if shown not in ("-inf", "inf") and (found := _NO_NUMBER.search(shown.replace("-inf", ""))):
            yield f"{place}: …{shown[max(0, found.start() - 30) : found.end() + 30]}…"
    elif isinstance(shown, Mapping):
        for name, part in shown.items():
            yield from unsound(part, f"{place}.{name}")
    elif is_dataclass(shown) and not isinstance(shown, type):
        for field in fields(shown):
            yield from unsound(getattr(shown, field.name), f"{place}.{field.name}")
    elif isinstance(shown, list | tuple):
        for index, part in enumerate(shown):
            yield from unsound(part, f"{place}[{index}]")


def _sent(data: Any) -> Any:
    """The data, once it is valid JSON for the browser, which has neither NaN nor ∞."""
    json.dumps(data, allow_nan=False)
    return data


# --- the core ----------------------------------------------------------------------------------------------------


def _trace(example: Example, _: Random) -> Any:
    """Every number; only masked scores may be −∞."""
    values = trace(example).values
    for name, heads in values.items():
        for rows in heads if name not in WHOLE_LAYER_STEPS else [heads]:
            for row in rows or ():
                if name != "masked_scores" and not all(map(isfinite, row)):
                    return {name: float("nan")}
    return values


def _sample_cells(example: Example, random: Random) -> list[Cell]:
    """A few cells of every step."""
    by_step: dict[tuple[str, int | None], list[Cell]] = {}
    for cell in cells(trace(example)):
        by_step.setdefault((cell.name, cell.head), []).append(cell)
    chosen = [random.sample(of_step, min(CELLS, len(of_step))) for of_step in by_step.values()]
    return [cell for of_step in chosen for cell in of_step]


def _derive(example: Example, random: Random) -> Any:
    computed, shown = trace(example), []
    for cell in _sample_cells(example, random):
        found = derive(computed, cell)
        shown += [found.value, arithmetic(found, random.randint(0, 8))]
        if not _same(found.value, found.recombined(), found):
            raise AssertionError(f"{cell.name} is not the result of its terms")
    return shown


def _same(value: float, again: float, found: Derivation) -> bool:
    """Whether two results agree up to rounding, relative to the largest product in the sum."""
    if value == again:
        return True
    largest = max((abs(prod(term.numbers)) for term in found.terms), default=0.0)
    slack = largest if found.op in ("matmul", "add", "rotate", "sinusoid") else abs(value)
    return abs(value - again) <= 1e-9 * slack + 1e-322


def _feeds(example: Example, random: Random) -> Any:
    computed = trace(example)
    return [feeds(computed, cell) for cell in _sample_cells(example, random)] and None


def _check(example: Example, random: Random) -> Any:
    """The example's printed numbers, with blanks and wrong ones among them."""
    return _checked(example, random, WRONG)


def _check_smallest(example: Example, random: Random) -> Any:
    """The same with numbers near the end of float64."""
    return _checked(example, random, ("5e-324", "1e-310", "-1e-320", 5e-324))


WRONG = ("1e308", "-1e300", "1e-200", "0.000000000001", "1" * 40, "-0.0", "0", 1e12, -3.5, "7.25e3", 0.1)


def _checked(example: Example, random: Random, wrong: tuple[Any, ...]) -> Any:
    claimed = claims(example, random, wrong)
    verdict = check(claimed)
    language = random.choice(("en", "zh"))
    shown = [as_json(verdict, language), as_markdown(verdict, language)]
    work = state.Work(state.begun(claimed, None), language)
    payload = _sent(check_payload(work))
    return [_sent(shown), payload["check"], payload["notes"]]


def claims(example: Example, random: Random, wrong: tuple[Any, ...] = WRONG) -> Example:
    """The example with its own numbers as printed claims, some blank, some wrong."""
    values, decimals = trace(example).values, random.randint(0, 4)
    faults = random.choice((0.0, 0.1, 0.5))

    def cell(number: float) -> Any:
        rare = random.random()
        if rare < faults:
            return random.choice(wrong)
        if rare > 0.9:
            return None
        if number == NEG_INF:
            return "-inf"
        return f"{number:.{decimals}f}" if abs(number) < 1e50 else repr(number)

    def matrix(rows: Any) -> Any:
        return rows and tuple(tuple(map(cell, row)) for row in rows)

    steps = {
        name: matrix(rows) if name in WHOLE_LAYER_STEPS else tuple(map(matrix, rows))
        for name, rows in values.items()
        if random.random() < 0.7
    }
    given = [name for name in steps if any(getattr(head, name, None) for head in example.heads)]
    for name in given:  # what a head starts from is not computed
        steps.pop(name)
    return replace(example, claimed=steps or None)


def _gradients(example: Example, random: Random) -> Any:
    computed = trace(example)
    some = random.sample(_sample_cells(example, random), 2)
    return [gradients(computed, cell) for cell in some]


def _sensitivity(example: Example, _: Random) -> Any:
    return sensitivity(example)


def _compare(example: Example, random: Random) -> Any:
    """Compare the example with a variant."""
    variant = Variant(
        scoring=random.choice((None, *SCORING_CHOICES)),
        positions=random.choice((None, *POSITIONS)),
        mask=random.choice((None, *MASKS)),
        kv_heads=random.choice((None, 1, len(example.heads))),
        temperature=random.choice((None, 2.0**-10, 2.0**10, 0.3)),
        order=random.choice(((), tuple(random.sample(range(n := len(example.tokens)), n)))),
        muted=random.choice(((), (len(example.heads) - 1,))),
    )
    now, before = trace(varied(example, variant)), trace(example)
    places = orders(now, variant.order)
    found = compare(before, now, variant.order)
    return [
        [[one.kind, one.at, _finite_change(one.name, one.change)] for one in found],
        [_finite_change(name, change) for (name, _), change in changes(now, before).items()],
        places,
    ]


def _finite_change(name: str, change: Change) -> Any:
    """A change without the infinite ones of pairs that are hidden on one side only."""
    hides = name in ("mask", "masked_scores")
    return [
        [by for by, was in zip(*rows, strict=True) if not (hides and by is not None and abs(by) == -NEG_INF)]
        for rows in zip(change.by, change.was, strict=True)
    ]


def _mistakes(example: Example, random: Random) -> Any:
    computed = trace(example)
    known = possible(computed)
    chosen = random.sample(known, min(CELLS, len(known)))
    return [replay(computed, mistake, step).values for step, mistake in chosen]


def _exercise(example: Example, random: Random) -> Any:
    drawn = exercise(example, random.randint(0, 999_999))
    steps = askable(drawn)
    started = replace(drawn, claimed=claims(drawn, random).claimed)
    verdict = check(started)
    return [trace(drawn).values, [hints(verdict, cell, "en") for cell in open_cells(verdict, steps)[:1]]]


def _walk(example: Example, random: Random) -> Any:
    computed, language = trace(example), random.choice(("en", "zh"))
    words = [[sentence.translated(language) for sentence in stage.words] for stage in walk(computed)]
    work = state.Work(state.begun(example), language, looking=state.Looking(decimals=random.randint(0, 6)))
    return [words, _sent(walk_payload(work))]


def _takeaway(example: Example, random: Random) -> Any:
    computed, language = trace(example), random.choice(("en", "zh"))
    decimals = random.randint(0, 6)
    return [as_html(computed, language, decimals), walk_as_markdown(computed, language, decimals)]


def _conventions(example: Example, random: Random) -> Any:
    computed, work = trace(example), state.Work(state.begun(example), random.choice(("en", "zh")))
    numbers = conventions.numbers(work)
    shown: list[Any] = [
        _sent(conventions.rows_payload(work, numbers)),
        _sent(conventions.packed_payload(work, numbers)),
        _sent(conventions.masks_payload(work, numbers)),
        _sent(conventions.pairs_payload(work, numbers, pairings(example))),
    ]
    shown = [{name: part for name, part in section.items() if name != "words"} for section in shown]
    for head in range(len(example.heads)):
        for entry in entries(example, head):
            shared = entry.name in LAYER_INPUTS or entry.name in WHOLE_LAYER_STEPS
            shown.append(
                column_matrix(computed, entry.name, None if shared else kv_head_of(example, entry.name, head))
            )
    return shown


def _dead(example: Example, random: Random) -> Any:
    """A query with every key hidden, for which some libraries give NaN."""
    work = state.Work(state.begun(example, None), "en")
    masked = [head for head in range(len(example.heads)) if is_masked(example, head)]
    if not masked:
        return None
    shown = demonstrate(example, random.choice(masked), random.randrange(len(example.tokens)))
    payload = _sent(conventions.dead_payload(work, conventions.numbers(work), shown))
    ours = [outcome for outcome in payload["outcomes"] if outcome["rule"] == "ours"]
    return [ours, payload["scores"], payload["values"], conventions.agreement(shown, example, "en")]


def _export_to(target: str) -> Route:
    def export_to(example: Example, random: Random) -> Any:
        text = export(example, target, random.choice((None, 0, 4, 15)), random.choice(("en", "zh")))
        if TARGETS[target].syntax == "python":
            compile(text, target, "exec")
            return [line for line in text.splitlines() if not _NAN_IN_CODE.search(line.strip())]
        return text

    return export_to


_NAN_IN_CODE = re.compile(r"^#|isnan|nan_to_num|equal_nan|torch\.inf|np\.inf|float\(.-?inf.\)")


def _file(example: Example, random: Random) -> Any:
    claimed = claims(example, random)
    for text in (dump(claimed), pretty(claimed)):
        read = parse(text)
        if read != claimed:
            raise AssertionError("a file that was saved opens as another example")
    return None


def _link(example: Example, random: Random) -> Any:
    if from_token(to_token(example)) != example:
        raise AssertionError("a link opens as another example")
    work = state.Work(state.begun(replace(example, note=None), None), "en")
    return dict(state.address(work))


def _interop(example: Example, _: Random) -> Any:
    """To the layers of other libraries, and to one packed layer and back."""
    packed = pack(example)
    rows, source = (torch.tensor(rows, dtype=torch.float64) for rows in (example.x, example.source_rows))
    unpack(packed, rows, source, source, mask=example.mask)
    to_torch(example)
    to_bert(example)


def _head_terms(example: Example, _: Random) -> Any:
    return None if example.w_o is None else head_terms(trace(example))


def _agreement(example: Example, _: Random) -> Any:
    return agreement(trace(example))


# --- edits ---------------------------------------------------------------------------------------------------------


def _edits(example: Example, random: Random) -> Any:
    """Some edits, each applied to the original example."""
    shown = []
    every = list(edits(example, random))
    for edit in random.sample(every, min(EDITS, len(every))):
        try:
            shown.append(trace(apply(example, edit)).values)
        except MhaError:
            continue  # an edit that does not fit; whatever else is raised comes out
    return shown


EXTREME = (0.0, -0.0, 5e-324, 1e-300, 1e12, -1e12, 1.5)


def edits(example: Example, random: Random) -> Iterator[dict[str, Any]]:
    """Every edit operation, with an argument that makes sense for this example."""
    dims = example.dims
    head = random.randrange(dims.h)
    number = random.choice(EXTREME)
    places: list[tuple[str, int | None]] = [
        (name, None) for name in ("x", "context", "w_o", "b_o") if getattr(example, name) is not None
    ]
    given = example.heads[head]
    places += [(name, head) for name in given.__dataclass_fields__ if getattr(given, name) is not None]
    for name, of in places:
        yield {"op": "set", "matrix": name, "head": of, "row": 0, "col": 0, "values": [[number]]}
        yield {"op": "fill", "matrix": name, "head": of, "with": random.choice(FILLS), "seed": 3}
    cell: Any = random.choice((-1e9, "-inf", 1e300)) if "AddMask" in str(type(example.mask)) else False
    yield {"op": "set", "matrix": "mask", "head": None, "row": 0, "col": 0, "values": [[cell]]}
    for which in ("tokens", "context_tokens"):
        yield {"op": "rename_token", "which": which, "index": 0, "text": "\u0000<b>"}
        yield {"op": "add_token", "which": which, "index": None}
        yield {"op": "remove_token", "which": which, "index": 0}
    yield {"op": "permute", "order": list(reversed(range(dims.n_q)))}
    yield from ({"op": "add_head", "copy": copy} for copy in (None, head))
    yield {"op": "remove_head", "head": head}
    for axis in ("d_model", "d_context", "d_k", "d_v", "d_out", "d_a"):
        yield {"op": "resize", "axis": axis, "by": random.choice((-1, 1))}
    yield from ({"op": op, "on": on} for op in ("w_o", "biases", "context") for on in (True, False))
    yield from ({"op": "mask", "kind": kind} for kind in ("none", "causal", "painted"))
    yield from ({"op": "scale", "value": value} for value in ("sqrt_dk", "none", 1e-12, -1e12))
    yield from ({"op": "scoring", "kind": kind} for kind in SCORINGS)
    yield from (
        {"op": "positions", "kind": choice.kind, "pairs": choice.pairs}
        for choice in POSITION_CHOICES.values()
    )
    yield from ({"op": "kv_heads", "count": count} for count in (1, dims.h))
    yield {"op": "title", "text": "نص"}
    yield {"op": "claim", "matrix": "concat", "row": 0, "col": 0, "values": [["1e-200"]]}
    yield {"op": "claim_text", "matrix": "weights", "head": 0, "row": 0, "col": 0, "text": "[[1e12]]"}
    yield {"op": "clear_claims"}


# --- the pages -----------------------------------------------------------------------------------------------------


def _work(example: Example, random: Random) -> state.Work:
    language = random.choice(("en", "zh"))
    return state.Work(state.begun(example), language, looking=state.Looking(decimals=random.randint(0, 6)))


def _bench(example: Example, random: Random) -> Any:
    return _sent(bench_payload(_work(example, random)))


def _bench_gradient(example: Example, random: Random) -> Any:
    work = _work(example, random)
    pinned = random.choice(_sample_cells(example, random))
    work = replace(work, looking=replace(work.looking, pinned=pinned))
    return _sent(bench_payload(work, lens="gradient"))


def _bench_change(example: Example, random: Random) -> Any:
    """The change since the example before an edit."""
    work = _work(example, random)
    work = state.pin_baseline(work)
    edit = random.choice(list(edits(example, random)))
    try:
        computed = trace(apply(example, edit))
    except MhaError:
        return None
    work = replace(work, history=replace(work.history, trace=computed))
    return _sent(bench_payload(work, lens="change"))


def _figure(name: str) -> Route:
    def figure(example: Example, random: Random) -> Any:
        computed, words = trace(example), words_in(random.choice(("en", "zh")))
        if not FIGURES[name].available(computed):
            return None
        query = random.randrange(len(example.tokens))
        return _drawn(FIGURES[name].build(computed, theme="light", words=words, query=query))

    return figure


def _drawn(figure: Any) -> Any:
    return [_sent(figure.payload), figure.title, figure.alt]


def _lesson_figures(example: Example, random: Random) -> Any:
    words = words_in(random.choice(("en", "zh")))
    computed = sharpened(trace(example), random.choice(SHARPNESS))
    shown = [_drawn(agreement_figure(computed, theme="dark", words=words))]
    if has_values(example):
        shown.append(_drawn(ranges_figure(computed, theme="dark", words=words)))
    return shown


def _experiment(name: str) -> Route:
    def experiment(example: Example, random: Random) -> Any:
        work = _work(example, random)
        sides = _sides(name, example, random)
        if sides:
            work = state.choose_sides(work, name, sides)
        return _sent(shown_by(work, EXPERIMENTS[name].live))

    return experiment


def _sides(name: str, example: Example, random: Random) -> state.Sides | None:
    """Random choices for an experiment's own controls."""
    match name:
        case "sides":
            left, right = (
                Variant(
                    scoring=random.choice((None, *SCORING_CHOICES)),
                    positions=random.choice((None, *POSITIONS)),
                    mask=random.choice((None, *MASKS)),
                    kv_heads=random.choice((None, 1)),
                )
                for _ in range(2)
            )
            return state.Sides(left, right)
        case "heads":
            return state.Sides(right=Variant(muted=(random.randrange(len(example.heads)),)))
        case "order":
            n = len(example.tokens)
            positions = random.choice((None, *POSITIONS))
            return state.Sides(right=Variant(order=tuple(random.sample(range(n), n)), positions=positions))
        case "temperature":
            return state.Sides(right=Variant(temperature=2.0 ** random.randint(-5, 5)))
        case "mistakes":
            known = possible(trace(example))
            chosen = ".".join(random.choice(known)) if known else "scores.none"
            return state.Sides(right=Variant(mistake=chosen))
    return None


ROUTES: dict[str, Route] = {
    "trace": _trace,
    "derive": _derive,
    "feeds": _feeds,
    "check": _check,
    "check of the smallest numbers": _check_smallest,
    "gradients": _gradients,
    "sensitivity": _sensitivity,
    "compare": _compare,
    "mistakes": _mistakes,
    "exercise": _exercise,
    "walk": _walk,
    "walk to take away": _takeaway,
    "conventions": _conventions,
    "a query without keys": _dead,
    **{f"export to {target}": _export_to(target) for target in TARGETS},
    "file": _file,
    "link": _link,
    "interop": _interop,
    "head terms": _head_terms,
    "agreement": _agreement,
    "edits": _edits,
    "bench": _bench,
    "bench, gradient": _bench_gradient,
    "bench, change": _bench_change,
    **{
        f"figure {name}": _figure(name) for name in FIGURES if name != "saturation"
    },  # two experiments draw it
    "figures of the lessons": _lesson_figures,
    **{f"experiment {name}": _experiment(name) for name in EXPERIMENTS},
}
"""The routes by name; each returns what it shows, or None if it shows nothing."""
