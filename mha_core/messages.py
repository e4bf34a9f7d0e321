"""Sentences in the reader's language, and on a shell's standard error. The catalogues are in ``mha_core/locales``."""

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
"""The LaTeX document class that typesets Chinese characters, kana and hangul."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language of the app.

    ``name``: in the language itself; ``short``: the same where there is little room; ``tag``: HTML's language tag.
    ``locales``: prefixes of the locales that it serves. ``between``: the separator of two sentences.
    ``document_class``: the LaTeX document class that typesets it.
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
"""The languages by code. The first is the language of the source code and the fallback for every other locale."""
LANGUAGES: Final = tuple(LANGUAGE)
_FOLDER = Path(__file__).resolve().parent / "locales"


@lru_cache(maxsize=4)
def catalogue(language: str) -> gettext.NullTranslations:
    """The core's sentences in one language; English where there is no catalogue."""
    return gettext.translation("mha_core", _FOLDER, [language], fallback=True)


def in_words(error: MhaError, language: str) -> str:
    """The error's sentence in one language, with the place that it names."""
    return error.sentence(catalogue(language).gettext)


def say(text: str) -> str:
    """A text of ours in the shell's language."""
    return catalogue(shell_language()).gettext(text)


def complain(line: str) -> None:
    """One line on standard error, where there is one."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def translate_argparse() -> None:
    """Translate the messages of Python's own modules, such as argparse, by this catalogue."""
    gettext.bindtextdomain("mha_core", _FOLDER)
    gettext.textdomain("mha_core")


def shell_language() -> str:
    """The language of the shell, from the variables that gettext reads."""
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    setting = next((os.environ[name] for name in names if os.environ.get(name)), "")
    return language_of(setting)


def language_of(locale: str) -> str:
    """The language for a locale, such as ``zh-CN`` or ``zh_TW.UTF-8``."""
    locale = locale.lower()
    return next((code for code in LANGUAGES if locale.startswith(LANGUAGE[code].locales)), LANGUAGES[0])
