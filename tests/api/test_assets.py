"""Plotly's script and the pages' modules as our own routes serve them: compressed, and kept for good."""

import gzip
import re
from importlib.metadata import version
from pathlib import Path

import plotly
import pytest
from starlette.applications import Starlette

import mha_api
import mha_ui
from mha_api import assets
from mha_ui.web import modules
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


SERVED = Starlette(
    routes=mha_api.routes(modules=assets.Modules(modules.digest, modules.packed, modules.plain))
)
KEPT = f"/api/modules/{modules.digest()}"
ASSETS = sorted(Path(mha_ui.__file__).parent.glob("*/assets/*.js"))


def test_every_module_is_kept_for_good_under_the_digest_and_has_no_comment():
    for path in ASSETS:
        answer = ask(SERVED, f"{KEPT}/mha.{path.parents[1].name}/{path.name}", **{"accept-encoding": "gzip"})
        assert answer.status == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-type"].startswith("text/javascript")
        assert not re.search(r"^\s*(//|/?\*)", gzip.decompress(answer.body).decode(), re.MULTILINE)


def test_a_module_that_is_edited_is_read_anew_each_time():
    dom = Path(mha_ui.__file__).parent / "web" / "assets" / "dom.js"
    answer = ask(SERVED, f"/api/modules/{modules.AS_THEY_ARE}/mha.web/dom.js")
    assert answer.body == dom.read_bytes()
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "path", ["mha.web/none.js", "mha.none/dom.js", "web/dom.js", "mha.web/..%2f..%2fcss.py"]
)
@pytest.mark.parametrize("version", [modules.digest(), modules.AS_THEY_ARE])
def test_what_is_no_module_is_not_there(version, path):
    answer = ask(SERVED, f"/api/modules/{version}/{path}")
    assert answer.status == 404
    assert "cache-control" not in answer.headers


@pytest.mark.parametrize(
    ("page", "name"), [("bench", "bench.js"), ("walkthrough", "main.js"), ("models", "models.js")]
)
def test_a_page_s_module_names_at_once_all_that_is_loaded_and_what_others_import_does_not(page, name):
    def named(page, name):
        """What a module imports, by page and name."""
        found = re.findall(
            r'\bimport (?:\{[^}]*\} from )?"(?:\.\./mha\.(\w+)|\.)/([\w.]+)";', modules.plain(page, name)
        )
        return {(other or page, file) for other, file in found}

    told = named(page, name)
    assert all(named(*of) <= told for of in told)
    assert not any(modules.plain(*of).startswith('import "') for of in told)
