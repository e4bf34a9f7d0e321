"""Input that sentences repeat: shortened, printable, isolated."""

import pytest

from mha_core import ExampleError, built_in
from mha_core.edit.paste import read_matrices
from mha_core.messages import in_words
from mha_core.quoted import isolated, quoted, quoted_json
from tests.apply import apply


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("abc", "'abc'"),
        (5, "5"),
        ("9" * 40, "'" + "9" * 40 + "'"),
        ("9" * 5000, "'" + "9" * 20 + "…' (5,000 digits)"),
        ([1] * 5000, "[1, 1, 1, 1, 1, 1, 1… (15,000 characters)"),
        ("a\u202eb\x1b", r"'a\u202eb\x1b'"),
        ("אני", "'\u2068אני\u2069'"),
        (10**5000, "int"),
    ],
    ids="short number forty thousands list controls right-to-left huge".split(),
)
def test_a_quoted_value_is_short_and_printable(value, said):
    assert str(quoted(value)) == said


def test_a_value_of_a_file_is_quoted_as_json():
    assert str(quoted_json(None)) == "null"
    assert str(quoted_json("y" * 41)) == f'"{"y" * 20}…" (41 characters)'


def test_the_length_is_in_the_readers_language():
    error = refusal(lambda: read_matrices("1 " + "9" * 5000 + "e999"))
    shown = "“" + "9" * 20 + "…”"
    assert str(error) == f"row 1, column 2: {shown} (5,004 characters) is too large"
    assert in_words(error, "zh") == f"第 1 行第 2 列：{shown}（5,004 个字符）太大了"


def refusal(act):
    with pytest.raises(ExampleError) as caught:
        act()
    return caught.value


@pytest.mark.parametrize(
    "edit",
    [
        {"op": "set", "matrix": "9" * 5000, "head": None, "row": 0, "col": 0, "values": [[1]]},
        {"op": "set", "matrix": "x", "head": None, "row": "9" * 5000, "col": 0, "values": [[1]]},
        {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [["9" * 5000]]},
        {"op": "9" * 5000},
        {"op": "scale", "value": "9" * 5000},
        {"op": "mask", "kind": "9" * 5000},
    ],
    ids=["matrix", "row", "value", "op", "scale", "mask"],
)
def test_no_refusal_of_an_edit_repeats_thousands_of_digits(edit):
    assert len(str(refusal(lambda: apply(built_in("first"), edit)))) < 200


def test_text_from_right_to_left_is_isolated_once():
    assert isolated("love") == "love"
    assert isolated("\u2069אני\u202e") == "\u2068אני\u2069"
    assert isolated(isolated("سلام")) == "\u2068سلام\u2069"
