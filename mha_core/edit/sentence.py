"""A sentence of one's own: its words become the tokens, each distinct word with a vector of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Final

from mha_core.edit.axes import require_size
from mha_core.edit.edit import SetSentence
from mha_core.edit.sizes import keep_tokens, tokens_of
from mha_core.errors import N_, ExampleError
from mha_core.example.model import Example, Matrix, Row, key_tokens

_NUMBERS: Final = (-2, -1, 1, 2)
_DRAWS: Final = 200
"""After so many a vector that another word has is kept: of one column there are only a few."""


def set_sentence(example: Example, edit: SetSentence) -> Example:
    """These words in the place of the tokens; the weight matrices stay, and a title that named others goes.

    A word that is there already, in capitals or not, keeps its row and what a painted mask says of it; every other one
    gets ``vectors``. Positions count from 0 again. Raises ``ExampleError`` where there are no words or too many, or
    where no rows belong to these tokens.
    """
    which, words = tokens_of(example, edit.which), edit.tokens
    rows_of = "x" if which == "tokens" else "context"
    if getattr(example, rows_of) is None:
        raise ExampleError(N_("this example has no {name}"), name={"x": "X", "context": "C"}[rows_of])
    require_size("n_q" if which == "tokens" else "n_k", len(words))
    there = {word.casefold(): index for index, word in reversed([*enumerate(_labels(example, which))])}
    kept = [there.get(word.casefold()) for word in words]
    new = keep_tokens(example, which, kept)
    rows: Matrix = getattr(new, rows_of)
    given = {word.casefold(): row for word, row, at in zip(words, rows, kept, strict=True) if at is not None}
    rows = vectors(words, len(rows[0]), given)
    again = {"ids" if which == "tokens" else "context_ids": None}
    positions = new.positions and replace(new.positions, **again)  # type: ignore[arg-type]  # one of two fields
    title = example.title if words == tuple(_labels(example, which)) else ""
    return replace(new, **{which: words, rows_of: rows}, positions=positions, title=title)  # type: ignore[arg-type]  # the same


def _labels(example: Example, which: str) -> Sequence[str]:
    return example.tokens if which == "tokens" else key_tokens(example)


def vectors(words: Sequence[str], d: int, given: dict[str, Row]) -> Matrix:
    """A row of d small whole numbers for each word; n × d, the same words always with the same rows.

    They are drawn from the word itself, and none is zero or another word's, as far as d columns hold so many.
    ``given``: rows that words in small letters have already.
    """
    known = dict(given)
    for word in map(str.casefold, words):
        if word not in known:
            known[word] = _vector(word, d, set(known.values()))
    return tuple(known[word.casefold()] for word in words)


def _vector(word: str, d: int, taken: Collection[Row]) -> Row:
    random = Random(f"word {word}")
    draws = (tuple(float(random.choice(_NUMBERS)) for _ in range(d)) for _ in range(_DRAWS))
    first = next(draws)
    return next((row for row in (first, *islice(draws, _DRAWS)) if any(row) and row not in taken), first)
