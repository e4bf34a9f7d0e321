"""A pasted block that does not fit: the matrix can be made larger by the same edit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mha_core import ExampleError, built_in
from mha_core.example.model import MAX_SIZE
from tests.apply import apply

FIRST = built_in("first")
SWITCHED = {
    "first": FIRST,
    "output": apply(apply(FIRST, {"op": "w_o", "on": True}), {"op": "biases", "on": True}),
    "cross": apply(FIRST, {"op": "context", "on": True}),
    "painted": apply(FIRST, {"op": "mask", "kind": "painted"}),
    "bilinear": apply(FIRST, {"op": "scoring", "kind": "bilinear"}),
    "additive": apply(FIRST, {"op": "scoring", "kind": "additive"}),
    "rotary": apply(FIRST, {"op": "positions", "kind": "rotary"}),
}


def block(rows, cols, number=7.0):
    return [[number] * cols for _ in range(rows)]


def pasted(example, matrix, head, rows, cols, at=(0, 0), **more):
    edit = {"op": "set", "matrix": matrix, "head": head, "row": at[0], "col": at[1]}
    return apply(example, {**edit, "values": block(rows, cols), **more})


@pytest.mark.parametrize(
    ("of", "matrix", "head", "rows", "cols", "sizes"),
    [
        ("first", "x", None, 5, 4, {"n_q": 5, "n_k": 5, "d_model": 4, "d_context": 4}),
        ("first", "w_q", 1, 3, 5, {"d_model": 3, "d_context": 3, "d_k": 5}),
        ("first", "w_k", 0, 4, 3, {"d_model": 4, "d_context": 4, "d_k": 3}),
        ("first", "w_v", 0, 2, 7, {"d_v": 7}),
        ("output", "w_o", None, 10, 11, {"d_v": 5, "d_out": 11}),
        ("output", "b_q", 1, 1, 5, {"d_k": 5}),
        ("output", "b_o", None, 1, 5, {"d_out": 5}),
        ("cross", "context", None, 7, 5, {"n_q": 3, "n_k": 7, "d_model": 2, "d_context": 5}),
        ("cross", "w_k", 1, 5, 3, {"d_model": 2, "d_context": 5, "d_k": 3}),
        ("cross", "x", None, 5, 3, {"n_q": 5, "n_k": 3, "d_model": 3, "d_context": 2}),
        ("painted", "mask", None, 4, 5, {"n_q": 5, "n_k": 5}),
        ("bilinear", "w_a", 0, 3, 5, {"d_k": 5}),
        ("additive", "u_a", 0, 3, 5, {"d_k": 3, "d_a": 5}),
        ("rotary", "w_q", 0, 2, 3, {"d_k": 4}),
    ],
)
def test_every_size_that_can_change_grows(of, matrix, head, rows, cols, sizes):
    example = SWITCHED[of]
    values = block(rows, cols, True if matrix == "mask" else 7.0)
    edit = {"op": "set", "matrix": matrix, "head": head, "row": 0, "col": 0, "values": values}
    with pytest.raises(ExampleError, match=r"but only \d+ × \d+ fits from row 1, column 1"):
        apply(example, edit)
    grown = apply(example, {**edit, "grow": True})
    assert {name: getattr(grown.dims, name) for name in sizes} == sizes
    smaller = {"op": "set", "matrix": matrix, "head": head, "row": 0, "col": 0, "values": [[values[0][0]]]}
    assert apply(grown, smaller) == grown  # the block's first number is there


def test_the_numbers_stay_and_new_ones_are_zero():
    grown = pasted(FIRST, "x", None, 2, 2, at=(2, 1), grow=True)
    assert grown.x == ((1, 2, 0), (3, 4, 0), (5, 7, 7), (0, 7, 7))
    assert grown.tokens == (*FIRST.tokens, "4")
    assert grown.heads[0].w_q == (*FIRST.heads[0].w_q, (0, 0))


def test_where_there_is_room_nothing_grows():
    assert pasted(FIRST, "x", None, 2, 2, grow=True) == pasted(FIRST, "x", None, 2, 2)


@pytest.mark.parametrize(
    ("of", "matrix", "head", "rows", "cols", "sentence"),
    [
        ("first", "x", None, MAX_SIZE + 1, 2, "n_q: expected 1 to 64, got 65"),
        ("first", "x", None, 3, MAX_SIZE + 1, "d_model: expected 1 to 64, got 65"),
        ("output", "b_q", 0, 2, 2, "this block is 2 × 2, but only 1 × 2 fits"),
        ("rotary", "frequencies", None, 1, 2, "this block is 1 × 2, but only 1 × 1 fits"),
    ],
)
def test_where_nothing_can_grow_the_error_says_why(of, matrix, head, rows, cols, sentence):
    with pytest.raises(ExampleError, match=sentence):
        pasted(SWITCHED[of], matrix, head, rows, cols, grow=True)


def test_a_ragged_block_is_refused_with_its_row():
    edit = {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[1.0, 2.0], [3.0], [4.0, 5.0]]}
    with pytest.raises(
        ExampleError, match="x: the rows of this block have different lengths: 2 in row 1, 1 in row 2"
    ):
        apply(FIRST, edit)


def test_a_step_that_a_head_starts_from_grows():
    given = replace(FIRST.heads[0], w_q=None, q=((1.0, 2.0),) * 3)
    example = replace(FIRST, heads=(given, FIRST.heads[1]))
    assert pasted(example, "q", 0, 5, 3, grow=True).dims.d_k == 3
