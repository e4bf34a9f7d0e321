"""The latest runs of models, cached so that a request about one of their heads is answered at once.

The cache only saves time: answers are the same without it, to rounding. Its size is limited. A run that several want at
once, as a class does, is computed once. A decoder's run of a text
is also what a run of the text with one more token starts from: keys and values are not computed again.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final
from weakref import WeakValueDictionary

from mha_core.models import AnyModel, AnyRun, Tokens, continued, guesses, run
from mha_core.models.generation import extended, require_continuing, stopped

MOST_BYTES: Final = 200_000_000
MOST_NEXT: Final = 4096
"""Most texts of which the next token is stored."""

Key = tuple[int, tuple[int, ...], frozenset[tuple[int, int]]]


class Runs:
    """Runs by model, tokens and switched-off heads. The least recently used are removed first.

    ``most``: bytes that all of them may take.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._runs: OrderedDict[Key, tuple[AnyRun, int]] = OrderedDict()
        self._next: OrderedDict[tuple[int, tuple[int, ...]], int] = OrderedDict()
        self._lock = Lock()
        self._computing: WeakValueDictionary[Key, Lock] = WeakValueDictionary()
        """One for each run that is computed: who wants the same run waits for it."""

    def run(self, model: AnyModel, tokens: Tokens, off: frozenset[tuple[int, int]]) -> AnyRun:
        """The run of the model over these tokens, from the cache, continued, or computed.

        Raises ``ModelError`` as ``run`` does.
        """
        key = id(model), tokens.ids, off
        with self._lock:
            computing = self._computing.setdefault(key, Lock())
        with computing:
            stored = self._stored(*key)
            return self._computed(model, tokens, off) if stored is None else stored

    def _computed(self, model: AnyModel, tokens: Tokens, off: frozenset[tuple[int, int]]) -> AnyRun:
        past = self._stored(id(model), tokens.ids[:-1], off) if model.can_continue else None
        computed = run(model, tokens, without=off) if past is None else continued(model, past, tokens.ids[-1])
        with self._lock:
            self._runs[id(model), tokens.ids, off] = computed, run_size(model, len(tokens))
            while len(self._runs) > 1 and sum(size for _, size in self._runs.values()) > self._most:
                self._runs.popitem(last=False)
        return computed

    def grown(self, model: AnyModel, tokens: Tokens, steps: int) -> Tokens:
        """The tokens with as many more, each the likeliest; fewer if the model ends the text, or takes no longer one.

        Raises ``ModelError`` for a model that does not continue texts.
        """
        if steps:
            require_continuing(model, "steps")
        for added in range(steps):
            if stopped(model, tokens, added) != "steps":
                break
            tokens = extended(model, tokens, self._next_token(model, tokens))
        return tokens

    def _next_token(self, model: AnyModel, tokens: Tokens) -> int:
        key = id(model), tokens.ids
        if key not in self._next:
            likeliest = guesses(model, self.run(model, tokens, frozenset()), len(tokens) - 1, 1)[0].id
            with self._lock:
                self._next[key] = likeliest
                if len(self._next) > MOST_NEXT:
                    self._next.popitem(last=False)
            return likeliest
        return self._next[key]

    def _stored(self, model: int, ids: tuple[int, ...], off: frozenset[tuple[int, int]]) -> AnyRun | None:
        with self._lock:
            key = model, ids, off
            if key not in self._runs:
                return None
            self._runs.move_to_end(key)
            return self._runs[key][0]


def run_size(model: AnyModel, n: int) -> int:
    """About how many bytes a run of n tokens takes."""
    return model.run_numbers(n) * model.dtype.itemsize
