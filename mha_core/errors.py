"""Every error that this package raises on purpose.

    MhaError
    ├── ExampleError      an example file or an edit breaks a rule of the format
    ├── LinkError         a share link's token cannot be read
    ├── CellError         a requested cell is not in the trace
    ├── NumberRangeError  a number outgrew what the chosen dtype can hold
    ├── DeviceError       the requested device or dtype is not available
    ├── InteropError      a weight file or another library's layer cannot become an example, or the reverse
    ├── ReadError         a text cannot be read, or contains no example
    ├── ModelError        a model's folder cannot be read, or the model cannot take a text or a place
    ├── TrainError        a training's settings, lines or file are refused, or it ended before its time
    └── ExportError       a library or a format cannot express an example

An error stores its sentence as a template with values, so that a page can show it in the reader's language:
``error.sentence(gettext)``. Templates are marked with ``N_`` so that Babel finds them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_PLURAL: Final = re.compile(r"\{(\w+):([^{|}]*)\|([^{|}]*)\}")


class Template(str):
    """A sentence with fields. A count chooses a word: ``{count} {count:row|rows}`` is “1 row” or “2 rows”.

    A translation into a language without plurals has the field alone. ``fill`` in JavaScript does the same.
    """

    def format(self, *args: object, **values: object) -> str:
        """The sentence with these values."""
        chosen = _PLURAL.sub(lambda found: found[2 if values[found[1]] in (1, "1") else 3], self)
        return chosen.format(*args, **values)


def N_(template: str) -> str:
    """Mark a sentence for translation; it is translated where it is shown."""
    return Template(template)


def in_english(template: str) -> str:
    """The sentence as it is in the code, in place of a translation."""
    return template


NEEDS_PACKAGE = N_("this requires the package {name}: pip install {source}")
"""The sentence where an optional package is missing."""


_PINS: Final = {
    "app": "requirements.txt",
    "interop": "requirements-interop.txt",
    "models": "requirements.txt",
    "notebook": "requirements-notebook.txt",
    "read": "requirements-read.txt",
    "slides": "requirements-slides.txt",
    "transformers": "requirements-transformers.txt",
}
"""Extra of this package → the file of a checkout that pins it."""


def extra(name: str) -> str:
    """The argument of ``pip install`` for an extra: its file of pins in a checkout, else the extra's name."""
    file = _PINS[name]
    return f"-r {file}" if (Path(__file__).parents[1] / file).is_file() else f'"mha[{name}]"'


class Translatable:
    """A value in a sentence that is translated along with the sentence."""

    def translated(self, gettext: Callable[[str], str]) -> str:
        """The text, in the language that ``gettext`` translates into."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.translated(in_english)


class Reason(Translatable):
    """The operating system's reason why a file cannot be read or written, or else the error's own text."""

    KNOWN = (
        N_("No such file or directory"),
        N_("Permission denied"),
        N_("Is a directory"),
        N_("No space left on device"),
    )

    def __init__(self, error: OSError | ValueError) -> None:
        self.text: str = getattr(error, "strerror", None) or str(error)

    def translated(self, gettext: Callable[[str], str]) -> str:
        """The reason in a language, if it is a known one."""
        return gettext(self.text) if self.text in self.KNOWN else self.text


class MhaError(ValueError):
    """A sentence that names the place, what was expected and what was received.

    ``place`` is a path in the example file such as ``heads[1].w_k``, or empty where no place applies.
    """

    def __init__(self, template: str, *, place: str = "", **values: object) -> None:
        self.template = template
        self.place = place
        self.values = values
        super().__init__(self.sentence())

    def sentence(self, gettext: Callable[[str], str] = in_english) -> str:
        """The sentence with its place, in the language that ``gettext`` translates into."""
        what = self.what(gettext)
        return gettext(N_("{place}: {what}")).format(place=self.place, what=what) if self.place else what

    def what(self, gettext: Callable[[str], str] = in_english) -> str:
        """The sentence without its place."""
        values = {
            name: value.translated(gettext) if isinstance(value, Translatable) else value
            for name, value in self.values.items()
        }
        return gettext(self.template).format(**values)


class Sentence(Translatable):
    """What another error says, inside a sentence."""

    def __init__(self, error: MhaError) -> None:
        self.error = error

    def translated(self, gettext: Callable[[str], str]) -> str:
        """The error's sentence in a language."""
        return self.error.sentence(gettext)


@contextmanager
def needs(package: str, extra_name: str, error: type[MhaError], place: str = "") -> Iterator[None]:
    """Wraps the import of an optional package: raises ``error``, which names the extra to install, if it is missing."""
    try:
        yield
    except ImportError:
        raise error(NEEDS_PACKAGE, place=place, name=package, source=extra(extra_name)) from None


@contextmanager
def placed(place: str) -> Iterator[None]:
    """An error from within that names no place gets this one, such as the file that is read."""
    try:
        yield
    except MhaError as error:
        if error.place:
            raise
        raise type(error)(error.template, place=place, **error.values) from None


class ExampleError(MhaError):
    """An example breaks a rule of the format ``mha-example/1``."""


class LinkError(MhaError):
    """A share link's token is cut, altered, foreign or too large."""


class CellError(MhaError):
    """No such step, head, row or column in this trace."""


class NumberRangeError(MhaError):
    """A computed number left the range of the dtype."""


class DeviceError(MhaError):
    """The requested device or dtype is not available here."""


class InteropError(MhaError):
    """A weight file, or a layer of another library, that cannot be read or has no counterpart here."""


class ReadError(MhaError):
    """A text that cannot be read, or in which there is no example."""


class ModelError(MhaError):
    """A trained model that cannot be loaded, or a text, place or head that it does not have or cannot take."""


class ExportError(MhaError):
    """This example has something that the chosen target cannot express."""


class TrainError(MhaError):
    """Settings, lines or a file that cannot be trained with, or a training that could not go on."""
