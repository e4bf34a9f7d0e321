"""What the core may depend on, and that everything public has a docstring."""

import ast
import importlib
import inspect
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import mha_core
from tests.sizes import each
from tools import graph

CORE = Path(mha_core.__file__).parent
ROOT = CORE.parent
MODULES = sorted(CORE.rglob("*.py"))
ALLOWED = {*sys.stdlib_module_names, "torch", "mha_core"}
OPTIONAL = {
    "interop/parameters/keras_layer.py": {"keras"},
    "interop/saved/weights.py": {"safetensors"},
    "compute/trace.py": {"numpy", "pandas"},
    "models/checkpoint.py": {"safetensors"},
    "models/tokenizer.py": {"tokenizers"},
    "models/library.py": {"huggingface_hub"},
    "models/foreign.py": {"transformers"},
    "models/foreign_files.py": {"transformers"},
    "read/markdown.py": {"markdown_it"},
    "read/pdf.py": {"pypdf"},
    "train/saved.py": {"safetensors"},
}
"""What a module imports where it is called for, and does without elsewhere."""


@cache
def parsed(path):
    return ast.parse(path.read_text("utf-8"))


def imported(path):
    """The top-level packages that a file imports, anywhere in it."""
    return {name.partition(".")[0] for name in graph.imported(path)}


def dynamic_imports(path):
    """Names of functions that could import modules without an import statement."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in ("__import__", "import_module"):
                yield name


def imported_at_once(path):
    """The top-level packages that are imported together with a file: those outside functions."""
    tree = parsed(path)
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module).partition(".")[0]


@each("path", MODULES)
def test_the_core_imports_torch_the_standard_library_and_itself(path):
    assert imported(path) <= ALLOWED | OPTIONAL.get(path.relative_to(CORE).as_posix(), set())
    assert set(imported_at_once(path)) <= ALLOWED
    assert path == CORE / "__init__.py" or not list(
        dynamic_imports(path)
    )  # it imports each name on first use


FOLDERS = {
    "example": set(),
    "compute": {"example"},
    "learn": {"example", "compute"},
    "edit": {"example", "compute", "learn"},
    "check": {"example", "compute", "edit"},
    "exercise": {"example", "compute", "edit", "check", "walk"},
    "marks": {"example", "compute", "check", "exercise"},
    "bank": {"example", "compute", "check", "exercise", "walk"},
    "read": {"example", "compute", "check"},
    "compare": {"example", "compute", "edit", "check"},
    "puzzle": {"example", "compute", "edit"},
    "walk": {"example", "compute"},
    "interop/parameters": {"example", "compute"},
    "interop/saved": {"example", "interop/parameters"},
    "interop/running": {"example", "interop/parameters"},
    "interop": {"interop/parameters", "interop/saved", "interop/running"},
    "models": {"example", "compute", "interop/saved", "interop/running"},
    "train": {"example", "models"},
    "export": {"example", "compute", "interop/parameters"},
    "notation": {"example", "compute", "interop/parameters"},
}
"""Folder of the core → the folders that it may lean on; all may lean on the modules that lie in no folder."""


def core_imports(path):
    """The core's modules that a file imports from, as parts of their names."""
    for name in graph.imported(path):
        if name.startswith("mha_core."):
            yield name.split(".")[1:-1]


def test_the_import_graph_of_the_folders_leads_one_way():
    """``pytest -s -k import_graph`` prints it."""
    graph.show()
    leans = {name: found for name, found in graph.graph().items() if name.startswith("mha_core/")}
    assert leans.keys() == {f"mha_core/{name}" for name in FOLDERS}
    for name, before in FOLDERS.items():
        assert leans[f"mha_core/{name}"] <= {"mha_core", *(f"mha_core/{one}" for one in before)}, name
    assert list(TopologicalSorter(FOLDERS).static_order())


def test_no_module_imports_from_the_package_itself():
    for path in MODULES:
        if path.parent != CORE:
            assert all(core_imports(path)), f"{path.name}: the module that has it is meant"


LAYERS = {
    "mha_core": set(),
    "mha_view": {"mha_core"},
    "mha_api": {"mha_core", "mha_view"},
    "mha_ui": {"mha_core", "mha_view"},
    "pages": {"mha_core", "mha_view", "mha_api", "mha_ui"},
    "app.py": {"mha_core", "mha_view", "mha_api", "mha_ui"},
    "web": set(),
}
"""Package, folder or script → the packages that it may lean on. The routes and Streamlit's pages know nothing of each
other: ``app.py`` and ``pages/`` join them.
"""
FORBIDDEN = {
    "mha_view": {"streamlit", "starlette", "fastapi", "pandas"},
    "mha_api": {"streamlit", "pandas"},
    "mha_ui": {"starlette", "fastapi"},
}


@pytest.mark.parametrize("layer", [layer for layer in LAYERS if layer != "web"])
def test_every_package_depends_only_on_those_below_it(layer):
    part = ROOT / layer
    paths = [part] if part.is_file() else list(part.rglob("*.py"))
    assert paths
    for path in paths:
        names = imported(path)
        assert names & set(LAYERS) <= LAYERS[layer] | {layer}, path
        assert not names & FORBIDDEN.get(layer, set()), path


def test_the_folders_of_all_packages_depend_only_on_packages_below_them():
    """As seen by the tool that draws the folders, which knows each of these packages."""
    found = graph.graph()
    assert {name.partition("/")[0] for name in found} == set(LAYERS) - {"app.py"}
    for name, leans in found.items():
        package = name.partition("/")[0]
        assert {one.partition("/")[0] for one in leans} <= LAYERS[package] | {package}, name


def test_tests_and_benchmarks_share_tools_and_the_product_uses_none_of_the_three():
    around = {"tests", "benchmarks", "tools"}
    for layer in (*LAYERS, *around):
        allowed = {layer, "tools"} if layer in ("tests", "benchmarks") else {layer}
        for path in [ROOT / layer] if layer == "app.py" else (ROOT / layer).rglob("*.py"):
            assert imported(path) & around <= allowed, path


WITHOUT_STREAMLIT = """
import importlib, pkgutil, sys
import mha_view
for module in pkgutil.walk_packages(mha_view.__path__, "mha_view."):
    importlib.import_module(module.name)
found = {"streamlit", "starlette", "pandas", "mha_api", "mha_ui"} & sys.modules.keys()
assert not found, found
"""


def test_the_view_needs_no_streamlit_and_no_server():
    """Neither by itself nor by what it imports."""
    subprocess.run([sys.executable, "-c", WITHOUT_STREAMLIT], cwd=ROOT, check=True)


LIGHT = """
import sys
import mha_api, mha_ui.shell
heavy = {"torch", "numpy", "pandas", "pyarrow"} & sys.modules.keys()
assert not heavy, heavy
"""


def test_what_the_server_starts_with_imports_no_torch():
    subprocess.run([sys.executable, "-c", LIGHT], cwd=ROOT, check=True)


def test_no_two_modules_import_each_other():
    """Neither directly nor through others, so the modules can be put in an order and read in it."""
    leans = {
        ".".join(path.relative_to(CORE).with_suffix("").parts): {
            ".".join(parts) for parts in core_imports(path)
        }
        for path in MODULES
    }
    assert list(TopologicalSorter(leans).static_order())


@each("path", MODULES)
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


def test_every_export_is_listed_once():
    assert len(set(mha_core.__all__)) == len(mha_core.__all__)
    assert all(hasattr(mha_core, name) for name in mha_core.__all__)


def test_dir_lists_the_exports():
    assert set(dir(mha_core)) == {*mha_core.__all__, "__version__"}
