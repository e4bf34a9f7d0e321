"""A reading as an example: which grid is which matrix, in which convention, with which divisor and mask.

Inputs are the numbers that nothing computes; every other matrix is a claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from mha_core.errors import ExampleError
from mha_core.example.model import (
    MAX_HEADS,
    NEG_INF,
    AddMask,
    AllowMask,
    Example,
    Head,
    Mask,
    Matrix,
    Scale,
    absent_steps,
)
from mha_core.example.validate import validate
from mha_core.read.grids import Cell, Grid
from mha_core.vocabulary import PER_HEAD, STEPS, WHOLE_LAYER_STEPS

Key: TypeAlias = tuple[str, int | None]
"""A matrix and its head, counted from 0; None for the whole layer's."""
Form: TypeAlias = Literal["rows", "columns", "columns, scores by query", "weights by output"]
"""How a text writes its matrices: tokens as rows; tokens as columns (W·X); only W transposed, as in torch.nn.Linear."""
FORMS: Final[tuple[Form, ...]] = ("rows", "weights by output", "columns", "columns, scores by query")
_SCORES: Final = ("scores", "scaled_scores", "masked_scores", "weights", "mask")
_WEIGHTS: Final = ("w_q", "w_k", "w_v", "w_o")
_ROWS: Final = ("b_q", "b_k", "b_v", "b_o")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a text's grids. ``grids``: what each matrix is printed as; ``turned``: those with a ᵀ."""

    grids: Mapping[Key, Grid]
    turned: frozenset[Key] = frozenset()
    form: Form = "rows"
    scale: Scale = "sqrt_dk"
    mask: Mask = None
    tokens: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Assembled:
    """The example of a reading, and each claimed or given matrix in rows, by its key."""

    example: Example
    cells: Mapping[Key, tuple[tuple[Cell, ...], ...]] = field(default_factory=dict)


def assemble(reading: Reading) -> Assembled | None:
    """The example of a reading; None where its grids make no example."""
    cells = _in_rows(reading)
    h = max((head + 1 for _, head in cells if head is not None), default=0)
    if not 1 <= h <= MAX_HEADS:
        return None
    cells = _split(cells, h)
    numbers = {key: matrix for key, rows in cells.items() if (matrix := _matrix(rows)) is not None}
    inputs = _inputs(numbers, h)
    try:
        return _example(reading, cells, numbers, inputs, h)
    except (ExampleError, ValueError, IndexError):
        return None


def _in_rows(reading: Reading) -> dict[Key, tuple[tuple[Cell, ...], ...]]:
    """Every matrix with tokens as rows."""
    found = {}
    for key, grid in reading.grids.items():
        turn = (key in reading.turned) != _is_turned(key[0], reading.form)
        if key[0] in _ROWS:
            turn = grid.shape[0] > 1 and grid.shape[1] == 1
        found[key] = tuple(zip(*grid.rows, strict=True)) if turn else grid.rows
    return found


def _is_turned(name: str, form: Form) -> bool:
    if form == "weights by output":
        return name in _WEIGHTS
    return form == "columns" or (form == "columns, scores by query" and name not in _SCORES)


def _split(cells: dict[Key, Any], h: int) -> dict[Key, Any]:
    """Matrices of all heads side by side, given to the heads."""
    result = {}
    for (name, head), rows in cells.items():
        if head is not None or name not in PER_HEAD or name == "mask":
            result[name, head] = rows
        elif h == 1:
            result[name, 0] = rows
        elif len(rows[0]) % h == 0 and name in (
            "w_q",
            "w_k",
            "w_v",
            "q",
            "k",
            "v",
            "b_q",
            "b_k",
            "b_v",
            "head_outputs",
        ):
            width = len(rows[0]) // h
            for g in range(h):
                result.setdefault((name, g), tuple(row[g * width : (g + 1) * width] for row in rows))
    return result


def _matrix(rows: Sequence[Sequence[Cell]]) -> Matrix | None:
    """The numbers of a matrix that is given in full."""
    if any(cell.text in (None, "inf") for row in rows for cell in row):
        return None
    return tuple(tuple(float(cell.text or 0) for cell in row) for row in rows)


def _inputs(numbers: Mapping[Key, Matrix], h: int) -> set[Key]:
    """The matrices that the computation starts from."""
    inputs = {key for key in numbers if key[0] in ("x", "context", "w_o", "b_o", "mask")}
    for g in range(h):
        for letter in "qkv":
            source = "context" if letter != "q" and ("context", None) in numbers else "x"
            if (f"w_{letter}", g) in numbers and (source, None) in numbers:
                inputs |= {key for key in ((f"w_{letter}", g), (f"b_{letter}", g)) if key in numbers}
            elif (letter, g) in numbers:
                inputs.add((letter, g))
        if not {("q", g), ("w_q", g)} & inputs or not {("k", g), ("w_k", g)} & inputs:
            inputs -= {(name, g) for name in ("q", "k", "w_q", "w_k", "b_q", "b_k")}
            inputs |= {("weights", g)} & numbers.keys()
    return inputs


def _example(
    reading: Reading, cells: dict[Key, Any], numbers: dict[Key, Matrix], inputs: set[Key], h: int
) -> Assembled:
    heads = tuple(_head({name: numbers[name, g] for name, head in inputs if head == g}) for g in range(h))
    values = any(head.v or head.w_v for head in heads)
    whole = {name: numbers[name, None] for name, head in inputs if head is None}
    projected = any(key in inputs and key[0].startswith("w_") and key[1] is not None for key in inputs)
    n_q = _count(whole.get("x") if projected else None, numbers, cells)
    example = Example(
        title="",
        tokens=reading.tokens
        if reading.tokens and len(reading.tokens) == n_q
        else tuple(str(i + 1) for i in range(n_q)),
        heads=heads,
        x=whole.get("x") if projected else None,
        context=whole.get("context") if projected else None,
        w_o=whole.get("w_o") if values else None,
        b_o=whole["b_o"][0] if "w_o" in whole and "b_o" in whole else None,
        scale=reading.scale,
        mask=_mask(whole.get("mask")) or reading.mask,
    )
    absent = set(absent_steps(example))
    claims: dict[str, Any] = {}
    kept = {key: rows for key, rows in cells.items() if key in inputs}
    for (name, head), rows in cells.items():
        if (name, head) in inputs or name not in STEPS or name in absent:
            continue
        full = _filled(rows, example.dims.shape(name))
        if full is None:
            continue
        kept[name, head] = full
        texts = tuple(tuple(_claim(cell) for cell in row) for row in full)
        if name in WHOLE_LAYER_STEPS:
            claims[name] = texts
        elif head is not None:
            claims.setdefault(name, [None] * h)[head] = texts
    claimed = {
        name: claims[name] if name in WHOLE_LAYER_STEPS else tuple(claims[name])
        for name in STEPS
        if name in claims
    }
    return Assembled(validate(replace(example, claimed=claimed or None)), kept)


def _head(given: dict[str, Any]) -> Head:
    return Head(**{name: rows[0] if name in _ROWS else rows for name, rows in given.items()})


def _count(x: Matrix | None, numbers: Mapping[Key, Matrix], cells: Mapping[Key, Any]) -> int:
    """The number of queries."""
    if x is not None:
        return len(x)
    rows = [len(matrix) for (name, _), matrix in numbers.items() if name in ("q", "weights", "scores")]
    return rows[0] if rows else len(next(iter(cells.values())))


def _claim(cell: Cell) -> str | None:
    return None if cell.text == "inf" else cell.text


def _filled(rows: Sequence[Sequence[Cell]], shape: tuple[int, int]) -> tuple[tuple[Cell, ...], ...] | None:
    """The rows in this shape, with blank cells for what was left out; None where they do not fit."""
    if any(cell.left_out for row in rows for cell in row):
        rows = _stretched([list(row) for row in rows], shape[0], lambda row: all(c.left_out for c in row))
        columns = _stretched(
            [list(c) for c in zip(*rows, strict=True)], shape[1], lambda c: all(cell.left_out for cell in c)
        )
        rows = [list(row) for row in zip(*columns, strict=True)]
    if (len(rows), len(rows[0]) if rows else 0) != shape:
        return None
    return tuple(tuple(row) for row in rows)


def _stretched(lines: list[list[Cell]], count: int, is_left_out: Any) -> list[list[Cell]]:
    gaps = [at for at, line in enumerate(lines) if is_left_out(line)]
    if len(gaps) != 1 or len(lines) - 1 > count:
        return lines
    blank = [Cell(None, cell.start, cell.start, left_out=True) for cell in lines[gaps[0]]]
    return [*lines[: gaps[0]], *[blank] * (count - len(lines) + 1), *lines[gaps[0] + 1 :]]


def _mask(rows: Matrix | None) -> Mask:
    """A printed mask: ones and zeros say who may attend, other numbers are added."""
    if rows is None:
        return None
    values = {number for row in rows for number in row}
    if values <= {0.0, 1.0}:
        return AllowMask(tuple(tuple(number == 1 for number in row) for row in rows))
    return AddMask(tuple(tuple(NEG_INF if number <= -1e8 else number for number in row) for row in rows))
