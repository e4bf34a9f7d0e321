"""What a lecturer can say at each stage, and what students get wrong there. Questions are the ``note`` of its words.

The sentences about a step are in its ``Wording``; what to read aloud is computed from the example.
"""

from __future__ import annotations

from typing import NamedTuple

from mha_core.compute.derive import Cell, arithmetic, derive
from mha_core.compute.operations import Step
from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import NEG_INF, allow_matrix, key_tokens
from mha_core.numbers import fixed, trimmed
from mha_core.quoted import isolated
from mha_core.vocabulary import ENTRY
from mha_core.walk.stages import Stage
from mha_core.walk.summary import NEAR
from mha_core.walk.text import Sentence
from mha_core.walk.wording import ANY, WORDING

MOST_TERMS = 4
"""Most terms of a cell that is worked out aloud."""
MOST_NAMED = 20
"""Longest part of a token that is named, in characters."""


class Teaching(NamedTuple):
    """What to say, what to work out or read aloud (may be empty), and what students get wrong."""

    say: Sentence
    aloud: Sentence
    wrong: Sentence


_STAGES = {
    "tokens": (
        N_("Read the tokens aloud and pick one. We will follow it to the end."),
        N_(
            "“A token is a word.” It can also be part of a word, or a symbol. What matters is "
            "that each token gets a row."
        ),
    ),
    "inputs": (
        N_("Rows are tokens, columns are features. Say it once more than seems necessary."),
        N_(
            "Rows and columns get mixed up. Some books write each token as a column, which "
            "reverses the order of every product."
        ),
    ),
    "given": (
        N_("These numbers are given. From here on, we compute."),
        N_(
            "“So this head has no weight matrices.” It has them; this example just starts after they were used."
        ),
    ),
    "head": (
        N_("The same steps again, all at once: no head waits for another head's result."),
        N_(
            "“Head 2 continues where head 1 ended.” It starts from the beginning, just like head "
            "1. Heads run in parallel."
        ),
    ),
    "closing": (
        N_("Go back to the token you picked. What did it receive, and from which tokens?"),
        N_(
            "“The largest weight tells us what the model means.” It tells us where a value came from, not why."
        ),
    ),
}

_BY_A_NUMBER = (
    N_("The order does not change here: all scores of the head are divided by the same number."),
    N_("Dividing the weights instead of the scores. After softmax, they would no longer sum to 1."),
)

_SUM = N_("Aloud: {line}")
_LARGEST = N_("The largest number here is {number}: “{query}” with “{key}”.")
_SHARE = N_("The largest weight of all is {number}: “{query}” gives it to “{key}”.")
_LARGEST_AT = N_(
    "The largest number here is {number}. It appears {count} times, for example at “{query}” with “{key}”."
)
_SHARE_AT = N_(
    "The largest weight of all is {number}. It appears {count} times, for example at “{query}” → “{key}”."
)
_HIDDEN = N_("{hidden} of {all} pairs are masked here.")


def of_stage(trace: Trace, stage: Stage) -> Teaching:
    """The teaching for a stage; for a further head, one for all its steps."""
    if stage.kind == "step":
        return of_step(trace, stage.steps[0], stage.head)
    say, wrong = _STAGES[stage.kind]
    return Teaching(Sentence(say), Sentence(""), Sentence(wrong))


def of_step(trace: Trace, step: Step, head: int | None) -> Teaching:
    """The teaching for a step, of one head where it is a head's."""
    wording = WORDING.get(step.name, ANY)
    by_a_number = step.op == "divide" and trace.example.scale != "sqrt_dk"
    say, wrong = _BY_A_NUMBER if by_a_number else (wording.say, wording.wrong)
    return Teaching(Sentence(say), _aloud(trace, step, head), Sentence(wrong))


def _aloud(trace: Trace, step: Step, head: int | None) -> Sentence:
    rows = trace.matrix(step.name, head)
    allow = allow_matrix(trace.example, head) if step.op == "masked_fill" else None
    if allow:
        cells = [allowed for row in allow for allowed in row]
        return Sentence(_HIDDEN, {"hidden": cells.count(False), "all": len(cells)})
    if step.op == "softmax" or ENTRY[step.name].score:
        number, row, col = max(
            (number, -i, -j) for i, cells in enumerate(rows) for j, number in enumerate(cells)
        )
        if number in (0.0, NEG_INF):
            return Sentence("")
        names = {"query": trace.example.tokens[-row], "key": key_tokens(trace.example)[-col]}
        values: dict[str, object] = {name: isolated(token[:MOST_NAMED]) for name, token in names.items()}
        count = sum(number - other <= NEAR * abs(number) for cells in rows for other in cells)
        one, several = (_SHARE, _SHARE_AT) if step.op == "softmax" else (_LARGEST, _LARGEST_AT)
        values["number"] = fixed(number, 2) if step.op == "softmax" else trimmed(number, 2)
        return Sentence(one, values) if count == 1 else Sentence(several, values | {"count": count})
    first = derive(trace, Cell(step.name, head, 0, 0))
    if not 1 < len(first.terms) <= MOST_TERMS:
        return Sentence("")
    return Sentence(_SUM, {"line": arithmetic(first, 2)})
