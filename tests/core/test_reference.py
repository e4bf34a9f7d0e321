"""Traces compared with plain loops."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given

from mha_core import library, parse, trace
from tests.core.reference import largest_difference, reference
from tests.core.strategies import examples
from tests.sizes import each, tries

WORKED = sorted((Path(__file__).parent / "worked").glob("*.mha.json"))


@tries(25)
@given(examples())
def test_random_examples(example):
    computed = trace(example)
    assert largest_difference(computed.values, reference(example)) <= 1e-12


@pytest.mark.parametrize("path", WORKED, ids=lambda path: path.name.partition(".")[0])
def test_published_examples(path):
    example = parse(path.read_bytes())
    assert largest_difference(trace(example).values, reference(example)) <= 1e-12


def test_there_are_ten_published_examples():
    assert len(WORKED) == 10


@each("name", library())
def test_built_in_examples(name):
    example = library()[name]
    assert largest_difference(trace(example).values, reference(example)) <= 1e-12


def test_heads_that_start_at_four_different_places():
    path = Path(__file__).parent / "starts_further_on.mha.json"
    example = parse(path.read_bytes())
    steps = trace(example).values
    assert [rows is None for rows in steps["q"]] == [False, False, False, True]
    assert [rows is None for rows in steps["scores"]] == [False, False, False, True]
    assert all(one != other for one, other in pairwise(steps["head_outputs"]))
    assert largest_difference(steps, reference(example)) <= 1e-12
