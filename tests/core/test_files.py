"""The file format: written examples are read back, and refusals name their place."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from mha_core import ExampleError, LinkError, dump, from_token, library, parse, pretty, to_token
from mha_core.example.files import MAX_BYTES
from tests.core.strategies import examples
from tests.sizes import each, tries

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
FILES = [*sorted((ROOT / "examples").glob("*.mha.json")), *sorted(FOLDER.rglob("*.mha.json"))]


# --- out and back ----------------------------------------------------------------------------------------------


@tries(15)
@given(examples())
def test_file_and_back_is_the_identity(example):
    assert parse(dump(example)) == example
    assert parse(pretty(example)) == example
    assert parse(pretty(example).encode()) == example
    assert dump(parse(dump(example))) == dump(example)


@tries(15)
@given(examples())
def test_token_and_back_is_the_identity(example):
    token = to_token(example)
    assert token[0] == "1"
    assert token.isascii()
    assert token.replace("-", "").replace("_", "").isalnum()
    assert from_token(token) == example


@each("path", FILES)
def test_written_files_come_back(path):
    example = parse(path.read_bytes())
    assert parse(dump(example)) == example
    assert parse(pretty(example)) == example
    assert from_token(to_token(example)) == example


def test_built_in_examples_are_laid_out_as_the_program_lays_them_out():
    for path, example in zip(FILES, library().values(), strict=False):
        assert path.read_text("utf-8") == pretty(example)


def test_canonical_text_is_one_line_in_the_order_of_the_format():
    text = dump(library()["first"])
    assert "\n" not in text
    assert list(json.loads(text)) == ["format", "title", "note", "source", "tokens", "x", "heads", "scale"]
    assert '"x":[[1,2],[3,4],[5,6]]' in text
    assert "思考" in text


def test_a_byte_order_mark_is_skipped():
    text = dump(library()["first"])
    assert parse(b"\xef\xbb\xbf" + text.encode()) == parse(text)


def test_printed_digits_of_a_claim_stay():
    data = SMALL | {"claimed": {"weights": [[["0.50", 0.5], None], None]}}
    claimed = parse(json.dumps(data)).claimed
    assert claimed == {"weights": ((("0.50", 0.5), None), None)}


def test_the_steps_of_an_exercise_are_stored_in_the_order_of_the_computation():
    example = parse(json.dumps(SMALL | {"asked": ["weights", "q"]}))
    assert example.asked == ("q", "weights")
    assert json.loads(dump(example))["asked"] == ["q", "weights"]
    assert parse(pretty(example)) == example


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("q", 'asked: expected a list in brackets, got "q"'),
        (["nothing"], "asked[0]: expected "),
    ],
)
def test_an_exercise_wants_only_steps(asked, sentence):
    with pytest.raises(ExampleError) as error:
        parse(json.dumps(SMALL | {"asked": asked}))
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize("start", ["x", "q", "weights"])
def test_without_tokens_rows_are_called_t1_and_so_on_and_the_note_says_so(start):
    rows = [[1, 0], [0, 1]]
    head = {"x": {"w_q": rows, "w_k": rows}, "q": {"q": rows, "k": rows}, "weights": {"weights": rows}}[start]
    data = {"format": "mha-example/1", "heads": [{**head, "v": rows}], "note": "by hand"}
    example = parse(json.dumps(data | ({"x": rows} if start == "x" else {})))
    assert example.tokens == ("t1", "t2")
    assert example.note == {
        "en": "by hand The file names no tokens. Its rows are called t1 to t2.",
        "zh": "by hand 文件没有给出词元，各行依次称为 t1 到 t2。",
    }


def test_an_example_at_every_limit_is_taken():
    wide = [[0.5] * 64 for _ in range(64)]
    head = {"w_q": wide, "w_k": wide, "w_v": wide}
    data = {"format": "mha-example/1", "tokens": ["t" * 200] * 64, "x": wide, "heads": [head] * 16}
    dims = parse(json.dumps(data)).dims
    assert (dims.n_q, dims.n_k, dims.h, dims.d_model, dims.d_k, dims.d_v) == (64, 64, 16, 64, 64, 64)


def test_an_example_too_large_for_a_link_says_so():
    numbers = [[(i * j % 97) / 7 for j in range(64)] for i in range(64)]
    head = {"w_q": numbers, "w_k": numbers, "w_v": [[j / (i + 1) for j in range(64)] for i in range(64)]}
    data = {"format": "mha-example/1", "tokens": ["t"] * 64, "x": numbers, "heads": [head] * 4}
    with pytest.raises(LinkError) as error:
        to_token(parse(json.dumps(data)))
    assert str(error.value) == "this example is too large for a link; save it as a file instead"


# --- refusals --------------------------------------------------------------------------------------------------

SMALL: dict[str, Any] = {
    "format": "mha-example/1",
    "title": "t",
    "tokens": ["a", "b"],
    "x": [[1, 2], [3, 4]],
    "heads": [
        {"w_q": [[1, 0], [0, 1]], "w_k": [[1, 0], [0, 1]], "w_v": [[1], [1]], "b_q": [0, 0], "b_v": [1]},
        {"w_q": [[1, 0], [0, 1]], "w_k": [[1, 0], [0, 1]], "w_v": [[1], [1]]},
    ],
    "w_o": [[1, 0, 0], [0, 1, 0]],
    "b_o": [0, 0, 0],
    "scale": "sqrt_dk",
    "mask": {"allow": [[True, True], [True, False]], "fill": "-inf"},
}
GONE = object()

REFUSALS = [
    # the frame
    ({"format": "mha-example/2"}, 'format: expected "mha-example/1", got "mha-example/2"'),
    ({"format": GONE}, 'format: expected "mha-example/1", got null'),
    ({"format": 1}, 'format: expected "mha-example/1", got 1'),
    ({"titel": "t"}, 'unknown key "titel"'),
    ({"\ud800": "t"}, 'unknown key "\\ud800"'),
    ({"title": 3}, "title: expected text, got 3"),
    ({"title": {"de": "t"}}, 'title: unknown key "de"'),
    ({"title": {"zh": ["t"]}}, 'title.zh: expected text, got ["t"]'),
    ({"title": "t" * 1001}, "title: expected at most 1000 characters, got 1001"),
    ({"note": {"en": True}}, "note.en: expected text, got true"),
    ({"source": "\udc00"}, "source: the text contains half a character (an unpaired surrogate)"),
    # tokens
    ({"tokens": GONE, "x": GONE}, "tokens: missing"),
    ({"tokens": "ab"}, 'tokens: expected a list in brackets, got "ab"'),
    ({"tokens": []}, "tokens: expected 1 to 64 tokens, got 0"),
    ({"tokens": ["a"] * 65}, "tokens: expected 1 to 64 tokens, got 65"),
    ({"tokens.1": 7}, "tokens[1]: expected text, got 7"),
    ({"tokens.0": "a" * 1001}, "tokens[0]: expected at most 1000 characters, got 1001"),
    ({"tokens": ["a", "b", "c"]}, "tokens: expected 2 tokens, one per row of x, got 3"),
    ({"tokens": ["a"]}, "tokens: expected 2 tokens, one per row of x, got 1"),
    ({"x": [[1, 2]] * 65}, "x: expected 2 × 2, got 65 × 2"),
    # X
    ({"x": GONE}, "heads[0].w_q: the matrix to multiply it by is missing"),
    ({"x": 1}, "x: expected a list in brackets, got 1"),
    ({"x": []}, "x: expected at least one number, got none"),
    ({"x": [[], []]}, "x: expected at least one number, got none"),
    ({"x": [1, 2]}, "x[0]: expected a list in brackets, got 1"),
    ({"x.1": [3]}, "x[1]: expected 2 numbers, got 1"),
    ({"x": [[1] * 65] * 2}, "x: expected a row of 1 to 64 numbers, got 65"),
    ({"x.1.0": "3"}, 'x[1][0]: expected a number, got "3"'),
    ({"x.1.0": True}, "x[1][0]: expected a number, got true"),
    ({"x.1.0": None}, "x[1][0]: expected a number, got null"),
    ({"x.1.0": "-inf"}, 'x[1][0]: expected a number, got "-inf"'),
    ({"x.1.0": 10**400}, "x[1][0]: the number is too large"),
    ({"x.1.0": 2e12}, "x[1][0]: expected a number from -1e+12 to 1e+12, got 2000000000000.0"),
    # heads
    ({"heads": GONE}, "heads: missing"),
    ({"heads": {}}, "heads: expected a list in brackets, got {}"),
    ({"heads": []}, "heads: expected 1 to 16 heads, got 0"),
    ({"heads": [SMALL["heads"][1]] * 17}, "heads: expected 1 to 16 heads, got 17"),
    ({"heads.1": []}, "heads[1]: expected a JSON object, got []"),
    ({"heads.1.W_Q": [[1]]}, 'heads[1]: unknown key "W_Q"'),
    ({"heads.1.w_k": [[1, 0, 0], [0, 1, 0]]}, "heads[1].w_k: expected 2 × 2, got 2 × 3"),
    ({"heads.1.w_q": [[1, 0]]}, "heads[1].w_q: expected 2 × 2, got 1 × 2"),
    ({"heads.1.w_v": [[1, 0], [0, 1]]}, "heads[1].w_v: expected 2 × 1, got 2 × 2"),
    ({"heads.1.w_v": [[1], [0], [1]]}, "heads[1].w_v: expected 2 × 1, got 3 × 1"),
    ({"heads.0.w_q.1.1": {}}, "heads[0].w_q[1][1]: expected a number, got {}"),
    ({"heads.0.b_q": [0, 0, 0]}, "heads[0].b_q: expected 1 × 2, got 1 × 3"),
    ({"heads.0.b_q": [[0, 0]]}, "heads[0].b_q[0]: expected a number, got [0, 0]"),
    ({"heads.0.b_v": []}, "heads[0].b_v: expected a row of 1 to 64 numbers, got 0"),
    ({"heads.1.w_k": GONE}, "heads[1]: w_k is missing, and no other field takes its place"),
    ({"heads.0.w_q": GONE}, "heads[0].b_q: there is nothing to add it to"),
    ({"heads.0.q": [[1, 0]]}, "heads[0].q: expected 2 × 2, got 1 × 2"),
    ({"heads.0.weights": [[1, 0, 0], [0, 1, 0]]}, "heads[0].weights: expected 2 × 2, got 2 × 3"),
    # context
    ({"context": [[1, 2, 3]]}, "heads[0].w_k: expected 3 × 2, got 2 × 2"),
    ({"context": [[1, 2]] * 65}, "context: expected 1 to 64 tokens, got 65"),
    ({"context": [[1, 2]], "context_tokens": ["a", "b"]},
     "context_tokens: expected 1 token, one per row of context, got 2"),
    ({"context_tokens": ["a"]}, "heads[0]: context is missing, and no other field takes its place"),
    ({"context_tokens": []}, "context_tokens: expected 1 to 64 tokens, got 0"),
    # W_O
    ({"w_o": [[1, 0, 0]]}, "w_o: expected 2 × 3, got 1 × 3"),
    ({"b_o": [0, 0]}, "b_o: expected 1 × 3, got 1 × 2"),
    ({"w_o": GONE}, "b_o: there is nothing to add it to"),
    # scale
    ({"scale": 0}, "scale: the divisor cannot be 0"),
    ({"scale": 1e-13}, "scale: expected a divisor whose size is from 1e-12 to 1e+12, got 1e-13"),
    ({"scale": "2"}, 'scale: expected "sqrt_dk", "none" or a number, got "2"'),
    ({"scale": True}, "scale: expected a number, got true"),
    ({"scale": []}, "scale: expected a number, got []"),
    # mask
    (
        {"mask": "causl"},
        'mask: expected null, "causal", or an object with "window", "causal", "allow" or "add", got "causl"',
    ),
    ({"mask": True}, "mask: expected a JSON object, got true"),
    ({"mask": {}}, "mask: expected either allow (optionally with fill), add, or window and causal"),
    ({"mask.add": [[0, 0], [0, 0]]}, "mask: expected either allow (optionally with fill), add, or window and causal"),
    ({"mask.hide": []}, 'mask: unknown key "hide"'),
    ({"mask.allow": [[True, True]]}, "mask.allow: expected 2 × 2, got 1 × 2"),
    ({"mask.allow.1.0": 1}, "mask.allow[1][0]: expected true or false, got 1"),
    ({"mask.allow.1": [True]}, "mask.allow[1]: expected 2 numbers, got 1"),
    ({"mask.fill": "inf"}, 'mask.fill: expected a number, got "inf"'),
    ({"mask": {"add": [[0, 0], [0, "inf"]]}}, 'mask.add[1][1]: expected a number, got "inf"'),
    ({"mask": {"add": [[0, 0]]}}, "mask.add: expected 2 × 2, got 1 × 2"),
    # claimed numbers
    ({"claimed": []}, "claimed: expected a JSON object, got []"),
    ({"claimed": {"wights": []}}, 'claimed: unknown key "wights"'),
    ({"claimed": {"weights": [[[1, 0], [1, 0]]]}}, "claimed.weights: expected 2 heads, got 1"),
    ({"claimed": {"weights": [None, [[1, 0]]]}}, "claimed.weights[1]: expected 2 × 2, got 1 × 2"),
    ({"claimed": {"weights": [None, [[1, 0], [1]]]}}, "claimed.weights[1]: expected 2 × 2, got 2 × 1/2"),
    ({"claimed": {"weights": [None, [[1, 0], [1, "x"]]]}}, 'claimed.weights[1][1][1]: expected a number, got "x"'),
    ({"claimed": {"weights": [None, [[1, 0], [1, "1e999"]]]}},
     'claimed.weights[1][1][1]: expected a number, got "1e999"'),
    ({"claimed": {"concat": [[1, 0], [True, 0]]}}, "claimed.concat[1][0]: expected a number, got true"),
    ({"claimed": {"concat": [[1, 0, 0], [1, 0, 0]]}}, "claimed.concat: expected 2 × 2, got 2 × 3"),
    ({"w_o": GONE, "b_o": GONE, "claimed": {"output": [[1], [2]]}}, "claimed.output: this example has no such step"),
]  # fmt: skip


def changed(changes):
    """SMALL with each path set, or removed."""
    data = deepcopy(SMALL)
    for path, value in changes.items():
        owner: Any = data
        *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        for key in parents:
            owner = owner[key]
        if value is GONE:
            del owner[last]
        else:
            owner[last] = value
    return json.dumps(data)


def test_the_example_to_be_spoilt_is_valid():
    assert parse(json.dumps(SMALL)).dims.d_out == 3


@pytest.mark.parametrize(
    ("changes", "sentence"),
    REFUSALS,
    ids=[f"{n}: {sentence[:60]}" for n, (_, sentence) in enumerate(REFUSALS)],
)
def test_refusals_name_the_place(changes, sentence):
    with pytest.raises(ExampleError) as error:
        parse(changed(changes))
    assert str(error.value) == sentence
    assert sentence.startswith(f"{error.value.place}: " if error.value.place else "")


MANY_KEYS = "{" + ",".join(f'"{min(n, 299_999)}":0' for n in range(300_001)) + "}"
"""The last key twice: who compares each with all others takes hours."""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"", "this is not valid JSON: line 1, column 1"),
        (b'{"format":\n "x" "y"}', "this is not valid JSON: line 2, column 6"),
        (b"[1, 2]", "expected a JSON object, got [1, 2]"),
        (b"null", "expected a JSON object, got null"),
        (b'{"x": 1, "x": 1}', 'the key "x" appears twice in one object'),
        (b'{"heads": [{"w_q": 1, "w_q": 1}]}', 'the key "w_q" appears twice in one object'),
        (MANY_KEYS, 'the key "299999" appears twice in one object'),
        (b'{"x": "\xff"}', "the file is not UTF-8 text (byte 7)"),
        (b'{"x": "\xed\xa0\x80"}', "the file is not UTF-8 text (byte 7)"),
        (b"[" * 40_000, "the file is nested too deeply"),
        (b'{"x": ' + b"9" * 5000 + b"}", "a number in the file has too many digits"),
        (b" " * (MAX_BYTES + 1), "the file is larger than 5 MB"),
        ("思" * (MAX_BYTES // 2), "the file is larger than 5 MB"),
        ("\ufeff{}", "this is not valid JSON: line 1, column 1"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_texts_that_are_not_a_file(text, sentence):
    with pytest.raises(ExampleError) as error:
        parse(text)
    assert str(error.value) == sentence


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("heads.1.w_k.0.1", "heads[1].w_k[0][1]"), ("x.1.0", "x[1][0]"), ("heads.0.b_q.1", "heads[0].b_q[1]"),
        ("w_o.0.2", "w_o[0][2]"), ("scale", "scale"), ("mask.fill", "mask.fill"), ("b_o.2", "b_o[2]"),
    ],
)  # fmt: skip
def test_a_value_that_is_not_a_number_is_refused_with_its_place(number, path, place):
    text = changed({path: 12321}).replace("12321", number)
    with pytest.raises(ExampleError) as error:
        parse(text)
    assert str(error.value) == f"{place}: expected a finite number, got {number}"


def test_nan_and_infinity_are_no_text_and_no_mask_either():
    for path, sentence in (
        ("tokens.1", "tokens[1]: expected text, got NaN"),
        ("mask.allow.0.1", "mask.allow[0][1]: expected true or false, got NaN"),
        ("kv_heads", "kv_heads: expected a whole number, got NaN"),
        ("title", "title: expected text, got NaN"),
    ):
        with pytest.raises(ExampleError) as error:
            parse(changed({path: 12321}).replace("12321", "NaN"))
        assert str(error.value) == sentence


@pytest.mark.parametrize("number", ["1e400", "-1e400"])
@pytest.mark.parametrize("place", ["x", "scale", "mask.fill", "mask.add"])
def test_numbers_that_json_readers_make_infinite(number, place):
    data = changed({"mask": {"add": [[0, 0], [0, 0]]}} if place == "mask.add" else {})
    spoilt = {
        "x": data.replace("[3, 4]", f"[3, {number}]"),
        "scale": data.replace('"sqrt_dk"', number),
        "mask.fill": data.replace('"-inf"', number),
        "mask.add": data.replace('"add": [[0', f'"add": [[{number}'),
    }[place]
    assert spoilt != data
    if place.startswith("mask") and number == "-1e400":
        assert parse(spoilt) == parse(data.replace('"add": [[0', '"add": [["-inf"'))
        return
    with pytest.raises(ExampleError) as error:
        parse(spoilt)
    assert error.value.place.startswith(place)
