"""An HTML document that contains everything it shows and requests nothing.

Its content security policy allows its own scripts and stylesheets by their hashes. What it is made of is compressed,
which makes a page half as large. A few lines unpack it and put it into the page, where the policy knows it by its hash.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode, b85encode
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from html import escape
from typing import Final, TypeAlias

from mha_core.messages import LANGUAGE

Styles: TypeAlias = tuple[tuple[str, str], ...]
"""Stylesheets, each with the id of its element."""
NO_MARKUP: Final = r"\u003c"
"""In JSON the same as <."""
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%,()*+-;.=/?@^_`{|}~"
_NOT_MARKUP: Final = str.maketrans("&<>", ",./")
"""Base 85 is 6 % shorter than base 64. Three of Python's digits are markup: we write three others."""
UNPACK: Final = f"""
const digits = new Map([..."{_DIGITS}"].map((digit, value) => [digit, value]));
const packed = document.querySelector("#script").textContent;
const bytes = new Uint8Array(Math.floor((packed.length * 4) / 5));
for (let place = 0; place * 4 < bytes.length; place += 1) {{
  const group = [...packed.slice(place * 5, place * 5 + 5).padEnd(5, "~")];
  const value = group.reduce((sum, digit) => sum * 85 + digits.get(digit), 0);
  for (let byte = 0; byte < 4; byte += 1) bytes[place * 4 + byte] = value >>> (24 - 8 * byte);
}}
const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
for (const [name, properties] of await new Response(text).json())
  document.head.append(Object.assign(document.createElement(name), properties, {{ className: "unpacked" }}));
"""


def document(
    language: str,
    title: str,
    script: str,
    styles: Styles,
    *,
    first: Sequence[str] = (),
    data: str = "",
    packs_data: bool = False,
    icon: str = "",
    no_script: str = "",
) -> str:
    """A document whose script finds ``data``, JSON, in ``#data``, and the element ``#page`` to show it in.

    ``first``: scripts that run before the others are unpacked. ``packs_data``: whether the data is compressed too;
    otherwise the document can write a copy of itself with other data. ``icon``: the address of its icon.
    ``no_script``: what is shown where scripts do not run. Title and data are never markup.
    """
    plain = "" if packs_data else f"{_JSON}{data.replace('<', NO_MARKUP)}</script>\n"
    link = f'<link rel="icon" href="{escape(icon)}">\n' if icon else ""
    note = f"<noscript><p>{escape(no_script)}</p></noscript>" if no_script else ""
    before = "".join(f'<script type="module">{text}</script>\n' for text in first)
    return f"""<!doctype html>
<html lang="{LANGUAGE[language].tag}">
<head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy([*first, UNPACK, script], dict(styles).values())}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
{link}</head>
<body><div id="page">{note}</div>
{plain}{before}<script type="text/plain" id="script">{packed(script, styles, data if packs_data else "")}</script>
<script type="module">{UNPACK}</script></body></html>
"""


_JSON: Final = '<script type="application/json" id="data">'


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


@lru_cache(maxsize=8)
def packed(script: str, styles: Styles = (), data: str = "") -> str:
    """Elements as ``UNPACK`` reads them: each with its name and properties, compressed, in base 85."""
    elements = [
        *(("style", {"id": name, "textContent": style}) for name, style in styles),
        *([("script", {"id": "data", "type": "application/json", "textContent": data})] if data else []),
        ("script", {"type": "module", "textContent": script}),
    ]
    text = json.dumps(elements, ensure_ascii=False, separators=(",", ":"))
    digits = b85encode(gzip.compress(text.encode(), mtime=0)).decode()
    return digits.translate(_NOT_MARKUP)
