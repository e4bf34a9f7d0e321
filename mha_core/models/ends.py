"""The tokens that end a text: those that a model's own files name, as transformers reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mha_core.errors import N_
from mha_core.interop.saved.settings import FILE, MAX_FILE, Settings, read_json

GENERATION_FILE: Final = "generation_config.json"
"""The settings of a model for writing texts; its folder may lack them."""
_SETTING: Final = "eos_token_id"


def read_ends(folder: Path) -> frozenset[int]:
    """The ids of the tokens that end a text: one or a list, from generation_config.json, else from config.json.

    Empty where neither names any: then the model never ends a text. Raises ``ModelError``, which names the file and the
    setting, for anything else than whole numbers.
    """
    return next(
        (_ids(settings) for settings in _places(folder) if settings.given.get(_SETTING) is not None),
        frozenset(),
    )


def _places(folder: Path) -> Iterator[Settings]:
    """Where the setting can be, the first that counts first. A model of several parts has it in that of the text."""
    if (folder / GENERATION_FILE).exists():
        yield Settings(read_json(folder / GENERATION_FILE, MAX_FILE), file=GENERATION_FILE)
    whole = Settings(read_json(folder / FILE, MAX_FILE))
    yield whole
    if isinstance(whole.given.get("text_config"), dict):
        yield Settings(whole.given["text_config"], "text_config.")


def _ids(settings: Settings) -> frozenset[int]:
    value: Any = settings.given[_SETTING]
    ids = value if isinstance(value, list) else [value]
    if not all(isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in ids):
        raise settings.wrong(_SETTING, N_("expected the id of a token, or a list of them, got {got}"), value)
    return frozenset(ids)
