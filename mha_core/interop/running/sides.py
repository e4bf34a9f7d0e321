"""Which text the queries and the keys of each attention are of: of an encoder–decoder, its target or its source.

Lengths may coincide, so they do not show it. What does is which inputs of the module the numbers come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from torch import Tensor

from mha_core.interop.running.functions import memory_of, tensors_among
from mha_core.interop.running.scores import JOINS, MINUS, PLUS

Side: TypeAlias = Literal["own", "context", "cross"]
"""Queries and keys of the same text: that of ``tokens``, or of ``context_tokens``; or a query of the first to keys of
the second."""
Inputs: TypeAlias = frozenset[int]
"""Inputs of a module, by their number."""
_KEEPS: Final = (*PLUS, *MINUS, *JOINS, "where", "masked_fill")
"""Functions that leave a mask one, also beside a parameter, such as a bias of positions."""


class Sources:
    """From which inputs the numbers in each piece of memory come. Views share it, and in-place functions add to it.

    Numbers that a function makes of an input and a parameter, such as an embedding, are a content of tokens, and so is
    all that comes from these. A mask of padding is none.
    """

    def __init__(self, inputs: Iterable[Tensor], is_parameter: Callable[[Tensor], bool]) -> None:
        self._of = {memory_of(tensor): frozenset({number}) for number, tensor in enumerate(inputs)}
        self._is_parameter = is_parameter
        self._contents = set[int]()

    def note(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        """A function's result comes from all that its arguments come from."""
        tensors = [*tensors_among(args, kwargs)]
        inputs = Inputs().union(*map(self.of, tensors))
        written = args[:1] if name == "setitem" else result if isinstance(result, tuple | list) else [result]
        places = {memory_of(part) for part in written if isinstance(part, Tensor)}
        self._of.update((place, inputs) for place in places)
        is_mixed = name not in _KEEPS and bool(inputs) and any(map(self._is_parameter, tensors))
        if is_mixed or any(map(self.is_content, tensors)):
            self._contents |= places
        else:
            self._contents -= places

    def of(self, tensor: Tensor) -> Inputs:
        """The inputs that a tensor comes from, none if it is not known."""
        return self._of.get(memory_of(tensor), Inputs())

    def is_content(self, tensor: Tensor) -> bool:
        """Whether a tensor depends on what the tokens are."""
        return memory_of(tensor) in self._contents


def sides(sources: Sequence[tuple[Inputs, Inputs]]) -> list[Side]:
    """The side of each attention, from the inputs of its queries and of its keys.

    Where they have no input in common, the keys are of the context, such as an encoder's source. If all queries are of
    it as well, as where two texts attend to each other, only such an attention is known to have keys of another text.
    """
    apart = [bool(queries and keys) and queries.isdisjoint(keys) for queries, keys in sources]
    context = Inputs().union(*(keys for (_, keys), is_cross in zip(sources, apart, strict=True) if is_cross))
    if all(queries <= context for queries, _ in sources):
        return ["cross" if is_cross else "own" for is_cross in apart]
    return [
        "context" if queries and queries <= context else "cross" if keys and keys <= context else "own"
        for queries, keys in sources
    ]
