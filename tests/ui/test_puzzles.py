"""A puzzle in a visitor's work: its address, its start, what may be changed, and the page with all puzzles."""

from dataclasses import replace

import pytest

from mha_core import dump, to_token
from mha_core.example.model import same_numbers
from mha_core.puzzle import after_solution, built_in_puzzles, in_language
from mha_ui import state
from mha_ui.bench.model import payload
from mha_ui.state import address
from mha_ui.state.url import work_at
from mha_ui.state.work import open_file, reset
from mha_view.language import LANGUAGES
from mha_view.puzzle import STAGE_WORDS, puzzle_stages
from tests.js.dom.works import after, opened
from tests.ui.pages import opened as page_opened

FIRST, SECOND = list(built_in_puzzles())[:2]
LAST = list(built_in_puzzles())[-1]
START = built_in_puzzles()[FIRST]


def test_an_untouched_puzzle_is_named_in_the_address():
    assert address(opened(puzzle=FIRST)) == {"puzzle": FIRST}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_puzzle_has_the_tokens_of_the_reader(language):
    assert opened(language, puzzle=FIRST, lang=language).example == in_language(START, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_with_changed_numbers_is_reset_to_the_puzzle_as_it_began(language):
    solved = after(opened(language, puzzle=FIRST, lang=language), *START.puzzle.solution)
    link = opened(language, **address(solved))
    assert link.example == solved.example
    assert reset(link).example == in_language(START, language)


def test_a_puzzle_that_does_not_exist_opens_the_first_example_and_says_so():
    work = opened(puzzle="none")
    assert work.example.puzzle is None
    assert work.message.text.startswith("there is no puzzle named")


def test_only_what_the_puzzle_allows_can_be_changed():
    sent = payload(opened(puzzle=FIRST))
    assert {name for name, matrix in sent["matrices"].items() if matrix["edit"]} == set(START.puzzle.change)
    assert sent["controls"]["fixed"] == []


@pytest.mark.parametrize("key", built_in_puzzles())
def test_the_numbers_that_may_be_changed_are_the_first_on_the_page(key):
    sent = payload(opened(puzzle=key))
    firsts = [set(stage["matrices"]) for stage in sent["stages"]]
    changeable = [at for at, names in enumerate(firsts) if names & set(sent["puzzle"]["change"])]
    assert changeable == list(range(len(changeable)))
    free = payload(after(opened(puzzle=key), {"op": "puzzle"}))
    assert sorted(map(str, sent["stages"])) == sorted(map(str, free["stages"]))


def test_who_leaves_a_puzzle_keeps_its_numbers_may_change_all_and_can_go_back():
    solved = after(opened(puzzle=FIRST), *START.puzzle.solution)
    free = after(solved, {"op": "puzzle"})
    assert same_numbers(free.example, solved.example)
    sent = payload(free)
    assert sent["puzzle"] is None
    assert sent["start"]["puzzles"]
    assert "fixed" not in sent["controls"]
    assert after(free, {"op": "undo"}).example == solved.example


@pytest.mark.parametrize("name", ["scale", "mask"])
def test_a_setting_that_may_be_changed_is_in_the_toolbar(name):
    key = next(key for key, example in built_in_puzzles().items() if name in example.puzzle.change)
    assert name in payload(opened(puzzle=key))["controls"]["fixed"]


def test_what_is_sent_says_where_it_starts_and_how_many_numbers_differ():
    begun, solved = opened(puzzle=FIRST), after(opened(puzzle=FIRST), *START.puzzle.solution)
    sent, then = payload(begun)["puzzle"], payload(solved)["puzzle"]
    goal = START.puzzle.goals[0]
    number = begun.trace.matrix(goal.step, goal.head)[goal.row][goal.col]
    assert sent["goals"][0]["start"] == then["goals"][0]["start"] == number
    assert (sent["changed"], then["changed"]) == (0, sent["fewest"])
    assert sent["next"] == f"puzzle={SECOND}&lang=en"
    assert payload(opened(puzzle=LAST))["puzzle"]["next"] == ""


def test_an_example_without_a_puzzle_offers_the_first():
    sent = payload(opened(example="first"))
    assert sent["puzzle"] is None
    assert sent["start"]["puzzles"][0]["query"] == f"puzzle={FIRST}&lang=en"


def test_a_visitors_own_puzzle_has_no_place_among_ours_and_a_link_of_its_own():
    own = replace(START, puzzle=replace(START.puzzle, key="", stage=""))
    work = state.open_example(opened(example="first"), own)
    sent = payload(after(work, *own.puzzle.solution))["puzzle"]
    assert (sent["place"], sent["changed"]) == ("", sent["fewest"])
    link = work_at(dict([sent["link"].split("=", 1)]), None)
    assert same_numbers(link.example, START)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_every_puzzle_in_order(language):
    stages = puzzle_stages(language)
    assert [card["key"] for stage in stages for card in stage["puzzles"]] == list(built_in_puzzles())
    assert len(stages) == len(STAGE_WORDS)


def test_the_pictures_frame_weights_that_the_solution_changes():
    for stage in puzzle_stages("en"):
        for card in stage["puzzles"]:
            example = built_in_puzzles()[card["key"]]
            heads = dict(card["maps"])
            for head, row, col in card["goals"]:
                assert 0 <= heads[head][row][col] <= 1, example.title


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_opens(language):
    app = page_opened("puzzles.py", {"lang": language})
    assert not app.exception


def test_the_solution_of_every_puzzle_is_what_the_browser_is_sent():
    for key, example in built_in_puzzles().items():
        work = opened(puzzle=key)
        for data in payload(work)["puzzle"]["solution"]:
            work = after(work, data)
        assert same_numbers(work.example, after_solution(example)), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_somebody_has_changed_becomes_a_puzzle_that_begins_where_he_began(language):
    begun = opened(language, example="programming", lang=language)
    edit = {"op": "set", "matrix": "w_q", "head": 0, "row": 1, "col": 0, "values": [[-2]]}
    cell = {"name": "weights", "head": 0, "row": 1, "col": 0}
    made = after(begun, edit, {"op": "make_puzzle", "cell": cell})
    assert same_numbers(made.example, begun.example)
    assert payload(made)["puzzle"]["title"]
    assert not made.message
    assert payload(after(made, edit))["puzzle"]["changed"] == 1
    assert after(made, {"op": "undo"}).example.puzzle is None


def test_the_link_to_a_puzzle_of_ones_own_has_its_title_and_its_start():
    edit = {"op": "set", "matrix": "w_q", "head": 0, "row": 1, "col": 0, "values": [[-2]]}
    cell = {"name": "weights", "head": 0, "row": 1, "col": 0}
    title = {"op": "title", "text": "Look there"}
    made = after(opened(example="programming"), edit, {"op": "make_puzzle", "cell": cell}, title, edit)
    link = work_at(dict([payload(made)["puzzle"]["link"].split("=", 1)]), None)
    assert link.example.title == "Look there"
    assert payload(link)["puzzle"]["changed"] == 0


def test_a_puzzle_that_cannot_be_made_leaves_the_work_and_says_why():
    begun = opened(example="first")
    refused = after(begun, {"op": "make_puzzle", "cell": {"name": "weights", "head": 0, "row": 0, "col": 0}})
    assert refused.example == begun.example
    assert "hange a number first" in refused.message.text


def test_a_link_and_a_file_whose_solution_cannot_be_shown_are_refused():
    solution = ({"op": "set", "matrix": "w_q", "head": 7, "row": 0, "col": 0, "values": ((1,),)},)
    own = replace(START, puzzle=replace(START.puzzle, key="", solution=solution))
    reason = "puzzle.solution[0], heads[7]: this no longer exists"
    work = opened(s=to_token(own))
    assert work.example.puzzle is None
    assert work.message.text.startswith(reason)
    assert open_file(work, dump(own).encode()).message.text == reason


@pytest.mark.parametrize(
    ("key", "language", "texts"),
    [
        ("book", "en", ["it → book in head 1: at least 0.8"]),
        ("book", "zh", ["头 1 里 它 → 书：至少 0.8"]),
        ("minus", "en", ["S[purple, red]: exactly −4", "purple → red: at most 0.05"]),
        ("divisor", "en", ["sun → sun: about 0.8", "sun → sea: about 0.1", "sun → sand: about 0.1"]),
        ("same-word", "en", ["the₁ → cat: at least 0.8", "the₂ → dog: at least 0.8"]),
        ("take-nothing", "en", ["head1[cat, 1]: exactly 0", "cat → the: at least 0.7"]),
    ],
)
def test_a_goal_says_in_words_what_it_wants(key, language, texts):
    puzzle = payload(opened(language, puzzle=key, lang=language))["puzzle"]
    assert [goal["text"] for goal in puzzle["goals"]] == texts
