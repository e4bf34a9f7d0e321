"""The page of those who follow a lecture, and what torch computes from the numbers that one of them changes."""

from typing import Any

import torch

from mha_core import built_in, to_token
from mha_view import follow
from tests.apply import apply
from tests.js.dom import audience

Rows = list[list[float]]


def payloads() -> dict[str, Any]:
    return {
        **audience.payloads(),
        "causal": follow.walk({"example": "causal"}, "en", 4),
        "x is 8": edited("x", None, 1, 0, 8.0),
        "q is 9": from_queries(9.0),
    }


def edited(matrix: str, head: int | None, row: int, col: int, value: float) -> dict[str, Any]:
    """The walk of the first example with another input, as the server would send it."""
    edit = {"op": "set", "matrix": matrix, "head": head, "row": row, "col": col, "values": [[value]]}
    return dict(follow.walk({"s": to_token(apply(built_in("first"), edit))}, "en", 4))


def from_queries(value: float) -> dict[str, Rows]:
    """What head 1 of the first example computes once Q[0, 0] is another number, which no X gives."""
    head = built_in("first").heads[0]
    x, w_q, w_k, w_v = (
        torch.tensor(rows, dtype=torch.float64)
        for rows in (built_in("first").x, head.w_q, head.w_k, head.w_v)
    )
    q = x @ w_q
    q[0, 0] = value
    scores = q @ (x @ w_k).T
    scaled = scores / w_k.shape[1] ** 0.5
    powers = (scaled - scaled.amax(1, keepdim=True)).exp()
    outputs = scaled.softmax(1) @ (x @ w_v)
    tables = {"scores": scores, "scaled_scores": scaled, "powers": powers, "head_outputs": outputs}
    return {name: table.tolist() for name, table in tables.items()}
