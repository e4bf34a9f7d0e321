"""How a component of ours is served and mounted: its code and stylesheet stand in ``web/``."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from mha_view import bundle, page_words

_LONGEST_WAIT_MS: Final = 10_000
"""For a stylesheet: without one a page is plain, but all there."""


def component(name: str, page: str, module: str, *, has_words: bool = False, **definition: Any) -> Any:
    """Streamlit's command that mounts ``mha.name``, whose code is the default export of a page's module.

    ``page`` is a folder of ``web/``. ``has_words``: it is sent no words, but reads those of the page (``page_words``).
    ``definition`` is what else Streamlit takes: ``css`` is a file in that folder, which Streamlit finds where ``name``
    is the page's, ``html`` a text. Cache it.
    """
    serve()
    script = _loader(page, module, has_words=has_words)
    return in_a_list(st.components.v2.component(f"mha.{name}", js=script, **definition))


def serve() -> None:
    """Serve every page's stylesheets; before the first visitor, whose browser may hold a page of an earlier server."""
    for page in bundle.pages():
        _serve(page)


def in_a_list(mount: Any) -> Any:
    """The same command, which sends the data as the only item of a list.

    In a dictionary Streamlit looks for data frames, value by value, and imports pandas to know one.
    """

    def mounted(*, data: Any, **given: Any) -> Any:
        return mount(data=[data], **given)

    return mounted


def _serve(page: str) -> None:
    """Serve a page's folder as the component ``mha.page``'s, as Streamlit does for an installed package.

    Once: Streamlit would forget what the component of that name is mounted with.
    """
    manager = get_bidi_component_manager()
    if manager.get_component_path(f"mha.{page}") is not None:
        return
    served = ComponentConfig(name=page, asset_dir=page)
    manifest = ComponentManifest(name="mha", version="1", components=[served])
    manager.register_from_manifest(manifest, bundle.WEB)


def _loader(page: str, module: str, *, has_words: bool) -> str:
    """Loads a page's module once, by the address that ``mha_api.assets`` serves it at: in the page's bundle, or by
    itself where modules are edited.

    Given as a path, Streamlit would add a script element and wait for it at every answer, which costs more than the
    whole computation; given as text, all of it would travel with every answer. A component waits for its stylesheet,
    with all that this one imports: what it shows it may measure.

    A page's words are loaded together with its modules, so that they are there before anything is shown. An answer has
    the language, and in ``own_words`` what an example says otherwise.
    """
    words = page_words.served(page) if has_words else None
    address = f'new URL("../../api/words/{words.version}/{page}.js", app)' if words else ""
    if st.get_option("server.fileWatcherType") == "none":
        version, of = bundle.digest(), f".then((page) => page.{bundle.name(f'{page}/{module}')})"
        kit, own = f"{bundle.KIT}.js", f"{page}.js"
    else:
        version, of = bundle.AS_THEY_ARE, ""
        kit, own = f"{bundle.KIT}/mount.js", f"{page}/{module}"
    return f"""
const app = document.querySelector('script[type="module"][src*="static/js/"]').src;
const load = (name) => import(new URL(`../../api/modules/{version}/${{name}}`, app));
load("{kit}"); // at once: only the page's own would say that it is wanted
const served = load("{own}"){of};
const worded = {f"import({address})" if words else "null"};
const isWhole = (sheet) => sheet && [...sheet.cssRules]
  .every((rule) => !(rule instanceof CSSImportRule) || isWhole(rule.styleSheet));
const dressed = (link) => isWhole(link.sheet) || new Promise((done) => {{
  link.onload = link.onerror = done;
  setTimeout(done, {_LONGEST_WAIT_MS});
}});
export default async (component) => {{
  const sheets = [...component.parentElement.querySelectorAll('link[rel="stylesheet"]')];
  const [module, words] = await Promise.all([served, worded, ...sheets.map(dressed)]);
  const [data] = component.data;
  const said = words && {{ words: {{ ...words.default[data.lang], ...data.own_words }} }};
  return module.default({{ ...component, data: {{ ...data, ...said }} }});
}};
"""
