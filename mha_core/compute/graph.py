"""The declared computation: which steps an example has, what each does, and to which operands.

This is the one declaration that tracing, deriving, checking and drawing read. A step names its operation and its
operands; an operand names a matrix and how its rows and columns run with the result's, in the
letters of the result's cell ``i, j`` and of the summed index ``k``, as in einsum:

    q       = matmul(x "ik", w_q "kj", b_q "j")      Q[i,j] = Σ_k X[i,k]·W_Q[k,j] + b_Q[j]
    scores  = matmul(q "ik", k "jk")                 S[i,j] = Σ_k Q[i,k]·K[j,k]
    weights = softmax(scores "ik")                   A[i,j] = e^S[i,j] / Σ_k e^S[i,k]
    weights = softmax(scores "ik", sink "")          A[i,j] = e^S[i,j] / (Σ_k e^S[i,k] + e^s_0)
    scaled  = divide(scores "ij", divisor "")        S[i,j] ÷ √d_k
    concat  = concat(head_outputs "ik" of every g)   Concat[i, g·d_v + k] = head_g[i,k]

A matrix of one row or one column (``vocabulary.AXES`` says "1") has no letter for it. Two letters in parentheses run
one inside the other along one axis, as in einops: rows "(ij)" are pairs of a query i and a key j, columns "(mr)" the
two columns r of pair m, neighbours, columns "(rm)" the same where all first columns precede all second ones, columns
"(gk)" the columns k of every head g. Most results are "ij"; a step whose result runs differently says so:

    q_rotated "i(mr)"  = rotate(q "i(mk)", angles "im")     q_rotated "i(rm)" = rotate(q "i(km)", angles "im")
    pair_sums "(ij)c"  = add(q_a "ic", k_a "jc")     Z[(i,j),c] = Q_a[i,c] + K_a[j,c]
    scores             = matmul(pair_tanh "(ij)k", v_a "k")

So the cells that a cell is computed from, the cells that it feeds and its formula all follow from here.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Literal

from mha_core.compute.operation import Operand, axes
from mha_core.compute.operations import OPERATIONS, Product, Step, broadcasts_pairs
from mha_core.example.model import (
    Example,
    Head,
    Scoring,
    adds_numbers,
    has_values,
    keys_are_queries,
    mask_fill,
    mask_matrix,
    masks_of,
    uses_shared_kv,
)
from mha_core.vocabulary import ENTRY, PER_HEAD_STEPS, SETTINGS


def graph(example: Example) -> tuple[Step, ...]:
    """The layer's steps in order: what comes before the heads, each step that at least one head computes, the rest."""
    steps: dict[str, Step] = {}
    for head in example.heads:
        for step in head_graph(example, head):
            steps.setdefault(step.name, step)
    ordered = [steps[name] for name in PER_HEAD_STEPS if name in steps]
    return (*early_steps(example), *ordered, *late_steps(example))


def last_step(example: Example) -> str:
    """The step that the layer ends with: the output, Concat without W_O, and without V the weights of each head."""
    late = late_steps(example)
    return late[-1].name if late else "weights"


def late_steps(example: Example) -> tuple[Step, ...]:
    """The whole layer's steps after the heads; none where the heads end at their weights."""
    return _late_steps(has_values(example), example.w_o is not None, example.b_o is not None)


def early_steps(example: Example) -> tuple[Step, ...]:
    """The whole layer's steps before the heads: what positions make of X, or the angles that heads turn by."""
    if example.positions is None or example.positions.kind == "alibi":
        return ()
    sinusoidal = example.positions.kind == "sinusoidal"
    for_keys = example.context is not None if sinusoidal else not keys_are_queries(example)
    return _early_steps(sinusoidal, for_keys)


def head_graph(example: Example, head: Head) -> tuple[Step, ...]:
    """The steps that this head computes, from where it starts to its head output, or to its weights without V.

    A head that shares keys and values reads those of its group's first head (``kv_head_of``).
    """
    return _head_steps(
        "x" if example.context is None else "context",
        (head.q is not None, head.k is not None, head.v is not None, head.weights is not None),
        (head.b_q is not None, head.b_k is not None, head.b_v is not None),
        (example.scale != "none", example.softcap is not None, head.sink is not None),
        _mask_step(example),
        example.scoring,
        None if example.positions is None else _positions(example),
        example.norm is not None,
        None if example.kv_heads in (None, len(example.heads)) else _role(head),
        has_values(example),
    )


def weight_graph(given: Collection[str], mask: Literal["masked_fill", "add"] | None) -> tuple[Step, ...]:
    """The steps to a head's weights where matrices of these names are given: scaled dot products, without positions."""
    return _head_steps(
        "context" if "context" in given else "x",
        ("q" in given, "k" in given, False, False),
        ("b_q" in given, "b_k" in given, False),
        (True, False, False),
        mask and (mask, "mask"),
        "dot",
        None,
        False,
        None,
        False,
    )


def _mask_step(example: Example) -> tuple[str, str] | None:
    """The operation of the masks and the name of their matrix, the same for all heads."""
    if not masks_of(example):
        return None
    return "add" if adds_numbers(example) else "masked_fill", mask_matrix(example)


def _positions(example: Example) -> tuple[str, str, str]:
    """The kind, the prefix of the names of the keys' position ids and angles, and which columns are pairs."""
    positions = example.positions
    assert positions is not None  # noqa: S101  # the caller has checked
    return positions.kind, "" if keys_are_queries(example) else "context_", positions.pairs


def _role(head: Head) -> Literal["first", "first with keys", "other"]:
    """The head's role in its group. The first computes keys for the others, even if it starts from its own weights."""
    if uses_shared_kv(head):
        return "other"
    return "first" if head.k is None and head.w_k is None else "first with keys"


@lru_cache(maxsize=256)
def _head_steps(
    source: str,
    given: tuple[bool, bool, bool, bool],
    biases: tuple[bool, bool, bool],
    scaled: tuple[bool, bool, bool],
    mask: tuple[str, str] | None,
    scoring: Scoring,
    positions: tuple[str, str, str] | None,
    normed: bool,
    group: Literal["first", "first with keys", "other"] | None,
    valued: bool,
) -> tuple[Step, ...]:
    """``given``: whether the head starts from its q, k, v, weights; ``biases``: whether it has b_q, b_k, b_v;
    ``scaled``: whether scores are divided, whether they are capped, and whether there is a sink; ``mask``: its
    operation and its matrix; ``normed``: whether Q and K are normalized; ``valued``: whether it has V, of its own or
    its group's.
    """
    kind, key_prefix, pairs = positions or (None, "", "")
    *starts, weights = given
    scored = not weights
    has = {
        "q": scored,
        "k": group == "first with keys" or (scored and group != "other"),
        "v": valued and group != "other",
    }
    rows = {"q": "x", "k": source, "v": source}
    if kind == "sinusoidal":
        rows = {name: f"{row}_positioned" for name, row in rows.items()}
    steps = [
        _projection(name, rows[name], bias)
        for name, start, bias in zip("qkv", starts, biases, strict=True)
        if has[name] and not start
    ]
    sides = {"q": "q", "k": "k"}
    if normed:
        steps += [step for name in "qk" if has[name] for step in _normed(name)]
        sides = {"q": "q_normed", "k": "k_normed"}
    if kind == "rotary":
        steps += [
            _rotation(name, sides[name], key_prefix if name == "k" else "", pairs)
            for name in "qk"
            if has[name]
        ]
        sides = {"q": "q_rotated", "k": "k_rotated"}
    if scoring == "cosine":
        steps += [step for name in "qk" if has[name] for step in _unit(name, sides[name])]
        sides = {"q": "q_unit", "k": "k_unit"}
    if scored:
        steps += _score_steps(scoring, sides["q"], sides["k"])
        steps += _weight_steps(scaled, mask, f"{key_prefix}position_ids" if kind == "alibi" else None)
    if valued:
        steps.append(Step("head_outputs", "matmul", (Operand("weights", "ik"), Operand("v", "kj"))))
    return tuple(steps)


def _projection(name: str, rows: str, biased: bool) -> Step:
    bias = (Operand(f"b_{name}", "j"),) if biased else ()
    return Step(name, "matmul", (Operand(rows, "ik"), Operand(f"w_{name}", "kj"), *bias))


def _normed(name: str) -> tuple[Step, Step]:
    """Rows ÷ their root mean squares, times gains."""
    return (
        Step(f"{name}_rms", "rms", (Operand(name, "ik"), Operand("eps", "")), index="i"),
        Step(
            f"{name}_normed",
            "gain",
            (Operand(name, "ij"), Operand(f"{name}_rms", "i"), Operand(f"g_{name}", "j")),
        ),
    )


def _rotation(name: str, rows: str, context: str, pairs: str) -> Step:
    index, result = {"interleaved": ("i(mk)", "i(mr)"), "half": ("i(km)", "i(rm)")}[pairs]
    return Step(
        f"{name}_rotated", "rotate", (Operand(rows, index), Operand(f"{context}angles", "im")), index=result
    )


def _unit(name: str, rows: str) -> tuple[Step, Step]:
    """Rows ÷ their lengths."""
    return (
        Step(f"{name}_norms", "norm", (Operand(rows, "ik"),), index="i"),
        Step(f"{name}_unit", "normalize", (Operand(rows, "ij"), Operand(f"{name}_norms", "i"))),
    )


def _score_steps(scoring: Scoring, q: str, k: str) -> tuple[Step, ...]:
    """From queries and keys to scores."""
    q_a = Step("q_a", "matmul", (Operand(q, "ik"), Operand("w_a", "kj")))
    if scoring == "additive":
        return (
            q_a,
            Step("k_a", "matmul", (Operand(k, "ik"), Operand("u_a", "kj"))),
            Step("pair_sums", "add", (Operand("q_a", "ic"), Operand("k_a", "jc")), index="(ij)c"),
            Step("pair_tanh", "tanh", (Operand("pair_sums", "ij"),)),
            Step("scores", "matmul", (Operand("pair_tanh", "(ij)k"), Operand("v_a", "k"))),
        )
    if scoring == "bilinear":
        return q_a, Step("scores", "matmul", (Operand("q_a", "ik"), Operand(k, "jk")))
    return (Step("scores", "matmul", (Operand(q, "ik"), Operand(k, "jk"))),)


def _weight_steps(
    scaled: tuple[bool, bool, bool], mask: tuple[str, str] | None, key_ids: str | None
) -> tuple[Step, ...]:
    """From scores to weights; ``key_ids``: the matrix of the keys' positions, for linear biases."""
    steps, last = [], "scores"
    is_divided, is_capped, has_sink = scaled
    if is_divided:
        steps.append(Step("scaled_scores", "divide", (Operand(last, "ij"), Operand("divisor", ""))))
        last = "scaled_scores"
    if is_capped:
        steps.append(Step("capped_scores", "softcap", (Operand(last, "ij"), Operand("softcap", ""))))
        last = "capped_scores"
    if key_ids:
        operands = (Operand("slope", ""), Operand("position_ids", "i"), Operand(key_ids, "j"))
        steps.append(Step("linear_biases", "linear_bias", operands))
        steps.append(Step("biased_scores", "add", (Operand(last, "ij"), Operand("linear_biases", "ij"))))
        last = "biased_scores"
    if mask:
        operation, name = mask
        fill = (Operand("fill", ""),) if operation == "masked_fill" else ()
        steps.append(Step("masked_scores", operation, (Operand(last, "ij"), Operand(name, "ij"), *fill)))
        last = "masked_scores"
    sink = (Operand("sink", ""),) if has_sink else ()
    steps.append(Step("weights", "softmax", (Operand(last, "ik"), *sink)))
    return tuple(steps)


@lru_cache(maxsize=8)
def _early_steps(sinusoidal: bool, for_keys: bool) -> tuple[Step, ...]:
    """``for_keys``: keys have positions of their own. Rotary keys turn with the queries' frequencies."""
    steps = []
    for context, rows in (("", "x"), ("context_", "context"))[: 1 + for_keys]:
        frequencies = f"{context}frequencies" if sinusoidal else "frequencies"
        operands = (Operand(f"{context}position_ids", "i"), Operand(frequencies, "j"))
        steps.append(Step(f"{context}angles", "multiply", operands, per_head=False))
        if sinusoidal:
            encoding = f"{context}positional_encoding"
            angles = (Operand(f"{context}angles", "im"),)
            steps.append(Step(encoding, "sinusoid", angles, per_head=False, index="i(mr)"))
            summands = (Operand(rows, "ij"), Operand(encoding, "ij"))
            steps.append(Step(f"{rows}_positioned", "add", summands, per_head=False))
    return tuple(steps)


@lru_cache(maxsize=8)
def _late_steps(valued: bool, w_o: bool, b_o: bool) -> tuple[Step, ...]:
    if not valued:
        return ()
    heads = Operand("head_outputs", "ik", head="g")
    concat = Step("concat", "concat", (heads,), per_head=False, index="i(gk)")
    if not w_o:
        return (concat,)
    bias = (Operand("b_o", "j"),) if b_o else ()
    output = Step("output", "matmul", (Operand("concat", "ik"), Operand("w_o", "kj"), *bias), per_head=False)
    return (concat, output)


def term_steps(example: Example) -> tuple[Step, ...]:
    """The output as the sum of what each head adds to it: O = Σ_i head_i·W_Oi + b_O.

    ``w_o_block`` is the rows of W_O that head i is multiplied with in Concat·W_O. Empty where there is no W_O.
    """
    if example.w_o is None:
        return ()
    bias = (Operand("b_o", "j"),) if example.b_o is not None else ()
    return (
        Step("head_terms", "matmul", (Operand("head_outputs", "ik"), Operand("w_o_block", "kj"))),
        Step("output", "sum", (Operand("head_terms", "ij", head="g"), *bias), per_head=False),
    )


def symbol(name: str, example: Example) -> str:
    """The letter of a matrix; scaled scores name this example's own divisor, such as ``S/8``."""
    sign = ENTRY[name].symbol
    if "{" not in sign:
        return sign
    settings = {
        "fill": f"{mask_fill(example):g}",
        "softcap": _plain(example.softcap or 0.0),
        "eps": _plain(example.norm.eps) if example.norm else "",
    }
    return sign.format(divisor=divisor_sign(example), **settings)


def divisor_sign(example: Example) -> str:
    """What scores are divided by, as a symbol: ``√d_k``, a short number in full, ``c`` for a number of many digits."""
    text = divisor_text(example)
    return text if len(text) <= 6 else "c"


def divisor_text(example: Example) -> str:
    """What scores are divided by: ``√d_k``, or the number with all its digits."""
    return "√d_k" if isinstance(example.scale, str) else _plain(example.scale)


def _plain(number: float) -> str:
    """A number with all its digits."""
    text = repr(float(number)).removesuffix(".0").replace("-", "−")
    return re.sub(r"(?<=e−)0+", "", text)


def formula(step: Step, example: Example) -> str:
    """The step's right-hand side in symbols, such as ``Q·Kᵀ`` or ``softmax(S/√d_k)``."""
    return written(step, example, *(_sign(step, operand, example) for operand in step.tables))


def _sign(step: Step, operand: Operand, example: Example) -> str:
    """An operand's letter in a formula: transposed, with its row where rows form pairs, or one letter for each head."""
    sign = symbol(operand.name, example)
    if operand.head:
        return OPERATIONS[step.op].joined.join(of_head(sign, head) for head in range(len(example.heads)))
    rows, _ = axes(operand.name, operand.index)
    if broadcasts_pairs(step):
        return f"{sign}[{rows}]"
    if isinstance(step.plan, Product) and operand in step.operands[:2]:
        return f"{sign}ᵀ" if step.plan.transposes(step.operands.index(operand)) else sign
    return f"{sign}ᵀ" if step.index == "ij" and rows == "j" else sign


def of_head(sign: str, head: int) -> str:
    """The letter with the number of a head: ``head_i·W_Oi`` of head 0 is ``head_1·W_O1``."""
    return re.sub(r"i\b", str(head + 1), sign)


def signs(step: Step, example: Example) -> tuple[str, ...]:
    """The signs before, between and after the tables in a step's formula, for pages that show tables instead of
    letters: ``("", "·", "+", "")`` of X·W_Q + b_Q, ``("softmax", "")``, ``("", "÷ √d_k")``.
    """
    gap = "\0"
    return tuple(part.strip(" ()") for part in written(step, example, *(gap for _ in step.tables)).split(gap))


def written(step: Step, example: Example, *signs: str) -> str:
    """The step's right-hand side with these signs for its tables, factors in the given order."""
    settings = [symbol(operand.name, example) for operand in step.operands if operand.name in SETTINGS]
    text = OPERATIONS[step.op].written((*signs, *settings))
    return text + (f", c = {divisor_text(example)}" if "c" in settings else "")
