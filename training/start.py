"""Where the word embeddings begin: words that stand near the same words are alike, which counting alone can tell.

Levy and Goldberg, "Neural Word Embedding as Implicit Matrix Factorization", 2014.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from training.corpus import Corpus

_NEAR = 3
"""How far apart two words of a pair may be; a pair at distance k counts 1 ÷ k."""
_SMOOTHED = 0.75
"""The power that makes rare neighbours less surprising."""


def co_occurrence(corpus: Corpus, vocabulary: int) -> Tensor:
    """How often two words stand near each other, V × V, symmetric."""
    counts = torch.zeros(vocabulary, vocabulary)
    for length, texts in corpus.items():
        for apart in range(1, min(_NEAR + 1, length)):
            one, other = texts.ids[:, :-apart].flatten(), texts.ids[:, apart:].flatten()
            counts.index_put_((one, other), torch.tensor(1 / apart), accumulate=True)
    return counts + counts.T


def embeddings(corpus: Corpus, vocabulary: int, width: int, seed: int) -> Tensor:
    """V × d, rows of length 1 and a little noise: the largest parts of max(0, ln(p(a, b) ÷ p(a)·p(b)))."""
    counts = co_occurrence(corpus, vocabulary)
    near = counts.sum(0) ** _SMOOTHED
    likely = counts.sum(1, keepdim=True) * near / near.sum()
    surprise = (counts / likely.clamp(min=1e-9)).clamp(min=1).log()
    random = torch.Generator().manual_seed(seed)
    noise: Tensor = torch.randn(vocabulary, width, generator=random) * (0.3 / width**0.5)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        left, sizes, _ = torch.svd_lowrank(surprise, width, niter=4)
    found = left * sizes.sqrt()
    return functional.normalize(found - found.mean(0)) + noise
