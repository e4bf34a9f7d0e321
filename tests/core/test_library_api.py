"""The library as a Python program uses it: arrays in, tensors and tables out, short texts for people."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from mha_core import AddMask, AllowMask, CellError, ExampleError, Head, built_in, from_arrays, library, trace
from mha_core.compute.trace import input_matrix
from tests.sizes import each

X = np.array([[1.0, 2], [3, 4], [5, 6]])
W = torch.tensor([[1.0, 0], [0, 1]], requires_grad=True)
FIELDS = "title x context_tokens context w_o b_o scale mask scoring kv_heads positions".split()


def arrays(value):
    """A matrix as a NumPy array, everything else as it is."""
    matrix = isinstance(value, tuple) and isinstance(value[0], tuple)
    return np.array(value) if matrix else value


# --- arrays in -------------------------------------------------------------------------------------------------


@each("name", library())
def test_every_example_comes_back_from_arrays(name):
    example = replace(built_in(name), note=None, source=None, claimed=None)
    heads = [
        Head(**{field: arrays(getattr(head, field)) for field in Head.__dataclass_fields__})
        for head in example.heads
    ]
    given = {field: arrays(getattr(example, field)) for field in FIELDS}
    assert from_arrays(tokens=example.tokens, heads=heads, **given) == example


def test_tensors_arrays_and_lists_of_any_dtype_give_the_same_example():
    made = [
        from_arrays(x=x, heads=[{"w_q": w, "w_k": w, "w_v": w, "b_q": b}])
        for x, w, b in (
            (X, W, W[0]),
            (X.astype("float32"), W.detach().half(), np.array([1, 0])),
            (X.tolist(), [[np.float32(1), np.int64(0)], (0, 1)], [1, 0]),
        )
    ]
    assert made[0] == made[1] == made[2]
    assert made[0].tokens == ("1", "2", "3")


def test_a_mask_of_truth_values_allows_and_one_of_numbers_is_added():
    heads = [{"w_q": W, "w_k": W, "w_v": W}]
    allow = np.tril(np.ones((3, 3), bool))
    assert from_arrays(x=X, heads=heads, mask=allow).mask == AllowMask(tuple(map(tuple, allow.tolist())))
    added = torch.where(torch.tensor(allow), 0, -torch.inf)
    assert from_arrays(x=X, heads=heads, mask=added).mask == AddMask(tuple(map(tuple, added.tolist())))
    assert from_arrays(x=X, heads=heads, mask="causal").mask == "causal"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"x": X * np.nan}, "x[0][0]: expected a number from -1e+12 to 1e+12, got nan"),
        ({"x": X[0]}, "x[0]: expected a list in brackets, got 1.0"),
        ({"x": X * 1j}, "x[0][0]: expected a number, got complex"),
        ({"x": np.array([["a"]])}, 'x[0][0]: expected a number, got "a"'),
        ({"x": X, "bias": X}, 'unknown key "bias"'),
        ({"x": X, "tokens": ["a"]}, "tokens: expected 3 tokens, one per row of x, got 1"),
        ({"x": X, "mask": np.ones((2, 2), bool)}, "mask.allow: expected 3 × 3, got 2 × 2"),
        ({"x": X, "heads": [{"w_q": W, "w_k": np.ones((2, 3))}]}, "heads[0].w_k: expected 2 × 2, got 2 × 3"),
        ({"x": X, "heads": [7]}, "heads[0]: expected a JSON object, got 7"),
        ({}, "tokens: missing"),
    ],
)
def test_an_error_names_its_place(fields, message):
    with pytest.raises(ExampleError) as error:
        from_arrays(**{"heads": [{"w_q": W, "w_k": W, "w_v": W}], **fields})
    assert str(error.value) == message


# --- tensors and tables out ------------------------------------------------------------------------------------


@each("name", library())
def test_a_tensor_is_the_trace_of_every_head(name):
    computed = trace(built_in(name))
    heads = range(len(computed.example.heads))
    for step, rows in computed.values.items():
        tensor = computed[step]
        assert tensor.dtype == torch.float64
        if tensor.ndim == 2:
            assert tensor.tolist() == rows
        else:
            assert tensor.shape == (len(heads), *computed.example.dims.shape(step))
            assert all(rows[head] in (None, tensor[head].tolist()) for head in heads)
        table = computed.to_pandas(step)
        assert np.array_equal(table.to_numpy(), computed.numpy(step).reshape(table.shape))


def test_shared_keys_are_repeated_for_every_head():
    computed = trace(built_in("grouped-query"))
    assert torch.equal(computed["k"][0], computed["k"][1])
    assert torch.equal(computed["w_k"][0], computed["w_k"][1])
    assert not torch.equal(computed["k"][0], computed["k"][2])


def test_inputs_are_tensors_too_and_a_tensor_is_a_copy():
    computed = trace(built_in("first"))
    assert computed["x"].tolist() == input_matrix(computed.example, "x")
    assert computed["w_q"].shape == (2, 2, 2)
    computed["weights"].zero_()
    assert computed["weights"].sum().item() == pytest.approx(6)


def test_an_unknown_matrix_is_refused():
    with pytest.raises(CellError, match="there is no output here"):
        trace(built_in("first"))["output"]


def test_a_table_is_labelled_by_tokens():
    table = trace(built_in("translation")).to_pandas("weights")
    example = built_in("translation")
    assert table.index.names == ["h", "n_q"]
    assert table.columns.name == "n_k"
    assert list(table.columns) == list(example.context_tokens)
    assert list(table.loc[0].index) == list(example.tokens)


# --- for people ------------------------------------------------------------------------------------------------


@each("name", library())
def test_texts_are_short(name):
    example = built_in(name)
    text = repr(example)
    assert text.startswith("Example(")
    assert f"h = {len(example.heads)}" in text
    assert max(map(len, (text, *map(repr, example.heads)))) < 200
    assert repr(trace(example)).startswith(f"Trace({text}, ")


def test_a_heads_repr_has_its_shapes():
    assert repr(Head(w_q=((1.0, 2.0),), b_q=(1.0, 2.0))) == "Head(w_q: 1 × 2, b_q: 2)"
