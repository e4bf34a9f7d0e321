"""What a folder says of its trained heads is read as it is written, and refused where it is damaged."""

from __future__ import annotations

import json

import pytest

from mha_core import ModelError
from mha_core.models.jobs import JOBS_FILE, Job, read_jobs
from training.export import save_jobs

JOBS = (Job("closing", 3, 2, 0.995, 188), Job("pronoun", 3, 1, 0.986, 216))


def test_what_was_measured_is_read_as_it_was_written(tmp_path):
    save_jobs(JOBS, tmp_path)
    assert read_jobs(tmp_path) == JOBS


def test_a_model_of_others_names_no_head(tmp_path):
    assert read_jobs(tmp_path) == ()


@pytest.mark.parametrize(
    "damage", [{"layer": -1}, {"found": 1.5}, {"texts": 0}, {"head": "two"}, {"further": 1}], ids=str
)
def test_a_damaged_file_is_refused_by_name(tmp_path, damage):
    whole = {"layer": 3, "head": 2, "found": 0.995, "texts": 188}
    (tmp_path / JOBS_FILE).write_text(json.dumps({"closing": whole | damage}), "utf-8")
    with pytest.raises(ModelError, match=JOBS_FILE):
        read_jobs(tmp_path)
