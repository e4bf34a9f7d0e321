"""A class's results: the marks of each student, the questions and mistakes of the class, and the course's gradebook.

A file is opened on the page only when its row is pressed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Final

import streamlit as st

from mha_core.check.check import check
from mha_core.check.outcome import Verdict
from mha_core.check.table import count_headings, counts
from mha_core.errors import N_, MhaError
from mha_core.example.files import MAX_BYTES, parse
from mha_core.marks.gradebook import MAX_BYTES as MOST_OF_GRADEBOOK
from mha_core.marks.gradebook import fill, read_gradebook
from mha_core.marks.marks import Paper, marked, paper, total
from mha_core.marks.overview import Question, questions
from mha_core.marks.scheme import SHARES, Scheme
from mha_core.marks.table import as_csv, number, steps_of
from mha_core.vocabulary import noun
from mha_ui import class_results, state
from mha_ui.download import downloader
from mha_ui.shell import alert
from mha_ui.upload import uploader
from mha_view.language import sentence

_VIEWS: Final = {
    "students": N_("By student"),
    "questions": N_("By question"),
    "mistakes": N_("By mistake"),
    "gradebook": N_("Gradebook"),
}
_SHARES: Final = {"full": N_("in full"), "half": N_("half"), "none": N_("not at all")}
_NEW: Final = ""


def solutions_button(work: state.Work) -> None:
    """The button that opens the results of a class."""
    class_results.class_button(work, "check", _solutions)


def _solutions(work: state.Work) -> None:
    words = work.words
    about = N_(
        "Open the files that your students filled in and saved on this page. They are "
        "checked here and not stored."
    )
    files = class_results.handed_in(
        work, "check", words(about), words(N_("Open *.mha.json files")), most=MAX_BYTES // 1_000_000
    )
    if not files:
        return
    papers = [paper(file.name, _checked(file.getvalue()), work.language) for file in files]
    scheme = _scheme(work, papers)
    views = {name: words(text) for name, text in _VIEWS.items()}
    view = st.segmented_control(
        words(N_("Results")),
        list(views),
        format_func=views.__getitem__,
        default="students",
        required=True,
        key="check.view",
        label_visibility="collapsed",
    )
    match view:
        case "questions":
            st.html(_table(*_by_question(work, papers)))
        case "mistakes":
            st.html(_table(*_by_mistake(work, papers)))
        case "gradebook":
            _gradebook(work, papers, scheme)
        case _:
            chosen = class_results.table("check", solutions_payload(work, papers, scheme))
            class_results.csv_button(work, "check", as_csv(papers, scheme), "attention-marks.csv")
            if chosen is not None:
                state.change(state.open_file, files[chosen].getvalue())
                st.rerun()


@lru_cache(maxsize=2 * class_results.MOST_FILES)
def _checked(content: bytes) -> Verdict | MhaError:
    """The verdict on a file, which is not checked again while its table is shown."""
    try:
        return check(parse(content))
    except MhaError as error:
        return error


def _scheme(work: state.Work, papers: Sequence[Paper]) -> Scheme:
    """What the teacher sets, folded until it is opened."""
    words = work.words
    with st.expander(words(N_("How marks are given"))):
        columns = st.columns(3)
        with columns[0]:
            follows = _share(work, "follows", _FOLLOWS, "full")
        with columns[1]:
            shown = _share(work, "shown", _SHOWN, "none")
        best = columns[2].number_input(
            words(N_("Best mark, to which all are scaled")), 0.0, None, None, key="check.out-of", format="%g"
        )
        st.caption(words(N_("Points of each step; without them, one point for each number:")))
        points = {}
        steps = steps_of(papers)
        for name, column in zip(steps, st.columns(max(3, len(steps))), strict=False):
            given = column.number_input(
                noun(name, words).capitalize(), 0.0, None, None, key=f"check.points.{name}", format="%g"
            )
            if given is not None:
                points[name] = float(given)
    return Scheme(points, follows, shown, best or None)


def _share(work: state.Work, key: str, label: str, usual: str) -> float:
    names = list(SHARES)
    chosen = st.selectbox(
        work.words(label),
        names,
        names.index(usual),
        format_func=lambda name: work.words(_SHARES[name]),
        key=f"check.{key}",
    )
    return SHARES[chosen]


_FOLLOWS: Final = N_("A number that is right from the student's own wrong number counts")
_SHOWN: Final = N_("A number whose answer was shown counts")


def solutions_payload(work: state.Work, papers: Iterable[Paper], scheme: Scheme) -> Mapping[str, object]:
    """The table of a class by student, as its component is sent it."""
    opens = N_("Open {file} on this page")
    columns = [work.words(column) for column in _COLUMNS]
    return class_results.payload(work, columns, [_cells(one, scheme) for one in papers], opens)


_COLUMNS: Final = (
    *(
        N_("file"),
        N_("student"),
        N_("mark"),
        N_("out of"),
        N_("right"),
        N_("follows"),
        N_("wrong"),
        N_("blank"),
    ),
    *(N_("hints"), N_("first wrong"), N_("cause"), N_("result")),
)


def _cells(one: Paper, scheme: Scheme) -> tuple[str | float | None, ...]:
    if not one.tables:
        return one.file, one.student, *(None,) * 7, "", "", one.row.outcome
    tally, mark = one.total, total(marked(one, scheme), scheme)
    counted = tally.right + tally.shown, tally.follows, tally.wrong, tally.blank, one.hints
    told = one.row.first, "\n".join(one.row.causes), one.row.outcome
    return one.file, one.student, number(mark.points), number(mark.most), *counted, *told


Rows = tuple[list[str], list[tuple[str, ...]]]


def _by_question(work: state.Work, papers: Sequence[Paper]) -> Rows:
    """The tables that were asked for, with the share of right numbers, and where files go wrong first."""
    words, asked = work.words, questions(papers)
    has_heads = any(head for (_, head), *_ in asked)

    def row(question: Question) -> tuple[str, ...]:
        (name, head), tally = question.key, question.tally
        title = noun(name, words).capitalize()
        if has_heads and head is not None:
            title = words(N_("{what}, head {head}")).format(what=title, head=head + 1)
        counted = (
            tally.asked,
            tally.right + tally.shown,
            tally.follows,
            tally.wrong,
            tally.blank,
            question.first,
        )
        return title, f"{100 * question.share:.0f}", *map(str, counted)

    columns = (
        N_("question"),
        N_("right, %"),
        N_("asked"),
        N_("right"),
        N_("follows"),
        N_("wrong"),
        N_("blank"),
    )
    return [*map(words, columns), words(N_("went wrong here first"))], list(map(row, asked))


def _by_mistake(work: state.Work, papers: Sequence[Paper]) -> Rows:
    """Each kind of cause, how many files have it, and whose they are."""
    headings = [*count_headings(work.language), work.words(N_("students"))]
    comma = work.words(N_(", "))
    return headings, [
        (cause, str(times), comma.join(one.known_as for one in papers if cause in one.row.kinds))
        for cause, times in counts([one.row for one in papers])
    ]


def _gradebook(work: state.Work, papers: Sequence[Paper], scheme: Scheme) -> None:
    """The course's own gradebook, with the marks in one of its columns."""
    words = work.words
    st.caption(
        words(
            N_(
                "Export the gradebook of your course as CSV (Moodle, Canvas) and open it here. The marks go into one "
                "column, and everything else stays as it is. Then import the file into the course."
            )
        )
    )
    most = MOST_OF_GRADEBOOK // 1_000_000
    for file in uploader(work, words(N_("Open a gradebook (CSV)")), key="check.gradebook", most=most):
        try:
            book = read_gradebook(file.getvalue())
        except MhaError as error:
            alert(sentence(error, work.language))
            return
        column = st.selectbox(
            words(N_("Column for the marks")),
            [*book.columns, _NEW],
            format_func=lambda name: name or words(N_("a new column")),
            key="check.column",
        )
        filled = fill(book, column or words(N_("Attention")), papers, scheme)
        st.html("".join(f"<p>{escape(told)}</p>" for told in filled.sentences(work.language)))
        content = filled.text.encode()
        downloader(words(N_("Gradebook with the marks")), content, file.name, key="check.filled")


def _table(columns: list[str], rows: list[tuple[str, ...]]) -> str:
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in columns)
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows)
    table = f'<table class="mha-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="mha-scroller" role="group" tabindex="0">{table}</div>'


def _row(row: tuple[str, ...]) -> str:
    return "".join(f'<td dir="auto">{escape(text)}</td>' for text in row)
