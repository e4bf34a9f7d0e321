"""The address bar on pages without the bench: it has the work, and the page's own place.

The bench writes the address itself, in the browser. A page without it mounts this small component.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from mha_core.messages import LANGUAGE
from mha_ui import shell, state
from mha_ui.component import Mount, in_a_list

_KEEP: Final = """
let previous = null;
/** Where the list of lessons is a strip, scroll it until this link is in its middle. */
function show(link, strip) {
  const { left, right } = link.getBoundingClientRect();
  strip.scrollLeft += (left + right) / 2 - strip.getBoundingClientRect().left - strip.clientWidth / 2;
}
/** Streamlit's link to the home page would open this page in a new tab, and no link says which page is open. */
function mend() {
  for (const link of document.querySelectorAll('a[data-testid^="stPageLink"][href^="?"]'))
    link.setAttribute("href", `./${link.getAttribute("href")}`);
  for (const link of document.querySelectorAll(".st-key-lesson-list a")) {
    const isHere = link.closest(".st-key-lesson-here") ? "page" : null;
    if (isHere && !link.ariaCurrent) show(link, link.closest(".st-key-lesson-list"));
    link.ariaCurrent = isHere;
  }
}
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true }); // links may come later
export default function keep({ data: [data] }) {
  // A new server has no work of this visitor: the page opens again at its address.
  if (previous && previous.session !== data.session) return location.reload();
  document.documentElement.lang = data.lang; // Share sets it too, but an embedded page has no Share
  mend();
  const query = new URLSearchParams(location.search);
  for (const name of data.names) query.delete(name);
  for (const [name, value] of Object.entries(data.address)) query.set(name, value);
  const search = query.size ? `?${query}` : "";
  const placeChanged = previous && previous.place !== data.place && previous.path === location.pathname;
  previous = { session: data.session, place: data.place, path: location.pathname };
  if (search === location.search) return;
  const write = placeChanged ? "pushState" : "replaceState"; // Back leads to the previous lesson
  history[write](history.state, "", location.pathname + search + location.hash);
}
"""


def keep_address(
    work: state.Work, place: Mapping[str, str] | None = None, settings: Mapping[str, str] | None = None
) -> None:
    """Write the work's address into the address bar, with the page's own query parameters.

    ``place``: those that lead to another place, which Back leaves again. ``settings``: those that do not.
    """
    place = place or {}
    data = {
        "session": work.browser.session,
        "lang": LANGUAGE[work.language].tag,
        "names": state.PAGE_KEYS,
        "address": {**(state.handed_out(work) or state.address(work)), **place, **(settings or {})},
        "place": "&".join(place.values()),
    }
    _component()(key="address.keep", data=data)


def app_address() -> str:
    """The address of the app, that is, of the current page without its name."""
    page = urlsplit(st.context.url or "")
    root, _, name = page.path.rstrip("/").rpartition("/")
    is_a_page = f"{name}.py" in shell.PAGES
    return urlunsplit((page.scheme, page.netloc, root if is_a_page else page.path, "", ""))


@st.cache_resource(show_spinner=False)
def _component() -> Mount:
    return in_a_list(st.components.v2.component("mha.address", js=_KEEP))
