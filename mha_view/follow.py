"""The page of a lecture's audience on their own screens; the server's rooms serve it (``mha_api.rooms``).

The page is plain HTML: its script is the walkthrough's, and it opens no Streamlit session. Importing this module is
fast.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

from mha_core.errors import N_
from mha_core.messages import LANGUAGE
from mha_view import bundle
from mha_view.language import words_in
from mha_view.palette import css_variables

ICON: Final = Path(__file__).resolve().parent / "icon.svg"
THEMES: Final = {
    "theme_0": N_("Colors: system"),
    "theme_1": N_("Colors: light"),
    "theme_2": N_("Colors: dark"),
}
_WORDS: Final = {
    **THEMES,
    "title": N_("Multi-head attention: follow the lecture"),
    "room": N_("Room"),
    "waiting": N_("Waiting for the lecture to start."),
    "live": N_("In sync with the projector."),
    "dark": N_("The projector is dark right now. This is the current step."),
    "away": N_("The lecturer is showing something else."),
    "alone": N_("You are browsing on your own."),
    "lost": N_("No connection. Trying again; you can keep browsing."),
    "none": N_("No room has this code. Check the code on the projector and type it again."),
    "gone": N_("The room has ended, or the server was restarted. You can keep reading this page."),
    "ended": N_("The lecture has ended. You can keep reading this page."),
    "unnamed": N_("Type the code shown on the projector."),
    "back": N_("Back to the lecture"),
    "try": N_("Try it yourself"),
    "playing": N_("These numbers are yours. Nobody else sees them."),
    "lecture_moved": N_("The lecturer is now at “{step}”."),
    "lecture_changed": N_("The lecturer's numbers have changed."),
    "back_playing": N_("Back to the lecturer"),
    "play_hint": N_("Drag or tap a boxed number."),
    "play_less": N_("Smaller"),
    "play_more": N_("Larger"),
    "code": N_("Room code"),
    "enter": N_("Join"),
    "exercise": N_("Today's exercise, with your own numbers"),
    "exercise_linked": N_("Today's exercise"),
    "question_open": N_("Your answer?"),
    "question_cell": N_("Which number goes in {place}?"),
    "place_with_tokens": N_("{place} ({tokens})"),
    "one_of_many": N_("Several numbers are hidden on the projector. You are asked for this one."),
    "your_number": N_("Your number"),
    "send": N_("Send"),
    "sending": N_("Sending …"),
    "sent": N_("Sent. You can change your answer until the question closes."),
    "not_sent": N_("Your answer did not arrive. Send it again."),
    "no_number": N_("Enter a number, such as 0.5."),
    "dismiss": N_("Close"),
    "closed": N_("Closed. Your answer: {text}"),
    "closed_right": N_("Correct answer: {number}"),
    "closed_wrong": N_("Your answer: {text}. Correct answer: {number}"),
}
NO_SCRIPT: Final = N_("This page needs JavaScript.")


def page(language: str, root: str, script: str, style: str) -> str:
    """The page in a language, given the addresses of the server's root, of the page's script and of its stylesheet."""
    words = words_in(language)
    texts = json.dumps({code: _texts(code) for code in LANGUAGE}, ensure_ascii=False).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="{LANGUAGE[language].tag}" data-language="{language}">
<head><meta charset="utf-8"><base href="{escape(root)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(words(_WORDS["title"]))}</title>
<link rel="icon" href="data:image/svg+xml;base64,{icon()}">
<link rel="stylesheet" href="{escape(style)}">
<script type="module" src="{escape(script)}"></script></head>
<body><div id="follow"><noscript><p>{escape(words(NO_SCRIPT))}</p></noscript></div>
<script type="application/json" id="words">{texts}</script></body></html>
"""


def script() -> str:
    """The page's script, one module."""
    return bundle.script("audience/follow.js")


def style() -> str:
    """The page's stylesheet, with the palette."""
    return css_variables() + bundle.without_spaces(bundle.style("audience/follow.css"))


def walk(address: Mapping[str, str], language: str, decimals: int) -> Mapping[str, object]:
    """The data of the walk of an address's example. Raises ``MhaError`` if there is no such example."""
    from mha_view.walk import followed  # noqa: PLC0415  # it imports torch

    return followed(address, language, decimals)


def _texts(language: str) -> dict[str, str]:
    words = words_in(language)
    return {
        "tag": LANGUAGE[language].tag,
        "name": LANGUAGE[language].name,
        **{name: words(text) for name, text in _WORDS.items()},
    }


@cache
def icon() -> str:
    """The icon of our pages, as base64."""
    return b64encode(ICON.read_bytes()).decode()
