"""What the browser's side takes from Python is as Python says it now."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_written_files_are_up_to_date():
    command = [sys.executable, "tools/declarations.py", "check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
