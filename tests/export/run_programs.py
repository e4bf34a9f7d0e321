"""Runs every program of a folder, in one process, and prints what failed as JSON: importing a library takes longest.

``python -m tests.export.run_programs FOLDER``
"""

import contextlib
import io
import json
import runpy
import sys
from pathlib import Path


def main(folder):
    failed, told = {}, {}
    for path in sorted(Path(folder).glob("*.py")):
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                runpy.run_path(str(path), run_name="__main__")
        except Exception as error:  # noqa: BLE001
            failed[path.name] = f"{type(error).__name__}: {error}"[:300]
        told[path.name] = out.getvalue()
    json.dump({"failed": failed, "told": told}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
