"""The folders of the code, their lines and the folders that they import from: ``python tools/graph.py``."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("pages", "mha_ui", "mha_api", "mha_view", "mha_core")
LINES = (".py", ".js", ".css", ".jinja")
"""Suffixes of the files whose lines are counted."""


def folders() -> dict[str, Path]:
    """Every folder with code by its name, such as ``mha_core/check`` and ``web/kit``."""
    paths = {path.parent for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    paths |= {path.parent for path in (ROOT / "web").rglob("*.js")}
    return {path.relative_to(ROOT).as_posix(): path for path in sorted(paths)}


@cache
def imported(path: Path) -> frozenset[str]:
    """The modules that a file imports, and the names that it imports from them, which may be modules too."""
    text = path.read_text("utf-8")
    if path.suffix == ".js":
        modules = re.findall(r'^(?:import|\}) .*from "(.*)";$', text, re.MULTILINE)
        paths = ((path.parent / module).resolve().relative_to(ROOT) for module in modules)
        return frozenset(path.as_posix().replace("/", ".") for path in paths)
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return frozenset(found)


def graph() -> dict[str, set[str]]:
    """Folder → the other folders that its modules import from."""
    known = folders()
    return {
        name: {
            home
            for path in (*folder.glob("*.py"), *folder.glob("*.js"))
            for module in imported(path)
            if (home := _home(module, known))
        }
        - {name}
        for name, folder in known.items()
    }


def _home(module: str, known: dict[str, Path]) -> str | None:
    """The folder of a module; None where it is not ours."""
    parts = module.split(".")
    names = ("/".join(parts[:size]) for size in range(len(parts), 0, -1))
    return next((name for name in names if name in known), None)


def lines(folder: Path) -> int:
    """The lines of a folder's own files."""
    files = [path for path in folder.glob("*") if path.suffix in LINES]
    return sum(len(path.read_text("utf-8").splitlines()) for path in files)


def show() -> None:
    """Print one line a folder."""
    known = folders()
    width = max(map(len, known))
    rows = [
        f"{name:{width}}  {lines(known[name]):6}  {', '.join(sorted(leans))}".rstrip()
        for name, leans in graph().items()
    ]
    print("\n".join([f"{'folder':{width}}   lines  leans on", *rows]))


if __name__ == "__main__":
    show()
