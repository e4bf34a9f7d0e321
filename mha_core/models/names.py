"""The names of tensors in the files of each kind of model, without ``.weight`` and ``.bias``."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Names:
    """``root``: the prefix of all names except those of the guesser; files of the bare model omit it. ``layer``: the
    prefix for layer ``{}``. A part that a kind of model lacks has an empty name. ``dense``, ``guess_norm``,
    ``guess_words``, ``guess_bias``: what turns a token's last vector into a guess of a word. ``packed``: Q, K and V
    have one matrix, and matrices are stored d_in × d_out.
    """

    root: str
    words: str
    layer: str
    output: str
    attention_norm: str
    up: str
    down: str
    inner_norm: str
    query: str = ""
    key: str = ""
    value: str = ""
    packed: str = ""
    gate: str = ""
    positions: str = ""
    segments: str = ""
    embedding_norm: str = ""
    final_norm: str = ""
    dense: str = ""
    guess_norm: str = ""
    guess_words: str = ""
    guess_bias: str = ""


BERT = Names(
    root="bert.",
    words="embeddings.word_embeddings",
    positions="embeddings.position_embeddings",
    segments="embeddings.token_type_embeddings",
    embedding_norm="embeddings.LayerNorm",
    layer="encoder.layer.{}.",
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    output="attention.output.dense",
    attention_norm="attention.output.LayerNorm",
    up="intermediate.dense",
    down="output.dense",
    inner_norm="output.LayerNorm",
    dense="cls.predictions.transform.dense",
    guess_norm="cls.predictions.transform.LayerNorm",
    guess_words="cls.predictions.decoder",
    guess_bias="cls.predictions.bias",
)
ROBERTA = replace(
    BERT,
    root="roberta.",
    dense="lm_head.dense",
    guess_norm="lm_head.layer_norm",
    guess_words="lm_head.decoder",
    guess_bias="lm_head.bias",
)
DISTILBERT = Names(
    root="distilbert.",
    words="embeddings.word_embeddings",
    positions="embeddings.position_embeddings",
    embedding_norm="embeddings.LayerNorm",
    layer="transformer.layer.{}.",
    query="attention.q_lin",
    key="attention.k_lin",
    value="attention.v_lin",
    output="attention.out_lin",
    attention_norm="sa_layer_norm",
    up="ffn.lin1",
    down="ffn.lin2",
    inner_norm="output_layer_norm",
    dense="vocab_transform",
    guess_norm="vocab_layer_norm",
    guess_words="vocab_projector",
    guess_bias="vocab_projector.bias",
)
GPT2 = Names(
    root="transformer.",
    words="wte",
    positions="wpe",
    layer="h.{}.",
    packed="attn.c_attn",
    output="attn.c_proj",
    attention_norm="ln_1",
    up="mlp.c_fc",
    down="mlp.c_proj",
    inner_norm="ln_2",
    final_norm="ln_f",
    guess_words="lm_head",
)
LLAMA = Names(
    root="model.",
    words="embed_tokens",
    layer="layers.{}.",
    query="self_attn.q_proj",
    key="self_attn.k_proj",
    value="self_attn.v_proj",
    output="self_attn.o_proj",
    attention_norm="input_layernorm",
    up="mlp.up_proj",
    gate="mlp.gate_proj",
    down="mlp.down_proj",
    inner_norm="post_attention_layernorm",
    final_norm="norm",
    guess_words="lm_head",
)
NAMES = {
    "bert": BERT,
    "roberta": ROBERTA,
    "xlm-roberta": ROBERTA,
    "distilbert": DISTILBERT,
    "gpt2": GPT2,
    "llama": LLAMA,
    "mistral": LLAMA,
    "qwen2": LLAMA,
}
"""The names by the kind of model, its ``model_type``."""
