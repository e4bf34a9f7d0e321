"""A text continued by a decoder, one token at a time: always the likeliest, and with a cache of keys and values.

A new token needs a query, a key and a value of its own, and the keys and values of all tokens before it. These do not
change, since no token sees later ones. So they are kept (the key–value cache), and one row is computed in each layer:

    with the cache      q_n · k_j and A_nj · v_j for one query and n keys:   h·n·(d_k + d_v) multiplications in a layer
    without             for all n queries of the text again:                 h·n²·(d_k + d_v)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from mha_core.errors import N_, ModelError
from mha_core.models.guesses import Guess, guesses
from mha_core.models.runs import AnyLayer, AnyModel, AnyRun, continued, run, tokenize
from mha_core.models.tokenizer import Tokens

FORMAT = "mha-generated/1"
MOST_STEPS = 256
"""Most tokens that are added to a text at once."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What the last token of a run took, in all layers: numbers of keys and values that were ``read`` from the cache
    and ``computed``; ``products``: multiplications of Q·Kᵀ and weights·V, and ``products_whole``: those of a run of the
    whole text. Without a cache, nothing is read and all is computed.
    """

    read: int
    computed: int
    products: int
    products_whole: int


@dataclass(frozen=True, slots=True)
class Step:
    """One token that was added. ``tokens``: the text with it; ``guesses``: what the model expected there, the likeliest
    first, which is the token; ``rows``: L × h × n, its weights in every head, the only new row of each.
    """

    tokens: Tokens
    guesses: tuple[Guess, ...]
    rows: tuple[Tensor, ...]
    cost: Cost


def generate(model: AnyModel, text: str, steps: int, most: int = 10) -> tuple[Step, ...]:
    """Continue a text by ``steps`` tokens, each the likeliest; ``most`` guesses are given for each.

    Fewer if the model ends the text. Raises ``ModelError`` for a model that does not continue texts, and once the text
    is too long for it.
    """
    if not model.can_continue:
        raise ModelError(N_("this model does not continue a text token by token"))
    if not 0 <= steps <= MOST_STEPS:
        raise ModelError(N_("expected 0 to {most} steps, got {got}"), most=MOST_STEPS, got=steps)
    tokens = tokenize(model, text)
    past, taken = run(model, tokens), list[Step]()
    while len(taken) < steps and not ended(tokens):
        expected = guesses(model, past, len(tokens) - 1, most)
        tokens = extended(model, tokens, expected[0].id)
        past = continued(model, past, expected[0].id)
        layers: Sequence[AnyLayer] = past.layers
        rows = tuple(layer.weights[:, -1] for layer in layers)
        taken.append(Step(tokens, expected, rows, cost(model, past)))
    return tuple(taken)


def written(model: AnyModel, text: str, steps: int) -> Tokens:
    """The tokens of a text, and as many more, each the likeliest. Raises ``ModelError`` as ``generate`` does."""
    taken = generate(model, text, steps, 1) if steps else ()
    return taken[-1].tokens if taken else tokenize(model, text)


def ended(tokens: Tokens) -> bool:
    """Whether the text ends with a special token, such as <|endoftext|>."""
    return len(tokens) > 1 and tokens.special[-1]


def extended(model: AnyModel, tokens: Tokens, token: int) -> Tokens:
    """The tokens with one more, an id."""
    special = token in model.reader.special
    is_inner = model.reader.continues_word(tokens.ids[-1], token)
    last = max((word for word in tokens.words if word is not None), default=-1)
    word = None if special else last if is_inner and tokens.words[-1] is not None else last + 1
    return replace(
        tokens,
        ids=(*tokens.ids, token),
        texts=(*tokens.texts, model.reader.text(token)),
        words=(*tokens.words, word),
        special=(*tokens.special, special),
        segments=(*tokens.segments, tokens.segments[-1]),
        unknown=(*tokens.unknown, None),
    )


def cost(model: AnyModel, run: AnyRun) -> Cost:
    """What the last token of a run took."""
    n = run.ids.shape[-1]
    row = model.architecture.heads * n * model.kept_width
    if not run.from_cache:
        return Cost(0, model.kept * n, n * row, n * row)
    return Cost(model.kept * (n - 1), model.kept, row, n * row)


def as_json(model: AnyModel, text: str, steps: int) -> dict[str, object]:
    """``generate`` as JSON."""
    taken = generate(model, text, steps)
    return {
        "format": FORMAT,
        "tokens": taken[-1].tokens.texts if taken else tokenize(model, text).texts,
        "steps": [
            {
                "token": step.tokens.texts[-1],
                "guesses": [{"text": one.text, "probability": one.probability} for one in step.guesses],
                "weights": [row.tolist() for row in step.rows],
                "keys_and_values": {"read": step.cost.read, "computed": step.cost.computed},
                "multiplications": {"now": step.cost.products, "whole_text": step.cost.products_whole},
            }
            for step in taken
        ],
    }
