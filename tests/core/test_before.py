"""Every link, file, page and command that an earlier version made still opens, to the same numbers.

``before/opened.json`` is what that version wrote, ``before/README.md`` says how.
"""

import base64
import io
import json
import sys
from pathlib import Path

import pytest

from mha_core import from_token, parse, trace
from mha_core.__main__ import main
from mha_ui import state
from mha_ui.state.url import work_at
from tests.sizes import each

ROOT = Path(__file__).resolve().parents[2]
BEFORE = json.loads((Path(__file__).parent / "before" / "opened.json").read_text("utf-8"))


def numbers(example):
    values = json.loads(json.dumps(trace(example).values).replace("-Infinity", '"-inf"'))
    return {"weights": values["weights"], "last": values[list(values)[-1]]}


def close(found, known, rel=1e-12):
    """Numbers may differ by rounding, sentences in wording, and keys may be added; all else is the same."""
    if isinstance(known, dict):
        return found.keys() >= known.keys() and all(close(found[name], known[name], rel) for name in known)
    if isinstance(known, list):
        return len(found) == len(known) and all(map(close, found, known, [rel] * len(known)))
    if isinstance(known, str) and " " in known:
        return isinstance(found, str)
    return found == (pytest.approx(known, rel=rel, abs=1e-15) if isinstance(known, float) else known)


def test_there_are_many_of_every_kind():
    kinds = {name: len(BEFORE[name]) for name in ("tokens", "files", "pages", "commands")}
    assert kinds == {"tokens": 20, "files": 7, "pages": 11, "commands": 16}


@each("link", BEFORE["tokens"])
def test_links_open(link):
    assert close(numbers(from_token(link["token"])), link["opens"])


@pytest.mark.parametrize("file", BEFORE["files"], ids=range(len(BEFORE["files"])))
def test_files_open(file):
    assert close(numbers(parse(file["text"])), file["opens"])


@pytest.mark.parametrize("page", BEFORE["pages"], ids=lambda page: page["page"][:40])
def test_pages_open(page):
    """The page writes all of the same address again, so it has understood every part of it."""
    script, _, query = page["page"].partition("?")
    assert not script or (ROOT / "pages" / f"{script}.py").exists()
    opened = work_at(dict(pair.split("=", 1) for pair in query.split("&")), None)
    assert opened.message is None
    assert page["address"].items() <= state.address(opened).items()
    assert close(numbers(opened.example), page["opens"])


@pytest.mark.parametrize("command", BEFORE["commands"], ids=lambda command: " ".join(command["arguments"]))
def test_commands_answer(command, capfdbinary, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("LANGUAGE", "en")
    weights = io.BytesIO(base64.b64decode(BEFORE["weights"]))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(weights))
    assert main(command["arguments"]) == command["status"]
    out = capfdbinary.readouterr().out.decode()
    known = command["out"]
    if known in (True, False):
        assert bool(out) == known
    else:
        found = json.loads(out)
        if "free_checks" in known:
            explained_since(found["steps"], known["steps"])
            wrong_since(known["steps"])
        assert close(found, known, 1e-5 if "float32" in command["arguments"] else 1e-12)


def explained_since(found, known):
    """A check may find a cause where it found none before."""
    for name, step in known.items():
        if step.get("causes") == []:
            found[name]["causes"] = []
            found[name] |= {"message": step["message"]} if "message" in step else {}


def wrong_since(known):
    """A whole number for another whole number was called rounded incorrectly. It is wrong."""
    for step in known.values():
        doubtful = step.pop("doubtful", [])
        assert all(float(cell["correct"]).is_integer() for cell in doubtful)
        step["wrong"] = sorted(
            step["wrong"] + doubtful, key=lambda cell: (cell["head"] or 0, cell["row"], cell["col"])
        )
