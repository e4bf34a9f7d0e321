"""What transformers computes, with its own eager attention: every weight, every hidden state, every logit."""

import sys
from contextlib import contextmanager

import torch
from torch import nn
from transformers import modeling_rope_utils


class _Double:
    """torch with double precision in place of single."""

    float32 = float = torch.float64

    def __getattr__(self, name):
        return getattr(torch, name)


@contextmanager
def in_double(model):
    """The model's own code in float64: some of it uses float32 by name, whatever the model's dtype."""
    modules = [sys.modules[type(model).__module__], modeling_rope_utils]
    before = [module.torch for module in modules]
    for module in modules:
        module.torch = _Double()
    try:
        yield type(model)(model.config).eval().double()
    finally:
        for module, own in zip(modules, before, strict=True):
            module.torch = own


def reference(model, dtype, ids, mask=None, segments=None, without=()):
    """Attentions (L × b × h × n × n), hidden states and logits of a model that transformers made."""
    model.set_attn_implementation("eager")
    state = model.state_dict()
    if dtype == torch.float32:
        return _computed(model, ids, mask, segments, without)
    with in_double(model) as double:
        double.set_attn_implementation("eager")
        double.load_state_dict(state)
        return _computed(double, ids, mask, segments, without)


def _computed(model, ids, mask, segments, without):
    hooks = [_silence(model, layer, head) for layer, head in without]
    more = {} if segments is None else {"token_type_ids": segments}
    with torch.no_grad():
        found = model(
            input_ids=ids, attention_mask=mask, output_attentions=True, output_hidden_states=True, **more
        )
    for hook in hooks:
        hook.remove()
    return found


OUTPUTS = (
    "attention.output.dense",
    "attention.out_lin",
    "attn.c_proj",
    "self_attn.o_proj",
)
"""How the names of W_O end."""


def _silence(model, layer, head):
    """A hook that sets one head's output before W_O to 0."""
    outputs = [part for name, part in model.named_modules() if name.endswith(OUTPUTS)]
    heads = model.config.num_attention_heads

    def before(part: nn.Module, given):
        x = given[0].clone()
        size = x.shape[-1] // heads
        x[..., head * size : (head + 1) * size] = 0
        return (x, *given[1:])

    return outputs[layer].register_forward_pre_hook(before)
