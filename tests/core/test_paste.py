"""A matrix from pasted text of any notation."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core.edit.paste import MAX_TEXT, read_matrices
from mha_core.errors import ExampleError
from mha_core.messages import in_words
from tests.sizes import tries

TWO = (("1", "2"), ("3", "4"))

ONE_MATRIX = {
    "spreadsheet": "1\t2\n3\t4\n",
    "spreadsheet, other line ends": "1\t2\r\n3\t4\r\n",
    "CSV": "1,2\n3,4",
    "CSV, spaced": "1, 2\n3, 4\n",
    "CSV, quoted": '"1","2"\n"3","4"',
    "CSV with a heading and labels": "token,k1,k2\n思考,1,2\n程序,3,4",
    "semicolons": "1;2\n3;4",
    "spaces": " 1  2\n 3  4 ",
    "lists": "[[1, 2], [3, 4]]",
    "lists with a name": "W = [[1, 2],\n     [3, 4]]",
    "lists with a comma at the end": "[[1, 2], [3, 4],]",
    "tuples": "((1, 2), (3, 4))",
    "tuples in a list": "[(1, 2), (3, 4)]",
    "braces": "{{1, 2}, {3, 4}}",
    "a row in each line": "[1, 2]\n[3, 4]",
    "MATLAB": "[1 2; 3 4]",
    "SymPy": "Matrix([[1, 2], [3, 4]])",
    "bmatrix": r"K = \begin{bmatrix}1 & 2 \\ 3 & 4\end{bmatrix}",
    "pmatrix in a formula": r"$$\begin{pmatrix} 1&2\\[2pt] 3&4 \\ \end{pmatrix}$$",
    "bmatrix*": r"\begin{bmatrix*}1 & 2 \\ 3 & 4\end{bmatrix*}",
    "array": r"\begin{array}{c|c} 1 & 2 \\ \hline 3 & \mathbf{4} \end{array}",
    "Markdown": "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |",
    "Markdown with labels": "|    | k1 | k2 |\n|---:|---|---|\n| q1 | **1** | `2` |\n| q2 | $3$ | 4 |",
    "Markdown, no edges": "1|2\n3|4",
    "a ruled table": "+---+---+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+",
    "full width": "１，２\n３，４",
    "full-width brackets": "［［１，２］，［３，４］］",
    "a call": "torch.tensor([[1, 2],\n              [3, 4]], dtype=torch.float64, device='cuda:0')",
}


@pytest.mark.parametrize("text", ONE_MATRIX.values(), ids=ONE_MATRIX)
def test_one_matrix(text):
    assert read_matrices(text) == [TWO]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("[[1.  2. ]\n [3.5 4. ]]", (("1.", "2."), ("3.5", "4."))),
        ("array([[1.00e+00, 2.5e-3],\n       [0., 4.]])", (("1.00e+00", "2.5e-3"), ("0.", "4."))),
        ("tensor([[0.2689, 0.7311],\n        [0.1192, 0.8808]], grad_fn=<SoftmaxBackward0>)",
         (("0.2689", "0.7311"), ("0.1192", "0.8808"))),
        ("0.50\t1\n-2\t+3.0", (("0.50", "1"), ("-2", "+3.0"))),
        ("−1 –2\n‒3 -4", (("-1", "-2"), ("-3", "-4"))),
        ("1,5\t2\n3\t4,25", (("1.5", "2"), ("3", "4.25"))),
        ("1,5;2\n3;-4,25", (("1.5", "2"), ("3", "-4.25"))),
        ("1,5 2,5\n3,0 4", (("1.5", "2.5"), ("3.0", "4"))),
        (r"\begin{matrix}-\infty & 0\\ 1 & −2\end{matrix}", (("-inf", "0"), ("1", "-2"))),
        ("0 -inf\n−∞ 1", (("0", "-inf"), ("-inf", "1"))),
        ("[1, 2, 3]", (("1", "2", "3"),)),
        ("[1; 2; 3]", (("1",), ("2",), ("3",))),
        ("7", (("7",),)),
        (".5 1e-3", ((".5", "1e-3"),)),
    ],
)  # fmt: skip
def test_digits_are_kept_as_printed(text, rows):
    assert read_matrices(text) == [rows]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("\t2\n3\t", ((None, "2"), ("3", None))),
        ("1\t2\n\t\n5\t6", (("1", "2"), (None, None), ("5", "6"))),
        ("1 ? 3\n4 - …", (("1", None, "3"), ("4", None, None))),
        ("1,2,\n3,4,", TWO),
        ("1,,3\n,5,", (("1", None, "3"), (None, "5", None))),
        ("| 1 | |\n| - | 4 |", (("1", None), (None, "4"))),
        ("[[1, ...], [None, nan]]", (("1", None), (None, None))),
        (r"\begin{bmatrix}1 & \\ ? & 4\end{bmatrix}", (("1", None), (None, "4"))),
    ],
)
def test_blanks_are_cells_that_were_not_given(text, rows):
    assert read_matrices(text) == [rows]


@pytest.mark.parametrize(
    "text",
    [
        "[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]",
        "Q1 = [[1, 2], [3, 4]]\nQ2 = [[5, 6], [7, 8]]",
        "tensor([[[1, 2],\n         [3, 4]],\n\n        [[5, 6],\n         [7, 8]]], device='cuda:0')",
        "[tensor([[1, 2], [3, 4]]), tensor([[5, 6], [7, 8]])]",
        r"\begin{bmatrix}1&2\\3&4\end{bmatrix} and \begin{bmatrix}5&6\\7&8\end{bmatrix}",
        "[1 2; 3 4]\n[5 6; 7 8]",
        "1 2\n3 4\n\n5 6\n7 8",
        "| 1 | 2 |\n| 3 | 4 |\n\n| 5 | 6 |\n| 7 | 8 |",
    ],
)
def test_several_matrices_are_one_for_each_head(text):
    assert read_matrices(text) == [TWO, (("5", "6"), ("7", "8"))]


def test_lines_far_apart_are_one_matrix():
    assert read_matrices("1 2\n\n3 4") == [TWO]


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("", "this text contains no numbers"),
        ("hello", "this text contains no numbers"),
        ("a b\nc d", "this text contains no numbers"),
        ("[[]]", "this text contains no numbers"),
        ("- ? …", "this text contains no numbers"),
        ("1 x", "row 1, column 2: “x” is not a number"),
        ("1 2\n3 4/5", "row 2, column 2: “4/5” is a fraction; write it as a decimal, such as 0.5"),
        ("1/2 3", "row 1, column 1: “1/2” is a fraction; write it as a decimal, such as 0.5"),
        ("inf 1", "row 1, column 1: “inf” is not a number"),
        ("1 <b>", "row 1, column 2: “<b>” is not a number"),
        ("1 " + "y" * 41, f"row 1, column 2: “{'y' * 20}…” (41 characters) is not a number"),
        ("1 2\n3", "row 2 has 1 cell, the longest row has 2"),
        ("[[1, 2], [3]]", "row 2 has 1 cell, the longest row has 2"),
        ("[[1, 2]", "there is an opening bracket without a closing one"),
        ("1, 2]]", "there is a closing bracket without an opening one"),
        ("[[[[1]]]]", "the brackets are nested too deeply"),
        ("1 " * (MAX_TEXT // 2) + "1", "the text is longer than 200000 characters"),
        ("1 " * 65537, "there are more than 65536 cells"),
        (r"\begin{bmatrix}\frac{1}{2}&1\end{bmatrix}", "row 1, column 1: “\\frac12” is not a number"),
    ],
    ids=lambda value: repr(value[:20]) if value else "",
)  # fmt: skip
def test_a_text_that_is_not_a_matrix_is_refused(text, english):
    with pytest.raises(ExampleError) as error:
        read_matrices(text)
    assert str(error.value) == english
    assert in_words(error.value, "zh") != english


SNIPPETS = ["[", "]", "(", ")", "{", "}", ",", ";", "|", "-", "\t", "\n", " ", "1", "2.5", "-inf", "nan", "e", "x",
    "&", r"\\", r"\begin{bmatrix}", r"\end{bmatrix}", r"\hline", "tensor(", "１", "，", "∞", "−", "\r", "\0", "<b>",
    '"', "%s"]  # fmt: skip


@tries(30)
@given(st.lists(st.sampled_from(SNIPPETS), max_size=40).map("".join) | st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        found = read_matrices(text)
    except ExampleError:
        return
    for rows in found:
        assert len({len(row) for row in rows}) == 1
        assert all(cell is None or float(cell) < float("inf") for row in rows for cell in row)
    assert any(cell is not None for rows in found for row in rows for cell in row)


@pytest.mark.parametrize(
    "piece",
    [r"\begin{matrix}", r"\begin{array}{", "-", "- ", "|-", "[", "]", "(", "a(", "a" * 50,
     "1;", ",", "\n", "\n \n", "\\", "{", "=-+:"],
)  # fmt: skip
def test_no_text_takes_long(piece):
    text = (piece * (MAX_TEXT // len(piece)))[: MAX_TEXT - 1] + "x"
    begin = process_time()
    with pytest.raises(ExampleError):
        read_matrices(text)
    assert process_time() - begin < 3


@tries(6)
@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(
                st.sampled_from(["0", "-1.50", "2e-3", "+.5", "-inf", "12"]), min_size=width, max_size=width
            ),
            min_size=1,
            max_size=4,
        )
    )
)
def test_every_notation_reads_back_what_was_written(rows):
    expected = [tuple(map(tuple, rows))]
    latex = r" \\ ".join(" & ".join(row) for row in rows)
    rule = "|" + "---|" * len(rows[0])
    for text in (
        "\n".join("\t".join(row) for row in rows),
        "\n".join(",".join(row) for row in rows),
        "\n".join(" ".join(row) for row in rows),
        "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]",
        r"\begin{bmatrix}" + latex + r"\end{bmatrix}",
        "\n".join(["|" + "x|" * len(rows[0]), rule, *("| " + " | ".join(row) + " |" for row in rows)]),
    ):
        assert read_matrices(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\t1e400", "row 1, column 2: “1e400” is too large"),
        ("1\t1/3", "row 1, column 2: “1/3” is a fraction; write it as a decimal, such as 0.5"),
        ("1\t½", "row 1, column 2: “1⁄2” is a fraction; write it as a decimal, such as 0.5"),
        ("1\t1,2,3", "row 1, column 2: “1,2,3” is not a number"),
    ],
)
def test_an_error_names_the_kind_of_a_wrong_cell(text, message):
    with pytest.raises(ExampleError, match=message):
        read_matrices(text)


def test_full_width_digits_and_the_real_minus_sign_are_read():
    assert read_matrices("１２\t−３．５") == [(("12", "-3.5"),)]
