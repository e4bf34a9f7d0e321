"""The walk as slides, a PPTX file: one slide a step, its matrices tables that can be edited.

``sheet`` decides what is on them, ``drawing`` draws them with python-pptx, an optional package.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from mha_core import Trace
from mha_core.errors import NEEDS_PACKAGE, ExportError, extra
from mha_core.messages import LANGUAGE
from mha_core.walk.handout import Handout
from mha_view.handout.sheet import sheets, shortened

MOST_PROPERTY: Final = 200
"""Characters of a title in a file's properties."""


def as_slides(trace: Trace, language: str = "en", decimals: int = 4) -> bytes:
    """The walk as a PPTX file of 16:9, with speaker's notes; a large matrix is cut to what fits.

    Raises ``ExportError`` for a walk of more numbers than ``handout.MOST_NUMBERS``, and as ``check_package`` does.
    """
    check_package()
    from mha_view.handout.drawing import pptx_file  # noqa: PLC0415  # it imports an optional package

    handout = Handout(trace, language, decimals)
    return pptx_file(list(sheets(handout)), shortened(handout.title, MOST_PROPERTY), LANGUAGE[language].tag)


def check_package() -> None:
    """Raise ``ExportError`` if python-pptx is missing."""
    if find_spec("pptx") is None:
        raise ExportError(NEEDS_PACKAGE, name="python-pptx", source=extra("slides"))
