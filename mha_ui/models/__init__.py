"""The page Models: a sentence through a trained model, from all heads at a glance down to one exact number.

The browser asks the server for what it shows (``mha_api/models.py``) and keeps its own place, which the address holds;
this side says the words, offers examples, and opens heads on the bench. The work of the bench is not in the address
here: the browser's tab keeps it, and a session that begins without it is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import streamlit as st

from mha_core.errors import N_, ExampleError
from mha_core.example.model import MAX_HEADS, MAX_SIZE, Example
from mha_core.messages import LANGUAGE
from mha_core.models import cards, load, run, to_example, tokenize
from mha_core.models.measures import LEAST_EXCESS, MOST_CHANCE
from mha_ui import frame, shell, state
from mha_ui.component import component
from mha_ui.models.words import EXAMPLES, ui_words
from mha_ui.panel import panel

_KEY: Final = "models.page"


def models_page() -> None:
    """The whole page: frame and component."""
    frame.frame(note=False, answers=False)
    panel("models", _models)


def _models(work: state.Work) -> None:
    data = payload(work)
    asked = _component()(key=_KEY, data=data, on_bench_change=_noted, on_work_change=_noted)
    if asked.bench:
        if state.change(take, asked.bench).history.opened != work.history.opened:
            st.switch_page(shell.BENCH)
        st.rerun()  # to say why not
    if asked.work:
        state.reopen(asked.work)
        st.rerun()


def payload(work: state.Work) -> dict[str, Any]:
    """What the component is sent of a visitor's work, with the words of its language."""
    address = state.address(work)
    return {
        "lang": work.language,
        "tag": LANGUAGE[work.language].tag,
        "words": ui_words(work.language),
        "examples": EXAMPLES,
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


def take(work: state.Work, asked: Mapping[str, Any]) -> state.Work:
    """Open the heads that are asked for. Where that cannot be done the work stays, and a message says why."""
    return state.attempt(work, lambda work: state.open_example(work, as_example(asked)))


def as_example(asked: Mapping[str, Any]) -> Example:
    """The heads that the browser asks for, as an example. Raises ``MhaError`` where there are none such."""
    offered = {card.key: card for card in cards()}
    if asked["model"] not in offered:
        raise ExampleError(N_("this model is no longer offered"))
    model = load(offered[asked["model"]])
    tokens = tokenize(model, asked["text"])
    off = frozenset((layer, head) for layer, head in asked["without"])
    computed = run(model, tokens, without=off)
    start: Literal["x", "q"] = "q" if asked["start"] == "q" else "x"
    return to_example(model, computed, tokens, asked["layer"], asked["heads"], start=start)


def _noted() -> None:
    """Streamlit hands out what a component tells only where it has a callback."""


@st.cache_resource(show_spinner=False)
def _component():  # type: ignore[no-untyped-def]  # Streamlit's mounting command
    return component("models", "models", "models.js", css="models.css")
