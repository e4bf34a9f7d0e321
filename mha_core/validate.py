"""The rules that every example keeps: sizes, shapes, ranges. Types are ``files.py``'s business."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite

from mha_core.errors import N_, ExampleError
from mha_core.example import (
    HEAD_BIASES,
    HEAD_MATRICES,
    MAX_HEADS,
    MAX_NUMBER,
    MAX_SIZE,
    MAX_TEXT,
    NEG_INF,
    AddMask,
    AllowMask,
    Dims,
    Example,
    Head,
    Matrix,
)

EARLY_STEPS = (
    "angles",
    "positional_encoding",
    "x_positioned",
    "context_angles",
    "context_positional_encoding",
    "context_positioned",
)
"""The whole layer's steps before the heads."""
PER_HEAD_STEPS = (
    "q",
    "k",
    "v",
    "q_rotated",
    "k_rotated",
    "q_norms",
    "k_norms",
    "q_unit",
    "k_unit",
    "q_a",
    "k_a",
    "pair_sums",
    "pair_tanh",
    "scores",
    "scaled_scores",
    "linear_biases",
    "biased_scores",
    "masked_scores",
    "weights",
    "head_outputs",
)
"""The steps that each head has its own matrix of."""
LATE_STEPS = ("concat", "output")
"""The whole layer's steps after the heads."""
WHOLE_LAYER_STEPS = EARLY_STEPS + LATE_STEPS
STEPS = EARLY_STEPS + PER_HEAD_STEPS + LATE_STEPS
"""All computed steps, in order."""


def validate(example: Example) -> Example:
    """Return ``example`` unchanged, or raise ``ExampleError`` naming the first place that breaks a rule."""
    dims = example.dims
    _sizes(example, dims)
    _texts(example)
    _numbers(example)
    _shapes(example, dims)
    _starts(example, dims)
    _mask(example, dims)
    _scale(example)
    _claimed(example, dims)
    return example


def _fail(place: str, template: str, **values: object) -> ExampleError:
    return ExampleError(template, place=place, **values)


def _sizes(example: Example, dims: Dims) -> None:
    for place, count, most in (
        ("tokens", dims.n_q, MAX_SIZE),
        ("heads", dims.h, MAX_HEADS),
        (
            "context" if example.context and example.context_tokens is None else "context_tokens",
            dims.n_k,
            MAX_SIZE,
        ),
    ):
        if not 1 <= count <= most:
            raise _fail(place, N_("expected 1 to {most}, got {count}"), most=most, count=count)


def _texts(example: Example) -> None:
    for place, text in _given_texts(example):
        if len(text) > MAX_TEXT:
            raise _fail(
                place, N_("expected at most {most} characters, got {count}"), most=MAX_TEXT, count=len(text)
            )
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise _fail(place, N_("the text holds half of a character"))


def _given_texts(example: Example) -> Iterator[tuple[str, str]]:
    """(place, text) of every text that a person wrote."""
    for name in ("title", "note", "source", "tokens", "context_tokens"):
        text = getattr(example, name)
        if isinstance(text, str):
            yield name, text
        elif isinstance(text, Mapping):
            yield from ((f"{name}.{language}", part) for language, part in text.items())
        else:
            yield from ((f"{name}[{index}]", part) for index, part in enumerate(text or ()))


def _shapes(example: Example, dims: Dims) -> None:
    for name, place, matrix in _given(example):
        if matrix is None:
            continue
        rows, cols = dims.shape(name)
        if name.startswith("b_") and not _has_weight(example, place):
            raise _fail(place, N_("there is nothing that it could be added to"))
        if rows == 0 or cols == 0:
            raise _fail(place, N_("there is nothing that it could be multiplied with"))
        if (len(matrix), len(matrix[0])) != (rows, cols):
            raise _wrong_shape(place, (rows, cols), (len(matrix), len(matrix[0])))


def _has_weight(example: Example, place: str) -> bool:
    """Whether the bias at ``place``, such as ``heads[1].b_q``, has its weight matrix."""
    if place == "b_o":
        return example.w_o is not None
    head, _, name = place.partition("].")
    return getattr(example.heads[int(head.removeprefix("heads["))], "w" + name[1:]) is not None


def _wrong_shape(place: str, expected: tuple[int, int], got: tuple[object, object]) -> ExampleError:
    return _fail(
        place,
        N_("expected {rows} × {cols}, got {got_rows} × {got_cols}"),
        rows=expected[0],
        cols=expected[1],
        got_rows=got[0],
        got_cols=got[1],
    )


def _given(example: Example) -> Iterator[tuple[str, str, Matrix | None]]:
    """(name, place, matrix) of every matrix that an example may give; a bias counts as a matrix of one row."""
    yield "x", "x", example.x
    yield "context", "context", example.context
    for index, head in enumerate(example.heads):
        for name in HEAD_MATRICES:
            yield name, f"heads[{index}].{name}", getattr(head, name)
        for name in HEAD_BIASES:
            bias = getattr(head, name)
            yield name, f"heads[{index}].{name}", None if bias is None else (bias,)
    yield "w_o", "w_o", example.w_o
    yield "b_o", "b_o", None if example.b_o is None else (example.b_o,)


def _starts(example: Example, dims: Dims) -> None:
    """Every head must be able to reach its head output."""
    for index, head in enumerate(example.heads):
        missing = _missing(example, head, dims)
        if missing:
            raise _fail(
                f"heads[{index}]", N_("{name} is missing, and nothing stands in for it"), name=missing
            )


def _missing(example: Example, head: Head, dims: Dims) -> str:
    """The first matrix that this head lacks, or "" where it lacks none."""
    needs = [("v", example.source_rows)]
    if head.weights is None:
        needs = [("q", example.x), ("k", example.source_rows), *needs]
    for name, source in needs:
        if getattr(head, name) is None:
            if getattr(head, f"w_{name}") is None:
                return f"w_{name}"
            if source is None:
                return "x" if name == "q" or example.context_tokens is None else "context"
            if name != "q" and len(source) != dims.n_k:  # labels for other keys than the rows of X
                return "context"
    return ""


def _numbers(example: Example) -> None:
    for _, place, matrix in _given(example):
        if matrix is None:
            continue
        width = len(matrix[0]) if matrix else 0
        if not 1 <= width <= MAX_SIZE:
            raise _fail(place, N_("expected 1 to {most}, got {count}"), most=MAX_SIZE, count=width)
        for i, row in enumerate(matrix):
            if len(row) != width:
                raise _fail(
                    f"{place}[{i}]", N_("expected {cols} numbers, got {count}"), cols=width, count=len(row)
                )
            for j, number in enumerate(row):
                if not -MAX_NUMBER <= number <= MAX_NUMBER:  # NaN fails this too
                    raise _fail(
                        f"{place}[{i}][{j}]",
                        N_("expected a number from {low:g} to {high:g}, got {number}"),
                        low=-MAX_NUMBER,
                        high=MAX_NUMBER,
                        number=number,
                    )


def _mask(example: Example, dims: Dims) -> None:
    mask = example.mask
    if not isinstance(mask, AllowMask | AddMask):
        return
    name = "allow" if isinstance(mask, AllowMask) else "add"
    rows: tuple = getattr(mask, name)  # type: ignore[type-arg]  # of bools or of floats
    widths = {len(row) for row in rows}
    if len(rows) != dims.n_q or widths != {dims.n_k}:
        raise _wrong_shape(f"mask.{name}", dims.shape("mask"), (len(rows), _either(widths)))
    numbers = [("mask.fill", mask.fill)] if isinstance(mask, AllowMask) else []
    if isinstance(mask, AddMask):
        numbers = [(f"mask.add[{i}][{j}]", v) for i, row in enumerate(rows) for j, v in enumerate(row)]
    for place, number in numbers:
        if not (isfinite(number) or number == NEG_INF):
            raise _fail(place, N_('expected a number or "-inf", got {number}'), number=number)


def _scale(example: Example) -> None:
    scale = example.scale
    if isinstance(scale, str):
        if scale == "sqrt_dk" and not example.dims.d_k and any(h.weights is None for h in example.heads):
            raise _fail("scale", N_("there is no d_k to take the root of"))
        return
    if not (1 / MAX_NUMBER <= abs(scale) <= MAX_NUMBER):
        raise _fail("scale", N_("expected a divisor other than 0, got {number}"), number=scale)


def _claimed(example: Example, dims: Dims) -> None:
    for step, claim in (example.claimed or {}).items():
        if step == "output" and example.w_o is None:
            raise _fail("claimed.output", N_("this example has no such step"))
        if step in WHOLE_LAYER_STEPS:
            _claimed_matrix(f"claimed.{step}", claim, dims.shape(step))
            continue
        if len(claim) != dims.h:
            raise _fail(
                f"claimed.{step}", N_("expected {count} heads, got {got}"), count=dims.h, got=len(claim)
            )
        for index, matrix in enumerate(claim):
            if matrix is not None:
                _claimed_matrix(f"claimed.{step}[{index}]", matrix, dims.shape(step))


def _claimed_matrix(place: str, matrix: tuple, shape: tuple[int, int]) -> None:  # type: ignore[type-arg]
    widths = {len(row) for row in matrix if row is not None} or {shape[1]}
    if len(matrix) != shape[0] or widths != {shape[1]}:
        raise _wrong_shape(place, shape, (len(matrix), _either(widths)))


def _either(widths: set[int]) -> str:
    return "/".join(str(width) for width in sorted(widths)) or "0"
