"""Slips of one cell and of one row: each, planted at random wherever it is possible, is found where it was planted."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from math import exp, log

import pytest

from mha_core import Example, Head, validate
from mha_core.check.check import check
from mha_core.check.report import cause_lines, cause_message
from mha_core.check.slips import SLIP, SLIPS
from mha_core.check.summary import summary
from mha_core.messages import LANGUAGES, catalogue
from tests.core.answers import (
    RIGHT,
    answer,
    divided,
    found,
    layer,
    named,
    unexplained,
    with_cell,
    work_out,
    wrong_cells,
)
from tests.core.reference import project, softmax
from tests.mistakes.slips import named as outcome
from tests.mistakes.slips import planted
from tests.sizes import at_length, lengthened
from tools.mistakes import GIVEN_STEPS


def causes(verdict):
    """The English sentence of every cause."""
    return [cause_message(verdict, one, "en") for step in verdict.steps.values() for one in step.causes]


def lines(verdict, step):
    """The right line and the written one of the first cause at a step."""
    return cause_lines(verdict, verdict.steps[step].causes[0])


# --- by hand: X = [[3, 1], [2, 7]], W = [[5, 11], [13, 4]], so Q[1, 1] = 3·5 + 1·13 = 28 ---

X, W = ((3.0, 1.0), (2.0, 7.0)), ((5.0, 11.0), (13.0, 4.0))
Q = (("28", "37"), ("101", "50"))


def with_q(row, col, text):
    """The verdict on Q with one number replaced."""
    rows = [list(row) for row in Q]
    rows[row][col] = text
    head = Head(w_q=W, w_k=((1.0, 0.0), (0.0, 1.0)), w_v=((1.0,), (1.0,)))
    return check(validate(Example("", ("a", "b"), (head,), x=X, claimed={"q": (tuple(map(tuple, rows)),)})))


BY_HAND = {
    "15": "row 1, column 1: Possibly a term of the sum is left out: X[1, 2]·W_Q[2, 1].",
    "43": "row 1, column 1: Possibly a term of the sum is counted twice: X[1, 1]·W_Q[1, 1].",
    "2": "row 1, column 1: Possibly a term of the sum has the wrong sign: X[1, 2]·W_Q[2, 1].",
    "106": "row 1, column 1: Possibly one product uses X[2, 2] instead of X[1, 2].",
    "46": "row 1, column 1: Possibly one product uses W_Q[1, 2] instead of W_Q[1, 1].",
    "26": "row 1, column 1: Possibly the rows and columns of W_Q are swapped.",
    "38": "row 1, column 1: Possibly a product or the sum is off by 10.",
    "-28": "row 1, column 1: Possibly the sign is flipped.",
    "280": "row 1, column 1: Possibly the decimal point is in the wrong place.",
    "82": "row 1, column 1: Possibly two digits are swapped.",
    "37": "row 1, column 1: Possibly this is the number of Q[1, 2].",
    "98": "row 1, column 1: Possibly one digit is wrong.",
}


@pytest.mark.parametrize(("text", "sentence"), BY_HAND.items())
def test_one_cell_by_hand(text, sentence):
    verdict = with_q(0, 0, text)
    assert sentence in causes(verdict)
    assert len(causes(verdict)) == 1
    assert unexplained(verdict) == []


def test_digits_beyond_those_of_a_float64_never_slip():
    """4·10¹⁴ may be written as 4.7·10¹⁴, but in 4·10¹⁸ any of the digits could be the wrong one."""
    for each, slips in ((1e8, True), (1e12, False)):
        head = Head(w_q=((each,), (each,)), w_k=((1.0,), (0.0,)), w_v=((1.0,), (1.0,)))
        x = tuple(tuple(1e6 * cell for cell in row) for row in X)
        claimed = {"q": (((f"{4.7e6 * each:.1f}",), (f"{9e6 * each:.1f}",)),)}
        verdict = check(validate(Example("", ("a", "b"), (head,), x=x, claimed=claimed)))
        assert ("row 1, column 1: Possibly one digit is wrong." in causes(verdict)) is slips


def test_the_right_and_the_written_line_are_shown():
    assert lines(with_q(0, 0, "15"), "q") == ("Q = X·W_Q;  Q[1, 1] = 3·5 + 1·13 = 28", "Q[1, 1] = 3·5 = 15")
    assert lines(with_q(0, 0, "46"), "q")[1] == "Q[1, 1] = 3·11 + 1·13 = 46"
    assert lines(with_q(0, 0, "82"), "q")[1] == "Q[1, 1] = 82"


def test_where_two_slips_give_the_number_both_are_listed():
    assert causes(with_q(1, 0, "10")) == [
        "row 2, column 1: Possibly a term of the sum is left out: X[2, 2]·W_Q[2, 1].",
        "row 2, column 1: Possibly the decimal point is in the wrong place.",  # 101, moved and cut off
    ]


def test_for_one_number_a_slip_comes_before_a_mistake_in_the_whole_matrix():
    """Q[1, 1] is 28 and K[1, 1] is −28, so −28 for Q[1, 1] is a slipped sign or a product with W_K."""
    head = Head(w_q=W, w_k=((-5.0, 1.0), (-13.0, 2.0)), w_v=W)
    claimed = {"q": ((("-28", None), None),)}
    one, other = causes(check(validate(Example("", ("a", "b"), (head,), x=X, claimed=claimed))))
    assert one == "row 1, column 1: Possibly the sign is flipped."
    assert other == "Possibly Q and K are swapped."


def test_an_error_without_a_simple_cause_stays_unexplained():
    verdict = with_q(0, 0, "66")
    assert causes(verdict) == []
    assert unexplained(verdict) == ["q"]


ROWS = {
    "other_sum": lambda p, i: [one / sum(p[0]) for one in p[i]],
    "other_powers": lambda p, i: [one / sum(p[i]) for one in p[0]],
    "sum_without": lambda p, i: [one / sum(p[i][1:]) for one in p[i]],
    "sum_twice": lambda p, i: [one / (sum(p[i]) + p[i][1]) for one in p[i]],
    "largest_in_some": lambda p, i: [one / max(p[i]) / sum(p[i]) for one in p[i]],
}


@pytest.mark.parametrize("label", ROWS)
def test_one_row_of_weights_by_hand(label):
    """Row 2 of head 1, from the exponentials of the scores in plain loops."""
    hit = 0
    for seed in range(6):
        example = layer(seed)

        def slipped(s, label=label):
            powers = [[exp(score) for score in row] for row in s.masked_scores]
            return [*RIGHT["weights"](s)[:1], ROWS[label](powers, 1), *RIGHT["weights"](s)[2:]]

        verdict = found(example, work_out(example, {"weights": slipped}, heads=[0]))
        if not verdict.ok:
            assert (label,) in named(verdict) or "weights" in unexplained(verdict)
            hit += (label,) in named(verdict)
    assert hit >= 2


def test_a_row_of_another_head():
    example = layer(4)
    steps = work_out(example)
    steps["head_outputs"][1][2] = list(steps["head_outputs"][0][2])
    verdict = found(example, steps, only=("weights", "head_outputs"))
    assert ("row_of_other_head",) in named(verdict)


NUMBERS = {
    "d_model": ({"d_model": 5}, lambda s: divided(s.scores, 5), "The scores are divided by d_model."),
    "h": ({"h": 5, "d_k": 3}, lambda s: divided(s.scores, 5), "The scores are divided by h."),
    "n": ({"n": 6, "d_model": 5}, lambda s: divided(s.scores, 6), "The scores are divided by n."),
    "base 2": (
        {},
        lambda s: [[score * log(2) for score in row] for row in s.scaled_scores],
        "Powers of 2 are used instead of powers of e.",
    ),
    "base 10": (
        {},
        lambda s: [[score * log(10) for score in row] for row in s.scaled_scores],
        "Powers of 10 are used instead of powers of e.",
    ),
}


@pytest.mark.parametrize(("sizes", "scores", "sentence"), NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("only", [("scores", "weights"), ("weights", "output")])
def test_another_number_in_place_of_the_divisor_or_the_base(sizes, scores, sentence, only):
    example = layer(4, **sizes)
    steps = {"weights": lambda s: [softmax(row) for row in scores(s)]}
    verdict = found(example, work_out(example, steps), only=only)
    assert causes(verdict) == [sentence]
    one = found(example, work_out(example, steps, heads=[1]), only=only)
    assert causes(one) == [f"head 2: {sentence}"]


def test_the_divisor_of_one_row_follows_from_its_numbers():
    def second(s):
        rows = RIGHT["weights"](s)
        return [rows[0], softmax([score / 2.345 for score in s.scores[1]]), *rows[2:]]

    verdict = found(layer(4, d_model=5), work_out(layer(4, d_model=5), {"weights": second}, heads=[0]))
    sentence = "These are the weights of scores divided by about 2.3, which is not a size in this example."
    assert causes(verdict) == [f"head 1, row 2: {sentence}"]


def rounded_to(decimals, rows):
    return [[round(cell, decimals) for cell in row] for row in rows]


ROUNDED = {
    "scaled scores to one decimal": (
        {"scaled_scores": lambda s: rounded_to(1, RIGHT["scaled_scores"](s))},
        ("scores", "weights", "output"),
        "scaled scores rounded to one decimal",
    ),
    "values to whole numbers": (
        {"v": lambda s: rounded_to(0, divided(RIGHT["v"](s), 1))},
        ("weights", "output"),
        "values rounded to whole numbers",
    ),
    "exponentials to one decimal": (
        {
            "weights": lambda s: [
                shared(row) for row in rounded_to(1, [map(exp, row) for row in s.scaled_scores])
            ]
        },
        ("scores", "scaled_scores", "weights"),
        "exponentials rounded to one decimal",
    ),
    "written to 4 decimals, taken over to 1": (
        {"head_outputs": lambda s: project(rounded_to(1, s.weights), s.v, None)},
        None,
        "weights rounded to one decimal",
    ),
}


def shared(powers):
    return [power / sum(powers) for power in powers]


@pytest.mark.parametrize(("steps", "only", "sentence"), ROUNDED.values(), ids=ROUNDED)
def test_rounding_on_the_way_is_named_with_the_step_and_the_digits(steps, only, sentence):
    example = layer(4, d_model=5)
    example = replace(example, x=tuple(tuple(cell + 0.37 for cell in row) for row in example.x))
    verdict = found(example, work_out(example, steps), only=only)
    assert not verdict.ok
    assert set(named(verdict)) == {("rounded_early",)}
    assert any(sentence in one for one in causes(verdict))
    assert unexplained(verdict) == []


# --- planted -----------------------------------------------------------------------------------------------------


def test_a_mistake_and_a_slip_in_one_matrix_are_named_together():
    example = layer(1)
    unscaled = work_out(example, {"scaled_scores": lambda s: s.scores}, heads=[0])
    claims = answer(example, unscaled, only=("scaled_scores",))
    number = claims.claimed["scaled_scores"][0][2][1]
    slipped = check(with_cell(claims, "scaled_scores", 0, 2, 1, f"-{number}".replace("--", "")))
    assert causes(slipped) == [
        "head 1: The scores are not divided by √d_k.",
        "head 1, row 3, column 2: Possibly the sign is flipped.",
    ]
    assert unexplained(slipped) == []
    both = with_cell(claims, "scaled_scores", 0, 2, 1, f"{float(number) + 0.37:.4f}")
    assert unexplained(check(both)) == ["scaled_scores"]  # nothing simple gives this number


@pytest.mark.parametrize("given", GIVEN_STEPS)
def test_planted_slips_are_named_alone_and_never_wrongly(given):
    """Without --long only every other planted slip is checked."""
    every = islice(
        planted(lengthened(4), given), [*GIVEN_STEPS].index(given) % 2, None, 1 if at_length() else 2
    )
    found = Counter(outcome(check(one.example), one) for one in every)
    del found["unchanged"]
    total = found.total()
    assert found["wrong"] <= 0.005 * total
    assert found["alone"] >= 0.65 * total
    assert found["unknown"] <= 0.1 * total


def test_every_slip_has_a_sentence_in_both_languages():
    for slip in SLIPS:
        for language in LANGUAGES:
            sentence = catalogue(language).gettext(slip.message)
            assert sentence.format(said="A", instead="B")
            assert (sentence == slip.message) == (language == "en")


def test_scores_that_are_scaled_a_step_too_early_are_named():
    """S = [[8, 16], [24, 9]] with d_k = 4, so ÷ 2; one number, one row, all of them, one number of a row."""
    head = Head(
        q=((8.0, 0, 0, 0), (0, 1.0, 0, 0)), k=((1.0, 24.0, 0, 0), (2.0, 9.0, 0, 0)), v=((1.0,), (1.0,))
    )
    one = "Possibly it is already divided by √d_k. That is the next step."
    row = "row 1: Possibly the scores are already divided by √d_k. That is the next step."

    def causes_of(*rows):
        verdict = check(validate(Example("", ("a", "b"), (head,), claimed={"scores": (rows,)})))
        assert unexplained(verdict) == []
        return causes(verdict)

    assert f"row 1, column 1: {one}" in causes_of(("4", None), None)
    assert f"row 1, column 1: {one}" in causes_of(("4", "16"), ("24", "9"))
    assert row in causes_of(("4", "8"), ("24", "9"))
    assert causes_of(("4.0", "8.0"), ("12.0", "4.5")) == [
        "These are the scaled scores."
    ]  # all of it: under a wrong name


def test_slips_are_declared_once_and_in_order():
    assert [*SLIP] == [slip.id for slip in SLIPS]
    assert [slip.id for slip in SLIPS if slip.weak] == ["digit_slipped", "some_divisor"]


# --- the same slip in all rows -----------------------------------------------------------------------------------


def alike(step, change, **sizes):
    """The verdict on a layer whose first head has every row of a step changed; later steps are computed from it."""
    example = layer(3, n=4, d_k=3, **sizes)
    return found(example, work_out(example, {step: lambda s: change(RIGHT[step](s), s)}, heads=[0]))


def test_a_matrix_under_a_wrong_name_is_recognised():
    example = layer(3, n=4, d_k=3)
    steps = work_out(example)
    verdict = found(example, steps | {"scores": steps["scaled_scores"]}, only=("scores", "weights"))
    assert causes(verdict) == ["These are the scaled scores."]
    assert unexplained(verdict) == []
    sentence = cause_message(verdict, verdict.steps["scores"].causes[0], "zh")
    assert sentence == "这些是缩放分数。"


def test_rows_that_are_each_off_by_a_constant_come_from_a_bias_of_the_keys():
    verdict = alike(
        "scores", lambda rows, s: [[cell + i - 0.3 for cell in row] for i, row in enumerate(rows)]
    )
    (cause,) = causes(verdict)
    assert cause.startswith("head 1: Each row is off by a constant, as a key bias would cause")
    assert {cell[0] for cell in wrong_cells(verdict)} == {
        "scores",
        "scaled_scores",
    }  # the weights stay the same


@pytest.mark.parametrize(
    ("p", "times"), [(0.1, "1.111"), (0.13, "1.149"), (0.5, "2"), (0.125, "1.143"), (0.8, "5")]
)
def test_weights_divided_by_1_minus_p_with_zeros_come_from_dropout(p, times):
    def dropped(rows, s):
        return [
            [0.0 if i == j else cell / (1 - p) for j, cell in enumerate(row)] for i, row in enumerate(rows)
        ]

    verdict = alike("weights", dropped)
    assert causes(verdict) == [
        f"head 1: Each kept weight is {times} times as large, and the others are 0: dropout of {p:g} after softmax, "
        "as in training."
    ]
    assert unexplained(verdict) == []


def test_a_row_that_dropout_leaves_empty_fits_too():
    verdict = alike(
        "weights",
        lambda rows, s: [[0.0 if i == 1 else cell / 0.88 for cell in row] for i, row in enumerate(rows)],
    )
    assert [cause.split(": ", 1)[1].partition(" times")[0] for cause in causes(verdict)] == [
        "Each kept weight is 1.136"
    ]


def test_weights_that_are_all_too_large_by_an_unusual_factor_are_not_called_dropout():
    verdict = alike("weights", lambda rows, s: [[cell / 0.87 for cell in row] for row in rows])
    assert not any("dropout" in cause for cause in causes(verdict))


@pytest.mark.parametrize(("logit", "shown"), [(1.0, "1"), (-0.8123, "-0.8123"), (0.5, "0.5")])
def test_rows_that_an_extra_logit_makes_sum_to_less_than_1_come_from_a_sink(logit, shown):
    def with_sink(rows, s):
        return [softmax([*row, logit])[:-1] for row in s.masked_scores]

    example = layer(3, n=4, d_k=3, mask="causal")
    steps = work_out(example, {"weights": lambda s: with_sink(None, s)}, heads=[0])
    verdict = found(example, steps, decimals=6)
    assert causes(verdict) == [
        f"head 1: An attention sink: each row sums to less than 1 because of one extra logit of {shown}."
    ]
    assert unexplained(verdict) == []
    assert {cell[0] for cell in wrong_cells(verdict, own=True)} == {"weights"}


def test_w_in_columns_in_q_k_and_v_at_once_is_one_cause():
    def turned(name):
        return lambda s: project(
            s.x, [list(column) for column in zip(*getattr(s.head, name), strict=True)], None
        )

    example = layer(2, n=4, d_model=3, d_k=3, d_v=3)
    steps = work_out(example, {letter: turned(f"w_{letter}") for letter in "qkv"})
    verdict = found(example, steps)
    assert causes(verdict) == [
        (
            "Every W is transposed, in Q, K and V alike: this is X·Wᵀ. Texts that write W·X, "
            "with tokens in columns, have their W this way."
        )
    ]
    assert verdict.in_columns
    assert "all for one reason: every W is transposed." in summary(verdict, "en")
    assert {cell[0] for cell in wrong_cells(verdict, own=True)} == {"q"}
    one_of_them = found(example, work_out(example, {"q": turned("w_q")}))
    assert causes(one_of_them) == ["The weight matrix is transposed."]
