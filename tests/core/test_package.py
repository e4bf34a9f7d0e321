"""The package: built as a wheel, installed with its declared requirements only, and used from another folder."""

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path
from urllib.request import urlopen
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

import mha_core
from mha_core import built_in, trace
from mha_ui.command import app
from tests.core.test_requirements import EXTRAS, PROJECT, closure, extra

ROOT = Path(mha_core.__file__).parent.parent
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
APART = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STREAMLIT"))}
"""An environment in which nothing leads back to this checkout."""


def files(folder, *patterns):
    return {
        path.relative_to(folder).as_posix()
        for pattern in patterns
        for path in folder.glob(pattern)
        if path.is_file() and "__pycache__" not in path.parts
    }


APP = files(ROOT, "app.py", "pages/*.py", ".streamlit/config.toml")
PACKAGES = files(ROOT, "mha_*/**/*")
WEB = files(ROOT, "web/**/*.js", "web/**/*.css")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("package")


@pytest.fixture(scope="module")
def source(folder):
    """A separate checkout, so that the build may leave files in it."""
    needed = "pyproject.toml setup.py MANIFEST.in README.md LICENSE".split()
    for name in sorted(APP | PACKAGES | WEB | set(needed)):
        target = folder / "source" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
    return folder / "source"


@pytest.fixture(scope="module")
def wheel(folder, source):
    how = ["--no-build-isolation", "--no-deps", "--wheel-dir", folder]
    subprocess.run([*PIP, "wheel", *how, source], check=True, timeout=120)
    (built,) = folder.glob("*.whl")
    return built


class Installed:
    """An environment with the package, what it needs without an extra, and the requirements ``beside`` it."""

    def __init__(self, folder, *what, beside=()):
        self.away = folder / "elsewhere"
        self.away.mkdir(parents=True)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        self.bin = folder / "venv" / "bin"
        paths = sysconfig.get_paths(vars={"base": str(folder / "venv"), "platbase": str(folder / "venv")})
        for name in closure([*map(Requirement, PROJECT["dependencies"]), *beside]):
            link(name, Path(paths["purelib"]))
        how = ["--no-build-isolation", "--no-compile", "--no-deps", "--no-index", "--prefix", folder / "venv"]
        subprocess.run(
            [*PIP, "--python", self.bin / "python", "install", *how, *what], check=True, timeout=120
        )

    def ended(self, command, *arguments):
        return subprocess.run(
            [self.bin / command, *arguments], cwd=self.away, env=APART, capture_output=True, text=True, timeout=120,
            check=False,
        )  # fmt: skip

    def run(self, command, *arguments):
        ended = self.ended(command, *arguments)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout


def link(name, folder):
    """Make a distribution of this environment available in another, without copying it."""
    found = distribution(name)
    for top in {file.parts[0] for file in found.files} - {"..", "__pycache__"}:
        if not (folder / top).exists():
            (folder / top).symlink_to(found.locate_file(top))


@pytest.fixture(scope="module")
def alone(folder, wheel):
    return Installed(folder / "alone", wheel)


@pytest.fixture(scope="module")
def installed(folder, wheel):
    return Installed(folder / "app", wheel, beside=extra("app"))


def test_the_wheel_has_the_packages_and_the_app(wheel):
    with ZipFile(wheel) as content:
        names = {name for name in content.namelist() if ".dist-info/" not in name}
        (metadata,) = (name for name in content.namelist() if name.endswith("METADATA"))
        headers = Parser().parsestr(content.read(metadata).decode())
    catalogues = {name for name in PACKAGES if name.endswith(".po")}
    scripts = {f"mha_ui/app/{name}" for name in APP} | {f"mha_view/{name}" for name in WEB}
    assert names == (PACKAGES - catalogues) | scripts
    assert headers["Version"] == mha_core.__version__
    (needed,) = (Requirement(line) for line in headers.get_all("Requires-Dist") if "extra" not in line)
    assert needed.name == "torch"
    assert set(headers.get_all("Provides-Extra")) == EXTRAS.keys()


# --- without an extra -------------------------------------------------------------------------------------------


def test_alone_it_is_installed_with_torch_and_its_requirements(alone):
    names = ["numpy", "pandas", "plotly", "streamlit", "tokenizers", "torch"]
    program = f"from importlib.util import find_spec; print(*filter(find_spec, {names}))"
    assert alone.run("python", "-c", program) == "torch\n"


def test_alone_it_traces_from_another_folder(alone):
    assert alone.run("mha", "--version") == f"mha {mha_core.__version__}\n"
    ended = alone.ended("mha", "trace", "first", "--device", "cpu")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["steps"] == trace(built_in("first")).values


def test_alone_it_checks(alone):
    ended = alone.ended("mha", "check", "published")
    assert (ended.returncode, ended.stderr) == (1, "")
    assert json.loads(ended.stdout)["ok"] is False


def test_alone_it_explains(alone):
    cell = "--step weights --head 1 --row 0 --col 2".split()
    assert json.loads(alone.run("mha", "explain", "first", *cell, "--device", "cpu"))["terms"]


ARRAYS = """
import mha_core as mha
rows = [[1.0, 0.0], [0.0, 1.0]]
computed = mha.trace(mha.from_arrays(x=rows, heads=[{"w_q": rows, "w_k": rows, "w_v": rows}], mask="causal"))
print(computed["weights"][0, 0].tolist())
for name in ("numpy", "to_pandas"):
    try:
        getattr(computed, name)("weights")
    except mha.InteropError as error:
        print(error)
"""


def test_alone_the_library_computes_and_says_what_tables_need(alone):
    assert alone.run("python", "-c", ARRAYS).splitlines() == [
        "[1.0, 0.0]",
        'this requires the package numpy: pip install "mha[notebook]"',
        'this requires the package pandas: pip install "mha[notebook]"',
    ]


@pytest.mark.parametrize(
    ("arguments", "package", "extra"),
    [
        ("serve --headless --port 0", "streamlit", "app"),
        ("walk first --to slides", "python-pptx", "slides"),
        pytest.param("models own text", "safetensors", "models", marks=pytest.mark.long),
        pytest.param("layers none.safetensors", "safetensors", "interop", marks=pytest.mark.long),
    ],
)
def test_alone_it_names_the_extra_that_a_command_needs(alone, arguments, package, extra):
    (alone.away / "none.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
    ended = alone.ended("mha", *arguments.split())
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.endswith(f'this requires the package {package}: pip install "mha[{extra}]"\n')
    assert extra in EXTRAS


def test_alone_it_writes_the_walk_as_a_page(alone):
    assert alone.run("mha", "walk", "first", "--to", "page").startswith("<!doctype html>")


# --- with the extra app -----------------------------------------------------------------------------------------


def test_an_editable_install_runs_the_checkout(folder, source):
    editable = Installed(folder / "editable", "--editable", source)
    program = "import mha_core, mha_ui.command as c; print(mha_core.__file__, c.app(), *mha_core.library())"
    core, script, *names = editable.run("python", "-c", program).split()
    assert (core, script) == (str(source / "mha_core" / "__init__.py"), str(source / "app.py"))
    assert names == list(mha_core.library())


def test_serve_answers(installed):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [installed.bin / "mha", "serve", "--headless", f"--port={port}", "--address=127.0.0.1"]
    with subprocess.Popen(
        command, cwd=installed.away, env=APART, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            # "localhost" is in the settings next to the script, so they were read.
            assert any(f"http://localhost:{port}" in line for line in process.stdout), "it ended unserved"
            for path in ("_stcore/health", "", "walkthrough"):
                with urlopen(f"http://127.0.0.1:{port}/{path}", timeout=60) as answer:
                    assert answer.status == 200
        finally:
            process.kill()


APP_RUNS = """
from streamlit.testing.v1 import AppTest
from mha_ui.command import app
page = AppTest.from_file(app().parent / "pages" / "navigation.py", default_timeout=60).run()
print(app(), *(exception.message for exception in page.exception), sep="\\n")
"""


def test_the_installed_app_runs(installed):
    script, *exceptions = installed.run("python", "-c", APP_RUNS).splitlines()
    assert exceptions == []
    assert Path(script).parts[-3:] == ("mha_ui", "app", "app.py")


def test_in_a_checkout_the_app_is_the_one_at_its_root():
    assert app() == ROOT / "app.py"


NOTEBOOK = """
import json, nbclient, nbformat
cell = nbformat.v4.new_code_cell("import mha_core\\nmha_core.built_in('first')")
notebook = nbformat.v4.new_notebook(cells=[cell])
nbclient.NotebookClient(notebook, timeout=120).execute()
print(json.dumps(cell.outputs[0]["data"]))
"""


def test_a_notebook_cell_shows_an_example(folder, wheel):
    running = [Requirement("ipykernel"), Requirement("nbclient")]
    installed = Installed(folder / "notebook", wheel, beside=[*extra("notebook"), *running])
    shown = json.loads(installed.run("python", "-c", NOTEBOOK).splitlines()[-1])
    assert shown["text/plain"] == repr(built_in("first"))
    assert shown["text/html"].startswith('<iframe sandbox="allow-scripts" ')
    assert "思考 计算机 程序" in shown["text/html"]


LIGHT = """
import sys
from mha_ui import command
for arguments in ([], ["--help"], ["--version"], ["explain", "--help"], ["examples"], ["nonsense"], ["trace"],
                  ["trace", "missing.json"], ["export", "first", "--to", "word"], ["serve", "--port", "one"]):
    sys.argv = ["mha", *arguments]
    try:
        command.main()
    except SystemExit:
        pass
    heavy = {"torch", "numpy", "pandas", "streamlit"} & sys.modules.keys()
    assert not heavy, (arguments, heavy)
"""


def test_help_and_errors_of_usage_import_no_torch(installed):
    assert installed.ended("python", "-c", LIGHT).returncode == 0
