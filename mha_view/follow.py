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
_WORDS: Final = {
    "title": N_("Multi-head attention: follow the lecture"),
    "room": N_("Room"),
    "waiting": N_("Waiting for the lecture to begin."),
    "live": N_("You see what is on the wall."),
    "dark": N_("The wall is dark just now; the lecture stands here."),
    "away": N_("The lecturer is showing something else."),
    "alone": N_("You look around on your own."),
    "lost": N_("No connection; trying again. You can look around meanwhile."),
    "none": N_("There is no room of this code. Look at the wall again, and type it here."),
    "gone": N_("The room has ended, or the server was started anew. What is shown here stays."),
    "ended": N_("The lecture has ended. What is shown here stays."),
    "unnamed": N_("Type the code that stands on the wall."),
    "back": N_("Follow again"),
    "code": N_("Code of the room"),
    "enter": N_("Follow"),
    "theme_0": N_("Colours: like the system"),
    "theme_1": N_("Colours: light"),
    "theme_2": N_("Colours: dark"),
    "exercise": N_("Exercise of the day, with numbers of your own"),
    "exercise_linked": N_("Exercise of the day"),
    "question_open": N_("What do you answer?"),
    "question_cell": N_("What will stand in {place}?"),
    "place_with_tokens": N_("{place} ({tokens})"),
    "one_of_many": N_("This one number stands for all that are hidden on the wall."),
    "your_number": N_("Your number"),
    "send": N_("Send"),
    "sending": N_("On its way …"),
    "sent": N_("Sent. You can change it until the question is closed."),
    "not_sent": N_("This did not arrive; send it again."),
    "no_number": N_("A number is wanted, such as 0.5."),
    "dismiss": N_("Close"),
    "closed": N_("Closed. Your answer: {text}"),
    "closed_right": N_("Right: {number}"),
    "closed_wrong": N_("You said {text}; it is {number}"),
}
_NO_SCRIPT: Final = N_("This page needs JavaScript.")


def page(language: str, root: str, script: str, style: str) -> str:
    """The page in a language, given the addresses of the server's root, of the page's script and of its stylesheet."""
    words = words_in(language)
    texts = json.dumps({code: _texts(code) for code in LANGUAGE}, ensure_ascii=False).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="{LANGUAGE[language].tag}" data-language="{language}">
<head><meta charset="utf-8"><base href="{escape(root)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(words(_WORDS["title"]))}</title>
<link rel="icon" href="data:image/svg+xml;base64,{_icon()}">
<link rel="stylesheet" href="{escape(style)}">
<script type="module" src="{escape(script)}"></script></head>
<body><div id="follow"><noscript><p>{escape(words(_NO_SCRIPT))}</p></noscript></div>
<script type="application/json" id="words">{texts}</script></body></html>
"""


def script() -> str:
    """The page's script, one module."""
    return bundle.script("audience/follow.js")


def style() -> str:
    """The page's stylesheet, with the palette."""
    return css_variables() + bundle.style("audience/follow.css")


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
def _icon() -> str:
    return b64encode(ICON.read_bytes()).decode()
