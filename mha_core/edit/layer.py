"""Edits of what the layer has: W_O, values, biases, a mask, a divisor, a context, scoring, shared keys, positions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mha_core.edit.axes import reshaped, to_size
from mha_core.edit.claims import without_stale_claims
from mha_core.edit.edit import (
    SetKvHeads,
    SetMask,
    SetNorm,
    SetPositions,
    SetScale,
    SetScoring,
    SetSoftcap,
    SwitchBiases,
    SwitchContext,
    SwitchHeadMask,
    SwitchOutput,
    SwitchSinks,
    SwitchValues,
)
from mha_core.edit.fields import MaskKind
from mha_core.edit.matrices import POSITION_FIELDS, as_allow, filled, require_index, with_mask
from mha_core.errors import N_, ExampleError
from mha_core.example.band import BandMask, simplest
from mha_core.example.model import (
    EPS,
    MAX_SIZE,
    PAIRS,
    Example,
    Head,
    Mask,
    Norm,
    Positions,
    Row,
    alibi_slope,
    band_of,
    has_values,
    kv_head_of,
    mask_of,
    position_inputs,
)
from mha_core.vocabulary import AXES, HEAD_BIASES, HEAD_ROWS, SCORING, SHARED


def switch_w_o(example: Example, edit: SwitchOutput) -> Example:
    """W_O on: the identity, so that the output is the concatenation until it is edited. Off: without W_O and b_O."""
    if not edit.on:
        return without_stale_claims(replace(example, w_o=None, b_o=None))
    if not has_values(example):
        raise ExampleError(N_("this example has no {name}"), name="V")
    width = example.dims.h * example.dims.d_v
    cols = min(width, MAX_SIZE)
    bias = (0.0,) * cols if _is_biased(example) else None
    return replace(example, w_o=filled(width, cols, "identity"), b_o=bias)


def _is_biased(example: Example) -> bool:
    return any(getattr(head, name) is not None for head in example.heads for name in HEAD_BIASES)


def switch_values(example: Example, edit: SwitchValues) -> Example:
    """V on: a W_V of small integers, as wide as the keys, or V itself where there are no rows to multiply with W_V.
    Off: the heads end at their weights, and W_O, which would mix their outputs, is removed too.
    """
    if edit.on == has_values(example):
        return example
    if not edit.on:
        heads = tuple(replace(head, w_v=None, b_v=None, v=None) for head in example.heads)
        return without_stale_claims(replace(example, heads=heads, w_o=None, b_o=None))
    dims, source = example.dims, example.source_rows
    name = "v" if source is None or len(source) != dims.n_k else "w_v"
    rows, width = (dims.d_context if name == "w_v" else dims.n_k), dims.d_k
    bias = (0.0,) * width if name == "w_v" and _is_biased(example) else None

    def with_values(index: int, head: Head) -> Head:
        if kv_head_of(example, name, index) != index:
            return head
        fields: dict[str, Any] = {name: filled(rows, width, "integers", index), "b_v": bias}
        return replace(head, **fields)

    return replace(example, heads=tuple(with_values(index, head) for index, head in enumerate(example.heads)))


def switch_biases(example: Example, edit: SwitchBiases) -> Example:
    """A bias for every weight matrix, of zeros where there was none; or none at all."""
    dims = example.dims

    def switched(owner: Head | Example, name: str) -> Row | None:
        if not edit.on or getattr(owner, "w" + name[1:]) is None:
            return None
        return getattr(owner, name) or (0.0,) * dims.shape(name)[1]

    heads = tuple(
        replace(head, **{name: switched(head, name) for name in HEAD_BIASES})  # type: ignore[arg-type]
        for head in example.heads
    )
    return replace(example, heads=heads, b_o=switched(example, "b_o"))


def switch_mask(example: Example, edit: SetMask) -> Example:
    """No mask, a causal one, a window, or one to paint, starting from what is hidden now."""
    if edit.head is not None:
        require_index("heads", edit.head, len(example.heads))
    now = example.mask if edit.head is None else mask_of(example, edit.head)
    if edit.kind == "none":
        return with_mask(example, edit.head, None)
    return with_mask(
        example, edit.head, as_allow(example, now) if edit.kind == "painted" else _band(now, edit)
    )


def switch_head_mask(example: Example, edit: SwitchHeadMask) -> Example:
    """On: the head's mask, from now on its own; without a mask, all pairs. Off: that of the example again."""
    require_index("heads", edit.head, len(example.heads))
    if edit.on and example.heads[edit.head].mask is None:
        return with_mask(example, edit.head, mask_of(example, edit.head) or as_allow(example, None))
    heads = list(example.heads)
    heads[edit.head] = replace(heads[edit.head], mask=heads[edit.head].mask if edit.on else None)
    return replace(example, heads=tuple(heads))


_FIRST_WINDOW = 2


def _band(mask: Mask, edit: SetMask) -> Mask:
    """A mask by positions, with the window and the corner of the current one where the edit gives none."""
    now = band_of(mask) or BandMask()
    corner, causal = edit.corner or now.corner, edit.kind != "window"
    if edit.kind == "causal":
        return simplest(BandMask(None, causal, corner))
    window = now.window if edit.window is None else edit.window
    if window is None:
        window = _FIRST_WINDOW
    return BandMask(max(window, 1) if causal and edit.window is None else window, causal, corner)


def mask_kind(mask: Mask) -> MaskKind:
    """The kind of mask that an edit would make it."""
    band = band_of(mask)
    if band is None:
        return "none" if mask is None else "painted"
    if band.window is None:
        return "causal"
    return "causal_window" if band.causal else "window"


def switch_scale(example: Example, edit: SetScale) -> Example:
    """Divide by √d_k, by nothing or by a number."""
    return replace(example, scale=edit.value)


def switch_softcap(example: Example, edit: SetSoftcap) -> Example:
    """Cap the scores at a number, or not at all."""
    return without_stale_claims(replace(example, softcap=edit.value))


def switch_sinks(example: Example, edit: SwitchSinks) -> Example:
    """A sink for every head that computes its weights, 0 where there was none; or none at all."""

    def switched(head: Head) -> Row | None:
        return (head.sink or (0.0,)) if edit.on and head.weights is None else None

    return replace(example, heads=tuple(replace(head, sink=switched(head)) for head in example.heads))


def switch_norm(example: Example, edit: SetNorm) -> Example:
    """No norm of Q and K, or one, whose gains are 1 until they are edited."""
    if edit.kind == "none":
        heads = tuple(replace(head, g_q=None, g_k=None) for head in example.heads)
        return without_stale_claims(replace(example, norm=None, heads=heads))
    ones = (1.0,) * example.dims.d_k

    def with_gains(index: int, head: Head) -> Head:
        own_keys = kv_head_of(example, "k", index) == index
        g_q = head.g_q or (ones if head.weights is None else None)
        return replace(head, g_q=g_q, g_k=head.g_k or (ones if own_keys else None))

    eps = edit.eps or (example.norm.eps if example.norm else EPS)
    heads = tuple(with_gains(index, head) for index, head in enumerate(example.heads))
    return replace(example, norm=Norm(edit.kind, eps), heads=heads)


def switch_context(example: Example, edit: SwitchContext) -> Example:
    """On: a context of its own that starts as a copy of X. Off: keys and values come from X again."""
    dims = example.dims
    if edit.on:
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
    axes = {"n_k": to_size(dims.n_k, dims.n_q), "d_context": to_size(dims.d_context, dims.d_model)}
    positions = example.positions and replace(example.positions, context_ids=None, context_frequencies=None)
    return replace(reshaped(example, axes), context=None, context_tokens=None, positions=positions)


def switch_scoring(example: Example, edit: SetScoring) -> Example:
    """Set the scoring, and the ``scale`` where one is given.

    Bilinear scoring starts with the identity, so that it begins as the dot product; additive scoring with tenths, so
    that tanh is not saturated at once; cosine with a temperature of 1/4. W_a stays where its shape fits.
    """
    kind, dims = edit.kind, example.dims
    scoring = SCORING[kind]
    if kind == example.scoring:
        return example if edit.scale is None else replace(example, scale=edit.scale)
    widths = {"1": 1, "d_k": dims.d_k, "d_a": dims.d_k if scoring.square else dims.d_a or dims.d_k}

    def parameters(index: int, head: Head) -> dict[str, Any]:
        fields: dict[str, Any] = dict.fromkeys(_PARAMETERS)
        for at, name in enumerate(scoring.parameters if head.weights is None else ()):
            rows, cols = (widths[axis] for axis in AXES[name])
            current = getattr(head, name)
            if current is not None and len(current if name in HEAD_ROWS else current[0]) == cols:
                fields[name] = current
            elif scoring.initial == "identity":
                fields[name] = filled(rows, cols, "identity")
            else:
                whole = filled(rows, cols, "integers", index * len(_PARAMETERS) + at + 1)
                fields[name] = (
                    whole[0] if name in HEAD_ROWS else tuple(tuple(n / 10 for n in row) for row in whole)
                )
        return fields

    heads = tuple(replace(head, **parameters(index, head)) for index, head in enumerate(example.heads))
    scale = _scale_after(example, kind) if edit.scale is None else edit.scale
    return replace(example, scoring=kind, heads=heads, claimed=None, scale=scale)


_PARAMETERS = tuple(dict.fromkeys(name for scoring in SCORING.values() for name in scoring.parameters))
"""The parameters of all scorings."""


def _scale_after(example: Example, kind: str) -> Any:
    """The divisor for another scoring; the current one where both are dot products."""
    scoring = SCORING[kind]
    if scoring.is_product and SCORING[example.scoring].is_product:
        return example.scale
    if scoring.is_product and not example.dims.d_k:
        return "none"
    return scoring.scale if scoring.temperature is None else scoring.temperature


def switch_kv_heads(example: Example, edit: SetKvHeads) -> Example:
    """So many heads with keys and values of their own, each the first of an equal group; additional ones are copies."""
    count = edit.count
    if count < 1 or example.dims.h % count:
        return replace(example, kv_heads=count)  # ``validate`` refuses it
    return replace(grouped(ungrouped(example), count), claimed=None)


def ungrouped(example: Example) -> Example:
    """Every head with keys and values of its own: copies of what it shared."""
    if example.kv_heads is None:
        return example

    def with_copies(index: int, head: Head) -> Head:
        owner = example.heads[kv_head_of(example, "v", index)]
        return replace(head, **{name: getattr(owner, name) for name in _SHARED_FIELDS})

    heads = tuple(with_copies(index, head) for index, head in enumerate(example.heads))
    return replace(example, heads=heads, kv_heads=None)


_SHARED_FIELDS = tuple(name for name in SHARED if name in Head.__dataclass_fields__)
_KEYS = ("w_k", "b_k", "k", "g_k")


def grouped(example: Example, count: int) -> Example:
    """Heads in groups of equal size, the first of each with the keys and values of all."""
    h = len(example.heads)
    if count == h:
        return example
    heads, size = list(example.heads), h // count
    for start in range(0, h, size):
        group = heads[start : start + size]
        with_keys = next((head for head in group if head.k is not None or head.w_k is not None), group[0])
        heads[start] = replace(group[0], **{name: getattr(with_keys, name) for name in _KEYS})
        heads[start + 1 : start + size] = [without_keys(head) for head in group[1:]]
    return replace(example, heads=tuple(heads), kv_heads=count)


def without_keys(head: Head) -> Head:
    """A head without what it shares with the first of its group."""
    return replace(head, **dict.fromkeys(_SHARED_FIELDS))


def switch_positions(example: Example, edit: SetPositions) -> Example:
    """No positions, or one kind; slopes start by ALiBi's rule (Press et al. 2022).

    Given position ids stay. With rotary positions ``pairs`` may change alone, and then frequencies stay too.
    """
    kind, pairs, before = edit.kind, edit.pairs, example.positions
    if before is not None and kind == before.kind:
        if pairs in (None, before.pairs):
            return example
        return replace(example, positions=replace(before, pairs=pairs), claimed=None)
    positions = None
    if kind != "none":
        positions = Positions(kind, pairs=pairs or PAIRS[0])
        used = position_inputs(replace(example, positions=positions))
        for field in ("ids", "context_ids"):
            if before is not None and POSITION_FIELDS[field] in used:
                positions = replace(positions, **{field: getattr(before, field)})
    heads = tuple(replace(head, slope=None) for head in example.heads)
    switched = replace(example, positions=positions, heads=heads, claimed=None)
    return by_alibi_rule(switched) if kind == "alibi" else switched


def by_alibi_rule(example: Example) -> Example:
    """Every head that computes its weights has the slope that ALiBi gives it among so many heads."""
    h = len(example.heads)
    slopes = [(alibi_slope(g, h),) if head.weights is None else None for g, head in enumerate(example.heads)]
    heads = tuple(replace(head, slope=slope) for head, slope in zip(example.heads, slopes, strict=True))
    return replace(example, heads=heads)


def follows_alibi_rule(example: Example) -> bool:
    """Whether all slopes are those of ALiBi's rule, so that none was edited."""
    return (
        example.positions is not None
        and example.positions.kind == "alibi"
        and by_alibi_rule(example) == example
    )
