"""Every head of a model switched off in turn, and how much that changes the output: a map of attentions × heads.

swept = sweep(model, ids)                                             # the largest change of an output
swept = sweep(model, ids, lambda out: out.logits[0, -1, 42])          # the change of one logit
swept.values                                                          # attentions × heads
swept.most(5)                                                         # the heads that matter most
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import EXACT, shown_shape
from mha_core.interop.running.capture import arguments
from mha_core.interop.running.changed import difference, largest, output_of
from mha_core.interop.running.edits import OFF, Edit
from mha_core.interop.running.found import Asked
from mha_core.interop.running.intervene import changed_run, first_run
from mha_core.interop.running.shown import as_html


class HeadChange(NamedTuple):
    """A head, by its attention's index and name, and the change without it."""

    attention: int
    name: str
    head: int
    change: float


@dataclass(frozen=True, eq=False)
class Sweep:
    """How much the output changes without each head.

    names    the attentions, in the order of computation
    values   attentions × heads, float64: the change if only this head is switched off; NaN where an attention has no
             such head
    """

    names: tuple[str, ...]
    values: Tensor

    def most(self, count: int = 5) -> tuple[HeadChange, ...]:
        """The heads with the largest absolute change, the largest first.

        swept.most(1)  # (HeadChange(attention=3, name='h.3.attn', head=5, change=-2.41),)
        """
        order = self.values.flatten().abs().nan_to_num(-1.0).argsort(descending=True, stable=True)
        heads = self.values.shape[1]
        places = [(place // heads, place % heads) for place in order.tolist()]
        known = [(index, head) for index, head in places if not self.values[index, head].isnan()]
        return tuple(
            HeadChange(index, self.names[index], head, self.values[index, head].item())
            for index, head in known[:count]
        )

    def _repr_html_(self) -> str | None:
        """What a notebook shows: the map of attentions × heads, in two colors; None without ``mha_view``."""
        return as_html(self)

    def __repr__(self) -> str:
        return f"{shown_shape(self.values)} heads; most change without: " + ", ".join(
            f"{one.name or '·'} head {one.head} ({one.change:.3g})" for one in self.most(3)
        )


def sweep(
    module: nn.Module,
    inputs: Any,
    measure: Callable[[Any], Any] | None = None,
    *,
    keywords: Mapping[str, Any] | None = None,
    batch: int | None = None,
) -> Sweep:
    """Switch off each head of each attention in turn, and return the change of the output, attentions × heads.

        values[l, h] = measure(output without head h of attention l) − measure(output)

    ``measure``: a function of what the module returns, whose result is one number; the change has its sign. None: the
    largest absolute difference max |output without the head − output| of the logits, or of the first tensor that the
    module returns. ``inputs``, ``keywords`` and ``batch``: as for ``capture``. The attentions are found once; then the
    module runs once per head, so a model of 12 layers of 12 heads runs 145 times.

        swept = sweep(model, ids, lambda out: out.logits[0, -1, 42])
        swept.values[3, 5]  # how much the logit of token 42 changes without head 5 of attention 3

    Raises ``InteropError`` as ``capture`` does, and if ``measure`` does not return one number.
    """
    module, args, named = arguments(module, inputs, keywords, batch)
    with torch.no_grad():
        found = first_run(module, args, named, Asked(batch=batch))
        change = _change_by(measure, found.output)
        heads = [len(one.weights) for one in found.attentions]
        values = torch.full((len(heads), max(heads)), nan, dtype=EXACT)
        for index, count in enumerate(heads):
            for head in range(count):
                off = {index: [Edit(head, "outputs", OFF)]}
                values[index, head] = change(changed_run(module, args, named, found.sites, off))
    return Sweep(tuple(one.name for one in found.attentions), values)


def _change_by(measure: Callable[[Any], Any] | None, output: Any) -> Callable[[Any], float]:
    """A function of the changed output: how much the measure changed."""
    if measure is None:
        before = output_of(output)
        return lambda after: largest(difference(before, output_of(after)))
    number = _number(measure(output))
    return lambda after: _number(measure(after)) - number


def _number(measured: Any) -> float:
    if isinstance(measured, Tensor) and measured.numel() == 1:
        return float(measured)
    if isinstance(measured, int | float):
        return float(measured)
    got = shown_shape(measured) if isinstance(measured, Tensor) else type(measured).__name__
    raise InteropError(N_("expected one number, got {got}"), place="measure", got=got)
