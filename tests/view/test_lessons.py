"""The declared lessons: what their texts say of numbers is true of the numbers that they show."""

from itertools import chain, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import built_in, library, trace, validate
from mha_core.compute.cost import multiplications, multiplications_with_cache
from mha_core.compute.device import backend
from mha_core.puzzle import built_in_puzzles
from mha_ui.lessons import LESSONS
from mha_view.language import LANGUAGES, words_in
from mha_view.lessons import cache, decoder, order, proof, translation, two_questions
from mha_view.lessons.around import W_1, W_2, at_first, block_of, layer, length_added
from mha_view.lessons.lesson import Choice, Listing, Live, Scene, Seen, Sentence, Slider
from tests.sizes import tries

DECLARED = {topic: lesson.live for topic, lesson in LESSONS.items() if isinstance(lesson.live, Live)}
EN = words_in("en")


def settings(live):
    """Every choice with every end of every slider."""
    ends = [
        (one.low, one.start, one.high)
        if isinstance(one, Slider)
        else tuple(one.options)
        if isinstance(one, Choice)
        else (False, True)
        for one in live.controls
    ]
    return [dict(zip(live.start, values, strict=True)) for values in product(*ends)]


def seen(topic, values, language="en"):
    live, words = DECLARED[topic], words_in(language)
    return Seen(values, validate(live.example(values, words)), words, "light", backend())


def parts(topic, values, language="en"):
    return DECLARED[topic].parts(seen(topic, values, language))


def sentence(topic, values, language="en"):
    (said,) = [part.text for part in parts(topic, values, language) if isinstance(part, Sentence)]
    return said


def listing(topic, values):
    return next(part for part in parts(topic, values) if isinstance(part, Listing)).rows


# --- all of them -----------------------------------------------------------------------------------------------


def test_there_are_eleven_and_each_has_a_puzzle_of_its_own():
    puzzles = [lesson.puzzle for lesson in LESSONS.values()]
    assert len(LESSONS) == len(set(puzzles)) == 11
    assert set(puzzles) <= built_in_puzzles().keys()
    assert {name for lesson in LESSONS.values() for name in lesson.examples} <= library().keys()


@pytest.mark.parametrize("topic", LESSONS)
def test_the_right_answer_is_one_of_several_and_its_numbers_are_filled_in(topic):
    question = LESSONS[topic].question
    assert len(set(question.options)) == len(question.options) >= 2
    assert question.right() in range(len(question.options))
    for language in LANGUAGES:
        for name, number in (question.numbers or dict)().items():
            assert f"{{{name}}}" not in question.answer(words_in(language))
            assert number in question.answer(words_in(language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("topic", DECLARED)
def test_every_setting_makes_an_example_and_says_something_of_it(topic, language):
    for values in settings(DECLARED[topic]):
        shown = parts(topic, values, language)
        assert sentence(topic, values, language)
        for scene in shown:
            if isinstance(scene, Scene):
                for table in (table for group in scene.groups for table in group["tables"]):
                    assert all(len(row) == len(table["cells"][0]) for row in table["cells"])
                    assert table["cols"] == () or len(table["cols"]) == len(table["cells"][0])
                    assert table["rows"] == () or len(table["rows"]) == len(table["cells"])


@pytest.mark.parametrize("topic", DECLARED)
def test_the_languages_show_the_same_numbers(topic):
    for values in settings(DECLARED[topic]):
        english, chinese = (seen(topic, values, language).example for language in LANGUAGES)
        assert (english.x, english.heads, english.mask) == (chinese.x, chinese.heads, chinese.mask)
        assert len(english.tokens) == len(chinese.tokens)


@pytest.mark.parametrize("topic", DECLARED)
def test_every_computed_number_of_a_scene_has_its_arithmetic(topic):
    """Its last number is the one in the cell, in full or as a power of ten where the cell shows 0.00."""
    for scene in parts(topic, DECLARED[topic].start):
        if not isinstance(scene, Scene):
            continue
        for group in scene.groups:
            for table in group["tables"]:
                computed = [cell for row in table["cells"] for cell in row if cell["why"]]
                assert len(computed) in (0, sum(map(len, table["cells"])))
                for cell in computed:
                    last = cell["why"].split()[-1].strip("()")
                    assert as_number(last) == pytest.approx(as_number(cell["text"]), abs=0.0051), cell


def as_number(text):
    return float(text.replace("−", "-"))


# --- one head, two jobs ----------------------------------------------------------------------------------------


@tries(30)
@given(st.floats(0, 4), st.floats(0, 4))
def test_one_head_never_gives_more_than_a_half_to_both(thing, event):
    values = {"thing": thing, "event": event, "second": False}
    shares = trace(two_questions.two_questions(values, EN)).values["output"][two_questions.IT]
    assert sum(shares) <= 1 + 1e-12
    assert min(shares) <= 0.5
    assert "✗" in sentence("two-questions", values)


def test_two_heads_reach_both():
    values = {"thing": 4, "event": 4, "second": True}
    assert "✓" in sentence("two-questions", values)
    assert "✗" in sentence("two-questions", values | {"event": 0})


# --- order and positions ---------------------------------------------------------------------------------------


def test_without_positions_a_token_has_the_same_output_in_both_orders():
    for row in listing("order", in_order("none")):
        assert row[1] == row[2]
        assert row[3] == "(0, 0)"
    assert "nobody can tell" in sentence("order", in_order("none"))


def in_order(positions, *, mask=False):
    return {"order": "dog", "positions": positions, "mask": mask}


def test_a_distance_has_no_direction():
    """The second sentence is the first backwards, so every two words are as far apart as they were."""
    assert "nobody can tell" in sentence("order", in_order("alibi"))


@pytest.mark.parametrize(
    ("positions", "mask"), [("sinusoidal", False), ("rotary", False), ("alibi", True), ("none", True)]
)
def test_positions_or_a_causal_mask_make_the_outputs_depend_on_the_order(positions, mask):
    values = in_order(positions, mask=mask)
    assert any(row[1] != row[2] for row in listing("order", values))
    assert "depend on the order" in sentence("order", values)


def test_two_orders_are_the_same_words_backwards():
    for language in LANGUAGES:
        one, other = (
            order.sentence_in_order(in_order("none") | {"order": name}, words_in(language)).tokens
            for name in order.SENTENCES
        )
        assert one == other[::-1]


# --- masks -----------------------------------------------------------------------------------------------------


def masked(last=decoder.LAST, *, mask):
    return trace(decoder.next_word({"last": last, "mask": mask}, EN))


def test_without_a_mask_every_row_of_the_map_depends_on_the_last_word_and_with_it_only_the_last_row():
    for mask, changed in ((False, [0, 1, 2, 3]), (True, [3])):
        rows, moved = (masked(last, mask=mask).values["weights"][0] for last in (2.0, -3.0))
        assert [at for at in range(4) if rows[at] != pytest.approx(moved[at], abs=1e-9)] == changed
        assert decoder.depending_on_the_last(masked(mask=mask)) == changed


def test_with_a_mask_no_token_sees_its_answer():
    assert {row[2] for row in listing("masks", {"last": 2.0, "mask": True})} == {"0.00"}
    assert all(float(row[2]) > 0 for row in listing("masks", {"last": 2.0, "mask": False}))


# --- cross-attention -------------------------------------------------------------------------------------------


def test_the_first_head_looks_at_the_word_that_has_to_be_translated_next():
    looked = [listing("cross-attention", {"query": query, "source": "sov"})[0][1] for query in range(3)]
    assert looked == list(built_in(translation.NAME).context_tokens)


def test_weights_move_along_with_the_words_of_the_source():
    moved = translation.translating({"query": 0, "source": "osv"}, EN)
    assert moved.context_tokens == ("茶", "我", "喝")
    before, now = (translation.weights_by_word(one) for one in (built_in(translation.NAME), moved))
    for row, other in zip(chain.from_iterable(before), chain.from_iterable(now), strict=True):
        assert row == pytest.approx(other)
    assert "none has changed" in sentence("cross-attention", {"query": 0, "source": "osv"})


# --- the block -------------------------------------------------------------------------------------------------


def test_with_nothing_added_x_goes_straight_through():
    assert "Y = X" in sentence("block", {"x": 2.0, "attention": 0.0, "mlp": False})


def test_attention_moves_programming_further_than_the_mlp_as_the_lesson_opens():
    """By hand from the numbers of the picture: (−1.37, 0.94, −0.13) and (0, 0.37, 1.05)."""
    added = {name: length_added(at_first(), name) for name in ("attention", "mlp")}
    assert added == {
        "attention": pytest.approx((1.37**2 + 0.94**2 + 0.13**2) ** 0.5, abs=0.01),
        "mlp": pytest.approx((0.37**2 + 1.05**2) ** 0.5, abs=0.01),
    }
    assert added["attention"] > added["mlp"]


def test_the_slider_and_the_switch_scale_what_is_added():
    values = {"x": 1.0, "attention": 0.5, "mlp": True}
    block = block_of(layer(values, EN), values)
    assert block.layer.x[2][2] == 1
    assert (block.w_1, block.w_2) == (W_1, W_2)
    assert block.layer.w_o[0][0] == 0.5


# --- the cache -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
def test_no_earlier_row_of_k_and_v_changes_while_the_decoder_writes(kv_heads):
    for step in range(1, cache.COUNT + 1):
        assert cache.rows_that_changed(cache.written({"step": step, "kv_heads": kv_heads}, EN)) == 0


def test_the_counts_of_a_step_by_hand():
    """d_model 8, four heads of 2, three tokens: Q, K, V 3·8·2 each, scores and outputs 3·3·2 each, times 4; W_O 3·8·8.

    With the cache one row of each, and 3·2 for the scores and for the output.
    """
    example = cache.written({"step": 3, "kv_heads": 4}, EN)
    assert multiplications(example) == 4 * (3 * 48 + 2 * 18) + 192 == 912
    assert multiplications_with_cache(example) == 4 * (3 * 16 + 2 * 6) + 64 == 304
    assert listing("cache", {"step": 3, "kv_heads": 4})[-1] == ["3  my", "912", "304", "48"]


def test_shared_heads_store_a_half_and_a_quarter_and_keep_every_query_and_score():
    counts = [int(listing("cache", {"step": 6, "kv_heads": heads})[-1][3]) for heads in (4, 2, 1)]
    assert counts == [96, 48, 24]
    for heads in (4, 1):
        computed = trace(cache.written({"step": 6, "kv_heads": heads}, EN))
        for name in ("q", "scores"):
            assert all(rows is not None for rows in computed.values[name])


def test_the_sizes_of_a_model_s_cache():
    assert [cache.memory(heads) for heads in (32, 8, 1)] == ["2 GiB", "512 MiB", "64 MiB"]


# --- what weights do not prove ---------------------------------------------------------------------------------


def measured(value):
    return proof.measures(trace(proof.review({"value": value}, EN)))


def test_the_key_with_the_largest_weight_adds_nothing_and_is_missed_all_the_same():
    the, *others = measured(0)
    assert the.weight > max(one.weight for one in others)
    assert (the.value, the.adds) == (0, 0)
    assert the.masked > 0.1  # the others take over its weight
    assert proof.adds_most() == 3


def test_the_slider_moves_values_and_no_weight_until_the_largest_weight_adds_most():
    assert [one.weight for one in measured(0)] == [one.weight for one in measured(2)]
    the, *others = measured(2)
    assert the.adds > max(one.adds for one in others)


def test_what_the_keys_add_is_the_output():
    computed = trace(proof.review({"value": 1.0}, EN))
    weights, values = computed.values["weights"][0][proof.GOOD], computed.values["v"][0]
    total = [sum(a * v for a, v in zip(weights, column, strict=True)) for column in zip(*values, strict=True)]
    assert computed.values["head_outputs"][0][proof.GOOD] == pytest.approx(total)
