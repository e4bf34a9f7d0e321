"""What heads of a model were trained to do, as its folder says. ``python -m training`` measures it and writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from mha_core.errors import N_, ModelError
from mha_core.interop.saved.settings import MAX_FILE, read_json

JOBS_FILE: Final = "trained_heads.json"
"""The folder of another model lacks it."""
JobKind: TypeAlias = Literal["agreement", "closing", "copied", "measure", "pronoun"]


class Job(NamedTuple):
    """A head that was trained to look from a word to the earlier one that decides it.

    ``found``: the share of ``texts`` new texts, each with the decided word hidden, in which the head gave the deciding
    word the largest of its weights.
    """

    kind: JobKind
    layer: int
    head: int
    found: float
    texts: int


def read_jobs(folder: Path) -> tuple[Job, ...]:
    """The heads that the folder names; none where it has no such file. Raises ``ModelError`` for a damaged one."""
    path = folder / JOBS_FILE
    return _jobs(read_json(path, MAX_FILE)) if path.exists() else ()


def _jobs(given: Mapping[str, Any]) -> tuple[Job, ...]:
    try:
        jobs = tuple(Job(kind, **given[kind]) for kind in get_args(JobKind) if kind in given)
        sound = all(job.layer >= 0 <= job.head and 0 <= job.found <= 1 and job.texts > 0 for job in jobs)
    except TypeError:
        sound = False
    if not sound:
        raise ModelError(N_("expected layer, head, found and texts of each kind"), place=JOBS_FILE)
    return jobs


def jobs_json(jobs: Sequence[Job]) -> dict[str, dict[str, float]]:
    """What ``read_jobs`` reads."""
    return {
        job.kind: {name: value for name, value in job._asdict().items() if name != "kind"} for job in jobs
    }
