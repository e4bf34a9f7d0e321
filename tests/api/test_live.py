"""The live channel: what it answers agrees with the page bit for bit, and nothing that is sent harms it."""

import json
import struct
from dataclasses import replace
from math import inf
from random import Random
from threading import get_ident
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import mha_api
from mha_api import channel as channel_module
from mha_api import live
from mha_api.channel import MAX_MESSAGE, Channel
from mha_core import Example, Head, built_in, library, to_token
from mha_core.edit.matrices import filled
from mha_core.exercise.exercise import askable
from mha_core.vocabulary import PER_HEAD_STEPS
from mha_ui.bench.model import payload
from mha_ui.check.model import check_payload
from mha_ui.state import Work, receive
from mha_ui.state.history import begun
from mha_view.figures import FIGURES
from mha_view.language import LANGUAGES, words_in
from mha_view.lenses import laid_over
from mha_view.lenses.lens import Exercise
from tests.apply import apply
from tests.core.edits import BUILT_IN, cases
from tests.sizes import each, in_turn, lengthened, tries

every_example = each("name", library())


def opened(answer):
    """The header of an answer, and its blocks by (name, head, first row): rows of numbers."""
    length = int.from_bytes(answer[:4], "little")
    assert (4 + length) % 8 == 0
    header, numbers = json.loads(answer[4 : 4 + length]), answer[4 + length :]
    blocks, at = {}, 0
    for name, head, first, rows, cols in header.get("blocks", ()):
        read = struct.unpack_from(f"<{rows * cols}d", numbers, at)
        at += 8 * rows * cols
        blocks[name, head, first] = [list(read[row * cols : (row + 1) * cols]) for row in range(rows)]
    assert at == len(numbers)
    return header, blocks


def asked(channel, number, base, edits=(), **more):
    return opened(channel.answer(json.dumps({"id": number, "from": base, "edits": list(edits), **more})))


def bits(number):
    """A number as the page sends it, as its bits: −∞ is written out there, and a mask's pairs are true or false."""
    return struct.pack("<d", -inf if number == "-inf" else float(number))


def shown_by_page(work):
    """Every number of the page's payload, by (name, head, row, column), as bits."""
    found = {}
    for name, matrix in json.loads(json.dumps(payload(work)))["matrices"].items():
        for head, rows in enumerate(matrix["values"]) if matrix["perHead"] else [(None, matrix["values"])]:
            for row, cells in enumerate(rows or ()):
                for col, number in enumerate(cells):
                    found[name, head, row, col] = bits(number)
    return found


def laid(held, blocks):
    """The numbers that a reader holds once an answer's blocks are laid over them."""
    for (name, head, first), rows in blocks.items():
        for row, cells in enumerate(rows, start=first):
            for col, number in enumerate(cells):
                held[name, head, row, col] = bits(number)
    return held


def by_the_page(example, edits):
    work = Work(begun(example, None), "en")
    return receive(
        work,
        {"session": work.browser.session, "edits": [{**e, "seq": n} for n, e in enumerate(edits, start=1)]},
    )


@every_example
def test_all_numbers_are_the_page_s_bit_for_bit(name):
    header, blocks = asked(Channel(), 1, {"example": name}, about=True)
    work = Work(begun(built_in(name), name), "en")
    assert laid({}, blocks) == shown_by_page(work)
    page = payload(work)
    assert (header["about"], header["looks"]) == (page["about"], page["looks"])
    assert header["shifts"] == json.loads(json.dumps(page["shifts"]))
    assert header["dead"] == json.loads(json.dumps(page["dead"]))


@tries(30)
@given(cases(BUILT_IN, odd=st.just(False), most=3))
def test_after_any_edits_both_answers_agree(case):
    """Each edit that the page refuses is left out, as the page does; all others are made to the page's example."""
    example, edits = case
    work, channel = Work(begun(example, None), "en"), Channel()
    made: list[Any] = []
    for number, edit in enumerate(edits, start=1):
        work = receive(work, {"session": work.browser.session, "edits": [{**edit, "seq": number}]})
        header, blocks = asked(channel, number, {"s": to_token(example)}, [*made, edit])
        if "error" in header:
            assert work.message
            assert work.message.text
        else:
            made.append(edit)
            assert laid({}, blocks) == shown_by_page(work)


@pytest.mark.parametrize(
    "edits",
    [
        [{"op": "remove_head", "head": 0}, {"op": "add_head", "copy": None}],
        [{"op": "remove_token", "which": "tokens", "index": 1}, {"op": "add_token", "which": "tokens"}],
    ],
    ids=["head", "token"],
)
def test_what_was_removed_comes_back_in_both_answers(edits):
    _, blocks = asked(Channel(), 1, {"example": "first"}, edits)
    assert laid({}, blocks) == shown_by_page(by_the_page(built_in("first"), edits))


@every_example
def test_what_changes_is_enough_for_who_has_the_last_answer(name):
    """A drag: edits of one cell, each made to the same numbers, and only the difference is sent."""
    random, channel, example = Random(name), Channel(), built_in(name)
    _, blocks = asked(channel, 1, {"example": name})
    held = laid({}, blocks)
    inputs = [cell for cell in held if cell[0] in ("x", "w_q", "w_k", "w_v", "context", "w_o", "q", "v")]
    for number in range(2, 12):
        matrix, head, row, col = random.choice(inputs)
        value = random.choice([0.0, -0.0, 1.5, random.uniform(-3, 3)])
        edit = {"op": "set", "matrix": matrix, "head": head, "row": row, "col": col, "values": [[value]]}
        header, blocks = asked(channel, number, 1, [edit], since=number - 1)
        if "error" in header:  # it is computed here, not given
            header, blocks = asked(channel, number, 1, [], since=number - 1)
            edits = []
        else:
            edits = [edit]
        laid(held, blocks)
        assert held == shown_by_page(by_the_page(example, edits))


def test_nothing_is_sent_of_what_does_not_change():
    channel = Channel()
    asked(channel, 1, {"example": "first"})
    edit = {"op": "set", "matrix": "w_v", "head": 1, "row": 0, "col": 0, "values": [[9]]}
    _, blocks = asked(channel, 2, 1, [edit], since=1)
    assert {(name, head) for name, head, _ in blocks} == {
        ("w_v", 1),
        ("v", 1),
        ("head_outputs", 1),
        ("concat", None),
    }
    header, blocks = asked(channel, 3, 2, [], since=2)
    assert header == {"id": 3, "blocks": []}


def test_a_long_drag_keeps_three_answers_at_most():
    channel = Channel()
    asked(channel, 0, {"example": "first"}, quiet=True)
    for number in range(1, 50):
        asked(channel, number, 0, since=number - 1)
        assert len(channel._stored) <= 3


def test_a_quiet_message_only_gets_the_example_ready():
    channel = Channel()
    assert asked(channel, 1, {"s": to_token(built_in("first"))}, quiet=True) == ({"id": 1}, {})
    assert asked(channel, 2, 1, since=1)[0] == {"id": 2, "blocks": []}


def test_an_answer_that_is_no_longer_at_hand_is_asked_for_again():
    channel = Channel()
    assert asked(channel, 5, 4)[0] == {"id": 5, "gone": True}
    assert asked(channel, 6, {"example": "first"}, since=5)[0] == {"id": 6, "gone": True}


@pytest.mark.parametrize("language", LANGUAGES)
def test_figures_are_those_of_the_page_and_follow_the_numbers(language):
    work, channel = Work(begun(built_in("programming"), "programming"), language), Channel()
    asking = {"names": list(FIGURES), "theme": "dark", "query": 1}
    header, _ = asked(channel, 1, {"example": "programming"}, lang=language, figures=asking)
    assert "figures" not in header  # no number waits for them
    header, _ = opened(channel.pictures())
    assert header["id"] == 1
    words = words_in(language)
    shown = {name: at for name, at in FIGURES.items() if at.is_live and at.available(work.trace)}
    assert header["figures"].keys() == shown.keys() != set()
    for name, picture in shown.items():
        figure = picture.build(work.trace, theme="dark", words=words, query=1)
        assert header["figures"][name] == json.loads(json.dumps(figure.drawn))
    assert channel.drawing is None


def test_only_what_is_asked_for_is_drawn():
    channel = Channel()
    asked(channel, 1, {"example": "first"})
    assert not channel.drawing
    asked(channel, 2, 1, figures={"names": ["bars", "saturation", "nothing", 3], "query": 99})
    header, _ = opened(channel.pictures())
    assert list(header["figures"]) == ["bars"]
    asked(channel, 3, 2, figures={"names": ["weights"]})
    asked(channel, 4, 77)  # gone: what was asked for before it goes with it
    assert not channel.drawing


def test_a_picture_that_fails_costs_itself_alone(monkeypatch, caplog):
    channel = Channel()
    asked(channel, 1, {"example": "first"}, figures={"names": ["weights"]})
    monkeypatch.setattr("mha_api.channel.figures", lambda *_: 1 / 0)
    assert opened(channel.pictures())[0] == {"id": 1, "figures": {}}
    assert "ZeroDivisionError" in caplog.text
    assert opened(channel.answer(json.dumps({"id": 2, "from": 1})))[0]["id"] == 2


# --- through a lens ------------------------------------------------------------------------------------------------


PARTS = "lens", "was", "marks", "kinds", "notes", "check"


def shown_besides(data):
    """What the page shows besides numbers, to the last digit; where there is none of a thing, nothing."""
    held = [data, *data["matrices"].values()]
    return json.dumps([{part: one[part] for part in PARTS if one.get(part) is not None} for one in held])


def assert_seen(header, work, page=payload):
    """What comes through a lens makes of tables that show none what the page shows."""
    data = json.loads(json.dumps(page(work)))
    wanted = shown_besides(data)
    for one in (data, *data["matrices"].values()):
        for part in PARTS:
            one.pop(part, None)
    assert shown_besides(laid_over(data, header["seen"])) == wanted


LOOKS = [
    [{"op": "lens", "value": "gradient"}],
    [
        {"op": "lens", "value": "gradient"},
        {"op": "pin", "cell": {"name": "weights", "head": 0, "row": 0, "col": 0}},
    ],
    [{"op": "baseline"}],
    [{"op": "decimals", "value": 2}, {"op": "baseline"}],
]


@tries(15)
@given(cases(BUILT_IN, odd=st.just(False), most=3), st.sampled_from(LOOKS), st.sampled_from(LANGUAGES))
def test_through_a_lens_both_answers_agree(case, looks, language):
    """The lens is chosen before the edits, as the page sends it, and shows what the page shows after each edit."""
    example, edits = case
    work, channel = Work(begun(example, None), language), Channel()
    work = send(work, *looks)
    lens = payload(work)["asks"]["lens"]
    made: list[Any] = []
    for number, edit in enumerate(edits, start=1):
        work = send(work, edit)
        asks = payload(work)["asks"]
        assert asks["lens"].get("base") == lens.get("base")
        header, blocks = asked(channel, number, {"s": to_token(example)}, [*made, edit], **asks)
        if "error" in header:
            assert work.message
            continue
        made.append(edit)
        assert laid({}, blocks) == shown_by_page(work)
        assert_seen(header, work)


def send(work, *edits):
    """What the bench would send."""
    numbered = [{**edit, "seq": work.browser.applied + 1 + n} for n, edit in enumerate(edits)]
    return receive(work, {"session": work.browser.session, "edits": numbered})


CHECKS: dict[str, tuple[str, Any]] = {
    "free": ("en", None),
    "exercise": ("zh", Exercise(("weights", "head_outputs"))),
    "hinted": ("zh", "hinted"),
}


@pytest.mark.parametrize(("name", "kind"), in_turn(library(), [*CHECKS]))
def test_claims_get_the_page_s_verdict_and_no_numbers(name, kind):
    """Numbers are filled in one after the other: right ones, wrong ones, blanks and very large ones."""
    language, exercise = CHECKS[kind]
    random, work, channel = Random(name), Work(begun(built_in(name), name), language), Channel()
    first = next(cell for cell in askable(work.example) if cell in work.trace.values)
    if exercise == "hinted":
        exercise = Exercise((first, "weights"), frozenset({1}), {0: 2}, hinted=0)
    work = replace(work, exercise=exercise)
    asks = check_payload(work)["asks"]
    assert asked(channel, 1, {"example": name}, quiet=True, lens=asks["lens"]) == ({"id": 1}, {})
    edits: list[Any] = []
    for number in range(2, 2 + lengthened(5)):
        edits.append(claim(random, work))
        work = send(work, edits[-1])
        header, blocks = asked(channel, number, 1, edits, **asks | {"lens": 1})
        assert blocks == {}
        assert header.keys() == {"id", "seen"}
        assert_seen(header, work, check_payload)


def claim(random, work):
    """A number filled in anywhere: the right one, another one, or none."""
    steps = [
        (name, head, rows)
        for name in askable(work.example)
        for head, rows in (
            enumerate(work.trace.values[name])
            if name in PER_HEAD_STEPS
            else [(None, work.trace.values[name])]
        )
        if rows and (head is None or getattr(work.example.heads[head], name, None) is None)
    ]
    name, head, rows = random.choice(steps)
    row, col = random.randrange(len(rows)), random.randrange(len(rows[0]))
    text = random.choice([f"{rows[row][col]:.3f}".replace("inf", "1e9"), "0.5", "-7", "1e300", ""])
    return {"op": "claim", "matrix": name, "head": head, "row": row, "col": col, "values": [[text]]}


def test_a_lens_is_given_once_and_then_named():
    work, channel = Work(begun(built_in("first"), "first"), "en"), Channel()
    work = send(work, {"op": "baseline"})
    lens = payload(work)["asks"]["lens"]
    asked(channel, 1, {"example": "first"}, quiet=True, lens=lens)
    edit = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 1, "values": [[3]]}
    header, _ = asked(channel, 2, 1, [edit], lens=1)
    work = send(work, edit)
    assert_seen(header, work)
    assert "X[1, 2] 2 → 3" in header["seen"]["lens"]["summary"]
    assert "seen" not in asked(channel, 3, 1, [edit])[0]
    assert "seen" in asked(channel, 4, 1, [edit], lens=1)[0]  # as long as no other is given
    asked(channel, 5, 1, [edit], lens={"name": "gradient", "decimals": 4})
    assert asked(channel, 6, 5, lens=1)[0] == {"id": 6, "gone": True}
    assert asked(channel, 7, 5, lens=5)[0]["seen"]["lens"]["kind"] == "gradient"
    assert asked(Channel(), 1, {"example": "first"}, lens=0)[0] == {"id": 1, "gone": True}


# --- what takes time -----------------------------------------------------------------------------------------------

SET = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[2]]}


def light(channel, base, edits=(SET,), **more):
    return channel.is_light(json.dumps({"id": 9, "from": base, "edits": list(edits), **more}))


def at_hand(example):
    """A channel that has an example at hand, as its answer 1."""
    channel = Channel()
    assert asked(channel, 1, {"s": to_token(example)}, quiet=True)[0] == {"id": 1}
    return channel


def largest():
    """An example as large as there is, whose link is short."""
    zeros = filled(64, 64, "zeros")
    return Example("", tuple(map(str, range(64))), (Head(zeros, zeros, zeros),) * 16, zeros)


def test_a_step_of_a_drag_is_light_and_what_is_no_message_too():
    channel = at_hand(built_in("first"))
    assert light(channel, 1)
    assert light(channel, 1, [{"op": "scale", "value": 2}], since=1)
    assert light(channel, 77)  # it is gone
    assert channel.is_light("{")


def test_what_may_have_to_search_is_not_light():
    channel = at_hand(built_in("first"))
    assert not light(channel, 1, lens={"name": "check", "decimals": 4})
    assert not light(channel, 1, lens=3)


def test_a_message_is_as_heavy_as_the_cells_that_it_has_computed_and_not_as_it_is_long():
    channel = at_hand(built_in("first"))
    assert not light(channel, 1, [SET] * 100)
    assert not channel.is_light(" " * 20_001)
    assert not light(at_hand(largest()), 1)


def test_what_is_shown_weighs_as_well_as_what_is_edited():
    channel = at_hand(largest())
    asked(channel, 2, {"example": "first"}, since=1, quiet=True)
    assert light(channel, 2)
    assert not light(channel, 2, since=1)


@pytest.mark.parametrize("base", [{"example": "first"}, {"s": "1AAAA"}])
def test_an_address_is_heavy_whatever_it_may_hold(base):
    assert not light(Channel(), base, [])


@pytest.mark.parametrize(
    "edit", [{**SET, "grow": True}, {"op": "resize", "axis": "d_k", "size": 64}, {"op": 3}]
)
def test_an_edit_that_may_make_the_example_larger_is_heavy(edit):
    assert not light(at_hand(built_in("first")), 1, [edit])


def test_edits_that_would_take_too_long_get_a_sentence(monkeypatch):
    monkeypatch.setattr(channel_module, "MAX_SECONDS", -1)
    header, _ = asked(Channel(), 1, {"example": "first"}, [SET])
    assert header["error"] == "edits: these edits take longer than -1 seconds"


def test_heavy_messages_are_answered_beside_the_loop_and_light_ones_on_it(client, monkeypatch):
    answer, threads = Channel.answer, []

    def noted(channel, text):
        threads.append(get_ident())
        return answer(channel, text)

    monkeypatch.setattr(Channel, "answer", noted)
    with client.websocket_connect("/api/live") as socket:
        for message in (
            {
                "id": 1,
                "from": {"s": to_token(largest())},
                "edits": [{"op": "title", "text": "x"}] * 9,
                "quiet": True,
            },
            {"id": 2, "from": {"example": "first"}, "quiet": True},
            {"id": 3, "from": 2, "edits": [SET]},
        ):
            socket.send_text(json.dumps(message))
            assert opened(socket.receive_bytes())[0]["id"] == message["id"]
        loop = client.portal.call(get_ident)
    assert [thread == loop for thread in threads] == [False, False, True]


def test_a_divisor_brings_its_formula():
    channel, example = Channel(), apply(built_in("first"), {"op": "scale", "value": 2})
    asked(channel, 1, {"s": to_token(example)})
    header, blocks = asked(channel, 2, 1, [{"op": "scale", "value": 2.5}], since=1)
    work = by_the_page(example, [{"op": "scale", "value": 2.5}])
    page = json.loads(json.dumps(payload(work)))
    assert header["constants"] == page["constants"]
    for name, above in header["captions"].items():
        assert page["matrices"][name] == page["matrices"][name] | above
    assert header["captions"]["scaled_scores"]["symbol"] == "S/2.5"
    assert {name for name, _, _ in blocks} & {"scaled_scores", "weights"}
    assert "scores" not in {name for name, _, _ in blocks}


LENS = {"name": "change", "decimals": 4}
BAD_LENSES: list[Any] = [
    [],
    "change",
    True,
    -1,
    1.5,
    {},
    {"name": "values", "decimals": 4},
    {"name": None, "decimals": 4},
    {"name": "change"},
    {"name": "change", "decimals": -1},
    {"name": "change", "decimals": 11},
    {"name": "change", "decimals": True},
    LENS | {"base": 3},
    LENS | {"base": "1AAAA"},
    LENS | {"base": "1" * 40_000},
    LENS | {"base": {"s": "1"}},
    LENS | {"pinned": []},
    LENS | {"pinned": {"name": "q", "head": 0, "row": "0", "col": 0}},
    LENS | {"pinned": {"name": ["q"], "head": 0, "row": 0, "col": 0}},
    LENS | {"exercise": []},
    LENS | {"exercise": {"asked": "weights", "tally": ""}},
    LENS | {"exercise": {"asked": [], "tally": 3}},
    LENS | {"exercise": {"asked": [], "tally": "", "hinted": -1}},
]


@pytest.mark.parametrize("lens", BAD_LENSES, ids=range(len(BAD_LENSES)))
def test_what_is_no_lens_gets_one_sentence(lens, caplog):
    channel = Channel()
    header, blocks = asked(channel, 1, {"example": "first"}, lens=lens)
    assert header["error"]
    assert "\n" not in header["error"]
    assert (blocks, caplog.records) == ({}, [])
    assert asked(channel, 2, {"example": "first"})[1]


NOWHERE: list[Any] = [
    {"name": "gradient", "decimals": 0, "pinned": {"name": name, "head": head, "row": row, "col": 0}}
    for name, head, row in (
        ("q", 9, 0),
        ("q", None, 0),
        ("output", 0, 0),
        ("x", None, 0),
        ("", 0, 0),
        ("q", 0, 2**40),
    )
] + [
    {
        "name": "check",
        "decimals": 4,
        "exercise": {"asked": [3, "x", "weights", None], "tally": tally, "hinted": cell},
    }
    for cell, tally in ((None, "9999~9999.9"), (2**50, "~0.0"), (0, "1~2~3"), (0, "\u0661~"))
]


@each("lens", [*NOWHERE, LENS])
@every_example
def test_what_is_not_there_to_be_looked_at_is_passed_over(name, lens, caplog):
    header, _ = asked(Channel(), 1, {"example": name}, lens=lens)
    assert "seen" in header
    assert caplog.records == []


# --- what nobody should send ---------------------------------------------------------------------------------------

GOOD = {"id": 1, "from": {"example": "first"}}
BAD = [
    "",
    "{",
    "[" * 100_000,
    "null",
    "[]",
    '"text"',
    "1e999",
    json.dumps({"from": {"example": "first"}}),
    json.dumps({**GOOD, "id": -1}),
    json.dumps({**GOOD, "id": True}),
    json.dumps({**GOOD, "id": 2**70}),
    json.dumps({"id": 1}),
    json.dumps({"id": 1, "from": {"example": 3}}),
    json.dumps({"id": 1, "from": {"example": "../../etc/passwd"}}),
    json.dumps({"id": 1, "from": {"s": "1AAAA"}}),
    json.dumps({"id": 1, "from": {"s": "9" * 40_000}}),
    json.dumps({**GOOD, "since": "one"}),
    json.dumps({**GOOD, "edits": [1]}),
    json.dumps({**GOOD, "edits": [{}]}),
    json.dumps({**GOOD, "edits": [{"op": "undo"}]}),
    json.dumps(
        {**GOOD, "edits": [{"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[float("nan")]]}]}
    ),
    json.dumps({**GOOD, "edits": [{"op": "set", "matrix": "x", "row": 10**9, "col": 0, "values": [[1]]}]}),
    json.dumps(
        {**GOOD, "edits": [{"op": "set", "matrix": "__class__", "row": 0, "col": 0, "values": [[1]]}]}
    ),
    json.dumps({**GOOD, "edits": [{"op": "title", "text": "x"}] * 1001}),
    " " * (MAX_MESSAGE + 1),
]


@each("text", BAD)
@each("language", LANGUAGES)
def test_what_is_no_message_gets_one_sentence(text, language, caplog):
    if text.startswith("{") and len(text) > 1:
        text = json.dumps(json.loads(text) | {"lang": language})
    channel = Channel()
    header, blocks = opened(channel.answer(text))
    assert header["error"]
    assert "\n" not in header["error"]
    assert blocks == {}
    assert caplog.records == []
    assert asked(channel, 2, {"example": "first"})[1]


def test_nothing_that_is_drawn_at_random_harms_it(caplog):
    """Messages of the right shape in which parts are replaced by arbitrary values."""
    edits: list[dict[str, Any]] = [
        {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[2]]},
        {"op": "fill", "matrix": "w_q", "head": 0, "with": "random", "seed": 1},
        {"op": "resize", "axis": "d_k", "size": 3},
        {"op": "mask", "kind": "causal"},
    ]
    random, channel = Random(0), Channel()
    anything: list[Any] = [
        None,
        True,
        -1,
        0,
        1,
        2**60,
        1e308,
        "",
        "first",
        "x",
        [],
        [[]],
        [[1]],
        [[["1"]]],
        {},
        {"op": "set"},
        "\x00",
    ]
    for number in range(2_000):
        edit: dict[str, Any] = dict(random.choice(edits))
        message: dict[str, Any] = {"id": number, "from": {"example": "first"}, "edits": [edit]}
        for _ in range(random.randint(1, 3)):
            part = random.choice([message, edit])
            part[random.choice(list(part))] = random.choice(anything)
        header, _ = opened(channel.answer(json.dumps(message)))
        assert {"blocks", "error", "gone"} & header.keys()
    assert caplog.records == []


# --- the socket ----------------------------------------------------------------------------------------------------


@pytest.fixture
def client():
    with TestClient(Starlette(routes=mha_api.routes())) as started:
        yield started


def test_the_socket_answers_in_order(client):
    with client.websocket_connect("/api/live") as socket:
        for number in range(20):
            socket.send_text(json.dumps({"id": number, "from": {"example": "first"}, "quiet": True}))
        assert [opened(socket.receive_bytes())[0]["id"] for _ in range(20)] == list(range(20))


def test_large_and_small_examples_share_the_socket(client):
    with client.websocket_connect("/api/live") as socket:
        for number, name in enumerate(library()):
            socket.send_text(json.dumps({"id": number, "from": {"example": name}}))
            assert opened(socket.receive_bytes())[1]


@pytest.mark.parametrize(
    "origin", ["http://elsewhere.example", "null", "https://testserver.elsewhere.example", ""]
)
def test_a_page_of_another_host_is_refused(client, origin):
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/api/live", headers={"origin": origin}),
    ):
        pass


def test_a_page_of_this_host_is_answered(client):
    with client.websocket_connect("/api/live", headers={"origin": "http://testserver"}) as socket:
        socket.send_text(json.dumps(GOOD))
        assert opened(socket.receive_bytes())[0]["id"] == 1


def test_bytes_are_no_message(client):
    with client.websocket_connect("/api/live") as socket:
        socket.send_bytes(b"\x00")
        with pytest.raises(WebSocketDisconnect):
            socket.receive_bytes()


def test_more_sockets_than_there_is_room_for_are_turned_away(client, monkeypatch):
    monkeypatch.setattr(live, "MAX_SOCKETS", 1)
    with (
        client.websocket_connect("/api/live"),
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/api/live"),
    ):
        pass
    with client.websocket_connect("/api/live") as socket:
        socket.send_text(json.dumps(GOOD))
        assert socket.receive_bytes()


def test_who_sends_too_fast_waits():
    pace = live.Pace(rate=100, burst=3)
    assert [pace.wait() for _ in range(3)] == [0, 0, 0]
    assert 0 < pace.wait() <= 0.01


def test_an_example_that_no_link_holds_is_taken_too():
    example = built_in("first")
    for seed in range(6):
        example = apply(example, {"op": "add_head", "copy": 0})
        example = apply(example, {"op": "resize", "axis": "d_model", "size": 64}) if not seed else example
    for head in range(len(example.heads)):
        example = apply(example, {"op": "resize", "axis": "d_k", "size": 64})
        for name in ("w_q", "w_k"):
            fill = {"op": "fill", "matrix": name, "head": head, "with": "random", "seed": head}
            example = apply(example, fill)
    data = payload(Work(begun(example, None), "en"))
    assert data["unsaved"]
    channel = Channel()
    assert asked(channel, 1, {"s": data["whole"]}, quiet=True) == ({"id": 1}, {})
    _, blocks = asked(channel, 2, 1)
    assert laid({}, blocks) == shown_by_page(Work(begun(example, None), "en"))


def test_where_a_link_holds_it_the_page_sends_it_once():
    assert payload(Work(begun(built_in("first"), "first"), "en"))["whole"] is None
