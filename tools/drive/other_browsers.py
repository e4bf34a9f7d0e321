"""Firefox and WebKit, which Playwright drives only in builds of its own: those of the machine, by the W3C's protocols.

Firefox speaks WebDriver BiDi on a websocket, WebKitGTK the older WebDriver over HTTP by its ``WebKitWebDriver``, on a
screen that Xvfb makes. Both are driven in the same way: ``open`` an address, ``evaluate`` JavaScript, ``press`` keys.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final, Protocol
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from websockets.sync.client import ClientConnection, connect

from tools.drive.server import free_port

WAIT: Final = 30.0
"""Seconds after which something that has not come counts as missing."""
SCREEN: Final = ":97"
KEYS: Final = {
    "Enter": "\ue006",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Escape": "\ue00c",
}
"""W3C's characters for keys that write none."""


class OtherBrowser(Protocol):
    """A window of a browser."""

    def open(self, url: str) -> None:
        """Go to an address."""

    def evaluate(self, expression: str) -> object:
        """The value of a JavaScript expression in the page, as plain data; a promise is waited for."""

    def press(self, *keys: str) -> None:
        """Press keys one after another: a character, or a name of ``KEYS``."""

    def resize(self, width: int, height: int) -> None:
        """Make the window this large."""

    def complaints(self) -> list[str]:
        """What went wrong in the page's scripts since the window was opened."""


def wait_until(page: OtherBrowser, condition: str) -> None:
    """Wait until a JavaScript expression is true in the page."""
    until = time.monotonic() + WAIT
    while not page.evaluate(f"Boolean({condition})"):
        if time.monotonic() > until:
            raise TimeoutError(condition)
        time.sleep(0.05)


# --- Firefox -------------------------------------------------------------------------------------------------------


class Firefox:
    """A tab of Firefox, over WebDriver BiDi."""

    PROGRAM: Final = "firefox-esr"

    def __init__(self, wire: ClientConnection) -> None:
        self._wire, self._ids = wire, count(1)
        self._errors: list[str] = []
        self._send("session.new", capabilities={})
        self._send("session.subscribe", events=["log.entryAdded"])
        self._tab = self._send("browsingContext.create", type="tab")["context"]

    def _send(self, method: str, **params: object) -> dict[str, str]:
        number = next(self._ids)
        self._wire.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(self._wire.recv(WAIT))).get("id") != number:
            if answer.get("params", {}).get("level") == "error":
                self._errors.append(answer["params"]["text"])
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['message']}")
        result: dict[str, str] = answer["result"]
        return result

    def open(self, url: str) -> None:
        """Go to an address."""
        self._send("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def evaluate(self, expression: str) -> object:
        """The value of an expression, as plain data."""
        text = f"(async () => JSON.stringify(await ({expression})) ?? 'null')()"
        answer: dict[str, dict[str, str]] = self._send(  # type: ignore[assignment]
            "script.evaluate", expression=text, target={"context": self._tab}, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def press(self, *keys: str) -> None:
        """Press keys one after another."""
        self._send("input.performActions", context=self._tab, actions=[_pressed(keys)])

    def resize(self, width: int, height: int) -> None:
        """Make the window this large."""
        size = {"width": width, "height": height}
        self._send("browsingContext.setViewport", context=self._tab, viewport=size)

    def complaints(self) -> list[str]:
        """Errors of scripts and in the console."""
        return self._errors


@contextmanager
def firefox() -> Iterator[Firefox]:
    """A Firefox without windows."""
    port = free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = ["--headless", "--no-remote", "--profile", profile, f"--remote-debugging-port={port}"]
        with _running([Firefox.PROGRAM, *arguments], {"HOME": profile}):
            _wait_for(port)
            with connect(f"ws://127.0.0.1:{port}/session", max_size=None, compression=None) as wire:
                yield Firefox(wire)


# --- WebKit --------------------------------------------------------------------------------------------------------


class WebKit:
    """A window of WebKitGTK's MiniBrowser, over WebDriver."""

    PROGRAM: Final = "WebKitWebDriver"

    def __init__(self, driver: str) -> None:
        options = {"binary": str(_mini_browser()), "args": ["--automation"]}
        wanted = {"browserName": "MiniBrowser", "webkitgtk:browserOptions": options}
        session = _call(f"{driver}/session", {"capabilities": {"alwaysMatch": wanted}})
        assert isinstance(session, dict)
        self._session = f"{driver}/session/{session['sessionId']}"

    def open(self, url: str) -> None:
        """Go to an address."""
        _call(f"{self._session}/url", {"url": url})
        self.evaluate(
            "window.addEventListener('error', ({ message }) => (window.errors ??= []).push(message))"
        )

    def evaluate(self, expression: str) -> object:
        """The value of an expression, as plain data."""
        script = f"const done = arguments[0]; (async () => JSON.stringify(await ({expression})) ?? 'null')().then(done)"
        return json.loads(str(_call(f"{self._session}/execute/async", {"script": script, "args": []})))

    def press(self, *keys: str) -> None:
        """Press keys one after another."""
        _call(f"{self._session}/actions", {"actions": [_pressed(keys)]})

    def resize(self, width: int, height: int) -> None:
        """Make the window this large."""
        _call(f"{self._session}/window/rect", {"x": 0, "y": 0, "width": width, "height": height})

    def complaints(self) -> list[str]:
        """Errors of scripts since the page was there; WebDriver reports none."""
        return [str(error) for error in _list(self.evaluate("window.errors ?? []"))]


@contextmanager
def webkit() -> Iterator[WebKit]:
    """A MiniBrowser on a screen that nobody sees."""
    port = free_port()
    own = {"DISPLAY": SCREEN, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        stack.enter_context(_running(["Xvfb", SCREEN, "-screen", "0", "1600x1200x24"], {}))
        stack.enter_context(_running([WebKit.PROGRAM, f"--port={port}"], own | {"HOME": home}))
        _wait_for(port)
        yield WebKit(f"http://127.0.0.1:{port}")


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _mini_browser() -> Path:
    return next(Path("/usr").glob("lib/*/webkit2gtk-4.*/MiniBrowser"))


def _call(url: str, body: object) -> object:
    try:
        with urlopen(Request(url, json.dumps(body).encode(), method="POST"), timeout=WAIT) as answer:
            value: object = json.loads(answer.read())["value"]
            return value
    except HTTPError as error:
        raise RuntimeError(error.read().decode()) from None


# --- both ----------------------------------------------------------------------------------------------------------


def _pressed(keys: tuple[str, ...]) -> dict[str, object]:
    actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
    return {"type": "key", "id": "keyboard", "actions": actions}


def _wait_for(port: int) -> None:
    """Wait until a program listens there."""
    until = time.monotonic() + WAIT
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


@contextmanager
def _running(command: list[str], environment: dict[str, str]) -> Iterator[None]:
    """A program that ends with the block."""
    found = shutil.which(command[0])
    assert found, f"{command[0]} is not installed"
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        [found, *command[1:]], env={**os.environ, **environment}, stdout=quiet, stderr=quiet
    )
    try:
        yield
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()


BROWSERS: Final[dict[str, tuple[Callable[[], AbstractContextManager[OtherBrowser]], tuple[str, ...]]]] = {
    "firefox": (firefox, (Firefox.PROGRAM,)),
    "webkit": (webkit, (WebKit.PROGRAM, "Xvfb")),
}
"""How each is started, and the programs that it needs."""
