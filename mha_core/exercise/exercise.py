"""Exercises: an example with numbers that keep the laws (``laws.Laws``) and some steps to be worked out.

``exercise(example, seed)`` keeps what the example is about (tokens, heads, mask, biases, W_O, divisor) and draws new
small integers. Sizes that would hide a mistake change (d_k = √d_model, n = d_k, …).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice, product
from operator import mul
from random import Random
from typing import Any, Final, TypeAlias

from mha_core.compute.backward import backward
from mha_core.compute.device import Backend
from mha_core.compute.graph import graph
from mha_core.compute.trace import trace
from mha_core.errors import N_, ExampleError
from mha_core.example.learning import HeadTargets, Learning
from mha_core.example.model import Dims, Example, Head, Matrix, Row, has_values, key_tokens, kv_head_of
from mha_core.example.validate import validate
from mha_core.exercise.laws import Laws, numbers_differ, rows_differ
from mha_core.vocabulary import (
    COMPUTED,
    HEAD_BIASES,
    HEAD_GAINS,
    HEAD_MATRICES,
    HEAD_NUMBERS,
    SCORING,
    STARTS,
    STEPS,
)

MOST_TOKENS: Final = 6
MOST_HEADS: Final = 4
_MOST_DRAWS: Final = 160
_MOST_COMPARED: Final = 5_500
_TRIES_OF_A_PART: Final = 40
_TRIES_OF_A_MATRIX: Final = 60
"""The most draws in all, mistakes compared in all, draws of a part (heads or W_O), and draws of a matrix.

Each part is tested before the next is drawn. A draw takes time in proportion to the mistakes that it can show, so
exercises with many have fewer draws. None of 136 exercises from built-in examples needed more than either limit."""
_NEAR: Final = 2
_FAR: Final = 5
_TRIES_IF_FAR: Final = 15
_MOST_HOPELESS: Final = 4
"""A part is given up if each of its first 15 draws has more than 5 faults. All laws are given up once 4 parts ended
with more than 2. No numbers can keep some laws, such as those of a huge divisor, and the reader should not wait."""
_CPU: Final = Backend("cpu", "float64")
_X: Final = (-2, -1, 0, 1, 2)
_W: Final = (-2, -1, -1, 0, 1, 1, 2)
_W_OF_SCORES: Final = (-1, 0, 1)
"""Small, so that no query gives all its weight to one key."""
_BIASES: Final = (-2, -1, 1, 2)

_Number: TypeAlias = Callable[[tuple[int, ...]], float]
"""Draws one of the numbers that it is given."""
_Part: TypeAlias = Callable[[Example, _Number], Example]


def exercise(example: Example, seed: int) -> Example:
    """An exercise like ``example``. The same seed gives the same exercise.

    Raises ``ExampleError`` where the example is too large to be worked out by hand, or its heads do not start at X.
    """
    if _is_large(example):
        raise ExampleError(
            N_("an exercise has at most {tokens} tokens and {heads} heads"),
            tokens=MOST_TOKENS,
            heads=MOST_HEADS,
        )
    if not _starts_at_x(example):
        raise ExampleError(N_("an exercise needs heads that start from X, with W_Q, W_K and W_V"))
    random = Random(f"exercise {seed}")
    drawn = _draw_example(_without_numbers(example), sizes(example), random)
    if example.learning is not None:
        drawn = replace(drawn, learning=_goal(example.learning, drawn, random))
    return validate(drawn)


def varies(example: Example) -> bool:
    """Whether ``exercise`` can make exercises like this example."""
    return not _is_large(example) and _starts_at_x(example)


def _is_large(example: Example) -> bool:
    return max(example.dims.n_q, example.dims.n_k) > MOST_TOKENS or example.dims.h > MOST_HEADS


def _starts_at_x(example: Example) -> bool:
    starts = all(
        getattr(example.heads[kv_head_of(example, name, head)], name) is not None
        for name, head in product(("w_q", "w_k", "w_v")[: 2 + has_values(example)], range(example.dims.h))
    ) and not any(getattr(head, name) for name in STARTS for head in example.heads)
    return example.x is not None and starts


def nothing_special(example: Example) -> Example:
    """The example with normally distributed numbers, in the sizes of an exercise.

    A mistake that they do not show, no exercise can show.
    """
    *_, last = _normal_parts(_without_numbers(example), sizes(example))
    return validate(last)


def _without_numbers(example: Example) -> Example:
    """The example without what belongs to its numbers."""
    return replace(
        example,
        context_tokens=None if example.context is None else key_tokens(example),
        positions=example.positions
        and replace(example.positions, frequencies=None, context_frequencies=None),
        claimed=None,
        asked=None,
        attempt=None,
        puzzle=None,
        learning=None,
        note=None,
    )


def askable(example: Example) -> tuple[str, ...]:
    """The steps that an exercise can ask for, in order."""
    forward = {step.name for step in graph(example)}
    return tuple(name for name in COMPUTED if name in forward.union(backward(example).by_name()))


def usually_asked(example: Example) -> tuple[str, ...]:
    """What is asked for where nothing is chosen: the steps that the example asks for, or the last two."""
    return example.asked or tuple(name for name in askable(example) if name in STEPS)[-2:]


def given_away(example: Example, steps: Collection[str]) -> dict[str, str]:
    """The given tables that give away a table of the ``steps``: each of their cells comes from a single cell of it.

    ``{"scaled_scores": "scores"}`` if the scores and the weights are to be worked out. Tables after the last of the
    steps are not given.
    """
    sources: dict[str, str] = {}
    last = max(map(COMPUTED.index, steps), default=-1)
    for step in (*graph(example), *backward(example).by_name().values()):
        if step.name in steps or COMPUTED.index(step.name) > last:
            continue
        tables = {sources.get(table.name, table.name): table for table in step.tables}
        readable = [
            name for name, table in tables.items() if name in steps and set(table.index) <= set(step.index)
        ]
        if len(readable) == 1:
            sources[step.name] = readable[0]
    return sources


# --- drawing -----------------------------------------------------------------------------------------------------


def _draw_example(template: Example, dims: Dims, random: Random) -> Example:
    """New numbers: X, then head by head (group by group if heads share keys), then W_O.

    Each part is drawn until the example so far keeps the laws. If no draw of a part does, the rest is drawn once and
    everything starts again. If every attempt fails, the one that breaks the fewest laws is returned.
    """
    parts, hopeless = _parts(template, dims), 0
    laws = [_laws(plain) for plain in _normal_parts(replace(template, title="", source=None), dims)]
    left = iter(range(min(_MOST_DRAWS, _MOST_COMPARED // max(1, laws[-1].mistakes))))
    draws: list[tuple[int, Example]] = []
    while not draws or (draws[-1][0] and hopeless < _MOST_HOPELESS and next(left, None) is not None):
        faults, drawn = 0, _rows(template, dims, random.choice)
        for part, law in zip(parts, laws, strict=True):
            tries = 0 if faults else _TRIES_OF_A_PART
            faults, drawn = _best_draw(law, partial(part, drawn, random.choice), islice(left, tries))
            hopeless += tries > 0 and faults > _NEAR
        draws.append((faults, drawn))
    return min(draws, key=_faults)[1]


@lru_cache(maxsize=32)
def _laws(plain: Example) -> Laws:
    """The laws for examples like this one, which has normally distributed numbers; exercises of one kind share them."""
    return Laws(trace(plain, _CPU))


def _best_draw(laws: Laws, draw: Callable[[], Example], left: Iterator[int]) -> tuple[int, Example]:
    """The number of broken laws and the draw: the first that breaks none, or the best when ``left`` runs out."""
    draws: list[tuple[int, Example]] = []
    fewest: int | None = None
    while fewest is None or (
        fewest and not _is_hopeless(len(draws), fewest) and next(left, None) is not None
    ):
        drawn = draw()
        draws.append((laws.faults(trace(drawn, _CPU), fewest), drawn))
        fewest = min(map(_faults, draws))
    return min(draws, key=_faults)


def _is_hopeless(draws: int, fewest: int) -> bool:
    return draws >= _TRIES_IF_FAR and fewest > _FAR


def _faults(draw: tuple[int, Example]) -> int:
    return draw[0]


def _normal_parts(template: Example, dims: Dims) -> Iterator[Example]:
    """An example of normally distributed numbers, after each part."""
    random = Random("numbers with nothing special")

    def number(_: tuple[int, ...]) -> float:
        return random.gauss()

    so_far = _rows(template, dims, number)
    for part in _parts(template, dims):
        so_far = part(so_far, number)
        yield so_far


def _rows(template: Example, dims: Dims, number: _Number) -> Example:
    """An example with these tokens and no heads."""

    def rows(name: str) -> Matrix | None:
        if getattr(template, name) is None:
            return None
        return _first_good(rows_differ, partial(_matrix, dims, name, _X, number))

    return replace(template, x=rows("x"), context=rows("context"), heads=(), w_o=None, b_o=None)


def _first_good(good: Callable[[Matrix], bool], draw: Callable[[], Matrix]) -> Matrix:
    """The first good draw, or else the last."""
    for _ in range(_TRIES_OF_A_MATRIX):
        drawn = draw()
        if good(drawn):
            break
    return drawn


def _parts(template: Example, dims: Dims) -> list[_Part]:
    """Functions that add one part each, until an example is complete like the template."""
    size = 1 if template.kv_heads is None else dims.h // template.kv_heads

    def more_heads(first: int, so_far: Example, number: _Number) -> Example:
        heads = tuple(_head(head, dims, so_far, number) for head in template.heads[first : first + size])
        return replace(so_far, heads=so_far.heads + heads, kv_heads=template.kv_heads and first // size + 1)

    def output(so_far: Example, number: _Number) -> Example:
        b_o = None if template.b_o is None else _row(dims, "b_o", number)
        return replace(so_far, w_o=_matrix(dims, "w_o", _W, number), b_o=b_o)

    heads: list[_Part] = [partial(more_heads, first) for first in range(0, dims.h, size)]
    return heads if template.w_o is None else [*heads, output]


def _goal(template: Learning, drawn: Example, random: Random) -> Learning:
    """A goal about the same step: new targets for as many rows, of weights a key that the query may attend to."""
    rows, cols = drawn.dims.shape(template.step)
    if template.step != "weights":
        given = [at for at, row in enumerate(template.targets[:rows]) if row is not None] or [0]
        targets = (_matrix(drawn.dims, template.step, _X, random.choice)[at] for at in range(rows))
        return replace(
            template, targets=tuple(row if at in given else None for at, row in enumerate(targets))
        )
    weights = trace(drawn, _CPU).values["weights"]

    def keys(head: int) -> HeadTargets:
        before = template.of_head(head)
        open_ = [[key for key in range(cols) if row[key]] for row in weights[head]]
        given = [
            at for at in range(rows) if open_[at] and before and (before[at : at + 1] or (None,)) != (None,)
        ]
        return (
            tuple(random.choice(open_[at]) if at in given else None for at in range(rows)) if given else None
        )

    return replace(template, targets=tuple(map(keys, range(drawn.dims.h))))


def _head(template: Head, dims: Dims, so_far: Example, number: _Number) -> Head:
    rows = [name for name in (*HEAD_BIASES, "v_a") if getattr(template, name) is not None]
    given: dict[str, Any] = {name: _row(dims, name, number) for name in rows}
    for name in (name for name in HEAD_MATRICES if name.startswith(("w_", "u_")) and getattr(template, name)):
        source = {"w_q": so_far.x, "w_k": so_far.source_rows, "w_v": so_far.source_rows}.get(name)
        bias = given.get(f"b_{name[-1]}") or (0.0,) * dims.shape(name)[1]
        draw = partial(_matrix, dims, name, _W if name == "w_v" else _W_OF_SCORES, number)
        given[name] = draw() if source is None else _first_good(partial(_teaches, source, bias), draw)
    kept = {name: getattr(template, name) for name in HEAD_NUMBERS}
    for name in HEAD_GAINS:  # of columns that an exercise may have more or fewer of
        gains = getattr(template, name)
        kept[name] = gains and (*gains, *(1.0,) * dims.d_k)[: dims.d_k]
    return Head(**given, **kept)


def _teaches(rows: Matrix, bias: Row, weight: Matrix) -> bool:
    """Whether rows·weight + bias has rows and numbers that differ."""
    columns = list(zip(*weight, bias, strict=True))
    return numbers_differ([[sum(map(mul, row, column)) + column[-1] for column in columns] for row in rows])


def _matrix(dims: Dims, name: str, choices: tuple[int, ...], number: _Number) -> Matrix:
    rows, cols = dims.shape(name)
    return tuple(tuple(float(number(choices)) for _ in range(cols)) for _ in range(rows))


def _row(dims: Dims, name: str, number: _Number) -> Row:
    return tuple(float(number(_BIASES)) for _ in range(dims.shape(name)[1]))


# --- sizes -------------------------------------------------------------------------------------------------------


def sizes(example: Example) -> Dims:
    """The sizes nearest to the example's under which mistakes do not coincide.

    d_k is neither d_model nor a number of tokens, and d_model is neither d_k² nor the number of keys. With rotary
    positions d_k is even. There is always a choice: of 2, 4 and 6 at least one is not a number of tokens, and of the
    four d_model at most three coincide.
    """
    dims, rotary = example.dims, example.positions is not None and example.positions.kind == "rotary"

    def cost(one: tuple[int, int, int]) -> tuple[int, tuple[int, int, int]]:
        return sum(abs(a - b) for a, b in zip(one, (dims.d_model, dims.d_k, dims.d_v), strict=True)), one

    d_model, d_k, d_v = min(_candidates(dims, rotary), key=cost)
    d_context = d_model if example.context is None else max(2, min(dims.d_context, 4))
    d_a = d_k if SCORING[example.scoring].square else dims.d_a
    d_out = dims.d_out and max(2, min(dims.d_out, 4))
    d_v = d_v if has_values(example) else 0
    return replace(dims, d_model=d_model, d_context=d_context, d_k=d_k, d_v=d_v, d_out=d_out, d_a=d_a)


def _candidates(dims: Dims, rotary: bool) -> Iterator[tuple[int, int, int]]:
    for d_model, d_k, d_v in product(range(2, 6), range(2, 7), range(1, 5)):
        coincide = d_k in (dims.n_q, dims.n_k, d_model) or d_model in (d_k * d_k, dims.n_k)
        if not coincide and not (rotary and d_k % 2):
            yield d_model, d_k, d_v
