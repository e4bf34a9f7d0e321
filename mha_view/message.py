"""Binary messages to a browser, little-endian (``web/kit/binary.js`` reads them):

uint32 length of the header · the header, JSON · spaces up to a multiple of 8 bytes · numbers
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from torch import Tensor

_TYPES: Final = {"torch.float32": "float32", "torch.uint8": "uint8", "torch.uint16": "uint16"}


def framed(header: Mapping[str, object], numbers: bytes = b"") -> bytes:
    """One binary message: the header's length, the header, and its numbers from a multiple of 8 bytes on."""
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    padded = text + b" " * (-(4 + len(text)) % 8)
    return len(padded).to_bytes(4, "little") + padded + numbers


def packed(header: Mapping[str, object], arrays: Mapping[str, Tensor]) -> bytes:
    """A message with arrays by name: float32, uint16 or uint8, row by row, each from a multiple of 8 bytes on.

    The header names them in order, ``"arrays": [[name, type, shape], …]``.
    """
    named_types = [(name, _TYPES[str(array.dtype)], list(array.shape)) for name, array in arrays.items()]
    return framed({**header, "arrays": named_types}, b"".join(map(_bytes, arrays.values())))


def _bytes(array: Tensor) -> bytes:
    data = array.detach().cpu().contiguous().numpy().tobytes()
    return data + b" " * (-len(data) % 8)
