"""``mha view`` with a folder that transformers loads: the printed address opens the page, and a step adds a token."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.e2e.test_models import answer_of, opacities, settled, tokens, wait_for_query
from tests.models.foreign import saved
from tools.drive.server import ROOT, Server

TEXT = "the cat sat on the mat and the dog"


class View(Server):
    """The command in a process of its own, and the address that it prints."""

    address = ""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        command = ["-m", "mha_ui", "view", str(folder), TEXT]
        self.command = [sys.executable, *command, "--no-browser", f"--port={self.port}"]

    def launch(self) -> None:
        self.process = subprocess.Popen(
            self.command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().decode().strip()

    def kill(self) -> None:
        super().kill()
        self.process.stdout.close()


@pytest.fixture
def view(tmp_path: Path) -> Iterator[View]:
    saved("Gemma 2", tmp_path / "gemma")
    started = View(tmp_path / "gemma")
    started.start()
    yield started
    started.kill()


def test_the_printed_address_opens_the_model_which_adds_a_token_and_takes_it_back(view, new_page):
    page = new_page()
    page.goto(view.address)
    settled(page)
    before = tokens(page).all_inner_texts()
    assert len(before) == len(TEXT.split())
    page.locator('[data-focus="next"]').click()
    wait_for_query(page, model="gemma", next="1")
    settled(page)
    expect(tokens(page)).to_have_count(len(before) + 1)
    expect(page.locator(".tokens .token.added[aria-pressed=true]")).to_have_count(1)
    page.locator('[data-focus="all tokens"]').click()
    header, arrays = answer_of(view, "run", model="gemma", texts=[TEXT], steps=1)
    for at in (0, header["layers"] * header["heads"] - 1):
        levels = arrays["0.maps"][divmod(at, header["heads"])]
        assert np.abs(np.array(opacities(page, at)) - levels).max() <= 1
    expect(page.locator(".next-token .hint")).to_contain_text(
        f"{header['step']['read']:,} numbers of keys and values"
    )
    page.locator('[data-focus="next back"]').click()
    expect(tokens(page)).to_have_text(before)
