"""The choice of the steps to ask for."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha_core.compute.graph import symbol
from mha_core.errors import N_
from mha_core.exercise.exercise import askable
from mha_core.vocabulary import STEPS, noun
from mha_ui import state


def asked_steps(work: state.Work, key: str, usual: Sequence[str]) -> list[str]:
    """The steps that are chosen among those of the example; ``usual`` ones until any are."""
    names, before = askable(work.example), state.widget_value(key)
    state.set_widget(key, [name for name in (usual if before is None else before) if name in names])
    return st.pills(
        work.words(N_("Steps to work out")),
        names,
        selection_mode="multi",
        format_func=lambda name: _choice(name, work),
        key=key,
    )


def _choice(name: str, work: state.Work) -> str:
    """A step among the others: its name, and of the many of a backward pass the letter."""
    return noun(name, work.words) if name in STEPS else symbol(name, work.example)
