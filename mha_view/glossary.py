"""The glossary on the pages: docs/glossary.md has the same terms and meanings, and the terms not to use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from mha_core.errors import N_


class Entry(NamedTuple):
    """A term of the field, and what it means."""

    term: str
    meaning: str


GLOSSARY: Final = {
    "token": Entry(N_("token"), N_("A word, part of a word, or a symbol. Each token is one row of X.")),
    "embedding": Entry(N_("embedding, X"), N_("The layer's input: one row of numbers per token.")),
    "context": Entry(
        N_("context"), N_("In cross-attention, the second sequence, which keys and values come from.")
    ),
    "sources": Entry(
        N_("self-attention, cross-attention"),
        N_(
            "In self-attention, queries, keys and values all come from one sequence. In "
            "cross-attention, keys and values come from a second one."
        ),
    ),
    "roles": Entry(
        N_("query, key, value"),
        N_(
            "A query is what a token looks for, a key is what queries are compared with, and a value "
            "is what the token passes on: Q = X·W_Q, K = X·W_K, V = X·W_V."
        ),
    ),
    "score": Entry(
        N_("attention score"),
        N_(
            "How well a query and a key match. With dot products (matching numbers multiplied, and the "
            "products added), the scores are Q·Kᵀ."
        ),
    ),
    "scaled": Entry(N_("scaled score"), N_("A score divided by the divisor, usually √d_k.")),
    "masked": Entry(N_("masked score"), N_("A score after the mask has been applied.")),
    "mask": Entry(
        N_("mask, masked"),
        N_("Which keys a query is not allowed to attend to. The masked scores become −∞ before softmax."),
    ),
    "causal": Entry(
        N_("causal mask, custom mask"),
        N_(
            "A causal mask lets each token attend only to itself and earlier tokens. A custom mask is "
            "any other mask."
        ),
    ),
    "window": Entry(
        N_("sliding window"),
        N_(
            "Each query may attend only to the keys near its own position. In a causal window of 3, these are "
            "the key at its position and the two before it."
        ),
    ),
    "corner": Entry(
        N_("top left, bottom right"),
        N_(
            "How a mask is aligned if there are not as many queries as keys: the first query is at the first key, or "
            "the last query at the last key."
        ),
    ),
    "fully_masked": Entry(
        N_("fully masked query"),
        N_("A query that is not allowed to attend to any key. Its weights and its output are 0."),
    ),
    "weight": Entry(
        N_("attention weight"),
        N_("The softmax of a row of scores. Weights are never negative, and each row sums to 1."),
    ),
    "softmax": Entry(
        N_("softmax"),
        N_(
            "Raises e ≈ 2.718 to the power of each number of a row, and divides each result by their sum. "
            "The results are positive and sum to 1."
        ),
    ),
    "matrix": Entry(
        N_("projection matrix"),
        N_(
            "A matrix such as W_Q, which turns a token's row into its query, key or value. In a real model "
            "its numbers are learned."
        ),
    ),
    "head": Entry(N_("attention head"), N_("One set of W_Q, W_K and W_V, with everything computed from it.")),
    "head_output": Entry(
        N_("head output"), N_("Weights · V: for each query, a weighted average of the rows of V.")
    ),
    "average": Entry(
        N_("weighted average"), N_("Each value times its weight, summed. The weights sum to 1.")
    ),
    "concatenation": Entry(N_("concatenation"), N_("The head outputs side by side.")),
    "projection": Entry(N_("output projection"), N_("The output of the layer: Concat · W_O + b_O.")),
    "mute": Entry(N_("mute a head"), N_("Set its output to 0.")),
    "grouped": Entry(N_("grouped-query attention"), N_("Several heads share keys and values.")),
    "divisor": Entry(N_("divisor, temperature"), N_("What scores are divided by before softmax.")),
    "softcap": Entry(
        N_("softcap"), N_("A number c that no score exceeds: a score s becomes c·tanh(s/c) before softmax.")
    ),
    "norm": Entry(
        N_("norm of queries and keys"),
        N_(
            "Divides each query and key by the root of its mean square and multiplies the columns by learned gains."
        ),
    ),
    "saturation": Entry(
        N_("saturation"),
        N_("When softmax gives almost all the weight to one key, so that its gradients nearly vanish."),
    ),
    "entropy": Entry(N_("entropy"), N_("How evenly a row of weights is spread.")),
    "gradient": Entry(
        N_("gradient"), N_("How fast one number changes when another one changes: the derivative.")
    ),
    "positions": Entry(
        N_("positional encoding, rotary positions, ALiBi"),
        N_("Ways to tell the model the order of the tokens."),
    ),
    "conventions": Entry(
        N_("row convention, column convention"),
        N_(
            "The row convention writes X·W, with one token per row. The column convention writes W·X, "
            "with one token per column."
        ),
    ),
    "sink": Entry(
        N_("attention sink"),
        N_("A token, or an extra logit, that absorbs weight a head has no use for."),
    ),
    "overlap": Entry(N_("overlap"), N_("The share of attention that two heads spend on the same keys.")),
    "block": Entry(
        N_("block"),
        N_("One layer of a transformer: norm, attention, residual sum, norm, MLP, residual sum."),
    ),
    "residual": Entry(
        N_("residual connection"),
        N_("The path around attention or the MLP: what they compute is added to their input."),
    ),
    "layer_norm": Entry(
        N_("layer normalization"),
        N_("Brings each row to mean 0 and standard deviation 1, before or after attention and the MLP."),
    ),
    "mlp": Entry(
        N_("MLP, multilayer perceptron"),
        N_(
            "The small network of a block. It works on each token by itself: times W_1, negative numbers "
            "become 0, times W_2."
        ),
    ),
    "cache": Entry(
        N_("key-value cache"),
        N_(
            "The keys and values of earlier tokens, stored while a decoder writes, so that they are not computed again."
        ),
    ),
    "baseline": Entry(N_("baseline, pin, unpin"), N_("Pinned numbers that later numbers are compared with.")),
}
"""Terms in the order in which one meets them."""

_OF_MATRIX: Final = {
    "x": ("token", "embedding"),
    "context": ("context", "sources"),
    "position_ids": ("positions",),
    "w_q": ("matrix", "head"),
    "q": ("roles",),
    "q_normed": ("norm",),
    "q_rotated": ("positions",),
    "scores": ("score",),
    "scaled_scores": ("scaled", "divisor"),
    "capped_scores": ("softcap",),
    "linear_biases": ("positions",),
    "mask": ("mask", "causal", "window", "corner", "fully_masked"),
    "masked_scores": ("masked",),
    "sink": ("sink",),
    "weights": ("weight", "softmax"),
    "head_outputs": ("head_output", "average"),
    "concat": ("concatenation",),
    "output": ("projection",),
}


def terms_of(matrices: Iterable[str]) -> list[str]:
    """The terms that the tables of these matrices need explained."""
    return [term for name in matrices for term in _OF_MATRIX.get(name, ())]
