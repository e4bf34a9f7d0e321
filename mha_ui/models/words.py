"""The words of the page Models, and the sentences that it offers."""

from __future__ import annotations

from typing import Final, TypedDict

from mha_core.errors import N_
from mha_core.quoted import CHARACTERS, DIGITS
from mha_view.language import words_in


class OfferedTexts(TypedDict):
    """One sentence or two to compare, for visitors with this language."""

    language: str
    texts: list[str]


EXAMPLES: Final[tuple[OfferedTexts, ...]] = (
    {"language": "en", "texts": ["The cat sat on the mat because it was tired."]},
    {"language": "zh", "texts": ["小猫在垫子上睡觉，因为它很累。"]},
    {
        "language": "en",
        "texts": [
            "The animal didn't cross the street because it was too tired.",
            "The animal didn't cross the street because it was too wide.",
        ],
    },
    {"language": "en", "texts": ["The teacher (who had just come) asked: “Are you tired?”"]},
    {"language": "zh", "texts": ["动物没有过街道，因为它太累了。", "动物没有过街道，因为它太宽了。"]},
    {"language": "zh", "texts": ["老师问学生（他们刚到）：“谁累了？”"]},
    {"language": "en", "texts": ["The keys on the table are new."]},
    {"language": "zh", "texts": ["The teacher ate the bread. 老师吃了面包。"]},
)
"""Sentences that are offered. The first is shown at the beginning; two sentences are compared with each other."""

_WORDS: Final = {
    "ask": N_("A sentence through a model"),
    "sentence": N_("Your sentence"),
    "second": N_("A second sentence, to compare"),
    "second_remove": N_("Without the second sentence"),
    "compare": N_("Second sentence"),
    "run": N_("Run"),
    "examples": N_("For example"),
    "model": N_("Model"),
    "unreachable": N_("The server does not answer; what stands here is kept. Try again in a moment."),
    "cut": N_("Read the first {count} characters"),
    "quoted_digits": DIGITS,
    "quoted_characters": CHARACTERS,
    "stale": N_("What stands below is still of {text}."),
    "what": N_("What am I looking at?"),
    "what_head": N_(
        "A head decides for each token from which others it takes something over; its weights from one token add up "
        "to 1."
    ),
    "what_layer": N_("The heads of a layer work side by side; the next layer goes on with what they found."),
    "what_map": N_(
        "Each picture is one head: a row is a token that looks, a column one that is looked at, and the stronger the "
        "colour, the more weight."
    ),
    "what_cls": N_("[CLS] stands before every sentence; what the model makes of the sentence gathers there."),
    "what_sep": N_("[SEP] stands after every sentence and says that it ends."),
    "what_first": N_(
        "Weight that a head has no use for rests on such places, often the first token: they mean nothing by "
        "themselves."
    ),
    "waiting": N_("The model is reading …"),
    "tokens": N_("Tokens"),
    "tokens_second": N_("Tokens of the second sentence"),
    "tokens_hint": N_("{count} tokens of at most {limit}. Choose one: every map shows where it looks."),
    "unknown": N_(
        "{count} of {all} tokens are unknown to this model: it sees the same sign, {sign}, for each."
    ),
    "matched": N_("{count} tokens are matched; the others are grey."),
    "tokens_chosen": N_("Every map shows where “{token}” looks: its row stands out."),
    "all_tokens": N_("All tokens"),
    "heads": N_("All heads at a glance"),
    "heads_all": N_("All heads: {layers} layers of {heads} each"),
    "heads_some": N_("{shown} of {count} heads"),
    "layer_n": N_("Layer {layer}"),
    "head_n": N_("Head {head}"),
    "layer_head": N_("Layer {layer} · Head {head}"),
    "only": N_("Only heads that do this"),
    "sort": N_("Order"),
    "head_missing": N_("There is no head {head} here: {shown} is shown."),
    "order_missing": N_("Heads cannot be sorted by {order} here: they stand as in the model."),
    "only_missing": N_("No head does this here: {kind}. All heads are shown."),
    "off_missing": N_(
        "There is no head {head} here to switch off: the model has {layers} layers of {heads} heads."
    ),
    "by_model": N_("as in the model"),
    "by_difference": N_("difference between the sentences"),
    "by_previous": N_("previous token"),
    "by_next": N_("next token"),
    "by_itself": N_("itself"),
    "by_same_word": N_("same word"),
    "by_after_same": N_("after the same word"),
    "by_pair": N_("opening bracket or quote"),
    "by_punctuation": N_("punctuation"),
    "by_first_token": N_("first token"),
    "by_separators": N_("separators"),
    "by_entropy": N_("entropy: highest first"),
    "by_least_entropy": N_("entropy: lowest first"),
    "by_distance": N_("distance: farthest first"),
    "by_least_distance": N_("distance: nearest first"),
    "kind_difference": N_("difference"),
    "about_difference": N_(
        "How far its weights differ between the two sentences: 0 where it looks alike in both, 1 where nowhere in "
        "common."
    ),
    "kind_none": N_("nothing stands out"),
    "kind_unsure": N_("too few places"),
    "kind_previous": N_("previous token"),
    "kind_next": N_("next token"),
    "kind_itself": N_("itself"),
    "kind_same_word": N_("same word"),
    "kind_after_same": N_("after the same word"),
    "kind_pair": N_("opening bracket"),
    "kind_punctuation": N_("punctuation"),
    "kind_first_token": N_("first token"),
    "kind_separators": N_("separators"),
    "kind_entropy": N_("entropy"),
    "kind_distance": N_("distance"),
    "about_previous": N_("The share of the weight between words that goes to the token before."),
    "about_next": N_("The share of the weight between words that goes to the token after."),
    "about_itself": N_("The share of the weight between words that stays with the token itself."),
    "about_same_word": N_(
        "The share of the weight between words that goes to other places of the same word."
    ),
    "about_after_same": N_(
        "The share of the weight between words that goes to what followed the same word earlier on."
    ),
    "about_pair": N_(
        "From a closing bracket or quotation mark: the share that goes to the one that opened it."
    ),
    "about_punctuation": N_(
        "The share of the weight between words that goes to commas, full stops and other signs."
    ),
    "about_first_token": N_(
        "The share of all weight that rests on the first token, a resting place that means nothing by itself."
    ),
    "about_separators": N_("The share of all weight that rests on special tokens such as [SEP]."),
    "about_entropy": N_("How widely words spread their weight over words: 0 on one alone, 1 evenly."),
    "about_distance": N_("How many tokens away words look, on average."),
    "told_none": N_("Nothing that is measured here stands out from chance."),
    "told_unsure": N_(
        "Too few places to be sure: {kind} {number}, {chance} would be by chance (places: {places})."
    ),
    "told_little": N_(
        "Little stands out from chance; most of all {kind}: {number}, {chance} would be by chance."
    ),
    "told_previous": N_(
        "Looks at the previous token: {number} of the weight between words goes there, {chance} would by chance."
    ),
    "told_next": N_(
        "Looks at the next token: {number} of the weight between words goes there, {chance} would by chance."
    ),
    "told_itself": N_(
        "Looks at the token itself: {number} of the weight between words stays there, {chance} would by chance."
    ),
    "told_same_word": N_(
        "Looks at other places of the same word: {number} of the weight between words goes there, {chance} would by "
        "chance."
    ),
    "told_after_same": N_(
        "Looks at what followed the same word earlier: {number} of the weight between words goes there, {chance} "
        "would by chance."
    ),
    "told_pair": N_(
        "Looks from a closing bracket or quote to the opening one: {number} of the weight goes there, {chance} would "
        "by chance."
    ),
    "told_punctuation": N_(
        "Looks at punctuation: {number} of the weight between words goes there, {chance} would by chance."
    ),
    "told_first_token": N_(
        "Rests on the first token, a place that means nothing by itself: {number} of all weight, {chance} would be by "
        "chance."
    ),
    "told_separators": N_("Rests on the separators: {number} of all weight, {chance} would be by chance."),
    "told_rests": N_("Rests mostly on {where}, with {number} of all weight. Of what remains: {told}"),
    "told_rests_alone": N_("Rests mostly on {where}, with {number} of all weight."),
    "and": N_(" and "),
    "by_chance": N_("{number} by chance"),
    "by_shuffled": N_("{number} with the words shuffled"),
    "shuffle": N_("Shuffle the words"),
    "shuffle_about": N_("What the head does with the same words in other orders, on average of three: ◇."),
    "shuffle_places": N_(
        "{names}: what stays is a matter of places; what goes was a matter of the sentence."
    ),
    "shuffle_words": N_(
        "{names}: the words take this along, so what stays may be a matter of the words themselves."
    ),
    "measures": N_("What it does, measured"),
    "measures_first": N_("What it does, measured in the first sentence"),
    "measures_note": N_(
        "The mark in each bar is what chance gives: the same weight, spread evenly. Special tokens and the first one "
        "are measured by themselves, and are no part of the other shares."
    ),
    "label_needs": N_(
        "Beside each measure stands at how many places of this sentence it was taken. A head is named after what goes "
        "at least {excess} of the way from chance to always, where chance alone would reach it with a probability of "
        "at most {chance}; of several after the one that is farthest from chance."
    ),
    "places": N_("places: {count}"),
    "unit_entropy": N_("of evenly"),
    "unit_distance": N_("tokens away"),
    "shows": N_("What the pictures show"),
    "shows_first": N_("first"),
    "shows_second": N_("second"),
    "shows_difference": N_("difference"),
    "is_off": N_("Switched off: its outputs are 0."),
    "head_told": N_("{head}: {does} {pairs}"),
    "one_head": N_("One head"),
    "lines": N_("Lines"),
    "map": N_("Map"),
    "views": N_("How it is drawn"),
    "as_words": N_("Pieces as words"),
    "as_words_about": N_(
        "The weight to a word is the sum over its pieces; the weight from a word is the mean over its pieces."
    ),
    "no_lines": N_("Lines are drawn for up to {most} tokens; the map shows them all."),
    "hide_special": N_("Hide special tokens"),
    "hide_special_about": N_(
        "Special tokens are hidden here, and the other weights stay as they are: rows no longer add up to 1."
    ),
    "pair_hint": N_("Point at a line or a pair for its weight; click it to see where the score comes from."),
    "pair_hint_touch": N_("Tap a line or a pair for its weight, and where the score comes from."),
    "pair_line": N_("{query} → {key}: {weight}"),
    "pair_both": N_("{query} → {key}: {weight} in the first, {second} in the second, difference {by}"),
    "map_keys": N_("Rows look at columns. Arrows move from pair to pair, plus and minus zoom."),
    "zoom_in": N_("Nearer"),
    "zoom_out": N_("Further"),
    "zoomed": N_("rows {first}–{last}, columns {from}–{to}; drag to move"),
    "zoom_hint": N_("Nearer, the tokens have names."),
    "score_line": N_(
        "q·k = {score}, the sum of {d} products; ÷ √d_k = {divisor} gives {scaled}; softmax over {keys} keys makes "
        "the weight {weight} of it."
    ),
    "score_hidden": N_("This token comes later: a decoder does not see it, and its weight is 0."),
    "score_words": N_("Scores are of pieces: show pieces to see where one comes from."),
    "one_product": N_("Dimension {at}: q {q} × k {k} = {product}"),
    "products_told": N_("{count} products; the largest by dimension: {list}"),
    "off": N_("Switch this head off"),
    "on": N_("Switch this head on"),
    "word": N_("With “{token}” hidden, the model gives it {before}, rank {rank}."),
    "word_off": N_("With “{token}” hidden, the model gives it {before} → {after}, rank {rank} → {now}."),
    "word_causal": N_("After “{place}” the text has “{token}”: {before}, rank {rank}."),
    "word_off_causal": N_("After “{place}” the text has “{token}”: {before} → {after}, rank {rank} → {now}."),
    "likeliest": N_("{told} Likeliest: “{word}” {number}."),
    "likeliest_now": N_("{told} Likeliest now: “{word}” {number}."),
    "effect": N_("With “{token}” hidden, the model guesses “{word}” with {before}."),
    "effect_off": N_(
        "Guess for the hidden “{token}”: “{word}” {before} → {now}; likeliest now: “{likeliest}”."
    ),
    "mask": N_("For “{token}” the model guesses {list}."),
    "mask_off": N_("Guess for “{token}”: “{word}” {before} → {now}; likeliest now: “{likeliest}”."),
    "effect_causal": N_("After “{token}”, the model expects “{word}” with {before}."),
    "effect_off_causal": N_(
        "Expected after “{token}”: “{word}” {before} → {now}; likeliest now: “{likeliest}”."
    ),
    "to_bench": N_("To the bench"),
    "to_bench_about": N_(
        "The model's own numbers of these heads, exact, as an example: to check, to walk through, to export."
    ),
    "to_bench_heads": N_("Heads of layer {layer}"),
    "to_bench_all": N_("All of them"),
    "to_bench_start": N_("Where the example starts"),
    "to_bench_x": N_("from X and W"),
    "to_bench_q": N_("from Q, K, V"),
    "to_bench_x_about": N_(
        "The whole computation of the heads; most such examples are too large for a link."
    ),
    "to_bench_q_about": N_("Without the projections, and so small that a link mostly holds it."),
    "to_bench_open": N_("Open on the bench"),
    "to_bench_long": N_("The bench takes up to {most} tokens; this sentence has {count}."),
    "to_bench_most": N_("The bench takes up to {most} heads."),
    "compared_two": N_("Two sentences"),
    "compared": N_("Where “{token}” looks, in both"),
    "compared_hint": N_("Choose a token above: here stands what it looks at in each sentence."),
    "compared_none": N_("This token stands in one of the sentences alone."),
    "compared_same": N_("This head does not change: it looks alike in both sentences."),
    "largest_difference": N_("Largest difference, on average over tokens: {head}, {number}"),
    "largest_shift": N_("Largest difference for “{token}”: {head}, {pair}"),
    "legend_more": N_("more in the second"),
    "legend_less": N_("less in the second"),
    "legend_most": N_("full colour: {number}"),
    "compared_key": N_("Token"),
    "compared_first": N_("First"),
    "compared_second": N_("Second"),
    "compared_rest": N_("{count} more in both"),
    "compared_only_first": N_("tokens only in the first sentence"),
    "compared_only_second": N_("tokens only in the second sentence"),
    "compared_by": N_("Difference"),
    "ablate": N_("What if heads were missing?"),
    "ablate_hint": N_(
        "Choose the word that the model has to guess, and switch heads off: their outputs are 0 from then on. "
        "To guess, the model reads the sentence with this word hidden; the pictures show it as it stands."
    ),
    "ablate_hint_causal": N_(
        "Choose the token after which the model has to go on, and switch heads off: their outputs are 0 from then on."
    ),
    "guess_place": N_("The word to guess"),
    "guess_place_causal": N_("Go on after"),
    "switches": N_("Heads: press one to switch it off, a layer for all of it"),
    "switch": N_("Layer {layer} · Head {head}"),
    "switch_layer": N_("Layer {layer}"),
    "all_on": N_("Switch all on"),
    "before": N_("All heads"),
    "after": N_("Without {count} of {all}"),
    "guess_none": N_("No word is chosen yet."),
    "guess_same": N_("Switch heads off to see what becomes of these."),
}


def ui_words(language: str) -> dict[str, str]:
    """Every sentence of the page by name."""
    words = words_in(language)
    return {name: words(text) for name, text in _WORDS.items()}
