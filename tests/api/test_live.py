"""The live channel: what it says agrees with the page, and no message harms it."""

import json
from dataclasses import replace
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


def answer_to(channel, number, base, edits=(), **fields):
    message = {"id": number, "from": base, "edits": list(edits), **fields}
    return json.loads(channel.answer(json.dumps(message)))


def test_a_long_drag_stores_two_answers_at_most():
    channel = Channel()
    answer_to(channel, 0, {"example": "first"}, quiet=True)
    for number in range(1, 50):
        answer_to(channel, number, 0)
        assert len(channel._stored) <= 2


def test_a_quiet_message_only_prepares_the_example_and_the_lens():
    channel, lens = Channel(), {"name": "gradient", "decimals": 4}
    assert answer_to(channel, 1, {"s": to_token(built_in("first"))}, quiet=True, lens=lens) == {"id": 1}
    assert answer_to(channel, 2, 1) == {"id": 2}
    assert answer_to(channel, 3, 1, lens=1)["seen"]["lens"]["kind"] == "gradient"


def test_a_reference_to_an_answer_that_is_no_longer_stored_is_refused():
    channel = Channel()
    assert answer_to(channel, 5, 4) == {"id": 5, "gone": True}


@pytest.mark.parametrize("language", LANGUAGES)
def test_figures_are_those_of_the_page_and_follow_the_numbers(language):
    work, channel = Work(begun(built_in("programming"), "programming"), language), Channel()
    requested = {"names": list(FIGURES), "theme": "dark", "query": 1}
    assert answer_to(channel, 1, {"example": "programming"}, lang=language, figures=requested) == {"id": 1}
    header = json.loads(channel.pictures())
    assert header["id"] == 1
    words = words_in(language)
    shown = {
        name: picture
        for name, picture in FIGURES.items()
        if picture.is_live and picture.available(work.trace)
    }
    assert header["figures"].keys() == shown.keys() != set()
    for name, picture in shown.items():
        figure = picture.build(work.trace, theme="dark", words=words, query=1)
        assert header["figures"][name] == json.loads(json.dumps(figure.drawn))
    assert channel.drawing is None


def test_only_requested_pictures_are_drawn():
    channel = Channel()
    answer_to(channel, 1, {"example": "first"})
    assert not channel.drawing
    answer_to(channel, 2, 1, figures={"names": ["bars", "saturation", "nothing", 3], "query": 99})
    header = json.loads(channel.pictures())
    assert list(header["figures"]) == ["bars"]
    answer_to(channel, 3, 2, figures={"names": ["weights"]})
    answer_to(channel, 4, 77)  # an answer that is not stored; the pending pictures are dropped too
    assert not channel.drawing


def test_a_picture_that_fails_does_not_affect_later_answers(monkeypatch, caplog):
    channel = Channel()
    answer_to(channel, 1, {"example": "first"}, figures={"names": ["weights"]})
    monkeypatch.setattr("mha_api.channel.figures", lambda *_: 1 / 0)
    assert json.loads(channel.pictures()) == {"id": 1, "figures": {}}
    assert "ZeroDivisionError" in caplog.text
    assert answer_to(channel, 2, 1) == {"id": 2}


# --- through a lens ------------------------------------------------------------------------------------------------


PARTS = "lens", "was", "marks", "kinds", "notes", "check"


def shown_besides(data):
    """What the page shows besides numbers, to the last digit; absent parts are left out."""
    payloads = [data, *data["matrices"].values()]
    return json.dumps(
        [{name: part[name] for name in PARTS if part.get(name) is not None} for part in payloads]
    )


def assert_seen(header, work, page=payload):
    """Tables without a lens become the page's tables once the answer is laid over them."""
    data = json.loads(json.dumps(page(work)))
    expected = shown_besides(data)
    for part in (data, *data["matrices"].values()):
        for name in PARTS:
            part.pop(name, None)
    assert shown_besides(laid_over(data, header["seen"])) == expected


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
    """The lens is chosen before the edits, and shows the same as the page after each edit."""
    example, edits = case
    work, channel = Work(begun(example, None), language), Channel()
    work = send(work, *looks)
    lens = payload(work)["asks"]["lens"]
    applied: list[Any] = []
    for number, edit in enumerate(edits, start=1):
        work = send(work, edit)
        asks = payload(work)["asks"]
        assert asks["lens"].get("base") == lens.get("base")
        header = answer_to(channel, number, {"s": to_token(example)}, [*applied, edit], **asks)
        if "error" in header:
            assert work.message
            continue
        applied.append(edit)
        assert_seen(header, work)


def send(work, *edits):
    """The work after edits in the form in which the page sends them."""
    numbered = [{**edit, "seq": work.browser.applied + 1 + n} for n, edit in enumerate(edits)]
    return receive(work, {"session": work.browser.session, "edits": numbered})


CHECKS: dict[str, tuple[str, Any]] = {
    "free": ("en", None),
    "exercise": ("zh", Exercise(("weights", "head_outputs"))),
    "hinted": ("zh", "hinted"),
}


@pytest.mark.parametrize(("name", "kind"), in_turn(library(), [*CHECKS]))
def test_claims_get_the_page_s_verdict(name, kind):
    """Cells are filled in one after the other: right numbers, wrong ones, blanks and very large ones."""
    language, exercise = CHECKS[kind]
    random, work, channel = Random(name), Work(begun(built_in(name), name), language), Channel()
    first = next(cell for cell in askable(work.example) if cell in work.trace.values)
    if exercise == "hinted":
        exercise = Exercise((first, "weights"), frozenset({1}), {0: 2}, hinted=0)
    work = replace(work, exercise=exercise)
    asks = check_payload(work)["asks"]
    assert answer_to(channel, 1, {"example": name}, quiet=True, lens=asks["lens"]) == {"id": 1}
    edits: list[Any] = []
    for number in range(2, 2 + lengthened(5)):
        edits.append(claim(random, work))
        work = send(work, edits[-1])
        header = answer_to(channel, number, 1, edits, **asks | {"lens": 1})
        assert header.keys() == {"id", "seen"}
        assert_seen(header, work, check_payload)


def claim(random, work):
    """An edit that fills in a random cell: the right number, another one, or none."""
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


def test_a_lens_is_sent_once_and_then_referred_to():
    work, channel = Work(begun(built_in("first"), "first"), "en"), Channel()
    work = send(work, {"op": "baseline"})
    lens = payload(work)["asks"]["lens"]
    answer_to(channel, 1, {"example": "first"}, quiet=True, lens=lens)
    edit = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 1, "values": [[3]]}
    header = answer_to(channel, 2, 1, [edit], lens=1)
    work = send(work, edit)
    assert_seen(header, work)
    assert "X[1, 2] 2 → 3" in header["seen"]["lens"]["summary"]
    assert "seen" not in answer_to(channel, 3, 1, [edit])
    assert "seen" in answer_to(channel, 4, 1, [edit], lens=1)  # as long as no other lens is sent
    answer_to(channel, 5, 1, [edit], lens={"name": "gradient", "decimals": 4})
    assert answer_to(channel, 6, 5, lens=1) == {"id": 6, "gone": True}
    assert answer_to(channel, 7, 5, lens=5)["seen"]["lens"]["kind"] == "gradient"
    assert answer_to(Channel(), 1, {"example": "first"}, lens=0) == {"id": 1, "gone": True}


# --- light and heavy ----------------------------------------------------------------------------------------------

SET = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[2]]}


def light(channel, base, edits=(SET,), **fields):
    return channel.is_light(json.dumps({"id": 9, "from": base, "edits": list(edits), **fields}))


def channel_with(example):
    """A channel that has stored an example as answer 1."""
    channel = Channel()
    assert answer_to(channel, 1, {"s": to_token(example)}, quiet=True) == {"id": 1}
    return channel


def largest():
    """An example of the largest size, with a short link."""
    zeros = filled(64, 64, "zeros")
    return Example("", tuple(map(str, range(64))), (Head(zeros, zeros, zeros),) * 16, zeros)


def test_a_step_of_a_drag_is_light_and_so_is_an_invalid_message():
    channel = channel_with(built_in("first"))
    assert light(channel, 1)
    assert light(channel, 1, [{"op": "scale", "value": 2}])
    assert light(channel, 77)  # it is not stored
    assert channel.is_light("{")


def test_a_lens_is_not_light():
    channel = channel_with(built_in("first"))
    assert not light(channel, 1, lens={"name": "check", "decimals": 4})
    assert not light(channel, 1, lens=3)


def test_a_message_weighs_as_much_as_the_cells_to_compute_not_as_its_length():
    channel = channel_with(built_in("first"))
    assert not light(channel, 1, [SET] * 100)
    assert not channel.is_light(" " * 20_001)
    assert not light(channel_with(largest()), 1)


@pytest.mark.parametrize("base", [{"example": "first"}, {"s": "1AAAA"}])
def test_an_address_is_heavy_whatever_its_example(base):
    assert not light(Channel(), base, [])


@pytest.mark.parametrize(
    "edit", [{**SET, "grow": True}, {"op": "resize", "axis": "d_k", "size": 64}, {"op": 3}]
)
def test_an_edit_that_may_enlarge_the_example_is_heavy(edit):
    assert not light(channel_with(built_in("first")), 1, [edit])


def test_edits_that_would_take_too_long_are_refused(monkeypatch):
    monkeypatch.setattr(channel_module, "MAX_SECONDS", -1)
    header = answer_to(Channel(), 1, {"example": "first"}, [SET])
    assert header["error"] == "edits: these edits take more than -1 seconds"


def test_heavy_messages_are_answered_in_a_thread_and_light_ones_on_the_event_loop(client, monkeypatch):
    answer, threads = Channel.answer, []

    def recorded(channel, text):
        threads.append(get_ident())
        return answer(channel, text)

    monkeypatch.setattr(Channel, "answer", recorded)
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
            assert json.loads(socket.receive_text())["id"] == message["id"]
        loop = client.portal.call(get_ident)
    assert [thread == loop for thread in threads] == [False, False, True]


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
def test_an_invalid_lens_gets_one_sentence(lens, caplog):
    channel = Channel()
    error = answer_to(channel, 1, {"example": "first"}, lens=lens)["error"]
    assert error
    assert "\n" not in error
    assert caplog.records == []
    assert answer_to(channel, 2, {"example": "first"}) == {"id": 2}


MISSING_CELLS: list[Any] = [
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


@each("lens", [*MISSING_CELLS, LENS])
@every_example
def test_a_lens_on_cells_that_do_not_exist_is_ignored(name, lens, caplog):
    assert "seen" in answer_to(Channel(), 1, {"example": name}, lens=lens)
    assert caplog.records == []


# --- malformed messages --------------------------------------------------------------------------------------------

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
def test_an_invalid_message_gets_one_sentence(text, language, caplog):
    if text.startswith("{") and len(text) > 1:
        text = json.dumps(json.loads(text) | {"lang": language})
    channel = Channel()
    error = json.loads(channel.answer(text))["error"]
    assert error
    assert "\n" not in error
    assert caplog.records == []
    assert answer_to(channel, 2, {"example": "first"}) == {"id": 2}


def test_random_messages_do_no_harm(caplog):
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
        answer = json.loads(channel.answer(json.dumps(message)))
        assert answer.keys() <= {"id", "error", "gone"}
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
        assert [json.loads(socket.receive_text())["id"] for _ in range(20)] == list(range(20))


def test_large_and_small_examples_share_the_socket(client):
    with client.websocket_connect("/api/live") as socket:
        for number, name in enumerate(library()):
            socket.send_text(json.dumps({"id": number, "from": {"example": name}}))
            assert json.loads(socket.receive_text()) == {"id": number}


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
        assert json.loads(socket.receive_text())["id"] == 1


def test_bytes_close_the_socket(client):
    with client.websocket_connect("/api/live") as socket:
        socket.send_bytes(b"\x00")
        with pytest.raises(WebSocketDisconnect):
            socket.receive_text()


def test_too_many_sockets_are_refused(client, monkeypatch):
    monkeypatch.setattr(live, "MAX_SOCKETS", 1)
    with (
        client.websocket_connect("/api/live"),
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/api/live"),
    ):
        pass
    with client.websocket_connect("/api/live") as socket:
        socket.send_text(json.dumps(GOOD))
        assert socket.receive_text()


def test_messages_that_come_too_fast_wait():
    pace = live.Pace(rate=100, burst=3)
    assert [pace.wait() for _ in range(3)] == [0, 0, 0]
    assert 0 < pace.wait() <= 0.01


def test_an_example_that_is_too_large_for_a_link_is_accepted():
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
    assert answer_to(channel, 1, {"s": data["whole"]}, quiet=True) == {"id": 1}
    assert channel._stored[1].example == example


def test_an_example_that_fits_into_a_link_is_not_sent_a_second_time():
    assert payload(Work(begun(built_in("first"), "first"), "en"))["whole"] is None
