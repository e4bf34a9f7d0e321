"""Goals to draw, and their loss on the tape of torch's autograd, written apart from the declared backward pass."""

from dataclasses import replace

import torch
from hypothesis import assume
from hypothesis import strategies as st

from mha_core import Example, trace
from mha_core.compute.trace import Trace, in_head_order
from mha_core.example.learning import Learning, TargetRow
from mha_core.example.model import has_values
from tests.core.strategies import examples, numbers
from tests.core.tape import tape, tensors


@st.composite
def learning(draw, example):
    """A goal that fits the example."""
    dims = example.dims
    steps = ["output"] * 2 if example.w_o is not None else []
    steps += ["concat"] if has_values(example) else []
    aimed = [head for head, given in enumerate(example.heads) if given.weights is None]
    steps += ["weights"] if aimed else []
    step = draw(st.sampled_from(steps))
    if step != "weights":
        width = dims.shape(step)[1]
        rows = [draw(st.none() | st.tuples(*[numbers] * width)) for _ in range(dims.n_q)]
        if not any(rows):
            rows[0] = draw(st.tuples(*[numbers] * width))
        return Learning(step, tuple(rows), 0.05)
    weights = trace(example).values["weights"]
    heads: list[tuple[TargetRow, ...] | None] = [None] * dims.h
    for head in {draw(st.sampled_from(aimed)), *draw(st.sets(st.sampled_from(aimed)))}:
        rows = [
            draw(_attention([key for key, weight in enumerate(row) if weight], dims.n_k))
            for row in weights[head]
        ]
        heads[head] = tuple(rows)
    if not any(row is not None for rows in heads if rows for row in rows):
        places = [(head, row) for head in aimed for row in range(dims.n_q) if any(weights[head][row])]
        assume(places)
        head, at = draw(st.sampled_from(places))
        key = weights[head][at].index(max(weights[head][at]))
        heads[head] = tuple(key if row == at else None for row in range(dims.n_q))
    return Learning(step, tuple(heads), 0.05)


@st.composite
def _attention(draw, open_, n_k):
    """No target, one key, or a distribution over the keys that have a weight."""
    if not open_ or draw(st.booleans()):
        return None
    if draw(st.booleans()):
        return draw(st.sampled_from(open_))
    shares = [draw(st.integers(0, 4)) if key in open_ else 0 for key in range(n_k)]
    whole = sum(shares)
    return tuple(share / whole for share in shares) if whole else None


@st.composite
def with_goals(draw):
    """Examples of every kind, with a goal."""
    example = draw(examples(claims=False, variants=True))
    assume(has_values(example) or any(head.weights is None for head in example.heads))
    return replace(example, learning=draw(learning(example)))


def loss_of(taped: Trace, goal: Learning) -> torch.Tensor:
    """½ Σ (O − T)², or −Σ T·ln A."""
    if goal.step == "weights":
        weights = in_head_order(taped.groups, "weights")
        total = torch.zeros((), dtype=torch.float64)
        for head in range(len(goal.targets)):
            for row, target in enumerate(goal.of_head(head) or ()):
                shares = {target: 1.0} if isinstance(target, int) else dict(enumerate(target or ()))
                for key, share in shares.items():
                    if share:
                        total = total - share * weights[head, row, key].log()
        return total
    rows = [row for row, target in enumerate(goal.targets) if target is not None]
    wanted = torch.tensor([goal.targets[row] for row in rows], dtype=torch.float64)
    return (taped.layer[goal.step][rows] - wanted).square().sum() / 2


def autograd(computed: Trace) -> tuple[float, dict[tuple[str, int | None], torch.Tensor]]:
    """The loss, and its derivative by every matrix of every head, by torch. Of what heads share: summed over them."""
    example: Example = computed.example
    taped, given = tape(computed)
    wanted = list(tensors(taped, given))
    loss = loss_of(taped, example.learning)
    found: dict[tuple[str, int | None], torch.Tensor] = {}
    if not loss.requires_grad:
        return float(loss), found
    slopes = torch.autograd.grad(loss, [entry.tensor for entry in wanted], allow_unused=True)
    for entry, slope in zip(wanted, slopes, strict=True):
        if slope is None:
            continue
        for at, head in enumerate(entry.members or (None,)):
            found[entry.name, head] = slope if head is None else slope[at]
    return float(loss.detach()), found
