"""Every task is learned with its own settings, and an induction head forms. At length; a short run has a small case of
its own lines in ``test_training``.
"""

import pytest
import torch

from mha_core.train import TASKS, Training, accuracy, induction_scores, task_of


@pytest.fixture(autouse=True)
def _one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.long
@pytest.mark.parametrize("key", TASKS)
def test_a_task_is_learned_within_twice_its_steps(key):
    training = Training(task_of(key))
    batch = training.tested()
    right = max(
        accuracy(training.model, batch)[1]
        for record in training.steps(2 * training.task.steps)
        if record.step % 50 == 0
    )
    assert right >= 0.99


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_an_induction_head_forms_within_800_steps(seed):
    training = Training(task_of("induction"), seed=seed)
    batch = training.tested()
    scores = [
        max(map(max, induction_scores(training.model, batch) or []))
        for record in training.steps(800)
        if record.step % 50 == 0
    ]
    assert scores[0] < 0.2
    assert scores[-1] > 0.8
    assert accuracy(training.model, batch)[0] >= 0.99
