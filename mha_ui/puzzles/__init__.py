"""The page Puzzles: all of them in the order that teaches. Each opens on the page Explore."""

from __future__ import annotations

from typing import Final

from mha_core.errors import N_
from mha_core.messages import LANGUAGE
from mha_ui import frame, shell, state
from mha_ui.address import keep_address
from mha_ui.component import component
from mha_ui.panel import panel
from mha_ui.shell import alert
from mha_view.puzzle import puzzle_stages

_WORDS: Final = {
    "lead": N_(
        "{all} small goals, about a minute each. Do them in order, or start anywhere. A green frame marks the weights "
        "in the goal."
    ),
    "begin": N_("Start: {title}"),
    "go_on": N_("Go on: {title}"),
    "all_solved": N_("✓ You have solved them all."),
    "progress": N_("Puzzles solved"),
    "solved_of": N_("{count} of {all} solved"),
    "kept_here": N_("Kept in this browser."),
    "best": N_("fewest known: {count}"),
    "fewest": N_("{count} {count:change|changes}"),
    "solved_with": N_("solved with {count} {count:change|changes}"),
}


def puzzles_page() -> None:
    """The whole page: frame and puzzles."""
    frame.frame(shell.PUZZLES, note=False, examples=False)
    panel("puzzles", _puzzles, instead=keep_address)


def _puzzles(work: state.Work) -> None:
    if work.message:
        alert(work.message.text)
    data = {
        "lang": LANGUAGE[work.language].tag,
        "words": {name: work.words(text) for name, text in _WORDS.items()},
        "stages": puzzle_stages(work.language),
    }
    component("puzzles", "puzzles", "puzzles.js", css="puzzles.css")(key="puzzles", data=data)
    keep_address(work)
