"""The exercise “find the smallest model that sorts”: numbers are counted, answers are judged."""

import pytest
import torch

from mha_core.errors import TrainError
from mha_core.train import Goal, Training, judged, own_lines, parameters, parse_lines
from tests.train.small import small


def test_numbers_are_counted_by_hand():
    """16 columns: 12 tokens; a norm (2·16); Q, K, V (48·16 + 48); W_O (16·16 + 16); 18 distances; norm; 12·16 + 12."""
    training = small("sort", layers=1, heads=1, positions="relative", feed_forward=False)
    assert parameters(training.model) == 12 * 16 + 32 + (48 * 16 + 48) + (16 * 16 + 16) + 18 + 32 + (
        12 * 16 + 12
    )


def test_a_model_that_knows_nothing_does_not_reach_the_goal():
    training = small("sort")
    found = judged(training.task, training.model, Goal())
    assert (found.parameters, found.reached) == (parameters(training.model), False)
    assert found.answers < 0.5
    assert judged(training.task, training.model, Goal(answers=0.0)).reached


def test_every_seed_is_judged_on_the_same_lines(monkeypatch):
    seen = []

    def all_right(_, batch):
        seen.append(batch.ids)
        return 1.0, 1.0

    monkeypatch.setattr("mha_core.train.smallest.accuracy", all_right)
    for seed in (1, 2):
        training = small("sort", seed=seed)
        assert judged(training.task, training.model, Goal()).reached
    assert torch.equal(*seen)
    assert len(seen[0]) == 1000


def test_another_task_is_refused():
    training = Training(own_lines(parse_lines("b a\ta b")))
    with pytest.raises(TrainError, match="expected a training of the task sort, got one of own"):
        judged(training.task, training.model, Goal())
