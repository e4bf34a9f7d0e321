"""The programs, as a teacher would write them on the board. ``programs`` fills them in.

Left of the bar stands when a line is there: all the flags named, none of those after a ``!``. ``$name`` is filled in;
``$[name]`` is a comment from ``COMMENTS``, in the reader's language.
"""

from __future__ import annotations

from mha_core.errors import N_

COMMENTS = {
    "numpy": N_("Multi-head attention in NumPy, head by head, with the numbers of one example."),
    "scratch": N_(
        "Multi-head attention in PyTorch from scratch, all heads at once, with the numbers of one example."
    ),
    "torch": N_("The numbers of one example in PyTorch's own layer, torch.nn.MultiheadAttention."),
    "keras": N_(
        "The numbers of one example in Keras's own layer, keras.layers.MultiHeadAttention, on PyTorch."
    ),
    "asserts": N_("Run it: it ends by asserting that it gives these numbers."),
    "needs": N_("Needs:"),
    "x": N_("X: one row a token"),
    "context": N_("the context: keys and values come from it"),
    "given_q": N_("Q of every head, given: this example starts from them"),
    "given_k": N_("K of every head, given: this example starts from them"),
    "given_v": N_("V of every head, given: this example starts from them"),
    "own_q": N_("these heads start from their own Q"),
    "own_k": N_("these heads start from their own K"),
    "own_v": N_("these heads start from their own V"),
    "own_weights": N_("these heads start from their own weights"),
    "heads": N_("every head's own matrices"),
    "per_head": N_("one matrix a head"),
    "w_o": N_("W_O mixes the heads"),
    "no_w_o": N_("this example ends with Concat; a layer has a W_O, and the identity changes nothing"),
    "divisor": N_("what the scores are divided by"),
    "allow": N_("True: this query may attend to this key"),
    "causal": N_("query i may attend to keys 1 … i"),
    "added": N_("added to the scores; −∞ hides a pair"),
    "softmax": N_(
        "e^s over the row's sum. Subtracting the row's largest changes nothing and keeps e^s small."
    ),
    "dead_softmax": N_("A row of −∞ alone, a query that may attend to nothing, gets 0."),
    "one_head": N_("One head: its attention weights, and the weighted sum of its values."),
    "side_by_side": N_("the heads side by side"),
    "transpose": N_("heads side by side: to n_q × h × d_v first, and only then merged"),
    "expected": N_("What this example gives."),
    "pad": N_("Zeros to the right and below: they add nothing to any sum."),
    "why_pad": N_("The layer wants every size to be h·head_dim; zeros fill up what is missing."),
    "split": N_("each head has its own columns of it, so its weight is a part of the identity"),
    "join": N_("All heads in one matrix, transposed: its rows are outputs, as the library holds them."),
    "factor": N_("the layer divides by its own √d; W_Q makes up for the difference"),
    "hides": N_("In this layer True hides: the opposite of allow."),
    "allows": N_("In this layer True may attend."),
    "unbiased": N_("a layer has all biases or none; a missing one is 0"),
    "nan": N_("Where a query may attend to nothing, this layer gives NaN (0 ÷ 0); the example gives it 0."),
    "zero": N_(
        "A query that may attend to nothing gets 0 here as in Keras 3.15; other releases need not agree."
    ),
    "kernels": N_("A kernel is d × h × key_dim: the heads have an axis of their own."),
    "order": N_("query, value, key: in this order"),
    "ok": N_("All numbers agree."),
}

NUMPY = """
                     | # $title
                     | # $[numpy]
                     | # $[asserts] $[needs] numpy
                     |
                     | import numpy as np
                     |
x                    | # $[x]
x                    | x = np.array($x)
context              | # $[context]
context              | context = np.array($context)
                     | # $[heads]
                     | heads = $heads
w_o                  | # $[w_o]
w_o                  | w_o = np.array($w_o)
b_o                  | b_o = np.array($b_o)
scores scaled        | divisor = $divisor  # $[divisor]
scores causal        | allow = np.tril(np.ones(($n_q, $n_k), dtype=bool))  # $[causal]
scores allow         | # $[allow]
scores allow         | allow = np.array($allow)
scores added         | # $[added]
scores added         | mask = np.array($added)
scores               |
scores               |
scores               | def softmax(scores):
scores               |     # $[softmax]
scores !dead         |     powers = np.exp(scores - scores.max(axis=1, keepdims=True))
scores !dead         |     return powers / powers.sum(axis=1, keepdims=True)
scores dead          |     # $[dead_softmax]
scores dead          |     top = scores.max(axis=1, keepdims=True)
scores dead          |     powers = np.exp(scores - np.where(np.isinf(top), 0, top))
scores dead          |     total = powers.sum(axis=1, keepdims=True)
scores dead          |     return powers / np.where(total == 0, 1, total)
                     |
                     |
                     | def attention(head):
                     |     # $[one_head]
any_weights          |     if "weights" in head:
any_weights          |         weights = head["weights"]
any_weights scores   |     else:
scores               | $in_q = $make_q  # n_q × d_k
scores               | $in_k = $make_k  # n_k × d_k
scores               | $in_scores = q @ k.T  # n_q × n_k
scores scaled        | $in_scores = scores / divisor
scores hidden        | $in_scores = np.where(allow, scores, $fill)
scores added         | $in_scores = scores + mask
scores               | $in_weights = softmax(scores)
                     |     v = $make_v  # n_k × d_v
                     |     return weights, weights @ v
                     |
                     |
                     | weights, head_outputs = zip(*(attention(head) for head in heads))
                     | concat = np.concatenate(head_outputs, axis=1)  # $[side_by_side]: n_q × (h·d_v)
w_o !b_o             | output = concat @ w_o
w_o b_o              | output = concat @ w_o + b_o
                     |
                     | # $[expected]
                     | expected_weights = np.array($expected_weights)
                     | expected_concat = np.array($expected_concat)
w_o                  | expected_output = np.array($expected_output)
                     |
                     | np.testing.assert_allclose(weights, expected_weights, rtol=1e-9, atol=$atol)
                     | np.testing.assert_allclose(concat, expected_concat, rtol=1e-9, atol=$atol)
w_o                  | np.testing.assert_allclose(output, expected_output, rtol=1e-9, atol=$atol)
                     | print("$[ok]")
"""

SCRATCH = """
                     | # $title
                     | # $[scratch]
                     | # $[asserts] $[needs] torch
                     |
root                 | import math
root                 |
                     | import torch
                     |
                     | torch.set_default_dtype(torch.float64)
                     |
x                    | # $[x]
x                    | x = torch.tensor($x)
context              | # $[context]
context              | context = torch.tensor($context)
some_w_q             | # $[per_head]: h × d_model × d_k
some_w_q             | w_q = torch.tensor($w_q)
some_b_q             | b_q = torch.tensor($b_q)
some_w_k             | w_k = torch.tensor($w_k)
some_b_k             | b_k = torch.tensor($b_k)
some_w_v             | w_v = torch.tensor($w_v)
some_b_v             | b_v = torch.tensor($b_v)
w_o                  | # $[w_o]
w_o                  | w_o = torch.tensor($w_o)
b_o                  | b_o = torch.tensor($b_o)
scores scaled        | divisor = $math_divisor  # $[divisor]
scores causal        | allow = torch.ones($n_q, $n_k, dtype=torch.bool).tril()  # $[causal]
scores allow         | # $[allow]
scores allow         | allow = torch.tensor($allow)
scores added         | # $[added]
scores added         | mask = torch.tensor($added)
                     |
scores all_w_q       | q = x @ w_q$plus_b_q  # (n_q × d_model) @ (h × d_model × d_k): h × n_q × d_k
scores all_q         | # $[given_q]
scores all_q         | q = torch.tensor($q)
scores mixed_q       | q = torch.zeros($h, $n_q, $d_k)
scores mixed_q some_w_q | q[$heads_w_q] = x @ w_q$plus_b_q
scores mixed_q some_q | # $[own_q]
scores mixed_q some_q | q[$heads_q] = torch.tensor($q)
scores all_w_k       | k = $source @ w_k$plus_b_k
scores all_k         | # $[given_k]
scores all_k         | k = torch.tensor($k)
scores mixed_k       | k = torch.zeros($h, $n_k, $d_k)
scores mixed_k some_w_k | k[$heads_w_k] = $source @ w_k$plus_b_k
scores mixed_k some_k | # $[own_k]
scores mixed_k some_k | k[$heads_k] = torch.tensor($k)
all_w_v              | v = $source @ w_v$plus_b_v
all_v                | # $[given_v]
all_v                | v = torch.tensor($v)
mixed_v              | v = torch.zeros($h, $n_k, $d_v)
mixed_v some_w_v     | v[$heads_w_v] = $source @ w_v$plus_b_v
mixed_v some_v       | # $[own_v]
mixed_v some_v       | v[$heads_v] = torch.tensor($v)
scores               |
scores               | scores = q @ k.mT  # h × n_q × n_k
scores scaled        | scores = scores / divisor
scores hidden        | scores = scores.masked_fill(~allow, $fill)
scores added         | scores = scores + mask
scores               | weights = torch.softmax(scores, dim=-1)
scores dead          | # $[dead_softmax]
scores dead          | weights = weights.masked_fill((scores == -torch.inf).all(dim=-1, keepdim=True), 0)
any_weights scores   | # $[own_weights]
any_weights scores   | weights[$heads_weights] = torch.tensor($given_weights)
any_weights !scores  | # $[own_weights]
any_weights !scores  | weights = torch.tensor($given_weights)
                     |
                     | head_outputs = weights @ v  # h × n_q × d_v
                     | concat = head_outputs.transpose(0, 1).flatten(1)  # $[transpose]
w_o !b_o             | output = concat @ w_o
w_o b_o              | output = concat @ w_o + b_o
                     |
                     | # $[expected]
                     | expected_weights = torch.tensor($expected_weights)
                     | expected_concat = torch.tensor($expected_concat)
w_o                  | expected_output = torch.tensor($expected_output)
                     |
                     | torch.testing.assert_close(weights, expected_weights, rtol=1e-9, atol=$atol)
                     | torch.testing.assert_close(concat, expected_concat, rtol=1e-9, atol=$atol)
w_o                  | torch.testing.assert_close(output, expected_output, rtol=1e-9, atol=$atol)
                     | print("$[ok]")
"""

TORCH = """
                     | # $title
                     | # $[torch]
                     | # $[asserts] $[needs] torch
                     |
root                 | import math
root                 |
                     | import torch
                     | from torch import nn
                     |
                     | torch.set_default_dtype(torch.float64)
                     |
                     | num_heads, head_dim = $h, $head_dim
                     | embed_dim = num_heads * head_dim
                     |
x                    | # $[x]
x                    | x = torch.tensor($x)
context              | # $[context]
context              | context = torch.tensor($context)
given_q              | # $[given_q]
given_q              | queries = torch.tensor($given_rows_q)
given_k              | # $[given_k]
given_k              | keys = torch.tensor($given_rows_k)
given_v              | # $[given_v]
given_v              | values = torch.tensor($given_rows_v)
                     |
!given_q             | # $[per_head]
!given_q             | w_q = [$list_w_q]
given_q              | w_q = torch.eye($h * $d_k).chunk(num_heads, dim=1)  # $[split]
!given_k             | w_k = [$list_w_k]
given_k              | w_k = torch.eye($h * $d_k).chunk(num_heads, dim=1)
!given_v             | w_v = [$list_w_v]
given_v              | w_v = torch.eye($h * $d_v).chunk(num_heads, dim=1)
biased missing       | # $[unbiased]
biased               | b_q = [$list_b_q]
biased               | b_k = [$list_b_k]
biased               | b_v = [$list_b_v]
w_o                  | # $[w_o]
w_o                  | w_o = torch.tensor($w_o)
!w_o                 | w_o = torch.eye($concat_width)  # $[no_w_o]
b_o                  | b_o = torch.tensor($b_o)
biased !b_o          | b_o = torch.zeros($d_out)
rescaled             |
rescaled             | # $[factor]
rescaled             | factor = math.sqrt(head_dim)$divided
rescaled             | w_q = [weight * factor for weight in w_q]
rescaled biased      | b_q = [bias * factor for bias in b_q]
padded               |
padded               |
padded               | def pad(matrix, rows, columns):
padded               |     # $[pad]
padded               |     return nn.functional.pad(matrix, (0, columns - matrix.shape[1], 0, rows - matrix.shape[0]))
padded               |
padded               |
padded               | # $[why_pad]
pad_query            | query = pad($query, $n_q, embed_dim)
pad_w_q              | w_q = [pad(weight, embed_dim, head_dim) for weight in w_q]
pad_w_k              | w_k = [pad(weight, $kdim, head_dim) for weight in w_k]
pad_w_v              | w_v = [pad(weight, $vdim, head_dim) for weight in w_v]
biased pad_b_k       | b_q, b_k = ([pad(bias[None], 1, head_dim)[0] for bias in biases] for biases in (b_q, b_k))
biased pad_b_v       | b_v = [pad(bias[None], 1, head_dim)[0] for bias in b_v]
pad_w_o              | w_o = torch.cat([pad(part, head_dim, embed_dim) for part in w_o.chunk(num_heads)])
biased pad_b_o       | b_o = pad(b_o[None], 1, embed_dim)[0]
                     |
                     |
                     | def joined(heads):
                     |     # $[join]
                     |     return torch.cat(heads, dim=1).T
                     |
                     |
                     | layer = nn.MultiheadAttention(embed_dim, num_heads, bias=$biased$dims_argument)
                     | with torch.no_grad():
same                 |     layer.in_proj_weight.copy_(torch.cat([joined(w_q), joined(w_k), joined(w_v)]))
!same                |     layer.q_proj_weight.copy_(joined(w_q))
!same                |     layer.k_proj_weight.copy_(joined(w_k))
!same                |     layer.v_proj_weight.copy_(joined(w_v))
                     |     layer.out_proj.weight.copy_(w_o.T)
biased               |     layer.in_proj_bias.copy_(torch.cat([*b_q, *b_k, *b_v]))
biased               |     layer.out_proj.bias.copy_(b_o)
masked               |
causal               | allow = torch.ones($n_q, $n_k, dtype=torch.bool).tril()  # $[causal]
allow                | # $[allow]
allow                | allow = torch.tensor($allow)
hidden               | mask = ~allow  # $[hides]
added                | # $[added]
added                | mask = torch.tensor($added)
                     |
                     | output, weights = layer($call$mask_argument, average_attn_weights=False)
pad_output           | output = output[:, :$d_out]
                     |
                     | # $[expected]
                     | expected_weights = torch.tensor($expected_weights)
                     | expected_output = torch.tensor($expected_output)
                     |
dead                 | # $[nan]
dead hidden          | live = allow.any(dim=1)
dead added           | live = (mask > -torch.inf).any(dim=1)
dead                 | assert weights[:, ~live].isnan().all() and output[~live].isnan().all()
dead                 | weights, expected_weights = weights[:, live], expected_weights[:, live]
dead                 | output, expected_output = output[live], expected_output[live]
                     | torch.testing.assert_close(weights, expected_weights, rtol=1e-9, atol=$atol)
                     | torch.testing.assert_close(output, expected_output, rtol=1e-9, atol=$atol)
                     | print("$[ok]")
"""

KERAS = """
                     | # $title
                     | # $[keras]
                     | # $[asserts] $[needs] keras, torch
                     |
                     | import os
                     |
                     | os.environ.setdefault("KERAS_BACKEND", "torch")
                     |
                     | import keras
                     | import numpy as np
                     |
x                    | # $[x]
x                    | x = np.array($x)
context              | # $[context]
context              | context = np.array($context)
given_q              | # $[given_q]
given_q              | queries = np.array($given_rows_q)
given_k              | # $[given_k]
given_k              | keys = np.array($given_rows_k)
given_v              | # $[given_v]
given_v              | values = np.array($given_rows_v)
                     |
!given_q             | # $[per_head]
!given_q             | w_q = [$list_w_q]
given_q              | w_q = np.split(np.eye($h * $d_k), $h, axis=1)  # $[split]
!given_k             | w_k = [$list_w_k]
given_k              | w_k = np.split(np.eye($h * $d_k), $h, axis=1)
!given_v             | w_v = [$list_w_v]
given_v              | w_v = np.split(np.eye($h * $d_v), $h, axis=1)
biased missing       | # $[unbiased]
biased               | b_q = [$list_b_q]
biased               | b_k = [$list_b_k]
biased               | b_v = [$list_b_v]
w_o                  | # $[w_o]
w_o                  | w_o = np.array($w_o)
!w_o                 | w_o = np.eye($concat_width)  # $[no_w_o]
b_o                  | b_o = np.array($b_o)
biased !b_o          | b_o = np.zeros($d_out)
rescaled             |
rescaled             | # $[factor]
rescaled             | factor = np.sqrt($d_k)$divided
rescaled             | w_q = [weight * factor for weight in w_q]
rescaled biased      | b_q = [bias * factor for bias in b_q]
                     |
                     | layer = keras.layers.MultiHeadAttention(
                     |     num_heads=$h, key_dim=$d_k, value_dim=$d_v, output_shape=$d_out,
                     |     use_bias=$biased, dtype="float64",
                     | )
                     | layer.build($query[None].shape, $value[None].shape, $key[None].shape)  # $[order]
                     | # $[kernels]
                     | layer.set_weights([
                     |     np.stack(w_q, axis=1),
biased               |     np.array(b_q),
                     |     np.stack(w_k, axis=1),
biased               |     np.array(b_k),
                     |     np.stack(w_v, axis=1),
biased               |     np.array(b_v),
                     |     w_o.reshape($h, $d_v, $d_out),
biased               |     b_o,
                     | ])
masked               |
causal               | allow = np.tril(np.ones(($n_q, $n_k), dtype=bool))  # $[causal]
allow                | # $[allow]
allow                | allow = np.array($allow)
added                | # $[allow]
added                | allow = np.array($allow_of_added)
                     |
                     | # $[order]
masked               | # $[allows]
                     | output, weights = layer(
                     |     $query[None], $value[None], $key[None]$mask_argument, return_attention_scores=True
                     | )
                     | output, weights = keras.ops.convert_to_numpy(output)[0], keras.ops.convert_to_numpy(weights)[0]
                     |
                     | # $[expected]
                     | expected_weights = np.array($expected_weights)
                     | expected_output = np.array($expected_output)
                     |
dead                 | # $[zero]
                     | np.testing.assert_allclose(weights, expected_weights, rtol=1e-9, atol=$atol)
                     | np.testing.assert_allclose(output, expected_output, rtol=1e-9, atol=$atol)
                     | print("$[ok]")
"""
