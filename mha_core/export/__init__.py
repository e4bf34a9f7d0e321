"""Code and documents to take away: programs that assert an example's numbers, and every step as LaTeX or Markdown.

``templates`` holds the programs, ``programs`` and ``sheet`` fill them in, ``documents`` writes LaTeX and Markdown from
the declared computation, ``text`` keeps a visitor's text from being anything else.
"""

from __future__ import annotations

from dataclasses import dataclass

from mha_core.errors import N_, ExportError
from mha_core.example.model import Example

__all__ = ["MOST_DECIMALS", "TARGETS", "Target", "check_decimals", "export"]

MOST_DECIMALS = 15


@dataclass(frozen=True, slots=True)
class Target:
    """One thing to export to: its name on a page, its file's ending, and how it is highlighted."""

    label: str
    suffix: str
    syntax: str


TARGETS = {
    "torch": Target(N_("PyTorch, its own attention"), "py", "python"),
    "torch-scratch": Target(N_("PyTorch, from scratch"), "py", "python"),
    "numpy": Target("NumPy", "py", "python"),
    "keras": Target("Keras 3", "py", "python"),
    "latex": Target("LaTeX", "tex", "latex"),
    "markdown": Target("Markdown", "md", "markdown"),
}
"""By the name that the command line takes."""


def export(example: Example, target: str, decimals: int | None = None, language: str = "en") -> str:
    """The text of an example for one of the ``TARGETS``, computed in float64 on the CPU.

    ``decimals``: those that numbers are written with; None for what suits the target. Raises ``ExportError`` where the
    target cannot express the example.
    """
    if decimals is not None:
        check_decimals(decimals)
    from mha_core.export.writers import write  # torch is imported when something is computed

    return write(example, target, decimals, language)


def check_decimals(decimals: int) -> None:
    """Raise ``ExportError`` where a number cannot have so many."""
    if not 0 <= decimals <= MOST_DECIMALS:
        raise ExportError(N_("expected 0 to {most} decimals, got {got}"), most=MOST_DECIMALS, got=decimals)
