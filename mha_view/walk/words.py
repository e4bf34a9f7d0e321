"""The walk's texts, besides the words of its steps."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mha_core.errors import N_
from mha_view.language import words_in

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
"""Texts of the lecture plan."""
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
"""Texts of the presenter's room."""
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
_WORDS: Final = {
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


@lru_cache(maxsize=4)
def ui_words(language: str) -> dict[str, str]:
    """The walk's own sentences in one language."""
    words = words_in(language)
    return {name: words(text) for name, text in _WORDS.items()}
