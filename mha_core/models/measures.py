"""What a head does with a text: where its weight goes, each share compared with chance.

Two kinds of places take weight from every other behaviour: the first token, on which heads of decoders rest, and
special tokens such as [CLS] and [SEP], on which heads of encoders rest (Clark et al. 2019). They have measures of their
own, and are excluded from the others: each other measure is a share of the remaining weight, which words give to words.

Letters: A weights, h heads, n tokens; Q the tokens that are words of the text, K(i) the words that token i may see, the
first token not counted, R(i) those of them that a relation names, such as the token before i.

share    Σ_i Σ_{j ∈ R(i)} A_ij ÷ Σ_i Σ_{j ∈ K(i)} A_ij, over the i in Q with a token in R(i). A token that gives most
         of its weight to the special ones counts little.
null     the same share if each token's weight on K(i) were spread evenly over K(i)
chance   an upper bound of the probability of a share as large, if each token's weights on K(i) were assigned to the
         tokens of K(i) at random: Bennett's inequality, which is valid for few tokens too
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Final, TypeAlias

import torch
from torch import Tensor

from mha_core.models.tokenizer import Tokens

Relation: TypeAlias = Callable[[Tokens], Tensor]
"""Tokens → n × n, True where the token of the row is related to that of the column."""

LEAST_LEFT: Final = 0.1
"""A head that gives words less than this share of its weight is labelled by what it rests on."""
LEAST_EXCESS: Final = 0.3
"""The least excess of a behaviour that stands out."""
MOST_CHANCE: Final = 0.001
"""A behaviour that is likelier by chance does not stand out, however large: one pair of brackets shows nothing."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One number about a head, its value by chance, and how probable it is by chance. ``places``: how many tokens it is
    computed from.
    """

    value: float
    null: float
    chance: float
    places: int

    @property
    def excess(self) -> float:
        """(value − null) ÷ (1 − null): 0 for chance, 1 for always."""
        return (self.value - self.null) / (1 - self.null) if self.null < 1 else 0.0

    @property
    def is_large(self) -> bool:
        """Whether it is a large part of what the head does, even if chance may explain it."""
        return self.excess >= LEAST_EXCESS

    @property
    def stands_out(self) -> bool:
        """Whether it is a large part of what the head does, and chance is unlikely to explain it."""
        return self.chance <= MOST_CHANCE and self.is_large


@dataclass(frozen=True, slots=True)
class Record:
    """What one head does. ``left``: the share of its weight that words give to words other than the first token;
    ``measures``: by name, those that the text has a place for: ``RELATIONS``, ``RESTS``, "entropy" and "distance".
    """

    left: float
    measures: Mapping[str, Measure]


# --- relations -----------------------------------------------------------------------------------------------------


def previous(tokens: Tokens) -> Tensor:
    """The token before this one."""
    return _at_offset(len(tokens), -1)


def following(tokens: Tokens) -> Tensor:
    """The token after this one; decoders do not see it."""
    return _at_offset(len(tokens), 1)


def itself(tokens: Tokens) -> Tensor:
    """The token itself."""
    return _at_offset(len(tokens), 0)


def same_word(tokens: Tokens) -> Tensor:
    """The word's other occurrences, all their pieces; capitals do not count, and unknown words are never the same."""
    words = _numbered(_word_texts(tokens))
    occurrences = _numbered(tokens.words)
    return (words[:, None] == words) & (occurrences[:, None] != occurrences)


def after_same(tokens: Tokens) -> Tensor:
    """The token after an earlier occurrence of this token, if it is a known one. An induction head attends to it
    (Olsson et al. 2022).
    """
    ids = _numbered(
        number if lacks is None else None for number, lacks in zip(tokens.ids, tokens.unknown, strict=True)
    )
    return behind_copies(ids)


def behind_copies(ids: Tensor) -> Tensor:
    """… × n × n: True for the tokens right after earlier occurrences of a token; ids: … × n."""
    earlier = (ids[..., :, None] == ids[..., None, :]).tril(-1)
    return earlier.roll(1, dims=-1).tril()


def pair(tokens: Tokens) -> Tensor:
    """From a closing bracket or quotation mark to the one that opened it. An apostrophe is neither."""
    related = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    opened: list[int] = []
    for place, text in enumerate(tokens.texts):
        closes = [at for at, opening in enumerate(opened) if _CLOSING[tokens.texts[opening]] == text]
        if closes:
            related[place, opened[closes[-1]]] = True
            del opened[closes[-1] :]
        elif text in _CLOSING:
            opened.append(place)
    return related


def punctuation(tokens: Tokens) -> Tensor:
    """Commas, full stops and other signs that are not part of a word."""
    signs = torch.tensor([not any(map(str.isalnum, text)) for text in tokens.texts])
    return signs.expand(len(tokens), -1)


_CLOSING: Final = dict(zip('([{（［｛【《〈「『“‘"', ')]}）］｝】》〉」』”’"', strict=True))


def _at_offset(n: int, offset: int) -> Tensor:
    places = torch.arange(n)
    return places == places[:, None] + offset


def _word_texts(tokens: Tokens) -> list[str | None]:
    """For each token the whole word that it is part of; None for special tokens and words with an unknown part."""
    whole: dict[int, str] = {}
    for word, text in zip(tokens.words, tokens.texts, strict=True):
        if word is not None:
            whole[word] = whole.get(word, "") + text.removeprefix("##").casefold()
    known = whole.keys() - {
        word for word, lacks in zip(tokens.words, tokens.unknown, strict=True) if lacks is not None
    }
    return [whole[word] if word in known else None for word in tokens.words]


def _numbered(things: Iterable[object]) -> Tensor:
    """The same number for equal things; None equals nothing."""
    numbers: dict[object, int] = {}
    return torch.tensor(
        [
            -1 - at if thing is None else numbers.setdefault(thing, len(numbers))
            for at, thing in enumerate(things)
        ]
    )


RELATIONS: Final[dict[str, Relation]] = {
    "previous": previous,
    "next": following,
    "itself": itself,
    "same_word": same_word,
    "after_same": after_same,
    "pair": pair,
    "punctuation": punctuation,
}
"""Behaviours by name: which words a word attends to."""
RESTS: Final = ("first_token", "separators")
"""The measures of the excluded places: the first token, and special tokens elsewhere."""
MEASURES: Final = (*RELATIONS, *RESTS, "entropy", "distance")


# --- measures --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Places:
    """Where the tokens of a text may look, and which of these places each measure counts; the same for all heads.

    words: n × n, K(i) of each i in Q; seen: n × n, all that these may see; related: by the name of the measure.
    """

    words: Tensor
    seen: Tensor
    related: Mapping[str, Tensor]
    queries: int

    @classmethod
    def of(cls, tokens: Tokens, *, causal: bool, visible: Tensor | None = None) -> Places:
        """``causal``: whether a token sees only itself and earlier ones; ``visible``: n × n, True for the
        keys that it sees of these; None for all of them.
        """
        n = len(tokens)
        special, first = torch.tensor(tokens.special), torch.arange(n) == 0
        seen = (~special)[:, None].expand(n, n)
        seen = seen.tril() if causal else seen
        seen = seen if visible is None else seen & visible.cpu()
        words = seen & ~special & ~first
        related = {name: relation(tokens) & words for name, relation in RELATIONS.items()}
        rests = {"first_token": seen & first, "separators": seen & special & ~first}
        return cls(words, seen, related | rests, int((~special).sum()))


@dataclass(frozen=True, slots=True)
class Weight:
    """The weight of h heads on some keys of each token. on: h × n × n; keys: n × n; and of each token's weights on its
    keys, h × n each: left, the sum; squares, the sum of squares; largest, the largest.
    """

    on: Tensor
    keys: Tensor
    left: Tensor
    squares: Tensor
    largest: Tensor

    @classmethod
    def of(cls, on: Tensor, keys: Tensor) -> Weight:
        """on: h × n × n, 0 where there is no key."""
        squares = torch.linalg.vector_norm(on, dim=-1, dtype=torch.float64).square()
        return cls(on, keys, on.sum(-1, dtype=torch.float64), squares, on.amax(-1).double())


def behaviours(weights: Tensor, tokens: Tokens, *, causal: bool) -> tuple[Record, ...]:
    """What each head does. weights: h × n × n; ``causal``: whether a token sees only itself and earlier ones."""
    return records(weights, Places.of(tokens, causal=causal))


def records(weights: Tensor, places: Places) -> tuple[Record, ...]:
    """``behaviours`` with the places of a text given, which all its heads have in common."""
    weights = weights.detach().cpu()
    anywhere, words = Weight.of(weights, places.seen), Weight.of(weights * places.words, places.words)
    by_name = {name: share(words, places.related[name]) for name in RELATIONS}
    by_name |= {name: share(anywhere, places.related[name]) for name in RESTS}
    by_name |= {"entropy": entropy(words), "distance": distance(words)}
    left = (words.left.sum(-1) / places.queries).tolist()
    return tuple(
        Record(left[head], {name: heads[head] for name, heads in by_name.items() if heads})
        for head in range(len(weights))
    )


def share(weight: Weight, related: Tensor) -> list[Measure]:
    """The share of the weight that goes to the keys that are ``related`` (n × n), for each head.

    Empty where no token has both a related key and another.
    """
    chosen, among = related.sum(-1), weight.keys.sum(-1)
    counted = (chosen > 0) & (chosen < among)
    if not counted.any():
        return []
    rows, columns = (related & counted[:, None]).nonzero(as_tuple=True)
    on = torch.zeros_like(weight.left).index_add_(1, rows, weight.on[:, rows, columns].double())[:, counted]
    left, squares, largest = (part[:, counted] for part in (weight.left, weight.squares, weight.largest))
    chosen, among = chosen[counted].double(), among[counted].double()
    expected = left * chosen / among
    most = (chosen * largest).minimum(left) - expected
    factor = chosen * (among - chosen) / (among * (among - 1))
    variance = factor * (squares - left.square() / among).clamp(min=0)
    chance = _bennett((on - expected).sum(-1), variance.sum(-1), most.amax(-1))
    total = left.sum(-1)
    return _measures(on.sum(-1) / total, expected.sum(-1) / total, chance, int(counted.sum()))


def _bennett(beyond: Tensor, variance: Tensor, most: Tensor) -> Tensor:
    """An upper bound of the probability that independent numbers, none more than b (``most``) above its mean, have a
    sum that is t (``beyond``) above its mean: exp(−(V ÷ b²)·((1 + u)·ln(1 + u) − u)), u = b·t ÷ V (Bennett 1962).
    """
    ratio = most * beyond / variance
    bound = (-variance / most.square() * ((1 + ratio) * ratio.log1p() - ratio)).exp()
    return torch.where((beyond > 0) & (variance > 0), bound, 1.0)


def entropy(weight: Weight) -> list[Measure]:
    """How widely a head spreads its weight: −Σ b·ln b ÷ ln |K|, b the weights on K scaled to sum to 1, the mean over
    tokens weighted by their weight on K. 0: all on one token; 1, which is also its null: evenly.
    """
    count = weight.keys.sum(-1)
    counted = count > 1
    if not counted.any():
        return []
    left = weight.left[:, counted]
    logs = torch.special.entr(weight.on).sum(-1, dtype=torch.float64)[:, counted]
    wide = (logs - torch.special.entr(left)) / count[counted].log()  # left · H(b)
    mean = wide.sum(-1) / left.sum(-1)
    return _measures(mean, torch.ones_like(mean), torch.ones_like(mean), int(counted.sum()))


def distance(weight: Weight) -> list[Measure]:
    """How far a head looks: Σ A_ij·|i − j| ÷ Σ A_ij over words, in tokens; null: each token's weight spread evenly."""
    count = weight.keys.sum(-1)
    counted = count > 1
    if not counted.any():
        return []
    places = torch.arange(len(count), dtype=weight.on.dtype)
    far = (places - places[:, None]).abs()
    even = (far * weight.keys).sum(-1, dtype=torch.float64)[counted] / count[counted]
    left = weight.left[:, counted]
    total = left.sum(-1)
    reached = (weight.on * far).sum(-1, dtype=torch.float64)[:, counted].sum(-1)
    return _measures(
        reached / total, (left * even).sum(-1) / total, torch.ones_like(total), int(counted.sum())
    )


def _measures(values: Tensor, nulls: Tensor, chances: Tensor, places: int) -> list[Measure]:
    """The measure of each head; 0 where it has no weight to share."""
    rows = zip(values.tolist(), nulls.tolist(), chances.tolist(), strict=True)
    return [
        Measure(0.0, 0.0, 1.0, places) if isnan(value) else Measure(value, null, chance, places)
        for value, null, chance in rows
    ]


def label(record: Record) -> str | None:
    """The behaviour that stands out: among words where the head gives them enough weight; else what it rests on; else
    None. Where several stand out, the one that is farthest from chance.
    """
    return _farthest(record, lambda measure: measure.stands_out)


def unsure(record: Record) -> str | None:
    """The behaviour that would stand out with more places in the text: it is large, but chance may explain it. None
    where another stands out.
    """
    return None if label(record) else _farthest(record, lambda measure: measure.is_large)


def _farthest(record: Record, wanted: Callable[[Measure], bool]) -> str | None:
    """Of the wanted measures the one that is farthest from chance: first among words, where the head gives them enough
    weight, then what it rests on.
    """
    names = tuple(RELATIONS) if record.left >= LEAST_LEFT else ()
    for group in (names, RESTS):
        excesses = {
            name: record.measures[name].excess
            for name in group
            if name in record.measures and wanted(record.measures[name])
        }
        if excesses:
            return max(excesses, key=excesses.__getitem__)
    return None
