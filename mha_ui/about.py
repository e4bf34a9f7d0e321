"""The sentences above the bench: what an example's note says, and what can be said of the numbers at hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import key_tokens, text_in
from mha_core.walk.summary import findings, where_heads_look
from mha_ui.figures.labels import labels
from mha_ui.language import words_in


def told(trace: Trace, language: str) -> dict[str, Any]:
    """``about``: the example's note; where it has none, where the heads look, as far as that is short, else what the
    bench shows. ``looks``: for each head, where it looks.
    """
    found = looks(trace, language)
    note = text_in(trace.example.note, language)
    return {"about": note or _story(found, language) or words_in(language)(PLAINLY), "looks": found}


def looks(trace: Trace, language: str) -> list[str]:
    """For each head, where it looks."""
    example = trace.example
    queries, keys = labels(example.tokens).names, labels(key_tokens(example)).names
    return findings(where_heads_look(trace), queries, keys, language)


def _story(found: Sequence[str], language: str) -> str:
    """Where the heads look, as one text; "" where it would be a long one."""
    words = words_in(language)
    each = [
        words(N_("Head {head}, {finding}.")).format(head=head + 1, finding=finding)
        for head, finding in enumerate(found)
    ]
    story = reduce(lambda one, other: words(N_("{one} {other}")).format(one=one, other=other), each)
    return story if len(story) <= _LONGEST else ""


_LONGEST: Final = 240
PLAINLY: Final = N_("Change a framed number and watch what follows from it.")
