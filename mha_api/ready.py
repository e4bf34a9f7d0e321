"""The libraries are imported in the background while the server already answers; ``/api/ready`` says when it is done.

A thread that uses a module while another imports it could see it half-imported: Python releases its import lock where
modules import each other in a circle, and libraries look one another up in ``sys.modules``. So one thread imports
everything, and every computation waits for it.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import pkgutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from threading import Thread, current_thread, main_thread
from types import FrameType
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse

SWITCH: Final = 0.0001
"""Seconds after which a computing thread lets others continue. An answer on the event loop waits that long at each of
torch's operations, some forty for a small example; Python's default is 5 ms."""

_BEGUN: Final[list[Future[None]]] = []
"""The import of this process, once it has begun; one at most."""


def lifespan(
    libraries: Sequence[str],
    packages: Sequence[str],
    first: Callable[[], None] = lambda: None,
    last: Callable[[], None] = lambda: None,
    optional: Sequence[str] = (),
) -> Callable[[object], AbstractAsyncContextManager[None]]:
    """The server's lifespan: at its start, it begins to import these modules, and all modules of these packages.

    A module that needs one of the ``optional`` packages is skipped if that is not installed. ``first`` runs before the
    first answer. ``last`` runs as soon as the server receives the signal to stop: the server then waits until every
    answer has ended, and some never end by themselves.
    """

    @asynccontextmanager
    async def run(_app: object) -> AsyncIterator[None]:
        sys.setswitchinterval(SWITCH)
        first()
        begin(libraries, packages, optional)
        with _when_stopped(last):
            yield

    return run


@contextmanager
def _when_stopped(act: Callable[[], None]) -> Iterator[None]:
    """Call ``act`` when a signal ends the process, before the signal's previous handler."""
    loop = asyncio.get_running_loop()
    previous: dict[int, Callable[[int, FrameType | None], object]] = {}

    def stopped(number: int, frame: FrameType | None) -> None:
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
        for number, handler in previous.items():
            signal.signal(number, handler)


def begin(libraries: Sequence[str], packages: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Import these in a thread, in this order; once a process."""
    if not _BEGUN:
        done: Future[None] = Future()
        done.set_running_or_notify_cancel()  # so that no waiting task can cancel it
        _BEGUN.append(done)
        Thread(target=_import, args=(libraries, packages, optional, done), name="imports").start()


def is_ready() -> bool:
    """Whether everything is imported."""
    return all(done.done() and not done.exception() for done in _BEGUN)


def wait() -> None:
    """Wait until everything is imported; raises what an import raised."""
    for done in _BEGUN:
        done.result()


async def imported() -> None:
    """``wait`` for a route: other requests are answered meanwhile."""
    for done in _BEGUN:
        await asyncio.wrap_future(done)


async def answer(_request: Request) -> JSONResponse:
    """``GET /api/ready``: 200 ``{"ready": true}`` once everything is imported, 503 and false before."""
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
