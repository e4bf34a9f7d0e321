"""The page Models: a sentence through a trained model, from all heads at a glance down to one exact number.

The browser requests what it shows from the server (``mha_api/models.py``), and its place is in the address. This side
has the words and examples, and opens heads on the bench. The bench's work is not in the address here: the browser's tab
stores it, and sends it to a session that begins without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypedDict

import streamlit as st

from mha_core.errors import N_, ExampleError
from mha_core.example.model import MAX_HEADS, MAX_SIZE, Example
from mha_core.messages import LANGUAGE
from mha_core.models import cards, load, run, to_example
from mha_core.models.generation import written
from mha_core.models.measures import LEAST_EXCESS, MOST_CHANCE
from mha_ui import frame, shell, state
from mha_ui.component import component, send_value
from mha_ui.models.words import EXAMPLES, ui_words
from mha_ui.panel import panel

_KEY: Final = "models.page"


class HeadsRequest(TypedDict):
    """Heads that the browser wants on the bench: of which model, text and layer, with which heads off.

    ``steps``: how many tokens the model has added to the text.
    """

    model: str
    text: str
    layer: int
    heads: list[int]
    start: str
    without: list[tuple[int, int]]
    steps: int


def models_page() -> None:
    """The whole page: frame and component."""
    frame.frame(shell.MODELS, note=False, answers=False, examples=False)
    panel("models", _models)


def _models(work: state.Work) -> None:
    mount = component("models", "models", "models.js", css="models.css")
    sent = mount(key=_KEY, data=payload(work), on_bench_change=send_value, on_work_change=send_value)
    if sent.bench:
        if state.change(open_heads, sent.bench).history.opened != work.history.opened:
            st.switch_page(shell.BENCH)
        st.rerun()  # shows the message that says why not
    if sent.work:
        state.reopen(sent.work)
        st.rerun()


def payload(work: state.Work) -> Mapping[str, object]:
    """What the component is sent of a visitor's work, with the words of its language."""
    address = state.address(work)
    return {
        "lang": work.language,
        "tag": LANGUAGE[work.language].tag,
        "words": ui_words(work.language),
        "examples": sorted(EXAMPLES, key=lambda offered: offered["language"] != work.language),
        "limits": {
            "heads": MAX_HEADS,
            "tokens": MAX_SIZE,
            "excess": LEAST_EXCESS,
            "chance": MOST_CHANCE,
        },
        "session": work.browser.session,
        "work": address,
        "address": {name: value for name, value in address.items() if name == "lang"},
        "refused": work.message.text if work.message else "",
    }


def open_heads(work: state.Work, request: HeadsRequest) -> state.Work:
    """Open the requested heads. Where that cannot be done the work stays, and a message says why."""
    return state.attempt(work, lambda work: state.open_example(work, as_example(request)))


def as_example(request: HeadsRequest) -> Example:
    """The requested heads as an example. Raises ``MhaError`` where there are no such heads."""
    offered = {card.key: card for card in cards()}
    if request["model"] not in offered:
        raise ExampleError(N_("this model is no longer available"))
    model = load(offered[request["model"]])
    tokens = written(model, request["text"], request["steps"])
    off = frozenset((layer, head) for layer, head in request["without"])
    computed = run(model, tokens, without=off)
    start: Literal["x", "q"] = "q" if request["start"] == "q" else "x"
    return to_example(model, computed, tokens, request["layer"], request["heads"], start=start)
