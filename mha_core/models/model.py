"""A loaded model: its architecture, its tokenizer and its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from mha_core.example.model import Text
from mha_core.models.checkpoint import open_checkpoint
from mha_core.models.config import Architecture, read_architecture
from mha_core.models.ends import read_ends
from mha_core.models.jobs import Job, read_jobs
from mha_core.models.parts import Parts, parts_of
from mha_core.models.tokenizer import Reader, read_tokenizer

MAX_NUMBERS = 2**29
"""Most numbers that a run stores: 2 GiB of float32. Models up to the size of GPT-2 large never reach it."""
STORED_VECTORS = 10
"""Vectors that a run stores for each token and layer: X, Q and K before and after the rotation, V, head outputs, …"""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """``title``: its name for people; ``parts``: its numbers, on ``device`` in ``dtype``; ``ends``: the ids of
    the tokens that end a text; ``jobs``: what heads were trained to do.
    """

    title: Text
    architecture: Architecture
    reader: Reader
    parts: Parts
    device: torch.device
    dtype: torch.dtype
    ends: frozenset[int] = frozenset()
    jobs: tuple[Job, ...] = ()

    @property
    def can_guess(self) -> bool:
        """Whether the files have what turns vectors into words; those of sentence encoders have not."""
        return self.parts.guesser is not None

    @property
    def can_continue(self) -> bool:
        """Whether it writes a text on token by token."""
        return self.can_guess and self.architecture.causal

    @property
    def kept(self) -> int:
        """Numbers of keys and values of one token, in all layers."""
        size = self.architecture
        return 2 * size.layers * size.kv_heads * size.d_head

    @property
    def kept_width(self) -> int:
        """d_k + d_v, the sum over all layers."""
        return 2 * self.architecture.layers * self.architecture.d_head

    def run_numbers(self, n: int) -> int:
        """About how many numbers a run of n tokens stores: in each layer ten matrices of n × d_model."""
        return STORED_VECTORS * self.architecture.layers * n * self.architecture.d_model

    @property
    def most_tokens(self) -> int:
        """The longest text: the model's own limit, or for a large model what a run can store."""
        size = self.architecture
        numbers_per_token = STORED_VECTORS * size.layers * max(size.d_model, size.heads * size.d_head)
        return max(1, min(size.max_tokens, MAX_NUMBERS // numbers_per_token))


def open_model(
    folder: Path, title: Text = "", device: str = "cpu", dtype: torch.dtype = torch.float32
) -> Model:
    """The model in a folder: config.json, model.safetensors (or several with an index), tokenizer.json or vocab.txt.

    On the CPU and in the files' own dtype the numbers are mapped into memory, not copied. Raises ``ModelError``, and no
    other error, for a folder without such a model.
    """
    where = torch.device(device)
    architecture = read_architecture(folder)
    checkpoint = open_checkpoint(folder, where, dtype)
    parts = parts_of(checkpoint, architecture)
    reader, ends, jobs = read_tokenizer(folder), read_ends(folder), read_jobs(folder)
    return Model(title, architecture, reader, parts, where, dtype, ends, jobs)
