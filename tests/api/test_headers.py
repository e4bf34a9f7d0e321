"""Who may send requests, and what a browser may do with the answers."""

import base64
import hashlib
import re
from pathlib import Path

import pytest
import streamlit
from starlette.responses import PlainTextResponse

import mha_api
from mha_api.headers import STREAMLITS_SCRIPT, Guard
from tests.api.asgi import get, open_websocket

SCHOOL = {"hosts": ["course.example", "*.school.example"]}
METRICS = "/_stcore/metrics"


def guarded(**settings):
    async def inside(scope, receive, send):
        if scope["type"] == "http":
            await PlainTextResponse("inside")(scope, receive, send)
        else:
            await send({"type": "websocket.accept", "headers": dict(scope["headers"])})

    return Guard(inside, **settings)


def directives(answer):
    policy = answer.headers["content-security-policy"]
    return {
        name: sources.split() for name, _, sources in (part.partition(" ") for part in policy.split("; "))
    }


def test_every_answer_has_the_headers():
    for answer in (
        get(guarded()),
        get(guarded(**SCHOOL), host="evil.example"),
        get(guarded(), METRICS, client="10.0.0.7"),
    ):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert directives(answer)["default-src"] == ["'self'"]


def test_the_stylesheets_of_components_are_kept_unless_they_are_being_edited():
    path = "/app/_stcore/bidi-components/mha.explore/explore.css"
    assert get(guarded(keeps_styles=True), path).headers["cache-control"] == "public, max-age=300"
    assert "cache-control" not in get(guarded(), path).headers
    assert "cache-control" not in get(guarded(keeps_styles=True), "/app/_stcore/health").headers


def test_the_policy_names_no_host_and_allows_no_script_in_the_page():
    policy = directives(get(guarded()))
    for name, sources in policy.items():
        assert {source for source in sources if "." in source or "//" in source or "*" in source} == set(), (
            name
        )
    assert policy["script-src"] == ["'self'", "blob:", f"'{STREAMLITS_SCRIPT}'"]
    assert policy["object-src"] == ["'none'"]


def test_the_one_script_that_streamlit_has_in_its_page_is_the_one_allowed():
    page = Path(streamlit.__file__).parent / "static" / "index.html"
    scripts = re.findall(r"<script>(.*?)</script>", page.read_bytes().decode(), re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert [f"sha256-{digest}" for digest in hashes] == [STREAMLITS_SCRIPT]


@pytest.mark.parametrize(
    ("setting", "ancestors"),
    [(None, ["'self'"]), ("", ["'self'"]), ("https://course.example", ["https://course.example"])],
)
def test_who_may_embed_a_page_is_a_setting(setting, ancestors):
    (middleware,) = mha_api.middleware({} if setting is None else {"MHA_FRAME_ANCESTORS": setting})
    answer = get(middleware.cls(guarded().app, *middleware.args, **middleware.kwargs))
    assert directives(answer)["frame-ancestors"] == ancestors


@pytest.mark.parametrize(
    "host",
    [
        "course.example",
        "COURSE.example:8501",
        "a.school.example",
        "localhost:8501",
        "127.0.0.1",
        "[::1]:8501",
    ],
)
def test_a_known_host_is_answered(host):
    assert get(guarded(**SCHOOL), host=host).body == b"inside"
    (message,) = open_websocket(guarded(**SCHOOL), host=host)
    assert message["type"] == "websocket.accept"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "course.example.evil.example", "school.example", "xschool.example", "", "[", "10.0.0.7"],
)
def test_another_host_is_refused_if_hosts_are_set(host):
    answer = get(guarded(**SCHOOL), host=host)
    assert answer.status == 421
    assert b"inside" not in answer.body
    assert open_websocket(guarded(**SCHOOL), host=host) == [{"type": "websocket.close", "code": 1008}]
    assert get(guarded(), host=host).status == 200


def test_hosts_are_set_by_a_variable():
    (middleware,) = mha_api.middleware({"MHA_HOSTS": "course.example, *.school.example"})
    assert middleware.kwargs["hosts"] == SCHOOL["hosts"]


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:9999", "null", "http://["])
@pytest.mark.parametrize("settings", [{}, SCHOOL])
def test_a_websocket_of_another_origin_is_refused(origin, settings):
    assert open_websocket(guarded(**settings), origin=origin) == [{"type": "websocket.close", "code": 1008}]


def test_a_websocket_of_our_own_origin_is_opened():
    (message,) = open_websocket(guarded(), origin="http://localhost:8501")
    assert message["headers"][b"origin"] == b"http://localhost:8501"
    (message,) = open_websocket(guarded())
    assert message["type"] == "websocket.accept"


def test_behind_a_proxy_with_another_host_name_the_known_origin_is_accepted():
    """The origin is not passed on to Streamlit, which would look up this machine's address to compare it."""
    (message,) = open_websocket(guarded(**SCHOOL), host="localhost:8501", origin="https://course.example")
    assert message["type"] == "websocket.accept"
    assert b"origin" not in message["headers"]


@pytest.mark.parametrize("path", [METRICS, f"{METRICS}/", f"/course{METRICS}"])
def test_metrics_are_for_this_machine_only(path):
    assert get(guarded(), path, client="10.0.0.7").status == 403
    assert get(guarded(), path, client="127.0.0.1").status == 200
    assert get(guarded(), path, client="::1").status == 200
    assert get(guarded(), "/_stcore/health", client="10.0.0.7").status == 200
