"""The attention captured from a small model of every family is what it computes, for all layers and samples.

docs/model-families.md has the results.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from mha_core import InteropError, trace
from mha_core.example.band import BandMask
from mha_core.example.model import Mask
from mha_core.interop import Captured, Slice, capture, config_beside, layers, open_layer, read_model
from tests.interop.families import FAMILIES, HEADS, inputs, made

PAGE = Path(__file__).resolve().parents[2] / "docs" / "model-families.md"
BEGIN, END = "<!-- captured: begin -->\n", "<!-- captured: end -->"
WITHIN = 1e-6
MISSING = "not in transformers"
HAS_SDPA = [name for name, family in FAMILIES.items() if getattr(family.build, "_supports_sdpa", False)]
CASES = [(name, "eager") for name in FAMILIES] + [(name, "sdpa") for name in HAS_SDPA]


def dtype_of(name: str) -> torch.dtype:
    """float64, so that rounding hides no fault; only gpt-oss is float32, the one dtype of its experts."""
    return torch.float32 if name == "gpt-oss" else torch.float64


@contextmanager
def concatenated(model: nn.Module, name: str) -> Iterator[list[Tensor]]:
    """The inputs of the model's output projections in a run: the heads' outputs side by side."""
    captured: list[Tensor] = []
    ends = [part for at, part in model.named_modules() if at.endswith(FAMILIES[name].output)]
    hooks = [end.register_forward_pre_hook(lambda _, given: captured.append(given[0])) for end in ends]
    yield captured
    for hook in hooks:
        hook.remove()


@cache
def attentions(name: str) -> list[Tensor]:
    """The model's own attention weights, samples × heads × queries × keys, in the order of computation."""
    with torch.no_grad():
        out: Any = made(name, "eager", dtype_of(name))(**inputs(name, dtype_of(name)), output_attentions=True)
    if out.get("attentions") is not None:
        return list(out.attentions)
    pairs = zip(out.decoder_attentions, out.cross_attentions, strict=True)
    return [*out.encoder_attentions, *(one for pair in pairs for one in pair)]


def apart(captured: Tensor, wanted: Tensor) -> float:
    return (captured.double().cpu() - wanted.double()).abs().max().item()


def differs(one: Captured, weights: Tensor, concat: Tensor) -> float:
    """How far a sample's weights and weights · V are from the model's, and how far its example is from both."""
    own = one.v.double().repeat_interleave(len(one.weights) // len(one.v), 0)
    computed = trace(one.example())
    return max(
        apart(one.weights, weights),
        apart((one.weights.double() @ own).transpose(0, 1).flatten(1), concat),
        apart(computed["weights"], weights),
        apart(computed["head_outputs"].transpose(0, 1).flatten(1), concat),
    )


@cache
def outcome(name: str, attention: str) -> tuple[str, str]:
    """The outcome in words, and what the heads of an example start from."""
    model, given, starts = made(name, attention, dtype_of(name)), inputs(name, dtype_of(name)), set()
    for sample in range(2):
        with concatenated(model, name) as outputs:
            try:
                captured = capture(model, given, sample=sample)
            except InteropError as error:
                return f"refused: {error}", ""
        assert len(captured) == len(outputs) == len(attentions(name))
        for one, weights, concat in zip(captured, attentions(name), outputs, strict=True):
            rows = concat.reshape(2, len(one.outputs[0]), -1)[sample]
            if not differs(one, weights[sample], rows) <= WITHIN:
                return f"differs in {one.name}, sample {sample}", ""
            starts.add("their weights" if one.example().heads[0].q is None else "Q, K and V")
    return "equal", ", ".join(sorted(starts))


def table() -> str:
    """The table of the docs, from the results."""
    rows = [
        "| Family | Attentions | Eager | sdpa | Heads of an example start from |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in FAMILIES:
        eager, starts = outcome(name, "eager")
        fused = outcome(name, "sdpa")[0] if name in HAS_SDPA else MISSING
        rows.append(f"| {name} | {len(attentions(name))} × {HEADS} heads | {eager} | {fused} | {starts} |")
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(("name", "attention"), CASES)
def test_what_is_captured_is_what_the_model_computes_or_it_is_refused(name, attention):
    said, _ = outcome(name, attention)
    assert said == "equal" or said.startswith("refused: ")


def test_the_table_in_the_docs_is_what_was_captured():
    page = PAGE.read_text("utf-8")
    assert page[page.index(BEGIN) + len(BEGIN) : page.index(END)] == table()


WINDOW = BandMask(4, causal=True)
WINDOWS: dict[str, list[Mask]] = {
    "Mistral": [WINDOW, WINDOW],
    "Gemma 2": [WINDOW, "causal"],
    "Gemma 3": [WINDOW, "causal"],
    "gpt-oss": [WINDOW, "causal"],
    "GPT-Neo": ["causal", WINDOW],
    "ModernBERT": [None, BandMask(2)],
    "Llama": ["causal", "causal"],
}
"""The masks of both layers. ModernBERT's ``local_attention`` of 4 is 2 keys on each side."""


@pytest.mark.parametrize("name", sorted(WINDOWS.keys() - {"gpt-oss"}))
def test_the_captured_mask_is_the_model_s_window(name):
    captured = capture(made(name, "eager", dtype_of(name)), inputs(name, dtype_of(name)))
    examples = [one.example() for one in captured]
    assert [example.mask for example in examples] == WINDOWS[name]
    for example in examples:
        assert isinstance(example.note, dict)
        assert ("window of" in example.note["en"]) is isinstance(example.mask, BandMask)


@pytest.mark.parametrize("name", WINDOWS)
def test_the_imported_mask_is_the_model_s_window(name, tmp_path):
    model: Any = made(name)
    model.save_pretrained(tmp_path)
    weights = read_model(tmp_path)
    part = Slice((0,), tokens=6)
    found = [
        open_layer(weights, layer, part, leave_out=True) for layer in layers(weights, config_beside(tmp_path))
    ]
    assert [example.mask for example in found] == WINDOWS[name]
