"""The bench's data: the numbers of the trace and the declared computation, as plain JSON."""

import json
import re
from dataclasses import replace

import pytest

from mha_core import AddMask, AllowMask, CellError, ExampleError, built_in, graph, library, to_token
from mha_core.compute.graph import head_graph
from mha_core.compute.operations import OPERATIONS
from mha_core.edit.fields import FILLS, RESIZABLE
from mha_core.example.learning import GOALS
from mha_core.example.model import kv_head_of
from mha_core.vocabulary import AXES, LAYER_INPUTS, NAMES, PER_HEAD_INPUTS, STAGES, WHOLE_LAYER_STEPS
from mha_ui.bench import model
from mha_ui.bench.model import payload
from mha_ui.experiments.heads import TERMS
from mha_ui.state import LENSES, Work, receive
from mha_ui.state.history import begun
from mha_ui.state.url import say_whether_too_large
from mha_view import tables
from mha_view.bundle import WEB
from mha_view.glossary import GLOSSARY
from mha_view.language import LANGUAGES, words_in
from mha_view.tables.words import ui_words
from tests.apply import apply
from tests.core.edits import ENDS_AT_WEIGHTS, FURTHER_ON
from tests.sizes import each

NEG_INF = float("-inf")
T, F = True, False

ADDED = replace(built_in("first"), mask=AddMask(((0, NEG_INF, 0.5), (NEG_INF,) * 3, (-2, 1, 0))))
FILLED = replace(built_in("first"), mask=AllowMask(((T, F, F), (F, F, F), (T, T, T)), fill=-9.0))
UNEVEN = replace(
    built_in("output-projection"),
    heads=(
        replace(built_in("output-projection").heads[0], b_q=None),
        *built_in("output-projection").heads[1:],
    ),
)
"""The first head lacks a bias that the second has."""
EXAMPLES = {
    **library(),
    "added": ADDED,
    "filled": FILLED,
    "uneven": UNEVEN,
    "further on": FURTHER_ON,
    "ends at weights": ENDS_AT_WEIGHTS,
}

every_example = each("name", EXAMPLES)


def payload_of(name, language="en"):
    """The example's trace, and its payload as the browser reads it."""
    work = Work(begun(EXAMPLES[name], None), language)
    return work.trace, json.loads(json.dumps(payload(work), allow_nan=False))


def plain(rows):
    """A trace's numbers as JSON can express them."""
    return [["-inf" if number == NEG_INF else number for number in row] for row in rows]


def has(computed, name, head=None):
    try:
        return computed.matrix(name, head)
    except CellError:
        return None


# --- numbers -----------------------------------------------------------------------------------------------------


@each("language", LANGUAGES)
@every_example
def test_the_payload_is_json(name, language):
    work = Work(begun(EXAMPLES[name], None), language)
    text = json.dumps(payload(work), allow_nan=False)
    data = json.loads(text)
    assert data["session"] == work.browser.session
    assert (data["ack"], data["decimals"], data["pinned"], data["message"]) == (0, 4, None, None)
    assert data["address"] == {"s": to_token(EXAMPLES[name])}
    assert data["lang"] == language


@every_example
def test_its_numbers_are_the_traces(name):
    computed, data = payload_of(name)
    heads = range(len(computed.example.heads))
    for matrix, told_matrix in data["matrices"].items():
        values = told_matrix["values"]
        if matrix == "mask" and not isinstance(computed.example.mask, AddMask):
            assert values == [[cell == 1 for cell in row] for row in computed.matrix("mask")]
        elif told_matrix["perHead"]:
            expected = [has(computed, matrix, head) for head in heads]
            assert values == [rows and plain(rows) for rows in expected]
        else:
            assert values == plain(computed.matrix(matrix))


@every_example
def test_it_has_every_matrix_in_the_order_of_the_computation(name):
    computed, data = payload_of(name)
    example = computed.example
    wanted = {step.name for step in graph(example)}
    wanted |= {matrix for matrix in LAYER_INPUTS if has(computed, matrix)}
    wanted |= {
        matrix
        for matrix in (*PER_HEAD_INPUTS, "q", "k", "v", "weights")
        if any(getattr(head, matrix, None) is not None for head in example.heads)
    }
    assert list(data["matrices"]) == [matrix for matrix in AXES if matrix in wanted]


@each("language", LANGUAGES)
@every_example
def test_every_matrix_has_a_word_a_symbol_and_the_shape_of_its_axes(name, language):
    computed, data = payload_of(name, language)
    dims = computed.example.dims
    assert data["dims"] == {letter: getattr(dims, letter) for letter in dims.__slots__}
    words = words_in(language)
    for matrix, told_matrix in data["matrices"].items():
        assert told_matrix["word"] == words(NAMES[matrix])
        assert told_matrix["word"].isascii() == (language == "en")
        assert told_matrix["symbol"]
        assert told_matrix["axes"] == list(AXES[matrix])
        parts = told_matrix["values"] if told_matrix["perHead"] else [told_matrix["values"]]
        assert len(parts) == (dims.h if told_matrix["perHead"] else 1)
        assert {(len(rows), *{len(row) for row in rows}) for rows in parts if rows} == {dims.shape(matrix)}
    assert data["labels"]["n_q"] == list(computed.example.tokens)
    assert [len(data["labels"][axis]) for axis in ("n_q", "n_k")] == [dims.n_q, dims.n_k]


def test_minus_infinity_is_written_as_text():
    _, data = payload_of("causal")
    assert data["matrices"]["masked_scores"]["values"][0][0][1:] == ["-inf"] * 4
    assert data["constants"] == {"eps": None, "divisor": 2**0.5, "softcap": None, "fill": "-inf"}
    _, data = payload_of("added")
    assert data["matrices"]["mask"]["values"] == [[0, "-inf", 0.5], ["-inf"] * 3, [-2, 1, 0]]
    _, data = payload_of("filled")
    assert data["matrices"]["masked_scores"]["values"][0][0][1:] == [-9, -9]
    assert data["constants"]["fill"] == -9


def test_rows_that_can_attend_to_no_key_are_marked():
    assert payload_of("first")[1]["dead"] is None
    assert payload_of("causal")[1]["dead"] == [[False] * 5] * len(built_in("causal").heads)
    assert payload_of("padding")[1]["dead"] == [[False, False, True]] * 2
    assert payload_of("added")[1]["dead"] == [[False, True, False]] * 2
    assert payload_of("filled")[1]["dead"] == [[False] * 3] * 2


# --- the declared computation ------------------------------------------------------------------------------------


@every_example
def test_its_steps_are_the_declared_ones(name):
    computed, data = payload_of(name)
    declared = {step.name: step for step in graph(computed.example)}
    assert set(data["steps"]) == set(declared)
    for step, told_step in data["steps"].items():
        operation = OPERATIONS[declared[step].op]
        assert (told_step["index"], told_step["lines"]) == (declared[step].index, [*operation.lines])
        for operand, index, head in told_step["operands"]:
            assert operand in data["matrices"]
            assert head == ("g" if operand == declared[step].gathers else "")
            assert len(axes_in(index)) == len([axis for axis in AXES[operand] if axis != "1"])
        assert len(axes_in(told_step["index"])) == len([axis for axis in AXES[step] if axis != "1"])


def axes_in(index):
    """ "(ij)k" → ["(ij)", "k"]"""
    return re.findall(r"\(\w\w\)|\w", index)


@every_example
def test_a_heads_step_is_the_sent_one_without_what_the_head_lacks(name):
    computed, data = payload_of(name)
    for g, head in enumerate(computed.example.heads):
        for step in head_graph(computed.example, head):
            operands = [tuple(operand) for operand in data["steps"][step.name]["operands"]]
            at = {name: _head_of(computed.example, name, g) for name, *_ in operands}
            present = [operand for operand in operands if has(computed, operand[0], at[operand[0]])]
            assert present == [(operand.name, operand.index, "") for operand in step.tables]


def _head_of(example, name, head):
    return None if name in (*LAYER_INPUTS, *WHOLE_LAYER_STEPS) else kv_head_of(example, name, head)


def test_of_heads_that_differ_in_biases_the_fuller_step_is_sent():
    _, data = payload_of("uneven")
    assert [operand for operand, *_ in data["steps"]["q"]["operands"]] == ["x", "w_q", "b_q"]
    assert data["matrices"]["b_q"]["values"][0] is None
    assert data["matrices"]["q"]["formula"] == "X·W_Q + b_Q"


def test_formulas_and_symbols():
    matrices = payload_of("first")[1]["matrices"]
    assert {name: matrix["formula"] for name, matrix in matrices.items() if matrix["formula"]} == {
        "q": "X·W_Q",
        "k": "X·W_K",
        "v": "X·W_V",
        "scores": "Q·Kᵀ",
        "weights": "softmax(S/√d_k)",
        "head_outputs": "A·V",
        "concat": "[head_1 | head_2]",
    }
    assert matrices["scaled_scores"]["symbol"] == "S/√d_k"
    assert matrices["head_outputs"]["symbol"] == "head_{h}"
    assert payload_of("translation")[1]["matrices"]["k"]["formula"].startswith("C·W_K")


@every_example
def test_a_matrix_has_its_head_exactly_where_the_trace_has(name):
    computed, data = payload_of(name)
    for matrix, told_matrix in data["matrices"].items():
        assert bool(has(computed, matrix)) != told_matrix["perHead"]


# --- what may be edited ------------------------------------------------------------------------------------------


@every_example
def test_exactly_the_matrices_marked_editable_are_editable(name):
    computed, data = payload_of(name)
    heads = range(len(computed.example.heads))
    for matrix, told_matrix in data["matrices"].items():
        edit, values = told_matrix["edit"], told_matrix["values"]
        for head in heads if told_matrix["perHead"] else (None,):
            rows = values if head is None else values[head]
            if rows:
                editable = edit[head] if isinstance(edit, list) else edit
                assert is_editable(computed.example, matrix, head, rows) == editable


def is_editable(example, matrix, head, rows):
    """Whether an edit of the last cell is accepted."""
    row, col = len(rows) - 1, len(rows[0]) - 1
    new = not rows[row][col] if isinstance(rows[row][col], bool) else 7
    edit = {"op": "set", "matrix": matrix, "head": head, "row": row, "col": col, "values": [[new]]}
    try:
        edited = apply(example, edit)
    except ExampleError:
        return False
    values = payload(Work(begun(edited, None), "en"))["matrices"][matrix]["values"]
    return (values if head is None else values[head])[row][col] == new


def test_a_given_step_is_editable_in_its_head_alone():
    matrices = payload_of("further on")[1]["matrices"]
    assert {
        name: matrix["edit"] for name, matrix in matrices.items() if isinstance(matrix["edit"], list)
    } == {
        "q": [F, T, F, F],
        "k": [F, F, T, F],
        "v": [F, F, T, T],
        "weights": [F, F, F, T],
    }


# --- controls, pins, messages ------------------------------------------------------------------------------------


def after(example, *edits):
    work = Work(begun(example, None), "en")
    work = receive(
        work, {"session": work.browser.session, "edits": [{**e, "seq": i} for i, e in enumerate(edits, 1)]}
    )
    return payload(say_whether_too_large(work))


@pytest.mark.parametrize(
    ("edits", "controls"),
    [
        ([], {}),
        ([{"op": "add_head"}], {"undo": T, "changed": T}),
        ([{"op": "add_head"}, {"op": "undo"}], {"redo": T}),
        ([{"op": "add_head"}, {"op": "remove_head", "head": 2}], {"undo": T}),
        ([{"op": "w_o", "on": T}], {"undo": T, "changed": T, "w_o": T}),
        ([{"op": "biases", "on": T}], {"undo": T, "changed": T, "biases": T}),
        ([{"op": "context", "on": T}], {"undo": T, "changed": T, "context": T}),
        ([{"op": "mask", "kind": "causal"}], {"undo": T, "changed": T, "mask": "causal"}),
        ([{"op": "mask", "kind": "painted"}], {"undo": T, "changed": T, "mask": "painted"}),
        (
            [{"op": "mask", "kind": "causal_window", "window": 3}],
            {"undo": T, "changed": T, "mask": "causal_window", "window": 3},
        ),
        ([{"op": "softcap", "value": 4}], {"undo": T, "changed": T, "softcap": 4}),
        ([{"op": "sinks", "on": T}], {"undo": T, "changed": T, "sinks": T}),
        ([{"op": "norm", "kind": "rms"}], {"undo": T, "changed": T, "norm": 1e-6}),
        ([{"op": "scale", "value": 4}], {"undo": T, "changed": T, "scale": 4}),
        ([{"op": "scale", "value": "none"}], {"undo": T, "changed": T, "scale": "none", "scoring": "dot"}),
        (
            [{"op": "scoring", "kind": "cosine"}],
            {"undo": T, "changed": T, "scale": 0.25, "scoring": "cosine"},
        ),
        (
            [{"op": "scoring", "kind": "additive"}, {"op": "scoring", "kind": "dot", "scale": "sqrt_dk"}],
            {"undo": T},
        ),
        ([{"op": "positions", "kind": "rotary"}], {"undo": T, "changed": T, "positions": "rotary"}),
        (
            [{"op": "positions", "kind": "rotary", "pairs": "half"}],
            {"undo": T, "changed": T, "positions": "rotary_half"},
        ),
        (
            [{"op": "head_mask", "head": 1, "on": True}],
            {"undo": T, "changed": T, "head_masks": [False, True]},
        ),
        ([{"op": "kv_heads", "count": 1}], {"undo": T, "changed": T, "kv_heads": 1}),
    ],
    ids=str,
)
def test_controls_show_what_the_layer_has(edits, controls):
    bare = {"undo": F, "redo": F, "changed": F, "values": T, "w_o": F, "biases": F, "context": F}
    view = {"lens": "", "baseline": F}
    told = after(built_in("first"), *edits)
    told_controls = told["controls"]
    layer = {"scale": "sqrt_dk", "scoring": "scaled_dot", "positions": "none", "kv_heads": 2, "mask": "none"}
    layer |= {"softcap": None, "window": None, "corner": None, "head_masks": [F] * told["dims"]["h"]}
    layer |= {"sinks": F, "norm": None, "rate": None}
    cosine = controls.get("scoring") == "cosine"
    layer |= {"temperature": cosine, "is_product": not cosine}
    widths = {"d_context": "context" in controls, "d_out": "w_o" in controls}
    layer["sizes"] = ["h", *(axis for axis in RESIZABLE if axis != "d_a" and widths.get(axis, True))]
    if edits[:1] == [{"op": "add_head"}] and len(edits) == 1:
        layer["kv_heads"] = 3
    assert told_controls == {**bare, **view, **layer, **controls}


@pytest.mark.parametrize(
    ("name", "mask", "corner"),
    [
        ("translation", {"kind": "causal"}, "top_left"),
        ("translation", {"kind": "window", "corner": "bottom_right"}, "bottom_right"),
        ("translation", {"kind": "painted"}, None),
        ("translation", {"kind": "none"}, None),
        ("first", {"kind": "causal", "corner": "bottom_right"}, None),
    ],
)
def test_a_corner_is_offered_where_it_matters(name, mask, corner):
    assert after(built_in(name), {"op": "mask", **mask})["controls"]["corner"] == corner


def test_each_choice_of_a_menu_is_an_edit_after_which_it_holds():
    example = built_in("first")
    for menu, choices in payload(Work(begun(example, None), "en"))["choices"].items():
        for choice, edit in choices.items():
            assert after(example, edit)["controls"][menu] == choice


def test_a_bias_of_w_o_alone_is_a_bias():
    example = replace(apply(built_in("first"), {"op": "w_o", "on": True}), b_o=(1.0, 2.0, 3.0, 4.0))
    assert payload(Work(begun(example, None), "en"))["controls"]["biases"] is True


def test_numbers_confirmed_pin_and_message():
    pin = {"op": "pin", "cell": {"name": "concat", "head": None, "row": 1, "col": 2}}
    data = after(built_in("first"), pin, {"op": "resize", "axis": "d_v", "size": 0})
    assert data["ack"] == 2
    assert data["pinned"] == {"name": "concat", "head": None, "row": 1, "col": 2}
    assert data["message"] == {
        "text": "d_v: expected 1 to 64, got 0",
        "kind": "error",
        "place": "d_v",
        "offer": None,
    }
    assert data["address"]["cell"] == "concat..1.2"


def test_an_example_too_large_for_a_link_comes_with_a_message():
    size = {"op": "resize", "size": 64}
    fill = {"op": "fill", "matrix": "w_q", "with": "random"}
    grown = [{**size, "axis": axis} for axis in ("d_model", "d_k", "d_v")]
    data = after(
        built_in("first"),
        *grown,
        *(
            {**fill, "matrix": f"w_{m}", "head": g, "seed": 2 * s + g}
            for s, m in enumerate("qkv")
            for g in (0, 1)
        ),
    )
    assert data["address"] == {}
    assert data["message"]["kind"] == "info"


# --- words -------------------------------------------------------------------------------------------------------


def test_every_matrix_is_in_exactly_one_stage():
    names = [name for _, _, matrices in STAGES for name in matrices]
    terms = {name for _, _, matrices in TERMS for name in matrices}  # the output once more, head by head
    assert sorted(names) == sorted(AXES.keys() - (terms - {*names}))
    assert terms - {*names} == {"w_o_block", "head_terms"}
    assert set(NAMES) == set(AXES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_stages_and_words_are_in_the_language(language):
    _, data = payload_of("first", language)
    texts = [stage[part] for stage in data["stages"] for part in ("title", "hint")]
    texts += [text for name, text in ui_words(language).items() if name != "lang"]
    assert all(texts)
    texts = [
        text for text in texts if re.search(r"\w", re.sub(r"\{\w+\}", "", text))
    ]  # words, not signs alone
    chinese = [any("\u4e00" <= character <= "\u9fff" for character in text) for text in texts]
    assert set(chinese) == {language == "zh"}


def test_an_answer_has_no_word_that_does_not_depend_on_its_example():
    """The browser has those of the page (``mha_view.page_words``)."""
    _, data = payload_of("first")
    assert "words" not in data
    assert data["own_words"] == {}


MARKS = ("right", "own", "follows", "doubtful", "coarse", "nearly")
WRONG = ("not_a_number", "too_large", "comma", "fraction", "not_allowed")


LAST_PLACES = ("check", "exercise", "lessons", "models", "train")
"""What Explore leads back to, besides works: KINDS in web/kit/last_work.js."""


def test_the_browser_is_sent_the_words_that_it_uses_and_no_others():
    used = set()
    for script in (*WEB.glob("kit/*.js"), *WEB.glob("explore/**/*.js")):
        text = script.read_text("utf-8")
        used |= set(re.findall(r"\bwords\.(\w+)", text))
        used |= {f"fill_{kind}" for kind in FILLS if "words[`fill_${kind}`]" in text}
        used |= {f"mark_{mark}" for mark in MARKS if "words[`mark_${mark}`]" in text}
        used |= {f"wrong_{kind}" for kind in WRONG if "words[`wrong_${wrong}`]" in text}
        used |= {f"goal_about_{step}" for step in GOALS if "words[`goal_about_${name}`]" in text}
        used |= {f"goal_row_{step}" for step in GOALS[:2] if "words[`goal_row_${step}`]" in text}
        for part in ("term", "means"):
            used |= {f"{part}_{term}" for term in GLOSSARY if f"words[`{part}_${{term}}`]" in text}
        used |= {f"left_{kind}" for kind in LAST_PLACES if "words[`left_${kind}`]" in text}
        for end in ("", "_about"):
            used |= {
                f"sentence_{one}{end}"
                for one in ("learned", "made_up")
                if f"words[`sentence_${{name}}{end}`]" in text
            }
        used |= {f"legend_{kind}" for kind in LENSES if "words[`legend_${kind}`]" in text}
        used |= set(re.findall(r'#historyButton\("(\w+)"', text))
        for fold, controls in re.findall(r'#menu\("(\w+)", \{(.*?)\n +\}\)', text, re.DOTALL):
            used |= {fold} | {
                f"for_{control}" for control in re.findall(r"^ +(\w+): ", controls, re.MULTILINE)
            }
    used |= {word for words in tables._WHY.values() for word in words if word}
    used |= {f"{menu}_{choice}" for menu, choices in model._CHOICES.items() for choice in choices}
    used |= set(model._CHOICES)
    used |= {f"{word}_touch" for word in used} & set(ui_words("en"))
    assert used == set(ui_words("en")) == set(ui_words("zh"))
