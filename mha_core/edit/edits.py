"""Edits: an example and one edit → the next example. Pure, and every result is valid.

``read_edit`` makes an edit of what the page sends: ``{"op": "set", "matrix": "w_q", "head": 1, …}``. Growing keeps the
numbers and adds zeros; new pairs of a mask may attend. An edit that does not fit raises ``ExampleError``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from mha_core.edit.axes import require_size
from mha_core.edit.claims import claim_block, claim_text, clear_claims, without_stale_claims
from mha_core.edit.edit import (
    AddHead,
    AddToken,
    ClaimBlock,
    ClaimText,
    ClearClaims,
    Edit,
    Fill,
    Learn,
    Permute,
    RemoveHead,
    RemoveToken,
    RenameToken,
    Resize,
    SetBlock,
    SetKvHeads,
    SetLearning,
    SetLecture,
    SetMask,
    SetNorm,
    SetPositions,
    SetPuzzle,
    SetScale,
    SetScoring,
    SetSentence,
    SetSoftcap,
    SetTitle,
    SwitchBiases,
    SwitchContext,
    SwitchHeadMask,
    SwitchOutput,
    SwitchSinks,
    SwitchValues,
)
from mha_core.edit.fields import RESIZABLE, Which
from mha_core.edit.layer import (
    switch_biases,
    switch_context,
    switch_head_mask,
    switch_kv_heads,
    switch_mask,
    switch_norm,
    switch_positions,
    switch_scale,
    switch_scoring,
    switch_sinks,
    switch_softcap,
    switch_values,
    switch_w_o,
)
from mha_core.edit.matrices import cell_value, filled, given_matrix, mask_as_painted, place_of, with_matrix
from mha_core.edit.sentence import set_sentence
from mha_core.edit.sizes import add_head, add_token, permute, remove_head, remove_token, rename_token, resize
from mha_core.edit.targets import without_lost_goal
from mha_core.errors import N_, ExampleError
from mha_core.example.lecture import Lecture
from mha_core.example.model import (
    Example,
    adds_numbers,
    head_mask,
    keys_are_queries,
    mask_matrix,
    without_stale_note,
)
from mha_core.example.validate import validate
from mha_core.learn.descent import descend_fully
from mha_core.vocabulary import AXES, MASKS


def apply(example: Example, edit: Edit) -> Example:
    """The example after one edit. Its note and source are removed where they describe other numbers or tokens,
    and so are a puzzle's tokens in other languages where the tokens change, and a goal that nothing is left of.

    ``example`` is valid already, so only what the edit changes is validated.

    Raises ``ExampleError`` where the edit names a place that is not there, or breaks the format.
    """
    changed = _CHANGES[type(edit)](example, edit)
    return finished(changed if isinstance(edit, SetLearning) else without_lost_goal(changed), example)


def finished(changed: Example, before: Example) -> Example:
    """What has been changed of an example, validated, and without a note that is about other numbers."""
    return validate(without_stale_note(changed, before), before)


def _set_block(example: Example, edit: SetBlock) -> Example:
    """Write a block of numbers from (row, col) on: one cell, or a pasted range. None leaves a cell as it is.

    ``grow``: where there is no room, the matrix and all that must fit it are made larger first.
    """
    name, head, row, col, block = edit.matrix, edit.head, edit.row, edit.col, edit.values
    _require_rectangular(block, place_of(name, head))
    if edit.grow:
        example = _grown(example, name, row + len(block), col + len(block[0]))
    is_mask = name == mask_matrix(example) and (
        head is None if name == "mask" else _has_head_mask(example, head)
    )
    matrix = mask_as_painted(example, head) if is_mask else given_matrix(example, name, head)
    if row + len(block) > len(matrix) or col + len(block[0]) > len(matrix[0]):
        raise ExampleError(
            NO_ROOM,
            place=place_of(name, head),
            row=row + 1,
            col=col + 1,
            rows=len(matrix) - row,
            cols=len(matrix[0]) - col,
            got_rows=len(block),
            got_cols=len(block[0]),
        )
    kind = name if name not in MASKS else "add" if adds_numbers(example) else "allow"
    rows = [list(cells) for cells in matrix]
    for i, cells in enumerate(block):
        for j, value in enumerate(cells):
            if value is not None:
                rows[row + i][col + j] = cell_value(kind, value, place_of(name, head, row + i, col + j))
    return with_matrix(example, name, head, tuple(map(tuple, rows)))


def _has_head_mask(example: Example, head: int | None) -> bool:
    return head is not None and head < len(example.heads) and head_mask(example, head) is not None


NO_ROOM = N_(
    "this block is {got_rows} × {got_cols}, but only {rows} × {cols} fits from row {row}, column {col}"
)


def _require_rectangular(block: Sequence[Sequence[object]], place: str) -> None:
    for at, cells in enumerate(block):
        if len(cells) != len(block[0]):
            raise ExampleError(
                N_("the rows of this block have different lengths: {first} in row 1, {got} in row {row}"),
                place=place,
                row=at + 1,
                got=len(cells),
                first=len(block[0]),
            )


def _grown(example: Example, name: str, rows: int, cols: int) -> Example:
    """The example with a matrix of at least rows × cols, as far as its sizes can be changed."""
    for along, length in zip(AXES[name], (rows, cols), strict=True):
        axis, wanted = _size_to_change(example, along, length)
        if axis in ("n_q", "n_k"):
            which: Which = "tokens" if axis == "n_q" or keys_are_queries(example) else "context_tokens"
            require_size(axis, wanted)
            while example.dims.size(axis) < wanted:
                example = add_token(example, AddToken(which=which))
        elif axis in RESIZABLE and example.dims.size(axis) < wanted:
            example = resize(example, Resize(axis=axis, size=wanted))
    return example


def _size_to_change(example: Example, axis: str, length: int) -> tuple[str, int]:
    """Which size to change, and its new value, so that an axis of a matrix has at least this length."""
    if axis == "h·d_v":
        return "d_v", -(-length // example.dims.h)
    if axis == "d_context" and example.context is None:
        return "d_model", length
    rotary = example.positions is not None and example.positions.kind == "rotary"
    return axis, length + length % 2 if axis == "d_k" and rotary else length


def _fill(example: Example, edit: Fill) -> Example:
    """Fill a matrix with zeros, the identity, small integers or normal numbers, the last two by seed."""
    name, head = edit.matrix, edit.head
    matrix = given_matrix(example, name, head)
    return with_matrix(example, name, head, filled(len(matrix), len(matrix[0]), edit.with_, edit.seed))


def _set_title(example: Example, edit: SetTitle) -> Example:
    return replace(example, title=edit.text)


def _set_lecture(example: Example, edit: SetLecture) -> Example:
    """Set the lecture, or remove it where it is empty."""
    return replace(example, lecture=None if edit.lecture == Lecture() else edit.lecture)


def _set_puzzle(example: Example, edit: SetPuzzle) -> Example:
    """Set the puzzle, or remove it with its story: that is the task, which the numbers alone do not have."""
    left = replace(example, note=None) if example.puzzle and not edit.puzzle else example
    return replace(left, puzzle=edit.puzzle)


def _set_learning(example: Example, edit: SetLearning) -> Example:
    return without_stale_claims(replace(example, learning=edit.learning))


def _learn(example: Example, edit: Learn) -> Example:
    return descend_fully(example, edit.steps).example


_CHANGES: dict[type[Edit], Callable[[Example, Any], Example]] = {
    SetBlock: _set_block,
    Fill: _fill,
    RenameToken: rename_token,
    AddToken: add_token,
    RemoveToken: remove_token,
    Permute: permute,
    SetSentence: set_sentence,
    AddHead: add_head,
    RemoveHead: remove_head,
    Resize: resize,
    SwitchOutput: switch_w_o,
    SwitchValues: switch_values,
    SwitchBiases: switch_biases,
    SetMask: switch_mask,
    SwitchHeadMask: switch_head_mask,
    SetScale: switch_scale,
    SetSoftcap: switch_softcap,
    SwitchSinks: switch_sinks,
    SetNorm: switch_norm,
    SwitchContext: switch_context,
    SetScoring: switch_scoring,
    SetKvHeads: switch_kv_heads,
    SetPositions: switch_positions,
    SetTitle: _set_title,
    SetLecture: _set_lecture,
    SetPuzzle: _set_puzzle,
    SetLearning: _set_learning,
    Learn: _learn,
    ClaimBlock: claim_block,
    ClaimText: claim_text,
    ClearClaims: clear_claims,
}
"""The function that applies each edit."""
