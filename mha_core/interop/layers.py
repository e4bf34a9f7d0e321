"""The attention layers in a weight file, and a slice of one that is small enough to be looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.example.model import MAX_HEADS, MAX_SIZE, Example
from mha_core.interop.bert import from_bert
from mha_core.interop.keras_layer import PARTS, from_keras
from mha_core.interop.packed import EXACT, Packed, exact, unpack, wrong_shape
from mha_core.interop.projections import JOINED, SEPARATE, from_projections
from mha_core.interop.torch_layer import from_torch
from mha_core.interop.weights import Weights
from mha_core.messages import LANGUAGE, LANGUAGES, catalogue

Kind: TypeAlias = Literal["torch", "keras", "bert", "projections", "gpt2"]

KIND_NAMES: dict[Kind, str] = {
    "torch": "torch.nn.MultiheadAttention",
    "keras": "keras.layers.MultiHeadAttention",
    "bert": "BERT self-attention",
    "projections": "q_proj, k_proj, v_proj",
    "gpt2": "GPT-2 c_attn",
}

_PART: Final = N_("{kind}: head {heads} of {h}; {shown} of {d_query} columns of X, {of_head} of d_k = {d_k}.")
_ASSUMED: Final = N_("Nothing says how many heads this layer has: {h} of {d_k} columns each are assumed.")
_NOT_THERE: Final = N_("A mask, and rotary positions where the model has them, are no part of these weights.")
_LEFT_OUT: Final = N_("Columns are left out, so scores and weights are not those of the whole layer.")


_BY_PROJECTION: Final[frozenset[Kind]] = frozenset(("projections", "gpt2"))

D_MODEL, D_HEAD = 8, 4
"""How many columns of X and of each head a slice has that does not say it, where there are so many."""

SEEDS = range(-(2**63), 2**64 - 1)
"""What torch takes for a seed; its last one is left to the context, which is drawn with the seed after X's."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer that a weight file holds: ``name`` is what stands before its tensors' own names.

    d_query, d_key, d_value: what its three inputs are wide; width = h·d_k. ``heads`` is None where nothing says how
    many there are: of these files Keras's alone do, and a config.json beside them does (``config``). ``shared_width``:
    what keys are wide where heads share them, less than ``width``; None where each has its own.
    """

    kind: Kind
    name: str
    d_query: int
    d_key: int
    d_value: int
    width: int
    heads: int | None
    shared_width: int | None = None

    @property
    def possible_heads(self) -> tuple[int, ...]:
        """How many heads it may have: every divisor of its width that its keys allow, or the number that is known."""
        if self.heads is not None:
            return (self.heads,)
        return tuple(h for h in range(1, self.width + 1) if self.width % h == 0 and self._may_have(h))

    def _may_have(self, heads: int) -> bool:
        """Whether so many heads can share the keys evenly."""
        groups, left = divmod((self.shared_width or self.width) * heads, self.width)
        return not left and groups > 0 and heads % groups == 0

    @property
    def likely_heads(self) -> int:
        """The number that is known; else that of heads 64 wide, as published models have them, or 1."""
        wide = self.width // 64 if self.width % 64 == 0 else 1
        return self.heads or (wide if self._may_have(wide) else self.possible_heads[0])

    @property
    def attends_to_itself(self) -> bool:
        """Whether keys and values may come from the same rows as queries."""
        return self.d_query == self.d_key == self.d_value


@dataclass(frozen=True, slots=True)
class Slice:
    """What of a layer goes on the bench: which heads, how many columns of X and of each head, which rows.

    ``heads`` count from 0, each once, in the order wanted. ``d_model`` and ``d_head`` are 8 and 4 where they are not
    given, or all that there are. ``tokens`` rows of X (and of the context, where the layer
    needs one) are drawn at random with ``seed``, unless ``inputs`` names a matrix of the file, such as an embedding,
    and ``rows`` the rows of it.
    """

    heads: tuple[int, ...] = (0,)
    d_model: int | None = None
    d_head: int | None = None
    tokens: int = 4
    seed: int = 0
    inputs: str | None = None
    rows: tuple[int, ...] = ()


def layers(weights: Weights) -> tuple[Layer, ...]:
    """Every attention layer in the file, in the order of its tensors. Raises ``InteropError`` where there is none."""
    in_order = dict.fromkeys(layer for name in weights if (layer := _layer_at(weights, name)) is not None)
    if not in_order:
        raise InteropError(
            N_(
                "no attention layer was found: the names of torch, Keras, BERT, GPT-2 and Llama are known, and the "
                "first tensor here is {name}"
            ),
            name=repr(next(iter(weights), "")[:60]),
        )
    return tuple(in_order)


def load_layer(weights: Weights, layer: Layer, num_heads: int | None = None) -> Packed:
    """All of a layer's parameters. ``num_heads`` where the file does not say it. Raises ``InteropError``."""
    if layer.heads is not None and num_heads not in (None, layer.heads):
        raise InteropError(
            N_("the file says that this layer has {heads} heads, not {got}"),
            place=layer.name,
            heads=layer.heads,
            got=num_heads,
        )
    heads = layer.likely_heads if num_heads is None else num_heads
    try:
        if layer.kind == "bert":
            return from_bert(weights, heads, layer.name)
        if layer.kind in _BY_PROJECTION:
            return from_projections(weights, heads, layer.name)
        own = {
            name.removeprefix(layer.name): weights[name] for name in weights if name.startswith(layer.name)
        }
        return from_torch(own, heads) if layer.kind == "torch" else from_keras(own)
    except InteropError as error:
        if layer.kind not in ("torch", "keras") or not error.place:
            raise
        raise InteropError(error.template, place=layer.name + error.place, **error.values) from None


def open_layer(weights: Weights, layer: Layer, part: Slice, num_heads: int | None = None) -> Example:
    """A slice of a layer as an example: the numbers of the parameters are the file's own.

    Where columns are left out, products and the divisor √d_k are those of what is left. Where nothing says how many
    heads there are, ``likely_heads`` are assumed, and the example's note says so. Raises ``InteropError``
    where the slice is not in the layer or does not fit the bench.
    """
    packed = load_layer(weights, layer, num_heads)
    _check_slice(packed, part)
    d_model, d_head = _sizes(packed, part)
    small = _sliced(packed, part.heads, d_model, d_head)
    query = _inputs(weights, layer, part, small.w_q.shape[1])
    key = value = None
    if not layer.attends_to_itself:
        random = torch.Generator().manual_seed(part.seed + 1)
        key = _random(part.tokens, small.w_k.shape[1], random)
        value = key if layer.d_key == layer.d_value else _random(part.tokens, small.w_v.shape[1], random)
    tokens = [str(row) for row in part.rows] if part.inputs else None
    note = _note(layer, packed, small, part, assumed=num_heads is None and layer.heads is None)
    title = f"{layer.name or KIND_NAMES[layer.kind]}"[:200]
    return unpack(small, query, key, value, title=title, note=note, tokens=tokens)


def _note(layer: Layer, packed: Packed, small: Packed, part: Slice, *, assumed: bool) -> Mapping[str, str]:
    heads = ", ".join(str(head + 1) for head in part.heads)
    (d_query, d_k), (shown, of_head) = packed.w_q.shape[1:], small.w_q.shape[1:]
    whole = all(
        getattr(small, name).shape[1:] == getattr(packed, name).shape[1:] for name in ("w_q", "w_k", "w_v")
    )
    notes = {}
    for language in LANGUAGES:
        say = catalogue(language).gettext
        note = say(_PART).format(
            kind=KIND_NAMES[layer.kind],
            heads=heads,
            h=packed.h,
            shown=shown,
            d_query=d_query,
            of_head=of_head,
            d_k=d_k,
        )
        more = [say(_ASSUMED).format(h=packed.h, d_k=d_k)] if assumed else []
        more += [say(_NOT_THERE)] if layer.kind in _BY_PROJECTION else []
        more += [] if whole else [say(_LEFT_OUT)]
        notes[language] = LANGUAGE[language].between.join([note, *more])[:1000]
    return notes


# --- finding ---------------------------------------------------------------------------------------------------

_BERT_QUERY = re.compile(r"(.*?)(self\.)?query\.weight\Z", re.DOTALL)


def _layer_at(weights: Weights, name: str) -> Layer | None:
    """The layer whose first tensor has this name."""
    for end in ("in_proj_weight", "q_proj_weight"):
        if name.endswith(end) and f"{name.removesuffix(end)}out_proj.weight" in weights:
            return _torch_layer(weights, name.removesuffix(end), joined=end == "in_proj_weight")
    if name.endswith("query/kernel"):
        prefix = name.removesuffix("query/kernel")
        if all(f"{prefix}{part}/kernel" in weights for part in PARTS):
            return _keras_layer(weights, prefix)
    query, joined = f"{SEPARATE[0]}.weight", f"{JOINED}.weight"
    if name.endswith(query):
        return _projected_layer(weights, name.removesuffix(query))
    if name.endswith(joined):
        return _joined_layer(weights[name], name.removesuffix(joined))
    match = _BERT_QUERY.match(name)
    if match:
        inside = match[1] + (match[2] or "")
        if all(f"{inside}{part}.weight" in weights for part in ("key", "value")):
            return _bert_layer(weights, match[1], inside)
    return None


def _torch_layer(weights: Weights, prefix: str, *, joined: bool) -> Layer | None:
    if joined:
        weight = weights[f"{prefix}in_proj_weight"]
        if weight.dim() != 2 or weight.shape[0] != 3 * weight.shape[1]:
            return None
        width = weight.shape[1]
        return Layer("torch", prefix, width, width, width, width, None)
    shapes = [
        weights[f"{prefix}{x}_proj_weight"].shape for x in "qkv" if f"{prefix}{x}_proj_weight" in weights
    ]
    if len(shapes) != 3 or any(len(shape) != 2 for shape in shapes):
        return None
    return Layer("torch", prefix, shapes[0][1], shapes[1][1], shapes[2][1], shapes[0][0], None)


def _keras_layer(weights: Weights, prefix: str) -> Layer | None:
    shapes = [weights[f"{prefix}{part}/kernel"].shape for part in PARTS[:3]]
    if any(len(shape) != 3 for shape in shapes):
        return None
    query, key, value = shapes
    return Layer("keras", prefix, query[0], key[0], value[0], query[1] * query[2], query[1])


def _bert_layer(weights: Weights, prefix: str, inside: str) -> Layer | None:
    weight = weights[f"{inside}query.weight"]
    if weight.dim() != 2:
        return None
    width, d_in = weight.shape
    return Layer("bert", prefix, d_in, d_in, d_in, width, None)


def _projected_layer(weights: Weights, prefix: str) -> Layer | None:
    shapes = [weights[f"{prefix}{x}.weight"].shape for x in SEPARATE if f"{prefix}{x}.weight" in weights]
    if len(shapes) != len(SEPARATE) or any(len(shape) != 2 for shape in shapes):
        return None
    (width, d_in), (shared, _), _ = shapes
    return Layer("projections", prefix, d_in, d_in, d_in, width, None, shared if shared < width else None)


def _joined_layer(weight: Tensor, prefix: str) -> Layer | None:
    if weight.dim() != 2 or weight.shape[1] % 3:
        return None
    d_in, joined = weight.shape
    return Layer("gpt2", prefix, d_in, d_in, d_in, joined // 3, None)


# --- slicing ---------------------------------------------------------------------------------------------------


def _check_slice(packed: Packed, part: Slice) -> None:
    if not 1 <= len(part.heads) <= MAX_HEADS:
        raise InteropError(
            N_("expected 1 to {most}, got {got}"), place="heads", most=MAX_HEADS, got=len(part.heads)
        )
    for at, head in enumerate(part.heads):
        if head in part.heads[:at]:
            raise InteropError(N_("head {head} is named twice"), place="heads", head=head)
        if not 0 <= head < packed.h:
            raise InteropError(
                N_("expected heads from 0 to {last}, got {got}"), place="heads", last=packed.h - 1, got=head
            )
    if part.rows and part.inputs is None:
        raise InteropError(N_("name the matrix of the file that these are rows of, its inputs"), place="rows")
    _check_size("tokens", part.tokens)
    if part.seed not in SEEDS:
        raise InteropError(
            N_("expected a whole number from {least} to {most}, got {got}"),
            place="seed",
            least=SEEDS[0],
            most=SEEDS[-1],
            got=part.seed,
        )


def _check_size(place: str, got: int) -> None:
    if not 1 <= got <= MAX_SIZE:
        raise InteropError(N_("expected 1 to {most}, got {got}"), place=place, most=MAX_SIZE, got=got)


def _sizes(packed: Packed, part: Slice) -> tuple[int, int]:
    """How many columns of X and of each head: those asked for, which must be there, or as many as usual."""
    weights = packed.w_q, packed.w_k, packed.w_v
    d_model = max(weight.shape[1] for weight in weights)
    d_head = max(weight.shape[2] for weight in weights)
    for place, got, most, message in (
        ("d_model", part.d_model, d_model, N_("this layer takes rows of {most} columns, got {got}")),
        ("d_head", part.d_head, d_head, N_("the heads of this layer have {most} columns, got {got}")),
    ):
        if got is not None:
            _check_size(place, got)
            if got > most:
                raise InteropError(message, place=place, most=most, got=got)
    return (
        min(D_MODEL, d_model) if part.d_model is None else part.d_model,
        min(D_HEAD, d_head) if part.d_head is None else part.d_head,
    )


def _sliced(packed: Packed, chosen: Sequence[int], deep: int, wide: int) -> Packed:
    """The chosen heads, the first ``deep`` rows and ``wide`` columns of their matrices, and W_O's to match."""
    heads = list(chosen)

    def weight(matrix: Tensor) -> Tensor:
        return matrix[heads, :deep, :wide]

    def bias(rows: Tensor | None) -> Tensor | None:
        return None if rows is None else rows[heads, :wide]

    w_o = None
    if packed.w_o is not None:
        by_head = packed.w_o.reshape(packed.h, packed.w_v.shape[2], -1)
        w_o = by_head[heads, :wide, :deep].flatten(0, 1)
    return Packed(
        weight(packed.w_q),
        weight(packed.w_k),
        weight(packed.w_v),
        bias(packed.b_q),
        bias(packed.b_k),
        bias(packed.b_v),
        w_o,
        None if packed.b_o is None else packed.b_o[:deep],
    )


def input_matrices(weights: Weights, layer: Layer) -> tuple[str, ...]:
    """Names of the file's matrices whose rows could be tokens of this layer: those d_query wide, its own apart."""
    names = (name for name in weights if not name.startswith(layer.name) or not layer.name)
    return tuple(_wide(weights, names, layer.d_query))


def _wide(weights: Weights, names: Iterator[str], width: int) -> Iterator[str]:
    for name in names:
        tensor = weights[name]
        if tensor.dim() == 2 and tensor.shape[1] == width and tensor.is_floating_point():
            yield name


def _inputs(weights: Weights, layer: Layer, part: Slice, width: int) -> Tensor:
    if part.inputs is None:
        return _random(part.tokens, width, torch.Generator().manual_seed(part.seed))
    if part.inputs not in weights:
        raise InteropError(N_("is missing"), place=part.inputs[:200])
    table = weights[part.inputs]
    if table.dim() != 2 or table.shape[1] != layer.d_query:
        raise wrong_shape(part.inputs[:200], f"n × {layer.d_query}", table)
    _check_rows(part.rows, table.shape[0])
    return exact(table[list(part.rows), :width], part.inputs[:200])


def _check_rows(rows: Sequence[int], count: int) -> None:
    if not 1 <= len(rows) <= MAX_SIZE:
        raise InteropError(N_("expected 1 to {most}, got {got}"), place="rows", most=MAX_SIZE, got=len(rows))
    for row in rows:
        if not 0 <= row < count:
            raise InteropError(
                N_("expected rows from 0 to {last}, got {got}"), place="rows", last=count - 1, got=row
            )


def _random(rows: int, columns: int, random: torch.Generator) -> Tensor:
    """Normal numbers of two decimals, the same ones for the same seed."""
    return torch.randn(rows, columns, generator=random, dtype=EXACT).mul(100).round().div(100)
