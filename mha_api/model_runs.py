"""The latest runs of models, cached so that a request about one of their heads is answered at once.

The cache only saves time: answers are the same without it. Its size is limited.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

from mha_core.models import Model, Run, Tokens, run

MOST_BYTES: Final = 200_000_000

Key = tuple[int, tuple[int, ...], frozenset[tuple[int, int]]]


class Runs:
    """Runs by model, tokens and switched-off heads. The least recently used are removed first.

    ``most``: bytes that all of them may take.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._runs: OrderedDict[Key, tuple[Run, int]] = OrderedDict()
        self._lock = Lock()

    def run(self, model: Model, tokens: Tokens, off: frozenset[tuple[int, int]]) -> Run:
        """The run of the model over these tokens, computed or from the cache. Raises ``ModelError`` as ``run`` does."""
        key = (id(model), tokens.ids, off)
        with self._lock:
            if key in self._runs:
                self._runs.move_to_end(key)
                return self._runs[key][0]
        computed = run(model, tokens, without=off)
        with self._lock:
            self._runs[key] = computed, run_size(model, len(tokens))
            while len(self._runs) > 1 and sum(size for _, size in self._runs.values()) > self._most:
                self._runs.popitem(last=False)
        return computed


def run_size(model: Model, n: int) -> int:
    """About how many bytes a run of n tokens takes: in each layer ten matrices of n × d_model."""
    return 10 * model.architecture.layers * n * model.architecture.d_model * model.dtype.itemsize
