"""An example as one HTML page that needs no server: Explore and the step-by-step tour, in every language.

The page contains everything that it shows, and its content security policy forbids every request. Its numbers follow
an edit by ``web/kit/evaluate.js``; what the server does elsewhere with an edit, ``web/page/`` does there. A visitor's
text is only ever data, and is never markup.
"""

from __future__ import annotations

import json
from functools import cache
from html import escape

from mha_core.compute.trace import Trace
from mha_core.messages import LANGUAGE
from mha_view import bundle
from mha_view.about import title_of
from mha_view.document import NO_MARKUP, UNPACK, packed, policy
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
<meta http-equiv="Content-Security-Policy" content="{policy([UNPACK, script], styles.values())}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title_of(trace.example, language))}</title>
<link rel="icon" href="data:image/svg+xml;base64,{icon()}">
{"".join(f'<style id="style-{name}">{style}</style>' for name, style in styles.items())}</head>
<body><div id="page"><noscript><p>{escape(words_in(language)(NO_SCRIPT))}</p></noscript></div>
<script type="application/json" id="data">{data.replace("<", NO_MARKUP)}</script>
<script type="text/plain" id="script">{packed(script)}</script>
<script type="module">{UNPACK}</script></body></html>
"""


@cache
def _script() -> str:
    return bundle.script("page/page.js")


@cache
def _styles() -> dict[str, str]:
    """The page's stylesheet, and those of its parts, of which the script uses one at a time."""
    sheets = {part: bundle.style(f"{part}/{part}.css") for part in ("page", "explore", "walk")}
    sheets["page"] = css_variables() + sheets["page"]
    return {part: bundle.without_spaces(sheet) for part, sheet in sheets.items()}
