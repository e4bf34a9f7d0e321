"""Lesson: cross-attention, in a translation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mha_core.compute.trace import trace
from mha_core.errors import N_
from mha_core.example.library import built_in
from mha_core.example.model import Example
from mha_view.figures.labels import labels, weight
from mha_view.figures.layout import head_name
from mha_view.figures.weights import weights_heatmaps
from mha_view.language import Words
from mha_view.lessons.lesson import (
    Choice,
    Lesson,
    Listing,
    Live,
    Part,
    Picture,
    Question,
    Scene,
    Seen,
    Sentence,
    Values,
)
from mha_view.lessons.scene import group, traced

NAME: Final = "translation"
"""The built-in example that the lesson is about."""
ORDERS: Final = {"sov": (0, 1, 2), "osv": (2, 0, 1)}
"""我 喝 茶 and 茶 我 喝: which word of the source is at each place."""


def translating(values: Values, words: Words) -> Example:
    """The built-in translation, with the source in the chosen order."""
    example, order = built_in(NAME), ORDERS[str(values["source"])]
    if values["source"] == "sov":
        return example
    source, rows = example.context_tokens or (), example.context or ()
    return replace(
        example,
        title=words(N_("A translation with the source reordered")),
        note=None,
        context_tokens=tuple(source[at] for at in order),
        context=tuple(rows[at] for at in order),
    )


def _parts(seen: Seen) -> Sequence[Part]:
    words, computed, query = seen.words, seen.trace, int(seen.values["query"])
    keys = labels(seen.example.context_tokens or ()).names
    rows = []
    for head, weights in enumerate(computed.values["weights"]):
        row = weights[query]
        top = max(range(len(row)), key=row.__getitem__)
        even = max(row) - min(row) < 1e-9
        rows.append(
            [head_name(words, head), words(N_("all equally")) if even else keys[top], weight(row[top])]
        )
    token = labels(seen.example.tokens).names[query]
    return (
        Picture("translation", weights_heatmaps(computed, theme=seen.theme, words=words)),
        Listing(
            [words(N_("head")), words(N_("looks most at")), words(N_("weight"))],
            rows,
            words(N_("What each head looks at in the source for “{query}”")).format(query=token),
        ),
        Sentence(_said(seen)),
        Scene(
            (
                group(
                    [
                        traced(computed, "q", words, 0, only=[query], marked=0),
                        traced(computed, "k", words, 0),
                        traced(computed, "weights", words, 0, only=[query], marked=0),
                        traced(computed, "v", words, 0),
                        traced(computed, "head_outputs", words, 0, only=[query], marked=0),
                    ],
                    head_name(words, 0),
                    head=0,
                ),
            )
        ),
    )


def weights_by_word(computed_of: Example) -> list[list[dict[str, float]]]:
    """For each head and query: the weight of each word of the source, wherever it is."""
    source = computed_of.context_tokens or ()
    return [
        [dict(zip(source, row, strict=True)) for row in rows] for rows in trace(computed_of).values["weights"]
    ]


def _said(seen: Seen) -> str:
    words, dims = seen.words, seen.example.dims
    shapes = words(
        N_(
            "Q has {n_q} rows, one per token of the translation. K and V have {n_k}, one per token of the source."
        )
    ).format(n_q=dims.n_q, n_k=dims.n_k)
    if seen.values["source"] == "sov":
        return shapes
    before, now = weights_by_word(built_in(NAME)), weights_by_word(seen.example)
    apart = max(
        abs(row[word] - other[word])
        for rows, others in zip(before, now, strict=True)
        for row, other in zip(rows, others, strict=True)
        for word in row
    )
    moved = (
        N_("The source is reordered, and every weight has moved along with its word: none has changed.")
        if apart < 1e-9
        else N_("The source is reordered, and weights have changed.")
    )
    between = "" if shapes.endswith("。") else " "
    return f"{shapes}{between}{words(moved)}"


_SHAPES: Final = ("3 × 4", "4 × 3", "7 × 7")


def _shape() -> int:
    dims = built_in(NAME).dims
    return _SHAPES.index(f"{dims.n_q} × {dims.n_k}")


TRANSLATION: Final = Lesson(
    title=N_("Two sentences: cross-attention"),
    lede=N_("A translator looks at the original before writing each word. Cross-attention does the same."),
    text=(
        N_(
            "A model that translates has two sentences: the source, which is complete, and the translation, which "
            "grows word by word. Self-attention stays within one sentence. To choose the next word, the decoder also "
            "has to find the place in the source that it comes from."
        ),
        N_(
            "So the queries come from one sentence, and the keys and values from the other. A token of the "
            "translation asks: which word of the source do I need now? The source answers with its keys, and what is "
            "passed on are the values of the source. The rest of the computation stays as it was."
        ),
        N_(
            "The two sentences can have any lengths, and their words any order. That is the point: where the "
            "languages order words differently, the weights lead from each word to its counterpart. A causal mask is "
            "not needed, because the whole source is known from the start."
        ),
    ),
    formula=r"\begin{gathered}Q=XW_Q\\ K=CW_K,\quad V=CW_V\end{gathered}",
    formula_after=2,
    live=Live(
        heading=N_("From 我 喝 茶 to “I drink tea”"),
        controls=(
            Choice("query", N_("Token of the translation"), {0: "<s>", 1: "I", 2: "drink", 3: "tea"}, 2),
            Choice("source", N_("Source"), {"sov": "我 喝 茶", "osv": "茶 我 喝"}, "sov"),
        ),
        example=translating,
        parts=_parts,
    ),
    experiment=N_(
        "Follow the translation token by token: head 1 looks at the word that has to be translated next. Then move 茶 "
        "to the front."
    ),
    examples=("translation",),
    question=Question(
        text=N_(
            "The translation has 4 tokens, the source has 3. What is the size of a head's weight matrix?"
        ),
        options=_SHAPES,
        right=_shape,
        because=N_(
            "There is a row for each query and a column for each key. Queries come from the translation, keys from "
            "the source: 4 rows and 3 columns. Each of the 4 rows sums to 1."
        ),
    ),
    puzzle="translate",
)
