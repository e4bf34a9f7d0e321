"""The routes of trained models, with the models in the fixture ``folders`` of a test file on offer, and rooms."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import mha_api
import mha_core.models.library as library_module
from mha_api import model_answers
from mha_api.model_runs import Runs
from tests.api.stores import Backing, Memory, Shared
from tools.drive import redis_server


@pytest.fixture
def offered(folders, monkeypatch):
    monkeypatch.setenv("MHA_MODELS", ";".join(f"{name}={folder}" for name, folder in folders.items()))
    monkeypatch.setattr(library_module, "_LOADED", {})
    monkeypatch.setattr(model_answers, "_RUNS", Runs())


@pytest.fixture(scope="module")
def client():
    with TestClient(Starlette(routes=mha_api.routes())) as started:
        yield started


@pytest.fixture(scope="session")
def redis() -> Iterator[redis_server.RedisServer]:
    """A Redis that many tests use, one after another."""
    if not redis_server.is_installed():
        pytest.skip(redis_server.REASON)
    with redis_server.running() as server:
        yield server


@pytest.fixture(params=["memory", "redis"])
def rooms_in(request: pytest.FixtureRequest) -> Backing:
    """Where the rooms of a test are: once in each store."""
    return Memory() if request.param == "memory" else Shared(request.getfixturevalue("redis").url)
