"""One matrix for Q, K and V: which of its rows are which, by the kind of model.

With h heads, g of them with keys and values of their own, it has (h + 2g)·d_k rows (outputs), in one of two orders:

by part    all rows of Q, then all of K, then all of V
by group   per head of keys and values: the rows of Q of the h/g heads that share it, then of its K, then of its V
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor

from mha_core.errors import N_
from mha_core.interop.saved.settings import Settings

_MOST: Final = 1_000_000
"""The largest number of heads."""
NAMES: Final = ("query_key_value", "qkv_proj", "qkv", "Wqkv", "W_pack", "c_attn", "in_proj")
OUTPUTS: Final = ("dense", "out_proj", "o_proj", "c_proj", "Wo")
"""The names of W_O beside such a matrix."""


@dataclass(frozen=True, slots=True)
class Fused:
    """The arrangement of such a matrix: ``heads`` is h, ``groups`` is g. ``taken``: the settings that it comes from."""

    heads: int
    groups: int
    by_group: bool = False
    taken: tuple[str, ...] = ()

    @property
    def blocks(self) -> int:
        """How many times d_k rows the matrix has."""
        return self.heads + 2 * self.groups


@dataclass(frozen=True, slots=True)
class _Order:
    """``groups``: g, or the setting that gives it; None: every head has keys of its own. ``when``: the setting that
    must be on for this order; ``on``: its default.
    """

    by_group: bool
    groups: int | str | None = None
    when: str = ""
    on: bool = False


_BY_PART: Final = (_Order(by_group=False),)
_BY_GROUP: Final = (_Order(by_group=True),)
_ORDERS: Final[dict[str, tuple[_Order, ...]]] = {
    **dict.fromkeys(("mpt", "modernbert"), _BY_PART),
    **dict.fromkeys(("gpt_neox", "bloom", "deberta"), _BY_GROUP),
    "phi3": (_Order(by_group=False, groups="num_key_value_heads"),),
    "gpt_bigcode": (_Order(by_group=False, groups=1, when="multi_query", on=True), *_BY_GROUP),
    "falcon": (
        _Order(by_group=True, groups="num_kv_heads", when="new_decoder_architecture"),
        _Order(by_group=True, groups=1, when="multi_query", on=True),
        *_BY_GROUP,
    ),
}
"""By ``model_type``, as transformers 5 splits the matrix: the first order whose setting is on."""
KINDS: Final = tuple(_ORDERS)


def fused_of(config: Mapping[str, Any], width: int, heads: int) -> Fused | None:
    """The arrangement for a model's config, whose heads have ``width`` columns together; None for an unknown kind.

    Raises ``ModelError`` naming the setting if one is missing or has an impossible value.
    """
    kind, settings = config.get("model_type"), Settings(config)
    orders = _ORDERS.get(kind) if isinstance(kind, str) else None
    if orders is None:
        return None
    heads = heads or settings.whole("num_attention_heads", _MOST)
    if not width or width % heads:
        template = N_("{width} columns are not divisible by {got} heads")
        raise settings.wrong("num_attention_heads", template, heads, width=width)
    order = next(each for each in orders if not each.when or settings.flag(each.when, absent=each.on))
    asked = (*(each.when for each in orders[: orders.index(order) + 1]), order.groups)
    taken = tuple(name for name in asked if isinstance(name, str) and name in config)
    return Fused(heads, _groups(settings, order, heads), order.by_group, taken)


def _groups(settings: Settings, order: _Order, heads: int) -> int:
    if not isinstance(order.groups, str):
        return order.groups or heads
    groups = settings.whole(order.groups, heads, heads)
    if heads % groups:
        template = N_("{heads} heads are not divisible into {got} groups")
        raise settings.wrong(order.groups, template, groups, heads=heads)
    return groups


def fused_name(state: Mapping[str, Tensor], prefix: str) -> str:
    """The name of the layer's matrix; "" if it has none."""
    names = (f"{prefix}{name}" for name in NAMES)
    return next((name for name in names if f"{name}.weight" in state), "")


def parts(rows: Tensor, fused: Fused) -> tuple[Tensor, ...]:
    """The rows of Q, K and V, each in the order of its heads; ``rows`` may also be the numbers of a bias."""
    d_k = len(rows) // fused.blocks
    if not fused.by_group:
        return torch.split(rows, [fused.heads * d_k, fused.groups * d_k, fused.groups * d_k])
    by_group = rows.reshape(fused.groups, -1, d_k, *rows.shape[1:])
    q, k, v = by_group[:, :-2], by_group[:, -2:-1], by_group[:, -1:]
    return q.flatten(0, 2), k.flatten(0, 2), v.flatten(0, 2)
