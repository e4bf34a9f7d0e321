"""Labels: any token as plain text, short numbers."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_view.figures.labels import exact, label, labels, listing, number, subscripts, weight, width, wrap
from mha_view.language import words_in

TEX = re.compile(r"([^$]*)([$]+[^$]*[$]+)([^$]*)")
"""What Plotly interprets as TeX."""
TAG = re.compile(r"<[^<>]*>")
"""What Plotly interprets as markup."""


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("思考", "思考"),
        ("<b>", "&lt;b&gt;"),
        ("<img onerror=x>", "&lt;img onerror=…"),
        ("$x$", "&#36;x&#36;"),
        ("&lt;", "&amp;lt;"),
        ("**b**", "**b**"),
        ("{{}}", "{{}}"),
        ("%{z}", "%{z}"),
        ("two\nlines\tand more", "two lines and…"),
        ("a" * 14, "a" * 14),
        ("a" * 15, "a" * 13 + "…"),
        ("", "␣"),
        (" \n", "␣"),
        ("a\x00b\u202ec", "abc"),
        ("🙂", "🙂"),
        ("שלום", "שלום"),
    ],
)
def test_a_token_is_shown_literally(token, shown):
    assert label(token) == shown


def test_a_mark_is_not_cut_from_its_letter():
    assert label("a" * 12 + "e\u0301" + "bcd") == "a" * 12 + "…"


@given(st.text(max_size=300))
def test_no_token_is_interpreted_as_markup(token):
    (tick,), (full,), (_name,) = labels((token,))
    for text in (tick, full.replace("<br>", "")):
        assert not TAG.search(text)
        assert not TEX.search(text)
        assert "\n" not in text
        assert not re.search("[\x00-\x1f\x7f]", text)
    assert len(html.unescape(tick)) <= 14


@given(st.text(max_size=300))
def test_hovering_shows_the_whole_token(token):
    (full,) = labels((token,)).full
    text = html.unescape(full.replace("<br>", ""))
    visible = "".join(token.split())
    shown = [character for character in text if character in visible]
    assert len(shown) >= len([c for c in visible if c.isalnum()])


def test_long_tokens_wrap_when_hovering():
    assert wrap("a" * 90) == "<br>".join(["a" * 40, "a" * 40, "a" * 10])


def test_repeated_tokens_have_their_position_in_sentences_only():
    result = labels(("the", "cat", "the"))
    assert result.ticks == ("the", "cat", "the")
    assert result.names == ("the (1)", "cat", "the (3)")


def test_a_right_to_left_token_does_not_reverse_its_neighbours():
    result = labels(("שלום", "cat"))
    assert result.names == ("\u2068שלום\u2069", "cat")
    assert result.ticks == ("שלום", "cat")


@pytest.mark.parametrize(
    ("value", "short", "digits"),
    [
        (0.0, "0", "0"),
        (-0.0, "0", "0"),
        (1.0, "1", "1"),
        (-2.5, "−2.5", "−2.5"),
        (12.3456, "12.35", "12.35"),
        (0.333333, "0.33", "0.3333"),
        (-120000.0, "−1.2e5", "−1.2e5"),
        (0.00012, "0.00012", "0.00012"),
        (3.5e-11, "3.5e−11", "3.5e−11"),
        (1e12, "1e12", "1e12"),
        (float("-inf"), "−∞", "−∞"),
    ],
)
def test_numbers(value, short, digits):
    assert number(value) == short
    assert exact(value) == digits


def test_weights_keep_two_decimals():
    assert [weight(v) for v in (0, 1, 0.125, 1.5, -0.5)] == ["0.00", "1.00", "0.12", "1.5", "−0.5"]


def test_wide_characters_take_more_room():
    assert width("ab") < width("思考") < width("🙂🙂")
    assert width(label("<b>")) == width("<b>")


def test_subscripts():
    assert subscripts("S/√d_k") == "S/√d<sub>k</sub>"
    assert subscripts("Concat") == "Concat"


def test_a_long_list_is_counted():
    words = words_in("en")
    assert listing(["a", "b"], words) == "a, b"
    assert listing([str(i) for i in range(10)], words) == "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"
