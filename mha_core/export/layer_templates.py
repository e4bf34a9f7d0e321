"""The programs that use a library's own layer. ``templates`` says how a line is read."""

from __future__ import annotations

from mha_core.export.templates import MASK, X

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
