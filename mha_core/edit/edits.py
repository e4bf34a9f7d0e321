"""Edits: an example and one edit → the next example. Pure, and every result is valid.

An edit is a dictionary, as the bench sends it: ``{"op": "set", "matrix": "w_q", "head": 1, …}``. Growing keeps
what was there and adds zeros; new pairs of a mask may attend. Whatever does not fit raises ``ExampleError``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from random import Random
from typing import Any, TypeAlias

from mha_core.edit.claims import claim_block, claim_text, clear_claims
from mha_core.edit.fields import FILLS, RESIZABLE, got, read_edit
from mha_core.errors import N_, ExampleError
from mha_core.example.model import (
    MAX_SIZE,
    NEG_INF,
    AddMask,
    AllowMask,
    Example,
    Head,
    Matrix,
    Positions,
    Row,
    alibi_slope,
    allow_matrix,
    has_values,
    key_tokens,
    keys_are_queries,
    kv_head_of,
    noted,
    position_inputs,
)
from mha_core.example.validate import absent_steps, validate
from mha_core.vocabulary import AXES, HEAD_BIASES, HEAD_MATRICES, HEAD_ROWS, POSITION_INPUTS, SCORING, SHARED

Edit: TypeAlias = Mapping[str, Any]
Kept: TypeAlias = Sequence[int | None]
"""For each index of an axis after the edit: the index that it had before, None where it is new."""

__all__ = ["FILLS", "Edit", "apply", "filled"]


def apply(example: Example, edit: Edit) -> Example:
    """The example after one edit, without its note where that spoke of other numbers or tokens.

    Raises ``ExampleError`` where the edit is none, names a place that is not there, or breaks the format.
    """
    op, fields = read_edit(edit)
    return noted(validate(_EDITS[op](example, fields)), example)


# --- numbers ---------------------------------------------------------------------------------------------------


def _set(example: Example, edit: Edit) -> Example:
    """Write a block of numbers from (row, col) on: one cell, or a pasted range. None leaves a cell as it is.

    ``grow``: where there is no room the matrix is made larger first, and with it all that must fit it.
    """
    name, head, row, col, block = (edit[field] for field in ("matrix", "head", "row", "col", "values"))
    _rectangular(block, _place(name, head))
    if edit["grow"]:
        example = _grown(example, name, row + len(block), col + len(block[0]))
    matrix = _mask_as_painted(example) if (name, head) == ("mask", None) else _given(example, name, head)
    if row + len(block) > len(matrix) or col + len(block[0]) > len(matrix[0]):
        raise ExampleError(
            N_(
                "from row {row}, column {col} on there is room for {rows} × {cols}, got {got_rows} × {got_cols}"
            ),
            place=_place(name, head),
            row=row + 1,
            col=col + 1,
            rows=len(matrix) - row,
            cols=len(matrix[0]) - col,
            got_rows=len(block),
            got_cols=len(block[0]),
        )
    kind = name if name != "mask" else "add" if isinstance(example.mask, AddMask) else "allow"
    rows = [list(cells) for cells in matrix]
    for i, cells in enumerate(block):
        for j, value in enumerate(cells):
            if value is not None:
                rows[row + i][col + j] = _cell_value(kind, value, _place(name, head, row + i, col + j))
    return _with(example, name, head, tuple(map(tuple, rows)))


def _rectangular(block: Sequence[Sequence[object]], place: str) -> None:
    for at, cells in enumerate(block):
        if len(cells) != len(block[0]):
            raise ExampleError(
                N_("the rows of the block differ in length: {first} in row 1, {got} in row {row}"),
                place=place,
                row=at + 1,
                got=len(cells),
                first=len(block[0]),
            )


def _grown(example: Example, name: str, rows: int, cols: int) -> Example:
    """The example with a matrix of at least rows × cols, as far as its sizes may be chosen at all."""
    for along, length in zip(AXES[name], (rows, cols), strict=True):
        axis, wanted = _chosen_size(example, along, length)
        if axis in ("n_q", "n_k"):
            which = "tokens" if axis == "n_q" or keys_are_queries(example) else "context_tokens"
            _room(axis, wanted)
            while example.dims.size(axis) < wanted:
                example = _add_token(example, {"which": which, "index": None, "text": ""})
        elif axis in RESIZABLE and example.dims.size(axis) < wanted:
            example = _resize(example, {"axis": axis, "by": None, "size": wanted})
    return example


def _chosen_size(example: Example, axis: str, length: int) -> tuple[str, int]:
    """The size to choose, so that an axis of a matrix has at least this length."""
    if axis == "h·d_v":
        return "d_v", -(-length // example.dims.h)
    if axis == "d_context" and example.context is None:
        return "d_model", length
    rotary = example.positions is not None and example.positions.kind == "rotary"
    return axis, length + length % 2 if axis == "d_k" and rotary else length


def _fill(example: Example, edit: Edit) -> Example:
    """Fill a matrix with zeros, the identity, small integers or normal numbers, the last two by seed."""
    name, head = edit["matrix"], edit["head"]
    matrix = _given(example, name, head)
    return _with(example, name, head, filled(len(matrix), len(matrix[0]), edit["with"], edit["seed"]))


def filled(rows: int, cols: int, kind: str, seed: int = 0) -> Matrix:
    """A rows × cols matrix: zeros; identity; integers −2 … 3; or random, normal with 2 decimals."""
    random = Random(f"{kind} {seed}")
    cell: Callable[[int, int], float] = {
        "zeros": lambda i, j: 0.0,
        "identity": lambda i, j: float(i == j),
        "integers": lambda i, j: float(random.randint(-2, 3)),
        "random": lambda i, j: round(random.gauss(0, 1), 2) + 0.0,
    }[kind]
    return tuple(tuple(cell(i, j) for j in range(cols)) for i in range(rows))


# --- tokens, heads and sizes -------------------------------------------------------------------------------------


def _rename_token(example: Example, edit: Edit) -> Example:
    which, index = _tokens_of(example, edit), edit["index"]
    tokens = list(getattr(example, which) or key_tokens(example))
    _there(which, index, len(tokens))
    tokens[index] = edit["text"]
    return replace(example, **{which: tuple(tokens)})  # type: ignore[arg-type]  # a name of two


def _add_token(example: Example, edit: Edit) -> Example:
    """Insert a token before ``index`` (at the end where it is None): a row of zeros, attended by all."""
    which = _tokens_of(example, edit)
    tokens = getattr(example, which) or key_tokens(example)
    index = len(tokens) if edit["index"] is None else edit["index"]
    _room("n_q" if which == "tokens" else "n_k", len(tokens) + 1)
    _there(which, index, len(tokens) + 1)
    kept: list[int | None] = list(range(len(tokens)))
    kept.insert(index, None)
    return _keep_tokens(example, which, kept, edit["text"] or str(len(tokens) + 1))


def _remove_token(example: Example, edit: Edit) -> Example:
    which, index = _tokens_of(example, edit), edit["index"]
    tokens = getattr(example, which) or key_tokens(example)
    if len(tokens) == 1:
        raise ExampleError(N_("the last one cannot be removed"), place=which)
    _there(which, index, len(tokens))
    return _keep_tokens(example, which, [i for i in range(len(tokens)) if i != index])


def _permute(example: Example, edit: Edit) -> Example:
    """Put the tokens into another order: token i is the one that was token order[i].

    Each takes along its numbers and what a painted mask says of it. Positions and a causal mask are about places
    and stay where they are. In self-attention the keys are the same tokens.
    """
    order = edit["order"]
    if sorted(order) != list(range(len(example.tokens))):
        raise ExampleError(
            N_("expected each of the {count} tokens once"), place="order", count=len(example.tokens)
        )
    moved = _keep_tokens(example, "tokens", order)
    return replace(moved, positions=example.positions)


def _keep_tokens(example: Example, which: str, kept: Kept, new: str = "") -> Example:
    old = getattr(example, which) or key_tokens(example)
    tokens = tuple(new if i is None else old[i] for i in kept)
    shared = which == "tokens" and keys_are_queries(example)
    axes = {"n_q": kept, "n_k": kept} if shared else {"n_q" if which == "tokens" else "n_k": kept}
    labels = {which: tokens} if getattr(example, which) is not None or which == "tokens" else {}
    return replace(_reshaped(example, axes), **labels)  # type: ignore[arg-type]  # a name of two


def _add_head(example: Example, edit: Edit) -> Example:
    """A new head after the last: small integers of its own, or a copy of head ``copy``.

    Where all heads share keys and values so does the new one; other groups would be unequal, so each head then gets
    its own copy of what it shared.
    """
    example = example if example.kv_heads == 1 else _apart(example)
    dims = example.dims
    copied = edit["copy"]
    if copied is not None:
        _there("heads", copied, dims.h)
    head = _new_head(example) if copied is None else example.heads[copied]
    if example.kv_heads:
        head = _without_keys(head)
    kept = [*range(dims.h * dims.d_v), *[None] * dims.d_v]
    return replace(_reshaped(example, {"h·d_v": kept}), heads=(*example.heads, head))


def _new_head(example: Example) -> Head:
    """A head like the first in what it is given, with numbers of its own."""
    dims, pattern, seed = example.dims, example.heads[0], len(example.heads)
    fields: dict[str, Any] = {}
    for name in (*HEAD_MATRICES, *HEAD_ROWS):
        if name == "slope" and pattern.slope is not None:
            fields[name] = (alibi_slope(seed, seed + 1),)
        elif getattr(pattern, name) is not None:
            rows = filled(
                *dims.shape(name), "zeros" if name in HEAD_BIASES else "integers", seed * 16 + len(fields)
            )
            fields[name] = rows[0] if name in HEAD_ROWS else rows
    return Head(**fields)


def _remove_head(example: Example, edit: Edit) -> Example:
    """Remove a head, the last one where none is named; what the others shared with it stays."""
    dims = example.dims
    gone = dims.h - 1 if edit["head"] is None else edit["head"]
    if dims.h == 1:
        raise ExampleError(N_("the last one cannot be removed"), place="heads")
    _there("heads", gone, dims.h)
    groups = example.kv_heads
    example = _apart(example)
    kept = [row for row in range(dims.h * dims.d_v) if row // dims.d_v != gone]
    heads = example.heads[:gone] + example.heads[gone + 1 :]
    smaller = replace(_reshaped(example, {"h·d_v": kept}), heads=heads)
    return _grouped(smaller, 1) if groups == 1 else smaller


def _resize(example: Example, edit: Edit) -> Example:
    """Set d_model, d_context, d_k, d_v, d_out or d_a, or change it ``by`` so much; with self-attention d_model is
    the context's too, with bilinear scoring d_k is d_a's. Rotary positions take d_k in steps of two.
    """
    axis, dims = edit["axis"], example.dims
    if dims.size(axis) == 0:
        raise ExampleError(N_("this example has no {name}"), name=axis)
    if axis == "d_a" and SCORING[example.scoring].square:
        axis = "d_k"
    rotary = example.positions is not None and example.positions.kind == "rotary"
    step = 2 if axis == "d_k" and rotary else 1
    new = dims.size(axis) + step * edit["by"] if edit["by"] is not None else edit["size"] or 0
    _room(axis, new)
    kept = _to_size(dims.size(axis), new)
    axes: dict[str, Kept] = {axis: kept}
    if axis == "d_model" and example.context is None:
        axes["d_context"] = kept
    if axis == "d_k" and SCORING[example.scoring].square:
        axes["d_a"] = kept
    if axis == "d_v":
        axes["h·d_v"] = [None if i is None else head * dims.d_v + i for head in range(dims.h) for i in kept]
    return _reshaped(example, axes)


# --- what the layer has ------------------------------------------------------------------------------------------


def _switch_w_o(example: Example, edit: Edit) -> Example:
    """W_O on: the identity, so that the output is the concatenation until it is edited. Off: gone, with b_O."""
    if not edit["on"]:
        return _claiming_what_is_there(replace(example, w_o=None, b_o=None))
    if not has_values(example):
        raise ExampleError(N_("this example has no {name}"), name="V")
    width = example.dims.h * example.dims.d_v
    cols = min(width, MAX_SIZE)
    bias = (0.0,) * cols if _is_biased(example) else None
    return replace(example, w_o=filled(width, cols, "identity"), b_o=bias)


def _claiming_what_is_there(example: Example) -> Example:
    """The example without claims of steps that it no longer has."""
    gone = absent_steps(example)
    return replace(
        example, claimed={s: c for s, c in (example.claimed or {}).items() if s not in gone} or None
    )


def _is_biased(example: Example) -> bool:
    return any(getattr(head, name) is not None for head in example.heads for name in HEAD_BIASES)


def _switch_values(example: Example, edit: Edit) -> Example:
    """V on: a W_V of small integers, as wide as the keys, or V itself where there are no rows to multiply with it.
    Off: the heads end at their weights, and W_O, which would mix their outputs, goes too.
    """
    if edit["on"] == has_values(example):
        return example
    if not edit["on"]:
        heads = tuple(replace(head, w_v=None, b_v=None, v=None) for head in example.heads)
        return _claiming_what_is_there(replace(example, heads=heads, w_o=None, b_o=None))
    dims, source = example.dims, example.source_rows
    name = "v" if source is None or len(source) != dims.n_k else "w_v"
    rows, width = (dims.d_context if name == "w_v" else dims.n_k), dims.d_k
    bias = (0.0,) * width if name == "w_v" and _is_biased(example) else None

    def valued(index: int, head: Head) -> Head:
        if kv_head_of(example, name, index) != index:
            return head
        fields: dict[str, Any] = {name: filled(rows, width, "integers", index), "b_v": bias}
        return replace(head, **fields)

    return replace(example, heads=tuple(valued(index, head) for index, head in enumerate(example.heads)))


def _switch_biases(example: Example, edit: Edit) -> Example:
    """A bias for every weight matrix, of zeros where there was none; or none at all."""
    dims = example.dims

    def switched(owner: Head | Example, name: str) -> Row | None:
        if not edit["on"] or getattr(owner, "w" + name[1:]) is None:
            return None
        return getattr(owner, name) or (0.0,) * dims.shape(name)[1]

    heads = tuple(
        replace(head, **{name: switched(head, name) for name in HEAD_BIASES})  # type: ignore[arg-type]
        for head in example.heads
    )
    return replace(example, heads=heads, b_o=switched(example, "b_o"))


def _switch_mask(example: Example, edit: Edit) -> Example:
    """No mask, a causal one, or one to paint, starting from what is hidden now."""
    kinds: dict[str, Callable[[], Any]] = {
        "none": lambda: None,
        "causal": lambda: "causal",
        "painted": lambda: _as_allow(example),
    }
    return replace(example, mask=kinds[edit["kind"]]())


def _switch_scale(example: Example, edit: Edit) -> Example:
    value = edit["value"]
    if value in ("sqrt_dk", "none"):
        return replace(example, scale=value)
    return replace(example, scale=_cell_value("scale", value, "scale"))


def _switch_context(example: Example, edit: Edit) -> Example:
    """On: a context of its own that starts as a copy of X. Off: keys and values come from X again."""
    dims = example.dims
    if edit["on"]:
        if example.x is None:
            raise ExampleError(N_("this example has no {name}"), name="X")
        positions = example.positions and replace(
            example.positions,
            context_ids=example.positions.ids,
            context_frequencies=example.positions.frequencies
            if example.positions.kind == "sinusoidal"
            else None,
        )
        return replace(example, context=example.x, context_tokens=example.tokens, positions=positions)
    axes = {"n_k": _to_size(dims.n_k, dims.n_q), "d_context": _to_size(dims.d_context, dims.d_model)}
    positions = example.positions and replace(example.positions, context_ids=None, context_frequencies=None)
    return replace(_reshaped(example, axes), context=None, context_tokens=None, positions=positions)


def _switch_scoring(example: Example, edit: Edit) -> Example:
    """Another way to make scores, with its ``scale`` where one is named.

    Bilinear scoring starts with the identity, so that it begins as the dot product; additive scoring with tenths, so
    that tanh is not saturated at once; cosine with a temperature of 1/4. W_a stays where its shape fits.
    """
    kind, dims = edit["kind"], example.dims
    scoring = SCORING[kind]
    if kind == example.scoring:
        return example if edit["scale"] is None else _switch_scale(example, {"value": edit["scale"]})
    widths = {"1": 1, "d_k": dims.d_k, "d_a": dims.d_k if scoring.square else dims.d_a or dims.d_k}

    def parameters(index: int, head: Head) -> dict[str, Any]:
        fields: dict[str, Any] = dict.fromkeys(_PARAMETERS)
        for at, name in enumerate(scoring.parameters if head.weights is None else ()):
            rows, cols = (widths[axis] for axis in AXES[name])
            held = getattr(head, name)
            if held is not None and len(held if name in HEAD_ROWS else held[0]) == cols:
                fields[name] = held
            elif scoring.initial == "identity":
                fields[name] = filled(rows, cols, "identity")
            else:
                whole = filled(rows, cols, "integers", index * len(_PARAMETERS) + at + 1)
                fields[name] = (
                    whole[0] if name in HEAD_ROWS else tuple(tuple(n / 10 for n in row) for row in whole)
                )
        return fields

    heads = tuple(replace(head, **parameters(index, head)) for index, head in enumerate(example.heads))
    switched = replace(example, scoring=kind, heads=heads, claimed=None, scale=_scale_after(example, kind))
    return switched if edit["scale"] is None else _switch_scale(switched, {"value": edit["scale"]})


_PARAMETERS = tuple(dict.fromkeys(name for scoring in SCORING.values() for name in scoring.parameters))
"""What heads give for their scores, whatever the scoring."""


def _scale_after(example: Example, kind: str) -> Any:
    """The divisor that goes with another scoring; the one at hand where both are dot products."""
    scoring = SCORING[kind]
    if scoring.is_product and SCORING[example.scoring].is_product:
        return example.scale
    if scoring.is_product and not example.dims.d_k:
        return "none"
    return scoring.scale if scoring.temperature is None else scoring.temperature


def _switch_kv_heads(example: Example, edit: Edit) -> Example:
    """So many heads with keys and values of their own, each the first of an equal group. More than before: copies."""
    count = edit["count"]
    if count < 1 or example.dims.h % count:
        return replace(example, kv_heads=count)  # refused with its sentence
    return replace(_grouped(_apart(example), count), claimed=None)


def _apart(example: Example) -> Example:
    """Every head with keys and values of its own: copies of what it shared."""
    if example.kv_heads is None:
        return example

    def own(index: int, head: Head) -> Head:
        held = example.heads[kv_head_of(example, "v", index)]
        return replace(head, **{name: getattr(held, name) for name in _HELD})

    heads = tuple(own(index, head) for index, head in enumerate(example.heads))
    return replace(example, heads=heads, kv_heads=None)


_HELD = tuple(name for name in SHARED if name in Head.__dataclass_fields__)
_KEYS = ("w_k", "b_k", "k")


def _grouped(example: Example, count: int) -> Example:
    """Heads in groups of equal size, the first of each with the keys and values of all."""
    h = len(example.heads)
    if count == h:
        return example
    heads, size = list(example.heads), h // count
    for start in range(0, h, size):
        group = heads[start : start + size]
        keyed = next((head for head in group if head.k is not None or head.w_k is not None), group[0])
        heads[start] = replace(group[0], **{name: getattr(keyed, name) for name in _KEYS})
        heads[start + 1 : start + size] = [_without_keys(head) for head in group[1:]]
    return replace(example, heads=tuple(heads), kv_heads=count)


def _without_keys(head: Head) -> Head:
    return replace(head, **dict.fromkeys(_HELD))


def _switch_positions(example: Example, edit: Edit) -> Example:
    """No positions, or one kind; slopes start as ALiBi's authors set them. Position ids that were given stay."""
    kind, before = edit["kind"], example.positions
    if before is not None and kind == before.kind:
        return example
    positions = None
    if kind != "none":
        positions = Positions(kind)
        used = position_inputs(replace(example, positions=positions))
        for field in ("ids", "context_ids"):
            if before is not None and _POSITION_FIELDS[field] in used:
                positions = replace(positions, **{field: getattr(before, field)})
    slopes: list[Row | None] = [None] * len(example.heads)
    if kind == "alibi":
        slopes = [
            (alibi_slope(g, len(slopes)),) if head.weights is None else None
            for g, head in enumerate(example.heads)
        ]
    heads = tuple(replace(head, slope=slope) for head, slope in zip(example.heads, slopes, strict=True))
    return replace(example, positions=positions, heads=heads, claimed=None)


_POSITION_FIELDS = {
    "ids": "position_ids",
    "context_ids": "context_position_ids",
    "frequencies": "frequencies",
    "context_frequencies": "context_frequencies",
}


def _set_title(example: Example, edit: Edit) -> Example:
    return replace(example, title=edit["text"])


_EDITS: dict[str, Callable[[Example, Edit], Example]] = {
    "set": _set,
    "fill": _fill,
    "rename_token": _rename_token,
    "add_token": _add_token,
    "remove_token": _remove_token,
    "permute": _permute,
    "add_head": _add_head,
    "remove_head": _remove_head,
    "resize": _resize,
    "w_o": _switch_w_o,
    "values": _switch_values,
    "biases": _switch_biases,
    "mask": _switch_mask,
    "scale": _switch_scale,
    "context": _switch_context,
    "scoring": _switch_scoring,
    "kv_heads": _switch_kv_heads,
    "positions": _switch_positions,
    "title": _set_title,
    "claim": claim_block,
    "claim_text": claim_text,
    "clear_claims": clear_claims,
}


# --- shared ------------------------------------------------------------------------------------------------------


def _reshaped(example: Example, axes: Mapping[str, Kept]) -> Example:
    """The example with these axes changed in every matrix that has them. Claimed numbers no longer fit and go."""

    def fit(name: str, matrix: Any, new: Any = 0.0) -> Any:
        if matrix is None:
            return None
        rows, cols = AXES[name]
        row_map, col_map = axes.get(rows), axes.get(cols)
        if rows == "1":
            return matrix if col_map is None else tuple(new if j is None else matrix[j] for j in col_map)
        row_map = range(len(matrix)) if row_map is None else row_map
        col_map = range(len(matrix[0])) if col_map is None else col_map
        return tuple(tuple(new if i is None or j is None else matrix[i][j] for j in col_map) for i in row_map)

    heads = tuple(
        replace(head, **{name: fit(name, getattr(head, name)) for name in (*HEAD_MATRICES, *HEAD_ROWS)})
        for head in example.heads
    )
    layer = {name: fit(name, getattr(example, name)) for name in ("x", "context", "w_o", "b_o")}
    mask = example.mask
    if isinstance(mask, AllowMask):
        mask = replace(mask, allow=fit("mask", mask.allow, True))
    elif isinstance(mask, AddMask):
        mask = AddMask(fit("mask", mask.add))
    positions = None if example.positions is None else _moved(example.positions, axes)
    return replace(example, heads=heads, mask=mask, claimed=None, positions=positions, **layer)


def _moved(positions: Positions, axes: Mapping[str, Kept]) -> Positions:
    """A new token stands after the last; frequencies of another width come by rule again."""

    def fit(ids: Row | None, kept: Kept | None) -> Row | None:
        if ids is None or kept is None:
            return ids
        return tuple(max(ids) + 1 if i is None else ids[i] for i in kept)

    widths = ("d_k", "d_k") if positions.kind == "rotary" else ("d_model", "d_context")
    return replace(
        positions,
        ids=fit(positions.ids, axes.get("n_q")),
        context_ids=fit(positions.context_ids, axes.get("n_k")),
        frequencies=None if widths[0] in axes else positions.frequencies,
        context_frequencies=None if widths[1] in axes else positions.context_frequencies,
    )


def _given(example: Example, name: str, head: int | None) -> Matrix:
    """The matrix to edit; a bias as a matrix of one row. Raises ``ExampleError`` where the example has none."""
    if head is not None:
        _there("heads", head, len(example.heads))
    value: Any = None
    if head is None and name in POSITION_INPUTS:
        row = position_inputs(example).get(name)
        value = row and tuple((number,) for number in row) if AXES[name][0] != "1" else row
    elif name in (_OF_THE_LAYER if head is None else _OF_A_HEAD):
        value = getattr(example if head is None else example.heads[head], name)
    if value is None:
        place = _place(name, head) if name in AXES else got(name)
        raise ExampleError(N_("this example has no such numbers to edit"), place=place)
    return (value,) if name in _ROWS or AXES[name][0] == "1" else value


_OF_THE_LAYER = ("x", "context", "w_o", "b_o")
_OF_A_HEAD = (*HEAD_MATRICES, *HEAD_ROWS)
_ROWS = (*HEAD_ROWS, "b_o")


def _with(example: Example, name: str, head: int | None, matrix: Any) -> Example:
    if name == "mask":
        painted = AddMask(matrix) if isinstance(example.mask, AddMask) else None
        return replace(example, mask=painted or replace(_as_allow(example), allow=matrix))
    if name in POSITION_INPUTS:
        row = matrix[0] if AXES[name][0] == "1" else tuple(number for (number,) in matrix)
        field = next(field for field, of in _POSITION_FIELDS.items() if of == name)
        return replace(example, positions=replace(example.positions, **{field: row}))  # type: ignore[type-var]
    value = matrix[0] if name in _ROWS else matrix
    if head is None:
        return replace(example, **{name: value})
    heads = list(example.heads)
    heads[head] = replace(heads[head], **{name: value})
    return replace(example, heads=tuple(heads))


def _mask_as_painted(example: Example) -> Any:
    return example.mask.add if isinstance(example.mask, AddMask) else _as_allow(example).allow


def _as_allow(example: Example) -> AllowMask:
    return example.mask if isinstance(example.mask, AllowMask) else AllowMask(_allowed_now(example))


def _allowed_now(example: Example) -> tuple[tuple[bool, ...], ...]:
    """Which pairs the present mask lets attend, as a matrix to paint on."""
    if isinstance(example.mask, AddMask):
        return tuple(tuple(cell > NEG_INF for cell in row) for row in example.mask.add)
    dims = example.dims
    return allow_matrix(example) or ((True,) * dims.n_k,) * dims.n_q


def _cell_value(kind: str, value: object, place: str) -> Any:
    """A number; for a mask that allows, true or false; for one that adds, −∞ too."""
    if kind == "allow":
        if isinstance(value, bool):
            return value
        raise ExampleError(N_("expected true or false, got {got}"), place=place, got=got(value))
    if kind == "add" and value == "-inf":
        return NEG_INF
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        raise ExampleError(N_("expected a number, got {got}"), place=place, got=got(value))
    return float(value)


def _is_finite(number: float) -> bool:
    try:
        return isfinite(number)
    except OverflowError:  # a whole number beyond all floats
        return False


def _tokens_of(example: Example, edit: Edit) -> str:
    """ "tokens", or "context_tokens" where keys have labels of their own."""
    which: str = edit["which"]
    if which == "context_tokens" and keys_are_queries(example):
        raise ExampleError(N_("this example has no {name}"), name=which)
    return which


def _there(name: str, index: int, count: int) -> None:
    """Whether ``name`` has so many that there is one at this index."""
    if index >= count:
        raise ExampleError(N_("this is no longer there"), place=f"{name}[{index}]")


def _to_size(old: int, new: int) -> Kept:
    return [i if i < old else None for i in range(new)]


def _room(axis: str, size: int) -> None:
    if not 1 <= size <= MAX_SIZE:
        raise ExampleError(N_("expected 1 to {most}, got {count}"), place=axis, most=MAX_SIZE, count=size)


def _place(name: str, head: int | None, row: int | None = None, col: int | None = None) -> str:
    cell = "" if row is None else f"[{row}][{col}]"
    return f"{name}{cell}" if head is None else f"heads[{head}].{name}{cell}"
