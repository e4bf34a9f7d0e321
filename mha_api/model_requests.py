"""What is asked of a trained model, read from a request's body: each field of its kind, or one sentence why not.

Whatever is wrong raises ``MhaError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mha_core.errors import N_, ExampleError
from mha_core.example.decoding import decoded
from mha_core.models import Card, Model, cards, load
from mha_core.models.library import is_loaded
from mha_core.quoted import quoted

MOST_SWITCHED: Final = 4096
"""Most heads that may be named."""

Question = Mapping[str, Any]


def read(body: bytes, *names: str) -> Question:
    """A question with these fields and no others; ``without`` may be left out."""
    try:
        question = decoded(body)
    except ExampleError:
        raise
    except (ValueError, RecursionError):
        question = None
    if not isinstance(question, dict):
        raise ExampleError(N_("expected a JSON object"))
    question = {"without": [], **question}
    for name in names:
        if name not in question:
            raise ExampleError(N_("is missing"), place=name)
    for name in question:
        if name not in names and name != "without":
            raise ExampleError(
                N_("the fields here are {known}, got {got}"), known=", ".join(names), got=quoted(name)
            )
    return question


class NotLoadedError(Exception):
    """The model that is asked for must be loaded first, which may take long."""

    def __init__(self, card: Card) -> None:
        super().__init__(card.key)
        self.card = card


def model_of(asked: Question) -> Model:
    """The model of this name among those that are offered. Raises ``NotLoadedError`` where it is not loaded yet."""
    offered: dict[object, Card] = {card.key: card for card in cards()}
    key = asked["model"]
    if not isinstance(key, str) or key not in offered:
        known = ", ".join(map(str, offered))
        raise ExampleError(
            N_("there is no model {got} here; these are: {known}"),
            place="model",
            got=quoted(key),
            known=known,
        )
    if not is_loaded(offered[key]):
        raise NotLoadedError(offered[key])
    return load(offered[key])


def text_of(text: object, place: str) -> str:
    """A text; how long it may be the model says."""
    if not isinstance(text, str):
        raise ExampleError(N_("expected a text"), place=place)
    return text


def heads_off(asked: Question) -> frozenset[tuple[int, int]]:
    """The heads that are switched off; whether the model has them, it says itself."""
    given = asked["without"]
    if not isinstance(given, list) or len(given) > MOST_SWITCHED:
        raise ExampleError(N_("expected pairs of a layer and a head"), place="without")
    return frozenset(_pair(one, "without") for one in given)


def head_of(asked: Question, model: Model) -> tuple[int, int]:
    """The layer and the head that are asked for, which the model has."""
    layer, head = _pair([asked["layer"], asked["head"]], "head")
    size = model.architecture
    if layer >= size.layers or head >= size.heads:
        raise ExampleError(
            N_("the model has {layers} layers of {heads} heads"),
            place="head",
            layers=size.layers,
            heads=size.heads,
        )
    return layer, head


def _pair(given: object, place: str) -> tuple[int, int]:
    if not (isinstance(given, list) and len(given) == 2 and all(map(is_whole, given))):
        raise ExampleError(N_("expected pairs of a layer and a head"), place=place)
    return given[0], given[1]


def part_of(asked: Question, place: str) -> range | None:
    """The tokens that are asked for, None for all; whether the text has them, ``pooled_weights`` says."""
    return None if asked[place] is None else range(*span_of(asked[place], place))


def span_of(given: object, place: str) -> tuple[int, int]:
    """Two whole numbers."""
    if not (isinstance(given, list) and len(given) == 2 and all(map(is_whole, given))):
        raise ExampleError(N_("expected two whole numbers"), place=place)
    return given[0], given[1]


def is_whole(value: object) -> bool:
    """Whether this is 0, 1, 2 …, which True is not."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
