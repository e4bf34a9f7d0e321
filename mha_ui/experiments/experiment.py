"""The parts of an experiment, and what several have in common: sides, their titles, what differs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

import streamlit as st

from mha_core import Example, MhaError, Trace, trace
from mha_core.compare.diff import Difference, compare
from mha_core.compare.variant import AS_IT_IS, Variant, varied
from mha_core.compute.derive import Cell
from mha_core.compute.graph import last_step, symbol
from mha_core.errors import N_
from mha_core.example.model import key_tokens
from mha_core.messages import LANGUAGE
from mha_core.vocabulary import AXES, NAMES, POSITION_CHOICES, SCORING_CHOICES
from mha_ui import state
from mha_ui.experiments.board import Pane
from mha_ui.shell import alert
from mha_view.figures.labels import labels, number
from mha_view.language import Words, sentence
from mha_view.tables import numbers


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment: its name in the menu, the question that it answers, and what draws it, controls and all.

    ``on_the_bench``: it mounts the bench, which writes the address itself.
    """

    title: str
    question: str
    live: Callable[[state.Work], None]
    on_the_bench: bool = False


class Both(NamedTuple):
    """Two traces, and what differs in the second."""

    left: Trace
    right: Trace
    differences: tuple[Difference, ...]


def sentence_with(text: str, parts: Mapping[str, Callable[[], None]], *rest: Callable[[], None]) -> None:
    """Draw the choices of an experiment as a sentence: each ``{name}`` in the text is a part that draws a control.

    ``rest``: what follows on the same line.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="experiment-sentence"):
        for piece in re.split(r"({\w+})", text):
            if piece.startswith("{"):
                parts[piece[1:-1]]()
            elif piece.strip():
                st.html(f"<span>{escape(piece.strip())}</span>", width="content")
        for part in rest:
            part()


def both(work: state.Work, sides: state.Sides, order: Sequence[int] = ()) -> Both:
    """The two sides, computed. A side that cannot be varied so stays as it is, and a message says why."""
    left, right = (_traced(work, *side) for side in zip((N_("Left"), N_("Right")), sides, strict=True))
    return Both(left, right, compare(left, right, order))


def _traced(work: state.Work, side: str, variant: Variant) -> Trace:
    if variant == AS_IT_IS:
        return work.trace
    try:
        return trace(varied(work.example, variant), work.backend)
    except MhaError as error:
        text = work.words(N_("{side}: this change is not possible, so this side is unchanged. {reason}."))
        alert(text.format(side=work.words(side), reason=sentence(error, work.language)))
        return work.trace


def pane(work: state.Work, computed: Trace, title: str) -> Pane:
    """One side of the board."""
    return Pane(title, numbers(computed, work.language, work.looking.decimals))


def open_on_the_bench(work: state.Work, example: Example) -> state.Work:
    """Make this the current example, and say on the next page how to get the previous one back."""
    text = work.words(N_("Undo (↶) brings back your previous example."))
    return state.say(state.open_example(work, example), state.Message(text, "info"))


def left_out(work: state.Work) -> None:
    """Say that a part of what a link asks for was left out."""
    alert(
        work.words(
            N_("This example does not have everything the link asks for. What is missing was left out.")
        )
    )


AS_GIVEN = ""
"""In a menu: as the example has it."""
POSITIONS = {name: choice.title for name, choice in POSITION_CHOICES.items()}
MASKS = {"none": N_("no mask"), "causal": N_("causal mask")}


def described(variant: Variant, words: Words) -> str:
    """The title of a side."""
    parts = [
        words(names[chosen])
        for names, chosen in (
            ({name: choice.title for name, choice in SCORING_CHOICES.items()}, variant.scoring),
            (POSITIONS, variant.positions),
            (MASKS, variant.mask),
        )
        if chosen is not None
    ]
    if variant.kv_heads is not None:
        parts.append(words(N_("K, V heads: {count}")).format(count=variant.kv_heads))
    if variant.temperature is not None:
        parts.append(f"T = {temperature(variant.temperature)}")
    if variant.muted:
        listed = words(N_(", ")).join(str(head + 1) for head in variant.muted)
        parts.append(words(N_("without head {list}")).format(list=listed))
    if variant.order:
        parts.append(words(N_("reordered")))
    return capital(" · ".join(parts)) or words(N_("Original"))


def temperature(value: float) -> str:
    """A temperature: below 1 as a fraction where it is one, such as 1/8."""
    whole = 1 / value
    return f"1/{whole:.0f}" if value < 1 and whole.is_integer() else number(value)


def differences_in_words(work: state.Work, compared: Both) -> str:
    """What differs, in a few sentences: the first step, and how much of the weights and of the last step."""
    words = work.words
    if not compared.differences:
        return words(N_("No number differs."))
    sentences = []
    first = compared.differences[0]
    where = f"{words(NAMES[first.name])} {plain(first.name, compared.right.example)}"
    sentences.append(words(N_("Everything before the {step} is the same.")).format(step=where))
    for name in dict.fromkeys(("weights", last_step(compared.right.example))):
        sentences += _extent(work, compared, name)
    return LANGUAGE[work.language].between.join(sentences)


def _extent(work: state.Work, compared: Both, name: str) -> list[str]:
    """How many numbers of a step differ, and by how much at most."""
    words = work.words
    differences = [difference for difference in compared.differences if difference.name == name]
    changed = [difference for difference in differences if difference.kind == "changed"]
    title = capital(words(NAMES[name]))
    if not changed:
        return [] if differences else [words(N_("{what}: no number differs.")).format(what=title)]
    most = max(changed, key=lambda difference: abs(difference.most))
    rows, cols = compared.right.example.dims.shape(name)
    heads = 1 if most.head is None else len(compared.right.example.heads)
    return [
        words(N_("{what}: {count} of {total} numbers differ, the most by {by} ({place}).")).format(
            what=title,
            count=sum(difference.change.changed for difference in changed),
            total=rows * cols * heads,
            by=signed(most.most),
            place=place(work, compared.right.example, most.at),
        )
    ]


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def signed(difference: float) -> str:
    """A difference with its sign."""
    return f"{'+' if difference > 0 else '−'}{number(abs(difference))}"


def plain(name: str, example: Example) -> str:
    """A matrix's letter, as plain text."""
    return symbol(name, example).replace("head_i", "head").replace("_k", "ₖ").replace("_", "")


def place(work: state.Work, example: Example, cell: Cell | None) -> str:
    """The place of a cell, by its tokens where its axes have them, else counted from 1."""
    if cell is None:
        return ""
    tokens = {"n_q": labels(example.tokens).names, "n_k": labels(key_tokens(example)).names}
    row, col = (
        tokens[axis][at] if axis in tokens else str(at + 1)
        for axis, at in zip(AXES[cell.name], (cell.row, cell.col), strict=True)
    )
    head = "" if cell.head is None else work.words(N_("head {number}, ")).format(number=cell.head + 1)
    pair = "{row} → {col}" if AXES[cell.name][1] == "n_k" else work.words(N_("{row}, {col}"))
    return head + pair.format(row=row, col=col)
