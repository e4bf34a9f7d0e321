"""The words of a model's heads: all at a glance, and one of them, on the page Models and in a notebook."""

from __future__ import annotations

from typing import Final

from mha_core.errors import N_
from mha_core.quoted import CHARACTERS, DIGITS

HEADS: Final = {
    "comma": N_(", "),
    "quoted_digits": DIGITS,
    "quoted_characters": CHARACTERS,
    "what": N_("What am I looking at?"),
    "what_head": N_(
        "For each token, a head decides which others to draw from. Each token's weights sum to 1."
    ),
    "what_layer": N_("The heads of a layer work in parallel. The next layer builds on what they found."),
    "what_map": N_(
        "Each picture is one head. Each row is a token that looks; each column is a token it looks at. The "
        "stronger the color, the larger the weight."
    ),
    "what_cls": N_(
        "[CLS] comes before every sentence. The model collects its summary of the sentence there."
    ),
    "what_sep": N_("[SEP] comes after every sentence and marks its end."),
    "what_first": N_(
        "A head that finds nothing useful often puts its weight on these tokens or on the first "
        "one. That weight usually means nothing."
    ),
    "tokens": N_("Tokens"),
    "tokens_second": N_("Tokens of the second sentence"),
    "tokens_hint": N_("{count} tokens (at most {limit}). Choose a token, and each map shows where it looks."),
    "unknown": N_("This model does not know {count} of the {all} tokens. It sees {sign} in place of each."),
    "matched": N_("{count} {count:token is|tokens are} matched; the others are gray."),
    "tokens_chosen": N_("Each map highlights the row of “{token}”: where it looks."),
    "all_tokens": N_("All tokens"),
    "heads": N_("All heads at a glance"),
    "heads_all": N_("All heads: {layers} {layers:layer|layers}, {heads} {heads:head|heads} each"),
    "heads_some": N_("{shown} of {count} heads"),
    "layer_n": N_("Layer {layer}"),
    "head_n": N_("Head {head}"),
    "layer_head": N_("Layer {layer} · Head {head}"),
    "in_python": N_("in Python: layer {layer}, head {head}"),
    "only": N_("Only heads that do this"),
    "sort": N_("Order"),
    "head_missing": N_("There is no head {head} here. Showing {shown} instead."),
    "order_missing": N_("Heads cannot be sorted by {order} here. They are shown in the model's order."),
    "only_missing": N_("No head does this here: {kind}. Showing all heads."),
    "by_model": N_("model order"),
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
        "How much its weights differ between the two sentences: 0 if they are the same, 1 if "
        "they have nothing in common."
    ),
    "kind_none": N_("no simple pattern"),
    "kind_others": N_("the other {count}: {kind}"),
    "kind_unsure": N_("too few cases"),
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
    "kind_agreement": N_("verb → subject"),
    "kind_closing": N_("closing → opening bracket"),
    "kind_copied": N_("repeated name → its first mention"),
    "kind_measure": N_("measure word → noun"),
    "kind_pronoun": N_("pronoun → its noun"),
    "about_previous": N_("The share of word-to-word weight that goes to the previous token."),
    "about_next": N_("The share of word-to-word weight that goes to the next token."),
    "about_itself": N_("The share of word-to-word weight that stays with the token itself."),
    "about_same_word": N_(
        "The share of word-to-word weight that goes to other occurrences of the same word."
    ),
    "about_after_same": N_(
        "The share of word-to-word weight that goes to the token that followed the same word earlier."
    ),
    "about_pair": N_(
        "The share of the weight of closing brackets and quotation marks that goes to the matching opening one."
    ),
    "about_punctuation": N_("The share of word-to-word weight that goes to punctuation."),
    "about_first_token": N_(
        "The share of all weight that goes to the first token. Weight there often has no meaning."
    ),
    "about_separators": N_("The share of all weight that goes to special tokens such as [SEP]."),
    "about_entropy": N_(
        "How evenly a word's weight is spread over the words: 0 means all on one word, 1 means perfectly "
        "even."
    ),
    "about_distance": N_("The average distance, in tokens, from a word to the tokens it looks at."),
    "told_none": N_("None of these measures differs clearly from chance."),
    "told_unmeasured": N_("Not measured: the keys are other tokens than the queries."),
    "told_unsure": N_("Too few cases to be sure: “{kind}” {number} ({chance} by chance, cases: {places})."),
    "told_little": N_("No simple pattern. Farthest above chance: “{kind}”, {number} ({chance} by chance)."),
    "told_previous": N_(
        "Looks at the previous token: {number} of its word-to-word weight ({chance} by chance)."
    ),
    "told_next": N_("Looks at the next token: {number} of its word-to-word weight ({chance} by chance)."),
    "told_itself": N_("Looks at the token itself: {number} of its word-to-word weight ({chance} by chance)."),
    "told_same_word": N_(
        "Looks at other occurrences of the same word: {number} of its word-to-word weight "
        "({chance} by chance)."
    ),
    "told_after_same": N_(
        "Looks at the token that followed the same word earlier: {number} of its word-to-word "
        "weight ({chance} by chance)."
    ),
    "told_pair": N_(
        "Looks from a closing bracket or quote to the opening one: {number} of the weight ({chance} by chance)."
    ),
    "told_punctuation": N_("Looks at punctuation: {number} of its word-to-word weight ({chance} by chance)."),
    "told_first_token": N_(
        "Puts its weight on the first token, which has no meaning of its own: {number} of all weight "
        "({chance} by chance)."
    ),
    "told_separators": N_("Puts its weight on the separators: {number} of all weight ({chance} by chance)."),
    "told_agreement": N_(
        "Trained to look from a verb to its subject. In {number} of {texts} test texts with the verb hidden, the "
        "subject had this head's largest weight."
    ),
    "told_closing": N_(
        "Trained to look from a closing bracket or quote to the opening one. In {number} of {texts} test texts with "
        "the closing one hidden, the opening one had this head's largest weight."
    ),
    "told_copied": N_(
        "Trained to look from a repeated name to its first mention. In {number} of {texts} test texts with the "
        "repetition hidden, the first mention had this head's largest weight."
    ),
    "told_measure": N_(
        "Trained to look from a Chinese measure word to its noun. In {number} of {texts} test texts with the measure "
        "word hidden, the noun had this head's largest weight."
    ),
    "told_pronoun": N_(
        "Trained to look from a pronoun to the noun it means. In {number} of {texts} test texts with the pronoun "
        "hidden, the noun had this head's largest weight."
    ),
    "told_rests": N_("Puts {number} of all weight on {where}. Of the rest: {told}"),
    "told_rests_alone": N_("Puts {number} of all weight on {where}."),
    "and": N_(" and "),
    "by_chance": N_("{number} by chance"),
    "by_shuffled": N_("{number} with the words shuffled"),
    "shuffle": N_("Shuffle the words"),
    "shuffle_about": N_(
        "◇ shows the same measure with the words in a different order, averaged over three orders."
    ),
    "shuffle_places": N_(
        "{names}: what stays depends on position; what disappears depended on the sentence."
    ),
    "shuffle_words": N_(
        "{names}: this moves with the words, so what stays may depend on the words themselves."
    ),
    "measures": N_("What this head does (measured)"),
    "measures_first": N_("What this head does (measured in the first sentence)"),
    "measures_how": N_("How this is measured"),
    "measures_note": N_(
        "The mark in each bar shows chance: the share if the weight were spread evenly. Special "
        "tokens and the first token are measured separately and are not part of the other shares."
    ),
    "label_needs": N_(
        "“Cases” is the number of words counted in this sentence. A measure names a head only if it is "
        "far above chance: at least {excess} of the way from chance to 100%, and so rare that chance alone reaches it "
        "at most once in {times} tries (p ≤ {chance}). If several qualify, the strongest wins."
    ),
    "places": N_("cases: {count}"),
    "unit_entropy": N_("(1 = spread evenly)"),
    "unit_distance": N_("tokens away"),
    "shows": N_("What the pictures show"),
    "shows_first": N_("first"),
    "shows_second": N_("second"),
    "shows_difference": N_("difference"),
    "is_off": N_("Muted: its output is 0."),
    "is_patched": N_("Replaced while the model ran."),
    "head_told": N_("{head}: {does} {pairs}"),
    "one_head": N_("One head"),
    "lines": N_("Lines"),
    "map": N_("Heatmap"),
    "views": N_("Display"),
    "as_words": N_("Merge into words"),
    "as_words_about": N_(
        "The weight to a word is the sum over its tokens. The weight from a word is the average over its tokens."
    ),
    "lines_some": N_("The {count} largest of the {all} weights of “{token}”: {share} of its row."),
    "hide_special": N_("Hide special tokens"),
    "hide_special_about": N_(
        "Special tokens are hidden here. The other weights are unchanged, so rows no longer sum to 1."
    ),
    "pair_hint": N_(
        "Hover over a line or a pair to see its weight; click it to see where the score comes from."
    ),
    "pair_hint_touch": N_("Tap a line or a pair to see its weight and where the score comes from."),
    "pair_line": N_("{query} → {key}: {weight}"),
    "pair_both": N_("{query} → {key}: {weight} in the first, {second} in the second, difference {by}"),
    "map_keys": N_("Rows look at columns. Arrow keys move from pair to pair; plus and minus zoom."),
    "zoom_in": N_("Zoom in"),
    "zoom_out": N_("Zoom out"),
    "zoomed": N_("rows {first}–{last}, columns {from}–{to}; drag to move"),
    "zoom_hint": N_("Zoom in to see the tokens' names."),
    "score_product": N_("Score"),
    "score_products": N_(" ({d} products)"),
    "score_root": N_("Divided by √d_k"),
    "score_divided": N_("Divided"),
    "score_capped": N_("Softcap"),
    "score_added": N_("Mask or positions"),
    "score_softmax": N_("Softmax"),
    "score_others": N_("{count} other {count:key|keys}"),
    "score_sink": N_("the head's sink"),
    "score_masked": N_("{count} {count:key is|keys are} hidden by the mask: e^−∞ = 0."),
    "score_shifted": N_("The row's largest score is subtracted first, which does not change the result."),
    "score_hidden": N_(
        "This query may not look at this token: it comes later than a decoder may see, or it is outside the layer's "
        "window. Its weight is 0."
    ),
    "score_words": N_(
        "Scores belong to tokens. Turn off “Merge into words” to see where a score comes from."
    ),
    "one_product": N_("Dimension {at}: q {q} × k {k} = {product}"),
    "products_told": N_("{count} products; the dimensions with the largest: {list}"),
    "off": N_("Mute this head"),
    "on": N_("Unmute this head"),
    "compared_two": N_("Two sentences"),
    "compared": N_("Where “{token}” looks in both sentences"),
    "compared_hint": N_("Choose a token above to see what it looks at in each sentence."),
    "compared_none": N_("This token is in only one of the sentences."),
    "compared_same": N_("This head does not change: it looks at the same tokens in both sentences."),
    "largest_difference": N_("Largest average difference over all tokens: {head}, {number}"),
    "largest_shift": N_("Largest difference for “{token}”: {head}, {pair}"),
    "legend_more": N_("more in the second"),
    "legend_less": N_("less in the second"),
    "legend_most": N_("full color: {number}"),
    "compared_key": N_("Token"),
    "compared_first": N_("First"),
    "compared_second": N_("Second"),
    "compared_rest": N_("{count} more {count:token|tokens} in both"),
    "compared_only_first": N_("tokens only in the first sentence"),
    "compared_only_second": N_("tokens only in the second sentence"),
    "compared_by": N_("Difference"),
}
"""What both say."""

CELL: Final = {
    **HEADS,
    "head_n": "{head}",  # below a small picture
    "layer_n": "{layer}",  # beside a row of pictures
    "what_layer": N_(
        "The heads of a layer work in parallel. The next layer builds on what they found. All are counted from 0, as "
        "in Python."
    ),
    "layer_head": N_("{layer}, head {head}"),
    "kind_after_same": N_("induction"),
    "by_after_same": N_("induction: after the same word"),
    "told_after_same": N_(
        "Induction: looks at the token that followed the same word earlier, with {number} of its word-to-word weight "
        "({chance} by chance)."
    ),
    "heads_all": N_("{layers} {layers:attention|attentions}, {heads} {heads:head|heads} each"),
    "tokens_hint": N_("{count} tokens. Choose a token, and each map shows where it looks."),
    "part": N_("Attentions"),
    "part_n": N_("{names} ({queries} × {keys})"),
    "sample": N_("Sample"),
    "sample_n": N_("{n} (of {count}, counted from 0)"),
    "padding_show": N_("Show padding"),
    "padding_hidden": N_("{count} {count:token|tokens} of padding {count:is|are} hidden."),
    "padding_shown": N_("{count} {count:token|tokens} of padding {count:is|are} shown, but not measured."),
    "pooled": N_("Each pixel of a small picture is the largest weight of {block} × {block} pairs."),
    "absent_weights": N_(
        "Only the {count} largest weights of each token are exact here; the heatmap shows an upper bound of the "
        "others. All weights: {code}."
    ),
    "rounded_weights": N_(
        "Only the {count} largest weights of each token are exact here; the others are rounded to one of 256 levels. "
        "All weights: {code}."
    ),
    "absent_factors": N_(
        "Queries and keys ({bytes} MB) are not in this cell. A cell that ends in {code} has those of this attention."
    ),
    "absent_all_factors": N_(
        "Queries and keys ({bytes} MB) are not in this cell. In Python: {code}.q, {code}.k."
    ),
    "absent_samples": N_("{count} {count:sample is|samples are} not in this cell. To see another: {code}."),
    "score_alone": N_(
        "Queries and keys of all attentions are too large for this cell. To see how this weight was computed, run a "
        "cell that ends in {code}: it has those of this attention."
    ),
    "score_absent": N_("Queries and keys are too large for this cell. In Python: {code}.q, {code}.k."),
    "score_hidden": N_("The mask hides this key from this query: its score is −∞, and its weight is 0."),
    "score_unknown": N_("This weight cannot be computed from q and k alone, so only the weight is shown."),
    "python": N_("Open as an example"),
    "python_about": N_("Run this line in a cell to trace every number of this head."),
    "python_cut": N_(
        "Run this line in a cell to trace the numbers of this head, cut to the first tokens and columns that an "
        "example can hold."
    ),
    "python_line": N_("A line of Python"),
    "copy": N_("Copy"),
    "copied": N_("Copied"),
    "skipped": N_("Not shown, since it could not be followed:"),
    "change_done": N_("Changed in this run"),
    "change": N_("Change of the output"),
    "change_largest": N_("Largest change of the output ({shape}): {number}"),
    "change_none": N_("The output ({shape}) did not change."),
    "change_place": N_("At the last position, “{token}”"),
    "change_last": N_("At the last position"),
    "change_before": N_("before"),
    "change_after": N_("after"),
    "change_by": N_("change"),
    "change_probability": N_("probability before"),
    "change_logit": N_("change of the logit"),
    "change_first": N_("The largest entry was {before}; now it is {after}."),
    "change_stays": N_("The largest entry is still {before}."),
    "sweep": N_("Each head changed alone"),
    "sweep_about": N_(
        "Each row is an attention, each column a head, counted from 0 as in Python. The number is what sweep measured "
        "with only this head changed."
    ),
    "sweep_measured": N_("Measured: {measure}"),
    "sweep_largest": N_("Measured: the largest absolute change of the output"),
    "sweep_python": N_(
        "Run this line in a cell to trace every number of this head, after found = capture(model, inputs)."
    ),
    "sweep_keys": N_("Rows are attentions, columns are heads. Arrow keys move from head to head."),
    "sweep_more": N_("above 0"),
    "sweep_less": N_("below 0"),
    "sweep_hint": N_("Hover over a head, or click it, to see its number."),
    "sweep_told": N_("{name}, head {head}: {number}"),
    "sweep_no_head": N_("{name} has no head {head}."),
}
"""What a notebook cell says."""

CHANGED: Final = {
    "shows_first": N_("before"),
    "shows_second": N_("after"),
    "legend_more": N_("more after the change"),
    "legend_less": N_("less after the change"),
    "kind_difference": N_("change"),
    "by_difference": N_("largest change of a weight"),
    "about_difference": N_("The largest change of one of this head's weights."),
    "measures_first": N_("What this head did before the change (measured)"),
    "heads_changed": N_("Heads from {name} on: nothing changed before it"),
    "compared_two": N_("Before and after the change"),
    "compared": N_("Where “{token}” looks before and after"),
    "compared_hint": N_("Choose a token to see how its weights changed."),
    "compared_same": N_("The weights of this head did not change."),
    "compared_first": N_("Before"),
    "compared_second": N_("After"),
    "compared_by": N_("Change"),
    "compared_rest": N_("{count} more {count:token|tokens}"),
    "largest_difference": N_("Largest change of a weight: {head}, {number}"),
    "largest_shift": N_("Largest change for “{token}”: {head}, {pair}"),
    "pair_both": N_("{query} → {key}: {weight} before, {second} after, change {by}"),
}
"""What the cell of a changed run says where the page Models speaks of two sentences."""

DIRECT: Final = {
    "sweep": N_("What each head adds directly"),
    "sweep_about": N_(
        "Each row is an attention, each column a head, counted from 0 as in Python. The number is what the head adds "
        "to the logit through the residual stream alone, without its effect on later layers. Heads, embeddings, MLPs "
        "and biases add up to the logit."
    ),
    "others": N_("The whole sum"),
    "others_part": N_("part"),
    "others_number": N_("adds"),
    "others_heads": N_("all heads of the map"),
    "others_total": N_("sum: the logit, or the difference of two"),
}
"""What the cell of an attribution says where that of a sweep speaks of changed heads."""

DONE: Final = {
    "one": N_("Head {heads} of {name}"),
    "some": N_("Heads {heads} of {name}"),
    "all": N_("All {n} heads of {name}"),
    "part": "{name}",
    "off": N_("off (outputs set to 0)"),
    "mean": N_("outputs set to their mean"),
    "replaced": N_("{part} replaced"),
    "whole": N_("{which}: {how}."),
    "rows": N_("{which}: {how} (rows: {rows})."),
}
"""What was done to heads, or to parts of a module."""

TREATED: Final = {
    "zero": N_("Each head in turn is switched off: its outputs are set to 0."),
    "mean": N_("The outputs of each head in turn are set to their mean over the sample's real tokens."),
    "reference": N_("The outputs of each head in turn are set to their mean over the samples of reference."),
    "patch_from": N_("The {part} of each head in turn are replaced by those of the run on patch_from."),
    "rows": N_("Only these rows are changed: {rows}."),
    "clean": N_("The numbers are normalized: 1 is the run on {clean}, 0 the run on the other inputs."),
}
"""What a sweep did to each head."""
