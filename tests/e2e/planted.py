"""``python -m tests.e2e.planted run app.py``: the app with faults planted in it, which certain numbers set off."""

import sys
from functools import wraps

from streamlit.web import cli

import mha_ui.bench
import mha_ui.check
import mha_ui.conventions
import mha_ui.lessons
import mha_ui.lessons.library
import mha_ui.pictures
import mha_ui.walkthrough
from mha_ui import state
from mha_ui.experiments import experiment

FAULTS = {
    77: [
        (mha_ui.bench, "payload"),
        (mha_ui.check, "check_payload"),
        (mha_ui.conventions, "packed_payload"),
        (mha_ui.lessons.library, "status_line"),
        (mha_ui.walkthrough, "payload"),
        (experiment, "compare"),
    ],
    78: [(mha_ui.pictures, "draw")],
    79: [(mha_ui.lessons, "lessons_page")],  # which is no part of a page, but all of it
}
"""The number in X[1, 1] with which these functions fail."""


def plant(number, module, name):
    """Let a function fail where the work, or what it is called with, has this number in X[1, 1]."""
    real = getattr(module, name)

    @wraps(real)
    def faulty(*given, **more):
        seen = next((one for one in given if isinstance(one, state.Work)), None) or state.current()
        if seen.example.x and seen.example.x[0][0] == number:
            raise RuntimeError("planted")
        return real(*given, **more)

    setattr(module, name, faulty)


if __name__ == "__main__":
    for number, places in FAULTS.items():
        for place in places:
            plant(number, *place)
    cli.main(sys.argv[1:], prog_name="streamlit")
