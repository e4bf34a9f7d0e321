"""``python -m mha_ui`` has every command, also where the package is not installed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_checkout_has_every_command_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "mha_ui", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("usage: python -m mha_ui")
    for command in ("trace", "walk", "page", "view", "serve"):
        assert f"    {command} " in done.stdout
