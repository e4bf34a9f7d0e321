"""A layer as a spreadsheet's formulas, and the script that edits them in LibreOffice Calc.

All heads project X and have one width; there is no mask and no W_O.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from shutil import which
from string import ascii_uppercase

from mha_core import Example
from mha_core.example.model import Head, divisor

COLUMNS = [first + second for first in ("", *ascii_uppercase) for second in ascii_uppercase]
PYTHON = "/usr/bin/python3"
"""The system's own, for which the system's packages install ``uno``."""
CALC = """
import json, subprocess, sys, time, uno
from com.sun.star.beans import PropertyValue
folder, context = sys.argv[1], None
pipe = "pipe,name=mha" + folder.replace("/", "_") + ";urp;"
command = ["soffice", "--headless", "--norestore", "--nologo", "--nodefault", "--accept=" + pipe]
office = subprocess.Popen([*command, "-env:UserInstallation=file://" + folder], stdout=-3, stderr=-3)
resolver = uno.getComponentContext().ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
while not context and office.poll() is None:
    time.sleep(0.1)
    try: context = resolver.resolve("uno:" + pipe + "StarOffice.ComponentContext")
    except Exception: pass  # it has not started yet
desktop = context.ServiceManager.createInstance("com.sun.star.frame.Desktop")
opened = lambda url: desktop.loadComponentFromURL(url, "_blank", 0, (PropertyValue("Hidden", 0, True, 0),))
place = lambda top, rows: book.Sheets[0].getCellRangeByPosition(0, top, len(rows[0]) - 1, top + len(rows) - 1)
def timed(cell, number):
    begin = time.perf_counter()
    cell.setValue(number), book.calculate(), last.getValue()
    return (time.perf_counter() - begin) * 1000
try:
    book, tables, file = opened("private:factory/scalc"), json.loads(input()), "file://" + folder + "/layer.xlsx"
    for table in tables: place(*table).setFormulaArray(tuple(map(tuple, table[1])))
    book.storeToURL(file, (PropertyValue("FilterName", 0, "Calc MS Excel 2007 XML", 0),))
    book.close(True)
    book, (_, rows) = opened(file), tables[-1]
    result = place(*tables[-1])
    last = result.getCellByPosition(len(rows[0]) - 1, len(rows) - 1)
    cells = [book.Sheets[0].getCellByPosition(col, 0) for col in (0, 200)]  # no formula reads the second one
    for line in sys.stdin:
        taken = [timed(cell, float(line)) for cell in cells]
        print(json.dumps([taken, result.getDataArray()]), flush=True)
    book.close(True)
finally:
    desktop.terminate()
    office.wait(30)
"""
"""Reads tables from a line, opens them as an .xlsx file, and answers each number for X[1,1] with times and a result."""

Table = tuple[int, list[list[str]]]
"""The row that a table starts at, from 0, and what is typed into its cells from column A on."""


def has_calc() -> bool:
    """Whether there is a Calc, and a Python that can talk to it."""
    if not all(map(which, (PYTHON, "soffice"))):
        return False
    return subprocess.run([PYTHON, "-c", "import uno"], capture_output=True, check=False).returncode == 0


def workbook(example: Example) -> list[Table]:
    """A formula in each computed cell; the tables one below the other, first X, last the outputs side by side."""
    n, d_model, d_k = example.dims.n_q, example.dims.d_model, example.dims.d_k
    tables: list[Table] = []

    def put(height: int, width: int, typed: Callable[[int, int], object]) -> int:
        top = sum(len(rows) for _, rows in tables)
        tables.append((top, [[str(typed(i, j)) for j in range(width)] for i in range(height)]))
        return top

    def head(given: Head) -> int:
        def projected(w: tuple[tuple[float, ...], ...]) -> int:
            top = put(d_model, d_k, lambda i, j: w[i][j])
            return put(n, d_k, lambda i, j: f"=MMULT({row(x, i, d_model)};{column(top, d_model, j)})")

        q, k, v = (projected(w) for w in (given.w_q, given.w_k, given.w_v))
        scores = put(n, n, lambda i, j: f"=SUMPRODUCT({row(q, i, d_k)};{row(k, j, d_k)})")
        scaled = put(n, n, lambda i, j: f"={cell(scores, i, j)}/{divisor(example)}")
        powers = put(n, n, lambda i, j: f"=EXP({cell(scaled, i, j)}-MAX({row(scaled, i, n)}))")
        weights = put(n, n, lambda i, j: f"={cell(powers, i, j)}/SUM({row(powers, i, n)})")
        return put(n, d_k, lambda i, j: f"=MMULT({row(weights, i, n)};{column(v, n, j)})")

    x = put(n, d_model, lambda i, j: example.x[i][j])
    outputs = [head(given) for given in example.heads]
    put(n, d_k * len(outputs), lambda i, j: f"={cell(outputs[j // d_k], i, j % d_k)}")
    return tables


def cell(top: int, i: int, j: int) -> str:
    """The address of a table's cell."""
    return f"{COLUMNS[j]}{top + i + 1}"


def row(top: int, i: int, width: int) -> str:
    """The address of a table's row."""
    return f"{cell(top, i, 0)}:{cell(top, i, width - 1)}"


def column(top: int, height: int, j: int) -> str:
    """The address of a table's column."""
    return f"{cell(top, 0, j)}:{cell(top, height - 1, j)}"
