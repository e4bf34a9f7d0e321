"""What attention costs: torch's own counter agrees, and a cache changes the cost but no number."""

from dataclasses import replace

import pytest
from torch.utils.flop_counter import FlopCounterMode

from mha_core import Example, Head, built_in, library, trace
from mha_core.compute.cost import cache_bytes, cached_numbers, multiplications, multiplications_with_cache


@pytest.mark.parametrize("name", library())
def test_the_multiplications_are_those_that_torch_counts(name):
    example = built_in(name)
    with FlopCounterMode(display=False) as counter:
        trace(example)
    assert 2 * multiplications(example) == counter.get_total_flops()  # torch counts each sum as well


def prefix(example, n):
    return replace(example, tokens=example.tokens[:n], x=example.x[:n])


@pytest.mark.parametrize("name", ["causal", "alibi"])
def test_a_cached_step_gives_the_numbers_of_the_whole_computation(name):
    """The rows of all earlier tokens stay what they were when a token joins, so they need not be computed again."""
    example = replace(built_in(name), mask="causal")
    whole = trace(example)
    for n in range(1, len(example.tokens) + 1):
        part = trace(prefix(example, n))
        for step in ("k", "v", "head_outputs"):
            for rows, all_rows in zip(part.values[step], whole.values[step], strict=True):
                for row, same in zip(rows, all_rows[:n], strict=True):
                    assert row == pytest.approx(same, abs=1e-12)


def test_one_head_by_hand():
    """Three tokens, d_model 2, d_k 4, d_v 5: X·W_Q 3·2·4, X·W_K the same, X·W_V 3·2·5, scores 3·3·4, outputs 3·3·5.

    With a cache one row of each: 2·4 + 2·4 + 2·5, then 3·4 scores and 3·5 for the output.
    """
    ones = lambda rows, cols: ((1.0,) * cols,) * rows  # noqa: E731
    head = Head(w_q=ones(2, 4), w_k=ones(2, 4), w_v=ones(2, 5))
    example = Example(title="cost", tokens=("a", "b", "c"), x=ones(3, 2), heads=(head,))
    assert multiplications(example) == 24 + 24 + 30 + 36 + 45
    assert multiplications_with_cache(example) == 8 + 8 + 10 + 12 + 15
    assert cached_numbers(example) == 3 * (4 + 5)


def test_shared_heads_store_less():
    """Four query heads of d_k = d_v = 2 for three tokens; two of them have keys and values of their own."""
    example = built_in("grouped-query")
    assert cached_numbers(example) == 2 * 3 * (2 + 2)


def test_the_cache_of_a_model_by_hand():
    """Keys and values, 32 layers, 32 heads of 128 numbers, 4096 tokens, 2 bytes each: 2 GiB."""
    assert cache_bytes(layers=32, kv_heads=32, d_head=128, tokens=4096) == 2 * 2**30
    assert cache_bytes(layers=32, kv_heads=8, d_head=128, tokens=4096) == 2**29
