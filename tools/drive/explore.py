"""The matrix bench on a page: read and edited as a person would."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page

from mha_core import OPENS_FIRST, Example, Trace, built_in, from_token, library, to_token, trace
from mha_core.compute.trace import input_matrix
from mha_core.example.model import NEG_INF, position_inputs
from mha_core.vocabulary import PER_HEAD, PER_HEAD_INPUTS, POSITION_INPUTS, TARGETS
from tools.drive.browser import WAIT, wait_for


class Bench:
    """The matrix bench on a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root = page.locator(".bench")

    def open(self, url: str) -> Bench:
        """Go there and wait until it is ready."""
        self.page.goto(url)
        return self.settled()

    def settled(self) -> Bench:
        """Wait until the numbers shown include every edit so far, and the page has stored them."""
        wait_for(self.page, '.bench[aria-busy="false"][data-kept="true"]')
        return self

    def cell(self, name: str, head: int | None, row: int, col: int) -> Locator:
        """A table's cell; ``head`` is None where the whole layer has one table."""
        return self.page.locator(f'td[data-key="{name}|{"" if head is None else head}|{row}|{col}"]')

    def type(self, name: str, head: int | None, row: int, col: int, text: str, key: str = "Enter") -> Bench:
        """Write a text into a cell and press a key."""
        self.cell(name, head, row, col).click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press(key)
        return self.settled()

    def edit(self, name: str, head: int | None, row: int, col: int, number: float) -> Bench:
        """Write a number into a cell."""
        return self.type(name, head, row, col, f"{number:g}")

    def do(self, focus: str) -> Bench:
        """Press the button (or check the box) with this name in ``data-focus``."""
        self.control(focus).click()
        return self.settled().folded()

    def choose(self, focus: str, value: str) -> Bench:
        """Choose in the list with this name in ``data-focus``."""
        self.control(focus).select_option(value)
        return self.settled().folded()

    def control(self, focus: str) -> Locator:
        """The control with this name in ``data-focus``, unfolded where it is folded away."""
        control = self.page.locator(f'[data-focus="{focus}"]')
        fold = self.page.locator(".fold", has=control).filter(
            has=self.page.locator("> [aria-expanded=false]")
        )
        if fold.count():
            fold.locator("> button").click()
        return control

    def folded(self) -> Bench:
        """Fold what was unfolded, since it covers the tables."""
        for fold in self.page.locator(".fold > [aria-expanded=true]").all():
            fold.click()
        return self

    def shown(self) -> dict[str, str]:
        """Every cell's text by key. Folded tables are unfolded, and hidden heads are shown in turn."""
        shown: dict[str, str] = self.page.evaluate(
            """() => {
                const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".bench"));
                const bench = host.shadowRoot, found = {};
                const read = () => {
                    for (let unfold; (unfold = bench.querySelector('[data-do="unfold"]')); ) unfold.click();
                    for (const cell of bench.querySelectorAll("td[data-key]"))
                        found[cell.dataset.key] = cell.querySelector("input")?.value ?? cell.textContent;
                };
                read();
                for (const chip of bench.querySelectorAll('.head-chips:not([hidden]) [aria-pressed="false"]'))
                    chip.click(), read();
                return found;
            }"""
        )
        return shown

    def arithmetic(self) -> str:
        """The line that writes out the selected cell."""
        return " ".join(self.page.locator(".explain .line").inner_text().split())

    def message(self) -> Locator:
        """The bench's message."""
        return self.page.locator(".bench .message span")

    def wait_for_address(self, example: Example) -> str:
        """The address, once it contains this example."""
        self.page.wait_for_function(
            "([wanted]) => wanted.includes(new URLSearchParams(location.search).get('s') ?? "
            "new URLSearchParams(location.search).get('example'))",
            arg=[addresses(example)],
            timeout=WAIT,
        )
        return self.page.url


def addresses(example: Example) -> list[str]:
    """What the address may hold for an example: its token, or the names of those built in."""
    return [to_token(example), *(name for name, built_in in library().items() if built_in == example)]


def example_in(url: str) -> Example:
    """The example in an address."""
    query = parse_qs(urlsplit(url).query)
    return from_token(query["s"][0]) if "s" in query else built_in(query.get("example", [OPENS_FIRST])[0])


def expected(computed: Trace) -> dict[str, float]:
    """Every number of a trace by the bench's key, computed and given (masks apart), and of a goal's backward pass."""
    example = computed.example
    given = ("x", "context", "w_o", "b_o", *position_inputs(example))
    places: list[tuple[str, int | None]] = [
        (name, None) for name in given if name in POSITION_INPUTS or getattr(example, name) is not None
    ]
    for index, head in enumerate(example.heads):
        places += [(name, index) for name in PER_HEAD_INPUTS if getattr(head, name, None) is not None]
    for name in (*TARGETS.values(), "given_rows"):
        heads = range(len(example.heads)) if name in PER_HEAD else (None,)
        places += [(name, at) for at in heads if input_matrix(example, name, at)]
    for name, values in (computed.values | computed.backward).items():
        of_heads = [at for at, rows in enumerate(values) if rows is not None] if name in PER_HEAD else [None]
        places += [(name, at) for at in of_heads]
    return {
        f"{name}|{'' if head is None else head}|{i}|{j}": number
        for name, head in places
        for i, row in enumerate(computed.matrix(name, head))
        for j, number in enumerate(row)
    }


def assert_shows(bench: Bench, example: Example, decimals: int = 4) -> None:
    """The bench shows every number of the example's trace, rounded to its decimals, and no other.

    In narrow columns numbers may have fewer decimals; then they are rounded to those that they have.
    """
    numbers = expected(trace(example))
    is_narrow = bench.page.locator(".tables.narrow").count() > 0
    shown = {key: text for key, text in bench.shown().items() if not key.startswith(("mask|", "head_mask|"))}
    assert shown.keys() == numbers.keys(), sorted(shown.keys() ^ numbers.keys())
    for key, number in numbers.items():
        text = shown[key].replace("−", "-")
        if number == NEG_INF:
            assert text == "-∞", key
        else:
            places = min(decimals, len(text.partition(".")[2])) if is_narrow else decimals
            assert abs(float(text) - number) <= 0.5 * 10**-places + 1e-9, (key, text, number)
