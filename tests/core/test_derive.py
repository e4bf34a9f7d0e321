"""Where a number comes from, and where it goes, for every cell."""

import json
from collections import defaultdict
from math import isfinite, prod
from pathlib import Path

import pytest
import torch
from hypothesis import given

from mha_core import Cell, CellError, built_in, derive, feeds, library, parse, trace
from mha_core.compute.derive import backward_cells, cells
from mha_core.compute.operation import Operand
from mha_core.compute.operations import Step
from mha_core.compute.trace import operate
from mha_core.vocabulary import LAYER_INPUTS, PER_HEAD_INPUTS, TARGETS
from tests.core.goals import with_goals
from tests.core.strategies import examples
from tests.sizes import each, tries

STARTS = parse((Path(__file__).parent / "starts_further_on.mha.json").read_bytes())
EVERY = {**library(), "starts further on": STARTS}


def input_cells(computed):
    """Every cell that is given: of X, a context, a mask, weights, biases, targets, and what heads start from."""
    heads = range(len(computed.example.heads))
    layer = (*LAYER_INPUTS, TARGETS["output"], TARGETS["concat"], "given_rows")
    places: list[tuple[str, int | None]] = [(name, None) for name in layer]
    own = (*PER_HEAD_INPUTS, TARGETS["weights"], "q", "k", "v", "weights")
    places += [(name, head) for name in own for head in heads]
    computed_ones = {(cell.name, cell.head) for cell in cells(computed)}
    for name, head in places:
        if (name, head) in computed_ones:
            continue
        try:
            rows = computed.matrix(name, head)
        except CellError:
            continue
        yield from (Cell(name, head, i, j) for i in range(len(rows)) for j in range(len(rows[0])))


def check_terms_and_feeds(example):
    """Terms recombine to the value, have the cells' numbers, and ``feeds`` is their exact inverse."""
    computed = trace(example)
    expected = defaultdict(set)
    made = [*cells(computed), *backward_cells(computed)]
    for cell in made:
        found = derive(computed, cell)
        value = computed.matrix(cell.name, cell.head)[cell.row][cell.col]
        assert found.value == value
        assert found.cell == cell
        again = found.recombined()
        assert again == value or abs(again - value) <= 1e-12 * max(1, _scale(found)), cell
        for term in found.terms:
            assert len(term.cells) == len(term.numbers)
            for source, number in zip(term.cells, term.numbers, strict=True):
                assert computed.matrix(source.name, source.head)[source.row][source.col] == number
                expected[source].add(cell)
    everything = [*made, *input_cells(computed)]
    assert len(set(everything)) == len(everything)
    assert set(expected) <= set(everything)
    for cell in everything:
        fed = feeds(computed, cell)
        assert len(set(fed)) == len(fed), cell
        assert set(fed) == expected[cell], cell
    return everything


def _scale(found):
    """The largest product of a term's numbers."""
    return max((abs(prod(n for n in term.numbers if isfinite(n))) for term in found.terms), default=0)


@each("name", EVERY)
def test_every_cell_of_the_examples(name):
    assert check_terms_and_feeds(EVERY[name])


@tries(6)
@given(examples(claims=False))
def test_every_cell_of_random_examples(example):
    assert check_terms_and_feeds(example)


@tries(4)
@given(with_goals())
def test_every_cell_of_the_backward_pass(example):
    assert check_terms_and_feeds(example)


def test_cells_are_all_numbers_of_the_trace():
    computed = trace(STARTS)
    count = sum(
        len(row)
        for step in computed.steps
        for rows in (computed.values[step.name] if step.per_head else [computed.values[step.name]])
        for row in rows or ()
    )
    # Heads 2 and 3 start from a q, k and v, head 4 from weights and v: given, not computed.
    given_numbers = 3 * 2 + (3 * 2 + 3 * 2) + (3 * 3 + 3 * 2)  # q; k and v; weights and v
    assert len(list(cells(computed))) == count - given_numbers


def test_cells_of_x_feed_all_heads():
    computed = trace(built_in("first"))
    fed = feeds(computed, Cell("x", None, 1, 0))
    assert fed == tuple(Cell(step, head, 1, j) for head in (0, 1) for step in "qkv" for j in (0, 1))


def test_a_context_feeds_keys_and_values_and_x_only_queries():
    computed = trace(built_in("translation"))
    assert {cell.name for cell in feeds(computed, Cell("x", None, 0, 0))} == {"q"}
    assert {cell.name for cell in feeds(computed, Cell("context", None, 0, 0))} == {"k", "v"}


def test_a_derivation_names_its_operation_and_constant():
    computed = trace(built_in("causal"))
    scaled = derive(computed, Cell("scaled_scores", 0, 0, 0))
    assert (scaled.op, scaled.constant) == ("divide", 2**0.5)
    hidden = derive(computed, Cell("masked_scores", 0, 0, 4))
    assert (hidden.op, hidden.value, hidden.constant) == ("masked_fill", float("-inf"), float("-inf"))
    assert hidden.terms[0].cells == (Cell("scaled_scores", 0, 0, 4), Cell("mask", None, 0, 4))
    weight = derive(computed, Cell("weights", 1, 2, 1))
    assert (weight.op, weight.at, len(weight.terms)) == ("softmax", 1, 5)


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        (Cell("q", 0, 3, 0), "q has rows 0 to 2 and columns 0 to 1, got row 3, column 0"),
        (Cell("q", 0, 0, -1), "q has rows 0 to 2 and columns 0 to 1, got row 0, column -1"),
        (Cell("weights", 1, 9, 9), "weights has rows 0 to 2 and columns 0 to 2, got row 9, column 9"),
        (Cell("weights", 2, 0, 0), "weights needs a head index from 0 to 1"),
        (Cell("weights", -1, 0, 0), "weights needs a head index from 0 to 1"),
        (Cell("weights", None, 0, 0), "weights needs a head index from 0 to 1"),
        (Cell("concat", 0, 0, 0), "concat belongs to the whole layer; do not give a head"),
        (Cell("output", None, 0, 0), "output is not a computed step of this example"),
        (Cell("masked_scores", 0, 0, 0), "masked_scores is not a computed step of this example"),
        (Cell("w_q", 0, 0, 0), "w_q is not a computed step of this example"),
        (Cell("nonsense", 0, 0, 0), "nonsense is not a computed step of this example"),
    ],
)
def test_a_cell_that_does_not_exist_has_no_derivation(cell, sentence):
    with pytest.raises(CellError) as error:
        derive(trace(built_in("first")), cell)
    assert str(error.value) == sentence


HAS = "; this example has x, w_q, w_k, w_v, q, k, v, scores, scaled_scores, weights, head_outputs, concat"


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        (Cell("x", None, 3, 0), "x has rows 0 to 2 and columns 0 to 1, got row 3, column 0"),
        (Cell("x", None, -1, 0), "x has rows 0 to 2 and columns 0 to 1, got row -1, column 0"),
        (Cell("x", 0, 0, 0), "x belongs to the whole layer; do not give a head"),
        (Cell("w_q", None, 0, 0), "w_q has one matrix per head; give a head, 0 to 1"),
        (Cell("w_q", 2, 0, 0), "expected a head from 0 to 1, got 2"),
        (Cell("concat", 1, 0, 0), "concat belongs to the whole layer; do not give a head"),
        (Cell("b_q", 0, 0, 0), f"there is no b_q, head 0 here{HAS}"),
        (Cell("w_o", None, 0, 0), f"there is no w_o here{HAS}"),
        (Cell("mask", None, 0, 0), f"there is no mask here{HAS}"),
        (Cell("nonsense", None, 0, 0), f"there is no 'nonsense' here{HAS}"),
        (Cell("__class__", 0, 0, 0), f"there is no '__class__', head 0 here{HAS}"),
    ],
)
def test_a_cell_that_does_not_exist_feeds_nothing(cell, sentence):
    with pytest.raises(CellError) as error:
        feeds(trace(built_in("first")), cell)
    assert str(error.value) == sentence


def test_cells_of_an_unused_start_feed_nothing():
    """A head that is given weights does not use queries, but an example may still have them."""
    text = {
        "format": "mha-example/1",
        "tokens": ["a"],
        "heads": [{"q": [[7]], "weights": [[1]], "v": [[2]]}],
        "scale": "none",
    }
    computed = trace(parse(json.dumps(text)))
    assert feeds(computed, Cell("q", 0, 0, 0)) == ()


# --- letters -----------------------------------------------------------------------------------------------------


def _numbers(*shape):
    return torch.arange(1.0, 1.0 + prod(shape), dtype=torch.float64).reshape(1, *shape) ** 1.5


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("ik", "jk", lambda q, k: q @ k.mT),
        ("ik", "kj", lambda q, k: q @ k),
        ("ki", "jk", lambda q, k: q.mT @ k.mT),
        ("ki", "kj", lambda q, k: q.mT @ k),
    ],
)
def test_a_product_runs_over_the_letters_that_it_declares(left, right, expected):
    step = Step("scores", "matmul", (Operand("q", left), Operand("k", right)))
    q, k = _numbers(3, 3), _numbers(3, 3) + 7
    assert torch.equal(operate(step, {"q": q, "k": k}, built_in("first")), expected(q, k))


def test_a_product_raises_where_its_letters_run_over_other_sizes():
    step = Step("scores", "matmul", (Operand("q", "ki"), Operand("k", "jk")))
    with pytest.raises(RuntimeError):
        operate(step, {"q": _numbers(3, 2), "k": _numbers(5, 2)}, built_in("first"))


@pytest.mark.parametrize(
    ("op", "operands", "index"),
    [
        ("matmul", (Operand("q", "ik"), Operand("k", "jm")), "ij"),  # nothing is summed
        ("matmul", (Operand("q", "ik"), Operand("k", "jk")), "im"),  # a letter that no factor has
        ("softmax", (Operand("scores", "ki"),), "ij"),  # over queries
        ("add", (Operand("scores", "ik"), Operand("linear_biases", "ij")), "ij"),
    ],
)
def test_letters_that_an_operation_cannot_run_with_are_refused(op, operands, index):
    with pytest.raises(ValueError, match="scores"):
        Step("scores", op, operands, index=index)
