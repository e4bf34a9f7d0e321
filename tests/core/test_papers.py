"""Constants and formulas that the project takes from a paper, each worked out here from the paper's own text."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from mha_core.edit.edits import apply
from mha_core.example.arrays import from_arrays
from mha_core.example.library import built_in
from mha_core.example.model import alibi_slope


def get_slopes(n):
    """As the authors' code has it: Press, Smith & Lewis, Train Short, Test Long, ICLR 2022 (fairseq, models.py)."""

    def get_slopes_power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        ratio = start
        return [start * ratio**i for i in range(n)]

    if math.log2(n).is_integer():
        return get_slopes_power_of_2(n)
    closest = 2 ** math.floor(math.log2(n))
    return get_slopes_power_of_2(closest) + get_slopes(2 * closest)[0::2][: n - closest]


def bench(heads, kind="alibi"):
    """An example of so many heads whose scores are all 0, with ALiBi switched on as the Layer menu does."""
    zeros, ones = [[0.0]] * 4, [[1.0]] * 4
    example = from_arrays(
        tokens=list("abcd"), heads=[{"q": zeros, "k": zeros, "v": ones}] * heads, mask="causal"
    )
    return apply(example, {"op": "positions", "kind": kind})


def slopes(example):
    return [head.slope[0] for head in example.heads]


@pytest.mark.parametrize("heads", range(1, 17))
def test_alibi_slopes_are_those_of_the_authors_code(heads):
    assert [alibi_slope(g, heads) for g in range(heads)] == pytest.approx(get_slopes(heads), rel=1e-14)
    assert slopes(bench(heads)) == pytest.approx(get_slopes(heads), rel=1e-14)


def test_six_heads_have_four_heads_slopes_and_then_every_other_one_of_eight():
    assert slopes(bench(6)) == [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]


def test_a_head_more_or_less_keeps_alibi_s_slopes_those_of_the_authors():
    example = apply(replace(built_in("first"), mask="causal"), {"op": "positions", "kind": "alibi"})
    for heads in (3, 4, 5, 6):
        example = apply(example, {"op": "add_head"})
        assert slopes(example) == pytest.approx(get_slopes(heads))
    for heads in (5, 4, 3):
        example = apply(example, {"op": "remove_head", "head": 1})
        assert slopes(example) == pytest.approx(get_slopes(heads))


def test_slopes_set_by_hand_stay_when_a_head_comes_or_goes():
    example = apply(replace(built_in("first"), mask="causal"), {"op": "positions", "kind": "alibi"})
    example = apply(example, {"op": "set", "matrix": "slope", "head": 0, "row": 0, "col": 0, "values": [[3]]})
    before = slopes(example)
    more = apply(example, {"op": "add_head"})
    assert slopes(more) == [*before, get_slopes(len(before) + 1)[-1]]
    assert slopes(apply(more, {"op": "remove_head", "head": 1})) == [before[0], *slopes(more)[2:]]
    copied = apply(apply(bench(2), {"op": "positions", "kind": "alibi"}), {"op": "add_head", "copy": 0})
    assert slopes(copied) == [0.0625, 0.00390625, 0.0625]
