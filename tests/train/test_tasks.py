"""Every task obeys its rule, said again here in other words; one's own lines are read or refused."""

import re
from datetime import date
from random import Random

import pytest

from mha_core.errors import TrainError
from mha_core.train.lines import Line, answered, batch_of, parse_lines
from mha_core.train.tasks import MONTHS, TASKS, own_lines, task_of
from tests.sizes import each, lengthened


def drawn(key):
    return [TASKS[key].draw(Random(seed)) for seed in range(lengthened(60))]


def sides(line):
    assert line.prompt[-1] == "→"
    assert line.answer[-1] == "."
    return list(line.prompt[:-1]), list(line.answer[:-1])


@each("key", TASKS)
def test_lines_fit_into_the_task_and_follow_from_the_seed(key):
    task = TASKS[key]
    for line in drawn(key):
        assert set(line.tokens) <= set(task.vocabulary)
        assert 2 <= len(line.tokens) <= task.longest
    assert drawn(key) == drawn(key)
    assert len(set(drawn(key))) > 40
    assert len(set(task.vocabulary)) == len(task.vocabulary)


@each("key", TASKS)
def test_a_prompt_has_one_answer(key):
    answers: dict = {}
    for line in drawn(key):
        assert answers.setdefault(line.prompt, line.answer) == line.answer


@each(
    "key, rule",
    [
        ("copy", list),
        ("reverse", lambda row: list(reversed(row))),
        ("sort", lambda row: sorted(row, key=int)),
    ],
)
def test_copy_reverse_and_sort(key, rule):
    for line in drawn(key):
        prompt, answer = sides(line)
        assert 3 <= len(prompt) <= 8
        assert answer == rule(prompt)


def test_induction_repeats_a_row_of_different_letters():
    for line in drawn("induction"):
        tokens, length = line.tokens, len(line.prompt) - 1
        assert len(tokens) == 32
        assert 8 <= length <= 14
        assert len(set(tokens[:length])) == length
        assert all(tokens[at] == tokens[at - length] for at in range(length, 32))


def read_date(text):
    patterns = (
        r"(?P<d>\d+)(?P<name>[A-Z][a-z]+)(?P<y>\d{4})",
        r"(?P<name>[A-Z][a-z]+)(?P<d>\d+),(?P<y>\d{4})",
        r"(?P<y>\d{4})年(?P<m>\d+)月(?P<d>\d+)日",
        r"(?P<d>\d+)/(?P<m>\d+)/(?P<y>\d{4})",
    )
    found = next(match for pattern in patterns if (match := re.fullmatch(pattern, text)))
    parts = found.groupdict()
    month = int(parts["m"]) if "m" in parts else MONTHS.index(parts["name"]) + 1
    return date(int(parts["y"]), month, int(parts["d"]))


def test_dates_are_written_as_in_iso_8601():
    for line in drawn("dates"):
        prompt, answer = sides(line)
        day = read_date("".join(prompt))
        assert "".join(answer) == f"{day:%Y-%m-%d}"
        assert 1950 <= day.year <= 2049


def test_brackets_are_closed_and_no_more():
    for line in drawn("brackets"):
        prompt, answer = sides(line)
        text = "".join(prompt + answer)
        assert answer
        assert len(answer) <= 4
        while re.search(r"\(\)|\[\]|\{\}", text):
            text = re.sub(r"\(\)|\[\]|\{\}", "", text)
        assert text == ""


ENGLISH = re.compile(
    r"the (?:(?P<a>\w+) )?(?P<who>cat|dog|bird|horse)(?: (?P<where>in|on|under) the (?P<of>\w+))? (?P<does>\w+) "
    r"the (?:(?P<b>\w+) )?(?P<what>book|letter|picture|apple)(?: (?P<there>in|on|under) the (?P<at>\w+))?"
    r"(?: (?P<when>\w+))?"
)
CHINESE = dict(
    zip(
        "small big white old red new cat dog bird horse book letter picture apple sees finds wants "
        "takes in on under box car boat today now often".split(),
        "小,大,白,老,红,新,猫,狗,鸟,马,书,信,画,苹果,看见,找到,要,拿,里,上,下,盒子,车,船,今天,现在,常常".split(
            ","
        ),
        strict=True,
    )
)


def in_chinese(english):
    """The grammar again: what a subject is like, where it is, when, where, what it does, and to what."""
    parts = ENGLISH.fullmatch(english).groupdict()
    word = {name: CHINESE.get(part) for name, part in parts.items()}
    words = [
        word["of"] and f"{word['of']} {word['where']} 的",
        word["a"],
        word["who"],
        word["when"],
        word["at"] and f"在 {word['at']} {word['there']}",
        word["does"],
        word["b"],
        word["what"],
    ]
    return " ".join(filter(None, words))


def test_a_translation_by_hand():
    english = "the small cat on the box sees the red book under the car today"
    assert in_chinese(english) == "盒子 上 的 小 猫 今天 在 车 下 看见 红 书"


def test_translations_have_the_same_parts_in_another_order():
    for line in drawn("translation"):
        one, other = (" ".join(side) for side in sides(line))
        english, chinese = (one, other) if one.startswith("the ") else (other, one)
        assert in_chinese(english) == chinese


def test_batches_are_filled_up_and_only_answers_are_asked_for():
    number = {".": 0, "→": 1, "a": 2, "b": 3}
    ids, asked = batch_of([answered("ab", "a"), answered("b", "b")], number)
    assert ids.tolist() == [[2, 3, 1, 2, 0], [3, 1, 3, 0, 0]]
    assert asked.tolist() == [[False, False, False, True, True], [False, False, True, True, False]]


def test_an_unknown_task_is_named_with_those_that_there_are():
    with pytest.raises(TrainError, match="there is no task 'sorted'; the tasks are copy, induction"):
        task_of("sorted")


def test_own_lines_are_read():
    assert parse_lines("the cat\tle chat\n\n我看见 she → wo kanjian") == (
        Line(("the", "cat", "→"), ("le", "chat", ".")),
        Line(("我", "看", "见", "she", "→"), ("wo", "kanjian", ".")),
    )


def test_own_lines_make_a_task():
    lines = parse_lines("one two\tun deux\nthree\ttrois")
    task = own_lines(lines)
    assert task.vocabulary == (".", "→", "one", "two", "un", "deux", "three", "trois")
    assert task.longest == 6
    assert {task.draw(Random(seed)) for seed in range(20)} == set(lines)


@each(
    "text, sentence",
    [
        ("", "there is no line with a source, a tab or →, and a target"),
        (
            "a\tb\nword word",
            "line 2: expected a source and a target with one tab or → between them, got 'word word'",
        ),
        ("a\tb\tc", "line 1: expected a source and a target with one tab"),
        ("a\t ", "line 1: expected 1 to 16 tokens on each side, got 0"),
        ("a\tb\n" + "x " * 17 + "\tb", "line 2: expected 1 to 16 tokens on each side, got 17"),
        ("a .\tb", "line 1: a token cannot be “.”, which ends an answer"),
        ("a b\tc\na b\td", "two lines have the source 'a b' but different targets"),
        ("\n".join(f"{at}\tb" for at in range(501)), "501 lines are too many; the most is 500"),
    ],
)
def test_bad_lines_are_refused(text, sentence):
    with pytest.raises(TrainError) as caught:
        parse_lines(text)
    assert str(caught.value).startswith(sentence)
