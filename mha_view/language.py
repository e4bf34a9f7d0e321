"""The two languages: gettext catalogues, also for the core's sentences."""

from __future__ import annotations

import gettext
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from mha_core.errors import MhaError
from mha_core.messages import LANGUAGES, catalogue, in_words, language_of

Words: TypeAlias = Callable[[str], str]
"""Translates one message into the page's language."""

_FOLDER = Path(__file__).resolve().parent / "locales"

__all__ = ["LANGUAGES", "Words", "language_for", "sentence", "words_in"]


@lru_cache(maxsize=4)
def words_in(language: str) -> Words:
    """The translator into a language, for this package's sentences and the core's; English is the source."""
    translations = gettext.translation("mha_view", _FOLDER, [language], fallback=True)
    translations.add_fallback(catalogue(language))
    return translations.gettext


def sentence(error: MhaError, language: str) -> str:
    """An error as one sentence in a language."""
    return in_words(error, language)


def language_for(locale: str | None) -> str:
    """The page's language for a browser's locale, such as ``zh-CN``."""
    return language_of(locale or "")
