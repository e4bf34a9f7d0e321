"""How much a server does, for Prometheus: at a port of its own, so that no visitor and no proxy reaches it.

``MHA_METRICS`` is that port, ``9464``, at this machine only, or with the address at which to listen: ``0.0.0.0:9464``.
Without it, nothing is listening. No metric has a label that a visitor could write.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from mha_api import live, turns
from mha_api.histogram import Durations
from mha_api.rooms.store import Store

if TYPE_CHECKING:
    from prometheus_client import Metric

SETTING: Final = "MHA_METRICS"
OWN_ADDRESS: Final = "127.0.0.1"
MOST_PORT: Final = 65_535
PAUSE: Final = 0.25
"""Seconds between two measurements of the event loop."""
LAG: Final = Durations()


class _Measured:
    """What is measured when Prometheus asks."""

    def __init__(self, store: Store, sessions: Callable[[], int]) -> None:
        self._store, self._sessions = store, sessions

    def collect(self) -> Iterable[Metric]:
        from prometheus_client.metrics_core import GaugeMetricFamily  # noqa: PLC0415

        rooms, streams = self._store.here()
        computing = turns.COMPUTING.statistics()
        for name, what, value in (
            ("mha_sessions", "Pages that are open.", self._sessions()),
            ("mha_sockets", "Websockets by which numbers follow an edit.", live.sockets()),
            ("mha_rooms", "Rooms with somebody listening at this server.", rooms),
            ("mha_listeners", "Event streams of rooms that are open at this server.", streams),
            ("mha_computing", "Computations that run in a thread.", computing.borrowed_tokens),
            (
                "mha_waiting",
                "Computations, models' runs too, that wait for a thread.",
                computing.tasks_waiting,
            ),
        ):
            yield GaugeMetricFamily(name, what, value=value)
        yield live.ANSWERED.metric("mha_edit_seconds", "From a websocket's message to its answer.")
        yield LAG.metric("mha_loop_lag_seconds", "How late the event loop wakes up.")


def address(settings: Mapping[str, str] = os.environ) -> tuple[str, int] | None:
    """Where metrics are answered; None for nowhere. Raises ``ValueError``."""
    text = settings.get(SETTING, "").strip()
    if not text:
        return None
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and 0 < int(port) <= MOST_PORT):
        raise ValueError(f"{SETTING}: expected a port, or an address and a port, got {ascii(text)[:40]}")
    return host.strip("[]") or OWN_ADDRESS, int(port)


@asynccontextmanager
async def served(
    store: Store, sessions: Callable[[], int], settings: Mapping[str, str] = os.environ
) -> AsyncIterator[None]:
    """While the server runs, answer Prometheus if ``MHA_METRICS`` says where. Raises ``ValueError``.

    ``sessions``: how many pages are open.
    """
    where = address(settings)
    if where is None:
        yield
        return
    try:
        from prometheus_client import (  # noqa: PLC0415  # optional
            CollectorRegistry,
            PlatformCollector,
            ProcessCollector,
            start_http_server,
        )
    except ModuleNotFoundError as error:
        raise ValueError(
            f'{SETTING} needs the package prometheus-client: pip install "mha[replicas]"'
        ) from error
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    registry.register(_Measured(store, sessions))
    host, port = where
    server, _ = start_http_server(port, host, registry)
    lag = asyncio.create_task(_measure_lag(), name="event loop lag")
    try:
        yield
    finally:
        lag.cancel()
        with suppress(asyncio.CancelledError):
            await lag
        server.shutdown()
        server.server_close()


async def _measure_lag() -> None:
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + PAUSE
        await asyncio.sleep(PAUSE)
        LAG.add(max(0.0, loop.time() - due))
