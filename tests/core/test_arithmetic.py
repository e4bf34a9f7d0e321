"""A line of arithmetic has = where the printed number is exact, ≈ where it is rounded; a calculator can follow it."""

import re
from dataclasses import replace
from math import exp, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import Cell, arithmetic, built_in, derive, trace
from mha_core.compute.derive import cells
from mha_core.compute.graph import formula, graph, symbol
from mha_core.messages import LANGUAGES
from mha_core.walk.markdown import as_markdown
from mha_core.walk.stages import exponentials_of, walk
from mha_view.handout import as_html
from tests.core.strategies import examples
from tests.core.test_walk import EVERY
from tests.sizes import each, tries

DIGITS = r"[\d.]+(?:e[+−]?\d+)?"


def printed(text):
    """A number as a line prints it."""
    return float(text.strip("()").replace("−", "-").replace("∞", "inf"))


def check_sign(line, value):
    """The last sign of a line against the number after it: equal up to float64's rounding errors or not."""
    found = re.fullmatch(r"(?:.*) ([=≈→]) (\S+)", line)
    if found is None or found[1] == "→":
        return
    exact = isclose(printed(found[2]), value, rel_tol=1e-12, abs_tol=0)
    assert found[1] == ("=" if exact else "≈"), (line, value)


def check_signs(example, decimals=4):
    computed = trace(example)
    for cell in cells(computed):
        found = derive(computed, cell)
        check_sign(arithmetic(found, decimals), found.value)


@each("name", EVERY)
def test_equals_where_the_printed_number_is_the_value_and_else_about(name):
    for decimals in (0, 2, 4):
        check_signs(EVERY[name], decimals)


@tries(6)
@given(examples(claims=False), st.integers(0, 6))
def test_equals_and_about_in_random_examples(example, decimals):
    check_signs(example, decimals)


@pytest.mark.parametrize(
    ("number", "line"),
    [
        (0.5, "0.5 ÷ 1 = 0.5"),
        (1e12, "1e+12 ÷ 1 = 1e+12"),
        (123456789012.0, "1.235e+11 ÷ 1 ≈ 1.235e+11"),
        (2e-7, "2e−7 ÷ 1 = 2e−7"),
        (1 / 3, "0.3333 ÷ 1 ≈ 0.3333"),
        (-2.0, "(−2) ÷ 1 = (−2)"),
        (0.1 + 0.2, "0.3 ÷ 1 = 0.3"),
    ],
)
def test_numbers_of_every_size(number, line):
    found = derive(trace(built_in("first")), Cell("scaled_scores", 0, 0, 0))
    term = replace(found.terms[0], numbers=(number,))
    assert arithmetic(replace(found, terms=(term,), value=number, constant=1.0)) == line


@pytest.mark.parametrize(
    ("name", "cell", "line"),
    [
        ("first", Cell("concat", None, 0, 2), "head_2[1, 1] ≈ 4.9999"),
        ("water", Cell("scaled_scores", 0, 0, 2), "0 ÷ 1.4142 = 0"),
        ("causal", Cell("masked_scores", 0, 1, 1), "S/√d_k[2, 2] ≈ 0.7071"),
        (
            "causal",
            Cell("weights", 0, 0, 0),
            "e^(0.7071 − 0.7071) ÷ (e^(0.7071 − 0.7071) + e^(−∞) + e^(−∞) + e^(−∞) + e^(−∞)) = 1",
        ),
        (
            "causal",
            Cell("weights", 0, 0, 1),
            "e^(−∞) ÷ (e^(0.7071 − 0.7071) + e^(−∞) + e^(−∞) + e^(−∞) + e^(−∞)) = 0",
        ),
        ("padding", Cell("weights", 0, 2, 0), "0"),
        (
            "first",
            Cell("weights", 0, 0, 1),
            "e^(9.1924 − 14.8492) ÷ (e^(3.5355 − 14.8492) + e^(9.1924 − 14.8492) + e^(14.8492 − 14.8492)) ≈ 0.0035",
        ),
    ],
)
def test_lines_of_copies_zeros_ones_and_powers(name, cell, line):
    assert arithmetic(derive(trace(built_in(name)), cell)) == line


def computed_power(power):
    """The power of e that a line shows, computed as on a calculator."""
    first, _, rest = power.partition(" − ")
    return exp(printed(first) - (printed(rest) if rest else 0))


@each("name", EVERY)
def test_the_powers_of_a_softmax_line_are_in_the_table_beside_it_and_can_be_typed_in(name):
    computed = trace(EVERY[name])
    for stage in walk(computed):
        for step in stage.steps:
            if step.op != "softmax":
                continue
            table = exponentials_of(computed, step, stage.head)
            for i, row in enumerate(table):
                if not row.total:
                    continue
                line = arithmetic(derive(computed, Cell("weights", stage.head, i, 0)))
                own, *powers = (
                    computed_power(text.removeprefix("(").removesuffix(")"))
                    for text in re.findall(rf"e\^(\((?:[^()]|\([^()]*\))*\)|{DIGITS})", line)
                )
                assert powers == pytest.approx(row.exponentials, rel=2e-4)
                assert own / sum(powers) == pytest.approx(row.exponentials[0] / row.total, rel=5e-4)
                assert row.total < 1e6  # as plain digits that fit a pocket calculator
                assert row.total > 0.1  # and not zeros


def test_the_page_and_markdown_write_the_powers_that_their_table_has():
    page, text = as_html(trace(built_in("first"))), as_markdown(trace(built_in("first")))
    assert "<sup>s − max</sup>" in page
    assert "e<sup>9.1924 − 14.8492</sup> ÷ (<span>e<sup>3.5355 − 14.8492</sup></span>" in page
    assert "e^{9.1924 - 14.8492} \\div (e^{3.5355 - 14.8492}" in text
    page, text = as_html(trace(built_in("water"))), as_markdown(trace(built_in("water")))
    assert "<sup>s</sup>" in page
    assert " − max" not in page
    assert " - " not in text.partition("softmax")[2].partition("##")[0]


@each("language", LANGUAGES)
@each("name", EVERY)
def test_no_page_says_a_number_twice(name, language):
    for text in (as_html(trace(EVERY[name]), language), as_markdown(trace(EVERY[name]), language)):
        assert not re.search(rf"= ({DIGITS}) = \1(?![\d.])", text)


@pytest.mark.parametrize(
    ("scale", "sign", "right"),
    [
        (8.0, "S/8", "S ÷ 8"),
        (0.07, "S/0.07", "S ÷ 0.07"),
        (0.3535533905932738, "S/c", "S ÷ c, c = 0.3535533905932738"),
        ("sqrt_dk", "S/√d_k", "S ÷ √d_k"),
    ],
)
def test_a_divisor_of_many_digits_is_called_by_a_letter(scale, sign, right):
    example = replace(built_in("first"), scale=scale)
    step = next(step for step in graph(example) if step.op == "divide")
    assert symbol("scaled_scores", example) == sign
    assert formula(step, example) == right
    what = next(stage for stage in walk(trace(example)) if stage.id == "scaled_scores").words.what.translated(
        "en"
    )
    assert ("0.3535533905932738" in what) == (sign == "S/c")
