"""QTI 2.1: a package with one item for each variant, which has a field for each number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from mha_core.bank.package import packed
from mha_core.bank.pages import Page
from mha_core.bank.variants import TOLERANCE, Blank, plain_number

_NAMESPACE: Final = "http://www.imsglobal.org/xsd/imsqti_v2p1"
_SCHEMA: Final = "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd"


def qti21(pages: Sequence[Page], language: str) -> bytes:
    """The package, a ZIP file."""
    return packed(
        [(f"variant{page.variant.number}", _item(page, language)) for page in pages], "imsqti_item_xmlv2p1"
    )


def _item(page: Page, language: str) -> str:
    blanks = page.variant.blanks
    names = {blank.cell: f"N{at}" for at, blank in enumerate(blanks, 1)}
    feedback: dict[str, str] = {}  # what is said → its identifier
    rules = "".join(_rule(page, blank, names[blank.cell], feedback) for blank in blanks)
    declared = "".join(
        f'<responseDeclaration identifier="{names[blank.cell]}" cardinality="single" baseType="float">'
        f"<correctResponse><value>{plain_number(blank.answer)}</value></correctResponse></responseDeclaration>"
        for blank in blanks
    )
    outcomes = (
        '<outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float">'
        "<defaultValue><value>0</value></defaultValue></outcomeDeclaration>"
        '<outcomeDeclaration identifier="MAXSCORE" cardinality="single" baseType="float">'
        f"<defaultValue><value>{len(blanks)}</value></defaultValue></outcomeDeclaration>"
        '<outcomeDeclaration identifier="FEEDBACK" cardinality="multiple" baseType="identifier"/>'
    )

    def field(blank: Blank) -> str:
        return f'<textEntryInteraction responseIdentifier="{names[blank.cell]}" expectedLength="8"/>'

    shown = "".join(
        f'<modalFeedback outcomeIdentifier="FEEDBACK" identifier="{name}" showHide="show">'
        f"{escape(text)}</modalFeedback>"
        for text, name in feedback.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<assessmentItem xmlns="{_NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xsi:schemaLocation="{_NAMESPACE} {_SCHEMA}" identifier="mha-{page.variant.seed}" '
        f"title={quoteattr(page.title)} xml:lang={quoteattr(language)} "
        'adaptive="false" timeDependent="false">'
        f"{declared}{outcomes}<itemBody><div>{page.body(field, escape)}</div></itemBody>"
        f"<responseProcessing>{rules}</responseProcessing>{shown}</assessmentItem>\n"
    )


def _rule(page: Page, blank: Blank, name: str, feedback: dict[str, str]) -> str:
    """One point for the answer; for a wrong number that names a mistake, what it says."""
    variable = f'<variable identifier="{name}"/>'
    point = (
        '<setOutcomeValue identifier="SCORE"><sum><variable identifier="SCORE"/>'
        '<baseValue baseType="float">1</baseValue></sum></setOutcomeValue>'
    )
    is_right = _near(variable, f'<correct identifier="{name}"/>', blank.tolerance)
    right = f"<responseIf>{is_right}{point}</responseIf>"
    wrong = ""
    for slip in blank.slips:
        text = f"{page.place(blank).rpartition(' [')[0]}: {page.mistake(slip, blank.cell.name)}"
        identifier = feedback.setdefault(text, f"F{len(feedback) + 1}")
        number = f'<baseValue baseType="float">{plain_number(slip.number)}</baseValue>'
        wrong += (
            f"<responseElseIf>{_near(variable, number, TOLERANCE)}"
            '<setOutcomeValue identifier="FEEDBACK"><multiple><variable identifier="FEEDBACK"/>'
            f'<baseValue baseType="identifier">{identifier}</baseValue></multiple></setOutcomeValue></responseElseIf>'
        )
    return f"<responseCondition>{right}{wrong}</responseCondition>"


def _near(one: str, other: str, tolerance: float) -> str:
    return f'<equal toleranceMode="absolute" tolerance="{tolerance:g} {tolerance:g}">{one}{other}</equal>'
