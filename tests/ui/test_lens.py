"""Lenses without a browser: the state and its address, and the bench's data."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import Cell, built_in, library, to_token, trace
from mha_core.compare.diff import changes
from mha_core.compute.gradients import gradients
from mha_core.example.model import AddMask
from mha_ui import state
from mha_ui.bench.model import payload
from mha_ui.check.model import check_payload
from mha_ui.state import LENSES, Work, address, without_claims
from mha_ui.state.history import begun
from mha_ui.state.url import say_whether_too_large
from mha_view.lenses.gradient import target
from tests.apply import apply
from tests.core.edits import FURTHER_ON, json_values
from tests.core.strategies import examples
from tests.sizes import each, tries
from tests.ui.test_model import ADDED, EXAMPLES, every_example
from tests.ui.test_state import FIRST, assert_restores, cell, message_of, opened, pin, send, with_x

NEG_INF = float("-inf")
PIN, CLEAR = {"op": "baseline"}, {"op": "baseline", "clear": True}


def target_of(work):
    return target(work.trace, work.looking.pinned)


def lens(value):
    return {"op": "lens", "value": value}


def work_of(example, *edits):
    work = Work(begun(example, None), "en")
    return send(work, *edits)


def payload_of(work, **options):
    """The bench's data as the browser reads it."""
    return json.loads(json.dumps(payload(work, **options), allow_nan=False))


# --- the state ---------------------------------------------------------------------------------------------------


def test_a_baseline_is_pinned_pinned_again_and_released():
    work = opened()
    assert (work.looking.lens, work.baseline) == ("", None)
    work = send(work, PIN)
    assert (work.looking.lens, work.baseline) == ("change", FIRST)
    work = send(work, cell(7))
    assert work.baseline == FIRST
    work = send(work, PIN)
    assert work.baseline == with_x(7)
    work = send(work, CLEAR)
    assert (work.looking.lens, work.baseline) == ("", None)


def test_pinning_keeps_a_lens_and_a_change_without_a_baseline_pins_one():
    work = opened()
    work = send(work, lens("gradient"), PIN)
    assert (work.looking.lens, work.baseline) == ("gradient", FIRST)
    work = send(work, CLEAR)
    assert (work.looking.lens, work.baseline) == ("gradient", None)
    work = send(work, lens("change"))
    assert (work.looking.lens, work.baseline) == ("change", FIRST)
    work = send(work, lens(""))
    assert (work.looking.lens, work.baseline) == ("", FIRST)


def test_choosing_a_lens_is_no_step_to_undo_and_undo_keeps_the_baseline():
    work = opened()
    work = send(work, PIN, lens("gradient"), cell(7), {"op": "undo"})
    assert (work.example, work.history.past, work.looking.lens, work.baseline) == (
        FIRST,
        (),
        "gradient",
        FIRST,
    )
    assert len(work.history.future) == 1


def test_another_example_keeps_the_baseline():
    work = opened()
    work = send(work, PIN)
    work = state.open_built_in(work, "water")
    assert (work.baseline, work.looking.lens) == (FIRST, "change")
    assert work.history.opened == 1


def test_claims_are_no_part_of_a_baseline():
    example = built_in("published")
    assert example.claimed
    work = work_of(example, PIN)
    assert work.baseline.claimed is None
    assert work.baseline.x == example.x


def test_the_link_to_an_exercise_has_no_lens_and_no_baseline():
    work = work_of(FIRST, PIN)
    assert {"lens", "base"} & set(address(work))
    assert not {"lens", "base"} & set(address(without_claims(work)))


@pytest.mark.parametrize("odd", ["x", None, 1, [], {}, True, "Change"], ids=str)
def test_a_missing_lens_changes_nothing(odd):
    work = opened()
    work = send(work, lens("gradient"), lens(odd), {"op": "lens"})
    assert (work.looking.lens, message_of(work)) == ("gradient", None)


# --- the address -------------------------------------------------------------------------------------------------


@each("name", library())
def test_an_address_restores_lens_and_baseline(name):
    work = opened({"example": name})
    for edits in ([PIN], [cell(7)], [lens("gradient")], [lens("")], [CLEAR], [lens("gradient")]):
        if name in ("saturated", "scaled") and edits == [cell(7)]:
            continue  # nothing is computed from X there
        work = send(work, *edits)
        assert_restores(work)
        again = opened(address(work))
        assert (again.looking.lens, again.baseline) == (work.looking.lens, work.baseline)
    assert address(opened({"example": name})) == {"example": name}


def test_a_new_server_gets_lens_and_baseline_back():
    old = work_of(FIRST, PIN, cell(7), lens("gradient"))
    new = opened()
    new = send(new, {"op": "restore", "address": address(old)}, cell(8, 1))
    assert (new.looking.lens, new.baseline) == ("gradient", FIRST)
    assert new.example == apply(with_x(7), cell(8, 1))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_baseline_that_cannot_be_read_is_left_out_with_a_message(language):
    work = opened({"example": "water", "lens": "change", "base": "1abc", "lang": language})
    assert (work.example, work.looking.lens, work.baseline) == (built_in("water"), "", None)
    assert (
        work.message.text
        == {
            "en": "The baseline in this link was not used: the link is damaged or incomplete.",
            "zh": "没有使用这个链接里的基线：链接损坏或不完整。",
        }[language]
    )


@tries(6)
@given(
    st.dictionaries(
        st.sampled_from(["lens", "base", "cell", "example"]),
        st.text(max_size=12)
        | st.sampled_from(
            [*LENSES, *library(), to_token(FURTHER_ON), to_token(FIRST)[:50], "q.0.0.0", "1" * 40_000]
        ),
    )
)
def test_no_query_raises(query):
    work = opened(query)
    assert work.looking.lens in ("", *LENSES)
    assert work.looking.lens != "change" or work.baseline
    payload_of(work)
    work = replace(work, message=None)
    assert_restores(work)


@tries(8)
@given(
    st.sampled_from([FIRST, FURTHER_ON, built_in("padding"), ADDED]),
    st.lists(
        st.sampled_from([PIN, CLEAR, cell(7), {"op": "add_head"}, {"op": "undo"}, *map(lens, ("", *LENSES))])
        | st.fixed_dictionaries(
            {"op": st.sampled_from(["lens", "baseline"])},
            optional={"value": json_values, "clear": json_values},
        )
        | st.builds(
            pin,
            st.sampled_from(["q", "weights", "x"]),
            st.none() | st.integers(0, 2),
            st.integers(0, 2),
            st.integers(0, 2),
        ),
        max_size=6,
    ),
)
def test_no_edits_raise(example, edits):
    work = Work(begun(example, None), "zh")
    work = send(work, *edits)
    payload_of(work)
    work = replace(work, message=None)
    assert_restores(work)
    assert opened(address(work)).looking.lens == work.looking.lens


def test_a_baseline_too_large_for_the_link_is_left_out_with_one_message():
    tall = FIRST
    for axis in ("d_model", "d_k"):
        tall = apply(tall, {"op": "resize", "axis": axis, "size": 64})
    for seed, name in enumerate(("w_q", "w_k")):
        tall = apply(tall, {"op": "fill", "matrix": name, "head": 0, "with": "random", "seed": seed})
    assert 15_000 < len(to_token(tall)) <= 30_000
    work = say_whether_too_large(work_of(tall, PIN))
    assert "base" not in address(work)
    assert "lens" not in address(work)
    assert payload(work)["unsaved"]
    assert message_of(work) == (
        "info",
        "With its baseline, this example is too large for a link. The link leaves the baseline out.",
    )
    work = say_whether_too_large(send(work, cell(8)))
    assert message_of(work) is None
    assert payload(work)["lens"]["kind"] == "change"  # the page shows it all the same
    work = send(work, CLEAR)
    assert not payload(work)["unsaved"]


# --- the bench's data --------------------------------------------------------------------------------------------


@every_example
def test_without_a_lens_the_data_has_none(name):
    data = payload_of(Work(begun(EXAMPLES[name], None), "en"))
    assert "lens" not in data
    assert not any({"lens", "was"} & set(matrix) for matrix in data["matrices"].values())
    assert data["controls"]["lens"] == ""


@every_example
def test_the_gradient_is_the_cores(name):
    work = work_of(EXAMPLES[name], lens("gradient"))
    data = payload_of(work)
    expected = gradients(work.trace, target_of(work))
    assert data["lens"]["target"] == target_of(work)._asdict()
    for matrix, sent_matrix in data["matrices"].items():
        assert sent_matrix["lens"] == expected.get(matrix)
        assert "was" not in sent_matrix
    assert set(expected) <= set(data["matrices"])


def test_the_target_is_the_pinned_cell_where_that_is_computed():
    work = work_of(built_in("output-projection"), lens("gradient"))
    assert target_of(work) == Cell("output", None, 0, 0)
    work = send(work, pin("weights", 1, 0, 1))
    assert target_of(work) == Cell("weights", 1, 0, 1)
    assert "A[1, 2] of head 2" in payload_of(work)["lens"]["summary"]
    work = send(work, pin("x", None, 0, 0))
    assert target_of(work) == Cell("output", None, 0, 0)
    assert target_of(work_of(FIRST)) == Cell("concat", None, 0, 0)
    given_further_on = work_of(FURTHER_ON, pin("q", 1, 0, 0))
    assert target_of(given_further_on) == Cell("concat", None, 0, 0)
    assert (
        "head_1[1, 1]"
        in payload_of(work_of(FIRST, pin("head_outputs", 0, 0, 0)), lens="gradient")["lens"]["summary"]
    )


def plain(number):
    return {NEG_INF: "-inf", -NEG_INF: "inf"}.get(number, number)


@every_example
def test_the_change_is_the_cores(name):
    work = work_of(EXAMPLES[name], PIN, cell(0.125), {"op": "mask", "kind": "causal"})
    data = payload_of(work)
    expected = changes(work.trace, trace(EXAMPLES[name]))
    for matrix, sent_matrix in data["matrices"].items():
        heads = range(len(work.example.heads)) if sent_matrix["perHead"] else (None,)
        for head in heads:
            by, was = (
                sent_matrix[part] if head is None else sent_matrix[part][head] for part in ("lens", "was")
            )
            change = expected.get((matrix, head))
            assert by == (change and [[plain(v) for v in row] for row in change.by])
            allows = matrix == "mask" and not isinstance(work.example.mask, AddMask)
            for i, row in enumerate(by or ()):
                assert (was[i] is not None) == any(row)
                earlier = [None if v is None else bool(v) if allows else plain(v) for v in change.was[i]]
                assert was[i] in (None, earlier)


SUMMARIES = [
    ([], "Nothing differs from the baseline yet. Change a number."),
    (
        [cell(3, 0, 1)],
        "Since the baseline: X[1, 2] 2 → 3; the change starts at Q (2 of 12 "
        "numbers); attention weights: 8 of 18 changed, by up to 0.0026 (at A[1, 3] of head 1).",
    ),
    (
        [{"op": "set", "matrix": "w_v", "head": 1, "row": 0, "col": 0, "values": [[1.5]]}],
        "Since the baseline: W_V[1, 1] of head 2 1 → 1.5; the change starts at V (3 of 12 numbers); "
        "concatenation: 3 of 12 changed, by up to 2.5 (at Concat[3, 3]).",
    ),
    (
        [{"op": "scale", "value": "none"}],
        "Since the baseline: ÷ 1.4142 → 1; attention weights: 12 of 18 changed",
    ),
    (
        [{"op": "scoring", "kind": "cosine"}],
        "Scoring dot → cosine; the change starts at S (18 of 18 numbers)",
    ),
    ([{"op": "positions", "kind": "rotary"}], "Positions none → rotary"),
    (
        [{"op": "positions", "kind": "rotary", "pairs": "half"}],
        "Positions none → rotary, half-split",
    ),
    (
        [cell(9), cell(9, 1), cell(9, 2), cell(9, 2, 1), cell(9, 0, 1)],
        "X[2, 1] 3 → 9; 2 more input numbers; the change starts at Q",
    ),
    ([{"op": "mask", "kind": "causal"}], "27 cells have no counterpart in the baseline"),
]


@pytest.mark.parametrize(("edits", "summary"), SUMMARIES, ids=str)
def test_the_summary_says_what_was_edited_and_what_came_of_it(edits, summary):
    work = work_of(FIRST, PIN, *edits)
    assert summary in payload_of(work)["lens"]["summary"]
    work = state.choose_language(work, "zh")
    assert any("\u4e00" <= character <= "\u9fff" for character in payload_of(work)["lens"]["summary"])


def test_a_hidden_pair_is_shown_by_signs():
    work = work_of(
        built_in("causal"), PIN, {"op": "set", "matrix": "mask", "row": 1, "col": 0, "values": [[False]]}
    )
    data = payload_of(work)
    assert "M[2, 1] ✓ → ✕" in data["lens"]["summary"]
    assert data["matrices"]["mask"]["was"][1][0] is True
    assert data["matrices"]["masked_scores"]["lens"][0][1][0] == "-inf"


def test_a_page_can_fix_the_lens():
    work = work_of(FIRST, PIN, cell(3))
    forced = payload_of(work, lens="gradient")
    assert forced["lens"]["kind"] == "gradient"
    assert forced["controls"]["lens"] is None
    assert work.looking.lens == "change"
    assert "lens" not in payload_of(work, lens="")
    assert payload_of(work, lens="change")["lens"]["kind"] == "change"
    assert "lens" not in payload_of(work_of(FIRST), lens="change")


def test_the_check_has_no_lens():
    data = check_payload(work_of(FIRST, PIN, cell(3)))
    assert "lens" not in data
    assert not any("lens" in matrix for matrix in data["matrices"].values())


@tries(4)
@given(examples(variants=True), st.sampled_from(LENSES))
def test_any_example_can_be_looked_at_through_any_lens(example, through):
    data = payload_of(work_of(example, PIN), lens=through)
    assert data["lens"]["summary"]
    for matrix in data["matrices"].values():
        parts = (
            zip(matrix["lens"], matrix["values"], strict=True) if matrix["perHead"] and matrix["lens"] else []
        )
        for lens_rows, values in parts:
            assert (
                lens_rows is None
                or values is None
                or [len(row) for row in lens_rows] == [len(row) for row in values]
            )
