"""The lessons: short texts, each with a live part, a question and a puzzle.

``mha_view.lessons`` says what a lesson is made of and declares most of them; ``play`` draws any live part that is
declared. ``library``, ``scaling``, ``heads`` and ``outputs`` have a live part of their own. This file draws the page.
"""

from __future__ import annotations

from html import escape
from typing import Final

import streamlit as st

from mha_core.errors import N_
from mha_core.example.model import text_in
from mha_core.puzzle import built_in_puzzle, in_language
from mha_ui import frame, shell, state
from mha_ui.address import keep_address
from mha_ui.component import component
from mha_ui.lessons import controls
from mha_ui.lessons.heads import HEADS
from mha_ui.lessons.lesson import explore, heading, open_on_bench
from mha_ui.lessons.library import LIBRARY
from mha_ui.lessons.outputs import OUTPUTS
from mha_ui.lessons.play import play
from mha_ui.lessons.scaling import SCALING
from mha_ui.notes import rich, status_line
from mha_ui.panel import panel
from mha_ui.projector import STYLE, projector
from mha_view import bundle
from mha_view.glossary import GLOSSARY
from mha_view.lessons.around import AROUND
from mha_view.lessons.cache import CACHE
from mha_view.lessons.decoder import DECODER
from mha_view.lessons.lesson import Lesson, Live, Slider
from mha_view.lessons.order import ORDER
from mha_view.lessons.proof import PROOF
from mha_view.lessons.translation import TRANSLATION
from mha_view.lessons.two_questions import TWO_QUESTIONS

LESSONS: Final[dict[str, Lesson]] = {
    "library": LIBRARY,
    "sqrt-dk": SCALING,
    "weighted-mean": OUTPUTS,
    "two-questions": TWO_QUESTIONS,
    "many-heads": HEADS,
    "order": ORDER,
    "masks": DECODER,
    "cross-attention": TRANSLATION,
    "block": AROUND,
    "cache": CACHE,
    "not-proof": PROOF,
}
"""Topic, as in the address, → lesson, in reading order."""

_STYLE: Final = bundle.style("lessons/lessons.css")


def lessons_page() -> None:
    """The whole page: frame, list of lessons, and the lesson that the address names."""
    st.html(f"<style>{_STYLE}{STYLE}</style>")
    frame.frame(shell.LESSONS, note=False, examples=False, back=False)
    panel("lessons", _lesson, instead=_keep_address)


def _lesson(work: state.Work) -> None:
    topic = state.lesson(tuple(LESSONS))
    controls.restore(topic, LESSONS[topic])
    if work.message:
        shell.alert(work.message.text)
    projector(work, work.words(LESSONS[topic].title), f"lesson {topic}")
    _list(work, topic)
    live = LESSONS[topic].live
    is_wide = isinstance(live, Live) and live.is_wide
    with st.container(key="lesson-wide" if is_wide else "lesson-beside"), st.container(key="lesson"):
        with st.container(key="lesson-text"):
            _text(work, topic)
        with st.container(key="lesson-live"):  # no fragment: a restarted server would not know it
            if isinstance(live, Live):
                play(work, topic, live)
            else:
                live(work)
        with st.container(key="lesson-after"):
            _after(work, topic)
    _glossary(work)
    _keep_address(state.current())


def _glossary(work: state.Work) -> None:
    """All terms, and what they mean."""
    words = work.words
    with st.expander(words(N_("Glossary")), key="lessons.glossary"):
        entries = "".join(
            f"<dt>{rich(words(entry.term))}</dt><dd>{rich(words(entry.meaning))}</dd>"
            for entry in GLOSSARY.values()
        )
        st.html(f'<dl class="mha-glossary" lang="{work.language}">{entries}</dl>')


def _keep_address(work: state.Work) -> None:
    topic = work.looking.lesson
    settings = controls.address(topic, LESSONS[topic]) if topic in LESSONS else {}
    keep_address(work, {"lesson": topic}, settings)


def _list(work: state.Work, current: str) -> None:
    """Links to all lessons; the one that is open is marked, in words too."""
    words = work.words
    with st.container(key="lesson-list", horizontal=True):
        for number, (topic, lesson) in enumerate(LESSONS.items(), start=1):
            key = "lesson-here" if topic == current else f"lesson-to-{topic}"
            with st.container(key=key, width="content"):
                _link(work, topic, f"{number}  {words(lesson.title)}")
    number = list(LESSONS).index(current) + 1
    place = words(N_("Lesson {number} of {count}")).format(number=number, count=len(LESSONS))
    st.html(f'<p class="mha-unseen">{place}</p>')
    _progress(work, current)


def _progress(work: state.Work, topic: str) -> None:
    """What this browser remembers of the lessons: it marks them in the list above, and counts them."""
    chosen = state.widget_value(_answer_key(topic))
    data = {
        "topics": tuple(LESSONS),
        "topic": topic,
        "title": work.words(LESSONS[topic].title),
        "place": {"lesson": topic, **controls.address(topic, LESSONS[topic])},
        "isAnswered": chosen is not None and chosen == LESSONS[topic].question.right(),
        "chosen": chosen,
        "isCleared": topic in _cleared(),
        "words": {name: work.words(text) for name, text in _PROGRESS.items()},
    }
    mount = component("progress", "lessons", "progress.js", isolate_styles=False)
    mount(key=_PROGRESS_KEY, data=data, on_restored_change=_restore_answer)


_PROGRESS_KEY: Final = "lessons.progress"


def _answer_key(topic: str) -> str:
    """The key of a question's choices."""
    return f"lessons.guess.{topic}"


def _cleared() -> set[str]:
    """The topics whose answer the reader has cleared."""
    return state.of_session("lessons.cleared", set[str])


def _restore_answer() -> None:
    """Choose the answer that the browser has stored, unless one is chosen already."""
    match getattr(state.widget_value(_PROGRESS_KEY), "restored", None):
        case {"topic": str(topic), "chosen": int(chosen)} if topic in LESSONS:
            is_free = state.widget_value(_answer_key(topic)) is None
            if is_free and 0 <= chosen < len(LESSONS[topic].question.options):
                state.set_widget(_answer_key(topic), int(chosen))


def _clear_answer(topic: str) -> None:
    state.set_widget(_answer_key(topic), None)
    _cleared().add(topic)


_PROGRESS: Final = {
    "read": N_("read to the end"),
    "answered": N_("question answered"),
    "told": N_(
        "{read} of {all} lessons read (✓), {answered} of {all} questions answered (✓✓). Kept in this browser."
    ),
}


def _link(work: state.Work, topic: str, label: str) -> None:
    st.page_link(shell.LESSONS, label=label, query_params=state.lesson_address(work, topic))


def _text(work: state.Work, topic: str) -> None:
    words, lesson = work.words, LESSONS[topic]
    number = list(LESSONS).index(topic) + 1
    st.html(
        f'<header class="mha-lesson" lang="{work.language}"><span class="number" aria-hidden="true">{number}</span>'
        f"<h2>{escape(words(lesson.title))}</h2><p>{escape(words(lesson.lede))}</p></header>"
    )
    for index, paragraph in enumerate(lesson.text, start=1):
        st.markdown(words(paragraph))
        if index == lesson.formula_after:
            st.latex(lesson.formula)
    if lesson.source:
        st.html(f'<p class="mha-source">{escape(words(lesson.source))}</p>')


def _question(work: state.Work, topic: str) -> None:
    """The question. A chosen answer is checked at once, and a right one has its reason. It can also be shown."""
    words, question = work.words, LESSONS[topic].question
    heading(words(N_("A question")))
    st.markdown(words(question.text))
    chosen = st.radio(
        words(N_("Your answer")),
        range(len(question.options)),
        index=None,
        format_func=lambda at: words(question.options[at]),
        key=_answer_key(topic),
        label_visibility="collapsed",
    )
    right = question.right()
    if chosen is not None:
        _cleared().discard(topic)
        status_line(words(N_("✓ Right.") if chosen == right else _try_again(topic)))
        if chosen == right:
            st.markdown(question.answer(words))
        label, key = words(N_("Clear my answer")), f"lessons.clear.{topic}"
        st.button(label, key=key, type="tertiary", on_click=_clear_answer, args=(topic,))
    if chosen == right:
        return
    with st.expander(words(N_("Show the answer")), key=f"lessons.answer.{topic}"):
        st.markdown(f"**{words(question.options[right])}**")
        st.markdown(question.answer(words))


def _try_again(topic: str) -> str:
    if any(isinstance(control, Slider) for control in LESSONS[topic].controls):
        return N_("✗ Not quite. Try it with the sliders, and choose again.")
    return N_("✗ Not quite. Try it with the picture, and choose again.")


def _puzzle(work: state.Work, key: str) -> None:
    """A button that opens a puzzle in Explore, and whether this browser has solved it."""
    start = in_language(built_in_puzzle(key), work.language)
    st.markdown(
        work.words(N_("Change the numbers in Explore until the goal is met. The page tells you when it is."))
    )
    st.html(f"<p>{rich(text_in(start.note, work.language))}</p>")
    label = work.words(N_("Solve the puzzle: {title}")).format(title=text_in(start.title, work.language))
    if st.button(label, key=f"lessons.open.puzzle.{key}"):
        explore(state.open_example, start)
    mount = component("solved", "lessons", "solved.js", isolate_styles=False)
    told = work.words(N_("solved with {count} {count:change|changes}"))
    mount(key=f"lessons.solved.{key}", data={"puzzle": key, "told": told})


def _after(work: state.Work, topic: str) -> None:
    words, lesson = work.words, LESSONS[topic]
    with st.container(key="lesson-try"):
        heading(words(N_("Try this")))
        st.markdown(words(lesson.experiment))
        with st.container(horizontal=True):
            for name in lesson.examples:
                open_on_bench(work, name)
    with st.container(key="lesson-question"):
        _question(work, topic)
    with st.container(key="lesson-puzzle"):
        heading(words(N_("A puzzle")))
        _puzzle(work, lesson.puzzle)
    topics = list(LESSONS)
    at = topics.index(topic)
    with st.container(key="lesson-steps", horizontal=True, horizontal_alignment="distribute"):
        if at > 0:
            _link(work, topics[at - 1], f"← {words(LESSONS[topics[at - 1]].title)}")
        if at + 1 < len(topics):
            title = words(LESSONS[topics[at + 1]].title)
            with st.container(key="lesson-next", width="content"):
                _link(work, topics[at + 1], words(N_("Next lesson: {title} →")).format(title=title))
