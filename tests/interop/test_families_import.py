"""Attention layers of every family, imported from what ``save_pretrained`` writes: the model's weights, or a refusal.

``python -m tests.interop.test_families_import`` writes the table in docs/model-families.md again.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from mha_core import InteropError, trace
from mha_core.example.validate import validate
from mha_core.interop import Layer, Slice, config_beside, layers, open_layer, read_model
from mha_core.interop.parameters.packed import matrix
from tests.interop.families import D_MODEL, FAMILIES, HEADS, inputs, made

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "model-families.md"
BEGIN, END = "<!-- imported: begin -->\n", "<!-- imported: end -->\n"
NEAR = 1e-5
_FUSED = r"query_key_value|qkv_proj|Wqkv|c_attn|in_proj"
_QUERY = re.compile(rf"(query|query_proj|q_proj|q_lin|q|{_FUSED})\.weight\Z")
_KEY = re.compile(rf"(key|key_proj|k_proj|k_lin|k|{_FUSED})\.weight\Z")


@dataclass(frozen=True)
class Outcome:
    """The outcome of one layer: how far its weights and outputs are from the model's, or what was refused."""

    layer: str
    taken: tuple[str, ...] = ()
    off: float | None = None
    refused: str = ""


def opened(name: str, dtype: torch.dtype = torch.float32, max_shard_size: str = "1GB") -> tuple[Outcome, ...]:
    """The outcomes of all attention layers in the saved model, in the order of its tensors.

    The model is saved in ``dtype``, and computes with these numbers in float32.
    """
    model: Any = made(name)
    for weight in model.parameters():
        weight.data = weight.data.to(dtype).float()
    with tempfile.TemporaryDirectory() as folder:
        state = {name: tensor.to(dtype) for name, tensor in model.state_dict().items()}
        model.save_pretrained(folder, state_dict=state, max_shard_size=max_shard_size)
        recorder = _Recorder(model)
        with torch.no_grad():
            output = model(**inputs(name), output_attentions=True)
        weights = read_model(folder)
        index = re.compile(r"\d+")
        return tuple(
            _outcome(weights, layer, recorder, _weights_of(output, layer, int(index.search(layer.name)[0])))
            for layer in layers(weights, config_beside(folder))
        )


outcomes = cache(opened)


class _Recorder:
    """The first input and output of every module with a matrix."""

    def __init__(self, model: Any) -> None:
        self.calls: list[tuple[Tensor, Tensor, Tensor]] = []
        for module in model.modules():
            if isinstance(getattr(module, "weight", None), Tensor) and module.weight.dim() == 2:
                module.register_forward_hook(self._keep)

    def _keep(self, module, given, gave) -> None:
        if given[0].is_floating_point() and isinstance(gave, Tensor):  # no embedding, no router
            self.calls.append((module.weight.detach(), given[0].detach(), gave.detach()))

    def of(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Those of the first sentence, by the module's matrix, whether it is stored transposed or not."""
        return next(
            (given.reshape(-1, *given.shape[-2:])[0], gave.reshape(-1, *gave.shape[-2:])[0])
            for known, given, gave in self.calls
            if any(
                known.shape == candidate.shape and torch.equal(known, candidate.to(known.dtype))
                for candidate in (weight, weight.T)
            )
        )


def _weights_of(given: dict[str, Any], layer: Layer, index: int) -> Tensor:
    """The model's own weights of this layer for the first sentence, h × n_q × n_k."""
    which = "encoder_attentions" if layer.name.startswith("encoder.") else "decoder_attentions"
    if not layer.attends_to_itself:
        which = "cross_attentions"
    return given["attentions" if given.get("attentions") else which][index][0]


def _outcome(weights: Mapping[str, Tensor], layer: Layer, recorder: _Recorder, wanted: Tensor) -> Outcome:
    own = [name for name in weights if name.startswith(layer.name)]
    x, _ = recorder.of(weights[next(filter(_QUERY.search, own))])
    context, _ = recorder.of(weights[next(filter(_KEY.search, own))])
    part = Slice(tuple(range(HEADS)), D_MODEL, layer.width // HEADS, inputs="x", rows=tuple(range(len(x))))
    try:
        example = open_layer({**weights, "x": x}, layer, part)
    except InteropError as error:
        return Outcome(layer.name, refused=error.place)
    if not layer.attends_to_itself:
        example = validate(replace(example, context=matrix(context)))
    values = trace(example).values
    computed = torch.tensor(values["weights"], dtype=torch.float64)
    _, output = recorder.of(torch.tensor(example.w_o, dtype=torch.float64))
    off = max(
        float((computed - wanted).abs().max()),
        float((torch.tensor(values["output"], dtype=torch.float64) - output).abs().max()),
    )
    return Outcome(layer.name, layer.attention.taken, off)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_layer_has_the_model_s_weights_and_outputs_or_is_refused_by_name(name):
    for outcome in outcomes(name):
        assert outcome.refused or outcome.off < NEAR, (outcome.layer, outcome.off)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", FAMILIES)
def test_the_same_from_shards_of_16_bit_numbers(name, dtype):
    found = opened(name, dtype, "20KB")
    assert [(each.layer, each.taken, each.refused) for each in found] == [
        (each.layer, each.taken, each.refused) for each in outcomes(name)
    ]
    assert all(outcome.refused or outcome.off < NEAR for outcome in found), found


@pytest.mark.parametrize("name", FAMILIES)
def test_every_attention_layer_of_a_family_is_found(name):
    config = FAMILIES[name].config()
    layers_of = getattr(config, "num_hidden_layers", 2)
    expected = 1 if name == "ALBERT" else 6 if config.is_encoder_decoder else layers_of
    assert len(outcomes(name)) == expected


REFUSED = {
    "DeBERTa": {f"encoder.layer.{i}.attention.self.pos_proj.weight" for i in range(2)},
    "DeBERTa-v2": {"config.json: relative_attention"},
    "OLMo2": {f"layers.{i}.self_attn.k_norm.weight" for i in range(2)},
    "T5": {
        "config.json: relative_attention_num_buckets",
        "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
        "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
    },
}


@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_refused_is_named_and_nothing_else_is_refused(name):
    assert {outcome.refused for outcome in outcomes(name) if outcome.refused} == REFUSED.get(name, set())


# --- the table -------------------------------------------------------------------------------------------------


def table() -> str:
    """One row per family: how many of its layers are imported, with which settings, and why others are refused."""
    head = ["| Family | Imported | From `config.json` | Refused for |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *(_row(name, outcomes(name)) for name in FAMILIES)]) + "\n"


def _row(name: str, found: tuple[Outcome, ...]) -> str:
    imported = [outcome for outcome in found if not outcome.refused]
    count = "all layers" if len(imported) == len(found) else f"{len(imported)} of {len(found)} layers"
    names = dict.fromkeys(each for outcome in imported for each in outcome.taken)
    reasons = dict.fromkeys(_general(outcome.refused) for outcome in found if outcome.refused)
    cells = (count if imported else "no", ", ".join(names), ", ".join(reasons))
    return "| " + " | ".join([name, cells[0], *(f"`{cell}`" if cell else "" for cell in cells[1:])]) + " |"


def _general(place: str) -> str:
    """A tensor's name without its prefix, or the setting."""
    return (
        ".".join(place.removesuffix(".weight").split(".")[-1:]) if ": " not in place else place.split(": ")[1]
    )


def test_the_documented_table_is_what_import_does():
    _, _, rest = DOCUMENT.read_text("utf-8").partition(BEGIN)
    assert rest.partition(END)[0] == table()


if __name__ == "__main__":
    before, _, after = DOCUMENT.read_text("utf-8").partition(BEGIN)
    DOCUMENT.write_text(before + BEGIN + table() + END + after.partition(END)[2], "utf-8")
