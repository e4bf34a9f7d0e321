"""Lesson: why a decoder has a causal mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mha_core.compute.trace import Trace, trace
from mha_core.errors import N_
from mha_core.example.model import Example, Head, allow_matrix
from mha_view.figures.labels import labels, weight
from mha_view.figures.weights import weights_heatmaps
from mha_view.language import Words
from mha_view.lessons.lesson import (
    Lesson,
    Listing,
    Live,
    Part,
    Picture,
    Question,
    Scene,
    Seen,
    Sentence,
    Slider,
    Toggle,
    Values,
)
from mha_view.lessons.scene import group, traced

SENTENCE: Final = N_("the cat fell asleep")
"""One token per word, in each language."""
LAST: Final = 2.0
"""The number of the last token that the slider moves, at first."""


def next_word(values: Values, words: Words) -> Example:
    """Four tokens, each of which is to predict the next one; with a causal mask or without."""
    return Example(
        title=words(N_("Predict the next word")),
        tokens=tuple(words(SENTENCE).split()),
        x=((1.0, 1.0), (0.0, 2.0), (2.0, 1.0), (float(values["last"]), -1.0)),
        heads=(
            Head(
                w_q=((1.0, 0.0), (0.0, 1.0)),
                w_k=((0.0, 1.0), (1.0, 0.0)),
                w_v=((1.0, 0.0), (0.0, 1.0)),
            ),
        ),
        mask="causal" if values["mask"] else None,
    )


def _parts(seen: Seen) -> Sequence[Part]:
    words, computed = seen.words, seen.trace
    names = labels(seen.example.tokens).names
    weights = computed.values["weights"][0]
    rows = [[name, names[at + 1], weight(weights[at][at + 1])] for at, name in enumerate(names[:-1])]
    return (
        Picture("decoder", weights_heatmaps(computed, theme=seen.theme, words=words)),
        Listing(
            [words(N_("token")), words(N_("has to predict")), words(N_("its weight on that word"))],
            rows,
            words(N_("How much of the answer each token sees")),
        ),
        Sentence(_said(words, computed)),
        Scene((group([traced(computed, name, words, 0) for name in _shown(computed)]),)),
    )


def _shown(computed: Trace) -> list[str]:
    return [
        name
        for name in ("scaled_scores", "masked_scores", "weights", "head_outputs")
        if name in computed.values
    ]


def depending_on_the_last(computed: Trace) -> list[int]:
    """The tokens whose outputs change where the last row of X does: by comparison with a row of other numbers."""
    example = computed.example
    *others, last = example.x or ()
    moved = replace(example, x=(*others, tuple(one + 1 for one in last)))
    before, after = (one.values["head_outputs"][0] for one in (computed, trace(moved, computed.backend)))
    return [
        at
        for at, rows in enumerate(zip(before, after, strict=True))
        if max(abs(a - b) for a, b in zip(*rows, strict=True)) > 1e-12
    ]


def _said(words: Words, computed: Trace) -> str:
    tokens = computed.example.tokens
    names = labels(tokens).names
    changed = depending_on_the_last(computed)
    listed = words(N_(", ")).join(names[at] for at in changed)
    if len(changed) == 1:
        return words(
            N_(
                "The last word changes only its own output. No earlier token has seen it, so none could copy it."
            )
        )
    return words(
        N_(
            "{count} of {all} outputs depend on the last word: {list}. Even the token that has to predict it "
            "can see it."
        )
    ).format(count=len(changed), all=len(tokens), list=listed)


def _allowed() -> int:
    """How many pairs a causal mask of four tokens allows, as an index into the answers."""
    allow = allow_matrix(next_word({"last": LAST, "mask": True}, str)) or ()
    return ANSWERS.index(str(sum(map(sum, allow))))


ANSWERS: Final = ("6", "10", "12", "16")

DECODER: Final = Lesson(
    title=N_("Masks and the decoder"),
    lede=N_(
        "A model that writes learns to predict the next word. While it learns, it must not see that word."
    ),
    text=(
        N_(
            "A decoder writes one token after another. To learn this, it gets a whole sentence and has to predict, "
            "at each position, the token that comes next. All positions are computed at once, and that makes "
            "training fast. But every answer is in the input: it is the next token."
        ),
        N_(
            "Without a mask, a head would simply look it up. The model would be perfect in training and useless "
            "afterwards, when there is no next token yet. So a **causal mask** sets the scores of all later tokens "
            "to −∞ before the softmax. Since $e^{-\\infty}=0$, they get the weight 0, and the visible tokens share "
            "the whole weight."
        ),
        N_(
            "With this mask, no output depends on a later token: change the last word, and only the last output "
            "changes. An encoder reads a finished sentence and needs no causal mask. There, masks only hide the "
            "padding at the end of shorter sentences."
        ),
    ),
    formula=r"S'_{ij}=\begin{cases}S_{ij}/\sqrt{d_k}&j\le i\\-\infty&j>i\end{cases}",
    formula_after=2,
    live=Live(
        heading=N_("Who sees the answer?"),
        controls=(
            Slider("last", N_("The first number of the last word in X"), -3, 3, LAST, 0.5),
            Toggle("mask", N_("Causal mask")),
        ),
        example=next_word,
        parts=_parts,
    ),
    experiment=N_(
        "Drag the number of the last word without a mask and watch all rows of the map change. Switch on the mask "
        "and drag again."
    ),
    examples=("causal", "padding"),
    question=Question(
        text=N_(
            "There are four tokens, so the weights have 16 cells. How many of them does a causal mask leave visible?"
        ),
        options=ANSWERS,
        right=_allowed,
        because=N_(
            "The first token sees 1 token, the second 2, the third 3 and the fourth 4: 1 + 2 + 3 + 4 = 10. The other "
            "6 cells are above the diagonal, and their weights are 0."
        ),
    ),
    puzzle="future",
)
