"""A count in a sentence chooses the form of the word after it."""

import pytest

from mha_core.errors import N_, ExampleError
from mha_core.messages import in_words

ROWS = N_("{what}: {count} {count:row is|rows are} missing")


@pytest.mark.parametrize(
    ("count", "sentence"),
    {
        0: "X: 0 rows are missing",
        1: "X: 1 row is missing",
        "1": "X: 1 row is missing",
        2: "X: 2 rows are missing",
    }.items(),
    ids=repr,
)
def test_one_is_singular_and_every_other_number_is_plural(count, sentence):
    assert ROWS.format(what="X", count=count) == sentence


def test_an_error_has_the_right_form_in_both_languages():
    found = ExampleError(
        N_("expected {cols} {cols:number|numbers}, got {count}"), place="x[0]", cols=1, count=2
    )
    assert str(found) == "x[0]: expected 1 number, got 2"
    assert in_words(found, "zh") == "x[0]：应有 1 个数，实际有 2 个"
