"""Lesson: writing token by token, with a key-value cache, and what heads that share keys and values save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mha_core.compute.cost import cache_bytes, cached_numbers, multiplications, multiplications_with_cache
from mha_core.compute.trace import trace
from mha_core.errors import N_
from mha_core.example.model import Example, Head, Matrix
from mha_view.figures.labels import labels
from mha_view.language import Words
from mha_view.lessons.lesson import (
    Choice,
    Lesson,
    Listing,
    Live,
    Part,
    Question,
    Scene,
    Seen,
    Sentence,
    Slider,
    Values,
)
from mha_view.lessons.scene import group, traced

SENTENCE: Final = N_("I like my tea with milk")
"""One token per word, in each language."""
COUNT: Final = 6
HEADS: Final = 4
D_MODEL: Final = 8
D_HEAD: Final = 2
MODEL: Final = {"layers": 32, "d_head": 128, "tokens": 4096}
"""A model of the size of Llama 2 7B: 32 layers of 32 heads."""
MODEL_HEADS: Final = 32


def _matrix(rows: int, cols: int, seed: int) -> Matrix:
    """Small whole numbers and halves, always the same."""
    return tuple(
        tuple(((3 * i + 5 * j + i * j + seed) % 5 - 2) / 2 for j in range(cols)) for i in range(rows)
    )


def written(values: Values, words: Words) -> Example:
    """The tokens written so far, in a layer of four heads of which ``kv_heads`` have keys and values of their own."""
    count, kv_heads = int(values["step"]), int(values["kv_heads"])
    shared = HEADS // kv_heads
    heads = []
    for head in range(HEADS):
        owns = head % shared == 0
        heads.append(
            Head(
                w_q=_matrix(D_MODEL, D_HEAD, 3 * head),
                w_k=_matrix(D_MODEL, D_HEAD, 3 * head + 1) if owns else None,
                w_v=_matrix(D_MODEL, D_HEAD, 3 * head + 2) if owns else None,
            )
        )
    return Example(
        title=words(N_("Writing token by token")),
        tokens=tuple(words(SENTENCE).split()[:count]),
        x=_matrix(count, D_MODEL, 1),
        heads=tuple(heads),
        w_o=_matrix(HEADS * D_HEAD, D_MODEL, 4),
        mask="causal",
        kv_heads=None if kv_heads == HEADS else kv_heads,
    )


def first_tokens(example: Example, count: int) -> Example:
    """The example as it was when so many tokens had been written."""
    return replace(example, tokens=example.tokens[:count], x=(example.x or ())[:count])


def _parts(seen: Seen) -> Sequence[Part]:
    words, computed, example = seen.words, seen.trace, seen.example
    last = len(example.tokens) - 1
    return (
        Listing(
            [
                words(N_("new token")),
                words(N_("multiplications without cache")),
                words(N_("with cache")),
                words(N_("numbers stored")),
            ],
            [_costs(first_tokens(example, count + 1)) for count in range(len(example.tokens))],
            words(N_("Each step, counted for this layer")),
            last,
        ),
        Sentence(_said(seen)),
        Scene(
            (
                group(
                    [
                        traced(computed, "k", words, 0, marked=last),
                        traced(computed, "v", words, 0, marked=last),
                        traced(computed, "q", words, 0, only=[last], marked=0),
                        traced(computed, "weights", words, 0, only=[last], marked=0),
                        traced(computed, "head_outputs", words, 0, only=[last], marked=0),
                    ],
                    words(N_("Head 1: only the framed rows are new")),
                    head=0,
                ),
            )
        ),
        Listing(
            [words(N_("heads with their own K and V")), words(N_("size of the cache"))],
            [[str(kv_heads), memory(kv_heads)] for kv_heads in (32, 8, 1)],
            words(
                N_(
                    "In a model of {layers} layers with {heads} heads of {d_head} numbers, for {tokens} tokens"
                )
            ).format(heads=MODEL_HEADS, **MODEL),
        ),
    )


def _costs(example: Example) -> list[str]:
    token = labels(example.tokens).names[-1]
    counts = multiplications(example), multiplications_with_cache(example), cached_numbers(example)
    return [f"{len(example.tokens)}  {token}", *map(str, counts)]


def memory(kv_heads: int) -> str:
    """The size of the model's cache as text: ``memory(8)`` is ``512 MiB``."""
    size = cache_bytes(kv_heads=kv_heads, **MODEL)
    return f"{size / 2**30:g} GiB" if size >= 2**30 else f"{size / 2**20:g} MiB"


def rows_that_changed(example: Example) -> int:
    """How many rows of K and V of the earlier tokens have changed since the last token was not there yet."""
    count = len(example.tokens) - 1
    if not count:
        return 0
    before, now = trace(first_tokens(example, count)), trace(example)
    return sum(
        max(abs(a - b) for a, b in zip(row, same, strict=True)) > 1e-12
        for name in ("k", "v")
        for rows, all_rows in zip(before.values[name], now.values[name], strict=True)
        if rows is not None
        for row, same in zip(rows, all_rows[:count], strict=True)
    )


def _said(seen: Seen) -> str:
    words, example = seen.words, seen.example
    everything, cached = multiplications(example), multiplications_with_cache(example)
    if len(example.tokens) == 1:
        return words(N_("The first token: there is nothing to store yet, so the cache saves nothing."))
    changed = rows_that_changed(example)
    kept = (
        N_("No earlier row of K or V has changed.")
        if not changed
        else N_("{count} earlier rows of K and V have changed.")
    )
    sentence = words(N_("With the cache, this step takes {cached} multiplications instead of {everything}."))
    first = words(kept).format(count=changed)
    between = "" if first.endswith("。") else " "
    return f"{first}{between}{sentence.format(cached=cached, everything=everything)}"


def _smaller() -> int:
    factor = cache_bytes(kv_heads=32, **MODEL) // cache_bytes(kv_heads=8, **MODEL)
    return FACTORS.index(f"{factor}")


FACTORS: Final = ("2", "4", "8")

CACHE: Final = Lesson(
    title=N_("The cache, and shared heads"),
    lede=N_(
        "A decoder writes one token at a time. Recomputing the whole text for every new token would be a waste."
    ),
    text=(
        N_(
            "To write the next token, a decoder needs one new row: the output of the last token. With a causal mask, "
            "nothing earlier can change, because no token sees a later one. Still, the new token attends to all "
            "earlier ones, so it needs their keys and values."
        ),
        N_(
            "They are stored in the **key-value cache**. A step then computes one query, one key and one value per "
            "head, compares the query with the stored keys, and mixes the stored values. The queries of earlier "
            "tokens are never needed again, so they are not stored."
        ),
        N_(
            "The price is memory. The cache grows with every token, in every layer and for every head, and it has to "
            "be read at each step. That often takes longer than the multiplications. So heads share: in "
            "**grouped-query attention** each group of heads shares one K and V; in **multi-query attention** all "
            "heads do. Each head still has its own queries. For $L$ layers, $h_{KV}$ heads with their own K and V, and "
            "$n$ tokens, the number of values in the cache is:"
        ),
    ),
    formula=r"2\cdot L\cdot h_{KV}\cdot d_k\cdot n",
    formula_after=3,
    live=Live(
        heading=N_("One token after another"),
        controls=(
            Slider("step", N_("Tokens written so far"), 1, COUNT, 3, 1),
            Choice("kv_heads", N_("Heads with their own K and V, of 4"), {4: "4", 2: "2", 1: "1"}, 4),
        ),
        example=written,
        parts=_parts,
    ),
    experiment=N_(
        "Move the slider from 1 to 6 and compare the two columns of multiplications. Then let all heads share one K "
        "and V: which numbers get smaller?"
    ),
    examples=("grouped-query",),
    question=Question(
        text=N_(
            "A model has 32 heads. Instead of each having its own K and V, groups of heads share 8. By what factor "
            "does the cache shrink?"
        ),
        options=FACTORS,
        right=_smaller,
        because=N_(
            "The cache stores the keys and values of 8 heads instead of 32, a quarter: {shared} instead of {own} in "
            "the model of the second table. The number of queries, and of scores to compute, stays the same."
        ),
        numbers=lambda: {"own": memory(32), "shared": memory(8)},
    ),
    puzzle="shared-key",
    source=N_("Based on Shazeer (2019), “Fast Transformer Decoding”, and Ainslie et al. (2023), “GQA”"),
)
