"""What a notebook shows of a run: HTML from an installed package such as ``mha_view``."""

from __future__ import annotations


def as_html(shown: object) -> str | None:
    """Attentions, a changed run or a sweep as HTML; None where no installed package can show them."""
    from importlib.metadata import entry_points  # noqa: PLC0415  # slow to import, and only used in notebooks

    try:
        return next((str(page.load()(shown)) for page in entry_points(group="mha_core.heads")), None)
    except ModuleNotFoundError:  # only torch is installed, and a notebook shows the text
        return None
