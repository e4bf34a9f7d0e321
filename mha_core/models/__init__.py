"""Trained models, from a folder of files to what every head does with a text. Read in this order:

``config`` (what a model is), ``checkpoint`` (its numbers), ``names`` and ``parts`` (which tensor is which part),
``tokenizer`` (from text to pieces), ``model`` (a loaded model), ``forward`` (runs a text through it and stores every
head); ``foreign``, ``foreign_files`` and ``foreign_run`` (the same for models that transformers computes); ``runs``
(either of them), ``guesses`` (the words that it expects), ``generation`` (a text continued), ``measures`` and ``heads``
(what its heads do), ``examples`` (heads as an example), ``library`` (the available models).
"""

from mha_core.models.config import Architecture
from mha_core.models.examples import example_of, to_example
from mha_core.models.foreign import ForeignModel
from mha_core.models.foreign_files import open_foreign
from mha_core.models.foreign_run import ForeignLayer, ForeignRun
from mha_core.models.forward import LayerRun, Run
from mha_core.models.generation import Cost, Generated, Step, generate
from mha_core.models.guesses import Guess, can_guess, guesses
from mha_core.models.heads import measured, shuffled, shuffled_means
from mha_core.models.library import OWN, Card, cards, load
from mha_core.models.measures import MEASURES, RELATIONS, RESTS, Measure, Record, behaviours, label, unsure
from mha_core.models.model import Model, open_model
from mha_core.models.runs import AnyLayer, AnyModel, AnyRun, continued, open_folder, run, tokenize
from mha_core.models.scoring import Scoring
from mha_core.models.tokenizer import Tokens

__all__ = [
    "MEASURES",
    "OWN",
    "RELATIONS",
    "RESTS",
    "AnyLayer",
    "AnyModel",
    "AnyRun",
    "Architecture",
    "Card",
    "Cost",
    "ForeignLayer",
    "ForeignModel",
    "ForeignRun",
    "Generated",
    "Guess",
    "LayerRun",
    "Measure",
    "Model",
    "Record",
    "Run",
    "Scoring",
    "Step",
    "Tokens",
    "behaviours",
    "can_guess",
    "cards",
    "continued",
    "example_of",
    "generate",
    "guesses",
    "label",
    "load",
    "measured",
    "open_folder",
    "open_foreign",
    "open_model",
    "run",
    "shuffled",
    "shuffled_means",
    "to_example",
    "tokenize",
    "unsure",
]
