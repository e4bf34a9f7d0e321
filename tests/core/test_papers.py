"""Constants and formulas from papers, each computed here from the paper's own text."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest
import torch

from mha_core import trace
from mha_core.example.arrays import from_arrays
from mha_core.example.library import built_in
from mha_core.example.model import Positions, alibi_slope
from mha_core.interop.running.qkv import from_qkv
from mha_core.interop.saved.rope import ByTurns, Rope, frequencies
from mha_core.models.config import architecture
from mha_core.models.forward import activated, normed
from mha_core.models.measures import _bennett
from mha_core.models.parts import Norm
from tests.apply import apply


def get_slopes(n):
    """The authors' code: Press, Smith & Lewis, Train Short, Test Long, ICLR 2022 (fairseq, models.py)."""

    def get_slopes_power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        ratio = start
        return [start * ratio**i for i in range(n)]

    if math.log2(n).is_integer():
        return get_slopes_power_of_2(n)
    closest = 2 ** math.floor(math.log2(n))
    return get_slopes_power_of_2(closest) + get_slopes(2 * closest)[0::2][: n - closest]


def bench(heads, kind="alibi"):
    """An example of so many heads whose scores are all 0, with ALiBi switched on as the Layer menu does."""
    zeros, ones = [[0.0]] * 4, [[1.0]] * 4
    example = from_arrays(
        tokens=list("abcd"), heads=[{"q": zeros, "k": zeros, "v": ones}] * heads, mask="causal"
    )
    return apply(example, {"op": "positions", "kind": kind})


def slopes(example):
    return [head.slope[0] for head in example.heads]


@pytest.mark.parametrize("heads", range(1, 17))
def test_alibi_slopes_are_those_of_the_authors_code(heads):
    assert [alibi_slope(g, heads) for g in range(heads)] == pytest.approx(get_slopes(heads), rel=1e-14)
    assert slopes(bench(heads)) == pytest.approx(get_slopes(heads), rel=1e-14)


def test_six_heads_have_four_heads_slopes_and_then_every_other_one_of_eight():
    assert slopes(bench(6)) == [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]


def test_a_head_more_or_less_keeps_alibi_s_slopes_those_of_the_authors():
    example = apply(replace(built_in("first"), mask="causal"), {"op": "positions", "kind": "alibi"})
    for heads in (3, 4, 5, 6):
        example = apply(example, {"op": "add_head"})
        assert slopes(example) == pytest.approx(get_slopes(heads))
    for heads in (5, 4, 3):
        example = apply(example, {"op": "remove_head", "head": 1})
        assert slopes(example) == pytest.approx(get_slopes(heads))


def test_slopes_set_by_hand_stay_when_a_head_comes_or_goes():
    example = apply(replace(built_in("first"), mask="causal"), {"op": "positions", "kind": "alibi"})
    example = apply(example, {"op": "set", "matrix": "slope", "head": 0, "row": 0, "col": 0, "values": [[3]]})
    before = slopes(example)
    more = apply(example, {"op": "add_head"})
    assert slopes(more) == [*before, get_slopes(len(before) + 1)[-1]]
    assert slopes(apply(more, {"op": "remove_head", "head": 1})) == [before[0], *slopes(more)[2:]]
    copied = apply(apply(bench(2), {"op": "positions", "kind": "alibi"}), {"op": "add_head", "copy": 0})
    assert slopes(copied) == [0.0625, 0.00390625, 0.0625]


def test_alibi_takes_from_each_score_its_slope_times_the_distance():
    """Press et al. 2022, section 3: softmax(q_i·Kᵀ + m·[−(i − 1), …, −2, −1, 0])."""
    weights = trace(bench(6)).values["weights"]
    for head, m in enumerate(get_slopes(6)):
        assert weights[head][3] == pytest.approx(softmax([-3 * m, -2 * m, -m, 0]))


# --- scores ------------------------------------------------------------------------------------------------------


def softmax(scores):
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def drawn(seed, rows, cols):
    random = Random(seed)
    return [[random.gauss(0, 1) for _ in range(cols)] for _ in range(rows)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def times(rows, columns):
    return [[dot(row, column) for column in zip(*columns, strict=True)] for row in rows]


Q, K, V, W_A, U_A = (
    drawn(seed, *shape) for seed, shape in enumerate([(3, 4), (5, 4), (5, 2), (4, 4), (4, 4)])
)
V_A = drawn(9, 1, 4)[0]
SCORINGS = {
    "dot": (2.0, dot),
    "bilinear": (2.0, lambda q, k: dot(times([q], W_A)[0], k)),
    "additive": (
        1.0,
        lambda q, k: sum(
            v * math.tanh(s + h) for v, s, h in zip(V_A, times([q], W_A)[0], times([k], U_A)[0], strict=True)
        ),
    ),
    "cosine": (0.5, lambda q, k: dot(q, k) / math.sqrt(dot(q, q)) / math.sqrt(dot(k, k))),
}
"""Dot: Luong et al. 2015, 3.1, divided by √d_k = 2: Vaswani et al. 2017, equation 1. Bilinear: h_tᵀ·W_a·h_s, "general"
in Luong et al. 3.1. Additive: v_aᵀ·tanh(W_a·s + U_a·h), Bahdanau et al. 2015, A.1.2. Cosine: Graves et al. 2014,
equations 5 and 6, whose β = 2 is a divisor of 1/2.
"""


@pytest.mark.parametrize("scoring", SCORINGS)
def test_weights_of_each_scoring_are_its_paper_s(scoring):
    divisor, score = SCORINGS[scoring]
    parameters = {"bilinear": {"w_a": W_A}, "additive": {"w_a": W_A, "u_a": U_A, "v_a": V_A}}.get(scoring, {})
    scale = {"dot": "sqrt_dk", "bilinear": "sqrt_dk", "additive": "none", "cosine": 0.5}[scoring]
    example = from_arrays(
        tokens=list("abc"),
        context_tokens=list("vwxyz"),
        heads=[{"q": Q, "k": K, "v": V, **parameters}],
        scoring=scoring,
        scale=scale,
    )
    values = trace(example).values
    for i, q in enumerate(Q):
        row = softmax([score(q, k) / divisor for k in K])
        assert values["weights"][0][i] == pytest.approx(row)
        assert values["head_outputs"][0][i] == pytest.approx(times([row], V)[0])


def test_heads_that_share_keys_are_neighbours():
    """Ainslie et al. 2023, figure 2: each group of h/G heads in a row has one head of keys and values."""
    queries, keys = [drawn(seed, 2, 4) for seed in range(6)], [drawn(seed, 2, 4) for seed in (7, 8, 9)]
    weights = trace(from_qkv(queries, keys, keys)).values["weights"]
    for head, group in enumerate((0, 0, 1, 1, 2, 2)):
        wanted = softmax([dot(queries[head][1], key) / 2 for key in keys[group]])
        assert weights[head][1] == pytest.approx(wanted)


# --- positions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 6, 7])
def test_sinusoidal_positions_are_the_paper_s(d):
    """Vaswani et al. 2017, 3.5: PE(pos, 2i) = sin(pos/10000^(2i/d)), PE(pos, 2i + 1) = cos(pos/10000^(2i/d))."""
    identity = [[float(i == j) for j in range(d)] for i in range(d)]
    example = from_arrays(
        tokens=list("abcde"), x=drawn(1, 5, d), heads=[{"w_q": identity, "w_k": identity, "w_v": identity}]
    )
    values = trace(replace(example, positions=Positions("sinusoidal"))).values["positional_encoding"]
    for pos, row in enumerate(values):
        rates = [pos / 10000 ** (2 * (column // 2) / d) for column in range(d)]
        assert row == pytest.approx([(math.cos if c % 2 else math.sin)(rate) for c, rate in enumerate(rates)])


@pytest.mark.parametrize("pairs", ["interleaved", "half"])
def test_rotary_positions_are_the_paper_s_and_depend_on_the_distance_alone(pairs):
    """Su et al. 2021, equations 15 and 34: x_1 cos mθ_1 − x_2 sin mθ_1, x_2 cos mθ_1 + x_1 sin mθ_1, and so on.

    θ_i = 10000^(−2(i − 1)/d). GPT-NeoX has column i + d/2 where the paper has the neighbour.
    """
    d, rows = 6, [drawn(2, 1, 6)[0]] * 5
    example = from_arrays(tokens=list("abcde"), heads=[{"q": rows, "k": rows, "v": rows}])
    values = trace(replace(example, positions=Positions("rotary", pairs=pairs))).values
    for m, row in enumerate(values["q_rotated"][0]):
        wanted = [0.0] * d
        for i in range(1, d // 2 + 1):
            a, b = (2 * i - 2, 2 * i - 1) if pairs == "interleaved" else (i - 1, i - 1 + d // 2)
            angle = m * 10000 ** (-2 * (i - 1) / d)
            wanted[a] = rows[0][a] * math.cos(angle) - rows[0][b] * math.sin(angle)
            wanted[b] = rows[0][b] * math.cos(angle) + rows[0][a] * math.sin(angle)
        assert row == pytest.approx(wanted)
    scores = values["scores"][0]
    for i in range(4):
        assert scores[i + 1][1:] == pytest.approx(scores[i][:-1])


def test_llama_3_s_rotary_frequencies_are_its_authors_code_s():
    """``apply_scaling`` in Meta's llama-models: long waves are stretched by 8, short ones stay."""
    factor, low, high, old = 8, 1, 4, 8192
    plain = [1 / 500000 ** (i / 128) for i in range(0, 128, 2)]
    wanted = []
    for frequency in plain:
        wave = 2 * math.pi / frequency
        if wave < old / high:
            wanted.append(frequency)
        elif wave > old / low:
            wanted.append(frequency / factor)
        else:
            smooth = (old / wave - low) / (high - low)
            wanted.append((1 - smooth) * frequency / factor + smooth * frequency)
    found = frequencies(Rope(500000, ByTurns(factor, low, high, old)), 128, torch.float64)
    assert found.tolist() == pytest.approx(wanted)


# --- around attention ----------------------------------------------------------------------------------------------


ACTIVATIONS = {
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "relu": lambda x: max(0.0, x),
    "silu": lambda x: x / (1 + math.exp(-x)),
}
"""GELU, x·Φ(x), and its approximation: Hendrycks & Gimpel 2016, section 2. SiLU, x·σ(x): Elfwing et al. 2018."""
BERT = {
    "model_type": "bert",
    "hidden_size": 4,
    "num_attention_heads": 2,
    "num_hidden_layers": 1,
    "intermediate_size": 4,
    "vocab_size": 5,
    "max_position_embeddings": 5,
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_are_their_papers(name):
    x = torch.linspace(-6, 6, 25, dtype=torch.float64)
    size = replace(architecture(BERT), activation=name)
    wanted = [ACTIVATIONS[name](number) for number in x.tolist()]
    assert activated(x, size).tolist() == pytest.approx(wanted, abs=1e-15)


def test_norms_are_their_papers():
    """LayerNorm: Ba et al. 2016, section 3, σ² the mean square; RMSNorm: Zhang & Sennrich 2019, equation 4."""
    x, gain, bias = (torch.tensor(drawn(seed, 1, 6)[0], dtype=torch.float64) for seed in (3, 4, 5))
    mean, eps = sum(x.tolist()) / 6, 1e-3
    spread = math.sqrt(sum((each - mean) ** 2 for each in x.tolist()) / 6 + eps)
    layer = [(each - mean) / spread * g + b for each, g, b in zip(x.tolist(), gain, bias, strict=True)]
    assert normed(x, Norm(gain, bias), eps).tolist() == pytest.approx([float(each) for each in layer])
    size = math.sqrt(sum(each**2 for each in x.tolist()) / 6 + eps)
    root = [each / size * float(g) for each, g in zip(x.tolist(), gain, strict=True)]
    assert normed(x, Norm(gain, None), eps).tolist() == pytest.approx(root)


def test_chance_is_bounded_by_bennetts_inequality():
    """Bennett 1962: P(Σ ≥ t) ≤ exp(−σ²/b²·h(b·t/σ²)), h(u) = (1 + u)·ln(1 + u) − u."""
    t, variance, b = 0.7, 0.3, 0.4
    u = b * t / variance
    wanted = math.exp(-variance / b**2 * ((1 + u) * math.log(1 + u) - u))
    found = _bennett(*(torch.tensor([number], dtype=torch.float64) for number in (t, variance, b)))
    assert found.tolist() == pytest.approx([wanted])
