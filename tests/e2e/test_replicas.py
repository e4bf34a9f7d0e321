"""A visitor whose server fails, behind the proxy: another one goes on with the work, and nothing is lost."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.test_live import X00, centre, drag, shows
from tests.e2e.test_reload import x00
from tools.drive import proxy
from tools.drive.explore import Bench, assert_shows
from tools.drive.proxy import Replicas


@pytest.fixture
def replicas() -> Iterator[Replicas]:
    if proxy.executable() is None:
        pytest.skip(proxy.REASON)
    with proxy.running(MHA_DRAIN="2") as started:
        yield started


@pytest.mark.parametrize(
    "fault",
    [
        signal.SIGKILL,
        pytest.param(signal.SIGSTOP, marks=pytest.mark.long),
        pytest.param(signal.SIGTERM, marks=pytest.mark.long),
    ],
    ids=["killed", "hung", "drained"],
)
def test_a_drag_goes_on_at_another_server_and_the_history_language_and_place_stay(
    replicas, new_page, watch, fault
):
    """The server fails with the button down."""
    bench = Bench(new_page()).open(f"{replicas.url}?example=water&lang=zh&tab=numbers")
    bench.edit("x", None, 0, 0, 3)
    bench.edit("x", None, 0, 0, 5)
    bench.wait_for_address(x00(5))
    drag(bench.settled(), 2, *X00)
    shows(bench, 7)
    replicas.busiest().process.send_signal(fault)
    x, y = centre(bench, *X00)
    bench.page.mouse.move(x + 100, y)
    shows(bench, 15)
    bench.page.mouse.up()
    bench.wait_for_address(x00(15))
    assert_shows(bench.settled(), x00(15))
    bench.edit("x", None, 0, 1, 4)
    bench.do("undo")
    for number in (5, 3):
        expect(bench.control("undo")).to_be_enabled()
        bench.do("undo")
        assert_shows(bench, x00(number))
    expect(bench.page.locator("html")).to_have_attribute("lang", "zh-CN")
    watch.complaints.clear()  # that the server did not answer is all that the browser had to say
