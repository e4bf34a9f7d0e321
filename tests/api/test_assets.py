"""Plotly's script and the pages' modules as our own routes serve them: compressed, and cached for good."""

import gzip
import json
import re
from importlib.metadata import version
from pathlib import Path

import plotly
import pytest
from starlette.applications import Starlette

import mha_api
from mha_api import assets
from mha_view import bundle, page_words
from mha_view.language import LANGUAGES
from tests.api.asgi import get

SCRIPT = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes()
APP = Starlette(routes=mha_api.routes("below"))
PATH = f"/below/api/plotly/{version('plotly')}.js"


def test_a_browser_gets_plotly_compressed_and_caches_it():
    answer = get(APP, PATH, **{"accept-encoding": "gzip, deflate, br"})
    assert answer.status == 200
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["vary"] == "Accept-Encoding"
    assert len(answer.body) < len(SCRIPT) / 3
    assert gzip.decompress(answer.body) == SCRIPT


def test_a_client_without_gzip_gets_plotly_uncompressed():
    answer = get(APP, PATH)
    assert "content-encoding" not in answer.headers
    assert answer.body == SCRIPT


@pytest.mark.parametrize("other", ["0.0.0", "latest", "..%2f..%2fetc%2fpasswd"])
def test_another_release_of_plotly_is_not_found(other):
    answer = get(APP, f"/below/api/plotly/{other}.js")
    assert answer.status == 404
    assert "cache-control" not in answer.headers


def test_plotly_is_compressed_once(monkeypatch):
    get(APP, PATH, **{"accept-encoding": "gzip"})
    monkeypatch.setattr(assets, "_script", lambda: 1 / 0)
    assert get(APP, PATH, **{"accept-encoding": "gzip"}).status == 200


SERVED = Starlette(routes=mha_api.routes(modules=assets.Modules(bundle.digest, bundle.bundled, bundle.plain)))
VERSIONED = f"/api/modules/{bundle.digest()}"
PAGES = [page for page in bundle.pages() if bundle.bundled(page)]


def modules(page):
    return [path.relative_to(bundle.WEB).as_posix() for path in (bundle.WEB / page).rglob("*.js")]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_s_modules_are_one_script_that_is_cached_for_good_and_has_no_comment(page):
    answer = get(SERVED, f"{VERSIONED}/{page}.js", **{"accept-encoding": "gzip"})
    assert answer.status == 200
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"].startswith("text/javascript")
    text = gzip.decompress(answer.body).decode()
    assert not re.search(r"^\s*(//|/?\*)", text, re.MULTILINE)
    defined = set(re.findall(r"\bconst (\w+)=\(\(\)=>\{", text))
    exported = set(re.search(r"\bexport\{([^}]*)\};$", text)[1].split(","))
    of_kit = {name for name in exported if name.startswith("kit_")}
    assert exported <= defined
    assert bool(of_kit) == (page == "kit")  # all pages share one copy of the kit
    mounted = {path for path in modules(page) if "export default" in (bundle.WEB / path).read_text("utf-8")}
    assert {bundle.name(path) for path in mounted} <= exported
    imported = set(re.findall(r"\w+", re.match(r"import\{([^}]*)\}from\"./kit.js\";|", text)[1] or ""))
    assert page == "kit" or imported == {bundle.name(path) for path in modules("kit")}


def test_a_page_of_an_earlier_server_gets_the_current_modules_without_caching():
    answer = get(SERVED, "/api/modules/0123456789abcdef/explore.js")
    assert answer.body.decode() == bundle.bundled("explore")
    assert answer.headers["cache-control"] == "no-cache"


def test_in_development_a_module_is_read_each_time():
    place = "walk/motion/tracks.js"
    answer = get(SERVED, f"/api/modules/{bundle.AS_THEY_ARE}/{place}")
    assert answer.body == (bundle.WEB / place).read_bytes()
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "kit/none.js",
        "none/dom.js",
        "none.js",
        "kit/kit/dom.js",
        "kit/../kit/dom.js",
        "kit/..%2f..%2fapp.py",
        "kit/explore.css",
        "...js",
    ],
)
@pytest.mark.parametrize("version", [bundle.digest(), bundle.AS_THEY_ARE])
def test_what_is_not_a_module_is_not_found(version, path):
    answer = get(SERVED, f"/api/modules/{version}/{path}")
    assert answer.status == 404
    assert "cache-control" not in answer.headers


# --- words -------------------------------------------------------------------------------------------------------

WORDED = Starlette(routes=mha_api.routes(words=page_words.served))


@pytest.mark.parametrize("page", page_words.PAGES)
def test_a_page_s_words_in_all_languages_are_a_module_that_is_kept_for_good(page):
    answer = get(WORDED, f"/api/words/{page_words.served(page).version}/{page}.js")
    assert answer.status == 200
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"].startswith("text/javascript")
    told = json.loads(answer.body.decode().removeprefix("export default ").removesuffix(";\n"))
    assert told == {code: page_words.words_of(page, code) for code in LANGUAGES}


def test_words_of_another_version_are_those_that_there_are_and_not_kept():
    answer = get(WORDED, "/api/words/0123456789abcdef/walk.js")
    assert answer.body.decode() == page_words.served("walk").script
    assert answer.headers["cache-control"] == "no-cache"


def test_a_page_that_is_sent_its_words_has_no_module_of_them():
    assert get(WORDED, "/api/words/0123456789abcdef/models.js").status == 404
