"""Two sentences head by head, by hand, against plain loops, and as laws."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mha_core.models.differences import aligned, differences, shifts
from tests.models.texts import tokens_of


def test_equal_tokens_correspond_and_so_do_equally_many_others_between_them():
    first = tokens_of("[CLS] it was too tired . [SEP]")
    second = tokens_of("[CLS] it was too tired . [SEP]")
    assert aligned(first, second) == [(at, at) for at in range(7)]


@pytest.fixture
def numbered():
    """Sentences with one numbering of their words."""

    def make(*sentences):
        known: dict[str, int] = {}
        for sentence in sentences:
            for word in sentence.split():
                known.setdefault(word, len(known))
        made = [tokens_of(sentence) for sentence in sentences]
        return [replace(one, ids=tuple(known[text] for text in one.texts)) for one in made]

    return make


def test_another_word_between_the_same_ones_corresponds_to_the_first(numbered):
    first, second = numbered("it was too tired .", "it was too wide .")
    assert aligned(first, second) == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]


def test_an_additional_word_corresponds_to_none(numbered):
    first, second = numbered("the cat sat", "the black cat sat")
    assert aligned(first, second) == [(0, 0), (1, 2), (2, 3)]
    first, second = numbered("the cat sat down", "dogs bark")
    assert aligned(first, second) == []


def test_by_hand():
    """Two tokens of three are in both. Row 0: ½(|0.5−0.2| + |0.3−0.3| + |0.2−0.5|) = 0.3; row 2: ½(1 + 1) = 1."""
    first = torch.tensor([[[[0.5, 0.2, 0.3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]]])
    second = torch.tensor([[[[0.2, 0.3, 0.5], [0.0, 1.0, 0.0], [0.3, 0.3, 0.4]]]])
    found = differences(first, second, [(0, 0), (2, 1)])
    assert found.shape == (1, 1)
    assert torch.allclose(found, torch.tensor([[(0.3 + 1.0) / 2]]))
    keys, changes = (of[0, 0] for of in shifts(first, second, [(0, 0), (2, 1)]))
    assert keys[[0, 2]].tolist() == [0, 0]  # 0.5 → 0.2, and 1 → 0
    assert torch.allclose(changes, torch.tensor([-0.3, math.nan, -1.0]), equal_nan=True)


def plain(one, other, pairs):
    """The mean total variation of one head, in loops."""
    total = 0.0
    for query, there in pairs:
        kept = [(one[query][key], other[there][key_there]) for key, key_there in pairs]
        ours, theirs = (sum(side) for side in zip(*kept, strict=True))
        rest = sum(one[query]) - ours, sum(other[there]) - theirs
        total += (sum(abs(a - b) for a, b in kept) + abs(rest[0] - rest[1])) / 2
    return total / len(pairs)


drawn = st.tuples(st.integers(1, 7), st.integers(1, 7), st.integers(0, 1000))


@given(drawn)
def test_it_is_the_plain_loop_s_and_lies_between_0_and_1(sizes):
    n, m, seed = sizes
    generator = torch.Generator().manual_seed(seed)
    first = torch.rand(2, 3, n, n, generator=generator, dtype=torch.float64).softmax(-1)
    second = torch.rand(2, 3, m, m, generator=generator, dtype=torch.float64).softmax(-1)
    pairs = [(at, at) for at in range(0, min(n, m), 2)]
    found = differences(first, second, pairs)
    for layer in range(2):
        for head in range(3):
            expected = plain(first[layer, head].tolist(), second[layer, head].tolist(), pairs)
            assert abs(found[layer, head].item() - expected) < 1e-12
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()
    assert torch.allclose(differences(second, first, [(b, a) for a, b in pairs]), found)
    assert not differences(first, first, [(at, at) for at in range(n)]).any()


def test_without_common_tokens_nothing_differs():
    first, second = torch.rand(2, 3, 4, 4), torch.rand(2, 3, 5, 5)
    assert differences(first, second, []).tolist() == [[0.0] * 3] * 2
    assert shifts(first, second, [])[1].isnan().all()
