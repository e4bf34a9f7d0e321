"""The button that copies the link to what the page shows, shows its QR code, and says where a link cannot contain it.

The button beside it shows what a lecturer needs. Both are on every page, outside any fragment, so they have more tasks:
the whole page runs where a fragment's messages are not answered, the edits of a bench that was left before it could
send them are passed on, the link of the current page is marked, and the page's language is set, which Streamlit takes
to be English.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from mha_core import pretty
from mha_core.errors import N_
from mha_core.messages import LANGUAGE
from mha_ui import shell, state
from mha_ui.component import component, send_value
from mha_ui.download import downloader

_KEY: Final = "frame.share"
_WORDS: Final = {
    "teach": N_("Teach"),
    "share": N_("Share"),
    "copied": N_("Copied"),
    "said": N_("Link copied. It opens this page with your numbers."),
    "said_models": N_("Link copied. It opens this page with your sentence and the heads you chose."),
    "code": N_("QR code for this link"),
    "no_code": N_("This link is too long for a QR code."),
    "field": N_("Link to this page with your numbers"),
    "field_models": N_("Link to this page with your sentence and the heads you chose"),
    "by_hand": N_("This browser blocks copying. Copy the link from here."),
    "close": N_("Close"),
}
_PROJECTOR: Final = N_("Show the button for the projector view")
_TEACHING: Final = {
    shell.WALKTHROUGH: N_("Show lectures, the audience, the projector view and handouts"),
    shell.LESSONS: _PROJECTOR,
    shell.EXPERIMENTS: _PROJECTOR,
    shell.TRAIN: N_("Show the buttons for the projector view and for the results of a class"),
    shell.CHECK: N_("Show the results of a class and the question bank"),
}
"""What the button shows on a page that has something for a lecturer, by script."""
_HTML: Final = """
<div class="buttons">
<button type="button" class="teach"></button>
<button type="button" class="share"><span class="name"></span><span class="done" aria-hidden="true"></span></button>
</div>
<div class="panel" role="dialog" hidden>
<p></p><input type="text" readonly><div class="paper"></div><p class="no-code"></p>
<button type="button" class="close">×</button>
</div>
<span role="status"></span>
"""


def share_button(work: state.Work, script: str) -> None:
    """The button that copies the address; an example too large for one is offered as a file.

    ``script``: the page's, on which it depends what there is for a lecturer.
    """
    words = {name: work.words(text) for name, text in _WORDS.items()}
    if script in _TEACHING:
        words["teach_title"] = work.words(_TEACHING[script])
    data = {
        "words": words,
        "teaches": script in _TEACHING,
        "puzzle": work.example.puzzle is not None,
        "lang": LANGUAGE[work.language].tag,
        "unsaved": bool(state.unsaved(work)),
        "session": work.browser.session,
        "ack": work.browser.applied,
    }
    mount = component("share", "share", "share.js", html=_HTML, css="share.css")
    clicked = mount(
        key=_KEY,
        data=data,
        on_unsaved_change=send_value,
        on_silence_change=send_value,
        on_left_change=partial(state.receive_from, _KEY, "left"),
        width="content",
    )
    if clicked.unsaved:
        st.dialog(work.words(N_("Too large for a link")))(_as_a_file)()


def save_button(work: state.Work, key: str) -> None:
    """The button that downloads the current example as a file."""
    holder = state.holder()  # the click may come after an edit that has not drawn the button again
    downloader(
        work.words(N_("Save as a file")),
        lambda: pretty(state.as_file(holder.work)).encode(),
        "attention.mha.json",
        key=key,
        width="stretch",
    )


def _as_a_file() -> None:
    work = state.current()
    st.write(state.unsaved(work))
    save_button(work, "share.save")
