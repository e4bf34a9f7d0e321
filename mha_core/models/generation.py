"""A text continued by a decoder, one token at a time: always the likeliest, and with a cache of keys and values.

A new token needs a query, a key and a value of its own, and the keys and values of all tokens before it. These do not
change, since no token sees later ones. So they are kept (the key–value cache), and one row is computed in each layer:

    with the cache      q_n · k_j and A_nj · v_j for one query and n keys:   h·n·(d_k + d_v) multiplications in a layer
    without             for all n queries of the text again:                 h·n²·(d_k + d_v)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from torch import Tensor

from mha_core.errors import N_, ModelError
from mha_core.messages import catalogue
from mha_core.models.foreign import ForeignModel
from mha_core.models.guesses import Guess, guesses
from mha_core.models.runs import AnyLayer, AnyModel, AnyRun, continued, run, tokenize
from mha_core.models.tokenizer import Tokens
from mha_core.quoted import quoted

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


Stopped: TypeAlias = Literal["eos", "steps", "length"]
"""Why no more tokens were added: the last one ends texts, as many were added as were asked for, or the text is as long
as the model takes.
"""


@dataclass(frozen=True, slots=True)
class Generated:
    """A text that a model continued. ``tokens``: the whole text; ``steps``: one for each token that was added;
    ``stopped``: why no more were.
    """

    tokens: Tokens
    steps: tuple[Step, ...]
    stopped: Stopped


def generate(model: AnyModel, text: str, steps: int, most: int = 10) -> Generated:
    """Continue a text by ``steps`` tokens, each the likeliest; ``most`` guesses are given for each.

    Fewer where the model ends the text (``model.ends``), or where it takes no longer one. Raises ``ModelError`` for a
    model that does not continue texts, and for a text that is too long for it to begin with.
    """
    require_continuing(model)
    if not 0 <= steps <= MOST_STEPS:
        raise ModelError(N_("expected 0 to {most} steps, got {got}"), most=MOST_STEPS, got=steps)
    tokens = tokenize(model, text)
    past, taken = run(model, tokens), list[Step]()
    while len(taken) < steps and stopped(model, tokens, len(taken)) == "steps":
        expected = guesses(model, past, len(tokens) - 1, most)
        tokens = extended(model, tokens, expected[0].id)
        past = continued(model, past, expected[0].id)
        layers: Sequence[AnyLayer] = past.layers
        rows = tuple(layer.weights[:, -1] for layer in layers)
        taken.append(Step(tokens, expected, rows, cost(model, past)))
    return Generated(tokens, tuple(taken), stopped(model, tokens, len(taken)))


def require_continuing(model: AnyModel, place: str = "") -> None:
    """Raise ``ModelError`` for a model that does not continue texts."""
    if model.can_continue:
        return
    sentence = N_("this model does not continue a text token by token")
    if isinstance(model, ForeignModel) and model.is_half:
        sentence = N_(
            "this model has an encoder and a decoder; here only models that are a decoder alone, such as GPT-2, "
            "continue a text"
        )
    raise ModelError(sentence, place=place)


def written(model: AnyModel, text: str, steps: int) -> Tokens:
    """The tokens of a text, and as many more, each the likeliest. Raises ``ModelError`` as ``generate`` does."""
    return generate(model, text, steps, 1).tokens if steps else tokenize(model, text)


def stopped(model: AnyModel, tokens: Tokens, added: int) -> Stopped:
    """Why a text ends here whose last ``added`` tokens are the model's: "steps" if it could be continued.

    A token that ends texts counts only if the model added it: the text that it was given may contain some.
    """
    if added and tokens.ids[-1] in model.ends:
        return "eos"
    return "length" if len(tokens) >= model.most_tokens else "steps"


STOPPED: Final[Mapping[Stopped, str]] = {
    "eos": N_("The model added {token}, which ends a text."),
    "steps": N_("As many tokens were added as were asked for: {count}."),
    "length": N_("The text has {length} tokens, and this model takes no longer one."),
}


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


def as_json(model: AnyModel, text: str, steps: int, language: str) -> dict[str, object]:
    """``generate`` as JSON, with a sentence that says why it stopped."""
    done = generate(model, text, steps)
    say, tokens = catalogue(language).gettext, done.tokens
    message = say(STOPPED[done.stopped]).format(
        token=quoted(tokens.texts[-1]).translated(say), count=len(done.steps), length=len(tokens)
    )
    return {
        "format": FORMAT,
        "tokens": tokens.texts,
        "stopped": {"reason": done.stopped, "message": message},
        "steps": [
            {
                "token": step.tokens.texts[-1],
                "guesses": [{"text": one.text, "probability": one.probability} for one in step.guesses],
                "weights": [row.tolist() for row in step.rows],
                "keys_and_values": {"read": step.cost.read, "computed": step.cost.computed},
                "multiplications": {"now": step.cost.products, "whole_text": step.cost.products_whole},
            }
            for step in done.steps
        ],
    }
