"""A made-up step with a made-up operation, added as docs/extending.md says. It is added to a copy of the code, since
all tables of names are derived from the vocabulary on import.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

ROOT = Path(__file__).parents[2]

ADDED = (
    (
        "mha_core/vocabulary.py",
        '    Entry("slope",',
        """    Entry(
        "softened_scores", "S_W", ("n_q", "n_k"), "head", N_("softened scores"), "scores", N_("Softening"), score=True
    ),
""",
    ),
    (
        "mha_core/compute/operations.py",
        '    "linear_bias": by_cell(',
        """    "soften": by_cell(
        lambda a: a / (1 + a.abs()), lambda a: a / (1 + abs(a)), "soften({0})", "{0} ÷ (1 + |{0}|)"
    ),
    "soften_step": by_cell(
        lambda d, s: d * (1 - s.abs()) ** 2, lambda d, s: d * (1 - abs(s)) ** 2, "{0} ∘ (1 − |{1}|)²"
    ),
""",
    ),
    (
        "mha_core/compute/backward.py",
        '    "norm": _norm,',
        """    "soften": lambda step: iter((
        _step(
            step, step.operands[0].name, "soften_step", Operand(_slope(step), "ij"), Operand(step.name, "ij")
        ),
    )),
""",
    ),
    (
        "mha_core/compute/graph.py",
        "    if key_ids:",
        """    steps.append(Step("softened_scores", "soften", (Operand(last, "ij"),)))
    last = "softened_scores"
""",
    ),
    (
        "mha_core/export/templates.py",
        'biased_scores        |     scores = scores - head["slope"]',
        "softened_scores      |     scores = scores / (1 + np.abs(scores))\n",
    ),
    (
        "mha_core/export/templates.py",
        "biased_scores        | scores = scores - slopes",
        "softened_scores      | scores = scores / (1 + scores.abs())\n",
    ),
    (
        "web/kit/evaluate.js",
        "  linear_bias:",
        "  soften: ({ factors: [a] }) => a[0] / (1 + Math.abs(a[0])),\n"
        "  soften_step: ({ factors: [d, s] }) => d[0] * (1 - Math.abs(s[0])) ** 2,\n",
    ),
)
"""A file, the text to insert before, and what is inserted: these six files and no other."""


def with_the_step(folder, added=ADDED):
    """A copy of the code with the step, or with other additions."""
    for package in ("mha_core", "mha_view", "mha_ui", "web"):
        copytree(ROOT / package, folder / package, ignore=ignore_patterns("__pycache__"))
    for name, before, text_added in added:
        path = folder / name
        text = path.read_text("utf-8")
        assert text.count(before) == 1, name
        path.write_text(text.replace(before, text_added + before), "utf-8")
    return folder


def output_of(folder, script):
    """What a script prints as JSON, run in that copy."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
