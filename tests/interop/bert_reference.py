"""BERT's self-attention as Hugging Face's ``transformers`` computes it in eager mode, without that package.

After ``BertSelfAttention`` and ``eager_attention_forward`` in ``transformers/models/bert/modeling_bert.py`` (5.23.0,
Apache-2.0), for inference: three Linear layers, heads split by view and transpose, scores times d_k^−½ plus the mask,
softmax, the heads put side by side again. ``BertSelfOutput`` is its dense layer alone. Parameters have their names.
"""

import torch
from torch import nn


class BertSelfAttention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads, dtype=torch.float64):
        super().__init__()
        self.heads = num_attention_heads
        self.size = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size, dtype=dtype)
        self.key = nn.Linear(hidden_size, hidden_size, dtype=dtype)
        self.value = nn.Linear(hidden_size, hidden_size, dtype=dtype)

    def forward(self, hidden_states, attention_mask=None):
        """Context layer, batch × n × hidden, and attention weights, batch × h × n × n."""
        batch, n, _ = hidden_states.shape
        query, key, value = (
            layer(hidden_states).view(batch, n, self.heads, self.size).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        scores = torch.matmul(query, key.transpose(2, 3)) * self.size**-0.5
        if attention_mask is not None:
            scores = scores + attention_mask
        weights = nn.functional.softmax(scores, dim=-1)
        context = torch.matmul(weights, value).transpose(1, 2).reshape(batch, n, -1)
        return context, weights


class _Output(nn.Module):
    def __init__(self, hidden_size, dtype):
        super().__init__()
        self.dense = nn.Linear(hidden_size, hidden_size, dtype=dtype)


class BertAttention(nn.Module):
    """Self-attention and W_O; the residual sum, LayerNorm and dropout after it are not part of attention."""

    def __init__(self, hidden_size, num_attention_heads, dtype=torch.float64):
        super().__init__()
        self.self = BertSelfAttention(hidden_size, num_attention_heads, dtype)
        self.output = _Output(hidden_size, dtype)

    def forward(self, hidden_states, attention_mask=None):
        context, weights = self.self(hidden_states, attention_mask)
        return self.output.dense(context), weights
