"""The page Train: a small model learns a task, head by head.

The browser talks to the server's websocket (``mha_api/trainings.py``), which trains in a process of its own. This side
has the words and the tasks, and opens attentions on the page Explore.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

import streamlit as st

from mha_core.errors import N_
from mha_core.messages import LANGUAGE
from mha_core.train import Goal, own_lines, parse_lines, task_of
from mha_core.train.messages import Budget
from mha_core.train.report import task_list
from mha_core.train.settings import RANGES
from mha_core.train.smallest import JUDGED
from mha_core.train.tasks import OWN_LINES
from mha_ui import frame, shell, state
from mha_ui.address import keep_address
from mha_ui.component import component, send_value
from mha_ui.panel import panel
from mha_ui.projector import STYLE, projector
from mha_ui.train.results import results_button
from mha_ui.train.words import WORDS
from mha_view.language import words_in

_KEY: Final = "train.page"
_ALIGNMENT: Final = N_("Translation, one head")
_ENCODER_DECODER: Final = N_(
    "An encoder reads a short sentence in English or Chinese, and a decoder writes it in the other language. One head "
    "of cross-attention looks from one to the other, so that its map shows which word comes from which."
)
_SAMPLE: Final = N_("the cat sleeps → le chat dort")
"""Somebody's own line."""


def train_page() -> None:
    """The whole page: frame and component."""
    st.html(f"<style>{STYLE}</style>")
    frame.frame(shell.TRAIN, note=False, answers=False, examples=False)
    work = state.current()
    projector(work, work.words(shell.PAGES[shell.TRAIN]), "train")
    panel("train", _train, instead=keep_address)
    panel("train.class", results_button)


def _train(work: state.Work) -> None:
    mount = component("train", "train", "train.js", css="train.css")
    sent = mount(key=_KEY, data=payload(work), on_bench_change=send_value)
    if sent.bench:
        if state.change(state.open_file, str(sent.bench).encode()).history.opened != work.history.opened:
            st.switch_page(shell.BENCH)
        st.rerun()  # shows the message that says why not
    keep_address(work)


def payload(work: state.Work) -> Mapping[str, object]:
    """What the component is sent, in the visitor's language."""
    words = words_in(work.language)
    return {
        "lang": work.language,
        "tag": LANGUAGE[work.language].tag,
        "words": {name: words(text) for name, text in WORDS.items()},
        "tasks": _offered(work.language),
        "goal": {**asdict(Goal()), "lines": JUDGED},
        "limits": {**RANGES, "steps": (1, Budget().steps)},
        "refused": work.message.text if work.message else "",
    }


def _offered(language: str) -> list[Mapping[str, object]]:
    """Every task with the key of its recording, the alignment of one head, and somebody's own lines."""
    words = words_in(language)
    tasks = [{**task, "key": task["task"]} for task in task_list(language)]
    translation = next(task for task in tasks if task["task"] == "translation")
    settings = task_of("translation").settings(architecture="encoder-decoder", layers=1, heads=1)
    one_head = {
        "key": "alignment",
        "title": words(_ALIGNMENT),
        "rule": words(_ENCODER_DECODER),
        "settings": settings.as_json(),
    }
    return [*tasks, {**translation, **one_head}, _own(words(_SAMPLE), language)]


def _own(sample: str, language: str) -> Mapping[str, object]:
    """The task of somebody's own lines, as ``task_list`` has the others."""
    task, words = own_lines(parse_lines(sample)), words_in(language)
    return {
        "key": OWN_LINES,
        "task": OWN_LINES,
        "title": words(task.title),
        "rule": words(task.rule),
        "sample": sample,
        "steps": task.steps,
        "settings": task.settings().as_json(),
    }
