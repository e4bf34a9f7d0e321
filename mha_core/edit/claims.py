"""Filling in one's own numbers: edits of ``Example.claimed``. Cells keep their printed digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mha_core.compute.backward import backward
from mha_core.compute.graph import graph, head_graph
from mha_core.edit.edit import ClaimBlock, ClaimText, ClearClaims
from mha_core.edit.paste import read_matrices
from mha_core.edit.shapes import NOT_FITTING, shape_mistake
from mha_core.errors import N_, ExampleError
from mha_core.example.claims_file import printed_number
from mha_core.example.model import Claim, Example, absent_steps
from mha_core.quoted import quoted
from mha_core.vocabulary import BACKWARD_STEPS, COMPUTED, PER_HEAD, STEPS


def claim_block(example: Example, edit: ClaimBlock) -> Example:
    """Write printed numbers from (row, col) on; "" clears a cell, None leaves it as it is."""
    step, head, row, col, block = edit.matrix, edit.head, edit.row, edit.col, edit.values
    _require_step(example, step, head)
    grid = _grid(example, step, head)
    if row + len(block) > len(grid) or col + max(map(len, block)) > len(grid[0]):
        raise _shape_error(example, step, head, len(block) + row, max(map(len, block)) + col, "")
    for i, cells in enumerate(block):
        for j, text in enumerate(cells):
            if text is not None:
                grid[row + i][col + j] = _read_cell(text, f"{_place(step, head)}[{row + i}][{col + j}]")
    return _with_grids(example, step, {head: grid})


def claim_text(example: Example, edit: ClaimText) -> Example:
    """Write what is read from a text (``paste.read_matrices``), from (row, col) on.

    Several matrices go to this head and the ones after it. ``whole``: each must have the step's shape. Where another
    shape is the result of a known mistake, the error names it.
    """
    step, head, row, col = edit.matrix, edit.head, edit.row, edit.col
    _require_step(example, step, head)
    matrices = read_matrices(edit.text)
    most = 1 if head is None else len(example.heads) - head
    heads = [None] if head is None else list(range(head, head + len(matrices)))
    if len(matrices) > most:
        raise ExampleError(
            N_("there is space for {most} matrices, got {got}"),
            place=_place(step, head),
            most=most,
            got=len(matrices),
        )
    grids = {}
    for at, matrix in zip(heads, matrices, strict=True):
        grid = _grid(example, step, at)
        rows, cols = row + len(matrix), col + len(matrix[0])
        fits = rows <= len(grid) and cols <= len(grid[0])
        incomplete = edit.whole and (rows, cols) != (len(grid), len(grid[0]))
        mistake = "" if (row, col) != (0, 0) else shape_mistake(example, step, matrix)
        if mistake or incomplete or not fits:
            raise _shape_error(example, step, at, len(matrix), len(matrix[0]), mistake)
        for i, cells in enumerate(matrix):
            for j, printed in enumerate(cells):
                grid[row + i][col + j] = printed if printed is not None else grid[row + i][col + j]
        grids[at] = grid
    return _with_grids(example, step, grids)


def clear_claims(example: Example, edit: ClearClaims) -> Example:
    """Remove all claimed numbers, or those of one matrix."""
    step, head = edit.matrix, edit.head
    if step is None:
        return replace(example, claimed=None)
    _require_step(example, step, head)
    rows, cols = example.dims.shape(step)
    return _with_grids(example, step, {head: [[None] * cols for _ in range(rows)]})


def claimed_rows(example: Example, step: str, head: int | None) -> list[list[Claim]] | None:
    """A claimed matrix as rows of printed numbers, None for cells without one; None where there is no claim."""
    claim = (example.claimed or {}).get(step)
    if claim is not None and head is not None:
        claim = claim[head]
    if claim is None:
        return None
    width = example.dims.shape(step)[1]
    return [[None] * width if row is None else list(row) for row in claim]


def tables(example: Example) -> list[tuple[str, int | None]]:
    """What can be filled in, by step and head: the computed matrices, not those that a head is given."""
    heads = enumerate(example.heads)
    per_head = [(step.name, index) for index, head in heads for step in head_graph(example, head)]
    layer = [(step.name, None) for step in graph(example) if not step.per_head]
    return [*per_head, *layer, *((step.name, head) for step, head in backward(example).places())]


def without_stale_claims(example: Example) -> Example:
    """The example without claims of steps that it no longer has."""
    absent = {*absent_steps(example), *set(BACKWARD_STEPS).difference(backward(example).by_name())}
    claimed = {step: claim for step, claim in (example.claimed or {}).items() if step not in absent}
    return replace(example, claimed=claimed or None)


def _require_step(example: Example, step: str, head: int | None) -> None:
    """Raises ``ExampleError`` where the example has no such table to fill in."""
    exists = step in STEPS and step not in absent_steps(example)
    if not exists or (step in PER_HEAD) != (head is not None) or (head or 0) >= len(example.heads):
        exists = (step, head) in {(slope.name, at) for slope, at in backward(example).places()}
    if not exists:
        place = _place(step, head) if step in COMPUTED else str(quoted(step))
        raise ExampleError(N_("this example has no such step"), place=place)


def _place(step: str, head: int | None) -> str:
    return f"claimed.{step}" if head is None else f"claimed.{step}[{head}]"


def _shape_error(
    example: Example, step: str, head: int | None, rows: int, cols: int, mistake: str
) -> ExampleError:
    wanted = example.dims.shape(step)
    return ExampleError(
        NOT_FITTING[mistake],
        place=_place(step, head),
        rows=wanted[0],
        cols=wanted[1],
        got_rows=rows,
        got_cols=cols,
    )


def _read_cell(text: object, place: str) -> str | None:
    if text == "":
        return None
    printed = printed_number(text) if isinstance(text, str) else None
    if printed is None:
        raise ExampleError(N_("expected a number, got {got}"), place=place, got=quoted(text))
    return printed


def _grid(example: Example, step: str, head: int | None) -> list[list[Claim]]:
    rows, cols = example.dims.shape(step)
    return claimed_rows(example, step, head) or [[None] * cols for _ in range(rows)]


def _with_grids(
    example: Example, step: str, grids: Mapping[int | None, Sequence[Sequence[Claim]]]
) -> Example:
    """The example with these matrices claimed; matrices without a number are left out."""
    claimed: dict[str, Any] = dict(example.claimed or {})
    if step not in PER_HEAD:
        claimed[step] = _tidy(grids[None])
    else:
        heads = list(claimed.get(step) or [None] * len(example.heads))
        for head, grid in grids.items():
            heads[head] = _tidy(grid)  # type: ignore[index]  # per-head steps have heads
        claimed[step] = None if all(head is None for head in heads) else tuple(heads)
    given = {name: claimed[name] for name in COMPUTED if claimed.get(name) is not None}
    return replace(example, claimed=given or None)


def _tidy(grid: Sequence[Sequence[Claim]]) -> tuple[tuple[Claim, ...] | None, ...] | None:
    rows = tuple(None if all(cell is None for cell in row) else tuple(row) for row in grid)
    return None if all(row is None for row in rows) else rows
