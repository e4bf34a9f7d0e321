"""``/follow/CODE``: one small, complete page for every code."""

import gzip
import json
import re
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Route

import mha_api
from mha_api import rooms
from mha_api.rooms import limits, room, store, stream
from mha_api.rooms.store import InProcess
from mha_core.example.share_link import MAX_TOKEN
from mha_core.messages import LANGUAGES
from mha_view.follow import _WORDS, NO_SCRIPT
from mha_view.language import words_in
from tests.api.asgi import get
from tests.api.rooms import FOLLOWER, Lecture

ROOT = Path(__file__).resolve().parents[2]


def page(path, **headers):
    return get(Lecture().app, path, **headers)


@pytest.mark.parametrize("path", ["/follow", "/follow/", "/follow/K7QF2M", "/follow/%3Cscript%3E"])
def test_the_page_is_the_same_for_every_code(path):
    answer = page(path)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    root = "./" if path == "/follow" else "../"
    assert (
        answer.body.decode().replace('<base href="./">', '<base href="../">')
        == page("/follow/X").body.decode()
    )
    assert f'<base href="{root}">' in answer.body.decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_in_the_browser_s_language_and_has_the_words_of_all_languages(language):
    text = page("/follow/X", **{"accept-language": f"{language};q=0.9"}).body.decode()
    assert words_in(language)(NO_SCRIPT) in text
    words = json.loads(re.search(r'id="words">(.*?)</script>', text)[1])
    assert set(words) == set(LANGUAGES)
    for code in LANGUAGES:
        assert {name: words[code][name] for name in _WORDS} == {
            name: words_in(code)(sentence) for name, sentence in _WORDS.items()
        }


def test_the_page_has_no_inline_script_and_loads_from_this_server_only():
    text = page("/follow/X").body.decode()
    scripts = re.findall(r"<script([^>]*)>", text)
    assert all("src=" in attributes or 'type="application/json"' in attributes for attributes in scripts)
    assert not re.search(r'(src|href)="(https?:)?//', text)
    assert " on" not in re.sub(r">[^<]*<", "><", text)


def test_script_and_stylesheet_are_cached_for_good_under_their_digest():
    text = page("/follow/X").body.decode()
    total = len(text)
    for address, kind in re.findall(r'"(api/follow/\w+\.(js|css))"', text):
        answer = page(f"/{address}", **{"accept-encoding": "gzip"})
        assert answer.status == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-type"].startswith({"js": "text/javascript", "css": "text/css"}[kind])
        total += len(answer.body)
        assert page(f"/{address}").body == gzip.decompress(answer.body)
        assert page(f"/api/follow/0000.{kind}").status == 404
    assert total < 100_000
    assert page("/api/follow/0000.html").status == 404


def test_below_a_base_path_the_page_is_there_too():
    app = Starlette(routes=mha_api.routes("/course/", FOLLOWER, InProcess()))
    assert get(app, "/course/follow/X").status == 200
    assert get(app, "/course/api/rooms/222222/events").status == 404
    assert get(app, "/follow/X").status == 404


# --- the documentation -----------------------------------------------------------------------------------------------

ROOMS_SECTION = (ROOT / "docs" / "http.md").read_text("utf-8").partition("## Rooms")[2]


def test_the_link_of_an_exercise_keeps_the_seed_of_its_numbers():
    place, *_ = re.findall(r"```json\n(.*?)\n```", ROOMS_SECTION, re.DOTALL)
    link = "s=1eJy&ask=q&seeded=17"
    sent = json.dumps(json.loads(place) | {"link": link})
    assert room.read_place(sent.encode())[1]["link"] == link


def test_the_documentation_s_examples_can_be_sent():
    place, question, answer = re.findall(r"```json\n(.*?)\n```", ROOMS_SECTION, re.DOTALL)
    position = room.read_place(place.encode())[1]
    assert (position["exercise"], position["link"]) == ("", "example=first&ask=weights&seed=own")
    choices = room.read_question(question.encode()).choices
    _, _, choice = room.read_answer(answer.encode())
    assert room.read_choice(choice, len(choices)) == "0.25"


def test_the_documentation_has_the_routes_and_limits_of_the_code():
    served = {
        (method, re.sub(r"\{(\w+)(:int)?\}", lambda name: name[1].upper(), f"/api{route.path}"))
        for route in rooms.Rooms(InProcess(), FOLLOWER.walk).routes()
        if isinstance(route, Route)
        for method in route.methods - {"HEAD"}
    }
    table = re.findall(r"^\| `(\w+) (/api[^`?]*)", ROOMS_SECTION, re.MULTILINE)
    assert {(method, path.replace("/1", "/QUESTION")) for method, path in table} == served
    assert f"after {store.LIFETIME / 3600:.0f} hours" in ROOMS_SECTION
    assert (
        f"{store.MAX_ROOMS} rooms in total and {store.MAX_LISTENERS:,} streams at one server" in ROOMS_SECTION
    )
    assert f"from {store.MAX_ANSWERS:,} listeners; the {stream.MOST_COUNTED} most frequent" in ROOMS_SECTION
    assert f"| {limits.STREAMS:,}, or `{limits.SETTING}`" in ROOMS_SECTION
    assert f"for {store.GRACE:g} seconds after it is lost" in ROOMS_SECTION
    assert f"{rooms.OPENED[1]} at once, then one a minute" in ROOMS_SECTION
    assert rooms.OPENED[0] == 1 / 60
    assert f"{rooms.MISSES[1]} at once, then {rooms.MISSES[0]:g} a second" in ROOMS_SECTION
    bodies = (
        f"{rooms.MOST_BODY // 1000} kB, within {rooms.SECONDS:g} seconds; a token {MAX_TOKEN:,} characters"
    )
    assert bodies in ROOMS_SECTION
    assert f"comes every {stream.SILENCE:g}\nseconds" in ROOMS_SECTION
