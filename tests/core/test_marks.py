"""Marks: out of what was asked, with follow-through, by a scheme; as CSV, and into the gradebook of a course."""

import csv
import io
import json
from dataclasses import replace

import pytest

from mha_core import built_in, dump, from_token, parse, to_token, trace, validate
from mha_core.check.check import check
from mha_core.errors import ExampleError, ReadError
from mha_core.example.attempt import Attempt
from mha_core.exercise.hints import exercise_cells, hints
from mha_core.exercise.judged import judged
from mha_core.marks.gradebook import fill, read_gradebook
from mha_core.marks.marks import Tally, marked, paper, total
from mha_core.marks.overview import questions
from mha_core.marks.scheme import Scheme, points_of
from mha_core.marks.table import COLUMNS, as_csv
from tests.sizes import each

ASKED = ("weights", "head_outputs")


def rounded(matrix):
    return [[f"{cell:.2f}" for cell in row] for row in matrix]


def handed_in(student="", *, weights=None, outputs=None, attempt=None, source="first"):
    """A file of an exercise: 18 weights and 12 numbers of head outputs, all right unless others are given."""
    example = built_in(source)
    values = trace(example).values
    claims = {
        "weights": weights or [rounded(matrix) for matrix in values["weights"]],
        "head_outputs": outputs or [rounded(matrix) for matrix in values["head_outputs"]],
    }
    claimed = {name: tuple(m and tuple(map(tuple, m)) for m in given) for name, given in claims.items()}
    attempt = attempt or Attempt(student)
    return validate(replace(example, claimed=claimed, asked=ASKED, attempt=attempt))


def wrong_weight():
    """Head 1's first row of weights is wrong, and its head output is right from that; all of head 2 is right."""
    values = trace(built_in("first")).values
    weights = [rounded(matrix) for matrix in values["weights"]]
    weights[0][0] = ["0.20", "0.30", "0.50"]
    v = values["v"][0]
    outputs = [rounded(matrix) for matrix in values["head_outputs"]]
    followed = [sum(a * row[j] for a, row in zip((0.2, 0.3, 0.5), v, strict=True)) for j in range(len(v[0]))]
    outputs[0][0] = [f"{number:.2f}" for number in followed]
    return {"weights": weights, "outputs": outputs}


def of(example, file="a.mha.json"):
    return paper(file, check(example))


# --- the file ----------------------------------------------------------------------------------------------------


def test_a_file_holds_the_seed_the_hints_and_the_student():
    attempt = Attempt("Ada Lovelace", 17, (3, 5), {0: 2, 7: 1})
    example = handed_in(attempt=attempt)
    assert parse(dump(example)).attempt == attempt


def test_no_link_names_the_student():
    assert from_token(to_token(handed_in("Ada"))).attempt is None


@each(
    "attempt",
    [[], {"seed": -1}, {"seed": "x"}, {"hints": [[1]]}, {"missed": [True]}, {"student": "x" * 201}, {"n": 1}],
)
def test_a_malformed_attempt_is_refused_with_its_place(attempt):
    data = json.loads(dump(built_in("first"))) | {"attempt": attempt}
    with pytest.raises(ExampleError, match="attempt"):
        parse(json.dumps(data))


# --- the mark ----------------------------------------------------------------------------------------------------


def test_the_denominator_is_what_was_asked():
    values = trace(built_in("first")).values
    only = [rounded(values["weights"][0]), None]
    found = of(handed_in(weights=only, outputs=[None, None]))
    assert found.total == Tally(asked=30, right=9, blank=21)
    assert total(marked(found, Scheme()), Scheme()) == (9, 30)


def test_nothing_filled_in_is_0_of_what_was_asked():
    found = of(replace(handed_in(), claimed=None))
    assert (found.total.asked, found.total.blank) == (30, 30)


def test_what_follows_from_an_own_error_counts_as_the_teacher_sets():
    found = of(handed_in(**wrong_weight()))
    assert found.steps == {
        "weights": Tally(18, right=15, wrong=3),
        "head_outputs": Tally(12, right=10, follows=2),
    }
    for share, mark in ((1.0, 27), (0.5, 26), (0.0, 25)):
        scheme = Scheme(follows=share)
        assert total(marked(found, scheme), scheme) == (mark, 30)


def test_a_step_has_the_points_that_the_teacher_gives_it():
    scheme = Scheme({"weights": 6.0}, out_of=9.0)
    mark = marked(of(handed_in(**wrong_weight())), scheme)
    assert mark == {"weights": (5, 6), "head_outputs": (12, 12)}
    assert tuple(total(mark, scheme)) == pytest.approx((17 * 9 / 18, 9))


def test_a_number_whose_answer_was_shown_does_not_count_unless_the_teacher_says_so():
    example = handed_in()
    cell = exercise_cells(example, ASKED)[4]
    every = len(hints(judged(example), cell, "en"))
    found = of(replace(example, attempt=Attempt(hints={4: every, 5: 1})))
    assert (found.total.shown, found.hints) == (1, every + 1)
    assert total(marked(found, Scheme()), Scheme()).points == 29
    assert total(marked(found, Scheme(shown=1.0)), Scheme(shown=1.0)).points == 30


def test_a_file_that_does_not_say_what_was_asked_is_marked_on_what_was_begun():
    found = of(replace(handed_in(), asked=None, attempt=None))
    assert found.total == Tally(30, right=30)


@each("text", ["scores", "scores=x", "scores=-1", "x=1", "scores=inf", "scores=nan"])
def test_points_that_make_no_sense_are_refused(text):
    with pytest.raises(ExampleError, match="scores=4"):
        points_of(text)


# --- the class ---------------------------------------------------------------------------------------------------


def a_class():
    return [
        of(handed_in("Ada Lovelace"), "1.mha.json"),
        of(handed_in("2002", **wrong_weight()), "2.mha.json"),
        of(handed_in(attempt=Attempt("", 17, hints={0: 1})), "bob@uni.edu.mha.json"),
        paper("broken.mha.json", ExampleError("this is not JSON")),
    ]


def test_marks_as_csv_have_a_line_for_each_file_and_nothing_else():
    rows = list(csv.DictReader(io.StringIO(as_csv(a_class(), Scheme()))))
    columns = (
        "student",
        "file",
        "mark",
        "max",
        "weights_mark",
        "head_outputs_max",
        "first_wrong",
        "seed",
        "status",
    )
    assert tuple(rows[0])[: len(COLUMNS)] == COLUMNS
    assert [[row[name] for name in columns] for row in rows] == [
        ["Ada Lovelace", "1.mha.json", "30", "30", "18", "12", "", "", "ok"],
        ["2002", "2.mha.json", "27", "30", "15", "12", "weights", "", "ok"],
        ["", "bob@uni.edu.mha.json", "30", "30", "18", "12", "", "17", "ok"],
        ["", "broken.mha.json", "", "", "", "", "", "", "unreadable"],
    ]


def test_a_students_name_is_no_formula():
    assert "\n'=1+1,a.mha.json" in as_csv([of(handed_in("=1+1"))], Scheme())


def test_the_class_by_question_says_where_it_went_wrong_first():
    found = {question.key: question for question in questions(a_class())}
    assert list(found) == [("weights", 0), ("weights", 1), ("head_outputs", 0), ("head_outputs", 1)]
    assert [question.first for question in found.values()] == [1, 0, 0, 0]
    assert found["weights", 0].share == pytest.approx(24 / 27)
    assert found["head_outputs", 0].share == 1


# --- the gradebook -----------------------------------------------------------------------------------------------

MOODLE = (
    "\ufeffFirst name,Last name,ID number,Email address,Assignment: Heads (Real),Course total (Real)\r\n"
    "Ada,Lovelace,1001,ada@uni.edu,-,12.5\r\n"
    '"Grace ""Amazing""",Hopper,2002,grace@uni.edu,-,-\r\n'
    "Bob,Bee,3003,bob@uni.edu,4,-\r\n"
    "Zed,Zed,4004,zed@uni.edu,-,-\r\n"
)
CANVAS = (
    "Student,ID,SIS Login ID,Section,Heads (41),Current Score\n"
    "    Points Possible,,,,30.00,(read only)\n"
    '"Lovelace, Ada",1,alove,A,,\n'
    '"Hopper, Grace",2,2002,A,,\n'
    '"Bee, Bob",3,bob@uni.edu,A,,88\n'
    '"Student, Test",99,x,A,,\n'
)


def test_the_column_of_a_moodle_gradebook_is_filled_and_all_else_stays():
    book = read_gradebook(MOODLE.encode())
    assert book.columns == ["Assignment: Heads (Real)"]
    filled = fill(book, book.columns[0], a_class(), Scheme())
    expected = MOODLE.replace("ada@uni.edu,-", "ada@uni.edu,30").replace(
        "grace@uni.edu,-", "grace@uni.edu,27"
    )
    assert filled.text == expected.replace("bob@uni.edu,4", "bob@uni.edu,30")
    assert (filled.filled, filled.unmatched, filled.unclear, filled.without) == (3, (), (), 1)


def test_the_column_of_a_canvas_gradebook_is_filled():
    book = read_gradebook(CANVAS.encode())
    assert book.columns == ["Heads (41)"]
    rows = list(csv.reader(io.StringIO(fill(book, "Heads (41)", a_class(), Scheme()).text)))
    assert [row[4] for row in rows] == ["Heads (41)", "30.00", "30", "27", "30", ""]


def test_a_new_column_is_added_at_the_end():
    text = fill(read_gradebook(CANVAS.encode()), "New", a_class(), Scheme()).text
    assert [row[-1] for row in csv.reader(io.StringIO(text))] == ["New", "", "30", "27", "30", ""]


def test_a_chinese_gradebook_with_semicolons_and_another_encoding():
    text = "姓;名;学号;作业\n王;小明;7;\n李;雷;8;\n"
    papers = [of(handed_in("王小明"), "a.mha.json"), of(handed_in("8"), "b.mha.json")]
    filled = fill(read_gradebook(text.encode("gb18030")), "作业", papers, Scheme())
    assert filled.text == "姓;名;学号;作业\n王;小明;7;30\n李;雷;8;30\n"


def test_files_that_fit_no_row_or_several_are_listed_and_fill_nothing():
    text = "First name,Last name,ID number,Heads\nAda,Lovelace,1,\nAda,Lovelace,2,\nBob,Bee,3,\n"
    papers = [
        of(handed_in(name), f"{at}.mha.json")
        for at, name in enumerate(["ada lovelace", "3", "Bob Bee", "Eve"])
    ]
    filled = fill(read_gradebook(text.encode()), "Heads", papers, Scheme())
    assert (filled.text, filled.filled) == (text, 0)
    assert (filled.unclear, filled.unmatched) == (("0.mha.json", "1.mha.json", "2.mha.json"), ("3.mha.json",))
    assert any("3.mha.json" in sentence for sentence in filled.sentences("en"))


@each("content", [b"", b"a,b\n1,2\n", b"\xff\xff\xff", b"x" * 5_000_001])
def test_what_is_no_gradebook_is_refused(content):
    with pytest.raises(ReadError):
        read_gradebook(content)


# --- the command -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("english")
def test_the_command_marks_files_and_fills_a_gradebook(mha, tmp_path):
    for at, example in enumerate((handed_in("Ada Lovelace"), handed_in("Eve", **wrong_weight()))):
        (tmp_path / f"{at}.mha.json").write_text(dump(example))
    (tmp_path / "grades.csv").write_text(MOODLE, "utf-8", newline="")
    files = [str(tmp_path / f"{at}.mha.json") for at in range(2)]
    status, out, err = mha("marks", *files, "--follow-through", "none", "--points", "weights=6")
    assert (status, err) == (0, "")
    assert [row["mark"] for row in csv.DictReader(io.StringIO(out))] == ["18", "15"]
    book = ["--gradebook", str(tmp_path / "grades.csv")]
    status, out, err = mha("marks", *files, *book, "--column", "Assignment: Heads (Real)")
    assert (status, "ada@uni.edu,30" in out, "1.mha.json" in err) == (0, True, True)
    assert mha("marks", *files, *book)[0] == 2
    assert mha("marks", *files, "no-such-file.mha.json")[0] == 2
