"""Settings of all tests: hypothesis draws the same cases on every machine, without a time limit; torch computes in one
thread, as in the app; Keras runs on torch. ``--long`` tries more cases; ``--budget`` fails a run that takes too long.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import pytest
import torch
from hypothesis import HealthCheck, settings

from tests.sizes import CASES

os.environ["KERAS_BACKEND"] = "torch"
# Two threads wait for each other longer than they compute while other tests run.
torch.set_num_threads(1)

for name, cases in CASES.items():
    settings.register_profile(
        name,
        max_examples=cases,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )

STARTED = pytest.StashKey[float]()
OVER = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests marked long too, and draw more cases")
    parser.addoption("--budget", type=float, metavar="MINUTES", help="fail if the run takes longer than this")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[STARTED] = time.monotonic()
    settings.load_profile("long" if config.option.long else "short")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Browser tests take longest and come first. Without ``--long``, tests marked ``long`` are left out."""
    items.sort(key=lambda item: "tests/e2e/" not in item.nodeid)
    if config.option.long:
        return
    long_tests = {item for item in items if item.get_closest_marker("long")}
    items[:] = [item for item in items if item not in long_tests]
    config.hook.pytest_deselected(items=list(long_tests))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A run that takes longer than its budget has failed, even if all tests passed."""
    budget = session.config.option.budget
    minutes = (time.monotonic() - session.config.stash[STARTED]) / 60
    if budget and minutes > budget and not hasattr(session.config, "workerinput"):
        session.config.stash[OVER] = f"{minutes:.1f} minutes: over the budget of {budget:g}"
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if OVER in config.stash:
        terminalreporter.section("budget")
        terminalreporter.line(config.stash[OVER])


@pytest.fixture(autouse=True)
def default_dtype() -> Iterator[None]:
    """Programs that run in this process set torch's default dtype; other tests need the original one."""
    before = torch.get_default_dtype()
    yield
    torch.set_default_dtype(before)


@pytest.fixture
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell's language."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")


@pytest.fixture
def mha(
    english: None,  # pytest's way to ask for it
    capfdbinary: pytest.CaptureFixture[bytes],
) -> Callable[..., tuple[object, str, str]]:
    """Run a command in this process: its status, what it prints, and what it complains about."""
    from mha_core.__main__ import main  # most tests need no command line

    def command(*arguments: object) -> tuple[object, str, str]:
        try:
            status: object = main([*map(str, arguments)])
        except SystemExit as stop:
            status = stop.code
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return command
