"""A class that looks for the smallest model: a table with a row for each file that was handed in.

Each model is judged here again, on the same lines.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from mha_core.errors import N_, MhaError, Reason, TrainError
from mha_core.messages import in_words
from mha_core.spreadsheet import csv_text
from mha_core.train import Goal, Judged, Training, judged, open_training
from mha_ui import class_results, state

MOST_MB: Final = 64
_COLUMNS: Final = (N_("file"), N_("result"), N_("numbers"), N_("right, %"), N_("model"), N_("steps"))
_MODEL: Final = N_("{layers} {layers:layer|layers} × {heads} {heads:head|heads}, d_model {d_model}")
_REACHED: Final = N_("reaches the goal")
_MISSED: Final = N_("does not reach the goal")


def results_button(work: state.Work) -> None:
    """The button that opens the table of a class."""
    class_results.class_button(work, "train", _results)


def _results(work: state.Work) -> None:
    words = work.words
    about = N_(
        "Open the files that your students saved in the exercise “the smallest model that sorts”. Each model is judged "
        "here on the same new lines. Nothing is stored."
    )
    files = class_results.handed_in(
        work, "train", words(about), words(N_("Open *.safetensors files")), most=MOST_MB
    )
    if not files:
        return
    columns = [words(column) for column in _COLUMNS]
    rows = results(work, [(file.name, file.getvalue()) for file in files])
    class_results.table("train", class_results.payload(work, columns, rows))
    class_results.csv_button(work, "train", csv_text([columns, *rows]), "smallest-models.csv")


def results(work: state.Work, files: list[tuple[str, bytes]]) -> list[tuple[str | float | None, ...]]:
    """A row for each file: first those that reach the goal, the smallest model first."""
    outcomes = sorted(((name, _judged(content)) for name, content in files), key=_rank)
    return [(name, *_cells(outcome, work)) for name, outcome in outcomes]


_Outcome: TypeAlias = tuple[Judged, Training] | MhaError


@lru_cache(maxsize=2 * class_results.MOST_FILES)
def _judged(content: bytes) -> _Outcome:
    """What a file's model can do; it is not judged again while its table is shown."""
    with TemporaryDirectory(prefix="mha-train-") as folder:
        path = Path(folder) / "model.safetensors"
        try:
            path.write_bytes(content)
            training = open_training(path)
            return judged(training.task, training.model, Goal()), training
        except OSError as error:
            return TrainError(N_("cannot be written: {reason}"), reason=Reason(error))
        except MhaError as error:
            if path.name in error.place:
                error.place = ""  # it is our name of the student's file
            return error


def _rank(row: tuple[str, _Outcome]) -> tuple[bool, float]:
    _, outcome = row
    if isinstance(outcome, MhaError):
        return True, 1.0
    found, _ = outcome
    return not found.reached, found.parameters if found.reached else -found.answers


def _cells(outcome: _Outcome, work: state.Work) -> tuple[str | float | None, ...]:
    if isinstance(outcome, MhaError):
        return in_words(outcome, work.language), None, None, "", None
    found, training = outcome
    size = training.settings
    model = work.words(_MODEL).format(layers=size.layers, heads=size.heads, d_model=size.d_model)
    return (
        work.words(_REACHED if found.reached else _MISSED),
        found.parameters,
        round(100 * found.answers, 1),
        model,
        training.step,
    )
