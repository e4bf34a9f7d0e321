"""The work of this session: the only module that touches ``st.session_state``.

All pages share one ``Work`` a session; ``change`` replaces it. The URL is read once, when a session starts (a link, a
reload, a server that was restarted). After that the session decides, and the bench writes its address into the address
bar.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import streamlit as st
import torch

from mha_ui.state.edits import receive
from mha_ui.state.url import is_plain, say_whether_too_large, work_at_or_first
from mha_ui.state.work import Work, choose_lesson

# Every run is a new thread, in which torch would first start a pool of threads. That takes 10 ms, for matrices that
# one thread multiplies in microseconds.
torch.set_num_threads(1)

KEY: Final = "mha.work"
P = ParamSpec("P")
T = TypeVar("T")


@dataclass
class Holder:
    """The current work of a session."""

    work: Work

    def change(
        self, function: Callable[Concatenate[Work, P], Work], *args: P.args, **named: P.kwargs
    ) -> Work:
        """Replace the work by a changed one, and return that."""
        before, after = self.work, function(self.work, *args, **named)
        if (after.history, after.looking) != (before.history, before.looking):
            after = say_whether_too_large(after)
        self.work = after
        return after


def holder() -> Holder:
    """This session's holder, for callbacks that run outside the session; ``current`` returns its work."""
    if KEY not in st.session_state:
        opened = work_at_or_first(st.query_params, st.context.locale)
        plain = is_plain(st.query_params) and not st.context.is_embedded
        opened = replace(opened, browser=replace(opened.browser, plain=plain))
        st.session_state[KEY] = Holder(say_whether_too_large(opened))
    return st.session_state[KEY]  # type: ignore[no-any-return]


def current() -> Work:
    """This session's work; at the first call, what the URL says."""
    return holder().work


def change(function: Callable[Concatenate[Work, P], Work], *args: P.args, **named: P.kwargs) -> Work:
    """Replace this session's work by a changed one, and return that."""
    return holder().change(function, *args, **named)


def reopen(query: Mapping[str, str]) -> None:
    """Take up the work of an earlier session, by the query parameters that restore it.

    The language that this session was opened in by its address stays: it is newer than that of the earlier session.
    """
    before = current()
    chosen = {"lang": before.language} if before.language_chosen else {}
    opened = work_at_or_first({**query, **chosen}, st.context.locale)
    holder().work = say_whether_too_large(opened)


def widget_value(key: str) -> Any:  # type: ignore[explicit-any]  # of whatever type its widget returns
    """The value of a widget or component of ours, before it is mounted in this run."""
    return st.session_state.get(key)


def receive_from(key: str, name: str = "edits") -> None:
    """Apply the edits that a component of ours has sent under this name, if it has been mounted.

    It is the component's callback too. An edit made just before the visitor left a page comes with the request for the
    next page, where no such component is mounted.
    """
    sent = widget_value(key)
    if sent:
        change(receive, sent.get(name))


def of_session(key: str, make: Callable[[], T]) -> T:
    """What this session stores under a key; at the first call, what ``make`` returns."""
    if key not in st.session_state:
        st.session_state[key] = make()
    return st.session_state[key]  # type: ignore[no-any-return]


def set_widget(key: str, value: object) -> None:
    """Give a widget a value, before it is mounted in this run."""
    st.session_state[key] = value


def tables_show(shown: Work) -> None:
    """The tables to edit show this work: the session's own, or how it was when a part of the page could draw it."""
    part = "" if shown.history is current().history else shown.shown
    change(lambda work: replace(work, shown=part))


def lesson(topics: Sequence[str]) -> str:
    """The lesson that the address names, else the one read last, else the first.

    After a link within a page, Streamlit's next runs have the address that the page was loaded with, unless it is set.
    """
    named, before = st.query_params.get("lesson", ""), current().looking.lesson
    now = next((topic for topic in (named, before) if topic in topics), topics[0])
    change(choose_lesson, now)
    if before not in ("", now):
        st.query_params["lesson"] = now
    return now
