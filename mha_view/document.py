"""An HTML document that contains everything it shows and requests nothing.

Its content security policy allows its own scripts and stylesheets by their hashes. The script is compressed, which
makes a page half as large. A few lines unpack it and put it into the page, where the policy knows it by its hash.
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from typing import Final

NO_MARKUP: Final = r"\u003c"
"""In JSON the same as <."""
UNPACK: Final = """
const packed = document.querySelector("#script").textContent;
const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const script = document.createElement("script");
script.type = "module";
script.id = "unpacked";
script.textContent = await new Response(text).text();
document.body.append(script);
"""


def policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
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
def packed(script: str) -> str:
    """A script as ``UNPACK`` reads it: compressed, in base64."""
    return b64encode(gzip.compress(script.encode(), mtime=0)).decode()
