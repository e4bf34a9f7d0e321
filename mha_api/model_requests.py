"""A request about a trained model: the fields of its body, checked.

Whatever is wrong raises ``MhaError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias, TypeGuard

from mha_core.errors import N_, ExampleError
from mha_core.example.decoding import decoded
from mha_core.models import AnyModel, Card, cards, load
from mha_core.models.generation import MOST_STEPS
from mha_core.models.library import is_loaded
from mha_core.quoted import quoted

MAX_SWITCHED_OFF: Final = 4096
"""Most heads that a request may switch off."""

ModelRequest: TypeAlias = Mapping[str, object]
"""The fields of a request by name, as they were sent."""


def read(body: bytes, *names: str) -> ModelRequest:
    """A request with exactly these fields; ``without`` and ``steps`` may be left out."""
    data: object = None
    try:
        data = decoded(body)
    except ExampleError:
        raise
    except (ValueError, RecursionError):
        pass  # refused below
    if not isinstance(data, dict):
        raise ExampleError(N_("expected a JSON object"))
    fields = {"without": [], "steps": 0, **data}
    for name in names:
        if name not in fields:
            raise ExampleError(N_("missing"), place=name)
    for name in fields:
        if name not in names and name not in ("without", "steps"):
            raise ExampleError(
                N_("the fields here are {known}, got {got}"), known=", ".join(names), got=quoted(name)
            )
    return fields


class NotLoadedError(Exception):
    """The requested model must be loaded first, which may take long."""

    def __init__(self, card: Card) -> None:
        super().__init__(card.key)
        self.card = card


def model_of(request: ModelRequest) -> AnyModel:
    """The model on offer whose key is requested. Raises ``NotLoadedError`` if it is not loaded yet."""
    offered: dict[object, Card] = {card.key: card for card in cards()}
    key = request["model"]
    if not isinstance(key, str) or key not in offered:
        known = ", ".join(map(str, offered))
        raise ExampleError(
            N_("there is no model {got} here; the models are: {known}"),
            place="model",
            got=quoted(key),
            known=known,
        )
    if not is_loaded(offered[key]):
        raise NotLoadedError(offered[key])
    return load(offered[key])


def text_of(text: object, place: str) -> str:
    """A text; the model itself limits its length."""
    if not isinstance(text, str):
        raise ExampleError(N_("expected text"), place=place)
    return text


def heads_off(request: ModelRequest) -> frozenset[tuple[int, int]]:
    """The heads that are switched off; the model itself refuses those that it does not have."""
    pairs = request["without"]
    if not isinstance(pairs, list) or len(pairs) > MAX_SWITCHED_OFF:
        raise ExampleError(N_("expected pairs of layer and head"), place="without")
    return frozenset(_pair(pair, "without") for pair in pairs)


def steps_of(request: ModelRequest) -> int:
    """How many tokens the model adds to the text."""
    steps = request["steps"]
    if not is_whole(steps) or steps > MOST_STEPS:
        raise ExampleError(N_("expected a whole number from 0 to {most}"), place="steps", most=MOST_STEPS)
    return steps


def head_of(request: ModelRequest, model: AnyModel) -> tuple[int, int]:
    """The requested layer and head, which the model must have."""
    layer, head = _pair([request["layer"], request["head"]], "head")
    size = model.architecture
    if layer >= size.layers or head >= size.heads:
        raise ExampleError(
            N_("the model has {layers} {layers:layer|layers} of {heads} {heads:head|heads}"),
            place="head",
            layers=size.layers,
            heads=size.heads,
        )
    return layer, head


def _pair(value: object, place: str) -> tuple[int, int]:
    if not (isinstance(value, list) and len(value) == 2 and all(map(is_whole, value))):
        raise ExampleError(N_("expected pairs of layer and head"), place=place)
    return value[0], value[1]


def range_of(request: ModelRequest, place: str) -> range | None:
    """The requested range of tokens, None for all; ``pooled_weights`` refuses those that the text does not have."""
    return None if request[place] is None else range(*pair_of(request[place], place))


def pair_of(value: object, place: str) -> tuple[int, int]:
    """Two whole numbers."""
    if not (isinstance(value, list) and len(value) == 2 and all(map(is_whole, value))):
        raise ExampleError(N_("expected two whole numbers"), place=place)
    return value[0], value[1]


def is_whole(value: object) -> TypeGuard[int]:
    """Whether this is 0, 1, 2 …; True is not."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
