"""Names of cells on screen: ``W_Q[1, 2] of head 1``, counted from 1.

Files and the command line use the path instead, ``heads[0].w_q[0][1]``, counted from 0. The browser's own sentences use
the same names (``nameOf`` in ``web/kit/graph.js``).
"""

from __future__ import annotations

import re
from typing import Final

from mha_core import Cell, Example, MhaError
from mha_core.compute.graph import symbol
from mha_core.errors import N_
from mha_core.messages import catalogue
from mha_core.vocabulary import AXES, PER_HEAD_STEPS
from mha_view.language import Words, words_in

_PATH: Final = re.compile(
    r"(?:heads\[(?P<head>\d+)\]\.)?(?P<name>[a-z_]+(?:\.[a-z_]+)?)(?P<indices>(?:\[\d+\])*)"
)
_OTHER_NAMES: Final = {
    "mask.allow": "mask",
    "mask.add": "mask",
    "positions.ids": "position_ids",
    "positions.context_ids": "context_position_ids",
    "positions.frequencies": "frequencies",
    "positions.context_frequencies": "context_frequencies",
}
"""Paths in a file whose matrix has another name on screen."""
_SETTINGS: Final = {
    "scale": N_("Divide by"),
    "softcap": N_("softcap"),
    "norm": N_("Norm of Q, K"),
    "norm.eps": N_("Norm of Q, K"),
    "kv_heads": N_("K, V heads"),
    "learning": N_("goal"),
    "learning.targets": N_("goal"),
    "learning.rate": "η",
    "tokens": N_("tokens"),
    "context_tokens": N_("context tokens"),
    "heads": N_("heads"),
}


def cell_name(cell: Cell, example: Example, words: Words) -> str:
    """``X[1, 2]``, or with its head: ``A[1, 3] of head 1``; the symbol of head outputs contains the head."""
    return _name(cell.name, cell.head, (cell.row, cell.col), example, words)


def place_name(path: str, example: Example, words: Words) -> str:
    """The name for a path in a file; the path itself if it is not a matrix, a cell or a setting."""
    match = _PATH.fullmatch(path)
    if match is None:
        return path
    head = None if match["head"] is None else int(match["head"])
    name, indices = match["name"], [int(index) for index in re.findall(r"\d+", match["indices"])]
    if name.startswith("claimed."):
        name = name.removeprefix("claimed.")
        head = indices.pop(0) if indices and name in PER_HEAD_STEPS else None
    name = _OTHER_NAMES.get(name, name)
    if name in AXES:
        return _name(name, head, tuple(indices), example, words)
    if name == "heads" and indices:
        return words(N_("head {number}")).format(number=indices[0] + 1)
    return words(_SETTINGS[name]) if name in _SETTINGS else path


def place_and_sentence(error: MhaError, example: Example, language: str) -> tuple[str, str]:
    """An error about the current example: the name of its place ("" if it has none), and its whole sentence."""
    words = words_in(language)
    what = error.what(catalogue(language).gettext)
    if not error.place:
        return "", what
    name = place_name(error.place, example, words)
    return name, words(N_("{place}: {what}")).format(place=name, what=what)


def _name(name: str, head: int | None, indices: tuple[int, ...], example: Example, words: Words) -> str:
    """A matrix, a row or a cell. In a matrix with one row or one column, a single index counts along the other axis."""
    text = symbol(name, example)
    if text == "head_i" and head is not None:
        text, head = f"head_{head + 1}", None
    if len(indices) == 1:
        rows, cols = AXES[name]
        indices = (0, *indices) if rows == "1" else (*indices, 0) if cols == "1" else indices
    if len(indices) == 2:
        text += f"[{indices[0] + 1}, {indices[1] + 1}]"
    if head is not None:
        text = words(N_("{place} of head {head}")).format(place=text, head=head + 1)
    if len(indices) == 1:
        return words(N_("row {number} of {place}")).format(number=indices[0] + 1, place=text)
    return text
