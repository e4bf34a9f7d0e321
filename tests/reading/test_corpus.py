"""The corpus agrees with itself: its examples give its printed numbers, apart from those that it says are wrong."""

import json
import re
from pathlib import Path

import pytest

from mha_core import trace
from mha_core.example.files import from_json

CORPUS = Path(__file__).parent / "corpus"
CASES = sorted(path.parent.name for path in CORPUS.glob("*/expected.json"))
LARGEST, LONGEST = 600_000, 200


def expected(case):
    return json.loads((CORPUS / case / "expected.json").read_text("utf-8"))


def text_of(case):
    """The lines of a case's text; a notebook's are those of its cells' sources and outputs, in order."""
    (path,) = (CORPUS / case).glob("text.*")
    text = path.read_text("utf-8")
    if path.suffix != ".ipynb":
        return text.splitlines()
    parts = []
    for cell in json.loads(text)["cells"]:
        parts.append(cell["source"])
        parts += [
            output["text"] if "text" in output else next(iter(output["data"].values()))
            for output in cell.get("outputs", [])
        ]
    return [line for part in parts for line in "".join(part).removesuffix("\n").split("\n")]


def computed(case):
    """A trace of each example of a case."""
    given = expected(case)["example"]
    examples = given if isinstance(given, list) else [given] if given else []
    return [
        trace(
            from_json(
                {
                    **{key: value for key, value in example.items() if key not in ("divisor", "mask")},
                    "format": "mha-example/1",
                    "scale": example["divisor"],
                    "mask": mask_of(example["mask"]),
                }
            )
        )
        for example in examples
    ]


def mask_of(said):
    if said == "none":
        return None
    return said if said == "causal" else {"allow": [[cell == 1 for cell in row] for row in said]}


def exact(matrix, traces):
    """The right numbers of a printed matrix, in its own orientation."""
    head = None if matrix["head"] is None else matrix["head"] - 1
    rows = traces[matrix.get("example", 1) - 1].matrix(matrix["name"], head)
    return [list(column) for column in zip(*rows, strict=True)] if matrix.get("transposed") else rows


def is_right(printed, number):
    """The rule of the checker: off by one unit of the last digit at most, and a whole number is rounded correctly."""
    if float(printed) == number:
        return True  # an infinity has no digits
    mantissa, _, power = printed.partition("e")
    digits = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(power or 0) - digits) if digits else 0.5
    return abs(float(printed) - number) <= unit * (1 + 1e-6)


def wrong_cells(case):
    found = set()
    traces = computed(case)
    for matrix in expected(case)["matrices"] if traces else ():
        added = "-inf" in str(matrix["printed"])  # a mask of 0 and −∞; one of 1 and 0 is compared as it is
        for i, (row, right) in enumerate(zip(matrix["printed"], exact(matrix, traces), strict=True), 1):
            for j, (printed, number) in enumerate(zip(row, right, strict=True), 1):
                if matrix["name"] == "mask" and added:
                    assert (float(printed) == 0) == (number == 1), (matrix, i, j)
                elif printed is not None and not is_right(printed, number):
                    cell = (j, i) if matrix.get("transposed") else (i, j)
                    found.add((matrix.get("example", 1), matrix["name"], matrix["head"], *cell, printed))
    return found


def listed(case):
    return {
        (cell.get("example", 1), cell["name"], cell["head"], cell["row"], cell["col"], cell["printed"])
        for cell in expected(case)["wrong"]
    }


@pytest.mark.parametrize("case", CASES)
def test_exactly_the_listed_numbers_are_wrong(case):
    assert wrong_cells(case) == listed(case)


@pytest.mark.parametrize("case", CASES)
def test_what_is_right_instead_is_right(case):
    traces = computed(case)
    for cell in expected(case)["wrong"]:
        number = exact({**cell, "transposed": False}, traces)[cell["row"] - 1][cell["col"] - 1]
        assert is_right(cell["right"], number), cell


@pytest.mark.parametrize("case", CASES)
def test_every_matrix_begins_at_its_line(case):
    lines = text_of(case)
    for matrix in expected(case)["matrices"]:
        begins = lines[matrix["line"] - 1]
        assert re.search(r"\d|[\[({|⎡]", begins), (matrix, begins)
        first = next(cell for row in matrix["printed"] for cell in row if cell is not None)
        near = "\n".join(lines[matrix["line"] - 1 : matrix["line"] + 2]).replace("−", "-")
        assert first in near, (matrix, near)


def test_the_corpus_stays_small():
    assert len(CASES) >= 70
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < LARGEST
    assert all(len(text_of(case)) <= LONGEST for case in CASES)
