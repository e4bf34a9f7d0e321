"""What a page can show before torch is imported: its title, links to the other pages, and what it waits for.

The page itself draws the same head, with the menus that need the current work (``frame``). Nothing here imports torch,
pandas or Plotly, or a module of ours that does.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from html import escape
from typing import Final

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime import Runtime
from streamlit.runtime.stats import ACTIVE_SESSIONS_FAMILY, GaugeStat

from mha_core.errors import N_
from mha_view import bundle
from mha_view.follow import ICON
from mha_view.language import LANGUAGES, language_for, words_in
from mha_view.palette import css_variables

BENCH: Final = "bench.py"
PUZZLES: Final = "puzzles.py"
WALKTHROUGH: Final = "walkthrough.py"
MODELS: Final = "models.py"
TRAIN: Final = "train.py"
CHECK: Final = "check.py"
EXPERIMENTS: Final = "experiments.py"
CONVENTIONS: Final = "conventions.py"
LESSONS: Final = "lessons.py"
PAGES: Final = {
    BENCH: N_("Explore"),
    LESSONS: N_("Learn"),
    PUZZLES: N_("Puzzles"),
    WALKTHROUGH: N_("Step through"),
    MODELS: N_("Real models"),
    TRAIN: N_("Train"),
    CHECK: N_("Check my numbers"),
    EXPERIMENTS: N_("Compare"),
    CONVENTIONS: N_("Notation"),
}
"""Pages in the order of the navigation, the home page first: script and label."""
_ABOUT: Final = {
    BENCH: N_("Change any number and see what follows"),
    LESSONS: N_("Short lessons, from the first idea on"),
    PUZZLES: N_("Small goals: change a number or two"),
    WALKTHROUGH: N_("The whole computation, one step at a time"),
    MODELS: N_("What each head of a trained model looks at"),
    TRAIN: N_("Watch heads form while a model learns"),
    CHECK: N_("Find the mistakes in your own calculation"),
    EXPERIMENTS: N_("Change one setting and see what differs"),
    CONVENTIONS: N_("Rows or columns, and other ways to write it"),
}
"""A line about each page, which narrow screens show in their menu of pages."""

FAILED: Final = N_(
    "Something went wrong in this part of the page. Your numbers and Undo are safe. "
    "Details are in the server's log."
)
_TITLE: Final = N_("Multi-head attention")
STYLE: Final = css_variables() + bundle.style("frame/frame.css")
"""What every page looks like. It is in the page before any script has run, so that nothing moves later."""

_ICON: Final = "data:image/svg+xml;base64," + b64encode(ICON.read_bytes()).decode()
"""As text: Streamlit would read a file again at every run."""


def navigation() -> StreamlitPage:
    """Declare the pages to Streamlit; returns the requested one."""
    language = _language()
    pages = [st.Page(script, title=title(script, language), default=script == BENCH) for script in PAGES]
    return st.navigation(pages, position="hidden")


def title(script: str, language: str) -> str:
    """What the browser's tab says."""
    words = words_in(language)
    return f"{words(PAGES[script])} · {words(_TITLE)}"


def configure(tab: str) -> None:
    """Page settings; ``tab``: what the browser's tab says."""
    st.set_page_config(page_title=tab, page_icon=_ICON, layout="wide")


def head(language: str, current: str, address: Callable[[str], Mapping[str, str]]) -> None:
    """The title, and a link to each page; ``address``: its query parameters, by script.

    On narrow screens the links are a menu below the name of the ``current`` page. It needs no script of the browser's.
    """
    words = words_in(language)
    with st.container(key="frame-title", width="content"):  # it is there before its content is drawn
        st.html(
            f'<p class="mha-title" lang="{language}">{words(_TITLE)}</p>'
            f'<details class="mha-pages" lang="{language}"><summary>{words(PAGES[current])}</summary></details>',
            width="content",
        )
    with st.container(horizontal=True, key="frame-pages", width="content"):
        for script, label in PAGES.items():
            about = f"{words(label)} :small[{words(_ABOUT[script])}]"
            st.page_link(script, label=about, query_params=address(script))


def waiting(page: StreamlitPage) -> None:
    """A page before there can be numbers on it.

    All of it is in the head. A page that is already open keeps what it has below when its server has been restarted.
    """
    language = _language()
    configure(page.title)
    current = next(script for script in PAGES if title(script, language) == page.title)
    with st.container(horizontal=True, vertical_alignment="center", key="frame"):
        if not st.context.is_embedded:
            head(language, current, lambda _: st.query_params.to_dict())
        with st.container(key="frame-waiting"):
            text = words_in(language)(_WAITING)
            st.html(f'<p class="mha-note" role="status" lang="{language}">{escape(text)}</p>')


_WAITING: Final = N_("The server has just started and is loading torch. The numbers appear in a few seconds.")


def sessions() -> int:
    """How many pages are open at this server."""
    stats = Runtime.instance().stats_mgr.get_stats([ACTIVE_SESSIONS_FAMILY])[ACTIVE_SESSIONS_FAMILY]
    return sum(stat.value for stat in stats if isinstance(stat, GaugeStat))


def script_failed(_error: Exception) -> bool:
    """Show that the script failed outside any panel. The work is in the session, and the details are in the log."""
    alert(words_in(_language())(FAILED))
    return True


def alert(text: str) -> None:
    """Show a sentence about what went wrong; ``text`` is plain."""
    st.html(f'<p class="mha-message" role="alert">{escape(text)}</p>')


def _language() -> str:
    """The language that the address names, else the browser's."""
    named = st.query_params.get("lang", "")
    return named if named in LANGUAGES else language_for(st.context.locale)
