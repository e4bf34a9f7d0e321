"""The last texts that went through a model, kept so that a head of them is answered at once.

An answer is the same with them and without: they save time alone, and there is an end to the room that they take.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

from mha_core.models import Model, Run, Tokens, run

MOST_BYTES: Final = 200_000_000

Key = tuple[int, tuple[int, ...], frozenset[tuple[int, int]]]


class Runs:
    """Runs by model, tokens and the heads that are switched off; those asked for longest ago go first.

    ``most``: bytes that they may take together.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._held: OrderedDict[Key, tuple[Run, int]] = OrderedDict()
        self._lock = Lock()

    def of(self, model: Model, tokens: Tokens, off: frozenset[tuple[int, int]]) -> Run:
        """The text through the model, or as it went before. Raises ``ModelError`` as ``run`` does."""
        key = (id(model), tokens.ids, off)
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key][0]
        computed = run(model, tokens, without=off)
        with self._lock:
            self._held[key] = computed, size(model, len(tokens))
            while len(self._held) > 1 and sum(held for _, held in self._held.values()) > self._most:
                self._held.popitem(last=False)
        return computed


def size(model: Model, n: int) -> int:
    """About how many bytes a run of n tokens takes: in each layer ten matrices of n × d_model."""
    return 10 * model.architecture.layers * n * model.architecture.d_model * model.dtype.itemsize
