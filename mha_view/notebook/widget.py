"""A widget in a notebook: an example's page, whose numbers Python reads and sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Final, TypedDict

import anywidget
import traitlets

from mha_core.compute.trace import trace
from mha_core.edit.edit import read_edit
from mha_core.edit.edits import apply
from mha_core.errors import N_, ExampleError
from mha_core.example.model import Example
from mha_core.messages import shell_language
from mha_core.walk.handout import require_size
from mha_view import bundle
from mha_view.notebook.cell import cell_data, empty_cell

_MODULE: Final = "cell/widget.js"
_EXPECTED: Final = N_("expected an Example, got {got}")


class Edited(TypedDict):
    """The edits of one version of what is shown."""

    version: int
    edits: list[dict[str, object]]


class Widget(anywidget.AnyWidget):  # type: ignore[misc]  # the package is optional, and not checked
    """An example's page in a cell. ``example`` is what the page shows, also after an edit there, and can be set.

    Example: ``widget = Widget(example)``. After an edit in the page, ``widget.example`` has exactly the number that was
    typed. ``widget.observe(changed, "example")`` calls ``changed`` after each, and ``widget.example = other`` shows
    another one. In an exercise the page starts without answers, and so does its example.

    Raises ``ExampleError`` where something else than an example is set, and ``ExportError`` where an example is too
    large for a page. The widget then keeps the one that it has.
    """

    _esm = f"{bundle.script(_MODULE)}export default {{ render: {bundle.name(_MODULE)}.render }};\n"
    example = traitlets.TraitType[Example, Example]()
    _frame = traitlets.Unicode().tag(sync=True)
    _shown = traitlets.Dict().tag(sync=True)
    _edited = traitlets.Dict().tag(sync=True)
    """The edits of what is shown, as ``web/page/kept.js`` has them, and the version of it that they belong to."""

    def __init__(self, example: Example) -> None:
        self._language = shell_language()
        self._opened: Example | None = None
        self._on_page: Example | None = None
        super().__init__(example=example, _frame=empty_cell(self._language))

    @traitlets.validate("example")
    def _checked(self, proposal: Mapping[str, object]) -> Example:
        example = proposal["value"]
        if not isinstance(example, Example):
            raise ExampleError(_EXPECTED, place="example", got=type(example).__name__)
        if example is self._on_page:
            return example
        require_size(trace(example))
        return replace(example, claimed=None) if example.asked else example

    @traitlets.observe("example")
    def _show(self, change: Mapping[str, Example]) -> None:
        """Open an example in the page, unless the page has made it."""
        if change["new"] == self._on_page:
            return
        self._opened = self._on_page = change["new"]
        data = cell_data(trace(change["new"]), self._language)
        self._shown = {"version": self._shown.get("version", 0) + 1, "data": data}

    @traitlets.observe("_edited")
    def _follow(self, change: Mapping[str, Edited]) -> None:
        """The page has been edited. Edits of an example that it shows no longer are ignored."""
        if self._opened is None or change["new"]["version"] != self._shown["version"]:
            return
        self._on_page = reduce(apply, map(read_edit, change["new"]["edits"]), self._opened)
        self.example = self._on_page
