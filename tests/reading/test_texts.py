"""Articles, notebooks, pages, notes and programs written by hand: what is in them is read, and what is wrong is found.

``texts/NAME/text.*`` beside ``expected.json``; ``tools.reading`` says what that has.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.reading import cases, measured

CASES = list(cases(Path(__file__).parent / "texts"))
NAMES = [text.parent.name for text, _ in CASES]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=NAMES)
def test_a_text_is_read(text, expected):
    case = measured(text, expected)
    assert case.unplaced == []
    assert case.example is not False
    assert case.certain_but_wrong == []


@pytest.mark.parametrize(("text", "expected"), CASES, ids=NAMES)
def test_its_wrong_numbers_are_found_and_no_others(text, expected):
    case = measured(text, expected)
    assert (case.missed, case.invented) == ([], [])
