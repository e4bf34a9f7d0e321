"""One name for a cell in every sentence on screen: the browser's, and the server's about a path of the file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mha_core import Cell, ExampleError, built_in
from mha_ui.state import Work, receive
from mha_ui.state.history import begun
from mha_view.cell_names import cell_name, place_and_sentence, place_name
from mha_view.language import words_in
from tests.apply import apply

FIRST = built_in("first")
ENGLISH = words_in("en")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("x[0][0]", "X[1, 1]"),
        ("x[2]", "row 3 of X"),
        ("x", "X"),
        ("heads[1].w_k[0][1]", "W_K[1, 2] of head 2"),
        ("heads[1].w_k", "W_K of head 2"),
        ("heads[0].b_q[0][1]", "b_Q[1, 2] of head 1"),
        ("heads[0].b_q[1]", "b_Q[1, 2] of head 1"),
        ("heads[1]", "head 2"),
        ("b_o[2]", "b_O[1, 3]"),
        ("mask[0][1]", "M[1, 2]"),
        ("mask.allow", "M"),
        ("mask.add[0][1]", "M[1, 2]"),
        ("positions.ids[1]", "p[2, 1]"),
        ("claimed.weights[1][0][2]", "A[1, 3] of head 2"),
        ("claimed.head_outputs[1]", "head_2"),
        ("claimed.concat[0][1]", "Concat[1, 2]"),
        ("scores", "S"),
        ("scale", "Divide by"),
        ("d_k", "d_k"),
        ("title.en", "title.en"),
    ],
)
def test_a_path_of_the_file_has_the_name_of_its_place_on_screen(path, name):
    assert place_name(path, FIRST, ENGLISH) == name


def test_a_cell_has_the_same_name():
    assert cell_name(Cell("w_k", 1, 0, 1), FIRST, ENGLISH) == place_name("heads[1].w_k[0][1]", FIRST, ENGLISH)
    assert cell_name(Cell("head_outputs", 1, 0, 1), FIRST, ENGLISH) == "head_2[1, 2]"
    assert cell_name(Cell("w_k", 1, 0, 1), FIRST, words_in("zh")) == "头 2 的 W_K[1, 2]"


def test_an_error_names_its_place_in_the_readers_language():
    error = ExampleError("expected a number, got {got}", place="heads[0].w_q[0][1]", got="'a'")
    assert place_and_sentence(error, FIRST, "en") == (
        "W_Q[1, 2] of head 1",
        "W_Q[1, 2] of head 1: expected a number, got 'a'",
    )
    assert place_and_sentence(error, FIRST, "zh")[1].startswith("头 1 的 W_Q[1, 2]：")
    assert place_and_sentence(ExampleError("this is not an edit"), FIRST, "en") == ("", "this is not an edit")


# --- the offer of more room ------------------------------------------------------------------------------------


def refused(example, matrix, head, rows, cols, language="en"):
    work = Work(begun(example, None), language)
    values = [[7.0] * cols for _ in range(rows)]
    edit = {"op": "set", "matrix": matrix, "head": head, "row": 0, "col": 0, "values": values}
    work = receive(work, {"session": work.browser.session, "edits": [{**edit, "seq": 1}]})
    assert work.example == example
    return work


def test_a_block_without_room_comes_with_the_size_that_it_needs():
    work = refused(FIRST, "x", None, 5, 4)
    assert work.message.text == "X: this block is 5 × 4, but only 3 × 2 fits from row 1, column 1"
    assert work.message.offer.label == "Resize X to 5 × 4 and paste"
    work = receive(work, {"session": work.browser.session, "edits": [{**work.message.offer.edit, "seq": 2}]})
    assert work.message is None
    assert work.example.x == ((7.0,) * 4,) * 5
    work = receive(work, {"session": work.browser.session, "edits": [{"op": "undo", "seq": 3}]})
    assert work.example == FIRST  # one step for both


@pytest.mark.parametrize(
    ("matrix", "head", "rows", "cols", "label"),
    [
        ("w_q", 1, 3, 5, "Resize W_Q to 3 × 5 in every head and paste"),
        ("w_o", None, 7, 3, "Resize W_O to 8 × 4 and paste"),
        ("mask", None, 4, 5, None),
    ],
)
def test_the_offer_names_the_new_size(matrix, head, rows, cols, label):
    example = apply(apply(FIRST, {"op": "w_o", "on": True}), {"op": "mask", "kind": "causal"})
    offer = refused(example, matrix, head, rows, cols).message.offer
    assert (offer and offer.label) == label  # a mask does not allow 7.0


def test_beyond_the_limit_the_message_says_so_and_offers_nothing():
    work = refused(FIRST, "x", None, 65, 2)
    assert work.message.text == (
        "X: this block is 65 × 2, but only 3 × 2 fits from row 1, column 1. n_q: expected 1 to 64, got 65."
    )
    assert work.message.offer is None


def test_a_matrix_that_cannot_be_larger_comes_without_an_offer():
    example = replace(apply(FIRST, {"op": "biases", "on": True}))
    work = refused(example, "b_q", 0, 2, 2)
    assert work.message.offer is None
    assert work.message.text == "b_Q of head 1: this block is 2 × 2, but only 1 × 2 fits from row 1, column 1"
