"""The words of the page Train."""

from __future__ import annotations

from typing import Final

from mha_core.errors import N_

WORDS: Final = {
    "lead": N_(
        "A small transformer learns a task from examples. Play its recording and see each head find out where to look. "
        "Then train it yourself."
    ),
    "tasks": N_("Task"),
    "setup": N_("What is trained"),
    "settings": N_("Settings"),
    "layers": N_("Layers"),
    "heads": N_("Heads"),
    "d_model": "d_model",
    "optimizer": N_("Optimizer"),
    "adam": "Adam",
    "sgd": "SGD",
    "architecture": N_("Architecture"),
    "decoder": N_("Decoder"),
    "encoder-decoder": N_("Encoder–decoder"),
    "rate": N_("Learning rate"),
    "weight_decay": N_("Weight decay"),
    "dropout": N_("Dropout"),
    "seed": N_("Seed"),
    "steps": N_("Training steps"),
    "own_lines": N_("Your own pairs, one on each line: source → target"),
    "own_about": N_("At most 500 pairs, 16 tokens on each side. Spaces separate tokens; Chinese needs none."),
    "start": N_("Train it now"),
    "again": N_("Train again"),
    "pause": N_("Pause"),
    "resume": N_("Resume"),
    "one_step": N_("One step"),
    "stop": N_("Stop"),
    "more": N_("Keep training"),
    "one_head": N_("The same with one head"),
    "four_heads": N_("The same with four heads"),
    "save": N_("Save the model"),
    "open_file": N_("Open a model"),
    "progress": N_("Steps taken"),
    "is_connecting": N_("Opening the recording…"),
    "is_waiting": N_("Other trainings are running. Yours is number {place} in line."),
    "is_starting": N_("Starting a process for this training…"),
    "is_running": N_("Step {step} of {most}."),
    "is_running_left": N_("Step {step} of {most}, about {seconds} s left."),
    "is_paused": N_("Paused at step {step} of {most}."),
    "has_trained": N_("Trained for {step} {step:step|steps} in {seconds} s."),
    "is_recording": N_("A recording of {step} {step:step|steps}, which took {seconds} s."),
    "has_ended": N_("The training ended at step {step}: {why}"),
    "lost": N_("the connection to the server was lost, and with it the model that was being trained"),
    "unreachable": N_("the server cannot be reached; try again in a moment"),
    "model": N_("{layers} {layers:layer|layers} × {heads} {heads:head|heads}, d_model {d_model}"),
    "built": N_("{architecture}, {model}"),
    "inside": N_("{mlp}, LayerNorm, {positions}, {vocabulary} tokens, lines of up to {longest}"),
    "with_mlp": N_("with MLP"),
    "without_mlp": N_("no MLP"),
    "positions_relative": N_("relative positions"),
    "positions_absolute": N_("absolute positions"),
    "positions_both": N_("relative and absolute positions"),
    "learning": N_("{optimizer} {rate}, seed {seed}, {count} parameters"),
    "curves": N_("How it learned"),
    "loss": N_("Loss"),
    "right": N_("Right answers"),
    "before": N_("the run before, {model}"),
    "line_answers": N_("whole answers"),
    "line_tokens": N_("single tokens"),
    "line_head": N_("{measure}: {head}"),
    "line_heads": N_("other heads"),
    "measure_prefix": N_("prefix matching"),
    "measure_aligned": N_("alignment"),
    "about_loss": N_(
        "The loss is −ln of the probability of the right token, averaged over the tokens of the answers."
    ),
    "about_right": N_("An answer is right if all its tokens are."),
    "about_own": N_("It is measured on your own lines, the ones that it learns from."),
    "about_prefix": N_(
        "Prefix matching: how much of its weight a head puts on the token that followed the same token earlier."
    ),
    "about_aligned": N_(
        "Alignment: how often a head looks most at the token of the source that the next token comes from."
    ),
    "formed": N_("{head}: {measure} passes {level} by step {step}."),
    "not_formed": N_("So far, {measure} is at most {level} for every head."),
    "fall": N_("The loss falls fastest from step {from} to step {to}: from {before} to {after}."),
    "film": N_("How {head} formed"),
    "slider": N_("Step of the recording"),
    "play": N_("Play the recording"),
    "pause_play": N_("Pause"),
    "at_step": N_("Step {step}: loss {loss}, {exact} of the answers and {tokens} of the tokens are right"),
    "at_begin": N_("Step {step}"),
    "recorded": N_("{count} {count:snapshot|snapshots}"),
    "every_head": N_("Every head at step {step}"),
    "head": N_("Head {head}"),
    "part_encoder": N_("Encoder {layer}"),
    "part_target": N_("Decoder {layer}"),
    "part_cross": N_("Cross {layer}"),
    "part_decoder": N_("Layer {layer}"),
    "score_prefix": N_("prefix {score}"),
    "score_previous": N_("previous token {score}"),
    "induction": N_(
        "At step {step}, {second} is an induction head: it matches the prefix ({prefix}). It needs to know what came "
        "before each token. In the layer below, {first} looks most at the token before ({before})."
    ),
    "induction_pair": N_(
        "At step {step}, {first} looks at the token before ({before}) and {second} matches the prefix ({prefix}): "
        "together they are an induction head."
    ),
    "score_aligned": N_("aligned {score}"),
    "map_label": N_("{head}: a row for each token that looks. Arrow keys read its weights."),
    "one_weight": N_("“{query}” ({row}) looks at “{key}” ({col}) with weight {weight}."),
    "one_masked": N_("“{query}” ({row}) cannot look at “{key}” ({col}): a mask hides later tokens."),
    "last_row": N_("The last token, “{query}” ({row}), looks most at “{key}” ({col}), with weight {weight}."),
    "to_step": N_("Go to step {step}"),
    "bench": N_("Open in Explore"),
    "bench_at": N_("Open step {step} in Explore"),
    "ask": N_("Ask it"),
    "ask_about": N_("The model as it was after step {step} answers token by token."),
    "ask_button": N_("Get an answer"),
    "asking": N_("Asking…"),
    "prompt": N_("Your sample"),
    "said_label": N_("{token}, probability {probability}"),
    "looked": N_("Before it said “{token}”, {head} looked most at “{key}” ({position}): {weight}."),
    "said_without": N_("Without the heads that are off it says: {said}"),
    "right_would_be": N_("Right would be: {answer}"),
    "of_step": N_("This is the answer of step {step}."),
    "switch_off": N_("Switch a head off"),
    "off_about": N_(
        "Share of correct tokens with that head off; the mark shows all heads on at step {step}: {all}."
    ),
    "layer_off": N_("{layer}: all heads off"),
    "off_wait": N_("Measuring at step {step}…"),
    "swap": N_("Swap"),
    "swapping": N_("Swapping and measuring…"),
    "swap_title": N_("Swap two heads’ weights"),
    "swap_about": N_(
        "In a copy of the model, two heads exchange W_Q, W_K, W_V and their rows of W_O. In one layer nothing should "
        "change, because the outputs of heads are added. Between layers, fewer tokens should be right."
    ),
    "swap_one_layer": N_("Both are in one layer: only the order of a sum has changed."),
    "swap_two_layers": N_("They are in different layers, so each now reads what it has not learned to read."),
    "swap_first": N_("First head to swap"),
    "swap_second": N_("Second head to swap"),
    "swap_result": N_("With {first} and {second} swapped, {result}"),
    "share_changed": N_("{to} of the tokens are right instead of {from}."),
    "share_same": N_("the share of right tokens stays the same ({from})."),
    "only": N_(
        "Step {shown} has maps but no model. Below, the model of step {step} answers; this recording has the models of "
        "these steps: {steps}."
    ),
    "out_of_range": N_("{field}: enter a number from {low} to {high}."),
    "out_of_range_whole": N_("{field}: enter a whole number from {low} to {high}."),
    "stopping": N_("Stopping…"),
    "going_on": N_("You can look at other pages meanwhile."),
    "found": N_("It went on while its page was closed."),
    "is_elsewhere": N_("This training is shown in another tab now, where it goes on."),
    "leaving": N_("This ends the training, and its model is lost. Go on?"),
    "leaving_unsaved": N_("This browser could not keep the model, which is lost then. Go on?"),
    "not_kept": N_("This browser could not keep the model. Save it before you close this tab."),
    "last_training": N_("Your last training"),
    "exercise": N_("Exercise"),
    "smallest": N_("Exercise: the smallest model that sorts"),
    "smallest_about": N_(
        "Change the settings and train until the model gets at least {goal} of {lines} new lines right. The fewer "
        "numbers it learns, the better."
    ),
    "size": N_("A model with the current settings learns {count} numbers."),
    "change_settings": N_("Change the settings"),
    "judging": N_("Judging the model…"),
    "reached": N_("Goal reached at step {step}: {share} of the lines are right, with {count} numbers."),
    "recording_needs": N_("The recording needs {count} numbers. Can you do it with fewer?"),
    "not_reached": N_(
        "Not yet at step {step}: {share} of the lines are right, {goal} are needed. It learns {count} numbers."
    ),
    "best": N_("Your smallest so far: {count} numbers."),
    "hand_in": N_("Save the file to hand in"),
    "off_result": N_("Without {heads}, {result}"),
}
