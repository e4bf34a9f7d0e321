"""The scenes of lessons, as the reader opens them and after a control has been moved."""

from __future__ import annotations

from typing import Any

from mha_core.compute.device import backend
from mha_ui.lessons import LESSONS
from mha_ui.lessons.play import scene_data
from mha_view.language import words_in
from mha_view.lessons.lesson import Live, Scene, Seen


def payloads() -> dict[str, Any]:
    return {
        "block": scene("block"),
        "without attention": scene("block", attention=0.0),
        "cache": scene("cache"),
        "cache of two": scene("cache", step=2),
    }


def scene(topic: str, **changed: float) -> dict[str, object]:
    live, words = LESSONS[topic].live, words_in("en")
    assert isinstance(live, Live)
    values = live.start | changed
    seen = Seen(values, live.example(values, words), words, "light", backend())
    (shown,) = [part for part in live.parts(seen) if isinstance(part, Scene)]
    return scene_data(shown, "en")
