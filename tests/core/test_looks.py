"""What is said of where heads look: held against a rule written apart, and read as sentences."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_core import AddMask, AllowMask, Example, Head, built_in, library, trace, validate
from mha_core.edit.edits import apply
from mha_core.walk.summary import LISTED, described, where_heads_look
from tests.core.strategies import NEG_INF, examples, rows

NEAR = 1e-9


def given_weights(weights, **fields):
    """An example whose one head starts from these weights."""
    v = ((1.0,),) * len(weights[0])
    tokens = tuple("abcdefghijkl"[: len(weights)])
    keys = tuple("nopqrstuvwxyz"[: len(weights[0])])
    head = Head(weights=tuple(tuple(map(float, row)) for row in weights), v=v)
    return validate(
        Example(title="", tokens=tokens, context_tokens=keys, heads=(head,), scale="none", **fields)
    )


def visible(example, scores, i):
    """The keys that query i may attend to, read off the mask itself."""
    n_k = example.dims.n_k
    if scores is None:  # a head that starts from its weights is not masked
        return list(range(n_k))
    mask = example.mask
    if mask == "causal":
        return list(range(min(i + 1, n_k)))
    if isinstance(mask, AllowMask) and mask.fill == NEG_INF:
        return [j for j in range(n_k) if mask.allow[i][j]]
    if isinstance(mask, AddMask):
        return [j for j in range(n_k) if mask.add[i][j] != NEG_INF]
    return list(range(n_k))


def assert_holds(computed):
    """Each finding is true of its head's weights, and no finding that says more would be."""
    example = computed.example
    for head, look in enumerate(where_heads_look(computed)):
        table = computed.values["weights"][head]
        scores = None if example.heads[head].weights is not None else True
        alive = [i for i, row in enumerate(table) if any(row)]
        assert look.blind == (len(alive) < len(table))
        tops = {}
        for i in alive:
            best = [j for j, weight in enumerate(table[i]) if weight > max(table[i]) - NEAR]
            tops[i] = best
        single = [best[0] if len(best) == 1 else None for best in tops.values()]
        seen = {i: [table[i][j] for j in visible(example, scores, i)] for i in alive}
        some_choice = any(len(row) > 1 for row in seen.values())
        level = some_choice and all(max(row) - min(row) <= NEAR for row in seen.values())
        nearly = some_choice and all(0 < max(row) <= 2 * min(row) for row in seen.values())
        one_key = len(alive) > 1 and None not in single and len(set(single)) == 1
        own = len(alive) > 1 and example.dims.n_q == example.dims.n_k and list(tops) == single
        own = own and example.context is None and example.context_tokens is None
        rules = {
            "nothing": not alive,
            "even": level,
            "nearly even": nearly,
            "one key": one_key,
            "itself": own,
            "each": len(table) <= LISTED,
            "many": True,
        }
        assert look.kind == next(kind for kind, holds in rules.items() if holds)
        assert look.tops == tuple(tuple(tops.get(i, ())) for i in range(len(table)))
        if alive:
            most, query, key = look.most
            assert table[query][key] == most == max(max(table[i]) for i in alive)
            assert look.least == min(max(table[i]) for i in alive)


@pytest.mark.parametrize("name", library())
def test_what_is_said_of_a_built_in_example_holds(name):
    assert_holds(trace(built_in(name)))


@settings(max_examples=400, deadline=None)
@given(examples(variants=True))
def test_what_is_said_of_any_example_holds(example):
    assert_holds(trace(example))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_what_is_said_of_any_weights_holds(data):
    """Ties, rows of zeros, negative numbers and one key come often here, and more queries than are listed."""
    n_q, n_k = data.draw(st.integers(1, LISTED + 2)), data.draw(st.integers(1, 4))
    cells = st.sampled_from([0.0, 0.25, 0.5, 1.0, -1.0, 0.3, 0.300000000001])
    assert_holds(trace(given_weights(data.draw(rows(n_q, n_k, cells)))))


@settings(max_examples=200, deadline=None)
@given(examples(variants=True), st.sampled_from(["en", "zh"]))
def test_a_weight_that_is_printed_is_reached_by_every_query(example, language):
    """“0.99 or more” is rounded down: rounded to the nearest it could say more than is so."""
    computed = trace(example)
    for look in where_heads_look(computed):
        text = described((look,), ["q"] * example.dims.n_q, ["k"] * example.dims.n_k, language)
        for number in re.findall(r"\d\.\d\d", text) if look.kind in ("one key", "itself") else ():
            assert (
                Fraction(number) <= Fraction(look.least) < Fraction(number) + Fraction(1, 100)
                or number == "0.99"
            )


FIRST_TO_ONE = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[9, 9]]}


@pytest.mark.parametrize(
    ("example", "en", "zh"),
    [
        (
            built_in("first"),
            "Heads 1, 2: every query looks most at “程序” (0.99 or more).",
            "第 1、2 个头：每个查询都最关注“程序”（权重至少 0.99）。",
        ),
        (
            apply(built_in("first"), FIRST_TO_ONE),
            "Heads 1, 2: every query looks most at “思考” (0.99 or more).",
            "第 1、2 个头：每个查询都最关注“思考”（权重至少 0.99）。",
        ),
        (
            built_in("programming"),
            "Head 1: largest weights I → I, love → I, programming → love. "
            "Head 2: largest weights I → programming, love → programming, "
            "programming → I. Head 3: every query spreads its weight nearly evenly, at most 2 to 1 between "
            "any two keys that it may look at.",
            "第 1 个头：权重最大的是 I → I、love → I、programming → love。"
            "第 2 个头：权重最大的是 I → programming、love → programming、"
            "programming → I。第 3 个头：每个查询都把权重近乎平均地分给看得到的键（任意两个键最多差一倍）。",
        ),
        (
            built_in("scaled"),
            "Head 1: every query looks most at itself (0.84 or more).",
            "第 1 个头：每个查询都最关注自己（权重至少 0.84）。",
        ),
        (
            built_in("cosine"),
            "Head 1: largest weights 猫 → 猫 = 小猫, 小猫 → 猫 = 小猫, 石头 → 石头.",
            "第 1 个头：权重最大的是 猫 → 猫 = 小猫、小猫 → 猫 = 小猫、石头 → 石头。",
        ),
        (
            replace(built_in("padding"), mask=AllowMask(((False,) * 3,) * 3)),
            "Heads 1, 2: no query may look at anything.",
            "第 1、2 个头：没有一个查询有键可看。",
        ),
        (
            given_weights([[1, 1, 1], [0, 0, 0]]),
            "Head 1: each query that may look at anything spreads its weight evenly over the keys that it "
            "may look at.",
            "第 1 个头：凡有键可看的查询，都把权重平均分给看得到的键。",
        ),
        (
            given_weights([[0.2, 0.3, 0.5]]),
            "Head 1: largest weights a → p.",
            "第 1 个头：权重最大的是 a → p。",
        ),
        (
            given_weights([[0.2, 0.8]] * 5 + [[0.9, 0.1]] * 5),
            "Head 1: no weight is above the 0.90 that “f” gives to “n”.",
            "第 1 个头：权重最大也不超过“f”给“n”的 0.90。",
        ),
        (
            given_weights([[7], [8]]),
            "Head 1: every query looks most at “n”.",
            "第 1 个头：每个查询都最关注“n”。",
        ),
    ],
    ids=[
        "first",
        "edited",
        "listed",
        "itself",
        "ties",
        "dead",
        "even",
        "one query",
        "many queries",
        "no share",
    ],
)
def test_the_sentences(example, en, zh):
    found = where_heads_look(trace(example))
    names = list(example.tokens), list(example.context_tokens or example.tokens)
    assert described(found, *names, "en") == en
    assert described(found, *names, "zh") == zh


def test_of_many_heads_that_differ_the_first_are_told_and_the_rest_named():
    same, crossed, tied = ((1.0, 0.0), (0.0, 1.0)), ((0.0, 1.0), (1.0, 0.0)), ((1.0, 1.0), (1.0, 0.0))
    more = ((1.0, 1.0), (0.0, 1.0)), ((0.0, 1.0), (1.0, 1.0)), ((1.0, 0.0), (1.0, 1.0))
    heads = tuple(Head(weights=w, v=((1.0,), (2.0,))) for w in (crossed, same, crossed, tied, *more))
    example = validate(Example(title="", tokens=("a", "b"), heads=heads, scale="none"))
    assert described(where_heads_look(trace(example)), ["a", "b"], ["a", "b"], "en") == (
        "Heads 1, 3: largest weights a → b, b → a. Head 2: every query looks most at itself (0.99 or more). "
        "Head 4: largest weights a → a = b, b → a. Head 5: largest weights a → a = b, b → b. "
        "Heads 6, 7: none of these; see the weights themselves."
    )


@settings(max_examples=100, deadline=None)
@given(examples(variants=True), st.sampled_from(["en", "zh"]))
def test_every_head_is_named_once(example, language):
    computed = trace(example)
    text = described(where_heads_look(computed), ["q"] * example.dims.n_q, ["k"] * example.dims.n_k, language)
    named = re.findall(r"Heads? ([\d, ]+):|第 ([\d、 ]+) 个头：", text)
    heads = [int(head) for pair in named for head in re.findall(r"\d+", "".join(pair))]
    assert sorted(heads) == [*range(1, len(example.heads) + 1)]
