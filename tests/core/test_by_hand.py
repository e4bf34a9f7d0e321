"""Numbers worked out by hand, with their arithmetic. The steps are compared with its results."""

from math import exp, sqrt

import pytest

from mha_core import Cell, Example, Head, arithmetic, built_in, derive, trace


def near(rows, *, digits=6):
    """A matrix to so many printed digits."""
    return [pytest.approx(row, abs=0.51 * 10**-digits) for row in rows]


def test_first_article_up_to_the_scores():
    """X = [1 2; 3 4; 5 6]. All whole numbers, so they must come out exactly."""
    steps = trace(built_in("first")).values
    # Head 1: W_Q is the identity, W_K = [1 1; 1 0] makes (a, b) into (a+b, a), W_V = [0 1; 1 0] swaps.
    assert steps["q"][0] == [[1, 2], [3, 4], [5, 6]]
    assert steps["k"][0] == [[3, 1], [7, 3], [11, 5]]
    assert steps["v"][0] == [[2, 1], [4, 3], [6, 5]]
    # Head 2: W_Q = [1 1; 0 1] makes (a, b) into (a, a+b), W_K = [0 1; 1 1] into (b, a+b), W_V is the identity.
    assert steps["q"][1] == [[1, 3], [3, 7], [5, 11]]
    assert steps["k"][1] == [[2, 3], [4, 7], [6, 11]]
    assert steps["v"][1] == [[1, 2], [3, 4], [5, 6]]
    # Row 1 of head 1: (1,2)·(3,1) is 3+2, (1,2)·(7,3) is 7+6, (1,2)·(11,5) is 11+10.
    # Row 2: (3,4) gives 9+4, 21+12, 33+20. Row 3: (5,6) gives 15+6, 35+18, 55+30.
    assert steps["scores"][0] == [[5, 13, 21], [13, 33, 53], [21, 53, 85]]
    # Head 2: (1,3) gives 2+9, 4+21, 6+33; (3,7) gives 6+21, 12+49, 18+77; (5,11) gives 10+33, 20+77, 30+121.
    assert steps["scores"][1] == [[11, 25, 39], [27, 61, 95], [43, 97, 151]]


def test_first_article_from_the_scores_on():
    """d_k = 2, so every score is divided by √2 = 1.41421356."""
    steps = trace(built_in("first")).values
    # 5/√2, 13/√2, 21/√2; then 11/√2, 25/√2, 39/√2
    assert steps["scaled_scores"][0][:1] == near([[3.535534, 9.192388, 14.849242]])
    assert steps["scaled_scores"][1][:1] == near([[7.778175, 17.677670, 27.577164]])
    # Below the largest, 14.849242, the others lie 8/√2 = 5.656854 and 16/√2 = 11.313708.
    # The powers are 1, 0.00349347 and its square 0.00001220; their sum is 1.00350567.
    # So the weights are 0.00001220, 0.00349347 and 1, each ÷ 1.00350567.
    assert steps["weights"][0][:1] == near([[0.000012, 0.003481, 0.996507]])
    # Rows 2 and 3 of head 1 are further apart: 20/√2 = 14.142 and 32/√2 = 22.627 below the largest.
    # So what remains for the second key is e^−14.142 = 7.2e-7 and e^−22.627 = 1.5e-10.
    assert steps["weights"][0][1:] == near([[0, 0.000001, 0.999999], [0, 0, 1]])
    # Head 2, row 1: 14/√2 = 9.899495 below the largest, power 0.0000502; the first key's is its square.
    assert steps["weights"][1] == near([[0, 0.000050, 0.999950], [0, 0, 1], [0, 0, 1]])
    # Head output, row 1, head 1: 2·0.00001216 + 4·0.00348127 + 6·0.99650657, and one less in column 2,
    # since every row of V has one less there and the weights sum to 1.
    assert steps["head_outputs"][0][:1] == near([[5.992989, 4.992989]])
    # Head 2: 1·0 + 3·0.0000502 + 5·0.9999498, and one more in column 2.
    assert steps["head_outputs"][1][:1] == near([[4.999900, 5.999900]])
    assert steps["concat"][:1] == near([[5.992989, 4.992989, 4.999900, 5.999900]])
    assert "output" not in steps
    assert "masked_scores" not in steps


def test_causal_mask():
    """Row 2 of head 1 in 春眠不觉晓: 眠 = (0,1) sees 春 = (1,0) and itself."""
    computed = trace(built_in("causal"))
    steps = computed.values
    # X·Xᵀ: (0,1) with (1,0), (0,1), (1,1), (1,2), (2,3) gives its second column, 0 1 1 2 3.
    assert steps["scores"][0][1] == [0, 1, 1, 2, 3]
    hidden = float("-inf")
    assert steps["masked_scores"][0][1] == pytest.approx([0, 1 / sqrt(2), hidden, hidden, hidden])
    # e^0 = 1 and e^0.70710678 = 2.02811498; their sum is 3.02811498; 1/3.02811498 = 0.33023845.
    assert steps["weights"][0][1] == pytest.approx([0.33023845, 0.66976155, 0, 0, 0], abs=1e-8)
    # V is X: 0.33023845·(1,0) + 0.66976155·(0,1). In head 2 the scores are 0 and −0.70710678, so the weights
    # change places, and its V swaps the columns: 0.66976155·(0,1) + 0.33023845·(1,0).
    assert steps["concat"][1] == pytest.approx([0.33023845, 0.66976155, 0.33023845, 0.66976155], abs=1e-8)
    assert steps["weights"][0][0] == [1, 0, 0, 0, 0]
    assert not any(map(any, computed.fully_masked))


def test_whole_layer_with_biases():
    """One query (1,2), two keys, one head, every bias, W_O: all by hand."""
    head = Head(
        w_q=((1, 0), (0, 1)),
        b_q=(1, -1),
        w_k=((2, 0), (0, 1)),
        b_k=(0, 1),
        w_v=((1,), (2,)),
        b_v=(3,),
    )
    example = Example(
        title="",
        tokens=("a",),
        x=((1, 2),),
        context=((1, 0), (0, 1)),
        heads=(head,),
        w_o=((2, 1),),
        b_o=(0, 1),
        scale="none",
    )
    steps = trace(example).values
    assert steps["q"] == [[[2, 1]]]  # (1,2) + (1,−1)
    assert steps["k"] == [[[2, 1], [0, 2]]]  # (2,0) + (0,1) and (0,1) + (0,1)
    assert steps["v"] == [[[4], [5]]]  # 1 + 3 and 2 + 3
    assert steps["scores"] == [[[5, 2]]]  # 2·2 + 1·1 and 2·0 + 1·2
    # e^−3 = 0.04978707, so the weights are 1 and 0.04978707, each ÷ 1.04978707.
    assert steps["weights"][0] == [pytest.approx([0.95257413, 0.04742587], abs=1e-8)]
    # 0.95257413·4 + 0.04742587·5 = 4.04742587; then 4.04742587·2 + 0 and 4.04742587·1 + 1.
    assert steps["concat"] == [pytest.approx([4.04742587], abs=1e-8)]
    assert steps["output"] == [pytest.approx([8.09485174, 5.04742587], abs=1e-8)]


def test_divisor_saves_a_saturated_softmax():
    """The scores 12, 0, 4 without a divisor, and 3, 0, 1 with √16 = 4."""
    saturated, scaled = trace(built_in("saturated")).values, trace(built_in("scaled")).values
    assert saturated["scores"][0][0] == scaled["scores"][0][0] == [12, 0, 4]
    assert "scaled_scores" not in saturated
    assert scaled["scaled_scores"][0][0] == [3, 0, 1]
    # 1 + e^−12 + e^−8 = 1.00034161; e^3 + 1 + e^1 = 20.0855369 + 1 + 2.7182818 = 23.8038187
    assert saturated["weights"][0][0] == pytest.approx([0.999659, 0.000006, 0.000335], abs=1e-6)
    assert scaled["weights"][0][0] == pytest.approx([0.843795, 0.042010, 0.114195], abs=1e-6)
    assert scaled["weights"][0][0][0] == pytest.approx(exp(3) / (exp(3) + 1 + exp(1)), abs=1e-15)


def test_a_query_that_sees_nothing():
    computed = trace(built_in("padding"))
    assert computed.fully_masked == ((False, False, True), (False, False, True))
    assert [head[2] for head in computed.values["weights"]] == [[0, 0, 0], [0, 0, 0]]
    assert [head[2] for head in computed.values["head_outputs"]] == [[0, 0], [0, 0]]
    # Head 1, row 1: Q = (1,0), K = (1,1) and (1,3): both scores 1, so half and half of (1,0) and (1,2).
    assert computed.values["weights"][0][0] == [0.5, 0.5, 0]
    assert computed.values["head_outputs"][0][0] == [1, 1]


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        (Cell("q", 0, 0, 1), "1·0 + 2·1 = 2"),
        (Cell("k", 1, 2, 1), "5·1 + 6·1 = 11"),
        (Cell("scores", 0, 0, 1), "1·7 + 2·3 = 13"),
        (Cell("scaled_scores", 0, 0, 1), "13 ÷ 1.4142 ≈ 9.1924"),
        (
            Cell("weights", 0, 0, 1),
            "e^(9.1924 − 14.8492) ÷ (e^(3.5355 − 14.8492) + e^(9.1924 − 14.8492) + e^(14.8492 − 14.8492)) ≈ 0.0035",
        ),
        (Cell("head_outputs", 1, 0, 0), "2.5e−9·1 + 0.0001·3 + 0.9999·5 ≈ 4.9999"),
        (Cell("concat", None, 0, 2), "head_2[1, 1] ≈ 4.9999"),
    ],
)
def test_arithmetic_of_the_first_article(cell, line):
    assert arithmetic(derive(trace(built_in("first")), cell)) == line


@pytest.mark.parametrize(
    ("name", "cell", "line"),
    [
        ("output-projection", Cell("k", 0, 0, 1), "1·1 + 0·0 + (−1) = 0"),
        ("causal", Cell("masked_scores", 0, 0, 1), "0 → (−∞)"),
        ("causal", Cell("masked_scores", 0, 1, 1), "S/√d_k[2, 2] ≈ 0.7071"),
        (
            "causal",
            Cell("weights", 0, 0, 1),
            "e^(−∞) ÷ (e^(0.7071 − 0.7071) + e^(−∞) + e^(−∞) + e^(−∞) + e^(−∞)) = 0",
        ),
    ],
)
def test_arithmetic_of_biases_and_masks(name, cell, line):
    assert arithmetic(derive(trace(built_in(name)), cell)) == line
