"""Mistakes in published explanations of attention, as built-in pairs of a right trace and a mistaken one.

Each pair is plain data: a built-in example, a mistake of ``catalogue.CATALOGUE`` with its step, and one sentence that
says what goes wrong and how to notice it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from mha_core.compare.replay import replay
from mha_core.compute.device import Backend
from mha_core.compute.trace import Trace, trace
from mha_core.errors import N_, CellError
from mha_core.example.files import MAX_PRINTED
from mha_core.example.library import built_in
from mha_core.example.model import Example
from mha_core.example.validate import validate
from mha_core.quoted import quoted


@dataclass(frozen=True, slots=True)
class Pair:
    """A mistake at a step of a built-in example; ``title`` and ``sentence`` by language."""

    id: str
    title: Mapping[str, str]
    example: str
    step: str
    mistake: str
    sentence: Mapping[str, str]


PAIRS: Final = (
    Pair(
        "scores-times-v",
        {"en": "Scores as Q·Kᵀ·V", "zh": "把注意力分数写成 Q·Kᵀ·V"},
        "three-values",
        "scores",
        "scores_times_v",
        {
            "en": "V is multiplied in before the softmax and once more after it, so what a token has to say decides "
            "who is listened to: change W_V and the weights move, and unless V has as many columns as there are "
            "keys, as it has here, the scores do not even have the right shape.",
            "zh": "softmax 之前就乘了一次 V，之后又乘一次，“说什么”竟决定了“听谁的”：一改 W_V，注意力权重就跟着变；"
            "要不是这里 V 的列数恰好等于键的个数，分数连形状都对不上。",
        },
    ),
    Pair(
        "not-scaled",
        {"en": "Softmax without scaling", "zh": "没有缩放就做 softmax"},
        "scaled",
        "scaled_scores",
        "not_scaled",
        {
            "en": "The scores 12, 0 and 4 go into the softmax undivided by √d_k = 4, and one key takes 0.9997 of the "
            "weight instead of 0.8438: suspect it where d_k is large and every row of weights is a 1 among zeros.",
            "zh": "分数 12、0、4 没有除以 √d_k = 4 就进了 softmax，一个键独占 0.9997 的权重，而不是 0.8438："
            "d_k 不小，注意力权重却每行都近乎一个 1、其余是 0，就该想到这里。",
        },
    ),
    Pair(
        "sqrt-d-kv",
        {"en": "Division by √d_kv, but heads of another size", "zh": "除以 √d_kv，可每个头没有那么宽"},
        "programming",
        "scaled_scores",
        "divided_by_sqrt_all_heads",
        {
            "en": "Under the root stands 6, the width of all three heads together, though each score sums only the "
            "d_k = 2 products of one head: “I” gives itself 0.72 in head 1 instead of 0.89, and since every row still "
            "sums to 1, only counting the columns of Q tells.",
            "zh": "根号下写的是 6，即三个头合起来的宽度，可每个分数只是一个头里 d_k = 2 个乘积之和："
            "第 1 个头里 I 给自己的权重成了 0.72，而不是 0.89；每行的和仍然是 1，只有数一数 Q 有几列才看得出来。",
        },
    ),
    Pair(
        "reshape-without-transpose",
        {"en": "Heads merged by a reshape without the transpose", "zh": "合并各头时只变形、不转置"},
        "programming",
        "concat",
        "heads_interleaved",
        {
            "en": "The shape is right and nothing fails, yet the row of “I” holds what head 1 found for all three "
            "tokens, and what heads 2 and 3 found for “I” stands in the rows below: hold one row against the head "
            "outputs of its own token.",
            "zh": "形状没错，程序也不报错，可 I 那一行放的是第 1 个头给三个词元的输出，"
            "第 2、3 个头给 I 的输出却落在下面两行：拿一行和该词元在各头的输出对一对就知道。",
        },
    ),
    Pair(
        "not-normalised",
        {"en": "Rows of weights that are not normalised", "zh": "注意力权重没有按行归一化"},
        "output-projection",
        "weights",
        "not_normalised",
        {
            "en": "The exponentials are never divided by the sum of their row, so the weights of “cats” in head 1 add "
            "up to 14.48 and its head output, 17.61, is larger than any number in V: add up each row, a softmax always "
            "gives 1.",
            "zh": "取了指数却没有除以这一行的和：第 1 个头里 cats 的权重加起来是 14.48，"
            "头输出 17.61 比 V 里的任何数都大；把每行加一加就知道，softmax 的每行之和总是 1。",
        },
    ),
)
"""The built-in pairs, in the order in which they are shown."""


def pair(name: str) -> Pair:
    """A pair by id. Raises ``CellError`` if there is none of that name."""
    chosen = next((candidate for candidate in PAIRS if candidate.id == name), None)
    if chosen is None:
        raise CellError(N_("there is no pair named {name}"), name=quoted(name))
    return chosen


def traces(chosen: Pair, where: Backend | None = None) -> tuple[Trace, Trace]:
    """The right trace of a pair's example and the mistaken one."""
    right = trace(built_in(chosen.example), where)
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
