"""The pages on the library and on capture: what their cells show is what comes out, cell by cell."""

import ast
import re
from pathlib import Path

import pytest

import mha_core

DOCS = Path(__file__).resolve().parents[2] / "docs"
SHOWS = "# → "


def cells_after(heading, page):
    return re.findall(
        r"```python\n(.*?)```", (DOCS / page).read_text("utf-8").partition(heading)[2], re.DOTALL
    )


def ran(code, names):
    """Run code as a notebook does: the value of its last expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def shown(cells, names):
    """Run the cells and compare what they show: how many results that were."""
    count = 0
    for cell in cells:
        code: list[str] = []
        for line in cell.splitlines():
            if line.startswith(SHOWS):
                assert repr(ran("\n".join(code), names)) == line.removeprefix(SHOWS)
                code, count = [], count + 1
            else:
                code.append(line)
        if any(code):
            ran("\n".join(code), names)
    return count


@pytest.mark.filterwarnings("ignore::UserWarning")  # torch on what its layers may be fused into
def test_what_the_cells_on_your_own_model_show(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = cells_after("# The attention of your own model", "capture.md")
    assert (len(cells), shown(cells, {})) == (15, 17)
    assert (tmp_path / "mine.mha.json").stat().st_size > 1000


def test_what_the_cell_on_puzzles_shows():
    assert shown(cells_after("## Puzzles", "library.md")[:1], {"mha": mha_core}) == 2
