"""The one server, ``streamlit run app.py``: Streamlit's pages, and the routes of ``mha_api`` beside them."""

import streamlit as st

import mha_api
from mha_api import assets, logs, metrics, ready
from mha_api.rooms.chosen import chosen
from mha_api.rooms.page import Follower
from mha_ui import component, shell
from mha_view import bundle, follow, page_words

# What the pages need, and wait for.
LIBRARIES = ("torch",)
# What they can do without.
OPTIONAL = ("anywidget", "pptx", "redis", "traitlets")
FOLLOWER = Follower(follow.page, follow.script, follow.style, follow.walk)
ROOMS = chosen()
MODULES = assets.Modules(bundle.digest, bundle.bundled, bundle.plain)

app = st.App(
    "pages/navigation.py",
    routes=mha_api.routes(st.get_option("server.baseUrlPath"), FOLLOWER, ROOMS, MODULES, page_words.served),
    middleware=mha_api.middleware(
        style=shell.STYLE, keeps_styles=st.get_option("server.fileWatcherType") == "none"
    ),
    lifespan=ready.lifespan(
        LIBRARIES,
        ("mha_core", "mha_view", "mha_ui"),
        first=component.serve,
        last=ROOMS.close,
        optional=OPTIONAL,
        beside=(logs.written, lambda: metrics.served(ROOMS, shell.sessions)),
    ),
    on_script_error=shell.script_failed,
)
