"""A sentence as input: its words become the tokens, each distinct word with its own vector."""

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
"""After so many draws two words may have the same vector: with one column there are only a few vectors."""


def set_sentence(example: Example, edit: SetSentence) -> Example:
    """Replace the tokens with these words. Weight matrices stay; the title is removed unless the words are the same.

    A word that is already a token, in capitals or not, keeps its row and its part of a painted mask; every other word
    gets one of ``vectors``. Positions count from 0 again. Raises ``ExampleError`` where there are no words or too many,
    or where no rows belong to these tokens.
    """
    which, words = tokens_of(example, edit.which), edit.tokens
    rows_of = "x" if which == "tokens" else "context"
    if getattr(example, rows_of) is None:
        raise ExampleError(N_("this example has no {name}"), name={"x": "X", "context": "C"}[rows_of])
    require_size("n_q" if which == "tokens" else "n_k", len(words))
    index_of = {word.casefold(): index for index, word in reversed([*enumerate(_labels(example, which))])}
    old_indices = [index_of.get(word.casefold()) for word in words]
    new = keep_tokens(example, which, old_indices)
    rows: Matrix = getattr(new, rows_of)
    given = {
        word.casefold(): row for word, row, at in zip(words, rows, old_indices, strict=True) if at is not None
    }
    rows = vectors(words, len(rows[0]), given)
    no_ids = {"ids" if which == "tokens" else "context_ids": None}
    positions = new.positions and replace(new.positions, **no_ids)  # type: ignore[arg-type]  # one of two fields
    title = example.title if words == tuple(_labels(example, which)) else ""
    return replace(new, **{which: words, rows_of: rows}, positions=positions, title=title)  # type: ignore[arg-type]  # the same


def _labels(example: Example, which: str) -> Sequence[str]:
    return example.tokens if which == "tokens" else key_tokens(example)


def vectors(words: Sequence[str], d: int, given: dict[str, Row]) -> Matrix:
    """A row of d small whole numbers for each word; n × d, the same words always with the same rows.

    They are seeded by the word. None is zero or equal to another word's, as far as d columns have enough vectors.
    ``given``: rows of words, in lower case, that have one already.
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
