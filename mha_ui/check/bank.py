"""A bank of questions from the current example: what to ask, how many variants, and the file for a course or paper."""

from __future__ import annotations

from typing import Final

import streamlit as st

from mha_core.bank import FORMATS
from mha_core.bank.variants import variants
from mha_core.bank.write import written
from mha_core.errors import N_
from mha_core.exercise.exercise import usually_asked, varies
from mha_ui import state
from mha_ui.check.asked import asked_steps
from mha_ui.download import downloader
from mha_ui.panel import panel

_BANK: Final = N_("Question bank")
_MOST: Final = 30
"""Most variants: a few seconds each where many mistakes are to be told apart. The command line draws more."""


def bank_button(work: state.Work) -> None:
    """The button that opens the bank."""
    if st.button(work.words(_BANK), key="check.bank"):
        st.dialog(work.words(_BANK))(panel)("check.bank", _bank, back=False)


def _bank(work: state.Work) -> None:
    words, example, language = work.words, work.example, work.language
    if not varies(example):
        st.caption(words(_CANNOT))
        return
    st.caption(words(_ABOUT))
    asked = asked_steps(
        work, "check.bank.asked", work.exercise.asked if work.exercise else usually_asked(example)
    )
    columns = st.columns(2)
    count = columns[0].number_input(words(N_("Variants")), 1, _MOST, 10, key="check.bank.count")
    seed = columns[1].number_input(words(N_("Seed")), 0, state.SEEDS - 1, 1, key="check.bank.seed")
    form = st.selectbox(
        words(N_("Format")),
        list(FORMATS),
        format_func=lambda name: words(FORMATS[name].label),
        key="check.bank.format",
    )

    def content() -> bytes:
        text = written(variants(example, asked, int(count), int(seed)), form, language)
        return text if isinstance(text, bytes) else text.encode()

    label = words(N_("Download the bank"))
    downloader(label, content, FORMATS[form].file, key="check.bank.file", width="stretch", disabled=not asked)


_ABOUT: Final = N_(
    "The same exercise in many variants, each with numbers of its own. In a course, the answer to a wrong number names "
    "the known mistake that gives it. On paper there is a sheet for each variant, and a key. The questions are in the "
    "language of this page. A large bank takes some seconds."
)
_CANNOT: Final = N_(
    "Variants can be drawn of examples with at most 6 tokens and 4 heads, whose heads start from X."
)
