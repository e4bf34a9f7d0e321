"""Masks of other libraries. Examples have ``allow``, True = may attend.

torch.nn.MultiheadAttention   ``attn_mask`` and ``key_padding_mask``: True hides; numbers are added
Keras MultiHeadAttention      ``attention_mask``: True, or 1, may attend
BERT self-attention           numbers that are added, 0 or a very low one, 1 × 1 × n_q × n_k

A mask of numbers to add that are only 0 and 1 is refused, since it is most often meant as truth values.
"""

from __future__ import annotations

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.example.arrays import MASK_OF_INTEGERS, MASK_OF_ZEROS_AND_ONES, MASK_PER_HEAD
from mha_core.example.band import CORNERS, BandMask, simplest
from mha_core.example.model import (
    NEG_INF,
    AddMask,
    AllowMask,
    Example,
    Mask,
    adds_numbers,
    allow_matrix,
    has_own_masks,
    head_mask,
    mask_fill,
)
from mha_core.interop.parameters.packed import EXACT, matrix, not_floating, shown_shape, wrong_shape

KERAS_FILL = -1e9
"""What Keras replaces a hidden pair's score with, before it gives the pair the weight 0."""


def from_torch_masks(
    attn_mask: Tensor | None, key_padding_mask: Tensor | None = None, *, n_q: int, n_k: int
) -> Mask:
    """The mask of torch's two masks together: n_q × n_k, and n_k for the keys. In both True hides.

    Raises ``InteropError`` for another shape, such as a mask for each head, for integers, which torch does not accept
    either, and for floating-point numbers that are only 0 and 1.
    """
    mask = None if attn_mask is None else _to_add(_two_axes(attn_mask, n_q, n_k, "attn_mask"), "attn_mask")
    if key_padding_mask is not None:
        if tuple(key_padding_mask.shape) != (n_k,):
            raise wrong_shape("key_padding_mask", f"{n_k}", key_padding_mask)
        padding = _to_add(key_padding_mask, "key_padding_mask").expand(n_q, n_k)
        mask = padding if mask is None else _both(mask, padding)
    if mask is None:
        return None
    return _allowed(~mask) if mask.dtype == torch.bool else _added(mask)


def to_torch_mask(example: Example) -> Tensor | None:
    """``attn_mask`` for torch, n_q × n_k: True hides, or numbers that are added; None without a mask.

    h × n_q × n_k where heads have their own masks.
    """
    if has_own_masks(example):
        rows = [head_mask(example, head) for head in range(len(example.heads))]
        masks = torch.tensor(rows, dtype=EXACT)
        return masks if adds_numbers(example) else masks == 0
    if isinstance(example.mask, AddMask):
        return torch.tensor(example.mask.add, dtype=EXACT)
    allow = _allow_without_fill(example)
    return None if allow is None else ~allow


def from_keras_mask(attention_mask: Tensor | None, *, causal: bool = False, n_q: int, n_k: int) -> Mask:
    """The mask of Keras's ``attention_mask`` (True, or 1, may attend) and ``use_causal_mask`` together.

    Raises ``InteropError`` for another shape, and for other numbers than 0 and 1: Keras adds none to the scores.
    """
    if attention_mask is None:
        return "causal" if causal else None
    given = _two_axes(attention_mask, n_q, n_k, "attention_mask")
    if not bool(((given == 0) | (given == 1)).all()):
        raise InteropError(
            N_("expected True and False, or 1 and 0: Keras adds no numbers to the scores"),
            place="attention_mask",
        )
    allow = given.bool()
    return _allowed(allow & torch.ones(n_q, n_k, dtype=torch.bool).tril() if causal else allow)


def to_keras_mask(example: Example) -> Tensor | None:
    """``attention_mask`` for Keras: True may attend. Raises ``InteropError`` if numbers other than −∞ are added."""
    if isinstance(example.mask, AddMask):
        added = torch.tensor(example.mask.add, dtype=EXACT)
        if not ((added == 0) | (added == NEG_INF)).all():
            raise InteropError(
                N_("Keras's mask allows or masks a pair; it does not add numbers"), place="mask.add"
            )
        return added == 0
    return _allow_without_fill(example)


def from_bert_mask(attention_mask: Tensor | None, *, n_q: int, n_k: int) -> Mask:
    """The mask of BERT's numbers that are added; the dtype's lowest number, or −∞, hides a pair.

    Raises ``InteropError`` for another shape, for a dtype that is not floating-point, and for numbers that are only 0
    and 1, as in a tokenizer's ``attention_mask``.
    """
    if attention_mask is None:
        return None
    added = _two_axes(attention_mask, n_q, n_k, "attention_mask")
    if not added.is_floating_point():
        raise not_floating(added, "attention_mask")
    added = _to_add(added, "attention_mask")
    return _added(torch.where(added <= torch.finfo(added.dtype).min, NEG_INF, added))


def to_bert_mask(example: Example) -> Tensor | None:
    """The numbers to add for BERT, 1 × 1 × n_q × n_k: 0, −∞ where a pair is hidden, or the example's own."""
    if isinstance(example.mask, AddMask):
        return torch.tensor(example.mask.add, dtype=EXACT)[None, None]
    allow = _allow_without_fill(example)
    if allow is None:
        return None
    return torch.zeros(allow.shape, dtype=EXACT).masked_fill(~allow, NEG_INF)[None, None]


def _allow_without_fill(example: Example) -> Tensor | None:
    if mask_fill(example) != NEG_INF:
        raise InteropError(
            N_("libraries mask a pair with −∞, but this example uses a different number"), place="mask.fill"
        )
    allow = allow_matrix(example)
    return None if allow is None else torch.tensor(allow)


def _both(first: Tensor, second: Tensor) -> Tensor:
    if first.dtype == second.dtype == torch.bool:
        return first | second
    return _numbers(first) + _numbers(second)


def _numbers(hidden: Tensor) -> Tensor:
    """True hides → 0 or −∞; numbers stay."""
    if hidden.dtype != torch.bool:
        return hidden.to(EXACT)
    return torch.zeros(hidden.shape, dtype=EXACT).masked_fill(hidden, NEG_INF)


def by_position(allow: Tensor) -> Mask:
    """The mask by positions that hides exactly these pairs of n_q × n_k; None if there is none.

    Such a mask keeps the diagonals from one to another of a matrix, where cell i, j is on the diagonal j − i.
    """
    n_q, n_k = allow.shape
    diagonals = torch.arange(n_k, device=allow.device) - torch.arange(n_q, device=allow.device)[:, None]
    kept = diagonals[allow]
    if allow.all() or not len(kept):
        return None
    first, last = int(kept.min()), int(kept.max())
    if not torch.equal(allow, (diagonals >= first) & (diagonals <= last)):
        return None
    for corner in CORNERS:
        own = n_k - n_q if corner == "bottom_right" else 0
        if last == own:
            window = None if first == int(diagonals.min()) else own - first + 1
            return simplest(BandMask(window, causal=True, corner=corner))
        if own - first == last - own:
            return BandMask(last - own, corner=corner)
    return None


def _allowed(allow: Tensor) -> AllowMask:
    return AllowMask(tuple(tuple(cells) for cells in allow.tolist()))


def _added(numbers: Tensor) -> AddMask:
    numbers = numbers.to(EXACT)
    if torch.isnan(numbers).any() or (numbers == float("inf")).any():
        raise InteropError(N_("contains NaN or an infinite number"), place="mask")
    return AddMask(matrix(numbers))


def _to_add(mask: Tensor, place: str) -> Tensor:
    """The mask itself, if it is truth values, or numbers that are clearly meant to be added."""
    if mask.dtype != torch.bool and not mask.is_floating_point():
        raise InteropError(MASK_OF_INTEGERS, place=place)
    if zeros_and_ones(mask):
        raise InteropError(MASK_OF_ZEROS_AND_ONES, place=place)
    return mask


def _two_axes(mask: Tensor, n_q: int, n_k: int, place: str) -> Tensor:
    """The mask as n_q × n_k: leading axes of length 1 are dropped, and a single row is repeated."""
    while mask.dim() > 2 and mask.shape[0] == 1:
        mask = mask[0]
    if mask.dim() > 2 and tuple(mask.shape[-2:]) == (n_q, n_k):
        raise InteropError(MASK_PER_HEAD, place=place, shape=shown_shape(mask))
    if mask.dim() != 2 or mask.shape[1] != n_k or mask.shape[0] not in (1, n_q):
        raise wrong_shape(place, f"{n_q} × {n_k}", mask)
    return mask.expand(n_q, n_k)


def zeros_and_ones(mask: Tensor) -> bool:
    """Whether these are numbers to add that look like truth values: only 0 and 1, with at least one 1."""
    numbers = mask.dtype != torch.bool and bool(((mask == 0) | (mask == 1)).all())
    return numbers and bool((mask == 1).any())
