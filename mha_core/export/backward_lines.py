"""The backward pass of an example as lines of NumPy: one for each declared step, and an assertion for each matrix.

    d_scaled_scores_1 = weights[0] * (d_weights_1 - softmax_sums_1)
    d_scores_1 = d_scaled_scores_1 / divisor
    d_w_q_1 = x.T @ d_q_1

A name ends with the number of its head, as on the page. The lines follow those of ``templates.NUMPY``, whose variables
they read. A matrix of the forward pass that these do not keep is computed again if it is a product, and else given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from mha_core.compute.backward_run import heads_read
from mha_core.compute.graph import head_graph
from mha_core.compute.operation import Operand, alignments, inner_size
from mha_core.compute.operation import axes as letters_of
from mha_core.compute.operations import Product, Step
from mha_core.compute.trace import Trace, input_matrix
from mha_core.example.model import kv_head_of, setting
from mha_core.export.sheet import Sheet
from mha_core.vocabulary import ENTRY, PER_HEAD, SETTINGS, TARGETS

_CELLS: Final[Mapping[str, Callable[..., str]]] = {
    "add_up": lambda *parts: " + ".join(parts),
    "subtract": lambda a, b, g="": f"{g} * ({a} - {b})" if g else f"{a} - {b}",
    "cross_step": lambda target, a: f"-{target} / np.where({target} == 0, 1, {a})",
    "softmax_step": lambda a, d, r: f"{a} * ({d} - {r})",
    "unmask": lambda d, allow: f"np.where({allow}, {d}, 0)",
    "sink_step": lambda a, r: f"-{a} * {r}",
    "tanh_step": lambda d, t: f"{d} * (1 - {t}**2)",
    "softcap_step": lambda d, a, cap: f"{d} * (1 - ({a} / {cap})**2)",
    "normalize_step": lambda d, n, d_n, u: (
        f"np.where({n} == 0, 0, {d} / np.where({n} == 0, 1, {n}) + {d_n} * {u})"
    ),
    "rms_step": lambda d, g, r, d_r, a, columns: f"{d} * {g} / {r} + {d_r} * {a} / ({columns} * {r})",
    "divide": lambda a, by: f"{a} / {by}",
    "multiply": lambda a, b: f"{a} * {b}",
    "copy": lambda a: a,
}
"""Cell by cell: the expression of the operands, each along the letters of the result."""
_ROWS: Final[Mapping[str, Callable[..., str]]] = {
    "squared_error": lambda a, b, g="": (
        f"{f'{g} * ' if g else ''}(({a} - {b})**2).sum(axis=1, keepdims=True) / 2"
    ),
    "cross_entropy": lambda target, a: (
        f"-({target} * np.log(np.where({target} == 0, 1, {a}))).sum(axis=1, keepdims=True)"
    ),
    "row_sums": lambda a, b: f"({a} * {b}).sum(axis=1, keepdims=True)",
    "norm_step": lambda d, u, n: (
        f"-np.where({n} == 0, 0, {d} * {u} / np.where({n} == 0, 1, {n})).sum(axis=1, keepdims=True)"
    ),
    "gain_step": lambda d, a, r: f"({d} * {a} / {r}).sum(axis=0, keepdims=True)",
    "distance_sums": lambda d, p, q: f"-({d} * abs({p} - {q}.T)).sum(axis=1, keepdims=True)",
    "rotate_back": lambda d, angles: f"rotate({d}, -{angles})",
    "pairs": lambda a: f"{a}.reshape(-1, 1)",
}
"""Whole rows, as the operands are."""


class BackwardLines:
    """The lines of one example's backward pass."""

    def __init__(self, sheet: Sheet, computed: Trace) -> None:
        self.sheet, self.trace, self.example = sheet, computed, computed.example
        self.lines: list[str] = []
        self.known: set[str] = set()

    def text(self) -> str:
        """A line for each step, then the assertions."""
        places = list(self.trace.declared_backward.places())
        for step, head in places:
            written = self._expression(step, head)
            self.lines.append(f"{_variable(step.name, head)} = {written}")
        return "\n".join([*self.lines, "", *(self._assertion(step.name, head) for step, head in places)])

    def _assertion(self, name: str, head: int | None) -> str:
        rows = self.sheet.matrix(self.trace.matrix(name, head))
        atol = self.sheet.values["atol"]
        return (
            f"np.testing.assert_allclose({_variable(name, head)}, np.array({rows}), rtol=1e-9, atol={atol})"
        )

    # --- a step ---------------------------------------------------------------------------------------------------

    def _expression(self, step: Step, head: int | None) -> str:
        if step.op == "sum":
            name = step.gathers
            heads = heads_read(self.example, self.trace.declared_backward, name, step.name, head)
            return " + ".join(_variable(name, at) for at in heads)
        names = [self._operand(operand, head) for operand in step.operands]
        match step.op:
            case "matmul":
                return self._product(step, names)
            case "total":
                return self._total(step, names[0])
            case "block":
                width = self.example.dims.d_v
                return f"{names[0]}[:, {(head or 0) * width}:{((head or 0) + 1) * width}]"
            case "sink_softmax":
                return f"1 - {self._forward('weights', head)}.sum(axis=1, keepdims=True)"
            case op if op in _ROWS:
                return _ROWS[op](*names)
        return _CELLS[step.op](*self._aligned(step, names))

    def _product(self, step: Step, names: Sequence[str]) -> str:
        left, right, *bias = names
        plan = step.plan
        assert isinstance(plan, Product)  # noqa: S101  # of every matmul
        if "(" in step.operands[0].index:  # rows of pairs times a vector
            product = f"{left} @ {right}.T"
        else:
            product = f"{left}{'.T' * plan.left_transposed} @ {right}{'.T' * plan.right_transposed}"
        if plan.split:
            product = f"({product}).reshape({self.example.dims.n_q}, {self.example.dims.n_k})"
        return " + ".join((product, *bias))

    def _total(self, step: Step, name: str) -> str:
        pair, axis = step.plan
        if pair:
            shape = f"({self.example.dims.n_q}, {inner_size(pair, self.example.dims)}, -1)"
            return f"{name}.reshape{shape}.sum(axis={axis % 3})"
        return f"{name}.sum(axis={axis % 2}, keepdims=True)"

    def _aligned(self, step: Step, names: Sequence[str]) -> Iterator[str]:
        rows, _ = letters_of(step.name, step.index)
        plans = alignments(step) or [()] * len(names)
        for operand, name, plan in zip(step.operands, names, plans, strict=True):
            if plan is None:
                yield f"{name}.T"
            elif len(rows) == 2 and len(operand.index) == 2 and "(" not in operand.index:
                yield f"{name}.reshape(-1, 1)"  # a number for each pair, one below the other
            else:
                yield name

    # --- what a step reads ------------------------------------------------------------------------------------------

    def _operand(self, operand: Operand, head: int | None) -> str:
        name = operand.name
        if name in SETTINGS:
            return "divisor" if name == "divisor" else self.sheet.number(setting(self.example, name) or 0.0)
        owner = kv_head_of(self.example, name, head) if head is not None and name in PER_HEAD else None
        if ENTRY[name].scope in ("backward", "head backward") and name not in (
            *TARGETS.values(),
            "given_rows",
        ):
            return _variable(name, owner)
        return self._forward(name, owner)

    def _forward(self, name: str, head: int | None) -> str:
        """A variable of the program; a matrix that has none gets one."""
        variable = _variable(name, head)
        if variable in self.known:
            return variable
        if name in _VARIABLES:
            return _VARIABLES[name]
        if name == "mask":
            return "allow"
        if name == "head_mask":
            return f'heads[{head}]["allow"]'
        if name in ("weights", "head_outputs"):
            return f"{name}[{head}]"
        if (
            head is not None
            and name[0] in "wbug"
            and getattr(self.example.heads[head], name, None) is not None
        ):
            return f'heads[{head}]["{name}"]'
        step = self._product_step(name, head)
        written = (
            self._product(step, [self._operand(operand, head) for operand in step.operands])
            if step
            else f"np.array({self.sheet.matrix(self.trace.matrix(name, head))})"
        )
        self.known.add(variable)
        self.lines.append(f"{variable} = {written}")
        return variable

    def _product_step(self, name: str, head: int | None) -> Step | None:
        """The step of a matrix that is a plain product, such as Q; None where a head starts from it, too."""
        if head is None or input_matrix(self.example, name, head) is not None:
            return None
        steps = {step.name: step for step in head_graph(self.example, self.example.heads[head])}
        step = steps.get(name)
        return (
            step if step and step.op == "matmul" and "(" not in step.index + step.operands[0].index else None
        )


_VARIABLES: Final = {
    "x": "x",
    "context": "context",
    "x_positioned": "x",
    "context_positioned": "context",
    "w_o": "w_o",
    "concat": "concat",
    "output": "output",
    "angles": "angles",
    "context_angles": "context_angles",
    "position_ids": "positions[:, None]",
    "context_position_ids": "context_positions[:, None]",
}
"""The variables of ``templates.NUMPY``, by matrix; X with its positions replaces X."""


def _variable(name: str, head: int | None) -> str:
    return name if head is None else f"{name}_{head + 1}"
