"""What the reader does where it cannot be sure: it says so, and does not accuse the text's numbers."""

from __future__ import annotations

import pytest

from mha_core.read.report import as_json, as_text, read_all, read_article
from tests.reading.test_read import FIRST

RIGHT = FIRST.replace("0 & 9", "0 & 1")


def found_in(text, name="a.md"):
    (one,) = read_article(text, name).examples
    return {found.key[0]: found for found in one.read.found if found.key}


def test_a_matrix_whose_numbers_mostly_do_not_come_out_is_a_guess_without_a_verdict():
    strange = RIGHT.replace("0.06 & 0.94", "3.7 & 8.1").replace("0.33 & 0.67", "5.9 & 6.4")
    article = read_article(strange, "a.md")
    (one,) = article.examples
    assert one.marks == ()
    assert not found_in(strange)["weights"].sure
    assert article.ok is None


def test_the_report_says_that_a_matrix_is_not_judged():
    strange = RIGHT.replace("0.06 & 0.94", "3.7 & 8.1").replace("0.33 & 0.67", "5.9 & 6.4")
    article = read_article(strange, "a.md")
    assert "not judged" in as_text(article)
    assert "Every printed number that could be judged is right." in as_text(article)
    assert "不作判断" in as_text(article, "zh")


def test_scores_that_are_divided_are_scaled_scores():
    text = RIGHT.replace(
        r"Q K^\top = \begin{bmatrix} 1 & 5 \\ 0 & 1", r"S = \begin{bmatrix} 0.71 & 3.54 \\ 0.00 & 0.71"
    )
    assert "scaled_scores" in found_in(text)


@pytest.mark.parametrize(
    "write",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
        lambda text: text.replace("\n\n", "\n   \n"),
    ],
    ids=["returns", "quoted", "blanks"],
)
def test_the_way_lines_are_written_changes_nothing(write):
    (one,) = read_article(FIRST, "a.md").examples
    (again,) = read_article(write(FIRST), "a.md").examples
    assert again.example == one.example
    assert [(mark.printed, mark.line) for mark in again.marks] == [
        (mark.printed, mark.line) for mark in one.marks
    ]


def test_the_corrected_copy_keeps_returns_and_quotation_signs():
    text = "".join(f"> {line}\r\n" for line in FIRST.splitlines())
    assert read_article(text, "a.md").corrected == text.replace("0 & 9", "0 & 1")


def test_the_number_of_an_item_is_no_head():
    text = "Q =\n 1 2\n 3 1\n\nK =\n 1 0\n 0 1\n\nV =\n 1 2\n 3 4\n\n(4) softmax\n 0.33 0.67\n 0.80 0.20\n"
    found = found_in(text, "a.txt")
    assert found["weights"].key == ("weights", 0)


def test_matrices_in_the_cells_of_a_table_belong_to_its_rows_and_columns():
    def row(name, *matrices):
        return (
            f"| ${name}_i$ | "
            + " | ".join(rf"$\begin{{pmatrix}} {one} \end{{pmatrix}}$" for one in matrices)
            + " |\n"
        )

    text = (
        "| | $i=1$ | $i=2$ |\n|--|--|--|\n" + row("Q", r"1 \\ 2", r"3 \\ 4") + row("K", r"1 \\ 0", r"0 \\ 1")
    )
    text += row("V", r"1 \\ 1", r"2 \\ 3")
    (one,) = as_json(read_article(text, "a.md"))["examples"]
    assert [head["q"] for head in one["example"]["heads"]] == [[[1.0], [2.0]], [[3.0], [4.0]]]


def test_results_in_the_comments_of_a_program_are_found():
    text = "q = [[1, 2], [3, 1]]\nk = [[1, 0], [0, 1]]\nv = [[1, 2], [3, 4]]\n"
    text += "# weights:\n# [[0.33, 0.67],\n#  [0.80, 0.20]]\n"
    found = found_in(text, "a.py")
    assert (found["weights"].sure, found["weights"].guess.grid.shape) == (True, (2, 2))


def test_heads_of_a_list_are_counted():
    text = 'heads = [{"q": [[1, 2], [0, 1]], "k": [[1, 0], [1, 1]], "v": [[1, 2], [2, 2]]}, '
    text += '{"q": [[3, 1], [0, 2]], "k": [[0, 1], [1, 2]], "v": [[3, 4], [1, 1]]}]\n'
    (one,) = read_article(text, "a.py").examples
    assert [head.q[0] for head in one.example.heads] == [(1.0, 2.0), (3.0, 1.0)]


def test_the_same_matrices_with_another_divisor_are_another_example():
    inputs = "Q = [[1, 2], [2, 0]], K = [[1, 0], [1, 1]], V = [[6, 0], [0, 6]]\n\n"
    text = f"{inputs}We do not scale: A = [[0.119, 0.881], [0.500, 0.500]]\n\n"
    text += f"Again {inputs}Divide by √2: A = [[0.196, 0.804], [0.500, 0.500]]\n"
    examples = read_article(text, "a.md").examples
    assert [(len(one.example.heads), one.marks) for one in examples] == [(1, ()), (1, ())]


IDENTITY = """Q = [[1, 0, 2], [0, 1, 1], [1, 1, 0]], K = [[1, 0, 2], [0, 1, 1], [1, 1, 0]],
V = [[1, 0, 2], [0, 1, 1], [1, 1, 0]]

We leave everything as it is, multiplying by

[[1, 0, 0], [0, 1, 0], [0, 0, 1]]

A = [[0.784, 0.139, 0.078], [0.390, 0.390, 0.219], [0.264, 0.264, 0.471]]
"""


def test_an_identity_matrix_is_no_mask_and_no_result():
    (one,) = read_article(IDENTITY, "a.md").examples
    assert one.example.mask is None
    assert one.verdict.ok
    assert [found.why for found in one.read.found if found.key is None] == ["unnamed"]


def test_an_unnamed_mask_hides_what_has_no_weight():
    text = IDENTITY.replace("[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "[[1, 0, 0], [1, 1, 0], [1, 1, 1]]")
    text = text.replace(
        "0.784, 0.139, 0.078], [0.390, 0.390, 0.219", "1.000, 0.000, 0.000], [0.500, 0.500, 0.000"
    )
    (one,) = read_article(text, "a.md").examples
    assert one.example.mask is not None
    assert one.verdict.ok


def test_nothing_is_certain_where_nothing_can_be_computed():
    article = read_all("X = [[1, 2], [3, 1]], W_Q = [[1, 0], [0, 1]]\n", "a.md")
    assert [found.sure for read in article.incomplete for found in read.found] == [False, False]


def test_inputs_of_which_every_result_is_doubted_are_guesses():
    strange = RIGHT.replace("0.06 & 0.94", "3.7 & 8.1").replace("0.33 & 0.67", "5.9 & 6.4")
    strange = strange.replace("1 & 5 \\\\ 0 & 1", "7 & 3 \\\\ 8 & 4")
    assert not any(found.sure for found in found_in(strange).values())


def test_the_report_says_which_matrices_are_not_used():
    assert "Line 6: a matrix that is not used (nothing names it)" in as_text(read_article(IDENTITY, "a.md"))


def test_a_result_of_all_heads_is_not_compared_where_one_head_starts_from_its_weights():
    text = "V_1 = [[1, 2], [3, 4]], A_1 = [[0.5, 0.5], [0.1, 0.9]]\n\nQ_2 = [[1, 0], [0, 1]], K_2 = [[1, 2], [2, 1]], "
    text += "V_2 = [[1, 0], [0, 1]]\n\nThe scores are\n\n[[1, 2], [2, 1]]\n"
    (one,) = read_article(text, "a.md").examples
    assert len(one.example.heads) == 2


def test_a_doubted_matrix_of_all_heads_side_by_side_is_not_judged():
    text = "X = [[1, 0], [0, 1]], W_Q = [[1, 2, 0, 1], [0, 1, 1, 1]], W_K = [[1, 0, 2, 1], [3, 1, 0, 1]]\n\n"
    text += "Q = [[71, 35, 52, 84], [66, 47, 93, 28]]\n\nA_1 = [[0.06, 0.94], [0.33, 0.67]], "
    text += "A_2 = [[0.50, 0.50], [0.80, 0.20]]\n"
    (one,) = read_article(text, "a.md").examples
    assert {found.why for found in one.read.found if found.guess.name == "q"} == {"doubted"}
