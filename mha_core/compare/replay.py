"""What comes of a known mistake: the trace of somebody who makes it at one step and carries on rightly from there.

``replay(trace(example), "not_scaled", "scaled_scores")`` is a trace of the same example: the steps before are the
same, the step is what ``catalogue.CATALOGUE`` makes of it, and all that is computed from it follows as declared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import torch
from torch import Tensor

from mha_core.check.catalogue import CATALOGUE, At, Mistake
from mha_core.check.search import Family, Search
from mha_core.compute.printed import Key
from mha_core.compute.trace import Trace
from mha_core.errors import N_, CellError, NumberRangeError
from mha_core.example.model import NEG_INF, kv_head_of
from mha_core.quoted import quoted
from mha_core.vocabulary import HIDES, PER_HEAD, WHOLE_LAYER_STEPS

_NO_NUMBERS: Final = N_("{mistake} leaves no numbers at {step} to carry on with")
_NOT_HERE: Final = N_("{mistake} cannot be made in this example")
_SAME: Final = 1e-6
"""Relative: nobody sees less, and float32 computes no better."""
_LARGEST: Final = 1e100
"""The largest number to carry on with: products of it and of what an example can hold are still numbers."""


def replay(computed: Trace, mistake: str, step: str, head: int | None = None) -> Trace:
    """The trace with this mistake made at a step, in every head that can make it or in one alone.

    Of several ways to make a mistake it is the first that changes a number (by more than a millionth of it). Raises
    ``CellError`` where there is no such mistake, step or head, and where the mistake cannot be made there: it gives
    another shape, changes no number, or leaves none (−∞ times 0); ``NumberRangeError`` where float32 overflows.
    """
    entry = _entry(mistake, step)
    with torch.inference_mode():
        steps = _as_computed(computed)
        wrong = _made(entry, _places(steps, step, head))
        return _trace(computed, _followed(computed, steps, wrong))


def possible(computed: Trace) -> list[tuple[str, str]]:
    """(step, mistake) for every known mistake that changes a number of this example, in the catalogue's order."""
    mistakes = []
    with torch.inference_mode():
        steps = _as_computed(computed)
        places = {name: [steps.at(key) for key in steps.steps if key[0] == name] for name, _ in steps.steps}
        for entry in CATALOGUE:
            for step in entry.steps:
                try:
                    _made(entry, places.get(step, []))
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
            N_("{mistake} is no mistake of {step}; it is made at {known}"),
            mistake=mistake,
            step=quoted(step),
            known=known,
        )
    return entry


def _as_computed(computed: Trace) -> Search:
    """The declared steps with this trace's own numbers carried to each."""
    steps = Search(computed)
    for key in steps.steps:
        steps.carry({key: Family([()], steps.exact(key)[None])})  # type: ignore[index]  # it has been computed
    return steps


def _places(steps: Search, step: str, head: int | None) -> list[At]:
    """Where the mistake is to be made."""
    keys = [key for key in steps.steps if key[0] == step and head in (None, key[1])]
    if not keys or (head is not None and step in WHOLE_LAYER_STEPS):
        raise CellError(N_("there is no {name} here"), name=step if head is None else f"{step}, head {head}")
    return [steps.at(key) for key in keys]


def _made(entry: Mistake, places: Sequence[At]) -> dict[Key, Tensor]:
    """What the mistake makes of the step, wherever it changes a number."""
    changed: dict[Key, Tensor] = {}
    why = None
    for at in places:
        right = at.run()[0]
        for wrong in (way[0] for way in entry.wrong(at)):
            why = _refusal(entry, at.step.name, right, wrong)
            if why is None:
                changed[at.step.name, at.head] = wrong
                break
            if why.template == _NO_NUMBERS:  # it can be made here, and then there is nothing to carry on with
                raise why
    if not changed:
        raise why or CellError(_NOT_HERE, mistake=entry.id)
    return changed


def _refusal(entry: Mistake, step: str, right: Tensor, wrong: Tensor) -> CellError | None:
    """Why these numbers are not to be taken instead of the right ones; None where they are."""
    if wrong.shape != right.shape:
        return CellError(
            N_("{mistake} makes {step} {got_rows} × {got_cols} here, not {rows} × {cols}"),
            mistake=entry.id,
            step=step,
            got_rows=wrong.shape[0],
            got_cols=wrong.shape[1],
            rows=right.shape[0],
            cols=right.shape[1],
        )
    if torch.isclose(wrong, right, rtol=_SAME, atol=_SAME / 1000).all():
        return CellError(N_("{mistake} changes no number of {step} here"), mistake=entry.id, step=step)
    return None if _are_numbers(step, wrong) else CellError(_NO_NUMBERS, mistake=entry.id, step=step)


def _are_numbers(step: str, values: Tensor) -> bool:
    """All finite, and no larger than what can still be multiplied; −∞ is a masked score."""
    hidden = values == NEG_INF if step in HIDES else torch.zeros_like(values, dtype=torch.bool)
    return bool((hidden | (values.abs() < _LARGEST)).all())


def _followed(computed: Trace, steps: Search, wrong: Mapping[Key, Tensor]) -> dict[Key, Tensor]:
    """The wrong numbers, and those of every step that is computed from them."""
    changed = dict(wrong)
    for step in computed.steps:
        for key in [key for key in steps.steps if key[0] == step.name]:
            if key not in changed and not changed.keys().isdisjoint(steps.sources(key)):
                changed[key] = steps.family(key, most=0).values[0]
            if key in changed:
                steps.carry({key: Family([()], changed[key][None])})
    return changed


def _trace(computed: Trace, changed: Mapping[Key, Tensor]) -> Trace:
    """The trace with these numbers instead of its own."""
    where = computed.backend
    numbers = {key: values.to(where.device, where.torch_dtype) for key, values in changed.items()}
    for (step, _), values in numbers.items():
        if step not in HIDES and not values.isfinite().all():
            raise NumberRangeError(N_("a number grew beyond what float32 can hold"), place=step)

    def block(name: str, heads: Sequence[int], own: Tensor) -> Tensor:
        keys = [(name, kv_head_of(computed.example, name, head)) for head in heads]
        if not any(key in numbers for key in keys):
            return own
        return torch.stack([numbers.get(key, own[at]) for at, key in enumerate(keys)])

    groups = tuple(
        (heads, {name: block(name, heads, own) for name, own in tensors.items()})
        for heads, tensors in computed.groups
    )
    layer = {name: numbers.get((name, None), own) for name, own in computed.layer.items()}
    for name in PER_HEAD & layer.keys():  # what later steps gather from the heads
        layer[name] = block(name, range(len(computed.example.heads)), layer[name])
    return replace(computed, groups=groups, layer=layer)
