"""The command line's answers over HTTP: an example file and the parameters of an address in, JSON text out.

The answers are those of the command line (``mha_core.answers``), byte for byte. Whatever is wrong with a request raises
``MhaError``. Nothing is kept between two requests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from mha_api.channel import example_at
from mha_core import Cell, Example, backend, parse
from mha_core.answers import checked, explained, traced
from mha_core.check.report import as_json
from mha_core.errors import N_, ExampleError
from mha_core.quoted import quoted

Parameters: TypeAlias = Mapping[str, str]

_ADDRESS: Final = ("example", "s")
_CELL: Final = ("step", "head", "row", "col")
_WHOLE: Final = re.compile(r"-?[0-9]{1,9}")


def answer(command: str, body: bytes, query: Sequence[tuple[str, str]], language: str) -> bytes:
    """The answer to ``trace``, ``explain`` or ``check``. The example is the body, or named by the address's ``query``.

    Raises ``MhaError`` for a parameter that the command does not have, for an invalid example, and as the command does.
    """
    known, compute = _COMMANDS[command]
    parameters = _read(query, (*known, *_ADDRESS, "lang"))
    content = compute(_example(body, parameters), parameters, language)
    # Python's own encoder lets other threads run; the one in C blocks them, for a second with the largest answers.
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
    return "".join(encoder.iterencode(content)).encode() + b"\n"


def _read(query: Sequence[tuple[str, str]], known: Sequence[str]) -> Parameters:
    """The parameters by name; none may come twice."""
    parameters: dict[str, str] = {}
    for name, value in query:
        if name not in known:
            raise ExampleError(
                N_("unknown parameter {got}; the parameters here are {known}"),
                known=", ".join(known),
                got=quoted(name),
            )
        if name in parameters:
            raise ExampleError(N_("is given more than once"), place=name)
        parameters[name] = value
    return parameters


def _example(body: bytes, parameters: Parameters) -> Example:
    address = {name: parameters[name] for name in _ADDRESS if name in parameters}
    if len(address) + bool(body) != 1:
        raise ExampleError(
            N_("expected exactly one example: a file in the body, or the parameter example or s")
        )
    return example_at(address) if address else parse(body)


def _trace(example: Example, _parameters: Parameters, _language: str) -> object:
    return traced(example, backend())


def _explain(example: Example, parameters: Parameters, _language: str) -> object:
    for name in ("step", "row", "col"):
        if name not in parameters:
            raise ExampleError(N_("missing"), place=name)
    step = parameters["step"]
    indices = {name: _whole(parameters[name], name) for name in ("head", "row", "col") if name in parameters}
    return explained(example, Cell(step, indices.get("head"), indices["row"], indices["col"]), backend())


def _check(example: Example, _parameters: Parameters, language: str) -> object:
    return as_json(checked(example), language)


def _whole(text: str, place: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ExampleError(N_("expected a whole number, got {got}"), place=place, got=quoted(text))
    return int(text)


_COMMANDS: Final[dict[str, tuple[tuple[str, ...], Callable[[Example, Parameters, str], object]]]] = {
    "trace": ((), _trace),
    "explain": (_CELL, _explain),
    "check": ((), _check),
}
"""By command: the parameters that it alone has, and the function that computes its answer."""
