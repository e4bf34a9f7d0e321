"""Make the recordings that come with the package: ``python -m tools.recordings``, all of them or some by their keys.

Each is a training with one thread, its task's defaults and the seed 0, so that it comes out the same on one machine.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import torch

from mha_core.train import Training, task_of
from mha_core.train.ready import READY, written

FOLDER = Path(__file__).resolve().parents[1] / "mha_core" / "train" / "recorded"
ONE_HEAD = {"architecture": "encoder-decoder", "layers": 1, "heads": 1}
MOST_BYTES = 200_000


def made(key: str) -> bytes:
    """The file of a recording."""
    one_head = key == "alignment"
    training = Training(task_of("translation" if one_head else key), **(ONE_HEAD if one_head else {}))
    training.clock = process_time  # what else this machine does does not count
    for _ in training.steps(training.task.steps):
        pass
    return written(training)


def main(keys: list[str]) -> None:
    """Write the files, and say how large they are."""
    torch.set_num_threads(1)
    FOLDER.mkdir(exist_ok=True)
    for key in keys or READY:
        content = made(key)
        if len(content) > MOST_BYTES:
            raise SystemExit(f"{key}: {len(content)} bytes are more than {MOST_BYTES}")
        (FOLDER / f"{key}.json.gz").write_bytes(content)
        print(key, len(content), "bytes", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
