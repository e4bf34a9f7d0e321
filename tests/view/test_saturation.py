"""The picture of saturation: the core's norms and weights, at 25 temperatures."""

from dataclasses import replace
from itertools import pairwise
from math import log10

import plotly.graph_objects as go
import pytest

from mha_core import built_in, library, trace
from mha_core.compute.gradients import TEMPERATURES, outputs, saturation
from mha_view.figures import FIGURES
from mha_view.figures.saturation import MOST_OUTPUTS, can_saturate, saturation_figure, saturation_sentences
from mha_view.language import words_in
from tests.core.edits import FURTHER_ON
from tests.sizes import each
from tests.view.samples import TRACES, WORDS, drawn, sample

FIRST = trace(built_in("first"))


def figure(computed, **options):
    return saturation_figure(computed, saturation(computed), theme="light", words=WORDS, **options)


def curves(picture):
    return {line["name"]: line for line in drawn(picture, "scatter") if line["mode"] == "lines+markers"}


@pytest.mark.parametrize("head", [None, 0, 1])
def test_its_curves_are_the_core_s_numbers(head):
    points, lines = saturation(FIRST), curves(figure(FIRST, head=head))

    def expected(numbers):
        return sum(numbers) / 2 if head is None else numbers[head]

    assert list(lines) == [
        *(f"‖∂output/∂W<sub>{letter}</sub>‖" for letter in "QKV"),
        "a query's largest weight, on average",
    ]
    for line, matrix in zip(lines.values(), ("w_q", "w_k", "w_v"), strict=False):
        assert line["x"] == list(TEMPERATURES)
        assert line["y"] == pytest.approx([expected(getattr(p.sensitivity, matrix)) for p in points])
    assert [*lines.values()][-1]["y"] == pytest.approx([expected(p.largest) for p in points])


def test_the_current_temperature_is_marked_and_the_axis_spans_1_32_to_32():
    layout = figure(FIRST).payload["layout"]
    assert [(shape["x0"], shape["x1"]) for shape in layout["shapes"]] == [(1, 1), (1, 1)]
    for axis in ("xaxis", "xaxis2"):
        low, high = layout[axis]["range"]
        assert low < log10(1 / 32) < log10(32) < high
    low, high = layout["yaxis"]["range"]
    assert high - low <= 6  # a norm that is a million times smaller is outside the picture
    assert high > log10(max(FIRST_V))


FIRST_V = [v for v in curves(figure(FIRST))["‖∂output/∂W<sub>V</sub>‖"]["y"] if v]


def test_its_text_says_that_the_gradients_of_q_and_k_vanish_and_that_of_v_does_not():
    alt = figure(FIRST).alt
    assert "T = 1: WQ 0.04, WK 0.02, WV 19.13; the largest weight is 1.00 on average." in alt
    sharp = alt[alt.index("T = 0.03") : alt.index("T = 1")]
    assert "WV 19.13" in sharp
    assert "e−" in sharp.split("WV")[0]


def test_for_heads_that_start_from_q_and_k_the_gradients_are_by_these():
    picture = figure(trace(built_in("saturated")))
    assert list(curves(picture))[:3] == ["‖∂output/∂Q‖", "‖∂output/∂K‖", "‖∂output/∂V‖"]
    assert "(mean" not in picture.payload["layout"]["title"]["text"]
    assert "mean of the heads" in figure(FIRST).payload["layout"]["title"]["text"]
    assert "Head 2" in figure(FIRST, head=1).payload["layout"]["title"]["text"]


@each("name", library())
@each("language", ["en", "zh"])
def test_it_is_available_for_every_built_in_example(name, language):
    computed = trace(built_in(name))
    assert can_saturate(computed)
    picture = saturation_figure(computed, saturation(computed), theme="dark", words=words_in(language))
    go.Figure(picture.payload)
    assert picture.alt


def test_it_is_not_available_for_large_examples_and_without_a_softmax():
    assert not can_saturate(TRACES["long"])
    assert not can_saturate(TRACES["wide"])
    assert not FIGURES["saturation"].available(TRACES["long"])
    with_given_weights = replace(FURTHER_ON, heads=FURTHER_ON.heads[3:], mask=None, scale="none")
    assert not can_saturate(trace(with_given_weights))
    assert can_saturate(trace(FURTHER_ON))
    assert outputs(sample(4, 3, 4).example) == MOST_OUTPUTS


def test_with_one_key_the_gradients_of_q_and_k_are_0():
    """A softmax over one key is 1, whatever its score: norms of 0, which a logarithm cannot show."""
    picture = figure(sample(1, 1, 1))
    lines = list(curves(picture).values())
    assert set(lines[0]["y"]) == set(lines[1]["y"]) == {None}
    assert lines[-1]["y"] == [1.0] * 25
    go.Figure(picture.payload)


def test_the_sentences_say_what_the_curves_do():
    """Head 3 of “programming” grows more sensitive as it grows colder, head 1 of “first” less."""
    computed = trace(built_in("programming"))
    sentences = saturation_sentences(computed, saturation(computed), words=WORDS, head=2)
    assert sentences[0].endswith(" and 0.80 at T = 1/32. Even there, it is not near 1.")
    assert sentences[1] == "‖∂output/∂W_Q‖ rises steadily, from 4.93 to 125.82."
    sentences = saturation_sentences(FIRST, saturation(FIRST), words=WORDS, head=0)
    assert "approaches 1" in sentences[0]
    assert sentences[1].startswith("‖∂output/∂W_Q‖ falls steadily, from ")


@pytest.mark.parametrize("name", ["programming", "water", "causal"])
def test_a_curve_is_said_to_rise_or_fall_only_where_it_does(name):
    computed = trace(built_in(name))
    all_points = saturation(computed)
    points = [point for point in all_points if point.temperature <= 1][::-1]
    for head in range(len(computed.example.heads)):
        sentence = next(
            s for s in saturation_sentences(computed, all_points, words=WORDS, head=head) if "W_Q" in s
        )
        norms = [point.sensitivity.w_q[head] for point in points]
        assert ("rises steadily" in sentence) == all(b > a for a, b in pairwise(norms))
        assert ("falls steadily" in sentence) == all(b < a for a, b in pairwise(norms))
        first = max(range(len(norms)), key=norms.__getitem__)
        peaked = norms[: first + 1] == sorted(norms[: first + 1])
        peaked = (
            peaked and norms[first:] == sorted(norms[first:], reverse=True) and 0 < first < len(norms) - 1
        )
        assert ("first rises" in sentence) == peaked
