"""The smallest app that reruns, as a baseline."""

import streamlit as st

st.button("go")
st.session_state["n"] = st.session_state.get("n", 0) + 1
st.text(st.session_state["n"])
