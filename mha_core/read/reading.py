"""The reading of a text: the one under which most of the printed numbers come out right, and which others do as well.

A name beside a matrix decides what it is. Without a name its shape decides, and where several shapes fit, the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isclose
from typing import Any, Final

import torch

from mha_core.compute.device import Backend
from mha_core.compute.printed import claimed, printed
from mha_core.compute.trace import Trace, trace
from mha_core.errors import MhaError
from mha_core.example.model import Example, Mask, Scale
from mha_core.read.assemble import FORMS, Assembled, Form, Key, Reading, assemble
from mha_core.read.choices import AS_READ, Choices, chosen
from mha_core.read.document import Document
from mha_core.read.grids import Grid
from mha_core.read.parts import parts
from mha_core.read.place import Guess, guesses
from mha_core.read.settings import Settings, settings_in, tokens_in
from mha_core.read.settled import settled
from mha_core.vocabulary import PER_HEAD

_CPU: Final = Backend("cpu", "float64")
_GENERAL: Final = {
    "scores": ("scaled_scores", "masked_scores"),
    "scaled_scores": ("masked_scores",),
    "output": ("concat", "head_outputs"),
    "head_outputs": ("concat", "output"),
    "concat": ("head_outputs", "output"),
}
"""What else authors call by the name of a matrix. There the numbers decide, even against a name."""
_OPERANDS: Final = ("scores", "scaled_scores", "concat")
"""What may be printed only inside a product."""


@dataclass(frozen=True, slots=True)
class Found:
    """A grid and what it was taken for. ``key``: None where nothing says what it is; ``why``: the reason for either.

    ``sure``: the text says it; otherwise it is a guess. ``again``: the same matrix is printed before.
    """

    guess: Guess
    key: Key | None
    why: str
    sure: bool
    again: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """One example of a text. ``assembled``: None where its matrices make no example; ``also``: how readings differ
    under which as many numbers are right; without any this one is ``certain``.
    """

    found: tuple[Found, ...]
    reading: Reading
    assembled: Assembled | None
    also: tuple[str, ...] = ()
    certain: bool = True


def read_examples(document: Document, choices: Choices = AS_READ) -> list[Read]:
    """Every example of a text, the matrices of each with their places."""
    said = settings_in(document.text)
    found = chosen(guesses(document), choices)
    return [_read(document, group, said, choices) for group in parts(found) if group]


def _read(document: Document, group: list[Guess], said: Settings, choices: Choices) -> Read:
    placed, found = _placed(settled(group))
    tokens = _tokens(document, placed)
    first = Reading(placed, _turned(found), tokens=tokens)
    best, also = _best(first, said, choices)
    more, by_numbers = _by_numbers(_fitting_only(best), found)
    if more != dict(best.grids):
        best, also = _best(replace(best, grids=more, turned=_turned(by_numbers)), said, choices)
    assembled = assemble(best)
    used = [_unconfirmed(one) if assembled is None else _used(one, assembled) for one in by_numbers]
    return Read(tuple(used), best, assembled, also, certain=not also)


def _fitting_only(reading: Reading) -> Reading:
    """The reading without the grids whose shapes do not fit."""
    assembled = assemble(reading)
    if assembled is None:
        return reading
    kept = {
        key: g for key, g in reading.grids.items() if key in assembled.cells or (key[0], 0) in assembled.cells
    }
    return replace(reading, grids=kept)


def _unconfirmed(one: Found) -> Found:
    """The grid of a text that makes no example: no number says that its names were read right."""
    return replace(one, sure=one.guess.chosen)


def _used(one: Found, assembled: Assembled) -> Found:
    """The grid as it is used; one whose shape does not fit is not."""
    if one.key is None or one.again or one.key in assembled.cells:
        return one
    packed = assembled.cells.get((one.key[0], 0))  # of all heads side by side
    if packed is not None and packed[0][0] == one.guess.grid.rows[0][0]:
        return one
    if (
        packed is not None
        and one.key[1] is None
        and one.guess.grid.shape == _side_by_side(one.key[0], assembled)
    ):
        return replace(one, again=True)
    return replace(one, key=None, why="misfit", sure=False)


def _side_by_side(name: str, assembled: Assembled) -> tuple[int, int]:
    """The shape of a matrix of all heads side by side."""
    rows, columns = assembled.example.dims.shape(name)
    return rows, columns * len(assembled.example.heads)


def _turned(found: Sequence[Found]) -> frozenset[Key]:
    return frozenset(one.key for one in found if one.key is not None and one.guess.turned)


def _tokens(document: Document, placed: Mapping[Key, Grid]) -> tuple[str, ...] | None:
    x = placed.get(("x", None)) or placed.get(("q", 0)) or next(iter(placed.values()), None)
    if x is None:
        return None
    start = min(grid.start for grid in placed.values())
    return tokens_in(document.text[max(0, start - 6000) : start + 2000], x.shape[0], [x, *placed.values()])


# --- names --------------------------------------------------------------------------------------------------------


def _placed(group: list[Guess]) -> tuple[dict[Key, Grid], list[Found]]:
    """The grids that names place, each at the first place where it is printed; then those that sentences place."""
    placed: dict[Key, Grid] = {}
    found: dict[int, Found] = {}
    h = max([1, *(guess.head or 0 for guess in group if guess.name in PER_HEAD)])
    for at in sorted(range(len(group)), key=lambda at: (not group[at].chosen, not group[at].sure)):
        guess = group[at]
        is_aside = guess.chosen and not guess.name
        found[at] = Found(guess, None, "set aside", sure=True) if is_aside else _place(guess, placed, h)
    return placed, [found[at] for at in range(len(group))]


def _place(guess: Guess, placed: dict[Key, Grid], h: int) -> Found:
    for name in (guess.name, *guess.candidates):
        if not name:
            continue
        key = _key(name, guess, h)
        if key not in placed:
            if not guess.sure and guess.reason == "operand" and name not in _OPERANDS:
                continue
            placed[key] = guess.grid
            for other in guess.equals:
                placed.setdefault(_key(other, guess, h), guess.grid)
            return Found(guess, key, guess.reason, guess.sure and name == guess.name)
        if placed[key].values() == guess.grid.values():
            return Found(guess, key, "repeated", guess.sure, again=True)
        if guess.sure:
            break
    same = next((key for key, grid in placed.items() if grid.values() == guess.grid.values()), None)
    if same is not None:
        return Found(guess, same, "repeated", sure=False, again=True)
    flipped = guess.grid.transposed()
    same = next((key for key, grid in placed.items() if grid.values() == flipped.values()), None)
    if same is not None and guess.reason == "operand":
        return Found(replace(guess, grid=flipped), same, "repeated", sure=False, again=True)
    return Found(guess, None, "taken" if guess.name else "unnamed", sure=False)


def _key(name: str, guess: Guess, h: int) -> Key:
    if name not in PER_HEAD:
        return name, None
    if guess.head is None:
        return name, 0 if h == 1 else None
    return name, guess.head - 1


# --- numbers ------------------------------------------------------------------------------------------------------


def _by_numbers(reading: Reading, found: list[Found]) -> tuple[dict[Key, Grid], list[Found]]:
    """What no name places goes where its numbers come out right; so does what a sentence seems to place elsewhere."""
    placed, result = dict(reading.grids), list[Found]()
    computed = _computed(reading)
    for one in found:
        key = (
            _fitting(one, computed, placed)
            if computed is not None and _is_open(one, computed, placed)
            else None
        )
        if key is None:
            result.append(one)
            continue
        if one.key is not None and placed.get(one.key) is one.guess.grid:
            del placed[one.key]
        again = key in placed
        placed.setdefault(key, one.guess.grid)
        named = key[0] == one.guess.name and one.guess.sure
        result.append(Found(one.guess, key, one.guess.reason if named else "numbers", named, again))
    return placed, result


def _is_open(one: Found, computed: Trace, placed: Mapping[Key, Grid]) -> bool:
    """Whether the numbers may say what a grid is: no name does, or where a sentence put it they are mostly wrong."""
    if one.guess.chosen:
        return False
    if one.key is None or (one.key not in placed and not one.sure):  # its shape does not fit
        return True
    if (
        (one.sure and one.key[0] not in _GENERAL)
        or one.again
        or placed.get(one.key) is not one.guess.grid
        or one.key[0] not in computed.values
    ):
        return False
    right, given = _right(one.guess.grid, computed, one.key)
    return right * 2 < given


def _values(computed: Trace, key: Key) -> Any:
    """The numbers of a matrix. None where it is not computed, as before the weights of a head that starts from its
    weights, and for all heads together.
    """
    values = computed.values.get(key[0])
    if key[1] is None:
        return None if key[0] in PER_HEAD else values
    return values and values[key[1]]


def _right(grid: Grid, computed: Trace, key: Key, *, exactly: bool = False) -> tuple[int, int]:
    """How many of a grid's numbers are right as this matrix, and how many there are. ``exactly``: without any rounding,
    which whole numbers would otherwise owe too much to.
    """
    values = _values(computed, key)
    if values is None:
        return 0, 1
    exact = torch.tensor(values, dtype=torch.float64)
    texts = tuple(tuple(None if cell.text == "inf" else cell.text for cell in row) for row in grid.rows)
    if tuple(exact.shape) != grid.shape:
        return 0, 1
    claim = printed(texts, grid.shape)
    if exactly:
        written = torch.tensor([[float(c or "nan") for c in row] for row in texts], dtype=torch.float64)
        return int(torch.isclose(written, exact).sum()), int(claim.given.sum())
    return int(claim.fits(exact).sum()), int(claim.given.sum())


def _computed(reading: Reading) -> Trace | None:
    assembled = assemble(reading)
    if assembled is None:
        return None
    try:
        return trace(assembled.example, _CPU)
    except MhaError:
        return None


def _fitting(one: Found, computed: Trace, placed: Mapping[Key, Grid]) -> Key | None:
    """The one step, of those that are not printed elsewhere, whose numbers these mostly are."""
    grid = one.guess.grid
    if len({cell.text for row in grid.rows for cell in row}) < 2:
        return None
    matches = []
    for name, values in computed.values.items():
        for head in range(len(values)) if name in PER_HEAD else (None,):
            right, given = _right(grid, computed, (name, head), exactly=_is_whole(grid))
            allowed = not one.sure or (one.key is not None and name in _GENERAL.get(one.key[0], ()))
            if allowed and (name, head) not in placed and right * 3 > given * 2:
                matches.append((right, (name, head)))
    best = max((right for right, _ in matches), default=0)
    keys = [key for right, key in matches if right == best]
    keys = [key for key in keys if key[0] == one.guess.name] or keys
    if not keys:
        keys = [key for key in placed if key[0] in computed.values and _is_again(grid, computed, key)]
    if len(keys) == 2 and {name for name, _ in keys} == {
        "head_outputs",
        "concat",
    }:  # one head: they are the same
        return keys[0]
    return keys[0] if len(keys) == 1 else None


def _is_again(grid: Grid, computed: Trace, key: Key) -> bool:
    right, given = _right(grid, computed, key, exactly=_is_whole(grid))
    return right == given and given > 1


def _is_whole(grid: Grid) -> bool:
    return all("." not in (cell.text or "") for row in grid.rows for cell in row)


def _best(reading: Reading, said: Settings, choices: Choices) -> tuple[Reading, tuple[str, ...]]:
    """The reading with the most right numbers, of those with other conventions, divisors and masks."""
    tried = [(one, _score(one)) for one in _readings(reading, said, choices)]
    good = [(one, score) for one, score in tried if score is not None]
    if not good:
        return reading, ()
    best, most = good[0]
    for one, score in good[1:]:
        if score.better_than(most, another_form=one.form != best.form):
            best, most = one, score
    alike = [
        one for one, score in good if (score.used, score.right) == (most.used, most.right) and most.right
    ]
    others = [one for one, score in good if one in alike and not _same(score.example, most.example)]
    return best, tuple(dict.fromkeys(_difference(best, one) for one in others))


def _same(one: Example, other: Example) -> bool:
    """Whether two examples differ in nothing but how the same divisor is written."""
    size = other.dims.sqrt_dk
    divisors = [size if e.scale == "sqrt_dk" else 1.0 if e.scale == "none" else e.scale for e in (one, other)]
    return isclose(*divisors, rel_tol=0.005) and replace(one, scale=other.scale) == other


def _readings(reading: Reading, said: Settings, choices: Choices) -> Iterator[Reading]:
    """The likeliest reading first."""
    forms: tuple[Form, ...] = (choices.form,) if choices.form else FORMS
    scales = (choices.scale,) if choices.scale else _scales(said, reading)
    masks: tuple[Mask, ...] = (None,)
    if choices.mask:
        masks = ("causal" if choices.mask == "causal" else None,)
    elif ("mask", None) not in reading.grids:
        masks = ("causal", None) if said.causal else (None, "causal") if _looks_causal(reading) else (None,)
        masks = tuple(m for m in masks if m is not None or ("masked_scores", 0) not in reading.grids) or masks
    for form, mask, scale in product(forms, masks, scales):
        yield replace(reading, form=form, mask=mask, scale=scale)


def _scales(said: Settings, reading: Reading) -> tuple[Scale, ...]:
    scaled = any(name == "scaled_scores" for name, _ in reading.grids)
    divisors = said.divisors
    if said.rooted:  # d_k itself is then a forgotten root
        sizes = {
            size
            for key in (("q", 0), ("w_q", 0))
            if key in reading.grids
            for size in reading.grids[key].shape[1:]
        }
        divisors = tuple(divisor for divisor in divisors if divisor not in sizes)
    if said.unscaled and not scaled:
        return ("none", "sqrt_dk", *divisors)
    if said.rooted or scaled:
        return ("sqrt_dk", *divisors)
    return ("sqrt_dk", "none", *divisors)


def _looks_causal(reading: Reading) -> bool:
    for (name, _), grid in reading.grids.items():
        values = grid.values()
        square = name == "weights" and 1 < len(values) == len(values[0])
        if square and all(values[i][j] == 0 for i in range(len(values)) for j in range(i + 1, len(values))):
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Score:
    """How many grids are used, and how many of the printed numbers come out right."""

    used: int
    right: int
    given: int
    example: Example

    def better_than(self, other: _Score, *, another_form: bool) -> bool:
        """Whether this reading is to be preferred to a likelier one. Wrong numbers alone turn no matrix round: another
        convention must explain a third of them all.
        """
        if self.used != other.used:
            return self.used > other.used
        gain = self.right - other.right
        return gain > max(1, self.given // 3) if another_form else gain > 0


def _score(reading: Reading) -> _Score | None:
    """None where the reading is no example."""
    assembled = assemble(reading)
    if assembled is None:
        return None
    try:
        computed = trace(assembled.example, _CPU)
    except MhaError:
        return None
    right = given = 0
    for (name, head), claim in claimed(assembled.example).items():
        values = _values(computed, (name, head))
        if values is not None:
            exact = torch.tensor(values, dtype=torch.float64)
            right += int(claim.fits(exact).sum())
            given += int(claim.given.sum())
    return _Score(len(assembled.cells), right, given, assembled.example)


def _difference(best: Reading, other: Reading) -> str:
    """What another reading has in another way."""
    if other.form != best.form:
        return f"form:{other.form}"
    return f"scale:{other.scale}" if other.scale != best.scale else "mask"
