"""Every known mistake, made by hand in plain loops and at random by the catalogue, is found and named."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from math import exp, sqrt
from operator import ne
from random import Random

import pytest
import torch

from mha_core import AllowMask, Head, Positions
from mha_core.check.catalogue import CATALOGUE, MESSAGES, ROUNDED_EARLY
from mha_core.check.check import check
from mha_core.check.slips import SLIP
from mha_core.check.transcription import EXCHANGED, pen_slips
from mha_core.compute.printed import printed
from mha_core.example.band import BandMask
from mha_core.messages import catalogue
from tests.core.answers import (
    LAYER,
    RIGHT,
    answer,
    apart,
    divided,
    found,
    last,
    layer,
    named,
    sqrt_of,
    transposed,
    unexplained,
    used,
    with_cell,
    work_out,
    wrong_cells,
)
from tests.core.reference import NEG_INF, dot_products, project, rotated, softmax, weighted_sums
from tests.mistakes.known import outcome, rounded
from tests.sizes import each, lengthened
from tools.mistakes import ALONE, GIVEN_STEPS, IDS, many

SEEN = (
    (True, True, False, True),
    (True, True, True, True),
    (False, True, True, False),
    (True, False, True, True),
)
PADDED = AllowMask(SEEN)


LOW = tuple(
    Head(
        w_q=w, w_k=tuple(tuple(-cell for cell in row) for row in w), w_v=((1.0, 0.0), (0.0, 1.0), (1.0, -1.0))
    )
    for w in (((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)), ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0)))
)
"""Heads in which every token's score with itself is below 0."""


def made(label, steps, way="", **sizes):
    """A mistake made by hand: the wrong computation of its steps, and the sizes of the layer."""
    return pytest.param(label, steps, sizes, id=f"{label} at {' and '.join(steps)}{way and ', ' + way}")


def by_row(change):
    """The softmax of each changed row."""
    return lambda s: [softmax(row) for row in change(s)]


def x_times(name):
    """X·W, without a bias."""
    return lambda s: project(s.x, getattr(s.head, name), None)


def rotate(name, pairs):
    """Q or K rotated with these pairs of columns."""
    return lambda s: rotated(getattr(s, name), s.angles if name == "q" else s.key_angles, pairs)


def hide(fill, allow):
    """Scaled scores with what is not allowed replaced."""
    return lambda s: [
        [cell if allow(i, j) else fill for j, cell in enumerate(row)] for i, row in enumerate(s.scaled_scores)
    ]


def over_everything(s):
    powers = [[exp(cell) for cell in row] for row in s.masked_scores]
    total = sum(map(sum, powers))
    return [[power / total for power in row] for row in powers]


def flat(s):
    """All heads' numbers in the order in which a tensor of heads × rows × columns lies in memory."""
    return [cell for one in s.heads for row in one.head_outputs for cell in row]


def interleaved(s):
    """[cell 1 of head 1, cell 1 of head 2, cell 2 of head 1, …] in each row."""
    return [
        [one.head_outputs[i][j] for j in range(len(s.heads[0].head_outputs[0])) for one in s.heads]
        for i in range(s.n)
    ]


def reshaped(s):
    """A reshape without the transpose: whole heads fill the rows."""
    width = len(flat(s)) // s.n
    return [flat(s)[i * width : (i + 1) * width] for i in range(s.n)]


def other(s):
    return s.heads[(s.g + 1) % len(s.heads)]


BY_HAND = [
    made("not_scaled", {"scaled_scores": lambda s: s.scores}),
    made("divided_by_dk", {"scaled_scores": lambda s: divided(s.scores, len(s.q[0]))}, d_k=3),
    made("divided_by_sqrt_dk", {"scaled_scores": lambda s: divided(s.scores, sqrt(len(s.q[0])))}, d_k=3, scale=2.5),
    made("divided_by_sqrt_d_model", {"scaled_scores": lambda s: divided(s.scores, sqrt(s.d_model))}),
    made("divided_by_sqrt_n", {"scaled_scores": lambda s: divided(s.scores, sqrt(s.n))}),
    made("divided_by_sqrt_dv", {"scaled_scores": sqrt_of(lambda s: len(s.v[0]))}, d_v=5),
    made("divided_by_sqrt_all_heads", {"scaled_scores": sqrt_of(lambda s: len(s.heads) * len(s.q[0]))}, d_k=3),
    made("multiplied_by_divisor", {"scaled_scores": lambda s: divided(s.scores, 1 / s.divisor)}),
    made("k_not_transposed", {"scores": lambda s: project(s.q, s.k, None)}, n=3, d_k=3, d_model=4),
    made("scores_times_v", {"scores": lambda s: project(dot_products(s.q, s.k), s.v, None)}, d_v=4),
    made("scores_times_v", {"scores": lambda s: project(dot_products(s.q, s.k), s.v, None)}, "a context",
        n_k=5, d_v=5),
    made("paired_as_neighbours", {"q_rotated": rotate("q", "interleaved"), "k_rotated": rotate("k", "interleaved")},
        d_k=4, positions=Positions("rotary", pairs="half")),
    made("paired_as_neighbours", {"k_rotated": rotate("k", "interleaved")}, "six columns, a context",
        d_k=6, n_k=5, positions=Positions("rotary", pairs="half")),
    made("paired_as_halves", {"q_rotated": rotate("q", "half"), "k_rotated": rotate("k", "half")},
        d_k=4, positions=Positions("rotary")),
    made("paired_as_halves", {"q_rotated": rotate("q", "half")}, d_k=4, positions=Positions("rotary")),
    made("q_k_swapped", {"scores": lambda s: dot_products(s.k, s.q)}),
    made("q_k_swapped", {"q": x_times("w_k"), "k": x_times("w_q")}),
    made("v_from_k", {"v": x_times("w_k")}),
    made("v_from_k", {"head_outputs": lambda s: weighted_sums(s.weights, s.k)}),
    made("weight_transposed", {"q": lambda s: project(s.x, transposed(s.head.w_q), None)}, d_k=3),
    made("weight_transposed", {"v": lambda s: project(s.x, transposed(s.head.w_v), None)}, d_v=3),
    made("other_head", {"q": lambda s: project(s.x, other(s).head.w_q, None)}),
    made("other_head", {"k": lambda s: project(s.x, other(s).head.w_k, None)}),
    made("other_head", {"head_outputs": lambda s: weighted_sums(s.weights, other(s).v)}),
    made("bias_forgotten", {"q": x_times("w_q")}, biases=True),
    made("bias_forgotten", {"v": x_times("w_v")}, biases=True),
    made("bias_forgotten", {"output": lambda s: project(s.concat, s.example.w_o, None)}, biases=True),
    made("x_for_context", {"k": x_times("w_k")}, n_k=4),
    made("x_for_context", {"k": x_times("w_k"), "v": x_times("w_v")}, n_k=4),
    made("mask_forgotten", {"masked_scores": lambda s: s.scaled_scores}, mask="causal"),
    made("mask_inverted", {"masked_scores": hide(NEG_INF, lambda i, j: j > i)}, mask="causal"),
    made("mask_off_by_one", {"masked_scores": hide(NEG_INF, lambda i, j: j <= i + 1)}, "one more", mask="causal"),
    made("mask_off_by_one", {"masked_scores": hide(NEG_INF, lambda i, j: j < i)}, "one less", mask="causal"),
    made("mask_other_corner", {"masked_scores": hide(NEG_INF, lambda i, j: j <= i + 2)}, mask="causal", n_k=6),
    made("mask_other_corner", {"masked_scores": hide(NEG_INF, lambda i, j: j <= i)}, "the lower right",
        mask=BandMask(causal=True, corner="bottom_right"), n_k=6),
    made("window_forgotten", {"masked_scores": hide(NEG_INF, lambda i, j: j <= i)}, mask=BandMask(2, causal=True)),
    made("window_off_by_one", {"masked_scores": hide(NEG_INF, lambda i, j: i < j <= i + 2)}, "one more",
        mask=BandMask(1, causal=True, corner="bottom_right"), n_k=6),
    made("window_off_by_one", {"masked_scores": hide(NEG_INF, lambda i, j: i == j)}, "one less",
        mask=BandMask(2, causal=True)),
    made("window_off_by_one", {"masked_scores": hide(NEG_INF, lambda i, j: abs(i - j) <= 2)}, "both sides",
        mask=BandMask(1), n=5),
    made("window_off_by_one", {"masked_scores": hide(NEG_INF, lambda i, j: abs(i - j) <= 1)}, "both sides, one less",
        mask=BandMask(2)),
    made("mask_filled_with_0", {"masked_scores": hide(0.0, lambda i, j: j <= i)}, mask="causal"),
    made("mask_filled_with_0", {"masked_scores": hide(0.0, lambda i, j: PADDED.allow[i][j])}, "painted", mask=PADDED),
    made("mask_too_weak", {"masked_scores": hide(-100.0, lambda i, j: j <= i)}, mask="causal", scale=0.013, heads=LOW),
    made("mask_too_weak", {"masked_scores": lambda s: [
        [cell - 100 * (j > i) for j, cell in enumerate(row)] for i, row in enumerate(s.scaled_scores)
    ]}, "added", mask="causal", scale=0.013, heads=LOW),
    made("mask_after_softmax", {"weights": lambda s: [
        [cell if j <= i else 0.0 for j, cell in enumerate(softmax(row))] for i, row in enumerate(s.scaled_scores)
    ]}, mask="causal"),
    made("softmax_unscaled", {"weights": by_row(lambda s: s.scores)}),
    made("sink_forgotten", {"weights": by_row(lambda s: s.masked_scores)}, sink=(0.5,)),
    made("softmax_twice", {"weights": by_row(lambda s: [softmax(row) for row in s.masked_scores])}),
    made("softmax_twice", {"weights": lambda s: [
        softmax([cell or NEG_INF for cell in softmax(row)]) for row in s.masked_scores
    ]}, "masked once more", mask="causal"),
    made("softmax_columns", {"weights": lambda s: transposed([softmax(row) for row in transposed(s.masked_scores)])}),
    made("softmax_everything", {"weights": over_everything}),
    made("not_normalised", {"weights": lambda s: [[exp(cell) for cell in row] for row in s.masked_scores]}),
    made("not_normalised", {"weights": lambda s: [[exp(cell - max(row)) for cell in row] for row in s.masked_scores]},
        "less the largest"),
    made("softmax_forgotten", {"weights": lambda s: s.masked_scores}),
    made("without_exp", {"weights": lambda s: [[cell / sum(row) for cell in row] for row in s.masked_scores]}),
    made("scaled_after_softmax", {"weights": lambda s: [divided([softmax(row)], s.divisor)[0] for row in s.scores]}),
    made("scaled_anyway", {"weights": by_row(lambda s: divided(s.scores, sqrt(len(s.q[0]))))}, scale="none"),
    made("weights_transposed", {"head_outputs": lambda s: weighted_sums(transposed(s.weights), s.v)}),
    made("v_not_projected", {"head_outputs": lambda s: weighted_sums(s.weights, s.x)}, d_v=3),
    made("heads_interleaved", {"concat": interleaved}, "cell by cell"),
    made("heads_interleaved", {"concat": reshaped}),
    made("heads_interleaved", {"concat": reshaped}, "three heads", h=3, d_out=None),
    made("heads_reordered", {"concat": lambda s: [
        [cell for one in reversed(s.heads) for cell in one.head_outputs[i]] for i in range(s.n)
    ]}),
    made("heads_averaged", {"output": lambda s: project(divided(s.concat, len(s.heads)), s.example.w_o, None)}),
    made("w_o_left_out", {"output": lambda s: s.concat}, d_out=4),
    made("w_o_transposed", {"output": lambda s: project(s.concat, transposed(s.example.w_o), None)}, d_out=4),
]  # fmt: skip


def example_that_shows(steps, sizes):
    """A layer in which the wrong steps change every head's numbers, and the last step's; its answers."""
    for seed in range(100):
        example = layer(seed, **sizes)
        try:
            right, wrong = work_out(example), work_out(example, steps)
        except ZeroDivisionError:  # scores that sum to 0
            continue
        moved = [apart(wrong[name], right[name]) for name in {*steps, last(example)} & {*LAYER}]
        moved += [
            apart(*pair)
            for name in {*steps} - {*LAYER}
            for pair in zip(wrong[name], right[name], strict=True)
        ]
        if min(moved) > 0.05:
            return example, wrong
    raise AssertionError("no layer shows this mistake")


def test_every_mistake_of_the_catalogue_is_made_by_hand():
    assert {param.values[0] for param in BY_HAND} | {"zero_row"} == {mistake.id for mistake in CATALOGUE}


@pytest.mark.parametrize(("label", "steps", "sizes"), BY_HAND)
def test_made_by_hand_it_is_named_where_it_was_made(label, steps, sizes):
    example, wrong = example_that_shows(steps, sizes)
    verdict = found(example, wrong)
    assert not verdict.ok
    step = verdict.first_wrong.name
    assert step in steps
    assert (label,) in named(verdict, step)
    assert unexplained(verdict) == []
    causes = [cause for name in steps for cause in verdict.steps[name].causes if cause.ids == (label,)]
    assert all(cause.heads is None and cause.rows is None for cause in causes)
    assert {name for name, *_ in wrong_cells(verdict, own=True)} <= set(steps)


@pytest.mark.parametrize(("label", "steps", "sizes"), BY_HAND)
def test_made_by_hand_it_is_named_from_weights_and_output_alone(label, steps, sizes):
    example, wrong = example_that_shows(steps, sizes)
    verdict = found(example, wrong, only=("weights", last(example)))
    assert not verdict.ok
    assert (label,) in named(verdict)
    assert unexplained(verdict) == []


def test_a_row_of_zeros_that_should_be_uniform():
    example = layer(1)
    example = replace(example, x=((0.0, 0.0, 0.0), *example.x[1:]))
    steps = {
        "weights": lambda s: [softmax(row) if any(row) else [0.0 for _ in row] for row in s.masked_scores]
    }
    verdict = found(example, work_out(example, steps))
    assert ("zero_row",) in named(verdict, "weights")
    assert {cell[2] for cell in wrong_cells(verdict, own=True)} == {0}


# --- in one head, in one row, two at once ----------------------------------------------------------------------


IN_HEADS = [param for param in BY_HAND if not {*param.values[1]} & {*LAYER}]


@pytest.mark.parametrize(("label", "steps", "sizes"), IN_HEADS)
def test_made_in_one_head_it_is_that_heads(label, steps, sizes):
    example, _ = example_that_shows(steps, sizes)
    verdict = found(example, work_out(example, steps, heads=[1]))
    causes = [cause for name in steps for cause in verdict.steps[name].causes if cause.ids == (label,)]
    assert causes
    assert all(cause.heads == (1,) and cause.cell.head == 1 for cause in causes)
    assert {head for name, head, _, _ in wrong_cells(verdict, own=True)} == {1}


IN_ANY_ROW = "mask_too_weak"
"""A constant that is too small in one row counts as −∞ in the others, so nobody can see whether it is in all rows."""
BY_ROW = [
    param
    for param in BY_HAND
    if next(m for m in CATALOGUE if m.id == param.values[0]).by_row and param.values[0] != IN_ANY_ROW
]


@pytest.mark.parametrize(("label", "steps", "sizes"), BY_ROW)
def test_made_in_one_row_it_is_that_rows(label, steps, sizes):
    example, wrong = example_that_shows(steps, sizes)
    (name,) = steps
    right = work_out(example)

    def shown(i):
        """How many of the row's numbers change, and how far: the more, the fewer other mistakes make the same row."""
        rows = [(wrong[name][g][i], right[name][g][i]) for g in range(2)]
        return min(sum(map(ne, *both)) for both in rows), min(apart(*both) for both in rows)

    row = max(range(len(right[name][0])), key=shown)

    def in_row(s):
        return [steps[name](s)[i] if i == row else cells for i, cells in enumerate(RIGHT[name](s))]

    verdict = found(example, work_out(example, {name: in_row}))
    assert (label,) in named(verdict, name)
    assert unexplained(verdict) == []
    assert all(cause.rows == (row,) for cause in verdict.steps[name].causes if cause.ids == (label,))
    assert {cell[2] for cell in wrong_cells(verdict, own=True)} == {row}


BOTH = {
    "not scaled, mask forgotten": ({"scaled_scores": lambda s: s.scores, "masked_scores": lambda s: s.scaled_scores},
        ("weights", "output"), {"not_scaled", "mask_forgotten"}, {"mask": "causal"}),
    "K not transposed, divided by d_k": ({"scores": lambda s: project(s.q, s.k, None),
        "scaled_scores": lambda s: divided(s.scores, 3)},
        ("weights", "output"), {"k_not_transposed", "divided_by_dk"}, {"n": 3, "d_k": 3, "d_model": 4}),
    "another head's W_Q, softmax over everything": ({"q": lambda s: project(s.x, other(s).head.w_q, None),
        "weights": over_everything}, ("weights", "head_outputs"), {"other_head", "softmax_everything"}, {}),
    "V from K, weights transposed": ({"v": x_times("w_k"),
        "head_outputs": lambda s: weighted_sums(transposed(s.weights), s.v)},
        ("weights", "head_outputs"), {"v_from_k", "weights_transposed"}, {}),
    "interleaved, W_O transposed": ({"concat": interleaved,
        "output": lambda s: project(s.concat, transposed(s.example.w_o), None)},
        ("head_outputs", "output"), {"heads_interleaved", "w_o_transposed"}, {"d_out": 4}),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "only", "labels", "sizes"), BOTH.values(), ids=BOTH)
def test_two_mistakes_between_what_was_written_are_named_together(steps, only, labels, sizes):
    example, wrong = example_that_shows(steps, sizes)
    verdict = found(example, wrong, only=only)
    assert any(set(ids) == labels for ids in named(verdict))
    assert unexplained(verdict) == []


def test_two_mistakes_with_all_steps_written_are_named_each_where_it_is():
    steps, _, _, sizes = BOTH["K not transposed, divided by d_k"]
    example, wrong = example_that_shows(steps, sizes)
    verdict = found(example, wrong)
    assert named(verdict) == [("k_not_transposed",), ("divided_by_dk",)]
    assert verdict.steps["scores"].causes[0].ids == ("k_not_transposed",)
    assert {name for name, *_ in wrong_cells(verdict, own=True)} == {"scores", "scaled_scores"}


# --- mistakes that change nothing ------------------------------------------------------------------------------


def symmetric(example):
    """The example with every weight matrix its own transpose."""
    mirrored = ((1.0, 2.0, 0.0), (2.0, -1.0, 3.0), (0.0, 3.0, 1.0))
    return replace(example, heads=tuple(replace(head, w_q=mirrored, w_k=mirrored) for head in example.heads))


UNCHANGED = {
    "W its own transpose": (symmetric(layer(d_k=3)), {"q": lambda s: project(s.x, transposed(s.head.w_q), None)}),
    "W_Q and W_K alike": (symmetric(layer(d_k=3)), {"q": x_times("w_k")}),
    "one key": (layer(n=1), {"weights": over_everything}),
    "a divisor of 1": (layer(d_k=1), {"scaled_scores": lambda s: s.scores}),
    "d_k = n": (layer(d_k=2, n=2), {"scaled_scores": lambda s: divided(s.scores, sqrt(s.n))}),
    "a mask that allows all": (
        layer(mask=AllowMask(((True,) * 4,) * 4)), {"masked_scores": lambda s: s.scaled_scores}
    ),
    "one head": (layer(h=1), {"concat": interleaved}),
    "biases of 0": (layer(), {"v": lambda s: project(s.x, s.head.w_v, (0.0, 0.0))}),
}  # fmt: skip


@pytest.mark.parametrize(("example", "steps"), UNCHANGED.values(), ids=UNCHANGED)
def test_a_mistake_that_changes_no_number_is_none(example, steps):
    verdict = found(example, work_out(example, steps))
    assert verdict.ok
    assert verdict.first_wrong is None
    assert named(verdict) == []
    assert {step.status for step in verdict.steps.values()} == {"ok"}


SAME_NUMBER = {
    "√(h·d_k) is √d_model": ({"h": 2, "d_k": 2, "d_model": 4}, 4, "divided_by_sqrt_d_model"),
    "√(h·d_k) is √n": ({"h": 2, "d_k": 2, "n": 4}, 4, "divided_by_sqrt_n"),
    "√(h·d_k) is d_k": ({"h": 3, "d_k": 3, "d_model": 4}, 9, "divided_by_dk"),
    "√(h·d_k) is √d_k": ({"h": 1, "d_k": 3, "d_model": 5, "scale": 2.5}, 3, "divided_by_sqrt_dk"),
    "√(h·d_k) is √d_v": ({"h": 2, "d_k": 3, "d_v": 6, "d_model": 5}, 6, "divided_by_sqrt_dv"),
    "√d_v is √d_model": ({"d_v": 5, "d_model": 5}, 5, "divided_by_sqrt_d_model"),
    "√d_v is no divisor": ({"d_v": 1}, 1, "not_scaled"),
}


@pytest.mark.parametrize(("sizes", "size", "label"), SAME_NUMBER.values(), ids=SAME_NUMBER)
def test_a_divisor_with_two_names_is_called_by_the_simpler_one(sizes, size, label):
    example, wrong = example_that_shows({"scaled_scores": sqrt_of(lambda s: size)}, sizes)
    causes = named(found(example, wrong))
    assert (label,) in causes
    assert not ({("divided_by_sqrt_dv",), ("divided_by_sqrt_all_heads",)} - {(label,)}) & {*causes}


# --- at random ---------------------------------------------------------------------------------------------------

COUNT = lengthened(2)


@pytest.mark.parametrize("given", GIVEN_STEPS)
def test_planted_at_random_the_right_cause_is_named_and_hardly_ever_a_wrong_one(given):
    wrong, total = 0, 0
    missed: dict[str, Counter[str]] = {}
    for label in (label for label in IDS if label not in SLIP):
        all_outcomes = (outcome(check(one.example), label) for one in many(label, 20 * COUNT, given))
        outcomes = Counter(islice((one for one in all_outcomes if one != "unchanged"), COUNT))
        right = outcomes["alone"] + outcomes["listed"]
        assert outcomes.total() == COUNT
        wrong += COUNT - right - outcomes["unknown"]
        total += COUNT
        if right < 0.95 * COUNT:
            missed[label] = outcomes
    assert missed == {}
    assert wrong <= 0.005 * total


def test_right_numbers_are_never_called_wrong_unless_rounding_is_said():
    count = lengthened(200)
    outcomes = rounded(count)
    assert outcomes["CALLED WRONG"] == 0
    assert outcomes["right"] >= count / 2


@pytest.mark.parametrize("label", [*ALONE, EXCHANGED])
def test_a_slip_is_looked_at_where_it_was_made_and_the_rest_follows(label):
    hit, clean, total = 0, 0, 0
    for one in many(label, lengthened(4), "all", seed=7):
        verdict = check(one.example)
        own = wrong_cells(verdict, own=True)
        total += 1
        hit += tuple(verdict.first_wrong or ()) == (one.step, *one.cell)
        clean += {cell[:2] for cell in own} == {(one.step, one.cell[0])}
        if label in SLIP and SLIP[label].whole == "cell":
            clean -= len(own) > 1
    assert hit >= 0.95 * total
    assert clean >= 0.95 * total


@pytest.mark.parametrize(
    ("right", "written", "ids"),
    [
        (0.5, "5.00", ["decimal_point"]),
        (0.512, "5.10", ["decimal_point"]),  # the printed 0.51, moved
        (-0.003, "0.04", ["digit_slipped"]),  # prints as 0.00
        (0.25, "0.52", ["digits_swapped"]),
        (0.25, "0.28", ["digit_slipped"]),
        (12.5, "1.25", ["decimal_point"]),
        (1.5, "-1.50", ["sign_slipped"]),
        (1.5, "-1.80", []),
        (0.25, "0.41", []),
    ],
)
def test_slips_of_one_cell(right, written, ids):
    claim = printed(((written,),), (1, 1))
    assert list(pen_slips(claim, torch.tensor([[right]]), torch.tensor([[True]]), layer())) == ids


def test_what_follows_from_weights_of_minus_infinity_is_checked_too():
    """−∞ · 0 is NaN, which no wrong digit explains."""
    example = layer(4, mask="causal")
    scores = work_out(example, {"weights": lambda s: s.masked_scores, "head_outputs": lambda s: s.v})
    assert ("softmax_forgotten",) in named(found(example, scores), "weights")
    one = with_cell(answer(example, work_out(example)), "weights", 0, 0, 1, "-inf")
    assert tuple(check(with_cell(one, "head_outputs", 0, 0, 0, "7")).first_wrong) == ("weights", 0, 0, 1)


def test_any_cell_written_otherwise_is_found_to_the_cell():
    """One cell is off by at least 3 units and at most 5; later steps are computed from it, or are right."""
    random, hit, followed, total = Random(3), 0, 0, 0
    for seed in range(120):
        example = layer(seed, h=random.choice([1, 2]), mask=random.choice([None, "causal"]))
        decimals = random.choice([2, 3, 4])
        name = random.choice([step for step in used(example) if step != "masked_scores"])
        head = None if name in LAYER else random.randrange(len(example.heads))
        right = work_out(example)[name]
        matrix = right if head is None else right[head]
        i, j = random.randrange(len(matrix)), random.randrange(len(matrix[0]))
        moved = round(matrix[i][j] + random.choice([-1, 1]) * random.uniform(3 * 10**-decimals, 5), decimals)

        def slipped(s, name=name, i=i, j=j, moved=moved):
            rows = [list(row) for row in RIGHT[name](s)]
            rows[i][j] = moved
            return rows

        carried = seed % 2 == 0
        if carried:
            wrong = work_out(example, {name: slipped}, heads=[head])
            claims = answer(example, wrong, decimals)
        else:
            claims = with_cell(
                answer(example, work_out(example), decimals), name, head, i, j, f"{moved:.{decimals}f}"
            )
        verdict = check(claims)
        total += 1
        hit += tuple(verdict.first_wrong) == (name, head, i, j)
        followed += not carried or wrong_cells(verdict, own=True) == [(name, head, i, j)]
    assert hit >= 0.95 * total
    assert followed >= 0.95 * total


# --- sentences ---------------------------------------------------------------------------------------------------


@each("label", MESSAGES)
def test_each_has_a_sentence_in_both_languages(label):
    english = MESSAGES[label]
    chinese = catalogue("zh").gettext(english)
    assert english.endswith(".")
    assert chinese != english
    assert chinese.endswith("。")
    assert ("{divisor}" in english) == ("{divisor}" in chinese)


def test_rounding_first_is_named_as_such():
    example = layer(4, d_out=None)
    example = replace(example, x=tuple(tuple(10 * cell for cell in row) for row in example.x), scale=100.0)
    early = work_out(
        example, {"weights": lambda s: [[round(c, 2) for c in row] for row in RIGHT["weights"](s)]}
    )
    verdict = found(
        example, early, decimals=2, only=("q", "k", "v", "scores", "scaled_scores", "head_outputs")
    )
    assert named(verdict) == [(ROUNDED_EARLY,)]
    assert verdict.first_wrong.name == "head_outputs"
