"""What two heads share: compared with the metric for one pair and one query at a time."""

import pytest
from hypothesis import given

from mha_core import built_in, trace
from mha_core.compute.metrics import agreement, overlap
from mha_core.walk.pairs import pairs
from tests.core.strategies import examples
from tests.sizes import tries


@tries(8)
@given(examples(variants=True))
def test_two_heads_share_what_the_metric_says_and_least_at_that_query(example):
    computed = trace(example)
    mean = agreement(computed)
    weights, dead = computed.values["weights"], computed.fully_masked
    for a, row in enumerate(pairs(computed)):
        for b, pair in enumerate(row):
            alive = [i for i in range(len(example.tokens)) if not (dead[a][i] or dead[b][i])]
            if pair is None:
                assert alive == []
                continue
            assert pair.share == pytest.approx(mean[a][b], abs=1e-9)
            shares = {i: overlap(weights[a][i], weights[b][i]) for i in alive}
            assert shares[pair.query] == pytest.approx(min(shares.values()), abs=1e-9)
            least = [i for i in alive if shares[i] < min(shares.values()) + 1e-9]
            assert pair.query == min(least)
            assert pair.alike <= len(least)


def test_queries_that_share_the_least_are_counted():
    weights = trace(built_in("programming")).values["weights"]
    shares = [overlap(one, other) for one, other in zip(*weights[:2], strict=True)]
    assert shares[0] == pytest.approx(shares[1]) == pytest.approx(min(shares))
    assert pairs(trace(built_in("programming")))[0][1].alike == 2


def test_a_head_shares_all_of_its_attention_with_itself():
    for a, row in enumerate(pairs(trace(built_in("water")))):
        assert row[a].share == 1
