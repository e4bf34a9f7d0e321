"""Lesson 3: several heads as several readers, on the current example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import streamlit as st

from mha_core import Trace, built_in, trace
from mha_core.compute.metrics import agreement, heads_differ, keys_in_view
from mha_core.errors import N_
from mha_core.example.model import key_tokens
from mha_ui import state
from mha_ui.lessons.controls import draw_control
from mha_ui.lessons.lesson import heading, shown, table
from mha_ui.notes import note, status_line
from mha_ui.pictures import draw, theme
from mha_view.figures.agreement import agreement_figure
from mha_view.figures.labels import labels, number, weight
from mha_view.figures.layout import head_name
from mha_view.figures.weights import weights_bars
from mha_view.language import Words
from mha_view.lessons.lesson import Lesson, Question, Toggle

_QUERY: Final = "lessons.query"
ALONE: Final = Toggle("alone", N_("Overlap for this query only"))
MOST_PAIRS: Final = 3
"""At most so many pairs of heads that agree equally are named."""


def _live(work: state.Work) -> None:
    words, look = work.words, theme()
    heading(words(N_("The heads side by side")))
    computed = shown(work, "many-heads", "programming", heads_differ)
    note(computed.example, work.language)
    with st.container(key="lesson-controls"):
        query = _query(work, computed)
        alone = draw_control(ALONE, "lessons.alone", words)
    draw("readers", weights_bars(computed, theme=look, words=words, query=query))
    _readers(computed, query, words)
    if len(computed.example.heads) == 1:
        status_line(
            words(
                N_("This example has one head: one reader. Choose an example with several heads in Explore.")
            )
        )
        return
    about = query if alone else None
    draw("agreement", agreement_figure(computed, theme=look, words=words, query=about))
    status_line(agreement_sentence(agreement(computed, about), words))


def agreement_sentence(rows: Sequence[Sequence[float]], words: Words) -> str:
    """Which two heads agree least and which most, by these shares; pairs that tie in print are all named."""
    pairs = {(b, a): rows[a][b] for a in range(len(rows)) for b in range(a)}
    least, most = weight(min(pairs.values())), weight(max(pairs.values()))

    def pairs_at(printed: str) -> str:
        tied = [pair for pair, share in sorted(pairs.items()) if weight(share) == printed]
        names = [[head_name(words, head) for head in pair] for pair in tied[:MOST_PAIRS]]
        listed = [
            words(N_("{first} and {second}")).format(first=first, second=second) for first, second in names
        ]
        if len(tied) > MOST_PAIRS:
            listed.append(words(N_("and {count} more")).format(count=len(tied) - MOST_PAIRS))
        return words(N_("; ")).join(listed)

    if len(pairs) == 1:
        return words(N_("{who}: overlap {share}.")).format(who=pairs_at(least), share=least)
    if least == most:
        return words(N_("The overlap of any two heads is {least}.")).format(least=least)
    sentence = words(N_("Least similar ({least}): {unlike}. Most similar ({most}): {alike}."))
    return sentence.format(least=least, unlike=pairs_at(least), most=most, alike=pairs_at(most))


def _query(work: state.Work, computed: Trace) -> int:
    """The query to look from: for the current example, the one that all pages share."""
    tokens = labels(computed.example.tokens).names
    shared = computed is work.trace
    if shared:
        state.set_widget(_QUERY, work.looking.query)
    chosen: int = st.selectbox(
        work.words(N_("Query")),
        range(len(tokens)),
        format_func=lambda index: f"{index + 1}  {tokens[index]}",
        key=_QUERY if shared else f"{_QUERY}.own",
        on_change=_query_chosen if shared else None,
        width=240,
    )
    if shared:
        state.change(state.choose_query, chosen)
    return chosen


def _query_chosen() -> None:
    state.change(state.choose_query, state.widget_value(_QUERY))


def _readers(computed: Trace, query: int, words: Words) -> None:
    """Where each head looks from this query: its favourite key, and over how many it spreads."""
    keys = labels(key_tokens(computed.example)).names
    name = labels(computed.example.tokens).names[query]
    rows = []
    for head, weights in enumerate(computed.values["weights"]):
        row = weights[query]
        if computed.fully_masked[head][query]:
            cells = [words(N_("fully masked")), "–", "–"]
        else:
            top = max(range(len(row)), key=row.__getitem__)
            even = max(row) - min(row) < 1e-9 and len(row) > 1
            spread = number(keys_in_view(row)) if min(row) >= 0 else "–"
            cells = [words(N_("all keys equal")) if even else keys[top], weight(row[top]), spread]
        rows.append([head_name(words, head), *cells])
    heads = [
        words(N_("reader")),
        words(N_("looks most at")),
        words(N_("weight")),
        words(N_("effective number of keys")),
    ]
    table(heads, rows, words(N_("What each head looks at for the query “{query}”")).format(query=name))


def _redundant() -> int:
    """Whether a head that attends as another does gives the same outputs: 0 where it does, else 1."""
    first, second, *_ = built_in("programming").heads
    copied = replace(second, w_q=first.w_q, w_k=first.w_k)
    computed = trace(replace(built_in("programming"), heads=(first, copied)))
    one, other = computed.values["head_outputs"]
    return 0 if one == other else 1


HEADS: Final = Lesson(
    title=N_("Several heads, several readers"),
    lede=N_(
        "One reader asks one question. Several readers with different questions bring back different things."
    ),
    text=(
        N_(
            "In a head, each query has one row of weights, and that row sums to 1. A head that needs both "
            "the subject *and* the verb must split its attention, and it comes back with a weighted "
            "average of both. With more than $d_v+1$ keys, the average no longer tells you what it was "
            "made from."
        ),
        N_(
            "So a layer sends several readers. Each head has its own $W_Q$, $W_K$ and $W_V$: it asks its "
            "own question, compares it with its own keys and takes its own notes. The notes are placed "
            "side by side, and $W_O$ combines them into one output."
        ),
        N_(
            "Nothing forces heads to differ. A second head with the same matrices costs as much as the "
            "first and adds nothing new. The picture therefore shows overlap: the share of attention "
            "that two heads spend on the same keys. It is 1 if their weights are equal and 0 if they "
            "never look at the same key."
        ),
    ),
    formula=r"\sum_j\min(a_j,b_j)=1-\tfrac12\sum_j|a_j-b_j|",
    live=_live,
    own_controls=(ALONE,),
    experiment=N_(
        "In Explore, copy $W_Q$ and $W_K$ of one head into another: their overlap is now 1. "
        "Then come back here and see that their outputs can still differ."
    ),
    examples=("programming", "water"),
    question=Question(
        text=N_("Two heads have an overlap of 1.00 for every query. Can you remove one of them?"),
        options=(
            N_("Yes, it adds nothing new."),
            N_("Not on that evidence alone."),
            N_("No, never."),
        ),
        right=_redundant,
        because=N_(
            "Overlap compares weights. With a different $W_V$, the second head looks at the same "
            "places but takes something else from them. One head could do the work of both, "
            "though, with the columns of both values side by side. If $W_V$ is the same too, the "
            "second head is redundant: its rows of $W_O$ can be added to the other's."
        ),
    ),
    puzzle="one-job",
    formula_after=3,
)
