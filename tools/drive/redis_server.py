"""A Redis of its own, on a socket in a folder of its own; what it was sent survives the process."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COMMAND = "redis-server"
STORED = ("--save", "", "--appendonly", "yes", "--appendfsync", "everysec")
REASON = "redis-server is not installed (Debian's package redis-server)"


def is_installed() -> bool:
    """Whether there is a Redis to start."""
    return shutil.which(COMMAND) is not None


class RedisServer:
    """The server; it can be killed, suspended, and started again with what it had."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.socket = folder, folder / "redis.sock"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address, as ``MHA_REDIS_URL`` has it."""
        return f"unix://{self.socket}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.process = subprocess.Popen(
            [COMMAND, "--port", "0", "--unixsocket", self.socket, *STORED, "--dir", self.folder],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 10
        while not self._answers():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{COMMAND} did not answer within 10 s")
            time.sleep(0.01)  # polling another process

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(self.socket))
                probe.sendall(b"PING\r\n")
                return probe.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    def kill(self) -> None:
        """End it at once."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def suspend(self) -> None:
        """It no longer answers, and no connection to it ends."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """It goes on."""
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)


@contextmanager
def running() -> Iterator[RedisServer]:
    """A server that runs within the block."""
    with tempfile.TemporaryDirectory(prefix="redis") as folder:
        server = RedisServer(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.kill()
