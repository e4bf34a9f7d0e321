"""The libraries are imported in the background, and computations wait for them."""

import ast
import asyncio
import gc
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.applications import Starlette

import mha_api
from mha_api import ready
from tests.api.asgi import get, run

ROOT = Path(mha_api.__file__).parent.parent


@pytest.fixture
def begun(monkeypatch):
    """A process that has not begun to import."""
    monkeypatch.setattr(ready, "_BEGUN", [])


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package whose second module waits for ``GO``, or fails."""
    folder = tmp_path / "slowly"
    folder.mkdir()
    for name, text in {
        "__init__": "from threading import Event\nGO, FAULT = Event(), []",
        "__main__": "1 / 0",
        "first": "DONE = True",
        "second": "from slowly import FAULT, GO\nGO.wait()\nif FAULT: raise FAULT[0]\nDONE = True",
    }.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import slowly  # type: ignore[import-not-found]  # made above

    yield slowly
    for name in [name for name in sys.modules if name.partition(".")[0] == "slowly"]:
        del sys.modules[name]


COMPILER = """
import sys
import mha_core.interop, mha_ui.bench, mha_ui.models
assert "torch" in sys.modules
assert "torch._dynamo" not in sys.modules
"""


def test_a_start_does_not_import_torchs_compiler():
    """It takes as long to import as all the rest of torch."""
    ran = subprocess.run(
        [sys.executable, "-c", COMPILER], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def ready_answer():
    answer = get(Starlette(routes=mha_api.routes()), "/api/ready")
    assert answer.headers["cache-control"] == "no-store"
    return answer.status, json.loads(answer.body)


def test_without_anything_to_import_it_is_ready(begun):
    assert ready_answer() == (200, {"ready": True})
    ready.wait()


def test_it_is_ready_when_every_module_is_imported(begun, package):
    ready.begin(["json"], ["slowly"])
    assert ready_answer() == (503, {"ready": False})
    ready.begin(["json"], ["slowly"])  # once a process
    package.GO.set()
    ready.wait()
    assert ready_answer() == (200, {"ready": True})
    assert (package.first.DONE, package.second.DONE) == (True, True)
    assert "slowly.__main__" not in sys.modules
    run(ready.imported())


def test_no_collection_visits_what_was_imported(begun, package):
    """A full collection would keep every answer waiting for as long as it visits torch and Streamlit."""
    gc.unfreeze()
    package.GO.set()
    ready.begin([], ["slowly"])
    ready.wait()
    assert not any(module is package.second for module in gc.get_objects())
    gc.unfreeze()
    assert any(module is package.second for module in gc.get_objects())


def test_the_import_begins_when_the_server_starts(begun, package):
    async def life():
        done = []
        async with ready.lifespan([], ["slowly"], first=lambda: done.append(ready.is_ready()))(None):
            assert done == [True]  # before the import began
            assert not ready.is_ready()
            package.GO.set()
            await ready.imported()
            assert ready.is_ready()

    run(life())


def test_a_task_that_stops_waiting_does_not_cancel_the_import(begun, package):
    async def cancel():
        waiting = asyncio.create_task(ready.imported())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        package.GO.set()
        await ready.imported()

    ready.begin([], ["slowly"])
    run(cancel())
    assert ready.is_ready()


def test_a_failed_import_is_raised_in_everything_that_waits_and_it_is_never_ready(begun, package):
    package.FAULT.append(ImportError("planted"))
    package.GO.set()
    ready.begin([], ["slowly"])
    with pytest.raises(ImportError, match="planted"):
        ready.wait()
    with pytest.raises(ImportError, match="planted"):
        run(ready.imported())
    assert ready_answer() == (503, {"ready": False})


def test_a_module_whose_optional_package_is_missing_is_skipped(begun, package, monkeypatch):
    monkeypatch.setitem(sys.modules, "sometimes", None)
    package.FAULT.append(ModuleNotFoundError("planted", name="sometimes"))
    package.GO.set()
    ready.begin([], ["slowly"], ["sometimes"])
    ready.wait()
    assert ready_answer() == (200, {"ready": True})


def test_the_app_starts_with_its_required_packages_only():
    """An import at the top of a module runs at the start, and must work in a fresh environment."""
    required = {
        line.partition("==")[0] for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    }
    (optional,) = re.findall(r"^OPTIONAL = (.*)$", (ROOT / "app.py").read_text("utf-8"), re.MULTILINE)
    ours = {"mha_api", "mha_core", "mha_ui", "mha_view"}
    allowed = {*sys.stdlib_module_names, *required, *ours, *ast.literal_eval(optional)}
    imports = {(path.name, name) for path in packages(*ours) for name in imported_at_once(path)}
    assert {(path, name) for path, name in imports if name not in allowed} == set()


def packages(*names):
    return [path for name in names for path in (ROOT / name).rglob("*.py")]


def imported_at_once(path):
    """The packages that a file imports when it is imported itself."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module).partition(".")[0]


@pytest.mark.parametrize("base", ["course", "/course/"])
def test_routes_lie_below_the_path_that_streamlit_serves(begun, base):
    app = Starlette(routes=mha_api.routes(base))
    assert get(app, "/course/api/ready").status == 200
    assert get(app, "/api/ready").status == 404
