"""A bank of questions: one exercise in many variants, each with numbers of its own, for a course or on paper.

``variants`` (draws them: tables, blanks, and what known mistakes would give), ``pages`` (their tables as HTML),
``moodle``, ``qti21`` and ``qti12`` (files for a course), ``paper`` (sheets of A4 and their key), ``write`` (all of
them by name).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mha_core.errors import N_


class Format(NamedTuple):
    """A format of a bank: its name on a page, and its file."""

    label: str
    file: str


FORMATS: Final = {
    "moodle": Format(N_("Moodle (XML with blanks to fill in)"), "attention-moodle.xml"),
    "canvas": Format(N_("Canvas (QTI 1.2)"), "attention-canvas.zip"),
    "qti": Format("QTI 2.1", "attention-qti.zip"),
    "paper": Format(N_("On paper, with a key"), "attention-paper.html"),
}
"""The formats by their names on the command line."""
MOST_VARIANTS: Final = 100
