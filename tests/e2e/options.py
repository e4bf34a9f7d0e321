"""A page that says with which options its server runs, for the tests."""

import json

import streamlit as st

st.text(
    json.dumps({name: st.get_option(name) for name in ("server.fileWatcherType", "server.maxUploadSize")})
)
