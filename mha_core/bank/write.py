"""A bank in one of its formats."""

from __future__ import annotations

from collections.abc import Sequence

from mha_core.bank.moodle import moodle
from mha_core.bank.pages import Page
from mha_core.bank.paper import paper
from mha_core.bank.qti12 import qti12
from mha_core.bank.qti21 import qti21
from mha_core.bank.variants import Variant
from mha_core.messages import LANGUAGE


def written(variants: Sequence[Variant], form: str, language: str) -> str | bytes:
    """The file of one of ``bank.FORMATS``: text, or the bytes of a ZIP file."""
    pages = [Page(variant, language) for variant in variants]
    if form == "moodle":
        return moodle(pages, pages[0].name)
    if form == "canvas":
        return qti12(pages)
    if form == "qti":
        return qti21(pages, LANGUAGE[language].tag)
    return paper(pages, language)
