"""What the pages are sent of puzzles: their words, their goals with the numbers that they start from, and solutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Final, TypedDict

from mha_core.compute.derive import Cell
from mha_core.compute.trace import Trace, trace
from mha_core.errors import N_
from mha_core.example.model import Example, key_tokens, text_in
from mha_core.example.puzzle import STAGES, Goal, Puzzle
from mha_core.example.share_link import packed
from mha_core.messages import LANGUAGES
from mha_core.puzzle import after_solution, built_in_puzzles, changes, number_of, puzzle_from
from mha_core.vocabulary import AXES
from mha_view import payloads
from mha_view.language import Words, words_in
from mha_view.tables import caption

STAGE_WORDS: Final = {
    "aim": (N_("Aim"), N_("What does a token look at?")),
    "scores": (N_("Scores"), N_("A query times a key")),
    "scaling": (N_("Scaling"), N_("How sharp are the weights?")),
    "masks": (N_("Masks"), N_("Who may look at whom?")),
    "values": (N_("Values"), N_("What is passed on?")),
    "heads": (N_("Many heads"), N_("Two heads see more than one")),
    "positions": (N_("Positions"), N_("The same words in another order")),
}
"""For each stage its title, and what its puzzles are about."""
_PLACE: Final = N_("Puzzle {number} of {count} · {stage}")

_RELATIONS: Final = {
    "at_least": N_("{place}: at least {number}"),
    "at_most": N_("{place}: at most {number}"),
    "equals": N_("{place}: exactly {number}"),
    "about": N_("{place}: about {number}"),
}
_TITLES: Final = {
    "at_least": N_("Bring {place} to {number} or more"),
    "at_most": N_("Bring {place} to {number} or less"),
}


class PuzzleLink(TypedDict):
    """A puzzle by name, and the query of the address that opens it."""

    key: str
    title: str
    query: str


class PuzzleCard(PuzzleLink):
    """A puzzle on offer.

    ``maps``: the weights of the heads that it is about, as it begins; ``goals``: head, row and column of those among
    them.
    """

    fewest: int
    maps: Sequence[tuple[int, Sequence[Sequence[float]]]]
    goals: Sequence[tuple[int, int, int]]


class PuzzleStage(TypedDict):
    """The puzzles that teach one thing."""

    title: str
    about: str
    puzzles: Sequence[PuzzleCard]


def puzzle_of(computed: Trace, start: Example, language: str) -> payloads.PuzzleData | None:
    """The puzzle of an example whose numbers were those of ``start`` at first; None for an example without one."""
    example = computed.example
    if example.puzzle is None:
        return None
    puzzle, begun = example.puzzle, trace(start)
    return {
        "key": puzzle.key,
        "place": _place(puzzle.key, language),
        "title": text_in(example.title, language),
        "story": text_in(example.note, language),
        "goals": [_goal(goal, begun, words_in(language)) for goal in puzzle.goals],
        "change": puzzle.change,
        "hints": [text_in(hint, language) for hint in puzzle.hints],
        "solution": puzzle.solution,
        "changed": changes(start, example),
        "fewest": fewest_of(start),
        "next": _next(puzzle.key, language),
        "link": f"puzzle={puzzle.key}" if puzzle.key else f"s={packed(_titled(start, example))}",
    }


def only_allowed(matrices: Mapping[str, payloads.Matrix], example: Example) -> None:
    """In a puzzle, numbers that are not to be changed cannot be, and look as before: typed."""
    allowed = example.puzzle.change if example.puzzle else ()
    for name, matrix in matrices.items():
        if allowed and name not in allowed:
            matrix["given"] = matrix["edit"] is True
            matrix["edit"] = False


def changeable_first(stages: Sequence[payloads.Stage], example: Example) -> Sequence[payloads.Stage]:
    """The stages of the tables; in a puzzle those with numbers that may be changed come first, beside its goal."""
    allowed = set(example.puzzle.change if example.puzzle else ())
    return sorted(stages, key=lambda stage: allowed.isdisjoint(stage["matrices"]))


def _titled(start: Example, example: Example) -> Example:
    """The puzzle as it began, with the title and the story that it has now."""
    return replace(start, title=example.title, note=example.note, puzzle=example.puzzle)


def fewest_of(start: Example) -> int:
    """How many numbers the solution of a puzzle changes."""
    return changes(start, after_solution(start))


def made_puzzle(start: Example, now: Example, cell: Cell) -> Example:
    """A visitor's own puzzle, with a title that says its goal. Raises ``ExampleError`` as ``puzzle_from`` does."""
    made = puzzle_from(start, now, cell)
    (goal,) = made.puzzle.goals if made.puzzle else ()
    title = {
        language: _filled(_TITLES[goal.relation], goal, made, words_in(language)) for language in LANGUAGES
    }
    return replace(made, title=title, note=None, source=None)


def _filled(template: str, goal: Goal, example: Example, words: Words) -> str:
    """A sentence about a goal, with its place and its number."""
    number = f"{goal.number:.12g}".replace("-", "−")
    return words(template).format(place=_place_of(goal, example, words), number=number)


def _place_of(goal: Goal, example: Example, words: Words) -> str:
    """The number of a goal, by its tokens: ``it → book in head 1`` for a weight, else ``S[it, book] of head 1``."""
    tokens = {"n_q": numbered(example.tokens), "n_k": numbered(key_tokens(example))}
    at = [
        tokens[axis][index] if axis in tokens else str(index + 1)
        for axis, index in zip(AXES[goal.step], (goal.row, goal.col), strict=True)
    ]
    if goal.step == "weights":
        place, of_head = " → ".join(at), N_("{place} in head {head}")
    else:
        symbol = caption(goal.step, example).format(h=(goal.head or 0) + 1).replace("_", "")
        place, of_head = f"{symbol}[{', '.join(at)}]", N_("{place} of head {head}")
    if goal.head is None or len(example.heads) == 1:
        return place
    return words(of_head).format(place=place, head=goal.head + 1)


def numbered(tokens: Sequence[str]) -> list[str]:
    """Tokens, those that occur more than once with a number: ``the₁ cat saw the₂ dog``."""
    digits = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    return [
        token + str(tokens[: at + 1].count(token)).translate(digits) if tokens.count(token) > 1 else token
        for at, token in enumerate(tokens)
    ]


def _goal(goal: Goal, begun: Trace, words: Words) -> payloads.PuzzleGoal:
    start = number_of(goal, begun)
    is_rounded = goal.relation == "equals" and goal.within > 0 and not goal.number.is_integer()
    return {
        "text": _filled(_RELATIONS["about" if is_rounded else goal.relation], goal, begun.example, words),
        "cell": {"name": goal.step, "head": goal.head, "row": goal.row, "col": goal.col},
        "relation": goal.relation,
        "number": goal.number,
        "within": goal.within,
        "start": start if start is not None and isfinite(start) else None,
    }


def _place(key: str, language: str) -> str:
    """Which of the built-in puzzles this is; "" for a visitor's own."""
    keys = list(built_in_puzzles())
    if key not in keys:
        return ""
    words = words_in(language)
    stage = words(STAGE_WORDS[_ours()[key][1].stage][0])
    return words(_PLACE).format(number=keys.index(key) + 1, count=len(keys), stage=stage)


def puzzle_links(language: str) -> list[PuzzleLink]:
    """All built-in puzzles by name, in the order that teaches."""
    return [_link(example, puzzle, language) for example, puzzle in _ours().values()]


def _link(example: Example, puzzle: Puzzle, language: str) -> PuzzleLink:
    title = text_in(example.title, language)
    return {"key": puzzle.key, "title": title, "query": query_of(puzzle.key, language)}


def query_of(key: str, language: str) -> str:
    """The query of the address that opens a built-in puzzle in this language."""
    return f"puzzle={key}&lang={language}"


def _next(key: str, language: str) -> str:
    """The query of the puzzle after this one, "" where there is none."""
    keys = list(built_in_puzzles())
    after = keys[keys.index(key) + 1 :] if key in keys else keys
    return query_of(after[0], language) if after else ""


def puzzle_stages(language: str) -> list[PuzzleStage]:
    """All built-in puzzles in the order that teaches."""
    words = words_in(language)
    return [
        {
            "title": words(STAGE_WORDS[stage][0]),
            "about": words(STAGE_WORDS[stage][1]),
            "puzzles": [
                _card(example, puzzle, language)
                for example, puzzle in _ours().values()
                if puzzle.stage == stage
            ],
        }
        for stage in STAGES
    ]


def _card(example: Example, puzzle: Puzzle, language: str) -> PuzzleCard:
    begun = trace(example)
    goals = [goal for goal in puzzle.goals if goal.step == "weights"]
    heads = sorted({goal.head or 0 for goal in goals}) or [0]
    return {
        **_link(example, puzzle, language),
        "fewest": fewest_of(example),
        "maps": [(head, begun.matrix("weights", head)) for head in heads],
        "goals": [(goal.head or 0, goal.row, goal.col) for goal in goals],
    }


def _ours() -> dict[str, tuple[Example, Puzzle]]:
    """The built-in puzzles by key, each with its example."""
    return {key: (example, example.puzzle) for key, example in built_in_puzzles().items() if example.puzzle}
