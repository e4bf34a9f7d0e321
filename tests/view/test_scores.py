"""The pictures of scores: every stage, on one signed scale that stays the same."""

from mha_core import AllowMask, Example, Head, trace, validate
from mha_core.vocabulary import SCORE_STEPS
from mha_view.figures import FIGURES
from mha_view.figures.scores import heads_with_scores, score_span
from mha_view.palette import LIGHT
from tests.sizes import each
from tests.view.samples import TRACES, draw, drawn, partly_masked, sample

NEG_INF = float("-inf")


@each("name", TRACES)
def test_every_stage_of_every_head_is_drawn(name):
    computed = TRACES[name]
    stages = [stage for stage in SCORE_STEPS if stage in computed.values]
    expected = [
        [[None if v == NEG_INF else v for v in row] for row in computed.values[stage][head]]
        for head in heads_with_scores(computed)
        for stage in stages
    ]
    assert [panel["z"] for panel in drawn(draw(computed, "scores"), "heatmap")] == expected


@each("name", TRACES)
def test_the_scale_is_symmetric_and_nice(name):
    computed = TRACES[name]
    axis = draw(computed, "scores").payload["layout"]["coloraxis"]
    assert axis["cmin"] == -axis["cmax"]
    assert axis["colorscale"] == LIGHT.diverging
    most = max(abs(v) for rows in computed.values["scores"] if rows for row in rows for v in row)
    assert most <= axis["cmax"] * (1 + 1e-9)
    assert f"{axis['cmax']:e}"[0] in "125"


def test_a_small_edit_does_not_move_the_scale():
    spans = set()
    for number in (1.0, 1.1, 1.2):
        head = Head(w_q=((number,),), w_k=((3.0,),), w_v=((1.0,),))
        example = validate(Example(title="", tokens=("a", "b"), x=((1.0,), (2.0,)), heads=(head,)))
        spans.add(score_span(trace(example)))
    assert spans == {20.0}


def test_a_mask_of_minus_a_billion_does_not_move_the_scale():
    allow = ((True, False, False),) * 3
    plain, masked = sample(3, 2), sample(3, 2, mask=AllowMask(allow, fill=-1e9))
    assert score_span(plain) == score_span(masked)
    assert drawn(draw(masked, "scores"), "heatmap")[2]["text"][0][1] == "−1e9"


def test_hidden_pairs_show_minus_infinity():
    figure = draw(partly_masked(), "scores")
    panel = drawn(figure, "heatmap")[2]
    assert panel["text"][0][1:] == ["−∞"] * 3
    assert panel["hovertext"][0][1] == "the → cat<br>−∞"
    assert "masked: 9" in figure.alt


def test_headings_name_head_and_stage():
    headings = [note["text"] for note in draw(partly_masked(), "scores").payload["layout"]["annotations"]]
    assert headings[:4] == ["Head 1 · S", "Head 1 · S/√d<sub>k</sub>", "Head 1 · S<sub>M</sub>", "Head 2 · S"]


def test_a_dead_query_is_marked():
    assert draw(partly_masked(), "scores").payload["layout"]["yaxis"]["ticktext"][2] == "∅ sat"


def test_heads_that_start_from_weights_have_no_scores():
    v = ((1.0,), (2.0,))
    given = Head(weights=((0.5, 0.5), (0.0, 1.0)), v=v)
    whole = Head(w_q=((1.0,),), w_k=((1.0,),), w_v=((1.0,),))
    both = trace(validate(Example(title="", tokens=("a", "b"), x=((1.0,), (2.0,)), heads=(given, whole))))
    assert heads_with_scores(both) == [1]
    assert draw(both, "scores").payload["layout"]["annotations"][0]["text"] == "Head 2 · S"
    none = trace(validate(Example(title="", tokens=("a", "b"), heads=(given,), scale="none")))
    assert not FIGURES["scores"].available(none)
    assert FIGURES["weights"].available(none)


def test_the_text_alternative_has_the_largest_pair_and_the_range():
    alt = draw(TRACES["first"], "scores").alt
    assert "Head 1: largest: 程序 → 程序, S from 5 to 85, S/√d_k from 3.54 to 60.1." in alt
