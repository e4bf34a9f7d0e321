"""The names of tokens: which of the given lists names the queries and the keys of each attention of a run.

A list fits a side, queries or keys, with as many tokens as it has names. If a mask shows which tokens are padding, a
list that fits nothing as it is also fits a side with so many other tokens. Where both lists fit, the sides of the
attentions decide, or else the masks; if neither does, tokens are counted, and a remark says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.padding import real_queries, real_tokens
from mha_core.interop.running.sides import Side

Names: TypeAlias = Sequence[str] | Sequence[Sequence[str]]
"""The names of tokens of one sample, or of each sample of a batch."""
Texts: TypeAlias = Mapping[int, tuple[str, ...]]
"""Names by the number of their sample."""

PADDING: Final = "[PAD]"
"""The name of a token of padding for which none was given."""
_UNDECIDED: Final = N_(
    "Both tokens and context_tokens fit it, and it is not known which of them name its queries."
)


@dataclass(frozen=True, slots=True)
class Labels:
    """Names as texts. ``of_each``: of each sample, so that the batch must have as many; else of one."""

    texts: Texts
    of_each: bool

    def fit(self, samples: int) -> bool:
        """Whether a batch of so many samples can have these names."""
        return bool(self.texts) and (not self.of_each or len(self.texts) == samples)


def labels_of(names: Names | None, sample: int) -> Labels:
    """Names as texts; those of one sample are of the one that was asked for."""
    given: Any = list(names or ())
    if given and not isinstance(given[0], str) and isinstance(given[0], Sequence):
        return Labels({number: tuple(map(str, own)) for number, own in enumerate(given)}, of_each=True)
    return Labels({sample: tuple(map(str, given))} if given else {}, of_each=False)


def numbers(count: int) -> tuple[str, ...]:
    """The names of tokens without names: they are counted from 1."""
    return tuple(str(number + 1) for number in range(count))


def on_side(one: Captured, side: Side) -> Captured:
    """An attention whose keys are of another text than its queries, or both of the context, with the keys counted."""
    batch = {sample: on_side(other, side) for sample, other in one.batch.items()}
    keys = (
        numbers(one.weights.shape[-1])
        if side == "cross" and one.context_tokens is None
        else one.context_tokens
    )
    return replace(one, batch=batch, context_tokens=keys, of_context=side == "context")


def named(attentions: Sequence[Captured], queries: Labels, keys: Labels) -> list[Captured]:
    """Attentions without names with these. Raises ``InteropError`` for names that fit none of them."""
    lists = [_by_count(labels, attentions, of_context=labels is keys) for labels in (queries, keys)]
    if queries.texts and not any(one.weights.shape[1] in lists[0] for one in attentions):
        raise _fit_none(queries, attentions)
    if keys.texts and not lists[1]:
        raise InteropError(
            N_("{got} were given, but no attention in this run has that many keys: {counts}"),
            place="context_tokens",
            got=" / ".join(dict.fromkeys(str(len(names)) for names in keys.texts.values())),
            counts=", ".join(dict.fromkeys(str(_count_of_keys(one)) for one in attentions)),
        )
    of_own, of_context = lists, lists[::-1]
    context = {_count_of_keys(one) for one in attentions if one.of_context or one.context_tokens is not None}
    if any(one.of_context or _is_square_cross(one) for one in attentions):
        own = {one.weights.shape[1] for one in attentions if not one.of_context}
        of_own = [lists[0], {n: labels for n, labels in lists[1].items() if n not in context}]
        of_context = [lists[1], {n: labels for n, labels in lists[0].items() if n not in own}]
    elif lists[0] != lists[1]:
        unsure = lists[0].keys() & lists[1].keys() - context
        attentions = [_decided(one, lists) if one.weights.shape[1] in unsure else one for one in attentions]
    return [_named(one, of_own, of_context) for one in attentions]


def _is_square_cross(one: Captured) -> bool:
    return (
        one.context_tokens is not None and _count_of_keys(one) == one.weights.shape[1] == one.weights.shape[2]
    )


def _decided(one: Captured, lists: Sequence[Mapping[int, Labels]]) -> Captured:
    """An attention that both lists fit: its mask may show whose its keys are, but of the context also in an encoder."""
    fits = [
        one.real is not None
        and all(
            [name != PADDING for name in names] == one.real[sample].tolist()
            for sample, names in own[one.weights.shape[1]].texts.items()
        )
        for own in lists
    ]
    if fits == [True, False]:
        return one
    return replace(on_side(one, "cross" if fits[1] else "own"), remark=_UNDECIDED)


def _named(
    one: Captured, of_own: Sequence[Mapping[int, Labels]], of_context: Sequence[Mapping[int, Labels]]
) -> Captured:
    """An attention and its other samples with names. Keys that are not tokens keep theirs."""
    n_q, count = one.weights.shape[1], _count_of_keys(one)
    queries = _first(of_context if one.of_context else of_own, one, n_q) if one.remark != _UNDECIDED else {}
    is_cross = count != n_q or _is_square_cross(one)
    keys = _first(of_context, one, count) if is_cross else queries

    def with_names(own: Captured) -> Captured:
        extra = None if own.context_tokens is None else own.context_tokens[count:]
        of_keys = keys.get(own.sample, numbers(count))
        return replace(
            own,
            tokens=queries.get(own.sample, numbers(n_q)),
            context_tokens=None if extra is None else (*of_keys, *extra),
        )

    batch = {sample: with_names(other) for sample, other in one.batch.items()}
    return replace(with_names(one), batch=batch)


def _first(lists: Sequence[Mapping[int, Labels]], one: Captured, count: int) -> Texts:
    """The first of these names that fit a side of so many tokens; no names if none do."""
    fitting = (own[count] for own in lists if count in own and own[count].fit(one.samples))
    return next((labels.texts for labels in fitting), {})


def _by_count(labels: Labels, attentions: Sequence[Captured], *, of_context: bool) -> dict[int, Labels]:
    """The names by how many tokens they are of: as they are, or if they fit no side so, with names of padding."""
    own = [one for one in attentions if labels.fit(one.samples)]
    counts = {count for one in own for count in (one.weights.shape[1], _count_of_keys(one))}
    exact = counts.intersection(*({len(names)} for names in labels.texts.values()))
    if exact:
        return dict.fromkeys(exact, labels)
    wide = dict[int, Labels]()
    padded_sides = sorted(_padded_sides(own, attentions), key=lambda side: side[0] != of_context)
    for _, count, real in padded_sides:
        if padded := _padded(labels.texts, real):
            wide.setdefault(count, replace(labels, texts=padded))
    return wide


def _count_of_keys(one: Captured) -> int:
    """How many keys are tokens: in an attention without names these are counted, the others are words."""
    return sum(name.isdecimal() for name in one.context_tokens or one.tokens)


def _padded_sides(
    own: Sequence[Captured], attentions: Sequence[Captured]
) -> Iterator[tuple[bool, int, Tensor]]:
    """Whether a text is the context, and how many tokens it has, with samples × tokens, False for padding, where a mask
    shows it.
    """
    for one in own:
        if (real := real_queries(one, attentions)) is not None:
            yield one.of_context, real.shape[1], real
        count = _count_of_keys(one)
        is_context = one.of_context or one.context_tokens is not None
        of_keys = (
            one.real
            if one.context_tokens
            else real_tokens(attentions, one.samples, count, of_context=is_context)
        )
        if of_keys is not None:
            yield is_context, count, of_keys[:, :count]


def _padded(texts: Texts, real: Tensor) -> Texts | None:
    """The names at the real tokens of their samples, and ``PADDING`` at the others; None if they are more or fewer."""
    wide = dict[int, tuple[str, ...]]()
    for sample, names in texts.items():
        if int(real[sample].sum()) != len(names):
            return None
        left = iter(names)
        wide[sample] = tuple(next(left) if is_real else PADDING for is_real in real[sample].tolist())
    return wide


def _not_shown(labels: Labels, attentions: Sequence[Captured]) -> int:
    """The first sample that has other tokens, as far as the masks of its size show, than names."""
    for one in attentions:
        if len(labels.texts) != one.samples or one.weights.shape[1] != max(map(len, labels.texts.values())):
            continue
        real = real_queries(one, attentions)
        for sample, names in labels.texts.items():
            if len(names) != (one.weights.shape[1] if real is None else int(real[sample].sum())):
                return sample
    return min(labels.texts, key=lambda sample: len(labels.texts[sample]))


def _fit_none(labels: Labels, attentions: Sequence[Captured]) -> InteropError:
    """The error for names that are of the queries of no attention."""
    lengths = dict.fromkeys(map(len, labels.texts.values()))
    if labels.of_each:
        sizes = dict.fromkeys((one.samples, one.weights.shape[1]) for one in attentions)
        sentence = N_("expected {expected} names (samples × queries), got {got}")
        if len(lengths) > 1 and any(len(labels.texts) == samples for samples, _ in sizes):
            sentence = N_(
                "expected {expected} names (samples × queries), got {got}; no mask shows that sample {sample} has "
                "{count} tokens and padding, so give real=, or pad the list of its names"
            )
        return InteropError(
            sentence,
            place="tokens",
            expected=" / ".join(f"{samples} × {n_q}" for samples, n_q in sizes),
            got=f"{len(labels.texts)} × {' / '.join(map(str, lengths))}",
            sample=(sample := _not_shown(labels, attentions)),
            count=len(labels.texts[sample]),
        )
    sentence = N_("{got} were given, but no attention in this run has that many queries: {counts}")
    if any(one.remark and one.weights.shape[1] == 1 for one in attentions):
        sentence = N_(
            "{got} were given, but no attention in this run has that many queries: {counts}, in "
            "a batch of {samples}. Is batch_first right?"
        )
    counts = ", ".join(map(str, dict.fromkeys(one.weights.shape[1] for one in attentions)))
    return InteropError(
        sentence, place="tokens", got=next(iter(lengths)), counts=counts, samples=attentions[0].samples
    )
