"""Plotly's script as our own route serves it: the package's, compressed, kept for good, and only under its version."""

import gzip
from importlib.metadata import version
from pathlib import Path

import plotly
import pytest
from starlette.applications import Starlette

import mha_api
from mha_api import assets
from tests.api.asgi import ask

SCRIPT = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes()
APP = Starlette(routes=mha_api.routes("below"))
PATH = f"/below/api/plotly/{version('plotly')}.js"


def test_a_browser_gets_it_compressed_and_keeps_it():
    answer = ask(APP, PATH, **{"accept-encoding": "gzip, deflate, br"})
    assert answer.status == 200
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["vary"] == "Accept-Encoding"
    assert len(answer.body) < len(SCRIPT) / 3
    assert gzip.decompress(answer.body) == SCRIPT


def test_who_cannot_unpack_it_gets_it_as_it_is():
    answer = ask(APP, PATH)
    assert "content-encoding" not in answer.headers
    assert answer.body == SCRIPT


@pytest.mark.parametrize("other", ["0.0.0", "latest", "..%2f..%2fetc%2fpasswd"])
def test_another_release_is_not_there(other):
    answer = ask(APP, f"/below/api/plotly/{other}.js")
    assert answer.status == 404
    assert "cache-control" not in answer.headers


def test_it_is_compressed_once(monkeypatch):
    ask(APP, PATH, **{"accept-encoding": "gzip"})
    monkeypatch.setattr(assets, "_script", lambda: 1 / 0)
    assert ask(APP, PATH, **{"accept-encoding": "gzip"}).status == 200
