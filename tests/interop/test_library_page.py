"""The page on the library: what its section on models shows is what comes out, cell by cell."""

import ast
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "library.md").read_text("utf-8")
SHOWS = "# → "
CELLS = re.findall(r"```python\n(.*?)```", PAGE.partition("## The attention of your own model")[2], re.DOTALL)


def ran(code, names):
    """Run code as a notebook does: the value of its last expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.filterwarnings("ignore::UserWarning")  # torch on what its layers may be fused into
def test_what_the_cells_show(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    shown = 0
    for cell in CELLS:
        code: list[str] = []
        for line in cell.splitlines():
            if line.startswith(SHOWS):
                assert repr(ran("\n".join(code), names)) == line.removeprefix(SHOWS)
                code, shown = [], shown + 1
            else:
                code.append(line)
        if any(code):
            ran("\n".join(code), names)
    assert (len(CELLS), shown) == (7, 7)
    assert (tmp_path / "mine.mha.json").stat().st_size > 1000
