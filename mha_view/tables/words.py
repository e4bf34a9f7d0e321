"""What the tables of the computation say, besides their numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mha_core.errors import N_
from mha_core.messages import LANGUAGE
from mha_core.quoted import CHARACTERS, DIGITS
from mha_view.about import PLAINLY
from mha_view.language import words_in
from mha_view.lenses.change import CHOICES

WORDS: Final = {
    "bench": N_("Matrix bench"),
    "lead": N_("Each token looks at the tokens and takes along a mix of them, every head in its own way."),
    "overview": N_("Overview: who attends to whom"),
    "plainly": PLAINLY,
    "overview_tokens": N_("Tokens"),
    "overview_hint": N_(
        "Point at a line or a bar to see its number, and click it to go there. Click a token to see it alone."
    ),
    "overview_hint_touch": N_("Tap a line to go to its weight. Tap a token to see it alone."),
    "overview_maps": N_("Weights as maps"),
    "overview_hint_map": N_(
        "A row is a token that looks, a column one that it looks at: the stronger the colour, the larger the weight."
    ),
    "sentence": N_("Your sentence"),
    "sentence_context": N_("The sentence that it attends to"),
    "sentence_use": N_("Use these words"),
    "chip_hint": N_(
        "Drag a word to move it, click it to rewrite it: a space splits it, Backspace at its start joins it to the one "
        "before. By keyboard: Alt with ← → moves it, Delete takes it out."
    ),
    "chip_hint_touch": N_(
        "Press a word and slide to move it, tap it to rewrite it: a space splits it, deleting at its start joins it to "
        "the one before."
    ),
    "sentence_vectors": N_(
        "Each new word gets a row of small whole numbers, always the same ones: made up, not learned by any model."
    ),
    "sentence_learned": N_("With a model's vectors"),
    "sentence_learned_about": N_(
        "Or take what our own small model has learned: its vectors of the sentence, and heads of it."
    ),
    "chip_place": N_("{word}: {at} of {count}"),
    "sentence_rest": N_("the first {most}; {rest} more are left out"),
    "sentence_signs": N_(
        "Signs are no words and are left out: {signs} (to keep one, type it in place of a word)"
    ),
    "overview_taken": N_("What each token takes along"),
    "overview_concat": N_("the heads' outputs, side by side"),
    "overview_output": N_("the heads' outputs, and what W_O makes of them"),
    "overview_pair": N_("{query} attends most to {key}, {weight}"),
    "overview_none": N_("{query} attends to nothing"),
    "overview_and": N_("; "),
    "was_before": N_("was {before} before the last edit"),
    "moved_weights": N_("{changed} of {all} weights changed; most: head {head}, {tokens}, {before} → {now}"),
    "moved_outputs": N_(
        "No weight changed; {changed} of {all} outputs did, most {place}, {tokens}: {before} → {now}"
    ),
    "start_step": N_("First steps: {step} of {all}"),
    "start_next": N_("Next"),
    "start_end": N_("Done"),
    "start_drag": N_("Drag this number sideways, or type another."),
    "start_drag_touch": N_("Press this number for a moment, then slide sideways."),
    "start_watch": N_(
        "Drag the number {place} again and watch these lines: the thicker a line, the more one token takes from "
        "another."
    ),
    "start_watch_touch": N_(
        "Press the number {place} and slide again, and watch these lines: the thicker a line, the more one token takes "
        "from another."
    ),
    "start_why": N_("Point at this number: the line below the tables shows how it is worked out."),
    "start_why_touch": N_("Tap this number: the line below the tables shows how it is worked out."),
    "head": N_("Head"),
    "heads": N_("heads"),
    "heads_shown": N_("Heads whose tables are shown"),
    "heads_fit": N_("{shown} of {all} heads fit below (not {list}); press one for its tables."),
    "heads_unshown": N_("Heads not shown: {list}"),
    "heads_now": N_("Shown: heads {list}"),
    "token": N_("token"),
    "tokens": N_("tokens"),
    "more": N_("… {count} more"),
    "more_rows": N_("Show {count} more rows"),
    "more_columns": N_("Show {count} more columns"),
    "fold_again": N_("Fold"),
    "copy_head": N_("Copy head"),
    "remove": N_("Remove"),
    "menu": N_("Copy, download, fill"),
    "copy": N_("Copy for a spreadsheet"),
    "csv": N_("Download as CSV"),
    "fill_zeros": N_("Fill with zeros"),
    "fill_identity": N_("Fill with the identity"),
    "fill_integers": N_("Fill with small integers"),
    "fill_random": N_("Fill with random numbers"),
    "controls": N_("Layer controls"),
    "history": N_("History"),
    "undo": N_("Undo (Ctrl+Z)"),
    "redo": N_("Redo (Ctrl+Shift+Z)"),
    "reset": N_("Back to where this example started"),
    "sizes": N_("Sizes"),
    "layer": N_("Layer"),
    "view": N_("View"),
    "biases": N_("Biases"),
    "context": N_("Own context"),
    "mask": N_("Mask"),
    "mask_none": N_("none"),
    "mask_causal": N_("causal"),
    "mask_painted": N_("by hand"),
    "mask_this": N_("Mask this pair in all heads"),
    "unmask": N_("Let this pair attend in all heads"),
    "kv_heads": N_("K, V heads"),
    "shared": N_("{list} of head {head}"),
    "no_direction": N_("a row of zeros has no direction and stays zeros"),
    "divisor": N_("Divide by"),
    "temperature": N_("Temperature"),
    "scale_none": N_("nothing"),
    "scale_number": N_("a number"),
    "for_scoring": N_("how a query and a key make a score"),
    "for_divisor": N_("what the scores are divided by, before softmax"),
    "for_mask": N_("which tokens a token may look at"),
    "for_positions": N_("how tokens tell where they stand"),
    "for_values": N_("without values the heads end at their weights"),
    "for_w_o": N_("mixes the heads' outputs into one"),
    "for_biases": N_("a number added to every column"),
    "for_context": N_("keys and values come from another sentence"),
    "for_kv_heads": N_("heads may share their keys and values"),
    "for_decimals": N_("how many digits are shown"),
    "for_lens": N_("what the colours of the tables show"),
    "for_baseline": N_("what later numbers are compared with"),
    "decimals": N_("Decimals"),
    "lens": N_("Colour by"),
    "lens_values": N_("values"),
    "lens_change": N_("change"),
    "lens_gradient": N_("gradient"),
    "lens_about": N_("What the colours show"),
    "baseline": N_("Baseline"),
    "baseline_pin": N_("Pin as baseline"),
    "baseline_again": N_("Pin anew"),
    "baseline_pinned": N_("baseline pinned"),
    "baseline_clear": N_("Let go of the baseline"),
    "was": N_("was {before}, now {now} ({by})"),
    "was_without": N_("was {before}, now {now}"),
    "unchanged": N_("as in the baseline"),
    "no_counterpart": N_("no counterpart in the baseline"),
    "derivative": N_("derivative {number}"),
    "derivative_target": N_("its derivative is what the colours show"),
    "derivative_later": N_("no derivative: this step comes after {place}"),
    "derivative_mask": N_("no derivative: a pair may attend or not"),
    "legend_change": N_("▲ larger, ▼ smaller, • new; each table on a scale of its own."),
    "legend_gradient": N_(
        "↗ grows, ↘ falls; one scale for all tables. Click a computed number, or press Enter on it, to take its "
        "derivative instead."
    ),
    "legend_gradient_touch": N_(
        "↗ grows, ↘ falls; one scale for all tables. Tap a computed number to take its derivative instead."
    ),
    "hint": N_(
        "Point at a number to see where it comes from; click it to hold it. A framed number can be typed over, or "
        "dragged sideways."
    ),
    "hint_touch": N_("Tap a number to see where it comes from. Press a framed one and slide to change it."),
    "hint_check": N_(
        "Type into the blank cells; Tab and Enter lead on. Point at a number to see what is known of it."
    ),
    "hint_check_touch": N_("Type into the blank cells. Tap a number to see what is known of it."),
    "verdict": N_("What the check found"),
    "first_wrong": N_("Look here first"),
    "cannot_be": N_("What cannot be, whatever X and W are"),
    "right": N_("right"),
    "solution": N_("Show the solution"),
    "yours": N_("yours"),
    "or": N_("Or:"),
    "see_step": N_("See this step"),
    "mark_told": N_("{mark}."),
    "mark_right": N_("right"),
    "mark_own": N_("wrong"),
    "mark_follows": N_("wrong, but it only follows from an earlier number"),
    "mark_copied": N_("wrong, but copied from the heads"),
    "mark_doubtful": N_("not what rounding gives"),
    "mark_coarse": N_("right as far as it is rounded: give at least two decimals to be sure"),
    "mark_nearly": N_("right but for its last digit, which is off by one"),
    "claim_text": N_("Fill in from text"),
    "claim_formats": N_("A block from a spreadsheet, [[1, 2], [3, 4]], LaTeX, Markdown or CSV."),
    "fill_in": N_("Fill in"),
    "clear": N_("Clear"),
    "feeds": N_("used by {list}"),
    "feeds_one": N_("1 number of {table}"),
    "feeds_many": N_("{count} numbers of {table}"),
    "feeds_also": N_("{count} of {table}"),
    "feeds_and": N_(", "),
    "shifted": N_("the row's largest is taken off first; that changes nothing"),
    "unpin": N_("Let go"),
    "whole_path": N_("Whole path"),
    "path_above": N_("↑ to {list}"),
    "path_below": N_("↓ to {list}"),
    "crumbs": N_("The way here"),
    "hidden": N_("this pair is hidden"),
    "visible": N_("this pair may attend"),
    "dead_row": N_("nothing is visible to this token, so its weights and output are 0"),
    "dismiss": N_("Close"),
    "copied": N_("Copied."),
    "computed": N_("{place} is computed from {list}: change one of those."),
    "fixed": N_("{place} cannot be changed here."),
    "place_of_head": N_("{place} of head {head}"),
    "place_with_tokens": N_("{place} ({tokens})"),
    "paint_here": N_("Set the mask here: click a pair to hide it or let it attend, drag over many."),
    "paint_here_touch": N_("Set the mask here: tap a pair to hide it or let it attend."),
    "at_hand": N_("At hand"),
    "show_overview": N_("Overview"),
    "stage_before": N_("The step before"),
    "stage_next": N_("The next step"),
    "quoted_digits": DIGITS,
    "quoted_characters": CHARACTERS,
    "wrong_not_a_number": N_("{place}: {text} is no number."),
    "wrong_too_large": N_("{place}: {text} is too large; numbers go from −{most} to {most}."),
    "wrong_comma": N_(
        "{place}: {text} has a comma; write a point before the decimals, as in 1.5, and nothing between thousands."
    ),
    "wrong_fraction": N_("{place}: {text} is a fraction; write it as a decimal number, such as 0.5."),
    "wrong_not_allowed": N_("{place}: {text} is neither 1 (may attend) nor 0 (hidden)."),
    "not_a_divisor": N_("{text} is no divisor: a number other than 0 is wanted."),
    "still_counts": N_("{what} What stood there still counts."),
    "stays_blank": N_("{what} It counts as blank."),
    "nothing_changed": N_("{what} Nothing was changed."),
    "pasted_place": N_("Row {row}, column {col} of what was pasted"),
}
"""By the name that the browser asks for."""


@lru_cache(maxsize=4)
def ui_words(language: str) -> dict[str, str]:
    """What the tables say, in one language."""
    words = words_in(language)
    return {
        "lang": LANGUAGE[language].tag,
        **{name: words(text) for name, text in (WORDS | CHOICES).items()},
    }
