"""Write ``opened.json``: links, files and commands, and the numbers that they open to, as this checkout has them.

git worktree add /tmp/old COMMIT && cd /tmp/old && PYTHONPATH=. python …/tests/core/before/make.py > …/opened.json
"""

import base64
import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import torch

from mha_core import Example, built_in, library, parse, pretty, to_token, trace
from mha_core.__main__ import main
from mha_ui import state
from mha_ui.state.url import work_at

TESTS = Path("tests/core")
FILES = (TESTS / "starts_further_on.mha.json", TESTS / "ends_at_weights.mha.json")
PAGES = (
    "?example=first&cell=weights.1.0.2&lang=zh&decimals=6",
    "?example=causal&lens=gradient&cell=output..0.1",
    "walkthrough?example=first&step=weights&sub=2.1&view=projector&predict=1",
    "check?example=published&lang=en",
    "check?example=first&ask=weights.head_outputs&seed=17",
    "conventions?example=grouped-query",
    "lessons?lesson=sqrt-dk&example=water",
    "experiments?experiment=order&example=translation",
    "experiments?experiment=temperature&example=programming&lang=zh",
    "experiments?experiment=sides&example=first&variant=~~",
)
COMMANDS = (
    "examples",
    "trace examples/10_first.mha.json",
    "trace examples/50_causal.mha.json --device cpu --dtype float32",
    "explain examples/10_first.mha.json --step weights --head 1 --row 0 --col 2",
    "check examples/91_published.mha.json",
    "check examples/91_published.mha.json --markdown",
    "check examples/10_first.mha.json",
    *(
        f"export examples/70_padding.mha.json --to {target}"
        for target in ("torch", "torch-scratch", "numpy", "keras", "latex", "markdown --decimals 2")
    ),
    "layers -",
    "import - --num-heads 2 --heads 1,0 --d-model 4 --d-head 2",
    "trace missing.mha.json",
)


def numbers(example: Example) -> dict[str, object]:
    """The weights, and the last step."""
    values = json.loads(json.dumps(trace(example).values).replace("-Infinity", '"-inf"'))
    return {"weights": values["weights"], "last": values[list(values)[-1]]}


def page(address: str) -> dict[str, object]:
    """What an address opens to, and the address that the page then writes."""
    query = dict(pair.split("=", 1) for pair in address.partition("?")[2].split("&"))
    work = work_at(query, None)
    return {"address": state.address(work), "opens": numbers(work.example)}


def command(line: str) -> dict[str, object]:
    """Exit status and output: an object of JSON, of anything else that it is there."""
    arguments = line.split()
    sys.stdin = io.TextIOWrapper(io.BytesIO(weight_file()))
    kept, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO())
    try:
        status, out = main(arguments), sys.stdout.buffer.getvalue().decode()
    finally:
        sys.stdout = kept
    told = json.loads(out) if out[:1] == "{" else bool(out)
    return {"arguments": arguments, "status": status, "out": told}


def weight_file() -> bytes:
    """A layer's state dict, the same each time."""
    torch.manual_seed(5)
    stream = io.BytesIO()
    torch.save(torch.nn.MultiheadAttention(8, 2).state_dict(), stream)
    return stream.getvalue()


def make() -> None:
    """Write all of it."""
    examples = [
        *(replace(example, title=f"{name}, edited") for name, example in library().items()),
        *(parse(path.read_bytes()) for path in FILES),
    ]
    base = to_token(replace(built_in("first"), title="", note=None, scale=2.0))
    content = {
        "tokens": [{"token": to_token(example), "opens": numbers(example)} for example in examples],
        "files": [{"text": pretty(example), "opens": numbers(example)} for example in examples[::3]],
        "pages": [
            {"page": address} | page(address)
            for address in (*PAGES, f"?example=first&lens=change&base={base}")
        ],
        "commands": [command(line) for line in COMMANDS],
        "weights": base64.b64encode(weight_file()).decode(),
    }
    sys.stdout.write(json.dumps(content, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    make()
