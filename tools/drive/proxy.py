"""Two servers that share a Redis, behind HAProxy with the configuration in ``deploy``; all on this machine."""

from __future__ import annotations

import csv
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tools.drive import redis_server, server

CONFIGURATION = server.ROOT / "deploy" / "haproxy.cfg"
COMMAND = "haproxy"
REASON = "haproxy is not installed (Debian's package haproxy)"
SBIN = "/usr/sbin"
"""Where Debian puts it, which is not on the path of every user."""


def executable() -> str | None:
    """HAProxy; None where it is not installed."""
    return shutil.which(COMMAND) or shutil.which(COMMAND, path=SBIN)


@dataclass
class Replicas:
    """What runs: the servers, the Redis, and the proxy's process, port and socket for commands."""

    servers: list[server.Server]
    redis: redis_server.RedisServer
    port: int
    process: subprocess.Popen[bytes]
    admin: Path

    @property
    def url(self) -> str:
        """The proxy's address."""
        return f"http://localhost:{self.port}/"

    def busiest(self) -> server.Server:
        """The server at which most connections are open, by the proxy's own count."""
        with socket.socket(socket.AF_UNIX) as command:
            command.connect(str(self.admin))
            command.sendall(b"show stat app 4 -1\n")  # 4: servers
            with command.makefile(encoding="ascii") as answer:
                rows = list(csv.DictReader(answer))
        _, at = max((int(row["scur"]), at) for at, row in enumerate(rows))
        return self.servers[at]


@contextmanager
def running(**environment: str) -> Iterator[Replicas]:
    """All of it, within the block. ``environment``: of the servers."""
    command = executable()
    if command is None:
        raise FileNotFoundError(REASON)
    with ExitStack() as stack:
        redis = stack.enter_context(redis_server.running())
        shared = {"MHA_REDIS_URL": redis.url, "FORWARDED_ALLOW_IPS": "127.0.0.1", **environment}
        servers = [stack.enter_context(server.running(**shared)) for _ in range(2)]
        _wait_until_ready([one.port for one in servers])
        port, folder = server.free_port(), Path(stack.enter_context(tempfile.TemporaryDirectory()))
        admin = folder / "haproxy.sock"
        settings = {f"MHA_REPLICA_{at}": f"127.0.0.1:{one.port}" for at, one in enumerate(servers, start=1)}
        process = subprocess.Popen(
            [command, "-f", CONFIGURATION],
            env={**os.environ, **settings, "MHA_PORT": str(port), "MHA_ADMIN": str(admin)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(process.wait)
        stack.callback(process.kill)
        _wait_until_ready([port])
        yield Replicas(servers, redis, port, process, admin)


def _wait_until_ready(ports: Iterable[int]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            for port in ports:
                with urlopen(f"http://localhost:{port}/api/ready", timeout=1):
                    pass
        except (URLError, OSError):
            time.sleep(0.1)  # polling other processes
        else:
            return
    raise TimeoutError("the servers, or the proxy before them, were not ready within 60 s")
