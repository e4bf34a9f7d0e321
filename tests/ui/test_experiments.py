"""The experiments as Streamlit runs them, without a browser."""

import json
from dataclasses import replace

import pytest

from mha_core import Example, Head, built_in, library, to_token, trace
from mha_core.check.catalogue import formula_of
from mha_core.check.check import check
from mha_core.compare.diff import compare
from mha_core.compare.pairs import PAIRS, traces
from mha_core.compare.replay import possible, replay
from mha_core.compare.variant import AS_IT_IS, Variant, varied, written
from mha_core.compute.derive import Cell
from mha_core.compute.gradients import gradients, saturation
from mha_core.compute.head_terms import head_terms, losses
from mha_core.messages import catalogue
from mha_ui import state
from mha_ui.experiments import EXPERIMENTS
from mha_ui.experiments.order import first_of
from mha_ui.notes import rich
from mha_view.figures.labels import number
from mha_view.language import LANGUAGES, words_in
from tests.apply import apply
from tests.core.edits import FURTHER_ON
from tests.sizes import in_turn
from tests.ui.pages import change, html, opened, sound, work

PAGE = "experiments.py"


@pytest.fixture
def read():
    """Open an experiment at a query in a fresh session; ``right``, ``left``: its sides."""

    def read(
        experiment=None, right=AS_IT_IS, left=AS_IT_IS, example="output-projection", locale=None, **query
    ):
        if experiment:
            query |= {"experiment": experiment, "variant": f"{written(left)}~~{written(right)}"}
        if "s" not in query:
            query["example"] = example
        return opened(PAGE, query, locale=locale)

    return read


def board(app):
    return json.loads(app.get_by_key("experiments.board").proto.json)[0]


def address(app):
    """The page's address; where the page has the bench, the bench writes it."""
    on_the_bench = EXPERIMENTS[work(app).looking.experiment].on_the_bench
    return json.loads(app.get_by_key("bench.matrices" if on_the_bench else "address.keep").proto.json)[0][
        "address"
    ]


def values(data, side, name):
    return data["panes"][side]["model"]["matrices"][name]["values"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_link_opens_its_experiment_in_its_language(read, name, language):
    app = read(name, lang=language)
    words, experiment = words_in(language), EXPERIMENTS[name]
    assert words(experiment.question) in html(app)
    assert (words(experiment.question) != experiment.question) == (language == "zh")
    query = address(app)
    query.pop("base", None)  # the experiment with a baseline has one at once
    assert query == {"example": "output-projection", "lang": language, "experiment": name}


@pytest.mark.parametrize("named", [None, "nowhere", "<b>", "../x"])
def test_an_address_without_an_experiment_opens_the_first(read, named):
    app = read(**({"experiment": named} if named else {}))
    assert address(app)["experiment"] == next(iter(EXPERIMENTS))


@pytest.mark.parametrize(("example", "name"), in_turn(library(), list(EXPERIMENTS)))
def test_every_built_in_example_can_be_experimented_with(read, example, name):
    read(name, example=example)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_heads_with_given_steps_can_be_experimented_with(read, name):
    read(name, s=to_token(FURTHER_ON))


# --- two variants --------------------------------------------------------------------------------------------------


def test_both_sides_are_computed_and_what_differs_is_marked(read):
    app = read("sides", Variant(mask="causal"), Variant(scoring="cosine"))
    example, data = built_in("output-projection"), board(app)
    left, right = (trace(varied(example, v)) for v in (Variant(scoring="cosine"), Variant(mask="causal")))
    assert values(data, 0, "weights") == left.values["weights"]
    assert values(data, 1, "weights") == right.values["weights"]
    found = {(d["name"], d["head"]): d for d in data["differences"]}
    expected = {(d.name, d.head): d for d in compare(left, right)}
    assert found.keys() == expected.keys()
    assert found["weights", 1]["by"] == expected["weights", 1].change.by
    assert found["q_unit", 0]["kind"] == "gone"
    assert address(app)["variant"] == "scoring-cosine~~mask-causal"
    assert not any(m["edit"] for pane in data["panes"] for m in pane["model"]["matrices"].values())


def test_a_choice_changes_its_side_and_the_link(read):
    app = read("sides")
    select = next(s for s in app.selectbox if s.key == "experiments.sides.left.positions")
    sound(select.set_value("rotary").run())
    assert work(app).looking.sides["sides"].left == Variant(positions="rotary")
    assert address(app)["variant"] == "positions-rotary~~scoring-dot"
    select = next(s for s in app.selectbox if s.key == "experiments.sides.left.positions")
    sound(select.set_value("").run())
    assert work(app).looking.sides["sides"].left == Variant()


def test_another_setting_takes_the_first_value_that_changes_the_example(read):
    app = read("sides")
    sound(app.get_by_key("experiments.sides.setting").set_value("mask").run())
    assert work(app).looking.sides["sides"] == state.Sides(right=Variant(mask="causal"))
    sound(app.get_by_key("experiments.sides.value").set_value("none").run())
    assert work(app).looking.sides["sides"] == state.Sides(right=Variant(mask="none"))
    sound(app.get_by_key("experiments.sides.value").set_value("").run())
    assert work(app).looking.sides["sides"] == state.Sides()
    assert app.get_by_key("experiments.sides.setting").value == "mask"  # the choice is kept


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_side_that_cannot_be_computed_says_why_and_stays_as_it_is(read, language):
    odd = apply(built_in("output-projection"), {"op": "resize", "axis": "d_k", "size": 3})
    app = read("sides", Variant(positions="rotary"), s=to_token(odd), lang=language)
    assert "d_k" in next(element.proto.body for element in app.html if "mha-message" in element.proto.body)
    data = board(app)
    assert values(data, 1, "weights") == values(data, 0, "weights")
    assert data["differences"] == []


def test_a_side_can_be_opened_on_the_bench(read):
    app = read("sides", Variant(mask="causal"))
    next(b for b in app.button if b.key == "experiments.open.right").click().run()
    assert work(app).example == varied(built_in("output-projection"), Variant(mask="causal"))
    assert len(work(app).history.past) == 1


# --- heads ---------------------------------------------------------------------------------------------------------


def test_each_head_s_term_is_on_the_board(read):
    app = read("heads", Variant(muted=(1,)))
    muted = trace(varied(built_in("output-projection"), Variant(muted=(1,))))
    data = board(app)
    assert values(data, 0, "head_terms") == head_terms(muted).head_terms
    assert values(data, 0, "output") == muted.values["output"]
    steps = data["panes"][0]["model"]["steps"]
    assert steps["output"]["operands"] == [["head_terms", "ij", "g"], ["b_o", "j", ""]]
    assert steps["head_terms"]["operands"] == [["head_outputs", "ik", ""], ["w_o_block", "kj", ""]]


def test_what_a_muted_head_no_longer_adds_is_marked(read):
    data = board(read("heads", Variant(muted=(1,))))
    full = head_terms(trace(built_in("output-projection"))).head_terms
    by = next(d["by"] for d in data["differences"] if d["name"] == "head_terms")
    assert by == [[-number for number in row] for row in full[1]]
    assert [d["head"] for d in data["differences"] if d["name"] == "head_terms"] == [1]


def test_without_w_o_the_heads_stay_side_by_side(read):
    app = read("heads", Variant(muted=(0,)), example="programming")
    assert "head_terms" not in board(app)["panes"][0]["model"]["matrices"]
    assert [d["name"] for d in board(app)["differences"]] == ["head_outputs", "concat"]


def test_missing_heads_are_ignored(read):
    app = read("heads", Variant(muted=(1, 7)))
    assert app.get_by_key("experiments.heads.muted").value == [1]


def test_muting_a_head(read):
    app = read("heads")
    app.get_by_key("experiments.heads.muted").set_value([0]).run()
    assert address(sound(app))["variant"] == "~~muted-0"


# --- order ---------------------------------------------------------------------------------------------------------


def test_without_positions_nothing_is_marked_and_with_them_much_is(read):
    plain = board(read("order", Variant(order=(2, 0, 1)), example="programming"))
    assert plain["differences"] == []
    assert plain["places"]["n_q"] == [2, 0, 1]
    rotary = board(read("order", Variant(order=(2, 0, 1), positions="rotary"), example="programming"))
    assert "concat" in {d["name"] for d in rotary["differences"]}


@pytest.mark.parametrize(
    ("order", "positions", "sentence"),
    [
        ((0, 1, 2), "rotary", "The tokens are in their original order."),
        ((2, 1, 0), "alibi", "This order happens to change no number"),
        ((2, 1, 0), None, "Attention by itself does not know the order"),
        ((1, 0, 2), "alibi", "something here depends on position"),
    ],
)
def test_the_conclusion_is_true(read, order, positions, sentence):
    app = read("order", Variant(order=order, positions=positions), example="programming")
    assert sentence in html(app)


@pytest.mark.parametrize(
    ("order", "first"),
    [((0, 1, 2), ()), ((1, 0, 2), (1,)), ((2, 1, 0), (2, 1)), ((2, 0, 1), (2,)), ((0, 2, 1), (0, 2))],
)
def test_as_few_tokens_as_possible_are_named_first(order, first):
    assert first_of(order) == first


def test_an_order_for_another_number_of_tokens_is_ignored(read):
    app = read("order", Variant(order=(4, 3, 2, 1, 0)), example="programming")
    assert board(app)["places"]["n_q"] == [1, 0, 2]


def test_tokens_left_out_of_the_order_follow(read):
    app = read("order", example="programming")
    app.get_by_key("experiments.order.order").set_value([2]).run()
    assert work(sound(app)).looking.sides["order"].right.order == (2, 0, 1)


def one_token():
    return Example("one", ("a",), (Head(w_q=((1,),), w_k=((1,),), w_v=((1,),)),), x=((1,),))


def test_one_token_has_one_order(read):
    assert "A single token has only one order" in html(read("order", s=to_token(one_token())))


# --- temperature ---------------------------------------------------------------------------------------------------


def test_the_temperature_divides_the_scores(read):
    data = board(read("temperature", Variant(temperature=4.0), example="programming"))
    scaled = zip(*(values(data, side, "scaled_scores")[0][0] for side in (0, 1)), strict=True)
    assert all(before == pytest.approx(4 * after) for before, after in scaled)


def test_each_place_of_the_slider_is_the_temperature_that_it_names(read):
    data = board(read("temperature", Variant(temperature=4.0), example="programming"))
    slider = data["slider"]
    current = varied(built_in("programming"), Variant(temperature=4.0))
    assert slider["places"][slider["chosen"]]["value"] == 4.0
    for place in slider["places"]:
        varied_example = varied(built_in("programming"), Variant(temperature=place["value"]))
        assert trace(apply(current, place["edit"])).values == trace(varied_example).values


# --- mistakes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("mistake", PAIRS, ids=lambda mistake: mistake.id)
def test_every_published_mistake_is_shown_beside_the_right_numbers(read, mistake, language):
    app = read("mistakes", Variant(mistake=mistake.id), lang=language)
    right, wrong = traces(mistake)
    data = board(app)
    assert values(data, 0, mistake.step) == right.values[mistake.step]
    assert values(data, 1, mistake.step) == wrong.values[mistake.step]
    assert data["panes"][1]["wrong"] == {
        mistake.step: formula_of(mistake.mistake, mistake.step, right.example, catalogue(language).gettext)
    }
    assert data["differences"][0]["name"] == mistake.step
    assert rich(mistake.sentence[language]) in html(app)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("mistake", PAIRS, ids=lambda mistake: mistake.id)
def test_the_tokens_of_a_published_mistake_are_in_the_readers_language(read, mistake, language):
    app = read("mistakes", Variant(mistake=mistake.id), lang=language)
    for side in board(app)["panes"]:
        for token in side["model"]["labels"]["n_q"]:
            assert token.isascii() == (language == "en"), token


def test_a_known_mistake_is_made_in_the_current_example(read):
    app = read("mistakes")
    assert address(app)["experiment"] == "mistakes"
    app.get_by_key("experiments.mistakes.mistake").set_value("weights.softmax_columns").run()
    wrong = replay(trace(built_in("output-projection")), "softmax_columns", "weights")
    assert values(board(sound(app)), 1, "output") == wrong.values["output"]
    assert address(app)["variant"] == "~~mistake-weights.softmax_columns"


@pytest.mark.parametrize(
    "named", ["nonsense", "weights.nonsense", "nowhere.not_scaled", "output.softmax_columns"]
)
def test_a_mistake_that_cannot_be_made_is_replaced_by_one_that_can(read, named):
    first = possible(trace(built_in("output-projection")))[0]
    app = read("mistakes", Variant(mistake=named))
    assert app.get_by_key("experiments.mistakes.mistake").value == ".".join(first)


def test_a_button_opens_the_check_with_the_wrong_numbers(read):
    app = read("mistakes", Variant(mistake="not-scaled"))
    app.get_by_key("experiments.mistakes.check").click().run()
    verdict = check(work(app).example)
    assert [cause.ids for cause in verdict.steps["scaled_scores"].causes] == [("not_scaled",)]


# --- on the bench --------------------------------------------------------------------------------------------------


def test_the_gradients_are_those_of_the_pinned_number(read):
    app = read("gradients", cell="weights.1.0.2")
    data = json.loads(app.get_by_key("bench.matrices").proto.json)[0]
    found = gradients(trace(built_in("output-projection")), Cell("weights", 1, 0, 2))
    assert data["lens"]["kind"] == "gradient"
    assert data["matrices"]["w_q"]["lens"] == found["w_q"]
    assert data["controls"]["lens"] is None
    assert app.get_by_key("pictures.saturation")


def test_the_picture_of_saturation_starts_with_the_head_that_saturates_most(read):
    app = read("gradients", example="programming")
    computed = trace(built_in("programming"))
    cold, now = (point.sensitivity.w_q for point in saturation(computed, (1 / 32, 1.0)))
    left = [a / b for a, b in zip(cold, now, strict=True)]
    assert app.get_by_key("experiments.saturation.head").value == left.index(min(left))


def test_the_current_example_is_pinned_and_edits_are_marked_against_it(read):
    app = read("baseline")
    assert work(app).looking.pinned_baseline.trace.example == built_in("output-projection")
    change(
        app,
        state.receive,
        {
            "session": work(app).browser.session,
            "edits": [
                {"seq": 1, "op": "set", "matrix": "x", "head": None, "row": 0, "col": 1, "values": [[3]]}
            ],
        },
    )
    data = json.loads(sound(app.run()).get_by_key("bench.matrices").proto.json)[0]
    assert data["matrices"]["x"]["lens"] == [[0, 3], [0, 0], [0, 0]]
    assert data["lens"]["summary"].startswith("Since the baseline: X[1, 2] 0 → 3")


# --- links with parts that the example lacks ------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "right", "left_over"),
    [
        ("heads", Variant(muted=(1, 7)), "~~muted-1"),
        ("order", Variant(order=(4, 3, 2, 1, 0), positions="rotary"), "~~positions-rotary"),
        ("sides", Variant(mask="causal", temperature=2.0, muted=(0,)), "~~mask-causal"),
        ("sides", Variant(mask="causal", kv_heads=3), "~~mask-causal"),
        ("mistakes", Variant(mistake="weights.nonsense"), None),
    ],
)
def test_what_the_example_lacks_is_left_out_with_a_message(read, name, right, left_over, language):
    app = read(name, right, lang=language)
    assert words_in(language)(
        "This example does not have everything the link asks for. What is missing was left out."
    ) in html(app)
    if left_over:
        assert address(app)["variant"] == left_over


def test_a_temperature_between_the_slider_s_places_stays(read):
    app = read("temperature", Variant(temperature=0.3), example="programming")
    slider = board(app)["slider"]
    assert slider["places"][slider["chosen"]]["value"] == 0.3
    assert address(app)["variant"] == "~~temperature-0.3"


def test_a_temperature_whose_divisor_is_too_large_is_no_place_of_the_slider(read):
    example = replace(built_in("programming"), scale=1e12)
    data = board(sound(read("temperature", s=to_token(example))))
    values_of = [place["value"] for place in data["slider"]["places"]]
    assert values_of
    assert max(values_of) == 1.0


def test_a_temperature_without_a_softmax_changes_nothing_and_says_so(read):
    app = read("temperature", Variant(temperature=2.0), s=to_token(one_token()))
    places = board(app)["slider"]["places"]
    assert all("No weight changes" in place["remark"] for place in places if place["value"] != 1)


def test_opening_a_side_on_the_bench_says_how_to_go_back(read):
    app = read("sides", Variant(mask="causal"))
    next(b for b in app.button if b.key == "experiments.open.right").click().run()
    assert "Undo" in work(app).message.text


# --- all -----------------------------------------------------------------------------------------------------------


def test_the_menu_turns_to_another_experiment_and_each_keeps_its_sides(read):
    app = read("heads", Variant(muted=(0,)))
    app.get_by_key("experiments.choice").set_value("temperature").run()
    assert address(sound(app))["experiment"] == "temperature"
    app.get_by_key("experiments.choice").set_value("heads").run()
    assert address(sound(app))["variant"] == "~~muted-0"


def test_claims_are_no_part_of_an_experiment(read):
    claimed = replace(built_in("output-projection"), claimed={"output": ((1, 2), (3, 4), (5, 6))})
    for name in EXPERIMENTS:
        read(name, s=to_token(claimed))


@pytest.mark.parametrize("language", LANGUAGES)
def test_muting_says_what_the_output_loses_with_each_head(read, language):
    example = built_in("output-projection")
    text = html(read("heads", lang=language))
    words = words_in(language)
    assert words("How much of the output changes: ‖O − O′‖ ÷ ‖O‖") in text
    by_loss = sorted(losses(trace(example)), key=lambda loss: -loss.muted)
    shares = [f"<td>{number(100 * share)}%</td>" for loss in by_loss for share in loss]
    places = [text.index(f"{a}{b}") for a, b in zip(shares[::2], shares[1::2], strict=True)]
    assert places == sorted(places)


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_w_o_muting_ranks_no_heads(read, language):
    text = html(read("heads", example="first", lang=language))
    assert "‖O − O′‖" not in text
    assert ("<sub>O</sub>, each head has its own columns" if language == "en" else "<sub>O</sub> 时") in text
