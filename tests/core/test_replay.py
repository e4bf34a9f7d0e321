"""The trace of a known mistake: right before it, wrong at it, and then what plain loops make of the wrong numbers."""

from itertools import product
from math import isfinite, sqrt, tanh

import pytest
from hypothesis import given

from mha_core import Backend, Cell, CellError, MhaError, built_in, derive, library, trace
from mha_core.check.catalogue import CATALOGUE
from mha_core.check.check import check
from mha_core.check.invariants import invariants
from mha_core.compare.pairs import PAIRS, as_claims, pair, traces
from mha_core.compare.replay import possible, replay
from mha_core.errors import ExampleError
from mha_core.messages import in_words
from tests.apply import apply
from tests.core.answers import LAYER, apart, divided, layer, named, numbers, work_out
from tests.core.reference import (
    NEG_INF,
    dot_products,
    listed,
    masked,
    positioned,
    project,
    rotated,
    softmax,
    weighted_sums,
)
from tests.core.strategies import examples
from tests.core.test_mistakes import BY_HAND, example_that_shows
from tests.sizes import each

CPU = Backend("cpu", "float64")
LATER_WAYS = ("cell by cell", "one less", "less the largest", "added", "masked once more")
"""The trace shows the first way in which a mistake can be made."""


# --- made by hand ------------------------------------------------------------------------------------------------

AT_ONE_STEP = [
    param for param in BY_HAND if len(param.values[1]) == 1 and not any(way in param.id for way in LATER_WAYS)
]


@pytest.mark.parametrize(("label", "steps", "sizes"), AT_ONE_STEP)
def test_every_number_is_that_of_plain_loops(label, steps, sizes):
    example, wrong = example_that_shows(steps, sizes)
    (step,) = steps
    shown = replay(trace(example, CPU), label, step).values
    assert shown.keys() == wrong.keys()
    assert max(apart(shown[name], wrong[name]) for name in wrong) < 1e-12


@pytest.mark.parametrize(
    ("label", "steps", "sizes"), [param for param in AT_ONE_STEP if not {*param.values[1]} & {*LAYER}]
)
def test_in_one_head_the_others_are_right(label, steps, sizes):
    example, _ = example_that_shows(steps, sizes)
    (step,) = steps
    right, wrong = trace(example, CPU), work_out(example, steps, heads=[1])
    shown = replay(right, label, step, head=1)
    assert max(apart(shown.values[name], wrong[name]) for name in wrong) < 1e-12
    assert all(shown.values[name][0] == right.values[name][0] for name in wrong if name not in LAYER)


# --- laws, on every built-in example -----------------------------------------------------------------------------


def recomputed(example, values, name, g):
    """A step of a head (or of the layer) in plain loops, from a trace's own numbers before it."""
    if name in LAYER:
        heads = values["head_outputs"]
        side_by_side = [[cell for head in heads for cell in head[i]] for i in range(len(example.tokens))]
        return side_by_side if name == "concat" else project(values["concat"], example.w_o, example.b_o)
    head, size = example.heads[g], len(example.heads) // (example.kv_heads or len(example.heads))
    first = g - g % size
    early, rows_q, rows_k = positioned(example)

    def own(name):
        at = first if name in ("k", "v", "k_rotated", "k_unit") else g
        given = getattr(example.heads[at], name, None)
        return values[name][at] if name in values and values[name][at] is not None else listed(given)

    def sides():
        for kind in ("unit", "rotated"):
            if f"q_{kind}" in values:
                return own(f"q_{kind}"), own(f"k_{kind}")
        return own("q"), own("k")

    def before(*names):
        return own(next(one for one in names if one in values))

    def unit_of(letter):
        return own(f"{letter}_rotated" if f"{letter}_rotated" in values else letter)

    match name:
        case "q" | "k" | "v":
            rows = rows_q if name == "q" else rows_k
            return project(rows, getattr(head, f"w_{name}"), getattr(head, f"b_{name}"))
        case "q_rotated":
            return rotated(own("q"), early["angles"], example.positions.pairs)
        case "k_rotated":
            return rotated(own("k"), early.get("context_angles", early["angles"]), example.positions.pairs)
        case "q_norms" | "k_norms":
            return [[sqrt(sum(cell * cell for cell in row))] for row in unit_of(name[0])]
        case "q_unit" | "k_unit":
            lengths = [sqrt(sum(cell * cell for cell in row)) for row in unit_of(name[0])]
            return [
                [cell / length for cell in row] for row, length in zip(unit_of(name[0]), lengths, strict=True)
            ]
        case "q_a":
            return project(sides()[0], head.w_a, None)
        case "k_a":
            return project(sides()[1], head.u_a, None)
        case "pair_sums":
            return [
                [a + b for a, b in zip(one, other, strict=True)] for one in own("q_a") for other in own("k_a")
            ]
        case "pair_tanh":
            return [[tanh(cell) for cell in row] for row in own("pair_sums")]
        case "scores" if example.scoring == "additive":
            flat = [sum(map(float.__mul__, head.v_a, row)) for row in own("pair_tanh")]
            n_k = len(own("k"))
            return [flat[i : i + n_k] for i in range(0, len(flat), n_k)]
        case "scores":
            q, k = sides()
            return dot_products(own("q_a") if example.scoring == "bilinear" else q, k)
        case "scaled_scores":
            return divided(
                own("scores"), sqrt(len(own("q")[0])) if example.scale == "sqrt_dk" else example.scale
            )
        case "linear_biases":
            return own("linear_biases")
        case "biased_scores":
            both = zip(before("scaled_scores", "scores"), own("linear_biases"), strict=True)
            return [[a + b for a, b in zip(*rows, strict=True)] for rows in both]
        case "masked_scores":
            return masked(before("biased_scores", "scaled_scores", "scores"), example.mask)
        case "weights":
            return [
                softmax(row) for row in before("masked_scores", "biased_scores", "scaled_scores", "scores")
            ]
        case "head_outputs":
            return weighted_sums(own("weights"), own("v"))
    raise AssertionError(name)


@each("name", library())
def test_earlier_steps_stay_and_later_steps_follow_from_the_mistake(name):
    right = trace(built_in(name), CPU)
    order = list(right.values)
    assert possible(right)
    for step, label in possible(right):
        wrong = replay(right, label, step)
        assert list(wrong.values) == order
        assert wrong.example is right.example
        at = order.index(step)
        assert {one: wrong.values[one] for one in order[:at]} == {
            one: right.values[one] for one in order[:at]
        }
        assert apart(wrong.values[step], right.values[step]) > 1e-12
        for later in order[at + 1 :]:
            if later in ("angles", "positional_encoding", "x_positioned"):
                continue
            whole = later in LAYER
            for g in [None] if whole else range(len(right.example.heads)):
                found = wrong.values[later] if whole else wrong.values[later][g]
                if found is not None:
                    expected = recomputed(right.example, wrong.values, later, g)
                    assert numbers(found) == pytest.approx(numbers(expected), abs=1e-9), (label, later, g)


@each("name", library())
def test_an_impossible_mistake_is_refused_in_both_languages(name):
    right = trace(built_in(name), CPU)
    can = possible(right)
    every = [(step, mistake.id) for mistake in CATALOGUE for step in mistake.steps]
    assert can == [one for one in every if one in can]  # the catalogue's order, and each once
    for step, label in every:
        if (step, label) not in can:
            with pytest.raises(CellError) as error:
                replay(right, label, step)
            assert in_words(error.value, "zh") != in_words(error.value, "en")


@given(examples(variants=True))
def test_any_example_with_any_possible_mistake_has_numbers(example):
    right = trace(example, CPU)
    for step, label in possible(right):
        wrong = replay(right, label, step)
        assert wrong.values.keys() == right.values.keys()
        for name, found in wrong.values.items():
            cells = [cell for cell in numbers(found) if cell is not None]
            assert all(isfinite(cell) or (cell == NEG_INF and name == "masked_scores") for cell in cells)
            assert len(cells) == len([cell for cell in numbers(right.values[name]) if cell is not None])
        assert len(wrong.fully_masked) == len(example.heads)


# --- a trace like any other --------------------------------------------------------------------------------------


def test_its_matrices_and_dead_rows_are_those_of_the_mistake():
    right = trace(built_in("causal"), CPU)
    wrong = replay(right, "mask_inverted", "masked_scores")
    assert wrong.fully_masked == ((False, False, False, False, True),) * 2
    assert wrong.matrix("weights", 0)[4] == [0] * 5
    assert wrong.matrix("weights", 0)[3] == [0, 0, 0, 0, 1]
    assert wrong.matrix("head_outputs", 0)[3] == wrong.matrix("v", 0)[4]
    assert wrong.matrix("x") == right.matrix("x")
    assert not any(map(any, right.fully_masked))


def test_a_number_after_it_is_derived_from_the_wrong_ones():
    _, wrong = traces(pair("not-normalised"))
    derivation = derive(wrong, Cell("head_outputs", 0, 0, 0))
    assert derivation.value == wrong.values["head_outputs"][0][0][0] == pytest.approx(17.6120, abs=5e-5)


def test_heads_that_share_keys_follow_the_head_that_has_them():
    right = trace(built_in("grouped-query"), CPU)
    wrong = replay(right, "weight_transposed", "k", head=2)
    assert [rows is None for rows in wrong.values["k"]] == [False, True, False, True]
    unlike_right = [apart(wrong.values["scores"][g], right.values["scores"][g]) > 0 for g in range(4)]
    assert unlike_right == [False, False, True, True]
    assert wrong.values["head_outputs"][:2] == right.values["head_outputs"][:2]
    for _, tensors in wrong.groups:
        assert "k" in tensors
    borrower = next(tensors for heads, tensors in wrong.groups if 3 in heads)
    assert borrower["k"][-1].tolist() == wrong.values["k"][2]
    with pytest.raises(CellError, match="there is no k, head 3 here"):
        replay(right, "weight_transposed", "k", head=3)


def test_float32_gives_the_same_up_to_its_rounding():
    coarse, fine = (
        trace(built_in("output-projection"), Backend("cpu", dtype)) for dtype in ("float32", "float64")
    )
    found, exact = (replay(right, "q_k_swapped", "q") for right in (coarse, fine))
    assert found.layer["output"].dtype == coarse.layer["output"].dtype != fine.layer["output"].dtype
    assert numbers(found.values["output"]) == pytest.approx(numbers(exact.values["output"]), rel=1e-5)
    assert possible(coarse) == possible(fine)


# --- what cannot be ----------------------------------------------------------------------------------------------

REFUSED = {
    ("first", "nonsense", "q", None): "there is no mistake named 'nonsense'",
    ("first", "not_scaled", "weights", None): (
        "not_scaled is not a mistake of 'weights'; it belongs to scaled_scores"
    ),
    ("first", "mask_forgotten", "masked_scores", None): "there is no masked_scores here",
    ("first", "not_scaled", "scaled_scores", 2): "there is no scaled_scores, head 2 here",
    ("first", "heads_interleaved", "concat", 0): "there is no concat, head 0 here",
    ("first", "scores_times_v", "scores", None): "scores_times_v would make scores 3 × 2 instead of 3 × 3",
    ("first", "bias_forgotten", "q", None): "bias_forgotten cannot be made in this example",
    ("bilinear", "weight_transposed", "q", None): "weight_transposed does not change any number of q here",
    ("causal", "softmax_forgotten", "weights", None): (
        "softmax_forgotten makes weights non-finite, so the computation cannot continue"
    ),
}


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED.items(), ids=lambda one: str(one)[:60])
def test_impossible_requests_are_refused_in_one_sentence(arguments, sentence):
    name, label, step, head = arguments
    with pytest.raises(MhaError) as error:
        replay(trace(built_in(name), CPU), label, step, head)
    assert str(error.value) == sentence
    assert any("\u4e00" <= character <= "\u9fff" for character in in_words(error.value, "zh"))


def test_exponentials_that_overflow_are_refused():
    example = layer(scale=0.001)
    with pytest.raises(CellError, match="non-finite, so the computation cannot continue"):
        replay(trace(example, CPU), "not_normalised", "weights")


@pytest.mark.parametrize("sizes", [{}, {"n_k": 3}, {"d_v": 3, "h": 3}])
@pytest.mark.parametrize("step", ["scores", "scaled_scores"])
def test_scores_times_v_are_known_by_their_shape(sizes, step):
    example = layer(3, **sizes)
    steps = work_out(example)
    early = [project(one, v, None) for one, v in zip(steps[step], steps["v"], strict=True)]
    text = "\n".join(" ".join(f"{cell:.3f}" for cell in row) for row in early[1])
    edit = {"op": "claim_text", "matrix": step, "head": 1, "text": text}
    rows, cols = example.dims.shape("scores")
    with pytest.raises(ExampleError) as error:
        apply(example, edit)
    assert str(error.value) == (
        f"claimed.{step}[1]: expected {rows} × {cols}, got {rows} × {example.dims.d_v}: "
        "the scores are already multiplied by V"
    )
    assert "提前乘了 V" in in_words(error.value, "zh")


# --- the pairs ---------------------------------------------------------------------------------------------------


def test_the_five_pairs():
    assert [(one.id, one.mistake) for one in PAIRS] == [
        ("scores-times-v", "scores_times_v"),
        ("not-scaled", "not_scaled"),
        ("sqrt-d-kv", "divided_by_sqrt_all_heads"),
        ("reshape-without-transpose", "heads_interleaved"),
        ("not-normalised", "not_normalised"),
    ]
    assert all(pair(one.id) is one for one in PAIRS)
    with pytest.raises(CellError, match="there is no comparison named 'nonsense'"):
        pair("nonsense")


@pytest.mark.parametrize("published", PAIRS, ids=lambda published: published.id)
def test_each_pair_says_what_goes_wrong_in_both_languages(published):
    assert set(published.title) == set(published.sentence) == {"en", "zh"}
    assert published.sentence["en"].endswith(".")
    assert published.sentence["zh"].endswith("。")


@pytest.mark.parametrize("published", PAIRS, ids=lambda published: published.id)
def test_each_pair_changes_its_numbers_clearly(published):
    right, wrong = traces(published)
    assert (published.step, published.mistake) in possible(right)
    shown = [name for name in ("weights", *LAYER) if name in right.values]
    assert max(apart(right.values[name], wrong.values[name]) for name in shown) > 0.05


@pytest.mark.parametrize("published", PAIRS, ids=lambda published: published.id)
def test_the_numbers_of_each_pair_are_diagnosed_as_its_mistake_alone(published):
    _, wrong = traces(published)
    verdict = check(as_claims(wrong, published.step))
    assert verdict.first_wrong.name == published.step
    assert named(verdict) == [(published.mistake,)]
    assert not verdict.steps[published.step].unexplained
    assert verdict.steps[published.step].causes[0].heads is None


def test_scores_times_v_by_hand():
    right, wrong = traces(pair("scores-times-v"))
    assert right.values["scores"] == [[[0, 1, 2], [1, 2, 2], [2, 2, 0]]]
    assert right.values["v"] == wrong.values["v"] == [[[2, 0, -1], [2, 1, 0], [0, 2, 2]]]
    # row 1: 0·(2, 0, −1) + 1·(2, 1, 0) + 2·(0, 2, 2) = (2, 5, 4)
    assert wrong.values["scores"] == [[[2, 5, 4], [6, 6, 3], [8, 2, -2]]]
    assert wrong.values["weights"][0][0] == pytest.approx(softmax([2 / sqrt(2), 5 / sqrt(2), 4 / sqrt(2)]))
    assert max(range(3), key=right.values["weights"][0][0].__getitem__) == 2
    assert max(range(3), key=wrong.values["weights"][0][0].__getitem__) == 1


def test_not_scaled_by_hand():
    right, wrong = traces(pair("not-scaled"))
    assert right.values["scaled_scores"][0][0] == [3, 0, 1]
    assert wrong.values["scaled_scores"][0] == right.values["scores"][0]
    assert wrong.values["scaled_scores"][0][0] == [12, 0, 4]
    assert right.values["weights"][0][0][0] == pytest.approx(0.8438, abs=5e-5)
    assert wrong.values["weights"][0][0][0] == pytest.approx(0.9997, abs=5e-5)
    assert all(max(row) > 0.99 for row in wrong.values["weights"][0])


def test_the_root_of_all_heads_by_hand():
    right, wrong = traces(pair("sqrt-d-kv"))
    dims = right.example.dims
    assert (dims.h, dims.d_k, dims.h * dims.d_k) == (3, 2, 6)
    for g in range(3):
        expected = divided(right.values["scores"][g], sqrt(6))
        assert numbers(wrong.values["scaled_scores"][g]) == pytest.approx(numbers(expected))
        assert [sum(row) for row in wrong.values["weights"][g]] == pytest.approx([1, 1, 1])
    assert right.values["weights"][0][0][0] == pytest.approx(0.89, abs=5e-3)
    assert wrong.values["weights"][0][0][0] == pytest.approx(0.72, abs=5e-3)


def test_the_reshape_mixes_tokens():
    right, wrong = traces(pair("reshape-without-transpose"))
    heads = right.values["head_outputs"]
    assert wrong.values["concat"] == [[cell for row in head for cell in row] for head in heads]
    for g, i in product(range(3), repeat=2):  # row i should hold head g's output of token i
        assert right.values["concat"][i][2 * g : 2 * g + 2] == heads[g][i]
        assert wrong.values["concat"][i][2 * g : 2 * g + 2] == heads[i][g]


def test_rows_that_are_not_normalised_by_hand():
    right, wrong = traces(pair("not-normalised"))
    assert sum(wrong.values["weights"][0][0]) == pytest.approx(14.48, abs=5e-3)
    assert wrong.values["head_outputs"][0][0][0] == pytest.approx(17.61, abs=5e-3)
    assert max(numbers(right.values["v"])) < 17
    for row, powers in zip(right.values["weights"][0], wrong.values["weights"][0], strict=True):
        assert row == pytest.approx([power / sum(powers) for power in powers])
    said = {finding.id for finding in invariants(trace(as_claims(wrong, "weights")))}
    assert "row_sum" in said
