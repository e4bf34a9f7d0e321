"""The file format ``mha-example/1``: text → ``Example`` and back. The one place where outside data comes in.

Besides tokens, X, heads, W_O and ``scale`` (docs/file-format.md) an example may have

mask        null, "causal", {"window": 3, "causal": true, "corner": "bottom_right"} (``mha_core.example.band``),
            {"allow": …, "fill": …} or {"add": …}.
scoring     "dot" (where absent), "bilinear", "additive" or "cosine": how a query and a key make a score. ``scale`` is
            the divisor of that score: dot with "sqrt_dk" is scaled dot-product attention, with "none" the plain dot
            product; with cosine scoring it is the temperature. Where ``scale`` is absent it is "sqrt_dk" for dot and
            bilinear, "none" for additive and cosine, which have no √d_k.
            A head gives w_a: d_k × d_k for bilinear, w_a, u_a: d_k × d_a and v_a: d_a for additive scoring.
softcap     a number c above 0: a divided score s becomes c·tanh(s/c), which is never beyond c. Absent: none.
kv_heads    how many heads have keys and values of their own: it divides the heads into groups, and of each group the
            first gives w_k, w_v, b_k, b_v (or k, v) for all. 1 is multi-query attention; absent, each head has its own.
positions   "sinusoidal", "rotary" or "alibi", or {"kind": one of them, "ids": [0, 1, …], "context_ids": …,
            "frequencies": […], "context_frequencies": …}. With "alibi" each head gives its slope, one number. With
            "rotary" there may be "pairs": "interleaved" (where absent; columns 2m and 2m + 1 are rotated together) or
            "half" (columns m and m + d_k/2).
norm        "rms", or {"kind": "rms", "eps": 1e-6}: queries and keys are divided by the root of their mean square, and
            each head gives the gains g_q and g_k that they are then multiplied with.
sink        of a head, one number s_0: a score without a key, so that rows of weights add up to less than 1.
tokens      where absent, the rows are called t1, t2, …, and the note says so.
asked       of an exercise: the names of the steps to be worked out.
attempt     of an exercise: {"student": "…", "seed": 17, "missed": [3], "hints": [[0, 2]]}, how one learner worked it
            out (``mha_core.example.attempt``). No link has it.
lecture     a lecturer's own walk: {"minutes": 25, "steps": [{"step": "scores", "note": "…", "question": "…",
            "choices": ["…", …], "minutes": 3, "hidden": true}, …]}, where everything except "step" is optional
            (``mha_core.example.lecture``).
puzzle      goals that are to be met by changing numbers: {"goals": [{"step": "weights", "head": 0, "row": 4, "col": 3,
            "at_least": 0.8}], "change": ["w_q"], "hints": ["…", …], "solution": [{"op": "set", …}], …}
            (``mha_core.example.puzzle``).
learning    a goal to be learned: {"step": "output" or "concat", "targets": [[2, 0], null, …], "rate": 0.05} with a row
            of numbers, or null, for each query; {"step": "weights", "targets": [[1, [0.5, 0.5, 0], null], null, …]}
            with a key's index, a share for each key, or null, for each query of each head
            (``mha_core.example.learning``).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from mha_core.errors import N_, ExampleError
from mha_core.example.attempt_file import attempt_json, read_attempt
from mha_core.example.claims_file import claimed_json, read_claimed
from mha_core.example.decoding import decoded
from mha_core.example.learning_file import learning_json, read_learning
from mha_core.example.lecture_file import lecture_json, read_lecture
from mha_core.example.mask_file import mask_from_json, mask_json
from mha_core.example.model import (
    EPS,
    NORMS,
    PAIRS,
    POSITIONS,
    Example,
    Head,
    Matrix,
    Norm,
    Positions,
    Scale,
    Scoring,
)
from mha_core.example.puzzle_file import puzzle_json, read_puzzle
from mha_core.example.readers import (
    Constant,
    fail,
    number_json,
    one_of,
    read_count,
    read_float,
    read_list,
    read_matrix,
    read_numbers,
    read_object,
    read_string,
    read_strings,
    read_text,
    row_json,
    rows_json,
    text_json,
)
from mha_core.example.validate import validate
from mha_core.messages import LANGUAGES, catalogue
from mha_core.quoted import quoted_json
from mha_core.vocabulary import (
    COMPUTED,
    HEAD_MATRICES,
    HEAD_NUMBERS,
    HEAD_ROWS,
    SCORING,
    SCORINGS,
)

FORMAT = "mha-example/1"
MAX_BYTES = 5_000_000
"""Largest file, in bytes of UTF-8."""


def parse(text: str | bytes) -> Example:
    """Read a file's text.

    Raises ``ExampleError`` naming the place for everything that the format refuses, and no other error.
    """
    return from_json(_load(text))


def from_json(data: object) -> Example:
    """An ``Example`` from decoded JSON; ``ExampleError`` where it breaks the format."""
    fields = read_object(data, "", _FIELDS)
    if fields.get("format") != FORMAT:
        raise fail(
            "format",
            N_('expected "{expected}", got {got}'),
            expected=FORMAT,
            got=quoted_json(fields.get("format")),
        )
    if fields.get("heads") is None:
        raise fail("heads", N_("missing"))
    values = {
        name: read(fields[name], name) for name, read in _FIELDS.items() if fields.get(name) is not None
    }
    values.pop("format")
    if "tokens" not in values:
        values |= _default_tokens(values)
    values.setdefault("title", "")
    values.setdefault("scale", SCORING[values.get("scoring", "dot")].scale)
    return validate(Example(**values))


def dump(example: Example) -> str:
    """The canonical file text: keys in the format's order, absent ones left out, one line."""
    return json.dumps(to_json(example), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def pretty(example: Example) -> str:
    """The file text laid out for reading: one matrix row on each line. Parses to the same example."""
    return _pretty(to_json(example), "") + "\n"


def to_json(example: Example) -> dict[str, object]:
    """The file's content as plain JSON data."""
    data: dict[str, object] = {
        "format": FORMAT,
        "title": text_json(example.title),
        "note": text_json(example.note),
        "source": text_json(example.source),
        "tokens": list(example.tokens),
        "x": rows_json(example.x),
        "context_tokens": None if example.context_tokens is None else list(example.context_tokens),
        "context": rows_json(example.context),
        "heads": [_head_json(head) for head in example.heads],
        "w_o": rows_json(example.w_o),
        "b_o": row_json(example.b_o),
        "scoring": None if example.scoring == "dot" else example.scoring,
        "scale": example.scale if isinstance(example.scale, str) else number_json(example.scale),
        "softcap": None if example.softcap is None else number_json(example.softcap),
        "norm": None if example.norm is None else _norm_json(example.norm),
        "kv_heads": example.kv_heads,
        "positions": None if example.positions is None else _positions_json(example.positions),
        "mask": mask_json(example.mask),
        "claimed": None if example.claimed is None else claimed_json(example.claimed),
        "asked": None if example.asked is None else list(example.asked),
        "attempt": None if example.attempt is None else attempt_json(example.attempt),
        "lecture": None if example.lecture is None else lecture_json(example.lecture),
        "puzzle": None if example.puzzle is None else puzzle_json(example.puzzle),
        "learning": None if example.learning is None else learning_json(example.learning),
    }
    return {key: value for key, value in data.items() if value is not None}


def _default_tokens(values: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens for the rows of X, or of what the heads start from, and a note that says so."""
    heads: tuple[Head, ...] = values["heads"]
    rows = next((matrix for matrix in (values.get("x"), *_query_rows(heads)) if matrix), None)
    if rows is None:
        raise fail("tokens", N_("missing"))
    note = values.get("note", "")
    by_language = note if isinstance(note, Mapping) else dict.fromkeys(LANGUAGES, note)
    added = {name: catalogue(name).gettext(_NO_TOKENS).format(last=f"t{len(rows)}") for name in LANGUAGES}
    notes = {name: f"{by_language.get(name, '')} {sentence}".strip() for name, sentence in added.items()}
    return {"tokens": tuple(f"t{i + 1}" for i in range(len(rows))), "note": notes}


def _query_rows(heads: Iterable[Head]) -> Iterator[Matrix | None]:
    """The matrices of heads that have a row for each query."""
    for head in heads:
        yield from (head.q, head.weights)


_NO_TOKENS = N_("The file names no tokens. Its rows are called t1 to {last}.")


# --- reading ---------------------------------------------------------------------------------------------------


def _load(text: str | bytes) -> object:
    too_large = fail("", N_("the file is larger than {most} MB"), most=MAX_BYTES // 1_000_000)
    if len(text) > MAX_BYTES:
        raise too_large
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise fail("", N_("the file is not UTF-8 text (byte {at})"), at=error.start) from None
    elif len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise too_large
    try:
        return decoded(text, object_pairs_hook=_no_duplicates, parse_constant=Constant)
    except json.JSONDecodeError as error:
        raise fail(
            "",
            N_("this is not valid JSON: line {line}, column {column}"),
            line=error.lineno,
            column=error.colno,
        ) from None
    except RecursionError:
        raise fail("", N_("the file is nested too deeply")) from None
    except ExampleError:
        raise
    except ValueError:  # an integer of thousands of digits
        raise fail("", N_("a number in the file has too many digits")) from None


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        counted = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counted.items() if count > 1)
        raise fail("", N_("the key {name} appears twice in one object"), name=quoted_json(twice))
    return fields


def _heads(value: object, place: str) -> tuple[Head, ...]:
    return tuple(_head(item, f"{place}[{index}]") for index, item in enumerate(read_list(value, place)))


_ROWS = tuple(name for name in HEAD_ROWS if name not in HEAD_NUMBERS)
"""What a head gives as a list of numbers."""


def _head(value: object, place: str) -> Head:
    readers: dict[str, Callable[[object, str], Any]] = {
        **dict.fromkeys(HEAD_MATRICES, read_matrix),
        **dict.fromkeys(_ROWS, read_numbers),
        **dict.fromkeys(HEAD_NUMBERS, lambda item, here: (read_float(item, here),)),
        "mask": lambda item, here: item if item == "none" else mask_from_json(item, here),
    }
    fields = read_object(value, place, readers)
    return Head(
        **{name: readers[name](item, f"{place}.{name}") for name, item in fields.items() if item is not None}
    )


def _scale(value: object, place: str) -> Scale:
    if isinstance(value, str):
        if value in ("sqrt_dk", "none"):
            return value  # type: ignore[return-value]  # mypy does not narrow str to the literals
        raise fail(place, N_('expected "sqrt_dk", "none" or a number, got {got}'), got=quoted_json(value))
    return read_float(value, place)


_scoring: Callable[[object, str], Scoring] = one_of(SCORINGS)
_kind = one_of(POSITIONS)
_norm_kind = one_of(NORMS)
_pairs = one_of(PAIRS)
_step = one_of(COMPUTED)


def _norm(value: object, place: str) -> Norm:
    if not isinstance(value, dict):
        return Norm(_norm_kind(value, place))
    fields = read_object(value, place, dict.fromkeys(("kind", "eps")))
    eps = {} if fields.get("eps") is None else {"eps": read_float(fields["eps"], f"{place}.eps")}
    return Norm(_norm_kind(fields.get("kind"), f"{place}.kind"), **eps)


def _positions(value: object, place: str) -> Positions:
    if not isinstance(value, dict):
        return Positions(_kind(value, place))
    rows = ("ids", "context_ids", "frequencies", "context_frequencies")
    fields = read_object(value, place, dict.fromkeys(("kind", *rows, "pairs")))
    readers = dict.fromkeys(rows, read_numbers) | {"pairs": _pairs}
    given: dict[str, Any] = {
        name: read(fields[name], f"{place}.{name}")
        for name, read in readers.items()
        if fields.get(name) is not None
    }
    return Positions(_kind(fields.get("kind"), f"{place}.kind"), **given)


def _asked(value: object, place: str) -> tuple[str, ...]:
    """Names of steps, in the order of the computation."""
    names = [_step(name, f"{place}[{i}]") for i, name in enumerate(read_list(value, place))]
    return tuple(step for step in COMPUTED if step in names)


_FIELDS: dict[str, Callable[[object, str], Any]] = {
    "format": read_string,
    "title": read_text,
    "note": read_text,
    "source": read_text,
    "tokens": read_strings,
    "x": read_matrix,
    "context_tokens": read_strings,
    "context": read_matrix,
    "heads": _heads,
    "w_o": read_matrix,
    "b_o": read_numbers,
    "scoring": _scoring,
    "scale": _scale,
    "softcap": read_float,
    "norm": _norm,
    "kv_heads": read_count,
    "positions": _positions,
    "mask": mask_from_json,
    "claimed": read_claimed,
    "asked": _asked,
    "attempt": read_attempt,
    "lecture": read_lecture,
    "puzzle": read_puzzle,
    "learning": read_learning,
}
"""Every key of the format and its reader."""


# --- writing ---------------------------------------------------------------------------------------------------


def _head_json(head: Head) -> dict[str, object]:
    matrices = {name: rows_json(getattr(head, name)) for name in HEAD_MATRICES}
    rows = {name: row_json(getattr(head, name)) for name in _ROWS}
    numbers = {name: number_json(row[0]) for name in HEAD_NUMBERS if (row := getattr(head, name)) is not None}
    given = {**matrices, **rows, **numbers, "mask": mask_json(head.mask)}
    return {name: value for name, value in given.items() if value is not None}


def _norm_json(norm: Norm) -> object:
    return norm.kind if norm.eps == EPS else {"kind": norm.kind, "eps": norm.eps}


def _positions_json(positions: Positions) -> object:
    rows = {
        "ids": row_json(positions.ids),
        "context_ids": row_json(positions.context_ids),
        "frequencies": row_json(positions.frequencies),
        "context_frequencies": row_json(positions.context_frequencies),
    }
    given: dict[str, object] = {name: row for name, row in rows.items() if row is not None}
    if positions.pairs != PAIRS[0]:
        given["pairs"] = positions.pairs
    return {"kind": positions.kind, **given} if given else positions.kind


def _pretty(value: object, indent: str) -> str:
    """JSON with one line for each item of an object or of a list of lists, and flat lists on one line."""
    deeper = indent + "  "
    if isinstance(value, dict):
        lines = [f"{deeper}{json.dumps(key)}: {_pretty(item, deeper)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        return "[\n" + ",\n".join(deeper + _pretty(item, deeper) for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)
