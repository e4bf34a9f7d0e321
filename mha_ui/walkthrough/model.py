"""What the walk is told: the bench's numbers, and the stages as the core declares them, as plain JSON data."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from mha_core.compute.graph import formula, signs, symbol
from mha_core.compute.operations import Step
from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import key_tokens
from mha_core.walk.stages import Stage, exponentials_of, layout_of, looked_at, result_of, walk
from mha_core.walk.text import Words
from mha_ui.bench.model import payload as bench_payload
from mha_ui.language import words_in
from mha_ui.state import Work

_UI: Final = {
    "walk": N_("Walkthrough"),
    "outline": N_("All steps"),
    "controls": N_("Walk"),
    "tokens": N_("Tokens"),
    "closing": N_("End"),
    "previous": N_("Back (←)"),
    "next": N_("On (→)"),
    "into": N_("Into the step (↓)"),
    "out": N_("Out of the step (↑)"),
    "play": N_("Play (space)"),
    "pause": N_("Pause (space)"),
    "speed": N_("Seconds a step"),
    "predict": N_("Predict first"),
    "projector": N_("Projector"),
    "presenter": N_("Presenter view"),
    "leave": N_("Leave (Escape)"),
    "reveal": N_("Reveal (Enter)"),
    "keys": N_("→ ← walk, ↓ ↑ go into a step and out of it, space plays, digits jump, Home and End"),
    "lesson": N_("Why? A short lesson"),
    "depth_0": N_("step by step"),
    "depth_1": N_("part by part"),
    "depth_2": N_("term by term"),
    "part_of": N_("{part} of {parts}"),
    "step_of": N_("Step {step} of {steps}"),
    "your_number": N_("your number for {place}"),
    "asked": N_("What will stand here? Fill it in, then reveal."),
    "verdict": N_("{right} of {asked} right"),
    "right": N_("right"),
    "wrong": N_("not right"),
    "was": N_("you said {text}"),
    "unfilled": N_("not yet"),
    "sum": N_("sum"),
    "power": N_("e to the power of it"),
    "shifted": N_("The largest score of each row is subtracted first; that changes no weight."),
    "looks_at": N_("looks most at"),
    "nothing": N_("nothing"),
    "notes": N_("Notes"),
    "next_step": N_("Next"),
    "last": N_("That was the last step."),
    "clock": N_("Time"),
    "scroll": N_("Larger than the window: scroll to see the rest"),
    "elapsed": N_("since the start"),
    "restart": N_("Start the clock again"),
}


def payload(work: Work) -> dict[str, Any]:
    """Everything that the walk shows, for one state of the work: it steps without asking for more."""
    told = bench_payload(work)
    return {
        **told,
        "words": {**told["words"], **ui_words(work.language)},
        "stages": stages(work.trace, work.language),
        "closing": {
            "matrix": result_of(work.example),
            "looked": looked_at(work.trace),
            "keys": key_tokens(work.example),
        },
        "place": work.walk._asdict(),
    }


@lru_cache(maxsize=4)
def ui_words(language: str) -> dict[str, str]:
    """The walk's own sentences in one language."""
    words = words_in(language)
    return {name: words(text) for name, text in _UI.items()}


def stages(trace: Trace, language: str) -> list[dict[str, Any]]:
    """The stages of the walk, with their words in one language."""
    return [_stage(trace, stage, language) for stage in walk(trace)]


def _stage(trace: Trace, stage: Stage, language: str) -> dict[str, Any]:
    words = zip(stage.steps, stage.step_words, strict=True)
    told: dict[str, Any] = {
        "id": stage.id,
        "kind": stage.kind,
        "head": stage.head,
        **_translated(stage.words, language),
        "lesson": stage.lesson,
        "steps": [_step(trace, stage, step, said, language) for step, said in words],
        "parts": stage.parts,
    }
    for step in stage.steps:
        if step.op == "softmax" and stage.kind == "step":
            told["powers"] = [
                {"powers": row.exponentials, "total": row.total, "shift": row.shift}
                for row in exponentials_of(trace, step, stage.head or 0)
            ]
    return told


def _step(trace: Trace, stage: Stage, step: Step, words: Words, language: str) -> dict[str, Any]:
    return {
        "name": step.name,
        **_translated(words, language),
        "symbol": symbol(step.name, trace.example).replace("head_i", f"head_{(stage.head or 0) + 1}"),
        "formula": formula(step, trace.example),
        "signs": signs(step, trace.example),
        "layout": layout_of(step),
        "operands": [(operand.name, operand.index) for operand in step.tables],
    }


def _translated(words: Words, language: str) -> dict[str, str]:
    return {name: sentence.translated(language) for name, sentence in words._asdict().items()}
