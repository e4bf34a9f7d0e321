"""What Prometheus reads: only where a setting says so, with true counts, and nothing that a visitor wrote."""

import asyncio
from contextlib import AsyncExitStack
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from mha_api import metrics
from mha_api.histogram import BOUNDS, Durations
from tests.api.asgi import run
from tests.api.stores import Memory
from tools.drive.server import free_port


@pytest.mark.parametrize("text", ["0", "65536", "metrics", "localhost:", "localhost:x", "\u0661"])
def test_what_is_no_port_is_refused(text):
    with pytest.raises(ValueError, match="MHA_METRICS: expected a port"):
        metrics.address({"MHA_METRICS": text})


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", None),
        (" 9464 ", ("127.0.0.1", 9464)),
        ("0.0.0.0:9464", ("0.0.0.0", 9464)),
        ("[::1]:1", ("::1", 1)),
    ],
)
def test_a_port_alone_is_for_this_machine(text, where):
    assert metrics.address({"MHA_METRICS": text}) == where


def test_each_bucket_counts_all_that_is_not_longer():
    durations = Durations()
    for seconds in (0.0005, BOUNDS[0], 0.3, 60.0):
        durations.add(seconds)
    samples = {(one.name, one.labels.get("le")): one.value for one in durations.metric("d", "Times.").samples}
    assert samples["d_bucket", "0.001"] == 2
    assert samples["d_bucket", "0.2"] == 2
    assert samples["d_bucket", "0.5"] == 3
    assert samples["d_bucket", "+Inf"] == samples["d_count", None] == 4
    assert samples["d_sum", None] == pytest.approx(0.0005 + BOUNDS[0] + 60.3)


async def read(store, sessions, listeners):
    """The samples by name, while so many listen in one room."""
    port = free_port()
    async with AsyncExitStack() as stack:
        await store.open("abc", "key")
        for number in range(listeners):
            await stack.enter_async_context(store.listening("abc", f"phone {number}", "10.0.0.1"))
        await stack.enter_async_context(metrics.served(store, sessions, {"MHA_METRICS": str(port)}))
        while not metrics.LAG.metric("lag", "").samples[-2].value:
            await asyncio.sleep(metrics.PAUSE)  # until the loop was measured once
        text = await asyncio.to_thread(lambda: urlopen(f"http://127.0.0.1:{port}/metrics").read().decode())
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
    families = text_string_to_metric_families(text)
    return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


def test_prometheus_reads_what_the_server_has():
    samples = run(read(Memory().store(), lambda: 7, listeners=3))
    assert samples["mha_sessions",] == 7
    assert samples["mha_rooms",] == 1
    assert samples["mha_listeners",] == 3
    assert samples["mha_sockets",] == samples["mha_waiting",] == 0
    assert samples["mha_loop_lag_seconds_count",] >= 1
    assert samples["process_resident_memory_bytes",] > 0
    assert {name for name, *labels in samples if labels and name.startswith("mha_")} == {
        "mha_edit_seconds_bucket",
        "mha_loop_lag_seconds_bucket",
    }


def test_without_the_setting_nothing_is_measured():
    async def idle():
        async with metrics.served(Memory().store(), lambda: 0, {}):
            return {task.get_name() for task in asyncio.all_tasks()}

    assert "event loop lag" not in run(idle())
