"""Faults that extreme but legal numbers once caused, one small test each."""

from dataclasses import replace
from math import isfinite

import pytest
import torch

from mha_core import Example, ExampleError, Head, NumberRangeError, built_in, derive, parse, trace, validate
from mha_core.check.check import check
from mha_core.check.transcription import pen_slips
from mha_core.compare.pairs import as_claims
from mha_core.compare.variant import Variant, varied
from mha_core.compute.derive import Cell
from mha_core.compute.gradients import gradients, sensitivity
from mha_core.compute.printed import printed
from mha_core.example.files import dump
from mha_core.example.model import AddMask
from mha_core.export import export
from mha_core.notation import layouts, starts_further_on
from mha_ui import state
from mha_ui.bench.model import payload
from mha_view.figures.geometry import contains, convex_hull, nice, square_ranges

SMALLEST = 5e-324
LARGEST = 1.7976931348623157e308


def one_head(q, k, **fields):
    """One head that starts from Q and K, with V the identity."""
    n_k = len(k)
    v = tuple(tuple(float(i == j) for j in range(n_k)) for i in range(n_k))
    head = Head(q=q, k=k, v=v)
    labels = None if n_k == len(q) else tuple("k" * n_k)
    return validate(Example("", tuple("q" * len(q)), (head,), context_tokens=labels, **fields))


def cosine(*rows):
    return one_head(((1.0, 1.0),), rows, scoring="cosine", scale="none")


@pytest.mark.parametrize("size", [1.0, 1e-150, 1e-160, 1e-200, 1e-307])
def test_a_row_has_a_direction_however_short_it_is(size):
    computed = trace(cosine((3 * size, 4 * size), (1.0, -1.0)))
    assert computed.values["k_norms"][0][0][0] == pytest.approx(5 * size, rel=1e-15)
    assert computed.values["k_unit"][0][0] == pytest.approx([0.6, 0.8], rel=1e-15)
    found = derive(computed, Cell("k_norms", 0, 0, 0))
    assert found.recombined() == pytest.approx(found.value, rel=1e-15)


def test_a_row_of_the_smallest_numbers_has_a_direction():
    computed = trace(cosine((SMALLEST, 0.0), (0.0, 0.0)))
    assert computed.values["k_unit"][0] == [[1.0, 0.0], [0.0, 0.0]]


@pytest.mark.filterwarnings("ignore:__array__:DeprecationWarning")
@pytest.mark.parametrize("target", ["numpy", "torch-scratch", "torch", "keras"])
def test_programs_take_the_length_of_short_rows_as_the_page_does(target):
    w = ((1.0, 0.0), (0.0, 1.0))
    head = Head(w, w, w)
    short = Example("", ("a", "b"), (head,), ((3e-200, 4e-200), (1.0, 0.5)), scoring="cosine", scale=1.0)
    exec(compile(export(validate(short), target), target, "exec"), {"__name__": "__main__"})


def test_a_derivative_that_float64_cannot_hold_is_refused_in_a_sentence():
    with pytest.raises(NumberRangeError, match="a derivative exceeded the range of float64"):
        gradients(cosine((SMALLEST, SMALLEST), (1.0, 2.0)), Cell("scores", 0, 0, 0))


def test_the_bench_says_so_where_a_gradient_cannot_be_held():
    work = state.Work(state.begun(cosine((SMALLEST, SMALLEST), (1.0, 2.0))), "en")
    work = replace(work, looking=replace(work.looking, pinned=Cell("scores", 0, 0, 0)))
    sent = payload(work, lens="gradient")
    assert "a derivative exceeded the range of float64" in sent["lens"]["summary"]
    assert not any(matrix.get("lens") for matrix in sent["matrices"].values())


def test_a_sensitivity_that_float64_cannot_hold_is_none():
    found = sensitivity(cosine((SMALLEST, SMALLEST), (1.0, 2.0)))
    assert found.k == (None,)
    assert isfinite(found.q[0])


def test_a_large_sensitivity_is_told_though_its_square_overflows():
    found = sensitivity(cosine((3e-200, 4e-200), (1.0, 2.0)))
    assert 1e197 < found.k[0] < 1e201


@pytest.mark.parametrize("magnitude", [SMALLEST, 1e-310, 1e-300, 1.0, 1e300, LARGEST])
def test_an_axis_reaches_as_far_as_it_can(magnitude):
    assert isfinite(nice(magnitude))
    assert nice(magnitude) > 0
    magnitude = min(magnitude, 1e300)
    (low, high), _ = square_ranges([(0.0, -magnitude), (0.0, magnitude)])
    assert isfinite(high - low)
    assert high > low


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1.0, 1e12, 1e200])
def test_a_hull_of_tiny_and_of_huge_points_holds_what_lies_in_it(size):
    corners = [(0.0, 0.0), (size, 0.0), (0.0, size)]
    assert len(convex_hull(corners)) == 3
    assert contains(convex_hull(corners), (size / 4, size / 4))
    assert not contains(convex_hull(corners), (size, size))
    line = convex_hull(corners[:2])
    assert contains(line, (size / 2, 0.0))
    assert not contains(line, (size / 2, size))


@pytest.mark.parametrize("right", [1e200, -1e76, LARGEST])
def test_slips_of_a_number_with_many_digits_behind_the_point(right):
    claim = printed((("1e-200",),), (1, 1))._replace(decimals=250)
    expected, own = torch.tensor([[right]], dtype=torch.float64), torch.tensor([[True]])
    assert pen_slips(claim, expected, own, built_in("first")) == ()


def test_a_check_of_huge_numbers_beside_tiny_ones():
    claimed = {"scores": (((1e-200, 3.0), (2.0, 1.0)),)}
    huge = one_head(((1e12, 1e12), (1.0, 0.0)), ((1e12, 1e12), (0.0, 1.0)), scale=1e-12, claimed=claimed)
    assert not check(huge).ok


def test_packed_weights_of_heads_that_start_from_their_weights_and_have_others_of_no_use():
    w = ((1.0, 0.0), (0.0, 1.0))
    head = Head(w_q=w, w_k=w, w_v=w, weights=((1.0, 0.0), (0.5, 0.5)))
    example = validate(Example("", ("a", "b"), (head,), w))
    assert {letter for layout in layouts(example) for letter in layout.letters} == {"v"}
    assert starts_further_on(example, "q") == (0,)


def test_the_numbers_of_a_mistake_can_be_saved_however_large_they_are():
    huge = one_head(((1e12, 1e12),), ((1e12, 1e12), (1.0, 1.0)), scale=1e-12, mask=AddMask(((0.0, LARGEST),)))
    for step in ("scores", "scaled_scores", "masked_scores"):
        claimed = as_claims(trace(huge), step)
        assert parse(dump(claimed)) == claimed


def test_a_divisor_out_of_range_is_told_the_range():
    example = cosine((1.0, 0.0))
    with pytest.raises(
        ExampleError, match=r"scale: expected a divisor whose size is from 1e-12 to 1e\+12, got 1e\+13"
    ):
        validate(replace(example, scale=1e13))
    with pytest.raises(ExampleError, match="scale: the divisor cannot be 0"):
        validate(replace(example, scale=0.0))
    with pytest.raises(ExampleError, match=r"1e\+12, got 1.02\d*e-15"):
        varied(replace(example, scale=1e-12), Variant(temperature=2**-10 * 1.05))
