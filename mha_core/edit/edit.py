"""The edits: a frozen dataclass for every operation.

``read_edit`` is the boundary: it makes an edit of what a browser sends. Behind it every field has its declared type.
``as_data`` is the inverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, Literal

from mha_core.edit.fields import (
    AnyEps,
    AnyLearning,
    AnyLecture,
    AnyPuzzle,
    AnyScale,
    AnyScoring,
    AnySoftcap,
    Axis,
    Block,
    FillKind,
    Index,
    Instruction,
    MaskKind,
    Order,
    Texts,
    Which,
    Whole,
    by_op,
    json_name,
    read_instruction,
)
from mha_core.errors import N_, ExampleError
from mha_core.example.band import Corner
from mha_core.example.model import Pairs
from mha_core.vocabulary import NormName, PositionsName


class Edit(Instruction):
    """One change of an example."""


class SetBlock(Edit, op="set"):
    """Write a block of numbers from (row, col) on; None leaves a cell as it is.

    ``grow``: where there is no room, the matrix and all that must fit it are made larger first.
    """

    matrix: str
    head: Index | None = None
    row: Index
    col: Index
    values: Block
    grow: bool = False


class Fill(Edit, op="fill"):
    """Fill a matrix; integers and random numbers are drawn by ``seed``."""

    matrix: str
    head: Index | None = None
    with_: FillKind
    seed: Index = 0


class RenameToken(Edit, op="rename_token"):
    """Replace the text of a token."""

    which: Which
    index: Index
    text: str


class AddToken(Edit, op="add_token"):
    """Insert a token before ``index``, at the end where it is None. Without a text, its text is its number."""

    which: Which
    index: Index | None = None
    text: str = ""


class RemoveToken(Edit, op="remove_token"):
    """Remove a token, with its rows and columns."""

    which: Which
    index: Index


class Permute(Edit, op="permute"):
    """Token i is the one that was token ``order[i]``."""

    order: Order


class SetSentence(Edit, op="sentence"):
    """Replace the tokens with these words."""

    which: Which
    tokens: Texts


class AddHead(Edit, op="add_head"):
    """A new head after the last, or a copy of one."""

    copy: Index | None = None


class RemoveHead(Edit, op="remove_head"):
    """Remove a head, the last one where none is named."""

    head: Index | None = None


class Resize(Edit, op="resize"):
    """Set a size, or change it by ``by``."""

    axis: Axis
    by: Whole | None = None
    size: Index | None = None


class SwitchOutput(Edit, op="w_o"):
    """W_O on or off."""

    on: bool


class SwitchValues(Edit, op="values"):
    """V on or off."""

    on: bool


class SwitchBiases(Edit, op="biases"):
    """A bias for every weight matrix, or none."""

    on: bool


class SwitchContext(Edit, op="context"):
    """A context of its own, or none."""

    on: bool


class SetMask(Edit, op="mask"):
    """No mask, a causal one, a window, or one to paint. ``window`` and ``corner``: as they are, where left out.

    ``head``: the head whose own mask it is; None for the mask of all heads without their own.
    """

    kind: MaskKind
    head: Index | None = None
    window: Index | None = None
    corner: Corner | None = None


class SwitchHeadMask(Edit, op="head_mask"):
    """A mask of a head's own, which starts as the one that it has, or that of the example again."""

    head: Index
    on: bool


class SetScale(Edit, op="scale"):
    """What the scores are divided by."""

    value: AnyScale


class SetSoftcap(Edit, op="softcap"):
    """What no score exceeds, or None: scores are not capped."""

    value: AnySoftcap | None = None


class SetNorm(Edit, op="norm"):
    """How queries and keys are normalized; ``eps``: what is added to the mean square, where given."""

    kind: Literal["none", NormName]
    eps: AnyEps | None = None


class SwitchSinks(Edit, op="sinks"):
    """A sink for every head that computes its weights, or none."""

    on: bool


class SetScoring(Edit, op="scoring"):
    """How a score is computed from a query and a key; ``scale``: what it is divided by, where given."""

    kind: AnyScoring
    scale: AnyScale | None = None


class SetKvHeads(Edit, op="kv_heads"):
    """So many heads with keys and values of their own."""

    count: Whole


class SetPositions(Edit, op="positions"):
    """No positions, or one kind; which columns make a pair where they are rotary."""

    kind: Literal["none", PositionsName]
    pairs: Pairs | None = None


class SetTitle(Edit, op="title"):
    """Set the title."""

    text: str


class SetLecture(Edit, op="lecture"):
    """Set the lecture, or remove it."""

    lecture: AnyLecture | None = None


class SetPuzzle(Edit, op="puzzle"):
    """Set the puzzle, or remove it together with its note, which tells its task."""

    puzzle: AnyPuzzle | None = None


class SetLearning(Edit, op="learning"):
    """Set the goal to be learned and its rate, or remove it."""

    learning: AnyLearning | None = None


class Learn(Edit, op="learn"):
    """Take so many steps of gradient descent toward the goal."""

    steps: Whole = 1


class ClaimBlock(Edit, op="claim"):
    """Write printed numbers from (row, col) on; "" clears a cell, None leaves it as it is."""

    matrix: str
    head: Index | None = None
    row: Index
    col: Index
    values: Block


class ClaimText(Edit, op="claim_text"):
    """Write what is read from a text; ``whole``: each matrix in it must have the step's shape."""

    matrix: str
    head: Index | None = None
    row: Index = 0
    col: Index = 0
    text: str
    whole: bool = False


class ClearClaims(Edit, op="clear_claims"):
    """Remove all claimed numbers, or those of one matrix."""

    matrix: str | None = None
    head: Index | None = None


NO_EDIT: Final = N_("this is not an edit")
EDITS: Final = by_op(Edit)


def read_edit(data: Mapping[str, Any]) -> Edit:
    """The edit in plain data; a field that is left out, or null, has its default.

    Raises ``ExampleError`` where there is no such operation, or where a field is wrong or missing.
    """
    edit = read_instruction(EDITS, data)
    if edit is None:
        raise ExampleError(NO_EDIT)
    return edit


def as_data(edit: Edit) -> dict[str, Any]:
    """The edit as plain data, without fields that have their default."""
    data: dict[str, Any] = {"op": edit.op}
    for field in fields(edit):
        value = getattr(edit, field.name)
        if value != field.default:
            data[json_name(field.name)] = value
    return data
