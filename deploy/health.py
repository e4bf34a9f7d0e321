"""Exit with 0 where the server in this container answers that it is well, otherwise with 1.

Reads the settings that the server reads: ``STREAMLIT_SERVER_PORT``, ``STREAMLIT_SERVER_BASE_URL_PATH``.
"""

import http.client
import os
import sys


def healthy() -> bool:
    """Ask ``/_stcore/health`` on this machine; no proxy that the environment may name stands between."""
    port = int(os.environ.get("STREAMLIT_SERVER_PORT", "8501"))
    base = os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=4)
    try:
        connection.request("GET", f"{'/' if base else ''}{base}/_stcore/health")
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(not healthy())
