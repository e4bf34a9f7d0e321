"""Lesson: one head fails at what two can do."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor
from typing import Final

from mha_core.errors import N_
from mha_core.example.model import Example, Head
from mha_view.figures.labels import weight
from mha_view.figures.weights import weights_bars
from mha_view.language import Words
from mha_view.lessons.lesson import (
    Lesson,
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

SENTENCE: Final = N_("book it fell")
"""One token per word, in each language."""
IT: Final = 1
"""The query that the lesson follows."""
GOAL: Final = 0.8
"""The share that "it" needs of each of the two other tokens."""
NEEDED: Final = 0.4
"""The share of the question, for each of three tokens."""


def two_questions(values: Values, words: Words) -> Example:
    """Three tokens. The query of "it" is what the sliders say: in one head, or each slider in a head of its own."""
    thing, event = float(values["thing"]), float(values["event"])
    asked = ((thing, 0.0), (0.0, event)) if values["second"] else ((thing, event),)
    answers = ((1.0, 0.0), (0.0, 1.0))
    return Example(
        title=words(N_("“It” asks what it is, and what it did")),
        tokens=tuple(words(SENTENCE).split()),
        x=((2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 2.0)),
        heads=tuple(
            Head(
                w_q=((0.0, 0.0), query, (0.0, 0.0)),
                w_k=((1.0, 0.0), (0.0, 0.0), (0.0, 1.0)),
                w_v=((0.5, 0.0), (0.0, 0.0), (0.0, 0.5)),
            )
            for query in asked
        ),
        w_o=answers * len(asked),
    )


def _parts(seen: Seen) -> Sequence[Part]:
    words, computed = seen.words, seen.trace
    tables = [
        group(
            [
                traced(computed, name, words, head, only=[IT], marked=0)
                for name in ("q", "weights", "head_outputs")
            ],
            words(N_("Head {number}")).format(number=head + 1),
            head=head,
        )
        for head in range(len(seen.example.heads))
    ]
    output = group([traced(computed, "output", words, only=[IT], marked=0)], words(N_("Both answers")))
    return (
        Picture("two-questions", weights_bars(computed, theme=seen.theme, words=words, query=IT)),
        Sentence(_said(seen)),
        Scene((*tables, output)),
    )


def _said(seen: Seen) -> str:
    words, (what, _, did) = seen.words, seen.example.tokens
    shares = seen.trace.values["output"][IT]
    reached = min(shares) >= GOAL
    sentence = (
        N_(
            "✓ The output has {first} of the value of “{what}” and {second} of the value of “{did}”: both at least "
            "{goal}."
        )
        if reached
        else N_(
            "✗ The output has {first} of the value of “{what}” and {second} of the value of “{did}”. It needs {goal} "
            "of each."
        )
    )
    said = words(sentence).format(
        first=weight(shares[0]), second=weight(shares[1]), what=what, did=did, goal=f"{GOAL:g}"
    )
    if reached or len(seen.example.heads) > 1:
        return said
    rest = words(N_("One head gives the two tokens {total} in all, and it can never give more than 1."))
    between = "" if said.endswith("。") else " "
    return f"{said}{between}{rest.format(total=weight(sum(shares)))}"


TWO_QUESTIONS: Final = Lesson(
    title=N_("One head, two jobs"),
    lede=N_("“It” needs two answers at once. One head has to choose between them; two heads do not."),
    text=(
        N_(
            "To understand “it” in “The book slipped, and it fell”, you need two answers: what “it” is, and what it "
            "did. The first is at “book”, the second at “fell”. Each of the two tokens has a value to pass on."
        ),
        N_(
            "A head has one row of weights for “it”, and softmax makes that row sum to 1. What “book” gains, “fell” "
            "loses. If the query asks for both equally, each gets one half at most, and the output is a blend in "
            "which neither answer is clear."
        ),
        N_(
            "A second head has its own $W_Q$. It asks its own question and has a whole row of weights to spend on "
            "it. $W_O$ then brings both answers together. That is the reason for several heads: a layer can look at "
            "several places at once, with nearly full weight at each."
        ),
    ),
    formula=r"\sum_j a_{ij}=1\quad\Rightarrow\quad a_{i1}+a_{i3}\le 1",
    formula_after=2,
    live=Live(
        heading=N_("The query of “it”: what does it ask for?"),
        controls=(
            Slider("thing", N_("It asks for the thing (book)"), 0, 4, 3),
            Slider("event", N_("It asks for the event (fell)"), 0, 4, 0),
            Toggle("second", N_("A second head: each question in a head of its own")),
        ),
        example=two_questions,
        parts=_parts,
    ),
    experiment=N_(
        "Try to reach 0.8 for both with one head. Then switch on the second head and move both sliders to the right."
    ),
    question=Question(
        text=N_(
            "One token must give each of three others at least 0.4 of some head's attention. How many heads does that "
            "take?"
        ),
        options=("1", "2", "3"),
        right=lambda: ceil(3 / floor(1 / NEEDED)) - 1,
        because=N_(
            "A row of weights sums to 1, and three times 0.4 is 1.2, so one head is not enough. Two are: the first "
            "gives 0.4 to each of two tokens, the second gives 0.4 to the third."
        ),
    ),
    puzzle="two-questions",
)
