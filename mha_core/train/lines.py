"""Lines to learn from, and batches of them as token ids.

A line is a prompt and its answer. The model reads both, token by token, and learns to say each token of the answer from
all that comes before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import torch
from torch import Tensor

from mha_core.errors import N_, TrainError
from mha_core.quoted import quoted

ARROW: Final = "→"
"""Ends a prompt."""
END: Final = "."
"""Ends an answer."""
END_ID, ARROW_ID = 0, 1
"""The tokens that every task has come first in its vocabulary."""
MOST_PAIRS: Final = 500
MOST_TOKENS: Final = 16
"""Of one side of somebody's own line."""


@dataclass(frozen=True, slots=True)
class Line:
    """``prompt`` is given, ``answer`` is to be said."""

    prompt: tuple[str, ...]
    answer: tuple[str, ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        """All that the model reads."""
        return self.prompt + self.answer

    @property
    def source(self) -> tuple[str, ...]:
        """The prompt without its arrow."""
        return self.prompt[:-1] if self.prompt[-1:] == (ARROW,) else self.prompt


def answered(prompt: Sequence[str], answer: Sequence[str]) -> Line:
    """A line whose prompt ends with an arrow and whose answer has an end."""
    return Line((*prompt, ARROW), (*answer, END))


class Batch(NamedTuple):
    """ids: b × n, shorter lines filled up behind their end; asked: b × n, True for the tokens of answers."""

    ids: Tensor
    asked: Tensor


def batch_of(lines: Sequence[Line], number: dict[str, int]) -> Batch:
    """Lines as ids; ``number``: the id of each token."""
    longest = max(len(line.tokens) for line in lines)
    ids = [[number[token] for token in line.tokens] for line in lines]
    asked = [[False] * len(line.prompt) + [True] * len(line.answer) for line in lines]
    return Batch(
        torch.tensor([row + [0] * (longest - len(row)) for row in ids]),
        torch.tensor([row + [False] * (longest - len(row)) for row in asked]),
    )


def decoded_lines(content: bytes) -> tuple[Line, ...]:
    """The lines of a file. Raises ``TrainError`` as ``parse_lines``, and for what is not UTF-8."""
    try:
        return parse_lines(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise TrainError(N_("expected a text file in UTF-8")) from None


def parse_lines(text: str) -> tuple[Line, ...]:
    """One's own parallel lines: on each a source, a tab or →, and a target; tokens are parted by spaces.

    Chinese characters need no spaces between them. Empty lines are skipped. Raises ``TrainError`` with the number of
    the first line that is not so.
    """
    lines = [
        _own_line(row, number)
        for number, row in enumerate(text.removeprefix("\ufeff").splitlines(), 1)
        if row.strip()
    ]
    if not lines:
        raise TrainError(N_("there is no line with a source, a tab or →, and a target"))
    if len(lines) > MOST_PAIRS:
        raise TrainError(
            N_("{count} lines are too many; the most is {most}"), count=len(lines), most=MOST_PAIRS
        )
    _require_one_answer(lines)
    return tuple(lines)


def _own_line(row: str, number: int) -> Line:
    sides = row.replace("\t", ARROW).split(ARROW)
    if len(sides) != 2:
        raise TrainError(
            N_("line {number}: expected a source and a target with one tab or → between them, got {got}"),
            number=number,
            got=quoted(row),
        )
    source, target = map(_tokens, sides)
    for tokens in (source, target):
        if not 1 <= len(tokens) <= MOST_TOKENS:
            raise TrainError(
                N_("line {number}: expected 1 to {most} tokens on each side, got {count}"),
                number=number,
                most=MOST_TOKENS,
                count=len(tokens),
            )
        if END in tokens:
            raise TrainError(
                N_("line {number}: a token cannot be “{end}”, which ends an answer"), number=number, end=END
            )
    return answered(source, target)


def _tokens(side: str) -> list[str]:
    """Words between spaces; each Chinese character is a token."""
    return "".join(f" {one} " if "\u4e00" <= one <= "\u9fff" else one for one in side).split()


def _require_one_answer(lines: Sequence[Line]) -> None:
    """A source with two targets cannot be answered right both times."""
    first: dict[tuple[str, ...], tuple[str, ...]] = {}
    for line in lines:
        if first.setdefault(line.prompt, line.answer) != line.answer:
            source = " ".join(line.source)
            raise TrainError(
                N_("two lines have the source {source} but different targets"), source=quoted(source)
            )
