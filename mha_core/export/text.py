"""A visitor's text and numbers, escaped for Python, LaTeX and Markdown."""

from __future__ import annotations

import re

from mha_core.example.model import NEG_INF

LONGEST = 200
"""Most characters of a visitor's text in a comment or heading."""


def printable(text: str) -> str:
    """The text on one line, with control characters escaped that a terminal, an editor or a compiler might act on."""
    shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in shown)


def comment(text: str) -> str:
    """The text as the end of a Python comment."""
    return printable(text).strip()


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": r"{-}",
    "[": r"{[}",
    "]": r"{]}",
}


def latex(text: str) -> str:
    """The text escaped for LaTeX: no ligature, no command."""
    return "".join(_LATEX.get(c, c) for c in printable(text))


_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def markdown(text: str) -> str:
    """The text escaped for Markdown: every ASCII punctuation mark, so that none opens a tag."""
    shown = printable(text).strip()
    escaped = _PUNCTUATION.sub(r"\\\1", shown)
    return (
        escaped.replace(r"\<", "&lt;").replace(r"\>", "&gt;").replace(r"\&", "&amp;").replace(r"\|", "&#124;")
    )


def is_cjk(text: str) -> bool:
    """Whether the text has Chinese characters, kana or hangul."""
    return any(
        "\u2e80" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7ff" or "\uf900" <= c <= "\uffef" for c in text
    )


def literal(number: float, infinity: str) -> str:
    """A number as a literal that Python reads back exactly: ``1.``, ``0.1``, and −∞ as ``-`` and ``infinity``."""
    if number == NEG_INF:
        return f"-{infinity}"
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{int(number)}."
    return repr(float(number))
