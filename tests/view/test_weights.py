"""The pictures of weights show the trace's numbers on a fixed scale."""

from itertools import product

import pytest

from mha_core import AddMask, AllowMask, Example, Head, trace, validate
from mha_view.figures.labels import label, weight
from mha_view.palette import DARK, LIGHT
from tests.sizes import each
from tests.view.samples import TRACES, draw, drawn, hatched_boxes, partly_masked, sample

NEG_INF = float("-inf")


def hidden(computed, head, i, j):
    masked = computed.values.get("masked_scores")
    return bool(masked and masked[head] and masked[head][i][j] == NEG_INF)


@each("name", TRACES)
def test_each_head_has_a_panel_with_its_weights(name):
    computed = TRACES[name]
    panels = drawn(draw(computed, "weights"), "heatmap")
    assert len(panels) == len(computed.values["weights"])
    for head, (panel, rows) in enumerate(zip(panels, computed.values["weights"], strict=True)):
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                assert panel["z"][i][j] == (None if hidden(computed, head, i, j) else value)


@each("theme, colours", [("light", LIGHT), ("dark", DARK)])
@each("name", TRACES)
def test_the_scale_is_the_same_for_all_heads_and_examples(name, theme, colours):
    figure = draw(TRACES[name], "weights", theme=theme)
    axis = figure.payload["layout"]["coloraxis"]
    assert (axis["cmin"], axis["cmax"], axis["colorscale"]) == (0, 1, colours.sequential)
    assert all(panel["coloraxis"] == "coloraxis" for panel in drawn(figure, "heatmap"))


def test_numbers_are_in_the_cells_if_they_fit():
    for computed, fits in (
        (sample(3, 2), True),
        (sample(8, 4), True),
        (sample(13, 1), False),
        (TRACES["long"], False),
    ):
        panels = drawn(draw(computed, "weights"), "heatmap")
        for panel, rows in zip(panels, computed.values["weights"], strict=True):
            assert panel.get("text") == ([[weight(v) for v in row] for row in rows] if fits else None)


def test_hidden_pairs_are_marked():
    computed = partly_masked()
    panel = drawn(draw(computed, "weights"), "heatmap")[0]
    assert panel["text"][0][1:] == ["·", "·", "·"]
    assert panel["z"][0][1] is None
    assert panel["hovertext"][0][1] == "the → cat<br>masked: −∞ before softmax"
    assert panel["hovertext"][0][0] == "the → the<br>1"
    assert panel["text"][0][0] == "1.00"


def test_a_query_that_may_attend_to_nothing_is_marked():
    figure = draw(partly_masked(), "weights")
    for panel in drawn(figure, "heatmap"):
        assert panel["text"][2] == ["∅"] * 4
        assert panel["hovertext"][2][0] == "sat → the<br>fully masked"
    assert figure.payload["layout"]["yaxis"]["ticktext"] == ["the", "cat", "∅ sat", "down"]
    assert "sat → fully masked" in figure.alt


def test_queries_run_down_and_keys_across():
    layout = draw(TRACES["translation"], "weights").payload["layout"]
    example = TRACES["translation"].example
    top, bottom = layout["yaxis"]["range"][1], layout["yaxis"]["range"][0]
    assert (top, bottom) == (-0.5, len(example.tokens) - 0.5)
    assert layout["yaxis"]["ticktext"] == [label(token) for token in example.tokens]
    assert layout["xaxis"]["ticktext"] == [label(token) for token in example.context_tokens]


def test_equal_tokens_stay_separate():
    computed = sample(4, 1, tokens=("the", "cat", "the", "the"))
    layout = draw(computed, "weights").payload["layout"]
    assert layout["xaxis"]["ticktext"] == ["the", "cat", "the", "the"]
    assert layout["xaxis"]["tickvals"] == [0, 1, 2, 3]
    assert "the (3)" in draw(computed, "weights").alt


def test_many_labels_are_thinned_out():
    ticks = draw(TRACES["long"], "weights").payload["layout"]["xaxis"]["tickvals"]
    assert ticks == list(range(0, 64, 2))


@pytest.mark.parametrize(("heads", "rows"), [(1, 1), (4, 1), (5, 2), (8, 2), (16, 4)])
def test_panels_wrap_in_rows_of_four_at_most(heads, rows):
    layout = draw(sample(3, heads), "weights").payload["layout"]
    tops = {tuple(axis["domain"]) for name, axis in layout.items() if name.startswith("yaxis")}
    assert len(tops) == rows


def test_panels_do_not_overlap():
    layout = draw(sample(3, 7), "weights").payload["layout"]
    panels: list[tuple[float, ...]] = []
    for number in ("", *range(2, 8)):
        (x0, x1), (y0, y1) = (layout[f"{letter}axis{number}"]["domain"] for letter in "xy")
        assert 0 <= x0 < x1 <= 1 + 1e-9
        assert 0 <= y0 < y1 <= 1 + 1e-9
        for a0, a1, b0, b1 in panels:
            assert x1 <= a0 or a1 <= x0 or y1 <= b0 or b1 <= y0
        panels.append((x0, x1, y0, y1))


def test_the_text_alternative_says_which_key_each_query_looks_at_most():
    weights = ((0.75, 0.25, 0.0), (0.25, 0.25, 0.25), (0.5, 0.5, 0.0))
    head = Head(weights=weights, v=((1.0,), (2.0,), (3.0,)))
    example = Example(title="given", tokens=("a", "b", "c"), heads=(head,), scale="none")
    alt = draw(trace(validate(example)), "weights").alt
    most = "a → a (0.75), b → all keys equal (0.25), c → a, b equally (0.50)."
    assert f"In head 1, each query looks most at: {most}" in alt


@each("name", TRACES)
def test_bars_are_one_query_s_weights_in_each_head(name):
    computed = TRACES[name]
    query = len(computed.example.tokens) - 1
    bars = drawn(draw(computed, "bars", query=query), "bar")
    assert [bar["y"] for bar in bars] == [rows[query] for rows in computed.values["weights"]]
    assert all(bar["x"] == list(range(len(bar["y"]))) for bar in bars)


def test_bars_have_a_fixed_scale_and_patterns_besides_colours():
    for name in ("first", "saturated", "wide"):
        figure = draw(TRACES[name], "bars")
        assert figure.payload["layout"]["yaxis"]["range"] == [0, 1]
        looks = [bar["marker"] for bar in drawn(figure, "bar")]
        assert [look["color"] for look in looks] == list(LIGHT.heads[: len(looks)])
        assert len({look["pattern"]["shape"] for look in looks}) == len(looks)


def test_no_two_of_sixteen_heads_look_alike():
    bars = drawn(draw(sample(3, 16), "bars"), "bar")
    assert len({(bar["marker"]["color"], bar["marker"]["pattern"]["shape"]) for bar in bars}) == 16


def test_bars_of_given_weights_beyond_the_scale_are_not_cut_off():
    head = Head(weights=((1.5, -0.25),), v=((1.0,), (2.0,)))
    example = Example(title="given", tokens=("a",), context_tokens=("k", "l"), heads=(head,), scale="none")
    assert draw(trace(validate(example)), "bars").payload["layout"]["yaxis"]["range"] == [-0.5, 2.0]


@pytest.mark.parametrize("picture", ["weights", "scores"])
def test_every_hidden_pair_is_hatched_and_no_other(picture):
    figure = draw(partly_masked(), picture)
    boxes = hatched_boxes(figure)
    for panel in drawn(figure, "heatmap"):
        for (i, row), j in product(enumerate(panel["z"]), range(4)):
            inside = [
                left < j < right and low < i < high
                for (left, right), (low, high) in boxes.get((panel["xaxis"], panel["yaxis"]), [])
            ]
            assert sum(inside) == (row[j] is None), (i, j)


def test_bars_mark_masked_keys():
    figure = draw(partly_masked(), "bars", query=1)
    assert [across for across, _ in hatched_boxes(figure)["x", "y"]] == [(1.5, 2.5), (2.5, 3.5)]
    assert [note["text"] for note in figure.payload["layout"]["annotations"]] == ["masked"]
    first = drawn(figure, "bar")[0]
    assert first["text"][2:] == ["·", "·"]
    assert first["hovertext"][3] == "Head 1<br>cat → down<br>masked: −∞ before softmax"


def test_bars_say_when_a_query_may_attend_to_nothing():
    figure = draw(partly_masked(), "bars", query=2)
    assert len(hatched_boxes(figure)["x", "y"]) == 4
    assert [note["text"] for note in figure.payload["layout"]["annotations"]] == ["fully masked"]
    assert figure.alt == "Weights of the query sat in each head. " + " ".join(
        f"Head {number}: fully masked." for number in (1, 2, 3)
    )


def test_a_fill_number_hides_nothing():
    """Such a pair has a weight, however small, and its number is shown."""
    for mask in (AllowMask(((True, False), (True, True)), fill=-1.0), AddMask(((0.0, -1.0), (0.0, 0.0)))):
        panel = drawn(draw(sample(2, 1, mask=mask), "weights"), "heatmap")[0]
        assert all(v is not None for row in panel["z"] for v in row)
        assert "·" not in panel["text"][0]


def test_the_title_of_bars_names_the_query():
    assert draw(TRACES["first"], "bars", query=1).title == "What “计算机” looks at, head by head"
