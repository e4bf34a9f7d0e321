"""The sentences above the bench: what an example's note says, and what can be said of the numbers at hand."""

from __future__ import annotations

from typing import Final

from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import key_tokens, text_in
from mha_core.walk.summary import findings, where_heads_look
from mha_ui.figures.labels import labels
from mha_ui.language import words_in


def about(trace: Trace, language: str) -> str:
    """The example's note; where it has none, what the bench shows."""
    return text_in(trace.example.note, language) or words_in(language)(PLAINLY)


def looks(trace: Trace, language: str) -> list[str]:
    """For each head, where it looks."""
    example = trace.example
    queries, keys = labels(example.tokens).names, labels(key_tokens(example)).names
    return findings(where_heads_look(trace), queries, keys, language)


PLAINLY: Final = N_(
    "For every token each head decides how much of each token to take along. Change a framed number and watch."
)
