"""What the tables of the computation say, besides their numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mha_core.errors import N_
from mha_core.messages import LANGUAGE
from mha_core.quoted import CHARACTERS, DIGITS
from mha_view.about import PLAINLY
from mha_view.glossary import GLOSSARY
from mha_view.language import words_in
from mha_view.lenses.change import CHOICES

WORDS: Final = {
    "bench": N_("Explore"),
    "skip": N_("Skip to the numbers"),
    "glossary": N_("What these terms mean"),
    "subject": N_("Multi-head attention"),
    "lead": N_("Each token gathers information from every token. Change any number to see how, and why."),
    "lead_causal": N_(
        "Each token gathers information from itself and the tokens before it. Change any number to see how, and why."
    ),
    "lead_masked": N_(
        "Each token gathers information from the tokens that the mask leaves it. Change any number to see how, and why."
    ),
    "overview": N_("Overview: what attends to what"),
    "plainly": PLAINLY,
    "overview_tokens": N_("Tokens"),
    "overview_hint": N_(
        "Hover over a line or bar to see its value; click to jump to it. Click a token or a head to "
        "isolate it."
    ),
    "overview_hint_touch": N_("Tap a line to jump to its weight. Tap a token or a head to isolate it."),
    "overview_maps": N_("Weights as heatmaps"),
    "overview_scale": N_("Weight"),
    "overview_hint_map": N_(
        "Each row is a token that looks; each column is a token it looks at. Point at a row to see its "
        "largest weights."
    ),
    "overview_hint_map_touch": N_(
        "Each row is a token that looks; each column is a token it looks at. Tap a cell to "
        "jump to its weight."
    ),
    "overview_hatched": N_("Hatched: hidden by a mask."),
    "sentence": N_("Your sentence"),
    "sentence_context": N_("The sentence it attends to"),
    "sentence_use": N_("Use these words"),
    "chip_hint": N_(
        "Drag a word to move it, or click it to edit it. A space splits it; Backspace at its "
        "start joins it to the word before. Keyboard: Alt + ← / → moves it, Delete removes "
        "it."
    ),
    "chip_hint_touch": N_(
        "Hold a word and slide to move it, or tap it to edit it. A space splits it; deleting "
        "at its start joins it to the word before."
    ),
    "sentence_source": N_("Its numbers"),
    "sentence_learned": N_("Learned from text"),
    "sentence_learned_about": N_(
        "Our small model's vectors for these words, and two of its heads, in place of this example. Each vector has 64 "
        "numbers, of which the tables show the first and the last."
    ),
    "sentence_made_up": N_("Made up, short enough to follow by hand"),
    "sentence_made_up_about": N_(
        "This example keeps its heads. Each new word gets a row of small whole numbers, always the same for the "
        "same word. Which word looks at which then says nothing about language."
    ),
    "chip_place": N_("{word}: {at} of {count}"),
    "sentence_rest": N_("the first {most}; the other {rest} are left out"),
    "sentence_signs": N_(
        "Punctuation and symbols are left out: {signs} (to keep one, type it in place of a word)"
    ),
    "overview_taken": N_("What each token gets"),
    "overview_concat": N_("the head outputs, side by side"),
    "overview_output": N_("the head outputs, and what W_O turns them into"),
    "overview_pair": N_("{query} attends most to {key}, {weight}"),
    "overview_none": N_("{query} attends to nothing"),
    "overview_and": N_("; "),
    "was_before": N_("was {before} before the last edit"),
    "moved_weights": N_(
        "{changed} of {all} weights changed. The largest change: head {head}, {tokens}, from {before} to {now}"
    ),
    "moved_weight": N_(
        "{changed} of {all} weights changed. Head {head}, {tokens}, went from {before} to {now}"
    ),
    "moved_alone": N_("{sentence}."),
    "moved_because": N_("{sentence}, because its score in {score} {went} from {before} to {now}."),
    "moved_by_rival": N_(
        "{sentence}, because another score in its row of {score}, {rival}, {rival_went} from {rival_before}"
        " to {rival_now}."
    ),
    "moved_by_both": N_(
        "{sentence}, because its score in {score} {went} from {before} to {now} while that of {rival}"
        " {rival_went} from {rival_before} to {rival_now}."
    ),
    "moved_outputs": N_(
        "No weight changed, but {changed} of {all} outputs did. The largest change: {place} ({tokens}),"
        " from {before} to {now}."
    ),
    "moved_learned": N_(" Of the learned numbers, these moved most: "),
    "moved_learned_one": N_("{place} from {before} to {now}"),
    "moved_learned_and": N_(", "),
    "why_edited": N_("You {done} {place} from {before} to {now}"),
    "why_so": N_(", so "),
    "why_so_among": N_(", so, among other numbers, "),
    "why_and": N_(" and "),
    "why_part": N_("{symbol} of “{tokens}” (from {before} to {now})"),
    "why_both": N_(" both {went} in column {column}"),
    "why_row": N_("{symbol} of “{tokens}” {went} in column {column} from {before} to {now}"),
    "why_score": N_("the score {tokens} in {symbol} {went} from {before} to {now}"),
    "why_rival": N_("the score {tokens} in the same row of {symbol} {went} from {before} to {now}"),
    "why_cell": N_("{place} {went} from {before} to {now}"),
    "why_weight": N_("the weight {tokens} in head {head} {went} from {before} to {now}"),
    "why_raised": N_("raised"),
    "why_lowered": N_("lowered"),
    "why_rose": N_("rose"),
    "why_fell": N_("fell"),
    "why_end": N_(". "),
    "tally": N_("{changed} of {all} weights changed."),
    "tally_most": N_("{changed} of {all} weights changed, this one most."),
    "tally_outputs": N_("{changed} of {all} outputs changed, this one most, and no weight."),
    "start_tour": N_("Show me around first"),
    "start_step": N_("First steps: {step} of {all}"),
    "start_next": N_("Next"),
    "start_end": N_("Done"),
    "start_drag": N_("Drag this number left or right, or type a new one."),
    "start_drag_touch": N_("Hold this number for a moment, then slide left or right."),
    "start_watch": N_(
        "Drag the number {place} and watch these lines. The thicker the line, the more one token takes from another."
    ),
    "start_watch_touch": N_(
        "Hold the number {place} and slide, and watch these lines. The thicker the line, the more one token takes "
        "from another."
    ),
    "start_watch_again": N_(
        "Drag the number {place} again and watch these lines. The thicker the "
        "line, the more one token takes from another."
    ),
    "start_watch_again_touch": N_(
        "Hold the number {place} and slide again, and watch these lines. The thicker the "
        "line, the more one token takes from another."
    ),
    "start_why": N_("Hover over this number. The line below the tables shows how it is computed."),
    "start_why_touch": N_("Tap this number. The line below the tables shows how it is computed."),
    "head": N_("Head"),
    "heads": N_("heads"),
    "heads_shown": N_("Heads whose tables are shown"),
    "heads_fit": N_(
        "Only {shown} of the {all} heads {shown:fits|fit} below. Hidden: {list}. Choose a head to "
        "see its tables."
    ),
    "heads_unshown": N_("Heads not shown: {list}"),
    "heads_now": N_("Shown: head {list}"),
    "token": N_("token"),
    "tokens": N_("tokens"),
    "more": N_("… {count} more"),
    "more_rows": N_("Show {count} more {count:row|rows}"),
    "more_columns": N_("Show {count} more {count:column|columns}"),
    "colour_scale": N_("What the colors of these tables stand for. This stays while you drag a number."),
    "fold_again": N_("Collapse"),
    "tables_shortened": N_("Large tables are shortened."),
    "open_tables": N_("Show all rows and columns"),
    "tables_open": N_("All rows and columns are shown."),
    "shorten_tables": N_("Shorten large tables"),
    "copy_head": N_("Copy head"),
    "remove": N_("Remove"),
    "menu": N_("Copy, download, fill"),
    "copy": N_("Copy for a spreadsheet"),
    "not_copied": N_("This browser blocks copying. Select the numbers and press Ctrl+C."),
    "csv": N_("Download as CSV"),
    "fill_zeros": N_("Fill with zeros"),
    "fill_identity": N_("Fill with the identity matrix"),
    "fill_integers": N_("Fill with small integers"),
    "fill_random": N_("Fill with random numbers"),
    "about_example": N_("About this example"),
    "puzzle": N_("Puzzle"),
    "puzzle_try": N_("A puzzle to begin with, about a minute:"),
    "puzzles_solved": N_("{count} of {all} puzzles solved"),
    "work_of": N_("{what} · {heads} {heads:head|heads}"),
    "just_now": N_("just now"),
    "go_on": N_("Continue where you left off"),
    "left_lessons": N_("Lesson: {what}"),
    "left_check": N_("Article: {what}"),
    "left_exercise": N_("Exercise: {what}"),
    "left_train": N_("Training: {what}"),
    "left_models": N_("Real models: {what}"),
    "large": N_("This example is too large for a link. Save it as a file from the ⋯ menu."),
    "large_kept": N_(
        "This example is too large for a link. This browser keeps it, and “Continue where you left off” opens it"
        " again. To share it, save it as a file from the ⋯ menu."
    ),
    "large_not_kept": N_(
        "This example is too large for a link, and this browser does not keep it. Save it as a file from the ⋯"
        " menu."
    ),
    "puzzle_make": N_("Make this a puzzle"),
    "puzzle_title": N_("Title of your puzzle"),
    "puzzle_all": N_("All puzzles"),
    "puzzle_free": N_("Explore freely"),
    "puzzle_free_title": N_("Leave the puzzle and explore freely with these numbers"),
    "puzzle_change": N_("You may change {names}."),
    "puzzle_of_head": N_("{name} of head {head}"),
    "puzzle_of_any_head": N_("{name} of any head"),
    "puzzle_scale": N_("the divisor"),
    "puzzle_softcap": N_("the softcap"),
    "puzzle_mask": N_("the mask"),
    "puzzle_or": N_(" and "),
    "puzzle_progress": N_("How close you are"),
    "puzzle_open": N_("Not there yet."),
    "puzzle_reached": N_("✓ Reached"),
    "puzzle_solved": N_("✓ Solved with {count} changed {count:number|numbers}."),
    "puzzle_fewest": N_("No shorter solution is known."),
    "puzzle_fewer": N_("Can you do it with {fewest}?"),
    "puzzle_shown": N_("This is one solution. Start again and find it yourself."),
    "puzzle_changed": N_("{count} {count:number|numbers} changed"),
    "puzzle_best": N_("fewest known: {count}"),
    "puzzle_hint": N_("Hint"),
    "puzzle_next_hint": N_("Next hint"),
    "puzzle_solution": N_("Show a solution"),
    "puzzle_again": N_("Start again"),
    "puzzle_next": N_("Next puzzle"),
    "puzzle_send": N_("Send a link"),
    "puzzle_sent": N_("Link copied. It opens this puzzle from its start."),
    "puzzle_by_hand": N_("This browser blocks copying. Copy the link from here:"),
    "puzzle_at_start": N_("start"),
    "puzzle_to_goal": N_("Go to this number"),
    "puzzle_to_change": N_("Go to what you may change"),
    "puzzle_at_goal": N_("goal"),
    "backward": N_("Backward"),
    "backward_hint": N_("set a goal, and see how every number should change"),
    "backward_about": N_(
        "Choose a goal for this attention alone. The loss L says how far the layer is from it; a model is trained with "
        "another loss, of its answers. The tables below then show how L changes with every number: dW_Q is ∂L/∂W_Q. A "
        "step subtracts η · dW from each weight W."
    ),
    "goal_about": N_("Goal"),
    "goal_about_weights": N_("where a token looks"),
    "goal_about_output": N_("a token's output"),
    "goal_about_concat": N_("a token's row of Concat"),
    "goal_query": N_("Token"),
    "goal_key": N_("Token to look at"),
    "goal_numbers": N_("Numbers"),
    "goal_look": N_("{query} should look at {key}."),
    "goal_look_of_head": N_("In head {head}, {query} should look at {key}."),
    "goal_shares": N_("In head {head}, the weights of {query} should become {numbers}."),
    "goal_row_output": N_("The output of {query} should become {numbers}."),
    "goal_row_concat": N_("The row of {query} in Concat should become {numbers}."),
    "goal_width": N_("This row has {width} {width:number|numbers}, and you gave {count}."),
    "goal_set": N_("Set this goal"),
    "goal_add": N_("Add to the goal"),
    "goal_replace": N_("Replace the goal"),
    "goal_remove": N_("Remove from the goal"),
    "goal_make": N_("Make this the goal"),
    "learn_rate": N_("Learning rate η"),
    "learn_step": N_("Step"),
    "learn_play": N_("Play"),
    "learn_pause": N_("Pause"),
    "learn_back": N_("Back to the start"),
    "backward_ways": N_("Check my numbers, exercise, download"),
    "backward_check": N_("Check my own numbers for these tables"),
    "backward_exercise": N_("Set them as an exercise"),
    "backward_csv": N_("All tables as CSV"),
    "backward_markdown": N_("All tables as Markdown"),
    "backward_latex": N_(
        "For LaTeX, and for programs that compute these tables, choose “Export” in the “⋯” menu."
    ),
    "not_a_rate": N_("{text} cannot be a learning rate. Enter a number above 0, at most 1,000,000."),
    "run_enough": N_("Stopped after {count} steps. Press Play to go on."),
    "run_flat": N_("Stopped after {count} {count:step|steps}: the loss no longer falls."),
    "run_risen": N_(
        "Stopped after {count} {count:step|steps}: the loss is higher than at the start. Try a smaller η."
    ),
    "loss_now": N_("Loss L = {last}"),
    "loss_after": N_("Loss L: {first} → {last} after {count} {count:step|steps}"),
    "loss_curve": N_("The loss goes from {first} to {last} in {count} {count:step|steps}."),
    "step_of_cell": N_("A step: {place} → {sum}"),
    "controls": N_("Layer settings"),
    "history": N_("History"),
    "undo": N_("Undo (Ctrl+Z)"),
    "redo": N_("Redo (Ctrl+Shift+Z)"),
    "reset": N_("Reset this example"),
    "sizes": N_("Sizes"),
    "layer": N_("Layer"),
    "view": N_("View"),
    "layer_values": N_("Values V"),
    "layer_w_o": N_("Output projection W_O"),
    "biases": N_("Biases"),
    "context": N_("Cross-attention"),
    "mask": N_("Mask"),
    "mask_none": N_("none"),
    "mask_causal": N_("causal"),
    "mask_causal_window": N_("causal window"),
    "mask_window": N_("window on both sides"),
    "mask_painted": N_("custom"),
    "window": N_("Window"),
    "not_a_window": N_("{text} cannot be a window. Enter a whole number of keys, such as 3."),
    "corner": N_("Mask aligned to"),
    "corner_top_left": N_("top left"),
    "corner_bottom_right": N_("bottom right"),
    "mask_this": N_("Mask this pair in every head"),
    "unmask": N_("Unmask this pair in all heads"),
    "kv_heads": N_("K, V heads"),
    "shared": N_("{list} from head {head}"),
    "no_direction": N_("a row of zeros has no direction and stays zero"),
    "divisor": N_("Divide by"),
    "temperature": N_("Temperature"),
    "scale_none": N_("nothing"),
    "scale_number": N_("custom"),
    "for_scoring": N_("how a query and a key give a score"),
    "for_divisor": N_("what the scores are divided by, before softmax"),
    "for_mask": N_("which tokens each token is allowed to look at"),
    "for_corner": N_(
        "top left: the first query is at the first key; bottom right: the last query is at the last key, as in "
        "decoding with a cache"
    ),
    "head_masks": N_("Heads with their own mask"),
    "head_mask_of": N_("Head {head} has its own mask"),
    "for_head_masks": N_("such a head starts with the mask that it has now; change its pairs in its table"),
    "mask_this_head": N_("Mask this pair in the heads with this mask"),
    "unmask_head": N_("Unmask this pair in the heads with this mask"),
    "for_positions": N_("how the model knows token order"),
    "for_values": N_("turn off to stop at the attention weights"),
    "for_w_o": N_("combines the head outputs into one"),
    "for_biases": N_("a number added to each column"),
    "for_context": N_("keys and values come from a second sentence"),
    "for_kv_heads": N_("heads can share keys and values"),
    "for_decimals": N_("how many decimals are shown"),
    "decimals_fit": N_("as many as fit"),
    "fewer_decimals": N_(
        "Fewer decimals are shown so that {count} heads fit next to each other. Hover over a number to see more."
    ),
    "fewer_decimals_touch": N_(
        "Fewer decimals are shown so that {count} heads fit next to each other. Tap a number to see more."
    ),
    "all_decimals": N_("Show all decimals"),
    "for_lens": N_("what the table colors show"),
    "for_baseline": N_("what new numbers are compared with"),
    "decimals": N_("Decimals"),
    "lens": N_("Color by"),
    "lens_values": N_("values"),
    "lens_change": N_("change"),
    "lens_gradient": N_("gradient"),
    "lens_about": N_("What the colors show"),
    "baseline": N_("Baseline"),
    "baseline_pin": N_("Pin as baseline"),
    "baseline_again": N_("Pin again"),
    "baseline_pinned": N_("baseline pinned"),
    "baseline_clear": N_("Unpin the baseline"),
    "was": N_("was {before}, now {now} ({by})"),
    "was_without": N_("was {before}, now {now}"),
    "unchanged": N_("as in the baseline"),
    "no_counterpart": N_("no counterpart in the baseline"),
    "derivative": N_("derivative {number}"),
    "derivative_target": N_("the colors show its derivative"),
    "derivative_later": N_("no derivative: this step comes after {place}"),
    "derivative_mask": N_("no derivative: a pair is either masked or not"),
    "legend_change": N_("▲ larger, ▼ smaller, • new. Each table has its own color scale."),
    "legend_gradient": N_(
        "↗ increases, ↘ decreases. All tables share one color scale. Click a computed number (or press "
        "Enter on it) to see its derivative instead."
    ),
    "legend_gradient_touch": N_(
        "↗ increases, ↘ decreases. All tables share one color scale. Tap a computed number to see its "
        "derivative instead."
    ),
    "hint": N_(
        "Hover over a number to see where it comes from; click to pin it. Type over a boxed "
        "number, or drag it left and right."
    ),
    "hint_touch": N_("Tap a number to see where it comes from. Hold a boxed number and slide to change it."),
    "hint_check": N_("Fill in the blanks; press Tab or Enter to move on. Hover over a number for details."),
    "hint_check_touch": N_("Fill in the blanks. Tap a number for details."),
    "verdict": N_("Results of the check"),
    "first_wrong": N_("Start here"),
    "cannot_be": N_("Impossible for any X and W"),
    "right": N_("right"),
    "solution": N_("Show the solution"),
    "yours": N_("yours"),
    "or": N_("Or:"),
    "see_step": N_("Go to this step"),
    "mark_told": N_("{mark}."),
    "mark_right": N_("right"),
    "mark_own": N_("wrong"),
    "mark_follows": N_("wrong, but only because an earlier number is wrong"),
    "mark_copied": N_("wrong, but copied from the heads"),
    "mark_doubtful": N_("rounded incorrectly"),
    "mark_coarse": N_(
        "consistent, but rounded too much to be sure; give two significant digits, or as many decimals as in the rest "
        "of the table"
    ),
    "mark_nearly": N_("right, except that the last digit is off by one"),
    "claim_text": N_("Paste as text"),
    "claim_formats": N_("A block from a spreadsheet, [[1, 2], [3, 4]], LaTeX, Markdown or CSV."),
    "fill_in": N_("Fill in"),
    "clear": N_("Clear"),
    "feeds": N_("used by {list}"),
    "feeds_heads": N_("used by {list} ({heads} heads)"),
    "feeds_one": N_("1 number in {table}"),
    "feeds_many": N_("{count} {count:number|numbers} in {table}"),
    "feeds_also": N_("{count} in {table}"),
    "comma": N_(", "),
    "stop": N_("."),
    "titled": N_("{name}: {text}"),
    "shifted": N_("the row's largest number is subtracted first, which does not change the result"),
    "masked_terms": N_("{count} masked terms (0)"),
    "unpin": N_("Unpin"),
    "whole_path": N_("Whole path"),
    "moved_whole": N_("Show the whole sentence"),
    "path_above": N_("Comes from: {list}"),
    "path_below": N_("Used in: {list}"),
    "crumbs": N_("Breadcrumbs"),
    "hidden": N_("this pair is masked"),
    "visible": N_("this pair is not masked"),
    "largest_weight": N_("the largest weight of this token; click to see where it comes from"),
    "dead_row": N_("this token is not allowed to attend to anything, so its weights and output are 0"),
    "dismiss": N_("Close"),
    "copied": N_("Copied."),
    "computed": N_("{place} is computed from {list}. Change one of those instead."),
    "fixed": N_("{place} cannot be changed here."),
    "place_of_head": N_("{place} of head {head}"),
    "place_with_tokens": N_("{place} ({tokens})"),
    "paint_here": N_("Set the mask here: click a pair to mask or unmask it, or drag over several."),
    "paint_here_touch": N_("Set the mask here: tap a pair to mask or unmask it."),
    "at_hand": N_("Toolbar"),
    "show_overview": N_("Show picture"),
    "hide_overview": N_("Hide picture"),
    "stage_before": N_("Previous step"),
    "stage_next": N_("Next step"),
    "quoted_digits": DIGITS,
    "quoted_characters": CHARACTERS,
    "wrong_empty": N_("{place}: a number cannot be empty."),
    "wrong_not_a_number": N_("{place}: {text} is not a number."),
    "wrong_too_large": N_("{place}: {text} is too large. Numbers can be from −{most} to {most}."),
    "wrong_comma": N_(
        "{place}: the comma in {text} could be a decimal comma or a thousands separator. Use a period as "
        "the decimal point, and leave out thousands separators."
    ),
    "wrong_fraction": N_("{place}: {text} is a fraction. Write it as a decimal, such as 0.5."),
    "wrong_not_allowed": N_("{place}: {text} should be 1 (not masked) or 0 (masked)."),
    "softcap": N_("softcap"),
    "for_softcap": N_("no score is larger than this number"),
    "sinks": N_("Sinks"),
    "for_sinks": N_("one more score in each softmax, without a key"),
    "norm": N_("Norm of Q, K"),
    "for_norm": N_("divides each row by the root of its mean square"),
    "not_an_eps": N_("{text} cannot be added to a mean square. Enter a number above 0."),
    "not_a_softcap": N_("{text} cannot be a softcap. Enter a number above 0."),
    "not_a_divisor": N_("{text} cannot be a divisor. Enter a number other than 0."),
    "still_counts": N_("{what} The old value is kept."),
    "stays_blank": N_("{what} The cell counts as blank."),
    "nothing_changed": N_("{what} Nothing was changed."),
    "pasted_place": N_("Row {row}, column {col} of the pasted block"),
}
"""By the name that the browser asks for."""


@lru_cache(maxsize=4)
def ui_words(language: str) -> dict[str, str]:
    """What the tables say, in one language."""
    words = words_in(language)
    return {
        "lang": LANGUAGE[language].tag,
        **{name: words(text) for name, text in (WORDS | CHOICES).items()},
        **{f"term_{name}": words(entry.term) for name, entry in GLOSSARY.items()},
        **{f"means_{name}": words(entry.meaning) for name, entry in GLOSSARY.items()},
    }
