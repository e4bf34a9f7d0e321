"""The walk covers the trace: every step once, in order, every cell once, and no other number."""

import json
import re
from html.parser import HTMLParser
from math import fsum, isclose
from pathlib import Path

import pytest
from hypothesis import given

from mha_core import Cell, built_in, derive, library, parse, trace
from mha_core.compute.derive import cells
from mha_core.compute.graph import head_graph
from mha_core.errors import ExportError
from mha_core.example.model import NEG_INF
from mha_core.messages import LANGUAGES
from mha_core.walk.handout import MOST_SUMS
from mha_core.walk.markdown import as_markdown
from mha_core.walk.stages import MOST_CELLS, PHASES, exponentials_of, layout_of, looked_at, operands_of, walk
from mha_view.bundle import WEB
from mha_view.handout import as_html
from tests.apply import apply
from tests.core.strategies import examples
from tests.sizes import each, tries
from tools.examples import sized

HERE = Path(__file__).parent
EVERY = {
    **library(),
    "starts further on": parse((HERE / "starts_further_on.mha.json").read_bytes()),
    "ends at weights": parse((HERE / "ends_at_weights.mha.json").read_bytes()),
    **{path.stem: parse(path.read_bytes()) for path in sorted((HERE / "worked").glob("*.mha.json"))},
}


def covered_steps(stages):
    """Every (head, step) that the stages cover, in order."""
    return [(stage.head, step.name) for stage in stages for step in stage.steps]


def declared_steps(computed):
    """The same from the declared graph: what comes before the heads, each head's steps, what comes after."""
    names = [step.name for step in computed.steps if step.per_head]
    layer = [step.name for step in computed.steps if not step.per_head]
    before = layer[: [step.name for step in computed.steps].index(names[0])]
    heads = [
        (head, step.name)
        for head, own in enumerate(computed.example.heads)
        for step in head_graph(computed.example, own)
    ]
    return [(None, name) for name in before] + heads + [(None, name) for name in layer[len(before) :]]


def check_stages(computed, stages):
    assert len({stage.id for stage in stages}) == len(stages)
    assert next(stage.kind for stage in stages) == "tokens"
    assert [stage.kind for stage in stages][-1] == "closing"
    assert covered_steps(stages) == declared_steps(computed)


def check_parts(computed, stages):
    """The parts of the computing stages have every computed cell once; those of a stage are in order."""
    covered = [cell for stage in stages if stage.steps for part in stage.parts for cell in part.cells]
    assert len(set(covered)) == len(covered)
    assert set(covered) == set(cells(computed))
    for stage in stages:
        for part in stage.parts:
            assert part.beats >= 1
            assert part.cells
        if stage.kind == "head":
            assert [part.matrix for part in stage.parts] == [step.name for step in stage.steps]
        if stage.kind == "step":
            check_beats(computed, stage)


def check_beats(computed, stage):
    (step,) = stage.steps
    rows = computed.matrix(step.name, stage.head)
    for part in stage.parts:
        size = (part.bottom - part.top, part.right - part.left)
        if layout_of(step) == "softmax":
            assert part.beats == PHASES
        elif layout_of(step) == "concat":
            assert part.beats == len(rows)
        elif layout_of(step) == "product" and len(rows) * len(rows[0]) <= MOST_CELLS:
            assert size == (1, 1)
            assert part.beats == len(derive(computed, part.cells[0]).terms)
        else:
            assert part.beats == size[1]


def check_softmax(computed, stages):
    """Powers over their sum are the trace's weights, and the key looked at most has the largest one."""
    for stage in stages:
        for step in stage.steps:
            if step.op != "softmax":
                continue
            weights = computed.matrix(step.name, stage.head)
            for row, found in zip(weights, exponentials_of(computed, step, stage.head), strict=True):
                assert isclose(found.total, fsum(found.exponentials))
                if found.total == 0:
                    assert row == [0.0] * len(row)
                    continue
                for weight, power in zip(row, found.exponentials, strict=True):
                    assert abs(power / found.total - weight) <= 1e-12
    for head, by_query in enumerate(looked_at(computed)):
        for row, most in zip(computed.matrix("weights", head), by_query, strict=True):
            if max(row) <= 0:
                assert most is None
                continue
            assert most.weight == max(row)
            assert most.keys == tuple(j for j, weight in enumerate(row) if weight > max(row) - 1e-9)


def check_words(stages):
    for language in LANGUAGES:
        for stage in stages:
            for words in (stage.words, *stage.step_words):
                for sentence in words:
                    said = sentence.translated(language)
                    assert said
                    assert "{" not in said


def check_operands(computed, stages):
    """The matrices that a step reads are those of its cells' terms."""
    for stage in stages:
        for step in stage.steps:
            read = {(operand.name, owner) for operand, owner in operands_of(computed, step, stage.head)}
            rows = computed.matrix(step.name, stage.head)
            ends = [
                derive(computed, Cell(step.name, stage.head, len(rows) - 1, j)) for j in range(len(rows[0]))
            ]
            assert read == {(c.name, c.head) for end in ends for term in end.terms for c in term.cells}


class Page(HTMLParser):
    """The cells of a page by their attributes, and its plain text."""

    def __init__(self, text):
        super().__init__()
        self.cells, self.texts, self.tags, self.at = [], [], set(), None
        self.scripts, self.sums = [], {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.at = dict(attrs).get("data-cell") if tag == "td" else self.at
        if tag == "script":
            assert not attrs
            self.scripts.append("")
        if "data-of" in dict(attrs):
            self.sums[dict(attrs)["data-of"]] = dict(attrs)["data-terms"]
        for name, value in attrs:
            assert not name.startswith("on")
            assert name not in ("src", "srcset")
            assert not (name == "href" and not value.startswith("#"))

    def handle_endtag(self, tag):
        self.at = None if tag == "td" else self.at

    def handle_data(self, data):
        if self.lasttag == "script" and self.scripts[-1] == "":
            self.scripts[-1] = data
            return
        self.texts.append(data)
        if self.at:
            self.cells.append((self.at, data))


def check_number(text, number, decimals):
    plain = text.replace("−", "-")
    if number == NEG_INF:
        assert plain == "-∞"
    elif "e" in plain:
        assert isclose(float(plain), number, rel_tol=1e-3)
    else:
        assert abs(float(plain) - number) <= 0.5 * 10**-decimals + 1e-9 * max(1, abs(number))


def cell_of(key):
    name, head, row, col = key.split("|")
    return Cell(name, int(head) if head else None, int(row), int(col))


def check_page(computed, text, decimals=4):
    """Every cell of the page has its own number, and no computed cell is missing."""
    page = Page(text)
    seen = set()
    for of, shown in page.cells:
        cell = cell_of(of)
        check_number(shown, computed.matrix(cell.name, cell.head)[cell.row][cell.col], decimals)
        seen.add(cell)
    assert set(cells(computed)) <= seen
    for of, terms in page.sums.items():
        wanted = derive(computed, cell_of(of)).terms
        assert [tuple(map(cell_of, term.split(","))) for term in terms.split()] == [
            one.cells for one in wanted
        ]
        assert {cell for one in wanted for cell in one.cells} <= seen
    return page


def check_markdown(computed, stages, text, decimals=4):
    """The last matrix of each step's formula is the trace's, in the order of the walk."""
    blocks = re.findall(r"\\begin\{aligned\}\n(.*?)\n\\end\{aligned\}", text, re.DOTALL)
    for block, (head, name) in zip(blocks, covered_steps(stages), strict=True):
        last = block.rsplit("\\begin{pmatrix} ", 1)[1].removesuffix(" \\end{pmatrix}")
        shown = [row.split(" & ") for row in last.split(" \\\\ ")]
        rows = computed.matrix(name, head)
        assert [len(row) for row in shown] == [len(row) for row in rows]
        for line, row in zip(shown, rows, strict=True):
            for shown, number in zip(line, row, strict=True):
                plain = shown.replace("\\infty", "∞").replace(" \\cdot ", "·")
                plain = re.sub(r"\\cdot 10\^\{(.*?)\}", r"e\1", plain.replace("·", "\\cdot "))
                check_number(plain, number, decimals)


def check_walk(example):
    computed = trace(example)
    stages = walk(computed)
    check_stages(computed, stages)
    check_parts(computed, stages)
    check_softmax(computed, stages)
    check_operands(computed, stages)
    check_words(stages)
    return computed, stages


@each("name", EVERY)
def test_the_walk_of_every_example(name):
    computed, stages = check_walk(EVERY[name])
    for language in LANGUAGES:
        check_page(computed, as_html(computed, language))
        check_markdown(computed, stages, as_markdown(computed, language))


@pytest.mark.parametrize("name", ["first", "output-projection", "padding"])
def test_markdown_equals_where_every_digit_is_there_and_else_about(name):
    """A step's result follows = only where none of its numbers is rounded, and the same for its factors."""
    computed = trace(EVERY[name])
    text = as_markdown(computed)

    def rounded(name, head):
        numbers = [number for row in computed.matrix(name, head) for number in row if number != NEG_INF]
        return any(not isclose(round(number, 4), number, rel_tol=1e-12) for number in numbers)

    steps = {step.name: step for step in computed.steps}
    blocks = re.findall(r"\\begin\{aligned\}\n(.*?)\n\\end\{aligned\}", text, re.DOTALL)
    for block, (head, name) in zip(blocks, covered_steps(walk(computed)), strict=True):
        signs = re.findall(r"^&(=|\\approx) ", block, re.MULTILINE)
        wanted = [rounded(name, head)]
        if layout_of(steps[name]) == "product":
            read = operands_of(computed, steps[name], head)
            wanted.insert(0, any(rounded(operand.name, owner) for operand, owner in read))
        assert signs == ["\\approx" if one else "=" for one in wanted], name
    assert "\n&\\approx" in text
    assert "\n&=" in text


@tries(25)
@given(examples(claims=False))
def test_the_walk_of_generated_examples(example):
    computed, stages = check_walk(example)
    check_page(computed, as_html(computed, "zh", 3), 3)
    check_markdown(computed, stages, as_markdown(computed, "en", 3), 3)


def test_the_first_example_is_walked_as_it_is_taught():
    stages = walk(trace(built_in("first")))
    ids = "tokens inputs q k v scores scaled_scores weights head_outputs head-2 concat closing".split()
    assert [stage.id for stage in stages] == ids
    scores = stages[5]
    assert scores.parts[4].cells == (Cell("scores", 0, 1, 1),)
    assert scores.parts[4].beats == 2
    assert scores.words.what.translated("en").startswith("Each query is compared with each key")
    assert scores.words.why.translated("zh").startswith(
        "把两行看作向量，分数等于它们的长度与夹角余弦的乘积："
    )


def test_the_walk_says_which_numbers_are_turned_together():
    wide = apply(built_in("programming"), {"op": "resize", "axis": "d_k", "size": 4})
    for pairs, said in (
        ("interleaved", "two neighboring numbers at a time"),
        ("half", "Each number in its first half"),
    ):
        turned = apply(wide, {"op": "positions", "kind": "rotary", "pairs": pairs})
        stages = {stage.id: stage for stage in walk(trace(turned))}
        assert said in stages["q_rotated"].words.what.translated("en")
        assert (
            stages["q_rotated"]
            .words.why.translated("en")
            .startswith("The product of rotated queries and keys")
        )
        assert as_markdown(trace(turned), "zh")


def test_a_mask_and_w_o_have_stages_of_their_own():
    assert "masked_scores" in [stage.id for stage in walk(trace(built_in("causal")))]
    stages = walk(trace(built_in("output-projection")))
    assert [stage.id for stage in stages][-3:] == ["concat", "output", "closing"]


def test_a_large_result_is_shown_row_by_row():
    rows = [[0.5] * 7 for _ in range(7)]
    text = {"format": "mha-example/1", "tokens": list("abcdefg"), "x": rows}
    head = dict.fromkeys(("w_q", "w_k", "w_v"), rows)
    (scores,) = [s for s in walk(trace(parse(json.dumps({**text, "heads": [head]})))) if s.id == "scores"]
    assert len(scores.parts) == 7
    assert {part.beats for part in scores.parts} == {7}


def test_scores_that_are_large_are_shifted_and_small_ones_are_not():
    computed = trace(built_in("first"))
    step = next(step for step in computed.steps if step.op == "softmax")
    assert [row.shift for row in exponentials_of(computed, step, 0)] == [
        max(row) for row in computed.matrix("scaled_scores", 0)
    ]
    small = trace(built_in("water"))
    assert {row.shift for row in exponentials_of(small, step, 0)} == {0.0}


def test_long_arithmetic_is_cut_and_says_so():
    rows = [[1.0] * 9 for _ in range(9)]
    text = {"format": "mha-example/1", "tokens": list("abcdefghi"), "x": rows}
    head = dict.fromkeys(("w_q", "w_k", "w_v"), rows)
    computed = trace(parse(json.dumps({**text, "heads": [head]})))
    page = as_html(computed)
    assert f"and so on for the other {81 - MOST_SUMS} numbers." in page
    check_page(computed, page)


NASTY = '<img src=x onerror="alert(1)"> </style><script>x</script> $x$ `b` | {{}} {0} \\input{a} [a](javascript:b)'


def test_a_visitors_text_is_escaped():
    text = {
        "format": "mha-example/1",
        "title": NASTY,
        "note": NASTY,
        "source": NASTY,
        "tokens": [NASTY, "\n# b\n"],
        "x": [[1], [2]],
        "heads": [{"w_q": [[1]], "w_k": [[1]], "w_v": [[1]]}],
    }
    computed = trace(parse(json.dumps(text)))
    page = check_page(computed, as_html(computed))
    assert not page.tags & {"img", "iframe", "object", "link"}
    assert page.scripts == [(WEB / "handout/handout.js").read_text("utf-8")]
    assert "".join(page.texts).count(NASTY) >= 8
    markdown = as_markdown(computed)
    assert "<img" not in re.sub(r"\\.", "", markdown)
    bare = re.sub(
        r"\\[^A-Za-z]",
        "",
        re.sub(r"\$\$.*?\$\$|\$[^$\n]*\$", "", re.sub(r"\\\$", "", markdown), flags=re.DOTALL),
    )
    assert "javascript" in bare
    assert not re.search(r"[<`\[\]$]", bare)
    assert not re.search(r"^# b", markdown, re.MULTILINE)


def test_a_walk_of_too_many_numbers_is_refused_before_any_of_it_is_written():
    large = trace(sized(64, 64, 16))
    for write in (as_html, as_markdown):
        with pytest.raises(
            ExportError, match=r"this tour has \d+ computed numbers, and a page holds at most 30000"
        ):
            write(large)
    assert as_html(trace(sized(8, 8, 4)))
