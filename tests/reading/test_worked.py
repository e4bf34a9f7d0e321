"""Ten published examples, written out in every format: read back with every matrix and every wrong number."""

from __future__ import annotations

import json

import pytest

from mha_core.check.check import check
from mha_core.example.files import parse
from mha_core.example.model import Example
from mha_core.read.report import read_article
from tests.core.test_check import WORKED
from tests.reading.styles import STYLES, matrices

FILES = sorted(WORKED.glob("*.mha.json"))
EXPECTED = json.loads((WORKED / "expected_wrong.json").read_text("utf-8"))


def wrong_of(verdict):
    return {(w.cell.name, w.cell.head, w.cell.row, w.cell.col) for w in verdict.cells("wrong")}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.partition(".")[0])
def test_the_example_and_its_wrong_numbers_come_back(file, style):
    example: Example = parse(file.read_bytes())
    suffix, write = STYLES[style]
    article = read_article(write(example), f"text.{suffix}")
    (one,) = article.examples
    assert one.example.heads == example.heads
    assert one.example.scale == example.scale
    assert one.example.mask == example.mask
    assert wrong_of(one.verdict) == wrong_of(check(example))
    expected = [(name, head, rows) for name, head, rows in matrices(example)]
    found = [(f.key[0], f.key[1]) for f in one.read.found if f.key and not f.again]
    assert sorted(found, key=str) == sorted(((name, head) for name, head, _ in expected), key=str)
