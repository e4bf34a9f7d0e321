"""The walkthrough: step through the computation, alone or before an audience."""

import streamlit as st

from mha_ui import frame, shell
from mha_ui.panel import panel
from mha_ui.walkthrough import receive_place, take_away, walkthrough

frame.configure(shell.WALKTHROUGH)
frame.frame(shell.WALKTHROUGH)


@st.fragment
def _place() -> None:
    panel("walkthrough.place", receive_place)


panel("walkthrough", walkthrough, instead=walkthrough)
_place()
panel("walkthrough.takeaway", take_away)
