"""A small decoder that learns a task step by step. Read in this order:

``settings`` (all that a training follows from), ``lines`` (what is learned from), ``tasks`` and ``translation`` (the
rules that lines obey), ``decoder`` (the model), ``training`` (steps and recordings), ``ask`` (what its heads do),
``saved`` (a training as a file), ``report`` (for programs); ``messages``, ``worker`` and ``desk`` (a training in a
process of its own).
"""

from mha_core.train.ask import Said, accuracy, attended, example_of, induction_scores, maps, said
from mha_core.train.decoder import Decoder
from mha_core.train.lines import Line, parse_lines
from mha_core.train.saved import open_training, save
from mha_core.train.settings import Settings, settings_of
from mha_core.train.tasks import TASKS, Task, own_lines, task_of
from mha_core.train.training import Record, Training

__all__ = [
    "TASKS",
    "Decoder",
    "Line",
    "Record",
    "Said",
    "Settings",
    "Task",
    "Training",
    "accuracy",
    "attended",
    "example_of",
    "induction_scores",
    "maps",
    "open_training",
    "own_lines",
    "parse_lines",
    "said",
    "save",
    "settings_of",
    "task_of",
]
