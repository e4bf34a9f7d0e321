"""Binary messages to a browser, little-endian (``web/kit/binary.js`` reads them):

uint32 length of the header · the header, JSON · spaces up to a multiple of 8 bytes · numbers
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NotRequired, TypeAlias, TypedDict

from torch import Tensor

from mha_view.figures.figure import Drawn
from mha_view.payloads import Caption, Seen

_TYPES: Final = {"torch.float32": "float32", "torch.uint8": "uint8", "torch.uint16": "uint16"}


class LiveAnswer(TypedDict):
    """The header of the live channel's answer; numbers follow it, block by block. What has not changed is left out."""

    id: int
    blocks: NotRequired[list[tuple[str, int | None, int, int, int]]]
    """For each block its matrix, head, first row, number of rows and of columns."""
    dead: NotRequired[Sequence[Sequence[bool]] | None]
    shifts: NotRequired[Sequence[Sequence[float]]]
    constants: NotRequired[Mapping[str, float | str | None]]
    captions: NotRequired[Mapping[str, Caption]]
    about: NotRequired[str]
    looks: NotRequired[list[str]]
    seen: NotRequired[Seen]


class LivePictures(TypedDict):
    """The pictures that a message of the live channel asked for, by name."""

    id: int
    figures: Mapping[str, Drawn]


class LiveRefusal(TypedDict):
    """Why the live channel refuses a message, in a sentence."""

    id: int
    error: str


class LiveGone(TypedDict):
    """The live channel no longer has what a message starts from."""

    id: int
    gone: Literal[True]


LiveMessage: TypeAlias = LiveAnswer | LivePictures | LiveRefusal | LiveGone


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
