"""The address bar on pages without the bench: it holds the work, and the page's own place.

The bench keeps the address itself, from the browser's side; a page without it mounts this small component.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import streamlit as st

from mha_core.messages import LANGUAGE
from mha_ui import state
from mha_ui.component import in_a_list

_KEEP: Final = """
let held = null;
/** Streamlit's link home, opened in a new tab, would lead to this page; and no link of its says that it is open. */
function mend() {
  for (const link of document.querySelectorAll('a[data-testid^="stPageLink"][href^="?"]'))
    link.setAttribute("href", `./${link.getAttribute("href")}`);
  for (const link of document.querySelectorAll(".st-key-lesson-list a"))
    link.ariaCurrent = link.closest(".st-key-lesson-here") ? "page" : null;
}
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true }); // links may come later
export default function keep({ data: [data] }) {
  if (held && held.session !== data.session) return location.reload(); // a new server: the address holds what it lacks
  document.documentElement.lang = data.lang; // Share says it too, which an embedded page lacks
  mend();
  const query = new URLSearchParams(location.search);
  for (const name of data.names) query.delete(name);
  for (const [name, value] of Object.entries(data.address)) query.set(name, value);
  const search = query.size ? `?${query}` : "";
  const turned = held && held.place !== data.place && held.path === location.pathname;
  held = { session: data.session, place: data.place, path: location.pathname };
  if (search === location.search) return;
  const write = turned ? "pushState" : "replaceState"; // back leads to the lesson before
  history[write](history.state, "", location.pathname + search + location.hash);
}
"""


def keep_address(work: state.Work, own: Mapping[str, str] | None = None) -> None:
    """Write the work's address into the address bar, and the page's ``own`` query parameters."""
    own = own or {}
    data = {
        "session": work.browser.session,
        "lang": LANGUAGE[work.language].tag,
        "names": state.PAGE_KEYS,
        "address": {**(state.handed_out(work) or state.address(work)), **own},
        "place": "&".join(own.values()),
    }
    _component()(key="address.keep", data=data)


@st.cache_resource(show_spinner=False)
def _component():  # type: ignore[no-untyped-def]  # Streamlit's mounting command
    return in_a_list(st.components.v2.component("mha.address", js=_KEEP))
