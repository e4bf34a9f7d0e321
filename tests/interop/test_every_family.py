"""Every kind of model that transformers builds: what is captured, muted and imported of it, or why it is refused.

``--long`` tries them all, otherwise a few of every kind. ``python -m tests.interop.test_every_family`` writes the table
in docs/model-families.md again. The families in ``families`` have tests of their own, which look at more.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from mha_core import MhaError, trace
from mha_core.example.model import text_in
from mha_core.example.validate import validate
from mha_core.interop import (
    Captured,
    Layer,
    Slice,
    capture,
    config_beside,
    layers,
    open_layer,
    read_model,
    sweep,
)
from mha_core.interop.parameters.packed import matrix
from tests.interop.families import made
from tests.interop.model_types import TYPES
from tests.interop.seen import (
    NEAR,
    WITHIN,
    Site,
    apart,
    attentions_of,
    found_in,
    given,
    in_words,
    model_of,
    run,
)
from tests.interop.test_families_import import _KEY, _QUERY

PAGE = Path(__file__).resolve().parents[2] / "docs" / "model-families.md"
BEGIN, END = "<!-- every: begin -->\n", "<!-- every: end -->\n"
FEW = (
    "arcee cohere deepseek_v3 diffllama mamba granite_swa electra longformer reformer xlnet marian led swin "
    "clip_vision_model wav2vec2 wavlm"
).split()
"""A few of every kind: decoders, encoders, both, pictures, sound; sinks, state spaces, windows, einsum."""
KINDS = [pytest.param(kind, marks=[] if kind in FEW else pytest.mark.long) for kind in TYPES]
every_kind = pytest.mark.parametrize("kind", KINDS)


NOWHERE = {
    "xlnet": "W_O is an einsum",
    "nystromformer": "a convolution of the values is added",
    "deepseek_v4": "they are rotated back",
    "ibert": "they are quantized",
    "granite_swa": "they are multiplied by what a sink leaves",
    "granitemoe_swa": "they are multiplied by what a sink leaves",
    "wavlm": "torch's own function projects them",
    "siglip_vision_model": "torch's own layer projects those of its head",
    "inkling2_text": "attention over the layers has a head per token",
    "prophetnet": "streams count as heads",
    "longt5": "blocks count as heads",
    "hiera": "windows count as heads",
}
"""Models in which the heads' outputs are in the input of no projection; weights · V is still compared with them."""


@every_kind
def test_what_is_captured_is_what_the_model_computes_or_it_is_refused(kind):
    for attention in attentions_of(kind):
        found = found_in(kind, attention)
        assert not in_words(found).startswith("differs"), found
        for one, site in zip(found.attentions, found.sites, strict=True):
            assert site or kind in NOWHERE, (one, attention)
            example = one.example(cut=True)
            if max(*one.weights.shape[1:], one.v.shape[-1]) <= 64:
                computed = trace(example)
                heads = len(example.heads)
                assert apart(computed["weights"].cpu(), one.weights[:heads]) <= NEAR
                own = one.v.double().repeat_interleave(len(one.weights) // len(one.v), 0)
                assert apart(computed["head_outputs"].cpu(), (one.weights.double() @ own)[:heads]) <= NEAR


# --- muted, and swept ----------------------------------------------------------------------------------------------


def muted_by_hooks(kind: str, attention: str, one: Captured, site: Site, head: int) -> Tensor:
    """The model's output with zeros in the head's columns, where they pass by."""
    width = one.v.shape[-1]

    def zero(name: str, call: int, tensor: Tensor) -> Tensor | None:
        if (name, call) != site[:2]:
            return None
        tensor = tensor.clone(memory_format=torch.contiguous_format)
        site.rows(tensor, one.samples)[..., head * width : (head + 1) * width] = 0
        return tensor

    return run(kind, attention, zero)


@every_kind
def test_without_a_head_its_columns_are_0_where_they_pass_by(kind):
    for attention in attentions_of(kind):
        found = found_in(kind, attention)
        for index, (one, site) in enumerate(zip(found.attentions, found.sites, strict=True)):
            if site is None:
                continue
            head = (2 * index + 1) % len(one.weights)
            model = model_of(kind, attention)
            changed = capture(model, given(kind), without=[(index, head)], **found.more)
            wanted = muted_by_hooks(kind, attention, one, site, head)
            scale = max(1.0, wanted.abs().max().item())
            assert apart(changed.after, wanted) <= WITHIN * scale, (one, site)


@every_kind
def test_a_sweep_changes_every_head_as_capture_does(kind):
    found = found_in(kind, "eager")
    if found.refused:
        return
    swept = sweep(model_of(kind, "eager"), given(kind), **found.more)
    head = len(found.attentions[-1].weights) - 1
    changed = capture(
        model_of(kind, "eager"), given(kind), without=[(-1 % len(swept.names), head)], **found.more
    )
    assert [len(row) - int(row.isnan().sum()) for row in swept.values] == [
        len(one.weights) for one in found.attentions
    ]
    assert swept.values[-1, head].item() == changed.largest


# --- imported ------------------------------------------------------------------------------------------------------


class Opened(NamedTuple):
    """What came of a layer in the saved model: how far it is off, or what was refused or not known."""

    off: float = 0.0
    refused: str = ""
    assumed: str = ""


@cache
def imported(kind: str) -> tuple[Opened, ...]:
    model: Any = made(kind)
    reads: list[tuple[Tensor, Tensor, Tensor]] = []

    def keep(module: Any, inputs: tuple[Any, ...], out: Any) -> None:
        if (
            inputs
            and isinstance(inputs[0], Tensor)
            and inputs[0].is_floating_point()
            and isinstance(out, Tensor)
        ):
            reads.append((module.weight.detach(), inputs[0].detach(), out.detach()))

    inputs = TYPES[kind].inputs(torch.float32)
    for part in model.modules():
        if isinstance(getattr(part, "weight", None), Tensor) and part.weight.dim() == 2:
            part.register_forward_hook(keep)
    with torch.no_grad():
        model(**inputs)
    own = list(reads)  # without those of the run that captures
    try:
        found = capture(model, inputs, **found_in(kind, "eager").more)
    except MhaError:
        found = []
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        try:
            weights = read_model(folder)
            all_layers = layers(weights, config_beside(folder))
        except MhaError as error:
            if not error.place:
                return (Opened(assumed="the names of its tensors are not known"),)
            return (Opened(refused=_general(error.place)),)
        return tuple(_opened(weights, layer, own, found) for layer in all_layers)


def _opened(
    weights: Mapping[str, Tensor], layer: Layer, reads: Sequence[Any], found: Sequence[Captured]
) -> Opened:
    def of(pattern: re.Pattern[str]) -> tuple[Tensor, Tensor]:
        wanted = weights[
            next(name for name in weights if name.startswith(layer.name) and pattern.search(name))
        ]
        return _read(reads, wanted)

    heads = layer.likely_heads
    try:
        x, context = of(_QUERY)[0], of(_KEY)[0]
    except (StopIteration, LookupError):  # a matrix that no module reads, as in torch's own layers
        return Opened(assumed="no module reads its matrix")
    part = Slice(
        tuple(range(heads)), layer.d_query, layer.width // heads, inputs="x", rows=tuple(range(len(x)))
    )
    try:
        example = open_layer({**weights, "x": x}, layer, part)
    except MhaError as error:
        return Opened(refused=_general(error.place))
    note = text_in(example.note or "", "en")
    if "This kind of model is unknown" in note or "not used" in note:
        return Opened(
            assumed="the kind of model is not known" if "unknown" in note else "heads of another width"
        )
    if not (layer.attends_to_itself and torch.equal(x, context)):
        example = validate(replace(example, context=matrix(context)))
    values = trace(example).values
    path = layer.name.rstrip("./")
    same = [
        one for one in found if f"{one.name}.".startswith(f"{path}.") or f"{path}.".startswith(f"{one.name}.")
    ]
    _, output = _read(reads, torch.tensor(example.w_o, dtype=torch.float64))
    return Opened(
        max(
            apart(torch.tensor(values["output"], dtype=torch.float64), output),
            apart(torch.tensor(values["weights"], dtype=torch.float64), same[0].weights) if same else 0.0,
        )
    )


def _read(reads: Sequence[Any], wanted: Tensor) -> tuple[Tensor, Tensor]:
    for weight, rows, out in reads:
        for candidate in (wanted, wanted.T):
            if weight.shape == candidate.shape and torch.equal(weight, candidate.to(weight.dtype)):
                return rows.reshape(-1, *rows.shape[-2:])[0], out.reshape(-1, *out.shape[-2:])[0]
    raise LookupError


def _general(place: str) -> str:
    """A tensor's name without its prefix, or the setting."""
    return (
        place.split(": ")[1]
        if ": " in place
        else place.removesuffix(".weight").removesuffix(".bias").split(".")[-1]
    )


@every_kind
def test_an_imported_layer_is_the_model_s_or_it_is_refused_or_said_to_be_assumed(kind):
    for opened in imported(kind):
        assert opened.refused or opened.assumed or opened.off <= NEAR, opened


# --- the table -----------------------------------------------------------------------------------------------------


def row_of(kind: str) -> str:
    eager = found_in(kind, "eager")
    fused = in_words(found_in(kind, "sdpa")) if "sdpa" in attentions_of(kind) else "not in transformers"
    opened = imported(kind)
    reasons = dict.fromkeys((each.refused and f"`{each.refused}`") or each.assumed for each in opened)
    whole = sum(not each.refused and not each.assumed for each in opened)
    count = "all layers" if whole == len(opened) else f"{whole} of {len(opened)} layers" if whole else "no"
    attentions = len(eager.attentions) or "–"
    why = ", ".join(filter(None, reasons))
    return f"| `{kind}` | {attentions} | {in_words(eager)} | {fused} | {count} | {why} |"


def written() -> dict[str, str]:
    """The rows in the docs, by kind."""
    rest = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
    return {line.split("`")[1]: line for line in rest.splitlines()[2:]}


def test_every_kind_is_in_the_docs():
    assert list(written()) == sorted(TYPES)


@every_kind
def test_the_row_in_the_docs_is_what_came_of_it(kind):
    assert written()[kind] == row_of(kind)


if __name__ == "__main__":
    head = (
        "| `model_type` | Attentions | Eager | sdpa | Imported | Not imported because of |\n"
        + "| --- " * 6
        + "|\n"
    )
    rows = head + "".join(f"{row_of(kind)}\n" for kind in sorted(TYPES))
    before, _, after = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + rows + END + after.partition(END)[2], "utf-8")
