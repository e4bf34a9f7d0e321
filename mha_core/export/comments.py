"""The comments of programs, by the names that the templates call them."""

from __future__ import annotations

from mha_core.errors import N_

COMMENTS = {
    "numpy": N_("Multi-head attention in NumPy, head by head, with the numbers of one example."),
    "scratch": N_(
        "Multi-head attention in PyTorch from scratch, all heads at once, with the numbers of one example."
    ),
    "torch": N_("The numbers of one example in PyTorch's own layer, torch.nn.MultiheadAttention."),
    "function": N_(
        "The numbers of one example in PyTorch's own function, torch.nn.functional.scaled_dot_product_attention."
    ),
    "why_function": N_(
        "torch.nn.MultiheadAttention allows nothing between projecting and scoring. This "
        "function does the scoring and what follows."
    ),
    "why_weights": N_(
        "torch.nn.MultiheadAttention needs a W_V, but this example stops at the attention "
        "weights. This function returns them."
    ),
    "keras": N_(
        "The numbers of one example in Keras's own layer, keras.layers.MultiHeadAttention, on PyTorch."
    ),
    "keras_groups": N_(
        "The numbers of one example in Keras's own layer, keras.layers.GroupQueryAttention, on PyTorch."
    ),
    "asserts": N_("Run it. The last lines assert that it gives these numbers."),
    "needs": N_("Needs:"),
    "x": N_("X: one row per token"),
    "context": N_("the context, which keys and values come from"),
    "position_ids": N_("the position of each token"),
    "context_position_ids": N_("the position of each key"),
    "frequencies": N_("one per pair of columns"),
    "encoding": N_("positional encodings: alternating sines and cosines, added to the rows"),
    "distances": N_("from each query to each key"),
    "given_q": N_("given Q of every head: this example starts here"),
    "given_k": N_("given K of every head: this example starts here"),
    "given_v": N_("given V of every head: this example starts here"),
    "own_q": N_("these heads start from their own Q"),
    "own_k": N_("these heads start from their own K"),
    "own_v": N_("these heads start from their own V"),
    "own_weights": N_("these heads start from their own weights"),
    "in_order": N_("in the order of the heads"),
    "heads": N_("every head's own matrices"),
    "heads_shared": N_(
        "every head's own matrices; the first head of each group holds K and V for the whole group"
    ),
    "per_head": N_("one matrix per head"),
    "per_group": N_("one matrix per group of heads, which share it"),
    "scoring": N_("the scoring parameters, one set per head"),
    "slopes": N_("how much each step of distance costs in each head"),
    "w_o": N_("W_O mixes the heads"),
    "no_w_o": N_(
        "this example ends with Concat; a layer needs a W_O, and the identity matrix changes nothing"
    ),
    "divisor": N_("the scores are divided by this"),
    "softcap": N_("so that no score is larger than this"),
    "sinks": N_("a score without a key in each head; −1e300 adds nothing: a head without a sink"),
    "sink": N_("The sink adds e^sink to each row's sum, so the weights of a row sum to less than 1."),
    "allow": N_("True: this query may attend to this key"),
    "causal": N_("each query may attend to the key at its own position and to earlier ones"),
    "own_masks": N_("one mask per head"),
    "causal_window": N_("A causal window: so many keys, the last at the query's own position"),
    "window": N_("A window: the key at the query's own position, and so many on each side"),
    "top_left": N_("The mask starts at the top left corner, as torch's is_causal does: n_q and n_k differ."),
    "lower_right": N_(
        "The mask ends at the bottom right corner, as torch's causal_lower_right does: n_q and n_k differ."
    ),
    "added": N_("added to the scores; −∞ masks a pair"),
    "short_rows": N_(
        "the square of a very small number is 0, so each row is first divided by its largest "
        "number, which does not change its direction"
    ),
    "softmax": N_(
        "e^s over the row's sum. Subtracting the row's largest score changes nothing and keeps e^s small."
    ),
    "fully_masked_softmax": N_("A row of only −∞ (a query that is not allowed to attend to any key) gets 0."),
    "rotate": N_("Rotates each pair of columns by its angle."),
    "rotate_halves": N_(
        "Rotates each column of the first half with its partner in the second half by their angle."
    ),
    "unit": N_("rows of length 1: only directions matter"),
    "gains": N_("what the normalized queries and keys are multiplied by"),
    "norm": N_("each row divided by the root of its mean square, times gains"),
    "zero_rows": N_("rows of length 1; a row of zeros has no direction and stays 0"),
    "one_head": N_("One head: its attention weights, and the weighted sum of its values."),
    "one_heads_weights": N_("One head: its attention weights. This example has no values, so it stops here."),
    "shared": N_("consecutive heads share them"),
    "firsts": N_("each head uses K and V of the first head in its group"),
    "side_by_side": N_("the heads side by side"),
    "transpose": N_("heads side by side: first to n_q × h × d_v, then merged"),
    "identity_v": N_("with the identity matrix as V, the output is the weights"),
    "expected": N_("The result of this example."),
    "pad": N_("Zeros to the right and below: they add nothing to any sum."),
    "why_pad": N_("The layer requires every size to be h·head_dim, so zeros are appended."),
    "pad_group": N_("The layer's output is as wide as its query, so zeros are appended."),
    "split": N_("each head takes its own columns, so its matrix is a part of the identity matrix"),
    "repeat": N_("this layer has K and V in every head, so heads that share them get copies"),
    "fold": N_("(q·W_a)·k is the dot product of q·W_a and k, so W_a can be folded into W_Q"),
    "join": N_("All heads in one matrix, transposed: its rows are outputs, as the library stores them."),
    "factor": N_("the layer divides by its own √d, so the difference is folded into W_Q"),
    "hides": N_("In this layer, True means masked: the opposite of allow."),
    "linear": N_("−slope·distance is added to the scores, so it goes into the mask, one per head"),
    "allows": N_("In this layer, True means not masked."),
    "unbiased": N_("a layer has all biases or none, so missing biases are 0"),
    "nan": N_(
        "If a query is not allowed to attend to any key, this layer gives NaN (0 ÷ 0). The example gives 0."
    ),
    "zero": N_(
        "A query that is not allowed to attend to any key gets 0 here, as in Keras 3.15. "
        "Other releases may differ."
    ),
    "between": N_("The layer does the projections. This code replaces how Q, K and V are combined."),
    "letters": N_("b: the batch, i: queries, j: keys, h: heads, d and c: columns"),
    "kernels": N_("A kernel is d × h × key_dim: the heads have their own axis."),
    "order": N_("query, value, key: in this order"),
    "leaves": N_("what the loss is differentiated by"),
    "no_slope": N_("a row of zeros passes no derivative on"),
    "goal": N_("The goal: its loss, and the derivative of the loss by every given number."),
    "backward": N_("The backward pass: how the loss of the goal changes with every number. _1 is head 1."),
    "ok": N_("All numbers agree."),
}
