"""In real Chromium, what the server adds to the pages: titles, nothing around an embedded bench, an early shell."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import expect

from mha_ui.shell import _WAITING
from mha_view.language import LANGUAGES, words_in
from tests.api.injected_modules import GATE
from tests.sizes import shortened
from tools.drive.explore import Bench
from tools.drive.server import running


def test_a_request_to_another_host_is_a_complaint(new_context, watch):
    page = new_context().new_page()
    page.evaluate("() => fetch('http://elsewhere.example/', { mode: 'no-cors' }).catch(() => null)")
    complaints = watch.complaints[:]
    watch.complaints.clear()
    assert len(complaints) == 1
    assert "ERR_NAME_NOT_RESOLVED" in complaints[0]


def test_the_title_follows_the_language_at_once(visit):
    page = visit("check?example=first").page
    expect(page).to_have_title("Check my numbers · Multi-head attention")
    page.get_by_role("radio", name="中", exact=True).click()
    expect(page).to_have_title("验算 · 多头注意力")


def test_embedded_in_another_page_the_bench_stands_alone(server, visit):
    bench = visit("?example=causal&embed=true&lang=zh")
    expect(bench.page.locator(".st-key-frame")).to_have_count(0)
    expect(bench.page.locator("html")).to_have_attribute("lang", "zh-CN")
    bench.edit("x", None, 0, 0, 5)
    bench.page.wait_for_url("**embed=true**s=**")
    bench.page.reload()
    bench.settled()
    expect(bench.page.locator(".st-key-frame")).to_have_count(0)
    expect(bench.cell("x", None, 0, 0)).to_have_text("5")


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["zh"]))
def test_the_shell_stands_before_torch_is_there(new_context, tmp_path, language):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    (tmp_path / "torch.py").write_text(GATE, "utf-8")
    words = words_in(language)
    with running(PYTHONPATH=str(tmp_path), TEST_GATE=str(gate)) as started:
        page = new_context().new_page()
        page.goto(f"{started.url}?example=causal&lang={language}")
        expect(page.get_by_role("status").filter(has_text=words(_WAITING))).to_have_count(1)
        expect(page.get_by_role("link", name=words("Learn"))).to_have_count(1)
        expect(page.locator(".bench")).to_have_count(0)
        gate.write_text("")
        Bench(page).settled()
        expect(page.get_by_text(words(_WAITING))).to_have_count(0)
        expect(page.locator(".st-key-frame")).to_have_count(1)
        page.close()
