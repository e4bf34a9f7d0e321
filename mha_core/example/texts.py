"""The rules for every text of an example."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mha_core.errors import N_, ExampleError
from mha_core.example.lecture import Text

_SURROGATES = re.compile("[\ud800-\udfff]")


def require_text(place: str, text: str, most: int) -> None:
    """Raises ``ExampleError`` for a text of more than ``most`` characters, or with half a character."""
    if len(text) > most:
        raise ExampleError(
            N_("expected at most {most} characters, got {count}"), place=place, most=most, count=len(text)
        )
    if _SURROGATES.search(text):
        raise ExampleError(N_("the text contains half a character (an unpaired surrogate)"), place=place)


def in_languages(place: str, text: Text | None) -> Iterator[tuple[str, str]]:
    """(place, text) of a text in each of its languages."""
    if isinstance(text, Mapping):
        yield from ((f"{place}.{language}", part) for language, part in text.items())
    elif text is not None:
        yield place, text
