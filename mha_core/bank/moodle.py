"""Moodle's XML: each variant is one question with a blank for each number (cloze)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape as in_xml

from mha_core.bank.pages import Page
from mha_core.bank.variants import TOLERANCE, Blank, plain_number

_CODED: Final = "{}~#=%\\/"
"""Signs that mean something inside a blank, or begin one."""


def moodle(pages: Sequence[Page], category: str) -> str:
    """The file's text."""
    questions = "".join(map(_question, pages))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
        f'<question type="category"><category><text>$course$/top/{in_xml(category.replace("/", "//"))}</text>'
        f"</category></question>\n{questions}</quiz>\n"
    )


def _question(page: Page) -> str:
    text = page.body(lambda blank: _blank(page, blank), _plain)
    return (
        f'<question type="cloze"><name><text>{in_xml(page.title)}</text></name>'
        f'<questiontext format="html"><text><![CDATA[{text}]]></text></questiontext>'
        f"<generalfeedback><text></text></generalfeedback><penalty>0.3333333</penalty><hidden>0</hidden>"
        f"<idnumber>mha-{page.variant.seed}-{page.variant.number}</idnumber></question>\n"
    )


def _blank(page: Page, blank: Blank) -> str:
    """``{1:NUMERICAL:=0.33:0.01~%0%0.5:0.01#The softmax runs over the columns.}``."""
    answers = [f"={plain_number(blank.answer)}:{blank.tolerance:g}"]
    answers += [
        f"%0%{plain_number(slip.number)}:{TOLERANCE:g}#{_plain(page.mistake(slip, blank.cell.name))}"
        for slip in blank.slips
    ]
    return f"{{1:NUMERICAL:{'~'.join(answers)}}}"


def _plain(text: str) -> str:
    """Text that Moodle shows as it is, also inside a blank."""
    coded = "".join(f"&#{ord(sign)};" if sign in _CODED else sign for sign in text.replace("&", "\0"))
    return coded.replace("\0", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
