"""What is sent to a room, read as plain data, or refused with one sentence that says what is wrong.

A room has a *place* (the position in the walk, and whose numbers it shows) and at most one *question* with its answers.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypedDict
from urllib.parse import parse_qsl, urlencode

from mha_core.errors import N_, ExampleError
from mha_core.example.share_link import MAX_TOKEN
from mha_core.quoted import quoted

ALPHABET: Final = "234679CDFHJKMNPQRTVWXY"
"""Characters of a code: no two look alike, and no vowels, so that no words result."""
LENGTH: Final = 6
MOST_DECIMALS: Final = 10
MOST_CHOICES: Final = 6
MOST_TEXT: Final = 200
"""Characters of a question, or of one of its choices."""
MOST_REVEALED: Final = 200
MOST_LINK: Final = 4000
"""Characters of an exercise's link, which the whole audience receives at every step."""

_CODE: Final = re.compile(f"[{ALPHABET}]{{{LENGTH}}}")
_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_SUB: Final = re.compile(r"([1-9][0-9]{0,3}(\.[1-9][0-9]{0,3})?)?")
_EXERCISE: Final = re.compile(r"([a-z_]{1,40}(\.[a-z_]{1,40}){0,9})?")
_REVEALED: Final = re.compile(r"[0-9a-z|]{1,40}")
_LISTENER: Final = re.compile(r"[0-9a-f]{32}")
_NUMBER: Final = re.compile(r"-?([0-9]{1,12}(\.[0-9]{0,12})?|\.[0-9]{1,12})(e[+-]?[0-9]{1,3})?|-inf")

_PLACE: Final = (
    "token",
    "example",
    "decimals",
    "step",
    "sub",
    "predict",
    "revealed",
    "dark",
    "away",
    "exercise",
    "link",
)
_LINK: Final = {
    "example": _NAME,
    "s": re.compile(r"[0-9A-Za-z_-]+"),
    "ask": re.compile(r"[a-z_]{1,40}(\.[a-z_]{1,40}){0,9}"),
    "seed": re.compile(r"own|[0-9]{1,9}"),
    "seeded": re.compile(r"[0-9]{1,6}"),
}
"""The parameters that the link of an exercise may have."""


class Cell(TypedDict):
    """A cell of a matrix; ``head`` is None for a matrix of the whole layer."""

    name: str
    head: int | None
    row: int
    col: int


class Place(TypedDict):
    """A position in a walk, and what the audience sees there."""

    step: str
    sub: str
    predict: bool
    revealed: list[str]
    dark: bool
    away: bool
    exercise: str
    link: str


class Numbers(NamedTuple):
    """Whose numbers a walk shows: the example, as a page's address has it, and the number of decimals."""

    address: Mapping[str, str]
    decimals: int

    @property
    def id(self) -> str:
        """An id that depends on the numbers only, not on the room."""
        text = json.dumps([self.address, self.decimals], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class Question(NamedTuple):
    """A question: which of the ``choices`` is right or, if there are none, which number is in the ``cell``."""

    text: str
    choices: tuple[str, ...]
    cell: Cell | None


# --- codes and keys ----------------------------------------------------------------------------------------------


def new_code() -> str:
    """Six characters that can be read aloud."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def new_key() -> str:
    """A secret of the presenter."""
    return secrets.token_urlsafe(24)


def new_listener(key: str) -> str:
    """An id for a listener in the room with this key; it cannot be forged."""
    random_half = secrets.token_hex(8)
    return random_half + _signature(random_half, key)


def is_listener(text: str, key: str) -> bool:
    """Whether this is such an id: its second half is the signature of the first."""
    return bool(_LISTENER.fullmatch(text)) and hmac.compare_digest(text[16:], _signature(text[:16], key))


def _signature(text: str, key: str) -> str:
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()[:16]


def code_in(text: str) -> str | None:
    """The code in a text as somebody typed it; None if it cannot be one."""
    code = text.strip().upper()
    return code if _CODE.fullmatch(code) else None


# --- what is sent ------------------------------------------------------------------------------------------------


def read_object(body: bytes, known: Sequence[str]) -> dict[str, object]:
    """The JSON object of a body. Raises ``ExampleError`` if it is not one, or has other keys than these."""
    try:
        data: object = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise ExampleError(N_("this is not valid JSON")) from None
    if not isinstance(data, dict):
        raise ExampleError(N_("expected a JSON object, got {got}"), got=quoted(data))
    for name in data:
        if name not in known:
            raise ExampleError(
                N_("the keys here are {known}, got {got}"), known=", ".join(known), got=quoted(name)
            )
    return data


def read_place(body: bytes) -> tuple[Numbers, Place]:
    """A place: whose numbers, and the position in the walk. Raises ``ExampleError``."""
    data = read_object(body, _PLACE)
    revealed = data.get("revealed", [])
    if not isinstance(revealed, list) or len(revealed) > MOST_REVEALED:
        raise ExampleError(N_("expected a list of at most {most}"), place="revealed", most=MOST_REVEALED)
    place: Place = {
        "step": _text(data, "step", _NAME) if data.get("step") else "",
        "sub": _text(data, "sub", _SUB),
        "predict": _flag(data, "predict"),
        "revealed": [_matching(key, "revealed", _REVEALED) for key in revealed],
        "dark": _flag(data, "dark"),
        "away": _flag(data, "away"),
        "exercise": _text(data, "exercise", _EXERCISE),
        "link": _link(data.get("link", "")),
    }
    decimals = _whole(data.get("decimals", 4), "decimals", MOST_DECIMALS)
    return Numbers(_address(data), decimals), place


def read_question(body: bytes) -> Question:
    """A question. Raises ``ExampleError``."""
    data = read_object(body, ("text", "choices", "cell"))
    if ("choices" in data) == ("cell" in data):
        raise ExampleError(N_("a question needs either choices or a cell"))
    text = _sentence(data.get("text", ""), "text")
    if "cell" in data:
        return Question(text, (), _cell(data["cell"]))
    choices = data["choices"]
    if not isinstance(choices, list) or not 2 <= len(choices) <= MOST_CHOICES:
        raise ExampleError(N_("expected 2 to {most} choices"), place="choices", most=MOST_CHOICES)
    return Question(text, tuple(_sentence(choice, "choices") for choice in choices), None)


def read_answer(body: bytes) -> tuple[int, str, object]:
    """The number of the question, the listener's id, and the answer. Raises ``ExampleError``."""
    data = read_object(body, ("question", "listener", "answer"))
    question = _whole(data.get("question"), "question", 2**53)
    return question, _text(data, "listener", _LISTENER), data.get("answer")


def read_choice(answer: object, choices: int) -> str:
    """The answer to a question with this many choices; with none it is a number. Raises ``ExampleError``."""
    if choices:
        return str(_whole(answer, "answer", choices - 1))
    if not isinstance(answer, str) or not _NUMBER.fullmatch(answer):
        raise ExampleError(N_("expected a number, got {got}"), place="answer", got=quoted(answer))
    return answer


def _refuse(name: str) -> None:
    raise ValueError(name)


def _address(data: Mapping[str, object]) -> dict[str, str]:
    """The example, as a page's address has it."""
    if ("token" in data) == ("example" in data):
        raise ExampleError(N_("expected either a token or an example"))
    if "example" in data:
        return {"example": _text(data, "example", _NAME)}
    token = data["token"]
    if not isinstance(token, str) or not 0 < len(token) <= MAX_TOKEN:
        raise ExampleError(N_("expected text of at most {most} characters"), place="token", most=MAX_TOKEN)
    return {"s": token}


def _link(link: object) -> str:
    """The query of a link to an exercise, without other parameters; empty if there is no link."""
    if not isinstance(link, str) or len(link) > MOST_LINK:
        raise ExampleError(N_("expected text of at most {most} characters"), place="link", most=MOST_LINK)
    if not link:
        return ""
    pairs = [(name, text) for name, text in parse_qsl(link) if name in _LINK]
    query = dict(pairs)
    if len(pairs) > len(query) or "ask" not in query or ("example" in query) == ("s" in query):
        raise ExampleError(N_("this is not a link to an exercise"), place="link")
    return urlencode({name: _matching(text, "link", _LINK[name]) for name, text in query.items()})


def _cell(cell: object) -> Cell:
    if not isinstance(cell, dict) or set(cell) != {"name", "head", "row", "col"}:
        raise ExampleError(N_("expected a cell with name, head, row and col"), place="cell")
    head = cell["head"]
    return {
        "name": _matching(cell["name"], "cell", _NAME),
        "head": None if head is None else _whole(head, "cell", 999),
        "row": _whole(cell["row"], "cell", 9999),
        "col": _whole(cell["col"], "cell", 9999),
    }


def _flag(data: Mapping[str, object], name: str) -> bool:
    flag = data.get(name, False)
    if not isinstance(flag, bool):
        raise ExampleError(N_("expected true or false, got {got}"), place=name, got=quoted(flag))
    return flag


def _text(data: Mapping[str, object], name: str, pattern: re.Pattern[str]) -> str:
    return _matching(data.get(name, ""), name, pattern)


def _matching(value: object, place: str, pattern: re.Pattern[str]) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise ExampleError(N_("{got} is not allowed here"), place=place, got=quoted(value))
    return value


def _sentence(value: object, place: str) -> str:
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise ExampleError(N_("expected text of at most {most} characters"), place=place, most=MOST_TEXT)
    return value


def _whole(value: object, place: str, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise ExampleError(
            N_("expected a whole number from 0 to {most}, got {got}"),
            place=place,
            most=most,
            got=quoted(value),
        )
    return value
