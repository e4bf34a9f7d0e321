"""Running a module again with other outputs of some attentions, without following what it computes.

A run that was watched says which function of the run gave an attention's outputs (``Call.number``). Counting functions
costs little, so a run that only counts takes hardly longer than the module itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from torch.overrides import TorchFunctionMode

from mha_core.interop.running.functions import layer_again, name_of, with_all_defaults

Write: TypeAlias = Callable[[Any], None]
"""What writes into the result of a function."""


class Replay(TorchFunctionMode):
    """While it is active, it counts the functions of torch that this thread calls, and changes the results of some.

    ``writes``: by the number of a function, or of torch's own layer and of the function within that layer.
    """

    def __init__(self, writes: Mapping[tuple[int, ...], Write]) -> None:
        super().__init__()
        self._within: dict[int, dict[tuple[int, ...], Write]] = {}
        self._writes: dict[int, Write] = {}
        self._count = -1
        for (first, *rest), write in writes.items():
            if rest:
                self._within.setdefault(first, {})[tuple(rest)] = write
            else:
                self._writes[first] = write
        self.left = len(writes)
        """How many results have not been changed yet."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Called by torch in place of ``func``."""
        self._count += 1
        result = func(*args, **(kwargs or {}))
        if self._count in self._writes:
            self._writes[self._count](result)
            self.left -= 1
        elif self._count in self._within and name_of(func) == "multi_head_attention_forward":
            inner = Replay(self._within[self._count])
            output = layer_again(with_all_defaults(func, args, kwargs or {}), func, inner)
            self.left -= len(self._within[self._count]) - inner.left
            return output, result[1]
        return result
