"""The page Train without a browser: what its component is sent, and an attention that opens in Explore."""

import json
from typing import Any

import pytest

from mha_core.example.files import dump
from mha_core.train import TASKS, Training, example_of, settings_of, task_of
from mha_core.train.tasks import OWN_LINES
from mha_ui import shell
from mha_ui.state.work import open_file
from mha_ui.train import payload
from mha_view.language import LANGUAGES, words_in
from tests.js.dom.works import opened as work_at
from tests.ui.pages import opened

PAGE = "train.py"


def titles(sent: Any):
    return [task["title"] for task in sent["tasks"]]


def test_it_follows_the_real_models():
    pages = list(shell.PAGES)
    assert pages[pages.index(PAGE) - 1] == "models.py"
    assert words_in("zh")(shell.PAGES[PAGE]) == "训练"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_component_is_sent_every_task_with_its_settings_and_all_words(language):
    app = opened(PAGE, {"lang": language})
    sent = json.loads(app.get_by_key("train.page").proto.json)[0]
    assert [task["key"] for task in sent["tasks"]] == [*TASKS, "alignment", OWN_LINES]
    for task in sent["tasks"]:
        assert settings_of(task["settings"])
        assert task["title"]
        assert task["rule"]
    assert all(sent["words"].values())


def test_the_tasks_have_titles_in_each_language():
    english, chinese = (titles(payload(work_at(language))) for language in ("en", "zh"))
    assert not set(english) & set(chinese)


@pytest.mark.parametrize("task", ["induction", "copy"])
def test_an_attention_with_the_default_size_opens_in_explore(task):
    training = Training(task_of(task))
    example = example_of(training.model, training.task, training.task.shown.tokens, 1, 0)
    work = open_file(work_at("en"), dump(example).encode())
    assert not work.message
    assert work.example.tokens == example.tokens
