"""What guesses mean beside the others of their example: heads in their order, an output without W_O, “query matrix”."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

from mha_core.read.grids import Grid
from mha_core.read.place import Guess
from mha_core.vocabulary import PER_HEAD

_BY_QUERY_AND_KEY: Final = ("scores", "scaled_scores", "masked_scores", "weights")
_ROLES: Final = ("q", "k", "v")


def settled(group: list[Guess]) -> list[Guess]:
    """The guesses of one example with the heads and names that follow from each other."""
    found = _names(_with_heads(_attended(group)))
    return [old if old.chosen else new for old, new in zip(group, found, strict=True)]


def _attended(group: list[Guess]) -> list[Guess]:
    """What is called a context behind the scores is a head's output, and so is an output that is as wide as V alone."""
    first = next((at for at, guess in enumerate(group) if guess.name in _BY_QUERY_AND_KEY), len(group))
    whole = {size for guess in group if guess.name in ("w_o", "x") for size in guess.grid.shape}
    narrow = {one.grid.shape[1] for one in group if one.name in ("v", "w_v")} - whole if whole else set[int]()
    return [
        replace(one, name="head_outputs")
        if (one.name == "context" and at >= first) or (one.name == "output" and one.grid.shape[1] in narrow)
        else one
        for at, one in enumerate(group)
    ]


def _with_heads(group: list[Guess]) -> list[Guess]:
    """Heads that no name gives, by the order in which a matrix comes again; none where there is one head."""
    heads = {guess.head for guess in group if guess.name in PER_HEAD and guess.head is not None}
    if len(heads) > 1:
        return _going_on(group)
    counts: dict[str, list[Grid]] = {}
    for guess in group:
        if guess.sure and guess.name in PER_HEAD and guess.head is None:
            seen = counts.setdefault(guess.name, [])
            if all(grid.values() != guess.grid.values() for grid in seen):
                seen.append(guess.grid)
    most = max((len(seen) for seen in counts.values()), default=1)
    if (
        most < 2
        or heads
        or _is_one_head_again(counts)
        or sum(len(seen) == most for seen in counts.values()) < 2
    ):
        return (
            [replace(guess, head=None) if guess.grid.part is None else guess for guess in group]
            if len(heads) < 2 and (not heads or heads == {1})
            else group
        )
    result = []
    for guess in group:
        seen = counts.get(guess.name, [])
        at = next((n for n, grid in enumerate(seen) if grid.values() == guess.grid.values()), None)
        result.append(replace(guess, head=at + 1) if at is not None and guess.head is None else guess)
    return result


def _going_on(group: list[Guess]) -> list[Guess]:
    """Where only some results name their head, the others belong to the one that was named last."""
    times = Counter(guess.name for guess in group)
    taken = {(guess.name, guess.head) for guess in group}
    last, result = None, list[Guess]()
    for guess in group:
        head = guess.head
        if guess.name in PER_HEAD and head is not None:
            last = head
        elif (
            guess.sure
            and guess.name in PER_HEAD
            and times[guess.name] > 1
            and (guess.name, last) not in taken
        ):
            head = last
            taken.add((guess.name, last))
        result.append(replace(guess, head=head))
    return result


def _is_one_head_again(counts: dict[str, list[Grid]]) -> bool:
    """Whether results come several times from one V of their own width: one head, computed in several ways."""
    values = [*counts.get("v", []), *counts.get("w_v", [])]
    outputs = counts.get("head_outputs", [])
    return len(outputs) > 1 == len(values) and values[0].shape[1] == outputs[0].shape[1]


def _names(group: list[Guess]) -> list[Guess]:
    """Names that mean something else beside these others: an output without W_O, a mask."""
    heads = max([1, *(guess.head or 0 for guess in group if guess.name in PER_HEAD)])
    has_outputs = any(guess.name == "head_outputs" and guess.sure for guess in group)
    widths = {
        guess.grid.shape[1] for guess in group if guess.name in ("v", "w_v", "head_outputs") and guess.sure
    }
    result = list[Guess]()
    group = _unnamed(_as_weights(group))
    rows = next((guess.grid.shape[0] for guess in group if guess.name in ("x", "q")), 0)
    whole = {heads * width for width in widths}
    inner = whole - {rows}
    if all(guess.name != "w_o" for guess in group):  # “output matrix”
        group = [
            replace(one, name="w_o") if one.name == "output" and one.grid.shape[0] in inner else one
            for one in group
        ]
    projected = any(guess.name == "w_o" for guess in group)
    for guess in group:
        name = guess.name
        if name == "output" and not projected:
            of_head = guess.head is not None and guess.grid.shape[1] in widths
            name = "head_outputs" if of_head or not (heads > 1 or has_outputs) else "concat"
        elif name == "head_outputs" and guess.head is None and heads > 1 and guess.grid.shape[1] in whole:
            name = "concat"
        elif name in ("mask", "masked_scores"):
            name = "mask" if _only_masks(guess.grid) else "masked_scores"
        result.append(replace(guess, name=name))
    return result


def _as_weights(group: list[Guess]) -> list[Guess]:
    """“Query matrix” is W_Q where it does not have a row for each token but one for each column of X."""
    if any(guess.name in ("w_q", "w_k", "w_v") for guess in group):
        return group
    rows = {guess.grid.shape[0] for guess in group if guess.name in _ROLES and guess.sure}
    first = next((guess for guess in group if guess.name in _ROLES), None)
    inputs = [guess for guess in group if guess.name in ("x", "") and guess.grid.shape[0] not in rows]
    if first is None or not inputs or len(rows) != 1 or inputs[0].grid.start > first.grid.start:
        return group
    if rows != {inputs[0].grid.shape[1]}:
        return group
    return [
        replace(guess, name=f"w_{guess.name}") if guess.name in _ROLES and guess.sure else guess
        for guess in group
    ]


def _unnamed(group: list[Guess]) -> list[Guess]:
    """The input that stands without a name before everything else, and a mask without one beside the weights."""
    names = {guess.name for guess in group}
    first = next((at for at, guess in enumerate(group) if guess.name in (*_ROLES, "w_q", "w_k", "w_v")), 0)
    result = list(group)
    if "x" not in names and first:
        fits = group[first].grid.shape[0]
        axis = 1 if group[first].name.startswith("w_") else 0
        for at, guess in enumerate(group[:first]):
            open_to_x = not guess.sure or (axis and guess.name == "head_outputs")
            if open_to_x and guess.grid.shape[axis] == fits and guess.reason != "operand":
                result[at] = replace(guess, name="x", head=None, reason="shape", candidates=(), sure=False)
                break
    if "mask" not in names:
        weights = [guess.grid for guess in group if guess.name == "weights"]
        for at, guess in enumerate(group):
            said = not guess.sure and not guess.name and guess.reason != "operand"
            if said and _only_masks(guess.grid) and any(_hides(guess.grid, one) for one in weights):
                result[at] = replace(guess, name="mask", head=None, reason="shape")
                break
    return result


def _hides(mask: Grid, weights: Grid) -> bool:
    """Whether a mask, unlike an identity matrix, hides exactly the pairs that have no weight."""
    open_at = 1.0 if any(number == 1 for row in mask.values() for number in row) else 0.0
    pairs = [[number == open_at for number in row] for row in mask.values()]
    return pairs == [[number != 0 for number in row] for row in weights.values()]


def _only_masks(grid: Grid) -> bool:
    """Whether there are only ones and zeros, or zeros and what hides."""
    return all(
        number in (0.0, 1.0) or number <= -1e4
        for row in grid.values()
        for number in row
        if number is not None
    )
