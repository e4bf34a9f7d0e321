"""Outputs among V's rows: the picture shows what the mathematics says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import Example, Head, trace, validate
from mha_view.figures import FIGURES
from mha_view.figures.geometry import contains, convex_hull
from mha_view.figures.hulls import outputs, values
from tests.core.strategies import examples, rows
from tests.sizes import each, tries
from tests.view.samples import TRACES, draw, drawn, partly_masked, sample

PLANE = [name for name, computed in TRACES.items() if computed.example.dims.d_v == 2]


def plane_examples():
    """Examples with d_v = 2 whose weights are computed."""
    return examples(plain=True, claims=False, values=True).flatmap(
        lambda example: st.builds(lambda w_v: with_values(example, w_v), rows(example.dims.d_context, 2))
    )


def with_values(example, w_v):
    heads = tuple(Head(w_q=h.w_q, w_k=h.w_k, w_v=w_v, b_q=h.b_q, b_k=h.b_k) for h in example.heads)
    fields = {name: getattr(example, name) for name in Example.__dataclass_fields__}
    return validate(Example(**(fields | {"heads": heads, "w_o": None, "b_o": None})))


@given(plane_examples())
@tries(15)
def test_every_output_lies_in_the_hull_of_v(example):
    computed = trace(example)
    for head, dead in enumerate(computed.fully_masked):
        hull = convex_hull(values(computed, head))
        for point, is_dead in zip(outputs(computed, head), dead, strict=True):
            assert is_dead or contains(hull, point)
    assert "Not all outputs" not in draw(computed, "hulls").alt


@each("name", TRACES)
def test_the_picture_is_available_for_two_columns_of_v_only(name):
    assert FIGURES["hulls"].available(TRACES[name]) == (name in PLANE)


@each("name", PLANE)
def test_points_are_the_trace_s_numbers(name):
    computed = TRACES[name]
    marks = drawn(draw(computed, "hulls"), "scatter")
    for head in range(len(computed.example.heads)):
        hull, v, out = marks[3 * head : 3 * head + 3]
        assert list(zip(v["x"], v["y"], strict=True)) == values(computed, head)
        assert list(zip(out["x"], out["y"], strict=True)) == outputs(computed, head)
        corners = list(zip(hull["x"], hull["y"], strict=True))
        assert corners == [*convex_hull(values(computed, head)), corners[0]]


@each("name", PLANE)
def test_all_panels_have_one_square_range(name):
    computed = TRACES[name]
    layout = draw(computed, "hulls").payload["layout"]
    axes = {
        letter: [axis for key, axis in layout.items() if key.startswith(f"{letter}axis")] for letter in "xy"
    }
    for letter in "xy":
        assert all(axis["range"] == axes[letter][0]["range"] for axis in axes[letter])
    lengths = {axis["range"][1] - axis["range"][0] for letter in "xy" for axis in axes[letter]}
    assert max(lengths) == pytest.approx(min(lengths))
    assert [axis["scaleanchor"] for axis in axes["y"]] == [axis["anchor"] for axis in axes["y"]]


@pytest.mark.parametrize(
    "v", [((1.0, 1.0),) * 3, ((0.0, 0.0), (1.0, 1.0), (2.0, 2.0)), ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))]
)
def test_hulls_without_area(v):
    head = Head(q=((1.0,), (0.0,), (2.0,)), k=((1.0,), (0.0,), (2.0,)), v=v)
    computed = trace(validate(Example(title="", tokens=("a", "b", "c"), heads=(head,))))
    figure = draw(computed, "hulls")
    assert "inside their hull" in figure.alt
    assert drawn(figure, "scatter")[1]["x"] == [x for x, _ in v]


def test_coinciding_points_share_a_label():
    head = Head(q=((0.0,),) * 3, k=((0.0,),) * 3, v=((1.0, 1.0), (1.0, 1.0), (3.0, 2.0)))
    computed = trace(validate(Example(title="", tokens=("a", "b", "c"), heads=(head,))))
    _, v, out = drawn(draw(computed, "hulls"), "scatter")
    assert v["text"] == ["v(a, b)", "", "v(c)"]
    assert v["hovertext"][1] == "b<br>(1, 1)"
    assert out["text"] == ["o(a, b, c)", "", ""]


def test_the_text_says_that_an_output_of_given_weights_lies_outside():
    head = Head(weights=((2.0, -1.0),), v=((0.0, 0.0), (1.0, 1.0)))
    example = Example(title="", tokens=("a",), context_tokens=("k", "l"), heads=(head,), scale="none")
    assert "Not all outputs lie inside the hull." in draw(trace(validate(example)), "hulls").alt


def test_a_query_that_may_attend_to_nothing_is_a_cross():
    figure = draw(partly_masked(), "hulls")
    out = drawn(figure, "scatter")[2]
    assert out["marker"]["symbol"] == ["diamond", "diamond", "x-thin", "diamond"]
    assert out["hovertext"][2] == "sat<br>fully masked<br>(0, 0)"
    assert "sat (0, 0), fully masked" in figure.alt
    assert "Not all outputs" not in figure.alt


def test_many_points_have_no_labels():
    _, v, _ = drawn(draw(sample(13, 1), "hulls"), "scatter")
    assert v["text"] == [""] * 13
    assert len(v["hovertext"]) == 13


@pytest.mark.parametrize("name", PLANE)
def test_a_value_and_an_output_of_one_token_have_different_labels(name):
    _, v, out, *_ = drawn(draw(TRACES[name], "hulls"), "scatter")
    assert {text[:2] for text in v["text"] if text} <= {"v("}
    assert {text[:2] for text in out["text"] if text} <= {"o("}
