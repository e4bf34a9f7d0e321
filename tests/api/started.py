"""Modules that a server finds before all others: a record of whom it asks, and a gate before torch."""

RECORD = """
import os, sys

LOOKED_UP = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")

def record(event, arguments):
    if event in (*LOOKED_UP, "socket.connect", "socket.sendto"):
        asked = arguments[0] if event in LOOKED_UP else arguments[1]
        with open(os.environ["TEST_ASKED"], "a") as file:
            print(event, repr(asked), file=file)

sys.addaudithook(record)
open(os.environ["TEST_ASKED"], "x").close()
"""
"""``sitecustomize.py``: each name looked up and each address that something is sent to is a line of ``TEST_ASKED``."""

GATE = """
import os, sys
open(os.environ["TEST_GATE"]).close()  # a named pipe: this waits until somebody writes to it
sys.path.remove(os.path.dirname(__file__))
del sys.modules["torch"]
import torch  # the real one
"""
"""``torch.py``: it is not imported before the pipe ``TEST_GATE`` is written to."""
