"""The walkthrough: one component that steps through the computation, in the browser alone.

The browser gets the numbers, the declared operations and the stages (``model.py``), and answers every key press from
them. It sends its place to the server only once it has rested there, through a second component in its own fragment, so
that the numbers are not sent again.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from mha_core.errors import N_, ExportError
from mha_core.messages import in_words
from mha_core.walk.handout import require_size
from mha_core.walk.markdown import as_markdown
from mha_ui import state
from mha_ui.component import component
from mha_ui.download import downloader
from mha_ui.shell import alert
from mha_ui.walkthrough.model import payload
from mha_view.handout import as_html
from mha_view.handout.slides import as_slides, check_package

_KEY: Final = "walk.stages"
_PLACE_KEY: Final = "walk.place"


def walkthrough(work: state.Work) -> None:
    """Mount the walk of this work's example, with a message above it if there is one."""
    state.change(state.note_walked)  # first, since the page would run for ever if the rest failed before it
    data = payload(work)
    if work.message:
        alert(work.message.text)
    mount = component("walk", "walk", "mount_walk.js", css="walk.css", has_words=True)
    mount(key=_KEY, data=data)


def receive_place(_: state.Work) -> None:
    """Mount the component that sends the walk's place to the server, in its own fragment."""
    state.receive_from(_PLACE_KEY)
    work = state.current()
    if (work.history.revision, work.message) != work.browser.walked:
        st.rerun()  # a new server got the page's address, or another window has new numbers
    data = {"session": work.browser.session, "ack": work.browser.applied, "address": state.address(work)}
    mount = component("place", "walk", "place/server_place.js")
    mount(key=_PLACE_KEY, data=data, on_edits_change=partial(state.receive_from, _PLACE_KEY))


def take_away(work: state.Work) -> None:
    """The whole walk as files: a web page that prints, Markdown with LaTeX, and slides."""
    words, trace, language, decimals = work.words, work.trace, work.language, work.looking.decimals
    try:
        require_size(trace)
    except ExportError as error:
        st.caption(in_words(error, language))
        return
    with st.container(horizontal=True, key="walk-takeaway"):
        downloader(
            words(N_("Download as a web page (printable)")),
            lambda: as_html(trace, language, decimals).encode(),
            "attention-walk.html",
            key="walk.html",
        )
        downloader(
            words(N_("Download as Markdown with LaTeX")),
            lambda: as_markdown(trace, language, decimals).encode(),
            "attention-walk.md",
            key="walk.markdown",
        )
        _slides(work)


def _slides(work: state.Work) -> None:
    """Slides. Where their package is missing, the button is disabled and its tooltip says how to install it."""
    trace, language, decimals = work.trace, work.language, work.looking.decimals
    try:
        check_package()
        missing = None
    except ExportError as error:
        missing = in_words(error, language)
    downloader(
        work.words(N_("Download as slides (PPTX)")),
        lambda: as_slides(trace, language, decimals),
        "attention-walk.pptx",
        key="walk.slides",
        disabled=missing is not None,
        help=missing,
    )
