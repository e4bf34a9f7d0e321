"""Lenses: what the tables show besides the numbers themselves. Trace in, plain data out; no Streamlit.

``lens`` (a lens and its parameters), ``change`` (since a baseline), ``gradient`` (of a computed number), ``check`` (of
somebody's own numbers). The page and the live channel call the same function, so both show the same. The browser lays
the result over the tables; it is the same code for every lens, and computes nothing.

A lens is one function of ``LENSES``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeVar, cast

from mha_core import Trace
from mha_core.errors import N_, ExampleError
from mha_view.lenses.change import change
from mha_view.lenses.check import check
from mha_view.lenses.gradient import gradient
from mha_view.lenses.lens import Lens
from mha_view.payloads import Model, Seen

M = TypeVar("M", bound=Model)

LENSES: Final[Mapping[str, Callable[[Lens, Trace, str], Seen]]] = {
    "change": change,
    "gradient": gradient,
    "check": check,
}


def look(lens: Lens, computed: Trace, language: str) -> Seen:
    """What a lens shows of a trace. Raises ``ExampleError`` if there is no such lens."""
    if lens.name not in LENSES:
        raise ExampleError(N_("expected one of {names}"), place="lens.name", names=", ".join(LENSES))
    return LENSES[lens.name](lens, computed, language)


def laid_over(data: M, seen: Seen) -> M:
    """Tables with what a lens shows of them; what they lack is passed over."""
    matrices = {
        name: {**matrix, **seen["matrices"].get(name, {})} for name, matrix in data["matrices"].items()
    }
    return cast("M", {**data, **seen, "matrices": matrices})
