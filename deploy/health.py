"""Exit with 0 where the server in this container has numbers to show, otherwise with 1.

It asks ``/api/ready`` where the server answers: at the port and below the path that it was started with, which an
option of its command (``--server.port=80``) or a variable of the environment (``STREAMLIT_SERVER_PORT``) may say.
"""

import http.client
import os
import sys
from itertools import pairwise
from pathlib import Path

COMMAND = Path("/proc/1/cmdline")
"""What the container was started with, each word ended by a zero byte."""


def main() -> int:
    """The exit status."""
    words = COMMAND.read_bytes().decode().split("\0") if COMMAND.is_file() else []
    port = setting("server.port", words) or "8501"
    base = setting("server.baseUrlPath", words).strip("/")
    return int(not ready(int(port), f"/{base}" if base else ""))


def setting(option: str, words: list[str]) -> str:
    """What an option of Streamlit's is set to: in a command's words, else in the environment; "" where it is not."""
    for word, following in pairwise([*words, ""]):
        name, equals, value = word.partition("=")
        if name == f"--{option}":
            return value if equals else following
    return os.environ.get(VARIABLES[option], "")


VARIABLES = {"server.port": "STREAMLIT_SERVER_PORT", "server.baseUrlPath": "STREAMLIT_SERVER_BASE_URL_PATH"}


def ready(port: int, base: str = "") -> bool:
    """Ask on this machine; no proxy that the environment may name stands between."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=4)
    try:
        connection.request("GET", f"{base}/api/ready")
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main())
