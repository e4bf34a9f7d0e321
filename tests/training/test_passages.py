"""The training texts: the same seed gives the same texts, and nothing is always in the same place."""

from collections import Counter, defaultdict
from random import Random

import pytest

from training import chinese, english, inflect
from training.clause import Clause, Phrase, draw_clause
from training.corpus import unmarked
from training.names import common_characters
from training.passages import MARK, passages, sources
from training.templates import filled, templates
from training.words import lexicon


@pytest.fixture(scope="module")
def many():
    return list(passages(3, 6000))


def test_a_seed_gives_the_same_texts_again_and_another_seed_others(many):
    assert list(passages(3, 500)) == many[:500]
    assert not set(passages(4, 500)) <= set(many)


def test_no_frequent_word_is_always_in_the_same_place(many):
    places: dict[str, Counter[int]] = defaultdict(Counter)
    for passage in many:
        for place, word in enumerate(unmarked(passage.text)[0].lower().replace(".", " .").split()):
            places[word][place] += 1
    frequent = {word: found for word, found in places.items() if found.total() >= 30 and word.isascii()}
    assert len(frequent) > 100
    for word, found in frequent.items():
        assert len(found) >= 5, word
        assert found.most_common(1)[0][1] < 0.85 * found.total(), word


def test_lengths_vary(many):
    lengths = Counter(len(passage.text.split()) for passage in many if passage.text.isascii())
    assert {2, 5, 10, 20} <= lengths.keys()
    assert max(lengths) > 40
    assert lengths.most_common(1)[0][1] < 0.2 * lengths.total()


def test_every_kind_is_drawn_and_both_languages_and_pairs(many):
    assert {one.kind for one in sources()} | {"translation", "long"} == {passage.kind for passage in many}
    chinese_ones = sum(any("一" <= sign <= "鿿" for sign in passage.text) for passage in many)
    assert 0.35 < chinese_ones / len(many) < 0.65
    assert sum(passage.second is not None for passage in many) > 500


def test_a_mark_precedes_a_word_and_none_is_left():
    text, starts = unmarked("the *cat sat on *“ it *”")
    assert text == "the cat sat on “ it ”"
    assert {text[start] for start in starts} == {"c", "“", "”"}


def test_marks_are_before_words_only(many):
    for passage in many:
        for text in filter(None, (passage.text, passage.second)):
            plain, starts = unmarked(text)
            assert MARK not in plain
            assert all(start < len(plain) and not plain[start].isspace() for start in starts), text


def noun(name):
    return next(one for one in lexicon().described if one.en == name)


def verb(base, zh):
    return next(one for one in lexicon().verbs if one.forms[0] == base and one.zh == zh)


@pytest.mark.parametrize(
    ("clause", "en", "zh"),
    [
        (
            Clause(Phrase(noun("cat")), verb("sit", "坐在"), None, Phrase(noun("mat")), "past", False, None),
            "the cat sat on the mat",
            "猫坐在垫子上",
        ),
        (
            Clause(
                Phrase(noun("anna"), ""),
                verb("eat", "吃"),
                Phrase(noun("apple"), "a"),
                None,
                "past",
                True,
                None,
            ),
            "anna did not eat an apple",
            "安娜没有吃一个苹果",
        ),
        (
            Clause(
                Phrase(noun("mouse"), "that", many=True),
                verb("drink", "喝"),
                Phrase(noun("milk"), "my"),
                None,
                "now",
                False,
                ("now", "现在"),
            ),
            "those mice are drinking my milk now",
            "那些老鼠现在正在喝我的牛奶",
        ),
        (
            Clause(
                Phrase(None, "", pronoun="she"),
                verb("play", "玩"),
                None,
                Phrase(noun("park")),
                "want",
                False,
                None,
            ),
            "she wants to play in the park",
            "她想在公园里玩",
        ),
        (
            Clause(
                Phrase(None, "", pronoun="they", many=True),
                verb("read", "读"),
                Phrase(noun("book"), "count", many=True, count=2),
                None,
                "past",
                False,
                None,
                asks=True,
            ),
            "did they read two books",
            "他们读了两本书吗",
        ),
    ],
)
def test_a_clause_is_written_in_both_languages(clause, en, zh):
    said = {english.said(Random(seed), clause) for seed in range(20)}
    assert en in said
    assert chinese.said(clause) == zh


def test_clauses_make_sense():
    random, words = Random(1), lexicon()
    for _ in range(300):
        clause = draw_clause(random, words)
        assert clause.subject.noun is None or clause.subject.noun in clause.verb.subjects
        assert clause.object is None or clause.object.noun in clause.verb.objects


def test_every_template_can_be_filled():
    for template in templates():
        for seed in range(3):
            for text in filled(Random(seed), template):
                assert text, template
                assert not set("{}<>/") & set(text), template


@pytest.mark.parametrize(
    ("form", "word", "expected"),
    [
        (inflect.plural, "box", "boxes"),
        (inflect.plural, "baby", "babies"),
        (inflect.plural, "key", "keys"),
        (inflect.third, "go", "goes"),
        (inflect.third, "have", "has"),
        (inflect.past, "stop", "stopped"),
        (inflect.past, "visit", "visited"),
        (inflect.past, "carry", "carried"),
        (inflect.ing, "lie", "lying"),
        (inflect.ing, "make", "making"),
        (inflect.ing, "swim", "swimming"),
        (inflect.article, "hour", "an hour"),
        (inflect.article, "university", "a university"),
        (inflect.compared, "big", ("bigger", "biggest")),
        (inflect.compared, "happy", ("happier", "happiest")),
        (inflect.compared, "beautiful", ("more beautiful", "most beautiful")),
    ],
)
def test_forms_of_words(form, word, expected):
    assert form(word) == expected


def test_the_common_characters_are_those_of_the_standard():
    characters = common_characters()
    assert len(set(characters)) == 3755
    assert characters[0] == "啊"
    assert characters[-1] == "座"
