"""Rows and columns, packed weights and masks: against plain loops in column convention, and against torch itself."""

import re
from dataclasses import replace
from math import cos, isnan, sin
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from mha_core import AddMask, AllowMask, Head, built_in, library, trace, validate
from mha_core.compute.graph import formula, head_graph
from mha_core.example.model import NEG_INF, PAIRS, allow_matrix, has_values, kv_head_of
from mha_core.interop import to_bert, to_keras, to_torch
from mha_core.notation import (
    column_matrix,
    demonstrate,
    entries,
    has_pairings,
    is_masked,
    layouts,
    mask_forms,
    pairings,
    refusals,
    reordered,
    starts_further_on,
    transposed,
    with_hidden_row,
    with_mask,
)
from mha_core.notation.rotary import STAND_IN, order_of, partners_of
from mha_core.vocabulary import WHOLE_LAYER_STEPS
from tests.core.columns import column_reference, product
from tests.core.edits import ENDS_AT_WEIGHTS, FURTHER_ON
from tests.core.reference import largest_difference, reference
from tests.core.strategies import examples
from tests.sizes import each, tries

BUILT_IN = list(library().values())
EVERY = [*BUILT_IN, FURTHER_ON, ENDS_AT_WEIGHTS]
NAMES = [*library(), "further on", "ends at its weights"]
every_example = each("example", EVERY, NAMES)


# --- row and column ----------------------------------------------------------------------------------------------


def in_columns(computed):
    """Every step of a trace in column convention, as ``column_reference`` has them."""
    found: dict[str, Any] = {}
    for name, rows in computed.values.items():
        if name in WHOLE_LAYER_STEPS:
            found[name] = column_matrix(computed, name)
        else:
            found[name] = [
                None if matrix is None else column_matrix(computed, name, head)
                for head, matrix in enumerate(rows)
            ]
    return found


def assert_is_the_column_reference(example):
    expected = column_reference(example)
    found = in_columns(trace(example))
    assert set(found) == set(expected)
    assert largest_difference({name: found[name] for name in expected}, expected) <= 1e-9


@every_example
def test_every_step_is_what_loops_in_columns_make(example):
    assert_is_the_column_reference(example)


@every_example
def test_an_equations_signs_around_its_factors_are_its_formula(example):
    for entry in (entry for entry in entries(example, 0) if entry.op not in (None, "concat")):
        before, *behind = entry.row.signs
        both = before + "".join(f.symbol + sign for f, sign in zip(entry.row.factors, behind, strict=True))
        plain = re.sub(r"\[[ij]\]", "", entry.row.formula)
        assert re.sub(r"[ ()ᵀ]", "", both) == re.sub(r"[ ()ᵀ]", "", plain), entry.name


@tries(15)
@given(examples(variants=True, claims=False))
def test_every_step_of_any_example_is_what_loops_in_columns_make(example):
    assert_is_the_column_reference(example)


def test_one_example_by_hand():
    """X = [[1, 2], [3, 4]], W_Q = [[1, 0], [1, 1]]: W_Q′·X′ = [[1, 1], [0, 1]]·[[1, 3], [2, 4]] = [[3, 7], [2, 4]]."""
    eye = ((1.0, 0.0), (0.0, 1.0))
    head = Head(w_q=((1.0, 0.0), (1.0, 1.0)), w_k=eye, w_v=eye)
    example = replace(built_in("first"), tokens=("a", "b"), x=((1.0, 2.0), (3.0, 4.0)), heads=(head,))
    assert trace(example).matrix("q", 0) == [[3, 2], [7, 4]]
    assert column_matrix(trace(example), "q", 0) == [[3, 7], [2, 4]]
    assert column_matrix(trace(example), "scores", 0) == [[3 + 4, 7 + 8], [9 + 8, 21 + 16]]
    by_name = {entry.name: entry for entry in entries(example, 0)}
    assert by_name["q"].column.formula == "W_Q′·X′"
    assert by_name["scores"].column.formula == "K′ᵀ·Q′"
    assert by_name["weights"].column.formula == "softmax↓(S′/√d_k)"
    assert by_name["head_outputs"].column.formula == "V′·A′"
    assert by_name["concat"].column.formula == "[head_1′]"
    assert by_name["scores"].column.axes == ("n_k", "n_q")


@pytest.mark.parametrize(
    ("name", "step", "wanted"),
    [
        ("output-projection", "q", "W_Q′·X′ + b_Q′"),
        ("output-projection", "output", "W_O′·Concat′ + b_O′"),
        ("translation", "k", "W_K′·C′"),
        ("causal", "masked_scores", "mask(S′/√d_k, M′)"),
        ("additive", "pair_sums", "Q_a′[:,i] + K_a′[:,j]"),
        ("additive", "scores", "v_a′ᵀ·T′"),
        ("bilinear", "scores", "K′ᵀ·Q_a′"),
        ("cosine", "q_unit", "Q′ ÷ ‖Q′‖"),
        ("cosine", "scaled_scores", "S′ ÷ 0.5"),
        ("sinusoidal", "angles", "ω′·p′"),
        ("sinusoidal", "q", "W_Q′·X_P′"),
        ("rotary", "scores", "K_R′ᵀ·Q_R′"),
        ("alibi", "linear_biases", "−m·|p′ − p′ᵀ|"),
        ("first", "concat", "[head_1′ ; head_2′]"),
    ],
)
def test_formulas_in_columns(name, step, wanted):
    by_name = {entry.name: entry for entry in entries(built_in(name), 0)}
    assert by_name[step].column.formula == wanted


def matrices(computed, head, factors):
    """The matrices of an equation, transposed as they are in it."""
    example = computed.example
    for factor in factors:
        shared = factor.name in ("x", "context", "w_o", "b_o") or factor.name in WHOLE_LAYER_STEPS
        shared = shared or factor.name.endswith(("ids", "frequencies"))
        rows = computed.matrix(factor.name, None if shared else kv_head_of(example, factor.name, head))
        yield transposed(rows) if factor.transposed else rows


@each("form", ["row", "column"])
@every_example
def test_products_are_what_their_formulas_say(example, form):
    """Each letter of a formula is a factor. Multiplied as they are shown, the factors give the result."""
    computed = trace(example)
    for head in range(len(example.heads)):
        for entry in entries(example, head):
            written = getattr(entry, form)
            if entry.op != "matmul":
                continue
            signs = [factor.symbol for factor in written.factors]
            if entry.name != "scores" or example.scoring != "additive" or form == "column":
                assert written.formula == " + ".join(["·".join(signs[:2]), *signs[2:]])
            left, right, *bias = matrices(computed, head, written.factors)
            made = product(left, right)
            for column in bias:
                across = [line[0] for line in column] if form == "column" else column[0]
                made = [
                    [number + across[r if form == "column" else c] for c, number in enumerate(row)]
                    for r, row in enumerate(made)
                ]
            rows = computed.matrix(entry.name, None if entry.name in WHOLE_LAYER_STEPS else head)
            wanted = transposed(rows) if form == "column" else rows
            if example.scoring == "additive" and entry.name == "scores":  # the formula is for one pair
                made = [[number for row in made for number in row]]
                wanted = [[number for row in rows for number in row]]
            assert (len(made), len(made[0])) == (len(wanted), len(wanted[0]))
            assert all(
                abs(a - b) < 1e-9
                for one, other in zip(made, wanted, strict=True)
                for a, b in zip(one, other, strict=True)
            )


@every_example
def test_entries_are_what_a_head_reads_and_makes(example):
    for head, own in enumerate(example.heads):
        by_name = {entry.name: entry for entry in entries(example, head)}
        for step in head_graph(example, own):
            assert by_name[step.name].row.formula == formula(step, example)
            assert {operand.name for operand in step.tables} <= set(by_name)
        for entry in by_name.values():
            assert entry.column.shape == entry.row.shape[::-1]
            assert entry.column.axes == entry.row.axes[::-1]
            assert entry.row.shape == example.dims.shape(entry.name)
            assert (entry.op is None) == (entry.row.formula == "") == (entry.column.formula == "")
            one = entry.row.axes == ("1", "1")
            assert ("′" in entry.column.symbol) is not one
            assert "′" not in entry.row.symbol


# --- packed weights ----------------------------------------------------------------------------------------------


def assembled(computed, layout):
    """A layout's tensor: its blocks in their places, zeros elsewhere."""
    tensor = torch.zeros(layout.rows, layout.cols, dtype=torch.float64)
    taken = torch.zeros(layout.rows, layout.cols)
    for block in layout.blocks:
        rows = torch.tensor(computed.matrix(block.name, block.head), dtype=torch.float64)
        rows = rows.T if block.transposed else rows
        place = (slice(block.top, block.top + len(rows)), slice(block.left, block.left + rows.shape[1]))
        tensor[place] = rows
        taken[place] += 1
    assert taken.max() <= 1
    if layout.kind != "bias":
        assert taken.min() == 1
    return tensor.reshape(layout.shape)


def by_tensor(example):
    return trace(example), {(one.library, one.tensor): one for one in layouts(example)}


@every_example
def test_a_slice_is_its_heads_own_matrix(example):
    computed = trace(example)
    for layout in layouts(example):
        tensor = assembled(computed, layout)
        groups = [*layout.down, *layout.across]
        assert groups
        for group in groups:
            variable = re.sub(r"^[\w./]+?(?=\[)", "tensor", group.code)
            found = eval(variable, {"tensor": tensor})
            head = group.heads[0]
            if group.letter == "o":
                d_v = example.dims.d_v
                wanted = computed.matrix("w_o")[head * d_v : (head + 1) * d_v]
            else:
                name = {"weight": f"w_{group.letter}", "bias": f"b_{group.letter}", "result": group.letter}[
                    layout.kind
                ]
                if layout.kind == "bias" and getattr(example.heads[head], name) is None:
                    assert not found.any()
                    continue
                wanted = computed.matrix(name, head)
            assert found.reshape(len(wanted), -1).tolist() == wanted
            assert all(kv_head_of(example, f"w_{group.letter}", g) == head for g in group.heads)


@every_example
def test_one_product_makes_all_heads(example):
    computed = trace(example)
    packed = [layout for layout in layouts(example) if layout.library == "packed"]
    for result in (layout for layout in packed if layout.kind == "result"):
        of = {layout.kind: layout for layout in packed if layout.letters == result.letters}
        source = computed.matrix(result.source)
        made = torch.tensor(source, dtype=torch.float64) @ assembled(computed, of["weight"])
        if "bias" in of:
            made = made + assembled(computed, of["bias"])
        assert (made - assembled(computed, result)).abs().max() <= 1e-9


@tries(10)
@given(examples(plain=True, claims=False, variants=True))
def test_libraries_tensors_are_those_that_interop_writes(example):
    computed, found = by_tensor(example)
    refused = refusals(example)
    if refused["torch"] is None:
        _, state = to_torch(example)
        for name, tensor in state.items():
            if ("torch", name) in found:
                assert torch.equal(assembled(computed, found["torch", name]), tensor), name
        assert ("torch", "in_proj_weight") in found
    if refused["keras"] is None:
        _, weights = to_keras(example)
        for part in ("query", "key", "value"):
            assert torch.equal(
                assembled(computed, found["keras", f"{part}/kernel"]), weights[f"{part}/kernel"]
            )
        if example.w_o is not None:
            kernel = assembled(computed, found["keras", "attention_output/kernel"])
            assert torch.equal(kernel, weights["attention_output/kernel"])
    if refused["linear"] is None:
        state = to_bert(example, "")
        for part in ("query", "key", "value"):
            assert torch.equal(
                assembled(computed, found["linear", f"{part}.weight"]), state[f"self.{part}.weight"]
            )


def test_a_layer_that_torch_takes():
    """Built-in "water" with h·d_k = d_model = 4: its packed tensors are the layer's own, biases and W_O too."""
    biased = tuple(
        replace(head, b_q=(1.0, 2.0), b_k=(0.0, 0.0), b_v=(3.0, 0.5)) for head in built_in("water").heads
    )
    w_o = tuple(tuple(float(4 * i + j) for j in range(4)) for i in range(4))
    example = replace(built_in("water"), heads=biased, w_o=w_o, b_o=(1.0, 2.0, 3.0, 4.0))
    computed, found = by_tensor(example)
    _, state = to_torch(example)
    for name in ("in_proj_weight", "in_proj_bias", "out_proj.weight"):
        assert torch.equal(assembled(computed, found["torch", name]), state[name])
    assert set(refusals(example).values()) == {None}


def test_heads_that_share_have_one_block():
    example = built_in("grouped-query")
    weight = next(one for one in layouts(example) if one.tensor == "W_K")
    assert [group.heads for group in weight.across] == [(0, 1), (2, 3)]
    assert weight.shape == (2, 4)
    assert "kv_heads" in str(refusals(example)["torch"])


def test_heads_that_start_further_on_have_nothing_to_pack():
    assert starts_further_on(FURTHER_ON, "q") != ()
    letters = {one.letters for one in layouts(FURTHER_ON)}
    assert all(not starts_further_on(FURTHER_ON, letter) for group in letters - {"o"} for letter in group)
    assert starts_further_on(built_in("scaled"), "v") == (0,)
    assert layouts(built_in("scaled")) == ()


# --- masks -------------------------------------------------------------------------------------------------------


MASKS: dict[str, Any] = {
    "causal": "causal",
    "allow": AllowMask(((True, False, False), (True, True, False), (True, False, True))),
    "padding": AllowMask(((True, True, False),) * 3),
    "hidden by numbers": AddMask(((0.0, NEG_INF, 0.0), (0.0, 0.0, NEG_INF), (0.0, 0.0, 0.0))),
    "numbers": AddMask(((0.5, NEG_INF, 0.0), (0.0, -2.0, 1.0), (0.0, 0.25, 0.0))),
}


def masked(name):
    return replace(built_in("water"), mask=MASKS[name])


def forms_of(example):
    return {form.name: form for form in mask_forms(example)}


@pytest.mark.parametrize("name", MASKS)
def test_every_form_of_the_mask_gives_the_same_weights_in_its_library(name):
    example = masked(name)
    computed, forms = trace(example), forms_of(example)
    scores = torch.tensor(computed.matrix("scaled_scores", 0), dtype=torch.float64)
    wanted = torch.tensor(computed.matrix("weights", 0), dtype=torch.float64)
    one = torch.eye(3, dtype=torch.float64)

    def sdpa(mask):
        return functional.scaled_dot_product_attention(
            scores[None], one[None], one[None], attn_mask=mask, scale=1.0
        )[0]

    def layer(**masks):
        heads = functional.multi_head_attention_forward(
            scores[:, None] * 3**0.5, one[:, None], one[:, None], 3, 1, torch.cat([one] * 3), None, None, None,
            False, 0.0, one, None, training=False, **masks,
        )  # fmt: skip
        return heads[1][0]

    tensors = {key: torch.tensor(form.rows) for key, form in forms.items() if form.error is None}
    found = {"torch_added": sdpa(tensors["torch_added"].double())}
    found["again"] = layer(attn_mask=tensors["torch_added"].double())
    found["bert"] = torch.softmax(scores + tensors["bert_added"].double(), -1)
    if name == "numbers":
        assert all(forms[key].error for key in ("torch_bool", "sdpa_bool", "keras"))
        assert torch.equal(tensors["add"], tensors["torch_added"])
    else:
        found["sdpa_bool"] = sdpa(tensors["sdpa_bool"])
        found["torch_bool"] = layer(attn_mask=tensors["torch_bool"])
        found["keras"] = torch.softmax(scores.masked_fill(~tensors["keras"], -1e9), -1)
        assert torch.equal(tensors["allow"], tensors["keras"])
        assert torch.equal(tensors["torch_bool"], ~tensors["allow"])
    if name == "padding":
        found["torch_padding"] = layer(key_padding_mask=tensors["torch_padding"])
        assert tensors["bert_padding"].tolist() == [[1.0, 1.0, 0.0]]
    else:
        assert "torch_padding" not in forms
    for key, weights in found.items():
        assert (weights - wanted).abs().max() <= 1e-12, key


def test_without_a_mask_a_causal_one_is_shown():
    assert with_mask(built_in("first")).mask == "causal"
    assert with_mask(masked("allow")).mask == MASKS["allow"]
    assert forms_of(with_mask(built_in("first")))["allow"].rows[0] == (True, False, False)


def test_a_fill_that_no_library_has_is_refused():
    example = replace(built_in("water"), mask=AllowMask(((True, False, True),) * 3, -5.0))
    forms = forms_of(example)
    assert "a different number" in str(forms["torch_bool"].error)
    assert forms["allow"].error is None


EXPECTED = {
    "ours": "zero",
    "torch_weights": "nan",
    "torch_output": "zero",
    "torch_fast": "nan",
    "sdpa": "zero",
    "keras_scores": "zero",
    "keras_output": "uniform",
    "bert_eager": "uniform",
}


@every_example
def test_what_each_library_gives_to_a_query_that_may_attend_to_nothing(example):
    for head in range(len(example.heads)):
        if not is_masked(example, head):
            continue
        shown = demonstrate(example, head, 0)
        kinds = {outcome.rule: outcome.kind for outcome in shown.outcomes}
        square = example.dims.n_q == example.dims.n_k
        assert kinds == {rule: kind for rule, kind in EXPECTED.items() if square or rule != "torch_fast"}
        assert shown.largest_difference <= 1e-12
        values = trace(example).matrix("v", kv_head_of(example, "v", head)) if has_values(example) else []
        mean = [sum(column) / len(values) for column in zip(*values, strict=True)]
        for outcome in shown.outcomes:
            if outcome.kind == "nan":
                assert all(isnan(number) for number in (*outcome.weights, outcome.total, *outcome.output))
            elif outcome.kind == "zero":
                assert not any((*outcome.weights, outcome.total, *outcome.output))
            else:
                assert outcome.total == pytest.approx(1)
                assert outcome.output == pytest.approx(mean)


@tries(6)
@given(examples(claims=False, variants=True), st.data())
def test_libraries_agree_where_a_query_attends_to_something(example, data):
    head = data.draw(st.integers(0, len(example.heads) - 1))
    query = data.draw(st.integers(0, len(example.tokens) - 1))
    if not is_masked(example, head):
        return
    shown = demonstrate(example, head, query)
    assert shown.largest_difference <= 1e-9
    assert len(shown.scores) == example.dims.n_k
    numbers = isinstance(example.mask, AddMask) and any(
        number not in (0.0, NEG_INF) for i, row in enumerate(example.mask.add) if i != query for number in row
    )
    rules = {outcome.rule for outcome in shown.outcomes}
    assert {"ours", "torch_weights", "torch_output", "sdpa", "bert_eager"} <= rules
    assert ("keras_scores" in rules) is not numbers


def test_the_fast_path_is_really_taken(monkeypatch):
    taken = []
    native = torch._native_multi_head_attention

    def seen(*arguments, **options):
        taken.append(options)
        return native(*arguments, **options)

    monkeypatch.setattr(torch, "_native_multi_head_attention", seen)
    demonstrate(built_in("padding"), 0, 2)
    assert len(taken) == 1


def test_a_row_that_the_example_hides_and_one_hidden_for_the_table():
    padding = built_in("padding")
    assert demonstrate(padding, 0, 2).already
    assert with_hidden_row(padding, 2) == replace(
        padding, mask=AllowMask(allow_matrix(padding)), claimed=None
    )
    water = built_in("water")
    shown = demonstrate(water, 1, 0)
    assert not shown.already
    assert shown.scores == tuple(trace(water).matrix("scaled_scores", 1)[0])
    assert water.mask is None


def test_with_another_fill_than_minus_infinity_all_weights_are_equal():
    example = replace(built_in("water"), mask=AllowMask(((True, False, True),) * 3, -5.0))
    shown = demonstrate(example, 0, 1)
    kinds = {outcome.rule: outcome.kind for outcome in shown.outcomes}
    assert kinds == EXPECTED | {"ours": "uniform"}
    assert shown.largest_difference <= 1e-12


def test_a_mask_does_not_apply_to_given_weights():
    assert [is_masked(FURTHER_ON, head) for head in range(4)] == [
        head.weights is None for head in FURTHER_ON.heads
    ]


# --- rotary positions --------------------------------------------------------------------------------------------


rotary_examples = examples(claims=False, variants={"kinds": ("rotary",)})


def test_the_columns_of_every_pair():
    assert partners_of("interleaved", 6) == ((0, 1), (2, 3), (4, 5))
    assert partners_of("half", 6) == ((0, 3), (1, 4), (2, 5))
    assert order_of("half", 6) == (0, 2, 4, 1, 3, 5)
    assert order_of("interleaved", 6) == (0, 3, 1, 4, 2, 5)


@tries(6)
@given(rotary_examples)
def test_reordered_columns_give_the_same_weights_and_outputs(example):
    other = next(pairs for pairs in PAIRS if pairs != example.positions.pairs)
    moved = reordered(example, other)
    assert moved.positions == replace(example.positions, pairs=other)
    before, after = reference(example), reference(validate(moved))
    for name in ("scores", "weights", "head_outputs", "concat", "output"):
        if name in before:
            assert largest_difference({name: after[name]}, {name: before[name]}) <= 1e-9
    assert reordered(moved, example.positions.pairs) == replace(example, claimed=None)


@tries(6)
@given(rotary_examples)
def test_both_pairings_of_a_layer_are_shown(example):
    both = pairings(example)
    shown = both.example
    assert (shown == replace(example, claimed=None)) is has_pairings(example)
    wanted = {
        pairs: reference(replace(shown, positions=replace(shown.positions, pairs=pairs))) for pairs in PAIRS
    }
    for pairing in both.pairings:
        numbers = wanted[pairing.pairs]["q_rotated"][both.head][both.query]
        assert pairing.rotated == pytest.approx(numbers, abs=1e-9)
        for m, (one, other) in enumerate(pairing.partners):
            a, b, angle = both.row[one], both.row[other], both.angles[m]
            assert pairing.rotated[one] == pytest.approx(a * cos(angle) - b * sin(angle), abs=1e-9)
            assert pairing.rotated[other] == pytest.approx(a * sin(angle) + b * cos(angle), abs=1e-9)
    error = largest_difference(
        {"weights": wanted["half"]["weights"]}, {"weights": wanted["interleaved"]["weights"]}
    )
    assert both.error == pytest.approx(error, abs=1e-9)
    own, read = (wanted[pairs]["weights"][both.head][both.query][both.key] for pairs in PAIRS)
    assert abs(own - read) == pytest.approx(both.error, abs=1e-9)
    assert both.rounding <= 1e-9


@pytest.mark.parametrize("name", ["first", "rotary", "alibi", "saturated"])
def test_where_the_pairings_do_not_differ_a_small_layer_is_shown(name):
    assert not has_pairings(built_in(name))
    both = pairings(built_in(name))
    assert both.example == STAND_IN
    assert both.error > 0.1
    assert both.row != both.pairings[0].rotated != both.pairings[1].rotated
