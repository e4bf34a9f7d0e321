"""The page Models: from Enter to all heads painted, and how long many users at once wait for an answer."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from urllib.request import Request, urlopen

from playwright.sync_api import Page, sync_playwright

from benchmarks.table import Line
from mha_core.models import cards
from tools.drive.browser import chromium, wait_for
from tools.drive.server import Server, running

USERS = 20
ROUNDS = 40
ENTERS = 30
SENTENCE = "The tall man gave the boy {count} old books and the boy thanked the man for all of them ."
"""20 tokens of all-MiniLM-L6-v2, including the number."""
NUMBERS = "two three four five six seven eight nine ten eleven twelve".split()

ENTER = """
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0)));
window.enter = async (text) => {
  const host = [...document.querySelectorAll("*")].find((node) => node.shadowRoot?.querySelector(".models"));
  const page = host.shadowRoot.querySelector(".models");
  const field = page.querySelector("textarea");
  field.value = text;
  const shown = page.dataset.shown;
  const begin = performance.now();
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  await new Promise((done) => {
    const watcher = new MutationObserver(() => page.dataset.shown !== shown && (watcher.disconnect(), done()));
    watcher.observe(page, { attributes: true });
  });
  return (await painted()) - begin;
};
"""


def measure() -> list[Line]:
    """Every line about models; those of all-MiniLM-L6-v2 where it is installed."""
    keys = [card.key for card in cards() if card.key in ("own", "minilm")]
    with running() as app, sync_playwright() as playwright:
        browser = chromium(playwright)
        page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.add_init_script(ENTER)
        lines = [_enter(app, page, key) for key in keys]
        browser.close()
        return lines + [_many_users(app, key) for key in keys]


def _enter(app: Server, page: Page, key: str) -> Line:
    page.goto(f"{app.url}models?model={key}&text=cat")
    wait_for(page, ".models[data-shown]")
    taken = [page.evaluate("(text) => enter(text)", _sentence(round_)) for round_ in range(ENTERS + 3)][3:]
    return Line(f"{key}: Enter → all heads painted, 20 tokens", taken, goal=(300, ""))


def _many_users(app: Server, key: str) -> Line:
    """Each user sends another sentence as soon as the last one is answered."""

    def request(text: str) -> float:
        body = json.dumps({"model": key, "texts": [text]}).encode()
        begin = perf_counter()
        with urlopen(
            Request(f"{app.url}api/models/run", body, {"Content-Type": "application/json"})
        ) as answer:
            answer.read()
        return (perf_counter() - begin) * 1000

    texts = [f"{_sentence(at)} {at}" for at in range(USERS * ROUNDS // 4)]
    with ThreadPoolExecutor(USERS) as users:
        return Line(f"{key}: {USERS} users at once, 20 tokens: answered", list(users.map(request, texts)))


def _sentence(at: int) -> str:
    return SENTENCE.format(count=NUMBERS[at % len(NUMBERS)])
