"""The walk's texts, besides the words of its steps."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mha_core.errors import N_
from mha_view.language import words_in

LECTURE: Final = {
    "own_lecture": N_("My lecture"),
    "own_about": N_(
        "Choose, hide and reorder the steps, and add your own notes and questions. They are "
        "saved in the file and the link, and you can undo changes. Your audience does not "
        "see the notes."
    ),
    "own_start": N_("Start from a ready-made lecture"),
    "own_minutes": N_("Total minutes"),
    "own_usual": N_("Reset: all steps, no notes"),
    "own_planned": N_("The steps take {planned} of {minutes} minutes."),
    "step_show": N_("Show {step}"),
    "step_up": N_("{step}: move up (Alt+↑)"),
    "step_down": N_("{step}: move down (Alt+↓)"),
    "step_drag": N_("Drag to move"),
    "step_own": N_("My note and question"),
    "step_note": N_("My note"),
    "step_question": N_("My question"),
    "step_minutes": N_("Minutes"),
    "minutes_sign": N_("min"),
    "minutes_refused": N_("{label}: enter a number of minutes from 0 to {most}. Your entry was not used."),
    "step_field": N_("{label}: {step}"),
    "step_early": N_("This step comes before one it depends on: {steps}"),
    "say": N_("Say: {text}"),
    "often_wrong": N_("Common mistake: {text}"),
    "coming": N_("Next: {step}"),
    "hands": N_("Count hands"),
    "hands_found": N_("{place}: who got which number?"),
    "hands_unasked": N_("No question is written here. Ask it aloud."),
    "hands_answer": N_("Answer {letter}"),
    "hands_count": N_("Hands raised for {letter}"),
    "hands_one": N_("Add a hand for {letter}"),
    "hands_more": N_("Add a choice"),
    "hands_fewer": N_("Remove a choice"),
    "time_step": N_("this step"),
    "time_all": N_("total"),
    "time_of": N_("{used} of {planned}"),
}
"""Texts of the lecture plan."""
ROOM: Final = {
    "follow_me": N_("Invite audience"),
    "room": N_("Room"),
    "room_title": N_("Follow along on your own screen"),
    "room_code": N_("QR code of the room"),
    "room_local": N_(
        "This address only works on this computer. Open the app at an address that others "
        "can reach, and open the room there."
    ),
    "room_show": N_("Show the code"),
    "room_followers": N_("{count} following"),
    "room_end": N_("End the room"),
    "room_end_sure": N_("Press again to end the room"),
    "question_busy": N_("A question is open on the phones. Close it first, or reveal its number."),
    "room_failed": N_("The room could not be opened. Try again in a moment."),
    "room_too_large": N_("Too large to share: phones cannot show these numbers."),
    "room_lost": N_("No connection to the room. Trying again."),
    "room_gone": N_("The room has ended, or the server was restarted. Open another room."),
    "ask": N_("Poll the audience"),
    "ask_no_room": N_("To poll the audience, open a room first with “Invite audience”."),
    "question_text": N_("Question for the projector and the phones"),
    "question_wanted": N_("Write the question first. A, B, C and D alone do not say what you are asking."),
    "choice_text": N_("Text of choice {letter} (optional)"),
    "question_predict": N_("Predict this number"),
    "question_open": N_("Your answer?"),
    "question_cell": N_("Which number goes in {place}?"),
    "place_with_tokens": N_("{place} ({tokens})"),
    "question_close": N_("Close the question"),
    "answers_show": N_("Show the answers"),
    "answered": N_("Answers: {count}, phones: {all}"),
    "others": N_("others"),
    "exercise_of_the_day": N_("Today's exercise"),
    "exercise_none": N_("none"),
    "exercise_of_link": N_("the one in the link"),
    "exercise_link": N_("or paste a link to any exercise"),
    "exercise_refused": N_(
        "This is not a link to an exercise on this server. Copy one from “Check my numbers”."
    ),
}
"""Texts of the presenter's room."""
PAIR: Final = {
    "head_named": N_("Head {head}"),
    "heads_named": N_("Heads {one} and {other}"),
    "compare_heads": N_("Compare two heads: the first"),
    "compare_with": N_("Compare two heads: the second"),
    "compare_none": N_("Compare heads"),
    "pair_same": N_("Both heads have the same numbers here."),
    "pair_none": N_("No token is allowed to attend to anything in both heads."),
    "pair_cell": N_("They differ most at {place}: {left} in head {one}, {right} in head {other}."),
    "pair_cells": N_(
        "Their largest difference occurs in {count} places. The first is {place}: {left} in head {one}, "
        "{right} in head {other}."
    ),
    "pair_looks": N_(
        "Heads {one} and {other} spend {share} of their attention on the same tokens. They "
        "differ most for “{query}”: head {one} looks most at “{left}”, head {other} at "
        "“{right}”."
    ),
    "pair_both": N_(
        "Heads {one} and {other} spend {share} of their attention on the same tokens. They "
        "differ most for “{query}”, although both look most at “{left}”."
    ),
    "pair_looks_alike": N_(
        "Heads {one} and {other} spend {share} of their attention on the same tokens. Their largest "
        "difference occurs for {count} tokens. The first is “{query}”: head {one} looks most at "
        "“{left}”, head {other} at “{right}”."
    ),
    "pair_both_alike": N_(
        "Heads {one} and {other} spend {share} of their attention on the same tokens. Their largest "
        "difference occurs for {count} tokens. The first is “{query}”, although both look most at "
        "“{left}”."
    ),
}
"""Two heads beside each other."""
FOLLOW: Final = {
    "follow_start": N_(
        "Follow “{query}”: it begins as the row {row}. By step {step}, head 1 has made {result} of it, "
        "mostly from “{key}”."
    ),
    "follow_q": N_("Follow “{token}”: its row {row} becomes the query {result}."),
    "follow_k": N_(
        "“{token}” is the token that “{query}” looks at most in this head. Its row {row} becomes the key {result}."
    ),
    "follow_v": N_(
        "“{token}” is the token that “{query}” looks at most. Its row {row} becomes the value {result}."
    ),
    "follow_picked": N_(
        "Its only number, {number}, is in column {col}, so this is {number} times row {col} of {weights}, {vector}."
    ),
    "follow_match": N_(
        "They match because row {one} of {left} and row {other} of {right} are both {vector}: that is how this head "
        "makes “{query}” look at “{key}”."
    ),
    "follow_scores_most": N_(
        "The query {left} of “{query}” and the key {right} of “{key}” give {score}, the largest score in the "
        "row."
    ),
    "follow_scores": N_("The query {left} of “{query}” and the key {right} of “{key}” give {score}."),
    "follow_weights": N_("“{query}” gives “{key}” its largest weight, {weight}."),
    "follow_weights_even": N_(
        "“{query}” gives “{key}” its largest weight, {weight}. The weights are nearly even, because the scores in "
        "a row differ by {apart} at most."
    ),
    "follow_sink": N_("The sink takes {rest} of this query's weight."),
    "follow_output": N_(
        "“{query}” becomes {result}. The largest weight, {weight}, belongs to “{key}”, whose value is {value}."
    ),
    "follow_head": N_(
        "In this head “{query}” looks most at “{key}” ({weight}). In head 1 it looked most at “{first}”."
    ),
    "follow_head_same": N_("In this head too, “{query}” looks most at “{key}” ({weight})."),
    "follow_alike": N_("{list}: the same as in head 1. The other matrices differ."),
    "follow_even": N_("Its weights are nearly even, because its scores in a row differ by {apart} at most."),
    "follow_several": N_(
        "“{query}” looks most at “{left}” in head {one} ({most}) and at “{right}” in head {other} ({also}). One "
        "head could not give both that much: each row of weights sums to 1."
    ),
}
"""One token followed through the walk, and why there are several heads."""
_WORDS: Final = {
    "walk": N_("Step through"),
    "outline": N_("All steps"),
    "controls": N_("Steps"),
    "tokens": N_("Tokens"),
    "closing": N_("Result"),
    "previous": N_("Back (←)"),
    "next": N_("Next (→)"),
    "into": N_("Show details (↓)"),
    "out": N_("Hide details (↑)"),
    "play": N_("Play (space)"),
    "pause": N_("Pause (space)"),
    "speed": N_("Seconds per step"),
    "predict": N_("Predict first"),
    "projector": N_("Projector"),
    "presenter": N_("Presenter view"),
    "leave": N_("Exit (Escape)"),
    "leave_key": N_("Escape: exit"),
    "leave_presenter": N_("Exit the presenter view"),
    "presenter_key": N_("Escape: close what is open"),
    "presenter_stays": N_("The presenter view is still open. Exit it with the ✕ button."),
    "reveal": N_("Reveal (Enter)"),
    "reveal_short": N_("Reveal"),
    "click": N_("Click or tap a number to see where it comes from."),
    "keys": N_(
        "Keys: → ← next and back, ↓ ↑ more or less detail, Space plays, a number jumps to that step, ? lists all."
    ),
    "motion": N_("Animation"),
    "motion_play": N_("Play the animation of this step (M)"),
    "motion_stop": N_("Stop the animation (M)"),
    "motion_at": N_("Position in the animation ([ ])"),
    "motion_turned": N_("Play in reverse"),
    "motion_itself": N_("autoplay"),
    "motion_of_one": N_("Animations show one head at a time."),
    "motion_svg": N_("Save as SVG"),
    "motion_svg_title": N_("Download the animation of this step as an SVG file"),
    "motion_turned_short": N_("Reverse"),
    "given": N_("This number is given, not calculated."),
    "plane_short": N_("weight × value, and the sum (thick); → column 1, ↑ column 2"),
    "plane": N_("The values as arrows, each scaled by its weight, and their sum"),
    "lesson": N_("Why? See the lesson"),
    "negative": N_("negative"),
    "positive": N_("positive"),
    "hue_q": N_("queries"),
    "hue_k": N_("keys"),
    "hue_v": N_("values"),
    "lecture": N_("The lecture that → and ← (or a clicker) step through"),
    "lecture_label": N_("Lecture:"),
    "lecture_free": N_("none"),
    "lecture_of": N_("{minutes} min: {presses} {presses:key press|key presses}"),
    "lecture_same": N_("{minutes} min: {presses} {presses:key press|key presses}, same steps as {as} min"),
    **LECTURE,
    "press_of": N_("press {press} of {presses}"),
    "help": N_("Keyboard shortcuts"),
    "walk_keys": N_(
        "→ ←, Page Down, Page Up: next, back\n↓ ↑: show or hide details\nthe number of a step, Home, End: jump\n"
        "Space: play\nEnter: reveal; in a field, go to the next empty field (after the last one, "
        "reveal)\n?: these shortcuts"
    ),
    "page_keys": N_("P: projector view\nIn front of an audience"),
    "stage_keys": N_(
        "M, [ ]: animation, one part at a time\nB or .: black screen; press any key to return\nF: "
        "full screen\nL: laser pointer\n+ − 0: zoom in, out, reset\nE: change an input number\nQ: "
        "predict first\nA: poll the audience\nH: count raised hands\nV: compare two heads\nC: room "
        "code, large or in the corner"
    ),
    "change_none": N_("No number here can be changed."),
    "change_where": N_(
        "No number here can be changed. You can change numbers of {matrices} in step {number}, {step}."
    ),
    "dark": N_("The screen is dark. Press any key to bring it back."),
    "head_of": N_("Head {head} of {heads}"),
    **PAIR,
    **FOLLOW,
    "more_rows": N_("… {count} more"),
    "depth_0": N_("Detail 1/3: steps"),
    "depth_1": N_("Detail 2/3: parts"),
    "depth_2": N_("Detail 3/3: terms"),
    "part_of": N_("{part} of {parts}"),
    "step_of": N_("Step {step} of {steps}"),
    "your_number": N_("your number for {place}"),
    "more_controls": N_("More controls"),
    "asked": N_("Which number goes in each box? Fill in any of them, rounded as you like, then reveal."),
    "asked_here": N_("Which number goes here?"),
    "verdict": N_("{right} of {asked} right"),
    "verdict_unread": N_("{count} {count:answer is not a number|answers are not numbers}"),
    "not_marked": N_("not a number, so not marked"),
    "right": N_("right"),
    "wrong": N_("wrong"),
    "was": N_("your answer: {text}"),
    "unfilled": N_("not computed yet"),
    "sum": N_("sum"),
    "row_sum": N_("sum of row {row}"),
    "power": N_("e to that power"),
    "shifted": N_("The largest score of each row is subtracted first, which changes no weight."),
    "looks_at": N_("The token each one looks at most"),
    "nothing": N_("nothing"),
    "notes": N_("Notes"),
    "last": N_("That was the last step."),
    "map": N_("All of {matrix}, {shape}, one dot per number; the box marks the part shown in the table"),
    "scroll": N_("Larger than the window. Scroll to see the rest."),
    "restart": N_("Restart the clock"),
    "restart_short": N_("Restart"),
    **ROOM,
}


@lru_cache(maxsize=4)
def ui_words(language: str) -> dict[str, str]:
    """The walk's own sentences in one language."""
    words = words_in(language)
    return {name: words(text) for name, text in _WORDS.items()}
