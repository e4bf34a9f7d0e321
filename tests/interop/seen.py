"""What a kind of model computes in its attentions, seen by hooks that share no code with ``capture``, and what it
finds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from mha_core import MhaError
from mha_core.interop import Captured, capture
from mha_core.interop.running.changed import output_of
from tests.interop.families import made
from tests.interop.model_types import TYPES

WITHIN, NEAR = 1e-6, 1e-5


def attentions_of(kind: str) -> list[str]:
    return ["eager", "sdpa"] if getattr(TYPES[kind].build, "_supports_sdpa", False) else ["eager"]


def apart(one: Tensor, other: Tensor) -> float:
    if one.shape != other.shape:
        return torch.inf
    return (one.double() - other.double()).abs().max().item() if one.numel() else 0.0


# --- the model's own numbers ---------------------------------------------------------------------------------------


@cache
def dtype_of(kind: str) -> torch.dtype:
    """float64, if the model runs in it; some experts and tables are float32."""
    try:
        with torch.no_grad():
            made(kind, "eager", torch.float64)(**TYPES[kind].inputs(torch.float64))
    except RuntimeError:
        return torch.float32
    return torch.float64


@cache
def model_of(kind: str, attention: str) -> nn.Module:
    return made(kind, attention, dtype_of(kind))


def given(kind: str) -> dict[str, Tensor]:
    return TYPES[kind].inputs(dtype_of(kind))


def own_weights(kind: str) -> list[Tensor]:
    """What the model returns as its weights, samples × heads × queries × keys, in the order of computation."""
    with torch.no_grad():
        out: Any = model_of(kind, "eager")(**given(kind), output_attentions=True)
    if out.get("attentions") is not None:
        return [torch.stack(one) if isinstance(one, tuple) else one for one in out.attentions]
    encoder, decoder, cross = (
        out.get(f"{part}_attentions") or () for part in ("encoder", "decoder", "cross")
    )
    return [*encoder, *(one for pair in zip(decoder, cross, strict=True) for one in pair)]


FUNCTION = "attention function"
LAYOUTS = ("samples, tokens, columns", "tokens, samples, columns", "samples, columns, tokens")


class Site(NamedTuple):
    """Where the heads' outputs of an attention pass by: in the input of a projection, or a function's result.

    ``call``: which call of this module or function it is; ``layout``: its axes.
    """

    name: str
    call: int
    layout: str

    def rows(self, tensor: Tensor, samples: int) -> Tensor:
        """The tensor as samples × tokens × columns; a view, if it is contiguous."""
        match self.layout:
            case "samples, tokens, columns":
                return tensor.reshape(samples, -1, tensor.numel() // samples // self._tokens(tensor, samples))
            case "tokens, samples, columns":
                return tensor.reshape(tensor.shape[0], samples, -1).transpose(0, 1)
        return tensor.reshape(samples, tensor.shape[1], -1).transpose(1, 2)

    def _tokens(self, tensor: Tensor, samples: int) -> int:
        columns = tensor.shape[-1] * (tensor.shape[-2] if self.name == FUNCTION else 1)
        return tensor.numel() // samples // columns


@contextmanager
def passing(model: nn.Module, change: Callable[[str, int, Tensor], Tensor | None]) -> Iterator[None]:
    """Call ``change`` with the input of every projection and the result of transformers' attention functions.

    What it returns, unless None, goes on in its place. The module's name, or ``FUNCTION``, and the number of the call
    say which it is.
    """
    calls: dict[str, int] = {}

    def seen(name: str, tensor: Tensor) -> Tensor | None:
        calls[name] = calls.get(name, -1) + 1
        return change(name, calls[name], tensor)

    def before(name: str) -> Callable[[nn.Module, tuple[Any, ...]], Any]:
        def hook(_: nn.Module, inputs: tuple[Any, ...]) -> Any:
            new = seen(name, inputs[0]) if inputs and isinstance(inputs[0], Tensor) else None
            return None if new is None else (new, *inputs[1:])

        return hook

    def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            outputs, weights = function(*args, **more)
            new = seen(FUNCTION, outputs)
            return outputs if new is None else new, weights

        return call

    with ExitStack() as stack:
        for name, part in model.named_modules():
            if isinstance(part, nn.Linear | nn.Conv1d) or type(part).__name__ == "Conv1D":
                stack.callback(part.register_forward_pre_hook(before(name)).remove)
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        file = sys.modules[type(model).__module__]
        if hasattr(file, "eager_attention_forward"):
            patch.setattr(file, "eager_attention_forward", wrapped(file.eager_attention_forward))
            fused = wrapped(ALL_ATTENTION_FUNCTIONS["sdpa"])
            patch.setitem(ALL_ATTENTION_FUNCTIONS._global_mapping, "sdpa", fused)
        yield


def run(kind: str, attention: str, change: Callable[[str, int, Tensor], Tensor | None]) -> Tensor:
    model = model_of(kind, attention)
    with passing(model, change), torch.no_grad():
        return output_of(model(**given(kind)))


# --- captured ------------------------------------------------------------------------------------------------------


class Found(NamedTuple):
    """What was captured of a kind: the attentions of a run, with all samples; or the reason of a refusal.

    ``equal``: how many have weights that the model returns; ``returned``: how many of those there are; ``sites``: where
    their outputs pass by, None for those that do nowhere. ``more``: what ``capture`` was given besides.
    """

    attentions: tuple[Captured, ...] = ()
    equal: int = 0
    returned: int = 0
    sites: tuple[Site | None, ...] = ()
    more: Mapping[str, Any] = {}
    refused: str = ""


def every_sample(one: Captured, part: str) -> Tensor:
    """samples × heads × rows × columns."""
    samples = [one if n == one.sample else one.batch[n] for n in range(one.samples)]
    return torch.stack([getattr(each, part) for each in samples])


def same_weights(one: Captured, own: Tensor, within: float) -> bool:
    """Whether they are the model's: as it returns them, as means over heads (WavLM) or as scores (SqueezeBERT)."""
    weights = every_sample(one, "weights")
    if own.numel() != weights.numel() or own.shape[-2:] != weights.shape[-2:]:
        return False
    own = own.reshape(weights.shape)
    candidates = (own, own.softmax(-1))
    mean = weights.mean(1, keepdim=True).expand(weights.shape)
    return min(*(apart(weights, each) for each in candidates), apart(mean, own)) <= within


@cache
def found_in(kind: str, attention: str) -> Found:
    model: nn.Module = model_of(kind, attention)
    more: dict[str, Any] = {}
    try:
        try:
            attentions = tuple(capture(model, given(kind)))
        except MhaError as error:
            if "batch=" not in str(error):
                raise
            more = {"batch": 2}
            attentions = tuple(capture(model, given(kind), **more))
    except MhaError as error:
        return Found(refused=str(error), more=more)
    own = own_weights(kind)
    left, equal = list(own), 0
    within = WITHIN if attention == "eager" else NEAR  # the softmax of eager attention is in float32
    for one in attentions:
        position = next((n for n, weights in enumerate(left) if same_weights(one, weights, within)), None)
        if position is not None:
            left, equal = left[position + 1 :], equal + 1
    seen: dict[tuple[str, int], Tensor] = {}
    run(kind, attention, lambda name, call, tensor: seen.__setitem__((name, call), tensor.clone()))
    sites: list[Site | None] = []
    for one in attentions:
        taken = {site[:2] for site in sites if site}
        free = {key: tensor for key, tensor in seen.items() if key not in taken}
        sites.append(site_of(one, free))
    return Found(attentions, equal, len(own), tuple(sites), more)


def site_of(one: Captured, seen: Mapping[tuple[str, int], Tensor]) -> Site | None:
    """Where exactly these numbers pass by, as the first columns: others may follow, as in ConvBERT."""
    outputs = every_sample(one, "outputs").transpose(1, 2).flatten(2)
    samples, tokens, width = outputs.shape
    for key, tensor in seen.items():
        if tensor.dim() < 2 or tensor.numel() < outputs.numel() or tensor.numel() % (samples * tokens):
            continue
        for layout in LAYOUTS:
            site = Site(*key, layout)
            try:
                rows = site.rows(tensor, samples)
            except RuntimeError:  # other axes
                continue
            if (
                rows.shape[1] == tokens
                and rows.shape[2] >= width
                and apart(rows[..., :width], outputs) <= WITHIN
            ):
                return site
    return None


def in_words(found: Found) -> str:
    if found.refused:
        into = re.search(r"softmax went into (\w+)", found.refused)
        if into:
            return f"refused: softmax goes into `{into[1]}`"
        return (
            "refused: no softmax"
            if "nor softmax was called" in found.refused
            else "refused: samples or heads"
        )
    count, batch = len(found.attentions), ", with `batch=2`" if found.more else ""
    if found.equal < min(count, found.returned):
        return f"differs: {found.equal} of {found.returned}"
    seen = "equal" if found.equal == found.returned else f"equal, {found.equal} of {found.returned}"
    return seen + batch
