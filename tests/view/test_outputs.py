"""Head outputs and the layer's output: the trace's numbers, and shares that add up."""

from math import isclose

from hypothesis import given

from mha_core import trace
from mha_view.figures.outputs import head_shares, query_shares
from mha_view.palette import LIGHT
from tests.core.strategies import examples
from tests.sizes import each, tries
from tests.view.samples import TRACES, draw, drawn, partly_masked, sample


def test_shares_by_hand():
    assert head_shares([[1, 2], [3, 4]], [[1, 0], [0, 1], [1, 1], [0, 2]]) == [[1, 2], [3, 11]]


@given(examples(claims=False))
@tries(10)
def test_shares_and_bias_add_up_to_the_output(example):
    computed = trace(example)
    if "output" not in computed.values:
        return
    for query, row in enumerate(computed.values["output"]):
        shares, bias = query_shares(computed, query)
        parts = [*shares, bias] if bias else shares
        for column, total in enumerate(row):
            assert isclose(sum(part[column] for part in parts), total, rel_tol=1e-9, abs_tol=1e-9)


@each("name", TRACES)
def test_concat_and_output_show_their_numbers(name):
    computed = TRACES[name]
    shown = [panel["z"] for panel in drawn(draw(computed, "outputs"), "heatmap")]
    assert shown == [computed.values[step] for step in ("concat", "output") if step in computed.values]


def test_brackets_name_the_head_of_every_column():
    layout = draw(sample(3, 3, 2), "outputs").payload["layout"]
    assert [(note["text"], note["x"], note["font"]["color"]) for note in layout["annotations"]] == [
        (f"Head {i + 1}", 2 * i + 0.5, LIGHT.heads[i]) for i in range(3)
    ]
    brackets = [shape for shape in layout["shapes"] if shape.get("line", {}).get("color") in LIGHT.heads]
    assert [(round(b["x0"]), round(b["x1"])) for b in brackets] == [(0, 1), (2, 3), (4, 5)]
    assert layout["xaxis"]["ticktext"] == ["1", "2"] * 3


def test_bars_stack_each_head_s_share_and_mark_the_output():
    computed = sample(3, 2, d_out=3, seed=4)
    figure = draw(computed, "outputs", query=1)
    shares, bias = query_shares(computed, 1)
    assert [bar["y"] for bar in drawn(figure, "bar")] == [*shares, bias]
    assert [bar["name"] for bar in drawn(figure, "bar")] == ["Head 1", "Head 2", "b<sub>O</sub>"]
    assert drawn(figure, "scatter")[0]["y"] == computed.values["output"][1]
    assert figure.payload["layout"]["barmode"] == "relative"
    low, high = figure.payload["layout"]["yaxis3"]["range"]
    for column in zip(*shares, bias, strict=True):
        assert low <= sum(v for v in column if v < 0)
        assert sum(v for v in column if v > 0) <= high


def test_without_w_o_there_are_no_shares():
    figure = draw(sample(3, 2), "outputs")
    assert not drawn(figure, "bar")
    assert figure.title == "Head outputs side by side"


def test_a_dead_query_is_marked():
    assert draw(partly_masked(), "outputs").payload["layout"]["yaxis"]["ticktext"][2] == "∅ sat"


def test_the_scale_is_symmetric_and_nice():
    for computed in TRACES.values():
        axis = draw(computed, "outputs").payload["layout"]["coloraxis"]
        assert axis["cmin"] == -axis["cmax"]
        assert f"{axis['cmax']:e}"[0] in "125"


def test_the_text_alternative_names_every_share():
    computed = sample(2, 2, 1, d_out=1, seed=3, tokens=("cat", "sat"))
    alt = draw(computed, "outputs", query=1).alt
    assert "For the query sat:" in alt
    assert "the sum of Head 1 (" in alt
    assert "b_O (" in alt
