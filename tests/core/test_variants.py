"""Scorings, shared keys and values, and positions: against plain loops and libraries, by hand, and by their laws."""

import json
from dataclasses import replace
from math import cos, exp, sin, sqrt, tanh
from random import Random
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F  # noqa: N812  # its usual name

from mha_core import (
    AllowMask,
    Cell,
    Example,
    ExampleError,
    Head,
    Positions,
    arithmetic,
    backend,
    built_in,
    derive,
    dump,
    feeds,
    formula,
    from_token,
    graph,
    library,
    parse,
    pretty,
    to_token,
    trace,
    validate,
)
from mha_core.__main__ import main
from mha_core.check.check import check
from mha_core.check.report import as_json, as_markdown
from mha_core.compute.graph import last_step
from mha_core.example.library import FOLDER
from mha_core.example.model import alibi_slope, position_inputs, same_numbers
from mha_core.exercise.exercise import exercise
from tests.apply import apply
from tests.core.reference import largest_difference, reference
from tests.core.strategies import examples
from tests.core.test_derive import check_terms_and_feeds
from tests.core.test_laws import same
from tests.sizes import each, tries

varied = examples(claims=False, variants=True)
plain = examples(plain=True, masks=False, context=False, claims=False, variants=True)


# --- against plain loops -----------------------------------------------------------------------------------------


@tries(15)
@given(varied)
def test_random_variants(example):
    assert largest_difference(trace(example).values, reference(example)) <= 1e-12


@tries(6)
@given(varied)
def test_every_cell_of_random_variants(example):
    assert check_terms_and_feeds(example)


@tries(15)
@given(varied)
def test_files_and_links_hold_variants(example):
    assert parse(dump(example)) == example
    assert parse(pretty(example)) == example
    assert from_token(to_token(example)) == example
    assert dump(parse(dump(example))) == dump(example)


SHAPES = [(7, 11, 6, 13, 17, 2, 5), (5, 3, 4, 7, 2, 6, 3), (2, 13, 6, 3, 11, 4, 7)]
"""n_q, n_k, h, d_model, d_context, d_k, d_v"""


@each("kind", [None, "sinusoidal", "rotary", "rotary half", "alibi"])
@each("scoring", ["dot", "bilinear", "additive", "cosine"])
@each("shape", SHAPES)
def test_larger_layers_over_a_context_with_masks_biases_and_groups(shape, scoring, kind):
    example = layer(Random(f"{shape} {scoring} {kind}"), shape, scoring=scoring, kind=kind, kv_heads=2)
    assert largest_difference(trace(example).values, reference(example)) <= 1e-12
    apart = apply(example, {"op": "kv_heads", "count": shape[2]})
    assert same(trace(apart).values["output"], trace(example).values["output"])


def positions_of(kind):
    return Positions("rotary", pairs="half") if kind == "rotary half" else Positions(kind) if kind else None


def layer(random, shape, *, scoring="dot", kind=None, kv_heads=None, masked=True) -> Example:
    n_q, n_k, h, d_model, d_context, d_k, d_v = shape
    d_a = 3

    def matrix(rows, cols):
        return tuple(tuple(random.gauss(0, 0.5) for _ in range(cols)) for _ in range(rows))

    def head(index):
        fields = {"w_q": matrix(d_model, d_k), "b_q": matrix(1, d_k)[0]}
        if not kv_heads or index % (h // kv_heads) == 0:
            fields |= {"w_k": matrix(d_context, d_k), "w_v": matrix(d_context, d_v)}
            fields |= {"b_k": matrix(1, d_k)[0], "b_v": matrix(1, d_v)[0]}
        if scoring == "bilinear":
            fields["w_a"] = matrix(d_k, d_k)
        if scoring == "additive":
            fields |= {"w_a": matrix(d_k, d_a), "u_a": matrix(d_k, d_a), "v_a": matrix(1, d_a)[0]}
        if kind == "alibi":
            fields["slope"] = (alibi_slope(index, h),)
        return Head(**fields)

    allow = tuple(tuple(j == i % n_k or random.random() < 0.6 for j in range(n_k)) for i in range(n_q))
    return validate(
        Example(
            title="",
            tokens=tuple(map(str, range(n_q))),
            x=matrix(n_q, d_model),
            context=matrix(n_k, d_context),
            heads=tuple(map(head, range(h))),
            w_o=matrix(h * d_v, 5),
            b_o=matrix(1, 5)[0],
            scale="sqrt_dk" if scoring in ("dot", "bilinear") else 0.5,
            mask=AllowMask(allow) if masked else None,
            scoring=scoring,
            kv_heads=kv_heads,
            positions=positions_of(kind),
        )
    )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_grouped_queries_as_torch_shares_them(shape):
    example = layer(Random(f"gqa {shape}"), shape, kv_heads=2)

    def stacked(rows, name):
        made = []
        for head in example.heads:
            weight, bias = getattr(head, f"w_{name}"), getattr(head, f"b_{name}")
            if weight is not None:
                made.append(tensor(rows) @ tensor(weight) + tensor(bias))
        return torch.stack(made)[None]

    q, k, v = stacked(example.x, "q"), stacked(example.context, "k"), stacked(example.context, "v")
    assert (q.shape[1], k.shape[1]) == (shape[2], 2)
    assert isinstance(example.mask, AllowMask)
    allow = torch.tensor(example.mask.allow)
    found = F.scaled_dot_product_attention(q, k, v, attn_mask=allow, enable_gqa=True)[0]
    assert same(trace(example, backend("cpu")).values["head_outputs"], found.tolist())


def tensor(rows):
    return torch.tensor(rows, dtype=torch.float64)


def test_cosine_as_torch_measures_it():
    example = layer(Random("cosine"), SHAPES[0], scoring="cosine")
    values = trace(example, backend("cpu")).values
    for g in range(len(example.heads)):
        q, k = tensor(values["q"][g]), tensor(values["k"][g])
        assert same(values["scores"][g], F.cosine_similarity(q[:, None], k[None], dim=-1).tolist())


# --- by hand -----------------------------------------------------------------------------------------------------


def one_head(**fields) -> Example:
    """Two tokens; Q and K are X itself."""
    eye = ((1.0, 0.0), (0.0, 1.0))
    given = {name: fields.pop(name) for name in ("w_a", "u_a", "v_a", "slope") if name in fields}
    x = fields.pop("x", ((3.0, 4.0), (0.0, 2.0)))
    head = Head(w_q=eye, w_k=eye, w_v=eye, **given)
    return validate(Example(title="", tokens=("a", "b"), x=x, heads=(head,), **{"scale": "none", **fields}))


def test_additive_by_hand():
    example = one_head(
        scoring="additive",
        x=((1.0, 0.0), (0.0, 1.0)),
        w_a=((1.0,), (2.0,)),
        u_a=((0.5,), (-1.0,)),
        v_a=(3.0,),
    )
    values = trace(example).values
    assert values["q_a"] == [[[1], [2]]]
    assert values["k_a"] == [[[0.5], [-1]]]
    assert values["pair_sums"] == [[[1.5], [0], [2.5], [1]]]
    assert values["scores"][0] == [
        pytest.approx([3 * tanh(1.5), 0]),
        pytest.approx([3 * tanh(2.5), 3 * tanh(1)]),
    ]
    top = exp(3 * tanh(1.5))
    assert values["weights"][0][0] == pytest.approx([top / (top + 1), 1 / (top + 1)])
    told = derive(trace(example), Cell("pair_sums", 0, 2, 0))
    assert told.terms[0].cells == (Cell("q_a", 0, 1, 0), Cell("k_a", 0, 0, 0))
    assert arithmetic(told) == "2 + 0.5 = 2.5"
    assert arithmetic(derive(trace(example), Cell("pair_tanh", 0, 1, 0))) == "tanh 0 = 0"
    score = derive(trace(example), Cell("scores", 0, 1, 1))
    assert score.terms[0].cells == (Cell("pair_tanh", 0, 3, 0), Cell("v_a", 0, 0, 0))
    assert arithmetic(score, 2) == "0.76·3 ≈ 2.28"


def test_bilinear_by_hand():
    example = one_head(scoring="bilinear", w_a=((1.0, 2.0), (0.0, -1.0)))
    values = trace(example).values
    assert values["q_a"] == [[[3, 2], [0, -2]]]
    assert values["scores"] == [[[17, 4], [-8, -4]]]


def test_cosine_by_hand():
    example = one_head(scoring="cosine", scale=0.5, x=((3.0, 4.0), (0.0, 0.0)))
    computed = trace(example)
    assert computed.values["q_norms"] == [[[5], [0]]]
    assert computed.values["q_unit"] == [[[0.6, 0.8], [0, 0]]]
    assert computed.values["scores"] == [[[pytest.approx(1), 0], [0, 0]]]
    assert computed.values["scaled_scores"][0][0][0] == pytest.approx(2)
    assert arithmetic(derive(computed, Cell("k_norms", 0, 0, 0))) == "√(3² + 4²) = 5"
    assert arithmetic(derive(computed, Cell("k_unit", 0, 0, 1))) == "4 ÷ 5 = 0.8"
    assert arithmetic(derive(computed, Cell("k_unit", 0, 1, 1))) == "0 ÷ 0 → 0"


def test_rotary_by_hand():
    computed = trace(one_head(positions=Positions("rotary", ids=(0.0, 2.0), frequencies=(0.5,))))
    assert computed.values["angles"] == [[0], [1]]
    assert computed.values["q_rotated"][0][0] == [3, 4]
    assert computed.values["k_rotated"][0][1] == pytest.approx([-2 * sin(1), 2 * cos(1)])
    assert arithmetic(derive(computed, Cell("angles", None, 1, 0))) == "2·0.5 = 1"
    assert arithmetic(derive(computed, Cell("q_rotated", 0, 1, 0))) == "0·cos 1 − 2·sin 1 ≈ (−1.6829)"
    assert arithmetic(derive(computed, Cell("q_rotated", 0, 1, 1))) == "0·sin 1 + 2·cos 1 ≈ 1.0806"


def test_half_split_rotary_by_hand():
    """Columns 1 and 3 turn by 1 radian a position, columns 2 and 4 by 2."""
    half = Positions("rotary", frequencies=(1.0, 2.0), pairs="half")
    head = Head(q=((1.0, 2.0, 3.0, 4.0),) * 2, k=((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
    computed = trace(validate(Example(title="", tokens=("a", "b"), heads=(head,), positions=half)))
    first, second = computed.values["q_rotated"][0]
    assert first == [1, 2, 3, 4]
    assert second == pytest.approx(
        [cos(1) - 3 * sin(1), 2 * cos(2) - 4 * sin(2), sin(1) + 3 * cos(1), 2 * sin(2) + 4 * cos(2)]
    )
    assert computed.values["scores"][0][1] == pytest.approx(
        [second[0], -sin(2) * second[1] + cos(2) * second[3]]
    )
    lines = [arithmetic(derive(computed, Cell("q_rotated", 0, 1, col))) for col in range(4)]
    assert lines == [
        "1·cos 1 − 3·sin 1 ≈ (−1.9841)",
        "2·cos 2 − 4·sin 2 ≈ (−4.4695)",
        "1·sin 1 + 3·cos 1 ≈ 2.4624",
        "2·sin 2 + 4·cos 2 ≈ 0.1540",
    ]
    of = [[term.cells for term in derive(computed, Cell("q_rotated", 0, 1, col)).terms] for col in (1, 3)]
    pair = [(Cell("q", 0, 1, col), Cell("angles", None, 1, 1)) for col in (1, 3)]
    assert of == [pair, pair]
    assert feeds(computed, Cell("q", 0, 1, 0)) == tuple(Cell("q_rotated", 0, 1, col) for col in (0, 2))
    assert feeds(computed, Cell("angles", None, 1, 0))[:2] == tuple(
        Cell("q_rotated", 0, 1, col) for col in (0, 2)
    )


def test_of_two_columns_both_pairings_are_one():
    half = replace(built_in("rotary"), positions=Positions("rotary", pairs="half"))
    assert trace(half).values == trace(built_in("rotary")).values


def test_sinusoidal_by_hand():
    example = replace(built_in("first"), positions=Positions("sinusoidal"))
    computed = trace(example)
    waves = [[0, 1], [sin(1), cos(1)], [sin(2), cos(2)]]
    assert computed.values["positional_encoding"] == [pytest.approx(row) for row in waves]
    assert computed.values["x_positioned"][2] == pytest.approx([5 + sin(2), 6 + cos(2)])
    assert arithmetic(derive(computed, Cell("positional_encoding", None, 1, 1))) == "cos 1 ≈ 0.5403"
    assert arithmetic(derive(computed, Cell("x_positioned", None, 0, 1))) == "2 + 1 = 3"
    assert derive(computed, Cell("q", 1, 0, 0)).terms[0].cells[0] == Cell("x_positioned", None, 0, 0)


def test_frequencies_fall_from_1_as_the_authors_set_them():
    example = layer(Random(1), (2, 3, 2, 5, 4, 6, 3), kind="rotary", masked=False)
    rows = position_inputs(example)
    assert rows["frequencies"] == pytest.approx([1, 10000 ** (-1 / 3), 10000 ** (-2 / 3)])
    assert rows["context_position_ids"] == (0.0, 1.0, 2.0)
    sines = position_inputs(replace(example, positions=Positions("sinusoidal")))
    assert sines["frequencies"] == pytest.approx(
        [1, 10000 ** (-2 / 5), 10000 ** (-4 / 5)]
    )  # the last for one column
    assert sines["context_frequencies"] == pytest.approx([1, 0.01])


def test_alibi_by_hand():
    computed = trace(one_head(positions=Positions("alibi"), slope=(0.5,)))
    assert computed.values["linear_biases"] == [[[0, -0.5], [-0.5, 0]]]
    assert computed.values["biased_scores"] == [[[25, 7.5], [7.5, 4]]]
    assert arithmetic(derive(computed, Cell("linear_biases", 0, 1, 0))) == "−0.5·|1 − 0| = (−0.5)"
    assert [alibi_slope(g, 8) for g in range(3)] == [1 / 2, 1 / 4, 1 / 8]
    assert str(computed.values["linear_biases"][0][0][0]) == "0.0"


def test_formulas():
    wanted = {
        "additive": {"pair_sums": "Q_a[i] + K_a[j]", "pair_tanh": "tanh(Z)", "scores": "T·v_a"},
        "bilinear": {"q_a": "Q·W_a", "scores": "Q_a·Kᵀ"},
        "cosine": {"q_norms": "‖Q‖", "k_unit": "K ÷ ‖K‖", "scores": "Q̂·K̂ᵀ"},
        "sinusoidal": {
            "angles": "p·ω",
            "positional_encoding": "sin, cos(Θ)",
            "x_positioned": "X + P",
            "q": "X_P·W_Q",
        },
        "rotary": {"q_rotated": "rotate(Q, Θ)", "scores": "Q_R·K_Rᵀ"},
        "alibi": {
            "linear_biases": "−m·|p − pᵀ|",
            "biased_scores": "S/√d_k + B",
            "masked_scores": "mask(S_B, M)",
        },
    }
    for name, formulas in wanted.items():
        example = built_in(name)
        told = {step.name: formula(step, example) for step in graph(example)}
        assert {step: told[step] for step in formulas} == formulas


# --- laws --------------------------------------------------------------------------------------------------------


@tries(8)
@given(plain, st.data())
def test_tokens_may_be_permuted_where_their_position_ids_go_along(example, data):
    order = data.draw(st.permutations(range(len(example.tokens))))
    moved = replace(
        example, tokens=tuple(example.tokens[i] for i in order), x=tuple(example.x[i] for i in order)
    )
    if example.positions is not None:
        ids = position_inputs(example)["position_ids"]
        example = replace(example, positions=replace(example.positions, ids=ids))
        moved = replace(moved, positions=replace(example.positions, ids=tuple(ids[i] for i in order)))
    before, after = trace(example).values, trace(moved).values
    if "concat" in before:
        assert same(after["concat"], [before["concat"][i] for i in order])
    for one, other in zip(after["weights"], before["weights"], strict=True):
        assert same(one, [[other[i][j] for j in order] for i in order])


@pytest.mark.parametrize("kind", ["sinusoidal", "rotary", "alibi"])
def test_with_positions_an_order_matters(kind):
    example = apply(built_in("programming"), {"op": "positions", "kind": kind})
    moved = replace(example, x=(*example.x[1:], example.x[0]))  # reversing would keep the distances of alibi
    before, after = (trace(one).values["concat"] for one in (example, moved))
    assert largest_difference({"concat": [after[-1], *after[:-1]]}, {"concat": before}) > 1e-3
    bare = [apply(one, {"op": "positions", "kind": "none"}) for one in (example, moved)]
    before, after = (trace(one).values["concat"] for one in bare)
    assert same([after[-1], *after[:-1]], before)


@tries(6)
@given(
    examples(claims=False, variants={"scorings": ("dot", "cosine"), "kinds": ("rotary", "alibi")})
    | examples(claims=False, variants={"kinds": ("alibi",)}),
    st.sampled_from([5.0, -2.5, 100.0]),
)
def test_rotary_scores_and_linear_biases_know_only_distances(example, shift):
    """Not so rotary positions before W_a or tanh: what those do does not turn along."""
    positions, rows = example.positions, position_inputs(example)
    moved = {
        field: tuple(number + shift for number in rows[name])
        for field, name in (("ids", "position_ids"), ("context_ids", "context_position_ids"))
        if name in rows
    }
    later = replace(example, positions=replace(positions, **moved))
    found, expected = trace(later).values["weights"], trace(example).values["weights"]
    assert all(close(one, other) for one, other in zip(found, expected, strict=True))


def close(found, expected):
    """Within 1e-9: angles of 100 have fewer digits after the point."""
    return torch.allclose(tensor(found), tensor(expected), rtol=0, atol=1e-9)


@tries(6)
@given(examples(plain=True, claims=False, variants={"grouped": True}))
def test_groups_equal_heads_with_copies(example):
    h = len(example.heads)
    groups = example.kv_heads
    apart = apply(example, {"op": "kv_heads", "count": h})
    assert apart.kv_heads is None
    assert all(head.w_k == apart.heads[g - g % (h // groups)].w_k for g, head in enumerate(apart.heads))
    last = last_step(example)
    if last != "weights":
        assert same(trace(apart).values[last], trace(example).values[last])
    for one, other in zip(trace(apart).values["weights"], trace(example).values["weights"], strict=True):
        assert same(one, other)
    assert same_numbers(apply(apart, {"op": "kv_heads", "count": groups}), example)


@tries(4)
@given(examples(claims=False))
def test_as_many_key_heads_as_heads_is_no_sharing(example):
    assert trace(replace(example, kv_heads=len(example.heads))).values == trace(example).values


def test_multi_query_attention_is_one_group():
    example = apply(built_in("grouped-query"), {"op": "kv_heads", "count": 1})
    values = trace(example).values
    assert [rows is not None for rows in values["k"]] == [True, False, False, False]
    keys, head = values["k"][0], example.heads[3]
    q = tensor(example.x) @ tensor(head.w_q)
    assert same(values["scores"][3], (q @ tensor(keys).T).tolist())


@tries(6)
@given(examples(claims=False, variants={"scorings": ("cosine",), "kinds": (None,)}))
def test_cosine_scores_lie_within_1_and_know_no_length(example):
    values = trace(example).values
    for rows in values.get("scores", ()):
        assert all(-1 - 1e-12 <= number <= 1 + 1e-12 for row in rows or () for number in row)
    heads = tuple(
        replace(
            head,
            w_q=head.w_q and tuple(tuple(3 * n for n in row) for row in head.w_q),
            b_q=head.b_q and tuple(3 * n for n in head.b_q),
            q=head.q and tuple(tuple(3 * n for n in row) for row in head.q),
        )
        for head in example.heads
    )
    longer = trace(replace(example, heads=heads)).values
    for one, other in zip(longer["weights"], values["weights"], strict=True):
        assert same(one, other)


def test_turning_keeps_lengths():
    example = layer(Random("length"), SHAPES[1], kind="rotary")
    values = trace(example).values
    for plain_rows, turned in zip(values["q"], values["q_rotated"], strict=True):
        for one, other in zip(plain_rows, turned, strict=True):
            assert sqrt(sum(n * n for n in one)) == pytest.approx(sqrt(sum(n * n for n in other)))


# --- files -------------------------------------------------------------------------------------------------------

SMALL: dict[str, Any] = {
    "format": "mha-example/1",
    "tokens": ["a", "b"],
    "x": [[1, 2], [3, 4]],
    "heads": [
        {"w_q": [[1, 0], [0, 1]], "w_k": [[1, 0], [0, 1]], "w_v": [[1], [1]]},
        {"w_q": [[1, 0], [0, 1]], "w_k": [[1, 0], [0, 1]], "w_v": [[1], [1]]},
    ],
}
WITHOUT = {"w_q": [[1, 0], [0, 1]]}
ADDITIVE = {"w_a": [[1], [1]], "u_a": [[1], [0]], "v_a": [2]}


def changed(**changes):
    """SMALL with these keys; ``heads`` are added to its heads, or take their place where they have a W_Q."""
    data = {**SMALL, **changes}
    if "heads" in changes:
        data["heads"] = [
            new if "w_q" in new else {**old, **new}
            for old, new in zip(SMALL["heads"], changes["heads"], strict=True)
        ]
    return json.dumps(data)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"scoring": "concat"}, 'scoring: expected "dot", "bilinear", "additive" or "cosine", got "concat"'),
        ({"scoring": 1}, 'scoring: expected "dot", "bilinear", "additive" or "cosine", got 1'),
        ({"scoring": "bilinear"}, "heads[0]: w_a is missing, and no other field takes its place"),
        ({"scoring": "additive", "heads": [ADDITIVE, {}]},
         "heads[1]: w_a is missing, and no other field takes its place"),
        ({"scoring": "additive", "heads": [ADDITIVE, {**ADDITIVE, "u_a": [[1, 2], [3, 4]]}]},
         "heads[1].u_a: expected 2 × 1, got 2 × 2"),
        ({"scoring": "additive", "heads": [{**ADDITIVE, "v_a": [1, 2]}, ADDITIVE]},
         "heads[0].v_a: expected 1 × 1, got 1 × 2"),
        ({"scoring": "bilinear", "heads": [{"w_a": [[1], [1]]}, {"w_a": [[1], [1]]}]},
         "heads[0].w_a: expected 2 × 2, got 2 × 1"),
        ({"heads": [{}, {"w_a": [[1, 0], [0, 1]]}]},
         "heads[1].w_a: is not used without \"scoring\": \"bilinear\" or \"additive\""),
        ({"heads": [{}, {"v_a": [1]}]}, "heads[1].v_a: is not used without \"scoring\": \"additive\""),
        ({"scoring": "cosine", "scale": "sqrt_dk"},
         "scale: √d_k is for dot products; with cosine scoring, write \"none\" or a number"),
        ({"scoring": "additive", "scale": "sqrt_dk", "heads": [ADDITIVE, ADDITIVE]},
         "scale: √d_k is for dot products; with additive scoring, write \"none\" or a number"),
        ({"scoring": "cosine", "scale": -0.5}, "scale: expected a temperature above 0, got -0.5"),
        ({"scoring": "cosine", "scale": 0}, "scale: the divisor cannot be 0"),
        ({"kv_heads": 0}, "kv_heads: expected a number that divides the 2 heads into equal groups, got 0"),
        ({"kv_heads": 3}, "kv_heads: expected a number that divides the 2 heads into equal groups, got 3"),
        ({"kv_heads": True}, "kv_heads: expected a whole number, got true"),
        ({"kv_heads": 1.0}, "kv_heads: expected a whole number, got 1.0"),
        ({"kv_heads": 1}, "heads[1].w_k: keys and values are shared here; give them only in heads[0]"),
        ({"heads": [{}, WITHOUT]}, "heads[1]: w_k is missing, and no other field takes its place"),
        ({"kv_heads": 1, "heads": [{}, WITHOUT], "claimed": {"k": [None, [[1, 2], [3, 4]]]}},
         "claimed.k[1]: keys and values are shared here; give them only in heads[0]"),
        ({"positions": "learned"}, 'positions: expected "sinusoidal", "rotary" or "alibi", got "learned"'),
        ({"positions": []}, 'positions: expected "sinusoidal", "rotary" or "alibi", got []'),
        ({"positions": {}}, 'positions.kind: expected "sinusoidal", "rotary" or "alibi", got null'),
        ({"positions": {"kind": "rotary", "base": 10}}, 'positions: unknown key "base"'),
        ({"positions": {"kind": "rotary", "ids": [0]}}, "positions.ids: expected 2 numbers, got 1"),
        ({"positions": {"kind": "rotary", "pairs": "split"}},
         'positions.pairs: expected "interleaved" or "half", got "split"'),
        ({"positions": {"kind": "rotary", "pairs": 2}},
         'positions.pairs: expected "interleaved" or "half", got 2'),
        ({"positions": {"kind": "sinusoidal", "pairs": "half"}},
         "positions.pairs: is not used without \"kind\": \"rotary\""),
        ({"positions": {"kind": "alibi", "pairs": "half"}, "heads": [{"slope": 1}, {"slope": 1}]},
         "positions.pairs: is not used without \"kind\": \"rotary\""),
        ({"positions": {"kind": "rotary", "ids": [0, "1"]}}, 'positions.ids[1]: expected a number, got "1"'),
        ({"positions": {"kind": "rotary", "ids": [0, 1e13]}},
         "positions.ids[1]: expected a number from -1e+12 to 1e+12, got 10000000000000.0"),
        ({"positions": {"kind": "rotary", "frequencies": [1, 2]}}, "positions.frequencies: expected 1 number, got 2"),
        ({"positions": {"kind": "rotary", "context_ids": [0, 1]}},
         "positions.context_ids: is not used without \"context\""),
        ({"positions": {"kind": "alibi", "frequencies": [1]}, "heads": [{"slope": 1}, {"slope": 1}]},
         "positions.frequencies: is not used without \"kind\": \"sinusoidal\" or \"rotary\""),
        ({"positions": "alibi", "heads": [{"slope": 1}, {}]},
         "heads[1]: slope is missing, and no other field takes its place"),
        ({"positions": "alibi", "heads": [{"slope": [1]}, {}]}, "heads[0].slope: expected a number, got [1]"),
        ({"heads": [{"slope": 1}, {}]}, "heads[0].slope: is not used without \"positions\": \"alibi\""),
        ({"positions": "rotary", "heads": [{**WITHOUT, "w_q": [[1], [1]], "w_k": [[1], [1]], "w_v": [[1], [1]]}] * 2},
         "positions: rotary positions rotate the columns of Q and K in pairs, so d_k must be even; got 1"),
        ({"positions": "sinusoidal", "x": None, "scale": "none",
          "heads": [{"w_q": None, "weights": [[1, 0], [0, 1]], "v": [[1], [2]]}] * 2},
         "positions: sinusoidal positions are added to X, but there is no X"),
        ({"claimed": {"q_rotated": [[[1, 2], [3, 4]], None]}}, "claimed.q_rotated: this example has no such step"),
        ({"positions": "rotary", "claimed": {"angles": [[0]]}}, "claimed.angles: expected 2 × 1, got 1 × 1"),
        ({"tokens": ["t"] * 64, "x": [[1, 2]] * 64, "scoring": "additive",
          "heads": [{"w_a": [[1, 1]] * 2, "u_a": [[1, 1]] * 2, "v_a": [1, 1]}] * 2},
         "scoring: additive scoring needs n_q × n_k × d_a numbers, at most 4096; got 64 × 64 × 2"),
    ],
    ids=str,
)  # fmt: skip
def test_refusals_name_the_place(changes, sentence):
    with pytest.raises(ExampleError) as error:
        parse(changed(**changes))
    assert str(error.value) == sentence


def test_where_no_scale_is_given_it_goes_with_the_scoring():
    assert parse(changed()).scale == "sqrt_dk"
    assert parse(changed(scoring="cosine")).scale == "none"
    assert parse(changed(scoring="additive", heads=[ADDITIVE, ADDITIVE])).scale == "none"
    square = {"w_a": [[1, 0], [0, 1]]}
    assert parse(changed(scoring="bilinear", heads=[square, square])).scale == "sqrt_dk"


def test_the_new_keys_have_defaults_that_are_not_written():
    explicit = parse(changed(scoring="dot", positions=None, kv_heads=None))
    assert explicit == parse(changed())
    assert not {"scoring", "positions", "kv_heads"} & set(json.loads(dump(explicit)))
    ids = {"kind": "rotary", "ids": [1, 0]}
    assert json.loads(dump(parse(changed(positions=ids))))["positions"] == ids
    assert json.loads(dump(parse(changed(positions={"kind": "rotary"}))))["positions"] == "rotary"
    told = {"kind": "rotary", "pairs": "interleaved"}
    assert json.loads(dump(parse(changed(positions=told))))["positions"] == "rotary"
    half = {"kind": "rotary", "pairs": "half"}
    assert json.loads(dump(parse(changed(positions=half))))["positions"] == half
    assert parse(changed(positions=half)).positions == Positions("rotary", pairs="half")


def test_claims_of_the_new_steps_are_kept():
    claimed = {"angles": [["0.0"], [1]], "q_rotated": [None, [[1, 2], None]]}
    example = parse(changed(positions="rotary", claimed=claimed))
    assert json.loads(dump(example))["claimed"] == claimed


# --- edits -------------------------------------------------------------------------------------------------------


@each("name", library())
@each("kind", ["dot", "bilinear", "additive", "cosine"])
def test_every_example_can_be_switched_to_every_scoring_and_back(name, kind):
    example = replace(built_in(name), claimed=None, note=None, source=None)  # these go
    switched = apply(example, {"op": "scoring", "kind": kind})
    assert switched.scoring == kind
    assert largest_difference(trace(switched).values, reference(switched)) <= 1e-12
    back = apply(switched, {"op": "scoring", "kind": example.scoring, "scale": example.scale})
    assert (back.scale, back.scoring) == (example.scale, example.scoring)
    if example.scoring in ("dot", "cosine"):
        assert back == example


def test_a_bilinear_start_changes_no_score_and_w_a_stays_on_the_way_to_additive():
    example = apply(built_in("first"), {"op": "scoring", "kind": "bilinear"})
    assert trace(example).values["scores"] == trace(built_in("first")).values["scores"]
    edited = apply(example, {"op": "set", "matrix": "w_a", "head": 1, "row": 0, "col": 1, "values": [[5]]})
    additive = apply(edited, {"op": "scoring", "kind": "additive"})
    assert additive.heads[1].w_a == ((1.0, 5.0), (0.0, 1.0))
    assert additive.scale == "none"
    assert additive.heads[0].u_a != additive.heads[1].u_a
    assert apply(additive, {"op": "scoring", "kind": "cosine"}).scale == 0.25


def test_switching_positions_gives_slopes_and_keeps_ids():
    example = built_in("programming")
    alibi = apply(example, {"op": "positions", "kind": "alibi"})
    assert [head.slope for head in alibi.heads] == [(alibi_slope(g, 3),) for g in range(3)]
    moved = apply(alibi, {"op": "set", "matrix": "position_ids", "row": 1, "col": 0, "values": [[7]]})
    assert moved.positions.ids == (0.0, 7.0, 2.0)
    steeper = apply(moved, {"op": "set", "matrix": "slope", "head": 2, "row": 0, "col": 0, "values": [[2]]})
    assert steeper.heads[2].slope == (2.0,)
    rotary = apply(steeper, {"op": "positions", "kind": "rotary"})
    assert rotary.positions == Positions("rotary", ids=(0.0, 7.0, 2.0))
    assert all(head.slope is None for head in rotary.heads)
    more = apply(rotary, {"op": "add_token", "which": "tokens", "index": 0})
    assert more.positions.ids == (8.0, 0.0, 7.0, 2.0)
    assert apply(more, {"op": "positions", "kind": "none"}).positions is None
    slower = apply(rotary, {"op": "set", "matrix": "frequencies", "row": 0, "col": 0, "values": [[0.5]]})
    assert slower.positions.frequencies == (0.5, *position_inputs(rotary)["frequencies"][1:])
    wider = apply(slower, {"op": "resize", "axis": "d_k", "by": 1})
    assert wider.dims.d_k == rotary.dims.d_k + 2
    assert wider.positions.frequencies is None


def test_the_columns_may_be_paired_otherwise_and_all_else_stays():
    given = Positions("rotary", ids=(0.0, 7.0, 2.0), frequencies=(0.5, 0.25))
    wide = apply(built_in("programming"), {"op": "resize", "axis": "d_k", "size": 4})
    example = replace(wide, positions=given)
    half = apply(example, {"op": "positions", "kind": "rotary", "pairs": "half"})
    assert half.positions == replace(given, pairs="half")
    assert apply(half, {"op": "positions", "kind": "rotary"}) == half  # which says nothing of pairs
    assert apply(half, {"op": "positions", "kind": "rotary", "pairs": "interleaved"}) == example
    assert apply(half, {"op": "positions", "kind": "alibi"}).positions == Positions("alibi", given.ids)
    straight = apply(wide, {"op": "positions", "kind": "rotary", "pairs": "half"})
    assert straight.positions == Positions("rotary", pairs="half")
    claimed = replace(example, claimed={"weights": (None,) * 3})
    assert apply(claimed, {"op": "positions", "kind": "rotary", "pairs": "half"}).claimed is None


def test_a_context_of_its_own_has_positions_of_its_own():
    example = apply(built_in("sinusoidal"), {"op": "context", "on": True})
    assert same(trace(example).values["concat"], trace(built_in("sinusoidal")).values["concat"])
    edit = {"op": "set", "matrix": "context_position_ids", "row": 0, "col": 0, "values": [[4]]}
    moved = apply(example, edit)
    assert moved.positions.context_ids == (4.0, 1.0, 2.0)
    assert same_numbers(apply(moved, {"op": "context", "on": False}), built_in("sinusoidal"))


def test_heads_of_groups_come_and_go():
    grouped = built_in("grouped-query")
    values = trace(grouped).values["head_outputs"]
    five = apply(grouped, {"op": "add_head"})
    assert (five.kv_heads, len(five.heads)) == (None, 5)
    assert trace(five).values["head_outputs"][:4] == values
    three = apply(grouped, {"op": "remove_head", "head": 0})
    assert three.kv_heads is None
    assert trace(three).values["head_outputs"] == values[1:]
    single = apply(grouped, {"op": "kv_heads", "count": 1})
    kept = trace(single).values["head_outputs"]
    fewer = apply(single, {"op": "remove_head", "head": 0})
    assert (fewer.kv_heads, fewer.heads[0].w_k) == (1, grouped.heads[0].w_k)
    assert trace(fewer).values["head_outputs"] == kept[1:]
    more = apply(single, {"op": "add_head", "copy": 0})
    assert (more.kv_heads, more.heads[4].w_k) == (1, None)
    assert trace(more).values["head_outputs"][4] == kept[0]


def test_growing_d_a_and_a_bilinear_d_k_changes_no_score():
    additive = built_in("additive")
    grown = apply(additive, {"op": "resize", "axis": "d_a", "by": 1})
    assert grown.dims.d_a == 3
    assert trace(grown).values["scores"] == trace(additive).values["scores"]
    assert same_numbers(apply(grown, {"op": "resize", "axis": "d_a", "by": -1}), additive)
    bilinear = apply(built_in("bilinear"), {"op": "resize", "axis": "d_k", "by": 1})
    assert trace(bilinear).values["scores"] == trace(built_in("bilinear")).values["scores"]


@pytest.mark.parametrize(
    ("name", "edit", "sentence"),
    [
        ("first", {"op": "scoring", "kind": "concat"},
         "kind: expected dot, bilinear, additive, cosine, got 'concat'"),
        ("first", {"op": "scoring", "kind": ["dot"]},
         "kind: expected dot, bilinear, additive, cosine, got ['dot']"),
        ("first", {"op": "positions", "kind": "learned"},
         "kind: expected none, sinusoidal, rotary, alibi, got 'learned'"),
        ("first", {"op": "positions", "kind": "rotary", "pairs": "halves"},
         "pairs: expected interleaved, half, got 'halves'"),
        ("first", {"op": "positions", "kind": "sinusoidal", "pairs": "half"},
         "positions.pairs: is not used without \"kind\": \"rotary\""),
        ("first", {"op": "kv_heads", "count": "1"}, "count: expected a whole number, got '1'"),
        ("programming", {"op": "kv_heads", "count": 2},
         "kv_heads: expected a number that divides the 3 heads into equal groups, got 2"),
        ("alibi", {"op": "positions", "kind": "rotary"},
         "positions: rotary positions rotate the columns of Q and K in pairs, so d_k must be even; got 1"),
        ("cosine", {"op": "scale", "value": "sqrt_dk"},
         "scale: √d_k is for dot products; with cosine scoring, write \"none\" or a number"),
        ("grouped-query", {"op": "set", "matrix": "w_k", "head": 1, "row": 0, "col": 0, "values": [[1]]},
         "heads[1].w_k: this example has no such numbers to edit"),
        ("first", {"op": "set", "matrix": "position_ids", "row": 0, "col": 0, "values": [[1]]},
         "position_ids: this example has no such numbers to edit"),
        ("first", {"op": "resize", "axis": "d_a", "by": 1}, "this example has no d_a"),
    ],
    ids=str,
)  # fmt: skip
def test_edits_that_do_not_fit_are_refused(name, edit, sentence):
    with pytest.raises(ExampleError) as error:
        apply(built_in(name), edit)
    assert str(error.value) == sentence


# --- checking, exercises, the command line -----------------------------------------------------------------------

VARIANTS = ("additive", "bilinear", "cosine", "sinusoidal", "rotary", "alibi", "grouped-query")


def claiming(example, decimals=4):
    """The example with all its own numbers, as somebody would print them."""

    def rows(matrix):
        return matrix and tuple(
            tuple("-inf" if n == float("-inf") else f"{n:.{decimals}f}" for n in row) for row in matrix
        )

    claimed = {
        step.name: tuple(map(rows, values)) if step.per_head else rows(values)
        for step in graph(example)
        for values in [trace(example).values[step.name]]
    }
    return validate(replace(example, claimed=claimed))


@pytest.mark.parametrize("name", VARIANTS)
def test_right_numbers_are_found_right_and_a_wrong_one_where_it_stands(name):
    example = claiming(built_in(name))
    assert check(example).ok
    assert as_json(check(example), "zh")["ok"]
    for step in graph(example):
        head = 0 if step.per_head else None
        spoilt = apply(
            example,
            {"op": "claim", "matrix": step.name, "head": head, "row": 1, "col": 0, "values": [["77.7777"]]},
        )
        verdict = check(spoilt)
        assert verdict.first_wrong == Cell(step.name, head, 1, 0)
        assert "# " in as_markdown(verdict, "zh")
        assert as_json(verdict, "en")["steps"][step.name]["status"] == "wrong"


@pytest.mark.parametrize(
    ("name", "step", "edit", "mistake"),
    [
        ("rotary", "scaled_scores", {"op": "scale", "value": "none"}, "not_scaled"),
        ("alibi", "masked_scores", {"op": "mask", "kind": "none"}, "mask_forgotten"),
        ("grouped-query", "scaled_scores", {"op": "scale", "value": 2}, "divided_by_dk"),
        ("sinusoidal", "scaled_scores", {"op": "scale", "value": 2}, "divided_by_dk"),
    ],
)
def test_known_mistakes_are_named_in_variants(name, step, edit, mistake):
    example, other = built_in(name), apply(built_in(name), edit)
    source = {"scaled_scores": "scores", "masked_scores": "biased_scores"}[step]
    wrong = trace(other).values[step if step in trace(other).values else source]
    for head, rows in enumerate(wrong):
        printed = [[f"{number:.4f}" for number in row] for row in rows]
        example = apply(
            example, {"op": "claim", "matrix": step, "head": head, "row": 0, "col": 0, "values": printed}
        )
    verdict = check(example)
    assert not verdict.ok
    assert mistake in {label for cause in verdict.steps[step].causes for label in cause.ids}


@pytest.mark.parametrize("name", VARIANTS)
def test_exercises_are_of_the_same_kind(name):
    example = built_in(name)
    drawn = exercise(example, 7)
    assert drawn == exercise(example, 7)
    assert (drawn.scoring, drawn.kv_heads, drawn.positions) == (
        example.scoring,
        example.kv_heads,
        example.positions,
    )
    assert drawn.heads != example.heads
    assert largest_difference(trace(drawn).values, reference(drawn)) <= 1e-12


def test_the_command_line_explains_new_steps(capsysbinary):
    file = str(FOLDER / "98_grouped-query.mha.json")
    assert main(["explain", file, "--step", "scores", "--head", "1", "--row", "0", "--col", "1"]) == 0
    told = json.loads(capsysbinary.readouterr().out)
    assert told["arithmetic"] == "0·0 + 2·1 = 2"
    assert told["terms"][0]["cells"][1] == {"step": "k", "head": 0, "row": 1, "col": 0}
    assert main(["explain", file, "--step", "k", "--head", "1", "--row", "0", "--col", "1"]) == 2
    assert b"there is no k, head 1 here" in capsysbinary.readouterr().err
    assert main(["trace", str(FOLDER / "96_rotary.mha.json")]) == 0
    steps = json.loads(capsysbinary.readouterr().out)["steps"]
    assert list(steps)[:1] + list(steps)[4:6] == ["angles", "q_rotated", "k_rotated"]
