"""What only the lecturer is told of a walk: his own lecture, and what belongs to each step besides its words."""

from __future__ import annotations

from typing import Any, Final

from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.files import lecture_json
from mha_core.messages import LANGUAGE
from mha_core.walk.lecture import arranged, needed_later, order
from mha_core.walk.stages import Stage, walk
from mha_core.walk.teaching import Teaching, of_stage
from mha_ui.language import words_in

LECTURE: Final = {
    "own_lecture": N_("My lecture"),
    "own_about": N_(
        "Choose, hide and move the steps, and write down what is yours. All of it is kept in the file, in the link and "
        "by undo; those who follow a room do not see the notes."
    ),
    "own_start": N_("Begin with a lecture of"),
    "own_minutes": N_("Minutes in all"),
    "own_usual": N_("As it was: all steps, nothing of mine"),
    "own_planned": N_("The steps are planned for {planned} of {minutes} minutes."),
    "step_show": N_("Show {step}"),
    "step_up": N_("{step}: earlier (Alt+↑)"),
    "step_down": N_("{step}: later (Alt+↓)"),
    "step_drag": N_("Drag to move"),
    "step_own": N_("My note and question"),
    "step_note": N_("My note"),
    "step_question": N_("My question"),
    "step_minutes": N_("Minutes"),
    "minutes_sign": N_("min"),
    "minutes_refused": N_("{label}: a number of minutes from 0 to {most}. What was typed is not taken."),
    "step_field": N_("{label}: {step}"),
    "step_early": N_("Comes before what it needs: {steps}"),
    "say": N_("Say: {text}"),
    "often_wrong": N_("Often wrong: {text}"),
    "coming": N_("Next: {step}"),
    "hands": N_("Count hands"),
    "hands_found": N_("Who had which number for {place}?"),
    "hands_unasked": N_("No question is written here: ask it aloud."),
    "hands_answer": N_("Answer {letter}"),
    "hands_count": N_("Hands for {letter}"),
    "hands_one": N_("One hand more for {letter}"),
    "hands_more": N_("One answer more"),
    "hands_fewer": N_("One answer fewer"),
    "time_step": N_("this step"),
    "time_all": N_("in all"),
    "time_of": N_("{used} of {planned}"),
}
"""What a lecturer reads of his own walk."""
_LIST: Final = N_("{one}, {next}")


def lecture(trace: Trace, language: str) -> dict[str, Any]:
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


def _advice(teaching: Teaching, language: str) -> dict[str, str]:
    texts = (sentence.translated(language) for sentence in (teaching.say, teaching.aloud))
    return {
        "say": LANGUAGE[language].between.join(filter(None, texts)),
        "wrong": teaching.wrong.translated(language),
    }
