"""The sentences above the tables: an example's note, and where each head looks."""

from __future__ import annotations

from typing import Final, TypedDict

from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.library import library
from mha_core.example.model import Example, key_tokens, text_in
from mha_core.walk.summary import findings, where_heads_look
from mha_view.figures.labels import labels
from mha_view.language import words_in


class About(TypedDict):
    """``about``: the example's note, else what the page is for. ``looks``: for each head, where it looks."""

    about: str
    looks: list[str]


def about_example(trace: Trace, language: str) -> About:
    """The sentences about an example."""
    note = text_in(trace.example.note, language)
    return {"about": note or words_in(language)(PLAINLY), "looks": looks(trace, language)}


def title_of(example: Example, language: str) -> str:
    """An example's title; a visitor's own sentence has none, and is its own."""
    return text_in(example.title, language) or f"“{' '.join(example.tokens)}”"


def is_ours(example: Example) -> bool:
    """Whether the note is a built-in example's, in which W_Q is a symbol. A visitor's text is shown as it is."""
    return example.note is not None and any(example.note == built_in.note for built_in in library().values())


def looks(trace: Trace, language: str) -> list[str]:
    """For each head, where it looks."""
    example = trace.example
    queries, keys = labels(example.tokens).names, labels(key_tokens(example)).names
    return findings(where_heads_look(trace), queries, keys, language)


PLAINLY: Final = N_(
    "All lines and captions follow the numbers below. Change any boxed number and watch them update."
)
