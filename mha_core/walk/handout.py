"""The whole walk of an example as a handout: its words and numbers in one language, for any format.

It combines ``walk``'s stages, the trace's numbers and ``derive``'s arithmetic. ``markdown`` writes it as Markdown, the
app as a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from mha_core.compute.derive import Cell, Derivation, arithmetic, derive, relation
from mha_core.compute.graph import symbol
from mha_core.compute.operations import Step
from mha_core.compute.trace import Rows, Trace
from mha_core.errors import N_, ExportError
from mha_core.example.model import NEG_INF, key_tokens, text_in
from mha_core.messages import catalogue
from mha_core.numbers import fixed, shortest
from mha_core.vocabulary import AXES, LAYER_INPUTS, PER_HEAD_INPUTS
from mha_core.walk.lecture import shown
from mha_core.walk.stages import Stage, exponentials_of, walk
from mha_core.walk.summary import tied
from mha_core.walk.text import Sentence

MOST_SUMS = 64
"""Most cells of a step whose arithmetic is written out."""

MOST_NUMBERS = 30_000
"""Most computed numbers of an example whose walk is written out: a second's work, and some megabytes."""

_HEAD = N_("head {head}")
_KEYS = {
    "title": N_("Multi-head attention, step by step"),
    "query": N_("query"),
    "looks": N_("looks most at"),
    "looks_list": N_("looks most at:"),
    "nothing": N_("nothing"),
    "sum": N_("sum"),
    "first": N_("and so on for the other {count} {count:number|numbers}."),
    "moves": N_("The animation and the arithmetic cover the first {shown} numbers of this step."),
    "on_paper": N_(
        "On paper, each matrix appears once, with the arithmetic of one number. On a screen, "
        "the page shows the arithmetic of the other numbers too, and animates it."
    ),
    "play": N_("Play"),
    "number": N_("Number"),
    "moment": N_("Time"),
    "source": N_("Source: {source}"),
    "rounded": N_(
        "Numbers are rounded to {decimals} {decimals:decimal|decimals}. Every step uses the unrounded numbers."
    ),
    "fully_masked": N_("A query that is not allowed to attend to any key gets weights of 0."),
    "shifted": N_("The largest score of each row is subtracted first, which changes no weight."),
}


class Handout:
    """One walk in one language, in the order of the example's lecture, without hidden steps.

    Raises ``ExportError`` for a walk of more numbers than ``MOST_NUMBERS``.
    """

    def __init__(self, trace: Trace, language: str, decimals: int) -> None:
        require_size(trace)
        self.trace = trace
        self.example = trace.example
        self.language = language
        self.decimals = decimals
        self.stages = shown(walk(trace), trace.example.lecture)

    def say(self, name: str, **values: object) -> str:
        """One of the handout's own sentences."""
        return Sentence(_KEYS[name], values).translated(self.language)

    def tied(self, keys: Sequence[str]) -> str:
        """The key that a query looks most at, or those that share it."""
        return tied(keys, self.language)

    def text(self, sentence: Sentence) -> str:
        """A sentence of the walk."""
        return sentence.translated(self.language)

    @property
    def title(self) -> str:
        """The example's title, or that of any walk."""
        return text_in(self.example.title, self.language) or self.say("title")

    @property
    def note(self) -> str:
        """The example's note; "" where it has none."""
        return text_in(self.example.note, self.language)

    @property
    def source(self) -> str:
        """Where the example comes from, as a sentence; "" where it does not say."""
        source = text_in(self.example.source, self.language)
        return self.say("source", source=source) if source else ""

    @property
    def rounded(self) -> str:
        """How the numbers are rounded."""
        return self.say("rounded", decimals=self.decimals)

    def heading(self, number: int, stage: Stage) -> str:
        """``7. Attention weights · head 1``."""
        heading = f"{number}. {self.text(stage.words.title)}"
        if stage.kind == "step" and stage.head is not None:
            heading += f" · {self.head(stage.head)}"
        return heading

    def head(self, index: int) -> str:
        """``head 1``."""
        return catalogue(self.language).gettext(_HEAD).format(head=index + 1)

    def labels(self, name: str, axis: int, count: int) -> list[str]:
        """The labels of a matrix's rows (axis 0) or columns (axis 1): tokens, else numbers from 1."""
        letter = AXES[name][axis] if name in AXES else ""
        if letter == "1":
            return [""]
        tokens = {"n_q": self.example.tokens, "n_k": key_tokens(self.example)}.get(letter, ())
        return [tokens[i] if i < len(tokens) else str(i + 1) for i in range(count)]

    def symbol(self, name: str, head: int | None) -> str:
        """A matrix's symbol; that of a head output has the number of its head."""
        return symbol(name, self.example).replace("head_i", f"head_{(head or 0) + 1}")

    def show(self, rows: Rows, *, given: bool) -> Callable[[float], str]:
        """How the numbers of a matrix are written: given ones as they are, whole ones without decimals."""
        if given:
            return shortest
        whole = all(number == NEG_INF or number == int(number) for row in rows for number in row)
        return lambda number: fixed(number, 0 if whole else self.decimals)

    def relation(self, name: str, head: int | None) -> str:
        """= where a matrix is written with all its digits, ≈ where any of its numbers is rounded."""
        rows = self.trace.matrix(name, head)
        return relation(rows, self.show(rows, given=self.given(name, head)))

    def given(self, name: str, head: int | None) -> bool:
        """Whether these numbers were given and not computed."""
        if name in LAYER_INPUTS or name in PER_HEAD_INPUTS:
            return True
        return head is not None and getattr(self.example.heads[head], name, None) is not None

    def sums(
        self, step: Step, head: int | None, part: Callable[[str], str] = str
    ) -> Iterator[tuple[Derivation, str]]:
        """Each cell of a step with its line of arithmetic (``derive.arithmetic``), at most ``MOST_SUMS`` of them."""
        rows = self.trace.matrix(step.name, head)
        cells = [Cell(step.name, head, i, j) for i in range(len(rows)) for j in range(len(rows[0]))]
        for cell in cells[:MOST_SUMS]:
            derivation = derive(self.trace, cell)
            yield derivation, arithmetic(derivation, self.decimals, part)

    def remarks(self, step: Step, head: int | None) -> Iterator[str]:
        """The names, for ``say``, of sentences about a softmax."""
        if step.op != "softmax":
            return
        rows = exponentials_of(self.trace, step, head or 0)
        yield from ("shifted",) * any(row.shift for row in rows)
        yield from ("fully_masked",) * any(self.trace.fully_masked[head or 0])

    def left_out(self, step: Step, head: int | None) -> int:
        """How many cells ``sums`` leaves out."""
        rows = self.trace.matrix(step.name, head)
        return max(0, len(rows) * len(rows[0]) - MOST_SUMS)


def require_size(trace: Trace) -> None:
    """Raises ``ExportError`` where the walk has more than ``MOST_NUMBERS``."""
    matrices = [
        m
        for step in trace.steps
        for m in (trace.values[step.name] if step.per_head else [trace.values[step.name]])
    ]
    count = sum(len(rows) * len(rows[0]) for rows in matrices if rows)
    if count > MOST_NUMBERS:
        raise ExportError(
            N_(
                "this tour has {count} computed numbers, and a page holds at most {most}; use fewer "
                "tokens or heads, or save the example as a file"
            ),
            count=count,
            most=MOST_NUMBERS,
        )


EXPONENTIAL = re.compile(r"e\^(?:\(((?:[^()]|\([^()]*\))*)\)|([\d.]+(?:e[+−]?\d+)?))")
"""e to a power in a line of arithmetic: to anything in parentheses, or to a number."""
