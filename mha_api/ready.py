"""The libraries are imported in the background while the server answers already; ``/api/ready`` says when they are.

A thread that imports and another that uses what it imports could meet a half-imported module: Python lets go of its
import lock where modules import each other in a circle, and libraries look one another up in ``sys.modules``. So one
thread imports everything, and whoever computes waits for it.
"""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from threading import Thread, current_thread, main_thread
from types import FrameType
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse

SWITCH: Final = 0.0005
"""Seconds after which a thread that computes lets others go on. Python's own 5 ms would be waited for at each operation
of torch's, by who answers meanwhile."""

_BEGUN: Final[list[Future[None]]] = []
"""The import of this process, once it has begun: one at most."""


def lifespan(
    libraries: Sequence[str],
    packages: Sequence[str],
    first: Callable[[], None] = lambda: None,
    last: Callable[[], None] = lambda: None,
    optional: Sequence[str] = (),
) -> Callable[[Any], AbstractAsyncContextManager[None]]:
    """For the server's life: when it starts, it begins to import these modules, and all modules of these packages.

    A module that needs one of the ``optional`` packages is left out where that is not installed. ``first`` is done
    before anybody is answered, ``last`` as soon as the server is told to stop: it then waits for the end of every
    answer, and some have none by themselves.
    """

    @asynccontextmanager
    async def living(_app: Any) -> AsyncIterator[None]:
        sys.setswitchinterval(SWITCH)
        first()
        begin(libraries, packages, optional)
        with _when_stopped(last):
            yield

    return living


@contextmanager
def _when_stopped(act: Callable[[], None]) -> Iterator[None]:
    """Do this when a signal ends the process, before what is done then anyhow."""
    loop = asyncio.get_running_loop()
    before: dict[int, Callable[[int, FrameType | None], Any]] = {}

    def stopped(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(act)
        before[number](number, frame)

    if current_thread() is main_thread():  # only there are signals received
        handled = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        before = {number: handler for number, handler in handled.items() if callable(handler)}
        for number in before:
            signal.signal(number, stopped)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def begin(libraries: Sequence[str], packages: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Import these in a thread, in this order; once a process."""
    if not _BEGUN:
        done: Future[None] = Future()
        done.set_running_or_notify_cancel()  # from now on nobody who waits for it can cancel it
        _BEGUN.append(done)
        Thread(target=_import, args=(libraries, packages, optional, done), name="imports").start()


def is_ready() -> bool:
    """Whether everything is imported that was to be."""
    return all(done.done() and not done.exception() for done in _BEGUN)


def wait() -> None:
    """Wait until it is; raises what an import raised."""
    for done in _BEGUN:
        done.result()


async def imported() -> None:
    """``wait`` for a route, while others are served."""
    for done in _BEGUN:
        await asyncio.wrap_future(done)


async def answer(_request: Request) -> JSONResponse:
    """``GET /api/ready``: 200 ``{"ready": true}`` once there are numbers to be had, 503 and false before."""
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
    except BaseException as error:  # noqa: BLE001  # told to everybody who waits
        done.set_exception(error)
    else:
        done.set_result(None)


def _import_one(name: str, optional: Sequence[str]) -> None:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in optional:
            raise
