"""The other dtype: the same numbers to five digits, and an error where it cannot store them."""

from dataclasses import replace

import pytest
from hypothesis import given

from mha_core import AddMask, AllowMask, DeviceError, NumberRangeError, backend, built_in, library, trace
from tests.core.reference import largest_difference
from tests.core.strategies import examples
from tests.sizes import each, tries

DOUBLE, SINGLE = backend("cpu", "float64"), backend("cpu", "float32")


@each("name", sorted(set(library()) - {"first"}))
def test_built_in_examples(name):
    computed = trace(library()[name], SINGLE)
    assert computed.backend.dtype == "float32"
    assert largest_difference(computed.values, trace(library()[name], DOUBLE).values) <= 1e-5


def test_first_article():
    """Its scores reach 107, where float32 keeps five digits after the point. Weights and outputs are equally exact."""
    single, double = trace(built_in("first"), SINGLE).values, trace(built_in("first"), DOUBLE).values
    assert largest_difference(single, double) <= 1e-5


@tries(10)
@given(examples(claims=False))
def test_random_examples(example):
    """Scores of numbers up to 2 stay below 2¹⁰; the weights, no more than 1 in size, keep five digits."""
    single, double = trace(example, SINGLE), trace(example, DOUBLE)
    assert single.fully_masked == double.fully_masked
    for one, other in zip(single.values["weights"], double.values["weights"], strict=True):
        assert largest_difference({"weights": one}, {"weights": other}) <= 1e-5


@pytest.mark.parametrize(("by_q", "by_k"), [(1e12, 1e12), (1e12, 1e11)])
def test_overflow_is_an_error(by_q, by_k):
    example = built_in("first")
    heads = tuple(replace(head, w_q=((by_q, by_q),) * 2, w_k=((by_k, by_k),) * 2) for head in example.heads)
    large = replace(example, heads=heads, x=((1e12, 2e11), (3, 4), (5, 6)))
    assert trace(large, DOUBLE).values["weights"][0][0][0] == 1
    with pytest.raises(NumberRangeError) as error:
        trace(large, SINGLE)
    assert str(error.value) == "scores: a number exceeded the range of float32"


@pytest.mark.parametrize(
    "mask",
    [
        AllowMask(((True, False, True),) * 3, fill=-1e300),
        AddMask(((0.0, -1e39, 0.0),) * 3),
        AddMask(((0.0, 1e39, 0.0),) * 3),
    ],
)
def test_a_mask_beyond_float32_is_an_error(mask):
    """−1e39 is finite in float64 and would become −∞ in float32, which is another kind of mask."""
    masked = replace(built_in("first"), mask=mask)
    assert not any(map(any, trace(masked, DOUBLE).fully_masked))
    with pytest.raises(NumberRangeError) as error:
        trace(masked, SINGLE)
    assert str(error.value) == "mask: a number exceeded the range of float32"


def test_a_hidden_pair_is_no_overflow():
    weights = trace(built_in("causal"), SINGLE).values["weights"]
    assert weights[0][0] == [1, 0, 0, 0, 0]


def test_no_number_of_a_valid_example_outgrows_float64():
    """The largest numbers that a file may have, in every place at once."""
    most = 1e12
    example = built_in("output-projection")
    heads = tuple(
        replace(
            head,
            w_q=((most, most),) * 2, w_k=((most, -most),) * 2, w_v=((most, most),) * 2,
            b_q=(most, most), b_k=(most, most), b_v=(most, most),
        )
        for head in example.heads
    )  # fmt: skip
    large = replace(
        example, heads=heads, x=((most, most),) * 3, w_o=((most, most),) * 4, b_o=(most, most), scale=1e-12
    )
    numbers = [n for matrix in trace(large, DOUBLE).values["weights"] for row in matrix for n in row]
    assert numbers == pytest.approx([1 / 3] * 18)
    assert all(abs(n) < float("inf") for row in trace(large, DOUBLE).values["output"] for n in row)


@pytest.mark.parametrize(
    ("device", "dtype", "sentence"),
    [
        ("tpu", None, "the device tpu is not available here"),
        ("cpu", "float16", "float16 is not available on cpu; use float32"),
    ],
)
def test_devices_that_are_not_available(device, dtype, sentence):
    with pytest.raises(DeviceError) as error:
        backend(device, dtype)
    assert str(error.value) == sentence


def test_the_cpu_computes_in_float64_by_default():
    assert backend("cpu").dtype == "float64"
    assert backend().device in ("cpu", "cuda", "mps")
