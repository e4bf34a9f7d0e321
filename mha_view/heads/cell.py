"""What a notebook shows of the heads of a run: one HTML document in a frame, which contains all that it shows.

The document has the heads of the page Models and their numbers (``mha_view.heads.payload``), compressed, in the shell's
language. Its content security policy forbids every request, and the frame's sandbox everything but scripts.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from typing import Final, TypedDict

from torch import Tensor

from mha_core.errors import N_
from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.attribution import Attribution
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.changed import Changed
from mha_core.interop.running.sweep import Sweep
from mha_core.messages import LANGUAGE, in_words, shell_language
from mha_core.models.measures import LEAST_EXCESS, MOST_CHANCE
from mha_core.numbers import typeset
from mha_view import bundle
from mha_view.document import document as html_document
from mha_view.heads.change import Change, change, others, treated
from mha_view.heads.names import short_names
from mha_view.heads.payload import HeadsHeader, Run, heads_payload
from mha_view.heads.words import CELL, CHANGED, DIRECT
from mha_view.language import words_in
from mha_view.message import packed as message
from mha_view.notebook.frame import THEME, framed
from mha_view.palette import css_variables

Shown = Captured | Attentions | Changed | Sweep

_SERVED: Final = '@import url("../mha.explore/explore.css");'
"""How the page Models has the stylesheet of Explore, which this document has already."""
_MOST_HEIGHT: Final = 900
"""The height of a frame in pixels, if its content is not known to be lower."""
_CELL, _MAP_WIDTH, _AROUND, _LINE = 54, 644, 400, 24
"""Of a sweep: the side of a cell and the map's largest width (``heads.css``), the height of all the rest, and that of a
line of a table."""
_NO_SCRIPT: Final = N_("The heads are drawn by a script, which this viewer does not run.")


class SweepHeader(TypedDict):
    """The rows and columns of a sweep's map. ``labels``: what is different in the names. ``measure``: the name of what
    was measured, "" for the whole output. ``done``: what was done to each head, as sentences. ``others``: what
    else a logit is the sum of, by name.
    """

    names: list[str]
    labels: list[str]
    heads: int
    measure: str
    done: list[str]
    others: list[tuple[str, float]]


class Header(TypedDict):
    """The header of a cell's message. ``skipped``: what could not be followed, each as a sentence."""

    tag: str
    words: Mapping[str, str]
    limits: Mapping[str, float]
    heads: HeadsHeader | None
    change: Change | None
    sweep: SweepHeader | None
    skipped: list[str]


def cell(shown: Shown) -> str:
    """The frame of a run's heads, of a changed run with the change of its output, or of a sweep."""
    says = CELL | (DIRECT if isinstance(shown, Attribution) else {})
    title = words_in(shell_language())(says["sweep" if isinstance(shown, Sweep) else "heads"])
    return framed(
        document(shown), title, _sweep_height(shown) if isinstance(shown, Sweep) else f"{_MOST_HEIGHT}px"
    )


def _sweep_height(swept: Sweep) -> str:
    """As high as the map and the sentences around it: its cells are squares."""
    rows, columns = swept.values.shape
    side = min(_CELL, _MAP_WIDTH / columns)
    lines = len(swept.others) + 2 if isinstance(swept, Attribution) else 0
    return f"{min(_MOST_HEIGHT, round(_AROUND + rows * side + lines * _LINE))}px"


def document(shown: Shown, language: str | None = None) -> str:
    """The document itself."""
    language = language or shell_language()
    words = words_in(language)
    numbers = b64encode(gzip.compress(message_of(shown, language), 1, mtime=0)).decode()
    return html_document(
        language,
        words(CELL["heads"]),
        _script("heads/heads.js"),
        (("style", _style()),),
        first=[_script(THEME)],
        data=json.dumps(numbers),
        no_script=words(_NO_SCRIPT),
    )


def message_of(shown: Shown, language: str) -> bytes:
    """What the document contains: a header, and numbers."""
    words = words_in(language)
    says = CELL | (
        CHANGED if isinstance(shown, Changed) else DIRECT if isinstance(shown, Attribution) else {}
    )
    header: Header = {
        "tag": LANGUAGE[language].tag,
        "words": {name: words(text) for name, text in says.items()},
        "limits": {"excess": LEAST_EXCESS, "chance": MOST_CHANCE},
        "heads": None,
        "change": None,
        "sweep": None,
        "skipped": [],
    }
    arrays: dict[str, Tensor] = {}
    if isinstance(shown, Sweep):
        header["sweep"] = {
            "names": list(shown.names),
            "heads": shown.values.shape[1],
            "labels": short_names(shown.names),
            "measure": _sum(shown) if isinstance(shown, Attribution) else shown.measure,
            "done": treated(shown.treatment, words) if shown.treatment else [],
            "others": others(shown, words) if isinstance(shown, Attribution) else [],
        }
        return message(header, {"sweep": shown.values.float()})
    if isinstance(shown, Changed):
        header["change"] = change(shown, words)
        before = [Run(shown.unchanged, "changed.unchanged")] if shown.unchanged else []
        header["heads"], arrays = heads_payload(*before, Run(shown.found, "changed.found"))
    elif isinstance(shown, Captured):
        code = "" if shown.index is None else "found"
        header["heads"], arrays = heads_payload(Run(Attentions([shown]), code))
    else:
        header["heads"], arrays = heads_payload(Run(shown, "found"))
    found = shown.found if isinstance(shown, Changed) else shown
    if isinstance(found, Attentions):
        header["skipped"] = [in_words(error, language) for error in found.skipped]
    return message(header, arrays)


def _sum(direct: Attribution) -> str:
    """What an attribution is of, and its number: "logit 4 − logit 7 = −0.25"."""
    return f"{direct.measure.removeprefix('direct: ')} = {typeset(f'{direct.total:.4g}')}"


@cache
def _script(module: str) -> str:
    return bundle.script(module)


@cache
def _style() -> str:
    return bundle.without_spaces(css_variables() + bundle.style("heads/heads.css").replace(_SERVED, ""))
