"""The declared backward pass: how the loss of an example's goal changes with every number (``Example.learning``).

It is a graph of the same steps and operations as the forward pass (``graph``), from the loss back to X, and is read off
it: each forward operation has a rule (``RULES``) that declares the derivative by each of its operands. d_q is ∂L/∂Q, in
the shape and with the axes of Q.

    output  = matmul(concat "ik", w_o "kj")    d_concat = matmul(d_output "ik", w_o "jk")      dO·W_Oᵀ
                                               d_w_o    = matmul(concat "ki", d_output "kj")   Concatᵀ·dO
    weights = softmax(scores "ik")             softmax_sums = row_sums(weights, d_weights)     r[i] = Σ_k A[i,k]·dA[i,k]
                                               d_scores = softmax_step(weights, d_weights, r)  A ∘ (dA − r)

A matrix that every head reads gets a part from each (``d_x_head``) and their sum (``d_x``); so do keys and values that
heads share.

Any cell can be the goal instead of a loss (``backward_from``): the derivative by its own matrix is then given, and the
same rules lead on from there (``gradients``). Positions, and what is computed from them alone, are differentiated for
such a goal only: nothing that is learned leads to them.

Source: Rumelhart, Hinton & Williams 1986, "Learning representations by back-propagating errors".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from mha_core.compute.graph import early_steps, graph, head_graph, late_steps
from mha_core.compute.operation import Operand
from mha_core.compute.operations import Step
from mha_core.example.model import Example, has_own_masks, kv_head_of
from mha_core.vocabulary import BACKWARD, ENTRY, PER_HEAD, PER_HEAD_STEPS, PLACED, STEPS, TARGETS

HeadSteps: TypeAlias = Mapping[str, Step]
Place: TypeAlias = "tuple[str, int | None]"
"""A matrix by name, with the head that it is of; None for the layer's."""


@dataclass(frozen=True, slots=True)
class Backward:
    """The steps of the loss and of the backward pass by name: ``layer``'s, and those that each of the ``heads`` has.
    ``given``: the derivatives that no step computes, since they are the goal.
    """

    layer: Mapping[str, Step]
    heads: tuple[HeadSteps, ...]
    given: Collection[Place] = ()

    def places(self) -> Iterator[tuple[Step, int | None]]:
        """Every step with its head, None for the layer's, each after those that it reads."""
        for entry in BACKWARD:
            name = entry.name
            if name in self.layer:
                yield self.layer[name], None
            for head, steps in enumerate(self.heads):
                if name in steps:
                    yield steps[name], head

    def has(self, name: str, head: int | None) -> bool:
        """Whether a matrix is declared, or given."""
        return name in self.of(head) or (name, head) in self.given

    def by_name(self) -> dict[str, Step]:
        """Each step once; of heads that differ, with the operands that any of them has: what Q, K and V send back."""
        merged: dict[str, Step] = {}
        for step, _ in self.places():
            known = merged.get(step.name, step)
            names = {operand.name: operand for operand in (*known.operands, *step.operands)}
            if len(names) > len(known.operands):
                operands = sorted(names.values(), key=lambda operand: "qkv".index(operand.name[-1]))
                known = Step(step.name, step.op, tuple(operands), step.per_head, step.index)
            merged[step.name] = known
        return merged

    def of(self, head: int | None) -> HeadSteps:
        """The steps of a head, or of the layer."""
        return self.layer if head is None else self.heads[head]


NOTHING: Final = Backward({}, ())


def backward(example: Example) -> Backward:
    """The backward pass of an example; ``NOTHING`` where it has no goal."""
    if example.learning is None:
        return NOTHING
    declared = _Declared(example)
    declared.goal()
    return declared.passed_back()


def backward_from(example: Example, name: str, heads: Collection[int | None]) -> Backward:
    """The backward pass from a computed step of these heads, (None,) for the layer's: by everything before it."""
    return _Declared(example, frozenset((f"d_{name}", head) for head in heads)).passed_back()


def declared_step(example: Example, name: str) -> Step | None:
    """A step by name, forward or backward; None where the example has no such step."""
    steps = {step.name: step for step in graph(example)} if name in STEPS else backward(example).by_name()
    return steps.get(name)


class _Declared:
    """Declares the steps of an example, from its goal back: a loss, or ``given`` derivatives."""

    def __init__(self, example: Example, given: frozenset[Place] = frozenset()) -> None:
        self.example, self.given = example, given
        self.layer: dict[str, Step] = {}
        self.heads: list[dict[str, Step]] = [{} for _ in example.heads]

    def passed_back(self) -> Backward:
        """The steps so far, and those that follow from them back to the inputs."""
        example = self.example
        for step in reversed(late_steps(example)):
            self._differentiate(step, None)
        forward = [{step.name: step for step in head_graph(example, head)} for head in example.heads]
        for name in reversed(PER_HEAD_STEPS):
            for head, steps in enumerate(forward):
                if name in steps:
                    self._differentiate(steps[name], head)
        for step in reversed(early_steps(example)):
            self._differentiate(step, None)
        return Backward(self.layer, tuple(self.heads), self.given)

    def _of(self, head: int | None) -> dict[str, Step]:
        return self.layer if head is None else self.heads[head]

    def _add(self, head: int | None, *steps: Step) -> None:
        for step in steps:
            self._of(head)[step.name] = step

    def goal(self) -> None:
        """The loss, and its derivative by the step that the goal is about."""
        learning = self.example.learning
        assert learning is not None  # noqa: S101  # the caller has checked
        if learning.step == "weights":
            for head, targets in enumerate(learning.targets):
                if targets is not None:
                    self._add(head, *_ATTENTION_GOAL)
            self._add(
                None, Step("loss", "sum", (Operand("head_loss", "", head="g"),), per_head=False, index="")
            )
            return
        self._add(None, *_rows_goal(learning.step, any(row is None for row in learning.targets)))

    def _differentiate(self, step: Step, head: int | None) -> None:
        """Declare the derivatives by the operands of a forward step, where there is one by its result."""
        slope = _slope(step)
        is_goal = (slope, head) in self.given
        if not is_goal and (slope not in self._of(head) or step.op in CONTAINED):
            return
        for found in slopes_of(step):
            for place in range(len(self.heads)) if found.own_head else (head,):
                self._place(found, step, place)

    def _place(self, found: Step, step: Step, head: int | None) -> None:
        """Put one derivative in its place: where others read the same matrix too, it is a part of a sum."""
        name = ENTRY[found.name].slope_of
        if name in PLACED and not self.given:
            return
        if head is None and found.name in self.layer:
            self._second_part(found)
        elif head is None or not name:
            self._add(head, found)
        elif name not in PER_HEAD:
            self._part_of_layer(found, name, step, head)
        elif self._is_shared(name):
            owner = kv_head_of(self.example, name, head)
            part = found.operands[0].name if found.op == "copy" else f"d_{name}_head"
            if found.op != "copy":
                self._add(head, _renamed(found, part))
            self._add(owner, _sum_of_heads(found.name, part, per_head=True))
        else:
            self._add(head, found)

    def _is_shared(self, name: str) -> bool:
        """Whether several heads read one head's matrix."""
        if name == "head_mask":
            return has_own_masks(self.example)
        grouped = self.example.kv_heads not in (None, len(self.example.heads))
        return (
            grouped and ENTRY[name].shared and ENTRY[name].scope == "head" and self._is_read_by_others(name)
        )

    def _is_read_by_others(self, name: str) -> bool:
        """Of Q, K and V only V, and what scores are computed from, are read by heads that do not own them."""
        steps = [step for head in self.example.heads for step in head_graph(self.example, head)]
        readers = {step.name for step in steps if name in step.operand_names}
        return any(not ENTRY[reader].shared for reader in readers)

    def _part_of_layer(self, found: Step, name: str, step: Step, head: int) -> None:
        if found.op == "copy":  # the mask: each head's derivative as it is
            self._add(None, _sum_of_heads(found.name, found.operands[0].name, per_head=False))
            return
        is_whole = found.name == f"d_{name}"
        through = f"{found.name}_{ENTRY[step.name].role}" if is_whole else found.name
        whole = f"d_{name}_head"
        self._add(head, _renamed(found, through))
        known = self.heads[head].get(whole)
        parts = {operand.name for operand in known.operands} if known else set()
        names = [f"d_{name}_{role}" for role in "qkv" if f"d_{name}_{role}" in parts | {through}]
        operands = tuple(Operand(part, found.index) for part in names)
        self._add(head, Step(whole, "add_up", operands, index=found.index))
        self._add(None, _sum_of_heads(f"d_{name}", whole, per_head=False))

    def _second_part(self, found: Step) -> None:
        """The layer reads this matrix for its keys, which is declared already, and for its queries."""
        parts = {f"{found.name}_q": found, f"{found.name}_k": self.layer[found.name]}
        self._add(None, *(_renamed(part, name) for name, part in parts.items()))
        operands = tuple(Operand(name, found.index) for name in parts)
        self._add(None, Step(found.name, "add_up", operands, per_head=False, index=found.index))


def _renamed(step: Step, name: str) -> Step:
    return Step(name, step.op, step.operands, step.per_head, step.index)


@lru_cache(maxsize=256)
def _sum_of_heads(name: str, part: str, *, per_head: bool) -> Step:
    rows, cols = ENTRY[name].axes
    index = ("" if rows == "1" else "i") + ("" if cols == "1" else "j")
    return Step(name, "sum", (Operand(part, index, head="g"),), per_head=per_head, index=index)


# --- goals -------------------------------------------------------------------------------------------------------

_ATTENTION_GOAL: Final = (
    Step(
        "head_row_losses",
        "cross_entropy",
        (Operand("weights_target", "ik"), Operand("weights", "ik")),
        index="i",
    ),
    Step("head_loss", "total", (Operand("head_row_losses", "k"),), index=""),
    Step("d_weights", "cross_step", (Operand("weights_target", "ij"), Operand("weights", "ij"))),
)


@lru_cache(maxsize=8)
def _rows_goal(name: str, some: bool) -> tuple[Step, ...]:
    """``some``: only some rows have a target."""
    given = (Operand("given_rows", "i"),) if some else ()
    compared = (Operand(name, "ik"), Operand(TARGETS[name], "ik"), *given)
    return (
        Step("row_losses", "squared_error", compared, per_head=False, index="i"),
        Step("loss", "total", (Operand("row_losses", "k"),), per_head=False, index=""),
        Step(
            f"d_{name}",
            "subtract",
            (Operand(name, "ij"), Operand(TARGETS[name], "ij"), *given),
            per_head=False,
        ),
    )


# --- one rule for each operation ---------------------------------------------------------------------------------


def _slope(step: Step) -> str:
    return f"d_{step.name}"


def _lettered(operand: Operand, letters: Mapping[str, str], name: str = "") -> Operand:
    """The operand, or another one, with other letters."""
    return Operand(name or operand.name, "".join(letters[letter] for letter in operand.index))


def _step(step: Step, name: str, op: str, *operands: Operand, index: str = "ij") -> Step:
    return Step(f"d_{name}", op, operands, per_head=step.per_head, index=index)


def _matmul(step: Step) -> Iterator[Step]:
    """By a factor: the derivative by the product times the other factor, over the letter that it lacks."""
    left, right, *bias = step.operands
    if "(" in left.index:
        yield from _matmul_of_pairs(step)
        return
    result = Operand(_slope(step), step.index)
    for factor, other in ((left, right), (right, left)):
        (third,) = set(other.index) - set(factor.index)
        letters = {factor.index[0]: "i", factor.index[1]: "j", third: "k"}
        pair = [_lettered(result, letters), _lettered(other, letters)]
        yield _step(step, factor.name, "matmul", *sorted(pair, key=lambda operand: "i" not in operand.index))
    if bias:
        yield _step(step, bias[0].name, "total", Operand(_slope(step), "kj"), index="j")


def _matmul_of_pairs(step: Step) -> Iterator[Step]:
    """scores[i, j] = Σ_k T[(i, j), k]·v_a[k]"""
    rows, vector = step.operands
    yield _step(
        step, rows.name, "multiply", Operand(_slope(step), "ij"), Operand(vector.name, "c"), index="(ij)c"
    )
    yield Step("d_pair_scores", "pairs", (Operand(_slope(step), "ij"),), index="(ij)")
    yield _step(
        step, vector.name, "matmul", Operand("d_pair_scores", "k"), Operand(rows.name, "kj"), index="j"
    )


def _add(step: Step) -> Iterator[Step]:
    for operand in step.operands:
        if operand.index == step.index:
            yield _step(step, operand.name, "copy", Operand(_slope(step), "ij"))
        else:
            yield _step(step, operand.name, "total", Operand(_slope(step), step.index), index=operand.index)


def _divide(step: Step) -> Iterator[Step]:
    rows, by = step.operands
    yield _step(step, rows.name, "divide", Operand(_slope(step), "ij"), by)


def _softcap(step: Step) -> Iterator[Step]:
    rows, cap = step.operands
    yield _step(step, rows.name, "softcap_step", Operand(_slope(step), "ij"), Operand(step.name, "ij"), cap)


def _masked_fill(step: Step) -> Iterator[Step]:
    rows, allow, _ = step.operands
    yield _step(step, rows.name, "unmask", Operand(_slope(step), "ij"), allow)


def _softmax(step: Step) -> Iterator[Step]:
    scores, *sink = step.operands
    weights, slope = Operand(step.name, "ik"), Operand(_slope(step), "ik")
    yield Step("softmax_sums", "row_sums", (weights, slope), index="i")
    here = (Operand(step.name, "ij"), Operand(_slope(step), "ij"), Operand("softmax_sums", "i"))
    yield _step(step, scores.name, "softmax_step", *here)
    if sink:
        yield Step("sink_weights", "sink_softmax", (scores, *sink), index="i")
        sums = (Operand("sink_weights", "i"), Operand("softmax_sums", "i"))
        yield Step("d_sink_scores", "sink_step", sums, index="i")
        yield _step(step, sink[0].name, "total", Operand("d_sink_scores", "k"), index="")


def _concat(step: Step) -> Iterator[Step]:
    (heads,) = step.operands
    yield Step(f"d_{heads.name}", "block", (Operand(_slope(step), step.index),), index="ik", own_head="g")


def _tanh(step: Step) -> Iterator[Step]:
    yield _step(
        step, step.operands[0].name, "tanh_step", Operand(_slope(step), "ij"), Operand(step.name, "ij")
    )


def _normalize(step: Step) -> Iterator[Step]:
    """The row itself, and its length: this contains the rule of the length (``norm``)."""
    rows, norms = step.operands
    along = (Operand(_slope(step), "ik"), Operand(step.name, "ik"), Operand(norms.name, "i"))
    yield _step(step, norms.name, "norm_step", *along, index="i")
    slopes = (Operand(_slope(step), "ij"), norms, Operand(f"d_{norms.name}", "i"), Operand(step.name, "ij"))
    yield _step(step, rows.name, "normalize_step", *slopes)


def _gain(step: Step) -> Iterator[Step]:
    """The row itself, and its root mean square: this contains the rule of that (``rms``)."""
    rows, rms, gain = step.operands
    along = (Operand(_slope(step), "kj"), Operand(rows.name, "kj"), Operand(rms.name, "k"))
    yield _step(step, gain.name, "gain_step", *along, index="j")
    through = (Operand(_slope(step), "ik"), Operand(step.name, "ik"), Operand(rms.name, "i"))
    yield _step(step, rms.name, "norm_step", *through, index="i")
    slopes = (Operand(_slope(step), "ij"), gain, rms, Operand(f"d_{rms.name}", "i"), rows)
    yield _step(step, rows.name, "rms_step", *slopes, Operand("columns", ""))


def _rotate(step: Step) -> Iterator[Step]:
    rows, angles = step.operands
    yield _step(step, rows.name, "rotate_back", Operand(_slope(step), rows.index), angles, index=step.index)
    turned = (Operand(step.name, rows.index), Operand(_slope(step), rows.index))
    yield _step(step, angles.name, "turn_step", *turned, index=angles.index)


def _multiply(step: Step) -> Iterator[Step]:
    """angles[i, j] = p[i]·ω[j]"""
    positions, frequencies = step.operands
    by_position = (Operand(_slope(step), "ik"), Operand(frequencies.name, "k"))
    yield _step(step, positions.name, "matmul", *by_position, index="i")
    by_frequency = (Operand(positions.name, "k"), Operand(_slope(step), "kj"))
    yield _step(step, frequencies.name, "matmul", *by_frequency, index="j")


def _sinusoid(step: Step) -> Iterator[Step]:
    (angles,) = step.operands
    yield _step(step, angles.name, "sinusoid_step", Operand(_slope(step), "i(mk)"), angles, index="im")


def _linear_bias(step: Step) -> Iterator[Step]:
    slope, queries, keys = step.operands
    along = (Operand(_slope(step), "ik"), Operand(queries.name, "i"), Operand(keys.name, "k"))
    yield Step("d_slope_rows", "distance_sums", along, index="i")
    yield _step(step, slope.name, "total", Operand("d_slope_rows", "k"), index="")
    for role, index, here, there in (("q", "ik", queries, keys), ("k", "ki", keys, queries)):
        signs = (Operand(_slope(step), index), slope, Operand(here.name, "i"), Operand(there.name, "k"))
        yield _step(step, f"{here.name}_{role}", "sign_sums", *signs, index="i")


def _norm(step: Step) -> Iterator[Step]:
    """A row's length grows along its direction."""
    (rows,) = step.operands
    direction = Operand(step.name.replace("_norms", "_unit"), "ij")
    yield _step(step, rows.name, "multiply", Operand(_slope(step), "i"), direction)


def _rms(step: Step) -> Iterator[Step]:
    rows, _ = step.operands
    slopes = (Operand(_slope(step), "i"), Operand(rows.name, "ij"), Operand(step.name, "i"))
    yield _step(step, rows.name, "mean_step", *slopes, Operand("columns", ""))


RULES: Final[Mapping[str, Callable[[Step], Iterator[Step]]]] = {
    "matmul": _matmul,
    "add": _add,
    "divide": _divide,
    "softcap": _softcap,
    "masked_fill": _masked_fill,
    "softmax": _softmax,
    "concat": _concat,
    "tanh": _tanh,
    "normalize": _normalize,
    "gain": _gain,
    "rotate": _rotate,
    "multiply": _multiply,
    "sinusoid": _sinusoid,
    "linear_bias": _linear_bias,
    "norm": _norm,
    "rms": _rms,
}
"""By operation, what declares the derivatives by the operands of a step."""
CONTAINED: Final = ("norm", "rms")
"""The operations whose rule is needed only where the goal is about their result: else another one contains it."""


@lru_cache(maxsize=512)
def slopes_of(step: Step) -> tuple[Step, ...]:
    """The derivatives by the operands of a step, without those by settings. Raises ``KeyError`` for an operation that
    has no rule.
    """
    return tuple(RULES[step.op](step))
