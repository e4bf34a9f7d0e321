"""Data of a walk for the lecturer only: the lecture plan, and advice for each step."""

from __future__ import annotations

from typing import Final

from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.lecture_file import lecture_json
from mha_core.messages import LANGUAGE
from mha_core.walk.lecture import arranged, needed_later, order
from mha_core.walk.stages import Stage, walk
from mha_core.walk.teaching import Teaching, of_stage
from mha_view import payloads
from mha_view.language import words_in

_LIST: Final = N_("{one}, {next}")


def lecture(trace: Trace, language: str) -> payloads.LecturePlan:
    """The lecture as its file has it; every step in its order; what to say at each, by its name.

    A step that the example does not have has no title. ``usual``: the steps in the order of the computation.
    """
    own = trace.example.lecture
    stages = walk(trace)
    title = {stage.id: _title(stage, language) for stage in stages}
    late = needed_later(trace, arranged(stages, own)) if own else {}
    return {
        "own": lecture_json(own) if own else {},
        "usual": [stage.id for stage in stages],
        "order": [
            {
                "step": step,
                "title": title.get(step),
                "needs": _listed([title[one.id] for one in late.get(step, ())], language),
            }
            for step in order(stages, own)
        ],
        "teaching": {stage.id: _advice(of_stage(trace, stage), language) for stage in stages},
    }


def _title(stage: Stage, language: str) -> str:
    return stage.words.title.translated(language)


def _listed(titles: list[str], language: str) -> str:
    words = words_in(language)
    listed = ""
    for title in titles:
        listed = words(_LIST).format(one=listed, next=title) if listed else title
    return listed


def _advice(teaching: Teaching, language: str) -> payloads.Advice:
    texts = (sentence.translated(language) for sentence in (teaching.say, teaching.aloud))
    return {
        "say": LANGUAGE[language].between.join(filter(None, texts)),
        "wrong": teaching.wrong.translated(language),
    }
