"""Two real servers behind the real proxy: what people notice when a part fails, as the benchmark measures it."""

import pytest

from benchmarks import replicas
from tests.api.asgi import run
from tools.drive import proxy, redis_server

pytestmark = pytest.mark.long


@pytest.fixture
def behind_a_proxy():
    """Two servers, their Redis and HAProxy."""
    for there, reason in (
        (proxy.executable(), proxy.REASON),
        (redis_server.is_installed(), redis_server.REASON),
    ):
        if not there:
            pytest.skip(reason)
    with proxy.running(MHA_DRAIN="6") as running:
        yield running


@pytest.mark.parametrize("what", replicas.FAULTS)
def test_no_answer_is_lost_and_no_event_comes_twice(behind_a_proxy, what, monkeypatch):
    """``measured`` raises if one is, or does."""
    monkeypatch.setattr(replicas, "AUDIENCE", 20)
    sent, away = run(replicas.measured(behind_a_proxy, what, replicas.FAULTS[what]))
    assert away.p95 <= 2 * replicas.LIMITS[what]
    assert sent.median < 150  # the proxy passes on an event at once
