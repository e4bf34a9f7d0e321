"""The page Train, and what the server's websocket sends it of a small training that was opened as a file."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mha_api.training_session import Session
from mha_core.train import Training, save, task_of
from mha_ui.train import payload
from tests.js.dom.works import work

SMALL = {"layers": 2, "heads": 2, "d_model": 16, "batch": 2}
STEPS = 30


def payloads() -> dict[str, Any]:
    training = Training(task_of("induction"), **SMALL)
    list(training.steps(STEPS))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "made.safetensors"
        save(training, path)
        session = Session("en")
        session.receive(path.read_bytes())
        session.answer({"do": "file"})
        prompt = " ".join(training.task.shown.prompt)
        opened = [*map(_sendable, session.news())]
        answers = {
            "say": session.answer({"do": "say", "step": STEPS, "prompt": prompt, "off": []}),
            "without": session.answer({"do": "without", "step": STEPS, "off": [[1, 0]]}),
            "swap": session.answer({"do": "swap", "step": STEPS, "heads": [[0, 0], [1, 1]]}),
            "example": session.answer({"do": "example", "step": STEPS, "layer": 1, "head": 0}),
            "size": session.answer({"do": "size", "task": "sort", "settings": {"heads": 1, "d_model": 16}}),
        }
        session.close()
    return {
        "train": payload(work("first", "en")),
        "train in Chinese": payload(work("first", "zh")),
        "opened": opened,
        "answers": answers,
        "losses": [one.loss for one in training.records],
    }


def _sendable(message: Any) -> Any:
    return {"bytes": b64encode(message).decode()} if isinstance(message, bytes) else message
