"""A goal that an example can learn: a loss, and the rate at which numbers follow its gradient.

output, concat   L = ½ Σ (O − T)², over the rows that have a target T
weights          L = −Σ T·ln A, cross-entropy, over the rows of the heads that have a target: a distribution over the
                 keys, or one key

A step sets W to W − η·∂L/∂W for every number that is learned (``mha_core.learn``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

GoalStep: TypeAlias = Literal["output", "concat", "weights"]
GOALS: Final[tuple[GoalStep, ...]] = get_args(GoalStep)
MAX_RATE: Final = 1e6
RATE: Final = 0.1
"""The rate where an example gives none."""

TargetRow: TypeAlias = "tuple[float, ...] | int | None"
"""A row's target: numbers, for weights also the one key that the query should attend to; None without a target."""
HeadTargets: TypeAlias = tuple[TargetRow, ...] | None


@dataclass(frozen=True, slots=True)
class Learning:
    """``step``: what the goal is about. ``targets``: of output and Concat a target for each query; of the weights a
    list of these for each head, None for a head without any. ``rate``: η, above 0.
    """

    step: GoalStep
    targets: tuple[TargetRow, ...] | tuple[HeadTargets, ...]
    rate: float = RATE

    def of_head(self, head: int | None) -> tuple[TargetRow, ...] | None:
        """The targets of the rows of a head, or of the layer's one matrix; None where there are none."""
        return self.targets if head is None else self.targets[head]  # type: ignore[return-value]  # by ``step``

    def matrix(self, head: int | None, width: int) -> list[list[float]] | None:
        """The targets as rows of numbers: one key is 1 in its column, and a row without a target is 0."""
        rows = self.of_head(head)
        return None if rows is None else [_numbers(row, width) for row in rows]


def _numbers(row: TargetRow, width: int) -> list[float]:
    if isinstance(row, int):
        return [float(at == row) for at in range(width)]
    return [0.0] * width if row is None else list(row)
