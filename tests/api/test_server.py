"""The server as ``make run`` starts it: which requests it answers, and which hosts it contacts."""

import ast
import os
import socket
from contextlib import AsyncExitStack, closing
from http.client import HTTPConnection
from ipaddress import ip_address
from pathlib import Path

import pytest
from websockets import Origin
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import CloseCode
from websockets.sync.client import connect

from deploy import health
from mha_ui.shell import _WAITING, FAILED
from mha_view.language import LANGUAGES, words_in
from tests.api.asgi import run
from tests.api.injected_modules import GATE, RECORD
from tests.sizes import shortened
from tools.drive.server import running
from tools.drive.visitor import Visitor, open_page


@pytest.fixture
def injecting(tmp_path):
    """The environment in which a server imports this module before all others."""

    def with_module(name, text, **more):
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
        return {"PYTHONPATH": str(tmp_path), **more}

    return with_module


def status(port, path, host="127.0.0.1"):
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", path, headers={"Host": host})
        return connection.getresponse().status


def is_here(name):
    try:
        return name in (None, "localhost") or ip_address(name).is_loopback
    except ValueError:
        return False


def test_it_contacts_no_other_host(injecting, tmp_path):
    """Neither when it starts nor when it refuses a websocket of another origin."""
    contacted = tmp_path / "contacted"
    with running(**injecting("sitecustomize", RECORD, TEST_HOSTS=str(contacted))) as server:
        for origin in ("http://evil.example", "http://10.0.0.7"):
            with pytest.raises(InvalidStatus):
                connect(f"ws://127.0.0.1:{server.port}/_stcore/stream", origin=Origin(origin))
        assert run(open_page(server.port)).components
    hosts = [ast.literal_eval(line.partition(" ")[2]) for line in contacted.read_text("utf-8").splitlines()]
    names = [host[0] if isinstance(host, tuple) else host for host in hosts]
    assert [name for name in names if not is_here(name)] == []


def test_it_listens_on_this_machine_only():
    with running() as server:
        tables = [Path(f"/proc/net/{table}").read_text("ascii").splitlines()[1:] for table in ("tcp", "tcp6")]
    sockets = [line.split()[1:4] for table in tables for line in table]
    listening = [
        local.split(":")[0]
        for local, _, state in sockets
        if state == "0A" and local.endswith(f":{server.port:04X}")
    ]
    assert listening == ["0100007F"]  # 127.0.0.1


def test_a_message_of_40_mb_is_refused_before_it_is_read():
    """Its first bytes announce the length. The test sends no more than those."""
    masked_text, forty_mb = b"\x81\xff", (40_000_000).to_bytes(8, "big")
    with running() as server, connect(f"ws://127.0.0.1:{server.port}/api/live") as socket:
        socket.socket.sendall(masked_text + forty_mb + bytes(4))
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=20)
    assert closed.value.rcvd
    assert closed.value.rcvd.code == CloseCode.MESSAGE_TOO_BIG


def test_it_answers_only_to_its_host_names_if_they_are_set():
    with running(MHA_HOSTS="course.example") as server:
        assert status(server.port, "/", "course.example") == 200
        assert status(server.port, "/", "evil.example") == 421
        assert status(server.port, "/_stcore/metrics") == 200


@pytest.fixture
def gate(tmp_path):
    """A named pipe, which opens the gate once it is written to."""
    path = tmp_path / "gate"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["en"]))
def test_visitors_who_come_before_torch_see_a_message_and_then_the_numbers(injecting, gate, language):
    async def early(port):
        async with AsyncExitStack() as stack:
            visitors = [await stack.enter_async_context(Visitor(port, f"lang={language}")) for _ in range(20)]
            for visitor in visitors:
                await visitor.reads(words_in(language)(_WAITING))
                assert visitor.components == []
            assert status(port, "/api/ready") == 503
            assert not health.ready(port)
            gate.write_text("")
            for visitor in visitors:
                await visitor.page()
        return visitors

    with running(**injecting("torch", GATE, TEST_GATE=str(gate))) as server:
        visitors = run(early(server.port))
        assert status(server.port, "/api/ready") == 200
        assert health.ready(server.port)
    for visitor in visitors:
        assert "mha.explore" in visitor.components
        assert not any(words_in(language)(FAILED) in html for html in visitor.html)


@pytest.mark.parametrize(
    ("words", "environment", "expected"),
    [
        ("", {}, (8501, "")),
        ("streamlit run app.py", {"STREAMLIT_SERVER_PORT": "80"}, (80, "")),
        ("streamlit run app.py --server.port=81", {"STREAMLIT_SERVER_PORT": "80"}, (81, "")),
        ("streamlit run app.py --server.port 82 --server.baseUrlPath /course/", {}, (82, "/course")),
        ("streamlit run app.py", {"STREAMLIT_SERVER_BASE_URL_PATH": "course"}, (8501, "/course")),
    ],
)
def test_the_health_check_uses_the_server_s_port_and_path(
    monkeypatch, tmp_path, words, environment, expected
):
    command = tmp_path / "cmdline"
    if words:
        command.write_text(words.replace(" ", "\0") + "\0", "utf-8")
    monkeypatch.setattr(health, "COMMAND", command)
    for variable in health.VARIABLES.values():
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(health, "ready", lambda *where: where == expected)
    assert health.main() == 0


def test_without_an_answer_it_is_not_healthy():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        assert not health.ready(probe.getsockname()[1])
