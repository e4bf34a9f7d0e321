"""The class's table of the exercise “the smallest model that sorts”: files that were handed in, judged here."""

import pytest

from mha_core.train import Judged, parameters, save
from mha_ui.train import results
from tests.js.dom.works import work
from tests.train.small import small


@pytest.fixture
def files(tmp_path):
    """Three trainings that sort or do something else, and a file that is none."""
    contents = {}
    for name, task, heads in (("a", "sort", 2), ("b", "sort", 1), ("c", "copy", 1)):
        path = tmp_path / f"{name}.safetensors"
        save(small(task, 2, heads=heads), path, is_light=True)
        contents[path.name] = path.read_bytes()
    return [*contents.items(), ("=x.safetensors", b"nothing")]


def test_those_that_reach_the_goal_are_first_and_the_smallest_of_them(files, monkeypatch):
    monkeypatch.setattr(
        results,
        "judged",
        lambda _, model, __: Judged(parameters(model), 0.995, reached=parameters(model) > 0),
    )
    results._judged.cache_clear()
    rows = results.results(work("first", "en"), files[:2])
    results._judged.cache_clear()
    assert [row[0] for row in rows] == ["b.safetensors", "a.safetensors"]
    assert rows[0][1:4] == ("reaches the goal", rows[0][2], 99.5)
    sizes = [int(row[2] or 0) for row in rows]
    assert sizes == sorted(set(sizes))


def test_what_does_not_sort_or_cannot_be_read_is_said_in_its_row(files):
    rows = {row[0]: row for row in results.results(work("first", "en"), files)}
    assert rows["a.safetensors"][1] == "does not reach the goal"
    assert rows["a.safetensors"][4] == "2 layers × 2 heads, d_model 16"
    assert rows["c.safetensors"][1] == "expected a training of the task sort, got one of copy"
    assert "this is not a readable" in str(rows["=x.safetensors"][1])
