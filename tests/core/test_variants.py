"""Scorings, shared keys and values, and positions: against plain loops, and the laws that each obeys."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_core import dump, from_token, parse, pretty, to_token, trace, validate
from tests.core.reference import largest_difference, reference
from tests.core.strategies import examples
from tests.core.test_derive import check_terms_and_feeds

varied = examples(claims=False, variants=True)


@settings(max_examples=400)
@given(varied)
def test_random_variants(example):
    assert largest_difference(trace(example).values, reference(example)) <= 1e-12


@settings(max_examples=200)
@given(varied)
def test_every_cell_of_random_variants(example):
    assert check_terms_and_feeds(example)


@settings(max_examples=200)
@given(varied)
def test_files_and_links_hold_variants(example):
    assert parse(dump(example)) == example
    assert parse(pretty(example)) == example
    assert from_token(to_token(example)) == example
