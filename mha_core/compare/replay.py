"""The consequences of a known mistake: the trace of somebody who makes it at one step and continues correctly.

``replay(trace(example), "not_scaled", "scaled_scores")`` is a trace of the same example: earlier steps are the same,
the step has the mistake of ``catalogue.CATALOGUE``, and all that is computed from it follows as declared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import torch
from torch import Tensor

from mha_core.check.catalogue import CATALOGUE
from mha_core.check.mistake import Mistake, Site
from mha_core.check.search import Family, Search
from mha_core.compute.printed import Key
from mha_core.compute.trace import Trace
from mha_core.errors import N_, CellError, NumberRangeError
from mha_core.example.model import NEG_INF, kv_head_of
from mha_core.quoted import quoted
from mha_core.vocabulary import HIDES, PER_HEAD, WHOLE_LAYER_STEPS

_NO_NUMBERS: Final = N_("{mistake} makes {step} non-finite, so the computation cannot continue")
_NOT_HERE: Final = N_("{mistake} cannot be made in this example")
_SAME: Final = 1e-6
"""Relative: a smaller change is not visible, and float32 is not more accurate."""
_LARGEST: Final = 1e100
"""The largest number to continue with: its products with the largest numbers of an example do not overflow."""


def replay(computed: Trace, mistake: str, step: str, head: int | None = None) -> Trace:
    """The trace with this mistake made at a step, in every head that can make it or in one alone.

    Of several ways of making a mistake the first that changes a number (by more than a millionth of it) is made.
    Raises ``CellError`` if there is no such mistake, step or head, or if the mistake cannot be made there: it gives
    another shape, changes no number, or leaves none (−∞ times 0). Raises ``NumberRangeError`` if float32 overflows.
    """
    entry = _entry(mistake, step)
    with torch.inference_mode():
        search = _as_computed(computed)
        wrong = _mistaken_numbers(entry, _sites(search, step, head))
        return _trace(computed, _with_later_steps(computed, search, wrong))


def possible(computed: Trace) -> list[tuple[str, str]]:
    """(step, mistake) for every known mistake that changes a number of this example, in the catalogue's order."""
    mistakes = []
    with torch.inference_mode():
        search = _as_computed(computed)
        sites = {name: [search.at(key) for key in search.steps if key[0] == name] for name, _ in search.steps}
        for entry in CATALOGUE:
            for step in entry.steps:
                try:
                    _mistaken_numbers(entry, sites.get(step, []))
                except CellError:
                    continue
                mistakes.append((step, entry.id))
    return mistakes


def _entry(mistake: str, step: str) -> Mistake:
    entries = [entry for entry in CATALOGUE if entry.id == mistake]
    if not entries:
        raise CellError(N_("there is no mistake named {name}"), name=quoted(mistake))
    entry = next((entry for entry in entries if step in entry.steps), None)
    if entry is None:
        known = ", ".join(name for entry in entries for name in entry.steps)
        raise CellError(
            N_("{mistake} is not a mistake of {step}; it belongs to {known}"),
            mistake=mistake,
            step=quoted(step),
            known=known,
        )
    return entry


def _as_computed(computed: Trace) -> Search:
    """The declared steps with this trace's numbers as the carried ones."""
    search = Search(computed)
    for key in search.steps:
        search.carry({key: Family([()], search.exact(key)[None])})  # type: ignore[index]  # it has been computed
    return search


def _sites(search: Search, step: str, head: int | None) -> list[Site]:
    """The sites at which the mistake is to be made."""
    keys = [key for key in search.steps if key[0] == step and head in (None, key[1])]
    if not keys or (head is not None and step in WHOLE_LAYER_STEPS):
        raise CellError(N_("there is no {name} here"), name=step if head is None else f"{step}, head {head}")
    return [search.at(key) for key in keys]


def _mistaken_numbers(entry: Mistake, sites: Sequence[Site]) -> dict[Key, Tensor]:
    """The step's numbers under the mistake, wherever it changes one."""
    changed: dict[Key, Tensor] = {}
    refusal = None
    for site in sites:
        right = site.run()[0]
        for wrong in (way[0] for way in entry.wrong(site)):
            refusal = _refusal(entry, site.step.name, right, wrong)
            if refusal is None:
                changed[site.step.name, site.head] = wrong
                break
            if refusal.template == _NO_NUMBERS:  # it can be made here, but leaves nothing to continue with
                raise refusal
    if not changed:
        raise refusal or CellError(_NOT_HERE, mistake=entry.id)
    return changed


def _refusal(entry: Mistake, step: str, right: Tensor, wrong: Tensor) -> CellError | None:
    """Why these numbers cannot replace the right ones; None if they can."""
    if wrong.shape != right.shape:
        return CellError(
            N_("{mistake} would make {step} {got_rows} × {got_cols} instead of {rows} × {cols}"),
            mistake=entry.id,
            step=step,
            got_rows=wrong.shape[0],
            got_cols=wrong.shape[1],
            rows=right.shape[0],
            cols=right.shape[1],
        )
    if torch.isclose(wrong, right, rtol=_SAME, atol=_SAME / 1000).all():
        return CellError(
            N_("{mistake} does not change any number of {step} here"), mistake=entry.id, step=step
        )
    return None if _are_numbers(step, wrong) else CellError(_NO_NUMBERS, mistake=entry.id, step=step)


def _are_numbers(step: str, values: Tensor) -> bool:
    """Whether all are finite and small enough to be multiplied; −∞ is allowed for masked scores."""
    hidden = values == NEG_INF if step in HIDES else torch.zeros_like(values, dtype=torch.bool)
    return bool((hidden | (values.abs() < _LARGEST)).all())


def _with_later_steps(computed: Trace, search: Search, wrong: Mapping[Key, Tensor]) -> dict[Key, Tensor]:
    """The wrong numbers, and those of every step that is computed from them."""
    changed = dict(wrong)
    for step in computed.steps:
        for key in [key for key in search.steps if key[0] == step.name]:
            if key not in changed and not changed.keys().isdisjoint(search.sources(key)):
                changed[key] = search.family(key, most=0).values[0]
            if key in changed:
                search.carry({key: Family([()], changed[key][None])})
    return changed


def _trace(computed: Trace, changed: Mapping[Key, Tensor]) -> Trace:
    """The trace with these numbers in place of its own."""
    where = computed.backend
    numbers = {key: values.to(where.device, where.torch_dtype) for key, values in changed.items()}
    for (step, _), values in numbers.items():
        if step not in HIDES and not values.isfinite().all():
            raise NumberRangeError(N_("a number exceeded the range of float32"), place=step)

    def block(name: str, heads: Sequence[int], unchanged: Tensor) -> Tensor:
        keys = [(name, kv_head_of(computed.example, name, head)) for head in heads]
        if not any(key in numbers for key in keys):
            return unchanged
        return torch.stack([numbers.get(key, unchanged[n]) for n, key in enumerate(keys)])

    groups = tuple(
        (heads, {name: block(name, heads, unchanged) for name, unchanged in tensors.items()})
        for heads, tensors in computed.groups
    )
    layer = {name: numbers.get((name, None), unchanged) for name, unchanged in computed.layer.items()}
    for name in PER_HEAD & layer.keys():  # matrices that later steps gather from the heads
        layer[name] = block(name, range(len(computed.example.heads)), layer[name])
    return replace(computed, groups=groups, layer=layer)
