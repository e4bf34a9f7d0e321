"""The programs, as a teacher would write them on the board. ``programs`` fills them in with ``sheet``.

Left of the bar are a line's flags: the line is included where all of them are set and none after a ``!``. A flag is the
name of a matrix that the example computes or reads (``q_rotated``, ``frequencies``: names of the declared computation),
or a fact that ``programs`` or ``sheet`` found. ``$name`` is replaced by a value, such as ``$np`` and ``$array`` by the
library's names; ``$[name]`` is a comment from ``comments``, in the reader's language.
"""

from __future__ import annotations

# --- parts that several programs have --------------------------------------------------------------------------

X = """
x                    | # $[x]
x                    | x = $array($x)
context              | # $[context]
context              | context = $array($context)
position_ids         | positions = $position_ids  # $[position_ids]
context_position_ids | context_positions = $context_position_ids  # $[context_position_ids]
frequencies          | frequencies = $frequencies  # $[frequencies]
context_frequencies  | context_frequencies = $context_frequencies
angles               | angles = $np.outer(positions, frequencies)
context_angles       | context_angles = $np.outer(context_positions, $frequencies_of_context)
x_positioned         | encoding = $np.zeros_like(x)  # $[encoding]
x_positioned         | encoding[:, 0::2] = $np.sin(angles)
x_positioned cosines | encoding[:, 1::2] = $np.cos($paired_angles)
x_positioned         | x = x + encoding
context_positioned   | context_encoding = $np.zeros_like(context)
context_positioned   | context_encoding[:, 0::2] = $np.sin(context_angles)
context_positioned context_cosines | context_encoding[:, 1::2] = $np.cos($paired_context_angles)
context_positioned   | context = context + context_encoding
"""

W_O = """
w_o                  | # $[w_o]
w_o                  | w_o = $array($w_o)
b_o                  | b_o = $array($b_o)
"""

MASK = """
masked_scores apart !lower_right | # $[top_left]
masked_scores apart lower_right | # $[lower_right]
masked_scores window !both_sides | # $[causal_window]
masked_scores window both_sides | # $[window]
masked_scores window | window = $window
masked_scores causal | allow = $band  # $[causal]
masked_scores window | allow = $band
masked_scores own_masks !in_heads | # $[own_masks]
masked_scores allow !in_heads | # $[allow]
masked_scores allow !in_heads | allow = $array($allow)
masked_scores added !in_heads | # $[added]
masked_scores added !in_heads | mask = $array($added)
linear_biases        | distances = $np.abs(positions[:, None] - $key_positions)  # $[distances]
"""

ROTATE = """
q_rotated            |
q_rotated            |
q_rotated            | def rotate(rows, angles):
q_rotated !halves    |     # $[rotate]
q_rotated !halves    |     a, b = rows[..., 0::2], rows[..., 1::2]
q_rotated halves     |     # $[rotate_halves]
q_rotated halves     |     half = rows.shape[-1] // 2
q_rotated halves     |     a, b = rows[..., :half], rows[..., half:]
q_rotated            |     turned = $np.empty_like(rows)
q_rotated !halves    |     turned[..., 0::2] = a * $np.cos(angles) - b * $np.sin(angles)
q_rotated !halves    |     turned[..., 1::2] = a * $np.sin(angles) + b * $np.cos(angles)
q_rotated halves     |     turned[..., :half] = a * $np.cos(angles) - b * $np.sin(angles)
q_rotated halves     |     turned[..., half:] = a * $np.sin(angles) + b * $np.cos(angles)
q_rotated            |     return turned
q_rotated            |
q_rotated            |
"""

EXPECTED = """
w_o !b_o             | output = concat @ w_o
w_o b_o              | output = concat @ w_o + b_o
                     |
                     | # $[expected]
                     | expected_weights = $array($expected_weights)
concat               | expected_concat = $array($expected_concat)
w_o                  | expected_output = $array($expected_output)
                     |
                     | $assert_close(weights, expected_weights, rtol=1e-9, atol=$atol)
concat               | $assert_close(concat, expected_concat, rtol=1e-9, atol=$atol)
w_o                  | $assert_close(output, expected_output, rtol=1e-9, atol=$atol)
"""
OK = """
                     | print("$[ok]")
"""
CONCAT_EXPECTED = EXPECTED + OK

# --- NumPy -----------------------------------------------------------------------------------------------------

NUMPY = (
    """
                     | # $title
                     | # $[numpy]
                     | # $[asserts] $[needs] numpy
                     |
                     | import numpy as np
                     |
"""
    + X
    + """
!grouped             | # $[heads]
grouped              | # $[heads_shared]
                     | heads = $heads
"""
    + W_O
    + """
scaled_scores        | divisor = $divisor  # $[divisor]
"""
    + MASK
    + ROTATE
    + """
weights              |
weights              |
weights !sink        | def softmax(scores):
weights sink         | def softmax(scores, sink):
weights              |     # $[softmax]
sink                 |     # $[sink]
sink                 |     top = np.maximum(scores.max(axis=1, keepdims=True), sink)
sink                 |     powers = np.exp(scores - top)
sink                 |     return powers / (powers.sum(axis=1, keepdims=True) + np.exp(sink - top))
weights !sink !fully_masked |     powers = np.exp(scores - scores.max(axis=1, keepdims=True))
weights !sink !fully_masked |     return powers / powers.sum(axis=1, keepdims=True)
weights !sink fully_masked |     # $[fully_masked_softmax]
weights !sink fully_masked |     top = scores.max(axis=1, keepdims=True)
weights !sink fully_masked |     powers = np.exp(scores - np.where(np.isinf(top), 0, top))
weights !sink fully_masked |     total = powers.sum(axis=1, keepdims=True)
weights !sink fully_masked |     return powers / np.where(total == 0, 1, total)
                     |
                     |
!grouped             | def attention(head):
grouped              | def attention(head, first):
head_outputs         |     # $[one_head]
!head_outputs        |     # $[one_heads_weights]
head_outputs own_weights |     v = $make_v  # n_k × d_v
own_weights weights  |     if "weights" in head:
head_outputs own_weights weights |         return head["weights"], head["weights"] @ v
!head_outputs own_weights |         return head["weights"]
own_weights !weights |     weights = head["weights"]
scores               |     q = $make_q  # n_q × d_k
scores               |     k = $make_k  # n_k × d_k
head_outputs !own_weights |     v = $make_v  # n_k × d_v
q_normed             |     # $[norm]
q_normed             |     q = q / np.sqrt((q**2).mean(axis=1, keepdims=True) + $eps) * head["g_q"]
q_normed             |     k = k / np.sqrt((k**2).mean(axis=1, keepdims=True) + $eps) * $key_owner["g_k"]
q_rotated            |     q, k = rotate(q, angles), rotate(k, $key_angles)
short_rows           |     # $[short_rows]
short_rows           |     q, k = (rows / np.maximum(abs(rows).max(axis=1, keepdims=True), 1e-300) for rows in (q, k))
q_norms              |     q_norms = np.linalg.norm(q, axis=1, keepdims=True)
k_norms              |     k_norms = np.linalg.norm(k, axis=1, keepdims=True)
q_unit !zero_rows    |     q, k = q / q_norms, k / k_norms  # $[unit]
q_unit zero_rows     |     # $[zero_rows]
q_unit zero_rows     |     q, k = q / np.where(q_norms == 0, 1, q_norms), k / np.where(k_norms == 0, 1, k_norms)
q_a                  |     q = q @ head["w_a"]  # n_q × d_a
k_a                  |     k = k @ head["u_a"]  # n_k × d_a
pair_sums            |     pairs = q[:, None] + k  # n_q × n_k × d_a
pair_tanh            |     scores = np.tanh(pairs) @ head["v_a"]  # n_q × n_k
scores !pair_tanh    |     scores = q @ k.T  # n_q × n_k
scaled_scores        |     scores = scores / divisor
capped_scores        |     scores = $softcap * np.tanh(scores / $softcap)  # $[softcap]
biased_scores        |     scores = scores - head["slope"] * distances
masked_scores hidden |     scores = np.where($allow_here, scores, $fill)
masked_scores added  |     scores = scores + $mask_here
weights !sink        |     weights = softmax(scores)
sink                 |     weights = softmax(scores, head["sink"])
head_outputs         |     return weights, weights @ v
!head_outputs        |     return weights
                     |
                     |
grouped              | firsts = [heads[i - i % $group] for i in range($h)]  # $[firsts]
head_outputs !grouped | weights, head_outputs = zip(*(attention(head) for head in heads))
head_outputs grouped | weights, head_outputs = zip(*map(attention, heads, firsts))
!head_outputs !grouped | weights = [attention(head) for head in heads]
!head_outputs grouped | weights = list(map(attention, heads, firsts))
head_outputs         | concat = np.concatenate(head_outputs, axis=1)  # $[side_by_side]: n_q × (h·d_v)
"""
    + EXPECTED
    + """
learning             |
learning             | # $[backward]
learning             | $backward
"""
    + OK
)

# --- PyTorch, all heads at once --------------------------------------------------------------------------------

_IMPORT_TORCH = """
root                 | import math
root                 |
                     | import torch
function             | from torch.nn import functional as F
                     |
                     | torch.set_default_dtype(torch.float64)
                     |
"""

_PROJECTED = (
    X
    + """
some_w_q             | # $[per_head]: h × d_model × d_k
some_w_q             | w_q = torch.tensor($w_q)
some_b_q             | b_q = torch.tensor($b_q)
grouped key_weights  | # $[per_group]
some_w_k             | w_k = torch.tensor($w_k)
some_b_k             | b_k = torch.tensor($b_k)
some_w_v             | w_v = torch.tensor($w_v)
some_b_v             | b_v = torch.tensor($b_v)
w_a                  | # $[scoring]
w_a                  | w_a = torch.tensor($w_a)
u_a                  | u_a = torch.tensor($u_a)
v_a                  | v_a = torch.tensor($v_a)
slope                | slopes = torch.tensor($slopes)  # $[slopes]
sink                 | sinks = torch.tensor($sinks)  # $[sinks]
q_normed             | # $[gains]
q_normed             | g_q = torch.tensor($g_q)
q_normed             | g_k = torch.tensor($g_k)
"""
    + W_O
    + """
scaled_scores        | divisor = $divisor  # $[divisor]
"""
    + MASK
    + ROTATE
    + """
learning             | # $[leaves]
learning             | for given in $leaves:
learning             |     given.requires_grad_()
                     |
all_w_q              | q = x @ w_q$plus_b_q  # (n_q × d_model) @ (h × d_model × d_k): h × n_q × d_k
all_q                | # $[given_q]
all_q                | q = torch.tensor($q)
mixed_q              | q = torch.zeros($count_q, $n_q, $d_k)
mixed_q              | q[$heads_w_q] = x @ w_q$plus_b_q
mixed_q              | # $[own_q]
mixed_q              | q[$heads_q] = torch.tensor($q)
all_w_k              | k = $source @ w_k$plus_b_k
all_k                | # $[given_k]
all_k                | k = torch.tensor($k)
mixed_k              | k = torch.zeros($count_k, $n_k, $d_k)
mixed_k              | k[$heads_w_k] = $source @ w_k$plus_b_k
mixed_k              | # $[own_k]
mixed_k              | k[$heads_k] = torch.tensor($k)
all_w_v              | v = $source @ w_v$plus_b_v
all_v                | # $[given_v]
all_v                | v = torch.tensor($v)
mixed_v              | v = torch.zeros($count_v, $n_k, $d_v)
mixed_v              | v[$heads_w_v] = $source @ w_v$plus_b_v
mixed_v              | # $[own_v]
mixed_v              | v[$heads_v] = torch.tensor($v)
share_k              | k = k$share_k  # $[shared]
share_v              | v = v$share_v  # $[shared]
scores               |
q_normed             | # $[norm]
q_normed             | q = q / (q.square().mean(dim=-1, keepdim=True) + $eps).sqrt() * g_q[:, None]
q_normed             | k = k / (k.square().mean(dim=-1, keepdim=True) + $eps).sqrt() * g_k[:, None]
q_rotated            | q, k = rotate(q, angles), rotate(k, $key_angles)
short_rows           | # $[short_rows]
short_rows           | q, k = (rows / rows.abs().amax(-1, keepdim=True).clamp(min=1e-300) for rows in (q, k))
q_norms              | q_norms = torch.linalg.vector_norm(q, dim=-1, keepdim=True)
k_norms              | k_norms = torch.linalg.vector_norm(k, dim=-1, keepdim=True)
zero_rows learning   | q, k = q * (q_norms > 0), k * (k_norms > 0)  # $[no_slope]
q_unit !zero_rows    | q, k = q / q_norms, k / k_norms  # $[unit]
q_unit zero_rows     | # $[zero_rows]
q_unit zero_rows     | q, k = q / q_norms.masked_fill(q_norms == 0, 1), k / k_norms.masked_fill(k_norms == 0, 1)
q_a                  | q = q @ w_a  # h × n_q × d_a
k_a                  | k = k @ u_a  # h × n_k × d_a
"""
)

SCRATCH = (
    """
                     | # $title
                     | # $[scratch]
                     | # $[asserts] $[needs] torch
                     |
"""
    + _IMPORT_TORCH
    + _PROJECTED
    + """
pair_sums            | pairs = q[:, :, None] + k[:, None]  # h × n_q × n_k × d_a
pair_tanh            | scores = (torch.tanh(pairs) * v_a[:, None, None]).sum(dim=-1)  # h × n_q × n_k
scores !pair_tanh    | scores = q @ k.mT  # h × n_q × n_k
scaled_scores        | scores = scores / divisor
capped_scores        | scores = $softcap * torch.tanh(scores / $softcap)  # $[softcap]
biased_scores        | scores = scores - slopes[:, None, None] * distances
masked_scores hidden | scores = scores.masked_fill(~allow, $fill)
masked_scores added  | scores = scores + mask
weights !sink fully_masked learning | # $[fully_masked_softmax]
weights !sink fully_masked learning | empty = (scores == -torch.inf).all(dim=-1, keepdim=True)
weights !sink fully_masked learning | scores = scores.masked_fill(empty, 0)
weights !sink        | weights = torch.softmax(scores, dim=-1)
weights !sink fully_masked learning | weights = weights.masked_fill(empty, 0)
sink                 | # $[sink]
sink                 | extra = sinks[:, None, None].expand(-1, $n_q, 1)
sink                 | weights = torch.softmax(torch.cat([scores, extra], dim=-1), dim=-1)[..., :-1]
weights !sink fully_masked !learning | # $[fully_masked_softmax]
weights !sink fully_masked !learning | empty = (scores == -torch.inf).all(dim=-1, keepdim=True)
weights !sink fully_masked !learning | weights = weights.masked_fill(empty, 0)
own_weights          | # $[own_weights]
own_weights !weights | weights = torch.tensor($given_weights)
own_weights weights  | own_weights = torch.tensor($given_weights)
own_weights weights  | weights = torch.cat([weights, own_weights])[$head_order]  # $[in_order]
                     |
head_outputs         | head_outputs = weights @ v  # h × n_q × d_v
head_outputs         | concat = head_outputs.transpose(0, 1).flatten(1)  # $[transpose]
"""
    + EXPECTED
    + """
learning             |
learning             | # $[goal]
learning             | target = torch.tensor($target)
compares             | loss = ($goal$goal_rows - target).square().sum() / 2
aims                 | loss = -(target * weights.clamp(min=1e-300).log()).sum()
learning             | $slopes_of_loss = torch.autograd.grad(loss, $leaves)
learning             | $asserted_slopes
"""
    + OK
)

FUNCTION = (
    """
                     | # $title
                     | # $[function]
head_outputs         | # $[why_function]
!head_outputs        | # $[why_weights]
                     | # $[asserts] $[needs] torch
                     |
"""
    + _IMPORT_TORCH
    + _PROJECTED
    + """
linear_biases        | biases = -slopes[:, None, None] * distances  # $[linear]
linear_biases hidden | biases = biases.masked_fill(~allow, -torch.inf)
linear_biases added  | biases = biases + mask
                     |
                     |
                     | def attend(values):
                     |     return F.scaled_dot_product_attention(q, k, values$mask_argument, scale=$one_over_divisor)
                     |
                     |
head_outputs         | head_outputs = attend(v)  # h × n_q × d_v
                     | weights = attend(torch.eye($n_k).expand($h, -1, -1))  # $[identity_v]
head_outputs         | concat = head_outputs.transpose(0, 1).flatten(1)  # $[transpose]
"""
    + CONCAT_EXPECTED
)

# --- libraries' own layers -------------------------------------------------------------------------------------

_LAYER_WEIGHTS = """
given_q              | # $[given_q]
given_q              | queries = $array($given_rows_q)
given_k              | # $[given_k]
given_k              | keys = $array($given_rows_k)
given_v              | # $[given_v]
given_v              | values = $array($given_rows_v)
                     |
!given_q             | # $[per_head]
!given_q             | w_q = [$list_w_q]
given_q              | w_q = $identity_q  # $[split]
grouped !given_k     | # $[per_group]
!given_k             | w_k = [$list_w_k]
given_k              | w_k = $identity_k  # $[split]
!given_v             | w_v = [$list_w_v]
given_v              | w_v = $identity_v  # $[split]
biased missing       | # $[unbiased]
biased               | b_q = [$list_b_q]
biased               | b_k = [$list_b_k]
biased               | b_v = [$list_b_v]
w_o                  | # $[w_o]
w_o                  | w_o = $array($w_o)
!w_o                 | w_o = $np.eye($concat_width)  # $[no_w_o]
b_o                  | b_o = $array($b_o)
biased !b_o          | b_o = $np.zeros($d_out)
repeated             |
repeated             | # $[repeat]
repeated             | w_k, w_v = ([weight for weight in w for _ in range($group)] for w in (w_k, w_v))
repeated biased      | b_k, b_v = ([bias for bias in b for _ in range($group)] for b in (b_k, b_v))
w_a !inner_w_a       |
w_a !inner_w_a       | # $[fold]
w_a !inner_w_a       | w_a = [$list_w_a]
w_a !inner_w_a       | w_q = [weight @ a for weight, a in zip(w_q, w_a)]
w_a !inner_w_a biased | b_q = [bias @ a for bias, a in zip(b_q, w_a)]
rescaled             |
rescaled             | # $[factor]
rescaled             | factor = $root$divided
rescaled             | w_q = [weight * factor for weight in w_q]
rescaled biased      | b_q = [bias * factor for bias in b_q]
"""

TORCH = (
    """
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
"""
    + X
    + _LAYER_WEIGHTS
    + """
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
prepared             |
"""
    + MASK
    + """
masked_scores hidden !linear_biases | mask = ~allow  # $[hides]
linear_biases        | slopes = torch.tensor($slopes)  # $[slopes]
linear_biases        | # $[linear]
linear_biases !added | mask = -slopes[:, None, None] * distances
linear_biases hidden | mask = mask.masked_fill(~allow, -torch.inf)
linear_biases added  | mask = mask - slopes[:, None, None] * distances
                     |
                     | output, weights = layer($call$mask_argument, average_attn_weights=False)
pad_output           | output = output[:, :$d_out]
                     |
                     | # $[expected]
                     | expected_weights = torch.tensor($expected_weights)
                     | expected_output = torch.tensor($expected_output)
                     |
fully_masked         | # $[nan]
fully_masked hidden  | live = allow.any(dim=1)
fully_masked added   | live = (mask > -torch.inf).any(dim=$live_dims)
fully_masked         | assert weights[:, ~live].isnan().all() and output[~live].isnan().all()
fully_masked         | weights, expected_weights = weights[:, live], expected_weights[:, live]
fully_masked         | output, expected_output = output[live], expected_output[live]
                     | torch.testing.assert_close(weights, expected_weights, rtol=1e-9, atol=$atol)
                     | torch.testing.assert_close(output, expected_output, rtol=1e-9, atol=$atol)
                     | print("$[ok]")
"""
)

KERAS = (
    """
                     | # $title
!kv_layer            | # $[keras]
kv_layer             | # $[keras_groups]
                     | # $[asserts] $[needs] keras, torch
                     |
                     | import os
                     |
                     | os.environ.setdefault("KERAS_BACKEND", "torch")
                     |
                     | import keras
                     | import numpy as np
custom               | from keras import ops
                     |
                     | keras.config.set_floatx("float64")
                     | keras.config.set_dtype_policy("float64")
                     |
"""
    + X
    + _LAYER_WEIGHTS
    + """
pad_group            |
pad_group            | # $[pad_group]
pad_group            | query = np.pad($given_query, ((0, 0), (0, $missing)))
pad_group            | w_q = [np.pad(weight, ((0, $missing), (0, 0))) for weight in w_q]
inner_w_a            |
inner_w_a            | # $[scoring]
inner_w_a            | w_a = np.array($w_a)
u_a                  | u_a = np.array($u_a)
v_a                  | v_a = np.array($v_a)
prepared             |
hides_pairs apart !lower_right | # $[top_left]
hides_pairs apart lower_right | # $[lower_right]
hides_pairs window !both_sides | # $[causal_window]
hides_pairs window both_sides | # $[window]
hides_pairs window | window = $window
hides_pairs causal | allow = $band  # $[causal]
hides_pairs window | allow = $band
hides_pairs own_masks | # $[own_masks]
hides_pairs allow    | # $[allow]
hides_pairs allow    | allow = np.array($allow)
hides_pairs added !adds | # $[allow]
hides_pairs added !adds | allow = np.array($allow_of_added)
adds                 | # $[added]
adds                 | mask = np.array($added)
adds hides_pairs     | allow = np.isfinite(mask)
filled               | # $[allow]
filled               | allow = np.array($allow)
linear_biases        | distances = np.abs(positions[:, None] - $key_positions)  # $[distances]
linear_biases        | biases = -np.array($slopes)[:, None, None] * distances
sink                 | sinks = np.array($sinks)[:, None, None]  # $[sinks]
q_normed             | # $[gains]
q_normed             | g_q = np.array($g_q)
q_normed             | g_k = np.array($g_k)
q_rotated            |
q_rotated            |
q_rotated            | def rotate(rows, angles):
q_rotated !halves    |     # $[rotate]
q_rotated !halves    |     a, b = rows[..., 0::2], rows[..., 1::2]
q_rotated halves     |     # $[rotate_halves]
q_rotated halves     |     a, b = ops.split(rows, 2, axis=-1)
q_rotated            |     cos, sin = ops.cos(angles[:, None]), ops.sin(angles[:, None])
q_rotated !halves    |     return ops.reshape(ops.stack([a * cos - b * sin, a * sin + b * cos], axis=-1), rows.shape)
q_rotated halves     |     return ops.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)
custom               |
custom               |
custom               | class Attention(keras.layers.$layer):
custom               |     # $[between]
custom               |     # $[letters]
custom               |     def _compute_attention(self, query, key, value, attention_mask=None, *args, **kwargs):
q_normed             |         # $[norm]
q_normed             |         q_rms = ops.sqrt(ops.sum(query**2, axis=-1, keepdims=True) / $d_k + $eps)
q_normed             |         k_rms = ops.sqrt(ops.sum(key**2, axis=-1, keepdims=True) / $d_k + $eps)
q_normed             |         query, key = ops.multiply(query / q_rms, g_q), ops.multiply(key / k_rms, g_k)
q_rotated            |         query, key = rotate(query, angles), rotate(key, $key_angles)
short_rows           |         # $[short_rows]
short_rows           |         sizes = (ops.max(ops.abs(rows), axis=-1, keepdims=True) for rows in (query, key))
short_rows           |         query_size, key_size = (ops.where(size == 0, 1, size) for size in sizes)
short_rows           |         query, key = query / query_size, key / key_size
q_norms              |         q_norms = ops.sqrt(ops.sum(query**2, axis=-1, keepdims=True))
k_norms              |         k_norms = ops.sqrt(ops.sum(key**2, axis=-1, keepdims=True))
q_unit zero_rows     |         # $[zero_rows]
q_unit zero_rows     |         q_norms, k_norms = (ops.where(norms == 0, 1, norms) for norms in (q_norms, k_norms))
q_unit zero_rows     |         query, key = query / q_norms, key / k_norms
q_unit !zero_rows    |         query, key = query / q_norms, key / k_norms  # $[unit]
inner_w_a            |         query = ops.einsum("bihd,hdc->bihc", query, w_a)
u_a                  |         key = ops.einsum("bjhd,hdc->bjhc", key, u_a)
pair_sums            |         pairs = query[:, :, None] + key[:, None]  # 1 × n_q × n_k × h × d_a
pair_tanh            |         scores = ops.einsum("bijhc,hc->bhij", ops.tanh(pairs), v_a)
custom !pair_tanh    |         scores = ops.einsum("bihd,bjhd->bhij", query, key)
custom scaled_scores |         scores = scores / $divisor
capped_scores        |         scores = $softcap * ops.tanh(scores / $softcap)  # $[softcap]
biased_scores        |         scores = ops.add(scores, biases)
adds                 |         scores = ops.add(scores, mask)
filled               |         scores = ops.where(allow, scores, $fill)
custom               |         weights = self._masked_softmax(scores, attention_mask)
sink                 |         # $[sink]
sink hides_pairs     |         scores = ops.where(attention_mask[:, None], scores, -np.inf)
sink                 |         rest = ops.subtract(sinks, ops.logsumexp(scores, axis=-1, keepdims=True))
sink                 |         weights = weights * ops.sigmoid(-rest)
custom               |         return ops.einsum("bhij,bjhd->bihd", weights, value), weights
custom               |
custom               |
                     |
                     | layer = $class_name(
!kv_layer            |     num_heads=$h, key_dim=$d_k, value_dim=$d_v, output_shape=$d_out, use_bias=$biased
kv_layer             |     head_dim=$d_k, num_query_heads=$h, num_key_value_heads=$groups, use_bias=$biased
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
                     |
                     | # $[order]
hides_pairs          | # $[allows]
                     | output, weights = layer(
                     |     $query[None], $value[None], $key[None]$mask_argument, return_attention_scores=True
                     | )
                     | output, weights = keras.ops.convert_to_numpy(output)[0], keras.ops.convert_to_numpy(weights)[0]
                     |
                     | # $[expected]
                     | expected_weights = np.array($expected_weights)
                     | expected_output = np.array($expected_output)
                     |
fully_masked         | # $[zero]
                     | np.testing.assert_allclose(weights, expected_weights, rtol=1e-9, atol=$atol)
                     | np.testing.assert_allclose(output, expected_output, rtol=1e-9, atol=$atol)
                     | print("$[ok]")
"""
)
