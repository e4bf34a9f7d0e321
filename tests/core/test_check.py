"""Which claimed numbers are wrong, which of them are the author's own, and where to look first."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import AddMask, AllowMask, Example, Head, built_in, dump, parse, trace, validate
from mha_core.check.catalogue import ROUNDED_EARLY
from mha_core.check.check import check
from mha_core.check.report import as_json, as_markdown
from mha_core.check.summary import summary
from mha_core.compute.printed import decimals
from mha_core.vocabulary import PER_HEAD_STEPS
from tests.core.answers import (
    RIGHT,
    answer,
    found,
    layer,
    named,
    printed,
    unexplained,
    used,
    with_cell,
    work_out,
    wrong_cells,
)
from tests.core.strategies import examples
from tests.sizes import shortened, tries

WORKED = Path(__file__).parent / "worked"
EXPECTED = json.loads((WORKED / "expected_wrong.json").read_text("utf-8"))


def worked(name):
    """The verdict on a published example."""
    return check(parse((WORKED / f"{name}.mha.json").read_bytes()))


def checked(**claimed):
    """Two tokens, one head that starts from q, k and v: scores are [[1, 2], [3, 4]], not scaled."""
    head = Head(q=((1.0, 0.0), (0.0, 1.0)), k=((1.0, 3.0), (2.0, 4.0)), v=((10.0, 0.0), (0.0, 10.0)))
    return check(validate(Example("", ("a", "b"), (head,), scale="none", claimed=claimed)))


# --- published examples ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPECTED)
def test_published_examples_have_exactly_these_wrong_cells(name):
    verdict = worked(name)
    assert sorted(wrong_cells(verdict), key=str) == sorted(map(tuple, EXPECTED[name]), key=str)
    assert verdict.ok == (not EXPECTED[name])
    assert (verdict.first_wrong is None) == verdict.ok


def test_every_published_example_is_expected():
    assert {path.name.removesuffix(".mha.json") for path in WORKED.glob("*.mha.json")} == set(EXPECTED)


def test_ilovecats_divides_one_row_by_dk():
    verdict = worked("ilovecats_4_5_wrong_weights")
    (cause,) = verdict.steps["weights"].causes
    assert (cause.ids, cause.rows) == (("divided_by_dk",), (2,))
    assert verdict.steps["weights"].unexplained  # nothing explains the other row
    assert {cell[2] for cell in wrong_cells(verdict, own=True)} == {1, 2}
    assert {cell[0] for cell in wrong_cells(verdict, own=False)} == {"head_outputs"}


def test_maochiyu_forgets_the_scaling_in_the_last_row_and_carries_rounded_weights():
    verdict = worked("zh_maochiyu_scale_missing_row")
    causes = verdict.steps["weights"].causes
    assert ("softmax_unscaled",) in [cause.ids for cause in causes]
    assert {cause.rows for cause in causes} == {(2,)}
    assert wrong_cells(verdict, own=True) == [("weights", 0, 2, j) for j in range(3)]
    assert {cell[0] for cell in wrong_cells(verdict, own=False)} == {"head_outputs"}
    assert unexplained(verdict) == []


def test_catsleeps_has_a_row_of_zeros():
    verdict = worked("catsleeps_two_heads")
    assert named(verdict) == [("zero_row",)]
    assert tuple(verdict.first_wrong) == ("head_outputs", 1, 0, 0)
    assert {cell[0] for cell in wrong_cells(verdict, own=False)} == {"concat"}


def test_brownfox_is_unexplained_and_everything_after_its_weights_follows():
    verdict = worked("brownfox_two_heads")
    assert named(verdict) == []
    assert unexplained(verdict) == ["weights"]
    assert {cell[0] for cell in wrong_cells(verdict, own=True)} == {"weights"}
    assert {cell[0] for cell in wrong_cells(verdict, own=False)} == {"head_outputs", "concat", "output"}


def test_pleasestudyman_is_unexplained():
    verdict = worked("pleasestudyman_unscaled")
    assert named(verdict) == []
    assert unexplained(verdict) == ["weights"]
    assert wrong_cells(verdict, own=True) == [("weights", 0, 2, j) for j in range(3)]


WRONG_MATRICES = {
    # e^0.707 is 2.028; 0.512 ÷ 0.244 is 2.098, which is no rounding of it: an exponential written otherwise, in both
    # heads. No cell or row of the matrix is simply another one, so nothing is named.
    ("brownfox_two_heads", "weights"): set(),
    # Row 3: ln(0.452 ÷ 0.274) is ½, so the divisor is 2, which is d_k. Row 2: ln(0.394 ÷ 0.212) is 0.62, a divisor of
    # 1.61: no size of this example, and one ratio alone is no evidence for any number.
    ("ilovecats_4_5_wrong_weights", "weights"): {("divided_by_dk",)},
    # Row 3: 0.576 ÷ 0.212 is e: the scores 1, 1, 2 as they are, whichever way they were left so.
    ("zh_maochiyu_scale_missing_row", "weights"): {("not_scaled",), ("softmax_unscaled",)},
    # Row 3: 0.52 ÷ 0.24 is 2.17, not e; a divisor of 1.3, or 16 in place of e^3: nothing simple.
    ("pleasestudyman_unscaled", "weights"): set(),
    # A query of zeros: its row is written as 0, where every key has the same weight.
    ("catsleeps_two_heads", "head_outputs"): {("zero_row",)},
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_every_wrong_matrix_of_a_published_example_has_its_cause_or_none(name):
    """Expected causes were found by hand. A matrix that only follows from a wrong one has no cause of its own."""
    verdict = worked(name)
    for step, outcome in verdict.steps.items():
        if (name, step) in WRONG_MATRICES:
            assert {cause.ids for cause in outcome.causes} == WRONG_MATRICES[name, step]
        else:
            assert not outcome.causes
            assert not outcome.unexplained
            assert not any(cell.own for cell in outcome.wrong)


def test_the_first_article_has_one_matrix_that_can_be_explained():
    """Q of head 2 repeats that of head 1, with one number exchanged. Nothing explains the other wrong numbers."""
    verdict = check(built_in("published"))
    assert [name for name, step in verdict.steps.items() if step.status == "wrong"] == [
        "q",
        "k",
        "scaled_scores",
        "weights",
        "head_outputs",
        "concat",
    ]
    assert {cell[1] for cell in wrong_cells(verdict) if cell[0] == "q"} == {1}
    assert {cell[1] for cell in wrong_cells(verdict) if cell[0] == "k"} == {0, 1}
    assert tuple(verdict.first_wrong) == ("q", 1, 0, 0)
    found = [(cause.ids, cause.heads, cause.rows, cause.besides) for cause in verdict.steps["q"].causes]
    assert found == [(("other_head",), (1,), None, False), (("digit_slipped",), (1,), (0,), True)]
    assert [name for name, step in verdict.steps.items() if step.causes] == ["q"]
    assert unexplained(verdict) == ["k", "scaled_scores", "weights", "head_outputs"]
    assert {cell[0] for cell in wrong_cells(verdict, own=False)} == {"scaled_scores", "concat"}


# --- the rule ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("0.27", True), ("0.26", True), ("0.28", False), ("0.25", False), ("0.29", False),  # 0.2689…
        ("0.268941", True), ("0.268943", False), ("0.3", True), ("0.2", True), ("0.4", False), ("0.1", False),
        ("0", True), ("1", True), ("2", False), ("0.30", False), ("2.7e-1", True), ("26.9e-2", True),
        ("3e-1", True), ("27.3e-2", False), ("0.2689414213699951", True), ("-0.27", False), ("-inf", False),
    ],
)  # fmt: skip
def test_a_cell_may_be_off_by_one_unit_of_its_last_digit(text, right):
    verdict = checked(weights=(((text, None), None),))
    assert verdict.ok == right
    assert verdict.steps["weights"].given == 1
    assert verdict.steps["weights"].status == ("ok" if right else "wrong")


def test_large_numbers_may_be_printed_by_their_first_digits():
    example = replace(layer(d_out=None), x=((512.0, 0.0, 0.0),) * 4)
    head = replace(example.heads[0], w_q=((1.0, 0.0), (0.0, 0.0), (0.0, 0.0)))
    example = replace(example, heads=(head, example.heads[1]))
    for text, right in (("5e2", True), ("6e2", True), ("4e2", False), ("5.1e2", True), ("5.3e2", False)):
        claimed = {"q": (((text, None), None, None, None), None)}
        assert check(validate(replace(example, claimed=claimed))).ok == right


TINY = ["1e-310", "5e-324", "1e-400", "-1e-320", "1e-99999999999999999999", "0e-400", f"0.{'0' * 60}1"]
HUGE = ["1.5e308", "-9e307", "0e9999999999999", "0.1e308"]


@pytest.mark.parametrize(
    "text",
    shortened(
        [*TINY, *HUGE, 1e-310, 5e-324, 1.5e308], ["5e-324", "1e-400", "-9e307", "0e9999999999999", 1e-310]
    ),
    ids=repr,
)
def test_the_smallest_and_largest_numbers_of_float64_are_checked(text):
    """One unit of their last digit is too small or too large for float64, or nearly so."""
    for name, filled in product(("first", "water", "saturated"), (1, 3)):
        plain = replace(built_in(name), claimed=None)
        for step, rows in trace(plain).values.items():
            matrix = rows[0] if step in PER_HEAD_STEPS else rows
            claim = tuple(
                (text, *(None for _ in row[1:])) if i < filled else None for i, row in enumerate(matrix)
            )
            if step in PER_HEAD_STEPS:
                claim = (claim, *(None for _ in plain.heads[1:]))
            verdict = check(parse(dump(replace(plain, claimed={step: claim}))))
            assert verdict.steps[step].given == filled
            assert json.dumps(as_json(verdict), allow_nan=False)
            assert as_markdown(verdict)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("1e-310", True), ("2e-310", False), ("20e-311", False), ("5e-324", True), ("1e-400", True),
        ("0.0e-400", True), ("1e-5", True), ("2e-5", False),
    ],
)  # fmt: skip
def test_a_tiny_number_may_be_off_by_one_unit_of_its_last_digit_too(text, right):
    causal = built_in("causal")  # the first query may not attend to the second key: this weight is 0
    row = (None, text, *(None for _ in causal.tokens[2:]))
    claim = ((row, *(None for _ in causal.tokens[1:])), *(None for _ in causal.heads[1:]))
    assert check(validate(replace(causal, claimed={"weights": claim}))).ok == right


def test_a_bare_number_has_the_digits_of_the_longest_in_its_matrix():
    assert checked(weights=(((0.3, None), (None, None)),)).ok
    assert not checked(weights=(((0.3, 0.73), (None, None)),)).ok
    assert checked(weights=(((0.3, None), (0.27, 0.73)),)).first_wrong.row == 0
    assert checked(weights=((("0.3", 0.73), (0.27, 0.73)),)).ok  # a string keeps its own
    assert checked(weights=(((1.0, None), (None, None)),)).ok  # 1.0 and 1 are the same number in a file


def test_whole_numbers_that_are_not_rounded_values_are_doubtful():
    verdict = checked(weights=(((0, 1), (1, 0)),))  # 0.12 and 0.88
    assert verdict.ok
    assert verdict.first_wrong is None
    assert [(tuple(found.cell), found.claimed) for found in verdict.steps["weights"].doubtful] == [
        (("weights", 0, 1, 0), 1),
        (("weights", 0, 1, 1), 0),
    ]
    assert checked(weights=(((0, 1), (0, 1)),)).steps["weights"].doubtful == ()


@pytest.mark.parametrize("claimed", [3, 5, 6])
def test_a_whole_number_for_another_whole_number_is_wrong(claimed):
    """There was nothing to round: the score is exactly 4."""
    verdict = checked(scores=(((1, 2), (3, claimed)),))
    assert wrong_cells(verdict, own=True) == [("scores", 0, 1, 1)]
    assert verdict.steps["scores"].doubtful == ()


def test_a_whole_number_that_says_too_little_is_coarse_and_not_wrong():
    """0 and 1 for 0.27 and 0.73 are off by more than a tenth of the larger. Weights of exactly 0 or 1 are fine."""
    verdict = checked(scores=(((1, 2), (3, 4)),), weights=((("0", "1"), (None, "0.7")),))
    assert verdict.ok
    assert verdict.first_wrong is None
    assert verdict.steps["scores"].coarse == ()
    coarse = verdict.steps["weights"].coarse
    assert [(*found.cell[2:], found.claimed, found.own) for found in coarse] == [
        (0, 0, 0, False),
        (0, 1, 1, False),
    ]
    assert summary(verdict, "en").startswith("2 numbers are rounded too much to be sure that they are right.")
    alone = checked(weights=((("0", None), (None, "0.7")),))
    assert summary(alone, "en") == (
        "0 at attention weights, row 1, column 1 is rounded too much to be "
        "sure that it is right. Give two significant digits, or as many decimals as in the rest of its table. "
        "2 cells are still blank in the tables you've started."
    )
    assert len(as_json(alone)["steps"]["weights"]["coarse"]) == 1
    assert as_json(verdict)["steps"]["weights"].get("nearly") is None
    hard = Head(q=((9.0,), (0.0,)), k=((9.0,), (0.0,)), v=((1.0,), (1.0,)))
    given = replace(verdict.trace.example, heads=(hard,), claimed={"weights": ((("1", "0"), ("1", None)),)})
    assert [tuple(found.cell[2:]) for found in check(given).steps["weights"].coarse] == [(1, 0)]


SPREAD = Head(q=((1.0,),), k=((0.0,), (2.8,), (0.8,)), v=((1.0,), (1.0,), (1.0,)))
"""Its weights are 0.051, 0.837 and 0.113."""


def coarse_in_spread(*row):
    example = Example("", ("a",), (SPREAD,), scale="none", context_tokens=("b", "c", "d"))
    step = check(validate(replace(example, claimed={"weights": ((row,),)}))).steps["weights"]
    assert not step.wrong
    return [found.cell.col for found in step.coarse]


@pytest.mark.parametrize(
    ("row", "coarse"),
    [
        (("0.0", None, None), [0]),  # says nothing about 0.051
        ((None, None, "0.11"), []),
        (("0.05", None, None), []),
        (("0.1", "0.84", None), [0]),  # fewer decimals than the other
        (("0.05", "0.837", None), [0]),
        (("0.051", "0.84", None), []),  # two digits
        (("0.0", "0.8", "0.1"), []),  # the decimals of the table
        ((None, "0.9", "0.2"), []),  # and off by one in the last digit, which is another remark
    ],
)
def test_a_number_needs_two_digits_or_the_decimals_of_its_table(row, coarse):
    assert coarse_in_spread(*row) == coarse


def test_other_rounded_numbers_in_the_row_of_a_coarse_one_are_coarse_too():
    """The largest of 0.05, 0.84 and 0.11 allows for 0.084: on its own, 0 for 0.05 would be close enough."""
    assert coarse_in_spread("0", "1", "0") == [0, 1, 2]
    assert coarse_in_spread("0", None, None) == []


def test_whole_numbers_that_a_known_mistake_gives_are_wrong_and_it_is_named():
    """4/√2 written as 2 is within one unit, but dividing all of them by d_k also gives 2."""
    example = built_in("water")
    halved = tuple(
        tuple(tuple(f"{n / 2:g}" for n in row) for row in rows) for rows in trace(example).values["scores"]
    )
    step = check(replace(example, claimed={"scaled_scores": halved})).steps["scaled_scores"]
    assert (len(step.wrong), step.doubtful) == (7, ())
    assert (("divided_by_dk",), (1,)) in [(cause.ids, cause.heads) for cause in step.causes]


def test_a_last_digit_that_neither_rounding_nor_truncation_gives_is_reported():
    """For 0.7311, 0.74 is off by one unit and 0.75 is wrong. For 0.2689, 0.26 is the truncated value."""
    for text, outcome in (("0.72", "wrong"), ("0.73", "right"), ("0.74", "nearly"), ("0.75", "wrong")):
        step = checked(weights=(((None, text), (None, None)),)).steps["weights"]
        assert ("wrong" if step.wrong else "nearly" if step.nearly else "right") == outcome, text
    verdict = checked(weights=((("0.26", "0.74"), ("0.27", "0.731")),))
    assert verdict.ok
    assert summary(verdict, "en") == (
        "All 4 numbers are right. At attention weights, row 1, column 2, the last digit is off by one."
    )
    assert [cell["claimed"] for cell in as_json(verdict)["steps"]["weights"]["nearly"]] == [0.74]


def test_a_doubtful_number_comes_before_what_follows_from_it():
    verdict = checked(weights=(((0, 1), (1, 0)),), head_outputs=((("2.7", "7.3"), ("10.0", "0.0")),))
    assert tuple(verdict.first_wrong) == ("weights", 0, 1, 0)
    assert wrong_cells(verdict, own=True) == []
    assert wrong_cells(verdict, own=False) == [("head_outputs", 0, 1, 0), ("head_outputs", 0, 1, 1)]


def test_a_whole_number_that_follows_from_rounded_ones_is_no_slip():
    """Weights of ½ and ½ may be printed as 0 and 0; then 1 · ½ + 1 · ½ = 1 becomes 0, which is not a slip."""
    alike = Head(q=((0.0,),), k=((1.0,), (1.0,)), v=((1.0,), (1.0,)))
    example = Example("", ("a",), (alike,), scale="none", context_tokens=("b", "c"))

    def printed(**claimed):
        return check(validate(replace(example, claimed=claimed))).steps["head_outputs"]

    followed = printed(weights=(((0, 0),),), head_outputs=(((0,),),))
    assert (followed.doubtful, followed.wrong) == ((), ())
    assert len(printed(head_outputs=(((0,),),)).wrong) == 1


def test_rounding_to_whole_numbers_on_the_way_is_named():
    """½ and ½ printed as 1 and 0: 2 · ½ + 0 · ½ = 1 becomes 2, and 5 times that is 10. Exponentials that were not
    divided would be 1 and 1, which do not round to 0.
    """
    head = Head(q=((0.0,), (50.0,)), k=((1.0,), (0.0,)), v=((2.0,), (0.0,)))
    example = Example("", ("a", "b"), (head,), w_o=((5.0,),), scale="none")
    claimed = {
        "weights": (((1, 0), (1, 0)),),
        "head_outputs": (((2,), (2,)),),
        "concat": ((2,), (2,)),
        "output": ((10,), (10,)),
    }
    verdict = check(validate(replace(example, claimed=claimed)))
    assert [step.doubtful for step in verdict.steps.values() if step.doubtful] == []
    assert [cause.ids for cause in verdict.steps["output"].causes] == [(ROUNDED_EARLY,)]


def test_minus_infinity_is_right_only_where_a_mask_hides():
    example = layer(mask="causal")
    claims = answer(example, work_out(example))
    assert claims.claimed["masked_scores"][0][0][1] == "-inf"
    assert check(claims).ok
    hidden = with_cell(claims, "masked_scores", 0, 2, 1, "-inf")
    assert wrong_cells(check(hidden)) == [("masked_scores", 0, 2, 1)]
    shown = with_cell(claims, "masked_scores", 1, 0, 3, "0.5")
    assert wrong_cells(check(shown)) == [("masked_scores", 1, 0, 3)]


# --- own errors, and those that follow ---------------------------------------------------------------------------


def test_only_the_first_error_is_own_if_the_rest_is_computed_from_it():
    def slipped(s):
        rows = RIGHT["k"](s)
        rows[1][0] += 2
        return rows

    for seed in range(10):
        example = layer(seed)
        verdict = found(example, work_out(example, {"k": slipped}, heads=[1]))
        assert wrong_cells(verdict, own=True) == [("k", 1, 1, 0)]
        assert tuple(verdict.first_wrong) == ("k", 1, 1, 0)
        assert {head for _, head, _, _ in wrong_cells(verdict)} <= {1, None}


def test_a_right_number_after_a_wrong_one_is_not_wrong():
    example = layer(2)
    claims = with_cell(answer(example, work_out(example)), "q", 0, 0, 0, "9")
    verdict = check(claims)
    assert wrong_cells(verdict) == [("q", 0, 0, 0)]


def test_a_later_second_own_error_is_own_too():
    example = layer(2)
    claims = with_cell(answer(example, work_out(example)), "q", 0, 0, 0, "9")
    verdict = check(with_cell(claims, "output", None, 3, 2, "-77"))
    assert wrong_cells(verdict, own=True) == [("q", 0, 0, 0), ("output", None, 3, 2)]


def test_rounding_at_one_step_alone_is_followed():
    """Scaled scores are rounded to 2 decimals, weights are computed from them in full and printed to 2 decimals."""
    for seed in range(10):
        example = layer(seed, scale=3.0)
        example = replace(example, x=tuple(tuple(5 * cell for cell in row) for row in example.x), scale=30.0)
        once = {"scaled_scores": lambda s: [[round(c, 2) for c in row] for row in RIGHT["scaled_scores"](s)]}
        verdict = found(example, work_out(example, once), decimals=2)
        assert unexplained(verdict) == []
        assert wrong_cells(verdict, own=True) == []


# --- every kind of layer -----------------------------------------------------------------------------------------

KINDS = {
    "one head": {"h": 1},
    "five heads": {"h": 5},
    "no W_O": {"d_out": None},
    "biases": {"biases": True},
    "causal": {"mask": "causal"},
    "painted": {"mask": AllowMask(((True, False, True, True),) * 4)},
    "painted with a number": {"mask": AllowMask(((True, False, True, True),) * 4, -1e9)},
    "added": {"mask": AddMask(((0.0, 1.5, float("-inf"), -1.0),) * 4)},
    "a query that sees nothing": {"mask": AllowMask(((True,) * 4, (False,) * 4, (True,) * 4, (True,) * 4))},
    "not scaled": {"scale": "none"},
    "divided by a number": {"scale": -2.5},
    "cross-attention": {"n_k": 5, "biases": True},
    "one token": {"n": 1},
}


@pytest.mark.parametrize("sizes", KINDS.values(), ids=KINDS)
def test_right_answers_are_right_and_a_wrong_cell_is_found(sizes):
    example = layer(5, **sizes)
    claims = answer(example, work_out(example), 6)
    verdict = check(claims)
    assert verdict.ok
    assert [name for name, step in verdict.steps.items() if step.status == "ok"] == used(example)
    for name in used(example):
        head = None if name in ("concat", "output") else len(example.heads) - 1
        verdict = check(with_cell(claims, name, head, 0, 0, "5.4321"))
        assert wrong_cells(verdict) == [(name, head, 0, 0)]
        assert verdict.steps[name].status == "wrong"


@tries(6)
@given(examples(claims=False), st.integers(2, 8))
def test_any_example_printed_as_it_is_is_right(example, decimals):
    steps = {
        name: [rows_of_head or [] for rows_of_head in rows] if name not in ("concat", "output") else rows
        for name, rows in trace(example).values.items()
    }
    claimed = {
        name: tuple(rows_of_head or None for rows_of_head in rows)
        if name not in ("concat", "output")
        else rows
        for name, rows in printed(steps, decimals).items()
    }
    verdict = check(validate(replace(example, claimed=claimed)))
    assert verdict.ok
    assert verdict.first_wrong is None


@tries(6)
@given(examples())
def test_any_claims_can_be_checked(example):
    verdict = check(example)
    assert verdict.ok == (not wrong_cells(verdict))
    for name, step in verdict.steps.items():
        assert all(cell.cell.name == name for cell in step.wrong + step.doubtful)
        assert not step.causes or step.wrong
        assert (step.status == "missing") == (step.given == 0)


@pytest.mark.parametrize("step", ["scaled_scores", "masked_scores"])
def test_a_step_that_the_example_does_not_have_is_a_copy_of_the_one_before(step):
    scores = (("1", "2"), ("3", "4"))
    assert checked(**{step: (scores,)}).ok
    verdict = checked(**{step: ((("1", "2"), ("3", "7")),)})
    assert wrong_cells(verdict, own=True) == [(step, 0, 1, 1)]
    follows = checked(
        **{step: ((("1", "2"), ("3", "7")),)}, weights=((("0.269", "0.731"), ("0.018", "0.982")),)
    )
    assert wrong_cells(follows, own=True) == [(step, 0, 1, 1)]


@pytest.mark.parametrize("name", ["rotary", "additive", "cosine", "output-projection", "translation"])
def test_digits_moved_together_give_the_same_as_one_by_one(name, monkeypatch):
    """Unexplained numbers that feed different cells are moved together: 64 × 64 one by one took 18 seconds."""
    random = Random(name)
    example = built_in(name)
    claimed = {
        step: _unexplained(matrices, random)
        for step, matrices in trace(example).values.items()
        if step not in ("masked_scores", "concat")
    }
    example = validate(replace(example, claimed=claimed))
    at_once = as_json(check(example))
    one_by_one = Mock(side_effect=lambda step, name, axes: [True] * axes)
    monkeypatch.setattr("mha_core.check.lost_digits._mixed_axes", one_by_one)
    assert as_json(check(example)) == at_once
    assert one_by_one.called


def _unexplained(numbers, random):
    if isinstance(numbers, float):
        return f"{numbers + random.uniform(-0.4, 0.4):.1f}"
    return [_unexplained(part, random) for part in numbers]


def test_heads_that_do_not_start_at_x():
    example = parse((Path(__file__).parent / "starts_further_on.mha.json").read_bytes())
    steps = trace(example).values
    claimed = {"weights": printed({"weights": steps["weights"]})["weights"]}
    assert check(validate(replace(example, claimed=claimed))).ok
    claims = validate(replace(example, claimed=claimed))
    given = check(with_cell(claims, "weights", 3, 0, 0, "0.9"))
    assert wrong_cells(given, own=True) == [("weights", 3, 0, 0)]
    computed = check(with_cell(claims, "weights", 1, 0, 0, "0.4444"))
    assert wrong_cells(computed, own=True) == [("weights", 1, 0, 0)]


# --- answers that are not complete -------------------------------------------------------------------------------


def test_nothing_given_is_missing_and_not_wrong():
    for claimed in (None, {"q": (None, None)}, {"weights": ((None,) * 4, None)}):
        verdict = check(replace(layer(), claimed=claimed))
        assert verdict.ok
        assert verdict.first_wrong is None
        assert {step.status for step in verdict.steps.values()} == {"missing"}


def test_cells_rows_and_heads_may_be_left_out():
    example = layer(3)
    claims = answer(example, work_out(example), only=("k", "weights", "output"))
    first, second = claims.claimed["weights"]
    for weights in (
        (None, second),
        ((None, *first[1:]), second),
        (((None, *first[0][1:]), *first[1:]), None),
    ):
        part = replace(claims, claimed=claims.claimed | {"weights": weights})
        assert check(part).ok
        wrong = check(with_cell(part, "output", None, 1, 1, "55.5"))
        assert wrong_cells(wrong, own=True) == [("output", None, 1, 1)]


@pytest.mark.parametrize("step", ["weights", "head_outputs", "output"])
def test_a_mistake_is_named_from_a_step_alone_though_cells_are_blank(step):
    example = layer(4)
    wrong = work_out(example, {"scaled_scores": lambda s: s.scores})
    claims = answer(example, wrong, only=(step,))
    blank = with_cell(claims, step, None if step == "output" else 0, 0, 0, None)
    assert any("not_scaled" in ids for ids in named(check(blank)))


def test_digits_of_a_printed_number_are_counted_once_for_all_cells_that_have_them():
    decimals.cache_clear()
    example = built_in("causal")
    claim = tuple(tuple(("7.77",) * 5 for _ in range(5)) for _ in example.heads)
    assert not check(validate(replace(example, claimed={"weights": claim}))).ok
    assert decimals.cache_info().misses == 1


# --- a constant in a masked cell ---------------------------------------------------------------------------------


def masked(rows, by=1.0, mask="causal", **claimed):
    """Three tokens, one head that starts from q and k, with ``by`` times the scores 1 0 2, 1 1 0, 2 1 2; not scaled."""
    k = ((1.0, 1.0), (0.0, 1.0), (2.0, 0.0))
    head = Head(q=((by, 0.0), (0.0, by), (by, by)), k=k, v=((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)))
    example = Example("", ("a", "b", "c"), (head,), scale="none", mask=mask)
    return check(validate(replace(example, claimed={"masked_scores": (rows,), **claimed})))


@pytest.mark.parametrize("constant", ["-1e9", "-10000", "-65504", "-3.4028e38", "-1e4", "-999"])
def test_a_constant_far_below_the_scores_of_its_row_is_the_mask(constant):
    verdict = masked((("1", constant, constant), ("1", "1", constant), ("2", "1", "2")))
    assert verdict.ok
    assert named(verdict) == unexplained(verdict) == []
    assert len(verdict.steps["masked_scores"].constant) == 3
    assert "In 3 masked cells, a large negative number such as −" in summary(verdict, "en")


def test_minus_infinity_where_the_example_has_a_constant_is_the_mask():
    allow = ((True, False, False), (True, True, False), (True, True, True))
    rows = (("1", "-inf", "-inf"), ("1", "1", "-inf"), ("2", "1", "2"))
    assert masked(rows, mask=AllowMask(allow, fill=-1e9)).ok


def test_a_constant_above_the_scores_of_its_row_is_too_small_and_never_set_to_0():
    """A fill of −1e5 next to scores of −110000 gets all the weight, so it is reported and not replaced by 0."""
    rows = (("-110000", "-1e5", "-1e5"), ("-110000", "-110000", "-1e5"), ("-220000", "-110000", "-220000"))
    weights = ((("0.0", "0.5", "0.5"), ("0.0", "0.0", "1.0"), ("0.0", "1.0", "0.0")),)
    verdict = masked(rows, by=-110000.0, weights=weights)
    assert named(verdict) == [("mask_too_weak",)]
    assert unexplained(verdict) == []
    assert {cell[0] for cell in wrong_cells(verdict, own=False)} == {"weights"}


def test_scores_set_to_0_are_still_a_mistake():
    verdict = masked((("1", "0", "0"), ("1", "1", "0"), ("2", "1", "2")))
    assert named(verdict) == [("mask_filled_with_0",)]
