"""Slides drawn with python-pptx. The package is optional; only import this module where it is installed.

Text is written as DrawingML, which takes a tenth of the package's own time. Every run has its language and two fonts,
so that Chinese text is set correctly on any machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Final, Literal

from markupsafe import escape
from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.shapes.autoshape import Shape
from pptx.slide import Slide
from pptx.util import Inches

from mha_core.walk.handout import EXPONENTIAL
from mha_view.handout.sheet import ROOM, ROW, SIGN, Sheet, Table
from mha_view.palette import LIGHT

SMALLEST: Final = 18
"""Smallest font size on a slide, in points."""
TITLE_ONLY: Final = 5
"""The layout of the package's template that has only a title."""
LATIN, CHINESE = "Arial", "Microsoft YaHei"
WIDE, HIGH, LEFT, TOP = 13.333, 7.5, 0.6, 3.25
"""Inches of the slide, and where its tables begin."""
_SUBSCRIPT: Final = re.compile(r"_([^\W_]+)")
_SPACE: Final = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
Align = Literal["l", "ctr", "r"]


def pptx_file(sheets: list[Sheet], title: str, tag: str) -> bytes:
    """The sheets as a PPTX file in the language of this tag."""
    show = Presentation()
    show.slide_width, show.slide_height = Inches(WIDE), Inches(HIGH)
    show.core_properties.title = title
    show.core_properties.author = ""
    show.core_properties.language = tag
    for sheet in sheets:
        _Drawing(show.slides.add_slide(show.slide_layouts[TITLE_ONLY]), tag).draw(sheet)
    file = BytesIO()
    show.save(file)
    return file.getvalue()


class _Drawing:
    """A slide on which a sheet is drawn. Positions and sizes are inches."""

    def __init__(self, slide: Slide, tag: str) -> None:
        self._slide = slide
        self._tag = tag

    def draw(self, sheet: Sheet) -> None:
        title = self._slide.shapes.title
        if title is not None:
            title.left, title.top, title.width, title.height = map(Inches, (LEFT, 0.3, ROOM, 0.8))
            self._write(title, sheet.title, 32, bold=True)
        self._text(sheet.note, LEFT, 1.4, ROOM, 4.0, 24)
        self._text(sheet.sentence, LEFT, 1.1, ROOM, 1.1, 20, ours=True)
        self._text(sheet.formula, LEFT, 2.2, ROOM, 0.55, 26, ours=True)
        left, points = LEFT, sheet.points
        middle = TOP + max((table.height(points) for table in sheet.tables), default=0) / 2
        for table in sheet.tables:
            self._text(table.before, left, middle, SIGN, 0.5, 24, align="ctr")
            self._matrix(table, points, left + SIGN if table.before else left, middle)
            left += table.room(points)
        self._text(sheet.line, LEFT, 6.75, ROOM, 0.45, SMALLEST, ours=True)
        notes = self._slide.notes_slide.notes_text_frame
        if notes is not None:
            notes.text = sheet.notes

    def _matrix(self, table: Table, points: int, left: float, middle: float) -> None:
        """A matrix as a PowerPoint table with its symbol above; only … for matrices that are left out."""
        if not table.across:
            self._text(table.down[0], left, middle, SIGN, 0.5, 24, align="ctr")
            return
        wide, high = sum(table.widths(points)), table.height(points)
        room = table.room(points) - bool(table.before) * SIGN
        self._text(table.symbol, left, TOP - 0.45, room, 0.4, 20, bold=True, ours=True)
        frame = self._slide.shapes.add_table(1, 1, *map(Inches, (left, TOP, wide, high)))
        frame.name = table.name
        frame.element.nvGraphicFramePr.cNvPr.set("descr", table.symbol)
        data = frame.element.graphic.graphicData
        data.replace(data[0], parse_xml(self._table(table, points)))

    def _table(self, table: Table, points: int) -> str:
        columns = "".join(f'<a:gridCol w="{Inches(width)}"/>' for width in table.widths(points))
        lines = [[_label(text) for text in ("", *table.across)]]
        for i, (name, line) in enumerate(zip(table.down, table.cells, strict=True)):
            shares = table.shares[i] if table.shares else (None,) * len(line)
            lines.append([_label(name), *map(_number, line, shares)])
        high = Inches(ROW * points)
        rows = (
            f'<a:tr h="{high}">{"".join(self._cell(*cell, points) for cell in line)}</a:tr>' for line in lines
        )
        return (
            f'<a:tbl {_SPACE}><a:tblPr firstRow="1" firstCol="1"/><a:tblGrid>{columns}</a:tblGrid>'
            f"{''.join(rows)}</a:tbl>"
        )

    def _cell(self, text: str, background: str, colour: str, points: int) -> str:
        side, edge = Inches(0.06), Inches(0.02)
        return (
            f'<a:tc><a:txBody><a:bodyPr wrap="none"/>{self._paragraph(text, points, colour, align="r")}</a:txBody>'
            f'<a:tcPr marL="{side}" marR="{side}" marT="{edge}" marB="{edge}" anchor="ctr">'
            f"{_solid(background)}</a:tcPr></a:tc>"
        )

    def _text(
        self,
        text: str,
        left: float,
        top: float,
        wide: float,
        high: float,
        points: int,
        *,
        bold: bool = False,
        align: Align = "l",
        ours: bool = False,
    ) -> None:
        """A text box, unless the text is empty. ``ours``: typeset our own notation in it."""
        if text.strip():
            box = self._slide.shapes.add_textbox(*map(Inches, (left, top, wide, high)))
            box.text_frame.margin_left = box.text_frame.margin_right = Inches(0.03)
            self._write(box, text, points, bold=bold, align=align, ours=ours)

    def _write(
        self,
        shape: Shape,
        text: str,
        points: int,
        *,
        bold: bool = False,
        align: Align = "l",
        ours: bool = False,
    ) -> None:
        shape.text_frame.word_wrap = True
        body = shape.element.txBody
        paragraph = self._paragraph(text, points, LIGHT.text, bold=bold, align=align, ours=ours)
        if body is not None:  # a title and a text box always have one
            body.replace(body.p_lst[0], parse_xml(paragraph.replace("<a:p>", f"<a:p {_SPACE}>", 1)))

    def _paragraph(
        self,
        text: str,
        points: int,
        colour: str,
        *,
        bold: bool = False,
        align: Align = "l",
        ours: bool = False,
    ) -> str:
        parts = typeset(text) if ours else [(text, 0)]
        runs = (
            f'<a:r><a:rPr lang="{self._tag}" sz="{points * 100}" b="{int(bold)}" baseline="{baseline}">{_solid(colour)}'
            f'<a:latin typeface="{LATIN}"/><a:ea typeface="{CHINESE}"/></a:rPr><a:t>{escape(part)}</a:t></a:r>'
            for part, baseline in parts
            if part
        )
        return f'<a:p><a:pPr algn="{align}"/>{"".join(runs)}</a:p>'


def typeset(text: str) -> Iterator[tuple[str, int]]:
    """The runs of a text, each with its baseline in thousandths of a percent: what follows _ is a subscript, and an
    exponent of e a superscript.
    """
    marked = EXPONENTIAL.sub(lambda power: f"e\ue000{power[1] or power[2]}\ue002", text)
    marked = _SUBSCRIPT.sub(lambda name: f"\ue001{name[1]}\ue002", marked)
    for part in re.split("(?=[\ue000\ue001])|\ue002", marked):
        if run := part.lstrip("\ue000\ue001"):
            yield run, {"\ue000": 30_000, "\ue001": -25_000}.get(part[0], 0)


def between(low: str, high: str, share: float) -> str:
    """A colour on the straight line from one to another, each as ``#rrggbb``."""
    ends = ([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (low, high))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(*ends, strict=True))


def _label(text: str) -> tuple[str, str, str]:
    """The label of a row or a column: its text, background and colour."""
    return text, LIGHT.background, LIGHT.muted


def _number(text: str, share: float | None) -> tuple[str, str, str]:
    """A number; if it has a share, its background is as strong as the share."""
    background = LIGHT.surface if share is None else between(LIGHT.background, LIGHT.weight, share)
    return text, background, LIGHT.text


def _solid(colour: str) -> str:
    return f'<a:solidFill><a:srgbClr val="{colour[1:].upper()}"/></a:solidFill>'
