"""Whether the server is ready for visitors: not before its libraries are imported, and not once it is to stop.

The libraries are imported in the background while the server already answers; ``/api/ready`` says when it is done.

A thread that uses a module while another imports it could see it half-imported: Python releases its import lock where
modules import each other in a circle, and libraries look one another up in ``sys.modules``. So one thread imports
everything, and every computation waits for it.

Told to stop by SIGTERM, the server goes on for ``MHA_DRAIN`` seconds: it answers, but is not ready, and opens no more
websockets, so that a proxy learns of it and sends everybody to another server. Then it closes what is open.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import os
import pkgutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from threading import Event, Thread, current_thread, main_thread
from types import FrameType
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse

SWITCH: Final = 0.0001
"""Seconds after which a computing thread lets others continue. An answer on the event loop waits that long at each of
torch's operations, some forty for a small example; Python's default is 5 ms."""

SETTING: Final = "MHA_DRAIN"
LONGEST_DRAIN: Final = 15.0
CLOSING: Final = 8.0
"""Seconds in which what is open must have ended, once the server closes it."""

_STOPPING: Final = Event()
_BEGUN: Final[list[Future[None]]] = []
"""The import of this process, once it has begun; one at most."""


def lifespan(
    libraries: Sequence[str],
    packages: Sequence[str],
    first: Callable[[], None] = lambda: None,
    last: Callable[[], None] = lambda: None,
    optional: Sequence[str] = (),
    beside: Sequence[Callable[[], AbstractAsyncContextManager[None]]] = (),
) -> Callable[[object], AbstractAsyncContextManager[None]]:
    """The server's lifespan: at its start, it begins to import these modules, and all modules of these packages.

    A module that needs one of the ``optional`` packages is skipped if that is not installed. ``first`` runs before the
    first answer. ``last`` runs as soon as the server receives the signal to stop: the server then waits until every
    answer has ended, and some never end by themselves. ``beside`` is entered at the start and left at the end. Raises
    ``ValueError`` if ``MHA_DRAIN`` is not a time.
    """

    @asynccontextmanager
    async def run(_app: object) -> AsyncIterator[None]:
        sys.setswitchinterval(SWITCH)
        first()
        begin(libraries, packages, optional)
        async with AsyncExitStack() as stack:
            for context in beside:
                await stack.enter_async_context(context())
            stack.enter_context(_when_stopped(last, drain()))
            yield

    return run


@contextmanager
def _when_stopped(act: Callable[[], None], seconds: float) -> Iterator[None]:
    """Call ``act`` when a signal ends the process, then the signal's previous handler; a second signal ends it at once.

    For SIGTERM, ``act`` is called after half of the seconds, when a proxy knows that this server stops: who is sent
    elsewhere would otherwise come back here, as to the server that has the fewest connections.
    """
    loop = asyncio.get_running_loop()
    previous: dict[int, Callable[[int, FrameType | None], object]] = {}

    def close() -> None:
        previous[signal.SIGTERM](signal.SIGTERM, None)
        loop.call_later(CLOSING, previous[signal.SIGINT], signal.SIGINT, None)  # uvicorn then waits no longer

    def stopped(number: int, frame: FrameType | None) -> None:
        drains = seconds > 0 and number == signal.SIGTERM and not _STOPPING.is_set()
        _STOPPING.set()
        if drains:
            loop.call_soon_threadsafe(loop.call_later, seconds / 2, act)
            loop.call_soon_threadsafe(loop.call_later, seconds, close)
        else:
            loop.call_soon_threadsafe(act)
            previous[number](number, frame)

    if current_thread() is main_thread():  # signals are received there only
        handled = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        previous = {number: handler for number, handler in handled.items() if callable(handler)}
        for number in previous:
            signal.signal(number, stopped)
    try:
        yield
    finally:
        _STOPPING.clear()
        for number, handler in previous.items():
            signal.signal(number, handler)


def drain(settings: Mapping[str, str] = os.environ) -> float:
    """The seconds for which the server goes on once it is to stop. Raises ``ValueError``."""
    text = settings.get(SETTING, "").strip() or "0"
    if not (text.isascii() and text.replace(".", "", 1).isdigit() and float(text) <= LONGEST_DRAIN):
        raise ValueError(f"{SETTING}: expected seconds from 0 to {LONGEST_DRAIN:.0f}, got {ascii(text)[:40]}")
    return float(text)


def is_stopping() -> bool:
    """Whether the server is to stop: it opens no more websockets."""
    return _STOPPING.is_set()


def begin(libraries: Sequence[str], packages: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Import these in a thread, in this order; once a process."""
    if not _BEGUN:
        done: Future[None] = Future()
        done.set_running_or_notify_cancel()  # so that no waiting task can cancel it
        _BEGUN.append(done)
        Thread(target=_import, args=(libraries, packages, optional, done), name="imports").start()


def is_ready() -> bool:
    """Whether everything is imported, and the server is not to stop."""
    return not is_stopping() and all(done.done() and not done.exception() for done in _BEGUN)


def wait() -> None:
    """Wait until everything is imported; raises what an import raised."""
    for done in _BEGUN:
        done.result()


async def imported() -> None:
    """``wait`` for a route: other requests are answered meanwhile."""
    for done in _BEGUN:
        await asyncio.wrap_future(done)


async def answer(_request: Request) -> JSONResponse:
    """``GET /api/ready``: 200 ``{"ready": true}`` once everything is imported, else 503 and false; so after SIGTERM."""
    ready = is_ready()
    return JSONResponse({"ready": ready}, 200 if ready else 503, {"Cache-Control": "no-store"})


def _import(
    libraries: Sequence[str], packages: Sequence[str], optional: Sequence[str], done: Future[None]
) -> None:
    try:
        for name in libraries:
            importlib.import_module(name)
        for package in map(importlib.import_module, packages):
            for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
                if not module.name.endswith(".__main__"):
                    _import_one(module.name, optional)
        # A full collection would visit all that was imported, and keep every thread waiting for 0.1 s.
        gc.collect()
        gc.freeze()
    except BaseException as error:  # noqa: BLE001  # raised in everything that waits
        done.set_exception(error)
    else:
        done.set_result(None)


def _import_one(name: str, optional: Sequence[str]) -> None:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in optional:
            raise
