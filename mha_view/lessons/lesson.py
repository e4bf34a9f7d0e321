"""What a lesson is: one declaration that the page, its links and the tests read.

A lesson has words, a live part, a question with its answer, and a puzzle. A live part is controls that make an example,
and what is shown of the example's numbers: plain data, so that one function draws them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from mha_core.compute.device import Backend
from mha_core.compute.trace import Trace, trace
from mha_core.example.model import Example
from mha_view.figures.figure import Figure
from mha_view.language import Words
from mha_view.lessons.scene import SceneGroup
from mha_view.palette import Theme

Setting: TypeAlias = float | str | bool
"""What a control is set to."""
Values: TypeAlias = Mapping[str, Setting]
"""What the reader has set, by the name of its control."""


# --- controls --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Slider:
    """A number that the reader drags, from ``low`` to ``high``."""

    name: str
    label: str
    low: float
    high: float
    start: float
    step: float = 0.25


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values, each with its label; ``start`` is the value chosen at first."""

    name: str
    label: str
    options: Mapping[Setting, str]
    start: Setting


@dataclass(frozen=True, slots=True)
class Toggle:
    """Something that is on or off."""

    name: str
    label: str
    start: bool = False


Control: TypeAlias = Slider | Choice | Toggle


# --- what is shown ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure; ``name`` is the key of its place on the page."""

    name: str
    figure: Figure


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence about the numbers that are shown, in the reader's language."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A small table of texts: the first of each row is its heading. ``chosen``: the index of a row to mark."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str
    chosen: int | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """Tables whose numbers each show how they are computed. ``layout``: the name of the arrangement of its groups."""

    groups: Sequence[SceneGroup]
    layout: str = "row"


Part: TypeAlias = Picture | Sentence | Listing | Scene


@dataclass(frozen=True)
class Seen:
    """What a live part is drawn from: the reader's choices, and the example that they make."""

    values: Values
    example: Example
    words: Words
    theme: Theme
    backend: Backend

    @cached_property
    def trace(self) -> Trace:
        """Every number of the example."""
        return trace(self.example, self.backend)


@dataclass(frozen=True, slots=True)
class Live:
    """The live part of a lesson. ``example`` makes the example from the reader's choices, ``parts`` what is shown of
    it, in order. ``is_wide``: it needs the whole width of the page.
    """

    heading: str
    controls: tuple[Control, ...]
    example: Callable[[Values, Words], Example]
    parts: Callable[[Seen], Sequence[Part]]
    is_wide: bool = False

    @property
    def start(self) -> dict[str, Setting]:
        """What is chosen at first."""
        return {control.name: control.start for control in self.controls}


# --- lessons ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its possible answers; ``right`` computes the index of the right one.

    ``because`` explains it, with the numbers that ``numbers`` computes in its braces.
    """

    text: str
    options: tuple[str, ...]
    right: Callable[[], int]
    because: str
    numbers: Callable[[], Mapping[str, str]] | None = None

    def answer(self, words: Words) -> str:
        """The explanation with its numbers."""
        text = words(self.because)
        return text.format(**self.numbers()) if self.numbers else text


@dataclass(frozen=True, slots=True)
class Lesson:  # type: ignore[explicit-any]  # what a live part of its own is given
    """One lesson. Texts are messages in English, in Markdown with TeX between dollar signs; all are translated.

    ``formula``: TeX, shown after ``formula_after`` paragraphs. ``live`` is the picture and its controls: declared, or a
    function that draws them. ``experiment`` says what to try, with ``examples`` (names of built-in ones) to open in
    Explore. ``puzzle`` is the key of a built-in puzzle. ``own_controls``: those of a live part that draws itself.
    """

    title: str
    lede: str
    text: Sequence[str]
    formula: str
    live: Live | Callable[..., None]  # type: ignore[explicit-any]
    experiment: str
    question: Question
    puzzle: str
    examples: Sequence[str] = ()
    source: str = ""
    formula_after: int = 1
    own_controls: Sequence[Control] = ()

    @property
    def controls(self) -> Sequence[Control]:
        """What the reader can set in the live part."""
        return self.live.controls if isinstance(self.live, Live) else self.own_controls
