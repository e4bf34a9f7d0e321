"""The lens "gradient": by how much one computed number grows for each unit that another one grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mha_core import MhaError
from mha_core.compute.derive import Cell, first_result, number, step_of
from mha_core.compute.gradients import gradients
from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.vocabulary import AXES
from mha_view import payloads
from mha_view.cell_names import cell_name
from mha_view.language import sentence, words_in
from mha_view.lenses.lens import Lens


def gradient(lens: Lens, computed: Trace, language: str) -> payloads.Seen:
    """Each matrix's ``lens``, the derivative of the target by its numbers; None where it has none."""
    cell = target(computed, lens.pinned)
    by_matrix: Mapping[str, payloads.LensRows | Sequence[payloads.LensRows | None]] = {}
    description: payloads.Lens
    try:
        by_matrix = gradients(computed, cell)
    except MhaError as error:  # the direction of a row of near-zeros changes without bound
        description = {"kind": "gradient", "target": None, "summary": f"{sentence(error, language)}."}
    else:
        words = words_in(language)
        summary = words(N_("Gradient of {place}: how much it grows when a number grows by one unit."))
        place = cell_name(cell, computed.example, words)
        description = {
            "kind": "gradient",
            "target": payloads.cell_data(cell),
            "summary": summary.format(place=place),
        }
    return {"lens": description, "matrices": {name: {"lens": by_matrix.get(name)} for name in AXES}}


def target(computed: Trace, pinned: Cell | None) -> Cell:
    """The cell whose derivative is shown: the pinned one if it is computed, else the output's first."""
    if pinned:
        try:
            step_of(computed, pinned)
            number(computed, pinned)
        except MhaError:
            pass
        else:
            return pinned
    return first_result(computed.example)
