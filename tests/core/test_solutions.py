"""The solutions of a class: a row for each file, how often each mistake was made, and both as a spreadsheet."""

import csv
from io import StringIO

import pytest

from mha_core import ExampleError, parse
from mha_core.check.check import check
from mha_core.check.summary import summary
from mha_core.check.table import as_csv, counts, solution
from mha_core.errors import MhaError
from tests.core.test_check import WORKED

NAMES = ("catsleeps_two_heads", "pleasestudyman_unscaled", "karim_unscaled_torch")
ZEROS = "A row of zero scores is given weights of 0, but its softmax is uniform."
VERDICTS = [check(parse((WORKED / f"{name}.mha.json").read_bytes())) for name in NAMES]


def broken() -> MhaError:
    with pytest.raises(ExampleError) as error:
        parse(b"[1")
    return error.value


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_row_says_what_came_of_a_file(language):
    for verdict in VERDICTS:
        row = solution("name.mha.json", verdict, language)
        assert row.outcome == summary(verdict, language)
        wrong = sum(len(step.wrong) + len(step.doubtful) for step in verdict.steps.values())
        assert row.counts is not None
        assert row.counts.wrong == wrong
        assert bool(row.first) is bool(row.causes) is bool(wrong)


def test_a_file_that_cannot_be_read_has_its_error_as_the_outcome():
    row = solution("broken.mha.json", broken(), "en")
    assert "JSON" in row.outcome
    assert (row.counts, row.first, row.causes) == (None, "", ())


def test_a_mistake_of_two_files_is_counted_twice():
    rows = [solution("name.mha.json", verdict, "en") for verdict in (*VERDICTS, VERDICTS[0])]
    assert counts(rows) == [(ZEROS, 2), ("No known mistake explains this.", 1)]


def test_the_spreadsheet_has_the_rows_as_they_came():
    rows = [
        solution("broken.mha.json", broken(), "en"),
        *(solution(name, verdict, "en") for name, verdict in zip(NAMES, VERDICTS, strict=True)),
    ]
    heads, *lines = csv.reader(StringIO(as_csv(rows, "en").split("\n\n")[0]))
    assert heads == ["file", "result", "right", "wrong", "blank", "first wrong", "cause"]
    assert [line[0] for line in lines] == ["broken.mha.json", *NAMES]
    assert [line[3] for line in lines] == ["", *(str(row.counts.wrong) for row in rows[1:])]
