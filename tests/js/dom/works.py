"""The state of the work that a new visitor has with a built-in example."""

from mha_core import built_in
from mha_ui import state


def work(name: str, language: str = "en") -> state.Work:
    return state.Work(state.begun(built_in(name), name), language)
