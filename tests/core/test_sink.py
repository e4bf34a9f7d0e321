"""A sink: a score without a key in every sum of a head's softmax, where everything that reads the declared steps has
it.
"""

from dataclasses import replace
from math import exp

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mha_core import (
    Cell,
    ExampleError,
    arithmetic,
    built_in,
    derive,
    dump,
    feeds,
    formula,
    from_arrays,
    parse,
    trace,
    validate,
)
from mha_core.check.check import check
from mha_core.check.invariants import invariants
from mha_core.check.remarks import remark
from mha_core.compute.gradients import gradients
from mha_core.example.model import AddMask, AllowMask
from mha_core.walk.stages import exponentials_of
from tests.apply import apply
from tests.core.strategies import examples

PLAIN = built_in("programming")


def with_sinks(*sinks, **fields):
    heads = (
        replace(head, sink=None if sink is None else (float(sink),))
        for head, sink in zip(PLAIN.heads, sinks, strict=True)
    )
    return validate(replace(PLAIN, heads=tuple(heads), **fields))


SUNK = with_sinks(1, None, -2)


def weights_of(example, head=0):
    return torch.tensor(trace(example).values["weights"][head], dtype=torch.float64)


def with_claim(example, text, row=1, col=0):
    claim = {"op": "claim", "matrix": "weights", "head": 0, "row": row, "col": col}
    return apply(example, {**claim, "values": text})


# --- numbers ------------------------------------------------------------------------------------------------------


def test_by_hand():
    """The scores 2.8284, 0, 0 of love, and the sink 1: e^2.8284 = 16.9188, e^0 = 1, e^1 = 2.7183; sum 21.6371."""
    powers = [exp(8**0.5), 1.0, 1.0]
    total = sum(powers) + exp(1)
    assert trace(SUNK).values["weights"][0][1] == pytest.approx(
        [power / total for power in powers], abs=1e-15
    )
    assert weights_of(SUNK)[1].sum() == pytest.approx(0.8744, abs=5e-5)


def test_its_formula_and_the_arithmetic_of_a_cell():
    computed = trace(SUNK)
    step = next(step for step in computed.steps if step.name == "weights")
    assert formula(step, SUNK) == "softmax(S/√d_k | s_0)"
    derived = derive(computed, Cell("weights", 0, 1, 0))
    assert arithmetic(derived) == "e^2.8284 ÷ (e^2.8284 + e^0 + e^0 + e^1) ≈ 0.7819"
    assert derived.recombined() == pytest.approx(derived.value, rel=1e-15)
    plain = derive(computed, Cell("weights", 1, 1, 0))
    assert len(plain.terms) == 3


def test_a_sink_feeds_all_weights_of_its_head_and_no_others():
    fed = feeds(trace(SUNK), Cell("sink", 0, 0, 0))
    assert set(fed) == {Cell("weights", 0, i, j) for i in range(3) for j in range(3)}


def test_weights_are_those_of_torch_with_one_more_column():
    scores = torch.tensor(trace(SUNK).values["scaled_scores"], dtype=torch.float64)
    for head, sink in ((0, 1.0), (1, float("-inf")), (2, -2.0)):
        longer = torch.cat((scores[head], torch.full((3, 1), sink, dtype=torch.float64)), 1)
        expected = torch.softmax(longer, 1)[:, :-1]
        torch.testing.assert_close(weights_of(SUNK, head), expected, rtol=1e-14, atol=0)


@given(examples(claims=False, variants=True))
def test_a_row_sums_to_less_than_1_by_what_the_sink_takes(example):
    """Σ_j A[i,j] = Σ_j e^s_ij ÷ (Σ_j e^s_ij + e^s_0), and 0 where a query may attend to nothing."""
    computed = trace(example)
    for head, own in enumerate(example.heads):
        if own.weights is not None:
            continue
        for i, row in enumerate(computed.values["weights"][head]):
            masked = computed.fully_masked[head][i]
            assert sum(row) <= 1 + 1e-12
            if masked:
                assert not any(row)
            elif own.sink is None:
                assert sum(row) == pytest.approx(1)


@given(st.floats(-5, 5))
def test_a_constant_added_to_scores_and_sink_changes_nothing(constant):
    """Softmax depends on differences only; a bias of the key adds the same to each score of a query."""
    add = tuple((constant,) * 3 for _ in range(3))
    moved = with_sinks(1 + constant, constant, constant - 2)
    torch.testing.assert_close(
        weights_of(replace(moved, mask=AddMask(add))), weights_of(with_sinks(1, 0, -2)), rtol=1e-12, atol=0
    )


def test_a_sink_far_below_changes_nothing_and_one_far_above_takes_everything():
    low, high = weights_of(with_sinks(-800, None, None)), weights_of(with_sinks(800, None, None))
    torch.testing.assert_close(low, weights_of(PLAIN), rtol=1e-15, atol=0)
    assert high.max() < 1e-300


def test_a_query_that_may_attend_to_nothing_has_weights_0():
    mask = AllowMask(((True, True, True), (False, False, False), (True, False, True)))
    computed = trace(with_sinks(1, 2, 3, mask=mask))
    assert computed.values["weights"][0][1] == [0.0, 0.0, 0.0]
    assert computed.fully_masked[0] == (False, True, False)


def test_the_gradient_of_a_weight_by_the_sink():
    """∂A[i,j] ÷ ∂s_0 = −A[i,j]·r, with r what the sink takes."""
    weights = weights_of(SUNK)[1]
    found = gradients(trace(SUNK), Cell("weights", 0, 1, 0))["sink"]
    assert found[0][0][0] == pytest.approx(float(-weights[0] * (1 - weights.sum())))
    assert found[1] is None


def test_the_exponentials_of_a_row_have_the_sink_s_at_the_end():
    step = next(step for step in trace(SUNK).steps if step.name == "weights")
    row = exponentials_of(trace(SUNK), step, 0)[0]
    assert row.exponentials[-1] == exp(1)
    assert row.total == pytest.approx(sum(row.exponentials))
    assert len(exponentials_of(trace(SUNK), step, 1)[0].exponentials) == 3


def test_a_large_sink_is_what_is_subtracted():
    computed = trace(with_sinks(800, 0, 0))
    assert computed.shifts[0] == (800.0, 800.0, 800.0)
    assert computed.shifts[1] == (0.0, 0.0, 0.0)


# --- files and edits -----------------------------------------------------------------------------------------------


def test_the_file_keeps_it_and_files_without_it_stay_as_they_are():
    assert dump(SUNK).count('"sink":') == 2
    assert '"sink":1}' in dump(SUNK)
    assert parse(dump(SUNK)) == SUNK
    assert "sink" not in dump(PLAIN)


def test_arrays_may_have_it():
    heads = [{"w_q": h.w_q, "w_k": h.w_k, "w_v": h.w_v, "sink": 1} for h in PLAIN.heads]
    assert from_arrays(x=PLAIN.x, heads=heads).heads[0].sink == (1.0,)
    assert from_arrays(x=PLAIN.x, heads=SUNK.heads).heads == SUNK.heads


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("[1]", "heads[0].sink: expected a number, got [1]"),
        ('"1"', 'heads[0].sink: expected a number, got "1"'),
        ("1e13", "heads[0].sink[0][0]: expected a number from -1e+12 to 1e+12, got 10000000000000.0"),
        ("NaN", "heads[0].sink: expected a finite number, got NaN"),
    ],
)
def test_an_impossible_sink_is_refused(value, sentence):
    with pytest.raises(ExampleError) as error:
        parse(dump(SUNK).replace('"sink":1}', f'"sink":{value}}}'))
    assert str(error.value) == sentence


def test_an_edit_gives_every_head_a_sink_and_removes_all():
    on = apply(SUNK, {"op": "sinks", "on": True})
    assert [head.sink for head in on.heads] == [(1.0,), (0.0,), (-2.0,)]
    edited = apply(on, {"op": "set", "matrix": "sink", "head": 1, "row": 0, "col": 0, "values": [[3]]})
    assert edited.heads[1].sink == (3.0,)
    off = apply(edited, {"op": "sinks", "on": False})
    assert all(head.sink is None for head in off.heads)


def test_a_new_head_has_a_sink_where_the_first_has_one():
    assert apply(SUNK, {"op": "add_head"}).heads[-1].sink == (0.0,)


# --- checking ------------------------------------------------------------------------------------------------------


def test_the_right_weights_are_right_and_a_wrong_one_is_found():
    assert check(with_claim(SUNK, [["0.7819", "0.0462", "0.0462"]])).ok
    assert not check(with_claim(SUNK, [["0.7919", "0.0462", "0.0462"]])).ok


def test_weights_without_the_sink_are_explained():
    plain = [[f"{number:.4f}" for number in row] for row in weights_of(PLAIN).tolist()]
    step = check(with_claim(SUNK, plain, row=0)).steps["weights"]
    assert [cause.ids for cause in step.causes] == [("sink_forgotten",)]


def test_a_row_that_sums_to_less_than_1_is_possible_and_one_that_sums_to_more_is_not():
    possible, impossible = ([["0.5", "0.2", "0.1"]], [["0.70", "0.30", "0.20"]])
    assert not invariants(trace(with_claim(SUNK, possible)))
    (finding,) = invariants(trace(with_claim(SUNK, impossible)))
    assert (finding.id, finding.values["value"]) == ("sink_row_sum", 1.2)
    verdict = check(with_claim(SUNK, impossible))
    wrong = verdict.steps["weights"].wrong[0]
    assert remark(verdict, wrong, "en") == "The row sums to 1.2. With a sink, no row sums to more than 1."


def test_an_output_lies_between_v_s_rows_and_0():
    """V's first column is 1, 3 and 0 in some order; with a sink 0 is always within reach."""
    claim = {"op": "claim", "matrix": "head_outputs", "head": 0, "row": 0, "col": 0}
    values = [row[0] for row in trace(SUNK).values["v"][0]]
    far = apply(SUNK, {**claim, "values": [[str(max(*values, 0) + 1)]]})
    (finding,) = invariants(trace(far))
    assert finding.id == "sink_output_range"
    assert (finding.values["low"], finding.values["high"]) == (min(*values, 0), max(*values, 0))
