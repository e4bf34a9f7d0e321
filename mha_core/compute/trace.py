"""Computing an example with torch, step by step as ``graph`` declares it, batched over heads."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor

from mha_core.compute.device import Place, place
from mha_core.compute.graph import Operation, Step, early_steps, graph, head_graph, late_steps
from mha_core.errors import N_, CellError, NumberRangeError
from mha_core.example.model import (
    NEG_INF,
    AddMask,
    Dims,
    Example,
    allow_matrix,
    divisor,
    mask_fill,
    owner,
    position_inputs,
    shares,
)
from mha_core.vocabulary import (
    AXES,
    EARLY_STEPS,
    HEAD_ROWS,
    HIDES,
    LATE_STEPS,
    LAYER_INPUTS,
    PER_HEAD_STEPS,
    POSITION_INPUTS,
    SHARED,
    WHOLE_LAYER_STEPS,
)

Rows: TypeAlias = list[list[float]]
"""A matrix as Python numbers, read off the device."""

_ROWS = frozenset((*HEAD_ROWS, "b_o"))

MAX_FLOAT32 = torch.finfo(torch.float32).max


@dataclass(frozen=True)
class Trace:
    """Every number of an example.

    ``groups``: heads that share the same steps, with their tensors by step name, each g × rows × columns for the
    g heads of the group (one group unless some heads start further on). ``layer``: the steps of the whole layer,
    rows × columns. Shapes by name are those of DESIGN's table: q: h × n_q × d_k, weights: h × n_q × n_k,
    head_outputs: h × n_q × d_v, concat: n_q × (h·d_v), output: n_q × d_out; all of them in ``vocabulary.AXES``. Without
    V the weights are the last.
    """

    example: Example
    place: Place
    groups: tuple[tuple[tuple[int, ...], Mapping[str, Tensor]], ...]
    layer: Mapping[str, Tensor]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The declared steps that this trace has computed."""
        return graph(self.example)

    @cached_property
    def values(self) -> dict[str, Any]:
        """Numbers by step name, in order: a list over heads (None where a head has no such step) or one matrix.

        What a head starts from stands where it would have been computed; keys and values that heads share stand
        with the first head of the group, and with the others None.
        """
        heads: dict[str, list[Rows | None]] = {}
        shared = self.example.kv_heads is not None
        for members, tensors in self.groups:
            for name, tensor in tensors.items():
                if name in PER_HEAD_STEPS:
                    rows = heads.setdefault(name, [None] * len(self.example.heads))
                    for head, matrix in zip(members, tensor.tolist(), strict=True):
                        if not shared or owner(self.example, name, head) == head:
                            rows[head] = matrix
        early = {name: self.layer[name].tolist() for name in EARLY_STEPS if name in self.layer}
        ordered = {name: heads[name] for name in PER_HEAD_STEPS if any(heads.get(name, ()))}
        return (
            early | ordered | {name: self.layer[name].tolist() for name in LATE_STEPS if name in self.layer}
        )

    @cached_property
    def dead_rows(self) -> tuple[tuple[bool, ...], ...]:
        """h × n_q: True where a query may attend to nothing, so that its weights and head output are 0."""
        masked = self.values.get("masked_scores")
        rows = masked or [None] * len(self.example.heads)
        n_q = len(self.example.tokens)
        return tuple(
            tuple(all(v == NEG_INF for v in row) for row in head) if head else (False,) * n_q for head in rows
        )

    @cached_property
    def shifts(self) -> tuple[tuple[float, ...], ...]:
        """h × n_q: what is taken off the scores of a row before e is raised to them; no weight changes by it.

        0 where e can be raised to a head's scores as they stand; where some row would then print long numbers, or
        zeros alone, the largest score of each of its rows. () for a head that starts from its weights.
        """
        softmax = next((step for step in self.steps if step.op == "softmax"), None)
        scored = self.values[softmax.operands[0].name] if softmax else [None] * len(self.example.heads)
        return tuple(map(_shifts_of, scored))

    def matrix(self, name: str, head: int | None = None) -> Rows:
        """The numbers of a step or of an input, by name; ``head`` for what every head has its own of.

        A bias is a matrix of one row, the mask one of numbers (1 may attend, 0 may not, or what is added).
        Raises ``CellError`` where this example has no such matrix.
        """
        shared = name in LAYER_INPUTS or name in WHOLE_LAYER_STEPS
        found = None
        if shared == (head is None):
            found = self._given_or_computed(name, head)
        if found is None:
            raise self._absent(name, head, shared=shared)
        return found

    def _absent(self, name: str, head: int | None, *, shared: bool) -> CellError:
        """Why there is no such matrix: where the example has it, what is wrong about the head."""
        last = len(self.example.heads) - 1
        if shared and self._given_or_computed(name, None):
            return CellError(N_("{name} is the whole layer's: name no head"), name=name)
        if not shared and any(self._given_or_computed(name, own) for own in range(last + 1)):
            if head is None:
                return CellError(
                    N_("{name} has one matrix for each head: name the head, 0 to {last}"),
                    name=name,
                    last=last,
                )
            if not 0 <= head <= last:
                return CellError(N_("the heads are 0 to {last}, got {head}"), last=last, head=head)
        return CellError(N_("there is no {name} here"), name=name if head is None else f"{name}, head {head}")

    def _given_or_computed(self, name: str, head: int | None) -> Rows | None:
        return self._computed(name, head) or input_matrix(self.example, name, head)

    def _computed(self, name: str, head: int | None) -> Rows | None:
        rows: Any = self.values.get(name)
        if rows is not None and head is not None:
            rows = rows[head] if 0 <= head < len(rows) else None
        return rows  # type: ignore[no-any-return]  # one matrix, or the list over heads taken apart


LEAST_POWER, MOST_POWER = -2.0, 9.0
"""e^−2 = 0.1353, e^9 = 8103.0839: where every row's largest score lies within, powers can be read and keyed in."""


def _shifts_of(scores: Rows | None) -> tuple[float, ...]:
    tops = [max(row) for row in scores or ()]
    if all(LEAST_POWER <= top <= MOST_POWER for top in tops if top != NEG_INF):
        return (0.0,) * len(tops)
    return tuple(0.0 if top == NEG_INF else top for top in tops)


def input_matrix(example: Example, name: str, head: int | None = None) -> Rows | None:
    """A given matrix by name, as rows; None where the example has none."""
    if name == "mask":
        return _mask_rows(example)
    if name in POSITION_INPUTS:
        row = position_inputs(example).get(name)
        return row and [list(row)] if AXES[name][0] == "1" else row and [[number] for number in row]  # type: ignore[return-value]
    if name in LAYER_INPUTS:
        given = getattr(example, name)
    elif name in AXES and head is not None and 0 <= head < len(example.heads):
        given = getattr(example.heads[head], name, None)
    else:
        return None
    if given is None:
        return None
    return [list(given)] if name in _ROWS else [list(row) for row in given]


def _mask_rows(example: Example) -> Rows | None:
    if isinstance(example.mask, AddMask):
        return [list(row) for row in example.mask.add]
    allow = allow_matrix(example)
    return None if allow is None else [[float(cell) for cell in row] for row in allow]


@dataclass(frozen=True)
class Inputs:
    """An example's numbers on the device, ready to compute with.

    ``groups``: members, their steps, and their inputs by name, each g × rows × columns. ``early_steps``,
    ``layer_steps`` and ``layer``: the same for the whole layer, before and after the heads, rows × columns.
    """

    example: Example
    place: Place
    groups: tuple[tuple[tuple[int, ...], tuple[Step, ...], Mapping[str, Tensor]], ...]
    early_steps: tuple[Step, ...]
    layer_steps: tuple[Step, ...]
    layer: Mapping[str, Tensor]


def trace(example: Example, where: Place | None = None) -> Trace:
    """Compute every step of ``example``: ``compute(load(example))``.

    A row that may attend to nothing has weights 0 and head output 0. Raises ``NumberRangeError`` where float32
    cannot hold a number (float64 always can: given numbers are bounded).

    Source: Vaswani et al. 2017, "Attention Is All You Need", sections 3.2.1 and 3.2.2.
    """
    where = where or place()
    if where.dtype == "float32":
        _check_mask(example)
    computed = compute(load(example, where))
    if where.dtype == "float32":
        _check_range(computed)
    return computed


def load(example: Example, where: Place) -> Inputs:
    """Send an example's numbers to the device, heads that share their steps stacked; borrowers of keys come last."""
    by_steps: dict[tuple[bool, tuple[Step, ...]], list[int]] = {}
    for index, head in enumerate(example.heads):
        by_steps.setdefault((shares(head), head_graph(example, head)), []).append(index)
    groups = tuple(
        (tuple(members), steps, _load_group(example, steps, members, where))
        for (_, steps), members in sorted(by_steps.items(), key=lambda item: item[0][0])
    )
    early = early_steps(example)
    names = [name for name in ("w_o", "b_o") if getattr(example, name) is not None]
    if example.positions is not None:
        names += [name for name in ("x", "context") if any(name in step.operand_names for step in early)]
        names += position_inputs(example)
    blocks = {name: [input_matrix(example, name)] for name in names}
    layer = {name: tensor[0] for name, tensor in _to_device(blocks, where).items()}  # type: ignore[arg-type]
    return Inputs(example, where, groups, early, late_steps(example), layer)


def compute(inputs: Inputs) -> Trace:
    """Run the declared steps on loaded numbers, in ``torch.inference_mode``."""
    with torch.inference_mode():
        return run(inputs)


def run(inputs: Inputs) -> Trace:
    """Run the declared steps on loaded numbers, in the mode that torch is in: ``gradients`` has it keep a tape.

    The numbers are the same in every mode, bit for bit.
    """
    example = inputs.example
    dims = example.dims if example.positions is not None or example.scoring == "additive" else None
    constants = Constants(divisor(example), mask_fill(example), example.mask is not None, dims)
    layer = dict(inputs.layer)
    for step in inputs.early_steps:
        layer[step.name] = _OPERATIONS[step.op](step, layer, constants)
    groups: list[tuple[tuple[int, ...], Mapping[str, Tensor]]] = []
    for members, steps, given in inputs.groups:
        tensors = dict(given)
        if dims is not None:
            tensors |= {name: layer[name].expand(len(members), -1, -1) for name in _read(steps, layer)}
        if example.kv_heads is not None and shares(example.heads[members[0]]):
            tensors |= _borrowed(example, members, steps, groups)
        for step in steps:
            tensors[step.name] = _OPERATIONS[step.op](step, tensors, constants)
        groups.append((members, tensors))
    if inputs.layer_steps:
        layer["head_outputs"] = in_head_order(groups, "head_outputs")
    for step in inputs.layer_steps:
        layer[step.name] = _OPERATIONS[step.op](step, layer, constants)
    return Trace(example, inputs.place, tuple(groups), layer)


def _read(steps: tuple[Step, ...], names: Mapping[str, Tensor]) -> set[str]:
    """Which of these names the steps read."""
    return {name for step in steps for name in step.operand_names if name in names}


def _borrowed(
    example: Example,
    members: tuple[int, ...],
    steps: tuple[Step, ...],
    groups: Sequence[tuple[tuple[int, ...], Mapping[str, Tensor]]],
) -> dict[str, Tensor]:
    """Keys and values of the heads that hold them for these heads, g × rows × columns."""
    held = {head: (tensors, at) for heads, tensors in groups for at, head in enumerate(heads)}
    wanted = {name for step in steps for name in step.operand_names if name in SHARED}
    borrowed = {}
    for name in wanted:
        places = [held[owner(example, name, head)] for head in members]
        borrowed[name] = torch.stack([tensors[name][at] for tensors, at in places])
    return borrowed


class Constants(NamedTuple):
    """What steps need beside their operands."""

    divisor: float | None
    fill: float
    masked: bool
    dims: Dims | None = None
    """Only where positions or pairs of tokens need them."""


def _matmul(step: Step, tensors: Mapping[str, Tensor], constants: Constants) -> Tensor:
    left, right, *bias = step.operands
    a, b = tensors[left.name], tensors[right.name]
    if right.index == "jk":
        b = b.mT
    elif left.index == "(ij)k":
        scores: Tensor = torch.bmm(a, b.mT).view(len(a), -1, constants.dims.n_k)  # type: ignore[union-attr]
        return scores
    if bias:
        add = torch.baddbmm if step.per_head else torch.addmm
        return add(tensors[bias[0].name], a, b)
    return torch.bmm(a, b) if step.per_head else torch.mm(a, b)


def _divide(step: Step, tensors: Mapping[str, Tensor], constants: Constants) -> Tensor:
    return tensors[step.operands[0].name] / constants.divisor  # type: ignore[operator]  # a divide step has one


def _hide(step: Step, tensors: Mapping[str, Tensor], constants: Constants) -> Tensor:
    scores, allow = (tensors[operand.name] for operand in step.operands)
    return scores.masked_fill(allow == 0, constants.fill)


def _add(step: Step, tensors: Mapping[str, Tensor], _: Constants) -> Tensor:
    a, b = (tensors[operand.name] for operand in step.operands)
    if step.index == "(ij)c":
        return (a.unsqueeze(-2) + b.unsqueeze(-3)).flatten(-3, -2)
    return a + b


def _multiply(step: Step, tensors: Mapping[str, Tensor], _: Constants) -> Tensor:
    a, b = (tensors[operand.name] for operand in step.operands)
    return a * b


def _tanh(step: Step, tensors: Mapping[str, Tensor], _: Constants) -> Tensor:
    return torch.tanh(tensors[step.operands[0].name])


def _norm(step: Step, tensors: Mapping[str, Tensor], _: Constants) -> Tensor:
    return norm(tensors[step.operands[0].name], -1)


def norm(numbers: Tensor, axes: int | tuple[int, ...]) -> Tensor:
    """√Σ x² along ``axes``, which stay with a size of 1.

    The square of 1e-200 is 0 and that of 1e200 is ∞: such numbers are divided by the largest of them first.
    """
    range_ = torch.finfo(numbers.dtype)
    largest = numbers.detach().abs().amax(axes, keepdim=True)
    far = (largest < range_.tiny**0.25) | (largest > range_.max**0.25)
    unit = torch.where(far, largest.clamp(min=range_.tiny), 1.0)
    norms: Tensor = torch.linalg.vector_norm(numbers / unit, dim=axes, keepdim=True) * unit
    return norms


def _normalize(step: Step, tensors: Mapping[str, Tensor], _: Constants) -> Tensor:
    rows, norms = (tensors[operand.name] for operand in step.operands)
    nowhere = norms == 0
    if rows.requires_grad:  # the derivative of 0 ÷ 0 is NaN, even where nothing is made of it
        norms = norms.masked_fill(nowhere, 1.0)
    return (rows / norms).masked_fill(nowhere, 0.0)


def _sinusoid(step: Step, tensors: Mapping[str, Tensor], constants: Constants) -> Tensor:
    angles = tensors[step.operands[0].name]
    columns = constants.dims.shape(step.name)[1]  # type: ignore[union-attr]  # there are positions
    return _interleaved(torch.sin(angles), torch.cos(angles))[..., :columns]


def _rotate(step: Step, tensors: Mapping[str, Tensor], _: Constants) -> Tensor:
    rows, angles = (tensors[operand.name] for operand in step.operands)
    a, b, cos, sin = rows[..., 0::2], rows[..., 1::2], torch.cos(angles), torch.sin(angles)
    return _interleaved(a * cos - b * sin, a * sin + b * cos)


def _interleaved(first: Tensor, second: Tensor) -> Tensor:
    """Columns of the one and of the other in turn."""
    return torch.stack((first, second), -1).flatten(-2)


def _linear_bias(step: Step, tensors: Mapping[str, Tensor], _: Constants) -> Tensor:
    slope, of_query, of_key = (tensors[operand.name] for operand in step.operands)
    return 0.0 - slope * (of_query - of_key.mT).abs()  # from 0, so that no −0 comes out


def _softmax(step: Step, tensors: Mapping[str, Tensor], constants: Constants) -> Tensor:
    scores = tensors[step.operands[0].name]
    if not constants.masked:
        return torch.softmax(scores, -1)
    # A row of −∞ alone comes out as NaN, and so does its derivative; such a query attends to nothing.
    dead = scores.amax(-1, keepdim=True) == NEG_INF
    if scores.requires_grad:
        scores = scores.masked_fill(dead, 0.0)
    return torch.softmax(scores, -1).masked_fill(dead, 0.0)


def _concat(step: Step, tensors: Mapping[str, Tensor], _: Constants) -> Tensor:
    heads = tensors[step.operands[0].name]
    return heads.transpose(-3, -2).flatten(-2)


def _sum(step: Step, tensors: Mapping[str, Tensor], _: Constants) -> Tensor:
    terms, *bias = (tensors[operand.name] for operand in step.operands)
    total: Tensor = terms.sum(-3)
    return total + bias[0] if bias else total


def operate(step: Step, tensors: Mapping[str, Tensor], constants: Constants) -> Tensor:
    """Run one declared step on other numbers than the example's: each operand B × rows × columns.

    For ``concat`` and ``sum`` what comes from the heads is B × h × rows × columns.
    """
    return _OPERATIONS[step.op](replace(step, per_head=True), tensors, constants)


_OPERATIONS: dict[Operation, Callable[[Step, Mapping[str, Tensor], Constants], Tensor]] = {
    "matmul": _matmul,
    "divide": _divide,
    "hide": _hide,
    "add": _add,
    "softmax": _softmax,
    "concat": _concat,
    "multiply": _multiply,
    "tanh": _tanh,
    "norm": _norm,
    "normalize": _normalize,
    "sinusoid": _sinusoid,
    "rotate": _rotate,
    "linear_bias": _linear_bias,
    "sum": _sum,
}


def _load_group(
    example: Example, steps: tuple[Step, ...], members: list[int], where: Place
) -> dict[str, Tensor]:
    """The inputs of one group of heads, each g × rows × columns, layer inputs expanded over g.

    Positions and what is computed before the heads come with the layer, shared keys and values from other heads.
    """
    elsewhere = {step.name for step in steps}
    if example.positions is not None:
        elsewhere.update(EARLY_STEPS, POSITION_INPUTS)
    first = example.heads[members[0]]
    if shares(first):
        elsewhere.update(SHARED)
    wanted = dict.fromkeys(name for step in steps for name in step.operand_names if name not in elsewhere)
    if first.weights is not None:
        wanted["weights"] = None  # where a head starts, though nothing need read them
    if example.kv_heads not in (None, len(example.heads)):
        wanted |= dict.fromkeys(name for name in ("k", "v") if getattr(first, name) is not None)  # for others
    blocks = {
        name: [
            input_matrix(example, name, head) for head in (members[:1] if name in LAYER_INPUTS else members)
        ]
        for name in wanted
    }
    loaded = _to_device(blocks, where)  # type: ignore[arg-type]  # a validated example lacks none of them
    return {
        name: tensor.expand(len(members), -1, -1) if name in LAYER_INPUTS else tensor
        for name, tensor in loaded.items()
    }


def _to_device(blocks: Mapping[str, list[Rows]], where: Place) -> dict[str, Tensor]:
    """Name → g × rows × columns, all views of one buffer, so that a device is sent to only once."""
    if not blocks:
        return {}
    flat = array("d")
    for block in blocks.values():
        for rows in block:
            for row in rows:
                flat.extend(row)
    buffer = torch.frombuffer(flat, dtype=torch.float64).to(where.device, where.torch_dtype)
    shapes = [(len(block), len(block[0]), len(block[0][0])) for block in blocks.values()]
    parts = buffer.split_with_sizes([g * rows * cols for g, rows, cols in shapes])
    return {name: part.view(shape) for name, part, shape in zip(blocks, parts, shapes, strict=True)}


def in_head_order(groups: Sequence[tuple[tuple[int, ...], Mapping[str, Tensor]]], name: str) -> Tensor:
    """One step of all heads, such as their outputs, h × n_q × d_v, in the order of the heads."""
    if len(groups) == 1:
        return groups[0][1][name]
    order = [head for members, _ in groups for head in members]
    stacked = torch.cat([tensors[name] for _, tensors in groups])
    return stacked[torch.tensor(order).argsort().to(stacked.device)]


def _check_mask(example: Example) -> None:
    """A mask's numbers have no bounds of their own, and one that float32 turned into −∞ would hide a pair."""
    mask = example.mask
    given = mask.add if isinstance(mask, AddMask) else ((mask_fill(example),),)
    if any(MAX_FLOAT32 < abs(number) < float("inf") for row in given for number in row):
        raise NumberRangeError(N_("a number grew beyond what float32 can hold"), place="mask")


def _check_range(computed: Trace) -> None:
    for step in computed.steps:
        if step.name in HIDES:
            continue  # −∞ is what these are for
        heads = computed.values[step.name] if step.per_head else [computed.values[step.name]]
        for rows in heads:
            for row in rows or ():
                if any(not (abs(v) < float("inf")) for v in row):
                    raise NumberRangeError(N_("a number grew beyond what float32 can hold"), place=step.name)
