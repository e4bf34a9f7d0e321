"""A goal, and the backward pass toward it, as the browser's evaluator and tables read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final, TypeAlias, cast

from mha_core.compute.graph import formula, symbol
from mha_core.compute.trace import Trace, input_matrix
from mha_core.errors import N_, NumberRangeError
from mha_core.example.learning import Learning
from mha_core.example.learning_file import learning_json
from mha_core.example.model import kv_head_of
from mha_core.learn.descent import LEARNED
from mha_core.learn.undefined import undefined_rows
from mha_core.messages import LANGUAGE
from mha_core.vocabulary import BACKWARD, BACKWARD_SETTINGS, ENTRY, PER_HEAD, STAGES, TARGETS, noun
from mha_view import payloads
from mha_view.cell_names import cell_name, place_and_sentence
from mha_view.language import words_in
from mha_view.tables import caption, constants, numbers, step_data
from mha_view.tables.why import why

_Rows: TypeAlias = payloads.Rows | Sequence[payloads.Rows | None] | None
"""The numbers of a matrix: the layer's, or those of each head."""

_ADDED_UP: Final = ("", "input")
"""The stages in which heads have parts that are added up: the loss, and X."""
_SIDE_BY_SIDE: Final = ("projected", "projections")
"""The stages in which no side needs another's tables: they are shown as on the way forward, Q before K before V."""
_LOSS: Final = (
    N_("Loss"),
    N_("How far the numbers are from T, the targets."),
)
_LOSS_OF_SOME: Final = (
    _LOSS[0],
    N_(
        "How far the numbers are from T, the targets. ∘ multiplies element by element. g is 1 for a row with a target."
    ),
)
_LOSS_OF_HEADS: Final = (
    N_("Loss of each head"),
    N_(
        "How far its weights are from T, the target weights. ∘ multiplies element by element. The goal does not reach "
        "a head without a target: its backward tables are not computed."
    ),
)
_INPUT_OF_HEADS: Final = N_("Input of each head")
_THROUGH_HEAD: Final = N_(
    "The input went into Q, K and V of each head, so a part comes back through each of them."
)
_TITLE: Final = N_("{stage}, backward")
_UNMOVED: Final = N_("The goal does not depend on {names}. A step leaves these numbers as they are.")
_UNREACHED: Final = N_("No target, so no backward tables: head {list}.")
_UNDEFINED: Final = N_(
    "{place} is 0: the length of a row of zeros has no derivative. The tables use 0 in its place."
)


def with_backward(computed: Trace, language: str, decimals: int) -> payloads.LearningModel:
    """The computation with the target, the loss and the derivative by every matrix; alone where there is no goal.

    Where the loss or a derivative is no finite number, ``refused`` says why and there is no table of them.
    """
    model: payloads.LearningModel = {**numbers(computed, language, decimals), "learning": None}
    goal = computed.example.learning
    if goal is None:
        return model
    try:
        shown = _matrices(computed, language)
    except NumberRangeError as error:
        refused = place_and_sentence(error, computed.example, language)[1]
        model["learning"] = _learning(goal, (), language, refused=refused)
        return model
    for step in computed.declared_backward.by_name().values():
        model["steps"][step.name] = step_data(step)
    model["constants"] = {**model["constants"], **constants(computed.example, BACKWARD_SETTINGS)}
    model["matrices"] |= shown
    model["learning"] = _learning(goal, tuple(shown), language, remarks=_remarks(computed, language))
    return model


def join(model: payloads.LearningModel) -> None:
    """Make the tables of the backward pass stages of the page like all others: where they are to be filled in, nothing
    learns.
    """
    if model["learning"] is not None:
        model["stages"] = [*model["stages"], *model["learning"]["stages"]]
        model["learning"] = None


def _learning(
    goal: Learning, shown: tuple[str, ...], language: str, *, refused: str = "", remarks: Sequence[str] = ()
) -> payloads.LearningData:
    return {
        "goal": {**learning_json(goal), "rate": goal.rate},
        "stages": _stages(shown, language),
        "learned": [name for name in LEARNED if f"d_{name}" in shown],
        "refused": refused,
        "remarks": remarks,
    }


@lru_cache(maxsize=16)
def _stages(shown: tuple[str, ...], language: str) -> list[payloads.Stage]:
    """The loss, and then the stages of the page from the last to the first; those of which something is shown.

    What each head has comes before what all heads have together, as it is computed.
    """
    words = words_in(language)
    members: dict[tuple[str, bool], list[str]] = {}
    for name, stage in _STAGE_OF.items():
        if name in shown:
            members.setdefault((stage, stage in _ADDED_UP and name in PER_HEAD), []).append(name)
    found: list[payloads.Stage] = []
    before = ""
    for (stage, is_of_heads), names in members.items():
        title, hints = _said(stage, before, names, shown, is_of_heads=is_of_heads)
        titled = words(title) if not stage else words(_TITLE).format(stage=words(title))
        hint = LANGUAGE[language].between.join(map(words, hints))
        listed = sorted(names, key=_place_forward) if stage in _SIDE_BY_SIDE else names
        found.append({"title": titled, "hint": hint, "matrices": listed, "terms": [], "remark": True})
        before = stage
    return found


def _said(
    stage: str, before: str, names: Sequence[str], shown: tuple[str, ...], *, is_of_heads: bool
) -> tuple[str, list[str]]:
    """The title and the sentences of a stage with these tables, after the stage ``before``."""
    if stage:
        if is_of_heads:
            return _INPUT_OF_HEADS, [_THROUGH_HEAD]
        return _STAGE_TITLES[stage], why(stage, before, shown)
    title, hint = _LOSS_OF_HEADS if is_of_heads else _LOSS_OF_SOME if "given_rows" in names else _LOSS
    return title, [hint]


def _place_forward(name: str) -> int:
    """Where the matrix that this is the derivative by comes on the way forward."""
    return _PLACES[ENTRY[name].slope_of or name]


def _stage_of() -> Iterator[tuple[str, str]]:
    """Every matrix of the backward pass with the stage of the matrix that it is a derivative by; "" for the loss."""
    stage = ""
    for entry in BACKWARD:
        if entry.slope_of:
            stage = ENTRY[entry.slope_of].stage
        yield entry.name, stage


_PLACES: Final = {name: place for place, name in enumerate(ENTRY)}
_STAGE_OF: Final = dict(_stage_of())
_STAGE_TITLES: Final = {ENTRY[names[0]].stage: title for title, _, names in STAGES if names}


def _matrices(computed: Trace, language: str) -> dict[str, payloads.Matrix]:
    words = words_in(language)
    return {name: _matrix(computed, name, rows, words) for name, rows in _values(computed).items()}


def _values(computed: Trace) -> dict[str, _Rows]:
    example = computed.example
    if example.learning is None:
        return {}
    target = TARGETS[example.learning.step]
    given: dict[str, _Rows] = {}
    if any("given_rows" in step.operand_names for step in computed.declared_backward.layer.values()):
        given["given_rows"] = input_matrix(example, "given_rows")
    given[target] = (
        [input_matrix(example, target, head) for head in range(len(example.heads))]
        if target in PER_HEAD
        else input_matrix(example, target)
    )
    return {name: rows for name, rows in given.items() if rows} | computed.backward


def _matrix(computed: Trace, name: str, values: _Rows, words: Callable[[str], str]) -> payloads.Matrix:
    example, entry = computed.example, ENTRY[name]
    step = computed.declared_backward.by_name().get(name)
    described: payloads.MatrixBase = {
        "symbol": _numbered(caption(name, example)),
        "formula": formula(step, example).replace("head_i", "head") if step else "",
        "word": noun(name, words),
        "hue": entry.role,
        "scale": entry.colours,
        "axes": entry.axes,
    }
    if name not in PER_HEAD:
        can_edit = name in TARGETS.values()
        return payloads.SharedMatrix(
            **described, perHead=False, edit=can_edit, values=cast("payloads.Rows", values)
        )
    matrix = payloads.HeadMatrix(
        **described, perHead=True, edit=False, values=cast("Sequence[payloads.Rows | None]", values)
    )
    if name == "d_head_mask" or (entry.shared and example.kv_heads is not None):
        matrix["owners"] = [kv_head_of(example, name, head) for head in range(len(example.heads))]
    return matrix


def _numbered(symbol: str) -> str:
    """A letter with i for its head, such as dX_i, with the head's number in its place."""
    return symbol.removesuffix("i") + "{h}" if symbol.endswith("_i") else symbol


def _remarks(computed: Trace, language: str) -> list[str]:
    """What the goal and a step leave out; where a derivative is not defined, and what is used in its place."""
    words, example = words_in(language), computed.example
    unmoved = [
        symbol(name, example)
        for name in LEARNED
        if f"d_{name}" not in computed.backward
        and any(computed.has(name, head) for head in (None, *range(len(example.heads))))
    ]
    undefined = [
        words(_UNDEFINED).format(place=cell_name(cell, example, words)) for cell in undefined_rows(computed)
    ]
    reached = computed.backward.get("d_weights", ())
    unreached = [str(head + 1) for head, rows in enumerate(reached) if rows is None]
    comma = words(N_(", "))
    return [
        *([words(_UNREACHED).format(list=comma.join(unreached))] if unreached else ()),
        *([words(_UNMOVED).format(names=comma.join(unmoved))] if unmoved else ()),
        *undefined,
    ]
