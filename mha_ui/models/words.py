"""The words of the page Models, and the sentences that it offers."""

from __future__ import annotations

from typing import Final, NotRequired, TypedDict

from mha_core.errors import N_
from mha_view.heads.words import HEADS
from mha_view.language import words_in


class OfferedTexts(TypedDict):
    """One sentence or two to compare, for visitors with this language.

    ``head`` and ``guess``: the head and the hidden token with which our own model's page opens the sentence.
    """

    language: str
    texts: list[str]
    head: NotRequired[tuple[int, int]]
    guess: NotRequired[int]


EXAMPLES: Final[tuple[OfferedTexts, ...]] = (
    {"language": "en", "texts": ["The boys lost the ring before they left."], "head": (3, 1), "guess": 7},
    {"language": "zh", "texts": ["小猫的名字是星星。他在找星星。"], "head": (2, 0), "guess": 10},
    {"language": "en", "texts": ["The cat sat on the mat because it was tired."]},
    {"language": "zh", "texts": ["小猫在垫子上睡觉，因为它很累。"]},
    {
        "language": "en",
        "texts": [
            "The animal didn't cross the street because it was too tired.",
            "The animal didn't cross the street because it was too wide.",
        ],
    },
    {"language": "en", "texts": ["The teacher (who had just arrived) asked, “Are you tired?”"]},
    {"language": "zh", "texts": ["这只动物没有过马路，因为它太累了。", "这只动物没有过马路，因为它太宽了。"]},
    {"language": "zh", "texts": ["老师问学生（他们刚到）：“谁累了？”"]},
    {"language": "en", "texts": ["The keys on the table are new."]},
    {"language": "zh", "texts": ["The teacher ate the bread. 老师吃了面包。"]},
)
"""Sentences that are offered, those in the reader's language first. The page opens with the first one, in which the
model guesses a hidden word and needs one head for it. Two sentences are compared with each other."""

_WORDS: Final = {
    **HEADS,
    "ask": N_("Run a sentence through a model"),
    "sentence": N_("Your sentence"),
    "titled": N_("{name}: {text}"),
    "second": N_("A second sentence to compare"),
    "second_remove": N_("Remove the second sentence"),
    "compare": N_("Second sentence"),
    "run": N_("Run"),
    "examples": N_("For example"),
    "model": N_("Model"),
    "unreachable": N_("The server does not respond. Nothing here is lost. Try again in a moment."),
    "cut": N_("Use the first {count} characters"),
    "stale": N_("The results below are still for this text: {text}"),
    "waiting": N_("The model is reading …"),
    "off_missing": N_(
        "There is no head {head} to mute: the model has {layers} {layers:layer|layers} of {heads} "
        "{heads:head|heads}."
    ),
    "word": N_("With “{token}” hidden, the model gives it a probability of {before} (rank {rank})."),
    "word_off": N_("“{token}” is hidden. With {muted}, its probability {change} ({rank})."),
    "word_causal": N_(
        "After “{place}”, the text continues with “{token}”: probability {before} (rank {rank})."
    ),
    "word_off_causal": N_(
        "After “{place}”, the text continues with “{token}”. With {muted}, its probability {change} ({rank})."
    ),
    "muted_one": N_("layer {layer}, head {head} muted"),
    "muted_many": N_("{count} heads muted"),
    "likely_fell": N_("falls from {before} to {after}"),
    "likely_rose": N_("rises from {before} to {after}"),
    "likely_stays": N_("stays at {after}"),
    "computing_one": N_("Computing without this head…"),
    "computing_many": N_("Computing without these heads…"),
    "computing_all": N_("Computing with all heads…"),
    "rank_moves": N_("rank {rank} to {now}"),
    "rank_stays": N_("rank {now}"),
    "likeliest": N_("{told} Most likely: “{word}” {number}."),
    "likeliest_now": N_("{told} Most likely now: “{word}” {number}."),
    "effect": N_("With “{token}” hidden, the model's best guess is “{word}” ({before})."),
    "effect_off": N_(
        "“{token}” is hidden. With {muted}, the probability of “{word}” {change}. Most likely now: “{likeliest}”."
    ),
    "mask": N_("For “{token}”, the model guesses {list}."),
    "mask_off": N_(
        "Guess for “{token}”: with {muted}, the probability of “{word}” {change}. Most likely now: “{likeliest}”."
    ),
    "effect_causal": N_("After “{token}”, the model expects “{word}” ({before})."),
    "effect_off_causal": N_(
        "After “{token}”, with {muted}, the probability of “{word}” {change}. Most likely now: “{likeliest}”."
    ),
    "next": N_("Add the next token"),
    "next_back": N_("Remove it"),
    "next_about": N_("The model can continue the text: it adds the token that it expects most."),
    "next_row": N_(
        "The model added “{token}”. Its row is the only new one in every map: no earlier token looks at it, so the "
        "rows above stay the same."
    ),
    "next_ended": N_(
        "The model added “{token}”, which ends the text. Its row is the only new one in every map."
    ),
    "next_full": N_(
        "The text has {count} tokens. No more can be added, since a longer text cannot be shown."
    ),
    "next_cost": N_(
        "{read} numbers of keys and values came from the cache, and {computed} were computed. In the heads, the new "
        "row took {products} multiplications; the whole text again would take {whole}."
    ),
    "next_recomputed": N_(
        "The whole text was computed again, without a cache: {computed} numbers of keys and values, and {products} "
        "multiplications in the heads."
    ),
    "next_off": N_("These tokens are the ones that the model expects with all its heads."),
    "to_bench": N_("Open in Explore"),
    "to_bench_about": N_(
        "Open the exact numbers of these heads as an example that you can check, step through and export."
    ),
    "to_bench_heads": N_("Heads of layer {layer}"),
    "to_bench_all": N_("All"),
    "to_bench_start": N_("Where the example starts"),
    "to_bench_x": N_("from X and W"),
    "to_bench_q": N_("from Q, K, V"),
    "to_bench_x_about": N_("The full computation of the heads. Most such examples are too large for a link."),
    "to_bench_q_about": N_("Without the projections. Such an example usually fits into a link."),
    "to_bench_open": N_("Open in Explore"),
    "to_bench_long": N_("Explore can show up to {most} tokens. This sentence has {count}."),
    "to_bench_most": N_("Explore can show up to {most} heads."),
    "ablate": N_("What if some heads were missing?"),
    "ablate_hint": N_(
        "Choose the word that the model has to guess, and mute heads: their outputs become 0. For "
        "the guess, the model reads the sentence with this word hidden. The maps still show the "
        "full sentence."
    ),
    "ablate_hint_causal": N_(
        "Choose the token after which the model continues, and mute heads: their outputs become 0."
    ),
    "guess_place": N_("The word to guess"),
    "guess_place_causal": N_("Continue after"),
    "switches": N_("Click a head, or a whole layer, to mute it"),
    "switch": N_("Layer {layer} · Head {head}"),
    "switch_layer": N_("Layer {layer}"),
    "all_on": N_("Unmute all"),
    "before": N_("All heads"),
    "after": N_("Without {count} of {all}"),
    "guess_none": N_("No word is chosen yet."),
    "guess_same": N_("Mute heads to see how the guesses change."),
}


def ui_words(language: str) -> dict[str, str]:
    """Every sentence of the page by name."""
    words = words_in(language)
    return {name: words(text) for name, text in _WORDS.items()}
