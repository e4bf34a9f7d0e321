"""What a step would be under each hypothesis: no mistake, one, or two, made at it or at unwritten steps before it.

A hypothesis starts from the numbers that somebody wrote down, as far as he did (``Search.carried``), and runs
the declared steps on from there, all hypotheses of a step in one batch. A mistake is a change to one of these steps
(``catalogue.CATALOGUE``); rounding before writing down is one more.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from ctypes import string_at
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

import torch
from torch import Tensor

from mha_core.check.catalogue import ROUNDED_EARLY, At, at_step
from mha_core.check.digits import gives_all
from mha_core.compute.graph import head_graph
from mha_core.compute.operations import OPERATIONS, Operand, Step
from mha_core.compute.printed import Key, Printed
from mha_core.compute.trace import Trace, input_matrix, operate
from mha_core.example.model import kv_head_of
from mha_core.vocabulary import PER_HEAD, SCORE_STEPS

MistakeSet: TypeAlias = tuple[tuple[str, "int | None"], ...]
"""The mistakes made, each with the one head it was made in (None: in every head that the numbers depend on)."""

_MOST_WAYS: Final = 600
"""Combinations of the heads' members that are tried; beyond, the first of each head, the second, and so on."""
_MOST_ALIKE: Final = (600, 600, 8)
"""Ways of making the same mistakes that are kept, for hypotheses of at most none, one and two mistakes."""


EXPONENTIALS: Final = "exponentials"
"""What a softmax shares out, which may be rounded though it is no step of its own."""


class Rounding(NamedTuple):
    """What was rounded on the way, by name, and to how many decimals."""

    names: tuple[str, ...]
    decimals: int


class Family(NamedTuple):
    """A step's numbers under several hypotheses: ``values`` B × rows × columns, and the mistakes of each."""

    blames: list[MistakeSet]
    values: Tensor

    def chosen(self, which: Sequence[int]) -> Family:
        """Some of them."""
        return Family([self.blames[n] for n in which], self.values[list(which)])

    def under(self, mistakes: Container[str]) -> Family:
        """Those without a mistake or with one of these first."""
        return self.chosen([n for n, blame in enumerate(self.blames) if not blame or blame[0][0] in mistakes])

    def first_of_each(self) -> dict[str, Tensor]:
        """The numbers without a mistake ("") and under each single one made in every head."""
        values_by_mistake: dict[str, Tensor] = {}
        for blame, values in zip(self.blames, self.values, strict=True):
            if len(blame) < 2 and (not blame or blame[0][1] is None):
                values_by_mistake.setdefault(blame[0][0] if blame else "", values)
        return values_by_mistake


@dataclass(slots=True)
class Growth:
    """How far hypotheses go: the most mistakes in one, the digits that unwritten steps may have been rounded to
    (None: they were not), and the families found so far.
    """

    most: int
    decimals: int | None = None
    families: dict[Key, Family] = field(default_factory=dict)


class Search:
    """The declared steps of an example, and what was carried through them."""

    def __init__(self, computed: Trace) -> None:
        self.trace = computed
        self.dims = computed.example.dims
        self._carried: dict[Key, Family] = {}
        self._plain = Growth(0)
        """The steps without a mistake, as found so far from what is carried: they are asked for again and again."""
        self.steps = _declared(computed)
        self._copies: dict[Key, Step] = {}
        self._exact: dict[Key, Tensor | None] = {}
        self._inputs: dict[Key, Tensor | None] = {}

    @property
    def carried(self) -> Mapping[Key, Family]:
        """Each matrix as its author carried it on: as printed, and as it was before rounding."""
        return MappingProxyType(self._carried)

    def carry(self, matrices: Mapping[Key, Family]) -> None:
        """Go on from these numbers."""
        self._carried |= matrices
        self._plain = Growth(0)

    def declare_copy(self, key: Key) -> None:
        """Let a step that this example does not use stand for a copy of the scores before it, and the next take it."""
        name, head = key
        before = SCORE_STEPS[: SCORE_STEPS.index(name)] if name in SCORE_STEPS else ()
        source = next((source for source in reversed(before) if (source, head) in self.steps), None)
        if key not in self.steps and source:
            for after in [(step.name, head) for (_, of), step in self.steps.items() if of == head]:
                self.steps[after] = _taking(self.steps[after], source, name)
            self._copies[key] = self.steps[key] = Step(name, "copy", (Operand(source, "ij"),))
            self._plain = Growth(0)

    def exact(self, key: Key) -> Tensor | None:
        """The right numbers, rows × columns; None where the example has no such step."""
        name, head = key
        if key in self._copies:
            return self.exact((self._copies[key].operands[0].name, head))
        if key not in self._exact:
            self._exact[key] = self._computed(name, head)
        return self._exact[key]

    def _computed(self, name: str, head: int | None) -> Tensor | None:
        rows = self.trace.values.get(name)
        if rows is not None and head is not None:
            rows = rows[head]
        return None if rows is None else torch.tensor(rows, dtype=torch.float64)

    def family(self, key: Key, most: int, decimals: int | None = None) -> Family:
        """A step from what was carried to it, with up to ``most`` mistakes at it and at unwritten steps before."""
        if key not in self.steps:  # a head starts from it
            return self._given(key)
        plain = not most and decimals is None
        return self._grown(key, self._plain if plain else Growth(most, decimals), last=True)

    def throughout(self, claims: Mapping[Key, Printed]) -> dict[str, dict[Key, Tensor]]:
        """Single mistakes, made in every head that can, which reproduce all claims, and the numbers under each.

        The claims come in the order of the computation; nothing must have been carried yet.
        """
        growth = Growth(1)
        possible: dict[str, dict[Key, Tensor]] = {"": {}}
        seen = {""}
        for key, claim in claims.items():
            family = self._family(key, growth)
            made = family.first_of_each()
            fits = family.chosen(gives_all(family.values, claim).nonzero().flatten().tolist()).first_of_each()
            if "" in possible:
                possible |= {label: possible[""] for label in made if label not in seen}
            seen |= made.keys()
            fitting = {label: fits.get(label if label in made else "") for label in possible}
            possible = {
                label: possible[label] | {key: values}
                for label, values in fitting.items()
                if values is not None
            }
            if not possible:
                break
            growth.families[key] = family.under(possible)
        return {label: numbers for label, numbers in possible.items() if label}

    def operands(self, key: Key) -> tuple[Step, dict[str, Tensor]]:
        """A step and its operands as they were carried, each 1 × rows × columns."""
        step = self.steps[key]
        _, tensors = self._operands(step, key[1], self._plain)
        return step, {name: tensor[:1] for name, tensor in tensors.items()}

    def combinations(self, key: Key) -> dict[str, Tensor]:
        """A step's operands in every way in which they may have been carried, each B × rows × columns."""
        return self._operands(self.steps[key], key[1], self._plain)[1]

    def roundings(self, key: Key, most: int = 3) -> Iterator[tuple[Rounding, Tensor]]:
        """A step from numbers that were rounded on the way: at one step before it, at its exponentials, or at all of
        these; to 3 decimals (or ``most``, if that is more), 2, 1 or none. What was written down is taken as written.
        """
        names = tuple(dict.fromkeys(name for name, _ in self._before(key)))
        if any(
            OPERATIONS[self.steps[one].op].shifts for one in (key, *self._before(key)) if one in self.steps
        ):
            names = (*names, EXPONENTIALS)
        sets = [(name,) for name in names] + ([names] if len(names) > 1 else [])
        for decimals, at in product(dict.fromkeys((max(most, 3), 3, 2, 1, 0)), sets):
            yield Rounding(at, decimals), self._on_the_way(key, Rounding(at, decimals), {})

    def _before(self, key: Key) -> list[Key]:
        """The steps that a step is computed from, back to those that were written down, with these."""
        keys: dict[Key, None] = {}
        for source in self.sources(key) if key in self.steps else ():
            if source in self._carried:
                keys[source] = None
            elif source in self.steps:
                keys |= dict.fromkeys([*self._before(source), source])
        return list(keys)

    def _on_the_way(self, key: Key, rounding: Rounding, matrices: dict[Key, Tensor]) -> Tensor:
        """A step where these were rounded, 1 × rows × columns; itself it is not."""
        step, tensors = self.steps[key], dict[str, Tensor]()
        for source in self.sources(key):
            name, head = source
            matrix = self.input(name, head)
            if matrix is None and source not in matrices:
                known = source in self._carried or source not in self.steps
                whole = self._family(source, self._plain).values[:1] if known else None
                whole = self._on_the_way(source, rounding, matrices) if whole is None else whole
                rounds = name in rounding.names
                matrices[source] = torch.round(whole, decimals=rounding.decimals) if rounds else whole
            matrix = matrices[source] if matrix is None else matrix
            tensors[name] = matrix if not step.gathers else torch.cat([*tensors.values(), matrix])
        if step.gathers:
            tensors = {name: matrix[None] for name, matrix in tensors.items()}
        if OPERATIONS[step.op].shifts and EXPONENTIALS in rounding.names:
            exponentials = torch.round(tensors[step.operand_names[0]].exp(), decimals=rounding.decimals)
            return (exponentials / exponentials.sum(-1, keepdim=True)).nan_to_num(0.0)
        return self.run(key, tensors)

    def sources(self, key: Key) -> list[Key]:
        """The matrices that a step is computed from, each by name and the head that holds it."""
        step, head = self.steps[key], key[1]
        if step.gathers:
            return [(step.gathers, g) for g in range(self.dims.h)]
        return [(name, self._holder(name, head)) for name in step.operand_names]

    def at(self, key: Key) -> At:
        """A step on the numbers carried to it, for a mistake to be made there."""
        step, tensors = self.operands(key)
        return At(step, key[1], tensors, self.trace.example, self.dims, self.look)

    def run(self, key: Key, tensors: Mapping[str, Tensor]) -> Tensor:
        """A step on other numbers, in batches."""
        return operate(self.steps[key], tensors, self.trace.example)

    def look(self, name: str, head: int | None) -> Tensor | None:
        """A matrix for a mistake to reach for: an input, or a step as its author carried it."""
        head = self._holder(name, head) if head is not None else None
        matrix = self.input(name, head)
        if matrix is None and ((name, head) in self.steps or (name, head) in self._carried):
            matrix = self._family((name, head), self._plain).values[:1]
        return matrix

    # --- growing ---------------------------------------------------------------------------------------------------

    def _family(self, key: Key, growth: Growth) -> Family:
        """A step that another one is computed from."""
        if key in self._carried:
            return self._as_written(key, growth)
        return self._grown(key, growth) if key in self.steps else self._given(key)

    def _given(self, key: Key) -> Family:
        return Family([()], self.exact(key)[None])  # type: ignore[index]  # a head starts from it

    def _as_written(self, key: Key, growth: Growth) -> Family:
        """What was written down; for scores also what one mistake makes of them, since it may have been written
        right and taken over wrong.
        """
        written, step = self._carried[key], self.steps.get(key)
        if not growth.most or step is None or step.op not in ("divide", "masked_fill", "add", "copy"):
            return written
        if key not in growth.families:
            through = self._with_mistakes(key, Growth(1, families=growth.families))
            mistaken = through.chosen([n for n, blame in enumerate(through.blames) if blame])
            values = torch.cat([written.values, mistaken.values])
            growth.families[key] = Family(written.blames + mistaken.blames, values)
        return growth.families[key]

    def _grown(self, key: Key, growth: Growth, *, last: bool = False) -> Family:
        """A step with and without mistakes; the last one is compared with what was printed, so not rounded."""
        if key not in growth.families:
            family = self._with_mistakes(key, growth)
            rounded = None if last else growth.decimals
            growth.families[key] = family if rounded is None else _rounded(family, growth.most, rounded)
        return growth.families[key]

    def _with_mistakes(self, key: Key, growth: Growth) -> Family:
        step, head = self.steps[key], key[1]
        blames, tensors = self._operands(step, head, growth)
        right = operate(step, tensors, self.trace.example)
        every_blame, results = list(blames), [right]
        for mistake in () if key in self._copies or not growth.most else at_step(step.name):
            made = (
                mistake.id,
                None,
            )  # made here too by whoever has made it before: that is still one mistake
            starts = [n for n, blame in enumerate(blames) if len(blame) < growth.most or made in blame]
            at = At(step, head, _some(tensors, starts), self.trace.example, self.dims, self.look)
            for wrong in mistake.wrong(at) if starts else ():
                if wrong.shape[-2:] == right.shape[-2:]:
                    # what does not depend on the operands is one hypothesis, not one for each of theirs
                    own = [blames[n] for n in starts] if wrong.shape[0] == len(starts) else [()]
                    every_blame += [_joined(blame, (made,)) for blame in own]
                    results.append(wrong[: len(own)])
        return _pruned(Family(every_blame, torch.cat(results)), _MOST_ALIKE[growth.most])

    def _operands(
        self, step: Step, head: int | None, growth: Growth
    ) -> tuple[list[MistakeSet], dict[str, Tensor]]:
        """The operands' hypotheses, combined, and each operand for each combination."""
        if step.gathers:
            return self._heads(step.gathers, growth)
        given, computed = dict[str, Tensor](), dict[str, Tensor]()
        blames: list[MistakeSet] = [()]
        for operand in step.operands:
            matrix = self.input(operand.name, head)
            if matrix is not None:
                given[operand.name] = matrix
                continue
            family = self._family((operand.name, self._holder(operand.name, head)), growth)
            if blames == family.blames == [()]:  # nothing to combine
                computed[operand.name] = family.values
                continue
            pairs = [
                (mine, theirs)
                for mine, theirs in product(range(len(blames)), range(len(family.blames)))
                if len(set(blames[mine] + family.blames[theirs])) <= growth.most
            ]
            blames = [_joined(blames[mine], family.blames[theirs]) for mine, theirs in pairs]
            mine, theirs = ([pair[at] for pair in pairs] for at in (0, 1))
            computed = _some(computed, mine) | _some({operand.name: family.values}, theirs)
        spread = {name: matrix.expand(len(blames), *matrix.shape[1:]) for name, matrix in given.items()}
        return blames, spread | computed

    def _heads(self, name: str, growth: Growth) -> tuple[list[MistakeSet], dict[str, Tensor]]:
        """A matrix of all heads: each mistake made in every head, or in one alone."""
        families = [self._family((name, g), growth) for g in range(self.dims.h)]
        members = [_by_blame(family.blames) for family in families]
        choices: list[tuple[MistakeSet, list[int]]] = []
        for blame in dict.fromkeys(blame for family in families for blame in family.blames):
            choices += [(blame, row) for row in _ways([own.get(blame) or own[()] for own in members])]
            if len(families) > 1 and len(blame) == 1 and blame[0][0] != ROUNDED_EARLY:
                choices += _in_one_head(blame[0][0], [own.get(blame, []) for own in members], members)
        rows = [row for _, row in choices]
        stacked = [family.values[[row[g] for row in rows]] for g, family in enumerate(families)]
        return [blame for blame, _ in choices], {name: torch.stack(stacked, 1)}

    def _holder(self, name: str, head: int | None) -> int | None:
        """The head that holds a step for this one: heads may share keys and values."""
        if head is None or name not in PER_HEAD:
            return None
        return kv_head_of(self.trace.example, name, head)

    def input(self, name: str, head: int | None) -> Tensor | None:
        """A matrix that the example gives, 1 × rows × columns; None where it gives none of this name."""
        key = (name, head if name in PER_HEAD else None)
        if key not in self._inputs:
            rows = input_matrix(self.trace.example, *key)
            self._inputs[key] = None if rows is None else torch.tensor([rows], dtype=torch.float64)
        return self._inputs[key]


def _declared(computed: Trace) -> dict[Key, Step]:
    steps: dict[Key, Step] = {}
    for g, head in enumerate(computed.example.heads):
        steps |= {(step.name, g): step for step in head_graph(computed.example, head)}
    return steps | {(step.name, None): step for step in computed.steps if not step.per_head}


def _taking(step: Step, source: str, instead: str) -> Step:
    """The step with another operand in place of one."""
    return replace(
        step, operands=tuple(replace(o, name=instead) if o.name == source else o for o in step.operands)
    )


def _pruned(family: Family, most: int) -> Family:
    """No more than a few ways of making the same mistakes, and none twice: another head's W may be any other head's,
    at each step.
    """
    which = []
    for alike in _by_blame(family.blames).values():
        which += _distinct(family.values, alike)[:most] if len(alike) > 2 else alike[:most]
    return family if len(which) == len(family.blames) else family.chosen(sorted(which))


def _distinct(values: Tensor, which: list[int]) -> list[int]:
    """Of those that are equal the first. Few have the same last row, so few matrices are compared in full."""
    distinct = []
    for alike in _equal(values[:, -1], which):
        groups = _equal(values.flatten(1), alike) if len(alike) > 1 else [alike]
        distinct += [group[0] for group in groups]
    return sorted(distinct)


def _equal(rows: Tensor, which: list[int]) -> Iterable[list[int]]:
    """Those that have the same row, together."""
    block = (rows[which] + 0.0).contiguous()  # −0 is 0
    content, width = string_at(block.data_ptr(), block.nbytes), block[0].nbytes
    groups: dict[bytes, list[int]] = {}
    for at, n in enumerate(which):
        groups.setdefault(content[at * width : (at + 1) * width], []).append(n)
    return groups.values()


def _some(tensors: Mapping[str, Tensor], which: list[int]) -> dict[str, Tensor]:
    """Some of a batch, without a copy where that is all of it."""
    whole = list(range(len(which)))
    return {
        name: tensor if which == whole and len(tensor) == len(which) else tensor[which]
        for name, tensor in tensors.items()
    }


def _joined(one: MistakeSet, other: MistakeSet) -> MistakeSet:
    """Both operands' mistakes; rounding at both is one."""
    return one + tuple(made for made in other if made not in one)


def _rounded(family: Family, most: int, decimals: int) -> Family:
    """Add what is rounded here, where there is room for one more mistake or rounding was one before."""
    made = (ROUNDED_EARLY, None)
    which = [n for n, blame in enumerate(family.blames) if len(blame) < most or made in blame]
    blames = [blame if made in (blame := family.blames[n]) else (*blame, made) for n in which]
    values = torch.round(family.values[which], decimals=max(decimals, 0))
    return Family(family.blames + blames, torch.cat([family.values, values]))


def _by_blame(blames: list[MistakeSet]) -> dict[MistakeSet, list[int]]:
    by_blame: dict[MistakeSet, list[int]] = {}
    for n, blame in enumerate(blames):
        by_blame.setdefault(blame, []).append(n)
    return by_blame


def _ways(members: list[list[int]]) -> list[list[int]]:
    """One member of each head: every combination while there are few, else the first of each, the second, …"""
    if prod(map(len, members)) <= _MOST_WAYS:
        return [list(row) for row in product(*members)]
    most = max(map(len, members))
    return [[one[min(way, len(one) - 1)] for one in members] for way in range(most)]


def _in_one_head(
    mistake: str, making: list[list[int]], members: list[dict[MistakeSet, list[int]]]
) -> list[tuple[MistakeSet, list[int]]]:
    """One head makes a mistake, the others make none."""
    right = [own[()][0] for own in members]
    return [
        (((mistake, g),), [*right[:g], n, *right[g + 1 :]]) for g, which in enumerate(making) for n in which
    ]
