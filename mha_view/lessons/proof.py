"""Lesson: what attention weights do not prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import hypot
from typing import Final, NamedTuple

from mha_core.compute.trace import Trace, trace
from mha_core.errors import N_
from mha_core.example.model import AllowMask, Example, Head
from mha_view.figures.labels import labels, number, weight
from mha_view.figures.weights import weights_bars
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
    Values,
)
from mha_view.lessons.scene import group, traced

SENTENCE: Final = N_("the film was not good")
"""One token per word, in each language."""
GOOD: Final = 4
"""The query that the lesson follows."""


def review(values: Values, words: Words) -> Example:
    """Five tokens in one head. "good" looks mostly at "the", whose value is as long as the slider says."""
    size = float(values["value"])
    return Example(
        title=words(N_("What does “good” take from the others?")),
        tokens=tuple(words(SENTENCE).split()),
        x=((2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.5, 1.0, 0.0), (0.0, 0.0, 2.0), (0.0, 1.0, 0.0)),
        heads=(
            Head(
                w_q=((0.0, 0.0), (1.0, 1.0), (0.0, 0.0)),
                w_k=((1.5, 0.0), (0.25, 0.0), (0.0, 0.5)),
                w_v=((size, 0.0), (0.0, 0.25), (0.0, -2.0)),
            ),
        ),
    )


class Measured(NamedTuple):
    """One key, seen from one query: its weight, the length of its value, the length of what it adds to the output, and
    how far the output moves when the key is masked.
    """

    weight: float
    value: float
    adds: float
    masked: float


def measures(computed: Trace, query: int = GOOD) -> list[Measured]:
    """The measures of every key of the first head.

    What a key adds is its term of the output, weight · value. Masking it also raises the weights of all other keys.
    """
    weights, values = computed.values["weights"][0][query], computed.values["v"][0]
    output = computed.values["head_outputs"][0][query]
    return [
        Measured(share, hypot(*value), share * hypot(*value), _moved(output, _masked(computed, query, key)))
        for key, (share, value) in enumerate(zip(weights, values, strict=True))
    ]


def _masked(computed: Trace, query: int, key: int) -> Sequence[float]:
    """The output of the query where it cannot attend to the key."""
    example = computed.example
    size = range(len(example.tokens))
    mask = AllowMask(tuple(tuple((i, j) != (query, key) for j in size) for i in size))
    row: Sequence[float] = trace(replace(example, mask=mask), computed.backend).values["head_outputs"][0][
        query
    ]
    return row


def _moved(a: Sequence[float], b: Sequence[float]) -> float:
    return hypot(*(x - y for x, y in zip(a, b, strict=True)))


def _parts(seen: Seen) -> Sequence[Part]:
    words, computed = seen.words, seen.trace
    names = labels(seen.example.tokens).names
    measured = measures(computed)
    rows = [
        [name, weight(one.weight), number(one.value), number(one.adds), number(one.masked)]
        for name, one in zip(names, measured, strict=True)
    ]
    heads = [
        words(N_("key")),
        words(N_("weight")),
        words(N_("length of value")),
        words(N_("length added")),
        words(N_("change if masked")),
    ]
    return (
        Picture("proof", weights_bars(computed, theme=seen.theme, words=words, query=GOOD)),
        Listing(
            heads, rows, words(N_("Four answers to “What matters to “{query}”?”")).format(query=names[GOOD])
        ),
        Sentence(_said(words, names, measured)),
        Scene(
            (
                group(
                    [
                        traced(computed, "weights", words, 0, only=[GOOD], marked=0),
                        traced(computed, "v", words, 0),
                        traced(computed, "head_outputs", words, 0, only=[GOOD], marked=0),
                    ]
                ),
            )
        ),
    )


def _said(words: Words, names: Sequence[str], measured: Sequence[Measured]) -> str:
    looked, added, moved = (max(range(len(measured)), key=lambda key: measured[key][at]) for at in (0, 2, 3))
    if looked == added == moved:
        return words(
            N_("Here all three agree: “{key}” has the largest weight, adds most, and is missed most.")
        ).format(key=names[looked])
    return words(
        N_(
            "Largest weight: “{looked}”. Adds most to the output: “{added}”. Changes it most if masked: “{moved}”."
        )
    ).format(looked=names[looked], added=names[added], moved=names[moved])


ASKED: Final = (0, 1, 3)
"""The keys that the question names."""


def adds_most() -> int:
    """The key that adds most to the output of "good" as the lesson opens."""
    values = PROOF.live.start if isinstance(PROOF.live, Live) else {}
    measured = measures(trace(review(values, str)))
    return max(range(len(measured)), key=lambda key: measured[key].adds)


def _why() -> dict[str, str]:
    values = PROOF.live.start if isinstance(PROOF.live, Live) else {}
    measured = measures(trace(review(values, str)))
    the, other = measured[0], measured[adds_most()]
    return {
        "the": f"{the.weight:.3f}",
        "other": f"{other.weight:.3f}",
        "length": number(other.value),
        "adds": number(other.adds),
    }


PROOF: Final = Lesson(
    title=N_("What attention weights do not prove"),
    lede=N_("A map of attention weights looks like an explanation. It is one part of it."),
    text=(
        N_(
            "It is tempting to read a thick line from “good” to “the” like this: the model calls the film good "
            "because of “the”. But a weight only says how much of a value is taken. If the value is close to zero, "
            "even a large weight passes on next to nothing. Trained models do this often: a head that has nothing to "
            "do puts its weight on a token whose value is small, such as the first one."
        ),
        N_(
            "Look at what arrives instead: the term $a_{ij}v_j$. Or mask a key and see how far the output moves. The "
            "two are not the same: when a key is masked, the others take over its weight, so the output can move "
            "even if the key added nothing. Which measure is right depends on the question that you ask."
        ),
        N_(
            "And this is one head of one layer. $W_O$ can shrink what a head brings, or another head can cancel it. "
            "The residual connection passes the token on without any attention. From the second layer on, a position "
            "no longer contains one word only, but a mix. So weights are a good place to find an idea. To test it, "
            "change something and watch what happens, as you can on the page Real models."
        ),
    ),
    formula=r"\text{head}_i=\sum_j a_{ij}v_j\qquad\lVert a_{ij}v_j\rVert=a_{ij}\,\lVert v_j\rVert",
    formula_after=2,
    live=Live(
        heading=N_("What matters to “good”?"),
        controls=(Slider("value", N_("The number in $W_V$ that sets the value of “the”"), 0, 2, 0, 0.25),),
        example=review,
        parts=_parts,
    ),
    experiment=N_(
        "Move the slider: the weights stay as they are, but what “the” adds grows from nothing. From which setting "
        "on does “the” add most?"
    ),
    examples=("water",),
    question=Question(
        text=N_("At the start, “the” has the largest weight. Which token adds most to the output of “good”?"),
        options=(N_("“the”"), N_("“film”"), N_("“not”")),
        right=lambda: ASKED.index(adds_most()),
        because=N_(
            "“The” has a weight of {the}, but its value is 0, so it adds nothing. “Not” has a weight of only "
            "{other}, but a value of length {length}: it adds {adds}."
        ),
        numbers=_why,
    ),
    puzzle="take-nothing",
    source=N_("Based on Jain and Wallace (2019), Wiegreffe and Pinter (2019), and Kobayashi et al. (2020)"),
)
