"""The report of a check: sentences, JSON and Markdown, in both languages."""

import json
import re
from dataclasses import replace

import pytest
import torch

from mha_core import Example, Head, built_in, dump, parse, trace, validate
from mha_core.check.check import check
from mha_core.check.remarks import puzzling, remark
from mha_core.check.report import (
    as_json,
    as_markdown,
    cause_lines,
    cause_message,
    remark_message,
    unexplained_message,
)
from mha_core.check.summary import summary
from tests.core.answers import answer, layer, with_cell, work_out
from tests.core.test_check import EXPECTED, WORKED
from tests.sizes import each

PUBLISHED = check(built_in("published"))
UNSCALED = check(answer(layer(4), work_out(layer(4), {"scaled_scores": lambda s: s.scores})))
RIGHT = check(answer(layer(4), work_out(layer(4))))


def test_the_json_has_exactly_the_keys_of_the_format():
    found = as_json(PUBLISHED)
    assert list(found) == ["format", "ok", "first_wrong", "steps", "free_checks"]
    assert (found["format"], found["ok"]) == ("mha-check/1", False)
    assert found["first_wrong"] == {"step": "q", "head": 1, "row": 0, "col": 0}
    assert found["steps"]["scores"] == {"status": "missing", "wrong": [], "causes": []}
    assert found["steps"]["v"] == {"status": "ok", "wrong": [], "causes": []}
    assert found["steps"]["q"]["status"] == "wrong"
    assert found["steps"]["q"]["wrong"][0] == {
        "head": 1, "row": 0, "col": 0, "claimed": 3.0, "correct": 1.0, "own": True
    }  # fmt: skip
    assert [cause["id"] for cause in found["steps"]["q"]["causes"]] == ["other_head", "digit_slipped"]
    assert found["steps"]["k"]["causes"] == []
    assert found["steps"]["concat"]["wrong"][0]["head"] is None
    assert [one_["id"] for one_ in found["free_checks"]].count("row_sum") == 2
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_what_is_right_is_ok_and_null():
    found = as_json(RIGHT)
    assert (found["ok"], found["first_wrong"], found["free_checks"]) == (True, None, [])
    assert {step["status"] for step in found["steps"].values()} == {"ok"}


def test_a_cause_has_its_id_its_sentence_and_both_calculations():
    (cause,) = as_json(UNSCALED)["steps"]["scaled_scores"]["causes"]
    assert (cause["id"], cause["message"]) == ("not_scaled", "The scores are not divided by √d_k.")
    assert cause["right"].startswith("S/√d_k = S ÷ √d_k;  S/√d_k[1, ")
    assert cause["yours"].startswith("S/√d_k = S;  S/√d_k[1, ")
    (chinese,) = as_json(UNSCALED, "zh")["steps"]["scaled_scores"]["causes"]
    assert chinese["id"] == "not_scaled"
    assert chinese["message"] != cause["message"]


def test_minus_infinity_is_text():
    example = layer(mask="causal")
    claims = with_cell(answer(example, work_out(example)), "masked_scores", 0, 3, 0, "-inf")
    wrong = as_json(check(claims))["steps"]["masked_scores"]["wrong"]
    assert wrong[0]["claimed"] == "-inf"
    shown = with_cell(answer(example, work_out(example)), "masked_scores", 0, 0, 3, "1")
    assert as_json(check(shown))["steps"]["masked_scores"]["wrong"][0]["correct"] == "-inf"


def test_a_number_too_small_for_the_digits_is_a_power_of_ten():
    wrong = check(with_cell(answer(layer(4), work_out(layer(4))), "q", 0, 0, 0, "7e-310"))
    assert " 7e−310 |" in as_markdown(wrong)


def test_heads_and_rows_of_a_cause_are_counted_from_1():
    (cause,) = (
        check(parse((WORKED / "ilovecats_4_5_wrong_weights.mha.json").read_bytes())).steps["weights"].causes
    )
    verdict = check(parse((WORKED / "ilovecats_4_5_wrong_weights.mha.json").read_bytes()))
    assert cause_message(verdict, cause, "en") == "row 3: The scores are divided by d_k, not by √d_k."
    example = layer(4)
    verdict = check(answer(example, work_out(example, {"scaled_scores": lambda s: s.scores}, heads=[1])))
    (cause,) = verdict.steps["scaled_scores"].causes
    assert cause_message(verdict, cause, "en") == "head 2: The scores are not divided by √d_k."


@each("language", ["en", "zh"])
@each("name", EXPECTED)
def test_every_cause_of_every_published_example_has_a_sentence(name, language):
    verdict = check(parse((WORKED / f"{name}.mha.json").read_bytes()))
    for step in verdict.steps.values():
        for cause in step.causes:
            right, yours = cause_lines(verdict, cause)
            assert right
            assert yours
            assert cause_message(verdict, cause, language)
    assert as_markdown(verdict, language).startswith("# ")
    assert as_json(verdict, language)["format"] == "mha-check/1"


def test_the_outcome_in_one_sentence():
    assert summary(check(layer()), "en") == "You have not filled in any numbers yet."
    assert summary(RIGHT, "en").startswith("All ")
    assert summary(PUBLISHED, "en") == (
        "64 of 87 numbers are wrong. 4 of them are wrong only because earlier "
        "numbers are wrong. 12 of them are copied from the heads."
    )


SENTENCES = {
    "one right": ((("1",),), "In the tables you've started, 1 of 4 is filled in, and it is right. 3 left."),
    "some right": (
        (("1", "2"), ("3",)),
        ("In the tables you've started, 3 of 4 are filled in, all correct. 1 left."),
    ),
    "all right": ((("1", "2"), ("3", "4")), "All 4 numbers are right."),
    "one wrong alone": (
        (("1.50",),),
        "The one number filled in is wrong. 3 cells are still blank in the tables you've started.",
    ),
    "one wrong": (
        (("1.50", "2"), ("3",)),
        "1 of 3 numbers is wrong. 1 cell is still blank in the tables you've started.",
    ),
    "several wrong": ((("1.50", "2"), ("3.50", "4")), "2 of 4 numbers are wrong."),
    "all wrong": ((("1.50", "2.50"), ("3.50", "4.50")), "All 4 numbers are wrong."),
    "one doubtful": (
        (("1", "2"), ("3", "5")),
        "One number is rounded incorrectly: 5 at queries, row 2, column 2.",
    ),
    "doubtful and blank": (
        (("2", "3"), ("3",)),
        "2 numbers are rounded incorrectly. 1 cell is still blank in the tables you've started.",
    ),
}


@pytest.mark.parametrize(("rows", "sentence"), SENTENCES.values(), ids=SENTENCES)
def test_the_outcome_counts_in_plain_words(rows, sentence):
    """A step that is [[1.4, 2.4], [3, 4.4]], partly filled in."""
    padded = tuple(tuple((*row, None, None)[:2]) for row in (*rows, (), ())[:2])
    head = Head(w_q=((1.4, 2.4), (3.0, 4.4)), w_k=((1.0, 0.0), (0.0, 1.0)), w_v=((1.0,), (1.0,)))
    example = Example("one", ("a", "b"), (head,), x=((1.0, 0.0), (0.0, 1.0)), claimed={"q": (padded,)})
    assert summary(check(validate(example)), "en") == sentence
    chinese = summary(check(example), "zh")
    assert not re.search("[a-z]", chinese)
    assert re.findall(r"\d+", chinese) or "一" in chinese


def test_blanks_are_counted_in_the_requested_steps():
    example = replace(layer(h=1), claimed=None)
    right = work_out(example)
    begun = check(answer(example, right, only=("weights",)))
    assert summary(begun, "en") == "All 16 numbers are right."
    assert summary(begun, "en", ("weights", "concat")) == "16 of 24 filled in so far, all correct. 8 left."


def test_the_report_in_markdown():
    lines = as_markdown(UNSCALED).split("\n")
    assert lines[0] == "# Check: layer"
    assert any(line.startswith("Start here: scaled scores, head 1, row 1, column ") for line in lines)
    assert "- **The scores are not divided by √d_k.**" in lines
    assert "## queries Q" in lines
    assert "Right." in lines
    table = [line for line in lines if line.startswith("| ")]
    assert all(line.count("|") == 5 for line in table)
    assert any(line.endswith("| wrong on its own |") for line in table)
    assert any(line.endswith("| carried over from an earlier number |") for line in table)
    published = as_markdown(PUBLISHED)
    assert (
        "- **No known mistake explains this. Keys, head 1, row 1, column 2: The sign and the order"
        in published
    )
    assert "## Impossible for any X and W" in published
    assert "| queries, head 2, row 1, column 2 | 2 | 3 | wrong on its own |" in published


def test_a_number_that_only_follows_is_called_right_from_there_on():
    example = layer(4)
    verdict = check(answer(example, work_out(example, {"scaled_scores": lambda s: s.scores}, heads=[1])))
    found = as_json(verdict)["steps"]
    assert "follows" not in found["scaled_scores"]
    assert "follows" not in found["scores"]
    assert found["weights"]["follows"] == ["Wrong, but computed correctly from your earlier numbers."]
    assert found["concat"]["follows"] == ["Copied from the heads, where it is already wrong."]
    assert "them are copied from the heads." in summary(verdict, "en")
    assert "| copied from the heads |" in as_markdown(verdict)
    both = with_cell(answer(example, work_out(example, {"k": lambda s: s.q})), "weights", 0, 0, 0, "7.7")
    assert as_json(check(both))["steps"]["weights"]["follows"] == [
        "head 2: Wrong, but computed correctly from your earlier numbers."
    ]
    assert "- head 2: Wrong, but computed correctly from your earlier numbers." in as_markdown(check(both))


def test_the_report_in_chinese_has_no_english_sentence():
    report = as_markdown(PUBLISHED, "zh")
    for word in (
        "wrong",
        "row",
        "head ",
        "column",
        "known",
        "weights",
        "Check my numbers",
        "right",
        "follow",
    ):
        assert word not in report
    assert "0.0442" in report


HOSTILE = "# <script>alert(1)</script> [x](javascript:y) ![i](//h) `c` *b* |\n\n- {0} %s \\"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_title_is_text_and_never_markup(language):
    example = replace(built_in("published"), title=HOSTILE, tokens=("<b>", "|", "{x}"))
    report = as_markdown(check(example), language)
    first = report.split("\n")[0]
    for mark in ("<", ">", "[", "]", "(", ")", "`", "*", "|", "#", "!"):
        assert all(first[at - 1] == "\\" for at, c in enumerate(first) if c == mark and at > 0)
    assert "<script>" not in report
    assert report.split("\n")[1] == ""
    assert json.dumps(as_json(check(example), language))
    assert parse(dump(example)) == example


def test_a_number_that_many_slips_would_give_is_not_called_unknown():
    example = built_in("programming")
    rows = [[f"{number:.0f}" for number in row] for row in trace(example).matrix("v", 2)]
    rows[2][1] = "1"  # −1 with its sign slipped, and four other slips
    verdict = check(replace(example, claimed={"v": (None, None, tuple(map(tuple, rows)))}))
    step = verdict.steps["v"]
    assert not step.causes
    assert step.undecided
    assert unexplained_message(verdict, "v", "en") == (
        "values, head 3, row 3, column 2: Several different slips would give this number. The sign is wrong."
    )


def test_wrong_numbers_after_right_ones_were_rounded_on_the_way():
    computed = trace(built_in("programming"))
    weights = [
        [[round(number, 1) for number in row] for row in matrix] for matrix in computed["weights"].tolist()
    ]
    outputs = (torch.tensor(weights, dtype=torch.float64) @ computed["v"].cpu().double()).tolist()
    claims = {"weights": _printed(weights, 1), "head_outputs": _printed(outputs, 2)}
    verdict = check(replace(computed.example, claimed=claims))
    assert verdict.steps["head_outputs"].wrong
    assert not any(one.own for step in verdict.steps.values() for one in step.wrong)
    assert "They come from rounding in earlier steps." in summary(verdict, "en")


def _printed(matrices, decimals):
    return tuple(
        tuple(tuple(f"{number:.{decimals}f}" for number in row) for row in rows) for rows in matrices
    )


REMARKS = {
    "range": ("weights", ("1.31", "0.21"), "A weight is always between 0 and 1."),
    "sum": ("weights", ("0.31", "0.21"), "The row sums to 0.52. After softmax, every row sums to 1."),
    "sign": ("scores", ("-7.7", "7.7"), "The sign is wrong."),
    "large": ("scores", ("77.77", "7.7"), "It is more than ten times too large."),
    "small": ("scores", ("0.0123", "7.7"), "It is more than ten times too small."),
    "terms": (
        "scores",
        ("7.7", "-7.7"),
        "The sign and the order of magnitude are right. Check the terms of S = Q·Kᵀ again.",
    ),
    "zero": ("scores", ("0", "7.7"), "Check the terms of S = Q·Kᵀ again."),
    "infinite": ("scores", ("-inf", "7.7"), "−∞ only comes from a mask, and no pair is masked here."),
}


@pytest.mark.parametrize(("name", "row", "said"), REMARKS.values(), ids=REMARKS)
def test_an_unexplained_number_gets_a_remark(name, row, said):
    """The message speaks of the written scores, 4 and 1 in the first row, and gives away no right number."""
    head = Head(q=((2.0, 0.0), (1.0, 1.0)), k=((2.0, 1.0), (0.5, 3.0)), v=((1.0,), (2.0,)))
    example = Example("", ("a", "b"), (head,), scale="none", claimed={name: ((row, None),)})
    verdict = check(validate(example))
    first = puzzling(verdict.steps[name])[0]
    assert remark(verdict, first, "en") == said
    message = unexplained_message(verdict, name, "en")
    assert message.endswith(f"row 1, column 1: {said}")
    assert not re.search("[a-z]{3}", unexplained_message(verdict, name, "zh").replace("softmax", ""))
    assert remark_message(verdict, first, "en") == f"row 1, column 1: {said}"
