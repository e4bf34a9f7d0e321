"""A wire between browser and server that a test can leave dead: what is sent over it is lost, and nobody notices."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Wire:
    """Hands on what comes at a port of its own to the server's, and back, while it is not ``dead``."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._ends: list[socket.socket] = []
        self.dead = False
        self._run(self._accept)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/"

    def cut(self) -> None:
        """Close every connection there is, as a machine that wakes finds them; new ones are handed on."""
        self.dead = False
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        self._listening.close()
        self.cut()

    @staticmethod
    def _run(task, *arguments) -> None:
        threading.Thread(target=task, args=arguments, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                self._ends += near, far
                self._run(self._hand_on, near, far)
                self._run(self._hand_on, far, near)

    def _hand_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                if not self.dead:
                    other.sendall(data)
            other.shutdown(socket.SHUT_WR)


@contextmanager
def wire_to(port: int) -> Iterator[Wire]:
    wire = Wire(port)
    try:
        yield wire
    finally:
        wire.close()
