"""The declared backward pass: against torch's autograd, central differences, and a worked example."""

from dataclasses import replace
from json import dumps
from math import log

import pytest
import torch
from hypothesis import given

from mha_core import Cell, CellError, NumberRangeError, arithmetic, derive, formula, parse, trace
from mha_core.compute.derive import number, step_of
from mha_core.example.model import kv_head_of
from mha_core.learn.descent import LEARNED, loss
from mha_core.vocabulary import ENTRY, PER_HEAD
from tests.core.goals import autograd, with_goals
from tests.core.test_gradients import STEP, moved, settled
from tests.sizes import tries

MOST_OFF = 1e-10
"""As a share of a table's largest entry."""


CANCELLED = 1e-14
"""The same, of the largest entry of all tables: where large numbers cancel, both have rounding errors of this size."""


def close(mine, right, largest):
    return float((mine - right).abs().max()) <= MOST_OFF * float(right.abs().max()) + CANCELLED * largest


def assert_as_autograd(example):
    computed = trace(example)
    loss, slopes = autograd(computed)
    assert computed.backward["loss"][0][0] == pytest.approx(loss, rel=1e-12, abs=1e-14)
    compared = set()
    largest = max((float(slope.abs().max()) for slope in slopes.values()), default=0.0)
    for step, head in computed.declared_backward.places():
        name = ENTRY[step.name].slope_of
        if not name or step.name != f"d_{name}":
            continue
        mine = torch.tensor(computed.matrix(step.name, head), dtype=torch.float64)
        right = slopes.get((name, head))
        if right is None:
            assert not mine.any(), step.name
            continue
        assert mine.shape == right.shape
        assert close(mine, right, largest), (step.name, head, mine, right)
        compared.add((name, head))
    for place, slope in slopes.items():
        name, head = place
        if f"d_{name}" in ENTRY and place not in compared:
            assert head is None or kv_head_of(example, name, head) != head or not slope.any(), place


@tries(60)
@given(with_goals())
def test_every_table_is_what_autograd_gives(example):
    assert_as_autograd(example)


@tries(6)
@given(with_goals())
def test_central_differences_of_the_loss_agree(example):
    """A few numbers of every matrix that is learned, moved by ±1e-6."""
    computed = trace(example)
    if not settled(computed):
        return
    for cell in slope_cells(computed):
        given_cell = cell._replace(name=ENTRY[cell.name].slope_of)
        ahead, behind = (loss(moved(example, given_cell, by)) for by in (STEP, -STEP))
        wanted = (ahead - behind) / (2 * STEP)
        assert number(computed, cell) == pytest.approx(wanted, rel=1e-5, abs=1e-5), cell


def slope_cells(computed):
    """The first and the last cell of the derivative by every given matrix that is learned, and by X."""
    example = computed.example
    for name in (*LEARNED, "x", "context"):
        heads = range(len(example.heads)) if name in PER_HEAD else [None]
        for head in heads:
            try:
                computed.matrix(name, head)
                rows = computed.matrix(f"d_{name}", head)
            except CellError:
                continue
            ends = {(0, 0), (len(rows) - 1, len(rows[0]) - 1)}
            yield from (Cell(f"d_{name}", head, *place) for place in sorted(ends))


# --- by hand: two heads, two tokens, d_k = d_v = 1 ---

LN3 = log(3)
BY_HAND = parse(
    dumps(
        {
            "format": "mha-example/1",
            "tokens": ["a", "b"],
            "x": [[1, 0], [0, 1]],
            "heads": [
                # Q = 0, so all weights are 1/2; K = (1, 3), V = (2, 4)
                {"w_q": [[0], [0]], "w_k": [[1], [3]], "w_v": [[2], [4]]},
                # Q = (1, 0), K = (ln 3, 0): S = ((ln 3, 0), (0, 0)), so A = ((3/4, 1/4), (1/2, 1/2)); V = (4, 0)
                {"w_q": [[1], [0]], "w_k": [[LN3], [0]], "w_v": [[4], [0]]},
            ],
            "scale": "none",
            # so Concat is ((3, 3), (3, 2))
            "learning": {"step": "concat", "targets": [[2, 1], [3, 3]], "rate": 0.1},
        }
    )
)
WORKED = {
    "row_losses": [[2.5], [0.5]],  # ½·(1² + 2²), ½·(0² + (−1)²)
    "loss": [[3]],
    "d_concat": [[1, 2], [0, -1]],  # Concat − T
    "d_head_outputs": [[[1], [0]], [[2], [-1]]],
    "d_weights": [[[2, 4], [0, 0]], [[8, 0], [-4, 0]]],  # dhead·Vᵀ
    "d_v": [[[0.5], [0.5]], [[1], [0]]],  # Aᵀ·dhead; head 2: ¾·2 + ½·(−1), ¼·2 + ½·(−1)
    "softmax_sums": [[[3], [0]], [[6], [-2]]],  # ½·2 + ½·4; ¾·8, ½·(−4)
    "d_scores": [
        [[-0.5, 0.5], [0, 0]],  # ½·(2 − 3), ½·(4 − 3)
        [[1.5, -1.5], [-1, 1]],  # ¾·(8 − 6), ¼·(0 − 6); ½·(−4 + 2), ½·(0 + 2)
    ],
    "d_q": [[[1], [0]], [[1.5 * LN3], [-LN3]]],  # dS·K; head 1: −½·1 + ½·3
    "d_k": [[[0], [0]], [[1.5], [-1.5]]],  # dSᵀ·Q
    "d_w_q": [[[1], [0]], [[1.5 * LN3], [-LN3]]],  # Xᵀ·dQ, and X is the identity
    "d_w_k": [[[0], [0]], [[1.5], [-1.5]]],
    "d_w_v": [[[0.5], [0.5]], [[1], [0]]],
    "d_x_head": [  # dQ·W_Qᵀ + dK·W_Kᵀ + dV·W_Vᵀ
        [[1, 2], [1, 2]],
        [[1.5 * LN3 + 1.5 * LN3 + 4, 0], [-LN3 - 1.5 * LN3, 0]],
    ],
    "d_x": [[5 + 3 * LN3, 2], [1 - 2.5 * LN3, 2]],
}


@pytest.mark.parametrize("name", WORKED)
def test_two_heads_by_hand(name):
    assert flat(trace(BY_HAND).backward[name]) == pytest.approx(flat(WORKED[name]), abs=1e-15)


def flat(value):
    return [number for item in value for number in flat(item)] if isinstance(value, list) else [value]


@pytest.mark.parametrize(
    ("cell", "formula_", "line"),
    [
        (Cell("d_concat", None, 0, 1), "Concat − T", "3 − 1 = 2"),
        (Cell("d_head_outputs", 1, 0, 0), "dConcat[head_i]", "dConcat[1, 2] = 2"),
        (Cell("d_weights", 0, 0, 1), "dhead_i·Vᵀ", "1·4 = 4"),
        (Cell("softmax_sums", 1, 0, 0), "Σ A ∘ dA", "0.75·8 + 0.25·0 = 6"),
        (Cell("d_scores", 1, 0, 1), "A ∘ (dA − r)", "0.25·(0 − 6) = (−1.5)"),
        (Cell("d_w_k", 1, 0, 0), "Xᵀ·dK", "1·1.5 + 0·(−1.5) = 1.5"),
        (Cell("d_k", 1, 0, 0), "dSᵀ·Q", "1.5·1 + (−1)·0 = 1.5"),
        (Cell("d_x_head", 0, 0, 1), "dX_Q + dX_K + dX_V", "0 + 0 + 2 = 2"),
        (Cell("d_x", None, 0, 1), "dX_1 + dX_2", "2 + 0 = 2"),
        (Cell("loss", None, 0, 0), "Σ ℓ", "2.5 + 0.5 = 3"),
        (Cell("row_losses", None, 0, 0), "½·Σ (Concat − T)²", "½·((3 − 2)² + (3 − 1)²) = 2.5"),
    ],
)
def test_a_cell_has_a_formula_and_its_arithmetic(cell, formula_, line):
    computed = trace(BY_HAND)
    assert formula(step_of(computed, cell), BY_HAND) == formula_
    assert arithmetic(derive(computed, cell)) == line


def test_the_whole_path_leads_from_a_weight_to_the_loss():
    """Every cell on the way down from dW_Q of head 2 is computed from others, and it ends at T and given numbers."""
    computed = trace(BY_HAND)
    seen, open_ = set(), [Cell("d_w_q", 1, 0, 0)]
    while open_:
        cell = open_.pop()
        if cell in seen:
            continue
        seen.add(cell)
        try:
            terms = derive(computed, cell).terms
        except CellError:
            continue
        open_ += [source for term in terms for source in term.cells]
    names = {cell.name for cell in seen}
    assert {
        "d_q",
        "d_scores",
        "softmax_sums",
        "d_weights",
        "d_head_outputs",
        "d_concat",
        "concat_target",
        "x",
    } <= names


def test_an_example_without_a_goal_has_no_backward_pass():
    computed = trace(replace(BY_HAND, learning=None))
    assert computed.backward == {}
    with pytest.raises(CellError):
        computed.matrix("d_x")


def test_the_forward_pass_is_the_same_with_a_goal():
    assert trace(BY_HAND).values == trace(replace(BY_HAND, learning=None)).values


# --- where there is no derivative ---


def of(**fields):
    heads = [{"w_q": [[1]], "w_k": [[1]], "w_v": [[1]], **fields.pop("head", {})}]
    goal = fields.pop("goal", {"step": "concat", "targets": [[1], [0]]})
    data = {"format": "mha-example/1", "x": [[0], [1]], "heads": heads, "learning": goal, **fields}
    return trace(parse(dumps(data)))


def test_a_row_of_zeros_has_no_direction_and_gets_0():
    computed = of(scoring="cosine")
    assert computed.backward["d_q"][0][0] == [0]
    assert computed.backward["d_q_norms"][0][0] == [0]


def test_a_query_that_may_attend_to_nothing_gets_0():
    computed = of(mask={"allow": [[False, False], [True, True]]})
    assert computed.backward["d_scaled_scores"][0][0] == [0, 0]
    assert computed.backward["d_q"][0][0] == [0]


def test_a_target_on_a_hidden_key_is_one_sentence():
    computed = of(mask="causal", goal={"step": "weights", "targets": [[1, None]]})
    with pytest.raises(NumberRangeError) as error:
        computed.matrix("d_q", 0)
    assert str(error.value) == (
        "learning.targets: the target has a share on a key whose weight is 0, so the loss is infinite"
    )
