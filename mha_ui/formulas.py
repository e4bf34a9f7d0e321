"""What is said of an example's steps besides their numbers: their formulas, and the settings that they take."""

from __future__ import annotations

from mha_core.compute.graph import early_steps, formula, graph, head_graph
from mha_core.compute.operations import OPERATIONS, Step
from mha_core.example.model import NEG_INF, Example, setting
from mha_core.vocabulary import SETTINGS


def steps(example: Example) -> list[tuple[str, Step]]:
    """Each step once; of heads that differ in biases, the fuller form: the bench skips what a head lacks."""
    found: dict[str, Step] = {step.name: step for step in early_steps(example)}
    for head in example.heads:
        for step in head_graph(example, head):
            if step.name not in found or len(step.operands) > len(found[step.name].operands):
                found[step.name] = step
    layer = (step for step in graph(example) if not step.per_head)
    return [*found.items(), *((step.name, step) for step in layer if step.name not in found)]


def formulas(example: Example) -> dict[str, str]:
    """By step, the formula above its table; none for a step that only turns a sign."""
    return {name: formula(step, example) for name, step in steps(example) if not OPERATIONS[step.op].is_sign}


def constants(example: Example) -> dict[str, float | str | None]:
    """The layer's settings, as the arithmetic shows them: "-inf" for −∞, None for what there is not."""
    settings = {name: setting(example, name) for name in SETTINGS}
    return {name: "-inf" if number == NEG_INF else number for name, number in settings.items()}
