"""Where this server stores its rooms: in Redis if ``MHA_REDIS_URL`` names one, otherwise in its own memory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from mha_api.rooms import limits
from mha_api.rooms.store import InProcess, Store

SETTING: Final = "MHA_REDIS_URL"
SCHEMES: Final = ("redis", "rediss", "unix")


def chosen(settings: Mapping[str, str] = os.environ) -> Store:
    """The store. Raises ``ValueError`` for an address that is not one of Redis, without repeating its password."""
    url, per_address = settings.get(SETTING, "").strip(), limits.streams(settings)
    if not url:
        return InProcess(per_address=per_address)
    if urlsplit(url).scheme not in SCHEMES:
        raise ValueError(f"{SETTING}: expected an address that begins with redis://, rediss:// or unix://")
    try:
        from mha_api.rooms.redis_store import InRedis  # noqa: PLC0415  # optional
    except ModuleNotFoundError as error:
        raise ValueError(f'{SETTING} needs the package redis: pip install "mha[replicas]"') from error
    return InRedis(url, per_address)
