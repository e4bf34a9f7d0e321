"""What a notebook shows of an example, a trace or the heads of a run: an HTML page, which another package renders.

That package is the one that provides the entry point: a function from what is shown to HTML. In a checkout no package
is installed, and the package beside this one is asked, if it is there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mha_core.errors import N_, InteropError

PAGE: Final = "mha_core.page"
"""The group of the entry point that renders examples and traces."""
HEADS: Final = "mha_core.heads"
"""The group of the one that renders attentions, changed runs and sweeps."""
_IN_A_CHECKOUT: Final = {PAGE: "mha_view.notebook:page", HEADS: "mha_view.heads.cell:cell"}
"""Group → the function that an installed package would name."""


def html_of(shown: object, group: str = PAGE) -> str | None:
    """The HTML of what is shown; None where nothing can render it, or a package that this needs is missing."""
    from importlib.metadata import EntryPoint, entry_points  # noqa: PLC0415  # slow to import, and only used in notebooks
    from importlib.util import find_spec  # noqa: PLC0415

    renderers = list(entry_points(group=group))
    function = _IN_A_CHECKOUT[group]
    if not renderers and find_spec(function.partition(".")[0]):
        renderers = [EntryPoint("html", function, group)]
    try:
        return next((str(renderer.load()(shown)) for renderer in renderers), None)
    except ModuleNotFoundError:  # only torch is installed, and a notebook shows the text
        return None


class HeadsPage:
    """What a notebook shows as a page of heads: attentions, changed runs and sweeps."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """The page in a frame; None without ``mha_view``."""
        return html_of(self, HEADS)

    def save_html(self, path: str | Path) -> None:
        """Write the page as an HTML file, which needs no server. Raises ``InteropError`` without ``mha_view``."""
        page = self._repr_html_()
        if page is None:
            raise InteropError(
                N_("the page needs more packages: pip install “mha[notebook]”"), place="save_html"
            )
        Path(path).write_text(f"<!doctype html>\n<meta charset=utf-8>\n{page}\n", encoding="utf-8")
