"""Readers of decoded JSON: each takes a value and its place, and returns it typed, or raises ``ExampleError``.

``files`` reads an example with them; ``mask_file``, ``claims_file``, ``lecture_file``, ``puzzle_file`` and
``learning_file`` read what their names say. At the end, the plain JSON of what they read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from math import inf, isinf
from typing import Any

from mha_core.errors import N_, ExampleError, Translatable
from mha_core.example.model import NEG_INF, Matrix, Row, Text
from mha_core.messages import LANGUAGES
from mha_core.quoted import quoted_json

NEG_INF_TEXT = ("-inf", "-Infinity", "-∞", "−∞")


def fail(place: str, template: str, **values: object) -> ExampleError:
    """The error of a place."""
    return ExampleError(template, place=place, **values)


class Constant(float):
    """NaN, Infinity or -Infinity, which Python decodes although they are not JSON. Their readers refuse them."""


def read_object(value: object, place: str, known: Mapping[str, object]) -> dict[str, Any]:
    """An object without unknown keys."""
    if not isinstance(value, dict):
        raise fail(place, N_("expected a JSON object, got {got}"), got=quoted_json(value))
    for name in value:
        if name not in known:
            raise fail(place, N_("unknown key {name}"), name=quoted_json(name))
    return value


def read_list(value: object, place: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise fail(place, N_("expected a list in brackets, got {got}"), got=quoted_json(value))
    return value


def read_string(value: object, place: str) -> str:
    """A text in one language."""
    if not isinstance(value, str):
        raise fail(place, N_("expected text, got {got}"), got=quoted_json(value))
    return value


def read_text(value: object, place: str) -> Text:
    """A text, or one for each language."""
    if isinstance(value, dict):
        read_object(value, place, dict.fromkeys(LANGUAGES, 0))
        return {language: read_string(text, f"{place}.{language}") for language, text in value.items()}
    return read_string(value, place)


def read_texts(value: object, place: str) -> tuple[Text, ...]:
    """Texts, each with its place."""
    return tuple(read_text(item, f"{place}[{i}]") for i, item in enumerate(read_list(value, place)))


def read_strings(value: object, place: str) -> tuple[str, ...]:
    """Texts in one language, each with its place."""
    return tuple(read_string(item, f"{place}[{i}]") for i, item in enumerate(read_list(value, place)))


def read_float(value: object, place: str) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise fail(place, N_("expected a number, got {got}"), got=quoted_json(value))
    if isinstance(value, Constant):
        raise fail(place, N_("expected a finite number, got {name}"), name=quoted_json(value))
    try:
        number = float(value)
    except OverflowError:  # an integer beyond the largest float64
        number = inf
    if isinf(number):
        raise fail(place, N_("the number is too large"))
    return number


def read_float_or_neg_inf(value: object, place: str) -> float:
    """A finite number or −∞."""
    below = value == NEG_INF and not isinstance(value, Constant)  # a JSON decoder reads -1e400 as −∞
    return NEG_INF if below or value in NEG_INF_TEXT else read_float(value, place)


def read_numbers(value: object, place: str) -> Row:
    """A list of numbers."""
    return tuple(read_float(item, f"{place}[{j}]") for j, item in enumerate(read_list(value, place)))


def read_table(value: object, place: str, cell: Callable[[object, str], Any]) -> tuple[tuple[Any, ...], ...]:
    """A matrix in row order; every row of the first one's length, at least one cell."""
    rows = []
    for i, row in enumerate(read_list(value, place)):
        here = f"{place}[{i}]"
        cells = read_list(row, here)
        rows.append(tuple(cell(item, f"{here}[{j}]") for j, item in enumerate(cells)))
        if len(cells) != len(rows[0]):
            raise fail(
                here,
                N_("expected {cols} {cols:number|numbers}, got {count}"),
                cols=len(rows[0]),
                count=len(cells),
            )
    if not rows or not rows[0]:
        raise fail(place, N_("expected at least one number, got none"))
    return tuple(rows)


def read_matrix(value: object, place: str) -> Matrix:
    """A matrix of numbers."""
    return read_table(value, place, read_float)


def read_bool(value: object, place: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise fail(place, N_("expected true or false, got {got}"), got=quoted_json(value))
    return value


class _Either(Translatable):
    """Names to choose from."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = [f'"{name}"' for name in names]

    def translated(self, gettext: Callable[[str], str]) -> str:
        """``"dot", "additive" or "cosine"``."""
        *others, last = self.names
        if not others:
            return last
        names = reduce(
            lambda one, following: gettext(N_("{one}, {next}")).format(one=one, next=following), others
        )
        return gettext(N_("{names} or {last}")).format(names=names, last=last)


def one_of(names: tuple[str, ...]) -> Callable[[object, str], Any]:
    """A reader of one of these names."""
    expected = _Either(names)

    def read(value: object, place: str) -> str:
        if not isinstance(value, str) or value not in names:
            raise fail(place, N_("expected {expected}, got {got}"), expected=expected, got=quoted_json(value))
        return value

    return read


def read_count(value: object, place: str) -> int:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise fail(place, N_("expected a whole number, got {got}"), got=quoted_json(value))
    return value


def number_json(number: float) -> float | int | str:
    """Shortest JSON for a float: 1.0 is written 1, −∞ is written "-inf"."""
    if number == NEG_INF:
        return "-inf"
    return int(number) if float(number).is_integer() and abs(number) < 1e15 else number


def text_json(text: Text | None) -> object:
    """A text as plain JSON data, its languages in a fixed order."""
    return text if isinstance(text, str | None) else dict(sorted(text.items()))


def row_json(row: Row | None) -> list[object] | None:
    """A list of numbers, or None."""
    return None if row is None else [number_json(number) for number in row]


def rows_json(matrix: Matrix | None) -> list[object] | None:
    """A matrix of numbers, or None."""
    return None if matrix is None else [row_json(row) for row in matrix]
