"""Sentences in the reader's language, and on a shell's standard error. The catalogues lie in ``mha_core/locales``."""

from __future__ import annotations

import gettext
import os
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from mha_core.errors import MhaError

CJK_CLASS: Final = "ctexart"
"""The class of LaTeX documents that sets Chinese characters, kana and hangul."""


@dataclass(frozen=True, slots=True)
class Language:
    """``name``: in itself; ``short``: where there is little room; ``tag``: as HTML names it. ``locales``: how the
    locales of those who read it begin. ``between``: what stands between two sentences. ``document_class``: the class of
    LaTeX documents that sets it.
    """

    code: str
    name: str
    short: str
    tag: str
    locales: tuple[str, ...] = ()
    between: str = " "
    document_class: str = "article"


LANGUAGE: Final = {
    language.code: language
    for language in (
        Language("en", "English", "EN", "en"),
        Language("zh", "中文", "中", "zh-CN", ("zh",), between="", document_class=CJK_CLASS),
    )
}
"""The languages by code. The first is the one that stands in the code, and serves every other locale."""
LANGUAGES: Final = tuple(LANGUAGE)
_FOLDER = Path(__file__).resolve().parent / "locales"


@lru_cache(maxsize=4)
def catalogue(language: str) -> gettext.NullTranslations:
    """The core's sentences in one language; English where there is no catalogue."""
    return gettext.translation("mha_core", _FOLDER, [language], fallback=True)


def in_words(error: MhaError, language: str) -> str:
    """The error's sentence in one language, with the place that it names."""
    return error.sentence(catalogue(language).gettext)


def complain(line: str) -> None:
    """One line on standard error, where there is one."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def translate_argparse() -> None:
    """Let what Python's own modules say by gettext, as argparse does, come from this catalogue."""
    gettext.bindtextdomain("mha_core", _FOLDER)
    gettext.textdomain("mha_core")


def shell_language() -> str:
    """The language that a shell asks for, by the variables that gettext reads."""
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    setting = next((os.environ[name] for name in names if os.environ.get(name)), "")
    return language_of(setting)


def language_of(locale: str) -> str:
    """The language for a locale, such as ``zh-CN`` or ``zh_TW.UTF-8``."""
    asked = locale.lower()
    return next((code for code in LANGUAGES if asked.startswith(LANGUAGE[code].locales)), LANGUAGES[0])
