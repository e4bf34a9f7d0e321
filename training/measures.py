"""What was learned: how well hidden words of new texts are guessed, beside models that count words and pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from training.corpus import MASK, Batch, Corpus, Shares, Texts, masked
from training.model import Bert


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Mean −ln p of the words hidden in new texts. ``right``: by kind of text, the share of the words that follow from
    the rest that is guessed right, and how many they are.
    """

    loss: float
    unigram: float
    bigram: float
    words: int
    right: Mapping[str, tuple[float, int]]


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each word came, V, how often one after another, and how many different ones came after it, V."""

    words: Tensor
    pairs: Mapping[tuple[int, int], int]
    followers: Tensor

    def unigram(self) -> Tensor:
        """p(w), with one more of each, so that none is impossible."""
        return (self.words + 1) / (self.words + 1).sum()

    def bigram(self, before: Tensor, after: Tensor) -> Tensor:
        """p(w | the word before it), mixed with p(w) as Witten and Bell (1991) have it: the more different words have
        followed, the more may be new.
        """
        new = self.followers[before].clamp(min=1)
        pairs = zip(before.tolist(), after.tolist(), strict=True)
        seen = torch.tensor([self.pairs.get(pair, 0) for pair in pairs])
        return (seen + new * self.unigram()[after]) / (self.words[before] + new)


def counted(corpus: Corpus, vocabulary: int) -> Counts:
    """The counts of all texts; [CLS] stands before a first word, and nothing after a last [SEP]."""
    words = torch.zeros(vocabulary)
    pairs: Counter[tuple[int, int]] = Counter()
    for texts in corpus.values():
        before, after = texts.ids[:, :-1].flatten(), texts.ids[:, 1:].flatten()
        words += torch.bincount(before, minlength=vocabulary)
        pairs.update(zip(before.tolist(), after.tolist(), strict=True))
    firsts = torch.tensor([first for first, _ in pairs])
    return Counts(words, pairs, torch.bincount(firsts, minlength=vocabulary))


@torch.no_grad()
def held_out(model: Bert, corpus: Corpus, counts: Counts, seed: int) -> HeldOut:
    """Measure it: the loss where 15 % of all words are hidden as BERT's were, what is guessed right where half of those
    that follow from the rest are, and no others.
    """
    random = torch.Generator().manual_seed(seed)
    losses, before, after = [], [], []
    hits: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for texts in corpus.values():
        batch = _hidden(model, texts, random, (0.15, 0.15))
        logits = model.guess(model(batch.ids, batch.segments, batch.places)[batch.hidden])
        after.append(batch.targets[batch.hidden])
        before.append(batch.targets.roll(1, 1)[batch.hidden])
        losses.append(functional.cross_entropy(logits, after[-1], reduction="none"))
        batch = _hidden(model, texts, random, (0.0, 0.5))
        guessed = model.guess(model(batch.ids, batch.segments, batch.places)).argmax(-1)
        places = batch.hidden & texts.marked & (batch.ids == MASK)
        for kind, row, good in zip(texts.kinds, places, guessed == batch.targets, strict=True):
            hits[kind] += int((row & good).sum())
            asked[kind] += int(row.sum())
    left, words = torch.cat(before), torch.cat(after)
    return HeldOut(
        torch.cat(losses).mean().item(),
        -counts.unigram()[words].log().mean().item(),
        -counts.bigram(left, words).log().mean().item(),
        len(words),
        {kind: (hits[kind] / asked[kind], asked[kind]) for kind in sorted(asked) if asked[kind]},
    )


def _hidden(model: Bert, texts: Texts, random: torch.Generator, shares: Shares) -> Batch:
    rows = torch.arange(len(texts.kinds))
    return masked(texts, rows, model.shape.vocabulary, model.shape.places, random, shares)
