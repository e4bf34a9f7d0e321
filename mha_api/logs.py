"""The log as lines of JSON, for programs that collect it: ``MHA_LOG=json``.

A line says what happened and where in the code, never what a visitor wrote: of a message only its constant text, of an
exception its type and the places in the code, without its own message, which may quote an input.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import traceback
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final

from mha_api import ready

SETTING: Final = "MHA_LOG"
KINDS: Final = ("", "text", "json")


class AsJson(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        fields: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": str(record.msg),
        }
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            fields["error"] = type(error).__qualname__
            fields["at"] = [
                f"{frame.filename}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(error.__traceback__)
            ]
        return json.dumps(fields, ensure_ascii=False)


@asynccontextmanager
async def written(settings: Mapping[str, str] = os.environ) -> AsyncIterator[None]:
    """While the server runs, its log is lines of JSON if ``MHA_LOG`` says so. Raises ``ValueError``."""
    kind = settings.get(SETTING, "").strip()
    if kind not in KINDS:
        raise ValueError(f"{SETTING}: expected text or json, got {ascii(kind)[:40]}")
    later = asyncio.create_task(_as_json()) if kind == "json" else None
    try:
        yield
    finally:
        if later:
            later.cancel()


async def _as_json() -> None:
    """Every handler of every logger writes lines of JSON: of those that there are, and that imports will make."""
    use_json()
    await ready.imported()
    use_json()


def use_json() -> None:
    """Every handler of every logger that there is so far writes lines of JSON."""
    loggers = [logging.getLogger(), *map(logging.getLogger, [*logging.root.manager.loggerDict])]
    for handler in {handler for logger in loggers for handler in logger.handlers} | {logging.lastResort}:
        if handler:
            handler.setFormatter(AsJson())
