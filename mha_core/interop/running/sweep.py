"""Every head of a model changed in turn, and how much that changes the output: a map of attentions × heads.

swept = sweep(model, ids)                                             # the largest change of an output without the head
swept = sweep(model, ids, lambda out: out.logits[0, -1, 42])          # the change of one logit
swept = sweep(model, ids, logit, by="mean")                           # the head's mean in place of its outputs
swept = sweep(model, clean, logit, patch_from=corrupt)                # the head's outputs of another run
swept.values                                                          # attentions × heads
swept.most(5)                                                         # the heads that matter most
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any, Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor, nn

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import EXACT, shown_shape
from mha_core.interop.running.capture import arguments
from mha_core.interop.running.changed import difference, largest, output_of, without_padding
from mha_core.interop.running.edits import OFF, By, Edit, Part, rows_of, whole_rows
from mha_core.interop.running.found import Asked, Found
from mha_core.interop.running.intervene import changed_run, first_run, parts_of, with_outputs
from mha_core.interop.running.padding import mean_of_tokens, real_queries
from mha_core.interop.running.progress import counted_out
from mha_core.interop.running.subject import Subject
from mha_core.notebook import HeadsPage


class HeadChange(NamedTuple):
    """A head, by its attention's index and name, and the change when it is changed."""

    attention: int
    name: str
    head: int
    change: float


How: TypeAlias = Literal["zero", "mean", "reference", "patch_from"]


class Treatment(NamedTuple):
    """What a sweep did to each head in turn, and how its numbers are to be read.

    how      "zero": its outputs were set to 0; "mean": to their mean over the sample's real tokens; "reference": to
             their mean over the samples of other inputs; "patch_from": its ``part`` to that of the run on other inputs
    clean    which inputs are the clean ones: the values are 0 for the corrupt run and 1 for the clean one; None: the
             values are changes
    rows     the queries that were changed; None for all
    """

    how: How
    part: Part = "outputs"
    clean: str | None = None
    rows: tuple[int, ...] | None = None

    def __str__(self) -> str:
        """A short text, such as "weights from patch_from, rows -1"."""
        what = {"zero": "off", "mean": "at their mean", "reference": "at the mean of reference"}
        rows = f"rows {', '.join(map(str, self.rows))}" if self.rows else ""
        clean = f"1 = as with {self.clean}, 0 = as with the other inputs" if self.clean else ""
        return ", ".join(filter(None, (what.get(self.how, f"{self.part} from patch_from"), rows, clean)))


@dataclass(frozen=True, eq=False)
class Sweep(HeadsPage):
    """How much the output changes with each head.

    names    the attentions, in the order of computation
    values   attentions × heads, float64: the change if only this head is changed; NaN where an attention has no such
             head, or where the change is NaN
    measure  what was measured: the function's name, or of a lambda its expression; "" if ``measure`` was None
    treatment  what was done to each head; None if nothing was
    """

    names: tuple[str, ...]
    values: Tensor
    measure: str = ""
    treatment: Treatment | None = field(default=None, kw_only=True)

    def most(self, count: int = 5) -> tuple[HeadChange, ...]:
        """The heads with the largest absolute change, the largest first.

        swept.most(1)  # (HeadChange(attention=3, name='h.3.attn', head=5, change=-2.41),)
        """
        if count < 0:
            raise InteropError(N_("expected 0 or more, got {got}"), place="most", got=count)
        order = self.values.flatten().abs().nan_to_num(-1.0).argsort(descending=True, stable=True)
        heads = self.values.shape[1]
        places = [(place // heads, place % heads) for place in order.tolist()]
        known = [(index, head) for index, head in places if not self.values[index, head].isnan()]
        return tuple(
            HeadChange(index, self.names[index], head, self.values[index, head].item())
            for index, head in known[:count]
        )

    def __repr__(self) -> str:
        done = f" {self.treatment}" if self.treatment else ""
        return f"{shown_shape(self.values)} heads{done}; largest: " + ", ".join(
            f"{one.name} head {one.head} ({one.change:.3g})" for one in self.most(3)
        )


def sweep(
    module: nn.Module,
    inputs: Any,
    measure: Callable[[Any], Any] | None = None,
    *,
    by: By = "zero",
    reference: Any = None,
    patch_from: Any = None,
    part: Part = "outputs",
    clean: Literal["inputs", "patch_from"] | None = None,
    rows: int | Sequence[int] | None = None,
    keywords: Mapping[str, Any] | None = None,
    batch: int | None = None,
    real: Any = None,
    context_real: Any = None,
) -> Sweep:
    """Change each head of each attention in turn, and return the change of the output, attentions × heads.

        values[l, h] = measure(output with head h of attention l changed) − measure(output)

    ``measure``: a function of what the module returns, whose result is one number; the change has its sign. None: the
    largest absolute difference max |changed output − output| of the logits, or of the first tensor that the module
    returns, without padding. ``inputs``, ``keywords``, ``batch``, ``real`` and ``context_real``: as for ``capture``.
    O_h are a head's outputs, n_q × d_v, before concatenation and W_O; they are changed to

        by="zero"                       O_h = 0                     the head is switched off (Michel et al. 2019)
        by="mean"                       O_h[i] = mean_j O_h[j]      the mean over the sample's real tokens j
        by="mean", reference=others     O_h[i] = mean_s O_h⁽ˢ⁾[i]   the mean over the samples s of other inputs
        patch_from=others               O_h = O_h of the run on other inputs (activation patching: Wang et al. 2022)
        patch_from=others, part="weights"       O_h = A_h of the run on other inputs · V_h of this run

    ``reference`` and ``patch_from`` have the same form as ``inputs``, and run with the same ``keywords``. They need as
    many tokens, ``patch_from`` as many samples too; in both, padding counts as tokens. To patch in the other
    direction, exchange ``inputs`` and ``patch_from``. ``clean`` says which of the two is
    the clean one, and normalizes the values:

        values[l, h] = (measure(changed output) − measure(corrupt)) ÷ (measure(clean) − measure(corrupt))

    so that 0 is the corrupt run and 1 the clean one. With ``rows`` only these queries of a head are changed, counted
    from 0, or from the end if below 0. The attentions are found once; then the module runs once per head, so a model of
    12 layers of 12 heads runs 145 times, and two or three times more for means and patches.

        swept = sweep(model, ids, lambda out: out.logits[0, -1, 42])
        swept.values[3, 5]  # how much the logit of token 42 changes without head 5 of attention 3
        sweep(model, corrupt, logit, patch_from=clean, clean="patch_from")  # 1: this head alone restores the logit

    Raises ``InteropError`` as ``capture`` does, if ``measure`` fails or does not return one number, for options that do
    not go together, if other inputs give other attentions or other shapes, and if normalizing would divide by 0.
    """
    _check_options(measure, by, reference, patch_from, part, clean)
    asked = Asked(batch=batch).with_real(real, context_real)
    subject = Subject(*arguments(module, inputs, keywords, batch))
    with torch.no_grad():
        found = first_run(subject, asked)
        other = None
        if patch_from is not None or reference is not None:
            given = reference if patch_from is None else patch_from
            others = Subject(*arguments(module, given, keywords, batch))
            other = first_run(others, Asked(batch=batch))
            values: list[Tensor] = parts_of(others, other, part)
            if reference is not None:
                values = [outputs.mean(0, keepdim=True) for outputs in values]
            _require_shapes(found, values, part, "reference" if patch_from is None else "patch_from")
        elif by == "mean":
            values = [
                mean_of_tokens(outputs, _of_heads(real_queries(one, found.attentions)))
                for one, outputs in zip(found.attentions, parts_of(subject, found, part), strict=True)
            ]
        else:
            values = [OFF.expand(1, len(one.weights), 1, 1) for one in found.attentions]
        change = _change_by(measure, found, other, clean)
        heads = [len(one.weights) for one in found.attentions]
        changes = torch.full((len(heads), max(heads)), nan, dtype=EXACT)
        runs = [(index, head) for index, count in enumerate(heads) for head in range(count)]
        for index, head in counted_out(runs, "sweep"):
            positions = rows_of(rows, found.attentions[index])
            own = values[index][:, head]
            if positions is not None and own.shape[1] > 1:
                own = own[:, list(positions)]
            edit = [Edit(head, part, own, positions)]
            if part == "outputs":
                after = with_outputs(subject, found.sites[index], edit)
            else:
                after = changed_run(subject, found.sites, {index: edit})
            changes[index, head] = change(after)
    how: How = "patch_from" if patch_from is not None else "reference" if reference is not None else by
    chosen = None if rows is None else whole_rows(rows, "rows")
    names = tuple(one.name for one in found.attentions)
    return Sweep(names, changes, _words_of(measure), treatment=Treatment(how, part, clean, chosen))


def _of_heads(real: Tensor | None) -> Tensor | None:
    """Samples × 1 × tokens: the same for all heads."""
    return None if real is None else real[:, None]


def _check_options(
    measure: Callable[[Any], Any] | None,
    by: str,
    reference: Any,
    patch_from: Any,
    part: str,
    clean: str | None,
) -> None:
    """Raise ``InteropError`` for an option that does not exist, or that needs another one."""
    if measure is not None and not callable(measure):
        raise InteropError(
            N_("expected a function of the module's output, got {got}"),
            place="measure",
            got=repr(measure)[:80],
        )
    for place, given, known in (
        ("by", by, ("zero", "mean")),
        ("part", part, ("outputs", "weights")),
        ("clean", clean, (None, "inputs", "patch_from")),
    ):
        if given not in known:
            names = ", ".join(name for name in known if name)
            raise InteropError(
                N_("expected one of {names}, got {got}"), place=place, names=names, got=repr(given)
            )
    if patch_from is not None and (by != "zero" or reference is not None):
        raise InteropError(
            N_("give either a mean or another run to patch from, not both"), place="patch_from"
        )
    if reference is not None and by != "mean":
        raise InteropError(N_('goes with by="mean"'), place="reference")
    if patch_from is None and (part != "outputs" or clean is not None):
        raise InteropError(N_("goes with patch_from="), place="clean" if part == "outputs" else "part")
    if clean is not None and measure is None:
        raise InteropError(N_("normalized values need a measure"), place="clean")


def _require_shapes(found: Found, values: Sequence[Tensor], part: Part, place: str) -> None:
    """Raise ``InteropError`` unless the values of another run fit the attentions of this one."""
    if len(values) != len(found.attentions):
        raise InteropError(
            N_("these inputs give {got} attentions, but the others give {count}"),
            place=place,
            got=len(values),
            count=len(found.attentions),
        )
    for one, other in zip(found.attentions, values, strict=True):
        own = one.outputs if part == "outputs" else one.weights
        samples = one.samples if place == "patch_from" else 1
        if tuple(other.shape) != (samples, *own.shape):
            raise InteropError(
                N_(
                    "expected {part} of {expected} (samples × heads × tokens × columns) in {name}, got {got}; give "
                    "inputs with as many tokens and samples"
                ),
                place=place,
                part=part,
                name=one.name,
                expected=" × ".join(map(str, (samples, *own.shape))),
                got=shown_shape(other),
            )


def _change_by(
    measure: Callable[[Any], Any] | None, found: Found, other: Found | None, clean: str | None
) -> Callable[[Any], float]:
    """A function of the changed output: how much the measure changed, or where it is between two runs."""
    if measure is None:
        before = output_of(found.output)
        return lambda after: largest(without_padding(difference(before, output_of(after)), found.attentions))
    number = _number(measure, found.output)
    if number != number:
        raise InteropError(N_("it is NaN before anything is changed"), place="measure")
    if clean is None or other is None:
        return lambda after: _number(measure, after) - number
    others = _number(measure, other.output)
    zero, one = (others, number) if clean == "inputs" else (number, others)
    if one == zero:
        raise InteropError(
            N_("the measure is {number:g} in both runs, so values cannot be normalized"),
            place="clean",
            number=one,
        )
    return lambda after: (_number(measure, after) - zero) / (one - zero)


def _words_of(measure: Callable[[Any], Any] | None) -> str:
    """The name of a function, or the expression of a lambda if its file or cell has one such on that line."""
    name = getattr(measure, "__name__", "" if measure is None else type(measure).__name__)
    code = getattr(measure, "__code__", None)
    if name != "<lambda>" or code is None:
        return name
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError):
        return name
    positions = [place for place in code.co_positions() if None not in place and place[2] != place[3]]
    places = [((first, begin), (last, end)) for first, last, begin, end in positions]
    there = [
        one.body
        for one in ast.walk(tree)
        if isinstance(one, ast.Lambda) and one.lineno == code.co_firstlineno and _holds(one.body, places)
    ]
    is_known = len(there) == 1 or (there and places)
    return ast.unparse(there[-1]) if is_known else name  # the last one is the innermost


def _holds(body: ast.expr, places: Sequence[tuple[Any, Any]]) -> bool:
    """Whether code from each of these places, a line and column, to another, is that of this expression."""
    begin, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    return all(begin <= first and last <= end for first, last in places)


def _number(measure: Callable[[Any], Any], output: Any) -> float:
    """The measure of an output. Raises ``InteropError`` if it fails, or is not one number."""
    try:
        measured = measure(output)
    except Exception as error:
        raise InteropError(
            N_("the function failed: {error}"), place="measure", error=f"{type(error).__name__}: {error}"
        ) from error
    if isinstance(measured, Tensor) and measured.numel() == 1:
        return float(measured)
    if isinstance(measured, int | float):
        return float(measured)
    got = shown_shape(measured) if isinstance(measured, Tensor) else type(measured).__name__
    raise InteropError(N_("expected one number, got {got}"), place="measure", got=got)
