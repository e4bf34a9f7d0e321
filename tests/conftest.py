"""What all tests share: hypothesis draws the same cases on every machine, and does not mind a slow one; torch computes
in one thread, as in the app; Keras runs on torch. ``--long`` tries more; ``--budget`` fails a run that takes too long.
"""

from __future__ import annotations

import os
import time

import pytest
import torch
from hypothesis import HealthCheck, settings

from tests.sizes import CASES

os.environ["KERAS_BACKEND"] = "torch"
# Two of them wait for each other longer than they compute, where other tests run beside.
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
    """Files in a browser take longest, and come first. Without ``--long``, what is marked ``long`` is left out."""
    items.sort(key=lambda item: "tests/e2e/" not in item.nodeid)
    if config.option.long:
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    items[:] = [item for item in items if item not in set(left_out)]
    config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A whole run above its budget has failed, even if all tests passed."""
    budget = session.config.option.budget
    minutes = (time.monotonic() - session.config.stash[STARTED]) / 60
    if budget and minutes > budget and not hasattr(session.config, "workerinput"):
        session.config.stash[OVER] = f"{minutes:.1f} minutes: over the budget of {budget:g}"
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if OVER in config.stash:
        terminalreporter.section("budget")
        terminalreporter.line(config.stash[OVER])
