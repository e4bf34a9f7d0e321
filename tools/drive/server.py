"""The app in a separate process, started as ``make run`` does."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[2]


def command(script: Path | str = "app.py", module: str = "streamlit") -> list[str]:
    """The command of ``make run``; ``module``: another module to start it with."""
    return [sys.executable, "-m", module, "run", str(script)]


def free_port() -> int:
    """A port of this machine on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


class Server:
    """The app on a free port, started as ``make run`` does; it can be killed and started again there.

    ``environment``: variables besides those of this process.
    """

    def __init__(self, script: Path | str = "app.py", module: str = "streamlit", **environment: str) -> None:
        self.port = free_port()
        self.command = command(script, module)
        self.options = ("--server.headless=true", f"--server.port={self.port}")
        self.environment = environment
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://localhost:{self.port}/"

    def launch(self) -> None:
        """Start the process, and do not wait for it."""
        self.process = subprocess.Popen(
            [*self.command, *self.options],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONWARNINGS": "ignore", **self.environment},
            start_new_session=True,
        )

    def ended(self) -> bool:
        """Whether the process has ended."""
        return self.process is None or self.process.poll() is not None

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.launch()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with urlopen(f"{self.url}_stcore/health", timeout=1) as answer:
                    if answer.status == 200:
                        return
            except (URLError, OSError):
                if self.ended():
                    raise RuntimeError("the server ended while it was starting") from None
                time.sleep(0.05)  # polling another process, not waiting for a page
        raise TimeoutError("the server did not answer within 60 s")

    def kill(self) -> None:
        """End it and every process that it started, at once."""
        assert self.process is not None
        with suppress(ProcessLookupError):  # it may have ended by itself
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tools.drive.preloaded"])


class Forked(Server):
    """The same in a process forked from one that has imported what the app needs: it is ready in half a second."""

    fork: multiprocessing.context.ForkServerProcess | None = None

    def launch(self) -> None:
        """Fork the process, and do not wait for it."""
        self.fork = FORKS.Process(target=_serve, args=("app.py", *self.options), daemon=True)
        self.fork.start()

    def ended(self) -> bool:
        """Whether the process has ended."""
        return self.fork is None or not self.fork.is_alive()

    def kill(self) -> None:
        """End it at once."""
        assert self.fork is not None
        self.fork.kill()
        self.fork.join()


def _serve(*arguments: str) -> None:
    """``streamlit run`` in this process, without its output."""
    from streamlit.web import cli  # noqa: PLC0415  # the process that starts servers does not need it

    os.chdir(ROOT)
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    cli.main(["run", *arguments], prog_name="streamlit")


@contextmanager
def running(script: Path | str = "app.py", module: str = "streamlit", **environment: str) -> Iterator[Server]:
    """A server that runs within the block."""
    server = Server(script, module, **environment)
    server.start()
    try:
        yield server
    finally:
        server.kill()
