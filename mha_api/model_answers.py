"""What is answered of a trained model's heads: a JSON object in, JSON or a binary message out (``message``).

run       {"model": KEY, "texts": [A] or [A, B], "without": [[layer, head], …]}. The header says what the model is,
          which ``measures`` there are, where each text has ``masks`` and, for each of the ``sentences``, its tokens
          (those ``unknown`` with what the text has there), what each head does (``labels``), or would count as doing
          were there more places of it (``unsure``), at how many ``places`` each measure is taken, and how many pixels
          its maps have to a ``side``, each the largest weight of ``block`` × ``block`` pairs. For sentence 0, and 1,
          follow ``0.maps`` (L × h × side × side: 255·√weight, rounded), ``0.keys`` and ``0.tops`` (L × h × n: the key
          with a query's largest weight, and that weight), ``0.measured`` and ``0.chance`` (heads × measures: what each
          is, and what it would be by chance; NaN where the text has no place for it). Of two sentences also
          ``aligned``, which token stands where which of the other does, ``differences`` (L × h), and where each token's
          weight changes most, ``shift_keys`` and ``shifts`` (L × h × n). A text that is too long is refused with how
          many of its characters ``fits``
head      {"model", "text", "layer", "head", "without"}: ``weights`` and ``scores``, n × n, the scores not yet divided
          by ``divisor``, −∞ where a key is hidden; ``q`` and ``k``, n × d, as the scores are made of them
pooled    {"model", "text", "layer", "head", "queries", "keys", "size", "by", "without"}: a part of one head's map,
          where n × n numbers are too many. ``queries`` and ``keys`` are [start, stop], null for all; ``size`` is the
          most rows and columns that are wanted, 512 each at most; ``by`` is "max" or "mean" of a block. What comes
          back names the blocks, [start, stop, tokens of each], and has them as ``levels``, 255·√weight, rounded; or
          exact, as ``weights``, where each is one pair
shuffled  {"model", "text", "without"}: ``shuffled``, heads × measures (named by ``measures``), what each measure is on
          average where the words stand in other orders
guesses   {"model", "text", "place", "without"}: {"before": [{"text", "probability"}, …], "after": […], "word"}, with
          all heads, and without these; an encoder finds the token hidden, a decoder guesses what follows it. ``word``
          is the one that the text has there, {"text", "at", "before": {"probability", "rank"}, "after": {…}}; null
          where it has none that the model knows, or a mask

Layers, heads and tokens count from 0. Raises ``MhaError`` for whatever is wrong with a question.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import torch
from torch import Tensor
from torch.nn import functional

from mha_api.message import packed
from mha_api.model_requests import head_of, heads_off, is_whole, model_of, part_of, read, span_of, text_of
from mha_api.model_runs import Runs
from mha_core.compute.pooled import pooled_weights
from mha_core.errors import N_, ExampleError, MhaError
from mha_core.example.model import text_in
from mha_core.models import (
    MEASURES,
    Model,
    Record,
    Run,
    Tokens,
    can_guess,
    cards,
    guesses,
    label,
    shuffled_means,
    tokenize,
    unsure,
)
from mha_core.models.differences import aligned, differences, shifts
from mha_core.models.guesses import hidden, standing
from mha_core.models.measures import Places, records
from mha_core.quoted import quoted

SIDE: Final = 128
"""Most pixels to a side of a map: longer texts have several pairs to a pixel."""
MOST_BLOCKS: Final = 512
"""Most rows, and columns, of a part of one map."""
MOST_GUESSES: Final = 8
MOST_TOKENS: Final = 1024
"""Longest text whose heads are all looked at, and of one of which every number is sent."""
MOST_WEIGHTS: Final = 200_000_000
"""Most weights that all heads of a text may have together: those of 144 heads for 1,024 tokens."""

LONGEST_WORD: Final = 30
"""Characters of a word that a text is not cut in."""

_RUNS: Final = Runs()


def answer_cards(_body: bytes, language: str) -> bytes:
    """The models that are offered."""
    models = [
        {
            "key": card.key,
            "title": text_in(card.title, language),
            "about": text_in(card.about, language),
            "languages": card.languages,
        }
        for card in cards()
    ]
    return _json({"models": models})


def answer_run(body: bytes, _language: str) -> bytes:
    """Every head's weights and measures, of one sentence or two."""
    asked = read(body, "model", "texts", "without")
    model, off = model_of(asked), heads_off(asked)
    texts = asked["texts"]
    if not (isinstance(texts, list) and len(texts) in (1, 2)):
        raise ExampleError(N_("expected one text or two"), place="texts")
    sentences = [_tokens_or_fits(model, text, "texts") for text in texts]
    pairs = aligned(*sentences) if len(sentences) == 2 else []
    layers, differ = _layers(model, sentences, off, pairs)
    described, arrays = seen(sentences, layers)
    size = model.architecture
    header = {
        "model": asked["model"],
        "layers": size.layers,
        "heads": size.heads,
        "d_model": size.d_model,
        "d_head": size.d_head,
        "causal": size.causal,
        "limit": min(model.most_tokens, most_tokens(model)),
        "guesses": can_guess(model),
        "masks": [
            [at for at, number in enumerate(tokens.ids) if number == model.reader.mask]
            for tokens in sentences
        ],
        "aligned": pairs,
    }
    return packed(header | described, arrays | differ)


def answer_head(body: bytes, _language: str) -> bytes:
    """One head's weights, scores, queries and keys."""
    asked = read(body, "model", "text", "layer", "head", "without")
    model, off = model_of(asked), heads_off(asked)
    layer, head = head_of(asked, model)
    of = _RUNS.of(model, _tokens(model, asked["text"], "text"), off).layers[layer]
    q, k = of.q[head], of.k[head]
    scores = q @ k.T
    if of.causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    arrays = {"weights": of.weights_of(head), "scores": scores, "q": q, "k": k}
    header = {"n": len(q), "d": model.architecture.d_head, "divisor": math.sqrt(model.architecture.d_head)}
    return packed(header, {name: array.float() for name, array in arrays.items()})


def answer_pooled(body: bytes, _language: str) -> bytes:
    """One head's map, or a part of it, in blocks."""
    asked = read(body, "model", "text", "layer", "head", "queries", "keys", "size", "by", "without")
    model, off = model_of(asked), heads_off(asked)
    layer, head = head_of(asked, model)
    queries, keys, size = part_of(asked, "queries"), part_of(asked, "keys"), span_of(asked["size"], "size")
    if max(size) > MOST_BLOCKS:
        raise ExampleError(
            N_("expected 1 to {most}, got {got}"), place="size", most=MOST_BLOCKS, got=max(size)
        )
    by = asked["by"]
    if by not in ("max", "mean"):
        raise ExampleError(N_('expected "max" or "mean", got {got}'), place="by", got=quoted(by))
    of = _RUNS.of(model, tokenize(model, text_of(asked["text"], "text")), off).layers[layer]
    mask: Literal["causal"] | None = "causal" if of.causal else None
    pool = pooled_weights(of.q[head], of.k[head], size, by=by, queries=queries, keys=keys, mask=mask)
    exact = pool.queries.step == pool.keys.step == 1
    header = {
        name: [part.start, part.stop, part.step]
        for name, part in (("queries", pool.queries), ("keys", pool.keys))
    }
    return packed(header, {"weights": pool.values.float()} if exact else {"levels": levels(pool.values)})


def answer_shuffled(body: bytes, _language: str) -> bytes:
    """What each head does where the words stand in other orders."""
    asked = read(body, "model", "text", "without")
    model, off = model_of(asked), heads_off(asked)
    tokens = _tokens(model, asked["text"], "text")
    heads = [head for layer in shuffled_means(model, tokens, without=off) for head in layer]
    names = [name for name in MEASURES if name in heads[0]]
    means = torch.tensor([[head[name] for name in names] for head in heads])
    return packed({"measures": names}, {"shuffled": means})


def answer_guesses(body: bytes, _language: str) -> bytes:
    """The likeliest words at a place, with all heads and without some."""
    asked = read(body, "model", "text", "place", "without")
    model, off = model_of(asked), heads_off(asked)
    place = asked["place"]
    tokens = tokenize(model, text_of(asked["text"], "text"))
    if not is_whole(place) or place >= len(tokens):
        raise ExampleError(
            N_("expected a token's number, from 0 to {most}"), place="place", most=len(tokens) - 1
        )
    shown = tokens if model.architecture.causal else hidden(model, tokens, place)
    runs = {name: _RUNS.of(model, shown, one) for name, one in (("before", frozenset()), ("after", off))}
    answer: dict[str, Any] = {
        name: [
            {"text": guess.text, "probability": guess.probability}
            for guess in guesses(model, one, place, MOST_GUESSES)
        ]
        for name, one in runs.items()
    }
    return _json(answer | {"word": _word(model, tokens, place, runs)})


def _word(model: Model, tokens: Tokens, place: int, runs: Mapping[str, Run]) -> dict[str, Any] | None:
    """The token that the text has where the model guesses, and how it stands in each run; None where it has none."""
    at = place + model.architecture.causal
    if at >= len(tokens) or tokens.unknown[at] is not None or tokens.ids[at] == model.reader.mask:
        return None
    standings = {name: standing(model, one, place, tokens.ids[at]) for name, one in runs.items()}
    return {"text": model.reader.text(tokens.ids[at]), "at": at} | {
        name: {"probability": one.probability, "rank": one.rank} for name, one in standings.items()
    }


ANSWERS: Final[Mapping[str, Callable[[bytes, str], bytes]]] = {
    "cards": answer_cards,
    "run": answer_run,
    "head": answer_head,
    "pooled": answer_pooled,
    "shuffled": answer_shuffled,
    "guesses": answer_guesses,
}


def most_tokens(model: Model) -> int:
    """How many tokens a text may have whose heads are all looked at; the model itself may take fewer."""
    size = model.architecture
    return min(MOST_TOKENS, math.isqrt(MOST_WEIGHTS // (size.layers * size.heads)))


def _tokens(model: Model, text: object, place: str) -> Tokens:
    """The tokens of a text. Raises ``MhaError`` for one with more weights than are looked at here."""
    tokens = tokenize(model, text_of(text, place))
    n, most = len(tokens), most_tokens(model)
    if n > most:
        raise ExampleError(
            N_("the text has {count} tokens; all heads of this model can be looked at for up to {most}"),
            place=place,
            count=n,
            most=most,
        )
    return tokens


def _tokens_or_fits(model: Model, text: object, place: str) -> Tokens:
    """The same; what is too long is refused with how many of its characters ``fits``."""
    try:
        return _tokens(model, text, place)
    except MhaError as error:
        if isinstance(text, str):
            error.values["fits"] = fitting(model, text)
        raise


def fitting(model: Model, text: str) -> int:
    """How many characters of a text are no more tokens than are looked at, to the end of a word where one is near."""

    def exceeds(count: int) -> bool:
        try:
            _tokens(model, text[:count], "")
        except MhaError:
            return True
        return False

    low, high = 0, min(model.most_tokens, most_tokens(model))
    while high < len(text) and not exceeds(high):
        low, high = high, 2 * high
    count = bisect_left(range(min(high, len(text))), True, lo=low + 1, key=exceeds) - 1
    words = re.match(r".*\S(?=\s)", text[: count + 1], re.DOTALL)
    return words.end() if words and count - words.end() < LONGEST_WORD else count


# --- what is sent about heads --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Glance:
    """What of one layer's weights on a sentence is sent. maps: h × side × side; keys, tops: h × n."""

    maps: Tensor
    keys: Tensor
    tops: Tensor
    records: tuple[Record, ...]

    @classmethod
    def of(cls, weights: Tensor, places: Places) -> Glance:
        """weights: h × n × n."""
        tops, keys = weights.max(-1)
        maps = functional.max_pool2d(weights, block_of(weights.shape[-1]), ceil_mode=True)
        return cls(levels(maps), keys.to(torch.uint16), tops.float(), records(weights, places))


def _layers(
    model: Model,
    sentences: Sequence[Tokens],
    off: frozenset[tuple[int, int]],
    pairs: Sequence[tuple[int, int]],
) -> tuple[list[list[Glance]], dict[str, Tensor]]:
    """Each sentence's layers, and how far two differ: never more than one layer's weights at once."""
    size = model.architecture
    places = [Places.of(tokens, causal=size.causal) for tokens in sentences]
    runs = [_RUNS.of(model, tokens, off) for tokens in sentences]
    glances_of: list[list[Glance]] = [[] for _ in sentences]
    differ: dict[str, list[Tensor]] = {"differences": [], "shift_keys": [], "shifts": []}
    for layers in zip(*(run.layers for run in runs), strict=True):
        weights = [replace(layer).weights for layer in layers]  # of a copy: the run is kept, and keeps none
        for glances, one, where in zip(glances_of, weights, places, strict=True):
            glances.append(Glance.of(one, where))
        if len(weights) == 2:
            keys, changes = shifts(weights[0], weights[1], pairs)
            differ["differences"].append(differences(weights[0], weights[1], pairs).float())
            differ["shift_keys"].append(keys.to(torch.uint16))
            differ["shifts"].append(changes.float())
    return glances_of, {name: torch.stack(of) for name, of in differ.items() if of}


def seen(
    sentences: Sequence[Tokens], layers: Sequence[Sequence[Glance]]
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The part of the header about sentences, and the arrays beside it: for each its layers."""
    names = [name for name in MEASURES if any(name in of[0].records[0].measures for of in layers)]
    described: list[dict[str, Any]] = []
    arrays: dict[str, Tensor] = {}
    for at, (tokens, of) in enumerate(zip(sentences, layers, strict=True)):
        every = [record for glance in of for record in glance.records]
        described.append(_sentence(tokens, every, names))
        parts = {
            "maps": torch.stack([glance.maps for glance in of]),
            "keys": torch.stack([glance.keys for glance in of]),
            "tops": torch.stack([glance.tops for glance in of]),
            "measured": _column(every, names, "value"),
            "chance": _column(every, names, "null"),
        }
        arrays |= {f"{at}.{name}": array for name, array in parts.items()}
    return {"measures": names, "sentences": described}, arrays


def _sentence(tokens: Tokens, every: Sequence[Record], names: Sequence[str]) -> dict[str, Any]:
    block = block_of(len(tokens))
    return {
        "texts": [
            text if lacks is None else f"{text} {lacks}"
            for text, lacks in zip(tokens.texts, tokens.unknown, strict=True)
        ],
        "unknown": [lacks is not None for lacks in tokens.unknown],
        "words": tokens.words,
        "special": tokens.special,
        "labels": [label(record) or "none" for record in every],
        "unsure": [unsure(record) or "" for record in every],
        "places": [every[0].measures[name].places if name in every[0].measures else 0 for name in names],
        "block": block,
        "side": math.ceil(len(tokens) / block),
    }


def _column(every: Sequence[Record], names: Sequence[str], part: Literal["value", "null"]) -> Tensor:
    """heads × measures; NaN where the text has no place for a measure."""
    return torch.tensor(
        [
            [getattr(record.measures[name], part) if name in record.measures else math.nan for name in names]
            for record in every
        ]
    )


def block_of(n: int) -> int:
    """How many tokens a pixel of a map of n tokens stands for."""
    return math.ceil(n / SIDE)


def levels(weights: Tensor) -> Tensor:
    """255·√weight, rounded: small weights are seen too."""
    return (255 * weights.sqrt()).round().to(torch.uint8)


def _json(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()
