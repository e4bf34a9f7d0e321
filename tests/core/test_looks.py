"""What is said of where heads look: held against a rule written apart, and read as sentences."""

from __future__ import annotations

import re
from dataclasses import replace
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import AddMask, AllowMask, Example, Head, built_in, library, trace, validate
from mha_core.example.band import BandMask
from mha_core.walk.summary import LISTED, findings, tied, tops_of, where_heads_look
from tests.apply import apply
from tests.core.strategies import NEG_INF, examples, rows
from tests.sizes import each, tries

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


def in_self_attention(weights):
    """The same, of the tokens themselves."""
    return validate(replace(given_weights(weights), context_tokens=None))


def visible(example, head, i, row):
    """The keys that query i may attend to in this head, read off its mask.

    A fill that is a number hides where it leaves 0.
    """
    n_k = example.dims.n_k
    if example.heads[head].weights is not None:  # a head that starts from its weights is not masked
        return list(range(n_k))
    own = example.heads[head].mask
    mask = example.mask if own is None else own
    if mask == "causal":
        return list(range(min(i + 1, n_k)))
    if isinstance(mask, BandMask):
        return [j for j in range(n_k) if mask.allow(len(example.tokens), n_k)[i][j]]
    if isinstance(mask, AllowMask):
        return [j for j in range(n_k) if mask.allow[i][j] or (mask.fill != NEG_INF and row[j])]
    if isinstance(mask, AddMask):
        return [j for j in range(n_k) if mask.add[i][j] != NEG_INF]
    return list(range(n_k))


def assert_holds(computed):
    """Each finding is true of its head's weights, and no finding that says more would be."""
    example = computed.example
    for head, look in enumerate(where_heads_look(computed)):
        table = computed.values["weights"][head]
        alive = [i for i, row in enumerate(table) if any(row)]
        assert look.blind == (len(alive) < len(table))
        tops = {}
        for i in alive:
            best = [j for j, weight in enumerate(table[i]) if weight > max(table[i]) - NEAR]
            tops[i] = best
        single = [best[0] if len(best) == 1 else None for best in tops.values()]
        seen = {i: [table[i][j] for j in visible(example, head, i, table[i])] for i in alive}
        choosing = [i for i in alive if len(seen[i]) > 1]
        level = all(max(seen[i]) - min(seen[i]) <= NEAR for i in choosing)
        nearly = all(0 < max(seen[i]) <= 2 * min(seen[i]) for i in choosing)
        habit = len(choosing) > 1 and None not in single
        one_key = habit and len(set(single)) == 1
        same = (
            example.dims.n_q == example.dims.n_k
            and example.context is None
            and example.context_tokens is None
        )
        own = same and habit and list(tops) == single
        before = same and habit and len(alive) == len(table) > 2 and single[1:] == list(range(len(table) - 1))
        after = same and habit and len(alive) == len(table) > 3 and single[1:-1] == list(range(2, len(table)))
        rules = {
            "nothing": not alive,
            "no choice": not choosing,
            "even": level,
            "nearly even": nearly,
            "one key": one_key,
            "itself": own,
            "back": before,
            "forward": after,
            "each": len(choosing) <= LISTED,
            "many": True,
        }
        assert look.kind == next(kind for kind, holds in rules.items() if holds)
        assert look.tops == tuple(tuple(tops.get(i, ())) for i in range(len(table)))
        assert look.choosing == tuple(choosing)
        if choosing:
            most, query, key = look.most
            assert query in choosing
            assert table[query][key] == most == max(max(table[i]) for i in choosing)
            assert look.masked == any(len(seen[i]) < len(table[i]) for i in alive)
        assert_pairs_hold(computed, head, look, tops, seen)


def assert_pairs_hold(computed, head, look, tops, seen):
    """The pairs that a finding names are among the head's largest weights, and no other head has those set apart.

    ``seen``: the weights of the keys that each query may attend to. A weight that is set apart is at least twice the
    mean of the others.
    """
    tables = computed.values["weights"]
    others = [table for at, table in enumerate(tables) if at != head]

    def is_top_of(table, i, j):
        return any(table[i]) and table[i][j] > max(table[i]) - NEAR

    for i, keys, weight in look.pairs:
        assert abs(weight - max(tables[head][i])) <= NEAR  # though others may share it
        assert all(abs(weight - tables[head][i][key]) <= NEAR for key in keys)
        assert look.kind == "many" or list(keys) == tops[i]
        assert not look.apart or not any(is_top_of(table, i, keys[0]) for table in others)
    if look.kind == "each":
        assert [i for i, _, _ in look.pairs] == list(look.choosing)
    if look.kind == "many":
        single = []
        for i in look.choosing:
            *rest, most = sorted(seen[i])
            if len(tops[i]) == 1 and most * len(rest) >= 2 * sum(rest):
                single.append((i, tops[i][0]))
        away = [pair for pair in single if others and not any(is_top_of(table, *pair) for table in others)]
        assert look.apart == bool(away)


def test_a_weight_that_is_given_may_be_of_any_size():
    assert tops_of([1e12, 1.0]) == (0,)


@each("name", library())
def test_what_is_said_of_a_built_in_example_holds(name):
    assert_holds(trace(built_in(name)))


@tries(40)
@given(examples(variants=True))
def test_what_is_said_of_any_example_holds(example):
    assert_holds(trace(example))


@tries(30)
@given(st.data())
def test_what_is_said_of_any_weights_holds(data):
    """Drawn so that ties, zero rows, negative numbers, single keys and more queries than are listed come often."""
    n_q, n_k = data.draw(st.integers(1, LISTED + 2)), data.draw(st.integers(1, 4))
    cells = st.sampled_from([0.0, 0.25, 0.5, 1.0, -1.0, 0.3, 0.300000000001])
    assert_holds(trace(given_weights(data.draw(rows(n_q, n_k, cells)))))


@tries(20)
@given(examples(variants=True), st.sampled_from(["en", "zh"]))
def test_the_weights_that_are_printed_are_those_of_the_queries_that_the_finding_names(example, language):
    computed = trace(example)
    for head, look in enumerate(where_heads_look(computed)):
        (text,) = findings((look,), ["q"] * example.dims.n_q, ["k"] * example.dims.n_k, language)
        if look.kind in ("one key", "itself", "back", "forward"):
            left_out = {"back": (0,), "forward": (0, len(look.tops) - 1)}.get(look.kind, ())
            rows = computed.values["weights"][head]
            named = sorted(max(rows[i]) for i in look.choosing if i not in left_out)
            shown = [f"{named[0]:.2f}", f"{named[-1]:.2f}"] if named and 0 < named[0] < 1 + NEAR else []
            assert re.findall(r"\d\.\d\d", text) == sorted({*shown})


def test_a_head_that_looks_at_the_next_token_is_told_so():
    ahead = [[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0], [0, 0, 0, 1.0]]
    (look,) = where_heads_look(trace(in_self_attention(ahead)))
    (told,) = findings((look,), "abcd", "abcd", "en")
    assert told == "every token between the first and the last looks most at the one after it (1.00)"


def test_under_a_causal_mask_the_strongest_weight_is_not_the_first_tokens_own():
    """The first token attends only to itself, so its weight of 1.00 shows nothing about the head."""
    n = 7
    scores = tuple(tuple(float(3 * (j + 2 == i)) for j in range(n)) for i in range(n))
    unit = tuple(tuple(float(i == j) for j in range(n)) for i in range(n))
    head = Head(q=scores, k=unit, v=((1.0,),) * n)
    example = Example(title="", tokens=tuple("abcdefg"), heads=(head,), scale="none", mask="causal")
    (told,) = findings(where_heads_look(trace(validate(example))), "abcdefg", "abcdefg", "en")
    assert told == "strongest: c → a 0.91, d → b 0.87, e → c 0.83"


def heads_that_look_at(*heads, score=5.0):
    """An example of 7 tokens whose heads give these keys this score, 0 all others: with 5 nearly all the weight."""
    unit = tuple(tuple(float(i == j) for j in range(7)) for i in range(7))
    made = tuple(
        Head(q=tuple(tuple(score * (j == key) for j in range(7)) for key in keys), k=unit, v=((1.0,),) * 7)
        for keys in heads
    )
    return validate(Example(title="", tokens=tuple("abcdefg"), heads=made, scale="none"))


def said_of(example):
    return findings(where_heads_look(trace(example)), "abcdefg", "abcdefg", "en")


def test_of_many_tokens_it_is_said_what_a_head_does_that_the_others_do_not():
    """Both look at a, but for the last two tokens and the first one."""
    assert said_of(heads_that_look_at((1, 0, 0, 0, 0, 3, 2), (2, 0, 0, 0, 0, 4, 2))) == [
        "only in this head: a → b 0.96, f → d 0.96",
        "only in this head: a → c 0.96, f → e 0.96",
    ]


def test_of_rows_in_which_others_are_nearly_as_large_no_pair_is_said_to_be_in_one_head_only():
    """0.38 is less than twice the mean of 0.36, 0.25 and 0.01."""
    first, second = [0.38, 0.36, 0.25, 0.01], [0.36, 0.38, 0.25, 0.01]
    one, other = (given_weights(table).heads[0] for table in ([first, second] * 2, [second, first] * 2))
    two = replace(given_weights([first] * 4), heads=(one, other))
    told = findings(where_heads_look(trace(validate(two))), "abcd", "nopq", "en")
    assert [text.startswith("strongest: ") for text in told] == [True, True]


def test_of_rows_with_two_keys_a_pair_is_said_to_be_in_one_head_only():
    """Each token sees itself and the one before it. Twice the mean of two weights would be 1, which none reaches."""
    told = said_of(
        replace(
            heads_that_look_at((0, 0, 1, 2, 3, 4, 6), (0, 1, 1, 2, 3, 4, 6)), mask=BandMask(2, causal=True)
        )
    )
    assert told == ["only in this head: b → a 0.99", "only in this head: b → b 0.99"]


def test_under_a_causal_mask_the_mean_is_that_of_the_keys_that_are_seen():
    """c sees three keys: 0.50 is twice the mean of the others. e sees five: there 0.50 would be clear by far."""
    told = said_of(
        replace(
            heads_that_look_at((0, 1, 2, 0, 0, 0, 0), (0, 1, 1, 0, 0, 0, 0), score=log(2.001)), mask="causal"
        )
    )
    assert told == ["only in this head: c → c 0.50", "only in this head: c → b 0.50"]


def test_heads_that_look_at_the_same_keys_are_not_called_unlike():
    keys = (1, 0, 0, 0, 0, 3, 2)
    strongest = "strongest: a → b 0.96, b → a 0.96, c → a 0.96"
    assert said_of(heads_that_look_at(keys, keys)) == [strongest] * 2


def test_where_heads_list_the_same_keys_their_weights_tell_them_apart():
    found = where_heads_look(trace(validate(replace(built_in("programming"), mask=None))))
    one, other = found[1]._replace(alike=False), found[1]._replace(alike=True)
    pairs = "I → programming, love → programming, programming → I"
    names = ["I", "love", "programming"]
    assert findings((one,), names, names, "en") == [f"largest weights: {pairs}"]
    (weighed,) = findings((other,), names, names, "en")
    assert re.sub(r" \d\.\d\d", "", weighed) == f"largest weights: {pairs}"
    assert len(re.findall(r"\d\.\d\d", weighed)) == 3


def test_tokens_from_right_to_left_do_not_turn_the_arrow_round():
    hebrew, fenced = ("אני", "אוהב", "לתכנת"), ("\u2068אני\u2069", "\u2068אוהב\u2069", "\u2068לתכנת\u2069")
    me, love, code = fenced
    found = where_heads_look(trace(in_self_attention([[0, 0, 1.0], [1.0, 0, 0], [0.5, 0.5, 0]])))
    told = f"largest weights: {me} → {code}, {love} → {me}, {code} → {me} and {love} (tied)"
    assert findings(found, hebrew, hebrew, "en") == [told]
    assert tied(hebrew[:2], "en") == f"{me} and {love} (tied)"


FIRST_TO_ONE = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[9, 9]]}


@pytest.mark.parametrize(
    ("example", "en", "zh"),
    [
        (
            built_in("first"),
            ["always looks most at “程序” (1.00)"] * 2,
            ["总是最关注“程序”（1.00）"] * 2,
        ),
        (
            apply(built_in("first"), FIRST_TO_ONE),
            ["always looks most at “思考” (1.00)"] * 2,
            ["总是最关注“思考”（1.00）"] * 2,
        ),
        (
            built_in("programming"),
            [
                "every token after the first looks most at the one before it (0.67 to 0.89)",
                "largest weights: I → programming, love → programming, programming → I",
                "fairly even: no weight is more than twice as large as another",
            ],
            [
                "除第一个外，每个词元最关注它前面的那个（0.67 到 0.89）",
                "权重最大：I → programming、love → programming、programming → I",
                "几乎平均：最大的权重不超过最小的两倍",
            ],
        ),
        (
            replace(built_in("programming"), mask="causal"),
            [
                "every token after the first looks most at the one before it (0.67 to 0.94)",
                "largest weights: love → I and love (tied), programming → I",
                "fairly even over the allowed tokens: no weight is more than twice as large as another",
            ],
            [
                "除第一个外，每个词元最关注它前面的那个（0.67 到 0.94）",
                "权重最大：love → I / love（并列）、programming → I",
                "在允许关注的词元中几乎平均：最大的权重不超过最小的两倍",
            ],
        ),
        (
            built_in("scaled"),
            ["every token looks most at itself (0.84)"],
            ["每个词元最关注自己（0.84）"],
        ),
        (
            built_in("cosine"),
            ["largest weights: 猫 → 猫 and 小猫 (tied), 小猫 → 猫 and 小猫 (tied), 石头 → 石头"],
            ["权重最大：猫 → 猫 / 小猫（并列）、小猫 → 猫 / 小猫（并列）、石头 → 石头"],
        ),
        (
            replace(built_in("padding"), mask=AllowMask(((False,) * 3,) * 3)),
            ["no token is allowed to attend to anything"] * 2,
            ["所有词元都没有可关注的对象"] * 2,
        ),
        (
            given_weights([[1, 1, 1], [0, 0, 0]]),
            ["spreads its weight evenly; some tokens are not allowed to attend to anything"],
            ["权重平均分配；有的词元没有可关注的对象"],
        ),
        (given_weights([[0.2, 0.3, 0.5]]), ["largest weights: a → p"], ["权重最大：a → p"]),
        (
            given_weights([[0.2, 0.8]] * 5 + [[0.9, 0.1]] * 5),
            ["strongest: f → n 0.90, g → n 0.90, h → n 0.90"],
            ["最强：f → n 0.90、g → n 0.90、h → n 0.90"],
        ),
        (given_weights([[7, 0], [8, 0]]), ["always looks most at “n”"], ["总是最关注“n”"]),
        (
            given_weights([[7], [8]]),
            ["no token has a choice: each may attend to at most one token"],
            ["没有选择的余地：每个词元最多只能关注一个词元"],
        ),
        (
            replace(built_in("programming"), mask=AllowMask(((True, False, False),) * 3, fill=-1e9)),
            ["no token has a choice: each may attend to at most one token"] * 3,
            ["没有选择的余地：每个词元最多只能关注一个词元"] * 3,
        ),
        (
            in_self_attention([[0.5, 0.2, 0.3], [0.9, 0.1, 0], [0, 0.75, 0.25]]),
            ["every token after the first looks most at the one before it (0.75 to 0.90)"],
            ["除第一个外，每个词元最关注它前面的那个（0.75 到 0.90）"],
        ),
        (
            in_self_attention([[0.25, 0.75], [0.75, 0.25]]),
            ["largest weights: a → b, b → a"],
            ["权重最大：a → b、b → a"],
        ),
    ],
    ids=(
        "first edited listed masked itself ties dead even one-query many-queries no-share one-key filled back two"
    ).split(),
)
def test_the_words(example, en, zh):
    found = where_heads_look(trace(example))
    names = list(example.tokens), list(example.context_tokens or example.tokens)
    assert findings(found, *names, "en") == en
    assert findings(found, *names, "zh") == zh
