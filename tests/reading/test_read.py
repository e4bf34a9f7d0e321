"""The reader: places, the corrected copy, what is never run, limits, and texts that are damaged."""

from __future__ import annotations

import contextlib
import json
import random
import sys
from io import BytesIO
from pathlib import Path
from time import process_time

import pytest

from mha_core.__main__ import main
from mha_core.errors import MhaError, ReadError
from mha_core.example.files import parse
from mha_core.read import formats, report
from mha_core.read.report import as_json, as_text, read_article
from mha_view.article import article_payload
from tests.core.test_check import WORKED
from tests.reading.styles import STYLES
from tests.sizes import lengthened

TEXTS = Path(__file__).parent / "texts"
FIRST = r"""# One head

$X = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}$,
$W_Q = \begin{bmatrix} 1 & 2 \\ 0 & 1 \end{bmatrix}$, $W_K = \begin{bmatrix} 1 & 0 \\ 3 & 1 \end{bmatrix}$,
$W_V = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}$

$$Q K^\top = \begin{bmatrix} 1 & 5 \\ 0 & 9 \end{bmatrix}$$

$$A = \begin{bmatrix} 0.06 & 0.94 \\ 0.33 & 0.67 \end{bmatrix}$$
"""
"""Q = W_Q and K = W_K, so S = [1·1 + 2·0, 1·3 + 2·1; 0, 1] = [1 5; 0 1]: the 9 is wrong, the weights are right."""


# --- the verdict in the text ----------------------------------------------------------------------------------


def test_a_wrong_number_is_marked_where_it_is_printed():
    (one,) = read_article(FIRST, "a.md").examples
    (mark,) = one.marks
    assert FIRST[mark.start : mark.end] == mark.printed == "9"
    assert (mark.right, mark.line, mark.place.name, mark.place.row, mark.place.col) == (
        "1",
        7,
        "scores",
        1,
        1,
    )


def test_the_corrected_copy_differs_in_the_wrong_numbers_alone_and_is_right():
    article = read_article(FIRST, "a.md")
    assert article.corrected == FIRST.replace("0 & 9", "0 & 1")
    assert read_article(article.corrected, "a.md").ok


@pytest.mark.parametrize("style", STYLES)
def test_the_corrected_copy_of_every_format_is_right(style):
    suffix, write = STYLES[style]
    text = write(parse((WORKED / "brownfox_two_heads.mha.json").read_bytes()))
    article = read_article(text, f"a.{suffix}")
    assert not article.ok
    again = read_article(article.corrected, f"a.{suffix}")
    assert again.ok
    assert len(again.examples[0].read.found) == len(article.examples[0].read.found)


def test_the_right_number_has_the_digits_the_sign_and_the_exponent_of_the_text():
    text = FIRST.replace("0 & 9", "0 & 1").replace("0.06 & 0.94", r"−0.060 & 94\%")
    (one,) = read_article(text, "a.md").examples
    assert [(mark.printed, mark.right) for mark in one.marks] == [("−0.060", "0.056")]


def test_a_matrix_that_is_printed_again_is_corrected_there_too():
    again = FIRST + r"The scores once more: $Q K^\top = \begin{bmatrix} 1 & 5 \\ 0 & 9 \end{bmatrix}$" + "\n"
    article = read_article(again, "a.md")
    assert article.corrected.count("0 & 1 \\end") == 5
    assert "0 & 9" not in article.corrected


def test_a_hidden_pair_keeps_the_texts_own_infinity():
    text = (
        (TEXTS / "html_sub" / "text.html")
        .read_text("utf-8")
        .replace("[0.71, -inf, -inf]", "[0.71, 0.71, -inf]")
    )
    (one,) = read_article(text, "a.html").examples
    assert ("0.71", "-inf") in [(mark.printed, mark.right) for mark in one.marks]


def test_the_report_names_lines_causes_and_guesses_in_both_languages():
    article = read_article(FIRST, "a.md")
    assert "Line 7, scores, row 2, column 2: 9, right is 1." in as_text(article)
    assert "第 7 行" in as_text(article, "zh")
    (example,) = as_json(article)["examples"]
    assert [one["name"] for one in example["matrices"]] == ["x", "w_q", "w_k", "w_v", "scores", "weights"]
    assert parse(json.dumps(example["example"])).claimed["scores"] == ((("1", "5"), ("0", "9")),)


def test_what_is_not_used_is_listed_with_why():
    text = FIRST + "\nTimings in ms were [[3.25, 4.5, 1.5], [7.25, 8.5, 2.5]].\n"
    (unused,) = as_json(read_article(text, "a.md"))["unused"]
    assert (unused["line"], unused["name"]) == (11, None)
    assert unused["why"]


HEADS_FROM_0 = """# Two heads

X = [[1, 0], [0, 1], [1, 1]]

## Head 1

Q_0 = [[1, 0], [0, 1], [1, 1]], K_0 = [[1, 1], [0, 1], [1, 2]], V_0 = [[1, 0], [0, 2], [1, 2]]

The scores Q·Kᵀ are

[[1, 0, 1], [1, 1, 2], [2, 1, 3]]

## Head 2

Q_1 = [[0, 1], [1, 0], [1, 1]], K_1 = [[1, 0], [1, 1], [2, 1]], V_1 = [[2, 0], [0, 1], [2, 1]]

The scores Q·Kᵀ are

[[0, 1, 1], [1, 1, 2], [1, 2, 3]]
"""


def test_names_may_count_heads_from_0_under_headings_that_count_from_1():
    (one,) = read_article(HEADS_FROM_0, "a.md").examples
    assert one.verdict.ok
    assert [found.key for found in one.read.found if found.key[0] == "scores"] == [
        ("scores", 0),
        ("scores", 1),
    ]


# --- what other readings would do ------------------------------------------------------------------------------


def test_another_reading_that_does_as_well_is_said_and_the_reading_is_not_certain():
    only_projected = (
        FIRST.split("$$A", maxsplit=1)[0]
        .replace("0 & 9", "0 & 1")
        .replace("Q K^\\top", "Q")
        .replace("1 & 5 \\\\ 0 & 1", "1 & 2 \\\\ 0 & 1")
    )
    (one,) = read_article(only_projected, "a.md").examples
    assert not one.read.certain
    assert "another divisor" in as_text(read_article(only_projected, "a.md"))


def test_a_text_that_scales_and_prints_weights_is_certain():
    (one,) = read_article(
        FIRST.replace("$$A", "Divide by √d_k.\n\n$$A").replace("0 & 9", "0 & 1"), "a.md"
    ).examples
    assert one.example.scale in ("sqrt_dk", "none")


# --- nothing is run, and everything has a limit -----------------------------------------------------------------


def test_a_program_is_read_and_never_run(tmp_path):
    target = tmp_path / "was-run"
    program = f"open({str(target)!r}, 'w')\n" + (TEXTS / "program" / "text.py").read_text("utf-8")
    assert read_article(program, "a.py").examples
    notebook = {"cells": [{"cell_type": "code", "source": [program], "outputs": []}], "nbformat": 4}
    assert read_article(json.dumps(notebook), "a.ipynb").examples
    assert not target.exists()


def test_a_large_file_and_a_long_text_are_refused_with_a_sentence():
    with pytest.raises(ReadError, match="larger than 5 MB"):
        read_article(b" " * (formats.MAX_BYTES + 1), "a.md")
    with pytest.raises(ReadError, match="longer than 1,000,000 characters"):
        read_article("a" * (formats.MAX_TEXT + 1), "a.txt")


def test_a_text_that_takes_too_long_is_refused_with_a_sentence(monkeypatch):
    monkeypatch.setattr(report, "MAX_SECONDS", -1.0)
    with pytest.raises(ReadError, match="takes longer than"):
        read_article(FIRST, "a.md")


def test_a_notebook_of_two_megabytes_takes_no_longer_than_two_seconds():
    notebook = json.loads((TEXTS / "notebook" / "text.ipynb").read_text("utf-8"))
    picture = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"image/png": "iVBORw0K" * 1000, "text/plain": ["<Figure>"]},
    }
    cell = {"cell_type": "code", "metadata": {}, "source": ["plot()\n"], "outputs": [picture]}
    printed = {"output_type": "stream", "name": "stdout", "text": ["step 0 loss 0.25 accuracy 0.5\n"] * 300}
    log = {"cell_type": "code", "metadata": {}, "source": ["train()"], "outputs": [printed]}
    notebook["cells"] += [cell] * 190 + [log] * 40
    text = json.dumps(notebook, indent=1)
    assert len(text) > 2_000_000
    begin = process_time()
    (one,) = read_article(text, "a.ipynb").examples
    assert process_time() - begin < 2 * (3 if sys.gettrace() else 1)
    assert one.verdict.ok


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        ("", "a.md", "no matrix"),
        ("Only words.", "a.txt", "no matrix"),
        (b"\xff\xfe\x00", "a.md", "UTF-8"),
        ("{", "a.ipynb", "not valid JSON"),
        ("[]", "a.ipynb", "no cells"),
        (b"%PDF-1.4 broken", "a.pdf", "cannot be read"),
        (r"$W_Q = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}$", "a.md", "not enough for an example"),
    ],
)
def test_a_text_without_an_example_gets_a_sentence(content, name, sentence):
    with pytest.raises(ReadError, match=sentence):
        read_article(content, name)


_PIECES = (
    *"$\\{}[]()|&=-∞%\"'", "\n\n", "1e400", "9" * 70, "\\begin{bmatrix}", "\\end{bmatrix}", "```", "tensor(", "…",
    "第一个头", "nan", "\x00", "\u202e", "1/0", "[[[[[[", "<td>", "\\frac{1}{0}", "$$",
)  # fmt: skip


def test_a_damaged_text_is_read_or_refused_with_a_sentence():
    draw = random.Random(38)
    texts = sorted(TEXTS.glob("*/text.*"))
    for _ in range(lengthened(100)):
        path = draw.choice(texts)
        text = path.read_text("utf-8")
        for _ in range(draw.choice((1, 2, 4, 10))):
            at, kind = draw.randrange(len(text) + 1), draw.random()
            if kind < 0.4:
                text = text[:at] + draw.choice(_PIECES) + text[at:]
            elif kind < 0.7:
                text = text[:at] + text[at + draw.choice((1, 2, 8, 50)) :]
            else:
                begin = draw.randrange(len(text) + 1)
                text = text[:at] + text[begin : begin + draw.randrange(200)] + text[at:]
        try:
            article = read_article(text, path.name)
        except MhaError:
            continue
        assert as_text(article, "zh")
        shown = article_payload(article, "zh")
        assert "".join(piece for piece, _, _ in shown["pieces"]) == article.document.text
        for mark in (mark for one in article.examples for mark in one.marks):
            assert article.document.source[mark.start : mark.end] == mark.printed


HOSTILE = {
    "blanks": "Q =" + " " * 300_000 + "1",
    "blank lines": ("\n" + " " * 50) * 10_000 + "1",
    "matrices that a program would take for indices": "[[1,2],[3,4]] " * 1_000,
    "brackets": "[" * 20_000,
    "fractions": r"\frac{1" * 10_000,
    "digits": "1" * 100_000,
}


@pytest.mark.parametrize("suffix", ["md", "txt", "html", "py"])
@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_that_is_made_to_take_long_does_not(text, suffix):
    """With work that grows as the square of the text, the blanks alone take minutes."""
    begun = process_time()
    with contextlib.suppress(ReadError):
        read_article(HOSTILE[text], f"a.{suffix}")
    assert process_time() - begun < 10


# --- PDF ----------------------------------------------------------------------------------------------------------


def pdf_of(lines: list[str]) -> bytes:
    """A page with lines of text, written by hand: pypdf writes none."""
    shown = "".join(f"({line.replace('(', '[').replace(')', ']')}) Tj 0 -14 Td\n" for line in lines)
    stream = f"BT /F1 11 Tf 50 780 Td\n{shown}ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    ]
    out, places = BytesIO(b""), []
    out.write(b"%PDF-1.4\n")
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1"))
    at = out.tell()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    out.write(
        f"xref\n0 6\n0000000000 65535 f \n{table}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{at}\n%%EOF".encode()
    )
    return out.getvalue()


def test_the_text_of_a_pdf_file_is_read():
    lines = ["Self-attention, not scaled", "", "X:", "1 0", "0 1", "", "W_Q:", "1 2", "0 1", "", "W_K:", "1 0", "3 1",
             "", "W_V:", "1 0", "0 1", "", "Raw scores:", "1 5", "0 9"]  # fmt: skip
    article = read_article(pdf_of(lines), "a.pdf")
    (mark,) = article.examples[0].marks
    assert (mark.printed, mark.right) == ("9", "1")
    assert not article.document.writable


# --- the command ----------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "article.md"
    path.write_text(FIRST, "utf-8")
    return path


def test_the_command_prints_the_report_and_exits_with_1_for_wrong_numbers(file, capsysbinary):
    assert main(["read", str(file)]) == 1
    assert "Line 7" in capsysbinary.readouterr().out.decode()


def test_the_command_writes_a_corrected_copy_which_it_then_finds_right(file, tmp_path, capsysbinary):
    out = tmp_path / "corrected.md"
    assert main(["read", str(file), "--correct", str(out), "--json"]) == 1
    assert json.loads(capsysbinary.readouterr().out)["ok"] is False
    assert main(["read", str(out), "--json"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["ok"] is True


def test_the_command_exits_with_2_where_there_is_nothing_to_check(tmp_path, capsysbinary):
    path = tmp_path / "inputs.md"
    path.write_text(FIRST.split("$$Q", maxsplit=1)[0], "utf-8")
    assert main(["read", str(path), "--json"]) == 2
    assert b"no results that could be checked" in capsysbinary.readouterr().err
    assert main(["read", str(tmp_path / "missing.md")]) == 2


def test_the_command_says_where_it_cannot_write(file, tmp_path, capsysbinary):
    assert main(["read", str(file), "--correct", str(tmp_path / "no" / "folder.md")]) == 2
    assert b"cannot be written" in capsysbinary.readouterr().err


def test_a_text_of_nothing_but_brackets_is_refused_with_a_sentence():
    with pytest.raises(ReadError, match="more than 20,000 brackets"):
        read_article("[" * 20_001, "a.txt")
