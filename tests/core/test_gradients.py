"""Derivatives: against central differences, against the chain rule step by step, and against worked examples."""

from dataclasses import replace
from itertools import product
from math import isfinite, sqrt

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from mha_core import (
    AddMask,
    AllowMask,
    Cell,
    CellError,
    ExampleError,
    built_in,
    derive,
    feeds,
    library,
    trace,
    validate,
)
from mha_core.compute.derive import cells, number
from mha_core.compute.device import backend
from mha_core.compute.gradients import TEMPERATURES, gradients, outputs, saturation, sensitivity
from mha_core.compute.metrics import softmax_jacobian
from mha_core.compute.trace import compute, load, run
from mha_core.example.model import (
    POSITIONS,
    Example,
    Head,
    Positions,
    adds_numbers,
    head_mask,
    kv_head_of,
    position_inputs,
)
from mha_core.vocabulary import MASKS, POSITION_INPUTS, SCORING, SCORINGS
from tests.core.strategies import examples
from tests.core.tape import autograd_of
from tests.core.test_derive import EVERY, input_cells
from tests.sizes import EVERY_STAGE, each, shortened, tries

NEG_INF = float("-inf")
STEP = 1e-6
IN_SHORT = {*EVERY_STAGE, "padding", "grouped-query", *(EVERY.keys() - library().keys())}
"""Examples that have all that a derivative can pass through."""
FIELDS = {name: name.replace("position_ids", "ids") for name in POSITION_INPUTS}


def moved(example, cell, by):
    """The example with one given number moved."""

    def rows(given):
        if not isinstance(given[0], tuple):
            return tuple(v + by * (j == cell.col) for j, v in enumerate(given))
        return tuple(
            tuple(v + by * ((i, j) == (cell.row, cell.col)) if by else v for j, v in enumerate(row))
            for i, row in enumerate(given)
        )

    if cell.name in POSITION_INPUTS:
        at = max(cell.row, cell.col)  # a row or a column of numbers
        line = tuple(v + by * (i == at) for i, v in enumerate(position_inputs(example)[cell.name]))
        return replace(example, positions=replace(example.positions, **{FIELDS[cell.name]: line}))
    if cell.name == "mask":
        return replace(example, mask=AddMask(rows(example.mask.add)))
    if cell.name == "head_mask":
        mask = AddMask(rows(tuple(map(tuple, head_mask(example, cell.head)))))
        if example.heads[cell.head].mask is None:  # the example's, of every head without its own
            return replace(example, mask=mask)
        own = [replace(head, mask=mask) if g == cell.head else head for g, head in enumerate(example.heads)]
        return replace(example, heads=tuple(own))
    if cell.head is None:
        return replace(example, **{cell.name: rows(getattr(example, cell.name))})
    heads = list(example.heads)
    given = getattr(heads[cell.head], cell.name)
    heads[cell.head] = replace(heads[cell.head], **{cell.name: rows(given)})
    return replace(example, heads=tuple(heads))


def numeric(example, target, cell):
    """Central difference of the target through plain traces."""
    ahead, behind = (number(trace(moved(example, cell, by)), target) for by in (STEP, -STEP))
    return (ahead - behind) / (2 * STEP)


def found_at(found, cell):
    """The derivative by one cell; None where there is none."""
    rows = found.get(cell.name)
    if rows is not None and cell.head is not None:
        rows = rows[cell.head]
    return None if rows is None else rows[cell.row][cell.col]


def every_number(found):
    for rows in found.values():
        for one in rows:
            for row in one or ():
                yield from row if isinstance(row, list) else [row]


def without_direction(computed, cell):
    """Whether the cell is in a row of zeros, which cosine scores divide by its length: there is no derivative there."""
    names = [name for name in ("q_norms", "k_norms") if name in computed.values]
    return any(norm == 0 for name in names for rows in computed.values[name] for (norm,) in rows or ()) and (
        cell.name not in ("w_v", "b_v", "v", "w_o", "b_o", "weights")
    )


def settled(computed):
    """Whether no row is so short that its direction turns within a step."""
    return all(
        norm == 0 or norm > 0.01
        for name in ("q_norms", "k_norms")
        for rows in computed.values.get(name, ())
        for (norm,) in rows or ()
    )


def check_against_differences(example, target):
    computed = trace(example)
    found = gradients(computed, target)
    assert all(isfinite(v) for v in every_number(found))
    for cell in input_cells(computed):
        if cell.name in MASKS and not adds_numbers(example):
            assert cell.name not in found
            continue
        slope = found_at(found, cell)
        if cell.name == "head_mask" and kv_head_of(example, cell.name, cell.head) != cell.head:
            assert slope is None  # it is that of the first head with this mask
            continue
        if number(computed, target) == NEG_INF or number(computed, cell) == NEG_INF:
            assert slope == 0
        elif not without_direction(computed, cell):
            wanted = numeric(example, target, cell)
            assert slope == pytest.approx(wanted, rel=2e-5, abs=2e-5), (target, cell)


def targets(computed):
    """One cell of every computed step, the last one of the last head that has it."""
    return list({cell.name: cell for cell in cells(computed)}.values())


@pytest.mark.parametrize("name", shortened(EVERY, IN_SHORT))
def test_every_step_of_the_built_in_examples_moves_as_central_differences_say(name):
    for target in targets(trace(EVERY[name])):
        check_against_differences(EVERY[name], target)


@tries(6)
@given(examples(claims=False), st.data())
def test_any_cell_of_any_example_moves_as_central_differences_say(example, data):
    check_against_differences(example, data.draw(st.sampled_from(list(cells(trace(example))))))


@tries(8)
@given(examples(claims=False, variants=True), st.data())
def test_variants_move_as_central_differences_say(example, data):
    computed = trace(example)
    assume(settled(computed))
    check_against_differences(example, data.draw(st.sampled_from(list(cells(computed)))))


# --- against torch's autograd ------------------------------------------------------------------------------------


def check_against_autograd(computed, target):
    found = gradients(computed, target)
    right = {} if number(computed, target) == NEG_INF else autograd_of(computed, target)
    compared = 0
    for (name, head), slopes in right.items():
        rows = found.get(name) if head is None else (found.get(name) or {head: None})[head]
        if rows is not None:
            off = (torch.tensor(rows, dtype=torch.float64) - slopes).abs().max()
            assert off <= 1e-10 * max(1.0, float(slopes.abs().max())), (target, name, head)
            compared += 1
    assert compared or not right


@pytest.mark.parametrize("name", EVERY)
def test_every_step_of_the_built_in_examples_is_what_autograd_gives(name):
    computed = trace(EVERY[name])
    for target in targets(computed):
        check_against_autograd(computed, target)


@tries(30)
@given(examples(claims=False, variants=True), st.data())
def test_any_cell_of_any_example_is_what_autograd_gives(example, data):
    computed = trace(example)
    assume(settled(computed))
    check_against_autograd(computed, data.draw(st.sampled_from(list(cells(computed)))))


# --- the chain rule, step by step --------------------------------------------------------------------------------


def local_slope(computed, fed, cell):
    """∂fed / ∂cell of one step, by central difference over the terms that it is computed from."""
    derivation = derive(computed, fed)

    def shifted(by):
        terms = tuple(
            replace(
                term,
                numbers=tuple(v + by * (c == cell) for c, v in zip(term.cells, term.numbers, strict=True)),
            )
            for term in derivation.terms
        )
        return replace(derivation, terms=terms).recombined()

    ahead, behind = shifted(STEP), shifted(-STEP)
    return 0.0 if ahead == behind else (ahead - behind) / (2 * STEP)


def check_chain(example, target):
    computed = trace(example)
    found = gradients(computed, target)
    everything = [*cells(computed), *input_cells(computed)]
    for cell in everything:
        slope = found_at(found, cell)
        if slope is None or number(computed, target) == NEG_INF or number(computed, cell) == NEG_INF:
            assert not slope
            continue
        if cell.name == target.name:
            assert slope == (cell == target)
            continue
        if without_direction(computed, cell):
            continue
        wanted = 0.0
        for fed in feeds(computed, cell):
            onward = found_at(found, fed)
            if onward and number(computed, fed) != NEG_INF:
                wanted += onward * local_slope(computed, fed, cell)
        assert slope == pytest.approx(wanted, rel=1e-5, abs=1e-5), (target, cell)


@each("name", EVERY)
def test_a_derivative_is_the_sum_over_what_a_cell_feeds(name):
    for target in targets(trace(EVERY[name])):
        check_chain(EVERY[name], target)


@tries(4)
@given(examples(claims=False, variants=True), st.data())
def test_the_chain_rule_holds_for_any_example(example, data):
    computed = trace(example)
    assume(settled(computed))
    check_chain(example, data.draw(st.sampled_from(list(cells(computed)))))


def test_every_matrix_has_a_derivative_of_its_shape_except_later_steps():
    computed = trace(built_in("output-projection"))
    found = gradients(computed, Cell("weights", 1, 0, 0))
    assert set(found) == {"x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "w_o", "b_o"} | {
        "q", "k", "v", "scores", "scaled_scores", "weights"
    }  # fmt: skip
    for name, rows in found.items():
        for head in range(2) if name not in ("x", "w_o", "b_o") else (None,):
            one = rows if head is None else rows[head]
            given_rows = computed.matrix(name, head)
            assert [len(row) for row in one] == [len(row) for row in given_rows]
    assert all(v == 0 for row in found["w_q"][0] for v in row)  # the other head
    assert all(v == 0 for row in found["w_v"][1] for v in row)  # weights do not read V


# --- by hand -----------------------------------------------------------------------------------------------------


@each("name", library())
def test_softmax_has_its_jacobian(name):
    computed = trace(built_in(name))
    last = next(s for s in computed.steps if s.name == "weights").operands[0].name
    for head, rows in enumerate(computed.values["weights"]):
        for i, row in enumerate(rows):
            jacobian = softmax_jacobian(torch.tensor(row, dtype=torch.float64)).tolist()
            for j in range(len(row)):
                found = gradients(computed, Cell("weights", head, i, j))[last][head]
                assert found[i] == pytest.approx(jacobian[j], abs=1e-15)
                assert all(v == 0 for k, other in enumerate(found) if k != i for v in other)


@each("name", library())
def test_the_output_of_a_head_moves_with_v_by_its_weights(name):
    computed = trace(built_in(name))
    for head, rows in enumerate(computed.values["weights"]):
        owner = kv_head_of(computed.example, "v", head)
        for i, row in enumerate(rows):
            by_v = gradients(computed, Cell("head_outputs", head, i, 0))["v"][owner]
            assert [slopes[0] for slopes in by_v] == row
            assert all(v == 0 for slopes in by_v for v in slopes[1:])


def test_a_score_by_hand():
    """S[1,2] = q_1 · k_2 with q_1 = (1, 2)·W_Q and so on: ∂S/∂q_1 = k_2, ∂S/∂W_Q = x_1ᵀ k_2."""
    computed = trace(built_in("first"))
    found = gradients(computed, Cell("scores", 0, 0, 1))
    x, k = computed.matrix("x"), computed.matrix("k", 0)
    assert found["q"][0][0] == k[1]
    assert found["w_q"][0] == [[x[0][a] * k[1][b] for b in range(2)] for a in range(2)]
    assert found["scores"][0] == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]


def two_keys(gap, **fields):
    """One query with scores (gap, 0) and values 1 and 0, so that the output is the weight σ(gap)."""
    head = Head(q=((gap, 0.0),), k=((1.0, 0.0), (0.0, 1.0)), v=((1.0,), (0.0,)))
    return Example("", ("a",), (head,), context_tokens=("b", "c"), scale="none", **fields)


def test_two_keys_by_hand():
    """∂σ(s)/∂s = σ(s)·(1 − σ(s)): ¼ at 0, and 0 when the softmax is saturated."""
    target = Cell("concat", None, 0, 0)
    assert gradients(two_keys(0.0), target)["scores"] == [[[0.25, -0.25]]]
    found = gradients(two_keys(30.0), target)["scores"][0][0]
    assert 0 < found[0] < 1e-12
    assert gradients(two_keys(30.0), target)["v"] == [[[pytest.approx(1)], [pytest.approx(0, abs=1e-12)]]]


def test_heads_that_share_keys_and_values_add_up():
    example = built_in("grouped-query")
    computed = trace(example)
    shared = [head for head in range(4) if kv_head_of(example, "w_v", head) != head]
    assert shared
    found = gradients(computed, Cell("concat", None, 0, 0))
    assert all(found[name][head] is None for name in ("w_k", "w_v", "k", "v") for head in shared)
    dims = example.dims
    group = [head for head in range(4) if kv_head_of(example, "w_v", head) == 0]
    projected = replace(
        example, w_o=tuple((float(row // dims.d_v in group),) for row in range(dims.h * dims.d_v)), b_o=None
    )
    by_v = gradients(projected, Cell("output", None, 1, 0))["v"][0]
    weights = computed.values["weights"]
    assert by_v == [[pytest.approx(sum(weights[g][1][k] for g in group))] * dims.d_v for k in range(dims.n_k)]


DEAD = AllowMask(((True, True), (False, False)))


@pytest.mark.parametrize("mask", [DEAD, AddMask(((0.0, 1.0), (NEG_INF, NEG_INF)))], ids=["allow", "add"])
@pytest.mark.parametrize("row", [0, 1])
def test_a_query_that_may_attend_nothing_moves_with_nothing(mask, row):
    head = Head(w_q=((1.0,), (2.0,)), w_k=((1.0,), (-1.0,)), w_v=((2.0,), (3.0,)))
    example = Example("", ("a", "b"), (head,), x=((1.0, 0.5), (2.0, -1.0)), mask=mask)
    found = gradients(example, Cell("concat", None, row, 0))
    numbers = [v for name, rows in found.items() if name != "concat" for v in every_number({name: rows})]
    assert all(isfinite(v) for v in numbers)
    moves = {name for name, rows in found.items() if any(every_number({name: rows}))}
    assert moves == ({"concat", "head_outputs", "weights"} if row else set(found))
    assert all(isfinite(v) for norms in sensitivity(example)[:6] for v in norms)


def test_a_hidden_score_moves_with_nothing():
    for mask in (DEAD, AddMask(((0.0, NEG_INF), (0.0, 0.0)))):
        head = Head(w_q=((1.0,),), w_k=((1.0,),), w_v=((2.0,),))
        example = Example("", ("a", "b"), (head,), x=((1.0,), (2.0,)), mask=mask)
        hidden = Cell("masked_scores", 0, *((1, 0) if mask is DEAD else (0, 1)))
        assert not any(every_number(gradients(example, hidden)))


def test_a_row_of_zeros_has_no_direction_and_no_derivative():
    head = Head(q=((0.0, 0.0), (3.0, 4.0)), k=((1.0, 0.0), (0.0, 2.0)), v=((1.0,), (2.0,)))
    example = Example("", ("a", "b"), (head,), scoring="cosine", scale=0.5)
    for row in (0, 1):
        found = gradients(example, Cell("concat", None, row, 0))
        assert all(isfinite(v) for v in every_number(found))
        assert any(found["q"][0][row]) == bool(row)
    assert all(isfinite(v) for norms in sensitivity(example)[3:6] for v in norms)


def test_where_two_positions_meet_linear_biases_have_no_slope():
    example = built_in("alibi")
    found = gradients(example, Cell("linear_biases", 0, 1, 1))
    assert not any(every_number({"position_ids": found["position_ids"]}))
    found = gradients(example, Cell("linear_biases", 0, 2, 1))
    slope = example.heads[0].slope[0]
    assert [v for (v,) in found["position_ids"]][1:3] == [slope, -slope]


def test_sinusoidal_positions_move():
    example = replace(built_in("sinusoidal"), positions=Positions("sinusoidal"))
    found = gradients(example, Cell("positional_encoding", None, 1, 0))
    assert found["frequencies"][0][0] == pytest.approx(0.5403023058681398)  # cos 1, times the position 1


NOT_COMPUTED = [
    ("x", None, 0, 0),
    ("w_q", 0, 0, 0),
    ("weights", 5, 0, 0),
    ("q", 0, 9, 0),
    ("output", None, 0, 0),
]


@pytest.mark.parametrize("place", NOT_COMPUTED, ids=str)
def test_only_computed_cells_have_derivatives(place):
    with pytest.raises(CellError):
        gradients(built_in("first"), Cell(*place))


def test_what_a_head_starts_from_is_given():
    with pytest.raises(CellError):
        gradients(EVERY["starts further on"], Cell("q", 1, 0, 0))


# --- the numbers stay as they are --------------------------------------------------------------------------------


@tries(10)
@given(examples(claims=False, variants=True))
def test_keeping_a_tape_changes_no_number(example):
    inputs = load(example, backend())
    plain = compute(inputs).values
    with torch.enable_grad():
        for members, _, tensors in inputs.groups:
            for tensor in tensors.values():
                if len(members) == 1 or tensor.stride()[0]:
                    tensor.requires_grad_()
        taped = run(inputs)
    assert taped.values == plain
    assert trace(example).values == plain


# --- how strongly the output answers -----------------------------------------------------------------------------


def jacobian_norm(example, name, head):
    """√Σ of the squared derivatives of every output, cell by cell."""
    computed = trace(example)
    step = "output" if "output" in computed.values else "concat"
    total = 0.0
    for i, row in enumerate(computed.values[step]):
        for j in range(len(row)):
            rows = gradients(computed, Cell(step, None, i, j))[name]
            total += sum(v * v for line in (rows if head is None else rows[head]) for v in line)
    return sqrt(total)


@pytest.mark.parametrize("name", shortened(EVERY, IN_SHORT))
def test_sensitivity_is_the_norm_of_the_whole_jacobian(name):
    example = EVERY[name]
    found = sensitivity(example)
    for matrix in ("w_q", "w_k", "w_v", "q", "k", "v"):
        for head, norm in enumerate(getattr(found, matrix)):
            known = gradients(example, targets(trace(example))[-1]).get(matrix, [None] * 16)[head]
            assert (norm is None) == (known is None)
            if norm is not None:
                assert norm == pytest.approx(jacobian_norm(example, matrix, head), rel=1e-9, abs=1e-12)
    if example.x is not None and found.x is not None:
        assert found.x == pytest.approx(jacobian_norm(example, "x", None), rel=1e-9)


def test_many_outputs_are_computed_in_parts(monkeypatch):
    whole = sensitivity(built_in("causal"))
    monkeypatch.setattr("mha_core.compute.gradients.MOST_AT_ONCE", 3)
    parts = sensitivity(built_in("causal"))
    assert outputs(built_in("causal")) == 20
    for a, b in zip(whole[:6], parts[:6], strict=True):
        assert a == pytest.approx(b)


def test_a_sharp_softmax_stops_q_and_k_but_not_v():
    found = saturation(trace(built_in("first")))
    assert [one.temperature for one in found] == list(TEMPERATURES)
    assert found[12].temperature == 1
    assert found[12].sensitivity == sensitivity(built_in("first"))
    sharp, mild = found[0], found[-6]
    for head in (0, 1):
        assert sharp.largest[head] > 0.999999 > mild.largest[head]
        assert sharp.sensitivity.w_q[head] < 1e-60 < 0.01 < mild.sensitivity.w_q[head]
        assert sharp.sensitivity.w_k[head] < 1e-60
        assert sharp.sensitivity.w_v[head] > 1


def test_saturation_leaves_out_rows_that_attend_nothing_and_given_weights():
    found = saturation(trace(built_in("padding")), (1.0,))[0]
    weights = trace(built_in("padding")).values["weights"]
    assert found.largest[0] == pytest.approx(sum(max(row) for row in weights[0][:2]) / 2)
    assert saturation(trace(EVERY["starts further on"]), (1.0,))[0].largest[3] is None


def counted(rows, cols, start):
    """A matrix of small whole numbers."""
    return tuple(tuple(float((cols * i + j + start) % 5 - 1) for j in range(cols)) for i in range(rows))


def started(start, scoring, positions):
    """A head of d_k = d_v = 2 on 3 queries of 2 columns and 4 keys of 2 that starts from the named matrices."""
    fields = {"w_q": counted(2, 2, 1), "w_k": counted(2, 2, 2), "w_v": counted(2, 2, 3)}
    given = {"q": counted(3, 2, 4), "k": counted(4, 2, 5), "v": counted(4, 2, 6), "weights": counted(3, 4, 7)}
    parameters = {"w_a": counted(2, 2, 1), "u_a": counted(2, 2, 2), "v_a": (1.0, 2.0)}
    fields |= {name: parameters[name] for name in SCORING[scoring].parameters}
    if positions == "alibi":
        fields["slope"] = (0.5,)
    for name in start:
        fields |= {name: given[name]}
        fields.pop(f"w_{name}", None)
    if "weights" in start:
        fields = {name: fields[name] for name in ("weights", "v", "w_v") if name in fields}
    return Head(**fields)


@each("start", ["q", "k", "v", "q k", "q v", "k v", "q k v", "weights", "weights v"])
@each("positions", [None, *POSITIONS])
@each("scoring", SCORINGS)
def test_saturation_of_every_kind_of_example_and_every_start(scoring, positions, start):
    """With a context. What no output depends on has saturation 0, as in plain loops over single outputs."""
    example = Example(
        title="",
        tokens=tuple("abc"),
        x=counted(3, 2, 1),
        context=counted(4, 2, 2),
        context_tokens=tuple("pqrs"),
        heads=(started(start.split(), scoring, positions),),
        positions=Positions(positions) if positions else None,
        scoring=scoring,
        scale=2.0,
    )
    if positions == "rotary" and "weights" in start:  # there are no Q and K to turn
        with pytest.raises(ExampleError, match=r"^positions: "):
            validate(example)
        return
    computed = trace(validate(example))
    assert len(saturation(computed, (0.5, 2.0))) == 2
    found = sensitivity(computed)
    squares = dict.fromkeys(("w_q", "w_k", "w_v", "q", "k", "v", "x"), 0.0)
    for row, col in product(range(3), range(2)):
        for name, rows in gradients(computed, Cell("concat", None, row, col)).items():
            if name in squares:
                matrix = rows if name == "x" else rows[0]
                squares[name] += sum(cell**2 for cells in matrix or () for cell in cells)
    for name, square in squares.items():
        norm = found.x if name == "x" else getattr(found, name)[0]
        assert norm is None or norm == pytest.approx(square**0.5, abs=1e-12)
