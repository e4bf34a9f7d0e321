"""The walkthrough on a page: opened, moved by keys, and read."""

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
        """Wait until the picture is there and still."""
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
        """The walk's place: a stage, and part and beat in it, such as ``scores 4.2``."""
        return self.root.get_attribute("data-at") or ""

    def stands_at(self, place: str) -> Self:
        """Wait until the walk is at this place; ``expect`` would see a move by another window up to a second late."""
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
        """Every matrix cell's text; a number that is not shown yet is "·"."""
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
    """Every place of a walk at a depth, as ``Walk.at`` has it."""
    names = []
    for stage in stages_of(computed):
        if depth == 0:
            names.append(stage.id)
        for number, part in enumerate(stage.parts, 1):
            if depth == 1:
                names.append(f"{stage.id} {number}")
            if depth == 2:
                names += [f"{stage.id} {number}.{beat}" for beat in range(1, part.beats + 1)]
        if depth and not stage.parts:
            names.append(f"{stage.id} {'1' if depth == 1 else '1.1'}")
    return names


def kinds_of(computed: Trace) -> list[tuple[str, tuple[str, ...]]]:
    """Every stage of a walk with its kind: stages of one kind have the same layout and questions."""
    return [(stage.id, (stage.kind, *(step.name for step in stage.steps))) for stage in stages_of(computed)]


def bench_example(example: Example, number: float) -> Example:
    """The example after an edit on the bench that sets X[2, 1] to this number."""
    return apply(example, SetBlock(matrix="x", row=1, col=0, values=[[number]]))
