"""What the tables, the lenses and the walk send to the browser: types of plain JSON data.

``tools/declarations.py`` writes them down for JavaScript, under the same names. A text in ``Annotated`` is the name of
a type that is declared there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from mha_core.compute.derive import Cell as CellOfTrace
from mha_core.walk.stages import Kind, Layout, Part

Value: TypeAlias = float | bool | str
"""A number as it is sent: "-inf", "nan", a cell of a mask that allows, or a claim digit for digit."""
Rows: TypeAlias = Sequence[Sequence[Value]]
"""The rows of a table."""
LensRows: TypeAlias = Sequence[Sequence[Value | None] | None]
"""What a lens has for a table: None for a row, or a number, of which it has nothing."""
EditData: TypeAlias = Annotated[Mapping[str, object], "Operation"]
"""An edit as ``mha_core.edit`` reads it."""


class Cell(TypedDict):
    """The place of a number; ``head`` is null in matrices that all heads share."""

    name: str
    head: int | None
    row: int
    col: int


def cell_data(cell: CellOfTrace) -> Cell:
    """A cell as plain data."""
    return {"name": cell.name, "head": cell.head, "row": cell.row, "col": cell.col}


# --- tables --------------------------------------------------------------------------------------------------------


class StepException(TypedDict):
    """Numbers that call for another line (``mha_core.compute.operations.Exceptional``)."""

    at: int
    number: Value
    line: str


class Step(TypedDict):
    """A declared step: its operation, the letters of its axes, what it reads, and its arithmetic (``Operation``).

    ``operands``: each a matrix, the letters of its axes, and that of its head where it is read of every head.
    ``ownHead``: the letter of the heads in an operand of which the result is one head's part.
    ``constant``: which of the layer's settings it reads. ``why``: names of the words beside the arithmetic, and beside
    that of an exception.
    """

    op: str
    index: str
    operands: Sequence[tuple[str, str, str]]
    ownHead: NotRequired[str]
    constant: NotRequired[str]
    adds: NotRequired[bool]
    copies: NotRequired[bool]
    shifts: NotRequired[bool]
    term: NotRequired[str]
    lines: Sequence[str]
    exception: NotRequired[StepException]
    why: NotRequired[tuple[str, str]]


class Caption(TypedDict):
    """What stands above a table; {h} in the symbol is the number of a head."""

    symbol: str
    formula: str


class MatrixBase(Caption):
    """What every matrix has.

    ``claim``: its numbers are claims: somebody writes down what he has worked out; ``given``: they were typed
    elsewhere. ``emptyRows``: rows of queries that may attend to nothing are marked. ``owners``: for each head the head
    that has its keys and values.
    """

    word: str
    hue: str
    scale: str
    axes: tuple[str, str]
    claim: NotRequired[bool]
    given: NotRequired[bool]
    emptyRows: NotRequired[bool]
    owners: NotRequired[Sequence[int]]


class SharedMatrix(MatrixBase):
    """A matrix that all heads share; ``edit``: whether it may be edited.

    ``lens``: the lens's numbers, null where there are none; ``was``: the rows of the baseline that differ.
    """

    perHead: Literal[False]
    edit: bool
    values: Rows
    lens: NotRequired[LensRows | None]
    was: NotRequired[LensRows | None]


class HeadMatrix(MatrixBase):
    """A matrix of which each head has its own, or none; ``edit``: whether it may be edited, a list where heads differ.

    ``lens`` and ``was``: as of a ``SharedMatrix``, for each head.
    """

    perHead: Literal[True]
    edit: bool | Sequence[bool]
    values: Sequence[Rows | None]
    lens: NotRequired[Sequence[LensRows | None] | None]
    was: NotRequired[Sequence[LensRows | None] | None]


Matrix: TypeAlias = SharedMatrix | HeadMatrix


class Stage(TypedDict):
    """A stage of the tables. ``terms``: of the glossary. ``remark``: its hint says something of this very example."""

    title: str
    hint: str
    matrices: Sequence[str]
    terms: Sequence[str]
    remark: NotRequired[bool]


class LensParts(TypedDict):
    """What a lens may show of the whole.

    By key of a cell, ``marks``: whether a claim is right; ``kinds``: what mistake was made there; ``notes``: what would
    be right.
    """

    lens: NotRequired[Lens | None]
    marks: NotRequired[Mapping[str, str]]
    kinds: NotRequired[Mapping[str, str]]
    notes: NotRequired[Mapping[str, str]]
    check: NotRequired[Check | None]


class Model(LensParts):
    """A computation; ``own_words``: what its example says otherwise than the page (``page_words``).

    For each head and query, ``dead``: whether every key is hidden; ``shifts``: what softmax takes from its scores.
    """

    lang: str
    own_words: Mapping[str, str]
    decimals: int
    dims: Mapping[str, int]
    labels: Mapping[str, Sequence[str]]
    matrices: dict[str, Matrix]
    steps: dict[str, Step]
    constants: Mapping[str, Value | None]
    dead: Sequence[Sequence[bool]] | None
    shifts: Sequence[Sequence[float]]


class LearningData(TypedDict):
    """The goal of an example, as its file has it, and what its backward pass shows.

    ``stages``: of the tables below those of the computation. ``learned``: the matrices that a step changes.
    ``refused``: why there is no loss, "" where there is one; ``remarks``: where a derivative is not defined.
    """

    goal: Annotated[Mapping[str, object], "Learning"]
    stages: Sequence[Stage]
    learned: Sequence[str]
    refused: str
    remarks: Sequence[str]


class TablesModel(Model):
    """A computation whose tables are laid out in stages."""

    stages: Sequence[Stage]


class LearningModel(TablesModel):
    """The same with the backward pass; ``learning``: null where the example has no goal."""

    learning: LearningData | None


# --- lenses --------------------------------------------------------------------------------------------------------


class Lens(TypedDict):
    """Which lens the tables are seen through, and what it shows, in a sentence; ``target``: of a gradient."""

    kind: str
    target: Cell | None
    summary: str


class SeenMatrix(TypedDict):
    """What a lens shows of one matrix: of each head where each has its own."""

    lens: LensRows | Sequence[LensRows | None] | None
    was: NotRequired[LensRows | Sequence[LensRows | None] | None]


class Seen(LensParts):
    """What a lens shows: parts of the whole, and by name parts of a matrix."""

    matrices: Mapping[str, SeenMatrix]


class Cause(TypedDict):
    """A mistake that explains wrong numbers, and the first of them.

    ``right`` and ``yours``: the two calculations; ``walk``: the step of the walk that shows it.
    """

    step: str
    cell: Cell
    text: str
    walk: str
    right: NotRequired[str]
    yours: NotRequired[str]


class Remark(TypedDict):
    """What there is to say of a number."""

    text: str
    cell: Cell


class PracticeTable(TypedDict):
    """A table of an exercise, and how many of its numbers are right, or wrong."""

    name: str
    head: int | None
    label: str
    cells: int
    right: int
    wrong: int


class ShownHint(TypedDict):
    """The hint that was asked for; ``more``: what the next one is called, "" where there is none."""

    cell: Cell
    rung: str
    text: str
    more: str


class PracticeEnd(TypedDict):
    """What there is to say once all is right: how it went, who attends to whom, and where each head looks."""

    result: str
    weights: Sequence[Sequence[Sequence[float]]]
    looks: Sequence[str]
    queries: Sequence[str]
    keys: Sequence[str]


class PracticeState(TypedDict):
    """How far a learner is: what is wrong where, the hint asked for, and the end."""

    texts: Mapping[str, str]
    tables: Sequence[PracticeTable]
    explanations: Sequence[Remark]
    hint: ShownHint | None
    end: PracticeEnd | None


class Check(TypedDict):
    """What is known of somebody's own numbers."""

    state: str
    summary: str
    first: NotRequired[Cell | None]
    causes: NotRequired[Sequence[Cause]]
    findings: NotRequired[Sequence[Remark]]
    practice: NotRequired[PracticeState]


# --- an article ----------------------------------------------------------------------------------------------------

ArticlePiece: TypeAlias = tuple[str, int | None, int | None]
"""A piece of the text, the number of the matrix in whose frame it is, and that of the mark of a wrong number."""


class ArticleMatrix(TypedDict):
    """A matrix of the text. ``at``: its place in the list of all; ``example``: null where it is not used.

    ``why``: what it was read by, or why it is not used. ``sure``: it is not a guess; ``again``: it is printed before.
    ``rows``: each number with that of its mark. ``labels``: the tokens of its rows. ``likely``: what else it may be.
    """

    at: int
    example: int | None
    name: str
    head: int | None
    turned: bool
    symbol: str
    hue: str
    sure: bool
    chosen: bool
    again: bool
    why: str
    line: int
    rows: Sequence[Sequence[tuple[str, int | None]]]
    labels: Sequence[str]
    likely: Sequence[tuple[str, int | None]]


class ArticleMark(TypedDict):
    """A wrong number. ``own``: it does not only follow from an earlier one. ``line``: a sentence that says where."""

    example: int
    cell: Cell
    right: str
    own: bool
    line: str
    cause: str


class ArticleExample(TypedDict):
    """One example of the text. ``also``: in what other readings differ under which as many numbers are right.

    ``check``: null where the text has no results to check; ``said``: what there is to say then.
    """

    title: str
    heads: int
    form: str
    scale: float | str
    mask: str
    also: str
    check: Check | None
    said: str


class Article(TypedDict):
    """A text that was read. ``nothing``: why there is no example in it."""

    pieces: Sequence[ArticlePiece]
    matrices: Sequence[ArticleMatrix]
    marks: Sequence[ArticleMark]
    examples: Sequence[ArticleExample]
    nothing: str


class PuzzleGoal(TypedDict):
    """A number that a puzzle wants: what it asks for, in words, and as numbers. ``within``: how far it may be from
    ``number``. ``start``: what it is at first, null where it is infinite, or where there is none.
    """

    text: str
    cell: Cell
    relation: Literal["at_least", "at_most", "equals"]
    number: float
    within: float
    start: float | None


class PuzzleData(TypedDict):
    """A puzzle: its words, its goals, and the edits that solve it from the start.

    ``key``: "" for a visitor's own. ``place``: which of ours it is, "" for a visitor's. ``change``: what may be
    changed, nothing for all. ``changed``: how many numbers differ from the start; ``fewest``: how many the solution
    changes. ``next``: the query of the next puzzle, "" after the last; ``link``: that of this one, as it began.
    """

    key: str
    place: str
    title: str
    story: str
    goals: Sequence[PuzzleGoal]
    change: Sequence[str]
    hints: Sequence[str]
    solution: Sequence[EditData]
    changed: int
    fewest: int
    next: str
    link: str


# --- the walk ------------------------------------------------------------------------------------------------------


class StepWords(TypedDict):
    """What is said of a step, or of a stage: ``note`` is for who presents it."""

    title: str
    what: str
    why: str
    note: str


class WalkStep(StepWords):
    """A step of the computation as the walk explains it; ``signs``: printed before, between and after the operands."""

    name: str
    symbol: str
    formula: str
    signs: Sequence[str]
    layout: Layout
    operands: Sequence[tuple[str, str]]


class SoftmaxRow(TypedDict):
    """A row of softmax: the powers of e, their sum, and what was subtracted from the scores."""

    powers: Sequence[float]
    total: float
    shift: float


class WalkStage(StepWords):
    """A stage of the walk: a step, all steps of a further head, or what comes before and after them.

    ``parts``: each a matrix, a head, top, bottom, left and right, and how many beats it has.
    """

    id: str
    kind: Kind
    head: int | None
    lesson: str | None
    steps: Sequence[WalkStep]
    parts: Sequence[Part]
    powers: NotRequired[Sequence[SoftmaxRow]]


class LooksMost(TypedDict):
    """Where a query looks most: the keys by their places and by name, and the weight."""

    keys: Sequence[int]
    name: str
    weight: float


class Closing(TypedDict):
    """The end of a walk: the matrix that the layer hands on, and for each head and query where it looks most."""

    matrix: str | None
    looked: Sequence[Sequence[LooksMost | None]]


class Walked(TypedDict):
    """What the walk shows besides the numbers.

    ``compare``: of every two heads how much attention they share, the query with the least, and how many have as
    little.
    """

    stages: Sequence[WalkStage]
    closing: Closing
    compare: Sequence[Sequence[tuple[str, int, int] | None]]
    title: str


class LectureLine(TypedDict):
    """A step in the order of a lecture; ``title``: null where the example does not have it."""

    step: str
    title: str | None
    needs: str


class Advice(TypedDict):
    """What a lecturer may say at a step, and what is often wrong there."""

    say: str
    wrong: str


class LecturePlan(TypedDict):
    """What only a lecturer is sent of a walk: the lecture as its file has it, and what belongs to each step."""

    own: Annotated[Mapping[str, object], "Lecture"]
    usual: Sequence[str]
    order: Sequence[LectureLine]
    teaching: Mapping[str, Advice]


class FollowedWalk(Model, Walked):
    """What the walk shows to those who only look, and its words."""

    words: Mapping[str, str]
    address: Mapping[str, str]
