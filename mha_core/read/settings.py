"""What a text says besides its matrices: the divisor, a causal mask, the tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mha_core.example.model import MAX_TEXT
from mha_core.read.grids import Grid
from mha_core.read.labels import plain

_UNSCALED: Final = re.compile(
    r"un-?scaled|not scaled|no scaling|without (?:the )?(?:scaling|dividing|√|scale)|skip(?:s|ping)? (?:the )?scal|"
    r"(?:do(?:es)? not|don't|never) (?:scale|divide)|omit\w* (?:the )?scal|不(?:做|进行)?缩放"
    r"|未缩放|没有缩放|省略缩放|不除以|不缩放|"
    r"scale\s*=\s*(?:None|1(?:\.0)?\b)|"
    r"(?:不|没|未|无|免|省|略|跳过)(?!忘)[^忘别。，,；;\n]{0,6}(?:缩放|除)|"
    r"\b(?:no|not|without|never|skip\w*|omit\w*|leav\w* out|ignor\w*|\w+n['’]t)\b(?!\s+forget)"
    r"(?:\s+[^\s.]+){0,4}?\s+(?:scal\w*|divi\w*|√\w*|root)",
    re.IGNORECASE,
)
_ROOT: Final = re.compile(
    r"√\s*[{(]?\s*d|sqrt\(\s*(?:self\.)?d|√d|square root of (?:the )?(?:d|key|dim)|d_k\s*\*\*\s*0?\.5|√|sqrt|"
    r"(?<![\w-])scal(?:ed|ing)\b|缩放|\*\*\s*-?0?\.5|/\s*d_?k"
)
"""That the text scales, whether or not its numbers do."""
_DIVISOR: Final = re.compile(
    r"(?:√\s*[({]*\s*d_?[({]?\w*[)}]*\s*(?:=\s*√\s*[({]?[\d.]+[)}]?\s*)?=\s*|[/÷]\s*|divid\w+\s+(?:\w+\s+){0,3}by\s+|除以\s*)"
    r"(√?)\s*[({]?\s*(\d+(?:\.\d+)?)"
)
_CAUSAL: Final = re.compile(
    r"causal|autoregressive|look[\s-]?ahead|cannot (?:see|look at|attend)\b.{0,30}(?:future|later"
    r"|ahead)|future (?:tokens|positions)|"
    r"upper triang|因果|下三角|未来(?:的)?(?:词|位置|信息|token)|不能看|torch\.tril|torch\.triu|np\.triu|np\.tril",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"[“\"「『'‘]([^“”\"「」『』'’\n]{2,200})[”\"」』'’]")
_LISTED: Final = re.compile(r"[\[(]\s*((?:[\"'][^\"'\n]{1,40}[\"']\s*,?\s*){2,64})[\])]")


@dataclass(frozen=True, slots=True)
class Settings:
    """``unscaled``: the text says that scores are not divided. ``rooted``: it divides by a root. ``divisors``: numbers
    by which it divides. ``causal``: it speaks of a causal mask.
    """

    unscaled: bool
    rooted: bool
    divisors: tuple[float, ...]
    causal: bool


def settings_in(text: str) -> Settings:
    """What a text says of scaling and masks."""
    text = plain(text)
    numbers = [float(n) ** 0.5 if root else float(n) for root, n in _DIVISOR.findall(text) if len(n) < 9]
    return Settings(
        unscaled=bool(_UNSCALED.search(text)),
        rooted=bool(_ROOT.search(text)),
        divisors=tuple(dict.fromkeys(n for n in numbers if 0 < n < 1000 and n != 1))[:4],
        causal=bool(_CAUSAL.search(text)),
    )


def tokens_in(text: str, count: int, grids: Sequence[Grid]) -> tuple[str, ...] | None:
    """The tokens: labels beside a matrix, a list of strings, or a quoted sentence of so many words."""
    for grid in grids:
        if len(grid.row_labels) == count and _are_tokens(grid.row_labels):
            return tuple(label[:MAX_TEXT] for label in grid.row_labels)
    for found in _LISTED.finditer(text):
        words = re.findall(r"[\"']([^\"']+)[\"']", found[1])
        if len(words) == count:
            return tuple(words)
    for found in _QUOTED.finditer(text):
        words = re.split(r"[\s,，、/]+", found[1].strip(" .。!?！？"))
        if len(words) != count and re.fullmatch(r"[\u4e00-\u9fff]+", found[1]):
            words = list(found[1])
        if len(words) == count and all(words):
            return tuple(words)
    return None


def _are_tokens(labels: Sequence[str]) -> bool:
    return all(label and not re.fullmatch(r"[\d.\s:]+|[a-zA-Z]_?\{?\d+\}?", label) for label in labels)
