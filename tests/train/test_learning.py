"""Every task is learned with its own settings, and an induction head forms. At length; a short run has a small case of
its own lines in ``test_training``.
"""

import pytest
import torch

from mha_core.train import TASKS, Training, accuracy, alignment, induction_scores, task_of


@pytest.fixture(autouse=True)
def _one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.long
@pytest.mark.parametrize("key", TASKS)
@pytest.mark.parametrize("seed", range(3))
def test_a_task_is_learned_in_its_steps(key, seed):
    training = Training(task_of(key), seed=seed)
    list(training.steps(training.task.steps))
    assert accuracy(training.model, training.tested())[1] >= 0.99


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_the_one_head_of_a_translation_looks_at_the_word_that_it_translates(seed):
    training = Training(task_of("translation"), architecture="encoder-decoder", layers=1, heads=1, seed=seed)
    list(training.steps(400))
    assert alignment(training.model, training.task, training.tested())[2][0] >= 0.85


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
