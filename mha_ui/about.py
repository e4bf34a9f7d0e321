"""The sentences above the bench: what an example's note says, and what can be said of the numbers at hand."""

from __future__ import annotations

from mha_core.compute.trace import Trace
from mha_core.example.model import key_tokens, text_in
from mha_core.walk.summary import described, findings, where_heads_look
from mha_ui.figures.labels import labels


def about(trace: Trace, language: str) -> str:
    """The example's note; where it has none, where each head looks."""
    example = trace.example
    queries, keys = labels(example.tokens).names, labels(key_tokens(example)).names
    return text_in(example.note, language) or described(where_heads_look(trace), queries, keys, language)


def looks(trace: Trace, language: str) -> list[str]:
    """For each head, where it looks."""
    example = trace.example
    queries, keys = labels(example.tokens).names, labels(key_tokens(example)).names
    return findings(where_heads_look(trace), queries, keys, language)
