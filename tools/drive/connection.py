"""HTTP over a socket, for streams and for many clients at once."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from dataclasses import dataclass, field


@dataclass
class Connection:
    """The parts of HTTP that are needed here, on one connection."""

    port: int
    reader: StreamReader = field(init=False)
    writer: StreamWriter = field(init=False)

    async def open(self) -> Connection:
        """Connect."""
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**22)
        return self

    def close(self) -> None:
        """Close the connection."""
        self.writer.close()

    def send(self, method: str, path: str, body: bytes = b"", **headers: str) -> None:
        """Send a request."""
        sent_headers = {"Host": f"localhost:{self.port}", "Accept-Encoding": "gzip", **headers}
        if body or method != "GET":
            sent_headers |= {"Content-Length": str(len(body)), "Content-Type": "application/json"}
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in sent_headers.items())
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)

    async def head(self) -> tuple[int, dict[str, str]]:
        """Read an answer's status and headers."""
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        return int(lines[0].split()[1]), headers

    async def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
        """Send a request; returns the answer's status and body."""
        self.send(method, path, body, **headers)
        status, received = await self.head()
        length = int(received.get("content-length", 0))
        return status, await self.reader.readexactly(length)
