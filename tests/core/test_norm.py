"""Queries and keys that are normalized, as in Qwen3: Q ÷ √(mean(Q²) + eps) ∘ g_Q, where everything that reads the
declared steps has it.
"""

from dataclasses import replace
from math import sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mha_core import (
    Cell,
    ExampleError,
    Norm,
    arithmetic,
    built_in,
    derive,
    dump,
    formula,
    from_arrays,
    parse,
    trace,
    validate,
)
from mha_core.check.check import check
from mha_core.compute.gradients import gradients
from mha_core.exercise.exercise import exercise
from tests.apply import apply

PLAIN = built_in("rotary")
G_Q, G_K = (2.0, -1.0), (0.5, 3.0)


def with_norm(example, eps=1e-6, g_q=G_Q, g_k=G_K):
    heads = tuple(replace(head, g_q=g_q, g_k=g_k) for head in example.heads)
    return validate(replace(example, norm=Norm(eps=eps), heads=heads))


NORMED = with_norm(PLAIN, eps=0.5)


def tensor(computed, name):
    return torch.tensor(computed.values[name], dtype=torch.float64)


# --- numbers ------------------------------------------------------------------------------------------------------


def test_by_hand():
    """The first query is (2, 0): √((4 + 0) ÷ 2 + 0.5) = √2.5 = 1.5811; 2 ÷ 1.5811 · 2 = 2.5298."""
    computed = trace(NORMED)
    assert computed.values["q_rms"][0][0] == [sqrt(2.5)]
    assert computed.values["q_normed"][0][0] == pytest.approx([4 / sqrt(2.5), 0])
    assert arithmetic(derive(computed, Cell("q_rms", 0, 0, 0))) == "√((2² + 0²) ÷ 2 + 0.5) ≈ 1.5811"
    assert arithmetic(derive(computed, Cell("q_normed", 0, 0, 0))) == "2 ÷ 1.5811·2 ≈ 2.5298"


def test_its_formulas():
    formulas = {step.name: formula(step, NORMED) for step in trace(NORMED).steps}
    assert formulas["q_rms"] == "√(mean Q² + 0.5)"
    assert formulas["k_normed"] == "K ÷ r_K ∘ g_K"
    assert formulas["q_rotated"] == "rotate(Q_N, Θ)"
    plain = with_norm(built_in("first"), g_q=(1.0, 1.0), g_k=(1.0, 1.0))
    assert {step.name: formula(step, plain) for step in trace(plain).steps}["scores"] == "Q_N·K_Nᵀ"
    assert {step.name: formula(step, plain) for step in trace(plain).steps}["q_rms"] == "√(mean Q² + 1e−6)"


def test_rows_are_those_of_torch_s_rms_norm():
    computed = trace(NORMED)
    for name, gains in (("q", G_Q), ("k", G_K)):
        expected = torch.nn.functional.rms_norm(
            tensor(computed, name), (2,), torch.tensor(gains, dtype=torch.float64), 0.5
        )
        torch.testing.assert_close(tensor(computed, f"{name}_normed"), expected, rtol=1e-14, atol=0)


@given(st.sampled_from([0.25, 2.0, -3.0, 1e3]), st.integers(0, 2))
def test_a_query_times_a_number_keeps_its_weights_but_for_the_sign(factor, query):
    """Q ÷ rms(Q) has no size of its own as eps goes to 0, so W_Q times a number changes nothing but a sign."""
    small = with_norm(PLAIN, eps=1e-12)
    heads = tuple(
        replace(head, w_q=tuple(tuple(number * factor for number in row) for row in head.w_q))
        for head in small.heads
    )
    times, plain = (tensor(trace(one), "q_normed") for one in (replace(small, heads=heads), small))
    torch.testing.assert_close(
        times[:, query], plain[:, query] * (1 if factor > 0 else -1), rtol=1e-9, atol=0
    )


def test_the_mean_square_of_a_normalized_row_is_1_with_gains_of_1():
    ones = with_norm(PLAIN, eps=1e-12, g_q=(1.0, 1.0), g_k=(1.0, 1.0))
    squares = tensor(trace(ones), "k_normed").square().mean(-1)
    torch.testing.assert_close(squares, torch.ones_like(squares), rtol=1e-9, atol=0)


def test_a_row_of_zeros_stays_zero():
    example = with_norm(replace(PLAIN, x=((0.0, 0.0), (0.0, 1.0), (2.0, 0.0))))
    assert trace(example).values["q_normed"][0][0] == [0.0, 0.0]
    assert trace(example).values["q_rms"][0][0] == [pytest.approx(1e-3)]


def test_a_gradient_passes_through_it():
    """∂r ÷ ∂q = q ÷ (n·r), and ∂(q ÷ r·g) ÷ ∂g = q ÷ r."""
    computed = trace(NORMED)
    assert gradients(computed, Cell("q_rms", 0, 0, 0))["q"][0][0][0] == pytest.approx(2 / (2 * sqrt(2.5)))
    assert gradients(computed, Cell("q_normed", 0, 0, 0))["g_q"][0][0] == pytest.approx([2 / sqrt(2.5), 0])


def test_heads_that_share_keys_share_their_norm():
    grouped = apply(built_in("grouped-query"), {"op": "norm", "kind": "rms"})
    owners = [head.g_k is not None for head in grouped.heads]
    assert owners == [head.w_k is not None for head in grouped.heads]
    assert not all(owners)
    assert [rows is not None for rows in trace(grouped).values["k_normed"]] == owners
    own = apply(grouped, {"op": "kv_heads", "count": len(grouped.heads)})
    assert all(head.g_k for head in own.heads)
    torch.testing.assert_close(trace(own)["weights"], trace(grouped)["weights"])


# --- files and edits -----------------------------------------------------------------------------------------------


def test_the_file_keeps_it_and_files_without_it_stay_as_they_are():
    assert '"norm":{"kind":"rms","eps":0.5}' in dump(NORMED)
    assert '"norm":"rms"' in dump(with_norm(PLAIN))
    assert parse(dump(NORMED)) == NORMED
    assert parse(dump(NORMED).replace(',"eps":0.5', "")) == with_norm(PLAIN)
    assert "norm" not in dump(PLAIN)


def test_arrays_may_have_it():
    heads = [{"w_q": h.w_q, "w_k": h.w_k, "w_v": h.w_v, "g_q": G_Q, "g_k": G_K} for h in PLAIN.heads]
    assert from_arrays(x=PLAIN.x, heads=heads, norm="rms").norm == Norm()
    assert from_arrays(x=PLAIN.x, heads=NORMED.heads, norm=NORMED.norm).norm == Norm(eps=0.5)


KIND = '{"kind":"rms","eps":0.5}'


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (KIND, '"layer"', 'norm: expected "rms", got "layer"'),
        (KIND, "{}", 'norm.kind: expected "rms", got null'),
        (KIND, '{"kind":"rms","eps":0}', "norm.eps: expected a number from 1e-12 to 1e+12, got 0"),
        (KIND, '{"kind":"rms","eps":"0"}', 'norm.eps: expected a number, got "0"'),
        (KIND, '{"kind":"rms","gain":1}', 'norm: unknown key "gain"'),
        (f'"norm":{KIND},', "", 'heads[0].g_q: is not used without "norm"'),
        (',"g_k":[0.5,3]}],', "}],", "heads[1]: g_k is missing, and no other field takes its place"),
        ('"g_q":[2,-1]', '"g_q":[2]', "heads[0].g_q: expected 1 × 2, got 1 × 1"),
        ('"g_q":[2,-1]', '"g_q":2', "heads[0].g_q: expected a list in brackets, got 2"),
    ],
)
def test_an_impossible_norm_is_refused(before, after, sentence):
    with pytest.raises(ExampleError) as error:
        parse(dump(NORMED).replace(before, after, 1))
    assert str(error.value) == sentence


def test_a_norm_that_no_head_uses_is_refused():
    weights = ((0.5, 0.5, 0.0),) * 3
    heads = tuple(replace(head, weights=weights) for head in NORMED.heads)
    with pytest.raises(ExampleError, match="norm: is not used, since every head starts from its weights"):
        validate(replace(NORMED, heads=heads))


def test_an_edit_starts_it_with_gains_of_1_sets_its_eps_and_removes_it_with_what_was_claimed_of_it():
    on = apply(PLAIN, {"op": "norm", "kind": "rms"})
    assert (on.norm, on.heads[0].g_q, on.heads[1].g_k) == (Norm(), (1.0, 1.0), (1.0, 1.0))
    edited = apply(on, {"op": "set", "matrix": "g_k", "head": 1, "row": 0, "col": 1, "values": [[4]]})
    further = apply(edited, {"op": "norm", "kind": "rms", "eps": 0.25})
    assert (further.norm, further.heads[1].g_k) == (Norm(eps=0.25), (1.0, 4.0))
    claim = {"op": "claim", "matrix": "q_rms", "head": 0, "row": 0, "col": 0, "values": [["1.5"]]}
    off = apply(apply(further, claim), {"op": "norm", "kind": "none"})
    assert (off.norm, off.claimed, off.heads) == (None, None, PLAIN.heads)
    with pytest.raises(ExampleError, match=r"norm\.eps: expected a number, got 'a'"):
        apply(PLAIN, {"op": "norm", "kind": "rms", "eps": "a"})


def test_a_wider_head_and_a_new_head_have_gains_of_1():
    wider = apply(with_norm(built_in("first")), {"op": "resize", "axis": "d_k", "by": 1})
    assert wider.heads[0].g_q == (*G_Q, 1.0)
    assert apply(NORMED, {"op": "add_head"}).heads[-1].g_k == (1.0, 1.0)


def test_a_wrong_number_of_it_is_found():
    claim = {"op": "claim", "matrix": "q_normed", "head": 0, "row": 0, "col": 0}
    right, wrong = (apply(NORMED, {**claim, "values": [[text]]}) for text in ("2.5298", "1.2649"))
    assert check(right).ok
    assert not check(wrong).ok


def test_an_exercise_of_fewer_columns_keeps_the_first_gains():
    wide = apply(built_in("rotary"), {"op": "resize", "axis": "d_k", "size": 8})
    drawn = exercise(with_norm(wide, g_q=tuple(map(float, range(8))), g_k=(2.0,) * 8), 1)
    d_k = drawn.dims.d_k
    assert d_k < 8
    assert {head.g_q for head in drawn.heads} == {tuple(map(float, range(d_k)))}
