"""Edits: every one gives a valid example or is refused, and existing numbers stay."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mha_core import (
    AddMask,
    AllowMask,
    Example,
    ExampleError,
    Head,
    built_in,
    dump,
    from_token,
    parse,
    to_token,
    trace,
    validate,
)
from mha_core.compute.graph import last_step
from mha_core.edit.fields import FILLS
from mha_core.example.lecture_file import lecture_json
from mha_core.example.model import POSITIONS
from mha_core.vocabulary import SCORINGS
from tests.apply import apply
from tests.core.edits import BUILT_IN, cases
from tests.core.malformed import ODD_VALUES
from tests.core.reference import largest_difference
from tests.core.strategies import NEG_INF, examples, lectures
from tests.sizes import tries

plain = examples(plain=True, claims=False).map(lambda example: replace(example, note=None, source=None))

small = st.integers(-1, 6)
edits = st.one_of(
    st.fixed_dictionaries(
        {
            "op": st.just("set"),
            "matrix": st.sampled_from(
                "x context mask w_q w_k w_v b_q q weights w_o b_o w_a v_a slope position_ids frequencies".split()
            ),
            "head": st.none() | small,
            "row": small,
            "col": small,
            "values": st.lists(
                st.lists(st.integers(-9, 9) | st.booleans() | st.none(), max_size=2), max_size=2
            ),
        }
    ),
    st.fixed_dictionaries(
        {
            "op": st.just("fill"),
            "matrix": st.sampled_from(["x", "context", "w_q", "w_v", "b_k", "w_o", "b_o"]),
            "head": st.none() | small,
            "with": st.sampled_from(FILLS),
            "seed": small,
        }
    ),
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(["rename_token", "add_token", "remove_token"]),
            "which": st.sampled_from(["tokens", "context_tokens"]),
            "index": small,
            "text": st.text(st.characters(), max_size=3),
        }
    ),
    st.fixed_dictionaries({"op": st.just("add_head"), "copy": st.none() | small}),
    st.fixed_dictionaries({"op": st.just("remove_head"), "head": small}),
    st.fixed_dictionaries(
        {
            "op": st.just("resize"),
            "axis": st.sampled_from(["d_model", "d_context", "d_k", "d_v", "d_out", "d_a"]),
            "size": small | st.just(65),
        }
    ),
    st.fixed_dictionaries(
        {"op": st.sampled_from(["w_o", "values", "biases", "context"]), "on": st.booleans()}
    ),
    st.fixed_dictionaries({"op": st.just("mask"), "kind": st.sampled_from(["none", "causal", "painted"])}),
    st.fixed_dictionaries(
        {"op": st.just("scale"), "value": st.sampled_from(["sqrt_dk", "none", 0, 2, -0.5])}
    ),
    st.fixed_dictionaries({"op": st.just("scoring"), "kind": st.sampled_from(SCORINGS)}),
    st.fixed_dictionaries({"op": st.just("positions"), "kind": st.sampled_from(["none", *POSITIONS])}),
    st.fixed_dictionaries({"op": st.just("kv_heads"), "count": st.integers(0, 4)}),
    st.fixed_dictionaries({"op": st.just("title"), "text": st.text(max_size=5)}),
    st.fixed_dictionaries(
        {
            "op": st.just("lecture"),
            "lecture": st.none() | lectures().map(lecture_json) | st.just({"steps": [{}]}),
        }
    ),
)


def edited(example: Example, edit) -> Example | None:
    """The next example, which can be traced; None where the edit is refused."""
    try:
        result = apply(example, edit)
    except ExampleError as error:
        sentence = str(error)
    else:
        assert validate(result) == result
        assert parse(dump(result)) == result
        assert trace(result).values[last_step(result)]
        return result
    assert sentence.isprintable()
    return None


@tries(15)
@given(examples() | examples(variants=True), st.lists(edits, min_size=1, max_size=4))
def test_any_edits_lead_to_valid_examples_or_are_refused(example, sequence):
    for edit in sequence:
        example = edited(example, edit) or example
    assert trace(example).values[last_step(example)]


@tries(15)
@given(examples(), edits, st.data())
def test_malformed_edits_are_refused(example, edit, data):
    key = data.draw(st.sampled_from(sorted(edit)))
    spoilt = {**edit, key: data.draw(st.sampled_from(ODD_VALUES))}
    if data.draw(st.booleans()):
        del spoilt[key]
    if edited(example, spoilt) is None:
        assert edited(example, {"op": "nonsense"}) is None


@tries(10)
@given(plain, st.data())
def test_adding_and_removing_a_token_changes_nothing(example, data):
    assume(example.mask in (None, "causal") or example.context is None)
    index = data.draw(st.none() | st.integers(0, len(example.tokens)))
    more = apply(example, {"op": "add_token", "which": "tokens", "index": index, "text": "new"})
    place = len(example.tokens) if index is None else index
    assert more.tokens[place] == "new"
    assert more.x[place] == (0.0,) * example.dims.d_model
    assert more.x[:place] + more.x[place + 1 :] == example.x
    assert apply(more, {"op": "remove_token", "which": "tokens", "index": place}) == example


@tries(10)
@given(plain, st.booleans())
def test_adding_and_removing_a_head_changes_nothing(example, copied):
    more = apply(example, {"op": "add_head", "copy": 0 if copied else None})
    before, after = trace(example).values, trace(more).values
    assert largest_difference({"weights": after["weights"][:-1]}, {"weights": before["weights"]}) <= 1e-12
    assert (more.heads[-1] == more.heads[0]) or not copied
    if "output" in before:  # the new rows of W_O are zeros
        assert largest_difference({"output": after["output"]}, {"output": before["output"]}) <= 1e-12
    assert apply(more, {"op": "remove_head", "head": example.dims.h}) == example


@tries(10)
@given(plain, st.sampled_from(["d_model", "d_context", "d_k", "d_v", "d_out"]), st.integers(1, 3))
def test_growing_keeps_the_numbers(example, axis, by):
    size = example.dims.size(axis)
    assume(size and not (axis == "d_context" and example.context is None))
    grown = apply(example, {"op": "resize", "axis": axis, "size": size + by})
    assert grown.dims.size(axis) == size + by
    before, after = trace(example).values, trace(grown).values
    if axis != "d_k" or example.scale != "sqrt_dk":  # √d_k is another number now
        assert largest_difference({"weights": after["weights"]}, {"weights": before["weights"]}) <= 1e-12
    assert apply(grown, {"op": "resize", "axis": axis, "size": size}) == example


@tries(10)
@given(plain)
def test_switching_on_changes_no_number(example):
    """W_O starts as the identity, biases as zeros, a context as X, a painted mask as the current one."""
    bare = replace(example, w_o=None, b_o=None)
    before = trace(bare).values
    if "concat" in before:
        with_w_o = trace(apply(bare, {"op": "w_o", "on": True})).values
        assert with_w_o["output"] == with_w_o["concat"] == before["concat"]
    else:
        valued = trace(apply(bare, {"op": "values", "on": True})).values
        assert {name: valued[name] for name in before} == before
    unbiased = apply(bare, {"op": "biases", "on": False})
    biased = apply(unbiased, {"op": "biases", "on": True})
    assert trace(biased).values == trace(unbiased).values
    if bare.context is None:
        crossed = apply(bare, {"op": "context", "on": True})
        assert trace(crossed).values == before
        assert apply(crossed, {"op": "context", "on": False}) == bare
    causal = replace(bare, mask="causal")
    assert trace(apply(causal, {"op": "mask", "kind": "painted"})).values == trace(causal).values


def test_a_cell_and_a_pasted_block():
    first = built_in("first")
    one = apply(first, {"op": "set", "matrix": "w_q", "head": 1, "row": 0, "col": 1, "values": [[7]]})
    assert one.heads == (first.heads[0], replace(first.heads[1], w_q=((1, 7), (0, 1))))
    block = apply(
        first, {"op": "set", "matrix": "x", "head": None, "row": 1, "col": 0, "values": [[9, 8], [None, 7]]}
    )
    assert block == replace(first, x=((1, 2), (9, 8), (5, 7)), note=None, source=None)
    with pytest.raises(ExampleError) as error:
        apply(
            first, {"op": "set", "matrix": "x", "head": None, "row": 2, "col": 0, "values": [[1, 2], [3, 4]]}
        )
    assert str(error.value) == "x: this block is 2 × 2, but only 1 × 2 fits from row 3, column 1"


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        ({}, "this is not an edit"),
        ({"op": "nonsense"}, "this is not an edit"),
        ({"op": "remove_head", "head": 5}, "heads[5]: this no longer exists"),
        (
            {"op": "rename_token", "which": "tokens", "index": -1, "text": "x"},
            "index: expected a whole number, 0 or more, got -1",
        ),
        (
            {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [["1"]]},
            "x[0][0]: expected a number, got '1'",
        ),
        ({"op": "resize", "axis": "d_k", "size": 65}, "d_k: expected 1 to 64, got 65"),
        ({"op": "resize", "axis": "d_out", "size": 2}, "this example has no d_out"),
        ({"op": "scale", "value": 0}, "scale: the divisor cannot be 0"),
    ],
    ids=str,
)
def test_refusals(edit, sentence):
    with pytest.raises(ExampleError) as error:
        apply(built_in("first"), edit)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("edit", "place"),
    [
        ({"op": "remove_token", "which": "tokens", "index": 0}, "tokens"),
        ({"op": "remove_head", "head": 0}, "heads"),
    ],
    ids=["token", "head"],
)
def test_the_last_token_and_head_stay(edit, place):
    one = ((1.0,),)
    example = Example(title="", tokens=("a",), x=one, heads=(Head(w_q=one, w_k=one, w_v=one),))
    with pytest.raises(ExampleError) as error:
        apply(example, edit)
    assert str(error.value) == f"{place}: the last one cannot be removed"


def test_mask_cells_are_painted_true_or_false_and_added_ones_are_numbers():
    padding = built_in("padding")
    cell = {"op": "set", "matrix": "mask", "head": None, "row": 0, "col": 2}
    seen = AllowMask(((True, True, True), (True, True, False), (False, False, False)))
    assert apply(padding, {**cell, "values": [[True]]}).mask == seen
    for value in (1, "-inf"):
        with pytest.raises(ExampleError) as error:
            apply(padding, {**cell, "values": [[value]]})
        assert str(error.value) == f"mask[0][2]: expected true or false, got {value!r}"
    zeros = (0.0, 0.0, 0.0)
    added = replace(padding, mask=AddMask((zeros, zeros, zeros)))
    hidden = AddMask(((0.0, 0.0, NEG_INF), zeros, zeros))
    assert apply(added, {**cell, "values": [["-inf"]]}).mask == hidden
    with pytest.raises(ExampleError) as error:
        apply(added, {**cell, "values": [[True]]})
    assert str(error.value) == "mask[0][2]: expected a number, got True"


def test_a_title_that_no_file_could_hold_is_refused():
    with pytest.raises(ExampleError) as error:
        apply(built_in("first"), {"op": "title", "text": "t" * 1001})
    assert str(error.value) == "title: expected at most 1000 characters, got 1001"


@tries(30)
@given(cases(BUILT_IN, odd=st.just(False), most=4))
def test_a_note_and_a_source_are_removed_with_what_they_describe(case):
    """They describe numbers and tokens, so an edit of either removes both for good."""
    example, made = case
    example = replace(example, source="a book")
    for edit in made:
        try:
            edited = apply(example, edit)
        except ExampleError:
            continue
        texts = {name: getattr(example, name) for name in ("title", "note", "source", "claimed")}
        same = replace(edited, **texts) == example
        assert (edited.note, edited.source) == ((example.note, example.source) if same else (None, None))
        example = edited


def test_a_title_claims_and_an_edit_that_changes_nothing_keep_the_note():
    first = built_in("first")
    claim = {"op": "claim", "matrix": "weights", "head": 0, "row": 0, "col": 0, "values": [["0.5"]]}
    again = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[1]]}
    for edit in ({"op": "title", "text": "mine"}, claim, again, {"op": "mask", "kind": "none"}):
        assert apply(first, edit).note == first.note
    assert apply(first, {**again, "values": [[9]]}).note is None
    assert from_token(to_token(apply(first, {**again, "values": [[9]]}))).note is None


class Watched(tuple[float, ...]):
    """A row that records whether its numbers are iterated."""

    seen = False

    def __iter__(self):
        self.seen = True
        return super().__iter__()


def test_numbers_that_an_edit_does_not_change_are_not_validated_again():
    example = built_in("first")
    row = Watched(example.heads[1].w_q[0])
    heads = (example.heads[0], replace(example.heads[1], w_q=(row, *example.heads[1].w_q[1:])))
    example = replace(example, heads=heads)
    set_x = {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[7]]}
    for edit in ({"op": "title", "text": "x"}, set_x):
        example = apply(example, edit)
    assert not row.seen
    assert validate(example)
    assert row.seen


def test_an_invalid_number_is_refused_wherever_an_edit_writes_it():
    too_large = {"op": "set", "matrix": "w_q", "head": 1, "row": 1, "col": 0, "values": [[1e301]]}
    with pytest.raises(ExampleError, match=r"heads\[1\]\.w_q\[1\]\[0\]"):
        apply(apply(built_in("first"), {"op": "title", "text": "x"}), too_large)
