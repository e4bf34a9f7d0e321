"""The goal of an example in a program: its loss, and an assertion for the derivative by every number that is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mha_core.compute.trace import Rows, Trace
from mha_core.example.model import kv_head_of
from mha_core.export.sheet import PARTS, Sheet, owners_of


def add_goal(sheet: Sheet, computed: Trace) -> None:
    """Add what the program from scratch has for a goal: loss, derivatives by autograd, and their numbers."""
    example = sheet.example
    if example.learning is None:
        return
    expected = dict(_expected(sheet, computed))
    if not expected:  # heads start from their weights and V, and nothing else is given
        return
    leaves = ", ".join(expected)
    names = ", ".join(f"d_{name}" for name in expected)
    asserts = (
        f"torch.testing.assert_close(d_{name}, torch.tensor({numbers}), rtol=1e-9, atol={sheet.values['atol']})"
        for name, numbers in expected.items()
    )
    sheet.flags |= {"learning", "aims" if example.learning.step == "weights" else "compares"}
    sheet.values |= {
        "leaves": f"({leaves},)",
        "slopes_of_loss": f"({names},)",
        "goal": example.learning.step,
        "asserted_slopes": "\n".join(asserts),
        **_target(sheet, computed),
    }


def _target(sheet: Sheet, computed: Trace) -> dict[str, str]:
    learning, dims = sheet.example.learning, sheet.example.dims
    assert learning is not None  # noqa: S101  # the caller has checked
    if learning.step == "weights":
        nothing = [[0.0] * dims.n_k] * dims.n_q
        return {
            "target": sheet.cube(learning.matrix(head, dims.n_k) or nothing for head in range(dims.h)),
            "goal_rows": "",
        }
    rows = computed.matrix(f"{learning.step}_target")
    given = [at for at, row in enumerate(learning.of_head(None) or ()) if row is not None]
    return {"target": sheet.matrix([rows[at] for at in given]), "goal_rows": f"[{given}]"}


def _expected(sheet: Sheet, computed: Trace) -> Iterator[tuple[str, str]]:
    """The name that the program has for a matrix, and the derivative by it, laid out as the program does."""
    slopes = computed.backward
    for name, positioned in (("x", "x_positioned"), ("context", "context_positioned")):
        found = slopes.get(f"d_{positioned}", slopes.get(f"d_{name}"))
        if found:
            yield name, sheet.matrix(found)
    for part in PARTS:
        yield from _projections(sheet, slopes, part)
    yield from _parameters(sheet, slopes)
    if "d_w_o" in slopes:
        yield "w_o", sheet.matrix(slopes["d_w_o"])
    if "d_b_o" in slopes:
        yield "b_o", sheet.row(slopes["d_b_o"][0])


def _projections(sheet: Sheet, slopes: Mapping[str, Any], part: str) -> Iterator[tuple[str, str]]:
    """The weights and biases of q, k or v. A head without a bias has 0 in the program, which has a derivative too."""
    example = sheet.example
    indices = [index for index in owners_of(example, part) if getattr(example.heads[index], part) is None]
    if weights := _of_heads(slopes, f"w_{part}", indices):
        yield f"w_{part}", sheet.cube(weights)
    rows = _of_heads(slopes, part, indices)
    if weights and rows and f"some_b_{part}" in sheet.flags:
        yield f"b_{part}", sheet.matrix([list(map(sum, zip(*matrix, strict=True))) for matrix in rows])


def _parameters(sheet: Sheet, slopes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What heads have besides. Gains of keys that heads share have a copy in each head of the program."""
    for name in ("w_a", "u_a"):
        if found := _of_heads(slopes, name, sheet.scored):
            yield name, sheet.cube(found)
    shares = any(kv_head_of(sheet.example, "k", at) != at for at in sheet.scored)
    for name in ("v_a", "g_q", *(() if shares else ("g_k",))):
        if found := _of_heads(slopes, name, sheet.scored):
            yield name, sheet.matrix([rows[0] for rows in found])
    for name, variable in (("slope", "slopes"), ("sink", "sinks")):
        if found := _of_heads(slopes, name, sheet.scored):
            yield variable, sheet.row(rows[0][0] for rows in found)


def _of_heads(slopes: Mapping[str, Any], name: str, indices: Sequence[int]) -> list[Rows]:
    """The derivative by each of these heads' matrices, 0 where the loss does not depend on one; [] where on none."""
    found = slopes.get(f"d_{name}") or []
    shape: Rows | None = next((rows for rows in found if rows), None)
    if shape is None:
        return []
    return [found[index] or [[0.0] * len(row) for row in shape] for index in indices]
