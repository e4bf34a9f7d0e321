"""What each head contributes to a logit directly: through the residual stream alone, not through later layers.

direct = attribute(model, ids, 42)                # of the logit of token 42 at the last real position
direct = attribute(model, ids, 42, against=7)     # of the difference to that of token 7
direct = attribute(model, ids, vector)            # of the sum of logits · vector
direct.values                                     # attentions × heads
direct.others                                     # embeddings, MLPs and biases: the rest of the sum
direct.sources[3][5]                              # the part of head 5 of attention 3 by token that it comes from
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any, Final, TypedDict, Unpack, overload

import torch
from torch import Tensor, nn

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import EXACT, shown_shape
from mha_core.interop.running.call import failures_named
from mha_core.interop.running.capture import arguments
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.changed import tensor_of
from mha_core.interop.running.edits import part_of
from mha_core.interop.running.found import Asked, Found, Site
from mha_core.interop.running.functions import as_written
from mha_core.interop.running.intervene import first_run
from mha_core.interop.running.linear import Linear, Term, plain_afterwards
from mha_core.interop.running.lookup import SAMPLES, counted
from mha_core.interop.running.padding import real_tokens
from mha_core.interop.running.second_run import tensors_in
from mha_core.interop.running.subject import Subject, outputs_of_parts
from mha_core.interop.running.sweep import Sweep
from mha_core.interop.running.texts import Vocabulary, id_of

_MOST_NAMES: Final = 3
"""How many parts an error lists."""
_LEAST: Final = 1e-6
"""What is smaller is not listed among the others."""
_ROWS: Final = N_("expected rows from 0 to {last}, got {got}")
_TOKENS: Final = N_("expected ids from 0 to {last}, got {got}")


@dataclass(frozen=True, eq=False)
class Attribution(Sweep):
    """The direct contribution of each head to a logit, or to a difference of two; NaN for heads outside the stream.

    others   what else the stream is a sum of, by the part of the module: embeddings, MLPs, and biases
    total    the logit or difference itself: the sum of all heads and others
    sources  by attention, heads × n_k: each head's contribution by the token that it comes from, or None for NaN
    fixed    the parts of the module whose norm or gate was held fixed, so that the rest is linear
    row      the position of the output whose logit it is, counted from 0 in its sample
    """

    others: Mapping[str, float] = field(default_factory=dict)
    total: float = nan
    sources: tuple[Tensor | None, ...] = ()
    fixed: tuple[str, ...] = ()
    row: int = 0

    def __repr__(self) -> str:
        heads = self.values.nan_to_num(0.0).sum().item()
        return f"{self.measure} at row {self.row} = {self.total:.4g}, of which heads {heads:.4g}; {super().__repr__()}"


class Options(TypedDict, total=False):
    """The keywords of ``attribute`` whatever it returns."""

    row: int | None
    part: str | None
    vocabulary: Vocabulary | None
    keywords: Mapping[str, Any] | None
    batch: int | None
    real: Any
    context_real: Any


@overload
def attribute(
    module: nn.Module,
    inputs: Any,
    token: int | str | Tensor,
    against: int | str | Tensor | None = None,
    *,
    sample: int = 0,
    **options: Unpack[Options],
) -> Attribution: ...


@overload
def attribute(
    module: nn.Module,
    inputs: Any,
    token: int | str | Tensor,
    against: int | str | Tensor | None = None,
    *,
    sample: Sequence[int],
    **options: Unpack[Options],
) -> tuple[Attribution, ...]: ...


def attribute(
    module: nn.Module,
    inputs: Any,
    token: int | str | Tensor,
    against: int | str | Tensor | None = None,
    *,
    sample: int | Sequence[int] = 0,
    row: int | None = None,
    part: str | None = None,
    vocabulary: Vocabulary | None = None,
    keywords: Mapping[str, Any] | None = None,
    batch: int | None = None,
    real: Any = None,
    context_real: Any = None,
) -> Attribution | tuple[Attribution, ...]:
    """Direct logit attribution (nostalgebraist 2020; Elhage et al. 2021): the logits are linear in the residual stream
    once the scale s of the final norm is frozen, and the stream is a sum, to which each head adds its own part.

        direct[l, h] = U(γ ∘ (O_h·W_O − mean) / s)[token]      W_O: the head's rows; no mean with RMSNorm

    ``token``: its id; its text, if ``vocabulary`` has the texts of ids as for ``Changed.named``; or a vector v with as
    many numbers as the output has columns, for Σ_t v_t · logit_t; ``against``: another id or text, whose logit is
    subtracted. ``sample`` and ``row``: at which position of the output; by default the sample's last real one. With a
    list of samples there is an attribution for each. ``part``: a part of the module whose output takes the place of the
    logits, such as a layer, for a direction v of the residual stream. ``inputs``, ``keywords``, ``batch``, ``real`` and
    ``context_real``: as for ``capture``.

    The module runs once more, and whatever is not linear is held fixed: weights, activations, the scales of norms and
    gates. The gradient of the logit is then exact, and a head contributes its outputs · their gradient, with W_O, norm
    and unembedding as the module has them, in whatever way they are written. Attention whose outputs reach the logit
    only through later layers, such as an encoder's, has NaN. Of logits after a softcap or log_softmax those before it
    are meant, and ``measure`` says so.

        direct = attribute(model, ids, 42, against=7)
        direct.most(3)  # the heads that speak most for 42, or against it

    Raises ``InteropError`` as ``capture`` does; if no head reaches the output linearly, with the operation that it is
    stopped by; and if heads and others do not add up to the logit.
    """
    several = isinstance(sample, Sequence)
    samples: Sequence[Any] = sample if isinstance(sample, Sequence) else [sample]
    subject = Subject(*arguments(module, inputs, keywords, batch))
    asked = Asked(next(iter(samples), 0), batch).with_real(real, context_real)
    name = None if part is None else part_of(subject.module, part, "part")
    with torch.inference_mode(mode=False), torch.no_grad():
        found = first_run(subject, asked)
        with plain_afterwards(subject.module):
            ran = _Ran.of(subject, found, name)
            own = tuple(ran.attribution(one, row, token, against, vocabulary) for one in samples)
    return own if several else own[0]


@dataclass(frozen=True, slots=True, eq=False)
class _Ran:
    """A run that is linear in its terms, with the output of which gradients are taken."""

    found: Found
    linear: Linear
    output: Tensor
    part: str | None

    @classmethod
    def of(cls, subject: Subject, found: Found, part: str | None) -> _Ran:
        """The run. Raises ``InteropError`` if it is another than the first one."""
        outputs: list[Any] = []
        change = {} if part is None else {part: outputs.append}
        with subject.copies() as (args, named):
            linear = Linear(subject.module, found.sites, tensors_in((args, named)))
            given = (*args, *named.values())
            with outputs_of_parts(subject.module, change), failures_named(given), as_written(), linear:
                output = subject.module(*args, **named)
        if part is not None and not outputs:
            raise InteropError(N_("this part of the module did not run"), place=part)
        tensor = tensor_of(output if part is None else outputs[-1])
        if linear.seen != len(found.sites) or not tensor.requires_grad:
            raise InteropError(N_("the module did not compute the same attentions when it ran again"))
        return cls(found, linear, tensor, part)

    def attribution(
        self, sample: Any, row: int | None, token: Any, against: Any, vocabulary: Vocabulary | None
    ) -> Attribution:
        """The contributions to one logit, or to a sum of several."""
        attentions = self.found.attentions
        sample = counted(sample, attentions[0].samples, SAMPLES, "sample")
        direction, words = _direction(token, against, self.output, self.part, vocabulary)
        shares = None
        for at, position in _places(self.output, attentions, sample, row):
            shares = self._shares(at, direction)
            shares.row = position
            if shares.are_of(sample, self.found.sites):
                break
        assert shares is not None  # noqa: S101  # there is a place
        true = self.output if self.part else tensor_of(self.found.output)
        if not shares.before:
            shares.total = (_flat(true)[at].detach().to(EXACT) @ direction).item()
        return _summed(shares, self.found, sample, words, self.linear.rounding)

    def _shares(self, at: int, direction: Tensor) -> _Shares:
        """The terms and gradients of a sum of logits in a row; behind a softcap, of those before it."""
        shares = _Shares()
        with torch.enable_grad():
            logits = _flat(self.output)[at]
        self.linear.take, self.linear.froze = shares.take, shares.froze
        torch.autograd.backward(logits, direction.to(logits), retain_graph=True)
        for term, gradient in [*shares.terms]:
            is_last = term.values.shape == self.output.shape
            is_last &= int(gradient.count_nonzero()) <= int(direction.count_nonzero())
            if is_last and term.before is not None and not shares.of_heads():
                shares.pass_by(term, gradient)
                torch.autograd.backward(term.before, gradient, retain_graph=True)
        return shares


@dataclass(slots=True, eq=False)
class _Shares:
    """The terms that a gradient reached, with the gradient, and the parts whose scale was held fixed.

    ``row``: the position; ``total``: the logit; ``before``: the function of the logits before which it is taken.
    """

    row: int = 0
    total: float = nan
    terms: list[tuple[Term, Tensor]] = field(default_factory=list)
    fixed: dict[str, None] = field(default_factory=dict)
    before: str = ""

    def take(self, term: Term, gradient: Tensor) -> None:
        """Keep a term."""
        self.terms.append((term, gradient))

    def froze(self, part: str) -> None:
        """Keep a part's name."""
        self.fixed[part] = None

    def of_heads(self) -> list[tuple[Term, Tensor]]:
        """The outputs of heads among the terms."""
        return [one for one in self.terms if one[0].site >= 0]

    def are_of(self, sample: int, sites: Sequence[Site]) -> bool:
        """Whether all heads that contribute are of this sample."""
        every = (_by_head(gradient, sites[term.site]) for term, gradient in self.of_heads())
        return not any(bool(own[:sample].any() or own[sample + 1 :].any()) for own in every)

    def pass_by(self, term: Term, gradient: Tensor) -> None:
        """Go on with what a function of the logits was called with."""
        assert term.before is not None  # noqa: S101  # the caller has checked
        self.terms = [one for one in self.terms if one[0] is not term]
        self.total = _share(gradient, term.before) + sum(_share(own, one.values) for one, own in self.terms)
        self.before = term.function


def _summed(shares: _Shares, found: Found, sample: int, words: str, rounding: float) -> Attribution:
    """The shares of all terms, which must add up to the logit but for the rounding of a dtype."""
    attentions, heads = found.attentions, shares.of_heads()
    if not heads:
        raise _no_head(shares)
    values = torch.full((len(attentions), max(len(one.weights) for one in attentions)), nan, dtype=EXACT)
    sources: list[Tensor | None] = [None] * len(attentions)
    for term, gradient in heads:
        site = found.sites[term.site]
        own = (_by_head(gradient, site).to(EXACT) * _by_head(term.values, site).to(EXACT)).sum((0, 2, 3))
        values[term.site, : len(own)] = own.cpu()
        sources[term.site] = _by_source(_by_head(gradient, site)[sample], attentions[term.site], sample)
    others, size = _others(shares, [one.name for one in attentions])
    given = values.nan_to_num(0.0)
    terms, size = given.sum().item() + sum(others.values()), size + given.abs().sum().item()
    if not abs(terms - shares.total) <= size * rounding**0.5:
        raise InteropError(
            N_("the terms that were found add up to {found:.4g}, but the logit is {total:.4g}"),
            found=terms,
            total=shares.total,
        )
    return Attribution(
        tuple(one.name for one in attentions),
        values,
        f"direct: {words}" + (f" before {shares.before}" if shares.before else ""),
        {name: share for name, share in others.items() if abs(share) > _LEAST},
        shares.total,
        tuple(sources),
        tuple(sorted(shares.fixed)),
        shares.row,
    )


def _others(shares: _Shares, attentions: Sequence[str]) -> tuple[dict[str, float], float]:
    """The shares of all terms but heads by part of the module, and the sum of their absolute values."""
    others, biases, size = dict[str, float](), dict[str, bool](), 0.0
    for term, gradient in reversed(shares.terms):
        if term.site < 0:
            share, name = _share(gradient, term.values), _place_of(term, attentions)
            others[name] = others.get(name, 0.0) + share
            biases[name] = biases.get(name, True) and term.bias
            size += abs(share)
    return {
        f"{name} bias" if biases[name] and " " not in name else name: share for name, share in others.items()
    }, size


def _place_of(term: Term, attentions: Sequence[str]) -> str:
    """The outermost part of the module that a term is from and no attention, or else the part and the function."""
    words, plain = term.part.split("."), [f"{name.partition('#')[0]}." for name in attentions]
    for count in range(1, len(words) + 1):
        name = ".".join(words[:count])
        if term.part in ("", "inputs") or not any(own.startswith(f"{name}.") for own in plain):
            return name
    return f"{term.function} in {term.part}"


def _no_head(shares: _Shares) -> InteropError:
    """The error where no head reaches the output: it says by which operations they are stopped."""
    stops = dict.fromkeys(f"{term.function} in {term.part}" for term, _ in shares.terms if term.stops)
    if stops:
        sentence = N_(
            "no head reaches the output linearly: on the way from the heads is {stops}; part= takes the output of a "
            "part of the module before that"
        )
        return InteropError(sentence, stops=", ".join([*stops][:_MOST_NAMES]))
    names = dict.fromkeys(f"{term.function} in {term.part}" for term, _ in shares.terms if not term.bias)
    sentence = N_("no head reaches the output, which can be followed back to {names} and no further")
    return InteropError(sentence, names=", ".join([*names][:_MOST_NAMES]))


def _share(gradient: Tensor, values: Tensor) -> float:
    return (gradient.to(EXACT) * values.detach().to(EXACT)).sum().item()


def _by_head(tensor: Tensor, site: Site) -> Tensor:
    """Samples × heads × n_q × d_v of what has the form of the result that the site's outputs are a view of."""
    size, stride, offset = site.view
    whole = torch.empty_strided(*site.result, dtype=tensor.dtype, device=tensor.device).copy_(tensor)
    samples, heads, *matrix = site.matrices
    first, second = (heads, samples) if site.split.heads_first else (samples, heads)
    own = whole.as_strided(size, stride, offset).reshape(first, second, *matrix)
    return own.transpose(0, 1) if site.split.heads_first else own


def _by_source(gradient: Tensor, attention: Captured, sample: int) -> Tensor | None:
    """Heads × n_k: Σ_i weights_ij · (V_j · gradient_i), or None if this sample was not kept."""
    one = attention if attention.sample == sample else attention.batch.get(sample)
    if one is None:
        return None
    v = one.v.repeat_interleave(len(one.weights) // len(one.v), 0).to(EXACT)
    along = gradient.cpu().to(EXACT) @ v.mT
    return (one.weights.to(EXACT) * along).sum(1)


def _direction(
    token: Any, against: Any, output: Tensor, part: str | None, vocabulary: Vocabulary | None
) -> tuple[Tensor, str]:
    """How much of each column of the output is meant, and in words."""
    count, kind = output.shape[-1], "logit" if part is None else "column"
    direction = torch.zeros(count, dtype=EXACT, device=output.device)
    if isinstance(token, Tensor) and token.is_floating_point():
        if token.shape != (count,) or not token.isfinite().all():
            sentence = N_("expected a vector of {count} finite numbers, one for each column, got {got}")
            raise InteropError(sentence, place="token", count=count, got=shown_shape(token))
        return direction + token.detach().to(direction), f"{part or 'output'} · direction"
    names = []
    for given, sign, place in ((token, 1, "token"), (against, -1, "against")):
        if given is not None:
            own = given.item() if isinstance(given, Tensor) and given.numel() == 1 else given
            if isinstance(own, str):
                own = id_of(own, vocabulary, count, place)
            if isinstance(own, int) and own < 0:
                raise InteropError(_TOKENS, place=place, last=count - 1, got=own)
            number = counted(own, count, _TOKENS, place)
            direction[number] += sign
            names.append(f"{kind} {number}")
    return direction, " − ".join(names) + ("" if part is None else f" of {part}")


def _flat(output: Tensor) -> Tensor:
    """The output as rows."""
    return output.reshape(-1, output.shape[-1])


def _places(
    output: Tensor, attentions: Sequence[Captured], sample: int, row: int | None
) -> Iterator[tuple[int, int]]:
    """The rows of the output that may be at a position of a sample, and the position: its first axis is samples, or its
    second one.
    """
    samples, lead = attentions[0].samples, output.shape[:-1]
    every = lead.numel()
    if len(lead) > 2 or every % samples or (len(lead) == 2 and samples not in lead):
        raise InteropError(N_("expected an output of samples × positions × logits"))
    n = every // samples
    real = real_tokens(attentions, samples, n)
    last = n - 1 if real is None else int(real[sample].nonzero()[-1])
    position = last if row is None else counted(row, n, _ROWS, "row")
    if lead[0] == samples or len(lead) == 1:
        yield sample * n + position, position
    if len(lead) == 2 and lead[1] == samples:
        yield position * samples + sample, position
