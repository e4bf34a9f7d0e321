"""A monkey test of the bench with a seed: ``python -m benchmarks.monkey [minutes] [seed]``.

In real Chromium it types, drags, nudges, undoes, redoes, adds and removes, and visits other pages. After each action
every number on the bench must equal the core's, for the example in the address, and no error may have been logged. It
prints the actions, and how the browser's heap and the server's memory grew over the second half.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from random import Random
from time import monotonic

from playwright.sync_api import CDPSession, ConsoleMessage, Error, Page, sync_playwright

from benchmarks.live import memory
from tools.drive.browser import chromium
from tools.drive.explore import Bench, assert_shows, example_in
from tools.drive.server import Server, running

PAGES = {
    "walkthrough": "Step through",
    "check": "Check my numbers",
    "experiments": "Compare",
    "conventions": "Notation",
    "lessons": "Learn",
}
"""The other pages: in the address, and in the menu."""


class Monkey:
    """The monkey's actions; each one leaves the bench settled."""

    def __init__(self, page: Page, app: Server, seed: int) -> None:
        self.page, self.app, self.random = page, app, Random(seed)
        self.bench = Bench(page).open(f"{app.url}?example=first")
        self.errors: list[str] = []
        self.late: Counter[str] = Counter()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note)
        self.actions: dict[str, tuple[int, Callable[[], None]]] = {
            "type": (6, self.type),
            "drag": (6, self.drag),
            "nudge": (3, self.nudge),
            "undo": (3, lambda: self.press("undo")),
            "redo": (2, lambda: self.press("redo")),
            "structure": (2, self.structure),
            "page": (1, self.visit),
        }

    def _note(self, line: ConsoleMessage) -> None:
        if line.type == "error":
            self.errors.append(line.text)

    def act(self) -> str:
        """Do one action, and check every number."""
        names = list(self.actions)
        name = self.random.choices(names, [self.actions[name][0] for name in names])[0]
        self.actions[name][1]()
        self.bench.settled()
        self.page.wait_for_function(
            "() => document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'"
        )
        self.page.evaluate(
            "async () => { const pending = []; window.dispatchEvent(new CustomEvent('mha-address-asked', "
            "{detail: pending})); await Promise.all(pending); }"
        )
        self._check(name)
        if self.errors:
            raise AssertionError(self.errors)
        return name

    def _check(self, action: str) -> None:
        """Every number is the core's. While a page is being drawn again, it is checked again, which is counted."""
        until = monotonic() + 2
        while True:
            try:
                return assert_shows(self.bench, example_in(self.page.url))
            except (AssertionError, ValueError, Error):
                if monotonic() > until:
                    raise
                self.late[action] += 1

    def _cell(self) -> tuple[str, int | None, int, int]:
        """An input of the example, anywhere on the bench."""
        example = example_in(self.page.url)
        head = self.random.randrange(len(example.heads))
        name = self.random.choice(["x", "w_q", "w_k", "w_v"])
        rows, cols = example.dims.shape(name)
        head_or_none = None if name == "x" else head
        cell = (name, head_or_none, self.random.randrange(rows), self.random.randrange(cols))
        if head_or_none is not None:
            self._show(head)
        self.bench.cell(*cell).scroll_into_view_if_needed()
        return cell

    def _show(self, head: int) -> None:
        """Show a head's tables where not all heads fit."""
        chip = self.page.locator(f'.head-chip[data-head="{head}"][aria-pressed="false"]')
        if chip.is_visible():
            chip.click()

    def type(self) -> None:
        """Type a number."""
        self.bench.edit(*self._cell(), self.random.choice([0, 1, -2, 3, 0.5, -1.25, 7]))

    def drag(self) -> None:
        """Drag a number sideways; now and then cancel it."""
        box = self.bench.cell(*self._cell()).bounding_box()
        assert box
        x, y, mouse = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, self.page.mouse
        mouse.move(x, y)
        mouse.down()
        for _ in range(self.random.randint(2, 12)):
            mouse.move(x + self.random.randint(-60, 60), y)
        if self.random.random() < 0.2:
            self.page.keyboard.press("Escape")
        mouse.up()

    def nudge(self) -> None:
        """Change a number with keys."""
        self.bench.cell(*self._cell()).focus()
        for _ in range(self.random.randint(1, 4)):
            self.page.keyboard.press(
                self.random.choice(["Alt+ArrowUp", "Alt+ArrowDown", "Alt+Shift+ArrowUp"])
            )
        self.page.keyboard.press("Tab")

    def press(self, focus: str) -> None:
        """Press a button if it is enabled."""
        button = self.page.locator(f'[data-focus="{focus}"]')
        if button.is_enabled():
            button.click()

    def structure(self) -> None:
        """Add or remove a token or a head, or change the mask; there are never many of each."""
        example = example_in(self.page.url)
        choices = ["mask"]
        choices += ["add tokens"] if len(example.tokens) < 5 else ["remove tokens 1"]
        choices += ["copy_head 0"] if len(example.heads) < 3 else ["remove_head 1"]
        chosen = self.random.choice(choices)
        if chosen == "mask":
            self.bench.choose("mask", self.random.choice(["none", "causal"]))
        elif chosen.startswith("remove tokens"):
            self.page.locator(f'[data-focus="{chosen}"]').dispatch_event(
                "click"
            )  # it is visible only under the pointer
        else:
            if "_head" in chosen:
                self._show(int(chosen[-1]))
            self.press(chosen)

    def visit(self) -> None:
        """Go to another page, and back."""
        self.page.get_by_role("link", name=self.random.choice([*PAGES.values()]), exact=True).first.click()
        self.page.wait_for_url(lambda url: any(f"/{name}" in url for name in PAGES))
        self.page.get_by_role("link", name="Explore", exact=True).first.click()
        self.page.wait_for_url(lambda url: not any(f"/{name}" in url for name in PAGES))
        self.page.locator('.bench td[data-key="x||0|0"]').first.wait_for()


def heap(session: CDPSession) -> float:
    """Megabytes of the page's heap after a garbage collection."""
    session.send("HeapProfiler.collectGarbage")
    return float(session.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


def slope(samples: list[tuple[float, float]]) -> float:
    """Megabytes a minute, by least squares."""
    n = len(samples)
    x, y = sum(at for at, _ in samples) / n, sum(size for _, size in samples) / n
    spread = sum((at - x) ** 2 for at, _ in samples)
    return 60 * sum((at - x) * (size - y) for at, size in samples) / spread if spread else 0.0


def main(minutes: float = 30.0, seed: int = 0) -> None:
    """Run the monkey, and print the results."""
    with running() as app, sync_playwright() as playwright:
        browser = chromium(playwright)
        page = browser.new_page(viewport={"width": 1920, "height": 1080})
        session = page.context.new_cdp_session(page)
        monkey, actions = Monkey(page, app, seed), Counter[str]()
        heaps: list[tuple[float, float]] = []
        memories: list[tuple[float, float]] = []
        begin = monotonic()
        while (at := monotonic() - begin) < 60 * minutes:
            actions[monkey.act()] += 1
            if sum(actions.values()) % 20 == 0:
                heaps.append((at, heap(session)))
                memories.append((at, memory(app)))
        browser.close()
    print(
        f"{sum(actions.values()):,} actions in {minutes:g} minutes, seed {seed}: {dict(actions)}; no number differed"
    )
    print(f"checked again, since the page was being drawn: {dict(monkey.late)}")
    for what, samples in (("browser's heap", heaps), ("server's memory", memories)):
        half = samples[len(samples) // 2 :]
        print(
            f"{what}: {half[0][1]:.1f} → {half[-1][1]:.1f} MB, {slope(half):+.2f} MB a minute in the second half"
        )


if __name__ == "__main__":
    minutes, seed = [*sys.argv[1:], *("30", "0")[len(sys.argv) - 1 :]]
    main(float(minutes), int(seed))
