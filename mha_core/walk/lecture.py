"""The walk in a lecturer's own order: what is shown, and what comes before the stages that it needs."""

from __future__ import annotations

from collections.abc import Sequence

from mha_core.compute.trace import Trace
from mha_core.example.lecture import Lecture
from mha_core.walk.stages import Stage, operands_of


def arranged(stages: Sequence[Stage], lecture: Lecture | None) -> tuple[Stage, ...]:
    """All stages in the order of the lecture; a stage that it does not name follows its predecessor in the walk."""
    by_id = {stage.id: stage for stage in stages}
    return tuple(by_id[step] for step in order(stages, lecture) if step in by_id)


def order(stages: Sequence[Stage], lecture: Lecture | None) -> list[str]:
    """The same by name, including steps of the lecture that this example does not have."""
    steps = [step.step for step in lecture.steps] if lecture else []
    named, before = set(steps), ""
    for stage in stages:
        if stage.id not in named:
            steps.insert(steps.index(before) + 1 if before else 0, stage.id)
        before = stage.id
    return steps


def shown(stages: Sequence[Stage], lecture: Lecture | None) -> tuple[Stage, ...]:
    """The stages that are shown, in the order of the lecture; all of them where it would hide every one."""
    hidden = {step.step for step in lecture.steps if step.hidden} if lecture else set()
    ordered = arranged(stages, lecture)
    return tuple(stage for stage in ordered if stage.id not in hidden) or ordered


def needed_later(trace: Trace, stages: Sequence[Stage]) -> dict[str, tuple[Stage, ...]]:
    """The id of each stage that comes too early → the stages after it that it is computed from."""
    made = {(part.matrix, part.head): stage for stage in stages for part in stage.parts}
    seen: set[str] = set()
    needed = {}
    for stage in stages:
        seen.add(stage.id)
        reads = (
            (operand.name, owner)
            for step in stage.steps
            for operand, owner in operands_of(trace, step, stage.head)
        )
        needs = dict.fromkeys(made[name].id for name in reads if name in made)
        late = tuple(other for other in stages if other.id in needs and other.id not in seen)
        if late:
            needed[stage.id] = late
    return needed
