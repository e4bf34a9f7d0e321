"""What heads do: by hand, against plain loops, against every random assignment, and laws."""

from itertools import permutations, product
from math import isclose, log

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mha_core.models import (
    MEASURES,
    RELATIONS,
    behaviours,
    label,
    measured,
    open_model,
    run,
    shuffled,
    tokenize,
    unsure,
)
from mha_core.models.heads import shuffled_means
from mha_core.models.measures import RESTS, Weight, share
from tests.models.made import BERT, GPT2, folder_of
from tests.models.texts import tokens_of

LONG = tokens_of(
    "[CLS] the cat sat on the mat ( and the dog sat on the rug ) , and “ the cat ” liked the dog . [SEP]"
)


def pairs(name, tokens):
    """The relation as a set of (from, to)."""
    return {tuple(place) for place in RELATIONS[name](tokens).nonzero().tolist()}


def rows_of(seed, n, heads=1, sharp=2.0, causal=False):
    """Weights of heads that look anywhere."""
    scores = sharp * torch.randn(heads, n, n, generator=torch.Generator().manual_seed(seed)).double()
    if causal:
        scores = scores.masked_fill(~torch.ones(n, n).tril().bool(), -torch.inf)
    return scores.softmax(-1)


def planted(name, tokens, *, resting=0.0, causal=False, strength=0.95):
    """A head that does one thing where possible; elsewhere its weight is even, ``resting`` of it on the first token."""
    n = len(tokens)
    seen = torch.ones(n, n).tril() if causal else torch.ones(n, n)
    related = RELATIONS[name](tokens) * seen
    even = seen / seen.sum(-1, keepdim=True)
    at = related / related.sum(-1, keepdim=True).clamp(min=1)
    weights = torch.where(related.any(-1, keepdim=True), strength * at + (1 - strength) * even, even)
    rest = torch.zeros(n, n)
    rest[:, 0] = 1
    return (resting * rest + (1 - resting) * weights)[None].double()


# --- by hand -----------------------------------------------------------------------------------------------------


def test_a_share_by_hand():
    """[CLS] a b c [SEP]: words look at words; half of b's weight and all of c's goes to special tokens or words."""
    tokens = tokens_of("[CLS] a b c [SEP]")
    weights = torch.tensor(
        [
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.2, 0.6, 0.2, 0.0],
            [0.5, 0.4, 0.0, 0.1, 0.0],
            [0.0, 0.1, 0.8, 0.1, 0.0],
            [0.0, 0.0, 0.0, 0.0, 1.0],
        ]
    )[None]
    found = behaviours(weights, tokens, causal=False)[0]
    assert found.left == pytest.approx((1 + 0.5 + 1) / 3)
    previous = found.measures["previous"]  # of b and c: 0.4 and 0.8 of their remaining 0.5 and 1
    assert previous.places == 2
    assert previous.value == pytest.approx((0.4 + 0.8) / (0.5 + 1))
    assert previous.null == pytest.approx(1 / 3)  # one of three words
    assert found.measures["itself"].value == pytest.approx((0.2 + 0.0 + 0.1) / 2.5)
    assert found.measures["first_token"].value == pytest.approx(0.5 / 3)
    assert found.measures["first_token"].null == pytest.approx(1 / 5)
    assert found.measures["separators"].value == 0
    assert found.measures["distance"].value == pytest.approx(
        (0.6 + 2 * 0.2 + 0.4 + 0.1 + 2 * 0.1 + 0.8) / 2.5
    )
    assert found.measures["distance"].null == pytest.approx((1 * 1 + 0.5 * 2 / 3 + 1 * 1) / 2.5)
    spread = -(0.2 * log(0.2) * 2 + 0.6 * log(0.6)), -(0.8 * log(0.8) + 0.2 * log(0.2)) * 0.5
    third = -(0.8 * log(0.8) + 0.2 * log(0.1))
    assert found.measures["entropy"].value == pytest.approx((sum(spread) + third) / log(3) / 2.5)
    assert not {"same_word", "after_same", "pair", "punctuation"} & found.measures.keys()


def test_a_causal_share_by_hand():
    """The first token is what decoders rest on: it is no key, and the second has no other than itself."""
    tokens = tokens_of("a b a b")
    weights = torch.tensor([[1, 0, 0, 0], [0.7, 0.3, 0, 0], [0.5, 0.4, 0.1, 0], [0.2, 0.1, 0.6, 0.1]])[None]
    found = behaviours(weights, tokens, causal=True)[0].measures
    assert found["first_token"].value == pytest.approx((0.7 + 0.5 + 0.2) / 3)
    assert found["first_token"].null == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    assert found["previous"].value == pytest.approx((0.4 + 0.6) / (0.5 + 0.8))
    assert found["previous"].null == pytest.approx((0.5 / 2 + 0.8 / 3) / (0.5 + 0.8))
    assert found["same_word"].places == 1  # the second b; the first a is excluded
    assert found["same_word"].value == pytest.approx(0.1 / 0.8)
    assert "next" not in found


def test_relations_by_hand():
    tokens = tokens_of("[CLS] The play ##ing cat ( the play ##ing ) . [SEP]")
    assert pairs("previous", tokens) >= {(2, 1), (3, 2)}
    assert pairs("next", tokens) >= {(2, 3), (9, 10)}
    assert pairs("same_word", tokens) == {(1, 6), (6, 1)} | {
        place for a in (2, 3) for b in (7, 8) for place in ((a, b), (b, a))
    }
    assert pairs("pair", tokens) == {(9, 5)}
    assert {to for _, to in pairs("punctuation", tokens)} == {5, 9, 10}
    assert pairs("after_same", tokens_of("a b c a b")) == {(3, 1), (4, 2)}


def test_words_that_the_model_does_not_know_are_never_the_same():
    tokens = tokens_of("a [UNK] b [UNK] a [UNK]")
    assert pairs("same_word", tokens) == {(0, 4), (4, 0)}
    assert pairs("after_same", tokens) == {(4, 1)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("( a [ b ] )", {(4, 2), (5, 0)}),
        ("“ a ‘ b ’ ” c", {(4, 2), (5, 0)}),
        ('" a " b " c "', {(2, 0), (6, 4)}),
        ("（ 甲 「 乙 」 ）", {(4, 2), (5, 0)}),
        ("( don ' t )", {(4, 0)}),
        ("( a “ b )", {(4, 0)}),
        (") a ] b (", set()),
    ],
)
def test_brackets_and_quotation_marks_are_paired(text, wanted):
    assert pairs("pair", tokens_of(text)) == wanted


# --- plain loops -------------------------------------------------------------------------------------------------


def by_loops(weights, tokens, name, causal):
    """value and null of one relation, computed number by number."""
    n, related = len(tokens), RELATIONS[name](tokens)
    on = left = even = 0.0
    for i in range(n):
        keys = [
            j
            for j in range(n)
            if j > 0 and not tokens.special[i] and not tokens.special[j] and (j <= i or not causal)
        ]
        meant = [j for j in keys if related[i][j]]
        if not meant or len(meant) == len(keys):
            continue
        row = float(sum(weights[i][j] for j in keys))
        on += float(sum(weights[i][j] for j in meant))
        even += row * len(meant) / len(keys)
        left += row
    return (on / left, even / left) if left else None


@pytest.mark.parametrize("causal", [False, True], ids=["encoder", "decoder"])
@pytest.mark.parametrize("name", RELATIONS)
def test_every_share_is_that_of_plain_loops(name, causal):
    weights = rows_of(5, len(LONG), heads=3, causal=causal)
    for head, record in enumerate(behaviours(weights, LONG, causal=causal)):
        wanted = by_loops(weights[head], LONG, name, causal)
        if name == "next" and causal:
            assert name not in record.measures
        else:
            measure = record.measures[name]
            assert (measure.value, measure.null) == pytest.approx(wanted, abs=1e-12)


# --- chance ------------------------------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 10**6),
    sharp=st.sampled_from([0.3, 1.0, 4.0, 20.0]),
    chosen=st.lists(st.integers(1, 2), min_size=3, max_size=3),
)
def test_null_is_the_mean_of_all_assignments_and_chance_bounds_how_many_reach_the_value(seed, sharp, chosen):
    """Three rows of four keys: every assignment of weights to the related ones, whatever weight a row has left."""
    weights = rows_of(seed, 5, sharp=sharp)[0, 1:4]

    def square(rows):
        return torch.nn.functional.pad(rows, (0, 0, 0, 2))

    weights = weights * torch.rand(3, 1, generator=torch.Generator().manual_seed(seed)).double()
    keys = torch.tensor([[False, True, True, True, True]] * 3)
    related = torch.zeros(3, 5, dtype=torch.bool)
    for row, count in enumerate(chosen):
        related[row, 1 : 1 + count] = True
    found = share(Weight.of(square(weights * keys)[None], square(keys)), square(related))[0]
    left = float(weights[:, 1:].sum())
    reached = [
        sum(dealt)
        for dealt in product(
            *(
                [sum(pick) for pick in permutations(row[1:].tolist(), count)]
                for row, count in zip(weights, chosen, strict=True)
            )
        )
    ]
    assert found.null == pytest.approx(sum(reached) / len(reached) / left)
    as_large = sum(total >= found.value * left - 1e-12 for total in reached) / len(reached)
    assert as_large <= found.chance + 1e-12


@pytest.mark.parametrize("sharp", [0.5, 2.0, 6.0, 20.0])
@pytest.mark.parametrize("causal", [False, True], ids=["encoder", "decoder"])
def test_of_heads_that_look_anywhere_hardly_one_is_labelled(causal, sharp):
    """Nine behaviours, each by chance in at most one head of a thousand."""
    records = behaviours(rows_of(11, len(LONG), 2000, sharp, causal), LONG, causal=causal)
    labelled = sum(label(record) is not None for record in records)
    assert labelled <= 0.009 * len(records)


def test_one_pair_of_brackets_shows_nothing_and_four_do():
    one = tokens_of("[CLS] the cat ( and the dog ) sat on the mat [SEP]")
    four = tokens_of("[CLS] ( a b ) c ( d e ) f ( g h ) i ( j k ) l [SEP]")
    few, many = (behaviours(planted("pair", tokens), tokens, causal=False)[0] for tokens in (one, four))
    assert (label(few), unsure(few)) == (None, "pair")
    assert (label(many), unsure(many)) == ("pair", None)


# --- labels ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("resting", [0.0, 0.5, 0.85], ids=["all", "half", "a little"])
@pytest.mark.parametrize("name", [name for name in RELATIONS if name not in ("after_same", "pair")])
def test_a_planted_behaviour_is_found_whatever_the_head_rests_on(name, resting):
    record = behaviours(planted(name, LONG, resting=resting), LONG, causal=False)[0]
    assert label(record) == name


@pytest.mark.parametrize("name", ["previous", "itself", "same_word", "after_same", "punctuation"])
def test_a_planted_behaviour_is_found_in_a_decoder(name):
    tokens = tokens_of("the cat sat . the dog ran . the cat sat . the dog ran . the cat ran . the dog sat .")
    record = behaviours(planted(name, tokens, resting=0.6, causal=True), tokens, causal=True)[0]
    assert label(record) == name


def test_a_head_that_rests_is_labelled_by_what_it_rests_on():
    n = len(LONG)
    first, separator = torch.zeros(1, n, n), torch.zeros(1, n, n)
    first[..., 0] = 1
    separator[..., -1] = 1
    noise = rows_of(3, n)
    for weights, name in ((first, "first_token"), (separator, "separators")):
        assert label(behaviours(weights.double(), LONG, causal=False)[0]) == name
        assert label(behaviours(0.95 * weights + 0.05 * noise, LONG, causal=False)[0]) == name
        assert label(behaviours(0.6 * weights + 0.4 * noise, LONG, causal=False)[0]) == name


@given(seed=st.integers(0, 10**6), resting=st.floats(0, 0.95))
def test_what_all_words_give_the_first_token_changes_no_other_measure(seed, resting):
    """They are measured on the remaining weight."""
    weights = rows_of(seed, len(LONG))
    first = torch.zeros_like(weights)
    first[..., 0] = 1
    before, after = (
        behaviours(mixed, LONG, causal=False)[0].measures
        for mixed in (weights, resting * first + (1 - resting) * weights)
    )
    for name in MEASURES:
        if name not in RESTS:
            for field in ("value", "null", "chance"):
                assert isclose(getattr(before[name], field), getattr(after[name], field), abs_tol=1e-9), name


@given(seed=st.integers(0, 10**6), causal=st.booleans(), sharp=st.sampled_from([0.1, 2.0, 50.0]))
def test_shares_and_entropy_are_between_0_and_1(seed, causal, sharp):
    for record in behaviours(rows_of(seed, len(LONG), 2, sharp, causal), LONG, causal=causal):
        assert 0 <= record.left <= 1 + 1e-12
        for name, measure in record.measures.items():
            if name != "distance":
                assert -1e-12 <= measure.value <= 1 + 1e-12, name
                assert 0 <= measure.chance <= 1, name


def test_evenly_spread_weight_has_the_values_of_chance():
    n = len(LONG)
    record = behaviours(torch.full((1, n, n), 1 / n, dtype=torch.float64), LONG, causal=False)[0]
    for name, measure in record.measures.items():
        assert measure.value == pytest.approx(measure.null), name
    assert label(record) is unsure(record) is None


@pytest.mark.parametrize("pieces", ["[CLS] a [SEP]", "a", "[CLS] a b [SEP]", "[CLS] . [SEP]"])
@pytest.mark.parametrize("causal", [False, True], ids=["encoder", "decoder"])
def test_texts_of_one_or_two_words_have_a_record_too(pieces, causal):
    tokens = tokens_of(pieces)
    record = behaviours(rows_of(1, len(tokens), causal=causal), tokens, causal=causal)[0]
    assert 0 <= record.left <= 1
    assert label(record) is None


# --- a whole model, and shuffled words ---------------------------------------------------------------------------


@pytest.mark.parametrize("config", [BERT, GPT2], ids=["encoder", "decoder"])
def test_every_head_of_a_model_is_measured(config, tmp_path):
    model = open_model(folder_of(tmp_path, config, specials=config is BERT))
    tokens = tokenize(model, "the cat sat on the mat , and the dog sat on the rug .")
    found = run(model, tokens)
    records = measured(tokens, found)
    assert [len(layer) for layer in records] == [4, 4, 4]
    alone = behaviours(found.layers[1].weights, tokens, causal=config is GPT2)
    assert records[1] == alone
    means = shuffled_means(model, tokens, times=2)
    assert means[2][3].keys() == records[2][3].measures.keys()


def test_shuffled_words_stay_whole_and_in_their_sentence():
    tokens = tokens_of("[CLS] the play ##ing cat [SEP] a dog sat [SEP]", (0,) * 6 + (1,) * 4)
    seen = set()
    for seed in range(30):
        other = shuffled(tokens, seed)
        assert other.special == tokens.special
        assert other.segments == tokens.segments
        assert sorted(other.texts[1:5]) == sorted(tokens.texts[1:5])
        assert sorted(other.texts[6:9]) == sorted(tokens.texts[6:9])
        at = other.texts.index("play")
        assert other.texts[at + 1] == "##ing"
        assert [other.texts[place] for place in (0, 5, 9)] == ["[CLS]", "[SEP]", "[SEP]"]
        assert all(
            tokens.ids[tokens.texts.index(text)] == number
            for text, number in zip(other.texts, other.ids, strict=True)
        )
        seen.add(other.texts)
    assert len(seen) > 20
    assert shuffled(tokens, 7) == shuffled(tokens, 7)
