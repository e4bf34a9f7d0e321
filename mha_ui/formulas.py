"""What is said of an example's steps besides their numbers: symbols, formulas, and the settings that they take."""

from __future__ import annotations

from mha_core.compute.graph import early_steps, formula, graph, head_graph, symbol
from mha_core.compute.operations import OPERATIONS, Step
from mha_core.example.model import NEG_INF, Example, setting
from mha_core.vocabulary import SETTINGS


def steps(example: Example) -> list[tuple[str, Step]]:
    """Each step once; of heads that differ in biases, the fuller form: the bench skips what a head lacks."""
    by_name: dict[str, Step] = {step.name: step for step in early_steps(example)}
    for head in example.heads:
        for step in head_graph(example, head):
            if step.name not in by_name or len(step.operands) > len(by_name[step.name].operands):
                by_name[step.name] = step
    layer = (step for step in graph(example) if not step.per_head)
    return [*by_name.items(), *((step.name, step) for step in layer if step.name not in by_name)]


def captions(example: Example) -> dict[str, dict[str, str]]:
    """By step, what stands above its table: its ``symbol`` ({h} in it is the number of a head), and its ``formula``.

    A step that only turns a sign needs no formula: its symbol says it.
    """
    return {
        name: {
            "symbol": caption(name, example),
            "formula": "" if OPERATIONS[step.op].is_sign else formula(step, example),
        }
        for name, step in steps(example)
    }


def caption(name: str, example: Example) -> str:
    """A matrix's symbol; {h} in it is the number of a head."""
    return symbol(name, example).replace("head_i", "head_{h}")


def constants(example: Example) -> dict[str, float | str | None]:
    """The layer's settings, as the arithmetic shows them: "-inf" for −∞, None for what there is not."""
    settings = {name: setting(example, name) for name in SETTINGS}
    return {name: "-inf" if number == NEG_INF else number for name, number in settings.items()}
