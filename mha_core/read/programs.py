"""Matrices that a program spells out: literal lists, found by ``ast``. Nothing of the program is run."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import replace
from typing import Final

from mha_core.read.brackets import MAX_DEPTH
from mha_core.read.grids import Cell, Grid, grid_of, printed

MAX_PROGRAM: Final = 200_000
_NOT_GIVEN: Final = re.compile(r"None|(?:\w+\.)?nan|float\(['\"]nan['\"]\)|\.\.\.", re.IGNORECASE)
_COMMENT: Final = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_MINUS_INFINITY: Final = re.compile(
    r"-\s*(?:\w+\.)?inf|float\(['\"]-inf(?:inity)?['\"]\)|-\s*float\(['\"]inf['\"]\)", re.IGNORECASE
)


def program_grids(text: str, start: int) -> list[Grid] | None:
    """The matrices of a program that begins at ``start``; None where the text is no Python."""
    tree = _tree(text)
    if tree is None:
        return None
    finder = _Finder(text, start)
    try:
        finder.visit(tree)
    except RecursionError:
        return None
    return finder.grids


def comments_of(text: str) -> str:
    """The comments of a program that have lines of their own, each character in its place, and blanks elsewhere."""
    result, at = list[str](), 0
    for found in _COMMENT.finditer(text):
        result += [re.sub(r"[^\n]", " ", text[at : found.start()]), found[0].replace("#", " ")]
        at = found.end()
    return "".join([*result, re.sub(r"[^\n]", " ", text[at:])])


def printed_by(text: str) -> list[str]:
    """What a cell of a notebook shows, in order: the arguments of its prints, and its last line."""
    tree = _tree(text)
    if tree is None:
        return []
    try:
        return _shown(tree)
    except RecursionError:
        return []


def _shown(tree: ast.Module) -> list[str]:
    shown: list[str] = []
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        if isinstance(node.func, ast.Name) and node.func.id in ("print", "display"):
            shown += [ast.unparse(given) for given in node.args if not isinstance(given, ast.Constant)]
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Call):
        shown.append(ast.unparse(last.value))
    return shown


def _tree(text: str) -> ast.Module | None:
    lines = [
        " " * (len(line) - 1) + "\n" if line.lstrip().startswith(("%", "!", "```", "~~~")) else line
        for line in text.splitlines(keepends=True)
    ]
    if len(text) > MAX_PROGRAM:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Finder(ast.NodeVisitor):
    def __init__(self, text: str, start: int) -> None:
        self.grids: list[Grid] = []
        self.names: list[str] = []
        self.item = 0
        self.lines = [line.encode() for line in text.splitlines(keepends=True)]
        self.starts = [start]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def _place(self, line: int, column: int) -> int:
        """ast counts columns in bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1][:column].decode("utf-8", "ignore"))

    def _span(self, node: ast.expr) -> tuple[int, int]:
        return self._place(node.lineno, node.col_offset), self._place(
            node.end_lineno or 1, node.end_col_offset or 0
        )

    def visit_Assign(self, node: ast.Assign) -> None:  # ast's own name
        """``Q = …``: the variable names what is assigned."""
        self._within(ast.unparse(node.targets[0]), node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """The same with a type."""
        if node.value is not None:
            self._within(ast.unparse(node.target), node.value)

    def visit_Dict(self, node: ast.Dict) -> None:
        """``{"w_q": …}``: the key does."""
        for key, value in zip(node.keys, node.values, strict=True):
            named = str(key.value) if isinstance(key, ast.Constant) else ""
            self._within(named, value)

    def visit_keyword(self, node: ast.keyword) -> None:
        """``f(w_q=…)``: the argument's name does."""
        self._within(node.arg or "", node.value)

    def _within(self, name: str, value: ast.expr) -> None:
        self.names.append(name)
        self.visit(value)
        self.names.pop()

    def visit_List(self, node: ast.List) -> None:
        """A matrix, or a list of matrices."""
        self._list(node)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        """The same."""
        self._list(node)

    def _list(self, node: ast.List | ast.Tuple) -> None:
        depth = _depth(node, 0)
        label = " ".join(name for name in self.names[-2:] if name)
        if self.item:
            label = f"{self.names[-1]}_{self.item}"
        if depth == 3 and all(isinstance(part, ast.List | ast.Tuple) for part in node.elts):
            for index, part in enumerate(node.elts):
                grid = self._matrix(part, label) if isinstance(part, ast.List | ast.Tuple) else None
                if grid is not None:
                    self.grids.append(
                        replace(grid, part=(index, len(node.elts)) if len(node.elts) > 1 else None)
                    )
        elif depth in (1, 2):
            grid = self._matrix(node, label)
            if grid is not None:
                self.grids.append(grid)
                return
            for number, part in enumerate(node.elts, 1):  # [{"w_q": …}, {"w_q": …}]: one for each head
                self.item = number if isinstance(part, ast.Dict) and len(node.elts) > 1 else 0
                self.visit(part)
            self.item = 0
        else:
            self.generic_visit(node)

    def _matrix(self, node: ast.List | ast.Tuple, label: str) -> Grid | None:
        nested = all(isinstance(row, ast.List | ast.Tuple) for row in node.elts)
        lines = [row for row in node.elts if isinstance(row, ast.List | ast.Tuple)] if nested else [node]
        rows = [[self._cell(item) for item in row.elts] for row in lines]
        return grid_of(rows, *self._span(node), "program", label)

    def _cell(self, node: ast.expr) -> Cell:
        start, end = self._span(node)
        written = self._text(node)
        if _NOT_GIVEN.fullmatch(written):
            return Cell(None, start, end)
        if _MINUS_INFINITY.fullmatch(written):
            return Cell("-inf", start, end)
        number = printed(written)
        if number is not None:  # the digits as they are written: 0.50 is not 0.5
            return Cell(number, start, end)
        try:
            value = _number(node)
        except (ArithmeticError, ValueError):
            value = None
        text = None if value is None else printed(repr(value))
        return Cell(text, start, end, exact=True, word=text is None)

    def _text(self, node: ast.expr) -> str:
        line = self.lines[node.lineno - 1]
        return line[node.col_offset : node.end_col_offset].decode("utf-8", "ignore")


def _number(node: ast.expr) -> float | None:
    """The value of True, False, a number or a fraction; None for anything else."""
    match node:
        case ast.Constant(value=bool() | int() | float() as number):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _number(operand)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            over, under = _number(left), _number(right)
            return None if over is None or under is None else over / under
    return None


def _depth(node: ast.expr, so_far: int) -> int:
    if not isinstance(node, ast.List | ast.Tuple) or so_far > MAX_DEPTH:
        return 0
    return 1 + max((_depth(item, so_far + 1) for item in node.elts), default=0)
