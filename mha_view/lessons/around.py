"""Lesson: a block as one picture, with attention opened. Its numbers: ``mha_core.compute.block``."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Final

from mha_core.compute.block import Block, BlockTrace, block_arithmetic, trace_block
from mha_core.errors import N_
from mha_core.example.model import Example, Head, Matrix
from mha_core.vocabulary import NAMES
from mha_view.figures.labels import labels, number, weight
from mha_view.figures.layout import head_name
from mha_view.language import Words
from mha_view.lessons.lesson import (
    Lesson,
    Live,
    Part,
    Question,
    Scene,
    Seen,
    Sentence,
    Slider,
    Toggle,
    Values,
)
from mha_view.lessons.scene import DECIMALS, SceneGroup, SceneTable, group, lines, table, traced

SENTENCE: Final = N_("I love programming")
"""One token per word, in each language."""
_INPUT: Final = NAMES["x"]
FOLLOWED: Final = 2
"""The token that the lesson follows."""
W_O: Final = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.5, 0.0, 0.5), (0.0, 0.0, 1.0))
W_1: Final = ((1.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, -1.0), (0.0, 0.0, 1.0, 1.0))
W_2: Final = ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.5), (0.5, 0.0, 0.5))


def _times(matrix: Matrix, factor: float) -> Matrix:
    return tuple(tuple(factor * one for one in row) for row in matrix)


def layer(values: Values, words: Words) -> Example:
    """The block's attention. X is the block's input; the attention itself reads it normed."""
    return Example(
        title=words(N_("The attention of a block")),
        tokens=tuple(words(SENTENCE).split()),
        x=((2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 1.0, float(values["x"]))),
        heads=(
            Head(
                w_q=((1.0, 0.0), (1.0, 0.0), (0.0, 1.0)),
                w_k=((1.0, 0.0), (0.0, 1.0), (0.0, 0.0)),
                w_v=((1.0, 0.0), (0.0, 1.0), (0.0, 0.0)),
            ),
            Head(
                w_q=((1.0, 0.0), (1.0, 0.0), (0.0, 1.0)),
                w_k=((0.0, 1.0), (0.0, 0.0), (1.0, 0.0)),
                w_v=((0.0, 1.0), (1.0, 0.0), (1.0, 1.0)),
            ),
        ),
        w_o=_times(W_O, float(values["attention"])),
    )


def block_of(example: Example, values: Values) -> Block:
    """The block around this layer; without its MLP, W_2 is zero."""
    return Block(example, W_1, W_2 if values["mlp"] else _times(W_2, 0.0))


def normed_layer(values: Values, words: Words) -> Example:
    """The attention of the block on what it reads: this is what Explore can open."""
    example = layer(values, words)
    return trace_block(block_of(example, values)).attention.example


def length_added(traced_block: BlockTrace, name: str, token: int = FOLLOWED) -> float:
    """How long the row is that attention ("attention") or the MLP ("mlp") adds to a token."""
    return hypot(*traced_block.values[name][token])


def _parts(seen: Seen) -> Sequence[Part]:
    computed = trace_block(block_of(layer(seen.values, seen.words), seen.values), seen.backend)
    return Scene(_groups(computed, seen.words), "block"), Sentence(_said(computed, seen.words))


def _groups(computed: BlockTrace, words: Words) -> tuple[SceneGroup, ...]:
    attention = computed.attention
    tokens = labels(attention.example.tokens).names

    def step(name: str, sign: str, word: str, *, labelled: bool = True) -> SceneTable:
        def why(row: int, col: int) -> str:
            return block_arithmetic(computed, name, row, col, DECIMALS)

        rows = tokens if labelled else ()
        return table(sign, words(word), computed.values[name], rows=rows, why=why, marked=FOLLOWED)

    def given(name: str, sign: str) -> SceneTable:
        return table(sign, "", computed.values[name])

    x = table("X", words(_INPUT), computed.values["x"], rows=tokens, marked=FOLLOWED)
    heads = tuple(
        group(
            [
                traced(attention, "weights", words, head, marked=FOLLOWED),
                *(traced(attention, name, words, head) for name in ("w_q", "w_k", "w_v")),
                traced(attention, "head_outputs", words, head, marked=FOLLOWED),
            ],
            head_name(words, head),
            _attends_most(computed, head, words),
            area=f"head{head + 1}",
            card="attention",
            head=head,
            lines=lines(attention, head, _attends_most(computed, head, words), FOLLOWED),
        )
        for head in range(len(attention.example.heads))
    )
    return (
        group([x], words(N_("The token comes in")), area="in"),
        group(
            [step("normed", "norm(X)", N_("each row: mean 0, standard deviation 1"))],
            words(N_("Attention, opened")),
            area="norm1",
            card="attention",
        ),
        *heads,
        group(
            [traced(attention, "w_o", words), step("attention", "O", N_("what attention adds"))],
            words(N_("Both heads together")),
            area="out",
            card="attention",
        ),
        group([], note=words(N_("X passes on as it is, and O is added.")), area="plus1"),
        group([step("middle", "X′", "X + O")], words(N_("Attention is added")), area="mid"),
        group(
            [
                step("normed_middle", "norm(X′)", N_("normed again")),
                given("w_1", "W_1"),
                step("hidden", "norm(X′)·W_1", N_("3 numbers become 4"), labelled=False),
            ],
            words(N_("MLP: each token by itself")),
            area="norm2",
            card="mlp",
        ),
        group(
            [
                step("active", "max(0, ·)", N_("negative numbers become 0"), labelled=False),
                given("w_2", "W_2"),
                step("mlp", "M", N_("what the MLP adds")),
            ],
            words(N_("Back to the size of X")),
            area="mlp",
            card="mlp",
        ),
        group([], note=words(N_("M is added.")), area="plus2"),
        group([step("y", "Y", "X′ + M")], words(N_("The MLP is added")), area="end"),
    )


def _attends_most(computed: BlockTrace, head: int, words: Words) -> str:
    tokens = labels(computed.attention.example.tokens).names
    row = computed.attention.values["weights"][head][FOLLOWED]
    top = max(range(len(row)), key=row.__getitem__)
    return words(N_("{query} looks most at {key}: {weight}")).format(
        query=tokens[FOLLOWED], key=tokens[top], weight=weight(row[top])
    )


def _said(computed: BlockTrace, words: Words) -> str:
    token = computed.attention.example.tokens[FOLLOWED]
    attention, mlp = (length_added(computed, name) for name in ("attention", "mlp"))
    if not attention and not mlp:
        return words(N_("Nothing is added, so “{token}” leaves the block as it came in: Y = X.")).format(
            token=token
        )
    sentence = words(
        N_("Attention adds a row of length {attention} to “{token}”, the MLP one of length {mlp}.")
    )
    return sentence.format(token=token, attention=number(attention), mlp=number(mlp))


def at_first() -> BlockTrace:
    """The block as the lesson opens."""
    values = AROUND.live.start if isinstance(AROUND.live, Live) else {}
    return trace_block(block_of(layer(values, str), values))


def _further() -> int:
    computed = at_first()
    attention, mlp = (length_added(computed, name) for name in ("attention", "mlp"))
    return 0 if attention > mlp else 1


def _lengths() -> dict[str, str]:
    computed = at_first()
    return {name: number(length_added(computed, name)) for name in ("attention", "mlp")}


AROUND: Final = Lesson(
    title=N_("What surrounds attention"),
    lede=N_(
        "Attention does not replace a token. It adds to it, and then a small network, the MLP, adds to it again."
    ),
    text=(
        N_(
            "Imagine a stack of attention layers and nothing else. Each output is an average of values, so the rows "
            "become more alike with every layer. A token would keep only as much of itself as the attention it pays "
            "to itself. A deep model would forget what it had read."
        ),
        N_(
            "So the output of attention is added to X. This path around the layer is the **residual connection**: if "
            "attention adds nothing, the token passes as it is, and so do gradients on their way back. Before each "
            "part, a **norm** brings every row to mean 0 and standard deviation 1. That keeps the scores from "
            "growing with everything that has been added so far."
        ),
        N_(
            "Attention moves information between tokens. The **MLP** then processes what has arrived: it takes each "
            "token by itself, multiplies by $W_1$, sets negative numbers to 0, and "
            "multiplies by $W_2$. Norm, attention, sum, norm, MLP, sum: that is one block. A model is a stack of "
            "them. (Models also have biases, and gains in the norms. They are left out here.)"
        ),
    ),
    formula=r"\begin{gathered}X'=X+\operatorname{attention}(\operatorname{norm}(X))\\"
    r"Y=X'+\max(0,\ \operatorname{norm}(X')\,W_1)\,W_2\end{gathered}",
    formula_after=3,
    live=Live(
        heading=N_("A block: follow “programming” from X to Y"),
        controls=(
            Slider("x", N_("The last number of “programming” in X"), -3, 3, 2, 0.5),
            Slider("attention", N_("Scale what attention adds by"), 0, 2, 1, 0.25),
            Toggle("mlp", "MLP", start=True),
        ),
        example=normed_layer,
        parts=_parts,
        is_wide=True,
    ),
    experiment=N_(
        "Set the attention slider to 0 and switch off the MLP: X goes straight through. Then switch them back on, one "
        "at a time."
    ),
    examples=("output-projection",),
    question=Question(
        text=N_(
            "Leave the controls as they were at the start. Which of the two changes “programming” more, that is, adds "
            "the longer row?"
        ),
        options=(N_("Attention"), N_("The MLP")),
        right=_further,
        because=N_(
            "The row that attention adds has the length {attention}, that of the MLP {mlp}. The length of a row is "
            "the square root of the sum of its squares."
        ),
        numbers=_lengths,
    ),
    puzzle="cancel",
)
