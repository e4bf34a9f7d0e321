"""Where each head looks, in a few words that are computed from the weights and so hold for whatever they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_FLOOR, Decimal
from functools import reduce
from typing import Final, Literal, NamedTuple, TypeAlias

from mha_core.compute.trace import Rows, Trace
from mha_core.errors import N_
from mha_core.example.model import keys_are_queries
from mha_core.messages import catalogue
from mha_core.quoted import isolated

Kind: TypeAlias = Literal[
    "nothing", "no choice", "even", "nearly even", "one key", "itself", "back", "forward", "each", "many"
]

NEAR: Final = 1e-9
"""Weights that differ by less are equal."""
LISTED: Final = 5
"""Of so many queries at most each is listed by itself."""
NAMED: Final = 2
"""So many keys at most that share the largest weight are named in a table."""


class Look(NamedTuple):
    """What there is to say about one head's weights, of the queries that have any.

    A query that may attend to one key alone gives it all its weight, whatever the head does: it is evidence of nothing,
    and is not listed.

    nothing      there is none
    no choice    there is none that may attend to two keys
    even         every row is level over the keys that its query may attend to
    nearly even  … within a factor of two
    one key      every query gives its largest weight to the same key
    itself       … to its own token
    back         … from the second on, to the token before it
    each         anything else
    many         anything else, of more than ``LISTED`` queries

    ``tops``: for each query the keys that share its largest weight, none where it has no weight at all. ``choosing``:
    the queries that may attend to two keys or more. ``least``: the smallest of their largest weights. ``most``: the
    largest weight of theirs, and the query and key that it stands at. ``masked``: whether a mask takes some keys, and
    not all, from some query.
    """

    kind: Kind
    tops: tuple[tuple[int, ...], ...]
    choosing: tuple[int, ...] = ()
    least: float = 0.0
    most: tuple[float, int, int] = (0.0, 0, 0)
    masked: bool = False

    @property
    def blind(self) -> bool:
        """Whether some query has no weight at all."""
        return not all(self.tops)


def where_heads_look(trace: Trace) -> tuple[Look, ...]:
    """One finding a head, the first that holds in the order of ``Kind``."""
    return tuple(_look(trace, head) for head in range(len(trace.example.heads)))


def _look(trace: Trace, head: int) -> Look:
    rows: Rows = trace.values["weights"][head]
    tops = tuple(map(tops_of, rows))
    alive = [i for i, row in enumerate(rows) if any(row)]
    choosing = tuple(i for i in alive if len(_seen(trace, head, i)) > 1)
    if not choosing:
        return Look("no choice" if alive else "nothing", tops)
    most, query, key = max((w, -i, -j) for i in choosing for j, w in enumerate(rows[i]))
    kind = _kind(trace, head, tops, choosing)
    masked = any(len(_seen(trace, head, i)) < len(rows[i]) for i in alive)
    return Look(kind, tops, choosing, min(max(rows[i]) for i in choosing), (most, -query, -key), masked)


def tops_of(row: Sequence[float]) -> tuple[int, ...]:
    """The keys that share the largest weight of a row; none in a row of zeros."""
    least = max(row) - NEAR
    return tuple(j for j, weight in enumerate(row) if weight >= least) if any(row) else ()


def _kind(trace: Trace, head: int, tops: Sequence[tuple[int, ...]], choosing: Sequence[int]) -> Kind:
    seen = [_seen(trace, head, i) for i in choosing]
    if all(max(row) - min(row) <= NEAR for row in seen):
        return "even"
    if all(0 < max(row) <= 2 * min(row) for row in seen):
        return "nearly even"
    alive = [i for i, keys in enumerate(tops) if keys]
    if len(choosing) > 1 and all(len(tops[i]) == 1 for i in alive):
        if len({tops[i] for i in alive}) == 1:
            return "one key"
        if keys_are_queries(trace.example) and all(tops[i] == (i,) for i in alive):
            return "itself"
        if keys_are_queries(trace.example) and alive == [*range(len(tops))] and _back(tops):
            return "back"
        if keys_are_queries(trace.example) and alive == [*range(len(tops))] and _forward(tops):
            return "forward"
    return "each" if len(choosing) <= LISTED else "many"


def _back(tops: Sequence[tuple[int, ...]]) -> bool:
    """Of two tokens one alone has another before it: that is a pair, and no habit."""
    return len(tops) > 2 and all(tops[i] == (i - 1,) for i in range(1, len(tops)))


def _forward(tops: Sequence[tuple[int, ...]]) -> bool:
    """The marks at a sentence's two ends may look elsewhere; fewer than two tokens between them show nothing."""
    return len(tops) > 3 and all(tops[i] == (i + 1,) for i in range(1, len(tops) - 1))


def _seen(trace: Trace, head: int, query: int) -> list[float]:
    """The weights of the keys that the query may attend to: those that no mask takes from it."""
    row, hidden = trace.values["weights"][head][query], trace.hidden[head][query]
    return [weight for weight, gone in zip(row, hidden, strict=True) if not gone]


_TEXTS: Final = {
    "nothing": N_("nothing is visible to any token"),
    "no choice": N_("no token may choose: each sees one token at most"),
    "even": N_("spreads its weight evenly"),
    "nearly even": N_("nearly evenly, at most 2 to 1"),
    "one key": N_("always most at “{key}”"),
    "itself": N_("each token looks most at itself"),
    "back": N_("each but the first looks most at the one before"),
    "forward": N_("between the first and the last, each token looks most at the one after it"),
    "each": N_("most: {pairs}"),
    "many": N_("strongest: {query} → {key}, {most}"),
}
_AMONG: Final = {
    "even": N_("spreads its weight evenly among those allowed"),
    "nearly even": N_("nearly evenly among those allowed, at most 2 to 1"),
}
"""The same where a mask hides some of the keys, which have no weight at all."""
_BLIND: Final = N_("{finding}; nothing is visible to some tokens")
_OR_MORE: Final = N_("{finding} ({least} or more)")
_LIST: Final = N_("{one}, {next}")
_AND: Final = N_("{one} and {next}")
_TIED: Final = N_("{keys} equally")
_MANY_TIED: Final = N_("{count} tokens equally")


def findings(looks: Sequence[Look], queries: Sequence[str], keys: Sequence[str], language: str) -> list[str]:
    """A finding on each head, in a few words. ``queries``, ``keys``: what the tokens are called."""
    say = _Speech(catalogue(language).gettext)
    return [say.finding(look, queries, keys) for look in looks]


def tied(keys: Sequence[str], language: str) -> str:
    """What a cell of a table says of the keys that share a query's largest weight; of many how many they are."""
    say = _Speech(catalogue(language).gettext)
    return say(_MANY_TIED, count=str(len(keys))) if len(keys) > NAMED else say.tied(keys)


class _Speech:
    """One language."""

    def __init__(self, gettext: Callable[[str], str]) -> None:
        self.gettext = gettext

    def __call__(self, template: str, **values: str) -> str:
        return self.gettext(template).format(**values)

    def joined(self, template: str, texts: Sequence[str]) -> str:
        return reduce(lambda one, following: self(template, one=one, next=following), texts) if texts else ""

    def tied(self, keys: Sequence[str]) -> str:
        """The key that has the most, or those that share it."""
        names = [*map(isolated, keys)]
        return self(_TIED, keys=self.joined(_AND, names)) if len(names) > 1 else names[0]

    def finding(self, look: Look, queries: Sequence[str], keys: Sequence[str]) -> str:
        """The finding on a head, without naming it."""
        each = look.choosing if look.kind == "each" else ()
        pairs = [f"{isolated(queries[i])} → {self.tied([keys[j] for j in look.tops[i]])}" for i in each]
        most, query, key = look.most
        sentence = self(
            (_AMONG if look.masked else _TEXTS).get(look.kind, _TEXTS[look.kind]),
            pairs=self.joined(_LIST, pairs),
            most=f"{most:.2f}",
            query=isolated(queries[query]),
            key=isolated(keys[key]),
        )
        if look.kind in _SHARED and 0 < look.least < 1 + NEAR:
            sentence = self(_OR_MORE, finding=sentence, least=_least(look.least))
        return self(_BLIND, finding=sentence) if look.blind and look.choosing else sentence


_SHARED: Final = ("one key", "itself", "back", "forward")
"""Findings to which belongs how much weight it is at least."""


def _least(weight: float) -> str:
    """Two decimals that are not more than the weight: of 1 as well "0.99"."""
    return str(min(Decimal("0.99"), Decimal(weight).quantize(Decimal("0.01"), ROUND_FLOOR)))
