"""A small decoder that learns a task step by step. Read in this order:

``settings`` (all that a training follows from), ``lines`` (what is learned from), ``tasks`` and ``translation`` (the
rules that lines obey), ``decoder`` and ``encoder_decoder`` (the models), ``training`` (steps and recordings), ``ask``
(what its heads do), ``heads`` (what changes without one), ``example`` (an attention as an example), ``saved`` (a
training as a file), ``ready`` (the recordings that come with the package), ``smallest`` (an exercise), ``report`` (for
programs); ``messages``, ``worker`` and ``desk`` (a training in a process of its own).
"""

from mha_core.train.ask import Said, accuracy, alignment, attended, induction_scores, maps, said, sides
from mha_core.train.decoder import Decoder, Part
from mha_core.train.encoder_decoder import EncoderDecoder, model_of
from mha_core.train.example import example_of, with_goal
from mha_core.train.heads import Change, Compared, Right, compared, swapped
from mha_core.train.lines import Line, parse_lines
from mha_core.train.ready import Recording, recording, recordings
from mha_core.train.saved import open_training, save
from mha_core.train.settings import Settings, settings_of
from mha_core.train.smallest import Goal, Judged, judged, parameters
from mha_core.train.tasks import TASKS, Task, own_lines, task_of
from mha_core.train.training import Record, Training

__all__ = [
    "TASKS",
    "Change",
    "Compared",
    "Decoder",
    "EncoderDecoder",
    "Goal",
    "Judged",
    "Line",
    "Part",
    "Record",
    "Recording",
    "Right",
    "Said",
    "Settings",
    "Task",
    "Training",
    "accuracy",
    "alignment",
    "attended",
    "compared",
    "example_of",
    "induction_scores",
    "judged",
    "maps",
    "model_of",
    "open_training",
    "own_lines",
    "parameters",
    "parse_lines",
    "recording",
    "recordings",
    "said",
    "save",
    "settings_of",
    "sides",
    "swapped",
    "task_of",
    "with_goal",
]
