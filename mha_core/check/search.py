"""A step's numbers under each hypothesis: no mistake, one, or two, made at it or at unwritten steps before it.

A hypothesis starts from the numbers that the author wrote down and carried forward (``Search.carried``), and runs the
declared steps from there, all hypotheses of a step in one batch. A mistake is a change to one of these steps
(``catalogue.CATALOGUE``); early rounding is another one.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from ctypes import string_at
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import torch
from torch import Tensor

from mha_core.check.catalogue import ROUNDED_EARLY, at_step
from mha_core.check.digits import gives_all
from mha_core.check.mistake import Site
from mha_core.compute.backward_run import heads_read
from mha_core.compute.graph import head_graph
from mha_core.compute.operation import Operand
from mha_core.compute.operations import OPERATIONS, Step
from mha_core.compute.printed import Key, Printed
from mha_core.compute.trace import Trace, input_matrix, operate
from mha_core.errors import NumberRangeError
from mha_core.example.model import kv_head_of
from mha_core.vocabulary import PER_HEAD, SCORE_STEPS, STEPS

MistakeSet: TypeAlias = tuple[tuple[str, "int | None"], ...]
"""The mistakes made, each with the head that it was made in (None: every head that the numbers depend on)."""

_MOST_COMBINATIONS: Final = 600
"""Combinations of the heads' members that are tried; if there are more, the first of each head, the second, etc."""
_MOST_ALIKE: Final = (600, 600, 8)
"""How many ways of making the same mistakes are kept, for hypotheses of at most none, one and two mistakes."""


EXPONENTIALS: Final = "exponentials"
"""The numerators of a softmax: they may be rounded although they are not a step."""


class Rounding(NamedTuple):
    """The names of what was rounded on the way, and to how many decimals."""

    names: tuple[str, ...]
    decimals: int


class Family(NamedTuple):
    """A step's numbers under several hypotheses: ``values`` B × rows × columns, ``blames`` the mistakes of each."""

    blames: list[MistakeSet]
    values: Tensor

    def chosen(self, indices: Sequence[int]) -> Family:
        """The hypotheses at these indices."""
        return Family([self.blames[n] for n in indices], self.values[list(indices)])

    def under(self, mistakes: Container[str]) -> Family:
        """The hypotheses without a mistake or with one of these as the first."""
        return self.chosen([n for n, blame in enumerate(self.blames) if not blame or blame[0][0] in mistakes])

    def first_of_each(self) -> dict[str, Tensor]:
        """The numbers without a mistake ("") and under each single mistake made in every head."""
        values_by_mistake: dict[str, Tensor] = {}
        for blame, values in zip(self.blames, self.values, strict=True):
            if len(blame) < 2 and (not blame or blame[0][1] is None):
                values_by_mistake.setdefault(blame[0][0] if blame else "", values)
        return values_by_mistake


@dataclass(slots=True)
class Scope:
    """The limits of the hypotheses and the families computed under them.

    ``most``: mistakes in one hypothesis. ``decimals``: the digits that unwritten steps may have been rounded to (None:
    they were not rounded).
    """

    most: int
    decimals: int | None = None
    families: dict[Key, Family] = field(default_factory=dict)


class Search:
    """The declared steps of an example, and the numbers that the author carried forward."""

    def __init__(self, computed: Trace) -> None:
        self.trace = computed
        self.dims = computed.example.dims
        self._carried: dict[Key, Family] = {}
        self._plain = Scope(0)
        """The steps without a mistake, from the carried numbers. They are needed again and again."""
        self.steps = _declared_steps(computed)
        self._values = _values(computed)
        self._copies: dict[Key, Step] = {}
        self._exact: dict[Key, Tensor | None] = {}
        self._inputs: dict[Key, Tensor | None] = {}

    @property
    def carried(self) -> Mapping[Key, Family]:
        """The numbers of each matrix that its author may have continued with: as printed, and before rounding."""
        return MappingProxyType(self._carried)

    def carry(self, matrices: Mapping[Key, Family]) -> None:
        """Continue with these numbers."""
        self._carried |= matrices
        self._plain = Scope(0)

    def declare_copy(self, key: Key) -> None:
        """Add a step that the example does not have as a copy of the scores before it; the next step then uses it."""
        name, head = key
        before = SCORE_STEPS[: SCORE_STEPS.index(name)] if name in SCORE_STEPS else ()
        source = next((source for source in reversed(before) if (source, head) in self.steps), None)
        if key not in self.steps and source:
            for after in [(step.name, head) for (_, of), step in self.steps.items() if of == head]:
                self.steps[after] = _with_operand(self.steps[after], source, name)
            self._copies[key] = self.steps[key] = Step(name, "copy", (Operand(source, "ij"),))
            self._plain = Scope(0)

    def exact(self, key: Key) -> Tensor | None:
        """The right numbers, rows × columns; None where the example has no such step."""
        name, head = key
        if key in self._copies:
            return self.exact((self._copies[key].operands[0].name, head))
        if key not in self._exact:
            rows = self._values.get(name)
            if rows is not None and head is not None:
                rows = rows[head]
            self._exact[key] = None if rows is None else torch.tensor(rows, dtype=torch.float64)
        return self._exact[key]

    def family(self, key: Key, most: int, decimals: int | None = None) -> Family:
        """A step from the carried numbers, with up to ``most`` mistakes at it and at unwritten steps before it."""
        if key not in self.steps:  # a head starts from it
            return self._given(key)
        if (
            key[0] not in STEPS
        ):  # so many steps lie before it that rounding at some of them would explain anything
            most, decimals = min(most, 1), None
        plain = not most and decimals is None
        return self._computed(key, self._plain if plain else Scope(most, decimals), last=True)

    def throughout(self, claims: Mapping[Key, Printed]) -> dict[str, dict[Key, Tensor]]:
        """Single mistakes that reproduce all claims if every head makes them, and the numbers under each.

        The claims are in the order of the computation. Nothing may have been carried yet.
        """
        scope = Scope(1)
        possible: dict[str, dict[Key, Tensor]] = {"": {}}
        known = {""}
        for key, claim in claims.items():
            family = self._family(key, scope)
            outcomes = family.first_of_each()
            fitting_family = family.chosen(gives_all(family.values, claim).nonzero().flatten().tolist())
            fitting_outcomes = fitting_family.first_of_each()
            if "" in possible:
                possible |= {label: possible[""] for label in outcomes if label not in known}
            known |= outcomes.keys()
            fitting = {label: fitting_outcomes.get(label if label in outcomes else "") for label in possible}
            possible = {
                label: possible[label] | {key: values}
                for label, values in fitting.items()
                if values is not None
            }
            if not possible:
                break
            scope.families[key] = family.under(possible)
        return {label: numbers for label, numbers in possible.items() if label}

    def operands(self, key: Key) -> tuple[Step, dict[str, Tensor]]:
        """A step and its operands as they were carried, each 1 × rows × columns."""
        step = self.steps[key]
        _, tensors = self._operands(step, key[1], self._plain)
        return step, {name: tensor[:1] for name, tensor in tensors.items()}

    def combinations(self, key: Key) -> dict[str, Tensor]:
        """A step's operands in every combination of carried numbers, each B × rows × columns."""
        return self._operands(self.steps[key], key[1], self._plain)[1]

    def roundings(self, key: Key, most: int = 3) -> Iterator[tuple[Rounding, Tensor]]:
        """A step from numbers that were rounded on the way: at one step before it, at its exponentials, or at all.

        They are rounded to 3 decimals (or ``most``, if that is more), 2, 1 or none. Written numbers stay as they are.
        """
        names = tuple(dict.fromkeys(name for name, _ in self._steps_before(key)))
        if any(
            OPERATIONS[self.steps[step].op].shifts
            for step in (key, *self._steps_before(key))
            if step in self.steps
        ):
            names = (*names, EXPONENTIALS)
        sets = [(name,) for name in names] + ([names] if len(names) > 1 else [])
        for decimals, rounded in product(dict.fromkeys((max(most, 3), 3, 2, 1, 0)), sets):
            yield Rounding(rounded, decimals), self._rounded_before(key, Rounding(rounded, decimals), {})

    def _steps_before(self, key: Key) -> list[Key]:
        """The steps that a step is computed from, back to those that were written down, inclusive."""
        keys: dict[Key, None] = {}
        for source in self.sources(key) if key in self.steps else ():
            if source in self._carried:
                keys[source] = None
            elif source in self.steps:
                keys |= dict.fromkeys([*self._steps_before(source), source])
        return list(keys)

    def _rounded_before(self, key: Key, rounding: Rounding, matrices: dict[Key, Tensor]) -> Tensor:
        """A step from rounded earlier steps, 1 × rows × columns; the step itself is not rounded."""
        step, tensors = self.steps[key], dict[str, Tensor]()
        for source in self.sources(key):
            name, head = source
            matrix = self.input(name, head)
            if matrix is None and source not in matrices:
                known = source in self._carried or source not in self.steps
                numbers = self._family(source, self._plain).values[:1] if known else None
                numbers = self._rounded_before(source, rounding, matrices) if numbers is None else numbers
                is_rounded = name in rounding.names
                matrices[source] = torch.round(numbers, decimals=rounding.decimals) if is_rounded else numbers
            matrix = matrices[source] if matrix is None else matrix
            tensors[name] = matrix if not step.gathers else torch.cat([*tensors.values(), matrix])
        if step.gathers:
            tensors = {name: matrix[None] for name, matrix in tensors.items()}
        if OPERATIONS[step.op].shifts and EXPONENTIALS in rounding.names:
            scores, *sink = (
                torch.round(tensors[name].exp(), decimals=rounding.decimals) for name in step.operand_names
            )
            return (scores / sum(sink, scores.sum(-1, keepdim=True))).nan_to_num(0.0)
        return self.run(key, tensors)

    def heads_of(self, key: Key) -> list[int]:
        """The heads whose matrices a step reads that reads one of each."""
        step, head = self.steps[key], key[1]
        if step.name in STEPS:
            return list(range(self.dims.h))
        return heads_read(self.trace.example, self.trace.declared_backward, step.gathers, step.name, head)

    def sources(self, key: Key) -> list[Key]:
        """The matrices that a step is computed from, each by name and by the head that has it."""
        step, head = self.steps[key], key[1]
        if step.gathers:
            return [(step.gathers, g) for g in self.heads_of(key)]
        return [(name, self._source_head(name, head)) for name in step.operand_names]

    def at(self, key: Key) -> Site:
        """The site of a mistake: a step with the carried numbers."""
        step, tensors = self.operands(key)
        return Site(step, key[1], tensors, self.trace.example, self.dims, self.look)

    def run(self, key: Key, tensors: Mapping[str, Tensor]) -> Tensor:
        """A step's result from other numbers, in batches."""
        return operate(self.steps[key], tensors, self.trace.example, head=key[1])

    def look(self, name: str, head: int | None) -> Tensor | None:
        """A matrix that a mistake may use: an input, or a step with the author's numbers."""
        head = self._source_head(name, head) if head is not None else None
        matrix = self.input(name, head)
        if matrix is None and ((name, head) in self.steps or (name, head) in self._carried):
            matrix = self._family((name, head), self._plain).values[:1]
        return matrix

    # --- families --------------------------------------------------------------------------------------------------

    def _family(self, key: Key, scope: Scope, *, backward: bool = False) -> Family:
        """The family of a step that another one is computed from."""
        if (
            backward and key[0] in STEPS
        ):  # the page shows the forward pass, so nobody works it out on the way back
            scope = self._plain
        if key in self._carried:
            return self._as_written(key, scope)
        return self._computed(key, scope) if key in self.steps else self._given(key)

    def _given(self, key: Key) -> Family:
        return Family([()], self.exact(key)[None])  # type: ignore[index]  # a head starts from it

    def _as_written(self, key: Key, scope: Scope) -> Family:
        """The written numbers. Scores also with one mistake, since right scores may have been copied wrongly."""
        written, step = self._carried[key], self.steps.get(key)
        if not scope.most or step is None or step.op not in ("divide", "masked_fill", "add", "copy"):
            return written
        if key not in scope.families:
            family = self._with_mistakes(key, Scope(1, families=scope.families))
            with_mistake = family.chosen([n for n, blame in enumerate(family.blames) if blame])
            values = torch.cat([written.values, with_mistake.values])
            scope.families[key] = Family(written.blames + with_mistake.blames, values)
        return scope.families[key]

    def _computed(self, key: Key, scope: Scope, *, last: bool = False) -> Family:
        """A step with and without mistakes. The last one is compared with printed numbers, so it is not rounded."""
        if key not in scope.families:
            family = self._with_mistakes(key, scope, last=last)
            rounded = None if last else scope.decimals
            scope.families[key] = family if rounded is None else _rounded(family, scope.most, rounded)
        return scope.families[key]

    def _with_mistakes(self, key: Key, scope: Scope, *, last: bool = False) -> Family:
        step, head = self.steps[key], key[1]
        blames, tensors = self._operands(step, head, scope)
        right = operate(step, tensors, self.trace.example, head=head)
        every_blame, results = list(blames), [right]
        for mistake in () if key in self._copies or not scope.most else at_step(step.name):
            if mistake.written_only and not last:
                continue
            this = (mistake.id, None)  # whoever made it before makes it here too: that is still one mistake
            starts = [n for n, blame in enumerate(blames) if len(blame) < scope.most or this in blame]
            site = Site(step, head, _selected(tensors, starts), self.trace.example, self.dims, self.look)
            for wrong in mistake.wrong(site) if starts else ():
                if wrong.shape[-2:] == right.shape[-2:]:
                    # a result that does not depend on the operands is one hypothesis, not one for each of theirs
                    start_blames = [blames[n] for n in starts] if wrong.shape[0] == len(starts) else [()]
                    every_blame += [_joined(blame, (this,)) for blame in start_blames]
                    results.append(wrong[: len(start_blames)])
        return _pruned(Family(every_blame, torch.cat(results)), _MOST_ALIKE[scope.most])

    def _operands(
        self, step: Step, head: int | None, scope: Scope
    ) -> tuple[list[MistakeSet], dict[str, Tensor]]:
        """The combinations of the operands' hypotheses, and each operand's numbers for each combination."""
        if step.gathers:
            return self._stacked_heads((step.name, head), step.gathers, scope)
        given, computed = dict[str, Tensor](), dict[str, Tensor]()
        blames: list[MistakeSet] = [()]
        for operand in step.operands:
            matrix = self.input(operand.name, head)
            if matrix is not None:
                given[operand.name] = matrix
                continue
            source = (operand.name, self._source_head(operand.name, head))
            family = self._family(source, scope, backward=step.name not in STEPS)
            if blames == family.blames == [()]:  # nothing to combine
                computed[operand.name] = family.values
                continue
            pairs = [
                (left, right)
                for left, right in product(range(len(blames)), range(len(family.blames)))
                if len(set(blames[left] + family.blames[right])) <= scope.most
            ]
            blames = [_joined(blames[left], family.blames[right]) for left, right in pairs]
            left, right = ([pair[n] for pair in pairs] for n in (0, 1))
            computed = _selected(computed, left) | _selected({operand.name: family.values}, right)
        expanded = {name: matrix.expand(len(blames), *matrix.shape[1:]) for name, matrix in given.items()}
        return blames, expanded | computed

    def _stacked_heads(self, key: Key, name: str, scope: Scope) -> tuple[list[MistakeSet], dict[str, Tensor]]:
        """A matrix of all heads, with each mistake made in every head or in a single one."""
        families = [self._family((name, g), scope) for g in self.heads_of(key)]
        members = [_by_blame(family.blames) for family in families]
        choices: list[tuple[MistakeSet, list[int]]] = []
        for blame in dict.fromkeys(blame for family in families for blame in family.blames):
            choices += [
                (blame, row) for row in _head_choices([member.get(blame) or member[()] for member in members])
            ]
            if len(families) > 1 and len(blame) == 1 and blame[0][0] != ROUNDED_EARLY:
                choices += _in_single_heads(
                    blame[0][0], [member.get(blame, []) for member in members], members
                )
        rows = [row for _, row in choices]
        stacked = [family.values[[row[g] for row in rows]] for g, family in enumerate(families)]
        return [blame for blame, _ in choices], {name: torch.stack(stacked, 1)}

    def _source_head(self, name: str, head: int | None) -> int | None:
        """The head whose matrix this head uses: heads may share keys and values."""
        if head is None or name not in PER_HEAD:
            return None
        return kv_head_of(self.trace.example, name, head)

    def input(self, name: str, head: int | None) -> Tensor | None:
        """An input matrix of the example, 1 × rows × columns; None if it has none of this name."""
        key = (name, head if name in PER_HEAD else None)
        if key not in self._inputs:
            rows = input_matrix(self.trace.example, *key)
            self._inputs[key] = None if rows is None else torch.tensor([rows], dtype=torch.float64)
        return self._inputs[key]


def _declared_steps(computed: Trace) -> dict[Key, Step]:
    steps: dict[Key, Step] = {}
    for g, head in enumerate(computed.example.heads):
        steps |= {(step.name, g): step for step in head_graph(computed.example, head)}
    steps |= {(step.name, None): step for step in computed.steps if not step.per_head}
    return steps | {(step.name, head): step for step, head in computed.declared_backward.places()}


def _values(computed: Trace) -> Mapping[str, Any]:
    """The right numbers of every step; of the backward pass none where its loss is infinite."""
    try:
        return {**computed.values, **computed.backward}
    except NumberRangeError:
        return computed.values


def _with_operand(step: Step, source: str, replacement: str) -> Step:
    """The step with one operand replaced by another."""
    names = [replacement if operand.name == source else operand.name for operand in step.operands]
    operands = tuple(replace(operand, name=name) for operand, name in zip(step.operands, names, strict=True))
    return replace(step, operands=operands)


def _pruned(family: Family, most: int) -> Family:
    """No more than a few ways of making the same mistakes, and none twice.

    There are many ways: "another head's W" may be any other head's, at each step.
    """
    indices = []
    for alike in _by_blame(family.blames).values():
        indices += _distinct(family.values, alike)[:most] if len(alike) > 2 else alike[:most]
    return family if len(indices) == len(family.blames) else family.chosen(sorted(indices))


def _distinct(values: Tensor, indices: list[int]) -> list[int]:
    """The first of each group of equal matrices. Few have the same last row, so few are compared in full."""
    distinct = []
    for alike in _equal(values[:, -1], indices):
        groups = _equal(values.flatten(1), alike) if len(alike) > 1 else [alike]
        distinct += [group[0] for group in groups]
    return sorted(distinct)


def _equal(rows: Tensor, indices: list[int]) -> Iterable[list[int]]:
    """The indices in groups of equal rows."""
    block = (rows[indices] + 0.0).contiguous()  # −0 is 0
    content, width = string_at(block.data_ptr(), block.nbytes), block[0].nbytes
    groups: dict[bytes, list[int]] = {}
    for position, n in enumerate(indices):
        groups.setdefault(content[position * width : (position + 1) * width], []).append(n)
    return groups.values()


def _selected(tensors: Mapping[str, Tensor], indices: list[int]) -> dict[str, Tensor]:
    """Some of a batch, without a copy if it is the whole batch."""
    whole = list(range(len(indices)))
    return {
        name: tensor if indices == whole and len(tensor) == len(indices) else tensor[indices]
        for name, tensor in tensors.items()
    }


def _joined(first: MistakeSet, second: MistakeSet) -> MistakeSet:
    """Both operands' mistakes, each once: rounding at both is one mistake."""
    return first + tuple(mistake for mistake in second if mistake not in first)


def _rounded(family: Family, most: int, decimals: int) -> Family:
    """Add the rounded numbers where one more mistake is allowed, or where rounding is one already."""
    rounding = (ROUNDED_EARLY, None)
    indices = [n for n, blame in enumerate(family.blames) if len(blame) < most or rounding in blame]
    blames = [blame if rounding in (blame := family.blames[n]) else (*blame, rounding) for n in indices]
    values = torch.round(family.values[indices], decimals=max(decimals, 0))
    return Family(family.blames + blames, torch.cat([family.values, values]))


def _by_blame(blames: list[MistakeSet]) -> dict[MistakeSet, list[int]]:
    by_blame: dict[MistakeSet, list[int]] = {}
    for n, blame in enumerate(blames):
        by_blame.setdefault(blame, []).append(n)
    return by_blame


def _head_choices(members: list[list[int]]) -> list[list[int]]:
    """One member of each head: every combination if there are few, else the first of each, the second, …"""
    if prod(map(len, members)) <= _MOST_COMBINATIONS:
        return [list(row) for row in product(*members)]
    most = max(map(len, members))
    return [[head[min(n, len(head) - 1)] for head in members] for n in range(most)]


def _in_single_heads(
    mistake: str, choices: list[list[int]], members: list[dict[MistakeSet, list[int]]]
) -> list[tuple[MistakeSet, list[int]]]:
    """Choices in which one head makes a mistake and the others make none."""
    right = [member[()][0] for member in members]
    return [
        (((mistake, g),), [*right[:g], n, *right[g + 1 :]])
        for g, indices in enumerate(choices)
        for n in indices
    ]
