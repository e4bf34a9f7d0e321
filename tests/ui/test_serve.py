"""``mha serve``: if the app cannot start, it prints one sentence and ends with status 2; 1 is only for ``check``."""

import socket
import sys
import tomllib
from pathlib import Path

import pytest
from streamlit.web import cli

from mha_core.__main__ import main
from mha_ui.command import OWN_ADDRESS, _add, app


@pytest.fixture(autouse=True)
def english(monkeypatch):
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "STREAMLIT_SERVER_PORT", "STREAMLIT_SERVER_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")


@pytest.fixture
def serve(capfd, monkeypatch):
    """Run ``serve`` in a process where Streamlit would end at once: (status, the lines on standard error)."""
    monkeypatch.setattr(cli, "main", lambda *_, **__: sys.exit(0))

    def command(*arguments):
        try:
            status: object = main(("serve", "--headless", *arguments), prog="mha", add_commands=_add)
        except SystemExit as end:
            status = end.code
        return status, capfd.readouterr().err.splitlines()

    return command


@pytest.fixture
def taken():
    with socket.create_server((OWN_ADDRESS, 0)) as other:
        yield other.getsockname()[1]


@pytest.mark.parametrize("port", ["99999", "65536", "-1", "http", "８５０１", "9" * 5000])
def test_an_invalid_port_is_refused_in_one_line(serve, port):
    status, (line,) = serve(f"--port={port}")
    assert status == 2
    assert line.startswith("mha serve: argument --port: expected a port from 0 to 65535, got '")
    assert len(line) < 120


def test_a_port_of_the_environment_is_checked_too(serve, monkeypatch):
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", "99999")
    assert serve()[0] == 2


def test_a_message_says_that_a_port_is_taken(serve, taken):
    said = f"port {taken} is in use by another program; stop that program, or choose another port with --port"
    assert serve(f"--port={taken}") == (2, [said])


def test_a_taken_port_of_the_environment_is_refused(serve, taken, monkeypatch):
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", str(taken))
    assert serve()[0] == 2


def test_an_address_of_another_machine_is_refused_in_one_line(serve):
    status, (line,) = serve(
        "--address=192.0.2.1", "--port=0"
    )  # reserved for documentation: no machine has it
    assert (status, line.split(":")[0]) == (2, "the app cannot listen at address 192.0.2.1, port 0")


def test_a_server_that_fails_has_another_status_than_wrong_numbers(serve, monkeypatch):
    monkeypatch.setattr(cli, "main", lambda *_, **__: sys.exit(1))
    assert serve()[0] == 3


def test_without_an_address_that_of_the_settings_is_checked():
    settings = tomllib.loads((Path(app()).parent / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["server"]["address"] == OWN_ADDRESS
