"""The walk as slides, opened with python-pptx: their tables have the trace's numbers, and everything fits."""

import json
import sys
from dataclasses import replace
from io import BytesIO
from itertools import chain, pairwise

import pytest
from hypothesis import given
from pptx import Presentation
from pptx.oxml.ns import qn
from pptx.util import Pt

from mha_core import Cell, ExportError, built_in, parse, trace
from mha_core.__main__ import main
from mha_core.compute.derive import cells
from mha_core.example.lecture import Lecture, LectureStep
from mha_core.messages import LANGUAGE, LANGUAGES
from mha_core.vocabulary import ENTRY
from mha_core.walk.stages import walk
from mha_ui.command import _add
from mha_view.handout.drawing import CHINESE, between
from mha_view.handout.sheet import GAP, kept, plain, shortened, width
from mha_view.handout.slides import as_slides
from mha_view.palette import LIGHT
from tests.core.strategies import examples
from tests.core.test_walk import EVERY, NASTY, check_number
from tests.sizes import in_turn, tries
from tools.examples import sized


def opened(file):
    return Presentation(BytesIO(file))


def text_of(element):
    return "".join(text.text for text in element.iter(qn("a:t")))


def tables(show):
    """Every table of a presentation: its shape's name, its texts row by row without labels, and the shape."""
    for slide in show.slides:
        for shape in slide.shapes:
            if shape.has_table:
                rows = [list(map(text_of, row.iter(qn("a:tc")))) for row in shape.element.iter(qn("a:tr"))]
                yield shape.name, [row[1:] for row in rows[1:]], shape


def places(line, count):
    """Which of ``count`` places the texts of a row or a column show, from the position of … in it."""
    if GAP not in line:
        assert len(line) == count
        return list(range(count))
    at = line.index(GAP)
    behind = len(line) - at - 1
    return [*range(at), None, *range(count - behind, count)]


def compare(computed, name, rows, decimals):
    """Compare a table with the matrix of its name; yields the cells that it shows."""
    matrix, head = name.split("|")
    head = int(head) if head else None
    numbers = computed.matrix(matrix, head)
    down = places([row[0] for row in rows], len(numbers))
    across = places(rows[0], len(numbers[0]))
    for i, row in zip(down, rows, strict=True):
        for j, text in zip(across, row, strict=True):
            assert (text == GAP) is (i is None or j is None)
            if text != GAP:
                check_number(text, numbers[i][j], decimals)
                yield Cell(matrix, head, i, j)


def transposed(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def check_slides(computed, language, decimals=4):
    """Check every number of every table, and that nothing is outside its slide."""
    show = opened(as_slides(computed, language, decimals))
    shown, is_cut = set(), False
    for name, rows, shape in tables(show):
        if name.partition("|")[0] in ENTRY:
            is_transposed = shape.element.nvGraphicFramePr.cNvPr.get("descr").endswith("ᵀ")
            original = transposed(rows) if is_transposed else rows
            shown |= set(compare(computed, name, original, decimals))
        is_cut |= any(GAP in row for row in rows)
    assert is_cut or shown >= set(cells(computed))
    check_type(show, LANGUAGE[language].tag)
    check_places(show)
    return show, shown


def check_type(show, tag):
    for slide in show.slides:
        for run in slide.element.iter(qn("a:rPr")):
            assert int(run.get("sz")) >= 1800
            assert run.get("lang") == tag
            assert run.find(qn("a:ea")).get("typeface") == CHINESE


def check_places(show):
    """Check that shapes are inside their slide, tables do not overlap, and columns are as wide as their frame."""
    for slide in show.slides:
        tables_on_slide = []
        for shape in slide.shapes:
            assert shape.left >= 0
            assert shape.top >= 0
            assert shape.left + shape.width <= show.slide_width
            assert shape.top + shape.height <= show.slide_height
            if shape.has_table:
                columns = sum(int(column.get("w")) for column in shape.element.iter(qn("a:gridCol")))
                assert abs(columns - shape.width) < Pt(2)
                tables_on_slide.append((shape.left, shape.left + shape.width))
        assert all(right <= left for (_, right), (left, _) in pairwise(tables_on_slide))


@pytest.mark.parametrize(("name", "language"), in_turn(EVERY, LANGUAGES))
def test_every_number_of_every_example_is_on_the_slides(name, language):
    computed = trace(EVERY[name])
    show, shown = check_slides(computed, language)
    assert {cell[:2] for cell in shown} >= {cell[:2] for cell in cells(computed)}, (
        "a matrix of every step and head"
    )
    assert (show.slide_width, show.slide_height) == (12191695, 6858000)  # 16:9


@tries(3)
@given(examples(claims=False))
def test_generated_examples(example):
    check_slides(trace(example), "zh", 3)


@pytest.mark.parametrize("sizes", [(8, 8, 4), (32, 12, 2)])
def test_a_large_matrix_is_cut_to_what_fits(sizes):
    show, shown = check_slides(trace(sized(*sizes)), "en")
    assert any(GAP in row for _, rows, _ in tables(show) for row in rows)
    assert Cell("weights", 0, sizes[0] - 1, sizes[0] - 1) in shown


def test_a_slide_a_step_with_its_sentence_formula_arithmetic_and_notes():
    computed = trace(built_in("first"))
    show = opened(as_slides(computed))
    stages = walk(computed)
    assert len(show.slides) == 1 + sum(max(1, len(stage.steps)) for stage in stages)
    scores = show.slides[6]
    assert scores.shapes.title.text == "6. Scores · head 1"
    texts = [shape.text_frame.text for shape in scores.shapes if shape.has_text_frame]
    assert "S = Q·Kᵀ" in texts
    assert "S[1, 1] = 1·3 + 2·1 = 5" in texts
    words = stages[5].words
    assert words.what.translated("en") in texts
    notes = scores.notes_slide.notes_text_frame.text
    assert words.note.translated("en") in notes
    assert words.why.translated("en") in notes
    assert "S[1, 1] = 1·3 + 2·1 = 5" in notes


def test_the_speaker_s_notes_begin_with_the_lecturer_s_own():
    step = LectureStep(
        "scores", note="Two arrows on the board.", question="Which pair fits?", choices=("<b>1</b>", "")
    )
    lecture = Lecture(steps=(LectureStep("tokens", hidden=True), step))
    show = opened(as_slides(trace(replace(built_in("first"), lecture=lecture))))
    titles = [slide.shapes.title.text for slide in show.slides]
    scores = next(slide for slide in show.slides if ". Scores" in slide.shapes.title.text)
    assert titles[1].startswith("1. ")
    assert "Tokens" not in titles[1]
    assert scores.notes_slide.notes_text_frame.text.startswith(
        "Two arrows on the board.\n\nWhich pair fits?\n\nA · <b>1</b>\nB\n\n"
    )


def test_formulas_have_subscripts_and_superscripts():
    show = opened(as_slides(trace(built_in("water"))))
    runs = [run for slide in show.slides for run in slide.element.iter(qn("a:r"))]
    low = {run.find(qn("a:t")).text for run in runs if run.find(qn("a:rPr")).get("baseline") == "-25000"}
    high = [run for run in runs if run.find(qn("a:rPr")).get("baseline") == "30000"]
    assert {"Q", "K", "V", "k"} <= low
    assert high


def test_a_weight_s_background_shows_its_size():
    computed = trace(built_in("translation"))
    weights = computed.matrix("weights", 0)
    shape = next(shape for name, _, shape in tables(opened(as_slides(computed))) if name == "weights|0")
    for i, row in enumerate(weights):
        for j, share in enumerate(row):
            painted = str(shape.table.cell(i + 1, j + 1).fill.fore_color.rgb)
            assert painted == between(LIGHT.background, LIGHT.weight, share)[1:].upper()


@pytest.mark.parametrize("heads", [1, 3, pytest.param(16, marks=pytest.mark.long)])
def test_wide_numbers_and_long_labels_fit(heads):
    numbers = [[-1.2345678e10] * 5] * 5
    data = {
        "format": "mha-example/1",
        "tokens": [f"{at} a token that is long" for at in range(5)],
        "x": numbers,
        "heads": [dict.fromkeys(("w_q", "w_k", "w_v"), numbers)] * heads,
        "scale": 1e12,
        "w_o": [[-1.2345678e10] * 5] * 5 * heads,
        "b_o": [-1.2345678e10] * 5,
    }
    check_slides(trace(parse(json.dumps(data))), "en")


LONGEST = 1_000
"""Characters of a title that the format takes."""
HOSTILE = [
    NASTY,
    "\x00\x01\x0b\x1b\x7f\x85\ufffe\uffff",
    "a" * LONGEST,
    "长" * LONGEST,
    "\u202e\u200f\u0301" * 300,
    "]]><a:t>&amp;</a:t>",
    "W_Q e^(1) _x0041_ \n\t= 1+1",
    " ",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_visitor_wrote_is_plain_text(text):
    data = {
        "format": "mha-example/1",
        "title": text,
        "note": text,
        "source": text,
        "tokens": [text, text],
        "x": [[1], [2]],
        "heads": [{"w_q": [[1]], "w_k": [[1]], "w_v": [[1]]}],
    }
    show, _ = check_slides(trace(parse(json.dumps(data))), "en")
    (token_rows,) = [rows for name, rows, _ in tables(show) if name == "tokens"]
    assert token_rows == [[shortened(text, 12)] * 2]
    first = show.slides[0]
    baselines = {run.get("baseline") for run in first.element.iter(qn("a:rPr"))}
    assert baselines <= {"0"}
    assert all(width(run.text) < 400 for shape in first.shapes for run in runs_of(shape))


def runs_of(shape):
    return chain.from_iterable(paragraph.runs for paragraph in shape.text_frame.paragraphs)


def test_long_texts_are_cut():
    assert shortened("attention", 9) == "attention"
    assert shortened("attention", 6) == "atten…"
    assert shortened("注意力机制", 5) == "注意…"
    assert plain("a\n b\x00c") == "a b�c"
    assert kept(9, 4) == [0, 1, None, 8]
    assert kept(9, 2) == [0, None]
    assert kept(4, 4) == [0, 1, 2, 3]


# --- without python-pptx, and on the command line ------------------------------------------------------------------


def test_without_the_package_one_sentence_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pptx", None)
    with pytest.raises(ExportError, match=r"python-pptx: pip install -r requirements-slides\.txt"):
        as_slides(trace(built_in("first")))


def run(*arguments):
    return main(arguments, prog="mha", add_commands=_add)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_command_line_writes_slides_and_the_other_forms(capfdbinary, monkeypatch, language):
    monkeypatch.setenv("LANGUAGE", language)
    assert run("walk", "first", "--to", "slides", "--decimals", "2") == 0
    show = opened(capfdbinary.readouterr().out)
    computed = trace(built_in("first"))
    for name, rows, _ in tables(show):
        if name == "weights|1":
            assert list(compare(computed, name, rows, 2))
    check_type(show, LANGUAGE[language].tag)
    assert run("walk", "first", "--to", "page") == 0
    assert f'<html lang="{LANGUAGE[language].tag}">' in capfdbinary.readouterr().out.decode()
    assert run("walk", "first", "--to", "markdown") == 0
    assert capfdbinary.readouterr().out.startswith(b"# ")


def test_slides_are_not_written_to_a_terminal(capfd, monkeypatch):
    monkeypatch.setenv("LANGUAGE", "en")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert run("walk", "first", "--to", "slides") == 3
    output = capfd.readouterr()
    assert output.out == ""
    assert output.err == (
        "standard output: cannot write: it is a terminal, and the output is not text; write it to a file with > FILE\n"
    )


def test_a_wrong_number_of_decimals_is_refused(capfd, monkeypatch):
    monkeypatch.setenv("LANGUAGE", "en")
    assert run("walk", "first", "--to", "slides", "--decimals", "99") == 2
    assert capfd.readouterr().err == "expected 0 to 15 decimals, got 99\n"
