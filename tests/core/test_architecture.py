"""What the core may lean on, and that what is public says what it does."""

import ast
import importlib
import inspect
import sys
from pathlib import Path

import pytest

import mha_core

CORE = Path(mha_core.__file__).parent
MODULES = sorted(CORE.rglob("*.py"))
ALLOWED = {*sys.stdlib_module_names, "torch", "mha_core"}
OPTIONAL = {"keras_layer": {"keras"}, "weights": {"safetensors"}}
"""What a module of ``interop`` imports where it is called for, and does without elsewhere."""


def imported(path):
    """The top-level packages that a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: a relative import"
            yield str(node.module).partition(".")[0]


def dynamic_imports(path):
    """Names of functions that would import what the syntax does not show."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in ("__import__", "import_module"):
                yield name


def imported_at_once(path):
    """The top-level packages that importing a file imports: those that stand in no function."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module).partition(".")[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_the_core_imports_torch_the_standard_library_and_itself(path):
    optional = OPTIONAL.get(path.stem, set()) if path.parent.name == "interop" else set()
    assert set(imported(path)) <= ALLOWED | optional
    assert set(imported_at_once(path)) <= ALLOWED
    assert not list(dynamic_imports(path))


def test_there_is_something_to_look_at():
    assert len(MODULES) >= 12
    assert {"trace", "derive", "files", "graph"} <= {path.stem for path in MODULES}


def test_modules_are_read_in_the_order_that_the_package_tells():
    """A module may import only what was read before it, apart from errors, messages and devices."""
    order = ["errors", "messages", "device", "example", "files", "validate", "graph", "trace", "derive"]
    order += [
        "printed",
        "mistakes",
        "hypotheses",
        "slips",
        "check",
        "free_checks",
        "paste",
        "edit_fields",
        "claims",
        "report",
    ]
    order += [
        "diagnoses",
        "teaching",
        "exercise",
        "edit",
        "link",
        "library",
        "mistaken",
        "pairs",
        "measures",
        "scaling",
        "gradients",
        "variant",
        "compare",
        "head_terms",
        "narration",
        "walk",
        "takeaway",
    ]
    for name in order:
        tree = ast.parse((CORE / f"{name}.py").read_text("utf-8"))
        used = {
            node.module.removeprefix("mha_core.")
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module.startswith("mha_core.")
        }
        earlier = set(order[: order.index(name)])
        assert used <= earlier | {"validate"}, name  # files and validate are the two halves of the way in


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_every_public_thing_has_a_docstring(path):
    name = ".".join(path.relative_to(CORE.parent).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    assert module.__doc__
    for public, thing in vars(module).items():
        if public.startswith("_") or getattr(thing, "__module__", None) != name:
            continue
        if inspect.isfunction(thing) or inspect.isclass(thing):
            assert thing.__doc__, f"{name}.{public}"
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                if inspect.isfunction(function) and not member.startswith("_"):
                    assert function.__doc__, f"{name}.{public}.{member}"


def test_what_the_package_offers_is_there_once():
    assert len(set(mha_core.__all__)) == len(mha_core.__all__)
    assert all(hasattr(mha_core, name) for name in mha_core.__all__)
