"""How a component of ours is served and mounted: its code and stylesheet are in ``web/``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from mha_view import bundle, page_words

if TYPE_CHECKING:
    from streamlit.components.v2.bidi_component.state import ComponentResult
    from streamlit.components.v2.types import ComponentRenderer
    from streamlit.elements.lib.layout_utils import Width
    from streamlit.runtime.state.common import WidgetCallback


class Mount(Protocol):
    """Mounts a component at a place of the page. ``callbacks`` are named ``on_NAME_change``."""

    def __call__(
        self,
        *,
        key: str,
        data: Mapping[str, object],
        width: Width = "stretch",
        **callbacks: WidgetCallback | None,
    ) -> ComponentResult:
        """What the component has sent, by name."""


def component(
    name: str,
    page: str,
    module: str,
    *,
    css: str | None = None,
    html: str | None = None,
    isolate_styles: bool = True,
    has_words: bool = False,
) -> Mount:
    """The command that mounts ``mha.name``, whose code is the default export of a page's module.

    ``page`` is a folder of ``web/``. ``css`` is a file in that folder, which Streamlit finds where ``name`` is the
    page's, or a stylesheet's text; ``html`` is a text. ``has_words``: the component reads the page's words from
    ``page_words``, and its data has none.
    """
    commands = _commands()
    if name not in commands:
        serve()
        commands[name] = in_a_list(
            st.components.v2.component(
                f"mha.{name}",
                html=html,
                css=css,
                js=_loader(page, module, has_words=has_words),
                isolate_styles=isolate_styles,
            )
        )
    return commands[name]


@st.cache_resource(show_spinner=False)
def _commands() -> dict[str, Mount]:
    """The commands made so far, by component. Making one twice, in two sessions at a time, does no harm."""
    return {}


def send_value() -> None:
    """A callback that does nothing: Streamlit returns what a component sends only where there is a callback."""


def serve() -> None:
    """Serve every page's stylesheets. Call it at the start, since a browser may still show an earlier server's page."""
    for page in bundle.pages():
        _serve(page)


def in_a_list(mount: ComponentRenderer) -> Mount:
    """The same command, which sends the data as the only item of a list.

    In a dictionary Streamlit looks for data frames, value by value, and imports pandas to recognise one.
    """

    def mounted(
        *, key: str, data: Mapping[str, object], width: Width = "stretch", **callbacks: WidgetCallback | None
    ) -> ComponentResult:
        return mount(key=key, data=[data], default=None, width=width, height="content", **callbacks)

    return mounted


def _serve(page: str) -> None:
    """Serve a page's folder as that of the component ``mha.page``, as Streamlit does for an installed package.

    It is done once: a second time Streamlit would forget what the component of that name is mounted with.
    """
    manager = get_bidi_component_manager()
    if manager.get_component_path(f"mha.{page}") is not None:
        return
    served = ComponentConfig(name=page, asset_dir=page)
    manifest = ComponentManifest(name="mha", version="1", components=[served])
    manager.register_from_manifest(manifest, bundle.WEB)


def _loader(page: str, module: str, *, has_words: bool) -> str:
    """A script that loads a page's module once, from the address where ``mha_api.assets`` serves it: in the page's
    bundle, or by itself where modules are edited. ``web/kit/load.js`` shows what it has loaded.

    If Streamlit had the module's path, it would add a script element and wait for it at every answer, which costs more
    than the whole computation. It sends this text with every answer, so it is short.

    The kit, the module and the words are asked for at once. The data has the language and ``own_words``, the words that
    an example replaces.
    """
    words = page_words.served(page) if has_words else None
    if st.get_option("server.fileWatcherType") == "none":
        version, kit, own = bundle.digest(), f"{bundle.KIT}.js", f"{page}.js"
        show, name = f"{bundle.name('kit/load.js')}.show", bundle.name(f"{page}/{module}")
    else:
        version, kit, own = bundle.AS_THEY_ARE, "kit/load.js", f"{page}/{module}"
        show, name = "show", ""
    addresses = [f"modules/{version}/{kit}", f"modules/{version}/{own}"]
    if words:
        addresses.append(f"words/{words.version}/{page}.js")
    return f"""\
const app = document.querySelector('script[type="module"][src*="static/js/"]').src;
const parts = {json.dumps(addresses)}.map((path) => import(new URL("../../api/" + path, app)));
export default async (component) => (await parts[0]).{show}(component, parts, "{name}");
"""
