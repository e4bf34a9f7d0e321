"""The first example's walk as the planner changes it, step by step, and a lecture that is planned already."""

from typing import Any

from mha_core import built_in, to_token, trace
from mha_core.walk.stages import walk
from mha_core.walk.teaching import of_stage
from mha_ui.state.url import work_at
from mha_ui.walkthrough.model import WalkModel, payload
from tests.apply import apply


def taught(lecture: dict[str, Any], language: str = "en") -> WalkModel:
    """What the walk is sent of the first example with a lecture."""
    example = apply(built_in("first"), {"op": "lecture", "lecture": lecture})
    return payload(work_at({"s": to_token(example), "lang": language}, language))


def payloads() -> dict[str, Any]:
    first = trace(built_in("first"))
    stages = walk(first)
    usual = [stage.id for stage in stages]
    early = ["tokens", "inputs", "q", "scores", *(step for step in usual[3:] if step != "scores")]
    own = {
        "step": "scores",
        "note": "Two arrows on the board.",
        "question": "Which pair <b>fits</b>?",
        "choices": ["", "<b>2</b>"],
    }
    question = {"step": "q", "question": "What does it look for?", "choices": ["<i>X</i>"]}
    teaching = {stage.id: of_stage(first, stage) for stage in stages}
    return {
        "first": payload(work_at({"example": "first"}, "en")),
        "first in Chinese": payload(work_at({"example": "first", "lang": "zh"}, "zh")),
        "hidden": taught({"steps": [{"step": "inputs", "hidden": True}]}),
        "early": taught({"steps": [own if step == "scores" else {"step": step} for step in early]}),
        "an hour": taught({"minutes": 60, "steps": [{"step": "tokens"}]}),
        "questions": taught(
            {"steps": [{"step": "tokens", "question": "Which of them comes first?"}, question]}
        ),
        "what to say, what goes wrong and what to ask": {
            language: {
                stage.id: [
                    text.translated(language)
                    for text in (teaching[stage.id].say, teaching[stage.id].wrong, stage.words.note)
                ]
                for stage in stages
            }
            for language in ("en", "zh")
        },
    }
