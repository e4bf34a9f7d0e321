"""The words and tables of a variant: as XHTML that any course shows, and the sentence of a mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import Final

from mha_core.bank.variants import Blank, Slip, Table, Variant
from mha_core.check.catalogue import message_of
from mha_core.compute.backward import declared_step
from mha_core.compute.graph import divisor_text, formula
from mha_core.errors import N_
from mha_core.example.model import text_in
from mha_core.exercise.hints import table_title
from mha_core.messages import catalogue
from mha_core.walk.handout import Handout

_DECIMALS: Final = 4
_TITLE: Final = N_("{title}, variant {number}")
_UNTITLED: Final = N_("Multi-head attention")
_ABOUT: Final = N_("Fill in the blank numbers, rounded to two decimals. Go on with your own numbers.")
_SCALED: Final = N_("{one} d_k = {d_k}.")
_EITHER: Final = N_("Either: {one} Or: {other}")


class Page:
    """A variant in one language."""

    def __init__(self, variant: Variant, language: str) -> None:
        self.variant = variant
        self.say = catalogue(language).gettext
        self._handout = Handout(variant.trace, language, _DECIMALS)
        self.name = self.say(_UNTITLED)
        self.name = text_in(variant.example.title, language) or self.name
        self.title = self.say(_TITLE).format(title=self.name, number=variant.number)
        self.about = self.say(_ABOUT)
        if variant.example.scale == "sqrt_dk" and any(
            table.key[0] == "scaled_scores" for table in variant.tables
        ):
            self.about = self.say(_SCALED).format(one=self.about, d_k=variant.example.dims.d_k)

    def table_title(self, table: Table) -> str:
        """``Attention weights A, head 1``."""
        return table_title(self.variant.example, *table.key, self.say)

    def place(self, blank: Blank) -> str:
        """A cell in words: its table, and its row and column from 1."""
        title = table_title(self.variant.example, *blank.cell[:2], self.say)
        return f"{title} [{blank.cell.row + 1}, {blank.cell.col + 1}]"

    def mistake(self, slip: Slip, step: str) -> str:
        """What a wrong number says of how it was found."""
        divisor = divisor_text(self.variant.example)
        told = [self.say(message_of(label, step)).format(divisor=divisor) for label in slip.mistakes]
        return told[0] if len(told) == 1 else self.say(_EITHER).format(one=told[0], other=told[1])

    def body(self, blank: Callable[[Blank], str], escaped: Callable[[str], str] = escape) -> str:
        """The variant's tables, below a line on what to do."""
        return f"<p>{escaped(self.about)}</p>{''.join(self.tables(blank, escaped))}"

    def tables(self, blank: Callable[[Blank], str], escaped: Callable[[str], str] = escape) -> Iterator[str]:
        """Each table as XHTML. ``blank``: what is in place of a number that is asked for."""
        return (self._table(table, blank, escaped) for table in self.variant.tables)

    def _table(self, table: Table, blank: Callable[[Blank], str], escaped: Callable[[str], str]) -> str:
        name, head = table.key
        example = self.variant.example
        step = declared_step(example, name) if any(table.blanks) else None
        told = f" = {formula(step, example)}" if step else ""
        across = self._handout.labels(name, 1, len(table.cells[0]))
        down = self._handout.labels(name, 0, len(table.cells))
        show = self._handout.show(
            self.variant.trace.matrix(name, head), given=self._handout.given(name, head)
        )
        heading = "".join(f"<th>{escaped(label)}</th>" for label in across)
        rows = "".join(
            f"<tr><th>{escaped(label)}</th>"
            + "".join(
                f"<td>{blank(cell) if isinstance(cell, Blank) else escaped(show(cell))}</td>" for cell in row
            )
            + "</tr>"
            for label, row in zip(down, table.cells, strict=True)
        )
        return (
            f"<p><strong>{escaped(self.table_title(table))}</strong>{escaped(told)}</p>"
            f"<table><thead><tr><th></th>{heading}</tr></thead><tbody>{rows}</tbody></table>"
        )
