"""Code and documents to take away: programs that assert an example's numbers, and every step as LaTeX or Markdown.

``templates`` holds the programs, ``programs`` and ``sheet`` fill them in, ``documents`` writes LaTeX and Markdown from
the declared computation, ``text`` keeps a visitor's text from being anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mha_core.compute.device import place
from mha_core.compute.trace import Trace, trace
from mha_core.errors import N_, ExportError
from mha_core.example.model import Example
from mha_core.export.documents import latex_document, markdown_document
from mha_core.export.programs import keras_program, numpy_program, scratch_program, torch_program

__all__ = ["MOST_DECIMALS", "TARGETS", "Target", "export"]

MOST_DECIMALS = 15


@dataclass(frozen=True, slots=True)
class Target:
    """One thing to export to: its name on a page, its file's ending, how it is highlighted, and its writer."""

    label: str
    suffix: str
    syntax: str
    write: Callable[[Trace, int | None, str], str]


TARGETS = {
    "torch": Target(N_("PyTorch, its own attention"), "py", "python", torch_program),
    "torch-scratch": Target(N_("PyTorch, from scratch"), "py", "python", scratch_program),
    "numpy": Target("NumPy", "py", "python", numpy_program),
    "keras": Target("Keras 3", "py", "python", keras_program),
    "latex": Target("LaTeX", "tex", "latex", latex_document),
    "markdown": Target("Markdown", "md", "markdown", markdown_document),
}
"""By the name that the command line takes."""


def export(example: Example, target: str, decimals: int | None = None, language: str = "en") -> str:
    """The text of an example for one of the ``TARGETS``, computed in float64 on the CPU.

    ``decimals``: those of the numbers that are told; None for what suits the target. Raises ``ExportError`` where the
    target cannot express the example.
    """
    if decimals is not None and not 0 <= decimals <= MOST_DECIMALS:
        raise ExportError(N_("expected 0 to {most} decimals, got {got}"), most=MOST_DECIMALS, got=decimals)
    return TARGETS[target].write(trace(example, place("cpu", "float64")), decimals, language)
