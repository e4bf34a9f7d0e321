"""The glossary on the pages is the one of the documents."""

from pathlib import Path

import pytest

from mha_core.vocabulary import STAGES
from mha_view.glossary import GLOSSARY, terms_of
from mha_view.language import words_in

PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"
ROWS = [
    [cell.strip() for cell in line.strip("|\n").split("|")]
    for line in PAGE.read_text("utf-8").split("\n")
    if line.startswith("| ")
][1:]


@pytest.mark.parametrize("name", GLOSSARY)
def test_a_term_means_on_the_pages_what_the_document_says(name):
    entry, chinese = GLOSSARY[name], words_in("zh")
    assert [entry.term, chinese(entry.term), entry.meaning] in [row[:3] for row in ROWS]
    assert chinese(entry.meaning) != entry.meaning or "·" in entry.meaning


def test_every_term_of_a_stage_is_in_the_glossary():
    found = [term for _, _, matrices in STAGES for term in terms_of(matrices)]
    assert len(found) > len(STAGES)
    assert set(found) <= set(GLOSSARY)
