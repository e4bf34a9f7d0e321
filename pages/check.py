"""Check: fill in or paste your own numbers, or read an article, and learn which numbers are wrong and why."""

import streamlit as st

from mha_ui import frame, shell, state
from mha_ui.address import keep_address
from mha_ui.check import check_bench, edited_check, reads_article, tools
from mha_ui.check.article import article_page
from mha_ui.panel import panel

is_article = reads_article(state.current())
frame.configure(shell.CHECK)
frame.frame(shell.CHECK, note=not is_article, answers=False, examples=not is_article)


@st.fragment
def _numbers() -> None:
    panel("check", edited_check, instead=check_bench)


panel("check.tools", tools)
if is_article:
    panel("check.article", article_page, instead=keep_address)
else:
    _numbers()
