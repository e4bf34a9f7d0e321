"""Whether weights reach the output of a run in another way than by their product with V: through any function.

o = w @ v                   the known product: w reaches o by this alone
o + w.cumsum(-1) @ v        cumsum reads w too, and what it gives reaches the output
return o, w.mean(1)         mean reads w, but what it gives does not reach o
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from torch import Tensor

from mha_core.interop.running.functions import TURNS, Operation, memory_of, tensors_among
from mha_core.interop.running.scores import SAME, VIEWS

Roots = frozenset[int]
"""Softmaxes or attentions, by their number in the run."""

_MOVES: Final = (*SAME, *VIEWS, *TURNS, "expand", "getitem")
"""Functions that only move numbers: whatever comes after them is what reads the weights."""
_OF_FIRST: Final = ("to", "type_as", "expand_as", "view_as", "reshape_as")
_OF_SIZE: Final = ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like")


class Uses:
    """By piece of memory, which weights its numbers come from besides by products with V, and which function read them.

    Views share memory, and in-place functions add to it. ``roots`` says which tensors are weights themselves.
    """

    def __init__(self) -> None:
        self._readers: dict[int, Mapping[int, str]] = {}

    def of(self, tensor: Tensor) -> dict[int, str]:
        """By weights, the function that read them."""
        return {root: name for root, name in self._readers.get(memory_of(tensor), {}).items() if name}

    def note(self, operation: Operation, result: Any, roots: Any, *, is_known: bool) -> None:
        """Record a function's result. ``roots``: of a tensor, which weights it is; ``is_known``: a product with V."""
        _, name, args, kwargs = operation
        tensors = [] if name in _OF_SIZE or name.startswith("new_") else [*tensors_among(args, kwargs)]
        readers: dict[int, str] = {}
        for tensor in tensors[:1] if name in _OF_FIRST else tensors:
            own: Roots = roots(tensor)
            known = self._readers.get(memory_of(tensor), {})
            readers |= {
                root: by or name for root, by in known.items() if root not in own and root not in readers
            }
            readers |= {root: name for root in own if not is_known and root not in readers}
        if name in _MOVES:
            readers = {root: "" if by == name else by for root, by in readers.items()}
        written = args[:1] if name == "setitem" else result if isinstance(result, tuple | list) else [result]
        for part in written:
            if isinstance(part, Tensor):
                self._readers[memory_of(part)] = {
                    root: by for root, by in readers.items() if root not in roots(part)
                }
