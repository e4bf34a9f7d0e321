"""Gradient descent on an example: every learned number W becomes W − η·∂L/∂W.

stepped(example)         the example after one step
descend(example, 12)     after twelve, with the loss before each and after the last
remark(descended)        whether the rate was too large, in a sentence about these numbers

Source: Rumelhart, Hinton & Williams 1986, "Learning representations by back-propagating errors", equation 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any, Final

from mha_core.compute.trace import Rows, Trace, trace
from mha_core.errors import N_, ExampleError, NumberRangeError
from mha_core.example.learning import Learning
from mha_core.example.model import MAX_NUMBER, Example
from mha_core.vocabulary import HEAD_MATRICES, HEAD_ROWS, STARTS

LEARNED: Final = (*(name for name in (*HEAD_MATRICES, *HEAD_ROWS) if name not in STARTS), "w_o", "b_o")
"""What a step changes: all weights, biases, gains, slopes and sinks. X and what heads start from stay as they are."""
MOST_STEPS: Final = 200
HALVINGS: Final = 60


def loss(of: Example | Trace) -> float:
    """The loss of an example's goal. Raises ``ExampleError`` where it has none, and as ``run_backward`` does."""
    computed = of if isinstance(of, Trace) else trace(of)
    _goal(computed.example)
    return float(computed.backward["loss"][0][0])


def stepped(of: Example | Trace, rate: float | None = None) -> Example:
    """The example with W − rate·∂L/∂W for each number W that is learned; ``rate``: that of the goal, if None.

    Raises ``ExampleError`` where it has no goal, and where a number would outgrow what an example may have.
    """
    computed = of if isinstance(of, Trace) else trace(of)
    example = computed.example
    eta = _goal(example).rate if rate is None else rate
    heads = tuple(
        replace(
            head,
            **{
                name: _moved(getattr(head, name), slopes, eta, f"heads[{index}].{name}")
                for name in LEARNED
                if getattr(head, name, None) is not None
                and (slopes := _slopes(computed, name, index)) is not None
            },
        )
        for index, head in enumerate(example.heads)
    )
    layer = {
        name: _moved(getattr(example, name), slopes, eta, name)
        for name in ("w_o", "b_o")
        if getattr(example, name) is not None and (slopes := _slopes(computed, name, None)) is not None
    }
    return replace(example, heads=heads, claimed=None, **layer)


@dataclass(frozen=True, slots=True)
class Descent:
    """``losses``: before the first step and after each. ``example``: after the last. ``rate``: η. ``broke_off``: the
    next step would have left the range of numbers, so there are fewer steps than were wanted.
    """

    example: Example
    losses: tuple[float, ...]
    rate: float
    broke_off: bool = False


def descend(example: Example, steps: int, rate: float | None = None) -> Descent:
    """So many steps with one rate. Raises ``ExampleError`` without a goal, and where ``steps`` is not 1 to 200."""
    eta = _goal(example).rate if rate is None else rate
    if not 1 <= steps <= MOST_STEPS:
        raise ExampleError(
            N_("expected 1 to {most} steps, got {count}"), place="steps", most=MOST_STEPS, count=steps
        )
    computed = trace(example)
    losses = [loss(computed)]
    for _ in range(steps):
        try:
            computed = trace(stepped(computed, eta))
            losses.append(loss(computed))
        except (ExampleError, NumberRangeError):
            return Descent(example, tuple(losses), eta, broke_off=True)
        example = computed.example
    return Descent(example, tuple(losses), eta)


def descend_fully(example: Example, steps: int) -> Descent:
    """So many steps. Raises as ``descend``, and ``ExampleError`` where the numbers outgrow their range before that."""
    descent = descend(example, steps)
    if descent.broke_off:
        template, values = remark(example, descent)
        raise ExampleError(template, place="", **values)
    return descent


def largest_falling_rate(example: Example, rate: float) -> float | None:
    """The largest of rate/2, rate/4, …, each cut off after its first digit, with which one step lowers the loss; None
    where none does.
    """
    computed = trace(example)
    before = loss(computed)
    for _ in range(HALVINGS):
        rate /= 2
        if _after(computed, plain := _first_digit(rate)) < before:
            return plain
    return None


def _first_digit(number: float) -> float:
    """0.03 for 0.0390625."""
    digit, _, exponent = f"{number:.15e}".partition("e")
    return float(f"{digit[0]}e{exponent}")


def _after(computed: Trace, rate: float) -> float:
    try:
        return loss(stepped(computed, rate))
    except (ExampleError, NumberRangeError):
        return inf


def remark(start: Example, descent: Descent) -> tuple[str, dict[str, object]]:
    """A sentence about a descent from ``start``, as a template and its values."""
    first, *rest = descent.losses
    values: dict[str, object] = {"rate": descent.rate, "first": first, "last": descent.losses[-1]}
    if descent.broke_off or (rest and max(rest) > first):
        worst = max(descent.losses)
        smaller = largest_falling_rate(start, descent.rate)
        values |= {"worst": worst, "smaller": smaller, "at": descent.losses.index(worst)}
        if smaller is None:
            return (_STAYS_NEAR if f"{worst:.4g}" == f"{first:.4g}" else _NOTHING_HELPS), values
        values["after"] = _after(trace(start), smaller)
        if descent.broke_off:
            return _OVERFLOWS, values
        return (_RISES_AT_ONCE if rest[0] > first else _RISES_LATER), values
    if rest and rest[-1] == first:
        return _STAYS, values
    return _FALLS, values


_FALLS: Final = N_("With η = {rate:g}, the loss fell from {first:.4g} to {last:.4g}.")
_STAYS: Final = N_("The loss stays at {first:.4g}: every derivative by a learned number is 0.")
_RISES_AT_ONCE: Final = N_(
    "η = {rate:g} is too large: the steps jump over the minimum, and the loss rises from {first:.4g} to "
    "{worst:.4g}. With η = {smaller:g}, the first step lowers it to {after:.4g}."
)
_RISES_LATER: Final = N_(
    "η = {rate:g} is too large: the loss is {worst:.4g} after {at} {at:step|steps}, above the {first:.4g} at the "
    "start. With η = {smaller:g}, the first step lowers it to {after:.4g}."
)
_OVERFLOWS: Final = N_(
    "η = {rate:g} is too large: the numbers grow without bound. With η = {smaller:g}, the first step lowers the loss "
    "from {first:.4g} to {after:.4g}."
)
_STAYS_NEAR: Final = N_("With η = {rate:g}, the loss stays near {first:.4g}. No smaller η lowers it.")
_NOTHING_HELPS: Final = N_(
    "With η = {rate:g}, the loss rises from {first:.4g} to {worst:.4g}. No smaller η lowers it."
)


def _goal(example: Example) -> Learning:
    if example.learning is None:
        raise ExampleError(N_("this example has no goal to learn"), place="learning")
    return example.learning


def _slopes(computed: Trace, name: str, head: int | None) -> Rows | None:
    """The derivative by a given matrix; None where the loss does not depend on it."""
    found: Any = computed.backward.get(f"d_{name}")
    rows: Rows | None = found if head is None or found is None else found[head]
    return rows


def _moved(given: Sequence[Any], slopes: Rows, rate: float, place: str) -> Any:
    if not isinstance(given[0], tuple):
        return _row(given, slopes[0], rate, place)
    return tuple(_row(row, slope, rate, place) for row, slope in zip(given, slopes, strict=True))


def _row(row: Sequence[float], slopes: Sequence[float], rate: float, place: str) -> tuple[float, ...]:
    moved = tuple(number - rate * slope for number, slope in zip(row, slopes, strict=True))
    if not all(isfinite(number) and abs(number) <= MAX_NUMBER for number in moved):
        raise ExampleError(
            N_("the step is too large: a number would be beyond {high:g}"), place=place, high=MAX_NUMBER
        )
    return moved
