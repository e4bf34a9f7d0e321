"""Numbers for people to read."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core.numbers import fixed, in_arithmetic, shortest, significant, trimmed, typeset


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [
        (0.0, 4, "0"),
        (-0.0, 4, "0"),
        (0.5, 4, "0.5"),
        (-2.0, 4, "−2"),
        (12.0, 0, "12"),
        (100.0, 0, "100"),
        (2 / 3, 4, "0.6667"),
        (0.00006, 4, "6e−5"),
        (0.00034, 4, "0.00034"),
        (0.00996, 4, "0.01"),
        (1e-7, 4, "1e−7"),
        (0.0026434, 4, "0.0026"),
        (0.000123456, 6, "0.000123"),
        (-7.20741111e-7, 6, "−7.2074e−7"),
        (-2.5e-12, 10, "−2.5e−12"),
        (1e-310, 10, "1e−310"),
        (5e-324, 10, "5e−324"),
        (1e20 / 3, 10, "3.3333e19"),
        (-inf, 4, "−∞"),
        (inf, 4, "∞"),
    ],
)
def test_trimmed(number, decimals, text):
    assert trimmed(number, decimals) == text


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [
        (0.5, 4, "0.5000"),
        (-0.00001, 4, "0.0000"),
        (-1.5, 1, "−1.5"),
        (1.2345e10, 4, "1.234e10"),
        (-1e9, 2, "−1.000e9"),
        (999_999_999.0, 0, "999999999"),
        (-inf, 4, "−∞"),
    ],
)
def test_fixed(number, decimals, text):
    assert fixed(number, decimals) == text


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [
        (0.5, 4, "0.5"),
        (0.1 + 0.2, 4, "0.3"),
        (-1 / 3, 4, "−0.3333"),
        (0.99996, 4, "1.0000"),
        (-0.0, 4, "0"),
        (-1e-7, 4, "−1e−7"),
        (1.26e-7, 4, "1.3e−7"),
        (1e9, 4, "1e+9"),
        (-1.23456e10, 4, "−1.235e+10"),
        (-inf, 4, "−∞"),
    ],
)
def test_in_arithmetic(number, decimals, text):
    assert in_arithmetic(number, decimals) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(3.0, "3"), (-0.1, "−0.1"), (1e-05, "1e−5"), (1e22, "1e22"), (0.0, "0"), (-inf, "−∞")],
)
def test_shortest(number, text):
    assert shortest(number) == text


def test_significant():
    assert [significant(number, 2) for number in (120000.0, -0.00123, 7.0, -inf)] == [
        "1.2e5",
        "−0.0012",
        "7",
        "−∞",
    ]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_typeset_is_the_number_that_was_printed(number):
    text = typeset(repr(number))
    assert float(text.replace("−", "-")) == number
    assert "-" not in text
