"""The page Check: the visitor's own numbers in the bench's tables, a verdict on them, a report, and exercises."""

from __future__ import annotations

import re
from json import dumps
from typing import Final
from unicodedata import normalize
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from mha_core import pretty
from mha_core.check.check import check
from mha_core.check.report import as_json, as_markdown
from mha_core.errors import N_
from mha_core.example.library import SUFFIX
from mha_core.exercise.exercise import given_away, usually_asked
from mha_core.vocabulary import noun
from mha_ui import state
from mha_ui.bench import bench, receive_edits
from mha_ui.check.article import article_tools, desk, show
from mha_ui.check.asked import asked_steps
from mha_ui.check.bank import bank_button
from mha_ui.check.model import check_payload
from mha_ui.check.solutions import solutions_button
from mha_ui.component import component
from mha_ui.download import downloader
from mha_view import bundle
from mha_view.about import title_of

_MODE: Final = "check.mode"
_MENU: Final = "check.exercise"
_ASKED: Final = "check.asked"
_NUMBERS: Final = "check.numbers"
_SEED: Final = "check.seed"
_HAND_IN: Final = "check.hand-in"
_SAVED: Final = "check.saved"
_LINK_STYLE: Final = bundle.style("check/class_link.css")
"""As text: Streamlit would look for a file in the folder of the page's other component."""
_KINDS: Final = {
    "these": N_("the current numbers"),
    "same": N_("new numbers, the same for everyone"),
    "own": N_("new numbers for each student"),
}


def check_bench(work: state.Work) -> None:
    """The tables to fill in, with the verdict above them."""
    bench(work, check_payload(work))


def edited_check(_: state.Work) -> None:
    """The tables to fill in, with what the browser has sent."""
    check_bench(receive_edits())


def tools(work: state.Work) -> None:
    """The choice between the tables and an article; and for the tables the menu for exercises, the report to download,
    the file to hand in, the results of a class, and a question bank.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="check-tools"):
        if not state.has_open_exercise(work):
            _mode_switch(work)
        if reads_article(work):
            article_tools(work)
            return
        _exercise_menu(work)
        if not work.exercise:  # the report would give the answers away
            _report(work)
        if work.exercise:
            _hand_in(work)
        solutions_button(work)
        bank_button(work)


def reads_article(work: state.Work) -> bool:
    """Whether the page shows an article in place of the tables. In an exercise there are only the tables."""
    return desk().is_open and not state.has_open_exercise(work)


def _mode_switch(work: state.Work) -> None:
    labels = {False: work.words(N_("Fill in tables")), True: work.words(N_("Read an article"))}
    state.set_widget(_MODE, desk().is_open)
    st.segmented_control(
        work.words(N_("What to check")),
        list(labels),
        format_func=labels.__getitem__,
        key=_MODE,
        on_change=_mode_chosen,
        label_visibility="collapsed",
    )


def _mode_chosen() -> None:
    chosen = state.widget_value(_MODE)
    show(not desk().is_open if chosen is None else chosen)  # None: the chosen one was pressed again


def _report(work: state.Work) -> None:
    words, language, holder = work.words, work.language, state.holder()
    with st.popover(words(N_("Report"))):
        downloader(
            words(N_("Report as Markdown")),
            lambda: as_markdown(check(holder.work.example), language).encode(),
            "attention-check.md",
            key="check.markdown",
            width="stretch",
        )
        downloader(
            words(N_("Report as JSON")),
            lambda: dumps(
                as_json(check(holder.work.example), language), ensure_ascii=False, indent=2
            ).encode(),
            "attention-check.json",
            key="check.json",
            width="stretch",
        )


def _hand_in(work: state.Work) -> None:
    """The file to hand in, with a name or a number if the student gives one.

    The file comes with the answer to the message that has the name: a press on a button of Streamlit's could be read
    before what was typed.
    """
    words, count = (
        {name: work.words(text) for name, text in _HAND_IN_WORDS.items()},
        state.widget_value(_SAVED) or 0,
    )
    sent = state.widget_value(_HAND_IN)
    is_sent = bool(sent and sent.get("save"))
    with st.popover(work.words(N_("Hand in"))):
        mount = component("hand_in", "check", "hand_in.js", css=_LINK_STYLE)
        data = {
            "words": words,
            "student": work.exercise.student if work.exercise else "",
            "saved": count,
            "file": pretty(state.as_file(work)) if is_sent else "",
            "name": file_name(work),
        }
        mount(key=_HAND_IN, data=data, on_save_change=_handed_in)
        st.caption(
            work.words(N_("The name is optional, and only the file has it. Save the file and hand it in."))
        )


def file_name(work: state.Work) -> str:
    """What the file to hand in is called: the exercise and the student, in letters, digits and hyphens."""
    student = work.exercise.student if work.exercise else ""
    texts = [normalize("NFC", text) for text in (title_of(work.example, work.language), student)]
    parts = [re.sub(r"\W+", "-", text)[:_MOST_NAMED].strip("-") for text in texts]
    return "-".join(filter(None, parts)) + SUFFIX


_HAND_IN_WORDS: Final = {
    "student": N_("Name or number"),
    "save": N_("Save as a file"),
    "saved": N_("Saved as {name}."),
}
_MOST_NAMED: Final = 40
"""Characters of each part of a file's name: of Chinese ones file systems take about 80."""


def _handed_in() -> None:
    sent = state.widget_value(_HAND_IN)["save"]
    state.set_widget(_SAVED, (state.widget_value(_SAVED) or 0) + 1)
    state.change(state.name_student, str(sent["student"]))


def _exercise_menu(work: state.Work) -> None:
    words = work.words
    with st.popover(words(N_("Exercise")), key=_MENU, on_change="rerun"):
        asked = asked_steps(work, _ASKED, usually_asked(work.example))
        for given, answer in given_away(work.example, asked).items():
            titles = {"given": noun(given, words), "answer": noun(answer, words)}
            st.caption(words(_GIVEN_AWAY).format(**titles))
        kind = st.radio(
            words(N_("Numbers")), list(_KINDS), format_func=lambda kind: words(_KINDS[kind]), key=_NUMBERS
        )
        seed = st.number_input(words(N_("Seed")), 0, state.SEEDS - 1, 1, key=_SEED, disabled=kind != "same")
        st.button(
            words(N_("Create the exercise")),
            type="primary",
            disabled=not asked,
            on_click=_set,
            args=(tuple(asked), kind, int(seed)),
            width="stretch",
        )
        if asked and kind == "own":
            st.caption(words(N_("Share this link. Each student who opens it gets new numbers:")))
            _to_copy(work, _own_link(work, tuple(asked)))
        elif work.exercise:
            st.caption(words(N_("Share this link:")))
            _to_copy(work, _link(work))


_GIVEN_AWAY: Final = N_(
    "“{answer}” can be read off “{given}”, which is shown because you did not select it. Select “{given}” too."
)


def _to_copy(work: state.Work, link: str) -> None:
    """A link in one line, with the button that copies it."""
    words = {name: work.words(text) for name, text in _WORDS.items()}
    mount = component("copied", "check", "class_link.js", css=_LINK_STYLE)
    mount(key="check.link", data={"words": words, "link": link})


_WORDS: Final = {"link": N_("Link for students"), "copy": N_("Copy the link"), "copied": N_("Copied.")}


def _set(asked: tuple[str, ...], kind: str, seed: int) -> None:
    cleared = state.current().example.claimed is not None
    state.set_widget(_MENU, False)
    state.change(_with_exercise, asked, {"these": None, "same": seed, "own": state.OWN_SEED}[kind], cleared)


def _with_exercise(
    work: state.Work, asked: tuple[str, ...], seed: int | str | None, cleared: bool
) -> state.Work:
    """Set the exercise, and say so unless it was refused."""
    text = work.words(_SET_ANEW if cleared else _SET)
    return state.say(state.set_exercise(work, asked, seed), state.Message(text, "info"))


_SET: Final = N_("The exercise is ready. Its link is in the “Exercise” menu.")
_SET_ANEW: Final = N_(
    "The exercise is ready. Its link is in the “Exercise” menu. Undo brings back the numbers you had filled in."
)


def _link(work: state.Work) -> str:
    """A link to the exercise, without what has been filled in."""
    return _url(urlencode(state.address(state.without_claims(work))))


def _own_link(work: state.Work, asked: tuple[str, ...]) -> str:
    """A link that gives each student other numbers. It is the same before and after the exercise is set."""
    return _url(state.link_for_class(work, asked))


def _url(query: str) -> str:
    page = urlsplit(st.context.url or "")
    return urlunsplit((page.scheme, page.netloc, page.path, query, ""))
