"""An edit as the browser sends it, applied as the server does."""

from collections.abc import Mapping

from mha_core import Example
from mha_core.edit import edits
from mha_core.edit.edit import read_edit


def apply(example: Example, edit: Mapping[str, object]) -> Example:
    """The example after an edit in plain data. Raises ``ExampleError`` where it is malformed, or cannot be made."""
    return edits.apply(example, read_edit(edit))
