"""The routes of trained models, with the models in the fixture ``folders`` of a test file on offer."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import mha_api
import mha_core.models.library as library_module
from mha_api import model_answers
from mha_api.model_runs import Runs


@pytest.fixture
def offered(folders, monkeypatch):
    monkeypatch.setenv("MHA_MODELS", ";".join(f"{name}={folder}" for name, folder in folders.items()))
    monkeypatch.setattr(library_module, "_LOADED", {})
    monkeypatch.setattr(model_answers, "_RUNS", Runs())


@pytest.fixture(scope="module")
def client():
    with TestClient(Starlette(routes=mha_api.routes())) as started:
        yield started
