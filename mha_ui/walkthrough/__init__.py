"""The walkthrough: one component that steps through the computation, in the browser alone.

The browser gets the numbers, the declared operations and the stages (``model.py``); every key press is answered from
those. Where it stands is told to the server only once it rests there, through a second component in a fragment of its
own, so that the numbers are not sent again.
"""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Final

import streamlit as st

from mha_core.errors import N_, ExportError
from mha_core.messages import in_words
from mha_core.walk.handout import check_size
from mha_core.walk.markdown import as_markdown
from mha_ui import state
from mha_ui.component import component
from mha_ui.download import downloader
from mha_ui.walkthrough.model import payload
from mha_view.handout import as_html
from mha_view.handout.slides import as_slides, check_package

_KEY: Final = "walk.stages"
_PLACE_KEY: Final = "walk.place"


def walkthrough(work: state.Work) -> None:
    """Mount the walk of this work's example; above it what went wrong on the way, if anything."""
    state.change(state.note_walked)  # also where the rest fails: the page would be run for ever
    data = payload(work)
    if work.message:
        st.html(f'<p class="mha-message" role="alert">{escape(work.message.text)}</p>')
    _walk()(key=_KEY, data=data)


def receive_place(_: state.Work) -> None:
    """Mount what tells the server where the walk stands; in a fragment of its own."""
    state.receive_from(_PLACE_KEY)
    work = state.current()
    if (work.history.revision, work.message) != work.browser.walked:
        st.rerun()  # a new server was given the page's address, or another window has new numbers: the page follows
    data = {"session": work.browser.session, "ack": work.browser.applied, "address": state.address(work)}
    _place()(key=_PLACE_KEY, data=data, on_edits_change=partial(state.receive_from, _PLACE_KEY))


def take_away(work: state.Work) -> None:
    """The whole walk to keep: one web page that prints, Markdown with LaTeX, and slides."""
    words, trace, language, decimals = work.words, work.trace, work.language, work.looking.decimals
    try:
        check_size(trace)
    except ExportError as error:
        st.caption(in_words(error, language))
        return
    with st.container(horizontal=True, key="walk-takeaway"):
        downloader(
            words(N_("Take away as a web page (prints)")),
            lambda: as_html(trace, language, decimals).encode(),
            "attention-walk.html",
            key="walk.html",
        )
        downloader(
            words(N_("Take away as Markdown with LaTeX")),
            lambda: as_markdown(trace, language, decimals).encode(),
            "attention-walk.md",
            key="walk.markdown",
        )
        _slides(work)


def _slides(work: state.Work) -> None:
    """Slides; where their package is missing the button is off, and says on pointing at it how to install it."""
    trace, language, decimals = work.trace, work.language, work.looking.decimals
    try:
        check_package()
        missing = None
    except ExportError as error:
        missing = in_words(error, language)
    downloader(
        work.words(N_("Take away as slides (PPTX)")),
        lambda: as_slides(trace, language, decimals),
        "attention-walk.pptx",
        key="walk.slides",
        disabled=missing is not None,
        help=missing,
    )


@st.cache_resource(show_spinner=False)
def _walk():  # type: ignore[no-untyped-def]  # Streamlit's mounting command
    return component("walk", "walk", "mount_walk.js", css="walk.css", has_words=True)


@st.cache_resource(show_spinner=False)
def _place():  # type: ignore[no-untyped-def]  # Streamlit's mounting command
    return component("place", "walk", "place/server_place.js")
