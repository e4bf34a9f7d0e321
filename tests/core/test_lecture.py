"""A lecturer's own walk: read and written in the file format, unchanged by edits, and shown in its order."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from mha_core import ExampleError, built_in, dump, from_token, library, parse, to_token, trace
from mha_core.example.files import from_json, to_json
from mha_core.example.lecture import Lecture, LectureStep
from mha_core.example.lecture_file import lecture_json
from mha_core.example.model import same_numbers
from mha_core.walk.lecture import arranged, needed_later, shown
from mha_core.walk.markdown import as_markdown
from mha_core.walk.stages import walk
from tests.apply import apply
from tests.core.strategies import examples, lectures
from tests.sizes import tries

WRITTEN = parse((Path(__file__).parent / "lecture.mha.json").read_bytes())


def with_lecture(lecture):
    return from_json(to_json(built_in("first")) | {"lecture": lecture})


def test_a_lecture_is_read_as_it_is_written():
    assert WRITTEN.lecture == Lecture(
        25.0,
        (
            LectureStep("tokens", note={"en": "Two tokens are enough.", "zh": "两个词元就够了。"}),
            LectureStep(
                "weights", question="Who looks at whom?", choices=("Q", {"zh": "都"}, ""), minutes=2.5
            ),
            LectureStep("scaled_scores", hidden=True),
            LectureStep("masked_scores", note="Only where there is a mask."),
            LectureStep("scores"),
        ),
    )
    assert from_token(to_token(WRITTEN)) == WRITTEN
    assert '"lecture"' not in dump(built_in("first"))


@pytest.mark.parametrize(
    ("lecture", "sentence"),
    [
        ({"steps": [{"step": "skores"}]}, "lecture.steps[0].step: there is no step 'skores'"),
        ({"steps": [{"step": "head-17"}]}, "lecture.steps[0].step: there is no step 'head-17'"),
        ({"steps": [{"step": "head-1"}]}, "lecture.steps[0].step: there is no step 'head-1'"),
        ({"steps": [{"step": "q"}, {"step": "q"}]}, "lecture.steps[1].step: the step 'q' appears here twice"),
        ({"steps": [{"note": "x"}]}, "lecture.steps[0].step: missing"),
        ({"steps": [{"step": "q", "notes": ""}]}, 'lecture.steps[0]: unknown key "notes"'),
        ({"steps": {"q": 1}}, 'lecture.steps: expected a list in brackets, got {"q": 1}'),
        ({"steps": [{"step": "q", "hidden": 1}]}, "lecture.steps[0].hidden: expected true or false, got 1"),
        ({"minutes": 0}, "lecture.minutes: expected more than 0 and at most 600, got 0.0"),
        ({"minutes": "25"}, 'lecture.minutes: expected a number, got "25"'),
        (
            {"steps": [{"step": "q", "minutes": 601}]},
            "lecture.steps[0].minutes: expected more than 0 and at most 600, got 601.0",
        ),
        (
            {"steps": [{"step": "q", "note": {"zh": "长" * 1001}}]},
            "lecture.steps[0].note.zh: expected at most 1000 characters, got 1001",
        ),
        (
            {"steps": [{"step": "q", "question": "?" * 201}]},
            "lecture.steps[0].question: expected at most 200 characters, got 201",
        ),
        (
            {"steps": [{"step": "q", "choices": ["", {"zh": "长" * 41}]}]},
            "lecture.steps[0].choices[1].zh: expected at most 40 characters, got 41",
        ),
        (
            {"steps": [{"step": "q", "choices": ["a"] * 5}]},
            "lecture.steps[0].choices: expected at most 4 choices, got 5",
        ),
        ({"steps": [{"step": "q", "choices": [1]}]}, "lecture.steps[0].choices[0]: expected text, got 1"),
    ],
)
def test_what_breaks_the_format_is_refused_with_its_place(lecture, sentence):
    with pytest.raises(ExampleError) as refused:
        with_lecture(lecture)
    assert str(refused.value) == sentence


@tries(6)
@given(lectures())
def test_a_lecture_is_set_by_one_edit_and_removed_by_another(lecture):
    first = built_in("first")
    taught = apply(first, {"op": "lecture", "lecture": lecture_json(lecture)})
    assert taught.lecture == (None if lecture == Lecture() else lecture)
    assert same_numbers(taught, first)
    assert taught.note == first.note
    assert apply(taught, {"op": "lecture", "lecture": None}) == first


@tries(6)
@given(examples(), lectures())
def test_no_number_depends_on_a_lecture(example, lecture):
    taught = replace(example, lecture=lecture)
    assert trace(taught).values == trace(replace(example, lecture=None)).values


def test_an_edit_of_numbers_keeps_the_lecture():
    for edit in (
        {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[9]]},
        {"op": "mask", "kind": "causal"},
        {"op": "add_head"},
        {"op": "add_token", "which": "tokens"},
        {"op": "w_o", "on": True},
    ):
        assert apply(WRITTEN, edit).lecture == WRITTEN.lecture


def test_no_built_in_example_is_changed_by_a_lecture():
    assert all(example.lecture is None for example in library().values())


# --- the walk in its order -------------------------------------------------------------------------------------


def ids(stages):
    return [stage.id for stage in stages]


def test_steps_are_in_the_lectures_order_and_others_follow_their_predecessor():
    stages = walk(trace(WRITTEN))
    assert ids(stages) == [
        *("tokens", "inputs", "q", "k", "v", "scores", "scaled_scores", "weights", "head_outputs"),
        *("head-2", "concat", "closing"),
    ]
    assert ids(arranged(stages, WRITTEN.lecture)) == [
        *("tokens", "inputs", "q", "k", "v", "weights", "head_outputs", "head-2", "concat", "closing"),
        *("scaled_scores", "scores"),
    ]
    assert ids(shown(stages, WRITTEN.lecture)) == [
        *("tokens", "inputs", "q", "k", "v", "weights", "head_outputs", "head-2", "concat", "closing"),
        "scores",
    ]


def test_a_step_that_comes_too_early_names_what_it_needs():
    computed = trace(WRITTEN)
    order = arranged(walk(computed), WRITTEN.lecture)
    late = {step: ids(needs) for step, needs in needed_later(computed, order).items()}
    assert late == {"weights": ["scaled_scores"], "scaled_scores": ["scores"]}
    assert needed_later(computed, walk(computed)) == {}


@tries(6)
@given(examples(variants=True), lectures())
def test_every_stage_appears_once_and_a_lecture_of_the_usual_order_changes_nothing(example, lecture):
    computed = trace(example)
    stages = walk(computed)
    assert sorted(ids(arranged(stages, lecture))) == sorted(ids(stages))
    usual = Lecture(steps=tuple(LectureStep(stage.id) for stage in stages[::2]))
    assert shown(stages, usual) == stages
    assert needed_later(computed, stages) == {}
    named = [one.step for one in lecture.steps if one.step in ids(stages)]
    order = ids(arranged(stages, lecture))
    assert [step for step in order if step in named] == named
    for before, stage in zip(ids(stages), ids(stages)[1:], strict=False):
        if stage not in named:
            assert order.index(stage) > order.index(before)


def test_where_all_is_hidden_all_is_shown():
    stages = walk(trace(WRITTEN))
    nothing = Lecture(steps=tuple(LectureStep(stage.id, hidden=True) for stage in stages))
    assert shown(stages, nothing) == stages


def test_the_handout_has_the_lectures_steps_in_its_order():
    headings = [line for line in as_markdown(trace(WRITTEN)).splitlines() if line.startswith("## ")]
    stages = shown(walk(trace(WRITTEN)), WRITTEN.lecture)
    titles = [stage.words.title.translated("en") for stage in stages]
    assert len(headings) == len(titles)
    for number, (heading, title) in enumerate(zip(headings, titles, strict=True), 1):
        assert heading.startswith(f"## {number}. {title}")
