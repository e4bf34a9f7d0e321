"""The same numbers as the libraries, in float64, on random prime shapes; and exported without a changed bit."""

import pytest
import torch
from torch import nn

from mha_core import AddMask, AllowMask, Example, Head, InteropError, backend, built_in, trace, validate
from mha_core.interop import (
    from_bert,
    from_bert_mask,
    from_keras,
    from_keras_mask,
    from_torch,
    from_torch_masks,
    keras_layer,
    keras_weights,
    to_bert,
    to_bert_mask,
    to_keras,
    to_keras_mask,
    to_torch,
    to_torch_mask,
    torch_layer,
    unpack,
)
from tests.interop.bert_reference import BertAttention, BertSelfAttention

HERE = backend("cpu", "float64")
NEG_INF = float("-inf")
MASKS = ["none", "bool", "added", "padding", "both"]


def normal(generator, *shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def random_module(module, seed):
    """The layer with all parameters drawn at random, also the biases, which torch initialises to 0."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(normal(generator, *parameter.shape) * 0.6)
    return module.eval()


def visible(generator, n_q, n_k):
    """Which pairs may attend, at least one for every query."""
    allow = torch.rand(n_q, n_k, generator=generator) > 0.4
    allow[torch.arange(n_q), torch.randint(n_k, (n_q,), generator=generator)] = True
    return allow


def difference(found, expected):
    here = torch.tensor(found, dtype=torch.float64)
    assert here.shape == expected.shape
    return (here - expected).abs().max().item()


# --- torch -----------------------------------------------------------------------------------------------------

TORCH_SHAPES = [  # n_q, n_k, h, d_k, kdim, vdim; None: it attends to itself
    (7, None, 3, 5, None, None),
    (5, None, 2, 13, None, None),
    (7, 11, 3, 5, 13, 13),
    (3, 2, 5, 7, 11, 11),
    (5, 7, 2, 11, 3, 13),
    (11, 3, 7, 2, 17, 5),
]


@pytest.mark.parametrize("biased", [False, True], ids=["no biases", "biases"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("shape", TORCH_SHAPES, ids=str)
def test_torch(shape, mask, biased):
    n_q, n_k, h, d_k, kdim, vdim = shape
    crossed = n_k is not None
    n_k = n_k or n_q
    seed = hash(shape[2:4]) % 1000 + MASKS.index(mask)
    layer = nn.MultiheadAttention(
        h * d_k, h, bias=biased, kdim=kdim, vdim=vdim, batch_first=True, dtype=torch.float64
    )
    random_module(layer, seed)
    generator = torch.Generator().manual_seed(seed + 1)
    query = normal(generator, n_q, h * d_k)
    key = normal(generator, n_k, kdim) if crossed else None
    value = key if kdim == vdim else normal(generator, n_k, vdim)
    attn_mask, padding = torch_masks(generator, mask, n_q, n_k)
    example = unpack(
        from_torch(layer.state_dict(), h),
        query,
        key,
        value,
        mask=from_torch_masks(attn_mask, padding, n_q=n_q, n_k=n_k),
    )
    found = trace(example, HERE).values
    theirs = (query, query, query) if key is None else (query, key, value)
    output, weights = layer(
        *(rows[None] for rows in theirs),
        attn_mask=attn_mask,
        key_padding_mask=None if padding is None else padding[None],
        average_attn_weights=False,
    )
    assert difference(found["weights"], weights[0]) <= 1e-12
    assert difference(found["output"], output[0]) <= 1e-12

    arguments, state = to_torch(example, kdim=None if kdim == vdim else kdim)
    assert state.keys() == layer.state_dict().keys()
    assert all(torch.equal(state[name], tensor) for name, tensor in layer.state_dict().items())
    again = nn.MultiheadAttention(**arguments, dtype=torch.float64)
    again.load_state_dict(state)
    output_again, _ = again(*(rows[None] for rows in theirs), attn_mask=to_torch_mask(example))
    assert torch.allclose(output_again, output, rtol=0, atol=1e-12)


def torch_masks(generator, kind, n_q, n_k):
    """attn_mask and key_padding_mask as torch has them: True hides."""
    hidden = ~visible(generator, n_q, n_k)
    padding = torch.zeros(n_k, dtype=torch.bool)
    if kind in ("padding", "both"):
        padding[-1] = True
        hidden[:, 0] = False
    numbers = normal(generator, n_q, n_k).masked_fill(hidden, NEG_INF)
    return {
        "none": (None, None),
        "bool": (hidden, None),
        "added": (numbers, None),
        "padding": (None, padding),
        "both": (hidden, padding),
    }[kind]


@pytest.mark.parametrize("kind", ["numbers and padding", "padding numbers"])
def test_torch_adds_up_masks_of_numbers(kind):
    generator = torch.Generator().manual_seed(3)
    attn_mask = normal(generator, 5, 7)
    padding = torch.tensor([False] * 5 + [True] * 2)
    if kind == "padding numbers":
        padding = torch.zeros(7, dtype=torch.float64).masked_fill(padding, NEG_INF)
    layer = random_module(nn.MultiheadAttention(6, 2, batch_first=True, dtype=torch.float64), 4)
    x, context = normal(generator, 5, 6), normal(generator, 7, 6)
    mask = from_torch_masks(attn_mask, padding, n_q=5, n_k=7)
    example = unpack(from_torch(layer.state_dict(), 2), x, context, mask=mask)
    if padding.dtype == torch.bool:  # torch wants both masks of one type
        padding = torch.zeros(7, dtype=torch.float64).masked_fill(padding, NEG_INF)
    output, _ = layer(
        x[None], context[None], context[None], attn_mask=attn_mask, key_padding_mask=padding[None]
    )
    assert difference(trace(example, HERE).values["output"], output[0]) <= 1e-12


# --- Keras -----------------------------------------------------------------------------------------------------

KERAS_SHAPES = [  # n_q, n_k, h, d_k, d_v, d_query, d_key, d_value, d_out
    (7, 11, 3, 5, 2, 13, 17, 17, 19),
    (2, 3, 5, 7, 11, 3, 13, 13, 5),
    (5, 7, 2, 11, 3, 7, 5, 13, 2),
    (5, None, 3, 2, 7, 11, 11, 11, 13),
]


@pytest.mark.parametrize("biased", [False, True], ids=["no biases", "biases"])
@pytest.mark.parametrize("mask", ["none", "bool", "causal", "both"])
@pytest.mark.parametrize("shape", KERAS_SHAPES, ids=str)
def test_keras(shape, mask, biased):
    import keras  # takes seconds, and this file is read by all who collect

    n_q, n_k, h, d_k, d_v, d_query, d_key, d_value, d_out = shape
    crossed = n_k is not None
    n_k = n_k or n_q
    layer = keras.layers.MultiHeadAttention(
        h, d_k, value_dim=d_v, use_bias=biased, output_shape=d_out, dtype="float64"
    )
    layer.build((1, n_q, d_query), (1, n_k, d_value), (1, n_k, d_key))
    generator = torch.Generator().manual_seed(sum(shape[2:]) + biased)
    layer.set_weights([normal(generator, *weight.shape).numpy() * 0.6 for weight in layer.weights])
    query = normal(generator, n_q, d_query)
    key = normal(generator, n_k, d_key) if crossed else None
    value = key if d_key == d_value else normal(generator, n_k, d_value)
    allow = visible(generator, n_q, n_k) if mask in ("bool", "both") else None
    if allow is not None:
        allow[:, 0] = True  # so that causal leaves every query a key
    causal = mask in ("causal", "both")
    example = unpack(
        from_keras(keras_weights(layer)),
        query,
        key,
        value,
        mask=from_keras_mask(allow, causal=causal, n_q=n_q, n_k=n_k),
    )
    found = trace(example, HERE).values
    theirs = [rows[None] for rows in ((query, query, query) if key is None else (query, value, key))]
    output, weights = layer(
        theirs[0],
        theirs[1],
        theirs[2],
        attention_mask=None if allow is None else allow[None],
        use_causal_mask=causal,
        return_attention_scores=True,
    )
    assert difference(found["weights"], weights.detach()[0]) <= 1e-10
    assert difference(found["output"], output.detach()[0]) <= 1e-10
    if d_key != d_value:
        return  # the context holds both side by side: another layer, with the same numbers, checked above

    again = keras_layer(example)
    assert [tuple(w.shape) for w in again.weights] == [tuple(w.shape) for w in layer.weights]
    theirs_by_name = keras_weights(layer)
    for name, tensor in keras_weights(again).items():
        assert torch.equal(tensor, theirs_by_name.pop(name))
    assert not theirs_by_name
    hidden = to_keras_mask(example)
    output_again, _ = again(
        *theirs, attention_mask=None if hidden is None else hidden[None], return_attention_scores=True
    )
    assert torch.allclose(output_again, output, rtol=0, atol=1e-12)


def test_keras_with_keys_and_values_of_two_widths_has_the_same_numbers_when_side_by_side():
    import keras  # takes seconds, and this file is read by all who collect

    generator = torch.Generator().manual_seed(5)
    layer = keras.layers.MultiHeadAttention(2, 3, value_dim=5, dtype="float64")
    layer.build((1, 2, 4), (1, 7, 6), (1, 7, 3))
    query, key, value = normal(generator, 2, 4), normal(generator, 7, 3), normal(generator, 7, 6)
    example = unpack(from_keras(keras_weights(layer)), query, key, value)
    context = torch.tensor(example.context, dtype=torch.float64)[None]
    theirs, _ = layer(query[None], value[None], key[None], return_attention_scores=True)
    ours, _ = keras_layer(example)(query[None], context, context, return_attention_scores=True)
    assert torch.allclose(ours, theirs, rtol=0, atol=1e-12)


# --- BERT ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("w_o", [False, True], ids=["self", "self and output"])
@pytest.mark.parametrize("mask", ["none", "padding", "pairs", "numbers"])
@pytest.mark.parametrize(("n", "h", "d_k"), [(7, 3, 5), (11, 2, 13), (2, 5, 3)])
def test_bert(n, h, d_k, mask, w_o):
    layer = random_module((BertAttention if w_o else BertSelfAttention)(h * d_k, h), n)
    generator = torch.Generator().manual_seed(n + h)
    x = normal(generator, n, h * d_k)
    allow = visible(generator, n, n)
    allow[:, 0] = True
    lowest = torch.finfo(torch.float64).min
    attention_mask = {
        "none": None,
        "padding": torch.zeros(1, 1, 1, n, dtype=torch.float64).index_fill(3, torch.tensor([n - 1]), lowest),
        "pairs": torch.zeros(1, 1, n, n, dtype=torch.float64).masked_fill(~allow, lowest),
        "numbers": normal(generator, 1, 1, n, n),
    }[mask]
    packed = from_bert(layer.state_dict(), h)
    example = unpack(packed, x, mask=from_bert_mask(attention_mask, n_q=n, n_k=n))
    found = trace(example, HERE).values
    output, weights = layer(x[None], attention_mask)
    assert difference(found["weights"], weights[0]) <= 1e-10
    assert difference(found["output" if w_o else "concat"], output[0]) <= 1e-10

    state = to_bert(example, "")
    theirs = layer.state_dict() if w_o else {f"self.{name}": t for name, t in layer.state_dict().items()}
    assert state.keys() == theirs.keys()
    assert all(torch.equal(state[name], tensor) for name, tensor in theirs.items())
    output_again, _ = layer(x[None], to_bert_mask(example))
    assert torch.allclose(output_again, output, rtol=0, atol=1e-12)


# --- float32, and what does not fit ----------------------------------------------------------------------------


def test_float32_parameters_come_back_bit_by_bit():
    layer = nn.MultiheadAttention(6, 3)
    example = unpack(from_torch(layer.state_dict(), 3), torch.ones(2, 6, dtype=torch.float64))
    _, state = to_torch(example)
    assert all(torch.equal(state[name].float(), tensor) for name, tensor in layer.state_dict().items())


def fitting(**changes):
    generator = torch.Generator().manual_seed(1)
    layer = random_module(nn.MultiheadAttention(4, 2, dtype=torch.float64), 2)
    example = unpack(from_torch(layer.state_dict(), 2), normal(generator, 3, 4))
    values = {name: getattr(example, name) for name in Example.__dataclass_fields__} | changes
    return validate(Example(**values))


@pytest.mark.parametrize(
    ("changed", "write", "sentence"),
    [
        ({"scale": "none"}, to_torch, "scale: libraries' layers divide the scores only by √d_k"),
        ({"w_o": None, "b_o": None, "scale": 3.0}, to_keras, "scale: libraries'"),
        ({"w_o": ((1.0,),) * 4, "b_o": None}, to_torch, "d_out differs"),
        ({"w_o": ((1.0,),) * 4, "b_o": None}, to_bert, "BERT requires d_model = d_out = h·d_k and d_v = d_k"),
        ({"context": ((1.0,) * 4,)}, to_bert, "context: BERT's self-attention has no context"),
        (
            {"mask": AllowMask(((True, False, True),) * 3, -5.0)},
            to_torch_mask,
            "mask.fill: libraries mask a pair",
        ),
        (
            {"mask": AllowMask(((True, False, True),) * 3, -5.0)},
            to_keras_mask,
            "mask.fill: libraries mask a pair",
        ),
        ({"mask": AddMask(((0.5, 0.0, 0.0),) * 3)}, to_keras_mask, "mask.add: Keras's mask allows or masks"),
    ],
)
def test_what_a_library_cannot_express_is_refused(changed, write, sentence):
    with pytest.raises(InteropError, match=sentence.replace(".", r"\.")):
        write(fitting(**changed))


def test_heads_that_do_not_start_at_x_are_refused():
    with pytest.raises(InteropError, match=r"heads\[0\]: a library's layer computes Q, K, V"):
        to_keras(built_in("scaled"))


def test_shapes_that_torch_cannot_have_are_refused():
    with pytest.raises(InteropError, match="d_model differs"):
        to_torch(built_in("first"))


def test_a_missing_bias_among_others_becomes_zeros():
    example = fitting()
    heads = (
        example.heads[0],
        Head(w_q=example.heads[1].w_q, w_k=example.heads[1].w_k, w_v=example.heads[1].w_v),
    )
    example = fitting(heads=heads)
    layer = torch_layer(example)
    x = torch.tensor(example.x, dtype=torch.float64)[None]
    assert difference(trace(example, HERE).values["output"], layer(x, x, x)[0][0].detach()) <= 1e-12


def test_masks_keep_their_polarity():
    allow = torch.tensor([[True, False], [True, True]])
    assert from_torch_masks(~allow, n_q=2, n_k=2) == AllowMask(((True, False), (True, True)))
    assert from_keras_mask(allow, n_q=2, n_k=2) == AllowMask(((True, False), (True, True)))
    lowest = torch.finfo(torch.float32).min
    added = torch.zeros(2, 2).masked_fill(~allow, lowest)
    assert from_bert_mask(added, n_q=2, n_k=2) == AddMask(((0.0, NEG_INF), (0.0, 0.0)))
    example = fitting(mask=AllowMask(((True, False, True),) * 3))
    assert to_torch_mask(example)[0].tolist() == [False, True, False]
    assert to_keras_mask(example)[0].tolist() == [True, False, True]
    assert to_bert_mask(example)[0, 0, 0].tolist() == [0.0, NEG_INF, 0.0]


@pytest.mark.parametrize(
    ("state", "heads", "sentence"),
    [
        ({}, 1, "q_proj_weight: missing"),
        ({"in_proj_weight": torch.ones(5, 2)}, 1, "in_proj_weight: expected 3E × E, got 5 × 2"),
        ({"in_proj_weight": torch.ones(6, 2)}, 1, r"out_proj\.weight: missing"),
        ({"in_proj_weight": torch.ones(6, 2), "bias_k": torch.ones(1, 1, 2)}, 1, "add_bias_kv"),
        (
            {"in_proj_weight": torch.ones(6, 2), "out_proj.weight": torch.ones(2, 2)},
            3,
            "2 is not divisible by 3 heads",
        ),
        (
            {"in_proj_weight": torch.ones(6, 2), "out_proj.weight": torch.ones(3, 2)},
            1,
            "expected 2 × 2, got 3 × 2",
        ),
        (
            {"in_proj_weight": torch.ones(6, 2, dtype=torch.int64)},
            1,
            "expected floating-point numbers, got int64",
        ),
        (
            {"in_proj_weight": torch.full((6, 2), float("nan"))},
            1,
            "in_proj_weight: contains NaN",
        ),
        (
            {"in_proj_weight": torch.full((6, 2), 1e13)},
            1,
            r"in_proj_weight: contains a number larger than 1e\+12 in size",
        ),
    ],
)
def test_state_dicts_that_are_not_a_layer_are_refused(state, heads, sentence):
    with pytest.raises(InteropError, match=sentence):
        from_torch(state, heads)
