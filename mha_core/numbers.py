"""Numbers for people to read: a true minus sign, short exponents, no sign at a zero. Programs print their own.

``fixed(0.5, 4)`` is ``0.5000``, ``trimmed(0.5, 4)`` is ``0.5``, ``significant(120000, 2)`` is ``1.2e5``,
``in_arithmetic(1 / 3, 4)`` is ``0.3333`` and ``shortest(0.1)`` is ``0.1``; −∞ is ``−∞`` in all of them.
"""

from __future__ import annotations

import re
from math import inf, isclose
from typing import Final

LARGE: Final = 1e9
"""From here on a number in a table is a power of ten."""
_EXPONENT: Final = re.compile(r"e([+-]?)0*(\d)")


def typeset(text: str, plus: str = "") -> str:
    """A number that Python printed, typeset: ``-1.5e-05`` is ``−1.5e−5``, ``-0.00`` is ``0.00``.

    ``plus``: the sign of a positive exponent.
    """
    if text.lstrip("-") == "inf":
        return text.replace("-", "−").replace("inf", "∞")
    if text.startswith("-") and not float(text):
        text = text[1:]
    return _EXPONENT.sub(lambda match: f"e{match[1].replace('+', plus)}{match[2]}", text).replace("-", "−")


def fixed(number: float, decimals: int) -> str:
    """With all its decimals, so that a column of numbers lines up; a very large one as a power of ten."""
    return typeset(_digits(number, decimals))


def in_arithmetic(number: float, decimals: int) -> str:
    """An exact number without trailing zeros, a rounded one with all its decimals: ``0.5``, ``0.3333``.

    A number that is very large, or whose decimals would all be zeros, as a power of ten: ``1e+9``, ``1.3e−7``.
    """
    text = _digits(number, decimals)
    if number and not float(text):
        text = f"{number:.1e}"
    return typeset(without_zeros(text) if is_exact(text, number) else text, plus="+")


def rounded(number: float, decimals: int) -> str:
    """As Python prints it: an exact number without trailing zeros, any other with all its decimals."""
    text = f"{number + 0.0:.{decimals}f}"  # −0 is 0
    return without_zeros(text) if float(text) == number else text


def is_exact(text: str, number: float) -> bool:
    """Whether the text is the number itself and not a rounded one, up to float64's rounding errors."""
    return isclose(float(text.replace("−", "-").replace("∞", "inf")), number, rel_tol=1e-12, abs_tol=0)


def trimmed(number: float, decimals: int) -> str:
    """At most so many decimals, without trailing zeros. A number that is very large, or that these digits would miss by
    more than 5 %, is the shorter of its full digits and a power of ten.
    """
    text = f"{number:.{decimals}f}"
    if abs(number) >= 1e15 or not isclose(float(text), number, rel_tol=0.05):
        return typeset(min(repr(number), f"{number:.4e}", key=len))
    return typeset(without_zeros(text))


def significant(number: float, digits: int) -> str:
    """So many significant digits, as ``1.2e5``."""
    return typeset(f"{number:.{digits}g}")


def shortest(number: float) -> str:
    """The shortest text that reads back as the same number."""
    return typeset(repr(number).removesuffix(".0"))


def without_zeros(text: str) -> str:
    """``0.50`` is ``0.5``, ``3.00`` is ``3``, ``1.0e-07`` is ``1e-07``, ``100`` stays."""
    digits, e, exponent = text.partition("e")
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits) + e + exponent


def _digits(number: float, decimals: int) -> str:
    return f"{number:.3e}" if LARGE <= abs(number) < inf else f"{number:.{decimals}f}"
