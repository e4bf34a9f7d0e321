"""The page Train in a real browser: a training with few steps, and what can be done with its heads."""

import re

import pytest
from playwright.sync_api import expect

from mha_view.language import LANGUAGES
from tests.e2e.looks import assert_no_barrier_at, wider
from tools.drive.browser import at_rest
from tools.drive.explore import Bench

STEPS = 20
BELOW = """
[...document.querySelectorAll("*")]
    .flatMap((node) => [...(node.shadowRoot?.querySelectorAll(".watch > *, .heads > *") ?? [])])
    .filter((node) => node.getBoundingClientRect().bottom > innerHeight).map((node) => node.className)
"""
"""Parts of the recording that reach below the window."""


@pytest.fixture
def train(server, new_page):
    """Open the page as a new visitor, with its first recording."""

    def opened(language="en", task="induction", **options):
        page = new_page(**options)
        page.goto(f"{server.url}train?lang={language}&task={task}")  # not what another test has trained
        expect(page.locator(".train .map").nth(7)).to_be_visible()
        return page

    return opened


def focus(page, name):
    return page.locator(f'[data-focus="{name}"]')


def test_a_head_is_trained_scrubbed_switched_off_and_opened_in_explore(train):
    page = train()
    page.locator(".settings summary").click()
    focus(page, "steps").fill(str(STEPS))
    focus(page, "start").click()
    expect(page.locator(".train .state")).to_contain_text(f"Trained for {STEPS} steps", timeout=120_000)
    focus(page, "slider").press("ArrowLeft")
    expect(page.locator(".heads h2")).to_have_text("Every head at step 10")
    focus(page, "switch 1,0").uncheck()
    expect(page.locator(".off .result").first).to_have_text(re.compile("^Without Layer 2 · Head 1, "))
    focus(page, "ask").click()
    expect(page.locator(".line button").first).to_be_visible()
    focus(page, "map 1,0").click()
    focus(page, "bench").click()
    expect(page.get_by_text("32 × 48").first).to_be_visible()  # X, a row for each token
    Bench(page).settled()


@pytest.mark.parametrize("language", LANGUAGES)
def test_everybody_can_use_it_on_every_screen(train, language):
    page = train(language)
    assert_no_barrier_at(page)
    page.set_viewport_size({"width": 390, "height": 800})
    page.locator(".settings summary").click()
    assert wider(page) == []
    focus(page, "steps").fill("400")
    focus(page, "start").click()
    expect(focus(page, "pause")).to_be_visible(timeout=120_000)
    assert wider(page) == []
    focus(page, "stop").click()
    expect(focus(page, "start")).to_be_visible(timeout=60_000)
    assert wider(page) == []


def test_a_training_is_there_again_after_a_reload(train):
    page = train()
    page.locator(".settings summary").click()
    focus(page, "steps").fill(str(STEPS))
    focus(page, "start").click()
    expect(page.locator(".train .state")).to_contain_text(f" {STEPS} steps", timeout=120_000)
    page.wait_for_url("**task=last**")
    page.reload()
    expect(page.locator(".train .state")).to_contain_text(f"A recording of {STEPS} steps", timeout=60_000)


def test_a_training_goes_on_while_another_page_is_shown_and_with_back(train):
    page = train()
    page.locator(".settings summary").click()
    focus(page, "steps").fill("4000")
    focus(page, "start").click()
    expect(focus(page, "pause")).to_be_visible(timeout=120_000)
    page.get_by_role("link", name="Learn", exact=True).click()
    expect(page.locator(".train")).to_have_count(0)
    at_rest(page)  # Learn is shown: the page is empty before that
    page.go_back()
    expect(focus(page, "pause")).to_be_visible(timeout=60_000)
    focus(page, "pause").click()
    expect(page.locator(".train .state")).to_contain_text("Paused at step")
    focus(page, "stop").click()
    expect(focus(page, "start")).to_be_visible(timeout=60_000)


@pytest.mark.parametrize(("task", "language"), [("induction", "en"), ("translation", "zh")])
def test_on_a_small_projector_the_picture_the_curves_and_the_slider_fit_the_window(train, task, language):
    page = train(language, task=task)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.keyboard.press("p")
    expect(page.locator(".train.in-hall .watch")).to_be_visible()
    assert page.evaluate(BELOW) == []
    assert page.locator(".stMainBlockContainer").evaluate("node => node.scrollHeight <= node.clientHeight")
    caption, film = (page.locator(name).bounding_box() for name in (".train .caption", ".train .film"))
    assert caption["y"] + caption["height"] <= film["y"]


def test_the_projector_shows_the_recording_and_then_what_can_be_asked(train):
    page = train()
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.keyboard.press("p")
    expect(page.locator(".train.in-hall .watch")).to_be_visible()
    expect(page.locator(".train .ask")).to_be_hidden()
    expect(page.locator(".train .tasks")).to_be_hidden()
    assert page.evaluate(BELOW) == []
    page.keyboard.press("Space")
    expect(page.locator(".train .play.is-on")).to_be_visible()
    expect(page.locator(".every h2")).to_have_text("Every head at step 1000", timeout=60_000)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".train .ask")).to_be_visible()
    expect(page.locator(".train .watch")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(".train .tasks")).to_be_visible()
