"""What a step does and why, in one sentence each: read off its operation and its operands.

A step whose name is known is described in terms of attention (queries ask, keys answer), any other by its operation, so
that a new step has sentences before anybody writes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mha_core.compute.graph import divisor_text, symbol
from mha_core.compute.metrics import ways_to_look
from mha_core.compute.operations import Step
from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import (
    NEG_INF,
    AddMask,
    Example,
    Head,
    allow_matrix,
    band_of,
    divisor,
    has_own_masks,
    has_values,
    kv_head_of,
    mask_fill,
    mask_of,
    mask_sentences,
    masks_of,
)
from mha_core.messages import catalogue
from mha_core.numbers import typeset
from mha_core.vocabulary import STARTS, TITLES
from mha_core.walk.wording import ANY, WORDING, Wording


@dataclass(frozen=True)
class Sentence:
    """A sentence as a template in English and the values of its ``{fields}``."""

    template: str
    values: dict[str, object] = field(default_factory=dict)

    def translated(self, language: str) -> str:
        """The sentence in one language."""
        template = catalogue(language).gettext(self.template) if self.template else ""
        return template.format(**self.values)


class Words(NamedTuple):
    """A stage's title, what happens in it, why, and a note for the presenter."""

    title: Sentence
    what: Sentence
    why: Sentence
    note: Sentence


_HALVES = {
    "q_rotated": N_(
        "Each query is rotated by the angles of its position. Each number in its first half "
        "is paired with the number at the same place in its second half."
    ),
    "k_rotated": N_(
        "Each key is rotated by the angles of its own position, with its halves paired in the same way."
    ),
}
"""The sentences for rotary positions that pair the halves."""

SQRT = N_("Each score is divided by √d_k = √{d_k} ≈ {divisor}.")
NUMBER = N_("Each score is divided by {divisor}.")
WHY_NUMBER = N_("The divisor sets how sharply softmax chooses between the keys.")


def of_step(step: Step, example: Example, width: int) -> Words:
    """The words for a step; ``width`` is the number of columns of its result."""
    title, wording = Sentence(TITLES[step.name]), WORDING.get(step.name)
    if wording and wording.what and (step.op != "matmul" or _is_plain_product(step)):
        return Words(title, *_of_name(step, wording, example, width))
    match step.op:
        case "divide":
            what, why, note = _of_divide(example)
        case "masked_fill":
            what, why, note = _of_masked_fill(example)
        case "add":
            what = Sentence(N_("The mask's number is added to each score."))
            why = Sentence(N_("A negative number reduces the weight of a pair; −∞ removes it entirely."))
            note = Sentence(N_("Ask: what would change if the same number were added to a whole row?"))
        case "softmax":
            what = Sentence(
                N_(
                    "In each row, e ≈ 2.718 is raised to the power of each score, and each result is divided by "
                    "the sum of its row."
                )
            )
            if len(step.operands) > 1:
                what, why = Sentence(_WITH_SINK), Sentence(_SHARED_WITH_SINK)
            else:
                why = Sentence(_SHARED_BY_SOME if has_fully_masked_rows(example) else _SHARED)
            note = Sentence(N_("Ask: what if all scores in a row were equal? What if one were larger by 10?"))
        case "concat":
            what, why, note = _of_concat(example)
        case _:
            what, why, note = _of_any(step, example)
    return Words(title, what, why, note)


_SHARED = N_(
    "No weight is negative, and each row sums to 1: each query divides its attention among the keys."
)
_WITH_SINK = N_(
    "In each row, e ≈ 2.718 is raised to the power of each score, and each result is divided by the sum of its "
    "row. The sink s₀ is one more score in every sum."
)
_SHARED_WITH_SINK = N_(
    "No weight is negative, and each row sums to less than 1: the sink takes the rest. So a query can attend to "
    "few keys or to almost none."
)
_SHARED_BY_SOME = N_(
    "No weight is negative, and each row sums to 1, except that a query that is not "
    "allowed to attend to any key gets weights of 0."
)


def has_fully_masked_rows(example: Example) -> bool:
    """Whether the mask hides every key from some query."""
    if mask_fill(example) != NEG_INF:
        return False
    for head, given in enumerate(example.heads):
        mask, allowed = mask_of(example, head), allow_matrix(example, head)
        rows = (
            [[cell > NEG_INF for cell in row] for row in mask.add] if isinstance(mask, AddMask) else allowed
        )
        if given.weights is None and rows is not None and not all(map(any, rows)):
            return True
    return False


def _is_plain_product(step: Step) -> bool:
    """Whether a product is one of rows with columns, or with rows, as its sentences describe it."""
    left, right = step.operands[:2]
    return left.index == "ik" and right.index in ("kj", "jk")


def _of_name(
    step: Step, wording: Wording, example: Example, width: int
) -> tuple[Sentence, Sentence, Sentence]:
    what, why = wording.what, wording.why
    if example.positions is not None and example.positions.pairs == "half":
        what = _HALVES.get(step.name, what)
    if step.name == "scores" and example.scoring == "cosine":
        why = N_("Both rows have length 1, so the score is the cosine of the angle between them.")
    left, right, *_ = [symbol(name, example) for name in step.operand_names] * 2
    values = {"rows": left, "weights": right, "keys": right, "width": width}
    return Sentence(what, values), Sentence(why), Sentence(wording.note)


def _of_divide(example: Example) -> tuple[Sentence, Sentence, Sentence]:
    by = divisor(example) or 1.0
    if isinstance(example.scale, str):
        what = Sentence(SQRT, {"d_k": example.dims.d_k, "divisor": f"{by:.5g}"})
        why = Sentence(
            N_(
                "Q and K have d_k columns. A score is a sum of d_k products, so its spread grows with d_k, "
                "roughly as √d_k. "
                "Dividing by √d_k keeps softmax from favoring a single key just because d_k is large."
            )
        )
    else:
        what = Sentence(NUMBER, {"divisor": divisor_text(example)})
        why = Sentence(WHY_NUMBER)
    return what, why, Sentence(N_("Ask: what would the weights look like without this step?"))


def _of_masked_fill(example: Example) -> tuple[Sentence, Sentence, Sentence]:
    fill = mask_fill(example)
    shown = typeset(f"{fill:g}")
    what = Sentence(N_("Each masked pair gets {fill}. All other scores stay the same."), {"fill": shown})
    band, said = band_of(example.mask), mask_sentences(example)
    if not has_own_masks(example) and band is not None and band.window is not None:
        what = Sentence(*said.pop(0))
    if fill != NEG_INF:
        why = Sentence(
            N_("A masked key gets almost no weight, as long as {fill} is far below the other scores.")
        )
        why = Sentence(why.template, {"fill": shown})
    elif said:
        why = Sentence(*said[0])
    elif example.mask == "causal" and not has_own_masks(example):
        why = Sentence(
            N_("No token is allowed to look at later tokens: e^−∞ is 0, so such a pair gets no weight.")
        )
    else:
        why = Sentence(N_("e^−∞ is 0, so a masked key gets no weight. The other keys share all of it."))
    return (
        what,
        why,
        Sentence(N_("Ask: why mask before softmax? Why not just set the weights to 0 afterwards?")),
    )


def _of_concat(example: Example) -> tuple[Sentence, Sentence, Sentence]:
    h = len(example.heads)
    note = Sentence(N_("Ask: which columns came from which head? How wide would it be with one more head?"))
    if h == 1:
        what = Sentence(N_("There is only one head, so its output is all of Concat."))
        return what, Sentence(N_("With more heads, each would have its own columns here.")), note
    what = Sentence(N_("The outputs of the {h} heads are placed side by side, head 1 first."), {"h": h})
    return what, Sentence(_APART if example.w_o is not None else _APART_AT_LAST), note


_APART = N_("Nothing is lost and nothing is mixed: each head keeps its own columns.")
_APART_AT_LAST = N_(
    "Nothing is lost and nothing is mixed: each head keeps its own columns. In a full layer, W_O comes next "
    "and mixes the heads."
)


def _of_any(step: Step, example: Example) -> tuple[Sentence, Sentence, Sentence]:
    """An operation that has no sentences of its own."""
    names = ", ".join(symbol(name, example) for name in step.operand_names)
    what = Sentence(ANY.what, {"symbol": symbol(step.name, example), "operands": names})
    return what, Sentence(ANY.why), Sentence(ANY.note)


_REACH = {
    "all": N_("Attention lets each token look at every token and take what it needs."),
    "causal": N_(
        "Attention lets each token look at itself and the tokens before it, and take what it needs."
    ),
    "mask": N_("Attention lets each token look at the tokens the mask allows, and take what it needs."),
}


def of_tokens(example: Example) -> Words:
    """The words for the tokens, before anything is a number."""
    dims = example.dims
    if example.context is None:
        what = Sentence(N_("Here {n:is|are} {n} {n:token|tokens}."), {"n": dims.n_q})
        band = None if has_own_masks(example) else band_of(example.mask)
        is_causal = band is not None and band.causal and band.window is None
        why = Sentence(_REACH["causal" if is_causal else "mask" if masks_of(example) else "all"])
    else:
        what = Sentence(N_("{n_q} tokens send queries to the {n_k} tokens of another text, the context."))
        what = Sentence(what.template, {"n_q": dims.n_q, "n_k": dims.n_k})
        why = Sentence(N_("This lets one text take what it needs from another, as in translation."))
    return Words(
        Sentence(N_("Tokens")),
        what,
        why,
        Sentence(N_("Ask: which token can you only understand with the help of another one?")),
    )


def of_inputs(example: Example) -> Words:
    """The words for X and the context."""
    dims = example.dims
    if example.context is None:
        what = Sentence(
            N_("Each token is a row of X: {d_model} {d_model:number|numbers}."), {"d_model": dims.d_model}
        )
    elif example.x is None:
        what = Sentence(N_("Each context token is a row of C: {d_context} {d_context:number|numbers}."))
        what = Sentence(what.template, {"d_context": dims.d_context})
    else:
        what = Sentence(
            N_(
                "Each token is a row of X ({d_model} {d_model:number|numbers}). Each context token is a row of C "
                "({d_context} {d_context:number|numbers})."
            )
        )
        what = Sentence(what.template, {"d_model": dims.d_model, "d_context": dims.d_context})
    return Words(
        Sentence(N_("Input")),
        what,
        Sentence(
            N_(
                "A row of numbers is all the layer knows about a token. A trained model has learned its rows; "
                "those of a teaching example are chosen by hand."
            )
        ),
        Sentence(N_("Ask: what in this row tells the layer the token's position in the sentence?")),
    )


def of_given(example: Example, head: int) -> Words:
    """The words for what a head starts from."""
    names = ", ".join(symbol(name, example) for name in given_in(example.heads[head]))
    what = Sentence(
        N_("The example gives {names} of head {head} directly."), {"names": names, "head": head + 1}
    )
    return Words(
        Sentence(N_("Where head {head} starts"), {"head": head + 1}),
        what,
        Sentence(N_("The steps that follow are the same, wherever these numbers come from.")),
        Sentence(N_("Ask: which steps did we skip, and what would they have needed?")),
    )


def given_in(head: Head) -> tuple[str, ...]:
    """The matrices that a head starts from, by name."""
    return tuple(name for name in STARTS if getattr(head, name) is not None)


def of_head(example: Example, head: int) -> Words:
    """The words for a further head, in short."""
    values: dict[str, object] = {"head": head + 1}
    given = given_in(example.heads[head])
    first = kv_head_of(example, "k", head)
    if given:
        what = N_("Head {head} starts from its {names}; from there on its steps are the same.")
        values["names"] = ", ".join(symbol(name, example).replace("_i", f"_{head + 1}") for name in given)
    elif first != head:
        what = N_("Head {head} has its own queries and shares the keys and values of head {first}.")
        values["first"] = first + 1
    else:
        what = N_("Head {head} takes exactly the same steps with its own matrices.")
    return Words(
        Sentence(N_("Head {head}"), values),
        Sentence(what, values),
        Sentence(
            N_(
                "With different matrices, each head compares tokens in its own way, so it may attend to "
                "different tokens."
            )
        ),
        Sentence(N_("Ask: compare its weights with those of head 1. Which tokens look elsewhere now?")),
    )


def of_closing(trace: Trace) -> Words:
    """The words for the end: what came out, and in how many ways the heads look."""
    h, ways = len(trace.example.heads), ways_to_look(trace)
    if h == 1:
        why = Sentence(
            N_(
                "A head has one row of weights for each token, so it looks at the tokens in one way. More heads "
                "could look in more ways."
            )
        )
    elif ways == 1:
        why = Sentence(N_("Here the {h} heads look at the same tokens in nearly the same way."), {"h": h})
    else:
        why = Sentence(
            N_(
                "A head has one row of weights for each token, so it looks at the tokens in one way. These "
                "{h} heads look in {ways} different ways."
            ),
            {"h": h, "ways": ways},
        )
    if has_values(trace.example):
        what = Sentence(
            N_(
                "Each token has a new row, made from what it attended to. The table shows what each token "
                "attended to most."
            )
        )
    else:
        what = Sentence(
            N_(
                "This example stops at the attention weights. The table shows the token each query attends to most."
            )
        )
    return Words(
        Sentence(N_("The result")),
        what,
        why,
        Sentence(N_("Ask: if you could keep only one head, which would it be, and what would be lost?")),
    )
