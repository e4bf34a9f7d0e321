"""The texts of ids of tokens: that of an id, and the id of a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from mha_core.errors import N_, InteropError

Vocabulary = Sequence[str] | Mapping[int, str] | Callable[[int], str]
"""The text of each id, or a function that returns it, such as ``tokenizer.decode``."""
_MOST_NEAR: Final = 5
"""How many texts an error lists."""


def require_vocabulary(vocabulary: Any) -> None:
    """Raise ``InteropError`` for anything but a list, a mapping of ids or a function."""
    of_ids = not isinstance(vocabulary, Mapping) or all(isinstance(token, int) for token in vocabulary)
    known = callable(vocabulary) or isinstance(vocabulary, Sequence | Mapping)
    if isinstance(vocabulary, str) or not known or not of_ids:
        raise InteropError(
            N_(
                "expected a list of texts, a mapping of ids to texts, or a function such as "
                "tokenizer.decode, got {kind}"
            ),
            place="vocabulary",
            kind=type(vocabulary).__name__,
        )


def text_of(token: int, vocabulary: Vocabulary) -> str | None:
    """The text of an id; None if a list or a mapping has none. Raises ``InteropError`` for what is no text."""
    texts: Any = vocabulary
    try:
        text = texts(token) if callable(texts) else texts[token]
    except Exception as error:
        if isinstance(error, LookupError) and not callable(texts):
            return None
        raise _no_text(token, f"{type(error).__name__}: {error}") from error
    if not isinstance(text, str):
        raise _no_text(token, repr(text)[:80])
    return text


def _no_text(token: int, got: str) -> InteropError:
    return InteropError(N_("expected the text of id {id}, got {got}"), place="vocabulary", id=token, got=got)


def id_of(text: str, vocabulary: Vocabulary | None, count: int, place: str) -> int:
    """The one id below ``count`` with this text. Raises ``InteropError`` for none, with texts that are like it."""
    if vocabulary is None:
        raise InteropError(
            N_(
                "to give a text, give vocabulary= too, such as vocabulary=tokenizer.decode; "
                "or give the id of {text}"
            ),
            place=place,
            text=repr(text),
        )
    require_vocabulary(vocabulary)
    texts = {token: text_of(token, vocabulary) for token in range(count)}
    own = [token for token, other in texts.items() if other == text]
    if len(own) == 1:
        return own[0]
    ids: dict[str, int] = {other: token for token, other in texts.items() if other}
    like = [other for other in ids if other.strip().lower() == text.strip().lower()]
    near = like + [other for other in get_close_matches(text, ids, _MOST_NEAR) if other not in like]
    sentence = N_(
        "{text} is not one token of the vocabulary, and none is like it; a word may be several tokens"
    )
    if own:
        sentence = N_("{text} is the text of several ids: {ids}; give one of these")
    elif near:
        sentence = N_("{text} is not one token of the vocabulary; near it are {near}")
    raise InteropError(
        sentence,
        place=place,
        text=repr(text),
        ids=", ".join(map(str, own[:_MOST_NEAR])),
        near=", ".join(f"{other!r} ({ids[other]})" for other in near[:_MOST_NEAR]),
    )
