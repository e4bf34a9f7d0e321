"""The bench's answers: what is new since one before, which together with that is everything."""

import json
from array import array
from base64 import b64decode
from copy import deepcopy
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mha_core import AddMask, AllowMask, built_in
from mha_ui.bench.answers import Answers
from mha_ui.bench.model import payload
from mha_ui.check.model import check_payload
from mha_ui.state import Work, receive
from mha_ui.state.history import begun
from tests.core.edits import BUILT_IN, cases
from tests.sizes import tries

FIRST = Work(begun(built_in("first"), "first"), "en")


def edited(work, *edits):
    first = work.browser.applied + 1
    numbered = [{**edit, "seq": seq} for seq, edit in enumerate(edits, start=first)]
    return receive(work, {"session": work.browser.session, "edits": numbered})


def set_x(number, col=0):
    return {"op": "set", "matrix": "x", "head": None, "row": 0, "col": col, "values": [[number]]}


def new_in(answers, work, known):
    """What is new in the next answer."""
    return as_json(answers.next(payload(work), known))["new"]


def runs_of_x(new):
    return next(runs for name, _, runs, _ in new["numbers"] if name == "x")


def put_together(before, answer):
    """What a reader has, who had ``before``."""
    whole, new = deepcopy(before), answer["new"]
    whole |= new["parts"] | {name: answer[name] for name in ("session", "ack", "lang", "own_words")}
    floats = array("d", b64decode(new["floats"])).tolist()
    for name, parts in new["matrices"].items():
        whole["matrices"][name] |= parts
    for name, head, runs, told in new["numbers"]:
        values = whole["matrices"][name]["values"]
        rows = values if head is None else values[head]
        places = [
            at
            for start, count in zip(runs[::2], runs[1::2], strict=True)
            for at in range(start, start + count)
        ]
        added = told or [floats.pop(0) for _ in places]
        for at, value in zip(places, added, strict=True):
            rows[at // len(rows[0])][at % len(rows[0])] = value
    assert not floats
    return whole


def as_json(data):
    return json.loads(json.dumps(data))


@tries(30)
@given(cases(BUILT_IN, odd=st.just(False), most=3), st.sampled_from([payload, check_payload]))
def test_what_is_new_and_what_was_there_is_everything(case, page):
    example, edits = case
    work, answers = Work(begun(example, None), "en"), Answers()
    has = as_json(answers.next(page(work), 0))
    for edit in edits:
        work = edited(work, edit)
        answer = as_json(answers.next(page(work), has["answer"]))
        has = answer if "new" not in answer else put_together(has, answer) | {"answer": answer["answer"]}
        assert has == as_json(page(work)) | {"answer": answers.last}


def test_what_has_not_changed_is_not_sent():
    answers = Answers()
    answers.next(payload(FIRST), 0)
    new = new_in(answers, edited(FIRST, set_x(8.0)), 1)
    assert new["matrices"] == {}
    assert not {"stages", "labels", "steps", "choices", "limits"} & new["parts"].keys()
    assert ("x", None, [0, 1]) in [tuple(table[:3]) for table in new["numbers"]]
    assert {"w_q", "w_k", "w_v"}.isdisjoint(name for name, *_ in new["numbers"])


def test_consecutive_numbers_of_two_rows_are_one_run():
    answers = Answers()
    answers.next(payload(FIRST), 0)
    edit = set_x(8.0, col=1) | {"values": [[8.0], [9.0]]}
    new = new_in(answers, edited(FIRST, edit, set_x(7.0) | {"row": 1}), 1)
    assert runs_of_x(new) == [1, 3]


def test_a_browser_that_missed_an_answer_is_told_all_since_its_own():
    answers = Answers()
    answers.next(payload(FIRST), 0)
    work = edited(FIRST, set_x(8.0))
    answers.next(payload(work), 1)
    new = new_in(answers, edited(work, set_x(9.0, col=1)), 1)
    assert runs_of_x(new) == [0, 2]


def test_the_answer_that_the_browser_has_stays_stored():
    answers = Answers()
    answers.next(payload(FIRST), 0)
    assert all("new" in answers.next(payload(FIRST), 1) for _ in range(5))


def test_of_the_others_only_the_latest_are_stored():
    answers = Answers()
    for _ in range(5):
        answers.next(payload(FIRST), 0)
    assert "new" in answers.next(payload(FIRST), answers.last)
    assert "new" not in answers.next(payload(FIRST), 1)


def test_other_tables_come_whole():
    answers = Answers()
    answers.next(payload(FIRST), 0)
    work = edited(FIRST, {"op": "mask", "kind": "causal"})
    assert "new" not in answers.next(payload(work), 1)
    assert "new" not in answers.next(payload(edited(work, {"op": "lens", "value": "gradient"})), 2)


def test_a_pair_of_a_mask_is_not_the_number_that_python_takes_it_for():
    added = replace(built_in("first"), mask=AddMask(((0.0, 1.0, 0.0),) * 3))
    allowed = replace(built_in("first"), mask=AllowMask(((False, True, False),) * 3))
    of_both = [payload(Work(begun(example, None), "en")) | {"opened": 1} for example in (added, allowed)]
    answers = Answers()
    answers.next(of_both[0], 0)
    answer = as_json(answers.next(of_both[1], 1))
    mask = next(table for table in answer["new"]["numbers"] if table[0] == "mask")
    assert mask[3] == [False, True, False] * 3
