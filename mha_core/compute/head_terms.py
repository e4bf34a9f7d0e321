"""What each head adds to the output: Concat·W_O as a sum of one term for each head."""

from __future__ import annotations

from typing import NamedTuple

import torch

from mha_core.compute.graph import term_steps
from mha_core.compute.trace import Rows, Trace, input_matrix, operate
from mha_core.errors import N_, CellError


class HeadTerms(NamedTuple):
    """``w_o_block``: the rows of W_O that head i is multiplied with, h × d_v × d_out.

    ``head_terms``: head_i·W_Oi, h × n_q × d_out.
    """

    w_o_block: list[Rows]
    head_terms: list[Rows]


class Loss(NamedTuple):
    """How much of the output one head carries: ‖O − O′‖_F ÷ ‖O‖_F, None where O is 0.

    ``muted``: O′ without the head's term. ``averaged``: O′ with that term replaced by its mean over the queries. What a
    head adds equally to every query does not count there, since b_O could add it too.
    """

    muted: float | None
    averaged: float | None


def losses(trace: Trace) -> tuple[Loss, ...]:
    """The loss of each head alone, from T_i = head_i·W_Oi: ‖T_i‖ ÷ ‖O‖, and ‖T_i − mean over queries‖ ÷ ‖O‖.

    Raises ``CellError`` as ``head_terms`` does.
    """
    terms = torch.tensor(head_terms(trace).head_terms, dtype=torch.float64)
    whole = float(torch.tensor(trace.values["output"], dtype=torch.float64).norm())
    deviations = terms - terms.mean(1, keepdim=True)
    sizes = zip(terms.norm(dim=(1, 2)).tolist(), deviations.norm(dim=(1, 2)).tolist(), strict=True)
    return tuple(Loss(*(size / whole if whole else None for size in pair)) for pair in sizes)


def head_terms(trace: Trace) -> HeadTerms:
    """O = Σ_i head_i·W_Oi + b_O, since in Concat·W_O head i is multiplied only with its own d_v rows of W_O.

    Raises ``CellError`` where the example has no W_O: then the heads stay side by side and nothing is added.
    """
    step = next(iter(term_steps(trace.example)), None)
    w_o = input_matrix(trace.example, "w_o")
    if step is None or w_o is None:
        raise CellError(N_("there is no {name} here"), name="w_o")
    heads = torch.tensor(trace.values["head_outputs"], dtype=torch.float64)
    blocks = torch.tensor(w_o, dtype=torch.float64).view(len(heads), -1, len(w_o[0]))
    terms = operate(step, {"head_outputs": heads, "w_o_block": blocks}, trace.example)
    return HeadTerms(blocks.tolist(), terms.tolist())
