"""The log as lines of JSON says where something happened, and nothing that a visitor wrote."""

import asyncio
import io
import json
import logging

import pytest

from mha_api import logs
from tests.api.asgi import run

VISITORS = "<the visitor's text>"


@pytest.fixture
def logger():
    """A logger with a handler of its own, as Streamlit makes them."""
    logger = logging.getLogger("tests.logs")
    logger.propagate = False
    handler = logging.StreamHandler(io.StringIO())
    logger.addHandler(handler)
    yield logger
    logger.removeHandler(handler)


@pytest.fixture
def handlers(monkeypatch, logger):
    """Only this logger's handler is changed."""
    monkeypatch.setattr(logging.root.manager, "loggerDict", {logger.name: logger})
    monkeypatch.setattr(logging.root, "handlers", [])
    monkeypatch.setattr(logging, "lastResort", None)


def line(logger):
    text = logger.handlers[0].stream.getvalue()
    assert text.count("\n") == 1
    return json.loads(text)


def test_an_error_is_its_type_and_its_places(logger, handlers):
    logs.use_json()
    try:
        int(VISITORS)
    except ValueError:
        logger.exception("%s could not be\nread", VISITORS)
    written = line(logger)
    assert written["level"] == "error"
    assert written["logger"] == "tests.logs"
    assert written["message"] == "%s could not be\nread"
    assert written["error"] == "ValueError"
    (place,) = written["at"]
    assert place.endswith(" test_an_error_is_its_type_and_its_places")
    assert "visitor's" not in json.dumps(written)


def test_the_setting_says_so(logger, handlers):
    async def serve():
        async with logs.written({"MHA_LOG": "json"}):
            await asyncio.sleep(0)  # the task begins
            logger.warning("cold")

    run(serve())
    assert line(logger)["message"] == "cold"


def test_any_other_setting_is_refused():
    async def serve():
        async with logs.written({"MHA_LOG": "xml"}):
            pass

    with pytest.raises(ValueError, match="MHA_LOG: expected text or json, got 'xml'"):
        run(serve())
