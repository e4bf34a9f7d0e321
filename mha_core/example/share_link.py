"""Share links: an example as a short token for a URL, and back.

Token: the version digit, then base64url (no padding) of zlib of the canonical file.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import replace

from mha_core.errors import N_, LinkError, MhaError
from mha_core.example.files import MAX_BYTES, dump, parse
from mha_core.example.model import Example

VERSION = "1"
MAX_TOKEN = 30_000
"""Longest token written or read: servers and messengers accept addresses of this length."""


def to_token(example: Example) -> str:
    """The example as a token. Raises ``LinkError`` where it is too large for a link."""
    return fitting(packed(example))


def fitting(token: str) -> str:
    """The token. Raises ``LinkError`` where it is too long for a link."""
    if len(token) > MAX_TOKEN:
        raise LinkError(N_("this example is too large for a link; save it as a file instead"))
    return token


def packed(example: Example) -> str:
    """The example as a token of any length, for the app's own use, where it may be longer than a link allows.

    A learner's attempt is not in it: it may name the learner.
    """
    return pack(dump(replace(example, attempt=None)))


def pack(text: str) -> str:
    """A text as a token of any length."""
    return VERSION + base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def from_token(token: str) -> Example:
    """The example in the token of a link.

    Raises ``LinkError`` for a token that is too long, and as ``unpacked`` does.
    """
    if len(token) > MAX_TOKEN:
        raise LinkError(N_("the link is too long"))
    return unpacked(token)


def unpacked(token: str) -> Example:
    """The example in a token of any length. Raises ``LinkError`` where there is none."""
    try:
        return parse(unpack(token))
    except MhaError as error:
        raise LinkError(error.template, place=error.place, **error.values) from error


def unpack(token: str) -> bytes:
    """The text in a token of any length.

    Raises ``LinkError`` for a token that is cut, altered, of another version, or unpacks to more than the size of the
    largest file. No more than that is ever unpacked.
    """
    damaged = LinkError(N_("the link is damaged or incomplete"))
    if not token[:1].isdecimal():
        raise damaged
    if token[:1] != VERSION:
        raise LinkError(N_("the link was made by a different version of this program"))
    try:
        text = base64.b64decode(
            token[1:].encode("ascii") + b"=" * (-len(token[1:]) % 4), b"-_", validate=True
        )
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(text, MAX_BYTES + 1)
    except (binascii.Error, ValueError, zlib.error):
        raise damaged from None
    if len(text) > MAX_BYTES:
        raise LinkError(N_("the link expands to more than {most} MB"), most=MAX_BYTES // 1_000_000)
    if not unpacker.eof or unpacker.unused_data:
        raise damaged
    return text
