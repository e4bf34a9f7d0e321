"""The package: built as a wheel, installed beside the libraries alone, and used from another folder."""

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
from email.parser import Parser
from pathlib import Path
from urllib.request import urlopen
from zipfile import ZipFile

import pytest

import mha_core
from mha_core import built_in, trace
from mha_ui.command import app

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
PACKAGES = files(ROOT, "mha_api/**/*", "mha_core/**/*", "mha_ui/**/*", "mha_view/**/*")
WEB = files(ROOT, "web/**/*.js", "web/**/*.css")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("package")


@pytest.fixture(scope="module")
def source(folder):
    """A checkout of its own, in which building may leave what it likes."""
    needed = "pyproject.toml setup.py MANIFEST.in README.md LICENSE"
    needed += " requirements.txt requirements-interop.txt requirements-slides.txt"
    for name in sorted(APP | PACKAGES | WEB | set(needed.split())):
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
    """An environment with the libraries that these tests run on, and what is installed into it."""

    def __init__(self, folder, *what):
        self.away = folder / "elsewhere"
        self.away.mkdir(parents=True)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        self.bin = folder / "venv" / "bin"
        paths = sysconfig.get_paths(vars={"base": str(folder / "venv"), "platbase": str(folder / "venv")})
        Path(paths["purelib"], "libraries.pth").write_text(sysconfig.get_paths()["purelib"], "utf-8")
        how = ["--no-build-isolation", "--no-deps", "--no-index", "--prefix", folder / "venv"]
        subprocess.run(
            [*PIP, "--python", self.bin / "python", "install", *how, *what], check=True, timeout=120
        )

    def run(self, command, *arguments):
        return subprocess.run(
            [self.bin / command, *arguments], cwd=self.away, env=APART, capture_output=True, text=True, timeout=120,
            check=True,
        ).stdout  # fmt: skip


@pytest.fixture(scope="module")
def installed(folder, wheel):
    return Installed(folder / "wheel", wheel)


def test_the_wheel_holds_the_packages_and_the_app(wheel):
    with ZipFile(wheel) as content:
        names = {name for name in content.namelist() if ".dist-info/" not in name}
        (metadata,) = (name for name in content.namelist() if name.endswith("METADATA"))
        told = Parser().parsestr(content.read(metadata).decode())
    catalogues = {name for name in PACKAGES if name.endswith(".po")}
    scripts = {f"mha_ui/app/{name}" for name in APP} | {f"mha_view/{name}" for name in WEB}
    assert names == (PACKAGES - catalogues) | scripts
    assert told["Version"] == mha_core.__version__
    pinned = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    needed = [line for line in told.get_all("Requires-Dist") if "extra" not in line]
    assert needed == [line for line in pinned if not line.startswith("#")]


@pytest.mark.parametrize("extra", ["interop", "slides"])
def test_installed_it_names_an_extra_that_it_declares_and_no_file_of_the_checkout(installed, extra):
    program = (
        "from importlib.metadata import metadata; from mha_core.errors import extra; "
        f"print(extra({extra!r}), *metadata('mha').get_all('Provides-Extra'))"
    )
    named, *declared = installed.run("python", "-c", program).split()
    assert named == f'"mha[{extra}]"'
    assert extra in declared


def test_the_command_works_from_another_folder(installed):
    assert installed.run("mha", "--version") == f"mha {mha_core.__version__}\n"
    steps = json.loads(installed.run("mha", "trace", "first", "--device", "cpu"))["steps"]
    assert steps == trace(built_in("first")).values


def test_an_editable_install_runs_what_stands_in_the_checkout(folder, source):
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
            # "localhost" stands in the settings beside the script: they were read.
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


def test_a_notebook_cell_shows_an_example(installed):
    shown = json.loads(installed.run("python", "-c", NOTEBOOK).splitlines()[-1])
    assert shown["text/plain"] == repr(built_in("first"))
    assert shown["text/html"].startswith("<iframe sandbox srcdoc=")
    assert "计算机" in shown["text/html"]


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
    installed.run("python", "-c", LIGHT)


def test_the_image_has_what_writes_slides():
    """Both ways in which the Dockerfile installs take it, and what Docker is given has the file."""
    told = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    installs = [line for line in told.split(";") if "-r requirements.txt" in line]
    assert len(installs) == 2
    assert all("-r requirements-slides.txt" in line for line in installs)
    assert "!requirements-slides.txt" in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
