"""Answers about the heads of a trained model: a JSON object in, JSON or a binary message out (``message``).

run       {"model": KEY, "texts": [A] or [A, B], "without": [[layer, head], …]}. The header describes the model, names
          the ``measures``, and has the ``masks`` of each text. For each of the ``sentences`` it has: the tokens
          (``texts``; an ``unknown`` one with the text's own characters), what each head does (``labels``), what it
          would be labelled with more places to measure (``unsure``), the number of ``places`` of each measure, and the
          pixels to a ``side`` of the maps, each the largest weight of ``block`` × ``block`` pairs. For sentence 0, and
          1, follow ``0.maps`` (L × h × side × side: 255·√weight, rounded), ``0.keys`` and ``0.tops`` (L × h × n: the
          key with a query's largest weight, and that weight), ``0.measured`` and ``0.chance`` (heads × measures: the
          value, and its expectation by chance; NaN where the text has no place to measure). For two sentences also
          ``aligned`` (pairs of corresponding tokens), ``differences`` (L × h), ``shift_keys`` and ``shifts``
          (L × h × n: the key whose weight changes most, and by how much). If a text is too long, the refusal has
          ``fits``, the number of its characters that would be accepted
head      {"model", "text", "layer", "head", "without"}: ``weights`` and ``scores``, n × n, the scores not yet divided
          by ``divisor``, −∞ where a key is hidden; ``q`` and ``k``, n × d, from which the scores are computed. A
          divided score s becomes c·tanh(s ÷ c) if the header has a ``softcap`` c; then ``added``, n × n, is added if
          the model has such numbers. ``sink``: one more score in softmax, without a key, or null. ``root``: whether the
          divisor is √d. If it is not known how the weights follow from q and k, there are only the weights, and
          ``unexplained`` says so
pooled    {"model", "text", "layer", "head", "queries", "keys", "size", "by", "without"}: a part of one head's map,
          for texts where n × n numbers are too many. ``queries`` and ``keys`` are [start, stop], null for all;
          ``size`` is the most rows and columns wanted, 512 each at most; ``by`` is "max" or "mean" of a block. The
          answer has the blocks, [start, stop, tokens of each], and their values as ``levels``, 255·√weight, rounded;
          or exactly, as ``weights``, if each block is one pair
shuffled  {"model", "text", "without"}: ``shuffled``, heads × measures (named by ``measures``), the mean of each measure
          over shuffled orders of the words
guesses   {"model", "text", "place", "without"}: {"before": [{"text", "probability"}, …], "after": […], "word"}, with
          all heads, and without some; an encoder fills in the hidden token, a decoder predicts the next one. ``word``
          is the text's own token there, {"text", "at", "before": {"probability", "rank"}, "after": {…}}; null if the
          text has none, or one that the model does not know, or a mask

Layers, heads and tokens count from 0. All take ``steps``, 0 if left out: so many tokens, each the one that the model
expects most with all its heads, are added to the text first. The header of a run says whether the model ``continues`` a
text in this way. For one text with ``steps`` it has ``step``: the ``count`` of tokens that were added, why no more
were (``stopped``: "eos", the last token ends the text; "length", the model takes no longer one; "steps", as many were
asked for), and what the last token took: numbers of keys and values ``read`` from the cache and
``computed``, and multiplications, ``products``, beside those of a run of the whole text, ``products_whole``.
Raises ``MhaError`` for whatever is wrong with a request.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Final, TypedDict

import torch
from torch import Tensor

from mha_api.model_requests import (
    head_of,
    heads_off,
    is_whole,
    model_of,
    pair_of,
    range_of,
    read,
    steps_of,
    text_of,
)
from mha_api.model_runs import Runs
from mha_core.compute.pooled import By
from mha_core.errors import N_, ExampleError, MhaError
from mha_core.example.model import MAX_SIZE, text_in
from mha_core.models import (
    MEASURES,
    AnyLayer,
    AnyModel,
    AnyRun,
    Model,
    Tokens,
    can_guess,
    cards,
    guesses,
    shuffled_means,
    tokenize,
)
from mha_core.models.differences import aligned, differences, shifts
from mha_core.models.generation import cost, stopped
from mha_core.models.guesses import hidden, standing
from mha_core.models.heads import places_of
from mha_core.quoted import quoted
from mha_view.heads.glance import Glance, header_and_arrays, levels
from mha_view.language import words_in
from mha_view.message import packed

MOST_BLOCKS: Final = 512
"""Most rows, and columns, of a part of one map."""
MOST_GUESSES: Final = 8
MOST_TOKENS: Final = 1024
"""Longest text for which all heads are computed, or every number of one head is sent."""
MOST_WEIGHTS: Final = 200_000_000
"""Most weights of all heads of a text together: enough for 144 heads over 1,024 tokens."""

LONGEST_WORD: Final = 30
"""Characters up to which a word is not cut in two."""

_RUNS: Final = Runs()


class Standing(TypedDict):
    """How likely the text's own token is, and its rank among all tokens."""

    probability: float
    rank: int


class Word(TypedDict):
    """The text's own token at a position, with all heads and without some."""

    text: str
    at: int
    before: Standing
    after: Standing


def answer_cards(_body: bytes, language: str) -> bytes:
    """The models on offer."""
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
    request = read(body, "model", "texts", "without")
    model, off = model_of(request), heads_off(request)
    texts = request["texts"]
    if not (isinstance(texts, list) and len(texts) in (1, 2)):
        raise ExampleError(N_("expected one or two texts"), place="texts")
    steps = steps_of(request)
    sentences = [_tokens_or_fits(model, text, "texts", steps) for text in texts]
    pairs = aligned(*sentences) if len(sentences) == 2 else []
    layers, difference_arrays = _layers(model, sentences, off, pairs)
    jobs = model.jobs if isinstance(model, Model) else ()
    described, arrays = header_and_arrays(sentences, layers, jobs=jobs)
    size = model.architecture
    header = {
        "model": request["model"],
        "layers": size.layers,
        "heads": size.heads,
        "d_model": size.d_model,
        "d_head": size.d_head,
        "causal": size.causal,
        "limit": min(model.most_tokens, most_tokens(model)),
        "guesses": can_guess(model),
        "jobs": {
            job.kind: {"at": job.layer * size.heads + job.head, "found": job.found, "texts": job.texts}
            for job in jobs
        },
        "masks": [
            [index for index, token in enumerate(tokens.ids) if token == model.reader.mask]
            for tokens in sentences
        ],
        "aligned": pairs,
        "starts_from_x": isinstance(model, Model) and size.d_model <= MAX_SIZE,
        "continues": model.can_continue and len(sentences) == 1,
        "step": _step(model, texts[0], sentences[0]) if steps and len(sentences) == 1 else None,
    }
    return packed({**header, **described}, arrays | difference_arrays)


_UNEXPLAINED: Final = N_(
    "How this model computes the weight from q and k is not known here, so only the weight is shown."
)


def answer_head(body: bytes, language: str) -> bytes:
    """One head's weights, scores, queries and keys."""
    request = read(body, "model", "text", "layer", "head", "without")
    model, off = model_of(request), heads_off(request)
    layer, head = head_of(request, model)
    tokens = _tokens(model, request["text"], "text", steps_of(request))
    computed = _RUNS.run(model, tokens, off).layers[layer]
    arrays = {"weights": computed.weights_of(head)}
    header: dict[str, object] = {"n": len(tokens), "unexplained": ""}
    scoring = computed.scoring(head)
    if scoring is None:
        header["unexplained"] = words_in(language)(_UNEXPLAINED)
    else:
        d = scoring.q.shape[-1]
        arrays |= {"scores": scoring.scores, "q": scoring.q, "k": scoring.k}
        arrays |= {} if scoring.added is None else {"added": scoring.added}
        header |= {"d": d, "divisor": scoring.divisor, "softcap": scoring.softcap, "sink": scoring.sink}
        header["root"] = math.isclose(scoring.divisor, math.sqrt(d))
    return packed(header, {name: array.float() for name, array in arrays.items()})


def _step(model: AnyModel, text: str, tokens: Tokens) -> dict[str, object]:
    """How many tokens were added, and what the last one took."""
    taken = cost(model, _RUNS.run(model, tokens, frozenset()))
    count = len(tokens) - len(tokenize(model, text))
    return {"count": count, "stopped": stopped(model, tokens, count), **asdict(taken)}


def answer_pooled(body: bytes, _language: str) -> bytes:
    """One head's map, or a part of it, in blocks."""
    request = read(body, "model", "text", "layer", "head", "queries", "keys", "size", "by", "without")
    model, off = model_of(request), heads_off(request)
    layer, head = head_of(request, model)
    queries, keys, size = (
        range_of(request, "queries"),
        range_of(request, "keys"),
        pair_of(request["size"], "size"),
    )
    if max(size) > MOST_BLOCKS:
        raise ExampleError(
            N_("expected 1 to {most}, got {got}"), place="size", most=MOST_BLOCKS, got=max(size)
        )
    by: By = "max" if request["by"] == "max" else "mean"
    if request["by"] not in ("max", "mean"):
        raise ExampleError(N_('expected "max" or "mean", got {got}'), place="by", got=quoted(request["by"]))
    tokens = _RUNS.grown(model, tokenize(model, text_of(request["text"], "text")), steps_of(request))
    pool = _RUNS.run(model, tokens, off).layers[layer].pooled(head, size, by, queries, keys)
    exact = pool.queries.step == pool.keys.step == 1
    header = {
        name: [blocks.start, blocks.stop, blocks.step]
        for name, blocks in (("queries", pool.queries), ("keys", pool.keys))
    }
    return packed(header, {"weights": pool.values.float()} if exact else {"levels": levels(pool.values)})


def answer_shuffled(body: bytes, _language: str) -> bytes:
    """What each head does on average when the words are shuffled."""
    request = read(body, "model", "text", "without")
    model, off = model_of(request), heads_off(request)
    tokens = _tokens(model, request["text"], "text", steps_of(request))
    heads = [head for layer in shuffled_means(model, tokens, without=off) for head in layer]
    names = [name for name in MEASURES if name in heads[0]]
    means = torch.tensor([[head[name] for name in names] for head in heads])
    return packed({"measures": names}, {"shuffled": means})


def answer_guesses(body: bytes, _language: str) -> bytes:
    """The likeliest words at a position, with all heads and without some."""
    request = read(body, "model", "text", "place", "without")
    model, off = model_of(request), heads_off(request)
    place = request["place"]
    tokens = _RUNS.grown(model, tokenize(model, text_of(request["text"], "text")), steps_of(request))
    if not is_whole(place) or place >= len(tokens):
        raise ExampleError(
            N_("expected the index of a token, from 0 to {most}"), place="place", most=len(tokens) - 1
        )
    shown = tokens if model.architecture.causal else hidden(model, tokens, place)
    before, after = (_RUNS.run(model, shown, without) for without in (frozenset(), off))
    return _json(
        {
            "before": _guesses(model, before, place),
            "after": _guesses(model, after, place),
            "word": _word(model, tokens, place, before, after),
        }
    )


def _guesses(model: AnyModel, run: AnyRun, place: int) -> list[dict[str, object]]:
    return [
        {"text": guess.text, "probability": guess.probability}
        for guess in guesses(model, run, place, MOST_GUESSES)
    ]


def _word(model: AnyModel, tokens: Tokens, place: int, before: AnyRun, after: AnyRun) -> Word | None:
    """The text's own token where the model guesses, in both runs; None if it has none that the model knows."""
    at = place + model.architecture.causal
    if at >= len(tokens) or tokens.unknown[at] is not None or tokens.ids[at] == model.reader.mask:
        return None
    token = tokens.ids[at]
    return {
        "text": model.reader.text(token),
        "at": at,
        "before": _standing(model, before, place, token),
        "after": _standing(model, after, place, token),
    }


def _standing(model: AnyModel, run: AnyRun, place: int, token: int) -> Standing:
    result = standing(model, run, place, token)
    return {"probability": result.probability, "rank": result.rank}


ANSWERS: Final[Mapping[str, Callable[[bytes, str], bytes]]] = {
    "cards": answer_cards,
    "run": answer_run,
    "head": answer_head,
    "pooled": answer_pooled,
    "shuffled": answer_shuffled,
    "guesses": answer_guesses,
}


def most_tokens(model: AnyModel) -> int:
    """How many tokens a text may have if all heads are to be computed; the model itself may take fewer."""
    size = model.architecture
    return min(MOST_TOKENS, math.isqrt(MOST_WEIGHTS // (size.layers * size.heads)))


def _tokens(model: AnyModel, text: object, place: str, steps: int = 0) -> Tokens:
    """The tokens of a text, and as many more. Raises ``MhaError`` for more weights than are computed here."""
    tokens = _RUNS.grown(model, tokenize(model, text_of(text, place)), steps)
    n, most = len(tokens), most_tokens(model)
    if n > most:
        raise ExampleError(
            N_("the text has {count} tokens; this model's heads can be shown all at once for up to {most}"),
            place=place,
            count=n,
            most=most,
        )
    return tokens


def _tokens_or_fits(model: AnyModel, text: object, place: str, steps: int) -> Tokens:
    """The same; the error about a text that is too long has ``fits``, how many of its characters are accepted."""
    try:
        return _tokens(model, text, place, steps)
    except MhaError as error:
        if isinstance(text, str):
            error.values["fits"] = fitting(model, text)
        raise


def fitting(model: AnyModel, text: str) -> int:
    """How many characters of a text are accepted; up to the end of a word if one is near."""

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


def _layers(
    model: AnyModel,
    sentences: Sequence[Tokens],
    off: frozenset[tuple[int, int]],
    pairs: Sequence[tuple[int, int]],
) -> tuple[list[list[Glance]], dict[str, Tensor]]:
    """Each sentence's layers, and how far two sentences differ. Only one layer's weights are in memory at a time."""
    runs = [_RUNS.run(model, tokens, off) for tokens in sentences]
    places = [places_of(tokens, run) for tokens, run in zip(sentences, runs, strict=True)]
    glances_of: list[list[Glance]] = [[] for _ in sentences]
    parts: dict[str, list[Tensor]] = {"differences": [], "shift_keys": [], "shifts": []}
    layers_of: list[Sequence[AnyLayer]] = [run.layers for run in runs]
    for layers in zip(*layers_of, strict=True):
        weights = [
            replace(layer).weights for layer in layers
        ]  # of copies, so that the cached run does not store weights
        for glances, layer_weights, measured_at in zip(glances_of, weights, places, strict=True):
            glances.append(Glance.of(layer_weights, next(measured_at)))
        if len(weights) == 2:
            keys, changes = shifts(weights[0], weights[1], pairs)
            parts["differences"].append(differences(weights[0], weights[1], pairs).float())
            parts["shift_keys"].append(keys.to(torch.uint16))
            parts["shifts"].append(changes.float())
    return glances_of, {name: torch.stack(tensors) for name, tensors in parts.items() if tensors}


def _json(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()
