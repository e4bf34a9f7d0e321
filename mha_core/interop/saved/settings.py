"""The settings of a ``config.json``: each is checked when it is read, and an error names it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from mha_core.errors import N_, ModelError, Reason
from mha_core.quoted import quoted_json

Activation: TypeAlias = Literal["gelu", "gelu_tanh", "relu", "silu"]

FILE = "config.json"
MAX_FILE = 1_000_000
"""Longest config.json, in bytes."""
_ACTIVATIONS: dict[str, Activation] = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}


def read_json(path: Path, most: int) -> Mapping[str, Any]:
    """The JSON object in a file of at most ``most`` bytes. Raises ``ModelError`` for anything else."""
    try:
        with path.open("rb") as stream:
            data = stream.read(most + 1)
        settings = json.loads(data) if len(data) <= most else None
    except OSError as error:
        raise ModelError(N_("cannot be read: {reason}"), place=path.name, reason=Reason(error)) from None
    except (ValueError, RecursionError):
        settings = None
    if not isinstance(settings, dict):
        raise ModelError(N_("expected a JSON object of at most {most} bytes"), place=path.name, most=most)
    return settings


class UnsupportedError(ModelError):
    """A kind of model, or a setting of it, that is not computed here; another library may compute it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a config.json, or another ``file``. ``absent`` is the value of a setting that is not given."""

    given: Mapping[str, Any]
    inside: str = ""
    file: str = FILE

    @property
    def kind(self) -> str:
        """The kind of model."""
        return str(self.given["model_type"])

    def whole(self, name: str, most: int, absent: int | None = None) -> int:
        """A whole number from 1 to ``most``."""
        value = self._value(name, absent)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
            raise self.wrong(
                name, N_("expected a whole number from 1 to {most}, got {got}"), value, most=most
            )
        return value

    def number(self, name: str, absent: float | None = None) -> float:
        """A number above 0."""
        value = self._value(name, absent)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 1e12:
            raise self.wrong(name, N_("expected a number above 0, got {got}"), value)
        return float(value)

    def flag(self, name: str, *, absent: bool) -> bool:
        """True or false."""
        value = self._value(name, absent)
        if not isinstance(value, bool):
            raise self.wrong(name, N_("expected true or false, got {got}"), value)
        return value

    def only(self, name: str, *computed: object) -> None:
        """Refuse a setting unless its value is one of ``computed``; the first of these is the default."""
        value = self.given.get(name, computed[0])
        if value not in computed:
            raise self.unsupported(
                name, N_("{got} is not supported here; use {wanted}"), value, wanted=json.dumps(computed[0])
            )

    def activation(self, name: str, absent: str) -> Activation:
        """An activation function by its name."""
        value = self.given.get(name, absent)
        if not isinstance(value, str) or value not in _ACTIVATIONS:
            known = ", ".join(_ACTIVATIONS)
            raise self.unsupported(
                name, N_("{got} is not supported here; the supported ones are: {known}"), value, known=known
            )
        return _ACTIVATIONS[value]

    def part(self, name: str) -> Settings | None:
        """The settings inside a setting, if it is given."""
        value = self.given.get(name)
        if value is not None and not isinstance(value, dict):
            raise self.wrong(name, N_("expected an object, got {got}"), value)
        return None if value is None else Settings(value, f"{self.inside}{name}.", self.file)

    def wrong(self, name: str, template: str, value: object, **values: object) -> ModelError:
        """The error for a setting with an impossible value."""
        place = f"{self.file}: {self.inside}{name}"
        return ModelError(template, place=place, got=quoted_json(value), **values)

    def unsupported(self, name: str, template: str, value: object, **values: object) -> UnsupportedError:
        """The error for a setting that another library may compute."""
        place = f"{self.file}: {self.inside}{name}"
        return UnsupportedError(template, place=place, got=quoted_json(value), **values)

    def _value(self, name: str, absent: object) -> Any:
        """The given value, or ``absent`` if nothing or null is given."""
        value = self.given.get(name)
        return absent if value is None else value
