"""Computing an example with torch, step by step as ``graph`` declares it, batched over heads."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import torch
from torch import Tensor

from mha_core.compute.backward import Backward, backward
from mha_core.compute.backward_run import run_backward, target_matrix
from mha_core.compute.device import Backend, backend
from mha_core.compute.graph import early_steps, graph, head_graph, late_steps
from mha_core.compute.operation import Sized
from mha_core.compute.operations import OPERATIONS, Step
from mha_core.errors import N_, CellError, InteropError, NumberRangeError, needs
from mha_core.example.model import (
    NEG_INF,
    AddMask,
    Example,
    Row,
    allow_matrix,
    has_own_masks,
    head_mask,
    key_tokens,
    kv_head_of,
    mask_fill,
    masks_of,
    position_inputs,
    setting,
    uses_shared_kv,
)
from mha_core.notebook import html_of
from mha_core.quoted import quoted
from mha_core.vocabulary import (
    AXES,
    BACKWARD_STEPS,
    EARLY_STEPS,
    ENTRY,
    HEAD_ROWS,
    HIDES,
    LATE_STEPS,
    LAYER_INPUTS,
    PER_HEAD,
    PER_HEAD_STEPS,
    POSITION_INPUTS,
    SETTINGS,
    SHARED,
    TARGETS,
    WHOLE_LAYER_STEPS,
)

Rows: TypeAlias = list[list[float]]
"""A matrix as Python numbers, read off the device."""

_ROWS = frozenset((*HEAD_ROWS, "b_o"))
_LAYER_INPUTS = frozenset(LAYER_INPUTS)
_BACKWARD = frozenset(BACKWARD_STEPS)
_GOALS = frozenset((*TARGETS.values(), "given_rows"))

MAX_FLOAT32 = torch.finfo(torch.float32).max


@dataclass(frozen=True)
class Trace:
    """Every number of an example.

    ``groups``: heads that share the same steps, with their tensors by step name, each g × rows × columns for the
    g heads of the group (one group unless some heads start further on). ``layer``: the steps of the whole layer,
    rows × columns. Shapes by name: q: h × n_q × d_k, weights: h × n_q × n_k, head_outputs: h × n_q × d_v,
    concat: n_q × (h·d_v), output: n_q × d_out; all of them are in ``vocabulary.AXES``. Without V the weights are the
    last step.
    """

    example: Example
    backend: Backend
    groups: tuple[tuple[tuple[int, ...], Mapping[str, Tensor]], ...]
    layer: Mapping[str, Tensor]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The declared steps that this trace has computed."""
        return graph(self.example)

    @cached_property
    def cells(self) -> int:
        """How many numbers there are in total, given ones and those of every step."""
        parts = (*(tensors for _, tensors in self.groups), self.layer)
        return sum(
            tensor.numel() for tensors in parts for name, tensor in tensors.items() if name not in SETTINGS
        )

    @cached_property
    def values(self) -> dict[str, Any]:
        """Numbers by step name, in order: a list over heads (None where a head has no such step) or one matrix.

        What a head starts from is listed as if it had been computed. Keys and values that heads share are listed for
        the first head of the group; the others have None.
        """
        heads: dict[str, list[Rows | None]] = {}
        shared = self.example.kv_heads is not None
        for members, tensors in self.groups:
            for name, tensor in tensors.items():
                if name in PER_HEAD_STEPS:
                    rows = heads.setdefault(name, [None] * len(self.example.heads))
                    for head, matrix in zip(members, tensor.tolist(), strict=True):
                        if not shared or kv_head_of(self.example, name, head) == head:
                            rows[head] = matrix
        early = {name: self.layer[name].tolist() for name in EARLY_STEPS if name in self.layer}
        ordered = {name: heads[name] for name in PER_HEAD_STEPS if any(heads.get(name, ()))}
        return (
            early | ordered | {name: self.layer[name].tolist() for name in LATE_STEPS if name in self.layer}
        )

    @cached_property
    def declared_backward(self) -> Backward:
        """The declared backward pass; without any steps where the example has no goal."""
        return backward(self.example)

    @cached_property
    def backward(self) -> dict[str, Any]:
        """Numbers of the loss and of the backward pass by name, as ``values``; computed when first read. Empty where
        the example has no goal. Raises as ``run_backward`` does.
        """
        return run_backward(self)

    @cached_property
    def fully_masked(self) -> tuple[tuple[bool, ...], ...]:
        """h × n_q: True where a query may attend to nothing, so that its weights and head output are 0."""
        masked = self.values.get("masked_scores")
        rows = masked or [None] * len(self.example.heads)
        n_q = len(self.example.tokens)
        return tuple(
            tuple(all(v == NEG_INF for v in row) for row in head) if head else (False,) * n_q for head in rows
        )

    @cached_property
    def hidden(self) -> tuple[tuple[tuple[bool, ...], ...], ...]:
        """h × n_q × n_k: True where the mask hides the key from the query: its score is −∞, or the mask's fill in place
        of its score gives it the weight 0. Always False in a head that starts from its weights.
        """
        none = ((False,) * self.example.dims.n_k,) * self.example.dims.n_q
        masked = self.values.get("masked_scores") or [None] * len(self.example.heads)
        return tuple(
            none if rows is None else _hidden(rows, weights, allow_matrix(self.example, head))
            for head, (rows, weights) in enumerate(zip(masked, self.values["weights"], strict=True))
        )

    @cached_property
    def shifts(self) -> tuple[tuple[float, ...], ...]:
        """h × n_q: what is subtracted from the scores of a row before exponentiation; it changes no weight.

        0 where e^score is readable for every row of a head. Where any row would show long numbers, or only zeros, the
        largest score of each row, or the sink if it is larger. () for a head that starts from its weights.
        """
        softmax = next((step for step in self.steps if step.op == "softmax"), None)
        scored = self.values[softmax.operands[0].name] if softmax else [None] * len(self.example.heads)
        sinks = [head.sink or () for head in self.example.heads]
        return tuple(map(_shifts_of, scored, sinks))

    def __repr__(self) -> str:
        return (
            f"Trace({self.example!r}, {self.backend.device}, {self.backend.dtype}: {', '.join(self.values)})"
        )

    def _repr_html_(self) -> str | None:
        """The interactive page that a notebook shows; None where no package can render it."""
        return html_of(self)

    def __getitem__(self, name: str) -> Tensor:
        """A step or an input as a new tensor: ``trace["weights"]``. Raises ``CellError`` as ``matrix`` does.

        Axes: q: h × n_q × d_k · k: h × n_k × d_k · v: h × n_k × d_v · scores, scaled_scores, masked_scores, weights:
        h × n_q × n_k · head_outputs: h × n_q × d_v · concat: n_q × (h·d_v) · output: n_q × d_out · x: n_q × d_model ·
        w_q: h × d_model × d_k. Per-head matrices have the axis h before the axes of ``vocabulary.AXES``; what heads
        share is repeated for each of them.
        """
        if name in LAYER_INPUTS or name in WHOLE_LAYER_STEPS or (name in _BACKWARD and name not in PER_HEAD):
            rows: Any = self.matrix(name)
        else:
            heads = range(len(self.example.heads))
            rows = [self.matrix(name, kv_head_of(self.example, name, head)) for head in heads]
        return torch.tensor(rows, dtype=self.backend.torch_dtype, device=self.backend.device)

    def numpy(self, name: str) -> Any:
        """``trace[name]`` as a NumPy array, with the same axes."""
        with needs("numpy", "notebook", InteropError):
            import numpy  # noqa: F401  # torch's own message does not say what to install
        return self[name].numpy(force=True)

    def to_pandas(self, name: str) -> Any:
        """``trace[name]`` as a pandas ``DataFrame``. Queries and keys are labelled by their tokens, all else from 0.

        The index of what each head has its own of is (h, row): ``trace.to_pandas("weights").loc[0]`` is head 0's.
        """
        with needs("pandas", "notebook", InteropError):
            import pandas as pd

        tensor, (rows, cols) = self[name], ENTRY[name].axes
        tokens = {"n_q": self.example.tokens, "n_k": key_tokens(self.example)}
        index, columns = (
            pd.Index(tokens.get(axis) or range(size), name=axis)
            for axis, size in zip((rows, cols), tensor.shape[-2:], strict=True)
        )
        if tensor.ndim == 3:
            index = pd.MultiIndex.from_product([range(len(tensor)), index], names=["h", rows])
        return pd.DataFrame(tensor.flatten(0, -2).numpy(force=True), index=index, columns=columns)

    def matrix(self, name: str, head: int | None = None) -> Rows:
        """The numbers of a step or of an input, by name; ``head`` for what every head has its own of.

        A bias is a matrix of one row, the mask one of numbers (1 may attend, 0 may not, or what is added).
        Raises ``CellError`` where this example has no such matrix.
        """
        shared = name not in PER_HEAD
        rows = None
        if shared == (head is None):
            rows = self._given_or_computed(name, head)
        if rows is None:
            raise self._absent(name, head, shared=shared)
        return rows

    def has(self, name: str, head: int | None = None) -> bool:
        """Whether there is such a matrix, of this head or of the layer."""
        return (name in PER_HEAD) == (head is not None) and self._given_or_computed(name, head) is not None

    @property
    def names(self) -> tuple[str, ...]:
        """Which inputs and steps this example has, in the order in which they are computed."""
        heads = (None, *range(len(self.example.heads)))
        return tuple(
            name for name in AXES if any(self._given_or_computed(name, head) is not None for head in heads)
        )

    def _absent(self, name: str, head: int | None, *, shared: bool) -> CellError:
        """The error for a matrix that is not there. Where the example has it, the head is at fault."""
        last = len(self.example.heads) - 1
        if shared and self._given_or_computed(name, None):
            return CellError(N_("{name} belongs to the whole layer; do not give a head"), name=name)
        if not shared and any(self._given_or_computed(name, index) for index in range(last + 1)):
            if head is None:
                return CellError(
                    N_("{name} has one matrix per head; give a head, 0 to {last}"),
                    name=name,
                    last=last,
                )
            if not 0 <= head <= last:
                return CellError(N_("expected a head from 0 to {last}, got {head}"), last=last, head=head)
        shown = name if name in AXES else quoted(name)
        return CellError(
            N_("there is no {name} here; this example has {known}"),
            name=shown if head is None else f"{shown}, head {head}",
            known=", ".join(self.names),
        )

    def _given_or_computed(self, name: str, head: int | None) -> Rows | None:
        return self._computed(name, head) or input_matrix(self.example, name, head)

    def _computed(self, name: str, head: int | None) -> Rows | None:
        rows: Any = self.backward.get(name) if name in _BACKWARD else self.values.get(name)
        if rows is not None and head is not None:
            rows = rows[head] if 0 <= head < len(rows) else None
        return rows  # type: ignore[no-any-return]  # one matrix, of the layer or from the list over heads


LEAST_POWER, MOST_POWER = -2.0, 9.0
"""e^−2 = 0.1353, e^9 = 8103.0839: with every row's largest score between these, powers are easy to read and type."""


def _shifts_of(scores: Rows | None, sink: Row) -> tuple[float, ...]:
    tops = [max((*row, *sink)) for row in scores or ()]
    if all(LEAST_POWER <= top <= MOST_POWER for top in tops if top != NEG_INF):
        return (0.0,) * len(tops)
    return tuple(0.0 if top == NEG_INF else top for top in tops)


def input_matrix(example: Example, name: str, head: int | None = None) -> Rows | None:
    """A given matrix by name, as rows; None where the example has none."""
    if name in SETTINGS:
        return None if (number := setting(example, name)) is None else [[number]]
    if name == "mask":
        return None if has_own_masks(example) else _mask_rows(example)
    if name == "head_mask":
        return None if head is None or not 0 <= head < len(example.heads) else head_mask(example, head)
    if name in _GOALS:
        return target_matrix(example, name, head)
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
    ``settings``: plain numbers.
    """

    example: Example
    backend: Backend
    groups: tuple[tuple[tuple[int, ...], tuple[Step, ...], Mapping[str, Tensor]], ...]
    early_steps: tuple[Step, ...]
    layer_steps: tuple[Step, ...]
    layer: Mapping[str, Tensor]
    settings: Mapping[str, Any]


def trace(example: Example, where: Backend | None = None) -> Trace:
    """Compute every step of ``example``: ``compute(load(example))``.

    A row that may attend to nothing has weights 0 and head output 0. Raises ``NumberRangeError`` where float32
    cannot hold a number (float64 always can: given numbers are bounded).

    Source: Vaswani et al. 2017, "Attention Is All You Need", sections 3.2.1 and 3.2.2.
    """
    where = where or backend()
    if where.dtype == "float32":
        _require_mask_in_range(example)
    computed = compute(load(example, where))
    if where.dtype == "float32":
        _require_in_range(computed)
    return computed


def load(example: Example, where: Backend) -> Inputs:
    """Send an example's numbers to the device, heads that share their steps stacked; borrowers of keys come last."""
    by_steps: dict[tuple[bool, tuple[Step, ...]], list[int]] = {}
    for index, head in enumerate(example.heads):
        by_steps.setdefault((uses_shared_kv(head), head_graph(example, head)), []).append(index)
    groups = tuple(
        (tuple(members), steps, _load_group(example, steps, members, where))
        for (_, steps), members in sorted(by_steps.items(), key=lambda item: item[0][0])
    )
    early, late = early_steps(example), late_steps(example)
    names = dict.fromkeys(position_inputs(example))
    names |= dict.fromkeys(
        name for step in (*early, *late) for name in step.operand_names if name in _LAYER_INPUTS
    )
    blocks = {name: [input_matrix(example, name)] for name in names}
    layer = {name: tensor[0] for name, tensor in _to_device(blocks, where).items()}  # type: ignore[arg-type]
    read = {name for _, steps in by_steps for step in steps for name in step.operand_names}
    settings = {name: setting(example, name) for name in SETTINGS if name in read}
    return Inputs(example, where, groups, early, late, layer, settings)


def compute(inputs: Inputs) -> Trace:
    """Run the declared steps on loaded numbers, in ``torch.inference_mode``."""
    with torch.inference_mode():
        return run(inputs)


def run(inputs: Inputs) -> Trace:
    """Run the declared steps on loaded numbers, in the mode that torch is in: ``gradients`` has it keep a tape.

    The numbers are the same in every mode, bit for bit.
    """
    example = inputs.example
    layer = {**inputs.settings, **inputs.layer}
    for step in inputs.early_steps:
        layer[step.name] = operate(step, layer, example)
    groups: list[tuple[tuple[int, ...], Mapping[str, Tensor]]] = []
    for members, steps, given in inputs.groups:
        tensors = {**inputs.settings, **given}
        if example.positions is not None:
            read = _read(steps, layer) - inputs.settings.keys()
            tensors |= {name: layer[name].expand(len(members), -1, -1) for name in read}
        if example.kv_heads is not None and uses_shared_kv(example.heads[members[0]]):
            tensors |= _borrowed(example, members, steps, groups)
        for step in steps:
            tensors[step.name] = operate(step, tensors, example)
        groups.append((members, tensors))
    for step in inputs.layer_steps:
        if step.gathers:
            layer[step.gathers] = in_head_order(groups, step.gathers)
        layer[step.name] = operate(step, layer, example)
    return Trace(example, inputs.backend, tuple(groups), layer)


def _read(steps: tuple[Step, ...], names: Mapping[str, Tensor]) -> set[str]:
    """Which of these names the steps read."""
    return {name for step in steps for name in step.operand_names if name in names}


def _borrowed(
    example: Example,
    members: tuple[int, ...],
    steps: tuple[Step, ...],
    groups: Sequence[tuple[tuple[int, ...], Mapping[str, Tensor]]],
) -> dict[str, Tensor]:
    """Keys and values that these heads share with others, from the heads that own them, g × rows × columns."""
    owners = {head: (tensors, at) for heads, tensors in groups for at, head in enumerate(heads)}
    wanted = {name for step in steps for name in step.operand_names if name in SHARED}
    borrowed = {}
    for name in wanted:
        places = [owners[kv_head_of(example, name, head)] for head in members]
        borrowed[name] = torch.stack([tensors[name][at] for tensors, at in places])
    return borrowed


def operate(
    step: Step,
    tensors: Mapping[str, Tensor],
    example: Sized,
    *,
    head: int | None = None,
    in_place: bool = False,
) -> Tensor:
    """Run one declared step on numbers by name, each … × rows × columns; what is read from every head is … × h × rows ×
    columns. ``head``: the one whose part is wanted of a step that gives those of all. ``in_place``: the first operand
    may be overwritten.
    """
    operation = OPERATIONS[step.op]
    run = (in_place and operation.in_place) or operation.run
    result = run(step, [tensors[operand.name] for operand in step.operands], example)
    return result[..., head or 0, :, :] if step.own_head else result


def _load_group(
    example: Example, steps: tuple[Step, ...], members: list[int], where: Backend
) -> dict[str, Tensor]:
    """The inputs of one group of heads, each g × rows × columns, layer inputs expanded over g.

    Left out are positions and the layer's early steps, which the layer has, and what other heads share.
    """
    elsewhere = {step.name for step in steps}.union(SETTINGS)
    if example.positions is not None:
        elsewhere.update(EARLY_STEPS, POSITION_INPUTS)
    first = example.heads[members[0]]
    if uses_shared_kv(first):
        elsewhere.update(SHARED)
    wanted = dict.fromkeys(name for step in steps for name in step.operand_names if name not in elsewhere)
    if first.weights is not None:
        wanted["weights"] = None  # the head starts from them, even if no step reads them
    if example.kv_heads not in (None, len(example.heads)):
        wanted |= dict.fromkeys(name for name in ("k", "v") if getattr(first, name) is not None)  # for others
    blocks = {
        name: [
            input_matrix(example, name, head) for head in (members[:1] if name in _LAYER_INPUTS else members)
        ]
        for name in wanted
    }
    loaded = _to_device(blocks, where)  # type: ignore[arg-type]  # a validated example lacks none of them
    return {
        name: tensor.expand(len(members), -1, -1) if name in _LAYER_INPUTS else tensor
        for name, tensor in loaded.items()
    }


def _to_device(blocks: Mapping[str, list[Rows]], where: Backend) -> dict[str, Tensor]:
    """Name → g × rows × columns, all views of one buffer, so that there is a single transfer to the device."""
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


def _hidden(
    scores: Rows, weights: Rows, allow: Sequence[Sequence[bool]] | None
) -> tuple[tuple[bool, ...], ...]:
    allowed = allow or [[True] * len(scores[0])] * len(scores)
    return tuple(
        tuple(s == NEG_INF or not (w or may) for s, w, may in zip(*row, strict=True))
        for row in zip(scores, weights, allowed, strict=True)
    )


def in_head_order(groups: Sequence[tuple[tuple[int, ...], Mapping[str, Tensor]]], name: str) -> Tensor:
    """One step of all heads, such as their outputs, h × n_q × d_v, in the order of the heads."""
    if len(groups) == 1:
        return groups[0][1][name]
    order = [head for members, _ in groups for head in members]
    stacked = torch.cat([tensors[name] for _, tensors in groups])
    return stacked[torch.tensor(order).argsort().to(stacked.device)]


def _require_mask_in_range(example: Example) -> None:
    """Raises ``NumberRangeError`` where a number of the mask becomes −∞ in float32 and would hide a pair."""
    added = (row for mask in masks_of(example) if isinstance(mask, AddMask) for row in mask.add)
    given = (*added, (mask_fill(example),))
    if any(MAX_FLOAT32 < abs(number) < float("inf") for row in given for number in row):
        raise NumberRangeError(N_("a number exceeded the range of float32"), place="mask")


def _require_in_range(computed: Trace) -> None:
    for step in computed.steps:
        if step.name in HIDES:
            continue  # −∞ is what these are for
        heads = computed.values[step.name] if step.per_head else [computed.values[step.name]]
        for rows in heads:
            for row in rows or ():
                if any(not (abs(v) < float("inf")) for v in row):
                    raise NumberRangeError(N_("a number exceeded the range of float32"), place=step.name)
