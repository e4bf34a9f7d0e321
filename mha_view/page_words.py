"""The words of the pages whose numbers follow every edit, in all languages: a module that a browser keeps.

What a page is sent after an edit would otherwise be words for the most part. Importing this imports nothing that the
server would have to wait for.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import NamedTuple

from mha_view.language import LANGUAGES

PAGES = ("explore", "walk")


class PageWords(NamedTuple):
    """A module, and its version, which changes with any word."""

    version: str
    script: str


@cache
def served(page: str) -> PageWords | None:
    """The module whose default export is a page's words by language; ``None`` for a page that is sent its own."""
    if page not in PAGES:
        return None
    script = f"export default {json.dumps({code: words_of(page, code) for code in LANGUAGES}, ensure_ascii=False)};\n"
    return PageWords(hashlib.sha256(script.encode()).hexdigest()[:16], script)


def words_of(page: str, language: str) -> dict[str, str]:
    """A page's words in one language."""
    from mha_view.tables import words as of_tables  # noqa: PLC0415  # it needs torch, and so does the walk
    from mha_view.walk import words as of_walk  # noqa: PLC0415

    shared = of_tables.ui_words(language)
    return {**shared, **of_walk.ui_words(language)} if page == "walk" else shared
