"""The edits: a frozen dataclass for every operation.

``read_edit`` is the boundary: it makes an edit of what a browser sends. Behind it every field has its declared type.
``as_data`` is the inverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final, Literal

from mha_core.edit.fields import (
    AnyLecture,
    AnyScale,
    AnyScoring,
    Axis,
    Block,
    FillKind,
    Index,
    MaskKind,
    Order,
    Texts,
    Which,
    Whole,
    json_name,
    read_fields,
)
from mha_core.errors import N_, ExampleError
from mha_core.example.model import Pairs
from mha_core.vocabulary import PositionsName


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One change of an example. ``op`` is what the operation is called in JSON."""

    op: ClassVar[str]


@dataclass(frozen=True, kw_only=True)
class SetBlock(Edit):
    """Write a block of numbers from (row, col) on; None leaves a cell as it is.

    ``grow``: where there is no room, the matrix and all that must fit it are made larger first.
    """

    op = "set"
    matrix: str
    head: Index | None = None
    row: Index
    col: Index
    values: Block
    grow: bool = False


@dataclass(frozen=True, kw_only=True)
class Fill(Edit):
    """Fill a matrix; integers and random numbers are drawn by ``seed``."""

    op = "fill"
    matrix: str
    head: Index | None = None
    with_: FillKind
    seed: Index = 0


@dataclass(frozen=True, kw_only=True)
class RenameToken(Edit):
    """Replace the text of a token."""

    op = "rename_token"
    which: Which
    index: Index
    text: str


@dataclass(frozen=True, kw_only=True)
class AddToken(Edit):
    """Insert a token before ``index``, at the end where it is None. Without a text, its text is its number."""

    op = "add_token"
    which: Which
    index: Index | None = None
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class RemoveToken(Edit):
    """Remove a token, with its rows and columns."""

    op = "remove_token"
    which: Which
    index: Index


@dataclass(frozen=True, kw_only=True)
class Permute(Edit):
    """Token i is the one that was token ``order[i]``."""

    op = "permute"
    order: Order


@dataclass(frozen=True, kw_only=True)
class SetSentence(Edit):
    """Replace the tokens with these words."""

    op = "sentence"
    which: Which
    tokens: Texts


@dataclass(frozen=True, kw_only=True)
class AddHead(Edit):
    """A new head after the last, or a copy of one."""

    op = "add_head"
    copy: Index | None = None


@dataclass(frozen=True, kw_only=True)
class RemoveHead(Edit):
    """Remove a head, the last one where none is named."""

    op = "remove_head"
    head: Index | None = None


@dataclass(frozen=True, kw_only=True)
class Resize(Edit):
    """Set a size, or change it by ``by``."""

    op = "resize"
    axis: Axis
    by: Whole | None = None
    size: Index | None = None


@dataclass(frozen=True, kw_only=True)
class SwitchOutput(Edit):
    """W_O on or off."""

    op = "w_o"
    on: bool


@dataclass(frozen=True, kw_only=True)
class SwitchValues(Edit):
    """V on or off."""

    op = "values"
    on: bool


@dataclass(frozen=True, kw_only=True)
class SwitchBiases(Edit):
    """A bias for every weight matrix, or none."""

    op = "biases"
    on: bool


@dataclass(frozen=True, kw_only=True)
class SwitchContext(Edit):
    """A context of its own, or none."""

    op = "context"
    on: bool


@dataclass(frozen=True, kw_only=True)
class SetMask(Edit):
    """No mask, a causal one, or one to paint."""

    op = "mask"
    kind: MaskKind


@dataclass(frozen=True, kw_only=True)
class SetScale(Edit):
    """What the scores are divided by."""

    op = "scale"
    value: AnyScale


@dataclass(frozen=True, kw_only=True)
class SetScoring(Edit):
    """How a score is computed from a query and a key; ``scale``: what it is divided by, where given."""

    op = "scoring"
    kind: AnyScoring
    scale: AnyScale | None = None


@dataclass(frozen=True, kw_only=True)
class SetKvHeads(Edit):
    """So many heads with keys and values of their own."""

    op = "kv_heads"
    count: Whole


@dataclass(frozen=True, kw_only=True)
class SetPositions(Edit):
    """No positions, or one kind; which columns make a pair where they are rotary."""

    op = "positions"
    kind: Literal["none", PositionsName]
    pairs: Pairs | None = None


@dataclass(frozen=True, kw_only=True)
class SetTitle(Edit):
    """Set the title."""

    op = "title"
    text: str


@dataclass(frozen=True, kw_only=True)
class SetLecture(Edit):
    """Set the lecture, or remove it."""

    op = "lecture"
    lecture: AnyLecture | None = None


@dataclass(frozen=True, kw_only=True)
class ClaimBlock(Edit):
    """Write printed numbers from (row, col) on; "" clears a cell, None leaves it as it is."""

    op = "claim"
    matrix: str
    head: Index | None = None
    row: Index
    col: Index
    values: Block


@dataclass(frozen=True, kw_only=True)
class ClaimText(Edit):
    """Write what is read from a text; ``whole``: each matrix in it must have the step's shape."""

    op = "claim_text"
    matrix: str
    head: Index | None = None
    row: Index = 0
    col: Index = 0
    text: str
    whole: bool = False


@dataclass(frozen=True, kw_only=True)
class ClearClaims(Edit):
    """Remove all claimed numbers, or those of one matrix."""

    op = "clear_claims"
    matrix: str | None = None
    head: Index | None = None


NO_EDIT: Final = N_("this is no edit")
EDITS: Final[dict[str, type[Edit]]] = {edit.op: edit for edit in Edit.__subclasses__()}
"""Every edit by its operation."""


def read_edit(data: Mapping[str, Any]) -> Edit:
    """The edit in plain data; a field that is left out, or null, has its default.

    Raises ``ExampleError`` where there is no such operation, or where a field is wrong or missing.
    """
    op = data.get("op")
    kind = EDITS.get(op) if isinstance(op, str) else None
    if kind is None:
        raise ExampleError(NO_EDIT)
    return read_fields(kind, data)


def as_data(edit: Edit) -> dict[str, Any]:
    """The edit as plain data, without fields that have their default."""
    data: dict[str, Any] = {"op": edit.op}
    for field in fields(edit):
        value = getattr(edit, field.name)
        if value != field.default:
            data[json_name(field.name)] = value
    return data
