"""How the app is started: by the tests as by ``make run``, with no watcher on its files."""

from __future__ import annotations

import json
import re
import sys
import tomllib

from mha_ui.exchange import MAX_UPLOAD_MB
from tools.drive.server import ROOT, command, running

WATCHER = "--server.fileWatcherType=auto"


def recipe(target: str) -> list[str]:
    """The one command of a target of the Makefile, in words; this Python stands for that of .venv."""
    lines = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    (line,) = lines.group(1).splitlines()
    return [sys.executable if word == "$(PY)" else word for word in line.split()]


def test_the_tests_start_the_app_as_make_run_does():
    assert command() == recipe("run")


def test_make_dev_differs_in_the_watcher_alone():
    assert recipe("dev") == [*recipe("run"), WATCHER]


def test_no_file_is_watched_by_default():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["server"]["fileWatcherType"] == "none"


def test_the_started_server_watches_no_file(new_context):
    with running(ROOT / "tests" / "e2e" / "options.py") as server:
        page = new_context().new_page()
        page.goto(server.url)
        told = json.loads(page.get_by_test_id("stText").inner_text())
        page.close()
    assert told == {"server.fileWatcherType": "none", "server.maxUploadSize": MAX_UPLOAD_MB}
