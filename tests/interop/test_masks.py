"""Masks as arrays: they are read as they are meant, refused where they are ambiguous, and never lost."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from transformers.masking_utils import (
    sliding_window_bidirectional_mask_function,
    sliding_window_causal_mask_function,
)

from mha_core import AddMask, AllowMask, ExampleError, InteropError, from_arrays, trace
from mha_core.example.arrays import as_mask
from mha_core.example.band import BandMask
from mha_core.interop import (
    from_bert_mask,
    from_keras_mask,
    from_qkv,
    from_torch,
    from_torch_masks,
    unpack,
)

W = torch.eye(2, dtype=torch.float64)
X = [[1.0, 2.0], [3.0, 4.0]]
ALLOW = [[True, False], [True, True]]
STATE = {"in_proj_weight": torch.cat([W, W, W]), "out_proj.weight": W}
PACKED = from_torch(STATE, 1)
WAYS: dict[str, Callable[[Any], Any]] = {
    "from_arrays": lambda mask: from_arrays(x=X, heads=[{"w_q": W, "w_k": W, "w_v": W}], mask=mask).mask,
    "from_qkv": lambda mask: from_qkv(X, X, X, mask=mask).mask,
    "unpack": lambda mask: unpack(PACKED, X, mask=mask).mask,
    "as_mask": as_mask,
}
way = pytest.mark.parametrize("way", WAYS)
AS_GIVEN = pytest.mark.parametrize(
    "as_given", [np.array, torch.tensor, list], ids=["numpy", "torch", "lists"]
)


@way
@AS_GIVEN
def test_a_mask_of_truth_values_says_who_may_attend(way, as_given):
    wanted = AllowMask(((True, False), (True, True)))
    assert WAYS[way](as_given(ALLOW)) == wanted
    assert WAYS[way](as_given([[ALLOW]])) == wanted  # axes of one sample and one head


@way
@AS_GIVEN
def test_a_mask_of_numbers_is_added(way, as_given):
    added = [[0.0, -float("inf")], [1.0, 0.5]]
    assert WAYS[way](as_given(added)) == AddMask(tuple(map(tuple, added)))
    assert WAYS[way](as_given([[0.0, 0.0], [0.0, 0.0]])) == AddMask(((0.0, 0.0),) * 2)


@way
@AS_GIVEN
@pytest.mark.parametrize(
    ("mask", "said"),
    [
        ([[1, 0], [1, 1]], "mask: contains integers, which could be truth values or numbers to add"),
        ([[0, -9], [0, 0]], "mask: contains integers, which could be"),
        (
            [[1.0, 0.0], [1.0, 1.0]],
            "mask: contains only the numbers 0 and 1; convert them to bool if they are",
        ),
        ([ALLOW] * 3, "mask: got 3 × 2 × 2, one mask per head; give each head its own mask instead"),
        ([[[0.5, 0.0]] * 2] * 2, "mask: got 2 × 2 × 2, one mask per head"),
    ],
    ids=["0 and 1", "integers", "0.0 and 1.0", "a head each", "a head each, of numbers"],
)
def test_an_ambiguous_mask_is_refused(way, as_given, mask, said):
    with pytest.raises(ExampleError) as error:
        WAYS[way](as_given(mask))
    assert str(error.value).startswith(said)


@way
def test_numbers_of_0_and_1_are_added_where_they_are_said_to_be(way):
    mask = AddMask(((1.0, 0.0), (1.0, 1.0)))
    assert WAYS[way](mask) == mask


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        ("none", 'mask: expected null, "causal", or an object with "window", "causal", "allow" or "add"'),
        (torch.ones(3, 2, dtype=torch.bool), "mask.allow: expected 2 × 2, got 3 × 2"),
        (7, "mask: expected a JSON object"),
    ],
)
def test_unpack_refuses_a_mask_as_from_arrays_does(mask, said):
    for name in ("unpack", "from_arrays"):
        with pytest.raises(ExampleError) as error:
            WAYS[name](mask)
        assert str(error.value).startswith(said)


@AS_GIVEN
def test_unpack_takes_rows_as_programs_hold_them(as_given):
    example = unpack(PACKED, as_given(X), as_given(X[:1]), mask="causal")
    assert (example.x, example.context, example.mask) == (((1.0, 2.0), (3.0, 4.0)), ((1.0, 2.0),), "causal")
    assert trace(example)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[1.0], [1.0, 2.0]], "query: expected rows of numbers, all of the same length"),
        ([["a", "b"]], "query: expected rows of numbers"),
        ("rows", "query: expected rows of numbers"),
        (np.ones(2), "query: expected rows × 2, got 2"),
        (np.ones((3, 1, 2)), "query: expected rows × 2, got 3 × 1 × 2"),
    ],
    ids=["ragged", "words", "a text", "a vector", "three axes"],
)
def test_unpack_refuses_what_are_not_rows(rows, said):
    with pytest.raises(InteropError) as error:
        unpack(PACKED, rows)
    assert str(error.value).startswith(said)


ONES = torch.tensor([[1, 0], [1, 1]])
INTEGERS = "contains integers, which could be truth values or numbers to add"
ZEROS_AND_ONES = "contains only the numbers 0 and 1; convert them to bool"
SIZE: dict[str, Any] = {"n_q": 2, "n_k": 2}
LIBRARIES: dict[str, tuple[Callable[[], Any], str]] = {
    "torch, integers": (lambda: from_torch_masks(ONES, **SIZE), f"attn_mask: {INTEGERS}"),
    "torch, 0.0 and 1.0": (lambda: from_torch_masks(ONES.float(), **SIZE), f"attn_mask: {ZEROS_AND_ONES}"),
    "torch, integers for keys": (
        lambda: from_torch_masks(None, ONES[0], **SIZE),
        f"key_padding_mask: {INTEGERS}",
    ),
    "torch, 0.0 and 1.0 for keys": (
        lambda: from_torch_masks(None, ONES[0].double(), **SIZE),
        f"key_padding_mask: {ZEROS_AND_ONES}",
    ),
    "torch, a head each": (
        lambda: from_torch_masks(torch.zeros(3, 2, 2), **SIZE),
        "attn_mask: got 3 × 2 × 2, one mask per head",
    ),
    "keras, numbers to add": (
        lambda: from_keras_mask(torch.tensor([[0.0, -1e9], [0.0, 0.0]]), **SIZE),
        "attention_mask: expected True and False, or 1 and 0: Keras adds no numbers",
    ),
    "keras, a head each": (
        lambda: from_keras_mask(torch.ones(1, 3, 2, 2).bool(), **SIZE),
        "attention_mask: got 3 × 2 × 2, one mask per head",
    ),
    "bert, a tokenizer's": (
        lambda: from_bert_mask(torch.ones(1, 2, dtype=torch.int64), **SIZE),
        "attention_mask: expected floating-point numbers, got int64",
    ),
    "bert, 0.0 and 1.0": (lambda: from_bert_mask(ONES.float(), **SIZE), f"attention_mask: {ZEROS_AND_ONES}"),
    "bert, truth values": (
        lambda: from_bert_mask(ONES.bool(), **SIZE),
        "attention_mask: expected floating-point numbers, got bool",
    ),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_ambiguous_mask_of_a_library_is_refused(library):
    read, said = LIBRARIES[library]
    with pytest.raises(InteropError) as error:
        read()
    assert str(error.value).startswith(said)


def test_keras_mask_of_1_and_0_says_who_may_attend():
    assert from_keras_mask(ONES, **SIZE) == AllowMask(((True, False), (True, True)))


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (sliding_window_causal_mask_function, BandMask(3, causal=True)),
        (sliding_window_bidirectional_mask_function, BandMask(3)),
    ],
)
def test_windows_are_those_of_transformers(theirs, ours):
    rule = theirs(3)
    cells = tuple(
        tuple(bool(rule(0, 0, torch.tensor(i), torch.tensor(j))) for j in range(9)) for i in range(9)
    )
    assert ours.allow(9, 9) == cells
