"""The function that writes each target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mha_core.compute.device import backend
from mha_core.compute.trace import Trace, trace
from mha_core.example.model import Example
from mha_core.export.documents import latex_document, markdown_document
from mha_core.export.programs import keras_program, numpy_program, scratch_program, torch_program

_WRITERS: Final[dict[str, Callable[[Trace, int | None, str], str]]] = {
    "torch": torch_program,
    "torch-scratch": scratch_program,
    "numpy": numpy_program,
    "keras": keras_program,
    "latex": latex_document,
    "markdown": markdown_document,
}


def write(example: Example, target: str, decimals: int | None, language: str) -> str:
    """The text of an example, computed in float64 on the CPU, for one of ``export.TARGETS``."""
    return _WRITERS[target](trace(example, backend("cpu", "float64")), decimals, language)
