"""Where each head looks, in a few words that are computed from the weights, so that they are true for any example."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

CLEAR: Final = 2
"""From so many times the mean of the others on, a weight is clearly above them."""
NEAR: Final = 1e-9
"""Weights that differ by less are equal."""
LISTED: Final = 3
"""Most queries that are listed one by one, and of more the most that are named."""
NAMED: Final = 2
"""Most keys sharing the largest weight that are named in a table."""


class Look(NamedTuple):
    """A finding about one head's weights, from the queries that have any.

    A query that may attend to only one key gives it all its weight, whatever the head does, so it shows nothing about
    the head and is not listed.

    nothing      no query has weights
    no choice    no query may attend to two keys
    even         every row is equal over the keys that its query may attend to
    nearly even  … within a factor of two
    one key      every query gives its largest weight to the same key
    itself       … to its own token
    back         … from the second on, to the token before it
    forward      … between the first and the last, to the token after it
    each         anything else
    many         anything else, with more than ``LISTED`` queries: the pairs in which the head differs most from the
                 other heads, or its strongest ones

    ``tops``: for each query the keys that share its largest weight, none where it has no weight at all. ``choosing``:
    the queries that may attend to two keys or more. ``most``: their largest weight, with its query and its key.
    ``stated``: the smallest and the largest of the largest weights of the queries that the finding is about; None if it
    states none. ``masked``: whether a mask hides some keys, but not all, from a query. ``pairs``: the queries that are
    named, with their tops and the largest weight. ``apart``: whether these weights are clearly above the others of
    their rows, and no other head gives its largest weight to any of these pairs. ``alike``: whether another head has
    the same tops, so that only the weights differ.
    """

    kind: Kind
    tops: tuple[tuple[int, ...], ...]
    choosing: tuple[int, ...] = ()
    most: tuple[float, int, int] = (0.0, 0, 0)
    masked: bool = False
    stated: tuple[float, float] | None = None
    pairs: tuple[tuple[int, tuple[int, ...], float], ...] = ()
    apart: bool = False
    alike: bool = False

    @property
    def blind(self) -> bool:
        """Whether some query has no weight at all."""
        return not all(self.tops)


def where_heads_look(trace: Trace) -> tuple[Look, ...]:
    """One finding for each head, the first that is true in the order of ``Kind``."""
    looks = [_look(trace, head) for head in range(len(trace.example.heads))]
    return tuple(_compared(trace, head, look, looks) for head, look in enumerate(looks))


def _compared(trace: Trace, head: int, look: Look, looks: Sequence[Look]) -> Look:
    """The same finding, with the pairs that it names and how they differ from the other heads."""
    others = [other for other in range(len(looks)) if other != head]
    rows: Rows = trace.values["weights"][head]
    listed = {i: look.tops[i] for i in look.choosing}
    if look.kind == "each":
        alike = any(all(looks[other].tops[i] == tops for i, tops in listed.items()) for other in others)
        return look._replace(pairs=tuple((i, tops, max(rows[i])) for i, tops in listed.items()), alike=alike)
    if look.kind != "many":
        return look
    single = [(i, tops[0]) for i, tops in listed.items() if len(tops) == 1]
    apart = [
        (i, j)
        for i, j in single
        if others
        and _is_clear(rows[i][j], _visible_weights(trace, head, i))
        and all(j not in looks[other].tops[i] for other in others)
    ]

    def ahead(pair: tuple[int, int]) -> float:
        """By how much the weight is above those of the other heads; rounded, so that noise decides nothing."""
        i, j = pair
        beside = [trace.values["weights"][other][i][j] for other in others] if apart else []
        return round(rows[i][j] - max(beside, default=0.0), 6)

    most = LISTED if len(looks) <= LISTED else 1
    named = sorted(apart or single or [look.most[1:]], key=ahead, reverse=True)[:most]
    return look._replace(pairs=tuple((i, (j,), rows[i][j]) for i, j in sorted(named)), apart=bool(apart))


def _is_clear(weight: float, visible: Sequence[float]) -> bool:
    """Whether a weight is clearly above the others of its query. With the mean of all, no weight of two would be."""
    return weight * (len(visible) - 1) >= CLEAR * (sum(visible) - weight)


def _look(trace: Trace, head: int) -> Look:
    rows: Rows = trace.values["weights"][head]
    tops = tuple(map(tops_of, rows))
    attending = [i for i, row in enumerate(rows) if any(row)]
    choosing = tuple(i for i in attending if len(_visible_weights(trace, head, i)) > 1)
    if not choosing:
        return Look("no choice" if attending else "nothing", tops)
    most, query, key = max((w, -i, -j) for i in choosing for j, w in enumerate(rows[i]))
    kind = _kind(trace, head, tops, choosing)
    masked = any(len(_visible_weights(trace, head, i)) < len(rows[i]) for i in attending)
    stated = _stated(kind, {i: max(rows[i]) for i in choosing}, len(rows) - 1)
    return Look(kind, tops, choosing, (most, -query, -key), masked, stated)


def _stated(kind: Kind, largest: dict[int, float], last: int) -> tuple[float, float] | None:
    """The smallest and the largest weight that a finding states. ``largest``: each query's largest weight."""
    if kind not in ("one key", "itself", "back", "forward"):
        return None
    without = {"back": (0,), "forward": (0, last)}.get(kind, ())
    weights = [weight for query, weight in largest.items() if query not in without]
    return (min(weights), max(weights)) if weights and 0 < min(weights) < 1 + NEAR else None


def tops_of(row: Sequence[float]) -> tuple[int, ...]:
    """The keys that share the largest weight of a row; none in a row of zeros."""
    least = max(row) - NEAR
    return tuple(j for j, weight in enumerate(row) if weight >= least) if any(row) else ()


def _kind(trace: Trace, head: int, tops: Sequence[tuple[int, ...]], choosing: Sequence[int]) -> Kind:
    visible = [_visible_weights(trace, head, i) for i in choosing]
    if all(max(row) - min(row) <= NEAR for row in visible):
        return "even"
    if all(0 < max(row) <= 2 * min(row) for row in visible):
        return "nearly even"
    attending = [i for i, keys in enumerate(tops) if keys]
    if len(choosing) > 1 and all(len(tops[i]) == 1 for i in attending):
        if len({tops[i] for i in attending}) == 1:
            return "one key"
        if keys_are_queries(trace.example) and all(tops[i] == (i,) for i in attending):
            return "itself"
        if keys_are_queries(trace.example) and attending == [*range(len(tops))] and _back(tops):
            return "back"
        if keys_are_queries(trace.example) and attending == [*range(len(tops))] and _forward(tops):
            return "forward"
    return "each" if len(choosing) <= LISTED else "many"


def _back(tops: Sequence[tuple[int, ...]]) -> bool:
    """With two tokens only one has a token before it, which is not yet a pattern."""
    return len(tops) > 2 and all(tops[i] == (i - 1,) for i in range(1, len(tops)))


def _forward(tops: Sequence[tuple[int, ...]]) -> bool:
    """The first and the last token, often special ones, may look elsewhere; at least two must be between them."""
    return len(tops) > 3 and all(tops[i] == (i + 1,) for i in range(1, len(tops) - 1))


def _visible_weights(trace: Trace, head: int, query: int) -> list[float]:
    """The weights of the keys that the query may attend to: those that no mask hides."""
    row, hidden = trace.values["weights"][head][query], trace.hidden[head][query]
    return [weight for weight, is_hidden in zip(row, hidden, strict=True) if not is_hidden]


_TEXTS: Final = {
    "nothing": N_("no token is allowed to attend to anything"),
    "no choice": N_("no token has a choice: each may attend to at most one token"),
    "even": N_("spreads its weight evenly"),
    "nearly even": N_("fairly even: no weight is more than twice as large as another"),
    "one key": N_("always looks most at “{key}”"),
    "itself": N_("every token looks most at itself"),
    "back": N_("every token after the first looks most at the one before it"),
    "forward": N_("every token between the first and the last looks most at the one after it"),
    "each": N_("largest weights: {pairs}"),
    "many": N_("strongest: {pairs}"),
    "apart": N_("only in this head: {pairs}"),
}
_AMONG: Final = {
    "even": N_("spreads its weight evenly over the tokens it is allowed to attend to"),
    "nearly even": N_(
        "fairly even over the allowed tokens: no weight is more than twice as large as another"
    ),
}
"""The same where a mask hides some of the keys, so that they have no weight."""
_BLIND: Final = N_("{finding}; some tokens are not allowed to attend to anything")
_RANGE: Final = N_("{finding} ({least} to {most})")
_ONE: Final = N_("{finding} ({most})")
_LIST: Final = N_("{one}, {next}")
_AND: Final = N_("{one} and {next}")
_TIED: Final = N_("{keys} (tied)")
_MANY_TIED: Final = N_("{count} tokens (tied)")


def finding_templates() -> dict[str, str]:
    """The sentences of ``findings`` by name, for who puts them together in another place."""
    among = {f"among {kind}": text for kind, text in _AMONG.items()}
    parts = {
        "blind": _BLIND,
        "range": _RANGE,
        "one": _ONE,
        "list": _LIST,
        "and": _AND,
        "tied": _TIED,
    }
    return {**_TEXTS, **among, **parts}


def findings(looks: Sequence[Look], queries: Sequence[str], keys: Sequence[str], language: str) -> list[str]:
    """A finding about each head, in a few words. ``queries``, ``keys``: the tokens' texts."""
    say = _Speech(catalogue(language).gettext)
    return [say.finding(look, queries, keys) for look in looks]


def tied(keys: Sequence[str], language: str) -> str:
    """The text of a table's cell for the keys that share a query's largest weight; for many keys, how many they are."""
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
        """The key with the largest weight, or the keys that share it."""
        names = [*map(isolated, keys)]
        return self(_TIED, keys=self.joined(_AND, names)) if len(names) > 1 else names[0]

    def pairs(self, look: Look, queries: Sequence[str], keys: Sequence[str]) -> list[str]:
        """The pairs that a finding names, with their weights where another head has the same ones."""

        named = [(isolated(queries[i]), self.tied([keys[j] for j in tops]), w) for i, tops, w in look.pairs]
        if look.kind == "each" and not look.alike:
            return [f"{query} → {tops}" for query, tops, _ in named]
        return [f"{query} → {tops} {weight:.2f}" for query, tops, weight in named]

    def finding(self, look: Look, queries: Sequence[str], keys: Sequence[str]) -> str:
        """The finding about a head, without naming it."""
        kind = "apart" if look.kind == "many" and look.apart else look.kind
        sentence = self(
            (_AMONG if look.masked else _TEXTS).get(kind, _TEXTS[kind]),
            pairs=self.joined(_LIST, self.pairs(look, queries, keys)),
            key=isolated(keys[look.most[2]]),
        )
        if look.stated:
            least, largest = (f"{weight:.2f}" for weight in look.stated)
            sentence = self(_ONE if least == largest else _RANGE, finding=sentence, least=least, most=largest)
        return self(_BLIND, finding=sentence) if look.blind and look.choosing else sentence
