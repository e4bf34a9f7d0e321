"""The built-in puzzles: the files in ``puzzles/``, in the order that teaches."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from mha_core.errors import N_, CellError
from mha_core.example.files import parse
from mha_core.example.library import SUFFIX
from mha_core.example.model import Example
from mha_core.messages import LANGUAGES
from mha_core.quoted import quoted

FOLDER: Final = Path(__file__).resolve().parent / "puzzles"


@lru_cache(maxsize=1)
def built_in_puzzles() -> dict[str, Example]:
    """Key → example, in the order that teaches. A file ``11_book.mha.json`` has the key ``book``."""
    return {
        path.name.removesuffix(SUFFIX).partition("_")[2]: parse(path.read_bytes())
        for path in sorted(FOLDER.glob(f"*{SUFFIX}"))
    }


def built_in_puzzle(key: str) -> Example:
    """A built-in puzzle by its key. Raises ``CellError`` where there is none with that key."""
    try:
        return built_in_puzzles()[key]
    except KeyError:
        raise CellError(
            N_("there is no puzzle named {name}; the puzzles are: {known}"),
            name=quoted(key),
            known=", ".join(built_in_puzzles()),
        ) from None


def start_of(example: Example) -> Example | None:
    """How the built-in puzzle of an example began, with the example's tokens; None for an example of no such puzzle."""
    start = built_in_puzzles().get(example.puzzle.key) if example.puzzle else None
    if start is None or start.puzzle is None:
        return None
    variants = [in_language(start, language) for language in (LANGUAGES[0], *start.puzzle.tokens)]
    return next((one for one in variants if one.tokens == example.tokens), start)


def in_language(example: Example, language: str) -> Example:
    """The example with its tokens in this language where its puzzle has them, else as it is.

    The puzzle keeps the tokens in all languages, so that a reader can change the language again.
    """
    puzzle = example.puzzle
    if puzzle is None or not puzzle.tokens:
        return example
    known = {LANGUAGES[0]: example.tokens, **puzzle.tokens}
    if known.get(language, example.tokens) == example.tokens:
        return example
    return replace(example, tokens=known[language], puzzle=replace(puzzle, tokens=known))
