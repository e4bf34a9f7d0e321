"""What is imported is declared, what is declared is pinned within its range, and the lock has all requirements."""

import re
import sys
import tomllib
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import mha_core
from tests.core.test_architecture import imported

ROOT = Path(mha_core.__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
GRAPHICS_CARDS = re.compile("cuda-|nvidia-|triton")
"""What torch's builds for graphics cards bring, which no file here names."""


def names(requirements):
    return {canonicalize_name(requirement.name) for requirement in requirements}


def extra(*wanted):
    """What extras declare, including the extras that they refer to."""
    found: list[Requirement] = []
    for line in (line for name in wanted for line in EXTRAS[name]):
        requirement = Requirement(line)
        found += extra(*requirement.extras) if requirement.name == "mha" else [requirement]
    return found


CORE = [Requirement(line) for line in PROJECT["dependencies"]]


def lines(file):
    text = (ROOT / file).read_text("utf-8")
    return [line.partition("#")[0].strip() for line in text.splitlines() if not line.startswith("#")]


def pins(file):
    """The requirements of a file, and of those that it includes."""
    found: list[Requirement] = []
    for line in lines(file):
        found += pins(line.removeprefix("-r ")) if line.startswith("-r ") else [Requirement(line)]
    return found


# --- what is imported is declared -----------------------------------------------------------------------------


BUILT_IN = {*sys.stdlib_module_names, "_typeshed"}
"""What Python brings, and what type checkers alone import."""


def imports(*places):
    """The distributions that folders and files import. A package that is not installed has its own name."""
    paths = [
        path
        for place in places
        for path in ([ROOT / place] if "." in place else (ROOT / place).rglob("*.py"))
    ]
    ours = {path.name.removesuffix(".py") for path in ROOT.iterdir()}
    found = {name for path in paths for name in imported(path)} - BUILT_IN - ours
    brought_by = packages_distributions()
    return {canonicalize_name(brought_by.get(name, [name])[0]) for name in found}


WRITTEN_BY_A_TEST = "slowly"
PACKAGES = sorted(path.name for path in ROOT.glob("mha_*") if (path / "__init__.py").exists())
APP = [name for name in PACKAGES if name != "mha_core"] + ["app.py", "pages", "deploy"]


def test_what_the_core_imports_is_declared():
    assert imports("mha_core") <= names(CORE + extra("interop", "notebook", "read", "transformers"))


def test_what_the_app_imports_is_declared():
    assert imports(*APP) <= names(CORE + extra("app", "notebook", "replicas", "slides"))


def test_what_tests_and_tools_import_is_declared():
    found = imports("tests", "benchmarks", "tools", "training", "setup.py")
    assert found - {WRITTEN_BY_A_TEST} <= names(CORE + extra("dev"))


UNIMPORTED = {"plotly"}
"""Its script is served, which the Python package holds."""


def test_what_is_declared_is_imported():
    declared = names(CORE + extra("app", "interop", "notebook", "read", "replicas", "slides", "transformers"))
    assert declared - UNIMPORTED <= imports("mha_core", *APP)


# --- each pin lies in its range -------------------------------------------------------------------------------

FILES = {
    "requirements.txt": CORE + extra("app"),
    "requirements-read.txt": extra("read"),
    "requirements-replicas.txt": extra("replicas"),
    "requirements-slides.txt": extra("slides"),
    "requirements-interop.txt": extra("interop"),
    "requirements-notebook.txt": extra("notebook"),
    "requirements-transformers.txt": extra("transformers"),
    "requirements-dev.txt": CORE + extra("dev"),
}


@pytest.mark.parametrize("file", FILES)
def test_a_file_of_pins_names_only_what_is_declared_in_its_range(file):
    ranges = {canonicalize_name(one.name): one.specifier for one in FILES[file]}
    for pin in pins(file):
        (exactly,) = pin.specifier
        assert exactly.operator == "==", pin
        assert exactly.version in ranges[canonicalize_name(pin.name)], pin


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-notebook.txt", "requirements-dev.txt"])
def test_all_that_is_declared_is_pinned(file):
    assert names(FILES[file]) == names(pins(file))


def test_all_files_name_the_same_version_of_uv():
    found = {
        version
        for file in ("Dockerfile", "tools/install.sh", "requirements-dev.txt", ".github/workflows/ci.yml")
        for version in re.findall(r"\buv==(\S+)", (ROOT / file).read_text("utf-8"))
    }
    assert len(found) == 1


# --- the lock -------------------------------------------------------------------------------------------------

LOCK = "requirements-lock.txt"
LOCKED_FILES = [
    pin
    for name in (
        "requirements.txt",
        "requirements-read.txt",
        "requirements-replicas.txt",
        "requirements-slides.txt",
    )
    for pin in pins(name)
]
LOCKED = {
    canonicalize_name(pin.name): str(pin.specifier)
    for pin in pins(LOCK)
    if pin.marker is None or pin.marker.evaluate()
}


def closure(wanted):
    """The names of these requirements and of all that they require in turn."""
    found, left = set(), [(one.name, extra) for one in wanted for extra in ("", *one.extras)]
    while left:
        name, extra = one = left.pop()
        if one in found or GRAPHICS_CARDS.match(name):
            continue
        found.add(one)
        for line in distribution(name).requires or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                left += [(canonicalize_name(needed.name), "")]
                left += [(canonicalize_name(needed.name), more) for more in needed.extras]
    return {canonicalize_name(name) for name, _ in found}


def test_the_lock_has_all_requirements_of_the_app_at_the_versions_that_these_tests_run_on():
    brought = closure(LOCKED_FILES)
    public = {name: distribution(name).version.partition("+")[0] for name in brought}
    assert {name: f"=={version}" for name, version in public.items()} == {
        name: pin for name, pin in LOCKED.items() if name in brought
    }


def test_the_lock_keeps_the_pins():
    for pin in LOCKED_FILES:
        assert LOCKED[canonicalize_name(pin.name)] == str(pin.specifier)


def test_the_lock_names_no_index_no_hash_and_nothing_for_a_graphics_card():
    assert all(re.fullmatch(r"[a-z0-9-]+==[^ ]+( ; .*)?", line) for line in lines(LOCK))
    assert not any(GRAPHICS_CARDS.match(line) for line in lines(LOCK))
    assert "://" not in (ROOT / LOCK).read_text("utf-8")


def test_make_and_the_image_install_the_lock():
    makefile, image = (((ROOT / name).read_text("utf-8")) for name in ("Makefile", "Dockerfile"))
    assert re.search(r"LOCK := (.*)", makefile)[1] == LOCK
    assert "install.sh $(PY) $(LOCK)" in makefile
    installs = [
        line for line in image.replace("\\\n", " ").split(";") if " install " in line and " -r " in line
    ]
    assert len(installs) == 2
    assert all(f"-r {LOCK}" in line for line in installs)
    assert f"!{LOCK}" in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
