"""A bank on paper: for each variant a sheet of A4 with boxes to fill in, and at the end a key, as one web page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from mha_core.bank.pages import Page
from mha_core.bank.variants import DECIMALS, Blank
from mha_core.errors import N_
from mha_core.messages import LANGUAGE, catalogue
from mha_core.numbers import fixed

_NAME: Final = N_("Name:")
_MARK: Final = N_("Mark: ____ of {most}")
_KEY: Final = N_("Key: {title}")
_STYLE: Final = """
@page { size: A4; margin: 14mm 15mm; }
body { font: 10.5pt/1.35 system-ui, sans-serif; color: #000; margin: 0 auto; max-width: 180mm; }
section { break-after: page; }
section:last-child { break-after: auto; }
header { display: flex; gap: 8mm; align-items: baseline; border-bottom: 0.3mm solid #000; }
h1 { font-size: 13pt; margin: 0 auto 2mm 0; }
header span { white-space: nowrap; }
.name { flex: 0 0 60mm; border-bottom: 0.2mm dotted #000; margin-bottom: 1mm; }
.tables { display: flex; flex-wrap: wrap; gap: 3mm 9mm; }
.table { break-inside: avoid; }
.table p { margin: 1mm 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { font-weight: normal; font-size: 9pt; color: #444; padding: 0 1.5mm; max-width: 24mm; overflow-wrap: anywhere; }
td { border: 0.2mm solid #888; text-align: right; padding: 0.6mm 1.5mm; min-width: 9mm; height: 5mm; }
td:has(.box) { border: 0.4mm solid #000; min-width: 13mm; height: 7mm; }
td:has(b) { background: #eee; }
"""


def paper(pages: Sequence[Page], language: str) -> str:
    """The page's text: the sheets, then their keys."""
    say = catalogue(language).gettext
    sheets = "".join(
        _sheet(page, page.title, lambda _: '<span class="box"></span>', _head(page, say)) for page in pages
    )
    keys = "".join(_sheet(page, say(_KEY).format(title=page.title), _answer, "") for page in pages)
    title = escape(pages[0].name)
    return (
        f'<!doctype html>\n<html lang="{LANGUAGE[language].tag}"><head><meta charset="utf-8">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>{sheets}{keys}</body></html>\n"
    )


def _head(page: Page, say: Callable[[str], str]) -> str:
    most = say(_MARK).format(most=len(page.variant.blanks))
    return f'<span class="name">{escape(say(_NAME))}</span><span>{escape(most)}</span>'


def _answer(blank: Blank) -> str:
    return f"<b>{escape(fixed(blank.answer, DECIMALS))}</b>"


def _sheet(page: Page, title: str, blank: Callable[[Blank], str], head: str) -> str:
    tables = "".join(f'<div class="table">{table}</div>' for table in page.tables(blank))
    return (
        f"<section><header><h1>{escape(title)}</h1>{head}</header><p>{escape(page.about)}</p>"
        f'<div class="tables">{tables}</div></section>'
    )
