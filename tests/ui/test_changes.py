"""A change of the work is a function that returns the next one; calling it without using the result changes nothing."""

import ast
from inspect import isfunction

from mha_ui import state
from mha_ui.state import actions, edits, exercise, history, url, work
from tests.core.test_architecture import ROOT

MODULES = (state, actions, edits, exercise, history, url, work)
CHANGES = {
    name
    for module in MODULES
    for name, value in vars(module).items()
    if isfunction(value)
    and list(value.__annotations__.values())[:1] == ["Work"] == [value.__annotations__["return"]]
}


def test_no_change_of_the_work_is_dropped():
    assert {"open_file", "receive", "undo"} <= CHANGES
    for path in (ROOT / "mha_ui").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                function = node.value.func
                name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
                assert name not in CHANGES, f"{path.name}:{node.lineno} drops what {name} returns"
