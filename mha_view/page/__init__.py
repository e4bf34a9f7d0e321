"""An example as one HTML page that needs no server: Explore and the step-by-step tour, in every language.

The page contains everything that it shows, and its content security policy forbids every request. Its numbers follow
an edit by ``web/kit/evaluate.js``; what the server does elsewhere with an edit, ``web/page/`` does there. A visitor's
text is only ever data, and is never markup.

The script is compressed, which makes the page half as large. A few lines unpack it and put it into the page, where the
policy knows it by its hash.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from html import escape
from typing import Final

from mha_core.compute.trace import Trace
from mha_core.messages import LANGUAGE
from mha_view import bundle
from mha_view.about import title_of
from mha_view.follow import NO_SCRIPT, icon
from mha_view.language import words_in
from mha_view.page.data import page_data
from mha_view.palette import css_variables

__all__ = ["as_page"]


def as_page(trace: Trace, language: str = "en", decimals: int = 4, app: str = "") -> str:
    """The page of an example. It opens in the browser's language, or in ``language`` where that is not one of ours.

    ``app``: the address of an app that opens the same numbers, "" for none.
    """
    data = json.dumps(page_data(trace, language, decimals, app), ensure_ascii=False, separators=(",", ":"))
    script, styles = _script(), _styles()
    return f"""<!doctype html>
<html lang="{LANGUAGE[language].tag}">
<head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy([_UNPACK, script], styles.values())}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title_of(trace.example, language))}</title>
<link rel="icon" href="data:image/svg+xml;base64,{icon()}">
{"".join(f'<style id="style-{name}">{style}</style>' for name, style in styles.items())}</head>
<body><div id="page"><noscript><p>{escape(words_in(language)(NO_SCRIPT))}</p></noscript></div>
<script type="application/json" id="data">{data.replace("<", _NO_MARKUP)}</script>
<script type="text/plain" id="script">{_packed(script)}</script>
<script type="module">{_UNPACK}</script></body></html>
"""


_NO_MARKUP: Final = r"\u003c"
"""In JSON the same as <."""
_UNPACK: Final = """
const packed = document.querySelector("#script").textContent;
const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const script = document.createElement("script");
script.type = "module";
script.id = "unpacked";
script.textContent = await new Response(text).text();
document.body.append(script);
"""


def _policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """Nothing is requested, and only our own scripts and stylesheets count. Elements may have styles of their own."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(map(_digest, scripts))}",
            "style-src 'unsafe-inline'",  # for browsers that do not know the two that follow
            f"style-src-elem {' '.join(map(_digest, styles))}",
            "style-src-attr 'unsafe-inline'",
            "img-src data:",
            "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def _script() -> str:
    return bundle.script("page/page.js")


@cache
def _packed(script: str) -> str:
    return b64encode(gzip.compress(script.encode(), mtime=0)).decode()


@cache
def _styles() -> dict[str, str]:
    """The page's stylesheet, and those of its parts, of which the script uses one at a time."""
    sheets = {part: bundle.style(f"{part}/{part}.css") for part in ("page", "explore", "walk")}
    sheets["page"] = css_variables() + sheets["page"]
    return {part: bundle.without_spaces(sheet) for part, sheet in sheets.items()}
