"""The programs that compute every step, as a teacher would write them on the board. ``programs`` fills them in with
``sheet``. Those that use a library's own layer are in ``layer_templates``.

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
