"""Puzzles: goals about the numbers of a trace, to be met by changing an example's inputs.

Read in this order: ``goals`` (met, and how far), ``changes`` (how many numbers differ), ``built_in`` (the puzzles in
the order that teaches), ``solve`` (how few changes are enough). What a puzzle is: ``mha_core.example.puzzle``.
"""

from mha_core.puzzle.built_in import built_in_puzzles, in_language
from mha_core.puzzle.changes import changes, differing
from mha_core.puzzle.goals import met, number_of, progress, solution_edits, solved
from mha_core.puzzle.solve import fewest

__all__ = [
    "built_in_puzzles",
    "changes",
    "differing",
    "fewest",
    "in_language",
    "met",
    "number_of",
    "progress",
    "solution_edits",
    "solved",
]
