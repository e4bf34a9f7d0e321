"""Lesson: attention does not see the order of the tokens, and what positions change about that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from mha_core.compute.trace import trace
from mha_core.edit.edit import SetPositions
from mha_core.edit.edits import apply
from mha_core.errors import N_
from mha_core.example.model import Example, Head
from mha_view.figures.labels import number
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
    Toggle,
    Values,
)
from mha_view.lessons.scene import group, traced

if TYPE_CHECKING:
    from typing import Literal

    from mha_core.vocabulary import PositionsName

SENTENCES: Final = {"dog": N_("dog bites man"), "man": N_("man bites dog")}
"""The same words in two orders, the second backwards."""
_X: Final = ((2.0, 0.0, 0.0, 0.0), (0.0, 2.0, 0.0, 0.0), (0.0, 0.0, 2.0, 0.0))
_SAME: Final = 1e-9


def sentence_in_order(values: Values, words: Words) -> Example:
    """The three words in one of the two orders, with the chosen positions, with a causal mask or without."""
    order = str(values["order"])
    example = Example(
        title=words(N_("Who bites whom?")),
        tokens=tuple(words(SENTENCES[order]).split()),
        x=_X if order == "dog" else _X[::-1],
        heads=(
            Head(
                w_q=((1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 1.0)),
                w_k=((0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (1.0, -1.0)),
                w_v=((1.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 0.0)),
            ),
        ),
        mask="causal" if values["mask"] else None,
    )
    kind = cast("Literal['none', PositionsName]", values["positions"])
    return apply(example, SetPositions(kind=kind))


def _other(values: Values) -> Values:
    return {**values, "order": next(order for order in SENTENCES if order != values["order"])}


def _parts(seen: Seen) -> Sequence[Part]:
    words = seen.words
    other = trace(sentence_in_order(_other(seen.values), words), seen.backend)
    here, there = (
        dict(zip(computed.example.tokens, computed.values["head_outputs"][0], strict=True))
        for computed in (seen.trace, other)
    )
    rows = [
        [token, _row(here[token]), _row(there[token]), _row(_minus(here[token], there[token]))]
        for token in here
    ]
    heads = [
        words(N_("token")),
        *(" ".join(computed.example.tokens) for computed in (seen.trace, other)),
        words(N_("difference")),
    ]
    return (
        Picture("order", weights_heatmaps(seen.trace, theme=seen.theme, words=words)),
        Listing(heads, rows, words(N_("The output of each token, in both orders"))),
        Sentence(_said(words, [_minus(here[token], there[token]) for token in here])),
        Scene((group([traced(seen.trace, name, words, 0) for name in _shown(seen)]),)),
    )


def _shown(seen: Seen) -> list[str]:
    """The positions' own steps, the scores, and the weights."""
    ends = ("_positioned", "_rotated", "scores", "weights")
    return [name for name in seen.trace.values if name.endswith(ends)]


def _row(numbers: Sequence[float]) -> str:
    return f"({', '.join(number(0.0 if abs(one) < _SAME else one) for one in numbers)})"


def _minus(a: Sequence[float], b: Sequence[float]) -> list[float]:
    return [x - y for x, y in zip(a, b, strict=True)]


def _said(words: Words, differences: Sequence[Sequence[float]]) -> str:
    largest = max(abs(one) for row in differences for one in row)
    if largest < _SAME:
        return words(
            N_(
                "Every token has the same output in both orders. From these numbers, nobody can tell who bites whom."
            )
        )
    return words(N_("Now the outputs depend on the order: the largest difference is {most}.")).format(
        most=number(largest)
    )


def _twice() -> int:
    """Which answer is true of a word that occurs twice: 0 where its two rows of output are equal."""
    (head,) = sentence_in_order({"order": "dog", "positions": "none", "mask": False}, str).heads
    repeated = Example(
        title="", tokens=("the", "cat", "the", "dog"), x=(_X[0], _X[1], _X[0], _X[2]), heads=(head,)
    )
    first, _, second, _ = trace(repeated).values["head_outputs"][0]
    return 0 if max(map(abs, _minus(first, second))) < _SAME else 1


ORDER: Final = Lesson(
    title=N_("Order and positions"),
    lede=N_(
        "“Dog bites man” and “man bites dog” have the same words. Without positions, attention cannot tell them "
        "apart."
    ),
    text=(
        N_(
            "A score is the product of a query and a key, $q_i\\cdot k_j$, and neither of them says where its token "
            "is. Reorder the sentence: the same queries meet the same keys. Every token keeps its weights and its "
            "output; the rows only change places. With $P$ for the reordering:"
        ),
        N_(
            "But who bites whom depends on the order alone. So a token's position has to get into the numbers. There "
            "are three common ways. **Sinusoidal** positions add a row of sines and cosines to X. **Rotary** "
            "positions rotate queries and keys by an angle that grows with the position, so that a score depends on "
            "how far apart two tokens are, and in which direction. **ALiBi** leaves queries and keys alone and "
            "lowers each score in proportion to the distance."
        ),
        N_(
            "A distance has no direction: ALiBi alone cannot tell a sentence from its reverse. It is used together "
            "with a causal mask, which gives away the direction. The first token sees one token, the second sees "
            "two. So a decoder can learn something about the order even without positions."
        ),
    ),
    formula=r"\operatorname{head}(PX)=P\,\operatorname{head}(X)",
    live=Live(
        heading=N_("The same words in two orders"),
        controls=(
            Choice("order", N_("Sentence"), {"dog": SENTENCES["dog"], "man": SENTENCES["man"]}, "dog"),
            Choice(
                "positions",
                N_("Positions"),
                {
                    "none": N_("none"),
                    "sinusoidal": N_("sinusoidal"),
                    "rotary": N_("rotary"),
                    "alibi": "ALiBi",
                },
                "none",
            ),
            Toggle("mask", N_("Causal mask")),
        ),
        example=sentence_in_order,
        parts=_parts,
    ),
    experiment=N_(
        "Without positions, switch between the two sentences: the map is only rearranged. Then choose a kind of "
        "position and switch again."
    ),
    examples=("sinusoidal", "rotary", "alibi"),
    question=Question(
        text=N_(
            "A sentence contains “the” twice. There are no positions and no mask. What do you know about the two "
            "outputs?"
        ),
        options=(
            N_("They are equal."),
            N_("They differ, because their neighbors differ."),
            N_("That depends on $W_V$."),
        ),
        right=_twice,
        because=N_(
            "Both tokens have the same row of X, so they have the same query, and they compare it with the same "
            "keys. Equal weights and the same values give equal outputs. A token has no neighbors here: it sees all "
            "tokens, wherever they are."
        ),
    ),
    puzzle="same-word",
)
