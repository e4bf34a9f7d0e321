"""The lessons' pictures: they show the numbers of their trace, in words too."""

import re
from math import log, sqrt

import plotly.graph_objects as go
import pytest
from hypothesis import given

from mha_core import trace
from mha_core.compute.metrics import agreement
from mha_core.compute.scaling import SIZES, experiment
from mha_ui.lessons.library import CONTENTS, INTEREST, library_example
from mha_view.figures.agreement import agreement_figure
from mha_view.figures.library import library_figure, shares
from mha_view.figures.ranges import column_ranges, inside, ranges_figure, values_of
from mha_view.figures.scaling import one_query_figure, scaling_figure
from mha_view.language import LANGUAGES, words_in
from mha_view.palette import palette
from tests.core.strategies import examples
from tests.sizes import each, tries
from tests.view.samples import NASTY, TRACES, WORDS, drawn, partly_masked, texts
from tests.view.test_labels import TEX

ROWS = experiment(0, 8)
LIBRARY = trace(library_example(WORDS, INTEREST))


def every(computed, *, theme="light", words=WORDS):
    """The lessons' pictures of a trace."""
    return [
        ranges_figure(computed, theme=theme, words=words),
        agreement_figure(computed, theme=theme, words=words),
        agreement_figure(computed, theme=theme, words=words, query=0),
    ]


def own(*, theme="light", words=WORDS):
    """The pictures of the experiment and of the library."""
    columns = [words(column) for column in CONTENTS]
    computed = trace(library_example(words, INTEREST))
    return [
        library_figure(computed, columns=columns, theme=theme, words=words),
        scaling_figure(ROWS, n_k=8, sigma=1.0, at=3, theme=theme, words=words),
        *(one_query_figure(row, theme=theme, words=words) for row in ROWS),
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_plotly_accepts_them_and_each_has_its_texts(theme, language):
    words = words_in(language)
    figures = own(theme=theme, words=words)
    for computed in TRACES.values():
        figures += every(computed, theme=theme, words=words)
    for figure in figures:
        go.Figure(figure.payload)
        assert re.fullmatch(r"[a-z0-9-]+", figure.name)
        assert figure.title
        assert figure.alt
        assert 0 < figure.min_width <= 6000
        assert 100 <= figure.payload["layout"]["height"] <= 6000
        assert figure.payload["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"


def test_themes_differ_in_nothing_but_colours():
    light, dark = (own(theme=theme) + every(TRACES["nasty"], theme=theme) for theme in ("light", "dark"))
    for a, b in zip(light, dark, strict=True):
        assert re.sub(r"#[0-9a-f]{6,8}\b", "#", repr(a)) == re.sub(r"#[0-9a-f]{6,8}\b", "#", repr(b))
        assert a != b


def test_no_token_reaches_plotly_as_markup():
    figures = every(TRACES["nasty"])
    for query in range(len(NASTY)):
        figures.append(agreement_figure(TRACES["nasty"], theme="light", words=WORDS, query=query))
    for figure in figures:
        for text in texts(figure.payload):
            assert set(re.findall(r"<[^<>]*>", text)) <= {"<br>", "<sub>", "</sub>"}
            assert not TEX.search(text)


@given(examples(claims=False, values=True))
@tries(4)
def test_every_example_can_be_drawn(example):
    for figure in every(trace(example)):
        go.Figure(figure.payload)


# --- the library -----------------------------------------------------------------------------------------------


def test_the_library_shows_the_trace_s_weights_and_shares():
    figure = own()[0]
    bars = drawn(figure, "bar")
    assert [bar["y"][0] for bar in bars[:4]] == LIBRARY.values["weights"][0][0]
    assert [bar["y"] for bar in bars[4:]] == shares(LIBRARY)
    for column, total in enumerate(LIBRARY.values["head_outputs"][0][0]):
        assert sum(bar["y"][column] for bar in bars[4:]) == pytest.approx(total)
    assert "Programming 0.57" in figure.alt
    assert "code 58.9" in figure.alt


def test_swapped_contents_change_the_output_and_not_the_weights():
    swapped = trace(library_example(WORDS, INTEREST, swapped=True))
    assert swapped.values["weights"] == LIBRARY.values["weights"]
    assert swapped.values["head_outputs"] != LIBRARY.values["head_outputs"]
    assert swapped.example.heads[0].k == LIBRARY.example.heads[0].k


def test_a_reader_without_interests_reads_all_books_equally():
    computed = trace(library_example(WORDS, (0.0, 0.0, 0.0)))
    assert computed.values["weights"][0][0] == [0.25] * 4
    assert computed.values["head_outputs"][0][0] == [32.5, 35.0, 20.0]


# --- the experiment --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "n_k", "sigma"), [(0, 8, 1.0), (5, 2, 0.25), (999_999, 64, 2.0)])
def test_curves_are_the_numbers_of_the_experiment_and_of_theory(seed, n_k, sigma):
    rows = experiment(seed, n_k, sigma)
    figure = scaling_figure(rows, n_k=n_k, sigma=sigma, at=0, theme="light", words=WORDS)
    lines = [part["y"] for part in drawn(figure, "scatter")]
    spread, entropy, gradient = lines[:4], lines[4:7], lines[7:]
    assert spread == [
        [pytest.approx(sqrt(d_k) * sigma**2) for d_k in SIZES],
        [sigma**2] * len(SIZES),
        [row.plain.spread for row in rows],
        [row.scaled.spread for row in rows],
    ]
    assert entropy == [
        [log(n_k)] * len(SIZES),
        [row.plain.entropy for row in rows],
        [row.scaled.entropy for row in rows],
    ]
    assert gradient == [
        [0.5] * len(SIZES),
        [row.plain.gradient for row in rows],
        [row.scaled.gradient for row in rows],
    ]
    low, high = figure.payload["layout"]["yaxis"]["range"]
    assert all(low < log(v) / log(10) < high for line in spread[2:] for v in line)


@pytest.mark.parametrize("at", range(len(SIZES)))
def test_the_chosen_d_k_is_marked_in_every_panel(at):
    figure = scaling_figure(ROWS, n_k=8, sigma=1.0, at=at, theme="light", words=WORDS)
    assert [mark["x0"] for mark in figure.payload["layout"]["shapes"]] == [at] * 3


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.d_k}")
def test_one_query_s_weights(row):
    plain, scaled = drawn(one_query_figure(row, theme="dark", words=WORDS), "bar")
    assert plain["y"] == list(row.plain.first) == sorted(plain["y"], reverse=True)
    assert scaled["y"] == list(row.scaled.first)
    assert plain["marker"]["color"] != scaled["marker"]["color"]
    assert plain["marker"]["pattern"]["shape"] != scaled["marker"]["pattern"]["shape"]


# --- the heads -------------------------------------------------------------------------------------------------


@each("name", TRACES)
def test_agreement_is_drawn_as_computed(name):
    computed = TRACES[name]
    for query in (None, 0):
        figure = agreement_figure(computed, theme="light", words=WORDS, query=query)
        (panel,) = drawn(figure, "heatmap")
        assert panel["z"] == agreement(computed, query)
        assert figure.payload["layout"]["coloraxis"]["colorscale"] == palette("light").sequential
        if len(computed.example.heads) > 1:
            assert "Head 1 – Head 2: " in figure.alt


# --- the columns of V ------------------------------------------------------------------------------------------


@each("name", TRACES)
def test_ranges_show_every_number_of_v_and_every_output(name):
    computed = TRACES[name]
    figure = ranges_figure(computed, theme="light", words=WORDS)
    marks, heads, d_v = drawn(figure, "scatter"), len(computed.example.heads), computed.example.dims.d_v
    boxes = figure.payload["layout"]["shapes"]
    assert len(boxes) == heads * d_v
    for head in range(heads):
        v, out = marks[2 * head : 2 * head + 2]
        assert v["y"] == [number for row in values_of(computed, head) for number in row]
        assert out["y"] == [number for row in computed.values["head_outputs"][head] for number in row]
        ranges = [(box["y0"], box["y1"]) for box in boxes[head * d_v : (head + 1) * d_v]]
        assert ranges == column_ranges(values_of(computed, head))
    assert "Not all outputs" not in figure.alt


@given(examples(plain=True, claims=False, values=True))
@tries(10)
def test_every_output_lies_within_its_columns(example):
    computed = trace(example)
    for head, dead in enumerate(computed.fully_masked):
        ranges = column_ranges(values_of(computed, head))
        for row, is_dead in zip(computed.values["head_outputs"][head], dead, strict=True):
            assert is_dead or inside(row, ranges)


def test_ranges_by_hand():
    assert column_ranges([[1, 5], [3, 2]]) == [(1, 3), (2, 5)]
    assert inside([1, 5], [(1, 3), (2, 5)])
    assert not inside([0.9, 5], [(1, 3), (2, 5)])


def test_a_query_that_may_attend_to_nothing_is_a_cross():
    out = drawn(ranges_figure(partly_masked(), theme="light", words=WORDS), "scatter")[1]
    assert out["marker"]["symbol"] == ["diamond"] * 4 + ["x-thin"] * 2 + ["diamond"] * 2
