"""Checks of claims that hold whatever X and W are."""

from dataclasses import replace

import pytest

from mha_core import AllowMask, Example, Head, built_in, trace, validate
from mha_core.check.check import check
from mha_core.check.invariants import MESSAGES, invariants
from mha_core.check.report import finding_message
from mha_core.messages import catalogue
from tests.core.answers import answer, found, layer, with_cell, work_out


def findings(example):
    """(id, head, row, column) of everything found."""
    return [(one.id, *one.cell[1:]) for one in invariants(trace(example))]


def claims(**sizes):
    """An example with right answers."""
    example = layer(6, **sizes)
    return answer(example, work_out(example))


def with_matrix(example, step, head, rows):
    """The example with one head's claimed matrix replaced."""
    heads = list(example.claimed[step])
    heads[head] = rows
    return validate(replace(example, claimed=example.claimed | {step: tuple(heads)}))


@pytest.mark.parametrize(
    "sizes", [{}, {"mask": "causal"}, {"n_k": 5}, {"biases": True}, {"h": 3}, {"n": 1}], ids=str
)
def test_right_answers_show_nothing(sizes):
    for decimals in (1, 2, 4):
        example = layer(6, **sizes)
        assert findings(answer(example, work_out(example), decimals)) == []


def test_the_first_article():
    verdict = check(built_in("published"))
    assert [finding_message(verdict, one, "en") for one in invariants(verdict.trace)] == [
        "attention weights, head 1, row 1: the row sums to 0.0442. After softmax, every row sums to 1.",
        "attention weights, head 2, row 3: the row sums to 0.0442. After softmax, every row sums to 1.",
        (
            "head outputs, head 2, row 1, column 1 is 5.0593. An output is a weighted average of "
            "V's rows, so it lies between 1 and 5."
        ),
        (
            "head outputs, head 2, row 2, column 2 is 1.9346. An output is a weighted average of "
            "V's rows, so it lies between 2 and 6."
        ),
        (
            "head outputs, head 2, row 3, column 1 is 5.8593. An output is a weighted average of "
            "V's rows, so it lies between 1 and 5."
        ),
        "attention weights, head 2 is head 1 rotated by 180°: its rows and columns are reversed.",
        "head outputs, head 2 has the rows of head 1 in a different order.",
    ]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("1.2000", ["weight_range", "row_sum"]),
        ("-0.1000", ["weight_range", "row_sum"]),
        ("1.0001", ["weight_range"]),
    ],
)
def test_a_weight_lies_between_0_and_1(text, ids):
    one = Head(weights=((1.0, 0.0), (0.5, 0.5)), v=((1.0,), (2.0,)))
    claimed = {"weights": (((text, "0.0000"), None),)}
    example = validate(Example("", ("a", "b"), (one,), scale="none", claimed=claimed))
    assert findings(example)[0] == (ids[0], 0, 0, 0)
    assert [label for label, *_ in findings(example)] == ids


def test_a_row_sums_to_1_as_far_as_its_digits_say():
    example = claims()
    for row, right in (
        (("0.25", "0.25", "0.25", "0.25"), True),
        (("0.33", "0.33", "0.33", "0.00"), True),  # thirds
        (("0.25", "0.25", "0.25", "0.20"), False),
        (("1", "0", "0", "1"), True),  # 0.6 and 0.5 print so
        (("4", "0", "0", "0"), False),
        (("0.25", None, "0.25", "0.25"), True),  # not a whole row
    ):
        seen = findings(with_matrix(example, "weights", 1, (row, None, None, None)))
        assert (("row_sum", 1, 0, 0) not in seen) == right


def test_a_query_that_sees_nothing_has_a_row_of_0():
    mask = AllowMask(((True,) * 4, (False,) * 4, (True,) * 4, (True,) * 4))
    example = claims(mask=mask)
    assert findings(example) == []
    one = with_matrix(example, "weights", 0, (None, ("0.25",) * 4, None, None))
    assert ("row_sum", 0, 1, 0) in findings(one)


def test_an_output_lies_within_its_column_of_v():
    example = claims()
    rows = trace(example).values["v"][1]
    top = max(row[0] for row in rows)
    assert findings(with_cell(example, "head_outputs", 1, 2, 0, f"{top:.4f}")) == []
    assert findings(with_cell(example, "head_outputs", 1, 2, 0, f"{top + 0.5:.4f}")) == [
        ("output_range", 1, 2, 0)
    ]


def test_the_column_is_that_of_the_authors_own_v():
    example = claims()
    mine = tuple((f"{i + 100:.4f}", f"{i:.4f}") for i in range(4))
    example = with_matrix(example, "v", 1, mine)
    assert ("output_range", 1, 0, 0) in findings(example)
    inside = with_matrix(example, "head_outputs", 1, (("101.5", "1.5"), None, None, None))
    assert findings(inside) == []


@pytest.mark.parametrize(
    ("label", "change"),
    [
        ("copy", lambda rows: rows),
        ("rotation", lambda rows: tuple(row[::-1] for row in rows[::-1])),
        ("row_permutation", lambda rows: (rows[2], rows[0], rows[1], rows[3])),
    ],
)
@pytest.mark.parametrize("step", ["q", "scores", "weights"])
def test_a_head_that_is_a_copy_of_another(label, change, step):
    example = claims()
    example = with_matrix(example, step, 1, change(example.claimed[step][0]))
    assert (label, 1, 0, 0) in findings(example)
    assert [one.values["other"] for one in invariants(trace(example)) if one.id == label] == [1]


def test_heads_that_are_equal_may_have_equal_numbers():
    example = layer(6)
    example = replace(example, heads=(example.heads[0], example.heads[0]))
    assert findings(answer(example, work_out(example))) == []


def test_a_matrix_of_one_number_is_not_a_copy():
    example = claims()
    flat = (("0.2500",) * 4,) * 4
    example = with_matrix(with_matrix(example, "weights", 0, flat), "weights", 1, flat)
    assert [
        label for label, *_ in findings(example) if label in ("copy", "rotation", "row_permutation")
    ] == []


def test_each_finding_is_a_sentence_in_both_languages():
    for template in MESSAGES.values():
        assert catalogue("zh").gettext(template) != template
    verdict = found(layer(6), work_out(layer(6)))
    assert invariants(verdict.trace) == ()
    chinese = finding_message(check(built_in("published")), invariants(trace(built_in("published")))[0], "zh")
    assert "0.0442" in chinese
    assert chinese.endswith("。")


def test_scores_of_heads_that_start_from_weights_are_not_compared():
    """Nothing computes them, so there is nothing that two equal ones could be compared with."""
    one = Head(weights=((1.0, 0.0), (0.5, 0.5)), v=((1.0,), (2.0,)))
    given = (("1", "2"), ("3", "4"))
    example = Example("", ("a", "b"), (one, one), claimed={"scores": (given, given)})
    assert findings(example) == []
