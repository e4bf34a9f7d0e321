"""Malformed files and tokens, thousands of them and the same ones in every run."""

import json
from copy import deepcopy
from pathlib import Path
from random import Random

from mha_core import dump, library, to_token

VALID = [json.loads(dump(example)) for example in library().values()]
VALID += [json.loads(path.read_text("utf-8")) for path in sorted(Path(__file__).parent.rglob("*.mha.json"))]

ODD_VALUES = [
    None, True, False, 0, -1, 1, 0.5, 1e13, 10**400, 10**30, "", "1", "x", "-inf", "NaN", "\ud800", "思" * 2000,
    [], [[]], [None], [[None]], [[1]], [[1, 2], [3]], [True], {}, {"a": 1}, {"allow": None}, {"add": [[1]]},
    {"allow": [[1]]}, {"en": 1}, {"fr": "x"}, [[[[1]]]], [1] * 65, [[1]] * 65, [["1"]], "sqrt", "CAUSAL",
]  # fmt: skip
"""What a cell, row, matrix, object or text may be replaced with."""

RAW_NUMBERS = [
    "NaN",
    "Infinity",
    "-Infinity",
    "1e400",
    "-1e400",
    "9" * 400,
    "9" * 5000,
    "1e",
    "01",
    ".5",
    "0x1",
]
"""Texts in the place of a number, as no JSON writer would produce them."""


def paths(value, here=()):
    """The path of every part of decoded JSON, itself first."""
    yield here
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from paths(value[key], (*here, key))


def changed(data, random):
    """One part swapped for another type, deleted, doubled, made ragged, renamed or added."""
    data = deepcopy(data)
    places = [path for path in paths(data) if path]
    depth = random.choice(sorted({len(path) for path in places}))  # otherwise most would be cells
    *parents, last = random.choice([path for path in places if len(path) == depth])
    owner = data
    for key in parents:
        owner = owner[key]
    way = random.randrange(5)
    if way == 0:
        owner[last] = deepcopy(random.choice(ODD_VALUES))
    elif way == 1:
        del owner[last]
    elif way == 2 and isinstance(owner, list):
        owner.insert(random.randrange(len(owner) + 1), deepcopy(random.choice([owner[last], *ODD_VALUES])))
    elif way == 3 and isinstance(owner, dict):
        owner[random.choice(["W_Q", "extra", "q", "\ud800", "weights", "claimed", "mask"])] = owner.pop(last)
    else:
        owner[last] = {"was": owner[last]} if random.random() < 0.5 else [owner[last]]
    return data


def as_bytes(data):
    """JSON text, with half characters as escapes, as a network delivers them."""
    return json.dumps(data, ensure_ascii=any(0xD800 <= ord(c) <= 0xDFFF for c in _all_text(data))).encode()


def _all_text(data):
    if isinstance(data, dict):
        return "".join(map(_all_text, [*data, *data.values()]))
    return "".join(map(_all_text, data)) if isinstance(data, list) else data if isinstance(data, str) else ""


def broken_text(data, random):
    """The file's text cut, with a byte altered, a foreign number, a key twice, nested deeply, or not UTF-8."""
    text = json.dumps(data, ensure_ascii=False).encode()
    at = random.randrange(len(text))
    way = random.randrange(7)
    if way == 0:
        return text[:at]
    if way == 1:
        return text[:at] + bytes([random.randrange(256)]) + text[at + 1 :]
    if way == 2:
        digits = [i for i, byte in enumerate(text) if chr(byte).isdigit()]
        i = random.choice(digits)
        return text[:i] + random.choice(RAW_NUMBERS).encode() + text[i + 1 :]
    if way == 3:
        key = random.choice(list(data))
        return b'{"%s":null,' % key.encode() + text[1:]
    if way == 4:
        depth = random.choice([10, 900, 100_000])
        return b'{"x":' + b"[" * depth + b"]" * random.choice([0, depth]) + b"," + text[1:]
    if way == 5:
        return text[:at] + random.choice([b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\x00"]) + text[at:]
    return text + random.choice([b"{}", b"]", b"\xe6\x80", b"x"])


def files(count, seed=1):
    """The bytes of so many files; a few of them are still valid."""
    random = Random(seed)
    for index in range(count):
        data = random.choice(VALID)
        if index % 3 == 0:
            yield broken_text(data, random)
            continue
        for _ in range(random.choice([1, 1, 2, 3])):
            data = changed(data, random) if isinstance(data, dict) and data else {}
        yield as_bytes(data)


def tokens(count, seed=2):
    """So many tokens, each different from a valid one: cut, altered, grown, shuffled, foreign or non-ASCII."""
    random = Random(seed)
    valid = [to_token(example) for example in library().values()]
    letters = "ABCZabcz0189-_+/=.~%\n\0é思\ud800"
    for _ in range(count):
        token = random.choice(valid)
        at = random.randrange(len(token))
        yield random.choice(
            [
                token[:at],
                token[:at] + random.choice(letters) + token[at + 1 :],
                token[:at] + random.choice(letters) + token[at:],
                token[:at] + token[at + 1 :],
                random.choice("023456789a ") + token[1:],
                token[0] + "".join(random.sample(token[1:], len(token) - 1)),
                "".join(random.choice(letters) for _ in range(at)),
            ]
        )
