"""Lesson 1: books, numbers and readers as values, keys and queries."""

from __future__ import annotations

from math import isclose
from statistics import fmean
from typing import Final

import streamlit as st

from mha_core import Example, Head, trace, validate
from mha_core.errors import N_
from mha_ui import state
from mha_ui.lessons.controls import draw_control
from mha_ui.lessons.lesson import explore, heading, table
from mha_ui.notes import status_line
from mha_ui.pictures import draw, theme
from mha_view.figures.labels import number, weight
from mha_view.figures.library import library_figure
from mha_view.language import Words
from mha_view.lessons.lesson import Lesson, Question, Slider, Toggle

SUBJECTS: Final = (N_("computing"), N_("mathematics"), N_("nursing"))
"""The dimensions of keys and queries: d_k = 3."""
CONTENTS: Final = (N_("code"), N_("proofs"), N_("case notes"))
"""The dimensions of values, in pages: d_v = 3."""
BOOKS: Final = (N_("Programming"), N_("Algorithms"), N_("Probability"), N_("Nursing"))
KEYS: Final = ((3.0, 0.0, 0.0), (2.0, 1.0, 0.0), (0.0, 3.0, 0.0), (0.0, 0.0, 3.0))
VALUES: Final = ((80.0, 0.0, 10.0), (40.0, 50.0, 0.0), (10.0, 90.0, 0.0), (0.0, 0.0, 70.0))
INTEREST: Final = (2.0, 1.0, 0.0)
"""The reader who wants to know about artificial intelligence."""
INTERESTS: Final = tuple(
    Slider(f"interest.{index}", subject, 0, 4, start, 0.5)
    for index, (subject, start) in enumerate(zip(SUBJECTS, INTEREST, strict=True))
)
SWAP: Final = Toggle("swap", N_("Swap the contents of Programming and Nursing, but keep their keys"))


def library_example(words: Words, interest: tuple[float, ...], *, swapped: bool = False) -> Example:
    """One query (the reader) and four keys and values (the books), in one head with given q, k and v.

    ``swapped``: the first and the last book have each other's contents, while the numbers on their spines stay.
    """
    values = (VALUES[3], *VALUES[1:3], VALUES[0]) if swapped else VALUES
    return validate(
        Example(
            title=words(N_("A reader in a library")),
            tokens=(words(N_("reader")),),
            context_tokens=tuple(words(book) for book in BOOKS),
            heads=(Head(q=(interest,), k=KEYS, v=values),),
        )
    )


def _live(work: state.Work) -> None:
    words = work.words
    heading(words(N_("You are the reader: what do you want to know about?")))
    with st.container(key="lesson-controls"):
        interest = tuple(float(draw_control(one, f"lessons.{one.name}", words)) for one in INTERESTS)
        swapped = bool(draw_control(SWAP, f"lessons.{SWAP.name}", words))
    example = library_example(words, interest, swapped=swapped)
    computed = trace(example, work.backend)
    columns = [words(column) for column in CONTENTS]
    draw("library", library_figure(computed, columns=columns, theme=theme(), words=words))
    scores, scaled = computed.values["scores"][0][0], computed.values["scaled_scores"][0][0]
    weights, head = computed.values["weights"][0][0], example.heads[0]
    table(
        [
            words(N_("book")),
            words(N_("number (key)")),
            "q · k",
            "÷ √3",
            words(N_("weight")),
            words(N_("contents (value)")),
        ],
        [
            [book, _vector(key), number(score), number(divided), weight(share), _vector(value)]
            for book, key, score, divided, share, value in zip(
                example.context_tokens or (), KEYS, scores, scaled, weights, head.v or (), strict=True
            )
        ],
        words(N_("Your query is q = {query}")).format(query=_vector(interest)),
    )
    closest = max(range(len(weights)), key=weights.__getitem__)
    sentence = words(
        N_("You read {book} most closely, with {share} of your attention, and go home with {output}.")
    )
    if max(weights) - min(weights) < 1e-9:
        sentence = words(N_("You read all books equally, and go home with {output}."))
    book = (example.context_tokens or ())[closest]
    contents = words(N_(", ")).join(
        f"{column} {number(v)}"
        for column, v in zip(columns, computed.values["head_outputs"][0][0], strict=True)
    )
    status_line(sentence.format(book=book, share=weight(weights[closest]), output=contents))
    if st.button(words(N_("Open this library in Explore")), key="lessons.library.open"):
        explore(state.open_example, example)


def _vector(row: tuple[float, ...]) -> str:
    return f"({', '.join(number(v) for v in row)})"


def _without_interest() -> int:
    """What a reader without interests takes home: nothing, the average of all books, or the first book."""
    (output,) = trace(library_example(str, (0.0, 0.0, 0.0))).values["head_outputs"][0]
    average = [fmean(column) for column in zip(*VALUES, strict=True)]
    known = ([0.0] * len(average), average, VALUES[0])
    return next(at for at, row in enumerate(known) if all(map(isclose, row, output)))


LIBRARY: Final = Lesson(
    title=N_("Books, numbers and a reader"),
    lede=N_(
        "Attention looks things up like a reader in a library, but it reads a little of every book at once."
    ),
    text=(
        N_(
            "A book's contents are its **value**. The number on its spine is its **key**: it tells you "
            "what the book is about without opening it. You come in with a question: your **query**. In "
            "attention, all three are rows of numbers."
        ),
        N_(
            "You compare your query with every key. If both are large in the same places, their "
            "product $q\\cdot k$ is large, and you read that book closely. You only leaf through the "
            "others. Softmax turns the products into proportions that sum to 1: the attention weights. "
            "You go home with the contents of all the books, mixed in these proportions."
        ),
        N_(
            "Key and value have different jobs: the key decides how closely you read a book, and the "
            "value decides what you get from it. In self-attention, every token plays all three roles, "
            "and nobody writes the numbers by hand: the weight matrices in ${Q=XW_Q}$, ${K=XW_K}$ and "
            "${V=XW_V}$ are learned."
        ),
    ),
    formula=r"\begin{gathered}a=\operatorname{softmax}\!\left(\frac{q\cdot k_1}{\sqrt{d_k}},\dots,"
    r"\frac{q\cdot k_n}{\sqrt{d_k}}\right)\\ o=\sum_j a_j\,v_j\end{gathered}",
    live=_live,
    own_controls=(*INTERESTS, SWAP),
    experiment=N_(
        "In Explore, change a number of $W_V$ in head 2: its outputs change, but its weights "
        "do not. Then change a number of $W_K$: now the weights change, and the outputs with "
        "them."
    ),
    examples=("water",),
    question=Question(
        text=N_("Set all three interests to 0. What does the reader go home with?"),
        options=(
            N_("Nothing: the reader asks for nothing."),
            N_("The plain average of all the books."),
            N_("The first book."),
        ),
        right=_without_interest,
        because=N_(
            "All products are 0, so softmax gives each of the four books the same weight, ¼, and the "
            "reader goes home with the plain average of all values. A head cannot refuse to read: its "
            "weights sum to 1 whatever the query is. Only a mask can keep books out of reach."
        ),
    ),
    puzzle="book",
)
