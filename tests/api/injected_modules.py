"""Modules put first on a server's path: a record of the hosts that it contacts, and a gate before torch."""

RECORD = """
import os, sys

LOOKED_UP = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")

def record(event, arguments):
    if event in (*LOOKED_UP, "socket.connect", "socket.sendto"):
        host = arguments[0] if event in LOOKED_UP else arguments[1]
        with open(os.environ["TEST_HOSTS"], "a") as file:
            print(event, repr(host), file=file)

sys.addaudithook(record)
open(os.environ["TEST_HOSTS"], "x").close()
"""
"""``sitecustomize.py``: each name that is looked up and each address that is contacted is a line of ``TEST_HOSTS``."""

GATE = """
import os, sys
open(os.environ["TEST_GATE"]).close()  # a named pipe: this waits until somebody writes to it
sys.path.remove(os.path.dirname(__file__))
del sys.modules["torch"]
import torch  # the real one
"""
"""``torch.py``: torch is not imported until something is written to the pipe ``TEST_GATE``."""
