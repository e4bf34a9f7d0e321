"""Runs every program of a folder, each in a process of its own, and prints what failed as JSON.

Importing a library takes longest, so the processes are forked from one that has imported what they need.

``python -m tests.export.run_programs FOLDER``
"""

import contextlib
import importlib
import io
import json
import os
import re
import runpy
import sys
from pathlib import Path


def main(folder):
    paths = sorted(Path(folder).glob("*.py"))
    needed = {
        name
        for path in paths
        for name in re.findall(r"^import (\w+)$", path.read_text("utf-8"), re.MULTILINE)
    }
    os.environ["KERAS_BACKEND"] = "torch"
    for name in needed - {"os"}:
        importlib.import_module(name)
    answers = {path.name: forked(path) for path in paths}
    failed = {name: reason for name, (reason, _) in answers.items() if reason}
    json.dump({"failed": failed, "told": {name: told for name, (_, told) in answers.items()}}, sys.stdout)


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
    main(sys.argv[1])
