"""What the rules of several parts of an example share."""

from __future__ import annotations

from mha_core.errors import N_, ExampleError
from mha_core.example.model import MAX_NUMBER
from mha_core.example.readers import fail


def require_number(place: str, number: float, low: float = -MAX_NUMBER) -> None:
    """A number of a size that can be computed with; no NaN."""
    if not low <= number <= MAX_NUMBER:
        message = N_("expected a number from {low:g} to {high:g}, got {number}")
        raise fail(place, message, low=low, high=MAX_NUMBER, number=number)


def require_index(place: str, index: int, size: int) -> None:
    """The index of one of so many, counted from 0."""
    if not 0 <= index < size:
        message = N_("expected a whole number from 0 to {last}, got {got}")
        raise fail(place, message, last=size - 1, got=index)


def wrong_width(place: str, cols: int, count: int) -> ExampleError:
    """How many numbers were expected in a row, and how many came."""
    return fail(place, N_("expected {cols} {cols:number|numbers}, got {count}"), cols=cols, count=count)


def wrong_shape(place: str, expected: tuple[int, int], got: tuple[object, object]) -> ExampleError:
    """Rows and columns that were expected, and those that came."""
    (rows, cols), (got_rows, got_cols) = expected, got
    message = N_("expected {rows} × {cols}, got {got_rows} × {got_cols}")
    return fail(place, message, rows=rows, cols=cols, got_rows=got_rows, got_cols=got_cols)


def either(widths: set[int]) -> str:
    """The widths of ragged rows, such as 2/3."""
    return "/".join(str(width) for width in sorted(widths)) or "0"
