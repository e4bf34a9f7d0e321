"""What each head contributes to a logit directly: through the residual stream alone, not through later layers.

direct = attribute(model, ids, 42)                # of the logit of token 42 at the last real position
direct = attribute(model, ids, 42, against=7)     # of the difference to that of token 7
direct.values                                     # attentions × heads
direct.others                                     # embeddings, MLPs and biases: the rest of the sum
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import nan
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import EXACT
from mha_core.interop.running.capture import arguments
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.changed import tensor_of
from mha_core.interop.running.found import Asked
from mha_core.interop.running.intervene import first_run
from mha_core.interop.running.lookup import counted, whole
from mha_core.interop.running.padding import real_tokens
from mha_core.interop.running.stream import End, Ran, Recorder, end_of
from mha_core.interop.running.subject import Subject
from mha_core.interop.running.sweep import Sweep

_MOST_NAMES = 3
"""How many parts an error lists."""
_ROWS = N_("expected rows from 0 to {last}, got {got}")
_TOKENS = N_("expected ids from 0 to {last}, got {got}")


@dataclass(frozen=True, eq=False)
class Attribution(Sweep):
    """The direct contribution of each head to a logit, or to a difference of two; NaN for heads outside the stream.

    others   what else the stream is a sum of, by the part of the module: embeddings, MLPs, and biases
    total    the logit or difference itself: the sum of all heads and others
    """

    others: Mapping[str, float] = field(default_factory=dict)
    total: float = nan

    def __repr__(self) -> str:
        heads = self.values.nan_to_num(0.0).sum().item()
        return f"{self.measure} = {self.total:.4g}, of which heads {heads:.4g}; {super().__repr__()}"


def attribute(
    module: nn.Module,
    inputs: Any,
    token: int | Tensor,
    against: int | Tensor | None = None,
    *,
    sample: int = 0,
    row: int | None = None,
    keywords: Mapping[str, Any] | None = None,
    batch: int | None = None,
    real: Any = None,
    context_real: Any = None,
) -> Attribution:
    """Direct logit attribution (nostalgebraist 2020; Elhage et al. 2021): the logits are linear in the residual stream
    once the scale s of the final norm is frozen, and the stream is a sum, to which each head adds its own part.

        direct[l, h] = U(γ ∘ (O_h·W_O − mean) / s)[token]      W_O: the head's rows; no mean with RMSNorm

    ``token``: its id, also as a tensor; ``against``: another, whose logit is subtracted. ``sample`` and ``row``: at
    which position of the output; by default the sample's last real one. ``inputs``, ``keywords``, ``batch``, ``real``
    and ``context_real``: as for ``capture``.

    The stream is found by following the unembedding's input back through additions, so this works for modules whose
    layers add to one stream (pre-norm). Attention that does not, such as an encoder's, has NaN.

        direct = attribute(model, ids, 42, against=7)
        direct.most(3)  # the heads that speak most for 42, or against it

    Raises ``InteropError`` as ``capture`` does, and if the output is not that of a linear layer after such a stream and
    at most one norm.
    """
    asked = Asked(sample, batch).with_real(real, context_real)
    subject = Subject(*arguments(module, inputs, keywords, batch))
    with torch.no_grad():
        attentions = first_run(subject, asked).attentions
        recorder = Recorder(subject.module)
        with recorder.parts():
            logits = tensor_of(subject.run(recorder))
        projections = list(_projections(recorder, attentions))
        first = any(one.samples_first for one in projections)
        at = _place(logits, attentions, sample, row, samples_first=first or not projections)
        end = end_of(recorder, logits, lambda tensor: _row(tensor, logits, at))
        count = logits.shape[-1]
        ids = [_id(one, count) for one in (token, against) if one is not None]
        return _summed(recorder, attentions, projections, end, _Read(logits, at, ids, first))


@dataclass(frozen=True, slots=True, eq=False)
class _Projection:
    """W_O of an attention: what ran, and its affine map of concatenated heads."""

    index: int
    ran: Ran
    project: Callable[[Tensor], Tensor]
    samples_first: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """Which logits are read: the row ``at`` of the output, and one id, or two whose difference is meant."""

    logits: Tensor
    at: tuple[int, ...]
    ids: Sequence[int]
    samples_first: bool

    def of(self, rows: Tensor) -> Tensor:
        """The logit, or the difference, of k rows of logits."""
        own = rows[..., self.ids].to(EXACT)
        return own[..., 0] - own[..., 1] if len(self.ids) > 1 else own[..., 0]


def _projections(recorder: Recorder, attentions: Sequence[Captured]) -> Iterator[_Projection]:
    """The parts that project the concatenated heads of each attention, the last one to run first."""
    every = [ran for several in recorder.ran.values() for ran in several]
    for index, one in enumerate(attentions):
        concat = one.outputs.transpose(0, 1).flatten(1)
        for ran in every:
            part = ran.part
            if isinstance(part, nn.MultiheadAttention) and ran.name == one.name.partition("#")[0]:
                project = partial(functional.linear, weight=part.out_proj.weight)
                yield _Projection(index, ran, project, part.batch_first)
            elif not [*part.children()] or hasattr(part, "weight"):
                for samples_first in (True, False):
                    if _is_sample(ran.given, concat, one, samples_first=samples_first):
                        yield _Projection(index, ran, part, samples_first)
                        break


def _is_sample(given: Tensor, concat: Tensor, one: Captured, *, samples_first: bool) -> bool:
    """Whether a tensor has these rows as those of the attention's sample."""
    if given.shape[-1] != concat.shape[-1] or given.numel() != one.samples * concat.numel():
        return False
    lead = (one.samples, len(concat)) if samples_first else (len(concat), one.samples)
    if given.dim() == 3 and tuple(given.shape[:2]) != lead:
        return False
    rows = given.reshape(*lead, -1)
    own = rows[one.sample] if samples_first else rows[:, one.sample]
    return torch.allclose(own.detach().cpu().to(concat), concat, atol=1e-5)


def _id(token: Any, count: int) -> int:
    """A token's id. Ids below 0, such as the −100 of a label that is left out, do not count from the end."""
    if (own := whole(token)) is not None and own < 0:
        raise InteropError(_TOKENS, place="token", last=count - 1, got=own)
    return counted(token, count, _TOKENS, "token")


def _place(
    logits: Tensor, attentions: Sequence[Captured], sample: int, row: int | None, *, samples_first: bool
) -> tuple[int, ...]:
    """The index of the row of logits at a position of a sample."""
    samples, axes = attentions[0].samples, logits.dim() - 1
    if axes not in (1, 2) or (axes == 1 and samples > 1):
        raise InteropError(N_("expected an output of samples × positions × logits"))
    n = logits.shape[1 if axes == 2 and samples_first else 0]
    real = real_tokens(attentions, samples, n)
    last = n - 1 if real is None else int(real[sample].nonzero()[-1])
    position = last if row is None else counted(row, n, _ROWS, "row")
    if axes == 1:
        return (position,)
    return (sample % samples, position) if samples_first else (position, sample % samples)


def _row(tensor: Tensor, logits: Tensor, at: tuple[int, ...]) -> Tensor:
    """One row of a term of the stream, which may be the same for all samples."""
    try:
        return tensor.expand(*logits.shape[:-1], tensor.shape[-1])[at]
    except (RuntimeError, IndexError):
        raise InteropError(
            N_("the residual stream has other rows than the output, so a row of it is not known")
        ) from None


def _summed(
    recorder: Recorder,
    attentions: Sequence[Captured],
    projections: Sequence[_Projection],
    end: End,
    read: _Read,
) -> Attribution:
    """The shares of all terms in the logit, which they add up to."""
    by_output = {id(one.ran.result): one for one in reversed(projections)}
    base = end.unembed(torch.zeros_like(end.shift)[None])

    def share(rows: Tensor) -> Tensor:
        return read.of(end.unembed(end.scaled(rows).to(base)) - base)

    values = torch.full((len(attentions), max(len(one.weights) for one in attentions)), nan, dtype=EXACT)
    others: dict[str, float] = {}
    position = read.at[-1] if read.samples_first else read.at[0]
    for term in recorder.terms(end.x, by_output):
        row, projection = _row(term, read.logits, read.at), by_output.get(id(term))
        whole = share(row[None]).item()
        name = recorder.name(term)
        if projection is not None:
            outputs = attentions[projection.index].outputs[:, position].to(row)
            alone: Tensor = torch.block_diag(*outputs)  # type: ignore[no-untyped-call]  # row h: the concatenated heads with head h alone
            own = share(projection.project(alone) - projection.project(torch.zeros_like(alone)))
            values[projection.index, : len(own)] = own
            whole, name = whole - own.sum().item(), f"{projection.ran.name} bias"
        others[name] = others.get(name, 0.0) + whole
    others["bias"] = read.of(end.unembed(end.shift[None].to(base))).item()
    total = read.of(read.logits[read.at]).item()
    others = {name: number for name, number in others.items() if abs(number) > 1e-6}
    found = values.nan_to_num(0.0).sum().item() + sum(others.values())
    if not projections:
        raise InteropError(N_("no part of the module takes the concatenated heads, so W_O is not known"))
    if values.isnan().all():
        raise InteropError(
            N_(
                "no head adds to the stream that the output is computed from: it can be followed back to {names} and "
                "no further, as where a norm comes after each sum"
            ),
            names=", ".join([name for name in others if name != "bias"][:_MOST_NAMES]),
        )
    if abs(found - total) > 1e-3 * max(1.0, read.logits[read.at].abs().max().item()):
        raise InteropError(
            N_("the terms that were found add up to {found:.4g}, but the logit is {total:.4g}"),
            found=found,
            total=total,
        )
    names = " − ".join(f"logit {one}" for one in read.ids)
    return Attribution(tuple(one.name for one in attentions), values, f"direct: {names}", others, total)
