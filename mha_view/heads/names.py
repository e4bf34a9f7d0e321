"""Names in a run: those of tokens, as a text that heads can be measured on, and those of attentions in short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final

from mha_core.models import Tokens
from mha_core.models.tokenizer import BLANKS

_SPECIAL: Final = re.compile(r"\[[A-Z]+\d*\]|<[^<>\s]+>")
"""[CLS], [SEP], <s>, <|endoftext|>: tokens that are not part of a text."""
_STARTS: Final = ("Ġ", "▁", " ")
"""With these, tokenizers of the GPT-2 and Llama families mark the token that a word starts with."""

_VISIBLE: Final = str.maketrans(BLANKS)


def visible(names: Iterable[str]) -> list[str]:
    """Names whose blanks can be seen: " the" is "␣the"."""
    return [name.translate(_VISIBLE) for name in names]


def short_names(names: Sequence[str]) -> list[str]:
    """What is different in these names of parts of a module, with the part before a number that is left alone.

    short_names(["h.0.attn", "h.1.attn"])  # ["h.0", "h.1"]
    """
    parts = [name.split(".") for name in names]
    shortest = min(map(len, parts))
    start, end = (_shared([own[::step] for own in parts]) for step in (1, -1))
    if len(names) == 1 or start + end >= shortest:
        return list(names)
    is_number = start > 0 and all(len(own) == start + end + 1 and own[start].isdigit() for own in parts)
    return [".".join(own[start - is_number : len(own) - end]) for own in parts]


def _shared(parts: Sequence[Sequence[str]]) -> int:
    """How many parts all of these begin with."""
    columns = zip(*parts, strict=False)
    return len([*takewhile(lambda column: len({*column}) == 1, columns)])


def tokens_of(names: Sequence[str]) -> Tokens:
    """Tokens with these names: equal names are the same token, and pieces of a word are recognised by their marks.

    Names that are only numbers leave the measures that depend on positions.
    """
    special = tuple(bool(_SPECIAL.fullmatch(name)) for name in names)
    if all(special):
        special = (False,) * len(names)
    numbers: dict[str, int] = {}
    return Tokens(
        ids=tuple(numbers.setdefault(name, len(numbers)) for name in names),
        texts=tuple(names),
        words=_words(names, special),
        special=special,
        segments=(0,) * len(names),
        unknown=(None,) * len(names),
    )


def _words(names: Sequence[str], special: Sequence[bool]) -> tuple[int | None, ...]:
    """The word that each token belongs to; None for special ones."""
    marked = any(name.startswith(_STARTS) for name in names)
    words: list[int | None] = []
    word = -1
    for at, name in enumerate(names):
        follows = at > 0 and not special[at - 1]
        goes_on = marked and not name.startswith(_STARTS) and _is_text(name) and _is_text(names[at - 1])
        word += not special[at] and not (follows and (goes_on or name.startswith("##")))
        words.append(None if special[at] else word)
    return tuple(words)


def _is_text(name: str) -> bool:
    """Whether a piece is letters or digits, not a sign."""
    return name.lstrip("".join(_STARTS))[:1].isalnum()
