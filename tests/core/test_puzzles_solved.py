"""The built-in puzzles: each begins unsolved, its solution is the smallest that is found, and its words are true."""

import re
from collections import Counter
from itertools import chain
from math import exp, isclose

import pytest

from mha_core import CellError, parse, pretty, trace
from mha_core.edit.edit import read_edit
from mha_core.edit.edits import apply
from mha_core.example.model import text_in
from mha_core.example.puzzle import STAGES
from mha_core.example.puzzle_library import FOLDER, built_in_puzzle
from mha_core.messages import LANGUAGES
from mha_core.puzzle import after_solution, built_in_puzzles, changes, differing, fewest, in_language, solved
from mha_core.vocabulary import PER_HEAD_STEPS, SYMBOLS
from tests.sizes import each
from tools.catalogue import chinese_faults, english_faults

PUZZLES = built_in_puzzles()


def after(example, edits):
    for edit in edits:
        example = apply(example, edit)
    return example


end = after_solution


def texts(example, language):
    return [text_in(text, language) for text in (example.title, example.note, *example.puzzle.hints)]


# --- all of them -----------------------------------------------------------------------------------------------


def test_the_stages_come_in_the_order_that_teaches():
    stages = [example.puzzle.stage for example in PUZZLES.values()]
    assert list(dict.fromkeys(stages)) == list(STAGES)
    assert stages == sorted(stages, key=STAGES.index)
    assert min(Counter(stages).values()) >= 2


@each("key, example", PUZZLES.items())
def test_a_file_is_named_by_its_key_and_laid_out_as_we_write_it(key, example):
    (file,) = FOLDER.glob(f"*_{key}.mha.json")
    assert example.puzzle.key == key
    assert file.read_text("utf-8") == pretty(example)
    assert built_in_puzzle(key) == parse(file.read_bytes())


def test_there_is_no_other_puzzle():
    with pytest.raises(CellError, match=r"^there is no puzzle named 'it'; the puzzles are: book, bank, "):
        built_in_puzzle("it")


@each("example", PUZZLES.values())
def test_the_numbers_can_be_followed_by_hand(example):
    dims = example.dims
    assert 2 <= dims.n_q <= 6
    assert dims.h <= 3
    assert dims.d_k == 0 or 2 <= dims.d_k <= 4
    assert all(head.weights for head in example.heads) == (dims.d_k == 0)


# --- solutions -------------------------------------------------------------------------------------------------


@each("start", PUZZLES.values())
def test_a_puzzle_begins_unsolved_and_its_solution_solves_it_by_what_may_be_changed(start):
    assert not solved(trace(start))
    assert solved(trace(end(start)))
    assert differing(start, end(start)).keys() <= set(start.puzzle.change)


@each("start", PUZZLES.values())
def test_the_solver_finds_a_solution_and_none_with_fewer_changes(start):
    found = after(start, map(read_edit, fewest(start)))
    assert solved(trace(found))
    assert differing(start, found).keys() <= set(start.puzzle.change)
    assert changes(start, end(start)) == changes(start, found)


@each("start", PUZZLES.values())
def test_no_single_number_solves_a_puzzle_of_several_changes(start):
    """One after the other, apart from the solver, which computes them all at once."""
    if changes(start, end(start)) > 1:
        assert not any(solved(trace(apply(start, read_edit(edit)))) for edit in single_changes(start))


def single_changes(start):
    """Each number of what may be changed as each whole number from −12 to 12; each pair of a mask hidden."""
    (name,) = start.puzzle.change
    rows, cols = start.dims.shape(name)
    values = [False] if name == "mask" else range(-12, 13)
    for head in range(start.dims.h) if name.startswith("w_") else [None]:
        for row in range(rows):
            for col in range(cols):
                for value in values:
                    place = {"matrix": name, "head": head, "row": row, "col": col}
                    yield {"op": "set", **place, "values": [[value]]}


# --- words -----------------------------------------------------------------------------------------------------


@each("example", PUZZLES.values())
def test_both_languages_are_complete_and_written_by_our_rules(example):
    puzzle = example.puzzle
    assert len(puzzle.hints) == 3
    for text in (example.title, example.note, *puzzle.hints):
        assert text.keys() == set(LANGUAGES)
    assert in_language(example, "zh").tokens == puzzle.tokens["zh"] != example.tokens
    for english, chinese in zip(texts(example, "en"), texts(example, "zh"), strict=True):
        assert english_faults(english) == []
        assert chinese_faults(chinese) == []
    for language in LANGUAGES:
        assert len(re.findall(r"[.?!](?=\s|$)|[。？！]", text_in(example.note, language))) <= 2


@each("example", PUZZLES.values())
def test_both_languages_name_the_same_numbers(example):
    for english, chinese in zip(texts(example, "en"), texts(example, "zh"), strict=True):
        assert sorted(numbers_in(english)) == sorted(numbers_in(chinese)), english


@each("example, language", [(example, language) for example in PUZZLES.values() for language in LANGUAGES])
def test_a_quoted_word_is_a_token(example, language):
    quoted = re.findall("“(.*?)”", " ".join(texts(example, language)[1:]))
    assert {word.lower() for word in quoted} <= {
        token.lower() for token in in_language(example, language).tokens
    }


@each("example", PUZZLES.values())
def test_a_decimal_in_a_text_is_a_number_of_the_start_or_of_the_solution(example):
    """Or e to such a number; rounded as the text has it."""
    known = [number for one in (example, end(example)) for number in all_numbers(one)]
    known += [goal.number for goal in example.puzzle.goals] + [exp(number) for number in known if number < 9]
    for text in texts(example, "en"):
        for number in numbers_in(text):
            if "." in number:
                digits = len(number.partition(".")[2])
                assert any(f"{one:.{digits}f}" == number for one in known), f"{number}: {text}"


def numbers_in(text):
    return [number.replace("−", "-") for number in re.findall(r"−?\d+(?:\.\d+)?", text)]


def all_numbers(example):
    """Every number of the trace, and every input that a solution sets."""
    for name, value in trace(example).values.items():
        for rows in value if name in PER_HEAD_STEPS else [value]:
            yield from chain.from_iterable(rows or ())
    yield from (edit["values"][0][0] for edit in example.puzzle.solution if edit["op"] == "set")


CHANGE = {
    "en": re.compile(
        r"[Cc]hange row (?P<row>\d+), column (?P<col>\d+) of (?:head (?P<head>\d+)'s |the )?"
        r"(?P<matrix>\S+) from (?P<before>\S+) to (?P<now>[−\d.]*\d)"
    ),
    "zh": re.compile(
        r"把(?: ?第 (?P<head>\d+) 个头)? ?(?P<matrix>\S+?) ?第 (?P<row>\d+) 行第 (?P<col>\d+) 列的 "
        r"(?P<before>\S+) 改成 (?P<now>[−\d.]*\d)"
    ),
}
"""How a last hint names a change of a cell."""
VALUE = {"en": "to {value:g}.", "zh": "设为 {value:g}。"}
"""How it names the new value where there is only one such number."""
HIDDEN = {"en": "ow {row}, column {col}", "zh": "第 {row} 行第 {col} 列"}
"""How it names a pair to mask."""


@each("start, language", [(start, language) for start in PUZZLES.values() for language in LANGUAGES])
def test_the_last_hint_is_the_solution(start, language):
    hint = text_in(start.puzzle.hints[-1], language)
    said = {
        (
            found["matrix"].replace("掩码", "mask"),
            *map(as_number, found.group("head", "row", "col", "before", "now")),
        )
        for found in CHANGE[language].finditer(hint)
    }
    cells = set()
    for data in start.puzzle.solution:
        if data["op"] == "scale" or data.get("matrix") in ("slope", "frequencies"):
            value = data["value"] if data["op"] == "scale" else data["values"][0][0]
            assert VALUE[language].format(value=value) in hint
        elif data["op"] == "set" and data["values"][0][0] is False:
            assert HIDDEN[language].format(row=data["row"] + 1, col=data["col"] + 1) in hint
        elif data["op"] == "set":
            cells.add(cell_change(start, **data))
    assert said == cells


def cell_change(start, matrix, row, col, values, head=None, **_):
    """What a hint says of an edit: the matrix, head, row, column, the number before and after."""
    before = trace(start).matrix(matrix, head)[row][col]
    symbol = "mask" if matrix == "mask" else SYMBOLS[matrix]
    return symbol, None if head is None else head + 1, row + 1, col + 1, before, values[0][0]


def as_number(text):
    return text and float(text.replace("−", "-"))


def test_the_hint_on_the_future_names_the_pairs_that_the_causal_mask_hides():
    *_, hint = PUZZLES["future"].puzzle.hints
    for language in LANGUAGES:
        named = [
            (i, j)
            for i in range(3)
            for j in range(3)
            if HIDDEN[language].format(row=i + 1, col=j + 1) in text_in(hint, language)
        ]
        assert named == [(0, 1), (0, 2), (1, 2)]


# --- by hand ---------------------------------------------------------------------------------------------------


def test_it_looks_at_book_by_hand():
    """Q[it] = 2·(1, 2) = (2, 4); its scores are 4, 0, 2, 8, 0, 4, divided by √2."""
    scores = [score / 2**0.5 for score in (4, 0, 2, 8, 0, 4)]
    by_hand = exp(scores[3]) / sum(map(exp, scores))
    assert isclose(trace(end(PUZZLES["book"])).values["weights"][0][4][3], by_hand)


def test_the_divisor_by_hand():
    """4.16 ÷ 2 = 2.08, and e^2.08 = 8.004…, so the weights are 8.004 : 1 : 1."""
    weights = trace(end(PUZZLES["divisor"])).values["weights"][0][0]
    assert isclose(weights[0], exp(2.08) / (exp(2.08) + 2))
    assert [round(weight, 2) for weight in weights] == [0.8, 0.1, 0.1]


def test_a_slope_by_hand():
    """Distances 3, 2, 1, 0 with slope 1: e^−3, e^−2, e^−1, 1."""
    powers = [exp(-distance) for distance in (3, 2, 1, 0)]
    weights = trace(end(PUZZLES["near"])).values["weights"][0][3]
    assert all(isclose(weight, power / sum(powers)) for weight, power in zip(weights, powers, strict=True))
