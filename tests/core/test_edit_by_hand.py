"""Each edit against its result by hand; then arbitrary edits, of any JSON type, on every built-in example."""

from contextlib import suppress
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from mha_core import (
    AddMask,
    AllowMask,
    Example,
    ExampleError,
    Head,
    LinkError,
    built_in,
    dump,
    from_token,
    parse,
    to_token,
    trace,
    validate,
)
from mha_core.compute.graph import last_step
from mha_core.edit.edit import EDITS, SetTitle, as_data, read_edit
from mha_core.edit.edits import _CHANGES
from mha_core.edit.fields import FILLS
from mha_core.edit.matrices import filled
from tests.apply import apply
from tests.core.edits import BUILT_IN, ENDS_AT_WEIGHTS, FURTHER_ON, KEYS, cases, json_values
from tests.sizes import tries

NEG_INF = float("-inf")
T, F = True, False
NO_NUMBERS = "this example has no such numbers to edit"

SELF = validate(
    Example(
        title="n 2, d_model 3, h 3, d_k 1, d_v 2, d_out 2",
        tokens=("a", "b"),
        x=((1, 2, 3), (4, 5, 6)),
        heads=tuple(
            Head(w_q=((g,), (0,), (1,)), w_k=((1,), (g,), (0,)), w_v=((g, 1), (2, g), (3, 4)))
            for g in (7, 8, 9)
        ),
        w_o=((1, 10), (2, 20), (3, 30), (4, 40), (5, 50), (6, 60)),
    )
)
CROSSED = validate(
    Example(
        title="n_q 2, n_k 3, d_model 3, d_context 2, d_k 1, d_v 2, d_out 1",
        tokens=("a", "b"),
        x=((1, 2, 3), (4, 5, 6)),
        context_tokens=("p", "q", "r"),
        context=((1, 2), (3, 4), (5, 6)),
        heads=(
            Head(
                w_q=((1,), (2,), (3,)), w_k=((4,), (5,)), w_v=((6, 7), (8, 9)), b_q=(1,), b_k=(2,), b_v=(3, 4)
            ),
        ),
        w_o=((1,), (2,)),
        b_o=(5,),
        mask=AllowMask(((T, F, T), (F, T, T)), fill=-5.0),
    )
)


def refusal(example, edit):
    with pytest.raises(ExampleError) as error:
        apply(example, edit)
    return str(error.value)


# --- numbers -----------------------------------------------------------------------------------------------------


def test_a_bias_is_a_matrix_of_one_row():
    edit = {"op": "set", "matrix": "b_v", "head": 0, "row": 0, "col": 1, "values": [[9]]}
    assert apply(CROSSED, edit).heads[0].b_v == (3, 9)
    assert apply(CROSSED, {**edit, "matrix": "b_o", "head": None, "col": 0}).b_o == (9,)
    assert refusal(CROSSED, {**edit, "row": 1}) == (
        "heads[0].b_v: this block is 1 × 1, but only 0 × 1 fits from row 2, column 2"
    )


def test_the_numbers_that_a_head_starts_from_are_edited_like_any():
    edit = {"op": "set", "row": 2, "col": 1, "values": [[9]]}
    for name, head in (("q", 1), ("k", 2), ("v", 2), ("weights", 3)):
        edited = apply(FURTHER_ON, {**edit, "matrix": name, "head": head})
        before, after = getattr(FURTHER_ON.heads[head], name), getattr(edited.heads[head], name)
        assert after == (*before[:2], (before[2][0], 9, *before[2][2:]))
        assert replace(edited, heads=FURTHER_ON.heads) == FURTHER_ON
    assert refusal(FURTHER_ON, {**edit, "matrix": "q", "head": 0}) == f"heads[0].q: {NO_NUMBERS}"


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ({"matrix": "scores", "head": 0}, f"heads[0].scores: {NO_NUMBERS}"),
        ({"matrix": "x", "head": 0}, f"heads[0].x: {NO_NUMBERS}"),
        ({"matrix": "w_q", "head": None}, f"w_q: {NO_NUMBERS}"),
        ({"matrix": "w_q", "head": 1}, "heads[1]: this no longer exists"),
        ({"matrix": "w_q", "head": -1}, "head: expected a whole number, 0 or more, got -1"),
        ({"matrix": "q", "head": 0}, f"heads[0].q: {NO_NUMBERS}"),
        ({"matrix": "tokens", "head": None}, f"'tokens': {NO_NUMBERS}"),
        ({"matrix": "heads", "head": None}, f"'heads': {NO_NUMBERS}"),
        ({"matrix": "w_q", "head": "a"}, "head: expected a whole number, 0 or more, got 'a'"),
        ({"matrix": None}, "matrix: expected text, got None"),
    ],
    ids=str,
)
def test_computed_and_missing_matrices_cannot_be_written(place, sentence):
    edit = {"row": 0, "col": 0, "values": [[1]], "with": "zeros", **place}
    assert refusal(CROSSED, {"op": "set", **edit}) == sentence
    assert refusal(CROSSED, {"op": "fill", **edit}) == sentence


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("row", "a", "row: expected a whole number, 0 or more, got 'a'"),
        ("row", None, "row: expected a whole number, 0 or more, got None"),
        ("col", 1.0, "col: expected a whole number, 0 or more, got 1.0"),
        ("col", True, "col: expected a whole number, 0 or more, got True"),
        ("values", 7, "values: expected a list in brackets, got 7"),
        ("values", [7], "values[0]: expected a list in brackets, got 7"),
        ("values", [], "values: expected at least one number, got none"),
        ("values", [[10**400]], f"x[0][0]: expected a number, got 1{'0' * 19}… (401 digits)"),
        ("values", [[float("nan")]], "x[0][0]: expected a number, got nan"),
    ],
    ids=str,
)
def test_a_field_of_another_type_is_named(field, value, sentence):
    edit = {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[1]], field: value}
    assert refusal(CROSSED, edit) == sentence


def test_every_edit_has_a_function_that_makes_it():
    assert {*EDITS.values()} == _CHANGES.keys()


@pytest.mark.parametrize(
    "data",
    [
        {"op": "set", "matrix": "w_q", "head": 0, "row": 1, "col": 2, "values": ((1, None), ("-inf", True))},
        {"op": "fill", "matrix": "x", "with": "random", "seed": 3},
        {"op": "add_token", "which": "tokens"},
        {"op": "positions", "kind": "rotary", "pairs": "half"},
        {"op": "scale", "value": 2.5},
        {"op": "w_o", "on": False},
    ],
    ids=lambda data: data["op"],
)
def test_an_edit_goes_back_to_the_data_that_it_was_read_from(data):
    assert as_data(read_edit(data)) == data


def test_a_fault_of_the_program_is_not_refused_as_an_edit(monkeypatch):
    """An unexpected exception is raised as it is, for the caller to handle."""
    for error in (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):

        def fails(*_, error=error):
            raise error("planted")

        monkeypatch.setitem(_CHANGES, SetTitle, fails)
        with pytest.raises(error, match="planted") as caught:
            apply(SELF, {"op": "title", "text": ""})
        assert not isinstance(caught.value, ExampleError)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (True, "expected a number, got True"),
        ("1", "expected a number, got '1'"),
        (float("nan"), "expected a number, got nan"),
        (float("inf"), "expected a number, got inf"),
        ([1], "expected a number, got [1]"),
        (2e12, "expected a number from -1e+12 to 1e+12, got 2000000000000.0"),
    ],
    ids=str,
)
def test_a_value_that_is_not_a_number_is_refused_with_its_place(value, sentence):
    edit = {"op": "set", "matrix": "w_v", "head": 1, "row": 1, "col": 0, "values": [[0, 0], [0, value]]}
    assert refusal(SELF, edit) == f"heads[1].w_v[2][1]: {sentence}"


def test_fills():
    assert filled(2, 3, "zeros") == ((0, 0, 0), (0, 0, 0))
    assert filled(2, 3, "identity") == ((1, 0, 0), (0, 1, 0))
    assert filled(3, 2, "identity") == ((1, 0), (0, 1), (0, 0))
    integers = [cell for row in filled(20, 20, "integers") for cell in row]
    assert {*integers} == {-2, -1, 0, 1, 2, 3}
    numbers = [cell for row in filled(40, 40, "random") for cell in row]
    assert all(round(number, 2) == number for number in numbers)
    assert abs(sum(numbers) / 1600) < 0.1
    assert 0.9 < sum(number**2 for number in numbers) / 1600 < 1.1


def test_a_seed_gives_the_same_numbers_on_every_machine_and_another_gives_others():
    assert filled(2, 3, "integers", 7) == ((1, 2, 3), (0, 0, 2))
    assert filled(1, 3, "random", 7) == ((0.58, -1.52, 1.72),)
    assert len({filled(3, 3, kind, seed) for kind in ("integers", "random") for seed in range(50)}) == 100


@pytest.mark.parametrize("kind", FILLS)
def test_a_fill_fills_one_matrix(kind):
    w_v = filled(2, 2, kind, 5)
    edit = {"op": "fill", "with": kind, "seed": 5}
    edited = apply(CROSSED, {**edit, "matrix": "w_v", "head": 0})
    assert edited == replace(CROSSED, heads=(replace(CROSSED.heads[0], w_v=w_v),))
    assert apply(CROSSED, {**edit, "matrix": "context"}) == replace(CROSSED, context=filled(3, 2, kind, 5))
    assert apply(CROSSED, {**edit, "matrix": "b_o"}) == replace(CROSSED, b_o=filled(1, 1, kind, 5)[0])


def test_there_are_no_other_fills():
    others = refusal(SELF, {"op": "fill", "matrix": "x", "with": "ones"})
    assert others == "with: expected zeros, identity, integers, random, got 'ones'"
    assert refusal(SELF, {"op": "fill", "matrix": "mask", "with": "zeros"}) == f"mask: {NO_NUMBERS}"


# --- tokens ------------------------------------------------------------------------------------------------------


def test_a_token_of_self_attention_is_a_query_and_a_key():
    masked = replace(SELF, mask=AllowMask(((T, F), (F, T))))
    edit = {"op": "add_token", "which": "tokens", "index": 1, "text": "new"}
    more = replace(SELF, tokens=("a", "new", "b"), x=((1, 2, 3), (0, 0, 0), (4, 5, 6)))
    mask = AllowMask(((T, T, F), (T, T, T), (F, T, T)))
    assert apply(masked, edit) == replace(more, mask=mask)
    added = replace(SELF, mask=AddMask(((1, NEG_INF), (0.5, 2))))
    assert apply(added, edit) == replace(more, mask=AddMask(((1, 0, NEG_INF), (0, 0, 0), (0.5, 0, 2))))
    causal = replace(SELF, mask="causal")
    assert apply(causal, edit) == replace(more, mask="causal")
    fewer = apply(replace(more, mask=mask), {"op": "remove_token", "which": "tokens", "index": 0})
    x = ((0, 0, 0), (4, 5, 6))
    assert fewer == replace(SELF, tokens=("new", "b"), x=x, mask=AllowMask(((T, T), (T, T))))


def test_a_token_beside_a_context_is_a_query_alone():
    more = apply(CROSSED, {"op": "add_token", "which": "tokens", "text": "c"})
    mask = AllowMask(((T, F, T), (F, T, T), (T, T, T)), fill=-5.0)
    assert more == replace(CROSSED, tokens=("a", "b", "c"), x=(*CROSSED.x, (0, 0, 0)), mask=mask)


def test_a_token_of_the_context_is_a_key():
    more = apply(CROSSED, {"op": "add_token", "which": "context_tokens", "index": 1, "text": "new"})
    assert more == replace(
        CROSSED,
        context_tokens=("p", "new", "q", "r"),
        context=((1, 2), (0, 0), (3, 4), (5, 6)),
        mask=AllowMask(((T, T, F, T), (F, T, T, T)), fill=-5.0),
    )
    fewer = apply(CROSSED, {"op": "remove_token", "which": "context_tokens", "index": 0})
    assert fewer == replace(
        CROSSED,
        context_tokens=("q", "r"),
        context=((3, 4), (5, 6)),
        mask=AllowMask(((F, T), (T, T)), fill=-5.0),
    )


def test_what_heads_start_from_follows_the_tokens():
    from_x, from_q, from_k_and_v, from_weights = FURTHER_ON.heads
    more = apply(FURTHER_ON, {"op": "add_token", "which": "tokens", "index": 0})
    assert more.tokens == ("4", "a", "b", "c")
    assert more.heads == (
        from_x,
        replace(from_q, q=((0, 0), (1, 1), (2, 0), (0, -1))),
        Head(w_q=from_k_and_v.w_q, k=((0, 0), (1, 0), (0, 1), (1, 1)), v=((0, 0), (1, 0), (0, 1), (5, 5))),
        Head(
            weights=((0, 0, 0, 0), (0, 0.2, 0.3, 0.5), (0, 1, 0, 0), (0, 0, 0.5, 0.5)),
            v=((0, 0), (1, 2), (3, 4), (5, 6)),
        ),
    )
    assert apply(FURTHER_ON, {"op": "remove_token", "which": "tokens", "index": 1}).heads == (
        from_x,
        replace(from_q, q=((1, 1), (0, -1))),
        replace(from_k_and_v, k=((1, 0), (1, 1)), v=((1, 0), (5, 5))),
        replace(from_weights, weights=((0.2, 0.5), (0, 0.5)), v=((1, 2), (5, 6))),
    )


def test_keys_that_heads_start_from_may_be_another_number_than_queries():
    """Without X and context n_k is the number of V's rows, and key tokens are added and removed independently."""
    head = Head(q=((1,), (2,)), k=((3,), (4,), (5,)), v=((6, 7), (8, 9), (0, 1)))
    example = validate(Example(title="", tokens=("a", "b"), heads=(head,)))
    more = apply(example, {"op": "add_token", "which": "context_tokens", "index": 0})
    assert more.tokens == ("a", "b")
    assert more.heads[0] == replace(head, k=((0,), *head.k), v=((0, 0), *head.v))
    fewer = apply(example, {"op": "remove_token", "which": "tokens", "index": 0})
    assert fewer.heads[0] == replace(head, q=((2,),))
    named = apply(example, {"op": "rename_token", "which": "context_tokens", "index": 2, "text": "z"})
    assert named.context_tokens == ("1", "2", "z")


def test_renaming_changes_the_label_alone():
    edit = {"op": "rename_token", "index": 1, "text": "<b> $x$ 思考"}
    assert apply(SELF, {**edit, "which": "tokens"}) == replace(SELF, tokens=("a", "<b> $x$ 思考"))
    renamed = apply(CROSSED, {**edit, "which": "context_tokens"})
    assert renamed == replace(CROSSED, context_tokens=("p", "<b> $x$ 思考", "r"))
    unlabelled = replace(CROSSED, context_tokens=None)
    assert apply(unlabelled, {**edit, "which": "context_tokens"}).context_tokens == ("1", "<b> $x$ 思考", "3")
    assert refusal(SELF, {**edit, "which": "context_tokens"}) == "this example has no context_tokens"


@pytest.mark.parametrize("text", [None, 7, ["a"], {"en": "a"}, True], ids=str)
def test_only_text_is_a_label_or_a_title(text):
    for edit in ({"op": "rename_token", "which": "tokens", "index": 0}, {"op": "title"}):
        assert refusal(SELF, {**edit, "text": text}) == f"text: expected text, got {text!r}"


def test_sixty_four_tokens_and_sixteen_heads_are_the_most():
    long = replace(SELF, tokens=("t",) * 64, x=((1, 2, 3),) * 64)
    assert refusal(long, {"op": "add_token", "which": "tokens"}) == "n_q: expected 1 to 64, got 65"
    wide = replace(CROSSED, context_tokens=None, context=((1, 2),) * 64, mask=None)
    assert refusal(wide, {"op": "add_token", "which": "context_tokens"}) == "n_k: expected 1 to 64, got 65"
    many = replace(SELF, heads=SELF.heads[:1] * 16, w_o=None)
    assert refusal(many, {"op": "add_head"}) == "heads: expected 1 to 16 heads, got 17"
    assert refusal(SELF, {"op": "add_token", "which": "tokens", "index": 3}) == (
        "tokens[3]: this no longer exists"
    )


# --- heads and sizes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "w_o"),
    [
        (0, ((3, 30), (4, 40), (5, 50), (6, 60))),
        (1, ((1, 10), (2, 20), (5, 50), (6, 60))),
        (2, ((1, 10), (2, 20), (3, 30), (4, 40))),
    ],
)
def test_removing_a_head_takes_its_block_of_w_o(head, w_o):
    heads = tuple(kept for g, kept in enumerate(SELF.heads) if g != head)
    assert apply(SELF, {"op": "remove_head", "head": head}) == replace(SELF, heads=heads, w_o=w_o)


def test_where_none_is_named_the_last_head_is_removed():
    assert apply(SELF, {"op": "remove_head"}) == apply(SELF, {"op": "remove_head", "head": 2})


def test_a_copied_head_is_last_with_a_block_of_zeros():
    more = apply(SELF, {"op": "add_head", "copy": 1})
    assert more == replace(SELF, heads=(*SELF.heads, SELF.heads[1]), w_o=(*SELF.w_o, (0, 0), (0, 0)))


def test_a_new_head_has_the_first_ones_parts_and_numbers_of_its_own():
    example = CROSSED
    for _ in range(3):
        example = apply(example, {"op": "add_head"})
    head = example.heads[1]
    assert [len(head.w_q), len(head.w_k), len(head.w_v), len(head.w_v[0])] == [3, 2, 2, 2]
    assert [head.b_q, head.b_k, head.b_v] == [(0,), (0,), (0, 0)]
    assert len({(head.w_q, head.w_k, head.w_v) for head in example.heads}) == 4
    assert example.w_o == (*CROSSED.w_o, *((0,),) * 6)
    assert example == apply(apply(apply(CROSSED, {"op": "add_head"}), {"op": "add_head"}), {"op": "add_head"})


def test_a_new_head_starts_where_the_first_one_starts():
    from_weights = replace(FURTHER_ON, heads=FURTHER_ON.heads[3:])
    head = apply(from_weights, {"op": "add_head"}).heads[1]
    assert head == Head(weights=head.weights, v=head.v)
    assert [len(head.weights), len(head.weights[0]), len(head.v), len(head.v[0])] == [3, 3, 3, 2]


def test_d_v_changes_every_heads_block_of_w_o():
    def with_w_v(*blocks):
        return tuple(replace(head, w_v=w_v) for head, w_v in zip(SELF.heads, blocks, strict=True))

    heads = with_w_v(*(((g, 1, 0), (2, g, 0), (3, 4, 0)) for g in (7, 8, 9)))
    o = (0, 0)
    w_o = ((1, 10), (2, 20), o, (3, 30), (4, 40), o, (5, 50), (6, 60), o)
    assert apply(SELF, {"op": "resize", "axis": "d_v", "size": 3}) == replace(SELF, heads=heads, w_o=w_o)
    heads = with_w_v(*(((g,), (2,), (3,)) for g in (7, 8, 9)))
    rows = ((1, 10), (3, 30), (5, 50))
    assert apply(SELF, {"op": "resize", "axis": "d_v", "size": 1}) == replace(SELF, heads=heads, w_o=rows)


def test_d_v_is_the_width_of_a_bias_and_of_the_values_that_a_head_starts_from():
    assert apply(CROSSED, {"op": "resize", "axis": "d_v", "size": 3}).heads[0].b_v == (3, 4, 0)
    assert apply(FURTHER_ON, {"op": "resize", "axis": "d_v", "size": 1}).heads[2].v == ((1,), (0,), (5,))


def test_d_model_of_self_attention_is_every_weights_rows():
    def grown(matrix, row):
        return (*matrix[:2], row)

    heads = tuple(Head(w_q=head.w_q[:2], w_k=head.w_k[:2], w_v=head.w_v[:2]) for head in SELF.heads)
    narrower = apply(SELF, {"op": "resize", "axis": "d_model", "size": 2})
    assert narrower == replace(SELF, x=((1, 2), (4, 5)), heads=heads)
    heads = tuple(
        Head(w_q=grown(head.w_q, (0,)), w_k=grown(head.w_k, (0,)), w_v=grown(head.w_v, (0, 0)))
        for head in SELF.heads
    )
    wider = apply(narrower, {"op": "resize", "axis": "d_model", "size": 3})
    assert wider == replace(SELF, x=((1, 2, 0), (4, 5, 0)), heads=heads)


def test_d_model_and_d_context_are_two_sizes_where_there_is_a_context():
    (head,) = CROSSED.heads
    queries = apply(CROSSED, {"op": "resize", "axis": "d_model", "size": 2})
    narrower = replace(head, w_q=((1,), (2,)))
    assert queries == replace(CROSSED, x=((1, 2), (4, 5)), heads=(narrower,))
    keys = apply(CROSSED, {"op": "resize", "axis": "d_context", "size": 3})
    wider = replace(head, w_k=((4,), (5,), (0,)), w_v=((6, 7), (8, 9), (0, 0)))
    assert keys == replace(CROSSED, context=((1, 2, 0), (3, 4, 0), (5, 6, 0)), heads=(wider,))
    assert refusal(SELF, {"op": "resize", "axis": "d_context", "size": 4})


def test_d_k_is_the_width_of_queries_and_keys():
    (head,) = CROSSED.heads
    wider = replace(head, w_q=((1, 0), (2, 0), (3, 0)), w_k=((4, 0), (5, 0)), b_q=(1, 0), b_k=(2, 0))
    assert apply(CROSSED, {"op": "resize", "axis": "d_k", "size": 2}) == replace(CROSSED, heads=(wider,))
    from_x, from_q, from_k_and_v, from_weights = FURTHER_ON.heads
    assert apply(FURTHER_ON, {"op": "resize", "axis": "d_k", "size": 1}).heads == (
        replace(from_x, w_q=((1,), (0,)), w_k=((1,), (0,))),
        replace(from_q, q=((1,), (2,), (0,)), w_k=((1,), (1,)), b_k=(1,)),
        replace(from_k_and_v, w_q=((0,), (1,)), k=((1,), (0,), (1,))),
        from_weights,
    )


def test_d_out_is_the_width_of_w_o_and_its_bias():
    wider = apply(CROSSED, {"op": "resize", "axis": "d_out", "size": 2})
    assert wider == replace(CROSSED, w_o=((1, 0), (2, 0)), b_o=(5, 0))


@pytest.mark.parametrize("size", [0, 65, -1, 2.0, "2", None, True], ids=str)
def test_sizes_are_whole_numbers_from_1_to_64(size):
    assert refusal(SELF, {"op": "resize", "axis": "d_k", "size": size})


@pytest.mark.parametrize(("by", "size"), [(1, 3), (-1, 1), (0, 2), (62, 64)])
def test_a_size_may_be_changed_by_so_much(by, size):
    edit = {"op": "resize", "axis": "d_v"}
    assert apply(SELF, {**edit, "by": by}) == apply(SELF, {**edit, "size": size})


@pytest.mark.parametrize("by", [63, -2, -3, 0.5, "1", None, True], ids=str)
def test_other_changes_of_a_size_are_refused(by):
    assert refusal(SELF, {"op": "resize", "axis": "d_v", "by": by})


@pytest.mark.parametrize("axis", ["n_q", "h", "h·d_v", "1", "sqrt_dk", None, []], ids=str)
def test_tokens_and_heads_have_edits_of_their_own(axis):
    assert refusal(SELF, {"op": "resize", "axis": axis, "size": 2})


# --- what the layer has ------------------------------------------------------------------------------------------


def test_w_o_starts_as_the_identity_and_the_output_as_the_concatenation():
    bare = apply(SELF, {"op": "w_o", "on": False})
    assert bare == replace(SELF, w_o=None)
    on = apply(bare, {"op": "w_o", "on": True})
    assert on.w_o == filled(6, 6, "identity")
    assert on.b_o is None
    values = trace(on).values
    assert values["output"] == values["concat"]
    biased = apply(replace(CROSSED, w_o=None, b_o=None), {"op": "w_o", "on": True})
    assert (biased.w_o, biased.b_o) == (((1, 0), (0, 1)), (0, 0))


def test_w_o_is_at_most_64_wide():
    heads = (Head(w_q=((1,),), w_k=((1,),), w_v=(tuple(range(1, 41)),)),) * 2
    example = validate(Example(title="h·d_v = 80", tokens=("a",), x=((1,),), heads=heads))
    on = apply(example, {"op": "w_o", "on": True})
    assert (len(on.w_o), len(on.w_o[0])) == (80, 64)
    values = trace(on).values
    assert values["output"] == [values["concat"][0][:64]]


def test_biases_are_zeros_where_there_were_none():
    on = apply(SELF, {"op": "biases", "on": True})
    heads = tuple(replace(head, b_q=(0,), b_k=(0,), b_v=(0, 0)) for head in SELF.heads)
    assert on == replace(SELF, heads=heads, b_o=(0, 0))
    assert apply(on, {"op": "biases", "on": False}) == SELF
    bare = replace(SELF, w_o=None)
    assert apply(bare, {"op": "biases", "on": True}) == replace(bare, heads=heads)
    assert trace(on).values == trace(SELF).values


def test_existing_biases_stay_when_biases_are_switched_on():
    assert apply(CROSSED, {"op": "biases", "on": True}) == CROSSED
    only_last = replace(SELF, b_o=(3, 4))
    on = apply(only_last, {"op": "biases", "on": True})
    assert on == replace(apply(SELF, {"op": "biases", "on": True}), b_o=(3, 4))
    assert trace(on).values == trace(only_last).values
    assert apply(on, {"op": "biases", "on": False}) == SELF


def test_there_is_no_bias_where_there_is_no_weight_matrix():
    heads = apply(FURTHER_ON, {"op": "biases", "on": True}).heads
    assert [[head.b_q, head.b_k, head.b_v] for head in heads] == [
        [(0, 0), (0, 0), (0, 0)],
        [None, (1, 0), (0, 0)],
        [(0, 0), None, None],
        [None, None, None],
    ]


def test_painting_starts_from_what_is_hidden():
    def painted(mask):
        return apply(replace(CROSSED, mask=mask), {"op": "mask", "kind": "painted"}).mask

    assert painted(None) == AllowMask(((T, T, T), (T, T, T)))
    assert painted("causal") == AllowMask(((T, F, F), (T, T, F)))
    assert painted(AddMask(((0.5, NEG_INF, 0), (-9, 1, NEG_INF)))) == AllowMask(((T, F, T), (T, T, F)))
    assert painted(CROSSED.mask) == CROSSED.mask


def test_a_cell_painted_on_a_causal_mask_makes_it_a_painted_one():
    cell = {"op": "set", "matrix": "mask", "row": 0, "col": 2, "values": [[True]]}
    assert apply(replace(CROSSED, mask="causal"), cell).mask == AllowMask(((T, F, T), (T, T, F)))
    assert apply(replace(CROSSED, mask=None), {**cell, "values": [[False]]}).mask == (
        AllowMask(((T, T, F), (T, T, T)))
    )
    assert apply(CROSSED, {**cell, "col": 1}).mask == AllowMask(((T, T, T), (F, T, T)), fill=-5.0)


def test_masks_are_none_by_positions_or_painted():
    assert apply(CROSSED, {"op": "mask", "kind": "none"}) == replace(CROSSED, mask=None)
    assert apply(CROSSED, {"op": "mask", "kind": "causal"}) == replace(CROSSED, mask="causal")
    sentence = "kind: expected none, causal, causal_window, window, painted, got 'padding'"
    assert refusal(CROSSED, {"op": "mask", "kind": "padding"}) == sentence


@pytest.mark.parametrize("value", ["none", "sqrt_dk", 2.5, -3, 1e-12])
def test_scale_is_a_name_or_a_divisor(value):
    assert apply(SELF, {"op": "scale", "value": value}) == replace(SELF, scale=value)


@pytest.mark.parametrize(
    "value", [0, True, None, "sqrt", "2", [2], float("inf"), float("nan"), 1e300], ids=str
)
def test_other_scales_are_refused(value):
    assert refusal(SELF, {"op": "scale", "value": value}).startswith(
        ("scale: expected a ", "scale: the divisor ")
    )


def test_sqrt_dk_needs_a_d_k():
    head = Head(weights=((0.5, 0.5), (1, 0)), v=((1, 2), (3, 4)))
    example = validate(Example(title="", tokens=("a", "b"), heads=(head,), scale="none"))
    assert apply(example, {"op": "scale", "value": "sqrt_dk"}).scale == "sqrt_dk"
    assert refusal(example, {"op": "resize", "axis": "d_k", "size": 2}) == "this example has no d_k"


def test_a_context_starts_as_x_and_is_removed_with_its_labels():
    on = apply(SELF, {"op": "context", "on": True})
    assert on == replace(SELF, context=SELF.x, context_tokens=SELF.tokens)
    assert apply(on, {"op": "context", "on": False}) == SELF


def test_without_its_context_keys_come_from_x_and_the_mask_follows():
    """n_k 3 → 2 and d_context 2 → 3."""
    off = apply(CROSSED, {"op": "context", "on": False})
    (head,) = CROSSED.heads
    wider = replace(head, w_k=((4,), (5,), (0,)), w_v=((6, 7), (8, 9), (0, 0)))
    mask = AllowMask(((T, F), (F, T)), fill=-5.0)
    assert off == replace(CROSSED, context=None, context_tokens=None, heads=(wider,), mask=mask)


def test_there_is_no_context_without_x():
    head = Head(weights=((0.5, 0.5), (1, 0)), v=((1, 2), (3, 4)))
    example = validate(Example(title="", tokens=("a", "b"), heads=(head,), scale="none"))
    assert refusal(example, {"op": "context", "on": True}) == "this example has no X"


def test_a_title_in_one_language_takes_the_place_of_both():
    assert apply(built_in("first"), {"op": "title", "text": "mine"}).title == "mine"


def test_claims_stay_when_numbers_change_and_are_removed_when_shapes_change():
    claimed = {"q": (((1.0,), (2.0,)), None, None), "output": ((1.0, "2.0"), None)}
    claiming = validate(replace(SELF, claimed=claimed))
    number = apply(claiming, {"op": "fill", "matrix": "x", "with": "zeros"})
    assert number.claimed == claimed
    assert apply(claiming, {"op": "scale", "value": 2}).claimed == claimed
    assert apply(claiming, {"op": "w_o", "on": False}).claimed == {"q": claimed["q"]}
    assert apply(claiming, {"op": "resize", "axis": "d_k", "size": 2}).claimed is None
    assert apply(claiming, {"op": "remove_head", "head": 2}).claimed is None


# --- any edits at all --------------------------------------------------------------------------------------------

EXAMPLES = [*BUILT_IN, SELF, CROSSED, FURTHER_ON, ENDS_AT_WEIGHTS]


def edited(example, edit):
    """The next example, and whether the edit was accepted. The example is valid, here and in a link."""
    try:
        result = apply(example, edit)
    except ExampleError as error:
        refused = error
    else:
        assert validate(result) == result
        assert trace(result).values[last_step(result)]
        assert parse(dump(result)) == result
        try:
            token = to_token(result)
        except LinkError:
            assert len(dump(result)) > 30_000
        else:
            assert from_token(token) == result
        return result, True
    assert refused.template
    return example, False


@tries(30)
@given(cases(EXAMPLES, odd=st.just(False), most=6))
def test_any_sequence_of_edits_leads_to_an_example_that_can_be_stored_or_is_refused(case):
    example, sequence = start, _ = case
    text = dump(start)
    for edit in sequence:
        example, _ = edited(example, edit)
    assert dump(start) == text


@tries(100)
@given(cases(EXAMPLES, odd=st.booleans(), most=1))
def test_edits_with_values_of_any_json_type_are_refused_or_valid(case):
    example, (edit,) = case
    assert edited(example, edit)


@tries(20)
@given(st.dictionaries(st.sampled_from(["op", "seq", "matrix"]) | st.text(max_size=4), json_values))
def test_data_that_is_not_an_edit_is_refused(edit):
    assert edited(SELF, edit) == (SELF, False)


def test_values_nested_as_deeply_as_json_can_be_are_refused():
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    cell = {"op": "set", "matrix": "x", "row": 0, "col": 0}
    for edit in (
        {**cell, "values": deep},
        {**cell, "values": [[deep]]},
        {"op": "title", "text": deep},
        {"op": "scale", "value": deep},
        {"op": "resize", "axis": "d_k", "size": deep},
        {"op": deep},
    ):
        assert edited(SELF, edit) == (SELF, False)


def test_the_strategy_reaches_every_edit_both_ways():
    """If every edit were refused, the laws above would pass and show nothing."""
    outcomes, every = set(), set(product(KEYS, (True, False)))

    class ReachedError(Exception):
        pass

    @settings(max_examples=1200, phases=[Phase.generate])
    @given(cases(EXAMPLES, odd=st.sampled_from([False] * 4 + [True]), most=4))
    def collect(case):
        example, sequence = case
        for edit in sequence:
            example, kept = edited(example, edit)
            outcomes.add((edit["op"], kept))
        if outcomes == every:
            raise ReachedError

    with suppress(ReachedError):
        collect()
    assert outcomes == every
