"""An example as one HTML page that needs no server: Explore and the step-by-step tour, in every language.

The page contains everything that it shows, and its content security policy forbids every request. Its numbers follow
an edit by ``web/kit/evaluate.js``; what the server does elsewhere with an edit, ``web/page/`` does there. A visitor's
text is only ever data, and is never markup.
"""

from __future__ import annotations

import json

from mha_core.compute.trace import Trace
from mha_view.about import title_of
from mha_view.document import document
from mha_view.follow import NO_SCRIPT, icon
from mha_view.language import words_in
from mha_view.page.data import page_data
from mha_view.page.source import script, styles

__all__ = ["as_page"]


def as_page(trace: Trace, language: str = "en", decimals: int = 4, app: str = "") -> str:
    """The page of an example. It opens in the browser's language, or in ``language`` where that is not one of ours.

    ``app``: the address of an app that opens the same numbers, "" for none.
    """
    return document(
        language,
        title_of(trace.example, language),
        script("page/page.js"),
        styles("page/page.css"),
        data=json.dumps(page_data(trace, language, decimals, app), ensure_ascii=False, separators=(",", ":")),
        icon=f"data:image/svg+xml;base64,{icon()}",
        no_script=words_in(language)(NO_SCRIPT),
    )
