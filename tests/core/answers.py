"""A person's answers to an example: the steps in plain loops, right or with a mistake, and printed.

The arithmetic is that of ``reference``; the catalogue of mistakes is not used.
"""

from dataclasses import replace
from math import sqrt
from random import Random
from types import SimpleNamespace

from mha_core import Example, Head, validate
from mha_core.check.check import check
from tests.core.reference import (
    NEG_INF,
    dot_products,
    masked,
    positioned,
    project,
    rotated,
    softmax,
    weighted_sums,
)

LAYER = ("concat", "output")


def layer(seed=0, *, n=4, n_k=None, d_model=3, d_k=2, d_v=2, h=2, d_out=3, biases=False, sink=None, **fields):
    """A layer of random small integers; ``n_k``: cross-attention to a context of that many; d_out None: no W_O;
    ``sink``: that of each head.

    The numbers are so small that no key gets all the weight of its row.
    """
    random = Random(f"layer {seed}")

    def matrix(rows, cols, most=1):
        return tuple(tuple(float(random.randint(-most, most)) for _ in range(cols)) for _ in range(rows))

    def head():
        weights = {"w_q": matrix(d_model, d_k), "w_k": matrix(d_model, d_k), "w_v": matrix(d_model, d_v)}
        more = {f"b_{name}": bias(width) for name, width in (("q", d_k), ("k", d_k), ("v", d_v))}
        return Head(**weights, **(more if biases else {}), sink=sink)

    def bias(width):
        return tuple(float(random.choice([-2, -1, 1, 2])) for _ in range(width))

    example = Example(
        title="layer",
        tokens=tuple(f"t{i + 1}" for i in range(n)),
        heads=tuple(head() for _ in range(h)),
        x=matrix(n, d_model, 2),
        context=None if n_k is None else matrix(n_k, d_model, 2),
        w_o=None if d_out is None else matrix(h * d_v, d_out),
        b_o=bias(d_out) if biases and d_out else None,
    )
    return validate(replace(example, **fields))


# --- the steps ---------------------------------------------------------------------------------------------------

RIGHT = {
    "q": lambda s: project(s.x, s.head.w_q, s.head.b_q),
    "k": lambda s: project(s.source, s.head.w_k, s.head.b_k),
    "v": lambda s: project(s.source, s.head.w_v, s.head.b_v),
    "q_rotated": lambda s: rotated(s.q, s.angles, s.example.positions.pairs),
    "k_rotated": lambda s: rotated(s.k, s.key_angles, s.example.positions.pairs),
    "scores": lambda s: dot_products(s.q_rotated, s.k_rotated),
    "scaled_scores": lambda s: divided(s.scores, s.divisor),
    "masked_scores": lambda s: masked(s.scaled_scores, s.example.mask),
    "weights": lambda s: [softmax([*row, *(s.head.sink or ())])[: len(row)] for row in s.masked_scores],
    "head_outputs": lambda s: weighted_sums(s.weights, s.v),
    "concat": lambda s: [[cell for one in s.heads for cell in one.head_outputs[i]] for i in range(s.n)],
    "output": lambda s: project(s.concat, s.example.w_o, s.example.b_o),
}
"""Each step from ``s``: this head's (or the layer's) numbers so far, and those of all heads in ``s.heads``."""

SAME = {"q_rotated": "q", "k_rotated": "k", "scaled_scores": "scores", "masked_scores": "scaled_scores"}
"""The step that a missing step is a copy of."""


def work_out(example, replacements=None, heads=None):
    """Every step by name; ``replacements[step](s)`` replaces the right one, in these heads (None: in all).

    A step that the example does not have is a copy inside, and is not returned. Only rotary positions are supported.
    """
    replacements = replacements or {}
    early, *_ = positioned(example)
    x = example.x
    source = x if example.context is None else example.context
    divisor = len(example.heads[0].w_q[0]) ** 0.5 if example.scale == "sqrt_dk" else example.scale
    states: list[SimpleNamespace] = []
    for g, head in enumerate(example.heads):
        states.append(SimpleNamespace(example=example, g=g, head=head, heads=states, x=x, source=source))
        states[-1].divisor, states[-1].n, states[-1].d_model = divisor, len(x), len(x[0])
        states[-1].angles = early.get("angles")
        states[-1].key_angles = early.get("context_angles", early.get("angles"))

    def run(s, name):
        changed = name in replacements and (heads is None or getattr(s, "g", None) in heads or name in LAYER)
        setattr(s, name, (replacements if changed else RIGHT)[name](s))

    for names in (("q", "k", "v", "q_rotated", "k_rotated"), AFTERWARDS):
        for s in states:
            for name in names:
                if name in used(example):
                    run(s, name)
                else:
                    setattr(s, name, getattr(s, SAME[name]))
    s = SimpleNamespace(example=example, heads=states, n=len(x))
    for name in LAYER:
        if name in used(example):
            run(s, name)
    return early | {
        name: getattr(s, name) if name in LAYER else [getattr(state, name) for state in states]
        for name in used(example)
    }


AFTERWARDS = ("scores", "scaled_scores", "masked_scores", "weights", "head_outputs")
"""Steps that a head may compute from another head's projections."""


def used(example):
    """The steps that an example has."""
    left_out = {
        "q_rotated": example.positions is None,
        "k_rotated": example.positions is None,
        "scaled_scores": example.scale == "none",
        "masked_scores": example.mask is None,
        "output": example.w_o is None,
    }
    return [name for name in RIGHT if not left_out.get(name)]


def divided(scores, divisor):
    """Every score divided by a number."""
    return [[score / divisor for score in row] for row in scores]


def transposed(matrix):
    """Rows as columns."""
    return [list(column) for column in zip(*matrix, strict=True)]


def sqrt_of(number):
    """A scaling of the scores by the root of this number of ``s``."""
    return lambda s: divided(s.scores, sqrt(number(s)))


def numbers(nested):
    """Every number of nested lists, in order."""
    if not isinstance(nested, list | tuple):
        return [nested]
    return [number for part in nested for number in numbers(part)]


def apart(first, second):
    """The largest difference between two steps' numbers; infinite if only one of two numbers is −∞."""
    pairs = zip(numbers(first), numbers(second), strict=True)
    return max(0.0 if a == b else abs(a - b) for a, b in pairs)


# --- printing ----------------------------------------------------------------------------------------------------


def printed(steps, decimals=4):
    """Steps with printed numbers."""

    def each(numbers):
        if isinstance(numbers, list):
            return tuple(each(part) for part in numbers)
        return "-inf" if numbers == NEG_INF else f"{numbers:.{decimals}f}"

    return {name: each(numbers) for name, numbers in steps.items()}


def answer(example, steps, decimals=4, only=None):
    """The example with these steps (or ``only`` some of them) claimed."""
    given = {name: numbers for name, numbers in steps.items() if only is None or name in only}
    return validate(replace(example, claimed=printed(given, decimals)))


def last(example):
    """The last step's name."""
    return "output" if example.w_o is not None else "concat"


def with_cell(example, step, head, row, col, text):
    """The example with another text in one claimed cell."""
    claimed = dict(example.claimed)
    matrix = claimed[step] if head is None else claimed[step][head]
    rows = [list(cells) for cells in matrix]
    rows[row][col] = text
    matrix = tuple(map(tuple, rows))
    if head is not None:
        matrix = (*claimed[step][:head], matrix, *claimed[step][head + 1 :])
    return validate(replace(example, claimed=claimed | {step: matrix}))


# --- the verdict -------------------------------------------------------------------------------------------------


def wrong_cells(verdict, own=None):
    """(step, head, row, column) of every wrong cell; with ``own``, only of those that are (or are not) own errors."""
    return [
        tuple(wrong.cell)
        for step in verdict.steps.values()
        for wrong in step.wrong
        if own is None or wrong.own == own
    ]


def named(verdict, step=None):
    """The ids of every cause, or of every cause at one step."""
    steps = verdict.steps.values() if step is None else [verdict.steps[step]]
    return [cause.ids for checked in steps for cause in checked.causes]


def unexplained(verdict):
    """The steps with errors that nothing explains."""
    return [name for name, step in verdict.steps.items() if step.unexplained]


def found(example, steps, decimals=4, only=None):
    """The verdict on these answers."""
    return check(answer(example, steps, decimals, only))
