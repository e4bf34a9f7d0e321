"""What the tests do with the walkthrough: open it, press keys, and read what it shows."""

from __future__ import annotations

from typing import Self

from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as TooLate

from mha_core import Example, Trace
from mha_core.compute.derive import Cell
from mha_core.edit.edit import SetBlock
from mha_core.edit.edits import apply
from mha_core.example.model import NEG_INF
from mha_core.walk.stages import walk as stages_of
from tools.drive.browser import at_rest, wait_for


class Walk:
    """The walkthrough on a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root = page.locator(".walk")

    def open(self, url: str) -> Self:
        """Go there and wait until it is ready."""
        self.page.goto(url)
        return self.ready()

    def ready(self) -> Self:
        """Wait until the picture is there and moves no more."""
        wait_for(self.page, ".walk[data-at]")
        at_rest(self.page)
        return self

    def press(self, *keys: str) -> Self:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
        return self

    @property
    def at(self) -> str:
        """Where the walk stands: a stage, and part and beat in it, such as ``scores 4.2``."""
        return self.root.get_attribute("data-at") or ""

    def stands_at(self, place: str) -> Self:
        """Wait until it does; ``expect`` would see what comes from another window up to a second late."""
        if self.at != place:
            try:
                wait_for(self.page, f'.walk[data-at="{place}"]')
            except TooLate:
                raise AssertionError(f"stands at {self.at}, not at {place}") from None
        return self

    def cell(self, name: str, head: int | None, row: int, col: int) -> Locator:
        """A cell of the picture; ``head`` is None where the whole layer has one table."""
        return self.page.locator(f'.walk td[data-key="{name}|{"" if head is None else head}|{row}|{col}"]')

    def button(self, focus: str) -> Locator:
        """The control with this name in ``data-focus``."""
        return self.page.locator(f'.walk [data-focus="{focus}"]')

    def shown(self) -> dict[Cell, str]:
        """Every matrix cell's text; what does not stand there yet is "·"."""
        texts = self.page.evaluate(
            """() => {
                const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".walk"));
                const all = [...host.shadowRoot.querySelectorAll("td[data-key]")];
                const cells = all.filter((td) => !td.closest(".still"));
                return cells.map((td) => [td.dataset.key, td.querySelector("input")?.value ?? td.textContent]);
            }"""
        )
        return {cell_of(key): text for key, text in texts}

    def line(self) -> str:
        """The line of arithmetic."""
        return " ".join(self.root.locator(".line").inner_text().split())


def cell_of(key: str) -> Cell:
    """The cell that a ``data-key`` names."""
    name, head, row, col = key.split("|")
    return Cell(name, int(head) if head else None, int(row), int(col))


def assert_right(walk: Walk, computed: Trace, decimals: int = 4) -> dict[Cell, str]:
    """Every number in the picture is the trace's, rounded."""
    shown = walk.shown()
    for cell, text in shown.items():
        if cell.name == "mask" or text == "·":
            continue
        number = computed.matrix(cell.name, cell.head)[cell.row][cell.col]
        plain = text.replace("−", "-")
        if number == NEG_INF:
            assert plain == "-∞", cell
        else:
            assert abs(float(plain) - number) <= 0.5 * 10**-decimals + 1e-9, (cell, text, number)
    return shown


def places(computed: Trace, depth: int) -> list[str]:
    """Every place of a walk at a depth, as ``Walk.at`` tells it."""
    found = []
    for stage in stages_of(computed):
        if depth == 0:
            found.append(stage.id)
        for number, part in enumerate(stage.parts, 1):
            if depth == 1:
                found.append(f"{stage.id} {number}")
            if depth == 2:
                found += [f"{stage.id} {number}.{beat}" for beat in range(1, part.beats + 1)]
        if depth and not stage.parts:
            found.append(f"{stage.id} {'1' if depth == 1 else '1.1'}")
    return found


def kinds_of(computed: Trace) -> list[tuple[str, tuple[str, ...]]]:
    """Every stage of a walk with its kind: stages of one kind look and ask alike."""
    return [(stage.id, (stage.kind, *(step.name for step in stage.steps))) for stage in stages_of(computed)]


def bench_example(example: Example, number: float) -> Example:
    """The example with this number where the bench has been edited."""
    return apply(example, SetBlock(matrix="x", row=1, col=0, values=[[number]]))
