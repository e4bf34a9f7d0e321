"""Exported code and documents: programs that assert an example's numbers, and every step as LaTeX or Markdown.

``templates`` has the programs, ``programs`` and ``sheet`` fill them in, ``documents`` writes LaTeX and Markdown from
the declared computation, ``text`` escapes a visitor's text.
"""

from __future__ import annotations

from dataclasses import dataclass

from mha_core.errors import N_, ExportError
from mha_core.example.model import Example

__all__ = ["MOST_DECIMALS", "TARGETS", "Target", "export", "require_decimals"]

MOST_DECIMALS = 15


@dataclass(frozen=True, slots=True)
class Target:
    """One export format: its name on a page, its file's suffix, and the language of its syntax highlighting."""

    label: str
    suffix: str
    syntax: str


TARGETS = {
    "torch": Target(N_("PyTorch, built-in attention"), "py", "python"),
    "torch-scratch": Target(N_("PyTorch, from scratch"), "py", "python"),
    "numpy": Target("NumPy", "py", "python"),
    "keras": Target("Keras 3", "py", "python"),
    "latex": Target("LaTeX", "tex", "latex"),
    "markdown": Target("Markdown", "md", "markdown"),
}
"""The formats by their names on the command line."""


def export(example: Example, target: str, decimals: int | None = None, language: str = "en") -> str:
    """The text of an example for one of the ``TARGETS``, computed in float64 on the CPU.

    ``decimals``: the decimals of numbers; None for the target's default. Raises ``ExportError`` where the target cannot
    express the example.
    """
    if decimals is not None:
        require_decimals(decimals)
    from mha_core.export.writers import write  # torch is imported when something is computed

    return write(example, target, decimals, language)


def require_decimals(decimals: int) -> None:
    """Raises ``ExportError`` where numbers cannot have so many decimals."""
    if not 0 <= decimals <= MOST_DECIMALS:
        raise ExportError(N_("expected 0 to {most} decimals, got {got}"), most=MOST_DECIMALS, got=decimals)
