"""Reads folders, one on each line, runs every program in them, each in a new process, and prints what failed as a line
of JSON.

Importing a library takes longest, so the processes are forked from this one, which has imported them all.

``python -m tests.export.run_programs``
"""

import contextlib
import io
import json
import os
import runpy
import sys
from pathlib import Path


def main():
    import_libraries()
    for line in sys.stdin:
        answers = {path.name: forked(path) for path in sorted(Path(line.rstrip("\n")).glob("*.py"))}
        failed = {name: reason for name, (reason, _) in answers.items() if reason}
        printed = {name: text for name, (_, text) in answers.items()}
        sys.stdout.write(json.dumps({"failed": failed, "printed": printed}) + "\n")
        sys.stdout.flush()


def import_libraries():
    """NumPy and PyTorch import half of themselves only when they first compare two arrays."""
    os.environ["KERAS_BACKEND"] = "torch"
    import keras  # noqa: F401
    import numpy as np
    import torch

    np.testing.assert_allclose(np.ones(1), np.ones(1))
    torch.testing.assert_close(torch.ones(1), torch.ones(1))


def forked(path):
    """Why the program failed ("" where it did not), and what it printed."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, json.dumps(run(path)).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return json.loads(said or '["the process died", ""]')


def run(path):
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(path), run_name="__main__")
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error}"[:300], out.getvalue()
    return "", out.getvalue()


if __name__ == "__main__":
    main()
