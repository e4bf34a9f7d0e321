"""A class at a glance: each table that was asked for, and where the class went wrong first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from mha_core.compute.printed import Key
from mha_core.marks.marks import Paper, Tally
from mha_core.vocabulary import COMPUTED


class Question(NamedTuple):
    """A table of all files together; ``first``: in how many of them the first own error is in it."""

    key: Key
    tally: Tally
    first: int

    @property
    def share(self) -> float:
        """The share of the numbers asked for that is right, or right from the student's own earlier numbers."""
        return (self.tally.right + self.tally.follows + self.tally.shown) / self.tally.asked


def questions(papers: Iterable[Paper]) -> list[Question]:
    """The tables that were asked for, in the order of the computation."""
    tallies: dict[Key, Tally] = {}
    first: Counter[Key] = Counter()
    for paper in papers:
        for key, tally in paper.tables.items():
            tallies[key] = tallies.get(key, Tally()).plus(tally)
        if paper.first in paper.tables:
            first[paper.first] += 1
    order = sorted(tallies, key=lambda key: (COMPUTED.index(key[0]), key[1] or 0))
    return [Question(key, tallies[key], first[key]) for key in order]
