"""Passages as numbers, those of one length together, and how words are masked in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor

from training.passages import MARK, Passage

PAD, UNK, CLS, SEP, MASK = range(5)
SPECIALS = 5
Shares = tuple[float, float]
"""How many words are hidden: of all, and of those that follow from the rest."""
LEARNED: Shares = (0.18, 0.5)
DECIDED = 0.9
"""How many of the words that one earlier word decides are hidden."""


@dataclass(frozen=True, slots=True)
class Texts:
    """N texts of n tokens: ``ids`` and ``segments``, N × n; ``marked``: where a word follows from the rest;
    ``decided``: which place decides that word, 0 where no single one does.
    """

    ids: Tensor
    segments: Tensor
    marked: Tensor
    decided: Tensor
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts in which words are ``hidden``, b × n; ``ids`` are what the model sees, ``places`` the positions."""

    ids: Tensor
    segments: Tensor
    places: Tensor
    hidden: Tensor
    targets: Tensor


Corpus = Mapping[int, Texts]
"""Length → the texts of that length."""


Row = tuple[list[int], list[int], list[bool], list[int], str]
"""Ids, segments, marks and deciding places of one text, and its kind."""


def encode(tokenizer: Tokenizer, passages: Iterable[Passage], longest: int) -> Corpus:
    """All passages that have at most ``longest`` tokens."""
    rows: dict[int, list[Row]] = defaultdict(list)
    for some in _batched(passages, 2000):
        plain = [(*unmarked(one.text), *unmarked(one.second or "")) for one in some]
        texts = [(text, second) if second else text for text, _, second, _ in plain]
        for one, row, (_, first, _, later) in zip(some, tokenizer.encode_batch(texts), plain, strict=True):
            if len(row) <= longest:
                marked = _marked(row, (first, later))
                rows[len(row)].append((row.ids, row.type_ids, marked, _decided(row, marked, one), one.kind))
    return {length: _texts(rows[length]) for length in sorted(rows)}


def _batched(passages: Iterable[Passage], size: int) -> Iterator[Sequence[Passage]]:
    ahead = iter(passages)
    while some := tuple(islice(ahead, size)):
        yield some


def unmarked(text: str) -> tuple[str, frozenset[int]]:
    """The text without its marks, and where the marked words begin in it."""
    parts = text.split(MARK)
    starts, length = [], 0
    for part in parts[:-1]:
        length += len(part)
        starts.append(length)
    return "".join(parts), frozenset(starts)


def _marked(row: Encoding, starts: Sequence[frozenset[int]]) -> list[bool]:
    return [
        sequence is not None and start in starts[sequence]
        for sequence, (start, _) in zip(row.sequence_ids, row.offsets, strict=True)
    ]


def _decided(row: Encoding, marked: Sequence[bool], passage: Passage) -> list[int]:
    """For each marked token of a text with a deciding word, the first token of that word."""
    if passage.decided_by is None:
        return [0] * len(row)
    place = row.char_to_token(passage.decided_by) or 0
    return [place * one for one in marked]


def _texts(rows: Sequence[Row]) -> Texts:
    ids, segments, marked, decided, kinds = zip(*rows, strict=True)
    return Texts(
        torch.tensor(ids), torch.tensor(segments), torch.tensor(marked), torch.tensor(decided), kinds
    )


def masked(
    texts: Texts,
    rows: Tensor,
    vocabulary: int,
    longest: int,
    random: torch.Generator,
    shares: Shares = LEARNED,
) -> Batch:
    """Some rows of the texts, begun anywhere among the places, with words hidden as BERT's were.

    Of the hidden words 80 % are [MASK], 10 % another word, 10 % themselves.
    """
    ids, marked = texts.ids[rows], texts.marked[rows]
    chance = torch.rand(ids.shape, generator=random)
    share = torch.where(marked, shares[1], shares[0]).masked_fill(texts.decided[rows] > 0, DECIDED)
    hidden = (chance < share) & (ids >= SPECIALS)
    lowest = chance.masked_fill(ids < SPECIALS, 2).argmin(1, keepdim=True)
    hidden.scatter_(1, lowest, value=True)
    what = torch.rand(ids.shape, generator=random)
    other = torch.randint(SPECIALS, vocabulary, ids.shape, generator=random)
    shown = torch.where(hidden & (what < 0.8), MASK, ids)
    shown = torch.where(hidden & (what > 0.9), other, shown)
    return Batch(shown, texts.segments[rows], drawn_places(ids, longest, random), hidden, ids)


def drawn_places(ids: Tensor, longest: int, random: torch.Generator) -> Tensor:
    """Positions of every text: from 0 for a third of them, from anywhere for the others."""
    count, length = ids.shape
    first = torch.rand(count, 1, generator=random) * (longest - length + 1)
    first = first.floor().long() * (torch.rand(count, 1, generator=random) > 1 / 3)
    return first + torch.arange(length)


def batches(corpus: Corpus, tokens: int, random: torch.Generator) -> Iterator[tuple[Texts, Tensor]]:
    """Every text once, in groups of about so many tokens, in a drawn order."""
    groups = [
        (texts, rows)
        for length, texts in corpus.items()
        for rows in torch.split(torch.randperm(len(texts.kinds), generator=random), max(1, tokens // length))
    ]
    for index in torch.randperm(len(groups), generator=random).tolist():
        yield groups[index]
