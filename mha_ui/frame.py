"""The line at the top of every page: title, navigation, example, Share, language, and a menu for the rest."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Final

import streamlit as st

from mha_core import library
from mha_core.compute.device import device_name
from mha_core.errors import N_
from mha_core.example.files import MAX_BYTES
from mha_core.example.library import grouped, other_words
from mha_core.example.model import text_in
from mha_core.messages import LANGUAGE, LANGUAGES
from mha_ui import shell, state
from mha_ui.address import keep_address
from mha_ui.exchange import (
    MENU,
    MENU_BUTTONS,
    SHARE,
    START,
    closing_button,
    export_button,
    import_button,
    page_button,
)
from mha_ui.notes import first_sentence, folded_note
from mha_ui.panel import panel
from mha_ui.share import save_button, share_button
from mha_ui.theme import theme_choice
from mha_ui.upload import uploader
from mha_view.about import is_ours, title_of

_EXAMPLE: Final = "frame.example"
_LANGUAGE: Final = "frame.language"
_MENU_LANGUAGE: Final = "frame.menu-language"
_FILE: Final = "frame.file"


def configure(script: str) -> None:
    """Page settings; call it first in every page script, with its name."""
    shell.configure(shell.title(script, state.current().language))


def frame(
    script: str, *, note: bool = True, answers: bool = True, examples: bool = True, back: bool = True
) -> None:
    """Draw the head and heading of the page that this script draws.

    ``note``: whether the note of the current example is beside the heading; some pages show it elsewhere.
    A page embedded in another (``?embed=true``) has no head. ``answers``: whether the page shows the numbers that an
    exercise asks for. While there is an exercise, such a page asks first and draws nothing below. ``examples``: whether
    another example would change what the page shows. ``back``: whether there is a link to the lesson that the example
    was opened from.
    """
    state.change(state.come_to, script)
    work = state.change(state.note_names)
    if not st.context.is_embedded:
        panel("frame", partial(_frame, script=script, note=note, examples=examples, back=back))
    if answers and state.has_open_exercise(work):
        panel("frame.answers", _answers)
        st.stop()


def _answers(work: state.Work) -> None:
    """Links back to the exercise, with a button to end it."""
    words = work.words
    with st.container(key="frame-answers", width=720):
        shell.alert(words(_SHOWS_ANSWERS))
        query = _address(work, shell.CHECK)
        st.page_link(shell.CHECK, label=words(N_("Back to the exercise")), query_params=query)
        label = words(N_("End the exercise and show the numbers"))
        st.button(label, key="frame.answers.end", on_click=_end_exercise)
    keep_address(work)


def _end_exercise() -> None:
    state.change(state.end_exercise)


_SHOWS_ANSWERS: Final = N_(
    "You are in the middle of an exercise. This page would show all its numbers, "
    "including the answers. What you have filled in is kept."
)


def _frame(work: state.Work, *, script: str, note: bool, examples: bool, back: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="frame"):
        is_puzzle = script == shell.BENCH and work.example.puzzle is not None
        shell.head(work.language, shell.PUZZLES if is_puzzle else script, partial(_address, work))
        if back and work.looking.left_lesson:
            with st.container(key="frame-lesson", width="content"):
                query = _address(work, shell.LESSONS)
                st.page_link(shell.LESSONS, label=work.words(N_("← Lesson")), query_params=query)
        if examples:
            _example_menu(work)
        share_button(work, script)
        _language_switch(work, _LANGUAGE)
        _menu(work)
    _heading(work, script, note=note)


def _heading(work: state.Work, script: str, *, note: bool) -> None:
    """The page's heading. Explore begins with a sentence instead, and names itself to screen readers alone."""
    is_told = note and not (work.exercise and is_ours(work.example))  # its note says what the numbers show
    text = folded_note(work.example, work.language) if is_told else ""
    name = escape(work.words(shell.PAGES[script]))
    look = "mha-unseen" if script == shell.BENCH else "mha-heading"
    with st.container(key=f"frame-{look}"):  # it has its style before its content is drawn
        st.html(f'<div class="{look}"><h1 lang="{work.language}">{name}</h1>{text}</div>')


def _address(work: state.Work, script: str) -> dict[str, str]:
    """The query parameters of a link to a page, so that it opens the same work in a new tab as well."""
    return state.lesson_address(work, work.looking.lesson) if script == shell.LESSONS else state.address(work)


def _example_menu(work: state.Work) -> None:
    shown = work.history.name if work.untouched else None
    key = _example_key(work, shown)
    groups = grouped(work.language)
    state.set_widget(key, shown)
    st.selectbox(
        work.words(N_("Example")),
        list(groups),
        format_func=lambda name: _listed(name, groups[name], work),
        key=key,
        on_change=_example_chosen,
        args=(key, shown),
        placeholder=_title(work),
        label_visibility="collapsed",
        width=380,
    )


def _listed(name: str, group: str, work: state.Work) -> str:
    """An example in the menu: its title, its group, and which language its tokens are in if not in the reader's.

    A second line has how its note begins. The menu's field shows both in one, with a wide space between them.
    """
    example, parts = library()[name], (group, other_words(name, work.language))
    listed = [text_in(example.title, work.language), *map(work.words, filter(None, parts))]
    return f"{' · '.join(listed)}\u2003\n{first_sentence(text_in(example.note, work.language))}"


def _example_key(work: state.Work, shown: str | None) -> str:
    """A new key whenever the menu shows an example not chosen in it: the browser may still send its previous value."""
    last, count = work.browser.listed or (shown, 0)
    count += shown != last
    state.change(state.note_listed, shown, count)
    return f"{_EXAMPLE}.{count}" if count else _EXAMPLE


def _title(work: state.Work) -> str:
    """The title of an example that is not in the menu; an edited one is distinguished from the menu's."""
    title = title_of(work.example, work.language)
    if any(work.example.title == built_in.title for built_in in library().values()):
        return work.words(N_("{title} (edited)")).format(title=title)
    return title


def _example_chosen(key: str, shown: str | None) -> None:
    name = state.widget_value(key)
    if name and name != shown:  # otherwise the browser repeats the value it was shown
        work = state.change(state.open_built_in, name)
        _, count = work.browser.listed or (shown, 0)
        state.change(state.note_listed, name, count)


def _menu(work: state.Work) -> None:
    """The menu. Its content is drawn while it is open, and once more for the button that closes it.

    Drawing it at every run would make a page a fifth slower.
    """
    words = work.words
    with st.popover(words(N_("More")), type="tertiary", key=MENU, on_change="rerun") as menu:
        if not (menu.open or any(map(state.widget_value, MENU_BUTTONS))):
            return
        _language_switch(work, _MENU_LANGUAGE)
        closing_button(words(N_("Share")), SHARE)
        _start_button(work)
        save_button(work, "frame.save")
        import_button(work)
        if not state.has_open_exercise(work):  # they would give the answers away
            page_button(work)
            export_button(work)
        label = words(N_("Open a *.mha.json file"))
        uploader(work, label, key=_FILE, most=MAX_BYTES // 1_000_000, on_change=_file_opened)
        theme_choice(work)
        _device_badge(work)


def _start_button(work: state.Work) -> None:
    """Shows the first steps again, on the bench."""
    if closing_button(work.words(N_("First steps")), START):
        state.change(state.ask_for_first_steps)
        st.switch_page(shell.BENCH)


def _file_opened() -> None:
    upload = state.widget_value(_FILE)
    if upload is not None:
        state.change(state.open_file, upload.getvalue())


def _language_switch(work: state.Work, key: str) -> None:
    """The head has one; so has the menu, for narrow screens, whose head has no room for it."""
    state.set_widget(key, work.language)
    st.segmented_control(
        work.words(N_("Language")),
        LANGUAGES,
        format_func=lambda code: LANGUAGE[code].short,
        key=key,
        on_change=_language_chosen,
        args=(key,),
        label_visibility="collapsed",
        width="content",
    )


def _language_chosen(key: str) -> None:
    state.change(state.choose_language, state.widget_value(key) or state.current().language)


def _device_badge(work: state.Work) -> None:
    title = escape(work.words(N_("The device torch runs on, and its number type")))
    name = escape(f"{device_name(work.backend)} · {work.backend.dtype}")
    st.html(f'<span class="mha-badge" title="{title}">{name}</span>', width="content")
