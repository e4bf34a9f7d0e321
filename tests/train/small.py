"""Small models that take a few steps."""

import torch

from mha_core.train import Training, task_of

SMALL = {
    "layers": 2,
    "heads": 2,
    "d_model": 16,
    "batch": 4,
    "dropout": 0.1,
    "feed_forward": True,
    "positions": "both",
}


def small(key="copy", steps=0, **changes):
    training = Training(task_of(key), **{**SMALL, **changes})
    list(training.steps(steps))
    return training


def numbers(training):
    return torch.nn.utils.parameters_to_vector(training.model.parameters()).detach()


def without_time(training):
    return [(one.step, one.loss, one.accuracy, one.exact) for one in training.records]
