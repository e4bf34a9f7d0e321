"""The built-in examples: the files in ``built_in/``, in the order of their names."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from mha_core.errors import N_, CellError
from mha_core.example.files import parse
from mha_core.example.model import Example
from mha_core.quoted import quoted

FOLDER: Final = Path(__file__).resolve().parent / "built_in"
SUFFIX: Final = ".mha.json"
OPENS_FIRST: Final = "programming"
"""The example that opens unless a visitor chose another: its heads differ at a glance. ``library`` has another order,
that of study.
"""
_OPENS_FIRST_IN: Final = {"zh": "programming-zh"}
"""The same numbers with words of another language."""
GROUPS: Final = {
    N_("Start here"): ("programming", "programming-zh", "water", "first"),
    N_("Masks"): ("causal", "padding"),
    N_("Scaling"): ("saturated", "scaled"),
    N_("Layers"): ("output-projection", "translation", "three-values"),
    N_("Positions"): ("sinusoidal", "rotary", "alibi"),
    N_("Scoring"): ("additive", "bilinear", "cosine"),
    N_("Shared heads"): ("grouped-query",),
    N_("Published"): ("published",),
}
"""What the examples show, in the order of a menu: what a beginner needs first comes first."""


@lru_cache(maxsize=1)
def library() -> dict[str, Example]:
    """Name → example, in order. A file ``10_first.mha.json`` is named ``first``: the number only sorts."""
    return {
        path.name.removesuffix(SUFFIX).partition("_")[2]: parse(path.read_bytes())
        for path in sorted(FOLDER.glob(f"*{SUFFIX}"))
    }


def opens_first(language: str) -> str:
    """The name of the example that opens first for a visitor who reads this language."""
    return _OPENS_FIRST_IN.get(language, OPENS_FIRST)


_OTHER_WORDS: Final = {"en": N_("Chinese tokens"), "zh": N_("English tokens")}


def other_words(name: str, language: str) -> str:
    """The heading of an example whose tokens are of another language than the reader's; "" where they are of his."""
    is_foreign = all(map(str.isascii, library()[name].tokens)) == (language == "zh")
    return _OTHER_WORDS.get(language, "") if is_foreign else ""


def grouped(language: str) -> dict[str, str]:
    """Name → group, in the order of a menu. Those with words of another language come last, in the same order."""
    groups = {name: group for group, names in GROUPS.items() for name in names}
    return {name: groups[name] for name in sorted(groups, key=lambda name: bool(other_words(name, language)))}


def built_in(name: str) -> Example:
    """A built-in example by name. Raises ``CellError`` where there is none with that name."""
    try:
        return library()[name]
    except KeyError:
        raise CellError(N_("there is no example named {name}"), name=quoted(name)) from None
