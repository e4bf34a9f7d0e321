"""What the walk is told: the bench's numbers, and the stages as the core declares them, as plain JSON data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from mha_core import built_in, from_token
from mha_core.compute.graph import formula, signs, symbol
from mha_core.compute.operations import Step
from mha_core.compute.trace import Trace, trace
from mha_core.errors import N_
from mha_core.example.model import key_tokens, text_in
from mha_core.example.share_link import packed
from mha_core.numbers import fixed
from mha_core.walk.lecture import shown
from mha_core.walk.pairs import Pair, pairs
from mha_core.walk.stages import Looked, Stage, exponentials_of, layout_of, looked_at, result_of, walk
from mha_core.walk.summary import tied
from mha_core.walk.text import Words
from mha_ui.bench.model import numbers
from mha_ui.bench.model import payload as bench_payload
from mha_ui.language import words_in
from mha_ui.state import Work
from mha_ui.walkthrough.lecture import LECTURE, lecture

ROOM: Final = {
    "follow_me": N_("Follow me"),
    "room": N_("Room"),
    "room_title": N_("Follow along on your own screen"),
    "room_code": N_("QR code of the room"),
    "room_local": N_(
        "This address is for this machine alone. Open the app by the name that others reach it by, and open a room "
        "there."
    ),
    "room_show": N_("Show the code"),
    "room_followers": N_("{count} follow"),
    "room_end": N_("End the room"),
    "room_end_sure": N_("Press again to end it"),
    "question_busy": N_("A question is open on the telephones: close it first, or reveal its number."),
    "room_failed": N_("No room could be opened; try again in a moment."),
    "room_too_large": N_("These numbers are too large for a link: those who follow do not see them."),
    "room_lost": N_("No connection to the room; trying again."),
    "room_gone": N_("The room has ended, or the server was started anew: open another one."),
    "ask": N_("Ask telephones"),
    "ask_no_room": N_("Telephones can be asked once a room is open: “Follow me” opens one."),
    "question_text": N_("Question for the wall and the telephones"),
    "question_wanted": N_("Write the question first: A, B, C and D answer nothing by themselves."),
    "choice_text": N_("What {letter} stands for (optional)"),
    "question_predict": N_("Predict this number"),
    "question_open": N_("What do you answer?"),
    "question_cell": N_("What will stand in {place}?"),
    "place_with_tokens": N_("{place} ({tokens})"),
    "question_close": N_("Close the question"),
    "answers_show": N_("Show the answers"),
    "answered": N_("Answers: {count}, phones: {all}"),
    "others": N_("others"),
    "exercise_of_the_day": N_("Exercise of the day"),
    "exercise_none": N_("none"),
    "exercise_of_link": N_("that of the link"),
    "exercise_link": N_("or paste the link of any exercise"),
    "exercise_refused": N_("This is no link to an exercise on this server: copy one from the page Check."),
}
"""What a presenter's room says."""
PAIR: Final = {
    "head_named": N_("Head {head}"),
    "compare_heads": N_("Compare two heads: the first"),
    "compare_with": N_("Compare two heads: the second"),
    "compare_none": N_("Compare heads"),
    "pair_same": N_("Both heads have the same numbers here."),
    "pair_none": N_("No token sees anything in both heads."),
    "pair_cell": N_("They differ most at {place}: {left} in head {one}, {right} in head {other}."),
    "pair_cells": N_(
        "They differ most at {count} places, by the same amount; the first is {place}: {left} in head {one}, {right} "
        "in head {other}."
    ),
    "pair_looks": N_(
        "Of all attention, heads {one} and {other} spend {share} on the same tokens. They part most at “{query}”: head "
        "{one} looks most at “{left}”, head {other} at “{right}”."
    ),
    "pair_both": N_(
        "Of all attention, heads {one} and {other} spend {share} on the same tokens. They part most at “{query}”, "
        "though both look most at “{left}”."
    ),
    "pair_looks_alike": N_(
        "Of all attention, heads {one} and {other} spend {share} on the same tokens. They part most at {count} "
        "tokens, by the same amount; the first is “{query}”: head {one} looks most at “{left}”, head {other} at "
        "“{right}”."
    ),
    "pair_both_alike": N_(
        "Of all attention, heads {one} and {other} spend {share} on the same tokens. They part most at {count} "
        "tokens, by the same amount; the first is “{query}”, though both look most at “{left}”."
    ),
}
"""Two heads beside each other."""
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
    "leave_key": N_("Escape: leave"),
    "leave_presenter": N_("Leave the presenter view"),
    "presenter_key": N_("Escape: close what is open here"),
    "presenter_stays": N_("The presenter view stays open: the button ✕ leaves it."),
    "reveal": N_("Reveal (Enter)"),
    "reveal_short": N_("Reveal"),
    "keys": N_(
        "→ ← walk, ↓ ↑ go into a step and out of it, space plays, digits jump, Home and End, ? tells all keys"
    ),
    "motion": N_("Motion"),
    "motion_play": N_("Play the motion of this step (M)"),
    "motion_stop": N_("Stop the motion (M)"),
    "motion_at": N_("Where the motion stands ([ ])"),
    "motion_turned": N_("Backwards"),
    "motion_itself": N_("plays by itself"),
    "motion_of_one": N_("Motion shows how one head computes: not while two are compared."),
    "motion_svg": N_("Animated picture (SVG)"),
    "plane": N_(
        "The values as arrows, each as long as its weight makes it, and the arrow that they add up to"
    ),
    "lesson": N_("Why? A short lesson"),
    "negative": N_("negative"),
    "positive": N_("positive"),
    "hue_q": N_("queries"),
    "hue_k": N_("keys"),
    "hue_v": N_("values"),
    "lecture": N_("The lecture that → and ← walk, as the two keys of a clicker do"),
    "lecture_label": N_("Lecture:"),
    "lecture_free": N_("none"),
    "lecture_of": N_("{minutes} min: {presses} presses"),
    "lecture_same": N_("{minutes} min: {presses} presses, the same walk as in {as} min"),
    **LECTURE,
    "press_of": N_("press {press} of {presses}"),
    "help": N_("Keyboard"),
    "walk_keys": N_(
        "→ ←, Page Down, Page Up: walk\n"
        "↓ ↑: into a step, out of it\n"
        "digits, Home, End: jump\n"
        "Space: play\n"
        "Enter: reveal; in a field on to the next empty one, after the last reveal\n"
        "?: these keys"
    ),
    "page_keys": N_("P: to the projector\nBefore an audience"),
    "stage_keys": N_(
        "M, [ ]: motion, station by station\n"
        "B or .: dark screen, back with any key\n"
        "F: full screen\n"
        "L: pointer dot\n"
        "+ − 0: closer, back\n"
        "E: change an input's number\n"
        "Q: predict first\n"
        "A: ask the telephones\n"
        "H: count hands\n"
        "V: two heads beside each other\n"
        "C: code of the room, large or in the corner"
    ),
    "change_none": N_("Nothing that stands here can be changed."),
    "change_where": N_(
        "Nothing that stands here can be changed; numbers of {matrices} can, in step {number}, {step}."
    ),
    "dark": N_("The screen is dark. Any key brings it back."),
    "head_of": N_("Head {head} of {heads}"),
    **PAIR,
    "more_rows": N_("… {count} more"),
    "depth_0": N_("step by step"),
    "depth_1": N_("part by part"),
    "depth_2": N_("term by term"),
    "part_of": N_("{part} of {parts}"),
    "step_of": N_("Step {step} of {steps}"),
    "your_number": N_("your number for {place}"),
    "asked": N_("What will stand here? Fill it in, then reveal."),
    "asked_here": N_("What will stand here?"),
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
    "last": N_("That was the last step."),
    "map": N_("All of {matrix}, {shape}, a point for each number; what the table shows is framed"),
    "scroll": N_("Larger than the window: scroll to see the rest"),
    "restart": N_("Start the clock again"),
    "restart_short": N_("Restart"),
    **ROOM,
}


def payload(work: Work) -> dict[str, Any]:
    """Everything that the walk shows, for one state of the work: it steps without asking for more."""
    bench = bench_payload(work)
    return {
        **bench,
        **_walked(work.trace, work.language, bench["words"]),
        "lecture": lecture(work.trace, work.language),
        "place": work.walk._asdict(),
    }


def followed(address: Mapping[str, str], language: str, decimals: int) -> dict[str, Any]:
    """The same of the example of an address, for those who only look: nobody's work, and not the lecturer's notes.

    Raises ``MhaError`` where there is no such example.
    """
    computed = trace(from_token(address["s"]) if "s" in address else built_in(address["example"]))
    data = numbers(computed, language, decimals)
    if computed.example.lecture is not None:
        address = {"s": packed(replace(computed.example, lecture=None))}
    return {**data, **_walked(computed, language, data["words"]), "address": address}


def _walked(trace: Trace, language: str, words: dict[str, str]) -> dict[str, Any]:
    keys = key_tokens(trace.example)
    return {
        "words": {**words, **ui_words(language)},
        "stages": stages(trace, language),
        "closing": {
            "matrix": result_of(trace.example),
            "looked": [[_looked(looked, keys, language) for looked in head] for head in looked_at(trace)],
        },
        "compare": [
            [pair and (_share(pair), pair.query, pair.alike) for pair in row] for row in pairs(trace)
        ],
        "title": text_in(trace.example.title, language),
    }


def _looked(looked: Looked | None, keys: Sequence[str], language: str) -> dict[str, Any] | None:
    """Where a query looks most: the keys, by their places and as they are told, and the weight."""
    if looked is None:
        return None
    name = tied([keys[key] for key in looked.keys], language)
    return {"keys": looked.keys, "name": name, "weight": looked.weight}


def _share(pair: Pair) -> str:
    return f"{fixed(100 * pair.share, 0)} %"


@lru_cache(maxsize=4)
def ui_words(language: str) -> dict[str, str]:
    """The walk's own sentences in one language."""
    words = words_in(language)
    return {name: words(text) for name, text in _UI.items()}


def stages(trace: Trace, language: str) -> list[dict[str, Any]]:
    """The stages of the walk that are shown, in the lecture's order, with their words in one language."""
    return [_stage(trace, stage, language) for stage in shown(walk(trace), trace.example.lecture)]


def _stage(trace: Trace, stage: Stage, language: str) -> dict[str, Any]:
    words = zip(stage.steps, stage.step_words, strict=True)
    data: dict[str, Any] = {
        "id": stage.id,
        "kind": stage.kind,
        "head": stage.head,
        **_translated(stage.words, language),
        "lesson": stage.lesson,
        "steps": [_step(trace, stage, step, step_words, language) for step, step_words in words],
        "parts": stage.parts,
    }
    for step in stage.steps:
        if step.op == "softmax" and stage.kind == "step":
            data["powers"] = [
                {"powers": row.exponentials, "total": row.total, "shift": row.shift}
                for row in exponentials_of(trace, step, stage.head or 0)
            ]
    return data


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
