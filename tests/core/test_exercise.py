"""Exercises: seeded, in numbers among which known mistakes can be told apart."""

from dataclasses import replace
from itertools import product

import pytest

from mha_core import ExampleError, built_in, check, dump, from_token, library, parse, to_token, validate
from mha_core.exercise import askable, distinguishable, exercise
from mha_core.graph import graph
from tests.core.answers import answer, layer, used, work_out

SOURCES = {name: example for name, example in library().items() if name not in ("saturated", "scaled")} | {
    "cross, biases": layer(n_k=5, biases=True),
    "four heads": layer(h=4, d_k=4, d_model=4, n=4),
    "causal": layer(mask="causal", d_k=2, d_model=4),
    "no W_O": layer(d_out=None, n=2, d_k=2, d_model=2),
    "divided by 2": layer(scale=2.0),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_its_sizes_and_numbers_hide_no_mistake(source):
    for seed in range(3):
        drawn = exercise(source, seed)
        dims = drawn.dims
        assert dims.d_k**2 != dims.d_model
        assert dims.d_k not in (dims.n_q, dims.n_k)
        given = [m for head in drawn.heads for m in (head.w_q, head.w_k, head.w_v) if m is not None]
        for matrix in given:
            square = len(matrix) == len(matrix[0])
            assert not square or matrix != tuple(zip(*matrix, strict=True))
        everything = [drawn.x, *given]
        assert all(cell in range(-2, 3) for matrix in everything for row in matrix for cell in row)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_it_is_about_what_the_example_is_about(source):
    drawn = exercise(source, 1)
    assert validate(drawn) == drawn
    assert (drawn.tokens, drawn.mask, drawn.scale) == (source.tokens, source.mask, source.scale)
    assert len(drawn.heads) == len(source.heads)
    assert (drawn.context is None, drawn.w_o is None) == (source.context is None, source.w_o is None)
    assert (drawn.b_o is None) == (source.b_o is None)
    assert all((a.b_q is None) == (b.b_q is None) for a, b in zip(drawn.heads, source.heads, strict=True))
    assert drawn.claimed is None
    assert [step.name for step in graph(drawn)] == [step.name for step in graph(source)]


def test_the_same_seed_gives_the_same_exercise_and_another_seed_another():
    source = built_in("first")
    drawn = [exercise(source, seed) for seed in range(20)]
    assert drawn == [exercise(source, seed) for seed in range(20)]
    assert len({dump(one) for one in drawn}) == 20
    assert exercise(replace(source, claimed=None, note=None), 3) == drawn[3]


def test_it_travels_in_a_link_and_a_file():
    drawn = exercise(built_in("output-projection"), 5)
    assert from_token(to_token(drawn)) == drawn
    assert parse(dump(drawn)) == drawn


def test_mistakes_can_be_told_apart():
    """More pairs of mistakes than in the example that it is made from, and nearly all that there are."""
    for name, seed in product(("first", "output-projection", "causal"), range(2)):
        source = built_in(name)
        assert distinguishable(exercise(source, seed)) >= distinguishable(source)


def test_work_on_it_is_checked():
    drawn = exercise(built_in("first"), 2)
    assert askable(drawn) == tuple(used(drawn))
    assert check(answer(drawn, work_out(drawn))).ok
    unscaled = check(answer(drawn, work_out(drawn, {"scaled_scores": lambda s: s.scores})))
    assert [cause.ids for cause in unscaled.steps["scaled_scores"].causes] == [("not_scaled",)]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (layer(n=7), "an exercise has at most 6 tokens and 4 heads"),
        (layer(n_k=7), "an exercise has at most 6 tokens and 4 heads"),
        (layer(h=5), "an exercise has at most 6 tokens and 4 heads"),
        (
            replace(layer(h=1), heads=(replace(layer(h=1).heads[0], w_v=None, v=((1.0, 2.0),) * 4),)),
            "an exercise needs heads that start at X, with W_Q, W_K and W_V",
        ),
    ],
    ids=["tokens", "keys", "heads", "starts further on"],
)
def test_what_cannot_be_an_exercise_is_refused(source, sentence):
    with pytest.raises(ExampleError) as error:
        exercise(validate(source), 0)
    assert str(error.value) == sentence
