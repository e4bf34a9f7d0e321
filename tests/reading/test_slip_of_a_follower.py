"""A number that follows from a wrong one, with two digits swapped: the sentence names the number before the swap."""

from mha_core.read.report import as_text, read_article


def _read(k: str, scores: str) -> str:
    return (
        r"$$X = \begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix},\quad W_Q = \begin{pmatrix} 3 & 0 \\ 0 & 1 \end{pmatrix},"
        r"\quad W_K = \begin{pmatrix} 5 & 0 \\ 0 & 1 \end{pmatrix}$$" + "\n\n"
        r"$$Q = \begin{pmatrix} 3 & 0 \\ 0 & 1 \end{pmatrix},\quad K = \begin{pmatrix} "
        + k
        + r" & 0 \\ 0 & 1 \end{pmatrix}$$"
        "\n\n"
        r"$$QK^T = \begin{pmatrix} " + scores + r" & 0 \\ 0 & 1 \end{pmatrix}$$" + "\n"
    )


def test_the_number_that_the_earlier_ones_give_is_named():
    text = as_text(read_article(_read("8", "42"), "a.md"))
    assert "Possibly two digits are swapped. Your earlier numbers give 24." in text


def test_where_the_earlier_numbers_are_right_the_right_number_is_enough():
    text = as_text(read_article(_read("5", "51"), "a.md"))
    assert "Possibly two digits are swapped." in text
    assert "Your earlier numbers" not in text
