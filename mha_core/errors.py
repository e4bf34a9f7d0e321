"""Every error that this package raises on purpose.

    MhaError
    ├── ExampleError      an example file or an edit breaks a rule of the format
    ├── LinkError         a share link's token cannot be read
    ├── CellError         a cell that was asked for is not in the trace
    ├── NumberRangeError  a number outgrew what the chosen dtype can hold
    ├── DeviceError       the device or dtype asked for is not to be had
    ├── InteropError      a weight file or another library's layer cannot become an example, or the reverse
    ├── ModelError        a model's folder cannot be read, or a text or a place is none that the model can take
    └── ExportError       an example that a library or a format cannot express

An error carries its sentence as a template and the template's values, so that a page can say it in the
reader's language: ``error.sentence(gettext)``. Templates are marked with ``N_`` so that
Babel finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final


def N_(template: str) -> str:
    """Mark a sentence for translation; it is translated where it is shown."""
    return template


NEEDS_PACKAGE = N_("this needs the package {name}: pip install {source}")
"""Where an optional package is missing."""


_PINS: Final = {
    "app": "requirements.txt",
    "interop": "requirements-interop.txt",
    "models": "requirements.txt",
    "notebook": "requirements.txt",
    "slides": "requirements-slides.txt",
}
"""Extra of this package → the file of a checkout that pins it."""


def extra(name: str) -> str:
    """What pip is to install for an extra: its file of pins in a checkout, its name where the package is installed."""
    file = _PINS[name]
    return f"-r {file}" if (Path(__file__).parents[1] / file).is_file() else f'"mha[{name}]"'


class Said:
    """A value of a sentence that is said in the reader's language, as the sentence is."""

    def said(self, gettext: Callable[[str], str]) -> str:
        """The text, in the language that ``gettext`` translates into."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.said(str)


class MhaError(ValueError):
    """A sentence that names the place, what was expected and what came.

    ``place`` is a path in the example file such as ``heads[1].w_k``; it is empty where no place applies.
    """

    def __init__(self, template: str, *, place: str = "", **values: object) -> None:
        self.template = template
        self.place = place
        self.values = values
        super().__init__(self.sentence())

    def sentence(self, gettext: Callable[[str], str] = str) -> str:
        """The sentence with its place, in the language that ``gettext`` translates into."""
        what = self.what(gettext)
        return f"{self.place}: {what}" if self.place else what

    def what(self, gettext: Callable[[str], str] = str) -> str:
        """The sentence without its place."""
        said = {
            name: value.said(gettext) if isinstance(value, Said) else value
            for name, value in self.values.items()
        }
        return gettext(self.template).format(**said)


@contextmanager
def needs(package: str, extra_name: str, error: type[MhaError], place: str = "") -> Iterator[None]:
    """Around the import of an optional package: raises ``error`` where it is missing, with the extra that brings it."""
    try:
        yield
    except ImportError:
        raise error(NEEDS_PACKAGE, place=place, name=package, source=extra(extra_name)) from None


class ExampleError(MhaError):
    """An example breaks a rule of the format ``mha-example/1``."""


class LinkError(MhaError):
    """A share link's token is cut, altered, foreign or too large."""


class CellError(MhaError):
    """No such step, head, row or column in this trace."""


class NumberRangeError(MhaError):
    """A computed number left the range of the dtype."""


class DeviceError(MhaError):
    """The device or dtype asked for is not available here."""


class InteropError(MhaError):
    """A weight file, or a layer of another library, that cannot be read or has no counterpart here."""


class ModelError(MhaError):
    """A trained model that cannot be loaded, or a text, a place or a head that it cannot be asked about."""


class ExportError(MhaError):
    """This example has something that the chosen target cannot express."""
