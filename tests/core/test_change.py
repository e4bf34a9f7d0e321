"""How the numbers differ from those of a baseline, cell by cell."""

from dataclasses import replace

import pytest
from hypothesis import given

from mha_core import AddMask, AllowMask, built_in, trace
from mha_core.compare.diff import changes
from mha_core.compute.derive import Cell, cells, feeds
from tests.apply import apply
from tests.core.strategies import examples
from tests.core.test_derive import EVERY, input_cells
from tests.sizes import each, tries

NEG_INF = float("-inf")
FIRST = built_in("first")


def after(example, *edits):
    """How an example has changed after these edits."""
    edited = example
    for edit in edits:
        edited = apply(edited, edit)
    return changes(trace(edited), trace(example))


def put(number, row=0, col=0, matrix="x", head=None):
    return {"op": "set", "matrix": matrix, "head": head, "row": row, "col": col, "values": [[number]]}


@each("name", EVERY)
def test_nothing_differs_from_itself(name):
    found = changes(trace(EVERY[name]), trace(EVERY[name]))
    assert all(by == 0 for change in found.values() for row in change.by for by in row)
    computed = trace(EVERY[name])
    everything = {(c.name, c.head) for c in (*cells(computed), *input_cells(computed))}
    assert set(found) == everything
    for (matrix, head), change in found.items():
        assert change.was == computed.matrix(matrix, head)
        assert (change.changed, change.compared) == (0, sum(map(len, change.was)))


@tries(6)
@given(examples(claims=False, variants=True))
def test_an_edit_changes_only_what_the_cell_leads_to(example):
    before = trace(example)
    if example.x is None:
        return
    edited = trace(apply(example, put(example.x[0][0] + 0.5)))
    reached, front = {Cell("x", None, 0, 0)}, [Cell("x", None, 0, 0)]
    while front:
        front = [fed for cell in front for fed in feeds(before, cell) if fed not in reached]
        reached |= set(front)
    for (name, head), change in changes(edited, before).items():
        for i, row in enumerate(change.by):
            for j, by in enumerate(row):
                assert not by or Cell(name, head, i, j) in reached
                now, was = edited.matrix(name, head)[i][j], before.matrix(name, head)[i][j]
                assert change.was[i][j] == was
                assert by == (0 if now == was else now - was) or (by == 0 and abs(now - was) < 1e-9)


def test_by_hand():
    found = after(FIRST, put(3, 0, 1))
    assert found["x", None].by == [[0, 1, 0][:2], [0, 0], [0, 0]]
    assert found["q", 0].by[0] == [0, 1]
    assert found["q", 0].by[1:] == [[0, 0], [0, 0]]
    assert found["x", None].changed == 1
    assert found["w_q", 0].changed == 0


def test_a_tiny_change_of_a_given_number_counts_and_a_differently_rounded_one_does_not():
    example = apply(FIRST, put(1e12, 2, 1))
    assert after(example, put(1 + 1e-9))["x", None].by[0][0] == pytest.approx(1e-9, rel=1e-6)
    # One head with a bias of zeros is computed apart from the other: the numbers stay, if not to the last bit.
    apart = replace(FIRST, heads=(replace(FIRST.heads[0], b_q=(0.0, 0.0)), *FIRST.heads[1:]))
    found = changes(trace(apart), trace(FIRST))
    assert all(change.changed == 0 for change in found.values())


def test_what_the_baseline_lacks_has_no_counterpart():
    found = after(
        FIRST, {"op": "add_token", "which": "tokens"}, {"op": "add_head"}, {"op": "mask", "kind": "causal"}
    )
    assert found["x", None].by[:3] == [[0, 0]] * 3
    assert found["x", None].by[3] == found["x", None].was[3] == [None, None]
    assert found["x", None].compared == 6
    assert found["scores", 0].by[0][:3] == [0, 0, 0]
    assert found["scores", 0].by[0][3] is None
    assert all(v is None for row in found["q", 2].by for v in row)
    assert all(v is None for row in found["masked_scores", 0].by for v in row)
    fewer = changes(trace(FIRST), trace(apply(FIRST, {"op": "add_token", "which": "tokens"})))
    assert all(v == 0 for row in fewer["x", None].by for v in row)


def test_hidden_pairs_change_without_bounds():
    shown = AllowMask(((True, True, True),) * 3)
    hidden = AllowMask(((True, True, False), *((True,) * 3,) * 2))
    one, other = trace(replace(FIRST, mask=shown)), trace(replace(FIRST, mask=hidden))
    found = changes(other, one)
    assert found["mask", None].by[0] == [0, 0, -1]
    assert found["masked_scores", 0].by[0] == [0, 0, NEG_INF]
    assert changes(one, other)["masked_scores", 0].by[0] == [0, 0, -NEG_INF]
    added = trace(replace(FIRST, mask=AddMask(((0.0, NEG_INF, 0.0), *((0.0,) * 3,) * 2))))
    assert changes(added, one)["mask", None].by[0] == [None] * 3
    assert changes(added, added)["mask", None].changed == 0
