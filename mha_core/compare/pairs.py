"""Mistakes in published explanations of attention, as built-in pairs of a right trace and a mistaken one.

Each pair is plain data: a built-in example, a mistake of ``catalogue.CATALOGUE`` with its step, and a text that says
what goes wrong and how to notice it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from mha_core.compare.replay import replay
from mha_core.compute.device import Backend
from mha_core.compute.trace import Trace, trace
from mha_core.errors import N_, CellError
from mha_core.example.claims_file import MAX_PRINTED
from mha_core.example.library import built_in
from mha_core.example.model import Example
from mha_core.example.validate import validate
from mha_core.quoted import quoted


@dataclass(frozen=True, slots=True)
class Pair:
    """A mistake at a step of a built-in example; ``title``, ``sentence`` and ``tokens`` by language.

    ``tokens``: the example's, for readers of another language than they are in.
    """

    id: str
    title: Mapping[str, str]
    example: str
    step: str
    mistake: str
    sentence: Mapping[str, str]
    tokens: Mapping[str, tuple[str, ...]]


PAIRS: Final = (
    Pair(
        "scores-times-v",
        {"en": "Scores as Q·Kᵀ·V", "zh": "把注意力分数写成 Q·Kᵀ·V"},
        "three-values",
        "scores",
        "scores_times_v",
        {
            "en": "V is multiplied in before softmax, and again after it. The weights then depend on W_V, which they "
            "should not. To spot it, compare shapes: they fit here only because V happens to have as many columns "
            "as there are keys.",
            "zh": "softmax 之前乘了一次 V，之后又乘一次。这样一来，注意力权重就会随 W_V 改变，而它本不该如此。"
            "核对形状一般就能发现这个错误；这里形状对得上，只是因为 V 的列数恰好等于键的个数。",
        },
        {"en": ("raining", "take", "umbrella")},
    ),
    Pair(
        "not-scaled",
        {"en": "Softmax without scaling", "zh": "没有缩放就做 softmax"},
        "scaled",
        "scaled_scores",
        "not_scaled",
        {
            "en": "The scores 12, 0 and 4 are not divided by √d_k = 4 before softmax, so one key gets 0.9997 of the "
            "weight instead of 0.8438. Suspect this mistake if d_k is large and every row of weights has one number "
            "near 1 and zeros elsewhere.",
            "zh": "分数 12、0、4 没有除以 √d_k = 4 就做了 softmax，于是一个键得到 0.9997 的权重，而不是 0.8438。"
            "如果 d_k 较大，而注意力权重每行都是一个接近 1 的数、其余接近 0，就很可能是这个错误。",
        },
        {"en": ("mountain", "water", "cloud")},
    ),
    Pair(
        "sqrt-d-kv",
        {"en": "Dividing by √dₖᵥ instead of √dₖ", "zh": "除以 √dₖᵥ，而不是 √dₖ"},
        "programming",
        "scaled_scores",
        "divided_by_sqrt_all_heads",
        {
            "en": "The divisor is √6, from the width of all three heads together, but each score is a sum of only "
            "d_k = 2 products. In head 1, “I” gives itself a weight of 0.72 instead of 0.89. Every row still sums to "
            "1, so count the columns of Q to spot it.",
            "zh": "除数用了 √6，6 是三个头合起来的宽度，而每个分数只是 d_k = 2 个乘积之和。"
            "第 1 个头里，“我”给自己的权重因此是 0.72，而不是 0.89。每行之和仍然是 1，要数一数 Q 有几列才能发现。",
        },
        {"zh": ("我", "喜欢", "编程")},
    ),
    Pair(
        "reshape-without-transpose",
        {"en": "Heads merged by a reshape without the transpose", "zh": "合并各头时只做 reshape，没有先转置"},
        "programming",
        "concat",
        "heads_interleaved",
        {
            "en": "The shape is right and no error is raised, but the row of “I” contains the outputs of head 1 for "
            "all three tokens. The outputs of heads 2 and 3 for “I” end up in the rows below. To spot it, compare one "
            "row with the head outputs of its token.",
            "zh": "形状没错，程序也不报错，但“我”那一行放的是第 1 个头对三个词元的输出，"
            "第 2、3 个头对“我”的输出落到了下面两行。取一行，与该词元的各个头输出对照，就能发现。",
        },
        {"zh": ("我", "喜欢", "编程")},
    ),
    Pair(
        "not-normalised",
        {"en": "Weights whose rows do not sum to 1", "zh": "注意力权重没有按行归一化"},
        "output-projection",
        "weights",
        "not_normalised",
        {
            "en": "The exponentials are not divided by the sum of their row. The weights of “cats” in head 1 add up to "
            "14.48, and its head output of 17.61 is larger than any number in V. To spot it, add up a row: after "
            "softmax, the sum is always 1.",
            "zh": "取了指数，却没有除以这一行的和。第 1 个头里，“猫”的权重加起来是 14.48，"
            "它的头输出 17.61 比 V 里的任何数都大。把一行加起来就能发现：softmax 之后每行之和总是 1。",
        },
        {"zh": ("猫", "喜欢", "鱼")},
    ),
)
"""The built-in pairs, in the order in which they are shown."""


def pair(name: str) -> Pair:
    """A pair by id. Raises ``CellError`` if there is none of that name."""
    chosen = next((candidate for candidate in PAIRS if candidate.id == name), None)
    if chosen is None:
        raise CellError(N_("there is no comparison named {name}"), name=quoted(name))
    return chosen


def traces(chosen: Pair, where: Backend | None = None, *, language: str = "") -> tuple[Trace, Trace]:
    """The right trace of a pair's example and the mistaken one, with tokens for readers of this language."""
    example = built_in(chosen.example)
    right = trace(replace(example, tokens=chosen.tokens.get(language, example.tokens)), where)
    return right, replay(right, chosen.mistake, chosen.step)


def as_claims(wrong: Trace, step: str, decimals: int = 4) -> Example:
    """The example with a trace's numbers at one step as claims, printed to so many decimals."""
    return validate(replace(wrong.example, claimed={step: _printed(wrong.values[step], decimals)}))


def _printed(numbers: Any, decimals: int) -> Any:
    if isinstance(numbers, list):
        return tuple(_printed(part, decimals) for part in numbers)
    if numbers is None:
        return None
    text = f"{numbers:.{decimals}f}"
    return text if len(text) <= MAX_PRINTED else f"{numbers!r}"
