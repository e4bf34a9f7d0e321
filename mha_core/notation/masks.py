"""One mask in every library's polarity, and what each library gives to a query that may attend to nothing.

    ours       allow             True may attend
    torch      attn_mask         nn.MultiheadAttention: True hides; numbers are added
               key_padding_mask  n_k: True hides the key from every query
    sdpa       attn_mask         F.scaled_dot_product_attention: True may attend; numbers are added
    keras      attention_mask    True may attend
    bert       numbers that are added, 0 or the lowest of the dtype; or n_k ones and zeros, 1 may attend

Where a whole row is hidden, softmax divides 0 by 0 (−∞ added) or sees equal scores (a very low number added), and some
libraries set 0 afterwards. Torch's functions are called here; the rules of Keras 3.15 (on torch) and of transformers'
eager attention are written out, and tests compare them with the libraries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan, nan, sqrt
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional

from mha_core.compute.trace import trace
from mha_core.errors import N_, InteropError
from mha_core.example.model import (
    NEG_INF,
    AddMask,
    AllowMask,
    Example,
    allow_matrix,
    has_values,
    kv_head_of,
    mask_fill,
    with_one_mask,
)
from mha_core.interop.parameters.masks import KERAS_FILL, to_keras_mask, to_torch_mask
from mha_core.interop.parameters.packed import EXACT

FormName: TypeAlias = Literal[
    "allow",
    "add",
    "torch_bool",
    "torch_added",
    "torch_padding",
    "sdpa_bool",
    "keras",
    "bert_added",
    "bert_padding",
]
RuleName: TypeAlias = Literal[
    "ours",
    "torch_weights",
    "torch_output",
    "torch_fast",
    "sdpa",
    "keras_scores",
    "keras_output",
    "bert_eager",
]

LOWEST = torch.finfo(torch.float32).min
"""What BERT adds to a hidden pair's score in float32."""
KERAS_ADDED = -0.7 * 3.38953e38
"""What Keras adds to a hidden pair's score where it uses the backend's attention."""


class MaskForm(NamedTuple):
    """The mask as an argument of a library: rows of True and False or of numbers; or the error where it has no form."""

    name: FormName
    rows: tuple[tuple[bool | float, ...], ...] = ()
    error: InteropError | None = None


class Outcome(NamedTuple):
    """The result of a rule for one query: its weights (n_k), their sum and its head output (d_v).

    ``kind``: zero, nan, uniform (all keys alike) or weighted (anything else).
    """

    rule: RuleName
    kind: Literal["zero", "nan", "uniform", "weighted"]
    weights: tuple[float, ...]
    total: float
    output: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One query of one head whose every key is hidden, under each rule.

    ``already``: the example's own mask hides them all. ``scores``: those of the query before the mask (n_k).
    ``largest_difference``: between any two rules, in the other rows, those that attend to something.
    """

    head: int
    query: int
    already: bool
    scores: tuple[float, ...]
    outcomes: tuple[Outcome, ...]
    largest_difference: float


# --- polarity ----------------------------------------------------------------------------------------------------


def with_mask(example: Example, head: int = 0) -> Example:
    """The example in which every head has the mask of this one, causal where it has none."""
    example = with_one_mask(example, head)
    return example if example.mask is not None else replace(example, mask="causal", claimed=None)


def mask_forms(example: Example) -> tuple[MaskForm, ...]:
    """The example's mask for each library; also as n_k numbers where it hides the same keys from every query."""
    ours = (
        MaskForm("allow", _cells(_allow(example)))
        if _only_hides(example)
        else _form("add", example, _torch_added)
    )
    forms = [
        ours,
        _form("torch_bool", example, _torch_bool),
        _form("torch_added", example, _torch_added),
        _form("sdpa_bool", example, lambda given: ~_torch_bool(given)),
        _form("keras", example, _keras),
        _form("bert_added", example, _bert),
    ]
    if _only_hides(example) and _hides_the_same_keys(example):
        row = _allow(example)[:1]
        forms.append(MaskForm("torch_padding", _cells(~row)))
        forms.append(MaskForm("bert_padding", _cells(row.to(EXACT))))
    return tuple(forms)


def _form(name: FormName, example: Example, write: Callable[[Example], Tensor]) -> MaskForm:
    try:
        return MaskForm(name, _cells(write(example)))
    except InteropError as error:
        return MaskForm(name, error=error)


def _torch_bool(example: Example) -> Tensor:
    if not _only_hides(example):
        raise InteropError(
            N_("True and False mask or allow a pair; they are not numbers to add"), place="mask.add"
        )
    hidden = to_torch_mask(example)
    assert hidden is not None  # noqa: S101  # the caller gives an example with a mask
    return hidden if hidden.dtype == torch.bool else hidden == NEG_INF


def _torch_added(example: Example) -> Tensor:
    mask = to_torch_mask(example)
    assert mask is not None  # noqa: S101  # as above
    return (
        torch.zeros(mask.shape, dtype=EXACT).masked_fill(mask, NEG_INF) if mask.dtype == torch.bool else mask
    )


def _keras(example: Example) -> Tensor:
    allow = to_keras_mask(example)
    assert allow is not None  # noqa: S101  # as above
    return allow


def _bert(example: Example) -> Tensor:
    added = _torch_added(example)
    return torch.where(added == NEG_INF, LOWEST, added)


def _cells(mask: Tensor) -> tuple[tuple[bool | float, ...], ...]:
    return tuple(tuple(row) for row in mask.tolist())


def _only_hides(example: Example) -> bool:
    """Whether the mask only hides pairs, and adds no numbers to the scores of others."""
    if isinstance(example.mask, AddMask):
        return all(number in (0.0, NEG_INF) for row in example.mask.add for number in row)
    return True


def _allow(example: Example) -> Tensor:
    """n_q × n_k, True where the query may attend to the key; True everywhere without a mask."""
    if isinstance(example.mask, AddMask):
        return torch.tensor(example.mask.add, dtype=EXACT) != NEG_INF
    allow = allow_matrix(example)
    dims = example.dims
    return torch.ones(dims.n_q, dims.n_k, dtype=torch.bool) if allow is None else torch.tensor(allow)


def _hides_the_same_keys(example: Example) -> bool:
    allow = _allow(example)
    return bool((allow == allow[0]).all()) and not bool(allow.all())


# --- a query that may attend to nothing --------------------------------------------------------------------------


def is_masked(example: Example, head: int) -> bool:
    """Whether a mask can apply to this head: a head that starts from its weights has no scores."""
    return example.heads[head].weights is None


def with_hidden_row(example: Example, query: int) -> Example:
    """The example with every key hidden from one query."""
    if isinstance(example.mask, AddMask):
        added = list(example.mask.add)
        added[query] = (NEG_INF,) * len(added[query])
        return replace(example, mask=AddMask(tuple(added)), claimed=None)
    allow = _allow(example).tolist()
    allow[query] = [False] * len(allow[query])
    fill = example.mask.fill if isinstance(example.mask, AllowMask) else NEG_INF
    return replace(example, mask=AllowMask(tuple(map(tuple, allow)), fill), claimed=None)


def demonstrate(example: Example, head: int, query: int) -> Demonstration:
    """Hide every key from one query of one head (``is_masked``), and compute what each library gives it. The head is
    taken without its sink, which no library here has.

    Torch is given the scores by way of an identity: with Q = S and K = V = I its attention gives softmax(S + M) itself.
    """
    example = with_one_mask(example, head)
    heads = tuple(replace(given, sink=None) for given in example.heads)
    shown = trace(with_hidden_row(replace(example, heads=heads), query))
    step = next(step for step in shown.steps if step.name == "masked_scores")
    scores = torch.tensor(shown.matrix(step.operands[0].name, head), dtype=EXACT)
    values = torch.empty(len(scores[0]), 0, dtype=EXACT)  # without V there is no output either
    if has_values(example):
        values = torch.tensor(shown.matrix("v", kv_head_of(example, "v", head)), dtype=EXACT)
    ours = torch.tensor(shown.matrix("weights", head), dtype=EXACT)
    allow = _allow(shown.example)
    mask = shown.example.mask
    added = torch.tensor(mask.add, dtype=EXACT) if isinstance(mask, AddMask) else _as_added(allow)
    weights = {"ours": ours} | _weights_by_rule(scores, allow, added, numbers=not _only_hides(shown.example))
    own_fill = mask_fill(shown.example)  # no library has another fill than −∞
    attending = [i for i in range(len(allow)) if bool(allow[i].any())]
    return Demonstration(
        head=head,
        query=query,
        already=not bool(_allow(example)[query].any()),
        scores=tuple(scores[query].tolist()),
        outcomes=tuple(_outcome(rule, rows[query], values) for rule, rows in weights.items()),  # type: ignore[arg-type]
        largest_difference=_largest_difference(
            [rows[attending] for rule, rows in weights.items() if rule != "ours" or own_fill == NEG_INF]
        ),
    )


def _as_added(allow: Tensor) -> Tensor:
    return torch.zeros(allow.shape, dtype=EXACT).masked_fill(~allow, NEG_INF)


def _weights_by_rule(scores: Tensor, allow: Tensor, added: Tensor, *, numbers: bool) -> dict[str, Tensor]:
    """n_q × n_k weights by rule. ``numbers``: the mask adds numbers, so True and False cannot express it."""
    mask = added if numbers else ~allow
    weights_by_rule = {
        "torch_weights": _torch_layer(scores, mask, need_weights=True),
        "torch_output": _torch_layer(scores, mask, need_weights=False),
    }
    if not numbers and scores.shape[0] == scores.shape[1]:
        weights_by_rule["torch_fast"] = _torch_fast(scores, mask)
    weights_by_rule["sdpa"] = _sdpa(scores, added if numbers else allow)
    if not numbers:
        weights_by_rule["keras_scores"] = keras_scores(scores, allow)
        weights_by_rule["keras_output"] = keras_output(scores, allow)
    weights_by_rule["bert_eager"] = bert_eager(scores, added)
    return weights_by_rule


def _identity(size: int) -> Tensor:
    return torch.eye(size, dtype=EXACT)


def _torch_layer(scores: Tensor, mask: Tensor, *, need_weights: bool) -> Tensor:
    """``nn.MultiheadAttention`` with queries and keys from different rows; without weights V = I shows them."""
    n_k = scores.shape[1]
    layer = nn.MultiheadAttention(n_k, 1, bias=False, batch_first=True, dtype=EXACT)
    identity = _identity(n_k)
    layer.load_state_dict(
        {"in_proj_weight": torch.cat([identity, identity, identity]), "out_proj.weight": identity}
    )
    keys = identity[None]
    with torch.no_grad():
        output, weights = layer(
            scores[None] * sqrt(n_k), keys, keys, attn_mask=mask, need_weights=need_weights
        )
    shown: Tensor = output if weights is None else weights
    return shown[0]


def _torch_fast(scores: Tensor, mask: Tensor) -> Tensor:
    """The same layer on its fast path: ``eval()`` without gradients, where query, key and value are one tensor.

    Two equal heads (the path requires an even number) on X = [I | 0], so that Q = S·√n, K = V = I.
    """
    n = len(scores)
    layer = nn.MultiheadAttention(2 * n, 2, batch_first=True, dtype=EXACT).eval()
    weights = [
        torch.cat([torch.cat([rows, torch.zeros_like(rows)], 1)] * 2) for rows in _fast_weights(scores)
    ]
    layer.load_state_dict(
        {
            "in_proj_weight": torch.cat(weights),
            "in_proj_bias": torch.zeros(6 * n),
            "out_proj.weight": _identity(2 * n),
            "out_proj.bias": torch.zeros(2 * n),
        }
    )
    x = torch.cat([_identity(n), torch.zeros(n, n, dtype=EXACT)], 1)[None]
    with torch.no_grad():
        output: Tensor = layer(x, x, x, attn_mask=mask, need_weights=False)[0]
    return output[0, :, :n]


def _fast_weights(scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    identity = _identity(len(scores))
    return scores.T * sqrt(len(scores)), identity, identity


def _sdpa(scores: Tensor, mask: Tensor) -> Tensor:
    identity = _identity(scores.shape[1])[None, None]
    return functional.scaled_dot_product_attention(
        scores[None, None], identity, identity, attn_mask=mask, scale=1.0
    )[0, 0]


def keras_scores(scores: Tensor, allow: Tensor) -> Tensor:
    """Keras's layer where it returns its scores: softmax with −10⁹ where hidden, then 0 there.

    Source: ``keras.layers.Softmax``, 3.15; before 3.10 it set no 0 there.
    """
    return torch.softmax(scores.masked_fill(~allow, KERAS_FILL), -1).masked_fill(~allow, 0.0)


def keras_output(scores: Tensor, allow: Tensor) -> Tensor:
    """Keras's layer where it returns only its output: a very low number is added, and nothing is set to 0.

    Source: ``keras.ops.dot_product_attention``, 3.15 on torch.
    """
    return torch.softmax(scores + torch.where(allow, 0.0, KERAS_ADDED), -1)


def bert_eager(scores: Tensor, added: Tensor) -> Tensor:
    """transformers' eager attention: softmax(S + M), M the lowest number of the dtype where a pair is hidden."""
    return torch.softmax(scores + torch.where(added == NEG_INF, torch.finfo(EXACT).min, added), -1)


def _outcome(rule: RuleName, weights: Tensor, values: Tensor) -> Outcome:
    row = tuple(weights.tolist())
    kind: Literal["zero", "nan", "uniform", "weighted"] = "weighted"
    if any(isnan(number) for number in row):
        kind = "nan"
    elif not any(row):
        kind = "zero"
    elif max(row) - min(row) <= 1e-12:
        kind = "uniform"
    output = tuple((weights @ values).tolist()) if kind != "nan" else (nan,) * values.shape[1]
    return Outcome(rule, kind, row, float(weights.sum()), output)


def _largest_difference(rows: list[Tensor]) -> float:
    """The largest difference between any two of these."""
    stacked = torch.stack(rows)
    return float((stacked.amax(0) - stacked.amin(0)).max()) if stacked.numel() else 0.0
