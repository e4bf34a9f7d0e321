"""The commands over HTTP: the command line's own JSON, or one sentence for what is wrong, and never a server error."""

import asyncio
import json
import re
import shlex
import threading
from functools import partial
from pathlib import Path
from random import Random

import pytest
from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient

import mha_api
from mha_api import assets, command_answers, commands, ready, requests
from mha_api.rooms import room
from mha_api.rooms.store import InProcess
from mha_core import ExampleError, MhaError, backend, built_in, dump, library, parse, to_token, trace
from mha_core.__main__ import main
from mha_core.errors import CellError
from mha_core.example.files import MAX_BYTES
from mha_core.example.lecture import MAX_MINUTES
from mha_core.example.model import MAX_HEADS, MAX_SIZE
from mha_core.example.share_link import MAX_TOKEN
from mha_core.messages import LANGUAGES
from mha_core.vocabulary import AXES, STEPS
from mha_view import bundle
from mha_view.language import words_in
from tests.api.asgi import post, run
from tests.api.openapi import OPENAPI
from tests.api.rooms import CELL as ROOM_CELL
from tests.api.rooms import CHOICES, FOLLOWER
from tests.api.rooms import FIRST as FIRST_PLACE
from tests.core.malformed import RAW_NUMBERS, VALID, files
from tests.sizes import each

ROOT = Path(__file__).resolve().parent.parent.parent
WORKED = sorted((ROOT / "tests" / "core" / "worked").glob("*.mha.json"))
JSON = {"content-type": "application/json"}
COMMANDS = ["trace", "explain", "check"]
CELL = "step=weights&head=0&row=0&col=0"
FIRST = dump(built_in("first")).encode()

every_example = each("name", library())
every_command = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture(scope="module")
def client():
    with TestClient(Starlette(routes=mha_api.routes())) as started:
        yield started


@pytest.fixture
def printed(capfdbinary, monkeypatch):
    """What a command prints, as bytes, in a language."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)

    def command(*arguments, language="en"):
        monkeypatch.setenv("LANG", {"en": "en_US.UTF-8", "zh": "zh_CN.UTF-8"}[language])
        main([str(argument) for argument in arguments])
        return capfdbinary.readouterr().out

    return command


def request(client, command, body=b"", query=CELL, **headers):
    """The answer to a command on a file, with a cell for commands that need one."""
    parameters = f"?{query}" if command == "explain" or query != CELL else ""
    return client.post(f"/api/{command}{parameters}", content=body, headers=JSON | headers)


def refused(answer, status=422):
    """The sentence of a refusal."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    content = answer.json()
    assert list(content) == ["error", "place"]
    fences = dict.fromkeys(map(ord, "\u2068\u2069"))  # around right-to-left text
    assert content["error"].translate(fences).isprintable()
    assert content["error"].startswith(content["place"])
    return content["error"]


# --- the command line's answers ------------------------------------------------------------------------------------


@every_example
def test_trace_is_the_command_line_s(client, printed, name):
    answer = client.post(f"/api/trace?example={name}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.content == printed("trace", name)
    assert request(client, "trace", dump(built_in(name)).encode()).content == answer.content


def cells(name):
    """One cell of every matrix of an example."""
    random, computed = Random(name), trace(built_in(name))
    for matrix in AXES:
        for head in (None, *range(len(computed.example.heads))):
            try:
                rows = computed.matrix(matrix, head)
            except CellError:
                continue
            yield matrix, head, random.randrange(len(rows)), random.randrange(len(rows[0]))
            break


@every_example
def test_explain_is_the_command_line_s(client, printed, name):
    for step, head, row, col in cells(name):
        head_parameter = "" if head is None else f"&head={head}"
        answer = client.post(f"/api/explain?example={name}&step={step}{head_parameter}&row={row}&col={col}")
        arguments = ["--step", step, "--row", row, "--col", col] + ([] if head is None else ["--head", head])
        assert answer.content == printed("explain", name, *arguments)
        assert answer.status_code == 200


@each("language", LANGUAGES)
@each("path", WORKED)
def test_check_is_the_command_line_s(client, printed, path, language):
    answer = request(client, "check", path.read_bytes(), f"lang={language}")
    assert answer.status_code == 200
    assert answer.content == printed("check", path, language=language)


def test_an_example_may_be_named_as_in_an_address(client):
    token = to_token(built_in("published"))
    answers = [client.post(f"/api/check?{query}") for query in ("example=published", f"s={token}")]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1


def test_minus_infinity_is_text_and_there_is_no_nan(client):
    content = client.post("/api/trace?example=causal").content

    def no_constant(name):
        raise AssertionError(name)

    steps = json.loads(content, parse_constant=no_constant)["steps"]
    assert steps["masked_scores"][0][0][1:] == ["-inf"] * 4


# --- languages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "header", "language"),
    [
        ("", None, "en"),
        ("", "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("", "en-GB,zh;q=0.5", "en"),
        ("", "fr", "en"),
        ("lang=zh", "en", "zh"),
        ("lang=en", "zh", "en"),
        ("lang=zh-TW", None, "zh"),
    ],
)
def test_the_language_of_a_sentence(client, query, header, language):
    headers = {} if header is None else {"accept-language": header}
    answer = client.post(f"/api/check?example=first&{query}", headers=headers)
    colon = {"en": ": ", "zh": "："}[language]
    assert refused(answer) == f"claimed{colon}{words_in(language)('there are no numbers to check')}"


# --- malformed requests --------------------------------------------------------------------------------------------


def refusal_of(data):
    """The sentence and the place with which the file parser refuses a file; None for a valid one."""
    try:
        parse(data)
    except ExampleError as error:
        return str(error), error.place
    return None


def test_wrong_files_get_the_sentence_of_the_file_parser(client):
    accepted = 0
    for index, data in enumerate(files(300)):
        command = COMMANDS[index % 3]
        answer, refusal = request(client, command, data), refusal_of(data)
        if refusal:
            assert (refused(answer), answer.json()["place"]) == refusal
        elif answer.status_code == 200:
            accepted += 1
        else:  # it may have no claimed numbers, or no such cell
            assert (command != "trace") & bool(refused(answer))
    assert 0 < accepted < 100


@every_command
@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"{", "this is not valid JSON: line 1, column 2"),
        (b"null", "expected a JSON object, got null"),
        (b'"first"', 'expected a JSON object, got "first"'),
        (b"[" * 40_000, "the file is nested too deeply"),
        (b'{"a":' * 100_000, "the file is nested too deeply"),
        (b"\xff\xfe", "the file is not UTF-8 text (byte 0)"),
        (b'{"format":"mha-example/1","format":"x"}', 'the key "format" appears twice in one object'),
        (b'{"edits":[]}', 'unknown key "edits"'),
        (FIRST.replace(b"[5,6]", b"[5,NaN]"), "x[2][1]: expected a finite number, got NaN"),
        (FIRST.replace(b"[5,6]", b"[5,1e999]"), "x[2][1]: the number is too large"),
        (FIRST.replace(b"[5,6]", b"[-Infinity,6]"), "x[2][0]: expected a finite number, got -Infinity"),
        (FIRST.replace(b"[5,6]", b"[5," + b"9" * 5000 + b"]"), "a number in the file has too many digits"),
        (FIRST.replace(b"[5,6]", b'[5,"6"]'), 'x[2][1]: expected a number, got "6"'),
        (FIRST.replace(b"[5,6]", b"[5]"), "x[2]: expected 2 numbers, got 1"),
    ],
    ids=lambda value: repr(value[:30]),
)
def test_wrong_files_and_their_sentences(client, command, body, sentence):
    assert refused(request(client, command, body)) == sentence


@pytest.mark.parametrize("number", RAW_NUMBERS, ids=lambda text: f"{text[:12]}-{len(text)}")
def test_texts_in_place_of_a_number(client, number):
    refused(request(client, "trace", FIRST.replace(b"[5,6]", f"[5,{number}]".encode())))


HAS = "; this example has x, w_q, w_k, w_v, q, k, v, scores, scaled_scores, weights, head_outputs, concat"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("row=0&col=0", "step: missing"),
        ("step=q&col=0", "row: missing"),
        ("step=q&row=0", "col: missing"),
        ("step=q&head=0&row=3&col=0", "q has rows 0 to 2 and columns 0 to 1, got row 3, column 0"),
        ("step=q&head=0&row=-1&col=0", "q has rows 0 to 2 and columns 0 to 1, got row -1, column 0"),
        ("step=q&head=2&row=0&col=0", "expected a head from 0 to 1, got 2"),
        ("step=q&row=0&col=0", "q has one matrix per head; give a head, 0 to 1"),
        ("step=x&head=0&row=0&col=0", "x belongs to the whole layer; do not give a head"),
        ("step=output&row=0&col=0", f"there is no output here{HAS}"),
        ("step=__class__&row=0&col=0", f"there is no '__class__' here{HAS}"),
        ("step=%3Cb%3E%0A&row=0&col=0", f"there is no '<b>\\n' here{HAS}"),
        ("step=q&head=&row=0&col=0", "head: expected a whole number, got ''"),
        ("step=q&head=0&row=0.0&col=0", "row: expected a whole number, got '0.0'"),
        ("step=q&head=0&row=0&col=%D9%A1", "col: expected a whole number, got '\u2068١\u2069'"),
        ("step=q&head=0&row=0&col=1_0", "col: expected a whole number, got '1_0'"),
        (f"step=q&head=0&row=0&col={'9' * 9000}", f"col: expected a whole number, got '{'9' * 20}…' (9,000 digits)"),
        ("step=q&head=0&row=0&row=1&col=0", "row: is given more than once"),
        (f"{CELL}&dtype=float32", ("unknown parameter 'dtype'; the parameters here are step, head, row, col, example, "
        "s, lang")),
        (f"{CELL}&example=first", ("expected exactly one example: a file in the body, or the parameter example or s")),
    ],
)  # fmt: skip
def test_wrong_parameters_and_their_sentences(client, query, sentence):
    assert refused(request(client, "explain", FIRST, query)) == sentence


@pytest.mark.parametrize("query", ["", "?example=first&s=1AAAA"])
def test_exactly_one_example_is_required(client, query):
    assert refused(client.post(f"/api/trace{query}")).startswith("expected exactly one example")


@pytest.mark.parametrize(
    "query", ["example=../../etc/passwd", "example=", "s=", "s=1AAAA", "s=" + "9" * 40_000, "s=%00%FF"]
)
def test_examples_that_do_not_exist(client, query):
    assert refused(client.post(f"/api/trace?{query}"))


def test_random_parameters_are_answered_or_refused(client):
    random = Random(0)
    values = [
        "0",
        "1",
        "-1",
        "x",
        "q",
        "weights",
        "",
        "%00",
        "%ED%A0%80",
        "思考",
        "first",
        "9" * 400,
        "1e5",
        "&",
        "=",
        "%",
    ]
    for _ in range(500):
        names = random.choices(
            ["step", "head", "row", "col", "example", "s", "lang", "__proto__"], k=random.randint(0, 7)
        )
        query = "&".join(f"{name}={random.choice(values)}" for name in names)
        answer = client.post(f"/api/{random.choice(COMMANDS)}?{query}")
        if answer.status_code != 200:
            refused(answer)


@every_command
@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "x/é"]
)
def test_a_body_of_another_type(client, command, kind):
    answer = request(client, command, FIRST, **{"content-type": kind.encode("latin-1")})
    assert "application/json" in refused(answer, 415)


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "Application/JSON", "application/mha+json"]
)
def test_types_of_json(client, kind):
    assert request(client, "trace", FIRST, **{"content-type": kind}).status_code == 200


@every_command
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_another_method(client, command, method):
    answer = client.request(method, f"/api/{command}?example=first", headers={"origin": "http://testserver"})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


# --- other hosts ---------------------------------------------------------------------------------------------------


@every_command
@pytest.mark.parametrize(
    "origin", ["http://elsewhere.example", "null", "https://testserver.elsewhere.example", "", "http://[", "testserver"]
)  # fmt: skip
def test_a_page_of_another_host_is_refused(client, command, origin):
    assert refused(request(client, command, FIRST, origin=origin), 403)


@every_command
@pytest.mark.parametrize("headers", [{}, {"origin": "http://testserver"}])
def test_no_answer_allows_another_host_s_page_to_read_it(client, command, headers):
    for body in (FIRST, b"{"):
        answer = request(client, command, body, **headers)
        assert answer.status_code != 403
        assert not [name for name in answer.headers if name.startswith("access-control")]


# --- bodies --------------------------------------------------------------------------------------------------------

APP = Starlette(routes=mha_api.routes())


async def parts(*chunks):
    """A body in these parts."""
    for number, chunk in enumerate(chunks, start=1):
        yield {"type": "http.request", "body": chunk, "more_body": number < len(chunks)}


async def silent():
    """A client that sends the beginning of a body and then nothing, and stays connected."""
    yield {"type": "http.request", "body": b"{", "more_body": True}
    await asyncio.Event().wait()


def sent(body, address="/api/trace", **headers):
    return run(post(APP, address, body, content_type="application/json", **headers))


def error_of(answer):
    return json.loads(answer.body)["error"]


def test_a_body_in_many_parts():
    answer = sent(parts(*(FIRST[at : at + 1] for at in range(len(FIRST)))))
    assert (answer.status, json.loads(answer.body)["steps"]) == (200, trace(built_in("first")).values)


def test_a_file_may_be_as_large_as_the_format_allows(client):
    at_most = FIRST + b" " * (MAX_BYTES - len(FIRST))
    assert request(client, "trace", at_most).status_code == 200
    answer = request(client, "trace", at_most + b" ")
    assert refused(answer, 413) == "the file is larger than 5 MB"
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("length", [None, "7", "999999999999", "x" * 9, "-1"])
def test_an_endless_body_is_not_read_to_its_end(length):
    """Its Content-Length header does not matter."""
    read = 0

    async def endless():
        nonlocal read
        while True:
            read += 1_000_000
            yield {"type": "http.request", "body": b" " * 1_000_000, "more_body": True}

    headers = {} if length is None else {"content_length": length}
    answer = sent(endless(), **headers)
    assert (answer.status, error_of(answer)) == (413, "the file is larger than 5 MB")
    assert read <= requests.MAX_READ + 1_000_000


def test_a_body_that_does_not_arrive_in_time(monkeypatch):
    monkeypatch.setattr(requests, "BODY_SECONDS", 0.01)
    answer = sent(silent())
    assert (answer.status, answer.headers["connection"]) == (408, "close")
    assert error_of(answer) == "the body did not arrive within 0 seconds"


def test_a_client_that_disconnects_while_sending_causes_no_server_error():
    async def disconnecting():
        yield {"type": "http.request", "body": b"{", "more_body": True}
        yield {"type": "http.disconnect"}

    assert sent(disconnecting()).status == 400


def test_too_many_bodies_at_once_are_refused(monkeypatch):
    monkeypatch.setattr(requests, "BODIES", CapacityLimiter(1))

    async def scene():
        begun = asyncio.Event()

        async def slow():
            begun.set()
            async for message in silent():
                yield message

        first = asyncio.create_task(post(APP, "/api/trace", slow(), content_type="application/json"))
        await begun.wait()
        second = await post(APP, "/api/trace?example=first", parts(b""))
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        return second, await post(APP, "/api/trace?example=first", parts(b""))

    refusal, answered = run(scene())
    assert (refusal.status, error_of(refusal)) == (503, "too many requests at once; try again in a moment")
    assert answered.status == 200


def test_others_are_answered_while_a_few_are_computed(monkeypatch):
    go, computing, running = threading.Event(), [], []

    def slow(*_):
        computing.append(1)
        running.append(len(computing))
        go.wait()
        computing.pop()
        return b"{}"

    monkeypatch.setattr(command_answers, "answer", slow)

    async def scene():
        requests_sent = [
            asyncio.create_task(post(APP, "/api/trace?example=first", parts(b""))) for _ in range(6)
        ]
        while len(computing) < commands.COMPUTING.total_tokens:
            await asyncio.sleep(0)  # let the others run
        assert (await post(APP, "/api/trace", parts(b""), origin="http://elsewhere")).status == 403
        go.set()
        return await asyncio.gather(*requests_sent)

    assert [answer.status for answer in run(scene())] == [200] * 6
    assert max(running) == commands.COMPUTING.total_tokens


def test_an_answer_waits_until_the_libraries_are_imported(monkeypatch):
    order = []

    async def imported():
        order.append("imported")

    def answer(*_):
        order.append("computed")
        return b"{}"

    monkeypatch.setattr(ready, "imported", imported)
    monkeypatch.setattr(command_answers, "answer", answer)
    assert sent(parts(b""), "/api/trace?example=first").status == 200
    assert order == ["imported", "computed"]


# --- the page and the description ----------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "http.md").read_text("utf-8")
FILES = dict(re.findall(r'```json title="([^"]+)"\n(.*?)```', PAGE, re.DOTALL))
EXAMPLES = re.findall(r"```sh\n(curl .*?)\n```\n\n```json\n(.*?)```", PAGE, re.DOTALL)


def curled(client, line):
    """The answer to a curl command with the few options that the page uses."""
    words = iter(shlex.split(line)[1:])
    body, kind, url = b"", {}, ""
    for word in words:
        if word == "--json":
            body, kind = FILES[next(words).removeprefix("@")].encode(), JSON
        elif word == "-X":
            assert next(words) == "POST"
        else:
            url = word.removeprefix("http://localhost:8501")
    return client.post(url, content=body, headers=kind)


@pytest.mark.parametrize(
    ("line", "expected"), EXAMPLES, ids=[line.rpartition("/")[2][:-1] for line, _ in EXAMPLES]
)
def test_the_page_s_examples_are_the_app_s_answers(client, monkeypatch, line, expected):
    monkeypatch.setattr(command_answers, "backend", partial(backend, "cpu"))
    answer = curled(client, line)
    assert answer.json() == json.loads(expected)
    assert answer.status_code == (422 if "error" in answer.json() else 200)


def test_the_page_shows_every_route():
    assert len(EXAMPLES) == PAGE.count("```sh") > 5
    assert {line.partition("/api/")[2].partition("?")[0].strip("'") for line, _ in EXAMPLES} == set(COMMANDS)


def test_every_route_is_described():
    loaded = assets.Modules(bundle.digest, bundle.bundled, bundle.plain)
    mount = mha_api.routes(follower=FOLLOWER, store=InProcess(), modules=loaded)[0]
    assert isinstance(mount, Mount)
    served = {
        re.sub(r":\w+}", "}", route.path): route.methods - {"HEAD"} if isinstance(route, Route) else {"GET"}
        for route in mount.routes
        if isinstance(route, Route | WebSocketRoute)
    }
    described = {path: {method.upper() for method in methods} for path, methods in OPENAPI["paths"].items()}
    assert described == served


def test_the_page_lists_every_status_of_a_refusal():
    described = {
        status
        for methods in OPENAPI["paths"].values()
        for operation in methods.values()
        for status in operation["responses"]
        if status >= "400"
    }
    table = re.findall(r"^\| ([0-9, ]+) \|", PAGE.partition("## Errors")[2].partition("\n## ")[0], re.M)
    assert {status for row in table for status in row.split(", ")} == described


def test_every_reference_in_the_description_exists():
    for section, name in re.findall(r'"#/components/(\w+)/(\w+)"', json.dumps(OPENAPI)):
        assert name in OPENAPI["components"][section]


def test_the_description_of_requests_to_rooms_agrees_with_the_code():
    schemas = OPENAPI["components"]["schemas"]
    place, question = schemas["Place"]["properties"], schemas["Question"]["properties"]
    assert list(place) == list(room._PLACE)
    assert place["token"]["maxLength"] == MAX_TOKEN
    assert place["link"]["maxLength"] == room.MOST_LINK
    assert place["decimals"]["maximum"] == room.MOST_DECIMALS
    assert place["revealed"]["maxItems"] == room.MOST_REVEALED
    assert question["text"]["maxLength"] == question["choices"]["items"]["maxLength"] == room.MOST_TEXT
    assert question["choices"]["maxItems"] == room.MOST_CHOICES
    assert schemas["Listener"]["pattern"] == f"^{room._LISTENER.pattern}$"
    assert schemas["Room"]["properties"]["code"]["pattern"] == f"^{room._CODE.pattern}$"
    valid({"$ref": "#/components/schemas/Place"}, FIRST_PLACE)
    for body in (CHOICES, ROOM_CELL):
        valid({"$ref": "#/components/schemas/Question"}, body)
    answer = {"question": 1, "listener": room.new_listener("key"), "answer": "0.25"}
    valid({"$ref": "#/components/schemas/Answer"}, answer)


def test_the_description_is_served(client):
    answer = client.get("/api/openapi.json")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == OPENAPI
    assert client.post("/api/openapi.json").status_code == 405


def test_the_description_has_the_names_and_limits_of_the_code():
    schemas = OPENAPI["components"]["schemas"]
    assert schemas["Step"]["enum"] == list(STEPS)
    example = schemas["Example"]["properties"]
    assert example["heads"]["maxItems"] == MAX_HEADS
    assert example["tokens"]["maxItems"] == MAX_SIZE
    assert schemas["Minutes"]["maximum"] == MAX_MINUTES
    assert OPENAPI["components"]["parameters"]["s"]["schema"]["maxLength"] == MAX_TOKEN
    assert set(schemas["Text"]["oneOf"][1]["properties"]) == set(LANGUAGES)
    assert schemas["Head"]["properties"].keys() == built_in("first").heads[0].__dataclass_fields__.keys()
    assert example.keys() == built_in("first").__dataclass_fields__.keys() | {"format"}


@every_command
def test_the_described_parameters_are_those_that_are_read(command):
    shared = OPENAPI["components"]["parameters"]
    described = [
        shared[parameter["$ref"].rpartition("/")[2]] if "$ref" in parameter else parameter
        for parameter in OPENAPI["paths"][f"/{command}"]["post"]["parameters"]
    ]
    with pytest.raises(MhaError) as error:
        command_answers.answer(command, b"", [("no such", "")], "en")
    assert error.value.values["known"] == ", ".join(parameter["name"] for parameter in described)
    missing = [parameter["name"] for parameter in described if parameter.get("required")]
    for name in missing:
        query = [("example", "first"), *((other, "0") for other in missing if other != name)]
        with pytest.raises(MhaError, match=f"{name}: missing"):
            command_answers.answer(command, b"", query, "en")


def valid(schema, content):
    """Check content against a schema."""
    from jsonschema import Draft202012Validator  # imports a grammar for each format, in seconds

    Draft202012Validator({**schema, "components": OPENAPI["components"]}).validate(content)


def schema_of(path, method, status):
    answer = OPENAPI["paths"][path][method]["responses"][str(status)]
    if "$ref" in answer:
        answer = OPENAPI["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    return answer["content"]["application/json" if status != 405 else "text/plain"]["schema"]


@every_command
def test_exactly_the_described_statuses_are_answered(client, monkeypatch, command):
    monkeypatch.setattr(requests, "BODY_SECONDS", 0.01)
    address = f"/api/{command}" + (f"?{CELL}" if command == "explain" else "")
    file = dump(built_in("published")).encode()
    answers = [
        request(client, command, file),
        request(client, command, b"{}"),
        request(client, command, file, origin="http://elsewhere.example"),
        request(client, command, file, **{"content-type": "text/plain"}),
        request(client, command, b" " * (MAX_BYTES + 1)),
        client.get(address),
    ]
    bodies = {answer.status_code: answer.content for answer in answers}
    late = sent(silent(), address)
    bodies[late.status] = late.body
    monkeypatch.setattr(requests, "BODIES", CapacityLimiter(0))
    refusal = request(client, command, file)
    bodies[refusal.status_code] = refusal.content
    assert {str(status) for status in bodies} == OPENAPI["paths"][f"/{command}"]["post"]["responses"].keys()
    for status, content in bodies.items():
        valid(
            schema_of(f"/{command}", "post", status),
            content.decode() if status == 405 else json.loads(content),
        )


@every_example
def test_every_example_and_its_answers_match_the_schemas(client, name):
    example = built_in(name)
    valid(schema_of("/trace", "post", 200), client.post(f"/api/trace?example={name}").json())
    valid({"$ref": "#/components/schemas/Example"}, json.loads(dump(example)))
    for step, head, row, col in cells(name):
        head_parameter = "" if head is None else f"&head={head}"
        answer = client.post(f"/api/explain?example={name}&step={step}{head_parameter}&row={row}&col={col}")
        valid(schema_of("/explain", "post", 200), answer.json())


@each("data", VALID)
def test_every_file_and_its_check_match_the_schemas(client, data):
    valid({"$ref": "#/components/schemas/Example"}, data)
    answer = request(client, "check", json.dumps(data).encode())
    valid(schema_of("/check", "post", answer.status_code), answer.json())


@pytest.mark.parametrize(
    "wrong", [{"format": "mha-example/2"}, {"edits": []}, {"heads": [{"w_q": [["1"]]}]}, {"x": [1]}, {"tokens": None}],
    ids=str,
)  # fmt: skip
def test_the_schema_refuses_an_invalid_file(wrong):
    from jsonschema import ValidationError

    with pytest.raises(ValidationError):
        valid({"$ref": "#/components/schemas/Example"}, json.loads(FIRST) | wrong)
