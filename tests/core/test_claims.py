"""Filling in one's own numbers: cell by cell, as a block, as a text; nothing else changes, nothing is lost."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import ExampleError, built_in, dump, from_token, parse, to_token, trace
from mha_core.check.check import check
from mha_core.edit.claims import claimed_rows
from mha_core.vocabulary import STEPS
from tests.apply import apply
from tests.core.answers import answer, layer, work_out
from tests.core.edits import BUILT_IN, ENDS_AT_WEIGHTS, FURTHER_ON, json_values
from tests.sizes import tries

FIRST = built_in("first")
"""Two heads, three tokens, d_k = d_v = 2, no W_O."""


def claim(example, values, matrix="q", head=0, row=0, col=0):
    """One block typed in."""
    edit = {"op": "claim", "matrix": matrix, "head": head, "row": row, "col": col, "values": values}
    return apply(example, edit)


def text(example, words, matrix="q", head=0, **place):
    """One text pasted in."""
    return apply(example, {"op": "claim_text", "matrix": matrix, "head": head, "text": words, **place})


def refusal(function, *arguments, **more):
    """The sentence with which an edit is refused."""
    with pytest.raises(ExampleError) as error:
        function(*arguments, **more)
    return str(error.value)


def plain(rows):
    """A matrix as somebody writes it in a text."""
    return "\n".join("\t".join(f"{cell:.6f}" for cell in row) for row in rows)


# --- cells -------------------------------------------------------------------------------------------------------


def test_a_cell_keeps_its_printed_digits():
    example = claim(FIRST, [["0.50"]], row=1, col=1)
    assert example.claimed == {"q": ((None, (None, "0.50"), None), None)}
    assert claimed_rows(example, "q", 0) == [[None, None], [None, "0.50"], [None, None]]
    assert claimed_rows(example, "q", 1) is None
    assert claimed_rows(example, "k", 0) is None


def test_a_block_is_written_from_its_first_cell_on():
    example = claim(FIRST, [["1", "2"], ["3", None]], matrix="scores", head=1, row=1, col=1)
    assert claimed_rows(example, "scores", 1) == [[None] * 3, [None, "1", "2"], [None, "3", None]]


def test_none_leaves_a_cell_and_nothing_clears_it():
    example = claim(FIRST, [["1", "2"], ["3", "4"], ["5", "6"]])
    example = claim(example, [[None, "2.0"], ["", None]])
    assert claimed_rows(example, "q", 0) == [["1", "2.0"], [None, "4"], ["5", "6"]]
    empty = claim(example, [["", ""], ["", ""], ["", ""]])
    assert empty.claimed is None


def test_the_layers_own_steps_have_no_head():
    example = claim(FIRST, [["1"]], matrix="concat", head=None, row=2, col=3)
    assert example.claimed["concat"] == (None, None, (None, None, None, "1"))


@pytest.mark.parametrize(
    ("written", "kept"),
    [("−1.50", "-1.50"), (" 2 ", "2"), ("-inf", "-inf"), ("−∞", "-inf"), ("1e-3", "1e-3")],
)
def test_how_a_number_may_be_written(written, kept):
    assert claimed_rows(claim(FIRST, [[written]]), "q", 0)[0][0] == kept


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("x", "claimed.q[0][0][0]: expected a number, got 'x'"),
        ("1/2", "claimed.q[0][0][0]: expected a number, got '1/2'"),
        ("inf", "claimed.q[0][0][0]: expected a number, got 'inf'"),
        ("nan", "claimed.q[0][0][0]: expected a number, got 'nan'"),
        ("9" * 65, f"claimed.q[0][0][0]: expected a number, got '{'9' * 20}…' (65 digits)"),
        (1.5, "claimed.q[0][0][0]: expected a number, got 1.5"),
        (True, "claimed.q[0][0][0]: expected a number, got True"),
    ],
    ids=str,
)
def test_what_is_no_number_is_refused(written, sentence):
    assert refusal(claim, FIRST, [[written]]) == sentence


def test_a_block_that_does_not_fit_is_refused():
    assert refusal(claim, FIRST, [["1", "2"]], col=1) == "claimed.q[0]: expected 3 × 2, got 1 × 3"
    assert refusal(claim, FIRST, [["1"], ["2"]], row=2) == "claimed.q[0]: expected 3 × 2, got 4 × 1"


@pytest.mark.parametrize(
    "place",
    [
        {"matrix": "nonsense"}, {"matrix": "x"}, {"head": 2}, {"head": -1}, {"head": None}, {"matrix": "concat"},
        {"row": -1}, {"col": -1},
    ],
    ids=str,
)  # fmt: skip
def test_a_place_that_is_not_there_is_refused(place):
    assert refusal(claim, FIRST, [["1"]], **place)


def test_output_without_w_o_is_refused():
    sentence = refusal(claim, FIRST, [["1"]], matrix="output", head=None)
    assert sentence == "claimed.output: this example has no such step"


# --- texts -------------------------------------------------------------------------------------------------------


def test_a_text_fills_a_matrix():
    example = text(FIRST, r"\begin{bmatrix}1 & 2\\3 & ?\\5.00 & 6\end{bmatrix}")
    assert claimed_rows(example, "q", 0) == [["1", "2"], ["3", None], ["5.00", "6"]]
    assert claimed_rows(text(example, "9\t9", row=1), "q", 0) == [["1", "2"], ["9", "9"], ["5.00", "6"]]
    assert claimed_rows(text(example, "?\t9"), "q", 0)[0] == ["1", "9"]


def test_several_matrices_go_to_the_heads_from_here_on():
    example = text(FIRST, "[[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]")
    assert claimed_rows(example, "q", 1) == [["7", "8"], ["9", "10"], ["11", "12"]]
    assert (
        refusal(text, FIRST, "[[[1, 2]], [[3, 4]]]", head=1)
        == "claimed.q[1]: there is space for 1 matrices, got 2"
    )
    whole = {"matrix": "concat", "head": None}
    assert (
        refusal(text, FIRST, "[[[1]], [[2]]]", **whole)
        == "claimed.concat: there is space for 1 matrices, got 2"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("hello", "this text contains no numbers"),
        ("1 x", "row 1, column 2: “x” is not a number"),
        ("1 2 3", "claimed.q[0]: expected 3 × 2, got 1 × 3"),
        ("1\n2\n3\n4", "claimed.q[0]: expected 3 × 2, got 4 × 1"),
    ],
)
def test_a_text_that_is_no_such_matrix_is_refused_and_what_stood_there_stays(words, sentence):
    example = text(FIRST, "1 2\n3 4\n5 6")
    assert refusal(text, example, words) == sentence
    assert claimed_rows(example, "q", 0) == [["1", "2"], ["3", "4"], ["5", "6"]]


HEADS = trace(FIRST).values["head_outputs"]
SIDE_BY_SIDE = "claimed.concat: expected 3 × 4, got "


@pytest.mark.parametrize(
    ("example", "matrix", "head", "rows", "sentence"),
    [
        (FIRST, "q", 0, list(zip(*trace(FIRST).values["q"][0], strict=True)),
         "claimed.q[0]: expected 3 × 2, got 2 × 3: the matrix is transposed"),
        (FIRST, "concat", None, [*HEADS[0], *HEADS[1]],
         SIDE_BY_SIDE + "6 × 2: the heads are stacked on top of each other instead of side by side"),
        (layer(d_out=None, d_v=6, n=3), "concat", None,
         list(zip(*trace(layer(d_out=None, d_v=6, n=3)).values["concat"], strict=True)),
         "claimed.concat: expected 3 × 12, got 12 × 3: the matrix is transposed"),
    ],
    ids=["transposed", "stacked", "transposed concatenation"],
)  # fmt: skip
def test_another_shape_that_a_mistake_gives_is_named(example, matrix, head, rows, sentence):
    assert refusal(text, example, plain(rows), matrix, head) == sentence


@pytest.mark.parametrize("label", ["averaged", "summed"])
def test_heads_averaged_or_summed_are_named_though_they_would_fit(label):
    """An n × d_v matrix would fit into the n × h·d_v table, but it means that the heads were averaged or summed."""
    divisor = 2 if label == "averaged" else 1
    rows = [[(a + b) / divisor for a, b in zip(*pair, strict=True)] for pair in zip(*HEADS, strict=True)]
    sentence = refusal(text, FIRST, plain(rows), "concat", None)
    assert sentence == SIDE_BY_SIDE + f"3 × 2: the heads are {label} instead of concatenated"


# --- clearing ----------------------------------------------------------------------------------------------------


def test_claims_are_cleared_matrix_by_matrix_or_all_at_once():
    example = answer(layer(), work_out(layer()))
    less = apply(example, {"op": "clear_claims", "matrix": "q", "head": 0})
    assert less.claimed["q"] == (None, example.claimed["q"][1])
    assert {k: v for k, v in less.claimed.items() if k != "q"} == {
        k: v for k, v in example.claimed.items() if k != "q"
    }
    none = apply(example, {"op": "clear_claims", "matrix": "output", "head": None})
    assert "output" not in none.claimed
    assert apply(example, {"op": "clear_claims"}).claimed is None
    assert apply(layer(), {"op": "clear_claims"}) == layer()


# --- nothing else, and there and back ----------------------------------------------------------------------------


def test_a_claim_changes_nothing_else():
    published = built_in("published")
    example = claim(published, [["7"]], matrix="weights", head=1, row=2, col=2)
    assert replace(example, claimed=None) == replace(published, claimed=None)
    changed = [name for name in STEPS if example.claimed.get(name) != published.claimed.get(name)]
    assert changed == ["weights"]
    assert list(example.claimed) == [name for name in STEPS if name in example.claimed]


def test_claims_go_through_files_and_links():
    example = claim(text(FIRST, "1.00\t−2\n?\t.5\n-inf\t1e-3"), [["0.10"]], matrix="concat", head=None)
    assert parse(dump(example)) == example
    assert from_token(to_token(example)) == example
    assert check(from_token(to_token(example))).steps == check(example).steps


PLACES = {
    "matrix": st.sampled_from([*STEPS, "x", "w_o"]),
    "head": st.none() | st.integers(-1, 4),
    "row": st.integers(-1, 3),
    "col": st.integers(-1, 3),
}
CELLS = st.sampled_from(["", "1", "-0.50", "x", None, "-inf", 2, "１"])
EDITS = st.one_of(
    st.fixed_dictionaries(
        {"op": st.just("claim"), "values": st.lists(st.lists(CELLS, max_size=3), max_size=3)} | PLACES
    ),
    st.fixed_dictionaries(
        {
            "op": st.just("claim_text"),
            "text": st.sampled_from(["1 2\n3 4", "[[1]]", "[[[1]], [[2]]]", "", "é"]),
        }
        | PLACES
    ),
    st.fixed_dictionaries({"op": st.just("clear_claims")}, optional=PLACES),
)


@tries(20)
@given(
    st.sampled_from([*BUILT_IN, FURTHER_ON, ENDS_AT_WEIGHTS]),
    st.lists(EDITS, min_size=1, max_size=4),
    st.data(),
)
def test_any_claims_are_kept_or_refused(example, edits, data):
    for edit in edits:
        if data.draw(st.integers(0, 4)) == 0:
            edit |= {data.draw(st.sampled_from(sorted(edit)[:-1] or ["head"])): data.draw(json_values)}
        try:
            after = apply(example, edit)
        except ExampleError:
            continue
        assert replace(after, claimed=None) == replace(example, claimed=None) or edit["op"] not in (
            "claim",
            "claim_text",
            "clear_claims",
        )
        assert parse(dump(after)) == after
        example = after
    assert check(example).steps
