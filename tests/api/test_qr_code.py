"""A link as a QR code: made for links that fit into a code, and for nothing else."""

from threading import current_thread
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
import segno
from starlette.applications import Starlette

import mha_api
from mha_api import qr_code
from mha_api.qr_code import MOST_BYTES
from tests.api.asgi import Answer, get

APP = Starlette(routes=mha_api.routes())
SVG = "{http://www.w3.org/2000/svg}"


def code(link: str) -> Answer:
    return get(APP, "/api/qr", query=f"link={quote(link, safe='')}")


def link(length: int) -> str:
    return "https://localhost/?s=1".ljust(length, "x")


def test_a_code_is_dark_on_white_with_a_blank_margin_and_has_no_size():
    answer = code("https://localhost/?example=first")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.headers["cache-control"] == "no-store"
    image = ElementTree.fromstring(answer.body)
    paper, modules = image.findall(f"{SVG}path")
    side = segno.make_qr("https://localhost/?example=first", error="l").symbol_size(border=4)[0]
    assert image.get("viewBox") == f"0 0 {side} {side}"
    assert image.get("width") is None
    assert (paper.get("fill"), paper.get("d")) == ("#fff", f"M0 0h{side}v{side}h-{side}z")
    assert modules.get("stroke") == "#000"


def test_the_longest_link_has_a_code_and_a_longer_one_has_none():
    assert code(link(MOST_BYTES)).status == 200
    assert code(link(MOST_BYTES + 1)).status == 422


@pytest.mark.parametrize("text", ["", "javascript:alert(1)", "BEGIN:VCARD", "<svg onload=alert(1)>", "http:"])
def test_what_is_not_a_link_has_no_code(text):
    answer = code(text)
    assert answer.status == 422
    assert answer.headers["content-type"].startswith("text/plain")


def test_a_code_is_made_off_the_event_loop(monkeypatch):
    threads = []

    def svg(_link):
        threads.append(current_thread())
        return b""

    async def app(scope, receive, send):
        threads.append(current_thread())
        await APP(scope, receive, send)

    monkeypatch.setattr(qr_code, "svg", svg)
    assert get(app, "/api/qr", query="link=https://localhost").status == 200
    assert len(set(threads)) == 2
