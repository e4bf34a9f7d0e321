"""What the bench receives on the page Check: inputs to read, claims to fill in, and what the check found."""

from __future__ import annotations

from mha_core.exercise.exercise import varies
from mha_core.vocabulary import COMPUTED
from mha_ui.bench.model import ExploreModel, payload
from mha_ui.state import Work, link_for_class
from mha_view.tables.backward import join
from mha_view.tables.claims import ask_for


def check_payload(work: Work) -> ExploreModel:
    """The bench's data with every computed step to be filled in: in an exercise only those asked for, and none that
    comes after them.
    """
    data = payload(work, lens="check")
    join(data)
    asked = work.exercise.asked if work.exercise else COMPUTED
    ask_for(data, work.example, asked, is_exercise=work.exercise is not None)
    link = link_for_class(work, asked) if work.exercise and varies(work.example) else ""
    begun = work.exercise.begun if work.exercise else 0
    return {
        **data,
        "about": "",
        "looks": [],
        "pinned": None,
        "dead": None,
        "class_link": link,
        "begun": begun,
    }
