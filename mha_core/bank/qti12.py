"""QTI 1.2 as Canvas reads it: each variant is a quiz, its tables a text, and each blank a numerical question."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape as in_html
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from mha_core.bank.package import packed
from mha_core.bank.pages import Page
from mha_core.bank.variants import TOLERANCE, Blank, plain_number

_NAMESPACE: Final = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"


def qti12(pages: Sequence[Page]) -> bytes:
    """The package, a ZIP file."""
    return packed([(f"variant{page.variant.number}", _quiz(page)) for page in pages], "imsqti_xmlv1p2")


def _quiz(page: Page) -> str:
    quiz = f"mha-{page.variant.seed}"
    blanks = page.variant.blanks
    numbers = {blank.cell: at for at, blank in enumerate(blanks, 1)}
    tables = page.body(lambda blank: f"({numbers[blank.cell]})", in_html)
    items = _item(f"{quiz}-tables", page.title, tables, "text_only_question", 0, "", "")
    for blank in blanks:
        items += _numerical(page, blank, f"{quiz}-{numbers[blank.cell]}", numbers[blank.cell])
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<questestinterop xmlns="{_NAMESPACE}">'
        f'<assessment ident="{quiz}" title={quoteattr(page.title)}>'
        f'<section ident="root_section">{items}</section></assessment></questestinterop>\n'
    )


def _numerical(page: Page, blank: Blank, ident: str, number: int) -> str:
    place = page.place(blank)
    asked = '<response_str ident="response1" rcardinality="Single"><render_fib fibtype="Decimal">'
    asked += '<response_label ident="answer1"/></render_fib></response_str>'
    rules = _rule(blank.answer, blank.tolerance, '<setvar action="Set" varname="SCORE">100</setvar>')
    told = ""
    for at, slip in enumerate(blank.slips, 1):
        shows = f'<displayfeedback feedbacktype="Response" linkrefid="slip{at}_fb"/>'
        rules += _rule(slip.number, TOLERANCE, shows)
        told += (
            f'<itemfeedback ident="slip{at}_fb"><flow_mat>{_html(in_html(page.mistake(slip, blank.cell.name)))}'
            "</flow_mat></itemfeedback>"
        )
    processing = (
        '<resprocessing><outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>'
        f"{rules}</resprocessing>{told}"
    )
    text = f"<p>({number}) {in_html(place)}</p>"
    return _item(ident, place, text, "numerical_question", 1, asked, processing)


def _rule(number: float, tolerance: float, consequence: str) -> str:
    low, high = plain_number(number - tolerance), plain_number(number + tolerance)
    return (
        '<respcondition continue="No"><conditionvar>'
        f'<or><varequal respident="response1">{plain_number(number)}</varequal>'
        f'<and><vargte respident="response1">{low}</vargte><varlte respident="response1">{high}</varlte></and></or>'
        f"</conditionvar>{consequence}</respcondition>"
    )


def _item(ident: str, title: str, text: str, kind: str, points: int, asked: str, processing: str) -> str:
    fields = (("question_type", kind), ("points_possible", str(points)))
    metadata = "".join(
        f"<qtimetadatafield><fieldlabel>{name}</fieldlabel><fieldentry>{entry}</fieldentry></qtimetadatafield>"
        for name, entry in fields
    )
    return (
        f"<item ident={quoteattr(ident)} title={quoteattr(title)}>"
        f"<itemmetadata><qtimetadata>{metadata}</qtimetadata></itemmetadata>"
        f"<presentation>{_html(text)}{asked}</presentation>{processing}</item>"
    )


def _html(text: str) -> str:
    return f'<material><mattext texttype="text/html">{escape(text)}</mattext></material>'
