"""Question banks: read back by parsers written apart, which recompute the right answers in plain loops."""

import io
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from math import exp
from zipfile import ZipFile

import pytest

from mha_core import built_in, validate
from mha_core.bank import FORMATS, MOST_VARIANTS
from mha_core.bank.pages import Page
from mha_core.bank.variants import TOLERANCE, variants
from mha_core.bank.write import written
from mha_core.errors import ExampleError
from mha_core.messages import LANGUAGES
from tests.sizes import each

ASKED = ("weights", "head_outputs")


@pytest.fixture(scope="module")
def drawn():
    return variants(built_in("first"), ASKED, 2, seed=5)


def text_of(drawn, form):
    """A bank that is text, in English."""
    text = written(drawn, form, "en")
    assert isinstance(text, str)
    return text


# --- tables, read without the bank's code ------------------------------------------------------------------------


class Tables(HTMLParser):
    """The tables of a page in order: each with its title, and its cells as texts."""

    def __init__(self, text):
        super().__init__()
        self.found, self._title, self._cell = [], "", None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "strong":
            self._title = None
        elif tag == "table":
            self.found.append((self._title, []))
        elif tag == "tr" and self.found:
            self.found[-1][1].append([])
        elif tag == "td":
            self._cell = ""
        elif tag == "textentryinteraction" and self._cell is not None:
            self._cell = dict(attrs)["responseidentifier"]

    def handle_endtag(self, tag):
        if tag == "td":
            self.found[-1][1][-1].append(self._cell.strip())
            self._cell = None

    def handle_data(self, data):
        if self._title is None:
            self._title = data
        elif self._cell is not None:
            self._cell += data


def read_tables(text):
    """Title → rows of cells."""
    return {title: [row for row in rows if row] for title, rows in Tables(text).found}


def numbers(rows):
    return [[float(cell.replace("−", "-")) for cell in row] for row in rows]


def worked_out(tables, titles):
    """The answers of weights and head outputs of two heads, from the tables that are given: in plain loops."""
    answers: list[tuple[str, float]] = []
    scaled, v, blanks = titles
    weights = {}
    for head in (0, 1):
        rows = []
        for row in numbers(tables[scaled[head]]):
            powers = [exp(score) for score in row]
            rows.append([power / sum(powers) for power in powers])
        weights[head] = rows
    results = dict(enumerate(weights[head] for head in (0, 1)))
    for head in (0, 1):
        values = numbers(tables[v[head]])
        columns = list(zip(*values, strict=True))
        results[2 + head] = [
            [sum(a * b for a, b in zip(row, column, strict=True)) for column in columns]
            for row in weights[head]
        ]
    for at, title in enumerate(blanks):
        for row, cells in zip(results[at], tables[title], strict=True):
            answers += zip(cells, row, strict=True)
    return answers


TITLES = {
    "en": (
        ["Scaled scores S/√d_k, head 1", "Scaled scores S/√d_k, head 2"],
        ["Values V, head 1", "Values V, head 2"],
        [
            "Attention weights A, head 1",
            "Attention weights A, head 2",
            "Head outputs head_1",
            "Head outputs head_2",
        ],
    ),
}


def near(one, other):
    return abs(one - other) <= 0.0002  # the scores that are given have four decimals


# --- Moodle ------------------------------------------------------------------------------------------------------

BLANK = re.compile(r"\{(\d+):NUMERICAL:((?:[^{}])*)\}")


def cloze(text):
    """A blank: its weight, the answers as (share, number, tolerance, feedback)."""
    weight, inside = BLANK.fullmatch(text).groups()
    answers = []
    for part in inside.split("~"):
        share, number, tolerance, feedback = re.fullmatch(
            r"(=|%\d+%)(-?[\d.]+):([\d.]+)(?:#(.*))?", part
        ).groups()
        answers.append(
            (1.0 if share == "=" else float(share[1:-1]) / 100, float(number), float(tolerance), feedback)
        )
    return int(weight), answers


def moodle_questions(text):
    quiz = ET.fromstring(text)
    assert [question.get("type") for question in quiz] == ["category", "cloze", "cloze"]
    return [question.findtext("questiontext/text") for question in quiz if question.get("type") == "cloze"]


def test_moodles_questions_have_the_right_answers(drawn):
    for question in moodle_questions(written(drawn, "moodle", "en")):
        blanks = BLANK.findall(question)
        assert len(blanks) == 30
        tables = read_tables(re.sub(BLANK, lambda found: found[0].replace("<", "&lt;"), question))
        found = worked_out(tables, TITLES["en"])
        assert len(found) == 30
        for cell, right in found:
            weight, answers = cloze(cell)
            share, number, tolerance, _ = answers[0]
            assert (weight, share) == (1, 1.0)
            assert near(number, right)
            assert tolerance >= TOLERANCE


def test_no_other_number_counts_and_none_is_near_the_right_one(drawn):
    for question in moodle_questions(written(drawn, "moodle", "en")):
        for found in BLANK.finditer(question):
            (_, right, tolerance, _), *wrong = cloze(found[0])[1]
            assert all(share == 0 and told for share, _, _, told in wrong)
            assert all(abs(number - right) > tolerance + off for _, number, off, _ in wrong)
            ordered = sorted(number for _, number, _, _ in wrong)
            assert all(b - a > 2 * TOLERANCE for a, b in pairwise(ordered))


def test_feedback_names_the_mistake_that_gives_the_number(drawn):
    """Of the softmax over columns, recomputed here."""
    told = 0
    for question in moodle_questions(written(drawn, "moodle", "en")):
        tables = read_tables(question)
        scaled, _, (blanks, *_) = TITLES["en"]
        scores = numbers(tables[scaled[0]])
        for i, row in enumerate(tables[blanks]):
            for j, cell in enumerate(row):
                wrong = exp(scores[i][j]) / sum(exp(other[j]) for other in scores)
                answers = [answer for answer in cloze(cell)[1] if near(answer[1], wrong) and answer[0] == 0]
                told += sum("runs over the columns" in unescape(feedback) for *_, feedback in answers)
    assert told >= 6  # elsewhere it is too near another number


def test_a_token_cannot_become_a_blank():
    first = built_in("first")
    sly = validate(replace(first, tokens=("{1:NUMERICAL:=1}", "]]>", "<b>~#"), title="<&]]>"))
    text = written(variants(sly, ("weights",), 1), "moodle", "en")
    (question,) = [q.findtext("questiontext/text") for q in ET.fromstring(text) if q.get("type") == "cloze"]
    assert len(BLANK.findall(question)) == 18
    assert "<b>" not in question
    assert question.count("<th>&#123;1:NUMERICAL:&#61;1&#125;</th>") == 8


# --- QTI 2.1 -----------------------------------------------------------------------------------------------------

QTI = {"q": "http://www.imsglobal.org/xsd/imsqti_v2p1"}


def package(content):
    """The items of a package, in the order of its manifest."""
    with ZipFile(io.BytesIO(content)) as files:
        manifest = ET.fromstring(files.read("imsmanifest.xml"))
        names = [
            one.get("href") for one in manifest.iter("{http://www.imsglobal.org/xsd/imscp_v1p1}resource")
        ]
        assert sorted(names) == sorted(set(files.namelist()) - {"imsmanifest.xml"})
        return [files.read(name).decode() for name in names]


def qti_score(item, responses):
    """The score and the feedback that an item gives, by its own rules."""
    right = {d.get("identifier"): float(d.findtext("q:correctResponse/q:value", None, QTI))
             for d in item.findall("q:responseDeclaration", QTI)}  # fmt: skip
    score, shown = 0.0, []
    for condition in item.findall("q:responseProcessing/q:responseCondition", QTI):
        for branch in condition:
            equal = branch.find("q:equal", QTI)
            variable, other = equal
            name = variable.get("identifier")
            target = right[other.get("identifier")] if other.tag.endswith("correct") else float(other.text)
            low, high = map(float, equal.get("tolerance").split())
            if name in responses and target - low <= responses[name] <= target + high:
                outcome = branch.find("q:setOutcomeValue", QTI)
                if outcome.get("identifier") == "SCORE":
                    score += float(outcome.findtext("q:sum/q:baseValue", None, QTI))
                else:
                    shown.append(outcome.findtext("q:multiple/q:baseValue", None, QTI))
                break
    texts = {one.get("identifier"): one.text for one in item.findall("q:modalFeedback", QTI)}
    return score, [texts[name] for name in shown]


def test_qti_items_give_full_marks_for_the_right_answers_and_name_a_mistake(drawn):
    items = package(written(drawn, "qti", "en"))
    assert len(items) == 2
    for text in items:
        item = ET.fromstring(text)
        right = dict(worked_out(read_tables(text), TITLES["en"]))
        assert len(right) == 30
        assert item.find("q:itemBody", QTI) is not None
        assert qti_score(item, {name: round(number, 2) for name, number in right.items()}) == (30, [])
        assert qti_score(item, {}) == (0, [])
        tables = read_tables(text)
        scaled, _, (blanks, *_) = TITLES["en"]
        forgotten = {
            name: score
            for names, scores in zip(tables[blanks], numbers(tables[scaled[0]]), strict=True)
            for name, score in zip(names, scores, strict=True)
        }
        score, feedback = qti_score(item, forgotten)
        assert score == 0
        assert any("The softmax is missing" in told for told in feedback)


# --- QTI 1.2 -----------------------------------------------------------------------------------------------------

OLD = {"q": "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"}


def test_canvas_quizzes_have_the_tables_and_a_numerical_question_for_each_blank(drawn):
    for text in package(written(drawn, "canvas", "en")):
        quiz = ET.fromstring(text)
        tables, *asked = quiz.iter(f"{{{OLD['q']}}}item")
        right = dict(worked_out(read_tables(tables.findtext(".//q:mattext", None, OLD)), TITLES["en"]))
        assert len(asked) == len(right) == 30
        for at, item in enumerate(asked, 1):
            fields = {f.findtext("q:fieldlabel", None, OLD): f.findtext("q:fieldentry", None, OLD)
                      for f in item.iter(f"{{{OLD['q']}}}qtimetadatafield")}  # fmt: skip
            assert fields == {"question_type": "numerical_question", "points_possible": "1"}
            first, *wrong = item.findall("q:resprocessing/q:respcondition", OLD)
            low, high = (float(first.findtext(f".//q:{name}", None, OLD)) for name in ("vargte", "varlte"))
            assert near((low + high) / 2, right[f"({at})"])
            assert first.find("q:setvar", OLD).text == "100"
            texts = {one.get("ident") for one in item.findall("q:itemfeedback", OLD)}
            assert {one.find("q:displayfeedback", OLD).get("linkrefid") for one in wrong} == texts


# --- all formats -------------------------------------------------------------------------------------------------


@each("form", FORMATS)
def test_every_format_is_in_both_languages_and_the_same_each_time(form, drawn):
    texts = {language: written(drawn, form, language) for language in LANGUAGES}
    assert texts["en"] != texts["zh"]
    assert texts == {language: written(drawn, form, language) for language in LANGUAGES}


def test_a_sheet_has_a_box_for_each_number_and_the_key_has_the_numbers(drawn):
    page = text_of(drawn, "paper")
    sheets, keys = (
        re.findall(r"<section>.*?</section>", page)[:2],
        re.findall(r"<section>.*?</section>", page)[2:],
    )
    for sheet, key, variant in zip(sheets, keys, drawn, strict=True):
        assert sheet.count('class="box"') == key.count("<b>") == 30
        right = worked_out(read_tables(key), TITLES["en"])
        assert all(abs(float(text.replace("−", "-")) - number) <= 0.0051 for text, number in right)
        assert Page(variant, "en").title in sheet


def test_variants_differ_and_come_from_their_seeds(drawn):
    assert [variant.seed for variant in drawn] == [5, 6]
    assert drawn[0].example.x != drawn[1].example.x
    (again,) = variants(built_in("first"), ASKED, 1, seed=6)
    assert again.example == drawn[1].example


@each("source", ["causal", "additive", "rotary", "translation", "grouped-query", "output-projection"])
def test_examples_of_every_kind_have_banks(source):
    example = built_in(source)
    asked = ("scores", "weights")
    (variant,) = variants(example, asked, 1)
    assert {blank.cell.name for blank in variant.blanks} == set(asked)
    ET.fromstring(written([variant], "moodle", "zh"))
    for text in package(written([variant], "qti", "zh")) + package(written([variant], "canvas", "zh")):
        ET.fromstring(text)


def test_a_score_of_minus_infinity_is_given():
    (variant,) = variants(built_in("causal"), ("masked_scores",), 1)
    page = text_of([variant], "paper")
    assert page.count("<td>−∞</td>") >= 2 * 2 * 10
    assert len(variant.blanks) == 2 * 15


@each("count", [0, MOST_VARIANTS + 1])
def test_a_bank_has_a_limit(count):
    with pytest.raises(ExampleError, match="variants"):
        variants(built_in("first"), ASKED, count)


@each("asked", [(), ("sentence",), ("output",)])
def test_a_bank_asks_for_steps_of_the_example(asked):
    with pytest.raises(ExampleError, match="ask"):
        variants(built_in("first"), asked, 1)


@pytest.mark.usefixtures("english")
def test_the_command_prints_a_bank(mha):
    status, out, err = mha("bank", "first", "--ask", "weights", "--variants", "2", "--lang", "zh")
    assert (status, err) == (0, "")
    assert len(moodle_questions(out)) == 2
    assert mha("bank", "first", "--ask", "nonsense")[0] == 2
